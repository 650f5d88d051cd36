// SPDX-License-Identifier: MIT
// egl: 1080p frames of RGBA from CUDA to CUDA through an EGLStream against a memcpy of one (at most
// a tenth: nothing is copied), and an EGLImage of 2048 x 2048 there and back against glReadPixels
// and glTexSubImage2D (at most 3). Prints the ratios; medians of rounds that take turns.
#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GLES3/gl32.h>
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_egl_interop.h>
#include <cuda_runtime.h>

#define WIDTH 1920
#define HEIGHT 1080
#define SIDE 2048
#define ROUNDS 31

#define CHECK(call)                                     \
    do {                                                \
        int err_ = (int)(call);                         \
        if (err_) {                                     \
            fprintf(stderr, "%s: 0x%x\n", #call, err_); \
            exit(1);                                    \
        }                                               \
    } while (0)

__global__ void touch(cudaSurfaceObject_t s, int round)
{
    surf2Dwrite(make_uchar4((unsigned char)round, 1, 2, 3), s, threadIdx.x * 4, blockIdx.x);
}

template <typename F> static double microseconds(F work)
{
    auto start = std::chrono::steady_clock::now();

    work();
    return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start)
        .count();
}

static double median(double *v)
{
    std::nth_element(v, v + ROUNDS / 2, v + ROUNDS);
    return v[ROUNDS / 2];
}

static EGLDisplay display;

// One frame: present, acquire, release, return of the one before.
static double stream_ratio(void)
{
    static double frame_us[ROUNDS], copy_us[ROUNDS];
    static char from[WIDTH * HEIGHT * 4], to[WIDTH * HEIGHT * 4];
    PFNEGLCREATESTREAMKHRPROC create =
        (PFNEGLCREATESTREAMKHRPROC)eglGetProcAddress("eglCreateStreamKHR");
    EGLStreamKHR stream = create(display, NULL);
    cudaEglStreamConnection producer, consumer;
    cudaGraphicsResource_t resource;
    cudaEglFrame frames[2], back;
    cudaStream_t streams[2];

    CHECK(cudaEGLStreamConsumerConnect(&consumer, stream));
    CHECK(cudaEGLStreamProducerConnect(&producer, stream, WIDTH, HEIGHT));
    for (int i = 0; i < 2; i++) {
        CHECK(cudaStreamCreateWithFlags(&streams[i], cudaStreamNonBlocking));
        memset(&frames[i], 0, sizeof(frames[i]));
        CHECK(cudaMalloc(&frames[i].frame.pPitch[0].ptr, WIDTH * HEIGHT * 4));
        frames[i].planeDesc[0].width = WIDTH;
        frames[i].planeDesc[0].height = HEIGHT;
        frames[i].planeDesc[0].pitch = WIDTH * 4;
        frames[i].planeDesc[0].numChannels = 4;
        frames[i].planeDesc[0].channelDesc =
            cudaCreateChannelDesc(8, 8, 8, 8, cudaChannelFormatKindUnsigned);
        frames[i].planeCount = 1;
        frames[i].frameType = cudaEglFrameTypePitch;
        frames[i].eglColorFormat = cudaEglColorFormatABGR;
    }
    memset(from, 1, sizeof(from));
    for (int i = 0; i < ROUNDS; i++) {
        frame_us[i] = microseconds([&] {
            CHECK(cudaEGLStreamProducerPresentFrame(&producer, frames[i % 2], &streams[0]));
            CHECK(cudaEGLStreamConsumerAcquireFrame(&consumer, &resource, &streams[1], 0));
            CHECK(cudaEGLStreamConsumerReleaseFrame(&consumer, resource, &streams[1]));
            if (i > 0) {
                CHECK(cudaEGLStreamProducerReturnFrame(&producer, &back, &streams[0]));
            }
            CHECK(cudaDeviceSynchronize());
        });
        copy_us[i] = microseconds([&] {
            memcpy(to, from, sizeof(to));
            asm volatile("" : : "r"(to) : "memory");
        });
    }
    CHECK(cudaEGLStreamConsumerDisconnect(&consumer));
    CHECK(cudaEGLStreamProducerDisconnect(&producer));
    return median(frame_us) / median(copy_us);
}

// There: GL draws, glFinish(). Back: a kernel writes, cudaDeviceSynchronize().
static double image_ratio(void)
{
    static double trip_us[ROUNDS], gl_us[ROUNDS];
    static unsigned char pixels[SIDE * SIDE * 4];
    PFNEGLCREATEIMAGEKHRPROC create =
        (PFNEGLCREATEIMAGEKHRPROC)eglGetProcAddress("eglCreateImageKHR");
    cudaGraphicsResource_t resource;
    cudaSurfaceObject_t surface;
    cudaResourceDesc desc;
    GLuint texture, framebuffer;
    EGLImageKHR image;

    glGenTextures(1, &texture);
    glBindTexture(GL_TEXTURE_2D, texture);
    glTexStorage2D(GL_TEXTURE_2D, 1, GL_RGBA8, SIDE, SIDE);
    glGenFramebuffers(1, &framebuffer);
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, texture, 0);
    image = create(display, eglGetCurrentContext(), EGL_GL_TEXTURE_2D_KHR,
                   (EGLClientBuffer)(intptr_t)texture, NULL);
    glFinish();
    CHECK(cudaGraphicsEGLRegisterImage(&resource, image, 0));
    memset(&desc, 0, sizeof(desc));
    desc.resType = cudaResourceTypeArray;
    CHECK(cudaGraphicsSubResourceGetMappedArray(&desc.res.array.array, resource, 0, 0));
    CHECK(cudaCreateSurfaceObject(&surface, &desc));
    for (int i = 0; i < ROUNDS; i++) {
        glClearColor((float)(i % 7) / 7, 0, 0, 1);
        glClear(GL_COLOR_BUFFER_BIT);
        glClientWaitSync(glFenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0), GL_SYNC_FLUSH_COMMANDS_BIT,
                         GL_TIMEOUT_IGNORED);
        trip_us[i] = microseconds([&] {
            glFinish();
            touch<<<8, 64>>>(surface, i);
            CHECK(cudaDeviceSynchronize());
        });
        gl_us[i] = microseconds([&] {
            glReadPixels(0, 0, SIDE, SIDE, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
            glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, SIDE, SIDE, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
            glFinish();
        });
    }
    CHECK(glGetError());
    return median(trip_us) / median(gl_us);
}

int main()
{
    static const EGLint es3[] = { EGL_CONTEXT_CLIENT_VERSION, 3, EGL_NONE };
    double stream, image;

    display = eglGetDisplay(EGL_DEFAULT_DISPLAY);
    CHECK(!eglInitialize(display, NULL, NULL) || !eglBindAPI(EGL_OPENGL_ES_API));
    CHECK(!eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE,
                          eglCreateContext(display, EGL_NO_CONFIG_KHR, EGL_NO_CONTEXT, es3)));
    CHECK(cudaFree(0));
    stream = stream_ratio();
    image = image_ratio();
    printf("egl stream: %.3f (at most 0.1)\negl image: %.2f (at most 3)\n", stream, image);
    return stream > 0.1 || image > 3;
}
