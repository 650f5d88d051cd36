/* SPDX-License-Identifier: MIT */
/* The SMMU, each rule by what a DLA then reads and writes: its firmware's answer to a ping is a
 * read and a write of memory. Register values are written out from Arm IHI 0062D by hand. */
#include "tests/dla_soc_rig.h"

#include <check.h>
#include <errno.h>
#include <string.h>

static struct drig rig;
static const char *chip = "t234";

#define IOVA UINT64_C(0x12345000)
#define PA (DRIG_DATA + 0x3000)
#define PA2 (DRIG_DATA + 0x5000)

static void setup(void)
{
    drig_open(&rig, chip, ORDER_OLDEST);
    drig_bank(&rig, 0, 0, 1);
    drig_stream(&rig, 0, 0);
}

static void setup_reset(void)
{
    drig_open(&rig, chip, ORDER_OLDEST);
}

static void teardown(void)
{
    drig_close(&rig);
}

static void put(uint64_t pa, uint32_t v)
{
    memcpy(drig_at(&rig, pa), &v, 4);
    memcpy(rig.view + (pa - DRIG_DATA), &v, 4);
}

static uint32_t get(uint64_t pa)
{
    uint32_t v;

    memcpy(&v, drig_at(&rig, pa), 4);
    return v;
}

/* The answer to a ping at @iova arrives at @pa: the translation is there, both ways. */
static bool reaches(uint64_t iova, uint64_t pa, uint32_t v)
{
    put(pa, v);
    put(pa + 4, 0);
    return drig_ping(&rig, iova) == 0 && get(pa + 4) == 4 * v;
}

/* --- streams --------------------------------------------------------------------------------- */

START_TEST(after_reset_a_stream_passes_untranslated)
{
    ck_assert_uint_eq(drig_read(&rig, rig.smmu + 0x0) & 1, 1); /* sCR0.CLIENTPD */
    ck_assert(reaches(PA, PA, 7));
}
END_TEST

START_TEST(a_stream_that_matches_nothing_passes_or_faults_as_told)
{
    drig_write(&rig, rig.smmu, 0); /* translation on, USFCFG 0 */
    ck_assert(reaches(PA, PA, 7));
    drig_write(&rig, rig.smmu, 0x406); /* USFCFG, GFIE, GFRE */
    ck_assert(!reaches(PA, PA, 8));
    ck_assert_uint_eq(get(PA + 4), 0);
    ck_assert_uint_eq(drig_read(&rig, rig.smmu + 0x48), 2); /* sGFSR.USF */
    ck_assert_uint_eq(drig_read(&rig, rig.smmu + 0x54), rig.stream);
    ck_assert_uint_eq(drig_read(&rig, rig.smmu + 0x40), (uint32_t)PA);
    ck_assert(soc_irq(rig.soc, UNIT_SMMU1));
    drig_write(&rig, rig.smmu + 0x48, 2);
    ck_assert(!soc_irq(rig.soc, UNIT_SMMU1));
}
END_TEST

START_TEST(mask_bits_of_a_group_do_not_matter)
{
    drig_map(&rig, 0, IOVA, PA, DRIG_RW);
    /* ID differs in bit 3, which the mask takes out; then in bit 4, which it does not. */
    drig_write(&rig, rig.smmu + 0x800, 0x80000000u | 8u << 16 | (rig.stream ^ 8));
    ck_assert(reaches(IOVA, PA, 3));
    drig_write(&rig, rig.smmu + 0x800, 0x80000000u | 8u << 16 | (rig.stream ^ 16));
    ck_assert(!reaches(IOVA, PA, 4));
}
END_TEST

START_TEST(a_group_that_is_not_valid_matches_nothing)
{
    drig_map(&rig, 0, IOVA, PA, DRIG_RW);
    drig_write(&rig, rig.smmu + 0x800, rig.stream);
    ck_assert(!reaches(IOVA, PA, 4));
}
END_TEST

START_TEST(two_groups_that_match_are_a_conflict)
{
    drig_map(&rig, 0, IOVA, PA, DRIG_RW);
    drig_stream(&rig, 9, 0);
    ck_assert(!reaches(IOVA, PA, 4));
    ck_assert_uint_eq(drig_read(&rig, rig.smmu + 0x48), 4); /* sGFSR.SMCF */
}
END_TEST

START_TEST(stream_to_context_says_bank_bypass_or_fault)
{
    drig_map(&rig, 0, IOVA, PA, DRIG_RW);
    drig_map(&rig, 1, IOVA, PA2, DRIG_RW);
    drig_bank(&rig, 5, 1, 2);
    drig_write(&rig, rig.smmu + 0xc00, 5);
    ck_assert(reaches(IOVA, PA2, 11));
    drig_write(&rig, rig.smmu + 0xc00, 0x10000);
    ck_assert(reaches(PA, PA, 12));
    drig_write(&rig, rig.smmu + 0xc00, 0x20000);
    ck_assert(!reaches(PA, PA, 13));
    ck_assert_uint_eq(drig_read(&rig, rig.smmu + 0x48) & 1, 1); /* sGFSR.ICF */
    drig_write(&rig, rig.smmu + 0x48, UINT32_MAX);
    drig_write(&rig, rig.smmu + 0xc00, 0xff); /* no such bank */
    ck_assert(!reaches(PA, PA, 13));
    ck_assert_uint_eq(drig_read(&rig, rig.smmu + 0x48) & 8, 8); /* sGFSR.UCBF */
}
END_TEST

/* Device trees: T194 NVDLA0, 1 0x51, 0x52 at 0x12000000; T234 0x2b at 0x8000000, 0x23 at
 * 0x12000000. */
START_TEST(each_dla_has_its_stream_id_and_smmu)
{
    static const struct {
        const char *chip;
        uint64_t smmu[2], window;
        uint32_t stream[2];
    } want[] = {
        { "t194", { 0x12000000, 0x12000000 }, 0x800000, { 0x51, 0x52 } },
        { "t234", { 0x8000000, 0x12000000 }, 0x1000000, { 0x2b, 0x23 } },
    };
    struct drig r;

    drig_open(&r, want[_i].chip, ORDER_OLDEST);
    for (unsigned i = 0; i < 2; i++) {
        enum unit_id smmu;
        uint32_t stream;
        uint64_t size;

        ck_assert_int_eq(soc_unit_smmu(r.soc, UNIT_DLA + i, &smmu, &stream), 0);
        ck_assert_uint_eq(stream, want[_i].stream[i]);
        ck_assert_uint_eq(soc_unit_base(r.soc, smmu, &size), want[_i].smmu[i]);
        ck_assert_uint_eq(size, want[_i].window);
    }
    ck_assert_uint_eq(soc_unit_base(r.soc, UNIT_DLA, NULL), 0x15880000);
    ck_assert_uint_eq(soc_unit_base(r.soc, UNIT_DLA_LAST, NULL), 0x158c0000);
    drig_close(&r);
}
END_TEST

START_TEST(identification_is_that_of_the_chip)
{
    /* 128 groups, 15 bits of stream ID, stage 1, stream matching, coherent walk */
    ck_assert_uint_eq(drig_read(&rig, rig.smmu + 0x20), 0x48014000u | 15u << 9 | 128);
    /* 64 KiB pages, 2^(6 + 1) of them in each half, 128 context banks */
    ck_assert_uint_eq(drig_read(&rig, rig.smmu + 0x24), 0x80000000u | 6u << 28 | 128);
    ck_assert_uint_eq(drig_read(&rig, rig.smmu + 0x28), 0x1555); /* 48 bits, 4 KiB granule */
}
END_TEST

/* --- walks ----------------------------------------------------------------------------------- */

START_TEST(a_page_is_found_through_four_levels)
{
    drig_map(&rig, 0, UINT64_C(0x7edcba9000), PA,
             DRIG_RW); /* 39 bits are not enough: level 0 counts */
    ck_assert(reaches(UINT64_C(0x7edcba9000), PA, 5));
    ck_assert(reaches(UINT64_C(0x7edcba9100), PA + 0x100, 6));
}
END_TEST

START_TEST(a_block_maps_two_mebibytes)
{
    drig_map_block(&rig, 0, UINT64_C(0x40000000), DRIG_DATA, DRIG_RW);
    ck_assert(reaches(UINT64_C(0x40000000) + 0x3000, PA, 5));
    ck_assert(reaches(UINT64_C(0x40000000) + 0x7f00, DRIG_DATA + 0x7f00, 6));
}
END_TEST

START_TEST(smaller_tables_begin_at_a_lower_level)
{
    /* T0SZ = 25: 39 bits, the root is a level 1 table (Arm ARM, D8.2). Level 1 of root 0's first
     * entry: */
    uint64_t level1;

    drig_map(&rig, 0, IOVA, PA, DRIG_RW);
    memcpy(&level1, rig.kernel, 8);
    drig_bank_write64(&rig, 0, 0x20, UINT64_C(1) << 48 | (level1 & ~UINT64_C(0xfff)));
    drig_bank_write(&rig, 0, 0x30, 1u << 23 | 25);
    ck_assert(reaches(IOVA, PA, 5));
    ck_assert(!reaches(UINT64_C(1) << 39 | IOVA, PA, 6)); /* beyond them */
}
END_TEST

START_TEST(a_half_that_is_switched_off_is_not_walked)
{
    drig_map(&rig, 0, IOVA, PA, DRIG_RW);
    drig_bank_write(&rig, 0, 0x30, 1u << 23 | 1u << 7 | 16); /* EPD0: no walks of TTBR0 */
    ck_assert(!reaches(IOVA, PA, 5));
    ck_assert_uint_eq(drig_bank_read(&rig, 0, 0x58), 0x402);
}
END_TEST

START_TEST(a_granule_it_does_not_have_is_a_fault)
{
    drig_map(&rig, 0, IOVA, PA, DRIG_RW);
    drig_bank_write(&rig, 0, 0x30, 1u << 23 | 1u << 14 | 16); /* TG0 = 64 KiB */
    ck_assert(!reaches(IOVA, PA, 5));
}
END_TEST

/* --- permissions ----------------------------------------------------------------------------- */

/* FSR: 0x402 translation, 0x404 access flag, 0x408 permission (AArch64 format, bit 10). FSYNR0:
 * level in bits 1..0, write in bit 4, bank in 23..16. */
static void check_fault(uint32_t fsr, uint32_t fsynr0, uint64_t iova)
{
    ck_assert_uint_eq(drig_bank_read(&rig, 0, 0x58), fsr);
    ck_assert_uint_eq(drig_bank_read(&rig, 0, 0x68), fsynr0);
    ck_assert_uint_eq(drig_bank_read(&rig, 0, 0x60), (uint32_t)iova);
    ck_assert_uint_eq(drig_bank_read(&rig, 0, 0x64), (uint32_t)(iova >> 32));
    ck_assert_uint_eq(drig_read(&rig, rig.smmu + 0x10400), rig.stream); /* CBFRSYNRA0 */
    ck_assert(soc_irq(rig.soc, UNIT_SMMU1));
    drig_bank_write(&rig, 0, 0x58, fsr);
    ck_assert_uint_eq(drig_bank_read(&rig, 0, 0x58), 0);
    ck_assert(!soc_irq(rig.soc, UNIT_SMMU1));
}

START_TEST(no_mapping_is_a_translation_fault_at_its_level)
{
    drig_pte(&rig, 0, IOVA); /* tables, but no page */
    ck_assert_uint_eq(drig_ping(&rig, IOVA), DLA_ERR_INVALID_FALC_DMA);
    check_fault(0x402, 3, IOVA);
    drig_ping(&rig,
              UINT64_C(0x4000000000)); /* 256 GiB: the same level 0 entry, another of level 1 */
    check_fault(0x402, 1, UINT64_C(0x4000000000));
}
END_TEST

START_TEST(a_read_only_page_can_be_read_but_not_written)
{
    drig_map(&rig, 0, IOVA, PA, DRIG_RO);
    put(PA, 9);
    ck_assert_uint_eq(drig_ping(&rig, IOVA), DLA_ERR_INVALID_FALC_DMA);
    ck_assert_uint_eq(get(PA + 4), 0);
    check_fault(0x408, 0x13, IOVA); /* the write: the read before it went through */
}
END_TEST

START_TEST(a_page_for_privileged_accesses_is_closed)
{
    drig_map(&rig, 0, IOVA, PA, 0x403);
    drig_ping(&rig, IOVA);
    check_fault(0x408, 3, IOVA);
}
END_TEST

START_TEST(a_clear_access_flag_is_a_fault_unless_switched_off)
{
    drig_map(&rig, 0, IOVA, PA, 0x43);
    drig_ping(&rig, IOVA);
    check_fault(0x404, 3, IOVA);
    drig_bank_write(&rig, 0, 0x0, 0x69); /* AFFD */
    ck_assert(reaches(IOVA, PA, 5));
}
END_TEST

START_TEST(a_table_can_take_the_write_permission_away)
{
    uint64_t *level0 = (uint64_t *)(void *)rig.kernel;

    drig_map(&rig, 0, IOVA, PA, DRIG_RW);
    *level0 |= UINT64_C(1) << 62; /* APTable: read-only */
    drig_ping(&rig, IOVA);
    check_fault(0x408, 0x13, IOVA);
}
END_TEST

START_TEST(a_table_outside_memory_is_an_external_fault)
{
    *(uint64_t *)(void *)rig.kernel = UINT64_C(0x7000000003);
    drig_ping(&rig, IOVA);
    check_fault(0x410, 0x401, IOVA);
}
END_TEST

START_TEST(the_first_fault_stays_until_it_is_cleared)
{
    drig_ping(&rig, IOVA);
    drig_ping(&rig, IOVA + 0x1000);
    ck_assert_uint_eq(drig_bank_read(&rig, 0, 0x58), 0x80000402); /* MULTI */
    ck_assert_uint_eq(drig_bank_read(&rig, 0, 0x60), (uint32_t)IOVA);
}
END_TEST

START_TEST(without_fault_reports_reads_give_zero_and_writes_vanish)
{
    drig_bank_write(&rig, 0, 0x0, 0x1); /* M alone: CFRE and CFIE off */
    ck_assert_uint_eq(drig_ping(&rig, IOVA), 0);
    ck_assert_uint_eq(drig_bank_read(&rig, 0, 0x58), 0x80000402); /* recorded all the same */
    ck_assert(!soc_irq(rig.soc, UNIT_SMMU1));
}
END_TEST

START_TEST(a_bank_that_is_off_passes_everything)
{
    drig_bank_write(&rig, 0, 0x0, 0);
    ck_assert(reaches(PA, PA, 5));
}
END_TEST

/* --- the TLB --------------------------------------------------------------------------------- */

static void tlbiva(unsigned bank, uint32_t offset, uint16_t asid, uint64_t iova)
{
    drig_bank_write64(&rig, bank, offset, (uint64_t)asid << 48 | iova >> 12);
}

START_TEST(a_changed_mapping_is_not_seen_until_invalidated)
{
    drig_map(&rig, 0, IOVA, PA, DRIG_RW);
    ck_assert(reaches(IOVA, PA, 5));
    drig_map(&rig, 0, IOVA, PA2, DRIG_RW);
    ck_assert(reaches(IOVA, PA, 6)); /* the old page still */
    tlbiva(0, 0x600, 1, IOVA);
    ck_assert(reaches(IOVA, PA2, 7));
}
END_TEST

START_TEST(an_unmapped_page_stays_reachable_until_invalidated)
{
    drig_map(&rig, 0, IOVA, PA, DRIG_RW);
    ck_assert(reaches(IOVA, PA, 5));
    *drig_pte(&rig, 0, IOVA) = 0;
    ck_assert(reaches(IOVA, PA, 6));
    drig_bank_write(&rig, 0, 0x618, 0); /* TLBIALL */
    ck_assert(!reaches(IOVA, PA, 7));
}
END_TEST

START_TEST(a_refused_address_is_not_remembered)
{
    ck_assert(!reaches(IOVA, PA, 5));
    drig_map(&rig, 0, IOVA, PA, DRIG_RW);
    ck_assert(reaches(IOVA, PA, 5)); /* a new mapping needs no invalidation (Arm ARM, D8.14) */
}
END_TEST

/* Each invalidation, whether it takes the translation (asid 1, page IOVA, bank 0, VMID 0) away. */
START_TEST(an_invalidation_takes_what_it_names)
{
    static const struct {
        uint32_t offset;
        bool global, taken;
        uint64_t value;
    } how[] = {
        { 0x600, false, true, UINT64_C(1) << 48 | IOVA >> 12 },             /* TLBIVA */
        { 0x600, false, false, UINT64_C(2) << 48 | IOVA >> 12 },            /* another ASID */
        { 0x600, false, false, UINT64_C(1) << 48 | (IOVA + 0x1000) >> 12 }, /* another page */
        { 0x608, false, true, UINT64_C(2) << 48 | IOVA >> 12 },             /* TLBIVAA: any ASID */
        { 0x620, false, true, UINT64_C(1) << 48 | IOVA >> 12 },             /* TLBIVAL */
        { 0x628, false, true, IOVA >> 12 },                                 /* TLBIVAAL */
        { 0x610, false, true, 1 },                                          /* TLBIASID */
        { 0x610, false, false, 2 },
        { 0x618, false, true, 0 }, /* TLBIALL */
        { 0x068, true, true, 0 },  /* TLBIALLNSNH */
        { 0x064, true, true, 0 },  /* TLBIVMID */
        { 0x064, true, false, 1 },
        { 0x06c, true, false, 0 },  /* TLBIALLH: another world's */
        { 0x7f0, false, false, 0 }, /* TLBSYNC alone */
    };

    drig_map(&rig, 0, IOVA, PA, DRIG_RW | 1u << 11); /* nG */
    ck_assert(reaches(IOVA, PA, 5));
    drig_map(&rig, 0, IOVA, PA2, DRIG_RW | 1u << 11);
    if (how[_i].global) {
        drig_write(&rig, rig.smmu + how[_i].offset, (uint32_t)how[_i].value);
    } else if (how[_i].offset == 0x610 || how[_i].offset == 0x618 || how[_i].offset == 0x7f0) {
        drig_bank_write(&rig, 0, how[_i].offset, (uint32_t)how[_i].value);
    } else {
        drig_bank_write64(&rig, 0, how[_i].offset, how[_i].value);
    }
    ck_assert(reaches(IOVA, how[_i].taken ? PA2 : PA, 6));
}
END_TEST

START_TEST(invalidating_one_address_takes_its_whole_block)
{
    drig_map_block(&rig, 0, UINT64_C(0x40000000), DRIG_DATA, DRIG_RW | 1u << 11);
    ck_assert(reaches(UINT64_C(0x40003000), PA, 5));
    drig_map_block(&rig, 0, UINT64_C(0x40000000), DRIG_KERNEL, DRIG_RW | 1u << 11);
    tlbiva(0, 0x600, 1, UINT64_C(0x40100000)); /* another page of the same block */
    ck_assert(!reaches(UINT64_C(0x40003000), PA, 6));
}
END_TEST

START_TEST(a_global_page_serves_every_address_space)
{
    drig_map(&rig, 0, IOVA, PA, DRIG_RW); /* nG is 0 */
    ck_assert(reaches(IOVA, PA, 5));
    drig_bank(&rig, 0, 1, 1); /* another root, the same ASID: what is held is used */
    ck_assert(reaches(IOVA, PA, 6));
}
END_TEST

START_TEST(another_asid_does_not_see_what_is_held)
{
    drig_map(&rig, 0, IOVA, PA, DRIG_RW | 1u << 11);
    drig_map(&rig, 1, IOVA, PA2, DRIG_RW | 1u << 11);
    ck_assert(reaches(IOVA, PA, 5));
    drig_bank(&rig, 0, 1, _i == 0 ? 2 : 1025); /* the second shares its place in the TLB */
    ck_assert(reaches(IOVA, PA2, 6));
    drig_bank(&rig, 0, 1, 1); /* the first ASID with the second's tables: the old page again */
    ck_assert(_i == 1 || reaches(IOVA, PA, 7));
}
END_TEST

START_TEST(registers_that_are_not_there_are_told)
{
    unsigned before = rig.seen[TRACE_EVENT_MMIO_UNKNOWN];

    drig_write(&rig, rig.smmu + 0x5000, 1);
    ck_assert_uint_eq(drig_read(&rig, rig.smmu + 0x5000), 0);
    drig_bank_write(&rig, 3, 0x900, 1);
    ck_assert_uint_eq(rig.seen[TRACE_EVENT_MMIO_UNKNOWN], before + 3);
    ck_assert_uint_eq(drig_read(&rig, rig.smmu + 0x10800), 1); /* CBA2R: AArch64 only */
    drig_write(&rig, rig.smmu + 0x10000, 0x20007);
    ck_assert_uint_eq(drig_read(&rig, rig.smmu + 0x10000), 0x10007); /* CBAR: stage 1 only */
}
END_TEST

/* --- what a profile decides ------------------------------------------------------------------ */

/* The CPU has a dirty line: a coherent DLA sees it, one that is not sees DRAM; and after the DLA's
 * write the CPU reads it, or its old line. */
START_TEST(coherency_of_the_dla_is_the_profiles)
{
    struct drig r;
    uint32_t v = 21, got, dram;

    drig_open_with(&r, chip, ORDER_OLDEST, _i == 1, 1);
    ck_assert_int_eq(soc_cpu_write(r.soc, PA, &v, 4), 0);
    ck_assert_int_eq(soc_cpu_read(r.soc, PA + 4, &got, 4), 0);
    ck_assert_uint_eq(drig_ping(&r, PA), 0);
    memcpy(&dram, drig_at(&r, PA + 4), 4);
    ck_assert_uint_eq(dram, _i == 1 ? 84 : 0); /* 4 * 21, or 4 * what DRAM held */
    ck_assert_int_eq(soc_cpu_read(r.soc, PA + 4, &got, 4), 0);
    ck_assert_uint_eq(got, _i == 1 ? 84 : 0);
    drig_close(&r);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("smmu");
    TCase *reset = tcase_create("reset"), *streams = tcase_create("streams");
    TCase *walks = tcase_create("walks"), *tlb = tcase_create("tlb"),
          *board = tcase_create("board");
    SRunner *r;
    int failed;

    tcase_add_checked_fixture(reset, setup_reset, teardown);
    tcase_add_test(reset, after_reset_a_stream_passes_untranslated);
    tcase_add_test(reset, a_stream_that_matches_nothing_passes_or_faults_as_told);
    tcase_add_test(reset, identification_is_that_of_the_chip);
    tcase_add_checked_fixture(streams, setup, teardown);
    tcase_add_test(streams, mask_bits_of_a_group_do_not_matter);
    tcase_add_test(streams, a_group_that_is_not_valid_matches_nothing);
    tcase_add_test(streams, two_groups_that_match_are_a_conflict);
    tcase_add_test(streams, stream_to_context_says_bank_bypass_or_fault);
    tcase_add_checked_fixture(walks, setup, teardown);
    tcase_add_test(walks, a_page_is_found_through_four_levels);
    tcase_add_test(walks, a_block_maps_two_mebibytes);
    tcase_add_test(walks, smaller_tables_begin_at_a_lower_level);
    tcase_add_test(walks, a_half_that_is_switched_off_is_not_walked);
    tcase_add_test(walks, a_granule_it_does_not_have_is_a_fault);
    tcase_add_test(walks, no_mapping_is_a_translation_fault_at_its_level);
    tcase_add_test(walks, a_read_only_page_can_be_read_but_not_written);
    tcase_add_test(walks, a_page_for_privileged_accesses_is_closed);
    tcase_add_test(walks, a_clear_access_flag_is_a_fault_unless_switched_off);
    tcase_add_test(walks, a_table_can_take_the_write_permission_away);
    tcase_add_test(walks, a_table_outside_memory_is_an_external_fault);
    tcase_add_test(walks, the_first_fault_stays_until_it_is_cleared);
    tcase_add_test(walks, without_fault_reports_reads_give_zero_and_writes_vanish);
    tcase_add_test(walks, a_bank_that_is_off_passes_everything);
    tcase_add_checked_fixture(tlb, setup, teardown);
    tcase_add_test(tlb, a_changed_mapping_is_not_seen_until_invalidated);
    tcase_add_test(tlb, an_unmapped_page_stays_reachable_until_invalidated);
    tcase_add_test(tlb, a_refused_address_is_not_remembered);
    tcase_add_loop_test(tlb, an_invalidation_takes_what_it_names, 0, 14);
    tcase_add_test(tlb, invalidating_one_address_takes_its_whole_block);
    tcase_add_test(tlb, a_global_page_serves_every_address_space);
    tcase_add_loop_test(tlb, another_asid_does_not_see_what_is_held, 0, 2);
    tcase_add_test(tlb, registers_that_are_not_there_are_told);
    tcase_add_loop_test(board, each_dla_has_its_stream_id_and_smmu, 0, 2);
    tcase_add_loop_test(board, coherency_of_the_dla_is_the_profiles, 0, 2);
    suite_add_tcase(s, reset);
    suite_add_tcase(s, streams);
    suite_add_tcase(s, walks);
    suite_add_tcase(s, tlb);
    suite_add_tcase(s, board);
    r = srunner_create(s);
    srunner_run_all(r, CK_NORMAL);
    failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed != 0;
}
