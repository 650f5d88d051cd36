// SPDX-License-Identifier: MIT
#include "../sci/sci.h"

__global__ void work(int *out)
{
    out[threadIdx.x] = threadIdx.x;
}

int main(int argc, char **)
{
    bool fixed = argc > 1;
    NvSciSyncFence fences[2] = { NvSciSyncFenceInitializer, NvSciSyncFenceInitializer };
    NvSciSyncObj sync;
    cudaExternalSemaphore_t semaphore;
    uint64_t us[2];
    int *out;

    sci_open();
    sync = sync_new(cuda_list(SIGNALS), cpu_list(WAITS | WITH_TIMES));
    semaphore = sync_import(sync);
    OK(cudaMalloc((void **)&out, 256 * sizeof(int)));
    for (int i = 0; i < 2; i++) {
        struct cudaExternalSemaphoreSignalParams params = signal_params(&fences[i]);

        work<<<1, 256>>>(out);
        OK(cudaSignalExternalSemaphoresAsync(&semaphore, &params, 1, 0)); // <-- found here
        if (fixed) {
            OK(NvSciSyncFenceWait(&fences[i], context, -1));
            OK(NvSciSyncFenceGetTimestamp(&fences[i], &us[i]));
        }
    }
    for (int i = 0; i < 2 && !fixed; i++) {
        OK(NvSciSyncFenceWait(&fences[i], context, -1));
        OK(NvSciSyncFenceGetTimestamp(&fences[i], &us[i]));
    }
    for (NvSciSyncFence &fence : fences) {
        NvSciSyncFenceClear(&fence);
    }
    OK(cudaFree(out));
    OK(cudaDestroyExternalSemaphore(semaphore));
    NvSciSyncObjFree(sync);
    sci_close();
    return us[0] == 0 || us[1] == 0;
}
