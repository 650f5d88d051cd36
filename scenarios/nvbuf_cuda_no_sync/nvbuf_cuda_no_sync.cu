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
    uint8_t row[W] = {};
    CUcontext context;
    CUeglFrame frame;
    int bad = 0;

    OK(cuInit(0));
    OK(cuDevicePrimaryCtxRetain(&context, 0));
    OK(cuCtxSetCurrent(context));
    OK(NvBufSurfaceMap(s, 0, 0, NVBUF_MAP_WRITE));
    OK(NvBufSurfaceMapEglImage(s, 0));
    OK(cuGraphicsEGLRegisterImage(&resource, s->surfaceList[0].mappedAddr.eglImage, 0));
    OK(cuGraphicsResourceGetMappedEglFrame(&frame, resource, 0, 0));
    fill(s, 0, 50);
    if (fixed) {
        OK(NvBufSurfaceSyncForDevice(s, 0, 0));
    }
    OK(cuMemcpyDtoH(row, (CUdeviceptr)(uintptr_t)frame.frame.pPitch[0], W));
    for (int x = 0; x < W; x++) {
        bad += row[x] != 50;
    }
    printf("%d of %d pixels are wrong\n", bad, W);
    OK(cuGraphicsUnregisterResource(resource));
    OK(NvBufSurfaceUnMapEglImage(s, 0));
    OK(NvBufSurfaceDestroy(s));
    OK(cuDevicePrimaryCtxRelease(0));
    return bad != 0;
}
