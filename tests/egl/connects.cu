/* SPDX-License-Identifier: MIT */
/* connects N: N streams are made, connected at both ends, and left; each tenth has a frame on its
 * way. Prints whether the process has become larger by more than 512 KiB since the first twentieth.
 */
#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_egl_interop.h>
#include <cuda_runtime.h>
#include <unistd.h>

#define CHECK(call)                                                              \
    do {                                                                         \
        int r_ = (int)(call);                                                    \
        if (r_) {                                                                \
            fprintf(stderr, "%s:%d: %s: 0x%x\n", __FILE__, __LINE__, #call, r_); \
            exit(2);                                                             \
        }                                                                        \
    } while (0)

static EGLDisplay display;
static PFNEGLCREATESTREAMKHRPROC stream_create;
static PFNEGLDESTROYSTREAMKHRPROC stream_destroy;
static cudaEglFrame frame;

static long resident_kib(void)
{
    long size, resident;
    FILE *f = fopen("/proc/self/statm", "r");

    CHECK(!f || fscanf(f, "%ld %ld", &size, &resident) != 2);
    fclose(f);
    return resident * (sysconf(_SC_PAGESIZE) / 1024);
}

static void stream(unsigned i)
{
    EGLStreamKHR s = stream_create(display, NULL);
    cudaEglStreamConnection producer, consumer;
    cudaGraphicsResource_t resource;

    CHECK(s == EGL_NO_STREAM_KHR);
    CHECK(cudaEGLStreamConsumerConnect(&consumer, s));
    CHECK(cudaEGLStreamProducerConnect(&producer, s, 16, 16));
    if (i % 10 == 0) {
        CHECK(cudaEGLStreamProducerPresentFrame(&producer, frame, NULL));
        CHECK(cudaEGLStreamConsumerAcquireFrame(&consumer, &resource, NULL, 0));
    }
    CHECK(i % 2 ? cudaEGLStreamConsumerDisconnect(&consumer)
                : cudaEGLStreamProducerDisconnect(&producer));
    CHECK(!stream_destroy(display, s));
    CHECK(i % 2 ? cudaEGLStreamProducerDisconnect(&producer)
                : cudaEGLStreamConsumerDisconnect(&consumer));
}

static void up(void)
{
    display = eglGetDisplay(EGL_DEFAULT_DISPLAY);
    CHECK(!eglInitialize(display, NULL, NULL));
    stream_create = (PFNEGLCREATESTREAMKHRPROC)eglGetProcAddress("eglCreateStreamKHR");
    stream_destroy = (PFNEGLDESTROYSTREAMKHRPROC)eglGetProcAddress("eglDestroyStreamKHR");
    memset(&frame, 0, sizeof(frame));
    frame.planeCount = 1;
    frame.eglColorFormat = cudaEglColorFormatARGB;
    frame.frameType = cudaEglFrameTypePitch;
    frame.planeDesc[0] = { 16, 16, 0, 64, 4, { 8, 8, 8, 8, cudaChannelFormatKindUnsigned }, {} };
    CHECK(cudaMalloc(&frame.frame.pPitch[0].ptr, 64 * 16));
}

int main(int argc, char **argv)
{
    unsigned n = argc > 1 ? (unsigned)atoi(argv[1]) : 0;
    long before = 0, after;

    up();
    for (unsigned i = 0; i < n; i++) {
        if (i == n / 20) {
            before = resident_kib();
        }
        stream(i);
    }
    after = resident_kib();
    fprintf(stderr, "resident: %ld KiB, then %ld KiB\n", before, after);
    printf("larger: %d\n", after - before > 512);
    return 0;
}
