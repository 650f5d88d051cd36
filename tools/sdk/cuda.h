/* SPDX-License-Identifier: MIT */
/* Read by clang alone, to learn which SDK it works with: 12.3 is one that clang 19 knows, has PTX 8.3
 * and makes it emit cudaLaunchKernel. The header of programs is include/cuda.h. */
#define CUDA_VERSION 12030
