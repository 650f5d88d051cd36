// SPDX-License-Identifier: MIT
// unhooked_frames wrong|right: the consumer of an EGLStream, built without hooks, reads with the CPU the frame that it has
// mapped; the producer's kernel, which writes the frame, is waited for by the consumer's stream alone, or by the CPU, too.
// unhooked_frames presented|rewritten|returned: the producer writes the frame with the CPU when it has presented it; while the consumer's
// kernel reads it; or when the frame has come back and its stream was waited for.
#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_egl_interop.h>
#include <cuda_runtime.h>

#define W 64
#define H 16
#define BYTES (W * H * 4)

#define CHECK(call)                                          \
    do {                                                     \
        cudaError_t e_ = (call);                             \
        if (e_ != cudaSuccess) {                             \
            printf("%s: %s\n", #call, cudaGetErrorName(e_)); \
            exit(2);                                         \
        }                                                    \
    } while (0)

__global__ void fill(unsigned *p, unsigned value)
{
    p[blockIdx.x * blockDim.x + threadIdx.x] = value;
}

__global__ void add_up(const unsigned *p, unsigned *sum)
{
    *sum = 0;
    for (int i = 0; i < W * H; i++) {
        *sum += p[i];
    }
}

static cudaEglFrame frame_of(void *p)
{
    cudaEglFrame f;

    memset(&f, 0, sizeof(f));
    f.frame.pPitch[0] = make_cudaPitchedPtr(p, W * 4, W, H);
    f.planeDesc[0].width = W;
    f.planeDesc[0].height = H;
    f.planeDesc[0].pitch = W * 4;
    f.planeDesc[0].numChannels = 4;
    f.planeDesc[0].channelDesc = cudaCreateChannelDesc(8, 8, 8, 8, cudaChannelFormatKindUnsigned);
    f.planeCount = 1;
    f.frameType = cudaEglFrameTypePitch;
    f.eglColorFormat = cudaEglColorFormatARGB;
    return f;
}

static cudaEglStreamConnection producer, consumer;
static cudaStream_t streams[2];

// The consumer's kernel reads a frame of sevens.
static int producers_cpu(unsigned *memory, bool fixed, bool presented)
{
    cudaEglFrame frame = frame_of(memory);
    cudaGraphicsResource_t resource;
    unsigned *sum, seen;

    CHECK(cudaMalloc((void **)&sum, sizeof(*sum)));
    fill<<<W * H / 256, 256, 0, streams[0]>>>(memory, 7);
    CHECK(cudaStreamSynchronize(streams[0]));
    CHECK(cudaEGLStreamProducerPresentFrame(&producer, frame, &streams[0]));
    seen = memory[W]; // reading is right
    if (presented) {
        ((volatile unsigned *)memory)[W] = seen; // PRESENTED
    }
    CHECK(cudaEGLStreamConsumerAcquireFrame(&consumer, &resource, &streams[1], 0));
    CHECK(cudaGraphicsResourceGetMappedEglFrame(&frame, resource, 0, 0));
    add_up<<<1, 1, 0, streams[1]>>>((const unsigned *)frame.frame.pPitch[0].ptr, sum);
    if (!fixed && !presented) {
        memory[W] = 8; // REWRITTEN
    }
    CHECK(cudaEGLStreamConsumerReleaseFrame(&consumer, resource, &streams[1]));
    CHECK(cudaEGLStreamProducerReturnFrame(&producer, &frame, &streams[0]));
    CHECK(cudaStreamSynchronize(streams[0]));
    if (fixed) {
        memory[W] = 8;
    }
    CHECK(cudaMemcpy(&seen, sum, sizeof(seen), cudaMemcpyDeviceToHost));
    CHECK(cudaEGLStreamConsumerDisconnect(&consumer));
    CHECK(cudaEGLStreamProducerDisconnect(&producer));
    printf("%u\n", seen);
    return fixed && seen != 7 * W * H;
}

static const EGLint no_reuse[] = { EGL_SUPPORT_REUSE_NV, EGL_FALSE, EGL_NONE };

int main(int argc, char **argv)
{
    bool fixed = argc > 1 && strcmp(argv[1], "right") == 0;
    EGLDisplay display = eglGetDisplay(EGL_DEFAULT_DISPLAY);
    PFNEGLCREATESTREAMKHRPROC create = (PFNEGLCREATESTREAMKHRPROC)eglGetProcAddress("eglCreateStreamKHR");
    cudaGraphicsResource_t resource;
    cudaEglFrame frame, mapped;
    EGLStreamKHR stream;
    unsigned seen;
    void *memory;

    if (!eglInitialize(display, NULL, NULL) || !create) {
        printf("no EGL\n");
        return 3;
    }
    stream = create(display, no_reuse);
    CHECK(cudaStreamCreateWithFlags(&streams[0], cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithFlags(&streams[1], cudaStreamNonBlocking));
    CHECK(cudaEGLStreamConsumerConnect(&consumer, stream));
    CHECK(cudaEGLStreamProducerConnect(&producer, stream, W, H));
    CHECK(cudaMallocHost(&memory, BYTES));
    memset(memory, 0, BYTES);
    if (argc > 1 && strchr("rp", argv[1][0]) && strcmp(argv[1], "right") != 0) {
        return producers_cpu((unsigned *)memory, strcmp(argv[1], "returned") == 0, argv[1][0] == 'p');
    }
    frame = frame_of(memory);
    fill<<<W * H / 256, 256, 0, streams[0]>>>((unsigned *)memory, 7);
    CHECK(cudaEGLStreamProducerPresentFrame(&producer, frame, &streams[0]));
    CHECK(cudaEGLStreamConsumerAcquireFrame(&consumer, &resource, &streams[1], 0));
    CHECK(cudaGraphicsResourceGetMappedEglFrame(&mapped, resource, 0, 0));
    if (fixed) {
        CHECK(cudaStreamSynchronize(streams[1]));
    }
    seen = ((volatile unsigned *)mapped.frame.pPitch[0].ptr)[W]; // READ
    CHECK(cudaEGLStreamConsumerReleaseFrame(&consumer, resource, &streams[1]));
    CHECK(cudaEGLStreamProducerReturnFrame(&producer, &frame, &streams[0]));
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaEGLStreamConsumerDisconnect(&consumer));
    CHECK(cudaEGLStreamProducerDisconnect(&producer));
    printf("%u\n", seen);
    return fixed && seen != 7;
}
