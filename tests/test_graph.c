/* SPDX-License-Identifier: MIT */
/* The graph of locks. What is a deadlock to come, and what is none, follows from POSIX: a thread
 * waits for a mutex only while another one holds it, and a thread stands at one place. */
#include <check.h>
#include <stdlib.h>

#include "sched/object/graph.h"

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

/* Of a run's events the newest are known; whose order is in doubt is not told of. */
START_TEST(who_is_in_doubt_is_not_told_of)
{
    add(1, A, B, NULL);
    for (unsigned i = 0; i < 100000; i++) {
        graph_event(50, 51);
    }
    add(2, B, A, NULL);
    ck_assert_uint_eq(found(), 0);
    begin();
    add(1, A, B, NULL);
    for (unsigned i = 0; i < 1000; i++) { /* it starts very many */
        graph_event(1, 1000 + i);
    }
    add(2, B, A, NULL);
    ck_assert_uint_eq(found(), 0);
}
END_TEST

/* 1 and 2 can make their steps at one time; what comes between them later, or came before, is no
 * matter. */
START_TEST(events_order_what_they_lie_between)
{
    add(1, A, B, NULL);
    add(2, B, C, NULL);
    event(1, 2);
    add(3, C, A, NULL);
    ck_assert_uint_eq(found(), 1);
    ck_assert_uint_eq(rings[0].n, 3);
    begin();
    event(1, 2);
    add(1, A, B, NULL);
    event(50, 51);
    add(2, B, A, NULL);
    ck_assert_uint_eq(found(), 1);
}
END_TEST

START_TEST(each_two_of_a_ring_must_meet)
{
    add(1, A, B, NULL);
    event(1, 2); /* 2 comes behind 1, 3 beside both */
    add(2, B, C, NULL);
    add(3, C, A, NULL);
    ck_assert_uint_eq(found(), 0);
}
END_TEST

static struct graph_edge held_too(struct graph_edge e, const void *gate, bool read)
{
    e.held[e.n_held++] = (struct graph_lock){ gate, GRAPH_MUTEX, read };
    return e;
}

/* A step with other locks held, another kind of lock, at another place is another one, and may
 * close a ring. */
START_TEST(a_step_of_another_kind_counts_by_itself)
{
    struct graph_edge e[2];

    add(1, A, B, G); /* without a gate the second time */
    add(2, B, A, G);
    add(2, B, A, NULL);
    ck_assert_uint_eq(found(), 1);
    begin(); /* behind another one */
    add(1, A, B, G);
    add(2, B, A, G);
    add(2, B, A, C);
    ck_assert_uint_eq(found(), 1);
    begin(); /* behind the same one, as reader: as the other one */
    e[0] = held_too(edge(1, A, B, NULL), G, true);
    e[1] = held_too(edge(2, B, A, NULL), G, false);
    graph_add(&e[0]);
    graph_add(&e[1]);
    ck_assert_uint_eq(found(), 0);
    e[1] = held_too(edge(2, B, A, NULL), G, true);
    graph_add(&e[1]);
    ck_assert_uint_eq(found(), 1);
    begin(); /* as reader, then as writer */
    add_rw(1, A, true, B, true);
    add_rw(2, B, false, A, true);
    ck_assert_uint_eq(found(), 0);
    add_rw(2, B, false, A, false);
    ck_assert_uint_eq(found(), 1);
    begin(); /* holding as reader, then as writer */
    add_rw(1, A, false, B, true);
    add_rw(2, B, true, A, true);
    ck_assert_uint_eq(found(), 0);
    add_rw(2, B, false, A, true);
    ck_assert_uint_eq(found(), 1);
}
END_TEST

START_TEST(each_place_is_told_of)
{
    struct graph_edge e = edge(2, B, A, NULL);

    add(1, A, B, NULL);
    graph_add(&e);
    e.from_at.pc[0]++;
    graph_add(&e);
    ck_assert_uint_eq(found(), 2);
    e.to_at.pc[0]++;
    graph_add(&e);
    ck_assert_uint_eq(found(), 3);
}
END_TEST

/* Of one thread's steps between two locks the newest are kept. */
START_TEST(the_newest_steps_are_kept)
{
    for (unsigned i = 0; i < 8; i++) { /* behind the gate: these meet nobody */
        add(0, A, B, G);
        event(0, 50);
    }
    add(0, A, B, NULL);
    event(0, 50);
    add(0, A, B, G);
    add(1, B, A, G);
    ck_assert_uint_eq(found(), 1);
}
END_TEST

START_TEST(memory_is_looked_at_where_a_lock_is)
{
    const char *page = (const char *)(((uintptr_t)memory + 4095) & ~(uintptr_t)4095); /* in it */
    const size_t much = (size_t)1 << 40;

    add(1, page, page + 8, NULL);
    ck_assert(graph_watches(page, 8));
    ck_assert(graph_watches(page - 5000, 5008));
    ck_assert(!graph_watches(page - 5000, 900));
    ck_assert(graph_watches(page, much));
    ck_assert(!graph_watches(page, 0));
}
END_TEST

START_TEST(what_lies_behind_is_not_forgotten)
{
    for (unsigned i = 0; i < 20; i++) { /* more locks than places to look at */
        add(1, &memory[i * 8], &memory[i * 8 + 8], NULL);
    }
    ck_assert(graph_forget(&memory[0], 8));
    add(2, &memory[16], &memory[8], NULL);
    ck_assert_uint_eq(found(), 1);
}
END_TEST

START_TEST(edges_from_a_lock_die_with_it)
{
    static char many[100000][8];

    for (unsigned i = 0; i < 100000; i++) { /* more than there is room for at a time */
        add(1, many[i], G, NULL);
        ck_assert(graph_forget(many[i], 8));
    }
    ck_assert(!graph_gave_up());
}
END_TEST

START_TEST(a_ring_through_what_is_gone_is_none)
{
    add(5, A, G, NULL);
    add(5, G, C, NULL); /* there is a way from A to C, but one thread's */
    add(1, A, B, NULL);
    graph_forget(B, 8);
    add(2, B, C, NULL); /* there is a lock again */
    add(3, C, A, NULL);
    ck_assert_uint_eq(found(), 0);
}
END_TEST

START_TEST(nobody_goes_through_a_lock_that_others_unlock)
{
    add(1, A, B, NULL);
    add(2, B, C, NULL);
    graph_exclude(B);
    add(3, C, A, NULL);
    ck_assert_uint_eq(found(), 0);
}
END_TEST

/* Each in the ring waits for the next: as a reader for a writer only. */
START_TEST(readers_of_three_locks)
{
    static const struct {
        bool wants, holds;
    } rows[] = { { true, true }, { true, false }, { false, true }, { false, false } };

    for (unsigned lock = 0; lock < 3; lock++) {
        for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
            begin();
            add_rw(1, A, lock == 0 && rows[i].holds, B, lock == 1 && rows[i].wants);
            add_rw(2, B, lock == 1 && rows[i].holds, C, lock == 2 && rows[i].wants);
            add_rw(3, C, lock == 2 && rows[i].holds, A, lock == 0 && rows[i].wants);
            ck_assert_uint_eq(found(), !(rows[i].wants && rows[i].holds));
        }
    }
}
END_TEST

/* A thread's search is not paid for by the next one's. */
START_TEST(many_searches_are_made)
{
    for (unsigned i = 0; i < 20; i++) {
        add(1, &memory[i * 8], &memory[i * 8 + 8], NULL);
    }
    for (unsigned i = 0; i < 20000; i++) {
        event(2, 50);
        add(2, G + 1000, &memory[0], NULL);
    }
    ck_assert(!graph_gave_up());
}
END_TEST

/* Each of 60^5 ways has a step of thread 1 at both ends. */
START_TEST(a_search_of_many_ways_is_given_up)
{
    static char lock[5][60][8];

    for (unsigned i = 0; i < 60; i++) {
        add(1, A, lock[0][i], NULL);
    }
    for (unsigned layer = 1; layer < 5; layer++) {
        for (unsigned i = 0; i < 60; i++) {
            for (unsigned j = 0; j < 60; j++) {
                add(1 + layer, lock[layer - 1][i], lock[layer][j], NULL);
            }
        }
    }
    for (unsigned i = 0; i < 60; i++) {
        add(1, lock[4][i], B, NULL);
    }
    ck_assert(!graph_gave_up());
    add(9, B, A, NULL);
    ck_assert(graph_gave_up());
    ck_assert_uint_eq(found(), 0);
}
END_TEST

START_TEST(what_is_given_up_tells_nothing_more)
{
    static char many[200000][8];

    for (unsigned i = 1; i < 200000 && !graph_gave_up(); i++) {
        add(1, many[i - 1], many[i], NULL);
    }
    ck_assert(graph_gave_up());
    graph_forget(many, sizeof(many)); /* there is room again, but the order is not known */
    add(1, A, B, NULL);
    add(2, B, A, NULL);
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
    tcase_add_test(t, who_is_in_doubt_is_not_told_of);
    tcase_add_test(t, events_order_what_they_lie_between);
    tcase_add_test(t, each_two_of_a_ring_must_meet);
    tcase_add_test(t, a_step_of_another_kind_counts_by_itself);
    tcase_add_test(t, each_place_is_told_of);
    tcase_add_test(t, the_newest_steps_are_kept);
    tcase_add_test(t, memory_is_looked_at_where_a_lock_is);
    tcase_add_test(t, what_lies_behind_is_not_forgotten);
    tcase_add_test(t, edges_from_a_lock_die_with_it);
    tcase_add_test(t, a_ring_through_what_is_gone_is_none);
    tcase_add_test(t, nobody_goes_through_a_lock_that_others_unlock);
    tcase_add_test(t, readers_of_three_locks);
    tcase_add_test(t, many_searches_are_made);
    tcase_add_test(t, a_search_of_many_ways_is_given_up);
    tcase_add_test(t, what_is_given_up_tells_nothing_more);
    suite_add_tcase(s, t);
    srunner_run_all(sr, CK_NORMAL);
    failed = srunner_ntests_failed(sr);
    srunner_free(sr);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
