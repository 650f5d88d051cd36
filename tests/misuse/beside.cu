// SPDX-License-Identifier: MIT
// A kernel beside its buffer. Usage: beside CASE [right]
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>

__global__ void store(int *p, long at)
{
    p[at] = 7; // MARK store
}

__global__ void load(const int *p, long at, int *out)
{
    *out = p[at]; // MARK load
}

__global__ void add(int *p, long at)
{
    atomicAdd(p + at, 5); // MARK add
}

// What a kernel stores there, it finds there.
__global__ void kept(int *p, long at, int *out)
{
    p[at] = 3;
    atomicAdd(p + at, 4);
    *out = p[at];
}

static int *memory(const char *kind, size_t bytes)
{
    int *p = NULL;

    if (strcmp(kind, "pinned") == 0) {
        cudaMallocHost(&p, bytes);
    } else if (strcmp(kind, "managed") == 0) {
        cudaMallocManaged(&p, bytes);
    } else {
        cudaMalloc(&p, bytes);
    }
    return p;
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    const char *kind = argc > 2 ? argv[2] : "device";
    long at = argc > 3 ? atol(argv[3]) : 0;
    int *p = memory(kind, 4000), *out, value;

    cudaMallocManaged(&out, sizeof(int));
    *out = -1;
    if (strcmp(what, "store") == 0) {
        store<<<1, 1>>>(p, at);
    } else if (strcmp(what, "load") == 0) {
        load<<<1, 1>>>(p, at, out);
    } else if (strcmp(what, "add") == 0) {
        add<<<1, 1>>>(p, at);
    } else {
        kept<<<1, 1>>>(p, at, out);
    }
    cudaError_t error = cudaDeviceSynchronize();
    value = error == cudaSuccess ? *out : 0;
    printf("%s %d\n", cudaGetErrorName(error), value);
    return 0;
}
