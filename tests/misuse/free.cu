/* SPDX-License-Identifier: MIT */
/* Memory that goes while queued work uses it: free CASE wrong|right. The rule: cuMemFree "may
 * perform implicit synchronization" (CUDA Driver API), which is no promise; what the stream was
 * waited for is over. */
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>

#define BYTES 4096u

static cudaStream_t s;
static char *device, *pinned;

__global__ void set(char *p)
{
    p[threadIdx.x] = 1;
}

static void source_pinned(bool right)
{
    cudaMemcpyAsync(device, pinned, BYTES, cudaMemcpyHostToDevice, s); // MARK copy_up
    if (right) {
        cudaStreamSynchronize(s);
    }
    cudaFreeHost(pinned);
    cudaFree(right ? device : NULL);
}

static void target_device(bool right)
{
    cudaEvent_t copied;

    cudaEventCreate(&copied);
    cudaMemcpyAsync(device, pinned, BYTES, cudaMemcpyHostToDevice, s); // MARK copy_on
    cudaEventRecord(copied, s);
    if (right) {
        cudaEventSynchronize(copied);
    }
    cudaFree(device);
}

static void source_pageable(bool right)
{
    static char pageable[BYTES];

    cudaMemcpyAsync(device, pageable, BYTES, cudaMemcpyHostToDevice, s); // MARK copy_staged
    if (right) {
        cudaDeviceSynchronize();
    }
    cudaFree(device);
}

static void filled(bool right)
{
    cudaMemsetAsync(device, 1, BYTES, s); // MARK fill
    if (right) {
        cudaStreamSynchronize(s);
    }
    cudaFree(device);
}

static void registered(bool right)
{
    char *own = (char *)aligned_alloc(4096, BYTES);

    cudaHostRegister(own, BYTES, cudaHostRegisterDefault);
    cudaMemcpyAsync(own, device, BYTES, cudaMemcpyDeviceToHost, s); // MARK copy_down
    if (right) {
        cudaStreamSynchronize(s);
    }
    cudaHostUnregister(own);
    free(own);
}

static void launched(bool right)
{
    set<<<1, 32, 0, s>>>(device);
    if (right) {
        cudaStreamSynchronize(s);
    }
    cudaFree(device);
}

/* The work that was not waited for is another buffer's; plain calls are not told of; and a free in
 * the stream is behind its work. */
static void others(bool)
{
    char *other;

    cudaMalloc(&other, BYTES);
    cudaMemcpyAsync(device, pinned, BYTES, cudaMemcpyHostToDevice, s);
    set<<<1, 32, 0, s>>>(device);
    cudaFree(other);
    cudaFreeAsync(device, s);
    cudaMalloc(&other, BYTES);
    cudaMemset(other, 1, BYTES);
    cudaFree(other);
}

/* Memory that was never CUDA's: registered once, or not at all. */
static void foreign(bool right)
{
    void *own = aligned_alloc(BYTES, BYTES);

    cudaHostRegister(own, BYTES, cudaHostRegisterDefault);
    cudaHostUnregister(own);
    if (!right) {
        cudaFreeHost(own);
    }
    free(own);
    own = malloc(100);
    if (!right) {
        cudaFreeHost(own);
    }
    free(own);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(bool right);
    } cases[] = {
        { "source_pinned", source_pinned },
        { "target_device", target_device },
        { "source_pageable", source_pageable },
        { "filled", filled },
        { "registered", registered },
        { "launched", launched },
        { "others", others },
        { "foreign", foreign },
    };

    if (argc < 3) {
        return 2;
    }
    cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    cudaMalloc(&device, BYTES);
    cudaMallocHost(&pinned, BYTES);
    for (const auto &c : cases) {
        if (strcmp(c.name, argv[1]) == 0) {
            c.run(strcmp(argv[2], "right") == 0);
            cudaDeviceSynchronize();
            puts(cudaGetErrorName(cudaGetLastError()));
            return 0;
        }
    }
    return 2;
}
