/* SPDX-License-Identifier: MIT */
/* The register file inside: storage, and operations made from it. */
#ifndef MODEL_DLA_REGS_FILE_H
#define MODEL_DLA_REGS_FILE_H

#include "model/dla/nvdla.h"
#include "model/dla/regs.h"

#define DLA_REG_WORDS 0x70u /* CFGROM is the longest block */
#define DLA_BDMA_SLOTS 20u

/**
 * struct dla_regs
 * @word: [unit][group][offset / 4]; registers that are not doubled live in group 0
 * @consumer: [unit]
 * @dead: [unit]: an operation failed there
 * @lut: [0] SDP, [1] CDP: tables and access port state
 * @bdma: transfers that wait for their launch; @bdma_queued of them
 * @launch: by group: transfers that have been launched; @launched: it has not ended;
 * @launched_last: the later of both
 * @kicked: an operation may have become ready since dla_regs_run(); @stopped: the port has ended
 * one
 * @conv: the last convolution: what "reuse" refers to
 */
struct dla_regs {
    const struct dla_config *cfg;
    struct dla_port *port;
    uint32_t word[NVDLA_UNIT_COUNT][2][DLA_REG_WORDS];
    uint8_t consumer[NVDLA_UNIT_COUNT];
    bool dead[NVDLA_UNIT_COUNT];
    uint32_t intr;
    struct dla_lut lut[2];
    struct dla_bdma_op bdma[DLA_BDMA_SLOTS];
    unsigned bdma_queued, launched_last;
    struct {
        struct dla_bdma_op op[DLA_BDMA_SLOTS];
        unsigned count;
    } launch[2];
    bool launched[2], kicked, stopped;
    struct dla_conv_op conv;
    bool conv_valid;
    struct dla_error fault;
    bool faulted;
    unsigned unknown;
};

/* The consumer group's value of a register. */
static inline uint32_t dla_reg(const struct dla_regs *r, enum nvdla_unit unit, unsigned offset)
{
    return r->word[unit][r->consumer[unit]][offset / 4];
}

#define REG_VALUE(r, unit, name) dla_reg(r, NVDLA_UNIT_##unit, NVDLA_##unit##_##name)
#define REG_FIELD(r, unit, name, field) \
    FIELD_GET(NVDLA_##unit##_##name##_##field, REG_VALUE(r, unit, name))

/* Operations from the consumer groups. */
void dla_regs_conv(const struct dla_regs *r, struct dla_conv_op *op);
void dla_regs_sdp(const struct dla_regs *r, struct dla_sdp_op *op);
void dla_regs_pdp(const struct dla_regs *r, struct dla_pdp_op *op);
void dla_regs_cdp(const struct dla_regs *r, struct dla_cdp_op *op);
void dla_regs_rubik(const struct dla_regs *r, struct dla_rubik_op *op);
void dla_regs_bdma(const struct dla_regs *r, struct dla_bdma_op *op);
/* regs_bdma.c: a write that adds or launches transfers; the launched group runs. Return: false:
 * none can. */
void dla_regs_bdma_write(struct dla_regs *r, uint32_t offset, uint32_t value);
bool dla_regs_bdma_step(struct dla_regs *r);
uint32_t dla_regs_bdma_status(const struct dla_regs *r);
/* Table registers of SDP or CDP into r->lut. */
void dla_regs_lut(struct dla_regs *r, bool cdp);

#endif
