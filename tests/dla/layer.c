/* SPDX-License-Identifier: MIT */
#include "tests/dla/layer.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

/* Where the writes go. */
struct out {
    const struct dla_config *cfg;
    struct dla_regs *regs;
    unsigned group;
};

static uint32_t reg_at(const struct dla_config *cfg, const char *name)
{
    char full[96];
    uint32_t offset = 0;

    snprintf(full, sizeof(full), "NVDLA_%s_0", name);
    ck_assert_msg(dla_regs_find(cfg, full, &offset), "no register %s", full);
    return offset;
}

static void put(const struct out *o, const char *name, uint32_t value)
{
    dla_regs_write(o->regs, reg_at(o->cfg, name), value);
}

/* Registers of one unit that have the same names in several: UNIT.D_<prefix>_BASE_ADDR_LOW ... */
static void put_in(const struct out *o, const char *unit, const char *prefix, const char *name,
                   uint32_t value)
{
    char full[96];

    snprintf(full, sizeof(full), "%s%s%s", unit, prefix, name);
    put(o, full, value);
}

static void put_cube(const struct out *o, const char *unit, const char *prefix,
                     const struct dla_surface *s)
{
    put_in(o, unit, prefix, "_BASE_ADDR_LOW", (uint32_t)s->iova);
    put_in(o, unit, prefix, "_BASE_ADDR_HIGH", (uint32_t)(s->iova >> 32));
    put_in(o, unit, prefix, "_LINE_STRIDE", s->line_stride);
    put_in(o, unit, prefix, "_SURFACE_STRIDE", s->surf_stride);
}

static uint32_t at(uint32_t value, unsigned lsb)
{
    return value << lsb;
}

static uint32_t low(int32_t value, unsigned bits)
{
    return (uint32_t)value & ((UINT32_C(1) << bits) - 1);
}

static uint32_t mc(enum dla_ram ram)
{
    return ram == DLA_RAM_MC;
}

static void program_cdma(const struct out *o, const struct dla_conv_op *c)
{
    uint32_t mode = c->winograd | at(c->in_precision, 8) | at(c->precision, 12);

    put(o, "CDMA.D_MISC_CFG", mode);
    put(o, "CDMA.D_DATAIN_FORMAT", c->image | at(c->pixel_format, 8) | at(c->pixel_signed, 20));
    put(o, "CDMA.D_DATAIN_SIZE_0", (c->width - 1) | at(c->height - 1, 16));
    put(o, "CDMA.D_DATAIN_SIZE_1", c->channels - 1);
    put(o, "CDMA.D_PIXEL_OFFSET", c->pixel_x_offset);
    put(o, "CDMA.D_DAIN_RAM_TYPE", mc(c->src.ram));
    put(o, "CDMA.D_DAIN_ADDR_HIGH_0", (uint32_t)(c->src.iova >> 32));
    put(o, "CDMA.D_DAIN_ADDR_LOW_0", (uint32_t)c->src.iova);
    put(o, "CDMA.D_DAIN_ADDR_HIGH_1", (uint32_t)(c->src_uv >> 32));
    put(o, "CDMA.D_DAIN_ADDR_LOW_1", (uint32_t)c->src_uv);
    put(o, "CDMA.D_LINE_STRIDE", c->src.line_stride);
    put(o, "CDMA.D_LINE_UV_STRIDE", c->uv_line_stride);
    put(o, "CDMA.D_SURF_STRIDE", c->src.surf_stride);
    put(o, "CDMA.D_BATCH_NUMBER", c->batches - 1);
    put(o, "CDMA.D_BATCH_STRIDE", c->batch_stride);
    put(o, "CDMA.D_MEAN_FORMAT", c->subtract_mean);
    put(o, "CDMA.D_MEAN_GLOBAL_0", low(c->mean[0], 16) | at(low(c->mean[1], 16), 16));
    put(o, "CDMA.D_MEAN_GLOBAL_1", low(c->mean[2], 16) | at(low(c->mean[3], 16), 16));
    put(o, "CDMA.D_CVT_CFG", c->convert | at(c->cvt.truncate, 4));
    put(o, "CDMA.D_CVT_OFFSET", low(c->cvt.offset, 16));
    put(o, "CDMA.D_CVT_SCALE", low(c->cvt.scale, 16));
    put(o, "CDMA.D_CONV_STRIDE", (c->stride_x - 1) | at(c->stride_y - 1, 16));
    put(o, "CDMA.D_ZERO_PADDING",
        c->pad_left | at(c->pad_right, 8) | at(c->pad_top, 16) | at(c->pad_bottom, 24));
    put(o, "CDMA.D_ZERO_PADDING_VALUE", low(c->pad_value, 16));
    put(o, "CDMA.D_NAN_FLUSH_TO_ZERO", c->nan_to_zero);
}

static void program_weights(const struct out *o, const struct dla_conv_op *c)
{
    uint32_t bytes = c->kernel_width * c->kernel_height * c->kernel_channels *
                     (c->precision == DLA_INT8 ? 1 : 2);

    put(o, "CDMA.D_WEIGHT_FORMAT", c->compressed);
    put(o, "CSC.D_WEIGHT_FORMAT", c->compressed);
    put(o, "CDMA.D_WEIGHT_SIZE_0", bytes - 1);
    put(o, "CDMA.D_WEIGHT_SIZE_1", c->kernels - 1);
    put(o, "CDMA.D_WEIGHT_RAM_TYPE", mc(c->weight_ram));
    put(o, "CDMA.D_WEIGHT_ADDR_HIGH", (uint32_t)(c->weights >> 32));
    put(o, "CDMA.D_WEIGHT_ADDR_LOW", (uint32_t)c->weights);
    put(o, "CDMA.D_WGS_ADDR_HIGH", (uint32_t)(c->wgs >> 32));
    put(o, "CDMA.D_WGS_ADDR_LOW", (uint32_t)c->wgs);
    put(o, "CDMA.D_WMB_ADDR_HIGH", (uint32_t)(c->wmb >> 32));
    put(o, "CDMA.D_WMB_ADDR_LOW", (uint32_t)c->wmb);
}

static void program_conv(const struct out *o, const struct dla_conv_op *c)
{
    uint32_t mode = c->winograd | at(c->precision, 12),
             extension = c->post_extension == 4 ? 2 : c->post_extension - 1u;
    uint32_t size = (c->out_width - 1) | at(c->out_height - 1, 16);

    program_cdma(o, c);
    program_weights(o, c);
    put(o, "CSC.D_MISC_CFG", mode | at(c->in_precision, 8));
    put(o, "CSC.D_DATAIN_FORMAT", c->image);
    put(o, "CSC.D_DATAIN_SIZE_EXT_0", (c->width - 1) | at(c->height - 1, 16));
    put(o, "CSC.D_DATAIN_SIZE_EXT_1", c->channels - 1);
    put(o, "CSC.D_BATCH_NUMBER", c->batches - 1);
    put(o, "CSC.D_POST_Y_EXTENSION", extension);
    put(o, "CSC.D_WEIGHT_SIZE_EXT_0", (c->kernel_width - 1) | at(c->kernel_height - 1, 16));
    put(o, "CSC.D_WEIGHT_SIZE_EXT_1", (c->kernel_channels - 1) | at(c->kernels - 1, 16));
    put(o, "CSC.D_DATAOUT_SIZE_0", size);
    put(o, "CSC.D_DATAOUT_SIZE_1", c->kernels - 1);
    /* After the phases of the stride have become channels, winograd has no stride. */
    put(o, "CSC.D_CONV_STRIDE_EXT", c->winograd ? 0 : (c->stride_x - 1) | at(c->stride_y - 1, 16));
    put(o, "CSC.D_DILATION_EXT", (c->dilation_x - 1) | at(c->dilation_y - 1, 16));
    put(o, "CSC.D_ZERO_PADDING", c->pad_left | at(c->pad_top, 16));
    put(o, "CSC.D_ZERO_PADDING_VALUE", low(c->pad_value, 16));
    put(o, "CSC.D_PRA_CFG", c->pra_truncate);
    put(o, "CMAC_A.D_MISC_CFG", mode);
    put(o, "CMAC_B.D_MISC_CFG", mode);
    put(o, "CACC.D_MISC_CFG", mode);
    put(o, "CACC.D_DATAOUT_SIZE_0", size);
    put(o, "CACC.D_DATAOUT_SIZE_1", c->kernels - 1);
    put(o, "CACC.D_BATCH_NUMBER", c->batches - 1);
    put(o, "CACC.D_CLIP_CFG", c->clip_truncate);
    put(o, "CDMA.D_OP_ENABLE", 1);
    put(o, "CSC.D_OP_ENABLE", 1);
    put(o, "CMAC_A.D_OP_ENABLE", 1);
    put(o, "CMAC_B.D_OP_ENABLE", 1);
    put(o, "CACC.D_OP_ENABLE", 1);
}

static bool wants_memory(const struct dla_stage *s)
{
    return s->enable && ((s->alu && s->alu_from_memory) || (s->mul && s->mul_from_memory));
}

/* The operand DMA of a stage: @rdma "SDP_RDMA.D_BRDMA_CFG", @prefix "BS" */
static void program_operand(const struct out *o, const struct dla_stage *s, const char *rdma,
                            const char *prefix)
{
    put(o, rdma,
        at(!wants_memory(s), 0) | at(s->use, 1) | at(s->bytes == 2, 3) | at(s->per_element, 4) |
            at(mc(s->operand.ram), 5));
    put_cube(o, "SDP_RDMA.D_", prefix, &s->operand);
    put_in(o, "SDP_RDMA.D_", prefix, "_BATCH_STRIDE", s->batch_stride);
}

/* @prefix: "BS" or "BN" */
static void program_x(const struct out *o, const struct dla_stage *s, const char *prefix)
{
    put_in(o, "SDP.D_DP_", prefix, "_CFG",
           at(!s->enable, 0) | at(!s->alu, 1) | at(s->algo, 2) | at(!s->mul, 4) | at(s->prelu, 5) |
               at(!s->relu, 6));
    put_in(o, "SDP.D_DP_", prefix, "_ALU_CFG", s->alu_from_memory | at(s->alu_shift, 8));
    put_in(o, "SDP.D_DP_", prefix, "_ALU_SRC_VALUE", low(s->alu_value, 16));
    put_in(o, "SDP.D_DP_", prefix, "_MUL_CFG", s->mul_from_memory | at(s->truncate, 8));
    put_in(o, "SDP.D_DP_", prefix, "_MUL_SRC_VALUE", low(s->mul_value, 16));
}

static void program_y(const struct out *o, const struct dla_stage *s)
{
    put(o, "SDP.D_DP_EW_CFG",
        at(!s->enable, 0) | at(!s->alu, 1) | at(s->algo, 2) | at(!s->mul, 4) | at(s->prelu, 5) |
            at(!s->lut, 6));
    put(o, "SDP.D_DP_EW_ALU_CFG", s->alu_from_memory | at(!s->alu_convert, 1));
    put(o, "SDP.D_DP_EW_ALU_SRC_VALUE", (uint32_t)s->alu_value);
    put(o, "SDP.D_DP_EW_ALU_CVT_OFFSET_VALUE", (uint32_t)s->alu_cvt.offset);
    put(o, "SDP.D_DP_EW_ALU_CVT_SCALE_VALUE", low(s->alu_cvt.scale, 16));
    put(o, "SDP.D_DP_EW_ALU_CVT_TRUNCATE_VALUE", s->alu_cvt.truncate);
    put(o, "SDP.D_DP_EW_MUL_CFG", s->mul_from_memory | at(!s->mul_convert, 1));
    put(o, "SDP.D_DP_EW_MUL_SRC_VALUE", (uint32_t)s->mul_value);
    put(o, "SDP.D_DP_EW_MUL_CVT_OFFSET_VALUE", (uint32_t)s->mul_cvt.offset);
    put(o, "SDP.D_DP_EW_MUL_CVT_SCALE_VALUE", low(s->mul_cvt.scale, 16));
    put(o, "SDP.D_DP_EW_MUL_CVT_TRUNCATE_VALUE", s->mul_cvt.truncate);
    put(o, "SDP.D_DP_EW_TRUNCATE_VALUE", s->truncate);
}

/* @unit: "SDP" or "CDP". The port writes LE, then LO, entry after entry. */
static void program_table(const struct out *o, const struct dla_lut *t, const char *unit)
{
    put_in(o, unit, ".S_", "LUT_ACCESS_CFG", at(1, 17));
    for (unsigned i = 0; i < 65; i++) {
        put_in(o, unit, ".S_", "LUT_ACCESS_DATA", low(t->le[i], 16));
    }
    put_in(o, unit, ".S_", "LUT_ACCESS_CFG", at(1, 17) | at(1, 16));
    for (unsigned i = 0; i < 257; i++) {
        put_in(o, unit, ".S_", "LUT_ACCESS_DATA", low(t->lo[i], 16));
    }
    put_in(o, unit, ".S_", "LUT_CFG",
           at(!t->exponential, 0) | at(t->uflow_lo, 4) | at(t->oflow_lo, 5) | at(t->hybrid_lo, 6));
    put_in(o, unit, ".S_", "LUT_INFO",
           low(t->index_offset, 8) | at(low(t->select[0], 8), 8) | at(low(t->select[1], 8), 16));
    put_in(o, unit, ".S_", "LUT_LE_SLOPE_SCALE",
           low(t->uflow_scale[0], 16) | at(low(t->oflow_scale[0], 16), 16));
    put_in(o, unit, ".S_", "LUT_LE_SLOPE_SHIFT",
           low(t->uflow_shift[0], 5) | at(low(t->oflow_shift[0], 5), 5));
    put_in(o, unit, ".S_", "LUT_LO_SLOPE_SCALE",
           low(t->uflow_scale[1], 16) | at(low(t->oflow_scale[1], 16), 16));
    put_in(o, unit, ".S_", "LUT_LO_SLOPE_SHIFT",
           low(t->uflow_shift[1], 5) | at(low(t->oflow_shift[1], 5), 5));
}

static void program_sdp_table(const struct out *o, const struct dla_lut *t)
{
    program_table(o, t, "SDP");
    put(o, "SDP.S_LUT_LE_START", (uint32_t)t->start[0]);
    put(o, "SDP.S_LUT_LE_END", (uint32_t)t->end[0]);
    put(o, "SDP.S_LUT_LO_START", (uint32_t)t->start[1]);
    put(o, "SDP.S_LUT_LO_END", (uint32_t)t->end[1]);
}

/* 38 bits in two registers. */
static void put_wide(const struct out *o, const char *name, int64_t v)
{
    put_in(o, "CDP.S_LUT_", name, "_LOW", (uint32_t)v);
    put_in(o, "CDP.S_LUT_", name, "_HIGH", (uint32_t)((uint64_t)v >> 32) & 0x3f);
}

static void program_pdp(const struct out *o, const struct dla_pdp_op *p)
{
    uint32_t splits = p->splits - 1;
    char name[64];

    put(o, "PDP.D_DATA_CUBE_IN_WIDTH", p->width - 1);
    put(o, "PDP.D_DATA_CUBE_IN_HEIGHT", p->height - 1);
    put(o, "PDP.D_DATA_CUBE_IN_CHANNEL", p->channels - 1);
    put(o, "PDP.D_DATA_CUBE_OUT_WIDTH", p->out_width - 1);
    put(o, "PDP.D_DATA_CUBE_OUT_HEIGHT", p->out_height - 1);
    put(o, "PDP.D_DATA_CUBE_OUT_CHANNEL", p->channels - 1);
    put(o, "PDP.D_OPERATION_MODE_CFG", p->method | at(!p->flying, 4) | at(splits, 8));
    put(o, "PDP.D_NAN_FLUSH_TO_ZERO", p->nan_to_zero);
    put(o, "PDP.D_PARTIAL_WIDTH_IN",
        low((int32_t)p->in_first - 1, 10) | at(low((int32_t)p->in_last - 1, 10), 10) |
            at(low((int32_t)p->in_mid - 1, 10), 20));
    put(o, "PDP.D_PARTIAL_WIDTH_OUT",
        low((int32_t)p->out_first - 1, 10) | at(low((int32_t)p->out_last - 1, 10), 10) |
            at(low((int32_t)p->out_mid - 1, 10), 20));
    put(o, "PDP.D_POOLING_KERNEL_CFG",
        (p->kernel_width - 1) | at(p->kernel_height - 1, 8) | at(p->stride_x - 1, 16) |
            at(p->stride_y - 1, 20));
    put(o, "PDP.D_RECIP_KERNEL_WIDTH", p->recip_width);
    put(o, "PDP.D_RECIP_KERNEL_HEIGHT", p->recip_height);
    put(o, "PDP.D_POOLING_PADDING_CFG",
        p->pad_left | at(p->pad_top, 4) | at(p->pad_right, 8) | at(p->pad_bottom, 12));
    for (unsigned i = 1; i < 8; i++) {
        snprintf(name, sizeof(name), "PDP.D_POOLING_PADDING_VALUE_%u_CFG", i);
        put(o, name, low(p->pad_value[i], 19));
    }
    put_cube(o, "PDP.D_", "DST", &p->dst);
    put(o, "PDP.D_DST_RAM_CFG", mc(p->dst.ram));
    put(o, "PDP.D_DATA_FORMAT", p->precision);
    if (!p->flying) {
        put(o, "PDP_RDMA.D_DATA_CUBE_IN_WIDTH", p->width - 1);
        put(o, "PDP_RDMA.D_DATA_CUBE_IN_HEIGHT", p->height - 1);
        put(o, "PDP_RDMA.D_DATA_CUBE_IN_CHANNEL", p->channels - 1);
        put(o, "PDP_RDMA.D_FLYING_MODE", 1);
        put_cube(o, "PDP_RDMA.D_", "SRC", &p->src);
        put(o, "PDP_RDMA.D_SRC_RAM_CFG", mc(p->src.ram));
        put(o, "PDP_RDMA.D_DATA_FORMAT", p->precision);
        put(o, "PDP_RDMA.D_OP_ENABLE", 1);
    }
    put(o, "PDP.D_OP_ENABLE", 1);
}

static void program_sdp_rdma(const struct out *o, const struct dla_sdp_op *s)
{
    put(o, "SDP_RDMA.D_DATA_CUBE_WIDTH", s->width - 1);
    put(o, "SDP_RDMA.D_DATA_CUBE_HEIGHT", s->height - 1);
    put(o, "SDP_RDMA.D_DATA_CUBE_CHANNEL", s->channels - 1);
    put_cube(o, "SDP_RDMA.D_", "SRC", &s->src);
    put(o, "SDP_RDMA.D_SRC_DMA_CFG", mc(s->src.ram));
    program_operand(o, &s->x1, "SDP_RDMA.D_BRDMA_CFG", "BS");
    program_operand(o, &s->x2, "SDP_RDMA.D_NRDMA_CFG", "BN");
    program_operand(o, &s->y, "SDP_RDMA.D_ERDMA_CFG", "EW");
    put(o, "SDP_RDMA.D_FEATURE_MODE_CFG",
        s->flying | at(s->in, 2) | at(s->precision, 4) | at(s->out, 6) | at(s->batches - 1, 8));
    if (!s->flying || wants_memory(&s->x1) || wants_memory(&s->x2) || wants_memory(&s->y)) {
        put(o, "SDP_RDMA.D_OP_ENABLE", 1);
    }
}

static void program_sdp(const struct out *o, const struct layer *l)
{
    const struct dla_sdp_op *s = &l->sdp;

    program_sdp_table(o, &l->lut);
    put(o, "SDP.D_DATA_CUBE_WIDTH", s->width - 1);
    put(o, "SDP.D_DATA_CUBE_HEIGHT", s->height - 1);
    put(o, "SDP.D_DATA_CUBE_CHANNEL", s->channels - 1);
    put_cube(o, "SDP.D_", "DST", &s->dst);
    put(o, "SDP.D_DST_DMA_CFG", mc(s->dst.ram));
    put(o, "SDP.D_DST_BATCH_STRIDE", s->dst_batch_stride);
    program_x(o, &s->x1, "BS");
    program_x(o, &s->x2, "BN");
    program_y(o, &s->y);
    put(o, "SDP.D_FEATURE_MODE_CFG",
        s->flying | at(s->to_pdp, 1) | at(s->nan_to_zero, 3) | at(s->batches - 1, 8));
    put(o, "SDP.D_DATA_FORMAT", s->precision | at(s->out, 2));
    put(o, "SDP.D_CVT_OFFSET", (uint32_t)s->cvt.offset);
    put(o, "SDP.D_CVT_SCALE", low(s->cvt.scale, 16));
    put(o, "SDP.D_CVT_SHIFT", s->cvt.truncate);
    put(o, "SDP.D_PERF_ENABLE", 0xf);
    if (s->to_pdp) {
        program_pdp(o, &l->pdp);
    }
    program_sdp_rdma(o, s);
    put(o, "SDP.D_OP_ENABLE", 1);
    if (s->flying) { /* the input last: everything behind it is ready */
        program_conv(o, &l->conv);
    }
}

static void program_cdp(const struct out *o, const struct layer *l)
{
    const struct dla_cdp_op *c = &l->cdp;

    program_table(o, &l->lut, "CDP");
    put_wide(o, "LE_START", l->lut.start[0]);
    put_wide(o, "LE_END", l->lut.end[0]);
    put_wide(o, "LO_START", l->lut.start[1]);
    put_wide(o, "LO_END", l->lut.end[1]);
    put(o, "CDP.D_FUNC_BYPASS", c->sqsum_bypass | at(c->mul_bypass, 1));
    put_cube(o, "CDP.D_", "DST", &c->dst);
    put(o, "CDP.D_DST_DMA_CFG", mc(c->dst.ram));
    put(o, "CDP.D_DATA_FORMAT", c->precision);
    put(o, "CDP.D_NAN_FLUSH_TO_ZERO", c->nan_to_zero);
    put(o, "CDP.D_LRN_CFG", (c->length - 3) / 2);
    put(o, "CDP.D_DATIN_OFFSET", low(c->in_cvt.offset, 16));
    put(o, "CDP.D_DATIN_SCALE", low(c->in_cvt.scale, 16));
    put(o, "CDP.D_DATIN_SHIFTER", c->in_cvt.truncate);
    put(o, "CDP.D_DATOUT_OFFSET", (uint32_t)c->out_cvt.offset);
    put(o, "CDP.D_DATOUT_SCALE", low(c->out_cvt.scale, 16));
    put(o, "CDP.D_DATOUT_SHIFTER", c->out_cvt.truncate);
    put(o, "CDP.D_PERF_ENABLE", 3);
    put(o, "CDP_RDMA.D_DATA_CUBE_WIDTH", c->width - 1);
    put(o, "CDP_RDMA.D_DATA_CUBE_HEIGHT", c->height - 1);
    put(o, "CDP_RDMA.D_DATA_CUBE_CHANNEL", c->channels - 1);
    put_cube(o, "CDP_RDMA.D_", "SRC", &c->src);
    put(o, "CDP_RDMA.D_SRC_DMA_CFG", mc(c->src.ram));
    put(o, "CDP_RDMA.D_DATA_FORMAT", c->precision);
    put(o, "CDP_RDMA.D_OP_ENABLE", 1);
    put(o, "CDP.D_OP_ENABLE", 1);
}

static void program_rubik(const struct out *o, const struct dla_rubik_op *k)
{
    put(o, "RBK.D_MISC_CFG", k->mode | at(k->precision, 8));
    put(o, "RBK.D_DAIN_RAM_TYPE", mc(k->src.ram));
    put(o, "RBK.D_DATAIN_SIZE_0", (k->width - 1) | at(k->height - 1, 16));
    put(o, "RBK.D_DATAIN_SIZE_1", k->channels - 1);
    put(o, "RBK.D_DAIN_ADDR_HIGH", (uint32_t)(k->src.iova >> 32));
    put(o, "RBK.D_DAIN_ADDR_LOW", (uint32_t)k->src.iova);
    put(o, "RBK.D_DAIN_LINE_STRIDE", k->src.line_stride);
    put(o, "RBK.D_DAIN_SURF_STRIDE", k->src.surf_stride);
    put(o, "RBK.D_DAIN_PLANAR_STRIDE", k->src_planar_stride);
    put(o, "RBK.D_DAOUT_RAM_TYPE", mc(k->dst.ram));
    put(o, "RBK.D_DATAOUT_SIZE_1", k->out_channels - 1);
    put(o, "RBK.D_DAOUT_ADDR_HIGH", (uint32_t)(k->dst.iova >> 32));
    put(o, "RBK.D_DAOUT_ADDR_LOW", (uint32_t)k->dst.iova);
    put(o, "RBK.D_DAOUT_LINE_STRIDE", k->dst.line_stride);
    put(o, "RBK.D_DAOUT_SURF_STRIDE", k->dst.surf_stride);
    put(o, "RBK.D_DAOUT_PLANAR_STRIDE", k->dst_planar_stride);
    if (k->mode == DLA_RUBIK_CONTRACT) {
        put(o, "RBK.D_DECONV_STRIDE", (k->stride_x - 1) | at(k->stride_y - 1, 16));
    }
    put(o, "RBK.D_OP_ENABLE", 1);
}

static void program_bdma(const struct out *o, const struct dla_bdma_op *b)
{
    put(o, "BDMA.CFG_SRC_ADDR_LOW", (uint32_t)b->src);
    put(o, "BDMA.CFG_SRC_ADDR_HIGH", (uint32_t)(b->src >> 32));
    put(o, "BDMA.CFG_DST_ADDR_LOW", (uint32_t)b->dst);
    put(o, "BDMA.CFG_DST_ADDR_HIGH", (uint32_t)(b->dst >> 32));
    put(o, "BDMA.CFG_LINE", b->line_bytes / 32 - 1);
    put(o, "BDMA.CFG_CMD", mc(b->src_ram) | at(mc(b->dst_ram), 1));
    put(o, "BDMA.CFG_LINE_REPEAT", b->lines - 1);
    put(o, "BDMA.CFG_SRC_LINE", b->src_line);
    put(o, "BDMA.CFG_DST_LINE", b->dst_line);
    put(o, "BDMA.CFG_SURF_REPEAT", b->surfaces - 1);
    put(o, "BDMA.CFG_SRC_SURF", b->src_surf);
    put(o, "BDMA.CFG_DST_SURF", b->dst_surf);
    put(o, "BDMA.CFG_OP", 1);
    put(o, o->group ? "BDMA.CFG_LAUNCH1" : "BDMA.CFG_LAUNCH0", 1);
}

/* S_POINTER.PRODUCER of every unit that has groups. */
static void choose_group(const struct out *o)
{
    static const char *const units[] = { "CDMA", "CSC",      "CMAC_A", "CMAC_B",
                                         "CACC", "SDP_RDMA", "SDP",    "PDP_RDMA",
                                         "PDP",  "CDP_RDMA", "CDP",    "RBK" };
    uint32_t offset;

    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
        if (strcmp(units[i], "RBK") != 0 ||
            dla_regs_find(o->cfg, "NVDLA_RBK.S_POINTER_0", &offset)) {
            put_in(o, units[i], ".S_", "POINTER", o->group);
        }
    }
}

bool layer_program(const struct dla_config *cfg, struct dla_regs *regs, const struct layer *l,
                   unsigned group)
{
    const struct out o = { cfg, regs, group };
    uint32_t offset;

    choose_group(&o);
    if (strcmp(l->kind, "sdp") == 0) {
        program_sdp(&o, l);
    } else if (strcmp(l->kind, "pdp") == 0) {
        program_pdp(&o, &l->pdp);
    } else if (strcmp(l->kind, "cdp") == 0) {
        program_cdp(&o, l);
    } else if (strcmp(l->kind, "bdma") == 0) {
        if (!dla_regs_find(cfg, "NVDLA_BDMA.CFG_OP_0", &offset)) {
            return false;
        }
        program_bdma(&o, &l->bdma);
    } else {
        if (!dla_regs_find(cfg, "NVDLA_RBK.D_OP_ENABLE_0", &offset)) {
            return false;
        }
        program_rubik(&o, &l->rubik);
    }
    ck_assert_uint_eq(dla_regs_unknown(regs), 0);
    return true;
}

uint32_t layer_counter(const struct dla_config *cfg, const struct layer *l, const char *name)
{
    static const struct {
        const char *kind, *name, *reg;
    } counters[] = {
        { "sdp", "nan_data", "CDMA.D_NAN_INPUT_DATA_NUM" },
        { "sdp", "inf_data", "CDMA.D_INF_INPUT_DATA_NUM" },
        { "sdp", "nan_weights", "CDMA.D_NAN_INPUT_WEIGHT_NUM" },
        { "sdp", "inf_weights", "CDMA.D_INF_INPUT_WEIGHT_NUM" },
        { "sdp", "nan_in", "SDP.D_STATUS_NAN_INPUT_NUM" },
        { "sdp", "inf_in", "SDP.D_STATUS_INF_INPUT_NUM" },
        { "sdp", "nan_out", "SDP.D_STATUS_NAN_OUTPUT_NUM" },
        { "sdp", "unequal", "SDP.D_STATUS" },
        { "pdp", "pool_nan_in", "PDP.D_NAN_INPUT_NUM" },
        { "pdp", "pool_inf_in", "PDP.D_INF_INPUT_NUM" },
        { "pdp", "pool_nan_out", "PDP.D_NAN_OUTPUT_NUM" },
        { "sdp", "pool_nan_in", "PDP.D_NAN_INPUT_NUM" },
        { "sdp", "pool_inf_in", "PDP.D_INF_INPUT_NUM" },
        { "sdp", "pool_nan_out", "PDP.D_NAN_OUTPUT_NUM" },
        { "cdp", "nan_in", "CDP.D_NAN_INPUT_NUM" },
        { "cdp", "inf_in", "CDP.D_INF_INPUT_NUM" },
        { "cdp", "nan_out", "CDP.D_NAN_OUTPUT_NUM" },
    };

    for (size_t i = 0; i < sizeof(counters) / sizeof(counters[0]); i++) {
        if (strcmp(counters[i].kind, l->kind) == 0 && strcmp(counters[i].name, name) == 0) {
            return reg_at(cfg, counters[i].reg);
        }
    }
    ck_abort_msg("no register counts %s of %s", name, l->kind);
    return 0;
}

unsigned layer_interrupt(const struct layer *l)
{
    static const struct {
        const char *kind;
        unsigned bit;
    } bits[] = { { "sdp", 0 }, { "cdp", 2 }, { "pdp", 4 }, { "bdma", 6 }, { "rubik", 8 } };
    size_t i = 0;

    while (strcmp(bits[i].kind, l->kind) != 0) {
        i++;
    }
    return bits[i].bit;
}
