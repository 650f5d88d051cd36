/* SPDX-License-Identifier: MIT */
/* Frames in each kind of memory, from another process: what the present says, and what arrives.
 * kinds unmap: the frame's NvSciBuf has two mappings, and the other one goes before the acquire;
 * kinds unmap_both: both do. */
#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <cuda_egl_interop.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../scenarios/sci/sci.h"

#define W 64
#define H 16
#define BYTES (W * H * 4)
#define SKIP (4096 + 256) /* of an NvSciBuf: where the frame begins */

static PFNEGLCREATESTREAMKHRPROC create;
static PFNEGLQUERYSTREAMKHRPROC query;
static PFNEGLGETSTREAMFILEDESCRIPTORKHRPROC descriptor;
static PFNEGLCREATESTREAMFROMFILEDESCRIPTORKHRPROC from;
static EGLDisplay display;
static EGLStreamKHR stream;
static cudaEglStreamConnection end;
static cudaStream_t work;

__global__ void fill(unsigned char *p, unsigned char value)
{
    p[blockIdx.x * blockDim.x + threadIdx.x] = value;
}

/* Counts bytes that are not the first one, which is that of the frame. */
__global__ void compare(const unsigned char *p, int *out)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i == 0) {
        out[0] = p[0];
    }
    if (p[i] != p[0]) {
        atomicAdd(&out[1], 1);
    }
}

static void up(void)
{
    display = eglGetDisplay(EGL_DEFAULT_DISPLAY);
    OK(!eglInitialize(display, NULL, NULL));
    create = (PFNEGLCREATESTREAMKHRPROC)eglGetProcAddress("eglCreateStreamKHR");
    query = (PFNEGLQUERYSTREAMKHRPROC)eglGetProcAddress("eglQueryStreamKHR");
    descriptor =
        (PFNEGLGETSTREAMFILEDESCRIPTORKHRPROC)eglGetProcAddress("eglGetStreamFileDescriptorKHR");
    from = (PFNEGLCREATESTREAMFROMFILEDESCRIPTORKHRPROC)eglGetProcAddress(
        "eglCreateStreamFromFileDescriptorKHR");
    OK(cudaStreamCreateWithFlags(&work, cudaStreamNonBlocking));
}

static EGLint state(void)
{
    EGLint value = 0;

    OK(!query(display, stream, EGL_STREAM_STATE_KHR, &value));
    return value;
}

static void until(EGLint wanted)
{
    while (state() < wanted) {
        usleep(1000);
    }
}

/* --- the producer, in the second process --- */

static void *sci_buffer(bool gpu_cache)
{
    users u;
    cudaExternalMemory_t memory;
    int *gpu;

    u.bytes = 4 * 4096;
    u.gpu_cache = gpu_cache;
    OK(buffer_import(buffer_new(u), u.bytes, &memory));
    OK(buffer_map(memory, SKIP, BYTES, &gpu));
    return gpu;
}

static void *memory_of(const char *kind)
{
    void *p = NULL;
    size_t pitch;

    if (strcmp(kind, "device") == 0) {
        OK(cudaMalloc(&p, BYTES));
    } else if (strcmp(kind, "pitch") == 0) {
        OK(cudaMallocPitch(&p, &pitch, W * 4, H));
    } else if (strcmp(kind, "pinned") == 0) {
        OK(cudaHostAlloc(&p, BYTES, cudaHostAllocDefault));
    } else if (strcmp(kind, "managed") == 0) {
        OK(cudaMallocManaged(&p, BYTES));
    } else {
        p = sci_buffer(strcmp(kind, "nvscibuf") == 0);
    }
    return p;
}

static cudaEglFrame frame_of(void *memory)
{
    cudaEglFrame f;

    memset(&f, 0, sizeof(f));
    f.planeCount = 1;
    f.eglColorFormat = cudaEglColorFormatARGB;
    f.frameType = cudaEglFrameTypePitch;
    f.frame.pPitch[0].ptr = memory;
    f.planeDesc[0].width = W;
    f.planeDesc[0].height = H;
    f.planeDesc[0].pitch = W * 4;
    f.planeDesc[0].numChannels = 4;
    f.planeDesc[0].channelDesc = cudaCreateChannelDesc<uchar4>();
    return f;
}

static void produce(const char *kind, int value)
{
    cudaEglFrame f = frame_of(memory_of(kind)), back;
    cudaError_t e;

    fill<<<H, W * 4, 0, work>>>((unsigned char *)f.frame.pPitch[0].ptr, (unsigned char)value);
    e = cudaEGLStreamProducerPresentFrame(&end, f, &work);
    printf("%s %d: %s\n", kind, value, cudaGetErrorName(e));
    while (!e && cudaEGLStreamProducerReturnFrame(&end, &back, &work)) {
    }
    OK(cudaStreamSynchronize(work));
    cudaGetLastError();
}

/* The consumer acquires while this process stands still. */
static void produce_unmapping(bool both)
{
    cudaExternalMemory_t memory;
    int *gpu[2];
    users u;

    u.bytes = 4 * 4096;
    OK(buffer_import(buffer_new(u), u.bytes, &memory));
    OK(buffer_map(memory, SKIP, BYTES, &gpu[0]));
    OK(buffer_map(memory, SKIP, BYTES, &gpu[1]));
    fill<<<H, W * 4, 0, work>>>((unsigned char *)gpu[1], 7);
    OK(cudaEGLStreamProducerPresentFrame(&end, frame_of(gpu[1]), &work));
    OK(cudaStreamSynchronize(work));
    OK(cudaFree(gpu[0]));
    if (both) {
        OK(cudaFree(gpu[1]));
    }
    raise(SIGSTOP);
}

static void second(int fd, const char *what)
{
    static const char *const kinds[] = { "device", "managed",  "pitch",
                                         "pinned", "nvscibuf", "nvscibuf, not cached" };

    stream = from(display, fd);
    OK(stream == EGL_NO_STREAM_KHR);
    OK(cudaEGLStreamProducerConnect(&end, stream, W, H));
    sci_open();
    for (int i = 0; !*what && i < 6; i++) {
        produce(kinds[i], i + 1);
    }
    if (*what) {
        produce_unmapping(strcmp(what, "unmap_both") == 0);
    }
    OK(cudaEGLStreamProducerDisconnect(&end));
}

/* --- the consumer --- */

static int *out; /* first byte of a frame, and how many differ */

static pid_t started(const char *what)
{
    static const EGLint fifo[] = { EGL_STREAM_FIFO_LENGTH_KHR, 1, EGL_SUPPORT_REUSE_NV, EGL_FALSE,
                                   EGL_NONE };
    extern char **environ;
    char self[] = "kinds", number[16];
    char *argv[] = { self, (char *)what, number, NULL };
    int fd;
    pid_t pid;

    OK(cudaMallocHost((void **)&out, 2 * sizeof(*out)));
    stream = create(display, fifo);
    fd = descriptor(display, stream);
    OK(cudaEGLStreamConsumerConnect(&end, stream));
    snprintf(number, sizeof(number), "%d", fd);
    OK(posix_spawn(&pid, "/proc/self/exe", NULL, NULL, argv, environ));
    return pid;
}

static void look(cudaGraphicsResource_t resource)
{
    cudaEglFrame f;

    out[0] = out[1] = 0;
    OK(cudaGraphicsResourceGetMappedEglFrame(&f, resource, 0, 0));
    compare<<<H, W * 4, 0, work>>>((const unsigned char *)f.frame.pPitch[0].ptr, out);
    OK(cudaStreamSynchronize(work));
    printf("frame %d, %d wrong\n", out[0], out[1]);
    fflush(stdout);
    OK(cudaEGLStreamConsumerReleaseFrame(&end, resource, &work));
}

static void ends(pid_t pid)
{
    int status;

    OK(waitpid(pid, &status, 0) != pid);
    printf("status %d\n", status);
}

static void first(void)
{
    pid_t pid = started("");
    cudaGraphicsResource_t resource;

    until(EGL_STREAM_STATE_EMPTY_KHR);
    while (state() != EGL_STREAM_STATE_DISCONNECTED_KHR) {
        if (cudaEGLStreamConsumerAcquireFrame(&end, &resource, &work, 100000)) {
            cudaGetLastError();
            continue;
        }
        look(resource);
    }
    ends(pid);
}

static void first_unmapping(const char *what)
{
    pid_t pid = started(what);
    cudaGraphicsResource_t resource;
    cudaError_t e;
    int status;

    OK(waitpid(pid, &status, WUNTRACED) != pid || !WIFSTOPPED(status));
    e = cudaEGLStreamConsumerAcquireFrame(&end, &resource, &work, 0);
    printf("acquire: %s\n", cudaGetErrorName(e));
    if (!e) {
        look(resource);
    }
    OK(kill(pid, SIGCONT));
    ends(pid);
}

int main(int argc, char **argv)
{
    setvbuf(stdout, NULL, _IOLBF, 0);
    up();
    if (argc > 2) {
        second(atoi(argv[2]), argv[1]);
    } else if (argc > 1) {
        first_unmapping(argv[1]);
    } else {
        first();
    }
    return 0;
}
