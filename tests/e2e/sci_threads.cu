// SPDX-License-Identifier: MIT
// A thread that makes no CUDA call waits for the GPU's fence (NvSci), while main() reads what the kernel writes, and waits for
// nothing: sci_threads [fixed].
#include <pthread.h>
#include <time.h>

#include "../../scenarios/sci/sci.h"

enum { LATE_MS = 2 };

static NvSciSyncFence fence = NvSciSyncFenceInitializer;

__global__ void fill(int *out)
{
    out[threadIdx.x] = 1;
}

static void *waiter(void *)
{
    OK(NvSciSyncFenceWait(&fence, context, -1));
    return NULL;
}

/* The other thread has long come to its wait when this is over. */
static void compute()
{
    struct timespec begin, now;
    double ms;

    clock_gettime(CLOCK_MONOTONIC, &begin);
    do {
        clock_gettime(CLOCK_MONOTONIC, &now);
        ms = (double)(now.tv_sec - begin.tv_sec) * 1e3 + (double)(now.tv_nsec - begin.tv_nsec) / 1e6;
    } while (ms < LATE_MS);
}

int main(int argc, char **)
{
    bool fixed = argc > 1;
    struct cudaExternalSemaphoreSignalParams params;
    cudaExternalSemaphore_t semaphore;
    int *features, seen;
    NvSciSyncObj sync;
    pthread_t thread;

    sci_open();
    sync = sync_new(cuda_list(SIGNALS), cpu_list(WAITS));
    semaphore = sync_import(sync);
    OK(cudaMallocHost(&features, COUNT));
    fill<<<1, COUNT / sizeof(int)>>>(features);
    memset(&params, 0, sizeof(params));
    params.params.nvSciSync.fence = &fence;
    OK(cudaSignalExternalSemaphoresAsync(&semaphore, &params, 1, 0));
    OK(pthread_create(&thread, NULL, waiter, NULL));
    if (fixed) {
        pthread_join(thread, NULL);
    }
    compute();
    seen = features[0]; // READ
    if (!fixed) {
        pthread_join(thread, NULL);
    }
    printf("%d\n", seen);
    NvSciSyncFenceClear(&fence);
    OK(cudaDeviceSynchronize());
    OK(cudaDestroyExternalSemaphore(semaphore));
    NvSciSyncObjFree(sync);
    sci_close();
    return 0;
}
