/* SPDX-License-Identifier: MIT */
/* The graph of locks. What is a deadlock to come, and what is none, follows from POSIX: a thread
 * waits for a mutex only while another one holds it, and a thread stands at one place. */
#include <check.h>
#include <stdlib.h>

#include "runtime/sched/graph.h"

static char memory[4096]; /* of the locks */

#define A (&memory[0])
#define B (&memory[64])
#define C (&memory[128])
#define G (&memory[192])

static const struct graph_ring *rings;

static uint32_t segment_of[100];

/* @thread, which holds @gate and @from, locks @to. */
static struct graph_edge edge(uint32_t thread, const void *from, const void *to, const void *gate)
{
    struct graph_edge e = { .from = { from, GRAPH_MUTEX, false },
                            .to = { to, GRAPH_MUTEX, false },
                            .thread = thread,
                            .segment = segment_of[thread % 100],
                            .from_at = { .pc = { 0x1000 + (uintptr_t)from % 0x1000 } },
                            .to_at = { .pc = { 0x2000 + (uintptr_t)to % 0x1000 } } };

    if (gate) {
        e.held[e.n_held++] = (struct graph_lock){ gate, GRAPH_MUTEX, false };
    }
    e.held[e.n_held++] = e.from;
    return e;
}

static void add(uint32_t thread, const void *from, const void *to, const void *gate)
{
    struct graph_edge e = edge(thread, from, to, gate);

    graph_add(&e);
}

static void add_rw(uint32_t thread, const void *from, bool from_read, const void *to, bool to_read)
{
    struct graph_edge e = edge(thread, from, to, NULL);

    e.from.read = e.held[0].read = from_read;
    e.to.read = to_read;
    graph_add(&e);
}

static void event(uint64_t from, uint64_t to)
{
    graph_event(from, to);
    if (from < 100) {
        segment_of[from]++;
    }
    if (to < 100) {
        segment_of[to]++;
    }
}

static unsigned found(void)
{
    return graph_rings(&rings);
}

static void begin(void)
{
    graph_reset();
    for (unsigned i = 0; i < 100; i++) {
        segment_of[i] = 0;
    }
}

START_TEST(two_orders_of_two_threads_are_a_ring)
{
    add(2, B, A, NULL);
    ck_assert_uint_eq(found(), 0);
    add(1, A, B, NULL);
    ck_assert_uint_eq(found(), 1);
    ck_assert_uint_eq(rings[0].n, 2);
    ck_assert_uint_eq(rings[0].edge[0].thread, 1); /* the lowest first, whoever closes it */
    ck_assert_ptr_eq(rings[0].edge[0].from.address, A);
    ck_assert_uint_eq(rings[0].edge[1].thread, 2);
    ck_assert_ptr_eq(rings[0].edge[1].from.address, B);
}
END_TEST

START_TEST(a_ring_may_be_of_eight_and_no_more)
{
    for (uint32_t n = 2; n <= 9; n++) {
        begin();
        for (uint32_t i = 0; i < n; i++) {
            add(i, &memory[i * 8], &memory[(i + 1) % n * 8], NULL);
        }
        ck_assert_uint_eq(found(), n <= 8);
        ck_assert_uint_eq(n <= 8 ? rings[0].n : n, n);
    }
}
END_TEST

START_TEST(one_thread_does_not_wait_for_itself)
{
    add(1, A, B, NULL);
    add(1, B, A, NULL);
    add(2, B, C, NULL);
    add(1, C, A, NULL); /* A, B by thread 1; C, A by thread 1 */
    ck_assert_uint_eq(found(), 0);
}
END_TEST

START_TEST(a_gate_of_all_lets_one_in_a_gate_of_some_does_not)
{
    add(1, A, B, G);
    add(2, B, A, G);
    ck_assert_uint_eq(found(), 0);
    add(3, B, A, NULL);
    ck_assert_uint_eq(found(), 1);
    ck_assert_uint_eq(rings[0].edge[1].thread, 3);
}
END_TEST

START_TEST(readers_wait_for_writers_only)
{
    static const struct {
        bool from1, to1, from2, to2, ring;
    } rows[] = {
        { true, true, true, true, false },  /* nobody writes */
        { true, false, true, false, true }, /* each reads one, and wants to write the other */
        { false, true, false, true, true }, /* each writes one, and wants to read the other */
    };

    for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        begin();
        add_rw(1, A, rows[i].from1, B, rows[i].to1);
        add_rw(2, B, rows[i].from2, A, rows[i].to2);
        ck_assert_uint_eq(found(), rows[i].ring);
    }
    begin(); /* at A a reader wants what a reader holds */
    add_rw(1, A, true, B, false);
    add_rw(2, B, false, A, true);
    ck_assert_uint_eq(found(), 0);
    begin(); /* at A a writer wants it */
    add_rw(1, A, true, B, true);
    add_rw(2, B, false, A, false);
    ck_assert_uint_eq(found(), 1);
}
END_TEST

START_TEST(what_is_before_the_start_or_behind_the_end_does_not_meet)
{
    add(0, A, B, NULL);
    event(0, 1); /* 0 starts 1 */
    add(1, B, A, NULL);
    event(1, 0); /* and joins it */
    add(0, A, B, NULL);
    ck_assert_uint_eq(found(), 0);
    event(0, 2);
    event(0, 3);
    add(2, A, B, NULL); /* 1 had ended */
    ck_assert_uint_eq(found(), 0);
    add(3, B, A, NULL); /* 2 has not */
    ck_assert_uint_eq(found(), 1);
}
END_TEST

START_TEST(the_same_step_counts_again_once_others_live)
{
    add(0, A, B, NULL);
    event(0, 1);
    add(0, A, B, NULL);
    add(1, B, A, NULL);
    ck_assert_uint_eq(found(), 1);
}
END_TEST

START_TEST(a_grandchild_and_an_object_are_behind_it_too)
{
    add(0, A, B, NULL);
    event(0, 1);
    event(1, 2);
    add(2, B, A, NULL);
    ck_assert_uint_eq(found(), 0);
    begin();
    event(0, 1);
    add(0, A, B, NULL);
    event(0, GRAPH_OBJECT(G));
    event(GRAPH_OBJECT(G), 1);
    add(1, B, A, NULL);
    ck_assert_uint_eq(found(), 0);
}
END_TEST

START_TEST(what_is_forgotten_is_another_lock)
{
    static const struct {
        const void *start;
        size_t size;
        bool gone;
    } rows[] = {
        { A, 40, true },
        { A, 1, true },
        { B, 8, true },
        { memory, sizeof(memory), true },
        { &memory[4], 60, false },
        { C, 3000, false },
        { A, 0, false },
    };

    for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        begin();
        add(1, A, B, NULL);
        ck_assert(graph_watches(A, 40));
        ck_assert(graph_forget(rows[i].start, rows[i].size) == rows[i].gone);
        add(2, B, A, NULL);
        ck_assert_uint_eq(found(), !rows[i].gone);
    }
}
END_TEST

START_TEST(edges_to_a_lock_die_with_it_wherever_they_are)
{
    static char many[100000][8];

    for (unsigned i = 0; i < 100000; i++) { /* more than there is room for at a time */
        add(1, G, many[i], NULL);
        ck_assert(graph_forget(many[i], 8));
    }
    ck_assert(!graph_gave_up());
    add(2, many[0], G, NULL);
    ck_assert_uint_eq(found(), 0);
    add(1, G, many[0], NULL);
    ck_assert_uint_eq(found(), 1);
}
END_TEST

START_TEST(a_lock_that_others_unlock_is_left_out)
{
    add(1, A, B, NULL);
    graph_exclude(A);
    add(2, B, A, NULL);
    ck_assert_uint_eq(found(), 0);
    graph_forget(A, 8);
    add(1, A, B, NULL);
    add(2, B, A, NULL);
    ck_assert_uint_eq(found(), 1);
}
END_TEST

START_TEST(the_same_places_are_told_once_with_the_lowest_threads)
{
    for (uint32_t t = 20; t >= 2; t -= 2) {
        add(t, A, B, NULL);
        add(t - 1, B, A, NULL);
    }
    ck_assert_uint_eq(found(), 1);
    ck_assert_uint_eq(rings[0].edge[0].thread, 1);
}
END_TEST

START_TEST(findings_are_bounded)
{
    for (uintptr_t i = 0; i < 100; i++) {
        add(1, &memory[i * 8], &memory[i * 8 + 2048], NULL);
        add(2, &memory[i * 8 + 2048], &memory[i * 8], NULL);
    }
    ck_assert_uint_eq(found(), GRAPH_RINGS);
    ck_assert(!graph_gave_up());
}
END_TEST

START_TEST(too_many_are_given_up)
{
    static char many[200000][8];

    for (unsigned i = 1; i < 200000 && !graph_gave_up(); i++) {
        add(1, many[i - 1], many[i], NULL);
    }
    ck_assert(graph_gave_up());
    add(1, A, B, NULL);
    add(2, B, A, NULL);
    ck_assert_uint_eq(found(), 0);
}
END_TEST

/* Nothing but the steps of the search bounds a graph that has rings of one thread everywhere. */
START_TEST(a_search_ends)
{
    for (unsigned round = 0; round < 20; round++) {
        for (uint32_t t = 0; t < 60; t++) {
            for (uintptr_t i = 0; i < 20; i++) {
                add(t, &memory[i * 8], &memory[(i + round + 1) % 20 * 8], G);
            }
        }
    }
    ck_assert_uint_eq(found(), 0);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("graph");
    TCase *t = tcase_create("graph");
    SRunner *sr = srunner_create(s);
    int failed;

    tcase_add_checked_fixture(t, begin, NULL);
    tcase_add_test(t, two_orders_of_two_threads_are_a_ring);
    tcase_add_test(t, a_ring_may_be_of_eight_and_no_more);
    tcase_add_test(t, one_thread_does_not_wait_for_itself);
    tcase_add_test(t, a_gate_of_all_lets_one_in_a_gate_of_some_does_not);
    tcase_add_test(t, readers_wait_for_writers_only);
    tcase_add_test(t, what_is_before_the_start_or_behind_the_end_does_not_meet);
    tcase_add_test(t, the_same_step_counts_again_once_others_live);
    tcase_add_test(t, a_grandchild_and_an_object_are_behind_it_too);
    tcase_add_test(t, what_is_forgotten_is_another_lock);
    tcase_add_test(t, edges_to_a_lock_die_with_it_wherever_they_are);
    tcase_add_test(t, a_lock_that_others_unlock_is_left_out);
    tcase_add_test(t, the_same_places_are_told_once_with_the_lowest_threads);
    tcase_add_test(t, findings_are_bounded);
    tcase_add_test(t, too_many_are_given_up);
    tcase_add_test(t, a_search_ends);
    suite_add_tcase(s, t);
    srunner_run_all(sr, CK_NORMAL);
    failed = srunner_ntests_failed(sr);
    srunner_free(sr);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
