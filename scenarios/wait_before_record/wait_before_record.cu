// SPDX-License-Identifier: MIT
#include <cstdio>
#include <cuda_runtime.h>
#include <pthread.h>

#define N 64

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static bool fixed, recorded;
static cudaStream_t first, second;
static cudaEvent_t done;
static int *data, *sum;

__global__ void produce(int *out)
{
    out[threadIdx.x] = 1;
}

__global__ void consume(const int *in, int *total)
{
    atomicAdd(total, in[threadIdx.x]);
}

static void *producer(void *)
{
    produce<<<1, N, 0, first>>>(data);
    cudaEventRecord(done, first);
    pthread_mutex_lock(&lock);
    recorded = true;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void *consumer(void *)
{
    pthread_mutex_lock(&lock);
    while (fixed && !recorded) {
        pthread_cond_wait(&changed, &lock);
    }
    pthread_mutex_unlock(&lock);
    cudaStreamWaitEvent(second, done, 0);
    consume<<<1, N, 0, second>>>(data, sum);
    return NULL;
}

int main(int argc, char **)
{
    pthread_t thread[2];
    int host = -1;

    fixed = argc > 1;
    cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking);
    cudaEventCreateWithFlags(&done, cudaEventDisableTiming);
    cudaMalloc((void **)&data, N * sizeof(int));
    cudaMalloc((void **)&sum, sizeof(int));
    cudaMemset(data, 0, N * sizeof(int));
    cudaMemset(sum, 0, sizeof(int));
    cudaDeviceSynchronize();
    pthread_create(&thread[0], NULL, producer, NULL);
    pthread_create(&thread[1], NULL, consumer, NULL);
    pthread_join(thread[0], NULL);
    pthread_join(thread[1], NULL);
    cudaDeviceSynchronize();
    cudaMemcpy(&host, sum, sizeof(host), cudaMemcpyDeviceToHost);
    printf("%d of %d\n", host, N);
    return host != N;
}
