/* SPDX-License-Identifier: MIT */
/*
 * Random numbers of cuRAND's host API: the same sequences, word for word.
 *
 * A generator is a block of plain bytes without pointers, so that it can lie in memory of the
 * device: it is read, used and written back, and a graph that is launched again continues.
 *
 * An item is what one generator thread of cuRAND makes at a time: a number, or a pair of normal
 * ones (XORWOW and MRG32k3a). Items are dealt to the streams in turn, and each stream counts on its
 * own. Sources: cuRAND, "Host API Overview"; where the guide is silent, the results of NVIDIA's
 * host generators (tests/golden/curand_host.txt).
 */
#ifndef MODEL_LIBRARY_RANDOM_H
#define MODEL_LIBRARY_RANDOM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The values are those of curandRngType. */
enum random_type {
    RANDOM_XORWOW = 101,
    RANDOM_MRG32K3A = 121,
    RANDOM_MTGP32 = 141,
    RANDOM_MT19937 = 142,
    RANDOM_PHILOX = 161,
    RANDOM_SOBOL32 = 201,
    RANDOM_SOBOL64 = 203,
};

/* Default and best are the same. Legacy differs from them for MRG32k3a and MTGP32, seeded for
 * XORWOW, which alone has it. */
enum random_order { RANDOM_ORDER_DEFAULT, RANDOM_ORDER_SEEDED, RANDOM_ORDER_LEGACY };

enum random_form {
    RANDOM_WORDS,   /* 32 bits each */
    RANDOM_LONGS,   /* 64 bits each: Sobol64 alone */
    RANDOM_UNIFORM, /* above 0, up to 1 */
    RANDOM_UNIFORM_DOUBLE,
    RANDOM_NORMAL,
    RANDOM_NORMAL_DOUBLE,
    RANDOM_LOG_NORMAL,
    RANDOM_LOG_NORMAL_DOUBLE,
    RANDOM_POISSON,
    RANDOM_FORMS,
};

struct random_setup {
    enum random_type type;
    enum random_order order;
    uint64_t seed, offset;
    uint32_t dimensions; /* of a quasi-random generator: 1 to RANDOM_DIMENSIONS */
};

#define RANDOM_DIMENSIONS 20000u

/*
 * Elementary functions. random_math has one result on every host. A host generator can bring those
 * of the C library, which NVIDIA's host generators use.
 */
struct random_math {
    float (*log_float)(float x);
    void (*sincos_float)(float x, float *sin_x, float *cos_x);
    float (*exp_float)(float x);
    double (*log)(double x);
    void (*sincos)(double x, double *sin_x, double *cos_x);
    double (*exp)(double x);
};

extern const struct random_math random_math;

struct random_request {
    enum random_form form;
    double mean, deviation; /* normal and log normal; Poisson: @mean */
    uint64_t n;             /* numbers of the whole call */
    uint64_t from, count;   /* the part that is made now; parts come in order */
    const struct random_math *math;
};

/* Bytes of a generator; 0: there is none of this type. */
size_t random_state_bytes(enum random_type type);

/* Numbers of a point; 1 unless quasi-random. @state: checked */
uint32_t random_state_dimensions(const void *state);

/* Bytes of one number. */
size_t random_form_bytes(enum random_form form);

/* A form whose numbers are made in pairs by some generators */
bool random_form_is_normal(enum random_form form);

/* Numbers that are made together: @n, @from and @count are multiples. 0: not in this form. */
unsigned random_form_step(enum random_type type, enum random_form form);

/* @state: random_state_bytes(), aligned to 8 */
void random_state_init(void *state, const struct random_setup *setup);

/*
 * random_state_check - whether bytes are a generator
 *
 * They come from memory that a program can overwrite: random_fill() reads nothing else before.
 */
bool random_state_check(const void *state, size_t bytes, enum random_type type);

/* Writes @count numbers to @out, aligned to 8. The state moves with the parts. */
void random_fill(void *state, const struct random_request *request, void *out);

/* The direction numbers of dimension @dimension: 32 or 64 of them, the highest bit first. */
void sobol_directions_32(uint32_t dimension, uint32_t v[32]);
void sobol_directions_64(uint32_t dimension, uint64_t v[64]);

#endif
