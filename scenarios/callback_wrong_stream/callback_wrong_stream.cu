// SPDX-License-Identifier: MIT
#include <cstdio>
#include <cuda_runtime.h>

#define N 4096

__global__ void scale(int *out, const int *in, int factor)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    out[i] = in[i] * factor;
}

struct job {
    int *out;
    long sum;
};

static void CUDART_CB job_run(void *data)
{
    struct job *job = (struct job *)data;

    for (int i = 0; i < N; i++) {
        job->sum += job->out[i]; /* <-- found here */
    }
}

int main(int argc, char **)
{
    bool fixed = argc > 1;
    struct job job = { NULL, 0 };
    cudaStream_t kernels, others;
    int *in;

    cudaStreamCreateWithFlags(&kernels, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&others, cudaStreamNonBlocking);
    cudaMallocHost((void **)&in, N * sizeof(int));
    cudaMallocHost((void **)&job.out, N * sizeof(int));
    for (int i = 0; i < N; i++) {
        in[i] = 1;
        job.out[i] = 0;
    }
    scale<<<N / 256, 256, 0, kernels>>>(job.out, in, 3);
    cudaLaunchHostFunc(fixed ? kernels : others, job_run, &job);
    cudaStreamSynchronize(others);
    cudaStreamSynchronize(kernels);
    printf("sum %ld of %d\n", job.sum, 3 * N);
    return job.sum != 3 * N;
}
