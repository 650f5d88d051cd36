// SPDX-License-Identifier: MIT
// Which target's code a board runs, as the code itself sees it; the number as an expression and in #if.
#include <cstdio>

template <int N> __device__ int twice()
{
    return 2 * N;
}

__global__ void which(int *out)
{
    if constexpr (__CUDA_ARCH__ >= 500) {
        out[0] = __CUDA_ARCH__;
    }
    out[1] = twice<__CUDA_ARCH__>();
#if __CUDA_ARCH__ >= 700
    out[2] = 1;
#else
    out[2] = 0;
#endif
#ifdef NEEDS_ATOMIC_DOUBLE /* CUDA C++ Programming Guide, atomicAdd(): compute capability 6.x and higher */
    atomicAdd(reinterpret_cast<double *>(out + 4), 1.0);
#endif
}

#ifdef __CUDA_ARCH__
#define PASS "device"
#else
#define PASS "host"
#endif

int main()
{
    int *d = nullptr, h[3] = { 0, 0, 0 };

    cudaMalloc(&d, 64);
    cudaMemset(d, 0, 64);
    which<<<1, 1>>>(d);
    const cudaError_t launched = cudaGetLastError();
    cudaMemcpy(h, d, sizeof(h), cudaMemcpyDeviceToHost);
    std::printf("arch %d twice %d volta %d code %d pass %s\n", h[0], h[1], h[2], launched, PASS);
    return 0;
}
