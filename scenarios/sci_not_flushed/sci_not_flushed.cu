// SPDX-License-Identifier: MIT
#include "../sci/sci.h"

int main(int argc, char **)
{
    bool fixed = argc > 1;
    NvSciSyncFence fence = NvSciSyncFenceInitializer;
    NvSciBufObj buffer;
    NvSciSyncObj sync;
    struct users users;
    int *cpu;

    sci_open();
    users.gpu = false;
    users.engine = NvSciBufHwEngName_Display;
    buffer = buffer_new(users);
    cpu = buffer_cpu(buffer);
    sync = sync_new(cpu_list(SIGNALS), cpu_list(WAITS)); // the display's driver waits
    for (int frame = 0; frame < 2; frame++) {
        for (int i = 0; i < COUNT; i++) {
            cpu[i] = frame + i;
        }
        if (fixed) {
            OK(NvSciBufObjFlushCpuCacheRange(buffer, 0, users.bytes));
        }
        OK(NvSciSyncObjGenerateFence(sync, &fence));
        OK(NvSciSyncObjSignal(sync)); // <-- found here
        OK(NvSciSyncFenceWait(&fence, context, -1));
        NvSciSyncFenceClear(&fence);
    }
    NvSciBufObjFree(buffer);
    NvSciSyncObjFree(sync);
    sci_close();
    return 0;
}
