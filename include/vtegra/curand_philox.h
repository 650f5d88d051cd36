/* SPDX-License-Identifier: MIT */
/*
 * Part of curand_kernel.h; include that. Philox4x32-10: J. Salmon et al., "Parallel Random Numbers:
 * As Easy as 1, 2, 3", 2011. The counter's upper half is the subsequence, so one has 2^66 numbers.
 */
#ifndef VTEGRA_CURAND_PHILOX_H
#define VTEGRA_CURAND_PHILOX_H

struct curandStatePhilox4_32_10 {
    uint4 ctr, output; /* output: the four numbers of ctr */
    uint2 key;
    unsigned int STATE; /* of output: which is next */
    int boxmuller_flag, boxmuller_flag_double;
    float boxmuller_extra;
    double boxmuller_extra_double;
};
typedef struct curandStatePhilox4_32_10 curandStatePhilox4_32_10_t;

VTEGRA_DEVICE uint4 curand_Philox4x32_10(uint4 c, uint2 key)
{
    for (int round = 0; round < 10; round++) {
        unsigned long long a = 0xd2511f53ull * c.x, b = 0xcd9e8d57ull * c.z;

        c = make_uint4((unsigned int)(b >> 32) ^ c.y ^ key.x, (unsigned int)b,
                       (unsigned int)(a >> 32) ^ c.w ^ key.y, (unsigned int)a);
        key.x += 0x9e3779b9u;
        key.y += 0xbb67ae85u;
    }
    return c;
}

/* Adds n to the counter of 128 bits, from its word x on. */
VTEGRA_DEVICE void vtegra_philox_add(curandStatePhilox4_32_10_t *s, unsigned long long n)
{
    unsigned long long low = (unsigned long long)s->ctr.y << 32 | s->ctr.x, sum = low + n;

    s->ctr.x = (unsigned int)sum;
    s->ctr.y = (unsigned int)(sum >> 32);
    if (sum < low && ++s->ctr.z == 0) {
        s->ctr.w++;
    }
}

VTEGRA_DEVICE void skipahead(unsigned long long n, curandStatePhilox4_32_10_t *state)
{
    state->STATE += (unsigned int)(n % 4);
    vtegra_philox_add(state, n / 4 + state->STATE / 4);
    state->STATE %= 4;
    state->output = curand_Philox4x32_10(state->ctr, state->key);
}

VTEGRA_DEVICE void skipahead_sequence(unsigned long long n, curandStatePhilox4_32_10_t *state)
{
    unsigned long long high = ((unsigned long long)state->ctr.w << 32 | state->ctr.z) + n;

    state->ctr.z = (unsigned int)high;
    state->ctr.w = (unsigned int)(high >> 32);
    state->output = curand_Philox4x32_10(state->ctr, state->key);
}

VTEGRA_DEVICE void curand_init(unsigned long long seed, unsigned long long subsequence,
                               unsigned long long offset, curandStatePhilox4_32_10_t *state)
{
    state->ctr = make_uint4(0, 0, 0, 0);
    state->key = make_uint2((unsigned int)seed, (unsigned int)(seed >> 32));
    state->STATE = 0;
    state->boxmuller_flag = state->boxmuller_flag_double = 0;
    state->boxmuller_extra = 0;
    state->boxmuller_extra_double = 0;
    skipahead_sequence(subsequence, state);
    skipahead(offset, state);
}

VTEGRA_DEVICE unsigned int vtegra_word(const uint4 v, unsigned int index)
{
    return index == 0 ? v.x : index == 1 ? v.y : index == 2 ? v.z : v.w;
}

VTEGRA_DEVICE unsigned int curand(curandStatePhilox4_32_10_t *state)
{
    unsigned int value = vtegra_word(state->output, state->STATE);

    if (++state->STATE == 4) {
        vtegra_philox_add(state, 1);
        state->output = curand_Philox4x32_10(state->ctr, state->key);
        state->STATE = 0;
    }
    return value;
}

/* The next four, which lie in two outputs unless the first of one is next. */
VTEGRA_DEVICE uint4 curand4(curandStatePhilox4_32_10_t *state)
{
    uint4 value;

    value.x = curand(state);
    value.y = curand(state);
    value.z = curand(state);
    value.w = curand(state);
    return value;
}

#endif
