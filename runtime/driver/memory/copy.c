/* SPDX-License-Identifier: MIT */
/* The copy and fill entry points: what the two addresses are, and when the call may return. */
#include "runtime/driver/memory/copy.h"
#include "runtime/driver/array/array.h"
#include "runtime/driver/array/rt_array.h"
#include "runtime/driver/core/core.h"
#include "runtime/driver/core/cost.h"
#include "runtime/driver/core/fence.h"
#include "runtime/driver/core/notifier.h"
#include "runtime/driver/core/report.h"
#include "runtime/driver/core/work.h"
#include "runtime/driver/device/board.h"
#include "runtime/driver/device/context.h"
#include "runtime/driver/device/devices.h"
#include "runtime/driver/memory/region_internal.h"
#include "runtime/driver/stream/stream.h"

static bool copy_add(uint64_t a, uint64_t b, uint64_t *sum)
{
    return !__builtin_add_overflow(a, b, sum);
}

/* Bytes from the first to behind the last of a box's side; false if that does not fit 64 bits. */
static bool copy_span(size_t pitch, size_t slice, const struct box *b, uint64_t *bytes)
{
    uint64_t rows, slices;

    return !__builtin_mul_overflow(pitch, b->height - 1, &rows) &&
           !__builtin_mul_overflow(slice, b->depth - 1, &slices) && copy_add(rows, slices, bytes) &&
           copy_add(*bytes, b->width, bytes);
}

/* A range that begins in an allocation and leaves it. */
static CUresult copy_overrun(const char *api, uint64_t address, uint64_t bytes,
                             const struct region *r)
{
    uint64_t end = (uintptr_t)r->mem.cpu + r->bytes;

    report_finding(&check_rules[CHECK_RULE_COPY_OVERRUN], r->mem.id, 0, address, NULL,
                   "%s of %" G_GUINT64_FORMAT " bytes ends %" G_GUINT64_FORMAT
                   " bytes behind the end of the buffer",
                   api, bytes, address + bytes - end);
    return CUDA_ERROR_INVALID_VALUE;
}

static bool closed_mapping(uint64_t address)
{
    const struct region *r = region_at(address);

    return r && r->physical && r->access == CU_MEM_ACCESS_FLAGS_PROT_NONE;
}

/**
 * side_find - what one address of a copy is
 * @role: "source", "destination"
 * @side: what the entry point says it is
 * @out: its region; NULL for pageable memory, and for managed memory that is attached to the host,
 *       which the GPU cannot reach: the CPU copies it like pageable memory
 */
static CUresult side_find(const char *api, const char *role, uint64_t address, uint64_t bytes,
                          enum copy_side side, struct region **out)
{
    struct region *r = region_range(address, bytes);
    uint64_t end;

    *out = NULL;
    if (r && r->use == REGION_CODE) { /* no buffer: its addresses are not given out */
        r = NULL;
    } else if (!r && closed_mapping(address)) {
        return report_error(CUDA_ERROR_INVALID_VALUE, api,
                            "CUDA Driver API, virtual memory management",
                            "the %s is memory of cuMemCreate to which cuMemSetAccess has given "
                            "this GPU no access",
                            role);
    } else if (!r && region_at(address) && !region_at(address)->host) {
        return copy_overrun(api, address, bytes, region_at(address));
    }
    if (!copy_add(address, bytes, &end) || !address) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    if (r && !managed_gpu_may_use(r)) {
        return CUDA_SUCCESS;
    }
    if (!r && side == SIDE_DEVICE) {
        const struct freed *f = region_freed_at(address);

        return report_error(CUDA_ERROR_INVALID_VALUE, api, "CUDA Driver API, memory management",
                            "the %s is named as device memory and is %s", role,
                            f ? "memory that was freed"
                              : "no memory that the GPU can reach (ordinary memory of the CPU?)");
    }
    *out = r;
    return CUDA_SUCCESS;
}

static bool host_visible(const struct region *r)
{
    return r && !hal_mem_is_device(r->mem.kind) && !r->shared;
}

/* Does a call that is synchronous by its name wait for its work on @r? Memory that the CPU sees,
 * and memory for which CU_POINTER_ATTRIBUTE_SYNC_MEMOPS was set ("synchronous memory operations
 * ... will always synchronize"). */
static bool sync_waits(const struct region *r)
{
    return host_visible(r) || (r && r->sync_memops);
}

/* The call names the destination as device memory, but it is the source that is. */
static bool copy_swapped(const struct box *b, enum copy_side src, enum copy_side dst)
{
    bool to = dst == SIDE_DEVICE && src == SIDE_ANY && !region_at(b->dst) &&
              !region_freed_at(b->dst) && region_at(b->src);
    bool from = src == SIDE_DEVICE && dst == SIDE_ANY && !region_at(b->src) &&
                !region_freed_at(b->src) && region_at(b->dst);

    return b->dst && b->src && (to || from);
}

/* CUDA Driver API, "API synchronization behavior". */
static CUresult copy_run(struct stream *s, const struct box *b, enum rt_when sync, bool ordered)
{
    struct fence fence;
    CUresult error;

    if (copy_beyond(s, b->src_region) || copy_beyond(s, b->dst_region)) {
        return copy_across(s, b, sync);
    }
    if (!b->src_region && !b->dst_region) {
        error = stream_wait(s);
        return error ? error : staging_host(b);
    }
    if (!b->src_region) {
        error = sync == RT_SYNC || ordered ? stream_wait(s) : CUDA_SUCCESS;
        error = error ? error : staging_to_device(s, b);
        if (!error && sync == RT_SYNC && sync_waits(b->dst_region)) {
            error = stream_wait(s);
        }
        return error;
    }
    if (!b->dst_region) {
        error = staging_from_device(s, b);
        return error ? error : stream_wait(s);
    }
    error = engine_copy(s, b, &fence);
    if (!error && sync == RT_SYNC && (sync_waits(b->src_region) || sync_waits(b->dst_region))) {
        error = stream_wait(s);
    }
    return error;
}

/* Which memory the addresses mean now. */
static CUresult copy_find(const struct work_copy *w, struct box *b)
{
    uint64_t src_bytes, dst_bytes;
    CUresult error;

    if (!copy_span(b->src_pitch, b->src_slice, b, &src_bytes) ||
        !copy_span(b->dst_pitch, b->dst_slice, b, &dst_bytes)) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    if (copy_swapped(b, w->src, w->dst)) {
        return report_error(CUDA_ERROR_INVALID_VALUE, w->api, "CUDA Driver API, cuMemcpy",
                            "the copy is named the wrong way round: the %s is the memory "
                            "that the GPU can reach. Swap the two addresses, or name the "
                            "other direction",
                            w->dst == SIDE_DEVICE ? "source" : "destination");
    }
    error = side_find(w->api, "destination", b->dst, dst_bytes, w->dst, &b->dst_region);
    return error ? error : side_find(w->api, "source", b->src, src_bytes, w->src, &b->src_region);
}

CUresult copy_work_check(const struct work *work)
{
    struct box b = work->copy.box;

    return copy_find(&work->copy, &b);
}

static CUresult copy_work(struct stream *s, const struct work *work)
{
    const struct work_copy *w = &work->copy;
    struct box b = w->box;
    struct check_caller caller;
    uint64_t src_serial, dst_serial, began;
    CUresult error = copy_find(w, &b);

    if (error) {
        return error;
    }
    caller = report_note(CHECK_NOTE_COPY, w->api, b.dst_region, b.src_region,
                         (uint64_t)b.width * b.height * b.depth, s);
    src_serial = b.src_region ? b.src_region->serial : 0; /* it may be gone after a wait */
    dst_serial = b.dst_region ? b.dst_region->serial : 0;
    if (b.dst_region) {
        notify_stored(b.dst, (b.height - 1) * b.dst_pitch + b.width, stream_channel(s));
    }
    notify_copying(b.src_region, b.dst_region);
    began = cost_now();
    error = copy_run(s, &b, w->sync, w->ordered);
    if (!error && w->sync == RT_SYNC) {
        cost_waited(COST_COPY_SYNC, began, context_sleeps(stream_context(s)));
    }
    if (!error && w->sync == RT_ASYNC) {
        inuse_moved(stream_channel(s), dst_serial, src_serial, w->api, &caller);
    }
    if (!error && (w->sync == RT_ASYNC || (b.src_region && b.dst_region))) {
        stream_launched(s, 0, &caller);
    }
    return error;
}

const struct work_kind work_copy = { CU_GRAPH_NODE_TYPE_MEMCPY, copy_work };

static CUresult copy(const char *api, const struct box *b, enum copy_side src, enum copy_side dst,
                     CUstream stream, enum rt_when sync)
{
    struct context *c;
    struct stream *s;
    CUresult error = core_enter_context(&c);

    if (error) {
        return error;
    }
    error = stream_resolve(c, stream, &s);
    if (error || !b->width || !b->height || !b->depth) {
        return core_leave(error);
    }
    cost_pass(COST_SUBMIT, 1);
    return core_leave(stream_submit(
        s, &(struct work){ .kind = &work_copy, .copy = { api, *b, src, dst, sync } }));
}

CUresult rt_copy(CUdeviceptr dst, CUdeviceptr src, size_t bytes, enum rt_copy_kind kind,
                 CUstream stream, enum rt_when sync)
{
    static const struct {
        const char *api;
        enum copy_side src, dst;
    } kinds[] = {
        [RT_COPY_DEFAULT] = { "cuMemcpy", SIDE_ANY, SIDE_ANY },
        [RT_COPY_HTOD] = { "cuMemcpyHtoD", SIDE_ANY, SIDE_DEVICE },
        [RT_COPY_DTOH] = { "cuMemcpyDtoH", SIDE_DEVICE, SIDE_ANY },
        [RT_COPY_DTOD] = { "cuMemcpyDtoD", SIDE_DEVICE, SIDE_DEVICE },
        [RT_COPY_PEER] = { "cuMemcpyPeer", SIDE_DEVICE, SIDE_DEVICE },
    };
    struct box b = { .src = src,
                     .dst = dst,
                     .src_pitch = bytes,
                     .dst_pitch = bytes,
                     .src_slice = bytes,
                     .dst_slice = bytes,
                     .width = bytes,
                     .height = 1,
                     .depth = 1 };

    return copy(kinds[kind].api, &b, kinds[kind].src, kinds[kind].dst, stream, sync);
}

/**
 * struct place - one side of a pitched copy, with its array unfolded
 * @x, @y, @z: the corner; @pitch, @rows: of the memory; @array: the extent is known, @width in
 * bytes
 */
struct place {
    uint64_t base;
    size_t x, y, z, pitch, rows;
    bool array;
    size_t width, height, depth;
    unsigned texel;
    enum copy_side side;
};

/* The array may go before the copy runs: that is found by its address then. */
static CUresult place_array(CUarray handle, struct place *p)
{
    struct context *c;
    const struct array *a;
    CUresult error = core_enter_context(&c);

    if (error) {
        return error;
    }
    a = array_find(handle);
    if (!a) {
        return core_leave(handle ? CUDA_ERROR_INVALID_HANDLE : CUDA_ERROR_INVALID_VALUE);
    }
    p->array = true;
    p->base = array_va(a);
    p->pitch = array_pitch(a);
    p->rows = array_rows(array_desc(a));
    p->width = array_desc(a)->Width * array_texel(a);
    p->height = p->rows;
    p->depth = array_slices(array_desc(a));
    p->texel = array_texel(a);
    p->side = SIDE_DEVICE;
    return core_leave(CUDA_SUCCESS);
}

/* Base address of one operand, and what it may be. */
static CUresult place_find(CUmemorytype type, const void *host, CUdeviceptr device, CUarray array,
                           struct place *p)
{
    switch (type) {
    case CU_MEMORYTYPE_HOST:
        p->base = (uintptr_t)host;
        p->side = SIDE_ANY;
        return CUDA_SUCCESS;
    case CU_MEMORYTYPE_DEVICE:
        p->base = device;
        p->side = SIDE_DEVICE;
        return CUDA_SUCCESS;
    case CU_MEMORYTYPE_UNIFIED:
        p->base = device;
        p->side = SIDE_ANY;
        return CUDA_SUCCESS;
    case CU_MEMORYTYPE_ARRAY:
        return place_array(array, p);
    default:
        return CUDA_ERROR_INVALID_VALUE;
    }
}

/* An array's part: within it, and whole elements (cuMemcpy3D, srcXInBytes). */
static bool place_inside(const struct place *p, const struct box *b)
{
    if (!p->array) {
        return true;
    }
    return p->x <= p->width && b->width <= p->width - p->x && p->y <= p->height &&
           b->height <= p->height - p->y && p->z <= p->depth && b->depth <= p->depth - p->z &&
           p->x % p->texel == 0 && b->width % p->texel == 0;
}

/* Base plus the offsets of a corner; the pitches are checked. */
static bool copy_corner(uint64_t base, size_t x, size_t y, size_t z, size_t pitch, size_t slice,
                        uint64_t *out)
{
    uint64_t rows, slices;

    return !__builtin_mul_overflow(y, pitch, &rows) && !__builtin_mul_overflow(z, slice, &slices) &&
           copy_add(base, x, out) && copy_add(*out, rows, out) && copy_add(*out, slices, out);
}

/* No pitch may be larger, on any device: this is asked before a context is known. */
static uint64_t pitch_max(void)
{
    uint64_t most = UINT64_MAX;

    for (unsigned i = 0; i < device_count(); i++) {
        most = MIN(most, device_profile(device_nth(i))->gpu.pitch_max_bytes);
    }
    return most;
}

/* Pitch and slice of a side. A pitch of 0 means rows without a gap (Depth 1, Height 1 need none).
 */
static bool place_shape(struct place *p, const struct box *b, size_t *pitch, size_t *slice)
{
    *pitch = p->pitch ? p->pitch : b->width + p->x;
    return *pitch >= b->width && p->x <= *pitch - b->width &&
           (p->array || ((b->height == 1 && b->depth == 1) || *pitch <= pitch_max())) &&
           (b->depth <= 1 || p->rows >= b->height) &&
           !__builtin_mul_overflow(*pitch, p->rows, slice) && place_inside(p, b);
}

CUresult copy_work_3d(const CUDA_MEMCPY3D *m, struct work *work)
{
    struct place src, dst;
    struct box b;
    CUresult error;

    src = (struct place){
        .x = m->srcXInBytes, .y = m->srcY, .z = m->srcZ, .pitch = m->srcPitch, .rows = m->srcHeight
    };
    dst = (struct place){
        .x = m->dstXInBytes, .y = m->dstY, .z = m->dstZ, .pitch = m->dstPitch, .rows = m->dstHeight
    };
    error = place_find(m->srcMemoryType, m->srcHost, m->srcDevice, m->srcArray, &src);
    error =
        error ? error : place_find(m->dstMemoryType, m->dstHost, m->dstDevice, m->dstArray, &dst);
    if (error) {
        return error;
    }
    if ((src.array && m->srcLOD) || (dst.array && m->dstLOD)) { /* a level is an array of its own */
        return CUDA_ERROR_INVALID_VALUE;
    }
    b = (struct box){ .width = m->WidthInBytes, .height = m->Height, .depth = m->Depth };
    if (!place_shape(&src, &b, &b.src_pitch, &b.src_slice) ||
        !place_shape(&dst, &b, &b.dst_pitch, &b.dst_slice) ||
        !copy_corner(src.base, src.x, src.y, src.z, b.src_pitch, b.src_slice, &b.src) ||
        !copy_corner(dst.base, dst.x, dst.y, dst.z, b.dst_pitch, b.dst_slice, &b.dst)) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    *work = (struct work){ .kind = &work_copy,
                           .copy = { "cuMemcpy3D", b, src.side, dst.side, RT_ASYNC } };
    return CUDA_SUCCESS;
}

CUresult rt_copy_3d(const CUDA_MEMCPY3D *m, CUstream stream, enum rt_when sync)
{
    struct work work;
    CUresult error;

    if (!m || !board_profile()) {
        return core_enter() ? CUDA_ERROR_NOT_INITIALIZED : core_leave(CUDA_ERROR_INVALID_VALUE);
    }
    error = copy_work_3d(m, &work);
    return error ? error
                 : copy("cuMemcpy3D", &work.copy.box, work.copy.src, work.copy.dst, stream, sync);
}

CUresult rt_copy_array(struct rt_copy_end dst, struct rt_copy_end src, size_t bytes,
                       CUstream stream, enum rt_when sync)
{
    bool from = src.type == CU_MEMORYTYPE_ARRAY, to = dst.type == CU_MEMORYTYPE_ARRAY;
    CUDA_MEMCPY3D m = {
        .srcMemoryType = src.type,
        .dstMemoryType = dst.type,
        .srcArray = src.array,
        .dstArray = dst.array,
        .srcXInBytes = from ? src.at : 0,
        .dstXInBytes = to ? dst.at : 0,
        .srcHost = (const void *)(uintptr_t)src.at,
        .srcDevice = src.at,
        .dstHost = (void *)(uintptr_t)dst.at,
        .dstDevice = dst.at,
        .WidthInBytes = bytes,
        .Height = 1,
        .Depth = 1,
    };

    return rt_copy_3d(&m, stream, sync);
}

CUresult rt_copy_2d(const CUDA_MEMCPY2D *m, CUstream stream, enum rt_when sync)
{
    CUDA_MEMCPY3D v;

    if (!m) {
        return rt_copy_3d(NULL, stream, sync);
    }
    v = (CUDA_MEMCPY3D){
        .srcXInBytes = m->srcXInBytes,
        .srcY = m->srcY,
        .srcMemoryType = m->srcMemoryType,
        .srcHost = m->srcHost,
        .srcDevice = m->srcDevice,
        .srcArray = m->srcArray,
        .srcPitch = m->srcPitch,
        .dstXInBytes = m->dstXInBytes,
        .dstY = m->dstY,
        .dstMemoryType = m->dstMemoryType,
        .dstHost = m->dstHost,
        .dstDevice = m->dstDevice,
        .dstArray = m->dstArray,
        .dstPitch = m->dstPitch,
        .WidthInBytes = m->WidthInBytes,
        .Height = m->Height,
        .Depth = 1,
    };
    return rt_copy_3d(&v, stream, sync);
}

/* Which memory is to be filled. */
static CUresult fill_find(const struct work_fill *w, struct region **r)
{
    const bool pageable = device_pageable(device_current());
    struct box b = { .width = w->width * w->element, .height = w->height, .depth = 1 };
    uint64_t bytes;
    CUresult error;

    if (!copy_span(w->pitch, 0, &b, &bytes)) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    /* Any pointer that kernels may use (Programming Guide, memset and unified memory). */
    error = side_find("cuMemset", "destination", w->dst, bytes,
                      pageable && !region_freed_at(w->dst) ? SIDE_ANY : SIDE_DEVICE, r);
    if (!error && !*r && !pageable) {
        /* seen on Xavier (numba#7180): the GPU cannot reach what is the host's */
        error = report_error(CUDA_ERROR_INVALID_VALUE, "cuMemset", "CUDA for Tegra 3.3, Table 2",
                             "managed memory that is attached to the host cannot be filled by the "
                             "GPU: attach it to Global first");
    }
    return error;
}

CUresult fill_work_check(const struct work *work)
{
    struct region *r;

    return fill_find(&work->fill, &r);
}

static CUresult fill_work(struct stream *s, const struct work *work)
{
    const struct work_fill *w = &work->fill;
    struct region *r;
    struct fence fence;
    struct check_caller caller;
    CUresult error = fill_find(w, &r);

    if (error || copy_beyond(s, r)) { /* measured with two GPUs */
        return error ? error : CUDA_ERROR_INVALID_VALUE;
    }
    caller = report_note(CHECK_NOTE_FILL, "cuMemset", r, NULL,
                         (uint64_t)w->width * w->element * w->height, s);
    if (r && w->height) {
        notify_stored(w->dst, (w->height - 1) * w->pitch + w->width * w->element,
                      stream_channel(s));
    }
    error = engine_fill(s, r, w->dst, w->pitch, w->value, w->element, w->width, w->height, &fence);
    if (!error) { /* plain or not: on device memory the call does not wait */
        stream_launched(s, 0, &caller);
        if (w->sync == RT_ASYNC) {
            inuse_moved(stream_channel(s), r ? r->serial : 0, 0, "cuMemset", &caller);
        }
    }
    if (!error && w->sync == RT_SYNC && (!r || sync_waits(r))) {
        error = stream_wait(s);
    }
    return error;
}

const struct work_kind work_fill = { CU_GRAPH_NODE_TYPE_MEMSET, fill_work };

CUresult fill_work_2d(CUdeviceptr dst, size_t pitch, uint32_t value, unsigned element, size_t width,
                      size_t height, struct work *work)
{
    *work = (struct work){ 0 };
    if ((element != 1 && element != 2 && element != 4) || dst % element ||
        width > SIZE_MAX / element ||
        (height > 1 && (pitch % element || pitch < width * element || pitch > pitch_max()))) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    if (height == 1) {
        pitch = width * element;
    }
    work->kind = &work_fill;
    work->fill = (struct work_fill){ dst, pitch, width, height, value, element, RT_ASYNC };
    return CUDA_SUCCESS;
}

CUresult rt_fill(CUdeviceptr dst, size_t pitch, uint32_t value, unsigned element, size_t width,
                 size_t height, CUstream stream, enum rt_when sync)
{
    struct context *c;
    struct stream *s;
    struct work work;
    CUresult error = core_enter_context(&c);

    if (error) {
        return error;
    }
    error = stream_resolve(c, stream, &s);
    if (error || !width || !height) {
        return core_leave(error);
    }
    error = fill_work_2d(dst, pitch, value, element, width, height, &work);
    work.fill.sync = sync;
    cost_pass(COST_SUBMIT, !error);
    return core_leave(error ? error : stream_submit(s, &work));
}
