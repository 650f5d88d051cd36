/* SPDX-License-Identifier: MIT */
/* Prints what driver API calls answer, one line a call: "call: CODE". Every section runs in a
 * process of its own, so that a call that crashes a driver costs its section only. */
#ifndef TESTS_API_CUDA_CODES_H
#define TESTS_API_CUDA_CODES_H

#include <stdio.h>
#include <string.h>

#include <cuda.h>
#include <cudaProfiler.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* The call is printed before it is made: what crashed is then the last line. */
#define C(call) (code_before(#call), code_after(call))
void code_before(const char *call);
CUresult code_after(CUresult code);

/* A result that is the same on every device. */
#define V(what) value_print(#what, (long long)(what))
void value_print(const char *what, long long value);

struct codes_section {
    const char *name;
    void (*run)(void);
    int context; /* 0: before cuInit; 1: initialised; 2: the primary context is current */
};
extern const struct codes_section codes_device[], codes_memory[], codes_work[], codes_virtual[],
    codes_array[];

/* add(u64 p, u32 n): p[i] += n; holds `counter` (4 bytes), `table` (64 bytes, constant), kernels
 * `dynamic` (dynamic shared memory) and `wide` (parameters u8, u64, 20 bytes). */
extern const char codes_ptx[];

#endif
