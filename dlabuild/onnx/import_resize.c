/* SPDX-License-Identifier: MIT */
/* Resizing. */
#include <string.h>

#include "dlabuild/onnx/import.h"

/* Lines or columns with weights: @a * first neighbour + @b * second. */
static struct value *resize_linear(struct import *im, struct value *x, int axis,
                                   const int64_t *from, const int64_t *next, const double *part,
                                   uint32_t n)
{
    struct value *a = move_gather(im, x, axis, from, n), *b = move_gather(im, x, axis, next, n);
    size_t count, inner;
    float *v[2];

    if (!a || !b) {
        return NULL;
    }
    count = import_count(a);
    inner = axis == AXIS_H ? a->cube[2] : 1;
    v[0] = g_new(float, count + 1);
    v[1] = g_new(float, count + 1);
    for (size_t i = 0; i < count; i++) {
        v[1][i] = (float)part[i / inner % n];
        v[0][i] = 1 - v[1][i];
    }
    a->uses = b->uses = 2; /* layers of their own */
    return point_two(im, point_elements(im, a, "mul", v[0]), point_elements(im, b, "mul", v[1]),
                     "add");
}

static struct value *resize_axis(struct import *im, struct value *x, int axis, unsigned dim,
                                 const double *scale, uint32_t n, gboolean linear)
{
    int64_t *from = g_new(int64_t, n + 1), *next = g_new(int64_t, n + 1);
    double *part = g_new(double, n + 1);
    gboolean whole = n % x->cube[axis] == 0, plain = TRUE;
    struct value *y;

    for (uint32_t i = 0; i < n; i++) {
        part[i] =
            onnx_resize_part(im->call, linear, scale[dim], i, x->cube[axis], n, &from[i], &next[i]);
        plain = plain && part[i] == 0;
        whole = whole && from[i] == i / (n / x->cube[axis]);
    }
    if (plain && whole && n / x->cube[axis] <= 32 && n > x->cube[axis]) {
        int64_t factor[2] = { axis == AXIS_H ? n / x->cube[axis] : 1,
                              axis == AXIS_W ? n / x->cube[axis] : 1 };
        JsonObject *l = import_layer(im, "upsample", x);
        uint32_t cube[3] = { x->cube[0], x->cube[1], x->cube[2] };

        import_ints(l, "factor", 2, factor);
        cube[axis] = n;
        y = import_made(im, l, cube, x->rank, x->dims, x->runs);
        y->dims[dim] = n;
    } else {
        y = plain ? move_gather(im, x, axis, from, n)
                  : resize_linear(im, x, axis, from, next, part, n);
    }
    g_free(from);
    g_free(next);
    g_free(part);
    return y;
}

gboolean import_resize(struct import *im)
{
    struct value *x = import_tensor(im, 0), *y = x;
    gboolean linear =
        onnx_text_is(im->node, "mode", "linear") || onnx_text_is(im->node, "mode", "bilinear");
    struct onnx_value shape;
    double scale[ONNX_MAX_RANK];
    int64_t dims[ONNX_MAX_RANK];

    for (unsigned i = 1; i < im->node->n_input; i++) {
        import_constant(im, i);
    }
    if (!x || im->error) {
        return FALSE;
    }
    if (onnx_text_is(im->node, "mode", "cubic") ||
        onnx_text_is(im->node, "coordinate_transformation_mode", "tf_crop_and_resize")) {
        return import_refuse(im, "cubic, or cropping: NVIDIA's rule for DLA: nearest and linear");
    }
    shape = (struct onnx_value){ .rank = x->rank };
    memcpy(shape.dims, x->dims, sizeof(shape.dims));
    im->call->in[0] = &shape;
    if (!onnx_resize_scales(im->call, scale, dims)) {
        return import_refuse(im, "%s", im->call->why);
    }
    for (unsigned i = 0; i < x->rank && y; i++) {
        int axis = move_axis(x->rank, i);

        if (dims[i] == x->dims[i]) {
            continue;
        }
        if (axis < 0 || axis == AXIS_C || dims[i] < 1 || dims[i] > 8192) {
            return import_refuse(im, "NVIDIA's rule for DLA: lines and columns only");
        }
        y = resize_axis(im, y, axis, i, scale, (uint32_t)dims[i], linear);
    }
    y = y == x ? point_copy(im, x) : y;
    import_set(im, 0, y);
    return !im->error;
}
