/* SPDX-License-Identifier: MIT */
/* What accessed each byte last. A line of 64 bytes is cut into pieces where accesses begin and end;
 * a piece keeps three loads and three stores: the latest; the latest of another thread of that
 * block; the latest of another block. A record of lanes in a row stands for all of them, so that an
 * instruction of a whole warp costs a piece or two. Pure: what is ordered, the caller says.
 */
#ifndef MODEL_IGPU_RACE_SHADOW_H
#define MODEL_IGPU_RACE_SHADOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SHADOW_LINE 64u

/* Kind of an access, 8 bits */
#define SHADOW_WRITE 1u
#define SHADOW_SCOPE 6u /* one of the next three; 0: weak */
#define SHADOW_OF_BLOCK 2u
#define SHADOW_OF_ALL 4u /* the device, or the system: here they are one */
#define SHADOW_OF_CLUSTER 6u
#define SHADOW_ATOMIC 8u
#define SHADOW_ASYNC 16u
#define SHADOW_SIZE 0xe0u /* of an element, log2 << 5 */
#define SHADOW_SIZE_SHIFT 5u
#define SHADOW_KIND_BITS 8u
/* Which bytes a thread of a record has, 4 bits above the kind: the next 1 << shift are the next
 * lane's, or all are of one thread */
#define SHADOW_ONE 15u
/* In cells of words, of a load: 16 or 32 lanes from this one on have loaded it */
#define SHADOW_HALF 13u
#define SHADOW_WARP 14u
#define SHADOW_STAMP_SHIFT 12u
#define SHADOW_THREAD_BITS 42u /* of a thread of the grid (know.h); above it the place */

/* @when: stamp, shift and kind, 0 none; @who: place and thread, of the first byte */
struct shadow_record {
    uint64_t when, who;
};

static inline uint64_t shadow_thread(struct shadow_record r)
{
    return r.who & ((UINT64_C(1) << SHADOW_THREAD_BITS) - 1);
}

static inline uint64_t shadow_stamp(struct shadow_record r)
{
    return r.when >> SHADOW_STAMP_SHIFT;
}

static inline uint32_t shadow_kind(struct shadow_record r)
{
    return r.when & ((1u << SHADOW_KIND_BITS) - 1);
}

static inline struct shadow_record shadow_record(uint64_t stamp, uint32_t kind, uint64_t place,
                                                 uint64_t thread)
{
    return (struct shadow_record){ stamp << SHADOW_STAMP_SHIFT | kind,
                                   place << SHADOW_THREAD_BITS | thread };
}

struct shadow_access;

/**
 * struct shadow_judge - what the caller knows
 * @ordered: does the earlier access happen before this one?
 * @observed: has the thread read the strong store @earlier, or a later one, at one of these bytes?
 * @race: it does not, and they are not morally strong. @same_value: both stored what is there
 * @strong: are two strong accesses, one of which has the scope of a cluster and none that of a
 * block, morally strong by that?
 */
struct shadow_judge {
    bool (*ordered)(const struct shadow_access *a, struct shadow_record earlier);
    bool (*observed)(const struct shadow_access *a, struct shadow_record earlier, uint64_t va,
                     uint32_t bytes);
    void (*race)(const struct shadow_access *a, struct shadow_record earlier, uint64_t va,
                 uint32_t bytes, bool same_value);
    bool (*strong)(const struct shadow_access *a, struct shadow_record one,
                   struct shadow_record other);
};

/**
 * struct shadow_access - of one lane, or of lanes in a row
 * @me: the first lane's record; its shift is shadow_touch()'s
 * @base, @warp_base: its block's and its warp's accesses up to this stamp happen before it
 * @settled: nothing but barriers of whole blocks orders the threads of this grid
 */
struct shadow_access {
    struct shadow_record me;
    uint64_t base, warp_base;
    bool settled;
    const struct shadow_judge *judge;
    void *opaque;
};

struct shadow;
struct shadow_pool;

/* Pages that grids use one after the other: fresh ones cost the host more than the checks do. */
struct shadow_pool *shadow_pool_new(void);
void shadow_pool_free(struct shadow_pool *p);

/**
 * shadow_new - of an address space, all zero
 * @pool: outlives it; NULL: addresses below @bytes only, in one piece
 * @limit: bytes of the host that it may take
 */
struct shadow *shadow_new(struct shadow_pool *pool, uint64_t bytes, uint64_t limit);
void shadow_free(struct shadow *s);
/* Of shared memory: not one block alone accesses it. */
void shadow_many(struct shadow *s);
/* All is as new, without cost. */
void shadow_forget(struct shadow *s);
/* Has the limit been reached? What came after that is not checked. */
bool shadow_is_full(const struct shadow *s);
/* How many stores it has seen, about: no store lies between two equal answers */
uint64_t shadow_stores(const struct shadow *s);
/* Bytes of the host that it has taken */
uint64_t shadow_bytes(const struct shadow *s);

/**
 * shadow_touch - an access of one lane, or of lanes in order
 * @shift: each lane has 1 << @shift bytes, and @va is a multiple of that; SHADOW_ONE: one lane
 * @value: of a store, what it stores; NULL else
 * Return: what it cost, counted: about ns
 */
uint32_t shadow_touch(struct shadow *s, const struct shadow_access *a, uint64_t va, uint32_t bytes,
                      unsigned shift, const uint8_t *value);

/* A store by one thread of what has been accessed of @bytes, any number: nothing is kept of the
 * rest. Not of shared memory */
uint32_t shadow_touch_known(struct shadow *s, const struct shadow_access *a, uint64_t va,
                            uint64_t bytes);

/* As shadow_touch(), of a weak load of one place by @lanes lanes in a row, two at least: the first
 * and the last stand for all, as no more of them would be kept. */
uint32_t shadow_touch_same(struct shadow *s, const struct shadow_access *a, uint64_t va,
                           uint32_t bytes, unsigned shift, uint32_t lanes);

/**
 * shadow_touch_words - an access of 4 bytes by each of some lanes, anywhere
 * @a: of lane 0; not asynchronous
 * @va: by lane. @lanes: mask of them
 * @values: 4 bytes by lane, of a store; NULL else
 */
uint32_t shadow_touch_words(struct shadow *s, const struct shadow_access *a, const uint64_t *va,
                            uint32_t lanes, const uint8_t *values);

#endif
