/* SPDX-License-Identifier: MIT */
/* Who cleans which cache when: the driver's side of managed memory on a Tegra.
 *
 * Managed memory is cached by the CPU and by the iGPU's L2 (CUDA for Tegra, Table 1), and the L2
 * does not see what the CPU does: coherency is one way at best (2.1). So software has to carry the
 * bytes over, and it is the driver, "during the kernel launch, synchronization and prefetching hint
 * calls" (3.1). A managed region is at any time in the CPU's hands or in the GPU's:
 *
 *                 CPU to GPU (launch, hint)               GPU to CPU (synchronise, hint)
 *   CPU caches    clean, so that DRAM has the bytes;      invalidate, or old bytes are read;
 *                 not where the SoC is I/O coherent       not where the SoC is I/O coherent: the
 *                 (cc >= 7.2): the port looks into        port invalidates what it overwrites
 *                 the CPU caches
 *   iGPU L2       invalidate, or old bytes are read;      clean, so that DRAM has the bytes
 *                 on every SoC but those whose CPU
 *                 accesses snoop the L2 (Thor)
 *
 * The L2 has no maintenance by address that a driver could use (nvgpu: whole-cache operations
 * only), so each L2 operation costs every buffer in it. An invalidate also drops dirty lines of
 * other buffers: it always follows a clean.
 *
 * Device memory is only touched through the L2, pinned memory never is in it: neither needs any of
 * this.
 *
 * Time: what a launch or a wait does to caches, the CPU waits for; a hint's work is done beside it,
 * on another core, until the next launch, copy or wait needs it ("can optimize the coherence
 * operations", 3.3; which core is inferred). On QNX hints gain nothing (3.3): managed.c leaves them
 * out.
 *
 * That a launch takes over all regions its stream may touch, and a synchronise gives back all
 * that no pending work may touch, is inferred: the note names the points, not the regions. */
#include "model/rules/port.h"
#include "runtime/driver/core/core.h"
#include "runtime/driver/core/cost.h"
#include "runtime/driver/device/board.h"
#include "runtime/driver/memory/region_internal.h"
#include "runtime/driver/stream/stream.h"
#include "runtime/hal/kinds.h"

static bool cpu_caches_need_help(void)
{
    return rules_driver_keeps_cpu_caches(board_profile());
}

/* Managed memory that the GPU does not cache is never in the L2: a discrete GPU's, with its pages
 * that migrate. */
static bool managed_needs_help(void)
{
    return coherency_l2_needs_help() &&
           hal_gpu_caching(board_profile(), HAL_MEM_MANAGED, false) == RULES_CACHED;
}

/* The CPU's half of "CPU to GPU". The L2's half is up to the caller: it has to come after this and
 * before the GPU's first access. */
static void coherency_take(struct region *r)
{
    if (cpu_caches_need_help()) {
        hal_cpu_clean(core_hal(), r->mem.cpu, r->mem.size);
    }
    r->gpu_owned = true;
}

/* The CPU's half of "GPU to CPU"; the L2 has been cleaned. */
static void give_back(struct region *r)
{
    if (cpu_caches_need_help()) {
        hal_cpu_invalidate(core_hal(), r->mem.cpu, r->mem.size);
    }
    r->gpu_owned = false;
}

static uint64_t
    hints_until; /* virtual time at which another core has done what hints want; 0: nothing */

/* A hint has done since @began what another core does. */
static void coherency_beside(uint64_t began)
{
    uint64_t ns = cost_now() - began;

    if (ns) {
        hal_time_advance(core_hal(), -(int64_t)ns);
        hints_until = MAX(hints_until, began) + ns;
    }
}

static void coherency_hints_wait(void)
{
    uint64_t now;

    if (hints_until) {
        now = cost_now();
        hal_time_advance(core_hal(), hints_until > now ? (int64_t)(hints_until - now) : 0);
        hints_until = 0;
    }
}

/* May work of this stream touch the region? (Programming Guide, managed memory visibility.) */
static bool coherency_visible(const struct region *r, const struct channel *ch)
{
    return r->attach == CU_MEM_ATTACH_GLOBAL ||
           (r->attach == CU_MEM_ATTACH_SINGLE && r->attach_channel == ch);
}

/* A kernel may touch whatever its stream can see: the driver does not know its accesses. If a host
 * function is still queued before the kernel, the CPU keeps ownership; hostop.c repeats this
 * transfer after the function has run. The L2 is invalidated in any case. */
bool coherency_before_kernel(struct channel *ch)
{
    bool moved = false;

    coherency_hints_wait();
    for (unsigned i = 0; i < region_managed_count(); i++) {
        struct region *r = region_managed_nth(i);

        if (!r->gpu_owned && coherency_visible(r, ch)) {
            coherency_take(r);
            moved = true;
        }
    }
    return managed_needs_help() && (moved || (region_managed_count() && channel_held(ch)));
}

/* A copy or fill touches what it names. */
bool coherency_before_access(struct channel *ch, struct region *r)
{
    if (!r || r->mem.kind != HAL_MEM_MANAGED || (r->gpu_owned && !channel_held(ch))) {
        return false;
    }
    coherency_hints_wait();
    if (!r->gpu_owned) {
        coherency_take(r);
    }
    return managed_needs_help();
}

/* In the channel, right before the work: when it runs is for the board to say. */
void coherency_push(struct push *p)
{
    push_mem_op(p, MEM_OP_L2_FLUSH_DIRTY);
    push_mem_op(p, MEM_OP_L2_SYSMEM_INVALIDATE);
}

/* The CPU has waited for some work: what no other work may touch is the CPU's again. */
void coherency_after_sync(void)
{
    bool cleaned = !managed_needs_help();

    coherency_hints_wait();
    for (unsigned i = 0; i < region_managed_count(); i++) {
        struct region *r = region_managed_nth(i);

        if (r->gpu_owned && !managed_pending(r)) {
            if (!cleaned) {
                coherency_l2_clean();
                cleaned = true;
            }
            give_back(r);
        }
    }
}

/* The hints of Table 2: the same, now instead of later. */
void coherency_to_cpu(struct region *r)
{
    uint64_t began = cost_now();

    if (r->gpu_owned) {
        if (managed_needs_help()) {
            coherency_l2_clean();
        }
        give_back(r);
        coherency_beside(began);
    }
}

void coherency_to_gpu(struct region *r)
{
    uint64_t began = cost_now();

    if (!r->gpu_owned) {
        coherency_take(r);
        if (managed_needs_help()) {
            coherency_l2_clean_invalidate();
        }
        coherency_beside(began);
    }
}
