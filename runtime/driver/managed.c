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
#include "runtime/driver/core.h"
#include "runtime/driver/rt_memory.h"

#include <string.h>

static bool exclusive(void)
{
    return !core.profile->gpu.concurrent_managed_access;
}

static bool mark_pending(const struct channel *ch, uint32_t mark)
{
    return mark != ch->start && !ch->context->error &&
           !clock_has(core.synced, (struct fence){ ch->syncpt, mark });
}

static struct channel *kernel_pending(void)
{
    for (guint i = 0; i < core.channels->len; i++) {
        struct channel *ch = g_ptr_array_index(core.channels, i);

        if (mark_pending(ch, ch->kernel_mark)) {
            return ch;
        }
    }
    return NULL;
}

static bool use_pending(struct region *r)
{
    for (guint i = r->uses ? r->uses->len : 0; i > 0; i--) {
        if (clock_has(core.synced, g_array_index(r->uses, struct fence, i - 1))) {
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
        return r->attach_channel && mark_pending(r->attach_channel, r->attach_channel->work_mark);
    }
    return kernel_pending() != NULL;
}

void managed_update(void)
{
    const struct channel *kernel = core.managed->len && exclusive() ? kernel_pending() : NULL;

    for (guint i = 0; i < core.managed->len && exclusive(); i++) {
        struct region *r = g_ptr_array_index(core.managed, i);
        bool global = r->attach == CU_MEM_ATTACH_GLOBAL;
        bool close = (global && kernel) || managed_pending(r);
        const struct channel *why = global ? kernel : r->attach_channel;

        if (close == r->closed) {
            continue;
        }
        r->closed = close;
        hal_mem_protect(core.hal, &r->mem, 0, r->mem.size, close ? HAL_PROT_NONE : HAL_PROT_WRITE);
        check_managed_state(core.check, r->mem.id, close && why ? why->grid_id : 0,
                            why ? why->ordinal : 0);
    }
}

/* Something was just submitted to @ch. */
void managed_work(struct channel *ch, bool kernel, uint32_t grid_id)
{
    if (hostop_hold(ch, kernel, ch->submitted, grid_id)) {
        return;
    }
    ch->work_mark = ch->submitted;
    if (kernel) {
        ch->kernel_mark = ch->submitted;
        ch->grid_id = grid_id;
    }
    managed_update();
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
    return r->mem.kind != HAL_MEM_MANAGED || r->attach != CU_MEM_ATTACH_HOST || !exclusive();
}

/* What an attachment changes at once: state, GPU mapping, and the maintenance that Table 2 calls a
 * prefetch. On QNX the hint brings nothing (note 3.3): launch and synchronise do the work then. */
static void attach_set(struct region *r, unsigned attach, struct channel *ch)
{
    bool was_host = r->attach == CU_MEM_ATTACH_HOST;
    bool hints = strcmp(core.os, "qnx") != 0;
    bool mapped = managed_gpu_may_use(r);

    r->attach = attach;
    r->attach_channel = attach == CU_MEM_ATTACH_SINGLE ? ch : NULL;
    for (guint i = 0; i < core.contexts->len && mapped != managed_gpu_may_use(r); i++) {
        if (mapped) {
            as_unmap(g_ptr_array_index(core.contexts, i), &r->mem);
        } else {
            as_map(g_ptr_array_index(core.contexts, i), &r->mem, false);
        }
    }
    if (hints && exclusive() && !was_host && attach == CU_MEM_ATTACH_HOST) {
        coherency_to_cpu(r);
    } else if (hints && exclusive() && was_host && attach != CU_MEM_ATTACH_HOST) {
        coherency_to_gpu(r);
    }
    managed_update();
}

/* The stream is gone: back to what the allocation began with (cuStreamAttachMemAsync). */
void managed_stream_gone(struct channel *ch)
{
    for (guint i = 0; i < core.managed->len; i++) {
        struct region *r = g_ptr_array_index(core.managed, i);

        if (r->attach_channel == ch) {
            attach_set(r, r->attach_first, NULL);
        }
    }
}

struct attach {
    uint64_t address, serial;
    unsigned attach;
    struct channel *channel;
};

static void attach_run(struct context *context, void *data, CUresult status)
{
    struct attach *a = data;
    struct region *r = region_at(a->address);

    (void)context;
    if (!status && r && r->serial == a->serial) {
        attach_set(r, a->attach, a->channel);
    }
    g_free(a);
}

static void attach_tell(const struct region *r, unsigned attach, const struct stream *s)
{
    struct check_note note = {
        .kind = CHECK_NOTE_ATTACH,
        .api = "cuStreamAttachMemAsync",
        .region = r->mem.id,
        .bytes = r->bytes,
        .stream = s->ordinal,
        .attach = attach == CU_MEM_ATTACH_GLOBAL ? CHECK_ATTACH_GLOBAL
                  : attach == CU_MEM_ATTACH_HOST ? CHECK_ATTACH_HOST
                                                 : CHECK_ATTACH_SINGLE,
    };

    note.caller = check_caller_get();
    check_api_note(core.check, &note);
}

static CUresult attach(struct stream *s, CUstream handle, struct region *r, unsigned flags)
{
    struct attach *a;

    if (flags == CU_MEM_ATTACH_SINGLE && (!handle || handle == CU_STREAM_LEGACY)) {
        return report_error(CUDA_ERROR_INVALID_VALUE, "cuStreamAttachMemAsync",
                            "CUDA Driver API, cuStreamAttachMemAsync",
                            "memory cannot be attached to the legacy default stream alone");
    }
    attach_tell(r, flags, s);
    a = g_new0(struct attach, 1);
    *a = (struct attach){ (uintptr_t)r->mem.cpu, r->serial, flags, s->channel };
    if (stream_idle(s)) {
        attach_run(s->context, a, CUDA_SUCCESS);
        return CUDA_SUCCESS;
    }
    return hostop_push_internal(s, attach_run, a);
}

CUresult rt_stream_attach(CUstream stream, CUdeviceptr ptr, size_t length, unsigned flags)
{
    struct context *c;
    struct stream *s;
    struct region *r;
    CUresult error = core_enter_context(&c);

    if (error) {
        return error;
    }
    error = stream_resolve(c, stream, &s);
    if (error) {
        return core_leave(error);
    }
    r = region_at(ptr);
    if (!r || r->mem.kind != HAL_MEM_MANAGED) {
        return core_leave(report_error(CUDA_ERROR_INVALID_VALUE, "cuStreamAttachMemAsync",
                                       "CUDA Driver API, cuStreamAttachMemAsync",
                                       "the address is in no managed memory"));
    }
    if (ptr != (uintptr_t)r->mem.cpu || (length && length != r->bytes)) {
        return core_leave(report_error(CUDA_ERROR_INVALID_VALUE, "cuStreamAttachMemAsync",
                                       "CUDA Driver API, cuStreamAttachMemAsync",
                                       "only a whole allocation (length 0) can be attached"));
    }
    if (flags != CU_MEM_ATTACH_GLOBAL && flags != CU_MEM_ATTACH_HOST &&
        flags != CU_MEM_ATTACH_SINGLE) {
        return core_leave(CUDA_ERROR_INVALID_VALUE);
    }
    return core_leave(attach(s, stream, r, flags));
}
