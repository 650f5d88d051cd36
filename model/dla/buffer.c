/* SPDX-License-Identifier: MIT */
#include "model/dla/buffer.h"

#include "model/dla/cube.h"

static uint64_t divide_up(uint64_t a, uint64_t b)
{
    return (a + b - 1) / b;
}

uint64_t dla_cbuf_line(const struct dla_config *cfg, uint32_t width, uint32_t channels,
                       unsigned element_bytes, bool image)
{
    uint64_t bytes = (uint64_t)channels * element_bytes, per = cfg->cbuf_width / cfg->atom, atoms,
             rest;

    if (image) {
        return divide_up(bytes * width, cfg->cbuf_width);
    }
    atoms = divide_up(bytes, cfg->atom);
    rest = atoms % per;
    /* Entries are filled with the atoms of one pixel; what is left over of all pixels, tightly.
     * Three atoms take an entry each. */
    return atoms / per * width + (rest == 3 ? width : divide_up(rest * width, per));
}

uint64_t dla_cbuf_banks(const struct dla_config *cfg, uint64_t entries)
{
    return divide_up(entries, cfg->cbuf_depth);
}

uint64_t dla_cbuf_weight_banks(const struct dla_config *cfg, uint64_t bytes)
{
    return divide_up(bytes, (uint64_t)cfg->cbuf_width * cfg->cbuf_depth);
}

bool dla_cbuf_fits(const struct dla_config *cfg, const struct dla_conv_op *op)
{
    uint32_t group = op->precision == DLA_INT8 ? cfg->kernels_int8 : cfg->kernels_16;
    unsigned bytes = dla_bytes(op->precision);
    uint64_t line = dla_cbuf_line(cfg, op->width, op->channels, bytes, op->image);
    uint64_t kernel = (uint64_t)op->kernel_width * op->kernel_height * op->kernel_channels * bytes;
    unsigned mask = op->compressed ? 1 : 0; /* the last bank holds the mask (WMB) */
    unsigned banks = op->data_banks + op->weight_banks + mask;

    if (op->winograd || op->data_banks == 0 || op->weight_banks == 0) {
        return true; /* what winograd takes is not published; 0: the front end does not say */
    }
    return banks <= cfg->cbuf_banks &&
           line * op->height * op->batches <= (uint64_t)op->data_banks * cfg->cbuf_depth &&
           (op->compressed || /* WGS, in memory, says what is left of a group */
            dla_cbuf_weight_banks(cfg, kernel * dla_min(group, op->kernels)) <= op->weight_banks);
}

uint32_t dla_pool_columns(const struct dla_config *cfg, uint32_t kernel_height, uint32_t stride_y)
{
    uint64_t bits = 7 * 1024 * 8, lines = divide_up(kernel_height, stride_y);

    return (uint32_t)(bits / (lines * cfg->atom * 14));
}
