/* SPDX-License-Identifier: MIT */
/* Codes of memory: allocation, what an address is, copies, fills, pools, virtual memory. */
#include "cuda_codes.h"

#define MIB ((size_t)1 << 20)

static void alloc(void)
{
    CUdeviceptr p = 0, q = 0, base = 0;
    size_t size = 0, pitch = 0, free_bytes, total;
    int local = 0;

    C(cuMemAlloc(&p, 0));
    C(cuMemAlloc(NULL, 4));
    C(cuMemAlloc(&p, (size_t)1 << 50));
    C(cuMemAlloc(&p, SIZE_MAX));
    C(cuMemAlloc(&p, 1000));
    V(p % 256);
    C(cuMemGetAddressRange(&base, &size, p + 10));
    V(base == p);
    V(size);
    C(cuMemGetAddressRange(NULL, &size, p));
    C(cuMemGetAddressRange(&base, NULL, p));
    C(cuMemGetAddressRange(NULL, NULL, p));
    C(cuMemGetAddressRange(&base, &size, p + 1000));
    C(cuMemGetAddressRange(&base, &size, 16));
    C(cuMemGetAddressRange(&base, &size, 0));
    C(cuMemGetAddressRange(&base, &size, (CUdeviceptr)&local));
    C(cuMemFree(p + 4));
    C(cuMemFree(p));
    C(cuMemFree(p));
    C(cuMemFree(0));
    C(cuMemFree(16));
    C(cuMemFree((CUdeviceptr)&local));
    C(cuMemAllocPitch(&q, &pitch, 100, 10, 4));
    V(pitch >= 100 && pitch % 4 == 0);
    C(cuMemFree(q));
    C(cuMemAllocPitch(&q, &pitch, 100, 10, 3));
    C(cuMemAllocPitch(&q, &pitch, 100, 10, 16));
    C(cuMemFree(q));
    C(cuMemAllocPitch(&q, &pitch, 0, 10, 4));
    C(cuMemAllocPitch(&q, &pitch, 100, 0, 4));
    C(cuMemAllocPitch(NULL, &pitch, 100, 10, 4));
    C(cuMemAllocPitch(&q, NULL, 100, 10, 4));
    C(cuMemGetInfo(&free_bytes, &total));
    V(free_bytes <= total);
    C(cuMemGetInfo(NULL, &total));
    C(cuMemGetInfo(&free_bytes, NULL));
    C(cuMemGetInfo(NULL, NULL));
}

static void pinned(void)
{
    CUdeviceptr d = 0;
    void *p = NULL;
    unsigned flags = 99;
    int local = 0;

    C(cuMemAllocHost(&p, 0));
    C(cuMemAllocHost(NULL, 4));
    C(cuMemAllocHost(&p, (size_t)1 << 50));
    C(cuMemAllocHost(&p, 4096));
    C(cuMemHostGetFlags(&flags, p));
    V(flags);
    C(cuMemHostGetFlags(NULL, p));
    C(cuMemHostGetFlags(&flags, NULL));
    C(cuMemHostGetFlags(&flags, &local));
    C(cuMemHostGetDevicePointer(&d, p, 0));
    V(d == (CUdeviceptr)p);
    C(cuMemHostGetDevicePointer(&d, (char *)p + 8, 0));
    V(d == (CUdeviceptr)p + 8);
    C(cuMemHostGetDevicePointer(&d, p, 1));
    C(cuMemHostGetDevicePointer(NULL, p, 0));
    C(cuMemHostGetDevicePointer(&d, NULL, 0));
    C(cuMemHostGetDevicePointer(&d, &local, 0));
    C(cuMemFree((CUdeviceptr)p));
    C(cuMemFreeHost((char *)p + 8));
    C(cuMemFreeHost(p));
    C(cuMemFreeHost(p));
    C(cuMemFreeHost(NULL));
    C(cuMemFreeHost(&local));
    C(cuMemHostAlloc(&p, 4096, 0));
    C(cuMemHostGetFlags(&flags, p));
    V(flags);
    C(cuMemFreeHost(p));
    C(cuMemHostAlloc(&p, 4096, CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_WRITECOMBINED));
    C(cuMemHostGetFlags(&flags, p));
    V(flags);
    C(cuMemFreeHost(p));
    C(cuMemHostAlloc(&p, 4096, 8));
    C(cuMemHostAlloc(&p, 0, 0));
    C(cuMemHostAlloc(NULL, 4096, 0));
}

static void registered(void)
{
    static char memory[16384] __attribute__((aligned(4096)));
    CUdeviceptr d = 0;
    unsigned flags = 99;

    C(cuMemHostRegister(NULL, 4096, 0));
    C(cuMemHostRegister(memory, 0, 0));
    C(cuMemHostRegister(memory, 4096, 0x100));
    C(cuMemHostRegister(memory, 4096, CU_MEMHOSTREGISTER_PORTABLE));
    C(cuMemHostRegister(memory, 4096, 0));
    C(cuMemHostRegister(memory + 100, 100, 0));
    C(cuMemHostGetFlags(&flags, memory));
    V(flags);
    C(cuMemHostGetDevicePointer(&d, memory, 0));
    C(cuMemFreeHost(memory));
    C(cuMemHostUnregister(memory + 100));
    C(cuMemHostUnregister(memory));
    C(cuMemHostUnregister(memory));
    C(cuMemHostUnregister(NULL));
    C(cuMemHostRegister(memory + 100, 100, 0));
    C(cuMemHostUnregister(memory + 100));
    C(cuMemHostRegister((void *)4096, 4096, 0));
}

static void managed(void)
{
    CUdeviceptr p = 0, d = 0;
    CUstream stream = NULL;
    CUmemLocation host = { .type = CU_MEM_LOCATION_TYPE_HOST, .id = 0 };
    CUmemLocation bad = { .type = (CUmemLocationType)77, .id = 0 };
    int n = 0;

    C(cuMemAllocManaged(&p, 0, CU_MEM_ATTACH_GLOBAL));
    C(cuMemAllocManaged(&p, 4096, 0));
    C(cuMemAllocManaged(&p, 4096, CU_MEM_ATTACH_SINGLE));
    C(cuMemAllocManaged(&p, 4096, CU_MEM_ATTACH_GLOBAL | CU_MEM_ATTACH_HOST));
    C(cuMemAllocManaged(&p, 4096, 8));
    C(cuMemAllocManaged(NULL, 4096, CU_MEM_ATTACH_GLOBAL));
    C(cuMemAllocManaged(&p, 8192, CU_MEM_ATTACH_GLOBAL));
    C(cuMemAlloc(&d, 4096));
    C(cuStreamCreate(&stream, 0));
    C(cuStreamAttachMemAsync(stream, p, 0, CU_MEM_ATTACH_SINGLE));
    C(cuStreamAttachMemAsync(stream, p, 8192, CU_MEM_ATTACH_GLOBAL));
    C(cuStreamAttachMemAsync(stream, p, 4096, CU_MEM_ATTACH_HOST));
    C(cuStreamAttachMemAsync(stream, p, 16384, CU_MEM_ATTACH_HOST));
    C(cuStreamAttachMemAsync(stream, p + 4096, 0, CU_MEM_ATTACH_HOST));
    C(cuStreamAttachMemAsync(NULL, p, 0, CU_MEM_ATTACH_SINGLE));
    C(cuStreamAttachMemAsync(NULL, p, 0, CU_MEM_ATTACH_HOST));
    C(cuStreamAttachMemAsync(NULL, p, 0, CU_MEM_ATTACH_GLOBAL));
    C(cuStreamAttachMemAsync(stream, p, 0, 0));
    C(cuStreamAttachMemAsync(stream, p, 0, 3));
    C(cuStreamAttachMemAsync(stream, 0, 0, CU_MEM_ATTACH_HOST));
    C(cuStreamAttachMemAsync(stream, d, 0, CU_MEM_ATTACH_HOST));
    C(cuStreamAttachMemAsync(stream, (CUdeviceptr)&n, 0, CU_MEM_ATTACH_HOST));
    C(cuMemAdvise(p, 8192, CU_MEM_ADVISE_SET_READ_MOSTLY, host));
    C(cuMemAdvise(p, 0, CU_MEM_ADVISE_SET_READ_MOSTLY, host));
    C(cuMemAdvise(p, 16384, CU_MEM_ADVISE_SET_READ_MOSTLY, host));
    C(cuMemAdvise(p, 8192, (CUmem_advise)77, host));
    C(cuMemAdvise(p, 8192, CU_MEM_ADVISE_SET_PREFERRED_LOCATION, host));
    C(cuMemAdvise(p, 8192, CU_MEM_ADVISE_SET_PREFERRED_LOCATION, bad));
    C(cuMemAdvise(d, 4096, CU_MEM_ADVISE_SET_READ_MOSTLY, host));
    C(cuMemAdvise(0, 4096, CU_MEM_ADVISE_SET_READ_MOSTLY, host));
    C(cuMemPrefetchAsync(p, 8192, host, 0, stream));
    C(cuMemPrefetchAsync(p, 0, host, 0, stream));
    C(cuMemPrefetchAsync(p, 16384, host, 0, stream));
    C(cuMemPrefetchAsync(p, 8192, host, 1, stream));
    C(cuMemPrefetchAsync(p, 8192, bad, 0, stream));
    C(cuMemPrefetchAsync(d, 4096, host, 0, stream));
    C(cuMemRangeGetAttribute(&n, sizeof(n), CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, p, 8192));
    C(cuMemRangeGetAttribute(NULL, sizeof(n), CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, p, 8192));
    C(cuMemRangeGetAttribute(&n, 3, CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, p, 8192));
    C(cuMemRangeGetAttribute(&n, sizeof(n), (CUmem_range_attribute)77, p, 8192));
    C(cuMemRangeGetAttribute(&n, sizeof(n), CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, d, 4096));
    C(cuMemRangeGetAttribute(&n, sizeof(n), CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, p, 0));
    C(cuMemFree(p + 4096));
    C(cuStreamSynchronize(stream));
    C(cuMemFreeHost((void *)p));
    C(cuMemFree(p));
    C(cuMemFree(p));
}

static void managed_prefetch_device(void)
{
    CUmemLocation device = { .type = CU_MEM_LOCATION_TYPE_DEVICE, .id = 0 };
    CUmemLocation none = { .type = CU_MEM_LOCATION_TYPE_DEVICE, .id = 64 };
    CUdeviceptr p = 0;

    C(cuMemAllocManaged(&p, 8192, CU_MEM_ATTACH_GLOBAL));
    C(cuMemPrefetchAsync(p, 8192, device, 0, NULL));
    C(cuMemPrefetchAsync(p, 8192, none, 0, NULL));
    C(cuMemAdvise(p, 8192, CU_MEM_ADVISE_SET_PREFERRED_LOCATION, device));
    C(cuMemAdvise(p, 8192, CU_MEM_ADVISE_SET_ACCESSED_BY, device));
    C(cuMemAdvise(p, 8192, CU_MEM_ADVISE_SET_ACCESSED_BY, none));
}

static void pointer(void)
{
    CUpointer_attribute which[] = { CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                                    CU_POINTER_ATTRIBUTE_IS_MANAGED };
    CUdeviceptr d = 0, m = 0, at = 0;
    unsigned type = 99, on = 1;
    void *h = NULL, *host = NULL;
    int managed_flag = 99, local = 0, ordinal = 99;
    void *data[] = { &type, &managed_flag };
    CUcontext context;
    unsigned long long id;
    size_t size = 0;

    C(cuMemAlloc(&d, 4096));
    C(cuMemAllocManaged(&m, 4096, CU_MEM_ATTACH_GLOBAL));
    C(cuMemHostAlloc(&h, 4096, 0));
    C(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, d));
    V(type);
    C(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, m));
    V(type);
    C(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, (CUdeviceptr)h));
    V(type);
    C(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, (CUdeviceptr)&local));
    C(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, 0));
    C(cuPointerGetAttribute(NULL, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, d));
    C(cuPointerGetAttribute(&type, (CUpointer_attribute)0, d));
    C(cuPointerGetAttribute(&type, (CUpointer_attribute)999, d));
    C(cuPointerGetAttribute(&managed_flag, CU_POINTER_ATTRIBUTE_IS_MANAGED, m));
    V(managed_flag);
    C(cuPointerGetAttribute(&managed_flag, CU_POINTER_ATTRIBUTE_IS_MANAGED, d));
    V(managed_flag);
    C(cuPointerGetAttribute(&context, CU_POINTER_ATTRIBUTE_CONTEXT, d));
    C(cuPointerGetAttribute(&at, CU_POINTER_ATTRIBUTE_DEVICE_POINTER, (CUdeviceptr)h + 8));
    V(at == (CUdeviceptr)h + 8);
    C(cuPointerGetAttribute(&host, CU_POINTER_ATTRIBUTE_HOST_POINTER, (CUdeviceptr)h + 8));
    V(host == (char *)h + 8);
    C(cuPointerGetAttribute(&host, CU_POINTER_ATTRIBUTE_HOST_POINTER, d));
    C(cuPointerGetAttribute(&host, CU_POINTER_ATTRIBUTE_HOST_POINTER, m));
    C(cuPointerGetAttribute(&ordinal, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, d));
    V(ordinal);
    C(cuPointerGetAttribute(&ordinal, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, (CUdeviceptr)h));
    V(ordinal);
    C(cuPointerGetAttribute(&at, CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, d + 100));
    V(at == d);
    C(cuPointerGetAttribute(&size, CU_POINTER_ATTRIBUTE_RANGE_SIZE, d + 100));
    V(size);
    C(cuPointerGetAttribute(&id, CU_POINTER_ATTRIBUTE_BUFFER_ID, d));
    C(cuPointerGetAttribute(&on, CU_POINTER_ATTRIBUTE_MAPPED, d));
    V(on);
    on = 1;
    C(cuPointerSetAttribute(&on, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, d));
    C(cuPointerSetAttribute(NULL, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, d));
    C(cuPointerSetAttribute(&on, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, d));
    C(cuPointerSetAttribute(&on, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, (CUdeviceptr)&local));
    C(cuPointerGetAttributes(2, which, data, d));
    V(type);
    C(cuPointerGetAttributes(2, which, data, (CUdeviceptr)&local));
    V(type);
    C(cuPointerGetAttributes(0, which, data, d));
    C(cuPointerGetAttributes(2, NULL, data, d));
    C(cuPointerGetAttributes(2, which, NULL, d));
}

static void copy(void)
{
    CUdeviceptr d = 0, e = 0;
    char memory[64] = { 0 };
    void *h = NULL;
    CUcontext context = NULL;

    C(cuMemAlloc(&d, 4096));
    C(cuMemAlloc(&e, 4096));
    C(cuMemHostAlloc(&h, 4096, 0));
    C(cuMemcpyHtoD(d, memory, 64));
    C(cuMemcpyHtoD(d, memory, 0));
    C(cuMemcpyHtoD(0, memory, 0));
    C(cuMemcpyHtoD(0, memory, 4));
    C(cuMemcpyHtoD(d, NULL, 4));
    C(cuMemcpyHtoD(16, memory, 4));
    C(cuMemcpyHtoD((CUdeviceptr)memory, memory + 32, 4));
    C(cuMemcpyHtoD(d, (void *)e, 4));
    C(cuMemcpyDtoH(memory, d, 64));
    C(cuMemcpyDtoH(NULL, d, 4));
    C(cuMemcpyDtoH(memory, 0, 4));
    C(cuMemcpyDtoH(memory, (CUdeviceptr)(memory + 32), 4));
    C(cuMemcpyDtoH((void *)e, d, 4));
    C(cuMemcpyDtoD(e, d, 64));
    C(cuMemcpyDtoD(d, d, 64));
    C(cuMemcpyDtoD(0, d, 4));
    C(cuMemcpyDtoD(d, 0, 4));
    C(cuMemcpy(d, e, 4096));
    C(cuMemcpy(d, (CUdeviceptr)memory, 64));
    C(cuMemcpy((CUdeviceptr)memory, d, 64));
    C(cuMemcpy((CUdeviceptr)memory, (CUdeviceptr)(memory + 32), 32));
    C(cuMemcpy((CUdeviceptr)h, d, 64));
    C(cuMemcpy(0, 0, 4));
    C(cuMemcpyAsync(d, (CUdeviceptr)h, 64, NULL));
    C(cuMemcpyHtoDAsync(d, memory, 64, CU_STREAM_PER_THREAD));
    C(cuMemcpyDtoHAsync(memory, d, 64, CU_STREAM_LEGACY));
    C(cuMemcpyDtoDAsync(e, d, 64, NULL));
    C(cuCtxGetCurrent(&context));
    C(cuMemcpyPeer(e, context, d, context, 64));
    C(cuMemcpyPeer(e, NULL, d, context, 64));
    C(cuCtxSynchronize());
}

static void copy_range(void)
{
    CUdeviceptr d = 0;
    static char memory[8 << 20];

    C(cuMemAlloc(&d, 2 * MIB));
    C(cuMemcpyHtoD(d, memory, 2 * MIB + 1));
    C(cuMemcpyHtoD(d + 2 * MIB - 1, memory, 2));
    C(cuMemcpyDtoH(memory, d, 4 * MIB));
    C(cuMemcpyDtoH(memory, d + MIB, 2 * MIB));
    C(cuMemsetD8(d, 0, 2 * MIB + 1));
    C(cuMemsetD8(d + MIB, 0, 2 * MIB));
    C(cuMemFree(d));
    C(cuMemcpyHtoD(d, memory, 4));
    C(cuMemsetD8(d, 0, 4));
    C(cuCtxSynchronize());
}

static void copy_bad_host(void)
{
    CUdeviceptr d = 0;

    C(cuMemAlloc(&d, 4096));
    C(cuMemcpyHtoD(d, (void *)16, 4));
}

static void copy_bad_host_out(void)
{
    CUdeviceptr d = 0;

    C(cuMemAlloc(&d, 4096));
    C(cuMemcpyDtoH((void *)16, d, 4));
}

static CUDA_MEMCPY2D rectangle(CUdeviceptr dst, const void *src)
{
    CUDA_MEMCPY2D c;

    memset(&c, 0, sizeof(c));
    c.srcMemoryType = CU_MEMORYTYPE_HOST;
    c.srcHost = src;
    c.srcPitch = 32;
    c.dstMemoryType = CU_MEMORYTYPE_DEVICE;
    c.dstDevice = dst;
    c.dstPitch = 64;
    c.WidthInBytes = 16;
    c.Height = 8;
    return c;
}

static void copy2d(void)
{
    static char memory[4096];
    CUdeviceptr d = 0;
    CUDA_MEMCPY2D c;

    C(cuMemAlloc(&d, 4096));
    c = rectangle(d, memory);
    C(cuMemcpy2D(&c));
    C(cuMemcpy2DUnaligned(&c));
    C(cuMemcpy2DAsync(&c, NULL));
    C(cuMemcpy2D(NULL));
    C(cuMemcpy2DAsync(NULL, NULL));
    c.srcPitch = 15;
    C(cuMemcpy2D(&c));
    c = rectangle(d, memory);
    c.dstPitch = 0;
    C(cuMemcpy2D(&c));
    c.srcPitch = 0;
    C(cuMemcpy2D(&c));
    c = rectangle(d, memory);
    c.WidthInBytes = 0;
    C(cuMemcpy2D(&c));
    c = rectangle(d, memory);
    c.Height = 0;
    C(cuMemcpy2D(&c));
    c = rectangle(d, NULL);
    C(cuMemcpy2D(&c));
    c = rectangle(0, memory);
    C(cuMemcpy2D(&c));
    c = rectangle(d, memory);
    c.srcMemoryType = (CUmemorytype)0;
    C(cuMemcpy2D(&c));
    c.srcMemoryType = (CUmemorytype)9;
    C(cuMemcpy2D(&c));
    c = rectangle(d, memory);
    c.srcMemoryType = CU_MEMORYTYPE_ARRAY;
    C(cuMemcpy2D(&c));
    c = rectangle(d, memory);
    c.srcMemoryType = CU_MEMORYTYPE_UNIFIED;
    c.srcDevice = (CUdeviceptr)memory;
    c.dstMemoryType = CU_MEMORYTYPE_UNIFIED;
    C(cuMemcpy2D(&c));
    c = rectangle(d, memory);
    c.dstXInBytes = 60;
    C(cuMemcpy2D(&c));
    c = rectangle(d, memory);
    c.dstPitch = (size_t)1 << 40;
    C(cuMemcpy2D(&c));
}

static void copy3d(void)
{
    static char memory[4096];
    CUDA_MEMCPY3D c;
    CUdeviceptr d = 0;

    C(cuMemAlloc(&d, 4096));
    memset(&c, 0, sizeof(c));
    c.srcMemoryType = CU_MEMORYTYPE_HOST;
    c.srcHost = memory;
    c.srcPitch = 16;
    c.srcHeight = 4;
    c.dstMemoryType = CU_MEMORYTYPE_DEVICE;
    c.dstDevice = d;
    c.dstPitch = 32;
    c.dstHeight = 4;
    c.WidthInBytes = 16;
    c.Height = 4;
    c.Depth = 2;
    C(cuMemcpy3D(&c));
    C(cuMemcpy3DAsync(&c, NULL));
    C(cuMemcpy3D(NULL));
    c.Depth = 0;
    C(cuMemcpy3D(&c));
    c.Depth = 2;
    c.dstHeight = 3;
    C(cuMemcpy3D(&c));
    c.dstHeight = 4;
    c.srcPitch = 8;
    C(cuMemcpy3D(&c));
    c.srcPitch = 16;
    c.srcLOD = 1;
    C(cuMemcpy3D(&c));
}

static void fill(void)
{
    static char memory[64];
    CUdeviceptr d = 0;
    void *h = NULL;

    C(cuMemAlloc(&d, 4096));
    C(cuMemHostAlloc(&h, 4096, 0));
    C(cuMemsetD8(d, 1, 4096));
    C(cuMemsetD8(d, 1, 0));
    C(cuMemsetD8(0, 1, 0));
    C(cuMemsetD8(0, 1, 1));
    C(cuMemsetD16(d + 1, 1, 4));
    C(cuMemsetD16(d + 2, 1, 4));
    C(cuMemsetD32(d + 2, 1, 4));
    C(cuMemsetD32(d + 4, 1, 4));
    C(cuMemsetD32(d + 1, 1, 0));
    C(cuMemsetD8((CUdeviceptr)h, 1, 4096));
    C(cuMemsetD8((CUdeviceptr)memory, 1, 64));
    C(cuMemsetD32(d, 1, SIZE_MAX / 2));
    C(cuMemsetD2D8(d, 64, 1, 32, 8));
    C(cuMemsetD2D8(d, 16, 1, 32, 8));
    C(cuMemsetD2D8(d, 16, 1, 32, 1));
    C(cuMemsetD2D8(d, 64, 1, 0, 8));
    C(cuMemsetD2D8(d, 64, 1, 32, 0));
    C(cuMemsetD2D16(d, 63, 1, 8, 8));
    C(cuMemsetD2D16(d + 1, 64, 1, 8, 8));
    C(cuMemsetD2D32(d, 62, 1, 8, 8));
    C(cuMemsetD2D32(d, 64, 1, 8, 8));
    C(cuMemsetD8Async(d, 1, 64, NULL));
    C(cuMemsetD32Async(d, 1, 16, CU_STREAM_PER_THREAD));
    C(cuMemsetD2D32Async(d, 64, 1, 8, 8, NULL));
    C(cuCtxSynchronize());
}

static void pool(void)
{
    CUmemPoolProps props;
    CUmemoryPool p = NULL, standard = NULL;
    CUmemLocation device = { .type = CU_MEM_LOCATION_TYPE_DEVICE, .id = 0 };
    CUmemAccess_flags access;
    CUdeviceptr d = 0, e = 0;
    cuuint64_t value = 0;
    int reuse = 9;

    C(cuDeviceGetDefaultMemPool(&standard, 0));
    C(cuMemAllocAsync(&d, 4096, NULL));
    C(cuMemAllocAsync(NULL, 4096, NULL));
    C(cuMemAllocAsync(&e, 0, NULL));
    C(cuMemAllocAsync(&e, (size_t)1 << 60, NULL));
    C(cuMemFreeAsync(d, NULL));
    C(cuMemFreeAsync(0, NULL));
    C(cuMemFreeAsync(16, NULL));
    C(cuMemAllocAsync(&d, 4096, CU_STREAM_PER_THREAD));
    C(cuMemFree(d));
    C(cuMemAlloc(&d, 4096));
    C(cuMemFreeAsync(d, NULL));
    C(cuMemAllocFromPoolAsync(&d, 4096, standard, NULL));
    C(cuMemAllocFromPoolAsync(&e, 4096, NULL, NULL));
    C(cuMemPoolGetAttribute(standard, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &value));
    V(value);
    C(cuMemPoolGetAttribute(standard, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &value));
    C(cuMemPoolGetAttribute(standard, CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES, &reuse));
    V(reuse);
    C(cuMemPoolGetAttribute(NULL, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &value));
    C(cuMemPoolGetAttribute(standard, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, NULL));
    C(cuMemPoolGetAttribute(standard, (CUmemPool_attribute)99, &value));
    value = 1 << 20;
    C(cuMemPoolSetAttribute(standard, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &value));
    value = 7;
    C(cuMemPoolSetAttribute(standard, CU_MEMPOOL_ATTR_USED_MEM_HIGH, &value));
    C(cuMemPoolSetAttribute(standard, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &value));
    C(cuMemPoolSetAttribute(standard, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, NULL));
    C(cuMemPoolGetAccess(&access, standard, &device));
    V(access);
    C(cuMemPoolGetAccess(NULL, standard, &device));
    C(cuMemPoolGetAccess(&access, standard, NULL));
    C(cuMemPoolSetAccess(standard, NULL, 1));
    C(cuMemPoolTrimTo(standard, 0));
    C(cuMemPoolTrimTo(NULL, 0));
    C(cuMemPoolDestroy(standard));
    C(cuMemPoolDestroy(NULL));
    memset(&props, 0, sizeof(props));
    C(cuMemPoolCreate(&p, &props));
    props.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
    props.location = device;
    C(cuMemPoolCreate(&p, &props));
    C(cuMemPoolCreate(NULL, &props));
    C(cuMemPoolCreate(&p, NULL));
    props.location.id = 64;
    C(cuMemPoolCreate(&standard, &props));
    C(cuMemAllocFromPoolAsync(&e, 4096, p, NULL));
    C(cuMemFreeAsync(e, NULL));
    C(cuDeviceSetMemPool(0, p));
    C(cuMemPoolDestroy(p));
    C(cuCtxSynchronize());
}

static void virtual_memory(void)
{
    CUmemGenericAllocationHandle h = 0, again = 0;
    CUmemAllocationProp prop, got;
    CUmemAccessDesc access = { { CU_MEM_LOCATION_TYPE_DEVICE, 0 },
                               CU_MEM_ACCESS_FLAGS_PROT_READWRITE };
    CUdeviceptr p = 0, q = 0;
    size_t granularity = 0;
    unsigned long long flags = 0;

    memset(&prop, 0, sizeof(prop));
    C(cuMemGetAllocationGranularity(&granularity, &prop, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
    prop.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    prop.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    C(cuMemGetAllocationGranularity(&granularity, &prop, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
    C(cuMemGetAllocationGranularity(NULL, &prop, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
    C(cuMemGetAllocationGranularity(&granularity, NULL, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
    C(cuMemGetAllocationGranularity(&granularity, &prop, (CUmemAllocationGranularity_flags)9));
    C(cuMemCreate(&h, granularity, &prop, 0));
    C(cuMemCreate(&again, granularity + 1, &prop, 0));
    C(cuMemCreate(&again, 0, &prop, 0));
    C(cuMemCreate(NULL, granularity, &prop, 0));
    C(cuMemCreate(&again, granularity, NULL, 0));
    C(cuMemCreate(&again, granularity, &prop, 1));
    C(cuMemAddressReserve(&p, granularity, 0, 0, 0));
    C(cuMemAddressReserve(NULL, granularity, 0, 0, 0));
    C(cuMemAddressReserve(&q, 0, 0, 0, 0));
    C(cuMemAddressReserve(&q, granularity + 1, 0, 0, 0));
    C(cuMemSetAccess(p, granularity, &access, 1));
    C(cuMemMap(p, granularity, 0, h, 0));
    C(cuMemMap(p, granularity, 0, h, 0));
    C(cuMemSetAccess(p, granularity, &access, 1));
    C(cuMemSetAccess(p, granularity, NULL, 1));
    C(cuMemSetAccess(p, granularity, &access, 0));
    C(cuMemGetAccess(&flags, &access.location, p));
    V(flags);
    C(cuMemsetD8(p, 1, granularity));
    C(cuMemFree(p));
    C(cuMemGetAllocationPropertiesFromHandle(&got, h));
    C(cuMemGetAllocationPropertiesFromHandle(NULL, h));
    C(cuMemRetainAllocationHandle(&again, (void *)p));
    V(again == h);
    C(cuMemRelease(again));
    C(cuMemAddressFree(p, granularity));
    C(cuMemUnmap(p, granularity));
    C(cuMemUnmap(p, granularity));
    C(cuMemRelease(h));
    C(cuMemAddressFree(p, granularity));
    C(cuMemAddressFree(p, granularity));
}

const struct codes_section codes_memory[] = {
    { "alloc", alloc, 2 },
    { "pinned", pinned, 2 },
    { "registered", registered, 2 },
    { "managed", managed, 2 },
    { "managed-prefetch-device", managed_prefetch_device, 2 },
    { "pointer", pointer, 2 },
    { "copy", copy, 2 },
    { "copy-range", copy_range, 2 },
    { "copy-bad-host", copy_bad_host, 2 },
    { "copy-bad-host-out", copy_bad_host_out, 2 },
    { "copy2d", copy2d, 2 },
    { "copy3d", copy3d, 2 },
    { "fill", fill, 2 },
    { "pool", pool, 2 },
    { "virtual-memory", virtual_memory, 2 },
    { NULL, NULL, 0 },
};
