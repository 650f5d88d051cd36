/* SPDX-License-Identifier: MIT */
/* What loads and stores have in common, of global memory and of memory on the SM. */
#ifndef MODEL_IGPU_SM_MEM_H
#define MODEL_IGPU_SM_MEM_H

#include "model/igpu/sm_lanes.h"

/* The addresses of the active lanes, and whether they are aligned to @align (a power of two) */
struct addresses {
    u64 va[32] __attribute__((aligned(64)));
    u64 misaligned; /* mask */
};

static inline __attribute__((unused)) void addresses_take(const struct ptx_uop *u, uint8_t *rf,
                                                          u32 m, u32 align, struct addresses *a)
{
    u64 bad = 0, imm = (u64)u->imm;

    if (u->flags & PTX_MEM_A32) {
        const u32 *s = SLOT(const u32, u->a);

        LANES a->va[l] = (u32)(s[l] + (u32)imm);
    } else {
        const u64 *s = SLOT(const u64, u->a);

        LANES a->va[l] = s[l] + imm;
    }
    LANES bad |= a->va[l] & (align - 1) ? (u64)lane_bit[l] : 0;
    a->misaligned = bad & m;
}

static __attribute__((unused)) const struct ptx_uop *
fault_misaligned(struct warp *w, const struct ptx_uop *u, u32 bad, const struct addresses *a,
                 u32 size, bool write)
{
    u32 lane = lane_first(bad);

    return sm_fault(w, u, GRID_FAULT_MISALIGNED, lane, a->va[lane], size, write,
                    "address is not a multiple of the access size");
}

/* Values of a vector register list: lanes of 4 or 8 bytes */
static inline __attribute__((unused)) u32 value_slot(const struct ptx_uop *u, unsigned i)
{
    return i == 0 ? u->d : i == 1 ? u->b : i == 2 ? u->c : u->e;
}

static inline __attribute__((unused)) void value_put(const struct ptx_uop *u, uint8_t *rf,
                                                     unsigned i, u32 l, u64 v)
{
    if (u->flags & PTX_MEM_SIGNED && u->size < 8) {
        unsigned up = 64 - 8 * u->size;

        v = (u64)((s64)(v << up) >> up);
    }
    if (u->flags & PTX_MEM_WIDE) {
        SLOT(u64, value_slot(u, i))[l] = v;
    } else {
        SLOT(u32, value_slot(u, i))[l] = (u32)v;
    }
}

/* One value for all lanes of @m */
static __attribute__((unused)) void value_splat(const struct ptx_uop *u, uint8_t *rf, unsigned i,
                                                u32 m, u64 v)
{
    if (u->flags & PTX_MEM_SIGNED && u->size < 8) {
        unsigned up = 64 - 8 * u->size;

        v = (u64)((s64)(v << up) >> up);
    }
    if (u->flags & PTX_MEM_WIDE) {
        u64 *d = SLOT(u64, value_slot(u, i));

        LANES d[l] = m & lane_bit[l] ? v : d[l];
    } else {
        u32 *d = SLOT(u32, value_slot(u, i)), v32 = (u32)v;

        LANES d[l] = m & lane_bit[l] ? v32 : d[l];
    }
}

static inline __attribute__((unused)) u64 value_get(const struct ptx_uop *u, uint8_t *rf,
                                                    unsigned i, u32 l)
{
    return u->flags & PTX_MEM_WIDE ? SLOT(u64, value_slot(u, i))[l]
                                   : SLOT(u32, value_slot(u, i))[l];
}

/* memcpy() of a size the compiler knows is one instruction. */
static inline __attribute__((unused)) u64 bytes_get(const uint8_t *p, unsigned size)
{
    u64 v = 0;

    switch (size) {
    case 1:
        return *p;
    case 2:
        memcpy(&v, p, 2);
        return v;
    case 4:
        memcpy(&v, p, 4);
        return v;
    default:
        memcpy(&v, p, 8);
        return v;
    }
}

static inline __attribute__((unused)) void bytes_put(uint8_t *p, u64 v, unsigned size)
{
    switch (size) {
    case 1:
        *p = (uint8_t)v;
        break;
    case 2:
        memcpy(p, &v, 2);
        break;
    case 4:
        memcpy(p, &v, 4);
        break;
    default:
        memcpy(p, &v, 8);
    }
}

/* One lane's elements from and to bytes; little-endian as the GPU is */
static inline __attribute__((unused)) void lane_load(const struct ptx_uop *u, uint8_t *rf, u32 l,
                                                     const uint8_t *p)
{
    for (unsigned i = 0; i < u->vec; i++) {
        value_put(u, rf, i, l, bytes_get(p + i * u->size, u->size));
    }
}

static inline __attribute__((unused)) void lane_store(const struct ptx_uop *u, uint8_t *rf, u32 l,
                                                      uint8_t *p)
{
    for (unsigned i = 0; i < u->vec; i++) {
        bytes_put(p + i * u->size, value_get(u, rf, i, l), u->size);
    }
}

static inline __attribute__((unused)) u32 access_bytes(const struct ptx_uop *u)
{
    return (u32)u->vec * u->size;
}

/* enum bus_how; the decoder has said what the instruction says of the L1 (PTX_HOW_). */
static inline __attribute__((unused)) unsigned load_how(const struct ptx_uop *u)
{
    return u->scope | (unsigned)u->sub;
}

/* Has the slot one 64-bit address for all lanes, there or not? Nearly always: it is a constant. */
static inline __attribute__((unused)) bool address_is_one(const struct ptx_uop *u, uint8_t *rf)
{
    const u64 *as = SLOT(const u64, u->a);
    u64 other = 0;

    if (u->flags & PTX_MEM_A32) {
        return false;
    }
    LANES other |= as[l] ^ as[0];
    return other == 0;
}

/* An asynchronous copy of one lane (uop.def, CP_ASYNC) */
struct lane_copy {
    u64 to, from;
    u32 bytes;
};

static inline __attribute__((unused)) struct lane_copy lane_copy_take(const struct ptx_uop *u,
                                                                      uint8_t *rf, u32 l)
{
    return (struct lane_copy){
        .to = u->flags & PTX_MEM_A32 ? (u32)(SLOT(const u32, u->d)[l] + (u32)u->imm)
                                     : SLOT(const u64, u->d)[l] + (u64)u->imm,
        .from = (u->flags & PTX_CP_FROM_A32 ? SLOT(const u32, u->a)[l] : SLOT(const u64, u->a)[l]) +
                SLOT(const u64, u->c)[l],
        .bytes = SLOT(const u32, u->b)[l],
    };
}

/* --- banks of shared memory --------------------------------------------------------------------
 *
 * 32 of a word each: lanes that want different words of one bank take turns, lanes that want the
 * same word do not (CUDA C++ Programming Guide, Shared Memory, compute capability 5.x and later).
 */

#define BANKS 32u
#define BANKS_FIRST                                                                              \
    64u                 /* accesses of a grid of which each is looked at; then every 31st stands \
                         */
#define BANKS_EVERY 31u /* for all, because the look costs as much as the access */

static inline __attribute__((unused)) void banks_charge(struct warp *w, u32 passes)
{
    w->grid->stats.shared_passes += passes;
    w->path += passes;
}

/* Words of the lanes of @m: how many more passes than one */
static __attribute__((noinline, unused)) u32 banks_more(const u32 *at, u32 m)
{
    u32 word[BANKS][WARP_LANES], n[BANKS] = { 0 }, most = 1;

    LANES_OF(m)
    {
        u32 bank = at[l] / 4 % BANKS, i = 0;

        while (i < n[bank] && word[bank][i] != at[l] / 4) {
            i++;
        }
        if (i == n[bank]) {
            word[bank][n[bank]++] = at[l] / 4;
            most = n[bank] > most ? n[bank] : most;
        }
    }
    return most - 1;
}

/* An access of a word a lane that is neither a row nor within 128 bytes: those have no conflict. */
static inline __attribute__((unused)) void banks_words(struct warp *w, const u32 *at, u32 m)
{
    uint64_t n = w->grid->gathers++;

    if (n < BANKS_FIRST || n % BANKS_EVERY == 0) {
        banks_charge(w, banks_more(at, m) * (n < BANKS_FIRST ? 1 : BANKS_EVERY));
    }
}

/* Wider accesses: 128 bytes a pass (inferred: without conflicts) */
static inline __attribute__((unused)) void banks_bytes(struct warp *w, u32 bytes, u32 m)
{
    banks_charge(w, (bytes * lanes_count(m) - 1) / (4 * BANKS));
}

/* Fewer lanes than this in a line, and it is scattered: the port gets all lines at once beforehand,
 * and one by one is quicker than vectors. */
#define SCATTERED_LANES 4u

/* Taken after the first line of an access, @same of which were in it and @todo of which were not:
 * few were, and many are left. See bus_port_ops. */
static inline __attribute__((unused)) void scattered_ahead(struct bus_port *port, const u64 *va,
                                                           u64 add, u32 same, u32 todo,
                                                           unsigned how, bool store)
{
    if (lanes_count(same) < SCATTERED_LANES && lanes_count(todo) > SCATTERED_LANES &&
        port->ops->ahead) {
        port->ops->ahead(port, va, add, todo, how, store);
    }
}

/* exec_global.c: global memory, any shape, of the lanes of @m; aligned. Return: where to go on */
const struct ptx_uop *SM_NAME(load_lines)(struct warp *w, const struct ptx_uop *u, uint8_t *rf,
                                          u32 m, const u64 *va);
const struct ptx_uop *SM_NAME(store_lines)(struct warp *w, const struct ptx_uop *u, uint8_t *rf,
                                           u32 m, const u64 *va);

#endif
