/* SPDX-License-Identifier: MIT */
/* One layer of a vector, and how a driver would program it into the registers. */
#ifndef TESTS_DLA_LAYER_H
#define TESTS_DLA_LAYER_H

#include "model/dla/dla.h"
#include "model/dla/regs.h"

/* Everything a vector can hold. @lut: what lut.* fields fill. */
struct layer {
    struct dla_conv_op conv;
    struct dla_sdp_op sdp;
    struct dla_pdp_op pdp;
    struct dla_cdp_op cdp;
    struct dla_bdma_op bdma;
    struct dla_rubik_op rubik;
    struct dla_lut lut;
    char kind[16]; /* of the last operation but a pooling on the fly */
};

/**
 * layer_program - write a layer into group 0 of the registers, and enable it
 *
 * Written from the published register list (names, bits): it shares no table with the model. Only
 * where a block lies in a configuration comes from dla_regs_find().
 *
 * Return: false if the configuration has no such unit.
 */
bool layer_program(const struct dla_config *cfg, struct dla_regs *regs, const struct layer *l);
/* The register that reports a counter ("nan_in") of this layer. */
uint32_t layer_counter(const struct dla_config *cfg, const struct layer *l, const char *name);
/* Its bit in GLB.S_INTR_STATUS, group 0. */
unsigned layer_interrupt(const struct layer *l);

#endif
