/* SPDX-License-Identifier: MIT */
/* CUDA Runtime API, EGL interoperability: EGLStream, EGLImage, EGLSync. */
#ifndef __CUDA_EGL_INTEROP_H__
#define __CUDA_EGL_INTEROP_H__

#include "cuda_runtime_api.h"
#include "vtegra/egl_platform.h"
#include "vtegra/rt_egl_formats.h"

#ifdef __cplusplus
extern "C" {
#endif

#define CUDA_EGL_MAX_PLANES 3

typedef enum cudaEglFrameType_enum {
    cudaEglFrameTypeArray = 0,
    cudaEglFrameTypePitch = 1
} cudaEglFrameType;

typedef enum cudaEglResourceLocationFlags_enum {
    cudaEglResourceLocationSysmem = 0,
    cudaEglResourceLocationVidmem = 1
} cudaEglResourceLocationFlags;

typedef struct cudaEglPlaneDesc_st {
    unsigned int width;
    unsigned int height;
    unsigned int depth;
    unsigned int pitch;
    unsigned int numChannels;
    struct cudaChannelFormatDesc channelDesc;
    unsigned int reserved[4];
} cudaEglPlaneDesc;

typedef struct cudaEglFrame_st {
    union {
        cudaArray_t pArray[CUDA_EGL_MAX_PLANES];
        struct cudaPitchedPtr pPitch[CUDA_EGL_MAX_PLANES];
    } frame;
    cudaEglPlaneDesc planeDesc[CUDA_EGL_MAX_PLANES];
    unsigned int planeCount;
    cudaEglFrameType frameType;
    cudaEglColorFormat eglColorFormat;
} cudaEglFrame;

typedef struct CUeglStreamConnection_st *cudaEglStreamConnection;

cudaError_t CUDARTAPI cudaGraphicsEGLRegisterImage(struct cudaGraphicsResource **pCudaResource,
                                                   EGLImageKHR image, unsigned int flags);
cudaError_t CUDARTAPI cudaEGLStreamConsumerConnect(cudaEglStreamConnection *conn,
                                                   EGLStreamKHR eglStream);
cudaError_t CUDARTAPI cudaEGLStreamConsumerConnectWithFlags(cudaEglStreamConnection *conn,
                                                            EGLStreamKHR eglStream,
                                                            unsigned int flags);
cudaError_t CUDARTAPI cudaEGLStreamConsumerDisconnect(cudaEglStreamConnection *conn);
cudaError_t CUDARTAPI cudaEGLStreamConsumerAcquireFrame(cudaEglStreamConnection *conn,
                                                        cudaGraphicsResource_t *pCudaResource,
                                                        cudaStream_t *pStream,
                                                        unsigned int timeout);
cudaError_t CUDARTAPI cudaEGLStreamConsumerReleaseFrame(cudaEglStreamConnection *conn,
                                                        cudaGraphicsResource_t pCudaResource,
                                                        cudaStream_t *pStream);
cudaError_t CUDARTAPI cudaEGLStreamProducerConnect(cudaEglStreamConnection *conn,
                                                   EGLStreamKHR eglStream, EGLint width,
                                                   EGLint height);
cudaError_t CUDARTAPI cudaEGLStreamProducerDisconnect(cudaEglStreamConnection *conn);
cudaError_t CUDARTAPI cudaEGLStreamProducerPresentFrame(cudaEglStreamConnection *conn,
                                                        cudaEglFrame eglframe,
                                                        cudaStream_t *pStream);
cudaError_t CUDARTAPI cudaEGLStreamProducerReturnFrame(cudaEglStreamConnection *conn,
                                                       cudaEglFrame *eglframe,
                                                       cudaStream_t *pStream);
cudaError_t CUDARTAPI cudaGraphicsResourceGetMappedEglFrame(cudaEglFrame *eglFrame,
                                                            cudaGraphicsResource_t resource,
                                                            unsigned int index,
                                                            unsigned int mipLevel);
cudaError_t CUDARTAPI cudaEventCreateFromEGLSync(cudaEvent_t *phEvent, EGLSyncKHR eglSync,
                                                 unsigned int flags);

#ifdef __cplusplus
}
#endif

#endif
