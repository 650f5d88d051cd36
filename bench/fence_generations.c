/* SPDX-License-Identifier: MIT */
/* Generations of fences leave nothing: resident memory and allocated bytes before and after.
 * fence_generations [N], 1,000,000 by default. N fences that the CPU signals, and N, at most
 * 100,000, that a stream signals; each is made, waited for and cleared. Status 1: memory has grown.
 *
 * The checker keeps the newest 2048 to 4096 increments of a syncpoint: before and after are at the
 * same place in that. */
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "include/cuda.h"
#include "include/nvscisync.h"

enum {
    WARM_UP = 30000,
    RSS_LIMIT_KIB = 256,
    HEAP_LIMIT = 65536,
    PERIOD = 2048,
    STREAM_MOST = 100000
};

static NvSciSyncModule module;
static NvSciSyncCpuWaitContext context;

static void ok(long error)
{
    if (error) {
        fprintf(stderr, "fence_generations: error 0x%lx\n", error);
        exit(2);
    }
}

static NvSciSyncObj object_new(bool by_cuda)
{
    NvSciSyncAccessPerm perms[] = { NvSciSyncAccessPerm_SignalOnly, NvSciSyncAccessPerm_WaitOnly };
    NvSciSyncAttrList lists[2], conflict;
    NvSciSyncObj object;
    bool cpu = true;

    for (int i = 0; i < 2; i++) {
        NvSciSyncAttrKeyValuePair pairs[] = {
            { NvSciSyncAttrKey_NeedCpuAccess, &cpu, sizeof(cpu) },
            { NvSciSyncAttrKey_RequiredPerm, &perms[i], sizeof(perms[i]) },
        };

        ok(NvSciSyncAttrListCreate(module, &lists[i]));
        ok(i == 0 && by_cuda ? (long)cuDeviceGetNvSciSyncAttributes(lists[i], 0, 1)
                             : (long)NvSciSyncAttrListSetAttrs(lists[i], pairs, 2));
    }
    ok(NvSciSyncAttrListReconcileAndObjAlloc(lists, 2, &object, &conflict));
    NvSciSyncAttrListFree(lists[0]);
    NvSciSyncAttrListFree(lists[1]);
    return object;
}

/* @semaphore: NULL: the CPU signals. */
static void generations(NvSciSyncObj object, CUexternalSemaphore semaphore, long n)
{
    for (long i = 0; i < n; i++) {
        NvSciSyncFence fence = NvSciSyncFenceInitializer;
        CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS params = { .params.nvSciSync.fence = &fence };

        if (semaphore) {
            ok(cuSignalExternalSemaphoresAsync(&semaphore, &params, 1, NULL));
        } else {
            ok(NvSciSyncObjGenerateFence(object, &fence));
            ok(NvSciSyncObjSignal(object));
        }
        ok(NvSciSyncFenceWait(&fence, context, -1));
        NvSciSyncFenceClear(&fence);
    }
}

static long rss_kib(void)
{
    FILE *file = fopen("/proc/self/status", "r");
    char line[256];
    long kib = 0;

    while (file && fgets(line, sizeof(line), file)) {
        if (strncmp(line, "VmRSS:", 6) == 0) {
            kib = strtol(line + 6, NULL, 10);
        }
    }
    if (file) {
        fclose(file);
    }
    return kib;
}

static long heap_bytes(void)
{
    struct mallinfo2 info = mallinfo2();

    return (long)(info.uordblks + info.hblkhd);
}

static int measure(const char *who, NvSciSyncObj object, CUexternalSemaphore semaphore, long n)
{
    long rss, heap;

    n = (n + PERIOD - 1) / PERIOD * PERIOD;
    generations(object, semaphore, WARM_UP);
    rss = rss_kib();
    heap = heap_bytes();
    generations(object, semaphore, n);
    printf("fences that %s signals, %ld generations: resident %ld KiB before, %ld after; allocated "
           "%+ld bytes (at most %d)\n",
           who, n, rss, rss_kib(), heap_bytes() - heap, HEAP_LIMIT);
    return rss_kib() - rss > RSS_LIMIT_KIB || heap_bytes() - heap > HEAP_LIMIT;
}

int main(int argc, char **argv)
{
    long n = argc > 1 ? strtol(argv[1], NULL, 10) : 1000000;
    CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC desc = { .type =
                                                     CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_NVSCISYNC };
    NvSciSyncObj object, by_cuda;
    CUexternalSemaphore semaphore;
    CUcontext primary;
    int grown;

    ok(cuInit(0));
    ok(cuDevicePrimaryCtxRetain(&primary, 0));
    ok(cuCtxSetCurrent(primary));
    ok(NvSciSyncModuleOpen(&module));
    ok(NvSciSyncCpuWaitContextAlloc(module, &context));
    object = object_new(false);
    by_cuda = object_new(true);
    desc.handle.nvSciSyncObj = by_cuda;
    ok(cuImportExternalSemaphore(&semaphore, &desc));
    grown = measure("the CPU", object, NULL, n);
    grown |= measure("a stream", by_cuda, semaphore, n < STREAM_MOST ? n : STREAM_MOST);
    ok(cuDestroyExternalSemaphore(semaphore));
    NvSciSyncObjFree(object);
    NvSciSyncObjFree(by_cuda);
    NvSciSyncCpuWaitContextFree(context);
    NvSciSyncModuleClose(module);
    return grown;
}
