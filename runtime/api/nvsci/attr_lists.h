/* SPDX-License-Identifier: MIT */
/* Modules and attribute lists behind handles, of NvSciBuf and NvSciSync alike: what functions of
 * both libraries do once the program's types are gone. Each returns what the program is given;
 * @api: the function that it called. */
#ifndef RUNTIME_API_NVSCI_ATTR_LISTS_H
#define RUNTIME_API_NVSCI_ATTR_LISTS_H

#include "include/nvsciipc.h"
#include "runtime/api/nvsci/attr/list.h"
#include "runtime/api/nvsci/common.h"

#define BAD(why) sci_error(__func__, NvSciError_BadParameter, why)

struct sci_module {
    struct sci_object object;
};

struct attr_list {
    struct sci_object object;
    struct sci_module *module;
    struct sci_list *list;
};

/**
 * struct attr_kind - what differs between the two libraries
 * @reconcile: as in attr/reconcile.h
 */
struct attr_kind {
    enum sci_object_kind module, list;
    const struct sci_schema *schema;
    NvSciError (*reconcile)(const struct sci_list *const *input, size_t count,
                            struct sci_list **out, struct sci_list **conflicts, char **why);
};
extern const struct attr_kind buf_lists, sync_lists;

NvSciError attr_module_open(const char *api, const struct attr_kind *kind, void **out);

/* The handle of a new list, which owns @list; a list behind a handle, with a reference. */
void *attr_list_new(const struct attr_kind *kind, struct sci_module *module, struct sci_list *list);
struct attr_list *attr_list_get(const struct attr_kind *kind, const void *handle);
/* Handles of an array: all lists, of one module and none reconciled; NULL: BadParameter. To be
 * given to attr_lists_put(). */
GPtrArray *attr_lists_get(const struct attr_kind *kind, const void *handles, size_t count);
void attr_lists_put(GPtrArray *lists);
/* All of their slots in one list; is all that they ask for in @by? @key: the first that is not. */
struct sci_list *attr_lists_append(const GPtrArray *lists);
bool attr_lists_satisfied(const GPtrArray *lists, const struct sci_list *by, const char **key);

NvSciError attr_list_create(const char *api, const struct attr_kind *kind, const void *module,
                            void **out);
void attr_list_free(const char *api, const struct attr_kind *kind, const void *handle);
NvSciError attr_list_set(const char *api, const struct attr_kind *kind, const void *handle,
                         const void *pairs, size_t count);
size_t attr_list_slots(const char *api, const struct attr_kind *kind, const void *handle);
NvSciError attr_list_read(const char *api, const struct attr_kind *kind, const void *handle,
                          size_t slot, void *pairs, size_t count);
/* Text for people; the program free()s it. */
NvSciError attr_list_dump(const char *api, const struct attr_kind *kind, const void *handle,
                          void **buf, size_t *len);
/* @out, @conflict: handles; on success one, on failure the other is set. */
NvSciError attr_list_reconcile(const char *api, const struct attr_kind *kind, const void *handles,
                               size_t count, void **out, void **conflict);
NvSciError attr_list_clone(const char *api, const struct attr_kind *kind, const void *handle,
                           void **out);
NvSciError attr_list_append(const char *api, const struct attr_kind *kind, const void *handles,
                            size_t count, void **out);
NvSciError attr_list_is_reconciled(const char *api, const struct attr_kind *kind,
                                   const void *handle, bool *out);
NvSciError attr_list_validate(const char *api, const struct attr_kind *kind, const void *handle,
                              const void *handles, size_t count, bool *out);
NvSciError attr_list_validate_pairs(const char *api, const struct attr_kind *kind,
                                    const void *handle, const void *pairs, size_t count);

/* attr_lists_ipc.c: lists between processes, as attr/wire.h has them. */
bool attr_endpoint_known(NvSciIpcEndpoint endpoint);
NvSciError attr_list_export(const char *api, const struct attr_kind *kind, const void *handles,
                            size_t count, NvSciIpcEndpoint endpoint, void **desc, size_t *len);
NvSciError attr_list_export_reconciled(const char *api, const struct attr_kind *kind,
                                       const void *handle, NvSciIpcEndpoint endpoint, void **desc,
                                       size_t *len);
/* The bytes of a reconciled list as the process behind @endpoint is given it. */
NvSciError attr_list_for_peer(const char *api, const struct sci_list *list,
                              NvSciIpcEndpoint endpoint, GByteArray **out);
NvSciError attr_list_import(const char *api, const struct attr_kind *kind, const void *module,
                            NvSciIpcEndpoint endpoint, const void *desc, size_t len, void **out);
/* @handles: what the list has to satisfy; @count 0: nothing. */
NvSciError attr_list_import_reconciled(const char *api, const struct attr_kind *kind,
                                       const void *module, NvSciIpcEndpoint endpoint,
                                       const void *desc, size_t len, const void *handles,
                                       size_t count, void **out);
void attr_descriptor_free(const char *api, const void *desc);
void attr_descriptor_new(const GByteArray *bytes, void **desc, size_t *len);

#endif
