/* SPDX-License-Identifier: MIT */
/* The happens-before checker on records made by hand: stale bytes and lost updates. Expected
 * verdicts follow from the definitions: who holds which bytes is ARCHITECTURE, "Memory". */
#include "tests/hb_rig.h"

/* --- stale bytes ------------------------------------------------------------------------------ */

/* The kernel has stored bytes 0..63 of the buffer into the L2, and the CPU has waited for it. */
static void kernel_ran(uint32_t id)
{
    submit(0);
    take(0);
    gpu_store(0, id, 0, ALL);
    done(0, 5);
    wait_for(0, 5, value[5]);
}

static void l2_writeback(uint32_t id)
{
    cache(TRACE_EVENT_L2_WRITEBACK, id, 0, ALL, 0);
}

START_TEST(bytes_in_the_l2_are_not_seen_by_the_cpu)
{
    kernel_ran(MANAGED);
    cache(TRACE_EVENT_CPU_FILL, MANAGED, 0, 0, 0);
    load(MANAGED, 4, 4);
    expect(HB_STALE_CLEAN_L2, 4, 4);
    ck_assert(!found[0].first.cpu && found[0].second.cpu);
}
END_TEST

START_TEST(a_cleaned_l2_lets_the_cpu_see)
{
    kernel_ran(MANAGED);
    l2_writeback(MANAGED);
    cache(TRACE_EVENT_CPU_FILL, MANAGED, 0, 0, 0);
    load(MANAGED, 4, 4);
    EXPECT_NONE();
}
END_TEST

START_TEST(an_old_line_in_the_cpus_cache_is_stale)
{
    cache(TRACE_EVENT_CPU_FILL, MANAGED, 0, 0, 0);
    load(MANAGED, 4, 4);
    kernel_ran(MANAGED);
    l2_writeback(MANAGED);
    load(MANAGED, 4, 4);
    expect(HB_STALE_INVALIDATE_CPU, 4, 4);
}
END_TEST

START_TEST(an_invalidated_line_is_fetched_again)
{
    cache(TRACE_EVENT_CPU_FILL, MANAGED, 0, 0, 0);
    load(MANAGED, 4, 4);
    kernel_ran(MANAGED);
    l2_writeback(MANAGED);
    cache(TRACE_EVENT_CPU_DROP, MANAGED, 0, 0, 0);
    cache(TRACE_EVENT_CPU_FILL, MANAGED, 0, 0, 0);
    load(MANAGED, 4, 4);
    EXPECT_NONE();
}
END_TEST

/* What the kernel of the next launch reads: in the L2 from the last one, filled anew, or at the
 * port. */
static void next_launch(uint32_t id, bool fill)
{
    submit(0);
    take(0);
    if (fill) {
        cache(TRACE_EVENT_L2_FILL, id, 0, 0xf, 0);
    }
    gpu_load(0, id, 0, 0xf);
}

START_TEST(old_bytes_in_the_l2_are_stale)
{
    kernel_ran(MANAGED);
    l2_writeback(MANAGED);
    cache(TRACE_EVENT_CPU_FILL, MANAGED, 0, 0, 0);
    store(MANAGED, 0, 4);
    next_launch(MANAGED, false);
    expect(HB_STALE_INVALIDATE_L2, 0, 4);
}
END_TEST

START_TEST(an_invalidated_l2_looks_into_the_cpus_caches_where_they_are_coherent)
{
    kernel_ran(MANAGED);
    l2_writeback(MANAGED);
    cache(TRACE_EVENT_CPU_FILL, MANAGED, 0, 0, 0);
    store(MANAGED, 0, 4);
    send(record(TRACE_EVENT_L2_INVALIDATE, BUS_AGENT_HOST, 0, 0, 0));
    next_launch(MANAGED, true);
    EXPECT_NONE();
}
END_TEST

START_TEST(an_uncleaned_line_is_not_seen_by_an_engine_that_does_not_snoop)
{
    cache(TRACE_EVENT_CPU_FILL, MANAGED, 0, 0, 0);
    store(MANAGED, 0, 4);
    next_launch(MANAGED, true);
    expect(HB_STALE_CLEAN_CPU, 0, 4);
}
END_TEST

START_TEST(a_cleaned_line_is_seen_by_an_engine_that_does_not_snoop)
{
    cache(TRACE_EVENT_CPU_FILL, MANAGED, 0, 0, 0);
    store(MANAGED, 0, 4);
    cache(TRACE_EVENT_CPU_WRITEBACK, MANAGED, 0, 0, 0);
    next_launch(MANAGED, true);
    EXPECT_NONE();
}
END_TEST

START_TEST(an_eviction_is_as_good_as_a_clean)
{
    cache(TRACE_EVENT_CPU_FILL, MANAGED, 0, 0, 0);
    store(MANAGED, 0, 4);
    cache(TRACE_EVENT_CPU_EVICT, MANAGED, 0, 1, 0);
    next_launch(MANAGED, true);
    EXPECT_NONE();
}
END_TEST

START_TEST(stores_found_by_comparison_are_the_newest)
{
    cache(TRACE_EVENT_CPU_FOUND, MANAGED, 0, 0xff, 0);
    cache(TRACE_EVENT_CPU_WRITEBACK, MANAGED, 0, 0, 0);
    next_launch(MANAGED, true);
    EXPECT_NONE();
}
END_TEST

START_TEST(unordered_bytes_are_a_race_and_not_stale)
{
    submit(0);
    take(0);
    gpu_store(0, MANAGED, 0, ALL);
    cache(TRACE_EVENT_CPU_FILL, MANAGED, 0, 0, 0);
    load(MANAGED, 4, 4);
    expect(HB_RACE, 4, 4);
}
END_TEST

START_TEST(nothing_is_stale_where_the_cpu_sees_the_l2)
{
    kernel_ran(MANAGED);
    load(MANAGED, 4, 4);
    EXPECT_NONE();
    submit(0);
    store(MANAGED, 0, 4);
    take(0);
    gpu_load(0, MANAGED, 0, 0xf);
    expect(HB_RACE, 0, 4); /* but races are */
}
END_TEST

START_TEST(uncached_memory_has_one_version)
{
    store(PINNED, 0, 4);
    next_launch(PINNED, false);
    gpu_store(0, PINNED, 0, 0xf);
    done(0, 5);
    wait_for(0, 5, 1);
    load(PINNED, 0, 4);
    EXPECT_NONE();
}
END_TEST

/* --- lost updates ----------------------------------------------------------------------------- */

/* The CPU keeps a dirty line in which an engine stores a byte of DRAM. */
static void false_sharing(void)
{
    cache(TRACE_EVENT_CPU_FILL, MANAGED, 0, 0, 0);
    store(MANAGED, 0, 4);
    submit(0);
    take(0);
    gpu_store(0, MANAGED, 0, 0xf00000);
    cache(TRACE_EVENT_L2_WRITEBACK, MANAGED, 0, 0xf00000, 0);
}

START_TEST(a_write_back_of_the_whole_line_loses_the_neighbours)
{
    false_sharing();
    EXPECT_NONE();
    cache(TRACE_EVENT_CPU_EVICT, MANAGED, 0, 1, 0);
    expect(HB_LOST_CPU, 20, 4);
    ck_assert(!found[0].first.cpu && found[0].second.cpu);
    ck_assert_uint_eq(found[0].second.pc, 0x2000);
}
END_TEST

START_TEST(stores_that_nobody_reported_lose_the_neighbours_too)
{
    cache(TRACE_EVENT_CPU_FOUND, MANAGED, 0, 0xff, 0);
    submit(0);
    take(0);
    gpu_store(0, MANAGED, 0, 0xf00000);
    cache(TRACE_EVENT_L2_WRITEBACK, MANAGED, 0, 0xf00000, 0);
    cache(TRACE_EVENT_CPU_EVICT, MANAGED, 0, 1, 0);
    expect(HB_LOST_CPU, 20, 4);
}
END_TEST

START_TEST(a_snooped_line_is_written_back_before_the_engines_bytes)
{
    cache(TRACE_EVENT_CPU_FILL, PINNED, 0, 0, 0);
    store(PINNED, 0, 4);
    submit(0);
    take(0);
    cache(TRACE_EVENT_CPU_SNOOP, PINNED, 0, 1, 1);
    gpu_store(0, PINNED, 0, 0xf00000);
    done(0, 5);
    wait_for(0, 5, 1);
    cache(TRACE_EVENT_CPU_FILL, PINNED, 0, 0, 0);
    load(PINNED, 0, 64);
    EXPECT_NONE();
}
END_TEST

START_TEST(old_dirty_bytes_of_the_l2_lose_newer_ones)
{
    kernel_ran(MANAGED);
    cache(TRACE_EVENT_CPU_FILL, MANAGED, 0, 0, 0);
    store(MANAGED, 0, 4);
    cache(TRACE_EVENT_CPU_EVICT, MANAGED, 0, 1, 0);
    n_found = 0; /* the other 60 bytes of the evicted line were old, too: not what this is about */
    l2_writeback(MANAGED);
    ck_assert_uint_eq(n_found, 1);
    ck_assert_int_eq(found[0].rule, HB_LOST_L2);
    ck_assert_uint_eq(found[0].offset, 0);
    ck_assert_uint_eq(found[0].size, 4);
}
END_TEST

START_TEST(an_evicted_line_of_the_l2_is_filled_again)
{
    kernel_ran(MANAGED);
    cache(TRACE_EVENT_L2_EVICT, MANAGED, 0, 64, 0); /* told before its write-back */
    l2_writeback(MANAGED);
    cache(TRACE_EVENT_CPU_FILL, MANAGED, 0, 0, 0);
    load(MANAGED, 32, 4);
    store(MANAGED, 0, 4);
    next_launch(MANAGED, true);
    EXPECT_NONE();
}
END_TEST

/* --- an engine that does not snoop on a SoC whose other engines do (Xavier's VIC) --------------
 */

static void vic_past_the_caches(void)
{
    char header[80];

    snprintf(header, sizeof(header), "@run soc=xavier io_coherent=1 past_caches=%u",
             1u << BUS_AGENT_VIC);
    open_board(header);
    regions(true);
}

/* Submitted to queue 1 of that engine or another, which reads or writes the line. */
static void engine_ran(uint32_t agent, enum trace_event event)
{
    struct trace_record t = record(event, agent, VA + MANAGED * PAGE, ALL, 0);

    submit(1);
    take(1);
    t.region = MANAGED;
    t.channel = 2;
    t.arg[5] = PA + MANAGED * PAGE;
    send(t);
    done(1, 6);
    wait_for(0, 6, value[6]);
}

START_TEST(only_the_engine_that_does_not_snoop_misses_a_dirty_line)
{
    cache(TRACE_EVENT_CPU_FILL, MANAGED, 0, 0, 0);
    store(MANAGED, 0, 4);
    engine_ran(BUS_AGENT_DLA, TRACE_EVENT_DLA_LOAD);
    EXPECT_NONE();
    engine_ran(BUS_AGENT_VIC, TRACE_EVENT_DLA_LOAD);
    expect(HB_STALE_CLEAN_CPU, 0, 4);
}
END_TEST

START_TEST(after_a_clean_it_misses_nothing)
{
    cache(TRACE_EVENT_CPU_FILL, MANAGED, 0, 0, 0);
    store(MANAGED, 0, 4);
    cache(TRACE_EVENT_CPU_WRITEBACK, MANAGED, 0, 0, 0);
    engine_ran(BUS_AGENT_VIC, TRACE_EVENT_DLA_LOAD);
    EXPECT_NONE();
}
END_TEST

START_TEST(a_line_that_the_cpu_holds_is_old_after_its_store)
{
    cache(TRACE_EVENT_CPU_FILL, MANAGED, 0, 0, 0);
    load(MANAGED, 0, 4);
    engine_ran(BUS_AGENT_VIC, TRACE_EVENT_DLA_STORE);
    load(MANAGED, 0, 4);
    expect(HB_STALE_INVALIDATE_CPU, 0, 4);
}
END_TEST

int main(void)
{
    const hb_test coherent_tests[] = {
        bytes_in_the_l2_are_not_seen_by_the_cpu,
        a_cleaned_l2_lets_the_cpu_see,
        old_bytes_in_the_l2_are_stale,
        an_invalidated_l2_looks_into_the_cpus_caches_where_they_are_coherent,
        unordered_bytes_are_a_race_and_not_stale,
        a_snooped_line_is_written_back_before_the_engines_bytes,
        an_evicted_line_of_the_l2_is_filled_again,
    };
    const hb_test not_coherent_tests[] = {
        an_old_line_in_the_cpus_cache_is_stale,
        an_invalidated_line_is_fetched_again,
        an_uncleaned_line_is_not_seen_by_an_engine_that_does_not_snoop,
        a_cleaned_line_is_seen_by_an_engine_that_does_not_snoop,
        an_eviction_is_as_good_as_a_clean,
        stores_found_by_comparison_are_the_newest,
        uncached_memory_has_one_version,
        a_write_back_of_the_whole_line_loses_the_neighbours,
        stores_that_nobody_reported_lose_the_neighbours_too,
        old_dirty_bytes_of_the_l2_lose_newer_ones,
    };
    const hb_test past_the_caches_tests[] = {
        only_the_engine_that_does_not_snoop_misses_a_dirty_line,
        after_a_clean_it_misses_nothing,
        a_line_that_the_cpu_holds_is_old_after_its_store,
    };
    const hb_test thor_tests[] = {
        nothing_is_stale_where_the_cpu_sees_the_l2,
    };
    Suite *s = suite_create("hb_stale");

    HB_CASE(s, "coherent", coherent, coherent_tests);
    HB_CASE(s, "not coherent", not_coherent, not_coherent_tests);
    HB_CASE(s, "past the caches", vic_past_the_caches, past_the_caches_tests);
    HB_CASE(s, "thor", thor, thor_tests);
    return hb_suite_run(s);
}
