/* SPDX-License-Identifier: MIT */
/* What the report says of a fault where its kind alone decides. */
#include "runtime/driver/module/fault_text.h"

#include "runtime/driver/device/context.h"
#include "runtime/driver/device/devices.h"
#include "runtime/driver/memory/virtual.h"

const char *fault_mbarrier_rule(const struct chan_error *e)
{
    static const char *const text[] = { [CHAN_REASON_NONE] = NULL,
#define X(name, said) [CHAN_REASON_##name] = (said),
                                        CHAN_REASONS(X)
#undef X
    };

    return e->reason >= CHAN_REASON_MBARRIER_ABSENT && e->reason < G_N_ELEMENTS(text)
               ? text[e->reason]
               : NULL;
}

bool fault_lanes(const struct chan_error *e)
{
    return e->reason >= CHAN_REASON_WAIT_BAR_WARP && e->reason <= CHAN_REASON_WAIT_MATRIX;
}

/* What to do, where the kind of the fault says it; an address is for the report to explain. */
const char *fault_todo(const struct chan_error *e, const struct region *r)
{
    switch (e->kind) {
    case CHAN_ERROR_MMU:
        return r && !managed_gpu_may_use(r)
                   ? "Attach it with cudaStreamAttachMemAsync(..., cudaMemAttachGlobal) before the "
                     "launch." FAULT_LOST
                   : NULL;
    case CHAN_ERROR_MISALIGNED:
        return "Align the address to the size of the access: a pointer that was cast to a wider "
               "type, or an odd offset into a buffer of bytes." FAULT_LOST;
    case CHAN_ERROR_ATOMIC:
        return "Use atomics of device scope (atomicAdd() in place of atomicAdd_system()) and let "
               "the CPU "
               "read after a synchronisation, or a SoC of compute capability 7.2 and "
               "up." FAULT_LOST;
    case CHAN_ERROR_STACK:
        return "Bound the recursion, or raise cudaLimitStackSize." FAULT_LOST;
    case CHAN_ERROR_SHARED_RANGE:
        return "Compare the index with the size of the __shared__ array, and the third launch "
               "argument with what the kernel uses of dynamic shared memory." FAULT_LOST;
    case CHAN_ERROR_LOCAL_RANGE:
        return "Compare the index with the size of the array that the kernel declares." FAULT_LOST;
    case CHAN_ERROR_MBARRIER:
        return e->reason == CHAN_REASON_MBARRIER_ABSENT
                   ? "Initialise it once, by one thread, and let the others wait (__syncthreads()) "
                     "before they use it; nothing else may be stored over its 8 bytes." FAULT_LOST
                   : "Compare the count of mbarrier.init, or of init(&barrier, n), with the "
                     "arrivals of each phase." FAULT_LOST;
    case CHAN_ERROR_BARRIER:
        if (e->reason == CHAN_REASON_MBARRIER_WAIT) {
            return "Compare the count of mbarrier.init, or of init(&barrier, n), with the threads "
                   "that arrive, and the phase that the thread waits for." FAULT_LOST;
        }
        if (fault_lanes(e)) {
            return "Let all lanes that the membermask names reach the same instruction: move it "
                   "out of the branch, or give it a mask of the lanes that take the branch "
                   "(__ballot_sync() of the condition, before it)." FAULT_LOST;
        }
        return "Let every thread of the block reach the same __syncthreads(): move it out of the "
               "branch, and let no thread return before it." FAULT_LOST;
    case CHAN_ERROR_FREE:
        return "Free in kernels once, and only what malloc() or new gave in a kernel: memory of "
               "cudaMalloc() belongs to cudaFree()." FAULT_LOST;
    case CHAN_ERROR_ASSERT:
        return "The condition is printed above with the thread it failed in; look at what the "
               "kernel was "
               "given." FAULT_LOST;
    case CHAN_ERROR_TRAP:
        return "The kernel ended itself (__trap(), or the compiler's mark for code that cannot be "
               "reached): look at the condition before that line." FAULT_LOST;
    default:
        return NULL;
    }
}

const char *fault_elsewhere(const struct context *context, const struct region *r, uint64_t va,
                            const struct check_rule **rule)
{
    const struct device *device = context_device(context);

    *rule = NULL;
    if (!r || va - region_address(r) >= region_bytes(r)) {
        return NULL;
    }
    if (region_kind(r) == HAL_MEM_MANAGED && !device_profile(device)->gpu.managed_memory) {
        *rule = &check_rules[CHECK_RULE_MANAGED_ON_DGPU];
        return "managed memory, which this GPU does not support (CUDA for Tegra, Table 1)";
    }
    if (!hal_mem_is_device(region_kind(r))) {
        return NULL;
    }
    if (region_elsewhere(r, device)) {
        *rule = &check_rules[CHECK_RULE_OTHER_GPU_MEMORY];
        return "device memory of another GPU, which is no peer (CUDA for Tegra 3.6)";
    }
    return "device memory of another context";
}

void fault_elsewhere_report(const struct context *context, const struct chan_error *e,
                            struct check_fault *fault)
{
    const struct check_rule *rule = NULL;

    if (e->kind == CHAN_ERROR_MMU) {
        fault_elsewhere(context, region_at(e->va), e->va, &rule);
    }
    if (rule) {
        fault->rule = rule->name;
        fault->standing = rule->standing;
        fault->section = rule->section;
        fault->todo = rule->todo;
    }
}

void fault_reserved_report(const struct chan_error *e, struct check_fault *fault)
{
    const char *why = e->kind == CHAN_ERROR_MMU ? virtual_fault(e->va) : NULL;

    if (why) {
        fault->place = why;
        fault->standing = CHECK_DOCUMENTED;
        fault->section = "CUDA Driver API, virtual memory management";
        fault->todo = "Map the memory and give access to it before the first kernel that uses it, "
                      "and unmap it "
                      "after the last one has ended." FAULT_LOST;
    }
}
