/* SPDX-License-Identifier: MIT */
/* NvBufSurfTransform on the GPU: each picture is a kernel of one thread on the session's stream,
 * whose parameter is a library call (model/library/call.h) with the configuration that the VIC
 * would get behind it, so both engines make the same bytes. The kernel has the name of the
 * program's call. */
#include "runtime/api/nvbuf/gpu.h"

#include <glib.h>
#include <stdio.h>
#include <string.h>

#include "model/library/call.h"
#include "model/regs/vic.h"
#include "runtime/driver/device/rt_context.h"
#include "runtime/driver/device/rt_init.h"
#include "runtime/driver/interop/egl/rt_egl.h"
#include "runtime/driver/interop/egl/rt_egl_buffer.h"
#include "runtime/driver/module/rt_launch.h"
#include "runtime/driver/module/rt_module.h"
#include "runtime/driver/stream/rt_event.h"
#include "runtime/driver/stream/rt_stream.h"

typedef NvBufSurfTransform_Error result_t;

#define OK NvBufSurfTransformError_Success
#define INVALID NvBufSurfTransformError_Invalid_Params
#define FAILED NvBufSurfTransformError_Execution_Error
#define GPUS_MAX 8

struct call {
    struct library_call call;
    uint8_t tail[LIBRARY_TAIL_BYTES];
};
_Static_assert(LIBRARY_TAIL_BYTES == VIC_CONFIG_BYTES, "the configuration");

/* --- the context of a call -------------------------------------------------------------------- */

/* As NVIDIA's library, which calls the runtime: the primary context is kept from the first call
 * on, and from the first one behind a reset, which drops all who keep it. */
static CUresult context_of(int device, CUcontext *out)
{
    static gint kept[GPUS_MAX];
    unsigned flags;
    int active = 0;
    CUresult error = rt_primary_state(device, &flags, &active);
    bool keep = !error && device < GPUS_MAX && (!active || !g_atomic_int_get(&kept[device]));

    error = error ? error : rt_primary_retain(out, device);
    if (!error && keep) {
        g_atomic_int_set(&kept[device], 1);
    } else if (!error) {
        rt_primary_release(device);
    }
    return error;
}

result_t gpu_enter(const NvBufSurfTransformConfigParams *session, struct gpu_place *out,
                   const char *api)
{
    CUresult error = rt_init(0);

    *out = (struct gpu_place){ .stream = (CUstream)session->cuda_stream };
    if (!error) {
        error = context_of(session->gpu_id, &out->context);
    }
    if (error) {
        return work_error(api, INVALID, "gpu_id of the session is no GPU of this board");
    }
    rt_ctx_push(out->context);
    if (out->stream && rt_stream_context(out->stream, &out->context)) {
        rt_ctx_pop(NULL);
        return work_error(api, INVALID, "cuda_stream of the session is none, or was destroyed");
    }
    rt_ctx_pop(NULL);
    rt_ctx_push(out->context);
    return OK;
}

void gpu_leave(void)
{
    rt_ctx_pop(NULL);
}

result_t gpu_wait(const struct gpu_place *p, const char *api)
{
    return rt_stream_synchronize(p->stream) ? work_error(api, FAILED, "the GPU's work has failed")
                                            : OK;
}

CUevent gpu_event(const struct gpu_place *p)
{
    CUevent event = NULL;

    if (rt_event_create(&event, CU_EVENT_DISABLE_TIMING)) {
        return NULL;
    }
    if (rt_event_record(event, p->stream, 0)) {
        rt_event_destroy(event);
        return NULL;
    }
    return event;
}

result_t gpu_event_wait(CUcontext context, CUevent event, const char *api)
{
    CUresult error = rt_ctx_push(context);

    if (!error) {
        error = rt_event_synchronize(event);
        rt_ctx_pop(NULL);
    }
    return error ? work_error(api, FAILED, "the GPU's work has failed") : OK;
}

void gpu_event_free(CUcontext context, CUevent event)
{
    if (rt_ctx_push(context) == CUDA_SUCCESS) {
        rt_event_destroy(event);
        rt_ctx_pop(NULL);
    }
}

/* --- kernels ---------------------------------------------------------------------------------- */

#define TEXT2(x) #x
#define TEXT(x) TEXT2(x)
#define PARAM_BYTES 3504
_Static_assert(PARAM_BYTES == sizeof(struct call), "of the kernel's parameter");

/* The parameter's own address, in a loop until the call's last step. */
static const char module_text[] =
    ".version 7.7\n.target sm_50\n.address_size 64\n"
    ".extern .func (.param .b32 more) vtegra_library(.param .b64 call);\n"
    ".visible .entry %s(.param .align 8 .b8 call[" TEXT(
        PARAM_BYTES) "])\n{\n"
                     ".reg .b64 %%rd<3>;\n.reg .b32 %%r<2>;\n.reg .pred %%p<2>;\n"
                     "mov.b64 %%rd1, call;\ncvta.param.u64 %%rd2, %%rd1;\n"
                     "STEP:\n{\n.param .b64 a;\n.param .b32 more;\nst.param.b64 [a], %%rd2;\n"
                     "call (more), vtegra_library, (a);\nld.param.b32 %%r1, [more];\n}\n"
                     "setp.ne.s32 %%p1, %%r1, 0;\n@%%p1 bra STEP;\nret;\n}\n";

/* One for each context and call; as long as the process. */
struct kernel {
    CUcontext context;
    const char *name;
    CUfunction function;
};

static GMutex lock; /* GLib's: no lock of the program's. Nothing is called while it is held */
static GArray *kernels;

static bool kernel_find(CUcontext context, const char *name, CUfunction *out, CUfunction change)
{
    bool found = false;

    g_mutex_lock(&lock);
    kernels = kernels ? kernels : g_array_new(FALSE, FALSE, sizeof(struct kernel));
    for (guint i = 0; i < kernels->len && !found; i++) {
        struct kernel *k = &g_array_index(kernels, struct kernel, i);

        found = k->context == context && strcmp(k->name, name) == 0;
        if (found) {
            k->function = change ? change : k->function;
            *out = k->function;
        }
    }
    if (!found && change) {
        struct kernel made = { context, name, change };

        g_array_append_val(kernels, made);
        *out = change;
    }
    g_mutex_unlock(&lock);
    return found || change;
}

static CUresult kernel_load(CUcontext context, const char *name, CUfunction *out)
{
    char text[sizeof(module_text) + 128];
    CUmodule module;
    CUfunction f;
    CUresult error;

    snprintf(text, sizeof(text), module_text, name);
    error = rt_module_load(&module, text, 0, NULL, NULL);
    error = error ? error : rt_module_function(&f, module, name);
    if (!error) {
        kernel_find(context, name, out, f);
    }
    return error;
}

/* A reset of the device takes the functions with it. */
static result_t call_launch(const struct gpu_place *p, struct call *c, const char *api)
{
    CUlaunchConfig config = { .gridDimX = 1,
                              .gridDimY = 1,
                              .gridDimZ = 1,
                              .blockDimX = 1,
                              .blockDimY = 1,
                              .blockDimZ = 1,
                              .hStream = p->stream };
    void *params[] = { c };
    CUfunction f;
    CUresult error = CUDA_ERROR_INVALID_HANDLE;

    if (kernel_find(p->context, api, &f, NULL)) {
        error = rt_launch(&config, f, params, NULL);
    }
    if (error == CUDA_ERROR_INVALID_HANDLE) {
        error = kernel_load(p->context, api, &f);
        error = error ? error : rt_launch(&config, f, params, NULL);
    }
    return error ? work_error(api, FAILED, "CUDA refuses the launch of the kernel") : OK;
}

/* --- where a buffer's bytes are --------------------------------------------------------------- */

static CUresult surface_map(struct nvbuf_buffer *b, CUcontext context, CUdeviceptr *at)
{
    struct rt_egl_buffer whole = { .memory = b->memory,
                                   .frame = { .width = b->params->dataSize,
                                              .height = 1,
                                              .depth = 1,
                                              .pitch = b->params->dataSize,
                                              .planeCount = 1,
                                              .numChannels = 1,
                                              .frameType = CU_EGL_FRAME_TYPE_PITCH,
                                              .eglColorFormat = CU_EGL_COLOR_FORMAT_L,
                                              .cuFormat = CU_AD_FORMAT_UNSIGNED_INT8 } };
    CUeglFrame frame;
    CUresult error = CUDA_ERROR_INVALID_HANDLE;

    if (b->gpu.resource && b->gpu.context == context) {
        error = rt_graphics_frame(&frame, b->gpu.resource, 0, 0);
    }
    if (error) {
        nvbuf_gpu_forget(b);
        b->gpu.image = rt_egl_buffer_image(&whole);
        error = b->gpu.image ? rt_egl_register_image(&b->gpu.resource, b->gpu.image, 0)
                             : CUDA_ERROR_OUT_OF_MEMORY;
        error = error ? error : rt_graphics_frame(&frame, b->gpu.resource, 0, 0);
        b->gpu.context = context;
    }
    *at = error ? 0 : (uintptr_t)frame.frame.pPitch[0];
    return error;
}

static result_t buffer_at(struct nvbuf_buffer *b, const struct gpu_place *p, CUdeviceptr *at,
                          const char *api)
{
    NvBufSurfaceMemType type = b->surface->surf.memType;

    if (type == NVBUF_MEM_SYSTEM) {
        return work_error(api, INVALID, "the GPU does not work on NVBUF_MEM_SYSTEM");
    }
    *at = (uintptr_t)b->params->dataPtr;
    if (b->memory && surface_map(b, p->context, at)) {
        return work_error(api, FAILED, "CUDA does not map the surface");
    }
    return OK;
}

static struct library_operand plane_of(CUdeviceptr at, uint64_t offset, uint32_t pitch,
                                       uint64_t bytes, uint64_t rows)
{
    return (struct library_operand){
        .va = at + offset, .pitch = pitch, .columns = bytes, .rows = rows, .type = LIBRARY_R_8U
    };
}

/* --- one picture ------------------------------------------------------------------------------ */

/* Rectangle @r of a picture, plane by plane. */
static void planes_of(const struct rt_vic_image *image, struct rt_vic_rect r, CUdeviceptr at,
                      struct library_operand *out)
{
    struct vic_layout l = vic_layout_of(image->format);

    for (unsigned i = 0; i < VIC_PLANES; i++) {
        unsigned x = i ? l.sub_x : 1, y = i ? l.sub_y : 1, bytes = i ? l.chroma : l.first;
        uint64_t offset = image->offset[i] + (uint64_t)(r.y0 / y) * image->pitch[i] +
                          (uint64_t)(r.x0 / x) * bytes;

        out[i] = i < l.planes ? plane_of(at, offset, image->pitch[i],
                                         (uint64_t)((r.x1 + x - 1) / x - r.x0 / x) * bytes,
                                         (r.y1 + y - 1) / y - r.y0 / y)
                              : plane_of(0, 0, 0, 0, 0);
    }
}

result_t gpu_submit(const struct gpu_place *p, const struct rt_vic_work *work,
                    struct nvbuf_buffer *src, struct nvbuf_buffer *dst, const char *api)
{
    struct call c = { .call = { .magic = LIBRARY_MAGIC, .op = LIBRARY_PICTURE, .batches = 1 } };
    const struct rt_vic_image *in = &work->layer[0].image;
    struct rt_vic_rect t = work->target;
    CUdeviceptr from, to;
    const char *why;
    enum rt_vic_result result = rt_vic_work_config(work, c.tail, &why);
    result_t r = work_result(result, why, api);

    r = r ? r : buffer_at(src, p, &from, api);
    r = r ? r : buffer_at(dst, p, &to, api);
    if (r) {
        return r;
    }
    if (work->transpose) {
        t = (struct rt_vic_rect){ t.y0, t.x0, t.y1, t.x1 };
    }
    planes_of(in, (struct rt_vic_rect){ 0, 0, in->width, in->height }, from, c.call.operand);
    planes_of(&work->image, t, to, c.call.operand + VIC_PLANES);
    return call_launch(p, &c, api);
}

/* --- two pictures by the weights of a third --------------------------------------------------- */

static const char *blend_wrong(const struct gpu_blend *b)
{
    const struct nvbuf_format *weights = nvbuf_format_of(b->alpha->params->colorFormat);
    const NvBufSurfaceParams *all[] = { b->src0->params,
                                        b->src1 ? b->src1->params : b->src0->params,
                                        b->alpha->params, b->dst->params };
    const struct nvbuf_format *f = nvbuf_format_of(all[0]->colorFormat);

    for (unsigned i = 1; i < 4; i++) {
        if (all[i]->width != all[0]->width || all[i]->height != all[0]->height ||
            (i != 2 && all[i]->colorFormat != all[0]->colorFormat)) {
            return "vtegra blends pictures of one size and one colour format";
        }
    }
    if (!f || !weights || f->channel != CU_AD_FORMAT_UNSIGNED_INT8) {
        return "vtegra blends pictures of 8 bits a component";
    }
    if (weights->planes != 1 || (weights->bytes[0] != 1 && weights->color != f->color)) {
        return "the weights are of 8 bits a pixel (GRAY8), or packed as the pictures are";
    }
    return !b->src1 && (f->planes > 1 || !f->vic || (!vic_is_rgb(f->vic) && f->vic != VIC_L8))
               ? "a colour in the place of src1 needs pictures of RGB or GRAY8"
               : NULL;
}

/* The colour as a pixel's bytes, the first the lowest. */
static int64_t colour_bytes(const struct nvbuf_format *f, const NvBufSurfTransform_ColorParams *c)
{
    static const uint8_t order[4][4] = {
        { 0, 1, 2, 3 }, { 2, 1, 0, 3 }, { 1, 2, 3, 0 }, { 3, 2, 1, 0 } /* of R, G, B, A */
    };
    double v[4] = { c->red, c->green, c->blue, c->alpha };
    uint32_t bytes = 0;

    for (unsigned i = 0; i < 4; i++) {
        unsigned at = f->vic == VIC_L8 ? i : order[(f->vic - VIC_A8B8G8R8) % 4][i];

        bytes |= (uint32_t)(CLAMP(v[i], 0, 1) * 255 + 0.5) << 8 * at;
    }
    return bytes;
}

static struct library_operand whole_plane(const struct nvbuf_buffer *b, unsigned plane,
                                          CUdeviceptr at)
{
    const NvBufSurfacePlaneParams *pl = &b->params->planeParams;

    return plane_of(at, pl->offset[plane], pl->pitch[plane],
                    (uint64_t)pl->width[plane] * pl->bytesPerPix[plane], pl->height[plane]);
}

static result_t plane_blend(const struct gpu_place *p, const struct gpu_blend *b, unsigned plane,
                            const CUdeviceptr at[4], const char *api)
{
    struct call c = { .call = {
                          .magic = LIBRARY_MAGIC, .op = LIBRARY_PICTURE_BLEND, .batches = 1 } };
    const struct nvbuf_format *f = nvbuf_format_of(b->src0->params->colorFormat);
    struct library_operand *o = c.call.operand;
    struct nvbuf_buffer *all[] = { b->src0, b->src1, b->weigh ? b->alpha : NULL, b->dst };

    c.call.n[0] = f->bytes[plane > 0];
    c.call.n[1] = plane ? f->sub_x : 1;
    c.call.n[2] = plane ? f->sub_y : 1;
    c.call.n[3] = nvbuf_format_of(b->alpha->params->colorFormat)->bytes[0];
    c.call.mode[1] = !b->src1;
    c.call.mode[2] = !b->weigh;
    c.call.n[4] = b->src1 ? 0 : colour_bytes(f, b->colour);
    for (unsigned i = 0; i < 4; i++) {
        o[i] = all[i] ? whole_plane(all[i], i == 2 ? 0 : plane, at[i]) : plane_of(0, 0, 0, 0, 0);
    }
    return call_launch(p, &c, api);
}

result_t gpu_blend(const struct gpu_place *p, const struct gpu_blend *b, const char *api)
{
    struct nvbuf_buffer *all[] = { b->src0, b->src1 ? b->src1 : b->src0, b->alpha, b->dst };
    const char *why = blend_wrong(b);
    CUdeviceptr at[4];
    result_t r = why ? work_error(api, NvBufSurfTransformError_Unsupported, why) : OK;

    for (unsigned i = 0; !r && i < 4; i++) {
        r = buffer_at(all[i], p, &at[i], api);
    }
    for (unsigned i = 0; !r && i < b->src0->params->planeParams.num_planes; i++) {
        r = plane_blend(p, b, i, at, api);
    }
    return r;
}
