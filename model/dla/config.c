/* SPDX-License-Identifier: MIT */
/* The published configurations. Source: nvdla/hw spec/defs/<name>.spec (master); nv_full: nvdlav1,
 * data formats and unit description of nvdla/doc (int8 runs two kernels a MAC cell, so a group has
 * 32).
 */
#include "model/dla/dla.h"

#include <string.h>

static const struct dla_config dla_configs[] = {
    { .name = "nv_small",
      .atom = 8,
      .atomic_c = 8,
      .atomic_k = 8,
      .kernels_int8 = 8,
      .cbuf_banks = 32,
      .cbuf_width = 8,
      .cbuf_depth = 512,
      .max_batch = 1 },
    { .name = "nv_small_256",
      .atom = 8,
      .atomic_c = 32,
      .atomic_k = 8,
      .kernels_int8 = 8,
      .cbuf_banks = 32,
      .cbuf_width = 32,
      .cbuf_depth = 128,
      .max_batch = 1 },
    { .name = "nv_small_256_full",
      .atom = 8,
      .atomic_c = 32,
      .atomic_k = 8,
      .kernels_int8 = 8,
      .cbuf_banks = 32,
      .cbuf_width = 32,
      .cbuf_depth = 128,
      .max_batch = 1,
      .second_memory = true,
      .sdp_lut = true,
      .sdp_ew = true },
    { .name = "nv_medium_512",
      .atom = 16,
      .atomic_c = 32,
      .atomic_k = 16,
      .kernels_int8 = 16,
      .cbuf_banks = 32,
      .cbuf_width = 32,
      .cbuf_depth = 512,
      .max_batch = 1 },
    { .name = "nv_medium_1024_full",
      .atom = 32,
      .atomic_c = 32,
      .atomic_k = 32,
      .kernels_int8 = 32,
      .cbuf_banks = 32,
      .cbuf_width = 32,
      .cbuf_depth = 512,
      .max_batch = 1,
      .second_memory = true,
      .sdp_lut = true,
      .sdp_ew = true },
    { .name = "nv_large",
      .atom = 32,
      .atomic_c = 64,
      .atomic_k = 32,
      .kernels_int8 = 32,
      .cbuf_banks = 16,
      .cbuf_width = 64,
      .cbuf_depth = 512,
      .max_batch = 1,
      .second_memory = true,
      .sdp_lut = true,
      .sdp_ew = true },
    { .name = "nv_full",
      .atom = 32,
      .atomic_c = 64,
      .atomic_k = 16,
      .kernels_int8 = 32,
      .kernels_16 = 16,
      .cbuf_banks = 16,
      .cbuf_width = 128,
      .cbuf_depth = 256,
      .max_batch = 32,
      .int16 = true,
      .fp16 = true,
      .compression = true,
      .winograd = true,
      .second_memory = true,
      .sdp_lut = true,
      .sdp_ew = true,
      .bdma = true,
      .rubik = true,
      .full_map = true },
};

const struct dla_config *dla_config_at(size_t i)
{
    return i < sizeof(dla_configs) / sizeof(dla_configs[0]) ? &dla_configs[i] : NULL;
}

const struct dla_config *dla_config_find(const char *name)
{
    const struct dla_config *c;

    for (size_t i = 0; (c = dla_config_at(i)); i++) {
        if (strcmp(c->name, name) == 0) {
            return c;
        }
    }
    return NULL;
}
