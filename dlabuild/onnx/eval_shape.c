/* SPDX-License-Identifier: MIT */
/* Operators that move numbers. */
#include <math.h>
#include <string.h>

#include "dlabuild/onnx/eval.h"

gboolean eval_shape(struct onnx_call *c)
{
    struct onnx_value *x = eval_in(c, 0), *y;
    int64_t n = x ? x->rank : 0, start, end;

    if (!x) {
        return FALSE;
    }
    if (strcmp(c->node->op_type, "Size") == 0) {
        y = eval_out(c, ONNX_INT64, 0, NULL);
        y->v[0] = (float)x->count;
        return TRUE;
    }
    start = onnx_int(c->node, "start", 0);
    end = onnx_int(c->node, "end", n);
    start = CLAMP(start < 0 ? start + n : start, 0, n);
    end = CLAMP(end < 0 ? end + n : end, start, n);
    n = end - start;
    y = eval_out(c, ONNX_INT64, 1, &n);
    for (int64_t i = 0; y && i < n; i++) {
        y->v[i] = (float)x->dims[start + i];
    }
    return y != NULL;
}

/* The numbers of input 0 in another shape. */
static gboolean shape_same(struct onnx_call *c, unsigned rank, const int64_t *dims)
{
    struct onnx_value *x = c->in[0], *y;
    size_t count;

    if (rank > ONNX_MAX_RANK || !onnx_count(rank, dims, &count) || count != x->count) {
        char *from = onnx_shape_text(x->rank, x->dims),
             *to = onnx_shape_text(MIN(rank, ONNX_MAX_RANK), dims);

        eval_fail(c, "%.40s does not become %.40s", from, to);
        g_free(from);
        g_free(to);
        return FALSE;
    }
    y = eval_out(c, x->type, rank, dims);
    if (y) {
        memcpy(y->v, x->v, x->count * sizeof(float));
    }
    return y != NULL;
}

gboolean eval_reshape(struct onnx_call *c)
{
    struct onnx_value *x = eval_in(c, 0);
    int64_t dims[ONNX_MAX_RANK], known = 1;
    unsigned rank = 0;
    int open = -1;
    size_t n;
    const int64_t *attribute = onnx_ints(c->node, "shape", &n);

    if (!x) {
        return FALSE;
    }
    if (attribute && n <= ONNX_MAX_RANK) {
        memcpy(dims, attribute, n * sizeof(*dims));
        rank = (unsigned)n;
    } else if (!eval_in_ints(c, 1, dims, ONNX_MAX_RANK, &rank)) {
        return eval_fail(c, "no shape of at most %u dimensions", ONNX_MAX_RANK);
    }
    for (unsigned i = 0; i < rank; i++) {
        if (dims[i] == 0 && !onnx_int(c->node, "allowzero", 0) && i < x->rank) {
            dims[i] = x->dims[i];
        }
        if (dims[i] == -1 && open < 0) {
            open = (int)i;
        } else if (dims[i] < 0 || (dims[i] && known > (int64_t)ONNX_MAX_COUNT / dims[i])) {
            return eval_fail(c, "dimension %u of the shape is %" G_GINT64_FORMAT, i, dims[i]);
        } else {
            known *= dims[i];
        }
    }
    if (open >= 0) {
        dims[open] = known ? (int64_t)x->count / known : 0;
    }
    return shape_same(c, rank, dims);
}

gboolean eval_flatten(struct onnx_call *c)
{
    struct onnx_value *x = eval_in(c, 0);
    int64_t axis = onnx_int(c->node, "axis", 1), dims[2] = { 1, 1 };

    if (!x || axis < -(int64_t)x->rank || axis > (int64_t)x->rank) {
        return eval_fail(c, "axis %" G_GINT64_FORMAT, axis);
    }
    axis = axis < 0 ? axis + x->rank : axis;
    for (unsigned i = 0; i < x->rank; i++) {
        dims[i >= axis] *= x->dims[i];
    }
    return shape_same(c, 2, dims);
}

gboolean eval_squeeze(struct onnx_call *c)
{
    struct onnx_value *x = eval_in(c, 0);
    gboolean mark[ONNX_MAX_RANK], given;
    int64_t dims[ONNX_MAX_RANK];
    unsigned rank = 0;

    if (!x || !eval_axes(c, 1, x->rank, mark, &given)) {
        return FALSE;
    }
    for (unsigned i = 0; i < x->rank; i++) {
        if (given ? !mark[i] : x->dims[i] != 1) {
            dims[rank++] = x->dims[i];
        }
    }
    return shape_same(c, rank, dims);
}

gboolean eval_unsqueeze(struct onnx_call *c)
{
    struct onnx_value *x = eval_in(c, 0);
    gboolean mark[ONNX_MAX_RANK], given;
    int64_t dims[ONNX_MAX_RANK];
    unsigned n = 0, at = 0;
    size_t count;

    onnx_ints(c->node, "axes", &count);
    n = (unsigned)(count ? count : c->ins > 1 && c->in[1] ? c->in[1]->count : 0);
    if (!x || n + x->rank > ONNX_MAX_RANK || !eval_axes(c, 1, x->rank + n, mark, &given)) {
        return eval_fail(c, "axes that do not fit");
    }
    for (unsigned i = 0; i < x->rank + n; i++) {
        if (!mark[i] && at == x->rank) {
            return eval_fail(c, "an axis is named twice");
        }
        dims[i] = mark[i] ? 1 : x->dims[at++];
    }
    return shape_same(c, x->rank + n, dims);
}

/* y[i] = x at @start plus the sum of index k times @step[k] */
static gboolean gather_strided(struct onnx_call *c, unsigned rank, const int64_t *dims,
                               int64_t start, const int64_t *step)
{
    struct onnx_value *x = c->in[0], *y = eval_out(c, x->type, rank, dims);
    int64_t index[ONNX_MAX_RANK] = { 0 }, at = start;

    for (size_t i = 0; y && i < y->count; i++) {
        y->v[i] = x->v[at];
        for (unsigned k = rank; k-- > 0;) {
            at += step[k];
            if (++index[k] < dims[k]) {
                break;
            }
            index[k] = 0;
            at -= step[k] * dims[k];
        }
    }
    return y != NULL;
}

static void strides_of(const struct onnx_value *x, int64_t *step)
{
    int64_t n = 1;

    for (unsigned i = x->rank; i-- > 0;) {
        step[i] = n;
        n *= x->dims[i];
    }
}

gboolean eval_transpose(struct onnx_call *c)
{
    struct onnx_value *x = eval_in(c, 0);
    int64_t dims[ONNX_MAX_RANK], from[ONNX_MAX_RANK], step[ONNX_MAX_RANK];
    size_t n;
    const int64_t *perm = onnx_ints(c->node, "perm", &n);

    if (!x || (perm && n != x->rank)) {
        return eval_fail(c, "perm does not have a number for each dimension");
    }
    strides_of(x, from);
    for (unsigned i = 0; i < x->rank; i++) {
        int64_t p = perm ? perm[i] : x->rank - 1 - i;

        if (p < 0 || p >= x->rank) {
            return eval_fail(c, "perm[%u] is %" G_GINT64_FORMAT, i, p);
        }
        dims[i] = x->dims[p];
        step[i] = from[p];
    }
    return gather_strided(c, x->rank, dims, 0, step);
}

gboolean eval_concat(struct onnx_call *c)
{
    struct onnx_value *x = eval_in(c, 0), *y;
    int64_t dims[ONNX_MAX_RANK];
    unsigned axis;
    size_t outer = 1, at = 0, row = 0;

    if (!x || !eval_axis(c, onnx_int(c->node, "axis", 1), x->rank, &axis)) {
        return FALSE;
    }
    memcpy(dims, x->dims, sizeof(dims));
    dims[axis] = 0;
    for (unsigned i = 0; i < c->ins; i++) {
        struct onnx_value *p = eval_in(c, i);

        for (unsigned k = 0; p && k < x->rank; k++) {
            if (p->rank != x->rank || (k != axis && p->dims[k] != x->dims[k])) {
                return eval_fail(c, "input %u has another shape than the first", i);
            }
        }
        if (!p) {
            return FALSE;
        }
        dims[axis] += p->dims[axis];
    }
    for (unsigned i = 0; i < axis; i++) {
        outer *= (size_t)dims[i];
    }
    y = eval_out(c, x->type, x->rank, dims);
    row = y && outer ? y->count / outer : 0;
    for (unsigned i = 0; y && i < c->ins; i++) {
        size_t n = outer ? c->in[i]->count / outer : 0;

        for (size_t o = 0; o < outer; o++) {
            memcpy(y->v + o * row + at, c->in[i]->v + o * n, n * sizeof(float));
        }
        at += n;
    }
    return y != NULL;
}

gboolean eval_slice(struct onnx_call *c)
{
    struct onnx_value *x = eval_in(c, 0);
    int64_t start[ONNX_MAX_RANK], end[ONNX_MAX_RANK], axes[ONNX_MAX_RANK], steps[ONNX_MAX_RANK];
    int64_t dims[ONNX_MAX_RANK], step[ONNX_MAX_RANK], at = 0;
    unsigned n = 0, m = 0, a = 0, s = 0, axis;
    size_t count, other;
    const int64_t *v = onnx_ints(c->node, "starts", &count),
                  *w = onnx_ints(c->node, "ends", &other);

    if (!x) {
        return FALSE;
    }
    if (v && w && count == other && count <= ONNX_MAX_RANK) {
        memcpy(start, v, count * sizeof(*v));
        memcpy(end, w, count * sizeof(*w));
        n = m = (unsigned)count;
        v = onnx_ints(c->node, "axes", &count);
        a = v && count == n ? n : 0;
        if (a) {
            memcpy(axes, v, a * sizeof(*v));
        }
    } else if (!eval_in_ints(c, 1, start, ONNX_MAX_RANK, &n) ||
               !eval_in_ints(c, 2, end, ONNX_MAX_RANK, &m) || n != m) {
        return eval_fail(c, "starts and ends are missing");
    } else {
        eval_in_ints(c, 3, axes, ONNX_MAX_RANK, &a);
        eval_in_ints(c, 4, steps, ONNX_MAX_RANK, &s);
    }
    if ((a && a != n) || (s && s != n) || (!a && n > x->rank)) {
        return eval_fail(c, "as many axes and steps as starts");
    }
    memcpy(dims, x->dims, sizeof(dims));
    strides_of(x, step);
    for (unsigned i = 0; i < n; i++) {
        int64_t d, by = s ? steps[i] : 1, low = start[i], high = end[i];

        if (!eval_axis(c, a ? axes[i] : i, x->rank, &axis)) {
            return FALSE;
        }
        if (by == 0) {
            return eval_fail(c, "a step of 0");
        }
        d = x->dims[axis];
        low = CLAMP(low < 0 ? low + d : low, 0, by > 0 ? d : d - 1);
        high = CLAMP(high < 0 ? high + d : high, by > 0 ? 0 : -1, d);
        at += low * step[axis];
        dims[axis] =
            by > 0 ? MAX(0, (high - low + by - 1) / by) : MAX(0, (low - high - by - 1) / -by);
        step[axis] *= by;
    }
    return gather_strided(c, x->rank, dims, at, step);
}

gboolean eval_gather(struct onnx_call *c)
{
    struct onnx_value *x = eval_in(c, 0), *i = eval_in(c, 1), *y;
    int64_t dims[2 * ONNX_MAX_RANK];
    unsigned axis, rank = 0;
    size_t inner = 1, outer = 1, at = 0;

    if (!x || !i || !eval_axis(c, onnx_int(c->node, "axis", 0), x->rank, &axis)) {
        return FALSE;
    }
    for (unsigned k = 0; k < x->rank; k++) {
        if (k == axis) {
            memcpy(dims + rank, i->dims, i->rank * sizeof(*dims));
            rank += i->rank;
            continue;
        }
        dims[rank++] = x->dims[k];
        *(k < axis ? &outer : &inner) *= (size_t)x->dims[k];
    }
    y = eval_out(c, x->type, rank, dims);
    for (size_t o = 0; y && o < outer; o++) {
        for (size_t k = 0; k < i->count; k++, at += inner) {
            int64_t n = (int64_t)i->v[k];

            n = n < 0 ? n + x->dims[axis] : n;
            if (n < 0 || n >= x->dims[axis]) {
                return eval_fail(c, "index %" G_GINT64_FORMAT " of %" G_GINT64_FORMAT, n,
                                 x->dims[axis]);
            }
            memcpy(y->v + at, x->v + (o * (size_t)x->dims[axis] + (size_t)n) * inner,
                   inner * sizeof(float));
        }
    }
    return y != NULL;
}

gboolean eval_split(struct onnx_call *c)
{
    struct onnx_value *x = eval_in(c, 0);
    int64_t size[ONNX_MAX_ENDS], dims[ONNX_MAX_RANK], step[ONNX_MAX_RANK], at = 0;
    unsigned n = (unsigned)MIN(c->node->n_output, ONNX_MAX_ENDS), given = 0, axis;
    size_t count;
    const int64_t *v = onnx_ints(c->node, "split", &count);

    if (!x || !eval_axis(c, onnx_int(c->node, "axis", 0), x->rank, &axis)) {
        return FALSE;
    }
    if (v && count == n) {
        memcpy(size, v, n * sizeof(*v));
        given = n;
    } else {
        eval_in_ints(c, 1, size, ONNX_MAX_ENDS, &given);
    }
    for (unsigned i = 0; i < n && !given; i++) {
        int64_t part = (x->dims[axis] + n - 1) / n;

        size[i] = MIN(part, x->dims[axis] - part * i);
    }
    if (given && given != n) {
        return eval_fail(c, "as many sizes as outputs");
    }
    memcpy(dims, x->dims, sizeof(dims));
    strides_of(x, step);
    for (unsigned i = 0; i < n; i++) {
        struct onnx_value *made = c->out[0];

        dims[axis] = size[i];
        if (size[i] < 0 || size[i] > x->dims[axis] - at) {
            return eval_fail(c, "the parts are larger than the input");
        }
        if (!gather_strided(c, x->rank, dims, at * step[axis], step)) {
            return FALSE;
        }
        c->out[i] = c->out[0];
        c->out[0] = i ? made : c->out[0];
        at += size[i];
    }
    return TRUE;
}

gboolean eval_expand(struct onnx_call *c)
{
    struct onnx_value *x = eval_in(c, 0);
    int64_t shape[ONNX_MAX_RANK], dims[ONNX_MAX_RANK], step[ONNX_MAX_RANK];
    size_t from[ONNX_MAX_RANK];
    unsigned n = 0, rank;

    if (!x || !eval_in_ints(c, 1, shape, ONNX_MAX_RANK, &n) ||
        !onnx_broadcast(x->rank, x->dims, n, shape, &rank, dims)) {
        return eval_fail(c, "the shape does not fit");
    }
    onnx_broadcast_strides(x, rank, from);
    for (unsigned i = 0; i < rank; i++) {
        step[i] = (int64_t)from[i];
    }
    return gather_strided(c, rank, dims, 0, step);
}

gboolean eval_constant_of_shape(struct onnx_call *c)
{
    const Onnx__Attribute *a = onnx_attribute(c->node, "value");
    struct onnx_value *v = a && a->t ? onnx_tensor_value(a->t, NULL, NULL) : NULL, *y;
    int64_t dims[ONNX_MAX_RANK];
    unsigned n = 0;

    if (!eval_in_ints(c, 0, dims, ONNX_MAX_RANK, &n)) {
        onnx_value_unref(v);
        return eval_fail(c, "no shape of at most %u dimensions", ONNX_MAX_RANK);
    }
    y = eval_out(c, v ? v->type : ONNX_FLOAT, n, dims);
    for (size_t i = 0; y && v && v->count && i < y->count; i++) {
        y->v[i] = v->v[0];
    }
    onnx_value_unref(v);
    return y != NULL;
}

gboolean eval_range(struct onnx_call *c)
{
    struct onnx_value *a = eval_in(c, 0), *b = eval_in(c, 1), *s = eval_in(c, 2), *y;
    int64_t n;

    if (!a || !b || !s || a->count != 1 || b->count != 1 || s->count != 1 || s->v[0] == 0) {
        return eval_fail(c, "start, limit and a step that is not 0");
    }
    n = (int64_t)CLAMP(ceilf((b->v[0] - a->v[0]) / s->v[0]), 0, 1e9f);
    y = eval_out(c, a->type, 1, &n);
    for (int64_t i = 0; y && i < n; i++) {
        y->v[i] = a->v[0] + (float)i * s->v[0];
    }
    return y != NULL;
}

gboolean eval_tile(struct onnx_call *c)
{
    struct onnx_value *x = eval_in(c, 0), *y;
    int64_t repeat[ONNX_MAX_RANK], dims[ONNX_MAX_RANK], step[ONNX_MAX_RANK];
    unsigned n = 0;

    if (!x || !eval_in_ints(c, 1, repeat, ONNX_MAX_RANK, &n) || n != x->rank) {
        return eval_fail(c, "a repeat for each dimension");
    }
    for (unsigned i = 0; i < n; i++) {
        if (repeat[i] < 0 || repeat[i] > 65536) {
            return eval_fail(c, "repeats of 0 to 65536");
        }
        dims[i] = x->dims[i] * repeat[i];
    }
    strides_of(x, step);
    y = eval_out(c, x->type, n, dims);
    for (size_t i = 0; y && i < y->count; i++) {
        size_t rest = i, at = 0;

        for (unsigned k = n; k-- > 0; rest /= (size_t)dims[k]) {
            at += rest % (size_t)dims[k] % (size_t)x->dims[k] * (size_t)step[k];
        }
        y->v[i] = x->v[at];
    }
    return y != NULL;
}

/* Where index @i of a padded axis of @n reads; -1: the constant. */
static int64_t pad_index(int64_t i, int64_t n, char mode)
{
    if (i >= 0 && i < n) {
        return i;
    }
    if (mode == 'c') {
        return -1;
    }
    if (mode == 'e') {
        return i < 0 ? 0 : n - 1;
    }
    i = i < 0 ? -i : 2 * n - 2 - i; /* reflect */
    return i >= 0 && i < n ? i : 0;
}

gboolean eval_pad(struct onnx_call *c)
{
    struct onnx_value *x = eval_in(c, 0), *y;
    int64_t pad[2 * ONNX_MAX_RANK], dims[ONNX_MAX_RANK], step[ONNX_MAX_RANK];
    g_autofree char *mode = onnx_text(c->node, "mode");
    float value = onnx_float(c->node, "value", 0);
    unsigned n = 0;
    size_t count;
    const int64_t *v = onnx_ints(c->node, "pads", &count);

    if (x && v && count == 2 * x->rank) {
        memcpy(pad, v, count * sizeof(*v));
    } else if (!x || !eval_in_ints(c, 1, pad, 2 * ONNX_MAX_RANK, &n) || n != 2 * x->rank) {
        return eval_fail(c, "two pads for each dimension");
    }
    if (c->ins > 2 && c->in[2] && c->in[2]->count) {
        value = c->in[2]->v[0];
    }
    for (unsigned i = 0; i < x->rank; i++) {
        dims[i] = x->dims[i] + pad[i] + pad[i + x->rank];
    }
    strides_of(x, step);
    y = eval_out(c, x->type, x->rank, dims);
    for (size_t i = 0; y && i < y->count; i++) {
        size_t rest = i, at = 0;
        gboolean inside = TRUE;

        for (unsigned k = x->rank; k-- > 0; rest /= (size_t)dims[k]) {
            int64_t from = pad_index((int64_t)(rest % (size_t)dims[k]) - pad[k], x->dims[k],
                                     mode ? *mode : 'c');

            inside = inside && from >= 0;
            at += inside ? (size_t)(from * step[k]) : 0;
        }
        y->v[i] = inside && x->count ? x->v[at] : value;
    }
    return y != NULL;
}

gboolean eval_constant(struct onnx_call *c)
{
    const Onnx__Attribute *a = onnx_attribute(c->node, "value");
    GError *error = NULL;
    int64_t n;

    if (a && a->t) {
        c->out[0] = onnx_tensor_value(a->t, NULL, &error);
        if (!c->out[0]) {
            eval_fail(c, "%s", error->message);
            g_error_free(error);
        }
        return c->out[0] != NULL;
    }
    if ((a = onnx_attribute(c->node, "value_float")) ||
        (a = onnx_attribute(c->node, "value_int"))) {
        if (eval_out(c, a->has_f ? ONNX_FLOAT : ONNX_INT64, 0, NULL)) {
            c->out[0]->v[0] = a->has_f ? a->f : (float)a->i;
        }
        return c->out[0] != NULL;
    }
    a = onnx_attribute(c->node, "value_floats");
    a = a ? a : onnx_attribute(c->node, "value_ints");
    if (!a) {
        return eval_fail(c, "a constant that is no tensor of numbers");
    }
    n = (int64_t)(a->n_floats ? a->n_floats : a->n_ints);
    eval_out(c, a->n_floats ? ONNX_FLOAT : ONNX_INT64, 1, &n);
    for (int64_t i = 0; c->out[0] && i < n; i++) {
        c->out[0]->v[i] = a->n_floats ? a->floats[i] : (float)a->ints[i];
    }
    return c->out[0] != NULL;
}

gboolean eval_identity(struct onnx_call *c)
{
    struct onnx_value *x = eval_in(c, 0);

    if (*c->node->op_type == 'D' && c->ins > 2 && c->in[2] && c->in[2]->v[0] != 0) {
        return eval_fail(c, "in training mode");
    }
    return x ? shape_same(c, x->rank, x->dims) : FALSE;
}
