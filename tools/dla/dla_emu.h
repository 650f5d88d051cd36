/* SPDX-License-Identifier: MIT */
/* Tasks for the CPU (EMU1): what nvdla/sw's runtime computes itself, power and softmax, and ONNC's
 * logarithm. */
#ifndef TOOLS_DLA_EMU_H
#define TOOLS_DLA_EMU_H

#include "tools/dla/dla_net.h"

enum dla_emu_op { DLA_EMU_POWER, DLA_EMU_SOFTMAX, DLA_EMU_LOG };
enum dla_emu_format { DLA_EMU_INT8, DLA_EMU_INT8_8, DLA_EMU_INT16, DLA_EMU_FP16 };

/* A cube: @iova of its first number; strides in bytes. */
struct dla_emu_cube {
    uint64_t iova;
    enum dla_emu_format format;
    uint32_t width, height, channels, line_stride, surf_stride;
};

/**
 * struct dla_emu - an operation
 * @power: y = (shift + scale * x)^power
 * @in_scale, @out_scale: of int8: the number times it is the value
 */
struct dla_emu {
    enum dla_emu_op op;
    float in_scale, out_scale, power, scale, shift;
    struct dla_emu_cube src, dst;
};

/**
 * dla_emu_get - operation @i of a task for the CPU
 * @net: of dla_net_init(), with @cpu set
 *
 * Return: FALSE with @error: a damaged descriptor, or what the runtime does not compute.
 */
gboolean dla_emu_get(const struct dla_net *net, unsigned i, struct dla_emu *e, GError **error);
const char *dla_emu_format_name(enum dla_emu_format format);
gboolean dla_emu_run(const struct dla_net *net, GError **error);

#endif
