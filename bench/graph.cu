// SPDX-License-Identifier: MIT
// graph: a graph of 20 kernels in a row against 20 launches in a stream, both with their synchronise.
// Prints time of the graph / time of the launches, medians of rounds that take turns; at most 1. Then
// what instantiating a chain of 40,000 nodes takes, without a limit: a second on a quiet machine.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

#define NODES 20
#define ROUNDS 101
#define CHAIN 40000

#define CHECK(call)                                                                                 \
    do {                                                                                            \
        cudaError_t err_ = (call);                                                                  \
        if (err_ != cudaSuccess) {                                                                  \
            fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(err_));                           \
            exit(1);                                                                                \
        }                                                                                           \
    } while (0)

__global__ void add(int *p)
{
    p[threadIdx.x]++;
}

static void launches(cudaStream_t stream, int *p)
{
    for (int i = 0; i < NODES; i++) {
        add<<<1, 32, 0, stream>>>(p);
    }
}

template <typename F> static double microseconds(cudaStream_t stream, F work)
{
    auto start = std::chrono::steady_clock::now();

    work();
    CHECK(cudaStreamSynchronize(stream));
    return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count();
}

static void chain_instantiate()
{
    cudaGraphNode_t node, before = NULL;
    cudaGraphExec_t instance;
    cudaGraph_t g;

    CHECK(cudaGraphCreate(&g, 0));
    for (int i = 0; i < CHAIN; i++) {
        CHECK(cudaGraphAddEmptyNode(&node, g, before ? &before : NULL, before != NULL));
        before = node;
    }
    auto start = std::chrono::steady_clock::now();
    CHECK(cudaGraphInstantiate(&instance, g, 0));
    printf("a chain of %d nodes is instantiated in %.2f s\n", CHAIN,
           std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    CHECK(cudaGraphExecDestroy(instance));
    CHECK(cudaGraphDestroy(g));
}

int main()
{
    static double plain[ROUNDS], graph[ROUNDS];
    cudaStream_t stream;
    cudaGraph_t g;
    cudaGraphExec_t instance;
    int *p, result;

    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    CHECK(cudaMalloc((void **)&p, 32 * sizeof(int)));
    CHECK(cudaMemset(p, 0, 32 * sizeof(int)));
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    launches(stream, p);
    CHECK(cudaStreamEndCapture(stream, &g));
    CHECK(cudaGraphInstantiate(&instance, g, 0));
    for (int i = 0; i < ROUNDS; i++) {
        plain[i] = microseconds(stream, [&] { launches(stream, p); });
        graph[i] = microseconds(stream, [&] { CHECK(cudaGraphLaunch(instance, stream)); });
    }
    CHECK(cudaMemcpy(&result, p, sizeof(result), cudaMemcpyDeviceToHost));
    if (result != 2 * ROUNDS * NODES) {
        printf("WRONG: %d\n", result);
        return 1;
    }
    std::sort(plain, plain + ROUNDS);
    std::sort(graph, graph + ROUNDS);
    double ratio = graph[ROUNDS / 2] / plain[ROUNDS / 2];
    printf("graph of %d nodes: %.0f us, %d launches: %.0f us = %.2f (at most 1)\n", NODES, graph[ROUNDS / 2],
           NODES, plain[ROUNDS / 2], ratio);
    chain_instantiate();
    return ratio > 1;
}
