/* SPDX-License-Identifier: MIT */
/* Registers of the SMMU, the way of a stream to its context bank, and faults. */
#include "model/smmu/smmu_internal.h"

#include <glib.h>

#define WORD(reg64, high) ((uint32_t)((reg64) >> ((high) ? 32 : 0)))

/* --- interrupts and faults ------------------------------------------------------------------- */

static bool banks_interrupt(struct smmu *s)
{
    bool level = false;

    s->faulted = false;
    for (unsigned i = 0; i < s->config.context_banks; i++) {
        s->faulted |= s->bank[i].fsr != 0;
        level |= (s->bank[i].fsr & ~FIELD_MASK(SMMU_CB_FSR_FORMAT)) &&
                 FIELD_GET(SMMU_CB_SCTLR_CFIE, s->bank[i].sctlr);
    }
    return level;
}

static void update_irq(struct smmu *s)
{
    bool level = s->gfsr && FIELD_GET(SMMU_sCR0_GFIE, s->scr0);

    if (s->faulted) {
        level = banks_interrupt(s) || level;
    }
    if (s->config.irq) {
        irq_set(s->config.irq, level);
    }
}

/* The first fault stays until software has cleared it (IHI 0062D, 3.7 "Fault handling"). */
static void bank_fault(struct smmu *s, unsigned index, const struct smmu_walk_fault *why,
                       uint32_t stream, uint64_t iova, bool write, uint32_t agent)
{
    struct smmu_bank *b = &s->bank[index];
    uint32_t fsr = why->fsr | FIELD_PUT(SMMU_CB_FSR_FORMAT, 2);
    uint32_t fsynr0 =
        FIELD_PUT(SMMU_CB_FSYNR0_PLVL, why->level) | FIELD_PUT(SMMU_CB_FSYNR0_WNR, write) |
        FIELD_PUT(SMMU_CB_FSYNR0_PTWF, why->external) | FIELD_PUT(SMMU_CB_FSYNR0_S1CBNDX, index);

    s->faulted = true;
    if (b->fsr) {
        b->fsr |= FIELD_MASK(SMMU_CB_FSR_MULTI);
    } else {
        b->fsr = fsr;
        b->far = iova;
        b->fsynr0 = fsynr0;
        b->cbfrsynra = stream;
    }
    trace_emit(s->config.trace, TRACE_EVENT_SMMU_FAULT, agent, 0, stream, iova, fsr, fsynr0);
    update_irq(s);
}

static void global_fault(struct smmu *s, uint32_t bit, uint32_t stream, uint64_t iova, bool write,
                         uint32_t agent)
{
    if (s->gfsr) {
        s->gfsr |= FIELD_MASK(SMMU_sGFSR_MULTI);
    } else {
        s->gfsr = bit;
        s->gfar = iova;
        s->gfsynr0 = FIELD_PUT(SMMU_sGFSYNR0_WNR, write);
        s->gfsynr1 = stream;
    }
    trace_emit(s->config.trace, TRACE_EVENT_SMMU_GLOBAL_FAULT, agent, 0, stream, iova, bit, write);
    update_irq(s);
}

/* --- streams --------------------------------------------------------------------------------- */

static bool group_matches(uint32_t smr, uint32_t stream)
{
    return FIELD_GET(SMMU_SMR_VALID, smr) &&
           ((FIELD_GET(SMMU_SMR_ID, smr) ^ stream) & ~FIELD_GET(SMMU_SMR_MASK, smr) & 0x7fff) == 0;
}

static void route_by_group(const struct smmu *s, unsigned group, struct smmu_route *r)
{
    unsigned bank = FIELD_GET(SMMU_S2CR_CBNDX, s->s2cr[group]);

    switch (FIELD_GET(SMMU_S2CR_TYPE, s->s2cr[group])) {
    case 0:
        r->bank = bank;
        r->global_fault = bank < s->config.context_banks ? 0 : FIELD_MASK(SMMU_sGFSR_UCBF);
        r->bypass = !r->global_fault && !FIELD_GET(SMMU_CB_SCTLR_M, s->bank[bank].sctlr);
        break;
    case 1:
        r->bypass = true;
        break;
    default:
        r->global_fault = FIELD_MASK(SMMU_sGFSR_ICF);
    }
}

/* IHI 0062D, 2.4 "Stream mapping". */
static const struct smmu_route *route_find(struct smmu *s, uint32_t stream)
{
    struct smmu_route *r = &s->route;
    unsigned matches = 0, group = 0;

    if (r->known && r->stream == stream) {
        return r;
    }
    *r = (struct smmu_route){ .known = true, .stream = stream };
    if (FIELD_GET(SMMU_sCR0_CLIENTPD, s->scr0)) {
        r->bypass = true;
        return r;
    }
    for (unsigned i = SMMU_STREAM_GROUPS; i-- > 0;) {
        if (group_matches(s->smr[i], stream)) {
            matches++;
            group = i; /* of several the first: a choice the architecture leaves open */
        }
    }
    if (matches == 0) {
        r->bypass = !FIELD_GET(SMMU_sCR0_USFCFG, s->scr0);
        r->global_fault = r->bypass ? 0 : FIELD_MASK(SMMU_sGFSR_USF);
    } else if (matches > 1 && FIELD_GET(SMMU_sCR0_SMCFCFG, s->scr0)) {
        r->global_fault = FIELD_MASK(SMMU_sGFSR_SMCF);
    } else {
        route_by_group(s, group, r);
    }
    return r;
}

static struct smmu_entry *smmu_discard(struct smmu *s, uint64_t iova)
{
    s->untranslated = (struct smmu_entry){ .va = iova, .discard = true };
    return &s->untranslated;
}

static struct smmu_entry *smmu_refused(struct bus_fault *fault, uint64_t iova, bool write,
                                       const char *reason)
{
    if (fault) {
        *fault = (struct bus_fault){ .va = iova, .write = write, .reason = reason };
    }
    return NULL;
}

struct smmu_entry *smmu_translate(struct smmu *s, uint32_t stream, uint64_t iova, bool write,
                                  uint32_t agent, struct bus_fault *fault)
{
    const struct smmu_route *r = route_find(s, stream);
    struct smmu_walk_fault why;
    struct smmu_entry *e;

    if (r->global_fault) {
        if (fault) {
            global_fault(s, r->global_fault, stream, iova, write, agent);
            if (!FIELD_GET(SMMU_sCR0_GFRE, s->scr0)) {
                return smmu_discard(s, iova);
            }
        }
        return smmu_refused(fault, iova, write, "stream not configured");
    }
    if (r->bypass) {
        s->untranslated =
            (struct smmu_entry){ .va = iova, .pa = iova & ~(uint64_t)(SMMU_PAGE - 1) };
        return &s->untranslated;
    }
    e = smmu_bank_translate(s, &s->bank[r->bank], iova, write, &why);
    if (!e && fault) {
        bank_fault(s, r->bank, &why, stream, iova, write, agent);
        if (!FIELD_GET(SMMU_CB_SCTLR_CFRE, s->bank[r->bank].sctlr)) {
            return smmu_discard(s, iova);
        }
    }
    return e ? e : smmu_refused(fault, iova, write, why.reason);
}

/* --- registers: global space ----------------------------------------------------------------- */

static unsigned log2_of(unsigned n)
{
    return 31 - (unsigned)__builtin_clz(n);
}

static bool in_words(uint64_t offset, uint64_t first, unsigned count, unsigned *i)
{
    *i = (unsigned)(offset - first) / 4;
    return offset >= first && offset < first + count * 4ull;
}

/* Sizes: 48 bits of address everywhere (IDR2: 5), as Linux finds on T186 to T234. */
static uint32_t id_read(const struct smmu *s, uint64_t offset)
{
    switch (offset) {
    case SMMU_IDR0:
        return FIELD_MASK(SMMU_IDR0_S1TS) | FIELD_MASK(SMMU_IDR0_SMS) |
               FIELD_PUT(SMMU_IDR0_CTTW, s->config.coherent_walk) |
               FIELD_PUT(SMMU_IDR0_NUMIRPT, 1) | FIELD_PUT(SMMU_IDR0_NUMSIDB, 15) |
               FIELD_PUT(SMMU_IDR0_NUMSMRG, SMMU_STREAM_GROUPS);
    case SMMU_IDR1:
        return FIELD_PUT(SMMU_IDR1_PAGESIZE, 1) |
               FIELD_PUT(SMMU_IDR1_NUMPAGENDXB, log2_of(s->config.context_banks) - 1) |
               FIELD_PUT(SMMU_IDR1_NUMCB, s->config.context_banks);
    case SMMU_IDR2:
        return FIELD_PUT(SMMU_IDR2_IAS, 5) | FIELD_PUT(SMMU_IDR2_OAS, 5) |
               FIELD_PUT(SMMU_IDR2_UBS, 5) | FIELD_PUT(SMMU_IDR2_PTFSV8_4kB, 1);
    default:
        return 0x21; /* IDR7: r2p1 (inferred) */
    }
}

static bool gr0_read(const struct smmu *s, uint64_t offset, uint32_t *value)
{
    unsigned i;

    if (in_words(offset, SMMU_SMR, SMMU_STREAM_GROUPS, &i)) {
        *value = s->smr[i];
        return true;
    }
    if (in_words(offset, SMMU_S2CR, SMMU_STREAM_GROUPS, &i)) {
        *value = s->s2cr[i];
        return true;
    }
    switch (offset) {
    case SMMU_sCR0:
        *value = s->scr0;
        return true;
    case SMMU_IDR0:
    case SMMU_IDR1:
    case SMMU_IDR2:
    case SMMU_IDR7:
        *value = id_read(s, offset);
        return true;
    case SMMU_sGFAR:
    case SMMU_sGFAR + 4:
        *value = WORD(s->gfar, offset != SMMU_sGFAR);
        return true;
    case SMMU_sGFSR:
        *value = s->gfsr;
        return true;
    case SMMU_sGFSYNR0:
        *value = s->gfsynr0;
        return true;
    case SMMU_sGFSYNR1:
        *value = s->gfsynr1;
        return true;
    case SMMU_sTLBGSTATUS: /* nothing is ever under way */
        *value = 0;
        return true;
    default:
        return false;
    }
}

static bool gr0_write(struct smmu *s, uint64_t offset, uint32_t val)
{
    unsigned i;

    s->route.known = false;
    if (in_words(offset, SMMU_SMR, SMMU_STREAM_GROUPS, &i)) {
        s->smr[i] = val;
        return true;
    }
    if (in_words(offset, SMMU_S2CR, SMMU_STREAM_GROUPS, &i)) {
        s->s2cr[i] = val & (FIELD_MASK(SMMU_S2CR_CBNDX) | FIELD_MASK(SMMU_S2CR_TYPE));
        return true;
    }
    switch (offset) {
    case SMMU_sCR0:
        s->scr0 = val & (FIELD_MASK(SMMU_sCR0_CLIENTPD) | FIELD_MASK(SMMU_sCR0_GFRE) |
                         FIELD_MASK(SMMU_sCR0_GFIE) | FIELD_MASK(SMMU_sCR0_USFCFG) |
                         FIELD_MASK(SMMU_sCR0_SMCFCFG));
        return true;
    case SMMU_sGFSR:
        s->gfsr &= ~val;
        return true;
    case SMMU_TLBIVMID:
        smmu_tlb_invalidate(s, &(struct smmu_tlbi){ .vmid = (int)(val & 0xff) });
        return true;
    case SMMU_TLBIALLNSNH:
        smmu_tlb_invalidate(s, &(struct smmu_tlbi){ .vmid = -1 });
        return true;
    case SMMU_TLBIALLH: /* nothing is held for a hypervisor's own streams */
    case SMMU_sTLBGSYNC:
        return true;
    default:
        return false;
    }
}

static bool gr1_read(const struct smmu *s, uint64_t offset, uint32_t *value)
{
    unsigned i;

    if (in_words(offset, SMMU_CBAR, s->config.context_banks, &i)) {
        *value = s->bank[i].cbar | FIELD_PUT(SMMU_CBAR_TYPE, 1);
    } else if (in_words(offset, SMMU_CBFRSYNRA, s->config.context_banks, &i)) {
        *value = s->bank[i].cbfrsynra;
    } else if (in_words(offset, SMMU_CBA2R, s->config.context_banks, &i)) {
        *value = FIELD_MASK(SMMU_CBA2R_VA64);
    } else {
        return false;
    }
    return true;
}

static bool gr1_write(struct smmu *s, uint64_t offset, uint32_t val)
{
    unsigned i;

    if (in_words(offset, SMMU_CBAR, s->config.context_banks, &i)) {
        s->bank[i].cbar = val & FIELD_MASK(SMMU_CBAR_VMID);
    } else if (in_words(offset, SMMU_CBFRSYNRA, s->config.context_banks, &i)) {
        s->bank[i].cbfrsynra = val;
    } else {
        return in_words(offset, SMMU_CBA2R, s->config.context_banks, &i);
    }
    return true;
}

/* --- registers: a context bank --------------------------------------------------------------- */

static bool bank_read(const struct smmu_bank *b, uint64_t offset, uint32_t *value)
{
    switch (offset) {
    case SMMU_CB_SCTLR:
        *value = b->sctlr;
        return true;
    case SMMU_CB_TCR2:
        *value = b->tcr2;
        return true;
    case SMMU_CB_TTBR0:
    case SMMU_CB_TTBR0 + 4:
        *value = WORD(b->ttbr[0], offset != SMMU_CB_TTBR0);
        return true;
    case SMMU_CB_TTBR1:
    case SMMU_CB_TTBR1 + 4:
        *value = WORD(b->ttbr[1], offset != SMMU_CB_TTBR1);
        return true;
    case SMMU_CB_TCR:
        *value = b->tcr;
        return true;
    case SMMU_CB_CONTEXTIDR:
        *value = b->contextidr;
        return true;
    case SMMU_CB_MAIR0:
    case SMMU_CB_MAIR1:
        *value = b->mair[offset != SMMU_CB_MAIR0];
        return true;
    case SMMU_CB_FSR:
        *value = b->fsr;
        return true;
    case SMMU_CB_FAR:
    case SMMU_CB_FAR + 4:
        *value = WORD(b->far, offset != SMMU_CB_FAR);
        return true;
    case SMMU_CB_FSYNR0:
        *value = b->fsynr0;
        return true;
    case SMMU_CB_TLBSTATUS:
        *value = 0;
        return true;
    default:
        return false;
    }
}

static void word_put(uint64_t *reg, bool high, uint32_t val)
{
    *reg = high ? (*reg & UINT32_MAX) | (uint64_t)val << 32 : (*reg & ~(uint64_t)UINT32_MAX) | val;
}

/* The high word of TLBIVA, TLBIVAA, TLBIVAL, TLBIVAAL. Bits 43..0 are VA 55..12. */
static void invalidate_va(struct smmu *s, const struct smmu_bank *b, uint32_t high, bool any_asid)
{
    uint64_t operand = (uint64_t)high << 32 | b->tlbi_low;

    smmu_tlb_invalidate(s, &(struct smmu_tlbi){
                               .vmid = (int)smmu_bank_vmid(b),
                               .by_asid = !any_asid,
                               .asid = (uint16_t)(operand >> 48),
                               .by_va = true,
                               .va = (uint64_t)((int64_t)(operand << 20) >> 8),
                           });
}

static bool bank_invalidate(struct smmu *s, struct smmu_bank *b, uint64_t offset, uint32_t val)
{
    int vmid = (int)smmu_bank_vmid(b);

    switch (offset) {
    case SMMU_CB_TLBIVA:
    case SMMU_CB_TLBIVAA:
    case SMMU_CB_TLBIVAL:
    case SMMU_CB_TLBIVAAL:
        b->tlbi_low = val;
        return true;
    case SMMU_CB_TLBIVA + 4:
    case SMMU_CB_TLBIVAL + 4:
        invalidate_va(s, b, val, false);
        return true;
    case SMMU_CB_TLBIVAA + 4:
    case SMMU_CB_TLBIVAAL + 4:
        invalidate_va(s, b, val, true);
        return true;
    case SMMU_CB_TLBIASID:
        smmu_tlb_invalidate(
            s, &(struct smmu_tlbi){ .vmid = vmid, .by_asid = true, .asid = (uint16_t)val });
        return true;
    case SMMU_CB_TLBIALL:
        smmu_tlb_invalidate(s, &(struct smmu_tlbi){ .vmid = vmid });
        return true;
    case SMMU_CB_TLBSYNC:
        return true;
    default:
        return false;
    }
}

static bool bank_write(struct smmu *s, struct smmu_bank *b, uint64_t offset, uint32_t val)
{
    switch (offset) {
    case SMMU_CB_SCTLR:
        b->sctlr = val & (FIELD_MASK(SMMU_CB_SCTLR_M) | FIELD_MASK(SMMU_CB_SCTLR_TRE) |
                          FIELD_MASK(SMMU_CB_SCTLR_AFFD) | FIELD_MASK(SMMU_CB_SCTLR_CFRE) |
                          FIELD_MASK(SMMU_CB_SCTLR_CFIE));
        s->route.known = false;
        return true;
    case SMMU_CB_TCR2:
        b->tcr2 = val;
        return true;
    case SMMU_CB_TTBR0:
    case SMMU_CB_TTBR0 + 4:
        word_put(&b->ttbr[0], offset != SMMU_CB_TTBR0, val);
        return true;
    case SMMU_CB_TTBR1:
    case SMMU_CB_TTBR1 + 4:
        word_put(&b->ttbr[1], offset != SMMU_CB_TTBR1, val);
        return true;
    case SMMU_CB_TCR:
        b->tcr = val;
        return true;
    case SMMU_CB_CONTEXTIDR:
        b->contextidr = val;
        return true;
    case SMMU_CB_MAIR0:
    case SMMU_CB_MAIR1:
        b->mair[offset != SMMU_CB_MAIR0] = val;
        return true;
    case SMMU_CB_FSR:
        b->fsr &= ~val;
        if (!(b->fsr & ~FIELD_MASK(SMMU_CB_FSR_FORMAT))) {
            b->fsr = 0;
        }
        return true;
    case SMMU_CB_FSRRESTORE:
        b->fsr = val;
        s->faulted = true;
        return true;
    case SMMU_CB_FAR:
    case SMMU_CB_FAR + 4:
        word_put(&b->far, offset != SMMU_CB_FAR, val);
        return true;
    case SMMU_CB_FSYNR0:
        b->fsynr0 = val;
        return true;
    default:
        return bank_invalidate(s, b, offset, val);
    }
}

/* --- the device ------------------------------------------------------------------------------ */

uint64_t smmu_window(const struct smmu *s)
{
    return (uint64_t)s->config.context_banks * SMMU_WINDOW_PAGE * 2;
}

/* The bank a window offset lies in; NULL in the global half. *@offset becomes the offset in the
 * page. */
static struct smmu_bank *bank_at(struct smmu *s, uint64_t *offset, unsigned *page)
{
    *page = (unsigned)(*offset / SMMU_WINDOW_PAGE);
    *offset %= SMMU_WINDOW_PAGE;
    return *page < s->config.context_banks ? NULL : &s->bank[*page - s->config.context_banks];
}

static uint32_t smmu_read(void *dev, uint64_t offset)
{
    struct smmu *s = dev;
    uint64_t at = offset;
    unsigned page;
    const struct smmu_bank *b = bank_at(s, &at, &page);
    uint32_t value = 0;
    bool known = b           ? bank_read(b, at, &value)
                 : page == 0 ? gr0_read(s, at, &value)
                 : page == 1 ? gr1_read(s, at, &value)
                             : false;

    if (!known) {
        trace_emit(s->config.trace, TRACE_EVENT_MMIO_UNKNOWN, BUS_AGENT_CPU, 0, offset, 0, 0, 0);
    }
    return value;
}

static void smmu_write(void *dev, uint64_t offset, uint32_t val)
{
    struct smmu *s = dev;
    uint64_t at = offset;
    unsigned page;
    struct smmu_bank *b = bank_at(s, &at, &page);
    bool known = b           ? bank_write(s, b, at, val)
                 : page == 0 ? gr0_write(s, at, val)
                 : page == 1 ? gr1_write(s, at, val)
                             : false;

    if (!known) {
        trace_emit(s->config.trace, TRACE_EVENT_MMIO_UNKNOWN, BUS_AGENT_CPU, 0, offset, 1, val, 0);
    }
    update_irq(s);
}

/* MMU-500 TRM: after reset clients pass untranslated, two matches are a fault. */
static void smmu_reset(void *dev)
{
    struct smmu *s = dev;

    g_free(s->tlb);
    *s = (struct smmu){
        .config = s->config,
        .scr0 = FIELD_MASK(SMMU_sCR0_CLIENTPD) | FIELD_MASK(SMMU_sCR0_SMCFCFG),
    };
    update_irq(s);
}

const struct mmio_ops smmu_ops = {
    .name = "smmu",
    .size = 2ull * SMMU_BANKS_MAX * SMMU_WINDOW_PAGE,
    .reset = smmu_reset,
    .read = smmu_read,
    .write = smmu_write,
};

struct smmu *smmu_new(const struct smmu_config *config)
{
    struct smmu *s = g_new0(struct smmu, 1);

    g_assert(config->context_banks >= 2 && config->context_banks <= SMMU_BANKS_MAX &&
             (config->context_banks & (config->context_banks - 1)) == 0);
    s->config = *config;
    smmu_reset(s);
    return s;
}

void smmu_free(struct smmu *s)
{
    if (s) {
        g_free(s->tlb);
    }
    g_free(s);
}
