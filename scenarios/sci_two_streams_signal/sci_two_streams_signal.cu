// SPDX-License-Identifier: MIT
#include "../sci/sci.h"

int main(int argc, char **)
{
    bool fixed = argc > 1;
    NvSciSyncFence first = NvSciSyncFenceInitializer, second = NvSciSyncFenceInitializer;
    NvSciSyncObj sync;
    cudaExternalSemaphore_t semaphore;
    cudaStream_t streams[2];
    cudaEvent_t signalled;
    struct cudaExternalSemaphoreSignalParams params = signal_params(nullptr);

    sci_open();
    sync = sync_new(cuda_list(SIGNALS), cpu_list(WAITS | DETERMINISTIC));
    semaphore = sync_import(sync);
    OK(cudaEventCreateWithFlags(&signalled, cudaEventDisableTiming));
    for (cudaStream_t &stream : streams) {
        OK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    }
    OK(NvSciSyncFenceUpdateFence(sync, 0, 1, &first)); // made by the waiter, before any signal
    OK(NvSciSyncFenceUpdateFence(sync, 0, 2, &second));
    OK(cudaSignalExternalSemaphoresAsync(&semaphore, &params, 1, streams[0]));
    if (fixed) {
        OK(cudaEventRecord(signalled, streams[0]));
        OK(cudaStreamWaitEvent(streams[1], signalled, 0));
    }
    OK(cudaSignalExternalSemaphoresAsync(&semaphore, &params, 1, streams[1])); // <-- found here
    OK(NvSciSyncFenceWait(&first, context, -1));
    OK(NvSciSyncFenceWait(&second, context, -1));
    NvSciSyncFenceClear(&first);
    NvSciSyncFenceClear(&second);
    OK(cudaDestroyExternalSemaphore(semaphore));
    NvSciSyncObjFree(sync);
    sci_close();
    return 0;
}
