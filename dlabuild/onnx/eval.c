/* SPDX-License-Identifier: MIT */
#include "dlabuild/onnx/eval.h"

#include <stdio.h>
#include <string.h>

static const struct {
    const char *op;
    onnx_eval_fn *f;
} operators[] = {
    { "Add", eval_variadic },
    { "Sub", eval_variadic },
    { "Mul", eval_variadic },
    { "Div", eval_variadic },
    { "Pow", eval_variadic },
    { "Max", eval_variadic },
    { "Min", eval_variadic },
    { "Sum", eval_variadic },
    { "Mean", eval_variadic },
    { "Equal", eval_variadic },
    { "Less", eval_variadic },
    { "Greater", eval_variadic },
    { "And", eval_variadic },
    { "Or", eval_variadic },
    { "Clip", eval_clip },
    { "PRelu", eval_prelu },
    { "Where", eval_where },
    { "Shape", eval_shape },
    { "Size", eval_shape },
    { "Reshape", eval_reshape },
    { "Flatten", eval_flatten },
    { "Squeeze", eval_squeeze },
    { "Unsqueeze", eval_unsqueeze },
    { "Transpose", eval_transpose },
    { "Concat", eval_concat },
    { "Slice", eval_slice },
    { "Gather", eval_gather },
    { "Split", eval_split },
    { "Expand", eval_expand },
    { "ConstantOfShape", eval_constant_of_shape },
    { "Range", eval_range },
    { "Tile", eval_tile },
    { "Pad", eval_pad },
    { "Constant", eval_constant },
    { "Identity", eval_identity },
    { "Dropout", eval_identity },
    { "Cast", eval_cast },
    { "DepthToSpace", eval_depth_to_space },
    { "SpaceToDepth", eval_space_to_depth },
    { "Conv", eval_conv },
    { "ConvTranspose", eval_conv_transpose },
    { "Gemm", eval_gemm },
    { "MatMul", eval_matmul },
    { "MaxPool", eval_pool },
    { "AveragePool", eval_pool },
    { "GlobalMaxPool", eval_global_pool },
    { "GlobalAveragePool", eval_global_pool },
    { "BatchNormalization", eval_batch_norm },
    { "LRN", eval_lrn },
    { "Softmax", eval_softmax },
    { "LogSoftmax", eval_softmax },
    { "ReduceMean", eval_reduce },
    { "ReduceSum", eval_reduce },
    { "ReduceMax", eval_reduce },
    { "ReduceMin", eval_reduce },
    { "ReduceProd", eval_reduce },
    { "Resize", eval_resize },
    { "Upsample", eval_resize },
    { "QuantizeLinear", eval_quantize },
    { "DequantizeLinear", eval_dequantize },
};

static onnx_eval_fn *eval_find(const char *op)
{
    for (size_t i = 0; i < G_N_ELEMENTS(operators); i++) {
        if (strcmp(operators[i].op, op) == 0) {
            return operators[i].f;
        }
    }
    return NULL;
}

gboolean onnx_eval_known(const char *op)
{
    return eval_find(op) != NULL;
}

static gboolean standard_domain(const Onnx__Node *n)
{
    return !n->domain || !*n->domain || strcmp(n->domain, "ai.onnx") == 0;
}

gboolean onnx_eval(struct onnx_call *c)
{
    onnx_eval_fn *f = standard_domain(c->node) ? eval_find(c->node->op_type) : NULL;
    struct onnx_unary u;

    if (!f && standard_domain(c->node) && onnx_unary_find(c->node, c->opset, &u)) {
        f = eval_unary;
    }
    if (!f) {
        return eval_fail(c, "operator %.64s is not known", c->node->op_type);
    }
    if (f(c)) {
        return TRUE;
    }
    for (unsigned i = 0; i < ONNX_MAX_ENDS; i++) {
        onnx_value_unref(c->out[i]);
        c->out[i] = NULL;
    }
    return FALSE;
}

gboolean eval_fail(struct onnx_call *c, const char *format, ...)
{
    va_list args;

    if (!*c->why) {
        va_start(args, format);
        vsnprintf(c->why, sizeof(c->why), format, args);
        va_end(args);
    }
    return FALSE;
}

struct onnx_value *eval_out(struct onnx_call *c, enum onnx_type type, unsigned rank,
                            const int64_t *dims)
{
    c->out[0] = onnx_value_new(type, rank, dims);
    if (!c->out[0]) {
        eval_fail(c,
                  "the result has a rank above %u, a negative dimension or more than 2^28 numbers",
                  ONNX_MAX_RANK);
    }
    return c->out[0];
}

struct onnx_value *eval_in(struct onnx_call *c, unsigned i)
{
    if (i >= c->ins || !c->in[i]) {
        eval_fail(c, "input %u is missing", i);
        return NULL;
    }
    return c->in[i];
}

gboolean eval_in_ints(struct onnx_call *c, unsigned i, int64_t *v, unsigned max, unsigned *n)
{
    if (i >= c->ins || !c->in[i] || c->in[i]->count > max) {
        return FALSE;
    }
    *n = (unsigned)c->in[i]->count;
    for (unsigned k = 0; k < *n; k++) {
        /* INT64_MAX as an end of a slice: out of float's reach, in that of a dimension. */
        v[k] = (int64_t)CLAMP(c->in[i]->v[k], -4e9f, 4e9f);
    }
    return TRUE;
}

gboolean eval_axis(struct onnx_call *c, int64_t axis, unsigned rank, unsigned *out)
{
    if (axis < -(int64_t)rank || axis >= (int64_t)rank) {
        return eval_fail(c, "axis %" G_GINT64_FORMAT " of a tensor of rank %u", axis, rank);
    }
    *out = (unsigned)(axis < 0 ? axis + rank : axis);
    return TRUE;
}

gboolean eval_axes(struct onnx_call *c, unsigned input, unsigned rank, gboolean *mark,
                   gboolean *given)
{
    size_t n = 0;
    const int64_t *attribute = onnx_ints(c->node, "axes", &n);
    int64_t axes[ONNX_MAX_RANK] = { 0 };
    unsigned count = 0, axis = 0;

    memset(mark, 0, rank * sizeof(*mark));
    if (attribute && n <= ONNX_MAX_RANK) {
        memcpy(axes, attribute, n * sizeof(*axes));
        count = (unsigned)n;
    } else if (attribute || (input < c->ins && c->in[input] &&
                             !eval_in_ints(c, input, axes, ONNX_MAX_RANK, &count))) {
        return eval_fail(c, "more axes than a tensor has");
    }
    *given = count > 0;
    for (unsigned i = 0; i < count; i++) {
        if (!eval_axis(c, axes[i], rank, &axis)) {
            return FALSE;
        }
        mark[axis] = TRUE;
    }
    return TRUE;
}
