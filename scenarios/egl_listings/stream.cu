/* SPDX-License-Identifier: MIT */
/* CUDA as producer (5.1.2) and as consumer (5.1.3), a thread each, and the second half of the
 * pipeline of 5.1.6: stream FILE.png. The consumer checks the first stream's frames, draws into
 * frames of its own, and presents them to a second stream, whose consumer is OpenGL ES in the main
 * thread.
 *
 * stream FILE.png two: the producer is in a process of its own, which inherits the descriptor of
 * the first stream (vtegra run --shared).
 *
 * The note's listings pass the EGLStream where a CUDA stream belongs: here it is a CUDA stream. */
#include <GLES3/gl32.h>

#include <GLES2/gl2ext.h>
#include <cstring>
#include <cuda_egl_interop.h>
#include <cuda_runtime.h>
#include <pthread.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "listing.h"

#define WIDTH 256
#define HEIGHT 256
#define FRAMES 4

static EGLDisplay display;
static EGLStreamKHR eglStream, pipeline;
static PFNEGLCREATESTREAMKHRPROC eglCreateStreamKHR_;
static PFNEGLQUERYSTREAMKHRPROC eglQueryStreamKHR_;
static PFNEGLSTREAMCONSUMERGLTEXTUREEXTERNALKHRPROC eglStreamConsumerGLTextureExternalKHR_;
static PFNEGLSTREAMCONSUMERACQUIREKHRPROC eglStreamConsumerAcquireKHR_;
static PFNEGLSTREAMCONSUMERRELEASEKHRPROC eglStreamConsumerReleaseKHR_;
static int ones;

/* Sets all elements in the buffer to @value. */
__global__ void K1(unsigned char *p, unsigned char value, size_t numElem)
{
    size_t i = threadIdx.x + (size_t)blockIdx.x * blockDim.x;

    if (i < numElem) {
        p[i] = value;
    }
}

/* If any value is not @value, sets @check to 0. */
__global__ void K2(const unsigned char *p, unsigned char value, size_t numElem, int *check)
{
    size_t i = threadIdx.x + (size_t)blockIdx.x * blockDim.x;

    if (i < numElem && p[i] != value) {
        *check = 0;
    }
}

/* Rings, in the byte order of cudaEGL.h's ABGR. */
__global__ void draw(uchar4 *p, int frame)
{
    int x = threadIdx.x, y = blockIdx.x, r = (x - 128) * (x - 128) + (y - 128) * (y - 128);

    p[y * WIDTH + x] =
        make_uchar4((unsigned char)(r >> (3 + frame)), (unsigned char)x, (unsigned char)y, 255);
}

static void frame_prepare(cudaEglFrame *cudaEgl, cudaEglColorFormat format)
{
    memset(cudaEgl, 0, sizeof(*cudaEgl));
    cudaEgl->planeDesc[0].width = WIDTH;
    cudaEgl->planeDesc[0].depth = 0;
    cudaEgl->planeDesc[0].height = HEIGHT;
    cudaEgl->planeDesc[0].numChannels = 4;
    cudaEgl->planeDesc[0].pitch = WIDTH * cudaEgl->planeDesc[0].numChannels;
    cudaEgl->frameType = cudaEglFrameTypePitch;
    cudaEgl->planeCount = 1;
    cudaEgl->eglColorFormat = format;
    cudaEgl->planeDesc[0].channelDesc.f = cudaChannelFormatKindUnsigned;
    cudaEgl->planeDesc[0].channelDesc.w = 8;
    cudaEgl->planeDesc[0].channelDesc.x = 8;
    cudaEgl->planeDesc[0].channelDesc.y = 8;
    cudaEgl->planeDesc[0].channelDesc.z = 8;
    CHECK(cudaMalloc(&cudaEgl->frame.pPitch[0].ptr,
                     (size_t)cudaEgl->planeDesc[0].pitch * cudaEgl->planeDesc[0].height));
}

/* "The consumer should always connect to EGLStream before the producer." */
static void connecting(EGLStreamKHR s)
{
    EGLint state;

    do {
        CHECK(!eglQueryStreamKHR_(display, s, EGL_STREAM_STATE_KHR, &state));
    } while (state == EGL_STREAM_STATE_CREATED_KHR);
}

static void *ProducerThread(void *)
{
    cudaEglStreamConnection conn;
    cudaEglFrame cudaEgl;
    cudaStream_t stream;
    size_t numElem;
    cudaError_t e;

    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    frame_prepare(&cudaEgl, cudaEglColorFormatARGB);
    numElem = (size_t)cudaEgl.planeDesc[0].pitch * cudaEgl.planeDesc[0].height;
    connecting(eglStream);
    CHECK(cudaEGLStreamProducerConnect(&conn, eglStream, WIDTH, HEIGHT));
    for (int i = 0; i < FRAMES; i++) {
        K1<<<numElem / 256, 256, 0, stream>>>((unsigned char *)cudaEgl.frame.pPitch[0].ptr, 1,
                                              numElem);
        CHECK(cudaEGLStreamProducerPresentFrame(&conn, cudaEgl, &stream));
        do {
            e = cudaEGLStreamProducerReturnFrame(&conn, &cudaEgl, &stream);
        } while (e == cudaErrorLaunchTimeout); /* the consumer has it */
        CHECK(e);
        cudaGetLastError();
    }
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaEGLStreamProducerDisconnect(&conn));
    return NULL;
}

/* The consumer's own frame, to OpenGL. */
static void render(cudaEglStreamConnection *to, cudaEglFrame *frame, int i, cudaStream_t stream)
{
    cudaError_t e = cudaSuccess;

    if (i > 0) {
        do {
            e = cudaEGLStreamProducerReturnFrame(to, frame, &stream);
        } while (e == cudaErrorLaunchTimeout);
    }
    CHECK(e);
    cudaGetLastError();
    draw<<<HEIGHT, WIDTH, 0, stream>>>((uchar4 *)frame->frame.pPitch[0].ptr, i);
    CHECK(cudaEGLStreamProducerPresentFrame(to, *frame, &stream));
}

static void *ConsumerThread(void *)
{
    cudaEglStreamConnection conn, to;
    cudaGraphicsResource_t cudaResource;
    cudaEglFrame cudaEgl, frame;
    unsigned int timeout = 16000;
    cudaStream_t stream;
    int *checkIfOne;

    CHECK(cudaEGLStreamConsumerConnect(&conn, eglStream));
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    CHECK(cudaMallocHost((void **)&checkIfOne, sizeof(*checkIfOne)));
    *checkIfOne = 1;
    frame_prepare(&frame, cudaEglColorFormatABGR);
    CHECK(cudaEGLStreamProducerConnect(&to, pipeline, WIDTH, HEIGHT));
    for (int i = 0; i < FRAMES; i++) {
        size_t numElem;

        while (cudaEGLStreamConsumerAcquireFrame(&conn, &cudaResource, &stream, timeout) !=
               cudaSuccess) { /* none came within 16 ms */
            cudaGetLastError();
        }
        CHECK(cudaGraphicsResourceGetMappedEglFrame(&cudaEgl, cudaResource, 0, 0));
        numElem = (size_t)cudaEgl.planeDesc[0].pitch * cudaEgl.planeDesc[0].height;
        K2<<<numElem / 256, 256, 0, stream>>>((unsigned char *)cudaEgl.frame.pPitch[0].ptr, 1,
                                              numElem, checkIfOne);
        CHECK(cudaEGLStreamConsumerReleaseFrame(&conn, cudaResource, &stream));
        render(&to, &frame, i, stream);
    }
    CHECK(cudaStreamSynchronize(stream));
    ones = *checkIfOne;
    CHECK(cudaEGLStreamConsumerDisconnect(&conn));
    return NULL; /* the last frame stays in the second stream */
}

/* The second process: stream producer DESCRIPTOR. */
static int producer_process(const char *descriptor)
{
    int fd = atoi(descriptor);
    PFNEGLCREATESTREAMFROMFILEDESCRIPTORKHRPROC from =
        (PFNEGLCREATESTREAMFROMFILEDESCRIPTORKHRPROC)eglGetProcAddress(
            "eglCreateStreamFromFileDescriptorKHR");

    eglStream = from(display, fd);
    CHECK(eglStream == EGL_NO_STREAM_KHR);
    CHECK(close(fd));
    ProducerThread(NULL);
    return 0;
}

static pid_t producer_start(void)
{
    extern char **environ;
    PFNEGLGETSTREAMFILEDESCRIPTORKHRPROC get =
        (PFNEGLGETSTREAMFILEDESCRIPTORKHRPROC)eglGetProcAddress("eglGetStreamFileDescriptorKHR");
    int fd = get(display, eglStream);
    char number[16], name[] = "stream", role[] = "producer";
    char *argv[] = { name, role, number, NULL };
    pid_t pid;

    CHECK(fd == EGL_NO_FILE_DESCRIPTOR_KHR);
    snprintf(number, sizeof(number), "%d", fd);
    CHECK(posix_spawn(&pid, "/proc/self/exe", NULL, NULL, argv, environ));
    CHECK(close(fd));
    return pid;
}

static GLuint shader(GLenum type, const char *text)
{
    GLuint s = glCreateShader(type);

    glShaderSource(s, 1, &text, NULL);
    glCompileShader(s);
    return s;
}

static void gl_prepare(void)
{
    static const GLfloat corners[] = { 0, 0, 1, 0, 0, 1, 1, 1 };
    GLuint program = glCreateProgram(), color, framebuffer, texture;

    glAttachShader(program, shader(GL_VERTEX_SHADER,
                                   "attribute vec2 at; varying vec2 where;\n"
                                   "void main() { where = at; gl_Position = vec4(at * 1.8 - 0.9, "
                                   "0, 1); }\n"));
    glAttachShader(program, shader(GL_FRAGMENT_SHADER,
                                   "#extension GL_OES_EGL_image_external : require\n"
                                   "precision mediump float; varying vec2 where;\n"
                                   "uniform samplerExternalOES image;\n"
                                   "void main() { gl_FragColor = texture2D(image, where); }\n"));
    glBindAttribLocation(program, 0, "at");
    glLinkProgram(program);
    glUseProgram(program);
    glGenTextures(1, &color);
    glBindTexture(GL_TEXTURE_2D, color);
    glTexStorage2D(GL_TEXTURE_2D, 1, GL_RGBA8, WIDTH, HEIGHT);
    glGenFramebuffers(1, &framebuffer);
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, color, 0);
    glViewport(0, 0, WIDTH, HEIGHT);
    glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, corners);
    glEnableVertexAttribArray(0);
    glGenTextures(1, &texture);
    glBindTexture(GL_TEXTURE_EXTERNAL_OES, texture);
    glTexParameteri(GL_TEXTURE_EXTERNAL_OES, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_EXTERNAL_OES, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
}

int main(int argc, char **argv)
{
    static const EGLint no_reuse[] = { EGL_SUPPORT_REUSE_NV, EGL_FALSE, EGL_NONE };
    static const EGLint waits[] = { EGL_SUPPORT_REUSE_NV, EGL_FALSE,
                                    EGL_CONSUMER_ACQUIRE_TIMEOUT_USEC_KHR, -1, EGL_NONE };
    static uint8_t pixels[WIDTH * HEIGHT * 4];
    bool two = argc > 2 && strcmp(argv[2], "two") == 0;
    pthread_t threads[2];
    EGLint state;
    pid_t pid = 0;

    display = egl_up(EGL_OPENGL_ES_API);
    eglCreateStreamKHR_ = (PFNEGLCREATESTREAMKHRPROC)eglGetProcAddress("eglCreateStreamKHR");
    eglQueryStreamKHR_ = (PFNEGLQUERYSTREAMKHRPROC)eglGetProcAddress("eglQueryStreamKHR");
    eglStreamConsumerGLTextureExternalKHR_ =
        (PFNEGLSTREAMCONSUMERGLTEXTUREEXTERNALKHRPROC)eglGetProcAddress(
            "eglStreamConsumerGLTextureExternalKHR");
    eglStreamConsumerAcquireKHR_ =
        (PFNEGLSTREAMCONSUMERACQUIREKHRPROC)eglGetProcAddress("eglStreamConsumerAcquireKHR");
    eglStreamConsumerReleaseKHR_ =
        (PFNEGLSTREAMCONSUMERRELEASEKHRPROC)eglGetProcAddress("eglStreamConsumerReleaseKHR");
    if (argc > 2 && strcmp(argv[1], "producer") == 0) {
        return producer_process(argv[2]);
    }
    gl_prepare();
    eglStream = eglCreateStreamKHR_(display, no_reuse);
    pipeline = eglCreateStreamKHR_(display, waits);
    CHECK(!eglStreamConsumerGLTextureExternalKHR_(display, pipeline));
    if (two) {
        pid = producer_start();
    } else {
        CHECK(pthread_create(&threads[1], NULL, ProducerThread, NULL));
    }
    CHECK(pthread_create(&threads[0], NULL, ConsumerThread, NULL));
    do { /* until the consumer thread has connected to the second stream */
        CHECK(!eglQueryStreamKHR_(display, pipeline, EGL_STREAM_STATE_KHR, &state));
    } while (state == EGL_STREAM_STATE_CONNECTING_KHR);
    for (int i = 0; i < FRAMES; i++) {
        CHECK(!eglStreamConsumerAcquireKHR_(display, pipeline));
        glClearColor(1, 1, 1, 1);
        glClear(GL_COLOR_BUFFER_BIT);
        glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
        CHECK(!eglStreamConsumerReleaseKHR_(display, pipeline));
    }
    glReadPixels(0, 0, WIDTH, HEIGHT, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
    CHECK(glGetError());
    CHECK(pthread_join(threads[0], NULL));
    if (two) {
        CHECK(waitpid(pid, NULL, 0) != pid);
    } else {
        CHECK(pthread_join(threads[1], NULL));
    }
    printf("checkIfOne %d, rendered %d frames\n", ones, FRAMES);
    if (argc > 1) {
        png_write(argv[1], WIDTH, HEIGHT, pixels);
    }
    return 0;
}
