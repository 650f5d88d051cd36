/* SPDX-License-Identifier: MIT */
/* A sparse matrix of a call: operands 0 to 2, n[0] rows, n[1] columns, n[2] elements, and the index
 * of the first row and column in n[7]. Operand 0 says where a row's elements begin, or each
 * element's row if mode[1] has LIBRARY_COORDINATES.
 */
#ifndef MODEL_LIBRARY_SPARSE_H
#define MODEL_LIBRARY_SPARSE_H

#include "model/library/number.h"

struct sparse {
    const struct library_work *w;
    uint64_t rows, columns, count;
    int64_t base;
    bool coordinates;
    const uint64_t *begin; /* of coordinates: where rows begin, if that was found out; else NULL */
};

/* Do operands @o and @o + 1 have the sizes and types that the numbers ask for? */
bool sparse_indices_fit(const struct library_call *c, unsigned o);
/* The same for all three operands. */
bool sparse_fits(const struct library_call *c);
/* m x n elements */
bool sparse_dense_fits(const struct library_operand *o, int64_t m, int64_t n);
bool sparse_is_index(uint32_t type);

struct sparse sparse_of(const struct library_work *w);
/* Element @i of integers */
int64_t sparse_integer(const struct library_work *w, unsigned o, uint64_t i);
/* The same, counted from @base on; what lies before it is large. */
uint64_t sparse_index(const struct library_work *w, unsigned o, uint64_t i, int64_t base);
void sparse_integer_put(struct library_work *w, unsigned o, uint64_t i, int64_t v);
/* Elements of a row; @s has offsets or @begin. Return: false: outside of the matrix */
bool sparse_row(const struct sparse *s, uint64_t row, uint64_t *from, uint64_t *to);
/* Of coordinates whose rows ascend: where each row begins. Freed with g_free() */
uint64_t *sparse_begin_new(const struct sparse *s);

bool sparse_column(const struct sparse *s, uint64_t i, uint64_t *column);

/**
 * sparse_each - call @visit for every element, in the order of memory
 * Return: false: an index lies outside of the matrix; the elements before it were visited
 */
typedef void sparse_visit(void *data, uint64_t row, uint64_t column, uint64_t i);
bool sparse_each(const struct sparse *s, sparse_visit *visit, void *data);

extern const char sparse_wrong_size[], sparse_wrong_index[];

#endif
