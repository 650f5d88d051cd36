// SPDX-License-Identifier: MIT
// Camera, CUDA filter, OpenGL ES consumer over two EGLStreams; README.md says what the argument
// leaves out.
#include "filter.h"

#include <GLES3/gl32.h>

#include <GLES2/gl2ext.h>

// Red is the filtered luma.
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
            right = right && pixels[y][x][0] == filtered_luma(x, y, number) &&
                    pixels[y][x][1] == x;
        }
    }
    return right;
}

int main(int argc, char **argv)
{
    const char *without = argc > 1 ? argv[1] : "";
    filter_stage<uchar4> stage;
    EGLStreamKHR raw, filtered;
    unsigned bad = 0;

    gl_open();
    raw = stream_create(display, NULL);
    filtered = stream_create(display, NULL);
    filter_open(&stage, raw);
    OK(!consumer_connect(display, filtered));
    filter_connect(&stage, filtered);

    for (int i = 0; i < FRAMES; i++) {
        unsigned number = filter_frame(&stage, filter, i, without);

        if (strcmp(without, "acquire")) {
            OK(!consumer_acquire(display, filtered));
        }
        bad += !drawn_is(number);
        if (strcmp(without, "acquire")) {
            OK(!consumer_release(display, filtered));
        }
    }
    return filter_close(&stage, bad);
}
