/* SPDX-License-Identifier: MIT */
/* What is known of each value of a graph without a run: numbers that do not depend on an input, or
 * type and shape. */
#ifndef DLABUILD_ONNX_SHAPES_H
#define DLABUILD_ONNX_SHAPES_H

#include "dlabuild/onnx/import.h"

/**
 * struct onnx_known - a value of the graph
 * @constant: its numbers; NULL: it depends on an input
 * @known: @type, @rank and @dims hold
 */
struct onnx_known {
    struct onnx_value *constant;
    gboolean known;
    enum onnx_type type;
    unsigned rank;
    int64_t dims[ONNX_MAX_RANK];
};

/**
 * onnx_shapes - all values of a graph
 * @options: shapes and constants of inputs
 *
 * Return: name -> struct onnx_known, g_hash_table_unref() it; NULL with @error: a damaged tensor,
 * or nodes that are not in order.
 */
GHashTable *onnx_shapes(const struct onnx_model *m, const struct onnx_options *options,
                        GError **error);

#endif
