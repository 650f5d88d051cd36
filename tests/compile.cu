// SPDX-License-Identifier: MIT
// A kernel that is worth compiling, for test_compile.sh: prints a sum of what it leaves.
#include <cstdio>
#include <cuda_runtime.h>

__global__ void mix(const unsigned *in, unsigned *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned v = i;

    for (int k = 0; k < n; k++) {
        v = v * 1664525u + in[(i + k) % 4096];
        if (v & 1024) {
            atomicAdd(out + 4096, 1u);
        }
    }
    out[i] = v;
}

int main()
{
    static unsigned h[4097];
    unsigned *in, *out, sum = 0;

    cudaMalloc(&in, sizeof(h));
    cudaMalloc(&out, sizeof(h));
    for (int i = 0; i < 4097; i++) {
        h[i] = i * 2654435761u;
    }
    cudaMemcpy(in, h, sizeof(h), cudaMemcpyHostToDevice);
    cudaMemset(out, 0, sizeof(h));
    for (int i = 0; i < 3; i++) {
        mix<<<16, 256>>>(in, out, 40);
    }
    if (cudaMemcpy(h, out, sizeof(h), cudaMemcpyDeviceToHost) != cudaSuccess) {
        return 1;
    }
    for (int i = 0; i < 4097; i++) {
        sum = sum * 31 + h[i];
    }
    printf("%08x\n", sum);
    return 0;
}
