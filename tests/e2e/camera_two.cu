/* SPDX-License-Identifier: MIT */
/* The camera's end of an EGLStream in one process, CUDA's in another: numbers and bytes of the
 * frames. camera_two */
#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <cstdio>
#include <cstdlib>
#include <cuda.h>
#include <cudaEGL.h>
#include <cuda_runtime.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vtegra/camera.h>

#define W 64
#define H 64
#define FRAMES 6
#define FIFO 2
#define CHECK(call)                                                   \
    do {                                                              \
        int r_ = (int)(call);                                         \
        if (r_) {                                                     \
            printf("%s:%d: %s: %d\n", __FILE__, __LINE__, #call, r_); \
            exit(2);                                                  \
        }                                                             \
    } while (0)
#define P(type, name) ((type)eglGetProcAddress(#name))

static EGLDisplay display;
static EGLStreamKHR stream;

static EGLint state(void)
{
    EGLint now = 0;

    CHECK(!P(PFNEGLQUERYSTREAMKHRPROC, eglQueryStreamKHR)(display, stream, EGL_STREAM_STATE_KHR,
                                                          &now));
    return now;
}

static void until(EGLint wanted)
{
    for (int i = 0; state() < wanted; i++) {
        CHECK(i == 20000);
        usleep(1000);
    }
}

/* The number is in the strip: 32 fields of two pixels, highest bit first (docs/frames.md). */
__global__ void read_frame(const unsigned char *luma, unsigned pitch, unsigned *out)
{
    unsigned number = 0, x = threadIdx.x, y = blockIdx.x + 16;

    for (unsigned bit = 0; bit < 32; bit++) {
        number = number << 1 | (luma[bit * 2] > 128);
    }
    if (luma[y * pitch + x] != 16 + (x + y + 4 * number) % 220) {
        atomicAdd(&out[1], 1);
    }
    out[0] = number;
}

static void consume(const char *self)
{
    static const EGLint fifo[] = { EGL_STREAM_FIFO_LENGTH_KHR, FIFO, EGL_NONE };
    extern char **environ;
    char number[16], *argv[] = { (char *)self, number, NULL };
    CUeglStreamConnection consumer;
    unsigned *out, rising = 0;
    int status = -1;
    pid_t pid;

    stream = P(PFNEGLCREATESTREAMKHRPROC, eglCreateStreamKHR)(display, fifo);
    snprintf(
        number, sizeof(number), "%d",
        P(PFNEGLGETSTREAMFILEDESCRIPTORKHRPROC, eglGetStreamFileDescriptorKHR)(display, stream));
    CHECK(cudaMallocHost(&out, 8));
    out[1] = 0;
    CHECK(cuEGLStreamConsumerConnect(&consumer, stream));
    CHECK(posix_spawn(&pid, self, NULL, NULL, argv, environ));
    until(EGL_STREAM_STATE_EMPTY_KHR);
    for (unsigned n = 0, last = 0; n < FRAMES; n++) {
        CUgraphicsResource resource;
        CUstream s = NULL;
        CUeglFrame f;

        CHECK(cuEGLStreamConsumerAcquireFrame(&consumer, &resource, &s, 5000000));
        CHECK(cuGraphicsResourceGetMappedEglFrame(&f, resource, 0, 0));
        read_frame<<<H - 16, W>>>((const unsigned char *)f.frame.pPitch[0], f.pitch, out);
        CHECK(cudaDeviceSynchronize());
        rising += !n || out[0] > last;
        last = out[0];
        CHECK(cuEGLStreamConsumerReleaseFrame(&consumer, resource, &s));
    }
    CHECK(cuEGLStreamConsumerDisconnect(&consumer));
    CHECK(waitpid(pid, &status, 0) != pid);
    CHECK(status);
    printf("%u frames in their order, %u wrong\n", rising, out[1]);
}

static void produce(int fd)
{
    vtegraCamera camera;
    CUresult r;

    stream = P(PFNEGLCREATESTREAMFROMFILEDESCRIPTORKHRPROC,
               eglCreateStreamFromFileDescriptorKHR)(display, fd);
    CHECK(cudaFree(0));
    until(EGL_STREAM_STATE_CONNECTING_KHR);
    CHECK(vtegraCameraConnect(&camera, stream, W, H));
    do {
        r = vtegraCameraPost(camera, 100000);
    } while (r == CUDA_SUCCESS ||
             (r == CUDA_ERROR_LAUNCH_TIMEOUT && state() != EGL_STREAM_STATE_DISCONNECTED_KHR));
    CHECK(state() != EGL_STREAM_STATE_DISCONNECTED_KHR);
    CHECK(vtegraCameraPost(NULL, 0) != CUDA_ERROR_INVALID_HANDLE);
    vtegraCameraDisconnect(camera);
}

int main(int argc, char **argv)
{
    display = eglGetDisplay(EGL_DEFAULT_DISPLAY);
    CHECK(!eglInitialize(display, NULL, NULL));
    if (argc > 1) {
        produce(atoi(argv[1]));
    } else {
        consume(argv[0]);
    }
    return 0;
}
