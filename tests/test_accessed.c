/* SPDX-License-Identifier: MIT */
/* The two doors that an owner like QEMU uses: CPU accesses told after they happened, and engines'
 * addresses that pass the owner's IOMMU. Expected values: ARCHITECTURE's table "Memory: two
 * images", written out. */
#include <check.h>
#include <glib.h>
#include <stdlib.h>
#include <string.h>

#include "tests/soc_rig.h"

#define DATA RIG_CACHED

static struct rig rig;

static void open_coherent(void)
{
    rig_open(&rig, true);
}

static void open_not_coherent(void)
{
    rig_open(&rig, false);
}

static void close_rig(void)
{
    rig_close(&rig);
}

/* As QEMU: first the access itself, on the view, then the call. */
static void cpu_stored(unsigned at, uint8_t value, bool cached)
{
    rig.view[at] = value;
    soc_cpu_accessed(rig.soc, DATA + at, DATA + at, 1, ACCESS_STORE, cached);
}

static uint8_t cpu_loaded(unsigned at, bool cached)
{
    soc_cpu_accessed(rig.soc, DATA + at, DATA + at, 1, ACCESS_LOAD, cached);
    return rig.view[at];
}

static struct soc_line line_at(unsigned at)
{
    struct soc_line line;

    soc_line_state(rig.soc, DATA + at, &line);
    return line;
}

START_TEST(store_makes_the_line_dirty_and_dram_stays)
{
    cpu_stored(64, 7, true);
    ck_assert(line_at(64).cpu_dirty);
    ck_assert_uint_eq(rig.dram[64], 0);
    ck_assert(!line_at(0).cpu_valid);
    ck_assert(!line_at(128).cpu_valid);
}
END_TEST

START_TEST(store_of_the_same_value_makes_the_line_dirty_too)
{
    cpu_stored(64, 0, true);
    ck_assert(line_at(64).cpu_dirty);
}
END_TEST

START_TEST(load_brings_the_line_in_clean)
{
    rig.dram[200] = rig.view[200] = 9;
    ck_assert_uint_eq(cpu_loaded(200, true), 9);
    ck_assert(line_at(200).cpu_valid);
    ck_assert(!line_at(200).cpu_dirty);
    ck_assert_uint_eq(rig.seen[TRACE_EVENT_CPU_FILL], 1);
}
END_TEST

START_TEST(second_access_is_a_hit)
{
    struct soc_totals t;

    cpu_loaded(0, true);
    cpu_stored(1, 5, true);
    cpu_loaded(2, true);
    soc_totals(rig.soc, &t);
    ck_assert_uint_eq(t.cpu_misses, 1);
    ck_assert_uint_eq(t.cpu_hits, 2);
}
END_TEST

START_TEST(first_store_is_a_miss)
{
    struct soc_totals t;

    cpu_stored(1, 5, true);
    soc_totals(rig.soc, &t);
    ck_assert_uint_eq(t.cpu_misses, 1);
    ck_assert_uint_eq(t.cpu_hits, 0);
}
END_TEST

/* An access over a line's end touches both lines. */
START_TEST(access_across_two_lines_touches_both)
{
    soc_cpu_accessed(rig.soc, DATA + 60, DATA + 60, 8, ACCESS_STORE, true);
    ck_assert(line_at(0).cpu_dirty);
    ck_assert(line_at(64).cpu_dirty);
    ck_assert(!line_at(128).cpu_valid);
}
END_TEST

START_TEST(store_nobody_told_is_found_by_the_next_load)
{
    rig.view[300] = 1; /* dc zva inside QEMU, another device's DMA */
    cpu_loaded(300, true);
    ck_assert(line_at(300).cpu_dirty);
}
END_TEST

START_TEST(uncached_store_goes_to_dram)
{
    cpu_stored(64, 7, false);
    ck_assert_uint_eq(rig.dram[64], 7);
    ck_assert(!line_at(64).cpu_valid);
    ck_assert_uint_eq(rig.seen[TRACE_EVENT_CPU_MISMATCH], 0);
}
END_TEST

START_TEST(uncached_access_to_a_held_line_is_a_mismatch)
{
    cpu_loaded(64, true);
    cpu_loaded(65, false);
    ck_assert_uint_eq(rig.seen[TRACE_EVENT_CPU_MISMATCH], 1);
    cpu_loaded(128, false); /* the next line is not held */
    ck_assert_uint_eq(rig.seen[TRACE_EVENT_CPU_MISMATCH], 1);
}
END_TEST

START_TEST(uncached_exclusive_is_reported)
{
    soc_cpu_accessed(rig.soc, DATA, DATA, 4, ACCESS_ATOMIC, true);
    ck_assert_uint_eq(rig.seen[TRACE_EVENT_CPU_UNCACHED_ATOMIC], 0);
    soc_cpu_accessed(rig.soc, DATA + 64, DATA + 64, 4, ACCESS_ATOMIC, false);
    ck_assert_uint_eq(rig.seen[TRACE_EVENT_CPU_UNCACHED_ATOMIC], 1);
}
END_TEST

/* Copies one byte within the data region by the copy engine, uncached for the iGPU. */
static void engine_copy(unsigned dst, unsigned src)
{
    rig_copy(&rig, RIG_VA + dst, RIG_VA + src, 1);
    rig_submit(&rig);
    rig_run(&rig);
    rig_method(&rig, 0, HOST_MEM_OP_D, MEM_OP_D(MEM_OP_L2_FLUSH_DIRTY));
    rig_method(&rig, 0, HOST_MEM_OP_D, MEM_OP_D(MEM_OP_L2_SYSMEM_INVALIDATE));
    rig_submit(&rig);
    rig_run(&rig);
}

START_TEST(not_coherent_engine_reads_old_bytes_and_that_is_told)
{
    rig.dram[0] = rig.view[0] = 1;
    cpu_stored(0, 2, true);
    engine_copy(512, 0);
    ck_assert_uint_eq(rig.dram[512], 1);
    ck_assert_uint_gt(rig.seen[TRACE_EVENT_PORT_READ_STALE], 0);
    soc_cpu_clean(rig.soc, DATA, 64);
    rig.seen[TRACE_EVENT_PORT_READ_STALE] = 0;
    engine_copy(512, 0);
    ck_assert_uint_eq(rig.dram[512], 2);
    ck_assert_uint_eq(rig.seen[TRACE_EVENT_PORT_READ_STALE], 0);
}
END_TEST

START_TEST(coherent_engine_reads_the_cpu_line)
{
    cpu_stored(0, 2, true);
    engine_copy(512, 0);
    ck_assert_uint_eq(rig.dram[512], 2);
    ck_assert_uint_eq(rig.seen[TRACE_EVENT_PORT_READ_STALE], 0);
}
END_TEST

START_TEST(not_coherent_engine_writes_unseen_until_the_line_is_dropped)
{
    rig.dram[0] = rig.view[0] = 3;
    cpu_loaded(512, true);
    engine_copy(512, 0);
    ck_assert_uint_gt(rig.seen[TRACE_EVENT_PORT_WRITE_UNSEEN], 0);
    ck_assert_uint_eq(cpu_loaded(512, true), 0);
    ck_assert_uint_gt(rig.seen[TRACE_EVENT_CPU_STALE], 0);
    soc_cpu_invalidate(rig.soc, DATA + 512, 1);
    rig.seen[TRACE_EVENT_CPU_STALE] = 0;
    ck_assert_uint_eq(cpu_loaded(512, true), 3);
    ck_assert_uint_eq(rig.seen[TRACE_EVENT_CPU_STALE], 0);
}
END_TEST

START_TEST(write_back_over_an_engine_s_bytes_is_told)
{
    rig.dram[0] = rig.view[0] = 3;
    cpu_stored(513, 9, true);
    engine_copy(512, 0);
    ck_assert_uint_eq(rig.dram[512], 3);
    soc_cpu_clean(rig.soc, DATA + 512, 1);
    ck_assert_uint_eq(rig.dram[512], 0);
    ck_assert_uint_eq(rig.dram[513], 9);
    ck_assert_uint_eq(rig.seen[TRACE_EVENT_CPU_OVERWRITE], 1);
}
END_TEST

/* --- the owner's IOMMU --- */

static struct {
    uint64_t refused_page; /* bus address that is refused for writes */
    uint64_t moved_from, moved_to;
    unsigned calls;
} iommu;

static bool translate(void *opaque, enum unit_id engine, uint64_t bus, bool write, uint64_t *pa)
{
    (void)opaque;
    ck_assert_uint_eq(bus % RIG_PAGE, 0);
    ck_assert_int_eq(engine, UNIT_IGPU);
    iommu.calls++;
    *pa = bus == iommu.moved_from ? iommu.moved_to : bus;
    return !(write && bus == iommu.refused_page);
}

static void open_iommu(void)
{
    rig_open(&rig, true);
    memset(&iommu, 0, sizeof(iommu));
    iommu.refused_page = iommu.moved_from = UINT64_MAX;
    soc_dma_hook(rig.soc, translate, NULL);
}

START_TEST(engine_goes_where_the_iommu_says)
{
    iommu.moved_from = RIG_CACHED + RIG_PAGE;
    iommu.moved_to = RIG_CACHED + 2 * RIG_PAGE;
    rig.dram[0] = rig.view[0] = 8;
    engine_copy(RIG_PAGE, 0);
    ck_assert_uint_eq(rig.dram[RIG_PAGE], 0);
    ck_assert_uint_eq(rig.dram[2 * RIG_PAGE], 8);
}
END_TEST

START_TEST(refused_write_kills_the_channel_and_changes_nothing)
{
    iommu.refused_page = RIG_CACHED + RIG_PAGE;
    rig.dram[0] = rig.view[0] = 8;
    engine_copy(RIG_PAGE, 0);
    ck_assert_uint_eq(rig.dram[RIG_PAGE], 0);
    ck_assert_uint_eq(rig_error(&rig).kind, CHAN_ERROR_BUS);
    ck_assert(rig_error(&rig).write);
    ck_assert_uint_eq(rig_error(&rig).va, RIG_VA + RIG_PAGE);
}
END_TEST

/* Read first: the kept translation allows reading only, the write asks again. */
START_TEST(page_that_may_be_read_is_not_written)
{
    iommu.refused_page = RIG_CACHED + RIG_PAGE;
    engine_copy(0, RIG_PAGE);
    ck_assert_uint_eq(rig_error(&rig).kind, CHAN_ERROR_NONE);
    engine_copy(RIG_PAGE, 0);
    ck_assert_uint_eq(rig_error(&rig).kind, CHAN_ERROR_BUS);
}
END_TEST

START_TEST(translation_is_kept_until_it_is_forgotten)
{
    unsigned calls;

    rig.dram[0] = rig.view[0] = 8;
    engine_copy(RIG_PAGE, 0);
    iommu.moved_from = RIG_CACHED + RIG_PAGE;
    iommu.moved_to = RIG_CACHED + 2 * RIG_PAGE;
    soc_dma_forget(rig.soc);
    calls = iommu.calls;
    engine_copy(RIG_PAGE, 0);
    ck_assert_uint_gt(iommu.calls, calls);
    ck_assert_uint_eq(rig.dram[2 * RIG_PAGE], 8);
}
END_TEST

/* The short cut for many bytes: nobody observes single accesses, uncached for both sides. */
START_TEST(long_copies_are_right_at_every_offset)
{
    static const unsigned len[] = { 1, 31, 32, 127, 128, 129, 4095, 4096, 4097, 5000 };
    uint8_t want[RIG_DATA_BYTES];

    soc_observe(rig.soc, 0, NULL, NULL);
    for (unsigned i = 0; i < RIG_DATA_BYTES; i++) {
        rig.uncached[i] = (uint8_t)(i * 7 + i / 256);
    }
    for (unsigned i = 0; i < G_N_ELEMENTS(len) * 4; i++) {
        unsigned n = len[i / 4], src = i % 4 * 16, dst = 8192 + i % 3 * 5;

        memcpy(want, rig.uncached, sizeof(want));
        memcpy(want + dst, want + src, n);
        rig_copy(&rig, RIG_VA_VOLATILE + dst, RIG_VA_VOLATILE + src, n);
        rig_submit(&rig);
        rig_run(&rig);
        ck_assert_mem_eq(rig.uncached, want, sizeof(want));
    }
}
END_TEST

START_TEST(memory_may_begin_where_the_owner_says)
{
    struct soc *soc =
        soc_new(&(struct soc_config){ .profile = &rig.profile, .dram_base = 0x40000000 });
    uint8_t page[4096] __attribute__((aligned(4096)));

    ck_assert_int_eq(soc_memory_add(soc, 1, 0x40000000, sizeof(page), page, NULL, false), 0);
    ck_assert_int_lt(soc_memory_add(soc, 2, 0x3ffff000, sizeof(page), page, NULL, false), 0);
    soc_free(soc);
}
END_TEST

START_TEST(long_copy_stops_where_the_iommu_refuses)
{
    soc_observe(rig.soc, 0, NULL, NULL);
    iommu.refused_page = RIG_UNCACHED + 3 * RIG_PAGE;
    memset(rig.uncached, 1, RIG_PAGE);
    rig_copy(&rig, RIG_VA_VOLATILE + 2 * RIG_PAGE + 64, RIG_VA_VOLATILE, RIG_PAGE);
    rig_submit(&rig);
    rig_run(&rig);
    ck_assert_uint_eq(rig.uncached[3 * RIG_PAGE - 1], 1);
    ck_assert_uint_eq(rig.uncached[3 * RIG_PAGE], 0);
    ck_assert_uint_eq(rig_error(&rig).kind, CHAN_ERROR_BUS);
    ck_assert_uint_eq(rig_error(&rig).va, RIG_VA_VOLATILE + 3 * RIG_PAGE);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("accessed");
    TCase *coherent = tcase_create("coherent"), *not_coherent = tcase_create("not coherent");
    TCase *behind = tcase_create("behind an IOMMU");
    SRunner *r = srunner_create(s);
    int failed;

    tcase_add_checked_fixture(coherent, open_coherent, close_rig);
    tcase_add_test(coherent, store_makes_the_line_dirty_and_dram_stays);
    tcase_add_test(coherent, store_of_the_same_value_makes_the_line_dirty_too);
    tcase_add_test(coherent, load_brings_the_line_in_clean);
    tcase_add_test(coherent, second_access_is_a_hit);
    tcase_add_test(coherent, first_store_is_a_miss);
    tcase_add_test(coherent, access_across_two_lines_touches_both);
    tcase_add_test(coherent, store_nobody_told_is_found_by_the_next_load);
    tcase_add_test(coherent, uncached_store_goes_to_dram);
    tcase_add_test(coherent, uncached_access_to_a_held_line_is_a_mismatch);
    tcase_add_test(coherent, uncached_exclusive_is_reported);
    tcase_add_test(coherent, coherent_engine_reads_the_cpu_line);
    tcase_add_test(coherent, long_copies_are_right_at_every_offset);
    tcase_add_test(coherent, memory_may_begin_where_the_owner_says);
    tcase_add_checked_fixture(not_coherent, open_not_coherent, close_rig);
    tcase_add_test(not_coherent, not_coherent_engine_reads_old_bytes_and_that_is_told);
    tcase_add_test(not_coherent, not_coherent_engine_writes_unseen_until_the_line_is_dropped);
    tcase_add_test(not_coherent, write_back_over_an_engine_s_bytes_is_told);
    tcase_add_checked_fixture(behind, open_iommu, close_rig);
    tcase_add_test(behind, engine_goes_where_the_iommu_says);
    tcase_add_test(behind, refused_write_kills_the_channel_and_changes_nothing);
    tcase_add_test(behind, page_that_may_be_read_is_not_written);
    tcase_add_test(behind, long_copy_stops_where_the_iommu_refuses);
    tcase_add_test(behind, translation_is_kept_until_it_is_forgotten);
    suite_add_tcase(s, coherent);
    suite_add_tcase(s, not_coherent);
    suite_add_tcase(s, behind);
    srunner_run_all(r, CK_NORMAL);
    failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed != 0;
}
