// SPDX-License-Identifier: MIT
#include "../sci/sci.h"

// A list that has a permission already, and a request without a direction.
static void ask_wrongly()
{
    NvSciSyncAttrList list = cpu_list(WAITS);

    GIVES(cudaErrorInvalidValue,
          cudaDeviceGetNvSciSyncAttributes(list, 0, cudaNvSciSyncAttrSignal));
    NvSciSyncAttrListFree(list);
    list = sync_list();
    GIVES(cudaErrorInvalidValue, cudaDeviceGetNvSciSyncAttributes(list, 0, 0));
    NvSciSyncAttrListFree(list);
}

int main(int argc, char **)
{
    bool fixed = argc > 1;
    NvSciSyncFence to = NvSciSyncFenceInitializer, from = NvSciSyncFenceInitializer;
    NvSciSyncObj input, output;
    cudaExternalSemaphore_t waits, signals;

    sci_open();
    input = sync_new(cpu_list(SIGNALS), cuda_list(WAITS));
    output = sync_new(cuda_list(SIGNALS), cpu_list(WAITS));
    waits = sync_import(input);
    signals = sync_import(output);
    OK(NvSciSyncObjGenerateFence(input, &to));
    OK(NvSciSyncObjSignal(input));
    if (fixed) {
        OK(cuda_wait(waits, &to));
        OK(cuda_signal(signals, &from));
        OK(NvSciSyncFenceWait(&from, context, -1));
    } else {
        ask_wrongly();
        GIVES(cudaErrorNotSupported, cuda_signal(waits, &from));
        GIVES(cudaErrorNotSupported, cuda_wait(signals, &to));
    }
    NvSciSyncFenceClear(&to);
    NvSciSyncFenceClear(&from);
    OK(cudaDestroyExternalSemaphore(waits));
    OK(cudaDestroyExternalSemaphore(signals));
    NvSciSyncObjFree(input);
    NvSciSyncObjFree(output);
    sci_close();
    return 0;
}
