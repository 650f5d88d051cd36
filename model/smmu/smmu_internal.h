/* SPDX-License-Identifier: MIT */
#ifndef MODEL_SMMU_SMMU_INTERNAL_H
#define MODEL_SMMU_SMMU_INTERNAL_H

#include "model/regs/regs.h"
#include "model/regs/smmu.h"
#include "model/smmu/smmu.h"

#define SMMU_STREAM_GROUPS 128u
#define SMMU_BANKS_MAX 128u
#define SMMU_TLB_ENTRIES 1024u
#define SMMU_WINDOW_PAGE 0x10000u /* IDR1.PAGESIZE */

struct smmu_bank {
    uint32_t sctlr, tcr, tcr2, contextidr, mair[2], fsr, fsynr0, cbfrsynra, cbar;
    uint32_t tlbi_low;
    uint64_t ttbr[2], far;
};

/* Where a stream goes; kept until a stream register changes. */
struct smmu_route {
    bool known, bypass;
    uint32_t stream, global_fault; /* bit of sGFSR, 0 = none */
    unsigned bank;
};

struct smmu {
    struct smmu_config config;
    uint32_t scr0, gfsr, gfsynr0, gfsynr1;
    uint64_t gfar;
    uint32_t smr[SMMU_STREAM_GROUPS], s2cr[SMMU_STREAM_GROUPS];
    struct smmu_bank bank[SMMU_BANKS_MAX];
    bool faulted; /* perhaps a bank's fsr is not 0 */
    struct smmu_route route;
    struct smmu_entry *tlb; /* SMMU_TLB_ENTRIES; NULL before the first translation */
    struct smmu_entry untranslated;
};

/* Why a walk failed. @reason: constant text */
struct smmu_walk_fault {
    uint32_t fsr; /* one of TF, AFF, PF, EF */
    unsigned level;
    bool external;
    const char *reason;
};

static inline unsigned smmu_bank_vmid(const struct smmu_bank *b)
{
    return FIELD_GET(SMMU_CBAR_VMID, b->cbar);
}

static inline uint16_t smmu_bank_asid(const struct smmu_bank *b)
{
    return (uint16_t)(b->ttbr[FIELD_GET(SMMU_CB_TCR_A1, b->tcr)] >> 48);
}

/* The TLB's answer, or a walk's, which then is in the TLB. NULL with @fault filled. */
struct smmu_entry *smmu_bank_translate(struct smmu *s, const struct smmu_bank *b, uint64_t iova,
                                       bool write, struct smmu_walk_fault *fault);

/* Which entries an invalidation takes; a negative number or a false flag: whichever. */
struct smmu_tlbi {
    int vmid;
    bool by_asid, by_va;
    uint16_t asid;
    uint64_t va;
};

void smmu_tlb_invalidate(struct smmu *s, const struct smmu_tlbi *what);

#endif
