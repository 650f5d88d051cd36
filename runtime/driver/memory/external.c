/* SPDX-License-Identifier: MIT */
/* Memory and semaphores of others, imported into CUDA. CUDA Driver API, external resource
 * interoperability. */
#include "runtime/driver/core/cost.h"
#include "runtime/driver/memory/external_internal.h"

#include <errno.h>

#include "runtime/driver/array/array.h"
#include "runtime/driver/core/core.h"
#include "runtime/driver/core/notifier.h"
#include "runtime/driver/core/object_room.h"
#include "runtime/driver/core/report.h"
#include "runtime/driver/core/rules.h"
#include "runtime/driver/device/context.h"
#include "runtime/driver/device/devices.h"
#include "runtime/driver/memory/pending.h"
#include "runtime/driver/memory/region_internal.h"
#include "runtime/driver/memory/rt_interop.h"
#include "runtime/driver/stream/capture.h"

#define SECTION "CUDA Driver API, external resource interoperability"

static struct object_list memories, semaphores; /* struct external_memory, external_semaphore */

unsigned external_buffers(void)
{
    return memories.count;
}

unsigned external_buffers_incoherent(void)
{
    unsigned n = 0;

    for (const struct external_memory *m = object_first(&memories); m; m = object_after(&m->base)) {
        n += m->buf.gpu_sw_coherency;
    }
    return n;
}

void external_import_sync(struct rt_sync *s, bool on)
{
    if (on) {
        s->imports++;
        sync_ref(s);
    } else {
        s->imports--;
        sync_unref(s);
    }
}

static void memory_end(void *object)
{
    const struct external_memory *m = object;

    external_import_shared(m->shared, false);
}

static const struct object_kind memory_kind = { .name = "external memory",
                                                .type = HANDLE_EXTERNAL_MEMORY,
                                                .end = memory_end };

static void semaphore_end(void *object)
{
    const struct external_semaphore *s = object;

    external_import_sync(s->sync, false);
}

static const struct object_kind semaphore_kind = { .name = "external semaphore",
                                                   .type = HANDLE_EXTERNAL_SEMAPHORE,
                                                   .end = semaphore_end };

static void context_gone(struct context *c)
{
    object_list_end_of(&memories, c);
    object_list_end_of(&semaphores, c);
}

static void hook_add(void)
{
    static bool added;

    if (!added) {
        added = true;
        notify_context_gone_add(context_gone);
    }
}

static bool external_zero(const unsigned *reserved, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (reserved[i]) {
            return false;
        }
    }
    return true;
}

/* --- memory ----------------------------------------------------------------------------------- */

/* What the application says of the buffer against what it is. */
static CUresult buffer_check(const CUDA_EXTERNAL_MEMORY_HANDLE_DESC *d, struct rt_sci_buf *buf)
{
    static const char *const api = "cuImportExternalMemory";
    uint8_t uuid[16];

    device_uuid(device_current(), uuid);
    if (!sci_ops.buf || !sci_ops.buf(d->handle.nvSciBufObject, uuid, buf)) {
        return report_error(CUDA_ERROR_INVALID_HANDLE, api, SECTION,
                            "nvSciBufObject is no NvSciBufObj: give what NvSciBufObjAlloc() gave, "
                            "until NvSciBufObjFree()");
    }
    if (d->size > buf->size) {
        return report_error(CUDA_ERROR_INVALID_VALUE, api, SECTION,
                            "size is %llu, the buffer has %" G_GUINT64_FORMAT
                            " bytes: read it from its attributes",
                            d->size, buf->size);
    }
    if (!buf->gpu_listed) {
        return report_error(CUDA_ERROR_INVALID_VALUE, api,
                            "DRIVE OS API reference, NvSciBufGeneralAttrKey_GpuId",
                            "this GPU does not stand in the buffer's GpuId: add its UUID to the "
                            "attribute list before it is reconciled");
    }
    return CUDA_SUCCESS;
}

CUresult rt_external_memory_import(CUexternalMemory *out, const CUDA_EXTERNAL_MEMORY_HANDLE_DESC *d)
{
    struct rt_sci_buf buf = { 0 };
    struct external_memory *m;
    struct context *c;
    CUresult error = core_enter_context(&c);

    if (error) {
        return error;
    }
    cost_pass(COST_MAP, 1);
    if (!out || !d || !external_zero(d->reserved, G_N_ELEMENTS(d->reserved)) || !d->size ||
        (d->flags & ~(unsigned)CUDA_EXTERNAL_MEMORY_DEDICATED)) {
        return core_leave(CUDA_ERROR_INVALID_VALUE);
    }
    if (d->type < CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD ||
        d->type > CU_EXTERNAL_MEMORY_HANDLE_TYPE_DMABUF_FD) {
        return core_leave(CUDA_ERROR_INVALID_VALUE);
    }
    if (d->type != CU_EXTERNAL_MEMORY_HANDLE_TYPE_NVSCIBUF) {
        return core_leave(report_error(
            CUDA_ERROR_NOT_SUPPORTED, "cuImportExternalMemory", "vtegra",
            "handles of type %d are not supported: import NvSciBuf objects (type 8), or use "
            "cuMemImportFromShareableHandle() for memory of cuMemCreate()",
            (int)d->type));
    }
    error = rule_check("cuImportExternalMemory");
    error = error ? error : object_room("cuImportExternalMemory", 1, "external memory");
    error = error ? error : buffer_check(d, &buf);
    if (error) {
        return core_leave(error);
    }
    hook_add();
    m = object_new(&memory_kind, sizeof(*m), c);
    m->shared = buf.memory;
    m->size = d->size;
    m->buf = buf;
    external_import_shared(m->shared, true);
    object_list_add(&memories, &m->base);
    *out = object_open(&m->base);
    return core_leave(CUDA_SUCCESS);
}

static CUresult enter_memory(CUexternalMemory handle, struct external_memory **out)
{
    struct context *c;
    CUresult error = core_enter_context(&c);

    if (error) {
        return error;
    }
    *out = handle_find(HANDLE_EXTERNAL_MEMORY, handle);
    return *out ? CUDA_SUCCESS : core_leave(CUDA_ERROR_INVALID_HANDLE);
}

static struct region *memory_map(const struct external_memory *m, uint64_t offset, uint64_t bytes,
                                 CUresult *error)
{
    *error = CUDA_ERROR_INVALID_VALUE;
    return bytes && offset <= m->size && bytes <= m->size - offset
               ? region_map_shared(m->base.context, m->shared, offset, bytes, m->buf.gpu_cached,
                                   m->buf.writable, error)
               : NULL;
}

CUresult rt_external_memory_buffer(CUdeviceptr *ptr, CUexternalMemory handle,
                                   const CUDA_EXTERNAL_MEMORY_BUFFER_DESC *d)
{
    struct external_memory *m;
    struct region *r;
    CUresult error = enter_memory(handle, &m);

    if (error) {
        return error;
    }
    if (!ptr || !d || d->flags || !external_zero(d->reserved, G_N_ELEMENTS(d->reserved))) {
        return core_leave(CUDA_ERROR_INVALID_VALUE);
    }
    r = memory_map(m, d->offset, d->size, &error);
    if (!r && error == CUDA_ERROR_INVALID_VALUE) {
        report_error(
            error, "cuExternalMemoryGetMappedBuffer", SECTION,
            "%llu bytes from %llu on leave the memory, which was imported with %" G_GUINT64_FORMAT
            " bytes",
            d->size, d->offset, m->size);
    }
    if (r) {
        pending_region_new(r);
        *ptr = region_first(r);
    }
    return core_leave(error);
}

/* An image in pitch-linear memory keeps the pitch that NvSci gave its plane; behind its last row
 * there need be no gap. Return: the bytes that it needs */
static size_t level_pitch(const struct external_memory *m, uint64_t offset, struct mipmap *mip,
                          const CUDA_ARRAY3D_DESCRIPTOR *desc)
{
    size_t bytes = mipmap_flat_bytes(mip), row = mipmap_flat_row(mip);

    for (unsigned i = 0; i < MIN(m->buf.planes, RT_SCI_PLANES); i++) {
        const struct rt_sci_plane *plane = &m->buf.plane[i];

        if (plane->offset == offset && plane->pitch >= row) {
            mipmap_flat_pitch(mip, plane->pitch);
            bytes = (array_rows(desc) - 1) * plane->pitch + row;
        }
    }
    return bytes;
}

CUresult rt_external_memory_mipmap(CUmipmappedArray *out, CUexternalMemory handle,
                                   const CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC *d)
{
    static const char *const api = "cuExternalMemoryGetMappedMipmappedArray";
    struct external_memory *m;
    struct mipmap *mip;
    struct region *r;
    size_t bytes;
    CUresult error = enter_memory(handle, &m);

    if (error) {
        return error;
    }
    if (!out || !d || !external_zero(d->reserved, G_N_ELEMENTS(d->reserved))) {
        return core_leave(CUDA_ERROR_INVALID_VALUE);
    }
    if (d->numLevels != 1) {
        return core_leave(report_error(CUDA_ERROR_INVALID_VALUE, api, SECTION,
                                       "numLevels is %u: of an NvSciBuf it has to be 1",
                                       d->numLevels));
    }
    error = array_desc_check(&d->arrayDesc, api);
    if (error) {
        return core_leave(error);
    }
    mip = mipmap_new_flat(m->base.context, &d->arrayDesc);
    bytes = level_pitch(m, d->offset, mip, &d->arrayDesc);
    r = memory_map(m, d->offset, bytes, &error);
    if (!r) {
        mipmap_give(mip);
        return core_leave(error == CUDA_ERROR_INVALID_VALUE
                              ? report_error(error, api, SECTION,
                                             "the array needs %zu bytes from %llu on, imported are "
                                             "%" G_GUINT64_FORMAT,
                                             bytes, d->offset, m->size)
                              : error);
    }
    r->of_module = true; /* cuMipmappedArrayDestroy() frees it */
    *out = mipmap_place(mip, region_first(r));
    return core_leave(CUDA_SUCCESS);
}

CUresult rt_external_memory_destroy(CUexternalMemory handle)
{
    struct external_memory *m;
    CUresult error = enter_memory(handle, &m);

    if (error) {
        return !handle && error == CUDA_ERROR_INVALID_HANDLE ? CUDA_ERROR_INVALID_VALUE : error;
    }
    object_unref(&m->base); /* what is mapped stays, until cuMemFree() */
    return core_leave(CUDA_SUCCESS);
}

/* --- semaphores ------------------------------------------------------------------------------- */

struct external_semaphore *external_semaphore_find(CUexternalSemaphore handle)
{
    return handle_find(HANDLE_EXTERNAL_SEMAPHORE, handle);
}

CUresult rt_external_semaphore_import(CUexternalSemaphore *out,
                                      const CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC *d)
{
    static const char *const api = "cuImportExternalSemaphore";
    struct external_semaphore *s;
    struct rt_sci_sync sync;
    struct context *c;
    CUresult error = core_enter_context(&c);

    if (error) {
        return error;
    }
    cost_pass(COST_MAP, 1);
    if (!out || !d || d->flags || !external_zero(d->reserved, G_N_ELEMENTS(d->reserved)) ||
        d->type < CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD ||
        d->type > CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_WIN32) {
        return core_leave(CUDA_ERROR_INVALID_VALUE);
    }
    if (d->type != CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_NVSCISYNC) {
        return core_leave(report_error(CUDA_ERROR_NOT_SUPPORTED, api, "vtegra",
                                       "handles of type %d are not supported: import NvSciSync "
                                       "objects (type 6)",
                                       (int)d->type));
    }
    error = rule_check(api);
    error = error ? error : object_room(api, 1, "external semaphore");
    if (error) {
        return core_leave(error);
    }
    if (!sci_ops.sync || !sci_ops.sync(d->handle.nvSciSyncObj, &sync)) {
        return core_leave(report_error(CUDA_ERROR_INVALID_HANDLE, api, SECTION,
                                       "nvSciSyncObj is no NvSciSyncObj: give what "
                                       "NvSciSyncObjAlloc() gave, until NvSciSyncObjFree()"));
    }
    hook_add();
    s = object_new(&semaphore_kind, sizeof(*s), c);
    s->sync = sync.sync;
    s->object = d->handle.nvSciSyncObj;
    s->may_wait = sync.cuda_may_wait;
    s->may_signal = sync.cuda_may_signal;
    s->deterministic = sync.deterministic;
    s->timestamps = sync.timestamps;
    external_import_sync(s->sync, true);
    object_list_add(&semaphores, &s->base);
    *out = object_open(&s->base);
    return core_leave(CUDA_SUCCESS);
}

CUresult rt_external_semaphore_destroy(CUexternalSemaphore handle)
{
    struct external_semaphore *s;
    struct context *c;
    CUresult error = core_enter_context(&c);

    if (error) {
        return error;
    }
    s = external_semaphore_find(handle);
    if (!s) {
        return core_leave(handle ? CUDA_ERROR_INVALID_HANDLE : CUDA_ERROR_INVALID_VALUE);
    }
    object_unref(&s->base);
    return core_leave(CUDA_SUCCESS);
}

/* NvSciSyncAttrValPrimitiveType: what this GPU can signal and wait for. A PC has no syncpoints.
 * Return: how many, in *@out. */
static unsigned sync_primitives(const struct soc_profile *p, const uint32_t **out)
{
    enum { SYNCPOINT = 1, SYSMEM = 2, SYSMEM_64 = 4 };
    static const uint32_t tegra[] = { SYSMEM, SYNCPOINT, SYSMEM_64 }, pc[] = { SYSMEM, SYSMEM_64 };
    bool wide = soc_profile_cc(p) >= 86;

    *out = soc_profile_discrete(p) ? pc : tegra;
    return (soc_profile_discrete(p) ? 1 : 2) + wide;
}

CUresult rt_nvscisync_attributes(void *list, CUdevice device, int flags)
{
    enum { SIGNAL = 1, WAIT = 2 }; /* CUDA_NVSCISYNC_ATTR_* */
    static const char *const api = "cuDeviceGetNvSciSyncAttributes";
    const struct device *d = device_of(device);
    const uint32_t *primitives;
    uint8_t uuid[16];
    unsigned n;
    int status;
    CUresult error = core_enter();

    if (error) {
        return error;
    }
    if (!d) {
        return core_leave(CUDA_ERROR_INVALID_DEVICE);
    }
    if (!list || !flags || (flags & ~(SIGNAL | WAIT))) {
        return core_leave(report_error(CUDA_ERROR_INVALID_VALUE, api, SECTION, "%s",
                                       list ? "flags is neither CUDA_NVSCISYNC_ATTR_SIGNAL nor "
                                              "_WAIT nor both"
                                            : "nvSciSyncAttrList is NULL"));
    }
    error = rule_check(api);
    if (error) {
        return core_leave(error);
    }
    device_uuid(d, uuid);
    n = sync_primitives(device_profile(d), &primitives);
    status = sci_ops.sync_list
                 ? sci_ops.sync_list(list, flags & SIGNAL, flags & WAIT, primitives, n, uuid)
                 : -EBADF;
    if (status == -EBADF) {
        error = report_error(CUDA_ERROR_INVALID_HANDLE, api, SECTION,
                             "nvSciSyncAttrList is no list of NvSciSyncAttrListCreate()");
    } else if (status) {
        error = report_error(CUDA_ERROR_INVALID_VALUE, api, SECTION,
                             "RequiredPerm of the list is set before, or the list is reconciled");
    }
    return core_leave(error);
}
