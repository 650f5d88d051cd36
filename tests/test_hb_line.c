/* SPDX-License-Identifier: MIT */
/* The happens-before checker on records made by hand: what is remembered of the accesses to one
 * line, and of its bytes in caches. Expected verdicts follow from the definitions: two accesses to
 * a byte race that nothing orders; a byte has one last store. */
#include "tests/hb_rig.h"

static void cpu_store(uint32_t thread, uint64_t at, uintptr_t pc)
{
    cpu(thread, TRACE_EVENT_CPU_STORE, PINNED, at, 4, false, pc);
}

static void cpu_load(uint32_t thread, uint64_t at, uintptr_t pc)
{
    cpu(thread, TRACE_EVENT_CPU_LOAD, PINNED, at, 4, false, pc);
}

static void lock_from_to(uint32_t from, uint32_t to)
{
    static uint64_t object = 100;

    handover(TRACE_EVENT_CPU_RELEASE, from, ++object);
    handover(TRACE_EVENT_CPU_ACQUIRE, to, object);
}

static bool found_pcs(uintptr_t first, uintptr_t second)
{
    for (unsigned i = 0; i < n_found; i++) {
        if (found[i].first.pc == first && found[i].second.pc == second) {
            return true;
        }
    }
    return false;
}

/* --- accesses of a line ------------------------------------------------------------------------
 */

START_TEST(two_places_are_two_accesses)
{
    cpu_load(1, 0, 0x10);
    cpu_load(1, 4, 0x20);
    cpu(2, TRACE_EVENT_CPU_STORE, PINNED, 0, 8, false, 0x30);
    ck_assert_uint_eq(n_found, 2);
    ck_assert(found_pcs(0x10, 0x30) && found_pcs(0x20, 0x30));
}
END_TEST

START_TEST(two_threads_are_two)
{
    cpu_load(1, 0, 0x10);
    cpu_load(2, 0, 0x10);
    lock_from_to(1, 3);
    cpu_store(3, 0, 0x30); /* behind the first thread's only */
    expect(HB_RACE, 0, 4);
    ck_assert_uint_eq(found[0].first.number, 2);
}
END_TEST

/* What comes after a release is not what came before it. */
START_TEST(two_clocks_are_two)
{
    cpu_store(1, 0, 0x10);
    handover(TRACE_EVENT_CPU_RELEASE, 1, 3);
    cpu_store(1, 4, 0x10);
    handover(TRACE_EVENT_CPU_ACQUIRE, 2, 3);
    cpu(2, TRACE_EVENT_CPU_LOAD, PINNED, 0, 8, false, 0x30);
    expect(HB_RACE, 4, 4);
}
END_TEST

START_TEST(one_place_is_one_access_to_all_its_bytes)
{
    cpu_load(1, 0, 0x10);
    cpu_load(1, 8, 0x10);
    cpu_store(2, 8, 0x30);
    expect(HB_RACE, 8, 4);
}
END_TEST

/* Only the last store of a byte is told, and of the loads before it none. */
START_TEST(a_store_stands_for_what_came_before_it)
{
    cpu_store(1, 0, 0x10);
    cpu_load(1, 0, 0x20);
    lock_from_to(1, 2);
    cpu_store(2, 0, 0x30);
    cpu_store(3, 0, 0x40);
    ck_assert_uint_eq(n_found, 1);
    ck_assert(found_pcs(0x30, 0x40));
}
END_TEST

START_TEST(a_load_stands_for_ordered_loads_before_it)
{
    cpu_load(1, 0, 0x10);
    lock_from_to(1, 2);
    cpu_load(2, 0, 0x20);
    cpu_store(3, 0, 0x40);
    ck_assert_uint_eq(n_found, 1);
    ck_assert(found_pcs(0x20, 0x40));
}
END_TEST

START_TEST(a_load_stands_for_no_other_threads_load)
{
    cpu_load(1, 0, 0x10);
    cpu_load(2, 0, 0x20);
    cpu_store(3, 0, 0x40);
    ck_assert_uint_eq(n_found, 2);
    ck_assert(found_pcs(0x10, 0x40) && found_pcs(0x20, 0x40));
}
END_TEST

START_TEST(an_access_across_lines_is_of_both)
{
    cpu(1, TRACE_EVENT_CPU_STORE, PINNED, 60, 8, false, 0x10);
    cpu_load(2, 64, 0x20);
    expect(HB_RACE, 64, 4);
}
END_TEST

START_TEST(an_engines_access_may_be_of_two_lines)
{
    struct trace_record t =
        record(TRACE_EVENT_GPU_STORE, BUS_AGENT_IGPU, VA + PINNED * PAGE, 0, 0xf);

    t.region = PINNED;
    t.channel = 1;
    t.arg[5] = PA + PINNED * PAGE;
    submit(0);
    take(0);
    send(t);
    cpu_load(0, 64, 0x20);
    expect(HB_RACE, 64, 4);
}
END_TEST

/* --- flags ---------------------------------------------------------------------------------------
 */

static void gpu_atomic(uint32_t channel, uint64_t at, enum bus_scope scope)
{
    struct trace_record t =
        record(TRACE_EVENT_GPU_ATOMIC, BUS_AGENT_IGPU, VA + PINNED * PAGE + at, 4, 0);

    t.region = PINNED;
    t.channel = channel + 1;
    t.arg[3] = scope;
    t.arg[5] = PA + PINNED * PAGE + at;
    send(t);
}

START_TEST(an_atomic_is_of_its_bytes)
{
    submit(0);
    take(0);
    gpu_atomic(0, 8, BUS_SCOPE_SYS);
    cpu_load(0, 0, 0x20);
    cpu_load(0, 16, 0x20);
    EXPECT_NONE();
}
END_TEST

/* PTX ISA, scope: .cta reaches threads of the block alone. */
START_TEST(atomics_of_block_scope_race)
{
    submit(0);
    submit(1);
    take(0);
    take(1);
    gpu_atomic(0, 0, BUS_SCOPE_CTA);
    gpu_atomic(1, 0, BUS_SCOPE_CTA);
    expect(HB_RACE, 0, 4);
}
END_TEST

/* The kernel's flag of device scope is none for the CPU, which accesses it plainly. */
START_TEST(a_flag_of_device_scope_races_with_the_cpu)
{
    submit(0);
    take(0);
    gpu(0, TRACE_EVENT_GPU_STORE, PINNED, 64, 0xf, BUS_SCOPE_GPU, false);
    cpu_load(0, 64, 0x20);
    expect(HB_RACE, 64, 4);
}
END_TEST

/* A kernel that stores plainly to another one's flag made no mistake of the hooks'. */
START_TEST(only_the_cpu_may_forget_to_mark_a_flag)
{
    submit(0);
    submit(1);
    take(0);
    take(1);
    gpu(0, TRACE_EVENT_GPU_STORE, PINNED, 64, 0xf, BUS_SCOPE_SYS, false);
    gpu_store(1, PINNED, 64, 0xf);
    expect(HB_RACE, 64, 4);
}
END_TEST

/* Each release begins a clock, and with it states of lines: those that no line has any more go, and a
 * line that is left alone keeps its own. */
START_TEST(states_go_and_lines_keep_theirs)
{
    unsigned most = 0;

    cpu(1, TRACE_EVENT_CPU_STORE, PINNED, 128, 4, false, 0x10);
    for (unsigned i = 0; i < 70000; i++) {
        cpu(3, TRACE_EVENT_CPU_STORE, MANAGED, 64, 4, true, 0x30);
        most = MAX(most, hb_states(hb));
    }
    ck_assert_uint_gt(most, 8000);
    ck_assert_uint_lt(most, 10000);
    EXPECT_NONE();
    cpu(2, TRACE_EVENT_CPU_LOAD, PINNED, 192, 4, false, 0x20); /* nobody has been there */
    EXPECT_NONE();
    cpu(2, TRACE_EVENT_CPU_LOAD, PINNED, 128, 4, false, 0x20);
    expect(HB_RACE, 128, 4);
}
END_TEST

static void cpu_fills(uint64_t at)
{
    cache(TRACE_EVENT_CPU_FILL, MANAGED, at, 0, 0);
}

/* Its line has gone to memory and left the cache. */
static void cpu_wrote(uint64_t at)
{
    cpu_fills(at);
    store(MANAGED, at, 4);
    cache(TRACE_EVENT_CPU_EVICT, MANAGED, at, 1, 0);
}

/* Those that the lines at 0, 192 and 256 had when a fill was remembered are the ones at 64 and 128
 * afterwards: there the kernel stored beside the cache, and the CPU's line at 128 is old. */
START_TEST(a_fill_is_of_the_state_that_it_was_of)
{
    cpu_wrote(192);
    cpu_fills(192);
    cpu_wrote(256);
    cpu_wrote(0);
    cpu_fills(0);
    cpu_fills(128);
    submit(0);
    take(0);
    gpu(0, TRACE_EVENT_GPU_STORE, MANAGED, 64, ALL, BUS_SCOPE_NONE, false);
    gpu(0, TRACE_EVENT_GPU_STORE, MANAGED, 128, ALL, BUS_SCOPE_NONE, false);
    done(0, 5);
    wait_for(0, 5, 1);
    while (hb_states(hb) < 8150) { /* soon there are too many */
        cpu(3, TRACE_EVENT_CPU_STORE, PINNED, 64, 4, true, 0x30);
    }
    cpu_fills(256);
    while (hb_states(hb) > 5000) {
        cpu(3, TRACE_EVENT_CPU_STORE, PINNED, 64, 4, true, 0x30);
    }
    cpu_fills(64);
    load(MANAGED, 64, 4);
    EXPECT_NONE();
}
END_TEST

START_TEST(flags_of_freed_memory_are_none)
{
    cpu(1, TRACE_EVENT_CPU_STORE, MANAGED, 128, 4, false, 0x10);
    cpu(1, TRACE_EVENT_CPU_STORE, MANAGED, 64, 4, true, 0x10);
    cpu(1, TRACE_EVENT_CPU_STORE, PINNED, 0, 4, false, 0x10);
    cpu(1, TRACE_EVENT_CPU_STORE, PINNED, 64, 4, true, 0x10);
    cache(TRACE_EVENT_REGION_REMOVE, MANAGED, 0, 0, 0);
    cpu(2, TRACE_EVENT_CPU_LOAD, PINNED, 64, 4, true, 0x20); /* this one is still there */
    cpu_load(2, 0, 0x20);
    EXPECT_NONE();
    region(MANAGED, "managed", true);
    cpu(3, TRACE_EVENT_CPU_LOAD, MANAGED, 64, 4, true, 0x30);
    cpu_load(3, 0, 0x30);
    expect(HB_RACE, 0, 4);
}
END_TEST

/* --- order
 * ---------------------------------------------------------------------------------------- */

/* Two channels increment one syncpoint; its second value stands for both. */
START_TEST(a_value_stands_for_all_increments_up_to_it)
{
    submit(0);
    submit(1);
    take(0);
    take(1);
    gpu_store(0, PINNED, 0, 0xf);
    done(0, 5);
    gpu_store(1, PINNED, 64, 0xf);
    done(1, 5);
    wait_for(0, 5, 2);
    cpu_load(0, 0, 0x20);
    cpu_load(0, 64, 0x20);
    EXPECT_NONE();
}
END_TEST

/* --- bytes in caches
 * -------------------------------------------------------------------------------- */

/* The kernel has stored all bytes of a line into the L2, and the CPU has waited for it. */
static void kernel_ran(uint32_t id)
{
    submit(0);
    take(0);
    gpu_store(0, id, 0, ALL);
    done(0, 5);
    wait_for(0, 5, value[5]);
}

/* The newest bytes were in an L2 that was invalidated before it was cleaned. */
START_TEST(bytes_that_no_place_has_are_lost)
{
    kernel_ran(MANAGED);
    send(record(TRACE_EVENT_L2_INVALIDATE, BUS_AGENT_HOST, 0, 0, 0));
    cache(TRACE_EVENT_CPU_FILL, MANAGED, 0, 0, 0);
    load(MANAGED, 0, 4);
    expect(HB_STALE_LOST, 0, 4);
}
END_TEST

START_TEST(uncached_loads_see_memory_alone)
{
    submit(0);
    take(0);
    gpu(0, TRACE_EVENT_GPU_STORE, PINNED, 0, ALL, BUS_SCOPE_NONE, true);
    done(0, 5);
    wait_for(0, 5, 1);
    load(PINNED, 0, 4);
    expect(HB_STALE_CLEAN_L2, 0, 4);
}
END_TEST

/* Its other bytes come from memory, which has them all. */
START_TEST(a_line_in_which_a_store_is_found_is_filled)
{
    cache(TRACE_EVENT_CPU_FOUND, MANAGED, 0, 0xff, 0);
    cache(TRACE_EVENT_CPU_EVICT, MANAGED, 0, 1, 0);
    submit(0);
    take(0);
    cache(TRACE_EVENT_L2_FILL, MANAGED, 0, 0xf, 0);
    gpu_load(0, MANAGED, 0, ALL);
    EXPECT_NONE();
}
END_TEST

/* Who made the store that was found is not known: no race with who made the one before it. */
START_TEST(a_store_that_is_found_is_nobodys)
{
    cpu(1, TRACE_EVENT_CPU_STORE, MANAGED, 0, 4, false, 0x10);
    cache(TRACE_EVENT_CPU_FOUND, MANAGED, 0, 0xff, 0);
    cpu(2, TRACE_EVENT_CPU_LOAD, MANAGED, 0, 4, false, 0x20);
    EXPECT_NONE();
}
END_TEST

START_TEST(a_line_that_was_not_dirty_writes_nothing)
{
    cache(TRACE_EVENT_CPU_FILL, MANAGED, 0, 0, 0);
    kernel_ran(MANAGED);
    cache(TRACE_EVENT_L2_WRITEBACK, MANAGED, 0, ALL, 0);
    cache(TRACE_EVENT_CPU_EVICT, MANAGED, 0, 0, 0);
    cache(TRACE_EVENT_CPU_FILL, MANAGED, 0, 0, 0);
    load(MANAGED, 0, 4);
    EXPECT_NONE();
}
END_TEST

/* Dirty bytes that a port finds go to memory; a snoop that finds nothing takes no line. */
START_TEST(a_snoop_writes_dirty_bytes_back)
{
    cache(TRACE_EVENT_CPU_FILL, PINNED, 0, 0, 0);
    store(PINNED, 0, 4);
    submit(0);
    take(0);
    cache(TRACE_EVENT_CPU_SNOOP, PINNED, 0, 1, 1);
    gpu_load(0, PINNED, 0, 0xf);
    EXPECT_NONE();
}
END_TEST

START_TEST(a_snoop_that_finds_nothing_takes_nothing)
{
    cache(TRACE_EVENT_CPU_FILL, MANAGED, 0, 0, 0);
    kernel_ran(MANAGED);
    cache(TRACE_EVENT_L2_WRITEBACK, MANAGED, 0, ALL, 0);
    cache(TRACE_EVENT_CPU_SNOOP, MANAGED, 0, 0, 0);
    load(MANAGED, 0, 4); /* from the old line, which is still there */
    expect(HB_STALE_INVALIDATE_CPU, 0, 4);
}
END_TEST

/* A sector is 32 bytes: the second was not filled. */
START_TEST(the_l2_is_filled_by_sectors)
{
    cache(TRACE_EVENT_L2_FILL, MANAGED, 0, 1, 0);
    cache(TRACE_EVENT_CPU_FILL, MANAGED, 0, 0, 0);
    cpu(0, TRACE_EVENT_CPU_STORE, MANAGED, 32, 4, false, 0x10);
    cache(TRACE_EVENT_CPU_WRITEBACK, MANAGED, 0, 0, 0);
    submit(0);
    take(0);
    cache(TRACE_EVENT_L2_FILL, MANAGED, 0, 3, 0);
    gpu_load(0, MANAGED, 0, ALL);
    EXPECT_NONE();
}
END_TEST

/* A line of the L2 has 128 bytes, two of the CPU's. */
START_TEST(a_line_of_the_l2_is_two_of_the_cpus)
{
    cache(TRACE_EVENT_L2_FILL, MANAGED, 0, 0xf, 0);
    cache(TRACE_EVENT_CPU_FILL, MANAGED, 64, 0, 0);
    cpu(0, TRACE_EVENT_CPU_STORE, MANAGED, 64, 4, false, 0x10);
    cache(TRACE_EVENT_CPU_WRITEBACK, MANAGED, 64, 0, 0);
    submit(0);
    take(0);
    gpu_load(0, MANAGED, 64, 0xf);
    expect(HB_STALE_INVALIDATE_L2, 64, 4);
}
END_TEST

START_TEST(a_clean_line_that_leaves_the_l2_is_gone)
{
    cache(TRACE_EVENT_L2_FILL, MANAGED, 0, 0xf, 0);
    cache(TRACE_EVENT_L2_EVICT, MANAGED, 0, 0, 0);
    cache(TRACE_EVENT_CPU_FILL, MANAGED, 0, 0, 0);
    store(MANAGED, 0, 4);
    cache(TRACE_EVENT_CPU_WRITEBACK, MANAGED, 0, 0, 0);
    submit(0);
    take(0);
    cache(TRACE_EVENT_L2_FILL, MANAGED, 0, 0xf, 0);
    gpu_load(0, MANAGED, 0, 0xf);
    EXPECT_NONE();
}
END_TEST

START_TEST(an_atomic_of_a_kernel_is_no_store)
{
    submit(0);
    take(0);
    gpu_store(0, PINNED, 0, 0xf);
    gpu_atomic(0, 8, BUS_SCOPE_CTA);
    cpu_load(0, 8, 0x20);
    expect(HB_RACE, 8, 4);
    ck_assert_int_eq(found[0].first.access, HB_UPDATE);
}
END_TEST

START_TEST(a_store_beside_a_flag_is_plain)
{
    submit(0);
    take(0);
    gpu(0, TRACE_EVENT_GPU_STORE, PINNED, 0, 0xf, BUS_SCOPE_SYS, false);
    gpu_store(0, PINNED, 0, 0xf00);
    cpu_load(0, 8, 0x20);
    expect(HB_RACE, 8, 4);
}
END_TEST

START_TEST(a_flag_beside_a_load_is_one)
{
    submit(0);
    take(0);
    gpu_load(0, PINNED, 0, 0xf);
    gpu(0, TRACE_EVENT_GPU_LOAD, PINNED, 0, 0xf00, BUS_SCOPE_SYS, false);
    cpu(0, TRACE_EVENT_CPU_STORE, PINNED, 8, 4, true, 0x40);
    EXPECT_NONE();
}
END_TEST

START_TEST(atomics_of_two_threads_do_not_race)
{
    cpu(1, TRACE_EVENT_CPU_ATOMIC, PINNED, 0, 4, false, 0x10);
    cpu(2, TRACE_EVENT_CPU_ATOMIC, PINNED, 0, 4, false, 0x20);
    EXPECT_NONE();
}
END_TEST

/* Two stores of the CPU make the line dirty; told once, and of the last one. */
START_TEST(bytes_are_lost_once_and_by_the_last_store)
{
    cache(TRACE_EVENT_CPU_FILL, MANAGED, 0, 0, 0);
    cpu(0, TRACE_EVENT_CPU_STORE, MANAGED, 0, 4, false, 0x10);
    cpu(0, TRACE_EVENT_CPU_STORE, MANAGED, 8, 4, false, 0x20);
    submit(0);
    take(0);
    gpu_store(0, MANAGED, 0, 0xf00000);
    cache(TRACE_EVENT_L2_WRITEBACK, MANAGED, 0, 0xf00000, 0);
    cache(TRACE_EVENT_CPU_EVICT, MANAGED, 0, 1, 0);
    expect(HB_LOST_CPU, 20, 4);
    ck_assert_uint_eq(found[0].second.pc, 0x20);
    done(0, 5);
    wait_for(0, 5, 1);
    cache(TRACE_EVENT_CPU_FILL, MANAGED, 0, 0, 0);
    load(MANAGED, 20, 4);
    ck_assert_uint_eq(n_found, 1);
}
END_TEST

START_TEST(a_store_that_is_found_loses_nothing_beside_it)
{
    kernel_ran(MANAGED);
    cache(TRACE_EVENT_L2_WRITEBACK, MANAGED, 0, ALL, 0);
    cache(TRACE_EVENT_CPU_FOUND, MANAGED, 0, 0xff, 0);
    cache(TRACE_EVENT_CPU_EVICT, MANAGED, 0, 1, 0);
    EXPECT_NONE();
}
END_TEST

int main(void)
{
    const hb_test coherent_tests[] = {
        two_places_are_two_accesses,
        two_threads_are_two,
        two_clocks_are_two,
        one_place_is_one_access_to_all_its_bytes,
        a_store_stands_for_what_came_before_it,
        a_load_stands_for_ordered_loads_before_it,
        a_load_stands_for_no_other_threads_load,
        an_access_across_lines_is_of_both,
        an_engines_access_may_be_of_two_lines,
        an_atomic_is_of_its_bytes,
        atomics_of_block_scope_race,
        a_flag_of_device_scope_races_with_the_cpu,
        only_the_cpu_may_forget_to_mark_a_flag,
        flags_of_freed_memory_are_none,
        states_go_and_lines_keep_theirs,
        a_value_stands_for_all_increments_up_to_it,
        bytes_that_no_place_has_are_lost,
        a_snoop_writes_dirty_bytes_back,
        a_clean_line_that_leaves_the_l2_is_gone,
        a_line_of_the_l2_is_two_of_the_cpus,
        an_atomic_of_a_kernel_is_no_store,
        a_store_beside_a_flag_is_plain,
        a_flag_beside_a_load_is_one,
        atomics_of_two_threads_do_not_race,
    };
    const hb_test not_coherent_tests[] = {
        uncached_loads_see_memory_alone,           a_line_in_which_a_store_is_found_is_filled,
        a_store_that_is_found_is_nobodys,          a_line_that_was_not_dirty_writes_nothing,
        a_snoop_that_finds_nothing_takes_nothing,  the_l2_is_filled_by_sectors,
        bytes_are_lost_once_and_by_the_last_store, a_store_that_is_found_loses_nothing_beside_it,
        a_fill_is_of_the_state_that_it_was_of,
    };
    Suite *s = suite_create("hb_line");

    HB_CASE(s, "coherent", coherent, coherent_tests);
    HB_CASE(s, "not coherent", not_coherent, not_coherent_tests);
    return hb_suite_run(s);
}
