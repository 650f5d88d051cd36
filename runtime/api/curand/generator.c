/* SPDX-License-Identifier: MIT */
/* cuRAND library, "Host API": generators and their settings. Codes are those of NVIDIA's host
 * generators (tests/golden/curand_codes_10.4.txt). */
#include <stdatomic.h>
#include <stdlib.h>

#include "runtime/api/curand/rand.h"

#define GENERATORS_MAX 4096u
#define PHILOX_GROUP 4u

static _Atomic(curandGenerator_t) generators[GENERATORS_MAX];

bool rand_live(curandGenerator_t g)
{
    for (unsigned i = 0; g && i < GENERATORS_MAX; i++) {
        if (atomic_load_explicit(&generators[i], memory_order_acquire) == g) {
            return true;
        }
    }
    return false;
}

/* @from to @to in the list: NULL is a free place. */
static bool generator_list(curandGenerator_t from, curandGenerator_t to)
{
    for (unsigned i = 0; i < GENERATORS_MAX; i++) {
        curandGenerator_t it = from;

        if (atomic_compare_exchange_strong(&generators[i], &it, to)) {
            return true;
        }
    }
    return false;
}

bool rand_is_quasi(curandGenerator_t g)
{
    return g->type >= RANDOM_SOBOL32;
}

/* Philox's counts blocks of four: a new state begins at the offset plus their number. */
unsigned long long rand_position(curandGenerator_t g)
{
    if (g->type == RANDOM_PHILOX) {
        return g->offset + (g->offset + g->items) / PHILOX_GROUP - g->offset / PHILOX_GROUP;
    }
    return g->offset + g->items;
}

/* The next call begins a new state there. */
static void generator_restart(curandGenerator_t g, unsigned long long offset)
{
    g->offset = offset;
    g->items = 0;
    g->made = false;
}

curandStatus_t rand_unsupported(const char *name, bool *said)
{
    library_unsupported(name, said);
    return CURAND_STATUS_ARCH_MISMATCH;
}

/* Types that exist and are not here: their tables may not be distributed, or are not made yet. */
static curandStatus_t type_missing(curandRngType_t type)
{
    static const struct {
        curandRngType_t type;
        const char *name;
    } all[] = {
        { CURAND_RNG_PSEUDO_MT19937, "curandCreateGenerator(CURAND_RNG_PSEUDO_MT19937)" },
        { CURAND_RNG_QUASI_SCRAMBLED_SOBOL32,
          "curandCreateGenerator(CURAND_RNG_QUASI_SCRAMBLED_SOBOL32)" },
        { CURAND_RNG_QUASI_SCRAMBLED_SOBOL64,
          "curandCreateGenerator(CURAND_RNG_QUASI_SCRAMBLED_SOBOL64)" },
    };
    static bool said[sizeof(all) / sizeof(all[0])];

    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
        if (all[i].type == type) {
            return rand_unsupported(all[i].name, &said[i]);
        }
    }
    return CURAND_STATUS_TYPE_ERROR;
}

static curandStatus_t generator_device(curandGenerator_t g)
{
    CUresult e = library_open(LIBRARY_KIND_CURAND, sizeof(struct library_handle), &g->device);

    if (e == CUDA_SUCCESS) {
        e = library_enter(g->device);
        if (e == CUDA_SUCCESS) {
            e = library_driver.cuMemAlloc(&g->state, random_state_bytes(g->type));
            library_leave();
        }
        if (e != CUDA_SUCCESS) {
            library_close(g->device);
        }
    }
    return e == CUDA_SUCCESS               ? CURAND_STATUS_SUCCESS
           : e == CUDA_ERROR_OUT_OF_MEMORY ? CURAND_STATUS_ALLOCATION_FAILED
                                           : CURAND_STATUS_INITIALIZATION_FAILED;
}

static void generator_free(curandGenerator_t g)
{
    if (g->device) {
        if (library_enter(g->device) == CUDA_SUCCESS) {
            library_driver.cuCtxSynchronize();
            library_driver.cuMemFree(g->state);
            library_leave();
        }
        library_close(g->device);
    }
    free(g->host_state);
    free(g);
}

static curandStatus_t generator_new(curandGenerator_t *out, curandRngType_t type, bool host)
{
    curandRngType_t real = type == CURAND_RNG_PSEUDO_DEFAULT  ? CURAND_RNG_PSEUDO_XORWOW
                           : type == CURAND_RNG_QUASI_DEFAULT ? CURAND_RNG_QUASI_SOBOL32
                                                              : type;
    curandGenerator_t g;
    curandStatus_t s;

    if (!out) {
        return CURAND_STATUS_NOT_INITIALIZED;
    }
    if (!random_state_bytes((enum random_type)real)) {
        return type_missing(type);
    }
    g = calloc(1, sizeof(*g));
    if (!g) {
        return CURAND_STATUS_ALLOCATION_FAILED;
    }
    g->type = (enum random_type)real;
    g->dimensions = 1;
    g->order = rand_is_quasi(g) ? CURAND_ORDERING_QUASI_DEFAULT : CURAND_ORDERING_PSEUDO_DEFAULT;
    g->host_state = host ? malloc(random_state_bytes(g->type)) : NULL;
    s = !host           ? generator_device(g)
        : g->host_state ? CURAND_STATUS_SUCCESS
                        : CURAND_STATUS_ALLOCATION_FAILED;
    if (s != CURAND_STATUS_SUCCESS) {
        free(g);
        return s;
    }
    if (!generator_list(NULL, g)) {
        generator_free(g);
        return CURAND_STATUS_ALLOCATION_FAILED;
    }
    *out = g;
    return CURAND_STATUS_SUCCESS;
}

curandStatus_t curandCreateGenerator(curandGenerator_t *generator, curandRngType_t rng_type)
{
    return generator_new(generator, rng_type, false);
}

curandStatus_t curandCreateGeneratorHost(curandGenerator_t *generator, curandRngType_t rng_type)
{
    return generator_new(generator, rng_type, true);
}

curandStatus_t curandDestroyGenerator(curandGenerator_t generator)
{
    if (!generator || !generator_list(generator, NULL)) {
        return CURAND_STATUS_NOT_INITIALIZED;
    }
    generator_free(generator);
    return CURAND_STATUS_SUCCESS;
}

curandStatus_t curandSetStream(curandGenerator_t generator, cudaStream_t stream)
{
    if (!rand_live(generator)) {
        return CURAND_STATUS_NOT_INITIALIZED;
    }
    if (generator->device) {
        generator->device->stream = (CUstream)stream;
    }
    return CURAND_STATUS_SUCCESS;
}

/* The same seed changes nothing. */
curandStatus_t curandSetPseudoRandomGeneratorSeed(curandGenerator_t generator,
                                                  unsigned long long seed)
{
    if (!rand_live(generator)) {
        return CURAND_STATUS_NOT_INITIALIZED;
    }
    if (rand_is_quasi(generator)) {
        return CURAND_STATUS_TYPE_ERROR;
    }
    if (seed != generator->seed) {
        generator->seed = seed;
        generator_restart(generator, rand_position(generator));
    }
    return CURAND_STATUS_SUCCESS;
}

curandStatus_t curandSetGeneratorOffset(curandGenerator_t generator, unsigned long long offset)
{
    if (!rand_live(generator)) {
        return CURAND_STATUS_NOT_INITIALIZED;
    }
    if (generator->type == RANDOM_MTGP32) {
        return CURAND_STATUS_TYPE_ERROR;
    }
    generator_restart(generator, offset);
    return CURAND_STATUS_SUCCESS;
}

/* Dynamic is an order of device generators; ours is the default one. */
static bool order_known(curandGenerator_t g, curandOrdering_t order)
{
    switch (order) {
    case CURAND_ORDERING_PSEUDO_BEST:
    case CURAND_ORDERING_PSEUDO_DEFAULT:
    case CURAND_ORDERING_PSEUDO_LEGACY:
        return !rand_is_quasi(g);
    case CURAND_ORDERING_PSEUDO_SEEDED:
        return g->type == RANDOM_XORWOW;
    case CURAND_ORDERING_PSEUDO_DYNAMIC:
        return !rand_is_quasi(g) && g->device;
    default:
        return order == CURAND_ORDERING_QUASI_DEFAULT && rand_is_quasi(g);
    }
}

curandStatus_t curandSetGeneratorOrdering(curandGenerator_t generator, curandOrdering_t order)
{
    if (!rand_live(generator)) {
        return CURAND_STATUS_NOT_INITIALIZED;
    }
    if (!order_known(generator, order)) {
        return CURAND_STATUS_OUT_OF_RANGE;
    }
    if (order != generator->order) {
        generator->order = order;
        generator_restart(generator, rand_position(generator));
    }
    return CURAND_STATUS_SUCCESS;
}

curandStatus_t curandSetQuasiRandomGeneratorDimensions(curandGenerator_t generator,
                                                       unsigned int num_dimensions)
{
    if (!rand_live(generator)) {
        return CURAND_STATUS_NOT_INITIALIZED;
    }
    if (!rand_is_quasi(generator)) {
        return CURAND_STATUS_TYPE_ERROR;
    }
    if (num_dimensions < 1 || num_dimensions > RANDOM_DIMENSIONS) {
        return CURAND_STATUS_OUT_OF_RANGE;
    }
    if (num_dimensions != generator->dimensions) {
        generator->dimensions = num_dimensions;
        generator_restart(generator, rand_position(generator));
    }
    return CURAND_STATUS_SUCCESS;
}

curandStatus_t curandGenerateSeeds(curandGenerator_t generator)
{
    if (!rand_live(generator)) {
        return CURAND_STATUS_NOT_INITIALIZED;
    }
    generator_restart(generator, rand_position(generator));
    return rand_seed(generator, __func__);
}
