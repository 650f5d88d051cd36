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
    uint8_t *rows;
    size_t pitch;
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
    pitch = s->surfaceList[0].planeParams.pitch[0];
    rows = (uint8_t *)calloc(pitch, H);
    fill(s, 0, 50);
    if (fixed) {
        OK(NvBufSurfaceSyncForDevice(s, 0, 0));
    }
    OK(cuMemcpyDtoH(rows, (CUdeviceptr)(uintptr_t)frame.frame.pPitch[0], pitch * H));
    for (int i = 0; i < W * H; i++) {
        bad += rows[i / W * pitch + i % W] != 50;
    }
    printf("%d of %d pixels are wrong\n", bad, W * H);
    free(rows);
    OK(cuGraphicsUnregisterResource(resource));
    OK(NvBufSurfaceUnMapEglImage(s, 0));
    OK(NvBufSurfaceDestroy(s));
    OK(cuDevicePrimaryCtxRelease(0));
    return bad != 0;
}
