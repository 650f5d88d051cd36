// SPDX-License-Identifier: MIT
// One use of everything that include/ offers to kernels under clang, and of the typed host functions.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstdio>
#include <vector>

__constant__ float coefficient[16];
__device__ int counter;

__global__ void scale(const float *a, float *b, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n) {
        b[i] = a[i] * coefficient[i & 15];
    }
}

template <class T> __global__ void reduce(const T *a, T *sum, int n)
{
    __shared__ T part[256];
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    part[threadIdx.x] = i < n ? a[i] : 0;
    __syncthreads();
    for (unsigned k = 128; k >= 32; k >>= 1) {
        if (threadIdx.x < k) {
            part[threadIdx.x] += part[threadIdx.x + k];
        }
        __syncthreads();
    }
    if (threadIdx.x < 32) {
        T v = part[threadIdx.x];
        for (int d = 16; d; d >>= 1) {
            v += __shfl_down_sync(0xffffffff, v, d);
        }
        if (!threadIdx.x) {
            atomicAdd(sum, v);
        }
    }
}

__global__ void mathematics(float *a, double *d)
{
    float x = a[threadIdx.x];

    a[0] = sqrtf(x) + fabsf(x) + fmaf(x, x, x) + sinf(x) + expf(x) + powf(x, 2.f) + logf(x) + fmodf(x, 2.f);
    a[1] = std::sin(x) + std::sqrt(x) + floorf(x) + rsqrtf(x) + __sinf(x) + __fdividef(x, 3.f) + tanhf(x);
    a[2] = min(x, 3.f) + max(1, 2) + isnan(x) + __int_as_float(3) + roundf(x) + exp2f(x) + __saturatef(x);
    d[0] = sin(d[0]) + sqrt(d[1]) + fmin(d[0], d[1]) + std::abs(d[2]) + pow(d[1], 3.0) + ceil(d[2]);
    int2 pair = make_int2(1, 2);
    float4 quad = make_float4(1, 2, 3, 4);
    a[3] = pair.y + quad.w + __ldg(a + 8);
}

__global__ void warp_operations(unsigned *a)
{
    unsigned m = __ballot_sync(0xffffffff, a[threadIdx.x] > 1);

    a[0] = __popc(m) + __clz(m) + __ffs(m) + __brev(m) + __any_sync(m, 1) + __all_sync(m, 1) + __activemask();
    a[1] = __shfl_sync(m, a[2], 0) + __shfl_up_sync(m, a[2], 1) + __shfl_xor_sync(m, a[2], 1);
    __syncwarp();
#if __CUDA_ARCH__ >= 700
    a[3] = __match_any_sync(0xffffffff, a[4]);
    __nanosleep(100);
#endif
#if __CUDA_ARCH__ >= 800
    a[4] = __reduce_add_sync(0xffffffff, m);
#endif
    if (__syncthreads_or(a[5] != 0)) {
        a[6] = (unsigned)clock64() + (unsigned)clock();
    }
}

__global__ void atomics(int *i, unsigned *u, unsigned long long *l, float *f, double *d)
{
    atomicAdd(i, 1);
    atomicSub(i, 1);
    atomicExch(i, 1);
    atomicMin(i, 1);
    atomicMax(i, 1);
    atomicAnd(i, 1);
    atomicOr(i, 1);
    atomicXor(i, 1);
    atomicCAS(i, 1, 2);
    atomicInc(u, 7);
    atomicDec(u, 7);
    atomicAdd(l, 1ull);
    atomicMax(l, 1ull);
    atomicCAS(l, 1ull, 2ull);
    atomicAdd(f, 1.f);
    atomicExch(f, 1.f);
    *i += atomicSub(&counter, 3);
#if __CUDA_ARCH__ >= 600
    *i = atomicAdd_system(i, 2) + atomicAdd_block(i, 2) + atomicCAS_system(i, 1, 2);
    atomicAdd(d, 1.0);
#else
    (void)d;
#endif
    __threadfence();
    __threadfence_block();
    __threadfence_system();
}

__global__ void groups(int *p)
{
    namespace cg = cooperative_groups;
    cg::grid_group grid = cg::this_grid();
    cg::thread_block block = cg::this_thread_block();
    auto tile = cg::tiled_partition<8>(block);
    auto active = cg::coalesced_threads();

    p[grid.thread_rank()] = cg::reduce(tile, p[0], cg::plus<int>()) + cg::reduce(tile, p[1], cg::less<int>());
    grid.sync();
    block.sync();
    cg::sync(tile);
    if (active.thread_rank() == 0) {
        p[0] = tile.ballot(1) + active.size() + active.shfl(p[1], 1) + tile.shfl_down(p[2], 1) + block.size();
    }
}

__global__ void __launch_bounds__(256, 2) services(int *p)
{
    extern __shared__ int dynamic[];
    dim3 where = blockIdx;

    assert(p != nullptr);
    dynamic[threadIdx.x] = p[threadIdx.x] + where.x;
    __syncthreads();
    p[threadIdx.x] = dynamic[255 - threadIdx.x];
    printf("%d %f\n", p[0], 1.0);
    int *heap = (int *)malloc(16);
    heap[0] = __isShared(dynamic);
    p[1] = heap[0];
    free(heap);
}

int main()
{
    const int n = 1000;
    std::vector<float> h(n);
    float *a, *b, table[16] = {};
    int *m, grid, block;
    cudaLaunchConfig_t config = {};

    cudaMalloc(&a, n * sizeof(float));
    cudaMalloc(&b, n * sizeof(float));
    cudaMemcpy(a, h.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpyToSymbol(coefficient, table, sizeof(table));
    cudaMallocManaged(&m, 1024);
    cudaStreamAttachMemAsync(0, m);
    cudaOccupancyMaxPotentialBlockSize(&grid, &block, scale);
    cudaFuncSetAttribute(services, cudaFuncAttributeMaxDynamicSharedMemorySize, 1024);
    scale<<<(n + 255) / 256, 256>>>(a, b, n);
    reduce<float><<<4, 256>>>(a, b, n);
    reduce<int><<<4, 256>>>(m, m, n);
    mathematics<<<1, 1>>>(a, (double *)b);
    warp_operations<<<1, 32>>>((unsigned *)m);
    atomics<<<1, 32>>>(m, (unsigned *)m, (unsigned long long *)m, a, (double *)b);
    groups<<<1, 32>>>(m);
    services<<<1, 256, 1024, 0>>>(m);
    config.gridDim = 1;
    config.blockDim = dim3(32);
    cudaLaunchKernelEx(&config, scale, (const float *)a, b, n);
    cudaDeviceSynchronize();
    std::printf("%s %f\n", cudaGetErrorString(cudaGetLastError()), std::max(std::sin(1.0), 2.0));
    return 0;
}
