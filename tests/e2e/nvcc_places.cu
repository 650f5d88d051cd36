// SPDX-License-Identifier: MIT
// Calls and launches of every form that nvcc makes differently: the report names these lines.
#include <cstdio>
#include <cuda_runtime.h>

#define BYTES (1 << 20)

__global__ void plain(int *p) { p[threadIdx.x] = 1; }
template <typename T> __global__ void typed(T *p, T value) { p[threadIdx.x] = value; }
namespace {
template <int N, typename T> __global__ void hidden(T *p) { p[threadIdx.x] = N; }
}
__constant__ int factor;

int main()
{
    static char host[2 * BYTES];
    int *device, one = 1;
    cudaStream_t stream;

    cudaMalloc(&device, BYTES); // MARK alloc
    cudaStreamCreate(&stream);
    plain<<<1, 32>>>(device);                                           // MARK plain
    typed<<<1, 32, 0, stream>>>(device, 3);                             // MARK typed
    hidden<4><<<1, 32>>>(device + 8);                                   // MARK hidden
    cudaMemcpyToSymbol(factor, &one, sizeof(one));                      // MARK symbol
    cudaMemcpy(host, device, BYTES + 4, cudaMemcpyDeviceToHost);        // MARK overrun
    cudaMemcpy(host, device, BYTES, cudaMemcpyDeviceToHost);            // MARK copy
    cudaMemcpyAsync(device, host, BYTES, cudaMemcpyDefault, stream);    // MARK async
    cudaMemcpy2D(host, 64, device, 64, 64, 8, cudaMemcpyDeviceToHost);  // MARK rows
    cudaMemset(device, 0, BYTES + 4);                                   // MARK fill
    cudaStreamSynchronize(stream);
    typed<<<1, 32, 0, stream>>>((double *)nullptr, 3.0);                // MARK fault
    printf("%s\n", cudaGetErrorName(cudaStreamSynchronize(stream)));    // MARK sync
    return 0;
}
