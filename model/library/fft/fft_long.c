/* SPDX-License-Identifier: MIT */
/*
 * Element n2 * i + j goes through a line of size n1 over i, is turned by the root that i' j names,
 * and goes through a line of size n2 over j. Result i' + n1 j'.
 */
#include <stdlib.h>
#include <string.h>

#include "model/library/fft/fft_internal.h"

#define SHORT_MAX 16384u /* its elements and their copy fit a second-level cache */

struct fft_long {
    size_t n1, n2;
    struct fft_line *first, *second;
    struct fft_complex *coarse, *fine; /* roots n2 apart, and those between two of them */
    struct fft_complex *turned;        /* unless n1 is n2 */
};

bool fft_long_is_for(size_t n)
{
    return n > SHORT_MAX;
}

/* Factors in turn to the smaller of both sizes */
static void long_divide(struct fft_long *l, size_t n)
{
    l->n1 = l->n2 = 1;
    while (n > 1) {
        size_t radix = fft_radix(n);

        if (l->n1 <= l->n2) {
            l->n1 *= radix;
        } else {
            l->n2 *= radix;
        }
        n /= radix;
    }
}

struct fft_long *fft_long_new(size_t n, int sign)
{
    struct fft_long *l = calloc(1, sizeof(*l));

    if (!l) {
        return NULL;
    }
    long_divide(l, n);
    l->first = fft_line_new(l->n1, true, sign);
    l->second = fft_line_new(l->n2, false, sign);
    l->coarse = malloc(l->n1 * sizeof(*l->coarse));
    l->fine = malloc(l->n2 * sizeof(*l->fine));
    l->turned = l->n1 == l->n2 ? NULL : malloc(n * sizeof(*l->turned));
    if (!l->first || !l->second || !l->coarse || !l->fine || (l->n1 != l->n2 && !l->turned)) {
        fft_long_free(l);
        return NULL;
    }
    for (size_t k = 0; k < l->n1; k++) {
        l->coarse[k] = fft_root(k, l->n1, sign);
    }
    for (size_t k = 0; k < l->n2; k++) {
        l->fine[k] = fft_root(k, n, sign);
    }
    return l;
}

void fft_long_free(struct fft_long *l)
{
    if (l) {
        fft_line_free(l->first);
        fft_line_free(l->second);
        free(l->coarse);
        free(l->fine);
        free(l->turned);
        free(l);
    }
}

/* Row @i turned and transformed */
static void long_row(struct fft_long *l, size_t i, struct fft_complex *row)
{
    for (size_t j = 0; j < l->n2; j++) {
        size_t turn = i * j;

        row[j] = fft_product(row[j], fft_product(l->coarse[turn / l->n2], l->fine[turn % l->n2]));
    }
    fft_line_run(l->second, 1, row);
}

/* Squares of FFT_WIDTH rows and columns change places. */
static void long_mirror(size_t n, struct fft_complex *data)
{
    for (size_t i = 0; i < n; i += FFT_WIDTH) {
        for (size_t j = i; j < n; j += FFT_WIDTH) {
            for (size_t a = i; a < n && a < i + FFT_WIDTH; a++) {
                for (size_t b = i == j ? a + 1 : j; b < n && b < j + FFT_WIDTH; b++) {
                    struct fft_complex t = data[a * n + b];

                    data[a * n + b] = data[b * n + a];
                    data[b * n + a] = t;
                }
            }
        }
    }
}

/* @n1 rows of @n2 become @n2 rows of @n1. */
static void long_turn(const struct fft_long *l, struct fft_complex *data)
{
    for (size_t i = 0; i < l->n1; i += FFT_WIDTH) {
        for (size_t j = 0; j < l->n2; j++) {
            for (size_t k = i; k < l->n1 && k < i + FFT_WIDTH; k++) {
                l->turned[j * l->n1 + k] = data[k * l->n2 + j];
            }
        }
    }
    memcpy(data, l->turned, l->n1 * l->n2 * sizeof(*data));
}

void fft_long_run(struct fft_long *l, struct fft_complex *data)
{
    fft_line_run_strided(l->first, l->n2, l->n2, data);
    for (size_t i = 0; i < l->n1; i++) {
        long_row(l, i, data + i * l->n2);
    }
    if (l->n1 == l->n2) {
        long_mirror(l->n1, data);
    } else {
        long_turn(l, data);
    }
}
