// SPDX-License-Identifier: MIT
#include <cstdio>
#include <cuda_runtime.h>

#define N 4096

__global__ void produce(int *out)
{
    out[blockIdx.x * blockDim.x + threadIdx.x] = 3;
}

__global__ void consume(int *out, const int *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    out[i] = in[i] + 1;
}

static cudaKernelNodeParams node(const void *kernel, void **arguments)
{
    cudaKernelNodeParams p = {};

    p.func = const_cast<void *>(kernel);
    p.gridDim = dim3(N / 256);
    p.blockDim = dim3(256);
    p.kernelParams = arguments;
    return p;
}

int main(int argc, char **)
{
    bool fixed = argc > 1;
    static int result[N];
    int *a, *b;
    cudaGraph_t graph;
    cudaGraphExec_t instance;
    cudaGraphNode_t first, second;
    cudaStream_t stream;
    long sum = 0;

    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    cudaMalloc((void **)&a, N * sizeof(int));
    cudaMalloc((void **)&b, N * sizeof(int));
    cudaMemset(a, 0, N * sizeof(int));
    cudaDeviceSynchronize();
    void *produce_arguments[] = { &a }, *consume_arguments[] = { &b, &a };
    cudaKernelNodeParams producer = node((const void *)produce, produce_arguments);
    cudaKernelNodeParams consumer = node((const void *)consume, consume_arguments);
    cudaGraphCreate(&graph, 0);
    cudaGraphAddKernelNode(&first, graph, nullptr, 0, &producer); /* <-- found here */
    cudaGraphAddKernelNode(&second, graph, fixed ? &first : nullptr, fixed ? 1 : 0,
                           &consumer); /* <-- found here */
    cudaGraphInstantiate(&instance, graph, 0);
    cudaGraphLaunch(instance, stream);
    cudaStreamSynchronize(stream);
    cudaMemcpy(result, b, sizeof(result), cudaMemcpyDeviceToHost);
    for (int i = 0; i < N; i++) {
        sum += result[i];
    }
    printf("sum %ld of %d\n", sum, 4 * N);
    return sum != 4 * N;
}
