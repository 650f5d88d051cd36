/* SPDX-License-Identifier: MIT */
/* The decision source. Bounds come from the PCT paper (ASPLOS 2010, theorem 1: a bug of depth d
 * among n threads and k steps is found with probability at least 1 / (n k^(d-1))) and from
 * counting. */
#include <check.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sched/decide.h"

static const uint32_t two[] = { 0, 1 }, three[] = { 0, 1, 2 };

static struct decide *open_with(enum decide_strategy strategy, uint64_t seed, unsigned depth,
                                uint64_t length)
{
    return decide_new(&(struct decide_config){
        .strategy = strategy, .seed = seed, .depth = depth, .length = length, .evict = true });
}

/* @n picks among two agents that can always go on; their sequence as bits. */
static uint64_t picks(struct decide *d, unsigned n)
{
    uint64_t bits = 0;
    uint32_t current = 0;

    for (unsigned i = 0; i < n; i++) {
        current = two[decide_pick(d, two, 2, current)];
        bits |= (uint64_t)current << i;
    }
    return bits;
}

START_TEST(depth_1_never_takes_the_turn_away)
{
    for (uint64_t seed = 0; seed < 200; seed++) {
        struct decide *d = open_with(DECIDE_PCT, seed, 1, 64);
        uint64_t bits = picks(d, 64);

        ck_assert(bits == 0 || bits == UINT64_MAX);
        decide_free(d);
    }
}
END_TEST

START_TEST(depth_2_takes_it_away_once_at_most)
{
    unsigned changed = 0;

    for (uint64_t seed = 0; seed < 200; seed++) {
        struct decide *d = open_with(DECIDE_PCT, seed, 2, 64);
        uint64_t bits = picks(d, 64);

        ck_assert_uint_le((unsigned)__builtin_popcountll(bits ^ bits >> 1) - (bits >> 63), 1);
        changed += bits != 0 && bits != UINT64_MAX;
        decide_free(d);
    }
    ck_assert_uint_gt(changed, 150); /* all but those whose change is at the first step */
}
END_TEST

/* The bug: agent 0 runs for exactly 5 of 16 steps, then agent 1. */
START_TEST(pct_finds_a_bug_of_depth_2_as_often_as_the_theorem_says)
{
    unsigned found = 0, seeds = 4000;

    for (uint64_t seed = 0; seed < seeds; seed++) {
        struct decide *d = open_with(DECIDE_PCT, seed, 2, 16);

        found += picks(d, 16) == 0xffe0;
        decide_free(d);
    }
    ck_assert_uint_ge(found,
                      seeds / (2 * 16) * 7 / 10); /* expected 125 at least; 3.3 sigma below */
}
END_TEST

START_TEST(change_points_reach_over_the_whole_length)
{
    bool late = false, early = false;

    for (uint64_t seed = 0; seed < 400; seed++) {
        struct decide *d = open_with(DECIDE_PCT, seed, 2, 60);
        uint64_t bits = picks(d, 60);

        for (unsigned i = 0; i < 59; i++) {
            bool here = (bits >> i & 1) != (bits >> (i + 1) & 1);

            early |= here && i < 5;
            late |= here && i > 50;
        }
        decide_free(d);
    }
    ck_assert(early && late);
}
END_TEST

/* How many picks until the second of two that can always go on has its turn; 0: not in @n. */
static unsigned picks_until_other(struct decide *d, unsigned n, uint32_t *first)
{
    uint32_t current = *first = two[decide_pick(d, two, 2, 0)];

    for (unsigned i = 1; i < n; i++) {
        current = two[decide_pick(d, two, 2, current)];
        if (current != *first) {
            return i;
        }
    }
    return 0;
}

/* Within twice the length it is PCT as in the paper; what never ends does not keep the turn. */
START_TEST(who_never_ends_keeps_the_turn_for_twice_the_length)
{
    const uint64_t length = 10000;

    for (uint64_t seed = 0; seed < 20; seed++) {
        struct decide *d = open_with(DECIDE_PCT, seed, 1, length);
        uint32_t first;
        unsigned n = picks_until_other(d, 4 * (unsigned)length, &first);

        ck_assert_uint_ge(n, 2 * length);
        ck_assert_uint_le(n, 2 * length + 2);
        decide_free(d);
    }
}
END_TEST

/* A run by which the length is measured ends, too, and waits for it much shorter. */
START_TEST(who_never_ends_keeps_the_turn_briefly_when_measured)
{
    struct decide *d = open_with(DECIDE_NONE, 0, 1, 0);
    uint32_t first;
    unsigned n = picks_until_other(d, 4096, &first);

    ck_assert_uint_gt(n, 1000);
    ck_assert_uint_lt(n, 1100);
    decide_free(d);
}
END_TEST

/* Two that wake each other in turn keep the third from going on no less. */
START_TEST(who_never_ends_may_be_two)
{
    static const uint32_t ready[2][2] = { { 0, 1 }, { 0, 2 } };

    for (uint64_t seed = 0; seed < 20; seed++) {
        struct decide *d = open_with(DECIDE_PCT, seed, 1, 1000);
        uint32_t current = 1;
        unsigned n = 0;

        while (current != 0 && n < 10000) {
            current = ready[n % 2][decide_pick(d, ready[n % 2], 2, current)];
            n++;
        }
        ck_assert_uint_lt(n, 4200); /* twice the length, at least 4096 */
        decide_free(d);
    }
}
END_TEST

START_TEST(random_takes_each_evenly)
{
    struct decide *d = open_with(DECIDE_RANDOM, 1, 2, 0);
    unsigned count[3] = { 0 };

    for (unsigned i = 0; i < 30000; i++) {
        count[decide_pick(d, three, 3, 0)]++;
    }
    for (unsigned i = 0; i < 3; i++) { /* 10000 +- 6 sigma of 82 */
        ck_assert_uint_ge(count[i], 9500);
        ck_assert_uint_le(count[i], 10500);
    }
    decide_free(d);
}
END_TEST

START_TEST(the_default_lets_the_one_that_runs_go_on)
{
    struct decide *d = open_with(DECIDE_NONE, 1, 2, 0);
    static const uint32_t others[] = { 1, DECIDE_CHANNEL };

    ck_assert_uint_eq(decide_pick(d, three, 3, 2), 2);
    ck_assert_uint_eq(decide_pick(d, three, 3, 0), 0);
    ck_assert_uint_eq(decide_pick(d, others, 2, 7), 0); /* it waits: a thread before a channel */
    ck_assert_uint_eq(decide_evict(d, DECIDE_L2), 0);
    decide_free(d);
}
END_TEST

START_TEST(who_only_waits_lets_all_others_go_first)
{
    for (int strategy = DECIDE_PCT; strategy <= DECIDE_NONE; strategy += 2) {
        struct decide *d = open_with((enum decide_strategy)strategy, 3, 1, 0);
        unsigned seen = 0;
        uint32_t current = 0;

        for (unsigned i = 0; i < 3; i++) {
            current = three[decide_pick(d, three, 3, current)];
            seen |= 1u << current;
            decide_demote(d, current);
        }
        ck_assert_uint_eq(seen, 7);
        decide_free(d);
    }
}
END_TEST

START_TEST(the_same_seed_gives_the_same_answers)
{
    struct decide *a = open_with(DECIDE_RANDOM, 9, 2, 0), *b = open_with(DECIDE_RANDOM, 9, 2, 0);
    struct decide *c = open_with(DECIDE_RANDOM, 10, 2, 0);

    ck_assert_uint_eq(picks(a, 64), picks(b, 64));
    ck_assert_uint_ne(picks(a, 64), picks(c, 64));
    decide_free(a);
    decide_free(b);
    decide_free(c);
}
END_TEST

START_TEST(evictions_do_not_change_who_runs)
{
    struct decide *a = open_with(DECIDE_RANDOM, 4, 2, 0), *b = open_with(DECIDE_RANDOM, 4, 2, 0);
    unsigned lost = 0;

    for (unsigned i = 0; i < 400; i++) {
        lost += decide_evict(a, DECIDE_CPU_CACHE) != 0;
    }
    ck_assert_uint_gt(lost, 60); /* one in four */
    ck_assert_uint_lt(lost, 140);
    ck_assert_uint_eq(picks(a, 64), picks(b, 64));
    decide_free(a);
    decide_free(b);
}
END_TEST

/* What a run recorded, as text. */
static char *recorded(enum decide_strategy strategy, uint64_t *bits, uint64_t *lost)
{
    char name[] = "/tmp/vtegra-test-XXXXXX", *text = calloc(1, 65536);
    int fd = mkstemp(name);
    struct decide *d = open_with(strategy, 21, 3, 64);

    ck_assert_int_ge(fd, 0);
    decide_record(d, fd);
    *bits = picks(d, 64);
    *lost = 0;
    for (unsigned i = 0; i < 64; i++) {
        *lost ^= decide_evict(d, i % 2 ? DECIDE_L2 : DECIDE_CPU_CACHE) * (i + 1);
    }
    decide_free(d);
    ck_assert_int_gt(pread(fd, text, 65535, 0), 0);
    close(fd);
    unlink(name);
    return text;
}

START_TEST(a_schedule_replays_what_was_recorded)
{
    for (int strategy = DECIDE_PCT; strategy <= DECIDE_RANDOM; strategy++) {
        uint64_t bits, lost, again = 0;
        char *text = recorded((enum decide_strategy)strategy, &bits, &lost);
        struct decide *d = open_with(DECIDE_PCT, 99, 2, 0);
        unsigned line;

        ck_assert(decide_replay(d, text, &line));
        ck_assert_uint_eq(picks(d, 64), bits);
        for (unsigned i = 0; i < 64; i++) {
            again ^= decide_evict(d, i % 2 ? DECIDE_L2 : DECIDE_CPU_CACHE) * (i + 1);
        }
        ck_assert_uint_eq(again, lost);
        ck_assert_uint_eq(decide_strayed(d), 0);
        decide_free(d);
        free(text);
    }
}
END_TEST

START_TEST(a_decision_that_cannot_be_made_is_counted)
{
    struct decide *d = open_with(DECIDE_NONE, 0, 1, 0);
    unsigned line;

    ck_assert(decide_replay(d, "switch 1 cpu7\n", &line));
    ck_assert_uint_eq(decide_pick(d, two, 2, 1), 1);
    ck_assert_uint_eq(decide_strayed(d), 1);
    decide_free(d);
}
END_TEST

static const struct {
    const char *text;
    unsigned line;
} damaged[] = {
    { "switch\n", 1 },
    { "switch 1\n", 1 },
    { "switch x cpu0\n", 1 },
    { "switch 1 cpu\n", 1 },
    { "switch 1 gpu0\n", 1 },
    { "switch 1 cpu70000\n", 1 }, /* channels begin at 65536 */
    { "switch 1 cpu99999999999999999999\n", 1 },
    { "switch 1 cpu0 more\n", 1 },
    { "switch 1 cpu0x\n", 1 },
    { "switch 2 cpu0\nswitch 2 cpu1\n", 2 },
    { "switch 2 cpu0\nswitch 1 cpu1\n", 2 },
    { "other\nevict 1 cpu 0\n", 2 },
    { "evict 1 l3 5\n", 1 },
    { "evict 1 l2\n", 1 },
    { "evict 1 l2 5 6\n", 1 },
    { "order\n", 1 },
    { "order 1 0\n", 1 },
    { "order 1 4294967296\n", 1 },
    { "order 1 2 3\n", 1 },
    { "order 2 1\norder 2 1\n", 2 },
};

START_TEST(a_damaged_schedule_is_refused_by_line)
{
    struct decide *d = open_with(DECIDE_NONE, 0, 1, 0);
    unsigned line = 0;

    ck_assert(!decide_replay(d, damaged[_i].text, &line));
    ck_assert_uint_eq(line, damaged[_i].line);
    decide_free(d);
}
END_TEST

START_TEST(names_of_agents_are_read_back)
{
    static const uint32_t agents[] = { 0, 65535, DECIDE_CHANNEL, DECIDE_CHANNEL + 511,
                                       DECIDE_QUEUE + 3 };
    static const char *const names[] = { "cpu0", "cpu65535", "channel0", "channel511", "queue3" };
    char name[24];
    uint32_t agent;

    for (unsigned i = 0; i < 5; i++) {
        ck_assert_str_eq(decide_agent_name(agents[i], name, sizeof(name)), names[i]);
        ck_assert(decide_agent_parse(name, &agent));
        ck_assert_uint_eq(agent, agents[i]);
    }
}
END_TEST

START_TEST(switches_are_counted_only_where_the_turn_is_taken_away)
{
    struct decide *d = open_with(DECIDE_NONE, 0, 1, 0);
    unsigned line;

    ck_assert(decide_replay(d, "switch 2 cpu1\n", &line));
    decide_pick(d, two, 2, 0); /* goes on */
    decide_pick(d, two, 2, 0); /* taken away */
    decide_pick(d, two, 1, 1); /* it waits: no switch */
    ck_assert_uint_eq(decide_counts(d).steps, 3);
    ck_assert_uint_eq(decide_counts(d).switches, 1);
    decide_free(d);
}
END_TEST

/* Each order of priorities is as likely: of six, a sixth. */
START_TEST(pct_draws_every_order_evenly)
{
    unsigned count[3][3] = { 0 }, seeds = 6000;

    for (uint64_t seed = 0; seed < seeds; seed++) {
        struct decide *d = open_with(DECIDE_PCT, seed, 1, 64);
        unsigned first = decide_pick(d, three, 3, 0), second;

        decide_demote(d, three[first]);
        second = decide_pick(d, three, 3, three[first]);
        count[first][second]++;
        decide_free(d);
    }
    for (unsigned i = 0; i < 9; i++) { /* 1000 +- 6 sigma of 29 */
        if (i / 3 != i % 3) {
            ck_assert_uint_ge(count[i / 3][i % 3], 825);
            ck_assert_uint_le(count[i / 3][i % 3], 1175);
        }
    }
}
END_TEST

/* The step from 1 at which the turn first goes to the other, 0: it does not within @n. */
static unsigned change_at(struct decide *d, unsigned n)
{
    uint32_t first;
    unsigned picked = picks_until_other(d, n, &first);

    return picked ? picked + 1 : 0;
}

START_TEST(each_step_of_the_length_is_as_likely_to_change)
{
    unsigned count[9] = { 0 }, seeds = 4000;

    for (uint64_t seed = 0; seed < seeds; seed++) {
        struct decide *d = open_with(DECIDE_PCT, seed, 2, 4);

        count[change_at(d, 8)]++;
        decide_free(d);
    }
    for (unsigned step = 2; step <= 4; step++) { /* 1000 +- 6 sigma of 27 */
        ck_assert_uint_ge(count[step], 835);
        ck_assert_uint_le(count[step], 1165);
    }
    for (unsigned step = 5; step <= 8; step++) {
        ck_assert_uint_eq(count[step], 0);
    }
}
END_TEST

/* One of 18 lengths, 2^3 to 2^20: a change within 64 steps in 4.98 of 18 runs, within 8 in 1.99. */
START_TEST(of_an_unknown_length_every_magnitude_is_tried)
{
    unsigned within_8 = 0, within_64 = 0, seeds = 4000;

    for (uint64_t seed = 0; seed < seeds; seed++) {
        struct decide *d = open_with(DECIDE_PCT, seed, 2, 0);
        unsigned step = change_at(d, 64);

        within_8 += step && step <= 8;
        within_64 += step != 0;
        decide_free(d);
    }
    /* less those at the first step, which change nothing; 6 sigma of 30 */
    ck_assert_uint_ge(within_64, seeds / 18 * 498 / 100 - seeds / 9 - 180);
    ck_assert_uint_le(within_64, seeds / 18 * 498 / 100 + 180);
    ck_assert_uint_le(within_8, seeds / 9 + 130);
}
END_TEST

/* Of two change points the one drawn first leaves the higher priority, whenever it comes: who falls
 * second goes on in half of the runs, whichever agent that is. */
START_TEST(who_falls_second_goes_on_in_half_of_the_runs)
{
    unsigned back[2] = { 0 }, all[2] = { 0 };

    for (uint64_t seed = 0; seed < 2000; seed++) {
        struct decide *d = open_with(DECIDE_PCT, seed, 3, 64);
        uint64_t bits = picks(d, 64);
        unsigned switches = (unsigned)__builtin_popcountll((bits ^ bits >> 1) & UINT64_MAX >> 1);

        ck_assert_uint_le(switches, 2);
        all[bits & 1] += switches > 0;
        back[bits & 1] += switches == 2;
        decide_free(d);
    }
    for (unsigned first = 0; first < 2; first++) {
        ck_assert_uint_gt(back[first], all[first] * 4 / 10);
        ck_assert_uint_lt(back[first], all[first] * 6 / 10);
    }
}
END_TEST

START_TEST(who_only_waits_falls_below_a_change_point)
{
    for (uint64_t seed = 0; seed < 20; seed++) {
        struct decide *d = open_with(DECIDE_PCT, seed, 2, 64);
        uint32_t first, other;

        if (picks_until_other(d, 64, &first)) {
            other = 1 - first;
            decide_demote(d, other);
            ck_assert_uint_eq(two[decide_pick(d, two, 2, other)], first);
        }
        decide_free(d);
    }
}
END_TEST

START_TEST(who_only_waits_goes_round)
{
    for (int strategy = DECIDE_PCT; strategy <= DECIDE_NONE; strategy += 2) {
        struct decide *d = open_with((enum decide_strategy)strategy, 5, 1, 0);
        uint32_t order[9], current = 0;

        for (unsigned i = 0; i < 9; i++) {
            order[i] = current = three[decide_pick(d, three, 3, current)];
            ck_assert(i < 3 || order[i] == order[i - 3]);
            decide_demote(d, current);
        }
        decide_free(d);
    }
}
END_TEST

START_TEST(who_has_waited_too_long_keeps_the_turn_as_long)
{
    const uint64_t length = 10000;
    struct decide *d = open_with(DECIDE_PCT, 1, 1, length);
    uint32_t first, second;

    ck_assert_uint_gt(picks_until_other(d, 4 * (unsigned)length, &first), 0);
    second = 1 - first;
    for (unsigned i = 0; i + 1 < 2 * length; i++) {
        ck_assert_uint_eq(two[decide_pick(d, two, 2, second)], second);
    }
    decide_free(d);
}
END_TEST

/* Who slept has not waited for its turn. */
START_TEST(who_wakes_up_has_not_waited)
{
    for (uint64_t seed = 0; seed < 20; seed++) {
        struct decide *d = open_with(DECIDE_PCT, seed, 1, 1000);
        uint32_t first = two[decide_pick(d, two, 2, 0)];

        for (unsigned i = 0; i < 10000; i++) {
            decide_pick(d, &first, 1, first);
        }
        ck_assert_uint_eq(two[decide_pick(d, two, 2, first)], first);
        decide_free(d);
    }
}
END_TEST

START_TEST(a_replay_is_no_run_that_measures)
{
    struct decide *d = open_with(DECIDE_NONE, 0, 1, 0);
    uint32_t first;
    unsigned line;

    ck_assert(decide_replay(d, "", &line));
    ck_assert_uint_eq(picks_until_other(d, 4096, &first), 0);
    decide_free(d);
}
END_TEST

START_TEST(any_depth_is_taken)
{
    static const unsigned depths[] = { 0, DECIDE_DEPTH_MAX, DECIDE_DEPTH_MAX + 1, 1000000 };

    for (unsigned i = 0; i < 4; i++) {
        struct decide *d = open_with(DECIDE_PCT, 1, depths[i], 64);
        uint64_t bits = picks(d, 64);

        ck_assert(depths[i] || bits == 0 || bits == UINT64_MAX);
        decide_free(d);
    }
}
END_TEST

START_TEST(no_line_is_lost_where_none_may_be)
{
    struct decide *d = decide_new(&(struct decide_config){ .strategy = DECIDE_PCT, .depth = 2 });

    for (unsigned i = 0; i < 400; i++) {
        ck_assert_uint_eq(decide_evict(d, DECIDE_L2), 0);
    }
    decide_free(d);
}
END_TEST

/* A record with a hole would replay as another run. */
START_TEST(a_record_that_failed_once_is_not_gone_on_with)
{
    static char full[65536];
    struct decide *d = open_with(DECIDE_NONE, 0, 1, 0);
    unsigned line;
    int fds[2];

    ck_assert_int_eq(pipe2(fds, O_NONBLOCK), 0);
    decide_record(d, fds[1]);
    while (write(fds[1], full, sizeof(full)) > 0) {
    }
    while (write(fds[1], full, 1) > 0) {
    }
    ck_assert(decide_replay(d, "switch 1 cpu1\nswitch 2 cpu1\n", &line));
    decide_pick(d, two, 2, 0); /* no room */
    while (read(fds[0], full, sizeof(full)) > 0) {
    }
    decide_pick(d, two, 2, 0);
    ck_assert_int_lt(read(fds[0], full, sizeof(full)), 0);
    close(fds[0]);
    close(fds[1]);
    decide_free(d);
}
END_TEST

START_TEST(each_cache_has_questions_of_its_own)
{
    struct decide *d = open_with(DECIDE_NONE, 0, 1, 0);
    unsigned line;

    ck_assert(decide_replay(d, "evict 2 l2 5\n", &line));
    ck_assert_uint_eq(decide_evict(d, DECIDE_CPU_CACHE), 0);
    ck_assert_uint_eq(decide_evict(d, DECIDE_CPU_CACHE), 0);
    ck_assert_uint_eq(decide_evict(d, DECIDE_L2), 0);
    ck_assert_uint_eq(decide_evict(d, DECIDE_L2), 5);
    decide_free(d);
}
END_TEST

/* Each launch is asked about once; an order more or less does not change who runs. */
START_TEST(orders_of_blocks_are_replayed)
{
    struct decide *a = open_with(DECIDE_RANDOM, 4, 2, 0), *b = open_with(DECIDE_RANDOM, 4, 2, 0);
    struct decide *d = open_with(DECIDE_NONE, 0, 1, 0);
    unsigned line, others = 0;

    for (unsigned i = 0; i < 400; i++) {
        others += decide_order(a) != 0;
    }
    ck_assert_uint_gt(others, 140); /* every second one */
    ck_assert_uint_lt(others, 260);
    ck_assert_uint_eq(picks(a, 64), picks(b, 64));
    ck_assert(decide_replay(d, "order 2 5\norder 4 4294967295\n", &line));
    ck_assert_uint_eq(decide_order(d), 0);
    ck_assert_uint_eq(decide_order(d), 5);
    ck_assert_uint_eq(decide_order(d), 0);
    ck_assert_uint_eq(decide_order(d), UINT32_MAX);
    ck_assert_uint_eq(decide_order(d), 0);
    decide_free(a);
    decide_free(b);
    decide_free(d);
}
END_TEST

START_TEST(what_was_counted_is_shared)
{
    struct decide *d = open_with(DECIDE_NONE, 0, 1, 0);
    struct decide_counts shared = { .steps = 77 };

    decide_pick(d, two, 2, 0);
    decide_count_in(d, &shared);
    decide_pick(d, two, 2, 0);
    ck_assert_uint_eq(shared.steps, 2);
    ck_assert_uint_eq(decide_counts(d).steps, 2);
    decide_free(d);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("sched");
    TCase *t = tcase_create("decide");
    SRunner *r = srunner_create(s);
    int failed;

    tcase_set_timeout(t, 60);
    tcase_add_test(t, depth_1_never_takes_the_turn_away);
    tcase_add_test(t, depth_2_takes_it_away_once_at_most);
    tcase_add_test(t, pct_finds_a_bug_of_depth_2_as_often_as_the_theorem_says);
    tcase_add_test(t, change_points_reach_over_the_whole_length);
    tcase_add_test(t, who_never_ends_keeps_the_turn_for_twice_the_length);
    tcase_add_test(t, who_never_ends_keeps_the_turn_briefly_when_measured);
    tcase_add_test(t, who_never_ends_may_be_two);
    tcase_add_test(t, random_takes_each_evenly);
    tcase_add_test(t, the_default_lets_the_one_that_runs_go_on);
    tcase_add_test(t, who_only_waits_lets_all_others_go_first);
    tcase_add_test(t, the_same_seed_gives_the_same_answers);
    tcase_add_test(t, evictions_do_not_change_who_runs);
    tcase_add_test(t, orders_of_blocks_are_replayed);
    tcase_add_test(t, a_schedule_replays_what_was_recorded);
    tcase_add_test(t, a_decision_that_cannot_be_made_is_counted);
    tcase_add_loop_test(t, a_damaged_schedule_is_refused_by_line, 0,
                        sizeof(damaged) / sizeof(damaged[0]));
    tcase_add_test(t, names_of_agents_are_read_back);
    tcase_add_test(t, switches_are_counted_only_where_the_turn_is_taken_away);
    tcase_add_test(t, pct_draws_every_order_evenly);
    tcase_add_test(t, each_step_of_the_length_is_as_likely_to_change);
    tcase_add_test(t, of_an_unknown_length_every_magnitude_is_tried);
    tcase_add_test(t, who_falls_second_goes_on_in_half_of_the_runs);
    tcase_add_test(t, who_only_waits_falls_below_a_change_point);
    tcase_add_test(t, who_only_waits_goes_round);
    tcase_add_test(t, who_has_waited_too_long_keeps_the_turn_as_long);
    tcase_add_test(t, who_wakes_up_has_not_waited);
    tcase_add_test(t, a_replay_is_no_run_that_measures);
    tcase_add_test(t, any_depth_is_taken);
    tcase_add_test(t, no_line_is_lost_where_none_may_be);
    tcase_add_test(t, a_record_that_failed_once_is_not_gone_on_with);
    tcase_add_test(t, each_cache_has_questions_of_its_own);
    tcase_add_test(t, what_was_counted_is_shared);
    suite_add_tcase(s, t);
    srunner_run_all(r, CK_NORMAL);
    failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed ? 1 : 0;
}
