/* SPDX-License-Identifier: MIT */
/*
 * Systems with sparse matrices, solved directly: LU, QR and Cholesky factors in double precision,
 * and orders of rows and columns that keep them sparse. One result on every host: each sum has one
 * order, and nothing is computed in parallel.
 *
 * Pure: the SMs run it on operands of the device (sparse_direct.c), libcusolver on the host's.
 * Out of memory ends the process, as g_new() does.
 */
#ifndef MODEL_LIBRARY_DIRECT_H
#define MODEL_LIBRARY_DIRECT_H

#include <stddef.h>
#include <stdint.h>

#include "model/library/arithmetic.h"

/**
 * struct direct_matrix - rows, indices from 0 on
 * @begin: @rows + 1 of them; @room: elements that @column and @value hold
 */
struct direct_matrix {
    uint32_t rows, columns;
    uint32_t *begin, *column;
    struct number *value;
    uint32_t room;
};

enum direct_method { DIRECT_LU, DIRECT_QR, DIRECT_CHOLESKY };

/* The values are those of the reorder argument of cusolverSp<t>csrlsv*(). */
enum direct_order { DIRECT_NATURAL, DIRECT_SYMRCM, DIRECT_SYMAMD, DIRECT_METISND };

/* Zeroed memory, @n elements; never NULL */
void *direct_new(uint64_t n, size_t bytes);

/**
 * direct_matrix_init - a copy of a matrix that a program describes
 * @begin, @column: counted from @base on
 * @value: NULL: none
 * Return: false: an index lies outside of the matrix, or rows do not ascend; @m is empty
 */
bool direct_matrix_init(struct direct_matrix *m, uint32_t rows, uint32_t columns,
                        const int32_t *begin, const int32_t *column, int32_t base,
                        const struct number *value);
void direct_matrix_free(struct direct_matrix *m);
/* Room for @more elements behind the last row that has an end. */
void direct_matrix_reserve(struct direct_matrix *m, uint32_t row, uint32_t more);
/* A(p, q): row i is row p[i], column j column q[j]. @map: by element, where it was; or NULL */
struct direct_matrix direct_matrix_permuted(const struct direct_matrix *m, const uint32_t *p,
                                            const uint32_t *q, uint32_t *map);
struct direct_matrix direct_matrix_transposed(const struct direct_matrix *m);
/* Is there an element (j, i) for each (i, j)? */
bool direct_matrix_symmetric(const struct direct_matrix *m);
/* A - shift, of a square matrix */
struct direct_matrix direct_matrix_shifted(const struct direct_matrix *m, struct number shift);
/* y := A x */
void direct_matrix_multiply(const struct direct_matrix *m, const struct number *x,
                            struct number *y);

/**
 * struct direct_rotation - of QR: row @row of R and one of A
 * @c, @s: (R, A) := (c R + s A, c A - conj(s) R)
 */
struct direct_rotation {
    uint32_t row;
    double c;
    struct number s;
};

/**
 * struct direct_factors
 * @lower: LU: rows of L without its diagonal of ones; Cholesky: columns of L, the diagonal first
 * @upper: LU: rows of U in the columns of A, the diagonal first; QR: rows of R
 * @order: LU: by row of U the column of its diagonal; @place: the reverse
 * @rotations: QR: those of row i of A from @first[i] on
 * @diagonal: of U, R or L
 * @failed: Cholesky: the first column whose leading block is not positive definite, or UINT32_MAX
 * @fmas: what it took
 */
struct direct_factors {
    enum direct_method method;
    uint32_t rows, n;
    struct direct_matrix lower, upper;
    uint32_t *order, *place;
    struct direct_rotation *rotations;
    uint64_t *first, rotations_room;
    struct number *diagonal;
    uint32_t failed;
    uint64_t fmas;
};

/**
 * direct_factor - factors of a square matrix; QR: of one with at least as many rows as columns
 * @threshold: LU: the diagonal is the pivot if it is at least that part of the row's largest
 * element
 */
void direct_factor(struct direct_factors *f, enum direct_method method,
                   const struct direct_matrix *a, double threshold);
void direct_lu(struct direct_factors *f, const struct direct_matrix *a, double threshold);
void direct_qr(struct direct_factors *f, const struct direct_matrix *a);
/* Reads the lower triangle only. */
void direct_cholesky(struct direct_factors *f, const struct direct_matrix *a);

/* A x = b, or min |A x - b|. @b has as many elements as A has rows and becomes scratch. Where a
 * pivot is zero, @x is not finite. */
void direct_solve(struct direct_factors *f, struct number *b, struct number *x);
void direct_lu_solve(struct direct_factors *f, struct number *b, struct number *x);
void direct_qr_solve(struct direct_factors *f, struct number *b, struct number *x);
void direct_cholesky_solve(struct direct_factors *f, struct number *b, struct number *x);

/* The first diagonal element that is at most @tolerance, or -1 */
int32_t direct_zero_pivot(const struct direct_factors *f, double tolerance);
void direct_factors_free(struct direct_factors *f);

/**
 * direct_order_find - which row and column of a square matrix comes i-th, for i = 0, 1, ..
 * The pattern of A + A^T counts.
 */
void direct_order_find(enum direct_order kind, const struct direct_matrix *a, uint32_t *order);
/**
 * direct_order_diagonal - rows whose diagonal has elements: A(order, :)
 * Return: how many elements the diagonal has then
 */
uint32_t direct_order_diagonal(const struct direct_matrix *a, uint32_t *order);

/**
 * direct_eigen - the eigenvalue nearest to @shift and its vector, by inverse iteration
 * @x: where it begins; becomes the vector, of length 1
 * Return: |A x - mu x| is at most @tolerance times |A| after at most @steps
 */
bool direct_eigen(const struct direct_matrix *a, struct number shift, uint32_t steps,
                  double tolerance, struct number *x, struct number *mu);

/* sqrt(a a + b b) without overflow, one result on every host */
double direct_length(double a, double b);

#endif
