/* SPDX-License-Identifier: MIT */
/* Cases 61 to 65: what a Tegra does not have, and beside each what to do instead: api CASE wrong|right.
 * Expected codes: CUDA for Tegra 2.1, 3.2, 3.3, 3.6; CUDA Runtime API for their names. */
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>

__global__ void increment(int *p, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n) {
        p[i]++;
    }
}

__global__ void count(int *p)
{
    atomicAdd_system(p, 1);
}

__global__ void count_device(int *p)
{
    atomicAdd(p, 1);
}

#define N 1024

static cudaError_t said;

static cudaError_t say(cudaError_t error)
{
    said = said == cudaSuccess ? error : said;
    return error;
}

/* 61: registering pages needs I/O coherency; pinned memory of CUDA's own does not. */
static int register_pages(bool right)
{
    int *p = NULL, *d;

    if (right) {
        say(cudaHostAlloc((void **)&p, N * sizeof(int), cudaHostAllocMapped));
    } else {
        p = (int *)aligned_alloc(4096, N * sizeof(int));
        if (say(cudaHostRegister(p, N * sizeof(int), cudaHostRegisterMapped)) != cudaSuccess) {
            return -1;
        }
    }
    p[3] = 4;
    say(cudaHostGetDevicePointer((void **)&d, p, 0));
    increment<<<N / 256, 256>>>(d, N);
    say(cudaDeviceSynchronize());
    return p[3];
}

/* 62: a hint of its own kind instead. */
static int prefetch(bool right)
{
    cudaMemLocation device = { cudaMemLocationTypeDevice, 0 };
    cudaStream_t s;
    int *p;

    say(cudaStreamCreate(&s));
    say(cudaMallocManaged((void **)&p, N * sizeof(int)));
    p[3] = 4;
    if (right) {
        say(cudaStreamAttachMemAsync(s, p, 0, cudaMemAttachGlobal));
    } else {
        say(cudaMemPrefetchAsync(p, N * sizeof(int), device, 0, s));
    }
    increment<<<N / 256, 256, 0, s>>>(p, N);
    say(cudaStreamSynchronize(s));
    return p[3];
}

/* 63: one GPU, no other process's memory. */
static int peers(bool right)
{
    cudaIpcMemHandle_t handle;
    int *p;

    say(cudaMalloc((void **)&p, N * sizeof(int)));
    if (!right) {
        say(cudaIpcGetMemHandle(&handle, p));
    }
    return 0;
}

/* 64: managed memory belongs to the GPU until the CPU has waited. */
static int touch(bool right)
{
    int *p, n;

    say(cudaMallocManaged((void **)&p, N * sizeof(int)));
    p[3] = 4;
    increment<<<N / 256, 256>>>(p, N);
    if (right) {
        say(cudaDeviceSynchronize());
    }
    n = p[3]; /* MARK touch */
    say(cudaDeviceSynchronize());
    return n;
}

/* 65: atomics of system scope. */
static int atomics(bool right)
{
    int *p;

    say(cudaHostAlloc((void **)&p, N * sizeof(int), cudaHostAllocMapped));
    p[0] = 0;
    if (right) {
        count_device<<<1, 32>>>(p);
    } else {
        count<<<1, 32>>>(p);
    }
    say(cudaDeviceSynchronize());
    return p[0];
}

static const struct {
    const char *name;
    int (*run)(bool right);
} cases[] = {
    { "register", register_pages }, { "prefetch", prefetch }, { "peers", peers },
    { "touch", touch },             { "atomics", atomics },
};

int main(int argc, char **argv)
{
    for (size_t i = 0; argc == 3 && i < sizeof(cases) / sizeof(cases[0]); i++) {
        if (strcmp(argv[1], cases[i].name) == 0) {
            int value = cases[i].run(strcmp(argv[2], "right") == 0);

            printf("%s %d %s\n", argv[1], value, cudaGetErrorName(said));
            return 0;
        }
    }
    return 99;
}
