/* SPDX-License-Identifier: MIT */
/* Lists and buffers between processes: lists travel as attr/wire.h has them; a descriptor of a
 * buffer is a ticket that is valid once, in the processes that share its board (docs/nvsci.md). */
#include <string.h>
#include <unistd.h>

#include "runtime/api/nvsci/buf.h"

/* --- lists --- */

NvSciError NvSciBufAttrListIpcExportUnreconciled(const NvSciBufAttrList *unreconciledAttrListArray,
                                                 size_t unreconciledAttrListCount,
                                                 NvSciIpcEndpoint ipcEndpoint, void **descBuf,
                                                 size_t *descLen)
{
    return attr_list_export(__func__, &buf_lists, unreconciledAttrListArray,
                            unreconciledAttrListCount, ipcEndpoint, descBuf, descLen);
}

NvSciError NvSciBufAttrListIpcExportReconciled(NvSciBufAttrList reconciledAttrList,
                                               NvSciIpcEndpoint ipcEndpoint, void **descBuf,
                                               size_t *descLen)
{
    return attr_list_export_reconciled(__func__, &buf_lists, reconciledAttrList, ipcEndpoint,
                                       descBuf, descLen);
}

NvSciError NvSciBufAttrListIpcImportUnreconciled(NvSciBufModule module,
                                                 NvSciIpcEndpoint ipcEndpoint, const void *descBuf,
                                                 size_t descLen,
                                                 NvSciBufAttrList *importedUnreconciledAttrList)
{
    return attr_list_import(__func__, &buf_lists, module, ipcEndpoint, descBuf, descLen,
                            (void **)importedUnreconciledAttrList);
}

NvSciError NvSciBufAttrListIpcImportReconciled(
    NvSciBufModule module, NvSciIpcEndpoint ipcEndpoint, const void *descBuf, size_t descLen,
    const NvSciBufAttrList *inputUnreconciledAttrListArray, size_t inputUnreconciledAttrListCount,
    NvSciBufAttrList *importedReconciledAttrList)
{
    return attr_list_import_reconciled(
        __func__, &buf_lists, module, ipcEndpoint, descBuf, descLen, inputUnreconciledAttrListArray,
        inputUnreconciledAttrListCount, (void **)importedReconciledAttrList);
}

void NvSciBufAttrListFreeDesc(void *descBuf)
{
    attr_descriptor_free(__func__, descBuf);
}

void NvSciBufAttrListAndObjFreeDesc(void *attrListAndObjDescBuf)
{
    attr_descriptor_free(__func__, attrListAndObjDescBuf);
}

/* --- buffers --- */

/* What a descriptor of a buffer holds; the rest of it is zero. Where processes share a board,
 * @board is its number and @token what the board takes for the buffer; else @process and @number
 * name a trip of this process. */
struct ticket {
    uint32_t magic, version;
    uint64_t board, process, number, token[2];
    uint32_t perm, crc; /* of all before */
};
enum { TICKET_MAGIC = 0x4f425356, TICKET_VERSION = 2 };

/* A buffer on its way in this process: holds the memory until it is imported. */
struct trip {
    struct buf_memory *memory;
    uint32_t perm;
};

static GMutex lock;
static GHashTable *trips; /* number -> struct trip */
static uint64_t last_number;

static uint64_t trip_begin(struct buf_memory *memory, uint32_t perm)
{
    struct trip *trip = g_new0(struct trip, 1);
    uint64_t number;

    *trip = (struct trip){ buf_memory_ref(memory), perm };
    g_mutex_lock(&lock);
    if (!trips) {
        trips = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
    }
    number = ++last_number;
    g_hash_table_insert(trips, g_memdup2(&number, sizeof(number)), trip);
    g_mutex_unlock(&lock);
    return number;
}

static NvSciError ticket_write(const char *api, struct buf_memory *memory, uint32_t perm,
                               NvSciBufObjIpcExportDescriptor *out)
{
    struct ticket t = { .magic = TICKET_MAGIC,
                        .version = TICKET_VERSION,
                        .board = rt_board_number(),
                        .process = (uint64_t)getpid(),
                        .perm = perm };

    if (!t.board) {
        t.number = trip_begin(memory, perm);
    } else if (rt_shared_export(memory->shared, perm == NvSciBufAccessPerm_ReadWrite, t.token)) {
        return sci_export_error(api);
    }
    t.crc = sci_wire_crc(&t, offsetof(struct ticket, crc));
    memset(out, 0, sizeof(*out));
    memcpy(out, &t, sizeof(t));
    return NvSciError_Success;
}

/* From the board. */
static NvSciError board_take(const char *api, const struct ticket *t,
                             NvSciBufAttrValAccessPerm least, struct trip *out)
{
    bool writable = least == NvSciBufAccessPerm_ReadWrite;
    struct rt_shared *shared;
    NvSciError error = sci_import_error(api, rt_shared_import(t->token, api, &writable, &shared));

    if (error) {
        return error;
    }
    *out = (struct trip){ g_new0(struct buf_memory, 1),
                          writable ? NvSciBufAccessPerm_ReadWrite : NvSciBufAccessPerm_Readonly };
    *out->memory = (struct buf_memory){ 1, shared, rt_shared_size(shared) };
    return NvSciError_Success;
}

/* The trip that a ticket is for, which is over now. */
static NvSciError ticket_take(const char *api, const NvSciBufObjIpcExportDescriptor *desc,
                              NvSciBufAttrValAccessPerm least, struct trip *out)
{
    struct ticket t;
    struct trip *trip;
    gpointer key, value = NULL;

    memcpy(&t, desc, sizeof(t));
    if (t.magic != TICKET_MAGIC || t.version != TICKET_VERSION ||
        t.crc != sci_wire_crc(&t, offsetof(struct ticket, crc))) {
        return sci_error(api, NvSciError_BadParameter, "the bytes are no descriptor of a buffer");
    }
    if (t.board != rt_board_number() || (!t.board && t.process != (uint64_t)getpid())) {
        return sci_error(
            api, NvSciError_NotSupported,
            "a buffer of another process, which has a board of its own: give all processes one "
            "board (vtegra run --shared, or --board SOCKET for each)");
    }
    if (t.board) {
        return board_take(api, &t, least, out);
    }
    g_mutex_lock(&lock);
    trip = trips ? g_hash_table_lookup(trips, &t.number) : NULL;
    if (trip && (least == NvSciBufAccessPerm_Auto || (uint32_t)least <= trip->perm)) {
        g_hash_table_steal_extended(trips, &t.number, &key, &value);
        g_free(key);
    }
    g_mutex_unlock(&lock);
    if (!value) {
        return trip ? sci_error(api, NvSciError_AccessDenied,
                                "the buffer was exported with less permission")
                    : sci_error(api, NvSciError_NoLongerAvailable,
                                "a descriptor is imported once, and this one was");
    }
    *out = *trip;
    g_free(trip);
    return NvSciError_Success;
}

/* What the process behind @endpoint may get: what it has asked for, and no more than this object
 * may. */
static NvSciError peer_perm(const char *api, const struct buf_object *o, NvSciIpcEndpoint endpoint,
                            NvSciBufAttrValAccessPerm wanted, uint32_t *out)
{
    uint32_t asked = (uint32_t)sci_list_peer_perm(o->list, endpoint);

    if (!asked) {
        return sci_error(api, NvSciError_NotPermitted,
                         "no list that was reconciled came through this endpoint");
    }
    *out = wanted == NvSciBufAccessPerm_Auto ? MIN(asked, o->perm) : (uint32_t)wanted;
    if (*out > o->perm) {
        return sci_error(api, NvSciError_InvalidOperation,
                         "more permission than the buffer has here");
    }
    return NvSciError_Success;
}

static bool perm_known(NvSciBufAttrValAccessPerm perm)
{
    return perm == NvSciBufAccessPerm_Readonly || perm == NvSciBufAccessPerm_ReadWrite ||
           perm == NvSciBufAccessPerm_Auto;
}

NvSciError NvSciBufObjIpcExport(NvSciBufObj bufObj, NvSciBufAttrValAccessPerm accPerm,
                                NvSciIpcEndpoint ipcEndpoint,
                                NvSciBufObjIpcExportDescriptor *exportData)
{
    struct buf_object *o = buf_object_get(bufObj);
    NvSciError error = NvSciError_Success;
    uint32_t perm = 0;

    if (!o || !exportData || !perm_known(accPerm) || !attr_endpoint_known(ipcEndpoint)) {
        error = BAD(NULL);
    } else if (sci_init_over(__func__)) {
        error = NvSciError_InvalidState;
    } else {
        error = peer_perm(__func__, o, ipcEndpoint, accPerm, &perm);
        if (error == NvSciError_Success) {
            error = ticket_write(__func__, o->memory, perm, exportData);
        }
    }
    sci_unref(o);
    return error;
}

/* The list of the importer must describe the memory that it gets. */
static NvSciError import_object(const char *api, struct sci_module *module,
                                const struct sci_list *list,
                                const NvSciBufObjIpcExportDescriptor *desc,
                                NvSciBufAttrValAccessPerm least, NvSciBufObj *out)
{
    struct trip trip = { 0 };
    NvSciError error = ticket_take(api, desc, least, &trip);
    uint64_t align;

    if (error != NvSciError_Success) {
        return error;
    }
    if (sci_buf_size(list, &align) > trip.memory->size) {
        error =
            sci_error(api, NvSciError_ObjValidationFailed, "the list describes a larger buffer");
    } else {
        *out = buf_object_new(module, list, trip.memory, trip.perm);
    }
    buf_memory_unref(trip.memory);
    return error;
}

NvSciError NvSciBufObjIpcImport(NvSciIpcEndpoint ipcEndpoint,
                                const NvSciBufObjIpcExportDescriptor *desc,
                                NvSciBufAttrList reconciledAttrList,
                                NvSciBufAttrValAccessPerm minPermissions, int64_t timeoutUs,
                                NvSciBufObj *bufObj)
{
    struct attr_list *l = attr_list_get(&buf_lists, reconciledAttrList);
    NvSciError error;

    (void)timeoutUs; /* nothing has to be waited for */
    if (!l || !l->list->reconciled || !desc || !bufObj || !perm_known(minPermissions) ||
        !attr_endpoint_known(ipcEndpoint)) {
        error = BAD(NULL);
    } else if (sci_init_over(__func__)) {
        error = NvSciError_InvalidState;
    } else {
        error = import_object(__func__, l->module, l->list, desc, minPermissions, bufObj);
    }
    sci_unref(l);
    return error;
}

NvSciError NvSciBufObjGetMaxPerm(const NvSciBufObj bufObj, const NvSciIpcEndpoint ipcEndpoint,
                                 NvSciBufAttrValAccessPerm *accPerm)
{
    struct buf_object *o = buf_object_get(bufObj);
    NvSciError error;
    uint32_t perm = 0;

    if (!o || !accPerm || !attr_endpoint_known(ipcEndpoint)) {
        error = BAD(NULL);
    } else {
        error = peer_perm(__func__, o, ipcEndpoint, NvSciBufAccessPerm_Auto, &perm);
        if (error == NvSciError_Success) {
            *accPerm = (NvSciBufAttrValAccessPerm)perm;
        }
    }
    sci_unref(o);
    return error;
}

/* --- a list and its buffer: the descriptor, then the bytes of the list --- */

NvSciError NvSciBufIpcExportAttrListAndObj(NvSciBufObj bufObj,
                                           NvSciBufAttrValAccessPerm permissions,
                                           NvSciIpcEndpoint ipcEndpoint, void **attrListAndObjDesc,
                                           size_t *attrListAndObjDescSize)
{
    struct buf_object *o = buf_object_get(bufObj);
    NvSciBufObjIpcExportDescriptor desc;
    GByteArray *list = NULL, *all;
    NvSciError error;

    if (!o || !attrListAndObjDesc || !attrListAndObjDescSize) {
        sci_unref(o);
        return BAD(NULL);
    }
    error = attr_list_for_peer(__func__, o->list, ipcEndpoint, &list);
    error = error ? error : NvSciBufObjIpcExport(bufObj, permissions, ipcEndpoint, &desc);
    if (error == NvSciError_Success) {
        all = g_byte_array_new();
        g_byte_array_append(all, (const guint8 *)&desc, sizeof(desc));
        g_byte_array_append(all, list->data, list->len);
        attr_descriptor_new(all, attrListAndObjDesc, attrListAndObjDescSize);
        g_byte_array_unref(all);
    }
    if (list) {
        g_byte_array_unref(list);
    }
    sci_unref(o);
    return error;
}

NvSciError NvSciBufIpcImportAttrListAndObj(NvSciBufModule module, NvSciIpcEndpoint ipcEndpoint,
                                           const void *attrListAndObjDesc,
                                           size_t attrListAndObjDescSize,
                                           const NvSciBufAttrList *attrList, size_t count,
                                           NvSciBufAttrValAccessPerm minPermissions,
                                           int64_t timeoutUs, NvSciBufObj *bufObj)
{
    NvSciBufObjIpcExportDescriptor desc;
    NvSciBufAttrList list;
    NvSciError error;

    if (!attrListAndObjDesc || attrListAndObjDescSize <= sizeof(desc)) {
        return BAD(NULL);
    }
    memcpy(&desc, attrListAndObjDesc, sizeof(desc));
    error = NvSciBufAttrListIpcImportReconciled(
        module, ipcEndpoint, (const char *)attrListAndObjDesc + sizeof(desc),
        attrListAndObjDescSize - sizeof(desc), attrList, count, &list);
    if (error != NvSciError_Success) {
        return error;
    }
    error = NvSciBufObjIpcImport(ipcEndpoint, &desc, list, minPermissions, timeoutUs, bufObj);
    NvSciBufAttrListFree(list);
    return error;
}
