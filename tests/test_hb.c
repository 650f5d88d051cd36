/* SPDX-License-Identifier: MIT */
/* The happens-before checker on records made by hand: what races and what orders. Expected verdicts
 * follow from the definitions: a race is two accesses to a byte, one a store, without an order
 * between them (PTX ISA 8.6, C17 5.1.2.4); what orders is what CUDA documents. */
#include "tests/hb_rig.h"

/* --- races ------------------------------------------------------------------------------------ */

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
    ck_assert(!found[0].waited);
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

/* Nothing is kept for it, so one of the same number would be another. */
START_TEST(a_lock_that_is_gone_orders_nothing_any_more)
{
    struct trace_record gone = record(TRACE_EVENT_CPU_RELEASE, BUS_AGENT_CPU, 3, 1, 0);

    cpu(1, TRACE_EVENT_CPU_STORE, PINNED, 0, 4, false, 0x10);
    handover(TRACE_EVENT_CPU_RELEASE, 1, 3);
    gone.thread = 1;
    send(gone);
    handover(TRACE_EVENT_CPU_ACQUIRE, 2, 3);
    cpu(2, TRACE_EVENT_CPU_LOAD, PINNED, 0, 4, false, 0x20);
    expect(HB_RACE, 0, 4);
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

/* Of thread 1, in stream 0. */
static void first_kernel_stores(uint32_t region_id)
{
    submit_by(1, 0);
    take(0);
    gpu_store(0, region_id, 0, ALL);
}

/* Of thread 2, in stream 1. */
static void second_kernel_loads(uint32_t region_id)
{
    submit_by(2, 1);
    take(1);
    gpu_load(1, region_id, 0, ALL);
}

START_TEST(a_wait_by_one_thread_is_no_wait_for_another)
{
    first_kernel_stores(PINNED);
    done(0, 5);
    wait_for(1, 5, 1);
    cpu(2, TRACE_EVENT_CPU_LOAD, PINNED, 0, 4, false, 0x20);
    expect(HB_RACE, 0, 4);
    ck_assert(found[0].waited); /* what is missing is the way from thread 1 to thread 2 */
    ck_assert_uint_eq(found[0].waiter, 1);
}
END_TEST

/* Without hooks nobody sees the atomics by which the first thread may tell the second. */
START_TEST(without_hooks_a_wait_is_everybodys)
{
    run->hooks = false;
    first_kernel_stores(DEVICE);
    done(0, 5);
    wait_for(1, 5, 1);
    second_kernel_loads(DEVICE);
    EXPECT_NONE();
}
END_TEST

START_TEST(without_hooks_work_still_has_to_be_waited_for)
{
    run->hooks = false;
    first_kernel_stores(DEVICE);
    second_kernel_loads(DEVICE);
    expect(HB_RACE, 0, 64);
}
END_TEST

/* Thread 1 calls host functions: of what thread 0 does after it has queued one, nothing comes
 * before the function, unless a lock says so. */
#define FUNCTION HB_HOST_FUNCTION(1)

static void function_queued(void)
{
    run->hooks = false;
    handover(TRACE_EVENT_CPU_RELEASE, 0, FUNCTION);
}

static void function_stores(void)
{
    handover(TRACE_EVENT_CPU_ACQUIRE, 1, FUNCTION);
    cpu(1, TRACE_EVENT_CPU_STORE, PINNED, 0, 4, false, 0x20);
}

START_TEST(without_hooks_a_function_races_with_what_came_behind_its_call)
{
    function_queued();
    load(PINNED, 0, 4);
    function_stores();
    expect(HB_RACE, 0, 4);
}
END_TEST

START_TEST(without_hooks_what_came_before_its_call_comes_before_a_function)
{
    load(PINNED, 0, 4);
    function_queued();
    function_stores();
    EXPECT_NONE();
}
END_TEST

START_TEST(without_hooks_a_lock_orders_a_function)
{
    function_queued();
    load(PINNED, 0, 4);
    handover(TRACE_EVENT_CPU_RELEASE, 0, 7);
    handover(TRACE_EVENT_CPU_ACQUIRE, 1, FUNCTION);
    handover(TRACE_EVENT_CPU_ACQUIRE, 1, 7);
    cpu(1, TRACE_EVENT_CPU_STORE, PINNED, 0, 4, false, 0x20);
    EXPECT_NONE();
}
END_TEST

/* It may have set an atomic flag, which no record shows. */
START_TEST(without_hooks_a_function_comes_before_what_follows_it)
{
    function_queued();
    function_stores();
    load(PINNED, 0, 4);
    EXPECT_NONE();
}
END_TEST

/* It may have read one. */
START_TEST(without_hooks_a_wait_is_the_functions_too)
{
    run->hooks = false;
    first_kernel_stores(PINNED);
    done(0, 5);
    handover(TRACE_EVENT_CPU_RELEASE, 0, FUNCTION);
    wait_for(0, 5, 1);
    function_stores();
    EXPECT_NONE();
}
END_TEST

/* --- flags ------------------------------------------------------------------------------------ */

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

/* The CPU posts the flag that the kernel polls, and stores the data too late. */
static void data_behind_the_flag(bool cpu_sync)
{
    submit(0);
    take(0);
    gpu(0, TRACE_EVENT_GPU_LOAD, PINNED, 64, 0xf, BUS_SCOPE_SYS, false);
    cpu(0, TRACE_EVENT_CPU_STORE, PINNED, 64, 4, cpu_sync, 0x40);
    store(PINNED, 0, 4);
    gpu(0, TRACE_EVENT_GPU_LOAD, PINNED, 64, 0xf, BUS_SCOPE_SYS, false);
    gpu_load(0, PINNED, 0, 0xf);
}

START_TEST(what_the_flag_came_before_is_not_ordered)
{
    data_behind_the_flag(true);
    expect(HB_RACE, 0, 4);
}
END_TEST

/* The kernel comes late: that the CPU's first store was a flag shows when it reads it. */
static void late_kernel(void)
{
    struct trace_record begin = record(TRACE_EVENT_GRID_BEGIN, BUS_AGENT_HOST, 0, 0, 0);

    run->hooks = false;
    note("@kernel id=7 name=poll stream=0 where=app.cu:9");
    submit(0);
    cpu(0, TRACE_EVENT_CPU_STORE, PINNED, 64, 4, false, 0x40);
    store(PINNED, 0, 4);
    take(0);
    begin.arg[3] = 7;
    send(begin);
    gpu(0, TRACE_EVENT_GPU_LOAD, PINNED, 64, 0xf, BUS_SCOPE_SYS, false);
    gpu_load(0, PINNED, 0, 0xf);
}

START_TEST(without_hooks_what_a_flag_came_before_is_not_ordered)
{
    late_kernel();
    expect(HB_RACE, 0, 4);
    ck_assert_ptr_nonnull(found[0].second.flag);
}
END_TEST

START_TEST(without_hooks_what_comes_before_a_flag_is_ordered)
{
    run->hooks = false;
    submit(0);
    for (unsigned i = 0; i < 200; i++) { /* two places in turn, beyond what is told apart */
        cpu(0, TRACE_EVENT_CPU_STORE, PINNED, i % 2 * 4, 4, false, 0x50 + i % 2);
    }
    cpu(0, TRACE_EVENT_CPU_STORE, PINNED, 64, 4, false, 0x40);
    take(0);
    gpu(0, TRACE_EVENT_GPU_LOAD, PINNED, 64, 0xf, BUS_SCOPE_SYS, false);
    gpu_load(0, PINNED, 0, 0xff);
    EXPECT_NONE();
}
END_TEST

/* Of a flag that a kernel has polled the checker knows, whatever the CPU's side looks like. */
START_TEST(what_a_plain_flag_came_before_is_not_ordered_either)
{
    data_behind_the_flag(false);
    expect(HB_RACE, 0, 4);
}
END_TEST

/* A kernel that runs to its end before anybody looks at the flag between its stores. */
static void message_between(void)
{
    submit(0);
    take(0);
    gpu_store(0, PINNED, 0, 0xf);
    gpu(0, TRACE_EVENT_GPU_STORE, PINNED, 64, 0xf, BUS_SCOPE_SYS, false);
    gpu_store(0, PINNED, 128, 0xf);
    cpu(0, TRACE_EVENT_CPU_LOAD, PINNED, 64, 4, true, 0x30);
}

START_TEST(what_comes_before_the_flag_is_ordered)
{
    message_between();
    load(PINNED, 0, 4);
    EXPECT_NONE();
}
END_TEST

START_TEST(what_comes_behind_the_flag_is_not_ordered)
{
    message_between();
    load(PINNED, 128, 4);
    expect(HB_RACE, 128, 4);
}
END_TEST

/* Thread 1 is about to load a flag; thread 2 stores data and sets it; thread 1 goes on. */
static void flag_set_before_it_is_loaded(bool data_first)
{
    cpu(1, TRACE_EVENT_CPU_LOAD, PINNED, 64, 4, true, 0x10);
    if (data_first) {
        cpu(2, TRACE_EVENT_CPU_STORE, PINNED, 0, 4, false, 0x20);
    }
    cpu(2, TRACE_EVENT_CPU_STORE, PINNED, 64, 4, true, 0x21);
    if (!data_first) {
        cpu(2, TRACE_EVENT_CPU_STORE, PINNED, 0, 4, false, 0x22);
    }
    cpu(1, TRACE_EVENT_CPU_LOAD, PINNED, 0, 4, false, 0x11);
}

START_TEST(where_threads_run_freely_a_flag_is_loaded_after_its_record)
{
    flag_set_before_it_is_loaded(true);
    EXPECT_NONE();
    cpu(2, TRACE_EVENT_CPU_STORE, PINNED, 128, 4, false, 0x23);
    cpu(2, TRACE_EVENT_CPU_STORE, PINNED, 64, 4, true, 0x24);
    cpu(1, TRACE_EVENT_CPU_LOAD, PINNED, 128, 4, false, 0x12); /* it did not look again */
    expect(HB_RACE, 128, 4);
}
END_TEST

/* Access logs (access_log.c) ask between the record and the load. */
START_TEST(a_look_at_a_thread_is_no_record_of_it)
{
    struct hb_thread thread = { .number = 1 };

    cpu(1, TRACE_EVENT_CPU_LOAD, PINNED, 64, 4, true, 0x10);
    hb_thread_look(hb, &thread);
    ck_assert(thread.looked);
    cpu(2, TRACE_EVENT_CPU_STORE, PINNED, 0, 4, false, 0x20);
    cpu(2, TRACE_EVENT_CPU_STORE, PINNED, 64, 4, true, 0x21);
    cpu(1, TRACE_EVENT_CPU_LOAD, PINNED, 0, 4, false, 0x11);
    EXPECT_NONE();
    hb_thread_look(hb, &thread);
    ck_assert(!thread.looked);
}
END_TEST

START_TEST(a_flag_of_freed_memory_is_none_of_the_next_owners)
{
    struct trace_record t = record(TRACE_EVENT_REGION_REMOVE, BUS_AGENT_DRIVER, 0, 0, 0);

    cpu(1, TRACE_EVENT_CPU_LOAD, PINNED, 64, 4, true, 0x10);
    t.region = PINNED;
    send(t);
    region(PINNED, "pinned", true);
    cpu(1, TRACE_EVENT_CPU_STORE, PINNED, 64, 4, false, 0x11);
    cpu(2, TRACE_EVENT_CPU_STORE, PINNED, 128, 4, true, 0x20); /* another flag */
    cpu(2, TRACE_EVENT_CPU_LOAD, PINNED, 64, 4, false, 0x21);
    expect(HB_RACE, 64, 4);
}
END_TEST

START_TEST(what_comes_behind_that_flag_is_not_ordered)
{
    flag_set_before_it_is_loaded(false);
    expect(HB_RACE, 0, 4);
}
END_TEST

START_TEST(in_turns_a_flag_is_loaded_at_its_record)
{
    run->policy = g_strdup("seeded");
    flag_set_before_it_is_loaded(true);
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

/* Many updates, many stores behind the last of them, and many of both are as few states of lines as
 * some. */
START_TEST(a_flag_that_nobody_looks_at_takes_no_memory)
{
    unsigned states;

    submit(0);
    take(0);
    atomic(0, BUS_SCOPE_SYS);
    gpu_store(0, PINNED, 128, 0xf);
    atomic(0, BUS_SCOPE_SYS);
    gpu_store(0, PINNED, 128, 0xf);
    atomic(0, BUS_SCOPE_SYS);
    states = hb_states(hb);
    for (unsigned i = 0; i < 1000; i++) {
        atomic(0, BUS_SCOPE_SYS);
    }
    ck_assert_uint_eq(hb_states(hb), states);
    gpu_store(0, PINNED, 128, 0xf);
    states = hb_states(hb);
    for (unsigned i = 0; i < 1000; i++) {
        gpu_store(0, PINNED, 128, 0xf);
    }
    ck_assert_uint_eq(hb_states(hb), states);
    for (unsigned i = 0; i < 2000; i++) {
        states = i == 1000 ? hb_states(hb) : states;
        atomic(0, BUS_SCOPE_SYS);
        gpu_store(0, PINNED, 128, 0xf);
    }
    ck_assert_uint_eq(hb_states(hb), states);
}
END_TEST

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

/* --- a DLA ------------------------------------------------------------------------------------ */

/* Task @sequence of @queue of DLA 0. */
static void task(enum trace_event event, unsigned queue, uint32_t sequence)
{
    struct trace_record t = record(event, BUS_AGENT_CPU, 0, queue, 0);

    t.arg[3] = sequence;
    send(t);
}

/* Bytes 0..3 of the pinned buffer, by what queue @queue does now. */
static void dla(enum trace_event event, unsigned queue)
{
    struct trace_record t = record(event, BUS_AGENT_DLA, 0, 0xf, 0);

    t.region = PINNED;
    t.channel = QUEUE_DLA + queue + 1;
    t.arg[5] = PA + PINNED * PAGE;
    send(t);
}

START_TEST(a_task_comes_behind_what_came_before_its_submission)
{
    store(PINNED, 0, 4);
    task(TRACE_EVENT_DLA_TASK_SUBMIT, 1, 1);
    task(TRACE_EVENT_DLA_TASK_BEGIN, 1, 1);
    dla(TRACE_EVENT_DLA_LOAD, 1);
    dla(TRACE_EVENT_DLA_STORE, 1);
    EXPECT_NONE();
}
END_TEST

START_TEST(a_task_races_with_what_comes_after_its_submission)
{
    task(TRACE_EVENT_DLA_TASK_SUBMIT, 1, 1);
    store(PINNED, 0, 4);
    task(TRACE_EVENT_DLA_TASK_BEGIN, 1, 1);
    dla(TRACE_EVENT_DLA_LOAD, 1);
    expect(HB_RACE, 0, 4);
}
END_TEST

START_TEST(tasks_of_one_queue_are_ordered_and_those_of_two_race)
{
    task(TRACE_EVENT_DLA_TASK_SUBMIT, 1, 1);
    task(TRACE_EVENT_DLA_TASK_SUBMIT, 1, 2);
    task(TRACE_EVENT_DLA_TASK_SUBMIT, 2, 1);
    task(TRACE_EVENT_DLA_TASK_BEGIN, 1, 1);
    dla(TRACE_EVENT_DLA_STORE, 1);
    task(TRACE_EVENT_DLA_TASK_BEGIN, 1, 2);
    dla(TRACE_EVENT_DLA_STORE, 1);
    EXPECT_NONE();
    task(TRACE_EVENT_DLA_TASK_BEGIN, 2, 1);
    dla(TRACE_EVENT_DLA_STORE, 2);
    expect(HB_RACE, 0, 4);
}
END_TEST

int main(void)
{
    const hb_test coherent_tests[] = {
        a_load_before_the_wait_races_with_the_kernels_store,
        a_store_after_the_launch_races_though_the_kernel_runs_later,
        a_store_before_the_launch_is_ordered,
        one_doorbell_may_announce_several_entries,
        the_wait_orders_what_comes_after_it,
        a_wait_for_an_earlier_value_does_not_cover_later_work,
        other_bytes_of_a_line_do_not_race,
        two_loads_do_not_race,
        streams_race_without_an_event,
        an_event_orders_streams_and_all_that_came_before,
        a_syncpoint_by_the_cpu_orders_the_stream_that_waits_for_it,
        threads_race_without_a_lock,
        a_lock_orders_threads,
        a_lock_that_is_gone_orders_nothing_any_more,
        another_lock_orders_nothing,
        a_wait_by_one_thread_is_no_wait_for_another,
        without_hooks_a_wait_is_everybodys,
        without_hooks_work_still_has_to_be_waited_for,
        without_hooks_a_function_races_with_what_came_behind_its_call,
        without_hooks_what_came_before_its_call_comes_before_a_function,
        without_hooks_a_lock_orders_a_function,
        without_hooks_a_function_comes_before_what_follows_it,
        without_hooks_a_wait_is_the_functions_too,
        a_flag_of_system_scope_orders,
        a_flag_that_the_cpu_reads_plainly_orders_too,
        a_flag_of_device_scope_says_nothing_to_the_cpu,
        a_plain_flag_orders_nothing,
        a_flag_by_the_cpu_orders_the_kernel_that_polls_it,
        what_the_flag_came_before_is_not_ordered,
        without_hooks_what_a_flag_came_before_is_not_ordered,
        without_hooks_what_comes_before_a_flag_is_ordered,
        what_comes_before_the_flag_is_ordered,
        what_comes_behind_the_flag_is_not_ordered,
        where_threads_run_freely_a_flag_is_loaded_after_its_record,
        a_look_at_a_thread_is_no_record_of_it,
        a_flag_of_freed_memory_is_none_of_the_next_owners,
        what_comes_behind_that_flag_is_not_ordered,
        in_turns_a_flag_is_loaded_at_its_record,
        a_flag_that_nobody_looks_at_takes_no_memory,
        what_a_plain_flag_came_before_is_not_ordered_either,
        atomics_of_a_scope_that_includes_both_do_not_race,
        system_atomics_of_both_sides_do_not_race,
        a_stream_that_waited_for_a_value_in_memory_is_ordered,
        a_task_comes_behind_what_came_before_its_submission,
        a_task_races_with_what_comes_after_its_submission,
        tasks_of_one_queue_are_ordered_and_those_of_two_race,
    };
    Suite *s = suite_create("hb");

    HB_CASE(s, "coherent", coherent, coherent_tests);
    return hb_suite_run(s);
}
