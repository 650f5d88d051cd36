// SPDX-License-Identifier: MIT
#include <cstdio>
#include <cuda_runtime.h>
#include <pthread.h>

#define N 64

static pthread_mutex_t pool = PTHREAD_MUTEX_INITIALIZER, device = PTHREAD_MUTEX_INITIALIZER;
static bool fixed;
static int *frame;

__global__ void add_one(int *data)
{
    data[threadIdx.x] += 1;
}

static void use_frame(void)
{
    add_one<<<1, N>>>(frame);
    cudaDeviceSynchronize();
}

static void *capture(void *)
{
    pthread_mutex_lock(&pool);
    pthread_mutex_lock(&device);
    use_frame();
    pthread_mutex_unlock(&device);
    pthread_mutex_unlock(&pool);
    return NULL;
}

static void *display(void *)
{
    pthread_mutex_lock(fixed ? &pool : &device);
    pthread_mutex_lock(fixed ? &device : &pool);
    use_frame();
    pthread_mutex_unlock(&pool);
    pthread_mutex_unlock(&device);
    return NULL;
}

int main(int argc, char **)
{
    pthread_t thread[2];

    fixed = argc > 1;
    cudaMallocHost((void **)&frame, N * sizeof(int));
    frame[0] = 0;
    pthread_create(&thread[0], NULL, capture, NULL);
    pthread_create(&thread[1], NULL, display, NULL);
    pthread_join(thread[0], NULL);
    pthread_join(thread[1], NULL);
    printf("%d\n", frame[0]);
    return frame[0] != 2;
}
