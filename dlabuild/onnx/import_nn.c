/* SPDX-License-Identifier: MIT */
/* Convolutions, dense layers, pools and resizing. */
#include <math.h>
#include <string.h>

#include "dlabuild/onnx/import.h"

#define MAX_WINDOW 32
#define MAX_POOL 8
#define INT8_WINDOW 256 /* 32 kernels of 32 channels: 8 banks of nv_full */

/* A window of one or two axes as two: height, width; top, bottom, left, right. */
struct plane {
    int64_t size[2], stride[2], dilation[2], pad[4], out[2];
};

static gboolean plane_of(struct import *im, const struct onnx_window *w, struct plane *p)
{
    *p = (struct plane){ { 1, 1 }, { 1, 1 }, { 1, 1 }, { 0 }, { 1, 1 } };
    if (w->axes > 2) {
        return import_refuse(im, "a window of %u dimensions: an NVDLA has two", w->axes);
    }
    for (unsigned i = 0; i < w->axes; i++) {
        unsigned to = w->axes == 1 ? 1 : i;

        p->size[to] = w->size[i];
        p->stride[to] = w->stride[i];
        p->dilation[to] = w->dilation[i];
        p->pad[2 * to] = w->pad[i][0];
        p->pad[2 * to + 1] = w->pad[i][1];
        p->out[to] = w->out[i];
    }
    return TRUE;
}

static void window_write(JsonObject *l, const struct plane *p)
{
    import_ints(l, "size", 2, p->size);
    import_ints(l, "stride", 2, p->stride);
    import_ints(l, "dilation", 2, p->dilation);
    import_ints(l, "pad", 4, p->pad);
}

static float *copy_of(const struct onnx_value *v)
{
    return g_memdup2(v->v, (v->count + 1) * sizeof(float));
}

/* [batch, channels, out ...] as the rank of @x has it */
static struct value *plane_made(struct import *im, JsonObject *l, const struct value *x,
                                uint32_t channels, const int64_t *out)
{
    uint32_t cube[3] = { channels, (uint32_t)out[0], (uint32_t)out[1] };
    int64_t dims[4] = { x->dims[0], channels, x->rank == 3 ? out[1] : out[0], out[1] };

    return import_made(im, l, cube, x->rank, dims, x->runs);
}

static struct value *conv_layer_of(struct import *im, struct value *x, const struct plane *p,
                                   uint32_t kernels, uint32_t groups, float *w, size_t n)
{
    JsonObject *l = import_layer(im, "conv", x);

    window_write(l, p);
    json_object_set_int_member(l, "kernels", kernels);
    if (groups > 1) {
        json_object_set_int_member(l, "groups", groups);
    }
    json_object_set_object_member(l, "weights", import_data(im, w, n));
    return plane_made(im, l, x, kernels, p->out);
}

static gboolean conv_bias(struct import *im, struct value **y, uint32_t kernels)
{
    struct onnx_value *b = import_constant(im, 2);

    if (b && b->count != kernels) {
        return import_refuse(im, "a bias that is not a number for each kernel");
    }
    if (b && !im->error) {
        *y = point_bias_of(im, *y, copy_of(b));
    }
    return !im->error;
}

gboolean import_conv(struct import *im)
{
    struct value *x = import_tensor(im, 0), *y;
    struct onnx_value *w = import_constant(im, 1);
    int64_t groups = onnx_int(im->node, "group", 1);
    struct onnx_window window;
    struct plane p;
    char why[160] = "";

    if (!x || !w || im->error) {
        return import_refuse(im, "weights that are no constant");
    }
    if (w->rank != x->rank ||
        !onnx_window_of(im->node, x->rank, x->dims, w->dims + 2, &window, why, sizeof(why)) ||
        groups < 1 || w->dims[1] * groups != x->dims[1] || w->dims[0] % groups) {
        return import_refuse(im, "%s", *why ? why : "weights that do not fit the input");
    }
    if (!plane_of(im, &window, &p)) {
        return FALSE;
    }
    for (int i = 0; i < 2; i++) {
        if (p.size[i] > MAX_WINDOW || p.stride[i] > 8 || p.dilation[i] > 32 ||
            MAX(p.pad[2 * i], p.pad[2 * i + 1]) > 31) {
            return import_refuse(im,
                                 "NVIDIA's rule for DLA: kernels of 1 to 32, strides of 1 to 8, "
                                 "pads of 0 to 31, dilations of 1 to 32");
        }
    }
    y = conv_layer_of(im, x, &p, (uint32_t)w->dims[0], (uint32_t)groups, copy_of(w), w->count);
    import_weight_scale(im, y->layer, 1);
    if (!conv_bias(im, &y, (uint32_t)w->dims[0])) {
        return FALSE;
    }
    import_set(im, 0, y);
    return TRUE;
}

/* [in][out of the group][window] -> [out][in of the group][window] */
static float *deconv_weights(const struct onnx_value *w, int64_t groups)
{
    size_t window = w->count / (size_t)(w->dims[0] * w->dims[1]),
           some = (size_t)(w->dims[0] / groups), per = (size_t)w->dims[1];
    float *v = g_new(float, w->count + 1);

    for (size_t c = 0; c < (size_t)w->dims[0]; c++) {
        for (size_t o = 0; o < per; o++) {
            memcpy(v + ((c / some * per + o) * some + c % some) * window,
                   w->v + (c * per + o) * window, window * sizeof(float));
        }
    }
    return v;
}

gboolean import_deconv(struct import *im)
{
    struct value *x = import_tensor(im, 0), *y;
    struct onnx_value *w = import_constant(im, 1);
    int64_t groups = onnx_int(im->node, "group", 1), extra[2];
    struct onnx_window window;
    JsonObject *l;
    struct plane p;
    char why[160] = "";

    if (!x || !w || im->error) {
        return import_refuse(im, "weights that are no constant");
    }
    if (w->rank != x->rank ||
        !onnx_window_transposed(im->node, x->rank, x->dims, w->dims + 2, &window, why,
                                sizeof(why)) ||
        groups < 1 || w->dims[0] != x->dims[1] || w->dims[0] % groups) {
        return import_refuse(im, "%s", *why ? why : "weights that do not fit the input");
    }
    if (!plane_of(im, &window, &p)) {
        return FALSE;
    }
    for (int i = 0; i < 2; i++) {
        int64_t full =
            ((int64_t)x->cube[i + 1] - 1) * p.stride[i] + (p.size[i] - 1) * p.dilation[i] + 1;

        extra[i] = MAX(0, p.out[i] + p.pad[2 * i] + p.pad[2 * i + 1] - full);
        if (p.size[i] > MAX_WINDOW || p.stride[i] > 32 || extra[i] > 31 ||
            MAX(p.pad[2 * i], p.pad[2 * i + 1]) > 64) {
            return import_refuse(im, "NVIDIA's rule for DLA: kernels and strides of 1 to 32");
        }
    }
    l = import_layer(im, "deconv", x);
    window_write(l, &p);
    import_ints(l, "output_pad", 2, extra);
    json_object_set_int_member(l, "kernels", w->dims[1] * groups);
    if (groups > 1) {
        json_object_set_int_member(l, "groups", groups);
    }
    json_object_set_object_member(l, "weights",
                                  import_data(im, deconv_weights(w, groups), w->count));
    y = plane_made(im, l, x, (uint32_t)(w->dims[1] * groups), p.out);
    if (!conv_bias(im, &y, (uint32_t)(w->dims[1] * groups))) {
        return FALSE;
    }
    import_set(im, 0, y);
    return TRUE;
}

/* --- dense --- */
static float *dense_weights(const struct onnx_value *b, gboolean transposed, float alpha)
{
    size_t inner = (size_t)b->dims[transposed], outs = (size_t)b->dims[!transposed];
    float *v = g_new(float, b->count + 1);

    for (size_t o = 0; o < outs; o++) {
        for (size_t i = 0; i < inner; i++) {
            v[o * inner + i] = alpha * b->v[transposed ? o * inner + i : i * outs + o];
        }
    }
    return v;
}

static struct value *dense_bias(struct import *im, struct value *y, const struct onnx_value *c,
                                float beta)
{
    float *v = g_new(float, y->cube[0] + 1);

    if (c->count != 1 && (c->count != y->cube[0] || c->dims[c->rank - 1] != y->cube[0])) {
        import_refuse(im, "what is added differs in the batch");
        g_free(v);
        return NULL;
    }
    for (uint32_t i = 0; i < y->cube[0]; i++) {
        v[i] = beta * c->v[c->count == 1 ? 0 : i];
    }
    return point_bias_of(im, y, v);
}

gboolean import_dense(struct import *im)
{
    gboolean gemm = *im->node->op_type == 'G';
    gboolean transposed = gemm && onnx_int(im->node, "transB", 0);
    struct value *x = import_in(im, 0), *y;
    struct onnx_value *b = import_constant(im, 1), *c = gemm ? import_constant(im, 2) : NULL;
    uint32_t cube[3] = { 1, 1, 1 };
    JsonObject *l;
    int64_t dims[2];

    if (im->error || !x || !b || x->constant) {
        return import_refuse(im, "NVIDIA's rule for DLA: the second matrix is a constant");
    }
    if (gemm && onnx_int(im->node, "transA", 0)) {
        return import_refuse(im, "transA exchanges channels and batch");
    }
    if (x->moved || !x->tensor) {
        x = import_settle(im, x);
    }
    if (!x || b->rank != 2 || x->rank > 2 || (size_t)b->dims[transposed] != import_count(x)) {
        return import_refuse(im,
                             x && (b->rank != 2 || x->rank > 2)
                                 ? "a product of tensors of rank above 2: lines with weights each"
                                 : "matrices that do not fit");
    }
    l = import_layer(im, "fully_connected", x);
    json_object_set_int_member(l, "kernels", b->dims[!transposed]);
    json_object_set_object_member(
        l, "weights",
        import_data(im, dense_weights(b, transposed, gemm ? onnx_float(im->node, "alpha", 1) : 1),
                    b->count));
    cube[0] = (uint32_t)b->dims[!transposed];
    dims[0] = x->rank == 1 ? b->dims[!transposed] : x->dims[0];
    dims[1] = b->dims[!transposed];
    y = import_made(im, l, cube, x->rank, dims, x->runs);
    import_weight_scale(im, l, 1);
    if (c) {
        y = dense_bias(im, y, c, onnx_float(im->node, "beta", 1));
    }
    import_set(im, 0, y);
    return !im->error;
}

gboolean import_lrn(struct import *im)
{
    struct value *x = import_tensor(im, 0);
    int64_t size = onnx_int(im->node, "size", 0);
    JsonObject *l;

    if (!x || size < 3 || size > 9 || size % 2 == 0) {
        return import_refuse(im, "NVIDIA's rule for DLA: a window of 3, 5, 7 or 9 channels");
    }
    l = import_layer(im, "lrn", x);
    json_object_set_int_member(l, "size", size);
    json_object_set_double_member(l, "k", (double)onnx_float(im->node, "bias", 1));
    json_object_set_double_member(l, "alpha", (double)onnx_float(im->node, "alpha", 1e-4f));
    json_object_set_double_member(l, "beta", (double)onnx_float(im->node, "beta", 0.75f));
    json_object_set_int_member(l, "range", 6);
    import_set(im, 0, import_like(im, l, x));
    return !im->error;
}

/* --- pools --- */
static struct value *pool_layer(struct import *im, struct value *x, const char *method,
                                const struct plane *p)
{
    JsonObject *l = import_layer(im, "pool", x);

    import_text(l, "method", method);
    import_ints(l, "size", 2, p->size);
    import_ints(l, "stride", 2, p->stride);
    import_ints(l, "pad", 4, p->pad);
    return plane_made(im, l, x, x->cube[0], p->out);
}

static int64_t plane_out(int64_t in, const struct plane *p, int i)
{
    return (in + p->pad[2 * i] + p->pad[2 * i + 1] - p->size[i]) / p->stride[i] + 1;
}

/* The largest number of windows above 8: those of windows up to 8 that overlap until they cover it.
 */
static struct value *pool_max(struct import *im, struct value *x, const struct plane *p)
{
    struct plane left = *p;

    for (;;) {
        struct plane step = { { 1, 1 }, { 1, 1 }, { 1, 1 }, { 0 }, { 1, 1 } };
        gboolean last = TRUE;

        for (int i = 0; i < 2; i++) {
            last = last && left.size[i] <= MAX_POOL;
        }
        for (int i = 0; i < 2; i++) {
            step.size[i] = MIN(left.size[i], MAX_POOL);
            for (int k = 0; k < 2; k++) {
                step.pad[2 * i + k] = MIN(left.pad[2 * i + k], step.size[i] - 1);
                left.pad[2 * i + k] -= step.pad[2 * i + k];
            }
            step.stride[i] = last ? left.stride[i] : 1;
            step.out[i] = plane_out(x->cube[i + 1], &step, i);
            left.size[i] -= step.size[i] - 1;
            if (step.out[i] < 1 || MAX(left.pad[2 * i], left.pad[2 * i + 1]) > MAX_POOL - 1) {
                import_refuse(im, "pads that are larger than the windows of a pool in steps");
                return NULL;
            }
        }
        x = pool_layer(im, x, "max", &step);
        if (last) {
            return x;
        }
    }
}

/* An average above 8: a depthwise convolution whose weights are its share. */
static struct value *pool_average_conv(struct import *im, struct value *x, const struct plane *p)
{
    size_t window = (size_t)(p->size[0] * p->size[1]), n = window * x->cube[0];
    float *w = g_new(float, n + 1);

    for (size_t i = 0; i < n; i++) {
        w[i] = 1.f / (float)window;
    }
    x = conv_layer_of(im, x, p, x->cube[0], x->cube[0], w, n);
    if (im->quantised) {
        json_object_set_boolean_member(x->layer, "keep_scale", TRUE);
    }
    return x;
}

/* A factor of @n up to 8; 1: a prime above. */
static int64_t factor_of(int64_t n)
{
    for (int64_t f = MAX_POOL; f > 1; f--) {
        if (n % f == 0) {
            return f;
        }
    }
    return 1;
}

static struct value *pool_average(struct import *im, struct value *x, const struct plane *p)
{
    struct plane step = *p, rest = *p;
    gboolean small =
        MAX(p->size[0], p->size[1]) <= MAX_POOL && MAX(p->stride[0], p->stride[1]) <= 16;
    gboolean padded = p->pad[0] || p->pad[1] || p->pad[2] || p->pad[3];

    if (small) {
        return pool_layer(im, x, "average", p);
    }
    /* In int8 a group of kernels is twice as large: only small windows fit into the buffer. */
    if (MAX(p->size[0], p->size[1]) <= MAX_WINDOW && MAX(p->stride[0], p->stride[1]) <= 8 &&
        (!(im->quantised || im->options->layers_of_int8) ||
         p->size[0] * p->size[1] <= INT8_WINDOW)) {
        return pool_average_conv(im, x, p);
    }
    /* One window over all: in steps of factors. */
    for (int i = 0; i < 2; i++) {
        step.size[i] = step.stride[i] = factor_of(p->size[i]);
        step.out[i] = p->size[i] / step.size[i];
        rest.size[i] = step.out[i];
        rest.stride[i] = 1;
    }
    if (padded || p->out[0] != 1 || p->out[1] != 1 || (step.size[0] == 1 && step.size[1] == 1) ||
        x->cube[1] != p->size[0] || x->cube[2] != p->size[1]) {
        import_refuse(im, "an average over %dx%d in steps of %dx%d", (int)p->size[0],
                      (int)p->size[1], (int)p->stride[0], (int)p->stride[1]);
        return NULL;
    }
    x = pool_layer(im, x, "average", &step);
    return rest.size[0] == 1 && rest.size[1] == 1 ? x : pool_average(im, x, &rest);
}

/* Numbers of a window along one axis that count; @whole: pads do. */
static int64_t pool_counted(const struct plane *p, int i, int64_t in, int64_t o, int64_t pad_after,
                            gboolean whole)
{
    int64_t from = o * p->stride[i] - p->pad[2 * i], to = from + p->size[i];

    return whole ? MIN(to, in + pad_after) - from : MIN(to, in) - MAX(from, 0);
}

/* Where a window has pads that do not count, its average is of fewer numbers. */
static struct value *pool_recount(struct import *im, struct value *y, const struct value *x,
                                  const struct plane *p, const int64_t *after, gboolean whole)
{
    size_t plane = (size_t)(p->out[0] * p->out[1]), n = plane * y->cube[0];
    float *v = g_new(float, n + 1);
    gboolean same = TRUE;

    for (size_t i = 0; i < n; i++) {
        int64_t row = (int64_t)(i % plane) / p->out[1], col = (int64_t)(i % plane) % p->out[1];
        int64_t count = pool_counted(p, 0, x->cube[1], row, after[0], whole) *
                        pool_counted(p, 1, x->cube[2], col, after[1], whole);

        v[i] = (float)(p->size[0] * p->size[1]) / (float)MAX(count, 1);
        same = same && v[i] == 1;
    }
    if (same) {
        g_free(v);
        return y;
    }
    return point_elements(im, y, "mul", v);
}

gboolean import_pool(struct import *im)
{
    struct value *x = import_tensor(im, 0), *y;
    gboolean max = *im->node->op_type == 'M';
    struct onnx_window w;
    int64_t after[2];
    struct plane p;
    char why[160] = "";

    if (!x || !onnx_window_of(im->node, x->rank, x->dims, NULL, &w, why, sizeof(why))) {
        return import_refuse(im, "%s", why);
    }
    if (im->node->n_output > 1 && *im->node->output[1]) {
        return import_refuse(im, "a second output (indices): a DLA computes numbers only");
    }
    if (!plane_of(im, &w, &p)) {
        return FALSE;
    }
    for (int i = 0; i < 2; i++) {
        after[i] = p.pad[2 * i + 1];
        /* What the windows reach: more than the pad in ceil mode, less where lines are left over.
         */
        p.pad[2 * i + 1] =
            MAX(0, (p.out[i] - 1) * p.stride[i] + p.size[i] - x->cube[i + 1] - p.pad[2 * i]);
        if (p.dilation[i] != 1) {
            return import_refuse(im, "dilation: the pools of an NVDLA have none");
        }
        if (p.stride[i] > 16) {
            return import_refuse(im, "NVIDIA's rule for DLA: strides of a pool of 1 to 16");
        }
    }
    y = max ? pool_max(im, x, &p) : pool_average(im, x, &p);
    if (y && !max) {
        y = pool_recount(im, y, x, &p, after, onnx_int(im->node, "count_include_pad", 0) != 0);
    }
    import_set(im, 0, y);
    return !im->error;
}

static struct value *pool_all(struct import *im, struct value *x, gboolean max)
{
    struct plane p = { { x->cube[1], x->cube[2] }, { 1, 1 }, { 1, 1 }, { 0 }, { 1, 1 } };

    return max ? pool_max(im, x, &p) : pool_average(im, x, &p);
}

gboolean import_global_pool(struct import *im)
{
    struct value *x = import_tensor(im, 0), *y;

    if (x && x->rank > 4) {
        return import_refuse(im, "a window of %u dimensions: an NVDLA has two", x->rank - 2);
    }
    y = x ? pool_all(im, x, im->node->op_type[6] == 'M') : NULL;
    import_set(im, 0, y);
    return y != NULL;
}

/* Over lines and columns: a pool. */
gboolean import_reduce(struct import *im)
{
    const char *op = im->node->op_type + 6;
    struct value *x = import_tensor(im, 0), *y;
    gboolean mark[ONNX_MAX_RANK], given, fits = TRUE;
    int64_t dims[ONNX_MAX_RANK];
    unsigned rank = 0;

    import_constant(im, 1);
    if (!x || im->error || !eval_axes(im->call, 1, x->rank, mark, &given)) {
        return import_refuse(im, "axes that are no constant");
    }
    for (unsigned i = 0; i < x->rank; i++) {
        fits = fits && (given ? mark[i] : TRUE) == (i >= 2);
    }
    if (!fits || x->rank < 3 || x->rank > 4) {
        return import_refuse(im, "over other axes than all lines and columns");
    }
    y = pool_all(im, x, strcmp(op, "Max") == 0);
    if (y && strcmp(op, "Sum") == 0) {
        float *scale = g_new(float, y->cube[0] + 1), *zero = g_new0(float, y->cube[0] + 1);

        for (uint32_t i = 0; i < y->cube[0]; i++) {
            scale[i] = (float)x->cube[1] * (float)x->cube[2];
        }
        y = point_scale(im, y, scale, zero);
    }
    if (!y) {
        return FALSE;
    }
    for (unsigned i = 0; i < x->rank; i++) {
        if (i < 2 || onnx_int(im->node, "keepdims", 1)) {
            dims[rank++] = i < 2 ? x->dims[i] : 1;
        }
    }
    y->rank = rank;
    memcpy(y->dims, dims, rank * sizeof(*dims));
    import_set(im, 0, y);
    return TRUE;
}
