/* SPDX-License-Identifier: MIT */
/* What Tegra does not have. "Note" is NVIDIA's application note CUDA for Tegra. Data alone: the
 * driver answers with it, `vtegra soc show` prints it. */
#include "runtime/driver/core/rules.h"

#include <glib.h>
#include <string.h>

#include "model/profile.h"
#include "model/rules/features.h"
#include "model/rules/port.h"

const struct rule rule_table[] = {
    { "cuMemHostRegister", RULE_NOT_IO_COHERENT, CUDA_ERROR_NOT_SUPPORTED,
      "CUDA for Tegra 2.1, 3.2, 3.6", CHECK_DOCUMENTED,
      "registering host memory needs I/O coherency, which starts with compute capability 7.2",
      "allocate the buffer with cudaHostAlloc() or cudaMallocManaged(), or ask for "
      "cudaDevAttrHostRegisterSupported first" },
    { "cuMemHostRegister", RULE_QNX, CUDA_ERROR_NOT_SUPPORTED, "CUDA for Tegra 3.6",
      CHECK_DOCUMENTED, "QNX does not allow registering host memory",
      "allocate the buffer with cudaHostAlloc()" },
    { "cuMemHostRegister", RULE_NO_HOST_REGISTER, CUDA_ERROR_NOT_SUPPORTED, "CUDA for Tegra 2.1",
      CHECK_DOCUMENTED, "hostRegisterSupported is 0 on this device",
      "allocate the buffer with cudaHostAlloc()" },
    { "cuMemHostUnregister", RULE_NOT_IO_COHERENT, CUDA_ERROR_NOT_SUPPORTED, "CUDA for Tegra 3.6",
      CHECK_INFERRED, "nothing can have been registered on this device", "drop the call" },
    { "cuMemHostUnregister", RULE_QNX, CUDA_ERROR_NOT_SUPPORTED, "CUDA for Tegra 3.6",
      CHECK_INFERRED, "nothing can have been registered on QNX", "drop the call" },
    /* The code: a device without concurrent managed access is no valid target (driver reference,
     * cuMemPrefetchAsync); seen on Xavier by rapidsai/cudf#1360 and on Nano by taichi#377. */
    { "cuMemPrefetchAsync", RULE_NO_CONCURRENT_MANAGED, CUDA_ERROR_INVALID_DEVICE,
      "CUDA for Tegra 3.3, 3.6", CHECK_DOCUMENTED,
      "cudaMemPrefetchAsync() does not exist on an iGPU without concurrent managed access",
      "hint with cudaStreamAttachMemAsync() (Table 2), and test "
      "cudaDevAttrConcurrentManagedAccess before prefetching" },
    { "cuMemPrefetchBatchAsync", RULE_NO_CONCURRENT_MANAGED, CUDA_ERROR_INVALID_DEVICE,
      "CUDA for Tegra 3.3, 3.6", CHECK_INFERRED, "as cudaMemPrefetchAsync()",
      "hint with cudaStreamAttachMemAsync() (Table 2)" },
    { "cuMemDiscardBatchAsync", RULE_NO_CONCURRENT_MANAGED, CUDA_ERROR_INVALID_DEVICE,
      "CUDA Driver API, cuMemDiscardBatchAsync", CHECK_INFERRED,
      "cudaMemDiscardBatchAsync() needs concurrent managed access (the code is that of a prefetch)",
      "test cudaDevAttrConcurrentManagedAccess before discarding" },
    { "cuMemDiscardAndPrefetchBatchAsync", RULE_NO_CONCURRENT_MANAGED, CUDA_ERROR_INVALID_DEVICE,
      "CUDA Driver API, cuMemDiscardAndPrefetchBatchAsync", CHECK_INFERRED,
      "cudaMemDiscardAndPrefetchBatchAsync() needs concurrent managed access (the code is that of a "
      "prefetch)",
      "test cudaDevAttrConcurrentManagedAccess before discarding" },
    { "cuMemAdvise", RULE_NO_CONCURRENT_MANAGED, CUDA_ERROR_INVALID_DEVICE,
      "CUDA Driver API, cuMemAdvise", CHECK_MEASURED,
      "cudaMemAdvise() needs concurrent managed access (seen on a Nano: taichi-dev/taichi#377)",
      "test cudaDevAttrConcurrentManagedAccess before advising" },
    { "cuMemAllocManaged", RULE_NO_MANAGED, CUDA_ERROR_NOT_SUPPORTED,
      "CUDA Driver API, cuMemAllocManaged", CHECK_DOCUMENTED, "managedMemory is 0 on this device",
      "use cudaHostAlloc()" },
    { "cuIpcGetMemHandle", RULE_NO_MEMORY_IPC, CUDA_ERROR_NOT_SUPPORTED, "CUDA for Tegra 3.6",
      CHECK_DOCUMENTED, "CUDA IPC of memory is not supported on Tegra but for Jetson Thor, since CUDA 13.0",
      "share buffers through NvSciBuf or EGLStream" },
    { "cuIpcOpenMemHandle*", RULE_NO_MEMORY_IPC, CUDA_ERROR_NOT_SUPPORTED, "CUDA for Tegra 3.6",
      CHECK_DOCUMENTED, "CUDA IPC of memory is not supported on Tegra but for Jetson Thor, since CUDA 13.0",
      "share buffers through NvSciBuf or EGLStream" },
    { "cuIpcCloseMemHandle", RULE_NO_MEMORY_IPC, CUDA_ERROR_NOT_SUPPORTED, "CUDA for Tegra 3.6",
      CHECK_DOCUMENTED, "CUDA IPC of memory is not supported on Tegra but for Jetson Thor, since CUDA 13.0",
      "share buffers through NvSciBuf or EGLStream" },
    { "cuIpcGetEventHandle", RULE_NO_EVENT_IPC, CUDA_ERROR_NOT_SUPPORTED, "CUDA for Tegra 3.6",
      CHECK_DOCUMENTED, "CUDA IPC is not supported on Tegra; events only on Linux from cc 7.x on, since CUDA 11.5",
      "synchronise processes through NvSciSync" },
    { "cuIpcOpenEventHandle", RULE_NO_EVENT_IPC, CUDA_ERROR_NOT_SUPPORTED, "CUDA for Tegra 3.6",
      CHECK_DOCUMENTED, "CUDA IPC is not supported on Tegra; events only on Linux from cc 7.x on, since CUDA 11.5",
      "synchronise processes through NvSciSync" },
    { "cuEventCreate:interprocess", RULE_NO_EVENT_IPC, CUDA_ERROR_NOT_SUPPORTED, "CUDA for Tegra 3.6",
      CHECK_DOCUMENTED, "CUDA IPC is not supported on Tegra; events only on Linux from cc 7.x on, since CUDA 11.5",
      "synchronise processes through NvSciSync" },
    { "cuMemExportToShareableHandle", RULE_NO_SHAREABLE, CUDA_ERROR_NOT_SUPPORTED, "CUDA for Tegra 3.6",
      CHECK_INFERRED, "memory is shared by descriptor since CUDA 11.5; this edition names EGLStream and NvSci alone",
      "share buffers through NvSciBuf or EGLStream, or run with --edition 11.8 or newer" },
    { "cuMemImportFromShareableHandle", RULE_NO_SHAREABLE, CUDA_ERROR_NOT_SUPPORTED, "CUDA for Tegra 3.6",
      CHECK_INFERRED, "memory is shared by descriptor since CUDA 11.5; this edition names EGLStream and NvSci alone",
      "share buffers through NvSciBuf or EGLStream, or run with --edition 11.8 or newer" },
    { "cuIpc*", RULE_OWN_BOARD, CUDA_ERROR_NOT_SUPPORTED, "vtegra",
      CHECK_INFERRED, "this process has a board of its own, and CUDA IPC is for those that share one",
      "give all processes one board: vtegra run --shared, or --board SOCKET for each" },
    { "cuEventCreate:interprocess", RULE_OWN_BOARD, CUDA_ERROR_NOT_SUPPORTED, "vtegra",
      CHECK_INFERRED, "this process has a board of its own, and CUDA IPC is for those that share one",
      "give all processes one board: vtegra run --shared, or --board SOCKET for each" },
    { "cuCtxEnablePeerAccess", RULE_ALWAYS, CUDA_ERROR_PEER_ACCESS_UNSUPPORTED,
      "CUDA for Tegra 3.6", CHECK_DOCUMENTED, "peer to peer calls are not supported on Tegra",
      "test cudaDeviceCanAccessPeer() first" },
    { "cuCtxDisablePeerAccess", RULE_ALWAYS, CUDA_ERROR_PEER_ACCESS_NOT_ENABLED,
      "CUDA for Tegra 3.6", CHECK_DOCUMENTED, "peer to peer calls are not supported on Tegra",
      "drop the call" },
    { "cuDeviceGetP2PAttribute", RULE_ALWAYS, CUDA_ERROR_INVALID_DEVICE, "CUDA for Tegra 3.6",
      CHECK_DOCUMENTED, "there is one device, so no pair of peers", "drop the call" },
    { "cuFlushGPUDirectRDMAWrites", RULE_NO_RDMA, CUDA_ERROR_NOT_SUPPORTED, "CUDA for Tegra 3.6",
      CHECK_DOCUMENTED, "RDMA is not supported here",
      "drop the call" },
    { "cuFlushGPUDirectRDMAWrites", RULE_ALWAYS, CUDA_ERROR_NOT_SUPPORTED, "vtegra",
      CHECK_INFERRED, "this edition has RDMA here; vtegra does not",
      "drop the call" },
    { "cuMemAllocAsync", RULE_NO_POOLS, CUDA_ERROR_NOT_SUPPORTED,
      "CUDA Driver API, cuMemAllocAsync", CHECK_DOCUMENTED,
      "memoryPoolsSupported is 0 on this device", "use cudaMalloc() outside the loop" },
    { "cuMemAddressReserve", RULE_NO_VIRTUAL, CUDA_ERROR_NOT_SUPPORTED,
      "CUDA Driver API, virtual memory management", CHECK_DOCUMENTED,
      "virtualMemoryManagementSupported is 0 on this device", "use cudaMalloc()" },
    { "cuMemCreate", RULE_NO_VIRTUAL, CUDA_ERROR_NOT_SUPPORTED,
      "CUDA Driver API, virtual memory management", CHECK_DOCUMENTED,
      "virtualMemoryManagementSupported is 0 on this device", "use cudaMalloc()" },
    { "cuMemGetAllocationGranularity", RULE_NO_VIRTUAL, CUDA_ERROR_NOT_SUPPORTED,
      "CUDA Driver API, virtual memory management", CHECK_DOCUMENTED,
      "virtualMemoryManagementSupported is 0 on this device", "use cudaMalloc()" },
    { "cuLaunchCooperativeKernel", RULE_NO_COOPERATIVE, CUDA_ERROR_NOT_SUPPORTED,
      "CUDA Driver API, cuLaunchCooperativeKernel", CHECK_DOCUMENTED,
      "cooperativeLaunch is 0 on this device", "split the kernel at its grid barrier" },
    { "cuImportExternalMemory", RULE_NOT_IO_COHERENT, CUDA_ERROR_NOT_SUPPORTED,
      "Sharing CUDA Resources Through Interoperability with NvSciBuf and NvSciSync",
      CHECK_DOCUMENTED, "NvSciBuf in CUDA starts with Volta: Xavier is the first Tegra with it",
      "share frames through EGLStream, or run with --soc xavier or later" },
    { "cuImportExternalSemaphore", RULE_NOT_IO_COHERENT, CUDA_ERROR_NOT_SUPPORTED,
      "Sharing CUDA Resources Through Interoperability with NvSciBuf and NvSciSync",
      CHECK_DOCUMENTED, "NvSciSync in CUDA starts with Volta: Xavier is the first Tegra with it",
      "synchronise with EGLStream or EGLSync, or run with --soc xavier or later" },
    { "cuDeviceGetNvSciSyncAttributes", RULE_NOT_IO_COHERENT, CUDA_ERROR_NOT_SUPPORTED,
      "Sharing CUDA Resources Through Interoperability with NvSciBuf and NvSciSync",
      CHECK_DOCUMENTED, "NvSciSync in CUDA starts with Volta: Xavier is the first Tegra with it",
      "synchronise with EGLStream or EGLSync, or run with --soc xavier or later" },
    /* The note says "only on Tegra" and names no code. */
    { "cuGraphicsEGLRegisterImage", RULE_DISCRETE, CUDA_ERROR_NOT_SUPPORTED, "CUDA for Tegra 5.2.1",
      CHECK_DOCUMENTED, "EGLImages are shared with CUDA on Tegra alone, not with a discrete GPU",
      "register the texture with cudaGraphicsGLRegisterImage()" },
    { "cuEventCreateFromEGLSync", RULE_DISCRETE, CUDA_ERROR_NOT_SUPPORTED, "CUDA for Tegra 5.3.1",
      CHECK_DOCUMENTED, "EGLSync and CUDA events go together on Tegra alone, not on a discrete GPU",
      "wait with glFinish(), or map a resource of cudaGraphicsGLRegisterImage()" },
    { "eglCreateSync", RULE_DISCRETE, CUDA_ERROR_NOT_SUPPORTED, "CUDA for Tegra 5.3.1",
      CHECK_DOCUMENTED, "EGL_SYNC_CUDA_EVENT_NV is of Tegra alone, not of a discrete GPU",
      "wait with cudaEventSynchronize()" },
};
const size_t rule_count = G_N_ELEMENTS(rule_table);

static bool rules_table_lacks(const struct soc_profile *p, const char *os, enum rules_feature feature)
{
    struct rules_facts facts = rules_facts_of(p);

    facts.os = rules_os_find(os);
    return !rules_support(&facts, feature)->there;
}

bool rule_holds(const struct rule *rule, const struct soc_profile *p, const char *os)
{
    switch (rule->condition) {
    case RULE_ALWAYS:
    case RULE_OWN_BOARD: /* the driver knows better */
        return true;
    case RULE_NOT_IO_COHERENT:
        return !rules_port_snoops(p, BUS_AGENT_IGPU);
    case RULE_QNX:
        return strcmp(os, "qnx") == 0;
    case RULE_NO_CONCURRENT_MANAGED:
        return !p->gpu.concurrent_managed_access;
    case RULE_DISCRETE:
        return soc_profile_discrete(p);
    case RULE_NO_MANAGED:
        return !p->gpu.managed_memory;
    case RULE_NO_POOLS:
        return !p->gpu.memory_pools;
    case RULE_NO_VIRTUAL:
        return !p->gpu.virtual_memory_management;
    case RULE_NO_COOPERATIVE:
        return !p->gpu.cooperative_launch;
    case RULE_NO_HOST_REGISTER:
        return !p->gpu.host_register_supported;
    case RULE_NO_EVENT_IPC:
        return rules_table_lacks(p, os, RULES_FEATURE_EVENT_IPC);
    case RULE_NO_MEMORY_IPC:
        return rules_table_lacks(p, os, RULES_FEATURE_MEMORY_IPC);
    case RULE_NO_SHAREABLE:
        return rules_table_lacks(p, os, RULES_FEATURE_SHAREABLE_HANDLES);
    case RULE_NO_RDMA:
        return rules_table_lacks(p, os, RULES_FEATURE_RDMA);
    }
    return false;
}
