/* SPDX-License-Identifier: MIT */
/* soak.cu KIND WARM ROUNDS: does one thing of a long run WARM times and then ROUNDS times, and
 * prints what each of the latter has left in memory. */
#include <cuda.h>
#include <cuda_runtime.h>
#include <malloc.h>
#include <pthread.h>
#include <sched.h>

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

__global__ void increment(int *p)
{
    p[threadIdx.x] += 1;
}

__global__ void fetch(cudaTextureObject_t t, float *out)
{
    out[threadIdx.x] = tex1Dfetch<float>(t, (int)threadIdx.x);
}

static int *device, *pinned, *managed;
static cudaStream_t work;

static void launch(void)
{
    increment<<<1, 32, 0, work>>>(device);
    CHECK(cudaStreamSynchronize(work));
}

static void copies(void)
{
    CHECK(cudaMemcpyAsync(device, pinned, 4096, cudaMemcpyHostToDevice, work));
    CHECK(cudaStreamSynchronize(work));
}

static void streams(void)
{
    cudaStream_t s;

    CHECK(cudaStreamCreate(&s));
    increment<<<1, 32, 0, s>>>(device);
    CHECK(cudaStreamSynchronize(s));
    CHECK(cudaStreamDestroy(s));
}

static void events(void)
{
    cudaEvent_t e;

    CHECK(cudaEventCreate(&e));
    CHECK(cudaEventRecord(e, work));
    CHECK(cudaEventSynchronize(e));
    CHECK(cudaEventDestroy(e));
}

static void *thread_main(void *)
{
    CHECK(cudaSetDevice(0));
    launch();
    return NULL;
}

static void threads(void)
{
    pthread_t t;

    CHECK(pthread_create(&t, NULL, thread_main, NULL));
    CHECK(pthread_join(t, NULL));
}

static void detached(void)
{
    static pthread_attr_t attr;
    static volatile int done;
    pthread_t t;

    pthread_attr_init(&attr);
    pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
    done = 0;
    CHECK(pthread_create(&t, &attr, [](void *) -> void * {
        launch();
        __atomic_store_n(&done, 1, __ATOMIC_RELEASE);
        return NULL;
    }, NULL));
    while (!__atomic_load_n(&done, __ATOMIC_ACQUIRE)) {
        sched_yield();
    }
}

static void contexts(void)
{
    CUctxCreateParams none = {};
    CUcontext c;
    CUdevice d;

    CHECK(cuDeviceGet(&d, 0));
    CHECK(cuCtxCreate(&c, &none, 0, d));
    CHECK(cuCtxDestroy(c));
}

static void graphs(void)
{
    static cudaGraphExec_t exec;
    cudaGraph_t g;

    if (!exec) {
        CHECK(cudaStreamBeginCapture(work, cudaStreamCaptureModeGlobal));
        increment<<<1, 32, 0, work>>>(device);
        CHECK(cudaStreamEndCapture(work, &g));
        CHECK(cudaGraphInstantiate(&exec, g, 0));
    }
    CHECK(cudaGraphLaunch(exec, work));
    CHECK(cudaStreamSynchronize(work));
}

static void new_graphs(void)
{
    cudaGraphExec_t exec;
    cudaGraph_t g;

    CHECK(cudaStreamBeginCapture(work, cudaStreamCaptureModeGlobal));
    increment<<<1, 32, 0, work>>>(device);
    CHECK(cudaStreamEndCapture(work, &g));
    CHECK(cudaGraphInstantiate(&exec, g, 0));
    CHECK(cudaGraphLaunch(exec, work));
    CHECK(cudaStreamSynchronize(work));
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphDestroy(g));
}

static void buffers(void)
{
    int *p;

    CHECK(cudaMalloc(&p, 4096));
    increment<<<1, 32, 0, work>>>(p);
    CHECK(cudaStreamSynchronize(work));
    CHECK(cudaFree(p));
}

static void pool(void)
{
    int *p;

    CHECK(cudaMallocAsync(&p, 4096, work));
    increment<<<1, 32, 0, work>>>(p);
    CHECK(cudaFreeAsync(p, work));
    CHECK(cudaStreamSynchronize(work));
}

static void frames(void)
{
    managed[0]++;
    increment<<<1, 32, 0, work>>>(managed);
    CHECK(cudaStreamSynchronize(work));
}

static void registrations(void)
{
    static char *p = (char *)aligned_alloc(4096, 8192);

    CHECK(cudaHostRegister(p, 8192, cudaHostRegisterDefault));
    CHECK(cudaHostUnregister(p));
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
    fetch<<<1, 32, 0, work>>>(t, (float *)pinned);
    CHECK(cudaStreamSynchronize(work));
    CHECK(cudaDestroyTextureObject(t));
}

static void arrays(void)
{
    cudaChannelFormatDesc d = cudaCreateChannelDesc<float>();
    cudaArray_t a;

    CHECK(cudaMallocArray(&a, &d, 32, 32));
    CHECK(cudaMemcpy2DToArray(a, 0, 0, pinned, 128, 128, 32, cudaMemcpyHostToDevice));
    CHECK(cudaFreeArray(a));
}

static void modules(void)
{
    static const char ptx[] = ".version 7.0\n.target sm_53\n.address_size 64\n"
                              ".visible .entry nothing()\n{\nret;\n}\n";
    CUfunction f;
    CUmodule m;

    CHECK(cuModuleLoadData(&m, ptx));
    CHECK(cuModuleGetFunction(&f, m, "nothing"));
    CHECK(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, work, NULL, NULL));
    CHECK(cudaStreamSynchronize(work));
    CHECK(cuModuleUnload(m));
}

static void host_functions(void)
{
    CHECK(cudaLaunchHostFunc(work, [](void *) {}, NULL));
    CHECK(cudaStreamSynchronize(work));
}

static const struct {
    const char *name;
    void (*round)(void);
} kinds[] = {
    { "launch", launch },     { "copies", copies },     { "streams", streams },
    { "events", events },     { "threads", threads },   { "contexts", contexts },
    { "detached", detached },
    { "graphs", graphs },     { "new_graphs", new_graphs }, { "buffers", buffers },
    { "pool", pool },         { "frames", frames },     { "registrations", registrations },
    { "textures", textures }, { "arrays", arrays },     { "host_functions", host_functions },
    { "modules", modules },
};

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

int main(int argc, char **argv)
{
    long warm = argc > 3 ? atol(argv[2]) : 0, rounds = argc > 3 ? atol(argv[3]) : 1, before;

    CHECK(cudaStreamCreate(&work));
    CHECK(cudaMalloc(&device, 4096));
    CHECK(cudaMallocHost(&pinned, 4096));
    CHECK(cudaMallocManaged(&managed, 4096));
    for (const auto &k : kinds) {
        if (argc > 1 && strcmp(k.name, argv[1]) == 0) {
            for (long i = 0; i < warm; i++) {
                k.round();
            }
            before = resident();
            for (long i = 0; i < rounds; i++) {
                k.round();
            }
            printf("%s: %ld bytes a round\n", k.name, (resident() - before) / rounds);
            return 0;
        }
    }
    return 1;
}
