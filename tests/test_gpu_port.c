/* SPDX-License-Identifier: MIT */
/* A load of the iGPU that has found its line before looks nothing up, and still sees what has
 * changed. */
#include <check.h>
#include <string.h>

#include "model/bus.h"
#include "tests/soc_rig.h"
#include "tests/suite.h"

static struct rig rig;

static void setup(void)
{
    rig_open(&rig, true);
}

static void teardown(void)
{
    rig_close(&rig);
}

static uint64_t *pte_of(uint64_t entry)
{
    for (uint64_t off = 0; off < RIG_KERNEL_BYTES; off += 8) {
        if (memcmp(rig.kernel + off, &entry, 8) == 0) {
            return (uint64_t *)(void *)(rig.kernel + off);
        }
    }
    ck_abort_msg("no such entry");
    return NULL;
}

/* The two lines around this address are loaded one after the other; the second one's first byte.
 * The first load of a copy always takes the long way, for the sums of the region begin anew. */
#define SECOND_LINE (RIG_VA + BUS_LINE)

static uint8_t loaded(uint64_t va)
{
    rig_copy(&rig, RIG_VA_VOLATILE + 2048, va - 1, 2);
    rig_submit(&rig);
    rig_run(&rig);
    ck_assert_uint_eq(rig_error(&rig).kind, CHAN_ERROR_NONE);
    return rig.uncached[2049];
}

/* Lines of both images: the CPU's caches hold nothing of them. */
static void memory_set(unsigned page, uint8_t value)
{
    memset(rig.dram + page * RIG_PAGE, value, 2 * BUS_LINE);
    memset(rig.view + page * RIG_PAGE, value, 2 * BUS_LINE);
}

/* Until it is known: all of the line is in the L2, with 1 in each byte, while memory has 2 by now.
 */
static void load_often(void)
{
    memory_set(0, 1);
    rig_copy(&rig, RIG_VA_VOLATILE, SECOND_LINE, BUS_LINE - 1);
    for (unsigned i = 0; i < 4; i++) {
        ck_assert_uint_eq(loaded(SECOND_LINE), 1);
    }
    memory_set(0, 2);
    memory_set(1, 3);
    ck_assert_uint_eq(loaded(SECOND_LINE), 1);
}

static void tlb_invalidate(void)
{
    rig_method(&rig, 0, HOST_MEM_OP_D, MEM_OP_D(MEM_OP_MMU_TLB_INVALIDATE));
}

START_TEST(a_known_line_is_gone_after_an_invalidate)
{
    load_often();
    ck_assert_int_eq(soc_mmio_write32(rig.soc, rig.igpu + IGPU_FLUSH_L2_SYSTEM_INVALIDATE, 1), 0);
    ck_assert_uint_eq(loaded(SECOND_LINE), 2);
}
END_TEST

/* The L2 of the rig holds 32 lines: after four pages it has left. */
START_TEST(a_known_line_is_gone_once_it_was_evicted)
{
    load_often();
    for (unsigned at = RIG_PAGE; at < RIG_DATA_BYTES; at += BUS_LINE) {
        (void)loaded(RIG_VA + at);
    }
    ck_assert_uint_eq(loaded(SECOND_LINE), 2);
}
END_TEST

START_TEST(a_known_line_is_another_once_its_address_is)
{
    uint64_t *pte = pte_of(GMMU_PTE(RIG_CACHED) | GMMU_PTE_APERTURE_SYS_COHERENT);

    load_often();
    *pte = GMMU_PTE(RIG_CACHED + RIG_PAGE) | GMMU_PTE_APERTURE_SYS_COHERENT;
    ck_assert_uint_eq(loaded(SECOND_LINE), 1); /* the TLB has the old one */
    tlb_invalidate();
    ck_assert_uint_eq(loaded(SECOND_LINE), 3);
    *pte = GMMU_PTE(RIG_CACHED) | GMMU_PTE_APERTURE_SYS_COHERENT | GMMU_PTE_VOL;
    tlb_invalidate();
    ck_assert_uint_eq(loaded(SECOND_LINE), 2); /* past the L2 */
    *pte = 0;
    tlb_invalidate();
    rig_copy(&rig, RIG_VA_VOLATILE, SECOND_LINE, 1);
    rig_submit(&rig);
    rig_run(&rig);
    ck_assert_uint_eq(rig_error(&rig).kind, CHAN_ERROR_MMU);
}
END_TEST

/* A region's sums begin anew with each copy: a known line takes part in them even if it is the
 * first one that is loaded. */
START_TEST(a_known_line_is_counted_and_seen_each_time)
{
    load_often();
    for (unsigned i = 0; i < 3; i++) {
        uint64_t before = rig.read_bytes;
        unsigned loads = rig.seen[TRACE_EVENT_GPU_LOAD];

        rig_copy(&rig, RIG_VA_VOLATILE, SECOND_LINE, 1);
        rig_submit(&rig);
        rig_run(&rig);
        ck_assert_uint_eq(rig.read_bytes - before, BUS_SECTOR);
        ck_assert_uint_eq(rig.seen[TRACE_EVENT_GPU_LOAD] - loads, 1);
    }
}
END_TEST

int main(void)
{
    Suite *s = suite_create("gpu_port");
    TCase *t = tcase_create("known lines");

    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_test(t, a_known_line_is_gone_after_an_invalidate);
    tcase_add_test(t, a_known_line_is_gone_once_it_was_evicted);
    tcase_add_test(t, a_known_line_is_another_once_its_address_is);
    tcase_add_test(t, a_known_line_is_counted_and_seen_each_time);
    suite_add_tcase(s, t);
    return suite_main(s);
}
