/* SPDX-License-Identifier: MIT */
/*
 * NvMedia of DRIVE OS 5 as producer and consumer of an EGLStream. Names and values are those of
 * NVIDIA's DRIVE OS 5.2 (NvMedia EGLStream 1.3). docs/nvmedia.md: what each function does here.
 */
#ifndef NVMEDIA_EGLSTREAM_H
#define NVMEDIA_EGLSTREAM_H

#include <EGL/egl.h>
#include <EGL/eglext.h>

#include "nvmedia_core.h"
#include "nvmedia_image.h"
#include "nvmedia_surface.h"

#ifdef __cplusplus
extern "C" {
#endif

#define NVMEDIA_EGLSTREAM_VERSION_MAJOR 1
#define NVMEDIA_EGLSTREAM_VERSION_MINOR 3
#define NVMEDIA_EGL_STREAM_TIMEOUT_INFINITE 0xFFFFFFFF

typedef struct NvMediaEGLStreamProducer {
    NvMediaSurfaceType type;
    EGLint width;
    EGLint height;
} NvMediaEGLStreamProducer;

typedef struct NvMediaEGLStreamConsumer {
    NvMediaSurfaceType type;
} NvMediaEGLStreamConsumer;

typedef struct {
    NvMediaBool multiSend;
} NvMediaEglStreamProducerAttributes;

#define NVMEDIA_EGL_STREAM_PRODUCER_ATTRIBUTE_MULTISEND (1 << 0)

NVMEDIA_API NvMediaStatus NvMediaEglStreamGetVersion(NvMediaVersion *version);
/* NULL: the stream has no consumer, or a producer. */
NVMEDIA_API NvMediaEGLStreamProducer *
NvMediaEglStreamProducerCreate(NvMediaDevice *device, EGLDisplay eglDisplay, EGLStreamKHR eglStream,
                               NvMediaSurfaceType type, EGLint width, EGLint height);
NVMEDIA_API void NvMediaEglStreamProducerDestroy(NvMediaEGLStreamProducer *producer);
NVMEDIA_API NvMediaStatus NvMediaEglStreamProducerPostImage(NvMediaEGLStreamProducer *producer,
                                                            NvMediaImage *image,
                                                            NvMediaTime *timeStamp);
NVMEDIA_API NvMediaStatus NvMediaEglStreamProducerGetImage(NvMediaEGLStreamProducer *producer,
                                                           NvMediaImage **image,
                                                           uint32_t millisecondTimeout);
NVMEDIA_API NvMediaEGLStreamConsumer *NvMediaEglStreamConsumerCreate(NvMediaDevice *device,
                                                                     EGLDisplay dpy,
                                                                     EGLStreamKHR stream,
                                                                     NvMediaSurfaceType type);
NVMEDIA_API void NvMediaEglStreamConsumerDestroy(NvMediaEGLStreamConsumer *consumer);
NVMEDIA_API NvMediaStatus NvMediaEglStreamConsumerAcquireImage(NvMediaEGLStreamConsumer *consumer,
                                                               NvMediaImage **image,
                                                               uint32_t millisecondTimeout,
                                                               NvMediaTime *timeStamp);
NVMEDIA_API NvMediaStatus NvMediaEglStreamConsumerReleaseImage(NvMediaEGLStreamConsumer *consumer,
                                                               NvMediaImage *image);

#ifdef __cplusplus
}
#endif

#endif
