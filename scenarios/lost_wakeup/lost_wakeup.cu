// SPDX-License-Identifier: MIT
#include <cstdio>
#include <cuda_runtime.h>
#include <pthread.h>

#define N 64

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t ready = PTHREAD_COND_INITIALIZER;
static bool fixed, there;
static int *frame;
static int seen;

__global__ void render(int *data)
{
    data[threadIdx.x] = 5;
}

static void *consumer(void *)
{
    pthread_mutex_lock(&lock);
    if (!fixed) {
        pthread_cond_wait(&ready, &lock);
    }
    while (fixed && !there) {
        pthread_cond_wait(&ready, &lock);
    }
    seen = frame[0];
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(int argc, char **)
{
    pthread_t thread;

    fixed = argc > 1;
    cudaMallocHost((void **)&frame, N * sizeof(int));
    pthread_create(&thread, NULL, consumer, NULL);
    render<<<1, N>>>(frame);
    cudaDeviceSynchronize();
    pthread_mutex_lock(&lock);
    there = true;
    pthread_cond_signal(&ready);
    pthread_mutex_unlock(&lock);
    pthread_join(thread, NULL);
    printf("%d\n", seen);
    return seen != 5;
}
