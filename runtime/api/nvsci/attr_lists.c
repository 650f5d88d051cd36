/* SPDX-License-Identifier: MIT */
/* Handles and arguments in documented order, then attr/. */
#include "runtime/api/nvsci/attr_lists.h"

#include <string.h>

#include "runtime/api/nvsci/attr/reconcile.h"
#include "runtime/driver/device/rt_init.h"

#define PAIR_IS(type)                                                               \
    _Static_assert(sizeof(struct sci_pair) == sizeof(type) &&                       \
                       offsetof(struct sci_pair, value) == offsetof(type, value) && \
                       offsetof(struct sci_pair, len) == offsetof(type, len),       \
                   "a pair is the program's")
PAIR_IS(NvSciBufAttrKeyValuePair);
PAIR_IS(NvSciSyncAttrKeyValuePair);

static const char no_list[] = "not a list";
static const char no_lists[] =
    "one of the lists is none, is reconciled, of another module, or there twice";

static NvSciError attr_bad(const char *api, const char *why)
{
    return sci_error(api, NvSciError_BadParameter, why);
}

static const struct sci_list *const *attr_inner(const GPtrArray *inner)
{
    return (const struct sci_list *const *)inner->pdata;
}

NvSciError attr_module_open(const char *api, const struct attr_kind *kind, void **out)
{
    struct sci_module *module;

    if (!out) {
        return attr_bad(api, NULL);
    }
    if (sci_init_over(api)) {
        return NvSciError_InvalidState;
    }
    if (rt_init(0) != CUDA_SUCCESS) { /* it has said why */
        return NvSciError_ResourceError;
    }
    module = g_new0(struct sci_module, 1);
    sci_object_init(&module->object, kind->module, g_free);
    *out = sci_handle_new(&module->object);
    return NvSciError_Success;
}

/* --- lists ------------------------------------------------------------------------------------ */

static void attr_list_gone(void *opaque)
{
    struct attr_list *l = opaque;

    sci_list_free(l->list);
    sci_unref(l->module);
    g_free(l);
}

void *attr_list_new(const struct attr_kind *kind, struct sci_module *module, struct sci_list *list)
{
    struct attr_list *l = g_new0(struct attr_list, 1);

    sci_object_init(&l->object, kind->list, attr_list_gone);
    sci_ref(module);
    l->module = module;
    l->list = list;
    return sci_handle_new(&l->object);
}

struct attr_list *attr_list_get(const struct attr_kind *kind, const void *handle)
{
    return sci_handle_get(handle, kind->list);
}

void attr_lists_put(GPtrArray *lists)
{
    for (guint i = 0; lists && i < lists->len; i++) {
        sci_unref(lists->pdata[i]);
    }
    if (lists) {
        g_ptr_array_unref(lists);
    }
}

static struct sci_module *attr_lists_module(const GPtrArray *lists)
{
    return ((struct attr_list *)lists->pdata[0])->module;
}

GPtrArray *attr_lists_get(const struct attr_kind *kind, const void *handles, size_t count)
{
    const void *const *handle = handles;
    GPtrArray *lists = g_ptr_array_new();
    bool good = handles && count && count <= SCI_MAX_SLOTS;

    for (size_t i = 0; good && i < count; i++) {
        struct attr_list *l = attr_list_get(kind, handle[i]);

        if (l) {
            g_ptr_array_add(lists, l);
        }
        good = l && !l->list->reconciled && l->module == attr_lists_module(lists);
        for (size_t j = 0; good && j < i; j++) {
            good = handle[j] != handle[i];
        }
    }
    if (!good) {
        attr_lists_put(lists);
        return NULL;
    }
    return lists;
}

/* The lists' own, as reconcile.h wants them. */
static GPtrArray *attr_lists_inner(const GPtrArray *lists)
{
    GPtrArray *inner = g_ptr_array_new();

    for (guint i = 0; i < lists->len; i++) {
        g_ptr_array_add(inner, ((struct attr_list *)lists->pdata[i])->list);
    }
    return inner;
}

struct sci_list *attr_lists_append(const GPtrArray *lists)
{
    GPtrArray *inner = attr_lists_inner(lists);
    struct sci_list *all = sci_list_append(attr_inner(inner), inner->len);

    g_ptr_array_unref(inner);
    return all;
}

bool attr_lists_satisfied(const GPtrArray *lists, const struct sci_list *by, const char **key)
{
    GPtrArray *inner = attr_lists_inner(lists);
    bool good = sci_list_satisfies(by, attr_inner(inner), inner->len, key);

    g_ptr_array_unref(inner);
    return good;
}

/* --- what functions of the program do --------------------------------------------------------- */

NvSciError attr_list_create(const char *api, const struct attr_kind *kind, const void *module,
                            void **out)
{
    struct sci_module *m = sci_handle_get(module, kind->module);
    NvSciError error = NvSciError_Success;

    if (!m || !out) {
        error = attr_bad(api, NULL);
    } else if (sci_init_over(api)) {
        error = NvSciError_InvalidState;
    } else {
        *out = attr_list_new(kind, m, sci_list_new(kind->schema));
    }
    sci_unref(m);
    return error;
}

void attr_list_free(const char *api, const struct attr_kind *kind, const void *handle)
{
    if (handle && !sci_handle_free(handle, kind->list)) {
        attr_bad(api, no_list);
    }
}

NvSciError attr_list_set(const char *api, const struct attr_kind *kind, const void *handle,
                         const void *pairs, size_t count)
{
    struct attr_list *l = attr_list_get(kind, handle);
    NvSciError error;

    if (!l) {
        return attr_bad(api, no_list);
    }
    error = sci_list_set(l->list, pairs, count);
    sci_unref(l);
    return error ? sci_error(api, error,
                             "the list is not to be written, or a key is unknown, computed, set "
                             "already, there twice, "
                             "or has no type or no such value; nothing was set")
                 : error;
}

size_t attr_list_slots(const char *api, const struct attr_kind *kind, const void *handle)
{
    struct attr_list *l = attr_list_get(kind, handle);
    size_t count = l ? l->list->slots->len : 0;

    if (!l) {
        attr_bad(api, no_list);
    }
    sci_unref(l);
    return count;
}

NvSciError attr_list_read(const char *api, const struct attr_kind *kind, const void *handle,
                          size_t slot, void *pairs, size_t count)
{
    struct attr_list *l = attr_list_get(kind, handle);
    NvSciError error;

    if (!l) {
        return attr_bad(api, no_list);
    }
    error = sci_list_get_pairs(l->list, slot, pairs, count);
    sci_unref(l);
    return error ? sci_error(api, error,
                             "no such slot, or a key that a list of this kind does not have")
                 : error;
}

NvSciError attr_list_dump(const char *api, const struct attr_kind *kind, const void *handle,
                          void **buf, size_t *len)
{
    struct attr_list *l = attr_list_get(kind, handle);
    char *text;

    if (!l || !buf || !len) {
        sci_unref(l);
        return attr_bad(api, NULL);
    }
    text = sci_list_dump(l->list);
    *len = strlen(text) + 1;
    *buf = strdup(text);
    g_free(text);
    sci_unref(l);
    return *buf ? NvSciError_Success : NvSciError_InsufficientMemory;
}

NvSciError attr_list_reconcile(const char *api, const struct attr_kind *kind, const void *handles,
                               size_t count, void **out, void **conflict)
{
    struct sci_list *result = NULL, *conflicts = NULL;
    g_autofree char *why = NULL;
    GPtrArray *lists, *inner;
    NvSciError error;

    if (!out) {
        return attr_bad(api, "no place for the reconciled list");
    }
    lists = attr_lists_get(kind, handles, count);
    if (!lists || !conflict) {
        attr_lists_put(lists);
        return attr_bad(api, lists ? "no place for the conflict list" : no_lists);
    }
    if (sci_init_over(api)) {
        attr_lists_put(lists);
        return NvSciError_InvalidState;
    }
    inner = attr_lists_inner(lists);
    error = kind->reconcile(attr_inner(inner), inner->len, &result, &conflicts, &why);
    if (error) {
        *conflict = attr_list_new(kind, attr_lists_module(lists), conflicts);
        sci_error(api, error, why);
    } else {
        *out = attr_list_new(kind, attr_lists_module(lists), result);
        *conflict = NULL;
    }
    g_ptr_array_unref(inner);
    attr_lists_put(lists);
    return error;
}

NvSciError attr_list_clone(const char *api, const struct attr_kind *kind, const void *handle,
                           void **out)
{
    struct attr_list *l = attr_list_get(kind, handle);

    if (!l || !out) {
        sci_unref(l);
        return attr_bad(api, NULL);
    }
    *out = attr_list_new(kind, l->module, sci_list_clone(l->list));
    sci_unref(l);
    return NvSciError_Success;
}

NvSciError attr_list_append(const char *api, const struct attr_kind *kind, const void *handles,
                            size_t count, void **out)
{
    GPtrArray *lists = attr_lists_get(kind, handles, count);

    if (!lists || !out) {
        attr_lists_put(lists);
        return attr_bad(api, no_lists);
    }
    *out = attr_list_new(kind, attr_lists_module(lists), attr_lists_append(lists));
    attr_lists_put(lists);
    return NvSciError_Success;
}

NvSciError attr_list_is_reconciled(const char *api, const struct attr_kind *kind,
                                   const void *handle, bool *out)
{
    struct attr_list *l = attr_list_get(kind, handle);

    if (!l || !out) {
        sci_unref(l);
        return attr_bad(api, NULL);
    }
    *out = l->list->reconciled;
    sci_unref(l);
    return NvSciError_Success;
}

NvSciError attr_list_validate(const char *api, const struct attr_kind *kind, const void *handle,
                              const void *handles, size_t count, bool *out)
{
    struct attr_list *l = attr_list_get(kind, handle);
    GPtrArray *lists = attr_lists_get(kind, handles, count);
    NvSciError error = NvSciError_Success;
    const char *key;

    if (!l || !l->list->reconciled || !lists || !out) {
        error = attr_bad(api, NULL);
    } else {
        *out = attr_lists_satisfied(lists, l->list, &key);
        if (!*out) {
            error = sci_error(api, NvSciError_AttrListValidationFailed, key);
        }
    }
    attr_lists_put(lists);
    sci_unref(l);
    return error;
}

NvSciError attr_list_validate_pairs(const char *api, const struct attr_kind *kind,
                                    const void *handle, const void *pairs, size_t count)
{
    struct attr_list *l = attr_list_get(kind, handle);
    NvSciError error = NvSciError_Success;

    if (!l || !l->list->reconciled || !pairs || !count || count > kind->schema->count) {
        error = attr_bad(api, NULL);
    } else if (!sci_list_satisfies_pairs(l->list, pairs, count)) {
        error = sci_error(api, NvSciError_AttrListValidationFailed, NULL);
    }
    sci_unref(l);
    return error;
}
