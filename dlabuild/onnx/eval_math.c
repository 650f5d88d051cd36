/* SPDX-License-Identifier: MIT */
/* Numbers one by one. */
#include <math.h>
#include <string.h>

#include "dlabuild/functions.h"
#include "dlabuild/onnx/eval.h"

gboolean onnx_unary_find(const Onnx__Node *n, int64_t opset, struct onnx_unary *u)
{
    const struct build_function *f = build_function_find(n->op_type);

    if (!f) {
        return FALSE;
    }
    if (strcmp(n->op_type, "Gelu") == 0 && onnx_text_is(n, "approximate", "tanh")) {
        f = build_function_find("GeluTanh");
    }
    *u = (struct onnx_unary){ .f = f->f, .name = f->name };
    for (unsigned k = 0; k < 2; k++) {
        u->arg[k] = f->key[k] ? (double)onnx_float(n, f->key[k], f->value[k]) : (double)f->value[k];
    }
    if (opset < 6 && strcmp(n->op_type, "Selu") == 0) {
        u->arg[0] = (double)onnx_float(n, "alpha", 1.6732f);
        u->arg[1] = (double)onnx_float(n, "gamma", 1.0507f);
    }
    return TRUE;
}

gboolean eval_unary(struct onnx_call *c)
{
    struct onnx_value *x = eval_in(c, 0), *y;
    struct onnx_unary u;

    if (!x || !onnx_unary_find(c->node, c->opset, &u) ||
        !(y = eval_out(c, x->type, x->rank, x->dims))) {
        return FALSE;
    }
    for (size_t i = 0; i < x->count; i++) {
        y->v[i] = (float)u.f((double)x->v[i], u.arg);
    }
    return TRUE;
}

static float math_pair(const char *op, float a, float b, gboolean integer)
{
    switch (*op) {
    case 'A': /* Add, And */
        return op[1] == 'd' ? a + b : (float)(a != 0 && b != 0);
    case 'S': /* Sub, Sum */
        return op[2] == 'b' ? a - b : a + b;
    case 'D':
        return integer ? (b != 0 ? truncf(a / b) : 0) : a / b;
    case 'P':
        return powf(a, b);
    case 'E':
        return a == b;
    case 'L':
        return a < b;
    case 'G':
        return a > b;
    case 'O':
        return a != 0 || b != 0;
    default:
        break;
    }
    if (strcmp(op, "Max") == 0) {
        return a > b || a != a ? a : b;
    }
    if (strcmp(op, "Min") == 0) {
        return a < b || a != a ? a : b;
    }
    return strcmp(op, "Mean") == 0 ? a + b : a * b;
}

/* Before opset 7: the second tensor has the dimensions of the first from attribute "axis" on. */
static struct onnx_value *old_broadcast(struct onnx_call *c, const struct onnx_value *a,
                                        struct onnx_value *b)
{
    int64_t axis = onnx_int(c->node, "axis", -1), dims[ONNX_MAX_RANK];
    struct onnx_value *v;

    if (c->opset >= 7 || axis < 0 || (uint64_t)axis + b->rank > a->rank) {
        return onnx_value_ref(b);
    }
    for (unsigned i = 0; i < a->rank - (unsigned)axis; i++) {
        dims[i] = i < b->rank ? b->dims[i] : 1;
    }
    v = onnx_value_new(b->type, a->rank - (unsigned)axis, dims);
    if (v) {
        memcpy(v->v, b->v, b->count * sizeof(float));
    }
    return v ? v : onnx_value_ref(b);
}

static struct onnx_value *math_combine(struct onnx_call *c, struct onnx_value *a,
                                       struct onnx_value *b, gboolean boolean)
{
    gboolean integer = a->type != ONNX_FLOAT && a->type != ONNX_FLOAT16 && a->type != ONNX_DOUBLE;
    size_t sa[ONNX_MAX_RANK], sb[ONNX_MAX_RANK], at_a = 0, at_b = 0;
    int64_t dims[ONNX_MAX_RANK], index[ONNX_MAX_RANK] = { 0 };
    struct onnx_value *y;
    unsigned rank;

    if (!onnx_broadcast(a->rank, a->dims, b->rank, b->dims, &rank, dims) ||
        !(y = onnx_value_new(boolean ? ONNX_BOOL : a->type, rank, dims))) {
        char *sa_text = onnx_shape_text(a->rank, a->dims),
             *sb_text = onnx_shape_text(b->rank, b->dims);

        eval_fail(c, "shapes %.40s and %.40s do not fit", sa_text, sb_text);
        g_free(sa_text);
        g_free(sb_text);
        return NULL;
    }
    onnx_broadcast_strides(a, rank, sa);
    onnx_broadcast_strides(b, rank, sb);
    for (size_t i = 0; i < y->count; i++) {
        y->v[i] = math_pair(c->node->op_type, a->v[at_a], b->v[at_b], integer);
        for (unsigned k = rank; k-- > 0;) {
            at_a += sa[k];
            at_b += sb[k];
            if (++index[k] < dims[k]) {
                break;
            }
            index[k] = 0;
            at_a -= sa[k] * (size_t)dims[k];
            at_b -= sb[k] * (size_t)dims[k];
        }
    }
    return y;
}

gboolean eval_variadic(struct onnx_call *c)
{
    const char *op = c->node->op_type;
    gboolean boolean = strchr("ELGO", *op) || strcmp(op, "And") == 0;
    struct onnx_value *y = eval_in(c, 0);

    if (!y || (c->ins < 2 && strchr("ADPE", *op))) {
        return eval_fail(c, "an input is missing");
    }
    onnx_value_ref(y);
    for (unsigned i = 1; y && i < c->ins; i++) {
        struct onnx_value *b = eval_in(c, i), *whole = b ? old_broadcast(c, y, b) : NULL;
        struct onnx_value *next = whole ? math_combine(c, y, whole, boolean) : NULL;

        onnx_value_unref(y);
        onnx_value_unref(whole);
        y = next;
    }
    if (y && strcmp(op, "Mean") == 0 && c->ins > 1) {
        for (size_t i = 0; i < y->count; i++) {
            y->v[i] /= (float)c->ins;
        }
    }
    c->out[0] = y;
    return y != NULL;
}

gboolean eval_clip(struct onnx_call *c)
{
    struct onnx_value *x = eval_in(c, 0), *y;
    float low = onnx_float(c->node, "min", -INFINITY), high = onnx_float(c->node, "max", INFINITY);

    if (!x || !(y = eval_out(c, x->type, x->rank, x->dims))) {
        return FALSE;
    }
    if (c->ins > 1 && c->in[1] && c->in[1]->count == 1) {
        low = c->in[1]->v[0];
    }
    if (c->ins > 2 && c->in[2] && c->in[2]->count == 1) {
        high = c->in[2]->v[0];
    }
    for (size_t i = 0; i < x->count; i++) {
        float v = x->v[i] < low ? low : x->v[i];

        y->v[i] = v > high ? high : v;
    }
    return TRUE;
}

/* Before opset 9 a slope of rank 1 belongs to the channels. */
gboolean eval_prelu(struct onnx_call *c)
{
    struct onnx_value *x = eval_in(c, 0), *s = eval_in(c, 1), *y;
    size_t step[ONNX_MAX_RANK], at = 0;
    int64_t index[ONNX_MAX_RANK] = { 0 };
    gboolean channel;

    if (!x || !s || !(y = eval_out(c, x->type, x->rank, x->dims))) {
        return FALSE;
    }
    channel = s->rank == 1 && x->rank > 2 && c->opset < 9 && s->count == (size_t)x->dims[1];
    onnx_broadcast_strides(s, x->rank, step);
    for (unsigned i = 0; i < x->rank && channel; i++) {
        step[i] = i == 1;
    }
    for (unsigned i = 0; i < s->rank && !channel; i++) {
        int64_t d = s->dims[s->rank - 1 - i];

        if (i >= x->rank || (d != 1 && d != x->dims[x->rank - 1 - i])) {
            return eval_fail(c, "the slope's shape does not fit");
        }
    }
    for (size_t i = 0; i < x->count; i++) {
        y->v[i] = x->v[i] < 0 ? x->v[i] * s->v[at] : x->v[i];
        for (unsigned k = x->rank; k-- > 0;) {
            at += step[k];
            if (++index[k] < x->dims[k]) {
                break;
            }
            index[k] = 0;
            at -= step[k] * (size_t)x->dims[k];
        }
    }
    return TRUE;
}

gboolean eval_where(struct onnx_call *c)
{
    struct onnx_value *p = eval_in(c, 0), *a = eval_in(c, 1), *b = eval_in(c, 2), *y;

    if (!p || !a || !b || p->count != a->count || a->count != b->count) {
        return eval_fail(c, "three tensors of one shape");
    }
    y = eval_out(c, a->type, a->rank, a->dims);
    for (size_t i = 0; y && i < a->count; i++) {
        y->v[i] = p->v[i] != 0 ? a->v[i] : b->v[i];
    }
    return y != NULL;
}

static float type_round(float v, enum onnx_type type)
{
    return type == ONNX_FLOAT || type == ONNX_FLOAT16 || type == ONNX_DOUBLE ? v
           : type == ONNX_BOOL                                               ? (float)(v != 0)
                                                                             : truncf(v);
}

gboolean eval_cast(struct onnx_call *c)
{
    struct onnx_value *x = eval_in(c, 0), *y;
    int64_t to = onnx_int(c->node, "to", ONNX_FLOAT);

    if (!x || to < 1 || to > ONNX_UINT64 || to == ONNX_STRING) {
        return eval_fail(c, "no cast to data type %" G_GINT64_FORMAT, to);
    }
    y = eval_out(c, (enum onnx_type)to, x->rank, x->dims);
    for (size_t i = 0; y && i < x->count; i++) {
        y->v[i] = type_round(x->v[i], y->type);
    }
    return y != NULL;
}
