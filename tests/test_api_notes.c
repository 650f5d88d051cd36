/* SPDX-License-Identifier: MIT */
/* What the live checker makes of single calls: printed as they happen, in the report, in the trace.
 * The words of rules are those of runtime/observe/check.h, docs/report-json.md and docs/races.md.
 */
#include <check.h>
#include <json-glib/json-glib.h>
#include <string.h>
#include <sys/wait.h>

#include "runtime/observe/check_internal.h"
#include "runtime/observe/range.h"
#include "tests/hal_none.h"
#include "tests/report_rig.h"
#include "tests/suite.h"

#define AGAIN "vtegra run --seed 7 ./p"

static struct soc_profile orin;

static struct check_config config_of(void)
{
    orin = (struct soc_profile){ .soc = { .name = "orin", .io_coherent = true },
                                 .cpu = { .line_bytes = 64 } };
    return (struct check_config){ .profile = &orin,
                                  .os = "linux",
                                  .policy = "seeded",
                                  .evict = "never",
                                  .program = "p",
                                  .json_path = json_path,
                                  .report_path = report_path };
}

static void close_it(struct check *c)
{
    check_close(c);
    check_free(c);
}

static void take(struct check *c, const char *line)
{
    struct trace_record r;

    ck_assert_msg(trace_parse(line, &r), "%s", line);
    check_sink(c, &r);
}

static void assert_has_not(const char *text, const char *what)
{
    ck_assert_msg(strstr(text, what) == NULL, "'%s' is in:\n%s", what, text);
}

static JsonParser *parser;

static JsonObject *json(void)
{
    parser = parser ? parser : json_parser_new();
    ck_assert(json_parser_load_from_file(parser, json_path, NULL));
    return json_node_get_object(json_parser_get_root(parser));
}

static JsonArray *findings(void)
{
    return json_object_get_array_member(json(), "findings");
}

static void api_notes_teardown(void)
{
    g_clear_object(&parser);
    teardown();
}

/* --- single findings -------------------------------------------------------------------------- */

static struct check_finding finding(enum check_severity severity)
{
    return (struct check_finding){ .rule = "r",
                                   .severity = severity,
                                   .section = "a section",
                                   .text = "It happened.",
                                   .todo = "Do something." };
}

/* Errors and warnings are printed as they happen, each once; quiet: errors alone. */
static const struct {
    enum check_severity severity;
    bool quiet, printed;
} lives[] = {
    { CHECK_ERROR, false, true },   { CHECK_ERROR, true, true },    { CHECK_WARNING, false, true },
    { CHECK_WARNING, true, false }, { CHECK_ADVICE, false, false }, { CHECK_ADVICE, true, false },
};

START_TEST(errors_and_warnings_are_printed_as_they_happen)
{
    struct check_config config = config_of();
    struct check_finding f = finding(lives[_i].severity), first = finding(CHECK_ERROR);
    g_autofree char *before = NULL, *after = NULL;
    struct check *c;

    first.rule = "another";
    first.text = "Before.";
    config.quiet = lives[_i].quiet;
    c = check_open(&config);
    check_finding(c, &first);
    before = content(err_path);
    assert_has_not(before, "It happened.");
    check_finding(c, &f);
    check_finding(c, &f);
    after = content(err_path);
    ck_assert_int_eq(strstr(after, "It happened.") != NULL, lives[_i].printed);
    ck_assert_ptr_eq(strstr(after, "It happened."), g_strrstr(after, "It happened."));
    ck_assert_ptr_eq(strstr(after, "Before."), g_strrstr(after, "Before."));
    close_it(c);
}
END_TEST

/* "run": of every error and warning the command with which it was seen. */
static const struct {
    const char *policy;
    enum check_severity severity;
    const char *run;
} runs[] = {
    { "seeded", CHECK_ERROR, AGAIN },
    { "seeded", CHECK_WARNING, AGAIN },
    { "lazy", CHECK_ERROR, AGAIN },
};

START_TEST(findings_say_the_command)
{
    struct check_config config = config_of();
    struct check_finding f = finding(runs[_i].severity);
    struct check *c;
    JsonObject *o;

    config.policy = runs[_i].policy;
    config.again = AGAIN;
    c = check_open(&config);
    check_finding(c, &f);
    close_it(c);
    o = json_array_get_object_element(findings(), 0);
    if (runs[_i].run) {
        ck_assert_str_eq(json_object_get_string_member(o, "run"), runs[_i].run);
    } else {
        ck_assert(json_object_get_null_member(o, "run"));
    }
}
END_TEST

/* "offset": only if known, that is, if the address lies in the buffer. */
static const struct {
    uint64_t address;
    gint64 offset;
} offsets[] = {
    { (2 << 24) + 16, 16 },
    { (2 << 24) - 1, -1 },
    { (2 << 24) + 4 * MIB, -1 },
    { (2 << 24) + 4 * MIB - 1, 4 * MIB - 1 },
};

START_TEST(an_offset_is_in_its_buffer)
{
    struct check_config config = config_of();
    struct check_finding f = finding(CHECK_ERROR);
    struct check *c = check_open(&config);
    JsonObject *o;

    region(c, 2, HAL_MEM_DEVICE, "cuMemAlloc");
    f.region = 2;
    f.address = offsets[_i].address;
    check_finding(c, &f);
    close_it(c);
    o = json_array_get_object_element(findings(), 0);
    ck_assert_int_eq(json_object_has_member(o, "offset"), offsets[_i].offset >= 0);
    if (offsets[_i].offset >= 0) {
        ck_assert_int_eq(json_object_get_int_member(o, "offset"), offsets[_i].offset);
    }
}
END_TEST

/* Lines of kernels come as numbers of file and line, by the code that the kernel is part of. */
static const struct {
    uint32_t grid;
    uint64_t at, other;
    const char *where, *text;
} splits[] = {
    { 1, UINT64_C(1) << 32 | 12, UINT64_C(1) << 32 | 14, "src/a.cu:12", "here and at src/a.cu:14" },
    { 2, UINT64_C(1) << 32 | 12, UINT64_C(1) << 32 | 14, "src/b.cu:12", "here and at src/b.cu:14" },
    { 1, UINT64_C(1) << 32 | 12, UINT64_C(1) << 32 | 12, "src/a.cu:12", "a branch around it" },
    { 1, UINT64_C(7) << 32 | 12, UINT64_C(1) << 32 | 12, NULL, "a branch around it" },
    { 1, 0, 0, NULL, "a branch around it" },
};

START_TEST(a_barrier_that_splits_says_where)
{
    static const char *const a[] = { "/src/a.cu", "/src/a.cu" }, *const b[] = { NULL, "/src/b.cu" };
    struct check_config config = config_of();
    struct check *c = check_open(&config);
    struct check_kernel k = {
        .grid_id = 1, .name = "k", .block = { 32, 1, 1 }, .code = 5, .files = a, .n_files = 2
    };
    JsonObject *o;

    check_kernel(c, &k);
    k.grid_id = 2;
    k.name = "l";
    k.code = 6;
    k.files = b;
    check_kernel(c, &k);
    record(c, 1000, TRACE_EVENT_BARRIER_SPLIT, BUS_AGENT_IGPU, 0, 1, 1, splits[_i].grid,
           splits[_i].at, splits[_i].other);
    close_it(c);
    ck_assert_uint_eq(json_array_get_length(findings()), 1);
    o = json_array_get_object_element(findings(), 0);
    ck_assert_str_eq(json_object_get_string_member(o, "kernel"), splits[_i].grid == 1 ? "k" : "l");
    assert_has(json_object_get_string_member(o, "text"), splits[_i].text);
    ck_assert_int_eq(json_object_get_null_member(o, "where"), !splits[_i].where);
    if (splits[_i].where) {
        ck_assert_str_eq(json_object_get_string_member(o, "where"), splits[_i].where);
    }
}
END_TEST

/* --- faults of kernels ------------------------------------------------------------------------ */

#define ILLEGAL "CUDA_ERROR_ILLEGAL_ADDRESS"

static const struct {
    struct check_fault fault;
    bool freed; /* buffer 2 */
    const char *key, *says, *not;
} faults[] = {
    { { .va = 0, .size = 4, .api_error = ILLEGAL }, false, "text", "0x0 is a null pointer.", NULL },
    { { .va = 0, .size = 4, .api_error = ILLEGAL },
      false,
      "todo",
      "what the allocation returned",
      "the index" },
    { { .va = 8192, .api_error = ILLEGAL },
      false,
      "text",
      "The address 0x2000 is in no buffer.",
      "nearest" },
    { { .va = 8192, .api_error = ILLEGAL }, false, "todo", "Check the index", NULL },
    { { .va = UINT64_C(1) << 40, .api_error = ILLEGAL },
      false,
      "text",
      "far from every one",
      "nearest" },
    { { .va = (2 << 24) + 4 * MIB + 1, .api_error = ILLEGAL },
      false,
      "text",
      "behind the end of the nearest one",
      "far from" },
    { { .va = 2 << 24, .api_error = ILLEGAL }, true, "todo", "Free the buffer after", "the index" },
    { { .va = 2 << 24, .api_error = ILLEGAL }, false, "todo", "Check the index", "Free" },
    { { .api_error = "CUDA_ERROR_LAUNCH_TIMEOUT" }, false, "todo", "raise --steps", "the index" },
    { { .api_error = "CUDA_ERROR_LAUNCH_FAILED" }, false, "todo", "Fix the kernel.", "the index" },
    { { .api_error = ILLEGAL, .todo = "Own cure." }, false, "todo", "Own cure.", "the index" },
    { { .api_error = ILLEGAL, .rule = "own-rule" }, false, "rule", "own-rule", NULL },
    { { .api_error = ILLEGAL }, false, "rule", "kernel-fault", NULL },
    { { .api_error = ILLEGAL, .section = "Own 1", .standing = CHECK_INFERRED },
      false,
      "section",
      "Own 1",
      NULL },
    { { .api_error = ILLEGAL, .section = "Own 1", .standing = CHECK_INFERRED },
      false,
      "standing",
      "inferred",
      NULL },
    { { .api_error = ILLEGAL, .standing = CHECK_INFERRED }, false, "standing", "documented", NULL },
    { { .api_error = ILLEGAL, .va = 4, .place = "Own place." },
      false,
      "text",
      "Own place.",
      "null pointer" },
    { { .api_error = ILLEGAL, .file = "/src/a.cu", .line = 3, .ptx_line = 9 },
      false,
      "where",
      "src/a.cu:3",
      NULL },
    { { .api_error = ILLEGAL, .ptx_line = 9 }, false, "where", "line 9 of the PTX", NULL },
    { { .api_error = ILLEGAL, .file = "", .line = 3, .ptx_line = 9 },
      false,
      "where",
      "line 9 of the PTX",
      NULL },
};

START_TEST(a_fault_says_what_the_address_is_and_what_to_do)
{
    struct check_config config = config_of();
    struct check *c = check_open(&config);
    struct check_fault fault = faults[_i].fault;
    const char *says;

    region(c, 2, HAL_MEM_DEVICE, "cuMemAlloc");
    /* The driver's own, which is nobody's nearest buffer. */
    record(c, 0, TRACE_EVENT_REGION_ADD, BUS_AGENT_DRIVER, 9, 0, 0x90000000, 4096, 0, 0);
    if (faults[_i].freed) {
        check_region_remove(c, 2, &(struct check_caller){ .entry = 0 });
    }
    fault.what = "a load";
    check_kernel_fault(c, &fault);
    close_it(c);
    says =
        json_object_get_string_member(json_array_get_object_element(findings(), 0), faults[_i].key);
    ck_assert_ptr_nonnull(says);
    assert_has(says, faults[_i].says);
    if (faults[_i].not) {
        assert_has_not(says, faults[_i].not);
    }
}
END_TEST

/* --- races, live ------------------------------------------------------------------------------ */

/* The CPU stores to a buffer that a kernel, already submitted, loads. */
enum race { OPEN, CLOSED, CLOSED_LATER, OPENED_AGAIN, OF_A_HEAP, TWICE };

static void race(struct check *c, enum race how)
{
    struct check_region r = { .mem = { .cpu = (void *)0x1000,
                                       .size = 4096,
                                       .id = 1,
                                       .kind = HAL_MEM_MANAGED,
                                       .cpu_cached = true },
                              .size = 4096,
                              .api = "cuMemAllocManaged",
                              .heap = how == OF_A_HEAP };
    struct check_kernel k = { .grid_id = 1, .name = "k", .stream = 2, .block = { 1, 1, 1 } };

    take(c, "0 driver REGION_ADD region=1 pa=0x80000000 len=4096 cpu_cached=1");
    check_region_add(c, &r);
    check_kernel(c, &k);
    take(c, "1 cpu DOORBELL channel=3 put=1");
    if (how == CLOSED || how == OPENED_AGAIN) {
        check_managed_state(c, 1, true, 1, 2);
    }
    if (how == OPENED_AGAIN) {
        check_managed_state(c, 1, false, 0, 0);
    }
    take(c, "2 cpu CPU_STORE region=1 va=0x1008 len=4 hit=1 pa=0x80000008 sync=0");
    if (how == CLOSED_LATER) {
        check_managed_state(c, 1, true, 1, 2);
    }
    take(c, "3 host SEGMENT by=4 channel=3 get=1");
    take(c, "4 igpu GRID_BEGIN by=4 channel=3 qmd=0x100 entry=0 grid_id=1");
    for (int i = 0; i <= (how == TWICE); i++) {
        take(c, "5 igpu GPU_LOAD region=1 by=4 va=0x1000 low=0xff00 high=0x0 scope=0 cached=0 "
                "pa=0x80000000");
    }
}

static const bool found[] = { [OPEN] = true,         [CLOSED] = false,    [CLOSED_LATER] = true,
                              [OPENED_AGAIN] = true, [OF_A_HEAP] = false, [TWICE] = true };

/* An access that faults does not happen; blocks of a heap change hands unseen. */
START_TEST(an_access_that_happens_can_race)
{
    struct check_config config = config_of();
    struct check *c;

    config.hb = CHECK_HB_ON;
    c = check_open(&config);
    race(c, (enum race)_i);
    close_it(c);
    ck_assert_uint_eq(json_array_get_length(findings()), found[_i]);
    if (_i == TWICE) {
        ck_assert_int_eq(
            json_object_get_int_member(json_array_get_object_element(findings(), 0), "times"), 2);
    }
}
END_TEST

/* "checked": accesses were looked at for races. */
START_TEST(a_run_says_whether_accesses_were_looked_at)
{
    static const enum check_hb hb[] = { CHECK_HB_OFF, CHECK_HB_ON, CHECK_HB_AUTO };
    struct check_config config = config_of();
    struct check *c;

    config.hb = hb[_i];
    c = check_open(&config);
    ck_assert_int_eq((check_mask(c) & TRACE_ACCESS) != 0, hb[_i] == CHECK_HB_ON);
    close_it(c);
    ck_assert_int_eq(
        json_object_get_boolean_member(json_object_get_object_member(json(), "run"), "checked"),
        hb[_i] == CHECK_HB_ON); /* nothing here has hooks */
}
END_TEST

/* --- the trace -------------------------------------------------------------------------------- */

/* All classes but ACCESS and CACHE, or those that were asked for; the board is asked for them. */
START_TEST(a_trace_has_the_classes_that_were_asked_for)
{
    static const unsigned classes[] = { 0, TRACE_ACCESS };
    struct check_config config = config_of();
    g_autofree char *text = NULL;
    struct check *c;

    config.trace_path = trace_path;
    config.trace_classes = classes[_i];
    c = check_open(&config);
    ck_assert_int_eq((check_mask(c) & TRACE_ACCESS) != 0, _i == 1);
    ck_assert_int_eq((check_mask(c) & TRACE_SYNC) != 0, _i == 0);
    take(c, "2 cpu CPU_STORE region=1 va=0x1008 len=4 hit=1 pa=0x80000008 sync=0");
    take(c, "2 cpu CPU_FILL region=1 pa=0x80000008");
    take(c, "2 host SYNCPT_INCR by=4 id=5 value=1");
    region(c, 2, HAL_MEM_DEVICE, "cuMemAlloc");
    check_close(c);
    text = content(trace_path); /* whole before the checker goes */
    ck_assert_int_eq(strstr(text, "CPU_STORE") != NULL, _i == 1);
    ck_assert_int_eq(strstr(text, "SYNCPT_INCR") != NULL, _i == 0);
    assert_has_not(text, "CPU_FILL");
    assert_has(text, "@cache region=1");
    assert_has_not(text, "@cache region=2"); /* in no cache */
    assert_has_not(text, "@object ");        /* nobody has hooks */
    assert_has(text, "@end ");
    check_free(c);
}
END_TEST

/* Threads may call until the process has gone. */
START_TEST(what_comes_after_the_end_does_not_count)
{
    struct check_config config = config_of();
    struct check_finding f = finding(CHECK_ERROR);
    g_autofree char *before = NULL, *after = NULL, *err = NULL;
    struct check *c;

    config.trace_path = trace_path;
    c = check_open(&config);
    check_close(c);
    before = content(trace_path);
    take(c, "2 host SYNCPT_INCR by=4 id=5 value=1");
    check_finding(c, &f);
    check_free(c);
    after = content(trace_path);
    err = content(err_path);
    ck_assert_str_eq(before, after);
    ck_assert_str_eq(err, "");
}
END_TEST

START_TEST(records_that_were_not_told_carry_their_time)
{
    struct check_config config = config_of();
    struct check *c = check_open(&config);

    take(c, "5 host SYNCPT_INCR by=4 id=5 value=1");
    check_untold_records(c, 3, 70);
    check_untold_records(c, 3, 60);
    close_it(c);
    ck_assert_int_eq(
        json_object_get_int_member(json_object_get_object_member(json(), "run"), "virtual_time_ns"),
        70);
}
END_TEST

START_TEST(a_wait_for_all_streams_says_so)
{
    struct check_config config = config_of();
    struct check_note n = { .kind = CHECK_NOTE_SYNC, .api = "cuCtxSynchronize" };
    g_autofree char *text = NULL;
    struct check *c;

    config.trace_path = trace_path;
    c = check_open(&config);
    n.stream = CHECK_ALL_STREAMS;
    check_api_note(c, &n);
    n.stream = 3;
    check_api_note(c, &n);
    close_it(c);
    text = content(trace_path);
    assert_has(text, "@sync api=cuCtxSynchronize stream=all\n");
    assert_has(text, "@sync api=cuCtxSynchronize stream=3\n");
}
END_TEST

START_TEST(a_failed_call_names_the_kernel_as_it_was_written)
{
    struct check_config config = config_of();
    struct check *c = check_open(&config);
    struct check_note n = { .kind = CHECK_NOTE_ERROR,
                            .api = "cuLaunchKernel",
                            .detail = "CUDA_ERROR_INVALID_VALUE: _Z3incPii: why" };
    JsonObject *o;

    check_api_note(c, &n);
    close_it(c);
    o = json_array_get_object_element(json_object_get_array_member(json(), "failed_calls"), 0);
    ck_assert_str_eq(json_object_get_string_member(o, "error"),
                     "CUDA_ERROR_INVALID_VALUE: inc: why");
}
END_TEST

/* --- who hears of it -------------------------------------------------------------------------- */

/* A path that cannot be written sends the text to stderr, but not where nobody wants it. */
static const struct {
    const char *path;
    bool quiet, said;
} quiets[] = {
    { NULL, false, true },
    { NULL, true, false },
    { "/nonexistent/r", false, true },
    { "/nonexistent/r", true, false },
};

START_TEST(quiet_runs_have_no_text)
{
    struct check_config config = config_of();
    g_autofree char *err = NULL;
    struct check *c;

    config.report_path = quiets[_i].path;
    config.quiet = quiets[_i].quiet;
    c = check_open(&config);
    region(c, 2, HAL_MEM_DEVICE, "cuMemAlloc");
    close_it(c);
    err = content(err_path);
    ck_assert_int_eq(strstr(err, "vtegra report\n") != NULL, quiets[_i].said);
}
END_TEST

START_TEST(a_finding_alone_has_its_report)
{
    struct check_config config = config_of();
    struct check_finding f = finding(CHECK_ERROR);
    g_autofree char *err = NULL;
    struct check *c;

    config.report_path = config.json_path = NULL;
    c = check_open(&config);
    check_finding(c, &f);
    close_it(c);
    err = content(err_path);
    assert_has(err, "vtegra report\n");
}
END_TEST

START_TEST(a_child_of_fork_writes_nothing)
{
    struct check_config config = config_of();
    struct check *c = check_open(&config);
    int status;
    pid_t pid;

    region(c, 2, HAL_MEM_DEVICE, "cuMemAlloc");
    pid = fork();
    if (pid == 0) {
        check_close(c);
        _exit(0);
    }
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    ck_assert_int_eq(status, 0);
    ck_assert(!g_file_test(report_path, G_FILE_TEST_EXISTS));
    close_it(c);
    ck_assert(g_file_test(report_path, G_FILE_TEST_EXISTS));
}
END_TEST

/* --- notes of single calls -------------------------------------------------------------------- */

/* Functions of ours, for the checker, and one of the program. */
#define FUNCTION(name)                                                               \
    __asm__(".pushsection .text.told,\"ax\",%progbits\n.globl " name "\n.type " name \
            ",%function\n" name ": nop\nret\n.size " name ", .-" name "\n.popsection")
FUNCTION("cudaMalloc");
FUNCTION("cudaLaunchKernel");
FUNCTION("of_the_program");
extern char cudaMalloc[], cudaLaunchKernel[], of_the_program[];

static struct check_caller through(const char *call)
{
    return (struct check_caller){ .pc = { (uintptr_t)of_the_program + 1 },
                                  .entry = (uintptr_t)call + 1 };
}

/* Lines of the trace from its first buffer on, less the offsets of places; g_free(). */
static char *trace_lines(void)
{
    g_autoptr(GRegex) place = g_regex_new("where=\"[^ ]*[+]0x[0-9a-f]+ in", 0, 0, NULL);
    char *text = NULL, *lines;

    ck_assert(g_file_get_contents(trace_path, &text, NULL, NULL));
    lines = g_regex_replace_literal(place, strstr(text, "@region"), -1, 0, "where=\"in", 0, NULL);
    g_free(text);
    return lines;
}

START_TEST(a_run_opens_with_its_header)
{
    struct check_config config = config_of();
    g_autofree char *text = NULL;

    orin = (struct soc_profile){
        .soc = { .name = "s", .marketing = "m", .io_coherent = _i == 0 },
        .cpu = { .line_bytes = 64 },
        .gpu = { .name = "g", .cc_major = 8, .cc_minor = 7 },
        .rules = { .cpu_snoops_l2 = _i == 1 },
        .timing = { .cpu_hit_ps = 1,
                    .cpu_miss_ps = 2,
                    .cpu_uncached_ps = 3,
                    .cpu_maintain_line_ps = 4 },
        .memory = { .bandwidth_mb_s = 5 },
    };
    config.program = "/x/y/prog";
    config.os = "qnx";
    config.policy = "lazy";
    config.evict = "lru";
    config.seed = 6;
    config.again = AGAIN;
    config.safety = _i == 0;
    config.machine_sees_cpu = _i == 1;
    config.hb = _i == 1 ? CHECK_HB_ON : CHECK_HB_OFF;
    config.trace_path = trace_path;
    close_it(check_open(&config));
    text = content(trace_path);
    assert_has(
        text,
        _i == 0 ? "# vtegra trace 1\n"
                  "@run program=prog soc=s module=m gpu=g cc=87 io_coherent=1 "
                  "cpu_snoops_l2=0 concurrent_managed=0 pageable_access=0 "
                  "numa_local=1 edition=\"\" os=qnx policy=lazy evict=lru seed=6 "
                  "again=\"" AGAIN "\" safety=1 hb=0 cpu_hit_ps=1 cpu_miss_ps=2 "
                  "cpu_uncached_ps=3 cpu_maintain_ps=4 cpu_line=64 bandwidth_mb_s=5\n"
                : "io_coherent=0 cpu_snoops_l2=1 concurrent_managed=0 "
                  "pageable_access=0 numa_local=1 edition=\"\" os=qnx policy=lazy evict=lru seed=6 "
                  "again=\"" AGAIN "\" safety=0 hb=1 cpu_hit_ps=1 cpu_miss_ps=2 "
                  "cpu_uncached_ps=3 cpu_maintain_ps=4 cpu_line=64 bandwidth_mb_s=5 "
                  "machine_sees_cpu=1\n");
}
END_TEST

/* What each says of its call: numbers of its own everywhere. */
START_TEST(each_call_has_its_note)
{
    static const char *const files[] = { NULL, "/src/a.cu" };
    struct check_config config = config_of();
    struct check_region r = { .mem = { .cpu = (void *)0x1000,
                                       .size = 4096,
                                       .id = 2,
                                       .kind = HAL_MEM_MANAGED,
                                       .cpu_cached = true },
                              .size = 64,
                              .api = "cuMemAllocManaged",
                              .attached = CHECK_ATTACH_HOST,
                              .caller = through(cudaMalloc) };
    struct check_kernel k = { .grid_id = 3,
                              .name = "k",
                              .stream = 4,
                              .grid = { 5, 6, 7 },
                              .block = { 8, 9, 10 },
                              .code = 11,
                              .files = files,
                              .n_files = 2 };
    struct check_caller malloc_call = through(cudaMalloc);
    struct check_note n = { .kind = CHECK_NOTE_COPY,
                            .api = "cuMemcpy",
                            .region = 2,
                            .region2 = 12,
                            .bytes = 13,
                            .stream = 14 };
    g_autofree char *text = NULL;
    struct check *c;

    config.trace_path = trace_path;
    c = check_open(&config);
    check_region_add(c, &r);
    r = (struct check_region){
        .mem = { .id = 15, .size = 4096, .kind = HAL_MEM_PINNED, .cpu = (void *)0x9000 },
        .size = 16,
        .api = "__device__ variables",
        .heap = true,
        .caller = through(cudaMalloc)
    };
    check_region_add(c, &r);
    check_pageable(c, 16);
    check_kernel(c, &k);
    k.grid_id = 17; /* the same code: its files are known */
    k.caller = through(cudaLaunchKernel);
    check_kernel(c, &k);
    k = (struct check_kernel){ .grid_id = 18, .name = "l" };
    check_kernel(c, &k);
    check_event(c, 19, 20, 21, &malloc_call);
    check_event(c, 19, 22, 21, &(struct check_caller){ .pc = { 0x10 } }); /* is nowhere */
    check_api_note(c, &n);
    n = (struct check_note){ .kind = CHECK_NOTE_ATTACH,
                             .region = 2,
                             .attach = CHECK_ATTACH_SINGLE };
    check_api_note(c, &n);
    check_region_remove(c, 2, &malloc_call);
    check_region_remove(c, 15, NULL);
    close_it(c);
    text = trace_lines();
    ck_assert_str_eq(
        text, "@region id=2 kind=managed registered=0 cpu_cached=1 va=0x1000 size=64 len=4096 "
              "api=cudaMalloc attached=host where=\"in of_the_program\"\n"
              "@region id=15 kind=pinned registered=0 cpu_cached=0 va=0x9000 size=16 len=4096 "
              "api=\"__device__ variables\" heap=1 where=\"in of_the_program\"\n"
              "@region id=16 kind=pageable cpu_cached=1 api=\"malloc, static, stack, mmap\"\n"
              "@file code=11 number=1 path=src/a.cu\n"
              "@kernel id=3 name=k stream=4 grid=5,6,7 block=8,9,10 code=11\n"
              "@kernel id=17 name=k stream=4 grid=5,6,7 block=8,9,10 code=11 "
              "where=\"in of_the_program\"\n"
              "@kernel id=18 name=l stream=0 grid=0,0,0 block=0,0,0\n"
              "@event api=cudaMalloc stream=21 syncpt=19 value=20 where=\"in of_the_program\"\n"
              "@event api=cuEventRecord stream=21 syncpt=19 value=22\n"
              "@copy api=cuMemcpy dst=2 src=12 bytes=13 stream=14\n"
              "@attach api=\"a call\" region=2 state=single prefetch=gpu stream=0\n"
              "@free id=2 where=\"in of_the_program\"\n"
              "@free id=15\n"
              "@end time_ns=0\n");
}
END_TEST

/* Of several hundred entries of the driver a program knows the one that it called. */
START_TEST(a_call_is_the_one_that_the_program_made)
{
    struct check_config config = config_of();
    struct check_caller known = through(cudaMalloc), unknown = { .pc = { 0x10 } };
    struct check *c = check_open(&config);
    g_autofree char *of_known = check_called(c, "cuMemAlloc", &known),
                    *of_unknown = check_called(c, "cuMemAlloc", &unknown),
                    *of_nobody = check_called(NULL, "cuMemAlloc", &known),
                    *at = check_called_at(c, &known), *later = NULL;

    ck_assert_str_eq(of_known, "cudaMalloc");
    ck_assert_str_eq(of_unknown, "cuMemAlloc");
    ck_assert_str_eq(of_nobody, "cuMemAlloc");
    ck_assert(g_str_has_suffix(at, " in of_the_program"));
    ck_assert_ptr_null(check_called_at(c, &unknown));
    ck_assert_ptr_null(check_called_at(NULL, &known));
    check_close(c);
    later = check_called(c, "cuMemAlloc", &known);
    ck_assert_str_eq(later, "cuMemAlloc");
    check_free(c);
}
END_TEST

/* A finding speaks of the program's call: of the one at its place, which it names, else of its
 * kernel's launch. */
static const struct {
    const char *call;
    uint32_t grid;
    const char *says;
} findings_of[] = {
    { cudaMalloc, 0, "cudaMalloc gave cudaErrorInvalidValue" },
    { cudaMalloc, 1, "cudaMalloc gave cudaErrorInvalidValue" },
    { NULL, 1, "cudaLaunchKernel gave cudaErrorInvalidValue" },
    { NULL, 2, "cuMemAlloc gave CUDA_ERROR_INVALID_VALUE" }, /* who launched it is not known */
    { NULL, 0, "cuMemAlloc gave CUDA_ERROR_INVALID_VALUE" },
};

START_TEST(a_finding_speaks_of_the_programs_call)
{
    struct check_config config = config_of();
    struct check_kernel k = { .grid_id = 1, .name = "k", .caller = through(cudaLaunchKernel) };
    struct check_finding f = finding(CHECK_ERROR);
    struct check *c = check_open(&config);
    JsonObject *o;

    check_kernel(c, &k);
    k.grid_id = 2;
    k.caller.pc[0] = 0;
    check_kernel(c, &k);
    f.text = f.todo = "cuMemAlloc gave CUDA_ERROR_INVALID_VALUE";
    f.grid_id = findings_of[_i].grid;
    if (findings_of[_i].call) {
        f.caller = through(findings_of[_i].call);
    }
    check_finding(c, &f);
    close_it(c);
    o = json_array_get_object_element(findings(), 0);
    if (findings_of[_i].call) {
        assert_has(json_object_get_string_member(o, "where"), "in of_the_program");
    } else {
        ck_assert(json_object_get_null_member(o, "where"));
    }
    ck_assert_str_eq(json_object_get_string_member(o, "text"), findings_of[_i].says);
    ck_assert_str_eq(json_object_get_string_member(o, "todo"), findings_of[_i].says);
    ck_assert_pstr_eq(json_object_get_null_member(o, "kernel")
                          ? NULL
                          : json_object_get_string_member(o, "kernel"),
                      findings_of[_i].grid ? "k" : NULL);
}
END_TEST

static const char *const machine_saw[] = {
    "6 cpu CPU_STORE region=1 va=0x1008 len=4 hit=1 pa=0x80000008 sync=0",
    "6 cpu CPU_ATOMIC region=1 va=0x1008 len=4 hit=1 pa=0x80000008 sync=0",
    "6 cpu CPU_LOAD region=1 va=0x1008 len=4 hit=1 pa=0x80000008 sync=0",
    "6 igpu GPU_STORE region=1 by=5 va=0x1000 low=0xff00 high=0x0 scope=0 cached=0 pa=0x80000000",
};

/* A machine that sees the accesses says where in the program they are made; what else its records
 * hold there is no place. */
START_TEST(an_access_that_a_machine_saw_has_its_place)
{
    struct check_config config = config_of();
    struct trace_record r;
    g_autofree char *text = NULL;
    struct check *c;

    config.hb = CHECK_HB_ON;
    config.machine_sees_cpu = true;
    c = check_open(&config);
    ck_assert(trace_parse(machine_saw[_i], &r));
    r.arg[5] = (uintptr_t)of_the_program + 1;
    race(c, OPEN);
    take(c, "5 igpu GPU_STORE region=1 by=4 va=0x1000 low=0xff00 high=0x0 scope=0 cached=0 "
            "pa=0x80000000");
    check_sink(c, &r);
    close_it(c);
    text = content(json_path);
    ck_assert_int_eq(strstr(text, "in of_the_program") != NULL, _i < 3);
}
END_TEST

/* It races, and is in no trace and no count: those are its own process's. */
START_TEST(a_record_of_another_process_only_races)
{
    struct check_config config = config_of();
    struct trace_record r;
    g_autofree char *report = NULL, *trace = NULL;
    struct check *c;
    uint64_t before;

    config.hb = CHECK_HB_ON;
    config.shared = true;
    config.trace_path = trace_path;
    config.trace_classes = TRACE_ALL;
    c = check_open(&config);
    ck_assert_uint_ne(check_mask(c) & TRACE_FOREIGN, 0);
    check_process(c, 1);
    race(c, OPEN);
    before = c->run->records;
    ck_assert(trace_parse("7 igpu GPU_STORE region=1 by=9 va=0x1000 low=0xff00 high=0x0 scope=0 "
                          "cached=0 pa=0x80000000",
                          &r));
    r.process = 2;
    check_sink(c, &r);
    r.event = TRACE_EVENT_COUNT; /* it ends */
    check_sink(c, &r);
    ck_assert_uint_eq(c->run->records, before);
    close_it(c);
    trace = content(trace_path);
    assert_has_not(trace, "by=9");
    report = content(report_path);
    assert_has(report, "work of process 2");
    assert_has(report, "this is process 1");
}
END_TEST

/* The newest that was seen to use it. */
START_TEST(the_last_kernel_of_a_buffer_is_known)
{
    struct check_config config = config_of();
    struct check *c = check_open(&config);
    struct check_kernel k = { .grid_id = 7, .name = "k", .block = { 1, 1, 1 } };

    region(c, 2, HAL_MEM_DEVICE, "cuMemAlloc");
    ck_assert_uint_eq(check_last_grid(c, 2), 0);
    check_kernel(c, &k);
    record(c, 5000, TRACE_EVENT_GRID_BEGIN, BUS_AGENT_IGPU, 0, 1, 0, 0x100, 0, 7);
    record(c, 9000, TRACE_EVENT_SUM_READ, BUS_AGENT_IGPU, 2, 1, 32, 1, 0, 1);
    ck_assert_uint_eq(check_last_grid(c, 2), 7);
    ck_assert_uint_eq(check_last_grid(c, 3), 0);
    ck_assert_uint_eq(check_last_grid(NULL, 2), 0);
    close_it(c);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("told");
    TCase *t = tcase_create("told");

    tcase_set_timeout(t, 60);
    tcase_add_checked_fixture(t, setup, api_notes_teardown);
    tcase_add_loop_test(t, errors_and_warnings_are_printed_as_they_happen, 0, G_N_ELEMENTS(lives));
    tcase_add_loop_test(t, findings_say_the_command, 0, G_N_ELEMENTS(runs));
    tcase_add_loop_test(t, an_offset_is_in_its_buffer, 0, G_N_ELEMENTS(offsets));
    tcase_add_loop_test(t, a_barrier_that_splits_says_where, 0, G_N_ELEMENTS(splits));
    tcase_add_loop_test(t, a_fault_says_what_the_address_is_and_what_to_do, 0,
                        G_N_ELEMENTS(faults));
    tcase_add_loop_test(t, an_access_that_happens_can_race, 0, G_N_ELEMENTS(found));
    tcase_add_loop_test(t, a_run_says_whether_accesses_were_looked_at, 0, 3);
    tcase_add_loop_test(t, a_trace_has_the_classes_that_were_asked_for, 0, 2);
    tcase_add_test(t, what_comes_after_the_end_does_not_count);
    tcase_add_test(t, records_that_were_not_told_carry_their_time);
    tcase_add_test(t, a_wait_for_all_streams_says_so);
    tcase_add_test(t, a_failed_call_names_the_kernel_as_it_was_written);
    tcase_add_loop_test(t, quiet_runs_have_no_text, 0, G_N_ELEMENTS(quiets));
    tcase_add_test(t, a_finding_alone_has_its_report);
    tcase_add_test(t, a_child_of_fork_writes_nothing);
    tcase_add_loop_test(t, a_run_opens_with_its_header, 0, 2);
    tcase_add_test(t, each_call_has_its_note);
    tcase_add_test(t, a_call_is_the_one_that_the_program_made);
    tcase_add_loop_test(t, a_finding_speaks_of_the_programs_call, 0, G_N_ELEMENTS(findings_of));
    tcase_add_loop_test(t, an_access_that_a_machine_saw_has_its_place, 0, 4);
    tcase_add_test(t, a_record_of_another_process_only_races);
    tcase_add_test(t, the_last_kernel_of_a_buffer_is_known);
    suite_add_tcase(s, t);
    return suite_main(s);
}
