/* SPDX-License-Identifier: MIT */
/* Cases 15, 18 to 22 and 24, mistakes with EGLImages, EGLSyncs and a stream's descriptor, each with
 * its corrected twin: egl_pending CASE wrong|right. */
#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GLES3/gl32.h>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_egl_interop.h>
#include <cuda_runtime.h>

#define N 64

#define CHECK(call)                          \
    do {                                     \
        int r_ = (int)(call);                \
        if (r_) {                            \
            printf("%s: 0x%x\n", #call, r_); \
            exit(2);                         \
        }                                    \
    } while (0)

static PFNEGLCREATEIMAGEKHRPROC image_create;
static PFNEGLDESTROYIMAGEKHRPROC image_destroy;
static PFNEGLCREATESYNCKHRPROC fence_create;
static PFNEGLCREATESYNC64KHRPROC sync_create;
static PFNEGLDESTROYSYNCKHRPROC sync_destroy;
static PFNEGLWAITSYNCKHRPROC sync_wait;

static EGLDisplay display;
static GLuint texture, framebuffer, other;
static EGLImageKHR image;
static cudaGraphicsResource_t resource;
static cudaArray_t array;
static cudaSurfaceObject_t surface;
static cudaStream_t stream;
static uchar4 *out;
static unsigned char pixels[N * N * 4];
static bool fixed;

__global__ void change(cudaSurfaceObject_t s, unsigned char value)
{
    surf2Dwrite(make_uchar4(value, 2, 3, 255), s, threadIdx.x * 4, blockIdx.x);
}

__global__ void look(cudaSurfaceObject_t s, uchar4 *to)
{
    surf2Dread(to, s, 5 * 4, 5);
}

static GLuint framebuffer_of(GLuint color)
{
    GLuint made;

    glGenFramebuffers(1, &made);
    glBindFramebuffer(GL_FRAMEBUFFER, made);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, color, 0);
    return made;
}

static GLuint texture_new(void)
{
    GLuint made;

    glGenTextures(1, &made);
    glBindTexture(GL_TEXTURE_2D, made);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, N, N, 0, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    return made;
}

static void gl_up(void)
{
    static const EGLint es3[] = { EGL_CONTEXT_CLIENT_VERSION, 3, EGL_NONE };

    image_create = (PFNEGLCREATEIMAGEKHRPROC)eglGetProcAddress("eglCreateImageKHR");
    image_destroy = (PFNEGLDESTROYIMAGEKHRPROC)eglGetProcAddress("eglDestroyImageKHR");
    fence_create = (PFNEGLCREATESYNCKHRPROC)eglGetProcAddress("eglCreateSyncKHR");
    sync_create = (PFNEGLCREATESYNC64KHRPROC)eglGetProcAddress("eglCreateSync64KHR");
    sync_destroy = (PFNEGLDESTROYSYNCKHRPROC)eglGetProcAddress("eglDestroySyncKHR");
    sync_wait = (PFNEGLWAITSYNCKHRPROC)eglGetProcAddress("eglWaitSyncKHR");
    display = eglGetDisplay(EGL_DEFAULT_DISPLAY);
    CHECK(!eglInitialize(display, NULL, NULL) || !eglBindAPI(EGL_OPENGL_ES_API));
    CHECK(!eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE,
                          eglCreateContext(display, EGL_NO_CONFIG_KHR, EGL_NO_CONTEXT, es3)));
    other = framebuffer_of(texture_new());
    texture = texture_new();
    framebuffer = framebuffer_of(texture);
    image = image_create(display, eglGetCurrentContext(), EGL_GL_TEXTURE_2D_KHR,
                         (EGLClientBuffer)(intptr_t)texture, NULL);
    glFinish();
}

static void up(void)
{
    cudaResourceDesc desc;

    gl_up();
    CHECK(cudaMallocHost((void **)&out, sizeof(*out)));
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    CHECK(cudaGraphicsEGLRegisterImage(&resource, image, 0));
    CHECK(cudaGraphicsSubResourceGetMappedArray(&array, resource, 0, 0));
    memset(&desc, 0, sizeof(desc));
    desc.resType = cudaResourceTypeArray;
    desc.res.array.array = array;
    CHECK(cudaCreateSurfaceObject(&surface, &desc));
}

static void clear(float red)
{
    glClearColor(red, 0, 0, 1);
    glClear(GL_COLOR_BUFFER_BIT);
}

static int gl_read(void)
{
    unsigned char p[4];

    glReadPixels(5, 5, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, p);
    return p[0];
}

static int cuda_read(void)
{
    look<<<1, 1, 0, stream>>>(surface, out);
    CHECK(cudaStreamSynchronize(stream));
    return out->x;
}

static void fence_wait(void)
{
    EGLSyncKHR fence = fence_create(display, EGL_SYNC_FENCE_KHR, NULL);
    cudaEvent_t drawn;

    CHECK(cudaEventCreateFromEGLSync(&drawn, fence, cudaEventDefault));
    CHECK(cudaStreamWaitEvent(stream, drawn, 0));
    CHECK(!sync_destroy(display, fence));
    CHECK(cudaEventDestroy(drawn));
}

static EGLSyncKHR sync_of(cudaEvent_t event)
{
    const EGLAttribKHR attributes[] = { EGL_CUDA_EVENT_HANDLE_NV, (EGLAttribKHR)event, EGL_NONE };

    return sync_create(display, EGL_SYNC_CUDA_EVENT_NV, attributes);
}

static void event_wait(void)
{
    cudaEvent_t event;

    CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
    CHECK(cudaEventRecord(event, stream));
    CHECK(!sync_wait(display, sync_of(event), 0));
}

/* 18: OpenGL's work is pending */

static void drawn(void)
{
    clear(0.2f);
    if (fixed) {
        glFinish();
    }
    printf("CUDA reads %d", cuda_read());
}

static void after_fence(void)
{
    clear(0.2f);
    if (!fixed) {
        fence_wait();
        clear(0.4f);
    } else {
        clear(0.4f);
        fence_wait();
    }
    printf("CUDA reads %d", cuda_read());
}

static void drawn_copy(void)
{
    clear(0.2f);
    if (fixed) {
        glFinish();
    }
    CHECK(cudaMemcpy2DFromArray(pixels, N * 4, array, 0, 0, N * 4, N, cudaMemcpyDeviceToHost));
    printf("CUDA copies %d", pixels[0]);
}

static void uploaded(void)
{
    memset(pixels, 77, sizeof(pixels));
    glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, N, N, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
    if (fixed) {
        glFinish();
    }
    printf("CUDA reads %d", cuda_read());
}

/* 19: CUDA's work is pending */

static void unwaited(void)
{
    change<<<N, N, 0, stream>>>(surface, 10);
    if (fixed) {
        CHECK(cudaStreamSynchronize(stream));
    }
    printf("GL reads %d", gl_read());
    CHECK(cudaStreamSynchronize(stream));
}

static GLuint shader(GLenum type, const char *text)
{
    GLuint s = glCreateShader(type);

    glShaderSource(s, 1, &text, NULL);
    glCompileShader(s);
    return s;
}

/* Draws the image over the other texture. */
static void sampled(void)
{
    static const GLfloat corners[] = { 0, 0, 1, 0, 0, 1, 1, 1 };
    GLuint program = glCreateProgram();

    glAttachShader(program, shader(GL_VERTEX_SHADER,
                                   "attribute vec2 at; varying vec2 where;\n"
                                   "void main() { where = at; gl_Position = vec4(at * 2.0 - 1.0, "
                                   "0, 1); }\n"));
    glAttachShader(program, shader(GL_FRAGMENT_SHADER,
                                   "precision mediump float; varying vec2 where;\n"
                                   "uniform sampler2D image;\n"
                                   "void main() { gl_FragColor = texture2D(image, where); }\n"));
    glBindAttribLocation(program, 0, "at");
    glLinkProgram(program);
    glUseProgram(program);
    glBindFramebuffer(GL_FRAMEBUFFER, other);
    glViewport(0, 0, N, N);
    glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, corners);
    glEnableVertexAttribArray(0);
    change<<<N, N, 0, stream>>>(surface, 20);
    if (fixed) {
        event_wait();
    }
    glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
    printf("GL draws %d", gl_read());
    CHECK(cudaStreamSynchronize(stream));
}

/* What a kernel reads, GL must not draw over; what both read, they may. */
static void overdrawn(void)
{
    look<<<1, 1, 0, stream>>>(surface, out);
    if (fixed) {
        printf("GL reads %d", gl_read());
    } else {
        clear(0.2f);
        printf("GL clears");
    }
    CHECK(cudaStreamSynchronize(stream));
}

static void copied(void)
{
    void *from;

    CHECK(cudaMalloc(&from, sizeof(pixels)));
    CHECK(cudaMemset(from, 30, sizeof(pixels)));
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy2DToArrayAsync(array, 0, 0, from, N * 4, N * 4, N, cudaMemcpyDeviceToDevice,
                                   stream));
    if (fixed) {
        CHECK(cudaStreamSynchronize(stream));
    }
    printf("GL reads %d", gl_read());
    CHECK(cudaStreamSynchronize(stream));
}

/* The same two on a renderbuffer. */
static void renderbuffer(void)
{
    cudaResourceDesc desc;
    GLuint buffer;

    glGenRenderbuffers(1, &buffer);
    glBindRenderbuffer(GL_RENDERBUFFER, buffer);
    glRenderbufferStorage(GL_RENDERBUFFER, GL_RGBA8, N, N);
    glGenFramebuffers(1, &framebuffer);
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, buffer);
    image = image_create(display, eglGetCurrentContext(), EGL_GL_RENDERBUFFER_KHR,
                         (EGLClientBuffer)(intptr_t)buffer, NULL);
    CHECK(image == EGL_NO_IMAGE_KHR);
    clear(0.2f);
    glFinish();
    CHECK(cudaGraphicsEGLRegisterImage(&resource, image, 0));
    CHECK(cudaGraphicsSubResourceGetMappedArray(&array, resource, 0, 0));
    memset(&desc, 0, sizeof(desc));
    desc.resType = cudaResourceTypeArray;
    desc.res.array.array = array;
    CHECK(cudaCreateSurfaceObject(&surface, &desc));
    printf("CUDA reads %d, ", cuda_read());
    change<<<N, N, 0, stream>>>(surface, 70);
    if (fixed) {
        CHECK(cudaStreamSynchronize(stream));
    }
    printf("GL reads %d", gl_read());
    CHECK(cudaStreamSynchronize(stream));
}

/* 20, 21: what can be registered */

static void flags(void)
{
    printf("%s", cudaGetErrorName(cudaGraphicsEGLRegisterImage(
                     &resource, image, fixed ? 0 : cudaGraphicsRegisterFlagsReadOnly)));
}

/* "An EGLImage cannot be created from a CUDA object." */
static void of_cuda(void)
{
    EGLImageKHR made = image;
    void *p;

    CHECK(cudaMalloc(&p, sizeof(pixels)));
    if (!fixed) {
        made =
            image_create(display, EGL_NO_CONTEXT, EGL_LINUX_DMA_BUF_EXT, (EGLClientBuffer)p, NULL);
        printf("%d ", made != EGL_NO_IMAGE_KHR);
    }
    printf("%s", cudaGetErrorName(cudaGraphicsEGLRegisterImage(&resource, made, 0)));
}

/* 22: the image lives as long as CUDA holds it */

static void destroyed(void)
{
    if (!fixed) {
        CHECK(!image_destroy(display, image));
        printf("%s ", cudaGetErrorName(cudaGraphicsEGLRegisterImage(&resource, image, 0)));
    }
    change<<<N, N, 0, stream>>>(surface, 40);
    CHECK(cudaStreamSynchronize(stream));
    printf("GL reads %d", gl_read());
    CHECK(cudaDestroySurfaceObject(surface));
    if (fixed) {
        CHECK(cudaGraphicsUnregisterResource(resource));
        CHECK(!image_destroy(display, image));
    }
}

/* 24: two records before the sync */

static void rerecorded(void)
{
    cudaEvent_t event;

    CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
    change<<<N, N, 0, stream>>>(surface, 50);
    CHECK(cudaEventRecord(event, stream)); /* meant for OpenGL */
    if (fixed) {
        CHECK(!sync_wait(display, sync_of(event), 0));
    }
    change<<<N, N, 0, stream>>>(surface, 60);
    CHECK(cudaEventRecord(event, stream));
    CHECK(!sync_wait(display, sync_of(event), 0));
    printf("GL reads %d", gl_read());
}

/* 26: a fence's event after the fence was destroyed */

static void sync_destroyed(void)
{
    EGLSyncKHR fence;
    cudaEvent_t drawn;

    clear(0.2f);
    fence = fence_create(display, EGL_SYNC_FENCE_KHR, NULL);
    CHECK(cudaEventCreateFromEGLSync(&drawn, fence, cudaEventDefault));
    if (fixed) {
        CHECK(cudaStreamWaitEvent(stream, drawn, 0));
    }
    CHECK(!sync_destroy(display, fence));
    if (!fixed) {
        CHECK(cudaStreamWaitEvent(stream, drawn, 0));
    }
    CHECK(cudaEventDestroy(drawn));
    printf("CUDA reads %d", cuda_read());
}

/* The CPU's wait is a use, too. */
static void sync_destroyed_wait(void)
{
    EGLSyncKHR fence;
    cudaEvent_t drawn;

    clear(0.2f);
    fence = fence_create(display, EGL_SYNC_FENCE_KHR, NULL);
    CHECK(cudaEventCreateFromEGLSync(&drawn, fence, cudaEventDefault));
    if (!fixed) {
        CHECK(!sync_destroy(display, fence));
    }
    CHECK(cudaEventSynchronize(drawn));
    if (fixed) {
        CHECK(!sync_destroy(display, fence));
    }
    CHECK(cudaEventDestroy(drawn));
    printf("CUDA reads %d", cuda_read());
}

/* 15: a stream's descriptor, in one process */

static void descriptor(void)
{
    PFNEGLCREATESTREAMKHRPROC create =
        (PFNEGLCREATESTREAMKHRPROC)eglGetProcAddress("eglCreateStreamKHR");
    PFNEGLGETSTREAMFILEDESCRIPTORKHRPROC get =
        (PFNEGLGETSTREAMFILEDESCRIPTORKHRPROC)eglGetProcAddress("eglGetStreamFileDescriptorKHR");
    PFNEGLCREATESTREAMFROMFILEDESCRIPTORKHRPROC from =
        (PFNEGLCREATESTREAMFROMFILEDESCRIPTORKHRPROC)eglGetProcAddress(
            "eglCreateStreamFromFileDescriptorKHR");
    EGLStreamKHR s = create(display, NULL);
    cudaEglStreamConnection consumer;

    CHECK(cudaEGLStreamConsumerConnect(&consumer, s));
    if (!fixed) {
        printf("connected %d", get(display, s));
        printf(" 0x%x, ", eglGetError());
        printf("foreign %d", from(display, 0) != EGL_NO_STREAM_KHR);
        printf(" 0x%x", eglGetError());
    }
    CHECK(cudaEGLStreamConsumerDisconnect(&consumer));
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } cases[] = {
        { "drawn", drawn },
        { "after_fence", after_fence },
        { "drawn_copy", drawn_copy },
        { "uploaded", uploaded },
        { "unwaited", unwaited },
        { "sampled", sampled },
        { "overdrawn", overdrawn },
        { "copied", copied },
        { "flags", flags },
        { "of_cuda", of_cuda },
        { "destroyed", destroyed },
        { "rerecorded", rerecorded },
        { "descriptor", descriptor },
        { "renderbuffer", renderbuffer },
        { "sync_destroyed", sync_destroyed },
        { "sync_destroyed_wait", sync_destroyed_wait },
    };

    fixed = argc > 2 && strcmp(argv[2], "right") == 0;
    for (size_t i = 0; argc > 2 && i < sizeof(cases) / sizeof(cases[0]); i++) {
        if (strcmp(argv[1], cases[i].name) == 0) {
            up();
            cases[i].run();
            printf("\n");
            CHECK(cudaDeviceSynchronize());
            CHECK(glGetError());
            return 0;
        }
    }
    return 4;
}
