/* SPDX-License-Identifier: MIT */
/* DLA loadables: the container that NVIDIA's compilers write, read with every offset checked.
 *
 * The format is a FlatBuffer, schema umd/core/src/common/loadable.fbs of github nvdla/sw (0.7.0).
 * Nothing is copied but small tables: texts and bytes point into the caller's buffer, which must
 * outlive the loadable. A damaged file gives an error that names the list, the entry and the field.
 */
#ifndef LOADABLE_LOADABLE_H
#define LOADABLE_LOADABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct loadable_version {
    uint8_t major, minor, sub_minor;
};

/* Text of the file: not terminated. */
struct loadable_text {
    const char *at;
    size_t len;
};

/* A list inside an entry: read with loadable_u16(), loadable_u64(), loadable_text_at(). */
struct loadable_list {
    const uint8_t *at;
    uint32_t count;
};

/* The blob in which vtegra dla build keeps the configuration and the names of the operations; no
 * memory holds it, so other readers pass over it. Lines: "config NAME", "op TASK.INDEX NAME",
 * and "part TASK.INDEX CHANNEL LINE CHANNELS LINES" for an operation that writes a part of its
 * layer's result: where it begins, and the size of the whole. "scale TENSOR NUMBER": what 1 of an
 * int8 tensor stands for; an operation's tensor has its name. */
#define LOADABLE_NAMES_BLOB "vtegra.names"

enum loadable_interface { LOADABLE_NONE, LOADABLE_DLA1, LOADABLE_EMU1 };

enum loadable_memory_flag {
    LOADABLE_ALLOC = 1,
    LOADABLE_SET = 2,
    LOADABLE_INPUT = 4,
    LOADABLE_OUTPUT = 8,
};

struct loadable_task {
    uint16_t id;
    uint32_t interface;
    int16_t instance;
    struct loadable_list addresses, pre_actions, post_actions; /* of uint16 */
};

struct loadable_memory {
    uint16_t id, flags, bind_id, tensor_id;
    uint8_t domain;
    uint64_t size;
    uint32_t alignment;
    struct loadable_list contents; /* of text: names of blobs */
    struct loadable_list offsets;  /* of uint64 */
};

struct loadable_address {
    uint16_t id, memory_id;
    uint64_t offset, size;
};

struct loadable_event {
    uint16_t id, target;
    uint8_t type, op;
    uint32_t value;
};

struct loadable_blob {
    struct loadable_text name;
    uint64_t size;
    uint32_t interface, sub_interface;
    struct loadable_version version;
    struct loadable_list data; /* of bytes */
};

struct loadable_tensor {
    struct loadable_text name;
    uint16_t id, memory_id;
    uint64_t size, offset;
    uint8_t format, type, category, pixel_format, pixel_mapping;
    int32_t n, c, h, w;
    uint32_t stride[8];
};

struct loadable_reloc {
    uint16_t address_id, write_id;
    uint64_t offset;
    uint32_t interface, sub_interface;
    uint8_t type;
};

struct loadable_submit {
    uint16_t id;
    struct loadable_list tasks; /* of uint16 */
};

#define LOADABLE_LISTS(X) \
    X(task, tasks)        \
    X(memory, memories)   \
    X(address, addresses) \
    X(event, events)      \
    X(blob, blobs)        \
    X(tensor, tensors)    \
    X(reloc, relocs)      \
    X(submit, submits)

/* Each list as an array and its count: l->task[i], i < l->tasks. */
struct loadable {
    bool identified; /* the file has the identifier "NVDA" */
    struct loadable_version version;
#define X(name, names)            \
    struct loadable_##name *name; \
    size_t names;
    LOADABLE_LISTS(X)
#undef X
};

/* @list: "task_list" ...; @index -1 for the list itself; @field: constant text; @rule: what it is
 * and what it must be, "= 4711, 9 bytes: must end in the file (5286 bytes)" */
struct loadable_error {
    const char *list, *field;
    int index;
    char rule[112];
};

/**
 * loadable_open - read a loadable
 * @bytes, @len: the file; kept, not copied
 *
 * Return: the loadable, or NULL with @error filled. Free it with loadable_close().
 */
struct loadable *loadable_open(const uint8_t *bytes, size_t len, struct loadable_error *error);
void loadable_close(struct loadable *l);

/* Elements of a list; i < list->count. */
uint16_t loadable_u16(const struct loadable_list *list, uint32_t i);
uint64_t loadable_u64(const struct loadable_list *list, uint32_t i);
struct loadable_text loadable_text_at(const struct loadable_list *list, uint32_t i);

bool loadable_text_is(struct loadable_text a, struct loadable_text b);
/* NULL if there is none. */
const struct loadable_blob *loadable_blob_find(const struct loadable *l, struct loadable_text name);
const struct loadable_memory *loadable_memory_find(const struct loadable *l, uint16_t id);
const struct loadable_address *loadable_address_find(const struct loadable *l, uint16_t id);
const struct loadable_task *loadable_task_find(const struct loadable *l, uint16_t id);

/* Bytes behind @a in its memory of @memory bytes, which begins at or before it. A size of 0 stands
 * for the rest: the runtime of nvdla/sw passes handle and offset only (fillTaskAddressList()). */
uint64_t loadable_address_bytes(const struct loadable_address *a, uint64_t memory);

/* One line for people. Return: as snprintf. */
int loadable_error_format(const struct loadable_error *e, char *buf, size_t size);

#endif
