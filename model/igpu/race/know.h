/* SPDX-License-Identifier: MIT */
/* Up to which stamp of a grid's clock the accesses of other threads happen before those of a
 * holder: a sorted list that is shared until one of its holders learns more. A key is a thread, a
 * warp or a block, so that a barrier of many threads needs few entries. */
#ifndef MODEL_IGPU_RACE_KNOW_H
#define MODEL_IGPU_RACE_KNOW_H

#include <stdbool.h>
#include <stdint.h>

/* A thread of the grid: its block << KNOW_THREAD_BITS | its number in the block */
#define KNOW_THREAD_BITS 10u
#define KNOW_WARP_BITS 5u

struct know_entry {
    uint64_t key, stamp;
};

struct know {
    uint32_t refs, n, room;
    struct know_entry e[];
};

static inline uint64_t know_thread(uint64_t thread)
{
    return thread << 2;
}

static inline uint64_t know_warp(uint64_t thread)
{
    return thread >> KNOW_WARP_BITS << 2 | 1;
}

static inline uint64_t know_block(uint64_t thread)
{
    return thread >> KNOW_THREAD_BITS << 2 | 2;
}

/* The asynchronous copies of a thread, which an mbarrier waits for in its place */
static inline uint64_t know_copies(uint64_t thread)
{
    return thread << 2 | 3;
}

/* Of each: NULL is the empty list. @work counts entries that were visited. */
struct know *know_ref(struct know *k);
void know_drop(struct know *k);
uint64_t know_find(const struct know *k, uint64_t key);
/* Up to which stamp of @thread, by any of its three keys */
bool know_covers(const struct know *k, uint64_t thread, uint64_t stamp);
/* Anything of the block of this number */
bool know_of_block(const struct know *k, uint64_t block);
/* The reference of @a is consumed, that of @b is not. Stamp 0 adds nothing. */
struct know *know_join(struct know *a, struct know *b, uint64_t *work);
struct know *know_add(struct know *a, uint64_t key, uint64_t stamp, uint64_t *work);

#endif
