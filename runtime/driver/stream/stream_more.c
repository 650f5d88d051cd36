/* SPDX-License-Identifier: MIT */
/* What a stream says of itself, host functions, values in memory. */
#include "runtime/driver/core/core.h"
#include "runtime/driver/core/report.h"
#include "runtime/driver/core/rules.h"
#include "runtime/driver/core/work.h"
#include "runtime/driver/device/context.h"
#include "runtime/driver/device/devices.h"
#include "runtime/driver/memory/pending.h"
#include "runtime/driver/stream/capture.h"
#include "runtime/driver/stream/rt_stream.h"
#include "runtime/driver/stream/stream_internal.h"

static CUresult stream_more_enter(CUstream handle, struct stream **s)
{
    struct context *c;
    CUresult error = core_enter_context(&c);

    if (error) {
        return error;
    }
    error = stream_resolve(c, handle, s);
    return error ? core_leave(error) : CUDA_SUCCESS;
}

CUresult rt_stream_priority(CUstream stream, int *priority)
{
    struct stream *s;
    CUresult error = stream_more_enter(stream, &s);

    if (error) {
        return error;
    }
    if (!priority) {
        return core_leave(CUDA_ERROR_INVALID_VALUE);
    }
    *priority = s->priority;
    return core_leave(CUDA_SUCCESS);
}

CUresult rt_stream_flags(CUstream stream, unsigned *flags)
{
    struct stream *s;
    CUresult error = stream_more_enter(stream, &s);

    if (error) {
        return error;
    }
    if (!flags) {
        return core_leave(CUDA_ERROR_INVALID_VALUE);
    }
    error = capture_refuse(s); /* measured, as of the next; the priority may be asked for */
    if (!error) {
        *flags = s->flags;
    }
    return core_leave(error);
}

/* Unique in the life of the program: context above, number of the stream in it below. */
CUresult rt_stream_id(CUstream stream, unsigned long long *id)
{
    struct stream *s;
    CUresult error = stream_more_enter(stream, &s);

    if (error) {
        return error;
    }
    if (!id) {
        return core_leave(CUDA_ERROR_INVALID_VALUE);
    }
    error = capture_refuse(s);
    if (!error) {
        *id = context_id(s->base.context) << 32 | (s->ordinal + 1);
    }
    return core_leave(error);
}

CUresult rt_stream_context(CUstream stream, CUcontext *context)
{
    struct stream *s;
    CUresult error = stream_more_enter(stream, &s);

    if (error) {
        return error;
    }
    if (!context) {
        return core_leave(CUDA_ERROR_INVALID_VALUE);
    }
    *context = context_handle(s->base.context);
    return core_leave(CUDA_SUCCESS);
}

CUresult rt_stream_device(CUstream stream, CUdevice *device)
{
    struct stream *s;
    CUresult error = stream_more_enter(stream, &s);

    if (error) {
        return error;
    }
    if (!device) {
        return core_leave(CUDA_ERROR_INVALID_VALUE);
    }
    *device = device_ordinal(context_device(s->base.context));
    return core_leave(CUDA_SUCCESS);
}

static CUresult attribute_get(const struct stream *s, CUstreamAttrID attribute,
                              CUstreamAttrValue *value)
{
    switch (attribute) {
    case CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW:
        value->accessPolicyWindow = s->window;
        return CUDA_SUCCESS;
    case CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY:
        value->syncPolicy = s->sync_policy;
        return CUDA_SUCCESS;
    case CU_LAUNCH_ATTRIBUTE_PRIORITY:
        value->priority = s->priority;
        return CUDA_SUCCESS;
    case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP:
        value->memSyncDomainMap = s->mem_domain_map;
        return CUDA_SUCCESS;
    case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN:
        value->memSyncDomain = s->mem_domain;
        return CUDA_SUCCESS;
    default:
        return CUDA_ERROR_INVALID_VALUE;
    }
}

/* Driver reference, CUaccessPolicyWindow: missProp is STREAMING or NORMAL, hitRatio in [0, 1]. */
static bool window_is_valid(const struct stream *s, const CUaccessPolicyWindow *w)
{
    return w->num_bytes <= device_profile(context_device(s->base.context))
                               ->gpu.access_policy_window_max_bytes &&
           w->hitRatio >= 0 && w->hitRatio <= 1 && w->missProp != CU_ACCESS_PROPERTY_PERSISTING;
}

/* Hints are kept and read back; none changes what the board does. */
static CUresult attribute_set(struct stream *s, CUstreamAttrID attribute,
                              const CUstreamAttrValue *value)
{
    switch (attribute) {
    case CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW:
        if (!window_is_valid(s, &value->accessPolicyWindow)) {
            return CUDA_ERROR_INVALID_VALUE;
        }
        s->window = value->accessPolicyWindow;
        return CUDA_SUCCESS;
    case CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY:
        if (value->syncPolicy < CU_SYNC_POLICY_AUTO ||
            value->syncPolicy > CU_SYNC_POLICY_BLOCKING_SYNC) {
            return CUDA_ERROR_INVALID_VALUE;
        }
        s->sync_policy = value->syncPolicy;
        return CUDA_SUCCESS;
    case CU_LAUNCH_ATTRIBUTE_PRIORITY:
        s->priority = CLAMP(value->priority, -5, 0);
        return CUDA_SUCCESS;
    case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP:
        s->mem_domain_map = value->memSyncDomainMap;
        return CUDA_SUCCESS;
    case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN:
        s->mem_domain = value->memSyncDomain;
        return CUDA_SUCCESS;
    default:
        return CUDA_ERROR_INVALID_VALUE;
    }
}

CUresult rt_stream_attribute(CUstream stream, CUstreamAttrID attribute, CUstreamAttrValue *value)
{
    struct stream *s;
    CUresult error = stream_more_enter(stream, &s);

    if (error) {
        return error;
    }
    return core_leave(value ? attribute_get(s, attribute, value) : CUDA_ERROR_INVALID_VALUE);
}

CUresult rt_stream_set_attribute(CUstream stream, CUstreamAttrID attribute,
                                 const CUstreamAttrValue *value)
{
    struct stream *s;
    CUresult error = stream_more_enter(stream, &s);

    if (error) {
        return error;
    }
    return core_leave(value ? attribute_set(s, attribute, value) : CUDA_ERROR_INVALID_VALUE);
}

CUresult rt_stream_copy_attributes(CUstream dst, CUstream src)
{
    struct stream *d, *s;
    CUresult error = stream_more_enter(dst, &d);

    if (error) {
        return error;
    }
    error = stream_resolve(d->base.context, src, &s);
    if (!error && s->base.context != d->base.context) {
        error = CUDA_ERROR_INVALID_HANDLE;
    }
    if (!error) {
        d->window = s->window;
        d->sync_policy = s->sync_policy;
        d->mem_domain = s->mem_domain;
        d->mem_domain_map = s->mem_domain_map;
    }
    return core_leave(error);
}

CUresult rt_stream_host_func(CUstream stream, CUhostFn fn, void *data)
{
    struct stream *s;
    CUresult error = stream_more_enter(stream, &s);

    if (error) {
        return error;
    }
    return core_leave(
        fn ? stream_submit(s, &(struct work){ .kind = &work_host, .host = { fn, NULL, data } })
           : CUDA_ERROR_INVALID_VALUE);
}

CUresult rt_stream_callback(CUstream stream, CUstreamCallback fn, void *data, unsigned flags)
{
    struct stream *s;
    CUresult error = stream_more_enter(stream, &s);

    if (error) {
        return error;
    }
    return core_leave(fn && !flags ? stream_submit(s, &(struct work){ .kind = &work_host,
                                                                      .host = { NULL, fn, data } })
                                   : CUDA_ERROR_INVALID_VALUE);
}

/* A value in stream order needs memory the GPU sees, aligned to the value. */
static CUresult value_check(const struct push *p, CUdeviceptr ptr, unsigned bits)
{
    struct region *r = region_range(ptr, bits / 8);

    if (!r || ptr % (bits / 8) ||
        region_elsewhere(r, context_device(channel_context(push_channel(p))))) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    return managed_gpu_may_use(r) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

static CUresult wait_op(struct push *p, CUdeviceptr ptr, uint64_t value, unsigned bits,
                        unsigned flags)
{
    static const uint32_t op[] = { SEM_OP_ACQ_CIRC_GEQ, SEM_OP_ACQUIRE, SEM_OP_ACQ_AND,
                                   SEM_OP_ACQ_NOR };
    unsigned kind = flags & ~(unsigned)CU_STREAM_WAIT_VALUE_FLUSH;
    CUresult error = value_check(p, ptr, bits);

    if (kind >= G_N_ELEMENTS(op)) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    if (!error) {
        push_semaphore(p, ptr, value, op[kind] | (bits == 64 ? SEM_EXECUTE_PAYLOAD_64 : 0));
    }
    return error;
}

static CUresult write_op(struct push *p, CUdeviceptr ptr, uint64_t value, unsigned bits,
                         unsigned flags)
{
    CUresult error = value_check(p, ptr, bits);

    if (flags & ~(unsigned)CU_STREAM_WRITE_VALUE_NO_MEMORY_BARRIER) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    if (!error) {
        push_method(p, 0, HOST_WFI, 0);
        push_semaphore(p, ptr, value, SEM_OP_RELEASE | (bits == 64 ? SEM_EXECUTE_PAYLOAD_64 : 0));
    }
    return error;
}

static CUresult mem_op(struct push *p, const CUstreamBatchMemOpParams *op)
{
    switch (op->operation) {
    case CU_STREAM_MEM_OP_WAIT_VALUE_32:
        return wait_op(p, op->waitValue.address, op->waitValue.value, 32, op->waitValue.flags);
    case CU_STREAM_MEM_OP_WAIT_VALUE_64:
        return wait_op(p, op->waitValue.address, op->waitValue.value64, 64, op->waitValue.flags);
    case CU_STREAM_MEM_OP_WRITE_VALUE_32:
        return write_op(p, op->writeValue.address, op->writeValue.value, 32, op->writeValue.flags);
    case CU_STREAM_MEM_OP_WRITE_VALUE_64:
        return write_op(p, op->writeValue.address, op->writeValue.value64, 64,
                        op->writeValue.flags);
    case CU_STREAM_MEM_OP_BARRIER:
        push_method(p, 0, HOST_WFI, 0);
        return CUDA_SUCCESS;
    case CU_STREAM_MEM_OP_FLUSH_REMOTE_WRITES:
        return CUDA_ERROR_NOT_SUPPORTED; /* CAN_FLUSH_REMOTE_WRITES is 0 */
    default:
        return CUDA_ERROR_INVALID_VALUE;
    }
}

/* The CPU's side of a flag is of interest. */
static void op_pending(const CUstreamBatchMemOpParams *op, struct fence fence)
{
    switch (op->operation) {
    case CU_STREAM_MEM_OP_WAIT_VALUE_32:
        pending_value(op->waitValue.address, 4, false, fence);
        break;
    case CU_STREAM_MEM_OP_WAIT_VALUE_64:
        pending_value(op->waitValue.address, 8, false, fence);
        break;
    case CU_STREAM_MEM_OP_WRITE_VALUE_32:
        pending_value(op->writeValue.address, 4, true, fence);
        break;
    case CU_STREAM_MEM_OP_WRITE_VALUE_64:
        pending_value(op->writeValue.address, 8, true, fence);
        break;
    default:
        break;
    }
}

static CUresult values_work(struct stream *s, const struct work *work)
{
    const CUstreamBatchMemOpParams *ops = work->data;
    struct check_caller caller;
    struct push *p;
    CUresult error = stream_begin(s, &p);

    if (error) {
        return error;
    }
    for (size_t i = 0; !error && i < work->data_bytes / sizeof(*ops); i++) {
        error = mem_op(p, &ops[i]);
    }
    stream_end(s, p); /* what came before the bad one runs (inferred) */
    caller = report_caller();
    stream_launched(s, 0, &caller);
    managed_work(s->channel, false, 0);
    for (size_t i = 0; !error && i < work->data_bytes / sizeof(*ops); i++) {
        op_pending(&ops[i], channel_fence(s->channel));
    }
    return error;
}

const struct work_kind work_values = { CU_GRAPH_NODE_TYPE_BATCH_MEM_OP, values_work };

CUresult rt_stream_batch_mem_op(CUstream stream, unsigned count, CUstreamBatchMemOpParams *ops,
                                unsigned flags)
{
    struct stream *s;
    CUresult error = stream_more_enter(stream, &s);

    if (error) {
        return error;
    }
    if (!count && !flags) {
        return core_leave(CUDA_SUCCESS);
    }
    if (flags || count > 256 || !ops) {
        return core_leave(CUDA_ERROR_INVALID_VALUE);
    }
    return core_leave(stream_submit(
        s,
        &(struct work){ .kind = &work_values, .data = ops, .data_bytes = count * sizeof(*ops) }));
}

CUresult rt_stream_wait_value(CUstream stream, CUdeviceptr ptr, uint64_t value, unsigned bits,
                              unsigned flags)
{
    CUstreamBatchMemOpParams op = { .waitValue = { .operation =
                                                       bits == 64 ? CU_STREAM_MEM_OP_WAIT_VALUE_64
                                                                  : CU_STREAM_MEM_OP_WAIT_VALUE_32,
                                                   .address = ptr,
                                                   .flags = flags } };

    op.waitValue.value64 = value;
    return rt_stream_batch_mem_op(stream, 1, &op, 0);
}

CUresult rt_stream_write_value(CUstream stream, CUdeviceptr ptr, uint64_t value, unsigned bits,
                               unsigned flags)
{
    CUstreamBatchMemOpParams op = { .writeValue = {
                                        .operation = bits == 64 ? CU_STREAM_MEM_OP_WRITE_VALUE_64
                                                                : CU_STREAM_MEM_OP_WRITE_VALUE_32,
                                        .address = ptr,
                                        .flags = flags } };

    op.writeValue.value64 = value;
    return rt_stream_batch_mem_op(stream, 1, &op, 0);
}
