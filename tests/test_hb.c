/* SPDX-License-Identifier: MIT */
/* The happens-before checker on records made by hand. Expected verdicts follow from the
 * definitions: a race is two accesses to a byte, one a store, without an order between them (PTX
 * ISA 8.6, C17 5.1.2.4); what orders is what CUDA documents; who holds which bytes is ARCHITECTURE,
 * "Memory". */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/check/hb.h"

#define PA UINT64_C(0x80010000)
#define VA UINT64_C(0x200000010000)
#define PAGE 4096u
#define ALL UINT64_MAX

enum { PINNED = 1, DEVICE, MANAGED, DRIVER }; /* regions, a page each */

static struct run *run;
static struct hb *hb;
static struct hb_finding found[16];
static unsigned n_found;
static uint32_t put[4], taken[4], value[8];

static void keep(void *opaque, const struct hb_finding *f)
{
    (void)opaque;
    ck_assert_uint_lt(n_found, 16);
    found[n_found++] = *f;
}

/* --- records ------------------------------------------------------------------------------------
 */

static struct trace_record record(enum trace_event event, uint32_t agent, uint64_t a, uint64_t b,
                                  uint64_t c)
{
    return (struct trace_record){ .event = event, .agent = agent, .arg = { a, b, c } };
}

static void send(struct trace_record t)
{
    hb_record(hb, &t, 0);
}

static void note(const char *line)
{
    struct note n;

    ck_assert(note_parse(line, &n));
    run_note(run, &n);
    hb_note(hb, &n);
    note_clear(&n);
}

static void region(uint32_t id, const char *kind, bool cached)
{
    struct trace_record t =
        record(TRACE_EVENT_REGION_ADD, BUS_AGENT_DRIVER, PA + id * PAGE, PAGE, cached);
    char line[200];

    t.region = id;
    send(t);
    snprintf(line, sizeof(line), "@region id=%u kind=%s cpu_cached=%d va=0x%llx size=4096 len=4096",
             id, kind, cached, (unsigned long long)(VA + id * PAGE));
    note(line);
}

static void cpu(uint32_t thread, enum trace_event event, uint32_t id, uint64_t at, unsigned len,
                bool sync, uintptr_t pc)
{
    struct trace_record t = record(event, BUS_AGENT_CPU, VA + id * PAGE + at, len, 1);

    t.region = id;
    t.thread = thread;
    t.arg[3] = PA + id * PAGE + at;
    t.arg[4] = sync;
    hb_record(hb, &t, pc);
}

static void load(uint32_t id, uint64_t at, unsigned len)
{
    cpu(0, TRACE_EVENT_CPU_LOAD, id, at, len, false, 0x1000);
}

static void store(uint32_t id, uint64_t at, unsigned len)
{
    cpu(0, TRACE_EVENT_CPU_STORE, id, at, len, false, 0x2000);
}

/* An access by a channel to bytes @low of the line at @at. */
static void gpu(uint32_t channel, enum trace_event event, uint32_t id, uint64_t at, uint64_t low,
                enum bus_scope scope, bool cached)
{
    struct trace_record t = record(event, BUS_AGENT_IGPU, VA + id * PAGE + at, low, 0);

    t.region = id;
    t.channel = channel + 1;
    t.arg[3] = scope;
    t.arg[4] = cached;
    t.arg[5] = PA + id * PAGE + at;
    hb_record(hb, &t, 0);
}

static void gpu_load(uint32_t channel, uint32_t id, uint64_t at, uint64_t low)
{
    gpu(channel, TRACE_EVENT_GPU_LOAD, id, at, low, BUS_SCOPE_NONE, id != PINNED);
}

static void gpu_store(uint32_t channel, uint32_t id, uint64_t at, uint64_t low)
{
    gpu(channel, TRACE_EVENT_GPU_STORE, id, at, low, BUS_SCOPE_NONE, id != PINNED);
}

static void cache(enum trace_event event, uint32_t id, uint64_t at, uint64_t b, uint64_t c)
{
    struct trace_record t = record(event, BUS_AGENT_CPU, PA + id * PAGE + at, b, c);

    t.region = id;
    send(t);
}

/* --- what orders --------------------------------------------------------------------------------
 */

static void submit_by(uint32_t thread, uint32_t channel)
{
    struct trace_record t = record(TRACE_EVENT_DOORBELL, BUS_AGENT_CPU, channel, ++put[channel], 0);

    t.thread = thread;
    send(t);
}

static void submit(uint32_t channel)
{
    submit_by(0, channel);
}

/* The channel takes the next submission. */
static void take(uint32_t channel)
{
    send(record(TRACE_EVENT_SEGMENT, BUS_AGENT_HOST, channel, ++taken[channel], 0));
}

/* The channel has done everything so far: syncpoint @id. */
static void done(uint32_t channel, uint32_t id)
{
    struct trace_record t = record(TRACE_EVENT_SYNCPT_INCR, BUS_AGENT_HOST, id, ++value[id], 0);

    t.channel = channel + 1;
    send(t);
}

static void wait_for(uint32_t thread, uint32_t id, uint32_t threshold)
{
    struct trace_record t = record(TRACE_EVENT_CPU_WAITED, BUS_AGENT_CPU, id, threshold, 0);

    t.thread = thread;
    send(t);
}

static void handover(enum trace_event event, uint32_t thread, uint64_t object)
{
    struct trace_record t = record(event, BUS_AGENT_CPU, object, 0, 0);

    t.thread = thread;
    send(t);
}

static void open_board(const char *header)
{
    run = run_new();
    hb = hb_new(run, keep, NULL);
    n_found = 0;
    memset(put, 0, sizeof(put));
    memset(taken, 0, sizeof(taken));
    memset(value, 0, sizeof(value));
    note(header);
}

static void regions(bool pinned_cached)
{
    region(PINNED, "pinned", pinned_cached);
    region(DEVICE, "device", false);
    region(MANAGED, "managed", true);
}

static void close_board(void)
{
    hb_free(hb);
    run_free(run);
}

static void coherent(void)
{
    open_board("@run soc=orin io_coherent=1");
    regions(true);
}

/* tx2: pinned memory is uncached, engines do not look into the CPU's caches. */
static void not_coherent(void)
{
    open_board("@run soc=tx2 io_coherent=0");
    regions(false);
}

static void thor(void)
{
    open_board("@run soc=thor io_coherent=1 cpu_snoops_l2=1");
    regions(true);
}

#define EXPECT_NONE() ck_assert_uint_eq(n_found, 0)

static void expect(enum hb_rule rule, uint64_t offset, uint64_t size)
{
    ck_assert_uint_eq(n_found, 1);
    ck_assert_int_eq(found[0].rule, rule);
    ck_assert_uint_eq(found[0].offset, offset);
    ck_assert_uint_eq(found[0].size, size);
}

/* --- races --------------------------------------------------------------------------------------
 */

START_TEST(a_load_before_the_wait_races_with_the_kernels_store)
{
    submit(0);
    load(PINNED, 8, 4);
    take(0);
    gpu_store(0, PINNED, 0, 0xf00);
    expect(HB_RACE, 8, 4);
    ck_assert(found[0].first.cpu && !found[0].second.cpu);
    ck_assert_int_eq(found[0].first.access, HB_READ);
    ck_assert_int_eq(found[0].second.access, HB_WRITE);
    ck_assert_uint_eq(found[0].region, PINNED);
    ck_assert_uint_eq(found[0].first.pc, 0x1000);
}
END_TEST

START_TEST(a_store_after_the_launch_races_though_the_kernel_runs_later)
{
    submit(0);
    store(PINNED, 0, 4);
    submit(0); /* a second launch does not order what lies between the two */
    take(0);
    gpu_load(0, PINNED, 0, 0xf);
    expect(HB_RACE, 0, 4);
}
END_TEST

START_TEST(a_store_before_the_launch_is_ordered)
{
    store(PINNED, 0, 4);
    submit(0);
    take(0);
    gpu_load(0, PINNED, 0, 0xf);
    gpu_store(0, PINNED, 0, 0xf);
    EXPECT_NONE();
}
END_TEST

START_TEST(one_doorbell_may_announce_several_entries)
{
    store(PINNED, 0, 4);
    put[0] = 2;
    submit(0); /* the ring now ends at 3 */
    take(0);
    take(0);
    take(0);
    gpu_load(0, PINNED, 0, 0xf);
    EXPECT_NONE();
    put[0] = 4;
    submit(0); /* and now at 5 */
    store(PINNED, 64, 4);
    submit(0);
    take(0);
    take(0); /* the second entry of the first of the two doorbells */
    gpu_load(0, PINNED, 64, 0xf);
    expect(HB_RACE, 64, 4);
}
END_TEST

START_TEST(the_wait_orders_what_comes_after_it)
{
    submit(0);
    take(0);
    gpu_store(0, PINNED, 0, ALL);
    done(0, 5);
    wait_for(0, 5, 1);
    load(PINNED, 0, 4);
    store(PINNED, 0, 4);
    EXPECT_NONE();
}
END_TEST

START_TEST(a_wait_for_an_earlier_value_does_not_cover_later_work)
{
    submit(0);
    take(0);
    done(0, 5);
    submit(0);
    take(0);
    gpu_store(0, PINNED, 0, ALL);
    done(0, 5);
    wait_for(0, 5, 1);
    load(PINNED, 0, 4);
    expect(HB_RACE, 0, 4);
}
END_TEST

START_TEST(other_bytes_of_a_line_do_not_race)
{
    submit(0);
    store(PINNED, 0, 4);
    take(0);
    gpu_store(0, PINNED, 0, 0xf0);
    EXPECT_NONE();
    gpu_store(0, PINNED, 0, 0x8); /* the last of the four bytes */
    expect(HB_RACE, 3, 1);
}
END_TEST

START_TEST(two_loads_do_not_race)
{
    submit(0);
    load(PINNED, 0, 4);
    take(0);
    gpu_load(0, PINNED, 0, ALL);
    EXPECT_NONE();
}
END_TEST

START_TEST(streams_race_without_an_event)
{
    submit(0);
    submit(1);
    take(0);
    take(1);
    gpu_store(0, DEVICE, 128, ALL);
    gpu_load(1, DEVICE, 128, ALL);
    expect(HB_RACE, 128, 64);
    ck_assert(!found[0].first.cpu && !found[0].second.cpu);
}
END_TEST

START_TEST(an_event_orders_streams_and_all_that_came_before)
{
    struct trace_record t = record(TRACE_EVENT_SYNCPT_WAIT, BUS_AGENT_HOST, 1, 5, 1);

    submit(0);
    submit(1);
    submit(2);
    take(0);
    take(1);
    take(2);
    gpu_store(0, DEVICE, 128, ALL);
    done(0, 5);
    t.arg[3] = 1;
    send(t); /* stream 1 waits for stream 0 */
    done(1, 6);
    t.arg[0] = 2;
    t.arg[1] = 6;
    send(t); /* and stream 2 for stream 1 */
    gpu_load(2, DEVICE, 128, ALL);
    gpu_store(2, DEVICE, 128, ALL);
    EXPECT_NONE();
}
END_TEST

START_TEST(a_syncpoint_by_the_cpu_orders_the_stream_that_waits_for_it)
{
    struct trace_record t = record(TRACE_EVENT_SYNCPT_INCR, BUS_AGENT_CPU, 7, 1, 0);
    struct trace_record w = record(TRACE_EVENT_SYNCPT_WAIT, BUS_AGENT_HOST, 0, 7, 1);

    submit(0);
    take(0);
    store(PINNED, 0, 4); /* in a host function */
    send(t);             /* which returns */
    send(w);
    gpu_load(0, PINNED, 0, 0xf);
    EXPECT_NONE();
    store(PINNED, 64, 4); /* afterwards */
    gpu_load(0, PINNED, 64, 0xf);
    expect(HB_RACE, 64, 4);
}
END_TEST

START_TEST(threads_race_without_a_lock)
{
    cpu(1, TRACE_EVENT_CPU_STORE, PINNED, 0, 4, false, 0x10);
    cpu(2, TRACE_EVENT_CPU_LOAD, PINNED, 0, 4, false, 0x20);
    expect(HB_RACE, 0, 4);
    ck_assert_uint_eq(found[0].first.number, 1);
    ck_assert_uint_eq(found[0].second.number, 2);
}
END_TEST

START_TEST(a_lock_orders_threads)
{
    cpu(1, TRACE_EVENT_CPU_STORE, PINNED, 0, 4, false, 0x10);
    handover(TRACE_EVENT_CPU_RELEASE, 1, 3);
    handover(TRACE_EVENT_CPU_ACQUIRE, 2, 3);
    cpu(2, TRACE_EVENT_CPU_LOAD, PINNED, 0, 4, false, 0x20);
    EXPECT_NONE();
    cpu(1, TRACE_EVENT_CPU_STORE, PINNED, 0, 4, false, 0x10); /* after the release */
    ck_assert_uint_eq(n_found, 1);
}
END_TEST

START_TEST(another_lock_orders_nothing)
{
    cpu(1, TRACE_EVENT_CPU_STORE, PINNED, 0, 4, false, 0x10);
    handover(TRACE_EVENT_CPU_RELEASE, 1, 3);
    handover(TRACE_EVENT_CPU_ACQUIRE, 2, 4);
    cpu(2, TRACE_EVENT_CPU_LOAD, PINNED, 0, 4, false, 0x20);
    expect(HB_RACE, 0, 4);
}
END_TEST

START_TEST(a_wait_by_one_thread_is_no_wait_for_another)
{
    submit_by(1, 0);
    take(0);
    gpu_store(0, PINNED, 0, ALL);
    done(0, 5);
    wait_for(1, 5, 1);
    cpu(2, TRACE_EVENT_CPU_LOAD, PINNED, 0, 4, false, 0x20);
    expect(HB_RACE, 0, 4);
}
END_TEST

/* --- flags --------------------------------------------------------------------------------------
 */

/* The kernel stores data at 0 and then a flag at 64; the CPU polls the flag, then loads the data.
 */
static void message(enum bus_scope scope, bool cpu_sync)
{
    submit(0);
    cpu(0, TRACE_EVENT_CPU_LOAD, PINNED, 64, 4, cpu_sync, 0x30); /* still 0 */
    take(0);
    gpu_store(0, PINNED, 0, 0xf);
    gpu(0, TRACE_EVENT_GPU_STORE, PINNED, 64, 0xf, scope, false);
    cpu(0, TRACE_EVENT_CPU_LOAD, PINNED, 64, 4, cpu_sync, 0x30);
    load(PINNED, 0, 4);
}

START_TEST(a_flag_of_system_scope_orders)
{
    message(BUS_SCOPE_SYS, true);
    EXPECT_NONE();
}
END_TEST

START_TEST(a_flag_that_the_cpu_reads_plainly_orders_too)
{
    message(BUS_SCOPE_SYS, false);
    EXPECT_NONE();
}
END_TEST

START_TEST(a_flag_of_device_scope_says_nothing_to_the_cpu)
{
    message(BUS_SCOPE_GPU, true);
    ck_assert_uint_gt(n_found, 0);
}
END_TEST

START_TEST(a_plain_flag_orders_nothing)
{
    message(BUS_SCOPE_NONE, false);
    ck_assert_uint_eq(n_found, 2); /* flag and data, each with its pair of sites */
}
END_TEST

START_TEST(a_flag_by_the_cpu_orders_the_kernel_that_polls_it)
{
    submit(0);
    take(0);
    store(PINNED, 0, 4);
    cpu(0, TRACE_EVENT_CPU_STORE, PINNED, 64, 4, false, 0x40); /* plain: served as a flag */
    gpu(0, TRACE_EVENT_GPU_LOAD, PINNED, 64, 0xf, BUS_SCOPE_SYS, false);
    gpu_load(0, PINNED, 0, 0xf);
    EXPECT_NONE();
}
END_TEST

START_TEST(what_the_flag_came_before_is_not_ordered)
{
    submit(0);
    take(0);
    gpu(0, TRACE_EVENT_GPU_LOAD, PINNED, 64, 0xf, BUS_SCOPE_SYS, false);
    cpu(0, TRACE_EVENT_CPU_STORE, PINNED, 64, 4, true, 0x40);
    store(PINNED, 0, 4); /* too late */
    gpu(0, TRACE_EVENT_GPU_LOAD, PINNED, 64, 0xf, BUS_SCOPE_SYS, false);
    gpu_load(0, PINNED, 0, 0xf);
    expect(HB_RACE, 0, 4);
}
END_TEST

static void atomic(uint32_t channel, enum bus_scope scope)
{
    struct trace_record t =
        record(TRACE_EVENT_GPU_ATOMIC, BUS_AGENT_IGPU, VA + PINNED * PAGE, 4, 0);

    t.region = PINNED;
    t.channel = channel + 1;
    t.arg[3] = scope;
    t.arg[5] = PA + PINNED * PAGE;
    send(t);
}

START_TEST(atomics_of_a_scope_that_includes_both_do_not_race)
{
    submit(0);
    submit(1);
    take(0);
    take(1);
    atomic(0, BUS_SCOPE_GPU);
    atomic(1, BUS_SCOPE_SYS);
    atomic(0, BUS_SCOPE_GPU);
    EXPECT_NONE();
    cpu(0, TRACE_EVENT_CPU_ATOMIC, PINNED, 0, 4, true, 0x50);
    expect(HB_RACE, 0, 4); /* with the last one, of device scope */
}
END_TEST

START_TEST(system_atomics_of_both_sides_do_not_race)
{
    submit(0);
    cpu(0, TRACE_EVENT_CPU_ATOMIC, PINNED, 0, 4, true, 0x50);
    take(0);
    cache(TRACE_EVENT_CPU_SNOOP, PINNED, 0, 1, 1);
    atomic(0, BUS_SCOPE_SYS);
    cpu(0, TRACE_EVENT_CPU_ATOMIC, PINNED, 0, 4, true, 0x50);
    EXPECT_NONE();
}
END_TEST

START_TEST(a_stream_that_waited_for_a_value_in_memory_is_ordered)
{
    submit(0);
    take(0);
    store(PINNED, 0, 4);
    cpu(0, TRACE_EVENT_CPU_STORE, PINNED, 64, 4, true, 0x40);
    send(record(TRACE_EVENT_SEM_ACQUIRE, BUS_AGENT_HOST, 0, VA + PINNED * PAGE + 64, 1));
    gpu_load(0, PINNED, 0, 0xf);
    EXPECT_NONE();
}
END_TEST

/* --- stale bytes --------------------------------------------------------------------------------
 */

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

/* --- lost updates -------------------------------------------------------------------------------
 */

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

/* --- findings -----------------------------------------------------------------------------------
 */

START_TEST(one_finding_a_pair_of_sites_and_the_rest_counted)
{
    for (unsigned i = 0; i < 10; i++) {
        submit(0);
        store(PINNED, i * 64, 4);
        take(0);
        gpu_load(0, PINNED, i * 64, 0xf);
    }
    ck_assert_uint_eq(n_found, 1);
    ck_assert_uint_eq(found[0].count, 1);
    hb_repeats(hb);
    ck_assert_uint_eq(n_found, 2);
    ck_assert_uint_eq(found[1].count, 9);
    hb_repeats(hb);
    ck_assert_uint_eq(n_found, 2);
}
END_TEST

START_TEST(a_kernel_has_its_name_place_and_stream)
{
    struct trace_record t = record(TRACE_EVENT_GRID_BEGIN, BUS_AGENT_IGPU, 0, 0, 0);

    note("@kernel id=9 name=_Z5scalePi stream=3 grid=1,1,1 block=1,1,1 where=app.cu:30");
    t.arg[3] = 9;
    submit(0);
    store(PINNED, 0, 4);
    take(0);
    send(t);
    gpu_load(0, PINNED, 0, 0xf);
    expect(HB_RACE, 0, 4);
    ck_assert_str_eq(found[0].second.name, "_Z5scalePi");
    ck_assert_str_eq(found[0].second.where, "app.cu:30");
    ck_assert_uint_eq(found[0].second.stream, 3);
    ck_assert_uint_eq(found[0].second.grid_id, 9);
}
END_TEST

START_TEST(a_copy_has_the_name_of_its_call)
{
    note("@copy api=cudaMemcpyAsync dst=2 src=1 bytes=64 stream=1 where=app.cu:31");
    submit(0);
    note("@copy api=cudaMemcpy dst=2 src=1 bytes=64 stream=1 where=app.cu:99");
    store(PINNED, 0, 4);
    take(0);
    gpu_load(0, PINNED, 0, ALL);
    expect(HB_RACE, 0, 4);
    ck_assert_str_eq(found[0].second.name, "cudaMemcpyAsync");
    ck_assert_str_eq(found[0].second.where, "app.cu:31");
}
END_TEST

START_TEST(memory_that_went_is_forgotten)
{
    struct trace_record t = record(TRACE_EVENT_REGION_REMOVE, BUS_AGENT_DRIVER, 0, 0, 0);

    submit(0);
    take(0);
    gpu_store(0, PINNED, 0, ALL);
    t.region = PINNED;
    send(t);
    region(9, "pinned", true);
    load(9, 0, 4);
    load(PINNED, 0, 4);
    EXPECT_NONE();
}
END_TEST

START_TEST(memory_of_the_driver_is_its_own_business)
{
    region(DRIVER, "driver", false);
    submit(0);
    take(0);
    gpu_store(0, DRIVER, 0, ALL);
    load(DRIVER, 0, 4);
    EXPECT_NONE();
}
END_TEST

START_TEST(records_of_a_damaged_trace_do_no_harm)
{
    struct trace_record t = { 0 };

    for (unsigned e = 0; e < TRACE_EVENT_COUNT + 1; e++) {
        for (unsigned i = 0; i < 64; i++) {
            t.event = (enum trace_event)e;
            t.agent = i % 8;
            t.region = i % 7 == 6 ? UINT32_MAX : i % 7;
            t.channel = i % 5 == 4 ? UINT32_MAX : i % 5;
            for (unsigned a = 0; a < TRACE_ARGS; a++) {
                t.arg[a] = i * UINT64_C(0x123456789abcdef1) << (a * 7 + i) % 60 >> i;
            }
            hb_record(hb, &t, 0);
        }
    }
}
END_TEST

/* A grid over the whole buffer, launch after launch: as many states as there are kinds of lines. */
START_TEST(lines_with_the_same_story_share_a_state)
{
    struct trace_record t =
        record(TRACE_EVENT_REGION_ADD, BUS_AGENT_DRIVER, PA + 64 * PAGE, UINT64_C(1) << 24, 1);

    t.region = 9;
    send(t);
    note("@region id=9 kind=device va=0x300000000000 size=16777216 len=16777216");
    for (unsigned launch = 0; launch < 2; launch++) {
        submit(0);
        take(0);
        for (uint64_t at = 0; at < UINT64_C(1) << 24; at += 64) {
            struct trace_record s = record(TRACE_EVENT_GPU_STORE, BUS_AGENT_IGPU, 0, ALL, 0);

            s.region = 9;
            s.channel = 1;
            s.arg[4] = 1;
            s.arg[5] = PA + 64 * PAGE + at;
            send(s);
        }
    }
    EXPECT_NONE();
    ck_assert_uint_lt(hb_states(hb), 10);
}
END_TEST

START_TEST(states_that_no_line_has_any_more_go)
{
    for (unsigned i = 0; i < 200000; i++) {
        store(PINNED, 0, 4);
        submit(0); /* a new clock, so a new state each time */
        take(0);
    }
    EXPECT_NONE();
    ck_assert_uint_lt(hb_states(hb), 100000);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("hb");
    TCase *t = tcase_create("coherent");
    SRunner *runner;
    int failed;

    tcase_add_checked_fixture(t, coherent, close_board);
    tcase_set_timeout(t, 30);
    tcase_add_test(t, a_load_before_the_wait_races_with_the_kernels_store);
    tcase_add_test(t, a_store_after_the_launch_races_though_the_kernel_runs_later);
    tcase_add_test(t, a_store_before_the_launch_is_ordered);
    tcase_add_test(t, one_doorbell_may_announce_several_entries);
    tcase_add_test(t, the_wait_orders_what_comes_after_it);
    tcase_add_test(t, a_wait_for_an_earlier_value_does_not_cover_later_work);
    tcase_add_test(t, other_bytes_of_a_line_do_not_race);
    tcase_add_test(t, two_loads_do_not_race);
    tcase_add_test(t, streams_race_without_an_event);
    tcase_add_test(t, an_event_orders_streams_and_all_that_came_before);
    tcase_add_test(t, a_syncpoint_by_the_cpu_orders_the_stream_that_waits_for_it);
    tcase_add_test(t, threads_race_without_a_lock);
    tcase_add_test(t, a_lock_orders_threads);
    tcase_add_test(t, another_lock_orders_nothing);
    tcase_add_test(t, a_wait_by_one_thread_is_no_wait_for_another);
    tcase_add_test(t, a_flag_of_system_scope_orders);
    tcase_add_test(t, a_flag_that_the_cpu_reads_plainly_orders_too);
    tcase_add_test(t, a_flag_of_device_scope_says_nothing_to_the_cpu);
    tcase_add_test(t, a_plain_flag_orders_nothing);
    tcase_add_test(t, a_flag_by_the_cpu_orders_the_kernel_that_polls_it);
    tcase_add_test(t, what_the_flag_came_before_is_not_ordered);
    tcase_add_test(t, atomics_of_a_scope_that_includes_both_do_not_race);
    tcase_add_test(t, system_atomics_of_both_sides_do_not_race);
    tcase_add_test(t, a_stream_that_waited_for_a_value_in_memory_is_ordered);
    tcase_add_test(t, bytes_in_the_l2_are_not_seen_by_the_cpu);
    tcase_add_test(t, a_cleaned_l2_lets_the_cpu_see);
    tcase_add_test(t, old_bytes_in_the_l2_are_stale);
    tcase_add_test(t, an_invalidated_l2_looks_into_the_cpus_caches_where_they_are_coherent);
    tcase_add_test(t, an_evicted_line_of_the_l2_is_filled_again);
    tcase_add_test(t, unordered_bytes_are_a_race_and_not_stale);
    tcase_add_test(t, a_snooped_line_is_written_back_before_the_engines_bytes);
    tcase_add_test(t, one_finding_a_pair_of_sites_and_the_rest_counted);
    tcase_add_test(t, a_kernel_has_its_name_place_and_stream);
    tcase_add_test(t, a_copy_has_the_name_of_its_call);
    tcase_add_test(t, memory_that_went_is_forgotten);
    tcase_add_test(t, memory_of_the_driver_is_its_own_business);
    tcase_add_test(t, records_of_a_damaged_trace_do_no_harm);
    tcase_add_test(t, lines_with_the_same_story_share_a_state);
    tcase_add_test(t, states_that_no_line_has_any_more_go);
    suite_add_tcase(s, t);

    t = tcase_create("not coherent");
    tcase_add_checked_fixture(t, not_coherent, close_board);
    tcase_add_test(t, an_old_line_in_the_cpus_cache_is_stale);
    tcase_add_test(t, an_invalidated_line_is_fetched_again);
    tcase_add_test(t, an_uncleaned_line_is_not_seen_by_an_engine_that_does_not_snoop);
    tcase_add_test(t, a_cleaned_line_is_seen_by_an_engine_that_does_not_snoop);
    tcase_add_test(t, an_eviction_is_as_good_as_a_clean);
    tcase_add_test(t, stores_found_by_comparison_are_the_newest);
    tcase_add_test(t, uncached_memory_has_one_version);
    tcase_add_test(t, a_write_back_of_the_whole_line_loses_the_neighbours);
    tcase_add_test(t, stores_that_nobody_reported_lose_the_neighbours_too);
    tcase_add_test(t, old_dirty_bytes_of_the_l2_lose_newer_ones);
    suite_add_tcase(s, t);

    t = tcase_create("thor");
    tcase_add_checked_fixture(t, thor, close_board);
    tcase_add_test(t, nothing_is_stale_where_the_cpu_sees_the_l2);
    suite_add_tcase(s, t);

    runner = srunner_create(s);
    srunner_run_all(runner, CK_ENV);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
