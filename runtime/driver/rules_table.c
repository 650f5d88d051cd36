/* SPDX-License-Identifier: MIT */
/* What Tegra does not have. "Note" is NVIDIA's application note CUDA for Tegra. Data alone: the
 * driver answers with it, `vtegra soc show` prints it. */
#include "runtime/driver/rules.h"

#include <glib.h>
#include <string.h>

#include "model/profile.h"

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
    { "cuMemAdvise", RULE_NO_CONCURRENT_MANAGED, CUDA_ERROR_INVALID_DEVICE,
      "CUDA Driver API, cuMemAdvise", CHECK_MEASURED,
      "cudaMemAdvise() needs concurrent managed access (seen on a Nano: taichi-dev/taichi#377)",
      "test cudaDevAttrConcurrentManagedAccess before advising" },
    { "cuMemAllocManaged", RULE_NO_MANAGED, CUDA_ERROR_NOT_SUPPORTED,
      "CUDA Driver API, cuMemAllocManaged", CHECK_DOCUMENTED, "managedMemory is 0 on this device",
      "use cudaHostAlloc()" },
    { "cuIpc*", RULE_ALWAYS, CUDA_ERROR_NOT_SUPPORTED, "CUDA for Tegra 3.6", CHECK_DOCUMENTED,
      "CUDA IPC is not supported on Tegra", "share buffers through NvSciBuf or EGLStream, events through NvSciSync" },
    { "cuEventCreate:interprocess", RULE_ALWAYS, CUDA_ERROR_NOT_SUPPORTED, "CUDA for Tegra 3.6",
      CHECK_DOCUMENTED, "CUDA IPC is not supported on Tegra",
      "synchronise processes through NvSciSync" },
    { "cuCtxEnablePeerAccess", RULE_ALWAYS, CUDA_ERROR_PEER_ACCESS_UNSUPPORTED,
      "CUDA for Tegra 3.6", CHECK_DOCUMENTED, "peer to peer calls are not supported on Tegra",
      "test cudaDeviceCanAccessPeer() first" },
    { "cuCtxDisablePeerAccess", RULE_ALWAYS, CUDA_ERROR_PEER_ACCESS_NOT_ENABLED,
      "CUDA for Tegra 3.6", CHECK_DOCUMENTED, "peer to peer calls are not supported on Tegra",
      "drop the call" },
    { "cuDeviceGetP2PAttribute", RULE_ALWAYS, CUDA_ERROR_INVALID_DEVICE, "CUDA for Tegra 3.6",
      CHECK_DOCUMENTED, "there is one device, so no pair of peers", "drop the call" },
    { "cuFlushGPUDirectRDMAWrites", RULE_ALWAYS, CUDA_ERROR_NOT_SUPPORTED, "CUDA for Tegra 3.6",
      CHECK_DOCUMENTED, "RDMA is not supported on Tegra", "drop the call" },
    { "cuMemAllocAsync", RULE_NO_POOLS, CUDA_ERROR_NOT_SUPPORTED,
      "CUDA Driver API, cuMemAllocAsync", CHECK_DOCUMENTED,
      "memoryPoolsSupported is 0 on this device", "use cudaMalloc() outside the loop" },
    { "cuLaunchCooperativeKernel", RULE_NO_COOPERATIVE, CUDA_ERROR_NOT_SUPPORTED,
      "CUDA Driver API, cuLaunchCooperativeKernel", CHECK_DOCUMENTED,
      "cooperativeLaunch is 0 on this device", "split the kernel at its grid barrier" },
    { "cuStreamBeginCapture*", RULE_ALWAYS, CUDA_ERROR_NOT_SUPPORTED, "vtegra", CHECK_INFERRED,
      "vtegra has no graphs yet; a board has", "launch the work directly" },
    { "cuGraph*", RULE_ALWAYS, CUDA_ERROR_NOT_SUPPORTED, "vtegra", CHECK_INFERRED,
      "vtegra has no graphs yet; a board has", "launch the work directly" },
};
const size_t rule_count = G_N_ELEMENTS(rule_table);

bool rule_holds(const struct rule *rule, const struct soc_profile *p, const char *os)
{
    switch (rule->condition) {
    case RULE_ALWAYS:
        return true;
    case RULE_NOT_IO_COHERENT:
        return !p->soc.io_coherent;
    case RULE_QNX:
        return strcmp(os, "qnx") == 0;
    case RULE_NO_CONCURRENT_MANAGED:
        return !p->gpu.concurrent_managed_access;
    case RULE_NO_MANAGED:
        return !p->gpu.managed_memory;
    case RULE_NO_POOLS:
        return !p->gpu.memory_pools;
    case RULE_NO_COOPERATIVE:
        return !p->gpu.cooperative_launch;
    case RULE_NO_HOST_REGISTER:
        return !p->gpu.host_register_supported;
    }
    return false;
}
