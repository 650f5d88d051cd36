/* SPDX-License-Identifier: MIT */
/* A model in steps: parts that a DLA runs, and ONNX models of the rest, in an order in which each
 * step finds what it reads. */
#ifndef DLABUILD_ONNX_SPLIT_H
#define DLABUILD_ONNX_SPLIT_H

#include "dlabuild/onnx/import.h"

/**
 * struct onnx_step - a step
 * @import, @loadable, @len: of a part for the DLA; NULL: one of the rest
 * @model, @model_len: the part as an ONNX model, packed
 * @inputs, @outputs: names of the values (char *) that it reads and gives
 */
struct onnx_step {
    struct onnx_import *import;
    uint8_t *loadable, *model;
    size_t len, model_len;
    GPtrArray *inputs, *outputs;
};

/* A node that the DLA does not run. */
struct onnx_refusal {
    char *node, *op, *why;
};

/* @steps: struct onnx_step; @refused: struct onnx_refusal, in the order of the graph */
struct onnx_split {
    GPtrArray *steps, *refused;
};

/**
 * onnx_split - the steps of a model
 *
 * Each node that can run on a DLA does, but for parts that compute nothing. A part is as large as
 * the order of the nodes allows: it never needs a result of the rest that needs a result of it.
 *
 * Return: NULL with @error: a bad model.
 */
struct onnx_split *onnx_split(const struct onnx_model *m, const struct onnx_options *options,
                              GError **error);
void onnx_split_free(struct onnx_split *s);

#endif
