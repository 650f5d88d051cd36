/* SPDX-License-Identifier: MIT */
/* Loads of 32 bits in compiled code: exec_global.c's load_line() and load_halves(), whose addresses
 * and results stay in vectors. Every other shape is the handler's.
 */
#ifndef MODEL_IGPU_NATIVE_LOAD_H
#define MODEL_IGPU_NATIVE_LOAD_H

#include "model/igpu/sm_row.h"

typedef u32 half32 __attribute__((vector_size(64), aligned(4), may_alias));
typedef u64 half64 __attribute__((vector_size(128)));

#define FIRST_16 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
#define LAST_16 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31

#define NATIVE_INLINE static inline __attribute__((always_inline, unused))

/* Bytes from a lane to the next, 0 or 4; else 1. A function of the lanes alone, so that loads at
 * several offsets from one register share it. */
NATIVE_INLINE unsigned native_step(half64 va)
{
    static const half64 ramp = { 0, 4, 8, 12, 16, 20, 24, 28, 32, 36, 40, 44, 48, 52, 56, 60 };
    u64 step = va[1] - va[0];
    half64 other = va ^ (va[0] + (ramp & -(step >> 2)));

    return step == 0 || step == 4 ? (__builtin_reduce_or(other) ? 1 : (unsigned)step) : 1;
}

NATIVE_INLINE half32 native_half(const struct half *h, const uint8_t *line)
{
    u32 first;

    if (h->step) {
        return *(const half32 *)(line + h->at);
    }
    memcpy(&first, line + h->at, sizeof(first));
    return (half32){ 0 } + first;
}

NATIVE_INLINE v32 native_join(half32 low, half32 high)
{
    return __builtin_shufflevector(low, high, FIRST_16, LAST_16);
}

/**
 * native_load - LD_GLOBAL_32 of all lanes
 * @as: the address register
 * @d: the lanes that have been loaded change, also before a fault
 * Return: what the handler would; NULL: nothing is done, ask the handler.
 */
NATIVE_INLINE const struct ptx_uop *native_load(struct warp *w, const struct ptx_uop *u,
                                                const struct native_calls *calls, v64 as, u64 imm,
                                                unsigned how, v32 *d)
{
    unsigned low = native_step(__builtin_shufflevector(as, as, FIRST_16));
    unsigned high = native_step(__builtin_shufflevector(as, as, LAST_16));
    struct bus_port *port = w->grid->port;
    struct grid_stats *stats = &w->grid->stats;
    struct half h[2];
    half32 first;
    const uint8_t *data;
    enum bus_status status;
    bool same;

    if ((low | high) & 1 || port->observed || !half_place(as[0] + imm, low, &h[0]) ||
        !half_place(as[HALF] + imm, high, &h[1])) {
        return NULL;
    }
    same = h[0].line == h[1].line;
    stats->mem_insts++;
    stats->mem_lines++;
    port->moment = warp_moment(w, u);
    status = port->ops->load(port, h[0].line, h[0].sectors | (same ? h[1].sectors : 0), how, &data);
    if (status != BUS_OK) {
        return calls->fault_port(w, u, status, 0, h[0].line + h[0].at, 4, false);
    }
    first = native_half(&h[0], data);
    if (!same) {
        stats->mem_lines++;
        status = port->ops->load(port, h[1].line, h[1].sectors, how, &data);
    }
    if (status != BUS_OK) {
        *d = native_join(first, __builtin_shufflevector(*d, *d, LAST_16));
        return calls->fault_port(w, u, status, HALF, h[1].line + h[1].at, 4, false);
    }
    *d = native_join(first, native_half(&h[1], data));
    return u + 1;
}

#endif
