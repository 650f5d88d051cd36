/* SPDX-License-Identifier: MIT */
/* What is counted, and as whose: the rules of docs/report-json.md, records and notes by hand. */
#include <check.h>
#include <string.h>

#include "tests/hal_none.h"
#include "tests/run_rig.h"
#include "tests/suite.h"

static void grid(const char *at, const char *event, unsigned channel, const char *rest)
{
    g_autofree char *text = g_strdup_printf("%s igpu %s by=%u channel=%u qmd=0x100 %s", at, event,
                                            channel + 1, channel, rest);

    record(text);
}

static void buffer(unsigned id, const char *rest)
{
    g_autofree char *text =
        g_strdup_printf("@region id=%u va=0x%x000 size=4096 len=4096 %s", id, id, rest);

    note(text);
}

static const struct run_kernel *kernel(guint i)
{
    ck_assert_uint_lt(i, run->kernels->len);
    return run->kernels->pdata[i];
}

/* --- grids ------------------------------------------------------------------------------------ */

START_TEST(the_grid_that_runs_is_known_where_one_runs_alone)
{
    ck_assert_uint_eq(run_grid_open(run), 0);
    grid("1", "GRID_BEGIN", 1, "entry=0 grid_id=7");
    ck_assert_uint_eq(run_grid_open(run), 7);
    grid("2", "GRID_BEGIN", 2, "entry=0 grid_id=8");
    ck_assert_uint_eq(run_grid_open(run), 0);
    grid("3", "GRID_END", 1, "warp_insts=0 ns=2");
    ck_assert_uint_eq(run_grid_open(run), 8);
}
END_TEST

START_TEST(a_grid_that_nobody_named_is_a_launch)
{
    grid("1", "GRID_BEGIN", 1, "entry=0 grid_id=7");
    grid("5", "GRID_END", 1, "warp_insts=3 ns=4");
    ck_assert_str_eq(kernel(0)->name, "grid 7");
    ck_assert_uint_eq(kernel(0)->launches, 1);
    ck_assert_uint_eq(kernel(0)->ended, 1);
    ck_assert_uint_eq(run->launches, 1);
}
END_TEST

/* Ends without a beginning and ends before it come from damaged traces. */
START_TEST(ends_that_fit_no_beginning_do_no_harm)
{
    note("@kernel id=1 name=k");
    grid("1", "GRID_END", 1, "warp_insts=3 ns=4");
    ck_assert_uint_eq(kernel(0)->ended, 0);
    grid("9", "GRID_BEGIN", 1, "entry=0 grid_id=1");
    grid("5", "GRID_END", 1, "warp_insts=3 ns=4");
    ck_assert_uint_eq(kernel(0)->ended, 1);
    ck_assert_uint_eq(kernel(0)->time_ns, 0);
    grid("12", "GRID_END", 1, "warp_insts=3 ns=4");
    ck_assert_uint_eq(kernel(0)->ended, 1);
    ck_assert_uint_eq(kernel(0)->warp_insts, 3);
    ck_assert_uint_eq(run->time_ns, 12);
}
END_TEST

/* They are not the same word of the two records. */
START_TEST(a_failed_grid_has_executed_instructions_too)
{
    note("@kernel id=1 name=k");
    grid("1", "GRID_BEGIN", 1, "entry=0 grid_id=1");
    grid("5", "GRID_FAULT", 1, "kind=77 va=0x1000 warp_insts=300");
    ck_assert_uint_eq(kernel(0)->ended, 1);
    ck_assert_uint_eq(kernel(0)->warp_insts, 300);
}
END_TEST

START_TEST(sums_are_of_their_engine_and_buffer)
{
    const struct run_region *region;

    buffer(5, "kind=pinned api=cudaHostAlloc");
    note("@kernel id=1 name=k");
    note("@kernel id=2 name=l");
    grid("1", "GRID_BEGIN", 1, "entry=0 grid_id=1");
    record("2 ce SUM_READ region=5 by=2 bytes=64 sectors=2 l2_hits=0 l2_misses=2");
    record("2 igpu SUM_READ region=0 by=2 bytes=64 sectors=2 l2_hits=0 l2_misses=2");
    region = run_region(run, 5);
    ck_assert_uint_eq(region->uses->len, 0);
    ck_assert_uint_eq(region->agent[BUS_AGENT_CE].read_bytes, 64);
    ck_assert_ptr_null(run_region(run, 0));
    /* What the iGPU does to pinned memory bypasses the L2: it is the kernel's own. */
    record("3 igpu SUM_PORT region=5 by=2 read_bytes=0 written_bytes=64 snooped_lines=0 atomics=0");
    ck_assert_uint_eq(region->uses->len, 1);
    ck_assert_uint_eq(kernel(0)->sum.port_write_bytes, 64);
    ck_assert_uint_eq(region->last_grid, 1);
    grid("4", "GRID_END", 1, "warp_insts=0 ns=3");
    grid("5", "GRID_BEGIN", 1, "entry=0 grid_id=2");
    record("6 igpu SUM_READ region=5 by=2 bytes=32 sectors=1 l2_hits=0 l2_misses=1");
    ck_assert_uint_eq(region->last_grid, 2);
    ck_assert_uint_eq(kernel(1)->sum.read_bytes, 32);
}
END_TEST

/* --- memory ----------------------------------------------------------------------------------- */

START_TEST(maintenance_is_counted_by_its_kind)
{
    const struct run_region *region;

    record("0 driver REGION_ADD region=3 pa=0x80000000 len=4096 cpu_cached=1");
    record("1 cpu CPU_CLEAN_INVALIDATE region=3 pa=0x80000000 len=4096 lines=12");
    record("4 host L2_INVALIDATE lines=2 lost_bytes=100");
    record("5 cpu LOST_BYTES region=3 pa=0x80000000 bytes=64");
    record("5 cpu LOST_BYTES region=3 pa=0x80000000 bytes=8");
    region = run_region(run, 3);
    ck_assert_uint_eq(region->clean_invalidate.lines, 12);
    ck_assert_uint_eq(region->clean.ops, 0);
    ck_assert_uint_eq(region->lost_bytes, 72);
    ck_assert_uint_eq(run->l2_invalidate.lines, 2);
    ck_assert_uint_eq(run->l2_lost_bytes, 100);
}
END_TEST

START_TEST(lines_of_the_caches_are_counted_by_what_happened)
{
    const struct run_region *region;

    buffer(3, "kind=managed cpu_cached=1");
    record("1 cpu CPU_FILL region=3 pa=0x80000000");
    record("1 cpu CPU_EVICT region=3 pa=0x80000000 dirty=1");
    record("1 cpu CPU_EVICT region=3 pa=0x80000000 dirty=1");
    for (int i = 0; i < 3; i++) {
        record("1 cpu CPU_SNOOP region=3 pa=0x80000000 write=0 dirty=0");
    }
    record("1 cpu CPU_STALE region=3 pa=0x80000000");
    region = run_region(run, 3);
    ck_assert_uint_eq(region->cpu_fills, 1);
    ck_assert_uint_eq(region->cpu_evicts, 2);
    ck_assert_uint_eq(region->spared.snoops, 3);
    ck_assert_uint_eq(region->stale_lines, 1);
    note("@cache region=4 cpu_fills=1"); /* of no buffer: ignored */
    record("1 igpu L2_FILL region=3 pa=0x80000000 sectors=0xf");
    record("1 igpu L2_EVICT region=3 pa=0x80000000 dirty_bytes=0");
    record("1 igpu L2_EVICT region=3 pa=0x80000000 dirty_bytes=0");
    ck_assert_uint_eq(region->spared.fills, 1);
    ck_assert_uint_eq(region->spared.evicts, 2);
    note("@cache region=3 cpu_fills=9 cpu_evicts=5 stale=8 snooped=7 l2_fills=6 l2_evicts=4");
    ck_assert_uint_eq(region->cpu_fills, 9);
    ck_assert_uint_eq(region->cpu_evicts, 5);
    ck_assert_uint_eq(region->stale_lines, 8);
    ck_assert_uint_eq(region->spared.snoops, 7);
    ck_assert_uint_eq(region->spared.fills, 6);
    ck_assert_uint_eq(region->spared.evicts, 4);
}
END_TEST

/* One entry for all of it, as large as the pages that kernels used. */
START_TEST(memory_of_the_process_is_one_buffer)
{
    const struct run_region *region;

    note("@region id=5 kind=pageable cpu_cached=1 api=malloc");
    buffer(6, "kind=device");
    region = run_region(run, 5);
    ck_assert_uint_eq(region->number, 0);
    record("1 driver REGION_ADD region=5 pa=0x80000000 len=4096 cpu_cached=1");
    record("2 driver REGION_ADD region=5 pa=0x80002000 len=8192 cpu_cached=1");
    record("3 driver REGION_REMOVE region=5 pa=0x80000000 len=4096");
    ck_assert_uint_eq(region->number, 2);
    ck_assert_uint_eq(region->size, 12288);
    ck_assert_uint_eq(run->numbered, 2);
}
END_TEST

START_TEST(a_buffer_is_as_large_as_was_asked_for)
{
    const struct run_region *region;

    note("@region id=5 kind=device va=0x1000 size=100 len=4096");
    record("1 driver REGION_ADD region=5 pa=0x80000000 len=4096 cpu_cached=0");
    region = run_region(run, 5);
    ck_assert_uint_eq(region->size, 100);
    ck_assert_uint_eq(region->len, 4096);
    ck_assert(!region->freed);
    record("2 driver REGION_REMOVE region=5 pa=0x80000000 len=4096");
    ck_assert(region->freed);
}
END_TEST

START_TEST(an_address_is_of_the_newest_buffer_there)
{
    note("@region id=5 kind=device va=0x1000 size=4096 len=4096");
    note("@free id=5");
    note("@region id=6 kind=device va=0x1000 size=4096 len=4096");
    note("@region id=7 kind=device va=0x9000 size=4096 len=4096");
    ck_assert_uint_eq(run_region_at(run, 0x1000)->id, 6);
    ck_assert_uint_eq(run_region_at(run, 0x1fff)->id, 6);
    ck_assert_ptr_null(run_region_at(run, 0x2000));
    ck_assert_ptr_null(run_region_at(run, 0xfff));
}
END_TEST

/* --- notes ------------------------------------------------------------------------------------ */

START_TEST(memory_of_the_driver_has_no_number)
{
    g_autofree char *name = NULL;

    note("@region id=5 kind=driver va=0x1000 size=4096 len=4096");
    note("@region id=6 kind=unknown va=0x2000 size=4096 len=4096");
    note("@region id=0 kind=device va=0x3000 size=4096 len=4096");
    ck_assert_uint_eq(run->numbered, 0);
    record("0 driver REGION_ADD region=5 pa=0x80000000 len=4096 cpu_cached=1");
    ck_assert(run_region(run, 5)->cpu_cached);
    name = run_region_name(run_region(run, 5));
    ck_assert_str_eq(name, "driver memory");
    buffer(7, "kind=device");
    buffer(7, "kind=pinned"); /* told again */
    ck_assert_uint_eq(run_region(run, 7)->number, 1);
    ck_assert_int_eq(run_region(run, 7)->kind, RUN_DEVICE);
    ck_assert_uint_eq(run->numbered, 1);
}
END_TEST

/* A line that allocates a buffer again after it was freed makes one entry: only the same line,
 * call, kind and size do. */
static const struct {
    const char *second;
    unsigned entries;
} made[] = {
    { "size=4096 kind=managed api=cudaMallocManaged where=a.cu:5 attached=host", 1 },
    { "size=4096 kind=device api=cudaMallocManaged where=a.cu:5 attached=host", 2 },
    { "size=8192 kind=managed api=cudaMallocManaged where=a.cu:5 attached=host", 2 },
    { "size=4096 kind=managed api=cudaMallocManaged where=a.cu:6 attached=host", 2 },
    { "size=4096 kind=managed api=cuMemAllocManaged where=a.cu:5 attached=host", 2 },
};

START_TEST(only_the_same_line_makes_a_buffer_again)
{
    g_autofree char *second =
        g_strdup_printf("@region id=2 va=0x2000 len=4096 %s", made[_i].second);
    const struct run_region *region;

    buffer(1, "kind=managed api=cudaMallocManaged where=a.cu:5 attached=global");
    note("@free id=1");
    record("1 driver REGION_ADD region=2 pa=0x80000000 len=4096 cpu_cached=1");
    note(second);
    region = run_region(run, 2);
    ck_assert_uint_eq(run->regions->len, made[_i].entries);
    ck_assert_uint_eq(run->numbered, made[_i].entries);
    ck_assert_uint_eq(region->va, 0x2000);
    ck_assert_str_eq(region->attached, "host");
    ck_assert(!region->freed);
}
END_TEST

START_TEST(without_a_place_no_buffer_is_made_again)
{
    buffer(1, "kind=device api=cudaMalloc");
    note("@free id=1");
    buffer(2, "kind=device api=cudaMalloc");
    ck_assert_uint_eq(run->numbered, 2);
}
END_TEST

START_TEST(buffers_of_one_line_are_of_one_kind_and_call)
{
    static const char *const others[] = { "kind=device api=cudaMalloc where=a.cu:5",
                                          "kind=pinned api=cudaMalloc where=a.cu:5",
                                          "kind=device api=cuMemAlloc where=a.cu:5",
                                          "kind=device api=cudaMalloc where=a.cu:6",
                                          "kind=device api=cudaMalloc",
                                          "kind=device api=cudaMalloc" };

    buffer(1, others[0]);
    for (unsigned i = 0; i < G_N_ELEMENTS(others); i++) {
        buffer(i + 2, others[i]);
        ck_assert_int_eq(run_of_one_line(run_region(run, 1), run_region(run, i + 2)), i == 0);
    }
    ck_assert(!run_of_one_line(run_region(run, 6), run_region(run, 7))); /* no place is known */
}
END_TEST

/* What makes an allocation somebody else's, too. */
static const char *const touches[] = {
    "1 dla SUM_READ region=1 bytes=64 sectors=2 l2_hits=0 l2_misses=2",
    "1 ce SUM_WRITE region=1 bytes=64 lines=1 l2_hits=0 l2_misses=1",
    "1 cpu SUM_READ region=1 bytes=4 sectors=1 l2_hits=1 l2_misses=0",
    "1 cpu SUM_WRITE region=1 bytes=4 lines=1 l2_hits=1 l2_misses=0",
    "1 cpu CPU_SNOOP region=1 pa=0x80000000 write=0 dirty=0",
    "1 cpu CPU_CLEAN region=1 pa=0x80000000 len=64 lines=1",
    "1 cpu CPU_CLEAN_INVALIDATE region=1 pa=0x80000000 len=64 lines=1",
    "@copy api=c dst=1 src=0 bytes=8",
    "@copy api=c dst=0 src=1 bytes=8",
};

START_TEST(what_another_touched_is_not_the_igpus_alone)
{
    buffer(1, "kind=managed");
    ck_assert(!run_only_igpu(run_region(run, 1)));
    record("1 igpu SUM_READ region=1 bytes=64 sectors=2 l2_hits=0 l2_misses=2");
    ck_assert(run_only_igpu(run_region(run, 1)));
    if (touches[_i][0] == '@') {
        note(touches[_i]);
    } else {
        record(touches[_i]);
    }
    ck_assert(!run_only_igpu(run_region(run, 1)));
}
END_TEST

START_TEST(a_run_has_one_header)
{
    note("@run program=a soc=tx2");
    note("@run program=b soc=orin");
    ck_assert_str_eq(run->program, "a");
    ck_assert_str_eq(run->soc, "tx2");
}
END_TEST

START_TEST(code_without_hooks_is_of_its_object)
{
    const struct run_object *app, *lib;

    note("@object name=app hooks=some");
    note("@without-hooks file=a.c");
    note("@object name=lib hooks=some");
    note("@without-hooks file=b.c");
    note("@without-hooks file=c.c");
    app = run->objects->pdata[0];
    lib = run->objects->pdata[1];
    ck_assert_uint_eq(app->files->len, 1);
    ck_assert_uint_eq(lib->files->len, 2);
}
END_TEST

START_TEST(launches_of_two_block_sizes_are_two_rows)
{
    note("@kernel id=1 name=k grid=4,1,1 block=32,1,1 where=a.cu:3");
    note("@kernel id=3 name=k grid=4,1,1 block=32,1,1 where=a.cu:4");
    ck_assert_str_eq(kernel(0)->where, "a.cu:3"); /* of its first launch */
    note("@kernel id=2 name=k grid=4,1,1 block=64,1,1");
    ck_assert_uint_eq(run->kernels->len, 2);
}
END_TEST

START_TEST(attachments_are_the_last_ones)
{
    buffer(1, "kind=managed attached=global");
    note("@kernel id=1 name=k");
    note("@attach region=1 state=global prefetch=none");
    ck_assert_uint_eq(run->attach_after_launch, 0);
    note("@attach region=1 state=host prefetch=cpu");
    ck_assert_uint_eq(run->attach_after_launch, 1);
    ck_assert_str_eq(run_region(run, 1)->attached, "host");
}
END_TEST

/* One object for calls of one line with the same ends; failed ones say their error. */
START_TEST(calls_of_another_line_name_or_error_are_others)
{
    note("@copy api=c where=a.cu:1 dst=0 src=0 bytes=8");
    note("@copy api=c where=a.cu:1 dst=0 src=0 bytes=8");
    note("@copy api=c where=a.cu:2 dst=0 src=0 bytes=8");
    note("@copy api=d where=a.cu:1 dst=0 src=0 bytes=8");
    ck_assert_uint_eq(run->copies->len, 3);
    ck_assert_uint_eq(((struct run_copy *)run->copies->pdata[0])->bytes, 16);
    note("@error api=c where=a.cu:1 detail=CUDA_ERROR_INVALID_VALUE");
    note("@error api=c where=a.cu:1 detail=CUDA_ERROR_INVALID_VALUE");
    note("@error api=c where=a.cu:1 detail=CUDA_ERROR_OUT_OF_MEMORY");
    ck_assert_uint_eq(run->errors->len, 2);
    ck_assert_uint_eq(((struct run_copy *)run->errors->pdata[0])->count, 2);
    ck_assert_str_eq(((struct run_copy *)run->errors->pdata[0])->detail,
                     "CUDA_ERROR_INVALID_VALUE");
    note("@unsupported api=c section=\"CUDA for Tegra 3.6\"");
    ck_assert_str_eq(((struct run_copy *)run->unsupported->pdata[0])->section,
                     "CUDA for Tegra 3.6");
}
END_TEST

/* --- findings --------------------------------------------------------------------------------- */

/* Each differs from the first in what makes it a defect of its own; the last is the first again. */
START_TEST(findings_without_a_pair_are_told_apart)
{
    buffer(1, "kind=device api=cudaMalloc where=a.cu:5");
    buffer(2, "kind=device api=cudaMalloc where=a.cu:5");
    note("@finding rule=r severity=error where=a.cu:1 kernel=k text=t region=1");
    note("@finding rule=r severity=error where=a.cu:1 kernel=l text=t region=1");
    note("@finding rule=r severity=error where=a.cu:1 kernel=k text=t region=1 other=o");
    note("@finding rule=r severity=error where=a.cu:1 kernel=k text=u region=2");
    note("@finding rule=r severity=error kernel=k text=t region=1");
    note("@finding rule=r severity=error kernel=k text=t region=2");
    ck_assert_uint_eq(run->findings->len, 6);
    note("@finding rule=r severity=error where=a.cu:1 kernel=k text=t region=2");
    ck_assert_uint_eq(run->findings->len, 6);
    ck_assert_uint_eq(((struct run_finding *)run->findings->pdata[0])->count, 2);
}
END_TEST

START_TEST(the_kernel_of_a_finding_is_named_as_it_was_written)
{
    note("@finding rule=r severity=error kernel=_Z3addIfEvPT_ text=t");
    ck_assert_str_eq(((struct run_finding *)run->findings->pdata[0])->kernel, "add<float>");
    note("@finding rule=r severity=error kernel=_Z3addIfEvPT_ text=t");
    ck_assert_uint_eq(run->findings->len, 1);
}
END_TEST

START_TEST(advice_is_no_finding_and_is_counted)
{
    struct note n;

    ck_assert(note_parse("@finding rule=r severity=advice where=a.cu:1 text=t", &n));
    ck_assert(run_note(run, &n));
    ck_assert(!run_note(run, &n)); /* a repetition is no news */
    note_clear(&n);
    ck_assert_uint_eq(run->findings->len, 0);
    ck_assert_uint_eq(run->noted_advice->len, 1);
    ck_assert_uint_eq(((struct run_finding *)run->noted_advice->pdata[0])->count, 2);
}
END_TEST

START_TEST(a_repeated_finding_is_no_news)
{
    struct note n;

    ck_assert(note_parse("@finding rule=r severity=error where=a.cu:1 text=t", &n));
    ck_assert(run_note(run, &n));
    ck_assert(!run_note(run, &n));
    note_clear(&n);
}
END_TEST

/* The busiest first, whatever it does; of equals the first by name. */
START_TEST(places_are_summed_and_the_busiest_is_first)
{
    static const char *const order[] = { "d", "a", "b", "c" };
    const GPtrArray *sites;
    const struct run_site *d;

    buffer(1, "kind=managed");
    note("@site region=1 where=c loads=1");
    note("@site region=1 where=b stores=2");
    note("@site region=1 where=a loads=2");
    note("@site region=1 where=d loads=1 stores=1 atomics=1 bytes=10");
    note("@site region=1 where=d loads=1 stores=1 atomics=1 bytes=10");
    note("@site region=9 where=d loads=1"); /* of no buffer: ignored */
    note("@end time_ns=5");
    sites = run_region(run, 1)->sites;
    ck_assert_uint_eq(sites->len, G_N_ELEMENTS(order));
    for (guint i = 0; i < sites->len; i++) {
        ck_assert_str_eq(((struct run_site *)sites->pdata[i])->where, order[i]);
    }
    d = sites->pdata[0];
    ck_assert_uint_eq(d->loads, 2);
    ck_assert_uint_eq(d->stores, 2);
    ck_assert_uint_eq(d->atomics, 2);
    ck_assert_uint_eq(d->bytes, 20);
}
END_TEST

/* Records may come out of order, from threads. */
START_TEST(the_time_of_a_run_is_its_latest)
{
    record("9 host L2_CLEAN lines=0 bytes=0");
    record("4 host L2_CLEAN lines=0 bytes=0");
    ck_assert_uint_eq(run->time_ns, 9);
    note("@end time_ns=5");
    ck_assert_uint_eq(run->time_ns, 9);
}
END_TEST

/* Each stream has command buffers of its own: 1000 streams made and destroyed are no 1000 regions.
 */
START_TEST(driver_memory_that_is_gone_is_one_region)
{
    record("0 driver REGION_ADD region=1 pa=0x80000000 len=4096 cpu_cached=1");
    note("@region id=1 kind=device va=0x1000 size=4096 len=4096 api=cudaMalloc where=app.c:5");
    for (unsigned id = 2; id < 1002; id++) {
        g_autofree char *add =
            g_strdup_printf("1 driver REGION_ADD region=%u pa=0x80002000 len=64 cpu_cached=1", id);
        g_autofree char *fill =
            g_strdup_printf("2 igpu L2_FILL region=%u pa=0x80002000 sectors=1", id);
        g_autofree char *gone =
            g_strdup_printf("3 driver REGION_REMOVE region=%u pa=0x80002000 len=64", id);

        record(add);
        record(fill);
        record(gone);
        record(fill); /* what was under way */
    }
    record("4 driver REGION_REMOVE region=1 pa=0x80000000 len=4096");
    ck_assert_uint_eq(run->regions->len, 2);
    ck_assert_uint_eq(run_region(run, 1)->len, 4096);
    ck_assert(run_region(run, 1)->freed);
    ck_assert_uint_eq(run_region(run, 1001)->len, UINT64_C(64) * 1000);
    ck_assert_uint_eq(run_region(run, 500)->spared.fills, 2000);
}
END_TEST

static void launch_record(uint32_t id)
{
    g_autofree char *kernel =
        g_strdup_printf("@kernel id=%u name=_Z1aPi stream=0 grid=1,1,1 block=32,1,1", id);
    g_autofree char *begin =
        g_strdup_printf("1 igpu GRID_BEGIN by=2 channel=1 qmd=0x100 entry=0 grid_id=%u", id);

    note(kernel);
    record(begin);
    record("2 igpu GRID_END by=2 channel=1 qmd=0x100 warp_insts=7 ns=1");
}

/* A program may launch for days. */
START_TEST(launches_that_are_over_are_not_remembered_for_ever)
{
    note("@kernel id=1 name=_Z1bPi stream=0 grid=1,1,1 block=32,1,1");
    record("1 igpu GRID_BEGIN by=3 channel=2 qmd=0x200 entry=0 grid_id=1"); /* runs all the time */
    note("@kernel id=2 name=_Z1cPi stream=0 grid=1,1,1 block=32,1,1");      /* waits all the time */
    for (uint32_t id = 3; id < 20000; id++) {
        launch_record(id);
    }
    ck_assert_uint_le(ids_size(run->grids), RUN_GRIDS_KEPT + 2);
    ck_assert_str_eq(run_grid_kernel(run, 19999)->name, "a");
    ck_assert_str_eq(run_grid_kernel(run, 1)->name, "b");
    ck_assert_str_eq(run_grid_kernel(run, 2)->name, "c");
    ck_assert_ptr_null(run_grid_kernel(run, 3));
    record("3 igpu GRID_END by=3 channel=2 qmd=0x200 warp_insts=9 ns=2");
    ck_assert_uint_eq(run->kernels->len, 3);
    ck_assert_uint_eq(run->launches, 19999);
}
END_TEST

/* One line allocates and frees without end; the first and the newest ids are known. */
START_TEST(ids_of_freed_buffers_are_not_remembered_for_ever)
{
    enum { FIRST = 5, LAST = FIRST + 2 * RUN_REGIONS_KEPT };

    for (uint32_t id = FIRST; id <= LAST; id++) {
        g_autofree char *add = g_strdup_printf(
            "1 driver REGION_ADD region=%u pa=0x80000000 len=4096 cpu_cached=1", id);
        g_autofree char *again = g_strdup_printf(
            "@region id=%u kind=device va=0x1000 size=4096 len=4096 api=cudaMalloc where=app.c:5",
            id);
        g_autofree char *gone =
            g_strdup_printf("3 driver REGION_REMOVE region=%u pa=0x80000000 len=4096", id);

        record(add);
        note(again);
        record(gone);
    }
    ck_assert_uint_eq(run->regions->len, 1);
    ck_assert_uint_le(ids_size(run->by_id), RUN_REGIONS_KEPT + 1);
    ck_assert_ptr_eq(run_region(run, LAST), run_region(run, FIRST));
    ck_assert_ptr_nonnull(run_region(run, FIRST));
    ck_assert_ptr_null(run_region(run, FIRST + 1));
}
END_TEST

int main(void)
{
    Suite *s = suite_create("run_sums");
    TCase *t = tcase_create("run_sums");

    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_test(t, the_grid_that_runs_is_known_where_one_runs_alone);
    tcase_add_test(t, a_grid_that_nobody_named_is_a_launch);
    tcase_add_test(t, ends_that_fit_no_beginning_do_no_harm);
    tcase_add_test(t, a_failed_grid_has_executed_instructions_too);
    tcase_add_test(t, sums_are_of_their_engine_and_buffer);
    tcase_add_test(t, maintenance_is_counted_by_its_kind);
    tcase_add_test(t, lines_of_the_caches_are_counted_by_what_happened);
    tcase_add_test(t, memory_of_the_process_is_one_buffer);
    tcase_add_test(t, a_buffer_is_as_large_as_was_asked_for);
    tcase_add_test(t, an_address_is_of_the_newest_buffer_there);
    tcase_add_test(t, memory_of_the_driver_has_no_number);
    tcase_add_loop_test(t, only_the_same_line_makes_a_buffer_again, 0, G_N_ELEMENTS(made));
    tcase_add_test(t, without_a_place_no_buffer_is_made_again);
    tcase_add_test(t, buffers_of_one_line_are_of_one_kind_and_call);
    tcase_add_loop_test(t, what_another_touched_is_not_the_igpus_alone, 0, G_N_ELEMENTS(touches));
    tcase_add_test(t, a_run_has_one_header);
    tcase_add_test(t, code_without_hooks_is_of_its_object);
    tcase_add_test(t, launches_of_two_block_sizes_are_two_rows);
    tcase_add_test(t, attachments_are_the_last_ones);
    tcase_add_test(t, calls_of_another_line_name_or_error_are_others);
    tcase_add_test(t, findings_without_a_pair_are_told_apart);
    tcase_add_test(t, the_kernel_of_a_finding_is_named_as_it_was_written);
    tcase_add_test(t, advice_is_no_finding_and_is_counted);
    tcase_add_test(t, a_repeated_finding_is_no_news);
    tcase_add_test(t, places_are_summed_and_the_busiest_is_first);
    tcase_add_test(t, driver_memory_that_is_gone_is_one_region);
    tcase_add_test(t, launches_that_are_over_are_not_remembered_for_ever);
    tcase_add_test(t, ids_of_freed_buffers_are_not_remembered_for_ever);
    tcase_add_test(t, the_time_of_a_run_is_its_latest);
    suite_add_tcase(s, t);
    return suite_main(s);
}
