/* SPDX-License-Identifier: MIT */
/* The SMMU: from a stream ID and an I/O virtual address to a physical address.
 *
 *   stream ID -> SMR that matches -> S2CR -> context bank -> walk of tables in memory -> page
 *
 * Arm MMU-500 (SMMUv2, IHI 0062D): AArch64 tables, stage 1, 4 KiB granule. Registers:
 * model/regs/smmu.def; tables: model/regs/smmu.h. Translations stay in the TLB, by VMID and ASID,
 * until software invalidates them: a driver that forgets to sees the old mapping. An address
 * without a mapping is never kept (Arm ARM, D8.14), so a new mapping needs no invalidation.
 *
 * Not here, and read-as-zero so that software can see it: stage 2, the 32-bit table formats, 16 and
 * 64 KiB granules (a bank that asks for them faults at level 0), the stall model. Interrupts of
 * global faults and of all banks share one line.
 *
 * Files: smmu.c registers and streams, smmu_walk.c tables and TLB. */
#ifndef MODEL_SMMU_SMMU_H
#define MODEL_SMMU_SMMU_H

#include "model/bus.h"
#include "trace/record.h"

struct smmu;

extern const struct mmio_ops smmu_ops;
/* Size of the window, which the number of context banks decides. */
uint64_t smmu_window(const struct smmu *s);

/* How the walk reads its tables: 64 bits at a physical address. Return: false if nothing is there.
 */
typedef bool smmu_read64(void *opaque, uint64_t pa, uint64_t *value);

/**
 * struct smmu_config - what is built
 * @context_banks: a power of two, 2..128
 * @coherent_walk: IDR0.CTTW
 * @read, @opaque, @trace, @irq: not owned
 */
struct smmu_config {
    unsigned context_banks;
    bool coherent_walk;
    smmu_read64 *read;
    void *opaque;
    struct trace *trace;
    struct irq *irq;
};

/**
 * struct smmu_entry - a translation of one page
 * @pa: physical address of the page
 * @discard: a fault that the bank answers without an error: reads give 0, writes vanish
 * @page, @page_for, @page_writable, @generation: the owner's, kept with the entry; 0 in a new one
 */
struct smmu_entry {
    uint64_t va, pa;
    bool valid, read_only, global, discard;
    uint8_t vmid, shift; /* of the block or page it comes from */
    uint16_t asid;
    void *page;
    unsigned page_for;
    bool page_writable;
    unsigned generation;
};

struct smmu *smmu_new(const struct smmu_config *config);
void smmu_free(struct smmu *s);

/**
 * smmu_translate - find the page behind an address
 * @fault: filled when there is none; NULL: just looking, nothing is recorded
 * @agent: for records
 *
 * Return: the entry, valid until the next call; NULL if the access is refused. A refusal is in FSR,
 * FAR and FSYNR0 of the bank (or in sGFSR), and in a record.
 */
struct smmu_entry *smmu_translate(struct smmu *s, uint32_t stream, uint64_t iova, bool write,
                                  uint32_t agent, struct bus_fault *fault);

#endif
