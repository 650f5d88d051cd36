/* SPDX-License-Identifier: MIT */
/* An EGLStream of two processes: two CASE. The first process makes the stream and starts the second
 * one, which inherits the descriptor. */
#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_egl_interop.h>
#include <cuda_runtime.h>
#include <dirent.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define W 64
#define H 16
#define FRAMES 20
#define BUFFERS 3

#define CHECK(call)                                                              \
    do {                                                                         \
        int r_ = (int)(call);                                                    \
        if (r_) {                                                                \
            fprintf(stderr, "%s:%d: %s: 0x%x\n", __FILE__, __LINE__, #call, r_); \
            exit(2);                                                             \
        }                                                                        \
    } while (0)

#define EGL_FUNCTIONS(F)                                                   \
    F(PFNEGLCREATESTREAMKHRPROC, eglCreateStreamKHR)                       \
    F(PFNEGLDESTROYSTREAMKHRPROC, eglDestroyStreamKHR)                     \
    F(PFNEGLQUERYSTREAMKHRPROC, eglQueryStreamKHR)                         \
    F(PFNEGLQUERYSTREAMU64KHRPROC, eglQueryStreamu64KHR)                   \
    F(PFNEGLRESETSTREAMNVPROC, eglResetStreamNV)                           \
    F(PFNEGLCREATESTREAMSYNCNVPROC, eglCreateStreamSyncNV)                 \
    F(PFNEGLCLIENTWAITSYNCKHRPROC, eglClientWaitSyncKHR)                   \
    F(PFNEGLGETSTREAMFILEDESCRIPTORKHRPROC, eglGetStreamFileDescriptorKHR) \
    F(PFNEGLCREATESTREAMFROMFILEDESCRIPTORKHRPROC, eglCreateStreamFromFileDescriptorKHR)
#define DECLARE(type, name) static type p_##name;
EGL_FUNCTIONS(DECLARE)

static EGLDisplay display;
static EGLStreamKHR stream;
static cudaStream_t work;
static cudaEglStreamConnection end;

__global__ void fill(unsigned char *p, unsigned char value)
{
    p[blockIdx.x * blockDim.x + threadIdx.x] = value;
}

/* Counts bytes that are not @value. */
__global__ void compare(const unsigned char *p, unsigned char value, int *wrong)
{
    if (p[blockIdx.x * blockDim.x + threadIdx.x] != value) {
        atomicAdd(wrong, 1);
    }
}

__global__ void fill_surface(cudaSurfaceObject_t s, unsigned char value)
{
    surf2Dwrite(make_uchar4(value, value, value, value), s, (int)threadIdx.x * 4, (int)blockIdx.x);
}

__global__ void compare_surface(cudaSurfaceObject_t s, unsigned char value, int *wrong)
{
    uchar4 v;

    surf2Dread(&v, s, (int)threadIdx.x * 4, (int)blockIdx.x);
    if (v.x != value || v.w != value) {
        atomicAdd(wrong, 1);
    }
}

static void up(void)
{
    display = eglGetDisplay(EGL_DEFAULT_DISPLAY);
    CHECK(!eglInitialize(display, NULL, NULL));
#define LOAD(type, name) p_##name = (type)eglGetProcAddress(#name);
    EGL_FUNCTIONS(LOAD)
    CHECK(cudaStreamCreateWithFlags(&work, cudaStreamNonBlocking));
}

static EGLint state(void)
{
    EGLint value = 0;

    CHECK(!p_eglQueryStreamKHR(display, stream, EGL_STREAM_STATE_KHR, &value));
    return value;
}

static void until(EGLint wanted)
{
    while (state() < wanted) {
        usleep(1000);
    }
}

/* This program again, with the stream: two CASE.second FD. */
static pid_t second(const char *self, const char *name, int fd)
{
    extern char **environ;
    char role[64], number[16];
    char *argv[] = { (char *)self, role, number, NULL };
    pid_t pid;

    snprintf(role, sizeof(role), "%s.second", name);
    snprintf(number, sizeof(number), "%d", fd);
    fflush(stdout);
    if (getenv("VTEGRA_TRACE")) { /* this process has read its own */
        setenv("VTEGRA_TRACE", "second.trace", 1);
    }
    CHECK(posix_spawn(&pid, "/proc/self/exe", NULL, NULL, argv, environ));
    return pid;
}

static int ended(pid_t pid)
{
    int status;

    CHECK(waitpid(pid, &status, 0) != pid);
    return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

static void stream_make(const EGLint *attributes, int *fd)
{
    stream = p_eglCreateStreamKHR(display, attributes);
    CHECK(stream == EGL_NO_STREAM_KHR);
    *fd = p_eglGetStreamFileDescriptorKHR(display, stream);
    CHECK(*fd < 0);
}

static void stream_take(const char *fd)
{
    stream = p_eglCreateStreamFromFileDescriptorKHR(display, atoi(fd));
    CHECK(stream == EGL_NO_STREAM_KHR);
    CHECK(close(atoi(fd)));
}

/* --- frames --- */

static bool arrays, fresh; /* fresh: each frame is an allocation of its own */

static cudaEglFrame frame_new(void)
{
    cudaEglFrame f;

    memset(&f, 0, sizeof(f));
    f.planeCount = arrays ? 2 : 1;
    f.eglColorFormat = cudaEglColorFormatARGB;
    f.frameType = arrays ? cudaEglFrameTypeArray : cudaEglFrameTypePitch;
    for (unsigned i = 0; i < f.planeCount; i++) {
        cudaEglPlaneDesc *d = &f.planeDesc[i];

        d->width = W;
        d->height = H;
        d->pitch = W * 4;
        d->numChannels = 4;
        d->channelDesc = cudaCreateChannelDesc<uchar4>();
        if (arrays) {
            CHECK(cudaMallocArray(&f.frame.pArray[i], &d->channelDesc, W, H,
                                  cudaArraySurfaceLoadStore));
        } else {
            CHECK(cudaMalloc(&f.frame.pPitch[i].ptr, W * H * 4));
        }
    }
    return f;
}

static cudaSurfaceObject_t surface_of(cudaArray_t array)
{
    cudaResourceDesc desc;
    cudaSurfaceObject_t surface;

    memset(&desc, 0, sizeof(desc));
    desc.resType = cudaResourceTypeArray;
    desc.res.array.array = array;
    CHECK(cudaCreateSurfaceObject(&surface, &desc));
    return surface;
}

static void frame_fill(const cudaEglFrame *f, int value)
{
    for (unsigned i = 0; i < f->planeCount; i++) {
        if (arrays) {
            fill_surface<<<H, W, 0, work>>>(surface_of(f->frame.pArray[i]),
                                            (unsigned char)(value + i));
        } else {
            fill<<<H, W * 4, 0, work>>>((unsigned char *)f->frame.pPitch[i].ptr,
                                        (unsigned char)value);
        }
    }
}

static void frame_compare(const cudaEglFrame *f, int value, int *wrong)
{
    for (unsigned i = 0; i < f->planeCount; i++) {
        if (arrays) {
            compare_surface<<<H, W, 0, work>>>(surface_of(f->frame.pArray[i]),
                                               (unsigned char)(value + i), wrong);
        } else {
            compare<<<H, W * 4, 0, work>>>((const unsigned char *)f->frame.pPitch[i].ptr,
                                           (unsigned char)value, wrong);
        }
    }
}

/* Numbers in the frames: 1, 2 ... Return: what ended it. */
static cudaError_t produce(int frames)
{
    cudaEglFrame f[BUFFERS];
    cudaError_t e = cudaSuccess;

    until(EGL_STREAM_STATE_CONNECTING_KHR);
    CHECK(cudaEGLStreamProducerConnect(&end, stream, W, H));
    for (int i = 0; i < frames && !e; i++) {
        cudaEglFrame *now = &f[i % BUFFERS];

        if (i < BUFFERS) {
            *now = frame_new();
        } else {
            do { /* the consumer still has it */
                e = cudaEGLStreamProducerReturnFrame(&end, now, &work);
            } while (e == cudaErrorLaunchTimeout);
            if (fresh && !e) {
                CHECK(cudaStreamSynchronize(work));
                CHECK(cudaFree(now->frame.pPitch[0].ptr));
                *now = frame_new();
            }
        }
        if (!e) {
            frame_fill(now, i + 1);
            e = cudaEGLStreamProducerPresentFrame(&end, *now, &work);
        }
    }
    cudaGetLastError();
    return e;
}

static cudaGraphicsResource_t acquired(cudaEglFrame *f)
{
    cudaGraphicsResource_t resource;
    cudaError_t e;

    until(EGL_STREAM_STATE_EMPTY_KHR);
    e = cudaEGLStreamConsumerAcquireFrame(&end, &resource, &work, 10000000);
    if (e) {
        printf("acquire: %s, state 0x%x\n", cudaGetErrorName(e), state());
        exit(3);
    }
    CHECK(cudaGraphicsResourceGetMappedEglFrame(f, resource, 0, 0));
    return resource;
}

static const EGLint fifo[] = { EGL_STREAM_FIFO_LENGTH_KHR, 2, EGL_SUPPORT_REUSE_NV, EGL_FALSE,
                               EGL_NONE };

/* --- 20 frames: the consumer makes the stream --- */

/* FRAMES in the environment: so many, for memory after a long run. */
static int count(void)
{
    const char *asked = getenv("FRAMES");

    return asked ? atoi(asked) : fresh ? 250 : FRAMES; /* 250: more than all planes of 64 frames */
}

static void resident_print(const char *who)
{
    FILE *f = getenv("FRAMES") ? fopen("/proc/self/status", "r") : NULL;
    char line[128];
    long kib;

    while (f && fgets(line, sizeof(line), f)) {
        if (sscanf(line, "VmHWM: %ld", &kib) == 1) {
            printf("%s KiB %ld\n", who, kib);
        }
    }
    if (f) {
        fclose(f);
    }
}

static void frames(const char *self, const char *name)
{
    cudaEglFrame f;
    int fd, *wrong;
    pid_t pid;

    CHECK(cudaMallocHost((void **)&wrong, sizeof(*wrong)));
    *wrong = 0;
    stream_make(fifo, &fd);
    CHECK(cudaEGLStreamConsumerConnect(&end, stream));
    pid = second(self, name, fd);
    CHECK(close(fd));
    for (int i = 0; i < count(); i++) {
        cudaGraphicsResource_t resource = acquired(&f);

        frame_compare(&f, i + 1, wrong);
        CHECK(cudaEGLStreamConsumerReleaseFrame(&end, resource, &work));
    }
    CHECK(cudaStreamSynchronize(work));
    until(EGL_STREAM_STATE_DISCONNECTED_KHR);
    CHECK(cudaEGLStreamConsumerDisconnect(&end));
    CHECK(!p_eglDestroyStreamKHR(display, stream));
    printf("%d frames, %d wrong, status %d\n", count(), *wrong, ended(pid));
    resident_print("consumer");
    CHECK(cudaFreeHost(wrong));
}

static void frames_second(void)
{
    CHECK(produce(count()));
    until(EGL_STREAM_STATE_EMPTY_KHR);
    while (state() == EGL_STREAM_STATE_NEW_FRAME_AVAILABLE_KHR) {
        usleep(1000);
    }
    CHECK(cudaStreamSynchronize(work));
    CHECK(cudaEGLStreamProducerDisconnect(&end));
    resident_print("producer");
}

/* --- stream after stream: no descriptor and no mapping is left --- */

/* Not of a child: its parent's end of a pipe may be open still. */
static int descriptors_open(void)
{
    DIR *dir = opendir("/proc/self/fd");
    int n = 0;

    CHECK(!dir);
    while (readdir(dir)) {
        n++;
    }
    CHECK(closedir(dir));
    return n;
}

static void again(const char *self, const char *name)
{
    int before = 0, after = 0;

    for (int i = 0; i < 6; i++) {
        frames(self, name);
        after = descriptors_open();
        before = i ? before : after;
    }
    printf("descriptors left: %d\n", after - before);
}

/* --- the same memory: what the producer writes later is seen (and is a mistake) --- */

static void same(const char *self, const char *name)
{
    cudaGraphicsResource_t resource;
    cudaEglFrame f;
    unsigned char byte;
    int fd, status;
    pid_t pid;

    stream_make(NULL, &fd);
    CHECK(cudaEGLStreamConsumerConnect(&end, stream));
    pid = second(self, name, fd);
    resource = acquired(&f);
    CHECK(cudaMemcpyAsync(&byte, f.frame.pPitch[0].ptr, 1, cudaMemcpyDeviceToHost, work));
    CHECK(cudaStreamSynchronize(work));
    printf("%d", byte);
    CHECK(waitpid(pid, &status, WUNTRACED) != pid || !WIFSTOPPED(status));
    CHECK(kill(pid, SIGCONT));
    CHECK(ended(pid));
    CHECK(cudaMemcpyAsync(&byte, f.frame.pPitch[0].ptr, 1, cudaMemcpyDeviceToHost, work));
    CHECK(cudaStreamSynchronize(work));
    printf(" then %d, state 0x%x, ", byte, state());
    printf("release %s\n",
           cudaGetErrorName(cudaEGLStreamConsumerReleaseFrame(&end, resource, &work)));
}

static void same_second(void)
{
    cudaEglFrame f = frame_new();

    CHECK(cudaEGLStreamProducerConnect(&end, stream, W, H));
    frame_fill(&f, 1);
    CHECK(cudaEGLStreamProducerPresentFrame(&end, f, &work));
    raise(SIGSTOP);
    frame_fill(&f, 2);
    CHECK(cudaStreamSynchronize(work));
    _exit(0);
}

/* --- one is killed --- */

static void producer_killed(const char *self, const char *name)
{
    cudaGraphicsResource_t resource, none;
    cudaEglFrame f;
    int fd, *wrong;
    pid_t pid;

    CHECK(cudaMallocHost((void **)&wrong, sizeof(*wrong)));
    *wrong = 0;
    stream_make(fifo, &fd);
    CHECK(cudaEGLStreamConsumerConnect(&end, stream));
    pid = second(self, name, fd);
    CHECK(close(fd));
    resource = acquired(&f);
    frame_compare(&f, 1, wrong);
    CHECK(cudaStreamSynchronize(work)); /* before it is killed */
    CHECK(kill(pid, SIGKILL));
    printf("killed %d, state ", ended(pid));
    printf("0x%x", state());
    frame_compare(&f, 1, wrong);
    CHECK(cudaStreamSynchronize(work));
    printf(", wrong %d, release %s", *wrong,
           cudaGetErrorName(cudaEGLStreamConsumerReleaseFrame(&end, resource, &work)));
    printf(", acquire %s\n",
           cudaGetErrorName(cudaEGLStreamConsumerAcquireFrame(&end, &none, &work, 1000000)));
    CHECK(cudaEGLStreamConsumerDisconnect(&end));
    cudaGetLastError();
}

static void producer_killed_second(void)
{
    CHECK(produce(2));
    for (;;) {
        pause();
    }
}

static void consumer_killed(const char *self, const char *name)
{
    cudaEglFrame none;
    cudaError_t e;
    int fd;
    pid_t pid;

    stream_make(fifo, &fd);
    pid = second(self, name, fd);
    CHECK(close(fd));
    e = produce(FRAMES); /* the consumer takes three */
    printf("present or return %s, killed %d, state ", cudaGetErrorName(e), ended(pid));
    printf("0x%x", state());
    e = cudaEGLStreamProducerReturnFrame(&end, &none, &work);
    printf(", return %s\n", cudaGetErrorName(e));
    CHECK(cudaEGLStreamProducerDisconnect(&end));
    cudaGetLastError();
    CHECK(cudaStreamSynchronize(work));
}

static void consumer_killed_second(void)
{
    cudaEglFrame f;

    CHECK(cudaEGLStreamConsumerConnect(&end, stream));
    for (int i = 0; i < 3; i++) {
        cudaGraphicsResource_t resource = acquired(&f);

        CHECK(cudaEGLStreamConsumerReleaseFrame(&end, resource, &work));
    }
    CHECK(cudaStreamSynchronize(work));
    raise(SIGKILL);
}

/* A process that has connected nothing has no effect. */
static void idle_killed(const char *self, const char *name)
{
    int fd;
    pid_t pid;

    stream_make(NULL, &fd);
    CHECK(cudaEGLStreamConsumerConnect(&end, stream));
    pid = second(self, name, fd);
    printf("killed %d, state ", ended(pid));
    printf("0x%x", state());
    {
        cudaEglStreamConnection producer;

        CHECK(cudaEGLStreamProducerConnect(&producer, stream, W, H));
        printf(", then 0x%x\n", state());
        CHECK(cudaEGLStreamProducerDisconnect(&producer));
    }
}

static void idle_killed_second(void)
{
    raise(SIGKILL);
}

/* --- descriptors: EGL_KHR_stream_cross_process_fd, its errors --- */

static void says(const char *what, bool ok)
{
    printf("%s: %d 0x%x\n", what, ok, eglGetError());
    fflush(stdout);
}

static EGLStreamKHR from(int fd)
{
    return p_eglCreateStreamFromFileDescriptorKHR(display, fd);
}

static void descriptors(const char *self, const char *name)
{
    EGLStreamKHR other;
    int fd, stale, pair[2];

    stream_make(NULL, &fd);
    says("twice", p_eglGetStreamFileDescriptorKHR(display, stream) >= 0);
    says("no descriptor", from(-1));
    says("closed", from(999));
    says("standard input", from(0));
    CHECK(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair));
    CHECK(write(pair[0], "what is this about?      ", 24) != 24);
    says("another socket", from(pair[1]));
    CHECK(ended(second(self, name, fd)));
    says("used by the other process", from(fd));

    stream = p_eglCreateStreamKHR(display, NULL);
    CHECK(cudaEGLStreamConsumerConnect(&end, stream));
    says("connected", p_eglGetStreamFileDescriptorKHR(display, stream) >= 0);
    stream_make(NULL, &fd);
    other = from(fd);
    says("in this process", other);
    says("of a duplicate", p_eglGetStreamFileDescriptorKHR(display, other) >= 0);
    says("again", from(fd));
    stream_make(NULL, &stale);
    CHECK(cudaEGLStreamConsumerConnect(&end, stream));
    CHECK(cudaEGLStreamProducerConnect(&end, stream, W, H));
    says("both connected", from(stale));
    says("and used", from(stale));
}

static void descriptors_second(void)
{
    says("a descriptor of the duplicate", p_eglGetStreamFileDescriptorKHR(display, stream) >= 0);
    says("CREATED", state() == EGL_STREAM_STATE_CREATED_KHR);
}

/* --- two handles in one process, and what one end may not --- */

static void handles(const char *, const char *)
{
    static const EGLint resets[] = { EGL_SUPPORT_RESET_NV, EGL_TRUE, EGL_NONE };
    EGLStreamKHR first, duplicate;
    cudaEglStreamConnection consumer;
    cudaEglFrame f = frame_new(), back;
    cudaGraphicsResource_t resource;
    EGLSyncKHR sync;
    unsigned char byte;
    int fd;

    stream_make(resets, &fd);
    first = stream;
    duplicate = from(fd);
    CHECK(cudaEGLStreamConsumerConnect(&consumer, duplicate));
    says("sync of the other handle",
         p_eglCreateStreamSyncNV(display, first, EGL_SYNC_NEW_FRAME_NV, NULL) != EGL_NO_SYNC_KHR);
    sync = p_eglCreateStreamSyncNV(display, duplicate, EGL_SYNC_NEW_FRAME_NV, NULL);
    CHECK(cudaEGLStreamProducerConnect(&end, first, W, H));
    frame_fill(&f, 7);
    CHECK(cudaEGLStreamProducerPresentFrame(&end, f, &work));
    printf("sync 0x%x\n", p_eglClientWaitSyncKHR(display, sync, 0, 0));
    CHECK(cudaEGLStreamConsumerAcquireFrame(&consumer, &resource, &work, 0));
    CHECK(cudaGraphicsResourceGetMappedEglFrame(&back, resource, 0, 0));
    CHECK(cudaMemcpyAsync(&byte, back.frame.pPitch[0].ptr, 1, cudaMemcpyDeviceToHost, work));
    CHECK(cudaStreamSynchronize(work));
    CHECK(cudaEGLStreamConsumerReleaseFrame(&consumer, resource, &work));
    printf("byte %d\n", byte);
    says("reset by the consumer", p_eglResetStreamNV(display, duplicate));
    says("reset by the producer", p_eglResetStreamNV(display, first));
    CHECK(cudaEGLStreamProducerReturnFrame(&end, &back, &work));
    printf("the frame is back: %d\n", back.frame.pPitch[0].ptr == f.frame.pPitch[0].ptr);
    CHECK(cudaEGLStreamConsumerDisconnect(&consumer));
    CHECK(cudaEGLStreamProducerDisconnect(&end));
}

/* --- both ends on the handle whose descriptor was taken: "a consumer can be associated with the
 * EGLStream from either process", and so can a producer --- */

static int mismatches(cudaEglStreamConnection *consumer, int frames)
{
    cudaEglFrame f[2] = { frame_new(), frame_new() }, back;
    cudaGraphicsResource_t resource;
    int *wrong, n;

    CHECK(cudaMallocHost((void **)&wrong, sizeof(*wrong)));
    *wrong = 0;
    for (int i = 0; i < frames; i++) {
        frame_fill(&f[i % 2], i + 1);
        CHECK(cudaEGLStreamProducerPresentFrame(&end, f[i % 2], &work));
        CHECK(cudaEGLStreamConsumerAcquireFrame(consumer, &resource, &work, 0));
        CHECK(cudaGraphicsResourceGetMappedEglFrame(&back, resource, 0, 0));
        frame_compare(&back, i + 1, wrong);
        *wrong += back.frame.pPitch[0].ptr != f[i % 2].frame.pPitch[0].ptr;
        CHECK(cudaEGLStreamConsumerReleaseFrame(consumer, resource, &work));
        CHECK(cudaEGLStreamProducerReturnFrame(&end, &back, &work));
        CHECK(cudaStreamSynchronize(work));
    }
    n = *wrong;
    CHECK(cudaFreeHost(wrong));
    return n;
}

/* What one process may do, and no other: memory that cannot go there, too. */
static void managed(cudaEglStreamConnection *consumer)
{
    cudaGraphicsResource_t resource;
    cudaEglFrame f = frame_new(), back;
    cudaError_t e;

    CHECK(cudaMallocManaged(&f.frame.pPitch[0].ptr, W * H * 4));
    e = cudaEGLStreamProducerPresentFrame(&end, f, &work);
    printf("managed %s", cudaGetErrorName(e));
    e = cudaEGLStreamConsumerAcquireFrame(consumer, &resource, &work, 0);
    printf(", acquire %s\n", cudaGetErrorName(e));
    CHECK(cudaEGLStreamConsumerReleaseFrame(consumer, resource, &work));
    CHECK(cudaEGLStreamProducerReturnFrame(&end, &back, &work));
}

static void one(const char *self, const char *name)
{
    static const EGLint resets[] = { EGL_SUPPORT_RESET_NV, EGL_TRUE, EGL_SUPPORT_REUSE_NV,
                                     EGL_FALSE, EGL_NONE };

    for (int used = 0; used < 2; used++) {
        cudaEglStreamConnection consumer;
        EGLuint64KHR number = 0;
        int fd, status;
        pid_t pid = 0;

        stream_make(resets, &fd);
        if (used) {
            pid = second(self, name, fd);
            CHECK(waitpid(pid, &status, WUNTRACED) != pid || !WIFSTOPPED(status));
        }
        CHECK(close(fd));
        CHECK(cudaEGLStreamConsumerConnect(&consumer, stream));
        CHECK(cudaEGLStreamProducerConnect(&end, stream, W, H));
        printf("%s: state 0x%x, ", used ? "used" : "closed", state());
        printf("%d wrong\n", mismatches(&consumer, FRAMES / 2));
        fflush(stdout);
        if (used) {
            CHECK(kill(pid, SIGCONT));
            printf("killed %d, state 0x%x\n", ended(pid), state());
        }
        printf("%d wrong, ", mismatches(&consumer, FRAMES / 2));
        CHECK(!p_eglQueryStreamu64KHR(display, stream, EGL_CONSUMER_FRAME_KHR, &number));
        printf("consumer at %d\n", (int)number);
        managed(&consumer);
        says("sync", p_eglCreateStreamSyncNV(display, stream, EGL_SYNC_NEW_FRAME_NV, NULL) !=
                         EGL_NO_SYNC_KHR);
        says("reset", p_eglResetStreamNV(display, stream));
        CHECK(cudaEGLStreamProducerDisconnect(&end));
        printf("state 0x%x\n", state());
        CHECK(cudaEGLStreamConsumerDisconnect(&consumer));
    }
}

static void one_second(void)
{
    cudaEglStreamConnection consumer;

    raise(SIGSTOP);
    printf("there: state 0x%x, ", state());
    printf("consumer %s\n", cudaGetErrorName(cudaEGLStreamConsumerConnect(&consumer, stream)));
    says("sync there", p_eglCreateStreamSyncNV(display, stream, EGL_SYNC_NEW_FRAME_NV, NULL) !=
                           EGL_NO_SYNC_KHR);
    raise(SIGKILL);
}

/* --- a board of its own: no descriptor --- */

static void alone(const char *, const char *)
{
    stream = p_eglCreateStreamKHR(display, NULL);
    says("alone", p_eglGetStreamFileDescriptorKHR(display, stream) >= 0);
}

/* --- a child of fork() has no board, once the parent has --- */

static void forked(const char *, const char *)
{
    int fd;
    pid_t pid;

    stream_make(NULL, &fd);
    pid = fork();
    if (pid == 0) {
        says("child", from(fd));
        _exit(0);
    }
    printf("status %d\n", ended(pid));
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*first)(const char *self, const char *name);
        void (*second)(void);
    } cases[] = {
        { "frames", frames, frames_second },
        { "arrays", frames, frames_second },
        { "fresh", frames, frames_second },
        { "again", again, frames_second },
        { "same", same, same_second },
        { "producer_killed", producer_killed, producer_killed_second },
        { "consumer_killed", consumer_killed, consumer_killed_second },
        { "idle_killed", idle_killed, idle_killed_second },
        { "descriptors", descriptors, descriptors_second },
        { "handles", handles, NULL },
        { "one", one, one_second },
        { "alone", alone, NULL },
        { "forked", forked, NULL },
    };

    for (size_t i = 0; argc > 1 && i < sizeof(cases) / sizeof(cases[0]); i++) {
        size_t n = strlen(cases[i].name);

        if (strncmp(argv[1], cases[i].name, n) != 0) {
            continue;
        }
        arrays = strcmp(cases[i].name, "arrays") == 0;
        fresh = strcmp(cases[i].name, "fresh") == 0;
        up();
        if (argc > 2) {
            stream_take(argv[2]);
            cases[i].second();
        } else {
            cases[i].first(argv[0], cases[i].name);
        }
        return 0;
    }
    return 4;
}
