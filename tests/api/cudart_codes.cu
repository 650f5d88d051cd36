/* SPDX-License-Identifier: MIT */
/*
 * The matrix of error codes of the runtime: `cudart_codes [SECTION]`. What NVIDIA's runtime on
 * NVIDIA's driver printed on an H200 is kept in tests/golden/cudart_codes_<driver>.txt, and what it
 * says where there is no driver in cudart_codes_nodriver.txt. Build: nvcc -rdc=true
 * cudart_codes*.cu -o cudart_codes
 */
#include "cudart_codes.h"

#include <csignal>
#include <cstdlib>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define SECTION_SECONDS 60
#define CRASHES_MAX 16

__device__ int variable[4];
__constant__ int table[16];

__global__ void nothing()
{
}

__global__ void store(int *p, int value)
{
    *p = value + table[0] + variable[0];
}

__global__ void bad_store(int *p)
{
    *(volatile int *)p = 1;
}

/* Calls of one section are numbered from 1. The number reaches the parent through shared memory. */
static volatile int *current;
static int crashed[CRASHES_MAX], crashes;

bool codes_loud()
{
    return !crashes || *current > crashed[crashes - 1];
}

bool code_before(const char *call)
{
    ++*current;
    for (int i = 0; i < crashes; i++) {
        if (crashed[i] == *current) {
            return false;
        }
    }
    if (codes_loud()) {
        std::printf("%s: ", call);
        std::fflush(stdout);
    }
    return true;
}

/* The last error is shown where it is not the code that the call returned. */
cudaError_t code_after(cudaError_t code)
{
    cudaError_t last = cudaGetLastError();

    if (codes_loud()) {
        std::printf("%s", cudaGetErrorName(code));
        if (last != code) {
            std::printf(", last %s", cudaGetErrorName(last));
        }
        std::printf("\n");
    }
    return code;
}

void value_print(const char *what, long long value)
{
    if (codes_loud()) {
        std::printf("%s = %lld\n", what, value);
    }
}

static void versions()
{
    int v = 77;

    C(cudaPeekAtLastError());
    C(cudaGetLastError());
    C(cudaRuntimeGetVersion(NULL));
    C(cudaRuntimeGetVersion(&v));
    V(v);
    C(cudaDriverGetVersion(NULL));
    C(cudaDriverGetVersion(&v));
    C(cudaGetDeviceCount(NULL));
    C(cudaGetDeviceCount(&v));
    std::printf("%s|%s\n", cudaGetErrorName((cudaError_t)12345),
                cudaGetErrorString((cudaError_t)12345));
    std::printf("%s|%s\n", cudaGetErrorName((cudaError_t)10000),
                cudaGetErrorString((cudaError_t)10000));
    std::printf("%s|%s\n", cudaGetErrorName((cudaError_t)-1), cudaGetErrorString((cudaError_t)-1));
}

static void devices()
{
    int v = -7;
    unsigned f = 77;
    size_t n = 77;
    char bus[32];
    cudaDeviceProp p;

    C(cudaGetDevice(NULL));
    C(cudaGetDevice(&v));
    V(v);
    C(cudaGetDeviceFlags(&f));
    V(f);
    C(cudaGetDeviceFlags(NULL));
    C(cudaSetDevice(-1));
    C(cudaSetDevice(4711));
    C(cudaGetDevice(&v));
    V(v);
    C(cudaDeviceGetAttribute(NULL, cudaDevAttrWarpSize, 0));
    C(cudaDeviceGetAttribute(&v, (cudaDeviceAttr)0, 0));
    C(cudaDeviceGetAttribute(&v, (cudaDeviceAttr)9999, 0));
    C(cudaDeviceGetAttribute(&v, (cudaDeviceAttr)-1, 0));
    C(cudaDeviceGetAttribute(&v, cudaDevAttrWarpSize, 4711));
    C(cudaDeviceGetAttribute(&v, cudaDevAttrWarpSize, -1));
    C(cudaDeviceGetAttribute(&v, cudaDevAttrWarpSize, 0));
    V(v);
    C(cudaGetDeviceProperties(NULL, 0));
    C(cudaGetDeviceProperties(&p, 4711));
    C(cudaGetDeviceProperties(&p, -1));
    C(cudaGetDeviceProperties(&p, 0));
    C(cudaChooseDevice(NULL, &p));
    C(cudaChooseDevice(&v, NULL));
    C(cudaChooseDevice(&v, &p));
    V(v);
    C(cudaSetValidDevices(NULL, 0));
    C(cudaSetValidDevices(NULL, 1));
    C(cudaSetValidDevices(&v, -1));
    v = 4711;
    C(cudaSetValidDevices(&v, 1));
    C(cudaSetDeviceFlags(0xffff));
    C(cudaSetDeviceFlags(7));
    C(cudaSetDeviceFlags(3));
    C(cudaSetDeviceFlags(cudaDeviceScheduleSpin | cudaDeviceMapHost));
    C(cudaGetDeviceFlags(&f));
    V(f);
    C(cudaInitDevice(4711, 0, 0));
    C(cudaInitDevice(0, 0, 0x55));
    C(cudaInitDevice(0, 0, 0));
    C(cudaDeviceGetPCIBusId(NULL, 32, 0));
    C(cudaDeviceGetPCIBusId(bus, 0, 0));
    C(cudaDeviceGetPCIBusId(bus, 5, 0));
    C(cudaDeviceGetPCIBusId(bus, 32, 4711));
    C(cudaDeviceGetPCIBusId(bus, 32, 0));
    C(cudaDeviceGetByPCIBusId(NULL, bus));
    C(cudaDeviceGetByPCIBusId(&v, NULL));
    C(cudaDeviceGetByPCIBusId(&v, "nonsense"));
    C(cudaDeviceGetByPCIBusId(&v, "ffff:ff:1f.0"));
    C(cudaDeviceGetByPCIBusId(&v, bus));
    V(v);
    C(cudaSetDevice(0));
    C(cudaSetDeviceFlags(cudaDeviceScheduleYield));
    C(cudaGetDeviceFlags(&f));
    V(f);
    C(cudaDeviceGetLimit(NULL, cudaLimitStackSize));
    C(cudaDeviceGetLimit(&n, (cudaLimit)99));
    C(cudaDeviceGetLimit(&n, cudaLimitStackSize));
    V(n);
    C(cudaDeviceGetLimit(&n, cudaLimitPrintfFifoSize));
    C(cudaDeviceGetLimit(&n, cudaLimitMallocHeapSize));
    V(n);
    C(cudaDeviceSetLimit((cudaLimit)99, 1));
    C(cudaDeviceSetLimit(cudaLimitStackSize, 2048));
    C(cudaDeviceGetLimit(&n, cudaLimitStackSize));
    V(n);
    C(cudaDeviceSetLimit(cudaLimitStackSize, (size_t)1 << 40));
    C(cudaDeviceGetStreamPriorityRange(NULL, NULL));
    cudaFuncCache cache = (cudaFuncCache)77;
    C(cudaDeviceGetCacheConfig(NULL));
    C(cudaDeviceGetCacheConfig(&cache));
    V(cache);
    C(cudaDeviceSetCacheConfig((cudaFuncCache)17));
    C(cudaDeviceSetCacheConfig(cudaFuncCachePreferL1));
    C(cudaCtxResetPersistingL2Cache());
    C(cudaDeviceSynchronize());
    C(cudaProfilerStart());
    C(cudaProfilerStop());
}

static void peers()
{
    int v = -7;
    int *d;
    cudaIpcMemHandle_t mh;
    cudaIpcEventHandle_t eh;
    cudaEvent_t e;

    C(cudaDeviceCanAccessPeer(NULL, 0, 0));
    C(cudaDeviceCanAccessPeer(&v, 0, 0));
    V(v);
    C(cudaDeviceCanAccessPeer(&v, 0, 4711));
    C(cudaDeviceCanAccessPeer(&v, -1, 0));
    C(cudaDeviceEnablePeerAccess(0, 0));
    C(cudaDeviceEnablePeerAccess(0, 1));
    C(cudaDeviceEnablePeerAccess(4711, 0));
    C(cudaDeviceDisablePeerAccess(0));
    C(cudaDeviceDisablePeerAccess(4711));
    C(cudaDeviceGetP2PAttribute(&v, cudaDevP2PAttrAccessSupported, 0, 0));
    C(cudaDeviceGetP2PAttribute(&v, cudaDevP2PAttrAccessSupported, 0, 4711));
    C(cudaMalloc(&d, 64));
    C(cudaMemcpyPeer(d, 0, d + 8, 0, 32));
    C(cudaMemcpyPeer(d, 4711, d + 8, 0, 32));
    C(cudaMemcpyPeer(d, 0, d + 8, 0, 0));
    C(cudaMemcpyPeer(NULL, 0, d, 0, 4));
    C(cudaMemcpyPeerAsync(d, 0, d + 8, 0, 32, 0));
    C(cudaIpcGetMemHandle(&mh, &v));
    C(cudaIpcCloseMemHandle(d));
    C(cudaEventCreate(&e));
    C(cudaIpcGetEventHandle(&eh, e));
}

static void entry_points()
{
    void *f = NULL;
    cudaDriverEntryPointQueryResult r = (cudaDriverEntryPointQueryResult)77;

    C(cudaGetDriverEntryPoint("cuMemAlloc", &f, 0, &r));
    V(f != NULL);
    V(r);
    C(cudaGetDriverEntryPoint("cuNonsense", &f, 0, &r));
    V(f != NULL);
    V(r);
    C(cudaGetDriverEntryPoint("cuNonsense", &f, 0, NULL));
    C(cudaGetDriverEntryPoint("cuMemAlloc", &f, 77, &r));
    C(cudaGetDriverEntryPoint("", &f, 0, &r));
    C(cudaGetDriverEntryPointByVersion("cuMemAlloc", &f, 13000, 0, &r));
    V(r);
    C(cudaGetDriverEntryPointByVersion("cuLibraryLoadData", &f, 10000, 0, &r));
    V(r);
    C(cudaGetDriverEntryPointByVersion("cuMemAlloc", &f, 0, 0, &r));
}

/* Errors that end a context. */
static void sticky_address()
{
    int *d = NULL, v = 77;
    float ms;
    cudaEvent_t e;

    C(cudaMalloc(&d, 64));
    C(cudaEventCreate(&e));
    bad_store<<<1, 1>>>((int *)16);
    C(cudaDeviceSynchronize());
    C(cudaPeekAtLastError());
    C(cudaGetLastError());
    C(cudaMalloc(&d, 64));
    C(cudaFree(d));
    C(cudaFree(0));
    C(cudaMemcpy(&v, d, 4, cudaMemcpyDeviceToHost));
    C(cudaStreamQuery(0));
    C(cudaEventQuery(e));
    C(cudaEventElapsedTime(&ms, e, e));
    nothing<<<1, 1>>>();
    C(cudaGetLastError());
    C(cudaGetDevice(&v));
    C(cudaSetDevice(0));
    C(cudaGetDeviceCount(&v));
    C(cudaDeviceGetAttribute(&v, cudaDevAttrWarpSize, 0));
    C(cudaDeviceReset());
    C(cudaGetLastError());
    C(cudaMalloc(&d, 64));
    nothing<<<1, 1>>>();
    C(cudaDeviceSynchronize());
}

static void sticky_last_error()
{
    bad_store<<<1, 1>>>((int *)16);
    cudaDeviceSynchronize();
    V(cudaPeekAtLastError());
    V(cudaGetLastError());
    V(cudaGetLastError());
    V(cudaPeekAtLastError());
    V(cudaStreamQuery(0));
    V(cudaGetLastError());
}

static void reset()
{
    int *d, v = 5;
    cudaStream_t s;

    C(cudaDeviceReset());
    C(cudaMalloc(&d, 64));
    C(cudaStreamCreate(&s));
    C(cudaMemcpyToSymbol(variable, &v, 4));
    C(cudaDeviceReset());
    C(cudaFree(d));
    C(cudaMalloc(&d, 64));
    C(cudaMemcpyFromSymbol(&v, variable, 4));
    V(v);
    store<<<1, 1>>>(d, 3);
    C(cudaGetLastError());
    C(cudaMemcpy(&v, d, 4, cudaMemcpyDeviceToHost));
    V(v);
}

static void *other_thread(void *unused)
{
    int v = -7;

    (void)unused;
    V(cudaPeekAtLastError());
    V(cudaGetDevice(&v));
    V(v);
    V(cudaMalloc((int **)NULL, 4));
    V(cudaPeekAtLastError());
    return NULL;
}

static void threads()
{
    pthread_t t;

    V(cudaSetDevice(4711));
    V(cudaPeekAtLastError());
    pthread_create(&t, NULL, other_thread, NULL);
    pthread_join(t, NULL);
    V(cudaPeekAtLastError());
    V(cudaGetLastError());
    V(cudaGetLastError());
    V(cudaMalloc((int **)NULL, 4));
    V(cudaFree(0));
    V(cudaPeekAtLastError());
}

static const codes_section codes_device[] = {
    { "versions", versions },
    { "devices", devices },
    { "peers", peers },
    { "entry_points", entry_points },
    { "sticky_address", sticky_address },
    { "sticky_last_error", sticky_last_error },
    { "reset", reset },
    { "threads", threads },
    { NULL, NULL },
};

/* True when the section came to its end. */
static bool section_try(const codes_section *s)
{
    int status = 0;
    pid_t child;

    *current = 0;
    std::fflush(stdout);
    child = fork();
    if (child == 0) {
        alarm(SECTION_SECONDS);
        s->run();
        std::fflush(stdout);
        _exit(0);
    }
    waitpid(child, &status, 0);
    if (!WIFSIGNALED(status)) {
        return true;
    }
    std::printf("signal %d\n", WTERMSIG(status));
    crashed[crashes++] = *current;
    return false;
}

static void section_run(const codes_section *s)
{
    std::printf("[%s]\n", s->name);
    crashes = 0;
    while (!section_try(s) && crashes < CRASHES_MAX) {
    }
}

int main(int argc, char **argv)
{
    void *memory =
        mmap(NULL, sizeof(int), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    const codes_section *all[] = { codes_device, codes_memory, codes_work };

    if (memory == MAP_FAILED) {
        return 2;
    }
    current = (volatile int *)memory;
    for (const codes_section *list : all) {
        for (const codes_section *s = list; s->name; s++) {
            if (argc < 2 || !std::strcmp(argv[1], s->name)) {
                section_run(s);
            }
        }
    }
    return 0;
}
