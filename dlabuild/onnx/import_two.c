/* SPDX-License-Identifier: MIT */
/* Operations of two tensors: with constants, and with what is computed. */
#include <math.h>
#include <string.h>

#include "dlabuild/onnx/import.h"

/* --- with constants --- */
/* @c repeated to the shape of @x, of one item of the batch; NULL: it differs from item to item, or
 * is larger. */
static float *constant_expand(const struct import *im, const struct onnx_value *c,
                              const struct value *x, gboolean channel)
{
    size_t step[ONNX_MAX_RANK], n = import_count(x), at = 0;
    int64_t index[ONNX_MAX_RANK] = { 0 }, all[ONNX_MAX_RANK];
    int64_t axis = onnx_int(im->node, "axis", -1);
    struct onnx_value shape = *c;
    unsigned rank;
    float *v;

    if (im->m->opset < 7 && axis >= 0 && axis + c->rank <= x->rank) { /* old broadcasting */
        shape.rank = x->rank - (unsigned)axis;
        for (unsigned i = c->rank; i < shape.rank; i++) {
            shape.dims[i] = 1;
        }
    }
    if (channel) { /* a slope of rank 1 before opset 9 */
        shape.rank = x->rank - 1;
        for (unsigned i = 1; i < shape.rank; i++) {
            shape.dims[i] = 1;
        }
    }
    if (!onnx_broadcast(x->rank, x->dims, shape.rank, shape.dims, &rank, all) || rank != x->rank ||
        memcmp(all, x->dims, rank * sizeof(*all)) != 0) {
        return NULL;
    }
    onnx_broadcast_strides(&shape, rank, step);
    if (x->runs > 1 && (x->rank < 2 || step[0] != 0 || x->dims[0] != x->runs)) {
        return NULL;
    }
    v = g_new(float, n + 1);
    for (size_t i = 0; i < n; i++) {
        v[i] = c->v[at];
        for (unsigned k = rank; k-- > 0;) {
            at += step[k];
            if (++index[k] < x->dims[k]) {
                break;
            }
            index[k] = 0;
            at -= step[k] * (size_t)x->dims[k];
        }
    }
    return v;
}

/* Is @v the same for all pixels of each channel of @x? Then a number for each, else NULL. */
static float *per_channel(const float *v, const struct value *x)
{
    size_t plane = (size_t)x->cube[1] * x->cube[2];
    float *c = g_new(float, x->cube[0] + 1);

    for (size_t i = 0; i < import_count(x); i++) {
        if (i % plane == 0) {
            c[i / plane] = v[i];
        } else if (c[i / plane] != v[i]) {
            g_free(c);
            return NULL;
        }
    }
    return c;
}

static struct value *with_channels(struct import *im, struct value *x, const char *op, float *c,
                                   gboolean first)
{
    size_t n = x->cube[0];
    float *one = point_fill(n, 1), *zero = point_fill(n, 0);

    if (strcmp(op, "Add") == 0 || strcmp(op, "Sub") == 0) {
        for (size_t i = 0; i < n && strcmp(op, "Sub") == 0 && !first; i++) {
            c[i] = -c[i];
        }
        for (size_t i = 0; i < n && strcmp(op, "Sub") == 0 && first; i++) {
            one[i] = -1;
        }
        g_free(zero);
        return point_scale(im, x, one, c);
    }
    if (strcmp(op, "Mul") == 0 || (strcmp(op, "Div") == 0 && !first)) {
        for (size_t i = 0; i < n && *op == 'D'; i++) {
            c[i] = 1 / c[i];
        }
        g_free(one);
        return point_scale(im, x, c, zero);
    }
    g_free(one);
    if (*op == 'D') {
        return point_scale(im, point_table_of(im, x, "Reciprocal", NULL, 3), c, zero);
    }
    g_free(zero);
    return point_channels(im, x, strcmp(op, "Max") == 0 ? "max" : "min", c);
}

static struct value *with_elements(struct import *im, struct value *x, const char *op, float *c,
                                   gboolean first)
{
    size_t n = import_count(x);

    if (first && (strcmp(op, "Sub") == 0 || strcmp(op, "Div") == 0)) {
        x = *op == 'S' ? point_scale(im, x, point_fill(x->cube[0], -1), point_fill(x->cube[0], 0))
                       : point_table_of(im, x, "Reciprocal", NULL, 3);
    } else if (strcmp(op, "Sub") == 0 || strcmp(op, "Div") == 0) {
        for (size_t i = 0; i < n; i++) {
            c[i] = *op == 'S' ? -c[i] : 1 / c[i];
        }
    }
    return point_elements(im, x,
                          desc_word_find("Add|Sub|Sum|Mean", op) >= 0 ? "add"
                          : strcmp(op, "Max") == 0                    ? "max"
                          : strcmp(op, "Min") == 0                    ? "min"
                                                                      : "mul",
                          c);
}

static struct value *pow_constant(struct import *im, struct value *x, float exponent)
{
    if (exponent == 1) {
        return x;
    }
    if (exponent == 2 || exponent == 3) {
        struct value *y = point_two(im, x, x, "mul");

        return exponent == 2 ? y : point_two(im, y, x, "mul");
    }
    if (exponent == 0.5f || exponent == -1) {
        return point_table_of(im, x, exponent > 0 ? "Sqrt" : "Reciprocal", NULL, 3);
    }
    import_refuse(im, "a power of %g: 0.5, 1, 2, 3 and -1 are computed", (double)exponent);
    return NULL;
}

/* @op of @x and the constant; @first: the constant is the first operand. */
static struct value *with_constant(struct import *im, struct value *x, struct onnx_value *c,
                                   const char *op, gboolean first)
{
    float *v, *channels;

    if (strcmp(op, "Pow") == 0) {
        if (first || c->count != 1) {
            import_refuse(im, "a power whose exponent is no constant");
            return NULL;
        }
        return pow_constant(im, x, c->v[0]);
    }
    op = strcmp(op, "Sum") == 0 || strcmp(op, "Mean") == 0 ? "Add" : op;
    v = constant_expand(im, c, x, FALSE);
    if (!v) {
        return NULL;
    }
    channels = per_channel(v, x);
    if (channels) {
        g_free(v);
        return with_channels(im, x, op, channels, first);
    }
    return with_elements(im, x, op, v, first);
}

/* --- two tensors --- */
/* @v as a part of a tensor of @rank: its shape with ones in front. */
static struct value *operand_of(struct import *im, struct value *v, unsigned rank)
{
    struct value *x;

    if (v->tensor && !v->constant && v->rank == rank) {
        return v;
    }
    if (v->rank < rank) {
        for (unsigned i = rank; i-- > 0;) {
            v->dims[i] = i >= rank - v->rank ? v->dims[i - (rank - v->rank)] : 1;
        }
        v->rank = rank;
    }
    x = import_settle(im, v);
    return x;
}

static struct value *both_of(struct import *im, struct value *a, struct value *b, const char *op)
{
    const char *word = strcmp(op, "Max") == 0   ? "max"
                       : strcmp(op, "Min") == 0 ? "min"
                       : strcmp(op, "Mul") == 0 ? "mul"
                                                : "add";
    gboolean swap = FALSE;

    if (strcmp(op, "Sub") == 0) {
        b = point_scale(im, b, point_fill(b->cube[0], -1), point_fill(b->cube[0], 0));
    } else if (strcmp(op, "Div") == 0) {
        b = point_table_of(im, b, "Reciprocal", NULL, 3);
        word = "mul";
    }
    for (int i = 0; i < 3; i++) {
        swap = swap || b->cube[i] > a->cube[i];
    }
    return swap ? point_two(im, b, a, word) : point_two(im, a, b, word);
}

/* A tensor of the shape of both: the smaller one is repeated as far as the SDP does not do it. */
static struct value *two_tensors(struct import *im, struct value *a, struct value *b,
                                 const char *op)
{
    unsigned rank = MAX(a->rank, b->rank), together;
    int64_t dims[ONNX_MAX_RANK], runs;
    uint32_t cube[3];
    struct value *v[2];

    if (strcmp(op, "Pow") == 0) {
        import_refuse(im, "a power whose exponent is no constant");
        return NULL;
    }
    if (!onnx_broadcast(a->rank, a->dims, b->rank, b->dims, &together, dims)) {
        import_refuse(im, "shapes that do not fit");
        return NULL;
    }
    if (a->rank == b->rank && memcmp(a->dims, b->dims, rank * sizeof(*dims)) == 0 && a->tensor &&
        b->tensor && !a->constant && !b->constant && !a->moved && !b->moved &&
        memcmp(a->cube, b->cube, sizeof(cube)) == 0) {
        return both_of(im, a, b, op);
    }
    import_cube(together, dims, &runs, cube);
    v[0] = operand_of(im, a, rank);
    v[1] = v[0] ? operand_of(im, b, rank) : NULL;
    for (int i = 0; i < 2; i++) {
        struct value *other = v[!i];
        gboolean point;

        if (!v[0] || !v[1]) {
            return NULL;
        }
        point = v[i]->cube[0] == cube[0] && v[i]->cube[1] == 1 &&
                (v[i]->cube[2] == 1 || v[i]->cube[2] == cube[2]);
        /* One of them may stay small when the other is whole. */
        if (memcmp(v[i]->cube, cube, sizeof(cube)) != 0 &&
            !(point && memcmp(other->cube, cube, sizeof(cube)) == 0)) {
            v[i] = move_expand(im, v[i], cube);
        }
    }
    a = v[0] && v[1] ? both_of(im, v[0], v[1], op) : NULL;
    if (a) {
        a->rank = together;
        memcpy(a->dims, dims, sizeof(a->dims));
        a->runs = runs;
    }
    return a;
}

gboolean import_two(struct import *im)
{
    const char *op = im->node->op_type;
    struct value *y = import_in(im, 0), *x = NULL;
    gboolean whole = FALSE; /* y is a tensor of the network */

    if (!y) {
        return import_refuse(im, "input 0 is missing");
    }
    for (unsigned i = 1; i < im->node->n_input && !im->error; i++) {
        struct value *b = import_in(im, i), *made = NULL;

        if (!b) {
            return import_refuse(im, "input %u is missing", i);
        }
        if (b->constant && !y->constant && (x = import_any(im, y)) && !x->moved) {
            made = with_constant(im, x, b->constant, op, FALSE);
        } else if (y->constant && !b->constant && (x = import_any(im, b)) && !x->moved) {
            made = with_constant(im, x, y->constant, op, TRUE);
        }
        y = made ? made : im->error ? NULL : two_tensors(im, y, b, op);
        whole = TRUE;
    }
    y = y && !whole ? import_any(im, y) : y;
    if (y && strcmp(op, "Mean") == 0 && im->node->n_input > 1) {
        y = point_scale(im, y, point_fill(y->cube[0], 1.f / (float)im->node->n_input),
                        point_fill(y->cube[0], 0));
    }
    if (y && !im->error) {
        y = y->layer && whole ? y : point_copy(im, y);
        import_set(im, 0, y);
    }
    return !im->error;
}

gboolean import_prelu(struct import *im)
{
    struct value *x = import_any(im, import_in(im, 0)), *y, *low;
    struct onnx_value *s = import_constant(im, 1);
    gboolean old =
        s && x && s->rank == 1 && x->rank > 2 && im->m->opset < 9 && s->count == (size_t)x->cube[0];
    float *v, *channels;

    if (!x || !s || im->error) {
        return import_refuse(im, "a slope that is no constant");
    }
    v = constant_expand(im, s, x, old);
    if (!v) {
        return import_refuse(im, "a slope whose shape does not fit, or that differs in the batch");
    }
    channels = per_channel(v, x);
    if (channels) {
        g_free(v);
        y = point_slope(im, x, channels);
    } else { /* relu(x) + slope * min(x, 0) */
        x->uses++;
        low = point_elements(
            im, point_channels(im, point_copy(im, x), "min", point_fill(x->cube[0], 0)), "mul", v);
        y = point_two(im, point_relu_of(im, point_copy(im, x)), low, "add");
    }
    import_keep_view(x, y);
    import_set(im, 0, y);
    return TRUE;
}

gboolean import_batch_norm(struct import *im)
{
    struct value *x = import_any(im, import_in(im, 0)), *y;
    struct onnx_value *p[4] = { 0 };
    float *scale, *offset;
    JsonObject *l;

    for (unsigned i = 0; i < 4; i++) {
        p[i] = import_constant(im, i + 1);
        if (!x || !p[i] || p[i]->count != x->cube[0]) {
            return import_refuse(im,
                                 "scale, bias, mean and variance must be constants, a number for "
                                 "each channel");
        }
    }
    if (onnx_int(im->node, "training_mode", 0)) {
        return import_refuse(im, "in training mode: a DLA infers only");
    }
    scale = g_new(float, x->cube[0] + 1);
    offset = g_new(float, x->cube[0] + 1);
    for (uint32_t i = 0; i < x->cube[0]; i++) {
        double k = (double)p[0]->v[i] /
                   sqrt((double)p[3]->v[i] + (double)onnx_float(im->node, "epsilon", 1e-5f));

        scale[i] = (float)k;
        offset[i] = (float)((double)p[1]->v[i] - (double)p[2]->v[i] * k);
    }
    l = x->layer;
    /* Into the weights, when nothing stands between. */
    if (l && x->uses == 1 && strcmp(json_object_get_string_member(l, "type"), "conv") == 0 &&
        !json_object_has_member(l, "batch_norm") && !json_object_has_member(l, "eltwise") &&
        !json_object_has_member(l, "activation")) {
        struct build_data *w = import_data_of(im, l, "weights"), *b = import_data_of(im, l, "bias");
        size_t per = w->count / x->cube[0];

        for (size_t i = 0; i < w->count; i++) {
            w->v[i] *= scale[i / per];
        }
        for (uint32_t i = 0; i < x->cube[0]; i++) {
            offset[i] += b ? b->v[i] * scale[i] : 0;
        }
        json_object_set_object_member(l, "bias", import_data(im, offset, x->cube[0]));
        g_free(scale);
        y = import_made(im, l, x->cube, x->rank, x->dims, x->runs);
        y->order = x->order;
    } else {
        y = point_scale(im, x, scale, offset);
    }
    import_keep_view(x, y);
    import_set(im, 0, y);
    return TRUE;
}
