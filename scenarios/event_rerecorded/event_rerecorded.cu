// SPDX-License-Identifier: MIT
#include <cstdio>
#include <cuda_runtime.h>
#include <pthread.h>

#define N 256

static bool fixed;
static cudaEvent_t shared, own;
static cudaStream_t helper_stream;
static int *scratch;

__global__ void fill(int *data, int value)
{
    data[threadIdx.x] = value;
}

static void *helper(void *)
{
    fill<<<1, N, 0, helper_stream>>>(scratch, 1);
    cudaEventRecord(fixed ? own : shared, helper_stream);
    cudaStreamSynchronize(helper_stream);
    return NULL;
}

int main(int argc, char **)
{
    cudaStream_t stream;
    pthread_t thread;
    int *out, seen;

    fixed = argc > 1;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&helper_stream, cudaStreamNonBlocking);
    cudaEventCreateWithFlags(&shared, cudaEventDisableTiming);
    cudaEventCreateWithFlags(&own, cudaEventDisableTiming);
    cudaMallocHost((void **)&out, N * sizeof(int));
    cudaMalloc((void **)&scratch, N * sizeof(int));
    out[0] = 0;
    pthread_create(&thread, NULL, helper, NULL);
    fill<<<1, N, 0, stream>>>(out, 7);
    cudaEventRecord(shared, stream);
    cudaEventSynchronize(shared);
    seen = out[0]; /* <-- found here */
    pthread_join(thread, NULL);
    cudaDeviceSynchronize();
    printf("%d\n", seen);
    return seen != 7;
}
