// SPDX-License-Identifier: MIT
// Camera, CUDA filter, CUDA consumer over two EGLStreams; README.md says what the argument leaves
// out.
#include "filter.h"

__global__ void filter(const unsigned char *in, unsigned pitch, unsigned char *out)
{
    unsigned x = threadIdx.x, y = blockIdx.x;

    out[y * W + x] = y < TOP ? 0 : 255 - in[y * pitch + x]; // MARK filter
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
            s += filtered_luma(x, y, number);
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

int main(int argc, char **argv)
{
    const char *without = argc > 1 ? argv[1] : "";
    filter_stage<unsigned char> stage;
    CUeglStreamConnection consumer;
    EGLStreamKHR raw, filtered;
    cudaStream_t consumes, other;
    unsigned *total, bad = 0;

    display_open();
    raw = stream_new();
    filtered = stream_new();
    OK(cudaStreamCreateWithFlags(&consumes, cudaStreamNonBlocking));
    OK(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
    OK(cudaHostAlloc(&total, FRAMES * sizeof(*total), cudaHostAllocMapped));
    memset(total, 0, FRAMES * sizeof(*total));
    filter_open(&stage, raw);
    OK(cuEGLStreamConsumerConnect(&consumer, filtered));
    filter_connect(&stage, filtered);

    for (int i = 0; i < FRAMES; i++) {
        unsigned number = filter_frame(&stage, filter, i, without);
        CUgraphicsResource resource;
        CUstream c = consumes;
        CUeglFrame out;

        OK(cuEGLStreamConsumerAcquireFrame(&consumer, &resource, &c, 1000000));
        OK(cuGraphicsResourceGetMappedEglFrame(&out, resource, 0, 0));
        sum<<<H - TOP, W, 0, strcmp(without, "acquire") ? consumes : other>>>(
            (const unsigned char *)out.frame.pPitch[0], &total[i]);
        OK(cuEGLStreamConsumerReleaseFrame(&consumer, resource, &c));
        if (strcmp(without, "wait")) {
            OK(cudaStreamSynchronize(strcmp(without, "acquire") ? consumes : other));
        }
        bad += total[i] != expected(number); // MARK read
    }
    return filter_close(&stage, bad);
}
