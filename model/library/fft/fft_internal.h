/* SPDX-License-Identifier: MIT */
/* A line is a transform in one dimension. */
#ifndef MODEL_LIBRARY_FFT_FFT_INTERNAL_H
#define MODEL_LIBRARY_FFT_FFT_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>

struct fft_complex {
    double re, im;
};

static inline struct fft_complex fft_product(struct fft_complex a, struct fft_complex b)
{
    return (struct fft_complex){ a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re };
}

/* Lines side by side that are transformed at a time: so many of 1,000 elements fit a cache. */
#define FFT_WIDTH 16u

struct fft_line;

/* @strided: for fft_line_run_strided(). NULL: not enough memory. */
struct fft_line *fft_line_new(size_t n, bool strided, int sign);
void fft_line_free(struct fft_line *line);

/* Transforms @width lines, one if not strided, else at most FFT_WIDTH: element k of line q is
 * @data[q + width * k]. */
void fft_line_run(struct fft_line *line, size_t width, struct fft_complex *data);

/* Transforms @count lines: element k of line q is @data[q + stride * k]. */
void fft_line_run_strided(struct fft_line *line, size_t count, size_t stride,
                          struct fft_complex *data);

/* Sizes that no cache holds as two dimensions and a twist (D. Bailey, "FFTs in external or
 * hierarchical memory", 1990). */
struct fft_long;
bool fft_long_is_for(size_t n);
struct fft_long *fft_long_new(size_t n, int sign);
void fft_long_free(struct fft_long *l);
void fft_long_run(struct fft_long *l, struct fft_complex *data);

/* A factor of @n that lines take a step for, the largest first; 0: none */
size_t fft_radix(size_t n);

/* e^(sign 2 pi i k / n), k < n: to the last bit but one, on every host the same */
struct fft_complex fft_root(size_t k, size_t n, int sign);

#endif
