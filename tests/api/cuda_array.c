/* SPDX-License-Identifier: MIT */
/* Arrays through the driver API: copies of every shape keep each byte, and no other; bad input
 * changes nothing. Expected bytes are computed here, row by row. */
#include <cuda.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition)                                           \
    do {                                                           \
        if (!(condition)) {                                        \
            printf("%s:%d: %s\n", __FILE__, __LINE__, #condition); \
            exit(1);                                               \
        }                                                          \
    } while (0)
#define OK(call) CHECK((call) == CUDA_SUCCESS)
#define FAILS(call, code) CHECK((call) == CUDA_ERROR_##code)

enum { W = 7, H = 5, D = 3, TEXEL = 4, ROW = W * TEXEL };

static unsigned char pattern[D][H][ROW], back[D][H][ROW];

static void fill(void)
{
    for (int i = 0; i < D * H * ROW; i++) {
        (&pattern[0][0][0])[i] = (unsigned char)(i * 37 + (i >> 8));
    }
    memset(back, 0xee, sizeof(back));
}

static CUarray make(size_t h, size_t d, unsigned flags)
{
    CUDA_ARRAY3D_DESCRIPTOR desc = { W, h, d, CU_AD_FORMAT_UNSIGNED_INT8, 4, flags };
    CUarray a;

    OK(cuArray3DCreate(&a, &desc));
    return a;
}

static CUDA_MEMCPY3D volume(size_t h, size_t d)
{
    return (CUDA_MEMCPY3D){ .srcPitch = ROW,
                            .srcHeight = H,
                            .dstPitch = ROW,
                            .dstHeight = H,
                            .WidthInBytes = ROW,
                            .Height = h,
                            .Depth = d };
}

static void put(CUarray a, size_t h, size_t d)
{
    CUDA_MEMCPY3D c = volume(h, d);

    c.srcMemoryType = CU_MEMORYTYPE_HOST;
    c.srcHost = pattern;
    c.dstMemoryType = CU_MEMORYTYPE_ARRAY;
    c.dstArray = a;
    OK(cuMemcpy3D(&c));
}

static void get(CUarray a, size_t h, size_t d)
{
    CUDA_MEMCPY3D c = volume(h, d);

    c.srcMemoryType = CU_MEMORYTYPE_ARRAY;
    c.srcArray = a;
    c.dstMemoryType = CU_MEMORYTYPE_HOST;
    c.dstHost = back;
    OK(cuMemcpy3D(&c));
}

static void whole_volumes(void)
{
    static const struct {
        size_t h, d;
        unsigned flags;
    } shapes[] = { { 0, 0, 0 },
                   { H, 0, 0 },
                   { H, D, 0 },
                   { 0, D, CUDA_ARRAY3D_LAYERED },
                   { H, D, CUDA_ARRAY3D_LAYERED } };

    for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
        size_t h = shapes[i].h ? shapes[i].h : 1, d = shapes[i].d ? shapes[i].d : 1;
        CUarray a = make(shapes[i].h, shapes[i].d, shapes[i].flags);

        fill();
        put(a, h, d);
        get(a, h, d);
        for (size_t z = 0; z < d; z++) {
            CHECK(memcmp(back[z], pattern[z], h * ROW) == 0);
        }
        CHECK(back[D - 1][H - 1][ROW - 1] ==
              (h == H && d == D ? pattern[D - 1][H - 1][ROW - 1] : 0xee));
        OK(cuArrayDestroy(a));
    }
}

static void parts(void)
{
    CUarray a = make(H, D, 0), b = make(H, D, 0);
    CUDA_MEMCPY3D c = { .srcMemoryType = CU_MEMORYTYPE_ARRAY,
                        .srcArray = a,
                        .dstMemoryType = CU_MEMORYTYPE_ARRAY,
                        .dstArray = b,
                        .srcXInBytes = 8,
                        .srcY = 1,
                        .srcZ = 1,
                        .dstXInBytes = 4,
                        .dstY = 2,
                        .dstZ = 0,
                        .WidthInBytes = 12,
                        .Height = 3,
                        .Depth = 2 };

    fill();
    put(a, H, D);
    memset(back, 0, sizeof(back));
    put(b, H, D);
    OK(cuMemcpy3D(&c));
    get(b, H, D);
    for (int z = 0; z < D; z++) {
        for (int y = 0; y < H; y++) {
            for (int x = 0; x < ROW; x++) {
                bool in = z < 2 && y >= 2 && y < 5 && x >= 4 && x < 16;
                CHECK(back[z][y][x] == (in ? pattern[z + 1][y - 1][x + 4] : pattern[z][y][x]));
            }
        }
    }
    OK(cuArrayDestroy(a));
    OK(cuArrayDestroy(b));
}

static void linear(void)
{
    CUarray a = make(0, 0, 0), b = make(0, 0, 0);
    CUdeviceptr d;
    unsigned char row[ROW];

    fill();
    OK(cuMemAlloc(&d, ROW));
    OK(cuMemcpyHtoA(a, 0, pattern, ROW));
    OK(cuMemcpyAtoA(b, 8, a, 4, 12));
    OK(cuMemcpyAtoD(d, b, 8, 12));
    OK(cuMemcpyDtoH(row, d, 12));
    CHECK(memcmp(row, &pattern[0][0][4], 12) == 0);
    OK(cuMemcpyDtoA(a, 16, d, 8));
    OK(cuMemcpyAtoHAsync(row, a, 16, 8, NULL));
    OK(cuStreamSynchronize(NULL));
    CHECK(memcmp(row, &pattern[0][0][4], 8) == 0);
    OK(cuMemcpyHtoAAsync(a, 4, &pattern[1], 4, NULL));
    OK(cuMemcpyAtoH(row, a, 0, ROW));
    CHECK(memcmp(row, pattern, 4) == 0 && memcmp(row + 4, &pattern[1], 4) == 0);
    OK(cuMemFree(d));
    OK(cuArrayDestroy(a));
    OK(cuArrayDestroy(b));
}

static void levels(void)
{
    CUDA_ARRAY3D_DESCRIPTOR desc = { 16, 10, 0, CU_AD_FORMAT_FLOAT, 2, 0 }, got;
    static const size_t widths[] = { 16, 8, 4, 2, 1 }, heights[] = { 10, 5, 2, 1, 1 };
    CUmipmappedArray m;
    CUarray level;

    OK(cuMipmappedArrayCreate(&m, &desc, 99)); /* as many as there can be */
    for (unsigned i = 0; i < 5; i++) {
        OK(cuMipmappedArrayGetLevel(&level, m, i));
        OK(cuArray3DGetDescriptor(&got, level));
        CHECK(got.Width == widths[i] && got.Height == heights[i] && !got.Depth);
        CHECK(got.Format == CU_AD_FORMAT_FLOAT && got.NumChannels == 2);
    }
    FAILS(cuMipmappedArrayGetLevel(&level, m, 5), INVALID_VALUE);
    OK(cuMipmappedArrayDestroy(m));
    FAILS(cuMipmappedArrayDestroy(m), INVALID_HANDLE);
    FAILS(cuArray3DGetDescriptor(&got, level), INVALID_HANDLE);
}

static void bad_input(void)
{
    CUDA_ARRAY3D_DESCRIPTOR good = { 4, 4, 0, CU_AD_FORMAT_FLOAT, 1, 0 }, d;
    CUarray a = NULL;
    CUDA_MEMCPY3D c = volume(1, 1);
    CUdeviceptr p;
    unsigned char byte = 7;

    FAILS(cuArray3DCreate(NULL, &good), INVALID_VALUE);
    FAILS(cuArray3DCreate(&a, NULL), INVALID_VALUE);
    d = good, d.Width = 0;
    FAILS(cuArray3DCreate(&a, &d), INVALID_VALUE);
    d = good, d.NumChannels = 3;
    FAILS(cuArray3DCreate(&a, &d), INVALID_VALUE);
    d = good, d.Format = (CUarray_format)5;
    FAILS(cuArray3DCreate(&a, &d), INVALID_VALUE);
    d = good, d.Width = (size_t)1 << 40;
    FAILS(cuArray3DCreate(&a, &d), INVALID_VALUE);
    d = good, d.Flags = CUDA_ARRAY3D_CUBEMAP; /* six faces */
    FAILS(cuArray3DCreate(&a, &d), INVALID_VALUE);
    CHECK(!a);
    FAILS(cuArrayDestroy(NULL), INVALID_HANDLE);
    OK(cuMemAlloc(&p, 64));
    a = make(H, D, 0);
    c.srcMemoryType = CU_MEMORYTYPE_ARRAY;
    c.srcArray = a;
    c.dstMemoryType = CU_MEMORYTYPE_DEVICE;
    c.dstDevice = p;
    c.WidthInBytes = ROW + 4; /* beyond the row */
    FAILS(cuMemcpy3D(&c), INVALID_VALUE);
    c.WidthInBytes = 6; /* half an element */
    FAILS(cuMemcpy3D(&c), INVALID_VALUE);
    c.WidthInBytes = ROW;
    c.srcY = H;
    FAILS(cuMemcpy3D(&c), INVALID_VALUE);
    c.srcY = 0;
    c.srcZ = D;
    FAILS(cuMemcpy3D(&c), INVALID_VALUE);
    FAILS(cuMemFree((CUdeviceptr)(size_t)a), INVALID_VALUE);
    FAILS(cuMemcpyHtoA(NULL, 0, &byte, 1), INVALID_VALUE);
    OK(cuArrayDestroy(a));
    FAILS(cuArrayDestroy(a), INVALID_HANDLE);
    FAILS(cuMemcpyHtoA(a, 0, &byte, 1), INVALID_HANDLE);
    OK(cuMemFree(p));
}

static const char ptx[] =
    ".version 7.0\n.target sm_72\n.address_size 64\n"
    ".visible .entry fetch(.param .u64 out, .param .u64 texture)\n{\n"
    ".reg .u64 %a<4>;\n.reg .u32 %r<5>;\n.reg .f32 %f<3>;\n"
    "ld.param.u64 %a1, [out];\nld.param.u64 %a2, [texture];\ncvta.to.global.u64 %a3, %a1;\n"
    "mov.f32 %f1, 0f40200000;\nmov.f32 %f2, 0f3f000000;\n" /* 2.5, 0.5 */
    "tex.2d.v4.u32.f32 {%r1, %r2, %r3, %r4}, [%a2, {%f1, %f2}];\n"
    "st.global.u32 [%a3], %r1;\nret;\n}\n";

/* A program may destroy the object once the kernel is launched; the place is not given to another
 * before the kernel has run. */
static void destroyed_after_launch(void)
{
    static const unsigned texels[2][4] = { { 10, 11, 12, 13 }, { 20, 21, 22, 23 } };
    CUDA_ARRAY_DESCRIPTOR d = {
        .Width = 4, .Height = 1, .Format = CU_AD_FORMAT_UNSIGNED_INT32, .NumChannels = 1
    };
    CUDA_TEXTURE_DESC how = { .flags = CU_TRSF_READ_AS_INTEGER };
    CUDA_RESOURCE_DESC what = { .resType = CU_RESOURCE_TYPE_ARRAY };
    CUdeviceptr out, to;
    CUtexObject texture, dead;
    CUfunction fetch;
    CUmodule module;
    CUarray a[2];
    unsigned value[2];
    void *args[] = { &to, &texture };

    OK(cuModuleLoadData(&module, ptx));
    OK(cuModuleGetFunction(&fetch, module, "fetch"));
    OK(cuMemAlloc(&out, sizeof(value)));
    for (unsigned i = 0; i < 2; i++) {
        OK(cuArrayCreate(&a[i], &d));
        OK(cuMemcpyHtoA(a[i], 0, texels[i], sizeof(texels[i])));
    }
    for (unsigned i = 0; i < 2; i++) {
        what.res.array.hArray = a[i];
        to = out + i * sizeof(*value);
        OK(cuTexObjectCreate(&texture, &what, &how, NULL));
        OK(cuLaunchKernel(fetch, 1, 1, 1, 1, 1, 1, 0, NULL, args, NULL));
        OK(cuTexObjectDestroy(texture));
        dead = texture;
        if (cuTexObjectDestroy(dead) != CUDA_ERROR_INVALID_VALUE ||
            cuTexObjectGetResourceDesc(&what, dead) != CUDA_ERROR_INVALID_VALUE) {
            fprintf(stderr, "a destroyed texture object is one\n");
            exit(1);
        }
    }
    OK(cuMemcpyDtoH(value, out, sizeof(value)));
    if (value[0] != 12 || value[1] != 22) {
        fprintf(stderr, "fetched %u and %u, not 12 and 22\n", value[0], value[1]);
        exit(1);
    }
    OK(cuArrayDestroy(a[0]));
    OK(cuArrayDestroy(a[1]));
    OK(cuMemFree(out));
    OK(cuModuleUnload(module));
}

int main(void)
{
    CUcontext context;

    OK(cuInit(0));
    OK(cuDevicePrimaryCtxRetain(&context, 0));
    OK(cuCtxSetCurrent(context));
    whole_volumes();
    parts();
    linear();
    levels();
    bad_input();
    destroyed_after_launch();
    make(H, D, 0); /* goes with its context */
    OK(cuDevicePrimaryCtxRelease(0));
    return 0;
}
