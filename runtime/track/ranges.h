/* SPDX-License-Identifier: MIT */
/* Ranges of addresses, as many as there are, that one thread changes while hooks on others look
 * them up. A look-up takes no lock and allocates nothing: it also happens in signal handlers, which
 * may have interrupted the change.
 *
 * There are two copies. Bit 0 of @version says which one is read; the writer changes the other one,
 * increments @version, and repeats the change in the first. A reader whose copy was changed
 * meanwhile finds another @version and repeats the look-up. runtime/observe/ranges.c is the writer.
 */
#ifndef RUNTIME_TRACK_RANGES_H
#define RUNTIME_TRACK_RANGES_H

#include <stdbool.h>
#include <stdint.h>

struct vtegra_track_range {
    uint64_t base, size;
};

/**
 * struct vtegra_track_copy
 * @count: entries of @range; incremented after @range can hold them, so read before it
 * @range: ascending, disjoint
 * @room: of @range, for the writer
 * @outgrown: smaller arrays, of @growths; a reader may hold one, so they are never freed. Each is
 * at least twice as large as the one before: there are never more
 */
struct vtegra_track_copy {
    uint32_t count, room, growths;
    struct vtegra_track_range *range, *outgrown[32];
};

struct vtegra_track_ranges {
    uint32_t version;
    struct vtegra_track_copy copy[2];
};

/* Number of ranges that begin at or below @address. */
static inline uint32_t vtegra_track_below(const struct vtegra_track_range *range, uint32_t count,
                                          uint64_t address)
{
    uint32_t low = 0, high = count;

    while (low < high) {
        uint32_t mid = low + (high - low) / 2;

        if (__atomic_load_n(&range[mid].base, __ATOMIC_RELAXED) <= address) {
            low = mid + 1;
        } else {
            high = mid;
        }
    }
    return low;
}

static inline bool vtegra_track_copy_has(const struct vtegra_track_copy *c, uint64_t address)
{
    uint32_t count = __atomic_load_n(&c->count, __ATOMIC_ACQUIRE);
    const struct vtegra_track_range *range = __atomic_load_n(&c->range, __ATOMIC_ACQUIRE);
    uint32_t below = vtegra_track_below(range, count, address);

    return below > 0 && address - __atomic_load_n(&range[below - 1].base, __ATOMIC_RELAXED) <
                            __atomic_load_n(&range[below - 1].size, __ATOMIC_RELAXED);
}

/* Does a range hold @address? */
static inline bool vtegra_track_ranges_have(const struct vtegra_track_ranges *r, uint64_t address)
{
    uint32_t version = __atomic_load_n(&r->version, __ATOMIC_ACQUIRE), before;
    bool has;

    do {
        before = version;
        has = vtegra_track_copy_has(&r->copy[before & 1], address);
        __atomic_thread_fence(__ATOMIC_ACQUIRE);
        version = __atomic_load_n(&r->version, __ATOMIC_ACQUIRE);
    } while (version != before);
    return has;
}

/* From the first byte of the lowest range to the last one of the highest; for the writer's thread.
 */
static inline struct vtegra_track_range
vtegra_track_ranges_envelope(const struct vtegra_track_ranges *r)
{
    const struct vtegra_track_copy *c = &r->copy[r->version & 1];
    struct vtegra_track_range all = { 0 };

    if (c->count > 0) {
        const struct vtegra_track_range *last = &c->range[c->count - 1];

        all.base = c->range[0].base;
        all.size = last->base + last->size - all.base;
    }
    return all;
}

#endif
