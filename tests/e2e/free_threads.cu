// SPDX-License-Identifier: MIT
// free_threads [one]: two threads call CUDA, or one does.
#include <cuda_runtime.h>

#include <cstdio>
#include <pthread.h>

__global__ void set(int *out)
{
    *out = 1;
}

static void *work(void *out)
{
    set<<<1, 1>>>((int *)out);
    cudaDeviceSynchronize();
    return nullptr;
}

int main(int argc, char **)
{
    pthread_t thread;
    int *out;

    cudaMallocHost((void **)&out, sizeof(int));
    if (argc > 1) {
        work(out);
    } else {
        pthread_create(&thread, nullptr, work, out);
        pthread_join(thread, nullptr);
    }
    std::printf("%d\n", *out);
    return *out != 1;
}
