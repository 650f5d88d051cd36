/* SPDX-License-Identifier: MIT */
/* The rules by which one key of several lists becomes one value. Source: DRIVE OS API
 * reference 6.0.10, "Reconciliation" of each attribute key. */
#include "runtime/api/nvsci/attr/merge.h"

#include <string.h>

void merge_begin(struct merge *m, const struct sci_list *const *input, size_t count)
{
    *m = (struct merge){
        .schema = input[0]->schema,
        .slot = g_ptr_array_new(),
        .from = g_array_new(FALSE, FALSE, sizeof(unsigned)),
        .out = sci_list_new_empty(input[0]->schema),
        .conflicts = sci_list_new_empty(input[0]->schema),
        .why = g_string_new(NULL),
        .error = NvSciError_Success,
    };
    for (unsigned i = 0; i < count; i++) {
        for (guint j = 0; j < input[i]->slots->len; j++) {
            g_ptr_array_add(m->slot, sci_list_slot(input[i], j));
            g_array_append_val(m->from, i);
            g_ptr_array_add(m->conflicts->slots, sci_slot_new(m->schema));
        }
    }
    m->out->reconciled = true;
    g_ptr_array_add(m->out->slots, sci_slot_new(m->schema));
}

static bool slot_empty(const struct sci_slot *slot, const struct sci_schema *schema)
{
    for (unsigned i = 0; i < schema->count; i++) {
        if (slot->value[i].count) {
            return false;
        }
    }
    return true;
}

/* A key that no list has leaves no slot: the list still has one, as every list. */
static void conflicts_shrink(struct sci_list *conflicts)
{
    for (guint i = conflicts->slots->len; i > 0 && conflicts->slots->len > 1; i--) {
        if (slot_empty(sci_list_slot(conflicts, i - 1), conflicts->schema)) {
            sci_slot_free(g_ptr_array_remove_index(conflicts->slots, i - 1), conflicts->schema);
        }
    }
}

NvSciError merge_end(struct merge *m, struct sci_list **out, struct sci_list **conflicts,
                     char **why)
{
    bool failed = m->error != NvSciError_Success;

    *out = failed ? NULL : m->out;
    *conflicts = failed ? m->conflicts : NULL;
    *why = g_string_free(m->why, !failed);
    sci_list_free(failed ? m->out : m->conflicts);
    if (failed) {
        conflicts_shrink(m->conflicts);
    }
    g_ptr_array_unref(m->slot);
    g_array_unref(m->from);
    return m->error;
}

unsigned merge_slots(const struct merge *m)
{
    return m->slot->len;
}

const struct sci_value *merge_value(const struct merge *m, unsigned i, uint32_t key)
{
    const struct sci_slot *slot = m->slot->pdata[i];
    const struct sci_value *value = &slot->value[sci_key_index(m->schema, key)];

    return value->count ? value : NULL;
}

bool merge_local(const struct merge *m, unsigned i)
{
    const struct sci_slot *slot = m->slot->pdata[i];

    return !slot->path->len;
}

static void say_value(GString *why, const struct sci_key *key, const struct sci_value *value)
{
    for (uint32_t i = 0; i < value->count; i++) {
        if (key->kind < SCI_SCALE) {
            g_string_append_printf(why, " %" G_GUINT64_FORMAT, sci_value_u64(key, value, i));
        }
    }
}

void merge_fail(struct merge *m, uint32_t key, NvSciError error, const char *text)
{
    int index = sci_key_index(m->schema, key);
    const struct sci_key *k = &m->schema->key[index];

    m->error = m->error ? m->error : error;
    g_string_append_printf(m->why, "%s%s: %s", m->why->len ? "; " : "", k->name, text);
    for (unsigned i = 0; i < m->slot->len; i++) {
        const struct sci_value *value = merge_value(m, i, key);

        if (value) {
            sci_slot_put(sci_list_slot(m->conflicts, i), index, sci_kind_size(k->kind), value->data,
                         value->count);
            g_string_append_printf(m->why, ", list %u:", g_array_index(m->from, unsigned, i));
            say_value(m->why, k, value);
        }
    }
}

bool merge_missing(struct merge *m, uint32_t key)
{
    if (sci_list_get(m->out, key)) {
        return false;
    }
    /* The reference names BadParameter for a mandatory key that is set in no list. */
    merge_fail(m, key, NvSciError_BadParameter, "is mandatory and set in no list");
    return true;
}

void merge_put(struct merge *m, uint32_t key, const void *data, uint32_t count)
{
    int index = sci_key_index(m->schema, key);

    sci_slot_put(sci_list_slot(m->out, 0), index, sci_kind_size(m->schema->key[index].kind), data,
                 count);
}

void merge_put_u32(struct merge *m, uint32_t key, uint32_t value)
{
    merge_put(m, key, &value, 1);
}

void merge_put_u64(struct merge *m, uint32_t key, uint64_t value)
{
    merge_put(m, key, &value, 1);
}

void merge_put_bool(struct merge *m, uint32_t key, bool value)
{
    merge_put(m, key, &value, 1);
}

GArray *merge_union(const struct merge *m, uint32_t key)
{
    guint size = (guint)sci_kind_size(m->schema->key[sci_key_index(m->schema, key)].kind);
    GArray *all = g_array_new(FALSE, FALSE, size);

    for (unsigned i = 0; i < m->slot->len; i++) {
        const struct sci_value *value = merge_value(m, i, key);

        for (uint32_t j = 0; value && j < value->count; j++) {
            const char *element = (const char *)value->data + (size_t)j * size;
            guint k = 0;

            while (k < all->len && memcmp(all->data + (size_t)k * size, element, size)) {
                k++;
            }
            if (k == all->len) {
                g_array_append_vals(all, element, 1);
            }
        }
    }
    return all;
}

static void merge_all(struct merge *m, const struct sci_key *k)
{
    GArray *all = merge_union(m, k->key);

    if (all->len > k->elements) {
        merge_fail(m, k->key, NvSciError_ReconciliationFailed, "has more values than one list can");
    } else if (all->len) {
        merge_put(m, k->key, all->data, all->len);
    }
    g_array_unref(all);
}

static void merge_equal(struct merge *m, const struct sci_key *k)
{
    const struct sci_value *first = NULL;

    for (unsigned i = 0; i < m->slot->len; i++) {
        const struct sci_value *value = merge_value(m, i, k->key);

        if (!value) {
            continue;
        }
        if (first && (value->count != first->count ||
                      memcmp(value->data, first->data, value->count * sci_kind_size(k->kind)))) {
            merge_fail(m, k->key, NvSciError_ReconciliationFailed, "differs");
            return;
        }
        first = first ? first : value;
    }
    if (first) {
        merge_put(m, k->key, first->data, first->count);
    }
}

static void merge_or(struct merge *m, const struct sci_key *k)
{
    bool any = false, set = false;

    for (unsigned i = 0; i < m->slot->len; i++) {
        const struct sci_value *value = merge_value(m, i, k->key);

        any |= value && sci_value_u64(k, value, 0);
        set |= value != NULL;
    }
    if (set) {
        merge_put_bool(m, k->key, any);
    }
}

static void merge_max(struct merge *m, const struct sci_key *k)
{
    uint64_t most[16] = { 0 };
    uint32_t count = 0;
    size_t size = sci_kind_size(k->kind);
    char packed[sizeof(most)];

    for (unsigned i = 0; i < m->slot->len; i++) {
        const struct sci_value *value = merge_value(m, i, k->key);

        for (uint32_t j = 0; value && j < value->count; j++) {
            most[j] = MAX(most[j], sci_value_u64(k, value, j));
        }
        count = value ? MAX(count, value->count) : count;
    }
    for (uint32_t j = 0; j < count; j++) {
        memcpy(packed + j * size, &most[j], size);
    }
    merge_put(m, k->key, packed, count);
}

void merge_simple(struct merge *m)
{
    for (unsigned i = 0; i < m->schema->count; i++) {
        const struct sci_key *k = &m->schema->key[i];

        switch (k->merge) {
        case SCI_EQUAL:
            merge_equal(m, k);
            break;
        case SCI_OR:
            merge_or(m, k);
            break;
        case SCI_MAX:
            merge_max(m, k);
            break;
        case SCI_UNION:
            merge_all(m, k);
            break;
        default:
            break;
        }
    }
}
