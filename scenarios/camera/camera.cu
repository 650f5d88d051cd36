// SPDX-License-Identifier: MIT
// Camera, CUDA filter, CUDA consumer over two EGLStreams; README.md says what the argument leaves
// out.
#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda.h>
#include <cudaEGL.h>
#include <cuda_runtime.h>
#include <vtegra/camera.h>

enum { W = 64, H = 64, TOP = 16, FRAMES = 3, RING = 2 };

#define OK(call)                                                      \
    do {                                                              \
        int r_ = (int)(call);                                         \
        if (r_) {                                                     \
            printf("%s:%d: %s: %d\n", __FILE__, __LINE__, #call, r_); \
            exit(2);                                                  \
        }                                                             \
    } while (0)

// Below the strip with the frame's number.
__global__ void filter(const unsigned char *in, unsigned pitch, unsigned char *out)
{
    unsigned x = threadIdx.x, y = blockIdx.x + TOP;

    out[y * W + x] = 255 - in[y * pitch + x]; // MARK filter
}

__global__ void sum(const unsigned char *in, unsigned *out)
{
    atomicAdd(out, in[(blockIdx.x + TOP) * W + threadIdx.x]); // MARK sum
}

static unsigned expected(unsigned number)
{
    unsigned s = 0;

    for (unsigned y = TOP; y < H; y++) {
        for (unsigned x = 0; x < W; x++) {
            s += 255 - (16 + (x + y + 4 * number) % 220);
        }
    }
    return s;
}

static EGLDisplay display;

static void display_open(void)
{
    PFNEGLQUERYDEVICESEXTPROC devices =
        (PFNEGLQUERYDEVICESEXTPROC)eglGetProcAddress("eglQueryDevicesEXT");
    EGLDeviceEXT device;
    EGLint n = 0;

    OK(!devices(1, &device, &n) || n < 1);
    display = eglGetPlatformDisplay(EGL_PLATFORM_DEVICE_EXT, device, NULL);
    OK(!eglInitialize(display, NULL, NULL));
}

static EGLStreamKHR stream_new(void)
{
    PFNEGLCREATESTREAMKHRPROC create =
        (PFNEGLCREATESTREAMKHRPROC)eglGetProcAddress("eglCreateStreamKHR");

    return create(display, NULL);
}

static CUeglFrame filtered_frame(unsigned char *at)
{
    CUeglFrame f;

    memset(&f, 0, sizeof(f));
    f.frame.pPitch[0] = at;
    f.width = f.pitch = W;
    f.height = H;
    f.planeCount = f.numChannels = 1;
    f.frameType = CU_EGL_FRAME_TYPE_PITCH;
    f.eglColorFormat = CU_EGL_COLOR_FORMAT_L;
    f.cuFormat = CU_AD_FORMAT_UNSIGNED_INT8;
    return f;
}

int main(int argc, char **argv)
{
    const char *without = argc > 1 ? argv[1] : "";
    CUeglStreamConnection from_camera, to_consumer, consumer;
    EGLStreamKHR raw, filtered;
    cudaStream_t filters, consumes, other;
    unsigned char *ring[RING];
    unsigned *total, bad = 0;
    vtegraCamera camera;

    display_open();
    raw = stream_new();
    filtered = stream_new();
    OK(cudaStreamCreateWithFlags(&filters, cudaStreamNonBlocking));
    OK(cudaStreamCreateWithFlags(&consumes, cudaStreamNonBlocking));
    OK(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
    for (int i = 0; i < RING; i++) {
        OK(cudaMalloc(&ring[i], W * H));
        OK(cudaMemset(ring[i], 0, W * H));
    }
    OK(cudaHostAlloc(&total, FRAMES * sizeof(*total), cudaHostAllocMapped));
    memset(total, 0, FRAMES * sizeof(*total));
    OK(cudaDeviceSynchronize());
    OK(cuEGLStreamConsumerConnect(&from_camera, raw));
    OK(vtegraCameraConnect(&camera, raw, W, H));
    OK(cuEGLStreamConsumerConnect(&consumer, filtered));
    OK(cuEGLStreamProducerConnect(&to_consumer, filtered, W, H));

    for (int i = 0; i < FRAMES; i++) {
        CUgraphicsResource resource;
        vtegraCameraFrame info;
        CUeglFrame in, out = filtered_frame(ring[i % RING]), back;
        CUstream s = filters, c = consumes;

        // The filter.
        OK(cuEGLStreamConsumerAcquireFrame(&from_camera, &resource, &s, 1000000));
        OK(cuGraphicsResourceGetMappedEglFrame(&in, resource, 0, 0));
        OK(vtegraCameraFrameGet(camera, in.frame.pPitch[0], &info));
        if (i >= RING) {
            OK(cuEGLStreamProducerReturnFrame(&to_consumer, &back, &s));
            out = back;
        }
        if (!strcmp(without, "release")) {
            OK(cuEGLStreamConsumerReleaseFrame(&from_camera, resource, &s));
        }
        if (!strcmp(without, "present")) {
            OK(cuEGLStreamProducerPresentFrame(&to_consumer, out, &s));
        }
        filter<<<H - TOP, W, 0, filters>>>((const unsigned char *)in.frame.pPitch[0], in.pitch,
                                           (unsigned char *)out.frame.pPitch[0]);
        if (strcmp(without, "release")) {
            OK(cuEGLStreamConsumerReleaseFrame(&from_camera, resource, &s));
        }
        if (strcmp(without, "present")) {
            OK(cuEGLStreamProducerPresentFrame(&to_consumer, out, &s));
        }

        // The consumer.
        OK(cuEGLStreamConsumerAcquireFrame(&consumer, &resource, &c, 1000000));
        OK(cuGraphicsResourceGetMappedEglFrame(&out, resource, 0, 0));
        sum<<<H - TOP, W, 0, strcmp(without, "acquire") ? consumes : other>>>(
            (const unsigned char *)out.frame.pPitch[0], &total[i]);
        OK(cuEGLStreamConsumerReleaseFrame(&consumer, resource, &c));
        if (strcmp(without, "wait")) {
            OK(cudaStreamSynchronize(strcmp(without, "acquire") ? consumes : other));
        }
        bad += total[i] != expected((unsigned)info.number); // MARK read
    }
    OK(cudaDeviceSynchronize());
    printf("%u of %d frames wrong\n", bad, FRAMES);
    OK(vtegraCameraDisconnect(camera));
    OK(cuEGLStreamProducerDisconnect(&to_consumer));
    return bad != 0;
}
