/* SPDX-License-Identifier: MIT */
/* Lists, sync objects and fences between processes; as buf_ipc.c. */
#include <string.h>
#include <unistd.h>

#include "runtime/api/nvsci/sync.h"

/* --- lists --- */

NvSciError NvSciSyncAttrListIpcExportUnreconciled(
    const NvSciSyncAttrList *unreconciledAttrListArray, size_t unreconciledAttrListCount,
    NvSciIpcEndpoint ipcEndpoint, void **descBuf, size_t *descLen)
{
    return attr_list_export(__func__, &sync_lists, unreconciledAttrListArray,
                            unreconciledAttrListCount, ipcEndpoint, descBuf, descLen);
}

NvSciError NvSciSyncAttrListIpcExportReconciled(NvSciSyncAttrList reconciledAttrList,
                                                NvSciIpcEndpoint ipcEndpoint, void **descBuf,
                                                size_t *descLen)
{
    return attr_list_export_reconciled(__func__, &sync_lists, reconciledAttrList, ipcEndpoint,
                                       descBuf, descLen);
}

NvSciError NvSciSyncAttrListIpcImportUnreconciled(NvSciSyncModule module,
                                                  NvSciIpcEndpoint ipcEndpoint, const void *descBuf,
                                                  size_t descLen,
                                                  NvSciSyncAttrList *importedUnreconciledAttrList)
{
    return attr_list_import(__func__, &sync_lists, module, ipcEndpoint, descBuf, descLen,
                            (void **)importedUnreconciledAttrList);
}

NvSciError NvSciSyncAttrListIpcImportReconciled(
    NvSciSyncModule module, NvSciIpcEndpoint ipcEndpoint, const void *descBuf, size_t descLen,
    const NvSciSyncAttrList *inputUnreconciledAttrListArray, size_t inputUnreconciledAttrListCount,
    NvSciSyncAttrList *importedReconciledAttrList)
{
    return attr_list_import_reconciled(__func__, &sync_lists, module, ipcEndpoint, descBuf, descLen,
                                       inputUnreconciledAttrListArray,
                                       inputUnreconciledAttrListCount,
                                       (void **)importedReconciledAttrList);
}

void NvSciSyncAttrListFreeDesc(void *descBuf)
{
    attr_descriptor_free(__func__, descBuf);
}

void NvSciSyncAttrListAndObjFreeDesc(void *attrListAndObjDescBuf)
{
    attr_descriptor_free(__func__, attrListAndObjDescBuf);
}

/* --- objects --- */

/* What a descriptor holds; the rest of it is zero. @place: the number of the board, if processes
 * share it, else the process. Of a fence: @number is the object's name, @value the fence's, @slots
 * those of the time stamp and the status, 16 bits each. Of an object: @number and @value are what
 * the board takes for it, or @number that of a trip of this process. */
struct ticket {
    uint32_t magic, version;
    uint64_t place, number, value, perm;
    uint32_t slots, crc; /* of all before */
};
enum { OBJECT_MAGIC = 0x4f535356, FENCE_MAGIC = 0x46535356, TICKET_VERSION = 2 };

static uint64_t sync_ipc_place(void)
{
    uint64_t board = rt_board_number();

    return board ? board : (uint64_t)getpid();
}

/* What fences call the object, the same in all processes that have it. */
static uint64_t core_name(const struct sync_core *core)
{
    uint64_t number = rt_sync_number(core->sync);

    return number ? number : (uint64_t)(uintptr_t)core->handle;
}

/* An object on its way: holds the counter until it is imported. */
struct trip {
    struct sync_core *core;
    uint64_t perm;
};

static GMutex lock;
static GHashTable *trips; /* number -> struct trip */
static uint64_t last_number;

static uint64_t trip_begin(struct sync_core *core, uint64_t perm)
{
    struct trip *trip = g_new0(struct trip, 1);
    uint64_t number;

    sci_ref(core);
    *trip = (struct trip){ core, perm };
    g_mutex_lock(&lock);
    if (!trips) {
        trips = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
    }
    number = ++last_number;
    g_hash_table_insert(trips, g_memdup2(&number, sizeof(number)), trip);
    g_mutex_unlock(&lock);
    return number;
}

static void ticket_write(struct ticket t, void *out, size_t size)
{
    t.version = TICKET_VERSION;
    t.place = sync_ipc_place();
    t.crc = sci_wire_crc(&t, offsetof(struct ticket, crc));
    memset(out, 0, size);
    memcpy(out, &t, sizeof(t));
}

static NvSciError ticket_read(const char *api, const void *desc, uint32_t magic, struct ticket *t)
{
    memcpy(t, desc, sizeof(*t));
    if (t->magic != magic || t->version != TICKET_VERSION ||
        t->crc != sci_wire_crc(t, offsetof(struct ticket, crc))) {
        return sci_error(api, NvSciError_BadParameter, "the bytes are no such descriptor");
    }
    if (t->place != sync_ipc_place()) {
        return sci_error(
            api, NvSciError_NotSupported,
            "an object of another process, which has a board of its own: give all processes one "
            "board (vtegra run --shared, or --board SOCKET for each)");
    }
    return NvSciError_Success;
}

/* The trip that a ticket is for, which is over now. */
static NvSciError trip_end(const char *api, const struct ticket *t, uint64_t least,
                           struct trip *out)
{
    struct trip *trip;
    gpointer key, value = NULL;

    g_mutex_lock(&lock);
    trip = trips ? g_hash_table_lookup(trips, &t->number) : NULL;
    if (trip && (least == NvSciSyncAccessPerm_Auto || !(least & ~trip->perm))) {
        g_hash_table_steal_extended(trips, &t->number, &key, &value);
        g_free(key);
    }
    g_mutex_unlock(&lock);
    if (!value) {
        return trip ? sci_error(api, NvSciError_AccessDenied,
                                "the object was exported with less permission")
                    : sci_error(api, NvSciError_NoLongerAvailable,
                                "a descriptor is imported once, and this one was");
    }
    *out = *trip;
    g_free(trip);
    return NvSciError_Success;
}

/* From the board; @out->core is new, or the one that this process has. */
static NvSciError board_take(const char *api, const struct ticket *t, struct sci_module *module,
                             uint64_t least, struct trip *out)
{
    uint32_t rights = least == NvSciSyncAccessPerm_Auto ? 0 : (uint32_t)least;
    struct rt_sync *sync;
    NvSciError error = sci_import_error(
        api, rt_sync_import((const uint64_t[]){ t->number, t->value }, &rights, &sync));

    if (error) {
        return error;
    }
    *out = (struct trip){ sync_core_new(module, sync), rights };
    return NvSciError_Success;
}

static NvSciError object_take(const char *api, const struct ticket *t, struct sci_module *module,
                              uint64_t least, struct trip *out)
{
    return rt_board_number() ? board_take(api, t, module, least, out)
                             : trip_end(api, t, least, out);
}

/* What an importer gets is named by a trip of this process, or by the board. */
static NvSciError object_give(const char *api, struct sync_object *o, struct ticket *t)
{
    uint64_t token[2];

    if (!rt_board_number()) {
        t->number = trip_begin(o->core, t->perm);
        return NvSciError_Success;
    }
    if (rt_sync_export(o->core->sync, (uint32_t)t->perm, token)) {
        return sci_export_error(api);
    }
    t->number = token[0];
    t->value = token[1];
    return NvSciError_Success;
}

static bool perm_known(uint64_t perm)
{
    return perm == NvSciSyncAccessPerm_Auto || (perm && !(perm & ~NvSciSyncAccessPerm_WaitSignal));
}

/* What the process behind @endpoint may get: what it has asked for, and no more than this object
 * may. */
static NvSciError peer_perm(const char *api, const struct sync_object *o, NvSciIpcEndpoint endpoint,
                            uint64_t wanted, uint64_t *out)
{
    uint64_t asked = sci_list_peer_perm(o->list, endpoint);

    if (!asked) {
        return sci_error(api, NvSciError_NotPermitted,
                         "no list that was reconciled came through this endpoint");
    }
    *out = wanted == NvSciSyncAccessPerm_Auto ? (asked & o->perm) : wanted;
    if (!*out || (*out & ~o->perm)) {
        return sci_error(api, NvSciError_InvalidOperation,
                         "more permission than the object has here");
    }
    return NvSciError_Success;
}

NvSciError NvSciSyncObjIpcExport(NvSciSyncObj syncObj, NvSciSyncAccessPerm permissions,
                                 NvSciIpcEndpoint ipcEndpoint,
                                 NvSciSyncObjIpcExportDescriptor *desc)
{
    struct sync_object *o = sync_object_get(syncObj);
    NvSciError error = NvSciError_Success;
    struct ticket t = { .magic = OBJECT_MAGIC };

    if (!o || !desc || !perm_known(permissions) || !attr_endpoint_known(ipcEndpoint)) {
        error = BAD(NULL);
    } else if (sci_init_over(__func__)) {
        error = NvSciError_InvalidState;
    } else {
        error = peer_perm(__func__, o, ipcEndpoint, permissions, &t.perm);
        error = error ? error : object_give(__func__, o, &t);
        if (error == NvSciError_Success) {
            ticket_write(t, desc, sizeof(*desc));
        }
    }
    sci_unref(o);
    return error;
}

NvSciError NvSciSyncObjIpcImport(NvSciIpcEndpoint ipcEndpoint,
                                 const NvSciSyncObjIpcExportDescriptor *desc,
                                 NvSciSyncAttrList inputAttrList, NvSciSyncAccessPerm permissions,
                                 int64_t timeoutUs, NvSciSyncObj *syncObj)
{
    struct attr_list *l = attr_list_get(&sync_lists, inputAttrList);
    NvSciError error;
    struct ticket t;
    struct trip trip = { 0 };

    (void)timeoutUs; /* nothing has to be waited for */
    if (!l || !l->list->reconciled || !desc || !syncObj || !perm_known(permissions) ||
        !attr_endpoint_known(ipcEndpoint)) {
        error = BAD(NULL);
    } else if (sci_init_over(__func__)) {
        error = NvSciError_InvalidState;
    } else {
        error = ticket_read(__func__, desc, OBJECT_MAGIC, &t);
        error = error ? error : object_take(__func__, &t, l->module, permissions, &trip);
        if (error == NvSciError_Success) {
            *syncObj = sync_object_new(l->list, trip.core, trip.perm);
            sci_unref(trip.core);
        }
    }
    sci_unref(l);
    return error;
}

/* --- fences --- */

NvSciError NvSciSyncIpcExportFence(const NvSciSyncFence *syncFence, NvSciIpcEndpoint ipcEndpoint,
                                   NvSciSyncFenceIpcExportDescriptor *desc)
{
    struct ticket t = { .magic = FENCE_MAGIC };
    struct sync_core *core;
    struct fence f;

    if (!syncFence || !desc || !attr_endpoint_known(ipcEndpoint)) {
        return BAD(NULL);
    }
    memcpy(&f, syncFence, sizeof(f));
    core = fence_core(syncFence);
    if (!core && f.core) {
        return BAD("the bytes are no fence");
    }
    t.number = core ? core_name(core) : 0;
    t.value = f.value;
    t.slots = (f.time_slot & 0xffff) | f.status_slot << 16;
    ticket_write(t, desc, sizeof(*desc));
    sci_unref(core);
    return NvSciError_Success;
}

/* A fence is one of the object that it is imported with. */
NvSciError NvSciSyncIpcImportFence(NvSciSyncObj syncObj,
                                   const NvSciSyncFenceIpcExportDescriptor *desc,
                                   NvSciSyncFence *syncFence)
{
    struct sync_object *o = sync_object_get(syncObj);
    NvSciError error;
    struct ticket t;
    struct fence f;

    if (!o || !desc || !syncFence) {
        sci_unref(o);
        return BAD(NULL);
    }
    error = ticket_read(__func__, desc, FENCE_MAGIC, &t);
    if (error == NvSciError_Success && !t.number) {
        NvSciSyncFenceClear(syncFence);
    } else if (error == NvSciError_Success && t.number != core_name(o->core)) {
        error = BAD("the fence is of another object");
    } else if (error == NvSciError_Success) {
        fence_make(syncFence, o, t.value, false);
        memcpy(&f, syncFence, sizeof(f));
        f.time_slot = t.slots & 0xffff;
        f.status_slot = MIN(t.slots >> 16, (uint32_t)G_N_ELEMENTS(o->core->status));
        memcpy(syncFence, &f, sizeof(f));
    }
    sci_unref(o);
    return error;
}

/* --- a list and its object: the descriptor, then the bytes of the list --- */

NvSciError NvSciSyncIpcExportAttrListAndObj(NvSciSyncObj syncObj, NvSciSyncAccessPerm permissions,
                                            NvSciIpcEndpoint ipcEndpoint, void **attrListAndObjDesc,
                                            size_t *attrListAndObjDescSize)
{
    struct sync_object *o = sync_object_get(syncObj);
    NvSciSyncObjIpcExportDescriptor desc;
    GByteArray *list = NULL, *all;
    NvSciError error;

    if (!o || !attrListAndObjDesc || !attrListAndObjDescSize) {
        sci_unref(o);
        return BAD(NULL);
    }
    error = attr_list_for_peer(__func__, o->list, ipcEndpoint, &list);
    error = error ? error : NvSciSyncObjIpcExport(syncObj, permissions, ipcEndpoint, &desc);
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

NvSciError NvSciSyncIpcImportAttrListAndObj(NvSciSyncModule module, NvSciIpcEndpoint ipcEndpoint,
                                            const void *attrListAndObjDesc,
                                            size_t attrListAndObjDescSize,
                                            const NvSciSyncAttrList *attrList, size_t attrListCount,
                                            NvSciSyncAccessPerm minPermissions, int64_t timeoutUs,
                                            NvSciSyncObj *syncObj)
{
    NvSciSyncObjIpcExportDescriptor desc;
    NvSciSyncAttrList list;
    NvSciError error;

    if (!attrListAndObjDesc || attrListAndObjDescSize <= sizeof(desc)) {
        return BAD(NULL);
    }
    memcpy(&desc, attrListAndObjDesc, sizeof(desc));
    error = NvSciSyncAttrListIpcImportReconciled(
        module, ipcEndpoint, (const char *)attrListAndObjDesc + sizeof(desc),
        attrListAndObjDescSize - sizeof(desc), attrList, attrListCount, &list);
    if (error != NvSciError_Success) {
        return error;
    }
    error = NvSciSyncObjIpcImport(ipcEndpoint, &desc, list, minPermissions, timeoutUs, syncObj);
    NvSciSyncAttrListFree(list);
    return error;
}
