/* SPDX-License-Identifier: MIT */
/*
 * Part of curand_kernel.h; include that. XORWOW: G. Marsaglia, "Xorshift RNGs", 2003, section 3.1:
 * five words and a counter. Seeding and the length of a subsequence, 2^67: cuRAND, "Bit Generation
 * with XORWOW and MRG32k3a generators".
 */
#ifndef VTEGRA_CURAND_XORWOW_H
#define VTEGRA_CURAND_XORWOW_H

struct curandStateXORWOW {
    unsigned int d, v[5];
    int boxmuller_flag,
        boxmuller_flag_double; /* the second number of a pair waits in boxmuller_extra */
    float boxmuller_extra;
    double boxmuller_extra_double;
};
typedef struct curandStateXORWOW curandStateXORWOW_t;
typedef struct curandStateXORWOW curandState_t;
typedef struct curandStateXORWOW curandState;

VTEGRA_DEVICE void vtegra_xorwow_step(unsigned int v[5])
{
    unsigned int t = v[0] ^ v[0] >> 2;

    v[0] = v[1];
    v[1] = v[2];
    v[2] = v[3];
    v[3] = v[4];
    v[4] = v[4] ^ v[4] << 4 ^ t ^ t << 1;
}

VTEGRA_DEVICE unsigned int curand(curandStateXORWOW_t *state)
{
    vtegra_xorwow_step(state->v);
    state->d += 362437;
    return state->v[4] + state->d;
}

/* For every bit k of n: 2^(k + first) steps at once, as the sum of the states at the powers that
 * row k names. */
static __device__ inline void vtegra_xorwow_jump(unsigned int v[5], unsigned long long n, int first)
{
    for (int k = first; n; n >>= 1, k++) {
        if (n & 1) {
            unsigned int sum[5] = { 0, 0, 0, 0, 0 };

            for (int power = 0; power < 160; power++) {
                if (vtegra_xorwow_jumps[k][power / 32] >> power % 32 & 1) {
                    for (int i = 0; i < 5; i++) {
                        sum[i] ^= v[i];
                    }
                }
                vtegra_xorwow_step(v);
            }
            for (int i = 0; i < 5; i++) {
                v[i] = sum[i];
            }
        }
    }
}

VTEGRA_DEVICE void skipahead(unsigned long long n, curandStateXORWOW_t *state)
{
    vtegra_xorwow_jump(state->v, n, 0);
    state->d += 362437 * (unsigned int)n;
}

/* The counter's step times 2^67 is 0 modulo 2^32. */
VTEGRA_DEVICE void skipahead_sequence(unsigned long long n, curandStateXORWOW_t *state)
{
    vtegra_xorwow_jump(state->v, n, 67);
}

VTEGRA_DEVICE void curand_init(unsigned long long seed, unsigned long long subsequence,
                               unsigned long long offset, curandStateXORWOW_t *state)
{
    unsigned int low = 1099087573u * ((unsigned int)seed ^ 0xaad26b49u);
    unsigned int high = 2591861531u * ((unsigned int)(seed >> 32) ^ 0xf7dcefddu);

    state->d = 6615241u + high + low;
    state->v[0] = 123456789u + low;
    state->v[1] = 362436069u ^ low;
    state->v[2] = 521288629u + high;
    state->v[3] = 88675123u ^ high;
    state->v[4] = 5783321u + low;
    skipahead_sequence(subsequence, state);
    skipahead(offset, state);
    state->boxmuller_flag = state->boxmuller_flag_double = 0;
    state->boxmuller_extra = 0;
    state->boxmuller_extra_double = 0;
}

#endif
