/* SPDX-License-Identifier: MIT */
/* Codes of arrays, mipmapped arrays, texture and surface objects. */
#include "cuda_codes.h"

static CUDA_ARRAY_DESCRIPTOR desc(size_t width, size_t height, CUarray_format format,
                                  unsigned channels)
{
    CUDA_ARRAY_DESCRIPTOR d;

    memset(&d, 0, sizeof(d));
    d.Width = width;
    d.Height = height;
    d.Format = format;
    d.NumChannels = channels;
    return d;
}

static CUDA_ARRAY3D_DESCRIPTOR desc3(size_t width, size_t height, size_t depth, unsigned channels,
                                     unsigned flags)
{
    CUDA_ARRAY3D_DESCRIPTOR d;

    memset(&d, 0, sizeof(d));
    d.Width = width;
    d.Height = height;
    d.Depth = depth;
    d.Format = CU_AD_FORMAT_UNSIGNED_INT8;
    d.NumChannels = channels;
    d.Flags = flags;
    return d;
}

static void array_create(void)
{
    CUDA_ARRAY_DESCRIPTOR d = desc(64, 32, CU_AD_FORMAT_FLOAT, 4), got, none = { 0 };
    CUarray a = NULL, one = NULL, b = NULL;

    C(cuArrayCreate(&a, &d));
    C(cuArrayCreate(NULL, &d));
    C(cuArrayCreate(&b, NULL));
    C(cuArrayCreate(&b, &none));
    C(cuArrayGetDescriptor(&got, a));
    V(got.Width);
    V(got.Height);
    V(got.Format);
    V(got.NumChannels);
    C(cuArrayGetDescriptor(NULL, a));
    C(cuArrayGetDescriptor(&got, NULL));
    d = desc(100, 0, CU_AD_FORMAT_UNSIGNED_INT16, 1);
    C(cuArrayCreate(&one, &d));
    C(cuArrayGetDescriptor(&got, one));
    V(got.Width);
    V(got.Height);
    d = desc(0, 4, CU_AD_FORMAT_FLOAT, 1);
    C(cuArrayCreate(&b, &d));
    d = desc(4, 4, CU_AD_FORMAT_FLOAT, 3);
    C(cuArrayCreate(&b, &d));
    d = desc(4, 4, CU_AD_FORMAT_FLOAT, 0);
    C(cuArrayCreate(&b, &d));
    d = desc(4, 4, CU_AD_FORMAT_FLOAT, 5);
    C(cuArrayCreate(&b, &d));
    d = desc(4, 4, (CUarray_format)0, 1);
    C(cuArrayCreate(&b, &d));
    d = desc(4, 4, (CUarray_format)0x7f, 1);
    C(cuArrayCreate(&b, &d));
    d = desc((size_t)1 << 30, 4, CU_AD_FORMAT_FLOAT, 1);
    C(cuArrayCreate(&b, &d));
    d = desc(4, (size_t)1 << 30, CU_AD_FORMAT_FLOAT, 1);
    C(cuArrayCreate(&b, &d));
    d = desc(3, 5, CU_AD_FORMAT_HALF, 2);
    C(cuArrayCreate(&b, &d));
    C(cuArrayDestroy(b));
    C(cuArrayDestroy(one));
    C(cuArrayDestroy(a));
    C(cuArrayDestroy(NULL));
}

static void array_3d(void)
{
    CUDA_ARRAY3D_DESCRIPTOR d = desc3(16, 8, 4, 1, 0), got;
    CUDA_ARRAY_DESCRIPTOR flat;
    CUarray a = NULL, b = NULL, plane = NULL;

    C(cuArray3DCreate(&a, &d));
    C(cuArray3DCreate(NULL, &d));
    C(cuArray3DCreate(&b, NULL));
    C(cuArray3DGetDescriptor(&got, a));
    V(got.Width);
    V(got.Height);
    V(got.Depth);
    V(got.Flags);
    C(cuArrayGetDescriptor(&flat, a));
    C(cuArray3DGetDescriptor(NULL, a));
    C(cuArray3DGetDescriptor(&got, NULL));
    C(cuArrayGetPlane(&plane, a, 0));
    C(cuArrayGetPlane(NULL, a, 0));
    C(cuArrayDestroy(a));
    d = desc3(16, 0, 4, 1, 0);
    C(cuArray3DCreate(&b, &d));
    d = desc3(16, 0, 4, 1, CUDA_ARRAY3D_LAYERED);
    C(cuArray3DCreate(&b, &d));
    C(cuArray3DGetDescriptor(&got, b));
    V(got.Height);
    V(got.Depth);
    V(got.Flags);
    C(cuArrayDestroy(b));
    d = desc3(16, 16, 4, 1, CUDA_ARRAY3D_LAYERED);
    C(cuArray3DCreate(&b, &d));
    C(cuArrayDestroy(b));
    d = desc3(16, 16, 0, 1, CUDA_ARRAY3D_LAYERED);
    C(cuArray3DCreate(&b, &d));
    d = desc3(16, 16, 6, 1, CUDA_ARRAY3D_CUBEMAP);
    C(cuArray3DCreate(&b, &d));
    C(cuArrayDestroy(b));
    d = desc3(16, 16, 5, 1, CUDA_ARRAY3D_CUBEMAP);
    C(cuArray3DCreate(&b, &d));
    d = desc3(16, 8, 6, 1, CUDA_ARRAY3D_CUBEMAP);
    C(cuArray3DCreate(&b, &d));
    d = desc3(16, 16, 12, 1, CUDA_ARRAY3D_CUBEMAP | CUDA_ARRAY3D_LAYERED);
    C(cuArray3DCreate(&b, &d));
    C(cuArrayDestroy(b));
    d = desc3(16, 16, 13, 1, CUDA_ARRAY3D_CUBEMAP | CUDA_ARRAY3D_LAYERED);
    C(cuArray3DCreate(&b, &d));
    d = desc3(16, 16, 0, 1, CUDA_ARRAY3D_SURFACE_LDST);
    C(cuArray3DCreate(&b, &d));
    C(cuArrayDestroy(b));
    d = desc3(16, 16, 0, 1, CUDA_ARRAY3D_TEXTURE_GATHER);
    C(cuArray3DCreate(&b, &d));
    C(cuArrayDestroy(b));
    d = desc3(16, 16, 4, 1, CUDA_ARRAY3D_TEXTURE_GATHER);
    C(cuArray3DCreate(&b, &d));
    d = desc3(16, 16, 0, 1, 0x8000);
    C(cuArray3DCreate(&b, &d));
}

static void array_copy(void)
{
    CUDA_ARRAY_DESCRIPTOR d = desc(64, 0, CU_AD_FORMAT_UNSIGNED_INT8, 1);
    CUarray a = NULL, b = NULL, plane = NULL;
    CUdeviceptr p = 0;
    CUDA_MEMCPY2D c;
    char host[4096] = { 0 };

    C(cuArrayCreate(&a, &d));
    C(cuArrayCreate(&b, &d));
    d = desc(64, 32, CU_AD_FORMAT_UNSIGNED_INT8, 1);
    C(cuArrayCreate(&plane, &d));
    C(cuMemAlloc(&p, 4096));
    C(cuMemcpyHtoA(a, 0, host, 64));
    C(cuMemcpyHtoA(a, 0, host, 65));
    C(cuMemcpyHtoA(a, 60, host, 8));
    C(cuMemcpyHtoA(a, 0, host, 0));
    C(cuMemcpyHtoA(NULL, 0, host, 4));
    C(cuMemcpyHtoA(a, 0, NULL, 4));
    C(cuMemcpyAtoH(host, a, 0, 64));
    C(cuMemcpyAtoH(host, a, 1, 64));
    C(cuMemcpyAtoH(NULL, a, 0, 64));
    C(cuMemcpyAtoH(host, NULL, 0, 64));
    C(cuMemcpyAtoA(b, 0, a, 0, 64));
    C(cuMemcpyAtoA(b, 1, a, 0, 64));
    C(cuMemcpyAtoA(b, 0, NULL, 0, 64));
    C(cuMemcpyAtoD(p, a, 0, 64));
    C(cuMemcpyAtoD(p, a, 0, 65));
    C(cuMemcpyAtoD(0, a, 0, 64));
    C(cuMemcpyDtoA(a, 0, p, 64));
    C(cuMemcpyDtoA(a, 0, 0, 64));
    C(cuMemcpyDtoA(a, 64, p, 1));
    C(cuMemcpyHtoA(plane, 0, host, 64));
    C(cuMemcpyHtoA(plane, 0, host, 65));
    C(cuMemcpyHtoAAsync(a, 0, host, 64, NULL));
    C(cuMemcpyAtoHAsync(host, a, 0, 64, NULL));
    C(cuMemcpyAtoHAsync(host, a, 0, 65, NULL));

    memset(&c, 0, sizeof(c));
    c.srcMemoryType = CU_MEMORYTYPE_HOST;
    c.srcHost = host;
    c.srcPitch = 64;
    c.dstMemoryType = CU_MEMORYTYPE_ARRAY;
    c.dstArray = plane;
    c.WidthInBytes = 64;
    c.Height = 32;
    C(cuMemcpy2D(&c));
    c.Height = 33;
    C(cuMemcpy2D(&c));
    c.Height = 31;
    c.dstY = 2;
    C(cuMemcpy2D(&c));
    c.dstY = 1;
    C(cuMemcpy2D(&c));
    c.WidthInBytes = 63;
    c.dstXInBytes = 2;
    C(cuMemcpy2D(&c));
    c.dstXInBytes = 1;
    C(cuMemcpy2D(&c));
    c.srcPitch = 32;
    C(cuMemcpy2D(&c));
    c.srcPitch = 64;
    c.dstArray = NULL;
    C(cuMemcpy2D(&c));
    c.dstArray = a;
    c.dstXInBytes = 0;
    c.dstY = 0;
    c.Height = 1;
    C(cuMemcpy2D(&c));
    c.Height = 2;
    C(cuMemcpy2D(&c));
    C(cuMemcpy2DUnaligned(&c));
    c.Height = 1;
    C(cuMemcpy2DUnaligned(&c));
    C(cuMemcpy2DAsync(&c, NULL));
    C(cuCtxSynchronize());
}

static void array_copy_3d(void)
{
    CUDA_ARRAY3D_DESCRIPTOR d = desc3(16, 8, 4, 1, 0);
    CUarray a = NULL, b = NULL;
    CUDA_MEMCPY3D c;
    char host[4096] = { 0 };

    C(cuArray3DCreate(&a, &d));
    C(cuArray3DCreate(&b, &d));
    memset(&c, 0, sizeof(c));
    c.srcMemoryType = CU_MEMORYTYPE_HOST;
    c.srcHost = host;
    c.srcPitch = 16;
    c.srcHeight = 8;
    c.dstMemoryType = CU_MEMORYTYPE_ARRAY;
    c.dstArray = a;
    c.WidthInBytes = 16;
    c.Height = 8;
    c.Depth = 4;
    C(cuMemcpy3D(&c));
    c.Depth = 5;
    C(cuMemcpy3D(&c));
    c.Depth = 4;
    c.dstZ = 1;
    C(cuMemcpy3D(&c));
    c.dstZ = 0;
    c.srcHeight = 4;
    C(cuMemcpy3D(&c));
    c.srcHeight = 8;
    c.srcLOD = 1;
    C(cuMemcpy3D(&c));
    c.srcLOD = 0;
    c.dstLOD = 1;
    C(cuMemcpy3D(&c));
    c.dstLOD = 0;
    c.srcMemoryType = CU_MEMORYTYPE_ARRAY;
    c.srcArray = a;
    c.dstArray = b;
    C(cuMemcpy3D(&c));
    c.srcZ = 2;
    C(cuMemcpy3D(&c));
    c.Depth = 2;
    C(cuMemcpy3D(&c));
    C(cuMemcpy3DAsync(&c, NULL));
    c.WidthInBytes = 0;
    C(cuMemcpy3D(&c));
    C(cuArrayDestroy(a));
    C(cuArrayDestroy(b));
}

static void array_mipmapped(void)
{
    CUDA_ARRAY3D_DESCRIPTOR d = desc3(64, 32, 0, 1, 0), got;
    CUmipmappedArray m = NULL, n = NULL;
    CUarray level = NULL;

    C(cuMipmappedArrayCreate(&m, &d, 7));
    C(cuMipmappedArrayCreate(NULL, &d, 7));
    C(cuMipmappedArrayCreate(&n, NULL, 7));
    C(cuMipmappedArrayCreate(&n, &d, 0));
    C(cuMipmappedArrayGetLevel(&level, m, 0));
    C(cuArray3DGetDescriptor(&got, level));
    V(got.Width);
    V(got.Height);
    C(cuMipmappedArrayGetLevel(&level, m, 2));
    C(cuArray3DGetDescriptor(&got, level));
    V(got.Width);
    V(got.Height);
    C(cuMipmappedArrayGetLevel(&level, m, 6));
    C(cuArray3DGetDescriptor(&got, level));
    V(got.Width);
    V(got.Height);
    C(cuMipmappedArrayGetLevel(&level, m, 7));
    C(cuMipmappedArrayGetLevel(NULL, m, 0));
    C(cuMipmappedArrayGetLevel(&level, NULL, 0));
    C(cuMipmappedArrayDestroy(m));
    C(cuMipmappedArrayDestroy(NULL));
    C(cuMipmappedArrayCreate(&n, &d, 9)); /* more levels than there are: clamped */
    C(cuMipmappedArrayGetLevel(&level, n, 6));
    C(cuMipmappedArrayGetLevel(&level, n, 7));
}

static void texture_resource(CUDA_RESOURCE_DESC *r, CUarray a)
{
    memset(r, 0, sizeof(*r));
    r->resType = CU_RESOURCE_TYPE_ARRAY;
    r->res.array.hArray = a;
}

static void texture_object(void)
{
    CUDA_ARRAY_DESCRIPTOR d = desc(64, 32, CU_AD_FORMAT_UNSIGNED_INT8, 4);
    CUDA_RESOURCE_DESC r, got;
    CUDA_TEXTURE_DESC t, t_got;
    CUDA_RESOURCE_VIEW_DESC v;
    CUarray a = NULL;
    CUtexObject tex = 0;
    CUdeviceptr p = 0;

    C(cuArrayCreate(&a, &d));
    C(cuMemAlloc(&p, 1 << 20));
    texture_resource(&r, a);
    memset(&t, 0, sizeof(t));
    C(cuTexObjectCreate(&tex, &r, &t, NULL));
    C(cuTexObjectCreate(NULL, &r, &t, NULL));
    C(cuTexObjectCreate(&tex, NULL, &t, NULL));
    C(cuTexObjectCreate(&tex, &r, NULL, NULL));
    C(cuTexObjectGetResourceDesc(&got, tex));
    V(got.resType);
    V(got.res.array.hArray == a);
    C(cuTexObjectGetResourceDesc(NULL, tex));
    C(cuTexObjectGetResourceDesc(&got, 0));
    C(cuTexObjectGetTextureDesc(&t_got, tex));
    V(t_got.filterMode);
    C(cuTexObjectGetTextureDesc(NULL, tex));
    C(cuTexObjectGetResourceViewDesc(&v, tex));
    C(cuTexObjectDestroy(tex));
    C(cuTexObjectDestroy(0));
    t.filterMode = CU_TR_FILTER_MODE_LINEAR;
    C(cuTexObjectCreate(&tex, &r, &t, NULL));
    t.flags = CU_TRSF_READ_AS_INTEGER;
    C(cuTexObjectCreate(&tex, &r, &t, NULL));
    t.filterMode = CU_TR_FILTER_MODE_POINT;
    C(cuTexObjectCreate(&tex, &r, &t, NULL));
    t.flags = CU_TRSF_NORMALIZED_COORDINATES;
    t.addressMode[0] = CU_TR_ADDRESS_MODE_WRAP;
    C(cuTexObjectCreate(&tex, &r, &t, NULL));
    t.flags = 0;
    C(cuTexObjectCreate(&tex, &r, &t, NULL));
    t.addressMode[0] = CU_TR_ADDRESS_MODE_MIRROR;
    C(cuTexObjectCreate(&tex, &r, &t, NULL));
    t.addressMode[0] = (CUaddress_mode)9;
    C(cuTexObjectCreate(&tex, &r, &t, NULL));
    t.addressMode[0] = CU_TR_ADDRESS_MODE_BORDER;
    C(cuTexObjectCreate(&tex, &r, &t, NULL));
    t.filterMode = (CUfilter_mode)9;
    C(cuTexObjectCreate(&tex, &r, &t, NULL));
    t.filterMode = CU_TR_FILTER_MODE_POINT;
    t.maxAnisotropy = 99;
    C(cuTexObjectCreate(&tex, &r, &t, NULL));
    t.maxAnisotropy = 0;
    t.flags = CU_TRSF_SRGB;
    C(cuTexObjectCreate(&tex, &r, &t, NULL));
    t.flags = 0x8000;
    C(cuTexObjectCreate(&tex, &r, &t, NULL));
    t.flags = 0;
    r.flags = 1;
    C(cuTexObjectCreate(&tex, &r, &t, NULL));
    r.flags = 0;
    r.resType = (CUresourcetype)9;
    C(cuTexObjectCreate(&tex, &r, &t, NULL));
    texture_resource(&r, NULL);
    C(cuTexObjectCreate(&tex, &r, &t, NULL));
    C(cuArrayDestroy(a));
}

static void texture_linear(void)
{
    CUDA_RESOURCE_DESC r;
    CUDA_TEXTURE_DESC t;
    CUtexObject tex = 0;
    CUdeviceptr p = 0;

    C(cuMemAlloc(&p, 1 << 20));
    memset(&t, 0, sizeof(t));
    memset(&r, 0, sizeof(r));
    r.resType = CU_RESOURCE_TYPE_LINEAR;
    r.res.linear.devPtr = p;
    r.res.linear.format = CU_AD_FORMAT_FLOAT;
    r.res.linear.numChannels = 1;
    r.res.linear.sizeInBytes = 1 << 20;
    C(cuTexObjectCreate(&tex, &r, &t, NULL));
    t.filterMode = CU_TR_FILTER_MODE_LINEAR;
    C(cuTexObjectCreate(&tex, &r, &t, NULL));
    t.filterMode = CU_TR_FILTER_MODE_POINT;
    t.flags = CU_TRSF_NORMALIZED_COORDINATES;
    C(cuTexObjectCreate(&tex, &r, &t, NULL));
    t.flags = 0;
    r.res.linear.devPtr = p + 4;
    C(cuTexObjectCreate(&tex, &r, &t, NULL));
    r.res.linear.devPtr = p + 512;
    r.res.linear.sizeInBytes = 1024;
    C(cuTexObjectCreate(&tex, &r, &t, NULL));
    r.res.linear.devPtr = 0;
    C(cuTexObjectCreate(&tex, &r, &t, NULL));
    r.res.linear.devPtr = p;
    r.res.linear.sizeInBytes = 0;
    C(cuTexObjectCreate(&tex, &r, &t, NULL));
    r.res.linear.sizeInBytes = (size_t)1 << 36;
    C(cuTexObjectCreate(&tex, &r, &t, NULL));
    r.res.linear.sizeInBytes = 2 << 20;
    C(cuTexObjectCreate(&tex, &r, &t, NULL));
    r.res.linear.sizeInBytes = 1024;
    r.res.linear.numChannels = 3;
    C(cuTexObjectCreate(&tex, &r, &t, NULL));

    memset(&r, 0, sizeof(r));
    r.resType = CU_RESOURCE_TYPE_PITCH2D;
    r.res.pitch2D.devPtr = p;
    r.res.pitch2D.format = CU_AD_FORMAT_FLOAT;
    r.res.pitch2D.numChannels = 1;
    r.res.pitch2D.width = 64;
    r.res.pitch2D.height = 16;
    r.res.pitch2D.pitchInBytes = 512;
    C(cuTexObjectCreate(&tex, &r, &t, NULL));
    t.filterMode = CU_TR_FILTER_MODE_LINEAR;
    C(cuTexObjectCreate(&tex, &r, &t, NULL));
    r.res.pitch2D.pitchInBytes = 300;
    C(cuTexObjectCreate(&tex, &r, &t, NULL));
    r.res.pitch2D.pitchInBytes = 128;
    C(cuTexObjectCreate(&tex, &r, &t, NULL));
    r.res.pitch2D.pitchInBytes = 512;
    r.res.pitch2D.width = 0;
    C(cuTexObjectCreate(&tex, &r, &t, NULL));
    r.res.pitch2D.width = 64;
    r.res.pitch2D.height = 0;
    C(cuTexObjectCreate(&tex, &r, &t, NULL));
    r.res.pitch2D.height = 16;
    r.res.pitch2D.devPtr = p + 32;
    C(cuTexObjectCreate(&tex, &r, &t, NULL));
}

static void texture_mipmapped(void)
{
    CUDA_ARRAY3D_DESCRIPTOR d = desc3(64, 32, 0, 1, 0);
    CUmipmappedArray m = NULL;
    CUDA_RESOURCE_DESC r;
    CUDA_RESOURCE_VIEW_DESC v;
    CUDA_TEXTURE_DESC t;
    CUtexObject tex = 0;

    C(cuMipmappedArrayCreate(&m, &d, 4));
    memset(&r, 0, sizeof(r));
    memset(&t, 0, sizeof(t));
    memset(&v, 0, sizeof(v));
    r.resType = CU_RESOURCE_TYPE_MIPMAPPED_ARRAY;
    r.res.mipmap.hMipmappedArray = m;
    t.flags = CU_TRSF_NORMALIZED_COORDINATES;
    t.maxMipmapLevelClamp = 3;
    C(cuTexObjectCreate(&tex, &r, &t, NULL));
    C(cuTexObjectGetResourceViewDesc(&v, tex));
    t.flags = 0;
    C(cuTexObjectCreate(&tex, &r, &t, NULL));
    t.flags = CU_TRSF_NORMALIZED_COORDINATES;
    memset(&v, 0, sizeof(v));
    v.format = CU_RES_VIEW_FORMAT_UINT_1X8;
    v.width = 64;
    v.height = 32;
    v.firstMipmapLevel = 1;
    v.lastMipmapLevel = 2;
    C(cuTexObjectCreate(&tex, &r, &t, &v));
    C(cuTexObjectGetResourceViewDesc(&v, tex));
    V(v.firstMipmapLevel);
    V(v.lastMipmapLevel);
    v.lastMipmapLevel = 9;
    C(cuTexObjectCreate(&tex, &r, &t, &v));
    v.lastMipmapLevel = 2;
    v.width = 32;
    C(cuTexObjectCreate(&tex, &r, &t, &v));
    v.width = 64;
    v.format = CU_RES_VIEW_FORMAT_FLOAT_4X32;
    C(cuTexObjectCreate(&tex, &r, &t, &v));
}

static void surface_object(void)
{
    CUDA_ARRAY3D_DESCRIPTOR d = desc3(64, 32, 0, 1, CUDA_ARRAY3D_SURFACE_LDST);
    CUDA_ARRAY3D_DESCRIPTOR plain = desc3(64, 32, 0, 1, 0);
    CUDA_RESOURCE_DESC r, got;
    CUarray a = NULL, b = NULL;
    CUsurfObject s = 0;
    CUdeviceptr p = 0;

    C(cuArray3DCreate(&a, &d));
    C(cuArray3DCreate(&b, &plain));
    C(cuMemAlloc(&p, 4096));
    texture_resource(&r, a);
    C(cuSurfObjectCreate(&s, &r));
    C(cuSurfObjectCreate(NULL, &r));
    C(cuSurfObjectCreate(&s, NULL));
    C(cuSurfObjectGetResourceDesc(&got, s));
    V(got.resType);
    V(got.res.array.hArray == a);
    C(cuSurfObjectGetResourceDesc(NULL, s));
    C(cuSurfObjectGetResourceDesc(&got, 0));
    C(cuSurfObjectDestroy(s));
    C(cuSurfObjectDestroy(0));
    texture_resource(&r, b);
    C(cuSurfObjectCreate(&s, &r));
    texture_resource(&r, NULL);
    C(cuSurfObjectCreate(&s, &r));
    memset(&r, 0, sizeof(r));
    r.resType = CU_RESOURCE_TYPE_LINEAR;
    r.res.linear.devPtr = p;
    r.res.linear.format = CU_AD_FORMAT_FLOAT;
    r.res.linear.numChannels = 1;
    r.res.linear.sizeInBytes = 4096;
    C(cuSurfObjectCreate(&s, &r));
}

static void array_memory(void)
{
    CUDA_ARRAY3D_DESCRIPTOR d = desc3(64, 32, 0, 1, 0);
    CUDA_ARRAY_SPARSE_PROPERTIES sparse;
    CUDA_ARRAY_MEMORY_REQUIREMENTS need;
    CUarray a = NULL;
    CUdevice device = 0;

    C(cuArray3DCreate(&a, &d));
    C(cuArrayGetSparseProperties(&sparse, a));
    C(cuArrayGetSparseProperties(NULL, a));
    C(cuArrayGetSparseProperties(&sparse, NULL));
    C(cuArrayGetMemoryRequirements(&need, a, device));
    C(cuArrayGetMemoryRequirements(NULL, a, device));
    C(cuArrayGetMemoryRequirements(&need, NULL, device));
}

static void texture_limits(void)
{
    size_t n = 0;

    C(cuDeviceGetTexture1DLinearMaxWidth(&n, CU_AD_FORMAT_FLOAT, 1, 0));
    V(n);
    C(cuDeviceGetTexture1DLinearMaxWidth(&n, CU_AD_FORMAT_FLOAT, 4, 0));
    V(n);
    C(cuDeviceGetTexture1DLinearMaxWidth(&n, CU_AD_FORMAT_FLOAT, 3, 0));
    C(cuDeviceGetTexture1DLinearMaxWidth(NULL, CU_AD_FORMAT_FLOAT, 1, 0));
    C(cuDeviceGetTexture1DLinearMaxWidth(&n, CU_AD_FORMAT_FLOAT, 1, 99));
}

const struct codes_section codes_array[] = {
    { "array-create", array_create, 2 },
    { "array-3d", array_3d, 2 },
    { "array-copy", array_copy, 2 },
    { "array-copy-3d", array_copy_3d, 2 },
    { "array-mipmapped", array_mipmapped, 2 },
    { "array-memory", array_memory, 2 },
    { "texture-object", texture_object, 2 },
    { "texture-linear", texture_linear, 2 },
    { "texture-mipmapped", texture_mipmapped, 2 },
    { "texture-limits", texture_limits, 2 },
    { "surface-object", surface_object, 2 },
    { NULL, NULL, 0 },
};
