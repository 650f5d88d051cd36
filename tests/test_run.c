/* SPDX-License-Identifier: MIT */
/* Notes as text, and what records and notes add up to. */
#include <check.h>
#include <string.h>

#include "tests/hal_none.h"
#include "tests/run_rig.h"
#include "tests/suite.h"
#include "trace/note.h"

START_TEST(notes_survive_any_text)
{
    static const char nasty[] = "a \"b\" \\ \n\t\x01\xff = c=d @";
    struct note n, back;
    char *line;

    note_init(&n, "region");
    note_str(&n, "text", nasty);
    note_str(&n, "empty", "");
    note_str(&n, "absent", NULL);
    note_u64(&n, "big", UINT64_MAX);
    note_hex(&n, "va", 0x7f00);
    line = note_format(&n);
    ck_assert_ptr_null(strchr(line, '\n'));
    ck_assert(note_parse(line, &back));
    ck_assert_str_eq(back.name, "region");
    ck_assert_str_eq(note_get(&back, "text"), nasty);
    ck_assert_str_eq(note_get(&back, "empty"), "");
    ck_assert_ptr_null(note_get(&back, "absent"));
    ck_assert(note_num(&back, "big") == UINT64_MAX);
    ck_assert_uint_eq(note_num(&back, "va"), 0x7f00);
    g_free(line);
    note_clear(&n);
    note_clear(&back);
}
END_TEST

static const char *const no_notes[] = {
    "",      "region id=1", "@",       "@ x=1",       "@r x",
    "@r =1", "@r x=\"open", "@r x=1 ", "@r x=\"a\"b", "@r x=\"\\"
};

START_TEST(malformed_notes_are_refused)
{
    struct note n;

    ck_assert_msg(!note_parse(no_notes[_i], &n), "%s", no_notes[_i]);
}
END_TEST

START_TEST(keys_are_asked_for_by_their_whole_name)
{
    struct note n;

    ck_assert(note_parse("@r region_end=1 region=2", &n));
    ck_assert_uint_eq(note_num(&n, "region"), 2);
    note_clear(&n);
}
END_TEST

/* A newer vtegra may tell more. */
START_TEST(unknown_notes_are_ignored)
{
    note("@regional id=1 kind=device va=0x1000 size=4096 len=4096");
    note("@regio id=1 kind=device va=0x1000 size=4096 len=4096");
    ck_assert_uint_eq(run->numbered, 0);
}
END_TEST

START_TEST(too_many_keys_are_refused)
{
    GString *s = g_string_new("@r");
    struct note n;

    for (int i = 0; i <= NOTE_KEYS; i++) {
        g_string_append(s, " k=1");
    }
    ck_assert(!note_parse(s->str, &n));
    g_string_free(s, TRUE);
}
END_TEST

/* Two kernels at once on channels 1 and 2 (by = channel + 1): each gets its own bytes. */
START_TEST(sums_belong_to_the_grid_of_their_channel)
{
    const struct run_region *region;
    const struct run_use *use;

    record("0 driver REGION_ADD region=5 pa=0x80000000 len=4096 cpu_cached=1");
    note("@region id=5 kind=managed cpu_cached=1 va=0x1000 size=4000 len=4096 "
         "api=cudaMallocManaged");
    note("@kernel id=1 name=_Z1aPi stream=0 grid=1,1,1 block=32,1,1");
    note("@kernel id=2 name=_Z1bPi stream=1 grid=1,1,1 block=32,1,1");
    record("100 igpu GRID_BEGIN by=2 channel=1 qmd=0x100 entry=0 grid_id=1");
    record("200 igpu GRID_BEGIN by=3 channel=2 qmd=0x200 entry=0 grid_id=2");
    record("300 igpu SUM_READ region=5 by=2 bytes=64 sectors=2 l2_hits=1 l2_misses=1");
    record("300 igpu SUM_WRITE region=5 by=3 bytes=32 lines=1 l2_hits=0 l2_misses=1");
    record("400 igpu GRID_END by=3 channel=2 qmd=0x200 warp_insts=7 ns=200");
    record("450 igpu SUM_READ region=5 by=2 bytes=64 sectors=2 l2_hits=2 l2_misses=0");
    record("500 igpu GRID_END by=2 channel=1 qmd=0x100 warp_insts=9 ns=300");
    region = run_region(run, 5);
    ck_assert_uint_eq(region->uses->len, 2);
    use = region->uses->pdata[0];
    ck_assert_str_eq(use->kernel->name, "a");
    ck_assert_uint_eq(use->sum.read_bytes, 128);
    ck_assert_uint_eq(use->sum.read_hits, 3);
    ck_assert_uint_eq(use->sum.read_misses, 1);
    ck_assert_uint_eq(use->sum.write_bytes, 0);
    ck_assert_uint_eq(use->kernel->time_ns, 400);
    use = region->uses->pdata[1];
    ck_assert_str_eq(use->kernel->name, "b");
    ck_assert_uint_eq(use->sum.write_bytes, 32);
    ck_assert_uint_eq(use->sum.write_hits, 0);
    ck_assert_uint_eq(use->sum.write_misses, 1);
    ck_assert_uint_eq(use->kernel->time_ns, 200);
    ck_assert_uint_eq(region->agent[BUS_AGENT_IGPU].read_bytes, 128);
    ck_assert_uint_eq(run->time_ns, 500);
}
END_TEST

/* On a shared board: lines of other programs that this one's work evicts, and late ones of memory
 * that was freed. A program's report would grow for ever. */
START_TEST(memory_of_other_programs_is_counted_as_one)
{
    run->others = true;
    record("0 driver REGION_ADD region=5 pa=0x80000000 len=4096 cpu_cached=1");
    note("@kernel id=1 name=_Z1aPi stream=0 grid=1,1,1 block=32,1,1");
    record("100 igpu GRID_BEGIN by=2 channel=1 qmd=0x100 entry=0 grid_id=1");
    for (unsigned i = 100; i < 200; i++) {
        g_autofree char *evict =
            g_strdup_printf("%u igpu L2_EVICT region=%u pa=0x80000000 dirty_bytes=0", i, i);
        g_autofree char *sum = g_strdup_printf(
            "%u igpu SUM_READ region=%u by=2 bytes=64 sectors=2 l2_hits=1 l2_misses=1", i,
            i + 1000);

        record(evict);
        record(sum);
    }
    ck_assert_uint_eq(run->regions->len, 2);
    ck_assert_uint_eq(run->gone->spared.evicts, 100);
    ck_assert_uint_eq(run->gone->agent[BUS_AGENT_IGPU].read_bytes, 6400);
    ck_assert_uint_eq(run_region(run, 5)->spared.evicts, 0);
}
END_TEST

START_TEST(launches_of_one_shape_are_one_row)
{
    note("@kernel id=1 name=k grid=4,1,1 block=32,1,1");
    note("@kernel id=2 name=k grid=4,1,1 block=32,1,1");
    note("@kernel id=3 name=k grid=8,1,1 block=32,1,1");
    ck_assert_uint_eq(run->kernels->len, 2);
    ck_assert_uint_eq(((struct run_kernel *)run->kernels->pdata[0])->launches, 2);
    ck_assert_uint_eq(run->launches, 3);
    note("@kernel id=4 name=k grid=4,2,1 block=32,1,1");
    note("@kernel id=5 name=k grid=4,1,2 block=32,1,1");
    ck_assert_uint_eq(run->kernels->len, 4);
}
END_TEST

START_TEST(evictions_are_no_use_of_a_region)
{
    record("0 driver REGION_ADD region=5 pa=0x80000000 len=4096 cpu_cached=0");
    note("@region id=5 kind=device va=0x1000 size=4096 len=4096");
    note("@kernel id=1 name=k");
    record("1 igpu GRID_BEGIN by=1 channel=0 qmd=0x100 entry=0 grid_id=1");
    record(
        "2 igpu SUM_PORT region=5 by=1 read_bytes=0 written_bytes=128 snooped_lines=0 atomics=0");
    ck_assert_uint_eq(run_region(run, 5)->uses->len, 0);
    record("2 igpu SUM_PORT region=5 by=1 read_bytes=0 written_bytes=0 snooped_lines=0 atomics=3");
    ck_assert_uint_eq(run_region(run, 5)->uses->len, 1);
}
END_TEST

START_TEST(maintenance_counts_operations_that_found_nothing)
{
    const struct run_region *region;

    record("0 driver REGION_ADD region=3 pa=0x80000000 len=4096 cpu_cached=1");
    record("1 cpu CPU_CLEAN region=3 pa=0x80000000 len=4096 lines=12");
    record("2 cpu CPU_CLEAN region=3 pa=0x80000000 len=4096 lines=0");
    record("3 cpu CPU_INVALIDATE region=3 pa=0x80000000 len=4096 lines=64 lost=0");
    record("4 host L2_CLEAN lines=2 bytes=100");
    region = run_region(run, 3);
    ck_assert_uint_eq(region->clean.ops, 2);
    ck_assert_uint_eq(region->clean.lines, 12);
    ck_assert_uint_eq(region->clean.empty, 1);
    ck_assert_uint_eq(region->invalidate.lines, 64);
    ck_assert_uint_eq(run->l2_clean.lines, 2);
    ck_assert_uint_eq(run->l2_clean_bytes, 100);
    ck_assert_uint_eq(region->number, 0); /* nobody announced it: driver memory */
}
END_TEST

/* A buffer that is allocated and freed once a frame is one buffer, with all that happened to it. */
START_TEST(buffer_of_one_line_freed_and_made_again_is_one)
{
    const struct run_region *region;

    for (int frame = 1; frame <= 3; frame++) {
        char *add = g_strdup_printf("@region id=%d kind=pinned va=0x%d000 size=4096 len=4096 "
                                    "api=cudaMallocHost where=a.cu:5",
                                    frame, frame);
        char *sum = g_strdup_printf(
            "1 cpu SUM_READ region=%d bytes=10 sectors=2 l2_hits=0 l2_misses=0", frame);
        char *site = g_strdup_printf("@site region=%d where=a.cu:6 loads=2 bytes=10", frame);
        char *copy = g_strdup_printf("@copy api=c dst=%d src=0 bytes=8", frame);
        char *gone = g_strdup_printf("@free id=%d", frame);

        note(add), record(sum), note(site), note(copy), note(gone);
        g_free(add), g_free(sum), g_free(site), g_free(copy), g_free(gone);
    }
    note("@region id=9 kind=pinned va=0x9000 size=4096 len=4096 api=cudaMallocHost where=a.cu:5");
    note("@region id=10 kind=pinned va=0xa000 size=4096 len=4096 api=cudaMallocHost where=a.cu:5");
    note("@end time_ns=5");
    ck_assert_uint_eq(run->regions->len, 2); /* the tenth lives beside the ninth */
    region = run->regions->pdata[0];
    ck_assert_uint_eq(region->times, 4);
    ck_assert_uint_eq(region->agent[BUS_AGENT_CPU].read_ops, 6);
    ck_assert_uint_eq(region->sites->len, 1);
    ck_assert_uint_eq(((struct run_site *)region->sites->pdata[0])->loads, 6);
    ck_assert_uint_eq(run->copies->len, 1);
    ck_assert_uint_eq(((struct run_copy *)run->copies->pdata[0])->count, 3);
    ck_assert_ptr_eq(run_region_at(run, 0x9004), region);
    ck_assert_uint_eq(run_region(run, 10)->number, 2);
}
END_TEST

START_TEST(same_finding_at_the_same_place_is_counted)
{
    note("@finding rule=r severity=error standing=documented text=t where=a.cu:1 region=1");
    note("@finding rule=r severity=error standing=documented text=t where=a.cu:1 region=1");
    note("@finding rule=r severity=error standing=documented text=t where=a.cu:2 region=1");
    note("@finding rule=r where=a.cu:1 region=1 count=10");
    ck_assert_uint_eq(run->findings->len, 2);
    ck_assert_uint_eq(((struct run_finding *)run->findings->pdata[0])->count, 12);
    note("@finding rule=r where=a.cu:2 region=1");
    ck_assert_uint_eq(run->findings->len, 2);
    ck_assert_uint_eq(((struct run_finding *)run->findings->pdata[1])->count, 2);
}
END_TEST

static void buffers_of(unsigned line, unsigned first, unsigned n)
{
    for (unsigned i = first; i < first + n; i++) {
        g_autofree char *text = g_strdup_printf("@region id=%u kind=pinned va=0x%x000 size=4096 "
                                                "len=4096 api=cudaMallocHost where=a.cu:%u",
                                                i, i, line);

        note(text);
    }
}

static void seen(const char *rest, unsigned buffer)
{
    g_autofree char *text =
        g_strdup_printf("@finding rule=r severity=error region=%u %s", buffer, rest);

    note(text);
}

static void assert_finding(guint i, uint64_t count, guint buffers, guint streams)
{
    const struct run_finding *f;

    ck_assert_uint_lt(i, run->findings->len);
    f = run->findings->pdata[i];
    ck_assert_uint_eq(f->count, count);
    ck_assert_uint_eq(g_hash_table_size(f->buffers), buffers);
    ck_assert_uint_eq(g_hash_table_size(f->in_streams), streams);
}

/* Frames of a pool, and streams, are no defects of their own; another line's buffers, another pair
 * of places and another rule are. */
START_TEST(one_pair_of_places_is_one_defect_over_streams_and_frames)
{
    buffers_of(5, 1, 3);
    buffers_of(6, 4, 1);
    seen("where=a.cu:1 pair=\"p, q\" other=\"k (stream 1)\" streams=1", 1);
    seen("where=a.cu:1 pair=\"p, q\" other=\"k (stream 2)\" streams=2", 1);
    seen("where=a.cu:1 pair=\"p, q\" other=\"k (stream 1)\" streams=1", 2);
    seen("where=a.cu:1 pair=\"p, q\" other=\"k (stream 1)\" streams=1 count=7", 3);
    seen("where=a.cu:1 pair=\"p, q\" other=\"k (stream 1)\" streams=1", 4);
    seen("where=a.cu:1 pair=\"p, s\" other=\"k (stream 1)\" streams=1", 1);
    note("@finding rule=r2 severity=error region=1 where=a.cu:1 pair=\"p, q\" streams=1");
    ck_assert_uint_eq(run->findings->len, 4);
    assert_finding(0, 10, 3, 2);
    ck_assert_uint_eq(((struct run_finding *)run->findings->pdata[0])->region, 1);
    ck_assert_str_eq(((struct run_finding *)run->findings->pdata[0])->other, "k (stream 1)");
    assert_finding(1, 1, 1, 1);
    assert_finding(2, 1, 1, 1);
    assert_finding(3, 1, 1, 1);
}
END_TEST

/* A place alone is one for the buffers of a line, too; without a place nothing is put together. */
START_TEST(without_places_each_buffer_and_stream_has_its_finding)
{
    buffers_of(5, 1, 2);
    seen("where=a.cu:1", 1);
    seen("where=a.cu:1", 2);
    seen("where=a.cu:1 other=\"k (stream 1)\" streams=1", 2);
    seen("where=a.cu:1 other=\"k (stream 1)\" streams=1", 1);
    seen("where=a.cu:1 other=\"k (stream 1)\" streams=1,2", 1);
    seen("other=\"k (stream 1)\" streams=1", 1);
    seen("other=\"k (stream 1)\" streams=1", 2);
    ck_assert_uint_eq(run->findings->len, 6);
    assert_finding(0, 2, 2, 0);
    for (guint i = 1; i < 6; i++) {
        assert_finding(i, 1, 1, 1);
    }
}
END_TEST

/* docs/report-json.md, kind of a buffer. */
START_TEST(kinds_have_the_names_that_are_documented)
{
    ck_assert_str_eq(run_kind_name(RUN_DEVICE), "device");
    ck_assert_str_eq(run_kind_name(RUN_PINNED), "pinned");
    ck_assert_str_eq(run_kind_name(RUN_REGISTERED), "registered");
    ck_assert_str_eq(run_kind_name(RUN_MANAGED), "managed");
    ck_assert_str_eq(run_kind_name(RUN_PAGEABLE), "pageable");
}
END_TEST

START_TEST(sizes_and_times_read_well)
{
    static const struct {
        uint64_t value;
        const char *size, *time;
    } t[] = {
        { 0, "0 B", "0 ns" },
        { 999, "999 B", "999 ns" },
        { 1023, "1023 B", "1.0 us" },
        { 1024, "1.0 KiB", "1.0 us" },
        { 1536000, "1.5 MiB", "1.54 ms" },
        { UINT64_C(3) << 30, "3.0 GiB", "3.221 s" },
        { UINT64_MAX, "16777216.0 TiB", "18446744073.710 s" },
    };

    for (size_t i = 0; i < G_N_ELEMENTS(t); i++) {
        char *size = run_size_text(t[i].value), *time = run_time_text(t[i].value);

        ck_assert_str_eq(size, t[i].size);
        ck_assert_str_eq(time, t[i].time);
        g_free(size);
        g_free(time);
    }
}
END_TEST

int main(void)
{
    Suite *s = suite_create("run");
    TCase *t = tcase_create("run");

    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_test(t, notes_survive_any_text);
    tcase_add_loop_test(t, malformed_notes_are_refused, 0, G_N_ELEMENTS(no_notes));
    tcase_add_test(t, too_many_keys_are_refused);
    tcase_add_test(t, keys_are_asked_for_by_their_whole_name);
    tcase_add_test(t, unknown_notes_are_ignored);
    tcase_add_test(t, kinds_have_the_names_that_are_documented);
    tcase_add_test(t, sizes_and_times_read_well);
    tcase_add_test(t, sums_belong_to_the_grid_of_their_channel);
    tcase_add_test(t, memory_of_other_programs_is_counted_as_one);
    tcase_add_test(t, launches_of_one_shape_are_one_row);
    tcase_add_test(t, evictions_are_no_use_of_a_region);
    tcase_add_test(t, maintenance_counts_operations_that_found_nothing);
    tcase_add_test(t, buffer_of_one_line_freed_and_made_again_is_one);
    tcase_add_test(t, same_finding_at_the_same_place_is_counted);
    tcase_add_test(t, one_pair_of_places_is_one_defect_over_streams_and_frames);
    tcase_add_test(t, without_places_each_buffer_and_stream_has_its_finding);
    suite_add_tcase(s, t);
    return suite_main(s);
}
