/* SPDX-License-Identifier: MIT */
/* An SMMU alone: registers, 64 pages of memory for its tables, an interrupt line and its records.
 * Offsets, register values and descriptors are written out by hand from Arm IHI 0062D and the Arm
 * ARM (DDI 0487), D8. */
#ifndef TESTS_SMMU_RIG_H
#define TESTS_SMMU_RIG_H

#include "model/smmu/smmu.h"
#include "trace/record.h"

#define SRIG_BANKS 8u
#define SRIG_STREAM 0x1234u
#define SRIG_PAGES 64u

struct srig {
    struct smmu *smmu;
    struct trace trace;
    uint64_t memory[SRIG_PAGES * 512]; /* from physical address 0 */
    unsigned next_table;               /* page */
    bool irq;
    unsigned seen[TRACE_EVENT_COUNT];
    struct trace_record last;
    struct bus_fault fault; /* of the last translation that was refused */
};

extern struct srig rig;

/* A setup for Check. Bank 0 walks 48 bits from page 0 with ASID 1, faults answer an error and
 * interrupt; SRIG_STREAM goes there by group 0; translation is on. */
void srig_open(void);
/* The same, as after reset. */
void srig_open_reset(void);
void srig_close(void);

uint32_t srig_read(uint32_t offset);
void srig_write(uint32_t offset, uint32_t value);
/* Offset of a register of context bank @bank: page @bank of the window's upper half. */
uint32_t srig_bank(unsigned bank, uint32_t offset);
void srig_write64(uint32_t offset, uint64_t value);

/* The descriptor of @iova at @level in tables whose first, of level @from, is page @root; the
 * tables on the way are made. */
uint64_t *srig_entry(unsigned root, unsigned from, uint64_t iova, unsigned level);
/* srig_entry() for 48 bits. */
uint64_t *srig_pte(uint64_t iova);

/* Translates for SRIG_STREAM, by the DLA. NULL: refused. */
struct smmu_entry *srig_find(uint64_t iova, bool write);

#endif
