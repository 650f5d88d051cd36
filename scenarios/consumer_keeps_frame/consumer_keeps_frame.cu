// SPDX-License-Identifier: MIT
#include <cstdio>
#include <cuda_runtime.h>
#include <semaphore.h>
#include <pthread.h>

#define N 256
#define FRAMES 3

static sem_t ready, returned;
static int *frame[FRAMES];
static long sum;

__global__ void render(int *out, int value)
{
    out[threadIdx.x] = value;
}

static void *consumer(void *)
{
    for (int f = 0; f < FRAMES; f++) {
        sem_wait(&ready);
        for (int i = 0; i < N; i += 64) {
            sum += frame[f][i]; /* <-- found here */
        }
        sem_post(&returned);
    }
    return NULL;
}

int main(int argc, char **)
{
    bool fixed = argc > 1;
    pthread_t thread;

    sem_init(&ready, 0, 0);
    sem_init(&returned, 0, 0);
    for (int f = 0; f < FRAMES; f++) {
        cudaMallocManaged((void **)&frame[f], N * sizeof(int));
    }
    pthread_create(&thread, NULL, consumer, NULL);
    for (int f = 0; f < FRAMES; f++) {
        render<<<1, N>>>(frame[f], 1);
        cudaDeviceSynchronize();
        sem_post(&ready);
        if (fixed) {
            sem_wait(&returned);
        }
    }
    pthread_join(thread, NULL);
    printf("%ld of %d\n", sum, FRAMES * N / 64);
    return sum != FRAMES * N / 64;
}
