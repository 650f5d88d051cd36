// SPDX-License-Identifier: MIT
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>
#include <nvscibuf.h>
#include <nvscisync.h>

#define COUNT 1024

#define OK(call)                                                             \
    do {                                                                     \
        if ((call) != 0) {                                                   \
            printf("%s failed\n", #call);                                    \
            exit(1);                                                         \
        }                                                                    \
    } while (0)

static NvSciBufModule bufs;
static NvSciSyncModule syncs;
static NvSciSyncCpuWaitContext context;

static NvSciBufObj buffer_new(cudaExternalMemory_t *memory, int **cpu, int **gpu)
{
    NvSciBufType type = NvSciBufType_RawBuffer;
    NvSciBufAttrValAccessPerm perm = NvSciBufAccessPerm_ReadWrite;
    uint64_t size = COUNT * sizeof(int);
    bool yes = true;
    NvSciRmGpuId id;
    struct cudaDeviceProp prop;
    NvSciBufAttrList list, conflict;
    NvSciBufObj object;
    struct cudaExternalMemoryHandleDesc desc;
    struct cudaExternalMemoryBufferDesc range;

    OK(cudaGetDeviceProperties(&prop, 0));
    memcpy(&id, &prop.uuid, sizeof(id));
    NvSciBufAttrKeyValuePair pairs[] = {
        { NvSciBufGeneralAttrKey_Types, &type, sizeof(type) },
        { NvSciBufRawBufferAttrKey_Size, &size, sizeof(size) },
        { NvSciBufGeneralAttrKey_RequiredPerm, &perm, sizeof(perm) },
        { NvSciBufGeneralAttrKey_NeedCpuAccess, &yes, sizeof(yes) },
        { NvSciBufGeneralAttrKey_EnableCpuCache, &yes, sizeof(yes) },
        { NvSciBufGeneralAttrKey_GpuId, &id, sizeof(id) },
    };
    OK(NvSciBufAttrListCreate(bufs, &list));
    OK(NvSciBufAttrListSetAttrs(list, pairs, 6));
    OK(NvSciBufAttrListReconcileAndObjAlloc(&list, 1, &object, &conflict));
    NvSciBufAttrListFree(list);
    OK(NvSciBufObjGetCpuPtr(object, (void **)cpu));
    memset(&desc, 0, sizeof(desc));
    desc.type = cudaExternalMemoryHandleTypeNvSciBuf;
    desc.handle.nvSciBufObject = object;
    desc.size = size;
    OK(cudaImportExternalMemory(memory, &desc));
    memset(&range, 0, sizeof(range));
    range.size = size;
    OK(cudaExternalMemoryGetMappedBuffer((void **)gpu, *memory, &range));
    return object;
}

/* One side is the CPU, the other CUDA. */
static NvSciSyncObj sync_new(bool cpu_signals, cudaExternalSemaphore_t *semaphore)
{
    NvSciSyncAccessPerm perm = cpu_signals ? NvSciSyncAccessPerm_SignalOnly : NvSciSyncAccessPerm_WaitOnly;
    bool yes = true;
    NvSciSyncAttrKeyValuePair pairs[] = {
        { NvSciSyncAttrKey_NeedCpuAccess, &yes, sizeof(yes) },
        { NvSciSyncAttrKey_RequiredPerm, &perm, sizeof(perm) },
    };
    NvSciSyncAttrList lists[2], reconciled, conflict;
    NvSciSyncObj object;
    struct cudaExternalSemaphoreHandleDesc desc;

    OK(NvSciSyncAttrListCreate(syncs, &lists[0]));
    OK(NvSciSyncAttrListCreate(syncs, &lists[1]));
    OK(NvSciSyncAttrListSetAttrs(lists[0], pairs, 2));
    OK(cudaDeviceGetNvSciSyncAttributes(lists[1], 0, cpu_signals ? cudaNvSciSyncAttrWait : cudaNvSciSyncAttrSignal));
    OK(NvSciSyncAttrListReconcile(lists, 2, &reconciled, &conflict));
    OK(NvSciSyncObjAlloc(reconciled, &object));
    NvSciSyncAttrListFree(lists[0]);
    NvSciSyncAttrListFree(lists[1]);
    NvSciSyncAttrListFree(reconciled);
    memset(&desc, 0, sizeof(desc));
    desc.type = cudaExternalSemaphoreHandleTypeNvSciSync;
    desc.handle.nvSciSyncObj = object;
    OK(cudaImportExternalSemaphore(semaphore, &desc));
    return object;
}

static void modules_open(void)
{
    OK(NvSciBufModuleOpen(&bufs));
    OK(NvSciSyncModuleOpen(&syncs));
    OK(NvSciSyncCpuWaitContextAlloc(syncs, &context));
}

static void modules_close(NvSciBufObj buffer, cudaExternalMemory_t memory, int *gpu, NvSciSyncObj sync,
                          cudaExternalSemaphore_t semaphore)
{
    OK(cudaFree(gpu));
    OK(cudaDestroyExternalMemory(memory));
    OK(cudaDestroyExternalSemaphore(semaphore));
    NvSciBufObjFree(buffer);
    NvSciSyncObjFree(sync);
    NvSciSyncCpuWaitContextFree(context);
    NvSciSyncModuleClose(syncs);
    NvSciBufModuleClose(bufs);
}

__global__ void fill(int *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    out[i] = i + 1; // <-- found here
}

int main(int argc, char **)
{
    bool fixed = argc > 1;
    int *cpu, *gpu, sum = 0;
    cudaExternalMemory_t memory;
    cudaExternalSemaphore_t semaphore;
    NvSciBufObj buffer;
    NvSciSyncObj sync;
    NvSciSyncFence fence = NvSciSyncFenceInitializer;
    struct cudaExternalSemaphoreSignalParams params;

    modules_open();
    buffer = buffer_new(&memory, &cpu, &gpu);
    sync = sync_new(false, &semaphore);
    fill<<<COUNT / 256, 256>>>(gpu); // <-- found here
    memset(&params, 0, sizeof(params));
    params.params.nvSciSync.fence = &fence;
    OK(cudaSignalExternalSemaphoresAsync(&semaphore, &params, 1, 0));
    if (fixed) {
        OK(NvSciSyncFenceWait(&fence, context, -1));
    }
    for (int i = 0; i < COUNT; i++) {
        sum += cpu[i]; // <-- found here
    }
    printf("%d\n", sum);
    NvSciSyncFenceClear(&fence);
    OK(cudaDeviceSynchronize());
    modules_close(buffer, memory, gpu, sync, semaphore);
    return sum != COUNT * (COUNT + 1) / 2;
}
