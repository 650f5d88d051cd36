/* SPDX-License-Identifier: MIT */
/* What the buffers on the chip hold: the convolution buffer (CBUF) and the line buffer of PDP. A
 * layer that does not fit makes the hardware wait for ever.
 *
 * Source: nvdla/doc unit_description.rst, "Convolution Buffer" and "Planar Data Processor"; entries
 * of a line: programming_guide.rst, D_ENTRY_PER_SLICE. The buffer holds all lines of a layer's
 * input until the layer ends (D_RELEASE), and weights by kernel group. The published register
 * traces and loadables fit exactly, some to the last entry. Line buffer: 7 KiB, 14 bits for each
 * byte of an atom, as many lines as windows overlap (nvdla/sw's compiler computes so).
 */
#ifndef MODEL_DLA_BUFFER_H
#define MODEL_DLA_BUFFER_H

#include "model/dla/dla.h"

/* Entries that a line of a feature cube, or of an image of @channels components, takes. */
uint64_t dla_cbuf_line(const struct dla_config *cfg, uint32_t width, uint32_t channels,
                       unsigned element_bytes, bool image);
/* Banks that so many entries, or bytes, take. */
uint64_t dla_cbuf_banks(const struct dla_config *cfg, uint64_t entries);
uint64_t dla_cbuf_weight_banks(const struct dla_config *cfg, uint64_t bytes);
/* Do the input and a group of kernels fit into the banks that @op gives them? */
bool dla_cbuf_fits(const struct dla_config *cfg, const struct dla_conv_op *op);
/* The most columns that a pool, or a part of one split along the width, may make. */
uint32_t dla_pool_columns(const struct dla_config *cfg, uint32_t kernel_height, uint32_t stride_y);

#endif
