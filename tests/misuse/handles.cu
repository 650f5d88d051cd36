// SPDX-License-Identifier: MIT
// Objects that are made and never destroyed. Usage: handles event | node | graph | user
#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>

#define TRIES (1l << 21)
#define FLAGS cudaUserObjectNoDestructorSync

static void nothing(void *)
{
}

__global__ void increment(int *p)
{
    atomicAdd(p, 1);
}

// Work of the legacy stream waits for that of every blocking one.
static int legacy()
{
    static cudaStream_t stream[3000];
    int *p, value = 0;

    cudaMalloc(&p, sizeof(int));
    cudaMemset(p, 0, sizeof(int));
    for (cudaStream_t &s : stream) {
        cudaStreamCreate(&s);
        increment<<<1, 1, 0, s>>>(p);
    }
    increment<<<1, 1>>>(p);
    cudaMemcpy(&value, p, sizeof(int), cudaMemcpyDeviceToHost);
    printf("%s, %d\n", cudaGetErrorName(cudaGetLastError()), value);
    return 0;
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    cudaError_t error = cudaSuccess;
    cudaGraphNode_t node;
    cudaUserObject_t object;
    cudaGraph_t graph, other;
    cudaEvent_t event;
    long n = 0;

    if (strcmp(what, "legacy") == 0) {
        return legacy();
    }
    cudaGraphCreate(&graph, 0);
    while (error == cudaSuccess && n < TRIES) {
        if (strcmp(what, "event") == 0) {
            error = cudaEventCreate(&event); // MARK event
        } else if (strcmp(what, "node") == 0) {
            error = cudaGraphAddEmptyNode(&node, graph, NULL, 0); // MARK node
        } else if (strcmp(what, "graph") == 0) {
            error = cudaGraphCreate(&other, 0); // MARK graph
        } else {
            error = cudaUserObjectCreate(&object, NULL, nothing, 1, FLAGS); // MARK user
        }
        n += error == cudaSuccess;
    }
    // The driver's own objects take some of 2^20, but few.
    printf("%s, %s\n", cudaGetErrorName(error),
           n < 1l << 20 && n > (1l << 20) - 1000 ? "a million" : "other");
    return 0;
}
