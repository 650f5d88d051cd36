/* SPDX-License-Identifier: MIT */
/*
 * Philox4x32-10: J. Salmon and others, "Parallel Random Numbers: As Easy as 1, 2, 3", 2011. 65,536
 * streams, which make four numbers at a time. Forms of 64 bits take two blocks for four numbers. A
 * stream's counter moves when the last of four numbers is made.
 */
#include "model/library/random/random_internal.h"

#include <string.h>

#define STREAMS 65536u
#define GROUP 4u

struct philox {
    struct random_head head;
    uint64_t seed;
    uint64_t block[STREAMS]; /* the stream's next */
};

static void philox_block(uint64_t key, uint64_t low, uint64_t high, uint32_t c[4])
{
    uint32_t k0 = (uint32_t)key, k1 = (uint32_t)(key >> 32);

    c[0] = (uint32_t)low;
    c[1] = (uint32_t)(low >> 32);
    c[2] = (uint32_t)high;
    c[3] = (uint32_t)(high >> 32);
    for (unsigned round = 0; round < 10; round++) {
        uint64_t a = UINT64_C(0xd2511f53) * c[0], b = UINT64_C(0xcd9e8d57) * c[2];

        c[0] = (uint32_t)(b >> 32) ^ c[1] ^ k0;
        c[1] = (uint32_t)b;
        c[2] = (uint32_t)(a >> 32) ^ c[3] ^ k1;
        c[3] = (uint32_t)a;
        k0 += 0x9e3779b9u;
        k1 += 0xbb67ae85u;
    }
}

/* The streams before that of the offset have made one block more. */
static void philox_init(void *state, const struct random_setup *setup)
{
    struct philox *s = state;
    uint64_t group = setup->offset / GROUP;

    s->seed = setup->seed;
    for (uint32_t i = 0; i < STREAMS; i++) {
        s->block[i] = group / STREAMS + (i < group % STREAMS);
    }
}

/* Four numbers of 4 or 8 bytes from one or two blocks */
static void philox_convert(const struct random_request *r, const uint32_t w[8], void *out)
{
    float *to = out;
    double *to_double = out;

    switch (r->form) {
    case RANDOM_UNIFORM:
        for (unsigned i = 0; i < GROUP; i++) {
            to[i] = random_uniform(w[i]);
        }
        break;
    case RANDOM_UNIFORM_DOUBLE:
        for (unsigned i = 0; i < GROUP; i++) {
            to_double[i] = random_uniform_53(w[2 * i], w[2 * i + 1]);
        }
        break;
    case RANDOM_NORMAL:
    case RANDOM_LOG_NORMAL:
        random_pair(r, w[0], w[1], to);
        random_pair(r, w[2], w[3], to + 2);
        break;
    case RANDOM_NORMAL_DOUBLE:
    case RANDOM_LOG_NORMAL_DOUBLE:
        random_pair_double(r, w, to_double);
        random_pair_double(r, w + 4, to_double + 2);
        break;
    default:
        memcpy(out, w, GROUP * sizeof(*w));
    }
}

static void philox_fill(void *state, const struct random_request *r, void *out)
{
    struct philox *s = state;
    size_t bytes = random_form_bytes(r->form);
    uint8_t *to = out;

    for (uint64_t left = r->count; left;) {
        uint32_t stream = (uint32_t)(s->head.next / GROUP % STREAMS), w[8];
        uint64_t four[GROUP], k = s->head.next % GROUP, n = GROUP - k;

        n = n < left ? n : left;
        philox_block(s->seed, s->block[stream], stream, w);
        if (bytes == 8) {
            philox_block(s->seed, s->block[stream] + 1, stream, w + 4);
        }
        philox_convert(r, w, four);
        memcpy(to, (uint8_t *)four + k * bytes, (size_t)n * bytes);
        if (k + n == GROUP) {
            s->block[stream] += bytes / 4;
        }
        s->head.next += n;
        to += n * bytes;
        left -= n;
    }
}

const struct random_ops philox_ops = {
    .type = RANDOM_PHILOX,
    .bytes = sizeof(struct philox),
    .init = philox_init,
    .fill = philox_fill,
};
