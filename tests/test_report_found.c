/* SPDX-License-Identifier: MIT */
/* What a report says of single events: hints, mistakes, faults. */
#include <check.h>
#include <json-glib/json-glib.h>
#include <string.h>

#include "runtime/observe/check_internal.h"
#include "tests/hal_none.h"
#include "tests/report_rig.h"
#include "tests/suite.h"

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

/* @hints: 3.3, Note: on QNX they bring nothing. */
static void attachment_counts(int row, const char *os, bool hints)
{
    rig_os = os;

    struct check *c = start(NULL, json_path, NULL);
    struct check_region r = {
        .mem = { .cpu = (void *)4096, .size = 4096, .id = 1, .kind = HAL_MEM_MANAGED },
        .size = 4096,
        .api = "cuMemAllocManaged",
        .attached = table_2[row].from
    };
    struct check_note n = { .kind = CHECK_NOTE_ATTACH,
                            .api = "cuStreamAttachMemAsync",
                            .region = 1,
                            .attach = table_2[row].to };
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
    ck_assert_int_eq(json_object_get_int_member(buffer, "hints_to_cpu"),
                     hints ? table_2[row].to_cpu : 0);
    ck_assert_int_eq(json_object_get_int_member(buffer, "hints_to_gpu"),
                     hints ? table_2[row].to_gpu : 0);
    g_object_unref(parser);
}

START_TEST(attachment_changes_prefetch_as_table_2_says)
{
    attachment_counts(_i, "linux", true);
}
END_TEST

START_TEST(attachment_changes_prefetch_nothing_on_qnx)
{
    attachment_counts(_i, "qnx", false);
    rig_os = "linux";
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

/* Two mistakes in one buffer, at two places of the program: each kind is one at each place, has its
 * own standing, and is told once, and at the end, how often it came again. */
START_TEST(mistakes_are_told_apart_by_kind_and_place)
{
    static const enum trace_event event[] = { TRACE_EVENT_CPU_UNCACHED_ATOMIC,
                                              TRACE_EVENT_LOST_BYTES };
    static const char *const rule[] = { "uncached-atomic", "lost-bytes" }, *const standing[] = {
        "documented", "inferred"
    };
    const uintptr_t place[] = { (uintptr_t)content + 1, (uintptr_t)flat + 1 };
    struct check *c = start(NULL, json_path, trace_path);
    g_autofree char *trace = NULL;
    JsonParser *parser = json_parser_new();
    JsonArray *list;
    unsigned told = 0;

    region(c, 1, HAL_MEM_PINNED, "cuMemHostAlloc");
    for (unsigned i = 0; i < 4; i++) { /* the first once, the last four times */
        for (unsigned k = 0; k <= i; k++) {
            hook_pc = place[i % 2];
            record(c, 1000, event[i / 2], BUS_AGENT_CPU, 1, 0, 0x80000000, 64, 1, 0);
        }
    }
    hook_pc = 0;
    check_close(c);
    check_free(c);
    ck_assert(json_parser_load_from_file(parser, json_path, NULL));
    list = json_object_get_array_member(json_node_get_object(json_parser_get_root(parser)),
                                        "findings");
    ck_assert_uint_eq(json_array_get_length(list), 4);
    for (guint i = 0; i < 4; i++) {
        JsonObject *f = json_array_get_object_element(list, i);

        ck_assert_str_eq(json_object_get_string_member(f, "rule"), rule[i / 2]);
        ck_assert_str_eq(json_object_get_string_member(f, "standing"), standing[i / 2]);
        ck_assert_int_eq(json_object_get_int_member(f, "times"), i + 1);
    }
    trace = content(trace_path);
    for (const char *at = trace; (at = strstr(at, "@finding ")); at++) {
        told++;
    }
    ck_assert_uint_eq(told, 4 + 3);
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

/* Rules by the section of PTX ISA that the pair breaks: the threads, what is missing, the values */
static const struct {
    uint64_t what;
    const char *rule, *text, *todo;
} kernel_races[] = {
    { GRID_RACE_LOAD | GRID_RACE_STORE << KERNEL_RACE_OTHER |
          GRID_RACE_BLOCK << KERNEL_RACE_RELATION |
          GRID_RACE_MISSING_BARRIER << KERNEL_RACE_MISSING | 1 << KERNEL_RACE_SHARED |
          UINT64_C(4) << KERNEL_RACE_BYTES,
      "kernel-race-block",
      "Here a load by thread 5 of block 7; before it a store by thread 70 of block 8; 4 bytes from "
      "byte "
      "33554440 of the block's shared memory. 12 such pairs",
      "Call __syncthreads() between the two" },
    { GRID_RACE_STORE | GRID_RACE_STORE << KERNEL_RACE_OTHER |
          GRID_RACE_WARP << KERNEL_RACE_RELATION |
          GRID_RACE_MISSING_WARP_BARRIER << KERNEL_RACE_MISSING,
      "kernel-race-warp", "a store by", "Call __syncwarp() between the two" },
    { GRID_RACE_STORE | GRID_RACE_STORE << KERNEL_RACE_OTHER |
          GRID_RACE_WARP << KERNEL_RACE_RELATION | UINT64_C(1) << KERNEL_RACE_SAME_VALUE,
      "kernel-race-same-value", "store the same value", "cuda::atomic_ref" },
    { GRID_RACE_LOAD | GRID_RACE_STORE << KERNEL_RACE_OTHER |
          GRID_RACE_GRID << KERNEL_RACE_RELATION,
      "kernel-race-grid", "nothing orders blocks of one kernel", "or two kernels" },
    { GRID_RACE_LOAD | GRID_RACE_STORE << KERNEL_RACE_OTHER |
          GRID_RACE_GRID << KERNEL_RACE_RELATION | GRID_RACE_MISSING_FENCE << KERNEL_RACE_MISSING,
      "kernel-race-fence", "a fence is missing", "__threadfence()" },
    { GRID_RACE_ATOMIC | BUS_SCOPE_CTA << KERNEL_RACE_SCOPE |
          (GRID_RACE_ATOMIC | BUS_SCOPE_GPU << KERNEL_RACE_SCOPE) << KERNEL_RACE_OTHER |
          GRID_RACE_GRID << KERNEL_RACE_RELATION | GRID_RACE_MISSING_SCOPE << KERNEL_RACE_MISSING,
      "kernel-race-scope", "an atomic operation of block scope by", "atomicAdd_block()" },
    { GRID_RACE_LOAD | GRID_RACE_ASYNC << KERNEL_RACE_OTHER |
          GRID_RACE_BLOCK << KERNEL_RACE_RELATION | GRID_RACE_MISSING_WAIT << KERNEL_RACE_MISSING,
      "kernel-race-async", "before it an asynchronous copy by", "cp.async.wait_group" },
};

START_TEST(a_race_between_threads_of_a_kernel_is_a_finding)
{
    struct check *c = start(NULL, json_path, NULL);
    struct check_kernel k = {
        .grid_id = 1, .name = "k", .grid = { 9, 1, 1 }, .block = { 96, 1, 1 }
    };
    struct trace_record who = { .event = TRACE_EVENT_KERNEL_RACE_WHO,
                                .agent = BUS_AGENT_IGPU,
                                .arg = { 1, 5 | UINT64_C(70) << 32, 7, 8, 12 } };
    struct trace_record race = { .event = TRACE_EVENT_KERNEL_RACE,
                                 .agent = BUS_AGENT_IGPU,
                                 .arg = { 1, 1, 0, 0, (2 << 24) + 8, kernel_races[_i].what } };
    char *text;

    region(c, 2, HAL_MEM_PINNED, "cuMemHostAlloc");
    check_kernel(c, &k);
    check_sink(c, &who);
    check_sink(c, &race);
    check_close(c);
    check_free(c);
    text = content(json_path);
    assert_has(text, kernel_races[_i].rule);
    assert_has(text, kernel_races[_i].text);
    assert_has(text, kernel_races[_i].todo);
    g_free(text);
}
END_TEST

/* docs/races.md: when a launch reaches a limit of what is kept, the rest of it is not checked. */
START_TEST(the_report_names_launches_that_went_on_unchecked)
{
    struct check_kernel k = {
        .grid_id = 1, .name = "k", .grid = { 9, 1, 1 }, .block = { 96, 1, 1 }
    };
    struct trace_record cut = { .event = TRACE_EVENT_KERNEL_UNCHECKED,
                                .agent = BUS_AGENT_IGPU,
                                .arg = { 1, 1 } };
    struct check *c;
    char *text;

    rig_races = CHECK_RACES_ON;
    c = start(report_path, NULL, NULL);
    check_kernel(c, &k);
    if (_i) {
        check_sink(c, &cut);
    }
    check_close(c);
    check_free(c);
    text = flat(report_path);
    ck_assert_int_eq(strstr(text, "NOT CHECKED races between the threads of 1 launches, from some "
                                  "point on: what has to be kept of their accesses became too "
                                  "much") != NULL,
                     _i);
    g_free(text);
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
      "is in no buffer: it lies 16 bytes behind the end of the nearest one, #3 (cuMemAlloc 4.0 "
      "MiB).",
      false },
    { (2 << 24) - 1, "it lies 1 byte before the nearest one, #2 (", false },
    { (3 << 24) - 256, "it lies 256 bytes before the nearest one, #3 (cuMemAlloc 4.0 MiB).",
      false },
    /* rather a buffer that is there, and that after the freed one */
    { (3 << 24) - 256, "behind the end of the nearest one, #2 (", true },
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
    char *text;

    pipeline(c);
    if (addresses[_i].freed) {
        check_region_remove(c, 3, NULL);
    }
    check_kernel_fault(c, &fault);
    check_close(c);
    check_free(c);
    text = flat(report_path);
    assert_has(text, "error: out-of-bounds store of 4 bytes in block (1,0,0), thread (31,0,0): "
                     "CUDA_ERROR_ILLEGAL_ADDRESS.");
    assert_has(text, addresses[_i].text);
    assert_has(text, "where src/app.cu:12");
    assert_has(text, "kernel k1");
    g_free(text);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("report_found");
    TCase *t = tcase_create("report_found");

    tcase_set_timeout(t, 60);
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_loop_test(t, attachment_changes_prefetch_as_table_2_says, 0, G_N_ELEMENTS(table_2));
    tcase_add_loop_test(t, attachment_changes_prefetch_nothing_on_qnx, 0, G_N_ELEMENTS(table_2));
    tcase_add_loop_test(t, records_of_mistakes_are_findings, 0, G_N_ELEMENTS(mistakes));
    tcase_add_test(t, mistakes_are_told_apart_by_kind_and_place);
    tcase_add_test(t, a_stale_line_is_told_once);
    tcase_add_test(t, a_warp_that_splits_at_a_barrier_is_told);
    tcase_add_loop_test(t, a_race_between_threads_of_a_kernel_is_a_finding, 0,
                        G_N_ELEMENTS(kernel_races));
    tcase_add_loop_test(t, the_report_names_launches_that_went_on_unchecked, 0, 2);
    tcase_add_loop_test(t, fault_of_a_kernel_says_where_the_address_lies, 0,
                        G_N_ELEMENTS(addresses));
    suite_add_tcase(s, t);
    return suite_main(s);
}
