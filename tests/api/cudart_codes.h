/* SPDX-License-Identifier: MIT */
/*
 * Prints what runtime API calls answer, one line a call: "call: NAME". Every section runs in a
 * process of its own, so that a broken context costs its section only. A call that crashes is
 * printed as "call: signal N"; its section then runs again without it, silent up to there.
 */
#ifndef TESTS_API_CUDART_CODES_H
#define TESTS_API_CUDART_CODES_H

#include <cstdio>
#include <cstring>

#include <cuda_profiler_api.h>
#include <cuda_runtime.h>

#define C(call) (code_before(#call) ? code_after(call) : cudaErrorUnknown)
bool code_before(const char *call); /* false: not this time */
cudaError_t code_after(cudaError_t code);

/* A result that is the same on every device. */
#define V(what) value_print(#what, (long long)(what))
void value_print(const char *what, long long value);
bool codes_loud(void); /* false while a section repeats what was printed before a crash */

struct codes_section {
    const char *name;
    void (*run)(void);
};
extern const codes_section codes_memory[], codes_work[];

extern __global__ void nothing();
extern __global__ void store(int *p, int value);
extern __global__ void bad_store(int *p);
extern __device__ int variable[4];
extern __constant__ int table[16];

#endif
