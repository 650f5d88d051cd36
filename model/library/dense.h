/* SPDX-License-Identifier: MIT */
/* Dense matrices as LAPACK has them, in double precision: columns one behind the other, without
 * gaps. Results are rounded once.
 */
#ifndef MODEL_LIBRARY_DENSE_H
#define MODEL_LIBRARY_DENSE_H

#include "model/library/number.h"

extern const char dense_wrong_size[];

/* m x n floating-point elements; @triangle: with LIBRARY_UPPER or LIBRARY_LOWER */
bool dense_has(const struct library_operand *o, int64_t m, int64_t n, bool triangle);
/* Real numbers */
bool dense_real_has(const struct library_operand *o, int64_t n);
/* One 32-bit integer: 0, or which step failed */
bool dense_info_has(const struct library_operand *o);
/* There may be none. */
bool dense_optional_has(const struct library_operand *o, int64_t m, int64_t n);

bool dense_asked(const struct library_work *w, unsigned o);
void dense_info_put(struct library_work *w, unsigned o, int32_t info);

/* The whole of a triangle's matrix: its other half is the conjugate of this one, its diagonal real.
 * Freed with g_free() */
struct number *dense_hermitian_new(const struct library_work *w, unsigned o, uint64_t n);
/* Only elements of the triangle; zero elsewhere. */
struct number *dense_triangle_new(const struct library_work *w, unsigned o, uint64_t n, bool unit);

/* a := L, of a Hermitian matrix; the upper half becomes zero. Return: 0, or the column, from 1 on,
 * whose leading block is not positive definite */
int32_t dense_cholesky(struct number *a, uint64_t n);
/* B := op(L)^-1 B, n x columns; @adjoint: op(L) is L^H */
void dense_lower_solve(const struct number *l, uint64_t n, struct number *b, uint64_t columns,
                       bool adjoint);

/**
 * dense_reflector - H = I - tau v v^H, so that H^H x is beta e1 with a real beta (LAPACK, larfg)
 * @x: n elements; becomes beta, and v but for its first element, which is 1
 * Return: tau
 */
struct number dense_reflector(struct number *x, uint64_t n);
/* C := (I - tau v v^H) C; v[0] is taken as 1. C has @n rows @ld apart */
void dense_reflect(const struct number *v, struct number tau, struct number *c, uint64_t n,
                   uint64_t columns, uint64_t ld);

/* sqrt(a a + b b) without overflow; the same on every host, which hypot() is not */
double dense_length(double a, double b);

/**
 * dense_eigen - eigenvalues of a Hermitian matrix, ascending
 * @a: becomes the eigenvectors, a column each
 * Return: 0, or how many did not converge
 */
int32_t dense_eigen(struct number *a, uint64_t n, double *values);

#endif
