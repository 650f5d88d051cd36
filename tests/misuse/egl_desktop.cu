/* SPDX-License-Identifier: MIT */
/* What EGL shares with CUDA on Tegra alone, CUDA for Tegra 5.2.1 and 5.3.1: egl_desktop CASE
 * [right]. The twin takes the way that a discrete GPU has: a resource of OpenGL, mapped and
 * unmapped. */
#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GLES3/gl32.h>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_egl_interop.h>
#include <cuda_gl_interop.h>
#include <cuda_runtime.h>

#define N 64

#define CHECK(call)                        \
    do {                                   \
        int r_ = (int)(call);              \
        if (r_) {                          \
            printf("%s: %d\n", #call, r_); \
            exit(2);                       \
        }                                  \
    } while (0)

static EGLDisplay display;
static GLuint texture;

__global__ void change(cudaSurfaceObject_t s, unsigned char value)
{
    uchar4 was;

    surf2Dread(&was, s, threadIdx.x * 4, blockIdx.x);
    surf2Dwrite(make_uchar4(was.x + value, 2, 3, 4), s, threadIdx.x * 4, blockIdx.x);
}

static void setup(void)
{
    static const EGLint es3[] = { EGL_CONTEXT_CLIENT_VERSION, 3, EGL_NONE };
    GLuint framebuffer;

    display = eglGetDisplay(EGL_DEFAULT_DISPLAY);
    CHECK(!eglInitialize(display, NULL, NULL) || !eglBindAPI(EGL_OPENGL_ES_API));
    CHECK(!eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE,
                          eglCreateContext(display, EGL_NO_CONFIG_KHR, EGL_NO_CONTEXT, es3)));
    glGenTextures(1, &texture);
    glBindTexture(GL_TEXTURE_2D, texture);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, N, N, 0, GL_RGBA, GL_UNSIGNED_BYTE, NULL);
    glGenFramebuffers(1, &framebuffer);
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, texture, 0);
    glClearColor(0.2f, 0, 0, 1); /* 51 of 255 */
    glClear(GL_COLOR_BUFFER_BIT);
}

static cudaError_t image(void)
{
    PFNEGLCREATEIMAGEKHRPROC create =
        (PFNEGLCREATEIMAGEKHRPROC)eglGetProcAddress("eglCreateImageKHR");
    EGLImageKHR image = create(display, eglGetCurrentContext(), EGL_GL_TEXTURE_2D_KHR,
                               (EGLClientBuffer)(intptr_t)texture, NULL);
    cudaGraphicsResource_t resource;

    return cudaGraphicsEGLRegisterImage(&resource, image, 0);
}

static cudaError_t event_of_sync(void)
{
    PFNEGLCREATESYNCKHRPROC create = (PFNEGLCREATESYNCKHRPROC)eglGetProcAddress("eglCreateSyncKHR");
    cudaEvent_t event;

    return cudaEventCreateFromEGLSync(&event, create(display, EGL_SYNC_FENCE_KHR, NULL),
                                      cudaEventDefault);
}

static cudaError_t sync_of_event(void)
{
    PFNEGLCREATESYNC64KHRPROC create =
        (PFNEGLCREATESYNC64KHRPROC)eglGetProcAddress("eglCreateSync64KHR");
    cudaEvent_t event;

    CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
    CHECK(cudaEventRecord(event, NULL));
    {
        const EGLAttribKHR of[] = { EGL_CUDA_EVENT_HANDLE_NV, (EGLAttribKHR)event, EGL_NONE };
        EGLSyncKHR sync = create(display, EGL_SYNC_CUDA_EVENT_NV, of);
        EGLint error = eglGetError();

        printf("extension %d, sync %d 0x%x, ",
               strstr(eglQueryString(display, EGL_EXTENSIONS), "EGL_NV_cuda_event") != NULL,
               sync != EGL_NO_SYNC_KHR, error);
        CHECK(cudaDeviceSynchronize());
        return sync != EGL_NO_SYNC_KHR ? cudaSuccess : cudaErrorNotSupported;
    }
}

/* OpenGL draws, a kernel adds to it, OpenGL reads it. */
static void interop(void)
{
    cudaGraphicsResource_t resource;
    cudaSurfaceObject_t surface;
    cudaResourceDesc desc;
    cudaArray_t array;
    unsigned char p[4];

    CHECK(cudaGraphicsGLRegisterImage(&resource, texture, GL_TEXTURE_2D,
                                      cudaGraphicsRegisterFlagsSurfaceLoadStore));
    CHECK(cudaGraphicsMapResources(1, &resource, NULL));
    CHECK(cudaGraphicsSubResourceGetMappedArray(&array, resource, 0, 0));
    memset(&desc, 0, sizeof(desc));
    desc.resType = cudaResourceTypeArray;
    desc.res.array.array = array;
    CHECK(cudaCreateSurfaceObject(&surface, &desc));
    change<<<N, N>>>(surface, 9);
    CHECK(cudaDestroySurfaceObject(surface));
    CHECK(cudaGraphicsUnmapResources(1, &resource, NULL));
    glReadPixels(5, 5, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, p);
    CHECK(cudaGraphicsUnregisterResource(resource));
    printf("GL reads %d\n", p[0]);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        cudaError_t (*run)(void);
    } cases[] = {
        { "image", image },
        { "event_of_sync", event_of_sync },
        { "sync_of_event", sync_of_event },
    };

    setup();
    if (argc > 2) {
        interop();
        return 0;
    }
    for (size_t i = 0; argc > 1 && i < sizeof(cases) / sizeof(cases[0]); i++) {
        if (strcmp(argv[1], cases[i].name) == 0) {
            printf("%s\n", cudaGetErrorName(cases[i].run()));
        }
    }
    return 0;
}
