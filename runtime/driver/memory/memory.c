/* SPDX-License-Identifier: MIT */
/* Allocation by kind, and freeing. */
#include "runtime/driver/core/core.h"
#include "runtime/driver/core/cost.h"
#include "runtime/driver/core/report.h"
#include "runtime/driver/core/rules.h"
#include "runtime/driver/device/board.h"
#include "runtime/driver/device/context.h"
#include "runtime/driver/device/devices.h"
#include "runtime/driver/memory/pending.h"
#include "runtime/driver/memory/region_internal.h"
#include "runtime/driver/memory/room.h"
#include "runtime/driver/memory/rt_memory.h"
#include "runtime/driver/stream/capture.h"
#include "runtime/hal/kinds.h"

#define PITCH_ALIGN                                                               \
    512u /* measured on NVIDIA GPUs of these generations: rows start at 512 bytes \
          */

CUresult rt_mem_info(size_t *free_bytes, size_t *total_bytes)
{
    struct memory_figures m;
    struct context *c;
    CUresult error = core_enter_context(&c);

    if (error) {
        return error;
    }
    room_figures(device_memory_kind(device_current()), &m);
    if (total_bytes) {
        *total_bytes = m.total;
    }
    if (free_bytes) {
        *free_bytes = memory_free(&m);
    }
    return core_leave(CUDA_SUCCESS);
}

static CUresult no_room(CUresult error, enum hal_mem_kind kind, size_t bytes, const char *api)
{
    struct memory_figures m;

    room_figures(kind, &m);
    if (hal_in_vidmem(board_profile(), kind)) {
        return report_error(error, api, "CUDA for Tegra 2.2",
                            "no room for %zu bytes: %" G_GUINT64_FORMAT " MiB of %" G_GUINT64_FORMAT
                            " MiB of the GPU's own memory are in use",
                            bytes, m.device >> 20, m.total >> 20);
    }
    return report_error(error, api, "CUDA for Tegra 2.2",
                        "no room for %zu bytes: %" G_GUINT64_FORMAT " MiB of %" G_GUINT64_FORMAT
                        " MiB are in use, and CPU memory lies in the same DRAM: this process has"
                        " %" G_GUINT64_FORMAT " MiB, the rest of the system %" G_GUINT64_FORMAT,
                        bytes, m.device >> 20, m.total >> 20, m.host >> 20, m.rest >> 20);
}

static CUresult memory_alloc(struct context *c, enum hal_mem_kind kind, size_t bytes,
                             unsigned attach, const char *api, struct region **out)
{
    CUresult error;
    struct region *r = region_alloc(c, kind, bytes, &error);

    if (!r && error == CUDA_ERROR_NOT_SUPPORTED) {
        return report_error(
            error, api, "CUDA for Tegra, Table 1",
            "this machine cannot give a program memory that the CPU does not cache");
    }
    if (!r) {
        return no_room(error, kind, bytes, api);
    }
    r->attach_first = CU_MEM_ATTACH_GLOBAL;
    if (attach == CU_MEM_ATTACH_HOST && kind == HAL_MEM_MANAGED) {
        r->attach = r->attach_first = CU_MEM_ATTACH_HOST;
        for (unsigned i = 0; i < context_count() && !managed_gpu_may_use(r); i++) {
            as_unmap(context_nth(i), &r->mem);
        }
    }
    cost_pass(COST_ALLOC, 1);
    report_region(r, api);
    managed_update(); /* managed memory that is born while the GPU is active is closed at once */
    *out = r;
    return CUDA_SUCCESS;
}

CUresult rt_mem_alloc(CUdeviceptr *ptr, size_t bytes)
{
    struct context *c;
    struct region *r;
    CUresult error = core_enter_context(&c);

    if (error) {
        return error;
    }
    error = capture_unsafe();
    if (error) {
        return core_leave(error);
    }
    if (!ptr || !bytes) {
        return core_leave(CUDA_ERROR_INVALID_VALUE);
    }
    error = memory_alloc(c, HAL_MEM_DEVICE, bytes, 0, "cuMemAlloc", &r);
    if (!error) {
        *ptr = (uintptr_t)r->mem.cpu;
    }
    return core_leave(error);
}

CUresult rt_mem_alloc_pitch(CUdeviceptr *ptr, size_t *pitch, size_t width, size_t height,
                            unsigned element)
{
    struct context *c;
    struct region *r;
    size_t row;
    CUresult error = core_enter_context(&c);

    if (error) {
        return error;
    }
    error = capture_unsafe();
    if (error) {
        return core_leave(error);
    }
    if (!ptr || !pitch || !width || !height || (element != 4 && element != 8 && element != 16)) {
        return core_leave(CUDA_ERROR_INVALID_VALUE);
    }
    if (width >
        room_most(device_memory_kind(device_current()))) { /* measured through the runtime */
        return core_leave(CUDA_ERROR_OUT_OF_MEMORY);
    }
    if (width > device_profile(context_device(c))->gpu.pitch_max_bytes) {
        return core_leave(CUDA_ERROR_INVALID_VALUE);
    }
    row = (width + PITCH_ALIGN - 1) & ~(size_t)(PITCH_ALIGN - 1);
    if (height > SIZE_MAX / row) {
        return core_leave(CUDA_ERROR_OUT_OF_MEMORY);
    }
    error = memory_alloc(c, HAL_MEM_DEVICE, row * height, 0, "cuMemAllocPitch", &r);
    if (!error) {
        *ptr = (uintptr_t)r->mem.cpu;
        *pitch = row;
    }
    return core_leave(error);
}

CUresult rt_mem_alloc_managed(CUdeviceptr *ptr, size_t bytes, unsigned flags)
{
    struct context *c;
    struct region *r;
    CUresult error = core_enter_context(&c);

    if (error) {
        return error;
    }
    error = capture_unsafe();
    if (error) {
        return core_leave(error);
    }
    if (!ptr || !bytes || (flags != CU_MEM_ATTACH_GLOBAL && flags != CU_MEM_ATTACH_HOST)) {
        return core_leave(CUDA_ERROR_INVALID_VALUE);
    }
    error = rule_check("cuMemAllocManaged");
    if (!error) {
        error = memory_alloc(c, HAL_MEM_MANAGED, bytes, flags, "cuMemAllocManaged", &r);
    }
    if (!error) {
        *ptr = (uintptr_t)r->mem.cpu;
    }
    return core_leave(error);
}

/* Why an address cannot be freed: said in the words that help to find the bug. */
static CUresult bad_free(const char *api, uint64_t ptr)
{
    const struct freed *f = region_freed_at(ptr);
    const struct region *r = region_at(ptr);

    if (f && !r && f->registered) {
        report_finding(&check_rules[CHECK_RULE_BAD_FREE], f->id, 0, ptr, NULL,
                       "%s of memory that was not allocated by CUDA: it was registered and is not "
                       "any more",
                       api);
    } else if (f && !r) {
        report_finding(&check_rules[CHECK_RULE_DOUBLE_FREE], f->id, 0, ptr, NULL,
                       "%s of memory that was freed before (%" G_GUINT64_FORMAT " bytes)", api,
                       f->bytes);
    } else if (r) {
        report_finding(&check_rules[CHECK_RULE_BAD_FREE], r->mem.id, 0, ptr, NULL,
                       r->imported ? "%s of another process's memory (cuIpcCloseMemHandle)"
                                   : "%s of an address that is not the start of such an allocation",
                       api);
    }
    return report_error(CUDA_ERROR_INVALID_VALUE, api, "CUDA Driver API, memory management",
                        "the address is not the start of an allocation of this kind");
}

/* Why nothing is there to free: perhaps the current context has taken it along. */
static CUresult not_there(const char *api, uint64_t ptr)
{
    CUresult error;

    core_context(NULL, &error);
    return error == CUDA_ERROR_CONTEXT_IS_DESTROYED ? error : bad_free(api, ptr);
}

static struct region *start_of(uint64_t ptr)
{
    struct region *r = region_at(ptr);

    return r && (r->shared ? region_first(r) : (uintptr_t)r->mem.cpu) == ptr &&
                   !r->mem.registered && !r->of_module && !r->physical && !r->imported
               ? r
               : NULL;
}

/* Waits for the context, in which the lock may be free for a while: looked up again after. */
static CUresult wait_and_free(struct context *c, uint64_t ptr, const char *api)
{
    struct region *r = start_of(ptr);
    uint64_t serial = r->serial;
    struct check_caller caller = check_caller_get();
    g_autoptr(GArray) pending = inuse_pending();
    CUresult error = context_wait(c);

    r = start_of(ptr);
    if (!r || r->serial != serial) {
        return error ? error : bad_free(api, ptr);
    }
    inuse_report(pending, r, api);
    if (r->owner) {
        r->owner->freed(r);
        return error;
    }
    if (!r->shared) { /* the memory stays, this was a mapping */
        check_region_remove(core_check(), r->mem.id, &caller);
    }
    cost_pass(COST_ALLOC, 1);
    if (r->pool) {
        pool_free_now(r);
    } else {
        region_free(r);
    }
    return error;
}

/* Needs no current context: the memory knows its own. */
CUresult rt_mem_free(CUdeviceptr ptr)
{
    const struct context *current;
    struct region *r;
    CUresult error = core_enter();

    if (error) {
        return error;
    }
    error = capture_unsafe();
    if (error) {
        return core_leave(error);
    }
    if (!ptr) { /* a broken context says so (measured) */
        current = core_context(NULL, &error);
        return core_leave(current ? context_error(current) : CUDA_SUCCESS);
    }
    r = start_of(ptr);
    if (!r || r->mem.kind == HAL_MEM_PINNED || r->freed_async) {
        return core_leave(not_there("cuMemFree", ptr));
    }
    return core_leave(context_error(r->context) ? context_error(r->context)
                                                : wait_and_free(r->context, ptr, "cuMemFree"));
}

CUresult rt_host_alloc(void **ptr, size_t bytes, unsigned flags)
{
    const unsigned known =
        CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP | CU_MEMHOSTALLOC_WRITECOMBINED;
    struct context *c;
    struct region *r;
    CUresult error = core_enter_context(&c);

    if (error) {
        return error;
    }
    error = capture_unsafe();
    if (error) {
        return core_leave(error);
    }
    if (!ptr || (flags & ~known)) {
        return core_leave(CUDA_ERROR_INVALID_VALUE);
    }
    if (!bytes) { /* measured: succeeds, with no memory */
        *ptr = NULL;
        return core_leave(CUDA_SUCCESS);
    }
    error = memory_alloc(c, HAL_MEM_PINNED, bytes, 0, "cuMemHostAlloc", &r);
    if (!error) {
        r->flags = flags;
        pending_region_new(r);
        *ptr = r->mem.cpu;
    }
    return core_leave(error);
}

CUresult rt_host_free(void *ptr)
{
    struct region *r;
    CUresult error = core_enter();

    if (error) {
        return error;
    }
    error = capture_unsafe();
    if (error) {
        return core_leave(error);
    }
    if (!ptr) {
        return core_leave(CUDA_SUCCESS);
    }
    r = start_of((uintptr_t)ptr);
    if (!r || r->mem.kind != HAL_MEM_PINNED) {
        return core_leave(not_there("cuMemFreeHost", (uintptr_t)ptr));
    }
    return core_leave(context_error(r->context)
                          ? context_error(r->context)
                          : wait_and_free(r->context, (uintptr_t)ptr, "cuMemFreeHost"));
}

CUresult rt_host_device_pointer(CUdeviceptr *device, void *ptr, unsigned flags)
{
    struct context *c;
    struct region *r;
    CUresult error = core_enter_context(&c);

    if (error) {
        return error;
    }
    r = region_at((uintptr_t)ptr);
    if (!device || flags || !r ||
        (r->mem.kind != HAL_MEM_PINNED && r->mem.kind != HAL_MEM_MANAGED)) {
        return core_leave(CUDA_ERROR_INVALID_VALUE);
    }
    *device = (uintptr_t)ptr;
    return core_leave(CUDA_SUCCESS);
}

/* Under unified addressing all is portable and mapped (CUDA Driver API, cuMemHostAlloc). */
CUresult rt_host_flags(unsigned *flags, void *ptr)
{
    struct context *c;
    struct region *r;
    CUresult error = core_enter_context(&c);

    if (error) {
        return error;
    }
    r = region_at((uintptr_t)ptr);
    if (!flags || !r || r->mem.kind != HAL_MEM_PINNED) {
        return core_leave(CUDA_ERROR_INVALID_VALUE);
    }
    *flags = r->flags | CU_MEMHOSTALLOC_DEVICEMAP;
    return core_leave(CUDA_SUCCESS);
}

CUresult rt_host_register(void *ptr, size_t bytes, unsigned flags)
{
    const unsigned known = CU_MEMHOSTREGISTER_PORTABLE | CU_MEMHOSTREGISTER_DEVICEMAP |
                           CU_MEMHOSTREGISTER_IOMEMORY | CU_MEMHOSTREGISTER_READ_ONLY;
    struct context *c;
    struct region *r;
    CUresult error = core_enter_context(&c);

    if (error) {
        return error;
    }
    if (!ptr || !bytes || (flags & ~known) || bytes > UINTPTR_MAX / 2 ||
        (uintptr_t)ptr > UINTPTR_MAX / 2) {
        return core_leave(CUDA_ERROR_INVALID_VALUE);
    }
    error = capture_unsafe();
    error = error ? error : rule_check("cuMemHostRegister");
    if (!error && (flags & CU_MEMHOSTREGISTER_IOMEMORY)) {
        error = CUDA_ERROR_NOT_SUPPORTED;
    }
    if (!error && (flags & CU_MEMHOSTREGISTER_READ_ONLY) &&
        !device_profile(context_device(c))->gpu.host_register_read_only_supported) {
        error = CUDA_ERROR_NOT_SUPPORTED;
    }
    if (!error && region_at((uintptr_t)ptr)) {
        error = region_at((uintptr_t)ptr)->mem.registered
                    ? CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED
                    : CUDA_ERROR_INVALID_VALUE;
    }
    if (!error) {
        r = region_register(c, ptr, bytes, flags, &error);
    }
    if (!error) {
        cost_pass(COST_MAP, 1);
        report_region(r, "cuMemHostRegister");
        pending_region_new(r);
    }
    return core_leave(error);
}

CUresult rt_host_unregister(void *ptr)
{
    g_autoptr(GArray) pending = NULL;
    struct check_caller caller;
    struct context *c;
    struct region *r;
    uint64_t serial;
    CUresult error = core_enter_context(&c);

    if (error) {
        return error;
    }
    error = rule_check("cuMemHostUnregister");
    error = error ? error : capture_unsafe();
    if (error) {
        return core_leave(error);
    }
    r = region_at((uintptr_t)ptr);
    if (!r || !r->mem.registered || r->host != ptr) {
        return core_leave(r || !ptr ? CUDA_ERROR_INVALID_VALUE
                                    : CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED);
    }
    serial = r->serial;
    caller = check_caller_get();
    pending = inuse_pending();
    error = context_wait(c);
    r = region_at((uintptr_t)ptr);
    if (r && r->serial == serial) {
        inuse_report(pending, r, "cuMemHostUnregister");
        check_region_remove(core_check(), r->mem.id, &caller);
        region_free(r);
    }
    return core_leave(error);
}

CUresult rt_mem_address_range(CUdeviceptr *base, size_t *size, CUdeviceptr ptr)
{
    struct context *c;
    struct region *r;
    CUresult error = core_enter_context(&c);

    if (error) {
        return error;
    }
    r = region_range(ptr, 1);
    if (!r || region_elsewhere(r, context_device(c))) {
        return core_leave(CUDA_ERROR_NOT_FOUND);
    }
    if (base) {
        *base = r->host ? (uintptr_t)r->host : (uintptr_t)r->mem.cpu;
    }
    if (size) {
        *size = r->bytes;
    }
    return core_leave(CUDA_SUCCESS);
}
