/* SPDX-License-Identifier: MIT */
/*
 * Sobol sequences of 32 and 64 bits: P. Bratley and B. Fox, "Algorithm 659", 1988; polynomials and
 * first direction numbers of S. Joe and F. Kuo, "Constructing Sobol sequences with better
 * two-dimensional projections", 2008 (new-joe-kuo-6), in sobol.bin. cuRAND, "Host API Overview": a
 * call makes n / dimensions points, all numbers of the first dimension first.
 *
 * sobol.bin holds the polynomials and direction numbers of new-joe-kuo-6.21201,
 * SPDX-License-Identifier BSD-3-Clause, Copyright (c) 2008, Frances Y. Kuo and Stephen Joe, all
 * rights reserved: Redistribution and use in source and binary forms, with or without modification,
 * are permitted provided that the conditions and the disclaimer that stand in mtgp32.def are met,
 * with their names and those of the University of New South Wales and the University of Waikato.
 */
#include "model/library/random/random_internal.h"

#include <string.h>

/* The rows of the polynomials in the order of their degree, one for each dimension but the first:
 * the coefficients between the first and the last, then m_i / 2 in i - 1 bits, low bits first. */
extern const uint8_t sobol_rows[];
__asm__(".pushsection .rodata\n"
        ".globl sobol_rows\n"
        ".hidden sobol_rows\n"
        "sobol_rows:\n"
        ".incbin \"" SOBOL_FILE "\"\n"
        ".popsection\n");

#define DEGREES 18u

/* Primitive polynomials over GF(2) of degree 1 and more: OEIS A011260 */
static const uint16_t polynomials[DEGREES] = { 1,  1,   2,   2,   6,   6,    18,   16,   48,
                                               60, 176, 144, 630, 756, 1800, 2048, 7710, 7776 };

static size_t sobol_row_bytes(unsigned degree)
{
    return (degree - 1 + degree * (degree - 1) / 2 + 7) / 8;
}

/* The row of @dimension >= 1 and its degree */
static const uint8_t *sobol_row(uint32_t dimension, unsigned *degree)
{
    const uint8_t *row = sobol_rows;
    uint32_t left = dimension - 1;
    unsigned s = 1;

    for (; s < DEGREES && left >= polynomials[s - 1]; s++) {
        left -= polynomials[s - 1];
        row += polynomials[s - 1] * sobol_row_bytes(s);
    }
    *degree = s;
    return row + left * sobol_row_bytes(s);
}

static uint32_t sobol_bits(const uint8_t *row, unsigned from, unsigned count)
{
    uint32_t x = 0;

    for (unsigned i = 0; i < count; i++) {
        x |= (uint32_t)(row[(from + i) / 8] >> (from + i) % 8 & 1) << i;
    }
    return x;
}

/* @bits: 32 or 64 */
static void sobol_directions(uint32_t dimension, unsigned bits, uint64_t *v)
{
    unsigned s = bits, from;
    const uint8_t *row = dimension ? sobol_row(dimension, &s) : NULL;
    uint32_t a = row ? sobol_bits(row, 0, s - 1) : 0;

    from = s - 1;
    for (unsigned i = 0; i < s; i++) {
        uint64_t m = row ? sobol_bits(row, from, i) << 1 | 1 : 1;

        v[i] = m << (bits - 1 - i);
        from += i;
    }
    for (unsigned k = s; k < bits; k++) {
        v[k] = v[k - s] ^ v[k - s] >> s;
        for (unsigned i = 1; i < s; i++) {
            v[k] ^= a >> (s - 1 - i) & 1 ? v[k - i] : 0;
        }
    }
}

void sobol_directions_32(uint32_t dimension, uint32_t v[32])
{
    uint64_t wide[32];

    sobol_directions(dimension, 32, wide);
    for (unsigned i = 0; i < 32; i++) {
        v[i] = (uint32_t)wide[i];
    }
}

void sobol_directions_64(uint32_t dimension, uint64_t v[64])
{
    sobol_directions(dimension, 64, v);
}

static void sobol_init(void *state, const struct random_setup *setup)
{
    (void)state;
    (void)setup;
}

/* Point @index: the sum of the directions that the Gray code of it names */
static uint64_t sobol_point(const uint64_t *v, unsigned bits, uint64_t index)
{
    uint64_t x = 0;

    index ^= index >> 1;
    for (unsigned i = 0; i < bits; i++) {
        x ^= index >> i & 1 ? v[i] : 0;
    }
    return x;
}

static void sobol_fill(void *state, const struct random_request *r, void *out, unsigned bits)
{
    struct random_head *head = state;
    uint64_t points = r->n / head->dimensions, v[64] = { 0 }, x = 0, at = r->from;
    uint64_t mask = bits == 64 ? UINT64_MAX : UINT32_MAX;
    size_t bytes = random_form_bytes(r->form);
    uint8_t *to = out;

    for (; at < r->from + r->count; at++, to += bytes) {
        uint64_t index = head->next + at % points, turn;

        if (at == r->from || at % points == 0) {
            sobol_directions((uint32_t)(at / points), bits, v);
            x = sobol_point(v, bits, index & mask);
        }
        random_put_quantile(r, bits == 64 ? RANDOM_QUANTILE_64 : RANDOM_QUANTILE_32,
                            bits == 64 ? x : x << 32, to);
        turn = ~index & mask;
        x ^= turn ? v[__builtin_ctzll(turn)] : x;
    }
    if (at == r->n) {
        head->next += points;
    }
}

static void sobol32_fill(void *state, const struct random_request *r, void *out)
{
    sobol_fill(state, r, out, 32);
}

static void sobol64_fill(void *state, const struct random_request *r, void *out)
{
    sobol_fill(state, r, out, 64);
}

const struct random_ops sobol32_ops = { RANDOM_SOBOL32, sizeof(struct random_head), sobol_init,
                                        sobol32_fill };
const struct random_ops sobol64_ops = { RANDOM_SOBOL64, sizeof(struct random_head), sobol_init,
                                        sobol64_fill };
