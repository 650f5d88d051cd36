/* SPDX-License-Identifier: MIT */
/* What the happens-before checker found, in words: docs/races.md and docs/report-json.md say what a
 * finding names. Who and where are made by hand. */
#include <check.h>
#include <string.h>

#include "checker/hb/hb_words.h"
#include "tests/hal_none.h"
#include "tests/run_rig.h"
#include "tests/suite.h"

static struct note told;

static void words_teardown(void)
{
    note_clear(&told);
    teardown();
}

static const char *tell(const struct hb_finding *f, const char *key)
{
    note_clear(&told);
    hb_words(run, f, &told);
    return note_get(&told, key);
}

static void assert_says(const char *text, const char *part)
{
    ck_assert_ptr_nonnull(text);
    ck_assert_msg(strstr(text, part) != NULL, "'%s' is not in: %s", part, text);
}

static void assert_says_not(const char *text, const char *part)
{
    ck_assert_ptr_nonnull(text);
    ck_assert_msg(strstr(text, part) == NULL, "'%s' is in: %s", part, text);
}

static struct hb_who thread(uint32_t number, enum hb_access access)
{
    return (struct hb_who){ .cpu = true, .access = access, .number = number };
}

static struct hb_who kernel(uint32_t stream, enum hb_access access)
{
    return (struct hb_who){
        .access = access, .stream = stream, .grid_id = 9, .name = "_Z5scalePi", .where = "app.cu:30"
    };
}

static struct hb_who call(uint32_t stream, enum hb_access access)
{
    return (struct hb_who){
        .access = access, .stream = stream, .name = "cudaThat", .where = "app.cu:50"
    };
}

static struct hb_finding finding(enum hb_rule rule, struct hb_who first, struct hb_who second)
{
    return (struct hb_finding){
        .rule = rule, .region = 1, .size = 4, .count = 1, .first = first, .second = second
    };
}

/* --- who -------------------------------------------------------------------------------------- */

static const struct {
    enum hb_access access;
    const char *says;
} verbs[] = {
    { HB_READ, "Race: read by kernel scale (stream 2) and write by CPU thread 3" },
    { HB_WRITE, "Race: write by kernel scale (stream 2) and write by CPU thread 3" },
    { HB_UPDATE, "Race: atomic update by kernel scale (stream 2) and write by CPU thread 3" },
    { HB_FREE, "Race: free by cudaThat (stream 2) and write by CPU thread 3" },
    { HB_ALLOC, "Race: allocation by cudaThat (stream 2) and write by CPU thread 3" },
};

START_TEST(both_sides_are_named_with_what_they_did)
{
    enum hb_access access = verbs[_i].access;
    struct hb_finding f = finding(HB_RACE, access >= HB_FREE ? call(2, access) : kernel(2, access),
                                  thread(3, HB_WRITE));

    assert_says(tell(&f, "text"), verbs[_i].says);
}
END_TEST

START_TEST(the_only_thread_has_no_number)
{
    struct hb_finding f = finding(HB_RACE, kernel(2, HB_WRITE), thread(0, HB_READ));

    assert_says(tell(&f, "text"), "and read by the CPU of the same bytes");
}
END_TEST

START_TEST(a_kernel_is_named_with_its_line)
{
    struct hb_finding f = finding(HB_RACE, kernel(2, HB_WRITE), thread(0, HB_READ));

    f.first.at = "app.cu:11";
    assert_says(tell(&f, "text"), "write by kernel scale at app.cu:11 (stream 2) and");
    f.first = (struct hb_who){ .access = HB_WRITE, .stream = 2 };
    assert_says(tell(&f, "text"), "write by an engine (stream 2) and");
}
END_TEST

/* Note 5.1.4: in standalone mode no stream, but fences order tasks. */
START_TEST(a_task_without_a_stream_is_ordered_by_fences)
{
    struct hb_finding f = finding(HB_RACE, kernel(2, HB_WRITE), call(UINT32_MAX, HB_READ));

    assert_says(tell(&f, "text"), "and read by cudaThat (no stream) of the same bytes");
    assert_says(tell(&f, "todo"), "Signal a sync object behind the write (app.cu:30), and let");
    f.event_where = "app.cu:7";
    assert_says_not(tell(&f, "text"), "4294967295");
    f = finding(HB_RACE, call(UINT32_MAX, HB_WRITE), thread(0, HB_READ));
    assert_says(tell(&f, "todo"), "wait for the fence of that task at app.cu:50 before it touches "
                                  "the bytes (NvSciSyncFenceWait)");
    assert_says_not(tell(&f, "todo"), "cudaStreamSynchronize");
    f.first.stream = 2;
    assert_says(tell(&f, "todo"), "cudaStreamSynchronize");
}
END_TEST

/* DRIVE OS: no call of CUDA maintains the CPU's caches for NvMedia 2D, and it has no events. */
START_TEST(nvmedia_has_words_of_its_own)
{
    struct hb_finding f = finding(HB_RACE, kernel(2, HB_WRITE), call(UINT32_MAX, HB_READ));

    assert_says_not(tell(&f, "todo"), "NvMedia");
    f.second.name = "NvMedia2DCompose";
    assert_says(tell(&f, "todo"), "EOF and pre-fences of an operation of NvMedia 2D");
    f = finding(HB_STALE_CLEAN_CPU, thread(0, HB_WRITE), call(UINT32_MAX, HB_READ));
    assert_says(tell(&f, "todo"), "NvSciBufObjFlushCpuCacheRange");
    f = finding(HB_STALE_CLEAN_CPU, thread(0, HB_WRITE), kernel(2, HB_READ));
    assert_says_not(tell(&f, "todo"), "NvSciBuf");
}
END_TEST

/* CUDA Runtime API, API synchronization behavior: from pageable memory to the device cudaMemcpy()
 * returns when the bytes are staged; a non-blocking stream does not wait for the default stream. */
START_TEST(a_copy_of_pageable_memory_may_be_pending)
{
    struct hb_who copy = {
        .access = HB_WRITE, .name = "cudaMemcpy", .where = "app.cu:20 in main", .staged = true
    };
    struct hb_finding f = finding(HB_RACE, copy, kernel(2, HB_READ));
    const char *text;

    note("@region id=1 kind=device size=64 len=64 api=cudaMalloc where=\"app.cu:12 in main\"");
    note("@stream number=2 nonblocking=1 where=\"app.cu:16 in main\"");
    ck_assert_str_eq(tell(&f, "rule"), "pageable-copy-pending");
    ck_assert_str_eq(tell(&f, "severity"), "warning");
    ck_assert_str_eq(tell(&f, "where"), "app.cu:20 in main");
    ck_assert_str_eq(tell(&f, "kernel"), "_Z5scalePi");
    text = tell(&f, "text");
    assert_says(text, "cudaMemcpy at app.cu:20 in main returns when the bytes of pageable memory "
                      "are staged");
    assert_says(text, "the copy from there to #1 (cudaMalloc 64 B at app.cu:12 in main) may still "
                      "be undone");
    assert_says(text, "before the read by kernel scale (stream 2), launched at app.cu:30");
    assert_says(text, "it was made non-blocking at app.cu:16 in main");
    assert_says(tell(&f, "todo"), "cudaMemcpyAsync in stream 2");
    assert_says(tell(&f, "todo"), "cudaStreamSynchronize");

    /* whichever of the two ran first */
    f = finding(HB_RACE, kernel(2, HB_READ), copy);
    f.first_late = true;
    ck_assert_str_eq(tell(&f, "rule"), "pageable-copy-pending");
    ck_assert_str_eq(tell(&f, "where"), "app.cu:20 in main");
    f.first.stream = 3; /* of which no line is known */
    assert_says_not(tell(&f, "text"), "non-blocking");
}
END_TEST

START_TEST(two_threads_are_numbered)
{
    struct hb_finding f = finding(HB_RACE, thread(3, HB_WRITE), thread(0, HB_READ));

    ck_assert_str_eq(tell(&f, "thread"), "0"); /* of the place: the second access */
    ck_assert_str_eq(tell(&f, "other_thread"), "3");
    f = finding(HB_RACE, kernel(2, HB_WRITE), thread(3, HB_READ));
    ck_assert_ptr_null(tell(&f, "thread"));
    ck_assert_ptr_null(tell(&f, "other_thread"));
}
END_TEST

/* DRIVE OS, NvSciSync; CUDA for Tegra 5.1.4: the CPU waits for neither end of an EGLStream. */
START_TEST(buffers_of_other_apis_have_their_cures)
{
    struct hb_finding cpu = finding(HB_RACE, kernel(2, HB_WRITE), thread(0, HB_READ));
    struct hb_finding streams = finding(HB_RACE, kernel(2, HB_WRITE), kernel(3, HB_READ));

    note("@region id=1 kind=shared size=64 len=64");
    assert_says(tell(&cpu, "todo"), "cudaSignalExternalSemaphoresAsync");
    assert_says(tell(&cpu, "todo"), "wait for this fence before it touches the bytes "
                                    "(NvSciSyncFenceWait)");
    cpu.sync_where = "app.cu:33 in main";
    assert_says(tell(&cpu, "todo"), "wait for the fence that is signalled behind the work at "
                                    "app.cu:33 in main before it touches the bytes "
                                    "(NvSciSyncFenceWait)");
    cpu.rule = HB_STALE_CLEAN_L2;
    assert_says(tell(&cpu, "todo"), "Wait for the fence that is signalled behind the work at "
                                    "app.cu:33 in main (NvSciSyncFenceWait)");
    cpu.sync_skips = true;
    assert_says(tell(&cpu, "todo"),
                "The signal at app.cu:33 in main does not clean the L2, because "
                "its flag SkipNvSciBufMemSync is set");
    cpu.rule = HB_STALE_INVALIDATE_L2;
    assert_says(tell(&cpu, "todo"), "The wait at app.cu:33 in main does not invalidate the L2");
    cpu.rule = HB_RACE;
    note("@region id=2 kind=pinned size=64 len=64");
    cpu.region = streams.region = 2;
    assert_says(tell(&cpu, "todo"), "cudaStreamSynchronize, cudaEventSynchronize");
    assert_says(tell(&streams, "todo"), "cudaStreamWaitEvent");
    run_region(run, 2)->frame = true;
    assert_says(tell(&cpu, "todo"), "cudaStreamSynchronize behind "
                                    "cudaEGLStreamConsumerAcquireFrame");
    cpu.frame_api = "cudaEGLStreamProducerReturnFrame";
    cpu.frame_where = "app.cu:9";
    cpu.frame_stream = 4;
    assert_says(tell(&cpu, "todo"), "(cudaStreamSynchronize behind "
                                    "cudaEGLStreamProducerReturnFrame at app.cu:9, which gave it "
                                    "in stream 4)");
    cpu.frame_apart = true;
    assert_says(tell(&cpu, "todo"), "in other streams than stream 2, so that nothing of the "
                                    "EGLStream waits for the write (app.cu:30)");
    assert_says(tell(&cpu, "todo"), "cudaEventRecord in stream 2 behind it");
    assert_says(tell(&streams, "todo"), "cudaEGLStreamProducerPresentFrame with the stream of the "
                                        "write");
    assert_says(tell(&streams, "todo"), "AcquireFrame with the stream of the read");
}
END_TEST

START_TEST(other_copies_race)
{
    struct hb_who copy = { .access = HB_WRITE, .name = "cudaMemcpyAsync", .staged = true };
    struct hb_finding f = finding(HB_RACE, copy, kernel(2, HB_READ));

    ck_assert_str_eq(tell(&f, "rule"), "race");
    f.first.name = "cudaGraphLaunch";
    ck_assert_str_eq(tell(&f, "rule"), "race");
    f.first.name = "cudaMemcpy";
    ck_assert_str_eq(tell(&f, "rule"), "pageable-copy-pending");
    f.first.staged = false; /* within device memory */
    ck_assert_str_eq(tell(&f, "rule"), "race");
    f.first.staged = true;
    f.first_late =
        true; /* the copy was called after the launch: it waits for nothing of stream 2 */
    ck_assert_str_eq(tell(&f, "rule"), "race");
}
END_TEST

/* Kernels and copies run where the device comes to them; frees and allocations are of the call. */
START_TEST(the_other_side_says_its_place)
{
    struct hb_finding f = finding(HB_RACE, thread(0, HB_WRITE), kernel(2, HB_READ));

    ck_assert_str_eq(tell(&f, "other"), "read by kernel scale (stream 2), launched at app.cu:30");
    ck_assert_ptr_null(tell(&f, "where")); /* of the CPU: not known */
    f.second = call(1, HB_WRITE);
    ck_assert_str_eq(tell(&f, "other"), "write by cudaThat (stream 1), launched at app.cu:50");
    f = finding(HB_FREED, call(1, HB_FREE), kernel(1, HB_READ));
    ck_assert_str_eq(tell(&f, "other"), "free by cudaThat (stream 1) at app.cu:50");
    ck_assert_str_eq(tell(&f, "where"), "app.cu:30");
    f = finding(HB_RACE, kernel(2, HB_READ), call(1, HB_ALLOC));
    ck_assert_str_eq(tell(&f, "other"), "allocation by cudaThat (stream 1) at app.cu:50");
    f.second.where = NULL;
    ck_assert_str_eq(tell(&f, "other"), "allocation by cudaThat (stream 1)");
}
END_TEST

/* docs/report-json.md: the place of an early free is the free's, the kernel is named beside it. */
START_TEST(an_early_free_is_the_place)
{
    struct hb_finding f = finding(HB_RACE, call(1, HB_FREE), kernel(2, HB_READ));

    ck_assert_str_eq(tell(&f, "where"), "app.cu:50");
    ck_assert_str_eq(tell(&f, "other"), "read by kernel scale (stream 2), launched at app.cu:30");
    ck_assert_str_eq(tell(&f, "kernel"), "_Z5scalePi");
    f.second = call(2, HB_READ);
    ck_assert_ptr_null(tell(&f, "kernel"));
}
END_TEST

/* Of two sides of the CPU nobody knows the one that wrote over the other. */
START_TEST(a_lost_update_is_against_who_wrote_over_it)
{
    struct hb_finding f = finding(HB_LOST_CPU, thread(1, HB_WRITE), thread(1, HB_WRITE));

    ck_assert_str_eq(tell(&f, "other"), "stores that no hook saw");
    f = finding(HB_LOST_CPU, kernel(1, HB_WRITE), thread(1, HB_WRITE));
    ck_assert_str_eq(tell(&f, "other"), "write by kernel scale (stream 1), launched at app.cu:30");
}
END_TEST

START_TEST(a_finding_has_its_numbers_and_its_standing)
{
    struct hb_finding f = finding(HB_RACE, kernel(1, HB_WRITE), thread(1, HB_WRITE));

    f.offset = 0x88;
    ck_assert_str_eq(tell(&f, "offset"), "0x88");
    ck_assert_str_eq(tell(&f, "region"), "1");
    ck_assert_ptr_null(tell(&f, "count"));
    ck_assert_str_eq(tell(&f, "severity"), "error");
    ck_assert_str_eq(tell(&f, "standing"), "documented");
    f.count = 9;
    ck_assert_str_eq(tell(&f, "count"), "9");
    f.rule = HB_STALE_LOST;
    ck_assert_str_eq(tell(&f, "standing"), "inferred");
}
END_TEST

static char *pair_of(struct hb_finding f)
{
    return g_strdup(tell(&f, "pair"));
}

/* docs/races.md: findings are merged by source lines, whatever the stream. */
START_TEST(a_pair_is_of_places)
{
    struct hb_who store = kernel(1, HB_WRITE), load = kernel(2, HB_READ), other = store;
    g_autofree char *pair = pair_of(finding(HB_RACE, store, load));
    g_autofree char *turned = pair_of(finding(HB_RACE, load, store));
    g_autofree char *stale = pair_of(finding(HB_STALE_LOST, store, load));
    g_autofree char *stale_turned = pair_of(finding(HB_STALE_LOST, load, store));

    ck_assert_ptr_nonnull(pair);
    ck_assert_str_eq(turned, pair);
    ck_assert_str_ne(stale_turned, stale); /* what is old is not what is new */
    for (unsigned i = 0; i < 6; i++) {
        g_autofree char *is = NULL;

        other = store;
        other.stream = 5;
        other.at = i == 1 ? "app.cu:11" : NULL;
        other.access = i == 2 ? HB_UPDATE : HB_WRITE;
        other.name = i == 3 ? "_Z1lv" : store.name;
        other.where = i == 4 ? "app.cu:31" : i == 5 ? NULL : store.where;
        is = pair_of(finding(HB_RACE, other, load));
        ck_assert_int_eq(g_strcmp0(is, pair) == 0, i == 0);
        ck_assert_int_eq(is == NULL, i == 5); /* a place is unknown */
    }
}
END_TEST

/* docs/races.md: where the event was recorded that the CPU, or the later stream, last waited for.
 */
START_TEST(the_event_is_the_late_sides)
{
    struct hb_finding f = finding(HB_RACE, kernel(2, HB_WRITE), thread(3, HB_READ));

    f.event_where = "app.cu:35";
    f.event_stream = 5;
    assert_says(tell(&f, "text"), " The last event that CPU thread 3 waited for was recorded at "
                                  "app.cu:35, in stream 5, not behind the write in stream 2.");
    f = finding(HB_RACE, thread(3, HB_READ), kernel(5, HB_WRITE));
    f.event_where = "app.cu:35";
    f.event_stream = 5;
    f.first_late = true;
    assert_says(tell(&f, "text"), " The last event that CPU thread 3 waited for was recorded at "
                                  "app.cu:35, in stream 5, but before the write.");
    f = finding(HB_RACE, kernel(2, HB_WRITE), kernel(4, HB_READ));
    f.event_where = "app.cu:35";
    f.event_stream = 2;
    assert_says(tell(&f, "text"), "The last event that stream 4 waited for");
}
END_TEST

/* --- what to do ------------------------------------------------------------------------------- */

#define ALLOCATOR "CUDA Driver API, Stream Ordered Memory Allocator"

/* Whichever ran first. */
START_TEST(frees_and_allocations_have_their_own_cure)
{
    struct hb_finding f = finding(HB_RACE, call(1, HB_FREE), kernel(2, HB_READ));

    assert_says(tell(&f, "todo"), "Let the stream that frees wait for the last use");
    ck_assert_str_eq(tell(&f, "section"), ALLOCATOR);
    f = finding(HB_RACE, kernel(2, HB_READ), call(1, HB_FREE));
    assert_says(tell(&f, "todo"), "Let the stream that frees wait for the last use");
    ck_assert_str_eq(tell(&f, "section"), ALLOCATOR);
    f = finding(HB_RACE, call(1, HB_ALLOC), kernel(2, HB_READ));
    assert_says(tell(&f, "todo"), "wait for its allocation");
    f = finding(HB_RACE, kernel(2, HB_READ), call(1, HB_ALLOC));
    assert_says(tell(&f, "todo"), "wait for its allocation");
    ck_assert_str_eq(tell(&f, "section"), ALLOCATOR);
    f = finding(HB_RACE, kernel(2, HB_READ), kernel(1, HB_WRITE));
    assert_says(tell(&f, "todo"), "cudaEventRecord in stream 2 behind the read (app.cu:30), then "
                                  "cudaStreamWaitEvent in stream 1 before the write (app.cu:30); "
                                  "or use");
    f.first_late = true;
    assert_says(tell(&f, "todo"), "cudaEventRecord in stream 1 behind the write (app.cu:30), then "
                                  "cudaStreamWaitEvent in stream 2 before the read (app.cu:30); "
                                  "or use");
    assert_says(tell(&f, "section"), "asynchronous concurrent execution");
}
END_TEST

/* Between two engines, too, the calls have a place: behind which line, and before which. */
START_TEST(the_cure_between_two_engines_has_its_place)
{
    struct hb_finding f = finding(HB_RACE, kernel(2, HB_WRITE), call(UINT32_MAX, HB_READ));

    assert_says(tell(&f, "todo"), "Signal a sync object behind the write (app.cu:30), and let the "
                                  "read (app.cu:50) wait for its fence");
    f.sync_where = "app.cu:33";
    assert_says(tell(&f, "todo"), "Let the read (app.cu:50) wait for the fence that is signalled "
                                  "behind the write at app.cu:33: ");
    f.second.stream = 3;
    assert_says(tell(&f, "todo"), "behind the write (app.cu:30), then cudaStreamWaitEvent in "
                                  "stream 3 before the read (app.cu:50); or use one stream.");
    f.second.stream = 2;
    assert_says(tell(&f, "todo"), "make the write (app.cu:30) a dependency of the read "
                                  "(app.cu:50)");
    f.first.where = NULL;
    assert_says(tell(&f, "todo"), "make the write a dependency of the read (app.cu:50)");
    f = finding(HB_RACE, call(1, HB_FREE), kernel(2, HB_READ));
    assert_says(tell(&f, "todo"), "cudaEventRecord after that use (app.cu:30) in its stream, and "
                                  "cudaStreamWaitEvent in this one before the free (app.cu:50).");
    f = finding(HB_RACE, call(1, HB_ALLOC), kernel(2, HB_READ));
    assert_says(tell(&f, "todo"), "cudaEventRecord after it (app.cu:50) in its stream, and "
                                  "cudaStreamWaitEvent in the other one before the use "
                                  "(app.cu:30).");
}
END_TEST

/* What is missing is the way from the thread that has waited to the other one. */
START_TEST(the_thread_that_has_waited_is_named)
{
    struct hb_finding f = finding(HB_RACE, kernel(2, HB_WRITE), thread(3, HB_READ));

    assert_says(tell(&f, "todo"), "Let the CPU wait for that stream");
    f.waited = true;
    f.waiter = 4;
    assert_says(tell(&f, "todo"),
                "CPU thread 4 has waited for this work, CPU thread 3 has not: let the second");
    f = finding(HB_RACE, thread(5, HB_READ), kernel(2, HB_WRITE));
    f.waited = true;
    assert_says(tell(&f, "todo"), "CPU thread 0 has waited for this work, CPU thread 5 has not");
}
END_TEST

/* CUDA Runtime API, cudaLaunchHostFunc: a host function may not call CUDA. It runs on a thread of
 * the driver's, so never on the first. */
START_TEST(where_a_host_function_may_be_the_stream_waits)
{
    struct hb_finding f = finding(HB_RACE, kernel(2, HB_WRITE), thread(0, HB_READ));

    assert_says_not(tell(&f, "todo"), "host function");
    f.second.number = 1;
    assert_says(tell(&f, "todo"), "host function, which may not call CUDA");
    f = finding(HB_RACE, thread(1, HB_READ), kernel(2, HB_WRITE));
    assert_says(tell(&f, "todo"), "host function, which may not call CUDA");
}
END_TEST

/* --- what is wrong ---------------------------------------------------------------------------- */

START_TEST(each_kind_of_finding_has_its_sentence)
{
    struct hb_finding f = finding(HB_FREED, call(1, HB_FREE), kernel(1, HB_READ));

    assert_says(tell(&f, "text"), "Use after free: the read by kernel scale (stream 1) of memory "
                                  "that cudaThat (stream 1) frees comes after the free");
    f = finding(HB_STALE_CLEAN_L2, kernel(1, HB_WRITE), thread(0, HB_READ));
    assert_says(tell(&f, "text"),
                "Stale: the read by the CPU after the write by kernel scale (stream 1) got older");
    f = finding(HB_LOST_CPU, kernel(1, HB_WRITE), thread(0, HB_WRITE));
    assert_says(tell(&f, "text"), "Lost: the write by kernel scale (stream 1) (4 bytes) was");
    f.size = 1;
    assert_says(tell(&f, "text"), "(1 byte) was");
    f = finding(HB_LOST_L2, thread(0, HB_WRITE), kernel(1, HB_WRITE));
    assert_says(tell(&f, "text"), "Lost: the write by the CPU (4 bytes) was");
}
END_TEST

/* CUDA Programming Guide, NVSCI interoperability: semaphores maintain the L2 for NvSciBuf memory,
 * and no wait for a stream does. */
START_TEST(nvscibuf_memory_is_maintained_by_semaphores)
{
    struct hb_finding f = finding(HB_STALE_CLEAN_L2, kernel(1, HB_WRITE), thread(0, HB_READ));

    note("@region id=1 kind=managed va=0x1000 size=4096 len=4096");
    assert_says(tell(&f, "todo"), "Synchronise through the API");
    note("@region id=2 kind=shared va=0x9000 size=4096 len=4096");
    f.region = 2;
    assert_says(tell(&f, "todo"), "cudaSignalExternalSemaphoresAsync");
    assert_says_not(tell(&f, "todo"), "unified");
    f = finding(HB_STALE_INVALIDATE_L2, thread(0, HB_WRITE), kernel(1, HB_READ));
    f.region = 2;
    assert_says(tell(&f, "todo"), "cudaWaitExternalSemaphoresAsync");
}
END_TEST

/* docs/report-json.md, "streams": of a race between two streams the pair, whichever came first. */
START_TEST(streams_are_a_pair_without_order)
{
    struct hb_finding f = finding(HB_RACE, kernel(7, HB_WRITE), kernel(2, HB_READ));

    ck_assert_str_eq(tell(&f, "streams"), "2,7");
    f = finding(HB_RACE, kernel(2, HB_WRITE), kernel(7, HB_READ));
    ck_assert_str_eq(tell(&f, "streams"), "2,7");
    f = finding(HB_RACE, kernel(7, HB_WRITE), kernel(7, HB_READ));
    ck_assert_str_eq(tell(&f, "streams"), "7");
    f = finding(HB_RACE, thread(1, HB_WRITE), kernel(7, HB_READ));
    ck_assert_str_eq(tell(&f, "streams"), "7");
    f = finding(HB_RACE, kernel(7, HB_READ), thread(1, HB_WRITE));
    ck_assert_str_eq(tell(&f, "streams"), "7");
    f = finding(HB_RACE, thread(1, HB_WRITE), thread(2, HB_WRITE));
    ck_assert_ptr_null(tell(&f, "streams"));
}
END_TEST

/* docs/report-json.md, "run": the command, whole; options only where a trace knows no more. */
static const struct {
    const char *header, *run;
} runs[] = {
    { "@run soc=orin policy=lazy evict=lru seed=7", "--soc orin --policy lazy --evict lru" },
    { "@run soc=orin policy=seeded evict=lru seed=7",
      "--soc orin --policy seeded --evict lru --seed 7" },
    { "@run soc=orin policy=lazy evict=seeded seed=7",
      "--soc orin --policy lazy --evict seeded --seed 7" },
    { "@run soc=orin policy=seeded evict=lru again=\"vtegra run --seed 7 ./p\"",
      "vtegra run --seed 7 ./p" },
    { "@run soc=orin policy=lazy", NULL },
    { "@run soc=orin evict=lru", NULL },
};

START_TEST(the_run_can_be_made_again)
{
    struct hb_finding f = finding(HB_RACE, kernel(7, HB_WRITE), kernel(2, HB_READ));

    note(runs[_i].header);
    if (runs[_i].run) {
        ck_assert_str_eq(tell(&f, "run"), runs[_i].run);
    } else {
        ck_assert_ptr_null(tell(&f, "run"));
    }
}
END_TEST

/* --- of another process --------------------------------------------------------------------------
 */

static struct hb_who foreign(enum hb_access access, bool cpu)
{
    return (struct hb_who){ .cpu = cpu,
                            .access = access,
                            .stream = HB_NO_STREAM,
                            .process = 2,
                            .name = cpu ? "the CPU of process 2" : "work of process 2" };
}

/* Its names are in its own report; this process's place is where the finding is. */
START_TEST(work_of_another_process_is_told_by_its_number)
{
    struct hb_finding f = finding(HB_RACE, foreign(HB_WRITE, false), kernel(3, HB_READ));

    assert_says(tell(&f, "text"), "Race: write by work of process 2 and read by kernel scale "
                                  "(stream 3) of the same bytes");
    ck_assert_str_eq(tell(&f, "where"), "app.cu:30");
    ck_assert_str_eq(tell(&f, "other"), "write by work of process 2");
    ck_assert_str_eq(tell(&f, "streams"), "3");
    assert_says(tell(&f, "todo"), "Signal a sync object behind the write by work of process 2");
    assert_says(tell(&f, "todo"), "let the read by kernel scale (stream 3) wait for it");
    assert_says(tell(&f, "todo"), "NvSciSyncIpcExportFence");
    assert_says(tell(&f, "todo"), "cudaIpcOpenEventHandle");
}
END_TEST

/* The one that was submitted later has to wait. */
START_TEST(overwriting_what_another_process_reads)
{
    struct hb_finding f = finding(HB_RACE, kernel(3, HB_WRITE), foreign(HB_READ, false));

    f.first_late = true;
    ck_assert_str_eq(tell(&f, "where"), "app.cu:30");
    assert_says(tell(&f, "todo"), "Signal a sync object behind the read by work of process 2");
    assert_says(tell(&f, "todo"), "let the write by kernel scale (stream 3) wait for it");
}
END_TEST

START_TEST(the_cpu_of_either_process_waits_for_a_fence)
{
    struct hb_finding f = finding(HB_RACE, foreign(HB_WRITE, false), thread(0, HB_READ));

    assert_says(tell(&f, "todo"), "Let the CPU wait for a fence of the write by work of process 2");
    assert_says(tell(&f, "todo"), "NvSciSyncFenceWait");
    ck_assert_ptr_null(tell(&f, "streams"));
    f = finding(HB_RACE, kernel(3, HB_WRITE), foreign(HB_READ, true));
    assert_says(tell(&f, "text"), "read by the CPU of process 2");
    assert_says(tell(&f, "todo"), "Let the CPU of process 2 wait for a fence of the write by "
                                  "kernel scale (stream 3)");
    ck_assert_str_eq(tell(&f, "where"), "app.cu:30");
}
END_TEST

START_TEST(a_kernel_that_waits_for_the_cpu_is_not_waited_for)
{
    struct hb_finding f = finding(HB_RACE, thread(0, HB_WRITE), kernel(2, HB_READ));

    f.second.flag = "k.cu:12";
    assert_says(tell(&f, "todo"), "looks at a flag of the CPU at k.cu:12 while it runs");
    assert_says(tell(&f, "todo"), "Store the bytes before the flag, and the flag with release");
    assert_says_not(tell(&f, "todo"), "cudaStreamSynchronize");
    f = finding(HB_RACE, kernel(2, HB_WRITE), thread(0, HB_READ));
    f.first.flag = "";
    assert_says(tell(&f, "todo"), "with __threadfence_system() between the two");
}
END_TEST

START_TEST(the_wait_for_another_event_is_mended)
{
    struct hb_finding f = finding(HB_RACE, kernel(2, HB_WRITE), thread(0, HB_READ));

    ck_assert_ptr_null(tell(&f, "event"));
    f.event_where = "app.cu:35";
    f.event_stream = 5;
    assert_says(tell(&f, "event"), "was recorded at app.cu:35, in stream 5, not behind");
    assert_says(tell(&f, "todo"), "The CPU waits for another event, recorded at app.cu:35 in "
                                  "stream 5: let it wait for one that is recorded in stream 2 "
                                  "behind the write (app.cu:30)");
    f.event_stream = 2;
    assert_says(tell(&f, "todo"), "record the event of app.cu:35 behind the write (app.cu:30)");
    f.event_where = NULL;
    f.second.where = "app.cu:40";
    f.region = 1;
    note("@region id=1 kind=pinned size=64 len=64");
    tell(&f, "pair");
    run_note(run, &told);
    f.event_where = "app.cu:36";
    tell(&f, "pair");
    run_note(run, &told);
    tell(&f, "pair");
    run_note(run, &told);
    ck_assert_uint_eq(run->findings->len, 1);
    assert_says(((struct run_finding *)run->findings->pdata[0])->text,
                "In another of these: The last event that the CPU waited for was recorded at "
                "app.cu:36");
    assert_says(((struct run_finding *)run->findings->pdata[0])->todo,
                "record the event of app.cu:36");
}
END_TEST

/* CUDA Runtime API, cudaLaunchHostFunc: the function runs behind the stream's work. A mutex gives
 * no order of the two. */
START_TEST(a_host_function_is_waited_for)
{
    struct hb_finding f = finding(HB_RACE, thread(1, HB_WRITE), thread(0, HB_READ));

    assert_says(tell(&f, "todo"), "a mutex, a join, or an atomic flag");
    f.function = true;
    assert_says(tell(&f, "todo"), "cudaStreamSynchronize behind cudaLaunchHostFunc (or");
    assert_says(tell(&f, "todo"), "A mutex does not do");
    f.function_where = "app.cu:34 in main";
    f.function_api = "cudaLaunchHostFunc";
    f.function_stream = 2;
    assert_says(tell(&f, "todo"), "cudaStreamSynchronize behind cudaLaunchHostFunc at app.cu:34 in "
                                  "main in stream 2");
}
END_TEST

int main(void)
{
    Suite *s = suite_create("hb_words");
    TCase *t = tcase_create("hb_words");

    tcase_add_checked_fixture(t, setup, words_teardown);
    tcase_add_loop_test(t, both_sides_are_named_with_what_they_did, 0, G_N_ELEMENTS(verbs));
    tcase_add_test(t, the_only_thread_has_no_number);
    tcase_add_test(t, a_kernel_is_named_with_its_line);
    tcase_add_test(t, a_copy_of_pageable_memory_may_be_pending);
    tcase_add_test(t, two_threads_are_numbered);
    tcase_add_test(t, buffers_of_other_apis_have_their_cures);
    tcase_add_test(t, other_copies_race);
    tcase_add_test(t, the_other_side_says_its_place);
    tcase_add_test(t, an_early_free_is_the_place);
    tcase_add_test(t, a_lost_update_is_against_who_wrote_over_it);
    tcase_add_test(t, a_finding_has_its_numbers_and_its_standing);
    tcase_add_test(t, a_pair_is_of_places);
    tcase_add_test(t, the_event_is_the_late_sides);
    tcase_add_test(t, frees_and_allocations_have_their_own_cure);
    tcase_add_test(t, the_cure_between_two_engines_has_its_place);
    tcase_add_test(t, a_task_without_a_stream_is_ordered_by_fences);
    tcase_add_test(t, nvmedia_has_words_of_its_own);
    tcase_add_test(t, the_thread_that_has_waited_is_named);
    tcase_add_test(t, where_a_host_function_may_be_the_stream_waits);
    tcase_add_test(t, each_kind_of_finding_has_its_sentence);
    tcase_add_test(t, nvscibuf_memory_is_maintained_by_semaphores);
    tcase_add_test(t, streams_are_a_pair_without_order);
    tcase_add_test(t, work_of_another_process_is_told_by_its_number);
    tcase_add_test(t, overwriting_what_another_process_reads);
    tcase_add_test(t, a_kernel_that_waits_for_the_cpu_is_not_waited_for);
    tcase_add_test(t, the_wait_for_another_event_is_mended);
    tcase_add_test(t, a_host_function_is_waited_for);
    tcase_add_test(t, the_cpu_of_either_process_waits_for_a_fence);
    tcase_add_loop_test(t, the_run_can_be_made_again, 0, G_N_ELEMENTS(runs));
    suite_add_tcase(s, t);
    return suite_main(s);
}
