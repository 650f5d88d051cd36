/* SPDX-License-Identifier: MIT */
/* CUDA's OpenGL interoperability without a window: interop CASE. A vertex buffer that a kernel
 * moves and OpenGL draws, as NVIDIA's sample simpleGL; a texture and a renderbuffer; and the codes.
 */
#include <GL/gl.h>

#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GL/glext.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda.h>
#include <cudaGL.h>
#include <cuda_egl_interop.h>
#include <cuda_gl_interop.h>
#include <cuda_runtime.h>

#define N 64

#define CHECK(call)                                                              \
    do {                                                                         \
        int r_ = (int)(call);                                                    \
        if (r_) {                                                                \
            fprintf(stderr, "%s:%d: %s: 0x%x\n", __FILE__, __LINE__, #call, r_); \
            exit(2);                                                             \
        }                                                                        \
    } while (0)

#define GL_FUNCTIONS(F)                                      \
    F(PFNGLGENBUFFERSPROC, glGenBuffers)                     \
    F(PFNGLBINDBUFFERPROC, glBindBuffer)                     \
    F(PFNGLBUFFERDATAPROC, glBufferData)                     \
    F(PFNGLGETBUFFERSUBDATAPROC, glGetBufferSubData)         \
    F(PFNGLMAPBUFFERPROC, glMapBuffer)                       \
    F(PFNGLUNMAPBUFFERPROC, glUnmapBuffer)                   \
    F(PFNGLGENFRAMEBUFFERSPROC, glGenFramebuffers)           \
    F(PFNGLBINDFRAMEBUFFERPROC, glBindFramebuffer)           \
    F(PFNGLFRAMEBUFFERTEXTURE2DPROC, glFramebufferTexture2D) \
    F(PFNGLGENRENDERBUFFERSPROC, glGenRenderbuffers)         \
    F(PFNGLBINDRENDERBUFFERPROC, glBindRenderbuffer)         \
    F(PFNGLRENDERBUFFERSTORAGEPROC, glRenderbufferStorage)   \
    F(PFNGLFRAMEBUFFERRENDERBUFFERPROC, glFramebufferRenderbuffer)
#define DECLARE(type, name) static type p_##name;
GL_FUNCTIONS(DECLARE)

static EGLContext context;
static EGLDisplay display;
static cudaStream_t stream;

/* Two triangles that cover the lower part of the picture, up to @height of -1 to 1. */
__global__ void vertices(float2 *p, float height)
{
    const float2 corners[] = { { -1, -1 }, { 1, -1 }, { -1, height }, { 1, height } };

    p[threadIdx.x] = corners[threadIdx.x];
}

__global__ void add(unsigned *p, unsigned value)
{
    p[threadIdx.x] += value;
}

__global__ void invert(cudaSurfaceObject_t s)
{
    int x = threadIdx.x, y = blockIdx.x;
    uchar4 v;

    surf2Dread(&v, s, x * 4, y);
    v = make_uchar4(255 - v.x, 255 - v.y, (unsigned char)y, 255);
    surf2Dwrite(v, s, x * 4, y);
}

static void up(void)
{
    display = eglGetDisplay(EGL_DEFAULT_DISPLAY);
    CHECK(!eglInitialize(display, NULL, NULL));
    CHECK(!eglBindAPI(EGL_OPENGL_API));
    context = eglCreateContext(display, (EGLConfig)0, EGL_NO_CONTEXT, NULL);
    CHECK(!eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, context));
#define LOAD(type, name) p_##name = (type)eglGetProcAddress(#name);
    GL_FUNCTIONS(LOAD)
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
}

static GLuint buffer_new(GLsizeiptr bytes, const void *data)
{
    GLuint buffer;

    p_glGenBuffers(1, &buffer);
    p_glBindBuffer(GL_ARRAY_BUFFER, buffer);
    p_glBufferData(GL_ARRAY_BUFFER, bytes, data, GL_DYNAMIC_DRAW);
    CHECK(glGetError());
    return buffer;
}

static GLuint texture_new(void)
{
    GLuint texture, framebuffer;

    glGenTextures(1, &texture);
    glBindTexture(GL_TEXTURE_2D, texture);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, N, N, 0, GL_RGBA, GL_UNSIGNED_BYTE, NULL);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    p_glGenFramebuffers(1, &framebuffer);
    p_glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
    p_glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, texture, 0);
    glViewport(0, 0, N, N);
    return texture;
}

static int pixel(int x, int y)
{
    unsigned char p[4];

    glReadPixels(x, y, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, p);
    return p[0] << 16 | p[1] << 8 | p[2];
}

/* --- simpleGL: each frame the kernel moves what OpenGL draws --- */

static void draw(void)
{
    GLuint buffer = buffer_new(4 * sizeof(float2), NULL);
    cudaGraphicsResource_t resource;

    texture_new();
    CHECK(cudaGraphicsGLRegisterBuffer(&resource, buffer, cudaGraphicsMapFlagsWriteDiscard));
    for (int i = 0; i < 3; i++) {
        size_t bytes = 0;
        float2 *p;

        CHECK(cudaGraphicsMapResources(1, &resource, stream));
        CHECK(cudaGraphicsResourceGetMappedPointer((void **)&p, &bytes, resource));
        vertices<<<1, 4, 0, stream>>>(p, (float)i / 2 - 0.5f);
        CHECK(cudaGraphicsUnmapResources(1, &resource, stream));
        glClearColor(0, 0, 1, 1);
        glClear(GL_COLOR_BUFFER_BIT);
        p_glBindBuffer(GL_ARRAY_BUFFER, buffer);
        glEnableClientState(GL_VERTEX_ARRAY);
        glVertexPointer(2, GL_FLOAT, 0, NULL);
        glColor3f(1, 0, 0);
        glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
        printf("%zu bytes: %06x %06x %06x %06x\n", bytes, pixel(3, 8), pixel(3, 24), pixel(3, 40),
               pixel(3, 56));
    }
    CHECK(cudaGraphicsUnregisterResource(resource));
}

/* --- both ways, in a buffer, a texture and a renderbuffer --- */

static void both(void)
{
    unsigned numbers[32], got[32];
    cudaGraphicsResource_t resource;
    unsigned *p;
    GLuint buffer;

    for (unsigned i = 0; i < 32; i++) {
        numbers[i] = i * i;
    }
    buffer = buffer_new(sizeof(numbers), numbers);
    CHECK(cudaGraphicsGLRegisterBuffer(&resource, buffer, cudaGraphicsRegisterFlagsNone));
    for (int i = 0; i < 2; i++) {
        CHECK(cudaGraphicsMapResources(1, &resource, stream));
        CHECK(cudaGraphicsResourceGetMappedPointer((void **)&p, NULL, resource));
        add<<<1, 32, 0, stream>>>(p, 1000);
        CHECK(cudaGraphicsUnmapResources(1, &resource, stream));
        p_glGetBufferSubData(GL_ARRAY_BUFFER, 0, sizeof(got), got);
        printf("buffer: %u %u\n", got[0], got[31]);
    }
    CHECK(cudaGraphicsResourceSetMapFlags(resource, cudaGraphicsMapFlagsReadOnly));
    CHECK(cudaGraphicsMapResources(1, &resource, stream));
    add<<<1, 32, 0, stream>>>(p, 1000);
    CHECK(cudaGraphicsUnmapResources(1, &resource, stream));
    p_glGetBufferSubData(GL_ARRAY_BUFFER, 0, sizeof(got), got);
    printf("read only: %u\n", got[0]);
    CHECK(cudaGraphicsUnregisterResource(resource));
}

static void inverted(cudaGraphicsResource_t resource, const char *what)
{
    cudaSurfaceObject_t surface;
    cudaResourceDesc desc;
    cudaArray_t array;

    glClearColor(1, 0, 0, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    CHECK(cudaGraphicsMapResources(1, &resource, stream));
    CHECK(cudaGraphicsSubResourceGetMappedArray(&array, resource, 0, 0));
    memset(&desc, 0, sizeof(desc));
    desc.resType = cudaResourceTypeArray;
    desc.res.array.array = array;
    CHECK(cudaCreateSurfaceObject(&surface, &desc));
    invert<<<N, N, 0, stream>>>(surface);
    CHECK(cudaGraphicsUnmapResources(1, &resource, stream));
    CHECK(cudaDestroySurfaceObject(surface));
    printf("%s: %06x %06x\n", what, pixel(1, 2), pixel(60, 50));
    CHECK(cudaGraphicsUnregisterResource(resource));
}

static void images(void)
{
    cudaGraphicsResource_t resource;
    GLuint renderbuffer;

    CHECK(cudaGraphicsGLRegisterImage(&resource, texture_new(), GL_TEXTURE_2D,
                                      cudaGraphicsRegisterFlagsSurfaceLoadStore));
    inverted(resource, "texture");
    p_glGenRenderbuffers(1, &renderbuffer);
    p_glBindRenderbuffer(GL_RENDERBUFFER, renderbuffer);
    p_glRenderbufferStorage(GL_RENDERBUFFER, GL_RGBA8, N, N);
    p_glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER,
                                renderbuffer);
    CHECK(cudaGraphicsGLRegisterImage(&resource, renderbuffer, GL_RENDERBUFFER,
                                      cudaGraphicsRegisterFlagsSurfaceLoadStore));
    inverted(resource, "renderbuffer");
}

/* --- codes --- */

static void says(const char *what, cudaError_t e)
{
    printf("%s: %s\n", what, cudaGetErrorName(e));
    cudaGetLastError();
}

static void codes(void)
{
    GLuint buffer = buffer_new(64, NULL), texture = texture_new();
    cudaGraphicsResource_t resource, image, two[2];
    unsigned count = 0;
    int device = 7;
    cudaArray_t array;
    void *p;

    says("devices", cudaGLGetDevices(&count, &device, 1, cudaGLDeviceListAll));
    printf("%u, device %d\n", count, device);
    says("flags", cudaGraphicsGLRegisterBuffer(&resource, buffer, 64));
    says("no result", cudaGraphicsGLRegisterBuffer(NULL, buffer, 0));
    says("no buffer", cudaGraphicsGLRegisterBuffer(&resource, 12345, 0));
    says("target", cudaGraphicsGLRegisterImage(&image, texture, GL_ARRAY_BUFFER, 0));
    says("3D", cudaGraphicsGLRegisterImage(&image, texture, GL_TEXTURE_3D, 0));
    says("no texture", cudaGraphicsGLRegisterImage(&image, 12345, GL_TEXTURE_2D, 0));
    CHECK(cudaGraphicsGLRegisterBuffer(&resource, buffer, 0));
    CHECK(cudaGraphicsGLRegisterImage(&image, texture, GL_TEXTURE_2D, 0));
    says("pointer, not mapped", cudaGraphicsResourceGetMappedPointer(&p, NULL, resource));
    says("array, not mapped", cudaGraphicsSubResourceGetMappedArray(&array, image, 0, 0));
    says("unmap", cudaGraphicsUnmapResources(1, &resource, stream));
    says("none", cudaGraphicsMapResources(0, &resource, stream));
    two[0] = two[1] = resource;
    says("twice in a call", cudaGraphicsMapResources(2, two, stream));
    two[1] = image;
    says("map", cudaGraphicsMapResources(2, two, stream));
    says("map again", cudaGraphicsMapResources(1, &image, stream));
    says("flags of a mapped one", cudaGraphicsResourceSetMapFlags(image, 0));
    says("array of a buffer", cudaGraphicsSubResourceGetMappedArray(&array, resource, 0, 0));
    says("pointer of an image", cudaGraphicsResourceGetMappedPointer(&p, NULL, image));
    says("unmap both", cudaGraphicsUnmapResources(2, two, stream));
    says("map flags", cudaGraphicsResourceSetMapFlags(image, 3));
    p_glMapBuffer(GL_ARRAY_BUFFER, GL_READ_ONLY);
    says("mapped by OpenGL", cudaGraphicsMapResources(1, &resource, stream));
    p_glUnmapBuffer(GL_ARRAY_BUFFER);
    p_glBufferData(GL_ARRAY_BUFFER, 128, NULL, GL_DYNAMIC_DRAW);
    says("another size", cudaGraphicsMapResources(1, &resource, stream));
    CHECK(!eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT));
    says("no context", cudaGraphicsMapResources(1, &image, stream));
    says("devices, no context", cudaGLGetDevices(&count, &device, 1, cudaGLDeviceListAll));
    CHECK(!eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, context));
    says("unregister", cudaGraphicsUnregisterResource(resource));
    says("twice", cudaGraphicsUnregisterResource(resource));
    says("map of what is gone", cudaGraphicsMapResources(1, &resource, stream));
}

/* CUDA Driver API, cuGraphicsEGLRegisterImage: no mapping "is required for the registered resource".
 */
static void egl_image(void)
{
    PFNEGLCREATEIMAGEKHRPROC create =
        (PFNEGLCREATEIMAGEKHRPROC)eglGetProcAddress("eglCreateImageKHR");
    EGLImageKHR image = create(display, context, EGL_GL_TEXTURE_2D_KHR,
                               (EGLClientBuffer)(uintptr_t)texture_new(), NULL);
    cudaGraphicsResource_t resource;
    cudaEglFrame frame;
    cudaArray_t array;

    CHECK(cudaGraphicsEGLRegisterImage(&resource, image, 0));
    says("map", cudaGraphicsMapResources(1, &resource, stream));
    says("flags", cudaGraphicsResourceSetMapFlags(resource, 0));
    says("array", cudaGraphicsSubResourceGetMappedArray(&array, resource, 0, 0));
    says("frame", cudaGraphicsResourceGetMappedEglFrame(&frame, resource, 0, 0));
    says("free", cudaFreeArray(array)); /* cuArrayDestroy has that code */
    says("no place", cudaGraphicsEGLRegisterImage(NULL, image, 0));
    says("no image", cudaGraphicsEGLRegisterImage(&resource, NULL, 0));
    says("unmap", cudaGraphicsUnmapResources(1, &resource, stream));
    says("unregister", cudaGraphicsUnregisterResource(resource));
    says("map of what is gone", cudaGraphicsMapResources(1, &resource, stream));
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } cases[] = { { "draw", draw },
                  { "both", both },
                  { "images", images },
                  { "codes", codes },
                  { "egl_image", egl_image } };

    for (size_t i = 0; argc > 1 && i < sizeof(cases) / sizeof(cases[0]); i++) {
        if (strcmp(argv[1], cases[i].name) == 0) {
            up();
            cases[i].run();
            CHECK(cudaStreamSynchronize(stream));
            CHECK(glGetError());
            return 0;
        }
    }
    return 4;
}
