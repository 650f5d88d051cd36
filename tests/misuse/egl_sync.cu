/* SPDX-License-Identifier: MIT */
/* EGLSync between CUDA and OpenGL ES, CUDA for Tegra 5.3: egl_sync CASE. The program of 5.3.3
 * (order), and each of its synchronisations left out; what is not allowed (codes). GL draws the
 * right half of a texture, CUDA the left one. */
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

#define CHECK(call)                        \
    do {                                   \
        int r_ = (int)(call);              \
        if (r_) {                          \
            printf("%s: %d\n", #call, r_); \
            exit(2);                       \
        }                                  \
    } while (0)

static PFNEGLCREATEIMAGEKHRPROC image_create;
static PFNEGLCREATESYNCKHRPROC fence_create;
static PFNEGLCREATESYNC64KHRPROC sync_create;
static PFNEGLDESTROYSYNCKHRPROC sync_destroy;
static PFNEGLWAITSYNCKHRPROC sync_wait;
static PFNEGLCLIENTWAITSYNCKHRPROC client_wait;
static PFNEGLGETSYNCATTRIBKHRPROC sync_attribute;

static EGLDisplay display;
static cudaStream_t stream;
static cudaSurfaceObject_t surface;
static uchar4 *out;

__global__ void change(cudaSurfaceObject_t s, unsigned char value)
{
    int x = threadIdx.x, y = blockIdx.x;

    if (x < N / 2) {
        surf2Dwrite(make_uchar4(value, 2, 3, 4), s, x * 4, y);
    }
}

__global__ void look(cudaSurfaceObject_t s, uchar4 *to)
{
    surf2Dread(to, s, (N - 5) * 4, 5);
}

static void gl_draw(float value)
{
    glEnable(GL_SCISSOR_TEST);
    glScissor(N / 2, 0, N / 2, N);
    glClearColor(value, 0, 0, 1);
    glClear(GL_COLOR_BUFFER_BIT);
}

static int gl_left(void)
{
    unsigned char p[4];

    glReadPixels(5, 5, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, p);
    return p[0];
}

static void setup(void)
{
    static const EGLint es3[] = { EGL_CONTEXT_CLIENT_VERSION, 3, EGL_NONE };
    void *zeros = calloc(N * N, 4);
    cudaGraphicsResource_t resource;
    cudaResourceDesc desc;
    GLuint texture, framebuffer;
    EGLImageKHR image;
    cudaArray_t array;

    image_create = (PFNEGLCREATEIMAGEKHRPROC)eglGetProcAddress("eglCreateImageKHR");
    fence_create = (PFNEGLCREATESYNCKHRPROC)eglGetProcAddress("eglCreateSyncKHR");
    sync_create = (PFNEGLCREATESYNC64KHRPROC)eglGetProcAddress("eglCreateSync64KHR");
    sync_destroy = (PFNEGLDESTROYSYNCKHRPROC)eglGetProcAddress("eglDestroySyncKHR");
    sync_wait = (PFNEGLWAITSYNCKHRPROC)eglGetProcAddress("eglWaitSyncKHR");
    client_wait = (PFNEGLCLIENTWAITSYNCKHRPROC)eglGetProcAddress("eglClientWaitSyncKHR");
    sync_attribute = (PFNEGLGETSYNCATTRIBKHRPROC)eglGetProcAddress("eglGetSyncAttribKHR");
    display = eglGetDisplay(EGL_DEFAULT_DISPLAY);
    CHECK(!eglInitialize(display, NULL, NULL) || !eglBindAPI(EGL_OPENGL_ES_API));
    CHECK(!eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE,
                          eglCreateContext(display, EGL_NO_CONFIG_KHR, EGL_NO_CONTEXT, es3)));
    CHECK(!strstr(eglQueryString(display, EGL_EXTENSIONS), "EGL_NV_cuda_event"));
    glGenTextures(1, &texture);
    glBindTexture(GL_TEXTURE_2D, texture);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, N, N, 0, GL_RGBA, GL_UNSIGNED_BYTE, zeros);
    glGenFramebuffers(1, &framebuffer);
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, texture, 0);
    image = image_create(display, eglGetCurrentContext(), EGL_GL_TEXTURE_2D_KHR,
                         (EGLClientBuffer)(intptr_t)texture, NULL);
    CHECK(cudaMallocHost((void **)&out, sizeof(*out)));
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    CHECK(cudaGraphicsEGLRegisterImage(&resource, image, 0));
    CHECK(cudaGraphicsSubResourceGetMappedArray(&array, resource, 0, 0));
    memset(&desc, 0, sizeof(desc));
    desc.resType = cudaResourceTypeArray;
    desc.res.array.array = array;
    CHECK(cudaCreateSurfaceObject(&surface, &desc));
    free(zeros);
}

static EGLSyncKHR sync_of(cudaEvent_t event)
{
    const EGLAttribKHR attributes[] = { EGL_CUDA_EVENT_HANDLE_NV, (EGLAttribKHR)event, EGL_NONE };

    return sync_create(display, EGL_SYNC_CUDA_EVENT_NV, attributes);
}

/* 5.3.3. @to_cuda, @to_gl: the synchronisation is there. Sync and event are destroyed as soon as
 * they are waited for. */
static void order(bool to_cuda, bool to_gl)
{
    cudaEvent_t event, drawn;
    EGLSyncKHR sync;

    for (int frame = 1; frame <= 2; frame++) {
        gl_draw(frame * 0.2f);
        if (to_cuda) {
            sync = fence_create(display, EGL_SYNC_FENCE_KHR, NULL);
            CHECK(cudaEventCreateFromEGLSync(&drawn, sync, cudaEventDefault));
            CHECK(cudaStreamWaitEvent(stream, drawn, 0));
            CHECK(!sync_destroy(display, sync));
            CHECK(cudaEventDestroy(drawn));
        }
        gl_draw(1); /* after the fence: not CUDA's matter */
        look<<<1, 1, 0, stream>>>(surface, out);
        change<<<N, N, 0, stream>>>(surface, (unsigned char)(10 * frame));
        if (to_gl) {
            CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
            CHECK(cudaEventRecord(event, stream));
            sync = sync_of(event);
            CHECK(sync == EGL_NO_SYNC_KHR);
            CHECK(cudaEventRecord(event, stream)); /* what was captured stays */
            CHECK(cudaEventDestroy(event));
            CHECK(!sync_wait(display, sync, 0));
            CHECK(!sync_destroy(display, sync));
        }
        printf("GL sees %d", gl_left());
        CHECK(cudaStreamSynchronize(stream));
        printf(", CUDA saw %d\n", out->x);
    }
}

static void codes(void)
{
    const EGLAttribKHR none[] = { EGL_NONE };
    cudaEvent_t event, made, other;
    EGLSyncKHR sync, fence;
    EGLint value;
    float ms;

    CHECK(cudaEventCreate(&event));
    sync = sync_of(event);
    printf("never recorded: %d 0x%x\n", sync != EGL_NO_SYNC_KHR, eglGetError());
    sync = sync_of((cudaEvent_t)8);
    printf("no event: %d 0x%x\n", sync != EGL_NO_SYNC_KHR, eglGetError());
    sync = sync_create(display, EGL_SYNC_CUDA_EVENT_NV, none);
    printf("no handle: %d 0x%x\n", sync != EGL_NO_SYNC_KHR, eglGetError());
    sync = fence_create(display, EGL_SYNC_CUDA_EVENT_NV, NULL);
    printf("by eglCreateSyncKHR: %d 0x%x\n", sync != EGL_NO_SYNC_KHR, eglGetError());

    change<<<N, N, 0, stream>>>(surface, 7);
    CHECK(cudaEventRecord(event, stream));
    sync = sync_of(event);
    CHECK(!sync_attribute(display, sync, EGL_SYNC_TYPE_KHR, &value));
    printf("type 0x%x", value);
    CHECK(!sync_attribute(display, sync, EGL_SYNC_CONDITION_KHR, &value));
    printf(" condition 0x%x", value);
    CHECK(!sync_attribute(display, sync, EGL_SYNC_STATUS_KHR, &value));
    printf(" status 0x%x", value);
    printf(" wait 0x%x", client_wait(display, sync, 0, EGL_FOREVER_KHR));
    CHECK(!sync_attribute(display, sync, EGL_SYNC_STATUS_KHR, &value));
    printf(" status 0x%x, GL sees %d\n", value, gl_left());
    printf("attribute: %d", sync_attribute(display, sync, 0x1234, &value));
    printf(" 0x%x\n", eglGetError());
    printf("wait flags: %d", sync_wait(display, sync, 1));
    printf(" 0x%x\n", eglGetError());

    fence = fence_create(display, EGL_SYNC_FENCE_KHR, NULL);
    printf("from no sync: %s\n",
           cudaGetErrorName(cudaEventCreateFromEGLSync(&made, (EGLSyncKHR)8, 0)));
    printf("from a CUDA event: %s\n", cudaGetErrorName(cudaEventCreateFromEGLSync(&made, sync, 0)));
    printf("flags: %s\n",
           cudaGetErrorName(cudaEventCreateFromEGLSync(&made, fence, cudaEventInterprocess)));
    CHECK(cudaEventCreateFromEGLSync(&made, fence, cudaEventBlockingSync));
    CHECK(cudaEventCreate(&other));
    CHECK(cudaEventRecord(other, stream));
    printf("record: %s\n", cudaGetErrorName(cudaEventRecord(made, stream)));
    printf("elapsed: %s\n", cudaGetErrorName(cudaEventElapsedTime(&ms, made, other)));
    printf("query: %s\n", cudaGetErrorName(cudaEventQuery(made)));
    printf("synchronize: %s\n", cudaGetErrorName(cudaEventSynchronize(made)));
    CHECK(!sync_destroy(display, sync));
    printf("destroyed twice: %d", sync_destroy(display, sync));
    printf(" 0x%x\n", eglGetError());
    CHECK(!sync_destroy(display, fence));
    CHECK(cudaEventDestroy(made));
    /* 5.3.1: not for discrete GPUs, of which a Tegra has none */
    printf("another GPU: %s\n", cudaGetErrorName(cudaSetDevice(1)));
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "order";

    setup();
    if (!strcmp(name, "codes")) {
        codes();
    } else {
        order(strcmp(name, "no_fence") != 0, strcmp(name, "no_event") != 0);
    }
    CHECK(cudaDeviceSynchronize());
    CHECK(glGetError());
    return 0;
}
