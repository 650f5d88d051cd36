// SPDX-License-Identifier: MIT
// cuDLA in standalone mode: its network, and its side of buffers and sync objects.
#ifndef SCENARIOS_DLA_H
#define SCENARIOS_DLA_H

#include "sci.h"
#include <cudla.h>

#define TENSOR 8192 // bytes of the input, and of the output, of cudla_hybrid/network.json

static cudlaDevHandle dla;
static cudlaModule module;

inline void dla_open(const char *loadable, uint32_t mode)
{
    static uint8_t bytes[1 << 20];
    FILE *file = fopen(loadable, "rb");
    size_t len = file ? fread(bytes, 1, sizeof(bytes), file) : 0;

    OK(cudlaCreateDevice(0, &dla, mode));
    OK(cudlaModuleLoadFromMemory(dla, bytes, len, &module, 0));
    fclose(file);
}

// "Any error must be treated as non-recoverable" (CUDA for Tegra 5.4): a handle that gave one makes
// room for a new one.
inline void dla_reopen(const char *loadable, uint32_t mode)
{
    OK(cudlaDestroyDevice(dla));
    dla_open(loadable, mode);
}

inline uint64_t *dla_register(const void *memory, uint64_t bytes = TENSOR)
{
    uint64_t *at;

    OK(cudlaMemRegister(dla, (const uint64_t *)memory, bytes, &at, 0));
    return at;
}

inline uint64_t *dla_import(NvSciBufObj object, uint64_t bytes = TENSOR)
{
    cudlaExternalMemoryHandleDesc desc = { object, bytes };
    uint64_t *at;

    OK(cudlaImportExternalMemory(dla, &desc, &at, 0));
    return at;
}

inline uint64_t *dla_import_sync(NvSciSyncObj object)
{
    cudlaExternalSemaphoreHandleDesc desc = { object };
    uint64_t *at;

    OK(cudlaImportExternalSemaphore(dla, &desc, &at, 0));
    return at;
}

inline NvSciSyncAttrList dla_list(unsigned what)
{
    NvSciSyncAttrList list = sync_list();

    OK(cudlaGetNvSciSyncAttributes((uint64_t *)list, what & SIGNALS ? CUDLA_NVSCISYNC_ATTR_SIGNAL
                                                                    : CUDLA_NVSCISYNC_ATTR_WAIT));
    return list;
}

// One task with what it waits for and what it signals; NULL: nothing.
struct task {
    const uint64_t *in;
    uint64_t *out, *signals;
    CudlaFence before, after;
    cudlaWaitEvents waits;
    cudlaSignalEvents events;
    cudlaTask t;

    task(uint64_t *from, uint64_t *to, NvSciSyncFence *pre = nullptr, uint64_t *sync = nullptr,
         NvSciSyncFence *eof = nullptr)
        : in(from), out(to), signals(sync), before{ pre, CUDLA_NVSCISYNC_FENCE },
          after{ eof, CUDLA_NVSCISYNC_FENCE }, waits{ &before, 1 }, events{ &signals, &after, 1 }
    {
        t = { module, &out, 1, 1, &in, pre ? &waits : nullptr, sync ? &events : nullptr };
    }
    task(const task &) = delete;

    cudlaStatus submit(cudaStream_t stream = nullptr, uint32_t flags = 0)
    {
        return cudlaSubmitTask(dla, &t, 1, stream, flags);
    }
};

#endif
