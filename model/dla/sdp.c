/* SPDX-License-Identifier: MIT */
/* The single point data processor: [source] -> X1 -> X2 -> Y -> converter -> memory or PDP.
 *
 * Source: unit_description.rst "Single Point Data Processor", precision.rst, and for the order
 * inside a stage the published block diagram: X adds, then multiplies, then shifts, then ReLU; Y
 * multiplies, then adds, then looks up. The right shift of X applies even when its multiplier is
 * bypassed (nvdla/sw kmd/firmware/sdp.c says so).
 */
#include "model/dla/sdp.h"

#include "model/dla/fp.h"
#include "model/dla/lut.h"
#include "model/dla/vec.h"

#include <stdlib.h>
#include <string.h>

enum dla_status dla_sdp_check(const struct dla_config *cfg, struct dla_port *port,
                              const struct dla_sdp_op *op)
{
    struct {
        const char *field;
        uint32_t value;
        uint32_t max;
    } size[] = { { "width", op->width, 8192 },
                 { "height", op->height, 8192 },
                 { "channels", op->channels, 8192 },
                 { "batches", op->batches, 32 } };
    const enum dla_precision p[] = { op->in, op->precision, op->out };

    for (size_t i = 0; i < 4; i++) {
        if (size[i].value < 1 || size[i].value > size[i].max) {
            return dla_fail(port, DLA_INVALID, "SDP", size[i].field, size[i].value,
                            i == 3 ? "1..32" : "1..8192");
        }
    }
    for (size_t i = 0; i < 3; i++) {
        if (p[i] > DLA_FP16 || (p[i] == DLA_INT16 && !cfg->int16) ||
            (p[i] == DLA_FP16 && !cfg->fp16)) {
            return dla_fail(port, DLA_UNSUPPORTED, "SDP", "precision", p[i],
                            "this configuration has no such precision");
        }
    }
    if ((op->precision == DLA_FP16 && op->out == DLA_INT8) ||
        (op->in == DLA_INT8 && op->out == DLA_FP16) ||
        ((op->precision == DLA_FP16) != (op->in == DLA_FP16))) {
        /* format.rst, table "Precision conversion for SDP layer" */
        return dla_fail(port, DLA_INVALID, "SDP", "precision", op->precision,
                        "int8 goes to int8 or int16, int16 to all, fp16 to fp16 or int16");
    }
    if (op->batches > 1 && !op->flying) {
        return dla_fail(port, DLA_INVALID, "SDP", "batches", op->batches,
                        "1 from memory: the input's registers have no stride for batches");
    }
    if (op->y.enable && !cfg->sdp_ew) {
        return dla_fail(port, DLA_UNSUPPORTED, "SDP", "EW", 1, "this configuration has no Y stage");
    }
    if (op->y.enable && op->y.lut && (!cfg->sdp_lut || !op->lut)) {
        return dla_fail(port, DLA_UNSUPPORTED, "SDP", "EW_LUT", 1,
                        "this configuration has no table");
    }
    return DLA_OK;
}

static bool dla_stage_reads(const struct dla_stage *s)
{
    return s->enable && ((s->alu && s->alu_from_memory) || (s->mul && s->mul_from_memory));
}

static int32_t dla_operand(const uint8_t *b, unsigned size, bool fp)
{
    uint32_t v = size == 1 ? b[0] : b[0] | (uint32_t)b[1] << 8;

    return size == 1 ? (int8_t)v : fp ? (int32_t)v : (int16_t)v;
}

/* @n channels of one pixel or of a list, interleaved alu, mul when both are there
 * (format.rst, "Batch Normalization Data Format"). */
static void dla_operand_unpack(const struct dla_stage *s, const uint8_t *b, uint32_t n, bool fp,
                               int32_t *alu, int32_t *mul)
{
    unsigned parts = s->use == DLA_USE_BOTH ? 2 : 1;

    if (parts == 1 && s->bytes == 1) {
        dla_vec_widen8(b, n, s->use == DLA_USE_MUL ? mul : alu);
        return;
    }
    for (uint32_t c = 0; c < n; c++, b += (size_t)s->bytes * parts) {
        if (s->use != DLA_USE_MUL) {
            alu[c] = dla_operand(b, s->bytes, fp);
        }
        if (s->use != DLA_USE_ALU) {
            mul[c] = dla_operand(b + (parts - 1u) * s->bytes, s->bytes, fp);
        }
    }
}

static enum dla_status dla_operands_channel(struct dla_sdp *p, const struct dla_stage *s,
                                            struct dla_operands *o)
{
    unsigned size = s->bytes * (s->use == DLA_USE_BOTH ? 2u : 1u);
    /* Whole atoms: the padding channels of the last one have operands of their own. */
    uint32_t n = dla_round_up(p->op->channels, dla_atom_channels(p->cfg, p->op->precision));
    enum dla_status status =
        dla_read(p->port, s->operand.ram, s->operand.iova, o->bytes, (size_t)n * size);

    if (status == DLA_OK) {
        dla_operand_unpack(s, o->bytes, n, p->fp, o->alu, o->mul);
    }
    return status;
}

static enum dla_status dla_operands_line(struct dla_sdp *p, const struct dla_stage *s,
                                         struct dla_operands *o, uint32_t batch, uint32_t y)
{
    const struct dla_sdp_op *op = p->op;
    unsigned per = dla_atom_channels(p->cfg, op->precision);
    size_t atom = (size_t)per * s->bytes * (s->use == DLA_USE_BOTH ? 2 : 1);
    enum dla_status status = DLA_OK;

    for (uint32_t c = 0; status == DLA_OK && c < op->channels; c += per) {
        uint64_t iova = s->operand.iova + (uint64_t)batch * s->batch_stride +
                        (uint64_t)(c / per) * s->operand.surf_stride +
                        (uint64_t)y * s->operand.line_stride;

        status = dla_read(p->port, s->operand.ram, iova, o->bytes, op->width * atom);
        for (uint32_t x = 0; status == DLA_OK && x < op->width; x++) {
            size_t at = (size_t)x * p->stride + c;

            dla_operand_unpack(s, o->bytes + x * atom, dla_min(per, p->stride - c), p->fp,
                               o->alu + at, o->mul + at);
        }
        status = status == DLA_OK ? dla_rest(p->port, op->width * atom) : status;
    }
    return status;
}

static uint32_t dla_fp_alu(enum dla_alu algo, uint32_t v, uint32_t o)
{
    switch (algo) {
    case DLA_ALU_MAX:
        return fp32_max(v, o);
    case DLA_ALU_MIN:
        return fp32_min(v, o);
    case DLA_ALU_SUM:
        return fp32_add(v, o);
    default:
        return v == o ? 0 : 1;
    }
}

static uint32_t dla_fp_operand(const struct dla_sdp_op *op, int32_t v)
{
    uint32_t u = (uint16_t)v;

    return op->nan_to_zero && fp16_is_nan(u) ? 0 : fp16_to_fp32(u);
}

static uint32_t dla_x_fp(const struct dla_sdp_op *op, const struct dla_stage *s, uint32_t v,
                         int32_t alu, int32_t mul)
{
    if (s->alu) {
        v = dla_fp_alu(s->algo, v, dla_fp_operand(op, alu));
    }
    if (s->mul && !(s->prelu && !(v >> 31))) {
        v = fp32_mul(v, dla_fp_operand(op, mul));
    }
    return s->relu && v >> 31 && !fp32_is_nan(v) ? 0 : v;
}

static int32_t dla_y_operand(int32_t v, bool from_memory, bool convert, const struct dla_cvt *cvt)
{
    return from_memory && convert ? (int32_t)dla_convert(cvt, v, 32) : v;
}

static int32_t dla_y_int(const struct dla_sdp_op *op, int64_t v, int32_t alu, int32_t mul,
                         struct dla_stats *stats)
{
    const struct dla_stage *s = &op->y;

    if (s->mul && !(s->prelu && v >= 0)) {
        int64_t o = dla_y_operand(mul, s->mul_from_memory, s->mul_convert, &s->mul_cvt);

        v = dla_shr((dla_wide)v * o, s->truncate, 32);
    }
    if (s->alu) {
        int64_t o = dla_y_operand(alu, s->alu_from_memory, s->alu_convert, &s->alu_cvt);

        v = s->algo == DLA_ALU_MAX   ? (v > o ? v : o)
            : s->algo == DLA_ALU_MIN ? (v < o ? v : o)
            : s->algo == DLA_ALU_SUM ? dla_sat(v + o, 32)
                                     : v != o;
    }
    return s->lut ? dla_lut_int(op->lut, v, 35, 32, stats) : (int32_t)v;
}

static uint32_t dla_y_fp(const struct dla_sdp_op *op, uint32_t v, int32_t alu, int32_t mul,
                         struct dla_stats *stats)
{
    const struct dla_stage *s = &op->y;

    if (s->mul && !(s->prelu && !(v >> 31))) {
        v = fp32_mul(v, s->mul_from_memory ? dla_fp_operand(op, mul) : (uint32_t)mul);
    }
    if (s->alu) {
        v = dla_fp_alu(s->algo, v, s->alu_from_memory ? dla_fp_operand(op, alu) : (uint32_t)alu);
    }
    return s->lut ? fp17_to_fp32(dla_lut_fp(op->lut, v, false, stats)) : v;
}

static void dla_c_fp(struct dla_sdp *p, int32_t *v, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint32_t h = fp32_to_fp16((uint32_t)v[i]);

        p->stats->nan_out += fp16_is_nan(h);
        p->stats->sdp_saturated += (h & 0x7fff) == FP16_MAX;
        v[i] = p->op->out == DLA_INT16 ? fp16_to_int16(h) : (int32_t)h;
    }
}

/* The output converter: 17 bits after the shift, then the output's precision. */
static void dla_c_int(struct dla_sdp *p, int32_t *v, size_t n)
{
    const enum dla_precision out = p->op->out;
    unsigned bits = out == DLA_INT8 ? 8 : out == DLA_INT16 ? 16 : 17;

    p->stats->sdp_saturated += dla_vec_c_at(0)(&p->op->cvt, bits, v, n);
    for (size_t i = 0; out == DLA_FP16 && i < n; i++) {
        v[i] = (int32_t)fp16_from_int(v[i]);
    }
}

/* Operands a channel are the same for every pixel, operands an element lie as @v does. */
static void dla_x_pixels(const struct dla_stage *s, const int32_t *alu, const int32_t *mul,
                         int32_t *v, uint32_t pixels, uint32_t stride)
{
    size_t n = s->per_element ? (size_t)pixels * stride : stride;
    uint32_t runs = s->per_element ? 1 : pixels;
    dla_vec_x *run = dla_vec_x_at(0);

    for (uint32_t x = 0; x < runs; x++) {
        run(s, v + x * n, n, alu, mul);
    }
}

/* One stage over pixels: floating-point, and Y of integers. @V: what becomes of v[c]. */
#define EACH_ELEMENT(V)                                                                       \
    for (uint32_t x = 0; x < pixels; x++, v += p->stride, alu += step_alu, mul += step_mul) { \
        for (uint32_t c = 0; c < p->stride; c++) {                                            \
            int32_t a = s->alu_from_memory ? alu[c] : s->alu_value;                           \
            int32_t m = s->mul_from_memory ? mul[c] : s->mul_value;                           \
                                                                                              \
            v[c] = (int32_t)(V);                                                              \
        }                                                                                     \
    }

/* @v: of pixel @x0 */
static void dla_stage_pixels(struct dla_sdp *p, unsigned i, int32_t *v, uint32_t x0,
                             uint32_t pixels)
{
    const struct dla_operands *o = &p->operands[i];
    const struct dla_sdp_op *op = p->op;
    /* A copy of our own: stores to v[] cannot change it, so the loops keep it in registers. */
    struct dla_stage stage = i == 0 ? op->x1 : i == 1 ? op->x2 : op->y;
    const struct dla_stage *s = &stage;
    size_t step_alu = s->per_element && o->alu ? p->stride : 0;
    size_t step_mul = s->per_element && o->mul ? p->stride : 0;
    static const int32_t none;
    const int32_t *alu = o->alu ? o->alu + x0 * step_alu : &none;
    const int32_t *mul = o->mul ? o->mul + x0 * step_mul : &none;

    /* Said of a part that is off: nothing was fetched for it. */
    stage.alu_from_memory = stage.alu_from_memory && o->alu;
    stage.mul_from_memory = stage.mul_from_memory && o->mul;
    if (i < 2 && p->fp) {
        EACH_ELEMENT(dla_x_fp(op, s, (uint32_t)v[c], a, m))
    } else if (i < 2) {
        dla_x_pixels(s, o->alu ? alu : NULL, o->mul ? mul : NULL, v, pixels, p->stride);
    } else if (p->fp) {
        EACH_ELEMENT(dla_y_fp(op, (uint32_t)v[c], a, m, p->stats))
    } else {
        EACH_ELEMENT(dla_y_int(op, v[c], a, m, p->stats))
    }
}

static void dla_sdp_widen(struct dla_sdp *p, int32_t *v, size_t n)
{
    const struct dla_sdp_op *op = p->op;

    for (size_t i = 0; i < n; i++) {
        uint32_t h = (uint32_t)v[i];

        p->stats->nan_in += fp16_is_nan(h);
        p->stats->inf_in += fp16_is_inf(h);
        v[i] = op->nan_to_zero && fp16_is_nan(h) ? 0 : (int32_t)fp16_to_fp32(h);
    }
}

static enum dla_status dla_sdp_source(struct dla_sdp *p, uint32_t batch, uint32_t y, int32_t *v)
{
    const struct dla_sdp_op *op = p->op;

    if (op->flying) {
        memset(v, 0, (size_t)op->width * p->stride * sizeof(*v));
        return dla_conv_line(&p->conv, batch, y, v, p->stride);
    }
    return dla_line_read(&p->in, p->port, y, 0, op->width, v);
}

/* What an element costs the host: three stages and two conversions (measured). */
enum { WORK_INT = 16, WORK_FP = 64, ELEMENTS_A_PART = 4096 };

/* All arithmetic of @pixels pixels from @x0 on, whose elements are @v. */
static void dla_sdp_part(struct dla_sdp *p, int32_t *v, uint32_t x0, uint32_t pixels)
{
    const struct dla_sdp_op *op = p->op;
    const struct dla_stage *stage[] = { &op->x1, &op->x2, &op->y };
    size_t n = (size_t)pixels * p->stride;

    if (!op->flying && p->fp) {
        dla_sdp_widen(p, v, n);
    }
    for (unsigned i = 0; i < 3; i++) {
        if (stage[i]->enable) {
            dla_stage_pixels(p, i, v, x0, pixels);
        }
    }
    for (size_t i = 0; p->compare && i < n; i++) {
        p->stats->unequal |= i % p->stride < op->channels && v[i] != 0;
    }
    if (!p->compare && p->fp) {
        dla_c_fp(p, v, n);
    } else if (!p->compare) {
        dla_c_int(p, v, n);
    }
}

enum dla_status dla_sdp_line(struct dla_sdp *p, uint32_t batch, uint32_t y, int32_t *v)
{
    const struct dla_sdp_op *op = p->op;
    const struct dla_stage *stage[] = { &op->x1, &op->x2, &op->y };
    uint32_t part = 1 + ELEMENTS_A_PART / p->stride;
    enum dla_status status = dla_sdp_source(p, batch, y, v);

    for (unsigned i = 0; status == DLA_OK && i < 3; i++) {
        if (stage[i]->enable && dla_stage_reads(stage[i]) && stage[i]->per_element) {
            status = dla_operands_line(p, stage[i], &p->operands[i], batch, y);
        }
    }
    for (uint32_t x = 0; status == DLA_OK && x < op->width; x += part) {
        uint32_t n = dla_min(part, op->width - x);

        dla_sdp_part(p, v + (size_t)x * p->stride, x, n);
        status = dla_rest(p->port, (uint64_t)n * p->stride * (p->fp ? WORK_FP : WORK_INT));
    }
    return status;
}

static enum dla_status dla_sdp_operands_init(struct dla_sdp *p, const struct dla_stage *s,
                                             struct dla_operands *o)
{
    const struct dla_sdp_op *op = p->op;
    uint64_t elements = (uint64_t)p->stride * (s->per_element ? op->width : 1);

    if (!dla_stage_reads(s)) {
        return DLA_OK;
    }
    if ((s->alu && s->alu_from_memory && s->use == DLA_USE_MUL) ||
        (s->mul && s->mul_from_memory && s->use == DLA_USE_ALU) || s->bytes < 1 || s->bytes > 2 ||
        (p->fp && s->bytes != 2) || s->use > DLA_USE_BOTH) {
        return dla_fail(p->port, DLA_INVALID, "SDP", "RDMA_DATA_USE", s->use,
                        "the operand DMA fetches what the stage takes from memory");
    }
    o->alu = dla_alloc(p->port, "SDP", elements, sizeof(*o->alu));
    o->mul = dla_alloc(p->port, "SDP", elements, sizeof(*o->mul));
    /* Whole atoms of 16 or 32 elements of up to two 2-byte components. */
    o->bytes = dla_alloc(p->port, "SDP", (elements + 32) * 4, 1);
    if (!o->alu || !o->mul || !o->bytes) {
        return DLA_UNSUPPORTED;
    }
    return s->per_element ? DLA_OK : dla_operands_channel(p, s, o);
}

enum dla_status dla_sdp_init(struct dla_sdp *p, const struct dla_config *cfg, struct dla_port *port,
                             const struct dla_sdp_op *op, const struct dla_conv_op *conv,
                             struct dla_stats *stats)
{
    const struct dla_stage *stage[] = { &op->x1, &op->x2, &op->y };
    enum dla_status status = dla_sdp_check(cfg, port, op);

    *p = (struct dla_sdp){
        .cfg = cfg, .port = port, .op = op, .stats = stats, .fp = op->precision == DLA_FP16
    };
    p->compare = op->y.enable && op->y.alu && op->y.algo == DLA_ALU_EQL;
    /* Padding channels of the last atom are computed as well; so is what only the output rounds to.
     */
    p->stride = dla_round_up(op->channels, cfg->atom);
    if (status == DLA_OK && op->flying) {
        if (conv->kernels != op->channels || conv->out_width != op->width ||
            conv->out_height != op->height || conv->batches != op->batches ||
            (conv->precision == DLA_FP16) != p->fp) {
            return dla_fail(port, DLA_INVALID, "SDP", "width", op->width,
                            "the cube on the fly is the output of the convolution");
        }
        status = dla_conv_init(&p->conv, cfg, port, conv, stats);
    } else if (status == DLA_OK) {
        status =
            dla_line_init(&p->in, cfg, port, "SDP", &op->src, op->in, op->width,
                          dla_round_up(op->channels, dla_atom_channels(cfg, op->in)), p->stride);
    }
    for (unsigned i = 0; status == DLA_OK && i < 3; i++) {
        status = dla_sdp_operands_init(p, stage[i], &p->operands[i]);
    }
    return status;
}

void dla_sdp_free(struct dla_sdp *p)
{
    for (unsigned i = 0; i < 3; i++) {
        free(p->operands[i].alu);
        free(p->operands[i].mul);
        free(p->operands[i].bytes);
    }
    dla_conv_free(&p->conv);
    dla_line_free(&p->in);
}

static enum dla_status dla_sdp_to_memory(struct dla_sdp *p)
{
    const struct dla_sdp_op *op = p->op;
    unsigned per = dla_atom_channels(p->cfg, op->out);
    int32_t *v = dla_alloc(p->port, "SDP", (uint64_t)op->width * p->stride, sizeof(*v));
    enum dla_status status = v ? DLA_OK : DLA_UNSUPPORTED;

    for (uint32_t b = 0; status == DLA_OK && b < op->batches; b++) {
        struct dla_surface s = op->dst;
        struct dla_line out;

        s.iova += (uint64_t)b * op->dst_batch_stride;
        status = dla_line_init(&out, p->cfg, p->port, "SDP", &s, op->out, op->width,
                               dla_round_up(op->channels, per), p->stride);
        for (uint32_t y = 0; status == DLA_OK && y < op->height; y++) {
            status = dla_sdp_line(p, b, y, v);
            if (status == DLA_OK && !p->compare) {
                status = dla_line_write(&out, p->port, y, 0, op->width, v);
            }
            if (status == DLA_OK) {
                status = dla_tick(p->port, (uint64_t)op->width * p->stride);
            }
        }
        dla_line_free(&out);
    }
    free(v);
    return status;
}

enum dla_status dla_run_sdp(const struct dla_config *cfg, struct dla_port *port,
                            const struct dla_sdp_op *op, const struct dla_conv_op *conv,
                            const struct dla_pdp_op *pdp, struct dla_stats *stats)
{
    struct dla_sdp p;
    enum dla_status status = dla_sdp_init(&p, cfg, port, op, conv, stats);

    if (status == DLA_OK) {
        status = op->to_pdp ? dla_pdp_from_sdp(cfg, port, pdp, &p, stats) : dla_sdp_to_memory(&p);
    }
    dla_sdp_free(&p);
    return status;
}
