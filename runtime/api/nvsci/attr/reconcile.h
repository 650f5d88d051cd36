/* SPDX-License-Identifier: MIT */
/* What several lists become together, and whether a list that is said to be the result fits them.
 */
#ifndef RUNTIME_API_NVSCI_ATTR_RECONCILE_H
#define RUNTIME_API_NVSCI_ATTR_RECONCILE_H

#include "runtime/api/nvsci/attr/list.h"

/**
 * struct sci_chip - what reconciliation must know of the machine
 * @io_coherent: engines without caches of their own see the CPU's caches, but for @past_caches
 */
struct sci_chip {
    struct sci_gpu {
        NvSciRmGpuId id;
        bool integrated;
    } gpu[16];
    unsigned gpus;
    bool io_coherent;
    uint32_t past_caches[4]; /* NvSciBufHwEngName; 0: none */
};

/**
 * sci_buf_reconcile, sci_sync_reconcile - reconcile unreconciled lists of one schema
 * @count: > 0
 * @out: on success the reconciled list, else NULL
 * @conflicts: on failure an unreconciled list of what did not fit, else NULL
 * @why: on failure a text that names keys and lists, else NULL; g_free()
 */
NvSciError sci_buf_reconcile(const struct sci_list *const *input, size_t count,
                             const struct sci_chip *chip, struct sci_list **out,
                             struct sci_list **conflicts, char **why);
NvSciError sci_sync_reconcile(const struct sci_list *const *input, size_t count,
                              struct sci_list **out, struct sci_list **conflicts, char **why);

/* Does the reconciled list satisfy every value of the inputs? @why: NULL, or the first key that it
 * does not. */
bool sci_list_satisfies(const struct sci_list *reconciled, const struct sci_list *const *input,
                        size_t count, const char **why);
/* The same of values that are in no list; false also for what is no value of the schema. */
bool sci_list_satisfies_pairs(const struct sci_list *reconciled, const struct sci_pair *pair,
                              size_t count);

/* Bytes, and alignment of the first, of a buffer that has these reconciled attributes; size 0: none
 * can. */
uint64_t sci_buf_size(const struct sci_list *reconciled, uint64_t *align);

/* Is a type among Types? */
bool sci_buf_has_type(const struct sci_list *list, NvSciBufType type);

/* The result as the process behind endpoint @channel must see it: its own wishes for the CPU and
 * for permission. NULL if none of the inputs came that way. */
struct sci_list *sci_list_for_peer(const struct sci_list *reconciled, uint64_t channel);
/* Sets NeedCpuAccess and the permission of a reconciled list from those peers that are this
 * process. */
void sci_list_own_wishes(struct sci_list *reconciled);
/* The greatest permission that the process behind @channel asked for; 0: none. */
uint64_t sci_list_peer_perm(const struct sci_list *reconciled, uint64_t channel);

#endif
