/* SPDX-License-Identifier: MIT */
/* A FlatBuffer is written from front to back: a table first, then what its offsets lead to, and
 * every offset is filled in when its target is known (FlatBuffers internals, flatbuffers.dev). */
#include "loadable/writer.h"

#include <stdlib.h>
#include <string.h>

/* Offsets in the file have 32 bits, of vtables with a sign. */
#define MAX_BYTES ((size_t)INT32_MAX)
#define MAX_FIELDS 24u

struct writer {
    uint8_t *bytes;
    size_t len, room;
    bool full;
};

/* A field of a table: a number, or (@bytes 4, @value 0) an offset to fill in. */
struct number {
    unsigned id, bytes;
    uint64_t value;
};

/* @n zeros more; where they start. 0, and full, when there is no room. */
static size_t writer_grow(struct writer *w, size_t n)
{
    size_t at = w->len;

    if (w->full || n > MAX_BYTES - w->len) {
        w->full = true;
        return 0;
    }
    if (w->len + n > w->room) {
        w->room = 2 * (w->len + n);
        w->bytes = realloc(w->bytes, w->room);
        if (!w->bytes) {
            abort();
        }
    }
    memset(w->bytes + at, 0, n);
    w->len += n;
    return at;
}

static void writer_put(struct writer *w, size_t at, uint64_t value, unsigned bytes)
{
    for (unsigned i = 0; !w->full && i < bytes; i++) {
        w->bytes[at + i] = (uint8_t)(value >> (8 * i));
    }
}

static void writer_align(struct writer *w, size_t to)
{
    while (!w->full && w->len % to) {
        writer_grow(w, 1);
    }
}

/* The offset at @at leads to the next byte that is written. */
static void lead_here(struct writer *w, size_t at)
{
    writer_put(w, at, w->len - at, 4);
}

/* A table, fields in descending size so that none needs padding. at[i]: where field i lies. */
static size_t writer_table(struct writer *w, const struct number *f, unsigned n, size_t *at)
{
    unsigned last = 0;
    size_t vtable, start;

    for (unsigned i = 0; i < n; i++) {
        last = f[i].id + 1 > last ? f[i].id + 1 : last;
    }
    writer_align(w, 2);
    vtable = writer_grow(w, 4 + 2 * (size_t)last);
    while (!w->full && w->len % 8 != 4) { /* the first 8-byte field follows the 4-byte head */
        writer_grow(w, 1);
    }
    start = writer_grow(w, 4);
    writer_put(w, start, start - vtable, 4);
    for (unsigned size = 8; size; size /= 2) {
        for (unsigned i = 0; i < n; i++) {
            if (f[i].bytes == size) {
                at[i] = writer_grow(w, size);
                writer_put(w, at[i], f[i].value, size);
                writer_put(w, vtable + 4 + 2 * (size_t)f[i].id, at[i] - start, 2);
            }
        }
    }
    writer_put(w, vtable, 4 + 2 * (size_t)last, 2);
    writer_put(w, vtable + 2, w->len - start, 2);
    return start;
}

/* The table that the offset at @slot leads to. */
static void writer_entry(struct writer *w, size_t slot, const struct number *f, unsigned n,
                         size_t *at)
{
    size_t start;

    writer_align(w, 4);
    start = writer_table(w, f, n, at);
    writer_put(w, slot, start - slot, 4);
}

/* A vector of @count elements of @size bytes. */
static void writer_vector(struct writer *w, size_t slot, const void *elements, size_t count,
                          unsigned size)
{
    size_t at;

    writer_align(w, 4);
    while (!w->full && size == 8 && w->len % 8 != 4) {
        writer_grow(w, 4);
    }
    lead_here(w, slot);
    at = writer_grow(w, 4);
    writer_put(w, at, count, 4);
    at = writer_grow(w, count * size);
    if (!w->full && count) {
        memcpy(w->bytes + at, elements, count * size);
    }
}

static void writer_text(struct writer *w, size_t slot, struct loadable_text t)
{
    writer_vector(w, slot, t.at, t.len, 1);
    writer_grow(w, 1); /* FlatBuffers ends a string with a zero that its length does not count */
}

static void writer_list(struct writer *w, size_t slot, const struct loadable_list *l, unsigned size)
{
    writer_vector(w, slot, l->at, l->count, size);
}

/* The vector of tables of a list: @count empty offsets. */
static size_t writer_slots(struct writer *w, size_t slot, size_t count)
{
    writer_align(w, 4);
    lead_here(w, slot);
    writer_put(w, writer_grow(w, 4), count, 4);
    return writer_grow(w, 4 * count);
}

#define COUNT(a) ((unsigned)(sizeof(a) / sizeof((a)[0])))

static void write_task(struct writer *w, size_t slot, const struct loadable_task *t)
{
    const struct number f[] = { { 0, 2, t->id },
                                { 1, 4, t->interface },
                                { 2, 2, (uint16_t)t->instance },
                                { 3, 4, 0 },
                                { 4, 4, 0 },
                                { 5, 4, 0 } };
    size_t at[MAX_FIELDS];

    writer_entry(w, slot, f, COUNT(f), at);
    writer_list(w, at[3], &t->addresses, 2);
    writer_list(w, at[4], &t->pre_actions, 2);
    writer_list(w, at[5], &t->post_actions, 2);
}

static void write_memory(struct writer *w, size_t slot, const struct loadable_memory *m,
                         const struct loadable_text *contents)
{
    const struct number f[] = { { 0, 2, m->id },   { 1, 1, m->domain },    { 2, 2, m->flags },
                                { 3, 8, m->size }, { 4, 4, m->alignment }, { 5, 4, 0 },
                                { 6, 4, 0 },       { 7, 2, m->bind_id },   { 8, 2, m->tensor_id } };
    size_t at[MAX_FIELDS], names;

    writer_entry(w, slot, f, COUNT(f), at);
    names = writer_slots(w, at[5], m->offsets.count);
    for (uint32_t k = 0; k < m->offsets.count; k++) {
        writer_text(w, names + 4 * (size_t)k, contents[k]);
    }
    writer_list(w, at[6], &m->offsets, 8);
}

static void write_address(struct writer *w, size_t slot, const struct loadable_address *a)
{
    const struct number f[] = {
        { 0, 2, a->id }, { 1, 2, a->memory_id }, { 2, 8, a->offset }, { 3, 8, a->size }
    };
    size_t at[MAX_FIELDS];

    writer_entry(w, slot, f, COUNT(f), at);
}

static void write_event(struct writer *w, size_t slot, const struct loadable_event *e)
{
    const struct number f[] = {
        { 0, 2, e->id }, { 1, 1, e->type }, { 2, 2, e->target }, { 3, 4, e->value }, { 4, 1, e->op }
    };
    size_t at[MAX_FIELDS];

    writer_entry(w, slot, f, COUNT(f), at);
}

static void write_blob(struct writer *w, size_t slot, const struct loadable_blob *b)
{
    /* The version is a struct of three bytes inside the table, written as three numbers. */
    const struct number f[] = { { 0, 4, 0 },
                                { 1, 8, b->size },
                                { 2, 4, b->interface },
                                { 3, 4, b->sub_interface },
                                { 4, 4,
                                  (uint64_t)b->version.major | (uint64_t)b->version.minor << 8 |
                                      (uint64_t)b->version.sub_minor << 16 },
                                { 5, 4, 0 } };
    size_t at[MAX_FIELDS];

    writer_entry(w, slot, f, COUNT(f), at);
    writer_text(w, at[0], b->name);
    writer_list(w, at[5], &b->data, 1);
}

static void write_tensor(struct writer *w, size_t slot, const struct loadable_tensor *t)
{
    struct number f[22] = { { 0, 4, 0 },
                            { 1, 2, t->id },
                            { 2, 2, t->memory_id },
                            { 3, 8, t->size },
                            { 4, 8, t->offset },
                            { 5, 1, t->format },
                            { 6, 1, t->type },
                            { 7, 1, t->category },
                            { 8, 1, t->pixel_format },
                            { 9, 1, t->pixel_mapping },
                            { 10, 4, (uint32_t)t->n },
                            { 11, 4, (uint32_t)t->c },
                            { 12, 4, (uint32_t)t->h },
                            { 13, 4, (uint32_t)t->w } };
    size_t at[MAX_FIELDS];

    for (unsigned i = 0; i < 8; i++) {
        f[14 + i] = (struct number){ 14 + i, 4, t->stride[i] };
    }
    writer_entry(w, slot, f, COUNT(f), at);
    writer_text(w, at[0], t->name);
}

static void write_reloc(struct writer *w, size_t slot, const struct loadable_reloc *r)
{
    const struct number f[] = { { 0, 2, r->address_id },    { 1, 2, r->write_id },
                                { 2, 8, r->offset },        { 3, 4, r->interface },
                                { 4, 4, r->sub_interface }, { 5, 1, r->type } };
    size_t at[MAX_FIELDS];

    writer_entry(w, slot, f, COUNT(f), at);
}

static void write_submit(struct writer *w, size_t slot, const struct loadable_submit *s)
{
    const struct number f[] = { { 0, 2, s->id }, { 1, 4, 0 } };
    size_t at[MAX_FIELDS];

    writer_entry(w, slot, f, COUNT(f), at);
    writer_list(w, at[1], &s->tasks, 2);
}

/* List @id of the root; @write_entry writes entry i, whose offset lies at @slot. */
#define WRITE_LIST(id, names, write_entry)                \
    do {                                                  \
        size_t slot = writer_slots(&w, at[id], l->names); \
                                                          \
        for (size_t i = 0; i < l->names; i++) {           \
            write_entry;                                  \
            slot += 4;                                    \
        }                                                 \
    } while (0)

uint8_t *loadable_write(const struct loadable *l, const struct loadable_text *const *contents,
                        size_t *len)
{
    /* The root: its version (a struct of three bytes), then the eight lists. */
    const struct number f[] = { { 0, 4,
                                  (uint64_t)l->version.major | (uint64_t)l->version.minor << 8 |
                                      (uint64_t)l->version.sub_minor << 16 },
                                { 1, 4, 0 },
                                { 2, 4, 0 },
                                { 3, 4, 0 },
                                { 4, 4, 0 },
                                { 5, 4, 0 },
                                { 6, 4, 0 },
                                { 7, 4, 0 },
                                { 8, 4, 0 } };
    struct writer w = { 0 };
    size_t at[MAX_FIELDS];

    writer_grow(&w, 8);
    memcpy(w.bytes + 4, "NVDA", 4);
    writer_entry(&w, 0, f, COUNT(f), at);
    WRITE_LIST(1, tasks, write_task(&w, slot, &l->task[i]));
    WRITE_LIST(2, memories, write_memory(&w, slot, &l->memory[i], contents[i]));
    WRITE_LIST(3, addresses, write_address(&w, slot, &l->address[i]));
    WRITE_LIST(4, events, write_event(&w, slot, &l->event[i]));
    WRITE_LIST(5, blobs, write_blob(&w, slot, &l->blob[i]));
    WRITE_LIST(6, tensors, write_tensor(&w, slot, &l->tensor[i]));
    WRITE_LIST(7, relocs, write_reloc(&w, slot, &l->reloc[i]));
    WRITE_LIST(8, submits, write_submit(&w, slot, &l->submit[i]));
    if (w.full) {
        free(w.bytes);
        return NULL;
    }
    *len = w.len;
    return w.bytes;
}
