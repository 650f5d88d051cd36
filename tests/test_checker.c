/* SPDX-License-Identifier: MIT */
/* The door of the checker: what the watching side gives, what it gets back, and in which order. The
 * records are made by hand; that a stale line, a lost line and a race are mistakes is
 * docs/races.md's and CUDA for Tegra 2.1's. */
#include <check.h>
#include <string.h>

#include "checker/checker.h"
#include "tests/suite.h"

/* What the host was called with, a word a call. */
static GString *calls;
static struct checker *c;

static const char *host_place(void *opaque, uint64_t pc)
{
    (void)opaque;
    return pc == 0x10 ? "app.cu:10 in main" : pc == 0x20 ? "" : NULL;
}

static void host_noted(void *opaque, const struct note *n)
{
    g_string_append_printf(opaque, "@%s ", n->name);
}

static void host_found(void *opaque, const struct run_finding *f)
{
    g_string_append_printf(opaque, "%s at %s ", f->rule, f->where ? f->where : "?");
}

static void note(const char *line)
{
    struct note n;

    ck_assert_msg(note_parse(line, &n), "%s", line);
    checker_note(c, &n);
}

static void record(const char *line, uint64_t pc, bool happens)
{
    struct trace_record t;

    ck_assert_msg(trace_parse(line, &t), "%s", line);
    checker_record(c, &t, pc, happens);
}

static void open(bool hb)
{
    struct checker_host host = { host_place, host_noted, host_found, calls, NULL };

    c = checker_new(&host, hb);
}

static void setup(void)
{
    calls = g_string_new(NULL);
    c = NULL;
}

static void teardown(void)
{
    checker_free(c);
    g_string_free(calls, TRUE);
}

static const struct run_finding *finding(guint i)
{
    const GPtrArray *all = checker_run(c)->findings;

    ck_assert_uint_lt(i, all->len);
    return all->pdata[i];
}

#define STALE "100 cpu CPU_STALE region=1 pa=0x1000"
#define REGION "@region id=1 kind=managed cpu_cached=1 va=0x2000 size=4096 len=4096"

/* The trace has the note first, so that a reader of it finds the same. */
START_TEST(a_finding_is_noted_and_then_reported)
{
    open(false);
    note(REGION);
    record(STALE, 0x10, true);
    ck_assert_str_eq(calls->str, "@region @finding stale-cpu-read at app.cu:10 in main ");
}
END_TEST

START_TEST(a_loop_is_one_finding_and_counted_at_the_end)
{
    open(false);
    note(REGION);
    for (int i = 0; i < 5; i++) {
        record(STALE, _i ? 0x10 : 0x20, true); /* 0x20: no place */
    }
    ck_assert_uint_eq(finding(0)->count, 1);
    checker_repeats(c);
    ck_assert_uint_eq(checker_run(c)->findings->len, 1);
    ck_assert_uint_eq(finding(0)->count, 5);
}
END_TEST

START_TEST(two_places_are_two_findings)
{
    open(false);
    note(REGION);
    record(STALE, 0x10, true);
    record(STALE, 0x20, true);
    ck_assert_uint_eq(checker_run(c)->findings->len, 2);
    ck_assert_str_eq(finding(0)->where, "app.cu:10 in main");
    ck_assert_ptr_null(finding(1)->where);
}
END_TEST

START_TEST(advice_is_not_reported_as_it_happens)
{
    open(false);
    checker_finding(c, &(struct checker_finding){
                           .rule = "hint", .severity = CHECK_ADVICE, .text = "T", .todo = "D" });
    ck_assert_str_eq(calls->str, "@finding ");
    ck_assert_uint_eq(checker_run(c)->findings->len, 0);
    ck_assert_uint_eq(checker_run(c)->noted_advice->len, 1);
}
END_TEST

START_TEST(a_host_that_gives_nothing_is_enough)
{
    c = checker_new(NULL, true);
    note(REGION);
    record(STALE, 0x10, true);
    checker_finding(c, &(struct checker_finding){ .rule = "some", .severity = CHECK_ERROR });
    ck_assert_str_eq(finding(0)->rule, "some");
    ck_assert_ptr_null(finding(0)->where);
}
END_TEST

/* A store of the CPU, then one of a kernel that nothing orders behind it. */
static void racing_stores(bool happens)
{
    note("@run soc=orin io_coherent=1 policy=lazy evict=never");
    record("1 driver REGION_ADD region=1 pa=0x1000 len=4096 cpu_cached=1", 0, true);
    note(REGION);
    record("2 cpu CPU_STORE region=1 va=0x2000 len=4 hit=0 pa=0x1000 sync=0", 0x10, happens);
    record("3 igpu GPU_STORE region=1 by=1 va=0x2000 low=0xf high=0x0 scope=0 cached=1 pa=0x1000",
           0, true);
}

START_TEST(an_access_that_faults_races_with_nothing)
{
    bool happens = _i;

    open(true);
    racing_stores(happens);
    ck_assert_uint_eq(checker_run(c)->findings->len, happens);
    if (happens) { /* the CPU's place is the host's to know */
        ck_assert_str_eq(finding(0)->where, "app.cu:10 in main");
    }
}
END_TEST

/* What the live run found is in the trace: the same again would be counted twice. */
START_TEST(a_replay_finds_nothing_of_its_own_where_the_run_looked)
{
    c = checker_new_replay(NULL);
    note("@run soc=orin io_coherent=1 policy=lazy evict=never hb=1");
    note(REGION);
    record(STALE, 0, true);
    ck_assert_ptr_null(checker_hb(c));
    ck_assert(checker_run(c)->checked);
    ck_assert_uint_eq(checker_run(c)->findings->len, 0);
    note("@finding rule=stale-cpu-read severity=warning region=1");
    ck_assert_uint_eq(checker_run(c)->findings->len, 1);
}
END_TEST

START_TEST(a_replay_compares_accesses_where_the_run_did_not)
{
    c = checker_new_replay(NULL);
    racing_stores(true);
    ck_assert(checker_run(c)->checked);
    ck_assert_str_eq(finding(0)->rule, "race");
}
END_TEST

/* The options that make it happen again, under every policy. */
START_TEST(a_finding_says_how_to_see_it_again)
{
    static const struct {
        const char *policy;
        enum check_severity severity;
        bool says;
    } rows[] = { { "seeded", CHECK_ERROR, true },
                 { "seeded", CHECK_WARNING, true },
                 { "lazy", CHECK_ERROR, true } };
    g_autofree char *header =
        g_strdup_printf("@run soc=orin policy=%s again=\"vtegra run app\"", rows[_i].policy);

    open(false);
    note(header);
    checker_finding(c, &(struct checker_finding){ .rule = "some", .severity = rows[_i].severity });
    ck_assert_ptr_nonnull(finding(0));
    ck_assert_int_eq(finding(0)->run != NULL, rows[_i].says);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("checker");
    TCase *t = tcase_create("checker");

    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_test(t, a_finding_is_noted_and_then_reported);
    tcase_add_loop_test(t, a_loop_is_one_finding_and_counted_at_the_end, 0, 2);
    tcase_add_test(t, two_places_are_two_findings);
    tcase_add_test(t, advice_is_not_reported_as_it_happens);
    tcase_add_test(t, a_host_that_gives_nothing_is_enough);
    tcase_add_loop_test(t, an_access_that_faults_races_with_nothing, 0, 2);
    tcase_add_test(t, a_replay_finds_nothing_of_its_own_where_the_run_looked);
    tcase_add_test(t, a_replay_compares_accesses_where_the_run_did_not);
    tcase_add_loop_test(t, a_finding_says_how_to_see_it_again, 0, 3);
    suite_add_tcase(s, t);
    return suite_main(s);
}
