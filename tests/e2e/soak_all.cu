/* SPDX-License-Identifier: MIT */
/* soak_all.cu SECONDS: a long run of everything at once in two processes: streams, threads, events,
 * graphs, textures, modules, NvSci fences, EGL frames. Each process prints what it has in memory, and
 * fails if it has more than 200 bytes for each thing that it did since the first half, or on the
 * heap more than 32: of the third and the last quarter the least, since there is room that fills up
 * and is emptied again. */
#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <cuda.h>
#include <cuda_egl_interop.h>
#include <cuda_runtime.h>
#include <malloc.h>
#include <nvscisync.h>
#include <pthread.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#define CHECK(call)                                                            \
    do {                                                                       \
        int e_ = (int)(call);                                                  \
        if (e_) {                                                              \
            fprintf(stderr, "%s:%d: %s: %d\n", __FILE__, __LINE__, #call, e_); \
            exit(2);                                                           \
        }                                                                      \
    } while (0)
#define THINGS 8 /* in a round */
#define LIMIT 200
#define HEAP_LIMIT 32
#define FILLED 12000 /* rounds: by their half, tables of fixed size are full (docs/report.md) */

static const char ptx[] = ".version 7.0\n.target sm_53\n.address_size 64\n"
                          ".visible .entry nothing()\n{\nret;\n}\n";
enum { SIDE = 64 };

__global__ void increment(int *p)
{
    p[threadIdx.x] += 1;
}

__global__ void fetch(cudaTextureObject_t t, float *out)
{
    out[threadIdx.x] = tex1Dfetch<float>(t, (int)threadIdx.x);
}

static int *device;
static float *pinned;
static cudaStream_t work;

static void streams(void)
{
    cudaStream_t s;

    CHECK(cudaStreamCreate(&s));
    increment<<<1, 32, 0, s>>>(device);
    CHECK(cudaStreamSynchronize(s));
    CHECK(cudaStreamDestroy(s));
}

static void *thread_main(void *)
{
    increment<<<1, 32, 0, work>>>(device);
    CHECK(cudaStreamSynchronize(work));
    return NULL;
}

static void threads(void)
{
    pthread_t t;

    CHECK(pthread_create(&t, NULL, thread_main, NULL));
    CHECK(pthread_join(t, NULL));
}

static void events(void)
{
    cudaEvent_t e;

    CHECK(cudaEventCreate(&e));
    CHECK(cudaEventRecord(e, work));
    CHECK(cudaEventSynchronize(e));
    CHECK(cudaEventDestroy(e));
}

static void graphs(void)
{
    cudaGraphExec_t exec;
    cudaGraph_t g;

    CHECK(cudaStreamBeginCapture(work, cudaStreamCaptureModeThreadLocal));
    increment<<<1, 32, 0, work>>>(device);
    CHECK(cudaStreamEndCapture(work, &g));
    CHECK(cudaGraphInstantiate(&exec, g, 0));
    CHECK(cudaGraphLaunch(exec, work));
    CHECK(cudaStreamSynchronize(work));
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphDestroy(g));
}

static void textures(void)
{
    cudaResourceDesc r = {};
    cudaTextureDesc d = {};
    cudaTextureObject_t t;

    r.resType = cudaResourceTypeLinear;
    r.res.linear.devPtr = device;
    r.res.linear.desc = cudaCreateChannelDesc<float>();
    r.res.linear.sizeInBytes = 4096;
    CHECK(cudaCreateTextureObject(&t, &r, &d, NULL));
    fetch<<<1, 32, 0, work>>>(t, pinned);
    CHECK(cudaStreamSynchronize(work));
    CHECK(cudaDestroyTextureObject(t));
}

static void modules(void)
{
    CUfunction f;
    CUmodule m;

    CHECK(cuModuleLoadData(&m, ptx));
    CHECK(cuModuleGetFunction(&f, m, "nothing"));
    CHECK(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, work, NULL, NULL));
    CHECK(cudaStreamSynchronize(work));
    CHECK(cuModuleUnload(m));
}

static NvSciSyncModule sync_module;
static NvSciSyncCpuWaitContext wait_context;

static NvSciSyncAttrList list_of(NvSciSyncAccessPerm perm)
{
    bool cpu = true;
    NvSciSyncAttrKeyValuePair pairs[] = { { NvSciSyncAttrKey_NeedCpuAccess, &cpu, sizeof(cpu) },
                                          { NvSciSyncAttrKey_RequiredPerm, &perm, sizeof(perm) } };
    NvSciSyncAttrList list;

    CHECK(NvSciSyncAttrListCreate(sync_module, &list));
    CHECK(NvSciSyncAttrListSetAttrs(list, pairs, 2));
    return list;
}

static void fences(void)
{
    NvSciSyncAttrList lists[] = { list_of(NvSciSyncAccessPerm_SignalOnly),
                                  list_of(NvSciSyncAccessPerm_WaitOnly) };
    NvSciSyncFence fence = NvSciSyncFenceInitializer;
    NvSciSyncAttrList conflict;
    NvSciSyncObj o;

    CHECK(NvSciSyncAttrListReconcileAndObjAlloc(lists, 2, &o, &conflict));
    CHECK(NvSciSyncObjGenerateFence(o, &fence));
    CHECK(NvSciSyncObjSignal(o));
    CHECK(NvSciSyncFenceWait(&fence, wait_context, -1));
    NvSciSyncFenceClear(&fence);
    NvSciSyncObjFree(o);
    NvSciSyncAttrListFree(lists[0]);
    NvSciSyncAttrListFree(lists[1]);
}

static cudaEglStreamConnection producer, consumer;
static cudaEglFrame picture[2];
static cudaStream_t side[2];

static void frames_begin(void)
{
    EGLDisplay display = eglGetDisplay(EGL_DEFAULT_DISPLAY);
    PFNEGLCREATESTREAMKHRPROC create;
    EGLStreamKHR stream;

    CHECK(!eglInitialize(display, NULL, NULL));
    create = (PFNEGLCREATESTREAMKHRPROC)eglGetProcAddress("eglCreateStreamKHR");
    stream = create(display, NULL);
    CHECK(cudaEGLStreamConsumerConnect(&consumer, stream));
    CHECK(cudaEGLStreamProducerConnect(&producer, stream, SIDE, SIDE));
    for (int i = 0; i < 2; i++) {
        CHECK(cudaStreamCreateWithFlags(&side[i], cudaStreamNonBlocking));
        CHECK(cudaMalloc(&picture[i].frame.pPitch[0].ptr, SIDE * SIDE * 4));
        picture[i].planeDesc[0].width = picture[i].planeDesc[0].height = SIDE;
        picture[i].planeDesc[0].pitch = SIDE * 4;
        picture[i].planeDesc[0].numChannels = 4;
        picture[i].planeDesc[0].channelDesc =
            cudaCreateChannelDesc(8, 8, 8, 8, cudaChannelFormatKindUnsigned);
        picture[i].planeCount = 1;
        picture[i].frameType = cudaEglFrameTypePitch;
        picture[i].eglColorFormat = cudaEglColorFormatABGR;
    }
}

static void frames(void)
{
    static int presented;
    cudaGraphicsResource_t resource;
    cudaEglFrame back;

    CHECK(cudaEGLStreamProducerPresentFrame(&producer, picture[presented % 2], &side[0]));
    CHECK(cudaEGLStreamConsumerAcquireFrame(&consumer, &resource, &side[1], 0));
    CHECK(cudaEGLStreamConsumerReleaseFrame(&consumer, resource, &side[1]));
    if (presented++) {
        CHECK(cudaEGLStreamProducerReturnFrame(&producer, &back, &side[0]));
    }
    CHECK(cudaDeviceSynchronize());
}

static long resident(void)
{
    FILE *f = fopen("/proc/self/statm", "r");
    long all, kept = 0;

    malloc_trim(0);
    if (!f || fscanf(f, "%ld %ld", &all, &kept) != 2) {
        exit(2);
    }
    fclose(f);
    return kept * 4096;
}

static long heap(void)
{
    struct mallinfo2 m = mallinfo2();

    return (long)(m.uordblks + m.hblkhd);
}

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static int process(int number, double seconds)
{
    double start = now();
    long rounds = 0, half = 0, half_rounds = 0, left, heap_left;
    long least[2] = { 1L << 40, 1L << 40 }; /* on the heap in the third and the last quarter */
    int tenth = 0;

    CHECK(cudaStreamCreate(&work));
    CHECK(cudaMalloc(&device, 4096));
    CHECK(cudaMallocHost(&pinned, 4096));
    CHECK(NvSciSyncModuleOpen(&sync_module));
    CHECK(NvSciSyncCpuWaitContextAlloc(sync_module, &wait_context));
    frames_begin();
    while (now() - start < seconds) {
        streams();
        threads();
        events();
        graphs();
        textures();
        modules();
        fences();
        frames();
        rounds++;
        if (rounds % 16 == 0 && now() - start >= seconds / 2) {
            int last = now() - start >= seconds * 3 / 4;
            long on_heap = heap();

            least[last] = on_heap < least[last] ? on_heap : least[last];
        }
        if (now() - start >= seconds * (tenth + 1) / 10) {
            tenth++;
            printf("process %d: %d tenths, %ld rounds, %ld KiB\n", number, tenth, rounds,
                   resident() >> 10);
            fflush(stdout);
            if (tenth == 5) {
                half = resident();
                half_rounds = rounds;
            }
        }
    }
    left = (resident() - half) / (rounds - half_rounds) / THINGS;
    heap_left = (least[1] - least[0]) * 2 / (rounds - half_rounds) / THINGS;
    printf("process %d: %ld bytes a thing (at most %d), %ld on the heap (at most %d)\n", number, left,
           LIMIT, heap_left, HEAP_LIMIT);
    return left > LIMIT || (heap_left > HEAP_LIMIT && rounds >= FILLED);
}

int main(int argc, char **argv)
{
    double seconds = argc > 1 ? atof(argv[1]) : 10;
    int status = 0, mine;
    pid_t other = fork();

    if (other == 0) {
        return process(2, seconds);
    }
    mine = process(1, seconds);
    return waitpid(other, &status, 0) != other || status != 0 || mine;
}
