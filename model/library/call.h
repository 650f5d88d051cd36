/* SPDX-License-Identifier: MIT */
/* A library call as device code hands it to the SMs (invented): the parameter block of a kernel
 * whose only body is calls of vtegra_library(). Which operation, its numbers, and the places in
 * memory that it reads and writes. Plain data: our libraries (runtime/api/library) fill it in.
 *
 * Every field comes from memory that a program can write, so model/library/check.c looks at each of
 * them before it is used.
 */
#ifndef MODEL_LIBRARY_CALL_H
#define MODEL_LIBRARY_CALL_H

#include <stdint.h>

enum library_op {
#define LIBRARY_OP(NAME, name, walk, operands, scratch) LIBRARY_##NAME,
#include "model/library/library.def"
#undef LIBRARY_OP
    LIBRARY_OP_COUNT
};

/* Types of elements: the numbers of cudaDataType (library_types.h). */
enum library_type {
    LIBRARY_R_32F = 0,
    LIBRARY_R_64F = 1,
    LIBRARY_R_16F = 2,
    LIBRARY_R_8I = 3,
    LIBRARY_C_32F = 4,
    LIBRARY_C_64F = 5,
    LIBRARY_R_8U = 8,
    LIBRARY_R_32I = 10,
    LIBRARY_R_32U = 12,
    LIBRARY_R_16BF = 14,
    LIBRARY_R_64I = 24,
    LIBRARY_R_64U = 26,
};

/* Fourier transforms: complex to complex, and from and to real numbers. */
enum library_fft { LIBRARY_FFT_C2C, LIBRARY_FFT_R2C, LIBRARY_FFT_C2R };

#define LIBRARY_MAGIC 0x62696c76u /* "vlib" */
#define LIBRARY_OPERANDS 8u
#define LIBRARY_NUMBERS 8u
#define LIBRARY_SCALARS 2u

/* Flags of an operand. A matrix is stored by columns: a row of the operand is a column of it. */
#define LIBRARY_INDIRECT 1u /* @va: an array of addresses, one a batch */
#define LIBRARY_UPPER 2u /* only elements (i, j), i <= j, are there: column j has j + 1 of them */
#define LIBRARY_LOWER 4u /* only those with i >= j */
#define LIBRARY_UNIT 8u  /* of a triangle: the diagonal is not there either */
/* Only columns (rows) are there that the integers of operand 1, less n[7], name. */
#define LIBRARY_NAMED_COLUMNS 16u
#define LIBRARY_NAMED_ROWS 32u

/* How a product takes an operand (mode of LIBRARY_GEMM): turned, and what its other half is. */
#define LIBRARY_TRANSPOSED 1u
#define LIBRARY_CONJUGATED 2u
#define LIBRARY_SYMMETRIC 4u
#define LIBRARY_HERMITIAN 8u /* of the result: its diagonal is real */
#define LIBRARY_TRIANGLE 16u /* the other half is zero, LIBRARY_UNIT: the diagonal one */

#define LIBRARY_COORDINATES 32u /* of a sparse matrix: library.def */

/* What follows a product (n[3] of LIBRARY_MATMUL): a function or the slope of one, and whose sums
 * are the gradient of the bias: the result's, or an operand's. */
#define LIBRARY_RELU 1
#define LIBRARY_GELU 2
#define LIBRARY_RELU_BACKWARD 4
#define LIBRARY_GELU_BACKWARD 8
#define LIBRARY_GRADIENT_A 16
#define LIBRARY_GRADIENT_B 32

/**
 * struct library_operand - @rows of @columns elements, @batches of the call times
 * @va: the first element; a row's elements lie side by side
 * @pitch: bytes from one row to the next; negative: backwards
 * @batch_pitch: bytes from one batch to the next
 * @type: enum library_type
 */
struct library_operand {
    uint64_t va;
    int64_t pitch, batch_pitch;
    uint64_t columns, rows;
    uint32_t type, flags;
};

/**
 * struct library_scalar - a factor
 * @va: 0: @value holds it; else it is read from there before the first element is
 * @value: real and imaginary part
 */
struct library_scalar {
    uint64_t va;
    uint32_t type, zero;
    double value[2];
};

/**
 * struct library_call - the whole
 * @op: enum library_op
 * @batches: how often, at least 1
 * @n, @mode: library.def says what each operation makes of them
 */
struct library_call {
    uint32_t magic, op;
    uint64_t batches;
    int64_t n[LIBRARY_NUMBERS];
    uint32_t mode[4];
    struct library_scalar scalar[LIBRARY_SCALARS];
    struct library_operand operand[LIBRARY_OPERANDS];
};

/* What follows the call in the kernel's parameter, for LIBRARY_PICTURE alone. */
#define LIBRARY_TAIL_BYTES 2960u

#define LIBRARY_CALL_BYTES                                                 \
    544 /* of the kernel's parameter; a plain number: it is part of a text \
         */
_Static_assert(sizeof(struct library_call) == LIBRARY_CALL_BYTES, "the kernels' text says so");

#endif
