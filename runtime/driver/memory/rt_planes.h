/* SPDX-License-Identifier: MIT */
/* Pictures in shared memory (rt_external.h) whose CPU caches the program maintains, not the driver,
 * plane by plane: what NvBufSurface stands on. Rules: those of rt_external.h.
 *
 * The CPU's mapping is cacheable. What the caches hold of a plane stays as it is until one of the
 * two synchronisations: stores do not reach an engine that does not look into the caches, and such
 * an engine's stores do not reach the CPU. From the mapping of a plane for reading on, and from
 * each synchronisation for the CPU on, the CPU's caches hold all of it (not under the policy
 * eager): a prefetcher may load any line at any time, and so a missing synchronisation shows in
 * each run. */
#ifndef RUNTIME_DRIVER_MEMORY_RT_PLANES_H
#define RUNTIME_DRIVER_MEMORY_RT_PLANES_H

#include "runtime/driver/memory/rt_external.h"

#define RT_PLANES 4u

/* Whole pages. */
struct rt_plane {
    uint64_t offset, bytes;
};

/* Memory that rt_shared_new() or rt_shared_import() gave has these. */
CUresult rt_planes_set(struct rt_shared *shared, const struct rt_plane *planes, unsigned n);
/* The CPU has it mapped from now on, or not any more. @reads: it may read. */
void rt_planes_map(struct rt_shared *shared, unsigned plane, bool mapped, bool reads);
/* Lines of the CPU's caches are dropped (what an engine wrote is there afterwards; stores of the
 * CPU that were not written back are lost), or written back. */
CUresult rt_planes_for_cpu(struct rt_shared *shared, unsigned plane);
CUresult rt_planes_for_device(struct rt_shared *shared, unsigned plane);

/* Any number of processes of the board may import it with @token, until rt_shared_unshare().
 * CUDA_ERROR_NOT_SUPPORTED: this board serves one process. */
CUresult rt_shared_share(struct rt_shared *shared, uint64_t token[2]);
void rt_shared_unshare(const uint64_t token[2]);

/* A call answered an error, @code and why; a call succeeded, and is a mistake. @api: constant text.
 */
void rt_planes_error(const char *api, const char *code, const char *why);
enum rt_planes_finding { RT_PLANES_MAPPED_TWICE, RT_PLANES_BLOCK_LINEAR };
void rt_planes_finding(enum rt_planes_finding what, const struct rt_shared *shared,
                       const char *text);

#endif
