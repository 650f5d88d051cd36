/* SPDX-License-Identifier: MIT */
/* Validation: a reconciled list against what lists asked for. The rule of each key is the one that
 * reconciled it. */
#include <string.h>

#include "runtime/api/nvsci/attr/reconcile.h"

static bool has_element(const struct sci_value *all, const char *element, size_t size)
{
    for (uint32_t i = 0; i < all->count; i++) {
        if (!memcmp((const char *)all->data + i * size, element, size)) {
            return true;
        }
    }
    return false;
}

static bool satisfies_contains(const struct sci_key *k, const struct sci_value *all,
                               const struct sci_value *wanted)
{
    size_t size = sci_kind_size(k->kind);

    for (uint32_t i = 0; i < wanted->count; i++) {
        if (!has_element(all, (const char *)wanted->data + i * size, size)) {
            return false;
        }
    }
    return true;
}

/* A greater alignment is good if it is a multiple; a greater number of slots always. */
static bool at_least(const struct sci_key *k, const struct sci_value *got,
                     const struct sci_value *wanted)
{
    for (uint32_t i = 0; i < wanted->count; i++) {
        if (i >= got->count || sci_value_u64(k, got, i) < sci_value_u64(k, wanted, i)) {
            return false;
        }
    }
    return true;
}

/* A list that forbids a GPU to cache must find it forbidden; compression may be refused, not
 * changed. */
static bool gpu_satisfied(const struct sci_key *k, const struct sci_value *got,
                          const struct sci_value *wanted)
{
    size_t size = sci_kind_size(k->kind), id = sizeof(NvSciRmGpuId);

    for (uint32_t i = 0; i < wanted->count; i++) {
        const char *w = (const char *)wanted->data + i * size;

        for (uint32_t j = 0; j < got->count; j++) {
            const char *g = (const char *)got->data + j * size;
            bool same = !memcmp(w, g, id);

            if (same && k->kind == SCI_GPU_CACHE && g[id] && !w[id]) {
                return false;
            }
            if (same && k->kind == SCI_GPU_COMPRESSION && g[id] && memcmp(g + id, w + id, 4)) {
                return false;
            }
        }
    }
    return true;
}

/* The key that holds the result of @key. */
static uint32_t result_key(const struct sci_schema *schema, uint32_t key)
{
    if (schema == &sci_buf_schema && key == NvSciBufGeneralAttrKey_RequiredPerm) {
        return NvSciBufGeneralAttrKey_ActualPerm;
    }
    if (schema == &sci_sync_schema && key == NvSciSyncAttrKey_RequiredPerm) {
        return NvSciSyncAttrKey_ActualPerm;
    }
    return key;
}

static bool special_satisfied(const struct sci_schema *schema, const struct sci_key *k,
                              const struct sci_value *got, const struct sci_value *wanted)
{
    switch (k->kind) {
    case SCI_BOOL:
        return *(const bool *)got->data || !*(const bool *)wanted->data;
    case SCI_GPU_CACHE:
    case SCI_GPU_COMPRESSION:
        return gpu_satisfied(k, got, wanted);
    case SCI_U64: /* permission of a sync object: a bit for each right */
        return !(sci_value_u64(k, wanted, 0) & ~sci_value_u64(k, got, 0));
    default:
        if (schema == &sci_buf_schema && k->key == NvSciBufGeneralAttrKey_RequiredPerm) {
            return sci_value_u64(k, got, 0) >= sci_value_u64(k, wanted, 0);
        }
        /* Types: those of the list are among the result's. Primitives: the one chosen is among the
         * list's. */
        return k->key == NvSciSyncAttrKey_PrimitiveInfo && schema == &sci_sync_schema
                   ? satisfies_contains(k, wanted, got)
                   : satisfies_contains(k, got, wanted);
    }
}

static bool satisfies_satisfied(const struct sci_list *list, const struct sci_key *k,
                                const struct sci_value *wanted)
{
    const struct sci_value *got = sci_list_get(list, result_key(list->schema, k->key));

    if (!wanted->count || !(k->direction & SCI_IN)) {
        return true;
    }
    if (!got) {
        return false;
    }
    switch (k->merge) {
    case SCI_EQUAL:
        return got->count == wanted->count &&
               !memcmp(got->data, wanted->data, got->count * sci_kind_size(k->kind));
    case SCI_OR:
        return *(const bool *)got->data || !*(const bool *)wanted->data;
    case SCI_MAX:
        return at_least(k, got, wanted);
    case SCI_UNION:
        return satisfies_contains(k, got, wanted);
    default:
        return special_satisfied(list->schema, k, got, wanted);
    }
}

bool sci_list_satisfies(const struct sci_list *reconciled, const struct sci_list *const *input,
                        size_t count, const char **why)
{
    for (size_t i = 0; i < count; i++) {
        for (guint j = 0; j < input[i]->slots->len; j++) {
            for (unsigned k = 0; k < reconciled->schema->count; k++) {
                const struct sci_key *key = &reconciled->schema->key[k];

                if (!satisfies_satisfied(reconciled, key, &sci_list_slot(input[i], j)->value[k])) {
                    if (why) {
                        *why = key->name;
                    }
                    return false;
                }
            }
        }
    }
    return true;
}

bool sci_list_satisfies_pairs(const struct sci_list *list, const struct sci_pair *pair,
                              size_t count)
{
    for (size_t i = 0; i < count; i++) {
        int index = sci_key_index(list->schema, pair[i].key);
        const struct sci_key *key;
        struct sci_value wanted;

        if (index < 0) {
            return false;
        }
        key = &list->schema->key[index];
        if (!sci_value_valid(key, pair[i].value, pair[i].len)) {
            return false;
        }
        wanted = (struct sci_value){ (uint32_t)(pair[i].len / sci_kind_size(key->kind)),
                                     (void *)(uintptr_t)pair[i].value };
        if (!satisfies_satisfied(list, key, &wanted)) {
            return false;
        }
    }
    return true;
}
