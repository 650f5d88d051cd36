/* SPDX-License-Identifier: MIT */
/* What the generators of random.h share among themselves. */
#ifndef MODEL_LIBRARY_RANDOM_INTERNAL_H
#define MODEL_LIBRARY_RANDOM_INTERNAL_H

#include "model/library/random/random.h"

/* The begin of each generator's block. */
struct random_head {
    uint32_t type;       /* enum random_type */
    uint32_t dimensions; /* of a quasi-random generator; of others 1, in ordering legacy 2 */
    uint64_t next;       /* pseudo: items made so far; quasi: points */
};

struct random_ops {
    enum random_type type;
    size_t bytes;
    void (*init)(void *state, const struct random_setup *setup);
    void (*fill)(void *state, const struct random_request *request, void *out);
};

extern const struct random_ops xorwow_ops, mrg_ops, philox_ops, mtgp_ops, sobol32_ops, sobol64_ops;

/* Items are made in batches of at most this many; column @k of their words begins at
 * words[k * RANDOM_BATCH]. */
#define RANDOM_BATCH 1024u

/* A generator of many streams, to which items are dealt in turn. */
struct random_streams {
    uint32_t n_streams;
    unsigned (*words)(enum random_form form); /* of an item */
    /* One word of @count streams from @first on */
    void (*draw)(void *state, uint32_t first, size_t count, uint32_t *words);
    /* @count items to @out */
    void (*put)(const struct random_request *r, const uint32_t *words, size_t count, void *out);
};

void random_streams_fill(const struct random_streams *kind, void *state,
                         const struct random_request *r, void *out);

float random_uniform(uint32_t x);
double random_uniform_53(uint32_t x, uint32_t y);

/* Box and Muller: a pair from two or four words. */
void random_pair(const struct random_request *r, uint32_t x, uint32_t y, float pair[2]);
void random_pair_double(const struct random_request *r, const uint32_t w[4], double pair[2]);

/* The radius is of @u, the angle in radians. Scaled, and its exponential for log normal ones. */
void random_pair_of(const struct random_request *r, float u, float angle, float pair[2]);
void random_pair_double_of(const struct random_request *r, double u, double angle, double pair[2]);

/* Scales one normal number as the request says. */
float random_scale(const struct random_request *r, float x);
double random_scale_double(const struct random_request *r, double x);

/* The number that a standard normal variable exceeds with probability 1 - @p. */
double random_normal_quantile(double p);

/* Normal numbers of one word by their quantile: of 64 bits, of 32, and of 32 in single precision.
 */
enum random_quantile { RANDOM_QUANTILE_64, RANDOM_QUANTILE_32, RANDOM_QUANTILE_FLOAT };

/* One number of one word. @x: 64 bits, or 32 in the upper half */
void random_put_quantile(const struct random_request *r, enum random_quantile width, uint64_t x,
                         void *out);

#endif
