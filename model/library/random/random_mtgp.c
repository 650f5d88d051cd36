/* SPDX-License-Identifier: MIT */
/*
 * MTGP32: M. Saito and M. Matsumoto, "Variants of Mersenne Twister Suitable for Graphic
 * Processors", 2013. 192 generators with parameters of their own, seeded with the numbers after the
 * seed, make 256 numbers at a time, one word each. A generator moves when the last of 256 is made.
 * Normal numbers are quantiles in single precision. Ordering legacy has the first 64 generators.
 */
#include "model/library/random/random_internal.h"

#include <string.h>

#define GENERATORS 192u
#define GENERATORS_LEGACY 64u
#define GROUP 256u
#define WORDS 351u /* 11,213 bits */
#define MASK 0xfff80000u

struct mtgp {
    struct random_head head;
    uint32_t word[GENERATORS][WORDS];
};

static const struct {
    uint32_t pos, sh1, sh2, table[4], tempering[4];
} parameters[GENERATORS] = {
#define MTGP(pos, sh1, sh2, a, b, c, d, e, f, g, h) \
    { pos, sh1, sh2, { a, b, c, d }, { e, f, g, h } },
#include "model/library/random/mtgp32.def"
#undef MTGP
};

/* Row @i of a table of 16 */
static uint32_t table_row(const uint32_t table[4], uint32_t i)
{
    return (i & 1 ? table[0] : 0) ^ (i & 2 ? table[1] : 0) ^ (i & 4 ? table[2] : 0) ^
           (i & 8 ? table[3] : 0);
}

static void mtgp_seed(unsigned g, uint32_t seed, uint32_t word[WORDS])
{
    uint32_t hidden = parameters[g].table[2] ^ parameters[g].table[3] << 16, fill = hidden;

    fill += fill >> 16;
    fill += fill >> 8;
    memset(word, (int)(fill & 0xff), WORDS * sizeof(*word));
    word[0] = seed;
    word[1] = hidden;
    for (uint32_t i = 1; i < WORDS; i++) {
        word[i] ^= UINT32_C(1812433253) * (word[i - 1] ^ word[i - 1] >> 30) + i;
    }
}

static void mtgp_init(void *state, const struct random_setup *setup)
{
    struct mtgp *s = state;
    uint32_t seed = (uint32_t)(setup->seed ^ setup->seed >> 32);

    s->head.next = 0;
    for (unsigned g = 0; g < GENERATORS; g++) {
        mtgp_seed(g, seed + g + 1, s->word[g]);
    }
}

/* The words after those of generator @g: to @all behind them, and tempered to @out */
static void mtgp_make(unsigned g, uint32_t *all, uint32_t *out)
{
    uint32_t pos = parameters[g].pos;

    for (size_t i = 0; i < GROUP; i++) {
        uint32_t x = (all[i] & MASK) ^ all[i + 1], y, t = all[i + pos - 1];

        x ^= x << parameters[g].sh1;
        y = x ^ all[i + pos] >> parameters[g].sh2;
        all[i + WORDS] = y ^ table_row(parameters[g].table, y & 15);
        t ^= t >> 16;
        t ^= t >> 8;
        out[i] = all[i + WORDS] ^ table_row(parameters[g].tempering, t & 15);
    }
}

static void mtgp_fill(void *state, const struct random_request *r, void *out)
{
    struct mtgp *s = state;
    unsigned generators = s->head.dimensions == 2 ? GENERATORS_LEGACY : GENERATORS;
    size_t bytes = random_form_bytes(r->form);
    uint8_t *to = out;

    for (uint64_t left = r->count; left;) {
        unsigned g = (unsigned)(s->head.next / GROUP % generators);
        uint32_t all[WORDS + GROUP], w[GROUP];
        uint64_t k = s->head.next % GROUP, n = GROUP - k;

        n = n < left ? n : left;
        memcpy(all, s->word[g], sizeof(s->word[g]));
        mtgp_make(g, all, w);
        for (uint64_t i = k; i < k + n; i++, to += bytes) {
            random_put_quantile(r, RANDOM_QUANTILE_FLOAT, (uint64_t)w[i] << 32, to);
        }
        if (k + n == GROUP) {
            memcpy(s->word[g], all + GROUP, sizeof(s->word[g]));
        }
        s->head.next += n;
        left -= n;
    }
}

const struct random_ops mtgp_ops = {
    .type = RANDOM_MTGP32,
    .bytes = sizeof(struct mtgp),
    .init = mtgp_init,
    .fill = mtgp_fill,
};
