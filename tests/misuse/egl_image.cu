/* SPDX-License-Identifier: MIT */
/* An EGLImage of a GLES texture in CUDA (CUDA for Tegra 5.2.1), both ways, without and with the
 * synchronisation that its section asks for: each line of output is a pixel. */
#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GLES3/gl32.h>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_egl_interop.h>
#include <cuda_runtime.h>

#define N 256

#define CHECK(call)                                           \
    do {                                                      \
        int r_ = (int)(call);                                 \
        if (r_) {                                             \
            printf("%s: %d\n", #call, r_);                    \
            exit(2);                                          \
        }                                                     \
    } while (0)

/* The left half of the texture. */
__global__ void change(cudaSurfaceObject_t surface)
{
    int x = threadIdx.x + blockIdx.x * blockDim.x, y = threadIdx.y + blockIdx.y * blockDim.y;

    if (x < N / 2) {
        surf2Dwrite(make_uchar4(1, 2, 3, 4), surface, x * 4, y);
    }
}

/* A pixel of the right half. */
__global__ void look(cudaSurfaceObject_t surface, uchar4 *out)
{
    surf2Dread(out, surface, (N - 5) * 4, 5);
}

static GLuint texture_new(void)
{
    void *zeros = calloc(N * N, 4);
    GLuint texture, framebuffer;

    glGenTextures(1, &texture);
    glBindTexture(GL_TEXTURE_2D, texture);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, N, N, 0, GL_RGBA, GL_UNSIGNED_BYTE, zeros);
    glGenFramebuffers(1, &framebuffer);
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, texture, 0);
    free(zeros);
    return texture;
}

static void print_left(const char *when)
{
    unsigned char p[4];

    glReadPixels(5, 5, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, p);
    printf("GL %s: %d %d %d %d\n", when, p[0], p[1], p[2], p[3]);
}

static void print_right(cudaSurfaceObject_t surface, uchar4 *out, const char *when)
{
    look<<<1, 1>>>(surface, out);
    CHECK(cudaDeviceSynchronize());
    printf("CUDA %s: %d\n", when, out->x);
}

int main()
{
    static const EGLint es3[] = { EGL_CONTEXT_CLIENT_VERSION, 3, EGL_NONE };
    PFNEGLCREATEIMAGEKHRPROC create =
        (PFNEGLCREATEIMAGEKHRPROC)eglGetProcAddress("eglCreateImageKHR");
    PFNEGLDESTROYIMAGEKHRPROC destroy =
        (PFNEGLDESTROYIMAGEKHRPROC)eglGetProcAddress("eglDestroyImageKHR");
    EGLDisplay display = eglGetDisplay(EGL_DEFAULT_DISPLAY);
    cudaGraphicsResource_t resource;
    cudaResourceDesc desc;
    cudaSurfaceObject_t surface;
    cudaArray_t array;
    EGLContext context;
    EGLImageKHR image;
    uchar4 *out;

    CHECK(!eglInitialize(display, NULL, NULL) || !eglBindAPI(EGL_OPENGL_ES_API));
    context = eglCreateContext(display, EGL_NO_CONFIG_KHR, EGL_NO_CONTEXT, es3);
    CHECK(!eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, context));
    image = create(display, context, EGL_GL_TEXTURE_2D_KHR,
                   (EGLClientBuffer)(intptr_t)texture_new(), NULL);
    printf("flags 1: %s\n", cudaGetErrorName(cudaGraphicsEGLRegisterImage(&resource, image, 1)));
    printf("no image: %s\n",
           cudaGetErrorName(cudaGraphicsEGLRegisterImage(&resource, (EGLImageKHR)1, 0)));
    cudaGetLastError();
    CHECK(cudaMallocHost((void **)&out, sizeof(*out)));
    CHECK(cudaGraphicsEGLRegisterImage(&resource, image, 0));
    CHECK(cudaGraphicsSubResourceGetMappedArray(&array, resource, 0, 0));
    memset(&desc, 0, sizeof(desc));
    desc.resType = cudaResourceTypeArray;
    desc.res.array.array = array;
    CHECK(cudaCreateSurfaceObject(&surface, &desc));

    change<<<dim3(N / 32, N / 32), dim3(32, 32)>>>(surface);
    print_left("before the wait");
    CHECK(cudaDeviceSynchronize());
    print_left("after the wait");
    glEnable(GL_SCISSOR_TEST);
    glScissor(N / 2, 0, N / 2, N);
    glClearColor(1, 1, 1, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    print_right(surface, out, "before glFinish");
    glFinish();
    print_right(surface, out, "after glFinish");
    print_left("at the end"); /* GL's half has not cost CUDA's */
    printf("GL error %d, context %d\n", glGetError(), eglGetCurrentContext() == context);

    CHECK(cudaDestroySurfaceObject(surface));
    CHECK(cudaGraphicsUnregisterResource(resource));
    CHECK(!destroy(display, image));
    return 0;
}
