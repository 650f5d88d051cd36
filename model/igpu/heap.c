/* SPDX-License-Identifier: MIT */
/* malloc and free of device code: a heap in device memory that outlives the kernels of a context.
 * Source: CUDA C++ programming guide, "Dynamic Global Memory Allocation and Operations" (16-byte
 * alignment; NULL where nothing is left; what a kernel allocates another one may free). How NVIDIA
 * finds a place is not published; this one goes round from where it was last, which makes addresses
 * the same in every run.
 *
 * The heap: u64 offset of the block to look at first, u64 reserved, then block after block to the
 * end. A block: u64 bytes with its head, bit 0: in use; u64 mark; the bytes. All zero is one free
 * block. */
#include <string.h>

#include "model/igpu/intrinsic.h"
#include "model/igpu/race/race.h"

#define HEAP_HEAD 16u
#define BLOCK_HEAD 16u
#define BLOCK_USED 1u
#define BLOCK_MARK UINT64_C(0x766c617469706165)

struct heap_block {
    uint64_t bytes, mark;
};

static bool heap_read(const struct lane_call *c, uint64_t at, void *to, size_t len)
{
    return sm_read(c->w, c->u, c->lane, c->w->grid->desc.heap_va + at, to, len);
}

static bool heap_write(const struct lane_call *c, uint64_t at, const void *from, size_t len)
{
    return sm_write(c->w, c->u, c->lane, c->w->grid->desc.heap_va + at, from, len);
}

/* The block at @at; what was never written, or what a kernel overran, is taken for the free rest.
 */
static bool block_read(const struct lane_call *c, uint64_t at, struct heap_block *b)
{
    uint64_t rest = c->w->grid->desc.heap_bytes - at, bytes;

    if (!heap_read(c, at, b, sizeof(*b))) {
        return false;
    }
    bytes = b->bytes & ~(uint64_t)BLOCK_USED;
    if (b->mark != BLOCK_MARK || bytes < BLOCK_HEAD || bytes > rest || bytes % 16) {
        *b = (struct heap_block){ rest, BLOCK_MARK };
    }
    return true;
}

/* A free block and all free ones behind it become one. */
static bool block_join(const struct lane_call *c, uint64_t at, struct heap_block *b)
{
    struct heap_block next;

    while (at + b->bytes < c->w->grid->desc.heap_bytes) {
        if (!block_read(c, at + b->bytes, &next)) {
            return false;
        }
        if (next.bytes & BLOCK_USED) {
            break;
        }
        b->bytes += next.bytes;
    }
    return true;
}

/* The first @need bytes of the free block @b, which begins at @at. */
static bool block_take(const struct lane_call *c, uint64_t at, struct heap_block *b, uint64_t need)
{
    struct heap_block rest = { b->bytes - need, BLOCK_MARK };

    if (rest.bytes >= BLOCK_HEAD) {
        if (!heap_write(c, at + need, &rest, sizeof(rest))) {
            return false;
        }
        b->bytes = need;
    }
    need = at + b->bytes;
    b->bytes |= BLOCK_USED;
    return heap_write(c, at, b, sizeof(*b)) && heap_write(c, 0, &need, sizeof(need));
}

/* Looks from @from on to the end. Return: false after a fault; *@place is 0 if there was no room.
 */
static bool heap_search(const struct lane_call *c, uint64_t from, uint64_t need, uint64_t *place)
{
    uint64_t end = c->w->grid->desc.heap_bytes;
    struct heap_block b;

    *place = 0;
    for (uint64_t at = from; end - at >= need && at < end; at += b.bytes & ~(uint64_t)BLOCK_USED) {
        if (!block_read(c, at, &b)) {
            return false;
        }
        if (b.bytes & BLOCK_USED) {
            continue;
        }
        if (!block_join(c, at, &b)) {
            return false;
        }
        if (b.bytes >= need) {
            *place = at + BLOCK_HEAD;
            return block_take(c, at, &b, need);
        }
    }
    return true;
}

bool nv_malloc(const struct lane_call *c, const uint64_t *a, uint64_t *r)
{
    const struct grid_desc *d = &c->w->grid->desc;
    uint64_t first, place, need = (a[0] + BLOCK_HEAD + 15) & ~UINT64_C(15);

    *r = 0;
    if (!d->heap_va || a[0] > d->heap_bytes || d->heap_bytes < HEAP_HEAD + need) {
        return true;
    }
    if (!heap_read(c, 0, &first, sizeof(first))) {
        return false;
    }
    first = first < HEAP_HEAD || first >= d->heap_bytes || first % 16 ? HEAP_HEAD : first;
    if (!heap_search(c, first, need, &place) ||
        (!place && first != HEAP_HEAD && !heap_search(c, HEAP_HEAD, need, &place))) {
        return false;
    }
    *r = place ? d->heap_va + place : 0;
    if (place) {
        race_heap_malloc(c->w, c->u, c->lane, *r, need - BLOCK_HEAD);
    }
    return true;
}

bool nv_free(const struct lane_call *c, const uint64_t *a, uint64_t *r)
{
    const struct grid_desc *d = &c->w->grid->desc;
    uint64_t at = a[0] - d->heap_va - BLOCK_HEAD;
    struct heap_block b = { 0 };

    (void)r;
    if (a[0] == 0) {
        return true;
    }
    if (d->heap_va && at >= HEAP_HEAD && at < d->heap_bytes - BLOCK_HEAD && at % 16 == 0 &&
        !heap_read(c, at, &b, sizeof(b))) {
        return false;
    }
    if (b.mark != BLOCK_MARK || !(b.bytes & BLOCK_USED)) {
        sm_fault(c->w, c->u, GRID_FAULT_FREE, c->lane, a[0], 0, false,
                 "free() of what malloc() did not return, or freed before");
        return false;
    }
    b.bytes &= ~(uint64_t)BLOCK_USED;
    race_heap_free(c->w, c->u, c->lane, a[0], b.bytes - BLOCK_HEAD);
    return heap_write(c, at, &b, sizeof(b));
}
