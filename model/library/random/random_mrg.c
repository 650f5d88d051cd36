/* SPDX-License-Identifier: MIT */
/*
 * MRG32k3a: P. L'Ecuyer, "Good parameters and implementations for combined multiple recursive
 * random number generators", 1999. Streams are 2^76 numbers apart: cuRAND, "Bit Generation with
 * XORWOW and MRG32k3a generators". Their number is that of NVIDIA's host generator: 81,920, and
 * 4,096 in ordering legacy.
 */
#include "model/library/random/random_internal.h"

#include <string.h>

#define STREAMS 81920u
#define STREAMS_LEGACY 4096u
#define SUBSEQUENCE_LOG2 76
#define M1 UINT64_C(4294967087)
#define M2 UINT64_C(4294944443)

struct mrg {
    struct random_head head;
    uint32_t s[6][STREAMS]; /* three numbers modulo M1, three modulo M2 */
};

typedef uint32_t matrix[3][3];

static const matrix step_1 = { { 0, 1, 0 }, { 0, 0, 1 }, { M1 - 810728, 1403580, 0 } };
static const matrix step_2 = { { 0, 1, 0 }, { 0, 0, 1 }, { M2 - 1370589, 0, 527612 } };

static void mrg_square(matrix a, uint64_t m)
{
    matrix c;

    for (unsigned i = 0; i < 9; i++) {
        uint64_t sum = 0;

        for (unsigned k = 0; k < 3; k++) {
            sum = (sum + (uint64_t)a[i / 3][k] * a[k][i % 3] % m) % m;
        }
        c[i / 3][i % 3] = (uint32_t)sum;
    }
    memcpy(a, c, sizeof(c));
}

static void mrg_apply(matrix a, uint32_t s[3], uint64_t m)
{
    uint32_t r[3];

    for (unsigned i = 0; i < 3; i++) {
        uint64_t sum = 0;

        for (unsigned k = 0; k < 3; k++) {
            sum = (sum + (uint64_t)a[i][k] * s[k] % m) % m;
        }
        r[i] = (uint32_t)sum;
    }
    memcpy(s, r, sizeof(r));
}

static void mrg_skip(uint32_t s[6], uint64_t n)
{
    matrix a, b;

    memcpy(a, step_1, sizeof(a));
    memcpy(b, step_2, sizeof(b));
    for (; n; n >>= 1) {
        if (n & 1) {
            mrg_apply(a, s, M1);
            mrg_apply(b, s + 3, M2);
        }
        mrg_square(a, M1);
        mrg_square(b, M2);
    }
}

/* Seed 0 is the published start. */
static void mrg_seed(uint64_t seed, uint32_t s[6])
{
    uint64_t x = (uint32_t)seed ^ 0x55555555u, y = (uint32_t)(seed >> 32) ^ 0xaaaaaaaau;

    for (unsigned i = 0; i < 3; i++) {
        s[i] = seed ? (uint32_t)((i == 1 ? y : x) * 12345 % M1) : 12345;
        s[3 + i] = seed ? (uint32_t)((i == 1 ? x : y) * 12345 % M2) : 12345;
    }
}

static uint32_t mrg_streams(const struct mrg *s)
{
    return s->head.dimensions == 2 ? STREAMS_LEGACY : STREAMS;
}

/* The streams before offset modulo their number have made one number more. */
static void mrg_init(void *state, const struct random_setup *setup)
{
    struct mrg *s = state;
    uint32_t first[6], w[6], streams = mrg_streams(s);
    matrix jump_1, jump_2;

    memcpy(jump_1, step_1, sizeof(jump_1));
    memcpy(jump_2, step_2, sizeof(jump_2));
    for (unsigned i = 0; i < SUBSEQUENCE_LOG2; i++) {
        mrg_square(jump_1, M1);
        mrg_square(jump_2, M2);
    }
    mrg_seed(setup->seed, first);
    mrg_skip(first, setup->offset / streams);
    for (uint32_t i = 0; i < streams; i++) {
        memcpy(w, first, sizeof(w));
        if (i < setup->offset % streams) {
            mrg_skip(w, 1);
        }
        for (unsigned k = 0; k < 6; k++) {
            s->s[k][i] = w[k];
        }
        mrg_apply(jump_1, first, M1);
        mrg_apply(jump_2, first + 3, M2);
    }
}

/* 1 to M1 */
static void mrg_draw(void *state, uint32_t first, size_t count, uint32_t *words)
{
    struct mrg *s = state;

    for (size_t i = first; i < first + count; i++) {
        uint64_t a = (1403580 * (uint64_t)s->s[1][i] + 810728 * (M1 - s->s[0][i])) % M1;
        uint64_t b = (527612 * (uint64_t)s->s[5][i] + 1370589 * (M2 - s->s[3][i])) % M2;

        s->s[0][i] = s->s[1][i];
        s->s[1][i] = s->s[2][i];
        s->s[2][i] = (uint32_t)a;
        s->s[3][i] = s->s[4][i];
        s->s[4][i] = s->s[5][i];
        s->s[5][i] = (uint32_t)b;
        words[i - first] = (uint32_t)(a <= b ? a + M1 - b : a - b);
    }
}

static unsigned mrg_words(enum random_form form)
{
    return random_form_is_normal(form) ? 2 : 1;
}

static double mrg_unit(uint32_t z)
{
    return z * 2.3283065498378288e-10; /* 1 / M1 */
}

static void mrg_put_normal(const struct random_request *r, const uint32_t *words, size_t count,
                           void *out)
{
    const uint32_t *second = words + RANDOM_BATCH;

    for (size_t i = 0; i < count; i++) {
        double u = mrg_unit(words[i]), v = mrg_unit(second[i]);

        if (random_form_bytes(r->form) == 4) {
            random_pair_of(r, (float)u, (float)v * 6.2831855f, (float *)out + 2 * i);
        } else {
            random_pair_double_of(r, u, v * 2.0 * 0x1.921fb54442d18p+1, (double *)out + 2 * i);
        }
    }
}

static void mrg_put(const struct random_request *r, const uint32_t *words, size_t count, void *out)
{
    uint32_t *to = out;
    float *to_float = out;
    double *to_double = out;

    if (random_form_is_normal(r->form)) {
        mrg_put_normal(r, words, count, out);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        switch (r->form) {
        case RANDOM_UNIFORM:
            to_float[i] = (float)mrg_unit(words[i]);
            break;
        case RANDOM_UNIFORM_DOUBLE:
            to_double[i] = mrg_unit(words[i]);
            break;
        default:
            to[i] = (uint32_t)((double)words[i] * 1.000000048662); /* all of 32 bits */
        }
    }
}

static void mrg_fill(void *state, const struct random_request *request, void *out)
{
    const struct random_streams kind = { mrg_streams(state), mrg_words, mrg_draw, mrg_put };

    random_streams_fill(&kind, state, request, out);
}

const struct random_ops mrg_ops = {
    .type = RANDOM_MRG32K3A,
    .bytes = sizeof(struct mrg),
    .init = mrg_init,
    .fill = mrg_fill,
};
