/* SPDX-License-Identifier: MIT */
/* Registers to operation structs. Counts are stored minus one; strides and addresses are bytes. */
#include "model/dla/regs_file.h"

#define ADDRESS(r, unit, high, low) \
    ((uint64_t)REG_VALUE(r, unit, high) << 32 | REG_VALUE(r, unit, low))
#define RAM(r, unit, name, field) (REG_FIELD(r, unit, name, field) ? DLA_RAM_MC : DLA_RAM_CV)

static void dla_conv_input(const struct dla_regs *r, struct dla_conv_op *op)
{
    op->in_precision = REG_FIELD(r, CDMA, D_MISC_CFG_0, IN_PRECISION);
    op->precision = REG_FIELD(r, CSC, D_MISC_CFG_0, PROC_PRECISION);
    op->winograd = REG_FIELD(r, CSC, D_MISC_CFG_0, CONV_MODE);
    op->image = REG_FIELD(r, CDMA, D_DATAIN_FORMAT_0, DATAIN_FORMAT);
    op->pixel_format = (uint8_t)REG_FIELD(r, CDMA, D_DATAIN_FORMAT_0, PIXEL_FORMAT);
    op->pixel_signed = REG_FIELD(r, CDMA, D_DATAIN_FORMAT_0, PIXEL_SIGN_OVERRIDE);
    op->pixel_x_offset = (uint8_t)REG_FIELD(r, CDMA, D_PIXEL_OFFSET_0, PIXEL_X_OFFSET);
    op->width = REG_FIELD(r, CDMA, D_DATAIN_SIZE_0_0, DATAIN_WIDTH) + 1;
    op->height = REG_FIELD(r, CDMA, D_DATAIN_SIZE_0_0, DATAIN_HEIGHT) + 1;
    op->channels = REG_FIELD(r, CDMA, D_DATAIN_SIZE_1_0, DATAIN_CHANNEL) + 1;
    op->src = (struct dla_surface){
        .iova = ADDRESS(r, CDMA, D_DAIN_ADDR_HIGH_0_0, D_DAIN_ADDR_LOW_0_0),
        .line_stride = REG_VALUE(r, CDMA, D_LINE_STRIDE_0),
        .surf_stride = REG_VALUE(r, CDMA, D_SURF_STRIDE_0),
        .ram = RAM(r, CDMA, D_DAIN_RAM_TYPE_0, DATAIN_RAM_TYPE),
    };
    op->src_uv = ADDRESS(r, CDMA, D_DAIN_ADDR_HIGH_1_0, D_DAIN_ADDR_LOW_1_0);
    op->uv_line_stride = REG_VALUE(r, CDMA, D_LINE_UV_STRIDE_0);
    op->batches = REG_FIELD(r, CDMA, D_BATCH_NUMBER_0, BATCHES) + 1;
    op->batch_stride = REG_VALUE(r, CDMA, D_BATCH_STRIDE_0);
    op->convert = REG_FIELD(r, CDMA, D_CVT_CFG_0, CVT_EN);
    op->cvt = (struct dla_cvt){ (int16_t)REG_VALUE(r, CDMA, D_CVT_OFFSET_0),
                                (int16_t)REG_VALUE(r, CDMA, D_CVT_SCALE_0),
                                (uint8_t)REG_FIELD(r, CDMA, D_CVT_CFG_0, CVT_TRUNCATE) };
    op->subtract_mean = REG_FIELD(r, CDMA, D_MEAN_FORMAT_0, MEAN_FORMAT);
    op->mean[0] = (int16_t)REG_FIELD(r, CDMA, D_MEAN_GLOBAL_0_0, MEAN_RY);
    op->mean[1] = (int16_t)REG_FIELD(r, CDMA, D_MEAN_GLOBAL_0_0, MEAN_GU);
    op->mean[2] = (int16_t)REG_FIELD(r, CDMA, D_MEAN_GLOBAL_1_0, MEAN_BV);
    op->mean[3] = (int16_t)REG_FIELD(r, CDMA, D_MEAN_GLOBAL_1_0, MEAN_AX);
    op->nan_to_zero = REG_FIELD(r, CDMA, D_NAN_FLUSH_TO_ZERO_0, NAN_TO_ZERO);
}

static void dla_conv_weights(const struct dla_regs *r, struct dla_conv_op *op)
{
    op->kernels = REG_FIELD(r, CSC, D_WEIGHT_SIZE_EXT_1_0, WEIGHT_KERNEL) + 1;
    op->kernel_width = REG_FIELD(r, CSC, D_WEIGHT_SIZE_EXT_0_0, WEIGHT_WIDTH_EXT) + 1;
    op->kernel_height = REG_FIELD(r, CSC, D_WEIGHT_SIZE_EXT_0_0, WEIGHT_HEIGHT_EXT) + 1;
    op->kernel_channels = REG_FIELD(r, CSC, D_WEIGHT_SIZE_EXT_1_0, WEIGHT_CHANNEL_EXT) + 1;
    op->weights = ADDRESS(r, CDMA, D_WEIGHT_ADDR_HIGH_0, D_WEIGHT_ADDR_LOW_0);
    op->wmb = ADDRESS(r, CDMA, D_WMB_ADDR_HIGH_0, D_WMB_ADDR_LOW_0);
    op->wgs = ADDRESS(r, CDMA, D_WGS_ADDR_HIGH_0, D_WGS_ADDR_LOW_0);
    op->weight_ram = RAM(r, CDMA, D_WEIGHT_RAM_TYPE_0, WEIGHT_RAM_TYPE);
    op->weight_bytes = REG_VALUE(r, CDMA, D_WEIGHT_BYTES_0);
    op->wmb_bytes = REG_VALUE(r, CDMA, D_WMB_BYTES_0);
    op->compressed = REG_FIELD(r, CDMA, D_WEIGHT_FORMAT_0, WEIGHT_FORMAT);
    op->post_extension = (uint8_t)(1u << REG_FIELD(r, CSC, D_POST_Y_EXTENSION_0, Y_EXTENSION));
}

void dla_regs_conv(const struct dla_regs *r, struct dla_conv_op *op)
{
    *op = (struct dla_conv_op){ 0 };
    dla_conv_input(r, op);
    dla_conv_weights(r, op);
    /* Direct mode strides and pads in CSC, winograd in CDMA. */
    op->stride_x = op->winograd ? REG_FIELD(r, CDMA, D_CONV_STRIDE_0, CONV_X_STRIDE) + 1
                                : REG_FIELD(r, CSC, D_CONV_STRIDE_EXT_0, CONV_X_STRIDE_EXT) + 1;
    op->stride_y = op->winograd ? REG_FIELD(r, CDMA, D_CONV_STRIDE_0, CONV_Y_STRIDE) + 1
                                : REG_FIELD(r, CSC, D_CONV_STRIDE_EXT_0, CONV_Y_STRIDE_EXT) + 1;
    op->dilation_x = REG_FIELD(r, CSC, D_DILATION_EXT_0, X_DILATION_EXT) + 1;
    op->dilation_y = REG_FIELD(r, CSC, D_DILATION_EXT_0, Y_DILATION_EXT) + 1;
    op->pad_left = REG_FIELD(r, CDMA, D_ZERO_PADDING_0, PAD_LEFT);
    op->pad_right = REG_FIELD(r, CDMA, D_ZERO_PADDING_0, PAD_RIGHT);
    op->pad_top = REG_FIELD(r, CDMA, D_ZERO_PADDING_0, PAD_TOP);
    op->pad_bottom = REG_FIELD(r, CDMA, D_ZERO_PADDING_0, PAD_BOTTOM);
    if (!op->winograd) {
        op->pad_left = REG_FIELD(r, CSC, D_ZERO_PADDING_0, PAD_LEFT);
        op->pad_top = REG_FIELD(r, CSC, D_ZERO_PADDING_0, PAD_TOP);
    }
    op->pad_value = (int16_t)REG_FIELD(r, CSC, D_ZERO_PADDING_VALUE_0, PAD_VALUE);
    op->pra_truncate = (uint8_t)REG_FIELD(r, CSC, D_PRA_CFG_0, PRA_TRUNCATE);
    op->clip_truncate = (uint8_t)REG_FIELD(r, CACC, D_CLIP_CFG_0, CLIP_TRUNCATE);
    op->out_width = REG_FIELD(r, CACC, D_DATAOUT_SIZE_0_0, DATAOUT_WIDTH) + 1;
    op->out_height = REG_FIELD(r, CACC, D_DATAOUT_SIZE_0_0, DATAOUT_HEIGHT) + 1;
    op->data_banks = (uint8_t)(REG_FIELD(r, CDMA, D_BANK_0, DATA_BANK) + 1);
    op->weight_banks = (uint8_t)(REG_FIELD(r, CDMA, D_BANK_0, WEIGHT_BANK) + 1);
    op->data_reuse = REG_FIELD(r, CDMA, D_MISC_CFG_0, DATA_REUSE);
    op->weight_reuse = REG_FIELD(r, CDMA, D_MISC_CFG_0, WEIGHT_REUSE);
    if (r->conv_valid && REG_FIELD(r, CDMA, D_MISC_CFG_0, DATA_REUSE)) {
        op->src = r->conv.src;
        op->src_uv = r->conv.src_uv;
    }
    if (r->conv_valid && REG_FIELD(r, CDMA, D_MISC_CFG_0, WEIGHT_REUSE)) {
        op->weights = r->conv.weights;
        op->wmb = r->conv.wmb;
        op->wgs = r->conv.wgs;
    }
}

/* BS and BN have the same registers under their own names: S is BS or BN, D is B or N. */
#define X_STAGE(r, x, S, D)                                                                     \
    do {                                                                                        \
        (x)->enable = !REG_FIELD(r, SDP, D_DP_##S##_CFG_0, S##_BYPASS);                         \
        (x)->alu = !REG_FIELD(r, SDP, D_DP_##S##_CFG_0, S##_ALU_BYPASS);                        \
        (x)->mul = !REG_FIELD(r, SDP, D_DP_##S##_CFG_0, S##_MUL_BYPASS);                        \
        (x)->relu = !REG_FIELD(r, SDP, D_DP_##S##_CFG_0, S##_RELU_BYPASS);                      \
        (x)->prelu = REG_FIELD(r, SDP, D_DP_##S##_CFG_0, S##_MUL_PRELU);                        \
        (x)->algo = REG_FIELD(r, SDP, D_DP_##S##_CFG_0, S##_ALU_ALGO);                          \
        (x)->alu_from_memory = REG_FIELD(r, SDP, D_DP_##S##_ALU_CFG_0, S##_ALU_SRC);            \
        (x)->alu_shift = (uint8_t)REG_FIELD(r, SDP, D_DP_##S##_ALU_CFG_0, S##_ALU_SHIFT_VALUE); \
        (x)->mul_from_memory = REG_FIELD(r, SDP, D_DP_##S##_MUL_CFG_0, S##_MUL_SRC);            \
        (x)->truncate = (uint16_t)REG_FIELD(r, SDP, D_DP_##S##_MUL_CFG_0, S##_MUL_SHIFT_VALUE); \
        (x)->alu_value = (int16_t)REG_VALUE(r, SDP, D_DP_##S##_ALU_SRC_VALUE_0);                \
        (x)->mul_value = (int16_t)REG_VALUE(r, SDP, D_DP_##S##_MUL_SRC_VALUE_0);                \
        OPERAND_DMA(r, x, S, D);                                                                \
    } while (0)
#define OPERAND_DMA(r, x, S, D)                                                                   \
    do {                                                                                          \
        (x)->use = REG_FIELD(r, SDP_RDMA, D_##D##RDMA_CFG_0, D##RDMA_DATA_USE);                   \
        (x)->bytes = (uint8_t)(1 + REG_FIELD(r, SDP_RDMA, D_##D##RDMA_CFG_0, D##RDMA_DATA_SIZE)); \
        (x)->per_element = REG_FIELD(r, SDP_RDMA, D_##D##RDMA_CFG_0, D##RDMA_DATA_MODE);          \
        (x)->operand.iova =                                                                       \
            ADDRESS(r, SDP_RDMA, D_##S##_BASE_ADDR_HIGH_0, D_##S##_BASE_ADDR_LOW_0);              \
        (x)->operand.line_stride = REG_VALUE(r, SDP_RDMA, D_##S##_LINE_STRIDE_0);                 \
        (x)->operand.surf_stride = REG_VALUE(r, SDP_RDMA, D_##S##_SURFACE_STRIDE_0);              \
        (x)->operand.ram = RAM(r, SDP_RDMA, D_##D##RDMA_CFG_0, D##RDMA_RAM_TYPE);                 \
        (x)->batch_stride = REG_VALUE(r, SDP_RDMA, D_##S##_BATCH_STRIDE_0);                       \
    } while (0)

static void dla_regs_y(const struct dla_regs *r, struct dla_stage *y)
{
    y->enable = !REG_FIELD(r, SDP, D_DP_EW_CFG_0, EW_BYPASS);
    y->alu = !REG_FIELD(r, SDP, D_DP_EW_CFG_0, EW_ALU_BYPASS);
    y->mul = !REG_FIELD(r, SDP, D_DP_EW_CFG_0, EW_MUL_BYPASS);
    y->lut = !REG_FIELD(r, SDP, D_DP_EW_CFG_0, EW_LUT_BYPASS);
    y->prelu = REG_FIELD(r, SDP, D_DP_EW_CFG_0, EW_MUL_PRELU);
    y->algo = REG_FIELD(r, SDP, D_DP_EW_CFG_0, EW_ALU_ALGO);
    y->alu_from_memory = REG_FIELD(r, SDP, D_DP_EW_ALU_CFG_0, EW_ALU_SRC);
    y->alu_convert = !REG_FIELD(r, SDP, D_DP_EW_ALU_CFG_0, EW_ALU_CVT_BYPASS);
    y->mul_from_memory = REG_FIELD(r, SDP, D_DP_EW_MUL_CFG_0, EW_MUL_SRC);
    y->mul_convert = !REG_FIELD(r, SDP, D_DP_EW_MUL_CFG_0, EW_MUL_CVT_BYPASS);
    y->alu_value = (int32_t)REG_VALUE(r, SDP, D_DP_EW_ALU_SRC_VALUE_0);
    y->mul_value = (int32_t)REG_VALUE(r, SDP, D_DP_EW_MUL_SRC_VALUE_0);
    y->truncate = (uint16_t)REG_FIELD(r, SDP, D_DP_EW_TRUNCATE_VALUE_0, EW_TRUNCATE);
    y->alu_cvt = (struct dla_cvt){
        (int32_t)REG_VALUE(r, SDP, D_DP_EW_ALU_CVT_OFFSET_VALUE_0),
        (int16_t)REG_VALUE(r, SDP, D_DP_EW_ALU_CVT_SCALE_VALUE_0),
        (uint8_t)REG_FIELD(r, SDP, D_DP_EW_ALU_CVT_TRUNCATE_VALUE_0, EW_ALU_CVT_TRUNCATE),
    };
    y->mul_cvt = (struct dla_cvt){
        (int32_t)REG_VALUE(r, SDP, D_DP_EW_MUL_CVT_OFFSET_VALUE_0),
        (int16_t)REG_VALUE(r, SDP, D_DP_EW_MUL_CVT_SCALE_VALUE_0),
        (uint8_t)REG_FIELD(r, SDP, D_DP_EW_MUL_CVT_TRUNCATE_VALUE_0, EW_MUL_CVT_TRUNCATE),
    };
    OPERAND_DMA(r, y, EW, E);
}

void dla_regs_sdp(const struct dla_regs *r, struct dla_sdp_op *op)
{
    *op = (struct dla_sdp_op){
        .flying = REG_FIELD(r, SDP, D_FEATURE_MODE_CFG_0, FLYING_MODE),
        .to_pdp = REG_FIELD(r, SDP, D_FEATURE_MODE_CFG_0, OUTPUT_DST),
        .nan_to_zero = REG_FIELD(r, SDP, D_FEATURE_MODE_CFG_0, NAN_TO_ZERO),
        .batches = REG_FIELD(r, SDP, D_FEATURE_MODE_CFG_0, BATCH_NUMBER) + 1,
        .precision = REG_FIELD(r, SDP, D_DATA_FORMAT_0, PROC_PRECISION),
        .out = REG_FIELD(r, SDP, D_DATA_FORMAT_0, OUT_PRECISION),
        .width = REG_FIELD(r, SDP, D_DATA_CUBE_WIDTH_0, WIDTH) + 1,
        .height = REG_FIELD(r, SDP, D_DATA_CUBE_HEIGHT_0, HEIGHT) + 1,
        .channels = REG_FIELD(r, SDP, D_DATA_CUBE_CHANNEL_0, CHANNEL) + 1,
        .src = { .iova = ADDRESS(r, SDP_RDMA, D_SRC_BASE_ADDR_HIGH_0, D_SRC_BASE_ADDR_LOW_0),
                 .line_stride = REG_VALUE(r, SDP_RDMA, D_SRC_LINE_STRIDE_0),
                 .surf_stride = REG_VALUE(r, SDP_RDMA, D_SRC_SURFACE_STRIDE_0),
                 .ram = RAM(r, SDP_RDMA, D_SRC_DMA_CFG_0, SRC_RAM_TYPE) },
        .dst = { .iova = ADDRESS(r, SDP, D_DST_BASE_ADDR_HIGH_0, D_DST_BASE_ADDR_LOW_0),
                 .line_stride = REG_VALUE(r, SDP, D_DST_LINE_STRIDE_0),
                 .surf_stride = REG_VALUE(r, SDP, D_DST_SURFACE_STRIDE_0),
                 .ram = RAM(r, SDP, D_DST_DMA_CFG_0, DST_RAM_TYPE) },
        .dst_batch_stride = REG_VALUE(r, SDP, D_DST_BATCH_STRIDE_0),
        .cvt = { (int32_t)REG_VALUE(r, SDP, D_CVT_OFFSET_0),
                 (int16_t)REG_VALUE(r, SDP, D_CVT_SCALE_0),
                 (uint8_t)REG_FIELD(r, SDP, D_CVT_SHIFT_0, CVT_SHIFT) },
        .lut = &r->lut[0],
    };
    op->in =
        op->flying ? op->precision : REG_FIELD(r, SDP_RDMA, D_FEATURE_MODE_CFG_0, IN_PRECISION);
    X_STAGE(r, &op->x1, BS, B);
    X_STAGE(r, &op->x2, BN, N);
    dla_regs_y(r, &op->y);
}

static void dla_pdp_values(const struct dla_regs *r, struct dla_pdp_op *op)
{
    const uint32_t v[7] = {
        REG_VALUE(r, PDP, D_POOLING_PADDING_VALUE_1_CFG_0),
        REG_VALUE(r, PDP, D_POOLING_PADDING_VALUE_2_CFG_0),
        REG_VALUE(r, PDP, D_POOLING_PADDING_VALUE_3_CFG_0),
        REG_VALUE(r, PDP, D_POOLING_PADDING_VALUE_4_CFG_0),
        REG_VALUE(r, PDP, D_POOLING_PADDING_VALUE_5_CFG_0),
        REG_VALUE(r, PDP, D_POOLING_PADDING_VALUE_6_CFG_0),
        REG_VALUE(r, PDP, D_POOLING_PADDING_VALUE_7_CFG_0),
    };

    for (unsigned i = 0; i < 7; i++) {
        op->pad_value[i + 1] = (int32_t)dla_sext(v[i], 19);
    }
}

void dla_regs_pdp(const struct dla_regs *r, struct dla_pdp_op *op)
{
    *op = (struct dla_pdp_op){
        .flying = !REG_FIELD(r, PDP, D_OPERATION_MODE_CFG_0, FLYING_MODE),
        .nan_to_zero = REG_FIELD(r, PDP, D_NAN_FLUSH_TO_ZERO_0, NAN_TO_ZERO),
        .precision = REG_FIELD(r, PDP, D_DATA_FORMAT_0, INPUT_DATA),
        .method = REG_FIELD(r, PDP, D_OPERATION_MODE_CFG_0, POOLING_METHOD),
        .width = REG_FIELD(r, PDP, D_DATA_CUBE_IN_WIDTH_0, CUBE_IN_WIDTH) + 1,
        .height = REG_FIELD(r, PDP, D_DATA_CUBE_IN_HEIGHT_0, CUBE_IN_HEIGHT) + 1,
        .channels = REG_FIELD(r, PDP, D_DATA_CUBE_IN_CHANNEL_0, CUBE_IN_CHANNEL) + 1,
        .out_width = REG_FIELD(r, PDP, D_DATA_CUBE_OUT_WIDTH_0, CUBE_OUT_WIDTH) + 1,
        .out_height = REG_FIELD(r, PDP, D_DATA_CUBE_OUT_HEIGHT_0, CUBE_OUT_HEIGHT) + 1,
        .src = { .iova = ADDRESS(r, PDP_RDMA, D_SRC_BASE_ADDR_HIGH_0, D_SRC_BASE_ADDR_LOW_0),
                 .line_stride = REG_VALUE(r, PDP_RDMA, D_SRC_LINE_STRIDE_0),
                 .surf_stride = REG_VALUE(r, PDP_RDMA, D_SRC_SURFACE_STRIDE_0),
                 .ram = RAM(r, PDP_RDMA, D_SRC_RAM_CFG_0, SRC_RAM_TYPE) },
        .dst = { .iova = ADDRESS(r, PDP, D_DST_BASE_ADDR_HIGH_0, D_DST_BASE_ADDR_LOW_0),
                 .line_stride = REG_VALUE(r, PDP, D_DST_LINE_STRIDE_0),
                 .surf_stride = REG_VALUE(r, PDP, D_DST_SURFACE_STRIDE_0),
                 .ram = RAM(r, PDP, D_DST_RAM_CFG_0, DST_RAM_TYPE) },
        .kernel_width = REG_FIELD(r, PDP, D_POOLING_KERNEL_CFG_0, KERNEL_WIDTH) + 1,
        .kernel_height = REG_FIELD(r, PDP, D_POOLING_KERNEL_CFG_0, KERNEL_HEIGHT) + 1,
        .stride_x = REG_FIELD(r, PDP, D_POOLING_KERNEL_CFG_0, KERNEL_STRIDE_WIDTH) + 1,
        .stride_y = REG_FIELD(r, PDP, D_POOLING_KERNEL_CFG_0, KERNEL_STRIDE_HEIGHT) + 1,
        .pad_left = REG_FIELD(r, PDP, D_POOLING_PADDING_CFG_0, PAD_LEFT),
        .pad_right = REG_FIELD(r, PDP, D_POOLING_PADDING_CFG_0, PAD_RIGHT),
        .pad_top = REG_FIELD(r, PDP, D_POOLING_PADDING_CFG_0, PAD_TOP),
        .pad_bottom = REG_FIELD(r, PDP, D_POOLING_PADDING_CFG_0, PAD_BOTTOM),
        .recip_width = REG_FIELD(r, PDP, D_RECIP_KERNEL_WIDTH_0, RECIP_KERNEL_WIDTH),
        .recip_height = REG_FIELD(r, PDP, D_RECIP_KERNEL_HEIGHT_0, RECIP_KERNEL_HEIGHT),
        .splits = REG_FIELD(r, PDP, D_OPERATION_MODE_CFG_0, SPLIT_NUM) + 1,
        .in_first = REG_FIELD(r, PDP, D_PARTIAL_WIDTH_IN_0, PARTIAL_WIDTH_IN_FIRST) + 1,
        .in_mid = REG_FIELD(r, PDP, D_PARTIAL_WIDTH_IN_0, PARTIAL_WIDTH_IN_MID) + 1,
        .in_last = REG_FIELD(r, PDP, D_PARTIAL_WIDTH_IN_0, PARTIAL_WIDTH_IN_LAST) + 1,
        .out_first = REG_FIELD(r, PDP, D_PARTIAL_WIDTH_OUT_0, PARTIAL_WIDTH_OUT_FIRST) + 1,
        .out_mid = REG_FIELD(r, PDP, D_PARTIAL_WIDTH_OUT_0, PARTIAL_WIDTH_OUT_MID) + 1,
        .out_last = REG_FIELD(r, PDP, D_PARTIAL_WIDTH_OUT_0, PARTIAL_WIDTH_OUT_LAST) + 1,
    };
    dla_pdp_values(r, op);
}

void dla_regs_cdp(const struct dla_regs *r, struct dla_cdp_op *op)
{
    bool int8;

    *op = (struct dla_cdp_op){
        .sqsum_bypass = REG_FIELD(r, CDP, D_FUNC_BYPASS_0, SQSUM_BYPASS),
        .mul_bypass = REG_FIELD(r, CDP, D_FUNC_BYPASS_0, MUL_BYPASS),
        .nan_to_zero = REG_FIELD(r, CDP, D_NAN_FLUSH_TO_ZERO_0, NAN_TO_ZERO),
        .precision = REG_FIELD(r, CDP, D_DATA_FORMAT_0, INPUT_DATA_TYPE),
        .width = REG_FIELD(r, CDP_RDMA, D_DATA_CUBE_WIDTH_0, WIDTH) + 1,
        .height = REG_FIELD(r, CDP_RDMA, D_DATA_CUBE_HEIGHT_0, HEIGHT) + 1,
        .channels = REG_FIELD(r, CDP_RDMA, D_DATA_CUBE_CHANNEL_0, CHANNEL) + 1,
        .length = REG_FIELD(r, CDP, D_LRN_CFG_0, NORMALZ_LEN) * 2 + 3,
        .src = { .iova = ADDRESS(r, CDP_RDMA, D_SRC_BASE_ADDR_HIGH_0, D_SRC_BASE_ADDR_LOW_0),
                 .line_stride = REG_VALUE(r, CDP_RDMA, D_SRC_LINE_STRIDE_0),
                 .surf_stride = REG_VALUE(r, CDP_RDMA, D_SRC_SURFACE_STRIDE_0),
                 .ram = RAM(r, CDP_RDMA, D_SRC_DMA_CFG_0, SRC_RAM_TYPE) },
        .dst = { .iova = ADDRESS(r, CDP, D_DST_BASE_ADDR_HIGH_0, D_DST_BASE_ADDR_LOW_0),
                 .line_stride = REG_VALUE(r, CDP, D_DST_LINE_STRIDE_0),
                 .surf_stride = REG_VALUE(r, CDP, D_DST_SURFACE_STRIDE_0),
                 .ram = RAM(r, CDP, D_DST_DMA_CFG_0, DST_RAM_TYPE) },
        .lut = &r->lut[1],
    };
    /* int8 takes 8 bits of the input offset and 25 of the output offset. */
    int8 = op->precision == DLA_INT8;
    op->in_cvt = (struct dla_cvt){
        (int32_t)dla_sext(REG_VALUE(r, CDP, D_DATIN_OFFSET_0), int8 ? 8 : 16),
        (int16_t)REG_VALUE(r, CDP, D_DATIN_SCALE_0),
        (uint8_t)REG_FIELD(r, CDP, D_DATIN_SHIFTER_0, DATIN_SHIFTER),
    };
    op->out_cvt = (struct dla_cvt){
        (int32_t)dla_sext(REG_VALUE(r, CDP, D_DATOUT_OFFSET_0), int8 ? 25 : 32),
        (int16_t)REG_VALUE(r, CDP, D_DATOUT_SCALE_0),
        (uint8_t)REG_FIELD(r, CDP, D_DATOUT_SHIFTER_0, DATOUT_SHIFTER),
    };
}

void dla_regs_rubik(const struct dla_regs *r, struct dla_rubik_op *op)
{
    *op = (struct dla_rubik_op){
        .mode = REG_FIELD(r, RBK, D_MISC_CFG_0, RUBIK_MODE),
        .precision = REG_FIELD(r, RBK, D_MISC_CFG_0, IN_PRECISION),
        .width = REG_FIELD(r, RBK, D_DATAIN_SIZE_0_0, DATAIN_WIDTH) + 1,
        .height = REG_FIELD(r, RBK, D_DATAIN_SIZE_0_0, DATAIN_HEIGHT) + 1,
        .channels = REG_FIELD(r, RBK, D_DATAIN_SIZE_1_0, DATAIN_CHANNEL) + 1,
        .out_channels = REG_FIELD(r, RBK, D_DATAOUT_SIZE_1_0, DATAOUT_CHANNEL) + 1,
        .src = { .iova = ADDRESS(r, RBK, D_DAIN_ADDR_HIGH_0, D_DAIN_ADDR_LOW_0),
                 .line_stride = REG_VALUE(r, RBK, D_DAIN_LINE_STRIDE_0),
                 .surf_stride = REG_VALUE(r, RBK, D_DAIN_SURF_STRIDE_0),
                 .ram = RAM(r, RBK, D_DAIN_RAM_TYPE_0, DATAIN_RAM_TYPE) },
        .dst = { .iova = ADDRESS(r, RBK, D_DAOUT_ADDR_HIGH_0, D_DAOUT_ADDR_LOW_0),
                 .line_stride = REG_VALUE(r, RBK, D_DAOUT_LINE_STRIDE_0),
                 .surf_stride = REG_VALUE(r, RBK, D_DAOUT_SURF_STRIDE_0),
                 .ram = RAM(r, RBK, D_DAOUT_RAM_TYPE_0, DATAOUT_RAM_TYPE) },
        .src_planar_stride = REG_VALUE(r, RBK, D_DAIN_PLANAR_STRIDE_0),
        .dst_planar_stride = REG_VALUE(r, RBK, D_DAOUT_PLANAR_STRIDE_0),
        .stride_x = REG_FIELD(r, RBK, D_DECONV_STRIDE_0, DECONV_X_STRIDE) + 1,
        .stride_y = REG_FIELD(r, RBK, D_DECONV_STRIDE_0, DECONV_Y_STRIDE) + 1,
    };
}

void dla_regs_bdma(const struct dla_regs *r, struct dla_bdma_op *op)
{
    *op = (struct dla_bdma_op){
        .src = ADDRESS(r, BDMA, CFG_SRC_ADDR_HIGH_0, CFG_SRC_ADDR_LOW_0),
        .dst = ADDRESS(r, BDMA, CFG_DST_ADDR_HIGH_0, CFG_DST_ADDR_LOW_0),
        .src_ram = RAM(r, BDMA, CFG_CMD_0, SRC_RAM_TYPE),
        .dst_ram = RAM(r, BDMA, CFG_CMD_0, DST_RAM_TYPE),
        /* in 32-byte atoms */
        .line_bytes = (REG_FIELD(r, BDMA, CFG_LINE_0, SIZE) + 1) * 32,
        .lines = REG_FIELD(r, BDMA, CFG_LINE_REPEAT_0, NUMBER) + 1,
        .surfaces = REG_FIELD(r, BDMA, CFG_SURF_REPEAT_0, NUMBER) + 1,
        .src_line = REG_VALUE(r, BDMA, CFG_SRC_LINE_0),
        .dst_line = REG_VALUE(r, BDMA, CFG_DST_LINE_0),
        .src_surf = REG_VALUE(r, BDMA, CFG_SRC_SURF_0),
        .dst_surf = REG_VALUE(r, BDMA, CFG_DST_SURF_0),
    };
}

/* The same registers in SDP and CDP, but for the width of start and end. */
#define LUT_COMMON(r, lut, U)                                                             \
    do {                                                                                  \
        (lut)->exponential = !REG_FIELD(r, U, S_LUT_CFG_0, LUT_LE_FUNCTION);              \
        (lut)->uflow_lo = REG_FIELD(r, U, S_LUT_CFG_0, LUT_UFLOW_PRIORITY);               \
        (lut)->oflow_lo = REG_FIELD(r, U, S_LUT_CFG_0, LUT_OFLOW_PRIORITY);               \
        (lut)->hybrid_lo = REG_FIELD(r, U, S_LUT_CFG_0, LUT_HYBRID_PRIORITY);             \
        (lut)->index_offset = (int8_t)REG_FIELD(r, U, S_LUT_INFO_0, LUT_LE_INDEX_OFFSET); \
        (lut)->select[0] = (int8_t)REG_FIELD(r, U, S_LUT_INFO_0, LUT_LE_INDEX_SELECT);    \
        (lut)->select[1] = (int8_t)REG_FIELD(r, U, S_LUT_INFO_0, LUT_LO_INDEX_SELECT);    \
        LUT_SLOPE(r, lut, U, LE, 0);                                                      \
        LUT_SLOPE(r, lut, U, LO, 1);                                                      \
    } while (0)
#define LUT_SLOPE(r, lut, U, T, i)                                                            \
    do {                                                                                      \
        (lut)->uflow_scale[i] =                                                               \
            (int16_t)REG_FIELD(r, U, S_LUT_##T##_SLOPE_SCALE_0, LUT_##T##_SLOPE_UFLOW_SCALE); \
        (lut)->oflow_scale[i] =                                                               \
            (int16_t)REG_FIELD(r, U, S_LUT_##T##_SLOPE_SCALE_0, LUT_##T##_SLOPE_OFLOW_SCALE); \
        (lut)->uflow_shift[i] = (int8_t)dla_sext(                                             \
            REG_FIELD(r, U, S_LUT_##T##_SLOPE_SHIFT_0, LUT_##T##_SLOPE_UFLOW_SHIFT), 5);      \
        (lut)->oflow_shift[i] = (int8_t)dla_sext(                                             \
            REG_FIELD(r, U, S_LUT_##T##_SLOPE_SHIFT_0, LUT_##T##_SLOPE_OFLOW_SHIFT), 5);      \
    } while (0)
/* CDP: 38 bits. */
#define LUT_WIDE(r, name) (int64_t)dla_sext(ADDRESS(r, CDP, name##_HIGH_0, name##_LOW_0), 38)

void dla_regs_lut(struct dla_regs *r, bool cdp)
{
    struct dla_lut *lut = &r->lut[cdp];

    if (cdp) {
        LUT_COMMON(r, lut, CDP);
        lut->start[0] = LUT_WIDE(r, S_LUT_LE_START);
        lut->start[1] = LUT_WIDE(r, S_LUT_LO_START);
        lut->end[0] = LUT_WIDE(r, S_LUT_LE_END);
        lut->end[1] = LUT_WIDE(r, S_LUT_LO_END);
    } else {
        LUT_COMMON(r, lut, SDP);
        lut->start[0] = (int32_t)REG_VALUE(r, SDP, S_LUT_LE_START_0);
        lut->start[1] = (int32_t)REG_VALUE(r, SDP, S_LUT_LO_START_0);
        lut->end[0] = (int32_t)REG_VALUE(r, SDP, S_LUT_LE_END_0);
        lut->end[1] = (int32_t)REG_VALUE(r, SDP, S_LUT_LO_END_0);
    }
}
