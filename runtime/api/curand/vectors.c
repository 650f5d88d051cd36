/* SPDX-License-Identifier: MIT */
/* The library itself: version, and the direction vectors that device code is given. */
#include <pthread.h>
#include <stdlib.h>

#include "runtime/api/curand/rand.h"

static curandDirectionVectors32_t *vectors32;
static curandDirectionVectors64_t *vectors64;

static void vectors_make(void)
{
    vectors32 = calloc(RANDOM_DIMENSIONS, sizeof(*vectors32));
    vectors64 = calloc(RANDOM_DIMENSIONS, sizeof(*vectors64));
    for (uint32_t d = 0; vectors32 && vectors64 && d < RANDOM_DIMENSIONS; d++) {
        uint64_t wide[64];

        sobol_directions_32(d, vectors32[d]);
        sobol_directions_64(d, wide);
        for (unsigned i = 0; i < 64; i++) {
            vectors64[d][i] = wide[i];
        }
    }
}

static bool vectors_ready(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, vectors_make);
    return vectors32 && vectors64;
}

curandStatus_t curandGetDirectionVectors32(curandDirectionVectors32_t *vectors[],
                                           curandDirectionVectorSet_t set)
{
    static bool said;

    if (set == CURAND_SCRAMBLED_DIRECTION_VECTORS_32_JOEKUO6) {
        return rand_unsupported(
            "curandGetDirectionVectors32(CURAND_SCRAMBLED_DIRECTION_VECTORS_32_JOEKUO6)", &said);
    }
    if (!vectors || set != CURAND_DIRECTION_VECTORS_32_JOEKUO6) {
        return CURAND_STATUS_OUT_OF_RANGE;
    }
    if (!vectors_ready()) {
        return CURAND_STATUS_ALLOCATION_FAILED;
    }
    *vectors = vectors32;
    return CURAND_STATUS_SUCCESS;
}

curandStatus_t curandGetDirectionVectors64(curandDirectionVectors64_t *vectors[],
                                           curandDirectionVectorSet_t set)
{
    static bool said;

    if (set == CURAND_SCRAMBLED_DIRECTION_VECTORS_64_JOEKUO6) {
        return rand_unsupported(
            "curandGetDirectionVectors64(CURAND_SCRAMBLED_DIRECTION_VECTORS_64_JOEKUO6)", &said);
    }
    if (!vectors || set != CURAND_DIRECTION_VECTORS_64_JOEKUO6) {
        return CURAND_STATUS_OUT_OF_RANGE;
    }
    if (!vectors_ready()) {
        return CURAND_STATUS_ALLOCATION_FAILED;
    }
    *vectors = vectors64;
    return CURAND_STATUS_SUCCESS;
}

curandStatus_t curandGetVersion(int *version)
{
    if (!version) {
        return CURAND_STATUS_OUT_OF_RANGE;
    }
    *version = CURAND_VERSION;
    return CURAND_STATUS_SUCCESS;
}

curandStatus_t curandGetProperty(libraryPropertyType type, int *value)
{
    static const int parts[] = { CURAND_VER_MAJOR, CURAND_VER_MINOR, CURAND_VER_PATCH };

    if (!value || (unsigned)type > PATCH_LEVEL) {
        return CURAND_STATUS_OUT_OF_RANGE;
    }
    *value = parts[type];
    return CURAND_STATUS_SUCCESS;
}
