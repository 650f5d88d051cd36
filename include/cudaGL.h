/* SPDX-License-Identifier: MIT */
/* CUDA Driver API, OpenGL interoperability. */
#ifndef CUDAGL_H
#define CUDAGL_H

#include "cuda.h"
#include "vtegra/gl_platform.h"

#ifdef __cplusplus
extern "C" {
#endif

#define cuGLGetDevices cuGLGetDevices_v2

typedef enum CUGLDeviceList_enum {
    CU_GL_DEVICE_LIST_ALL = 0x01,
    CU_GL_DEVICE_LIST_CURRENT_FRAME = 0x02,
    CU_GL_DEVICE_LIST_NEXT_FRAME = 0x03
} CUGLDeviceList;

CUresult CUDAAPI cuGraphicsGLRegisterBuffer(CUgraphicsResource *pCudaResource, GLuint buffer,
                                            unsigned int Flags);
CUresult CUDAAPI cuGraphicsGLRegisterImage(CUgraphicsResource *pCudaResource, GLuint image,
                                           GLenum target, unsigned int Flags);
CUresult CUDAAPI cuGLGetDevices(unsigned int *pCudaDeviceCount, CUdevice *pCudaDevices,
                                unsigned int cudaDeviceCount, CUGLDeviceList deviceList);

#ifdef __cplusplus
}
#endif

#endif
