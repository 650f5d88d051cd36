// SPDX-License-Identifier: MIT
// What curand_kernel.h gives: numbers and a checksum of many, for generators, seeds, subsequences and offsets.
#include <cstdio>
#include <curand_kernel.h>

#define SHOWN 3

__device__ unsigned int sum;

__device__ void add(unsigned int x)
{
    sum = (sum ^ x) * 16777619u;
}

template <class State> __global__ void numbers(unsigned long long seed, unsigned long long sub, unsigned long long offset,
                                               unsigned int *bits, float *uniform, float *normal, double *wide)
{
    State s;

    curand_init(seed, sub, offset, &s);
    for (int i = 0; i < SHOWN; i++) {
        bits[i] = curand(&s);
    }
    sum = 2166136261u;
    for (int i = 0; i < 40; i++) {
        add(curand(&s));
    }
    skipahead(12345678901ull, &s);
    skipahead_sequence(3, &s);
    add(curand(&s));
    bits[SHOWN] = sum;
    for (int i = 0; i < SHOWN; i++) {
        uniform[i] = curand_uniform(&s);
        wide[i] = curand_uniform_double(&s);
        normal[i] = curand_normal(&s);
        wide[SHOWN + i] = curand_normal_double(&s);
        normal[SHOWN + i] = curand_log_normal(&s, 0.5f, 0.25f);
    }
    float2 pair = curand_normal2(&s);
    double2 pair_double = curand_normal2_double(&s);
    normal[2 * SHOWN] = pair.x;
    normal[2 * SHOWN + 1] = pair.y;
    wide[2 * SHOWN] = pair_double.x;
    wide[2 * SHOWN + 1] = pair_double.y;
}

__global__ void fours(uint4 *bits, float4 *uniform, float4 *normal, double2 *wide)
{
    curandStatePhilox4_32_10_t s;

    curand_init(7, threadIdx.x, threadIdx.x, &s);
    bits[threadIdx.x] = curand4(&s);
    uniform[threadIdx.x] = curand_uniform4(&s);
    normal[threadIdx.x] = curand_normal4(&s);
    wide[threadIdx.x] = curand_uniform2_double(&s);
}

template <class State> static void show(const char *name)
{
    static const unsigned long long from[][3] = { { 0, 0, 0 },          { 1234, 0, 0 },         { 1234, 1, 0 },
                                                  { 1234, 77, 1000003 }, { 0x123456789abcull, 4095, 5 } };
    unsigned int *bits;
    float *uniform, *normal;
    double *wide;

    cudaMallocManaged(&bits, 4096);
    cudaMallocManaged(&uniform, 4096);
    cudaMallocManaged(&normal, 4096);
    cudaMallocManaged(&wide, 4096);
    for (auto &f : from) {
        numbers<State><<<1, 1>>>(f[0], f[1], f[2], bits, uniform, normal, wide);
        cudaDeviceSynchronize();
        printf("%s %llx %llu %llu:", name, f[0], f[1], f[2]);
        for (int i = 0; i <= SHOWN; i++) {
            printf(" %08x", bits[i]);
        }
        for (int i = 0; i < SHOWN; i++) {
            printf(" %a", uniform[i]);
        }
        for (int i = 0; i < 2 * SHOWN + 2; i++) {
            printf(" %.4g", normal[i]);
        }
        for (int i = 0; i < 2 * SHOWN + 2; i++) {
            printf(" %.12g", wide[i]);
        }
        printf("\n");
    }
}

int main()
{
    uint4 *bits;
    float4 *uniform, *normal;
    double2 *wide;

    show<curandStateXORWOW_t>("XORWOW");
    show<curandStatePhilox4_32_10_t>("Philox");
    show<curandStateMRG32k3a_t>("MRG32k3a");
    cudaMallocManaged(&bits, 4096);
    cudaMallocManaged(&uniform, 4096);
    cudaMallocManaged(&normal, 4096);
    cudaMallocManaged(&wide, 4096);
    fours<<<1, 6>>>(bits, uniform, normal, wide);
    cudaDeviceSynchronize();
    for (int i = 0; i < 6; i++) {
        printf("four %d: %08x %08x %08x %08x %a %a %a %a %.4g %.4g %.4g %.4g %.12g %.12g\n", i, bits[i].x, bits[i].y, bits[i].z,
               bits[i].w, uniform[i].x, uniform[i].y, uniform[i].z, uniform[i].w, normal[i].x, normal[i].y, normal[i].z,
               normal[i].w, wide[i].x, wide[i].y);
    }
    return cudaGetLastError();
}
