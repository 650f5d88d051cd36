/* SPDX-License-Identifier: MIT */
/* Advice: what a run could do better by the note, and what is none of its business. */
#include <check.h>
#include <string.h>

#include "checker/print/group.h"
#include "checker/rules/advice.h"
#include "tests/hal_none.h"
#include "tests/run_rig.h"
#include "tests/suite.h"

static const char tx2[] =
    "@run program=p soc=tx2 cc=62 io_coherent=0 os=linux cpu_hit_ps=1000 cpu_miss_ps=16000 "
    "cpu_uncached_ps=47900 cpu_line=64";
static const char orin[] =
    "@run program=p soc=orin cc=87 io_coherent=1 os=linux cpu_hit_ps=910 cpu_miss_ps=8500 "
    "cpu_uncached_ps=47900 cpu_line=64";

static const struct run_finding *advice_find(GPtrArray *advice, const char *rule)
{
    for (guint i = 0; i < advice->len; i++) {
        const struct run_finding *f = advice->pdata[i];

        if (strcmp(f->rule, rule) == 0) {
            return f;
        }
    }
    return NULL;
}

static void assert_advice(const char *rule, bool wanted)
{
    GPtrArray *advice = advice_make(run);

    ck_assert_msg((advice_find(advice, rule) != NULL) == wanted, "%s %s", rule,
                  wanted ? "missing" : "given");
    g_ptr_array_free(advice, TRUE);
}

static void assert_advice_says(const char *rule, const char *part)
{
    GPtrArray *advice = advice_make(run);
    const struct run_finding *f = advice_find(advice, rule);

    ck_assert_msg(f != NULL, "%s missing", rule);
    ck_assert_msg(strstr(f->text, part) || strstr(f->todo, part) || strstr(f->section, part),
                  "'%s' is not in: %s / %s", part, f->text, f->todo);
    g_ptr_array_free(advice, TRUE);
}

static void assert_advice_at(const char *rule, const char *where)
{
    GPtrArray *advice = advice_make(run);
    const struct run_finding *f = advice_find(advice, rule);

    ck_assert_msg(f != NULL, "%s missing", rule);
    ck_assert_str_eq(f->where, where);
    ck_assert_int_eq(f->severity, CHECK_ADVICE);
    g_ptr_array_free(advice, TRUE);
}

static void buffers(void)
{
    note("@region id=1 kind=pinned va=0x100000 size=1048576 len=1048576 api=cudaMallocHost");
    note("@region id=2 kind=device va=0x200000 size=1048576 len=1048576 api=cudaMalloc");
    note("@region id=3 kind=managed cpu_cached=1 va=0x300000 size=1048576 len=1048576 "
         "api=cudaMallocManaged");
    note("@kernel id=1 name=k grid=1,1,1 block=32,1,1");
    record("1 igpu GRID_BEGIN by=1 channel=0 qmd=0x100 entry=0 grid_id=1");
}

START_TEST(copy_between_pinned_and_device_is_unneeded)
{
    note(orin);
    buffers();
    note("@copy api=cudaMemcpy dst=2 src=1 bytes=1048576 where=a.cu:9");
    record("2 igpu SUM_READ region=2 by=1 bytes=1048576 sectors=32768 l2_hits=0 l2_misses=32768");
    assert_advice_says("copy-unneeded", "cudaMemcpy copied 1.0 MiB in 1 call from #1");
    assert_advice_says("copy-unneeded", "1.0 times its size (k)");
    assert_advice_at("copy-unneeded", "a.cu:9");
    assert_advice_says("copy-unneeded", "cudaMallocHost"); /* used once: pinned will do */
    record("2 igpu SUM_WRITE region=2 by=1 bytes=1048576 lines=8192 l2_hits=0 l2_misses=8192");
    assert_advice_says("copy-unneeded", "2.0 times its size (k)");
    record("2 igpu SUM_READ region=2 by=1 bytes=4194304 sectors=1 l2_hits=0 l2_misses=0");
    assert_advice_says("copy-unneeded", "cudaMallocManaged"); /* five times: cached is better */
}
END_TEST

START_TEST(copies_that_move_nothing_needless_get_no_advice)
{
    note(orin);
    buffers();
    note("@copy api=cudaMemcpy dst=2 src=1 bytes=65535");   /* small */
    note("@copy api=cudaMemcpy dst=2 src=2 bytes=1048576"); /* inside the device */
    note("@copy api=cudaMemcpy dst=3 src=0 bytes=1048576"); /* pageable to managed */
    assert_advice("copy-unneeded", false);
    note("@copy api=cudaMemcpy dst=2 src=0 bytes=1048576"); /* pageable to device */
    assert_advice_says("copy-unneeded", "from pageable memory to #2");
    assert_advice_says("copy-unneeded", "0.0 times its size (no kernel)");
}
END_TEST

/* 3.2, readImage(). 2087 accesses * 47.9 ns = 99.97 us, 2088: 100.02 us, against 2.1 us + 130 * 16
 * ns. */
START_TEST(uncached_cpu_accesses_from_100_us_on)
{
    note(tx2);
    buffers();
    record("2 cpu SUM_WRITE region=1 bytes=8348 lines=2087 l2_hits=0 l2_misses=0");
    assert_advice("pinned-uncached-cpu", false);
    record("2 cpu SUM_WRITE region=1 bytes=4 lines=1 l2_hits=0 l2_misses=0");
    assert_advice_says("pinned-uncached-cpu", "2088 accesses to pinned #1");
    assert_advice_says("pinned-uncached-cpu", "about 100.0 us, against 4.2 us");
    assert_advice_says("pinned-uncached-cpu", "CUDA for Tegra 3.1, Pageable Host Memory");
    assert_advice_says("pinned-uncached-cpu", "only the CPU used it");
    record("3 igpu SUM_READ region=1 by=1 bytes=64 sectors=2 l2_hits=0 l2_misses=0");
    assert_advice_says("pinned-uncached-cpu", "CUDA for Tegra 3.2");
    assert_advice_says("pinned-uncached-cpu", "cudaMallocManaged");
}
END_TEST

/* The busiest line is the place; the kernels' time is that of all, 50 us and 20 us here. */
START_TEST(uncached_accesses_are_of_the_busiest_line)
{
    note(tx2);
    buffers();
    note("@kernel id=2 name=l grid=1,1,1 block=32,1,1");
    record("50001 igpu GRID_END by=1 channel=0 qmd=0x100 warp_insts=1 ns=50000");
    record("60000 igpu GRID_BEGIN by=1 channel=0 qmd=0x100 entry=0 grid_id=2");
    record("80000 igpu GRID_END by=1 channel=0 qmd=0x100 warp_insts=1 ns=20000");
    record("2 cpu SUM_WRITE region=1 bytes=8352 lines=2088 l2_hits=0 l2_misses=0");
    note("@site region=1 where=a.cu:30 stores=8 bytes=32");
    note("@site region=1 where=a.cu:31 stores=2080 bytes=8320");
    note("@end time_ns=80000");
    assert_advice_at("pinned-uncached-cpu", "a.cu:31");
    assert_advice_says("pinned-uncached-cpu", "70.0 us of all kernels");
}
END_TEST

/* 2088 accesses of 128 bytes: 100 us, against 2088 * (1 + 2 * 16) ns = 69 us. */
START_TEST(what_caches_would_hardly_help_gets_no_advice)
{
    note(tx2);
    buffers();
    record("2 cpu SUM_WRITE region=1 bytes=267264 lines=2088 l2_hits=0 l2_misses=0");
    assert_advice("pinned-uncached-cpu", false);
}
END_TEST

START_TEST(cached_pinned_memory_is_no_matter)
{
    note(orin);
    note("@region id=1 kind=pinned cpu_cached=1 va=0x100000 size=1048576 len=1048576");
    record("2 cpu SUM_WRITE region=1 bytes=8348000 lines=2087000 l2_hits=0 l2_misses=0");
    assert_advice("pinned-uncached-cpu", false);
}
END_TEST

/* @n buffers of 100 bytes that one line made, each read by a kernel; ids from @first. */
static void pool(unsigned first, unsigned n, unsigned line)
{
    char text[200];

    for (unsigned i = first; i < first + n; i++) {
        g_snprintf(
            text, sizeof(text),
            "@region id=%u kind=pinned va=0x%x size=100 len=4096 api=cudaMallocHost where=a.cu:%u",
            i, 0x100000 * i, line);
        note(text);
        g_snprintf(text, sizeof(text),
                   "2 igpu SUM_READ region=%u by=1 bytes=64 sectors=2 l2_hits=0 l2_misses=0", i);
        record(text);
    }
}

/* Five and more of one line are one entry with the sums of all; four are four. JSON keeps each. */
START_TEST(buffers_of_one_line_are_told_together)
{
    const struct group *g;
    GPtrArray *groups;

    note(orin);
    note("@kernel id=1 name=k grid=1,1,1 block=32,1,1");
    record("1 igpu GRID_BEGIN by=1 channel=0 qmd=0x100 entry=0 grid_id=1");
    pool(10, 4, 7);
    pool(20, 2, 9);
    pool(30, 3, 9);
    record("3 cpu CPU_CLEAN region=20 pa=0x80000000 len=4096 lines=4");
    record("3 cpu CPU_CLEAN region=30 pa=0x80001000 len=4096 lines=0");
    record("3 driver REGION_ADD region=99 pa=0x80002000 len=4096 cpu_cached=0"); /* the driver's */
    groups = groups_make(run);
    ck_assert_uint_eq(groups->len, 5);
    g = groups->pdata[4];
    ck_assert_uint_eq(g->sum.clean.ops, 2);
    ck_assert_uint_eq(g->sum.clean.empty, 1);
    ck_assert_uint_eq(g->sum.clean.lines, 4);
    ck_assert_uint_eq(g->members->len, 5);
    ck_assert_uint_eq(g->sum.number, 5);
    ck_assert_uint_eq(g->same_size, 100);
    ck_assert_uint_eq(g->sum.size, 500);
    ck_assert_uint_eq(g->sum.agent[BUS_AGENT_IGPU].read_bytes, 5 * 64);
    ck_assert_uint_eq(g->sum.uses->len, 1);
    ck_assert_uint_eq(((struct run_use *)g->sum.uses->pdata[0])->sum.read_ops, 5 * 2);
    ck_assert_uint_eq(((struct group *)groups->pdata[0])->members->len, 1);
    ck_assert_uint_eq(run_region(run, 20)->agent[BUS_AGENT_IGPU].read_bytes, 64);
    g_ptr_array_unref(groups);
}
END_TEST

/* Of one line, and yet not one thing: what the CPU caches, and what is attached otherwise. */
START_TEST(buffers_of_one_line_that_differ_are_told_apart)
{
    const struct group *g;
    GPtrArray *groups;

    note(orin);
    note("@kernel id=1 name=k grid=1,1,1 block=32,1,1");
    record("1 igpu GRID_BEGIN by=1 channel=0 qmd=0x100 entry=0 grid_id=1");
    pool(10, 5, 9);
    note("@region id=20 kind=pinned cpu_cached=1 va=0x2000000 size=100 len=4096 "
         "api=cudaMallocHost where=a.cu:9");
    note("@region id=21 kind=pinned attached=host va=0x2100000 size=100 len=4096 "
         "api=cudaMallocHost where=a.cu:9");
    note("@region id=22 kind=pinned va=0x2200000 size=200 len=4096 api=cudaMallocHost "
         "where=a.cu:9");
    note("@site region=10 where=a.cu:30 loads=3 stores=0 atomics=0 bytes=12");
    note("@site region=11 where=a.cu:30 loads=4 stores=0 atomics=0 bytes=16");
    note("@site region=12 where=a.cu:31 loads=1 stores=0 atomics=0 bytes=4");
    groups = groups_make(run);
    ck_assert_uint_eq(groups->len, 3);
    g = groups->pdata[0];
    ck_assert_uint_eq(g->members->len, 6);
    ck_assert_uint_eq(g->same_size, 0);
    ck_assert_uint_eq(g->sum.size, 5 * 100 + 200);
    ck_assert_uint_eq(g->sum.sites->len, 2);
    ck_assert_uint_eq(((struct run_site *)g->sum.sites->pdata[0])->loads, 3 + 4);
    g_ptr_array_unref(groups);
}
END_TEST

/* A line that makes a buffer again is not the same buffer that a kernel used before. */
START_TEST(the_newest_kernel_that_used_a_buffer_is_known)
{
    note(orin);
    note("@kernel id=4 name=k grid=1,1,1 block=32,1,1");
    record("1 igpu GRID_BEGIN by=1 channel=0 qmd=0x100 entry=0 grid_id=4");
    pool(10, 2, 7);
    ck_assert_uint_eq(run_region(run, 11)->last_grid, 4);
    note("@free id=11");
    note("@region id=12 kind=pinned va=0xc00000 size=100 len=4096 api=cudaMallocHost where=a.cu:7");
    ck_assert_ptr_eq(run_region(run, 12), run_region(run, 11));
    ck_assert_uint_eq(run_region(run, 12)->last_grid, 0);
    ck_assert_uint_eq(run_region(run, 10)->last_grid, 4);
}
END_TEST

START_TEST(pinned_memory_read_more_than_twice_by_kernels)
{
    note(orin);
    buffers();
    record("2 igpu SUM_READ region=1 by=1 bytes=2097152 sectors=65536 l2_hits=0 l2_misses=0");
    assert_advice("pinned-gpu-repeat", false);
    record("2 igpu SUM_READ region=1 by=1 bytes=2097152 sectors=65536 l2_hits=0 l2_misses=0");
    assert_advice_says("pinned-gpu-repeat", "k read 4.0 MiB from pinned #1");
    assert_advice_says("pinned-gpu-repeat", "4.0 times its size");
}
END_TEST

/* Frames of a camera: the CPU writes the buffer before each launch, which reads it once. */
START_TEST(launches_that_read_a_buffer_once_each_do_not_repeat)
{
    note(orin);
    buffers();
    for (unsigned frame = 1; frame <= 3; frame++) {
        g_autofree char *kernel =
            g_strdup_printf("@kernel id=%u name=k grid=1,1,1 block=32,1,1", frame);
        g_autofree char *begin =
            g_strdup_printf("1 igpu GRID_BEGIN by=1 channel=0 qmd=0x100 entry=0 grid_id=%u", frame);

        note("@copy api=cudaMemcpy dst=2 src=0 bytes=1048576 where=a.cu:9");
        note(kernel);
        record(begin);
        record("2 igpu SUM_READ region=1 by=1 bytes=1048576 sectors=32768 l2_hits=0 "
               "l2_misses=32768");
        record("2 igpu SUM_READ region=2 by=1 bytes=1048576 sectors=32768 l2_hits=0 "
               "l2_misses=32768");
        record("3 igpu GRID_END by=1 channel=0 qmd=0x100 warp_insts=1 ns=2");
    }
    assert_advice("pinned-gpu-repeat", false);
    assert_advice_says("copy-unneeded", "They use it once"); /* a pinned buffer will do */
    note("@kernel id=4 name=thrice grid=1,1,1 block=32,1,1");
    record("4 igpu GRID_BEGIN by=1 channel=0 qmd=0x100 entry=0 grid_id=4");
    record("5 igpu SUM_READ region=1 by=1 bytes=3145728 sectors=98304 l2_hits=0 l2_misses=98304");
    assert_advice_says("pinned-gpu-repeat", "In one launch thrice read 3.0 MiB from pinned #1");
    assert_advice_says("pinned-gpu-repeat", "3.0 times its size");
}
END_TEST

/* 3.1: device memory is for what the iGPU alone uses. Without hooks nobody knows. */
START_TEST(pinned_memory_of_the_igpu_alone_should_be_device_memory)
{
    note(orin);
    buffers();
    record("2 igpu SUM_READ region=1 by=1 bytes=4194304 sectors=131072 l2_hits=0 l2_misses=0");
    assert_advice_says("pinned-gpu-repeat", "cudaMallocManaged");
    note("@hooks");
    assert_advice_says("pinned-gpu-repeat", "Only the iGPU uses it: allocate it with cudaMalloc.");
    assert_advice_says("device-memory-fits", "is pinned memory, but only the iGPU touched it (k)");
    record("3 cpu SUM_READ region=1 bytes=4 sectors=1 l2_hits=0 l2_misses=1");
    assert_advice_says("pinned-gpu-repeat", "cudaMallocManaged");
    assert_advice("device-memory-fits", false);
}
END_TEST

START_TEST(small_pinned_buffers_may_be_read_again)
{
    note(orin);
    buffers();
    note("@region id=4 kind=pinned va=0x500000 size=65535 len=65536 api=cudaMallocHost");
    record("2 igpu SUM_READ region=4 by=1 bytes=4194304 sectors=131072 l2_hits=0 l2_misses=0");
    assert_advice("pinned-gpu-repeat", false);
}
END_TEST

/* Hints are for managed memory, and in both directions. */
START_TEST(hints_are_for_managed_memory_without_any)
{
    note(orin);
    buffers();
    for (int i = 0; i < 8; i++) {
        record("2 cpu CPU_CLEAN region=1 pa=0x80000000 len=1048576 lines=0");
    }
    assert_advice("managed-hint", false);
    for (int i = 0; i < 8; i++) {
        record("2 cpu CPU_CLEAN region=3 pa=0x80200000 len=1048576 lines=0");
    }
    assert_advice("managed-hint", true);
    note("@attach region=3 state=global prefetch=gpu stream=0");
    assert_advice("managed-hint", false);
}
END_TEST

/* Table 1 of CUDA for Tegra has one column for pinned memory, however it became that. */
START_TEST(registered_memory_is_pinned)
{
    note(orin);
    buffers();
    note("@region id=4 kind=pinned registered=1 va=0x500000 size=1048576 len=1048576 "
         "api=cudaHostRegister");
    record("2 igpu SUM_READ region=4 by=1 bytes=4194304 sectors=131072 l2_hits=0 l2_misses=0");
    assert_advice_says("pinned-gpu-repeat", "k read 4.0 MiB from pinned #4");
}
END_TEST

START_TEST(two_kernels_are_named_and_the_others_counted)
{
    static const char *const names[] = { "(k)", "(k and l)", "(k, l and 1 more)",
                                         "(k, l and 2 more)" };
    static const char letters[] = "klmn";

    note(orin);
    note("@hooks");
    note("@region id=3 kind=managed va=0x300000 size=1048576 len=1048576 api=cudaMallocManaged");
    for (unsigned i = 0; i < G_N_ELEMENTS(names); i++) {
        g_autofree char *kernel =
            g_strdup_printf("@kernel id=%u name=%c grid=1,1,1 block=1,1,1", i + 1, letters[i]);
        g_autofree char *begin =
            g_strdup_printf("1 igpu GRID_BEGIN by=1 channel=0 qmd=0x100 entry=0 grid_id=%u", i + 1);

        note(kernel);
        record(begin);
        record("2 igpu SUM_WRITE region=3 by=1 bytes=1024 lines=8 l2_hits=0 l2_misses=0");
        assert_advice_says("device-memory-fits", names[i]);
    }
}
END_TEST

/* The driver's own advice, as it was told: how often, where, about which buffer. */
START_TEST(what_the_driver_advised_is_repeated)
{
    const struct run_finding *f;
    GPtrArray *advice;

    note(orin);
    buffers();
    for (int i = 0; i < 3; i++) {
        note("@finding rule=r severity=advice standing=inferred section=s text=t todo=d "
             "where=a.cu:1 region=2");
    }
    advice = advice_make(run);
    f = advice_find(advice, "r");
    ck_assert_ptr_nonnull(f);
    ck_assert_int_eq(f->severity, CHECK_ADVICE);
    ck_assert_int_eq(f->standing, CHECK_INFERRED);
    ck_assert_str_eq(f->section, "s");
    ck_assert_str_eq(f->text, "t");
    ck_assert_str_eq(f->todo, "d");
    ck_assert_str_eq(f->where, "a.cu:1");
    ck_assert_uint_eq(f->region, 2);
    ck_assert_uint_eq(f->count, 3);
    g_ptr_array_free(advice, TRUE);
}
END_TEST

START_TEST(managed_memory_of_the_igpu_alone_should_be_device_memory)
{
    note(orin);
    buffers();
    record("2 igpu SUM_WRITE region=3 by=1 bytes=1024 lines=8 l2_hits=0 l2_misses=0");
    assert_advice("device-memory-fits", false); /* the CPU is seen per page only: who knows */
    note("@hooks");
    assert_advice_says("device-memory-fits", "only the iGPU touched it (k)");
    record("3 cpu SUM_READ region=3 bytes=4 sectors=1 l2_hits=0 l2_misses=1");
    assert_advice("device-memory-fits", false);
}
END_TEST

START_TEST(hint_where_maintenance_found_nothing_eight_times)
{
    note(orin);
    buffers();
    for (int i = 0; i < 7; i++) {
        record("2 cpu CPU_CLEAN region=3 pa=0x80000000 len=1048576 lines=0");
    }
    record("2 cpu CPU_CLEAN region=3 pa=0x80000000 len=1048576 lines=9");
    assert_advice("managed-hint", false);
    record("2 cpu CPU_CLEAN region=3 pa=0x80000000 len=1048576 lines=0");
    assert_advice_says("managed-hint", "maintained 9 times");
    assert_advice_says("managed-hint", "8 of them found no line");
    note("@attach region=3 state=host prefetch=cpu stream=0");
    assert_advice("managed-hint", false); /* it gives hints */
}
END_TEST

START_TEST(safety_context_wants_pinned_memory)
{
    note("@run program=p soc=orin cc=87 os=qnx safety=1");
    buffers();
    assert_advice_says("managed-safety", "#3");
    assert_advice_says("managed-safety", "CUDA for Tegra 3.1, Note");
}
END_TEST

/* 3.1 and 3.2: which of the two kinds replaces the copy. */
static const struct {
    const char *run, *hooks, *record, *todo;
} instead[] = {
    { "@run program=p soc=orin cc=87 io_coherent=1 os=qnx safety=1 cpu_line=64", NULL, NULL,
      "allocate one pinned buffer" },
    { orin, NULL, NULL, "give the kernels a pinned buffer" },
    { orin, "@hooks",
      "2 igpu SUM_READ region=2 by=1 bytes=3145728 sectors=98304 l2_hits=0 l2_misses=0",
      "and the kernels use it repeatedly" },
    { tx2, "@hooks", "2 cpu SUM_READ region=1 bytes=1048576 sectors=16385 l2_hits=0 l2_misses=0",
      "Pinned memory would not do" },
    { tx2, "@hooks", "2 cpu SUM_READ region=1 bytes=1048576 sectors=16384 l2_hits=0 l2_misses=0",
      "give the kernels a pinned buffer" },
    { orin, "@hooks", "2 cpu SUM_READ region=1 bytes=1048576 sectors=16385 l2_hits=0 l2_misses=0",
      "give the kernels a pinned buffer" },
    { tx2, NULL, NULL,
      "Pinned memory would not do" }, /* how often the CPU comes back was not seen */
};

START_TEST(what_replaces_a_copy_depends_on_who_comes_back_to_it)
{
    note(instead[_i].run);
    if (instead[_i].hooks) {
        note(instead[_i].hooks);
    }
    buffers();
    if (instead[_i].record) {
        record(instead[_i].record);
    }
    note("@copy api=cudaMemcpy dst=2 src=1 bytes=1048576");
    assert_advice_says("copy-unneeded", instead[_i].todo);
}
END_TEST

/* Out of device memory, too; to memory that both sides use anyway. */
START_TEST(copies_out_of_device_memory_are_unneeded)
{
    static const char *const to[] = { "from #2 (cudaMalloc 1.0 MiB) to #1",
                                      "from #2 (cudaMalloc 1.0 MiB) to pageable memory" };

    note(orin);
    buffers();
    for (int i = 0; i < 2; i++) {
        note(_i ? "@copy api=cudaMemcpy dst=0 src=2 bytes=1048576"
                : "@copy api=cudaMemcpy dst=1 src=2 bytes=1048576");
        assert_advice_says("copy-unneeded", to[_i]);
        assert_advice_says("copy-unneeded", i ? "2.0 MiB in 2 calls" : "1.0 MiB in 1 call ");
    }
}
END_TEST

START_TEST(many_small_copies_are_small)
{
    note(orin);
    buffers();
    for (int i = 0; i < 64; i++) {
        note("@copy api=cudaMemcpy dst=2 src=1 bytes=65535");
    }
    assert_advice("copy-unneeded", false);
}
END_TEST

START_TEST(hints_are_of_no_use_on_qnx)
{
    note("@run program=p soc=orin cc=87 os=qnx");
    buffers();
    for (int i = 0; i < 8; i++) {
        record("2 cpu CPU_CLEAN region=3 pa=0x80000000 len=1048576 lines=0");
    }
    assert_advice("managed-hint", false);
    assert_advice("qnx-hints", false);
    note("@attach region=3 state=host prefetch=cpu stream=0");
    assert_advice_says("qnx-hints", "1 attachment hints");
}
END_TEST

START_TEST(small_managed_buffers_should_be_pinned)
{
    note(_i ? "@run program=p soc=orin cc=87 os=qnx safety=1" : orin);
    buffers();
    note("@region id=4 kind=managed cpu_cached=1 va=0x500000 size=65535 len=65536 "
         "api=cudaMallocManaged");
    for (int i = 0; i < 8; i++) {
        assert_advice("small-pinned", false);
        record("2 cpu CPU_CLEAN region=3 pa=0x80000000 len=1048576 lines=1");
        record("2 cpu CPU_CLEAN region=4 pa=0x80200000 len=65536 lines=1");
    }
    if (_i) { /* there it is managed-safety */
        assert_advice("small-pinned", false);
    } else {
        assert_advice_says("small-pinned", "#4");
        assert_advice("managed-safety", false);
    }
}
END_TEST

START_TEST(unsupported_calls_get_the_way_that_the_note_names)
{
    note(tx2);
    note("@unsupported api=cudaMemPrefetchAsync detail=cudaErrorInvalidDevice where=a.cu:3");
    note("@unsupported api=cudaHostRegister detail=cudaErrorNotSupported");
    assert_advice_says("prefetch-unsupported", "cudaStreamAttachMemAsync");
    assert_advice_says("host-register-unsupported", "cudaMallocHost");
    assert_advice_at("prefetch-unsupported", "a.cu:3");
    note("@unsupported api=cudaIpcGetEventHandle detail=cudaErrorNotSupported section=vtegra");
    assert_advice("ipc-unsupported", false); /* a board has it, this run does not */
    note("@unsupported api=cudaIpcGetMemHandle detail=cudaErrorNotSupported");
    assert_advice_says("ipc-unsupported", "NvSci");
    assert_advice("p2p-unsupported", false);
    note("@unsupported api=cudaDeviceEnablePeerAccess detail=cudaErrorNotSupported");
    assert_advice_says("p2p-unsupported", "There is one iGPU");
}
END_TEST

START_TEST(attach_to_host_right_after_a_launch)
{
    note(orin);
    buffers(); /* ends in a launch */
    note("@sync stream=0");
    note("@attach region=3 state=host prefetch=cpu stream=0");
    assert_advice("attach-after-launch", false);
    note("@kernel id=2 name=k grid=1,1,1 block=32,1,1");
    note("@attach region=3 state=host prefetch=none stream=0");
    assert_advice_says("attach-after-launch", "1 attachment to the host");
    note("@attach region=3 state=host prefetch=none stream=0");
    assert_advice_says("attach-after-launch", "2 attachments to the host");
}
END_TEST

int main(void)
{
    Suite *s = suite_create("advice");
    TCase *t = tcase_create("advice");

    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_test(t, copy_between_pinned_and_device_is_unneeded);
    tcase_add_test(t, copies_that_move_nothing_needless_get_no_advice);
    tcase_add_test(t, uncached_cpu_accesses_from_100_us_on);
    tcase_add_test(t, uncached_accesses_are_of_the_busiest_line);
    tcase_add_test(t, cached_pinned_memory_is_no_matter);
    tcase_add_test(t, registered_memory_is_pinned);
    tcase_add_test(t, pinned_memory_of_the_igpu_alone_should_be_device_memory);
    tcase_add_test(t, launches_that_read_a_buffer_once_each_do_not_repeat);
    tcase_add_test(t, small_pinned_buffers_may_be_read_again);
    tcase_add_test(t, hints_are_for_managed_memory_without_any);
    tcase_add_test(t, what_caches_would_hardly_help_gets_no_advice);
    tcase_add_loop_test(t, copies_out_of_device_memory_are_unneeded, 0, 2);
    tcase_add_test(t, two_kernels_are_named_and_the_others_counted);
    tcase_add_test(t, what_the_driver_advised_is_repeated);
    tcase_add_test(t, buffers_of_one_line_are_told_together);
    tcase_add_test(t, buffers_of_one_line_that_differ_are_told_apart);
    tcase_add_test(t, the_newest_kernel_that_used_a_buffer_is_known);
    tcase_add_test(t, pinned_memory_read_more_than_twice_by_kernels);
    tcase_add_test(t, managed_memory_of_the_igpu_alone_should_be_device_memory);
    tcase_add_test(t, hint_where_maintenance_found_nothing_eight_times);
    tcase_add_loop_test(t, what_replaces_a_copy_depends_on_who_comes_back_to_it, 0,
                        G_N_ELEMENTS(instead));
    tcase_add_test(t, many_small_copies_are_small);
    tcase_add_test(t, hints_are_of_no_use_on_qnx);
    tcase_add_loop_test(t, small_managed_buffers_should_be_pinned, 0, 2);
    tcase_add_test(t, safety_context_wants_pinned_memory);
    tcase_add_test(t, unsupported_calls_get_the_way_that_the_note_names);
    tcase_add_test(t, attach_to_host_right_after_a_launch);
    suite_add_tcase(s, t);
    return suite_main(s);
}
