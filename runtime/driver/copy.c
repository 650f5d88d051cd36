/* SPDX-License-Identifier: MIT */
/* The copy and fill entry points: what the two addresses are, and when the call may return. */
#include "runtime/driver/copy.h"

#include "runtime/driver/rt_copy.h"

static bool add(uint64_t a, uint64_t b, uint64_t *sum)
{
    return !__builtin_add_overflow(a, b, sum);
}

/* Bytes from the first to behind the last of a box's side; false if that does not fit 64 bits. */
static bool span(size_t pitch, size_t slice, const struct box *b, uint64_t *bytes)
{
    uint64_t rows, slices;

    return !__builtin_mul_overflow(pitch, b->height - 1, &rows) &&
           !__builtin_mul_overflow(slice, b->depth - 1, &slices) && add(rows, slices, bytes) &&
           add(*bytes, b->width, bytes);
}

/* Under unified addressing a device address is taken where host memory is named (measured), but not
 * the other way round. */
enum side { SIDE_ANY, SIDE_DEVICE };

/* A range that begins in an allocation and leaves it. */
static CUresult overrun(const char *api, uint64_t address, uint64_t bytes, const struct region *r)
{
    uint64_t end = (uintptr_t)r->mem.cpu + r->bytes;

    report_finding("copy-overrun", CHECK_ERROR, CHECK_DOCUMENTED, "CUDA Driver API, cuMemcpy",
                   r->mem.id, 0, address, "copy no more than the buffer holds",
                   "%s of %" G_GUINT64_FORMAT " bytes ends %" G_GUINT64_FORMAT
                   " bytes behind the end of the buffer",
                   api, bytes, address + bytes - end);
    return CUDA_ERROR_INVALID_VALUE;
}

/**
 * side_find - what one address of a copy is
 * @role: "source", "destination"
 * @side: what the entry point says it is
 * @out: its region; NULL for pageable memory, and for managed memory that is attached to the host,
 *       which the GPU cannot reach: the CPU copies it like pageable memory
 */
static CUresult side_find(const char *api, const char *role, uint64_t address, uint64_t bytes,
                          enum side side, struct region **out)
{
    struct region *r = region_range(address, bytes);
    uint64_t end;

    *out = NULL;
    if (r && r->use == REGION_CODE) { /* no buffer: its addresses are given to nobody */
        r = NULL;
    } else if (!r && region_at(address) && !region_at(address)->host) {
        return overrun(api, address, bytes, region_at(address));
    }
    if (!add(address, bytes, &end) || !address) {
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
    return r && r->mem.kind != HAL_MEM_DEVICE;
}

/* Memory whose application asked that copies be synchronous (CU_POINTER_ATTRIBUTE_SYNC_MEMOPS). */
static bool wants_sync(const struct region *r)
{
    return r && r->sync_memops;
}

/* The call names the destination as device memory, but it is the source that is. */
static bool swapped(const struct box *b, enum side src, enum side dst)
{
    bool to = dst == SIDE_DEVICE && src == SIDE_ANY && !region_at(b->dst) &&
              !region_freed_at(b->dst) && region_at(b->src);
    bool from = src == SIDE_DEVICE && dst == SIDE_ANY && !region_at(b->src) &&
                !region_freed_at(b->src) && region_at(b->dst);

    return b->dst && b->src && (to || from);
}

/* CUDA Driver API, "API synchronization behavior". */
static CUresult copy_run(struct stream *s, const struct box *b, enum rt_sync sync)
{
    struct fence fence;
    CUresult error;

    if (!b->src_region && !b->dst_region) {
        error = stream_wait(s);
        return error ? error : staging_host(b);
    }
    if (!b->src_region) {
        error = sync == RT_SYNC ? stream_wait(s) : CUDA_SUCCESS;
        error = error ? error : staging_to_device(s, b);
        if (!error && sync == RT_SYNC && host_visible(b->dst_region)) {
            error = stream_wait(s);
        }
        return error;
    }
    if (!b->dst_region) {
        error = staging_from_device(s, b);
        return error ? error : stream_wait(s);
    }
    error = engine_copy(s, b, &fence);
    if (!error &&
        ((sync == RT_SYNC && (host_visible(b->src_region) || host_visible(b->dst_region))) ||
         wants_sync(b->src_region) || wants_sync(b->dst_region))) {
        error = stream_wait(s);
    }
    return error;
}

static CUresult copy(const char *api, struct box *b, enum side src, enum side dst, CUstream stream,
                     enum rt_sync sync)
{
    struct context *c;
    struct stream *s;
    struct check_caller caller;
    uint64_t src_bytes, dst_bytes, src_serial = 0, dst_serial = 0;
    CUresult error = core_enter_context(&c);

    if (error) {
        return error;
    }
    error = stream_resolve(c, stream, &s);
    if (error || !b->width || !b->height || !b->depth) {
        return core_leave(error);
    }
    if (!span(b->src_pitch, b->src_slice, b, &src_bytes) ||
        !span(b->dst_pitch, b->dst_slice, b, &dst_bytes)) {
        return core_leave(CUDA_ERROR_INVALID_VALUE);
    }
    if (swapped(b, src, dst)) {
        return core_leave(
            report_error(CUDA_ERROR_INVALID_VALUE, api, "CUDA Driver API, cuMemcpy",
                         "the copy is named the wrong way round: the %s is the memory "
                         "that the GPU can reach. Swap the two addresses, or name the "
                         "other direction",
                         dst == SIDE_DEVICE ? "source" : "destination"));
    }
    error = side_find(api, "destination", b->dst, dst_bytes, dst, &b->dst_region);
    if (!error) {
        error = side_find(api, "source", b->src, src_bytes, src, &b->src_region);
    }
    if (!error) {
        caller = report_note(CHECK_NOTE_COPY, api, b->dst_region, b->src_region,
                             (uint64_t)b->width * b->height * b->depth, s);
        src_serial = b->src_region ? b->src_region->serial : 0; /* it may be gone after a wait */
        dst_serial = b->dst_region ? b->dst_region->serial : 0;
        error = copy_run(s, b, sync);
    }
    if (!error && sync == RT_ASYNC) {
        inuse_moved(s->channel, dst_serial, src_serial, api, &caller);
    }
    if (!error && (sync == RT_ASYNC || (b->src_region && b->dst_region))) {
        stream_launched(s, 0, &caller);
    }
    return core_leave(error);
}

CUresult rt_copy(CUdeviceptr dst, CUdeviceptr src, size_t bytes, enum rt_copy_kind kind,
                 CUstream stream, enum rt_sync sync)
{
    static const struct {
        const char *api;
        enum side src, dst;
    } kinds[] = {
        [RT_COPY_DEFAULT] = { "cuMemcpy", SIDE_ANY, SIDE_ANY },
        [RT_COPY_HTOD] = { "cuMemcpyHtoD", SIDE_ANY, SIDE_DEVICE },
        [RT_COPY_DTOH] = { "cuMemcpyDtoH", SIDE_DEVICE, SIDE_ANY },
        [RT_COPY_DTOD] = { "cuMemcpyDtoD", SIDE_DEVICE, SIDE_DEVICE },
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

/* One operand of a pitched copy: base address and what it may be. */
static CUresult operand(CUmemorytype type, const void *host, CUdeviceptr device, CUarray array,
                        uint64_t *base, enum side *side)
{
    switch (type) {
    case CU_MEMORYTYPE_HOST:
        *base = (uintptr_t)host;
        *side = SIDE_ANY;
        return CUDA_SUCCESS;
    case CU_MEMORYTYPE_DEVICE:
        *base = device;
        *side = SIDE_DEVICE;
        return CUDA_SUCCESS;
    case CU_MEMORYTYPE_UNIFIED:
        *base = device;
        *side = SIDE_ANY;
        return CUDA_SUCCESS;
    case CU_MEMORYTYPE_ARRAY:
        return !array ? CUDA_ERROR_INVALID_VALUE
                      : report_error(CUDA_ERROR_NOT_SUPPORTED, "cuMemcpy3D", "vtegra",
                                     "vtegra has no CUDA arrays yet");
    default:
        return CUDA_ERROR_INVALID_VALUE;
    }
}

/* Base plus the offsets of a corner; the pitches are checked. */
static bool corner(uint64_t base, size_t x, size_t y, size_t z, size_t pitch, size_t slice,
                   uint64_t *out)
{
    uint64_t rows, slices;

    return !__builtin_mul_overflow(y, pitch, &rows) && !__builtin_mul_overflow(z, slice, &slices) &&
           add(base, x, out) && add(*out, rows, out) && add(*out, slices, out);
}

CUresult rt_copy_3d(const CUDA_MEMCPY3D *m, CUstream stream, enum rt_sync sync)
{
    enum side src = SIDE_ANY, dst = SIDE_ANY;
    uint64_t src_base = 0, dst_base = 0;
    struct box b;
    CUresult error;

    if (!m || !core.profile) {
        return core_enter() ? CUDA_ERROR_NOT_INITIALIZED : core_leave(CUDA_ERROR_INVALID_VALUE);
    }
    error = operand(m->srcMemoryType, m->srcHost, m->srcDevice, m->srcArray, &src_base, &src);
    error = error
                ? error
                : operand(m->dstMemoryType, m->dstHost, m->dstDevice, m->dstArray, &dst_base, &dst);
    if (error) {
        return error;
    }
    b = (struct box){ .width = m->WidthInBytes, .height = m->Height, .depth = m->Depth };
    /* A pitch of 0 means rows without a gap (Depth 1, Height 1 need none). */
    b.src_pitch = m->srcPitch ? m->srcPitch : m->WidthInBytes + m->srcXInBytes;
    b.dst_pitch = m->dstPitch ? m->dstPitch : m->WidthInBytes + m->dstXInBytes;
    if (b.src_pitch < b.width || b.dst_pitch < b.width || m->srcXInBytes > b.src_pitch - b.width ||
        m->dstXInBytes > b.dst_pitch - b.width ||
        ((b.height > 1 || b.depth > 1) && (b.src_pitch > core.profile->gpu.pitch_max_bytes ||
                                           b.dst_pitch > core.profile->gpu.pitch_max_bytes)) ||
        (b.depth > 1 && (m->srcHeight < m->Height || m->dstHeight < m->Height)) ||
        __builtin_mul_overflow(b.src_pitch, m->srcHeight, &b.src_slice) ||
        __builtin_mul_overflow(b.dst_pitch, m->dstHeight, &b.dst_slice) ||
        !corner(src_base, m->srcXInBytes, m->srcY, m->srcZ, b.src_pitch, b.src_slice, &b.src) ||
        !corner(dst_base, m->dstXInBytes, m->dstY, m->dstZ, b.dst_pitch, b.dst_slice, &b.dst)) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    return copy("cuMemcpy3D", &b, src, dst, stream, sync);
}

CUresult rt_copy_2d(const CUDA_MEMCPY2D *m, CUstream stream, enum rt_sync sync)
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

static CUresult fill(struct stream *s, uint64_t dst, size_t pitch, uint32_t value, unsigned element,
                     size_t width, size_t height, enum rt_sync sync)
{
    struct box b = { .width = width * element, .height = height, .depth = 1 };
    struct region *r;
    struct fence fence;
    struct check_caller caller;
    uint64_t bytes;
    CUresult error;

    if (!span(pitch, 0, &b, &bytes)) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    /* Any pointer that kernels may use (Programming Guide, memset and unified memory). */
    error = side_find("cuMemset", "destination", dst, bytes,
                      core.pageable && !region_freed_at(dst) ? SIDE_ANY : SIDE_DEVICE, &r);
    if (!error && !r &&
        !core.pageable) { /* seen on Xavier (numba#7180): the GPU cannot reach what is the host's */
        error = report_error(CUDA_ERROR_INVALID_VALUE, "cuMemset", "CUDA for Tegra 3.3, Table 2",
                             "managed memory that is attached to the host cannot be filled by the "
                             "GPU: attach it to Global first");
    }
    if (error) {
        return error;
    }
    caller =
        report_note(CHECK_NOTE_FILL, "cuMemset", r, NULL, (uint64_t)width * element * height, s);
    error = engine_fill(s, r, dst, pitch, value, element, width, height, &fence);
    if (!error) { /* plain or not: on device memory the call does not wait */
        stream_launched(s, 0, &caller);
        if (sync == RT_ASYNC) {
            inuse_moved(s->channel, r ? r->serial : 0, 0, "cuMemset", &caller);
        }
    }
    if (!error && ((sync == RT_SYNC && (!r || host_visible(r))) || wants_sync(r))) {
        error = stream_wait(s);
    }
    return error;
}

CUresult rt_fill(CUdeviceptr dst, size_t pitch, uint32_t value, unsigned element, size_t width,
                 size_t height, CUstream stream, enum rt_sync sync)
{
    struct context *c;
    struct stream *s;
    CUresult error = core_enter_context(&c);

    if (error) {
        return error;
    }
    error = stream_resolve(c, stream, &s);
    if (error || !width || !height) {
        return core_leave(error);
    }
    if ((element != 1 && element != 2 && element != 4) || dst % element ||
        width > SIZE_MAX / element ||
        (height > 1 && (pitch % element || pitch < width * element ||
                        pitch > core.profile->gpu.pitch_max_bytes))) {
        return core_leave(CUDA_ERROR_INVALID_VALUE);
    }
    if (height == 1) {
        pitch = width * element;
    }
    return core_leave(fill(s, dst, pitch, value, element, width, height, sync));
}
