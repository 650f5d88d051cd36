/* SPDX-License-Identifier: MIT */
/*
 * XORWOW: G. Marsaglia, "Xorshift RNGs", 2003, section 3.1. 4,096 streams, 2^67 numbers apart; the
 * offset skips numbers of the interleaved sequence. cuRAND, "CURAND_ORDERING_PSEUDO_DEFAULT".
 * Ordering "seeded": each stream has a seed of its own.
 */
#include "model/library/random/random_internal.h"

#include <string.h>

/* The powers of one step, which kernels use as well. */
#define __device__
#include "include/vtegra/curand_jumps.h"
#undef __device__

#define STREAMS 4096u
#define SUBSEQUENCE_LOG2 67
#define COUNTER_STEP 362437u
#define SEED_STEP 3133713u /* between streams: NVIDIA's host generator */

/* Word by word, so that neighbouring streams are vectors. */
struct xorwow {
    struct random_head head;
    uint32_t v[5][STREAMS], d[STREAMS];
};

static void xorwow_step(uint32_t v[5])
{
    uint32_t t = v[0] ^ v[0] >> 2;

    memmove(v, v + 1, 4 * sizeof(*v));
    v[4] = v[3] ^ v[3] << 4 ^ t ^ t << 1;
}

/* 2^@row steps: the sum of the states after those numbers of steps that the row names */
static void xorwow_jump(uint32_t v[5], unsigned row)
{
    uint32_t sum[5] = { 0 };

    for (unsigned power = 0; power < 160; power++) {
        if (vtegra_xorwow_jumps[row][power / 32] >> power % 32 & 1) {
            for (unsigned i = 0; i < 5; i++) {
                sum[i] ^= v[i];
            }
        }
        xorwow_step(v);
    }
    memcpy(v, sum, sizeof(sum));
}

static void xorwow_seed(uint64_t seed, uint32_t v[5], uint32_t *d)
{
    uint32_t low = 1099087573u * ((uint32_t)seed ^ 0xaad26b49u);
    uint32_t high = 2591861531u * ((uint32_t)(seed >> 32) ^ 0xf7dcefddu);

    v[0] = 123456789u + low;
    v[1] = 362436069u ^ low;
    v[2] = 521288629u + high;
    v[3] = 88675123u ^ high;
    v[4] = 5783321u + low;
    *d = 6615241u + high + low;
}

static void xorwow_skip(uint32_t v[5], uint32_t *d, uint64_t n)
{
    for (unsigned row = 0; n >> row && row < 64; row++) {
        if (n >> row & 1) {
            xorwow_jump(v, row);
        }
    }
    *d += COUNTER_STEP * (uint32_t)n;
}

/* The streams before offset modulo STREAMS have made one number more. */
static void xorwow_init(void *state, const struct random_setup *setup)
{
    struct xorwow *s = state;
    uint64_t each = setup->offset / STREAMS, ahead = setup->offset % STREAMS;
    uint32_t v[5], w[5], d, e;

    xorwow_seed(setup->seed, v, &d);
    for (uint32_t i = 0; i < STREAMS; i++) {
        if (setup->order == RANDOM_ORDER_SEEDED) {
            xorwow_seed(setup->seed + (uint64_t)i * SEED_STEP, v, &d);
        }
        memcpy(w, v, sizeof(w));
        e = d;
        xorwow_skip(w, &e, each + (i < ahead));
        for (unsigned k = 0; k < 5; k++) {
            s->v[k][i] = w[k];
        }
        s->d[i] = e;
        xorwow_jump(v, SUBSEQUENCE_LOG2);
    }
}

static void xorwow_draw(void *state, uint32_t first, size_t count, uint32_t *words)
{
    struct xorwow *s = state;

    for (size_t i = first; i < first + count; i++) {
        uint32_t t = s->v[0][i] ^ s->v[0][i] >> 2, last = s->v[4][i];

        s->v[0][i] = s->v[1][i];
        s->v[1][i] = s->v[2][i];
        s->v[2][i] = s->v[3][i];
        s->v[3][i] = last;
        s->v[4][i] = last = last ^ last << 4 ^ t ^ t << 1;
        s->d[i] += COUNTER_STEP;
        words[i - first] = last + s->d[i];
    }
}

static unsigned xorwow_words(enum random_form form)
{
    switch (form) {
    case RANDOM_NORMAL_DOUBLE:
    case RANDOM_LOG_NORMAL_DOUBLE:
        return 4;
    case RANDOM_UNIFORM_DOUBLE:
    case RANDOM_NORMAL:
    case RANDOM_LOG_NORMAL:
        return 2;
    default:
        return 1;
    }
}

static void xorwow_put(const struct random_request *r, const uint32_t *words, size_t count,
                       void *out)
{
    const uint32_t *second = words + RANDOM_BATCH;
    float *to = out;
    double *to_double = out;

    switch (r->form) {
    case RANDOM_UNIFORM:
        for (size_t i = 0; i < count; i++) {
            to[i] = random_uniform(words[i]);
        }
        break;
    case RANDOM_UNIFORM_DOUBLE:
        for (size_t i = 0; i < count; i++) {
            to_double[i] = random_uniform_53(words[i], second[i]);
        }
        break;
    case RANDOM_NORMAL:
    case RANDOM_LOG_NORMAL:
        for (size_t i = 0; i < count; i++) {
            random_pair(r, words[i], second[i], to + 2 * i);
        }
        break;
    case RANDOM_NORMAL_DOUBLE:
    case RANDOM_LOG_NORMAL_DOUBLE:
        for (size_t i = 0; i < count; i++) {
            const uint32_t w[4] = { words[i], second[i], words[2 * RANDOM_BATCH + i],
                                    words[3 * RANDOM_BATCH + i] };

            random_pair_double(r, w, to_double + 2 * i);
        }
        break;
    default:
        memcpy(out, words, count * sizeof(*words));
    }
}

static void xorwow_fill(void *state, const struct random_request *request, void *out)
{
    static const struct random_streams kind = { STREAMS, xorwow_words, xorwow_draw, xorwow_put };

    random_streams_fill(&kind, state, request, out);
}

const struct random_ops xorwow_ops = {
    .type = RANDOM_XORWOW,
    .bytes = sizeof(struct xorwow),
    .init = xorwow_init,
    .fill = xorwow_fill,
};
