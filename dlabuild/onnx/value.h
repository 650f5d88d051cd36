/* SPDX-License-Identifier: MIT */
/* Tensors of an ONNX graph as numbers: shapes and weights while a model is imported, and every
 * value of its float reference. */
#ifndef DLABUILD_ONNX_VALUE_H
#define DLABUILD_ONNX_VALUE_H

#include <glib.h>
#include <stdint.h>

#define ONNX_MAX_RANK 8u
/* No tensor of a network for a DLA is larger: 2^28 weights. */
#define ONNX_MAX_COUNT (UINT64_C(1) << 28)

/* TensorProto.DataType */
enum onnx_type {
    ONNX_FLOAT = 1,
    ONNX_UINT8 = 2,
    ONNX_INT8 = 3,
    ONNX_UINT16 = 4,
    ONNX_INT16 = 5,
    ONNX_INT32 = 6,
    ONNX_INT64 = 7,
    ONNX_STRING = 8,
    ONNX_BOOL = 9,
    ONNX_FLOAT16 = 10,
    ONNX_DOUBLE = 11,
    ONNX_UINT32 = 12,
    ONNX_UINT64 = 13,
};

/**
 * struct onnx_value - a tensor, row-major, shared by reference
 * @v: its @count numbers. Integers too: shapes and quantised numbers are exact up to 2^24
 */
struct onnx_value {
    enum onnx_type type;
    unsigned rank;
    int64_t dims[ONNX_MAX_RANK];
    size_t count;
    float *v;
};

/* Zeros of that shape; NULL if it is too large or has a negative dimension. */
struct onnx_value *onnx_value_new(enum onnx_type type, unsigned rank, const int64_t *dims);
struct onnx_value *onnx_value_ref(struct onnx_value *v);
void onnx_value_unref(struct onnx_value *v); /* NULL: nothing */

/* The product of dimensions; FALSE: negative ones, or more than ONNX_MAX_COUNT. */
gboolean onnx_count(unsigned rank, const int64_t *dims, size_t *count);
/* "2x3x4" */
char *onnx_shape_text(unsigned rank, const int64_t *dims);

/**
 * onnx_broadcast - the shape of two tensors together (multidirectional broadcasting)
 *
 * Return: FALSE if they do not fit.
 */
gboolean onnx_broadcast(unsigned rank_a, const int64_t *a, unsigned rank_b, const int64_t *b,
                        unsigned *rank, int64_t *dims);
/* Steps through @v for each dimension of a larger shape of @rank: 0 where it is repeated. */
void onnx_broadcast_strides(const struct onnx_value *v, unsigned rank, size_t *strides);

#endif
