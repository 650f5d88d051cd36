/* SPDX-License-Identifier: MIT */
/* Lists of attributes, of NvSciBuf and NvSciSync alike: what a list is, apart from modules, handles
 * and locks.
 *
 * An unreconciled list has a slot for each list that it was made of; a reconciled one has one slot.
 * A key that is set stays: pointers to its value are valid as long as the list. This folder is a
 * pure library: no thread, no clock, no runtime; the same lists give the same results and bytes.
 */
#ifndef RUNTIME_API_NVSCI_ATTR_LIST_H
#define RUNTIME_API_NVSCI_ATTR_LIST_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "include/nvscibuf.h"
#include "include/nvscisync.h"

enum sci_kind {
    SCI_BOOL,
    SCI_ENUM, /* four bytes */
    SCI_PERM, /* NvSciBufAccessPerm: a set of bits, none that writes and does not read */
    SCI_U8,
    SCI_U32,
    SCI_U64,
    SCI_POW2_32, /* a power of two, or 0 */
    SCI_POW2_64,
    SCI_SCALE, /* float in (0, 1] */
    SCI_GPU,
    SCI_GPU_CACHE,
    SCI_GPU_COMPRESSION,
    SCI_LOCATION,
    SCI_ENGINE,
};

enum sci_direction { SCI_IN = 1, SCI_OUT = 2, SCI_BOTH = 3 };

enum sci_merge {
    SCI_NONE,    /* not from the inputs */
    SCI_EQUAL,   /* all that set it agree */
    SCI_OR,      /* of bool */
    SCI_MAX,     /* by element; a missing one asks for nothing */
    SCI_UNION,   /* each element once, in order of appearance */
    SCI_SPECIAL, /* code of its own */
};

struct sci_key {
    uint32_t key;
    const char *name;
    enum sci_kind kind;
    unsigned type; /* NvSciBufType */
    unsigned elements;
    enum sci_direction direction;
    enum sci_merge merge;
    uint64_t least, most;
};

/**
 * struct sci_schema - the keys that lists of one kind have
 * @types: the key that says which typed keys may be set; 0: the schema has no types
 */
struct sci_schema {
    const struct sci_key *key;
    unsigned count;
    uint32_t types;
};
extern const struct sci_schema sci_buf_schema, sci_sync_schema;

struct sci_value {
    uint32_t count; /* elements; 0: the key is not set */
    void *data;
};

/**
 * struct sci_slot
 * @value: one for each key of the schema
 * @path: the endpoints that it was imported through, the last one here last; empty: made in this
 * process
 */
struct sci_slot {
    struct sci_value *value;
    GArray *path; /* uint64_t */
};

/* One slot's wishes that a reconciled list keeps apart, because each process is given its own
 * result. @gpu: of a sync list, GpuId is set: CUDA is given @perm. */
struct sci_peer {
    bool need_cpu, gpu;
    uint64_t perm;
    GArray *path;
};

struct sci_list {
    const struct sci_schema *schema;
    GPtrArray *slots; /* struct sci_slot */
    bool reconciled;
    bool writable;
    GPtrArray *peers; /* struct sci_peer; of a reconciled list */
};

/* As NvSciBufAttrKeyValuePair and NvSciSyncAttrKeyValuePair lie in memory. */
struct sci_pair {
    uint32_t key;
    const void *value;
    size_t len;
};

enum { SCI_MAX_SLOTS = 256, SCI_MAX_PATH = 8 };

size_t sci_kind_size(enum sci_kind kind);
/* Index of a key in its schema; -1: none. */
int sci_key_index(const struct sci_schema *schema, uint32_t key);

/* A list with one empty slot. */
struct sci_list *sci_list_new(const struct sci_schema *schema);
/* A list without slots, which the caller adds. */
struct sci_list *sci_list_new_empty(const struct sci_schema *schema);
void sci_list_free(struct sci_list *list);
struct sci_slot *sci_slot_new(const struct sci_schema *schema);
void sci_slot_free(struct sci_slot *slot, const struct sci_schema *schema);
struct sci_peer *sci_peer_new(bool need_cpu, bool gpu, uint64_t perm, const GArray *path);

/* Slot @i; the value of a key in it, NULL if it is not set. */
struct sci_slot *sci_list_slot(const struct sci_list *list, size_t i);
const struct sci_value *sci_slot_get(const struct sci_list *list, size_t slot, uint32_t key);
/* Of the first slot: the value of a reconciled list. */
const struct sci_value *sci_list_get(const struct sci_list *list, uint32_t key);
uint64_t sci_value_u64(const struct sci_key *key, const struct sci_value *value, uint32_t i);
/* The same of a list's first slot; @absent if the key is not set. */
uint64_t sci_list_u64(const struct sci_list *list, uint32_t key, uint32_t i, uint64_t absent);
void sci_slot_put(struct sci_slot *slot, int index, size_t size, const void *data, uint32_t count);

/* Is @len bytes at @value a value of @key? (Alone: what depends on other keys is not checked.) */
bool sci_value_valid(const struct sci_key *key, const void *value, size_t len);

/* The whole call has no effect unless it answers NvSciError_Success. */
NvSciError sci_list_set(struct sci_list *list, const struct sci_pair *pair, size_t count);
NvSciError sci_list_get_pairs(const struct sci_list *list, size_t slot, struct sci_pair *pair,
                              size_t count);
struct sci_list *sci_list_clone(const struct sci_list *list);
/* All slots in order, in a list that cannot be written. */
struct sci_list *sci_list_append(const struct sci_list *const *list, size_t count);
/* A text that says all, for people; g_free(). */
char *sci_list_dump(const struct sci_list *list);

#endif
