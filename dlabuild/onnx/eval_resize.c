/* SPDX-License-Identifier: MIT */
/* Resizing, and numbers to and from integers. */
#include <math.h>
#include <string.h>

#include "dlabuild/onnx/eval.h"

gboolean onnx_resize_scales(struct onnx_call *c, double *scale, int64_t *dims)
{
    struct onnx_value *x = c->in[0], *s = NULL, *sizes = NULL;
    const Onnx__Attribute *a = onnx_attribute(c->node, "scales");
    gboolean resize = *c->node->op_type == 'R';

    if (resize && c->opset >= 11) {
        s = c->ins > 2 ? c->in[2] : NULL;
        sizes = c->ins > 3 ? c->in[3] : NULL;
    } else {
        s = c->ins > 1 ? c->in[1] : NULL;
    }
    for (unsigned i = 0; i < x->rank; i++) {
        if (s && s->count == x->rank) {
            scale[i] = (double)s->v[i];
        } else if (sizes && sizes->count == x->rank && x->dims[i]) {
            scale[i] = (double)sizes->v[i] / (double)x->dims[i];
        } else if (a && a->n_floats == x->rank) {
            scale[i] = (double)a->floats[i];
        } else if (onnx_attribute(c->node, "height_scale") && x->rank == 4) {
            scale[i] =
                i < 2 ? 1 : (double)onnx_float(c->node, i == 2 ? "height_scale" : "width_scale", 1);
        } else {
            return eval_fail(c, "no scales or sizes for each dimension");
        }
        if (!(scale[i] > 0 && scale[i] < 8192)) {
            return eval_fail(c, "a scale above 0 and below 8192");
        }
        dims[i] = sizes && sizes->count == x->rank
                      ? (int64_t)sizes->v[i]
                      : (int64_t)floor((double)x->dims[i] * scale[i] + 1e-6);
    }
    return TRUE;
}

/* Coordinate of the input for place @i of @out (Resize, coordinate_transformation_mode). */
static double resize_at(const struct onnx_call *c, int64_t i, double scale, int64_t in, int64_t out)
{
    const Onnx__Node *n = c->node;

    if (*n->op_type == 'U' || c->opset < 11 ||
        onnx_text_is(n, "coordinate_transformation_mode", "asymmetric")) {
        return (double)i / scale;
    }
    if (onnx_text_is(n, "coordinate_transformation_mode", "align_corners")) {
        double size =
            scale * (double)in; /* before it is cut to a whole number, as the reference has it */

        return out > 1 ? (double)i * (double)(in - 1) / (size - 1) : 0;
    }
    if (onnx_text_is(n, "coordinate_transformation_mode", "pytorch_half_pixel") && out <= 1) {
        return 0;
    }
    if (onnx_text_is(n, "coordinate_transformation_mode", "tf_half_pixel_for_nn")) {
        return ((double)i + 0.5) / scale;
    }
    return ((double)i + 0.5) / scale - 0.5;
}

static int64_t resize_nearest(const struct onnx_call *c, double x)
{
    if (*c->node->op_type == 'U' || c->opset < 11 ||
        onnx_text_is(c->node, "nearest_mode", "floor")) {
        return (int64_t)floor(x + (*c->node->op_type == 'U' || c->opset < 11 ? 1e-6 : 0));
    }
    if (onnx_text_is(c->node, "nearest_mode", "ceil")) {
        return (int64_t)ceil(x);
    }
    if (onnx_text_is(c->node, "nearest_mode", "round_prefer_ceil")) {
        return (int64_t)floor(x + 0.5);
    }
    return (int64_t)ceil(x - 0.5);
}

double onnx_resize_part(const struct onnx_call *c, gboolean linear, double scale, int64_t i,
                        int64_t in, int64_t out, int64_t *from, int64_t *next)
{
    double x = resize_at(c, i, scale, in, out), low = floor(x);

    *from = CLAMP(linear ? (int64_t)low : resize_nearest(c, x), 0, in - 1);
    *next = CLAMP((int64_t)low + 1, 0, in - 1);
    return linear && *next != *from ? x - low : 0;
}

gboolean eval_resize(struct onnx_call *c)
{
    struct onnx_value *x = eval_in(c, 0), *y;
    gboolean linear =
        onnx_text_is(c->node, "mode", "linear") || onnx_text_is(c->node, "mode", "bilinear");
    double scale[ONNX_MAX_RANK];
    int64_t dims[ONNX_MAX_RANK];

    if (!x || !onnx_resize_scales(c, scale, dims)) {
        return FALSE;
    }
    if (onnx_text_is(c->node, "mode", "cubic") ||
        onnx_text_is(c->node, "coordinate_transformation_mode", "tf_crop_and_resize")) {
        return eval_fail(c, "cubic, and cropping, are not computed");
    }
    y = eval_out(c, x->type, x->rank, dims);
    for (size_t i = 0; y && i < y->count; i++) {
        double sum = 0;

        for (unsigned corner = 0; corner < (linear ? 1u << x->rank : 1u); corner++) {
            size_t rest = i, at = 0, step = 1;
            double weight = 1;

            for (unsigned k = x->rank; k-- > 0;
                 rest /= (size_t)dims[k], step *= (size_t)x->dims[k]) {
                int64_t place = (int64_t)(rest % (size_t)dims[k]), from, next;
                double part =
                    onnx_resize_part(c, linear, scale[k], place, x->dims[k], dims[k], &from, &next);

                weight *= corner >> k & 1 ? part : 1 - part;
                from = corner >> k & 1 ? next : from;
                at += (size_t)from * step;
            }
            sum += weight ? weight * (double)x->v[at] : 0;
        }
        y->v[i] = (float)sum;
    }
    return y != NULL;
}

static float scale_at(const struct onnx_value *s, size_t i, size_t inner)
{
    return s->v[s->count == 1 ? 0 : i / inner % s->count];
}

static gboolean quantize_axis(struct onnx_call *c, const struct onnx_value *x,
                              const struct onnx_value *s, size_t *inner)
{
    unsigned axis = 0;

    *inner = 1;
    if (s->count == 1) {
        return TRUE;
    }
    if (!eval_axis(c, onnx_int(c->node, "axis", 1), x->rank, &axis) ||
        (size_t)x->dims[axis] != s->count) {
        return eval_fail(c, "the scales do not fit");
    }
    for (unsigned i = axis + 1; i < x->rank; i++) {
        *inner *= (size_t)x->dims[i];
    }
    return TRUE;
}

gboolean eval_quantize(struct onnx_call *c)
{
    struct onnx_value *x = eval_in(c, 0), *s = eval_in(c, 1), *z = c->ins > 2 ? c->in[2] : NULL, *y;
    enum onnx_type type = z ? z->type : ONNX_UINT8;
    float low = type == ONNX_INT8 ? -128 : type == ONNX_INT16 ? -32768 : 0;
    float high = type == ONNX_INT8    ? 127
                 : type == ONNX_UINT8 ? 255
                 : type == ONNX_INT16 ? 32767
                                      : 65535;
    size_t inner;

    if (!x || !s || (z && z->count != s->count) || !quantize_axis(c, x, s, &inner) ||
        !(y = eval_out(c, type, x->rank, x->dims))) {
        return eval_fail(c, "scale and zero point do not fit");
    }
    for (size_t i = 0; i < x->count; i++) {
        float v = nearbyintf(x->v[i] / scale_at(s, i, inner)) + (z ? scale_at(z, i, inner) : 0);

        y->v[i] = CLAMP(v, low, high);
    }
    return TRUE;
}

gboolean eval_dequantize(struct onnx_call *c)
{
    struct onnx_value *x = eval_in(c, 0), *s = eval_in(c, 1), *z = c->ins > 2 ? c->in[2] : NULL, *y;
    size_t inner;

    if (!x || !s || (z && z->count != s->count) || !quantize_axis(c, x, s, &inner) ||
        !(y = eval_out(c, ONNX_FLOAT, x->rank, x->dims))) {
        return eval_fail(c, "scale and zero point do not fit");
    }
    for (size_t i = 0; i < x->count; i++) {
        y->v[i] = (x->v[i] - (z ? scale_at(z, i, inner) : 0)) * scale_at(s, i, inner);
    }
    return TRUE;
}
