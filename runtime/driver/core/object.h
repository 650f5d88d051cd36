/* SPDX-License-Identifier: MIT */
/* What each object of the driver has that is made, held and ended: a handle, references, a context.
 *
 * A struct of such an object begins with `struct object base;` and is made by object_new(). Its own
 * room knows how it ends: struct object_kind. Other rooms read @handle and @context through
 * functions of that room; object.c alone writes them. */
#ifndef RUNTIME_DRIVER_CORE_OBJECT_H
#define RUNTIME_DRIVER_CORE_OBJECT_H

#include <glib.h>

#include "runtime/driver/core/handle.h"

struct context;

/**
 * struct object_kind
 * @name: for messages
 * @type: of its handles; HANDLE_NONE: the application gets none
 * @end: what the object has beside itself goes; NULL: it has nothing. The handle, if there is one,
 *       still finds the object
 * @free: NULL: g_free(); core_bury() where another thread may still hold the pointer
 */
struct object_kind {
    const char *name;
    enum handle_type type;
    void (*end)(void *object);
    void (*free)(void *object);
};

/**
 * struct object
 * @handle: NULL: none yet, or none any more
 * @context: whose it is; NULL: no context's
 * @refs: with the last one it ends
 * @list: where it stands; NULL: nowhere
 */
struct object {
    const struct object_kind *kind;
    void *handle;
    struct context *context;
    unsigned refs;
    struct object_list *list;
    struct object *before, *after;
};

/* In the order in which they were added. Holds no references: what ends leaves its list. All zero:
 * empty. */
struct object_list {
    struct object *first, *last;
    unsigned count;
};

/* @bytes, of which those behind the base are 0, with one reference and no handle. */
void *object_new(const struct object_kind *kind, size_t bytes, struct context *context);
/* The same, those behind the base as in @like. */
void *object_new_like(const struct object_kind *kind, const void *like, size_t bytes,
                      struct context *context);
void object_ref(struct object *o);
/* With the last reference it leaves its list, then comes kind->end, then its handle is closed. */
void object_unref(struct object *o);
void object_ref_many(struct object *o, unsigned n);
void object_unref_many(struct object *o, unsigned n); /* 0: nothing */
/* Return: its handle, by which handle_find() finds it from now on. */
void *object_open(struct object *o);
/* Not found any more; it may live on. Without a handle: nothing. */
void object_close(struct object *o);

/* In constant time. */
void object_list_add(struct object_list *list, struct object *o);
void object_list_remove(struct object *o); /* in none: nothing */
/* Those of @context, the newest first; each is held once. */
void object_list_end_of(struct object_list *list, const struct context *context);
/* NULL: no more. A loop that ends objects reads the neighbour before it ends one. */
void *object_first(const struct object_list *list);
void *object_last(const struct object_list *list);
void *object_after(const struct object *o);
void *object_before(const struct object *o);

#endif
