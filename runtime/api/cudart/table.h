/* SPDX-License-Identifier: MIT */
/* A hash table from addresses to pointers: open addressing, never shrinks, no key is NULL. Not
 * locked. */
#ifndef RUNTIME_CUDART_TABLE_H
#define RUNTIME_CUDART_TABLE_H

#include <stdbool.h>
#include <stddef.h>

struct table {
    struct table_entry {
        const void *key;
        void *value; /* NULL: removed */
    } * entry;
    size_t size, used; /* size is 0 or a power of two */
};

/* A key that is there gets the new value. False when memory ran out; then nothing changed. */
bool table_put(struct table *t, const void *key, void *value);

/* NULL when the key is not there. */
void *table_get(const struct table *t, const void *key);

#endif
