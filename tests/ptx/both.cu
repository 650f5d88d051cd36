/* SPDX-License-Identifier: MIT */
/* Code that nvcc and clang without an SDK both compile: what a C++ program makes of PTX. */
#ifndef __NVCC__ /* clang brings no CUDA headers of its own */
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __constant__ __attribute__((constant))
#define __shared__ __attribute__((shared))
#define __noinline__ __attribute__((noinline))
#define __syncthreads() __syncthreads_()
__device__ static inline void __syncthreads_(void)
{
    __nvvm_bar_sync(0);
}
#define TID_X __nvvm_read_ptx_sreg_tid_x()
#define NTID_X __nvvm_read_ptx_sreg_ntid_x()
#define CTAID_X __nvvm_read_ptx_sreg_ctaid_x()
#else
#define TID_X threadIdx.x
#define NTID_X blockDim.x
#define CTAID_X blockIdx.x
#endif

__constant__ float coefficient[16] = { 1.0f, 2.0f, 3.5f };
__device__ int counter = 7;
__device__ int *pointer = &counter;
struct mixed {
    char c;
    int *p;
    double d;
};
__device__ mixed mix = { 'x', &counter, 2.5 };
struct __attribute__((packed)) packed {
    char c;
    int *p;
    short s;
};
__device__ packed pack[2] = { { 'a', &counter, 7 }, { 'b', 0, 1 } };
typedef int (*function)(int);
__device__ __noinline__ int triple(int a)
{
    return a * 3;
}
__device__ __noinline__ int minus(int a)
{
    return a - 3;
}
__device__ function table[2] = { triple, minus };
__device__ const char *words[] = { "one", "three", 0 };

__device__ __noinline__ int fibonacci(int n)
{
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

__device__ __noinline__ mixed by_value(mixed m)
{
    m.d += m.c;
    return m;
}

template <int N, class T> __global__ void tiles(const T *a, const T *b, T *c, int n)
{
    __shared__ T tile_a[N][N], tile_b[N][N];
    int x = CTAID_X * N + TID_X, y = TID_X / N;
    T sum = 0;

    for (int k = 0; k < n / N; k++) {
        tile_a[y][x % N] = a[y * n + k * N + x];
        tile_b[y][x % N] = b[(k * N + y) * n + x];
        __syncthreads();
        for (int j = 0; j < N; j++) {
            sum += tile_a[y][j] * tile_b[j][x % N];
        }
        __syncthreads();
    }
    c[y * n + x] = sum;
}
template __global__ void tiles<16, float>(const float *, const float *, float *, int);
template __global__ void tiles<8, double>(const double *, const double *, double *, int);

extern __shared__ int dynamic[];

__global__ void reduce(const int *in, int *out)
{
    dynamic[TID_X] = in[TID_X];
    __syncthreads();
    for (unsigned s = NTID_X / 2; s > 0; s >>= 1) {
        if (TID_X < s) {
            dynamic[TID_X] += dynamic[TID_X + s];
        }
        __syncthreads();
    }
    if (TID_X == 0) {
        asm volatile("red.global.add.s32 [%0], %1;" : : "l"(out), "r"(dynamic[0]) : "memory");
    }
}

__global__ void choose(int *out, int k, unsigned long long u, double d)
{
    int local[10];

    switch (k) {
    case 0: *out = triple(k); break;
    case 1: *out = k * k; break;
    case 2: *out = table[u & 1](k); break;
    case 3: *out = k / 3 + (int)(u % 10); break;
    case 4: *out = (int)d + (int)coefficient[k]; break;
    case 5: *out = fibonacci(k); break;
    case 6: *out = words[u & 1][0]; break;
    case 7: mix = by_value(mix); break;
    case 8: *pack[u & 1].p = pack[1].s; break;
    default: *pointer += 1; return;
    }
    for (int i = 0; i < 10; i++) {
        local[i] = out[i] << (k & 31) >> 3;
    }
    out[1] = local[k];
}

/* Labels and registers of inlined assembly, twice in one function. */
__device__ static inline void wait(volatile int *flag)
{
    asm volatile("{ .reg .pred p; .reg .b32 v;\n"
                 "AGAIN: ld.volatile.global.u32 v, [%0]; setp.eq.s32 p, v, 0;\n"
                 "@p bra AGAIN; bra.uni DONE;\nDONE: }"
                 :
                 : "l"(flag)
                 : "memory");
}

__global__ void spin(volatile int *flag)
{
    wait(flag);
    wait(flag + 1);
}
