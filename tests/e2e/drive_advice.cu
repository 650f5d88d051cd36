/* SPDX-License-Identifier: MIT */
/* Data of the SoC goes to the discrete GPU and back: for one short kernel ("short"), or for many
 * ("long"); CUDA for Tegra 3.4. */
#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>

#define N (1 << 20)

__global__ void step(float *p, int turns)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = p[i];

    for (int t = 0; t < turns; t++) {
        x = x * 0.5f + 1.0f;
    }
    p[i] = x;
}

int main(int argc, char **argv)
{
    int turns = argc > 1 && strcmp(argv[1], "long") == 0 ? 4000 : 1;
    float *host, *there;

    cudaSetDevice(0);
    cudaMallocHost((void **)&host, N * sizeof(float));
    cudaMalloc((void **)&there, N * sizeof(float));
    memset(host, 0, N * sizeof(float));
    cudaMemcpy(there, host, N * sizeof(float), cudaMemcpyHostToDevice);
    step<<<N / 256, 256>>>(there, turns);
    cudaMemcpy(host, there, N * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%.1f\n", host[N - 1]);
    return 0;
}
