/* SPDX-License-Identifier: MIT */
/* Pictures, rectangles, filters and flips of NvBufSurfTransform as the VIC has them. */
#include "runtime/api/nvbuf/work.h"

#include <stdio.h>
#include <string.h>

#include "model/regs/vic.h"

static const char *code_name(NvBufSurfTransform_Error code)
{
    switch (code) {
    case NvBufSurfTransformError_ROI_Error:
        return "NvBufSurfTransformError_ROI_Error";
    case NvBufSurfTransformError_Invalid_Params:
        return "NvBufSurfTransformError_Invalid_Params";
    case NvBufSurfTransformError_Execution_Error:
        return "NvBufSurfTransformError_Execution_Error";
    default:
        return "NvBufSurfTransformError_Unsupported";
    }
}

NvBufSurfTransform_Error work_error(const char *api, NvBufSurfTransform_Error code, const char *why)
{
    rt_planes_error(api, code_name(code), why);
    return code;
}

NvBufSurfTransform_Error work_image(const struct nvbuf_buffer *b, bool gpu,
                                    struct rt_vic_image *out, const char *api)
{
    const NvBufSurfacePlaneParams *pl = &b->params->planeParams;
    const struct nvbuf_format *f = nvbuf_format_of(b->params->colorFormat);

    if (!gpu && (!b->memory || b->surface->surf.memType != NVBUF_MEM_SURFACE_ARRAY)) {
        return work_error(api, NvBufSurfTransformError_Invalid_Params,
                          "the VIC works on NVBUF_MEM_SURFACE_ARRAY alone");
    }
    if (!f || !f->vic) {
        return work_error(api, NvBufSurfTransformError_Unsupported,
                          "vtegra transforms no picture of the colour format (docs/frames.md)");
    }
    *out = (struct rt_vic_image){ .memory = b->memory,
                                  .format = f->vic,
                                  .standard = f->standard,
                                  .width = b->params->width,
                                  .height = b->params->height };
    for (unsigned i = 0; i < f->planes; i++) {
        unsigned k = nvbuf_plane_order(f, i);

        out->offset[i] = pl->offset[k];
        out->pitch[i] = pl->pitch[k];
    }
    return NvBufSurfTransformError_Success;
}

NvBufSurfTransform_Error work_rect(const NvBufSurfTransformRect *r, const struct nvbuf_buffer *b,
                                   bool even, struct rt_vic_rect *out, const char *api)
{
    uint32_t width = b->params->width, height = b->params->height;
    struct vic_layout l = vic_layout_of(nvbuf_format_of(b->params->colorFormat)->vic);
    uint32_t keep_x = even && l.sub_x == 2 ? ~UINT32_C(1) : UINT32_MAX;
    uint32_t keep_y = even && l.sub_y == 2 ? ~UINT32_C(1) : UINT32_MAX;

    if (!r) {
        *out = (struct rt_vic_rect){ 0, 0, width, height };
        return NvBufSurfTransformError_Success;
    }
    if (r->left >= width || r->top >= height || r->width > width - r->left ||
        r->height > height - r->top || !(r->width & keep_x) || !(r->height & keep_y)) {
        return work_error(api, NvBufSurfTransformError_ROI_Error,
                          "a rectangle is empty or leaves its buffer");
    }
    out->x0 = r->left & keep_x;
    out->y0 = r->top & keep_y;
    out->x1 = out->x0 + (r->width & keep_x);
    out->y1 = out->y0 + (r->height & keep_y);
    return NvBufSurfTransformError_Success;
}

/* Once a process: the bytes are not those of a board. */
static void say_bilinear(void)
{
    static bool said;

    if (!said) {
        said = true;
        fputs("vtegra: NvBufSurfTransform's filters of 5 and 10 taps, smart and nicest (of the "
              "GPU: cubic, super, Lanczos), are computed as bilinear\n",
              stderr);
    }
}

NvBufSurfTransform_Error work_filter(NvBufSurfTransform_Inter filter, bool *bilinear,
                                     const char *api)
{
    if ((unsigned)filter > NvBufSurfTransformInter_Default) {
        return work_error(api, NvBufSurfTransformError_Invalid_Params, "the filter is unknown");
    }
    *bilinear =
        filter != NvBufSurfTransformInter_Nearest && filter != NvBufSurfTransformInter_Default;
    if (*bilinear && filter != NvBufSurfTransformInter_Bilinear) {
        say_bilinear();
    }
    return NvBufSurfTransformError_Success;
}

static struct rt_vic_rect rect_turned(struct rt_vic_rect r)
{
    return (struct rt_vic_rect){ r.y0, r.x0, r.y1, r.x1 };
}

/* The VIC flips first and transposes then. */
NvBufSurfTransform_Error work_flip(NvBufSurfTransform_Flip flip, struct rt_vic_work *out,
                                   const char *api)
{
    static const struct {
        bool x, y, transpose;
    } how[] = {
        [NvBufSurfTransform_Rotate90] = { false, true, true },
        [NvBufSurfTransform_Rotate180] = { true, true, false },
        [NvBufSurfTransform_Rotate270] = { true, false, true },
        [NvBufSurfTransform_FlipX] = { true, false, false },
        [NvBufSurfTransform_FlipY] = { false, true, false },
        [NvBufSurfTransform_Transpose] = { false, false, true },
        [NvBufSurfTransform_InvTranspose] = { true, true, true },
    };

    if ((unsigned)flip > NvBufSurfTransform_InvTranspose) {
        return work_error(api, NvBufSurfTransformError_Invalid_Params, "the flip is unknown");
    }
    out->flip_x = how[flip].x;
    out->flip_y = how[flip].y;
    out->transpose = how[flip].transpose;
    if (out->transpose) {
        out->target = rect_turned(out->target);
        for (unsigned i = 0; i < out->layers; i++) {
            out->layer[i].to = rect_turned(out->layer[i].to);
        }
    }
    return NvBufSurfTransformError_Success;
}

NvBufSurfTransform_Error work_result(enum rt_vic_result result, const char *why, const char *api)
{
    static const NvBufSurfTransform_Error code[] = {
        [RT_VIC_UNSUPPORTED] = NvBufSurfTransformError_Unsupported,
        [RT_VIC_INVALID] = NvBufSurfTransformError_Invalid_Params,
        [RT_VIC_ROI] = NvBufSurfTransformError_ROI_Error,
        [RT_VIC_FAILED] = NvBufSurfTransformError_Execution_Error,
    };

    return result ? work_error(api, code[result], why) : NvBufSurfTransformError_Success;
}

NvBufSurfTransform_Error work_submit(const struct rt_vic_work *work, uint64_t *ticket,
                                     const char *api)
{
    const char *why;
    enum rt_vic_result result = rt_vic_work_submit(work, api, ticket, &why);

    return work_result(result, why, api);
}
