/* SPDX-License-Identifier: MIT */
/* Batches of copies, prefetches and discards. CUDA Driver API, memory management and unified
 * addressing.
 *
 * The copies of a batch run in its stream, in the order of their indices: no order among them is
 * promised. The batch is checked before anything is enqueued, but for what an address is: a copy
 * that fails on that leaves those before it in the stream. */
#include "runtime/driver/array/array.h"
#include "runtime/driver/core/core.h"
#include "runtime/driver/core/rules.h"
#include "runtime/driver/device/context.h"
#include "runtime/driver/memory/region_internal.h"
#include "runtime/driver/memory/rt_copy.h"
#include "runtime/driver/memory/rt_memory.h"
#include "runtime/driver/stream/capture.h"
#include "runtime/driver/stream/stream.h"

/* Entry k of a list holds for the operations from @first[k] up to the next entry's. */
static bool indices_valid(const size_t *first, size_t n, size_t count)
{
    if (!first || !n || n > count || first[0]) {
        return false;
    }
    for (size_t k = 1; k < n; k++) {
        if (first[k] <= first[k - 1] || first[k] >= count) {
            return false;
        }
    }
    return true;
}

/* The legacy stream has no batches: which code refuses it is inferred. */
static bool is_legacy(CUstream stream)
{
    return !stream || stream == CU_STREAM_LEGACY;
}

static bool order_valid(CUmemcpySrcAccessOrder order, unsigned flags)
{
    return order >= CU_MEMCPY_SRC_ACCESS_ORDER_STREAM && order <= CU_MEMCPY_SRC_ACCESS_ORDER_ANY &&
           !(flags & ~(unsigned)CU_MEMCPY_FLAG_PREFER_OVERLAP_WITH_COMPUTE);
}

static CUresult enter_and_fail(void)
{
    CUresult error = core_enter();

    return error ? error : core_leave(CUDA_ERROR_INVALID_VALUE);
}

/* The caller may reuse its sources once the call returns. Pageable memory was read by then, other
 * memory once the stream has done it; a graph reads it in its own time. */
static CUresult sources_wait(CUstream stream)
{
    struct context *c;
    struct stream *s;
    CUresult error = core_enter_context(&c);

    if (error) {
        return error;
    }
    error = stream_resolve(c, stream, &s);
    if (!error && !stream_captured(s)) {
        error = stream_wait(s);
    }
    return core_leave(error);
}

static bool is_pageable(CUdeviceptr address)
{
    bool pageable = true;

    if (core_enter() == CUDA_SUCCESS) {
        pageable = !region_at(address);
        core_leave(CUDA_SUCCESS);
    }
    return pageable;
}

CUresult rt_copy_batch(const struct rt_batch *b, size_t *fail, CUstream stream)
{
    CUresult error = CUDA_SUCCESS;
    bool wait = false;

    if (fail) {
        *fail = SIZE_MAX;
    }
    if (!b->dst || !b->src || !b->bytes || !b->attrs || is_legacy(stream) ||
        !indices_valid(b->first, b->n, b->count)) {
        return enter_and_fail();
    }
    for (size_t k = 0; k < b->n; k++) {
        if (!order_valid(b->attrs[k].srcAccessOrder, b->attrs[k].flags)) {
            if (fail) {
                *fail = b->first[k];
            }
            return enter_and_fail();
        }
    }
    for (size_t i = 0, k = 0; i < b->count && !error; i++) {
        k += k + 1 < b->n && b->first[k + 1] == i;
        wait |= b->attrs[k].srcAccessOrder == CU_MEMCPY_SRC_ACCESS_ORDER_DURING_API_CALL &&
                !is_pageable(b->src[i]);
        error = rt_copy(b->dst[i], b->src[i], b->bytes[i], RT_COPY_DEFAULT, stream, RT_ASYNC);
        if (error && fail) {
            *fail = i;
        }
    }
    return error || !wait ? error : sources_wait(stream);
}

/* Bytes of an element of @op, 0 for a pointer; false: no operand. */
static bool operand_element(const CUmemcpy3DOperand *op, size_t *bytes)
{
    const struct array *a;

    *bytes = 0;
    if (op->type == CU_MEMCPY_OPERAND_TYPE_POINTER) {
        return op->op.ptr.ptr != 0;
    }
    if (op->type != CU_MEMCPY_OPERAND_TYPE_ARRAY || core_enter()) {
        return false;
    }
    a = array_find(op->op.array.array);
    *bytes = a ? array_texel(a) : 0;
    core_leave(CUDA_SUCCESS);
    return a != NULL;
}

/* Bytes a row and rows a layer of memory; 0: packed as the copy's extent is. */
static bool operand_shape(const CUmemcpy3DOperand *op, const CUextent3D *e, size_t element,
                          size_t *pitch, size_t *rows)
{
    size_t length = op->op.ptr.rowLength ? op->op.ptr.rowLength : e->width;

    *rows = op->op.ptr.layerHeight ? op->op.ptr.layerHeight : e->height;
    return length >= e->width && *rows >= e->height &&
           !__builtin_mul_overflow(length, element, pitch);
}

/* @op as the pitched copy that it is; false: it is none. */
static bool op_unfold(const CUDA_MEMCPY3D_BATCH_OP *op, CUDA_MEMCPY3D *m)
{
    size_t from, to, element;

    if (!operand_element(&op->src, &from) || !operand_element(&op->dst, &to) ||
        (from && to && from != to) || !order_valid(op->srcAccessOrder, op->flags) ||
        !op->extent.width || !op->extent.height || !op->extent.depth) {
        return false;
    }
    element = from ? from : to ? to : 1;
    *m = (CUDA_MEMCPY3D){ .Height = op->extent.height, .Depth = op->extent.depth };
    if (__builtin_mul_overflow(op->extent.width, element, &m->WidthInBytes)) {
        return false;
    }
    if (from) {
        m->srcMemoryType = CU_MEMORYTYPE_ARRAY;
        m->srcArray = op->src.op.array.array;
        m->srcY = op->src.op.array.offset.y;
        m->srcZ = op->src.op.array.offset.z;
        if (__builtin_mul_overflow(op->src.op.array.offset.x, element, &m->srcXInBytes)) {
            return false;
        }
    } else {
        m->srcMemoryType = CU_MEMORYTYPE_UNIFIED;
        m->srcDevice = op->src.op.ptr.ptr;
        if (!operand_shape(&op->src, &op->extent, element, &m->srcPitch, &m->srcHeight)) {
            return false;
        }
    }
    if (to) {
        m->dstMemoryType = CU_MEMORYTYPE_ARRAY;
        m->dstArray = op->dst.op.array.array;
        m->dstY = op->dst.op.array.offset.y;
        m->dstZ = op->dst.op.array.offset.z;
        return !__builtin_mul_overflow(op->dst.op.array.offset.x, element, &m->dstXInBytes);
    }
    m->dstMemoryType = CU_MEMORYTYPE_UNIFIED;
    m->dstDevice = op->dst.op.ptr.ptr;
    return operand_shape(&op->dst, &op->extent, element, &m->dstPitch, &m->dstHeight);
}

CUresult rt_copy_batch_3d(size_t count, const CUDA_MEMCPY3D_BATCH_OP *ops, size_t *fail,
                          unsigned long long flags, CUstream stream)
{
    CUresult error = CUDA_SUCCESS;
    bool wait = false;
    CUDA_MEMCPY3D m;

    if (fail) {
        *fail = SIZE_MAX;
    }
    if (!count || !ops || flags || is_legacy(stream)) {
        return enter_and_fail();
    }
    for (size_t i = 0; i < count; i++) {
        if (!op_unfold(&ops[i], &m)) {
            if (fail) {
                *fail = i;
            }
            return enter_and_fail();
        }
    }
    for (size_t i = 0; i < count && !error; i++) {
        wait |= ops[i].srcAccessOrder == CU_MEMCPY_SRC_ACCESS_ORDER_DURING_API_CALL &&
                (ops[i].src.type == CU_MEMCPY_OPERAND_TYPE_ARRAY ||
                 !is_pageable(ops[i].src.op.ptr.ptr));
        op_unfold(&ops[i], &m);
        error = rt_copy_3d(&m, stream, RT_ASYNC);
        if (error && fail) {
            *fail = i;
        }
    }
    return error || !wait ? error : sources_wait(stream);
}

/* Each range has to be managed memory, and on an iGPU without concurrent managed access the
 * rule of @api refuses the batch. Where the calls exist (Thor) memory does not move, so a prefetch
 * has no effect; discarded bytes are indeterminate, and stay as they are. */
CUresult rt_mem_batch(const char *api, const struct rt_ranges *b, unsigned long long flags,
                      CUstream stream)
{
    struct context *c;
    struct stream *s;
    struct region *r;
    CUresult error = core_enter_context(&c);

    if (error) {
        return error;
    }
    if (!b->ptr || !b->bytes || !b->count || flags || is_legacy(stream) ||
        (b->prefetch && (!b->location || !indices_valid(b->first, b->n, b->count)))) {
        return core_leave(CUDA_ERROR_INVALID_VALUE);
    }
    for (size_t i = 0; i < b->count && !error; i++) {
        error = managed_range_check(b->ptr[i], b->bytes[i], &r);
    }
    for (size_t k = 0; b->prefetch && k < b->n && !error; k++) {
        error = managed_location_check(b->location[k]);
    }
    error = error ? error : stream_resolve(c, stream, &s);
    error = error ? error : stream_captured(s) ? capture_refuse(s) : CUDA_SUCCESS;
    return core_leave(error ? error : rule_check(api));
}
