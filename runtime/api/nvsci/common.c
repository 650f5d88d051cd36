/* SPDX-License-Identifier: MIT */
/* Handles, and lines in the report. */
#include "runtime/api/nvsci/common.h"

#include <glib.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/driver/interop/sci/rt_sci.h"

/* GLib's lock: the scheduler of threads sees those of pthread.h, and this one is no lock of the
 * program's. Nothing is called while it is held that may block or come back. */
static GMutex lock;
static GHashTable *handles; /* number -> struct sci_object */
static unsigned counts[SCI_KINDS];
static uint64_t last_handle;
static bool runtime_phase;

/* No address of a Linux process, neither on x86-64 nor on arm64: a program that follows it faults
 * at once. */
#define HANDLE_BASE UINT64_C(0x5c10000000000000)

void sci_object_init(struct sci_object *object, enum sci_object_kind kind, void (*free)(void *))
{
    *object = (struct sci_object){ .refs = 0, .kind = kind, .free = free };
}

void sci_ref(void *opaque)
{
    struct sci_object *object = opaque;

    g_atomic_int_inc(&object->refs);
}

void sci_unref(void *opaque)
{
    struct sci_object *object = opaque;

    if (object && g_atomic_int_dec_and_test(&object->refs)) {
        object->free(object);
    }
}

static void *key_of(const void *handle)
{
    return (void *)(uintptr_t)handle;
}

static struct sci_object *common_find(const void *handle, enum sci_object_kind kind)
{
    struct sci_object *object = handles ? g_hash_table_lookup(handles, handle) : NULL;

    return object && object->kind == kind ? object : NULL;
}

static GSList *later;

/* Gives back a reference that is not the last one. */
static bool unref_shared(struct sci_object *object)
{
    int refs = g_atomic_int_get(&object->refs);

    while (refs > 1 && !g_atomic_int_compare_and_exchange(&object->refs, refs, refs - 1)) {
        refs = g_atomic_int_get(&object->refs);
    }
    return refs > 1;
}

void sci_unref_later(void *object)
{
    if (!object || unref_shared(object)) {
        return;
    }
    g_mutex_lock(&lock);
    later = g_slist_prepend(later, object);
    g_mutex_unlock(&lock);
}

/* The handle's own reference is the one that goes later. */
void sci_handle_free_later(const void *handle, enum sci_object_kind kind)
{
    struct sci_object *object;

    g_mutex_lock(&lock);
    object = common_find(handle, kind);
    if (object) {
        g_hash_table_remove(handles, key_of(handle));
        counts[kind]--;
        later = g_slist_prepend(later, object);
    }
    g_mutex_unlock(&lock);
}

static void common_flush(void)
{
    GSList *list;

    g_mutex_lock(&lock);
    list = later;
    later = NULL;
    g_mutex_unlock(&lock);
    g_slist_free_full(list, sci_unref);
}

void *sci_handle_new(struct sci_object *object)
{
    void *handle;

    common_flush();
    g_mutex_lock(&lock);
    if (!handles) {
        handles = g_hash_table_new(NULL, NULL);
    }
    last_handle += 16;
    handle = (void *)(uintptr_t)(HANDLE_BASE + last_handle);
    g_hash_table_insert(handles, handle, object);
    counts[object->kind]++;
    sci_ref(object);
    g_mutex_unlock(&lock);
    return handle;
}

void *sci_handle_get(const void *handle, enum sci_object_kind kind)
{
    struct sci_object *object;

    g_mutex_lock(&lock);
    object = common_find(handle, kind);
    if (object) {
        sci_ref(object);
    }
    g_mutex_unlock(&lock);
    return object;
}

bool sci_handle_free(const void *handle, enum sci_object_kind kind)
{
    struct sci_object *object;

    common_flush();
    g_mutex_lock(&lock);
    object = common_find(handle, kind);
    if (object) {
        g_hash_table_remove(handles, key_of(handle));
        counts[kind]--;
    }
    g_mutex_unlock(&lock);
    sci_unref(object);
    return object != NULL;
}

unsigned sci_handle_count(enum sci_object_kind kind)
{
    unsigned count;

    g_mutex_lock(&lock);
    count = counts[kind];
    g_mutex_unlock(&lock);
    return count;
}

/* --- descriptors --- */

static GHashTable *descriptors; /* the addresses that are out */

void *sci_descriptor_new(const void *bytes, size_t len)
{
    void *copy = g_memdup2(bytes, len);

    g_mutex_lock(&lock);
    if (!descriptors) {
        descriptors = g_hash_table_new(NULL, NULL);
    }
    g_hash_table_add(descriptors, copy);
    counts[SCI_DESCRIPTOR]++;
    g_mutex_unlock(&lock);
    return copy;
}

bool sci_descriptor_free(const void *bytes)
{
    bool ours;

    g_mutex_lock(&lock);
    ours = descriptors && g_hash_table_remove(descriptors, bytes);
    counts[SCI_DESCRIPTOR] -= ours;
    g_mutex_unlock(&lock);
    if (ours) {
        g_free(key_of(bytes));
    }
    return ours;
}

/* --- the report --- */

const char *sci_error_name(NvSciError error)
{
    switch (error) {
#define ERROR(name)         \
    case NvSciError_##name: \
        return "NvSciError_" #name;
#include "runtime/api/nvsci/errors.def"
    default:
        return "NvSciError_Unknown";
    }
}

NvSciError sci_error(const char *api, NvSciError error, const char *why)
{
    rt_sci_error(api, sci_error_name(error), why);
    return error;
}

NvSciError sci_import_error(const char *api, enum rt_import result)
{
    switch (result) {
    case RT_IMPORT_OK:
        return NvSciError_Success;
    case RT_IMPORT_GONE:
        return sci_error(api, NvSciError_NoLongerAvailable,
                         "a descriptor is imported once, and while its exporter lives");
    case RT_IMPORT_DENIED:
        return sci_error(api, NvSciError_AccessDenied, "it was exported with less permission");
    default:
        return sci_error(api, NvSciError_ResourceError, "the board could not map it");
    }
}

NvSciError sci_export_error(const char *api)
{
    return sci_error(api, NvSciError_ResourceError,
                     "the board takes no more exports of this process: too many were not imported");
}

void sci_runtime_begins(void)
{
    runtime_phase = true;
}

static bool common_phases(void)
{
    const char *on = getenv("VTEGRA_SAFETY_PHASE");

    return on && *on && strcmp(on, "0") != 0;
}

bool sci_runtime_phase(void)
{
    return runtime_phase && common_phases();
}

bool sci_init_over(const char *api)
{
    if (!sci_runtime_phase()) {
        return false;
    }
    sci_error(api, NvSciError_InvalidState,
              "a call of the Init group in the Runtime phase (--safety-phase)");
    return true;
}
