/* SPDX-License-Identifier: MIT */
/* The SMMU's registers, streams and faults, without a SoC. */
#include "tests/smmu_rig.h"

#include <check.h>
#include <string.h>

#define IOVA UINT64_C(0x123456789000)
#define PAGE_RW 0x443u /* a descriptor: valid, page, unprivileged accesses, access flag */

static uint32_t bank_read(unsigned bank, uint32_t offset)
{
    return srig_read(srig_bank(bank, offset));
}

static void bank_write(unsigned bank, uint32_t offset, uint32_t value)
{
    srig_write(srig_bank(bank, offset), value);
}

/* --- registers ------------------------------------------------------------------------------- */

/* Offset, what is written, what is read then: bits that are not implemented read as zero (IHI
 * 0062D, 9.6 and 16.5). */
static const struct {
    uint32_t offset, written, read;
} global[] = {
    { 0x00000, UINT32_MAX, 0x200407 }, /* sCR0: SMCFCFG, USFCFG, GFIE, GFRE, CLIENTPD */
    { 0x00000, 0, 0 },
    { 0x00800, 0xffff7fff, 0xffff7fff }, /* SMR0: VALID, MASK, ID */
    { 0x009fc, 0x80012345, 0x80012345 }, /* SMR127 */
    { 0x00c00, UINT32_MAX, 0x300ff },    /* S2CR0: TYPE, CBNDX */
    { 0x00dfc, 0x10007, 0x10007 },       /* S2CR127 */
    { 0x10000, 0xab, 0x100ab },          /* CBAR0: VMID; TYPE reads 1, stage 1 only */
    { 0x1001c, 0x300cd, 0x100cd },       /* CBAR7 */
    { 0x10400, 0x1234, 0x1234 },         /* CBFRSYNRA0 */
    { 0x1041c, 0x4321, 0x4321 },         /* CBFRSYNRA7 */
    { 0x10800, 0, 1 },                   /* CBA2R0: VA64, no other format */
    { 0x1081c, UINT32_MAX, 1 },          /* CBA2R7 */
    { 0x00074, UINT32_MAX, 0 },          /* sTLBGSTATUS: nothing is under way */
};

START_TEST(global_registers_keep_the_bits_they_have)
{
    srig_write(global[_i].offset, global[_i].written);
    ck_assert_uint_eq(srig_read(global[_i].offset), global[_i].read);
    ck_assert_uint_eq(rig.seen[TRACE_EVENT_MMIO_UNKNOWN], global[_i].offset == 0x74); /* a write */
}
END_TEST

static const uint32_t kept[] = { 0x10, 0x20, 0x24, 0x28, 0x2c, 0x30,
                                 0x34, 0x38, 0x3c, 0x60, 0x64, 0x68 };

/* TCR2, TTBR0 and 1, TCR, CONTEXTIDR, MAIR0 and 1, FAR, FSYNR0 of the first and the last bank: each
 * word is its own. */
START_TEST(each_word_of_a_bank_is_its_own)
{
    for (unsigned i = 0; i < 24; i++) {
        bank_write(i % 2 * 7, kept[i / 2], 0x01010101u * (i + 1));
    }
    for (unsigned i = 0; i < 24; i++) {
        ck_assert_uint_eq(bank_read(i % 2 * 7, kept[i / 2]), 0x01010101u * (i + 1));
    }
    for (unsigned i = 0; i < 24; i++) { /* a word written again: its other half stays */
        bank_write(i % 2 * 7, kept[i / 2], 0x80808080u | i);
        for (unsigned k = i + 1; k < 24; k++) {
            ck_assert_uint_eq(bank_read(k % 2 * 7, kept[k / 2]), 0x01010101u * (k + 1));
        }
    }
    ck_assert_uint_eq(rig.seen[TRACE_EVENT_MMIO_UNKNOWN], 0);
}
END_TEST

START_TEST(a_banks_control_keeps_the_bits_it_has)
{
    bank_write(2, 0x0, UINT32_MAX);
    ck_assert_uint_eq(bank_read(2, 0x0), 0x6b); /* SCTLR: CFIE, CFRE, AFFD, TRE, M */
    ck_assert_uint_eq(bank_read(2, 0x7f4), 0);  /* TLBSTATUS */
    ck_assert_uint_eq(rig.seen[TRACE_EVENT_MMIO_UNKNOWN], 0);
}
END_TEST

START_TEST(identification_says_what_is_built)
{
    ck_assert_uint_eq(smmu_window(rig.smmu), 16 * 0x10000);           /* both halves of 8 pages */
    ck_assert_uint_eq(srig_read(0x20), 0x48010000u | 15u << 9 | 128); /* IDR0: CTTW is 0 */
    ck_assert_uint_eq(srig_read(0x24), 0x80000000u | 2u << 28 | 8);   /* 2^(2 + 1) pages a half */
    ck_assert_uint_eq(srig_read(0x28), 0x1555);
    ck_assert_uint_eq(srig_read(0x3c), 0x21); /* IDR7: r2p1 */
}
END_TEST

START_TEST(reset_brings_back_the_reset_values)
{
    bank_write(7, 0x20, 5);
    srig_write(0x800, 0x80000001);
    srig_write(0x000, 0x406);
    *srig_pte(IOVA) = 0x5000 | PAGE_RW;
    srig_find(IOVA, false); /* stream not configured: a global fault, which interrupts */
    ck_assert(rig.irq);
    smmu_ops.reset(rig.smmu);
    ck_assert_uint_eq(srig_read(0x000), 0x200001); /* sCR0: SMCFCFG, CLIENTPD */
    ck_assert_uint_eq(srig_read(0x048), 0);
    ck_assert_uint_eq(srig_read(0x800), 0);
    ck_assert_uint_eq(bank_read(7, 0x20), 0);
    ck_assert(!rig.irq);
    ck_assert_uint_eq(srig_find(IOVA, true)->pa, IOVA); /* untranslated */
}
END_TEST

/* Below, between and behind what is there, in each kind of page; IHI 0062D has other registers in
 * some of these places. */
static const uint32_t nothing[] = { 0x0004,  0x002c,  0x04c,   0x07fc,  0x0a00,  0x0e00,
                                    0x10020, 0x103fc, 0x10420, 0x10820, 0x20000, 0x70020,
                                    0x80004, 0x8006c, 0x80700, 0x8fffc, 0xffffc };

START_TEST(a_register_that_is_not_there_is_reported)
{
    srig_write(nothing[_i], 0x77);
    ck_assert_uint_eq(rig.seen[TRACE_EVENT_MMIO_UNKNOWN], 1);
    ck_assert_uint_eq(rig.last.arg[0], nothing[_i]);
    ck_assert_uint_eq(rig.last.arg[1], 1); /* a write */
    ck_assert_uint_eq(rig.last.arg[2], 0x77);
    ck_assert_uint_eq(srig_read(nothing[_i]), 0);
    ck_assert_uint_eq(rig.seen[TRACE_EVENT_MMIO_UNKNOWN], 2);
    ck_assert_uint_eq(rig.last.arg[0], nothing[_i]);
    ck_assert_uint_eq(rig.last.arg[1], 0);
}
END_TEST

/* --- streams (IHI 0062D, 2.4) ---------------------------------------------------------------- */

static bool goes_to(unsigned stream, uint64_t pa)
{
    struct smmu_entry *e = smmu_translate(rig.smmu, stream, IOVA, false, BUS_AGENT_DLA, &rig.fault);

    return e && e->pa == pa && !e->discard;
}

/* Group, SMR, stream, does it match? ID 14..0, MASK 30..16, VALID 31. */
static const struct {
    unsigned group;
    uint32_t smr;
    unsigned stream;
    bool matches;
} match[] = {
    { 0, 0x80000000, 0, true },         { 0, 0x00000000, 0, false },
    { 127, 0x80004001, 0x4001, true },  { 127, 0x80004001, 0x0001, false },
    { 127, 0x80004001, 0x4000, false }, { 64, 0xc0000001, 0x4001, true },
    { 64, 0xbfff0001, 0x3ffe, true },   { 64, 0xbfff0001, 0x4001, false },
    { 1, 0xffff0000, 0x7fff, true },
};

START_TEST(a_group_matches_by_its_id_and_mask)
{
    *srig_pte(IOVA) = 0x5000 | PAGE_RW;
    srig_write(0x800, 0);
    srig_write(0xc00 + 4 * match[_i].group, 0);
    srig_write(0x800 + 4 * match[_i].group, match[_i].smr);
    ck_assert_int_eq(goes_to(match[_i].stream, 0x5000), match[_i].matches);
    ck_assert_uint_eq(srig_read(0x48), match[_i].matches ? 0 : 2); /* sGFSR.USF */
}
END_TEST

START_TEST(of_two_groups_the_first_counts_where_it_is_no_conflict)
{
    *srig_pte(IOVA) = 0x5000 | PAGE_RW;
    srig_write(0xc0c, 0x10000); /* group 3: bypass */
    srig_write(0x80c, 0x80000000u | SRIG_STREAM);
    ck_assert(!goes_to(SRIG_STREAM, 0x5000));
    ck_assert_uint_eq(srig_read(0x48), 4); /* sGFSR.SMCF */
    srig_write(0x000, 0x406);              /* SMCFCFG = 0 */
    ck_assert(goes_to(SRIG_STREAM, 0x5000));
    srig_write(0x800, 0);
    ck_assert(goes_to(SRIG_STREAM, IOVA));
}
END_TEST

START_TEST(client_disable_passes_everything)
{
    srig_write(0xc00, 0x20000); /* TYPE 2: fault */
    ck_assert(!goes_to(SRIG_STREAM, IOVA));
    srig_write(0x000, 0x200407); /* CLIENTPD */
    ck_assert(goes_to(SRIG_STREAM, IOVA));
    srig_write(0x000, 0x200406);
    ck_assert(!goes_to(SRIG_STREAM, IOVA));
}
END_TEST

/* S2CR, where the stream goes (0: refused), sGFSR: ICF 1, UCBF 8. */
static const struct {
    uint32_t s2cr, gfsr;
    uint64_t pa;
} context[] = {
    { 0x00000, 0, 0x5000 }, /* bank 0 */
    { 0x10000, 0, IOVA },   /* bypass */
    { 0x20000, 1, 0 },      /* fault */
    { 0x30000, 1, 0 },      /* reserved */
    { 0x00007, 0, IOVA },   /* the last bank, which does not translate: SCTLR.M is 0 */
    { 0x00008, 8, 0 },      /* no such bank */
    { 0x000ff, 8, 0 },
};

START_TEST(a_group_says_where_its_stream_goes)
{
    *srig_pte(IOVA) = 0x5000 | PAGE_RW;
    goes_to(SRIG_STREAM, 0x5000); /* what was known of the route is forgotten */
    srig_write(0xc00, context[_i].s2cr);
    ck_assert_int_eq(goes_to(SRIG_STREAM, context[_i].pa), context[_i].pa != 0);
    ck_assert_uint_eq(srig_read(0x48), context[_i].gfsr);
}
END_TEST

/* SCTLR.M acts at once, also on a stream whose way is known. */
START_TEST(a_bank_is_switched_off_and_on)
{
    *srig_pte(IOVA) = 0x5000 | PAGE_RW;
    ck_assert(goes_to(SRIG_STREAM, 0x5000));
    bank_write(0, 0x0, 0x60);
    ck_assert(goes_to(SRIG_STREAM, IOVA));
    bank_write(0, 0x0, 0x61);
    ck_assert(goes_to(SRIG_STREAM, 0x5000));
    ck_assert_uint_eq(smmu_translate(rig.smmu, SRIG_STREAM, IOVA + 0xfff, false, 0, NULL)->pa,
                      0x5000);
}
END_TEST

START_TEST(each_stream_has_its_own_way)
{
    *srig_pte(IOVA) = 0x5000 | PAGE_RW;
    srig_write(0xc04, 0x10000);
    srig_write(0x804, 0x80000042);
    for (unsigned i = 0; i < 2; i++) {
        ck_assert(goes_to(SRIG_STREAM, 0x5000));
        ck_assert(goes_to(0x42, IOVA));
    }
}
END_TEST

START_TEST(what_is_not_translated_keeps_its_page)
{
    struct smmu_entry *e;

    srig_write(0x000, 1);
    e = smmu_translate(rig.smmu, SRIG_STREAM, IOVA + 0xabc, true, BUS_AGENT_DLA, &rig.fault);
    ck_assert_uint_eq(e->pa, IOVA);
    ck_assert_uint_eq(e->va, IOVA + 0xabc);
    ck_assert(!e->discard && !e->read_only);
}
END_TEST

/* --- faults of a stream (IHI 0062D, 3.7 and 9.6) --------------------------------------------- */

START_TEST(a_global_fault_is_recorded)
{
    bool write = _i == 1;

    ck_assert_ptr_null(smmu_translate(rig.smmu, 0x42, IOVA + 4, write, BUS_AGENT_CE, &rig.fault));
    ck_assert_uint_eq(srig_read(0x40), (uint32_t)IOVA + 4); /* sGFAR */
    ck_assert_uint_eq(srig_read(0x44), 0x1234);
    ck_assert_uint_eq(srig_read(0x48), 2);          /* sGFSR.USF */
    ck_assert_uint_eq(srig_read(0x50), 2u * write); /* sGFSYNR0.WNR: bit 1 */
    ck_assert_uint_eq(srig_read(0x54), 0x42);
    ck_assert_uint_eq(rig.fault.va, IOVA + 4);
    ck_assert_int_eq(rig.fault.write, write);
    ck_assert_str_eq(rig.fault.reason, "stream not configured");
    ck_assert_uint_eq(rig.last.event, TRACE_EVENT_SMMU_GLOBAL_FAULT);
    ck_assert_uint_eq(rig.last.agent, BUS_AGENT_CE);
    ck_assert_uint_eq(rig.last.arg[0], 0x42);
    ck_assert_uint_eq(rig.last.arg[1], IOVA + 4);
    ck_assert_uint_eq(rig.last.arg[2], 2);
    ck_assert_uint_eq(rig.last.arg[3], write);
    ck_assert(rig.irq);
}
END_TEST

START_TEST(the_first_global_fault_stays)
{
    smmu_translate(rig.smmu, 0x42, 0x1000, true, BUS_AGENT_DLA, &rig.fault);
    smmu_translate(rig.smmu, 0x43, 0x2000, false, BUS_AGENT_DLA, &rig.fault);
    ck_assert_uint_eq(srig_read(0x48), 0x80000002); /* MULTI, USF */
    ck_assert_uint_eq(srig_read(0x40), 0x1000);
    ck_assert_uint_eq(srig_read(0x50), 2);
    ck_assert_uint_eq(srig_read(0x54), 0x42);
    srig_write(0x48, 2); /* each bit is cleared by writing 1 to it */
    ck_assert_uint_eq(srig_read(0x48), 0x80000000);
    ck_assert(rig.irq);
    srig_write(0x48, 0x80000000);
    ck_assert(!rig.irq);
    ck_assert_uint_eq(rig.seen[TRACE_EVENT_MMIO_UNKNOWN], 0);
    smmu_translate(rig.smmu, 0x43, 0x2000, false, BUS_AGENT_DLA, &rig.fault);
    ck_assert_uint_eq(srig_read(0x40), 0x2000);
    ck_assert_uint_eq(srig_read(0x50), 0);
}
END_TEST

START_TEST(global_faults_interrupt_and_answer_as_told)
{
    struct smmu_entry *e;

    srig_write(0x000, 0x200402); /* GFRE, no GFIE */
    ck_assert_ptr_null(smmu_translate(rig.smmu, 0x42, 0x1000, true, BUS_AGENT_DLA, &rig.fault));
    ck_assert(!rig.irq);
    srig_write(0x000, 0x200404); /* GFIE, no GFRE: reads give 0 and writes vanish */
    ck_assert(rig.irq);
    e = smmu_translate(rig.smmu, 0x42, 0x1008, true, BUS_AGENT_DLA, &rig.fault);
    ck_assert_ptr_nonnull(e);
    ck_assert(e->discard);
    ck_assert_uint_eq(e->va, 0x1008);
}
END_TEST

START_TEST(an_unmatched_stream_passes_where_it_may)
{
    srig_write(0x000, 0x200006); /* USFCFG = 0 */
    ck_assert(goes_to(0x42, IOVA));
    ck_assert_uint_eq(srig_read(0x48), 0);
}
END_TEST

START_TEST(just_looking_records_nothing)
{
    ck_assert_ptr_null(smmu_translate(rig.smmu, 0x42, IOVA, false, BUS_AGENT_DLA, NULL));
    ck_assert_ptr_null(smmu_translate(rig.smmu, SRIG_STREAM, IOVA, false, BUS_AGENT_DLA, NULL));
    ck_assert_uint_eq(srig_read(0x48), 0);
    ck_assert_uint_eq(bank_read(0, 0x58), 0);
    ck_assert(!rig.irq);
    ck_assert_uint_eq(rig.seen[TRACE_EVENT_SMMU_FAULT], 0);
    ck_assert_uint_eq(rig.seen[TRACE_EVENT_SMMU_GLOBAL_FAULT], 0);
}
END_TEST

/* --- faults of a bank (IHI 0062D, 3.7 and 16.5) ---------------------------------------------- */

/* SRIG_STREAM goes to @bank, whose tables are empty. */
static void bank_empty(unsigned bank, uint32_t sctlr)
{
    srig_write64(srig_bank(bank, 0x20), 0x1000);
    bank_write(bank, 0x30, 1u << 23 | 16);
    bank_write(bank, 0x00, sctlr);
    srig_write(0xc00, bank);
}

/* FSR: TF 2, FORMAT (AArch64) 0x400; FSYNR0: level 1..0, WNR 4, PTWF 10, bank 23..16. */
START_TEST(a_banks_fault_is_recorded)
{
    bool write = _i == 1;
    uint32_t fsynr0 = 0x50000u | (write ? 0x10 : 0);

    bank_empty(5, 0x61);
    ck_assert_ptr_null(srig_find(IOVA + 8, write));
    ck_assert_uint_eq(bank_read(5, 0x58), 0x402);
    ck_assert_uint_eq(bank_read(5, 0x60), (uint32_t)IOVA + 8);
    ck_assert_uint_eq(bank_read(5, 0x64), 0x1234);
    ck_assert_uint_eq(bank_read(5, 0x68), fsynr0);
    ck_assert_uint_eq(srig_read(0x10400 + 5 * 4), SRIG_STREAM); /* CBFRSYNRA5 */
    ck_assert_uint_eq(rig.fault.va, IOVA + 8);
    ck_assert_int_eq(rig.fault.write, write);
    ck_assert_str_eq(rig.fault.reason, "not mapped");
    ck_assert_uint_eq(rig.last.event, TRACE_EVENT_SMMU_FAULT);
    ck_assert_uint_eq(rig.last.agent, BUS_AGENT_DLA);
    ck_assert_uint_eq(rig.last.arg[0], SRIG_STREAM);
    ck_assert_uint_eq(rig.last.arg[1], IOVA + 8);
    ck_assert_uint_eq(rig.last.arg[2], 0x402);
    ck_assert_uint_eq(rig.last.arg[3], fsynr0);
    ck_assert(rig.irq);
    ck_assert_uint_eq(srig_read(0x48), 0); /* no global fault */
}
END_TEST

START_TEST(the_first_fault_of_a_bank_stays)
{
    srig_find(IOVA, true);
    srig_write(0x804, 0x80000042); /* another stream, by group 1, to the same bank */
    srig_write(0xc04, 0);
    smmu_translate(rig.smmu, 0x42, 0x2000, false, BUS_AGENT_DLA, &rig.fault);
    ck_assert_uint_eq(bank_read(0, 0x58), 0x80000402); /* MULTI */
    ck_assert_uint_eq(bank_read(0, 0x60), (uint32_t)IOVA);
    ck_assert_uint_eq(bank_read(0, 0x68), 0x10);
    ck_assert_uint_eq(srig_read(0x10400), SRIG_STREAM);
}
END_TEST

START_TEST(each_bit_of_a_banks_fault_is_cleared_by_writing_it)
{
    srig_find(IOVA, true);
    srig_find(IOVA, true);
    bank_write(0, 0x58, 0x2);
    ck_assert_uint_eq(bank_read(0, 0x58), 0x80000400);
    ck_assert(rig.irq);
    bank_write(0, 0x58, 0x80000000);
    ck_assert_uint_eq(bank_read(0, 0x58), 0); /* no fault is left, so no format either */
    ck_assert(!rig.irq);
    ck_assert_uint_eq(rig.seen[TRACE_EVENT_MMIO_UNKNOWN], 0);
}
END_TEST

START_TEST(a_banks_fault_can_be_put_back)
{
    bank_write(0, 0x5c, 0x80000408); /* FSRRESTORE */
    ck_assert_uint_eq(bank_read(0, 0x58), 0x80000408);
    ck_assert(rig.irq);
    bank_write(0, 0x5c, 0x600); /* the format alone is no fault */
    ck_assert_uint_eq(bank_read(0, 0x58), 0x600);
    ck_assert(!rig.irq);
    ck_assert_uint_eq(rig.seen[TRACE_EVENT_MMIO_UNKNOWN], 0);
}
END_TEST

/* SCTLR, does it interrupt, is the access refused? CFIE bit 6, CFRE bit 5. */
static const struct {
    uint32_t sctlr;
    bool irq, refused;
} answer[] = { { 0x61, true, true }, { 0x41, true, false }, { 0x21, false, true } };

START_TEST(a_banks_faults_interrupt_and_answer_as_told)
{
    struct smmu_entry *e;

    bank_empty(7, answer[_i].sctlr);
    e = srig_find(IOVA + 8, true);
    ck_assert_int_eq(e == NULL, answer[_i].refused);
    ck_assert(!e || (e->discard && e->va == IOVA + 8));
    ck_assert_int_eq(rig.irq, answer[_i].irq);
    ck_assert_uint_eq(bank_read(7, 0x58), 0x402);            /* in any case */
    bank_write(7, 0x00, 0x21 | (answer[_i].irq ? 0 : 0x40)); /* the line follows CFIE */
    ck_assert_int_eq(rig.irq, !answer[_i].irq);
}
END_TEST

/* A walk whose table is not in memory: EF 0x10, PTWF bit 10 of FSYNR0, at the level of the table.
 */
START_TEST(a_walk_that_fails_says_at_which_level)
{
    unsigned level = (unsigned)_i;

    if (level == 0) {
        srig_write64(srig_bank(0, 0x20), UINT64_C(0x40000));
    } else {
        *srig_entry(0, 0, IOVA, level - 1) = 0x40003;
    }
    ck_assert_ptr_null(srig_find(IOVA, false));
    ck_assert_uint_eq(bank_read(0, 0x58), 0x410);
    ck_assert_uint_eq(bank_read(0, 0x68), 0x400 | level);
    ck_assert_str_eq(rig.fault.reason, "table not in memory");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("smmu_regs");
    TCase *reset = tcase_create("reset"), *tc = tcase_create("set up");
    SRunner *runner;
    int failed;

    tcase_add_checked_fixture(reset, srig_open_reset, srig_close);
    tcase_add_loop_test(reset, global_registers_keep_the_bits_they_have, 0,
                        sizeof(global) / sizeof(*global));
    tcase_add_test(reset, each_word_of_a_bank_is_its_own);
    tcase_add_test(reset, a_banks_control_keeps_the_bits_it_has);
    tcase_add_test(reset, identification_says_what_is_built);
    tcase_add_test(reset, reset_brings_back_the_reset_values);
    tcase_add_loop_test(reset, a_register_that_is_not_there_is_reported, 0,
                        sizeof(nothing) / sizeof(*nothing));
    tcase_add_checked_fixture(tc, srig_open, srig_close);
    tcase_add_loop_test(tc, a_group_matches_by_its_id_and_mask, 0, sizeof(match) / sizeof(*match));
    tcase_add_test(tc, of_two_groups_the_first_counts_where_it_is_no_conflict);
    tcase_add_test(tc, client_disable_passes_everything);
    tcase_add_loop_test(tc, a_group_says_where_its_stream_goes, 0,
                        sizeof(context) / sizeof(*context));
    tcase_add_test(tc, a_bank_is_switched_off_and_on);
    tcase_add_test(tc, each_stream_has_its_own_way);
    tcase_add_test(tc, what_is_not_translated_keeps_its_page);
    tcase_add_loop_test(tc, a_global_fault_is_recorded, 0, 2);
    tcase_add_test(tc, the_first_global_fault_stays);
    tcase_add_test(tc, global_faults_interrupt_and_answer_as_told);
    tcase_add_test(tc, an_unmatched_stream_passes_where_it_may);
    tcase_add_test(tc, just_looking_records_nothing);
    tcase_add_loop_test(tc, a_banks_fault_is_recorded, 0, 2);
    tcase_add_test(tc, the_first_fault_of_a_bank_stays);
    tcase_add_test(tc, each_bit_of_a_banks_fault_is_cleared_by_writing_it);
    tcase_add_test(tc, a_banks_fault_can_be_put_back);
    tcase_add_loop_test(tc, a_banks_faults_interrupt_and_answer_as_told, 0,
                        sizeof(answer) / sizeof(*answer));
    tcase_add_loop_test(tc, a_walk_that_fails_says_at_which_level, 0, 4);
    suite_add_tcase(suite, reset);
    suite_add_tcase(suite, tc);
    runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
