/* SPDX-License-Identifier: MIT */
/* Life of the driver's objects: object.h. Needs no other file of the driver but handle.c. */
#include "runtime/driver/core/object.h"

#include <string.h>

void *object_new(const struct object_kind *kind, size_t bytes, struct context *context)
{
    struct object *o = g_malloc0(bytes);

    o->kind = kind;
    o->context = context;
    o->refs = 1;
    return o;
}

void *object_new_like(const struct object_kind *kind, const void *like, size_t bytes,
                      struct context *context)
{
    struct object *o = object_new(kind, bytes, context);

    memcpy(o + 1, (const struct object *)like + 1, bytes - sizeof(*o));
    return o;
}

static void object_end(struct object *o)
{
    object_list_remove(o);
    if (o->kind->end) {
        o->kind->end(o);
    }
    object_close(o);
    (o->kind->free ? o->kind->free : g_free)(o);
}

void object_ref_many(struct object *o, unsigned n)
{
    o->refs += n;
}

void object_unref_many(struct object *o, unsigned n)
{
    if (n > o->refs) { /* ours: a program ends a handle, and it finds it once */
        g_error("driver: %s released more often than held", o->kind->name);
    }
    o->refs -= n;
    if (n && !o->refs) {
        object_end(o);
    }
}

void object_ref(struct object *o)
{
    object_ref_many(o, 1);
}

void object_unref(struct object *o)
{
    object_unref_many(o, 1);
}

void *object_open(struct object *o)
{
    o->handle = handle_new(o->kind->type, o);
    return o->handle;
}

void object_close(struct object *o)
{
    if (o->handle) {
        handle_free(o->handle);
        o->handle = NULL;
    }
}

void object_list_add(struct object_list *list, struct object *o)
{
    g_assert(!o->list); /* ours: each kind is added where it is made */
    o->list = list;
    o->before = list->last;
    o->after = NULL;
    *(list->last ? &list->last->after : &list->first) = o;
    list->last = o;
    list->count++;
}

void object_list_remove(struct object *o)
{
    struct object_list *list = o->list;

    if (list) {
        *(o->before ? &o->before->after : &list->first) = o->after;
        *(o->after ? &o->after->before : &list->last) = o->before;
        o->list = NULL;
        o->before = o->after = NULL;
        list->count--;
    }
}

void object_list_end_of(struct object_list *list, const struct context *context)
{
    for (struct object *o = list->last, *before; o; o = before) {
        before = o->before;
        if (o->context == context) {
            object_unref(o);
        }
    }
}

void *object_first(const struct object_list *list)
{
    return list->first;
}

void *object_last(const struct object_list *list)
{
    return list->last;
}

void *object_after(const struct object *o)
{
    return o->after;
}

void *object_before(const struct object *o)
{
    return o->before;
}
