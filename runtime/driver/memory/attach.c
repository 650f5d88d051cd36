/* SPDX-License-Identifier: MIT */
/* cuStreamAttachMemAsync: managed memory changes its attachment in stream order. */
#include "runtime/driver/core/core.h"
#include "runtime/driver/core/cost.h"
#include "runtime/driver/core/report.h"
#include "runtime/driver/core/work.h"
#include "runtime/driver/device/context.h"
#include "runtime/driver/memory/region_internal.h"
#include "runtime/driver/memory/rt_memory.h"
#include "runtime/driver/stream/capture.h"

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
        managed_attach(r, a->attach, a->channel);
    }
    g_free(a);
}

static void attach_report(const struct region *r, unsigned attach, const struct stream *s)
{
    struct check_note note = {
        .kind = CHECK_NOTE_ATTACH,
        .api = "cuStreamAttachMemAsync",
        .region = r->mem.id,
        .bytes = r->bytes,
        .stream = stream_ordinal(s),
        .attach = attach == CU_MEM_ATTACH_GLOBAL ? CHECK_ATTACH_GLOBAL
                  : attach == CU_MEM_ATTACH_HOST ? CHECK_ATTACH_HOST
                                                 : CHECK_ATTACH_SINGLE,
    };

    note.caller = check_caller_get();
    check_api_note(core_check(), &note);
}

static CUresult attach_work(struct stream *s, const struct work *work)
{
    const struct work_attach *w = &work->attach;
    const struct region *r = region_at(w->address);
    struct attach *a;

    if (!r || r->serial != w->serial) {
        return CUDA_ERROR_INVALID_HANDLE;
    }
    attach_report(r, w->flags, s);
    a = g_new0(struct attach, 1);
    *a = (struct attach){ w->address, w->serial, w->flags, stream_channel(s) };
    if (stream_idle(s)) {
        attach_run(stream_context(s), a, CUDA_SUCCESS);
        return CUDA_SUCCESS;
    }
    return hostop_push_internal(s, attach_run, a);
}

const struct work_kind work_attach = { WORK_NO_NODE, attach_work };

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
    error = error ? error : capture_refuse(s);
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
    if (flags == CU_MEM_ATTACH_SINGLE && (!stream || stream == CU_STREAM_LEGACY)) {
        return core_leave(
            report_error(CUDA_ERROR_INVALID_VALUE, "cuStreamAttachMemAsync",
                         "CUDA Driver API, cuStreamAttachMemAsync",
                         "memory cannot be attached to the legacy default stream alone"));
    }
    cost_pass(COST_MAP, 1);
    return core_leave(
        stream_submit(s, &(struct work){ .kind = &work_attach,
                                         .attach = { (uintptr_t)r->mem.cpu, r->serial, flags } }));
}
