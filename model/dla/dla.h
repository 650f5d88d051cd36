/* SPDX-License-Identifier: MIT */
/* NVDLA operations as pure functions on plain structs.
 *
 * A front end (registers: regs.h, task descriptors: desc.h) fills one struct an operation and calls
 * dla_run_*(). An operation sees memory only through a port. Sizes are counts, not "minus one".
 * Sources: NVDLA hardware architecture specification and in-memory data formats (github nvdla/doc),
 * cited by file name where a rule stands.
 */
#ifndef MODEL_DLA_DLA_H
#define MODEL_DLA_DLA_H

#include "model/dla/num.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum dla_status {
    DLA_OK,
    DLA_FAULT,       /* memory refused an access */
    DLA_INVALID,     /* a setting that no hardware takes */
    DLA_UNSUPPORTED, /* this configuration of the hardware lacks it */
    DLA_STOPPED,     /* the port's tick said so */
    DLA_HUNG,        /* the hardware waits for ever: a watchdog or a reset ends it */
};

enum dla_precision { DLA_INT8, DLA_INT16, DLA_FP16 };

enum dla_ram { DLA_RAM_MC, DLA_RAM_CV }; /* DRAM, or CVSRAM (the second memory interface) */

/**
 * struct dla_error - why an operation did not complete
 * @unit, @field: constant texts, e.g. "CONV", "kernel_width"
 * @rule: constant text: what is required
 * @value: the field's value
 * @iova, @len, @write: the access (DLA_FAULT)
 */
struct dla_error {
    enum dla_status status;
    const char *unit, *field, *rule;
    int64_t value;
    uint64_t iova;
    size_t len;
    bool write;
};

struct dla_port;

/**
 * struct dla_port_ops - memory, and a way to stop
 * @read, @write: any length and alignment; DLA_OK, or DLA_FAULT with nothing changed
 * @rest: at places where an operation can pause, at most 2^16 units of work apart or so
 * (model/soc.h), @work since the last call; anything but DLA_OK ends the operation with that
 * status. May be NULL
 * @tick: after each band of lines, @work in multiply-accumulates or elements since the last call;
 *        anything but DLA_OK ends the operation with that status. May be NULL.
 */
struct dla_port_ops {
    enum dla_status (*read)(struct dla_port *port, enum dla_ram ram, uint64_t iova, void *dst,
                            size_t len);
    enum dla_status (*write)(struct dla_port *port, enum dla_ram ram, uint64_t iova,
                             const void *src, size_t len);
    enum dla_status (*tick)(struct dla_port *port, uint64_t work);
    enum dla_status (*rest)(struct dla_port *port, uint64_t work);
};

/* Embedded first in what implements it. @error: the last failure; @unrested: work since the last
 * @rest. @weight_bytes: of weights that were read; who counts time sets it back. */
struct dla_port {
    const struct dla_port_ops *ops;
    struct dla_error error;
    uint64_t unrested, weight_bytes;
    bool half; /* the work of a tick is multiply-accumulates of 16 bits */
};

/**
 * struct dla_config - one published configuration of the hardware
 * @atom: memory atom, bytes: channels of one pixel that lie together
 * @atomic_c: channels a MAC cell takes at once: the small cube of weights
 * @atomic_k: MAC cells
 * @kernels_int8, @kernels_16: kernels of a weight group
 * @cbuf_banks, @cbuf_width, @cbuf_depth: convolution buffer: banks of depth entries of width bytes
 */
struct dla_config {
    const char *name;
    unsigned atom, atomic_c, atomic_k, kernels_int8, kernels_16;
    unsigned cbuf_banks, cbuf_width, cbuf_depth, max_batch;
    bool int16, fp16, compression, winograd, second_memory, sdp_lut, sdp_ew, bdma, rubik;
    bool full_map; /* register blocks at the addresses of the full configuration */
};

const struct dla_config *dla_config_find(const char *name); /* NULL if unknown */
const struct dla_config *dla_config_at(size_t i);           /* NULL past the last */

/* A feature cube in memory: surfaces of @atom-byte pixels (format.rst, "Feature Data Format"). */
struct dla_surface {
    uint64_t iova;
    uint32_t line_stride, surf_stride;
    enum dla_ram ram;
};

/* enum dla_pixel: numbers of D_DATAIN_FORMAT.PIXEL_FORMAT. */
#define DLA_PIXEL_COUNT 36u

struct dla_conv_op {
    bool winograd;
    enum dla_precision in_precision, precision; /* precision: of the MAC */
    /* input: a feature cube, or an image */
    uint32_t width, height, channels;
    struct dla_surface src;
    uint32_t batches, batch_stride;
    bool image;
    uint8_t pixel_format, pixel_x_offset;
    bool pixel_signed;
    uint64_t src_uv;
    uint32_t uv_line_stride;
    bool convert, subtract_mean;
    struct dla_cvt cvt;
    int16_t mean[4]; /* by channel: R or Y, G or U, B or V, A or X */
    bool nan_to_zero;
    /* weights; an image's kernel_channels is width times channels (channel pre-extension) */
    uint32_t kernels, kernel_width, kernel_height, kernel_channels;
    uint64_t weights, wmb, wgs;
    enum dla_ram weight_ram;
    uint32_t weight_bytes, wmb_bytes;
    bool compressed;
    uint8_t post_extension; /* lines joined: 1, 2 or 4 */
    /* geometry */
    uint32_t stride_x, stride_y, dilation_x, dilation_y;
    uint32_t pad_left, pad_right, pad_top, pad_bottom;
    int16_t pad_value;
    uint8_t pra_truncate, clip_truncate;
    uint32_t out_width, out_height;
    /* shares of the convolution buffer; @data_reuse, @weight_reuse: they are there already */
    uint8_t data_banks, weight_banks;
    bool data_reuse, weight_reuse;
};

enum dla_alu { DLA_ALU_MAX, DLA_ALU_MIN, DLA_ALU_SUM, DLA_ALU_EQL };
enum dla_use { DLA_USE_MUL, DLA_USE_ALU, DLA_USE_BOTH };

/**
 * struct dla_stage - X1 (BS), X2 (BN) or Y (EW) of the SDP
 * @alu_shift: left shift of the ALU operand (X only)
 * @truncate: right shift of the product; in X of the sum too when the multiplier is bypassed
 * @alu_cvt, @mul_cvt: converters of the operands from memory (Y only), with their enables
 * @operand: per channel: consecutive; per element: a cube of atoms with components of @bytes each
 */
struct dla_stage {
    bool enable, alu, mul, relu, prelu, lut;
    enum dla_alu algo;
    bool alu_from_memory, mul_from_memory;
    int32_t alu_value, mul_value;
    uint8_t alu_shift;
    uint16_t truncate;
    bool alu_convert, mul_convert;
    struct dla_cvt alu_cvt, mul_cvt;
    enum dla_use use;
    uint8_t bytes;
    bool per_element;
    struct dla_surface operand;
    uint32_t batch_stride;
};

#define DLA_LUT_LE 65u
#define DLA_LUT_LO 257u

/**
 * struct dla_lut - the two tables of SDP and CDP (lut-programming.rst)
 * @start, @end: as the pipeline encodes numbers: integers, or fp32 bits
 * @uflow_scale ...: [0] for LE, [1] for LO; fp16 bits in the fp16 pipeline
 * @*_lo: priority: the LO table wins
 */
struct dla_lut {
    int16_t le[DLA_LUT_LE], lo[DLA_LUT_LO];
    bool exponential, uflow_lo, oflow_lo, hybrid_lo;
    int8_t index_offset, select[2];
    int64_t start[2], end[2];
    int16_t uflow_scale[2], oflow_scale[2];
    int8_t uflow_shift[2], oflow_shift[2];
};

struct dla_sdp_op {
    bool flying, to_pdp, nan_to_zero;
    enum dla_precision in, precision, out; /* of the source, of the pipeline, of the output */
    uint32_t width, height, channels, batches;
    struct dla_surface src, dst;
    uint32_t dst_batch_stride;
    struct dla_stage x1, x2, y;
    struct dla_cvt cvt;
    const struct dla_lut *lut;
};

enum dla_pool { DLA_POOL_AVERAGE, DLA_POOL_MAX, DLA_POOL_MIN };

struct dla_pdp_op {
    bool flying, nan_to_zero;
    enum dla_precision precision;
    enum dla_pool method;
    uint32_t width, height, channels, out_width, out_height;
    struct dla_surface src, dst;
    uint32_t kernel_width, kernel_height, stride_x, stride_y;
    uint32_t pad_left, pad_right, pad_top, pad_bottom;
    int32_t pad_value[8];               /* [n]: sum of n padded elements; fp17 bits in fp16 */
    uint32_t recip_width, recip_height; /* 2^16 / size, or fp17 bits */
    /* split along the width; sizes as programmed */
    uint32_t splits, in_first, in_mid, in_last, out_first, out_mid, out_last;
};

struct dla_cdp_op {
    bool sqsum_bypass, mul_bypass, nan_to_zero;
    enum dla_precision precision;
    uint32_t width, height, channels, length; /* length: 3, 5, 7, 9 */
    struct dla_surface src, dst;
    struct dla_cvt in_cvt, out_cvt;
    const struct dla_lut *lut;
};

struct dla_bdma_op {
    uint64_t src, dst;
    enum dla_ram src_ram, dst_ram;
    uint32_t line_bytes, lines, surfaces;
    uint32_t src_line, dst_line, src_surf, dst_surf;
};

enum dla_rubik { DLA_RUBIK_CONTRACT, DLA_RUBIK_SPLIT, DLA_RUBIK_MERGE };

/* Planar sides use line_stride and planar_stride; out_channels counts the output cube. */
struct dla_rubik_op {
    enum dla_rubik mode;
    enum dla_precision precision;
    uint32_t width, height, channels, out_channels;
    struct dla_surface src, dst;
    uint32_t src_planar_stride, dst_planar_stride;
    uint32_t stride_x, stride_y;
};

/* Counters the hardware reports after a layer (lut-programming.rst, precision.rst). */
struct dla_stats {
    uint32_t conv_saturated, sdp_saturated, cdp_saturated;
    uint32_t nan_data, inf_data, nan_weights, inf_weights;
    uint32_t nan_in, inf_in, nan_out;
    uint32_t pool_nan_in, pool_inf_in, pool_nan_out; /* of PDP, which may run with an SDP */
    uint32_t lut_uflow, lut_oflow, lut_hybrid, lut_le_hit, lut_lo_hit;
    bool unequal; /* an EQL comparison failed */
};

/**
 * dla_run_sdp - one SDP layer and what is joined to it
 * @conv: the convolution it takes its input from; exactly when op->flying
 * @pdp: the pooling that takes its output; exactly when op->to_pdp
 * @stats: counters are added to
 *
 * Return: DLA_OK, or a failure described in port->error; memory may then be partly written.
 */
enum dla_status dla_run_sdp(const struct dla_config *cfg, struct dla_port *port,
                            const struct dla_sdp_op *op, const struct dla_conv_op *conv,
                            const struct dla_pdp_op *pdp, struct dla_stats *stats);
/* Memory to memory. */
enum dla_status dla_run_pdp(const struct dla_config *cfg, struct dla_port *port,
                            const struct dla_pdp_op *op, struct dla_stats *stats);
enum dla_status dla_run_cdp(const struct dla_config *cfg, struct dla_port *port,
                            const struct dla_cdp_op *op, struct dla_stats *stats);
enum dla_status dla_run_bdma(const struct dla_config *cfg, struct dla_port *port,
                             const struct dla_bdma_op *op);
enum dla_status dla_run_rubik(const struct dla_config *cfg, struct dla_port *port,
                              const struct dla_rubik_op *op);

#endif
