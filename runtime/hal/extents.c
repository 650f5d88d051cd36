/* SPDX-License-Identifier: MIT */
#include "runtime/hal/extents.h"

#define TAKEN(e, i) g_array_index((e)->taken, struct extent, i)

void extents_init(struct extents *e, uint64_t start, uint64_t end)
{
    e->start = start;
    e->end = end;
    e->taken = g_array_new(FALSE, FALSE, sizeof(struct extent));
}

void extents_clear(struct extents *e)
{
    if (e->taken) {
        g_array_free(e->taken, TRUE);
        e->taken = NULL;
    }
}

static void extents_insert(struct extents *e, guint i, uint64_t at, uint64_t len)
{
    struct extent x = { at, len };

    g_array_insert_val(e->taken, i, x);
}

bool extents_alloc(struct extents *e, uint64_t len, uint64_t align, uint64_t *at)
{
    uint64_t from = e->start;

    for (guint i = 0; i <= e->taken->len; i++) {
        uint64_t to = i < e->taken->len ? TAKEN(e, i).start : e->end;
        uint64_t first = (from + align - 1) & ~(align - 1);

        if (first >= from && first <= to && to - first >= len) {
            extents_insert(e, i, first, len);
            *at = first;
            return true;
        }
        if (i < e->taken->len) {
            from = TAKEN(e, i).start + TAKEN(e, i).len;
        }
    }
    return false;
}

bool extents_take(struct extents *e, uint64_t at, uint64_t len)
{
    guint i = 0;

    if (at < e->start || at > e->end || len > e->end - at) {
        return false;
    }
    while (i < e->taken->len && TAKEN(e, i).start + TAKEN(e, i).len <= at) {
        i++;
    }
    if (i < e->taken->len && TAKEN(e, i).start < at + len) {
        return false;
    }
    extents_insert(e, i, at, len);
    return true;
}

void extents_free(struct extents *e, uint64_t at, uint64_t len)
{
    for (guint i = 0; i < e->taken->len; i++) {
        if (TAKEN(e, i).start == at && TAKEN(e, i).len == len) {
            g_array_remove_index(e->taken, i);
            return;
        }
    }
    g_assert_not_reached(); /* only what was handed out comes back */
}
