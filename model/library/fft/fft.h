/* SPDX-License-Identifier: MIT */
/*
 * Discrete Fourier transforms of any size in one to three dimensions, as cuFFT has them: not
 * scaled, of real numbers only the first n / 2 + 1 results of the last dimension. cuFFT, "Fourier
 * Transform Types" and "Data Layout".
 *
 * All is computed in double precision by additions and products of a fixed order, so results are
 * equal on every host.
 */
#ifndef MODEL_LIBRARY_FFT_FFT_H
#define MODEL_LIBRARY_FFT_FFT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FFT_RANK 3u

enum fft_kind { FFT_C2C, FFT_R2C, FFT_C2R };

/**
 * struct fft_shape - a transform
 * @sign: of the exponent; -1 forward, +1 inverse
 * @twice: double precision
 * @n: sizes, the last dimension's elements are neighbours
 */
struct fft_shape {
    enum fft_kind kind;
    int sign;
    bool twice;
    unsigned rank;
    uint32_t n[FFT_RANK];
};

/* Elements of input and output, each a real or a complex number; 0: too large, or the shape is
 * wrong. */
uint64_t fft_input_count(const struct fft_shape *shape);
uint64_t fft_output_count(const struct fft_shape *shape);

/* @in, @out: elements without gaps; may be the same. Return: false: not enough memory */
bool fft_run(const struct fft_shape *shape, const void *in, void *out);

#endif
