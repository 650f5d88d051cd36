/* SPDX-License-Identifier: MIT */
/* Races between two processes of one board, on records made by hand. Expected verdicts follow from
 * the definition of a race (PTX ISA 8.6, C17 5.1.2.4) and from what docs/nvsci.md, "Several
 * processes", says is assumed: threads of two processes are ordered as they acted; engines only by
 * what they wait for. Channel 0 is this process's, channel 1 of process 2. */
#include "tests/hb_rig.h"

static void by(uint32_t process, struct trace_record t)
{
    t.process = process;
    hb_foreign(hb, &t);
}

static void their_submit(void)
{
    by(2, record(TRACE_EVENT_DOORBELL, BUS_AGENT_CPU, 1, ++put[1], 0));
}

static void their_take(void)
{
    by(2, record(TRACE_EVENT_SEGMENT, BUS_AGENT_HOST, 1, ++taken[1], 0));
}

static void their_gpu(uint32_t process, enum trace_event event, uint32_t id, uint64_t at)
{
    struct trace_record t = record(event, BUS_AGENT_IGPU, VA + id * PAGE + at, ALL, 0);

    t.region = id;
    t.channel = process; /* channel 1, 2 ... */
    t.arg[4] = 1;
    t.arg[5] = PA + id * PAGE + at;
    by(process, t);
}

static void their_cpu(enum trace_event event, uint32_t id, uint64_t at)
{
    struct trace_record t = record(event, BUS_AGENT_CPU, VA + id * PAGE + at, 4, 1);

    t.region = id;
    t.thread = 7;
    t.arg[3] = PA + id * PAGE + at;
    by(2, t);
}

static void their_done(uint32_t id)
{
    struct trace_record t = record(TRACE_EVENT_SYNCPT_INCR, BUS_AGENT_HOST, id, ++value[id], 0);

    t.channel = 2;
    by(2, t);
}

static void their_stream_waits(uint32_t id, uint32_t threshold)
{
    struct trace_record t = record(TRACE_EVENT_SYNCPT_WAIT, BUS_AGENT_HOST, 1, id, threshold);

    t.arg[3] = threshold;
    by(2, t);
}

static void their_cpu_waits(uint32_t id, uint32_t threshold)
{
    by(2, record(TRACE_EVENT_CPU_WAITED, BUS_AGENT_CPU, id, threshold, 0));
}

/* This process's kernel writes the bytes, and raises syncpoint 5. */
static void write_frame(void)
{
    submit(0);
    take(0);
    gpu_store(0, MANAGED, 0, ALL);
    done(0, 5);
}

/* Process 2 submits a kernel, which reads them. */
static void their_read(void)
{
    their_submit();
    their_take();
    their_gpu(2, TRACE_EVENT_GPU_LOAD, MANAGED, 0);
}

START_TEST(work_of_another_process_that_waits_for_nothing_races)
{
    write_frame();
    their_read();
    expect(HB_RACE, 0, 64);
    ck_assert_uint_eq(found[0].first.process, 0);
    ck_assert_uint_eq(found[0].second.process, 2);
    ck_assert_str_eq(found[0].second.name, "work of process 2");
    ck_assert_int_eq(found[0].second.access, HB_READ);
}
END_TEST

START_TEST(a_stream_that_waits_for_the_fence_is_ordered)
{
    write_frame();
    their_submit();
    their_take();
    their_stream_waits(5, 1);
    their_gpu(2, TRACE_EVENT_GPU_LOAD, MANAGED, 0);
    EXPECT_NONE();
}
END_TEST

START_TEST(work_after_the_cpus_wait_is_ordered)
{
    write_frame();
    their_cpu_waits(5, 1);
    their_read();
    EXPECT_NONE();
}
END_TEST

/* The order of CPUs is not seen, and is assumed: this one waits, and lets the other know. */
START_TEST(work_after_this_cpus_wait_is_ordered)
{
    write_frame();
    wait_for(0, 5, 1);
    their_read();
    EXPECT_NONE();
}
END_TEST

START_TEST(work_submitted_before_the_wait_races)
{
    write_frame();
    their_submit();
    wait_for(0, 5, 1);
    their_take();
    their_gpu(2, TRACE_EVENT_GPU_LOAD, MANAGED, 0);
    expect(HB_RACE, 0, 64);
}
END_TEST

START_TEST(overwriting_what_another_process_reads_races)
{
    write_frame();
    their_cpu_waits(5, 1);
    their_read();
    their_done(6);
    EXPECT_NONE();
    submit(0);
    take(0);
    gpu_store(0, MANAGED, 0, ALL);
    expect(HB_RACE, 0, 64);
    ck_assert_uint_eq(found[0].first.process, 2);
    ck_assert_int_eq(found[0].first.access, HB_READ);
    ck_assert_uint_eq(found[0].second.process, 0);
    ck_assert(!found[0].first_late); /* the store was submitted later */
}
END_TEST

START_TEST(overwriting_after_its_fence_is_ordered)
{
    struct trace_record t = record(TRACE_EVENT_SYNCPT_WAIT, BUS_AGENT_HOST, 0, 6, 1);

    write_frame();
    their_cpu_waits(5, 1);
    their_read();
    their_done(6);
    submit(0);
    take(0);
    t.arg[3] = 1;
    send(t);
    gpu_store(0, MANAGED, 0, ALL);
    EXPECT_NONE();
}
END_TEST

START_TEST(the_cpu_races_with_anothers_work_until_it_waits)
{
    their_submit();
    their_take();
    their_gpu(2, TRACE_EVENT_GPU_STORE, MANAGED, 0);
    their_done(6);
    if (_i == 0) {
        wait_for(0, 6, 1);
    } else if (_i == 1) {
        their_cpu_waits(6, 1);
    }
    load(MANAGED, 8, 4);
    if (_i < 2) {
        EXPECT_NONE();
    } else {
        expect(HB_RACE, 8, 4);
        ck_assert(!found[0].waited);
    }
}
END_TEST

START_TEST(the_other_cpu_races_with_this_ones_work)
{
    write_frame();
    their_cpu(TRACE_EVENT_CPU_LOAD, MANAGED, 0);
    expect(HB_RACE, 0, 4);
    ck_assert(found[0].second.cpu);
    ck_assert_uint_eq(found[0].second.process, 2);
    ck_assert_str_eq(found[0].second.name, "the CPU of process 2");
}
END_TEST

START_TEST(two_cpus_are_ordered_as_they_acted)
{
    store(MANAGED, 0, 4);
    their_cpu(TRACE_EVENT_CPU_STORE, MANAGED, 0);
    cpu(1, TRACE_EVENT_CPU_STORE, MANAGED, 0, 4, false, 0x10);
    their_cpu(TRACE_EVENT_CPU_LOAD, MANAGED, 0);
    EXPECT_NONE();
}
END_TEST

/* Threads of this process: as without the other one, as long as its CPU does nothing in between. */
START_TEST(own_threads_race_as_before)
{
    their_submit();
    cpu(1, TRACE_EVENT_CPU_STORE, MANAGED, 0, 4, false, 0x10);
    their_take();
    their_gpu(2, TRACE_EVENT_GPU_LOAD, MANAGED, 128);
    their_done(6);
    cpu(2, TRACE_EVENT_CPU_LOAD, MANAGED, 0, 4, false, 0x20);
    expect(HB_RACE, 0, 4);
}
END_TEST

START_TEST(work_submitted_before_the_others_act_is_not_behind_it)
{
    submit(0);
    their_cpu(TRACE_EVENT_CPU_STORE, MANAGED, 0);
    take(0);
    gpu_load(0, MANAGED, 0, ALL);
    expect(HB_RACE, 0, 4);
}
END_TEST

START_TEST(order_goes_by_a_third_process)
{
    write_frame();
    by(3, record(TRACE_EVENT_CPU_WAITED, BUS_AGENT_CPU, 5, 1, 0));
    their_read(); /* process 3 has waited, and let process 2 know */
    EXPECT_NONE();
    write_frame();
    expect(HB_RACE, 0, 64); /* nothing has waited for the reading */
}
END_TEST

START_TEST(others_among_themselves_are_not_looked_at)
{
    their_gpu(2, TRACE_EVENT_GPU_STORE, MANAGED, 0);
    their_gpu(3, TRACE_EVENT_GPU_STORE, MANAGED, 0);
    EXPECT_NONE();
}
END_TEST

/* Before the observer came, or where memory says that it is over (an event of CUDA IPC). */
START_TEST(a_wait_for_an_increment_that_was_not_seen_orders_all)
{
    bool ours = _i;

    if (ours) {
        note("@foreign");
        their_submit();
        their_take();
        their_gpu(2, TRACE_EVENT_GPU_STORE, MANAGED, 0);
        wait_for(0, 6, 1);
        load(MANAGED, 0, 4);
        EXPECT_NONE();
        their_gpu(2, TRACE_EVENT_GPU_STORE, MANAGED, 0); /* later */
    } else {
        submit(0);
        take(0);
        gpu_store(0, MANAGED, 0, ALL);
        their_cpu_waits(5, 1);
        their_cpu(TRACE_EVENT_CPU_LOAD, MANAGED, 0);
        EXPECT_NONE();
        gpu_store(0, MANAGED, 0, ALL); /* later */
    }
    expect(HB_RACE, 0, 4);
}
END_TEST

START_TEST(what_has_ended_races_with_nothing)
{
    write_frame();
    wait_for(0, 5, 1);
    their_submit();
    their_take();
    their_gpu(2, TRACE_EVENT_GPU_STORE, MANAGED, 0);
    by(2, record(TRACE_EVENT_COUNT, 0, 0, 0, 0));
    load(MANAGED, 0, 4);
    submit(0);
    take(0);
    gpu_store(0, MANAGED, 0, ALL);
    EXPECT_NONE();
    /* the next one takes its place */
    their_gpu(3, TRACE_EVENT_GPU_LOAD, MANAGED, 0);
    expect(HB_RACE, 0, 64);
    ck_assert_uint_eq(found[0].second.process, 3);
}
END_TEST

/* A board outlives many processes: clocks are as long as there are agents at a time. */
START_TEST(many_processes_take_no_more_room_than_one)
{
    for (uint32_t process = 2; process < 20000; process++) {
        struct trace_record t = record(TRACE_EVENT_SYNCPT_INCR, BUS_AGENT_CPU, 6, ++value[6], 0);

        by(process, t);
        by(process, record(TRACE_EVENT_DOORBELL, BUS_AGENT_CPU, 1, ++put[1], 0));
        by(process, record(TRACE_EVENT_SEGMENT, BUS_AGENT_HOST, 1, ++taken[1], 0));
        by(process, record(TRACE_EVENT_COUNT, 0, 0, 0, 0));
    }
    EXPECT_NONE();
}
END_TEST

START_TEST(what_is_left_out_counts_as_ordered)
{
    write_frame();
    their_gpu(2, TRACE_EVENT_GPU_LOAD, MANAGED, 128);
    by(TRACE_PROCESSES, record(TRACE_EVENT_COUNT, 0, 0, 0, 0));
    their_gpu(2, TRACE_EVENT_GPU_LOAD, MANAGED, 0);
    submit(0);
    take(0);
    gpu_store(0, MANAGED, 128, ALL);
    EXPECT_NONE();
    gpu_store(0, MANAGED, 0, ALL);
    expect(HB_RACE, 0, 64);
}
END_TEST

/* Memory that this process imports is known by the other's record. */
START_TEST(imported_memory_is_looked_at)
{
    struct trace_record t =
        record(TRACE_EVENT_REGION_ADD, BUS_AGENT_DRIVER, PA + 9 * PAGE, PAGE, 1);
    char line[200];

    t.region = 9;
    by(2, t);
    snprintf(line, sizeof(line), "@region id=9 kind=shared cpu_cached=1 va=0x%llx size=4096",
             (unsigned long long)(VA + 9 * PAGE));
    note(line);
    their_submit();
    their_take();
    their_gpu(2, TRACE_EVENT_GPU_STORE, 9, 0);
    submit(0);
    take(0);
    gpu_load(0, 9, 0, ALL);
    expect(HB_RACE, 0, 64);
    ck_assert_uint_eq(found[0].region, 9);
}
END_TEST

/* Its caches are not followed: nothing is stale or lost because of another process. */
START_TEST(no_bytes_are_stale_because_of_another_process)
{
    store(MANAGED, 0, 64); /* dirty in the CPU's cache */
    submit(0);
    take(0);
    gpu_load(0, DEVICE, 0, ALL);
    done(0, 5);
    wait_for(0, 5, 1);
    their_cpu_waits(5, 1);
    their_submit();
    their_take();
    their_gpu(2, TRACE_EVENT_GPU_STORE, MANAGED, 0);
    their_done(6);
    wait_for(0, 6, 1);
    load(MANAGED, 0, 4);
    cache(TRACE_EVENT_CPU_EVICT, MANAGED, 0, 1, 0);
    cache(TRACE_EVENT_L2_WRITEBACK, MANAGED, 0, ALL, 0);
    load(MANAGED, 0, 4);
    submit(0);
    take(0);
    gpu_load(0, MANAGED, 0, ALL);
    EXPECT_NONE();
}
END_TEST

/* The L2 is one for all: what this process's request writes back is the other's as well. */
START_TEST(no_bytes_are_lost_because_of_another_process)
{
    write_frame();
    their_cpu_waits(5, 1);
    their_submit();
    their_take();
    their_gpu(2, TRACE_EVENT_GPU_STORE, MANAGED, 0);
    their_done(6);
    wait_for(0, 6, 1);
    submit(0);
    take(0);
    gpu_store(0, MANAGED, 0, 0xff);
    cache(TRACE_EVENT_L2_WRITEBACK, MANAGED, 0, ALL, 0);
    EXPECT_NONE();
}
END_TEST

/* A stale byte of this process's is no finding where the other one reads it: it finds that itself.
 */
START_TEST(what_another_process_reads_is_not_looked_at)
{
    store(MANAGED, 0, 64);
    their_submit();
    their_take();
    their_gpu(2, TRACE_EVENT_GPU_LOAD, MANAGED, 0);
    EXPECT_NONE();
}
END_TEST

START_TEST(a_call_is_of_this_process)
{
    note("@free_async api=cudaFreeAsync region=2 stream=0");
    their_submit();
    their_take();
    their_done(6);
    submit(0);
    take(0);
    gpu_load(0, DEVICE, 0, ALL); /* before its own end, which frees */
    EXPECT_NONE();
    done(0, 5);
    gpu_load(0, DEVICE, 0, ALL);
    ck_assert_uint_eq(n_found, 1);
    ck_assert_int_eq(found[0].rule, HB_FREED);
}
END_TEST

/* A flag of system scope in shared memory, set by one kernel and read by the other's. */
START_TEST(a_flag_orders_kernels_of_two_processes)
{
    struct trace_record t =
        record(TRACE_EVENT_GPU_ATOMIC, BUS_AGENT_IGPU, VA + MANAGED * PAGE + 256, 4, 0);

    submit(0);
    their_submit();
    take(0);
    their_take();
    gpu_store(0, MANAGED, 0, ALL);
    t.region = MANAGED;
    t.arg[3] = BUS_SCOPE_SYS;
    t.arg[4] = 1;
    t.arg[5] = PA + MANAGED * PAGE + 256;
    t.channel = 1;
    send(t);
    t.channel = 2;
    by(2, t);
    their_gpu(2, TRACE_EVENT_GPU_LOAD, MANAGED, 0);
    EXPECT_NONE();
}
END_TEST

int main(void)
{
    const hb_test all[] = {
        work_of_another_process_that_waits_for_nothing_races,
        a_stream_that_waits_for_the_fence_is_ordered,
        work_after_the_cpus_wait_is_ordered,
        work_after_this_cpus_wait_is_ordered,
        work_submitted_before_the_wait_races,
        overwriting_what_another_process_reads_races,
        overwriting_after_its_fence_is_ordered,
        the_other_cpu_races_with_this_ones_work,
        two_cpus_are_ordered_as_they_acted,
        own_threads_race_as_before,
        work_submitted_before_the_others_act_is_not_behind_it,
        order_goes_by_a_third_process,
        others_among_themselves_are_not_looked_at,
        what_has_ended_races_with_nothing,
        many_processes_take_no_more_room_than_one,
        what_is_left_out_counts_as_ordered,
        imported_memory_is_looked_at,
        no_bytes_are_stale_because_of_another_process,
        no_bytes_are_lost_because_of_another_process,
        what_another_process_reads_is_not_looked_at,
        a_call_is_of_this_process,
        a_flag_orders_kernels_of_two_processes,
    };
    Suite *s = suite_create("hb_process");
    TCase *looped = tcase_create("waits");

    HB_CASE(s, "coherent", coherent, all);
    HB_CASE(s, "not coherent", not_coherent, all);
    HB_CASE(s, "thor", thor, all);
    tcase_add_checked_fixture(looped, coherent, close_board);
    tcase_add_loop_test(looped, the_cpu_races_with_anothers_work_until_it_waits, 0, 3);
    tcase_add_loop_test(looped, a_wait_for_an_increment_that_was_not_seen_orders_all, 0, 2);
    suite_add_tcase(s, looped);
    return hb_suite_run(s);
}
