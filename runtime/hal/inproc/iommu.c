/* SPDX-License-Identifier: MIT */
/* The kernel driver's side of the SMMU: a context bank with translation tables for each engine, as
 * Linux' arm-smmu and io-pgtable-arm make them. An engine is attached when it is first used;
 * programs that do not use one see nothing of it. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "model/regs/regs.h"
#include "model/regs/smmu.h"
#include "runtime/hal/inproc/inproc.h"

/* The window that addresses are handed out from: a task descriptor's address has 40 bits (its upper
 * 32 go through THI_METHOD_DATA). */
#define IOVA_FIRST UINT64_C(0x80000000)
#define IOVA_END (UINT64_C(1) << 40)
#define BLOCK (UINT64_C(1) << SMMU_LEVEL_SHIFT(2))
#define TABLES_AT_ONCE 16u
#define VA_BITS 48u
#define INVALIDATE_BY_PAGE 16u /* more pages than that: the whole ASID */

static struct inproc_iommu *iommu_of(struct hal *hal, enum unit_id unit)
{
    int engine = unit_engine(unit);

    return engine >= 0 ? &hal->iommu[engine] : NULL;
}

/* --- registers of the SMMU ------------------------------------------------------------------- */

static uint64_t smmu_page(struct hal *hal, const struct inproc_iommu *io, unsigned page)
{
    return soc_unit_base(hal->soc, io->smmu, NULL) + page * UINT64_C(0x10000);
}

/* The upper half of the window begins with context bank 0. */
static uint64_t bank_page(struct hal *hal, const struct inproc_iommu *io)
{
    uint64_t size;

    soc_unit_base(hal->soc, io->smmu, &size);
    return smmu_page(hal, io, (unsigned)(size / 2 / 0x10000) + io->bank);
}

static void bank_write(struct hal *hal, const struct inproc_iommu *io, unsigned reg, uint32_t value)
{
    soc_mmio_write32(hal->soc, bank_page(hal, io) + reg, value);
}

static void bank_write64(struct hal *hal, const struct inproc_iommu *io, unsigned reg,
                         uint64_t value)
{
    bank_write(hal, io, reg, (uint32_t)value);
    bank_write(hal, io, reg + 4, (uint32_t)(value >> 32));
}

static uint32_t reg_read(struct hal *hal, uint64_t pa)
{
    uint32_t value;

    soc_mmio_read32(hal->soc, pa, &value);
    return value;
}

static uint64_t asid_of(const struct inproc_iommu *io)
{
    return io->bank + 1u;
}

/* --- tables ---------------------------------------------------------------------------------- */

static uint64_t *table_at(struct hal *hal, uint64_t bus)
{
    return (uint64_t *)(void *)(hal->dram + (bus - SOC_DRAM_BASE));
}

/* A table of zeros; 0 if memory runs out. Tables are kept until the board goes. */
static uint64_t table_new(struct hal *hal, struct inproc_iommu *io)
{
    if (io->tables_left == 0) {
        struct hal_mem mem;

        if (hal_mem_alloc(hal, HAL_MEM_KERNEL, TABLES_AT_ONCE * SMMU_PAGE, HAL_PAGE, NULL, &mem) !=
            0) {
            return 0;
        }
        io->next_table = mem.bus;
        io->tables_left = TABLES_AT_ONCE;
    }
    io->tables_left--;
    io->next_table += SMMU_PAGE;
    return io->next_table - SMMU_PAGE;
}

/* The entry that maps @iova at @level; tables on the way are made if @make. NULL: not there. */
static uint64_t *entry_at(struct hal *hal, struct inproc_iommu *io, uint64_t iova, unsigned level,
                          bool make)
{
    uint64_t table = io->table;

    for (unsigned l = 0;; l++) {
        uint64_t *entry =
            table_at(hal, table) + (iova >> SMMU_LEVEL_SHIFT(l) & (SMMU_TABLE_ENTRIES - 1));

        if (l == level) {
            return entry;
        }
        if (!(*entry & SMMU_PTE_VALID)) {
            uint64_t below = make ? table_new(hal, io) : 0;

            if (!below) {
                return NULL;
            }
            *entry = below | SMMU_PTE_VALID | SMMU_PTE_TABLE;
        } else if (!(*entry & SMMU_PTE_TABLE)) {
            return NULL; /* a block */
        }
        table = *entry & SMMU_PTE_ADDRESS_MASK;
    }
}

/* Blocks where both sides allow them. Return: 0, -ENOMEM. */
static int tables_map(struct hal *hal, struct inproc_iommu *io, uint64_t iova, uint64_t pa,
                      uint64_t len, enum hal_prot prot)
{
    uint64_t bits = SMMU_PTE_VALID | SMMU_PTE_AP_UNPRIVILEGED | SMMU_PTE_AF | SMMU_PTE_NG |
                    (prot == HAL_PROT_WRITE ? 0 : SMMU_PTE_AP_READ_ONLY);

    while (len > 0) {
        bool block = (iova | pa) % BLOCK == 0 && len >= BLOCK;
        uint64_t step = block ? BLOCK : SMMU_PAGE;
        uint64_t *entry = entry_at(hal, io, iova, block ? 2 : 3, true);

        if (!entry) {
            return -ENOMEM;
        }
        *entry = pa | bits | (block ? 0 : SMMU_PTE_TABLE);
        iova += step;
        pa += step;
        len -= step;
    }
    return 0;
}

static void tables_unmap(struct hal *hal, struct inproc_iommu *io, uint64_t iova, uint64_t len)
{
    for (uint64_t at = iova; at < iova + len;) {
        uint64_t *block = entry_at(hal, io, at, 2, false);
        uint64_t *page = entry_at(hal, io, at, 3, false);

        if (page) {
            *page = 0;
        } else if (block && at % BLOCK == 0 && iova + len - at >= BLOCK) {
            *block = 0;
            at += BLOCK - SMMU_PAGE;
        }
        at += SMMU_PAGE;
    }
}

static void tlb_invalidate(struct hal *hal, const struct inproc_iommu *io, uint64_t iova,
                           uint64_t len)
{
    if (len / SMMU_PAGE > INVALIDATE_BY_PAGE) {
        bank_write(hal, io, SMMU_CB_TLBIASID, (uint32_t)asid_of(io));
    } else {
        for (uint64_t off = 0; off < len; off += SMMU_PAGE) {
            bank_write64(hal, io, SMMU_CB_TLBIVAL,
                         asid_of(io) << 48 | (iova + off) >> SMMU_PAGE_SHIFT);
        }
    }
    bank_write(hal, io, SMMU_CB_TLBSYNC, 0);
}

/* --- attaching ------------------------------------------------------------------------------- */

static void bank_program(struct hal *hal, const struct inproc_iommu *io)
{
    bank_write64(hal, io, SMMU_CB_TTBR0, asid_of(io) << 48 | io->table);
    bank_write(hal, io, SMMU_CB_TCR,
               FIELD_PUT(SMMU_CB_TCR_T0SZ, 64 - VA_BITS) | FIELD_PUT(SMMU_CB_TCR_EPD1, 1));
    bank_write(hal, io, SMMU_CB_MAIR0, 0xff44); /* Linux: normal non-cacheable, normal write-back */
    bank_write(hal, io, SMMU_CB_SCTLR,
               FIELD_PUT(SMMU_CB_SCTLR_M, 1) | FIELD_PUT(SMMU_CB_SCTLR_TRE, 1) |
                   FIELD_PUT(SMMU_CB_SCTLR_AFFD, 1) | FIELD_PUT(SMMU_CB_SCTLR_CFRE, 1) |
                   FIELD_PUT(SMMU_CB_SCTLR_CFIE, 1));
}

static void stream_program(struct hal *hal, const struct inproc_iommu *io)
{
    uint64_t base = smmu_page(hal, io, 0);

    soc_mmio_write32(hal->soc, base + SMMU_S2CR + io->bank * 4u,
                     FIELD_PUT(SMMU_S2CR_CBNDX, io->bank));
    soc_mmio_write32(hal->soc, base + SMMU_SMR + io->bank * 4u,
                     FIELD_PUT(SMMU_SMR_ID, io->stream) | FIELD_PUT(SMMU_SMR_VALID, 1));
    soc_mmio_write32(hal->soc, base + SMMU_TLBIALLNSNH, 0);
    soc_mmio_write32(hal->soc, base + SMMU_sTLBGSYNC, 0);
    soc_mmio_write32(hal->soc, base + SMMU_sCR0,
                     FIELD_PUT(SMMU_sCR0_GFRE, 1) | FIELD_PUT(SMMU_sCR0_GFIE, 1) |
                         FIELD_PUT(SMMU_sCR0_USFCFG, 1) | FIELD_PUT(SMMU_sCR0_SMCFCFG, 1));
}

/* All syncpoints, as nvhost maps them for its engines. */
static int shim_map(struct hal *hal, struct inproc_iommu *io)
{
    uint64_t base = soc_syncpt_shim(hal->soc, 0);
    uint64_t len = soc_syncpt_shim(hal->soc, hal->config.profile->host1x.syncpts) - base;

    if (!extents_alloc(&io->iova, len + HAL_PAGE, BLOCK, &io->shim)) {
        return -ENOSPC;
    }
    return tables_map(hal, io, io->shim, base, len, HAL_PROT_WRITE);
}

int inproc_iommu_check(const struct hal *hal)
{
    const struct soc_profile *p = hal->config.profile;

    if (p->dla.cores == 0 || soc_unit_base(hal->soc, UNIT_DLA, NULL)) {
        return 0;
    }
    fprintf(stderr,
            "vtegra: profile %s: dla.cores = %u, but there is no DLA: soc.chip = %s must be t194 "
            "or t234 "
            "and dla.config = %s an NVDLA configuration (nv_small ... nv_full)\n",
            p->soc.name, p->dla.cores, p->soc.chip, p->dla.config);
    return -EINVAL;
}

int inproc_iommu_attach(struct hal *hal, enum unit_id unit)
{
    struct inproc_iommu *io = iommu_of(hal, unit);
    int err;

    if (!io || soc_unit_smmu(hal->soc, unit, &io->smmu, &io->stream) != 0) {
        return -ENODEV;
    }
    if (io->table) {
        return 0;
    }
    io->bank = (unsigned)unit_engine(unit);
    io->table = table_new(hal, io);
    if (!io->table) {
        return -ENOMEM;
    }
    extents_init(&io->iova, IOVA_FIRST, IOVA_END);
    err = shim_map(hal, io);
    inproc_enter(hal);
    bank_program(hal, io);
    stream_program(hal, io);
    inproc_leave(hal);
    return err;
}

void inproc_iommu_close(struct hal *hal)
{
    for (unsigned i = 0; i < G_N_ELEMENTS(hal->iommu); i++) {
        if (hal->iommu[i].table) {
            extents_clear(&hal->iommu[i].iova);
        }
    }
}

/* --- hal.h ----------------------------------------------------------------------------------- */

int hal_iommu_map(struct hal *hal, enum unit_id unit, const struct hal_mem *mem, size_t offset,
                  size_t len, enum hal_prot prot, uint64_t *iova)
{
    struct inproc_iommu *io = iommu_of(hal, unit);
    int err = inproc_iommu_attach(hal, unit);
    uint64_t bus = mem->bus + offset;

    if (err) {
        return err;
    }
    if (len == 0 || offset % HAL_PAGE || len % HAL_PAGE || offset > mem->size ||
        len > mem->size - offset || prot == HAL_PROT_NONE) {
        return -EINVAL;
    }
    /* A page without a mapping lies behind each, so that who runs over the end is caught. */
    if (!extents_alloc(&io->iova, len + HAL_PAGE,
                       bus % BLOCK == 0 && len >= BLOCK ? BLOCK : HAL_PAGE, iova)) {
        return -ENOSPC;
    }
    err = tables_map(hal, io, *iova, bus, len, prot);
    if (err) {
        hal_iommu_unmap(hal, unit, *iova, len);
    }
    return err;
}

void hal_iommu_unmap(struct hal *hal, enum unit_id unit, uint64_t iova, size_t len)
{
    struct inproc_iommu *io = iommu_of(hal, unit);

    if (!io || !io->table || len == 0) {
        return;
    }
    tables_unmap(hal, io, iova, len);
    inproc_enter(hal);
    tlb_invalidate(hal, io, iova, len);
    inproc_leave(hal);
    extents_free(&io->iova, iova, len + HAL_PAGE);
}

int hal_iommu_syncpt(struct hal *hal, enum unit_id unit, uint32_t syncpt, uint64_t *iova)
{
    int err = inproc_iommu_attach(hal, unit);

    if (err || syncpt >= hal->config.profile->host1x.syncpts) {
        return err ? err : -EINVAL;
    }
    *iova = iommu_of(hal, unit)->shim + soc_syncpt_shim(hal->soc, syncpt) -
            soc_syncpt_shim(hal->soc, 0);
    return 0;
}

/* As arm_smmu_context_fault() reads it, and clears it. */
static bool bank_fault(struct hal *hal, const struct inproc_iommu *io, struct hal_iommu_fault *out)
{
    uint64_t bank = bank_page(hal, io);
    uint32_t fsr = reg_read(hal, bank + SMMU_CB_FSR);

    if (!fsr) {
        return false;
    }
    out->fsr = fsr & ~FIELD_MASK(SMMU_CB_FSR_MULTI);
    out->multiple = fsr & FIELD_MASK(SMMU_CB_FSR_MULTI);
    out->fsynr = reg_read(hal, bank + SMMU_CB_FSYNR0);
    out->write = FIELD_GET(SMMU_CB_FSYNR0_WNR, out->fsynr);
    out->iova = reg_read(hal, bank + SMMU_CB_FAR) | (uint64_t)reg_read(hal, bank + SMMU_CB_FAR + 4)
                                                        << 32;
    out->cbfrsynra = reg_read(hal, smmu_page(hal, io, 1) + SMMU_CBFRSYNRA + io->bank * 4u);
    out->cb = io->bank;
    bank_write(hal, io, SMMU_CB_FSR, fsr);
    return true;
}

bool hal_iommu_fault(struct hal *hal, enum unit_id unit, struct hal_iommu_fault *out)
{
    struct inproc_iommu *io = iommu_of(hal, unit);
    bool found;

    if (!io || !io->table) {
        return false;
    }
    *out = (struct hal_iommu_fault){ 0 };
    snprintf(out->smmu, sizeof(out->smmu), "%llx",
             (unsigned long long)soc_unit_base(hal->soc, io->smmu, NULL));
    inproc_enter(hal);
    found = bank_fault(hal, io, out);
    inproc_leave(hal);
    return found;
}
