/* SPDX-License-Identifier: MIT */
/* An EGLStream with its ends on two GPUs: far FROM TO CASE, the devices of producer and consumer.
 * Expected: CUDA for Tegra 5.1.5, and what NVIDIA's sample EGLStream_CUDA_CrossGPU says of frames
 * that come back. */
#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GLES3/gl32.h>

#include <GLES2/gl2ext.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_egl_interop.h>
#include <cuda_gl_interop.h>
#include <cuda_runtime.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#define W 64
#define H 32
#define BYTES (W * H * 4)
#define FRAMES 12

#define CHECK(call)                                      \
    do {                                                 \
        int r_ = (int)(call);                            \
        if (r_) {                                        \
            printf("%d: %s: %d\n", __LINE__, #call, r_); \
            exit(2);                                     \
        }                                                \
    } while (0)

static PFNEGLCREATESTREAMKHRPROC create;
static PFNEGLQUERYSTREAMKHRPROC query;
static PFNEGLGETSTREAMFILEDESCRIPTORKHRPROC descriptor;
static PFNEGLCREATESTREAMFROMFILEDESCRIPTORKHRPROC from_descriptor;
static EGLDisplay display;
static EGLStreamKHR stream;
static cudaEglStreamConnection producer, consumer;
static cudaStream_t work[2];
static int from, to;

__global__ void fill(unsigned char *p, int value, int bytes)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < bytes) {
        p[i] = (unsigned char)(value + i);
    }
}

__global__ void compare(const unsigned char *p, int value, int bytes, int *wrong)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < bytes && p[i] != (unsigned char)(value + i)) {
        atomicAdd(wrong, 1);
    }
}

static void up(void)
{
    display = eglGetDisplay(EGL_DEFAULT_DISPLAY);
    CHECK(!eglInitialize(display, NULL, NULL));
    create = (PFNEGLCREATESTREAMKHRPROC)eglGetProcAddress("eglCreateStreamKHR");
    query = (PFNEGLQUERYSTREAMKHRPROC)eglGetProcAddress("eglQueryStreamKHR");
    descriptor =
        (PFNEGLGETSTREAMFILEDESCRIPTORKHRPROC)eglGetProcAddress("eglGetStreamFileDescriptorKHR");
    from_descriptor = (PFNEGLCREATESTREAMFROMFILEDESCRIPTORKHRPROC)eglGetProcAddress(
        "eglCreateStreamFromFileDescriptorKHR");
}

static void device(int d)
{
    CHECK(cudaSetDevice(d));
    if (!work[d]) {
        CHECK(cudaStreamCreateWithFlags(&work[d], cudaStreamNonBlocking));
    }
}

static EGLint state(void)
{
    EGLint value = 0;

    CHECK(!query(display, stream, EGL_STREAM_STATE_KHR, &value));
    return value;
}

static const EGLint fifo[] = { EGL_STREAM_FIFO_LENGTH_KHR, 4, EGL_SUPPORT_REUSE_NV, EGL_FALSE,
                               EGL_NONE };

static void connect(void)
{
    stream = create(display, fifo);
    device(to);
    CHECK(cudaEGLStreamConsumerConnect(&consumer, stream));
    device(from);
    CHECK(cudaEGLStreamProducerConnect(&producer, stream, W, H));
}

static cudaEglFrame frame_of(void *memory, int planes)
{
    cudaEglFrame f;

    memset(&f, 0, sizeof(f));
    f.planeCount = planes;
    f.eglColorFormat = planes > 1 ? cudaEglColorFormatYUV420SemiPlanar : cudaEglColorFormatABGR;
    f.frameType = cudaEglFrameTypePitch;
    for (int i = 0; i < planes; i++) {
        unsigned channels = planes == 1 ? 4 : i + 1;

        f.frame.pPitch[i].ptr = (char *)memory + i * W * H;
        f.planeDesc[i].width = W;
        f.planeDesc[i].height = i ? H / 2 : H;
        f.planeDesc[i].pitch = planes == 1 ? W * 4 : W;
        f.planeDesc[i].numChannels = channels;
        f.planeDesc[i].channelDesc =
            planes == 1 ? cudaCreateChannelDesc<uchar4>() : cudaCreateChannelDesc<unsigned char>();
    }
    return f;
}

/* --- both ends here --- */

static int *wrong;

static void produce(unsigned char *p, int value, int bytes, cudaEglFrame f)
{
    device(from);
    fill<<<(bytes + 255) / 256, 256, 0, work[from]>>>(p, value, bytes);
    CHECK(cudaEGLStreamProducerPresentFrame(&producer, f, &work[from]));
}

static void consume(int value, int bytes)
{
    cudaGraphicsResource_t r;
    cudaPointerAttributes a;
    cudaEglFrame got;
    unsigned char *q;

    device(to);
    CHECK(cudaEGLStreamConsumerAcquireFrame(&consumer, &r, &work[to], 100000));
    CHECK(cudaGraphicsResourceGetMappedEglFrame(&got, r, 0, 0));
    q = (unsigned char *)got.frame.pPitch[0].ptr;
    CHECK(cudaPointerGetAttributes(&a, q));
    CHECK(a.device != to);
    if (got.planeCount == 1) {
        compare<<<(bytes + 255) / 256, 256, 0, work[to]>>>(q, value, bytes, wrong);
    } else { /* planes that the producer has side by side need not be so here */
        compare<<<W * H / 256, 256, 0, work[to]>>>(q, value, W * H, wrong);
        compare<<<W * H / 512, 256, 0, work[to]>>>((unsigned char *)got.frame.pPitch[1].ptr,
                                                   value + W * H, W * H / 2, wrong);
    }
    CHECK(cudaEGLStreamConsumerReleaseFrame(&consumer, r, &work[to]));
}

static void returned(void *expected)
{
    cudaEglFrame back;

    device(from);
    CHECK(cudaEGLStreamProducerReturnFrame(&producer, &back, &work[from]));
    CHECK(back.frame.pPitch[0].ptr != expected);
}

/* Several frames on the way, over and over. */
static void frames(int planes)
{
    int bytes = planes == 1 ? BYTES : W * H * 3 / 2;
    unsigned char *p[3];

    connect();
    device(from);
    for (int i = 0; i < 3; i++) {
        CHECK(cudaMalloc((void **)&p[i], BYTES));
    }
    CHECK(cudaMallocHost((void **)&wrong, sizeof(*wrong)));
    *wrong = 0;
    for (int n = 0; n < FRAMES; n++) {
        for (int i = 0; i < 3; i++) {
            produce(p[i], 3 * n + i, bytes, frame_of(p[i], planes));
        }
        for (int i = 0; i < 3; i++) {
            consume(3 * n + i, bytes);
        }
        for (int i = 0; i < 3; i++) {
            returned(p[i]);
        }
    }
    device(to);
    CHECK(cudaDeviceSynchronize());
    printf("%d frames, %d wrong\n", 3 * FRAMES, *wrong);
    CHECK(cudaEGLStreamConsumerDisconnect(&consumer));
    device(from);
    CHECK(cudaEGLStreamProducerDisconnect(&producer));
}

static void refused(bool managed)
{
    cudaChannelFormatDesc d = cudaCreateChannelDesc<uchar4>();
    cudaEglFrame f;
    cudaArray_t a;
    void *m;

    connect();
    device(1); /* of the integrated GPU in either case: unified memory */
    CHECK(cudaMallocManaged(&m, BYTES));
    device(from);
    CHECK(cudaMallocArray(&a, &d, W, H));
    f = frame_of(m, 1);
    if (!managed) {
        f.frameType = cudaEglFrameTypeArray;
        memset(&f.frame, 0, sizeof(f.frame));
        f.frame.pArray[0] = a;
        f.planeDesc[0].pitch = 0;
    }
    printf("present: %s, state 0x%x\n",
           cudaGetErrorName(cudaEGLStreamProducerPresentFrame(&producer, f, &work[from])), state());
}

/* The two EGL devices, as DRIVE lists them. */
/* OpenGL's objects in CUDA, each GPU current in turn. Codes: NVIDIA's driver 580.159.04 on a
 * machine with two GPUs, which has cuGLGetDevices() give OpenGL's own whichever is current, and
 * takes the objects on both. */
static void objects(int far)
{
    static const EGLint es3[] = { EGL_CONTEXT_CLIENT_VERSION, 3, EGL_NONE };
    cudaGraphicsResource_t resource;
    unsigned n = 0;
    int gpu = -1;
    GLuint buffer;
    size_t bytes;
    void *p;

    CHECK(!eglBindAPI(EGL_OPENGL_ES_API));
    CHECK(!eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE,
                          eglCreateContext(display, EGL_NO_CONFIG_KHR, EGL_NO_CONTEXT, es3)));
    glGenBuffers(1, &buffer);
    glBindBuffer(GL_ARRAY_BUFFER, buffer);
    glBufferData(GL_ARRAY_BUFFER, BYTES, NULL, GL_DYNAMIC_DRAW);
    CHECK(cudaSetDevice(far));
    CHECK(cudaGLGetDevices(&n, &gpu, 1, cudaGLDeviceListAll));
    printf("OpenGL: %u device, %d\n", n, gpu);
    CHECK(cudaGraphicsGLRegisterBuffer(&resource, buffer, 0));
    CHECK(cudaGraphicsMapResources(1, &resource, NULL));
    CHECK(cudaGraphicsResourceGetMappedPointer(&p, &bytes, resource));
    CHECK(cudaMemset(p, 7, BYTES));
    CHECK(cudaGraphicsUnmapResources(1, &resource, NULL));
    printf("byte %d\n",
           ((unsigned char *)glMapBufferRange(GL_ARRAY_BUFFER, 0, BYTES, GL_MAP_READ_BIT))[5]);
    glUnmapBuffer(GL_ARRAY_BUFFER);
    CHECK(cudaSetDevice(1 - far));
    printf("the other GPU: map %s, ",
           cudaGetErrorName(cudaGraphicsMapResources(1, &resource, NULL)));
    printf("pointer %s, ",
           cudaGetErrorName(cudaGraphicsResourceGetMappedPointer(&p, &bytes, resource)));
    printf("unmap %s, ", cudaGetErrorName(cudaGraphicsUnmapResources(1, &resource, NULL)));
    printf("unregister %s\n", cudaGetErrorName(cudaGraphicsUnregisterResource(resource)));
}

static void devices(void)
{
    PFNEGLQUERYDEVICESEXTPROC devices_of =
        (PFNEGLQUERYDEVICESEXTPROC)eglGetProcAddress("eglQueryDevicesEXT");
    PFNEGLQUERYDEVICEATTRIBEXTPROC attrib =
        (PFNEGLQUERYDEVICEATTRIBEXTPROC)eglGetProcAddress("eglQueryDeviceAttribEXT");
    PFNEGLGETPLATFORMDISPLAYEXTPROC platform =
        (PFNEGLGETPLATFORMDISPLAYEXTPROC)eglGetProcAddress("eglGetPlatformDisplayEXT");
    EGLDeviceEXT list[8];
    EGLint n = 0, configs = -1, one = 0;

    CHECK(!devices_of(8, list, &n));
    CHECK(!devices_of(1, list + 4, &one) || one != 1 || list[4] != list[0]);
    for (int i = 0; i < n; i++) {
        EGLAttrib cuda = -1;
        EGLBoolean has = attrib(list[i], EGL_CUDA_DEVICE_NV, &cuda);
        EGLDisplay d = platform(EGL_PLATFORM_DEVICE_EXT, list[i], NULL);
        EGLint major = 0, minor = 0;
        bool up;

        printf("device %d: CUDA device %d, ", i, has ? (int)cuda : -1);
        up = eglInitialize(d, &major, &minor);
        CHECK(!up);
        CHECK(!eglGetConfigs(d, NULL, 0, &configs));
        printf("EGL %d.%d, %s, streams %s, ", major, minor,
               configs ? "configurations" : "no configuration",
               strstr(eglQueryString(d, EGL_EXTENSIONS), "EGL_KHR_stream_fifo") ? "yes" : "no");
        printf("context %s\n", eglCreateContext(d, NULL, EGL_NO_CONTEXT, NULL) ? "yes" : "no");
    }
}

/* --- OpenGL ES on the integrated GPU shows frames of the producer's device --- */

static void gl(void)
{
    static const EGLint wish[] = { EGL_SURFACE_TYPE, EGL_PBUFFER_BIT, EGL_RENDERABLE_TYPE,
                                   EGL_OPENGL_ES3_BIT, EGL_NONE };
    static const EGLint version[] = { EGL_CONTEXT_CLIENT_VERSION, 3, EGL_NONE };
    static const char vertex[] = "#version 300 es\nvoid main() { gl_PointSize = 1.0; gl_Position = "
                                 "vec4(0.0, 0.0, 0.0, 1.0); }";
    static const char fragment[] = "#version 300 es\n#extension GL_OES_EGL_image_external_essl3 : "
                                   "require\nprecision mediump float;\n"
                                   "uniform samplerExternalOES t; out vec4 c;\nvoid main() { c = "
                                   "texelFetch(t, ivec2(3, 5), 0); }";
    PFNEGLSTREAMCONSUMERGLTEXTUREEXTERNALKHRPROC texture_end =
        (PFNEGLSTREAMCONSUMERGLTEXTUREEXTERNALKHRPROC)eglGetProcAddress(
            "eglStreamConsumerGLTextureExternalKHR");
    PFNEGLSTREAMCONSUMERACQUIREKHRPROC acquire =
        (PFNEGLSTREAMCONSUMERACQUIREKHRPROC)eglGetProcAddress("eglStreamConsumerAcquireKHR");
    const char *text[] = { vertex, fragment };
    GLuint program, texture, target, out;
    unsigned char *p, pixel[4];
    EGLConfig config;
    EGLint n;

    CHECK(!eglChooseConfig(display, wish, &config, 1, &n));
    eglBindAPI(EGL_OPENGL_ES_API);
    CHECK(!eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE,
                          eglCreateContext(display, config, EGL_NO_CONTEXT, version)));
    program = glCreateProgram();
    for (int i = 0; i < 2; i++) {
        GLuint shader = glCreateShader(i ? GL_FRAGMENT_SHADER : GL_VERTEX_SHADER);

        glShaderSource(shader, 1, &text[i], NULL);
        glCompileShader(shader);
        glAttachShader(program, shader);
    }
    glLinkProgram(program);
    glGenTextures(1, &texture);
    glBindTexture(GL_TEXTURE_EXTERNAL_OES, texture);
    stream = create(display, fifo);
    CHECK(!texture_end(display, stream));
    device(from);
    CHECK(cudaEGLStreamProducerConnect(&producer, stream, W, H));
    CHECK(cudaMalloc((void **)&p, BYTES));
    produce(p, 11, BYTES, frame_of(p, 1));
    CHECK(!acquire(display, stream));
    glGenTextures(1, &out);
    glBindTexture(GL_TEXTURE_2D, out);
    glTexStorage2D(GL_TEXTURE_2D, 1, GL_RGBA8, 1, 1);
    glGenFramebuffers(1, &target);
    glBindFramebuffer(GL_FRAMEBUFFER, target);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, out, 0);
    glViewport(0, 0, 1, 1);
    glUseProgram(program);
    glDrawArrays(GL_POINTS, 0, 1);
    glReadPixels(0, 0, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, pixel);
    n = 11 + (5 * W + 3) * 4; /* ABGR: red first */
    printf("pixel %s\n", pixel[0] == (n & 255) && pixel[1] == (n + 1 & 255) ? "right" : "wrong");
}

/* --- the producer in a second process --- */

static void second(int fd)
{
    unsigned char *p[2];
    cudaEglFrame back;

    stream = from_descriptor(display, fd);
    CHECK(stream == EGL_NO_STREAM_KHR);
    device(from);
    while (state() != EGL_STREAM_STATE_CONNECTING_KHR) {
        usleep(1000);
    }
    CHECK(cudaEGLStreamProducerConnect(&producer, stream, W, H));
    for (int i = 0; i < 2; i++) {
        CHECK(cudaMalloc((void **)&p[i], BYTES));
    }
    for (int n = 0; n < FRAMES; n++) {
        produce(p[n & 1], n, BYTES, frame_of(p[n & 1], 1));
        while (cudaEGLStreamProducerReturnFrame(&producer, &back, &work[from])) {
        }
        CHECK(back.frame.pPitch[0].ptr != p[n & 1]);
    }
    CHECK(cudaStreamSynchronize(work[from]));
    CHECK(cudaEGLStreamProducerDisconnect(&producer));
}

static void two(void)
{
    extern char **environ;
    char self[] = "far", number[16], a[8], b[8], what[] = "second";
    char *argv[] = { self, a, b, what, number, NULL };
    int status, n = 0;
    pid_t pid;

    stream = create(display, fifo);
    snprintf(number, sizeof(number), "%d", descriptor(display, stream));
    snprintf(a, sizeof(a), "%d", from);
    snprintf(b, sizeof(b), "%d", to);
    device(to);
    CHECK(cudaMallocHost((void **)&wrong, sizeof(*wrong)));
    *wrong = 0;
    CHECK(cudaEGLStreamConsumerConnect(&consumer, stream));
    CHECK(posix_spawn(&pid, "/proc/self/exe", NULL, NULL, argv, environ));
    while (n < FRAMES) {
        if (state() == EGL_STREAM_STATE_NEW_FRAME_AVAILABLE_KHR) {
            consume(n++, BYTES);
        } else if (state() == EGL_STREAM_STATE_DISCONNECTED_KHR) {
            break;
        } else {
            usleep(1000);
        }
    }
    CHECK(cudaDeviceSynchronize());
    CHECK(waitpid(pid, &status, 0) != pid);
    printf("%d frames, %d wrong, status %d\n", n, *wrong, status);
}

int main(int argc, char **argv)
{
    const char *what = argc > 3 ? argv[3] : "frames";

    setvbuf(stdout, NULL, _IOLBF, 0);
    from = argc > 1 ? atoi(argv[1]) : 0;
    to = argc > 2 ? atoi(argv[2]) : 1;
    up();
    if (strcmp(what, "second") == 0) {
        second(atoi(argv[4]));
    } else if (strcmp(what, "two") == 0) {
        two();
    } else if (strcmp(what, "gl") == 0) {
        gl();
    } else if (strcmp(what, "objects") == 0) {
        objects(from);
    } else if (strcmp(what, "devices") == 0) {
        devices();
    } else if (strcmp(what, "planes") == 0) {
        frames(2);
    } else if (strcmp(what, "frames") == 0) {
        frames(1);
    } else {
        refused(strcmp(what, "managed") == 0);
    }
    return 0;
}
