// SPDX-License-Identifier: MIT
#include <cstdio>
#include <cuda_runtime.h>
#include <pthread.h>
#include <semaphore.h>

#define N 256

static sem_t ready;
static cudaStream_t stream[2];
static bool fixed;
static int *frame[2], frames;
static long sum;

__global__ void render(int *out, int value)
{
    out[threadIdx.x] = value;
}

static void CUDART_CB frame_done(void *)
{
    sem_post(&ready);
    frames++;
}

static void *worker(void *)
{
    sem_wait(&ready);
    if (fixed) {
        cudaStreamSynchronize(stream[0]);
    }
    for (int i = 0; i < N; i += 64) {
        sum += frame[0][i]; /* <-- found here */
    }
    return NULL;
}

int main(int argc, char **)
{
    pthread_t thread;

    fixed = argc > 1;
    sem_init(&ready, 0, 0);
    for (int f = 0; f < 2; f++) {
        cudaStreamCreateWithFlags(&stream[f], cudaStreamNonBlocking);
        cudaMallocManaged((void **)&frame[f], N * sizeof(int));
        if (fixed) {
            cudaStreamAttachMemAsync(stream[f], frame[f], 0, cudaMemAttachSingle);
        }
    }
    cudaDeviceSynchronize();
    pthread_create(&thread, NULL, worker, NULL);
    render<<<1, N, 0, stream[0]>>>(frame[0], 1);
    cudaLaunchHostFunc(stream[0], frame_done, NULL);
    render<<<1, N, 0, stream[fixed ? 1 : 0]>>>(frame[1], 2);
    cudaDeviceSynchronize();
    pthread_join(thread, NULL);
    printf("%ld of %d\n", sum, N / 64);
    return sum != N / 64;
}
