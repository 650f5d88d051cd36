// SPDX-License-Identifier: MIT
#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GLES3/gl32.h>
#include <cstdio>
#include <cstring>
#include <cuda_egl_interop.h>
#include <cuda_runtime.h>

#include <GLES2/gl2ext.h>

#define W 64
#define H 32
#define FRAMES 3

/* From the camera's grey values, a picture that OpenGL can show. */
__global__ void develop(uchar4 *picture, const unsigned char *raw)
{
    int i = blockIdx.x * W + threadIdx.x;

    picture[i] = make_uchar4(raw[i], 255 - raw[i], 0, 255);
}

static const char vertex[] =
    "#version 300 es\n"
    "void main() { gl_PointSize = 1.0; gl_Position = vec4(0.0, 0.0, 0.0, 1.0); }";
static const char fragment[] = "#version 300 es\n"
                               "#extension GL_OES_EGL_image_external_essl3 : require\n"
                               "precision mediump float;\n"
                               "uniform samplerExternalOES t;\n"
                               "out vec4 c;\n"
                               "void main() { c = texelFetch(t, ivec2(31, 15), 0); }";

static PFNEGLSTREAMCONSUMERACQUIREKHRPROC acquire;
static PFNEGLSTREAMCONSUMERRELEASEKHRPROC release;
static EGLDisplay display;
static EGLStreamKHR stream;

/* OpenGL ES on the integrated GPU: the stream's frames are an external texture. */
static void screen(void)
{
    static const EGLint wish[] = { EGL_SURFACE_TYPE, EGL_PBUFFER_BIT, EGL_RENDERABLE_TYPE,
                                   EGL_OPENGL_ES3_BIT, EGL_NONE };
    static const EGLint version[] = { EGL_CONTEXT_CLIENT_VERSION, 3, EGL_NONE };
    static const EGLint fifo[] = { EGL_STREAM_FIFO_LENGTH_KHR, FRAMES, EGL_SUPPORT_REUSE_NV,
                                   EGL_FALSE, EGL_NONE };
    static const char *const text[] = { vertex, fragment };
    GLuint program, texture, target, image;
    EGLConfig config;
    EGLint n;

    display = eglGetDisplay(EGL_DEFAULT_DISPLAY);
    eglInitialize(display, NULL, NULL);
    eglChooseConfig(display, wish, &config, 1, &n);
    eglBindAPI(EGL_OPENGL_ES_API);
    eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE,
                   eglCreateContext(display, config, EGL_NO_CONTEXT, version));
    program = glCreateProgram();
    for (int i = 0; i < 2; i++) {
        GLuint shader = glCreateShader(i ? GL_FRAGMENT_SHADER : GL_VERTEX_SHADER);

        glShaderSource(shader, 1, &text[i], NULL);
        glCompileShader(shader);
        glAttachShader(program, shader);
    }
    glLinkProgram(program);
    glUseProgram(program);
    glGenTextures(1, &image);
    glBindTexture(GL_TEXTURE_2D, image);
    glTexStorage2D(GL_TEXTURE_2D, 1, GL_RGBA8, 1, 1);
    glGenFramebuffers(1, &target);
    glBindFramebuffer(GL_FRAMEBUFFER, target);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, image, 0);
    glViewport(0, 0, 1, 1);
    stream = ((PFNEGLCREATESTREAMKHRPROC)eglGetProcAddress("eglCreateStreamKHR"))(display, fifo);
    acquire = (PFNEGLSTREAMCONSUMERACQUIREKHRPROC)eglGetProcAddress("eglStreamConsumerAcquireKHR");
    release = (PFNEGLSTREAMCONSUMERRELEASEKHRPROC)eglGetProcAddress("eglStreamConsumerReleaseKHR");
    glGenTextures(1, &texture);
    glBindTexture(GL_TEXTURE_EXTERNAL_OES, texture);
    ((PFNEGLSTREAMCONSUMERGLTEXTUREEXTERNALKHRPROC)eglGetProcAddress(
        "eglStreamConsumerGLTextureExternalKHR"))(display, stream);
}

/* The red of the middle of the next frame; -1: there is none. */
static int shown(void)
{
    unsigned char pixel[4];

    if (!acquire(display, stream)) {
        return -1;
    }
    glDrawArrays(GL_POINTS, 0, 1);
    glReadPixels(0, 0, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, pixel);
    release(display, stream);
    return pixel[0];
}

static cudaEglFrame frame_of(uchar4 *picture)
{
    cudaEglFrame f;

    memset(&f, 0, sizeof(f));
    f.planeCount = 1;
    f.frameType = cudaEglFrameTypePitch;
    f.eglColorFormat = cudaEglColorFormatABGR;
    f.frame.pPitch[0] = make_cudaPitchedPtr(picture, W * 4, W, H);
    f.planeDesc[0].width = W;
    f.planeDesc[0].height = H;
    f.planeDesc[0].pitch = W * 4;
    f.planeDesc[0].numChannels = 4;
    f.planeDesc[0].channelDesc = cudaCreateChannelDesc<uchar4>();
    return f;
}

int main(int argc, char **)
{
    bool fixed = argc > 1;
    cudaEglStreamConnection producer;
    cudaStream_t work;
    cudaEvent_t read;
    unsigned char *raw;
    uchar4 *picture[FRAMES];
    int wrong = 0;

    screen();
    cudaSetDevice(0); // the discrete GPU
    cudaStreamCreate(&work);
    cudaEventCreateWithFlags(&read, cudaEventDisableTiming);
    cudaMallocHost(&raw, W * H); // the camera's only buffer
    cudaEGLStreamProducerConnect(&producer, stream, W, H);
    for (int f = 0; f < FRAMES; f++) {
        if (f && fixed) {
            cudaEventSynchronize(read);
        }
        memset(raw, 50 * (f + 1), W * H); // the camera has a frame
        cudaMalloc(&picture[f], W * H * 4);
        develop<<<H, W, 0, work>>>(picture[f], raw);
        cudaEventRecord(read, work);
        cudaEGLStreamProducerPresentFrame(&producer, frame_of(picture[f]), &work);
    }
    for (int f = 0; f < FRAMES; f++) {
        int red = shown();

        wrong += red != 50 * (f + 1);
        printf("frame %d shows %d\n", f, red);
    }
    cudaStreamSynchronize(work);
    cudaEGLStreamProducerDisconnect(&producer);
    return wrong != 0;
}
