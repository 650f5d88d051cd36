/* SPDX-License-Identifier: MIT */
/* Front end (b): the published register file.
 *
 * Each unit has two groups of D_ registers (ping-pong): software writes the group its
 * S_POINTER.PRODUCER names, the hardware works on CONSUMER. An operation can start when OP_ENABLE
 * is set in the consumer group of every unit it needs. dla_regs_run() runs it; it clears OP_ENABLE,
 * moves CONSUMER on and sets bits of GLB.S_INTR_STATUS (programming_guide.rst, "Ping-pong
 * synchronization mechanism"). One operation runs at a time; registers may be accessed while it
 * pauses. Choices where it is silent: D_ registers of an enabled group keep their values; an
 * operation that fails never finishes: its units stay RUNNING and give no interrupt until reset.
 */
#ifndef MODEL_DLA_REGS_H
#define MODEL_DLA_REGS_H

#include "model/dla/dla.h"

/* Bits of GLB.S_INTR_STATUS: twice per unit, group 0 and 1. */
enum dla_intr {
    DLA_INTR_SDP = 0,
    DLA_INTR_CDP = 2,
    DLA_INTR_PDP = 4,
    DLA_INTR_BDMA = 6,
    DLA_INTR_RUBIK = 8,
    DLA_INTR_CDMA_DAT = 16,
    DLA_INTR_CDMA_WT = 18,
    DLA_INTR_CACC = 20,
};

struct dla_regs;

/**
 * dla_regs_new - a register file with its engine
 * @cfg, @port: must outlive it
 */
struct dla_regs *dla_regs_new(const struct dla_config *cfg, struct dla_port *port);
void dla_regs_free(struct dla_regs *r);
void dla_regs_reset(struct dla_regs *r);

/* Any offset: unknown registers read 0 and ignore writes (dla_regs_unknown counts them). */
uint32_t dla_regs_read(struct dla_regs *r, uint32_t offset);
/* Starts nothing. */
void dla_regs_store(struct dla_regs *r, uint32_t offset, uint32_t value);
/* May an operation be ready since the last dla_regs_run()? */
bool dla_regs_kicked(const struct dla_regs *r);
/* Every operation that is ready, one after the other. */
void dla_regs_run(struct dla_regs *r);
/* Both, for who does not share its thread: dla_regs_store(), then dla_regs_run(). */
void dla_regs_write(struct dla_regs *r, uint32_t offset, uint32_t value);

bool dla_regs_irq(const struct dla_regs *r);
/* The failure that stopped a unit, NULL if none did. */
const struct dla_error *dla_regs_fault(const struct dla_regs *r);
unsigned dla_regs_unknown(const struct dla_regs *r);

/* Offset of e.g. "NVDLA_CDMA.D_MISC_CFG_0"; false if there is no such register. */
bool dla_regs_find(const struct dla_config *cfg, const char *name, uint32_t *offset);
/* Unit and register at an offset, e.g. "CDMA" and "D_MISC_CFG_0". */
bool dla_regs_name(const struct dla_config *cfg, uint32_t offset, const char **unit,
                   const char **name);

#endif
