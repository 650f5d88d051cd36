/* SPDX-License-Identifier: MIT */
/* What the NvSci libraries share: handles, objects with references, phases, and their lines in the
 * report. libnvscicommon.so.1 exports these functions to the other libraries; programs call none of
 * them. */
#ifndef RUNTIME_API_NVSCI_COMMON_H
#define RUNTIME_API_NVSCI_COMMON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "include/nvscierror.h"
#include "runtime/driver/memory/rt_external.h"

#define SCI_COMMON __attribute__((visibility("default")))

enum sci_object_kind {
    SCI_BUF_MODULE,
    SCI_BUF_LIST,
    SCI_BUF_OBJECT,
    SCI_SYNC_MODULE,
    SCI_SYNC_LIST,
    SCI_SYNC_OBJECT,
    SCI_SYNC_CORE, /* named by fences */
    SCI_SYNC_CONTEXT,
    SCI_IPC_ENDPOINT,
    SCI_DESCRIPTOR, /* bytes that an export has given */
    SCI_KINDS,
};

/**
 * struct sci_object - the head of everything that a handle names
 * @refs: handles and users; the last one calls @free
 */
struct sci_object {
    int refs;
    enum sci_object_kind kind;
    void (*free)(void *object);
};

/* A handle is a number that is never used again, in the form of a pointer that points nowhere: a
 * stale one is recognised. All of these are safe in any thread. */
SCI_COMMON void *sci_handle_new(struct sci_object *object); /* takes a reference of its own */
/* NULL unless @handle is one of @kind; else the object, with a reference for the caller. */
SCI_COMMON void *sci_handle_get(const void *handle, enum sci_object_kind kind);
/* The handle ends. Return: false if it is none of @kind. */
SCI_COMMON bool sci_handle_free(const void *handle, enum sci_object_kind kind);
SCI_COMMON unsigned sci_handle_count(enum sci_object_kind kind);
SCI_COMMON void sci_ref(void *object);
SCI_COMMON void sci_unref(void *object);
/* The same with the driver core's lock held: what is freed is freed by the next call of
 * sci_handle_new() or sci_handle_free(). */
SCI_COMMON void sci_unref_later(void *object);
SCI_COMMON void sci_handle_free_later(const void *handle, enum sci_object_kind kind);
/* A new object has no reference: sci_handle_new() gives it the first. */
SCI_COMMON void sci_object_init(struct sci_object *object, enum sci_object_kind kind,
                                void (*free)(void *object));

/* Buffers that exports hand to the program, which gives them back by their address. */
SCI_COMMON void *sci_descriptor_new(const void *bytes, size_t len);
SCI_COMMON bool sci_descriptor_free(const void *bytes);

/* Words for the report, once a call; returns @error. @why: NULL for a mere code. */
SCI_COMMON NvSciError sci_error(const char *api, NvSciError error, const char *why);
SCI_COMMON const char *sci_error_name(NvSciError error);
/* The same for what passes between processes of one board. */
SCI_COMMON NvSciError sci_import_error(const char *api, enum rt_import result);
SCI_COMMON NvSciError sci_export_error(const char *api);

/* --safety-phase: calls of the Init group answer InvalidState once the program has entered the
 * Runtime phase. Return: true in the Runtime phase, with a line in the report. */
SCI_COMMON bool sci_init_over(const char *api);
SCI_COMMON bool sci_runtime_phase(void); /* the same, silent */
SCI_COMMON void sci_runtime_begins(void);

#endif
