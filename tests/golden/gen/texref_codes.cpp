/* SPDX-License-Identifier: MIT */
/* What a driver answers about texture and surface references, and what kernels fetch by them: a
 * line a call, "case code"; values as "case.value number", of floats their bits.
 *
 *   nvcc -arch=sm_90 -cudart static texref_codes.cpp -o texref_codes -lcuda && ./texref_codes
 *
 * The output on a real GPU lies beside it as texref_codes.txt; tests/api compares ours with it.
 * Each section is a process of its own, so that a crash of a driver ends one section only. */
#include <cuda.h>

#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

static const char *section, *current = "begin";

static void row(const std::string &name, long long value)
{
    std::printf("%s.%s %lld\n", section, name.c_str(), value);
    std::fflush(stdout);
}

#define C(name, call) (current = (name), row((name), (long long)(call)))
#define V(name, value) row(std::string(name) + ".value", (long long)(value))

static void crashed(int)
{
    std::printf("%s.%s SIGSEGV\n", section, current);
    std::fflush(stdout);
    _exit(0);
}

// Each kernel: (out, x, y, z), floats; four words are stored.
#define KERNEL(name, fetch)                                                                        \
    ".visible .entry " name "(.param .u64 o, .param .f32 px, .param .f32 py, .param .f32 pz)\n{\n" \
    ".reg .u64 %rd<4>;\n.reg .f32 %f<12>;\n.reg .u32 %r<12>;\n"                                    \
    "ld.param.u64 %rd1, [o];\nld.param.f32 %f1, [px];\nld.param.f32 %f2, [py];\n"                  \
    "ld.param.f32 %f3, [pz];\ncvt.rzi.s32.f32 %r1, %f1;\ncvt.rzi.s32.f32 %r2, %f2;\n"              \
    "cvt.rzi.s32.f32 %r3, %f3;\nmov.u32 %r4, 0;\nmov.u32 %r5, 0;\nmov.u32 %r6, 0;\n"               \
    "mov.u32 %r7, 0;\n" fetch                                                                      \
    "st.global.u32 [%rd1], %r4;\nst.global.u32 [%rd1+4], %r5;\nst.global.u32 [%rd1+8], %r6;\n"     \
    "st.global.u32 [%rd1+12], %r7;\nret;\n}\n"
#define BITS "mov.b32 %r4, %f4;\nmov.b32 %r5, %f5;\nmov.b32 %r6, %f6;\nmov.b32 %r7, %f7;\n"
#define F4 "{%f4,%f5,%f6,%f7}, "
#define R4 "{%r4,%r5,%r6,%r7}, "

static const char head[] = ".version 7.0\n.target sm_72\n.address_size 64\n";
static const char text[] =
    ".version 7.0\n.target sm_72\n.address_size 64\n"
    ".global .texref t;\n.visible .global .texref u;\n.global .surfref s;\n.global .u32 g;\n"
    ".func (.reg .f32 a) inner(.reg .f32 x)\n{\n.reg .f32 %f<5>;\n"
    "tex.1d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [t, {x}];\nmov.f32 a, %f1;\nret;\n}\n" KERNEL(
        "k1d", "tex.1d.v4.f32.f32 " F4 "[t, {%f1}];\n" BITS) KERNEL("k2d", "tex.2d.v4.f32.f32 " F4
                                                                           "[t, {%f1,%f2}];\n" BITS)
        KERNEL("k3d", "tex.3d.v4.f32.f32 " F4 "[t, {%f1,%f2,%f3,%f3}];\n" BITS) KERNEL(
            "ka1d", "tex.a1d.v4.f32.f32 " F4
                    "[t, {%r2,%f1}];\n" BITS) KERNEL("klod", "tex.level.2d.v4.f32.f32 " F4
                                                             "[t, {%f1,%f2}], %f3;\n" BITS)
            KERNEL("ku1d", "tex.1d.v4.u32.s32 " R4 "[t, {%r1}];\n") KERNEL(
                "kf1d", "tex.1d.v4.f32.s32 " F4
                        "[t, {%r1}];\n" BITS) KERNEL("kgather", "tld4.r.2d.v4.f32.f32 " F4
                                                                "[t, {%f1,%f2}];\n" BITS)
                KERNEL("kother", "tex.1d.v4.f32.f32 " F4 "[u, {%f1}];\n" BITS) KERNEL(
                    "kboth", "tex.1d.v4.f32.f32 " F4 "[t, {%f1}];\n"
                             "tex.1d.v4.f32.f32 {%f8,%f5,%f6,%f7}, [u, {%f1}];\n"
                             "mov.f32 %f5, %f8;\n" BITS)
                    KERNEL("kfunc", "call (%f4), inner, (%f1);\nmov.f32 %f5, 0f00000000;\nmov.f32 "
                                    "%f6, %f5;\nmov.f32 %f7, %f5;\n" BITS) KERNEL(
                        "kquery", "txq.width.b32 %r4, [t];\ntxq.height.b32 %r5, "
                                  "[t];\ntxq.depth.b32 %r6, [t];\n") KERNEL("kplain",
                                                                            "mov.u32 %r4, %r1;\n")
                        KERNEL("ksload",
                               "shl.b32 %r1, %r1, 2;\nsuld.b.2d.b32.trap %r4, [s, {%r1,%r2}];\n")
                            KERNEL(
                                "ksstore",
                                "shl.b32 %r1, %r1, 2;\nsust.b.2d.b32.trap [s, {%r1,%r2}], %r3;\n")
                                KERNEL("ksquery", "suq.width.b32 %r4, [s];\nsuq.height.b32 %r5, "
                                                  "[s];\nsuq.depth.b32 %r6, [s];\n");

static CUcontext ctx;
static CUdevice dev;
static CUmodule mod;
static CUdeviceptr out, mem;
static CUtexref t, u;
static CUsurfref s;

static void up()
{
    float numbers[256];

    cuInit(0);
    cuDeviceGet(&dev, 0);
    cuDevicePrimaryCtxRetain(&ctx, dev);
    cuCtxSetCurrent(ctx);
    for (int i = 0; i < 256; i++) {
        numbers[i] = (float)(i + 1);
    }
    int e = cuModuleLoadData(&mod, text);
    if (e || cuMemAlloc(&out, 64) || cuMemAlloc(&mem, 4096) || cuMemsetD8(mem, 0, 4096) ||
        cuMemcpyHtoD(mem, numbers, sizeof(numbers)) || cuCtxSynchronize()) {
        std::printf("%s.setup failed %d\n", section, e);
        _exit(1);
    }
}

static void refs()
{
    up();
    if (cuModuleGetTexRef(&t, mod, "t") || cuModuleGetTexRef(&u, mod, "u") ||
        cuModuleGetSurfRef(&s, mod, "s")) {
        std::printf("%s.setup failed\n", section);
        _exit(1);
    }
}

static CUresult launch(const char *name, float x, float y, float z, CUstream stream = NULL)
{
    CUfunction f;
    void *args[] = { &out, &x, &y, &z };
    CUresult e = cuModuleGetFunction(&f, mod, name);

    return e ? e : cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, stream, args, NULL);
}

// Launches, waits and prints what four words hold.
static void fetch(const char *name, const char *kernel, float x, float y = 0, float z = 0)
{
    unsigned v[4] = { 0 };
    CUresult e = cuMemsetD32(out, 0xabcdef, 4);

    current = name;
    e = e ? e : launch(kernel, x, y, z);
    e = e ? e : cuCtxSynchronize();
    e = e ? e : cuMemcpyDtoH(v, out, 16);
    row(name, e);
    for (int i = 0; !e && i < 4; i++) {
        row(std::string(name) + "." + "xyzw"[i], v[i]);
    }
}

static CUarray array_of(size_t w, size_t h, size_t d, unsigned flags = 0,
                        CUarray_format f = CU_AD_FORMAT_FLOAT, unsigned channels = 1)
{
    CUDA_ARRAY3D_DESCRIPTOR desc = { w, h, d, f, channels, flags };
    CUarray a = NULL;
    CUDA_MEMCPY3D c;
    static uint32_t host[4096];

    if (cuArray3DCreate(&a, &desc)) {
        std::printf("%s.array failed\n", section);
        _exit(1);
    }
    for (int i = 0; i < 4096; i++) {
        float v = (float)(i + 1);

        std::memcpy(&host[i], &v, 4);
        if (f == CU_AD_FORMAT_UNSIGNED_INT8) {
            host[i] = (uint32_t)i * 0x01030507u;
        }
    }
    std::memset(&c, 0, sizeof(c));
    c.srcMemoryType = CU_MEMORYTYPE_HOST;
    c.srcHost = host;
    c.srcPitch = w * channels * (f == CU_AD_FORMAT_UNSIGNED_INT8 ? 1 : 4);
    c.srcHeight = h ? h : 1;
    c.dstMemoryType = CU_MEMORYTYPE_ARRAY;
    c.dstArray = a;
    c.WidthInBytes = c.srcPitch;
    c.Height = h ? h : 1;
    c.Depth = d ? d : 1;
    if (cuMemcpy3D(&c)) {
        std::printf("%s.copy failed\n", section);
        _exit(1);
    }
    return a;
}

static void get()
{
    CUtexref x = NULL, y = NULL;
    CUsurfref z = NULL;
    CUdeviceptr p;
    size_t bytes = 77;

    up();
    C("null_result", cuModuleGetTexRef(NULL, mod, "t"));
    C("null_module", cuModuleGetTexRef(&x, NULL, "t"));
    C("null_name", cuModuleGetTexRef(&x, mod, NULL));
    C("empty_name", cuModuleGetTexRef(&x, mod, ""));
    C("unknown", cuModuleGetTexRef(&x, mod, "nothing"));
    C("global", cuModuleGetTexRef(&x, mod, "g"));
    C("surface", cuModuleGetTexRef(&x, mod, "s"));
    C("kernel", cuModuleGetTexRef(&x, mod, "k1d"));
    C("found", cuModuleGetTexRef(&x, mod, "t"));
    C("again", cuModuleGetTexRef(&y, mod, "t"));
    V("same", x == y);
    C("as_global", cuModuleGetGlobal(&p, &bytes, mod, "t"));
    V("as_global", bytes);
    C("surf_null_result", cuModuleGetSurfRef(NULL, mod, "s"));
    C("surf_null_name", cuModuleGetSurfRef(&z, mod, NULL));
    C("surf_unknown", cuModuleGetSurfRef(&z, mod, "nothing"));
    C("surf_texture", cuModuleGetSurfRef(&z, mod, "t"));
    C("surf_found", cuModuleGetSurfRef(&z, mod, "s"));
    C("surf_as_global", cuModuleGetGlobal(&p, &bytes, mod, "s"));
}

static void getters(const std::string &when)
{
    CUaddress_mode am = (CUaddress_mode)77;
    CUfilter_mode fm = (CUfilter_mode)77;
    CUarray_format format = (CUarray_format)77;
    CUarray a = NULL;
    CUmipmappedArray m = NULL;
    CUdeviceptr p = 0;
    float f = 77, g = 77, border[4] = { 7, 7, 7, 7 };
    int n = 77;
    unsigned flags = 77;

#define G(name, call, value) \
    (row(when + name, (call)), row(when + name + ".value", (long long)(value)))
    for (int i = 0; i < 3; i++) {
        int e = cuTexRefGetAddressMode(&am, t, i);

        row(when + "mode" + "012"[i], e);
        row(when + "mode" + "012"[i] + ".value", am);
    }
    G("filter", cuTexRefGetFilterMode(&fm, t), fm);
    {
        int e = cuTexRefGetFormat(&format, &n, t);
        row(when + "format", e);
        row(when + "format.value", format);
        row(when + "format.channels", n);
    }
    G("address", cuTexRefGetAddress(&p, t), p == mem ? 1 : p == 0 ? 0 : p - mem);
    G("array", cuTexRefGetArray(&a, t), a != NULL);
    G("mipmap", cuTexRefGetMipmappedArray(&m, t), m != NULL);
    fm = (CUfilter_mode)77;
    G("mip_filter", cuTexRefGetMipmapFilterMode(&fm, t), fm);
    {
        int e = cuTexRefGetMipmapLevelBias(&f, t);
        row(when + "bias", e);
        row(when + "bias.value", (long long)(f * 1000));
    }
    {
        int e = cuTexRefGetMipmapLevelClamp(&f, &g, t);
        row(when + "clamp", e);
        row(when + "clamp.min", (long long)(f * 1000));
        row(when + "clamp.max", (long long)(g * 1000));
    }
    {
        int e = cuTexRefGetMaxAnisotropy(&n, t);
        row(when + "aniso", e);
        row(when + "aniso.value", n);
    }
    {
        int e = cuTexRefGetBorderColor(border, t);
        row(when + "border", e);
        row(when + "border.value", (long long)(border[0] * 1000 + border[3]));
    }
    {
        int e = cuTexRefGetFlags(&flags, t);
        row(when + "flags", e);
        row(when + "flags.value", flags);
    }
}

static void defaults()
{
    CUarray a = NULL;

    refs();
    getters("");
    C("null_mode", cuTexRefGetAddressMode(NULL, t, 0));
    C("null_filter", cuTexRefGetFilterMode(NULL, t));
    C("null_format", cuTexRefGetFormat(NULL, NULL, t));
    C("null_address", cuTexRefGetAddress(NULL, t));
    C("null_array", cuTexRefGetArray(NULL, t));
    C("null_mipmap", cuTexRefGetMipmappedArray(NULL, t));
    C("null_mip_filter", cuTexRefGetMipmapFilterMode(NULL, t));
    C("null_bias", cuTexRefGetMipmapLevelBias(NULL, t));
    C("null_clamp", cuTexRefGetMipmapLevelClamp(NULL, NULL, t));
    C("null_aniso", cuTexRefGetMaxAnisotropy(NULL, t));
    C("null_border", cuTexRefGetBorderColor(NULL, t));
    C("null_flags", cuTexRefGetFlags(NULL, t));
    C("null_surface", cuSurfRefGetArray(NULL, s));
    C("surface", cuSurfRefGetArray(&a, s));
    V("surface", a != NULL);
    CUaddress_mode am;
    C("mode3", cuTexRefGetAddressMode(&am, t, 3));
    C("mode_minus", cuTexRefGetAddressMode(&am, t, -1));
}

static void null()
{
    CUaddress_mode am;
    CUfilter_mode fm;
    CUarray_format format;
    CUarray a;
    CUmipmappedArray m;
    CUdeviceptr p;
    CUDA_ARRAY_DESCRIPTOR d = { 8, 8, CU_AD_FORMAT_FLOAT, 1 };
    float f, g, border[4] = { 0 };
    int n;
    unsigned flags;
    size_t offset;

    refs();
    C("get_mode", cuTexRefGetAddressMode(&am, NULL, 0));
    C("get_filter", cuTexRefGetFilterMode(&fm, NULL));
    C("get_format", cuTexRefGetFormat(&format, &n, NULL));
    C("get_address", cuTexRefGetAddress(&p, NULL));
    C("get_array", cuTexRefGetArray(&a, NULL));
    C("get_mipmap", cuTexRefGetMipmappedArray(&m, NULL));
    C("get_mip_filter", cuTexRefGetMipmapFilterMode(&fm, NULL));
    C("get_bias", cuTexRefGetMipmapLevelBias(&f, NULL));
    C("get_clamp", cuTexRefGetMipmapLevelClamp(&f, &g, NULL));
    C("get_aniso", cuTexRefGetMaxAnisotropy(&n, NULL));
    C("get_border", cuTexRefGetBorderColor(border, NULL));
    C("get_flags", cuTexRefGetFlags(&flags, NULL));
    C("mode", cuTexRefSetAddressMode(NULL, 0, CU_TR_ADDRESS_MODE_WRAP));
    C("filter", cuTexRefSetFilterMode(NULL, CU_TR_FILTER_MODE_POINT));
    C("format", cuTexRefSetFormat(NULL, CU_AD_FORMAT_FLOAT, 1));
    C("address", cuTexRefSetAddress(&offset, NULL, mem, 64));
    C("address2d", cuTexRefSetAddress2D(NULL, &d, mem, 256));
    C("array", cuTexRefSetArray(NULL, array_of(8, 0, 0), CU_TRSA_OVERRIDE_FORMAT));
    C("mipmap", cuTexRefSetMipmappedArray(NULL, NULL, CU_TRSA_OVERRIDE_FORMAT));
    C("mip_filter", cuTexRefSetMipmapFilterMode(NULL, CU_TR_FILTER_MODE_POINT));
    C("bias", cuTexRefSetMipmapLevelBias(NULL, 0));
    C("clamp", cuTexRefSetMipmapLevelClamp(NULL, 0, 1));
    C("aniso", cuTexRefSetMaxAnisotropy(NULL, 1));
    C("border", cuTexRefSetBorderColor(NULL, border));
    C("flags", cuTexRefSetFlags(NULL, 0));
    C("destroy", cuTexRefDestroy(NULL));
    C("create", cuTexRefCreate(NULL));
    C("surface", cuSurfRefSetArray(NULL, array_of(8, 0, 0), 0));
    C("get_surface", cuSurfRefGetArray(&a, NULL));
    C("border_null", cuTexRefSetBorderColor(t, NULL));
    C("array_null", cuTexRefSetArray(t, NULL, CU_TRSA_OVERRIDE_FORMAT));
    C("mipmap_null", cuTexRefSetMipmappedArray(t, NULL, CU_TRSA_OVERRIDE_FORMAT));
    C("address_null", cuTexRefSetAddress(&offset, t, 0, 64));
    C("address_zero", cuTexRefSetAddress(&offset, t, 0, 0));
    C("address2d_null", cuTexRefSetAddress2D(t, &d, 0, 256));
    C("desc_null", cuTexRefSetAddress2D(t, NULL, mem, 256));
    C("surface_null", cuSurfRefSetArray(s, NULL, 0));
}

static void set()
{
    float border[4] = { 0.5f, 0.25f, 0, 3 };

    refs();
    for (int i = -1; i < 4; i++) {
        row("dim" + std::to_string(i), cuTexRefSetAddressMode(t, i, CU_TR_ADDRESS_MODE_MIRROR));
    }
    for (int i = -1; i < 6; i++) {
        row("mode" + std::to_string(i), cuTexRefSetAddressMode(t, 1, (CUaddress_mode)i));
    }
    for (int i = -1; i < 4; i++) {
        row("filter" + std::to_string(i), cuTexRefSetFilterMode(t, (CUfilter_mode)i));
        row("mip_filter" + std::to_string(i), cuTexRefSetMipmapFilterMode(t, (CUfilter_mode)i));
    }
    for (int n = 0; n < 6; n++) {
        row("channels" + std::to_string(n), cuTexRefSetFormat(t, CU_AD_FORMAT_UNSIGNED_INT8, n));
    }
    for (int f : { 0, 1, 2, 3, 4, 8, 9, 10, 11, 0x10, 0x20, 0x40, 0xb0 }) {
        row("format" + std::to_string(f), cuTexRefSetFormat(t, (CUarray_format)f, 1));
    }
    for (unsigned f = 0; f < 10; f++) {
        row("flag" + std::to_string(f), cuTexRefSetFlags(t, 1u << f));
    }
    C("flags", cuTexRefSetFlags(t, CU_TRSF_READ_AS_INTEGER | CU_TRSF_NORMALIZED_COORDINATES));
    C("bias", cuTexRefSetMipmapLevelBias(t, 1.5f));
    C("clamp", cuTexRefSetMipmapLevelClamp(t, 2, 1));
    C("clamp_ok", cuTexRefSetMipmapLevelClamp(t, 1, 2));
    for (unsigned n : { 0u, 1u, 2u, 3u, 16u, 17u, 1000u }) {
        row("aniso" + std::to_string(n), cuTexRefSetMaxAnisotropy(t, n));
    }
    C("border", cuTexRefSetBorderColor(t, border));
    getters("after.");
}

static void address()
{
    size_t offset = 77;
    CUDA_ARRAY_DESCRIPTOR d = { 8, 4, CU_AD_FORMAT_FLOAT, 1 };
    CUdeviceptr small;

    refs();
    C("bind", cuTexRefSetAddress(&offset, t, mem, 64));
    V("offset", offset);
    getters("bound.");
    fetch("first", "kf1d", 0);
    fetch("third", "kf1d", 2);
    fetch("last", "kf1d", 15);
    fetch("outside", "kf1d", 16);
    fetch("before", "kf1d", -1);
    fetch("float_coordinate", "k1d", 3.5f);
    C("no_offset", cuTexRefSetAddress(NULL, t, mem, 64));
    C("no_offset_off", cuTexRefSetAddress(NULL, t, mem + 4, 64));
    C("off4", cuTexRefSetAddress(&offset, t, mem + 4, 64));
    V("off4", offset);
    fetch("off4_first", "kf1d", 0);
    fetch("off4_second", "kf1d", 1);
    fetch("off4_last", "kf1d", 15);
    fetch("off4_beyond", "kf1d", 16);
    C("off16", cuTexRefSetAddress(&offset, t, mem + 16, 64));
    V("off16", offset);
    C("off256", cuTexRefSetAddress(&offset, t, mem + 256, 64));
    V("off256", offset);
    C("off512", cuTexRefSetAddress(&offset, t, mem + 512, 64));
    V("off512", offset);
    fetch("off512_first", "kf1d", 0);
    C("odd", cuTexRefSetAddress(&offset, t, mem + 2, 62));
    V("odd", offset);
    C("wild", cuTexRefSetAddress(&offset, t, 0x123456789000, 64));
    C("zero_bytes", cuTexRefSetAddress(&offset, t, mem, 0));
    C("many", cuTexRefSetAddress(&offset, t, mem, (size_t)1 << 40));
    C("most", cuTexRefSetAddress(&offset, t, mem, (size_t)1 << 29));
    C("past", cuTexRefSetAddress(&offset, t, mem, 1 << 20));
    C("format", cuTexRefSetFormat(t, CU_AD_FORMAT_UNSIGNED_INT32, 2));
    C("ints", cuTexRefSetAddress(&offset, t, mem, 64));
    C("flags", cuTexRefSetFlags(t, CU_TRSF_READ_AS_INTEGER));
    fetch("ints_second", "ku1d", 1);
    fetch("ints_out", "ku1d", 8);
    C("d2", cuTexRefSetAddress2D(t, &d, mem, 32));
    C("d2_ok", cuTexRefSetAddress2D(t, &d, mem, 512));
    C("d2_off", cuTexRefSetAddress2D(t, &d, mem + 4, 512));
    C("d2_off512", cuTexRefSetAddress2D(t, &d, mem + 512, 512));
    C("d2_wild", cuTexRefSetAddress2D(t, &d, 0x123456789000, 512));
    d.Width = 0;
    C("d2_no_width", cuTexRefSetAddress2D(t, &d, mem, 512));
    d.Width = 1 << 20;
    C("d2_wide", cuTexRefSetAddress2D(t, &d, mem, 1 << 22));
    d.Width = 8;
    d.NumChannels = 3;
    C("d2_channels", cuTexRefSetAddress2D(t, &d, mem, 512));
    d.NumChannels = 1;
    C("d2_back", cuTexRefSetFlags(t, 0));
    C("d2_again", cuTexRefSetAddress2D(t, &d, mem, 32 * 16));
    getters("d2_bound.");
    fetch("d2_first", "k2d", 0.5f, 0.5f);
    fetch("d2_row", "k2d", 3.5f, 1.5f);
    fetch("d2_clamp", "k2d", 30, 9);
    cuMemAlloc(&small, 4096);
    C("freed_bind", cuTexRefSetAddress(&offset, u, small, 64));
    C("freed", cuMemFree(small));
    C("freed_again", cuTexRefSetAddress(&offset, u, small, 64));
}

static void unbound()
{
    refs();
    fetch("k1d", "k1d", 0.5f);
    fetch("k2d", "k2d", 0.5f, 0.5f);
    fetch("ku1d", "ku1d", 0);
    fetch("kquery", "kquery", 0);
    fetch("kother", "kother", 0.5f);
    fetch("ksquery", "ksquery", 0);
}

static void unbound_surface()
{
    refs();
    fetch("load", "ksload", 0);
}

static void arrays()
{
    CUarray one, two, three, layers, bytes, got;

    refs();
    one = array_of(8, 0, 0);
    two = array_of(8, 4, 0);
    three = array_of(4, 4, 4);
    layers = array_of(8, 0, 3, CUDA_ARRAY3D_LAYERED);
    bytes = array_of(16, 4, 0, 0, CU_AD_FORMAT_UNSIGNED_INT8, 4);
    C("flags0", cuTexRefSetArray(t, one, 0));
    C("flags2", cuTexRefSetArray(t, one, 2));
    C("one", cuTexRefSetArray(t, one, CU_TRSA_OVERRIDE_FORMAT));
    C("get", cuTexRefGetArray(&got, t));
    V("get", got == one);
    getters("bound.");
    fetch("one_first", "k1d", 0.5f);
    fetch("one_last", "k1d", 7.5f);
    fetch("one_beyond", "k1d", 9.5f);
    fetch("one_query", "kquery", 0);
    fetch("one_func", "kfunc", 2.5f);
    C("linear", cuTexRefSetFilterMode(t, CU_TR_FILTER_MODE_LINEAR));
    fetch("one_linear", "k1d", 2.0f);
    C("normalized", cuTexRefSetFlags(t, CU_TRSF_NORMALIZED_COORDINATES));
    fetch("one_normalized", "k1d", 0.25f);
    C("wrap", cuTexRefSetAddressMode(t, 0, CU_TR_ADDRESS_MODE_WRAP));
    fetch("one_wrap", "k1d", 1.25f);
    C("mirror", cuTexRefSetAddressMode(t, 0, CU_TR_ADDRESS_MODE_MIRROR));
    fetch("one_mirror", "k1d", 1.25f);
    float border[4] = { 0.5f, 2, 3, 4 };
    C("border_color", cuTexRefSetBorderColor(t, border));
    C("border", cuTexRefSetAddressMode(t, 0, CU_TR_ADDRESS_MODE_BORDER));
    fetch("one_border", "k1d", 3.0f);
    C("point", cuTexRefSetFilterMode(t, CU_TR_FILTER_MODE_POINT));
    C("plain", cuTexRefSetFlags(t, 0));
    C("clamp", cuTexRefSetAddressMode(t, 0, CU_TR_ADDRESS_MODE_CLAMP));
    C("two", cuTexRefSetArray(t, two, CU_TRSA_OVERRIDE_FORMAT));
    fetch("two.fetch", "k2d", 2.5f, 1.5f);
    fetch("two_gather", "kgather", 2.0f, 2.0f);
    fetch("two_lod", "klod", 2.5f, 1.5f, 0);
    fetch("two_query", "kquery", 0);
    C("three", cuTexRefSetArray(t, three, CU_TRSA_OVERRIDE_FORMAT));
    fetch("three.fetch", "k3d", 1.5f, 2.5f, 3.5f);
    fetch("three_query", "kquery", 0);
    C("layers", cuTexRefSetArray(t, layers, CU_TRSA_OVERRIDE_FORMAT));
    fetch("layers.fetch", "ka1d", 1.5f, 2);
    C("bytes", cuTexRefSetArray(t, bytes, CU_TRSA_OVERRIDE_FORMAT));
    fetch("bytes.fetch", "k2d", 3.5f, 0.5f);
    getters("bytes.");
    C("integer", cuTexRefSetFlags(t, CU_TRSF_READ_AS_INTEGER));
    C("wrong_format", cuTexRefSetFormat(t, CU_AD_FORMAT_FLOAT, 1));
    fetch("wrong_format_fetch", "k2d", 3.5f, 0.5f);
    C("destroy_bound", cuArrayDestroy(bytes));
    C("get_destroyed", cuTexRefGetArray(&got, t));
    C("other", cuTexRefSetArray(u, one, CU_TRSA_OVERRIDE_FORMAT));
    C("back", cuTexRefSetFlags(t, 0));
    C("first", cuTexRefSetArray(t, one, CU_TRSA_OVERRIDE_FORMAT));
    fetch("both", "kboth", 4.5f);
}

static void mipmaps()
{
    CUDA_ARRAY3D_DESCRIPTOR d = { 8, 8, 0, CU_AD_FORMAT_FLOAT, 1, 0 };
    CUmipmappedArray m, got;
    CUarray level;

    refs();
    C("create", cuMipmappedArrayCreate(&m, &d, 3));
    for (unsigned l = 0; l < 3; l++) {
        CUDA_MEMCPY2D c;

        cuMipmappedArrayGetLevel(&level, m, l);
        std::memset(&c, 0, sizeof(c));
        c.srcMemoryType = CU_MEMORYTYPE_DEVICE;
        c.srcDevice = mem + l * 128;
        c.srcPitch = 32;
        c.dstMemoryType = CU_MEMORYTYPE_ARRAY;
        c.dstArray = level;
        c.WidthInBytes = (8u >> l) * 4;
        c.Height = 8u >> l;
        cuMemcpy2D(&c);
    }
    C("flags0", cuTexRefSetMipmappedArray(t, m, 0));
    C("set", cuTexRefSetMipmappedArray(t, m, CU_TRSA_OVERRIDE_FORMAT));
    C("get", cuTexRefGetMipmappedArray(&got, t));
    V("get", got == m);
    C("normalized", cuTexRefSetFlags(t, CU_TRSF_NORMALIZED_COORDINATES));
    getters("bound.");
    fetch("level0", "klod", 0.3f, 0.6f, 0);
    fetch("level1", "klod", 0.3f, 0.6f, 1);
    C("clamp", cuTexRefSetMipmapLevelClamp(t, 0, 2));
    fetch("level1_clamped", "klod", 0.3f, 0.6f, 1);
    fetch("level2_clamped", "klod", 0.3f, 0.6f, 2);
    C("bias", cuTexRefSetMipmapLevelBias(t, 1));
    fetch("level1_bias", "klod", 0.3f, 0.6f, 1);
    C("linear", cuTexRefSetMipmapFilterMode(t, CU_TR_FILTER_MODE_LINEAR));
    C("no_bias", cuTexRefSetMipmapLevelBias(t, 0));
    fetch("level_half", "klod", 0.3f, 0.6f, 0.5f);
}

static void rebind()
{
    size_t offset;
    unsigned v[4];
    CUdeviceptr second;

    refs();
    second = mem + 512;
    C("bind", cuTexRefSetAddress(&offset, t, mem, 64));
    C("launch", launch("kf1d", 1, 0, 0));
    C("bind_second", cuTexRefSetAddress(&offset, t, second, 64));
    C("wait", cuCtxSynchronize());
    cuMemcpyDtoH(v, out, 16);
    V("first", v[0]);
    fetch("second", "kf1d", 1);
}

static void capture()
{
    size_t offset;
    unsigned v[4];
    CUstream stream;
    CUgraph g;
    CUgraphExec x = NULL;
    CUgraphNode node;
    CUarray a;
    CUDA_KERNEL_NODE_PARAMS p;
    float zero = 0, one = 1;
    void *args[] = { &out, &one, &zero, &zero };

    refs();
    a = array_of(8, 0, 0);
    C("bind", cuTexRefSetAddress(&offset, t, mem, 64));
    C("stream", cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    C("begin", cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
    C("captured", launch("kf1d", 1, 0, 0, stream));
    C("end", cuStreamEndCapture(stream, &g));
    C("begin_func", cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
    C("captured_func", launch("kfunc", 1, 0, 0, stream));
    C("end_func", cuStreamEndCapture(stream, &g));
    C("begin_surface", cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
    C("captured_surface", launch("ksquery", 1, 0, 0, stream));
    C("end_surface", cuStreamEndCapture(stream, &g));
    C("begin_plain", cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
    C("captured_plain", launch("kplain", 7, 0, 0, stream));
    C("end_plain", cuStreamEndCapture(stream, &g));
    C("instantiate", cuGraphInstantiate(&x, g, 0));
    if (x) {
        C("graph", cuGraphLaunch(x, stream));
        cuStreamSynchronize(stream);
        cuMemcpyDtoH(v, out, 16);
        V("graph", v[0]);
    }
    C("graph_create", cuGraphCreate(&g, 0));
    for (const char *name : { "kf1d", "kplain", "ksquery", "kfunc" }) {
        std::memset(&p, 0, sizeof(p));
        cuModuleGetFunction(&p.func, mod, name);
        p.gridDimX = p.gridDimY = p.gridDimZ = p.blockDimX = p.blockDimY = p.blockDimZ = 1;
        p.kernelParams = args;
        row(std::string("node.") + name, cuGraphAddKernelNode(&node, g, NULL, 0, &p));
    }
    for (int mode = 0; mode < 3; mode++) {
        const std::string when = "mode" + std::to_string(mode);

        row(when + ".begin", cuStreamBeginCapture(stream, (CUstreamCaptureMode)mode));
        row(when + ".address", cuTexRefSetAddress(&offset, t, mem, 64));
        row(when + ".filter", cuTexRefSetFilterMode(t, CU_TR_FILTER_MODE_POINT));
        row(when + ".array", cuTexRefSetArray(u, a, CU_TRSA_OVERRIDE_FORMAT));
        row(when + ".get", cuModuleGetTexRef(&u, mod, "u"));
        row(when + ".end", cuStreamEndCapture(stream, &g));
    }
}

// Linear memory through an object, by float coordinates and by integers.
static void linear_object()
{
    CUDA_RESOURCE_DESC r;
    CUDA_TEXTURE_DESC d;
    CUtexObject object;
    CUfunction f;
    CUmodule m;
    unsigned v[4];
    static const char object_text[] =
        ".version 7.0\n.target sm_72\n.address_size 64\n"
        ".visible .entry k(.param .u64 o, .param .u64 t)\n{\n.reg .u64 d<3>;\n.reg .f32 "
        "f<9>;\n.reg .b32 r<9>;\n"
        "ld.param.u64 d1, [o];\nld.param.u64 d2, [t];\nmov.f32 f1, 0f40600000;\nmov.u32 r1, 3;\n"
        "tex.1d.v4.f32.f32 {f2,f3,f4,f5}, [d2, {f1}];\nst.global.f32 [d1], f2;\n"
        "tex.1d.v4.f32.s32 {f2,f3,f4,f5}, [d2, {r1}];\nst.global.f32 [d1+4], f2;\n"
        "tex.level.1d.v4.f32.f32 {f2,f3,f4,f5}, [d2, {f1}], f1;\nst.global.f32 [d1+8], f2;\n"
        "txq.width.b32 r2, [d2];\nst.global.u32 [d1+12], r2;\nret;\n}\n";

    refs();
    std::memset(&r, 0, sizeof(r));
    std::memset(&d, 0, sizeof(d));
    r.resType = CU_RESOURCE_TYPE_LINEAR;
    r.res.linear.devPtr = mem;
    r.res.linear.format = CU_AD_FORMAT_FLOAT;
    r.res.linear.numChannels = 1;
    r.res.linear.sizeInBytes = 64;
    for (int linear = 0; linear < 2; linear++) {
        const std::string when = linear ? "linear" : "point";

        d.filterMode = (CUfilter_mode)linear;
        row(when + ".create", cuTexObjectCreate(&object, &r, &d, NULL));
        row(when + ".load", cuModuleLoadData(&m, object_text));
        cuModuleGetFunction(&f, m, "k");
        void *args[] = { &out, &object };
        row(when + ".launch", cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, NULL, args, NULL));
        row(when + ".wait", cuCtxSynchronize());
        cuMemcpyDtoH(v, out, 16);
        for (int i = 0; i < 4; i++) {
            row(when + "." + "xyzw"[i], v[i]);
        }
    }
}

static void create()
{
    CUtexref r = NULL;
    size_t offset;

    refs();
    C("create", cuTexRefCreate(&r));
    V("create", r != NULL);
    C("bind", cuTexRefSetAddress(&offset, r, mem, 64));
    C("mode", cuTexRefSetAddressMode(r, 0, CU_TR_ADDRESS_MODE_WRAP));
    C("destroy_module", cuTexRefDestroy(t));
    C("destroy", cuTexRefDestroy(r));
}

static void surface()
{
    CUarray plain, a, got, three;

    refs();
    plain = array_of(8, 4, 0);
    a = array_of(8, 4, 0, CUDA_ARRAY3D_SURFACE_LDST);
    three = array_of(4, 4, 4, CUDA_ARRAY3D_SURFACE_LDST);
    C("plain", cuSurfRefSetArray(s, plain, 0));
    C("flags", cuSurfRefSetArray(s, a, 1));
    C("set", cuSurfRefSetArray(s, a, 0));
    C("get", cuSurfRefGetArray(&got, s));
    V("get", got == a);
    fetch("load", "ksload", 3, 2);
    fetch("store", "ksstore", 3, 2, 77);
    fetch("load_again", "ksload", 3, 2);
    fetch("query", "ksquery", 0);
    C("texture", cuTexRefSetArray(t, a, CU_TRSA_OVERRIDE_FORMAT));
    fetch("fetch", "k2d", 3.5f, 2.5f);
    C("three", cuSurfRefSetArray(s, three, 0));
    fetch("three_query", "ksquery", 0);
    C("back", cuSurfRefSetArray(s, a, 0));
    fetch("outside", "ksload", 30, 2);
}

static void unload()
{
    size_t offset;
    CUfilter_mode fm;
    CUtexref r;

    refs();
    C("bind", cuTexRefSetAddress(&offset, t, mem, 64));
    C("unload", cuModuleUnload(mod));
    C("load", cuModuleLoadData(&mod, text));
    C("get", cuModuleGetTexRef(&r, mod, "t"));
    C("filter", cuTexRefGetFilterMode(&fm, r));
    V("filter", fm);
    fetch("fresh", "kf1d", 1);
}

static void context()
{
    CUtexref r;
    CUfilter_mode fm;
    size_t offset;
    CUmodule second;

    refs();
    C("bind", cuTexRefSetAddress(&offset, t, mem, 64));
    cuCtxSetCurrent(NULL);
    C("get", cuModuleGetTexRef(&r, mod, "t"));
    C("filter", cuTexRefSetFilterMode(t, CU_TR_FILTER_MODE_POINT));
    C("get_filter", cuTexRefGetFilterMode(&fm, t));
    C("address", cuTexRefSetAddress(&offset, t, mem, 64));
    C("create", cuTexRefCreate(&r));
    cuCtxSetCurrent(ctx);
    C("load", cuModuleLoadData(&second, text));
    C("second", cuModuleGetTexRef(&r, second, "t"));
    V("second", r != t);
    fetch("still", "kf1d", 1);
}

static void load(const char *name, const char *module)
{
    CUmodule m;
    std::string whole = std::string(head) + module;

    C(name, cuModuleLoadData(&m, whole.c_str()));
}

#define USE(names)                                                                             \
    ".visible .entry k(.param .u64 o){ .reg .f32 f<9>; .reg .b64 d<9>; .reg .pred p<3>; .reg " \
    ".b32 r<9>; " names " ret; }"

static void modules()
{
    up();
    load("global", ".global .texref t;\n" USE("tex.1d.v4.f32.f32 {f1,f2,f3,f4},[t,{f5}];"));
    load("old", ".tex .u32 t;\n" USE("tex.1d.v4.f32.f32 {f1,f2,f3,f4},[t,{f5}];"));
    load("extern", ".extern .global .texref t;\n" USE("tex.1d.v4.f32.f32 {f1,f2,f3,f4},[t,{f5}];"));
    load("many", ".global .texref t<4>;\n" USE("tex.1d.v4.f32.f32 {f1,f2,f3,f4},[t2,{f5}];"));
    load("vector", ".global .texref t[4];\n" USE("tex.1d.v4.f32.f32 {f1,f2,f3,f4},[t,{f5}];"));
    load("indexed", ".global .texref t[4];\n" USE("tex.1d.v4.f32.f32 {f1,f2,f3,f4},[t+8,{f5}];"));
    load("parameter", ".visible .entry k(.param .texref t){ .reg .f32 f<9>; tex.1d.v4.f32.f32 "
                      "{f1,f2,f3,f4},[t,{f5}]; ret; }");
    load("sampler", ".global .texref t;\n.global .samplerref s;\n" USE(
                        "tex.1d.v4.f32.f32 {f1,f2,f3,f4},[t,s,{f5}];"));
    load("sampler_alone", ".global .samplerref s;\n" USE(""));
    load("sampler_state",
         ".global .samplerref s = { addr_mode_0 = clamp_to_border, filter_mode = nearest };\n" USE(
             ""));
    load("address",
         ".global .texref t;\n" USE("mov.u64 d1, t; tex.1d.v4.f32.f32 {f1,f2,f3,f4},[d1,{f5}];"));
    load("type", ".global .texref t;\n" USE("mov.u64 d1, t; istypep.texref p1, d1;"));
    load("load", ".global .texref t;\n" USE("ld.global.u64 d1, [t];"));
    load("query_type", ".global .texref t;\n" USE("txq.channel_data_type.b32 r1, [t];"));
    load("query_order", ".global .texref t;\n" USE("txq.channel_order.b32 r1, [t];"));
    load("query_normalized", ".global .texref t;\n" USE("txq.normalized_coords.b32 r1, [t];"));
    load("query_filter", ".global .texref t;\n" USE("txq.filter_mode.b32 r1, [t];"));
    load("query_mode", ".global .texref t;\n" USE("txq.addr_mode_0.b32 r1, [t];"));
    load("query_mipmaps", ".global .texref t;\n" USE("txq.num_mipmap_levels.b32 r1, [t];"));
    load("query_level",
         ".global .texref t;\n" USE("mov.u32 r2, 0; txq.level.width.b32 r1, [t], r2;"));
    load("surface_query", ".global .surfref t;\n" USE("suq.channel_order.b32 r1, [t];"));
    load("surface_as_texture",
         ".global .surfref t;\n" USE("tex.1d.v4.f32.f32 {f1,f2,f3,f4},[t,{f5}];"));
    load("texture_as_surface", ".global .texref t;\n" USE("suld.b.1d.b32.trap r1,[t,{r2}];"));
    load("shared", ".shared .texref t;\n" USE(""));
    load("constant", ".const .texref t;\n" USE(""));
    load("local", USE(".global .texref t; tex.1d.v4.f32.f32 {f1,f2,f3,f4},[t,{f5}];"));
    load("surface_reduce", ".global .surfref t;\n" USE("sured.b.add.1d.u32.trap [t,{r1}],r2;"));
    load("surface_format",
         ".global .surfref t;\n" USE("sust.p.1d.v4.b32.trap [t,{r1}],{r2,r3,r4,r5};"));
    load("level", ".global .texref t;\n" USE("tex.level.1d.v4.f32.f32 {f1,f2,f3,f4},[t,{f5}],f6;"));
    load("cube",
         ".global .texref t;\n" USE("tex.cube.v4.f32.f32 {f1,f2,f3,f4},[t,{f5,f6,f7,f7}];"));
    load("half", ".global .texref t;\n" USE("tex.1d.v2.f16x2.f32 {r1,r2},[t,{f5}];"));
}

static const struct {
    const char *name;
    void (*run)();
} sections[] = {
    { "get", get },
    { "defaults", defaults },
    { "null", null },
    { "set", set },
    { "address", address },
    { "unbound", unbound },
    { "unbound_surface", unbound_surface },
    { "arrays", arrays },
    { "mipmaps", mipmaps },
    { "rebind", rebind },
    { "create", create },
    { "capture", capture },
    { "linear_object", linear_object },
    { "surface", surface },
    { "unload", unload },
    { "context", context },
    { "modules", modules },
};

int main()
{
    int version = 0;

    cuDriverGetVersion(&version);
    std::printf("driver %d\n", version);
    std::fflush(stdout);
    for (const auto &one : sections) {
        pid_t child = fork();

        if (!child) {
            section = one.name;
            std::signal(SIGSEGV, crashed);
            one.run();
            _exit(0);
        }
        int status = 0;

        waitpid(child, &status, 0);
        if (status) {
            std::printf("%s ended with %d\n", one.name, status);
            std::fflush(stdout);
        }
    }
    return 0;
}
