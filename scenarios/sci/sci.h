// SPDX-License-Identifier: MIT
// What the programs about NvSci have in common: buffers and sync objects of the CPU, CUDA and other
// engines.
#ifndef SCENARIOS_SCI_H
#define SCENARIOS_SCI_H

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>
#include <nvscibuf.h>
#include <nvscisync.h>

#define COUNT 1024

// A call that must give this code, and one that must succeed. Status 2: the board does something
// else.
#define GIVES(code, call)                                                                   \
    do {                                                                                    \
        int given_ = (int)(call);                                                           \
        if (given_ != (int)(code)) {                                                        \
            printf("line %d: %s gives %d, not %d\n", __LINE__, #call, given_, (int)(code)); \
            exit(2);                                                                        \
        }                                                                                   \
    } while (0)
#define OK(call) GIVES(0, call)

static NvSciBufModule bufs;
static NvSciSyncModule syncs;
static NvSciSyncCpuWaitContext context;

inline void sci_open()
{
    OK(NvSciBufModuleOpen(&bufs));
    OK(NvSciSyncModuleOpen(&syncs));
    OK(NvSciSyncCpuWaitContextAlloc(syncs, &context));
}

inline void sci_close()
{
    NvSciSyncCpuWaitContextFree(context);
    NvSciSyncModuleClose(syncs);
    NvSciBufModuleClose(bufs);
}

/* --- buffers ---------------------------------------------------------------------------------- */

// Who uses a buffer. engine: one that is neither the CPU nor the GPU.
struct users {
    uint64_t bytes = COUNT * sizeof(int);
    bool cpu = true, gpu = true, gpu_cache = true;
    NvSciBufHwEngName engine = NvSciBufHwEngName_Invalid;
};

inline NvSciBufObj buffer_new(const users &u)
{
    NvSciBufType type = NvSciBufType_RawBuffer;
    NvSciBufAttrValAccessPerm perm = NvSciBufAccessPerm_ReadWrite;
    NvSciBufPeerHwEngine engine = { u.engine, 0 };
    NvSciBufAttrValGpuCache cache;
    NvSciBufAttrKeyValuePair pairs[9];
    NvSciBufAttrList list, conflict = nullptr;
    struct cudaDeviceProp prop;
    NvSciBufObj object;
    size_t n = 0;

    pairs[n++] = { NvSciBufGeneralAttrKey_Types, &type, sizeof(type) };
    pairs[n++] = { NvSciBufRawBufferAttrKey_Size, &u.bytes, sizeof(u.bytes) };
    pairs[n++] = { NvSciBufGeneralAttrKey_RequiredPerm, &perm, sizeof(perm) };
    pairs[n++] = { NvSciBufGeneralAttrKey_NeedCpuAccess, &u.cpu, sizeof(u.cpu) };
    pairs[n++] = { NvSciBufGeneralAttrKey_EnableCpuCache, &u.cpu, sizeof(u.cpu) };
    if (u.gpu) {
        OK(cudaGetDeviceProperties(&prop, 0));
        memcpy(&cache.gpuId, &prop.uuid, sizeof(cache.gpuId));
        cache.cacheability = u.gpu_cache;
        pairs[n++] = { NvSciBufGeneralAttrKey_GpuId, &cache.gpuId, sizeof(cache.gpuId) };
        pairs[n++] = { NvSciBufGeneralAttrKey_EnableGpuCache, &cache, sizeof(cache) };
    }
    if (u.engine != NvSciBufHwEngName_Invalid) {
        pairs[n++] = { NvSciBufGeneralAttrKey_PeerHwEngineArray, &engine, sizeof(engine) };
    }
    OK(NvSciBufAttrListCreate(bufs, &list));
    OK(NvSciBufAttrListSetAttrs(list, pairs, n));
    OK(NvSciBufAttrListReconcileAndObjAlloc(&list, 1, &object, &conflict));
    NvSciBufAttrListFree(list);
    return object;
}

inline int *buffer_cpu(NvSciBufObj object)
{
    void *cpu;

    OK(NvSciBufObjGetCpuPtr(object, &cpu));
    return (int *)cpu;
}

inline cudaError_t buffer_import(NvSciBufObj object, uint64_t bytes, cudaExternalMemory_t *memory)
{
    struct cudaExternalMemoryHandleDesc desc;

    memset(&desc, 0, sizeof(desc));
    desc.type = cudaExternalMemoryHandleTypeNvSciBuf;
    desc.handle.nvSciBufObject = object;
    desc.size = bytes;
    return cudaImportExternalMemory(memory, &desc);
}

inline cudaError_t buffer_map(cudaExternalMemory_t memory, uint64_t offset, uint64_t bytes,
                              int **gpu)
{
    struct cudaExternalMemoryBufferDesc range;

    memset(&range, 0, sizeof(range));
    range.offset = offset;
    range.size = bytes;
    return cudaExternalMemoryGetMappedBuffer((void **)gpu, memory, &range);
}

// A buffer as CUDA sees it.
struct imported {
    cudaExternalMemory_t memory;
    int *gpu;
};

inline imported buffer_gpu(NvSciBufObj object, uint64_t bytes = COUNT * sizeof(int))
{
    imported i;

    OK(buffer_import(object, bytes, &i.memory));
    OK(buffer_map(i.memory, 0, bytes, &i.gpu));
    return i;
}

inline void imported_free(const imported &i)
{
    OK(cudaFree(i.gpu));
    OK(cudaDestroyExternalMemory(i.memory));
}

/* --- sync objects ----------------------------------------------------------------------------- */

enum { SIGNALS = 1, WAITS = 2, WITH_TIMES = 4, DETERMINISTIC = 8 };

inline NvSciSyncAttrList sync_list()
{
    NvSciSyncAttrList list;

    OK(NvSciSyncAttrListCreate(syncs, &list));
    return list;
}

inline NvSciSyncAttrList cpu_list(unsigned what)
{
    NvSciSyncAccessPerm perm =
        what & SIGNALS ? NvSciSyncAccessPerm_SignalOnly : NvSciSyncAccessPerm_WaitOnly;
    bool yes = true, times = what & WITH_TIMES, deterministic = what & DETERMINISTIC;
    NvSciSyncAttrKeyValuePair pairs[] = {
        { NvSciSyncAttrKey_NeedCpuAccess, &yes, sizeof(yes) },
        { NvSciSyncAttrKey_RequiredPerm, &perm, sizeof(perm) },
        { NvSciSyncAttrKey_WaiterRequireTimestamps, &times, sizeof(times) },
        { NvSciSyncAttrKey_RequireDeterministicFences, &deterministic, sizeof(deterministic) },
    };
    NvSciSyncAttrList list = sync_list();

    OK(NvSciSyncAttrListSetAttrs(list, pairs, 4));
    return list;
}

inline NvSciSyncAttrList cuda_list(unsigned what)
{
    NvSciSyncAttrList list = sync_list();

    OK(cudaDeviceGetNvSciSyncAttributes(
        list, 0, what & SIGNALS ? cudaNvSciSyncAttrSignal : cudaNvSciSyncAttrWait));
    return list;
}

// Takes the lists of its two sides.
inline NvSciSyncObj sync_new(NvSciSyncAttrList signaler, NvSciSyncAttrList waiter)
{
    NvSciSyncAttrList lists[] = { signaler, waiter }, conflict = nullptr;
    NvSciSyncObj object;

    OK(NvSciSyncAttrListReconcileAndObjAlloc(lists, 2, &object, &conflict));
    NvSciSyncAttrListFree(signaler);
    NvSciSyncAttrListFree(waiter);
    return object;
}

inline cudaExternalSemaphore_t sync_import(NvSciSyncObj object)
{
    struct cudaExternalSemaphoreHandleDesc desc;
    cudaExternalSemaphore_t semaphore;

    memset(&desc, 0, sizeof(desc));
    desc.type = cudaExternalSemaphoreHandleTypeNvSciSync;
    desc.handle.nvSciSyncObj = object;
    OK(cudaImportExternalSemaphore(&semaphore, &desc));
    return semaphore;
}

inline cudaExternalSemaphoreSignalParams signal_params(NvSciSyncFence *fence, unsigned flags = 0)
{
    struct cudaExternalSemaphoreSignalParams params;

    memset(&params, 0, sizeof(params));
    params.params.nvSciSync.fence = fence;
    params.flags = flags;
    return params;
}

inline cudaError_t cuda_signal(cudaExternalSemaphore_t semaphore, NvSciSyncFence *fence,
                               cudaStream_t stream = 0, unsigned flags = 0)
{
    struct cudaExternalSemaphoreSignalParams params = signal_params(fence, flags);

    return cudaSignalExternalSemaphoresAsync(&semaphore, &params, 1, stream);
}

inline cudaError_t cuda_wait(cudaExternalSemaphore_t semaphore, NvSciSyncFence *fence,
                             cudaStream_t stream = 0, unsigned flags = 0)
{
    struct cudaExternalSemaphoreWaitParams params;

    memset(&params, 0, sizeof(params));
    params.params.nvSciSync.fence = fence;
    params.flags = flags;
    return cudaWaitExternalSemaphoresAsync(&semaphore, &params, 1, stream);
}

#endif
