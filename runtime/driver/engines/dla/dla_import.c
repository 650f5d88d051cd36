/* SPDX-License-Identifier: MIT */
/* What a standalone handle imports: memory and sync objects of NvSci (note 5.1.3, 5.1.4). */
#include "runtime/driver/core/cost.h"
#include "runtime/driver/engines/dla/dla_submit.h"

#include <errno.h>

#include "runtime/driver/core/core.h"
#include "runtime/driver/device/rt_init.h"

#define PAGE_UP(x) (((x) + HAL_PAGE - 1) & ~(uint64_t)(HAL_PAGE - 1))

struct dla_sync *dla_sync_find(const struct dla_device *d, uint64_t device_ptr)
{
    for (guint i = 0; i < d->syncs->len; i++) {
        struct dla_sync *s = d->syncs->pdata[i];

        if (s->device_ptr == device_ptr) {
            return s;
        }
    }
    return NULL;
}

const struct dla_sync *dla_sync_of(const struct dla_device *d, const struct rt_sync *sync)
{
    for (guint i = 0; i < d->syncs->len; i++) {
        const struct dla_sync *s = d->syncs->pdata[i];

        if (s->sync == sync) {
            return s;
        }
    }
    return NULL;
}

static cudlaStatus dla_import_enter(cudlaDevHandle handle, struct dla_device **d, const char *api,
                                    const void *a, const void *b, const char *unknown)
{
    cudlaStatus status = dla_enter(handle, d, api);

    if (status) {
        return status;
    }
    if (!a || !b || unknown) {
        status = dla_error(cudlaErrorInvalidParam, api, "cuDLA API", "%s",
                           a && b ? unknown : "a pointer is NULL");
    } else if (!(*d)->standalone) {
        status = dla_error(cudlaErrorUnsupportedOperation, api, "cuDLA API",
                           "NvSci objects belong to standalone mode: this handle is hybrid");
    } else {
        status = dla_error_before(*d, api);
    }
    return status ? dla_leave_device(*d, status, api) : cudlaSuccess;
}

static cudlaStatus memory_import(struct dla_device *d, const cudlaExternalMemoryHandleDesc *desc,
                                 uint64_t *device_ptr, uint32_t flags)
{
    static const char *const api = "cudlaImportExternalMemory";
    static const uint8_t none[16];
    struct rt_sci_buf buf;
    struct dla_buffer *b;

    if (!sci_ops.buf || !sci_ops.buf(desc->extBufObject, none, &buf)) {
        return dla_error(cudlaErrorNvSci, api, "cuDLA API",
                         "extBufObject is no NvSciBufObj: give what NvSciBufObjAlloc() gave, until "
                         "NvSciBufObjFree()");
    }
    if (!desc->size || desc->size > buf.size) {
        return dla_error(cudlaErrorInvalidParam, api, "cuDLA API",
                         "size is %llu, the buffer has %" G_GUINT64_FORMAT " bytes", desc->size,
                         buf.size);
    }
    for (guint i = 0; i < d->buffers->len; i++) {
        if (((const struct dla_buffer *)d->buffers->pdata[i])->shared == buf.memory) {
            return dla_rule(DLA_RULE_REGISTERED_TWICE, api, shared_mem(buf.memory)->id,
                            "this buffer is imported with this handle already");
        }
    }
    if (!buf.writable) {
        flags |= CUDLA_READ_ONLY_PERM;
    }
    b = g_new0(struct dla_buffer, 1);
    *b = (struct dla_buffer){ .ptr = (uintptr_t)shared_mem(buf.memory)->cpu,
                              .size = desc->size,
                              .region = shared_mem(buf.memory)->id,
                              .flags = flags,
                              .mapped = PAGE_UP(desc->size),
                              .shared = buf.memory };
    if (hal_iommu_map(core_hal(), d->unit->unit, shared_mem(buf.memory), 0, b->mapped,
                      flags & CUDLA_READ_ONLY_PERM ? HAL_PROT_READ : HAL_PROT_WRITE, &b->iova)) {
        g_free(b);
        return dla_error(cudlaErrorOutOfResources, api, "cuDLA API",
                         "the SMMU has no room for %llu bytes", desc->size);
    }
    external_import_shared(b->shared, true);
    *device_ptr = b->device_ptr = b->iova;
    g_ptr_array_add(d->buffers, b);
    return cudlaSuccess;
}

cudlaStatus rt_dla_import_memory(cudlaDevHandle handle, const cudlaExternalMemoryHandleDesc *desc,
                                 uint64_t **device_ptr, uint32_t flags)
{
    static const char *const api = "cudlaImportExternalMemory";
    struct dla_device *d;
    uint64_t iova = 0;
    cudlaStatus status =
        dla_import_enter(handle, &d, api, desc, device_ptr, dla_flags_unknown(flags));

    if (status) {
        return status;
    }
    cost_pass(COST_MAP, 1);
    status = memory_import(d, desc, &iova, flags);
    if (!status) {
        *device_ptr = (uint64_t *)(uintptr_t)iova;
    }
    return dla_leave_device(d, status, api);
}

static cudlaStatus sync_import(struct dla_device *d, const cudlaExternalSemaphoreHandleDesc *desc,
                               uint64_t *device_ptr)
{
    static const char *const api = "cudlaImportExternalSemaphore";
    struct rt_sci_sync sync;
    struct dla_sync *s;
    cudlaStatus status;
    uint64_t iova;

    if (!sci_ops.sync || !sci_ops.sync(desc->extSyncObject, &sync)) {
        return dla_error(cudlaErrorNvSci, api, "cuDLA API",
                         "extSyncObject is no NvSciSyncObj: give what NvSciSyncObjAlloc() gave, "
                         "until NvSciSyncObjFree()");
    }
    if (dla_sync_of(d, sync.sync)) {
        return dla_rule(DLA_RULE_REGISTERED_TWICE, api, 0,
                        "this sync object is imported with this handle already");
    }
    /* Only cuDLA's own signals have the DLA's time; another signaler's are not cuDLA's business. */
    status = sync.timestamps && sync.may_signal
                 ? dla_edition_check(RULES_FEATURE_CUDLA_NOOP, api,
                                     "time stamps of cuDLA's fences "
                                     "(NvSciSyncAttrKey_WaiterRequireTimestamps)")
                 : cudlaSuccess;
    if (status) {
        return status;
    }
    if (hal_iommu_map(core_hal(), d->unit->unit, sync_page(sync.sync), 0, HAL_PAGE, HAL_PROT_WRITE,
                      &iova)) {
        return dla_error(cudlaErrorOutOfResources, api, "cuDLA API", "the SMMU has no room");
    }
    s = g_new0(struct dla_sync, 1);
    s->sync = sync.sync;
    s->object = desc->extSyncObject;
    s->iova = iova;
    s->device_ptr = iova + sync_slot_offset(sync.sync);
    s->may_wait = sync.may_wait;
    s->may_signal = sync.may_signal;
    external_import_sync(s->sync, true);
    g_ptr_array_add(d->syncs, s);
    *device_ptr = s->device_ptr;
    return cudlaSuccess;
}

cudlaStatus rt_dla_import_semaphore(cudlaDevHandle handle,
                                    const cudlaExternalSemaphoreHandleDesc *desc,
                                    uint64_t **device_ptr, uint32_t flags)
{
    static const char *const api = "cudlaImportExternalSemaphore";
    struct dla_device *d;
    uint64_t at = 0;
    cudlaStatus status =
        dla_import_enter(handle, &d, api, desc, device_ptr, flags ? "flags has to be 0" : NULL);

    if (status) {
        return status;
    }
    cost_pass(COST_MAP, 1);
    status = sync_import(d, desc, &at);
    if (!status) {
        *device_ptr = (uint64_t *)(uintptr_t)at;
    }
    return dla_leave_device(d, status, api);
}

static void sync_drop(struct dla_device *d, struct dla_sync *s)
{
    hal_iommu_unmap(core_hal(), d->unit->unit, s->iova, HAL_PAGE);
    external_import_sync(s->sync, false);
    g_ptr_array_remove(d->syncs, s);
    g_free(s);
}

bool dla_sync_unregister(struct dla_device *d, uint64_t device_ptr)
{
    struct dla_sync *s = dla_sync_find(d, device_ptr);

    if (s) {
        sync_drop(d, s);
    }
    return s != NULL;
}

void dla_syncs_drop(struct dla_device *d)
{
    while (d->syncs->len) {
        sync_drop(d, d->syncs->pdata[d->syncs->len - 1]);
    }
}

/* "cuDLA prioritizes sync point primitive over deterministic semaphore primitive" (note 5.1.4). */
cudlaStatus rt_dla_sync_attributes(uint64_t *list, uint32_t flags)
{
    static const char *const api = "cudlaGetNvSciSyncAttributes";
    static const uint32_t primitives[] = { 1, 2 }; /* Syncpoint, SysmemSemaphore */
    const uint32_t known = CUDLA_NVSCISYNC_ATTR_WAIT | CUDLA_NVSCISYNC_ATTR_SIGNAL;
    cudlaStatus status = cudlaSuccess;
    int error;

    if (rt_init(0) || core_enter()) {
        return cudlaErrorUmd;
    }
    if (!list || !flags || (flags & ~known)) {
        return dla_leave(dla_error(cudlaErrorInvalidParam, api, "cuDLA API", "%s",
                                   list ? "flags is neither CUDLA_NVSCISYNC_ATTR_WAIT nor _SIGNAL "
                                          "nor both"
                                        : "attrList is NULL"));
    }
    error = sci_ops.sync_list ? sci_ops.sync_list(list, flags & CUDLA_NVSCISYNC_ATTR_SIGNAL,
                                                  flags & CUDLA_NVSCISYNC_ATTR_WAIT, primitives,
                                                  G_N_ELEMENTS(primitives), NULL)
                              : -EBADF;
    if (error) {
        status = dla_error(error == -EBADF ? cudlaErrorInvalidParam : cudlaErrorNvSci, api,
                           "cuDLA API", "%s",
                           error == -EBADF ? "attrList is no list of NvSciSyncAttrListCreate()"
                                           : "RequiredPerm of the list is set before, or the list "
                                             "is reconciled");
    }
    return dla_leave(status);
}
