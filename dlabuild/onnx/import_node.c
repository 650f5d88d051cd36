/* SPDX-License-Identifier: MIT */
/* A node: folded, refused, or handed to the function of its operator. */
#include <string.h>

#include "dlabuild/onnx/import.h"

static const struct {
    const char *op;
    import_fn *f;
} operators[] = {
    { "Conv", import_conv },
    { "ConvTranspose", import_deconv },
    { "Gemm", import_dense },
    { "MatMul", import_dense },
    { "BatchNormalization", import_batch_norm },
    { "LRN", import_lrn },
    { "MaxPool", import_pool },
    { "AveragePool", import_pool },
    { "GlobalMaxPool", import_global_pool },
    { "GlobalAveragePool", import_global_pool },
    { "ReduceMean", import_reduce },
    { "ReduceMax", import_reduce },
    { "ReduceSum", import_reduce },
    { "Clip", import_clip },
    { "PRelu", import_prelu },
    { "Add", import_two },
    { "Sub", import_two },
    { "Mul", import_two },
    { "Div", import_two },
    { "Pow", import_two },
    { "Max", import_two },
    { "Min", import_two },
    { "Sum", import_two },
    { "Mean", import_two },
    { "Identity", import_alias },
    { "Dropout", import_alias },
    { "Cast", import_alias },
    { "QuantizeLinear", import_quantise },
    { "DequantizeLinear", import_quantise },
    { "Reshape", import_move },
    { "Flatten", import_move },
    { "Squeeze", import_move },
    { "Unsqueeze", import_move },
    { "Transpose", import_move },
    { "Concat", import_concat },
    { "Split", import_split },
    { "Slice", import_slice },
    { "Gather", import_gather },
    { "Pad", import_pad },
    { "Resize", import_resize },
    { "Upsample", import_resize },
    { "DepthToSpace", import_depth_to_space },
};

/* Operators that no NVDLA has, with NVIDIA's own rule where TensorRT's guide has one (DLA supported
 * layers and restrictions). */
static const struct {
    const char *ops, *why;
} beyond[] = {
    { "If|Loop|Scan|SequenceMap", "control flow: a DLA runs a list of layers" },
    { "Softmax|LogSoftmax",
      "an NVDLA has no softmax: leave it to the CPU or GPU (--split); NVIDIA's "
      "rule: Orin alone, axis with at most 1,024 numbers" },
    { "NonMaxSuppression|TopK|ArgMax|ArgMin|NonZero",
      "it gives indices: a DLA computes numbers only" },
    { "LSTM|GRU|RNN", "recurrent layers: a DLA has no state" },
    { "LayerNormalization|InstanceNormalization|GroupNormalization|MeanVarianceNormalization",
      "statistics of the input: an NVDLA has no unit for them" },
    { "Floor|Ceil|Round|Sign|Sin|Cos|Tan", "an NVDLA has no rounding and no periodic functions" },
    { "Einsum|CumSum|GatherElements|GatherND|ScatterND|ScatterElements|GridSample|RoiAlign",
      "indices that depend on data, or products of computed tensors" },
};

/* --- nodes --- */
/* Inputs of the node that are constants, and what has a shape, as values whose numbers nothing
 * reads. */
static gboolean call_fill(struct import *im, struct onnx_call *c, gboolean shapes_only)
{
    gboolean all = TRUE;

    *c = (struct onnx_call){ .node = im->node, .opset = im->m->opset };
    c->ins = (unsigned)MIN(im->node->n_input, ONNX_MAX_ENDS);
    for (unsigned i = 0; i < c->ins; i++) {
        struct value *v = import_in(im, i);

        if (v && v->constant) {
            c->in[i] = v->constant;
        } else if (v && shapes_only) {
            c->in[i] = onnx_value_new(ONNX_FLOAT, v->rank, v->dims);
        } else if (*im->node->input[i]) {
            all = FALSE;
        }
    }
    return all;
}

static gboolean node_fold(struct import *im, struct onnx_call *c)
{
    if (!onnx_eval(c)) {
        return import_refuse(im, "%s", c->why);
    }
    for (unsigned i = 0; i < ONNX_MAX_ENDS; i++) {
        if (c->out[i] && i < im->node->n_output) {
            import_set(im, i, import_value_of(im, c->out[i]));
        } else {
            onnx_value_unref(c->out[i]);
        }
    }
    return TRUE;
}

/* Shape and Size of a computed tensor are constants. */
static gboolean node_shape(struct import *im)
{
    struct value *v = import_in(im, 0);
    struct onnx_value *x = v ? onnx_value_new(ONNX_FLOAT, v->rank, v->dims) : NULL;
    struct onnx_call c = { .node = im->node, .opset = im->m->opset, .in = { x }, .ins = 1 };
    gboolean ok = x && node_fold(im, &c);

    onnx_value_unref(x);
    return ok || import_refuse(im, "its input has no shape");
}

static import_fn *node_function(const Onnx__Node *n, int64_t opset)
{
    struct onnx_unary u;

    if (n->domain && *n->domain && strcmp(n->domain, "ai.onnx") != 0) {
        return NULL;
    }
    for (size_t i = 0; i < G_N_ELEMENTS(operators); i++) {
        if (strcmp(operators[i].op, n->op_type) == 0) {
            return operators[i].f;
        }
    }
    return onnx_unary_find(n, opset, &u) ? import_unary : NULL;
}

const char *import_operator_beyond(const Onnx__Node *n, int64_t opset)
{
    if (node_function(n, opset)) {
        return NULL;
    }
    for (size_t i = 0; i < G_N_ELEMENTS(beyond); i++) {
        if (desc_word_find(beyond[i].ops, n->op_type) >= 0) {
            return beyond[i].why;
        }
    }
    return "no unit of an NVDLA computes this operator";
}

gboolean import_inputs_known(struct import *im)
{
    for (size_t i = 0; i < im->node->n_input; i++) {
        if (*im->node->input[i] && !import_find(im, im->node->input[i])) {
            return import_refuse(im,
                                 "its input \"%s\" is made by no node before it (a cycle, or "
                                 "nodes that are not in order)",
                                 im->node->input[i]);
        }
    }
    return TRUE;
}

/* Weights that the model gives as integers stay these. */
static void scale_keep(struct import *im, const struct onnx_call *c)
{
    if (strcmp(im->node->op_type, "DequantizeLinear") == 0 && c->ins > 1 && c->in[1]) {
        g_hash_table_insert(im->weight_scales, im->node->output[0], onnx_value_ref(c->in[1]));
    }
}

gboolean import_node(struct import *im)
{
    import_fn *f = node_function(im->node, im->m->opset);
    struct onnx_call c;

    if (!import_inputs_known(im)) {
        return FALSE;
    }
    im->call = &c;
    if (call_fill(im, &c, FALSE) &&
        (im->node->n_input || strcmp(im->node->op_type, "Constant") == 0)) {
        scale_keep(im, &c);
        return node_fold(im, &c);
    }
    if (strcmp(im->node->op_type, "Shape") == 0 || strcmp(im->node->op_type, "Size") == 0) {
        return node_shape(im);
    }
    return f ? f(im) && !im->error
             : import_refuse(im, "%s", import_operator_beyond(im->node, im->m->opset));
}
