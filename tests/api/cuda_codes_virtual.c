/* SPDX-License-Identifier: MIT */
/* Codes of virtual memory management: reservations, mappings in part, access, shareable handles. */
#include "cuda_codes.h"

#include <unistd.h>

static size_t g; /* of the device; a figure of its own, so never printed */

static CUmemAllocationProp device_prop(CUmemAllocationHandleType handles)
{
    CUmemAllocationProp p;

    memset(&p, 0, sizeof(p));
    p.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    p.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    p.requestedHandleTypes = handles;
    cuMemGetAllocationGranularity(&g, &p, CU_MEM_ALLOC_GRANULARITY_MINIMUM);
    return p;
}

static const CUmemAccessDesc read_write = { { CU_MEM_LOCATION_TYPE_DEVICE, 0 },
                                            CU_MEM_ACCESS_FLAGS_PROT_READWRITE };
static const CUmemAccessDesc read_only = { { CU_MEM_LOCATION_TYPE_DEVICE, 0 },
                                           CU_MEM_ACCESS_FLAGS_PROT_READ };
static const CUmemAccessDesc no_access = { { CU_MEM_LOCATION_TYPE_DEVICE, 0 },
                                           CU_MEM_ACCESS_FLAGS_PROT_NONE };

static void virtual_reserve(void)
{
    CUdeviceptr p = 0, q = 0;

    device_prop(CU_MEM_HANDLE_TYPE_NONE);
    C(cuMemAddressReserve(&p, 4 * g, 0, 0, 0));
    V(p % g);
    C(cuMemAddressReserve(&q, g, 0, p, 0)); /* a hint that is taken */
    V(q != p);
    C(cuMemAddressFree(q, g));
    C(cuMemAddressReserve(&q, g, 16 * g, 0, 0));
    V(q % (16 * g));
    C(cuMemAddressFree(q, g));
    C(cuMemAddressReserve(&q, g, 3, 0, 0));
    C(cuMemAddressReserve(&q, g, 0, 0, 1));
    C(cuMemAddressReserve(&q, g / 2, 0, 0, 0));
    C(cuMemAddressFree(p, g));
    C(cuMemAddressFree(p + g, g));
    C(cuMemAddressFree(0, g));
    C(cuMemAddressFree(p, 0));
    C(cuMemAddressFree(p, 4 * g));
    C(cuMemAddressFree(p, 4 * g));
}

static void virtual_parts(void)
{
    CUmemAllocationProp prop = device_prop(CU_MEM_HANDLE_TYPE_NONE);
    CUmemGenericAllocationHandle h = 0, k = 0;
    CUdeviceptr p = 0;
    char byte[4] = { 1, 2, 3, 4 };
    unsigned long long flags = 0;

    C(cuMemAddressReserve(&p, 4 * g, 0, 0, 0));
    C(cuMemCreate(&h, 2 * g, &prop, 0));
    C(cuMemCreate(&k, g, &prop, 0));
    C(cuMemMap(p, g, g, h, 0)); /* from an offset in the handle */
    C(cuMemMap(p, 2 * g, 0, h, 0));
    C(cuMemMap(p, 2 * g, g, h, 0));
    C(cuMemMap(p, g / 2, 0, h, 0));
    C(cuMemMap(p + 1, g, 0, h, 0));
    C(cuMemMap(p, g, 0, h, 1));
    C(cuMemMap(p, 0, 0, h, 0));
    C(cuMemMap(p, g, 0, 0, 0));
    C(cuMemMap(0, g, 0, h, 0));
    C(cuMemUnmap(p, 4 * g));
    C(cuMemUnmap(p, g));
    C(cuMemMap(p, 2 * g, 0, h, 0));
    C(cuMemMap(p + 2 * g, g, 0, k, 0));
    C(cuMemMap(p + 3 * g, g, 0, k, 0)); /* twice */
    C(cuMemcpyHtoD(p, byte, 4));
    C(cuMemSetAccess(p, 4 * g, &read_write, 1));
    C(cuMemcpyHtoD(p + 2 * g, byte, 4));
    C(cuMemcpyDtoH(byte, p + 3 * g, 4));
    V(byte[3]);
    C(cuMemcpyDtoD(p + 2 * g - 2, p + 2 * g, 4)); /* across two handles */
    C(cuMemSetAccess(p, g, &no_access, 1));
    C(cuMemGetAccess(&flags, &read_write.location, p));
    V(flags);
    C(cuMemGetAccess(&flags, &read_write.location, p + g));
    V(flags);
    C(cuMemSetAccess(p + g, g, &read_only, 1));
    C(cuMemGetAccess(&flags, &read_write.location, p + g));
    V(flags);
    C(cuMemGetAccess(NULL, &read_write.location, p));
    C(cuMemGetAccess(&flags, NULL, p));
    C(cuMemGetAccess(&flags, &read_write.location, 16));
    C(cuMemUnmap(p, g));
    C(cuMemUnmap(p + g / 2, g));
    C(cuMemUnmap(p, 2 * g));
    C(cuMemRelease(h));
    C(cuMemRelease(h));
    C(cuMemRelease(k));
    C(cuMemcpyDtoH(byte, p + 2 * g, 4)); /* a mapping keeps it */
    C(cuMemAddressFree(p, 4 * g));
    C(cuMemUnmap(p + 2 * g, 2 * g));
    C(cuMemAddressFree(p, 4 * g));
    C(cuMemRelease(0));
}

static void virtual_pointer(void)
{
    CUmemAllocationProp prop = device_prop(CU_MEM_HANDLE_TYPE_NONE), got;
    CUmemGenericAllocationHandle h = 0, again = 0;
    CUdeviceptr p = 0, base = 0, range = 0;
    size_t size = 0;
    unsigned type = 0;
    int n = 0;

    C(cuMemAddressReserve(&p, 2 * g, 0, 0, 0));
    C(cuMemCreate(&h, g, &prop, 0));
    C(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, p));
    C(cuMemRetainAllocationHandle(&again, (void *)p));
    C(cuMemMap(p, g, 0, h, 0));
    C(cuMemSetAccess(p, g, &read_write, 1));
    C(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, p));
    V(type);
    C(cuPointerGetAttribute(&range, CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, p + 8));
    V(range == p);
    C(cuPointerGetAttribute(&size, CU_POINTER_ATTRIBUTE_RANGE_SIZE, p + 8));
    V(size == g);
    C(cuPointerGetAttribute(&n, CU_POINTER_ATTRIBUTE_MAPPED, p));
    V(n);
    C(cuPointerGetAttribute(&n, CU_POINTER_ATTRIBUTE_IS_MANAGED, p));
    V(n);
    C(cuMemGetAddressRange(&base, &size, p + 8));
    V(base == p);
    V(size == g);
    C(cuMemFree(p));
    C(cuMemRetainAllocationHandle(&again, (void *)(p + 8)));
    C(cuMemRetainAllocationHandle(NULL, (void *)p));
    C(cuMemRetainAllocationHandle(&again, NULL));
    C(cuMemGetAllocationPropertiesFromHandle(&got, h));
    V(got.type);
    V(got.location.type);
    C(cuMemGetAllocationPropertiesFromHandle(&got, 0));
    C(cuMemsetD32(p, 7, g / 4));
    C(cuMemUnmap(p, g));
    C(cuMemRelease(h));
    C(cuMemRelease(h));
    C(cuMemRelease(h));
}

static void virtual_share(void)
{
    CUmemAllocationProp prop = device_prop(CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR);
    CUmemAllocationProp plain = device_prop(CU_MEM_HANDLE_TYPE_NONE);
    CUmemGenericAllocationHandle h = 0, k = 0, other = 0;
    CUdeviceptr p = 0;
    char byte[4] = { 5, 6, 7, 8 };
    int fd = -1, fd2 = -1;

    C(cuMemCreate(&h, g, &prop, 0));
    C(cuMemCreate(&other, g, &plain, 0));
    C(cuMemExportToShareableHandle(&fd, h, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
    V(fd >= 0);
    C(cuMemExportToShareableHandle(&fd2, other, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
    C(cuMemExportToShareableHandle(NULL, h, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
    C(cuMemExportToShareableHandle(&fd2, 0, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
    C(cuMemExportToShareableHandle(&fd2, h, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 1));
    C(cuMemExportToShareableHandle(&fd2, h, CU_MEM_HANDLE_TYPE_WIN32, 0));
    C(cuMemImportFromShareableHandle(&k, (void *)(size_t)fd,
                                     CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR));
    V(k != 0);
    C(cuMemImportFromShareableHandle(NULL, (void *)(size_t)fd,
                                     CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR));
    C(cuMemImportFromShareableHandle(&other, (void *)(size_t)fd, CU_MEM_HANDLE_TYPE_WIN32));
    C(cuMemImportFromShareableHandle(&other, (void *)1000,
                                     CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR));
    C(cuMemImportFromShareableHandle(&other, NULL, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR));
    close(fd);
    C(cuMemAddressReserve(&p, 2 * g, 0, 0, 0));
    C(cuMemMap(p, g, 0, h, 0));
    C(cuMemMap(p + g, g, 0, k, 0));
    C(cuMemSetAccess(p, 2 * g, &read_write, 1));
    C(cuMemcpyHtoD(p, byte, 4));
    memset(byte, 0, 4);
    C(cuMemcpyDtoH(byte, p + g, 4));
    V(byte[3]);
    C(cuMemRelease(h));
    C(cuMemRelease(k));
    C(cuMemUnmap(p, 2 * g));
    C(cuMemAddressFree(p, 2 * g));
}

static void virtual_props(void)
{
    CUmemAllocationProp prop = device_prop(CU_MEM_HANDLE_TYPE_NONE), bad;
    CUmemGenericAllocationHandle h = 0;
    size_t n = 0;

    C(cuMemGetAllocationGranularity(&n, &prop, CU_MEM_ALLOC_GRANULARITY_RECOMMENDED));
    V(n >= g && n % g == 0);
    bad = prop;
    bad.type = CU_MEM_ALLOCATION_TYPE_INVALID;
    C(cuMemCreate(&h, g, &bad, 0));
    bad = prop;
    bad.location.type = CU_MEM_LOCATION_TYPE_INVALID;
    C(cuMemCreate(&h, g, &bad, 0));
    C(cuMemGetAllocationGranularity(&n, &bad, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
    bad = prop;
    bad.location.id = 99;
    C(cuMemCreate(&h, g, &bad, 0));
    C(cuMemGetAllocationGranularity(&n, &bad, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
    bad = prop;
    bad.requestedHandleTypes = (CUmemAllocationHandleType)0x40;
    C(cuMemCreate(&h, g, &bad, 0));
    bad = prop;
    bad.requestedHandleTypes = CU_MEM_HANDLE_TYPE_WIN32;
    C(cuMemCreate(&h, g, &bad, 0));
    C(cuMemCreate(&h, g / 2, &prop, 0));
    C(cuMemCreate(&h, (size_t)1 << 50, &prop, 0));
    C(cuMemCreate(&h, g, &prop, 0));
    C(cuMemRelease(h));
}

static void pool_share(void)
{
    CUmemPoolProps props;
    CUmemoryPool pool = NULL, plain = NULL, import = NULL;
    CUmemPoolPtrExportData data;
    CUdeviceptr p = 0, q = 0;
    int fd = -1, fd2 = -1;

    memset(&props, 0, sizeof(props));
    props.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
    props.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    C(cuMemPoolCreate(&plain, &props));
    props.handleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
    C(cuMemPoolCreate(&pool, &props));
    C(cuMemPoolExportToShareableHandle(&fd2, plain, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
    C(cuMemPoolExportToShareableHandle(&fd, pool, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
    V(fd >= 0);
    C(cuMemPoolExportToShareableHandle(NULL, pool, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
    C(cuMemPoolExportToShareableHandle(&fd2, pool, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 1));
    C(cuMemAllocFromPoolAsync(&p, 4096, pool, NULL));
    C(cuStreamSynchronize(NULL));
    C(cuMemPoolExportPointer(&data, p));
    C(cuMemPoolExportPointer(NULL, p));
    C(cuMemPoolExportPointer(&data, 0));
    C(cuMemPoolImportFromShareableHandle(&import, (void *)(size_t)fd,
                                         CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
    C(cuMemPoolImportFromShareableHandle(NULL, (void *)(size_t)fd,
                                         CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
    C(cuMemPoolImportPointer(&q, import, &data));
    C(cuMemPoolImportPointer(NULL, import, &data));
    C(cuMemFree(p));
    C(cuMemPoolDestroy(plain));
}

static void register_pinned(void)
{
    CUdeviceptr p = 0;
    void *host = NULL;

    C(cuMemAlloc(&p, 1 << 20));
    C(cuMemAllocHost(&host, 4096));
    C(cuMemHostRegister(NULL, 4096, 0));
    C(cuMemHostRegister(host, 4096, 0));
    C(cuMemFree(p));
}

const struct codes_section codes_virtual[] = {
    { "virtual-reserve", virtual_reserve, 2 }, { "virtual-parts", virtual_parts, 2 },
    { "virtual-pointer", virtual_pointer, 2 }, { "virtual-share", virtual_share, 2 },
    { "virtual-props", virtual_props, 2 },     { "pool-share", pool_share, 2 },
    { "register-pinned", register_pinned, 2 }, { NULL, NULL, 0 },
};
