/* SPDX-License-Identifier: MIT */
/* The program's locks by address: numbers by first use, and what the board is told of them. */
#include <check.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sched/object/object.h"
#include "sched/turn/turn.h"
#include "tests/suite.h"

/* --- what object.c asks of the scheduler */

const struct sched_board *turn_board;
_Thread_local struct thread *turn_self;
static unsigned threads;
static struct thread self;
static char told[256];

unsigned turn_threads(void)
{
    return threads;
}

static void note(enum sched_note what, uint64_t a)
{
    size_t n = strlen(told);

    ck_assert(self.inside); /* its own locks are not the program's */
    snprintf(told + n, sizeof(told) - n, "%s%d ",
             what == SCHED_NOTE_THREAD    ? "thread "
             : what == SCHED_NOTE_RELEASE ? "release "
             : what == SCHED_NOTE_GONE    ? "gone "
             : what == SCHED_NOTE_ENDED   ? "ended "
                                          : "acquire ",
             (int)a);
}

static void flag(const void *address, bool release)
{
    size_t n = strlen(told);

    ck_assert(self.inside);
    snprintf(told + n, sizeof(told) - n, "flag %d %d ", (int)(intptr_t)address, release);
}

static const struct sched_board board = { .note = note, .flag = flag };

static void setup(void)
{
    turn_board = &board;
    turn_self = &self;
    self.number = 5;
    threads = 2;
}

static const void *place(uintptr_t i)
{
    return (const void *)(0x1000 + i * 8);
}

/* --- numbers */

START_TEST(objects_are_numbered_when_somebody_asks)
{
    ck_assert_ptr_eq(object_at(place(1), 11)->address, place(1));
    ck_assert_uint_eq(object_at(place(1), 22)->first_pc, 11); /* of the first use */
    ck_assert_uint_eq(object_at(place(1), 0)->number, 0);
    ck_assert_uint_eq(object_number(place(2), 33), 1);
    ck_assert_uint_eq(object_number(place(1), 44), 2);
    ck_assert_uint_eq(object_number(place(2), 55), 1);
    ck_assert_ptr_eq(object_by_number(2)->address, place(1));
    ck_assert_ptr_null(object_by_number(3));
    ck_assert_ptr_null(object_by_number(0));
}
END_TEST

/* Far more than there is room for at first: what is known of each moves along. */
START_TEST(many_objects_keep_what_is_known)
{
    for (uintptr_t i = 0; i < 20000; i++) {
        ck_assert_uint_eq(object_number(place(i), i), i + 1);
        object_at(place(i), 0)->depth = (unsigned)i;
    }
    for (uintptr_t i = 0; i < 20000; i++) {
        ck_assert_uint_eq(object_number(place(i), 0), i + 1);
        ck_assert_uint_eq(object_at(place(i), 0)->depth, i);
        ck_assert_uint_eq(object_at(place(i), 0)->first_pc, i);
    }
}
END_TEST

/* So that many fall on each other's places. */
static const void *scattered(uintptr_t i)
{
    return place(i * i * i % 1000003);
}

/* What is made at the same address later is another object; its neighbours are still found. */
START_TEST(a_forgotten_object_is_another_one_later)
{
    object_forget(place(1)); /* nothing is known yet */
    for (uintptr_t i = 0; i < 500; i++) {
        object_number(scattered(i), 0);
    }
    for (uintptr_t i = 0; i < 500; i += 2) {
        object_forget(scattered(i));
    }
    for (uintptr_t i = 1; i < 500; i += 2) {
        ck_assert_uint_eq(object_number(scattered(i), 0), i + 1);
    }
    ck_assert_ptr_null(object_by_number(1));
    ck_assert_uint_eq(object_number(scattered(0), 0), 501);
}
END_TEST

/* proc(5), statm: pages. */
static long pages(void)
{
    FILE *f = fopen("/proc/self/statm", "r");
    long n = 0;

    ck_assert_int_eq(fscanf(f, "%ld", &n), 1);
    fclose(f);
    return n;
}

/* A mutex for each of half a million requests, one at a time: 8 MiB are room for 60,000. */
START_TEST(forgotten_objects_make_room)
{
    long before = pages();

    object_number(place(7), 0);
    for (uintptr_t i = 8; i < 500000; i++) {
        object_at(place(i), 0);
        object_forget(place(i));
    }
    ck_assert_int_lt(pages() - before, 2048);
    ck_assert_uint_eq(object_number(place(7), 0), 1);
}
END_TEST

static void *comes_and_goes(void *over)
{
    for (uintptr_t i = 8; i < 500000; i++) {
        object_number(place(i), 0);
        object_forget(place(i));
    }
    atomic_store((atomic_bool *)over, true);
    return NULL;
}

/* Where threads run freely one asks while another makes room. */
START_TEST(numbers_are_given_while_others_make_room)
{
    atomic_bool over = false;
    pthread_t thread;

    object_number(place(7), 0);
    pthread_create(&thread, NULL, comes_and_goes, &over);
    while (!atomic_load(&over)) {
        ck_assert_uint_eq(object_number(place(7), 0), 1);
    }
    pthread_join(thread, NULL);
}
END_TEST

START_TEST(what_is_made_anew_has_another_number)
{
    object_made(place(1), 5, 6, 0);
    ck_assert_uint_eq(object_number(place(1), 0), 1);
    object_made(place(1), 7, 8, 9);
    ck_assert_int_eq(object_at(place(1), 0)->clock, 7);
    ck_assert_uint_eq(object_at(place(1), 0)->count, 8);
    ck_assert_uint_eq(object_at(place(1), 0)->first_pc, 9);
    ck_assert_uint_eq(object_number(place(1), 0), 2);
}
END_TEST

/* --- barriers */

static unsigned come(uint32_t thread, uintptr_t barrier, bool counted)
{
    self.number = thread;
    return object_come(place(barrier), counted, 0);
}

/* So does who comes to the next round before others have left the one before. */
START_TEST(rounds_of_a_barrier_are_two_objects_by_turns)
{
    static const unsigned round[] = { 1, 1, 1, 2, 2, 2, 1, 1, 1, 2 };

    object_at(place(1), 0)->count = 3;
    for (uint32_t i = 0; i < 10; i++) {
        ck_assert_uint_eq(come(i * 2 % 3 * 31, 1, true), round[i]); /* 0, 62, 31 */
    }
    object_forget(place(1));
    object_at(place(1), 0)->count = 1;
    ck_assert_uint_eq(come(4, 1, true), 1); /* another one */
    ck_assert_uint_eq(come(4, 1, true), 2);
}
END_TEST

/* They overtake each other on their way to the C library's barrier. */
START_TEST(rounds_of_more_threads_are_not_told_apart)
{
    object_at(place(1), 0)->count = 2;
    ck_assert_uint_eq(come(5, 1, true), 1);
    ck_assert_uint_eq(come(6, 1, true), 1);
    ck_assert_uint_eq(come(5, 1, true), 2);
    ck_assert_uint_eq(come(7, 1, true), 3);
    ck_assert_uint_eq(come(6, 1, true), 3); /* and so on */
    ck_assert_uint_eq(come(5, 1, true), 3);
    object_at(place(2), 0)->count = 2;
    ck_assert_uint_eq(come(64, 2, true), 3); /* too many to know */
    ck_assert_uint_eq(come(63, 2, true), 3);
    object_at(place(3), 0)->count = 2;
    turn_self = NULL; /* none of the program's */
    ck_assert_uint_eq(object_come(place(3), true, 0), 3);
}
END_TEST

/* Other processes come, too; nobody has seen it being made. */
START_TEST(rounds_that_nobody_can_count_are_one_object)
{
    object_at(place(1), 0)->count = 1;
    for (unsigned i = 0; i < 4; i++) {
        ck_assert_uint_eq(come(i, 1, false), 1);
        ck_assert_uint_eq(come(i, 2, true), 1);
    }
}
END_TEST

/* --- edges */

/* It may be another one's address by then. */
START_TEST(orders_are_told_by_number_of_what_is_gone)
{
    ck_assert_uint_eq(object_release(place(1)), 1);
    object_forget_late(place(1));
    object_acquire_number(1);
    ck_assert_uint_eq(object_release(place(1)), 2);
    ck_assert_str_eq(told, "thread 5 release 1 acquire 1 release 2 ");
}
END_TEST

/* The checker keeps a clock for each object, as long as threads may come to it. */
START_TEST(the_end_of_an_object_is_reported)
{
    object_release(place(1));
    object_made(place(2), 0, 0, 0);
    object_release(place(2));
    object_made(place(2), 0, 0, 0); /* anew */
    object_forget(place(1));
    object_forget(place(1));
    object_forget(place(2)); /* it has not been used */
    object_made(place(3), 0, 2, 0);
    object_release(place(3));
    object_made(place(3), 0, 2, 0); /* a barrier: threads may still leave the one before */
    ck_assert_str_eq(told, "thread 5 release 1 release 2 gone 2 gone 1 release 3 ");
}
END_TEST

START_TEST(orders_are_told_with_the_threads_number_first)
{
    object_release(place(3));
    object_acquire(place(4));
    object_acquire(place(3));
    object_flag((const void *)9, true);
    object_flag((const void *)9, false);
    ck_assert_str_eq(told, "thread 5 release 1 acquire 2 acquire 1 flag 9 1 flag 9 0 ");
    ck_assert(!self.inside);
    self.inside = true; /* and stays what it was */
    object_acquire(place(3));
    object_flag((const void *)9, true);
    ck_assert(self.inside);
}
END_TEST

START_TEST(nobody_is_told_where_nothing_can_be_ordered)
{
    switch (_i) {
    case 0: /* one thread */
        threads = 1;
        break;
    case 1: /* no board is up */
        turn_board = NULL;
        break;
    case 2: /* a thread that is none of the program's */
        turn_self = NULL;
        break;
    default: /* a report is made */
        self.suppressed = true;
        break;
    }
    ck_assert_uint_eq(object_release(place(3)), 0);
    object_acquire(place(3));
    object_acquire_number(3);
    object_flag(place(3), true);
    object_number(place(3), 0);
    object_forget(place(3));
    ck_assert_str_eq(told, "");
}
END_TEST

int main(void)
{
    Suite *s = suite_create("object");
    TCase *t = tcase_create("object");

    tcase_set_timeout(t, 5);
    tcase_add_checked_fixture(t, setup, NULL);
    tcase_add_test(t, objects_are_numbered_when_somebody_asks);
    tcase_add_test(t, many_objects_keep_what_is_known);
    tcase_add_test(t, a_forgotten_object_is_another_one_later);
    tcase_add_test(t, forgotten_objects_make_room);
    tcase_add_test(t, numbers_are_given_while_others_make_room);
    tcase_add_test(t, what_is_made_anew_has_another_number);
    tcase_add_test(t, rounds_of_a_barrier_are_two_objects_by_turns);
    tcase_add_test(t, rounds_of_more_threads_are_not_told_apart);
    tcase_add_test(t, rounds_that_nobody_can_count_are_one_object);
    tcase_add_test(t, orders_are_told_by_number_of_what_is_gone);
    tcase_add_test(t, the_end_of_an_object_is_reported);
    tcase_add_test(t, orders_are_told_with_the_threads_number_first);
    tcase_add_loop_test(t, nobody_is_told_where_nothing_can_be_ordered, 0, 4);
    suite_add_tcase(s, t);
    return suite_main(s);
}
