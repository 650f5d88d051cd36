// SPDX-License-Identifier: MIT
#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda.h>
#include <cudaEGL.h>
#include <cuda_runtime.h>
#include <vtegra/camera.h>

#define OK(call)                                    \
    do {                                            \
        int r_ = (int)(call);                       \
        if (r_) {                                   \
            fprintf(stderr, "%s: %d\n", #call, r_); \
            exit(2);                                \
        }                                           \
    } while (0)

__global__ void sum(const unsigned char *luma, unsigned *out)
{
    atomicAdd(out, luma[blockIdx.x * 256 + threadIdx.x]);
}

int main(int argc, char **)
{
    bool fixed = argc > 1;
    EGLDisplay display = eglGetDisplay(EGL_DEFAULT_DISPLAY);
    EGLStreamKHR stream;
    CUeglStreamConnection consumer;
    vtegraCamera camera;
    CUeglFrame frame;
    unsigned *out, frames = 0;

    OK(!eglInitialize(display, NULL, NULL));
    stream = ((PFNEGLCREATESTREAMKHRPROC)eglGetProcAddress("eglCreateStreamKHR"))(display, NULL);
    OK(cudaMallocManaged(&out, sizeof(*out)));
    OK(cuEGLStreamConsumerConnect(&consumer, stream));
    OK(vtegraCameraConnect(&camera, stream, 64, 64));
    for (int i = 0; i < 4; i++) {
        CUgraphicsResource resource = NULL;
        CUstream s = NULL;
        CUresult got;

        if (i == 2) {
            OK(vtegraCameraDisconnect(camera)); // the producer ends
        }
        got = cuEGLStreamConsumerAcquireFrame(&consumer, &resource, &s, 1000000);
        if (got && fixed) {
            break; // no frame: the stream is EGL_STREAM_STATE_DISCONNECTED_KHR
        }
        if (resource) {
            OK(cuGraphicsResourceGetMappedEglFrame(&frame, resource, 0, 0));
        }
        sum<<<64, 64>>>((const unsigned char *)frame.frame.pPitch[0], out);
        if (cudaDeviceSynchronize()) {
            break;
        }
        if (resource) {
            OK(cuEGLStreamConsumerReleaseFrame(&consumer, resource, &s));
        }
        frames++;
    }
    printf("%u frames\n", frames);
    return frames != 2;
}
