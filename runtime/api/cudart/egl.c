/* SPDX-License-Identifier: MIT */
/* CUDA Runtime API, EGL interoperability: frames in the runtime's form, which describes each plane,
 * and in the driver's, which describes the first. */
#include "runtime/api/cudart/array.h"

struct planes {
    unsigned int count, width, height;
};

/* The other planes are smaller by these factors. */
static struct planes planes_of(CUeglColorFormat format)
{
    switch (format) {
#define EGL_PLANES(name, n, w, h) \
    case name:                    \
        return (struct planes){ n, w, h };
#include "runtime/api/cudart/egl_planes.def"
#undef EGL_PLANES
    default:
        return (struct planes){ 1, 1, 1 };
    }
}

/* A listing of CUDA for Tegra (5.1.2) leaves the kind of channel unset: unsigned then. */
static CUarray_format format_of(struct cudaChannelFormatDesc d)
{
    CUarray_format format;
    unsigned int channels;

    d.y = d.z = d.w = 0;
    if (!rt_format_of(&d, &format, &channels)) {
        d.f = cudaChannelFormatKindUnsigned;
        if (!rt_format_of(&d, &format, &channels)) {
            return CU_AD_FORMAT_UNSIGNED_INT8;
        }
    }
    return format;
}

static CUeglFrame frame_to_driver(const cudaEglFrame *f)
{
    const cudaEglPlaneDesc *first = &f->planeDesc[0];
    CUeglFrame to = { .width = first->width,
                      .height = first->height,
                      .depth = first->depth,
                      .pitch = first->pitch,
                      .planeCount = f->planeCount,
                      .numChannels = first->numChannels,
                      .frameType = (CUeglFrameType)f->frameType,
                      .eglColorFormat = (CUeglColorFormat)f->eglColorFormat,
                      .cuFormat = format_of(first->channelDesc) };

    for (unsigned int i = 0; i < f->planeCount && i < CUDA_EGL_MAX_PLANES; i++) {
        if (f->frameType == cudaEglFrameTypeArray) {
            to.frame.pArray[i] = (CUarray)f->frame.pArray[i];
        } else {
            to.frame.pPitch[i] = f->frame.pPitch[i].ptr;
        }
    }
    return to;
}

static void plane_fill(cudaEglPlaneDesc *d, const CUeglFrame *f, unsigned int i)
{
    struct planes p = planes_of(f->eglColorFormat);
    unsigned int channels = i == 0 ? f->numChannels : p.count == 2 ? 2 : 1;

    *d = (cudaEglPlaneDesc){ .width = i ? f->width / p.width : f->width,
                             .height = i ? f->height / p.height : f->height,
                             .depth = f->depth,
                             .pitch = i ? f->pitch / p.width * channels : f->pitch,
                             .numChannels = channels,
                             .channelDesc = rt_format_desc(f->cuFormat, channels) };
}

static void frame_to_runtime(const CUeglFrame *f, cudaEglFrame *to)
{
    *to = (cudaEglFrame){ .planeCount = f->planeCount,
                          .frameType = (cudaEglFrameType)f->frameType,
                          .eglColorFormat = (cudaEglColorFormat)f->eglColorFormat };
    for (unsigned int i = 0; i < f->planeCount && i < CUDA_EGL_MAX_PLANES; i++) {
        plane_fill(&to->planeDesc[i], f, i);
        if (f->frameType == CU_EGL_FRAME_TYPE_ARRAY) {
            to->frame.pArray[i] = (cudaArray_t)f->frame.pArray[i];
        } else {
            to->frame.pPitch[i] =
                (struct cudaPitchedPtr){ f->frame.pPitch[i], to->planeDesc[i].pitch,
                                         to->planeDesc[i].width, to->planeDesc[i].height };
        }
    }
}

cudaError_t cudaEGLStreamProducerPresentFrame(cudaEglStreamConnection *conn, cudaEglFrame eglframe,
                                              cudaStream_t *pStream)
{
    RT_TRY(rt_context());
    return RT_DRIVER(cuEGLStreamProducerPresentFrame, conn, frame_to_driver(&eglframe), pStream);
}

cudaError_t cudaEGLStreamProducerReturnFrame(cudaEglStreamConnection *conn, cudaEglFrame *eglframe,
                                             cudaStream_t *pStream)
{
    CUeglFrame frame;

    RT_TRY(rt_context());
    RT_TRY(
        rt_error(rt_drv.cuEGLStreamProducerReturnFrame(conn, eglframe ? &frame : NULL, pStream)));
    frame_to_runtime(&frame, eglframe);
    return cudaSuccess;
}

cudaError_t cudaGraphicsResourceGetMappedEglFrame(cudaEglFrame *eglFrame,
                                                  cudaGraphicsResource_t resource,
                                                  unsigned int index, unsigned int mipLevel)
{
    CUeglFrame frame;

    RT_TRY(rt_context());
    RT_TRY(rt_error(rt_drv.cuGraphicsResourceGetMappedEglFrame(&frame, (CUgraphicsResource)resource,
                                                               index, mipLevel)));
    frame_to_runtime(&frame, eglFrame);
    return cudaSuccess;
}
