/* SPDX-License-Identifier: MIT */
#include "runtime/observe/ranges.h"

#include <glib.h>
#include <string.h>

#define ROOM_FIRST 64u

static void copy_grow(struct vtegra_track_copy *c)
{
    uint32_t room = MAX(c->room * 2, ROOM_FIRST);
    struct vtegra_track_range *range = g_new(struct vtegra_track_range, room);

    if (c->count > 0) {
        memcpy(range, c->range, c->count * sizeof(*range));
    }
    c->room = room;
    c->outgrown[c->growths++] = c->range;
    __atomic_store_n(&c->range, range, __ATOMIC_RELEASE);
}

static void copy_insert(struct vtegra_track_copy *c, struct vtegra_track_range new)
{
    uint32_t at = vtegra_track_below(c->range, c->count, new.base);

    if (c->count == c->room) {
        copy_grow(c);
    }
    memmove(c->range + at + 1, c->range + at, (c->count - at) * sizeof(*c->range));
    c->range[at] = new;
    __atomic_store_n(&c->count, c->count + 1, __ATOMIC_RELEASE);
}

static void copy_remove(struct vtegra_track_copy *c, uint64_t base)
{
    uint32_t at = vtegra_track_below(c->range, c->count, base);

    if (at > 0 && c->range[at - 1].base == base) {
        memmove(c->range + at - 1, c->range + at, (c->count - at) * sizeof(*c->range));
        __atomic_store_n(&c->count, c->count - 1, __ATOMIC_RELEASE);
    }
}

static void copy_change(struct vtegra_track_copy *c, struct vtegra_track_range range)
{
    if (range.size > 0) {
        copy_insert(c, range);
    } else {
        copy_remove(c, range.base);
    }
}

/* @range of no size: remove the one that begins there. */
static void ranges_change(struct vtegra_track_ranges *r, struct vtegra_track_range range)
{
    uint32_t version = r->version;

    copy_change(&r->copy[(version + 1) & 1], range);
    __atomic_store_n(&r->version, version + 1, __ATOMIC_RELEASE);
    __atomic_thread_fence(__ATOMIC_SEQ_CST); /* readers of the first copy find the new version */
    copy_change(&r->copy[version & 1], range);
    __atomic_thread_fence(__ATOMIC_SEQ_CST); /* of both copies: before the next change */
}

void ranges_add(struct vtegra_track_ranges *r, uint64_t base, uint64_t size)
{
    ranges_change(r, (struct vtegra_track_range){ base, size });
}

void ranges_remove(struct vtegra_track_ranges *r, uint64_t base)
{
    ranges_change(r, (struct vtegra_track_range){ base, 0 });
}
