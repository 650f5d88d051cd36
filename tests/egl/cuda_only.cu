/* SPDX-License-Identifier: MIT */
/* EGL as CUDA alone needs it, which an EGL without OpenGL has, too: the device and its display, a
 * stream from a kernel to a kernel, and an event as a sync. Prints "sum N" of ten frames; "no_gl":
 * what an EGL without OpenGL says to a program that wants more, one answer a line. */
#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_egl_interop.h>
#include <cuda_runtime.h>

#define W 64
#define H 16
#define FRAMES 10

#define CHECK(call)                                                              \
    do {                                                                         \
        int r_ = (int)(call);                                                    \
        if (r_) {                                                                \
            fprintf(stderr, "%s:%d: %s: 0x%x\n", __FILE__, __LINE__, #call, r_); \
            exit(2);                                                             \
        }                                                                        \
    } while (0)

#define EGL_FUNCTIONS(F)                                       \
    F(PFNEGLQUERYDEVICESEXTPROC, eglQueryDevicesEXT)           \
    F(PFNEGLQUERYDEVICESTRINGEXTPROC, eglQueryDeviceStringEXT) \
    F(PFNEGLQUERYDEVICEATTRIBEXTPROC, eglQueryDeviceAttribEXT) \
    F(PFNEGLCREATESTREAMKHRPROC, eglCreateStreamKHR)           \
    F(PFNEGLDESTROYSTREAMKHRPROC, eglDestroyStreamKHR)         \
    F(PFNEGLQUERYSTREAMKHRPROC, eglQueryStreamKHR)
#define DECLARE(type, name) static type p_##name;
EGL_FUNCTIONS(DECLARE)

static EGLDisplay display;

__global__ void fill(unsigned char *p, unsigned char value)
{
    p[blockIdx.x * blockDim.x + threadIdx.x] = value;
}

__global__ void add(const unsigned char *p, unsigned *sum)
{
    atomicAdd(sum, p[blockIdx.x * blockDim.x + threadIdx.x]);
}

static void up(void)
{
    EGLDeviceEXT devices[4];
    EGLint n = 0, major = 0, minor = 0;
    EGLAttrib cuda = -1;

#define LOAD(type, name)                         \
    p_##name = (type)eglGetProcAddress(#name);   \
    CHECK(!p_##name);
    EGL_FUNCTIONS(LOAD)
    CHECK(!p_eglQueryDevicesEXT(4, devices, &n) || n < 1);
    CHECK(!strstr(p_eglQueryDeviceStringEXT(devices[0], EGL_EXTENSIONS), "EGL_NV_device_cuda"));
    CHECK(!p_eglQueryDeviceAttribEXT(devices[0], EGL_CUDA_DEVICE_NV, &cuda) || cuda != 0);
    display = eglGetPlatformDisplay(EGL_PLATFORM_DEVICE_EXT, devices[0], NULL);
    CHECK(display == EGL_NO_DISPLAY);
    CHECK(p_eglCreateStreamKHR(display, NULL) != EGL_NO_STREAM_KHR ||
          eglGetError() != EGL_NOT_INITIALIZED);
    CHECK(!eglInitialize(display, &major, &minor) || major != 1 || minor != 5);
    CHECK(!strstr(eglQueryString(display, EGL_EXTENSIONS), "EGL_KHR_stream "));
}

/* An event as a sync: the CPU waits for the kernels before it. */
static void sync_wait(cudaStream_t work)
{
    cudaEvent_t event;
    EGLSync sync;

    CHECK(cudaEventCreate(&event));
    CHECK(cudaEventRecord(event, work));
    EGLAttrib list[] = { EGL_CUDA_EVENT_HANDLE_NV, (EGLAttrib)event, EGL_NONE };
    sync = eglCreateSync(display, EGL_SYNC_CUDA_EVENT_NV, list);
    CHECK(sync == EGL_NO_SYNC);
    CHECK(eglClientWaitSync(display, sync, 0, EGL_FOREVER) != EGL_CONDITION_SATISFIED);
    CHECK(!eglDestroySync(display, sync));
    CHECK(cudaEventDestroy(event));
}

static void frames(void)
{
    EGLint state = 0, fifo[] = { EGL_STREAM_FIFO_LENGTH_KHR, 2, EGL_NONE };
    EGLStreamKHR stream = p_eglCreateStreamKHR(display, fifo);
    cudaEglStreamConnection producer, consumer;
    cudaStream_t work;
    cudaEglFrame frame, back;
    unsigned *sum, total = 0;

    CHECK(stream == EGL_NO_STREAM_KHR);
    CHECK(cudaStreamCreateWithFlags(&work, cudaStreamNonBlocking));
    CHECK(cudaEGLStreamConsumerConnect(&consumer, stream));
    CHECK(cudaEGLStreamProducerConnect(&producer, stream, W, H));
    CHECK(cudaMalloc(&sum, sizeof(*sum)));
    CHECK(cudaMemsetAsync(sum, 0, sizeof(*sum), work));
    memset(&frame, 0, sizeof(frame));
    frame.planeCount = 1;
    frame.eglColorFormat = cudaEglColorFormatARGB;
    frame.frameType = cudaEglFrameTypePitch;
    frame.planeDesc[0] = { W, H, 0, W * 4, 4, { 8, 8, 8, 8, cudaChannelFormatKindUnsigned }, {} };
    for (unsigned i = 0; i < FRAMES; i++) {
        cudaGraphicsResource_t resource;

        CHECK(cudaMalloc(&frame.frame.pPitch[0].ptr, W * H * 4));
        fill<<<H, W * 4, 0, work>>>((unsigned char *)frame.frame.pPitch[0].ptr,
                                    (unsigned char)(i + 1));
        CHECK(cudaEGLStreamProducerPresentFrame(&producer, frame, &work));
        CHECK(cudaEGLStreamConsumerAcquireFrame(&consumer, &resource, &work, 1000000));
        CHECK(cudaGraphicsResourceGetMappedEglFrame(&back, resource, 0, 0));
        add<<<H, W * 4, 0, work>>>((const unsigned char *)back.frame.pPitch[0].ptr, sum);
        CHECK(cudaEGLStreamConsumerReleaseFrame(&consumer, resource, &work));
        if (i >= 1) {
            CHECK(cudaEGLStreamProducerReturnFrame(&producer, &back, &work));
        }
    }
    CHECK(!p_eglQueryStreamKHR(display, stream, EGL_STREAM_STATE_KHR, &state));
    CHECK(state != EGL_STREAM_STATE_OLD_FRAME_AVAILABLE_KHR);
    sync_wait(work);
    CHECK(cudaMemcpy(&total, sum, sizeof(total), cudaMemcpyDeviceToHost));
    printf("sum %u\n", total);
    CHECK(cudaEGLStreamConsumerDisconnect(&consumer));
    CHECK(cudaEGLStreamProducerDisconnect(&producer));
    CHECK(!p_eglDestroyStreamKHR(display, stream));
}

static void no_gl(void)
{
    EGLint n = 1;
    EGLConfig config;

    printf("apis \"%s\"\n", eglQueryString(display, EGL_CLIENT_APIS));
    printf("bind 0x%x\n", eglBindAPI(EGL_OPENGL_ES_API) ? 0 : eglGetError());
    printf("configs %s %d\n", eglChooseConfig(display, NULL, &config, 1, &n) ? "yes" : "no", n);
    printf("context 0x%x\n",
           eglCreateContext(display, NULL, EGL_NO_CONTEXT, NULL) ? 0 : eglGetError());
    printf("texture %s\n", eglGetProcAddress("glTexImage2D") ? "yes" : "no");
    printf("fence 0x%x\n",
           eglCreateSync(display, EGL_SYNC_FENCE, NULL) ? 0 : eglGetError());
    printf("gl stream %d\n", strstr(eglQueryString(display, EGL_EXTENSIONS), "gltexture") != NULL);
}

int main(int argc, char **argv)
{
    up();
    frames();
    if (argc > 1 && strcmp(argv[1], "no_gl") == 0) {
        no_gl();
    }
    CHECK(!eglTerminate(display));
    return 0;
}
