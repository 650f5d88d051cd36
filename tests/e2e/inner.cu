/* SPDX-License-Identifier: MIT */
/* Accesses inside templates of the C++ library, before their kernel has been waited for: for inner.sh. Each CASE is a race
 * at its own line, though several call the same function of a header.
 */
#include <cuda_runtime.h>
#include <stdlib.h>

#include <algorithm>
#include <atomic>
#include <numeric>
#include <utility>

#define N 64
#define CASE(statement)                                            \
    {                                                              \
        int *p;                                                    \
                                                                   \
        if (cudaMallocHost((void **)&p, N * sizeof(*p)) != cudaSuccess) { \
            exit(2);                                               \
        }                                                          \
        fill<<<1, N>>>(p);                                         \
        statement;                                                 \
        cudaDeviceSynchronize();                                   \
    }

static int mine[N];
static long wide[N];
static volatile long sink;

__global__ void fill(int *p)
{
    p[threadIdx.x] = (int)(N - threadIdx.x);
}

int main()
{
    CASE(std::copy(p, p + N, mine))
    CASE(std::copy(p, p + N, mine))
    CASE(std::copy(mine, mine + N, p))
    CASE(std::copy(p, p + N, wide))
    CASE(std::fill(p, p + N, 7))
    CASE(std::fill(p, p + N, 8))
    CASE(sink = std::accumulate(p, p + N, 0L))
    CASE(std::sort(p, p + N))
    CASE(std::swap(p[0], p[1]))
    CASE(sink = std::count_if(p, p + N, [](int v) { return v > 3; }))
    CASE(reinterpret_cast<std::atomic<int> *>(p)->fetch_add(1))
    for (int i = 0; i < 2; i++) {
        CASE(std::fill_n(p, N, i))
    }
    return 0;
}
