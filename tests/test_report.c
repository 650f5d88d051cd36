/* SPDX-License-Identifier: MIT */
/* The report as a whole: from a live run, from its trace, and where it cannot be written. */
#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <glib/gstdio.h>
#include <json-glib/json-glib.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "model/bus.h"
#include "runtime/check/check.h"
#include "tests/hal_none.h"

static char *dir, *report_path, *json_path, *trace_path, *err_path;
static int saved_err;

static void setup(void)
{
    int fd;

    dir = g_dir_make_tmp("vtegra-test-report-XXXXXX", NULL);
    report_path = g_build_filename(dir, "report", NULL);
    json_path = g_build_filename(dir, "json", NULL);
    trace_path = g_build_filename(dir, "trace", NULL);
    err_path = g_build_filename(dir, "err", NULL);
    saved_err = dup(2);
    fd = open(err_path, O_RDWR | O_CREAT, 0600);
    dup2(fd, 2);
    close(fd);
}

static void teardown(void)
{
    char *all[] = { report_path, json_path, trace_path, err_path };

    dup2(saved_err, 2);
    close(saved_err);
    for (size_t i = 0; i < G_N_ELEMENTS(all); i++) {
        g_remove(all[i]);
        g_free(all[i]);
    }
    g_rmdir(dir);
    g_free(dir);
}

static char *content(const char *path)
{
    char *text = NULL;

    ck_assert_msg(g_file_get_contents(path, &text, NULL, NULL), "%s", path);
    return text;
}

static struct check *start(const char *report, const char *json, const char *trace)
{
    struct soc_profile tx2 = {
        .soc = { .name = "tx2", .marketing = "Jetson TX2 8GB" },
        .cpu = { .line_bytes = 64 },
        .gpu = { .cc_major = 6, .cc_minor = 2 },
        .timing = { .cpu_hit_ps = 1000, .cpu_miss_ps = 16000, .cpu_uncached_ps = 47900 },
    };
    struct check_config config = {
        .profile = &tx2,
        .os = "linux",
        .policy = "lazy",
        .evict = "never",
        .program = "/x/y/pipeline",
        .seed = 7,
        .report_path = report,
        .json_path = json,
        .trace_path = trace,
    };

    return check_open(&config);
}

static void record(struct check *c, uint64_t time_ns, enum trace_event event, uint32_t agent,
                   uint32_t region, uint32_t channel, uint64_t a, uint64_t b, uint64_t x,
                   uint64_t d)
{
    struct trace_record r = { event, agent, region, channel, time_ns, { a, b, x, d }, 0 };

    check_sink(c, &r);
}

#define MIB (UINT64_C(1) << 20)

static void region(struct check *c, uint32_t id, enum hal_mem_kind kind, const char *api)
{
    struct check_region r = { .mem = { .cpu = (void *)(uintptr_t)(id << 24),
                                       .size = 4 * MIB,
                                       .id = id,
                                       .kind = kind,
                                       .cpu_cached = kind == HAL_MEM_MANAGED },
                              .size = 4 * MIB,
                              .api = api };

    record(c, 0, TRACE_EVENT_REGION_ADD, BUS_AGENT_DRIVER, id, 0,
           UINT64_C(0x80000000) + id * 4 * MIB, 4 * MIB, r.mem.cpu_cached, 0);
    check_region_add(c, &r);
}

static void copy(struct check *c, uint32_t dst, uint32_t src)
{
    struct check_note n = {
        .kind = CHECK_NOTE_COPY, .api = "cuMemcpy", .region = dst, .region2 = src, .bytes = 4 * MIB
    };

    check_api_note(c, &n);
    record(c, 2000, TRACE_EVENT_SUM_READ, BUS_AGENT_CE, src, 1, 4 * MIB, 131072, 0, 131072);
    record(c, 2000, TRACE_EVENT_SUM_WRITE, BUS_AGENT_CE, dst, 1, 4 * MIB, 32768, 0, 0);
    record(c, 3000, TRACE_EVENT_COPY, BUS_AGENT_CE, 0, 1, 0, (uint64_t)src << 24,
           (uint64_t)dst << 24, 4 * MIB);
}

/* The note's first listing in small: pinned h_a filled by the CPU, copied to d_a, k1 from d_a to
 * d_b. */
static void pipeline(struct check *c)
{
    struct check_kernel k1 = {
        .grid_id = 1, .name = "_Z2k1PKiPi", .grid = { 32, 128, 1 }, .block = { 32, 8, 1 }
    };
    struct check_finding finding = { .rule = "some-rule",
                                     .severity = CHECK_WARNING,
                                     .standing = CHECK_MEASURED,
                                     .section = "a section",
                                     .text = "Something happened.",
                                     .todo = "Do something.",
                                     .grid_id = 1,
                                     .region = 2,
                                     .address = (2 << 24) + 16 };

    region(c, 1, HAL_MEM_PINNED, "cuMemHostAlloc");
    region(c, 2, HAL_MEM_DEVICE, "cuMemAlloc");
    region(c, 3, HAL_MEM_DEVICE, "cuMemAlloc");
    record(c, 1000, TRACE_EVENT_SUM_WRITE, BUS_AGENT_CPU, 1, 0, 4 * MIB, MIB, 0, 0);
    copy(c, 2, 1);
    check_kernel(c, &k1);
    record(c, 5000, TRACE_EVENT_GRID_BEGIN, BUS_AGENT_IGPU, 0, 1, 0, 0x100, 0, 1);
    record(c, 9000, TRACE_EVENT_SUM_READ, BUS_AGENT_IGPU, 2, 1, 12 * MIB, 393216, 262144, 131072);
    record(c, 9000, TRACE_EVENT_SUM_WRITE, BUS_AGENT_IGPU, 3, 1, 4 * MIB, 32768, 0, 32768);
    record(c, 9000, TRACE_EVENT_GRID_END, BUS_AGENT_IGPU, 0, 1, 0, 0x100, 12345, 4000);
    record(c, 9500, TRACE_EVENT_L2_CLEAN, BUS_AGENT_HOST, 0, 1, 32768, 4 * MIB, 0, 0);
    record(c, 10000, TRACE_EVENT_CPU_STALE, BUS_AGENT_CPU, 1, 0, 0x80000000, 0, 0, 0);
    record(c, 10000, TRACE_EVENT_CPU_STALE, BUS_AGENT_CPU, 1, 0, 0x80000000, 0, 0, 0);
    check_finding(c, &finding);
}

static void run_pipeline(const char *report, const char *json, const char *trace)
{
    struct check *c = start(report, json, trace);

    pipeline(c);
    check_close(c);
    check_free(c);
}

static void assert_has(const char *text, const char *what)
{
    ck_assert_msg(strstr(text, what) != NULL, "'%s' is not in:\n%s", what, text);
}

/* Values by hand from pipeline(): every line of it must come back. */
START_TEST(text_has_every_part_of_the_run)
{
    static const char *const lines[] = {
        "program       pipeline\n",
        "tx2: Jetson TX2 8GB, compute capability 6.2, not I/O coherent\n",
        "linux, policy lazy, evictions never, seed 7\n",
        "virtual time  10.0 us",
        "#1  pinned         4.0 MiB   CPU uncached    iGPU uncached\n",
        "#2  device         4.0 MiB   CPU no access   iGPU cached\n",
        "CPU           1048576 stores, wrote 4.0 MiB; all 1048576 uncached\n",
        "copy engine   read 4.0 MiB\n",
        "k1            read 12.0 MiB; L2 hits 262144 of 393216 sectors read\n",
        "k1            wrote 4.0 MiB\n",
        "use           only the iGPU touched it: device memory is right (3.1)\n",
        ("k1                      32x128      32x8         1     4.0 us   66.7 %   12.0 MiB    4.0 "
         "MiB\n"),
        "#1 -> #2          4.0 MiB in 1 call of cuMemcpy\n",
        "L2 clean                   1 time       32768 lines, 4.0 MiB; 0 found nothing to do\n",
        "1. warning: The CPU read a line of its cache that is older than memory",
        "(2 times)",
        "2. warning: Something happened.\n",
        "buffer        #2 (cuMemAlloc 4.0 MiB), offset 0x10\n",
        "rule          some-rule (measured: a section)\n",
        "[documented: CUDA for Tegra 3.1 and 3.2] cuMemcpy copied 4.0 MiB in 1 call from #1",
        "3.0 times its size (k1)",
        /* 1048576 * 47.9 ns = 50.23 ms; 1048576 * 1 ns + 65536 * 16 ns = 2.10 ms */
        "about 50.23 ms, against 2.10",
    };
    char *text, *flat;

    run_pipeline(report_path, NULL, NULL);
    text = content(report_path);
    for (size_t i = 0; i < G_N_ELEMENTS(lines); i++) {
        if (strstr(text, lines[i])) {
            continue;
        }
        flat = g_strdup(text); /* prose may be wrapped anywhere */
        for (char *p = flat; (p = strstr(p, "\n      "));) {
            memmove(p + 1, p + 7, strlen(p + 7) + 1);
            *p = ' ';
        }
        assert_has(flat, lines[i]);
        g_free(flat);
    }
    g_free(text);
}
END_TEST

/* 16 bytes are read as one sector of 32; of 64 bytes both sectors are the program's own. */
START_TEST(what_is_counted_in_sectors_says_so)
{
    static const struct {
        uint64_t size, read;
        const char *line;
    } buffers[] = { { 16, 32, "copy engine   read 32 B (whole sectors of 32 B)\n" },
                    { 64, 64, "copy engine   read 64 B\n" },
                    { 48, 32, "copy engine   read 32 B\n" } };
    struct check *c = start(report_path, NULL, NULL);
    struct check_region r = {
        .mem = { .cpu = (void *)(1 << 24), .size = 4096, .id = 1, .kind = HAL_MEM_DEVICE },
        .size = buffers[_i].size,
        .api = "cuMemAlloc"
    };
    char *text;

    check_region_add(c, &r);
    record(c, 2000, TRACE_EVENT_SUM_READ, BUS_AGENT_CE, 1, 1, buffers[_i].read,
           buffers[_i].read / 32, 0, 0);
    check_close(c);
    check_free(c);
    ck_assert(g_file_get_contents(report_path, &text, NULL, NULL));
    assert_has(text, buffers[_i].line);
    g_free(text);
}
END_TEST

START_TEST(lines_are_at_most_96_columns_and_plain)
{
    char *text, **lines;

    run_pipeline(report_path, NULL, NULL);
    text = content(report_path);
    ck_assert_ptr_null(strchr(text, '\033')); /* colour is for terminals */
    ck_assert_ptr_null(strstr(text, " \n"));
    lines = g_strsplit(text, "\n", -1);
    for (char **line = lines; *line; line++) {
        ck_assert_msg(strlen(*line) <= 96, "%s", *line);
    }
    g_strfreev(lines);
    g_free(text);
}
END_TEST

START_TEST(report_of_a_trace_is_the_live_report)
{
    char *live, *later, *live_json, *later_json;
    char *second = g_strconcat(report_path, "2", NULL),
         *second_json = g_strconcat(json_path, "2", NULL);

    run_pipeline(report_path, json_path, trace_path);
    ck_assert_int_eq(check_from_trace(trace_path, second, second_json), 0);
    live = content(report_path);
    later = content(second);
    live_json = content(json_path);
    later_json = content(second_json);
    ck_assert_str_eq(live, later);
    ck_assert_str_eq(live_json, later_json);
    g_remove(second);
    g_remove(second_json);
    g_free(live);
    g_free(later);
    g_free(live_json);
    g_free(later_json);
    g_free(second);
    g_free(second_json);
}
END_TEST

START_TEST(same_run_same_bytes)
{
    char *first, *second, *trace, *trace2;

    run_pipeline(report_path, NULL, trace_path);
    first = content(report_path);
    trace = content(trace_path);
    run_pipeline(report_path, NULL, trace_path);
    second = content(report_path);
    trace2 = content(trace_path);
    ck_assert_str_eq(first, second);
    ck_assert_str_eq(trace, trace2);
    g_free(first);
    g_free(second);
    g_free(trace);
    g_free(trace2);
}
END_TEST

START_TEST(json_has_the_numbers)
{
    JsonParser *parser = json_parser_new();
    JsonObject *root, *buffer, *kernel;

    run_pipeline(NULL, json_path, NULL);
    ck_assert(json_parser_load_from_file(parser, json_path, NULL));
    root = json_node_get_object(json_parser_get_root(parser));
    ck_assert_int_eq(json_object_get_int_member(root, "version"), 1);
    ck_assert_int_eq(
        json_object_get_int_member(json_object_get_object_member(root, "run"), "virtual_time_ns"),
        10000);
    ck_assert_uint_eq(json_array_get_length(json_object_get_array_member(root, "buffers")), 3);
    buffer = json_array_get_object_element(json_object_get_array_member(root, "buffers"), 0);
    ck_assert_str_eq(json_object_get_string_member(buffer, "cpu_caching"), "uncached");
    ck_assert_int_eq(json_object_get_int_member(json_object_get_object_member(buffer, "cpu"),
                                                "uncached_accesses"),
                     1048576);
    kernel = json_array_get_object_element(json_object_get_array_member(root, "kernels"), 0);
    ck_assert_str_eq(json_object_get_string_member(kernel, "name"), "k1");
    ck_assert_int_eq(json_object_get_int_member(kernel, "l2_read_hits"), 262144);
    ck_assert_int_eq(json_object_get_int_member(kernel, "warp_instructions"), 12345);
    g_object_unref(parser);
}
END_TEST

/* --- the world does not cooperate ---------------------------------------------------------------
 */

/* A link: whoever renames a file over a report by mistake, as root, shall not take the device. */
static char *full_disk(void)
{
    char *link = g_strconcat(report_path, ".full", NULL);

    ck_assert(symlink("/dev/full", link) == 0 || errno == EEXIST);
    return link;
}

static void assert_full(const char *err, const char *what, const char *path, const char *more)
{
    char *said = g_strdup_printf("%s %s: No space left on device%s", what, path, more);

    assert_has(err, said);
    g_free(said);
}

START_TEST(full_disk_is_said_and_the_report_reaches_stderr)
{
    char *full = full_disk(), *err;

    run_pipeline(full, full, full);
    err = content(err_path);
    assert_full(err, "trace file", full, "; the trace ends here");
    assert_full(err, "report", full, "");
    assert_full(err, "JSON report", full, "");
    assert_has(err, "vtegra report\n  program       pipeline");
    unlink(full);
    g_free(err);
    g_free(full);
}
END_TEST

/* /dev/stdout is a link, and may lead to a file. */
START_TEST(a_link_is_written_through)
{
    struct stat st;
    char *link = g_strconcat(report_path, ".link", NULL), *text;

    ck_assert(g_file_set_contents(report_path, "before", -1, NULL));
    ck_assert_int_eq(symlink(report_path, link), 0);
    run_pipeline(link, NULL, NULL);
    ck_assert_int_eq(lstat(link, &st), 0);
    ck_assert(S_ISLNK(st.st_mode));
    text = content(report_path);
    assert_has(text, "vtegra report\n  program       pipeline");
    ck_assert_int_eq(unlink(link), 0);
    g_free(text);
    g_free(link);
}
END_TEST

START_TEST(full_disk_is_said_once)
{
    char *full = full_disk(), *err;
    struct check *c = start(report_path, NULL, full);

    for (int i = 0; i < 10000; i++) { /* many times the buffer of the file */
        record(c, 1, TRACE_EVENT_SYNCPT_INCR, BUS_AGENT_HOST, 0, 0, 1, (uint64_t)i, 0, 0);
    }
    check_close(c);
    check_free(c);
    err = content(err_path);
    assert_has(err, "No space left on device");
    ck_assert_ptr_null(strstr(strstr(err, "No space") + 1, "No space"));
    unlink(full);
    g_free(err);
    g_free(full);
}
END_TEST

/* CUDA for Tegra, Table 2 (second row from the edition that has it): which change is a prefetch. */
static const struct {
    enum check_attach from, to;
    gint64 to_cpu, to_gpu;
} table_2[] = {
    { CHECK_ATTACH_GLOBAL, CHECK_ATTACH_HOST, 1, 0 },
    { CHECK_ATTACH_SINGLE, CHECK_ATTACH_HOST, 1, 0 },
    { CHECK_ATTACH_HOST, CHECK_ATTACH_GLOBAL, 0, 1 },
    { CHECK_ATTACH_HOST, CHECK_ATTACH_SINGLE, 0, 1 },
    { CHECK_ATTACH_GLOBAL, CHECK_ATTACH_SINGLE, 0, 0 },
    { CHECK_ATTACH_SINGLE, CHECK_ATTACH_GLOBAL, 0, 0 },
};

START_TEST(attachment_changes_prefetch_as_table_2_says)
{
    struct check *c = start(NULL, json_path, NULL);
    struct check_region r = {
        .mem = { .cpu = (void *)4096, .size = 4096, .id = 1, .kind = HAL_MEM_MANAGED },
        .size = 4096,
        .api = "cuMemAllocManaged",
        .attached = table_2[_i].from
    };
    struct check_note n = { .kind = CHECK_NOTE_ATTACH,
                            .api = "cuStreamAttachMemAsync",
                            .region = 1,
                            .attach = table_2[_i].to };
    JsonParser *parser = json_parser_new();
    JsonObject *buffer;

    check_region_add(c, &r);
    check_api_note(c, &n);
    check_close(c);
    check_free(c);
    ck_assert(json_parser_load_from_file(parser, json_path, NULL));
    buffer = json_array_get_object_element(
        json_object_get_array_member(json_node_get_object(json_parser_get_root(parser)), "buffers"),
        0);
    buffer = json_object_get_object_member(buffer, "maintenance");
    ck_assert_int_eq(json_object_get_int_member(buffer, "hints_to_cpu"), table_2[_i].to_cpu);
    ck_assert_int_eq(json_object_get_int_member(buffer, "hints_to_gpu"), table_2[_i].to_gpu);
    g_object_unref(parser);
}
END_TEST

START_TEST(file_that_cannot_be_made_is_said_at_once)
{
    struct check *c = start("/nonexistent/r", NULL, "/nonexistent/t");
    char *err = content(err_path);

    assert_has(
        err,
        "trace file /nonexistent/t: No such file or directory; the run goes on without a trace");
    g_free(err);
    pipeline(c);
    check_close(c);
    check_free(c);
    err = content(err_path);
    assert_has(err, "report /nonexistent/r: No such file or directory");
    assert_has(err, "vtegra report");
    g_free(err);
}
END_TEST

START_TEST(closing_keeps_errno_and_happens_once)
{
    struct check *c = start(report_path, NULL, NULL);
    char *text;

    pipeline(c);
    errno = EXDEV;
    check_close(c);
    ck_assert_int_eq(errno, EXDEV);
    g_remove(report_path);
    check_close(c);
    ck_assert(!g_file_test(report_path, G_FILE_TEST_EXISTS));
    pipeline(c); /* late calls of other threads are harmless */
    check_free(c);
    text = content(err_path);
    ck_assert_ptr_null(strstr(text, "vtegra report"));
    g_free(text);
}
END_TEST

/* Events that are a mistake by themselves. The note 3.2: no atomics on uncached memory; 2.1: the
 * CPU cache is maintained around the work of an engine; Arm ARM D7.5.9: DC IVAC loses what is
 * dirty. */
static const struct {
    enum trace_event event;
    uint64_t lost; /* arg[3] */
    const char *severity, *rule;
} mistakes[] = {
    { TRACE_EVENT_CPU_UNCACHED_ATOMIC, 0, "error", "uncached-atomic" },
    { TRACE_EVENT_CPU_STALE, 0, "warning", "stale-cpu-read" },
    { TRACE_EVENT_LOST_BYTES, 0, "warning", "lost-bytes" },
    { TRACE_EVENT_CPU_INVALIDATE, 8, "warning", "lost-bytes" },
    { TRACE_EVENT_CPU_INVALIDATE, 0, NULL, NULL },
    { TRACE_EVENT_CPU_CLEAN, 8, NULL, NULL },
};

START_TEST(records_of_mistakes_are_findings)
{
    struct check *c = start(NULL, json_path, NULL);
    JsonParser *parser = json_parser_new();
    JsonArray *list;

    region(c, 1, HAL_MEM_PINNED, "cuMemHostAlloc");
    region(c, 2, HAL_MEM_PINNED, "cuMemHostAlloc");
    for (uint32_t i = 0; i < 3; i++) { /* once for region 1, twice for region 2 */
        record(c, 1000, mistakes[_i].event, BUS_AGENT_CPU, i ? 2 : 1, 0, 0x80000000, 64, 1,
               mistakes[_i].lost);
    }
    check_close(c);
    check_free(c);
    ck_assert(json_parser_load_from_file(parser, json_path, NULL));
    list = json_object_get_array_member(json_node_get_object(json_parser_get_root(parser)),
                                        "findings");
    ck_assert_uint_eq(json_array_get_length(list), mistakes[_i].rule ? 2 : 0);
    for (guint i = 0; i < json_array_get_length(list); i++) {
        JsonObject *f = json_array_get_object_element(list, i);

        ck_assert_str_eq(json_object_get_string_member(f, "rule"), mistakes[_i].rule);
        ck_assert_str_eq(json_object_get_string_member(f, "severity"), mistakes[_i].severity);
        ck_assert_int_eq(json_object_get_int_member(f, "times"), i + 1);
    }
    g_object_unref(parser);
}
END_TEST

/* The happens-before checker says which line is old, and why: one mistake, one finding. */
START_TEST(a_stale_line_is_told_once)
{
    struct soc_profile tx2 = { .soc = { .name = "tx2" }, .cpu = { .line_bytes = 64 } };
    struct check_config config = { .profile = &tx2,
                                   .os = "linux",
                                   .policy = "lazy",
                                   .evict = "never",
                                   .program = "p",
                                   .json_path = json_path,
                                   .hb = CHECK_HB_ON };
    struct check *c = check_open(&config);
    char *text;

    region(c, 1, HAL_MEM_MANAGED, "cuMemAllocManaged");
    record(c, 1000, TRACE_EVENT_CPU_STALE, BUS_AGENT_CPU, 1, 0, 0x80400000, 0, 0, 0);
    record(c, 1000, TRACE_EVENT_CPU_UNCACHED_ATOMIC, BUS_AGENT_CPU, 1, 0, 0x80400000, 0, 0, 0);
    check_close(c);
    check_free(c);
    text = content(json_path);
    ck_assert(!strstr(text, "stale-cpu-read"));
    assert_has(text, "uncached-atomic"); /* that checker knows nothing of it */
    g_free(text);
}
END_TEST

START_TEST(a_warp_that_splits_at_a_barrier_is_told)
{
    struct check *c = start(NULL, json_path, NULL);
    struct check_kernel k = {
        .grid_id = 1, .name = "k", .grid = { 1, 1, 1 }, .block = { 32, 1, 1 }
    };
    char *text;

    check_kernel(c, &k);
    record(c, 1000, TRACE_EVENT_BARRIER_SPLIT, BUS_AGENT_IGPU, 0, 1, 1, 0, 0, 0);
    check_close(c);
    check_free(c);
    text = content(json_path);
    assert_has(text, "\"barrier-divergent\"");
    assert_has(text, "reached __syncthreads() in different places");
    g_free(text);
}
END_TEST

/* Of 10,000 runs nobody reads those that found nothing. */
START_TEST(json_only_if_something_was_found)
{
    struct soc_profile tx2 = { .soc = { .name = "tx2" } };
    struct check_config config = { .profile = &tx2,
                                   .os = "linux",
                                   .policy = "seeded",
                                   .evict = "never",
                                   .json_path = json_path,
                                   .json_if_found = true,
                                   .quiet = true };
    struct check *c = check_open(&config);

    region(c, 1, HAL_MEM_PINNED, "cuMemHostAlloc");
    if (_i) {
        record(c, 1000, TRACE_EVENT_LOST_BYTES, BUS_AGENT_CPU, 1, 0, 0x80000000, 64, 0, 0);
    }
    check_close(c);
    check_free(c);
    ck_assert_int_eq(g_file_test(json_path, G_FILE_TEST_EXISTS), _i);
}
END_TEST

START_TEST(nothing_is_said_of_a_board_that_was_not_used)
{
    struct check *c = start(NULL, NULL, NULL);
    char *err;

    check_close(c);
    check_free(c);
    err = content(err_path);
    ck_assert_str_eq(err, "");
    g_free(err);
}
END_TEST

START_TEST(no_checker_is_accepted_everywhere)
{
    struct check_region r = { .api = "cuMemAlloc" };
    struct check_kernel k = { .name = "k" };
    struct check_note n = { .api = "x" };
    struct check_finding f = { .rule = "x" };
    struct check_fault fault = { .what = "x" };

    ck_assert_uint_eq(check_mask(NULL), 0);
    check_region_add(NULL, &r);
    check_region_remove(NULL, 1, NULL);
    check_kernel(NULL, &k);
    check_api_note(NULL, &n);
    check_finding(NULL, &f);
    check_kernel_fault(NULL, &fault);
    check_managed_state(NULL, 1, 0, 0);
    check_close(NULL);
    check_free(NULL);
}
END_TEST

static const struct {
    const char *text, *error;
} bad_traces[] = {
    { "", "no @run line" },
    { "not a trace\n", ":1: not a line of a trace file" },
    { "# vtegra trace 1\n@run soc=tx2\n12 cpu NOSUCHEVENT\n", ":3: not a line" },
    { "# vtegra trace 1\n@run soc=\"tx2\n", ":2: not a line" },
    { "# vtegra trace 1\n@run soc=tx2\n1 igpu SUM_READ region=1 bytes=x\n", ":3: not a line" },
};

START_TEST(trace_that_is_none_is_an_error_with_its_line)
{
    char *err;

    ck_assert(g_file_set_contents(trace_path, bad_traces[_i].text, -1, NULL));
    ck_assert_int_eq(check_from_trace(trace_path, report_path, NULL), -EINVAL);
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
    ck_assert_int_eq(check_from_trace(trace_path, report_path, NULL), 0);
    err = content(err_path);
    assert_has(err, "the trace ends before the run did");
    report = content(report_path);
    assert_has(report, "#1  pinned");
    g_free(trace);
    g_free(err);
    g_free(report);
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
            "@end time_ns=9\n",
            header);
    fclose(f);
    ck_assert_int_eq(check_from_trace(trace_path, report_path, NULL), 0);
}

START_TEST(races_in_a_trace_from_elsewhere_are_found)
{
    char *text;

    race_trace("@run program=app soc=orin policy=lazy evict=lru io_coherent=1");
    ck_assert(g_file_get_contents(report_path, &text, NULL, NULL));
    ck_assert_ptr_nonnull(strstr(text, "race (documented"));
    ck_assert_ptr_nonnull(strstr(text, "kernel scale (stream 2)"));
    ck_assert_ptr_nonnull(strstr(text, "offset 0x8"));
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
    ck_assert_int_eq(check_from_trace(trace_path, report_path, NULL), 0);
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
    ck_assert_int_eq(check_from_trace(trace_path, report_path, NULL), 0);
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
      { "seen per page", "not heard     app: hooks of another version", "shows all" } },
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
    ck_assert_int_eq(check_from_trace(trace_path, report_path, NULL), 0);
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
    ck_assert_int_eq(check_from_trace("/nonexistent/t", report_path, NULL), -ENOENT);
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
        check_from_trace(trace_path, report_path, json_path);
        g_free(damaged);
    }
    g_free(trace);
    g_rand_free(rand);
}
END_TEST

static const struct {
    uint64_t va;
    const char *text;
    bool freed; /* buffer 3 */
} addresses[] = {
    { (2 << 24) + 8, "The address lies 8 bytes into #2", false },
    { (3 << 24) + 8, "8 bytes into #3 (cuMemAlloc 4.0 MiB), which was freed before.", true },
    { (3 << 24) + 4 * MIB + 16,
      "is in no buffer; the nearest before it, #3 (cuMemAlloc 4.0 MiB), ends 16 bytes below",
      false },
    { 64, "The address 0x40 is a null pointer with an offset.", false },
    { 4096, "The address 0x1000 is in no buffer.", false },
};

START_TEST(fault_of_a_kernel_says_where_the_address_lies)
{
    struct check *c = start(report_path, NULL, NULL);
    struct check_fault fault = { .grid_id = 1,
                                 .what = "out-of-bounds store of 4 bytes",
                                 .api_error = "CUDA_ERROR_ILLEGAL_ADDRESS",
                                 .va = addresses[_i].va,
                                 .file = "/src/app.cu",
                                 .line = 12,
                                 .block = { 1, 0, 0 },
                                 .thread = { 31, 0, 0 } };
    char *text, **words, *flat;

    pipeline(c);
    if (addresses[_i].freed) {
        check_region_remove(c, 3, NULL);
    }
    check_kernel_fault(c, &fault);
    check_close(c);
    check_free(c);
    text = content(report_path);
    words = g_strsplit_set(text, " \n", -1);
    flat = g_strjoinv(" ", words);
    while (strstr(flat, "  ")) {
        char *p = strstr(flat, "  ");

        memmove(p, p + 1, strlen(p));
    }
    assert_has(flat, "error: out-of-bounds store of 4 bytes in block (1,0,0), thread (31,0,0): "
                     "CUDA_ERROR_ILLEGAL_ADDRESS.");
    assert_has(flat, addresses[_i].text);
    assert_has(flat, "where src/app.cu:12");
    assert_has(flat, "kernel k1");
    g_free(text);
    g_free(flat);
    g_strfreev(words);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("report");
    TCase *t = tcase_create("report");
    SRunner *runner;
    int failed;

    tcase_set_timeout(t, 60);
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_test(t, a_stale_line_is_told_once);
    tcase_add_test(t, a_warp_that_splits_at_a_barrier_is_told);
    tcase_add_test(t, text_has_every_part_of_the_run);
    tcase_add_test(t, lines_are_at_most_96_columns_and_plain);
    tcase_add_loop_test(t, what_is_counted_in_sectors_says_so, 0, 3);

    tcase_add_test(t, report_of_a_trace_is_the_live_report);
    tcase_add_test(t, same_run_same_bytes);
    tcase_add_test(t, json_has_the_numbers);
    tcase_add_test(t, full_disk_is_said_and_the_report_reaches_stderr);
    tcase_add_test(t, a_link_is_written_through);
    tcase_add_test(t, full_disk_is_said_once);
    tcase_add_loop_test(t, attachment_changes_prefetch_as_table_2_says, 0, G_N_ELEMENTS(table_2));
    tcase_add_test(t, file_that_cannot_be_made_is_said_at_once);
    tcase_add_test(t, closing_keeps_errno_and_happens_once);
    tcase_add_loop_test(t, records_of_mistakes_are_findings, 0, G_N_ELEMENTS(mistakes));
    tcase_add_loop_test(t, json_only_if_something_was_found, 0, 2);
    tcase_add_test(t, nothing_is_said_of_a_board_that_was_not_used);
    tcase_add_test(t, no_checker_is_accepted_everywhere);
    tcase_add_loop_test(t, trace_that_is_none_is_an_error_with_its_line, 0,
                        G_N_ELEMENTS(bad_traces));
    tcase_add_test(t, trace_of_a_killed_run_is_reported_as_far_as_it_goes);
    tcase_add_test(t, races_in_a_trace_from_elsewhere_are_found);
    tcase_add_loop_test(t, an_early_free_in_a_stream_is_the_place, 0, G_N_ELEMENTS(frees));
    tcase_add_loop_test(t, machine_that_sees_the_cpu_is_named, 0, 2);
    tcase_add_loop_test(t, code_without_hooks_is_named, 0, G_N_ELEMENTS(hooked));
    tcase_add_test(t, missing_trace_is_an_error);
    tcase_add_test(t, damaged_traces_do_no_harm);
    tcase_add_loop_test(t, fault_of_a_kernel_says_where_the_address_lies, 0,
                        G_N_ELEMENTS(addresses));
    suite_add_tcase(s, t);
    runner = srunner_create(s);
    srunner_run_all(runner, CK_ENV);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
