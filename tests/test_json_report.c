/* SPDX-License-Identifier: MIT */
/* Every key of docs/report-json.md, each with a number of its own: a value in the wrong place is
 * another one. */
#include <check.h>
#include <glib.h>
#include <json-glib/json-glib.h>
#include <stdlib.h>
#include <string.h>

#include "checker/print/html.h"
#include "checker/print/json.h"
#include "checker/rules/memory_kinds.h"
#include "tests/hal_none.h"
#include "trace/note.h"

static struct run *run;
static GPtrArray *advice;

static void note(const char *line)
{
    struct note n;

    ck_assert_msg(note_parse(line, &n), "%s", line);
    run_note(run, &n);
    note_clear(&n);
}

/* twelve numbers from @first on */
static struct run_count counts(uint64_t first)
{
    return (struct run_count){ first,     first + 1, first + 2, first + 3, first + 4,  first + 5,
                               first + 6, first + 7, first + 8, first + 9, first + 10, first + 11 };
}

static struct run_finding *finding(enum check_severity severity, enum check_standing standing)
{
    struct run_finding *f = g_new0(struct run_finding, 1);

    f->severity = severity;
    f->standing = standing;
    return f;
}

static void finding_free(gpointer f)
{
    g_free(f);
}

static void setup(void)
{
    run = run_new();
    advice = g_ptr_array_new_with_free_func(finding_free);
}

static void teardown(void)
{
    g_ptr_array_free(advice, TRUE);
    run_free(run);
}

static void header(void)
{
    note("@run program=app soc=orin module=\"a module\" gpu=GA10B cc=87 io_coherent=1 "
         "cpu_snoops_l2=0 os=qnx policy=seeded evict=lru seed=4294967307 safety=1");
    note("@object name=app hooks=some");
    note("@without-hooks object=app file=b.cpp");
    note("@without-hooks object=app function=\"f(int)\"");
    note("@object name=lib.so hooks=none");
    run->time_ns = 12;
    run->checked = true;
}

static void buffer(void)
{
    struct run_region *region;

    note("@region id=5 kind=pinned registered=1 cpu_cached=1 va=0x1000 size=4000 len=4096 "
         "api=cudaHostRegister where=a.cu:1 attached=host");
    note("@kernel id=1 name=_Z2k1Pi stream=3 grid=2,3,4 block=5,6,7 where=a.cu:2");
    note("@site region=5 where=a.cu:3 loads=21 stores=22 atomics=23 bytes=24");
    note("@site region=5 where=a.cu:4 loads=25 stores=26 atomics=27 bytes=28");
    region = run_region(run, 5);
    region->times = 31;
    region->freed = true;
    region->agent[BUS_AGENT_CPU] = counts(100);
    region->agent[BUS_AGENT_IGPU] = counts(200);
    region->agent[BUS_AGENT_CE] = counts(300);
    region->agent[BUS_AGENT_HOST] = counts(400);
    region->agent[BUS_AGENT_DLA] = counts(500);
    region->stale_lines = 32;
    region->clean = (struct run_maint){ 33, 34, 35 };
    region->clean_invalidate = (struct run_maint){ 36, 37, 38 };
    region->invalidate = (struct run_maint){ 39, 40, 41 };
    region->attach_gpu = 42;
    region->attach_cpu = 43;
    region->lost_bytes = 44;
}

static void kernel(void)
{
    struct run_region *region = run_region(run, 5);
    struct run_kernel *k = run->kernels->pdata[0];
    struct run_use *use = g_new0(struct run_use, 1);

    k->launches = 51;
    k->ended = 52;
    k->time_ns = 53;
    k->warp_insts = 54;
    k->sum = counts(600);
    use->kernel = k;
    use->sum = counts(700);
    g_ptr_array_add(region->uses, use);
}

static void calls(void)
{
    note("@region id=6 kind=pinned cpu_cached=0 va=0x9000 size=64 len=4096");
    note("@copy api=cudaMemcpy dst=6 src=5 bytes=61 where=a.cu:5");
    note("@copy api=cudaMemcpy dst=6 src=5 bytes=61 where=a.cu:5");
    note("@copy api=cudaMemset dst=5 src=0 bytes=62");
    note("@error api=cudaMalloc where=a.cu:6 detail=cudaErrorMemoryAllocation section=\"a "
         "section\"");
    note("@unsupported api=cuda2 detail=cudaErrorNotSupported");
    note("@finding rule=r1 severity=warning standing=measured section=s1 text=t1 todo=d1 "
         "where=a.cu:7 region=5 offset=71 kernel=_Z2k1Pi other=o1 thread=3 other_thread=0 "
         "run=\"vtegra run\" "
         "pair=\"p1, p2\" streams=3 count=70");
    note("@finding rule=r1 where=a.cu:7 region=5 other=o2 pair=\"p1, p2\" streams=4 count=2");
    note("@finding rule=r2 severity=error standing=documented text=t2 region=99");
    run->l2_clean = (struct run_maint){ 81, 82, 83 };
    run->l2_clean_bytes = 84;
    run->l2_invalidate = (struct run_maint){ 85, 86, 87 };
    run->l2_lost_bytes = 88;
    g_ptr_array_add(advice, finding(CHECK_ADVICE, CHECK_INFERRED));
}

#define COUNTS(read_bytes, written, rh, rm, wh, wm, pr, pw, snooped, atomics)                 \
    "\"read_bytes\":" #read_bytes ",\"written_bytes\":" #written ",\"l2_read_hits\":" #rh     \
    ",\"l2_read_misses\":" #rm ",\"l2_write_hits\":" #wh ",\"l2_write_misses\":" #wm          \
    ",\"port_read_bytes\":" #pr ",\"port_written_bytes\":" #pw ",\"snooped_lines\":" #snooped \
    ",\"atomics\":" #atomics
#define NOTHING COUNTS(0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
#define MAINT(operations, lines, empty) \
    "{\"operations\":" #operations ",\"lines\":" #lines ",\"empty\":" #empty "}"

/* By hand from docs/report-json.md and the functions above. Hits of the CPU: 102 + 106, misses: 103
 * + 107; cached memory has no uncached access. */
static const char wanted[] =
    "{\"version\":1,"
    "\"run\":{\"program\":\"app\",\"soc\":\"orin\",\"module\":\"a module\",\"gpu\":\"GA10B\","
    "\"compute_capability\":87,\"io_coherent\":true,\"cpu_snoops_l2\":false,\"os\":\"qnx\","
    "\"policy\":\"seeded\",\"evict\":\"lru\",\"seed\":4294967307,\"safety\":true,"
    "\"cpu_exact\":false,"
    "\"checked\":true,\"kernel_races\":\"off\",\"virtual_time_ns\":12},"
    "\"objects\":[{\"name\":\"app\",\"hooks\":\"some\",\"files_without\":[\"b.cpp\"],"
    "\"functions_without\":[\"f(int)\"]},{\"name\":\"lib.so\",\"hooks\":\"none\","
    "\"files_without\":[],\"functions_without\":[]}],"
    "\"buffers\":[{\"number\":1,\"region\":5,\"kind\":\"registered\",\"bytes\":4000,"
    "\"api\":\"cudaHostRegister\",\"where\":\"a.cu:1\",\"allocations\":31,\"attached\":\"host\","
    "\"freed\":true,\"cpu_caching\":\"cached\",\"igpu_caching\":\"uncached\","
    "\"dgpu_caching\":null,\"cpu\":{\"loads\":101,\"read_bytes\":100,\"stores\":105,\"written_"
    "bytes\":104,"
    "\"atomics\":111,\"cache_hits\":208,\"cache_misses\":210,\"uncached_accesses\":0,"
    "\"stale_reads\":32,\"places\":["
    "{\"where\":\"a.cu:3\",\"loads\":21,\"stores\":22,\"atomics\":23,\"bytes\":24},"
    "{\"where\":\"a.cu:4\",\"loads\":25,\"stores\":26,\"atomics\":27,\"bytes\":28}]},"
    "\"kernels\":[{\"name\":\"k1\",\"kernel\":0," COUNTS(
        700, 704, 702, 703, 706, 707, 708, 709, 710,
        711) "}],"
             "\"igpu\":{" COUNTS(
                 200, 204, 202, 203, 206, 207, 208, 209, 210,
                 211) "},"
                      "\"copy_engine\":{" COUNTS(
                          300, 304, 302, 303, 306, 307, 308, 309, 310,
                          311) "},"
                               "\"front_end\":{" COUNTS(
                                   400, 404, 402, 403, 406, 407, 408, 409, 410,
                                   411) "},"
                                        "\"dgpu\":{" NOTHING "},\"dgpu_copy_engine\":{" NOTHING
                                        "},\"dgpu_front_end\":{" NOTHING "},"
                                        "\"dla\":{" COUNTS(500, 504, 502, 503, 506, 507, 508, 509,
                                                           510, 511) "},"
                                                                     "@engines@"

                                                                     "\"maintenance\":{\"cpu_"
                                                                     "clean\":" MAINT(33, 34, 35) ",\"cpu_clean_invalidate\":" MAINT(36, 37, 38) ",\"cpu_invalidate\":" MAINT(
                                                                         39, 40,
                                                                         41) ",\"hints_to_"
                                                                             "gpu\":42,\"hints_"
                                                                             "to_cpu\":43,"
                                                                             "\"lost_bytes\":"
                                                                             "44}},"
                                                                             "{\"number\":2,"
                                                                             "\"region\":6,"
                                                                             "\"kind\":"
                                                                             "\"pinned\","
                                                                             "\"bytes\":64,"
                                                                             "\"api\":null,"
                                                                             "\"where\":null,"
                                                                             "\"allocations\":"
                                                                             "1,\"attached\":"
                                                                             "null,\"freed\":"
                                                                             "false,\"cpu_"
                                                                             "caching\":"
                                                                             "\"uncached\","
                                                                             "\"igpu_caching\":"
                                                                             "\"uncached\","
                                                                             "\"dgpu_caching\":"
                                                                             "null,"
                                                                             "\"cpu\":{"
                                                                             "\"loads\":9,"
                                                                             "\"read_bytes\":0,"
                                                                             "\"stores\":8,"
                                                                             "\"written_"
                                                                             "bytes\":0,"
                                                                             "\"atomics\":0,"
                                                                             "\"cache_hits\":0,"
                                                                             "\"cache_misses\":"
                                                                             "0,\"uncached_"
                                                                             "accesses\":17,"
                                                                             "\"stale_reads\":"
                                                                             "0,"
                                                                             "\"places\":[]},"
                                                                             "\"kernels\":[],"
                                                                             "\"igpu\":"
                                                                             "{" NOTHING "},\"copy_"
                                                                             "engine\":"
                                                                             "{" NOTHING
                                                                             "},\"front_end\":"
                                                                             "{" NOTHING "},"
                                                                             "\"dgpu\":{" NOTHING
                                                                             "},\"dgpu_copy_"
                                                                             "engine\":{" NOTHING
                                                                             "},\"dgpu_front_end\":"
                                                                             "{" NOTHING "},"
                                                                             "\"dla\":{" NOTHING
                                                                             "},@engines@"
                                                                             "\"maintenance\":{"
                                                                             "\"cpu_"
                                                                             "clean\":" MAINT(0, 0, 0) ",\"cpu_clean_invalidate\":" MAINT(0, 0, 0) ",\"cpu_invalidate\":" MAINT(
                                                                                 0, 0,
                                                                                 0) ",\"hints_"
                                                                                    "to_gpu\":"
                                                                                    "0,\"hints_"
                                                                                    "to_cpu\":"
                                                                                    "0,\"lost_"
                                                                                    "bytes\":0}"
                                                                                    "}],"
                                                                                    "\"l2_"
                                                                                    "maintenanc"
                                                                                    "e\":{"
                                                                                    "\"clean\""
                                                                                    ":" MAINT(81, 82, 83) ",\"clean_bytes\":84,\"invalidate\":" MAINT(
                                                                                        85, 86,
                                                                                        87) ","
                                                                                            "\""
                                                                                            "lo"
                                                                                            "st"
                                                                                            "_b"
                                                                                            "yt"
                                                                                            "es"
                                                                                            "\""
                                                                                            ":8"
                                                                                            "8}"
                                                                                            ","
                                                                                            "\""
                                                                                            "ke"
                                                                                            "rn"
                                                                                            "el"
                                                                                            "s"
                                                                                            "\""
                                                                                            ":["
                                                                                            "{"
                                                                                            "\""
                                                                                            "na"
                                                                                            "me"
                                                                                            "\""
                                                                                            ":"
                                                                                            "\""
                                                                                            "k1"
                                                                                            "\""
                                                                                            ",\"gpu"
                                                                                            "\":"
                                                                                            "null,"
                                                                                            "\""
                                                                                            "wh"
                                                                                            "er"
                                                                                            "e"
                                                                                            "\""
                                                                                            ":"
                                                                                            "\""
                                                                                            "a."
                                                                                            "cu"
                                                                                            ":2"
                                                                                            "\""
                                                                                            ","
                                                                                            "\""
                                                                                            "gr"
                                                                                            "id"
                                                                                            "\""
                                                                                            ":["
                                                                                            "2,"
                                                                                            "3,"
                                                                                            "4]"
                                                                                            ","
                                                                                            "\""
                                                                                            "bl"
                                                                                            "oc"
                                                                                            "k"
                                                                                            "\""
                                                                                            ":["
                                                                                            "5,"
                                                                                            "6,"
                                                                                            "7]"
                                                                                            ","
                                                                                            "\""
                                                                                            "la"
                                                                                            "un"
                                                                                            "ch"
                                                                                            "es"
                                                                                            "\""
                                                                                            ":5"
                                                                                            "1,"
                                                                                            "\""
                                                                                            "en"
                                                                                            "de"
                                                                                            "d"
                                                                                            "\""
                                                                                            ":5"
                                                                                            "2,"
                                                                                            "\"race"
                                                                                            "s_"
                                                                                            "checke"
                                                                                            "d\":"
                                                                                            "null,"
                                                                                            "\"race"
                                                                                            "s_"
                                                                                            "checke"
                                                                                            "d_in_"
                                                                                            "part\""
                                                                                            ":null,"
                                                                                            "\""
                                                                                            "vi"
                                                                                            "rt"
                                                                                            "ua"
                                                                                            "l_"
                                                                                            "ti"
                                                                                            "me"
                                                                                            "_n"
                                                                                            "s"
                                                                                            "\""
                                                                                            ":5"
                                                                                            "3,"
                                                                                            "\""
                                                                                            "wa"
                                                                                            "rp"
                                                                                            "_i"
                                                                                            "ns"
                                                                                            "tr"
                                                                                            "uc"
                                                                                            "ti"
                                                                                            "on"
                                                                                            "s"
                                                                                            "\""
                                                                                            ":5"
                                                                                            "4"
                                                                                            "," COUNTS(
                                                                                                600,
                                                                                                604,
                                                                                                602,
                                                                                                603,
                                                                                                606,
                                                                                                607,
                                                                                                608,
                                                                                                609,
                                                                                                610,
                                                                                                611) "}],"
                                                                                                     "\"copies\":[{\"api\":\"cudaMemcpy\",\"where\":\"a.cu:5\",\"from\":1,\"to\":2,\"calls\":2,"
                                                                                                     "\"bytes\":122},{\"api\":\"cudaMemset\",\"where\":null,\"from\":null,\"to\":1,\"calls\":1,"
                                                                                                     "\"bytes\":62}],"
                                                                                                     "\"failed_calls\":[{\"api\":\"cuda2\",\"where\":null,\"error\":\"cudaErrorNotSupported\","
                                                                                                     "\"section\":null,\"unsupported\":true,\"calls\":1},"
                                                                                                     "{\"api\":\"cudaMalloc\",\"where\":\"a.cu:6\",\"error\":\"cudaErrorMemoryAllocation\","
                                                                                                     "\"section\":\"a section\",\"unsupported\":false,\"calls\":1}],"
                                                                                                     "\"findings\":[{\"rule\":\"r1\",\"severity\":\"warning\",\"standing\":\"measured\","
                                                                                                     "\"section\":\"s1\",\"text\":\"t1\",\"todo\":\"d1\",\"where\":\"a.cu:7\",\"buffer\":1,"
                                                                                                     "\"offset\":71,\"kernel\":\"k1\",\"other\":\"o1\",\"thread\":3,\"other_thread\":0,\"run\":\"vtegra run\",\"times\":72,\"buffers\":1,\"streams\":2},"
                                                                                                     "{\"rule\":\"r2\",\"severity\":\"error\",\"standing\":\"documented\",\"section\":null,"
                                                                                                     "\"text\":\"t2\",\"todo\":null,\"where\":null,\"buffer\":null,\"kernel\":null,"
                                                                                                     "\"other\":null,\"run\":null,\"times\":1,\"buffers\":0,\"streams\":0}],"
                                                                                                     "\"not_checked\":[{\"buffer\":1,\"where\":\"a.cu:1\",\"missed\":"
                                                                                                     "\"whether the CPU waits before it touches what an engine writes\",\"command\":\"vtegra cc --track\"},{\"buffer\":2,\"where\":null,"
                                                                                                     "\"missed\":\"atomics of the CPU, which this board does not have on uncached memory\","
                                                                                                     "\"command\":\"vtegra cc --track\"}],"
                                                                                                     "\"advice\":[{\"rule\":null,\"severity\":\"advice\",\"standing\":\"inferred\","
                                                                                                     "\"section\":null,\"text\":null,\"todo\":null,\"where\":null,\"buffer\":null,"
                                                                                                     "\"kernel\":null,\"other\":null,\"run\":null,\"times\":0,\"buffers\":0,\"streams\":0}]}";

/* The objects of the engines that no access of this test comes from, in the order of their rows. */
static const struct {
    const char *name, *counts;
} engines[] = {
#define ENGINE(NAME, name, ...) { #name, NOTHING },
#include "model/engines.h"
};

static char *wanted_with_engines(void)
{
    GString *text = g_string_new(wanted), *others = g_string_new(NULL);
    char *whole;

    for (gsize i = 0; i < G_N_ELEMENTS(engines); i++) {
        if (strcmp(engines[i].name, "dla") != 0) {
            g_string_append_printf(others, "\"%s\":{%s},", engines[i].name, engines[i].counts);
        }
    }
    g_string_replace(text, "@engines@", others->str, 0);
    whole = g_string_free(text, FALSE);
    g_string_free(others, TRUE);
    return whole;
}

static char *pretty(const char *text)
{
    GError *error = NULL;
    JsonNode *node = json_from_string(text, &error);
    char *out;

    ck_assert_msg(node != NULL, "%s: %s", error ? error->message : "", text);
    out = json_to_string(node, TRUE);
    json_node_unref(node);
    return out;
}

START_TEST(every_key_has_its_value)
{
    g_autofree char *report = NULL, *is = NULL, *want = wanted_with_engines();
    g_autofree char *be = pretty(want);
    struct run_region *driver;

    header();
    buffer();
    kernel();
    calls();
    run_region(run, 6)->agent[BUS_AGENT_CPU].read_ops = 9;
    run_region(run, 6)->agent[BUS_AGENT_CPU].write_ops = 8;
    note("@region id=7 kind=pageable size=0"); /* no number yet: no engine has used it */
    driver = run_region(run, 7);
    ck_assert_ptr_nonnull(driver);
    ck_assert_uint_eq(driver->number, 0);
    report = json_report(&(struct report){ .run = run, .advice = advice });
    ck_assert_str_eq(report + strlen(report) - 2, "}\n");
    is = pretty(report);
    ck_assert_str_eq(is, be);
}
END_TEST

/* The other value of each that is true or false, and hooks. */
START_TEST(flags_of_a_run_are_its_own)
{
    static const char *const flags[] = { "io_coherent", "cpu_snoops_l2", "safety", "cpu_exact",
                                         "checked" };
    JsonNode *root;
    JsonObject *o;
    char *report;

    note(_i == 0   ? "@run soc=x io_coherent=1"
         : _i == 1 ? "@run soc=x cpu_snoops_l2=1"
         : _i == 2 ? "@run soc=x safety=1"
                   : "@run soc=x");
    if (_i == 3) {
        note("@hooks");
    }
    run->checked = _i == 4;
    report = json_report(&(struct report){ .run = run, .advice = advice });
    root = json_from_string(report, NULL);
    o = json_object_get_object_member(json_node_get_object(root), "run");
    for (int i = 0; i < 5; i++) {
        ck_assert_int_eq(json_object_get_boolean_member(o, flags[i]), i == _i);
    }
    json_node_unref(root);
    g_free(report);
}
END_TEST

/* What was kept no longer, and what other kinds of memory would cost: a number under each name. */
START_TEST(kinds_of_memory_and_what_was_forgot_have_their_numbers)
{
    struct memory_kinds m = { g_array_new(FALSE, FALSE, sizeof(struct memory_kind)),
                              g_array_new(FALSE, FALSE, sizeof(struct memory_way)) };
    struct memory_kind k = { .launches = 3, .answer = { .best = CHARGE_KINDS } };
    struct memory_way way = { .shared = { .frames = 4 } };
    g_autofree char *report = NULL;
    JsonObject *all, *object, *numbers;
    JsonNode *root;

    header();
    buffer();
    run->forgot[_i] = 77;
    k.region = way.region = run_region(run, 5);
    for (unsigned i = 0; i < CHARGE_WAYS; i++) {
        way.ns[i] = 100 + i;
    }
    g_array_append_val(m.kinds, k);
    g_array_append_val(m.ways, way);
    report = json_report(&(struct report){ .run = run, .advice = advice, .kinds = &m });
    root = json_from_string(report, NULL);
    ck_assert_ptr_nonnull(root);
    all = json_node_get_object(root);
    object = json_object_get_object_member(json_object_get_object_member(all, "run"), "not_kept");
    ck_assert_int_eq(json_object_get_size(object), 1);
    ck_assert_int_eq(json_object_get_int_member(object, run_forgot_name[_i]), 77);
    object = json_object_get_object_member(all, "memory_kinds");
    object = json_array_get_object_element(json_object_get_array_member(object, "engines"), 0);
    ck_assert_int_eq(json_object_get_int_member(object, "frames"), 4);
    numbers = json_object_get_object_member(object, "frame_ns");
    ck_assert_int_eq(json_object_get_size(numbers), CHARGE_WAYS);
    for (unsigned i = 0; i < CHARGE_WAYS; i++) {
        ck_assert_int_eq(json_object_get_int_member(numbers, charge_way_text(i)), 100 + i);
    }
    json_node_unref(root);
    g_array_unref(m.kinds);
    g_array_unref(m.ways);
}
END_TEST

/* HTML 4.01, 5.3.2: markup of the program's own is text. */
START_TEST(a_page_has_the_program_as_text)
{
    g_autofree char *page = NULL;

    header();
    g_free(run->program);
    run->program = g_strdup("a<b>&\"c\"");
    page = html_report(&(struct report){ .run = run, .advice = advice });
    ck_assert_ptr_nonnull(strstr(page, "vtegra report: a&lt;b&gt;&amp;"));
    ck_assert_ptr_null(strstr(page, "a<b>"));
    ck_assert_ptr_nonnull(strstr(page, "orin"));
}
END_TEST

/* RFC 8259, 8.1: UTF-8. A path may be any bytes. */
START_TEST(any_bytes_become_valid_text)
{
    JsonNode *root;
    char *report;

    header();
    note("@without-hooks object=app file=d\xff.h");
    g_free(run->program);
    run->program = g_strdup("a\xff\"b\n");
    report = json_report(&(struct report){ .run = run, .advice = advice });
    ck_assert(g_utf8_validate(report, -1, NULL));
    root = json_from_string(report, NULL);
    ck_assert_str_eq(
        json_object_get_string_member(
            json_object_get_object_member(json_node_get_object(root), "run"), "program"),
        "a\xef\xbf\xbd\"b\n"); /* U+FFFD */
    ck_assert_ptr_nonnull(strstr(report, "d\xef\xbf\xbd.h\""));
    json_node_unref(root);
    g_free(report);
}
END_TEST

START_TEST(every_control_character_is_escaped) /* RFC 8259, 7 */
{
    header();
    g_free(run->program);
    for (int c = 1; c < 0x20; c++) {
        g_autofree char *report = NULL;

        run->program = g_strdup_printf("a%cb", c);
        report = json_report(&(struct report){ .run = run, .advice = advice });
        for (const char *p = report; *p; p++) {
            ck_assert(*p == '\n' || (unsigned char)*p >= 0x20);
        }
        g_free(run->program);
    }
    run->program = NULL;
}
END_TEST

/* json-glib printed the reports of former versions: what it reads and prints again stays the same,
 * whatever bytes a name has, but for no key and no bracket. */
START_TEST(the_text_is_that_of_json_glib)
{
    g_autofree char *report = NULL, *again = NULL, *line = NULL;
    char name[128];
    JsonNode *root;

    for (int i = 0; i < 127; i++) {
        name[i] = (char)(i + 1);
    }
    name[0x1f - 1] = ' '; /* json-glib before 1.10 leaves it as it is */
    name[127] = '\0';
    header();
    buffer();
    kernel();
    calls();
    g_free(run->program);
    run->program = g_strconcat(name, "\u00e9\u20ac", NULL);
    report = json_report(&(struct report){ .run = run, .advice = advice });
    root = json_from_string(report, NULL);
    again = json_to_string(root, TRUE);
    line = g_strconcat(again, "\n", NULL);
    ck_assert_str_eq(report, line);
    json_node_unref(root);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("json_report");
    TCase *t = tcase_create("json_report");
    SRunner *runner;
    int failed;

    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_test(t, every_key_has_its_value);
    tcase_add_loop_test(t, flags_of_a_run_are_its_own, 0, 5);
    tcase_add_loop_test(t, kinds_of_memory_and_what_was_forgot_have_their_numbers, 0, RUN_FORGOTS);
    tcase_add_test(t, a_page_has_the_program_as_text);
    tcase_add_test(t, any_bytes_become_valid_text);
    tcase_add_test(t, every_control_character_is_escaped);
    tcase_add_test(t, the_text_is_that_of_json_glib);
    suite_add_tcase(s, t);
    runner = srunner_create(s);
    srunner_run_all(runner, CK_ENV);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
