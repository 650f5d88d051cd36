/* SPDX-License-Identifier: MIT */
/* The matrix units' rules, one element at a time: what vector code must equal, bit for bit. */
#ifndef TESTS_MATRIX_RULE_H
#define TESTS_MATRIX_RULE_H

#include <stdbool.h>
#include <stdint.h>

enum kind { F16, BF16, TF32, F64, S8, U8, S4, U4, B1, F32, S32 };

/* Bits of an element */
unsigned kind_bits(enum kind k);

/**
 * struct product - D = A B + C
 * @block, @frac: products that are added at once, and the bits that are kept below their highest
 * exponent
 * @sat: integers stop at the border; @xor: single bits are compared, else both must be set
 */
struct product {
    enum kind a, b, c, d;
    unsigned m, n, k, block, frac;
    bool sat, xor;
};

/* Matrices are raw elements: A rows of the depth, B rows of columns, C and D rows of columns. */
void product_rule(const struct product *p, const uint64_t *a, const uint64_t *b, const uint64_t *c,
                  uint64_t *d);

/* PTX ISA 9.7.14.5: the row and column (of B: depth and column) of element @i of lane @l, in a
 * fragment of A (0), B (1), or C and D (2). */
struct place {
    unsigned row, column;
};
struct place fragment_rule(const struct product *p, unsigned part, unsigned i, unsigned l);

#endif
