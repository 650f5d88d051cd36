/* SPDX-License-Identifier: MIT */
/* mov, pack and unpack, clocks, the simple conversions, address conversions: PTX ISA 9.7.9. */
#include "model/igpu/sm_lanes.h"

OP1(MOV_B32, u32, u32, u32, a)
OP1(MOV_F32, u32, u32, u32, a)
OP1(MOV_B64, u64, u64, u64, a)
OP1(MOV_F64, u64, u64, u64, a)

OP1(SEXT8_B32, u32, u32, s8, (s32)a)
OP1(SEXT16_B32, u32, u32, s16, (s32)a)
OP1(ZEXT8_B32, u32, u32, u8, a)
OP1(ZEXT16_B32, u32, u32, u16, a)
OP1(SEXT32_B64, s64, s32, s32, a)
OP1(ZEXT32_B64, u64, u32, u32, a)
OP1(TRUNC_B32, u32, u64, u64, (u32)a)

/* Elements of u->size bytes, u->vec of them, the first one lowest */
static u64 element_mask(const struct ptx_uop *u)
{
    return u->size == 4 ? UINT32_MAX : (UINT64_C(1) << (8 * u->size)) - 1;
}

#define PACK(name, type)                                                  \
    HANDLER(name)                                                         \
    {                                                                     \
        const u32 from[4] = { u->a, u->b, u->c, u->e };                   \
        u64 keep = element_mask(u);                                       \
        LANES_OF(m)                                                       \
        {                                                                 \
            u64 v = 0;                                                    \
            for (unsigned i = 0; i < u->vec; i++) {                       \
                v |= (SLOT(u32, from[i])[l] & keep) << (8 * u->size * i); \
            }                                                             \
            SLOT(type, u->d)[l] = (type)v;                                \
        }                                                                 \
        return u + 1;                                                     \
    }

#define UNPACK(name, type)                                                  \
    HANDLER(name)                                                           \
    {                                                                       \
        const u32 to[4] = { u->a, u->b, u->c, u->e };                       \
        u64 keep = element_mask(u);                                         \
        LANES_OF(m)                                                         \
        {                                                                   \
            u64 v = SLOT(type, u->d)[l];                                    \
            for (unsigned i = 0; i < u->vec; i++) {                         \
                SLOT(u32, to[i])[l] = (u32)(v >> (8 * u->size * i) & keep); \
            }                                                               \
        }                                                                   \
        return u + 1;                                                       \
    }

PACK(PACK_B32, u32)
PACK(PACK_B64, u64)
UNPACK(UNPACK_B32, u32)
UNPACK(UNPACK_B64, u64)

/* Clocks: the cycle counter is that of clock.c, the same in every run; the timer is that at the
 * SM's frequency. */
static u64 clock_now(const struct warp *w)
{
    return clock_warp(w);
}

static u64 timer_now(const struct warp *w)
{
    u64 mhz = w->grid->desc.clock_mhz ? w->grid->desc.clock_mhz : 1000;

    return w->grid->desc.clock_ns + clock_warp(w) * 1000 / mhz;
}

#define CLOCK(name, type, now)             \
    HANDLER(name)                          \
    {                                      \
        u64 v;                             \
        warp_count(w, u->inst);            \
        clock_read(w, u);                  \
        v = now(w) >> u->sub;              \
        LANES_OF(m)                        \
        {                                  \
            SLOT(type, u->d)[l] = (type)v; \
        }                                  \
        return u + 1;                      \
    }

CLOCK(MOV_CLOCK, u32, clock_now)
CLOCK(MOV_CLOCK64, u64, clock_now)
CLOCK(MOV_TIMER, u32, timer_now)
CLOCK(MOV_TIMER64, u64, timer_now)

/* Generic addresses: shared and local memory each have a window of their own, PTX ISA 6.4.1. */
OP1(CVTA_SHARED, u64, u64, u64, a + w->grid->desc.shared_window)
OP1(CVTA_LOCAL, u64, u64, u64, a + w->grid->desc.local_window)
OP1(CVTA_PARAM, u64, u64, u64, a + w->grid->desc.local_window + PARAM_WINDOW_OFFSET)
OP1(CVTA_TO_SHARED, u64, u64, u64, a - w->grid->desc.shared_window)
OP1(CVTA_TO_LOCAL, u64, u64, u64, a - w->grid->desc.local_window)

/* Is it, in the window of shared memory, of the block itself? */
static bool is_own(const struct block *b, u64 at)
{
    u64 rank = at >> CLUSTER_SHIFT;

    return !b->cluster || !rank || rank == b->rank + 1;
}

static bool is_space(const struct grid *g, unsigned space, u64 va)
{
    bool shared = va - g->desc.shared_window < WINDOW_BYTES;
    bool local = va - g->desc.local_window < WINDOW_BYTES;
    bool constant = va - g->desc.const_base < g->program->module->const_bytes;
    bool param = local && va - g->desc.local_window >= PARAM_WINDOW_OFFSET;

    switch (space) {
    case PTX_SPACE_SHARED:
        return shared;
    case PTX_SPACE_LOCAL:
        return local && !param;
    case PTX_SPACE_PARAM:
        return param;
    case PTX_SPACE_CONST:
        return constant;
    default:
        return !shared && !local && !constant;
    }
}

HANDLER(ISSPACEP)
{
    u32 r = 0;

    LANES_OF(m)
    {
        u64 va = SLOT(u64, u->a)[l];
        bool is = is_space(w->grid, u->sub, va);

        if (u->sub == PTX_SPACE_SHARED && !(u->flags & PTX_CLUSTER_ANY)) {
            is = is && is_own(w->block, va - w->grid->desc.shared_window);
        }
        r |= (u32)is << l;
    }
    pred_write(rf, u->d, m, r);
    return u + 1;
}

/* mapa, getctarank: an address in shared memory */
static u64 cluster_address(const struct warp *w, const struct ptx_uop *u, uint8_t *rf, u32 lane)
{
    u64 va = u->flags & PTX_CLUSTER_A32 ? SLOT(const u32, u->a)[lane] : SLOT(const u64, u->a)[lane];

    return va - (u->flags & PTX_CLUSTER_SHARED ? 0 : w->grid->desc.shared_window);
}

/* Where a cluster has one block, its own addresses have no rank. */
HANDLER(MAPA)
{
    LANES_OF(m)
    {
        u64 at = cluster_address(w, u, rf, l) & ((UINT64_C(1) << CLUSTER_SHIFT) - 1);
        u64 rank = SLOT(const u32, u->b)[l];

        at |= w->block->cluster || rank ? (rank + 1) << CLUSTER_SHIFT : 0;
        at += u->flags & PTX_CLUSTER_SHARED ? 0 : w->grid->desc.shared_window;
        if (u->flags & PTX_CLUSTER_A32) {
            SLOT(u32, u->d)[l] = (u32)at;
        } else {
            SLOT(u64, u->d)[l] = at;
        }
    }
    return u + 1;
}

HANDLER(GETCTARANK)
{
    LANES_OF(m)
    {
        u32 rank = (u32)(cluster_address(w, u, rf, l) >> CLUSTER_SHIFT);

        SLOT(u32, u->d)[l] = rank ? rank - 1 : w->block->rank;
    }
    return u + 1;
}
