// SPDX-License-Identifier: MIT
#include <cstdio>
#include <cuda_runtime.h>
#include <pthread.h>

#define N 256

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int shown;

__global__ void render(int *out)
{
    out[threadIdx.x] = 1;
}

static void CUDART_CB publish(void *)
{
    pthread_mutex_lock(&lock);
    shown++;
    pthread_mutex_unlock(&lock);
}

int main(int argc, char **)
{
    bool fixed = argc > 1;
    cudaStream_t stream;
    int *frame;

    cudaStreamCreate(&stream);
    cudaMalloc((void **)&frame, N * sizeof(int));
    pthread_mutex_lock(&lock);
    render<<<1, N, 0, stream>>>(frame);
    cudaLaunchHostFunc(stream, publish, NULL);
    if (fixed) {
        pthread_mutex_unlock(&lock);
    }
    cudaStreamSynchronize(stream); /* <-- found here */
    if (!fixed) {
        pthread_mutex_unlock(&lock);
    }
    printf("%d shown\n", shown);
    return shown != 1;
}
