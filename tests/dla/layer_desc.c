/* SPDX-License-Identifier: MIT */
#include "tests/dla/layer.h"

#include "loadable/desc.h"

#include <check.h>
#include <string.h>

/* What the network descriptor names by index; the buffers come behind. */
enum { NETWORK, OPERATIONS, SURFACES, GRAPH, TABLES, BUFFERS };
enum { COMPLETED = 1, PROGRAMMED, ENABLED };
/* Where the lists lie: nothing else of a vector does. */
#define LISTS_AT UINT64_C(0x7000000)
#define LIST(i) (LISTS_AT + UINT64_C(0x10000) * (i))

static int address_of(struct described *d, uint64_t iova)
{
    ck_assert_uint_lt(d->addresses, LAYER_ADDRESSES);
    d->address[d->addresses] = iova;
    return (int)d->addresses++;
}

/* Cube @i of operation @op. Where a cube has an offset, half of the way is that. */
static void put_cube(struct described *d, unsigned op, unsigned i, const struct dla_surface *s,
                     struct desc_cube c)
{
    uint32_t offset = d->cube_bytes == 32 && s->iova >= 64 ? 64 : 0;

    c.type = s->ram == DLA_RAM_CV;
    c.address = address_of(d, s->iova - offset);
    c.offset = offset;
    c.line_stride = s->line_stride;
    c.surf_stride = s->surf_stride;
    desc_cube_put(d->surfaces[op], i, d->cube_bytes, &c);
}

/* On the fly, or not there. */
static void put_none(struct described *d, unsigned op, unsigned i, uint32_t width, uint32_t height,
                     uint32_t channels)
{
    const struct desc_cube c = {
        .type = 2, .address = -1, .width = width, .height = height, .channels = channels
    };

    desc_cube_put(d->surfaces[op], i, d->cube_bytes, &c);
}

static unsigned new_op(struct described *d, enum desc_op type)
{
    unsigned op = d->operations++;

    DESC_PUT(d->graph[op], COMMON, index, op);
    DESC_PUT(d->graph[op], COMMON, op_type, type);
    for (unsigned k = 0; k < 7; k++) {
        desc_put(d->graph[op] + DESC_AT_COMMON_bdma_index + 4 * (size_t)k, 2, -1);
    }
    desc_put(d->network + DESC_AT_NETWORK_head_bdma + 2 * (size_t)type, 2, op);
    return op;
}

/* @first runs with @second behind it: programmed first, enabled last (nvdla/sw, scheduler.c). */
static void fuse(struct described *d, unsigned first, unsigned second, enum desc_op type)
{
    uint8_t *at = d->graph[first] + DESC_AT_COMMON_bdma_index + 4 * (size_t)type;

    desc_put(at, 2, second);
    at[2] = PROGRAMMED;
    d->graph[second][DESC_AT_COMMON_dependency_count]++;
    DESC_PUT(d->graph[second], COMMON, fused_parent_index, first);
    DESC_PUT(d->graph[second], COMMON, fused_parent_event, ENABLED);
    d->graph[first][DESC_AT_COMMON_dependency_count]++;
}

#define CONVERTER(b, D, name, c)                        \
    do {                                                \
        DESC_PUT(b, D, name##_scale, (c)->scale);       \
        DESC_PUT(b, D, name##_truncate, (c)->truncate); \
        DESC_PUT(b, D, name##_offset, (c)->offset);     \
    } while (0)

static void put_conv_fields(uint8_t *b, const struct dla_conv_op *c)
{
    DESC_PUT(b, CONV, conv_mode, c->winograd);
    DESC_PUT(b, CONV, data_format, c->image ? c->pixel_format : DESC_FEATURE);
    DESC_PUT(b, CONV, batch, c->batches);
    DESC_PUT(b, CONV, weight_format, c->compressed);
    DESC_PUT(b, CONV, batch_stride, c->batch_stride);
    DESC_PUT(b, CONV, post_extension, c->post_extension == 4 ? 2 : c->post_extension - 1);
    DESC_PUT(b, CONV, pixel_override, c->pixel_signed);
    DESC_PUT(b, CONV, kernel_width_csc, c->kernel_width);
    DESC_PUT(b, CONV, kernel_height_csc, c->kernel_height);
    DESC_PUT(b, CONV, kernel_channel_csc, c->kernel_channels);
    DESC_PUT(b, CONV, mean_ry, c->mean[0]);
    DESC_PUT(b, CONV, mean_gu, c->mean[1]);
    DESC_PUT(b, CONV, mean_bv, c->mean[2]);
    DESC_PUT(b, CONV, mean_ax, c->mean[3]);
    DESC_PUT(b, CONV, mean_format, c->subtract_mean);
    DESC_PUT(b, CONV, stride_x, c->stride_x);
    DESC_PUT(b, CONV, stride_y, c->stride_y);
    DESC_PUT(b, CONV, pad_left, c->pad_left);
    DESC_PUT(b, CONV, pad_right, c->pad_right);
    DESC_PUT(b, CONV, pad_top, c->pad_top);
    DESC_PUT(b, CONV, pad_bottom, c->pad_bottom);
    DESC_PUT(b, CONV, dilation_x, c->dilation_x);
    DESC_PUT(b, CONV, dilation_y, c->dilation_y);
    DESC_PUT(b, CONV, pra_truncate, c->pra_truncate);
    DESC_PUT(b, CONV, in_precision, c->in_precision);
    DESC_PUT(b, CONV, out_precision, c->precision);
    DESC_PUT(b, CONV, pad_val, c->pad_value);
    CONVERTER(b, CONV, in_cvt, &c->cvt);
    DESC_PUT(b, CONV, in_cvt_enable, c->convert);
    DESC_PUT(b, CONV, out_cvt_truncate, c->clip_truncate);
}

static unsigned put_conv(struct described *d, const struct dla_conv_op *c)
{
    unsigned op = new_op(d, DESC_OP_CONV);
    const struct dla_surface weights = { .iova = c->weights, .ram = c->weight_ram };
    const struct dla_surface wmb = { .iova = c->wmb }, wgs = { .iova = c->wgs };
    uint8_t *rest = d->surfaces[op] + (size_t)5 * d->cube_bytes;

    put_conv_fields(d->ops[op], c);
    put_cube(d, op, 0, &weights, (struct desc_cube){ 0 });
    put_cube(d, op, 1, &wmb, (struct desc_cube){ 0 });
    put_cube(d, op, 2, &wgs, (struct desc_cube){ 0 });
    put_cube(d, op, 3, &c->src,
             (struct desc_cube){ .width = c->width, .height = c->height, .channels = c->channels });
    put_none(d, op, 4, c->out_width, c->out_height, c->kernels);
    desc_put(rest, 8, (int64_t)(c->src_uv - c->src.iova)); /* offset_u, in_line_uv_stride */
    desc_put(rest + 8, 4, c->uv_line_stride);
    return op;
}

/* @x: the stage's fields by the names of x1. */
static bool put_stage(uint8_t *x, const struct dla_stage *s, enum dla_precision p)
{
    bool memory = (s->alu && s->alu_from_memory) || (s->mul && s->mul_from_memory);

    if ((s->alu && s->mul && s->alu_from_memory != s->mul_from_memory) ||
        (s->relu && (s->prelu || s->lut)) || (s->prelu && s->lut)) {
        return false;
    }
    DESC_PUT(x, SDP, x1_enable, s->enable);
    DESC_PUT(x, SDP, x1_alu_type, s->algo);
    DESC_PUT(x, SDP, x1_type, s->alu && s->mul ? 3 : s->alu ? 2 : s->mul ? 1 : 0);
    DESC_PUT(x, SDP, x1_mode, !memory ? 0 : s->per_element ? 2 : 1);
    DESC_PUT(x, SDP, x1_act, s->relu ? 1 : s->lut ? 2 : s->prelu ? 3 : 0);
    DESC_PUT(x, SDP, x1_shift, s->alu_shift);
    DESC_PUT(x, SDP, x1_truncate, s->truncate);
    DESC_PUT(x, SDP, x1_precision, s->bytes == 1 ? 0 : p == DLA_FP16 ? 2 : 1);
    DESC_PUT(x, SDP, x1_alu_operand, s->alu_value);
    DESC_PUT(x, SDP, x1_mul_operand, s->mul_value);
    CONVERTER(x, SDP, x1_alu_cvt, &s->alu_cvt);
    CONVERTER(x, SDP, x1_mul_cvt, &s->mul_cvt);
    DESC_PUT(x, SDP, x1_alu_cvt_enable, s->alu_convert);
    DESC_PUT(x, SDP, x1_mul_cvt_enable, s->mul_convert);
    return true;
}

static void put_table(struct described *d, const struct dla_lut *t)
{
    uint8_t *b = d->table;

    for (size_t i = 0; i < 65; i++) {
        desc_put(b + 2 * i, 2, t->le[i]);
    }
    for (size_t i = 0; i < 257; i++) {
        desc_put(b + 2 * (65 + i), 2, t->lo[i]);
    }
    DESC_PUT(b, LUT, le_offset, t->exponential ? t->index_offset : t->select[0]);
    DESC_PUT(b, LUT, lo_select, t->select[1]);
    DESC_PUT(b, LUT, le_start, t->start[0]);
    DESC_PUT(b, LUT, le_end, t->end[0]);
    DESC_PUT(b, LUT, lo_start, t->start[1]);
    DESC_PUT(b, LUT, lo_end, t->end[1]);
    DESC_PUT(b, LUT, le_underflow_scale, t->uflow_scale[0]);
    DESC_PUT(b, LUT, le_underflow_shift, t->uflow_shift[0]);
    DESC_PUT(b, LUT, le_overflow_scale, t->oflow_scale[0]);
    DESC_PUT(b, LUT, le_overflow_shift, t->oflow_shift[0]);
    DESC_PUT(b, LUT, lo_underflow_scale, t->uflow_scale[1]);
    DESC_PUT(b, LUT, lo_underflow_shift, t->uflow_shift[1]);
    DESC_PUT(b, LUT, lo_overflow_scale, t->oflow_scale[1]);
    DESC_PUT(b, LUT, lo_overflow_shift, t->oflow_shift[1]);
    DESC_PUT(b, LUT, hybrid_priority, t->hybrid_lo);
    DESC_PUT(b, LUT, underflow_priority, t->uflow_lo);
    DESC_PUT(b, LUT, overflow_priority, t->oflow_lo);
    DESC_PUT(b, LUT, method, !t->exponential);
    DESC_PUT(d->network, NETWORK, num_luts, 1);
}

static bool put_sdp(struct described *d, const struct layer *l, unsigned *op)
{
    const struct dla_sdp_op *s = &l->sdp;
    const struct dla_stage *stage[] = { &s->x1, &s->x2, &s->y };
    const struct desc_cube size = { .width = s->width,
                                    .height = s->height,
                                    .channels = s->channels };
    uint8_t *b;

    *op = new_op(d, DESC_OP_SDP);
    b = d->ops[*op];
    DESC_PUT(b, SDP, src_precision, s->in);
    DESC_PUT(b, SDP, dst_precision, s->out);
    DESC_PUT(b, SDP, lut_index, s->y.lut ? 0 : -1);
    CONVERTER(b, SDP, out_cvt, &s->cvt);
    DESC_PUT(b, SDP, out_cvt_enable, 1);
    DESC_PUT(b, SDP, batch_num, s->batches);
    DESC_PUT(b, SDP, batch_stride, s->dst_batch_stride);
    for (unsigned i = 0; i < 3; i++) {
        if (!put_stage(b + (size_t)32 * i, stage[i], s->precision) ||
            (s->batches > 1 && stage[i]->per_element &&
             stage[i]->batch_stride != s->dst_batch_stride)) {
            return false;
        }
        put_cube(d, *op, 1 + i, &stage[i]->operand, size);
    }
    if (s->flying) {
        put_none(d, *op, 0, s->width, s->height, s->channels);
    } else {
        put_cube(d, *op, 0, &s->src, size);
    }
    if (s->to_pdp) {
        put_none(d, *op, 4, s->width, s->height, s->channels);
    } else {
        put_cube(d, *op, 4, &s->dst, size);
    }
    put_table(d, &l->lut);
    return !s->nan_to_zero;
}

/* The firmware's own reciprocals (nvdla/sw, pdp.c). */
static bool same_reciprocals(const struct dla_pdp_op *p)
{
    static const uint32_t fp17[] = {
        0x7c00, 0x7800, 0x7555, 0x7400, 0x7266, 0x7155, 0x7092, 0x7000
    };

    return p->precision == DLA_FP16 ? p->recip_width == fp17[p->kernel_width - 1] &&
                                          p->recip_height == fp17[p->kernel_height - 1]
                                    : p->recip_width == 65536 / p->kernel_width &&
                                          p->recip_height == 65536 / p->kernel_height;
}

static bool put_pdp(struct described *d, const struct dla_pdp_op *p, unsigned *op)
{
    uint8_t *b;

    *op = new_op(d, DESC_OP_PDP);
    b = d->ops[*op];
    DESC_PUT(b, PDP, partial_in_width_first, p->in_first);
    DESC_PUT(b, PDP, partial_in_width_mid, p->in_mid);
    DESC_PUT(b, PDP, partial_in_width_last, p->in_last);
    DESC_PUT(b, PDP, partial_width_first, p->out_first);
    DESC_PUT(b, PDP, partial_width_mid, p->out_mid);
    DESC_PUT(b, PDP, partial_width_last, p->out_last);
    DESC_PUT(b, PDP, split_num, p->splits);
    DESC_PUT(b, PDP, pool_mode, p->method);
    DESC_PUT(b, PDP, pool_width_minus_1, p->kernel_width - 1);
    DESC_PUT(b, PDP, pool_height_minus_1, p->kernel_height - 1);
    DESC_PUT(b, PDP, stride_x, p->stride_x);
    DESC_PUT(b, PDP, stride_y, p->stride_y);
    DESC_PUT(b, PDP, pad_left, p->pad_left);
    DESC_PUT(b, PDP, pad_right, p->pad_right);
    DESC_PUT(b, PDP, pad_top, p->pad_top);
    DESC_PUT(b, PDP, pad_bottom, p->pad_bottom);
    DESC_PUT(b, PDP, precision, p->precision);
    for (size_t i = 0; i < 7; i++) {
        desc_put(b + DESC_AT_PDP_padding_value_1 + 4 * i, 4, p->pad_value[i + 1]);
    }
    if (p->flying) {
        put_none(d, *op, 0, p->width, p->height, p->channels);
    } else {
        put_cube(
            d, *op, 0, &p->src,
            (struct desc_cube){ .width = p->width, .height = p->height, .channels = p->channels });
    }
    put_cube(d, *op, 1, &p->dst,
             (struct desc_cube){
                 .width = p->out_width, .height = p->out_height, .channels = p->channels });
    return !p->nan_to_zero && same_reciprocals(p);
}

static bool put_cdp(struct described *d, const struct layer *l)
{
    const struct dla_cdp_op *c = &l->cdp;
    const struct desc_cube size = { .width = c->width,
                                    .height = c->height,
                                    .channels = c->channels };
    unsigned op = new_op(d, DESC_OP_CDP);
    uint8_t *b = d->ops[op];

    DESC_PUT(b, CDP, in_precision, c->precision);
    DESC_PUT(b, CDP, out_precision, c->precision);
    DESC_PUT(b, CDP, lut_index, 0);
    CONVERTER(b, CDP, in_cvt, &c->in_cvt);
    CONVERTER(b, CDP, out_cvt, &c->out_cvt);
    DESC_PUT(b, CDP, local_size, c->length);
    DESC_PUT(b, CDP, bypass_sqsum, c->sqsum_bypass);
    DESC_PUT(b, CDP, bypass_out_mul, c->mul_bypass);
    put_cube(d, op, 0, &c->src, size);
    put_cube(d, op, 1, &c->dst, size);
    put_table(d, &l->lut);
    return !c->nan_to_zero;
}

static void put_rubik(struct described *d, const struct dla_rubik_op *k)
{
    unsigned op = new_op(d, DESC_OP_RUBIK);
    uint8_t *b = d->ops[op];

    DESC_PUT(b, RUBIK, mode, k->mode);
    DESC_PUT(b, RUBIK, precision, k->precision);
    DESC_PUT(b, RUBIK, stride_x, k->stride_x);
    DESC_PUT(b, RUBIK, stride_y, k->stride_y);
    put_cube(d, op, 0, &k->src,
             (struct desc_cube){ .width = k->width,
                                 .height = k->height,
                                 .channels = k->channels,
                                 .plane_stride = k->src_planar_stride });
    put_cube(
        d, op, 1, &k->dst,
        (struct desc_cube){ .channels = k->out_channels, .plane_stride = k->dst_planar_stride });
}

static void put_bdma(struct described *d, const struct dla_bdma_op *m)
{
    unsigned op = new_op(d, DESC_OP_BDMA);
    uint8_t *s = d->surfaces[op], *t = s + 4;

    DESC_PUT(d->ops[op], BDMA, num_transfers, 1);
    s[0] = m->src_ram == DLA_RAM_CV;
    s[1] = m->dst_ram == DLA_RAM_CV;
    desc_put(s + 2, 2, 1);
    DESC_PUT(t, TRANSFER, source_address, address_of(d, m->src));
    DESC_PUT(t, TRANSFER, destination_address, address_of(d, m->dst));
    DESC_PUT(t, TRANSFER, line_size, m->line_bytes);
    DESC_PUT(t, TRANSFER, line_repeat, m->lines);
    DESC_PUT(t, TRANSFER, source_line, m->src_line);
    DESC_PUT(t, TRANSFER, destination_line, m->dst_line);
    DESC_PUT(t, TRANSFER, surface_repeat, m->surfaces);
    DESC_PUT(t, TRANSFER, source_surface, m->src_surf);
    DESC_PUT(t, TRANSFER, destination_surface, m->dst_surf);
}

static bool put_operations(struct described *d, const struct layer *l)
{
    unsigned conv = 0, sdp, pdp;

    if (strcmp(l->kind, "pdp") == 0) {
        return put_pdp(d, &l->pdp, &pdp);
    }
    if (strcmp(l->kind, "cdp") == 0) {
        return put_cdp(d, l);
    }
    if (strcmp(l->kind, "bdma") == 0) {
        put_bdma(d, &l->bdma);
        return true;
    }
    if (strcmp(l->kind, "rubik") == 0) {
        put_rubik(d, &l->rubik);
        return true;
    }
    if (l->sdp.flying) {
        conv = put_conv(d, &l->conv);
    }
    if (!put_sdp(d, l, &sdp)) {
        return false;
    }
    if (l->sdp.flying) {
        fuse(d, conv, sdp, DESC_OP_SDP);
        if (l->conv.nan_to_zero || l->conv.pixel_x_offset) {
            return false;
        }
    }
    if (l->sdp.to_pdp) {
        if (!put_pdp(d, &l->pdp, &pdp)) {
            return false;
        }
        fuse(d, sdp, pdp, DESC_OP_PDP);
    }
    return true;
}

bool layer_describe(const struct layer *l, unsigned cube_bytes, struct described *d)
{
    memset(d, 0, sizeof(*d));
    d->cube_bytes = cube_bytes;
    d->addresses = BUFFERS;
    for (unsigned i = 0; i < BUFFERS; i++) {
        d->address[i] = LIST(i);
    }
    DESC_PUT(d->network, NETWORK, operation_list, OPERATIONS);
    DESC_PUT(d->network, NETWORK, surface_list, SURFACES);
    DESC_PUT(d->network, NETWORK, dependency_graph, GRAPH);
    DESC_PUT(d->network, NETWORK, lut_list, TABLES);
    for (size_t type = 0; type < DESC_OPS; type++) {
        desc_put(d->network + DESC_AT_NETWORK_head_bdma + 2 * type, 2, -1);
    }
    DESC_PUT(d->network, NETWORK, num_rois, 1);
    if (!put_operations(d, l)) {
        return false;
    }
    DESC_PUT(d->network, NETWORK, num_operations, d->operations);
    DESC_PUT(d->network, NETWORK, num_addresses, d->addresses);
    return true;
}

void layer_place(struct rig *rig, const struct described *d)
{
    rig_put(rig, LIST(NETWORK), d->network, sizeof(d->network));
    rig_put(rig, LIST(OPERATIONS), d->ops, sizeof(d->ops));
    rig_put(rig, LIST(SURFACES), d->surfaces, sizeof(d->surfaces));
    rig_put(rig, LIST(GRAPH), d->graph, sizeof(d->graph));
    rig_put(rig, LIST(TABLES), d->table, sizeof(d->table));
}
