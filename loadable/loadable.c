/* SPDX-License-Identifier: MIT */
#include "loadable/loadable.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Entries of one list: ids have 16 bits. */
#define MAX_ENTRIES 65536u
/* Texts of all entries together: many entries can share one long list. */
#define MAX_TEXTS 1000000u

/**
 * struct reader - the file, and where we are for an error
 * @bytes, @len: all of it; offsets below are checked against len before use
 */
struct reader {
    const uint8_t *bytes;
    size_t len;
    struct loadable_error *error;
    const char *list;
    int index;
    size_t texts;
};

/* A FlatBuffers table: @pos of its first byte, @vtable and its length in bytes. */
struct table {
    size_t pos, vtable, vtable_len;
};

__attribute__((format(printf, 3, 4))) static bool loadable_fail(struct reader *r, const char *field,
                                                                const char *format, ...)
{
    va_list args;

    *r->error = (struct loadable_error){ .list = r->list, .index = r->index, .field = field };
    va_start(args, format);
    vsnprintf(r->error->rule, sizeof(r->error->rule), format, args);
    va_end(args);
    return false;
}

/* @n bytes at @pos are not all there. */
static bool loadable_leaves(struct reader *r, const char *field, size_t pos, size_t n)
{
    return loadable_fail(r, field, "at %zu, %zu bytes: must lie inside the file (%zu bytes)", pos,
                         n, r->len);
}

static bool loadable_fits(const struct reader *r, size_t pos, size_t n)
{
    return pos <= r->len && n <= r->len - pos;
}

static uint64_t loadable_get(const uint8_t *b, unsigned bytes)
{
    uint64_t v = 0;

    for (unsigned i = 0; i < bytes; i++) {
        v |= (uint64_t)b[i] << (8 * i);
    }
    return v;
}

/* The table an offset field at @pos leads to. */
static bool table_at(struct reader *r, size_t pos, struct table *t)
{
    int64_t vtable;

    if (!loadable_fits(r, pos, 4)) {
        return loadable_leaves(r, "table", pos, 4);
    }
    t->pos = pos;
    vtable = (int64_t)pos - (int32_t)loadable_get(r->bytes + pos, 4);
    if (vtable < 0) {
        return loadable_fail(r, "vtable", "at %" PRId64 ": must lie inside the file (%zu bytes)",
                             vtable, r->len);
    }
    if (!loadable_fits(r, (size_t)vtable, 4)) {
        return loadable_leaves(r, "vtable", (size_t)vtable, 4);
    }
    t->vtable = (size_t)vtable;
    t->vtable_len = (size_t)loadable_get(r->bytes + t->vtable, 2);
    if (t->vtable_len < 4 || t->vtable_len % 2 || !loadable_fits(r, t->vtable, t->vtable_len)) {
        return loadable_fail(
            r, "vtable",
            "of %zu bytes at %zu: must be even, at least 4 and inside the file (%zu bytes)",
            t->vtable_len, t->vtable, r->len);
    }
    return true;
}

/* Where field @id of @n bytes lies; 0 if the table leaves it out. */
static bool field_at(struct reader *r, const struct table *t, unsigned id, size_t n,
                     const char *name, size_t *at)
{
    size_t slot = 4 + 2 * (size_t)id, offset;

    *at = 0;
    if (slot + 2 > t->vtable_len) {
        return true;
    }
    offset = (size_t)loadable_get(r->bytes + t->vtable + slot, 2);
    if (offset == 0) {
        return true;
    }
    if (!loadable_fits(r, t->pos + offset, n)) {
        return loadable_leaves(r, name, t->pos + offset, n);
    }
    *at = t->pos + offset;
    return true;
}

static bool loadable_scalar(struct reader *r, const struct table *t, unsigned id, unsigned bytes,
                            const char *name, uint64_t *v)
{
    size_t at;

    *v = 0;
    if (!field_at(r, t, id, bytes, name, &at)) {
        return false;
    }
    if (at) {
        *v = loadable_get(r->bytes + at, bytes);
    }
    return true;
}

/* A vector of @size-byte elements, or a text (size 1). */
static bool loadable_vector(struct reader *r, const struct table *t, unsigned id, size_t size,
                            const char *name, struct loadable_list *list)
{
    size_t at, to;
    uint64_t count;

    *list = (struct loadable_list){ 0 };
    if (!field_at(r, t, id, 4, name, &at)) {
        return false;
    }
    if (!at) {
        return true;
    }
    to = at + (size_t)loadable_get(r->bytes + at, 4);
    if (!loadable_fits(r, to, 4)) {
        return loadable_leaves(r, name, to, 4);
    }
    count = loadable_get(r->bytes + to, 4);
    if (count > (r->len - to - 4) / size) {
        return loadable_fail(r, name,
                             "= %" PRIu64
                             " entries of %zu bytes at %zu: must end inside the file (%zu bytes)",
                             count, size, to + 4, r->len);
    }
    *list = (struct loadable_list){ r->bytes + to + 4, (uint32_t)count };
    return true;
}

/* As loadable_vector(), of texts: each one is checked here so that loadable_text_at() need not. */
static bool loadable_texts(struct reader *r, const struct table *t, unsigned id, const char *name,
                           struct loadable_list *list)
{
    if (!loadable_vector(r, t, id, 4, name, list)) {
        return false;
    }
    r->texts += list->count;
    if (r->texts > MAX_TEXTS) {
        return loadable_fail(r, name, "= %" PRIu32 " texts: at most a million in one file",
                             list->count);
    }
    for (uint32_t i = 0; i < list->count; i++) {
        size_t at = (size_t)(list->at - r->bytes) + 4 * (size_t)i;

        at += (size_t)loadable_get(r->bytes + at, 4);
        if (!loadable_fits(r, at, 4) ||
            !loadable_fits(r, at + 4, (size_t)loadable_get(r->bytes + at, 4))) {
            return loadable_fail(r, name,
                                 "= text %" PRIu32 " at %zu: must lie inside the file (%zu bytes)",
                                 i, at, r->len);
        }
    }
    return true;
}

static bool loadable_text_get(struct reader *r, const struct table *t, unsigned id,
                              const char *name, struct loadable_text *v)
{
    struct loadable_list l;

    if (!loadable_vector(r, t, id, 1, name, &l)) {
        return false;
    }
    *v = (struct loadable_text){ (const char *)l.at, l.count };
    return true;
}

static bool loadable_version_get(struct reader *r, const struct table *t, unsigned id,
                                 struct loadable_version *v)
{
    size_t at;

    *v = (struct loadable_version){ 0 };
    if (!field_at(r, t, id, 3, "version", &at)) {
        return false;
    }
    if (at) {
        *v = (struct loadable_version){ r->bytes[at], r->bytes[at + 1], r->bytes[at + 2] };
    }
    return true;
}

/* A number of the entry into a member of any width. */
#define NUMBER(id, bytes, member)                     \
    (loadable_scalar(r, t, id, bytes, #member, &v) && \
     ((e->member = (__typeof__(e->member))v), true))

static bool read_task(struct reader *r, const struct table *t, struct loadable_task *e)
{
    uint64_t v;

    return NUMBER(0, 2, id) && NUMBER(1, 4, interface) && NUMBER(2, 2, instance) &&
           loadable_vector(r, t, 3, 2, "address_list", &e->addresses) &&
           loadable_vector(r, t, 4, 2, "pre_actions", &e->pre_actions) &&
           loadable_vector(r, t, 5, 2, "post_actions", &e->post_actions);
}

static bool read_memory(struct reader *r, const struct table *t, struct loadable_memory *e)
{
    uint64_t v;

    return NUMBER(0, 2, id) && NUMBER(1, 1, domain) && NUMBER(2, 2, flags) && NUMBER(3, 8, size) &&
           NUMBER(4, 4, alignment) && loadable_texts(r, t, 5, "contents", &e->contents) &&
           loadable_vector(r, t, 6, 8, "offsets", &e->offsets) && NUMBER(7, 2, bind_id) &&
           NUMBER(8, 2, tensor_id);
}

static bool read_address(struct reader *r, const struct table *t, struct loadable_address *e)
{
    uint64_t v;

    return NUMBER(0, 2, id) && NUMBER(1, 2, memory_id) && NUMBER(2, 8, offset) &&
           NUMBER(3, 8, size);
}

static bool read_event(struct reader *r, const struct table *t, struct loadable_event *e)
{
    uint64_t v;

    return NUMBER(0, 2, id) && NUMBER(1, 1, type) && NUMBER(2, 2, target) && NUMBER(3, 4, value) &&
           NUMBER(4, 1, op);
}

static bool read_blob(struct reader *r, const struct table *t, struct loadable_blob *e)
{
    uint64_t v;

    return loadable_text_get(r, t, 0, "name", &e->name) && NUMBER(1, 8, size) &&
           NUMBER(2, 4, interface) && NUMBER(3, 4, sub_interface) &&
           loadable_version_get(r, t, 4, &e->version) &&
           loadable_vector(r, t, 5, 1, "data", &e->data);
}

static bool read_tensor(struct reader *r, const struct table *t, struct loadable_tensor *e)
{
    uint64_t v;

    for (unsigned i = 0; i < 8; i++) {
        if (!loadable_scalar(r, t, 14 + i, 4, "stride", &v)) {
            return false;
        }
        e->stride[i] = (uint32_t)v;
    }
    return loadable_text_get(r, t, 0, "name", &e->name) && NUMBER(1, 2, id) &&
           NUMBER(2, 2, memory_id) && NUMBER(3, 8, size) && NUMBER(4, 8, offset) &&
           NUMBER(5, 1, format) && NUMBER(6, 1, type) && NUMBER(7, 1, category) &&
           NUMBER(8, 1, pixel_format) && NUMBER(9, 1, pixel_mapping) && NUMBER(10, 4, n) &&
           NUMBER(11, 4, c) && NUMBER(12, 4, h) && NUMBER(13, 4, w);
}

static bool read_reloc(struct reader *r, const struct table *t, struct loadable_reloc *e)
{
    uint64_t v;

    return NUMBER(0, 2, address_id) && NUMBER(1, 2, write_id) && NUMBER(2, 8, offset) &&
           NUMBER(3, 4, interface) && NUMBER(4, 4, sub_interface) && NUMBER(5, 1, type);
}

static bool read_submit(struct reader *r, const struct table *t, struct loadable_submit *e)
{
    uint64_t v;

    return NUMBER(0, 2, id) && loadable_vector(r, t, 1, 2, "tasks", &e->tasks);
}

/* Entry @i of a vector of tables. */
static bool loadable_entry(struct reader *r, const struct loadable_list *l, uint32_t i,
                           struct table *t)
{
    size_t at = (size_t)(l->at - r->bytes) + 4 * (size_t)i;

    r->index = (int)i;
    return table_at(r, at + (size_t)loadable_get(r->bytes + at, 4), t);
}

#define READ_LIST(name, names)                                                                     \
    static bool read_##names(struct reader *r, const struct table *root, unsigned id,              \
                             struct loadable *l)                                                   \
    {                                                                                              \
        struct loadable_list v;                                                                    \
        struct table t;                                                                            \
                                                                                                   \
        r->list = #name "_list";                                                                   \
        r->index = -1;                                                                             \
        if (!loadable_vector(r, root, id, 4, "entries", &v)) {                                     \
            return false;                                                                          \
        }                                                                                          \
        if (v.count > MAX_ENTRIES) {                                                               \
            return loadable_fail(r, "entries", "= %" PRIu32 ": at most %u", v.count, MAX_ENTRIES); \
        }                                                                                          \
        l->name = calloc(v.count + 1u, sizeof(*l->name));                                          \
        for (uint32_t i = 0; i < v.count; i++) {                                                   \
            if (!loadable_entry(r, &v, i, &t) || !read_##name(r, &t, &l->name[i])) {               \
                return false;                                                                      \
            }                                                                                      \
        }                                                                                          \
        l->names = v.count;                                                                        \
        return true;                                                                               \
    }
LOADABLE_LISTS(READ_LIST)

static bool read_root(struct reader *r, struct loadable *l)
{
    struct table root;

    if (!loadable_fits(r, 0, 8)) {
        return loadable_fail(
            r, "size", "= %zu bytes: a loadable has at least 8; was the file cut off?", r->len);
    }
    l->identified = memcmp(r->bytes + 4, "NVDA", 4) == 0;
    return table_at(r, (size_t)loadable_get(r->bytes, 4), &root) &&
           loadable_version_get(r, &root, 0, &l->version) && read_tasks(r, &root, 1, l) &&
           read_memories(r, &root, 2, l) && read_addresses(r, &root, 3, l) &&
           read_events(r, &root, 4, l) && read_blobs(r, &root, 5, l) &&
           read_tensors(r, &root, 6, l) && read_relocs(r, &root, 7, l) &&
           read_submits(r, &root, 8, l);
}

struct loadable *loadable_open(const uint8_t *bytes, size_t len, struct loadable_error *error)
{
    struct reader r = {
        .bytes = bytes, .len = len, .error = error, .list = "loadable", .index = -1
    };
    struct loadable *l = calloc(1, sizeof(*l));

    *error = (struct loadable_error){ 0 };
    if (l && read_root(&r, l)) {
        return l;
    }
    loadable_close(l);
    return NULL;
}

void loadable_close(struct loadable *l)
{
    if (!l) {
        return;
    }
#define X(name, names) free(l->name);
    LOADABLE_LISTS(X)
#undef X
    free(l);
}

uint16_t loadable_u16(const struct loadable_list *list, uint32_t i)
{
    return (uint16_t)loadable_get(list->at + 2 * (size_t)i, 2);
}

uint64_t loadable_u64(const struct loadable_list *list, uint32_t i)
{
    return loadable_get(list->at + 8 * (size_t)i, 8);
}

struct loadable_text loadable_text_at(const struct loadable_list *list, uint32_t i)
{
    const uint8_t *at = list->at + 4 * (size_t)i;

    at += loadable_get(at, 4);
    return (struct loadable_text){ (const char *)at + 4, (size_t)loadable_get(at, 4) };
}

bool loadable_text_is(struct loadable_text a, struct loadable_text b)
{
    return a.len == b.len && (a.len == 0 || memcmp(a.at, b.at, a.len) == 0);
}

const struct loadable_blob *loadable_blob_find(const struct loadable *l, struct loadable_text name)
{
    for (size_t i = 0; i < l->blobs; i++) {
        if (loadable_text_is(l->blob[i].name, name)) {
            return &l->blob[i];
        }
    }
    return NULL;
}

#define FIND(name, names)                                                                       \
    const struct loadable_##name *loadable_##name##_find(const struct loadable *l, uint16_t id) \
    {                                                                                           \
        for (size_t i = 0; i < l->names; i++) {                                                 \
            if (l->name[i].id == id) {                                                          \
                return &l->name[i];                                                             \
            }                                                                                   \
        }                                                                                       \
        return NULL;                                                                            \
    }
FIND(memory, memories)
FIND(address, addresses)
FIND(task, tasks)

uint64_t loadable_address_bytes(const struct loadable_address *a, uint64_t memory)
{
    const uint64_t rest = memory - a->offset;

    return a->size && a->size < rest ? a->size : rest;
}

int loadable_error_format(const struct loadable_error *e, char *buf, size_t size)
{
    if (e->index < 0) {
        return snprintf(buf, size, "%s.%s %s", e->list, e->field, e->rule);
    }
    return snprintf(buf, size, "%s[%d].%s %s", e->list, e->index, e->field, e->rule);
}
