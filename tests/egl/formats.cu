/* SPDX-License-Identifier: MIT */
/* EGLImages of each format, both ways: CUDA reads what OpenGL ES was given, byte by byte, and
 * OpenGL what CUDA has written. Each line of output is a format. The width is odd: rows have no
 * padding. */
#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GLES3/gl32.h>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_egl_interop.h>
#include <cuda_runtime.h>

#ifndef GL_BGRA_EXT
#define GL_BGRA_EXT 0x80E1
#endif
#define W 5
#define H 3

#define CHECK(call)                                                              \
    do {                                                                         \
        int r_ = (int)(call);                                                    \
        if (r_) {                                                                \
            fprintf(stderr, "%s:%d: %s: 0x%x\n", __FILE__, __LINE__, #call, r_); \
            exit(2);                                                             \
        }                                                                        \
    } while (0)

struct row {
    const char *name;
    GLint internal;
    GLenum format, type;
    int bytes;
};

static const struct row rows[] = {
    { "R8", GL_R8, GL_RED, GL_UNSIGNED_BYTE, 1 },
    { "RG8", GL_RG8, GL_RG, GL_UNSIGNED_BYTE, 2 },
    { "RGBA8", GL_RGBA8, GL_RGBA, GL_UNSIGNED_BYTE, 4 },
    { "BGRA", GL_BGRA_EXT, GL_BGRA_EXT, GL_UNSIGNED_BYTE, 4 },
    { "R16F", GL_R16F, GL_RED, GL_HALF_FLOAT, 2 },
    { "RGBA16F", GL_RGBA16F, GL_RGBA, GL_HALF_FLOAT, 8 },
    { "R32F", GL_R32F, GL_RED, GL_FLOAT, 4 },
    { "RGBA32F", GL_RGBA32F, GL_RGBA, GL_FLOAT, 16 },
    { "R8UI", GL_R8UI, GL_RED_INTEGER, GL_UNSIGNED_BYTE, 1 },
    { "RGBA32I", GL_RGBA32I, GL_RGBA_INTEGER, GL_INT, 16 },
};

/* Bytes that are no NaN in any of the formats, nor halves that are none. */
static void pixels_make(const struct row *r, uint8_t *p, int seed)
{
    for (int i = 0; i < W * H * r->bytes; i++) {
        p[i] = (uint8_t)((i * 7 + seed) % 59 + 1);
    }
}

/* What OpenGL has in the texture, as floats or integers of its own. */
static int gl_differs(const struct row *r, const uint8_t *want)
{
    uint8_t got[W * H * 16];

    glPixelStorei(GL_PACK_ALIGNMENT, 1);
    glReadPixels(0, 0, W, H, r->format, r->type, got);
    CHECK(glGetError());
    return memcmp(got, want, (size_t)(W * H * r->bytes)) != 0;
}

static void one(EGLDisplay display, EGLContext context, const struct row *r)
{
    PFNEGLCREATEIMAGEKHRPROC create =
        (PFNEGLCREATEIMAGEKHRPROC)eglGetProcAddress("eglCreateImageKHR");
    PFNEGLDESTROYIMAGEKHRPROC destroy =
        (PFNEGLDESTROYIMAGEKHRPROC)eglGetProcAddress("eglDestroyImageKHR");
    uint8_t given[W * H * 16], got[W * H * 16];
    size_t row = (size_t)(W * r->bytes);
    cudaGraphicsResource_t resource;
    cudaChannelFormatDesc desc;
    cudaEglFrame frame;
    cudaExtent extent;
    cudaArray_t array;
    GLuint texture, framebuffer;
    EGLImageKHR image;
    unsigned flags;
    int read;

    pixels_make(r, given, 3);
    glGenTextures(1, &texture);
    glBindTexture(GL_TEXTURE_2D, texture);
    glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
    glTexImage2D(GL_TEXTURE_2D, 0, r->internal, W, H, 0, r->format, r->type, given);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glGenFramebuffers(1, &framebuffer);
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, texture, 0);
    CHECK(glGetError());
    image =
        create(display, context, EGL_GL_TEXTURE_2D_KHR, (EGLClientBuffer)(intptr_t)texture, NULL);
    CHECK(image == EGL_NO_IMAGE_KHR);
    glFinish();
    CHECK(cudaGraphicsEGLRegisterImage(&resource, image, 0));
    CHECK(cudaGraphicsSubResourceGetMappedArray(&array, resource, 0, 0));
    CHECK(cudaArrayGetInfo(&desc, &extent, &flags, array));
    CHECK(cudaGraphicsResourceGetMappedEglFrame(&frame, resource, 0, 0));
    CHECK(cudaMemcpy2DFromArray(got, row, array, 0, 0, row, H, cudaMemcpyDeviceToHost));
    read = memcmp(got, given, row * H) != 0;
    pixels_make(r, given, 20);
    CHECK(cudaMemcpy2DToArray(array, 0, 0, given, row, row, H, cudaMemcpyHostToDevice));
    CHECK(cudaDeviceSynchronize());
    printf("%s: read %d, written %d, %d bits %d %d %d %d, order 0x%x\n", r->name, read,
           gl_differs(r, given), (int)desc.f, desc.x, desc.y, desc.z, desc.w,
           (unsigned)frame.eglColorFormat);
    CHECK(cudaGraphicsUnregisterResource(resource));
    CHECK(!destroy(display, image));
    glDeleteFramebuffers(1, &framebuffer);
    glDeleteTextures(1, &texture);
}

int main()
{
    static const EGLint es3[] = { EGL_CONTEXT_CLIENT_VERSION, 3, EGL_NONE };
    EGLDisplay display = eglGetDisplay(EGL_DEFAULT_DISPLAY);
    EGLContext context;

    CHECK(!eglInitialize(display, NULL, NULL) || !eglBindAPI(EGL_OPENGL_ES_API));
    context = eglCreateContext(display, EGL_NO_CONFIG_KHR, EGL_NO_CONTEXT, es3);
    CHECK(!eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, context));
    for (const row &r : rows) {
        one(display, context, &r);
    }
    return 0;
}
