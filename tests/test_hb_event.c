/* SPDX-License-Identifier: MIT */
/* The happens-before checker on waits for the wrong event: the finding says where the event was
 * recorded that the side waited for that should have waited. CUDA Runtime API, cudaEventRecord: an
 * event stands for the work that was in its stream at the record. */
#include "tests/hb_rig.h"

/* The call that records an event in @stream; reached when syncpoint @id has @value_then. */
static void recorded(unsigned line, uint32_t stream, uint32_t id, uint32_t value_then)
{
    char text[120];

    snprintf(text, sizeof(text),
             "@event api=cudaEventRecord stream=%u syncpt=%u value=%u where=app.cu:%u", stream, id,
             value_then, line);
    note(text);
}

static void work(uint32_t channel, uint32_t id, uint64_t at)
{
    submit(channel);
    take(channel);
    gpu_store(channel, PINNED, at, 0xf);
    done(channel, id);
}

static void channel_waits(uint32_t channel, uint32_t id, uint32_t threshold)
{
    send(record(TRACE_EVENT_SYNCPT_WAIT, BUS_AGENT_HOST, channel, id, threshold));
}

static void expect_event(const char *where, uint32_t stream)
{
    expect(HB_RACE, 64, 4);
    if (where) {
        ck_assert_str_eq(found[0].event_where, where);
        ck_assert_uint_eq(found[0].event_stream, stream);
    } else {
        ck_assert_ptr_null(found[0].event_where);
    }
}

START_TEST(an_event_recorded_too_early_is_named)
{
    work(1, 5, 0);
    recorded(30, 2, 5, 1);
    work(1, 5, 64);
    recorded(31, 2, 5, 2); /* nobody waits for this one */
    wait_for(0, 5, 1);
    load(PINNED, 64, 4);
    expect_event("app.cu:30", 2);
}
END_TEST

/* The work has not run when the CPU comes: what the CPU waits for later does not matter. */
START_TEST(an_event_is_the_one_before_the_cpus_access)
{
    work(1, 5, 0);
    recorded(30, 2, 5, 1);
    submit(1);
    wait_for(0, 5, 1);
    load(PINNED, 64, 4);
    work(2, 6, 128);
    recorded(32, 3, 6, 1);
    wait_for(0, 6, 1);
    take(1);
    gpu_store(1, PINNED, 64, 0xf);
    expect_event("app.cu:30", 2);
}
END_TEST

START_TEST(an_event_of_another_stream_is_named)
{
    work(1, 5, 64);
    work(2, 6, 0);
    recorded(32, 3, 6, 1);
    wait_for(0, 6, 1);
    load(PINNED, 64, 4);
    expect_event("app.cu:32", 3);
}
END_TEST

START_TEST(a_wait_for_no_event_is_not_named)
{
    work(1, 5, 64);
    work(2, 6, 0);
    recorded(32, 3, 6, 1);
    wait_for(0, 6, 1);
    work(2, 6, 0);
    wait_for(0, 6, 2);
    load(PINNED, 64, 4);
    expect_event(NULL, 0);
}
END_TEST

/* Of two streams the one whose work was submitted later should have waited. */
START_TEST(a_streams_wait_for_an_event_is_named)
{
    work(2, 6, 0);
    recorded(32, 3, 6, 1);
    work(1, 5, 64);
    submit(3);
    take(3);
    channel_waits(3, 6, 1);
    gpu_load(3, PINNED, 64, 0xf);
    expect_event("app.cu:32", 3);
}
END_TEST

/* Recorded in the stream that waits: the channel has nothing to wait for. */
START_TEST(an_event_of_the_waiting_stream_is_named)
{
    work(1, 5, 64);
    submit(3);
    take(3);
    done(3, 7);
    recorded(33, 4, 7, 1);
    note("@event_wait syncpt=7 value=1");
    submit(3);
    take(3);
    done(3, 7);
    submit(3);
    take(3);
    gpu_load(3, PINNED, 64, 0xf);
    expect_event("app.cu:33", 4);
}
END_TEST

/* Streams run when they are waited for: the kernel that waits may run before the one that it should
 * have waited for. */
START_TEST(the_later_stream_may_run_first)
{
    work(1, 5, 0);
    recorded(30, 2, 5, 1);
    submit(1);
    submit(3);
    take(3);
    channel_waits(3, 5, 1);
    gpu_load(3, PINNED, 64, 0xf);
    take(1);
    gpu_store(1, PINNED, 64, 0xf);
    expect_event("app.cu:30", 2);
    ck_assert(found[0].first_late);
}
END_TEST

/* The bytes are written again while they are read: the reader's wait was for the right event, it is
 * the writer that should have waited. */
START_TEST(a_wait_for_what_came_before_is_not_named)
{
    work(1, 5, 64);
    recorded(30, 2, 5, 1);
    submit(3);
    submit(1);
    take(3);
    channel_waits(3, 5, 1);
    gpu_load(3, PINNED, 64, 0xf);
    take(1);
    gpu_store(1, PINNED, 64, 0xf);
    expect_event(NULL, 0);
    ck_assert(!found[0].first_late);
}
END_TEST

/* A free in stream 1 that waits for another event than the use's, and the use, submitted after it.
 */
static void submit_free_and_use(void)
{
    work(2, 6, 0);
    recorded(32, 3, 6, 1);
    note("@free_async region=2 api=cudaFreeAsync stream=1 where=app.cu:50");
    submit(3);
    submit(1);
}

static void do_free(void)
{
    take(3);
    channel_waits(3, 6, 1);
    done(3, 7);
}

static void do_use(void)
{
    take(1);
    gpu_store(1, DEVICE, 64, 0xf);
}

/* Who frees should have waited, whichever runs first. */
START_TEST(the_event_is_the_one_before_the_free)
{
    submit_free_and_use();
    do_free();
    do_use();
    expect_event("app.cu:32", 3);
}
END_TEST

START_TEST(the_event_is_the_one_before_the_later_free)
{
    submit_free_and_use();
    do_use();
    do_free();
    expect_event("app.cu:32", 3);
}
END_TEST

/* Threads order each other by other means. */
START_TEST(threads_that_race_with_each_other_wait_for_no_event)
{
    work(2, 6, 0);
    recorded(32, 3, 6, 1);
    wait_for(0, 6, 1);
    wait_for(1, 6, 1);
    cpu(0, TRACE_EVENT_CPU_STORE, PINNED, 64, 4, false, 0x10);
    cpu(1, TRACE_EVENT_CPU_STORE, PINNED, 64, 4, false, 0x20);
    expect_event(NULL, 0);
}
END_TEST

/* The note of one record does not stand for another one in its place of the table. */
START_TEST(records_of_long_ago_are_forgotten)
{
    work(1, 5, 64);
    work(2, 6, 0);
    recorded(32, 3, 6, 1);
    recorded(33, 3, 6, 1 + 4096);
    wait_for(0, 6, 1);
    load(PINNED, 64, 4);
    expect_event(NULL, 0);
}
END_TEST

/* Syncpoints count alike: a record of the same value in another stream is another one. */
START_TEST(events_of_two_streams_stand_beside_each_other)
{
    work(1, 5, 0);
    recorded(30, 2, 5, 1);
    work(2, 6, 128);
    recorded(32, 3, 6, 1);
    work(1, 5, 64);
    wait_for(0, 5, 1);
    load(PINNED, 64, 4);
    expect_event("app.cu:30", 2);
}
END_TEST

START_TEST(records_without_a_place_are_not_named)
{
    work(1, 5, 64);
    work(2, 6, 0);
    note("@event api=cudaEventRecord stream=3 syncpt=6 value=1");
    note("@event where=app.cu:1");
    note("@event");
    wait_for(0, 6, 1);
    load(PINNED, 64, 4);
    expect_event(NULL, 0);
}
END_TEST

/* --- sync objects of NvSci: CUDA Programming Guide, NVSCI interoperability -------------------- */

static void synced(const char *what, unsigned line, uint32_t stream, unsigned skips)
{
    char text[120];

    snprintf(text, sizeof(text), "@%s api=cudaThat stream=%u skips=%u where=app.cu:%u", what,
             stream, skips, line);
    note(text);
}

/* A signal stands for what its stream was given before it. */
START_TEST(the_first_signal_behind_the_work_is_named)
{
    synced("signal", 20, 1, 0);
    work(1, 5, 64);
    synced("signal", 31, 2, 0); /* of another stream */
    synced("wait", 32, 1, 0);
    synced("signal", 33, 1, 0);
    work(1, 5, 128);
    synced("signal", 34, 1, 0);
    load(PINNED, 64, 4);
    ck_assert_uint_eq(n_found, 1);
    ck_assert_str_eq(found[0].sync_where, "app.cu:33");
    ck_assert(!found[0].sync_skips);
}
END_TEST

START_TEST(the_cpu_may_come_before_the_work)
{
    submit(1);
    synced("signal", 30, 1, 1);
    load(PINNED, 64, 4);
    take(1);
    gpu_store(1, PINNED, 64, 0xf);
    ck_assert_uint_eq(n_found, 1);
    ck_assert(found[0].first_late || !found[0].first.cpu);
    ck_assert_str_eq(found[0].sync_where, "app.cu:30");
    ck_assert(found[0].sync_skips);
}
END_TEST

START_TEST(without_a_signal_behind_the_work_none_is_named)
{
    synced("signal", 20, 1, 0);
    work(1, 5, 64);
    note("@signal stream=1");
    note("@wait");
    load(PINNED, 64, 4);
    ck_assert_uint_eq(n_found, 1);
    ck_assert_ptr_null(found[0].sync_where);
}
END_TEST

/* Two host functions of thread 1: that which touches the bytes is named. */
/* The frame went through streams 1 and 2: work in stream 3 is none of its. */
START_TEST(work_beside_the_frames_streams_is_apart)
{
    char line[120];

    for (unsigned i = 2; i <= 3; i++) {
        note("@frame_taken api=cudaPresent region=1 stream=1 where=app.cu:10");
        note("@frame api=cudaAcquire region=1 stream=2 where=app.cu:20");
        snprintf(line, sizeof(line), "@fill api=cudaMemsetAsync stream=%u where=app.cu:25", i);
        note(line);
        submit(i);
        take(i);
        gpu_load(i, PINNED, 64 * i, 0xf);
        note("@frame api=cudaReturn region=1 stream=1 where=app.cu:30");
        store(PINNED, 64 * i, 4);
        ck_assert_uint_eq(n_found, i - 1);
        ck_assert_str_eq(found[i - 2].frame_where, "app.cu:30");
        ck_assert_int_eq(found[i - 2].frame_apart, i == 3);
    }
}
END_TEST

START_TEST(the_call_that_queued_the_function_is_named)
{
    note("@host_function api=cudaLaunchHostFunc stream=2 where=app.cu:10");
    handover(TRACE_EVENT_CPU_RELEASE, 0, HB_HOST_FUNCTION(1));
    note("@host_function api=cudaLaunchHostFunc stream=3 where=app.cu:20");
    handover(TRACE_EVENT_CPU_RELEASE, 0, HB_HOST_FUNCTION(2));
    load(PINNED, 0, 4);
    handover(TRACE_EVENT_CPU_ACQUIRE, 1, HB_HOST_FUNCTION(1));
    handover(TRACE_EVENT_CPU_ACQUIRE, 1, HB_HOST_FUNCTION(2));
    cpu(1, TRACE_EVENT_CPU_STORE, PINNED, 0, 4, false, 0x20);
    expect(HB_RACE, 0, 4);
    ck_assert(found[0].function);
    ck_assert_str_eq(found[0].function_where, "app.cu:20");
    ck_assert_str_eq(found[0].function_api, "cudaLaunchHostFunc");
    ck_assert_uint_eq(found[0].function_stream, 3);
    store(PINNED, 64, 4);
    cpu(2, TRACE_EVENT_CPU_STORE, PINNED, 64, 4, false, 0x20);
    ck_assert_uint_eq(n_found, 2);
    ck_assert(!found[1].function);
}
END_TEST

/* Frames of an EGLStream: the call before the access is named, whenever the work runs. */
START_TEST(the_call_that_gave_the_frame_is_named)
{
    char text[120];
    const unsigned lines[] = { 20, 30, 40 };

    submit(1);
    for (unsigned i = 0; i < 3; i++) {
        snprintf(text, sizeof(text), "@frame api=cudaThat region=%u stream=%u where=app.cu:%u",
                 PINNED, 5 + i, lines[i]);
        note(text);
        note("@frame api=cudaOther region=77 stream=9 where=app.cu:99");
        submit(2); /* the wait in the frame's stream */
        if (i == 1) {
            load(PINNED, 64, 4);
        }
        submit(2); /* the release */
    }
    take(1);
    gpu_store(1, PINNED, 64, 0xf);
    ck_assert_uint_eq(n_found, 1);
    ck_assert_str_eq(found[0].frame_where, "app.cu:30");
    ck_assert_str_eq(found[0].frame_api, "cudaThat");
    ck_assert_uint_eq(found[0].frame_stream, 6);
}
END_TEST

int main(void)
{
    const hb_test tests[] = {
        the_first_signal_behind_the_work_is_named,
        the_cpu_may_come_before_the_work,
        the_call_that_queued_the_function_is_named,
        the_call_that_gave_the_frame_is_named,
        work_beside_the_frames_streams_is_apart,
        without_a_signal_behind_the_work_none_is_named,
        an_event_recorded_too_early_is_named,
        an_event_is_the_one_before_the_cpus_access,
        an_event_of_another_stream_is_named,
        a_wait_for_no_event_is_not_named,
        a_streams_wait_for_an_event_is_named,
        an_event_of_the_waiting_stream_is_named,
        the_later_stream_may_run_first,
        a_wait_for_what_came_before_is_not_named,
        the_event_is_the_one_before_the_free,
        the_event_is_the_one_before_the_later_free,
        threads_that_race_with_each_other_wait_for_no_event,
        records_of_long_ago_are_forgotten,
        records_without_a_place_are_not_named,
        events_of_two_streams_stand_beside_each_other,
    };
    Suite *s = suite_create("hb_event");

    HB_CASE(s, "event", coherent, tests);
    return hb_suite_run(s);
}
