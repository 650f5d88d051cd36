// SPDX-License-Identifier: MIT
// Cooperative groups: what each lane sees of groups of every kind, and min() and max() of two types.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cuda_pipeline.h>

#include <cstdio>

namespace cg = cooperative_groups;

#define LANES 64
#define WORDS 32

__device__ int sum_of(cg::thread_group g, int *scratch, int value)
{
    unsigned int rank = g.thread_rank();

    scratch[rank] = value;
    g.sync();
    int sum = 0;
    for (unsigned int i = 0; i < g.size(); i++) {
        sum += scratch[i];
    }
    g.sync();
    return sum;
}

__global__ void groups(int *out)
{
    __shared__ int scratch[LANES];
    cg::thread_block block = cg::this_thread_block();
    int lane = threadIdx.x, n = 0, *o = out + lane * WORDS;

    o[n++] = sum_of(block, scratch, lane);
    cg::thread_group quarter = cg::tiled_partition(block, 16);
    o[n++] = sum_of(quarter, scratch + lane / 16 * 16, lane);
    cg::thread_group fours = cg::tiled_partition(quarter, 4);
    o[n++] = fours.size() * 100 + fours.thread_rank();

    cg::thread_block_tile<8> tile = cg::tiled_partition<8>(block);
    o[n++] = cg::reduce(tile, lane, cg::plus<int>());
    o[n++] = cg::inclusive_scan(tile, lane);
    o[n++] = cg::exclusive_scan(tile, lane, cg::plus<int>());
    o[n++] = cg::inclusive_scan(tile, lane ^ 5, cg::greater<int>());
    o[n++] = tile.ballot(lane % 3 == 0);
    o[n++] = tile.shfl_down(lane, 3) * 10000 + tile.shfl_up(lane, 2) * 100 + tile.shfl_xor(lane, 5);
    o[n++] = tile.match_any(lane / 3);
    o[n++] = tile.meta_group_rank() * 100 + tile.meta_group_size();

    cg::coalesced_group by_label = cg::labeled_partition(tile, lane * 7 % 3);
    o[n++] = by_label.size() * 100 + by_label.thread_rank();
    o[n++] = cg::reduce(by_label, lane, cg::plus<int>());
    auto by_answer = cg::binary_partition(cg::tiled_partition<32>(block), lane % 5 < 2);
    o[n++] = by_answer.size() * 100 + by_answer.thread_rank();
    o[n++] = by_answer.meta_group_rank() * 100 + by_answer.meta_group_size();
    o[n++] = cg::exclusive_scan(by_answer, lane);
    if (lane % 7 != 2) {
        cg::coalesced_group here = cg::coalesced_threads();
        o[n++] = here.size() * 100 + here.thread_rank();
        o[n++] = cg::reduce(here, lane, cg::greater<int>());
        o[n++] = here.shfl(lane, 3) * 10000 + here.shfl_up(lane, 1) * 100 + here.shfl_down(lane, 2);
        o[n++] = here.ballot(lane & 1);
        cg::coalesced_group pairs = cg::tiled_partition(here, 4);
        o[n++] = pairs.size() * 100 + pairs.thread_rank();
    }
}

__global__ void copies(const int *in, int *out)
{
    __shared__ __align__(16) int part[2 * LANES];
    cg::thread_block block = cg::this_thread_block();
    int lane = threadIdx.x;

    cg::memcpy_async(block, part, in, sizeof(int) * LANES);
    cg::memcpy_async(block, part + LANES, LANES, in + LANES + 1, LANES - 3);
    cg::wait(block);
    out[lane] = part[(lane + 1) % LANES];
    out[LANES + lane] = lane < LANES - 3 ? part[LANES + lane] : 0;
    __syncthreads();
    __pipeline_memcpy_async(part + lane, in + LANES - 1 - lane, 4);
    __pipeline_commit();
    __pipeline_memcpy_async(part + LANES + 4 * (lane % 16), in + 4 * (lane % 16), 16, 8);
    __pipeline_commit();
    __pipeline_wait_prior(1);
    __syncthreads();
    out[2 * LANES + lane] = part[(lane + 5) % LANES];
    __pipeline_wait_prior(0);
    __syncthreads();
    out[3 * LANES + lane] = part[LANES + lane];
}

template <class A, class B> __host__ __device__ void least(A a, B b, long long *out)
{
    out[0] = (long long)min(a, b);
    out[1] = (long long)max(b, a);
}

__host__ __device__ void mixed(int i, long long *out)
{
    unsigned int u = 5;
    long l = -2;
    unsigned long ul = 9;
    long long ll = -7;
    unsigned long long ull = 3;
    float f = 2.5f;
    double d = -1e10;

    least(u, i, out);
    least(l, ul, out + 2);
    least(ll, ull, out + 4);
    least(f, d, out + 6);
    least(d, f, out + 8);
    least(l, l, out + 10);
    least(i, i, out + 12);
}

__global__ void mixed_kernel(int i, long long *out)
{
    mixed(i, out);
}

int main()
{
    int *in, *out;
    long long *most, host[14];

    cudaMallocManaged(&in, 4096);
    cudaMallocManaged(&out, LANES * WORDS * 4);
    cudaMallocManaged(&most, 4096);
    for (int i = 0; i < 1024; i++) {
        in[i] = i * i;
    }
    cudaMemset(out, 0, LANES * WORDS * 4);
    groups<<<1, LANES>>>(out);
    printf("groups: %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    for (int lane = 0; lane < LANES; lane++) {
        printf("%d:", lane);
        for (int i = 0; i < 21; i++) {
            printf(" %d", out[lane * WORDS + i]);
        }
        printf("\n");
    }
    copies<<<1, LANES>>>(in, out);
    printf("copies: %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    for (int i = 0; i < 4 * LANES; i++) {
        printf("%d%c", out[i], i % LANES == LANES - 1 ? '\n' : ' ');
    }
    mixed_kernel<<<1, 1>>>(-3, most);
    printf("mixed: %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    mixed(-3, host);
    for (int i = 0; i < 14; i++) {
        printf("%lld %lld\n", most[i], host[i]);
    }
    return 0;
}
