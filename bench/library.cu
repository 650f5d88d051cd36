// SPDX-License-Identifier: MIT
// What calls of NVIDIA's libraries of mathematics cost: processor time of the whole process, the least of
// several, with the wait for the result. Exit status 1 if a figure is beyond its limit (in brackets).
//
// vtegra cc -O2 library.cu -lcublas -lcufft -lcurand -o library && vtegra run -q --check off -- ./library
#include <cstdio>
#include <ctime>
#include <cublas_v2.h>
#include <cuda_runtime.h>
#include <cufft.h>
#include <curand.h>
#include <sys/resource.h>

#define N 1024            // rows and columns of a product
#define KERNEL_N (N / 4)  // of the interpreted kernel, which takes 64 times as long for N
#define POINTS (1 << 20)  // of a transform
#define NUMBERS 10000000  // at random
#define SMALL 4           // elements of the smallest call
#define CALLS 2000

static cublasHandle_t blas;
static cufftHandle plan;
static curandGenerator_t generator;
static float *a, *b, *c, *numbers;
static cufftComplex *signal_in, *signal_out;
static int failed;

__global__ void product(const float *a, const float *b, float *c, int n)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x, column = blockIdx.y * blockDim.y + threadIdx.y;
    float sum = 0;

    for (int k = 0; k < n; k++) {
        sum = fmaf(a[row + k * n], b[k + column * n], sum);
    }
    c[row + column * n] = sum;
}

__global__ void nothing()
{
}

static double cpu_seconds()
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static long peak_kib()
{
    struct rusage u;

    getrusage(RUSAGE_SELF, &u);
    return u.ru_maxrss;
}

static double least(int times, void (*run)())
{
    double best = 1e9;

    for (int i = 0; i < times; i++) {
        double start = cpu_seconds(), took;

        run();
        cudaDeviceSynchronize();
        took = cpu_seconds() - start;
        best = took < best ? took : best;
    }
    return best;
}

static void gemm()
{
    const float one = 1, zero = 0;

    cublasSgemm(blas, CUBLAS_OP_N, CUBLAS_OP_N, N, N, N, &one, a, N, b, N, &zero, c, N);
}

static void gemm_kernel()
{
    product<<<dim3(KERNEL_N / 32, KERNEL_N / 8), dim3(32, 8)>>>(a, b, c, KERNEL_N);
}

static void transform()
{
    cufftExecC2C(plan, signal_in, signal_out, CUFFT_FORWARD);
}

static void random_numbers()
{
    curandGenerateUniform(generator, numbers, NUMBERS);
}

static void axpy()
{
    const float two = 2;

    for (int i = 0; i < CALLS; i++) {
        cublasSaxpy(blas, SMALL, &two, a, 1, b, 1);
    }
}

static void launches()
{
    for (int i = 0; i < CALLS; i++) {
        nothing<<<1, 1>>>();
    }
}

static void report(const char *what, double value, const char *unit, double limit, bool at_least)
{
    bool good = at_least ? value >= limit : value <= limit;

    printf("%-44s %8.3f %s (at %s %g)%s\n", what, value, unit, at_least ? "least" : "most", limit, good ? "" : " MISSED");
    failed |= !good;
}

int main()
{
    double product_s, kernel_s, small_s, launch_s;
    long before;

    setvbuf(stdout, NULL, _IOLBF, 0);
    cudaMalloc((void **)&a, N * N * sizeof(float));
    cudaMalloc((void **)&b, N * N * sizeof(float));
    cudaMalloc((void **)&c, N * N * sizeof(float));
    cudaMalloc((void **)&signal_in, POINTS * sizeof(cufftComplex));
    cudaMalloc((void **)&signal_out, POINTS * sizeof(cufftComplex));
    cudaMalloc((void **)&numbers, NUMBERS * sizeof(float));
    cudaMemset(a, 0, N * N * sizeof(float));
    cudaMemset(b, 0, N * N * sizeof(float));
    cudaMemset(c, 0, N * N * sizeof(float));
    cudaMemset(signal_in, 0, POINTS * sizeof(cufftComplex));
    cudaMemset(signal_out, 0, POINTS * sizeof(cufftComplex));
    cudaMemset(numbers, 0, NUMBERS * sizeof(float));
    nothing<<<1, 1>>>();
    cudaDeviceSynchronize();
    before = peak_kib();
    cublasCreate(&blas);
    cufftPlan1d(&plan, POINTS, CUFFT_C2C, 1);
    curandCreateGenerator(&generator, CURAND_RNG_PSEUDO_XORWOW);

    product_s = least(5, gemm);
    report("cublasSgemm, 1024 x 1024 x 1024, s", product_s, "s", 0.08, false);
    report("cufftExecC2C, 1 Mi points, s", least(5, transform), "s", 0.15, false);
    report("curandGenerateUniform, XORWOW, 10,000,000, s", least(5, random_numbers), "s", 0.1, false);
    report("memory beyond the operands, MiB", (double)(peak_kib() - before) / 1024, "MiB", 64, false);
    small_s = least(5, axpy);
    launch_s = least(5, launches);
    report("cublasSaxpy of 4 elements, launches", small_s / launch_s, "x", 3, false);
    kernel_s = least(2, gemm_kernel) * (N / KERNEL_N) * (N / KERNEL_N) * (N / KERNEL_N);
    report("the product by a kernel, interpreted, / Sgemm", kernel_s / product_s, "x", 50, true);
    return failed;
}
