/* SPDX-License-Identifier: MIT */
/* Stand-in for GLib: GHashTable. Entries lie in order of insertion; buckets hold their numbers. */
#include <glib.h>

#define EMPTY 0
#define GONE UINT32_MAX

struct entry {
    gpointer key, value;
    guint hash;
    bool used;
};

/* @bucket: number of an entry plus 1, EMPTY, or GONE; @buckets: a power of two, more than entries
 */
struct GHashTable {
    struct entry *entry;
    guint *bucket;
    guint n, used, room, buckets, refs;
    GHashFunc hash;
    GEqualFunc equal;
    GDestroyNotify key_free, value_free;
};

gboolean g_int64_equal(gconstpointer a, gconstpointer b)
{
    return memcmp(a, b, 8) == 0;
}

guint g_int64_hash(gconstpointer p)
{
    guint64 v;

    memcpy(&v, p, 8);
    v *= UINT64_C(0x9e3779b97f4a7c15);
    return (guint)(v >> 32);
}

guint g_str_hash(gconstpointer s)
{
    guint h = 5381;

    for (const char *p = s; *p; p++) {
        h = h * 33 + (unsigned char)*p;
    }
    return h;
}

static guint key_hash(const GHashTable *h, gconstpointer key)
{
    return h->hash ? h->hash(key) : (guint)(uintptr_t)key * 2654435761u;
}

static bool key_equal(const GHashTable *h, const struct entry *e, guint hash, gconstpointer key)
{
    return e->hash == hash && (e->key == key || (h->equal && h->equal(e->key, key)));
}

GHashTable *g_hash_table_new_full(GHashFunc hash, GEqualFunc equal, GDestroyNotify key,
                                  GDestroyNotify value)
{
    GHashTable *h = g_new0(GHashTable, 1);

    h->hash = hash;
    h->equal = equal;
    h->key_free = key;
    h->value_free = value;
    h->refs = 1;
    return h;
}

/* The bucket of a key, or where it would go. */
static guint bucket_of(const GHashTable *h, guint hash, gconstpointer key)
{
    guint at = hash & (h->buckets - 1), gone = UINT32_MAX;

    for (; h->bucket[at] != EMPTY; at = (at + 1) & (h->buckets - 1)) {
        if (h->bucket[at] == GONE) {
            gone = gone == UINT32_MAX ? at : gone;
        } else if (key_equal(h, &h->entry[h->bucket[at] - 1], hash, key)) {
            return at;
        }
    }
    return gone == UINT32_MAX ? at : gone;
}

static void bucket_fill(GHashTable *h, guint number)
{
    guint at = h->entry[number].hash & (h->buckets - 1);

    while (h->bucket[at] != EMPTY) {
        at = (at + 1) & (h->buckets - 1);
    }
    h->bucket[at] = number + 1;
}

/* Leaves out what was removed, and makes room. */
static void table_grow(GHashTable *h)
{
    guint n = 0;

    for (guint i = 0; i < h->n; i++) {
        if (h->entry[i].used) {
            h->entry[n++] = h->entry[i];
        }
    }
    h->n = n;
    h->room = MAX(16, 2 * n);
    h->entry = g_resize(h->entry, h->room * sizeof(*h->entry));
    for (h->buckets = 32; h->buckets < 2 * h->room; h->buckets *= 2) {
    }
    free(h->bucket);
    h->bucket = g_zalloc(h->buckets * sizeof(*h->bucket));
    for (guint i = 0; i < n; i++) {
        bucket_fill(h, i);
    }
}

static struct entry *hash_table_find(const GHashTable *h, gconstpointer key)
{
    guint at = h->used ? h->bucket[bucket_of(h, key_hash(h, key), key)] : EMPTY;

    return at == EMPTY || at == GONE ? NULL : &h->entry[at - 1];
}

static gboolean entry_replace(GHashTable *h, struct entry *e, gpointer key, gpointer value,
                              bool keep_key)
{
    gpointer old_value = e->value, old_key = keep_key ? key : e->key;

    e->value = value;
    if (!keep_key) {
        e->key = key;
    }
    if (h->key_free && old_key != e->key) {
        h->key_free(old_key);
    }
    if (h->value_free && old_value != value) {
        h->value_free(old_value);
    }
    return FALSE;
}

/* @keep_key: where it is there already the old key stays, and the new one is freed. */
static gboolean hash_table_put(GHashTable *h, gpointer key, gpointer value, bool keep_key)
{
    struct entry *e = hash_table_find(h, key);
    guint hash = key_hash(h, key);

    if (e) {
        return entry_replace(h, e, key, value, keep_key);
    }
    if (h->n == h->room) {
        table_grow(h);
    }
    h->entry[h->n] = (struct entry){ key, value, hash, true };
    h->bucket[bucket_of(h, hash, key)] = ++h->n;
    h->used++;
    return TRUE;
}

gboolean g_hash_table_insert(GHashTable *h, gpointer key, gpointer value)
{
    return hash_table_put(h, key, value, true);
}

gboolean g_hash_table_replace(GHashTable *h, gpointer key, gpointer value)
{
    return hash_table_put(h, key, value, false);
}

gboolean g_hash_table_add(GHashTable *h, gpointer key)
{
    return hash_table_put(h, key, key, false);
}

gboolean g_hash_table_contains(GHashTable *h, gconstpointer key)
{
    return hash_table_find(h, key) != NULL;
}

gpointer g_hash_table_lookup(GHashTable *h, gconstpointer key)
{
    const struct entry *e = hash_table_find(h, key);

    return e ? e->value : NULL;
}

guint g_hash_table_size(GHashTable *h)
{
    return h->used;
}

static void entry_free(GHashTable *h, struct entry *e)
{
    struct entry gone = *e;

    e->used = false;
    h->used--;
    if (h->key_free) {
        h->key_free(gone.key);
    }
    if (h->value_free) {
        h->value_free(gone.value);
    }
}

gboolean g_hash_table_remove(GHashTable *h, gconstpointer key)
{
    struct entry *e = hash_table_find(h, key);

    if (!e) {
        return FALSE;
    }
    h->bucket[bucket_of(h, e->hash, key)] = GONE;
    entry_free(h, e);
    return TRUE;
}

void g_hash_table_remove_all(GHashTable *h)
{
    for (guint i = 0; i < h->n; i++) {
        if (h->entry[i].used) {
            entry_free(h, &h->entry[i]);
        }
    }
    free(h->entry);
    free(h->bucket);
    h->entry = NULL;
    h->bucket = NULL;
    h->n = h->room = h->buckets = 0;
}

void g_hash_table_iter_init(GHashTableIter *i, GHashTable *h)
{
    *i = (GHashTableIter){ h, 0 };
}

gboolean g_hash_table_iter_next(GHashTableIter *i, gpointer *key, gpointer *value)
{
    while (i->at < i->table->n) {
        const struct entry *e = &i->table->entry[i->at++];

        if (e->used) {
            *(key ? key : &(gpointer){ NULL }) = e->key;
            *(value ? value : &(gpointer){ NULL }) = e->value;
            return TRUE;
        }
    }
    return FALSE;
}

void g_hash_table_iter_remove(GHashTableIter *i)
{
    g_hash_table_remove(i->table, i->table->entry[i->at - 1].key);
}

GHashTable *g_hash_table_ref(GHashTable *h)
{
    h->refs++;
    return h;
}

void g_hash_table_unref(GHashTable *h)
{
    if (--h->refs == 0) {
        g_hash_table_remove_all(h);
        free(h);
    }
}

void g_hash_table_destroy(GHashTable *h)
{
    g_hash_table_remove_all(h);
    g_hash_table_unref(h);
}
