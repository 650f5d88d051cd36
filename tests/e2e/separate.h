// SPDX-License-Identifier: MIT
// What both files of the program have a copy of, and what one has for the other.
template <typename T> __device__ T sum_of(T a, T b)
{
    return a + b;
}

inline __device__ int half(int x)
{
    return x / 2;
}

__device__ int twice(int x);
extern __device__ int offset;
extern __constant__ int step;
void part_start(int own, int shared);
int part_run(int *p);
