/* SPDX-License-Identifier: MIT */
/* cuMemAddressReserve to cuMemUnmap: what is checked, in the order that NVIDIA's driver has. */
#include "runtime/driver/memory/virtual_internal.h"

#include "runtime/driver/core/core.h"
#include "runtime/driver/core/object_room.h"
#include "runtime/driver/core/report.h"
#include "runtime/driver/core/rules.h"
#include "runtime/driver/device/context.h"
#include "runtime/driver/device/devices.h"
#include "runtime/driver/memory/region_internal.h"
#include "runtime/driver/memory/room.h"
#include "runtime/driver/memory/rt_virtual.h"

#define REFERENCE "CUDA Driver API, virtual memory management"

static bool virtual_aligned(uint64_t n)
{
    return n % VIRTUAL_GRANULARITY == 0;
}

static bool virtual_reserved(uint64_t address, size_t size)
{
    guint i;
    const struct reservation *r = reservation_at(address, &i);

    return r && size <= r->base + r->size - address;
}

/* The first mapping that touches [@address, @end). */
static struct region *mapping_in(uint64_t address, uint64_t end)
{
    struct region *r = region_at(address);

    if (r) {
        return r;
    }
    r = region_above(address);
    return r && (uintptr_t)r->mem.cpu < end ? r : NULL;
}

/* Does the range end where mappings end, or nothing is? @gaps: may there be nothing? */
static bool whole_mappings(uint64_t address, size_t size, bool gaps)
{
    uint64_t end = address + size;

    while (address < end) {
        const struct region *r = mapping_in(address, end);

        if (!r) {
            return gaps;
        }
        if ((uintptr_t)r->mem.cpu < address || (uintptr_t)r->mem.cpu + r->mem.size > end ||
            (!gaps && (uintptr_t)r->mem.cpu > address)) {
            return false;
        }
        address = (uintptr_t)r->mem.cpu + r->mem.size;
    }
    return true;
}

CUresult rt_virtual_granularity(size_t *granularity, const CUmemAllocationProp *prop,
                                CUmemAllocationGranularity_flags option)
{
    CUresult error = core_enter();

    if (error) {
        return error;
    }
    if (!granularity || !prop ||
        (option != CU_MEM_ALLOC_GRANULARITY_MINIMUM &&
         option != CU_MEM_ALLOC_GRANULARITY_RECOMMENDED)) {
        return core_leave(CUDA_ERROR_INVALID_VALUE);
    }
    error = rule_check("cuMemGetAllocationGranularity");
    if (!error) {
        *granularity = VIRTUAL_GRANULARITY;
    }
    return core_leave(error);
}

CUresult rt_virtual_reserve(CUdeviceptr *ptr, size_t size, size_t alignment, CUdeviceptr address,
                            unsigned long long flags)
{
    struct reservation r = { .size = size };
    CUresult error = core_enter();

    if (error) {
        return error;
    }
    if (!ptr || !size || !virtual_aligned(size) || flags || (alignment & (alignment - 1))) {
        return core_leave(CUDA_ERROR_INVALID_VALUE);
    }
    error = rule_check("cuMemAddressReserve");
    if (error) {
        return core_leave(error);
    }
    r.base = (uintptr_t)hal_va_reserve(core_hal(), size, MAX(alignment, VIRTUAL_GRANULARITY),
                                       (void *)(uintptr_t)address);
    if (!r.base) {
        return core_leave(report_error(CUDA_ERROR_OUT_OF_MEMORY, "cuMemAddressReserve", REFERENCE,
                                       "no room for %zu bytes of addresses", size));
    }
    reservation_add(&r);
    *ptr = r.base;
    return core_leave(CUDA_SUCCESS);
}

CUresult rt_virtual_free(CUdeviceptr ptr, size_t size)
{
    guint i;
    const struct reservation *r;
    CUresult error = core_enter();

    if (error) {
        return error;
    }
    r = reservation_at(ptr, &i);
    if (!r || r->base != ptr || r->size != size) {
        return core_leave(report_error(CUDA_ERROR_INVALID_VALUE, "cuMemAddressFree", REFERENCE,
                                       "the range is not one that cuMemAddressReserve returned"));
    }
    if (mapping_in(ptr, ptr + size)) {
        return core_leave(report_error(CUDA_ERROR_INVALID_VALUE, "cuMemAddressFree", REFERENCE,
                                       "memory is mapped there: cuMemUnmap comes first"));
    }
    hal_va_release(core_hal(), (void *)(uintptr_t)ptr, size);
    reservation_remove(i);
    return core_leave(CUDA_SUCCESS);
}

static CUresult prop_check(const CUmemAllocationProp *prop)
{
    if (prop->type != CU_MEM_ALLOCATION_TYPE_PINNED ||
        prop->location.type != CU_MEM_LOCATION_TYPE_DEVICE ||
        (prop->requestedHandleTypes & (CU_MEM_HANDLE_TYPE_WIN32 | CU_MEM_HANDLE_TYPE_WIN32_KMT))) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    return device_of(prop->location.id) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}

CUresult rt_virtual_create(CUmemGenericAllocationHandle *handle, size_t size,
                           const CUmemAllocationProp *prop, unsigned long long flags)
{
    struct physical *p;
    CUresult error = core_enter();

    if (error) {
        return error;
    }
    if (!handle || !prop || !size || !virtual_aligned(size) || flags) {
        return core_leave(CUDA_ERROR_INVALID_VALUE);
    }
    error = prop_check(prop);
    error = error ? error : rule_check("cuMemCreate");
    error = error ? error : object_room("cuMemCreate", 1, "physical memory");
    if (error) {
        return core_leave(error);
    }
    physical_reap();
    p = size <= room_most(device_memory_kind(device_current())) ? physical_new(size, prop) : NULL;
    if (!p) {
        return core_leave(
            report_error(CUDA_ERROR_OUT_OF_MEMORY, "cuMemCreate", "CUDA for Tegra 2.2",
                         "no room for %zu bytes: %" G_GUINT64_FORMAT " MiB are in use", size,
                         room_used(device_memory_kind(device_current())) >> 20));
    }
    *handle = (uintptr_t)p->base.handle;
    return core_leave(CUDA_SUCCESS);
}

CUresult rt_virtual_release(CUmemGenericAllocationHandle handle)
{
    struct physical *p;
    CUresult error = core_enter();

    if (error) {
        return error;
    }
    p = physical_of(handle);
    if (!p) {
        return core_leave(report_error(CUDA_ERROR_INVALID_VALUE, "cuMemRelease", REFERENCE,
                                       "the handle is none, or was released before"));
    }
    p->handles--;
    physical_released(p);
    return core_leave(CUDA_SUCCESS);
}

CUresult rt_virtual_map(CUdeviceptr ptr, size_t size, size_t offset,
                        CUmemGenericAllocationHandle handle, unsigned long long flags)
{
    struct physical *p;
    CUresult error = core_enter();

    if (error) {
        return error;
    }
    p = physical_of(handle);
    if (flags || !size || !ptr || !p) {
        return core_leave(CUDA_ERROR_INVALID_VALUE);
    }
    if (offset || size != p->mem.size) {
        return core_leave(report_error(CUDA_ERROR_NOT_SUPPORTED, "cuMemMap", REFERENCE,
                                       "a handle of %zu bytes is mapped whole, not %zu bytes from "
                                       "offset %zu",
                                       p->mem.size, size, offset));
    }
    if (!virtual_aligned(ptr) || !virtual_reserved(ptr, size) || mapping_in(ptr, ptr + size)) {
        return core_leave(report_error(CUDA_ERROR_INVALID_VALUE, "cuMemMap", REFERENCE,
                                       "the range is not reserved, not aligned to the granularity, "
                                       "or in use"));
    }
    region_map_physical(p, ptr);
    return core_leave(CUDA_SUCCESS);
}

CUresult rt_virtual_unmap(CUdeviceptr ptr, size_t size)
{
    g_autoptr(GArray) pending = NULL;
    struct region *r;
    CUresult error = core_enter();

    if (error) {
        return error;
    }
    if (!size || !virtual_aligned(ptr) || !virtual_aligned(size) || !virtual_reserved(ptr, size) ||
        !whole_mappings(ptr, size, true)) {
        return core_leave(report_error(CUDA_ERROR_INVALID_VALUE, "cuMemUnmap", REFERENCE,
                                       "the range is not reserved, or ends inside a mapping"));
    }
    pending = inuse_pending();
    for (unsigned i = 0; i < context_count(); i++) { /* each may let the lock go for a while */
        CUresult status = context_wait(context_nth(i));

        error = error ? error : status;
    }
    while ((r = mapping_in(ptr, ptr + size)) && whole_mappings(ptr, size, true)) {
        inuse_report(pending, r, "cuMemUnmap");
        region_unmap_physical(r);
    }
    return core_leave(error);
}

/* Has @device all memory that is mapped from @ptr on? No other gets access to it: none is a peer
 * (cuDeviceCanAccessPeer). */
static bool all_of_device(uint64_t ptr, size_t size, CUdevice device)
{
    bool all = true;

    for (uint64_t at = ptr; at < ptr + size && all;) {
        const struct region *r = region_at(at);

        all = r->physical->prop.location.id == device;
        at += r->mem.size;
    }
    return all;
}

CUresult rt_virtual_set_access(CUdeviceptr ptr, size_t size, const CUmemAccessDesc *desc,
                               size_t count)
{
    CUmemAccess_flags flags = CU_MEM_ACCESS_FLAGS_PROT_NONE;
    struct region *r;
    CUresult error = core_enter();

    if (error) {
        return error;
    }
    if (!size || !desc || !count || !virtual_aligned(ptr) || !virtual_reserved(ptr, size) ||
        !whole_mappings(ptr, size, false)) {
        return core_leave(CUDA_ERROR_INVALID_VALUE);
    }
    for (size_t i = 0; i < count; i++) {
        flags = desc[i].flags;
        if (desc[i].location.type != CU_MEM_LOCATION_TYPE_DEVICE ||
            (flags != CU_MEM_ACCESS_FLAGS_PROT_NONE && flags != CU_MEM_ACCESS_FLAGS_PROT_READ &&
             flags != CU_MEM_ACCESS_FLAGS_PROT_READWRITE)) {
            return core_leave(CUDA_ERROR_INVALID_VALUE);
        }
        if (!device_of(desc[i].location.id)) { /* measured */
            return core_leave(CUDA_ERROR_INVALID_VALUE);
        }
        if (!all_of_device(ptr, size, desc[i].location.id)) {
            return core_leave(CUDA_ERROR_INVALID_DEVICE);
        }
    }
    for (uint64_t at = ptr; at < ptr + size && !error; at += r->mem.size) {
        r = region_at(at);
        error = region_access(r, flags);
    }
    return core_leave(error);
}

CUresult rt_virtual_access(unsigned long long *flags, const CUmemLocation *location,
                           CUdeviceptr ptr)
{
    const struct region *r;
    CUresult error = core_enter();

    if (error) {
        return error;
    }
    r = region_at(ptr);
    if (!flags || !location || !r || !r->physical ||
        location->type != CU_MEM_LOCATION_TYPE_DEVICE) {
        return core_leave(CUDA_ERROR_INVALID_VALUE);
    }
    if (!device_of(location->id)) {
        return core_leave(CUDA_ERROR_INVALID_DEVICE);
    }
    *flags =
        location->id == r->physical->prop.location.id ? r->access : CU_MEM_ACCESS_FLAGS_PROT_NONE;
    return core_leave(CUDA_SUCCESS);
}

CUresult rt_virtual_retain(CUmemGenericAllocationHandle *handle, void *addr)
{
    struct region *r;
    CUresult error = core_enter();

    if (error) {
        return error;
    }
    r = region_at((uintptr_t)addr);
    if (!handle || !r || !r->physical) {
        return core_leave(CUDA_ERROR_INVALID_VALUE);
    }
    r->physical->handles++;
    *handle = (uintptr_t)r->physical->base.handle;
    return core_leave(CUDA_SUCCESS);
}

CUresult rt_virtual_properties(CUmemAllocationProp *prop, CUmemGenericAllocationHandle handle)
{
    const struct physical *p;
    CUresult error = core_enter();

    if (error) {
        return error;
    }
    p = physical_of(handle);
    if (!prop || !p) {
        return core_leave(CUDA_ERROR_INVALID_VALUE);
    }
    *prop = p->prop;
    return core_leave(CUDA_SUCCESS);
}

CUresult rt_virtual_export(void *shareable, CUmemGenericAllocationHandle handle,
                           CUmemAllocationHandleType type, unsigned long long flags)
{
    struct physical *p;
    CUresult error = core_enter();

    if (error) {
        return error;
    }
    error = rule_check("cuMemExportToShareableHandle");
    if (error) {
        return core_leave(error);
    }
    p = physical_of(handle);
    if (!shareable || !p || flags || type != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR ||
        !(p->prop.requestedHandleTypes & CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR)) {
        return core_leave(CUDA_ERROR_INVALID_VALUE);
    }
    return core_leave(physical_export(p, shareable));
}

CUresult rt_virtual_import(CUmemGenericAllocationHandle *handle, void *os_handle,
                           CUmemAllocationHandleType type)
{
    struct physical *p = NULL;
    CUresult error = core_enter();

    if (error) {
        return error;
    }
    error = rule_check("cuMemImportFromShareableHandle");
    if (error) {
        return core_leave(error);
    }
    if (!handle || !os_handle) {
        return core_leave(CUDA_ERROR_INVALID_VALUE);
    }
    if (type != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR) {
        return core_leave(CUDA_ERROR_NOT_SUPPORTED);
    }
    error = physical_import((int)(intptr_t)os_handle, &p);
    if (error == CUDA_ERROR_UNKNOWN) {
        error = report_error(error, "cuMemImportFromShareableHandle", REFERENCE,
                             "the descriptor is not one that cuMemExportToShareableHandle gave in "
                             "a process of this board (vtegra run --shared, or --board SOCKET for "
                             "each), or that has released the memory or ended");
    }
    if (!error) {
        p->handles++;
        *handle = (uintptr_t)p->base.handle;
    }
    return core_leave(error);
}
