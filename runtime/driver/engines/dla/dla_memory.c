/* SPDX-License-Identifier: MIT */
/* Registered memory: what the SMMU lets a DLA see, and whose an address is (note 5.1.3). */
#include "runtime/driver/core/cost.h"
#include "runtime/driver/engines/dla/dla_submit.h"
#include "runtime/driver/engines/interop.h"
#include "runtime/observe/range.h"

#include "runtime/driver/core/core.h"
#include "runtime/driver/memory/memory.h"

#define PAGE_DOWN(x) ((x) & ~(uint64_t)(HAL_PAGE - 1))
#define PAGE_UP(x) PAGE_DOWN((x) + HAL_PAGE - 1)

struct dla_buffer *dla_buffer_find(const struct dla_device *d, uint64_t device_ptr)
{
    for (guint i = 0; i < d->buffers->len; i++) {
        struct dla_buffer *b = g_ptr_array_index(d->buffers, i);

        if (b->device_ptr == device_ptr) {
            return b;
        }
    }
    return NULL;
}

static struct dla_buffer *registered_from(const struct dla_device *d, uint64_t ptr)
{
    for (guint i = 0; i < d->buffers->len; i++) {
        struct dla_buffer *b = g_ptr_array_index(d->buffers, i);

        if (b->ptr == ptr && !b->freed) {
            return b;
        }
    }
    return NULL;
}

static const char *kind_name(const struct region *r)
{
    return region_mem(r)->registered           ? "memory of cudaHostRegister()"
           : region_kind(r) == HAL_MEM_DEVICE  ? "memory of cudaMalloc()"
           : region_kind(r) == HAL_MEM_PINNED  ? "pinned memory"
           : region_kind(r) == HAL_MEM_MANAGED ? "managed memory"
                                               : "memory of the driver";
}

/* Is it memory that can be registered at all? */
static cudlaStatus check_memory(const struct dla_device *d, uint64_t ptr, size_t size,
                                const struct region **out)
{
    static const char *const api = "cudlaMemRegister", *const section =
                                                           "cuDLA API, cudlaMemRegister";
    const struct region *r = region_at(ptr);
    const struct dla_buffer *known = registered_from(d, ptr);
    const struct freed *freed = r ? NULL : region_freed_at(ptr);

    if (freed) {
        return dla_error(cudlaErrorInvalidAddress, api, section,
                         "0x%" G_GINT64_MODIFIER
                         "x lies in memory that was freed (%" G_GUINT64_FORMAT
                         " bytes): register it before, and free it after cudlaMemUnregister()",
                         ptr, freed->bytes);
    }
    if (!r || region_kind(r) == HAL_MEM_KERNEL || !region_range(ptr, 1)) {
        return dla_error(cudlaErrorInvalidAddress, api, section,
                         "0x%" G_GINT64_MODIFIER
                         "x is no CUDA memory: allocate it with cudaMalloc() "
                         "or cudaHostAlloc()",
                         ptr);
    }
    if (region_kind(r) == HAL_MEM_MANAGED) {
        return dla_rule(DLA_RULE_MANAGED, api, region_id(r),
                        "managed memory cannot be shared with the DLA");
    }
    if (region_virtual(r)) {
        return dla_rule(DLA_RULE_VMM, api, region_id(r),
                        "memory of cuMemCreate() cannot be shared with the DLA");
    }
    if (!region_range(ptr, size)) {
        return dla_error(cudlaErrorInvalidAddress, api, section,
                         "%zu bytes from 0x%" G_GINT64_MODIFIER
                         "x on leave their allocation, %s of %zu bytes, by %" G_GUINT64_FORMAT
                         ": allocate as many as the tensor's descriptor says",
                         size, ptr, kind_name(r), region_bytes(r),
                         ptr - region_address(r) + size - region_bytes(r));
    }
    if (ptr % DLA_ALIGN) {
        return dla_rule(DLA_RULE_ALIGNMENT, api, region_id(r),
                        "0x%" G_GINT64_MODIFIER "x is no multiple of %u, as the DLA needs it", ptr,
                        DLA_ALIGN);
    }
    if (known) {
        return dla_rule(DLA_RULE_REGISTERED_TWICE, api, region_id(r),
                        "this memory is registered with this handle already (%" G_GUINT64_FORMAT
                        " bytes)",
                        known->size);
    }
    *out = r;
    return cudlaSuccess;
}

static cudlaStatus dla_memory_map(struct dla_device *d, const struct region *r,
                                  struct dla_buffer *b)
{
    uint64_t base = region_address(r), first = PAGE_DOWN(b->ptr);
    int error;

    b->mapped = PAGE_UP(b->ptr + b->size) - first;
    error =
        hal_iommu_map(core_hal(), d->unit->unit, region_mem(r), first - base, b->mapped,
                      b->flags & CUDLA_READ_ONLY_PERM ? HAL_PROT_READ : HAL_PROT_WRITE, &b->iova);
    if (error) {
        return dla_error(cudlaErrorOutOfResources, "cudlaMemRegister",
                         "cuDLA API, cudlaMemRegister",
                         "the SMMU has no room for %" G_GUINT64_FORMAT " bytes (%s)", b->mapped,
                         g_strerror(-error));
    }
    b->device_ptr = b->iova + (b->ptr - first);
    return cudlaSuccess;
}

/* What was there before at these addresses. */
static void dla_memory_forget(struct dla_device *d, const struct dla_buffer *b)
{
    for (guint i = d->past->len; i > 0; i--) {
        const struct dla_past *p = &g_array_index(d->past, struct dla_past, i - 1);

        if (p->device_ptr < b->device_ptr + b->size && b->device_ptr < p->device_ptr + p->size) {
            g_array_remove_index(d->past, i - 1);
        }
    }
}

const char *dla_flags_unknown(uint32_t flags)
{
    return flags & ~(uint32_t)(CUDLA_READ_ONLY_PERM | CUDLA_TASK_STATISTICS)
               ? "flags is unknown: CUDLA_READ_WRITE_PERM (0), CUDLA_READ_ONLY_PERM and "
                 "CUDLA_TASK_STATISTICS are"
               : NULL;
}

cudlaStatus rt_dla_register(cudlaDevHandle handle, const void *ptr, size_t size,
                            uint64_t **device_ptr, uint32_t flags)
{
    static const char *const api = "cudlaMemRegister";
    const char *unknown = dla_flags_unknown(flags);
    const struct region *r = NULL;
    struct dla_device *d;
    struct dla_buffer *b;
    cudlaStatus status = dla_enter(handle, &d, api);

    if (status) {
        return status;
    }
    cost_pass(COST_MAP, 1);
    if (!ptr || !device_ptr || unknown) {
        status = dla_error(cudlaErrorInvalidParam, api, "cuDLA API, cudlaMemRegister", "%s",
                           !ptr          ? "ptr is NULL"
                           : !device_ptr ? "devPtr is NULL"
                                         : unknown);
        return dla_leave_device(d, status, api);
    }
    if (!size) {
        status = dla_error(cudlaErrorInvalidAddress, api, "cuDLA API, cudlaMemRegister",
                           "0 bytes cannot be registered");
        return dla_leave_device(d, status, api);
    }
    status = dla_error_before(d, api);
    if (!status && d->standalone) {
        status = dla_error(cudlaErrorUnsupportedOperation, api, "CUDA for Tegra 5.1.3",
                           "memory of CUDA belongs to hybrid mode: this handle is standalone, and "
                           "takes NvSciBuf objects (cudlaImportExternalMemory)");
    }
    status = status ? status : check_memory(d, (uintptr_t)ptr, size, &r);
    if (status) {
        return dla_leave_device(d, status, api);
    }
    b = g_new0(struct dla_buffer, 1);
    *b = (struct dla_buffer){ .ptr = (uintptr_t)ptr,
                              .size = size,
                              .serial = region_serial(r),
                              .region = region_id(r),
                              .flags = flags };
    status = dla_memory_map(d, r, b);
    if (status) {
        g_free(b);
        return dla_leave_device(d, status, api);
    }
    dla_memory_forget(d, b);
    g_ptr_array_add(d->buffers, b);
    if (engine_mode() & ENGINE_INDEPENDENT) {
        check_shared(core_check(), b->region);
    }
    *device_ptr = (uint64_t *)(uintptr_t)b->device_ptr;
    return dla_leave(cudlaSuccess);
}

/* Another handle has it registered, or one had. */
static const struct dla_device *other_with(const struct dla_device * not, uint64_t address)
{
    for (unsigned i = 0; i < DLA_UNITS * DLA_TASK_QUEUES; i++) {
        struct dla_unit *u = dla_unit_at(i / DLA_TASK_QUEUES);
        struct dla_device *d = u ? u->device[i % DLA_TASK_QUEUES] : NULL;

        if (d && d != not&&dla_buffer_find(d, address)) {
            return d;
        }
    }
    return NULL;
}

/* Why there is nothing to unregister: the case, and the buffer. */
static cudlaStatus nothing_to_unregister(const struct dla_device *d, uint64_t address)
{
    static const char *const api = "cudlaMemUnregister";
    const struct region *r = region_at(address);
    const struct dla_buffer *b = r ? registered_from(d, address) : NULL;
    const struct dla_past *past = dla_past_at(d, address);
    const struct dla_device *other = other_with(d, address);
    uint32_t region = 0;
    g_autofree char *what = NULL;

    if (r && region_kind(r) != HAL_MEM_KERNEL) {
        region = region_id(r);
        what = b ? g_strdup_printf("is the CUDA pointer; the memory is registered as "
                                   "0x%" G_GINT64_MODIFIER "x, which is to be named here",
                                   b->device_ptr)
                 : g_strdup("is a CUDA pointer, of memory that is not registered with this handle");
    } else if (past && past->device_ptr == address) {
        region = past->region;
        what = g_strdup("was unregistered from this handle before");
    } else if (other) {
        region = dla_buffer_find(other, address)->region;
        what = g_strdup_printf("is a registration of another handle (number %u; this is %u)",
                               other->number, d->number);
    } else {
        what = g_strdup("is nothing that cudlaMemRegister() returned");
    }
    return dla_rule(DLA_RULE_NOT_A_REGISTRATION, api, region, "0x%" G_GINT64_MODIFIER "x %s",
                    address, what);
}

cudlaStatus rt_dla_unregister(cudlaDevHandle handle, const uint64_t *device_ptr)
{
    static const char *const api = "cudlaMemUnregister";
    struct dla_device *d;
    struct dla_buffer *b;
    cudlaStatus status = dla_enter(handle, &d, api);

    if (status) {
        return status;
    }
    b = dla_buffer_find(d, (uintptr_t)device_ptr);
    if (!b && dla_sync_unregister(d, (uintptr_t)device_ptr)) {
        return dla_leave(dla_error_before(d, api));
    }
    if (!b) {
        status = nothing_to_unregister(d, (uintptr_t)device_ptr);
        return dla_leave_device(d, status, api);
    }
    status = dla_error_before(d, api);
    if (!status && dla_in_flight(d)) {
        dla_rule(DLA_RULE_UNREGISTER_IN_FLIGHT, api, b->region,
                 "the handle still has tasks that have not run; the DLA cannot see the memory from "
                 "now on");
    }
    /* Also after an error: the program has to be able to clean up. */
    dla_buffer_unmap(d, b);
    dla_past_add(d, b, false);
    g_ptr_array_remove(d->buffers, b);
    return dla_leave_device(d, status, api);
}

void dla_buffers_drop(struct dla_device *d)
{
    for (guint i = 0; i < d->buffers->len; i++) {
        dla_buffer_unmap(d, g_ptr_array_index(d->buffers, i));
    }
    g_ptr_array_set_size(d->buffers, 0);
}

void dla_overrun_report(const struct dla_buffer *b, const char *tensor, uint64_t bytes, bool write)
{
    const struct region *r = region_at(b->ptr);
    uint64_t base = !r ? 0 : region_host(r) ? (uintptr_t)region_host(r) : region_address(r);
    uint64_t end = r ? base + region_bytes(r) : 0, pages = PAGE_DOWN(b->ptr) + b->mapped;
    uint64_t to = MIN(b->ptr + bytes, pages);

    if (!r || region_serial(r) != b->serial || to <= end) {
        return;
    }
    dla_rule(DLA_RULE_OVERRUN, "cudlaSubmitTask", b->region,
             "%s has %" G_GUINT64_FORMAT
             " bytes, and the DLA %s past the end of this buffer of %zu "
             "bytes by %" G_GUINT64_FORMAT ": the SMMU lets it, up to the end of the page%s. %s",
             tensor, bytes, write ? "writes" : "reads", region_bytes(r), to - end,
             b->ptr + bytes > pages ? ", where it refuses the rest" : "",
             region_host(r)
                 ? "Other data of the program lies there"
                 : "On a board, which puts small allocations side by side, another buffer can "
                   "lie there");
}

cudlaStatus dla_not_registered(const struct dla_device *d, uint64_t address, const char *tensor)
{
    static const char *const api = "cudlaSubmitTask";
    const struct region *r = region_at(address);
    const struct dla_past *past = dla_past_at(d, address);
    const struct dla_device *other = other_with(d, address);
    const struct dla_buffer *b = r ? registered_from(d, address) : NULL;

    if (b) {
        return dla_rule(
            DLA_RULE_NOT_REGISTERED, api, region_id(r),
            "%s is the CUDA pointer; the memory is registered, but the task must name what "
            "cudlaMemRegister() returned",
            tensor);
    }
    if (r && region_kind(r) != HAL_MEM_KERNEL) {
        return dla_rule(DLA_RULE_NOT_REGISTERED, api, region_id(r),
                        "%s is a CUDA pointer (%s, %zu bytes) that was never registered with this "
                        "handle: the SMMU has no entry for it",
                        tensor, kind_name(r), region_bytes(r));
    }
    if (other) {
        return dla_rule(DLA_RULE_NOT_REGISTERED, api, dla_buffer_find(other, address)->region,
                        "%s is registered with another handle only (number %u)", tensor,
                        other->number);
    }
    if (past) {
        return dla_rule(DLA_RULE_NOT_REGISTERED, api, past->region, "%s names memory that was %s",
                        tensor, past->freed ? "freed" : "unregistered");
    }
    return dla_rule(DLA_RULE_NOT_REGISTERED, api, 0,
                    "%s, 0x%" G_GINT64_MODIFIER "x, is nothing that cudlaMemRegister() returned",
                    tensor, address);
}
