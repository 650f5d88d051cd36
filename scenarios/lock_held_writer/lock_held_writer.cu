// SPDX-License-Identifier: MIT
#include <cstdio>
#include <cuda_runtime.h>
#include <pthread.h>
#include <semaphore.h>

#define N 256
#define FRAMES 4

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sem_t queued;
static cudaStream_t stream;
static int ready, written;
static bool fixed;

__global__ void render(int *out, int value)
{
    out[threadIdx.x] = value;
}

static void CUDART_CB frame_ready(void *)
{
    pthread_mutex_lock(&lock);
    ready++;
    pthread_mutex_unlock(&lock);
}

static void *writer(void *)
{
    for (int f = 0; f < FRAMES; f++) {
        sem_wait(&queued);
        if (fixed) {
            cudaStreamSynchronize(stream);
        }
        pthread_mutex_lock(&lock);
        if (!fixed) {
            cudaStreamSynchronize(stream); /* <-- found here */
        }
        written++;
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

int main(int argc, char **)
{
    pthread_t thread;
    int *frame;

    fixed = argc > 1;
    sem_init(&queued, 0, 0);
    cudaStreamCreate(&stream);
    cudaMalloc((void **)&frame, N * sizeof(int));
    pthread_create(&thread, NULL, writer, NULL);
    for (int f = 0; f < FRAMES; f++) {
        render<<<1, N, 0, stream>>>(frame, f);
        cudaLaunchHostFunc(stream, frame_ready, NULL);
        sem_post(&queued);
        cudaStreamSynchronize(stream); /* <-- found here */
    }
    pthread_join(thread, NULL);
    printf("%d ready, %d written\n", ready, written);
    return ready != FRAMES || written != FRAMES;
}
