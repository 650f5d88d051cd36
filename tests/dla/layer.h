/* SPDX-License-Identifier: MIT */
/* One layer of a vector, how a driver would program it into the registers, and how a compiler would
 * describe it in a task. */
#ifndef TESTS_DLA_LAYER_H
#define TESTS_DLA_LAYER_H

#include "model/dla/dla.h"
#include "model/dla/regs.h"
#include "tests/dla/rig.h"

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
 * layer_program - write a layer into group @group of the registers, and enable it
 *
 * Written from the published register list (names, bits): it shares no table with the model. Only
 * where a block lies in a configuration comes from dla_regs_find().
 *
 * Return: false if the configuration has no such unit.
 */
bool layer_program(const struct dla_config *cfg, struct dla_regs *regs, const struct layer *l,
                   unsigned group);
/* The register that reports a counter ("nan_in") of this layer. */
uint32_t layer_counter(const struct dla_config *cfg, const struct layer *l, const char *name);
/* Its bit in GLB.S_INTR_STATUS, group 0. */
unsigned layer_interrupt(const struct layer *l);

#define LAYER_ADDRESSES 32
/* The lists of a task with up to three operations, by the index in the address list. */
struct described {
    uint8_t network[40], ops[3][116], surfaces[3][644], graph[3][36], table[700];
    uint64_t address[LAYER_ADDRESSES];
    unsigned addresses, operations, cube_bytes;
};

/**
 * layer_describe - a layer in descriptors of DLA 1
 * @cube_bytes: 28 or 32, of a data cube
 *
 * Fields are put by loadable/desc.def, which the model does not read.
 * Return: false if descriptors cannot say it: NaNs flushed to zero, an offset in an image's line,
 * other strides for the batches of an operand than for those of the output.
 */
bool layer_describe(const struct layer *l, unsigned cube_bytes, struct described *d);
void layer_place(struct rig *rig, const struct described *d);

#endif
