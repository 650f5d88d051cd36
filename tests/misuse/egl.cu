/* SPDX-License-Identifier: MIT */
/* Cases 1 to 17, mistakes with EGLStreams, each with its corrected twin: egl CASE wrong|right. */
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

__global__ void copy(unsigned *to, const unsigned *from)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    to[i] = from[i];
}

static EGLDisplay display;
static EGLStreamKHR stream;
static cudaEglStreamConnection producer, consumer;
static cudaStream_t streams[2]; /* the producer's, the consumer's */
static cudaEglFrame frames[65];
static unsigned *out;
static bool fixed;

static cudaEglFrame frame_new(bool pinned)
{
    cudaEglFrame f;
    void *p;

    memset(&f, 0, sizeof(f));
    CHECK(pinned ? cudaMallocHost(&p, BYTES) : cudaMalloc(&p, BYTES));
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

static unsigned *pixels(const cudaEglFrame &f)
{
    return (unsigned *)f.frame.pPitch[0].ptr;
}

static void up(const EGLint *attributes)
{
    PFNEGLCREATESTREAMKHRPROC create =
        (PFNEGLCREATESTREAMKHRPROC)eglGetProcAddress("eglCreateStreamKHR");

    display = eglGetDisplay(EGL_DEFAULT_DISPLAY);
    if (!eglInitialize(display, NULL, NULL) || !create) {
        printf("no EGL\n");
        exit(3);
    }
    stream = create(display, attributes);
    CHECK(cudaStreamCreateWithFlags(&streams[0], cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithFlags(&streams[1], cudaStreamNonBlocking));
    CHECK(cudaMalloc((void **)&out, BYTES));
}

static void connect(void)
{
    CHECK(cudaEGLStreamConsumerConnect(&consumer, stream));
    CHECK(cudaEGLStreamProducerConnect(&producer, stream, W, H));
}

static void present(int i)
{
    fill<<<W * H / 256, 256, 0, streams[0]>>>(pixels(frames[i]), i + 1);
    CHECK(cudaEGLStreamProducerPresentFrame(&producer, frames[i], &streams[0]));
}

static cudaGraphicsResource_t acquire(void)
{
    cudaGraphicsResource_t resource;

    CHECK(cudaEGLStreamConsumerAcquireFrame(&consumer, &resource, &streams[1], 0));
    return resource;
}

static void read_frame(int i)
{
    copy<<<W * H / 256, 256, 0, streams[1]>>>(out, pixels(frames[i]));
}

static void release(cudaGraphicsResource_t resource)
{
    CHECK(cudaEGLStreamConsumerReleaseFrame(&consumer, resource, &streams[1]));
}

static cudaError_t collect(void)
{
    cudaEglFrame f;

    return cudaEGLStreamProducerReturnFrame(&producer, &f, &streams[0]);
}

static void down(void)
{
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaEGLStreamConsumerDisconnect(&consumer));
    CHECK(cudaEGLStreamProducerDisconnect(&producer));
}

static const EGLint no_reuse[] = { EGL_SUPPORT_REUSE_NV, EGL_FALSE, EGL_NONE };
static const EGLint fifo[] = { EGL_STREAM_FIFO_LENGTH_KHR, 70, EGL_NONE };

static cudaError_t order(void)
{
    cudaError_t e = fixed ? cudaSuccess : cudaEGLStreamProducerConnect(&producer, stream, W, H);

    connect();
    down();
    return e;
}

static cudaError_t second(void)
{
    cudaEglStreamConnection other;
    cudaError_t e;

    connect();
    e = fixed ? cudaSuccess : cudaEGLStreamConsumerConnect(&other, stream);
    down();
    return e;
}

static cudaError_t size(void)
{
    connect();
    frames[0].planeDesc[0].height = fixed ? H : H / 2;
    present(0);
    down();
    return cudaSuccess;
}

static cudaError_t many(void)
{
    cudaError_t e = cudaSuccess;

    connect();
    for (int i = 0; i < (fixed ? 64 : 65) && e == cudaSuccess; i++) {
        frames[i] = frame_new(false);
        e = cudaEGLStreamProducerPresentFrame(&producer, frames[i], &streams[0]);
    }
    down();
    return e;
}

static cudaError_t written(void)
{
    cudaGraphicsResource_t resource;

    connect();
    present(0);
    resource = acquire();
    fill<<<W * H / 256, 256, 0, streams[1]>>>(fixed ? out : pixels(frames[0]), 7);
    release(resource);
    down();
    return cudaSuccess;
}

static cudaError_t released(void)
{
    cudaGraphicsResource_t resource;

    connect();
    present(0);
    resource = acquire();
    if (fixed) {
        read_frame(0);
    }
    release(resource);
    if (!fixed) {
        read_frame(0);
    }
    down();
    return cudaSuccess;
}

static cudaError_t twice(void)
{
    cudaGraphicsResource_t resource;
    cudaError_t e = cudaSuccess;

    connect();
    present(0);
    resource = acquire();
    release(resource);
    if (!fixed) {
        e = cudaEGLStreamConsumerReleaseFrame(&consumer, resource, &streams[1]);
    }
    down();
    return e;
}

static cudaError_t freed(void)
{
    connect();
    present(0);
    if (fixed) {
        down();
    }
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaFree(pixels(frames[0])));
    if (!fixed) {
        down();
    }
    return cudaSuccess;
}

static cudaError_t rewritten(void)
{
    cudaGraphicsResource_t resource;

    connect();
    present(0);
    resource = acquire();
    read_frame(0);
    if (!fixed) {
        fill<<<W * H / 256, 256, 0, streams[0]>>>(pixels(frames[0]), 2);
    }
    release(resource);
    if (fixed) {
        CHECK(collect());
        fill<<<W * H / 256, 256, 0, streams[0]>>>(pixels(frames[0]), 2);
    }
    down();
    return cudaSuccess;
}

static cudaError_t pinned(void)
{
    cudaError_t e = cudaSuccess;

    connect();
    present(0);
    release(acquire());
    for (int i = 0; i < 3; i++) {
        e = collect();
        if (fixed) {
            break;
        }
    }
    down();
    return e;
}

static cudaError_t repeated(void)
{
    connect();
    present(0);
    release(acquire());
    if (fixed) {
        present(1);
    }
    release(acquire());
    down();
    return cudaSuccess;
}

static cudaError_t context(void)
{
    cudaError_t e = cudaSuccess;

    connect();
    present(0);
    CHECK(cudaDeviceSynchronize());
    if (fixed) {
        down();
    }
    CHECK(cudaDeviceReset());
    if (!fixed) {
        CHECK(cudaFree(0));
        e = cudaEGLStreamProducerPresentFrame(&producer, frames[1], NULL);
    }
    return e;
}

static cudaError_t disconnected(void)
{
    PFNEGLSTREAMATTRIBKHRPROC attribute =
        (PFNEGLSTREAMATTRIBKHRPROC)eglGetProcAddress("eglStreamAttribKHR");

    connect();
    if (!fixed) {
        down();
    }
    if (!attribute(display, stream, EGL_CONSUMER_LATENCY_USEC_KHR, 5)) {
        printf("EGL error 0x%x ", eglGetError());
    }
    if (fixed) {
        down();
    }
    return cudaSuccess;
}

static cudaError_t discarded(void)
{
    connect();
    present(0);
    if (fixed) {
        release(acquire());
    }
    present(1);
    down();
    return cudaSuccess;
}

static cudaError_t early(void)
{
    unsigned sum = 0;

    frames[0] = frame_new(true);
    connect();
    present(0);
    acquire(); /* the GPU waits, the CPU does not */
    if (fixed) {
        CHECK(cudaStreamSynchronize(streams[1]));
    }
    for (int i = 0; i < W * H; i++) {
        sum += pixels(frames[0])[i];
    }
    down();
    return sum == W * H ? cudaSuccess : cudaErrorInvalidValue;
}

/* Array frames of another GPU: CUDA for Tegra 5.1.5. A Tegra has one, so the end is refused where
 * the program chooses its GPU. */
static cudaError_t second_gpu(void)
{
    cudaError_t e;

    connect();
    present(0);
    e = cudaSetDevice(fixed ? 0 : 1);
    if (!e) {
        release(acquire());
    }
    down();
    return e;
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        cudaError_t (*run)(void);
        const EGLint *attributes;
    } cases[] = {
        { "order", order, NULL },
        { "second", second, NULL },
        { "size", size, NULL },
        { "many", many, fifo },
        { "written", written, NULL },
        { "released", released, NULL },
        { "twice", twice, NULL },
        { "freed", freed, NULL },
        { "rewritten", rewritten, no_reuse },
        { "repeated", repeated, NULL },
        { "context", context, NULL },
        { "disconnected", disconnected, NULL },
        { "discarded", discarded, NULL },
        { "early", early, NULL },
        { "second_gpu", second_gpu, NULL },
    };

    fixed = argc > 2 && strcmp(argv[2], "right") == 0;
    if (argc > 2 && strcmp(argv[1], "pinned") == 0) {
        up(fixed ? no_reuse : NULL);
        frames[0] = frame_new(false);
        printf("pinned %s\n", cudaGetErrorName(pinned()));
        return 0;
    }
    for (size_t i = 0; argc > 2 && i < sizeof(cases) / sizeof(cases[0]); i++) {
        if (strcmp(argv[1], cases[i].name) == 0) {
            up(cases[i].attributes);
            frames[0] = frame_new(false);
            frames[1] = frame_new(false);
            printf("%s %s\n", argv[1], cudaGetErrorName(cases[i].run()));
            return 0;
        }
    }
    return 4;
}
