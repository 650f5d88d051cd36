// SPDX-License-Identifier: MIT
#include "../nvbuf/nvbuf.h"
#include <cuda.h>
#define VTEGRA_NO_EGL_HEADERS
#include <cudaEGL.h>

int main(int argc, char **)
{
    bool fixed = argc > 1;
    NvBufSurface *s = surface(NVBUF_COLOR_FORMAT_GRAY8);
    CUgraphicsResource resource;
    CUcontext context;
    CUeglFrame frame;

    OK(cuInit(0));
    OK(cuDevicePrimaryCtxRetain(&context, 0));
    OK(cuCtxSetCurrent(context));
    OK(NvBufSurfaceMapEglImage(s, 0));
    OK(cuGraphicsEGLRegisterImage(&resource, s->surfaceList[0].mappedAddr.eglImage, 0));
    OK(cuGraphicsResourceGetMappedEglFrame(&frame, resource, 0, 0));
    if (fixed) {
        OK(cuGraphicsUnregisterResource(resource));
    }
    OK(NvBufSurfaceUnMapEglImage(s, 0)); // <-- found here
    if (!fixed) {
        OK(cuMemsetD8((CUdeviceptr)(uintptr_t)frame.frame.pPitch[0], 1, W));
        OK(cuCtxSynchronize());
        OK(cuGraphicsUnregisterResource(resource));
    }
    OK(NvBufSurfaceDestroy(s));
    OK(cuDevicePrimaryCtxRelease(0));
    return 0;
}
