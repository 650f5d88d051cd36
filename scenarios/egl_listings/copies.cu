/* SPDX-License-Identifier: MIT */
/* OpenGL ES and CUDA take turns on two textures, in the shape of NVIDIA's sample
 * EGLSync_CUDAEvent_Interop: copies FILE.png [cpu]. OpenGL copies the first texture to the second
 * one; a kernel checks the copy and writes new pixels into the first. In between, the stream waits
 * for OpenGL's fence and OpenGL for a CUDA event (5.3), or with "cpu" the CPU waits for both (5.2).
 * The program draws to a pbuffer instead of a window. */
#include <GLES3/gl32.h>

#include <cstring>
#include <cuda.h>
#include <cudaEGL.h>
#include <cuda_runtime.h>

#include "listing.h"

#define WIDTH 256
#define HEIGHT 256
#define ROUNDS 32

static EGLDisplay display;
static GLuint from, to;
static CUsurfObject writes, reads;
static unsigned *wrong;

/* The pixel of round @n. */
static __host__ __device__ inline uchar4 pixel_of(unsigned x, unsigned y, unsigned n)
{
    return make_uchar4((unsigned char)(x + n), (unsigned char)(y + n), (unsigned char)n, 255);
}

__global__ void check_and_update(CUsurfObject write, CUsurfObject read, unsigned n, unsigned *wrong)
{
    unsigned int x = threadIdx.x + blockIdx.x * blockDim.x;
    unsigned int y = threadIdx.y + blockIdx.y * blockDim.y;
    uchar4 want = pixel_of(x, y, n), got;

    surf2Dread(&got, read, x * 4, y);
    if (got.x != want.x || got.y != want.y || got.z != want.z || got.w != want.w) {
        atomicAdd(wrong, 1);
        return;
    }
    surf2Dwrite(pixel_of(x, y, n + 1), write, x * 4, y);
}

static void context_up(void)
{
    static const EGLint config_attributes[] = { EGL_SURFACE_TYPE, EGL_PBUFFER_BIT, EGL_NONE };
    static const EGLint size[] = { EGL_WIDTH, WIDTH, EGL_HEIGHT, HEIGHT, EGL_NONE };
    static const EGLint es3[] = { EGL_CONTEXT_CLIENT_VERSION, 3, EGL_NONE };
    EGLConfig config;
    EGLSurface surface;
    EGLContext context;
    EGLint n;

    display = eglGetDisplay(EGL_DEFAULT_DISPLAY);
    CHECK(!eglInitialize(display, NULL, NULL));
    CHECK(!eglBindAPI(EGL_OPENGL_ES_API));
    CHECK(!eglChooseConfig(display, config_attributes, &config, 1, &n) || n < 1);
    surface = eglCreatePbufferSurface(display, config, size);
    context = eglCreateContext(display, config, EGL_NO_CONTEXT, es3);
    CHECK(!eglMakeCurrent(display, surface, surface, context));
}

static GLuint texture_new(const uint8_t *pixels)
{
    GLuint texture;

    glGenTextures(1, &texture);
    glBindTexture(GL_TEXTURE_2D, texture);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, WIDTH, HEIGHT, 0, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
    CHECK(glGetError());
    return texture;
}

static CUgraphicsResource registered(GLuint texture, CUsurfObject *surface)
{
    PFNEGLCREATEIMAGEKHRPROC create =
        (PFNEGLCREATEIMAGEKHRPROC)eglGetProcAddress("eglCreateImageKHR");
    EGLint preserved[] = { EGL_IMAGE_PRESERVED_KHR, EGL_TRUE, EGL_NONE };
    EGLImageKHR image = create(display, eglGetCurrentContext(), EGL_GL_TEXTURE_2D_KHR,
                               (EGLClientBuffer)(intptr_t)texture, preserved);
    CUgraphicsResource resource;
    CUDA_RESOURCE_DESC desc;

    CHECK(image == EGL_NO_IMAGE_KHR);
    glFinish();
    CHECK(cuGraphicsEGLRegisterImage(&resource, image, CU_GRAPHICS_REGISTER_FLAGS_NONE));
    memset(&desc, 0, sizeof(desc));
    desc.resType = CU_RESOURCE_TYPE_ARRAY;
    CHECK(cuGraphicsSubResourceGetMappedArray(&desc.res.array.hArray, resource, 0, 0));
    CHECK(cuSurfObjectCreate(surface, &desc));
    return resource;
}

static void copy(void)
{
    glCopyImageSubData(from, GL_TEXTURE_2D, 0, 0, 0, 0, to, GL_TEXTURE_2D, 0, 0, 0, 0, WIDTH,
                       HEIGHT, 1);
    CHECK(glGetError());
}

static void kernel(unsigned n, cudaStream_t stream)
{
    check_and_update<<<dim3(WIDTH / 32, HEIGHT / 32), dim3(32, 32), 0, stream>>>(writes, reads, n,
                                                                                 wrong);
}

static void sync_on_cpu(void)
{
    for (unsigned n = 0; n < ROUNDS; n++) {
        copy();
        glFinish();
        kernel(n, NULL);
        CHECK(cuCtxSynchronize());
    }
}

static void sync_on_gpu(void)
{
    PFNEGLCREATESYNCKHRPROC fence_create =
        (PFNEGLCREATESYNCKHRPROC)eglGetProcAddress("eglCreateSyncKHR");
    PFNEGLCREATESYNC64KHRPROC sync_create =
        (PFNEGLCREATESYNC64KHRPROC)eglGetProcAddress("eglCreateSync64KHR");
    PFNEGLWAITSYNCKHRPROC sync_wait = (PFNEGLWAITSYNCKHRPROC)eglGetProcAddress("eglWaitSyncKHR");
    PFNEGLDESTROYSYNCKHRPROC sync_destroy =
        (PFNEGLDESTROYSYNCKHRPROC)eglGetProcAddress("eglDestroySyncKHR");
    CUstream stream;
    CUevent event, of_sync;

    CHECK(cuStreamCreate(&stream, CU_STREAM_DEFAULT));
    CHECK(cuEventCreate(&event, CU_EVENT_DISABLE_TIMING));
    for (unsigned n = 0; n < ROUNDS; n++) {
        EGLAttribKHR attributes[] = { EGL_CUDA_EVENT_HANDLE_NV, (EGLAttribKHR)event, EGL_NONE };
        EGLSyncKHR gl, cuda;

        copy();
        gl = fence_create(display, EGL_SYNC_FENCE_KHR, NULL);
        CHECK(cuEventCreateFromEGLSync(&of_sync, gl, CU_EVENT_DEFAULT));
        CHECK(cuStreamWaitEvent(stream, of_sync, 0));
        CHECK(!sync_destroy(display, gl));
        kernel(n, stream);
        CHECK(cuEventDestroy(of_sync));
        CHECK(cuEventRecord(event, stream));
        cuda = sync_create(display, EGL_SYNC_CUDA_EVENT_NV, attributes);
        CHECK(!sync_wait(display, cuda, 0)); /* the next copy comes after the kernel */
        CHECK(!sync_destroy(display, cuda));
    }
    CHECK(cuEventDestroy(event));
    CHECK(cuStreamSynchronize(stream));
    CHECK(cuStreamDestroy(stream));
}

int main(int argc, char **argv)
{
    static uint8_t pixels[WIDTH * HEIGHT * 4];
    bool cpu = argc > 2 && strcmp(argv[2], "cpu") == 0;
    CUgraphicsResource written, read;
    GLuint framebuffer;

    context_up();
    CHECK(cudaMallocHost((void **)&wrong, sizeof(*wrong)));
    *wrong = 0;
    to = texture_new(pixels);
    for (unsigned i = 0; i < WIDTH * HEIGHT; i++) {
        uchar4 p = pixel_of(i % WIDTH, i / WIDTH, 0);

        memcpy(&pixels[i * 4], &p, 4);
    }
    from = texture_new(pixels);
    glFinish();
    written = registered(from, &writes);
    read = registered(to, &reads);
    if (cpu) {
        sync_on_cpu();
    } else {
        sync_on_gpu();
    }
    CHECK(cuSurfObjectDestroy(writes));
    CHECK(cuSurfObjectDestroy(reads));
    CHECK(cuGraphicsUnregisterResource(written));
    CHECK(cuGraphicsUnregisterResource(read));
    glGenFramebuffers(1, &framebuffer);
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, from, 0);
    glReadPixels(0, 0, WIDTH, HEIGHT, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
    CHECK(glGetError());
    printf("%d rounds, mismatches: %u\n", ROUNDS, *wrong);
    if (argc > 1) {
        png_write(argv[1], WIDTH, HEIGHT, pixels);
    }
    return 0;
}
