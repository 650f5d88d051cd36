/* SPDX-License-Identifier: MIT */
/* Allocations: addresses with a guard page behind, memory, mappings, and who lies where. */
#include "runtime/driver/core/core.h"
#include "runtime/driver/core/notifier.h"
#include "runtime/driver/device/context.h"
#include "runtime/driver/device/devices.h"
#include "runtime/driver/memory/external_internal.h"
#include "runtime/driver/memory/region_internal.h"
#include "runtime/driver/memory/room.h"
#include "runtime/driver/memory/virtual_internal.h"
#include "runtime/observe/closed.h"

#include <errno.h>
#include <string.h>

static struct region *region_insert(struct region *r)
{
    region_list_add(r);
    if (r->mem.kind != HAL_MEM_KERNEL && !r->mem.registered && !r->physical && !r->shared) {
        room_take(r->mem.kind, r->mem.size);
    }
    return r;
}

/* Pinned and managed memory belongs to every context (unified addressing makes it portable, CUDA
 * Programming Guide, page-locked memory); device memory only to its own. */
static bool region_everywhere(const struct region *r)
{
    return r->mem.kind == HAL_MEM_PINNED || r->mem.kind == HAL_MEM_MANAGED || r->physical;
}

static bool gpu_reads_only(const struct region *r)
{
    return r->shared     ? r->gpu_reads
           : r->physical ? r->access == CU_MEM_ACCESS_FLAGS_PROT_READ
                         : r->mem.registered && (r->flags & CU_MEMHOSTREGISTER_READ_ONLY);
}

/* Memory of cuMemCreate() is its device's; no other one is a peer. Managed memory is not supported
 * by a discrete GPU beside the integrated one (CUDA for Tegra, Table 1). */
static bool region_reaches(const struct context *c, const struct region *r)
{
    if (r->mem.kind == HAL_MEM_MANAGED && !device_profile(context_device(c))->gpu.managed_memory) {
        return false;
    }
    return !r->physical || r->physical->prop.location.id == device_ordinal(context_device(c));
}

static bool gpu_may_use(const struct region *r)
{
    return r->physical ? r->access != CU_MEM_ACCESS_FLAGS_PROT_NONE : managed_gpu_may_use(r);
}

/* In no other context, nor where it is not for the GPU. */
static void leave_out(const struct region *r)
{
    for (unsigned i = 0; i < context_count(); i++) {
        struct context *c = context_nth(i);

        if (region_everywhere(r) ? !gpu_may_use(r) || !region_reaches(c, r) : c != r->context) {
            as_leave_out(c, &r->mem);
        }
    }
}

static int region_map(struct region *r)
{
    bool read_only = gpu_reads_only(r);

    if (r->gpu_uncached) {
        return as_map_uncached(r->context, &r->mem, read_only);
    }
    if (!region_everywhere(r)) {
        return as_map(r->context, &r->mem, read_only);
    }
    if (!gpu_may_use(r)) {
        return 0;
    }
    for (unsigned i = 0; i < context_count(); i++) {
        struct context *c = context_nth(i);

        if (region_reaches(c, r) && as_map(c, &r->mem, read_only)) {
            return -ENOMEM;
        }
    }
    return 0;
}

static void region_unmap(struct region *r)
{
    for (unsigned i = 0; r->far && i < context_count(); i++) {
        if (context_nth(i) != r->context) {
            as_unmap_second(context_nth(i), &r->mem);
        }
    }
    if (r->use == REGION_CONSTANTS) {
        as_unmap_second(r->context, &r->mem);
    }
    if (!region_everywhere(r)) {
        as_unmap(r->context, &r->mem);
        return;
    }
    for (unsigned i = 0; i < context_count(); i++) {
        as_unmap(context_nth(i), &r->mem);
    }
}

int region_map_all(struct context *context)
{
    for (struct region *r = region_above(0); r; r = region_above((uintptr_t)r->mem.cpu)) {
        if (region_everywhere(r) && region_reaches(context, r) && gpu_may_use(r) &&
            as_map(context, &r->mem, gpu_reads_only(r))) {
            return -ENOMEM;
        }
    }
    return 0;
}

struct region *region_alloc(struct context *context, enum hal_mem_kind kind, size_t bytes,
                            CUresult *error)
{
    struct region *r = g_new0(struct region, 1);
    size_t size = bytes + (HAL_PAGE - 1);
    int status;
    void *va;

    kind = kind == HAL_MEM_DEVICE ? device_memory_kind(context_device(context)) : kind;
    r->context = context;
    r->bytes = bytes;
    r->attach = CU_MEM_ATTACH_GLOBAL;
    *error = CUDA_ERROR_OUT_OF_MEMORY;
    if (bytes > room_most(kind)) { /* also keeps the sums below from wrapping */
        g_free(r);
        return NULL;
    }
    size &= ~(size_t)(HAL_PAGE - 1);
    if (kind != HAL_MEM_KERNEL && !room_has(kind, size)) {
        g_free(r);
        return NULL;
    }
    r->reserved = size + HAL_PAGE;
    va = hal_va_reserve(core_hal(), r->reserved, HAL_PAGE, NULL);
    status = va ? hal_mem_alloc(core_hal(), kind, bytes, HAL_PAGE, va, &r->mem) : -ENOMEM;
    if (status) {
        if (status == -ENOTSUP) { /* memory of this kind cannot be had on this machine */
            *error = CUDA_ERROR_NOT_SUPPORTED;
        }
        if (va) {
            hal_va_release(core_hal(), va, r->reserved);
        }
        g_free(r);
        return NULL;
    }
    region_insert(r);
    leave_out(r);
    if (region_map(r)) {
        region_free(r);
        return NULL;
    }
    *error = CUDA_SUCCESS;
    return r;
}

struct region *region_register(struct context *context, void *ptr, size_t bytes, unsigned flags,
                               CUresult *error)
{
    uintptr_t first = (uintptr_t)ptr & ~(uintptr_t)(HAL_PAGE - 1);
    uintptr_t end = ((uintptr_t)ptr + bytes + (HAL_PAGE - 1)) & ~(uintptr_t)(HAL_PAGE - 1);
    struct region *r = g_new0(struct region, 1);
    int status = hal_mem_register(core_hal(), (void *)first, end - first, &r->mem);

    *error = status == -EEXIST    ? CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED
             : status == -ENOTSUP ? CUDA_ERROR_NOT_SUPPORTED
             : status == -ENOMEM  ? CUDA_ERROR_OUT_OF_MEMORY
             : status             ? CUDA_ERROR_INVALID_VALUE
                                  : CUDA_SUCCESS;
    if (status) {
        g_free(r);
        return NULL;
    }
    r->context = context;
    r->bytes = bytes;
    r->flags = flags;
    r->host = ptr;
    region_insert(r);
    if (region_map(r)) {
        *error = CUDA_ERROR_OUT_OF_MEMORY;
        region_free(r);
        return NULL;
    }
    return r;
}

struct region *region_import(struct context *context, const struct hal_mem *mem, size_t bytes,
                             const uint64_t token[2], CUresult *error)
{
    struct region *r = g_new0(struct region, 1);

    r->mem = *mem;
    r->context = context;
    r->bytes = bytes;
    r->attach = CU_MEM_ATTACH_GLOBAL;
    r->imported = true;
    r->opens = 1;
    memcpy(r->token, token, sizeof(r->token));
    region_insert(r);
    leave_out(r);
    if (region_map(r)) {
        *error = CUDA_ERROR_OUT_OF_MEMORY;
        region_free(r);
        return NULL;
    }
    *error = CUDA_SUCCESS;
    return r;
}

struct region *region_map_shared(struct context *context, struct rt_shared *shared, uint64_t offset,
                                 uint64_t bytes, bool cached, bool writable, CUresult *error)
{
    struct region *r = g_new0(struct region, 1);
    uint64_t first = offset & ~(uint64_t)(HAL_PAGE - 1);

    r->mem = shared->mem;
    r->mem.bus += first;
    r->mem.size = (offset + bytes - first + (HAL_PAGE - 1)) & ~(uint64_t)(HAL_PAGE - 1);
    r->reserved = r->mem.size + HAL_PAGE;
    r->mem.cpu = hal_va_reserve(core_hal(), r->reserved, HAL_PAGE, NULL);
    *error = CUDA_ERROR_OUT_OF_MEMORY;
    if (!r->mem.cpu) {
        g_free(r);
        return NULL;
    }
    r->context = context;
    r->bytes = bytes;
    r->host = (uint8_t *)r->mem.cpu + (offset - first);
    r->attach = CU_MEM_ATTACH_GLOBAL;
    r->shared = shared;
    r->gpu_uncached = !cached;
    r->gpu_reads = !writable;
    shared_ref(shared);
    region_insert(r);
    leave_out(r);
    if (region_map(r)) {
        region_free(r);
        return NULL;
    }
    *error = CUDA_SUCCESS;
    return r;
}

uint64_t region_first(const struct region *r)
{
    return r->host ? (uintptr_t)r->host : (uintptr_t)r->mem.cpu;
}

void region_map_physical(struct physical *physical, uint64_t address)
{
    struct region *r = g_new0(struct region, 1);

    r->mem = physical->mem;
    r->mem.cpu = (void *)(uintptr_t)address;
    r->bytes = r->mem.size;
    r->attach = CU_MEM_ATTACH_GLOBAL;
    r->physical = physical;
    physical->mappings++;
    region_insert(r);
}

CUresult region_access(struct region *r, CUmemAccess_flags access)
{
    if (access != r->access && r->access != CU_MEM_ACCESS_FLAGS_PROT_NONE) {
        coherency_l2_clean_invalidate();
        region_unmap(r);
    }
    r->access = access;
    if (region_map(r)) {
        r->access = CU_MEM_ACCESS_FLAGS_PROT_NONE;
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    return CUDA_SUCCESS;
}

void region_unmap_physical(struct region *r)
{
    struct physical *physical = r->physical;

    coherency_l2_clean_invalidate();
    notify_region_gone(r);
    region_unmap(r);
    region_list_remove(r);
    g_free(r);
    physical->mappings--;
    physical_released(physical);
}

void region_free(struct region *r)
{

    /* Another allocation may get these pages: nothing of them may stay in the L2 (nvgpu cleans and
     * invalidates it on each unmap, common/mm/gmmu). Pinned memory was never in it. */
    if (r->mem.kind != HAL_MEM_PINNED) {
        coherency_l2_clean_invalidate();
    }
    notify_region_gone(r);
    region_unmap(r);
    if (r->exported) {
        hal_unexport(core_hal(), r->token);
    }
    if (r->closed) {
        hal_mem_protect(core_hal(), &r->mem, 0, r->mem.size, HAL_PROT_WRITE);
        check_managed_state(core_check(), r->mem.id, false, 0, 0);
    }
    region_list_remove(r);
    if (r->shared) {
        hal_va_release(core_hal(), r->mem.cpu, r->reserved);
        shared_unref(r->shared);
    } else if (r->mem.registered) {
        closed_moving(r->mem.cpu, r->mem.size);
        hal_mem_unregister(core_hal(), &r->mem);
        closed_moving(NULL, 0);
    } else {
        room_give(r->mem.kind, r->mem.size);
        hal_mem_free(core_hal(), &r->mem);
        if (!r->imported) {
            hal_va_release(core_hal(), r->mem.cpu, r->reserved);
        }
    }
    if (r->uses) {
        g_array_free(r->uses, TRUE);
    }
    if (r->kernels) {
        g_array_free(r->kernels, TRUE);
    }
    g_free(r);
}

CUresult region_protect(struct region *r, enum region_use use)
{
    if (use == REGION_CONSTANTS && as_map_second(r->context, &r->mem)) {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    r->use = use;
    if (as_map(r->context, &r->mem, true)) {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    as_invalidate();
    return CUDA_SUCCESS;
}

uint64_t region_copy_va(const struct region *r, uint64_t address)
{
    return r && r->use == REGION_CONSTANTS
               ? as_second_va(&r->mem) + (address - (uintptr_t)r->mem.cpu)
               : address;
}

/* Rings, staging, time stamps: seen by the GPU of one context, never by the application. */
CUresult kernel_alloc(struct context *context, size_t bytes, struct hal_mem *mem)
{
    if (hal_mem_alloc(core_hal(), HAL_MEM_KERNEL, bytes, HAL_PAGE, NULL, mem)) {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    room_take(HAL_MEM_KERNEL, mem->size);
    if (as_map(context, mem, false)) {
        kernel_free(NULL, mem);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    return CUDA_SUCCESS;
}

void kernel_free(struct context *context, struct hal_mem *mem)
{
    if (mem->cpu) {
        if (context) {
            as_unmap(context, mem);
        }
        room_give(HAL_MEM_KERNEL, mem->size);
        hal_mem_free(core_hal(), mem);
        *mem = (struct hal_mem){ 0 };
    }
}

/* Device and managed memory go with their context; so does pinned memory (CUDA Driver API,
 * cuCtxDestroy: all resources). */
void region_free_all(struct context *c)
{
    struct check_caller caller = check_caller_get();
    g_autoptr(GPtrArray) mine = g_ptr_array_new();

    for (struct region *r = region_above(0); r; r = region_above((uintptr_t)r->mem.cpu)) {
        if (r->context == c) {
            g_ptr_array_add(mine, r);
        }
    }
    for (guint i = 0; i < mine->len; i++) {
        struct region *r = g_ptr_array_index(mine, i);

        if (!r->shared) {
            check_region_remove(core_check(), r->mem.id, &caller);
        }
        region_free(r);
    }
}

void kernel_free_chunks(struct context *c, GPtrArray *chunks)
{
    for (guint i = 0; i < chunks->len; i++) {
        kernel_free(c, g_ptr_array_index(chunks, i));
        g_free(g_ptr_array_index(chunks, i));
    }
    g_ptr_array_set_size(chunks, 0);
}
