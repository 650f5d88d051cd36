/* SPDX-License-Identifier: MIT */
/* What a frame of the camera costs, in copies of its bytes: bench/camera.sh. camera [FRAMES] */
#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda.h>
#include <cudaEGL.h>
#include <cuda_runtime.h>
#include <nvbufsurface.h>
#include <sys/resource.h>
#include <vtegra/camera.h>

#define W 1920
#define H 1080
#define BYTES (W * H * 3 / 2)
#define CHECK(call)                                                   \
    do {                                                              \
        int r_ = (int)(call);                                         \
        if (r_) {                                                     \
            printf("%s:%d: %s: %d\n", __FILE__, __LINE__, #call, r_); \
            exit(2);                                                  \
        }                                                             \
    } while (0)

/* Of the processor, by the program: in ms. */
static double used(void)
{
    struct rusage u;

    getrusage(RUSAGE_SELF, &u);
    return (u.ru_utime.tv_sec + u.ru_stime.tv_sec) * 1e3 +
           (u.ru_utime.tv_usec + u.ru_stime.tv_usec) * 1e-3;
}

/* Between four pairs of buffers in turn, as many as the camera has: no copy finds its bytes in the
 * caches next to the core. */
static double copy_ms(void)
{
    char *at = (char *)malloc((size_t)BYTES * 8);
    double best = 1e9;

    memset(at, 1, (size_t)BYTES * 8);
    for (int k = 0; k < 10; k++) {
        double t = used();

        for (int i = 0; i < 40; i++) {
            memcpy(at + (size_t)BYTES * (i % 4), at + (size_t)BYTES * (4 + i % 4), BYTES);
            __asm__ volatile("" : : "r"(at) : "memory");
        }
        t = (used() - t) / 40;
        best = t < best ? t : best;
    }
    free(at);
    return best;
}

/* Frames are measured in ten parts, as copies are: the least of them has nothing of other programs. */
#define PARTS 10

static double camera_ms(EGLDisplay display, int frames)
{
    EGLStreamKHR stream =
        ((PFNEGLCREATESTREAMKHRPROC)eglGetProcAddress("eglCreateStreamKHR"))(display, NULL);
    CUeglStreamConnection consumer;
    vtegraCamera camera;
    double begin = 0, best = 1e9;
    int part = frames / PARTS;

    CHECK(cuEGLStreamConsumerConnect(&consumer, stream));
    CHECK(vtegraCameraConnect(&camera, stream, W, H));
    for (int i = -5; i < part * PARTS; i++) {
        CUgraphicsResource resource;
        CUstream s = NULL;

        begin = i >= 0 && i % part == 0 ? used() : begin;
        CHECK(cuEGLStreamConsumerAcquireFrame(&consumer, &resource, &s, 1000000));
        CHECK(cuEGLStreamConsumerReleaseFrame(&consumer, resource, &s));
        if (i >= 0 && i % part == part - 1) {
            double t = (used() - begin) / part;

            best = t < best ? t : best;
        }
    }
    CHECK(vtegraCameraDisconnect(camera));
    return best;
}

/* A surface as CUDA has it is the surface's own memory: what the CPU stores, CUDA finds without a
 * copy between. @times: wider and higher */
static double surface_ms(int frames, unsigned times)
{
    NvBufSurfaceCreateParams params;
    NvBufSurface *surface;
    double begin, sum = 0, best = 1e9;
    int part = frames / PARTS;

    memset(&params, 0, sizeof(params));
    params.width = W * times;
    params.height = H * times;
    params.layout = NVBUF_LAYOUT_PITCH;
    params.colorFormat = NVBUF_COLOR_FORMAT_NV12;
    CHECK(NvBufSurfaceCreate(&surface, 1, &params));
    surface->numFilled = 1;
    CHECK(NvBufSurfaceMap(surface, 0, 0, NVBUF_MAP_READ_WRITE));
    for (int i = 0; i < frames; i++) {
        unsigned char *cpu = (unsigned char *)surface->surfaceList[0].mappedAddr.addr[0], got = 0;
        CUgraphicsResource resource;
        CUeglFrame f;

        *cpu = (unsigned char)i;
        CHECK(NvBufSurfaceSyncForDevice(surface, 0, 0));
        begin = used(); /* maintenance of the CPU's caches is the program's */
        CHECK(NvBufSurfaceMapEglImage(surface, 0));
        CHECK(
            cuGraphicsEGLRegisterImage(&resource, surface->surfaceList[0].mappedAddr.eglImage, 0));
        CHECK(cuGraphicsResourceGetMappedEglFrame(&f, resource, 0, 0));
        CHECK(cuMemcpyDtoH(&got, (CUdeviceptr)f.frame.pPitch[0], 1));
        CHECK(got != (unsigned char)i);
        CHECK(cuGraphicsUnregisterResource(resource));
        CHECK(NvBufSurfaceUnMapEglImage(surface, 0));
        sum += used() - begin;
        if (i % part == part - 1) {
            best = sum / part < best ? sum / part : best;
            sum = 0;
        }
    }
    CHECK(NvBufSurfaceUnMap(surface, 0, 0));
    CHECK(NvBufSurfaceDestroy(surface));
    return best;
}

int main(int argc, char **argv)
{
    int frames = argc > 1 && atoi(argv[1]) >= PARTS ? atoi(argv[1]) : 300;
    EGLDisplay display = eglGetDisplay(EGL_DEFAULT_DISPLAY);
    double copy = copy_ms(), camera, surface, large;

    CHECK(!eglInitialize(display, NULL, NULL));
    CHECK(cudaFree(0));
    camera = camera_ms(display, frames);
    surface = surface_ms(frames, 1);
    large = surface_ms(frames, 2);
    printf("a copy of the frame's bytes         %7.3f ms\n", copy);
    printf("a frame of the camera to CUDA       %7.3f ms  %6.2f copies\n", camera, camera / copy);
    printf("a frame by NvBufSurface and EGLImage %6.3f ms  %6.2f copies\n", surface,
           surface / copy);
    printf("the same with four times the bytes   %6.3f ms  %6.2f copies\n", large,
           large / (4 * copy));
    return camera > 4 * copy || surface > copy;
}
