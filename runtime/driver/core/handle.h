/* SPDX-License-Identifier: MIT */
/* What an application holds: numbers of a table, never pointers. */
#ifndef RUNTIME_DRIVER_CORE_HANDLE_H
#define RUNTIME_DRIVER_CORE_HANDLE_H

enum handle_type {
    HANDLE_NONE,
    HANDLE_CONTEXT,
    HANDLE_STREAM,
    HANDLE_EVENT,
    HANDLE_MODULE,
    HANDLE_FUNCTION,
    HANDLE_LIBRARY,
    HANDLE_KERNEL,
    HANDLE_POOL,
    HANDLE_LINK,
    HANDLE_DLA,
    HANDLE_DLA_MODULE,
    HANDLE_PHYSICAL,
    HANDLE_ARRAY,
    HANDLE_MIPMAP,
    HANDLE_GRAPH,
    HANDLE_GRAPH_NODE,
    HANDLE_GRAPH_EXEC,
    HANDLE_USER_OBJECT,
    HANDLE_EGL_STREAM,
    HANDLE_EGL_END,
    HANDLE_GRAPHICS,
    HANDLE_EXTERNAL_MEMORY,
    HANDLE_EXTERNAL_SEMAPHORE,
    HANDLE_VIC,
    HANDLE_EGL_BUFFER,
    HANDLE_TEXREF,
    HANDLE_SURFREF,
};

/* What programs may have at a time: object_room(). A call that asked may make more than it asked
 * for, so the table has room for more. */
#define HANDLES_MAX (1u << 20)

/* Live ones of all types. */
unsigned handle_count(void);
void *handle_new(enum handle_type type, void *object);
void *handle_find(enum handle_type type, const void *handle); /* NULL: stale or foreign */
enum handle_type handle_type_of(const void *handle);
void handle_free(const void *handle);

#endif
