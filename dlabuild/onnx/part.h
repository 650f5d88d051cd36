/* SPDX-License-Identifier: MIT */
/* Some nodes of a model as a model of their own. */
#ifndef DLABUILD_ONNX_PART_H
#define DLABUILD_ONNX_PART_H

#include "dlabuild/onnx/shapes.h"

/**
 * struct onnx_part - a model of some of the nodes
 * @model: shares nodes and tensors with the whole model, which must outlive it
 * @inputs, @outputs: names (of the whole model) that it reads and gives
 */
struct onnx_part {
    struct onnx_model model;
    Onnx__Model proto;
    Onnx__Graph graph;
    GPtrArray *inputs, *outputs;
    GPtrArray *nodes, *tensors, *input_infos, *output_infos, *kept;
};

/* Names that a node reads, those inside of its subgraphs too: a set of char * of the node and of
 * @kept, to which what was allocated is added. */
void onnx_node_names(const Onnx__Node *n, GHashTable *names, GPtrArray *kept);

/**
 * onnx_part_new - the nodes @in (by index) of @m
 * @values: of onnx_shapes()
 * @wanted: names that others read, or that the model gives
 */
struct onnx_part *onnx_part_new(const struct onnx_model *m, GHashTable *values, const gboolean *in,
                                GHashTable *wanted);
void onnx_part_free(struct onnx_part *p);
uint8_t *onnx_part_pack(const struct onnx_part *p, size_t *len);

#endif
