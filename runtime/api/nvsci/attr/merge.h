/* SPDX-License-Identifier: MIT */
/* Reconciliation: what the keys of several lists become together. Part of reconcile.h; also for
 * code of one kind of list. */
#ifndef RUNTIME_API_NVSCI_ATTR_MERGE_H
#define RUNTIME_API_NVSCI_ATTR_MERGE_H

#include "runtime/api/nvsci/attr/list.h"

/**
 * struct merge - one reconciliation
 * @slot: the inputs' slots, in order; @from: the number of the list that each is of
 * @out: the reconciled list so far
 * @conflicts: a slot for each of @slot, with the keys that did not fit
 * @why: for people: which key of which list
 * @error: the first reason to fail
 */
struct merge {
    const struct sci_schema *schema;
    GPtrArray *slot;
    GArray *from; /* unsigned */
    struct sci_list *out, *conflicts;
    GString *why;
    NvSciError error;
};

void merge_begin(struct merge *m, const struct sci_list *const *input, size_t count);
/* The results; the other one is freed. @why: g_free(), NULL on success. */
NvSciError merge_end(struct merge *m, struct sci_list **out, struct sci_list **conflicts,
                     char **why);

/* All keys but the special ones. */
void merge_simple(struct merge *m);
/* Key @key does not fit: the values that slots have of it become part of the conflict list. */
void merge_fail(struct merge *m, uint32_t key, NvSciError error, const char *why);
/* No list sets @key, and there is no default. Return: false if one does. */
bool merge_missing(struct merge *m, uint32_t key);

unsigned merge_slots(const struct merge *m);
/* Key @key of slot @i; NULL: not set. */
const struct sci_value *merge_value(const struct merge *m, unsigned i, uint32_t key);
bool merge_local(const struct merge *m, unsigned i); /* the slot was made in this process */
/* Elements of @key, each once, in order of appearance; g_array_unref(). */
GArray *merge_union(const struct merge *m, uint32_t key);
void merge_put(struct merge *m, uint32_t key, const void *data, uint32_t count);
void merge_put_u32(struct merge *m, uint32_t key, uint32_t value);
void merge_put_u64(struct merge *m, uint32_t key, uint64_t value);
void merge_put_bool(struct merge *m, uint32_t key, bool value);

#endif
