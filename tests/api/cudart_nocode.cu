/* SPDX-License-Identifier: MIT */
/* Built with machine code that the device cannot run and without PTX: what each use of it answers.
 */
#include <cstdio>

#include <cuda_runtime.h>

__device__ int variable;

__global__ void with_arguments(int *p)
{
    *p = variable;
}

__global__ void without_arguments()
{
}

static void show(const char *what, cudaError_t err)
{
    cudaError_t last = cudaGetLastError();

    std::printf("%s: %s, last %s\n", what, cudaGetErrorName(err), cudaGetErrorName(last));
}

int main()
{
    int *d = NULL, v = 0;
    cudaFuncAttributes a;
    void *p;

    show("cudaMalloc", cudaMalloc(&d, 64));
    for (int i = 0; i < 2; i++) {
        with_arguments<<<1, 1>>>(d);
        show("launch with arguments", cudaPeekAtLastError());
        without_arguments<<<1, 1>>>();
        show("launch without arguments", cudaPeekAtLastError());
    }
    show("cudaFuncGetAttributes", cudaFuncGetAttributes(&a, with_arguments));
    show("cudaMemcpyToSymbol", cudaMemcpyToSymbol(variable, &v, 4));
    show("cudaGetSymbolAddress", cudaGetSymbolAddress(&p, variable));
    show("cudaOccupancyMaxActiveBlocksPerMultiprocessor",
         cudaOccupancyMaxActiveBlocksPerMultiprocessor(&v, with_arguments, 32, 0));
    show("cudaMemset", cudaMemset(d, 1, 64));
    show("cudaMemcpy", cudaMemcpy(&v, d, 4, cudaMemcpyDeviceToHost));
    std::printf("%x\n", v);
    show("cudaFree", cudaFree(d));
    return 0;
}
