/* SPDX-License-Identifier: MIT */
/* Products of matrices, normalisation, and sums along axes. */
#include <math.h>
#include <string.h>

#include "dlabuild/onnx/eval.h"

gboolean eval_gemm(struct onnx_call *c)
{
    struct onnx_value *a = eval_in(c, 0), *b = eval_in(c, 1), *y;
    struct onnx_value *add = c->ins > 2 ? c->in[2] : NULL;
    gboolean ta = onnx_int(c->node, "transA", 0) != 0, tb = onnx_int(c->node, "transB", 0) != 0;
    double alpha = (double)onnx_float(c->node, "alpha", 1),
           beta = (double)onnx_float(c->node, "beta", 1);
    int64_t dims[2], inner;
    size_t step[2] = { 0 };

    if (!a || !b || a->rank != 2 || b->rank != 2 || a->dims[!ta] != b->dims[tb] ||
        (add && add->rank > 2)) {
        return eval_fail(c, "two matrices that fit");
    }
    dims[0] = a->dims[ta];
    dims[1] = b->dims[!tb];
    inner = a->dims[!ta];
    y = eval_out(c, a->type, 2, dims);
    if (!y) {
        return FALSE;
    }
    if (add) {
        onnx_broadcast_strides(add, 2, step);
        if (add->count > y->count || (step[0] && add->dims[add->rank - 2] != dims[0]) ||
            (step[1] && add->dims[add->rank - 1] != dims[1])) {
            return eval_fail(c, "the matrix that is added does not fit");
        }
    }
    if (c->shapes_only) {
        return TRUE;
    }
    for (size_t i = 0; i < (size_t)dims[0]; i++) {
        for (size_t j = 0; j < (size_t)dims[1]; j++) {
            double sum = 0;

            for (size_t k = 0; k < (size_t)inner; k++) {
                sum += (double)a->v[ta ? k * (size_t)dims[0] + i : i * (size_t)inner + k] *
                       (double)b->v[tb ? j * (size_t)inner + k : k * (size_t)dims[1] + j];
            }
            sum = alpha * sum + (add ? beta * (double)add->v[i * step[0] + j * step[1]] : 0);
            y->v[i * (size_t)dims[1] + j] = (float)sum;
        }
    }
    return TRUE;
}

gboolean eval_matmul(struct onnx_call *c)
{
    struct onnx_value *a = eval_in(c, 0), *b = eval_in(c, 1), *y;
    int64_t dims[ONNX_MAX_RANK], batch[ONNX_MAX_RANK], k, m, n;
    size_t sa[ONNX_MAX_RANK], sb[ONNX_MAX_RANK];
    struct onnx_value left, right;
    unsigned rank;

    if (!a || !b || a->rank < 1 || b->rank < 1) {
        return eval_fail(c, "two tensors of rank 1 or more");
    }
    left = *a;
    right = *b;
    if (a->rank == 1) {
        left.rank = 2;
        left.dims[0] = 1;
        left.dims[1] = a->dims[0];
    }
    if (b->rank == 1) {
        right.rank = 2;
        right.dims[0] = b->dims[0];
        right.dims[1] = 1;
    }
    m = left.dims[left.rank - 2];
    k = left.dims[left.rank - 1];
    n = right.dims[right.rank - 1];
    left.rank -= 2;
    right.rank -= 2;
    if (right.dims[right.rank] != k ||
        !onnx_broadcast(left.rank, left.dims, right.rank, right.dims, &rank, batch) ||
        rank + 2 > ONNX_MAX_RANK) {
        return eval_fail(c, "two tensors that fit");
    }
    onnx_broadcast_strides(&left, rank, sa);
    onnx_broadcast_strides(&right, rank, sb);
    memcpy(dims, batch, rank * sizeof(*dims));
    dims[rank] = m;
    dims[rank + 1] = n;
    y = eval_out(c, a->type, rank + 2, dims);
    for (size_t i = 0; y && !c->shapes_only && i < y->count; i++) {
        size_t col = i % (size_t)n, row = i / (size_t)n % (size_t)m,
               rest = i / (size_t)n / (size_t)m;
        size_t at_a = 0, at_b = 0;
        double sum = 0;

        for (unsigned r = rank; r-- > 0; rest /= (size_t)batch[r]) {
            at_a += rest % (size_t)batch[r] * sa[r];
            at_b += rest % (size_t)batch[r] * sb[r];
        }
        for (size_t j = 0; j < (size_t)k; j++) {
            sum += (double)a->v[(at_a * (size_t)m + row) * (size_t)k + j] *
                   (double)b->v[(at_b * (size_t)k + j) * (size_t)n + col];
        }
        y->v[i] = (float)sum;
    }
    if (y && a->rank == 1) { /* without the dimensions that were added */
        dims[rank] = n;
        y->rank--;
        memcpy(y->dims, dims, sizeof(dims));
    }
    if (y && b->rank == 1) {
        y->rank--;
    }
    return y != NULL;
}

gboolean eval_batch_norm(struct onnx_call *c)
{
    struct onnx_value *x = eval_in(c, 0), *p[4], *y;
    double epsilon = (double)onnx_float(c->node, "epsilon", 1e-5f);
    size_t inner, channels;

    for (unsigned i = 0; i < 4; i++) {
        p[i] = eval_in(c, i + 1);
        if (!p[i] || !x || x->rank < 2 || p[i]->count != (size_t)x->dims[1]) {
            return eval_fail(c, "scale, bias, mean and variance have a number for each channel");
        }
    }
    if (onnx_int(c->node, "training_mode", 0) ||
        (c->opset < 7 && !onnx_int(c->node, "is_test", 0))) {
        return eval_fail(c, "in training mode");
    }
    channels = (size_t)x->dims[1];
    inner = channels && x->dims[0] ? x->count / channels / (size_t)x->dims[0] : 1;
    y = eval_out(c, x->type, x->rank, x->dims);
    for (size_t i = 0; y && i < x->count; i++) {
        size_t ch = i / inner % channels;

        y->v[i] = (float)((double)p[0]->v[ch] * ((double)x->v[i] - (double)p[2]->v[ch]) /
                              sqrt((double)p[3]->v[ch] + epsilon) +
                          (double)p[1]->v[ch]);
    }
    return y != NULL;
}

gboolean eval_lrn(struct onnx_call *c)
{
    struct onnx_value *x = eval_in(c, 0), *y;
    double alpha = (double)onnx_float(c->node, "alpha", 1e-4f),
           beta = (double)onnx_float(c->node, "beta", 0.75f),
           bias = (double)onnx_float(c->node, "bias", 1);
    int64_t size = onnx_int(c->node, "size", 0), channels;
    size_t inner;

    if (!x || x->rank < 3 || size < 1) {
        return eval_fail(c, "a tensor of rank 3 or more, and a size");
    }
    channels = x->dims[1];
    inner = x->count / (size_t)MAX(channels, 1) / (size_t)MAX(x->dims[0], 1);
    y = eval_out(c, x->type, x->rank, x->dims);
    for (size_t i = 0; y && i < x->count; i++) {
        int64_t ch = (int64_t)(i / inner) % channels;
        double sum = 0;

        for (int64_t k = MAX(0, ch - (size - 1) / 2); k <= MIN(channels - 1, ch + size / 2); k++) {
            double v = (double)x->v[(int64_t)i + (k - ch) * (int64_t)inner];

            sum += v * v;
        }
        y->v[i] = (float)((double)x->v[i] * pow(bias + alpha / (double)size * sum, -beta));
    }
    return y != NULL;
}

/* Before opset 13 over all dimensions from the axis on. */
gboolean eval_softmax(struct onnx_call *c)
{
    struct onnx_value *x = eval_in(c, 0), *y;
    gboolean flat = c->opset < 13, logarithm = *c->node->op_type == 'L';
    size_t n = 1, inner = 1;
    unsigned axis;

    if (!x || !eval_axis(c, onnx_int(c->node, "axis", flat ? 1 : -1), MAX(x->rank, 1), &axis) ||
        !(y = eval_out(c, x->type, x->rank, x->dims))) {
        return FALSE;
    }
    for (unsigned i = axis; i < x->rank; i++) {
        *(flat || i == axis ? &n : &inner) *= (size_t)x->dims[i];
    }
    for (size_t i = 0; i < x->count; i++) {
        size_t first = i / (n * inner) * n * inner + i % inner;
        double max = -INFINITY, sum = 0;

        if (i / inner % n != 0) {
            continue;
        }
        for (size_t k = 0; k < n; k++) {
            max = fmax(max, (double)x->v[first + k * inner]);
        }
        for (size_t k = 0; k < n; k++) {
            sum += exp((double)x->v[first + k * inner] - max);
        }
        for (size_t k = 0; k < n; k++) {
            double v = (double)x->v[first + k * inner] - max;

            y->v[first + k * inner] = (float)(logarithm ? v - log(sum) : exp(v) / sum);
        }
    }
    return TRUE;
}

gboolean eval_reduce(struct onnx_call *c)
{
    struct onnx_value *x = eval_in(c, 0), *y;
    const char *op = c->node->op_type + 6;
    gboolean mark[ONNX_MAX_RANK], given, keep = onnx_int(c->node, "keepdims", 1) != 0;
    int64_t dims[ONNX_MAX_RANK], shape[ONNX_MAX_RANK], step[ONNX_MAX_RANK];
    unsigned rank = 0;
    int64_t n = 1;
    double *sum;

    if (!x || !eval_axes(c, 1, x->rank, mark, &given)) {
        return FALSE;
    }
    if (!given && onnx_int(c->node, "noop_with_empty_axes", 0)) {
        return eval_identity(c);
    }
    for (unsigned i = x->rank; i-- > 0;) {
        mark[i] = mark[i] || !given;
        step[i] = mark[i] ? 0 : n;
        n *= mark[i] ? 1 : x->dims[i];
    }
    for (unsigned i = 0; i < x->rank; i++) {
        shape[i] = mark[i] ? 1 : x->dims[i];
        if (keep || !mark[i]) {
            dims[rank++] = shape[i];
        }
    }
    if (!(y = eval_out(c, x->type, rank, dims))) {
        return FALSE;
    }
    sum = g_new(double, y->count + 1);
    for (size_t i = 0; i < y->count; i++) {
        sum[i] = strcmp(op, "Max") == 0   ? -INFINITY
                 : strcmp(op, "Min") == 0 ? INFINITY
                                          : *op == 'P';
    }
    for (size_t i = 0; i < x->count; i++) {
        size_t rest = i, at = 0;
        double v = (double)x->v[i];

        for (unsigned k = x->rank; k-- > 0; rest /= (size_t)x->dims[k]) {
            at += rest % (size_t)x->dims[k] * (size_t)step[k];
        }
        sum[at] = strcmp(op, "Max") == 0   ? fmax(sum[at], v)
                  : strcmp(op, "Min") == 0 ? fmin(sum[at], v)
                  : *op == 'P'             ? sum[at] * v
                                           : sum[at] + v;
    }
    for (size_t i = 0; i < y->count; i++) {
        y->v[i] = (float)(strcmp(op, "Mean") == 0 ? sum[i] * (double)y->count / (double)x->count
                                                  : sum[i]);
    }
    g_free(sum);
    return TRUE;
}
