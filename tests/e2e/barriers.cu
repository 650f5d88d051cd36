// SPDX-License-Identifier: MIT
// Producers and consumers with the barriers and pipelines of libcu++: mbarrier from sm_80 on. Without an argument each kernel
// must give the numbers that the host computes; "early" waits for a phase that one thread too few completes.
#include <cooperative_groups.h>
#include <cstdio>
#include <cuda/barrier>
#include <cuda/pipeline>

#define STAGES 2
#define ROUNDS 8
#define TILE 128

typedef cuda::barrier<cuda::thread_scope_block> barrier;

__device__ void produce(barrier *ready, barrier *filled, int *tile, const int *in, unsigned lane)
{
    for (int i = 0; i < ROUNDS; i++) {
        ready[i % STAGES].arrive_and_wait();
        for (unsigned k = lane; k < TILE; k += 32) {
            tile[i % STAGES * TILE + k] = in[i * TILE + k] * 2;
        }
        (void)filled[i % STAGES].arrive();
    }
}

__device__ void consume(barrier *ready, barrier *filled, const int *tile, int *out, unsigned lane, unsigned lanes)
{
    for (int i = 0; i < STAGES; i++) {
        (void)ready[i].arrive();
    }
    for (int i = 0; i < ROUNDS; i++) {
        filled[i % STAGES].arrive_and_wait();
        for (unsigned k = lane; k < TILE; k += lanes) {
            out[i * TILE + k] = tile[i % STAGES * TILE + k] + 1;
        }
        (void)ready[i % STAGES].arrive();
    }
}

// One warp produces, the others consume.
__global__ void stages(const int *in, int *out, int missing)
{
    __shared__ int tile[STAGES * TILE];
    __shared__ barrier bar[2 * STAGES];
    cooperative_groups::thread_block block = cooperative_groups::this_thread_block();

    if (threadIdx.x < 2 * STAGES) {
        init(bar + threadIdx.x, blockDim.x + missing);
    }
    block.sync();
    if (threadIdx.x < 32) {
        produce(bar, bar + STAGES, tile, in, threadIdx.x);
    } else {
        consume(bar, bar + STAGES, tile, out, threadIdx.x - 32, blockDim.x - 32);
    }
}

// cp.async that arrives at a barrier
__global__ void copies(const int *in, int *out)
{
    __shared__ int tile[TILE];
    __shared__ barrier bar;

    if (threadIdx.x == 0) {
        init(&bar, blockDim.x);
    }
    __syncthreads();
    for (int i = 0; i < ROUNDS; i++) {
        cuda::memcpy_async(tile + threadIdx.x, in + i * TILE + threadIdx.x, sizeof(int), bar);
        bar.arrive_and_wait();
        out[i * TILE + threadIdx.x] += tile[TILE - 1 - threadIdx.x];
        bar.arrive_and_wait();
    }
}

__global__ void pipelines(const int *in, int *out)
{
    __shared__ int tile[2][TILE];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    cooperative_groups::thread_block block = cooperative_groups::this_thread_block();
    auto pipe = cuda::make_pipeline(block, &state);

    for (int i = 0; i <= ROUNDS; i++) {
        if (i < ROUNDS) {
            pipe.producer_acquire();
            cuda::memcpy_async(block, tile[i & 1], in + i * TILE, sizeof(tile[0]), pipe);
            pipe.producer_commit();
        }
        if (i > 0) {
            pipe.consumer_wait();
            out[(i - 1) * TILE + threadIdx.x] += 3 * tile[(i - 1) & 1][threadIdx.x ^ 1];
            pipe.consumer_release();
        }
    }
}

int main(int argc, char **)
{
    int *in, *out, bad = 0;
    cudaError_t error;

    cudaMallocManaged(&in, ROUNDS * TILE * sizeof(int));
    cudaMallocManaged(&out, ROUNDS * TILE * sizeof(int));
    for (int i = 0; i < ROUNDS * TILE; i++) {
        in[i] = i * 7 % 1000;
    }
    stages<<<1, 96>>>(in, out, argc > 1);
    copies<<<1, TILE>>>(in, out);
    pipelines<<<1, TILE>>>(in, out);
    error = cudaDeviceSynchronize();
    for (int i = 0; !error && i < ROUNDS * TILE; i++) {
        bad += out[i] != in[i] * 2 + 1 + in[i / TILE * TILE + TILE - 1 - i % TILE] + 3 * in[i ^ 1];
    }
    printf("%s, %d wrong\n", cudaGetErrorName(error), bad);
    return 0;
}
