/* SPDX-License-Identifier: MIT */
/* Objects with hooks are in one of two lists: the preloaded library's, or ours where there is none,
 * or where the runtime is loaded after the hooks. Neither list ever gets shorter.
 */
#include "runtime/observe/objects.h"

#include <dlfcn.h>
#include <glib.h>
#include <link.h>
#include <stdatomic.h>
#include <string.h>

#include "runtime/observe/check_internal.h"
#include "runtime/observe/source.h"
#include "runtime/observe/units.h"
#include "runtime/preload/preload.h"

static struct {
    _Atomic(struct vtegra_track_object *) first; /* our list */
    _Atomic(vtegra_track_enlist_fn *) more;
    const struct vtegra_preload *preload;
    GHashTable *old; /* names of those with hooks of versions that did not say so */
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

static void objects_enlist(struct vtegra_track_object *object)
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
    objects_enlist(object);
}

/* --- hooks that were loaded before anybody wanted to know ------------------------------------- */

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

    if (handle && symbol_of(handle, "vtegra_track_attach", path)) {
        g_hash_table_add(objects.old, g_strdup(path));
    }
    if (object) {
        objects_enlist(object);
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
    if (!objects.old) {
        objects.old = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    }
    atomic_store(&objects.more, more);
    dl_iterate_phdr(name_add, names);
    for (guint i = 0; i < names->len; i++) {
        loaded_look(names->pdata[i]);
    }
    g_ptr_array_unref(names);
}

/* --- hooks that are there --------------------------------------------------------------------- */

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

/* --- for the report: who has hooks ------------------------------------------------------------ */

/* Is it the object that was loaded from @path? "" is the program. */
static bool object_is(const struct vtegra_track_object *object, const char *path)
{
    struct dl_find_object found;

    return _dl_find_object((void *)(uintptr_t)object, &found) == 0 && found.dlfo_link_map &&
           strcmp(found.dlfo_link_map->l_name, path) == 0;
}

static void without_note(struct check *c, const char *object, const char *kind, const char *name)
{
    struct note n;

    note_init(&n, "without-hooks");
    note_str(&n, "object", object);
    note_str(&n, kind, name);
    checker_note(c->checker, &n);
}

static void object_note(struct check *c, const char *name, const char *hooks)
{
    struct note n;

    note_init(&n, "object");
    note_str(&n, "name", name);
    note_str(&n, "hooks", hooks);
    checker_note(c->checker, &n);
}

static gint name_order(gconstpointer a, gconstpointer b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void heard_notes(struct check *c, const char *name, const struct vtegra_track_object *object)
{
    GPtrArray *files = g_ptr_array_new_with_free_func(g_free);
    GPtrArray *functions = g_ptr_array_new_with_free_func(g_free);
    bool says = units_without((uintptr_t)object, files, functions);

    object_note(c, name, !says ? "unknown" : files->len + functions->len > 0 ? "some" : "all");
    g_ptr_array_sort(files, name_order);
    g_ptr_array_sort(functions, name_order);
    for (guint i = 0; i < files->len; i++) {
        without_note(c, name, "file", files->pdata[i]);
    }
    for (guint i = 0; i < functions->len; i++) {
        without_note(c, name, "function", functions->pdata[i]);
    }
    g_ptr_array_unref(files);
    g_ptr_array_unref(functions);
}

static void path_notes(struct check *c, const char *path)
{
    const struct vtegra_track_object *object = NULL;
    unsigned list = 0;
    char *name = *path ? g_path_get_basename(path) : g_strdup(c->run->program);

    while ((object = object_next(object, &list)) && !object_is(object, path)) {
    }
    if (object && objects_heard(object)) {
        heard_notes(c, name, object);
    } else {
        object_note(c, name,
                    object || g_hash_table_contains(objects.old, path) ? "unheard" : "none");
    }
    g_free(name);
}

void objects_notes(struct check *c)
{
    GPtrArray *names;
    unsigned list = 0;

    /* Nothing to report, or places are not wanted. */
    if ((!object_next(NULL, &list) && g_hash_table_size(objects.old) == 0) ||
        g_strcmp0(g_getenv("VTEGRA_PLACES"), "0") == 0) {
        return;
    }
    names = g_ptr_array_new_with_free_func(g_free);
    dl_iterate_phdr(name_add, names);
    g_ptr_array_sort(names, name_order);
    for (guint i = 0; i < names->len; i++) {
        const char *path = names->pdata[i];

        if (!source_is_system(path) && !g_str_has_prefix(path, "linux-vdso")) {
            path_notes(c, path);
        }
    }
    g_ptr_array_unref(names);
}
