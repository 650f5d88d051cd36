/* SPDX-License-Identifier: MIT */
/* From NvBufSurfTransform's parameters to work of the VIC. */
#ifndef RUNTIME_API_NVBUF_WORK_H
#define RUNTIME_API_NVBUF_WORK_H

#include "include/nvbufsurftransform.h"
#include "runtime/api/nvbuf/nvbuf.h"
#include "runtime/driver/engines/vic/rt_vic_surface.h"

/* What a call says: SUCCESS, or the code with a line in the report. */
NvBufSurfTransform_Error work_error(const char *api, NvBufSurfTransform_Error code,
                                    const char *why);

/* The VIC's name of a buffer's picture; @gpu: for a kernel, which takes other memory, too. */
NvBufSurfTransform_Error work_image(const struct nvbuf_buffer *b, bool gpu,
                                    struct rt_vic_image *out, const char *api);
/* NULL: all of the image. Of 4:2:0 corners are rounded down to even pixels. */
NvBufSurfTransform_Error work_rect(const NvBufSurfTransformRect *r, const struct nvbuf_buffer *b,
                                   bool even, struct rt_vic_rect *out, const char *api);
NvBufSurfTransform_Error work_filter(NvBufSurfTransform_Inter filter, bool *bilinear,
                                     const char *api);
/* @out's target is in the output: for flips that transpose it and the layers turn with it. */
NvBufSurfTransform_Error work_flip(NvBufSurfTransform_Flip flip, struct rt_vic_work *out,
                                   const char *api);
NvBufSurfTransform_Error work_result(enum rt_vic_result result, const char *why, const char *api);
NvBufSurfTransform_Error work_submit(const struct rt_vic_work *work, uint64_t *ticket,
                                     const char *api);

#endif
