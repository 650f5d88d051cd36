/* SPDX-License-Identifier: MIT */
/* OpenGL ES at the ends of EGLStreams: gl CASE. Each line of output is what one end sees. */
#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GLES3/gl32.h>

#include <GLES2/gl2ext.h>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_egl_interop.h>
#include <cuda_runtime.h>
#include <pthread.h>

#define W 64
#define H 16

#define CHECK(call)                          \
    do {                                     \
        int r_ = (int)(call);                \
        if (r_) {                            \
            printf("%s: 0x%x\n", #call, r_); \
            exit(2);                         \
        }                                    \
    } while (0)

#define EGL_FUNCTIONS(F)                                                                   \
    F(PFNEGLCREATESTREAMKHRPROC, eglCreateStreamKHR)                                       \
    F(PFNEGLDESTROYSTREAMKHRPROC, eglDestroyStreamKHR)                                     \
    F(PFNEGLQUERYSTREAMKHRPROC, eglQueryStreamKHR)                                         \
    F(PFNEGLQUERYSTREAMU64KHRPROC, eglQueryStreamu64KHR)                                   \
    F(PFNEGLSTREAMATTRIBKHRPROC, eglStreamAttribKHR)                                       \
    F(PFNEGLSTREAMCONSUMERGLTEXTUREEXTERNALKHRPROC, eglStreamConsumerGLTextureExternalKHR) \
    F(PFNEGLSTREAMCONSUMERACQUIREKHRPROC, eglStreamConsumerAcquireKHR)                     \
    F(PFNEGLSTREAMCONSUMERRELEASEKHRPROC, eglStreamConsumerReleaseKHR)                     \
    F(PFNEGLSTREAMCONSUMERACQUIREATTRIBKHRPROC, eglStreamConsumerAcquireAttribKHR)         \
    F(PFNEGLCREATESTREAMPRODUCERSURFACEKHRPROC, eglCreateStreamProducerSurfaceKHR)         \
    F(PFNEGLCREATESTREAMSYNCNVPROC, eglCreateStreamSyncNV)                                 \
    F(PFNEGLSIGNALSYNCKHRPROC, eglSignalSyncKHR)                                           \
    F(PFNEGLDESTROYSYNCKHRPROC, eglDestroySyncKHR)                                         \
    F(PFNEGLCLIENTWAITSYNCKHRPROC, eglClientWaitSyncKHR)                                   \
    F(PFNEGLGETSYNCATTRIBKHRPROC, eglGetSyncAttribKHR)
#define DECLARE(type, name) static type p_##name;
EGL_FUNCTIONS(DECLARE)

static EGLDisplay display;
static EGLConfig config;
static EGLContext context;
static EGLStreamKHR stream;
static GLuint texture, program, target;

/* Red is x, green is y, blue is @blue, alpha 255; in the byte order of cudaEGL.h's ABGR. */
__global__ void paint(uchar4 *p, int blue)
{
    int x = threadIdx.x, y = blockIdx.x;

    p[y * W + x] = make_uchar4((unsigned char)x, (unsigned char)y, (unsigned char)blue, 255);
}

__global__ void paint_surface(cudaSurfaceObject_t s, int blue)
{
    int x = threadIdx.x, y = blockIdx.x;

    surf2Dwrite(make_uchar4((unsigned char)x, (unsigned char)y, (unsigned char)blue, 255), s, x * 4,
                y);
}

__global__ void fill(unsigned char *p, unsigned char value)
{
    p[blockIdx.x * blockDim.x + threadIdx.x] = value;
}

__global__ void look(cudaSurfaceObject_t s, uchar4 *out)
{
    surf2Dread(&out[threadIdx.x], s, 5 * 4, threadIdx.x ? H - 1 : 0);
}

static GLuint shader(GLenum type, const char *text)
{
    GLuint s = glCreateShader(type);
    GLint ok;

    glShaderSource(s, 1, &text, NULL);
    glCompileShader(s);
    glGetShaderiv(s, GL_COMPILE_STATUS, &ok);
    CHECK(!ok);
    return s;
}

static void gl_up(void)
{
    static const char vertex[] =
        "attribute vec2 at; varying vec2 where;\n"
        "void main() { where = at; gl_Position = vec4(at * 2.0 - 1.0, 0, 1); }\n";
    /* NVIDIA's name of the extension */
    static const char fragment[] = "#extension GL_NV_EGL_stream_consumer_external : require\n"
                                   "precision mediump float; varying vec2 where;\n"
                                   "uniform samplerExternalOES image;\n"
                                   "void main() { gl_FragColor = texture2D(image, where); }\n";
    static const EGLint es3[] = { EGL_CONTEXT_CLIENT_VERSION, 3, EGL_NONE };
    static const EGLint wanted[] = { EGL_SURFACE_TYPE,
                                     EGL_STREAM_BIT_KHR,
                                     EGL_RENDERABLE_TYPE,
                                     EGL_OPENGL_ES3_BIT,
                                     EGL_RED_SIZE,
                                     8,
                                     EGL_GREEN_SIZE,
                                     8,
                                     EGL_BLUE_SIZE,
                                     8,
                                     EGL_ALPHA_SIZE,
                                     8,
                                     EGL_NONE };
    GLuint color;
    EGLint n, type;

#define FIND(type, name)                       \
    p_##name = (type)eglGetProcAddress(#name); \
    CHECK(!p_##name);
    EGL_FUNCTIONS(FIND)
    display = eglGetDisplay(EGL_DEFAULT_DISPLAY);
    CHECK(!eglInitialize(display, NULL, NULL) || !eglBindAPI(EGL_OPENGL_ES_API));
    CHECK(!strstr(eglQueryString(display, EGL_EXTENSIONS), "EGL_KHR_stream_consumer_gltexture"));
    CHECK(!strstr(eglQueryString(display, EGL_EXTENSIONS), "EGL_KHR_stream_producer_eglsurface"));
    CHECK(!eglChooseConfig(display, wanted, &config, 1, &n) || n != 1);
    CHECK(!eglGetConfigAttrib(display, config, EGL_SURFACE_TYPE, &type));
    CHECK(!(type & EGL_STREAM_BIT_KHR));
    context = eglCreateContext(display, config, EGL_NO_CONTEXT, es3);
    CHECK(!eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, context));
    CHECK(!strstr((const char *)glGetString(GL_EXTENSIONS), "GL_NV_EGL_stream_consumer_external"));
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

/* Draws the texture over the whole target. */
static void draw(void)
{
    static const GLfloat corners[] = { 0, 0, 1, 0, 0, 1, 1, 1 };

    glViewport(0, 0, W, H);
    glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, corners);
    glEnableVertexAttribArray(0);
    glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
}

static void gl_pixel(const char *what, int x, int y)
{
    unsigned char p[4];

    draw();
    glReadPixels(x, y, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, p);
    printf("%s: %d %d %d %d\n", what, p[0], p[1], p[2], p[3]);
}

static EGLint state(void)
{
    EGLint value = 0;

    CHECK(!p_eglQueryStreamKHR(display, stream, EGL_STREAM_STATE_KHR, &value));
    return value;
}

static void consumer_up(const EGLint *attributes)
{
    stream = p_eglCreateStreamKHR(display, attributes);
    CHECK(stream == EGL_NO_STREAM_KHR);
    CHECK(!p_eglStreamConsumerGLTextureExternalKHR(display, stream));
}

static cudaEglFrame frame_new(cudaEglColorFormat format, int channels)
{
    cudaEglFrame f;

    memset(&f, 0, sizeof(f));
    f.planeDesc[0].width = W;
    f.planeDesc[0].height = H;
    f.planeDesc[0].pitch = W * channels;
    f.planeDesc[0].numChannels = channels;
    f.planeDesc[0].channelDesc =
        cudaCreateChannelDesc(8, channels > 1 ? 8 : 0, channels > 2 ? 8 : 0, channels > 3 ? 8 : 0,
                              cudaChannelFormatKindUnsigned);
    f.planeCount = 1;
    f.frameType = cudaEglFrameTypePitch;
    f.eglColorFormat = format;
    CHECK(cudaMalloc(&f.frame.pPitch[0].ptr, W * H * channels));
    return f;
}

/* --- CUDA to GL --- */

static void to_gl(void)
{
    cudaEglStreamConnection producer;
    cudaEglFrame frames[3], back;
    cudaStream_t s;
    EGLuint64KHR number = 0;

    consumer_up(NULL);
    CHECK(cudaStreamCreate(&s));
    CHECK(cudaEGLStreamProducerConnect(&producer, stream, W, H));
    for (int i = 0; i < 3; i++) {
        frames[i] = frame_new(cudaEglColorFormatABGR, 4);
        paint<<<H, W, 0, s>>>((uchar4 *)frames[i].frame.pPitch[0].ptr, 10 + i);
    }
    CHECK(cudaEGLStreamProducerPresentFrame(&producer, frames[0], &s));
    CHECK(!p_eglStreamConsumerAcquireKHR(display, stream));
    gl_pixel("pitch", 9, 3);
    CHECK(!p_eglStreamConsumerReleaseKHR(display, stream));
    CHECK(!p_eglStreamConsumerReleaseKHR(display, stream)); /* a second one does nothing */
    printf("state 0x%x\n", state());
    CHECK(cudaEGLStreamProducerPresentFrame(&producer, frames[1], &s));
    printf("state 0x%x\n", state());
    CHECK(!p_eglStreamConsumerAcquireKHR(display, stream));
    CHECK(cudaEGLStreamProducerPresentFrame(&producer, frames[2], &s));
    CHECK(!p_eglStreamConsumerAcquireKHR(display, stream)); /* releases the one before */
    gl_pixel("the newest", 63, 15);
    CHECK(!p_eglQueryStreamu64KHR(display, stream, EGL_CONSUMER_FRAME_KHR, &number));
    printf("frame %d\n", (int)number);
    for (int i = 0; i < 2; i++) {
        CHECK(cudaEGLStreamProducerReturnFrame(&producer, &back, &s));
        printf("back %d\n", back.frame.pPitch[0].ptr == frames[i].frame.pPitch[0].ptr);
    }
    paint<<<H, W, 0, s>>>((uchar4 *)back.frame.pPitch[0].ptr, 99); /* it is ours again */
    CHECK(cudaEGLStreamProducerPresentFrame(&producer, back, &s));
    gl_pixel("as acquired", 63, 15);
    CHECK(!p_eglStreamConsumerAcquireKHR(display, stream));
    gl_pixel("written again", 63, 15);
    CHECK(cudaEGLStreamProducerDisconnect(&producer));
    CHECK(cudaDeviceSynchronize());
    CHECK(glGetError());
}

static void once(const char *what, const cudaEglFrame &f)
{
    cudaEglStreamConnection producer;

    consumer_up(NULL);
    CHECK(cudaEGLStreamProducerConnect(&producer, stream, W, H));
    CHECK(cudaEGLStreamProducerPresentFrame(&producer, f, NULL));
    CHECK(cudaDeviceSynchronize());
    if (p_eglStreamConsumerAcquireKHR(display, stream)) {
        gl_pixel(what, 9, 3);
    } else {
        printf("%s: error 0x%x state 0x%x\n", what, eglGetError(), state());
    }
    CHECK(cudaEGLStreamProducerDisconnect(&producer));
    CHECK(!p_eglDestroyStreamKHR(display, stream));
}

static void formats(void)
{
    cudaChannelFormatDesc four = cudaCreateChannelDesc(8, 8, 8, 8, cudaChannelFormatKindUnsigned);
    static unsigned char chroma[W / 2 * H / 2 * 2];
    cudaEglFrame f = frame_new(cudaEglColorFormatABGR, 4);
    cudaSurfaceObject_t surface;
    cudaResourceDesc desc;
    void *u;

    paint<<<H, W>>>((uchar4 *)f.frame.pPitch[0].ptr, 200);
    once("ABGR", f);
    f.eglColorFormat = cudaEglColorFormatARGB; /* the first byte is blue */
    once("ARGB", f);
    f.eglColorFormat = cudaEglColorFormatRGBA; /* alpha, blue, green, red */
    once("RGBA", f);
    f.eglColorFormat = cudaEglColorFormatBGRA;
    once("BGRA", f);
    f.planeDesc[0].width = W * 4; /* in bytes, as a sample of NVIDIA's has it */
    f.eglColorFormat = cudaEglColorFormatABGR;
    once("width in bytes", f);

    memset(&desc, 0, sizeof(desc));
    desc.resType = cudaResourceTypeArray;
    f = frame_new(cudaEglColorFormatABGR, 4);
    f.frameType = cudaEglFrameTypeArray;
    CHECK(cudaMallocArray(&f.frame.pArray[0], &four, W, H, cudaArraySurfaceLoadStore));
    desc.res.array.array = f.frame.pArray[0];
    CHECK(cudaCreateSurfaceObject(&surface, &desc));
    paint_surface<<<H, W>>>(surface, 201);
    once("array", f);

    f = frame_new(cudaEglColorFormatL, 1);
    fill<<<H, W>>>((unsigned char *)f.frame.pPitch[0].ptr, 77);
    once("L", f);

    /* BT.601's red: Y 81, U 90, V 240 */
    f = frame_new(cudaEglColorFormatYUV420SemiPlanar, 1);
    fill<<<H, W>>>((unsigned char *)f.frame.pPitch[0].ptr, 81);
    for (size_t i = 0; i < sizeof(chroma); i += 2) {
        chroma[i] = 90;
        chroma[i + 1] = 240;
    }
    f.planeCount = 2;
    CHECK(cudaMalloc(&u, sizeof(chroma)));
    CHECK(cudaMemcpy(u, chroma, sizeof(chroma), cudaMemcpyHostToDevice));
    f.frame.pPitch[1].ptr = u;
    once("NV12", f);
    f.eglColorFormat = cudaEglColorFormatYVU420SemiPlanar;
    once("NV21", f);
    f = frame_new(cudaEglColorFormatYUV420Planar, 1);
    fill<<<H, W>>>((unsigned char *)f.frame.pPitch[0].ptr, 81);
    f.planeCount = 3;
    CHECK(cudaMalloc(&f.frame.pPitch[1].ptr, W * H / 4));
    CHECK(cudaMalloc(&f.frame.pPitch[2].ptr, W * H / 4));
    fill<<<H / 4, W>>>((unsigned char *)f.frame.pPitch[1].ptr, 90);
    fill<<<H / 4, W>>>((unsigned char *)f.frame.pPitch[2].ptr, 240);
    once("I420", f);

    f = frame_new(cudaEglColorFormatBayerRGGB, 1);
    once("Bayer", f);
    CHECK(glGetError());
}

/* --- GL to CUDA, GL to GL --- */

static EGLSurface surface_new(int width, int height)
{
    const EGLint attributes[] = { EGL_WIDTH, width, EGL_HEIGHT, height, EGL_NONE };

    return p_eglCreateStreamProducerSurfaceKHR(display, config, stream, attributes);
}

/* The lower half has the colour @red, the upper one twice that. */
static void surface_draw(EGLSurface surface, int red)
{
    CHECK(!eglMakeCurrent(display, surface, surface, context));
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    glDisable(GL_SCISSOR_TEST);
    glClearColor((float)red / 255, 0, 0, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    glEnable(GL_SCISSOR_TEST);
    glScissor(0, H / 2, W, H / 2);
    glClearColor((float)red * 2 / 255, 0, 0, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    glDisable(GL_SCISSOR_TEST);
}

static void from_gl(void)
{
    cudaEglStreamConnection consumer;
    cudaGraphicsResource_t resource;
    cudaSurfaceObject_t object;
    cudaResourceDesc desc;
    EGLSurface surface;
    cudaEglFrame frame;
    cudaStream_t s;
    uchar4 *out;

    memset(&desc, 0, sizeof(desc));
    stream = p_eglCreateStreamKHR(display, NULL);
    CHECK(cudaStreamCreate(&s));
    CHECK(cudaMallocHost((void **)&out, 2 * sizeof(*out)));
    CHECK(cudaEGLStreamConsumerConnect(&consumer, stream));
    surface = surface_new(W, H);
    CHECK(surface == EGL_NO_SURFACE);
    for (int i = 1; i <= 4; i++) {
        surface_draw(surface, 10 * i);
        CHECK(!eglSwapBuffers(display, surface));
        CHECK(cudaEGLStreamConsumerAcquireFrame(&consumer, &resource, &s, 0));
        CHECK(cudaGraphicsResourceGetMappedEglFrame(&frame, resource, 0, 0));
        desc.resType = cudaResourceTypeArray;
        desc.res.array.array = frame.frame.pArray[0];
        CHECK(cudaCreateSurfaceObject(&object, &desc));
        look<<<1, 2, 0, s>>>(object, out);
        CHECK(cudaStreamSynchronize(s));
        printf("frame %d of %u x %u: %d %d, alpha %d\n", i, frame.planeDesc[0].width,
               frame.planeDesc[0].height, out[0].x, out[1].x, out[0].w);
        CHECK(cudaDestroySurfaceObject(object));
        CHECK(cudaEGLStreamConsumerReleaseFrame(&consumer, resource, &s));
    }
    CHECK(!eglDestroySurface(display, surface));
    printf("state 0x%x\n", state());
    CHECK(cudaEGLStreamConsumerDisconnect(&consumer));
    CHECK(!p_eglDestroyStreamKHR(display, stream));
    CHECK(glGetError());
}

static void gl_gl(void)
{
    EGLSurface surface;

    consumer_up(NULL);
    surface = surface_new(W, H);
    CHECK(surface == EGL_NO_SURFACE);
    surface_draw(surface, 20);
    CHECK(!eglSwapBuffers(display, surface));
    surface_draw(surface, 30); /* not shown */
    CHECK(!p_eglStreamConsumerAcquireKHR(display, stream));
    glBindFramebuffer(GL_FRAMEBUFFER, target);
    gl_pixel("below", 5, 1);
    gl_pixel("above", 5, H - 2);
    CHECK(!eglSwapBuffers(display, surface));
    CHECK(!p_eglStreamConsumerAcquireKHR(display, stream));
    gl_pixel("below", 5, 1);
    glDeleteTextures(1, &texture);
    printf("state 0x%x\n", state());
    printf("swap %d", eglSwapBuffers(display, surface));
    printf(" 0x%x\n", eglGetError());
    CHECK(!eglDestroySurface(display, surface));
    CHECK(glGetError());
}

/* --- what is not allowed --- */

static void refused(const char *what, EGLBoolean ok)
{
    printf("%s: %d 0x%x\n", what, ok, eglGetError());
}

static void states(void)
{
    static const EGLAttrib odd[] = { EGL_WIDTH, 1, EGL_NONE };
    PFNEGLCREATEIMAGEKHRPROC image_create =
        (PFNEGLCREATEIMAGEKHRPROC)eglGetProcAddress("eglCreateImageKHR");
    cudaEglStreamConnection producer;
    EGLSurface surface;
    EGLStreamKHR other;
    GLuint empty;

    stream = p_eglCreateStreamKHR(display, NULL);
    /* EGL_KHR_gl_image: EGL_BAD_PARAMETER. Mesa's answer is the program's. */
    glGenTextures(1, &empty);
    glBindTexture(GL_TEXTURE_2D, empty);
    refused("image of nothing", image_create(display, context, EGL_GL_TEXTURE_2D_KHR,
                                             (EGLClientBuffer)(intptr_t)empty, NULL) != NULL);
    refused("acquire, no consumer", p_eglStreamConsumerAcquireKHR(display, stream));
    refused("release, no consumer", p_eglStreamConsumerReleaseKHR(display, stream));
    refused("surface, no consumer", surface_new(W, H) != EGL_NO_SURFACE);
    glBindTexture(GL_TEXTURE_EXTERNAL_OES, 0);
    refused("texture 0", p_eglStreamConsumerGLTextureExternalKHR(display, stream));
    glBindTexture(GL_TEXTURE_EXTERNAL_OES, texture);
    CHECK(!eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT));
    refused("no context", p_eglStreamConsumerGLTextureExternalKHR(display, stream));
    CHECK(!eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, context));
    refused("no stream", p_eglStreamConsumerGLTextureExternalKHR(display, (EGLStreamKHR)8));
    CHECK(!p_eglStreamConsumerGLTextureExternalKHR(display, stream));
    refused("a second consumer", p_eglStreamConsumerGLTextureExternalKHR(display, stream));
    printf("CUDA as second: %s\n",
           cudaGetErrorName(cudaEGLStreamConsumerConnect(&producer, stream)));
    refused("acquire, CONNECTING", p_eglStreamConsumerAcquireKHR(display, stream));
    refused("no height", surface_new(W, 0) != EGL_NO_SURFACE);
    surface = surface_new(W, H);
    CHECK(surface == EGL_NO_SURFACE);
    refused("a second producer", surface_new(W, H) != EGL_NO_SURFACE);
    refused("acquire, EMPTY", p_eglStreamConsumerAcquireKHR(display, stream));
    CHECK(!p_eglStreamAttribKHR(display, stream, EGL_CONSUMER_ACQUIRE_TIMEOUT_USEC_KHR, 1000));
    refused("acquire, EMPTY, 1 ms", p_eglStreamConsumerAcquireKHR(display, stream));
    refused("not current", eglSwapBuffers(display, surface));
    refused("attribute", p_eglStreamConsumerAcquireAttribKHR(display, stream, odd));
    CHECK(!eglMakeCurrent(display, surface, surface, context));
    CHECK(!eglSwapBuffers(display, surface));
    CHECK(!eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT));
    refused("acquire, no context", p_eglStreamConsumerAcquireKHR(display, stream));
    CHECK(!eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, context));
    CHECK(!p_eglStreamConsumerAcquireKHR(display, stream));
    CHECK(!eglDestroySurface(display, surface));
    refused("acquire, DISCONNECTED", p_eglStreamConsumerAcquireKHR(display, stream));
    refused("release, DISCONNECTED", p_eglStreamConsumerReleaseKHR(display, stream));
    other = stream;
    CHECK(!p_eglDestroyStreamKHR(display, stream));
    refused("acquire, destroyed", p_eglStreamConsumerAcquireKHR(display, other));
    stream = p_eglCreateStreamKHR(display, NULL); /* the texture is free again */
    CHECK(!p_eglStreamConsumerGLTextureExternalKHR(display, stream));
    CHECK(!eglDestroyContext(display, context));
    CHECK(!eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT));
    printf("state 0x%x\n", state());
}

/* --- EGL_NV_stream_sync --- */

static EGLint status_of(EGLSyncKHR sync)
{
    EGLint value = 0;

    CHECK(!p_eglGetSyncAttribKHR(display, sync, EGL_SYNC_STATUS_KHR, &value));
    return value;
}

static void sync(void)
{
    static const EGLint odd[] = { EGL_WIDTH, 1, EGL_NONE };
    EGLSurface surface;
    EGLSyncKHR made;
    EGLint value;

    stream = p_eglCreateStreamKHR(display, NULL);
    made = p_eglCreateStreamSyncNV(display, stream, EGL_SYNC_NEW_FRAME_NV, NULL);
    refused("CREATED", made != EGL_NO_SYNC_KHR);
    CHECK(!p_eglStreamConsumerGLTextureExternalKHR(display, stream));
    made = p_eglCreateStreamSyncNV(display, stream, EGL_SYNC_FENCE_KHR, NULL);
    refused("type", made != EGL_NO_SYNC_KHR);
    made = p_eglCreateStreamSyncNV(display, stream, EGL_SYNC_NEW_FRAME_NV, odd);
    refused("attribute", made != EGL_NO_SYNC_KHR);
    made = p_eglCreateStreamSyncNV(display, stream, EGL_SYNC_NEW_FRAME_NV, NULL);
    CHECK(made == EGL_NO_SYNC_KHR);
    refused("a second", p_eglCreateStreamSyncNV(display, stream, EGL_SYNC_NEW_FRAME_NV, NULL) !=
                            EGL_NO_SYNC_KHR);
    surface = surface_new(W, H);
    surface_draw(surface, 1);
    CHECK(!p_eglGetSyncAttribKHR(display, made, EGL_SYNC_TYPE_KHR, &value));
    printf("type 0x%x status 0x%x", value, status_of(made));
    printf(" wait 0x%x", p_eglClientWaitSyncKHR(display, made, 0, 1000000));
    CHECK(!eglSwapBuffers(display, surface));
    printf(" wait 0x%x", p_eglClientWaitSyncKHR(display, made, 0, EGL_FOREVER_KHR));
    CHECK(!p_eglStreamConsumerAcquireKHR(display, stream));
    printf(" status 0x%x", status_of(made)); /* nothing but eglSignalSyncKHR() resets it */
    CHECK(!p_eglSignalSyncKHR(display, made, EGL_UNSIGNALED_KHR));
    printf(" status 0x%x", status_of(made));
    CHECK(!eglSwapBuffers(display, surface));
    printf(" status 0x%x\n", status_of(made));
    refused("mode", p_eglSignalSyncKHR(display, made, 1));
    CHECK(!p_eglDestroySyncKHR(display, made));
    made = p_eglCreateStreamSyncNV(display, stream, EGL_SYNC_NEW_FRAME_NV, NULL);
    refused("another", made != EGL_NO_SYNC_KHR);
    CHECK(!eglDestroySurface(display, surface));
}

/* --- two threads --- */

#define FRAMES 8

static void *produce(void *)
{
    cudaEglStreamConnection producer;
    cudaEglFrame frames[3], back;
    cudaStream_t s;

    CHECK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    CHECK(cudaEGLStreamProducerConnect(&producer, stream, W, H));
    for (int i = 0; i < 3; i++) {
        frames[i] = frame_new(cudaEglColorFormatABGR, 4);
    }
    for (int i = 0; i < FRAMES; i++) {
        cudaEglFrame *f = &frames[i % 3];

        if (i >= 3) {
            while (cudaEGLStreamProducerReturnFrame(&producer, &back, &s) !=
                   cudaSuccess) { /* none is back yet */
                cudaGetLastError();
            }
            f = &back;
        }
        paint<<<H, W, 0, s>>>((uchar4 *)f->frame.pPitch[0].ptr, 50 + i);
        CHECK(cudaEGLStreamProducerPresentFrame(&producer, *f, &s));
    }
    return NULL;
}

static void threads(void)
{
    static const EGLint fifo[] = { EGL_STREAM_FIFO_LENGTH_KHR, 2,
                                   EGL_CONSUMER_ACQUIRE_TIMEOUT_USEC_KHR, -1, EGL_NONE };
    pthread_t thread;
    EGLuint64KHR number = 0;

    consumer_up(fifo);
    CHECK(pthread_create(&thread, NULL, produce, NULL));
    while (state() == EGL_STREAM_STATE_CONNECTING_KHR) {
    }
    while (number < FRAMES) {
        EGLuint64KHR before = number;

        if (!p_eglStreamConsumerAcquireKHR(display, stream)) {
            printf("acquire 0x%x state 0x%x\n", eglGetError(), state());
            exit(2);
        }
        CHECK(!p_eglQueryStreamu64KHR(display, stream, EGL_CONSUMER_FRAME_KHR, &number));
        if (number != before) {
            gl_pixel("frame", 20, 10);
        }
        CHECK(!p_eglStreamConsumerReleaseKHR(display, stream));
    }
    CHECK(pthread_join(thread, NULL));
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } cases[] = { { "to_gl", to_gl },    { "formats", formats }, { "from_gl", from_gl },
                  { "gl_gl", gl_gl },    { "states", states },   { "sync", sync },
                  { "threads", threads } };

    for (size_t i = 0; argc > 1 && i < sizeof(cases) / sizeof(cases[0]); i++) {
        if (strcmp(argv[1], cases[i].name) == 0) {
            gl_up();
            cases[i].run();
            return 0;
        }
    }
    return 4;
}
