// SPDX-License-Identifier: MIT
// A buffer that the CPU writes and a display reads, flushed or not: sci_flush HOW.
#include "../../scenarios/sci/sci.h"

static NvSciBufObj buffers[2];
static NvSciSyncObj sync;
static char *cpu[2];

static void store(int buffer, int from, int to)
{
    for (int i = from; i < to; i += 64) {
        cpu[buffer][i] = 1;
    }
}

static void flush(int buffer, uint64_t from, uint64_t to)
{
    OK(NvSciBufObjFlushCpuCacheRange(buffers[buffer], from, to - from));
}

static void signal_once()
{
    NvSciSyncFence fence = NvSciSyncFenceInitializer;

    OK(NvSciSyncObjGenerateFence(sync, &fence));
    OK(NvSciSyncObjSignal(sync)); // MARK signal
    NvSciSyncFenceClear(&fence);
}

static void run(const char *how)
{
    if (!strcmp(how, "flushed")) {
        store(0, 0, 4096);
        flush(0, 0, 4096);
        signal_once();
        store(0, 0, 640);
        flush(0, 0, 640);
    } else if (!strcmp(how, "other")) { // a signal for one buffer, while the other is half written
        store(1, 0, 2048);
        store(0, 0, 4096);
        flush(0, 0, 4096);
        signal_once();
        store(1, 2048, 4096);
        flush(1, 0, 4096);
    } else if (!strcmp(how, "partly")) { // the last three lines are forgotten
        store(0, 0, 4096);
        flush(0, 0, 4096 - 192);
    } else if (!strcmp(how, "forgotten")) {
        store(0, 128, 256);
    }
    signal_once();
}

int main(int, char **argv)
{
    struct users users;

    sci_open();
    users.gpu = false;
    users.engine = strcmp(argv[1], "forgotten") || !argv[2] ? NvSciBufHwEngName_Display
                                                            : NvSciBufHwEngName_PVA;
    for (int i = 0; i < 2; i++) {
        buffers[i] = buffer_new(users);
        cpu[i] = (char *)buffer_cpu(buffers[i]);
    }
    sync = sync_new(cpu_list(SIGNALS), cpu_list(WAITS));
    run(argv[1]);
    NvSciBufObjFree(buffers[0]);
    NvSciBufObjFree(buffers[1]);
    NvSciSyncObjFree(sync);
    sci_close();
    return 0;
}
