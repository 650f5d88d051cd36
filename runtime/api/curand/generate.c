/* SPDX-License-Identifier: MIT */
/* Numbers: on the device by a kernel for the state, if it is new, and one for the numbers. */
#include <math.h>
#include <string.h>

#include "runtime/api/curand/rand.h"

/* NVIDIA's host generators call the C library. */
static void host_sincos_float(float x, float *sin_x, float *cos_x)
{
    sincosf(x, sin_x, cos_x);
}

static void host_sincos(double x, double *sin_x, double *cos_x)
{
    sincos(x, sin_x, cos_x);
}

static const struct random_math host_math = {
    logf, host_sincos_float, expf, log, host_sincos, exp
};

static enum random_order generator_order(curandGenerator_t g)
{
    return g->order == CURAND_ORDERING_PSEUDO_SEEDED   ? RANDOM_ORDER_SEEDED
           : g->order == CURAND_ORDERING_PSEUDO_LEGACY ? RANDOM_ORDER_LEGACY
                                                       : RANDOM_ORDER_DEFAULT;
}

static struct library_operand state_operand(curandGenerator_t g)
{
    return library_matrix((const void *)(uintptr_t)g->state, (int64_t)random_state_bytes(g->type),
                          1, 1, LIBRARY_R_8U);
}

static curandStatus_t generator_launch(curandGenerator_t g, const char *name,
                                       const struct library_call *c)
{
    return library_launch(g->device, name, c) == CUDA_SUCCESS ? CURAND_STATUS_SUCCESS
                                                              : CURAND_STATUS_LAUNCH_FAILURE;
}

static curandStatus_t seed_launch(curandGenerator_t g, const char *name)
{
    struct library_call c = library_call_of(LIBRARY_RANDOM_SEED, LIBRARY_R_32U);

    c.n[0] = g->type;
    c.n[1] = generator_order(g);
    c.n[2] = (int64_t)(g->seed & UINT32_MAX);
    c.n[3] = (int64_t)(g->seed >> 32);
    c.n[4] = (int64_t)(g->offset & UINT32_MAX);
    c.n[5] = (int64_t)(g->offset >> 32);
    c.n[6] = g->dimensions;
    c.operand[0] = state_operand(g);
    return generator_launch(g, name, &c);
}

curandStatus_t rand_seed(curandGenerator_t g, const char *name)
{
    struct random_setup setup = {
        .type = g->type,
        .order = generator_order(g),
        .seed = g->seed,
        .offset = g->offset,
        .dimensions = g->dimensions,
    };
    curandStatus_t s = CURAND_STATUS_SUCCESS;

    if (g->made) {
        return s;
    }
    if (g->device) {
        s = seed_launch(g, name);
    } else {
        random_state_init(g->host_state, &setup);
    }
    g->made = s == CURAND_STATUS_SUCCESS;
    return s;
}

static uint32_t form_type(enum random_form form)
{
    switch (form) {
    case RANDOM_WORDS:
        return LIBRARY_R_32U;
    case RANDOM_LONGS:
        return LIBRARY_R_64U;
    default:
        return random_form_bytes(form) == 8 ? LIBRARY_R_64F : LIBRARY_R_32F;
    }
}

static curandStatus_t device_generate(curandGenerator_t g, const char *name,
                                      const struct random_request *r, void *to)
{
    struct library_call c = library_call_of(LIBRARY_RANDOM, form_type(r->form));

    c.n[0] = (int64_t)r->n;
    c.n[1] = g->type;
    c.n[2] = (int64_t)r->form;
    library_scalar_set(&c.scalar[0], &r->mean, LIBRARY_R_64F, false);
    library_scalar_set(&c.scalar[1], &r->deviation, LIBRARY_R_64F, false);
    c.operand[0] = state_operand(g);
    c.operand[1] = library_vector(to, (int64_t)r->n, 1, form_type(r->form));
    return generator_launch(g, name, &c);
}

curandStatus_t rand_generate(curandGenerator_t g, const char *name, enum random_form form, void *to,
                             size_t n, double mean, double deviation)
{
    struct random_request r = {
        .form = form, .mean = mean, .deviation = deviation, .n = n, .count = n, .math = &host_math
    };
    unsigned step;
    curandStatus_t s;

    if (!rand_live(g)) {
        return CURAND_STATUS_NOT_INITIALIZED;
    }
    if (n == 0) {
        return CURAND_STATUS_SUCCESS;
    }
    step = random_form_step(g->type, form);
    if (!step) {
        return CURAND_STATUS_TYPE_ERROR;
    }
    if (n % step || n % g->dimensions) {
        return CURAND_STATUS_LENGTH_NOT_MULTIPLE;
    }
    if (!to || n > INT64_MAX / 8) {
        return CURAND_STATUS_OUT_OF_RANGE;
    }
    s = rand_seed(g, name);
    if (s == CURAND_STATUS_SUCCESS && g->device) {
        s = device_generate(g, name, &r, to);
    } else if (s == CURAND_STATUS_SUCCESS) {
        random_fill(g->host_state, &r, to);
    }
    g->items += s == CURAND_STATUS_SUCCESS ? n / step / g->dimensions : 0;
    return s;
}

curandStatus_t curandGeneratePoisson(curandGenerator_t generator, unsigned int *outputPtr, size_t n,
                                     double lambda)
{
    static bool said;

    (void)outputPtr;
    if (!rand_live(generator)) {
        return CURAND_STATUS_NOT_INITIALIZED;
    }
    if (!(lambda > 0)) {
        return CURAND_STATUS_OUT_OF_RANGE;
    }
    return n == 0 ? CURAND_STATUS_SUCCESS : rand_unsupported(__func__, &said);
}
