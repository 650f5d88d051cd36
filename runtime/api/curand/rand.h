/* SPDX-License-Identifier: MIT */
/*
 * cuRAND's generators. A device generator's state lies in device memory of its own, and kernels
 * move it in the order of the stream, so that a graph continues where it was. A host generator
 * needs no device.
 */
#ifndef RUNTIME_API_CURAND_RAND_H
#define RUNTIME_API_CURAND_RAND_H

/* What the header declares is exported, all else is not. */
#pragma GCC visibility push(default)
#include "include/curand.h"
#pragma GCC visibility pop
#include "model/library/random/random.h"
#include "runtime/api/library/library.h"

/**
 * struct curandGenerator_st
 * @device: NULL: a host generator
 * @offset, @items: where the state began, and items made since then
 * @made: a state with these settings exists
 */
struct curandGenerator_st {
    struct library_handle *device;
    enum random_type type;
    curandOrdering_t order;
    unsigned long long seed, offset, items;
    uint32_t dimensions;
    bool made;
    CUdeviceptr state;
    void *host_state;
};

bool rand_live(curandGenerator_t g);
bool rand_is_quasi(curandGenerator_t g);

/* The first item that comes next, after which a new state begins. */
unsigned long long rand_position(curandGenerator_t g);

/* A state with the generator's settings, if there is none. */
curandStatus_t rand_seed(curandGenerator_t g, const char *name);

curandStatus_t rand_generate(curandGenerator_t g, const char *name, enum random_form form, void *to,
                             size_t n, double mean, double deviation);

/* Says that @name is not supported. */
curandStatus_t rand_unsupported(const char *name, bool *said);

#endif
