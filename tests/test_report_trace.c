/* SPDX-License-Identifier: MIT */
/* Reports of traces: of other machines, cut off, damaged. */
#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "tests/hal_none.h"
#include "tests/report_rig.h"
#include "tests/suite.h"
#include "tools/trace/trace_report.h"
#include "trace/tracefile.h"

static const struct {
    const char *text, *error;
} bad_traces[] = {
    { "", "it is empty: no @run line was written yet (the program was killed" },
    { "not a trace\n", ":1: not a line of a trace file" },
    { "not a trace", ":1: not a line of a trace file" }, /* cut or not, it is none */
    { "# vtegra trace 1\n@run soc=tx2\n@region id\n", ":3: not a line" },
    { "# vtegra trace 1\n@run soc=tx2\n12 cpu NOSUCHEVENT\n", ":3: not a line" },
    { "# vtegra trace 1\n@run soc=\"tx2\n", ":2: not a line" },
    { "# vtegra trace 1\n@run soc=tx2\n1 igpu SUM_READ region=1 bytes=x\n", ":3: not a line" },
};

START_TEST(trace_that_is_none_is_an_error_with_its_line)
{
    char *err;

    ck_assert(g_file_set_contents(trace_path, bad_traces[_i].text, -1, NULL));
    ck_assert_int_eq(
        trace_report(trace_path,
                     &(struct trace_report_out){ .report_path = report_path, .json_path = NULL }),
        -EINVAL);
    err = content(err_path);
    assert_has(err, bad_traces[_i].error);
    g_free(err);
    ck_assert(!g_file_test(report_path, G_FILE_TEST_EXISTS));
}
END_TEST

START_TEST(trace_of_a_killed_run_is_reported_as_far_as_it_goes)
{
    char *trace, *err, *report;

    run_pipeline(NULL, NULL, trace_path);
    trace = content(trace_path);
    ck_assert(g_file_set_contents(trace_path, trace, (gssize)strlen(trace) * 2 / 3, NULL));
    ck_assert_int_eq(
        trace_report(trace_path,
                     &(struct trace_report_out){ .report_path = report_path, .json_path = NULL }),
        0);
    err = content(err_path);
    assert_has(err, "the trace ends before the run did: it was cut off (the program was killed");
    report = content(report_path);
    assert_has(report, "#1  pinned");
    g_free(trace);
    g_free(err);
    g_free(report);
}
END_TEST

START_TEST(report_that_cannot_be_written_is_an_error)
{
    g_autofree char *err = NULL;

    run_pipeline(NULL, NULL, trace_path);
    ck_assert_int_eq(
        trace_report(trace_path,
                     &(struct trace_report_out){ .report_path = "/dev/full", .json_path = NULL }),
        -EIO);
    ck_assert_int_eq(
        trace_report(trace_path, &(struct trace_report_out){ .report_path = report_path,
                                                             .json_path = "/dev/full" }),
        -EIO);
    err = content(err_path);
    assert_has(err, "vtegra: report /dev/full: No space left");
    assert_has(err, "vtegra: JSON report /dev/full: No space left");
}
END_TEST

/* Lines that say nothing, and bytes that are no text. */
START_TEST(empty_lines_are_passed_over_and_nul_is_none)
{
    static const char nul[] = "# vtegra trace 1\n@run soc=tx2\n@end time_ns=1\0\n";
    g_autofree char *err = NULL;

    ck_assert(
        g_file_set_contents(trace_path, "# vtegra\n\n@run soc=tx2\n\n@end time_ns=1\n", -1, NULL));
    ck_assert_int_eq(
        trace_report(trace_path,
                     &(struct trace_report_out){ .report_path = report_path, .json_path = NULL }),
        0);
    ck_assert(g_file_set_contents(trace_path, nul, sizeof(nul) - 1, NULL));
    ck_assert_int_eq(
        trace_report(trace_path,
                     &(struct trace_report_out){ .report_path = report_path, .json_path = NULL }),
        -EINVAL);
    err = content(err_path);
    assert_has(err, ":3: not a line");
    ck_assert_ptr_null(strstr(err, "the trace ends before the run did")); /* it had its end */
}
END_TEST

static long rss_kib(void)
{
    struct rusage usage;

    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
}

/* Some KB of a compact file hold any length of text. */
START_TEST(line_of_256_mib_is_refused_before_it_is_in_memory)
{
    g_autofree char *packed = g_strconcat(trace_path, ".zst", NULL), *err = NULL,
                    *part = g_strnfill(1 << 20, 'a');
    struct tracefile *file = tracefile_open(packed);
    long before;

    tracefile_line(file, "# vtegra trace 1");
    for (unsigned i = 0; i < 256; i++) {
        tracefile_bytes(file, part, 1 << 20);
    }
    tracefile_close(file);
    before = rss_kib();
    ck_assert_int_eq(trace_report(packed, &(struct trace_report_out){ .report_path = report_path }),
                     -EINVAL);
    err = content(err_path);
    assert_has(err, ":2: not a line of a trace file");
    ck_assert_int_lt(rss_kib() - before, 64 << 10);
    unlink(packed);
}
END_TEST

/* ECMA-48: ESC ] 0 ; sets a title, CSI (also as one character, U+009B) moves and deletes. */
START_TEST(control_characters_of_names_do_not_reach_a_terminal)
{
    static const char trace[] =
        "# vtegra trace 1\n"
        "@run soc=tx2 program=\"a\\033]0;title\\007\" cc=62\n"
        "@region id=1 kind=pinned va=0x1000 size=64 len=64 api=\"x\\302\\233y\\233\"\n"
        "@finding severity=error rule=\"r\\033[1m\" text=\"caf\\303\\251 \\033[2J\" "
        "where=\"w\\177\"\n"
        "@end time_ns=1\n";
    g_autofree char *report = NULL, *err = NULL;

    ck_assert(g_file_set_contents(trace_path, trace, -1, NULL));
    ck_assert_int_eq(
        trace_report(trace_path, &(struct trace_report_out){ .report_path = report_path }), 0);
    report = content(report_path);
    for (const char *c = report; *c; c++) {
        ck_assert_msg((unsigned char)*c >= ' ' || *c == '\n', "%s", report);
    }
    assert_has(report, "a\\033]0;title\\007");
    assert_has(report, "x\\302\\233y\\233");
    assert_has(report, "caf\xc3\xa9 \\033[2J");
    assert_has(report, "w\\177");
    ck_assert(g_file_set_contents(trace_path, "# vtegra trace 2\033[2J\n", -1, NULL));
    ck_assert_int_eq(
        trace_report(trace_path, &(struct trace_report_out){ .report_path = report_path }),
        -EINVAL);
    err = content(err_path);
    assert_has(err, "trace 2\\033[2J\"");
}
END_TEST

/* A trace from elsewhere: nobody has looked for races in it. "hb=1" in its header says that
 * somebody has. */
static void race_trace(const char *header)
{
    FILE *f = fopen(trace_path, "w");

    ck_assert_ptr_nonnull(f);
    fprintf(f,
            "%s\n"
            "0 driver REGION_ADD region=1 pa=0x80000000 len=4096 cpu_cached=1\n"
            "@region id=1 kind=pinned cpu_cached=1 va=0x1000 size=4096 len=4096 api=cudaHostAlloc\n"
            "@kernel id=1 name=_Z5scalePi stream=2 grid=1,1,1 block=1,1,1 where=app.cu:30\n"
            "1 cpu DOORBELL channel=3 put=1\n"
            "2 cpu CPU_STORE region=1 va=0x1008 len=4 hit=1 pa=0x80000008 sync=0\n"
            "3 host SEGMENT by=4 channel=3 get=1\n"
            "4 igpu GRID_BEGIN by=4 channel=3 qmd=0x100 entry=0 grid_id=1\n"
            "5 igpu GPU_LOAD region=1 by=4 va=0x1000 low=0xff00 high=0x0 scope=0 cached=0 "
            "pa=0x80000000\n"
            "5 igpu GPU_LOAD region=1 by=4 va=0x1000 low=0xff00 high=0x0 scope=0 cached=0 "
            "pa=0x80000000\n"
            "@end time_ns=9\n",
            header);
    fclose(f);
    ck_assert_int_eq(
        trace_report(trace_path, &(struct trace_report_out){ .report_path = report_path,
                                                             .json_path = json_path }),
        0);
}

START_TEST(races_in_a_trace_from_elsewhere_are_found)
{
    g_autofree char *text_json = NULL;
    char *text;

    race_trace("@run program=app soc=orin policy=lazy evict=lru io_coherent=1");
    ck_assert(g_file_get_contents(report_path, &text, NULL, NULL));
    text_json = content(json_path);
    ck_assert_ptr_nonnull(strstr(text, "race (documented"));
    ck_assert_ptr_nonnull(strstr(text, "kernel scale (stream 2)"));
    ck_assert_ptr_nonnull(strstr(text, "offset 0x8"));
    ck_assert_ptr_nonnull(strstr(text, "(2 times"));
    ck_assert_ptr_nonnull(strstr(text_json, "\"checked\" : true"));
    /* The place is the CPU's, which a trace does not have; the kernel's is told beside it. */
    ck_assert_ptr_null(strstr(text, "where         app.cu:30"));
    ck_assert_ptr_nonnull(
        strstr(text, "against       read by kernel scale (stream 2), launched at app.cu:30"));
    ck_assert_ptr_nonnull(strstr(text, "--soc orin --policy lazy --evict lru"));
    g_free(text);
    race_trace("@run program=app soc=orin policy=lazy evict=lru io_coherent=1 hb=1");
    ck_assert(g_file_get_contents(report_path, &text, NULL, NULL));
    ck_assert_ptr_null(strstr(text, "race (documented"));
    g_free(text);
}
END_TEST

/* A kernel @name of a stream and what it does to 8 bytes of a buffer. */
static void work(GString *trace, const char *name, unsigned line, unsigned stream,
                 const char *event, unsigned buffer)
{
    static unsigned id;

    g_string_append_printf(trace, "@kernel id=%u name=%s stream=%u grid=1,1,1 block=1,1,1", ++id,
                           name, stream);
    if (line) {
        g_string_append_printf(trace, " where=app.cu:%u", line);
    }
    g_string_append_printf(trace,
                           "\n1 cpu DOORBELL channel=%u put=%u\n"
                           "1 host SEGMENT by=%u channel=%u get=%u\n"
                           "1 igpu GRID_BEGIN by=%u channel=%u qmd=0x100 entry=0 grid_id=%u\n"
                           "1 igpu %s region=%u by=%u va=0x%x000 low=0xff00 high=0x0 scope=0 "
                           "cached=1 pa=0x8000%x000\n",
                           stream, id, stream + 1, stream, id, stream + 1, stream, id, event,
                           buffer, stream + 1, buffer, buffer);
}

/* A pool of four frames; a kernel of stream 1 writes each, kernels of the streams 2 and 3 read it,
 * after or before that: one defect, in eight places of memory and time. Where one launch is not
 * known: eight. */
static const struct {
    unsigned launch;
    const char *in, *not_in;
} pools[] = {
    { 30,
      "same bytes; nothing orders the two. (8 times, in 4 buffers, in 2 pairs of streams; what "
      "follows is the first)",
      " 2. error" },
    { 0, " 8. error", " times, in" },
};

START_TEST(a_pool_of_frames_has_one_finding)
{
    GString *trace =
        g_string_new("@run program=app soc=orin policy=lazy evict=lru io_coherent=1\n");
    g_autofree char *text = NULL;

    for (unsigned i = 1; i <= 4; i++) {
        g_string_append_printf(
            trace,
            "0 driver REGION_ADD region=%u pa=0x8000%x000 len=4096 cpu_cached=0\n"
            "@region id=%u kind=device va=0x%x000 size=4096 len=4096 api=cudaMalloc "
            "where=app.cu:9\n",
            i, i, i, i);
        for (unsigned k = 0; k < 3; k++) {
            if (k == (i % 2 ? 0 : 2)) {
                work(trace, "fill", pools[_i].launch, 1, "GPU_STORE", i);
            } else {
                work(trace, "use", 40, k == 1 ? 2 : 3, "GPU_LOAD", i);
            }
        }
    }
    g_string_append(trace, "@end time_ns=9\n");
    ck_assert(g_file_set_contents(trace_path, trace->str, -1, NULL));
    ck_assert_int_eq(
        trace_report(trace_path,
                     &(struct trace_report_out){ .report_path = report_path, .json_path = NULL }),
        0);
    text = flat(report_path);
    assert_has(text, pools[_i].in);
    ck_assert_ptr_null(strstr(text, pools[_i].not_in));
    assert_has(text, "buffer #1 (cudaMalloc 4.0 KiB at app.cu:9), offset 0x8");
    g_string_free(trace, TRUE);
}
END_TEST

/* Two streams that an event does not order: it stands for what was in its stream before it. */
static const struct {
    unsigned recorded_in, id;
    const char *says;
} events[] = {
    { 1, 5,
      "nothing orders the two. The last event that stream 3 waited for was recorded at "
      "app.cu:35, in stream 1, but before the write." },
    { 2, 6,
      "nothing orders the two. The last event that stream 3 waited for was recorded at "
      "app.cu:35, in stream 2, not behind the write in stream 1." },
};

START_TEST(an_event_that_does_not_help_is_told)
{
    GString *trace = g_string_new("@run program=app soc=orin policy=lazy evict=lru io_coherent=1\n"
                                  "0 driver REGION_ADD region=1 pa=0x80001000 len=4096 "
                                  "cpu_cached=0\n"
                                  "@region id=1 kind=device va=0x1000 size=4096 len=4096 "
                                  "api=cudaMalloc\n");
    unsigned by = events[_i].recorded_in + 1;
    g_autofree char *text = NULL;

    work(trace, "other", 20, events[_i].recorded_in, "GPU_LOAD", 2);
    g_string_append_printf(trace,
                           "1 host SYNCPT_INCR by=%u id=%u value=1\n"
                           "@event api=cudaEventRecord stream=%u syncpt=%u value=1 "
                           "where=app.cu:35\n",
                           by, events[_i].id, events[_i].recorded_in, events[_i].id);
    work(trace, "fill", 30, 1, "GPU_STORE", 1);
    g_string_append_printf(trace, "1 host SYNCPT_WAIT channel=3 id=%u threshold=1 value=1\n",
                           events[_i].id);
    work(trace, "use", 40, 3, "GPU_LOAD", 1);
    g_string_append(trace, "@end time_ns=9\n");
    ck_assert(g_file_set_contents(trace_path, trace->str, -1, NULL));
    ck_assert_int_eq(
        trace_report(trace_path,
                     &(struct trace_report_out){ .report_path = report_path, .json_path = NULL }),
        0);
    text = flat(report_path);
    assert_has(text, events[_i].says);
    g_string_free(trace, TRUE);
}
END_TEST

/* A free in one stream and a use in another: whichever ran first, the free's line is the place, and
 * the use is told beside it. A use behind the free in its own stream is the place itself. */
static const struct {
    const char *use_channel, *first, *place, *other, *rule;
} frees[] = {
    { "4", "free", "app.cu:50",
      "against       read by kernel use (stream 2), launched at app.cu:40",
      "race (documented: CUDA Driver API, Stream Ordered Memory Allocator)" },
    { "4", "use", "app.cu:50", "against       read by kernel use (stream 2), launched at app.cu:40",
      "race (documented: CUDA Driver API, Stream Ordered Memory Allocator)" },
    { "3", "free", "app.cu:40", "against       free by cudaFreeAsync (stream 1) at app.cu:50",
      "use-after-free (documented: CUDA Driver API, Stream Ordered Memory" },
};

START_TEST(an_early_free_in_a_stream_is_the_place)
{
    const char *ch = frees[_i].use_channel, *by = ch[0] == '4' ? "5" : "4";
    g_autofree char *use = g_strdup_printf(
        "@kernel id=1 name=use stream=2 grid=1,1,1 block=1,1,1 where=app.cu:40\n"
        "1 cpu DOORBELL channel=%s put=9\n"
        "1 host SEGMENT by=%s channel=%s get=9\n"
        "1 igpu GRID_BEGIN by=%s channel=%s qmd=0x100 entry=0 grid_id=1\n"
        "1 igpu GPU_LOAD region=1 by=%s va=0x1000 low=0xff00 high=0x0 scope=0 cached=1 "
        "pa=0x80000000\n",
        ch, by, ch, by, ch, by);
    const char *free_it = "@free_async api=cudaFreeAsync region=1 stream=1 where=app.cu:50\n"
                          "1 cpu DOORBELL channel=3 put=1\n"
                          "1 host SEGMENT by=4 channel=3 get=1\n"
                          "1 host SYNCPT_INCR by=4 id=5 value=1\n";
    bool first = strcmp(frees[_i].first, "free") == 0;
    g_autofree char *trace =
        g_strconcat("@run program=app soc=orin policy=lazy evict=lru io_coherent=1\n"
                    "0 driver REGION_ADD region=1 pa=0x80000000 len=4096 cpu_cached=0\n"
                    "@region id=1 kind=device va=0x1000 size=4096 len=4096 api=cudaMallocAsync\n",
                    first ? free_it : use, first ? use : free_it, "@end time_ns=9\n", NULL);
    g_autofree char *text = NULL, *place = g_strdup_printf("where         %s\n", frees[_i].place);

    ck_assert(g_file_set_contents(trace_path, trace, -1, NULL));
    ck_assert_int_eq(
        trace_report(trace_path,
                     &(struct trace_report_out){ .report_path = report_path, .json_path = NULL }),
        0);
    ck_assert(g_file_get_contents(report_path, &text, NULL, NULL));
    assert_has(text, place);
    assert_has(text, frees[_i].other);
    assert_has(text, frees[_i].rule);
    assert_has(text, "kernel        use\n");
    ck_assert_int_eq(strstr(text, "cudaStreamWaitEvent in this one before") != NULL, _i < 2);
    ck_assert_int_eq(strstr(text, "queue the free behind that use") != NULL, _i == 2);
}
END_TEST

/* In QEMU the machine sees the CPU's accesses: nobody is sent to look for hooks, and stale bytes
 * are said to be absent only if they were looked for. */
START_TEST(machine_that_sees_the_cpu_is_named)
{
    g_autofree char *run = g_strdup_printf(
        "@run program=app soc=tx2 policy=lazy evict=lru hb=%d machine_sees_cpu=1\n", _i);
    g_autofree char *trace =
        g_strconcat(run,
                    "0 driver REGION_ADD region=1 pa=0x80000000 len=4096 cpu_cached=1\n"
                    "@region id=1 kind=managed cpu_cached=1 va=0x1000 size=4096 len=4096 "
                    "api=cudaMallocManaged\n"
                    "@end time_ns=9\n",
                    NULL);
    char *text;

    ck_assert(g_file_set_contents(trace_path, trace, -1, NULL));
    ck_assert_int_eq(
        trace_report(trace_path,
                     &(struct trace_report_out){ .report_path = report_path, .json_path = NULL }),
        0);
    ck_assert(g_file_get_contents(report_path, &text, NULL, NULL));
    ck_assert_ptr_nonnull(strstr(text, "exact (the machine in QEMU"));
    ck_assert_int_eq(strstr(text, "QEMU's own report") != NULL, _i == 0);
    ck_assert_int_eq(strstr(text, "VTEGRA_CHECK=on") != NULL, _i == 0);
    ck_assert_ptr_null(strstr(text, "--track"));
    g_free(text);
}
END_TEST

/* The head says "exact" without a but only where all code is. */
static const struct {
    const char *notes, *says[3];
} hooked[] = {
    { "@hooks\n", { "exact (compiler hooks; code", "", "  none\n" } },
    { "@hooks\n@object name=app hooks=all\n", { "exact (compiler hooks in all", "", "  none\n" } },
    { "@hooks\n@object name=app hooks=all\n@object name=l.so hooks=none\n",
      { "exact for code with compiler hooks only", "without hooks l.so\n",
        "the head says which" } },
    { "@hooks\n@object name=app hooks=some\n@without-hooks object=app file=a.c\n"
      "@without-hooks object=app function=f\n",
      { "exact for code with compiler hooks only",
        "without hooks of app a.c, and what was compiled without -g: f\n",
        "the head says which" } },
    { "@hooks\n@object name=app hooks=unknown\n",
      { "exact for code with compiler hooks only", "hooks unknown app: ", "the head says which" } },
    { "@object name=app hooks=unheard\n",
      { "seen per page", "hooks ignored app: hooks of another version", "  none\n" } },
};

START_TEST(code_without_hooks_is_named)
{
    g_autofree char *trace =
        g_strconcat("@run program=app soc=tx2 policy=lazy evict=lru hb=1\n", hooked[_i].notes,
                    "@region id=1 kind=managed cpu_cached=1 va=0x1000 size=4096 len=4096 "
                    "api=cudaMallocManaged\n@end time_ns=9\n",
                    NULL);
    char *text;

    ck_assert(g_file_set_contents(trace_path, trace, -1, NULL));
    ck_assert_int_eq(
        trace_report(trace_path,
                     &(struct trace_report_out){ .report_path = report_path, .json_path = NULL }),
        0);
    ck_assert(g_file_get_contents(report_path, &text, NULL, NULL));
    for (unsigned i = 0; i < 3; i++) {
        ck_assert_msg(strstr(text, hooked[_i].says[i]) != NULL, "no \"%s\" in %s",
                      hooked[_i].says[i], text);
    }
    g_free(text);
}
END_TEST

START_TEST(missing_trace_is_an_error)
{
    ck_assert_int_eq(
        trace_report("/nonexistent/t",
                     &(struct trace_report_out){ .report_path = report_path, .json_path = NULL }),
        -ENOENT);
}
END_TEST

/* Any line of the trace damaged in any way: an error or a report, never a crash. */
START_TEST(damaged_traces_do_no_harm)
{
    GRand *rand = g_rand_new_with_seed(4711);
    char *trace, *damaged;
    gsize len;

    run_pipeline(NULL, NULL, trace_path);
    ck_assert(g_file_get_contents(trace_path, &trace, &len, NULL));
    for (int i = 0; i < 300; i++) {
        damaged = g_memdup2(trace, len);
        for (int k = 0; k < 3; k++) {
            damaged[g_rand_int_range(rand, 0, (gint32)len)] = (char)g_rand_int_range(rand, 0, 256);
        }
        ck_assert(g_file_set_contents(trace_path, damaged, (gssize)len, NULL));
        trace_report(trace_path, &(struct trace_report_out){ .report_path = report_path,
                                                             .json_path = json_path });
        g_free(damaged);
    }
    g_free(trace);
    g_rand_free(rand);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("report_trace");
    TCase *t = tcase_create("report_trace");

    tcase_set_timeout(t, 60);
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_loop_test(t, trace_that_is_none_is_an_error_with_its_line, 0,
                        G_N_ELEMENTS(bad_traces));
    tcase_add_test(t, trace_of_a_killed_run_is_reported_as_far_as_it_goes);
    tcase_add_test(t, report_that_cannot_be_written_is_an_error);
    tcase_add_test(t, line_of_256_mib_is_refused_before_it_is_in_memory);
    tcase_add_test(t, control_characters_of_names_do_not_reach_a_terminal);
    tcase_add_test(t, empty_lines_are_passed_over_and_nul_is_none);
    tcase_add_test(t, races_in_a_trace_from_elsewhere_are_found);
    tcase_add_loop_test(t, a_pool_of_frames_has_one_finding, 0, G_N_ELEMENTS(pools));
    tcase_add_loop_test(t, an_event_that_does_not_help_is_told, 0, G_N_ELEMENTS(events));
    tcase_add_loop_test(t, an_early_free_in_a_stream_is_the_place, 0, G_N_ELEMENTS(frees));
    tcase_add_loop_test(t, machine_that_sees_the_cpu_is_named, 0, 2);
    tcase_add_loop_test(t, code_without_hooks_is_named, 0, G_N_ELEMENTS(hooked));
    tcase_add_test(t, missing_trace_is_an_error);
    tcase_add_test(t, damaged_traces_do_no_harm);
    suite_add_tcase(s, t);
    return suite_main(s);
}
