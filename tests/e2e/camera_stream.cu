/* SPDX-License-Identifier: MIT */
/* The camera as producer of an EGLStream: numbers and ages of frames that a CUDA consumer gets, in
 * time, late, and again. camera_stream [early]: early: the CPU does not wait for the kernel before
 * it releases the frame and reads its result */
#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda.h>
#include <cudaEGL.h>
#include <cuda_runtime.h>
#include <vtegra/camera.h>

#define W 64
#define H 64
#define CHECK(call)                                                   \
    do {                                                              \
        int r_ = (int)(call);                                         \
        if (r_) {                                                     \
            printf("%s:%d: %s: %d\n", __FILE__, __LINE__, #call, r_); \
            exit(2);                                                  \
        }                                                             \
    } while (0)

static EGLStreamKHR stream_new(void)
{
    PFNEGLQUERYDEVICESEXTPROC devices =
        (PFNEGLQUERYDEVICESEXTPROC)eglGetProcAddress("eglQueryDevicesEXT");
    PFNEGLCREATESTREAMKHRPROC create =
        (PFNEGLCREATESTREAMKHRPROC)eglGetProcAddress("eglCreateStreamKHR");
    EGLDeviceEXT device;
    EGLint n = 0;
    EGLDisplay display;

    CHECK(!devices(1, &device, &n) || n < 1);
    display = eglGetPlatformDisplay(EGL_PLATFORM_DEVICE_EXT, device, NULL);
    CHECK(!eglInitialize(display, NULL, NULL));
    return create(display, NULL);
}

/* Bytes of luma, below the strip with the number, that are not frame @number's (docs/frames.md). */
__global__ void compare(const unsigned char *luma, unsigned pitch, unsigned number, unsigned *wrong)
{
    unsigned x = threadIdx.x, y = blockIdx.x + 16;

    if (luma[y * pitch + x] != 16 + (x + y + 4 * number) % 220) {
        atomicAdd(wrong, 1);
    }
}

__global__ void work(unsigned *out)
{
    unsigned x = 1;

    for (int i = 0; i < 1500000; i++) {
        x = x * 1664525 + 1013904223;
    }
    *out = x;
}

static CUeglStreamConnection consumer;
static vtegraCamera camera;
static unsigned *wrong, *sink;

/* One frame: its number. */
static unsigned long long frame(unsigned timeout_us, bool early)
{
    CUgraphicsResource resource;
    vtegraCameraFrame info;
    CUstream s = NULL;
    CUeglFrame f;

    CHECK(cuEGLStreamConsumerAcquireFrame(&consumer, &resource, &s, timeout_us));
    CHECK(cuGraphicsResourceGetMappedEglFrame(&f, resource, 0, 0));
    CHECK(f.width != W || f.height != H ||
          f.eglColorFormat != CU_EGL_COLOR_FORMAT_YUV420_SEMIPLANAR);
    CHECK(vtegraCameraFrameGet(camera, f.frame.pPitch[0], &info));
    compare<<<H - 16, W>>>((const unsigned char *)f.frame.pPitch[0], f.pitch, (unsigned)info.number,
                           wrong);
    if (!early) {
        CHECK(cudaDeviceSynchronize());
    }
    CHECK(cuEGLStreamConsumerReleaseFrame(&consumer, resource, &s));
    printf("frame %llu, %s\n", info.number, info.age_ns < 1000000 ? "fresh" : "late");
    return info.number;
}

int main(int argc, char **argv)
{
    bool early = argc > 1 && strcmp(argv[1], "early") == 0;
    EGLStreamKHR stream = stream_new();
    unsigned long long first, next, again;
    unsigned *bad;

    CHECK(cudaMallocManaged(&wrong, sizeof(*wrong)));
    CHECK(cudaMallocManaged(&sink, sizeof(*sink)));
    *wrong = 0;
    CHECK(vtegraCameraConnect(&camera, stream, W, H) == CUDA_SUCCESS); /* no consumer yet */
    CHECK(cuEGLStreamConsumerConnect(&consumer, stream));
    CHECK(vtegraCameraConnect(&camera, stream, W, 3) != CUDA_ERROR_INVALID_VALUE);
    CHECK(vtegraCameraConnect(NULL, stream, W, H) != CUDA_ERROR_INVALID_VALUE);
    CHECK(vtegraCameraConnect(&camera, stream, W, H));
    first = frame(1000000, early);
    CHECK(first != 0);
    CHECK(frame(1000000, early) != 1);
    CHECK(frame(1000000, early) != 2);
    work<<<1, 1>>>(sink); /* several periods long: the mailbox keeps the newest */
    CHECK(cudaDeviceSynchronize());
    next = frame(1000000, early);
    printf("%llu frames dropped\n", next - 3);
    CHECK(next == 3);
    next = frame(1000000, early);
    again = frame(0, early); /* none is new yet */
    printf("%s\n", again == next ? "again the same" : "a new one");
    CHECK(vtegraCameraFrameGet(camera, &first, NULL) != CUDA_ERROR_INVALID_VALUE);
    CHECK(cudaDeviceSynchronize());
    bad = wrong;
    printf("%u wrong\n", *bad);
    CHECK(vtegraCameraDisconnect(camera));
    CHECK(vtegraCameraDisconnect(camera) != CUDA_ERROR_INVALID_HANDLE);
    CHECK(cuEGLStreamConsumerDisconnect(&consumer));
    return *bad != 0;
}
