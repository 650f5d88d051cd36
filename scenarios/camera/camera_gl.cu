// SPDX-License-Identifier: MIT
// Camera, CUDA filter, OpenGL ES consumer over two EGLStreams; README.md says what the argument
// leaves out.
#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GLES3/gl32.h>

#include <GLES2/gl2ext.h>
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

// Below the strip with the frame's number: red is the inverse of the luma.
__global__ void filter(const unsigned char *in, unsigned pitch, uchar4 *out)
{
    unsigned x = threadIdx.x, y = blockIdx.x;

    out[y * W + x] = make_uchar4(y < TOP ? 0 : 255 - in[y * pitch + x], (unsigned char)x,
                                 (unsigned char)y, 255); // MARK filter
}

static EGLDisplay display;
static PFNEGLCREATESTREAMKHRPROC stream_create;
static PFNEGLSTREAMCONSUMERGLTEXTUREEXTERNALKHRPROC consumer_connect;
static PFNEGLSTREAMCONSUMERACQUIREKHRPROC consumer_acquire;
static PFNEGLSTREAMCONSUMERRELEASEKHRPROC consumer_release;

static GLuint shader(GLenum type, const char *text)
{
    GLuint s = glCreateShader(type);

    glShaderSource(s, 1, &text, NULL);
    glCompileShader(s);
    return s;
}

static void gl_open(void)
{
    static const char vertex[] =
        "attribute vec2 at; varying vec2 where;\n"
        "void main() { where = at; gl_Position = vec4(at * 2.0 - 1.0, 0, 1); }\n";
    static const char fragment[] = "#extension GL_NV_EGL_stream_consumer_external : require\n"
                                   "precision mediump float; varying vec2 where;\n"
                                   "uniform samplerExternalOES image;\n"
                                   "void main() { gl_FragColor = texture2D(image, where); }\n";
    static const EGLint es3[] = { EGL_CONTEXT_CLIENT_VERSION, 3, EGL_NONE };
    static const EGLint wanted[] = { EGL_SURFACE_TYPE, EGL_STREAM_BIT_KHR, EGL_RENDERABLE_TYPE,
                                     EGL_OPENGL_ES3_BIT, EGL_NONE };
    GLuint program, color, target, texture;
    EGLConfig config;
    EGLint n = 0;

    stream_create = (PFNEGLCREATESTREAMKHRPROC)eglGetProcAddress("eglCreateStreamKHR");
    consumer_connect = (PFNEGLSTREAMCONSUMERGLTEXTUREEXTERNALKHRPROC)eglGetProcAddress(
        "eglStreamConsumerGLTextureExternalKHR");
    consumer_acquire =
        (PFNEGLSTREAMCONSUMERACQUIREKHRPROC)eglGetProcAddress("eglStreamConsumerAcquireKHR");
    consumer_release =
        (PFNEGLSTREAMCONSUMERRELEASEKHRPROC)eglGetProcAddress("eglStreamConsumerReleaseKHR");
    display = eglGetDisplay(EGL_DEFAULT_DISPLAY);
    OK(!eglInitialize(display, NULL, NULL) || !eglBindAPI(EGL_OPENGL_ES_API));
    OK(!eglChooseConfig(display, wanted, &config, 1, &n) || n != 1);
    OK(!eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE,
                       eglCreateContext(display, config, EGL_NO_CONTEXT, es3)));
    program = glCreateProgram();
    glAttachShader(program, shader(GL_VERTEX_SHADER, vertex));
    glAttachShader(program, shader(GL_FRAGMENT_SHADER, fragment));
    glBindAttribLocation(program, 0, "at");
    glLinkProgram(program);
    glUseProgram(program);
    glGenTextures(1, &color);
    glBindTexture(GL_TEXTURE_2D, color);
    glTexStorage2D(GL_TEXTURE_2D, 1, GL_RGBA8, W, H);
    glGenFramebuffers(1, &target);
    glBindFramebuffer(GL_FRAMEBUFFER, target);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, color, 0);
    glGenTextures(1, &texture);
    glBindTexture(GL_TEXTURE_EXTERNAL_OES, texture);
    glTexParameteri(GL_TEXTURE_EXTERNAL_OES, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_EXTERNAL_OES, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
}

// Draws the texture, and compares what is drawn with the filtered frame @number.
static bool drawn_is(unsigned number)
{
    static const GLfloat corners[] = { 0, 0, 1, 0, 0, 1, 1, 1 };
    static unsigned char pixels[H][W][4];
    bool right = true;

    glViewport(0, 0, W, H);
    glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, corners);
    glEnableVertexAttribArray(0);
    glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
    glReadPixels(0, 0, W, H, GL_RGBA, GL_UNSIGNED_BYTE, pixels); // which waits
    for (unsigned y = TOP; y < H; y++) {
        for (unsigned x = 0; x < W; x++) {
            right = right && pixels[y][x][0] == 255 - (16 + (x + y + 4 * number) % 220) &&
                    pixels[y][x][1] == x;
        }
    }
    return right;
}

static CUeglFrame filtered_frame(uchar4 *at)
{
    CUeglFrame f;

    memset(&f, 0, sizeof(f));
    f.frame.pPitch[0] = at;
    f.width = W;
    f.height = H;
    f.pitch = W * 4;
    f.planeCount = 1;
    f.numChannels = 4;
    f.frameType = CU_EGL_FRAME_TYPE_PITCH;
    f.eglColorFormat = CU_EGL_COLOR_FORMAT_ABGR;
    f.cuFormat = CU_AD_FORMAT_UNSIGNED_INT8;
    return f;
}

int main(int argc, char **argv)
{
    const char *without = argc > 1 ? argv[1] : "";
    CUeglStreamConnection from_camera, to_gl;
    EGLStreamKHR raw, filtered;
    uchar4 *ring[RING];
    vtegraCamera camera;
    CUstream filters;
    unsigned bad = 0;

    gl_open();
    raw = stream_create(display, NULL);
    filtered = stream_create(display, NULL);
    OK(cudaFree(0));
    OK(cuStreamCreate(&filters, CU_STREAM_NON_BLOCKING));
    for (int i = 0; i < RING; i++) {
        OK(cudaMalloc(&ring[i], W * H * sizeof(uchar4)));
        OK(cudaMemset(ring[i], 0, W * H * sizeof(uchar4)));
    }
    OK(cudaDeviceSynchronize());
    OK(cuEGLStreamConsumerConnect(&from_camera, raw));
    OK(vtegraCameraConnect(&camera, raw, W, H));
    OK(!consumer_connect(display, filtered));
    OK(cuEGLStreamProducerConnect(&to_gl, filtered, W, H));

    for (int i = 0; i < FRAMES; i++) {
        CUgraphicsResource resource;
        vtegraCameraFrame info;
        CUeglFrame in, out = filtered_frame(ring[i % RING]), back;
        CUstream s = filters;

        // The filter.
        OK(cuEGLStreamConsumerAcquireFrame(&from_camera, &resource, &s, 1000000));
        OK(cuGraphicsResourceGetMappedEglFrame(&in, resource, 0, 0));
        OK(vtegraCameraFrameGet(camera, in.frame.pPitch[0], &info));
        if (i >= RING) {
            OK(cuEGLStreamProducerReturnFrame(&to_gl, &back, &s));
            out = back;
        }
        if (!strcmp(without, "release")) {
            OK(cuEGLStreamConsumerReleaseFrame(&from_camera, resource, &s));
        }
        if (!strcmp(without, "present")) {
            OK(cuEGLStreamProducerPresentFrame(&to_gl, out, &s));
        }
        filter<<<H, W, 0, filters>>>((const unsigned char *)in.frame.pPitch[0], in.pitch,
                                     (uchar4 *)out.frame.pPitch[0]);
        if (strcmp(without, "release")) {
            OK(cuEGLStreamConsumerReleaseFrame(&from_camera, resource, &s));
        }
        if (strcmp(without, "present")) {
            OK(cuEGLStreamProducerPresentFrame(&to_gl, out, &s));
        }

        // OpenGL ES.
        if (strcmp(without, "acquire")) {
            OK(!consumer_acquire(display, filtered));
        }
        bad += !drawn_is((unsigned)info.number);
        if (strcmp(without, "acquire")) {
            OK(!consumer_release(display, filtered));
        }
    }
    OK(cudaDeviceSynchronize());
    printf("%u of %d frames wrong\n", bad, FRAMES);
    OK(vtegraCameraDisconnect(camera));
    OK(cuEGLStreamProducerDisconnect(&to_gl));
    return bad != 0;
}
