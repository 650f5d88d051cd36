/* SPDX-License-Identifier: MIT */
/* NvBufSurfTransform's work on a GPU, in the order of a stream. */
#ifndef RUNTIME_API_NVBUF_GPU_H
#define RUNTIME_API_NVBUF_GPU_H

#include "runtime/api/nvbuf/work.h"

/* @context is current between gpu_enter() and gpu_leave(). */
struct gpu_place {
    CUcontext context;
    CUstream stream;
};
NvBufSurfTransform_Error gpu_enter(const NvBufSurfTransformConfigParams *session,
                                   struct gpu_place *out, const char *api);
void gpu_leave(void);

/* @work: of one layer, from a picture of @src to one of @dst */
NvBufSurfTransform_Error gpu_submit(const struct gpu_place *p, const struct rt_vic_work *work,
                                    struct nvbuf_buffer *src, struct nvbuf_buffer *dst,
                                    const char *api);

/* dst = (src0 * alpha + src1 * (255 - alpha)) / 255, byte by byte. @src1: NULL: @colour;
 * @weigh: false: dst = src0 */
struct gpu_blend {
    struct nvbuf_buffer *src0, *src1, *alpha, *dst;
    const NvBufSurfTransform_ColorParams *colour;
    bool weigh;
};
NvBufSurfTransform_Error gpu_blend(const struct gpu_place *p, const struct gpu_blend *b,
                                   const char *api);

/* The CPU waits for the stream; or an event behind all of its work, NULL: none is left. */
NvBufSurfTransform_Error gpu_wait(const struct gpu_place *p, const char *api);
CUevent gpu_event(const struct gpu_place *p);
NvBufSurfTransform_Error gpu_event_wait(CUcontext context, CUevent event, const char *api);
void gpu_event_free(CUcontext context, CUevent event);

#endif
