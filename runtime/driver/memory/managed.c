/* SPDX-License-Identifier: MIT */
/* Managed memory: who it is attached to, what the hints do (Table 2), and when the CPU is kept out.
 *
 * Where concurrentManagedAccess is 0 the CPU may not touch managed memory while the GPU is active
 * (Programming Guide, "GPU exclusive access to managed memory"): from a launch until a
 * synchronisation that covers it, whether or not the kernel has really run.
 *
 *   attached    closed to the CPU while
 *   Global      any kernel has been launched and not been waited for
 *   Single      its stream has any work that has not been waited for
 *   Host        never; and the GPU has no mapping
 *
 * A copy or fill keeps just the memory that it names. */
#include "runtime/driver/core/channel.h"
#include "runtime/driver/core/core.h"
#include "runtime/driver/core/fence.h"
#include "runtime/driver/device/board.h"
#include "runtime/driver/device/context.h"
#include "runtime/driver/memory/pending.h"
#include "runtime/driver/memory/region_internal.h"

#include <string.h>

static bool managed_exclusive(void)
{
    return !board_profile()->gpu.concurrent_managed_access;
}

static bool pending(const struct channel *ch, struct fence work)
{
    return work.id && !context_error(channel_context(ch)) && !fence_waited(work);
}

static struct channel *kernel_pending(void)
{
    for (unsigned i = 0; i < channel_count(); i++) {
        struct channel *ch = channel_nth(i);

        if (pending(ch, channel_kernel(ch))) {
            return ch;
        }
    }
    return NULL;
}

static bool use_pending(struct region *r)
{
    for (guint i = r->uses ? r->uses->len : 0; i > 0; i--) {
        if (fence_waited(g_array_index(r->uses, struct fence, i - 1))) {
            g_array_remove_index_fast(r->uses, i - 1);
        }
    }
    return r->uses && r->uses->len;
}

/* Work that may touch the region has not been waited for. */
bool managed_pending(struct region *r)
{
    if (r->attach == CU_MEM_ATTACH_HOST) {
        return false;
    }
    if (use_pending(r)) {
        return true;
    }
    if (r->attach == CU_MEM_ATTACH_SINGLE) {
        return r->attach_channel && pending(r->attach_channel, channel_work(r->attach_channel));
    }
    return kernel_pending() != NULL;
}

static const struct channel *fence_channel(struct fence f)
{
    for (unsigned i = 0; i < channel_count(); i++) {
        const struct channel *ch = channel_nth(i);

        if (channel_submitted(ch, f)) {
            return ch;
        }
    }
    return NULL; /* its stream was destroyed */
}

static struct keeper keeper_of(const struct channel *ch)
{
    bool kernel = pending(ch, channel_kernel(ch));

    return (struct keeper){ kernel ? channel_kernel(ch) : channel_work(ch),
                            kernel ? channel_grid(ch) : 0, channel_ordinal(ch) };
}

/* What keeps a closed region closed: a kernel if there is one. */
static struct keeper keeper_find(const struct region *r, const struct channel *kernel)
{
    const struct channel *ch = r->attach == CU_MEM_ATTACH_GLOBAL ? kernel : r->attach_channel;
    struct fence use;

    if (ch && pending(ch, channel_work(ch))) {
        return keeper_of(ch);
    }
    use = r->uses && r->uses->len ? g_array_index(r->uses, struct fence, 0) : (struct fence){ 0 };
    ch = fence_channel(use);
    return (struct keeper){ use, 0, ch ? channel_ordinal(ch) : 0 };
}

static bool keeper_pending(const struct keeper *k)
{
    const struct channel *ch = fence_channel(k->fence);

    return ch && pending(ch, k->fence);
}

/* The report is to name work that the CPU has not waited for: what closed the region first, until
 * that is over. */
static void keeper_report(struct region *r, const struct channel *kernel)
{
    if (!r->closed) {
        check_managed_state(core_check(), r->mem.id, false, 0, 0);
        r->keeper = (struct keeper){ 0 };
        return;
    }
    if (!keeper_pending(&r->keeper)) {
        r->keeper = keeper_find(r, kernel);
        check_managed_state(core_check(), r->mem.id, true, r->keeper.grid_id, r->keeper.stream);
    }
}

void managed_update(void)
{
    const struct channel *kernel =
        region_managed_count() && managed_exclusive() ? kernel_pending() : NULL;

    for (unsigned i = 0; i < region_managed_count() && managed_exclusive(); i++) {
        struct region *r = region_managed_nth(i);
        bool close = (r->attach == CU_MEM_ATTACH_GLOBAL && kernel) || managed_pending(r);
        bool news = close != r->closed;

        if (news) {
            r->closed = close;
            pending_managed_closes(r);
            hal_mem_protect(core_hal(), &r->mem, 0, r->mem.size,
                            close ? HAL_PROT_NONE : HAL_PROT_WRITE);
        }
        if (news || close) {
            keeper_report(r, kernel);
        }
    }
}

/* Something was just submitted to @ch. */
void managed_work(struct channel *ch, bool kernel, uint32_t grid_id)
{
    if (channel_mark(ch, kernel, grid_id)) {
        managed_update();
    }
}

/* A copy or fill that names the region was submitted. */
void managed_used(struct region *r, struct fence fence)
{
    if (r && r->mem.kind == HAL_MEM_MANAGED) {
        clock_add(&r->uses, fence);
        managed_update();
    }
}

bool managed_gpu_may_use(const struct region *r)
{
    return r->mem.kind != HAL_MEM_MANAGED || r->attach != CU_MEM_ATTACH_HOST ||
           !managed_exclusive();
}

/* What an attachment changes at once: state, GPU mapping, and the maintenance that Table 2 calls a
 * prefetch. On QNX the hint brings nothing (note 3.3): launch and synchronise do the work then. */
void managed_attach(struct region *r, unsigned attach, struct channel *ch)
{
    bool was_host = r->attach == CU_MEM_ATTACH_HOST;
    bool hints = strcmp(board_system(), "qnx") != 0;
    bool mapped = managed_gpu_may_use(r), closed = r->closed;

    r->attach = attach;
    r->attach_channel = attach == CU_MEM_ATTACH_SINGLE ? ch : NULL;
    for (unsigned i = 0; i < context_count() && mapped != managed_gpu_may_use(r); i++) {
        if (mapped) {
            as_unmap(context_nth(i), &r->mem);
        } else {
            as_map(context_nth(i), &r->mem, false);
        }
    }
    if (hints && managed_exclusive() && !was_host && attach == CU_MEM_ATTACH_HOST) {
        coherency_to_cpu(r);
    } else if (hints && managed_exclusive() && was_host && attach != CU_MEM_ATTACH_HOST) {
        coherency_to_gpu(r);
    }
    managed_update();
    if (closed && !r->closed) {
        pending_managed_opens(r);
    }
}

/* The stream is gone: back to what the allocation began with (cuStreamAttachMemAsync). */
void managed_stream_gone(struct channel *ch)
{
    for (unsigned i = 0; i < region_managed_count(); i++) {
        struct region *r = region_managed_nth(i);

        if (r->attach_channel == ch) {
            managed_attach(r, r->attach_first, NULL);
        }
    }
}
