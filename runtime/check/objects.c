/* SPDX-License-Identifier: MIT */
/* Objects with hooks are in one of two lists: the preloaded library's, or ours where there is none,
 * or where the runtime is loaded after the hooks. Neither list ever gets shorter.
 */
#include "runtime/check/objects.h"

#include <dlfcn.h>
#include <glib.h>
#include <link.h>
#include <stdatomic.h>
#include <string.h>

#include "runtime/check/check_internal.h"
#include "runtime/preload/preload.h"

static struct {
    _Atomic(struct vtegra_track_object *) first; /* our list */
    _Atomic(vtegra_track_enlist_fn *) more;
    const struct vtegra_preload *preload;
} objects;

static const struct vtegra_track_object *list_first(unsigned list)
{
    return list == 0         ? atomic_load(&objects.first)
           : objects.preload ? objects.preload->track(atomic_load(&objects.more))
                             : NULL;
}

/* @in: which list, from 0. For each object: start with NULL. */
static const struct vtegra_track_object *object_next(const struct vtegra_track_object *object,
                                                     unsigned *in)
{
    object = object ? object->next : list_first(*in);
    while (!object && *in < 1) {
        object = list_first(++*in);
    }
    return object;
}

static bool is_enlisted(const struct vtegra_track_object *sought)
{
    const struct vtegra_track_object *object = NULL;
    unsigned list = 0;

    while ((object = object_next(object, &list)) && object != sought) {
    }
    return object != NULL;
}

static void enlist(struct vtegra_track_object *object)
{
    vtegra_track_enlist_fn *more;

    if (is_enlisted(object)) {
        return;
    }
    object->next = atomic_load(&objects.first);
    atomic_store(&objects.first, object);
    more = atomic_load(&objects.more);
    if (more) {
        more(object);
    }
}

/* For objects' own call: in ours it would be the preloaded library's function. */
__attribute__((visibility("default"))) void vtegra_track_enlist(struct vtegra_track_object *object)
{
    enlist(object);
}

/* --- hooks that were loaded before anybody wanted to know
 * --------------------------------------------------- */

static int name_add(struct dl_phdr_info *info, size_t size, void *names)
{
    (void)size;
    g_ptr_array_add(names, g_strdup(info->dlpi_name));
    return 0;
}

/* Not the one of a library that @handle needs. */
static void *symbol_of(void *handle, const char *name, const char *path)
{
    void *symbol = dlsym(handle, name);
    struct dl_find_object found;

    return symbol && _dl_find_object(symbol, &found) == 0 && found.dlfo_link_map &&
                   strcmp(found.dlfo_link_map->l_name, path) == 0
               ? symbol
               : NULL;
}

static void loaded_look(const char *path)
{
    void *handle = dlopen(*path ? path : NULL, RTLD_LAZY | RTLD_NOLOAD);
    struct vtegra_track_object *object =
        handle ? symbol_of(handle, "vtegra_track_object", path) : NULL;

    if (object) {
        enlist(object);
        dlopen(*path ? path : NULL, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
    }
    if (handle) {
        dlclose(handle);
    }
}

void objects_look(vtegra_track_enlist_fn *more)
{
    GPtrArray *names = g_ptr_array_new_with_free_func(g_free);

    objects.preload = preload_find();
    atomic_store(&objects.more, more);
    dl_iterate_phdr(name_add, names);
    for (guint i = 0; i < names->len; i++) {
        loaded_look(names->pdata[i]);
    }
    g_ptr_array_unref(names);
}

/* --- hooks that are there
 * ----------------------------------------------------------------------------------- */

bool objects_heard(const struct vtegra_track_object *object)
{
    return object->version == VTEGRA_TRACK_VERSION;
}

bool objects_hooked(void)
{
    const struct vtegra_track_object *object = NULL;
    unsigned list = 0;

    while ((object = object_next(object, &list)) && !objects_heard(object)) {
    }
    return object != NULL;
}

void objects_attach(const struct vtegra_track_client *client)
{
    const struct vtegra_track_object *object = NULL;
    unsigned list = 0;

    while ((object = object_next(object, &list))) {
        if (objects_heard(object)) {
            object->attach(client);
        }
    }
}
