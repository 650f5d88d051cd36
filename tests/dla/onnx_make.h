/* SPDX-License-Identifier: MIT */
/* ONNX models made in memory, as exporters write them, with weights of a seed. */
#ifndef TESTS_DLA_ONNX_MAKE_H
#define TESTS_DLA_ONNX_MAKE_H

#include "dlabuild/onnx/model.h"

/* Values of the model are named by their texts; a layer returns its output. */
float onnx_make_number(void);
void onnx_make_seed(uint64_t seed);
/* A constant of that shape: random numbers of about @scale around @middle. */
char *onnx_make_constant(unsigned rank, const int64_t *dims, float scale, float middle);
/* The tensor that was made last. */
Onnx__Tensor *onnx_make_last(void);
/* Random int8 of -127 to 127. */
char *onnx_make_int8(unsigned rank, const int64_t *dims);
char *onnx_make_integers(size_t n, const int64_t *v);
/* A node with up to three inputs (NULL: no more). */
Onnx__Node *onnx_make_node(const char *op, const char *a, const char *b, const char *c);
Onnx__Attribute *onnx_make_attribute(Onnx__Node *n, const char *name);
void onnx_make_ints(Onnx__Node *n, const char *name, size_t count, int64_t v0, int64_t v1);
void onnx_make_integer(Onnx__Node *n, const char *name, int64_t v);
void onnx_make_text(Onnx__Node *n, const char *name, const char *v);
char *onnx_make_conv(const char *x, int64_t in, int64_t out, int64_t size, int64_t stride,
                     int64_t groups);
char *onnx_make_norm(const char *x, int64_t c);
char *onnx_make_one(const char *op, const char *x);
char *onnx_make_two(const char *op, const char *a, const char *b);
char *onnx_make_relu6(const char *x);
char *onnx_make_pool(const char *op, const char *x, int64_t size, int64_t stride, int64_t pad);
char *onnx_make_concat(const char *a, const char *b);
char *onnx_make_upsample(const char *x);
char *onnx_make_dense(const char *x, int64_t in, int64_t out);
/* The model's input "image" of four dimensions, and its output. */
void onnx_make_ends(const char *output, const int64_t *shape);
/* The bytes of the model that @make makes with @seed; g_free() them. */
uint8_t *onnx_make_model(void (*make)(void), uint64_t seed, size_t *len);

#endif
