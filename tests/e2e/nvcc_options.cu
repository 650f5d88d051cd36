/* SPDX-License-Identifier: MIT */
/* What the options of nvcc change: the default stream, the mathematics, the macros. */
#include <cstdio>

__global__ void halve(float *p, float two)
{
    p[threadIdx.x] = p[threadIdx.x] / two + sinf(0.0f);
}

#ifdef WITH_LAMBDA
template <typename F> __global__ void apply(F f, float *p)
{
    p[threadIdx.x] = f(p[threadIdx.x]);
}
#endif

int main()
{
    float *p, host[4] = { 2, 4, 6, 8 };

    cudaMalloc(&p, sizeof(host));
    cudaMemcpy(p, host, sizeof(host), cudaMemcpyHostToDevice);
    halve<<<1, 4>>>(p, 2.0f);
#ifdef WITH_LAMBDA
    apply<<<1, 4>>>([] __device__(float x) { return x; }, p);
#endif
    cudaMemcpy(host, p, sizeof(host), cudaMemcpyDeviceToHost);
    printf("%g %g %g %g\n", host[0], host[1], host[2], host[3]);
    return cudaGetLastError() != cudaSuccess;
}
