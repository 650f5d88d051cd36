/* SPDX-License-Identifier: MIT */
/* Orders of the blocks and warps of a grid, other than by number (grid_desc.order). CUDA promises
 * none: a program must be right in each (CUDA Programming Guide, thread hierarchy: blocks run in
 * any order). */
#ifndef MODEL_IGPU_RACE_BLOCK_ORDER_H
#define MODEL_IGPU_RACE_BLOCK_ORDER_H

#include "model/igpu/sm.h"

#define BLOCKS_AT_ONCE 4u

/* splitmix64's output function (see sched/decide.c) */
static inline uint64_t order_mix(uint64_t z)
{
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/**
 * block_order - which block is the @i-th of @n to start?
 * @i: less than @n. Each of the @n is one's answer: a Feistel network over the next power of four,
 * until it stays below @n
 */
static inline uint64_t block_order(uint32_t order, uint64_t n, uint64_t i)
{
    unsigned half = 1;
    uint64_t mask;

    while (half < 32 && n > UINT64_C(1) << 2 * half) {
        half++;
    }
    mask = (UINT64_C(1) << half) - 1;
    do {
        uint64_t left = i >> half, right = i & mask;

        for (uint64_t round = 1; round <= 4; round++) {
            uint64_t next = left ^ (order_mix((uint64_t)order << 32 ^ round << 56 ^ right) & mask);

            left = right;
            right = next;
        }
        i = left << half | right;
    } while (i >= n);
    return i;
}

/* How many blocks start together, the @i-th of all among them */
static inline uint32_t blocks_at_once(uint32_t order, uint64_t i)
{
    return 1 + (uint32_t)(order_mix((uint64_t)order << 32 ^ ~i) % BLOCKS_AT_ONCE);
}

/* Where the turns of its warps begin, and which way they go */
static inline void block_turns(struct block *b, uint32_t order)
{
    uint64_t way = order ? order_mix((uint64_t)order << 32 ^ b->linear) : 0;

    b->cursor = 0;
    b->first = (uint32_t)(way >> 32) % b->n_warps;
    b->backwards = way & 1;
}

static inline struct warp *block_warp(const struct block *b, uint32_t turn)
{
    uint32_t i = b->first + (b->backwards ? b->n_warps - turn : turn);

    return &b->warp[i < b->n_warps ? i : i - b->n_warps];
}

#endif
