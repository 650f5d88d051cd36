/* SPDX-License-Identifier: MIT */
/* A whole graph in floats: what loadables are compared with. */
#ifndef DLABUILD_ONNX_REFERENCE_H
#define DLABUILD_ONNX_REFERENCE_H

#include "dlabuild/onnx/model.h"

/**
 * onnx_reference_run - every value of the graph
 * @inputs: name -> struct onnx_value, of the inputs that are no parameters
 *
 * Return: name -> struct onnx_value, g_hash_table_unref() it; NULL with @error, which names the
 * node.
 */
GHashTable *onnx_reference_run(const struct onnx_model *m, GHashTable *inputs, GError **error);

#endif
