/* SPDX-License-Identifier: MIT */
/* The report as a whole: what it says, live and from a trace. */
#include <check.h>
#include <glib/gstdio.h>
#include <json-glib/json-glib.h>
#include <string.h>

#include "tests/hal_none.h"
#include "tests/report_rig.h"
#include "tests/suite.h"
#include "tools/trace/trace_report.h"

/* Values by hand from pipeline(): every line of it must come back. */
/* A discrete GPU's memory is not the CPU's DRAM: no copy is for nothing, and it is no iGPU. */
START_TEST(a_discrete_gpu_is_named_and_its_copies_are_needed)
{
    char *prose;

    rig_vidmem = UINT64_C(1) << 30;
    run_pipeline(report_path, NULL, NULL);
    rig_vidmem = 0;
    prose = flat(report_path);
    assert_has(prose, "discrete GPU (memory of its own");
    assert_has(prose, "dGPU cached");
    assert_has(prose, "only the dGPU touched it");
    ck_assert_ptr_null(strstr(prose, "iGPU"));
    ck_assert_ptr_null(strstr(prose, "no transfer is needed"));
    g_free(prose);
}
END_TEST

START_TEST(text_has_every_part_of_the_run)
{
    static const char *const lines[] = {
        "program       pipeline\n",
        "tx2: Jetson TX2 8GB, compute capability 6.2, not I/O coherent\n",
        "linux, policy lazy (queued work runs as late as the API allows)",
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
    char *text, *prose;

    run_pipeline(report_path, NULL, NULL);
    text = content(report_path);
    prose = flat(report_path);
    for (size_t i = 0; i < G_N_ELEMENTS(lines); i++) {
        if (!strstr(text, lines[i])) {
            assert_has(prose, lines[i]);
        }
    }
    g_free(prose);
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
    ck_assert_int_eq(
        trace_report(trace_path,
                     &(struct trace_report_out){ .report_path = second, .json_path = second_json }),
        0);
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

int main(void)
{
    Suite *s = suite_create("report");
    TCase *t = tcase_create("report");

    tcase_set_timeout(t, 60);
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_test(t, a_discrete_gpu_is_named_and_its_copies_are_needed);
    tcase_add_test(t, text_has_every_part_of_the_run);
    tcase_add_loop_test(t, what_is_counted_in_sectors_says_so, 0, 3);
    tcase_add_test(t, lines_are_at_most_96_columns_and_plain);
    tcase_add_test(t, report_of_a_trace_is_the_live_report);
    tcase_add_test(t, same_run_same_bytes);
    tcase_add_test(t, json_has_the_numbers);
    suite_add_tcase(s, t);
    return suite_main(s);
}
