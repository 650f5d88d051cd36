/* SPDX-License-Identifier: MIT */
#include "model/dla/desc_parse.h"

#include "model/dla/cube.h"

#include <string.h>

enum dla_status dla_parse_fail(struct dla_parse *p, enum dla_status status, const char *field,
                               int64_t value, const char *rule)
{
    *p->error = (struct dla_task_error){
        .blob = p->blob, .index = p->index, .field = field, .value = value, .rule = rule
    };
    return status;
}

enum dla_status dla_parse_entry(struct dla_parse *p, const char *blob, int16_t list, unsigned index,
                                unsigned size, uint8_t *out)
{
    const struct dla_task *t = p->task;
    uint64_t at = (uint64_t)index * size;

    p->blob = blob;
    p->index = (int)index;
    if (list < 0 || (unsigned)list >= t->addresses) {
        return dla_parse_fail(p, DLA_INVALID, "address index", list,
                              "the network descriptor names an address of the task");
    }
    if (t->size[list] && at + size > t->size[list]) {
        return dla_parse_fail(p, DLA_INVALID, "size", (int64_t)t->size[list],
                              "the blob holds every entry that is used");
    }
    if (dla_read(p->port, DLA_RAM_MC, t->address[list] + at, out, size) != DLA_OK) {
        dla_parse_fail(p, DLA_FAULT, "address", (int64_t)(t->address[list] + at),
                       "the descriptor must be mapped for the DLA");
        p->error->cause = p->port->error;
        return DLA_FAULT;
    }
    return DLA_OK;
}

enum dla_status dla_parse_network(struct dla_parse *p)
{
    uint8_t b[DLA_NETWORK_BYTES];
    struct dla_network *n = &p->net;
    enum dla_status status = dla_parse_entry(p, "network_desc", 0, 0, sizeof(b), b);

    if (status != DLA_OK) {
        return status;
    }
    n->operations = dla_les16(b);
    n->surfaces = dla_les16(b + 2);
    n->graph = dla_les16(b + 4);
    n->luts = dla_les16(b + 6);
    for (unsigned i = 0; i < DLA_OP_TYPES; i++) {
        n->head[i] = dla_les16(b + 16 + 2 * i);
    }
    n->rois = dla_le16(b + 28);
    n->count = dla_le16(b + 30);
    n->lut_count = dla_le16(b + 32);
    n->dynamic_roi = b[38];
    if (n->count > DLA_MAX_OPERATIONS) {
        return dla_parse_fail(p, DLA_INVALID, "num_operations", n->count, "at most 4096");
    }
    if (n->rois != 1 || n->dynamic_roi) {
        return dla_parse_fail(p, DLA_UNSUPPORTED, n->dynamic_roi ? "dynamic_roi" : "num_rois",
                              n->dynamic_roi ? n->dynamic_roi : n->rois,
                              "one static region of interest");
    }
    for (unsigned i = 0; i < DLA_OP_TYPES; i++) {
        if (n->head[i] < -1 || n->head[i] >= n->count) {
            return dla_parse_fail(p, DLA_INVALID, "op_head", n->head[i], "an operation, or -1");
        }
    }
    return DLA_OK;
}

static enum dla_status dla_parse_consumer(struct dla_parse *p, const uint8_t *b, const char *field,
                                          struct dla_consumer *c)
{
    c->index = dla_les16(b);
    c->event = b[2];
    if (c->index < -1 || c->index >= p->net.count) {
        return dla_parse_fail(p, DLA_INVALID, field, c->index, "an operation, or -1");
    }
    if (c->index >= 0 && (c->event < 1 || c->event > 5)) {
        return dla_parse_fail(p, DLA_INVALID, "event", c->event,
                              "1 completed, 2 programmed, 3 enabled, 4 weights, 5 data fetched");
    }
    return DLA_OK;
}

enum dla_status dla_parse_node(struct dla_parse *p, unsigned index, struct dla_node *n)
{
    uint8_t b[DLA_COMMON_BYTES];
    enum dla_status status =
        dla_parse_entry(p, "dependency_graph", p->net.graph, index, sizeof(b), b);

    if (status != DLA_OK) {
        return status;
    }
    n->type = b[3];
    n->dependencies = b[4];
    if (n->type >= DLA_OP_TYPES) {
        return dla_parse_fail(p, DLA_INVALID, "op_type", n->type, "0..5");
    }
    for (unsigned i = 0; status == DLA_OK && i < DLA_OP_TYPES; i++) {
        status = dla_parse_consumer(p, b + 8 + 4 * i, "consumers", &n->consumer[i]);
    }
    return status == DLA_OK ? dla_parse_consumer(p, b + 32, "fused_parent", &n->parent) : status;
}

/* A data cube of the surface list. */
struct dla_cube {
    uint16_t type; /* 0 DRAM, 1 CVSRAM, 2 another unit of the DLA */
    int16_t address;
    uint32_t offset, size, width, height, channels, line_stride, surf_stride, plane_stride;
};

enum { CUBE_MC, CUBE_CV, CUBE_HW };

static void dla_cube_get(const struct dla_parse *p, const uint8_t *surface, unsigned i,
                         struct dla_cube *c)
{
    const uint8_t *b = surface + (size_t)i * p->task->cube_bytes;

    c->type = dla_le16(b);
    c->address = dla_les16(b + 2);
    c->offset = 0;
    if (p->task->cube_bytes == 32) {
        c->offset = dla_le32(b + 4);
        b += 4;
    }
    c->size = dla_le32(b + 4);
    c->width = dla_le16(b + 8);
    c->height = dla_le16(b + 10);
    c->channels = dla_le16(b + 12);
    c->line_stride = dla_le32(b + 16);
    c->surf_stride = dla_le32(b + 20);
    c->plane_stride = dla_le32(b + 24);
}

static enum dla_status dla_address(struct dla_parse *p, int16_t index, const char *field,
                                   uint64_t *iova)
{
    p->blob = "surface_list";
    if (index < 0 || (unsigned)index >= p->task->addresses) {
        return dla_parse_fail(p, DLA_INVALID, field, index, "an address of the task");
    }
    *iova = p->task->address[index];
    return DLA_OK;
}

/* Where a cube in memory lies; a cube on the fly (or absent) has no address. */
static enum dla_status dla_place(struct dla_parse *p, const struct dla_cube *c, const char *field,
                                 struct dla_surface *s)
{
    enum dla_status status;

    p->blob = "surface_list";
    *s = (struct dla_surface){ .line_stride = c->line_stride,
                               .surf_stride = c->surf_stride,
                               .ram = c->type == CUBE_CV ? DLA_RAM_CV : DLA_RAM_MC };
    if (c->type > CUBE_HW) {
        return dla_parse_fail(p, DLA_INVALID, field, c->type, "memory type 0, 1 or 2");
    }
    if (c->type == CUBE_HW) {
        return DLA_OK;
    }
    status = dla_address(p, c->address, field, &s->iova);
    s->iova += c->offset;
    return status;
}

static struct dla_cvt dla_cvt_get(const uint8_t *b, bool *enable)
{
    if (enable) {
        *enable = b[3];
    }
    return (struct dla_cvt){ .scale = dla_les16(b),
                             .truncate = b[2],
                             .offset = (int32_t)dla_le32(b + 4) };
}

static void dla_conv_fields(const uint8_t *b, struct dla_conv_op *op)
{
    *op = (struct dla_conv_op){
        .winograd = b[0],
        .image = b[8] != DLA_PIXEL_COUNT,
        .pixel_format = b[8],
        .batches = b[20],
        .compressed = b[21],
        .batch_stride = dla_le32(b + 24),
        .post_extension = (uint8_t)(b[28] < 3 ? 1 << b[28] : 0),
        .pixel_signed = b[29],
        .data_reuse = b[1],
        .weight_reuse = b[2],
        .data_banks = b[22],
        .weight_banks = b[23],
        .kernel_width = dla_le16(b + 38),
        .kernel_height = dla_le16(b + 40),
        .kernel_channels = dla_le16(b + 42),
        .mean = { dla_les16(b + 52), dla_les16(b + 54), dla_les16(b + 56), dla_les16(b + 58) },
        .subtract_mean = b[60],
        .stride_x = b[61],
        .stride_y = b[62],
        .pad_left = b[63],
        .pad_right = b[64],
        .pad_top = b[65],
        .pad_bottom = b[66],
        .dilation_x = b[67],
        .dilation_y = b[68],
        .pra_truncate = b[71],
        .in_precision = b[72],
        .precision = b[73],
        .pad_value = dla_les16(b + 74),
        .clip_truncate = b[84 + 2],
    };
    op->cvt = dla_cvt_get(b + 76, &op->convert);
}

static enum dla_status dla_parse_conv(struct dla_parse *p, const uint8_t *b, const uint8_t *s,
                                      struct dla_conv_op *op)
{
    struct dla_cube weight, wmb, wgs, src, dst;
    struct dla_surface at;
    enum dla_status status;

    dla_conv_fields(b, op);
    dla_cube_get(p, s, 0, &weight);
    dla_cube_get(p, s, 1, &wmb);
    dla_cube_get(p, s, 2, &wgs);
    dla_cube_get(p, s, 3, &src);
    dla_cube_get(p, s, 4, &dst);
    op->width = src.width;
    op->height = src.height;
    op->channels = src.channels;
    op->kernels = dst.channels;
    op->out_width = dst.width;
    op->out_height = dst.height;
    op->weight_bytes = weight.size;
    op->wmb_bytes = wmb.size;
    s += 5 * (size_t)p->task->cube_bytes;
    op->uv_line_stride = dla_le32(s + 8);
    status = dla_place(p, &src, "src_data.address", &op->src);
    op->src_uv = op->src.iova + dla_le64(s);
    if (status == DLA_OK) {
        status = dla_place(p, &weight, "weight_data.address", &at);
        op->weights = at.iova;
        op->weight_ram = at.ram;
    }
    if (status == DLA_OK && op->compressed) {
        status = dla_place(p, &wmb, "wmb_data.address", &at);
        op->wmb = at.iova;
        if (status == DLA_OK) {
            status = dla_place(p, &wgs, "wgs_data.address", &at);
            op->wgs = at.iova;
        }
    }
    return status;
}

enum { OP_NONE, OP_MUL, OP_ADD, OP_BOTH };
enum { ACT_NONE, ACT_RELU, ACT_LUT, ACT_PRELU };
enum { PER_LAYER, PER_KERNEL, PER_POINT };

static enum dla_status dla_parse_stage(struct dla_parse *p, const uint8_t *b, unsigned which,
                                       const struct dla_cube *c, struct dla_stage *x)
{
    static const char *const cube[] = { "x1_data.address", "x2_data.address", "y_data.address" };
    static const enum dla_use use[] = { DLA_USE_MUL, DLA_USE_MUL, DLA_USE_ALU, DLA_USE_BOTH };
    uint8_t type = b[2], mode = b[3], act = b[4], precision = b[7];
    bool memory = mode != PER_LAYER;

    *x = (struct dla_stage){ .enable = b[0] };
    if (!x->enable) {
        return DLA_OK;
    }
    p->blob = "operation_list";
    if (type > OP_BOTH || mode > PER_POINT || act > ACT_PRELU || precision > DLA_FP16 || b[1] > 3 ||
        (which < 2 && b[1] == DLA_ALU_EQL)) {
        return dla_parse_fail(p, DLA_INVALID,
                              which == 0   ? "x1_op"
                              : which == 1 ? "x2_op"
                                           : "y_op",
                              type, "type, mode, act, precision and alu_type are in range");
    }
    *x = (struct dla_stage){
        .enable = true,
        .algo = b[1],
        .alu = type == OP_ADD || type == OP_BOTH,
        .mul = type == OP_MUL || type == OP_BOTH,
        .relu = act == ACT_RELU && which < 2,
        .prelu = act == ACT_PRELU,
        .lut = act == ACT_LUT && which == 2,
        .alu_shift = b[5],
        .truncate = b[6],
        .alu_from_memory = memory,
        .mul_from_memory = memory,
        .alu_value = (int32_t)dla_le32(b + 8),
        .mul_value = (int32_t)dla_le32(b + 12),
        .use = use[type],
        .bytes = precision == DLA_INT8 ? 1 : 2,
        .per_element = mode == PER_POINT,
    };
    x->alu_cvt = dla_cvt_get(b + 16, &x->alu_convert);
    x->mul_cvt = dla_cvt_get(b + 24, &x->mul_convert);
    return memory && type != OP_NONE ? dla_place(p, c, cube[which], &x->operand) : DLA_OK;
}

/* kmd/firmware/sdp.c: which precision the pipeline works in. */
static enum dla_precision dla_sdp_precision(enum dla_precision src, enum dla_precision dst)
{
    return src == DLA_FP16 ? DLA_FP16 : dst == DLA_INT8 || src == DLA_INT8 ? DLA_INT8 : DLA_INT16;
}

static enum dla_status dla_parse_sdp(struct dla_parse *p, const uint8_t *b, const uint8_t *s,
                                     struct dla_operation *o)
{
    struct dla_sdp_op *op = &o->sdp;
    struct dla_stage *stage[] = { &op->x1, &op->x2, &op->y };
    struct dla_cube src, dst, operand;
    int16_t lut = dla_les16(b + 2);
    enum dla_status status;

    dla_cube_get(p, s, 0, &src);
    dla_cube_get(p, s, 4, &dst);
    *op = (struct dla_sdp_op){
        .flying = src.type == CUBE_HW,
        .to_pdp = dst.type == CUBE_HW,
        .in = b[0],
        .out = b[1],
        .precision = dla_sdp_precision(b[0], b[1]),
        .cvt = dla_cvt_get(b + 4, NULL),
        .batches = b[13],
        .dst_batch_stride = dla_le32(b + 16),
        .width = src.width,
        .height = src.height,
        .channels = src.channels,
        .lut = &o->lut,
    };
    status = dla_place(p, &src, "src_data.address", &op->src);
    if (status == DLA_OK) {
        status = dla_place(p, &dst, "dst_data.address", &op->dst);
    }
    for (unsigned i = 0; status == DLA_OK && i < 3; i++) {
        dla_cube_get(p, s, i + 1, &operand);
        status = dla_parse_stage(p, b + 20 + 32 * i, i, &operand, stage[i]);
        stage[i]->batch_stride = op->dst_batch_stride;
    }
    return status == DLA_OK && op->y.lut ? dla_parse_lut(p, lut, op->precision, false, &o->lut)
                                         : status;
}

static enum dla_status dla_parse_pdp(struct dla_parse *p, const uint8_t *b, const uint8_t *s,
                                     struct dla_pdp_op *op)
{
    /* kmd/firmware/pdp.c: reciprocals of 1 to 8, 2^16 / n or fp17. */
    static const uint32_t recip[2][8] = {
        { 0x10000, 0x8000, 0x5555, 0x4000, 0x3333, 0x2aaa, 0x2492, 0x2000 },
        { 0x7c00, 0x7800, 0x7555, 0x7400, 0x7266, 0x7155, 0x7092, 0x7000 },
    };
    struct dla_cube src, dst;
    bool fp = b[22] == DLA_FP16;
    enum dla_status status;

    dla_cube_get(p, s, 0, &src);
    dla_cube_get(p, s, 1, &dst);
    *op = (struct dla_pdp_op){
        .flying = src.type == CUBE_HW,
        .in_first = dla_le16(b),
        .in_mid = dla_le16(b + 2),
        .in_last = dla_le16(b + 4),
        .out_first = dla_le16(b + 6),
        .out_mid = dla_le16(b + 8),
        .out_last = dla_le16(b + 10),
        .splits = b[12],
        .method = b[13],
        .kernel_width = b[14] + 1u,
        .kernel_height = b[15] + 1u,
        .stride_x = b[16],
        .stride_y = b[17],
        .pad_left = b[18],
        .pad_right = b[19],
        .pad_top = b[20],
        .pad_bottom = b[21],
        .precision = b[22],
        .width = src.width,
        .height = src.height,
        .channels = src.channels,
        .out_width = dst.width,
        .out_height = dst.height,
        .recip_width = recip[fp][b[14] & 7],
        .recip_height = recip[fp][b[15] & 7],
    };
    for (unsigned i = 0; i < 7; i++) {
        op->pad_value[i + 1] = (int32_t)dla_sext(dla_le32(b + 24 + 4 * i), 19);
    }
    status = dla_place(p, &src, "src_data.address", &op->src);
    if (status == DLA_OK && dst.type == CUBE_HW) {
        return dla_parse_fail(p, DLA_INVALID, "dst_data.type", dst.type, "PDP writes to memory");
    }
    return status == DLA_OK ? dla_place(p, &dst, "dst_data.address", &op->dst) : status;
}

static enum dla_status dla_parse_cdp(struct dla_parse *p, const uint8_t *b, const uint8_t *s,
                                     struct dla_operation *o)
{
    struct dla_cdp_op *op = &o->cdp;
    struct dla_cube src, dst;
    enum dla_status status;

    dla_cube_get(p, s, 0, &src);
    dla_cube_get(p, s, 1, &dst);
    *op = (struct dla_cdp_op){
        .precision = b[0],
        .in_cvt = dla_cvt_get(b + 4, NULL),
        .out_cvt = dla_cvt_get(b + 12, NULL),
        .length = b[20],
        .sqsum_bypass = b[21],
        .mul_bypass = b[22],
        .width = src.width,
        .height = src.height,
        .channels = src.channels,
        .lut = &o->lut,
    };
    p->blob = "operation_list";
    if (b[0] != b[1]) {
        return dla_parse_fail(p, DLA_INVALID, "out_precision", b[1], "CDP does not convert");
    }
    p->blob = "surface_list";
    if (src.type == CUBE_HW || dst.type == CUBE_HW) {
        return dla_parse_fail(p, DLA_INVALID, "src_data.type", src.type,
                              "CDP reads from and writes to memory");
    }
    status = dla_place(p, &src, "src_data.address", &op->src);
    if (status == DLA_OK) {
        status = dla_place(p, &dst, "dst_data.address", &op->dst);
    }
    return status == DLA_OK ? dla_parse_lut(p, dla_les16(b + 2), op->precision, true, &o->lut)
                            : status;
}

static enum dla_status dla_parse_rubik(struct dla_parse *p, const uint8_t *b, const uint8_t *s,
                                       struct dla_rubik_op *op)
{
    struct dla_cube src, dst;
    enum dla_status status;

    dla_cube_get(p, s, 0, &src);
    dla_cube_get(p, s, 1, &dst);
    *op = (struct dla_rubik_op){
        .mode = b[0],
        .precision = b[1],
        .stride_x = b[2],
        .stride_y = b[3],
        .width = src.width,
        .height = src.height,
        .channels = src.channels,
        .out_channels = dst.channels,
        .src_planar_stride = src.plane_stride,
        .dst_planar_stride = dst.plane_stride,
    };
    p->blob = "surface_list";
    if (src.type == CUBE_HW || dst.type == CUBE_HW) {
        return dla_parse_fail(p, DLA_INVALID, "src_data.type", src.type,
                              "RUBIK reads from and writes to memory");
    }
    status = dla_place(p, &src, "src_data.address", &op->src);
    return status == DLA_OK ? dla_place(p, &dst, "dst_data.address", &op->dst) : status;
}

static enum dla_status dla_parse_bdma(struct dla_parse *p, const uint8_t *b, const uint8_t *s,
                                      struct dla_operation *o)
{
    enum dla_status status = DLA_OK;

    o->bdma.count = dla_le16(b);
    if (o->bdma.count > DLA_BDMA_TRANSFERS || o->bdma.count != dla_le16(s + 2)) {
        p->blob = "operation_list";
        return dla_parse_fail(p, DLA_INVALID, "num_transfers", o->bdma.count,
                              "at most 20, and the same in the surface list");
    }
    for (unsigned i = 0; status == DLA_OK && i < o->bdma.count; i++) {
        const uint8_t *t = s + 4 + 32 * (size_t)i;

        o->bdma.transfer[i] = (struct dla_bdma_op){
            .src_ram = s[0] == CUBE_CV ? DLA_RAM_CV : DLA_RAM_MC,
            .dst_ram = s[1] == CUBE_CV ? DLA_RAM_CV : DLA_RAM_MC,
            .line_bytes = dla_le32(t + 4),
            .lines = dla_le32(t + 8),
            .src_line = dla_le32(t + 12),
            .dst_line = dla_le32(t + 16),
            .surfaces = dla_le32(t + 20),
            .src_surf = dla_le32(t + 24),
            .dst_surf = dla_le32(t + 28),
        };
        status = dla_address(p, dla_les16(t), "source_address", &o->bdma.transfer[i].src);
        if (status == DLA_OK) {
            status =
                dla_address(p, dla_les16(t + 2), "destination_address", &o->bdma.transfer[i].dst);
        }
    }
    return status;
}

static void dla_lut_slope(const uint8_t *b, bool fp, int16_t *scale, int8_t *shift)
{
    *scale = dla_les16(b);
    *shift = fp ? 0 : (int8_t)dla_sext(b[2], 5);
}

enum dla_status dla_parse_lut(struct dla_parse *p, int16_t index, enum dla_precision precision,
                              bool cdp, struct dla_lut *lut)
{
    uint8_t b[DLA_LUT_BYTES];
    enum dla_status status;

    p->blob = "operation_list";
    if (index < 0 || index >= p->net.lut_count) {
        return dla_parse_fail(p, DLA_INVALID, "lut_index", index, "a table of the network");
    }
    status = dla_parse_entry(p, "lut", p->net.luts, (unsigned)index, sizeof(b), b);
    if (status != DLA_OK) {
        return status;
    }
    for (unsigned i = 0; i < DLA_LUT_LE; i++) {
        lut->le[i] = dla_les16(b + 2 * i);
    }
    for (unsigned i = 0; i < DLA_LUT_LO; i++) {
        lut->lo[i] = dla_les16(b + 130 + 2 * i);
    }
    lut->index_offset = lut->select[0] = (int8_t)b[644];
    lut->select[1] = (int8_t)b[646];
    for (unsigned i = 0; i < 2; i++) {
        uint64_t start = dla_le64(b + 648 + 16 * i), end = dla_le64(b + 656 + 16 * i);
        bool fp = precision == DLA_FP16;

        lut->start[i] = dla_sext(start, cdp ? 38 : 32);
        lut->end[i] = dla_sext(end, cdp ? 38 : 32);
        dla_lut_slope(b + 680 + 8 * i, fp, &lut->uflow_scale[i], &lut->uflow_shift[i]);
        dla_lut_slope(b + 684 + 8 * i, fp, &lut->oflow_scale[i], &lut->oflow_shift[i]);
    }
    lut->hybrid_lo = b[696];
    lut->uflow_lo = b[697];
    lut->oflow_lo = b[698];
    lut->exponential = b[699] == 0;
    return DLA_OK;
}

enum dla_status dla_parse_operation(struct dla_parse *p, unsigned index, enum dla_op_type type,
                                    struct dla_operation *o)
{
    uint8_t b[DLA_OPERATION_BYTES], s[DLA_SURFACE_BYTES];
    enum dla_status status =
        dla_parse_entry(p, "operation_list", p->net.operations, index, sizeof(b), b);

    if (status == DLA_OK) {
        status = dla_parse_entry(p, "surface_list", p->net.surfaces, index, sizeof(s), s);
    }
    if (status != DLA_OK) {
        return status;
    }
    memset(o, 0, sizeof(*o));
    o->type = type;
    switch (type) {
    case DLA_OP_BDMA:
        return dla_parse_bdma(p, b, s, o);
    case DLA_OP_CONV:
        return dla_parse_conv(p, b, s, &o->conv);
    case DLA_OP_SDP:
        return dla_parse_sdp(p, b, s, o);
    case DLA_OP_PDP:
        return dla_parse_pdp(p, b, s, &o->pdp);
    case DLA_OP_CDP:
        return dla_parse_cdp(p, b, s, o);
    default:
        return dla_parse_rubik(p, b, s, &o->rubik);
    }
}
