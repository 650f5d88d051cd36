/* SPDX-License-Identifier: MIT */
#include "tests/smmu_rig.h"

#include <check.h>
#include <string.h>

struct srig rig;

void irq_set(struct irq *irq, bool level)
{
    *(bool *)(void *)irq = level;
}

static void sink(void *opaque, const struct trace_record *r)
{
    (void)opaque;
    rig.seen[r->event]++;
    rig.last = *r;
}

static bool read64(void *opaque, uint64_t pa, uint64_t *value)
{
    (void)opaque;
    ck_assert_uint_eq(pa % 8, 0);
    if (pa >= sizeof(rig.memory)) {
        return false;
    }
    *value = rig.memory[pa / 8];
    return true;
}

void srig_open_reset(void)
{
    memset(&rig, 0, sizeof(rig));
    rig.trace = (struct trace){ .mask = TRACE_ALL, .sink = sink };
    rig.next_table = 2;
    rig.smmu = smmu_new(&(struct smmu_config){ .context_banks = SRIG_BANKS,
                                               .read = read64,
                                               .trace = &rig.trace,
                                               .irq = (struct irq *)(void *)&rig.irq });
}

void srig_open(void)
{
    srig_open_reset();
    srig_write64(srig_bank(0, 0x20), UINT64_C(1) << 48); /* TTBR0: ASID 1, page 0 */
    srig_write(srig_bank(0, 0x30), 1u << 23 | 16);       /* TCR: EPD1, T0SZ: 48 bits */
    srig_write(srig_bank(0, 0x00), 0x61);                /* SCTLR: CFIE, CFRE, M */
    srig_write(0xc00, 0);                                /* S2CR0: bank 0 */
    srig_write(0x800, 0x80000000u | SRIG_STREAM);        /* SMR0 */
    srig_write(0x000, 0x200406);                         /* sCR0: SMCFCFG, USFCFG, GFIE, GFRE */
}

void srig_close(void)
{
    smmu_free(rig.smmu);
}

uint32_t srig_read(uint32_t offset)
{
    return smmu_ops.read(rig.smmu, offset);
}

void srig_write(uint32_t offset, uint32_t value)
{
    smmu_ops.write(rig.smmu, offset, value);
}

uint32_t srig_bank(unsigned bank, uint32_t offset)
{
    return (SRIG_BANKS + bank) * 0x10000u + offset;
}

void srig_write64(uint32_t offset, uint64_t value)
{
    srig_write(offset, (uint32_t)value);
    srig_write(offset + 4, (uint32_t)(value >> 32));
}

uint64_t *srig_entry(unsigned root, unsigned from, uint64_t iova, unsigned level)
{
    unsigned page = root;

    for (unsigned l = from;; l++) {
        uint64_t *entry = &rig.memory[page * 512 + (iova >> (39 - 9 * l) & 511)];

        if (l == level) {
            return entry;
        }
        if (*entry == 0) {
            ck_assert_uint_lt(rig.next_table, SRIG_PAGES);
            *entry = rig.next_table++ * UINT64_C(4096) | 3;
        }
        page = (*entry & UINT64_C(0xfffffffff000)) / 4096;
    }
}

uint64_t *srig_pte(uint64_t iova)
{
    return srig_entry(0, 0, iova, 3);
}

struct smmu_entry *srig_find(uint64_t iova, bool write)
{
    return smmu_translate(rig.smmu, SRIG_STREAM, iova, write, BUS_AGENT_DLA, &rig.fault);
}
