/* SPDX-License-Identifier: MIT */
/* Which threads there are, and under which number, as they come and go. */
#include <check.h>
#include <stdlib.h>
#include <unistd.h>

#include "sched/turn/roster.h"

static struct thread *made[200];

static void make(unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        made[i] = turn_thread_new();
        made[i]->handle = (pthread_t)(1000 + i);
        made[i]->tid = (pid_t)(2000 + i);
    }
}

/* 200: more than the lists have room for at first. */
START_TEST(threads_are_numbered_as_they_are_made)
{
    ck_assert_uint_eq(turn_threads(), 0);
    make(200);
    ck_assert_uint_eq(turn_threads(), 200);
    ck_assert_uint_eq(roster.n, 200);
    for (unsigned i = 0; i < 200; i++) {
        ck_assert_uint_eq(made[i]->number, i);
        ck_assert_ptr_eq(turn_thread_at(i), made[i]);
        ck_assert_ptr_eq(roster_by_number(i), made[i]);
        ck_assert_ptr_eq(roster_by_tid((pid_t)(2000 + i)), made[i]);
        ck_assert_ptr_eq(turn_thread_find((pthread_t)(1000 + i)), made[i]);
    }
    ck_assert_ptr_null(turn_thread_at(200));
    ck_assert_ptr_null(roster_by_number(200));
    ck_assert_ptr_null(roster_by_tid(1));
    ck_assert_ptr_null(turn_thread_find((pthread_t)1));
}
END_TEST

/* It may still be joined; the others keep their order, and nobody gets its number. */
START_TEST(who_has_ended_can_be_joined)
{
    make(4);
    roster_leave(made[1]);
    ck_assert_uint_eq(roster.n, 3);
    ck_assert_ptr_null(roster_by_number(1));
    ck_assert_ptr_null(roster_by_tid(2001));
    ck_assert_ptr_eq(turn_thread_at(0), made[0]);
    ck_assert_ptr_eq(turn_thread_at(1), made[2]);
    ck_assert_ptr_eq(turn_thread_at(2), made[3]);
    ck_assert_ptr_null(turn_thread_at(3));
    ck_assert_ptr_eq(turn_thread_find((pthread_t)1001), made[1]);
    ck_assert_uint_eq(turn_threads(), 4);
    ck_assert_uint_eq(turn_thread_new()->number, 4);
}
END_TEST

/* POSIX, pthread_join: the handle may be used again. */
START_TEST(a_joined_threads_handle_may_be_anothers)
{
    struct thread *next;

    make(2);
    roster_leave(made[1]);
    turn_thread_forget(made[1]);
    ck_assert(made[1]->joined);
    ck_assert_ptr_null(turn_thread_find((pthread_t)1001));
    next = turn_thread_new();
    next->handle = (pthread_t)1001;
    ck_assert_ptr_eq(turn_thread_find((pthread_t)1001), next);
    ck_assert_ptr_eq(turn_thread_find((pthread_t)1000), made[0]);
}
END_TEST

START_TEST(a_thread_that_did_not_start_leaves_no_trace)
{
    make(3);
    turn_thread_cancel_new(made[2]);
    ck_assert_uint_eq(roster.n, 2);
    ck_assert_ptr_null(turn_thread_find((pthread_t)1002));
    ck_assert_ptr_null(roster_by_tid(2002));
}
END_TEST

static unsigned sum;

static void add(struct thread *t)
{
    sum = sum * 10 + t->number + 1;
}

START_TEST(each_thread_that_lives_is_visited_in_order)
{
    make(4);
    roster_leave(made[2]);
    roster_each(add);
    ck_assert_uint_eq(sum, 124);
    roster_each(add); /* the lock was let go */
    ck_assert_uint_eq(sum, 124124);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("roster");
    TCase *t = tcase_create("roster");
    SRunner *runner;
    int failed;

    tcase_set_timeout(t, 5);
    tcase_add_test(t, threads_are_numbered_as_they_are_made);
    tcase_add_test(t, who_has_ended_can_be_joined);
    tcase_add_test(t, a_joined_threads_handle_may_be_anothers);
    tcase_add_test(t, a_thread_that_did_not_start_leaves_no_trace);
    tcase_add_test(t, each_thread_that_lives_is_visited_in_order);
    suite_add_tcase(s, t);
    runner = srunner_create(s);
    srunner_run_all(runner, CK_ENV);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
