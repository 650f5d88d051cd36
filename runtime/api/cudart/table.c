/* SPDX-License-Identifier: MIT */
#include "runtime/api/cudart/table.h"

#include <stdint.h>
#include <stdlib.h>

/* Fibonacci hashing: addresses differ in their middle bits. */
static size_t table_slot(const struct table *t, const void *key)
{
    return (size_t)((uint64_t)(uintptr_t)key * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (t->size - 1);
}

static struct table_entry *table_find(const struct table *t, const void *key)
{
    size_t i = table_slot(t, key);

    while (t->entry[i].key && t->entry[i].key != key) {
        i = (i + 1) & (t->size - 1);
    }
    return &t->entry[i];
}

static bool table_grow(struct table *t)
{
    struct table bigger = { .size = t->size ? t->size * 2 : 64, .used = t->used };

    bigger.entry = calloc(bigger.size, sizeof(*bigger.entry));
    if (!bigger.entry) {
        return false;
    }
    for (size_t i = 0; i < t->size; i++) {
        if (t->entry[i].key) {
            *table_find(&bigger, t->entry[i].key) = t->entry[i];
        }
    }
    free(t->entry);
    *t = bigger;
    return true;
}

bool table_put(struct table *t, const void *key, void *value)
{
    if (2 * (t->used + 1) > t->size && !table_grow(t)) {
        return false;
    }
    struct table_entry *e = table_find(t, key);
    t->used += !e->key;
    *e = (struct table_entry){ .key = key, .value = value };
    return true;
}

void *table_get(const struct table *t, const void *key)
{
    return t->size && key ? table_find(t, key)->value : NULL;
}
