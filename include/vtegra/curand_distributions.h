/* SPDX-License-Identifier: MIT */
/*
 * Part of curand_kernel.h; include that. Uniform numbers from above 0 to 1, normal ones by Box and
 * Muller's method in pairs, of which the second waits in the state. cuRAND, "Distributions".
 */
#ifndef VTEGRA_CURAND_DISTRIBUTIONS_H
#define VTEGRA_CURAND_DISTRIBUTIONS_H

#define CURAND_2POW32_INV 2.3283064e-10f
#define CURAND_2POW32_INV_DOUBLE 2.3283064365386963e-10
#define CURAND_2POW53_INV_DOUBLE 1.1102230246251565e-16
#define CURAND_2POW32_INV_2PI (2.3283064e-10f * 6.2831855f)

VTEGRA_DEVICE float vtegra_uniform(unsigned int x)
{
    return x * CURAND_2POW32_INV + CURAND_2POW32_INV / 2;
}

VTEGRA_DEVICE unsigned long long vtegra_bits_53(unsigned int x, unsigned int y)
{
    return x ^ (unsigned long long)y << 21;
}

VTEGRA_DEVICE double vtegra_uniform_53(unsigned int x, unsigned int y)
{
    return vtegra_bits_53(x, y) * CURAND_2POW53_INV_DOUBLE + CURAND_2POW53_INV_DOUBLE / 2;
}

VTEGRA_DEVICE float curand_uniform(curandStateXORWOW_t *state)
{
    return vtegra_uniform(curand(state));
}

VTEGRA_DEVICE float curand_uniform(curandStatePhilox4_32_10_t *state)
{
    return vtegra_uniform(curand(state));
}

VTEGRA_DEVICE double curand_uniform_double(curandStateXORWOW_t *state)
{
    unsigned int x = curand(state);

    return vtegra_uniform_53(x, curand(state));
}

/* 32 bits of 53: the documented form of this generator. */
VTEGRA_DEVICE double curand_uniform_double(curandStatePhilox4_32_10_t *state)
{
    return curand(state) * CURAND_2POW32_INV_DOUBLE + CURAND_2POW32_INV_DOUBLE;
}

VTEGRA_DEVICE double curand_uniform_double(curandStateMRG32k3a_t *state)
{
    return vtegra_mrg_next(state) * 2.3283065498378288e-10; /* 1 / m1 */
}

VTEGRA_DEVICE float curand_uniform(curandStateMRG32k3a_t *state)
{
    return (float)curand_uniform_double(state);
}

VTEGRA_DEVICE float4 curand_uniform4(curandStatePhilox4_32_10_t *state)
{
    uint4 x = curand4(state);

    return make_float4(vtegra_uniform(x.x), vtegra_uniform(x.y), vtegra_uniform(x.z),
                       vtegra_uniform(x.w));
}

VTEGRA_DEVICE double2 curand_uniform2_double(curandStatePhilox4_32_10_t *state)
{
    uint4 x = curand4(state);

    return make_double2(vtegra_uniform_53(x.x, x.y), vtegra_uniform_53(x.z, x.w));
}

/* Box and Muller: radius from u, angle in radians. */
VTEGRA_DEVICE float2 vtegra_normal_pair(float u, float angle)
{
    float radius = sqrtf(-2.0f * logf(u));
    float2 pair;

    __sincosf(angle, &pair.x, &pair.y);
    pair.x *= radius;
    pair.y *= radius;
    return pair;
}

/* The angle in halves of a turn. */
VTEGRA_DEVICE double2 vtegra_normal_pair_double(double u, double half_turns)
{
    double radius = sqrt(-2.0 * log(u));
    double2 pair;

    sincospi(half_turns, &pair.x, &pair.y);
    pair.x *= radius;
    pair.y *= radius;
    return pair;
}

VTEGRA_DEVICE float2 vtegra_normal_of(unsigned int x, unsigned int y)
{
    return vtegra_normal_pair(vtegra_uniform(x),
                              y * CURAND_2POW32_INV_2PI + CURAND_2POW32_INV_2PI / 2);
}

VTEGRA_DEVICE double2 vtegra_normal_of(uint4 x)
{
    return vtegra_normal_pair_double(vtegra_uniform_53(x.x, x.y),
                                     vtegra_bits_53(x.z, x.w) * (CURAND_2POW53_INV_DOUBLE * 2) +
                                         CURAND_2POW53_INV_DOUBLE);
}

template <class State> VTEGRA_DEVICE float2 curand_normal2(State *state)
{
    unsigned int x = curand(state);

    return vtegra_normal_of(x, curand(state));
}

VTEGRA_DEVICE float2 curand_normal2(curandStateMRG32k3a_t *state)
{
    float u = curand_uniform(state);

    return vtegra_normal_pair(u, curand_uniform(state) * 6.2831855f);
}

template <class State> VTEGRA_DEVICE double2 curand_normal2_double(State *state)
{
    uint4 x;

    x.x = curand(state);
    x.y = curand(state);
    x.z = curand(state);
    x.w = curand(state);
    return vtegra_normal_of(x);
}

VTEGRA_DEVICE double2 curand_normal2_double(curandStateMRG32k3a_t *state)
{
    double u = curand_uniform_double(state);

    return vtegra_normal_pair_double(u, curand_uniform_double(state) * 2.0);
}

VTEGRA_DEVICE float4 curand_normal4(curandStatePhilox4_32_10_t *state)
{
    float2 a = curand_normal2(state), b = curand_normal2(state);

    return make_float4(a.x, a.y, b.x, b.y);
}

enum {
    VTEGRA_EXTRA_NORMAL = 1,
    VTEGRA_EXTRA_LOG_NORMAL = 2
}; /* what waits: another kind's is dropped */

/* One number of a pair: @flag and @extra are the state's, @pair_of makes a new pair from the state.
 */
#define VTEGRA_HALF_OF_PAIR(type, waits, flag, extra, pair_of) \
    if (state->flag == waits) {                                \
        state->flag = 0;                                       \
        return state->extra;                                   \
    }                                                          \
    type##2 pair = pair_of;                                    \
    state->extra = pair.y;                                     \
    state->flag = waits;                                       \
    return pair.x

template <class State> VTEGRA_DEVICE float curand_normal(State *state)
{
    VTEGRA_HALF_OF_PAIR(float, VTEGRA_EXTRA_NORMAL, boxmuller_flag, boxmuller_extra,
                        curand_normal2(state));
}

template <class State> VTEGRA_DEVICE double curand_normal_double(State *state)
{
    VTEGRA_HALF_OF_PAIR(double, VTEGRA_EXTRA_NORMAL, boxmuller_flag_double, boxmuller_extra_double,
                        curand_normal2_double(state));
}

template <class State>
VTEGRA_DEVICE float2 curand_log_normal2(State *state, float mean, float stddev)
{
    float2 pair = curand_normal2(state);

    return make_float2(expf(mean + stddev * pair.x), expf(mean + stddev * pair.y));
}

template <class State>
VTEGRA_DEVICE double2 curand_log_normal2_double(State *state, double mean, double stddev)
{
    double2 pair = curand_normal2_double(state);

    return make_double2(exp(mean + stddev * pair.x), exp(mean + stddev * pair.y));
}

template <class State> VTEGRA_DEVICE float curand_log_normal(State *state, float mean, float stddev)
{
    VTEGRA_HALF_OF_PAIR(float, VTEGRA_EXTRA_LOG_NORMAL, boxmuller_flag, boxmuller_extra,
                        curand_log_normal2(state, mean, stddev));
}

template <class State>
VTEGRA_DEVICE double curand_log_normal_double(State *state, double mean, double stddev)
{
    VTEGRA_HALF_OF_PAIR(double, VTEGRA_EXTRA_LOG_NORMAL, boxmuller_flag_double,
                        boxmuller_extra_double, curand_log_normal2_double(state, mean, stddev));
}
#undef VTEGRA_HALF_OF_PAIR

#endif
