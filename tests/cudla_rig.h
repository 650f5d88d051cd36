/* SPDX-License-Identifier: MIT */
/* A small loadable for tests of cuDLA: one SDP operation a task, from input to output, int8, 8 x 8
 * x 32 channels in one surface of 32-byte atoms; made from the published layouts
 * (loadable/desc.def). */
#ifndef TESTS_CUDLA_RIG_H
#define TESTS_CUDLA_RIG_H

#include <stddef.h>
#include <stdint.h>

enum { RIG_W = 8, RIG_H = 8, RIG_C = 32, RIG_BYTES = RIG_W * RIG_H * RIG_C };

/**
 * struct rig_net - what the network does: out = saturate(round(relu(in) * scale / 2^shift))
 * @tasks: how many, one after the other, through memory of the module's own; 0 means 1
 * @relu: 0 leaves negative values alone
 * @minor: blob version 0.minor; 0 means 12
 * @pixel_mapping: of the input's description; @interface: of the task, 0 means DLA1
 */
struct rig_net {
    unsigned tasks, relu, minor, pixel_mapping, interface;
    int scale, shift;
};

/* The bytes; free() them. */
uint8_t *rig_loadable(const struct rig_net *net, size_t *len);

/* The same in plain C. */
int8_t rig_expect(const struct rig_net *net, int8_t x);

#endif
