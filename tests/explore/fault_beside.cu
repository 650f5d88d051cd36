/* SPDX-License-Identifier: MIT */
/* One thread touches memory that the GPU has, and ends the process while another goes on with shared memory. */
#include <cuda_runtime.h>
#include <pthread.h>

static volatile unsigned char *bytes;
static volatile int begun;

__global__ void fill(int *p)
{
    *p = 1;
}

static void *sensor(void *)
{
    for (unsigned i = 0;; i++) {
        bytes[i % 4096] = (unsigned char)i;
        begun = 1;
    }
}

int main()
{
    pthread_t thread;
    int *managed;

    cudaMallocHost((void **)&bytes, 4096);
    cudaMallocManaged(&managed, 4096);
    pthread_create(&thread, NULL, sensor, NULL);
    while (!begun) {
    }
    fill<<<1, 1>>>(managed);
    return *managed;
}
