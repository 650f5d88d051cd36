// SPDX-License-Identifier: MIT
#include <cstdio>
#include <cuda_runtime.h>

#define N 64

__global__ void hand_over(int *data, bool fixed)
{
#if __CUDA_ARCH__ >= 800 /* others have no such instruction */
    __shared__ int tile[N / 2];
    __shared__ unsigned long long phase;
    unsigned at = (unsigned)__cvta_generic_to_shared(&phase), over = 0, parity = fixed ? 0 : 1;
    int i = threadIdx.x;

    if (i == 0) {
        asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(at), "r"(N / 2) : "memory");
    }
    __syncthreads();
    if (i < N / 2) {
        unsigned long long state;

        tile[i] = data[i]; /* <-- found here */
        asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(state) : "r"(at) : "memory");
    } else {
        while (!over) {
            asm volatile("{\n.reg .pred p;\nmbarrier.test_wait.parity.shared.b64 p, [%1], %2;\n"
                         "selp.u32 %0, 1, 0, p;\n}"
                         : "=r"(over)
                         : "r"(at), "r"(parity)
                         : "memory");
            over = over || !fixed;
        }
        data[i] = tile[i - N / 2]; /* <-- found here */
    }
#endif
}

int main(int argc, char **)
{
    bool fixed = argc > 1;
    int *data, host[N], bad = 0;

    for (int i = 0; i < N; i++) {
        host[i] = i;
    }
    cudaMalloc((void **)&data, sizeof(host));
    cudaMemcpy(data, host, sizeof(host), cudaMemcpyHostToDevice);
    hand_over<<<1, N>>>(data, fixed);
    cudaMemcpy(host, data, sizeof(host), cudaMemcpyDeviceToHost);
    for (int i = 0; i < N; i++) {
        bad += host[i] != (i % (N / 2));
    }
    printf("%d wrong\n", bad);
    cudaFree(data);
    return bad != 0;
}
