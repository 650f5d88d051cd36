// SPDX-License-Identifier: MIT
#include <cstdio>
#include <cuda_runtime.h>
#include <pthread.h>

#define N 4096

__global__ void scale(int *out, const int *in, int factor)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    out[i] = in[i] * factor;
}

static struct {
    pthread_mutex_t lock;
    pthread_cond_t ready;
    int *frame;
    long sum;
} queue = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, NULL, 0 };

static void *consumer(void *)
{
    pthread_mutex_lock(&queue.lock);
    while (!queue.frame) {
        pthread_cond_wait(&queue.ready, &queue.lock);
    }
    pthread_mutex_unlock(&queue.lock);
    for (int i = 0; i < N; i++) {
        queue.sum += queue.frame[i]; /* <-- found here */
    }
    return NULL;
}

int main(int argc, char **)
{
    bool fixed = argc > 1;
    cudaStream_t stream;
    pthread_t thread;
    int *in, *out;

    cudaStreamCreate(&stream);
    cudaMallocHost((void **)&in, N * sizeof(int));
    cudaMallocHost((void **)&out, N * sizeof(int));
    for (int i = 0; i < N; i++) {
        in[i] = 1;
        out[i] = 0;
    }
    pthread_create(&thread, NULL, consumer, NULL);
    scale<<<N / 256, 256, 0, stream>>>(out, in, 3);
    if (fixed) {
        cudaStreamSynchronize(stream);
    }
    pthread_mutex_lock(&queue.lock);
    queue.frame = out;
    pthread_cond_signal(&queue.ready);
    pthread_mutex_unlock(&queue.lock);
    pthread_join(thread, NULL);
    cudaStreamSynchronize(stream);
    printf("sum %ld of %d\n", queue.sum, 3 * N);
    return queue.sum != 3 * N;
}
