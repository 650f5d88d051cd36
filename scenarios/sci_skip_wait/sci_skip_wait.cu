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

__global__ void add(const int *in, int *sum)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    atomicAdd(sum, in[i]); // <-- found here
}

int main(int argc, char **)
{
    bool fixed = argc > 1;
    int *cpu, *gpu, *sum, result;
    cudaExternalMemory_t memory;
    cudaExternalSemaphore_t semaphore;
    NvSciBufObj buffer;
    NvSciSyncObj sync;
    NvSciSyncFence fence = NvSciSyncFenceInitializer;
    struct cudaExternalSemaphoreWaitParams params;

    modules_open();
    buffer = buffer_new(&memory, &cpu, &gpu);
    sync = sync_new(true, &semaphore);
    OK(cudaMalloc((void **)&sum, sizeof(int)));
    OK(cudaMemset(sum, 0, sizeof(int)));
    add<<<COUNT / 256, 256>>>(gpu, sum); // the first frame is all 0
    OK(cudaDeviceSynchronize());
    for (int i = 0; i < COUNT; i++) {
        cpu[i] = i + 1; // <-- found here
    }
    OK(NvSciSyncObjGenerateFence(sync, &fence));
    OK(NvSciSyncObjSignal(sync));
    memset(&params, 0, sizeof(params));
    params.params.nvSciSync.fence = &fence;
    params.flags = fixed ? 0 : cudaExternalSemaphoreWaitSkipNvSciBufMemSync;
    OK(cudaWaitExternalSemaphoresAsync(&semaphore, &params, 1, 0));
    add<<<COUNT / 256, 256>>>(gpu, sum); // <-- found here
    OK(cudaMemcpy(&result, sum, sizeof(int), cudaMemcpyDeviceToHost));
    printf("%d\n", result);
    NvSciSyncFenceClear(&fence);
    OK(cudaFree(sum));
    modules_close(buffer, memory, gpu, sync, semaphore);
    return result != COUNT * (COUNT + 1) / 2;
}
