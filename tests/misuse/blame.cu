// SPDX-License-Identifier: MIT
// The CPU touches managed memory too early. Who is to blame is work that nobody has waited for (CUDA C++ Programming
// Guide, Unified Memory, Coherency and Concurrency), not work that was waited for before.
#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>

__global__ void first(int *p) { *p = 1; }
__global__ void second(int *p) { *p = 2; }

static int *managed, *device;
static cudaStream_t a, b;

static void other_stream(void)
{
    first<<<1, 1, 0, a>>>(managed);
    second<<<1, 1, 0, b>>>(device); // MARK other_stream
    cudaStreamSynchronize(a);
}

static void same_stream(void)
{
    cudaEvent_t between;

    cudaEventCreate(&between);
    first<<<1, 1, 0, a>>>(managed);
    cudaEventRecord(between, a);
    second<<<1, 1, 0, a>>>(managed); // MARK same_stream
    cudaEventSynchronize(between);
}

static void both(void) // neither was waited for: the earlier one
{
    second<<<1, 1, 0, a>>>(managed); // MARK both
    first<<<1, 1, 0, b>>>(device);
}

static void fill(void)
{
    first<<<1, 1, 0, b>>>(managed);
    cudaStreamSynchronize(b);
    cudaMemsetAsync(managed, 0, 4, b);
}

static void attached(void)
{
    cudaStreamAttachMemAsync(b, managed, 0, cudaMemAttachSingle);
    cudaStreamSynchronize(b);
    first<<<1, 1, 0, b>>>(managed);
    cudaStreamSynchronize(b);
    cudaMemsetAsync(device, 0, 4, b);
}

__global__ void copy(const int *from, int *to) { *to = *from; }

static void wrong_stream(void)
{
    cudaEvent_t written;
    int *out;

    cudaMalloc(&out, 4);
    cudaEventCreate(&written);
    first<<<1, 1, 0, a>>>(device);
    cudaEventRecord(written, b); // MARK wrong_stream
    cudaStreamWaitEvent(b, written, 0);
    copy<<<1, 1, 0, b>>>(device, out);
    cudaDeviceSynchronize();
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } cases[] = { { "other_stream", other_stream }, { "same_stream", same_stream }, { "both", both },
                  { "fill", fill }, { "attached", attached }, { "wrong_stream", wrong_stream } };

    cudaStreamCreate(&a);
    cudaStreamCreate(&b);
    cudaMallocManaged(&managed, 4);
    cudaMalloc(&device, 4);
    for (const auto &c : cases) {
        if (argc > 1 && strcmp(argv[1], c.name) == 0) {
            c.run();
            *managed = 5;
        }
    }
    return 0;
}
