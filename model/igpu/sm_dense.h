/* SPDX-License-Identifier: MIT */
/* A whole warp whose lanes access their elements one after the other, from the begin of a line on
 * (or within one line, where all are less): arrays of pairs and quads (float2, uchar4), of bytes,
 * of doubles. It needs no look at where each lane's are.
 */
#ifndef MODEL_IGPU_SM_DENSE_H
#define MODEL_IGPU_SM_DENSE_H

#include "model/igpu/sm_lanes.h"

/* Lanes that one line serves */
static inline __attribute__((unused)) unsigned dense_lanes(unsigned bytes)
{
    return bytes * 32 < BUS_LINE ? 32 : BUS_LINE / bytes;
}

static inline __attribute__((unused)) bool dense_is(const struct ptx_uop *u, const u64 *va)
{
    unsigned bytes = (unsigned)u->vec * u->size;
    u64 off = va[0] & (dense_lanes(bytes) * bytes - 1);

    if (off || va[31] - va[0] != 31 * (u64)bytes || !(u->flags & PTX_MEM_WIDE) != (u->size < 8)) {
        return false; /* nearly always here, where it is not */
    }
    LANES off |= va[l] ^ (va[0] + bytes * (u64)l);
    return off == 0;
}

/* Registers of the lanes from one line, and a line from them: @vec elements a lane */
#define DENSE_COPY(name, element, slot)                                                  \
    static inline __attribute__((always_inline)) void name##_get(                        \
        const element *restrict line, unsigned vec, uint8_t *const rf[4], unsigned from) \
    {                                                                                    \
        unsigned n = dense_lanes(vec * (unsigned)sizeof(element));                       \
                                                                                         \
        for (unsigned i = 0; i < vec; i++) {                                             \
            slot *restrict d = (slot *)(void *)rf[i] + from;                             \
                                                                                         \
            for (unsigned l = 0; l < n; l++) {                                           \
                d[l] = (slot)line[l * vec + i];                                          \
            }                                                                            \
        }                                                                                \
    }                                                                                    \
    static inline __attribute__((always_inline, unused)) void name##_put(                \
        element *restrict line, unsigned vec, uint8_t *const rf[4], unsigned from)       \
    {                                                                                    \
        const slot *d0 = (const slot *)(void *)rf[0] + from;                             \
        const slot *d1 = (const slot *)(void *)rf[1] + from;                             \
        const slot *d2 = (const slot *)(void *)rf[2] + from;                             \
        const slot *d3 = (const slot *)(void *)rf[3] + from;                             \
        unsigned n = dense_lanes(vec * (unsigned)sizeof(element));                       \
                                                                                         \
        for (unsigned l = 0; l < n; l++) {                                               \
            line[l * vec] = (element)d0[l];                                              \
            if (vec >= 2) {                                                              \
                line[l * vec + 1] = (element)d1[l];                                      \
            }                                                                            \
            if (vec >= 4) {                                                              \
                line[l * vec + 2] = (element)d2[l];                                      \
                line[l * vec + 3] = (element)d3[l];                                      \
            }                                                                            \
        }                                                                                \
    }

DENSE_COPY(dense_u8, u8, u32)
DENSE_COPY(dense_s8, s8, s32)
DENSE_COPY(dense_u16, u16, u32)
DENSE_COPY(dense_s16, s16, s32)
DENSE_COPY(dense_32, u32, u32)
DENSE_COPY(dense_64, u64, u64)
#undef DENSE_COPY

/* A loop of known length for each number of elements */
#define DENSE_VEC(call, line, vec, rf, from) \
    switch (vec) {                           \
    case 1:                                  \
        call(line, 1, rf, from);             \
        break;                               \
    case 2:                                  \
        call(line, 2, rf, from);             \
        break;                               \
    default:                                 \
        call(line, 4, rf, from);             \
        break;                               \
    }

static inline __attribute__((unused)) void dense_get(const struct ptx_uop *u, const void *line,
                                                     uint8_t *const rf[4], unsigned from)
{
    bool sign = u->flags & PTX_MEM_SIGNED;

    if (u->size == 4) {
        DENSE_VEC(dense_32_get, line, u->vec, rf, from)
    } else if (u->size == 8) {
        DENSE_VEC(dense_64_get, line, u->vec, rf, from)
    } else if (u->size == 1 && !sign) {
        DENSE_VEC(dense_u8_get, line, u->vec, rf, from)
    } else if (u->size == 2 && !sign) {
        DENSE_VEC(dense_u16_get, line, u->vec, rf, from)
    } else if (u->size == 1) {
        DENSE_VEC(dense_s8_get, line, u->vec, rf, from)
    } else {
        DENSE_VEC(dense_s16_get, line, u->vec, rf, from)
    }
}

static inline __attribute__((unused)) void dense_put(const struct ptx_uop *u, void *line,
                                                     uint8_t *const rf[4], unsigned from)
{
    switch (u->size) {
    case 1:
        DENSE_VEC(dense_u8_put, line, u->vec, rf, from)
        break;
    case 2:
        DENSE_VEC(dense_u16_put, line, u->vec, rf, from)
        break;
    case 4:
        DENSE_VEC(dense_32_put, line, u->vec, rf, from)
        break;
    default:
        DENSE_VEC(dense_64_put, line, u->vec, rf, from)
        break;
    }
}
#undef DENSE_VEC

#endif
