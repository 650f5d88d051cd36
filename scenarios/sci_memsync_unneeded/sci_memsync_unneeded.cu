// SPDX-License-Identifier: MIT
#include "../sci/sci.h"

__global__ void fill(int *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    out[i] = i + 1;
}

int main(int argc, char **)
{
    bool fixed = argc > 1;
    NvSciSyncFence fence = NvSciSyncFenceInitializer;
    NvSciBufObj buffer;
    NvSciSyncObj sync;
    cudaExternalSemaphore_t semaphore;
    struct users users;
    imported at;
    int *cpu, sum = 0;

    sci_open();
    users.gpu_cache = false;
    buffer = buffer_new(users);
    cpu = buffer_cpu(buffer);
    at = buffer_gpu(buffer);
    sync = sync_new(cuda_list(SIGNALS), cpu_list(WAITS));
    semaphore = sync_import(sync);
    fill<<<COUNT / 256, 256>>>(at.gpu);
    OK(cuda_signal(semaphore, &fence, 0,
                   fixed ? cudaExternalSemaphoreSignalSkipNvSciBufMemSync : 0));
    OK(NvSciSyncFenceWait(&fence, context, -1));
    for (int i = 0; i < COUNT; i++) {
        sum += cpu[i];
    }
    printf("%d\n", sum);
    NvSciSyncFenceClear(&fence);
    imported_free(at);
    OK(cudaDestroyExternalSemaphore(semaphore));
    NvSciBufObjFree(buffer);
    NvSciSyncObjFree(sync);
    sci_close();
    return sum != COUNT * (COUNT + 1) / 2;
}
