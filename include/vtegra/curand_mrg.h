/* SPDX-License-Identifier: MIT */
/*
 * Part of curand_kernel.h; include that. MRG32k3a: P. L'Ecuyer, "Good parameters and
 * implementations for combined multiple recursive random number generators", 1999. Seeding;
 * subsequences of 2^76 and sequences of 2^127 numbers: cuRAND, "Bit Generation with XORWOW and
 * MRG32k3a generators".
 */
#ifndef VTEGRA_CURAND_MRG_H
#define VTEGRA_CURAND_MRG_H

#define MRG32K3A_MOD1 4294967087ull
#define MRG32K3A_MOD2 4294944443ull

struct curandStateMRG32k3a {
    unsigned int s1[3], s2[3];
    int boxmuller_flag, boxmuller_flag_double;
    float boxmuller_extra;
    double boxmuller_extra_double;
};
typedef struct curandStateMRG32k3a curandStateMRG32k3a_t;

VTEGRA_DEVICE void vtegra_mrg_push(unsigned int s[3], unsigned long long value)
{
    s[0] = s[1];
    s[1] = s[2];
    s[2] = (unsigned int)value;
}

/* 1 to MRG32K3A_MOD1 */
VTEGRA_DEVICE unsigned int vtegra_mrg_next(curandStateMRG32k3a_t *state)
{
    unsigned long long a, b;

    a = (1403580ull * state->s1[1] + 810728ull * (MRG32K3A_MOD1 - state->s1[0])) % MRG32K3A_MOD1;
    vtegra_mrg_push(state->s1, a);
    b = (527612ull * state->s2[2] + 1370589ull * (MRG32K3A_MOD2 - state->s2[0])) % MRG32K3A_MOD2;
    vtegra_mrg_push(state->s2, b);
    return (unsigned int)(a <= b ? a + MRG32K3A_MOD1 - b : a - b);
}

/* The numbers stretched to all of 32 bits, as cuRAND has them. */
VTEGRA_DEVICE unsigned int curand(curandStateMRG32k3a_t *state)
{
    return (unsigned int)((double)vtegra_mrg_next(state) * 1.000000048662);
}

VTEGRA_DEVICE void vtegra_mrg_product(unsigned int r[3][3], const unsigned int a[3][3],
                                      const unsigned int b[3][3], unsigned long long m)
{
    unsigned int c[3][3];

    for (int i = 0; i < 9; i++) {
        unsigned long long sum = 0;

        for (int k = 0; k < 3; k++) {
            sum = (sum + (unsigned long long)a[i / 3][k] * b[k][i % 3] % m) % m;
        }
        c[i / 3][i % 3] = (unsigned int)sum;
    }
    for (int i = 0; i < 9; i++) {
        r[i / 3][i % 3] = c[i / 3][i % 3];
    }
}

/* s = matrix^n * s */
static __device__ inline void vtegra_mrg_jump(unsigned int s[3], const unsigned int matrix[3][3],
                                              unsigned long long n, unsigned long long m)
{
    unsigned int power[3][3];

    for (int i = 0; i < 9; i++) {
        power[i / 3][i % 3] = matrix[i / 3][i % 3];
    }
    for (; n; n >>= 1) {
        if (n & 1) {
            unsigned int r[3];

            for (int i = 0; i < 3; i++) {
                unsigned long long sum = 0;

                for (int k = 0; k < 3; k++) {
                    sum = (sum + (unsigned long long)power[i][k] * s[k] % m) % m;
                }
                r[i] = (unsigned int)sum;
            }
            for (int i = 0; i < 3; i++) {
                s[i] = r[i];
            }
        }
        vtegra_mrg_product(power, power, power, m);
    }
}

#define VTEGRA_SKIP(name, matrix)                                               \
    VTEGRA_DEVICE void name(unsigned long long n, curandStateMRG32k3a_t *state) \
    {                                                                           \
        vtegra_mrg_jump(state->s1, vtegra_mrg_1##matrix, n, MRG32K3A_MOD1);     \
        vtegra_mrg_jump(state->s2, vtegra_mrg_2##matrix, n, MRG32K3A_MOD2);     \
    }
VTEGRA_SKIP(skipahead, )
VTEGRA_SKIP(skipahead_subsequence, _subsequence)
VTEGRA_SKIP(skipahead_sequence, _sequence)
#undef VTEGRA_SKIP

VTEGRA_DEVICE void curand_init(unsigned long long seed, unsigned long long subsequence,
                               unsigned long long offset, curandStateMRG32k3a_t *state)
{
    unsigned long long x = (unsigned int)seed ^ 0x55555555u,
                       y = (unsigned int)(seed >> 32) ^ 0xaaaaaaaau;

    for (int i = 0; i < 3; i++) { /* seed 0: the published start */
        state->s1[i] = seed ? (unsigned int)((i == 1 ? y : x) * 12345 % MRG32K3A_MOD1) : 12345;
        state->s2[i] = seed ? (unsigned int)((i == 1 ? x : y) * 12345 % MRG32K3A_MOD2) : 12345;
    }
    skipahead_subsequence(subsequence, state);
    skipahead(offset, state);
    state->boxmuller_flag = state->boxmuller_flag_double = 0;
    state->boxmuller_extra = 0;
    state->boxmuller_extra_double = 0;
}

#endif
