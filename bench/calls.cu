// SPDX-License-Identifier: MIT
// What single calls cost the host: microseconds of it, medians of 5 passes. No limits: they say what a program of many small calls
// has to expect.
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>

#define CHECK(call)                                                            \
    do {                                                                       \
        cudaError_t err_ = (call);                                             \
        if (err_ != cudaSuccess) {                                             \
            std::fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(err_)); \
            std::exit(2);                                                      \
        }                                                                      \
    } while (0)

enum { PASSES = 5 };

static cudaStream_t stream;
static void *host, *device;

__global__ void nothing()
{
}

static void done(void *)
{
}

static void launch(int)
{
    nothing<<<1, 32, 0, stream>>>();
}

static void launch_and_synchronise(int)
{
    nothing<<<1, 32, 0, stream>>>();
    CHECK(cudaStreamSynchronize(stream));
}

static void copy_4k(int)
{
    CHECK(cudaMemcpyAsync(device, host, 4096, cudaMemcpyHostToDevice, stream));
}

static void copy_4k_and_wait(int)
{
    CHECK(cudaMemcpy(device, host, 4096, cudaMemcpyHostToDevice));
}

static void host_function(int)
{
    CHECK(cudaLaunchHostFunc(stream, done, NULL));
}

static void pool(int)
{
    void *p;

    CHECK(cudaMallocAsync(&p, 4096, stream));
    CHECK(cudaFreeAsync(p, stream));
}

// They all stay until the pass has ended.
static void *block[1000];

static void allocate(int i)
{
    CHECK(cudaMalloc(&block[i], 1 << 20));
}

static void blocks_free()
{
    for (void *&b : block) {
        CHECK(cudaFree(b));
        b = NULL;
    }
}

static double now_us(clockid_t clock)
{
    timespec t;

    clock_gettime(clock, &t);
    return t.tv_sec * 1e6 + t.tv_nsec * 1e-3;
}

// @count calls, with what the board does for them; @cpu: the processor's time of the process, which
// other programs of the host do not change
static double once_us(void (*call)(int), int count, double *cpu)
{
    double begin = now_us(CLOCK_MONOTONIC), used = now_us(CLOCK_PROCESS_CPUTIME_ID);

    for (int i = 0; i < count; i++) {
        call(i);
    }
    CHECK(cudaDeviceSynchronize());
    *cpu = (now_us(CLOCK_PROCESS_CPUTIME_ID) - used) / count;
    return (now_us(CLOCK_MONOTONIC) - begin) / count;
}

int main()
{
    static const struct {
        const char *name;
        void (*call)(int), (*after)();
        int count;
    } rows[] = {
        { "launch", launch, NULL, 20000 },
        { "launch and synchronise", launch_and_synchronise, NULL, 5000 },
        { "4 KiB copy, pinned, asynchronous", copy_4k, NULL, 20000 },
        { "4 KiB copy and its wait", copy_4k_and_wait, NULL, 5000 },
        { "host function", host_function, NULL, 2000 },
        { "cudaMallocAsync and cudaFreeAsync", pool, NULL, 10000 },
        { "allocation of 1 MiB", allocate, blocks_free, 1000 },
    };

    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    CHECK(cudaMallocHost(&host, 4096));
    CHECK(cudaMalloc(&device, 4096));
    for (const auto &row : rows) {
        double us[PASSES], cpu[PASSES];

        once_us(row.call, 1, cpu);
        if (row.after) {
            CHECK(cudaFree(block[0]));
        }
        for (int i = 0; i < PASSES; i++) {
            us[i] = once_us(row.call, row.count, &cpu[i]);
            if (row.after) {
                row.after();
            }
        }
        std::nth_element(us, us + PASSES / 2, us + PASSES);
        std::nth_element(cpu, cpu + PASSES / 2, cpu + PASSES);
        std::printf("%s: %.1f us, %.1f us of the processor\n", row.name, us[PASSES / 2],
                    cpu[PASSES / 2]);
    }
}
