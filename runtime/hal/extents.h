/* SPDX-License-Identifier: MIT */
/* Which parts of an address range are taken: first fit, lowest address, so that the same requests
 * always get the same addresses. */
#ifndef RUNTIME_HAL_EXTENTS_H
#define RUNTIME_HAL_EXTENTS_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

struct extent {
    uint64_t start, len;
};

struct extents {
    uint64_t start, end;
    GArray *taken; /* struct extent, sorted, not touching unless allocated so */
};

void extents_init(struct extents *e, uint64_t start, uint64_t end);
void extents_clear(struct extents *e);
/* Lowest free [*at, *at + len) with *at a multiple of @align. Return: false if there is none. */
bool extents_alloc(struct extents *e, uint64_t len, uint64_t align, uint64_t *at);
/* Exactly there. Return: false if part of it is taken or outside. */
bool extents_take(struct extents *e, uint64_t at, uint64_t len);
void extents_free(struct extents *e, uint64_t at, uint64_t len);

#endif
