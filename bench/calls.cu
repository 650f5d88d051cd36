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

static double now_us()
{
    timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1e6 + t.tv_nsec * 1e-3;
}

// @count calls, with what the board does for them
static double once_us(void (*call)(int), int count)
{
    double begin = now_us();

    for (int i = 0; i < count; i++) {
        call(i);
    }
    CHECK(cudaDeviceSynchronize());
    return (now_us() - begin) / count;
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
        { "allocation of 1 MiB", allocate, blocks_free, 1000 },
    };

    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    CHECK(cudaMallocHost(&host, 4096));
    CHECK(cudaMalloc(&device, 4096));
    for (const auto &row : rows) {
        double us[PASSES];

        once_us(row.call, 1);
        if (row.after) {
            CHECK(cudaFree(block[0]));
        }
        for (double &u : us) {
            u = once_us(row.call, row.count);
            if (row.after) {
                row.after();
            }
        }
        std::nth_element(us, us + PASSES / 2, us + PASSES);
        std::printf("%s: %.1f us\n", row.name, us[PASSES / 2]);
    }
}
