/* SPDX-License-Identifier: MIT */
/* Frames of EGLStreams: what may be one, and the waits and the maintenance between two ends.
 *
 * CUDA for Tegra 5.1.4: the consumer waits on the GPU until the producer's work is done, and the
 * producer until the consumer's is; the CPU waits for neither. 3.1: the driver manages the GPU's
 * caches where interop memory is used: the L2 is cleaned at present and release, and cleaned and
 * invalidated at acquire and return. On a SoC whose CPU and engines look into the L2 it need not
 * be. */
#include "model/rules/port.h"
#include "runtime/driver/array/array.h"
#include "runtime/driver/core/report.h"
#include "runtime/driver/core/work.h"
#include "runtime/driver/device/board.h"
#include "runtime/driver/device/context.h"
#include "runtime/driver/device/devices.h"
#include "runtime/driver/interop/egl/egl_internal.h"
#include "runtime/driver/memory/memory.h"
#include "runtime/driver/memory/pending.h"
#include "runtime/driver/stream/grid.h"
#include "runtime/driver/stream/stream.h"

/* Measured on NVIDIA's driver 580.159: a plane that is NULL is CUDA_ERROR_INVALID_HANDLE; four
 * planes or nine channels are CUDA_ERROR_INVALID_VALUE. */
CUresult egl_frame_check(const CUeglFrame *f)
{
    if (!f->planeCount || f->planeCount > MAX_PLANES || !f->numChannels || f->numChannels > 4 ||
        (unsigned)f->eglColorFormat >= CU_EGL_COLOR_FORMAT_MAX ||
        (f->frameType != CU_EGL_FRAME_TYPE_ARRAY && f->frameType != CU_EGL_FRAME_TYPE_PITCH)) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    if (!array_channel_bytes(f->cuFormat)) {
        return CUDA_ERROR_UNKNOWN; /* measured */
    }
    for (unsigned i = 0; i < f->planeCount; i++) {
        if (f->frameType == CU_EGL_FRAME_TYPE_ARRAY ? !array_find(f->frame.pArray[i])
                                                    : !f->frame.pPitch[i]) {
            return CUDA_ERROR_INVALID_HANDLE;
        }
        if (f->frameType == CU_EGL_FRAME_TYPE_PITCH && !region_at((uintptr_t)f->frame.pPitch[i])) {
            return CUDA_ERROR_INVALID_VALUE;
        }
    }
    return CUDA_SUCCESS;
}

uint64_t egl_frame_id(const CUeglFrame *f)
{
    return f->frameType == CU_EGL_FRAME_TYPE_ARRAY ? (uintptr_t)f->frame.pArray[0]
                                                   : (uintptr_t)f->frame.pPitch[0];
}

CUresult egl_frame_map(const struct egl_frame *f, struct context *context)
{
    struct region *regions[MAX_PLANES];

    egl_frame_regions(&f->desc, regions);
    for (unsigned i = 0; i < MAX_PLANES; i++) {
        const struct region *r = regions[i];

        if (r && region_context(r) != context && region_kind(r) == HAL_MEM_DEVICE &&
            !region_elsewhere(r, context_device(context)) &&
            as_map(context, region_mem(r), false)) {
            return CUDA_ERROR_OUT_OF_MEMORY;
        }
    }
    return CUDA_SUCCESS;
}

static bool l2_needs_help(void)
{
    /* a discrete GPU caches its own memory alone, which no one else reaches */
    return board_profile()->gpu.integrated && rules_driver_keeps_l2(board_profile());
}

static CUresult give_frame_work(struct stream *s, const struct work *work)
{
    struct push *p;
    CUresult error = stream_begin(s, &p);

    (void)work;
    if (!error) {
        if (l2_needs_help()) {
            push_mem_op(p, MEM_OP_L2_FLUSH_DIRTY);
        }
        report_event(stream_end(s, p), s);
    }
    return error;
}

static const struct work_kind work_frame_give = { WORK_NO_NODE, give_frame_work };

/* Behind stream_wait_after(), which has made the stream wait. */
static CUresult take_frame_work(struct stream *s, const struct work *work)
{
    struct push *p;
    CUresult error = stream_begin(s, &p);

    if (!error) {
        if (work->fence.id) {
            report_event_wait(work->fence);
        }
        if (l2_needs_help()) {
            coherency_push(p);
        }
        stream_end(s, p);
    }
    return error;
}

static const struct work_kind work_frame_take = { WORK_NO_NODE, take_frame_work };

CUresult egl_point_make(struct stream *s, struct egl_point *point)
{
    CUresult error = stream_submit(s, &(struct work){ .kind = &work_frame_give });

    if (!error) {
        egl_point_clear(point);
        point->fence = stream_fence(s);
        clock_merge(&point->known, stream_known(s));
    }
    return error;
}

CUresult egl_fence_wait(struct stream *s, struct fence fence, const GArray *known)
{
    /* A copy: @known may be another stream's, which may go while this one waits for room. */
    struct work_after after = { .fence = fence };
    CUresult error;

    clock_merge(&after.known, known);
    error = stream_submit(
        s,
        &(struct work){ .kind = &work_frame_take, .after = &after, .n_after = 1, .fence = fence });
    g_clear_pointer(&after.known, g_array_unref);
    return error;
}

CUresult egl_point_wait(struct stream *s, const struct egl_point *point)
{
    return egl_fence_wait(s, point->fence, point->known);
}

void egl_point_clear(struct egl_point *point)
{
    g_clear_pointer(&point->known, g_array_unref);
    point->fence = (struct fence){ 0 };
}

static void egl_frame_note(const struct egl_frame *f, enum check_note_kind kind, const char *api,
                           const struct stream *s)
{
    for (unsigned i = 0; i < MAX_PLANES && f->region[i]; i++) {
        if (i == 0 || f->region[i] != f->region[i - 1]) {
            struct check_note note = {
                .kind = kind, .api = api, .region = f->region[i], .stream = stream_ordinal(s)
            };

            note.caller = report_caller();
            check_api_note(core_check(), &note);
        }
    }
}

void egl_frame_given(const struct egl_frame *f, const char *api, const struct stream *s)
{
    egl_frame_note(f, CHECK_NOTE_FRAME, api, s);
}

void egl_frame_taken(const struct egl_frame *f, const char *api, const struct stream *s)
{
    egl_frame_note(f, CHECK_NOTE_FRAME_TAKEN, api, s);
}

/* Its planes' bytes; those behind the first may have half as many rows. */
static void egl_frame_lend(const struct egl_frame *f, bool lent)
{
    for (unsigned i = 0; f->desc.frameType == CU_EGL_FRAME_TYPE_PITCH && i < f->desc.planeCount;
         i++) {
        pending_lent((uintptr_t)f->desc.frame.pPitch[i],
                     (uint64_t)f->desc.pitch * (i ? f->desc.height / 2 : f->desc.height), lent);
    }
}

void egl_frame_owner(struct egl_frame *f, enum frame_owner owner, uint64_t number)
{
    struct frame_turn turn = { .grids = grid_last(),
                               .producer_channel = f->producer_channel,
                               .owner = owner,
                               .frame = f->id,
                               .number = number };

    for (unsigned i = 0; i < MAX_PLANES && f->region[i]; i++) {
        turn.region = f->region[i];
        if (i == 0 || f->region[i] != f->region[i - 1]) {
            check_frame(core_check(), &turn);
        }
    }
    for (unsigned i = 0; i < MAX_PLANES && f->far_region[i]; i++) {
        turn.region = f->far_region[i];
        check_frame(core_check(), &turn);
    }
    if (f->lent != (owner != FRAME_PRODUCER)) {
        f->lent = owner != FRAME_PRODUCER;
        egl_frame_lend(f, f->lent);
    }
}
