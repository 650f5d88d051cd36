/* SPDX-License-Identifier: MIT */
/* An ONNX file: its graph, with tensors read and attributes found. Bad files give an error that
 * names the node or tensor. */
#ifndef DLABUILD_ONNX_MODEL_H
#define DLABUILD_ONNX_MODEL_H

#ifdef DLABUILD_NO_ONNX /* no protobuf-c where this was built: none.c */
typedef struct Onnx__Model Onnx__Model;
typedef struct Onnx__Graph Onnx__Graph;
typedef struct Onnx__Tensor Onnx__Tensor;
typedef struct Onnx__Node Onnx__Node;
typedef struct Onnx__Attribute Onnx__Attribute;
#else
#include "dlabuild/onnx/onnx.pb-c.h"
#endif
#include "dlabuild/onnx/value.h"

/**
 * struct onnx_model - a model
 * @path: for errors; external data lies in its folder
 * @opset: of the standard operators
 */
struct onnx_model {
    Onnx__Model *proto;
    Onnx__Graph *graph;
    char *path;
    int64_t opset;
};

/* The model of @len bytes, which may be anything; NULL with @error. */
struct onnx_model *onnx_model_read(const char *path, const uint8_t *bytes, size_t len,
                                   GError **error);
void onnx_model_free(struct onnx_model *m);

/* @t as numbers; @folder: where its external data may lie. NULL with @error. */
struct onnx_value *onnx_tensor_value(const Onnx__Tensor *t, const char *folder, GError **error);
/**
 * onnx_model_constants - the initialisers of a model
 * @take: called for each, with @data, its name ("": it has none) and its value, which it takes over
 *
 * Return: FALSE with @error: one of them is damaged, or its file is not there.
 */
gboolean onnx_model_constants(const struct onnx_model *m,
                              void (*take)(gpointer data, const char *name, struct onnx_value *v),
                              gpointer data, GError **error);
/* A file that is one tensor (input_0.pb of test data). */
struct onnx_value *onnx_tensor_read(const char *path, const uint8_t *bytes, size_t len,
                                    GError **error);

/* Attributes of a node. */
const Onnx__Attribute *onnx_attribute(const Onnx__Node *n, const char *name);
int64_t onnx_int(const Onnx__Node *n, const char *name, int64_t otherwise);
float onnx_float(const Onnx__Node *n, const char *name, float otherwise);
/* Is the text @name equal to @text? FALSE if it is not there. */
gboolean onnx_text_is(const Onnx__Node *n, const char *name, const char *text);
/* NULL if there is none. */
char *onnx_text(const Onnx__Node *n, const char *name);
const int64_t *onnx_ints(const Onnx__Node *n, const char *name, size_t *count);

/* What errors call a node: its name, or its first output. */
const char *onnx_node_name(const Onnx__Node *n);

#endif
