/* SPDX-License-Identifier: MIT */
/* CUDA Driver API, EGL interoperability: EGLStream, EGLImage, EGLSync. */
#ifndef CUDAEGL_H
#define CUDAEGL_H

#include "cuda.h"
#include "vtegra/cu_egl_formats.h"
#include "vtegra/egl_platform.h"

#ifdef __cplusplus
extern "C" {
#endif

#define MAX_PLANES 3
#define CUDA_EGL_INFINITE_TIMEOUT 0xFFFFFFFF

typedef enum CUeglFrameType_enum {
    CU_EGL_FRAME_TYPE_ARRAY = 0,
    CU_EGL_FRAME_TYPE_PITCH = 1
} CUeglFrameType;

typedef enum CUeglResourceLocationFlags_enum {
    CU_EGL_RESOURCE_LOCATION_SYSMEM = 0,
    CU_EGL_RESOURCE_LOCATION_VIDMEM = 1
} CUeglResourceLocationFlags;

/* Sizes are those of the first plane; the colour format says what the others have. */
typedef struct CUeglFrame_st {
    union {
        CUarray pArray[MAX_PLANES];
        void *pPitch[MAX_PLANES];
    } frame;
    unsigned int width;
    unsigned int height;
    unsigned int depth;
    unsigned int pitch;
    unsigned int planeCount;
    unsigned int numChannels;
    CUeglFrameType frameType;
    CUeglColorFormat eglColorFormat;
    CUarray_format cuFormat;
} CUeglFrame_v1;
typedef CUeglFrame_v1 CUeglFrame;

typedef struct CUeglStreamConnection_st *CUeglStreamConnection;

CUresult CUDAAPI cuGraphicsEGLRegisterImage(CUgraphicsResource *pCudaResource, EGLImageKHR image,
                                            unsigned int flags);
CUresult CUDAAPI cuEGLStreamConsumerConnect(CUeglStreamConnection *conn, EGLStreamKHR stream);
CUresult CUDAAPI cuEGLStreamConsumerConnectWithFlags(CUeglStreamConnection *conn,
                                                     EGLStreamKHR stream, unsigned int flags);
CUresult CUDAAPI cuEGLStreamConsumerDisconnect(CUeglStreamConnection *conn);
CUresult CUDAAPI cuEGLStreamConsumerAcquireFrame(CUeglStreamConnection *conn,
                                                 CUgraphicsResource *pCudaResource,
                                                 CUstream *pStream, unsigned int timeout);
CUresult CUDAAPI cuEGLStreamConsumerReleaseFrame(CUeglStreamConnection *conn,
                                                 CUgraphicsResource pCudaResource,
                                                 CUstream *pStream);
CUresult CUDAAPI cuEGLStreamProducerConnect(CUeglStreamConnection *conn, EGLStreamKHR stream,
                                            EGLint width, EGLint height);
CUresult CUDAAPI cuEGLStreamProducerDisconnect(CUeglStreamConnection *conn);
CUresult CUDAAPI cuEGLStreamProducerPresentFrame(CUeglStreamConnection *conn, CUeglFrame eglframe,
                                                 CUstream *pStream);
CUresult CUDAAPI cuEGLStreamProducerReturnFrame(CUeglStreamConnection *conn, CUeglFrame *eglframe,
                                                CUstream *pStream);
CUresult CUDAAPI cuGraphicsResourceGetMappedEglFrame(CUeglFrame *eglFrame,
                                                     CUgraphicsResource resource,
                                                     unsigned int index, unsigned int mipLevel);
CUresult CUDAAPI cuEventCreateFromEGLSync(CUevent *phEvent, EGLSyncKHR eglSync, unsigned int flags);

#ifdef __cplusplus
}
#endif

#endif
