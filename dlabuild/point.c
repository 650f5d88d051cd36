/* SPDX-License-Identifier: MIT */
/* The SDP of a layer. Its work is done in a fixed order - bias, batch_norm, eltwise, activation -
 * and each step that is there takes the next stage that can do it: X1, X2, then Y. Only Y converts
 * its operand and looks up a table; only X1 and X2 have a ReLU (unit_description.rst). */
#include <math.h>
#include <string.h>

#include "dlabuild/build.h"
#include "dlabuild/functions.h"

#define SHIFT_MAX 63
#define STAGE_BYTES 32u

enum { X1, X2, Y, STAGES };
enum { TYPE_NONE, TYPE_MUL, TYPE_ADD, TYPE_BOTH };
enum { MODE_LAYER, MODE_KERNEL, MODE_POINT };
enum { ACT_NONE, ACT_RELU, ACT_LUT, ACT_PRELU };
enum { ALU_MAX, ALU_MIN, ALU_SUM };

/* An SDP under construction. @next: the first stage that is free; @part: of the layer, what it does
 */
struct point {
    struct build *b;
    const struct json_at *j;
    struct build_op *op;
    enum dla_precision precision; /* of the pipeline */
    uint32_t channels, height, width;
    unsigned next;
    struct point_part part;
};

/* Where the names of X1's fields lead to those of a stage. */
static uint8_t *stage_at(const struct point *p, unsigned stage)
{
    return p->op->desc + (size_t)STAGE_BYTES * stage;
}

/* Fields of any stage, by their names in X1. */
#define STAGE_PUT(p, stage, name, value) DESC_PUT(stage_at(p, stage), SDP, x1_##name, value)

static void stage_use(struct point *p, unsigned stage, int type, int mode, int alu, int bytes)
{
    STAGE_PUT(p, stage, enable, 1);
    STAGE_PUT(p, stage, type, type);
    STAGE_PUT(p, stage, mode, mode);
    STAGE_PUT(p, stage, alu_type, alu);
    STAGE_PUT(p, stage, precision,
              bytes == 1                 ? DLA_INT8
              : p->precision == DLA_INT8 ? DLA_INT16
                                         : p->precision);
    p->next = stage + 1;
}

/* The next free stage, not before @from. */
static unsigned stage_take(struct point *p, unsigned from, const char *what)
{
    unsigned stage = MAX(p->next, from);

    if (stage >= STAGES) {
        build_fail(p->b, p->j->path,
                   "no stage of the SDP is left for %s: put it into a layer of type \"pointwise\" "
                   "of its own",
                   what);
        return Y;
    }
    if (stage == Y && !p->b->cfg->sdp_ew) {
        build_fail(p->b, p->j->path, "%s needs the Y stage, which %s does not have", what,
                   p->b->cfg->name);
    }
    return stage;
}

/* The operand of channel @c of this part: those of a deconvolution's phases repeat. */
static int32_t operand_at(const struct point *p, const int32_t *v, size_t c)
{
    size_t at = (p->part.channel + c) % p->part.run;

    return at < p->part.operands ? v[at] : 0;
}

/* Operands a channel, as many as whole atoms have, @b interleaved behind @a when there is one. */
static void stage_operands(struct point *p, unsigned stage, const int32_t *a, const int32_t *b)
{
    size_t atom = atom_channels(p->b, p->precision);
    size_t whole = (p->channels + atom - 1) / atom * atom, parts = b ? 2 : 1;
    uint8_t *bytes = g_malloc0(whole * parts * 2);

    for (size_t c = 0; c < p->channels; c++) {
        desc_put(bytes + 2 * c * parts, 2, operand_at(p, a, c));
        if (b) {
            desc_put(bytes + 2 * (c * parts + 1), 2, operand_at(p, b, c));
        }
    }
    op_cube_constant(p->b, p->op, 1 + stage, bytes, whole * parts * 2);
    g_free(bytes);
}

static enum dla_precision operand_precision(const struct point *p)
{
    return p->precision == DLA_FP16 ? DLA_FP16 : DLA_INT16;
}

static void point_bias(struct point *p)
{
    struct json_at d = json_object(p->b, p->j, "bias");
    unsigned stage;
    int32_t *v;

    if (!json_has(p->j, "bias")) {
        return;
    }
    stage = stage_take(p, X1, "bias");
    v = json_data(p->b, p->j, "bias", p->part.operands, operand_precision(p));
    stage_use(p, stage, TYPE_ADD, MODE_KERNEL, ALU_SUM, 2);
    STAGE_PUT(p, stage, shift, json_int_or(p->b, &d, "shift", 0, 31, 0));
    stage_operands(p, stage, v, NULL);
    g_free(v);
}

static void point_batch_norm(struct point *p)
{
    struct json_at d = json_object(p->b, p->j, "batch_norm");
    int32_t *offset, *scale;
    unsigned stage;

    if (!json_has(p->j, "batch_norm")) {
        return;
    }
    json_keys(p->b, &d, "offset|scale|shift|offset_shift");
    stage = stage_take(p, X1, "batch_norm");
    offset = json_data(p->b, &d, "offset", p->part.operands, operand_precision(p));
    scale = json_data(p->b, &d, "scale", p->part.operands, operand_precision(p));
    stage_use(p, stage, TYPE_BOTH, MODE_KERNEL, ALU_SUM, 2);
    STAGE_PUT(p, stage, truncate, json_int_or(p->b, &d, "shift", 0, SHIFT_MAX, 0));
    STAGE_PUT(p, stage, shift, json_int_or(p->b, &d, "offset_shift", 0, 31, 0));
    stage_operands(p, stage, offset, scale);
    g_free(offset);
    g_free(scale);
}

static void eltwise_convert(struct point *p, const struct json_at *e, gboolean mul)
{
    struct json_at c = json_object(p->b, e, "convert");
    uint8_t *at = stage_at(p, Y);
    int64_t scale, shift, offset;

    json_keys(p->b, &c, "scale|shift|offset");
    if (p->precision == DLA_FP16) {
        build_fail(p->b, c.path, "fp16 operands are not converted");
    }
    scale = json_int_or(p->b, &c, "scale", INT16_MIN, INT16_MAX, 1);
    shift = json_int_or(p->b, &c, "shift", 0, SHIFT_MAX, 0);
    offset = json_int_or(p->b, &c, "offset", INT32_MIN, INT32_MAX, 0);
    if (mul) {
        DESC_PUT(at, SDP, x1_mul_cvt_scale, scale);
        DESC_PUT(at, SDP, x1_mul_cvt_truncate, shift);
        DESC_PUT(at, SDP, x1_mul_cvt_offset, offset);
        DESC_PUT(at, SDP, x1_mul_cvt_enable, 1);
    } else {
        DESC_PUT(at, SDP, x1_alu_cvt_scale, scale);
        DESC_PUT(at, SDP, x1_alu_cvt_truncate, shift);
        DESC_PUT(at, SDP, x1_alu_cvt_offset, offset);
        DESC_PUT(at, SDP, x1_alu_cvt_enable, 1);
    }
}

/* A constant of every element, as a cube in the weights. */
static struct tensor *eltwise_elements(struct point *p, const struct json_at *e)
{
    struct tensor shape = { .channels = p->part.operands,
                            .height = p->part.lines,
                            .width = p->width,
                            .precision = p->precision };

    return tensor_constant(p->b, e, "elements", &shape);
}

/* The tensor that is combined: the layer's size; 1 x 1: a number for each channel; one line: the
 * same for all. */
static struct tensor *eltwise_operand(struct point *p, const struct json_at *e)
{
    struct tensor *t = json_has(e, "elements")
                           ? eltwise_elements(p, e)
                           : tensor_find(p->b, e->path, json_text(p->b, e, "input"));
    gboolean point, line;

    if (!t || p->b->error) {
        return NULL;
    }
    point = t->height == 1 && t->width == 1;
    line = t->height == 1 && t->width == p->width;
    if (t->channels != p->part.operands || p->part.run != p->part.operands ||
        !(point || line || (t->height == p->part.lines && t->width == p->width))) {
        build_fail(p->b, e->path, "\"%s\" is %u x %u x %u, the layer %u x %u x %u", t->name,
                   t->channels, t->height, t->width, p->part.operands, p->part.lines, p->width);
    }
    if (t->precision != p->precision || t->pixel_format != DESC_FEATURE) {
        build_fail(p->b, e->path,
                   "\"%s\" must be a feature cube of the precision in which the layer "
                   "computes (int8 when its input or output is int8)",
                   t->name);
    }
    return t;
}

/* Cube of @stage: the part of @t that belongs to this part of the layer. */
static void eltwise_cube(struct point *p, unsigned stage, struct tensor *t)
{
    gboolean all = t->height == p->part.lines;
    struct tensor *part = tensor_part(p->b, t, p->part.channel, p->channels, all ? p->part.line : 0,
                                      all ? p->height : 1);

    op_cube_tensor(p->b, p->op, 1 + stage, part, FALSE);
    if (t->height == 1 && (t->width > 1 || p->height > 1)) {
        p->op->ref[p->op->refs - 1].repeat_line = p->height;
    }
}

static void eltwise_fields(struct point *p, const struct json_at *e, unsigned stage, gboolean mul)
{
    if (json_has(e, "convert")) {
        eltwise_convert(p, e, mul);
    }
    if (mul) {
        STAGE_PUT(p, stage, truncate, json_int_or(p->b, e, "shift", 0, SHIFT_MAX, 0));
    } else if (stage == Y && json_has(e, "shift")) {
        build_fail(p->b, e->path, "Y has no left shift: use convert alone");
    } else {
        STAGE_PUT(p, stage, shift, json_int_or(p->b, e, "shift", 0, 31, 0));
    }
}

/* The same constant for all, or one for each channel. */
static void eltwise_constant(struct point *p, const struct json_at *e, unsigned stage, int op)
{
    int32_t *v = json_data(p->b, e, "channels", p->part.operands, operand_precision(p));

    stage_use(p, stage, op == 3 ? TYPE_MUL : TYPE_ADD, MODE_KERNEL, op == 3 ? ALU_SUM : op, 2);
    stage_operands(p, stage, v, NULL);
    g_free(v);
}

static void point_eltwise(struct point *p)
{
    struct json_at e = json_object(p->b, p->j, "eltwise");
    struct tensor *t;
    unsigned stage;
    gboolean mul;
    int op;

    if (!json_has(p->j, "eltwise")) {
        return;
    }
    json_keys(p->b, &e, "op|input|channels|elements|shift|convert");
    op = json_word(p->b, &e, "op", "max|min|add|mul", ALU_SUM);
    mul = op == 3;
    stage = stage_take(p, json_has(&e, "convert") ? Y : X1, "eltwise");
    if (json_has(&e, "channels")) {
        eltwise_constant(p, &e, stage, op);
        eltwise_fields(p, &e, stage, mul);
        return;
    }
    t = eltwise_operand(p, &e);
    stage_use(p, stage, mul ? TYPE_MUL : TYPE_ADD,
              t && t->height == 1 && t->width == 1 && (p->width > 1 || p->part.lines > 1)
                  ? MODE_KERNEL
                  : MODE_POINT,
              mul ? ALU_SUM : op, (int)precision_bytes(p->precision));
    eltwise_fields(p, &e, stage, mul);
    if (t && !p->b->error) {
        eltwise_cube(p, stage, t);
    }
}

static void point_relu(struct point *p)
{
    unsigned stage = p->next ? p->next - 1 : X1;

    if (stage == Y) {
        build_fail(p->b, p->j->path,
                   "the last step before \"relu\" takes the Y stage, which has no ReLU: put the "
                   "ReLU into a layer of type \"pointwise\" of its own");
        return;
    }
    if (p->next == 0) {
        stage_use(p, X1, TYPE_NONE, MODE_LAYER, ALU_SUM, 2);
    }
    STAGE_PUT(p, stage, act, ACT_RELU);
}

static void point_prelu(struct point *p, const struct json_at *a)
{
    unsigned stage = stage_take(p, X1, "prelu");
    int32_t *slope = json_data(p->b, a, "slope", p->part.operands, operand_precision(p));

    stage_use(p, stage, TYPE_MUL, MODE_KERNEL, ALU_SUM, 2);
    STAGE_PUT(p, stage, act, ACT_PRELU);
    STAGE_PUT(p, stage, truncate, json_int_or(p->b, a, "shift", 0, SHIFT_MAX, 0));
    stage_operands(p, stage, slope, NULL);
    g_free(slope);
}

/* A bound as a stage of its own; 0 as the lower one is the ReLU of the stage before. */
static void point_bound(struct point *p, double v, int op, int shift)
{
    unsigned stage = stage_take(p, X1, "clip");
    int32_t n = p->precision == DLA_FP16 ? half_from_double(v)
                                         : (int32_t)CLAMP(round(v), INT16_MIN, INT16_MAX);
    int32_t *all = g_new(int32_t, p->part.operands + 1u);

    for (uint32_t i = 0; i < p->part.operands; i++) {
        all[i] = n;
    }
    stage_use(p, stage, TYPE_ADD, MODE_KERNEL, op, 2);
    if (stage != Y) {
        STAGE_PUT(p, stage, shift, shift);
    }
    stage_operands(p, stage, all, NULL);
    g_free(all);
}

static void point_clip(struct point *p, const struct json_at *a)
{
    double low = json_number_or(p->b, a, "min", 0), high = json_number_or(p->b, a, "max", 0);
    int shift = (int)json_int_or(p->b, a, "shift", 0, 31, 0);

    if (json_has(a, "min") && low == 0 && p->next <= Y) {
        point_relu(p);
    } else if (json_has(a, "min")) {
        point_bound(p, low, ALU_MAX, shift);
    }
    if (json_has(a, "max")) {
        point_bound(p, high, ALU_MIN, shift);
    }
}

static double function_sigmoid(double x, const double *unused)
{
    (void)unused;
    return 1 / (1 + exp(-x));
}

static double function_tanh(double x, const double *unused)
{
    (void)unused;
    return tanh(x);
}

/* Tables over -2^range .. 2^range; beyond, the values at the ends. */
static void point_table(struct point *p, const struct json_at *a, gboolean is_tanh)
{
    gboolean fp = p->precision == DLA_FP16;
    int range = (int)json_int(p->b, a, "range", fp ? -4 : 7, fp ? 15 : 30);
    int in = (int)json_int_or(p->b, a, "input_frac", 0, 31, 0);
    int out = (int)json_int_or(p->b, a, "output_frac", 0, 15, 0);
    int lut;

    if (!p->b->cfg->sdp_lut) {
        build_fail(p->b, a->path, "%s has no look-up table", p->b->cfg->name);
    }
    /* Y may already have an eltwise, which comes before the table; not a PReLU. */
    if (p->next <= Y) {
        stage_use(p, stage_take(p, Y, "the table"), TYPE_NONE, MODE_LAYER, ALU_SUM, 2);
    }
    STAGE_PUT(p, Y, act, ACT_LUT);
    lut = lut_add(p->b, is_tanh ? function_tanh : function_sigmoid, NULL, p->precision,
                  -ldexp(1, range), range - 7, range - 5, fp ? 0 : in, fp ? 0 : out);
    DESC_PUT(p->op->desc, SDP, lut_index, lut);
}

/* What comes before a table in Y is there already, or nothing. */
static void table_stage(struct point *p)
{
    if (!p->b->cfg->sdp_lut) {
        build_fail(p->b, p->j->path, "%s has no look-up table", p->b->cfg->name);
    }
    if (p->next <= Y) {
        stage_use(p, stage_take(p, Y, "the table"), TYPE_NONE, MODE_LAYER, ALU_SUM, 2);
    }
    STAGE_PUT(p, Y, act, ACT_LUT);
}

/* A function by name: a fine table over -2^range .. 2^range, a coarse one around it, lines beyond.
 */
static void point_function(struct point *p, const struct json_at *a)
{
    const struct build_function *f = build_function_find(json_text(p->b, a, "function"));
    struct lut_function l = { .precision = p->precision };
    JsonArray *args = json_array(p->b, a, "arg", FALSE);
    guint n = args ? json_array_get_length(args) : 0;

    if (!f) {
        build_fail(p->b, a->path, "no function is called \"%s\"", json_text(p->b, a, "function"));
        return;
    }
    for (guint i = 0; i < 2; i++) {
        l.arg[i] = i < n ? json_array_get_double_element(args, i) : (double)f->value[i];
    }
    l.f = f->f;
    l.positive = f->positive;
    l.range = (int)json_int_or(p->b, a, "range", -4, 12, 3);
    l.in_frac = (int)json_int_or(p->b, a, "input_frac", 0, 31, 0);
    l.out_frac = (int)json_int_or(p->b, a, "output_frac", 0, 15, 0);
    table_stage(p);
    DESC_PUT(p->op->desc, SDP, lut_index, lut_add_function(p->b, &l));
}

static void point_activation(struct point *p)
{
    struct json_at a;
    int type;

    if (!json_has(p->j, "activation")) {
        return;
    }
    if (JSON_NODE_HOLDS_VALUE(json_object_get_member(p->j->object, "activation"))) {
        if (json_word(p->b, p->j, "activation", "none|relu", 0)) {
            point_relu(p);
        }
        return;
    }
    a = json_object(p->b, p->j, "activation");
    type = json_word(p->b, &a, "type", "relu|prelu|sigmoid|tanh|clip|table", -1);
    json_keys(p->b, &a,
              type == 1   ? "type|slope|shift"
              : type == 4 ? "type|min|max|shift"
              : type == 5 ? "type|function|arg|range|input_frac|output_frac"
              : type > 1  ? "type|range|input_frac|output_frac"
                          : "type");
    switch (type) {
    case 0:
        point_relu(p);
        break;
    case 1:
        point_prelu(p, &a);
        break;
    case 2:
    case 3:
        point_table(p, &a, type == 3);
        break;
    case 4:
        point_clip(p, &a);
        break;
    case 5:
        point_function(p, &a);
        break;
    default:
        json_text(p->b, &a, "type");
    }
}

static void point_output(struct point *p, enum dla_precision out)
{
    struct json_at o = json_object(p->b, p->j, "output");
    uint8_t *d = p->op->desc;

    if (json_has(p->j, "output")) {
        json_keys(p->b, &o, "precision|scale|shift|offset");
    }
    if (p->precision == DLA_FP16 &&
        (json_has(&o, "scale") || json_has(&o, "shift") || json_has(&o, "offset"))) {
        build_fail(p->b, o.path, "fp16 results are not scaled");
    }
    DESC_PUT(d, SDP, dst_precision, out);
    DESC_PUT(d, SDP, out_cvt_enable, 1);
    DESC_PUT(d, SDP, out_cvt_scale, json_int_or(p->b, &o, "scale", INT16_MIN, INT16_MAX, 1));
    DESC_PUT(d, SDP, out_cvt_truncate, json_int_or(p->b, &o, "shift", 0, SHIFT_MAX, 0));
    DESC_PUT(d, SDP, out_cvt_offset, json_int_or(p->b, &o, "offset", INT32_MIN, INT32_MAX, 0));
}

struct build_op *point_op(struct build *b, const struct json_at *j, const char *name,
                          struct tensor *src, gboolean flying, const struct point_part *part,
                          enum dla_precision *precision)
{
    struct json_at o = json_object(b, j, "output");
    enum dla_precision in = src->precision, out;
    struct point p = { .b = b, .j = j, .op = op_new(b, DESC_OP_SDP, name) };

    out = (enum dla_precision)json_word(b, &o, "precision", "int8|int16|fp16", (int)in);
    if (in == DLA_FP16 && out == DLA_INT8) {
        build_fail(b, o.path, "fp16 goes to fp16 or int16");
    }
    if (in == DLA_INT8 && out == DLA_FP16) {
        build_fail(b, o.path, "int8 goes to int8 or int16; only int16 goes to fp16 (format.rst)");
    }
    p.precision = in == DLA_FP16                      ? DLA_FP16
                  : in == DLA_INT8 || out == DLA_INT8 ? DLA_INT8
                                                      : DLA_INT16;
    p.channels = src->channels;
    p.height = src->height;
    p.width = src->width;
    p.part = part ? *part
                  : (struct point_part){ .run = src->channels,
                                         .operands = src->channels,
                                         .lines = src->height };
    DESC_PUT(p.op->desc, SDP, src_precision, in);
    DESC_PUT(p.op->desc, SDP, batch_num, 1);
    DESC_PUT(p.op->desc, SDP, lut_index, -1);
    if (flying) {
        op_cube_flying(b, p.op, 0, src);
    } else {
        op_cube_tensor(b, p.op, 0, src, FALSE);
    }
    for (unsigned i = 1; i < 4; i++) {
        op_cube_flying(b, p.op, i, NULL);
    }
    point_bias(&p);
    point_batch_norm(&p);
    point_eltwise(&p);
    point_activation(&p);
    point_output(&p, out);
    *precision = out;
    return p.op;
}
