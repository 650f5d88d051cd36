/* SPDX-License-Identifier: MIT */
/*
 * Random numbers in kernels built with clang: XORWOW, Philox4x32-10 and MRG32k3a with uniform,
 * normal and log-normal numbers, the sequences of NVIDIA's cuRAND. Not here: Sobol, MTGP32, Poisson
 * and discrete distributions, and the library's host functions; these need nvcc. nvcc has its own
 * header, which is taken instead.
 */
#if defined(__NVCC__) || defined(__CUDA_INTERNAL_COMPILATION__)
#include_next <curand_kernel.h>
#else
#ifndef VTEGRA_CURAND_KERNEL_H
#define VTEGRA_CURAND_KERNEL_H

#include "cuda_runtime.h"

#if defined(__clang__) && defined(__CUDA__) && defined(__cplusplus)
#include "vtegra/curand_jumps.h"
#include "vtegra/curand_mrg.h"
#include "vtegra/curand_philox.h"
#include "vtegra/curand_xorwow.h"

#include "vtegra/curand_distributions.h"
#endif

#endif
#endif
