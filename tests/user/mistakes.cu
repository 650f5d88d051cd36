/* SPDX-License-Identifier: MIT */
/* `mistakes NAME`: one mistake each. The script looks for the lines marked here. */
#include <cuda_runtime.h>
#include <stdio.h>
#include <string.h>

#define N 1024

__global__ void fill(int *p, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n) {
        p[i] = i; /* MARK store */
    }
}

__global__ void system_wide(int *p)
{
    atomicAdd_system(p, 1);
}

__global__ void past_shared(int *p, int i)
{
    __shared__ int s[32];

    s[i + threadIdx.x] = 1;
    __syncthreads();
    p[threadIdx.x] = s[threadIdx.x];
}

__device__ void *volatile kept; /* so that no compiler sees through it */

__global__ void free_twice(void)
{
    kept = malloc(64);
    free(kept);
    free(kept);
}

static int waited(void)
{
    cudaError_t error = cudaDeviceSynchronize();

    printf("%s\n", cudaGetErrorName(error));
    return 0;
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "";
    int *p = NULL, *warm = NULL;

    if (cudaMalloc(&warm, N * sizeof(int)) != cudaSuccess) {
        return 1;
    }
    fill<<<4, 256>>>(warm, N);
    cudaDeviceSynchronize();
    if (strcmp(name, "null") == 0) {
        fill<<<4, 256>>>(NULL, N);
        return waited();
    }
    if (strcmp(name, "outside") == 0) {
        fill<<<8, 256>>>(warm, N + 1);
        return waited();
    }
    if (strcmp(name, "freed") == 0) {
        cudaMalloc(&p, N * sizeof(int));
        cudaFree(p);
        fill<<<4, 256>>>(p, N);
        return waited();
    }
    if (strcmp(name, "freed-cpu") == 0) {
        cudaMallocManaged(&p, N * sizeof(int));
        cudaFree(p);
        p[2] = 1; /* MARK freed */
        return 0;
    }
    if (strcmp(name, "heap") == 0) {
        p = new int[N];
        fill<<<4, 256>>>(p, N);
        return waited();
    }
    if (strcmp(name, "system") == 0) {
        system_wide<<<1, 1>>>(warm);
        return waited();
    }
    if (strcmp(name, "free") == 0) {
        free_twice<<<1, 1>>>();
        return waited();
    }
    if (strcmp(name, "shared") == 0) {
        past_shared<<<1, 32>>>(warm, 1 << 20);
        return waited();
    }
    if (strcmp(name, "throw") == 0) {
        fill<<<4, 256>>>(NULL, N);
        if (cudaDeviceSynchronize() != cudaSuccess) {
            throw 1;
        }
    }
    if (strcmp(name, "block") == 0) {
        fill<<<1, 2048>>>(warm, N);
        printf("%s\n", cudaGetErrorName(cudaGetLastError()));
        return 0;
    }
    if (strcmp(name, "copy") == 0) { /* none of correctness: a copy that Tegra does not need */
        static int image[16 * N];

        cudaMalloc(&p, sizeof(image));
        cudaMemcpy(p, image, sizeof(image), cudaMemcpyHostToDevice);
        fill<<<16 * N / 256, 256>>>(p, 16 * N);
        return waited();
    }
    if (strcmp(name, "register") == 0) {
        static char memory[8192];

        printf("%s\n", cudaGetErrorName(cudaHostRegister(memory, sizeof(memory), 0)));
        return 0;
    }
    return strcmp(name, "none") != 0;
}
