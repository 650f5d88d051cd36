/* SPDX-License-Identifier: MIT */
/* The happens-before checker on records made by hand: findings, names, regions, states, and
 * accesses without a record. Expected verdicts follow from the definitions: one finding a pair of
 * places, whatever the number of accesses. */
#include "tests/hb_rig.h"

/* --- findings --------------------------------------------------------------------------------- */

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

/* Two lines of the program race, now the one first, now the other. */
START_TEST(a_race_is_one_finding_whoever_came_first)
{
    for (unsigned i = 0; i < 2; i++) {
        cpu(i, TRACE_EVENT_CPU_STORE, PINNED, i * 64, 4, false, i ? 0x20 : 0x10);
        cpu(!i, TRACE_EVENT_CPU_STORE, PINNED, i * 64, 4, false, i ? 0x10 : 0x20);
    }
    expect(HB_RACE, 0, 4);
    hb_repeats(hb);
    ck_assert_uint_eq(n_found, 2);
    ck_assert_uint_eq(found[1].count, 1);
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

/* What follows on the channel is at this line of the kernel's source. */
static void at(uint32_t channel, uint64_t file, uint64_t line)
{
    struct trace_record t = record(TRACE_EVENT_GPU_AT, BUS_AGENT_IGPU, file, line, 0);

    t.channel = channel + 1;
    send(t);
}

/* Two stores of a kernel at different lines are two findings; where the file is not known, the
 * kernel is named. */
START_TEST(each_line_of_a_kernel_has_its_place)
{
    struct trace_record t = record(TRACE_EVENT_GRID_BEGIN, BUS_AGENT_IGPU, 0, 0, 0);

    note("@file code=5 number=2 path=app.cu");
    note("@file code=6 number=2 path=other.cu");
    note("@kernel id=9 name=_Z5scalePi stream=3 grid=1,1,1 block=1,1,1 code=5 where=app.cu:30");
    t.arg[3] = 9;
    submit(0);
    load(PINNED, 0, 4);
    load(PINNED, 64, 4);
    load(PINNED, 128, 4);
    take(0);
    send(t);
    at(0, 2, 11);
    gpu_store(0, PINNED, 0, 0xf);
    at(0, 2, 13);
    gpu_store(0, PINNED, 64, 0xf);
    at(0, 4, 13);
    gpu_store(0, PINNED, 128, 0xf);
    ck_assert_uint_eq(n_found, 3);
    ck_assert_str_eq(found[0].second.at, "app.cu:11");
    ck_assert_str_eq(found[1].second.at, "app.cu:13");
    ck_assert_ptr_null(found[2].second.at);
    ck_assert_str_eq(found[1].second.where, "app.cu:30");
    ck_assert_uint_eq(found[1].second.grid_id, 9);
}
END_TEST

/* The CPU loads 4 bytes that a kernel of channel 0, submitted before, stores at @line of its
 * file 2. */
static void kernel_races(uint32_t id, const char *rest, uint64_t line, uint64_t offset)
{
    struct trace_record t = record(TRACE_EVENT_GRID_BEGIN, BUS_AGENT_IGPU, 0, 0, 0);
    char text[200];

    snprintf(text, sizeof(text), "@kernel id=%u grid=1,1,1 block=1,1,1 %s", id, rest);
    note(text);
    t.arg[3] = id;
    submit(0);
    load(PINNED, offset, 4);
    take(0);
    send(t);
    at(0, 2, line);
    gpu_store(0, PINNED, offset, 0xf);
}

/* One finding stands for one pair of places: another kernel, launch or stream is another side. */
START_TEST(launches_are_one_by_name_place_and_stream)
{
    static const char *const second[] = {
        "name=k stream=1 where=app.cu:30",
        "name=l stream=1 where=app.cu:30",
        "name=k stream=1 where=app.cu:31",
        "name=k stream=2 where=app.cu:30",
    };

    for (unsigned i = 0; i < sizeof(second) / sizeof(second[0]); i++) {
        kernel_races(9, second[0], 0, 0);
        kernel_races(10, second[i], 0, 64);
        ck_assert_uint_eq(n_found, i ? 2 : 1);
        close_board();
        coherent();
    }
}
END_TEST

/* What was found out about a line of the first is not the second's. */
START_TEST(a_module_that_was_loaded_again_has_its_own_files)
{
    note("@file code=5 number=2 path=app.cu");
    note("@file code=6 number=2 path=new.cu");
    kernel_races(9, "name=k stream=1 where=app.cu:30 code=5", 11, 0);
    kernel_races(10, "name=k stream=1 where=app.cu:30 code=6", 11, 64);
    ck_assert_uint_eq(n_found, 2);
    ck_assert_str_eq(found[0].second.at, "app.cu:11");
    ck_assert_str_eq(found[1].second.at, "new.cu:11");
}
END_TEST

static void kernel_text(char text[100], unsigned i)
{
    snprintf(text, 100, "name=k%u stream=1 where=app.cu:30 code=%u", i, i ? 6 : 5);
}

/* However many calls there were between the two. */
START_TEST(a_line_of_two_kernels_is_one_of_each)
{
    char text[100], line[200];

    note("@file code=5 number=2 path=app.cu");
    for (unsigned i = 0; i < 16; i++) { /* all are known by now */
        kernel_text(text, i);
        snprintf(line, sizeof(line), "@kernel id=%u grid=1,1,1 block=1,1,1 %s", 100 + i, text);
        note(line);
        for (unsigned copy = 0; i == 0 && copy < 56; copy++) {
            snprintf(line, sizeof(line), "@copy api=cudaMemcpy bytes=4 where=app.cu:%u", copy);
            note(line);
        }
    }
    for (unsigned i = 0; i < 16; i++) {
        kernel_text(text, i);
        kernel_races(9 + i, text, 11, 64 * i);
        ck_assert_uint_eq(n_found, 1 + i);
        snprintf(text, sizeof(text), "k%u", i);
        ck_assert_str_eq(found[i].second.name, text);
        ck_assert_int_eq(found[i].second.at != NULL, i == 0); /* files of others are not known */
    }
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

START_TEST(a_copy_knows_whether_its_source_was_pageable)
{
    static const char *const copies[] = {
        "@copy api=cudaMemcpy dst=2 src=1 bytes=64 stream=1 where=app.cu:31",
        "@copy api=cudaMemcpy dst=2 src=0 bytes=64 stream=1 where=app.cu:31",
    };

    for (unsigned i = 0; i < 2; i++) { /* the same line, whose source changes */
        note(copies[i]);
        submit(0);
        take(0);
        gpu_store(0, DEVICE, 128 * i, ALL);
        note("@kernel id=9 grid=1,1,1 block=1,1,1 name=k stream=2 where=app.cu:30");
        submit(1);
        take(1);
        gpu_load(1, DEVICE, 128 * i, ALL);
        ck_assert_uint_eq(n_found, i + 1);
        ck_assert_int_eq(found[i].first.staged, i);
        ck_assert(!found[i].second.staged);
    }
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
    region(PINNED, "pinned", true); /* the number is given away again */
    load(PINNED, 0, 4);
    EXPECT_NONE();
}
END_TEST

START_TEST(memory_of_the_driver_is_its_own_business)
{
    region(DRIVER, "driver", false);
    region(9, "pageable", true); /* has no place: its pages come one by one */
    submit(0);
    take(0);
    gpu_store(0, DRIVER, 0, ALL);
    load(DRIVER, 0, 4);
    gpu_store(0, 9, 0, ALL);
    load(9, 0, 4);
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

/* The same access again and again: one state, and soon a known step. */
START_TEST(a_repeated_access_makes_no_new_state)
{
    store(PINNED, 0, 4);
    store(PINNED, 0, 4);
    load(PINNED, 0, 4);
    for (unsigned i = 0; i < 10; i++) {
        unsigned states = hb_states(hb);

        store(PINNED, 0, 4);
        load(PINNED, 0, 4);
        ck_assert_uint_eq(hb_states(hb), states);
    }
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

/* --- accesses without a record ---------------------------------------------------------------- */

static struct hb_thread first_thread;
static struct hb_line here;

/* The line at 64 of the pinned buffer. */
static void look(void)
{
    hb_thread_look(hb, &first_thread);
    ck_assert(hb_line_look(hb, PINNED, PA + PINNED * PAGE + 64, &here));
}

static bool store_again(uintptr_t pc, unsigned at, unsigned len)
{
    return hb_again(hb, &first_thread, &here, at, len, true, pc);
}

START_TEST(only_a_known_step_needs_no_record)
{
    store(PINNED, 0, 4);
    look();
    ck_assert(!store_again(0x2000, 4, 4));
    ck_assert(!store_again(0x2000, 0, 2));
    ck_assert(!store_again(0x2004, 0, 4));
    ck_assert(!hb_again(hb, &first_thread, &here, 0, 4, false, 0x2000));
    ck_assert(store_again(0x2000, 0, 4));
}
END_TEST

/* The other line has the same story: its steps are known. */
START_TEST(a_step_without_a_record_leaves_the_same_state)
{
    store(PINNED, 0, 4);
    load(PINNED, 0, 4);
    look();
    ck_assert(store_again(0x2000, 0, 4));
    ck_assert(hb_again(hb, &first_thread, &here, 0, 4, false, 0x1000));
    cpu(1, TRACE_EVENT_CPU_STORE, PINNED, 64, 4, false, 0x3000); /* races with both */
    ck_assert_uint_eq(n_found, 2);
    ck_assert_uint_eq(found[0].offset, 64);
    ck_assert_uint_eq(found[0].first.pc, 0x2000);
    ck_assert_int_eq(found[0].first.access, HB_WRITE);
    ck_assert_uint_eq(found[1].first.pc, 0x1000);
    ck_assert_int_eq(found[1].first.access, HB_READ);
}
END_TEST

START_TEST(after_a_new_clock_the_step_is_another_one)
{
    store(PINNED, 0, 4);
    submit(0);
    look();
    ck_assert(!store_again(0x2000, 0, 4));
}
END_TEST

/* Both have stored to a line that nobody had touched. */
START_TEST(a_step_without_a_record_is_of_its_thread)
{
    struct hb_thread second = { .number = 2 };

    cpu(0, TRACE_EVENT_CPU_STORE, PINNED, 0, 4, false, 0x2000);
    cpu(2, TRACE_EVENT_CPU_STORE, PINNED, 128, 4, false, 0x2000);
    look();
    hb_thread_look(hb, &second);
    ck_assert(hb_again(hb, &second, &here, 0, 4, true, 0x2000));
    cpu(2, TRACE_EVENT_CPU_LOAD, PINNED, 64, 4, false, 0x4000);
    EXPECT_NONE();
    cpu(0, TRACE_EVENT_CPU_LOAD, PINNED, 64, 4, false, 0x3000);
    expect(HB_RACE, 64, 4);
    ck_assert_uint_eq(found[0].first.number, 2);
}
END_TEST

START_TEST(a_step_that_finds_something_takes_a_record_each_time)
{
    for (uint64_t at = 0; at < 128; at += 64) {
        cpu(1, TRACE_EVENT_CPU_STORE, PINNED, at, 4, false, 0x3000);
        look();
        ck_assert(at == 0 || !store_again(0x2000, 0, 4));
        store(PINNED, at, 4);
    }
    ck_assert_uint_eq(n_found, 1);
}
END_TEST

START_TEST(where_a_flag_is_every_access_takes_a_record)
{
    store(PINNED, 0, 4);
    cpu(0, TRACE_EVENT_CPU_STORE, PINNED, 128, 4, true, 0x2000);
    ck_assert(!hb_line_look(hb, PINNED, PA + PINNED * PAGE, &here));
    ck_assert(hb_line_look(hb, MANAGED, PA + MANAGED * PAGE, &here));
    ck_assert(!hb_line_look(hb, MANAGED, PA + MANAGED * PAGE + PAGE, &here)); /* not in it */
    ck_assert(!hb_line_look(hb, 77, PA, &here));
}
END_TEST

/* What is known of steps changes when the L2 goes: its lines are not what they were. */
START_TEST(changes_are_counted)
{
    uint32_t before = *hb_changes(hb);

    store(PINNED, 0, 4);
    ck_assert_uint_eq(*hb_changes(hb), before);
    send(record(TRACE_EVENT_L2_INVALIDATE, BUS_AGENT_HOST, 0, 0, 0));
    ck_assert_uint_ne(*hb_changes(hb), before);
}
END_TEST

START_TEST(new_numbers_of_states_are_a_change)
{
    uint32_t before = *hb_changes(hb);
    unsigned most = 0;

    while (hb_states(hb) >= most) {
        most = hb_states(hb);
        ck_assert_uint_eq(*hb_changes(hb), before);
        store(PINNED, 0, 4);
        submit(0); /* a new clock, so a new state each time */
        take(0);
    }
    ck_assert_uint_ne(*hb_changes(hb), before);
}
END_TEST

/* --- frees in a stream --------------------------------------------------------------------------
 * All accesses lie between the stream executions of the allocation and of the free (CUDA Driver
 * API, Stream Ordered Memory Allocator). */

static void free_in(uint32_t channel)
{
    note("@free_async region=2 api=cudaFreeAsync stream=1 where=app.cu:50");
    submit(channel);
}

static void channel_waits(uint32_t channel, uint32_t id, uint32_t threshold)
{
    struct trace_record t = record(TRACE_EVENT_SYNCPT_WAIT, BUS_AGENT_HOST, channel, id, threshold);

    send(t);
}

START_TEST(a_free_races_with_the_other_streams_use_before_it)
{
    submit(1);
    take(1);
    gpu_load(1, DEVICE, 128, 0xf0); /* a load, too */
    free_in(0);
    EXPECT_NONE();
    take(0);
    EXPECT_NONE(); /* it may still have to wait for something */
    done(0, 5);
    expect(HB_RACE, 132, 4);
    ck_assert_int_eq(found[0].first.access, HB_READ);
    ck_assert_int_eq(found[0].second.access, HB_FREE);
    ck_assert_str_eq(found[0].second.name, "cudaFreeAsync");
    ck_assert_str_eq(found[0].second.where, "app.cu:50");
    ck_assert_uint_eq(found[0].second.stream, 1);
}
END_TEST

/* Also where nobody had touched the page before. */
START_TEST(a_free_races_with_the_other_streams_use_after_it)
{
    free_in(0);
    take(0);
    done(0, 5);
    submit(1);
    take(1);
    gpu_load(1, DEVICE, 1024, 0xf);
    expect(HB_RACE, 1024, 4);
    ck_assert_int_eq(found[0].first.access, HB_FREE);
}
END_TEST

START_TEST(a_free_is_behind_what_its_submission_waits_for)
{
    submit(1);
    take(1);
    gpu_store(1, DEVICE, 0, ALL);
    done(1, 6);
    free_in(0);
    take(0);
    channel_waits(0, 6, 1);
    done(0, 5);
    EXPECT_NONE();
}
END_TEST

START_TEST(a_free_is_behind_its_own_stream_and_what_the_cpu_waited_for)
{
    submit(0);
    take(0);
    gpu_store(0, DEVICE, 0, ALL);
    submit(1);
    take(1);
    gpu_store(1, DEVICE, 64, ALL);
    done(1, 6);
    wait_for(0, 6, 1);
    free_in(0);
    take(0);
    done(0, 5);
    done(0, 5); /* an increment more frees nothing more */
    submit(0);  /* nor does another submission */
    take(0);
    done(0, 5);
    EXPECT_NONE();
}
END_TEST

START_TEST(one_submission_frees_and_no_later_one)
{
    free_in(0);
    take(0);
    done(0, 5);
    cache(TRACE_EVENT_REGION_REMOVE, DEVICE, 0, 0, 0);
    region(DEVICE, "device", false); /* the same addresses, handed out again */
    submit(1);
    take(1);
    gpu_store(1, DEVICE, 64, ALL);
    submit(0);
    take(0);
    done(0, 5);
    EXPECT_NONE();
}
END_TEST

START_TEST(an_ordered_use_after_the_free_is_none_the_less_wrong)
{
    submit(0);
    take(0);
    gpu_store(0, DEVICE, 0, ALL);
    free_in(0);
    take(0);
    done(0, 5);
    submit(0);
    take(0);
    gpu_load(0, DEVICE, 0, 0xf);
    expect(HB_FREED, 0, 4);
    ck_assert_int_eq(found[0].first.access, HB_FREE);
    ck_assert_int_eq(found[0].second.access, HB_READ);
}
END_TEST

/* Only memory that is known is freed, whatever a trace says. */
START_TEST(a_free_of_no_memory_does_no_harm)
{
    note("@free_async region=77 api=cudaFreeAsync");
    submit(0);
    take(0);
    done(0, 5);
    note("@free_async");
    submit(0);
    take(0);
    done(0, 5);
    EXPECT_NONE();
}
END_TEST

int main(void)
{
    const hb_test coherent_tests[] = {
        one_finding_a_pair_of_sites_and_the_rest_counted,
        a_race_is_one_finding_whoever_came_first,
        a_kernel_has_its_name_place_and_stream,
        each_line_of_a_kernel_has_its_place,
        launches_are_one_by_name_place_and_stream,
        a_module_that_was_loaded_again_has_its_own_files,
        a_line_of_two_kernels_is_one_of_each,
        a_copy_has_the_name_of_its_call,
        a_copy_knows_whether_its_source_was_pageable,
        memory_that_went_is_forgotten,
        memory_of_the_driver_is_its_own_business,
        records_of_a_damaged_trace_do_no_harm,
        lines_with_the_same_story_share_a_state,
        states_that_no_line_has_any_more_go,
        a_repeated_access_makes_no_new_state,
        only_a_known_step_needs_no_record,
        a_step_without_a_record_leaves_the_same_state,
        after_a_new_clock_the_step_is_another_one,
        a_step_without_a_record_is_of_its_thread,
        a_step_that_finds_something_takes_a_record_each_time,
        where_a_flag_is_every_access_takes_a_record,
        changes_are_counted,
        new_numbers_of_states_are_a_change,
        a_free_races_with_the_other_streams_use_before_it,
        a_free_races_with_the_other_streams_use_after_it,
        a_free_is_behind_what_its_submission_waits_for,
        a_free_is_behind_its_own_stream_and_what_the_cpu_waited_for,
        one_submission_frees_and_no_later_one,
        an_ordered_use_after_the_free_is_none_the_less_wrong,
        a_free_of_no_memory_does_no_harm,
    };
    Suite *s = suite_create("hb_find");

    HB_CASE(s, "coherent", coherent, coherent_tests);
    return hb_suite_run(s);
}
