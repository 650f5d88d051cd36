/* SPDX-License-Identifier: MIT */
/* Walks of translation tables and the TLB, without a SoC. */
#include "tests/smmu_rig.h"

#include <check.h>
#include <string.h>

#define IOVA UINT64_C(0x123456789000)
#define RW 0x443u             /* valid, page, unprivileged accesses, access flag */
#define RO 0x4c3u             /* AP[2] as well */
#define BLOCK_RW 0x441u       /* a block of level 1 or 2 */
#define NOT_GLOBAL (1u << 11) /* nG */
#define TCR_LOWER(bits) (1u << 23 | (64 - (bits))) /* EPD1, T0SZ */

static uint32_t bank_read(uint32_t offset)
{
    return srig_read(srig_bank(0, offset));
}

static void bank_write(uint32_t offset, uint32_t value)
{
    srig_write(srig_bank(0, offset), value);
}

/* The page behind @iova, ~0 where it is refused. */
static uint64_t pa_of(uint64_t iova)
{
    struct smmu_entry *e = srig_find(iova, false);

    return e ? e->pa : ~UINT64_C(0);
}

#define REFUSED (~UINT64_C(0))

/* FSR: 0x402 translation, 0x404 access flag, 0x408 permission. FSYNR0: level, write in bit 4. */
static void refused(uint64_t iova, bool write, uint32_t fsr, uint32_t fsynr0)
{
    ck_assert_ptr_null(srig_find(iova, write));
    ck_assert_uint_eq(bank_read(0x58), fsr);
    ck_assert_uint_eq(bank_read(0x68), fsynr0);
    bank_write(0x58, UINT32_MAX);
}

/* --- which addresses the tables are for (Arm ARM, D8.2; TCR of IHI 0062D, 16.5) ----------------
 */

/* With a 4 KiB granule: 40 to 48 bits begin at level 0, 31 to 39 at level 1, 25 to 30 at level 2.
 */
static const struct {
    unsigned bits, level;
} size[] = {
    { 48, 0 }, { 47, 0 }, { 40, 0 }, { 39, 1 }, { 38, 1 }, { 31, 1 }, { 30, 2 }, { 25, 2 }
};

START_TEST(the_size_says_where_walks_begin)
{
    uint64_t end = UINT64_C(1) << size[_i].bits, iova = end - 0x1000;

    bank_write(0x30, TCR_LOWER(size[_i].bits));
    *srig_entry(0, size[_i].level, iova, 3) = 0x5000 | RW;
    *srig_entry(0, size[_i].level, 0, 3) = 0x6000 | RW;
    ck_assert_uint_eq(pa_of(iova), 0x5000);
    ck_assert_uint_eq(pa_of(iova + 0xfff), 0x5000);
    ck_assert_uint_eq(pa_of(0), 0x6000);
    refused(end, false, 0x402, 0);
    refused(end | iova, true, 0x402, 0x10);
    ck_assert_str_eq(rig.fault.reason, "address outside the tables");
}
END_TEST

START_TEST(the_size_says_where_walks_of_the_upper_half_begin)
{
    uint64_t begin = -(UINT64_C(1) << size[_i].bits), iova = begin + 0x7000;

    bank_write(0x30, 2u << 30 | (64 - size[_i].bits) << 16 | 1u << 7); /* TG1 4 KiB, T1SZ, EPD0 */
    srig_write64(srig_bank(0, 0x28), 0x1000);                          /* TTBR1 */
    *srig_entry(1, size[_i].level, iova & ~begin, 3) = 0x5000 | RW;
    ck_assert_uint_eq(pa_of(iova), 0x5000);
    refused(begin - 1, false, 0x402, 0);
    refused(iova & ~begin, false, 0x402, 0); /* the lower half is off */
}
END_TEST

/* TCR, is the lower, is the upper half walked? T0SZ 5..0, EPD0 7, TG0 15..14 (4 KiB: 0),
 * T1SZ 21..16, EPD1 23, TG1 31..30 (4 KiB: 2). Sizes of 25 to 48 bits are T0SZ and T1SZ 39 to 16.
 */
static const struct {
    uint32_t tcr;
    bool lower, upper;
} half[] = {
    { 0x80100010, true, true },  { 0x80100090, false, true }, { 0x80900010, true, false },
    { 0x80104010, false, true }, { 0x80108010, false, true }, { 0x40100010, true, false },
    { 0xc0100010, true, false }, { 0x00100010, true, false }, { 0x8010000f, false, true },
    { 0x80100028, false, true }, { 0x800f0010, true, false }, { 0x80280010, true, false },
};

START_TEST(a_half_is_walked_where_its_control_says)
{
    *srig_entry(0, 0, 0, 3) = 0x5000 | RW;
    *srig_entry(1, 0, 0, 3) = 0x6000 | RW;
    srig_write64(srig_bank(0, 0x28), 0x1000);
    bank_write(0x30, half[_i].tcr);
    ck_assert_uint_eq(pa_of(0), half[_i].lower ? 0x5000 : REFUSED);
    ck_assert_uint_eq(pa_of(UINT64_C(0xffff000000000000)), half[_i].upper ? 0x6000 : REFUSED);
}
END_TEST

/* A first table of 2^n entries is aligned to its size, to 64 bytes at least; address bits below are
 * not part of TTBR's address. Bits, TTBR, where the table lies: 2, 16, 256 and 512 entries. */
static const struct {
    unsigned bits, level;
    uint64_t ttbr, table;
} base[] = {
    { 40, 0, 0x107f, 0x1040 }, { 25, 2, 0x11ff, 0x1180 }, { 47, 0, 0x1fff, 0x1800 },
    { 48, 0, 0x1fff, 0x1000 }, { 39, 1, 0x1fff, 0x1000 }, { 31, 1, 0x10ff, 0x10c0 },
};

START_TEST(a_first_table_is_aligned_to_its_size)
{
    unsigned shift = 39 - 9 * base[_i].level;

    srig_write64(srig_bank(0, 0x20), base[_i].ttbr);
    bank_write(0x30, TCR_LOWER(base[_i].bits));
    rig.memory[base[_i].table / 8 + 1] = 0x2003; /* its second entry */
    for (unsigned level = base[_i].level + 1; level < 4; level++) {
        rig.memory[(level - base[_i].level + 1) * 512] =
            level == 3 ? 0x5000 | RW : (level - base[_i].level + 2) * UINT64_C(0x1000) | 3;
    }
    ck_assert_uint_eq(pa_of(UINT64_C(1) << shift), 0x5000);
}
END_TEST

START_TEST(table_base_ignores_the_asid)
{
    *srig_entry(1, 0, IOVA, 3) = 0x5000 | RW;
    srig_write64(srig_bank(0, 0x20), UINT64_C(0xabcd000000001000));
    ck_assert_uint_eq(pa_of(IOVA), 0x5000);
}
END_TEST

/* --- descriptors (Arm ARM, D8.3) -------------------------------------------------------------- */

START_TEST(a_page_may_be_anywhere_in_48_bits)
{
    *srig_pte(IOVA) = UINT64_C(0xfffffffff000) | RW;
    ck_assert_uint_eq(pa_of(IOVA), UINT64_C(0xfffffffff000));
    *srig_pte(IOVA + 0x1000) = UINT64_C(0x70f5a5a5a5a5a000) | RW; /* 63..48 are attributes */
    ck_assert_uint_eq(pa_of(IOVA + 0x1000), UINT64_C(0xa5a5a5a5a000));
}
END_TEST

/* 1 GiB at level 1, 2 MiB at level 2: the address inside of the block is kept. */
START_TEST(a_block_maps_all_of_its_pages)
{
    unsigned level = _i == 0 ? 1 : 2;
    uint64_t bytes = _i == 0 ? UINT64_C(1) << 30 : UINT64_C(1) << 21;
    uint64_t va = IOVA & ~(bytes - 1), pa = 3 * bytes;

    *srig_entry(0, 0, IOVA, level) = pa | 0x1ff000 | BLOCK_RW; /* address bits below its size */
    ck_assert_uint_eq(pa_of(va), pa);
    ck_assert_uint_eq(pa_of(va + bytes - 1), pa + bytes - 0x1000);
    ck_assert_uint_eq(pa_of(IOVA), pa + (IOVA - va));
    ck_assert_uint_eq(pa_of(va + bytes), REFUSED);
    ck_assert_uint_eq(pa_of(va - 1), REFUSED);
}
END_TEST

/* Level, descriptor: not valid, a block where there is none, a reserved one. */
static const struct {
    unsigned level;
    uint64_t entry;
} invalid[] = {
    { 0, 0 }, { 0, 0x5442 }, { 0, 0x5441 }, { 1, 0 },      { 1, 0x5440 },
    { 2, 0 }, { 2, 0x5442 }, { 3, 0 },      { 3, 0x5442 }, { 3, 0x5441 },
};

START_TEST(an_invalid_descriptor_is_a_fault_of_its_level)
{
    *srig_entry(0, 0, IOVA, invalid[_i].level) = invalid[_i].entry;
    refused(IOVA, false, 0x402, invalid[_i].level);
    ck_assert_str_eq(rig.fault.reason, "not mapped");
    refused(IOVA, true, 0x402, invalid[_i].level | 0x10);
}
END_TEST

/* --- permissions (Arm ARM, D8.4) -------------------------------------------------------------- */

/* A leaf of level 1, 2 or 3 is refused at its level, walked or from the TLB. */
START_TEST(a_read_only_leaf_is_refused_to_writes)
{
    unsigned level = (unsigned)_i;

    *srig_entry(0, 0, IOVA, level) = level == 3 ? 0x5000 | RO : 0x40000000 | (RO & ~2u);
    refused(IOVA, true, 0x408, 0x10 | level);
    ck_assert_str_eq(rig.fault.reason, "read-only");
    ck_assert(srig_find(IOVA, false)->read_only);
    refused(IOVA, true, 0x408, 0x10 | level);
    ck_assert_str_eq(rig.fault.reason, "read-only");
}
END_TEST

START_TEST(a_writable_page_is_written)
{
    *srig_pte(IOVA) = 0x5000 | RW;
    ck_assert(!srig_find(IOVA, true)->read_only);
    ck_assert_uint_eq(srig_find(IOVA, true)->pa, 0x5000);
    ck_assert_uint_eq(bank_read(0x58), 0);
}
END_TEST

START_TEST(a_clear_access_flag_is_a_fault)
{
    *srig_pte(IOVA) = 0x5000 | (RW & ~0x400u);
    refused(IOVA, false, 0x404, 3);
    ck_assert_str_eq(rig.fault.reason, "access flag is clear");
    bank_write(0x0, 0x69); /* SCTLR.AFFD */
    ck_assert_uint_eq(pa_of(IOVA), 0x5000);
}
END_TEST

START_TEST(a_privileged_page_is_refused)
{
    *srig_pte(IOVA) = 0x5000 | (RW & ~0x40u); /* AP[1] = 0 */
    refused(IOVA, false, 0x408, 3);
    ck_assert_str_eq(rig.fault.reason, "privileged accesses only");
}
END_TEST

/* APTable: bit 61 takes unprivileged accesses away, bit 62 writes, from all below it. */
START_TEST(tables_take_permissions_away)
{
    unsigned level = (unsigned)_i % 3;
    uint64_t *table;

    *srig_pte(IOVA) = 0x5000 | RW;
    table = srig_entry(0, 0, IOVA, level);
    *table |= UINT64_C(1) << (_i < 3 ? 61 : 62);
    if (_i < 3) {
        refused(IOVA, false, 0x408, 3);
    } else {
        ck_assert_uint_eq(pa_of(IOVA), 0x5000);
        refused(IOVA, true, 0x408, 0x13);
    }
}
END_TEST

/* --- the TLB (IHI 0062D, 9.6 and 16.5; Arm ARM, D8.14) --------------------------------------- */

START_TEST(nothing_that_was_refused_is_held)
{
    refused(IOVA, false, 0x402, 0);
    *srig_pte(IOVA) = 0x5000 | (RW & ~0x400u);
    refused(IOVA, false, 0x404, 3);
    *srig_pte(IOVA) = 0x5000 | (RW & ~0x40u);
    refused(IOVA, false, 0x408, 3);
    *srig_pte(IOVA) = 0x5000 | RW;
    ck_assert_uint_eq(pa_of(IOVA), 0x5000);
    *srig_pte(IOVA) = 0x6000 | RW;
    ck_assert_uint_eq(pa_of(IOVA), 0x5000); /* that one is */
}
END_TEST

/* Two addresses whose pages are held in the same place do not stand for each other: the place is
 * the page's number modulo 1024, its higher bits mixed in. */
START_TEST(pages_are_told_apart)
{
    for (unsigned i = 0; i < 3 * 512; i++) {
        *srig_pte(i * UINT64_C(0x1000)) = (0x100000 + i) * UINT64_C(0x1000) | RW;
    }
    for (unsigned round = 0; round < 2; round++) {
        for (unsigned i = 0; i < 3 * 512; i++) {
            ck_assert_uint_eq(pa_of(i * UINT64_C(0x1000)), (0x100000 + i) * UINT64_C(0x1000));
        }
    }
}
END_TEST

/* Where what is held was found: ASID 1, VMID 0; a page that is global or not. What is invalidated:
 * by which register of bank 0 or of the global space, with what. Is it taken away? */
static const struct {
    bool global;
    uint32_t offset;
    uint64_t value;
    bool taken;
} how[] = {
    { false, 0x600, UINT64_C(1) << 48 | IOVA >> 12, true },             /* TLBIVA */
    { false, 0x600, UINT64_C(2) << 48 | IOVA >> 12, false },            /* another ASID */
    { false, 0x600, UINT64_C(0x101) << 48 | IOVA >> 12, false },        /* all of its bits count */
    { false, 0x600, UINT64_C(1) << 48 | (IOVA + 0x1000) >> 12, false }, /* another page */
    { false, 0x600, UINT64_C(1) << 48 | UINT64_C(1) << 36 | IOVA >> 12, false },
    { true, 0x600, UINT64_C(2) << 48 | IOVA >> 12, true }, /* global: any ASID */
    { true, 0x600, (IOVA + 0x1000) >> 12, false },
    { false, 0x608, UINT64_C(2) << 48 | IOVA >> 12, true }, /* TLBIVAA: any ASID */
    { false, 0x608, (IOVA - 0x1000) >> 12, false },
    { false, 0x620, UINT64_C(1) << 48 | IOVA >> 12, true }, /* TLBIVAL */
    { false, 0x620, UINT64_C(2) << 48 | IOVA >> 12, false },
    { false, 0x628, UINT64_C(2) << 48 | IOVA >> 12, true }, /* TLBIVAAL */
    { false, 0x610, 1, true },                              /* TLBIASID */
    { false, 0x610, 2, false },
    { false, 0x610, 0x10001, true }, /* 15..0 */
    { true, 0x610, 1, false },       /* what is global belongs to no ASID */
    { false, 0x618, 0, true },       /* TLBIALL */
    { true, 0x618, 0, true },
    { false, 0x7f0, 0, false },      /* TLBSYNC */
    { false, 0x10068, 0, true },     /* TLBIALLNSNH */
    { false, 0x10064, 0, true },     /* TLBIVMID */
    { false, 0x10064, 0x100, true }, /* 7..0 */
    { false, 0x10064, 1, false },
    { false, 0x1006c, 0, false }, /* TLBIALLH: a hypervisor's */
    { false, 0x10070, 0, false }, /* sTLBGSYNC */
};

/* @offset: 0x10000 and more are the global space's. */
static void invalidate(uint32_t offset, uint64_t value)
{
    unsigned before = rig.seen[TRACE_EVENT_MMIO_UNKNOWN];

    if (offset >= 0x10000) {
        srig_write(offset - 0x10000, (uint32_t)value);
    } else if (offset == 0x610 || offset == 0x618 || offset == 0x7f0) {
        bank_write(offset, (uint32_t)value);
    } else {
        srig_write64(srig_bank(0, offset), value);
    }
    ck_assert_uint_eq(rig.seen[TRACE_EVENT_MMIO_UNKNOWN], before);
}

START_TEST(an_invalidation_takes_what_it_names)
{
    *srig_pte(IOVA) = 0x5000 | RW | (how[_i].global ? 0 : NOT_GLOBAL);
    ck_assert_uint_eq(pa_of(IOVA), 0x5000);
    *srig_pte(IOVA) = 0x6000 | RW | (how[_i].global ? 0 : NOT_GLOBAL);
    invalidate(how[_i].offset, how[_i].value);
    if (how[_i].taken) {
        ck_assert_uint_eq(rig.last.event, TRACE_EVENT_MMU_INVALIDATE);
        ck_assert_uint_eq(rig.last.arg[0], 1);
    }
    ck_assert_uint_eq(pa_of(IOVA), how[_i].taken ? 0x6000 : 0x5000);
}
END_TEST

/* An address with bit 55 set lies in the upper half: TLBIVA takes VA 55..12. */
START_TEST(an_address_of_the_upper_half_is_invalidated)
{
    uint64_t iova = UINT64_C(0xffff800000003000);

    bank_write(0x30, 2u << 30 | 16u << 16 | 16);
    srig_write64(srig_bank(0, 0x28), 0x1000);
    *srig_entry(1, 0, iova & UINT64_C(0xffffffffffff), 3) = 0x5000 | RW;
    ck_assert_uint_eq(pa_of(iova), 0x5000);
    *srig_entry(1, 0, iova & UINT64_C(0xffffffffffff), 3) = 0x6000 | RW;
    invalidate(0x600, UINT64_C(1) << 48 | UINT64_C(0xff800000003));
    ck_assert_uint_eq(pa_of(iova), 0x6000);
}
END_TEST

START_TEST(one_address_takes_its_block_and_no_other)
{
    *srig_entry(0, 0, 0, 2) = 0x40000000 | BLOCK_RW;
    *srig_entry(0, 0, 0x200000, 2) = 0x40200000 | BLOCK_RW;
    pa_of(0x1000);
    pa_of(0x1ff000);
    pa_of(0x200000);
    invalidate(0x608, 0x100); /* 1 MiB */
    ck_assert_uint_eq(rig.last.arg[0], 2);
    *srig_entry(0, 0, 0, 2) = *srig_entry(0, 0, 0x200000, 2) = 0x80000000 | BLOCK_RW;
    ck_assert_uint_eq(pa_of(0x1000), 0x80001000);
    ck_assert_uint_eq(pa_of(0x1ff000), 0x801ff000);
    ck_assert_uint_eq(pa_of(0x200000), 0x40200000);
}
END_TEST

START_TEST(all_places_are_invalidated)
{
    for (unsigned i = 0; i < 512; i++) {
        *srig_entry(0, 0, i * UINT64_C(0x200000), 2) = i * UINT64_C(0x200000) | BLOCK_RW;
        pa_of(i * UINT64_C(0x200000));
    }
    for (unsigned i = 0; i < 1024; i++) { /* whichever place a page has, these fill all of them */
        *srig_entry(0, 0, (512 + i / 512) * UINT64_C(0x200000), 2) =
            (512 + i / 512) * UINT64_C(0x200000) | BLOCK_RW;
        pa_of(512 * UINT64_C(0x200000) + i * UINT64_C(0x1000));
    }
    invalidate(0x618, 0);
    ck_assert_uint_eq(rig.last.arg[0], 1024);
    invalidate(0x618, 0);
    ck_assert_uint_eq(rig.last.arg[0], 0);
}
END_TEST

START_TEST(nothing_held_is_nothing_invalidated)
{
    invalidate(0x618, 0); /* before the first translation */
    ck_assert_uint_eq(rig.seen[TRACE_EVENT_MMU_INVALIDATE], 1);
    ck_assert_uint_eq(rig.last.arg[0], 0);
}
END_TEST

/* Bank 1 with its own tables, VMID and ASID, which SRIG_STREAM goes to after each change. */
static uint64_t pa_in_bank1(uint32_t vmid, uint16_t asid)
{
    uint64_t pa;

    srig_write(0x10004, vmid); /* CBAR1 */
    srig_write64(srig_bank(1, 0x20), (uint64_t)asid << 48 | 0x1000);
    srig_write(srig_bank(1, 0x30), TCR_LOWER(48));
    srig_write(srig_bank(1, 0x00), 0x61);
    srig_write(0xc00, 1);
    pa = pa_of(IOVA);
    srig_write(0xc00, 0);
    return pa;
}

/* Bank 0's page is held for VMID 0, ASID 1. It serves bank 1 where both are the same, and where it
 * is global and the VMID is. */
static const struct {
    bool global;
    uint32_t vmid;
    uint16_t asid;
    bool serves;
} sharing[] = {
    { false, 0, 1, true }, { false, 0, 2, false }, { false, 3, 1, false },
    { true, 0, 1, true },  { true, 3, 1, false },
};

START_TEST(what_is_held_serves_its_own_space)
{
    *srig_pte(IOVA) = 0x5000 | RW | (sharing[_i].global ? 0 : NOT_GLOBAL);
    *srig_entry(1, 0, IOVA, 3) = 0x6000 | RW | NOT_GLOBAL;
    ck_assert_uint_eq(pa_of(IOVA), 0x5000);
    ck_assert_uint_eq(pa_in_bank1(sharing[_i].vmid, sharing[_i].asid),
                      sharing[_i].serves ? 0x5000 : 0x6000);
    ck_assert_uint_eq(pa_of(IOVA), 0x5000);
}
END_TEST

/* 31 and 257 place VMIDs and ASIDs: pairs that share a place are still told apart. */
START_TEST(spaces_that_share_a_place_are_told_apart)
{
    *srig_pte(IOVA) = 0x5000 | RW | NOT_GLOBAL;
    *srig_entry(1, 0, IOVA, 3) = 0x6000 | RW | NOT_GLOBAL;
    for (uint16_t asid = 2; asid < 5000; asid++) {
        ck_assert_uint_eq(pa_of(IOVA), 0x5000);
        ck_assert_uint_eq(pa_in_bank1(0, asid), 0x6000);
    }
    for (uint32_t vmid = 1; vmid < 256; vmid++) {
        ck_assert_uint_eq(pa_of(IOVA), 0x5000);
        ck_assert_uint_eq(pa_in_bank1(vmid, 1), 0x6000);
    }
}
END_TEST

START_TEST(a_banks_invalidation_is_for_its_vmid)
{
    *srig_pte(IOVA) = 0x5000 | RW | NOT_GLOBAL;
    *srig_entry(1, 0, IOVA, 3) = 0x6000 | RW | NOT_GLOBAL;
    ck_assert_uint_eq(pa_of(IOVA), 0x5000);
    ck_assert_uint_eq(pa_in_bank1(3, 1), 0x6000);
    *srig_pte(IOVA) = *srig_entry(1, 0, IOVA, 3) = 0x7000 | RW | NOT_GLOBAL;
    if (_i == 0) {
        srig_write64(srig_bank(1, 0x600), UINT64_C(1) << 48 | IOVA >> 12);
    } else if (_i == 1) {
        srig_write64(srig_bank(1, 0x608), IOVA >> 12);
    } else if (_i < 4) {
        srig_write(srig_bank(1, _i == 2 ? 0x610 : 0x618), 1);
    } else {
        srig_write(0x64, 3); /* TLBIVMID */
    }
    ck_assert_uint_eq(pa_of(IOVA), 0x5000);
    ck_assert_uint_eq(pa_in_bank1(3, 1), 0x7000);
}
END_TEST

/* Bank 0 has VMID 0. TLBIALL of a bank and TLBIVMID are for one VMID, TLBIALLNSNH for all. */
START_TEST(a_vmid_is_spared_where_another_is_named)
{
    static const uint32_t offset[] = { 0x618, 0x10064, 0x10068 };

    *srig_entry(1, 0, IOVA, 3) = 0x6000 | RW | NOT_GLOBAL;
    ck_assert_uint_eq(pa_in_bank1(3, 1), 0x6000);
    *srig_entry(1, 0, IOVA, 3) = 0x7000 | RW | NOT_GLOBAL;
    invalidate(offset[_i], 0);
    ck_assert_uint_eq(pa_in_bank1(3, 1), _i == 2 ? 0x7000 : 0x6000);
}
END_TEST

START_TEST(a_page_is_held_for_all_of_its_bytes)
{
    *srig_pte(IOVA) = 0x5000 | RW;
    ck_assert_uint_eq(pa_of(IOVA + 0x800), 0x5000);
    *srig_pte(IOVA) = 0x6000 | RW;
    for (unsigned i = 0; i < 4096; i++) {
        ck_assert_uint_eq(pa_of(IOVA + i), 0x5000);
    }
}
END_TEST

START_TEST(the_asid_is_of_the_table_that_the_control_names)
{
    srig_write64(srig_bank(0, 0x28), UINT64_C(7) << 48); /* TTBR1's */
    bank_write(0x30, TCR_LOWER(48) | 1u << 22);          /* A1 */
    *srig_pte(IOVA) = 0x5000 | RW | NOT_GLOBAL;
    ck_assert_uint_eq(pa_of(IOVA), 0x5000);
    *srig_pte(IOVA) = 0x6000 | RW | NOT_GLOBAL;
    invalidate(0x610, 1);
    ck_assert_uint_eq(pa_of(IOVA), 0x5000);
    invalidate(0x610, 7);
    ck_assert_uint_eq(pa_of(IOVA), 0x6000);
}
END_TEST

#define LOOP(tc, test, rows) tcase_add_loop_test(tc, test, 0, (int)(sizeof(rows) / sizeof(*(rows))))

int main(void)
{
    Suite *suite = suite_create("smmu_walk");
    TCase *tc = tcase_create("walks"), *tlb = tcase_create("TLB");
    SRunner *runner;
    int failed;

    tcase_add_checked_fixture(tc, srig_open, srig_close);
    LOOP(tc, the_size_says_where_walks_begin, size);
    LOOP(tc, the_size_says_where_walks_of_the_upper_half_begin, size);
    LOOP(tc, a_half_is_walked_where_its_control_says, half);
    LOOP(tc, a_first_table_is_aligned_to_its_size, base);
    tcase_add_test(tc, table_base_ignores_the_asid);
    tcase_add_test(tc, a_page_may_be_anywhere_in_48_bits);
    tcase_add_loop_test(tc, a_block_maps_all_of_its_pages, 0, 2);
    LOOP(tc, an_invalid_descriptor_is_a_fault_of_its_level, invalid);
    tcase_add_loop_test(tc, a_read_only_leaf_is_refused_to_writes, 1, 4);
    tcase_add_test(tc, a_writable_page_is_written);
    tcase_add_test(tc, a_clear_access_flag_is_a_fault);
    tcase_add_test(tc, a_privileged_page_is_refused);
    tcase_add_loop_test(tc, tables_take_permissions_away, 0, 6);
    tcase_add_checked_fixture(tlb, srig_open, srig_close);
    tcase_add_test(tlb, nothing_that_was_refused_is_held);
    tcase_add_test(tlb, pages_are_told_apart);
    LOOP(tlb, an_invalidation_takes_what_it_names, how);
    tcase_add_test(tlb, an_address_of_the_upper_half_is_invalidated);
    tcase_add_test(tlb, one_address_takes_its_block_and_no_other);
    tcase_add_test(tlb, all_places_are_invalidated);
    tcase_add_test(tlb, nothing_held_is_nothing_invalidated);
    LOOP(tlb, what_is_held_serves_its_own_space, sharing);
    tcase_add_test(tlb, spaces_that_share_a_place_are_told_apart);
    tcase_add_loop_test(tlb, a_banks_invalidation_is_for_its_vmid, 0, 5);
    tcase_add_loop_test(tlb, a_vmid_is_spared_where_another_is_named, 0, 3);
    tcase_add_test(tlb, a_page_is_held_for_all_of_its_bytes);
    tcase_add_test(tlb, the_asid_is_of_the_table_that_the_control_names);
    suite_add_tcase(suite, tc);
    suite_add_tcase(suite, tlb);
    runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
