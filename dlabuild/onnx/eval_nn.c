/* SPDX-License-Identifier: MIT */
/* Operators of neural networks. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "dlabuild/onnx/eval.h"

static gboolean why_fail(char *why, size_t size, const char *text)
{
    snprintf(why, size, "%s", text);
    return FALSE;
}

static gboolean window_lists(const Onnx__Node *n, const int64_t *kernel, struct onnx_window *w,
                             char *why, size_t size)
{
    size_t ns, nd, np, nk;
    const int64_t *stride = onnx_ints(n, "strides", &ns),
                  *dilation = onnx_ints(n, "dilations", &nd), *pad = onnx_ints(n, "pads", &np),
                  *shape = onnx_ints(n, "kernel_shape", &nk);

    kernel = kernel ? kernel : nk == w->axes ? shape : NULL;
    if (!kernel || (ns && ns != w->axes) || (nd && nd != w->axes) || (np && np != 2 * w->axes)) {
        return why_fail(why, size,
                        "kernel_shape, strides, dilations and pads have a number for each axis");
    }
    for (unsigned i = 0; i < w->axes; i++) {
        w->size[i] = kernel[i];
        w->stride[i] = ns ? stride[i] : 1;
        w->dilation[i] = nd ? dilation[i] : 1;
        w->pad[i][0] = np ? pad[i] : 0;
        w->pad[i][1] = np ? pad[i + w->axes] : 0;
        if (w->size[i] < 1 || w->size[i] > 8192 || w->stride[i] < 1 || w->stride[i] > 8192 ||
            w->dilation[i] < 1 || w->dilation[i] > 8192 || MIN(w->pad[i][0], w->pad[i][1]) < 0 ||
            MAX(w->pad[i][0], w->pad[i][1]) > 8192) {
            return why_fail(why, size, "a window's size, stride, dilation or pad is out of range");
        }
    }
    return TRUE;
}

static gboolean window_start(const Onnx__Node *n, unsigned rank, const int64_t *in,
                             const int64_t *kernel, struct onnx_window *w, char *why, size_t size)
{
    *w = (struct onnx_window){ .axes = rank - 2 };
    if (rank < 3 || rank > 5) {
        return why_fail(why, size, "a tensor of rank 3 to 5 is needed: batch, channels, sizes");
    }
    memcpy(w->in, in + 2, w->axes * sizeof(*in));
    return window_lists(n, kernel, w, why, size);
}

gboolean onnx_window_of(const Onnx__Node *n, unsigned rank, const int64_t *in,
                        const int64_t *kernel, struct onnx_window *w, char *why, size_t size)
{
    g_autofree char *automatic = onnx_text(n, "auto_pad");
    gboolean same = automatic && g_str_has_prefix(automatic, "SAME");
    gboolean valid = automatic && strcmp(automatic, "VALID") == 0;

    if (!window_start(n, rank, in, kernel, w, why, size)) {
        return FALSE;
    }
    for (unsigned i = 0; i < w->axes; i++) {
        int64_t reach = (w->size[i] - 1) * w->dilation[i] + 1, padded;
        gboolean ceil_mode = onnx_int(n, "ceil_mode", 0) != 0;

        if (same) {
            int64_t out = (w->in[i] + w->stride[i] - 1) / w->stride[i];
            int64_t all = MAX(0, (out - 1) * w->stride[i] + reach - w->in[i]);

            w->pad[i][0] = strcmp(automatic, "SAME_UPPER") == 0 ? all / 2 : all - all / 2;
            w->pad[i][1] = all - w->pad[i][0];
        } else if (valid) {
            w->pad[i][0] = w->pad[i][1] = 0;
        }
        padded = w->in[i] + w->pad[i][0] + w->pad[i][1];
        if (padded < reach) {
            return why_fail(why, size, "the window is larger than the padded input");
        }
        w->out[i] = (padded - reach) / w->stride[i] + 1;
        /* A window more, unless it would begin beyond the input and its first pad. */
        if (ceil_mode && (padded - reach) % w->stride[i] &&
            w->out[i] * w->stride[i] < w->in[i] + w->pad[i][0]) {
            w->out[i]++;
        }
    }
    return TRUE;
}

gboolean onnx_window_transposed(const Onnx__Node *n, unsigned rank, const int64_t *in,
                                const int64_t *kernel, struct onnx_window *w, char *why,
                                size_t size)
{
    g_autofree char *automatic = onnx_text(n, "auto_pad");
    gboolean same = automatic && g_str_has_prefix(automatic, "SAME");
    size_t no, ns;
    const int64_t *extra = onnx_ints(n, "output_padding", &no),
                  *shape = onnx_ints(n, "output_shape", &ns);

    if (!window_start(n, rank, in, kernel, w, why, size)) {
        return FALSE;
    }
    if (shape && ns == rank) {
        shape += 2;
    }
    for (unsigned i = 0; i < w->axes; i++) {
        int64_t full = (w->in[i] - 1) * w->stride[i] + (w->size[i] - 1) * w->dilation[i] + 1 +
                       (no == w->axes ? extra[i] : 0);

        w->out[i] = full - w->pad[i][0] - w->pad[i][1];
        if ((shape && ns >= w->axes) || same) {
            int64_t cut;

            w->out[i] = shape && ns >= w->axes ? shape[i] : w->in[i] * w->stride[i];
            cut = MAX(0, full - w->out[i]);
            w->pad[i][0] =
                !automatic || strcmp(automatic, "SAME_LOWER") != 0 ? cut / 2 : cut - cut / 2;
            w->pad[i][1] = cut - w->pad[i][0];
        }
        if (w->out[i] < 1 || w->out[i] > 1 << 20) {
            return why_fail(why, size, "no output is left");
        }
    }
    return TRUE;
}

/* Index of a window's place: axis by axis, outermost first. */
static void place_of(size_t i, unsigned axes, const int64_t *size, int64_t *at)
{
    for (unsigned k = axes; k-- > 0; i /= (size_t)size[k]) {
        at[k] = (int64_t)(i % (size_t)size[k]);
    }
}

static size_t window_count(const int64_t *v, unsigned n)
{
    size_t p = 1;

    for (unsigned i = 0; i < n; i++) {
        p *= (size_t)v[i];
    }
    return p;
}

/* Offset in the input of place @k of the window at @out, or -1 in the padding. */
static int64_t input_at(const struct onnx_window *w, const int64_t *out, const int64_t *k)
{
    int64_t at = 0;

    for (unsigned i = 0; i < w->axes; i++) {
        int64_t x = out[i] * w->stride[i] - w->pad[i][0] + k[i] * w->dilation[i];

        if (x < 0 || x >= w->in[i]) {
            return -1;
        }
        at = at * w->in[i] + x;
    }
    return at;
}

static struct onnx_value *conv_out(struct onnx_call *c, const struct onnx_value *x, int64_t kernels,
                                   const struct onnx_window *w)
{
    int64_t dims[ONNX_MAX_RANK] = { x->dims[0], kernels };

    memcpy(dims + 2, w->out, w->axes * sizeof(*dims));
    return eval_out(c, x->type, x->rank, dims);
}

gboolean eval_conv(struct onnx_call *c)
{
    struct onnx_value *x = eval_in(c, 0), *k = eval_in(c, 1), *y;
    struct onnx_value *b = c->ins > 2 ? c->in[2] : NULL;
    int64_t groups = onnx_int(c->node, "group", 1), per, some, at[3], in[3];
    size_t window, plane, pixels, outs;
    int64_t *offset;
    struct onnx_window w;

    if (!x || !k || k->rank != x->rank ||
        !onnx_window_of(c->node, x->rank, x->dims, k->dims + 2, &w, c->why, sizeof(c->why))) {
        return eval_fail(c, "weights of another rank than the input");
    }
    if (groups < 1 || k->dims[0] % groups || k->dims[1] * groups != x->dims[1] ||
        (b && b->count != (size_t)k->dims[0])) {
        return eval_fail(c, "channels, kernels, groups and bias do not fit");
    }
    y = conv_out(c, x, k->dims[0], &w);
    if (!y || c->shapes_only) {
        return y != NULL;
    }
    per = k->dims[0] / groups;
    some = k->dims[1];
    window = window_count(w.size, w.axes);
    plane = window_count(w.in, w.axes);
    pixels = window_count(w.out, w.axes);
    outs = (size_t)k->dims[0];
    offset = g_new(int64_t, window + 1);
    for (size_t p = 0; p < pixels; p++) {
        place_of(p, w.axes, w.out, at);
        for (size_t i = 0; i < window; i++) {
            place_of(i, w.axes, w.size, in);
            offset[i] = input_at(&w, at, in);
        }
        for (size_t n = 0; n < (size_t)x->dims[0]; n++) {
            for (size_t o = 0; o < outs; o++) {
                const float *weight = k->v + o * (size_t)some * window;
                const float *from =
                    x->v + (n * (size_t)x->dims[1] + o / (size_t)per * (size_t)some) * plane;
                double sum = b ? (double)b->v[o] : 0;

                for (size_t ch = 0; ch < (size_t)some; ch++, from += plane, weight += window) {
                    for (size_t i = 0; i < window; i++) {
                        sum += offset[i] >= 0 ? (double)weight[i] * (double)from[offset[i]] : 0;
                    }
                }
                y->v[(n * outs + o) * pixels + p] = (float)sum;
            }
        }
    }
    g_free(offset);
    return TRUE;
}

/* Every number of the input goes to a window of the output. */
gboolean eval_conv_transpose(struct onnx_call *c)
{
    struct onnx_value *x = eval_in(c, 0), *k = eval_in(c, 1), *y;
    struct onnx_value *b = c->ins > 2 ? c->in[2] : NULL;
    int64_t groups = onnx_int(c->node, "group", 1), at[3], in[3], outs, per;
    size_t window, plane, pixels;
    struct onnx_window w;

    if (!x || !k || k->rank != x->rank ||
        !onnx_window_transposed(c->node, x->rank, x->dims, k->dims + 2, &w, c->why,
                                sizeof(c->why))) {
        return eval_fail(c, "weights of another rank than the input");
    }
    per = k->dims[1];
    outs = per * groups;
    if (groups < 1 || k->dims[0] != x->dims[1] || x->dims[1] % groups ||
        (b && b->count != (size_t)outs) || !(y = conv_out(c, x, outs, &w))) {
        return eval_fail(c, "channels, kernels, groups and bias do not fit");
    }
    if (c->shapes_only) {
        return TRUE;
    }
    window = window_count(w.size, w.axes);
    plane = window_count(w.in, w.axes);
    pixels = window_count(w.out, w.axes);
    for (size_t i = 0; b && i < y->count; i++) {
        y->v[i] = b->v[i / pixels % (size_t)outs];
    }
    for (size_t i = 0; i < x->count; i++) {
        size_t channel = i / plane % (size_t)x->dims[1], n = i / plane / (size_t)x->dims[1];
        size_t group = channel / (size_t)(x->dims[1] / groups);

        place_of(i % plane, w.axes, w.in, in);
        for (size_t j = 0; j < window; j++) {
            int64_t to = 0;

            place_of(j, w.axes, w.size, at);
            for (unsigned a = 0; a < w.axes && to >= 0; a++) {
                int64_t p = in[a] * w.stride[a] + at[a] * w.dilation[a] - w.pad[a][0];

                to = p < 0 || p >= w.out[a] ? -1 : to * w.out[a] + p;
            }
            for (size_t o = 0; o < (size_t)per && to >= 0; o++) {
                y->v[((n * (size_t)outs + group * (size_t)per + o) * pixels) + (size_t)to] +=
                    x->v[i] * k->v[(channel * (size_t)per + o) * window + j];
            }
        }
    }
    return TRUE;
}

gboolean eval_pool(struct onnx_call *c)
{
    struct onnx_value *x = eval_in(c, 0), *y;
    gboolean max = *c->node->op_type == 'M', all = onnx_int(c->node, "count_include_pad", 0) != 0;
    size_t window, plane, pixels;
    int64_t at[3], k[3];
    struct onnx_window w;

    if (!x || !onnx_window_of(c->node, x->rank, x->dims, NULL, &w, c->why, sizeof(c->why)) ||
        !(y = conv_out(c, x, x->dims[1], &w))) {
        return FALSE;
    }
    if (c->node->n_output > 1 && *c->node->output[1]) {
        return eval_fail(c, "a second output (indices) is not computed");
    }
    if (c->shapes_only) {
        return TRUE;
    }
    window = window_count(w.size, w.axes);
    plane = window_count(w.in, w.axes);
    pixels = window_count(w.out, w.axes);
    for (size_t i = 0; i < y->count; i++) {
        const float *from = x->v + i / pixels * plane;
        double sum = 0, best = -INFINITY;
        int64_t count = 0;

        place_of(i % pixels, w.axes, w.out, at);
        for (size_t j = 0; j < window; j++) {
            int64_t in;
            gboolean padded = TRUE; /* or beyond the pads (ceil_mode), which never count */

            place_of(j, w.axes, w.size, k);
            in = input_at(&w, at, k);
            for (unsigned a = 0; a < w.axes; a++) {
                padded = padded && at[a] * w.stride[a] - w.pad[a][0] + k[a] * w.dilation[a] <
                                       w.in[a] + w.pad[a][1];
            }
            count += in >= 0 || (all && padded);
            sum += in >= 0 ? (double)from[in] : 0;
            best = in >= 0 && (double)from[in] > best ? (double)from[in] : best;
        }
        y->v[i] = (float)(max ? best : count ? sum / (double)count : 0);
    }
    return TRUE;
}

gboolean eval_global_pool(struct onnx_call *c)
{
    struct onnx_value *x = eval_in(c, 0), *y;
    int64_t dims[ONNX_MAX_RANK];
    size_t plane;

    if (!x || x->rank < 3) {
        return eval_fail(c, "a tensor of rank 3 or more");
    }
    for (unsigned i = 0; i < x->rank; i++) {
        dims[i] = i < 2 ? x->dims[i] : 1;
    }
    y = eval_out(c, x->type, x->rank, dims);
    plane = y && y->count ? x->count / y->count : 0;
    for (size_t i = 0; y && i < y->count; i++) {
        double sum = 0, best = -INFINITY;

        for (size_t k = 0; k < plane; k++) {
            double v = (double)x->v[i * plane + k];

            sum += v;
            best = v > best ? v : best;
        }
        y->v[i] = (float)(c->node->op_type[6] == 'M' ? best : sum / (double)plane);
    }
    return y != NULL;
}
