/* SPDX-License-Identifier: MIT */
#include "tools/soc_rules.h"

#include <glib.h>
#include <string.h>

static const char *cached(const struct soc_profile *p)
{
    (void)p;
    return "cached";
}

static const char *uncached(const struct soc_profile *p)
{
    (void)p;
    return "uncached";
}

static const char *not_accessible(const struct soc_profile *p)
{
    (void)p;
    return "not directly accessible";
}

static const char *pinned_cpu(const struct soc_profile *p)
{
    return p->soc.io_coherent ? "cached (cc >= 7.2)" : "uncached (cc < 7.2)";
}

static const char *managed_cpu(const struct soc_profile *p)
{
    return p->gpu.concurrent_managed_access ? "cached, also while the GPU works"
                                            : "cached, not while the GPU works";
}

static const char *pageable_igpu(const struct soc_profile *p)
{
    return p->gpu.pageable_memory_access ? "cached (host page tables)" : not_accessible(p);
}

const struct soc_memory soc_memory[] = {
    { "device memory", not_accessible, cached },
    { "pageable host memory", cached, pageable_igpu },
    { "pinned host memory", pinned_cpu, uncached },
    { "unified memory", managed_cpu, cached },
};
const size_t soc_memory_count = G_N_ELEMENTS(soc_memory);

static bool always(const struct soc_profile *p)
{
    (void)p;
    return true;
}

static bool no_host_register(const struct soc_profile *p)
{
    return !p->gpu.host_register_supported;
}

static bool has_qnx(const struct soc_profile *p)
{
    return strstr(p->soc.os, "qnx") != NULL;
}

static bool has_qnx_and_register(const struct soc_profile *p)
{
    return has_qnx(p) && p->gpu.host_register_supported;
}

static bool no_system_atomics(const struct soc_profile *p)
{
    return !p->rules.system_atomics;
}

static bool uncached_pinned(const struct soc_profile *p)
{
    return !p->soc.io_coherent;
}

static bool no_concurrent_access(const struct soc_profile *p)
{
    return !p->gpu.concurrent_managed_access;
}

static bool not_thor(const struct soc_profile *p)
{
    return !p->rules.cpu_snoops_l2;
}

const struct soc_rule soc_rules[] = {
    { "cudaHostRegister", "needs I/O coherency (cc 7.2 and up)", "2.1, 3.2", no_host_register },
    { "cudaHostRegister on QNX", "a limit of the system", "3.6", has_qnx_and_register },
    { "system-scope atomics", "need cc 7.2 and up", "3.6", no_system_atomics },
    { "GNU atomics on pinned memory", "the CPU's exclusives do not work on uncached memory", "3.2",
      uncached_pinned },
    { "cudaMemPrefetchAsync, cudaMemAdvise", "no concurrent access to unified memory", "3.6",
      no_concurrent_access },
    { "CPU touch of active unified memory", "the driver protects it until a synchronisation",
      "Programming Guide, coherency and concurrency", no_concurrent_access },
    { "CUDA IPC", "EGLStream or NvSci instead", "3.6", always },
    { "peer-to-peer", "one GPU, one memory", "3.6", always },
    { "NVML", "not on Tegra; tegrastats instead", "3.6", not_thor },
    { "MPS", "not on Tegra", "3.6", not_thor },
    { "RDMA", "editions of the note differ (Linux only, or not at all)", "3.6", always },
    { "prefetch by attach hints on QNX", "accepted, without benefit", "3.3", has_qnx },
};
const size_t soc_rule_count = G_N_ELEMENTS(soc_rules);
