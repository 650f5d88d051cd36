/* SPDX-License-Identifier: MIT */
/* Answers about an EGLStream whose ends are on two GPUs: a line a question, "section.case code";
 * values as "section.case.value number".
 *
 *   g++ -I include egl_peer_codes.cpp -o egl_peer_codes -lcuda -lEGL && ./egl_peer_codes
 *
 * The output on a machine with two GPUs lies beside it as egl_peer_codes.txt; tests/egl compares
 * ours with it. Each section is a process of its own. */
#define EGL_EGLEXT_PROTOTYPES
#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <cuda.h>
#include <cudaEGL.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

#define W 64
#define H 32
#define BYTES (W * H * 4)

static const char *section, *current = "begin";

/* A question that a section asks again is name@2, name@3 and so on. */
static void row(const char *name, long long value)
{
    static std::map<std::string, int> asked;
    int n = ++asked[name];

    std::string again = n > 1 ? "@" + std::to_string(n) : "";

    std::printf("%s.%s%s %lld\n", section, name, again.c_str(), value);
    std::fflush(stdout);
}

#define C(name, call) (current = (name), row((name), (long long)(call)))
#define V(name, value) row(name ".value", (long long)(value))

static void crashed(int)
{
    std::printf("%s.%s SIGSEGV\n", section, current);
    std::fflush(stdout);
    _exit(0);
}

static PFNEGLCREATESTREAMKHRPROC create;
static PFNEGLQUERYSTREAMKHRPROC query;
static PFNEGLGETSTREAMFILEDESCRIPTORKHRPROC get_fd;
static PFNEGLCREATESTREAMFROMFILEDESCRIPTORKHRPROC from_fd;
static PFNEGLQUERYDEVICESEXTPROC devices_of;
static PFNEGLQUERYDEVICEATTRIBEXTPROC device_attrib;
static PFNEGLGETPLATFORMDISPLAYEXTPROC platform_display;

static EGLDisplay display[2]; /* of CUDA devices 0 and 1 */
static EGLDeviceEXT device[16];
static EGLint n_devices;
static EGLStreamKHR stream;
static CUcontext ctx[2];
static CUstream work[2];
static CUeglStreamConnection producer, consumer;

static void use(int d)
{
    cuCtxSetCurrent(ctx[d]);
}

template <typename T> static void load(T *f, const char *name)
{
    *f = (T)eglGetProcAddress(name);
}

static bool up()
{
    bool bad = cuInit(0) != 0;

    load(&create, "eglCreateStreamKHR");
    load(&query, "eglQueryStreamKHR");
    load(&get_fd, "eglGetStreamFileDescriptorKHR");
    load(&from_fd, "eglCreateStreamFromFileDescriptorKHR");
    load(&devices_of, "eglQueryDevicesEXT");
    load(&device_attrib, "eglQueryDeviceAttribEXT");
    load(&platform_display, "eglGetPlatformDisplayEXT");
    bad = bad || !devices_of(16, device, &n_devices);
    for (int i = 0; i < n_devices && !bad; i++) {
        EGLAttrib cuda = -1;

        if (device_attrib(device[i], EGL_CUDA_DEVICE_NV, &cuda) && cuda >= 0 && cuda < 2) {
            display[cuda] = platform_display(EGL_PLATFORM_DEVICE_EXT, device[i], nullptr);
            eglInitialize(display[cuda], nullptr, nullptr);
        }
    }
    for (int d = 0; d < 2 && !bad; d++) {
        bad = cuDevicePrimaryCtxRetain(&ctx[d], d) || cuCtxSetCurrent(ctx[d]) ||
              cuStreamCreate(&work[d], CU_STREAM_NON_BLOCKING);
    }
    return !bad;
}

static EGLint state()
{
    EGLint value = 0;

    query(display[0], stream, EGL_STREAM_STATE_KHR, &value);
    return value;
}

static void connect(int from, int to, unsigned flags = ~0u)
{
    static const EGLint fifo[] = { EGL_STREAM_FIFO_LENGTH_KHR, 4, EGL_SUPPORT_REUSE_NV, EGL_FALSE,
                                   EGL_NONE };

    stream = create(display[0], fifo);
    V("stream", stream != EGL_NO_STREAM_KHR);
    use(to);
    C("consumer", flags == ~0u ? cuEGLStreamConsumerConnect(&consumer, stream)
                               : cuEGLStreamConsumerConnectWithFlags(&consumer, stream, flags));
    use(from);
    C("producer", cuEGLStreamProducerConnect(&producer, stream, W, H));
    V("state", state());
}

static CUeglFrame pitch_frame(CUdeviceptr p)
{
    CUeglFrame f = {};

    f.frame.pPitch[0] = (void *)p;
    f.width = W;
    f.height = H;
    f.pitch = W * 4;
    f.planeCount = 1;
    f.numChannels = 4;
    f.frameType = CU_EGL_FRAME_TYPE_PITCH;
    f.eglColorFormat = CU_EGL_COLOR_FORMAT_ARGB;
    f.cuFormat = CU_AD_FORMAT_UNSIGNED_INT8;
    return f;
}

static CUeglFrame array_frame(CUarray a)
{
    CUeglFrame f = pitch_frame(0);

    f.frame.pArray[0] = a;
    f.pitch = 0;
    f.frameType = CU_EGL_FRAME_TYPE_ARRAY;
    return f;
}

static int byte_at(CUdeviceptr p)
{
    unsigned char b = 0;

    return cuMemcpyDtoH(&b, p, 1) ? -1 : b;
}

static void attributes(CUdeviceptr p)
{
    int ordinal = -1;
    unsigned type = 0;

    C("ordinal", cuPointerGetAttribute(&ordinal, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, p));
    V("ordinal", ordinal);
    C("type", cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, p));
    V("type", type);
}

/* A frame goes there, is changed there, and comes back. */
static void round_trip(int from, int to, CUdeviceptr p, unsigned char value)
{
    CUeglFrame f = pitch_frame(p), got = {}, back = {};
    CUgraphicsResource r = nullptr;
    CUdeviceptr q;

    use(from);
    C("fill", cuMemsetD8Async(p, value, BYTES, work[from]));
    C("present", cuEGLStreamProducerPresentFrame(&producer, f, &work[from]));
    use(to);
    C("acquire", cuEGLStreamConsumerAcquireFrame(&consumer, &r, &work[to], 100000));
    C("mapped", cuGraphicsResourceGetMappedEglFrame(&got, r, 0, 0));
    q = (CUdeviceptr)got.frame.pPitch[0];
    V("type", got.frameType);
    V("width", got.width);
    V("pitch", got.pitch);
    V("same", q == p);
    if (q) {
        attributes(q);
        C("sync", cuStreamSynchronize(work[to]));
        V("first", byte_at(q));
        V("last", byte_at(q + BYTES - 1));
        C("change", cuMemsetD8Async(q, value + 1, BYTES, work[to]));
    }
    C("release", cuEGLStreamConsumerReleaseFrame(&consumer, r, &work[to]));
    use(from);
    C("return", cuEGLStreamProducerReturnFrame(&producer, &back, &work[from]));
    V("return", (CUdeviceptr)back.frame.pPitch[0] == p);
    C("back_sync", cuStreamSynchronize(work[from]));
    V("back", byte_at(p));
}

static void ends(int from, int to, unsigned flags = ~0u)
{
    CUdeviceptr p = 0;

    connect(from, to, flags);
    use(from);
    C("alloc", cuMemAlloc(&p, BYTES));
    round_trip(from, to, p, 7);
    round_trip(from, to, p, 9);
    use(to);
    C("disconnect", cuEGLStreamConsumerDisconnect(&consumer));
    V("disconnected", state());
    use(from);
    C("leave", cuEGLStreamProducerDisconnect(&producer));
    C("end", cuCtxSynchronize());
}

static void one()
{
    ends(0, 0);
}

static void there()
{
    ends(0, 1);
}

static void back()
{
    ends(1, 0);
}

static void sysmem()
{
    ends(1, 0, CU_EGL_RESOURCE_LOCATION_SYSMEM);
}

static void vidmem()
{
    ends(1, 0, CU_EGL_RESOURCE_LOCATION_VIDMEM);
}

static void pinned()
{
    void *p = nullptr;

    connect(1, 0);
    use(1);
    C("alloc", cuMemHostAlloc(&p, BYTES, 0));
    round_trip(1, 0, (CUdeviceptr)p, 7);
}

static void array_of(int from, int to)
{
    CUDA_ARRAY_DESCRIPTOR d = { W, H, CU_AD_FORMAT_UNSIGNED_INT8, 4 };
    CUgraphicsResource r = nullptr;
    CUeglFrame got = {}, back = {};
    CUarray a = nullptr;
    CUdeviceptr p = 0;

    connect(from, to);
    use(from);
    C("alloc", cuArrayCreate(&a, &d));
    C("present", cuEGLStreamProducerPresentFrame(&producer, array_frame(a), &work[from]));
    V("presented", state());
    use(to);
    C("acquire", cuEGLStreamConsumerAcquireFrame(&consumer, &r, &work[to], 100000));
    V("acquired", state());
    C("mapped", cuGraphicsResourceGetMappedEglFrame(&got, r, 0, 0));
    V("type", got.frameType);
    V("same", got.frame.pArray[0] == a);
    C("release", cuEGLStreamConsumerReleaseFrame(&consumer, r, &work[to]));
    use(from);
    C("return", cuEGLStreamProducerReturnFrame(&producer, &back, &work[from]));
    C("alloc_pointer", cuMemAlloc(&p, BYTES));
    round_trip(from, to, p, 7); /* the stream serves on */
}

static void array_one()
{
    array_of(0, 0);
}

static void array_there()
{
    array_of(0, 1);
}

static void array_back()
{
    array_of(1, 0);
}

/* Calls while the other GPU's context is current, or with its stream. */
static void foreign()
{
    CUeglFrame f, got = {}, back = {};
    CUgraphicsResource r = nullptr;
    CUdeviceptr p = 0;

    connect(1, 0);
    use(1);
    C("alloc", cuMemAlloc(&p, BYTES));
    f = pitch_frame(p);
    C("present_stream", cuEGLStreamProducerPresentFrame(&producer, f, &work[0]));
    use(0);
    C("present_context", cuEGLStreamProducerPresentFrame(&producer, f, &work[1]));
    C("present_both", cuEGLStreamProducerPresentFrame(&producer, f, &work[0]));
    use(1);
    C("acquire_context", cuEGLStreamConsumerAcquireFrame(&consumer, &r, &work[0], 100000));
    C("mapped", cuGraphicsResourceGetMappedEglFrame(&got, r, 0, 0));
    use(0);
    C("release", cuEGLStreamConsumerReleaseFrame(&consumer, r, &work[0]));
    C("return_context", cuEGLStreamProducerReturnFrame(&producer, &back, &work[1]));
    C("foreign_end", cuEGLStreamProducerReturnFrame(&consumer, &back, &work[1]));
}

/* The memory of a frame is the consumer's GPU's. */
static void other_memory()
{
    CUdeviceptr p = 0;

    connect(1, 0);
    use(0);
    C("alloc", cuMemAlloc(&p, BYTES));
    use(1);
    C("present", cuEGLStreamProducerPresentFrame(&producer, pitch_frame(p), &work[1]));
    use(0);
    C("end", cuCtxSynchronize());
}

static void displays()
{
    EGLStreamKHR second;
    EGLint value = 0;
    int fd;

    V("two", display[0] && display[1]);
    V("differ", display[0] != display[1]);
    for (int d = 0; d < 2; d++) {
        EGLStreamKHR s = create(display[d], nullptr);

        V("stream", s != EGL_NO_STREAM_KHR);
        C("elsewhere", query(display[1 - d], s, EGL_STREAM_STATE_KHR, &value));
        C("error", eglGetError());
        use(d);
        C("consumer", cuEGLStreamConsumerConnect(&consumer, s));
        use(1 - d);
        C("producer", cuEGLStreamProducerConnect(&producer, s, W, H));
    }
    stream = create(display[0], nullptr);
    fd = get_fd(display[0], stream);
    V("fd", fd >= 0);
    second = from_fd(display[1], fd);
    V("second", second != EGL_NO_STREAM_KHR);
    use(0);
    C("of_first", cuEGLStreamConsumerConnect(&consumer, stream));
    use(1);
    C("of_second", cuEGLStreamProducerConnect(&producer, second, W, H));
    V("state", state());
}

static const struct {
    const char *name;
    void (*run)();
} sections[] = {
    { "one", one },
    { "there", there },
    { "back", back },
    { "sysmem", sysmem },
    { "vidmem", vidmem },
    { "pinned", pinned },
    { "array_one", array_one },
    { "array_there", array_there },
    { "array_back", array_back },
    { "foreign", foreign },
    { "other_memory", other_memory },
    { "displays", displays },
};

int main(int argc, char **argv)
{
    int version = 0;

    cuDriverGetVersion(&version);
    std::printf("driver %d\n", version);
    std::fflush(stdout);
    for (const auto &s : sections) {
        if (argc > 1 && std::strcmp(argv[1], s.name)) {
            continue;
        }
        pid_t pid = fork();

        if (pid == 0) {
            section = s.name;
            std::signal(SIGSEGV, crashed);
            std::signal(SIGABRT, crashed);
            alarm(20);
            if (up()) {
                s.run();
            } else {
                V("up", n_devices);
            }
            std::fflush(stdout);
            _exit(0);
        }
        int status = 0;

        waitpid(pid, &status, 0);
        if (WIFSIGNALED(status)) {
            std::printf("%s.signal %d\n", s.name, WTERMSIG(status));
            std::fflush(stdout);
        }
    }
    return 0;
}
