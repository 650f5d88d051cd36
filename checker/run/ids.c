/* SPDX-License-Identifier: MIT */
#include "checker/run/ids.h"

struct ids {
    GHashTable *entries;
    guint keep, next;
    uint32_t *over; /* @keep ids that ended, a ring; 0: none yet */
};

struct ids *ids_new(guint keep, GDestroyNotify entry_free)
{
    struct ids *t = g_new0(struct ids, 1);

    t->entries = g_hash_table_new_full(NULL, NULL, NULL, entry_free);
    t->keep = keep;
    t->over = g_new0(uint32_t, keep);
    return t;
}

void ids_free(struct ids *t)
{
    g_hash_table_destroy(t->entries);
    g_free(t->over);
    g_free(t);
}

void ids_set(struct ids *t, uint32_t id, gpointer value)
{
    g_hash_table_insert(t->entries, GUINT_TO_POINTER(id), value);
}

gpointer ids_get(const struct ids *t, uint32_t id)
{
    return g_hash_table_lookup(t->entries, GUINT_TO_POINTER(id));
}

void ids_end(struct ids *t, uint32_t id)
{
    if (!g_hash_table_contains(t->entries, GUINT_TO_POINTER(id))) {
        return;
    }
    if (t->over[t->next]) {
        g_hash_table_remove(t->entries, GUINT_TO_POINTER(t->over[t->next]));
    }
    t->over[t->next] = id;
    t->next = (t->next + 1) % t->keep;
}

guint ids_size(const struct ids *t)
{
    return g_hash_table_size(t->entries);
}
