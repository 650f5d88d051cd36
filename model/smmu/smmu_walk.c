/* SPDX-License-Identifier: MIT */
/* Translation tables and the TLB. Source: Arm ARM (DDI 0487), D8.2 and D8.3, as IHI 0062D refers to
 * it. */
#include "model/smmu/smmu_internal.h"

#include <glib.h>

#define FAULT(f) FIELD_MASK(SMMU_CB_FSR_##f)

static struct smmu_entry *smmu_walk_refuse(struct smmu_walk_fault *fault, uint32_t fsr,
                                           unsigned level, const char *reason)
{
    *fault = (struct smmu_walk_fault){ fsr, level, false, reason };
    return NULL;
}

/* --- the TLB --------------------------------------------------------------------------------- */

/* An invalid slot of the index too: a hit only if the rest agrees. */
static struct smmu_entry *slot_of(struct smmu *s, const struct smmu_bank *b, uint64_t iova)
{
    uint64_t page = iova >> SMMU_PAGE_SHIFT;

    if (!s->tlb) {
        s->tlb = g_new0(struct smmu_entry, SMMU_TLB_ENTRIES);
    }
    return &s->tlb[(page ^ page >> 10 ^ smmu_bank_vmid(b) * 31u ^ smmu_bank_asid(b) * 257u) %
                   SMMU_TLB_ENTRIES];
}

static bool smmu_walk_hits(const struct smmu_entry *e, const struct smmu_bank *b, uint64_t iova)
{
    return e->valid && e->va == (iova & ~(uint64_t)(SMMU_PAGE - 1)) &&
           e->vmid == smmu_bank_vmid(b) && (e->global || e->asid == smmu_bank_asid(b));
}

static bool smmu_walk_concerned(const struct smmu_entry *e, const struct smmu_tlbi *what)
{
    return e->valid && (what->vmid < 0 || what->vmid == e->vmid) &&
           (!what->by_asid || (what->by_va && e->global) ||
            (!e->global && e->asid == what->asid)) &&
           (!what->by_va || e->va >> e->shift == what->va >> e->shift);
}

void smmu_tlb_invalidate(struct smmu *s, const struct smmu_tlbi *what)
{
    unsigned n = 0;

    for (unsigned i = 0; s->tlb && i < SMMU_TLB_ENTRIES; i++) {
        if (smmu_walk_concerned(&s->tlb[i], what)) {
            s->tlb[i].valid = false;
            n++;
        }
    }
    trace_emit(s->config.trace, TRACE_EVENT_MMU_INVALIDATE, BUS_AGENT_CPU, 0, n, 0, 0, 0);
}

/* --- the walk -------------------------------------------------------------------------------- */

/* Bits of address -> level of the first table. */
static unsigned first_level(unsigned bits)
{
    return bits > 39 ? 0 : bits > 30 ? 1 : 2;
}

/* A first table has one entry for each value of the bits that it resolves, and is aligned to its
 * size, to 64 bytes at least (Arm ARM, D8.2). */
static uint64_t first_table(uint64_t ttbr, unsigned bits)
{
    uint64_t bytes = UINT64_C(8) << (bits - SMMU_LEVEL_SHIFT(first_level(bits)));

    return ttbr & UINT64_C(0xffffffffffff) & ~((bytes < 64 ? 64 : bytes) - 1);
}

/* Which half of the address space, how many bits of address, and where its tables begin.
 * Return: false if the address lies in neither half, or the half is off or of another format. */
static bool table_base(const struct smmu_bank *b, uint64_t iova, uint64_t *table, unsigned *bits)
{
    bool upper = iova >> 63;
    unsigned size =
        upper ? FIELD_GET(SMMU_CB_TCR_T1SZ, b->tcr) : FIELD_GET(SMMU_CB_TCR_T0SZ, b->tcr);
    bool off = upper ? FIELD_GET(SMMU_CB_TCR_EPD1, b->tcr) : FIELD_GET(SMMU_CB_TCR_EPD0, b->tcr);
    bool granule_4k =
        upper ? FIELD_GET(SMMU_CB_TCR_TG1, b->tcr) == 2 : FIELD_GET(SMMU_CB_TCR_TG0, b->tcr) == 0;

    if (off || !granule_4k || size < 16 || size > 39) {
        return false;
    }
    *bits = 64 - size;
    *table = first_table(b->ttbr[upper], *bits);
    return upper ? (int64_t)iova >> *bits == -1 : iova >> *bits == 0;
}

/* What the tables on the way take away from the page below them. */
struct allowed {
    bool unprivileged, write;
};

static struct smmu_entry *smmu_walk_leaf(struct smmu *s, const struct smmu_bank *b, uint64_t iova,
                                         uint64_t pte, unsigned level, struct allowed may,
                                         bool write, struct smmu_walk_fault *fault)
{
    unsigned shift = SMMU_LEVEL_SHIFT(level);
    uint64_t inside = (UINT64_C(1) << shift) - SMMU_PAGE;
    struct smmu_entry *e = slot_of(s, b, iova);

    may.write = may.write && !(pte & SMMU_PTE_AP_READ_ONLY);
    if (!(pte & SMMU_PTE_AF) && !FIELD_GET(SMMU_CB_SCTLR_AFFD, b->sctlr)) {
        return smmu_walk_refuse(fault, FAULT(AFF), level, "access flag is clear");
    }
    if (!may.unprivileged || !(pte & SMMU_PTE_AP_UNPRIVILEGED)) {
        return smmu_walk_refuse(fault, FAULT(PF), level, "privileged accesses only");
    }
    *e = (struct smmu_entry){
        .va = iova & ~(uint64_t)(SMMU_PAGE - 1),
        .pa = (pte & SMMU_PTE_ADDRESS_MASK & ~inside) | (iova & inside),
        .valid = true,
        .read_only = !may.write,
        .global = !(pte & SMMU_PTE_NG),
        .vmid = (uint8_t)smmu_bank_vmid(b),
        .asid = smmu_bank_asid(b),
        .shift = (uint8_t)shift,
    };
    if (write && e->read_only) {
        return smmu_walk_refuse(fault, FAULT(PF), level, "read-only");
    }
    return e;
}

static struct smmu_entry *smmu_walk_walk(struct smmu *s, const struct smmu_bank *b, uint64_t iova,
                                         bool write, struct smmu_walk_fault *fault)
{
    struct allowed may = { true, true };
    uint64_t table, pte;
    unsigned bits;

    if (!table_base(b, iova, &table, &bits)) {
        return smmu_walk_refuse(fault, FAULT(TF), 0, "address outside the tables");
    }
    for (unsigned level = first_level(bits); level < 4; level++) {
        uint64_t resolved = iova & ((UINT64_C(1) << bits) - 1); /* not the ones of the upper half */
        unsigned index = resolved >> SMMU_LEVEL_SHIFT(level) & (SMMU_TABLE_ENTRIES - 1);
        bool next;

        if (!s->config.read(s->config.opaque, table + index * 8, &pte)) {
            smmu_walk_refuse(fault, FAULT(EF), level, "table not in memory");
            fault->external = true;
            return NULL;
        }
        next = pte & SMMU_PTE_TABLE;
        if (!(pte & SMMU_PTE_VALID) || (level == 0 && !next) || (level == 3 && !next)) {
            return smmu_walk_refuse(fault, FAULT(TF), level, "not mapped");
        }
        if (!next || level == 3) {
            return smmu_walk_leaf(s, b, iova, pte, level, may, write, fault);
        }
        may.unprivileged &= !(pte & SMMU_TABLE_AP_UNPRIVILEGED_NONE);
        may.write &= !(pte & SMMU_TABLE_AP_READ_ONLY);
        table = pte & SMMU_PTE_ADDRESS_MASK;
    }
    return smmu_walk_refuse(fault, FAULT(TF), 3, "not mapped");
}

struct smmu_entry *smmu_bank_translate(struct smmu *s, const struct smmu_bank *b, uint64_t iova,
                                       bool write, struct smmu_walk_fault *fault)
{
    struct smmu_entry *e = slot_of(s, b, iova);

    if (!smmu_walk_hits(e, b, iova)) {
        return smmu_walk_walk(s, b, iova, write, fault);
    }
    if (write && e->read_only) {
        return smmu_walk_refuse(fault, FAULT(PF), 3 - (e->shift - SMMU_PAGE_SHIFT) / 9u,
                                "read-only");
    }
    return e;
}
