// SPDX-License-Identifier: MIT
#include "../sci/sci.h"

int main(int argc, char **)
{
    bool fixed = argc > 1;
    NvSciSyncFence fences[2] = { NvSciSyncFenceInitializer, NvSciSyncFenceInitializer };
    NvSciSyncObj objects[2];
    cudaExternalSemaphore_t semaphores[2];

    sci_open();
    for (int i = 0; i < 2; i++) {
        objects[i] = sync_new(cpu_list(SIGNALS), cuda_list(WAITS));
        semaphores[i] = sync_import(objects[i]);
        OK(NvSciSyncObjGenerateFence(objects[i], &fences[i]));
        OK(NvSciSyncObjSignal(objects[i]));
    }
    if (fixed) {
        OK(cuda_wait(semaphores[0], &fences[0]));
        OK(cuda_wait(semaphores[1], &fences[1]));
    } else {
        GIVES(cudaErrorInvalidValue, cuda_wait(semaphores[0], &fences[1]));
        GIVES(cudaErrorInvalidValue, cuda_wait(semaphores[1], &fences[0]));
    }
    OK(cudaDeviceSynchronize());
    for (int i = 0; i < 2; i++) {
        NvSciSyncFenceClear(&fences[i]);
        OK(cudaDestroyExternalSemaphore(semaphores[i]));
        NvSciSyncObjFree(objects[i]);
    }
    sci_close();
    return 0;
}
