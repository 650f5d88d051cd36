/* SPDX-License-Identifier: MIT */
/* Lists between processes, as attr/wire.h has them. */
#include "runtime/api/nvsci/attr_lists.h"

#include "runtime/api/nvsci/attr/reconcile.h"
#include "runtime/api/nvsci/attr/wire.h"

bool attr_endpoint_known(NvSciIpcEndpoint endpoint)
{
    NvSciIpcEndpointInfo info;

    return NvSciIpcGetEndpointInfo(endpoint, &info) == NvSciError_Success;
}

void attr_descriptor_new(const GByteArray *bytes, void **desc, size_t *len)
{
    *desc = sci_descriptor_new(bytes->data, bytes->len);
    *len = bytes->len;
}

void attr_descriptor_free(const char *api, const void *desc)
{
    if (desc && !sci_descriptor_free(desc)) {
        sci_error(api, NvSciError_BadParameter, "not a descriptor of NvSci");
    }
}

NvSciError attr_list_export(const char *api, const struct attr_kind *kind, const void *handles,
                            size_t count, NvSciIpcEndpoint endpoint, void **desc, size_t *len)
{
    GPtrArray *lists = attr_lists_get(kind, handles, count);
    NvSciError error = NvSciError_Success;
    struct sci_list *all;
    GByteArray *bytes;

    if (!lists || !desc || !len || !attr_endpoint_known(endpoint)) {
        error = sci_error(api, NvSciError_BadParameter, NULL);
    } else if (sci_init_over(api)) {
        error = NvSciError_InvalidState;
    } else {
        all = attr_lists_append(lists);
        bytes = sci_wire_write(all);
        attr_descriptor_new(bytes, desc, len);
        g_byte_array_unref(bytes);
        sci_list_free(all);
    }
    attr_lists_put(lists);
    return error;
}

NvSciError attr_list_for_peer(const char *api, const struct sci_list *list,
                              NvSciIpcEndpoint endpoint, GByteArray **out)
{
    struct sci_list *theirs;

    if (!attr_endpoint_known(endpoint)) {
        return sci_error(api, NvSciError_BadParameter, "not an open endpoint");
    }
    theirs = sci_list_for_peer(list, endpoint);
    if (!theirs) {
        return sci_error(
            api, NvSciError_NotPermitted,
            "a reconciled list goes back the way its inputs came: none came through this endpoint");
    }
    *out = sci_wire_write(theirs);
    sci_list_free(theirs);
    return NvSciError_Success;
}

NvSciError attr_list_export_reconciled(const char *api, const struct attr_kind *kind,
                                       const void *handle, NvSciIpcEndpoint endpoint, void **desc,
                                       size_t *len)
{
    struct attr_list *l = attr_list_get(kind, handle);
    GByteArray *bytes = NULL;
    NvSciError error;

    if (!l || !l->list->reconciled || !desc || !len) {
        error = sci_error(api, NvSciError_BadParameter, "not a reconciled list");
    } else if (sci_init_over(api)) {
        error = NvSciError_InvalidState;
    } else {
        error = attr_list_for_peer(api, l->list, endpoint, &bytes);
    }
    if (bytes) {
        attr_descriptor_new(bytes, desc, len);
        g_byte_array_unref(bytes);
    }
    sci_unref(l);
    return error;
}

NvSciError attr_list_import(const char *api, const struct attr_kind *kind, const void *module,
                            NvSciIpcEndpoint endpoint, const void *desc, size_t len, void **out)
{
    struct sci_module *m = sci_handle_get(module, kind->module);
    NvSciError error = NvSciError_Success;
    struct sci_list *list = NULL;

    if (!m || !desc || !out || !attr_endpoint_known(endpoint)) {
        error = sci_error(api, NvSciError_BadParameter, NULL);
    } else if (sci_init_over(api)) {
        error = NvSciError_InvalidState;
    } else if (!(list = sci_wire_read(kind->schema, false, desc, len, endpoint))) {
        error = sci_error(api, NvSciError_BadParameter, "the bytes are no unreconciled list");
    } else {
        *out = attr_list_new(kind, m, list);
    }
    sci_unref(m);
    return error;
}

NvSciError attr_list_import_reconciled(const char *api, const struct attr_kind *kind,
                                       const void *module, NvSciIpcEndpoint endpoint,
                                       const void *desc, size_t len, const void *handles,
                                       size_t count, void **out)
{
    struct sci_module *m = sci_handle_get(module, kind->module);
    GPtrArray *inputs = count ? attr_lists_get(kind, handles, count) : NULL;
    NvSciError error = NvSciError_Success;
    struct sci_list *list = NULL;
    const char *key = NULL;

    if (!m || !desc || !out || (count && !inputs) || !attr_endpoint_known(endpoint)) {
        error = sci_error(api, NvSciError_BadParameter, NULL);
    } else if (sci_init_over(api)) {
        error = NvSciError_InvalidState;
    } else if (!(list = sci_wire_read(kind->schema, true, desc, len, endpoint))) {
        error = sci_error(api, NvSciError_BadParameter, "the bytes are no reconciled list");
    } else if (inputs && !attr_lists_satisfied(inputs, list, &key)) {
        sci_list_free(list);
        error = sci_error(api, NvSciError_AttrListValidationFailed, key);
    } else {
        *out = attr_list_new(kind, m, list);
    }
    attr_lists_put(inputs);
    sci_unref(m);
    return error;
}
