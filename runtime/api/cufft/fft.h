/* SPDX-License-Identifier: MIT */
/* cuFFT's plans. A plan is a number; its transform is a kernel for each call. */
#ifndef RUNTIME_API_CUFFT_FFT_H
#define RUNTIME_API_CUFFT_FFT_H

/* What the headers declare is exported, all else is not. */
#pragma GCC visibility push(default)
#include "include/cufftXt.h"
#pragma GCC visibility pop
#include "runtime/api/library/library.h"

#define FFT_DIMENSIONS 3

/**
 * struct fft_side - where the elements of input or output lie, all in elements
 * @embed: sizes of the array that the elements are part of
 * @basic: without gaps; real numbers that are transformed in place have room for the result
 */
struct fft_side {
    bool basic;
    long long embed[FFT_DIMENSIONS], stride, dist;
};

struct fft_layout {
    int rank;
    long long n[FFT_DIMENSIONS];
    struct fft_side in, out;
    bool wrong; /* a size, an embedding or the rank cannot be read */
};

/* Any type of a plan, for fft_exec() */
#define FFT_ANY ((cufftType)0)

#define FFT_SIZES(...) ((const long long[FFT_DIMENSIONS]){ __VA_ARGS__ })
#define FFT_BASIC(rank, sizes) fft_layout_basic(rank, sizes)
#define FFT_MANY fft_layout_many(rank, n, inembed, istride, idist, onembed, ostride, odist)
#define FFT_MANY_64 fft_layout_many_64(rank, n, inembed, istride, idist, onembed, ostride, odist)

/* layout.c */
struct fft_layout fft_layout_basic(int rank, const long long *n);
struct fft_layout fft_layout_many(int rank, const int *n, const int *inembed, int istride,
                                  int idist, const int *onembed, int ostride, int odist);
struct fft_layout fft_layout_many_64(int rank, const long long *n, const long long *inembed,
                                     long long istride, long long idist, const long long *onembed,
                                     long long ostride, long long odist);
cufftResult fft_layout_check(const struct fft_layout *l, cufftType type, long long batch);
/* @padded: basic real numbers with room for the result in place. Return: false: elements whose
 * distances are of more than two kinds */
bool fft_layout_operand(const struct fft_layout *l, cufftType type, bool output, bool padded,
                        const void *data, struct library_operand *o);
/* The type with these elements; FFT_ANY: none */
cufftType fft_type_of(cudaDataType input, cudaDataType output, cudaDataType execution);

/* plan.c */
cufftResult fft_plan(cufftHandle *out, struct fft_layout l, cufftType type, long long batch);
cufftResult fft_make(cufftHandle plan, struct fft_layout l, cufftType type, long long batch,
                     size_t *size);
cufftResult fft_estimate(struct fft_layout l, cufftType type, long long batch, size_t *size);
cufftResult fft_size_of(cufftHandle plan, struct fft_layout l, cufftType type, long long batch,
                        size_t *size);
cufftResult fft_exec(cufftHandle plan, const char *name, cufftType type, void *in, void *out,
                     int direction);

#endif
