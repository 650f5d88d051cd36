/* SPDX-License-Identifier: MIT */
/* What a GPU answers to texture fetches and surface accesses: a line a case, `case bits...`, all
 * results in hex. The first line has the driver's version. Made with
 *
 *     nvcc -arch=sm_90 -cudart static tests/golden/gen/tex_fetch.cu -o tex_fetch && ./tex_fetch
 *
 * kept in tests/golden/tex_fetch_h200_580.159.04.txt; the tests run this same program on the virtual board.
 */
#include <cuda_fp16.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_POINTS 640

#define OK(call)                                                                                   \
    do {                                                                                           \
        cudaError_t e_ = (call);                                                                   \
        if (e_ != cudaSuccess) {                                                                   \
            printf("!%s %d %s\n", __FILE__, __LINE__, cudaGetErrorName(e_));                       \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

enum op {
    T1D, T1D_LOD, T1D_GRAD, T2D, T2D_LOD, T2D_GRAD, T3D, T3D_LOD, T3D_GRAD, TA1D, TA1D_LOD, TA1D_GRAD,
    TA2D, TA2D_LOD, TA2D_GRAD, TCUBE, TCUBE_LOD, TACUBE, TACUBE_LOD, T1D_INT, T2D_INT, T3D_INT,
    TA2D_INT, G2D_R, G2D_G, G2D_B, G2D_A, GA2D_R, GCUBE_R,
};
enum type { F, U, S };

/* The point: x, y, z, layer. @gr: lod in x, or the gradients dx = (x, y), dy = (z, w). */
#define GET(TEXT, C, ...) asm volatile(TEXT : C(v0), C(v1), C(v2), C(v3) : __VA_ARGS__)
#define R4 " {%0,%1,%2,%3}, "

#define FETCH(NAME, T, P, C, BITS)                                                                 \
    __global__ void NAME(cudaTextureObject_t t, int op, const float4 *at, const float4 *gr, int n,  \
                         uint4 *out)                                                               \
    {                                                                                              \
        int i = blockIdx.x * blockDim.x + threadIdx.x;                                             \
        if (i >= n) {                                                                              \
            return;                                                                                \
        }                                                                                          \
        float4 a = at[i], g = gr[i];                                                               \
        int l = (int)a.w, xi = (int)a.x, yi = (int)a.y, zi = (int)a.z;                             \
        T v0 = 0, v1 = 0, v2 = 0, v3 = 0;                                                          \
        switch (op) {                                                                              \
        case T1D:                                                                                  \
            GET("tex.1d.v4." P ".f32" R4 "[%4, {%5}];", C, "l"(t), "f"(a.x));                      \
            break;                                                                                 \
        case T1D_LOD:                                                                              \
            GET("tex.level.1d.v4." P ".f32" R4 "[%4, {%5}], %6;", C, "l"(t), "f"(a.x), "f"(g.x));  \
            break;                                                                                 \
        case T1D_GRAD:                                                                             \
            GET("tex.grad.1d.v4." P ".f32" R4 "[%4, {%5}], {%6}, {%7};", C, "l"(t), "f"(a.x),      \
                "f"(g.x), "f"(g.z));                                                               \
            break;                                                                                 \
        case T2D:                                                                                  \
            GET("tex.2d.v4." P ".f32" R4 "[%4, {%5,%6}];", C, "l"(t), "f"(a.x), "f"(a.y));         \
            break;                                                                                 \
        case T2D_LOD:                                                                              \
            GET("tex.level.2d.v4." P ".f32" R4 "[%4, {%5,%6}], %7;", C, "l"(t), "f"(a.x),          \
                "f"(a.y), "f"(g.x));                                                               \
            break;                                                                                 \
        case T2D_GRAD:                                                                             \
            GET("tex.grad.2d.v4." P ".f32" R4 "[%4, {%5,%6}], {%7,%8}, {%9,%10};", C, "l"(t),      \
                "f"(a.x), "f"(a.y), "f"(g.x), "f"(g.y), "f"(g.z), "f"(g.w));                       \
            break;                                                                                 \
        case T3D:                                                                                  \
            GET("tex.3d.v4." P ".f32" R4 "[%4, {%5,%6,%7,%7}];", C, "l"(t), "f"(a.x), "f"(a.y),    \
                "f"(a.z));                                                                         \
            break;                                                                                 \
        case T3D_LOD:                                                                              \
            GET("tex.level.3d.v4." P ".f32" R4 "[%4, {%5,%6,%7,%7}], %8;", C, "l"(t), "f"(a.x),    \
                "f"(a.y), "f"(a.z), "f"(g.x));                                                     \
            break;                                                                                 \
        case T3D_GRAD:                                                                             \
            GET("tex.grad.3d.v4." P ".f32" R4                                                      \
                "[%4, {%5,%6,%7,%7}], {%8,%9,%9,%9}, {%10,%11,%11,%11};",                          \
                C, "l"(t), "f"(a.x), "f"(a.y), "f"(a.z), "f"(g.x), "f"(g.y), "f"(g.z), "f"(g.w));  \
            break;                                                                                 \
        case TA1D:                                                                                 \
            GET("tex.a1d.v4." P ".f32" R4 "[%4, {%5,%6}];", C, "l"(t), "r"(l), "f"(a.x));          \
            break;                                                                                 \
        case TA1D_LOD:                                                                             \
            GET("tex.level.a1d.v4." P ".f32" R4 "[%4, {%5,%6}], %7;", C, "l"(t), "r"(l),           \
                "f"(a.x), "f"(g.x));                                                               \
            break;                                                                                 \
        case TA1D_GRAD:                                                                            \
            GET("tex.grad.a1d.v4." P ".f32" R4 "[%4, {%5,%6}], {%7}, {%8};", C, "l"(t), "r"(l),    \
                "f"(a.x), "f"(g.x), "f"(g.z));                                                     \
            break;                                                                                 \
        case TA2D:                                                                                 \
            GET("tex.a2d.v4." P ".f32" R4 "[%4, {%5,%6,%7,%7}];", C, "l"(t), "r"(l), "f"(a.x),     \
                "f"(a.y));                                                                         \
            break;                                                                                 \
        case TA2D_LOD:                                                                             \
            GET("tex.level.a2d.v4." P ".f32" R4 "[%4, {%5,%6,%7,%7}], %8;", C, "l"(t), "r"(l),     \
                "f"(a.x), "f"(a.y), "f"(g.x));                                                     \
            break;                                                                                 \
        case TA2D_GRAD:                                                                            \
            GET("tex.grad.a2d.v4." P ".f32" R4 "[%4, {%5,%6,%7,%7}], {%8,%9}, {%10,%11};", C,      \
                "l"(t), "r"(l), "f"(a.x), "f"(a.y), "f"(g.x), "f"(g.y), "f"(g.z), "f"(g.w));       \
            break;                                                                                 \
        case TCUBE:                                                                                \
            GET("tex.cube.v4." P ".f32" R4 "[%4, {%5,%6,%7,%7}];", C, "l"(t), "f"(a.x), "f"(a.y),  \
                "f"(a.z));                                                                         \
            break;                                                                                 \
        case TCUBE_LOD:                                                                            \
            GET("tex.level.cube.v4." P ".f32" R4 "[%4, {%5,%6,%7,%7}], %8;", C, "l"(t), "f"(a.x),  \
                "f"(a.y), "f"(a.z), "f"(g.x));                                                     \
            break;                                                                                 \
        case TACUBE:                                                                               \
            GET("tex.acube.v4." P ".f32" R4 "[%4, {%5,%6,%7,%8}];", C, "l"(t), "r"(l), "f"(a.x),   \
                "f"(a.y), "f"(a.z));                                                               \
            break;                                                                                 \
        case TACUBE_LOD:                                                                           \
            GET("tex.level.acube.v4." P ".f32" R4 "[%4, {%5,%6,%7,%8}], %9;", C, "l"(t), "r"(l),   \
                "f"(a.x), "f"(a.y), "f"(a.z), "f"(g.x));                                           \
            break;                                                                                 \
        case T1D_INT:                                                                              \
            GET("tex.1d.v4." P ".s32" R4 "[%4, {%5}];", C, "l"(t), "r"(xi));                       \
            break;                                                                                 \
        case T2D_INT:                                                                              \
            GET("tex.2d.v4." P ".s32" R4 "[%4, {%5,%6}];", C, "l"(t), "r"(xi), "r"(yi));           \
            break;                                                                                 \
        case T3D_INT:                                                                              \
            GET("tex.3d.v4." P ".s32" R4 "[%4, {%5,%6,%7,%7}];", C, "l"(t), "r"(xi), "r"(yi),      \
                "r"(zi));                                                                          \
            break;                                                                                 \
        case TA2D_INT:                                                                             \
            GET("tex.a2d.v4." P ".s32" R4 "[%4, {%5,%6,%7,%7}];", C, "l"(t), "r"(l), "r"(xi),      \
                "r"(yi));                                                                          \
            break;                                                                                 \
        case G2D_R:                                                                                \
            GET("tld4.r.2d.v4." P ".f32" R4 "[%4, {%5,%6}];", C, "l"(t), "f"(a.x), "f"(a.y));      \
            break;                                                                                 \
        case G2D_G:                                                                                \
            GET("tld4.g.2d.v4." P ".f32" R4 "[%4, {%5,%6}];", C, "l"(t), "f"(a.x), "f"(a.y));      \
            break;                                                                                 \
        case G2D_B:                                                                                \
            GET("tld4.b.2d.v4." P ".f32" R4 "[%4, {%5,%6}];", C, "l"(t), "f"(a.x), "f"(a.y));      \
            break;                                                                                 \
        case G2D_A:                                                                                \
            GET("tld4.a.2d.v4." P ".f32" R4 "[%4, {%5,%6}];", C, "l"(t), "f"(a.x), "f"(a.y));      \
            break;                                                                                 \
        case GA2D_R:                                                                               \
            GET("tld4.r.a2d.v4." P ".f32" R4 "[%4, {%5,%6,%7,%7}];", C, "l"(t), "r"(l), "f"(a.x),  \
                "f"(a.y));                                                                         \
            break;                                                                                 \
        case GCUBE_R:                                                                              \
            GET("tld4.r.cube.v4." P ".f32" R4 "[%4, {%5,%6,%7,%7}];", C, "l"(t), "f"(a.x),         \
                "f"(a.y), "f"(a.z));                                                               \
            break;                                                                                 \
        }                                                                                          \
        out[i] = make_uint4(BITS(v0), BITS(v1), BITS(v2), BITS(v3));                               \
    }

FETCH(fetch_f, float, "f32", "=f", __float_as_uint)
FETCH(fetch_u, unsigned, "u32", "=r", unsigned)
FETCH(fetch_s, int, "s32", "=r", unsigned)

struct points {
    int n;
    float4 at[MAX_POINTS], grad[MAX_POINTS];
};

static uint4 *out;
static float4 *at_device, *grad_device;
static uint4 results[MAX_POINTS];
static unsigned seed;

static unsigned draw(void)
{
    seed = seed * 1664525u + 1013904223u;
    return seed >> 8;
}

static void add(struct points *p, float x, float y, float z, float w)
{
    p->grad[p->n] = make_float4(0, 0, 0, 0);
    p->at[p->n++] = make_float4(x, y, z, w);
}

static void print_results(const char *name, int n)
{
    printf("%s", name);
    for (int i = 0; i < n; i++) {
        printf(" %x,%x,%x,%x", results[i].x, results[i].y, results[i].z, results[i].w);
    }
    printf("\n");
    fflush(stdout);
}

static void show(const char *name, cudaTextureObject_t t, enum op op, enum type type, const struct points *p)
{
    OK(cudaMemcpy(at_device, p->at, p->n * sizeof(float4), cudaMemcpyHostToDevice));
    OK(cudaMemcpy(grad_device, p->grad, p->n * sizeof(float4), cudaMemcpyHostToDevice));
    OK(cudaMemset(out, 0xee, p->n * sizeof(uint4)));
    (type == F ? fetch_f : type == U ? fetch_u : fetch_s)<<<(p->n + 31) / 32, 32>>>(
        t, op, at_device, grad_device, p->n, out);
    cudaError_t error = cudaGetLastError(); if (error == cudaSuccess) error = cudaDeviceSynchronize();
    if (error != cudaSuccess) {
        printf("%s !%s\n", name, cudaGetErrorName(error));
        exit(1);
    }
    OK(cudaMemcpy(results, out, p->n * sizeof(uint4), cudaMemcpyDeviceToHost));
    print_results(name, p->n);
}

/* ---- textures ---- */

struct look {
    int address, linear, normal, floats; /* floats: cudaReadModeNormalizedFloat */
    int srgb, mip_linear;
    float bias, min, max;
    int seamless;
    float border[4];
};

static cudaTextureObject_t texture_view(const cudaResourceDesc *r, const struct look *k,
                                        const cudaResourceViewDesc *view, const char *name)
{
    cudaTextureDesc d;
    cudaTextureObject_t t = 0;

    memset(&d, 0, sizeof(d));
    for (int i = 0; i < 3; i++) {
        d.addressMode[i] = (cudaTextureAddressMode)k->address;
    }
    d.filterMode = k->linear ? cudaFilterModeLinear : cudaFilterModePoint;
    d.readMode = k->floats ? cudaReadModeNormalizedFloat : cudaReadModeElementType;
    d.sRGB = k->srgb;
    memcpy(d.borderColor, k->border, sizeof(d.borderColor));
    d.normalizedCoords = k->normal;
    d.maxAnisotropy = 1;
    d.mipmapFilterMode = k->mip_linear ? cudaFilterModeLinear : cudaFilterModePoint;
    d.mipmapLevelBias = k->bias;
    d.minMipmapLevelClamp = k->min;
    d.maxMipmapLevelClamp = k->max;
    d.seamlessCubemap = k->seamless;
    cudaError_t error = cudaCreateTextureObject(&t, r, &d, view);
    if (error != cudaSuccess) {
        printf("%s !%s\n", name, cudaGetErrorName(error));
        cudaGetLastError();
        return 0;
    }
    return t;
}

static cudaTextureObject_t texture(const cudaResourceDesc *r, const struct look *k, const char *name)
{
    return texture_view(r, k, NULL, name);
}

static cudaResourceDesc of_array(cudaArray_t a)
{
    cudaResourceDesc r;

    memset(&r, 0, sizeof(r));
    r.resType = cudaResourceTypeArray;
    r.res.array.array = a;
    return r;
}

static void case_of(const char *name, const cudaResourceDesc *r, const struct look *k, enum op op,
                    enum type type, const struct points *p)
{
    cudaTextureObject_t t = texture(r, k, name);

    if (t) {
        show(name, t, op, type, p);
        OK(cudaDestroyTextureObject(t));
    }
}

/* ---- contents ---- */

static const char *const kind_name[] = { "u8", "s8", "u16", "s16", "u32", "s32", "f16", "f32" };
static const int kind_bytes[] = { 1, 1, 2, 2, 4, 4, 2, 4 };
enum kind { U8, S8, U16, S16, U32, S32, F16, F32 };

static cudaChannelFormatDesc format(enum kind kind, int channels)
{
    static const cudaChannelFormatKind f[] = {
        cudaChannelFormatKindUnsigned, cudaChannelFormatKindSigned, cudaChannelFormatKindUnsigned,
        cudaChannelFormatKindSigned,   cudaChannelFormatKindUnsigned, cudaChannelFormatKindSigned,
        cudaChannelFormatKindFloat,    cudaChannelFormatKindFloat,
    };
    int bits = kind_bytes[kind] * 8;

    return cudaCreateChannelDesc(bits, channels > 1 ? bits : 0, channels > 2 ? bits : 0,
                                 channels > 3 ? bits : 0, f[kind]);
}

/* Element @i of a texture's contents: any bits of integers, floats of +-8 with 12 bits of fraction. */
static void element(enum kind kind, unsigned i, unsigned char *at)
{
    unsigned v = (i + 1) * 2654435761u;
    int m = (int)(v >> 15) % 32768;
    float f = (float)m / 4096.0f * ((v & 0x4000) ? -1.0f : 1.0f);
    __half h = __float2half(f);

    v ^= v >> 13;
    switch (kind) {
    case F32:
        memcpy(at, &f, 4);
        return;
    case F16:
        memcpy(at, &h, 2);
        return;
    default:
        memcpy(at, &v, kind_bytes[kind]);
    }
}

static unsigned char *contents(enum kind kind, int channels, int count)
{
    unsigned char *data = (unsigned char *)malloc((size_t)count * channels * kind_bytes[kind]);

    for (int i = 0; i < count * channels; i++) {
        element(kind, i, data + (size_t)i * kind_bytes[kind]);
    }
    return data;
}

/* @d: 0 for a dimension that is not there. */
static cudaArray_t array_new(enum kind kind, int channels, int w, int h, int d, unsigned flags)
{
    cudaArray_t a;
    cudaChannelFormatDesc f = format(kind, channels);
    int rows = h ? h : 1, slices = d ? d : 1;
    unsigned char *data = contents(kind, channels, w * rows * slices);
    cudaMemcpy3DParms c;

    OK(cudaMalloc3DArray(&a, &f, make_cudaExtent(w, h, d), flags));
    memset(&c, 0, sizeof(c));
    c.srcPtr = make_cudaPitchedPtr(data, (size_t)w * channels * kind_bytes[kind], w, rows);
    c.dstArray = a;
    c.extent = make_cudaExtent(w, rows, slices);
    c.kind = cudaMemcpyHostToDevice;
    OK(cudaMemcpy3D(&c));
    free(data);
    return a;
}

static enum type type_of(enum kind kind, bool floats)
{
    return floats || kind >= F16 ? F : kind & 1 ? S : U;
}

/* ---- coordinates ---- */

/* Texels' centres and edges, between them, far outside; @scale: 1 / size for normalised ones. */
static const float spread[] = { 0.5f,  1.0f,   1.25f,  2.5f,  3.75f,  -0.25f, -1.0f, -3.3f,
                                6.99f, 10.125f, 17.8f, -20.6f, 0.001f, 4.49999f, 4.50195f, 1e6f };
#define SPREAD ((int)(sizeof(spread) / sizeof(spread[0])))

static struct points points_spread(float sx, float sy, float sz, int layers)
{
    struct points p;

    p.n = 0;
    for (int i = 0; i < SPREAD; i++) {
        add(&p, spread[i] * sx, spread[(i * 5 + 3) % SPREAD] * sy, spread[(i * 3 + 7) % SPREAD] * sz,
            layers ? (float)(i % (layers + 3) - 1) : 0.0f);
    }
    return p;
}

static struct points points_random(int n, float w, float h, float d)
{
    struct points p;

    p.n = 0;
    seed = 4711;
    for (int i = 0; i < n; i++) {
        float x = draw() / 16777216.0f, y = draw() / 16777216.0f, z = draw() / 16777216.0f;
        add(&p, x * w, y * h, z * d, 0);
    }
    return p;
}

static struct points points_cube(int layers)
{
    struct points p = points_random(48, 2, 2, 2);

    for (int i = 0; i < p.n; i++) {
        p.at[i].x -= 1;
        p.at[i].y -= 1;
        p.at[i].z -= 1;
        p.at[i].w = layers ? (float)(i % (layers + 2) - 1) : 0;
    }
    static const float edge[][3] = {
        { 1, 0, 0 },  { -1, 0, 0 },  { 0, 1, 0 },   { 0, -1, 0 },  { 0, 0, 1 },     { 0, 0, -1 },
        { 1, 1, 0 },  { 1, -1, 0 },  { 1, 1, 1 },   { -1, -1, -1 }, { 1, .99f, .98f }, { .99f, 1, .98f },
        { 0, 1, 1 },  { 0, -1, 1 },  { 1, 0, 1 },   { 0, 0, 0 },   { 3, 1, 2 },     { 1, .75f, .99f },
        { -1, .99f, .3f }, { .2f, .99f, -1 }, { .98f, -1, .97f }, { -.99f, .97f, 1 },
    };
    for (size_t i = 0; i < sizeof(edge) / sizeof(edge[0]); i++) {
        add(&p, edge[i][0], edge[i][1], edge[i][2], 0);
    }
    return p;
}

static char text[200];

static const char *name(const char *fmt, const char *a, int b, int c, int d, int e)
{
    snprintf(text, sizeof(text), fmt, a, b, c, d, e);
    return text;
}

/* ---- groups of cases ---- */

static void modes(void)
{
    cudaArray_t one = array_new(F32, 1, 7, 0, 0, 0), two = array_new(F32, 4, 7, 5, 0, 0),
                three = array_new(F32, 2, 5, 4, 3, 0);
    cudaResourceDesc r1 = of_array(one), r2 = of_array(two), r3 = of_array(three);

    for (int normal = 0; normal < 2; normal++) {
        struct points p1 = points_spread(normal ? 1 / 7.0f : 1, 0, 0, 0),
                      p2 = points_spread(normal ? 1 / 7.0f : 1, normal ? 1 / 5.0f : 1, 0, 0),
                      p3 = points_spread(normal ? 1 / 5.0f : 1, normal ? 1 / 4.0f : 1,
                                         normal ? 1 / 3.0f : 1, 0);
        for (int linear = 0; linear < 2; linear++) {
            for (int address = 0; address < 4; address++) {
                struct look k = { address, linear, normal };
                case_of(name("%s/n%d/l%d/a%d", "1d.f32x1", normal, linear, address, 0), &r1, &k, T1D, F, &p1);
                case_of(name("%s/n%d/l%d/a%d", "2d.f32x4", normal, linear, address, 0), &r2, &k, T2D, F, &p2);
                case_of(name("%s/n%d/l%d/a%d", "3d.f32x2", normal, linear, address, 0), &r3, &k, T3D, F, &p3);
            }
        }
    }
    /* Each dimension has its own mode. */
    cudaTextureDesc d;
    cudaTextureObject_t t;
    memset(&d, 0, sizeof(d));
    d.addressMode[0] = cudaAddressModeMirror;
    d.addressMode[1] = cudaAddressModeBorder;
    d.addressMode[2] = cudaAddressModeWrap;
    d.normalizedCoords = 1;
    d.filterMode = cudaFilterModeLinear;
    struct points p = points_spread(1 / 5.0f, 1 / 4.0f, 1 / 3.0f, 0);
    OK(cudaCreateTextureObject(&t, &r3, &d, NULL));
    show("3d.f32x2/mixed", t, T3D, F, &p);
    OK(cudaDestroyTextureObject(t));
    for (int i = 0; i < 2; i++) {
        struct look k = { i ? cudaAddressModeBorder : cudaAddressModeClamp };
        p = points_spread(1, 1, 1, 0);
        case_of(name("%s/a%d", "1d.int", i, 0, 0, 0), &r1, &k, T1D_INT, F, &p);
        case_of(name("%s/a%d", "2d.int", i, 0, 0, 0), &r2, &k, T2D_INT, F, &p);
        case_of(name("%s/a%d", "3d.int", i, 0, 0, 0), &r3, &k, T3D_INT, F, &p);
    }
    OK(cudaFreeArray(one));
    OK(cudaFreeArray(two));
    OK(cudaFreeArray(three));
}

static void formats(void)
{
    static const int channels[] = { 1, 2, 4 };

    for (int kind = U8; kind <= F32; kind++) {
        for (int c = 0; c < 3; c++) {
            cudaArray_t a = array_new((enum kind)kind, channels[c], 9, 6, 0, 0);
            cudaResourceDesc r = of_array(a);
            struct points p = points_random(24, 9, 6, 0);

            for (int floats = 0; floats < (kind <= S16 ? 2 : 1); floats++) {
                enum type type = type_of((enum kind)kind, floats);
                for (int linear = 0; linear < (type == F ? 2 : 1); linear++) {
                    struct look k = { cudaAddressModeClamp, linear, 0, floats };
                    case_of(name("2d.%sx%d/float%d/l%d", kind_name[kind], channels[c], floats, linear, 0),
                            &r, &k, T2D, type, &p);
                }
            }
            OK(cudaFreeArray(a));
        }
    }
}

static void all_values(void)
{
    /* Each 8-bit value, and 512 16-bit ones, as normalised floats; sRGB; halves. */
    static const struct {
        enum kind kind;
        int srgb, linear;
    } one[] = { { U8 }, { S8 }, { U16 }, { S16 }, { U8, 1 }, { U8, 1, 1 }, { F16 } };

    for (size_t i = 0; i < sizeof(one) / sizeof(one[0]); i++) {
        unsigned char data[512 * 8];
        cudaArray_t a;
        cudaChannelFormatDesc f = format(one[i].kind, one[i].srgb ? 4 : 1);
        int bytes = kind_bytes[one[i].kind] * (one[i].srgb ? 4 : 1), n = one[i].kind <= S8 ? 256 : 512;
        struct points p;

        p.n = 0;
        for (int v = 0; v < n; v++) {
            int bits = one[i].kind == F16 ? v * 127 : v * 129;
            memcpy(data + v * bytes, &bits, kind_bytes[one[i].kind]);
            if (one[i].srgb) {
                memset(data + v * bytes, v, 4);
            } else if (one[i].kind <= S8) {
                data[v] = (unsigned char)v;
            }
            add(&p, v + (one[i].linear ? 0.8f : 0.5f), 0, 0, 0);
        }
        OK(cudaMallocArray(&a, &f, n, 0, 0));
        OK(cudaMemcpy2DToArray(a, 0, 0, data, n * bytes, n * bytes, 1, cudaMemcpyHostToDevice));
        cudaResourceDesc r = of_array(a);
        struct look k = { cudaAddressModeClamp, one[i].linear, 0, one[i].kind <= S16, one[i].srgb };
        case_of(name("all.%s/srgb%d/l%d", kind_name[one[i].kind], one[i].srgb, one[i].linear, 0, 0), &r,
                &k, T1D, F, &p);
        OK(cudaFreeArray(a));
    }
}

static void fractions(void)
{
    /* Where the fraction is rounded: steps of 1/512 between two texels, and of 1/4096 around one. */
    static const enum kind kinds[] = { U8, S8, U16, F16, F32 };

    for (int i = 0; i < 5; i++) {
        cudaArray_t a = array_new(kinds[i], 1, 8, 0, 0, 0);
        cudaResourceDesc r = of_array(a);
        struct look k = { cudaAddressModeClamp, 1, 0, kinds[i] <= S16 };
        struct points p;

        p.n = 0;
        for (int j = 0; j < 512; j++) {
            add(&p, 2.5f + j / 512.0f, 0, 0, 0);
        }
        for (int j = 0; j < 64; j++) {
            add(&p, 3.5f + (j - 32) / 4096.0f, 0, 0, 0);
        }
        case_of(name("fraction.%s", kind_name[kinds[i]], 0, 0, 0, 0), &r, &k, T1D, F, &p);
        OK(cudaFreeArray(a));
    }
    for (int i = 0; i < 5; i++) {
        cudaArray_t two = array_new(kinds[i], 2, 12, 10, 0, 0), three = array_new(kinds[i], 1, 6, 7, 5, 0);
        cudaResourceDesc r2 = of_array(two), r3 = of_array(three);
        struct look k = { cudaAddressModeClamp, 1, 0, kinds[i] <= S16 },
                    n = { cudaAddressModeWrap, 1, 1, kinds[i] <= S16 };
        struct points p2 = points_random(200, 12, 10, 0), p3 = points_random(200, 6, 7, 5),
                      pn = points_random(200, 2, 2, 2);
        case_of(name("bilinear.%sx2", kind_name[kinds[i]], 0, 0, 0, 0), &r2, &k, T2D, F, &p2);
        case_of(name("trilinear.%sx1", kind_name[kinds[i]], 0, 0, 0, 0), &r3, &k, T3D, F, &p3);
        case_of(name("bilinear.%sx2/wrap", kind_name[kinds[i]], 0, 0, 0, 0), &r2, &n, T2D, F, &pn);
        case_of(name("trilinear.%sx1/wrap", kind_name[kinds[i]], 0, 0, 0, 0), &r3, &n, T3D, F, &pn);
        OK(cudaFreeArray(two));
        OK(cudaFreeArray(three));
    }
    /* Infinities and numbers that differ much: what the sum keeps. */
    float hard[8] = { 1e30f, -1e-30f, INFINITY, 1, 3e38f, 3e38f, NAN, 1e-40f };
    cudaArray_t a;
    cudaChannelFormatDesc f = format(F32, 1);
    struct points p;
    struct look k = { cudaAddressModeClamp, 1 };
    p.n = 0;
    for (int j = 0; j < 33; j++) {
        add(&p, 0.25f + j / 4.0f, 0, 0, 0);
    }
    OK(cudaMallocArray(&a, &f, 8, 0, 0));
    OK(cudaMemcpy2DToArray(a, 0, 0, hard, sizeof(hard), sizeof(hard), 1, cudaMemcpyHostToDevice));
    cudaResourceDesc r = of_array(a);
    case_of("linear.f32.hard", &r, &k, T1D, F, &p);
    k.linear = 0;
    case_of("point.f32.hard", &r, &k, T1D, F, &p);
    OK(cudaFreeArray(a));
}

static void borders(void)
{
    static const enum kind kinds[] = { U8, S8, U16, U32, S32, F16, F32 };

    for (int i = 0; i < 7; i++) {
        for (int c = 1; c <= 4; c *= 4) {
            for (int floats = 0; floats < (kinds[i] <= S16 ? 2 : 1); floats++) {
                cudaArray_t a = array_new(kinds[i], c, 4, 3, 0, 0);
                cudaResourceDesc r = of_array(a);
                enum type type = type_of(kinds[i], floats);
                struct look k = { cudaAddressModeBorder, type == F, 0, floats };
                struct points p = points_spread(1, 0.5f, 0, 0);

                k.border[0] = 0.25f;
                k.border[1] = 3.75f;
                k.border[2] = -0.7f;
                k.border[3] = 100.3f;
                case_of(name("border.%sx%d/float%d", kind_name[kinds[i]], c, floats, 0, 0), &r, &k, T2D,
                        type, &p);
                OK(cudaFreeArray(a));
            }
        }
    }
}

static void memory(void)
{
    static const enum kind kinds[] = { U8, S16, U32, S32, F16, F32 };

    for (int i = 0; i < 6; i++) {
        for (int c = 1; c <= 4; c *= 2) {
            enum kind kind = kinds[i];
            unsigned char *data = contents(kind, c, 64);
            size_t bytes = (size_t)64 * c * kind_bytes[kind];
            void *device;
            cudaResourceDesc r;
            struct points p;
            struct look k = { cudaAddressModeClamp, 0, 0, kind <= S16 };

            OK(cudaMalloc(&device, 1024));
            OK(cudaMemset(device, 0x55, 1024));
            OK(cudaMemcpy(device, data, bytes, cudaMemcpyHostToDevice));
            memset(&r, 0, sizeof(r));
            r.resType = cudaResourceTypeLinear;
            r.res.linear.devPtr = device;
            r.res.linear.desc = format(kind, c);
            r.res.linear.sizeInBytes = (size_t)40 * c * kind_bytes[kind];
            p.n = 0;
            for (int j = -3; j < 44; j++) {
                add(&p, (float)j, 0, 0, 0);
            }
            case_of(name("linear.%sx%d", kind_name[kind], c, 0, 0, 0), &r, &k, T1D_INT,
                    type_of(kind, kind <= S16), &p);
            free(data);
            OK(cudaFree(device));
        }
    }
    for (int i = 0; i < 6; i++) {
        for (int linear = 0; linear < 2; linear++) {
            for (int normal = 0; normal < 2; normal++) {
                enum kind kind = kinds[i];
                int c = i & 1 ? 1 : 4;
                unsigned char *data = contents(kind, c, 13 * 6);
                size_t row = (size_t)13 * c * kind_bytes[kind], pitch;
                void *device;
                cudaResourceDesc r;
                struct look k = { normal ? cudaAddressModeWrap : cudaAddressModeBorder, linear, normal,
                                  kind <= S16 };

                if (linear && (kind == U32 || kind == S32)) {
                    free(data);
                    continue;
                }
                OK(cudaMallocPitch(&device, &pitch, row, 6));
                OK(cudaMemcpy2D(device, pitch, data, row, row, 6, cudaMemcpyHostToDevice));
                memset(&r, 0, sizeof(r));
                r.resType = cudaResourceTypePitch2D;
                r.res.pitch2D.devPtr = device;
                r.res.pitch2D.desc = format(kind, c);
                r.res.pitch2D.width = 13;
                r.res.pitch2D.height = 6;
                r.res.pitch2D.pitchInBytes = pitch;
                struct points p = points_spread(normal ? 1 / 13.0f : 1, normal ? 1 / 6.0f : 1, 0, 0);
                case_of(name("pitch.%sx%d/l%d/n%d", kind_name[kind], c, linear, normal, 0), &r, &k, T2D,
                        type_of(kind, kind <= S16), &p);
                free(data);
                OK(cudaFree(device));
            }
        }
    }
}

static void layers(void)
{
    cudaArray_t one = array_new(F32, 1, 6, 0, 4, cudaArrayLayered),
                two = array_new(U8, 4, 5, 6, 3, cudaArrayLayered);
    cudaResourceDesc r1 = of_array(one), r2 = of_array(two);

    for (int linear = 0; linear < 2; linear++) {
        for (int normal = 0; normal < 2; normal++) {
            struct look k1 = { normal ? cudaAddressModeMirror : cudaAddressModeClamp, linear, normal },
                        k2 = { normal ? cudaAddressModeWrap : cudaAddressModeBorder, linear, normal, 1 };
            struct points p1 = points_spread(normal ? 1 / 6.0f : 1, 0, 0, 4),
                          p2 = points_spread(normal ? 1 / 5.0f : 1, normal ? 1 / 6.0f : 1, 0, 3);
            case_of(name("%s/l%d/n%d", "a1d.f32x1", linear, normal, 0, 0), &r1, &k1, TA1D, F, &p1);
            case_of(name("%s/l%d/n%d", "a2d.u8x4", linear, normal, 0, 0), &r2, &k2, TA2D, F, &p2);
        }
    }
    struct look k = { cudaAddressModeClamp };
    struct points p = points_spread(1, 1, 0, 3);
    case_of("a2d.u8x4.int", &r2, &k, TA2D_INT, U, &p);
    OK(cudaFreeArray(one));
    OK(cudaFreeArray(two));
}

static void cubes(void)
{
    for (int kind = 0; kind < 2; kind++) {
        cudaArray_t cube = array_new(kind ? U8 : F32, kind ? 4 : 1, 5, 5, 6, cudaArrayCubemap),
                    layered = array_new(kind ? U8 : F32, kind ? 4 : 1, 4, 4, 12,
                                        cudaArrayCubemap | cudaArrayLayered);
        cudaResourceDesc rc = of_array(cube), rl = of_array(layered);
        struct points p = points_cube(0), pl = points_cube(2);

        for (int linear = 0; linear < 2; linear++) {
            for (int seamless = 0; seamless < 2; seamless++) {
                for (int address = 0; address < 2; address++) {
                    struct look k = { address, linear, 1, kind };
                    k.seamless = seamless;
                    case_of(name("cube.%s/l%d/seamless%d/a%d", kind ? "u8x4" : "f32", linear, seamless,
                                 address, 0),
                            &rc, &k, TCUBE, F, &p);
                }
                struct look k = { cudaAddressModeClamp, linear, 1, kind };
                k.seamless = seamless;
                case_of(name("acube.%s/l%d/seamless%d", kind ? "u8x4" : "f32", linear, seamless, 0, 0), &rl,
                        &k, TACUBE, F, &pl);
            }
        }
        OK(cudaFreeArray(cube));
        OK(cudaFreeArray(layered));
    }
}

static cudaMipmappedArray_t mipmap_new(enum kind kind, int channels, int w, int h, int d, unsigned flags,
                                       unsigned levels)
{
    cudaMipmappedArray_t m;
    cudaChannelFormatDesc f = format(kind, channels);

    OK(cudaMallocMipmappedArray(&m, &f, make_cudaExtent(w, h, d), levels, flags));
    for (unsigned i = 0; i < levels; i++) {
        cudaArray_t a;
        cudaExtent e;
        cudaMemcpy3DParms c;

        OK(cudaGetMipmappedArrayLevel(&a, m, i));
        OK(cudaArrayGetInfo(NULL, &e, NULL, a));
        int rows = e.height ? (int)e.height : 1, slices = e.depth ? (int)e.depth : 1;
        unsigned char *data = contents(kind, channels, (int)e.width * rows * slices + 40 * i);
        memset(&c, 0, sizeof(c));
        c.srcPtr = make_cudaPitchedPtr(data + (size_t)40 * i * channels * kind_bytes[kind],
                                       e.width * channels * kind_bytes[kind], e.width, rows);
        c.dstArray = a;
        c.extent = make_cudaExtent(e.width, rows, slices);
        c.kind = cudaMemcpyHostToDevice;
        OK(cudaMemcpy3D(&c));
        free(data);
        if (flags == 0) {
            printf("level.%dx%dx%d/%u %x,%x,%x,0\n", w, h, d, i, (unsigned)e.width, (unsigned)e.height,
                   (unsigned)e.depth);
        }
    }
    return m;
}

static const float lods[] = { 0, 0.25f, 0.5f, 0.51f, 0.75f, 1, 1.3f, 1.5f, 1.9f, 2, 2.49f, 2.51f,
                              3, 3.7f, 4, 9, -1, -0.3f, 1.001f, 1.00390625f, 1.001953125f, 0.998f };

static void mipmaps(void)
{
    static const struct {
        const char *name;
        float bias, min, max;
    } clamp[] = { { "plain", 0, 0, 9 }, { "bias", 0.6f, 0, 9 }, { "min", 0, 1.25f, 9 },
                  { "max", 0, 0, 1.75f }, { "zero", 0, 0, 0 }, { "negative", -0.7f, 0.3f, 3 } };
    cudaMipmappedArray_t m1 = mipmap_new(F32, 1, 19, 0, 0, 0, 4), m2 = mipmap_new(F32, 2, 16, 12, 0, 0, 5),
                         m3 = mipmap_new(U8, 4, 8, 6, 5, 0, 3),
                         ma = mipmap_new(F32, 1, 16, 8, 3, cudaArrayLayered, 4),
                         mc = mipmap_new(F32, 1, 8, 8, 6, cudaArrayCubemap, 4);
    cudaResourceDesc r;

    memset(&r, 0, sizeof(r));
    r.resType = cudaResourceTypeMipmappedArray;
    for (size_t c = 0; c < sizeof(clamp) / sizeof(clamp[0]); c++) {
        for (int linear = 0; linear < 4; linear++) {
            struct look k = { cudaAddressModeWrap, linear & 1, 1, 0, 0, linear >> 1, clamp[c].bias,
                              clamp[c].min, clamp[c].max };
            struct points p = points_random(sizeof(lods) / sizeof(lods[0]) * 2, 1, 1, 1), g;

            for (int i = 0; i < p.n; i++) {
                p.grad[i].x = lods[i / 2];
            }
            g = p;
            for (int i = 0; i < p.n; i++) {
                float e = exp2f(lods[i / 2]) / 16;
                g.grad[i] = make_float4(e, e / 3, i & 1 ? e / 2 : -e, i & 1 ? 0 : e / 2);
            }
            r.res.mipmap.mipmap = m2;
            case_of(name("mip2d.%s/l%d", clamp[c].name, linear, 0, 0, 0), &r, &k, T2D_LOD, F, &p);
            if (c < 3) {
                case_of(name("mip2dgrad.%s/l%d", clamp[c].name, linear, 0, 0, 0), &r, &k, T2D_GRAD, F, &g);
                case_of(name("mip2dnone.%s/l%d", clamp[c].name, linear, 0, 0, 0), &r, &k, T2D, F, &p);
            }
            if (c == 0) {
                r.res.mipmap.mipmap = m1;
                case_of(name("mip1d.%s/l%d", clamp[c].name, linear, 0, 0, 0), &r, &k, T1D_LOD, F, &p);
                case_of(name("mip1dgrad.%s/l%d", clamp[c].name, linear, 0, 0, 0), &r, &k, T1D_GRAD, F, &g);
                r.res.mipmap.mipmap = ma;
                for (int i = 0; i < p.n; i++) {
                    p.at[i].w = (float)(i % 4);
                    g.at[i].w = (float)(i % 4);
                }
                case_of(name("mipa2d.%s/l%d", clamp[c].name, linear, 0, 0, 0), &r, &k, TA2D_LOD, F, &p);
                case_of(name("mipa2dgrad.%s/l%d", clamp[c].name, linear, 0, 0, 0), &r, &k, TA2D_GRAD, F, &g);
                r.res.mipmap.mipmap = mc;
                case_of(name("mipcube.%s/l%d", clamp[c].name, linear, 0, 0, 0), &r, &k, TCUBE_LOD, F, &p);
                k.floats = 1;
                r.res.mipmap.mipmap = m3;
                case_of(name("mip3d.%s/l%d", clamp[c].name, linear, 0, 0, 0), &r, &k, T3D_LOD, F, &p);
                case_of(name("mip3dgrad.%s/l%d", clamp[c].name, linear, 0, 0, 0), &r, &k, T3D_GRAD, F, &g);
            }
        }
    }
    /* A view of some levels, and of other bits. */
    cudaResourceViewDesc v;
    struct look k = { cudaAddressModeClamp, 0, 1, 0, 0, 0, 0, 0, 9 };
    struct points p = points_random(20, 1, 1, 1);
    memset(&v, 0, sizeof(v));
    v.format = cudaResViewFormatFloat2;
    v.width = 16;
    v.height = 12;
    v.firstMipmapLevel = 1;
    v.lastMipmapLevel = 2;
    for (int i = 0; i < p.n; i++) {
        p.grad[i].x = i / 4.0f;
    }
    r.res.mipmap.mipmap = m2;
    for (int i = 0; i < 2; i++) {
        cudaTextureObject_t t;
        v.width = i ? 16 : 8;
        v.height = i ? 12 : 6;
        t = texture_view(&r, &k, &v, i ? "view.levels.whole" : "view.levels.half");
        if (t) {
            show(i ? "view.levels.whole" : "view.levels.half", t, T2D_LOD, F, &p);
            OK(cudaDestroyTextureObject(t));
        }
    }
    OK(cudaFreeMipmappedArray(m1));
    OK(cudaFreeMipmappedArray(m2));
    OK(cudaFreeMipmappedArray(m3));
    OK(cudaFreeMipmappedArray(ma));
    OK(cudaFreeMipmappedArray(mc));
}

static void views(void)
{
    cudaArray_t a = array_new(U32, 1, 8, 8, 0, 0), l = array_new(F32, 1, 8, 8, 5, cudaArrayLayered);
    cudaResourceDesc ra = of_array(a), rl = of_array(l);
    cudaResourceViewDesc v;
    struct look point = { cudaAddressModeClamp };
    struct points p = points_random(20, 8, 8, 0);
    cudaTextureObject_t t;
    static const struct {
        const char *name;
        cudaResourceViewFormat format;
        enum type type;
    } f[] = { { "view.u8x4", cudaResViewFormatUnsignedChar4, U },
              { "view.s16x2", cudaResViewFormatSignedShort2, S },
              { "view.f32", cudaResViewFormatFloat1, F },
              { "view.h2", cudaResViewFormatHalf2, F } };

    for (int i = 0; i < 4; i++) {
        memset(&v, 0, sizeof(v));
        v.format = f[i].format;
        v.width = v.height = 8;
        t = texture_view(&ra, &point, &v, f[i].name);
        if (t) {
            show(f[i].name, t, T2D, f[i].type, &p);
            OK(cudaDestroyTextureObject(t));
        }
    }
    memset(&v, 0, sizeof(v));
    v.format = cudaResViewFormatFloat1;
    v.width = v.height = 8;
    v.depth = 5;
    v.firstLayer = 1;
    v.lastLayer = 3;
    for (int i = 0; i < p.n; i++) {
        p.at[i].w = (float)(i % 6);
    }
    for (int i = 0; i < 2; i++) {
        const char *n = i ? "view.layers.3" : "view.layers.5";
        v.depth = i ? 3 : 5;
        t = texture_view(&rl, &point, &v, n);
        if (t) {
            show(n, t, TA2D, F, &p);
            OK(cudaDestroyTextureObject(t));
        }
    }
    OK(cudaFreeArray(a));
    OK(cudaFreeArray(l));
}

static void gathers(void)
{
    cudaArray_t a = array_new(F32, 4, 6, 5, 0, cudaArrayTextureGather),
                b = array_new(U8, 4, 6, 5, 0, cudaArrayTextureGather),
                s = array_new(S16, 2, 6, 5, 0, cudaArrayTextureGather),
                h = array_new(F16, 4, 6, 5, 0, cudaArrayTextureGather);
    cudaResourceDesc ra = of_array(a), rb = of_array(b), rs = of_array(s), rh = of_array(h);

    for (int i = 0; i < 4; i++) {
        struct look k = { i, 0, 1 }, n = { i, 1, 1, 1 }, u = { i, 0, 0 };
        struct points p = points_spread(1 / 6.0f, 1 / 5.0f, 0, 0), q = points_random(24, 6, 5, 0);
        enum op op = (enum op)(G2D_R + i);
        k.border[0] = n.border[0] = u.border[0] = 0.5f;
        case_of(name("%s/c%d/a%d", "gather.f32x4", i, i, 0, 0), &ra, &k, op, F, &p);
        case_of(name("%s/c%d/a%d", "gather.u8x4.float", i, i, 0, 0), &rb, &n, op, F, &p);
        case_of(name("%s/c%d/a%d", "gather.u8x4", i, i, 0, 0), &rb, &u, op, U, &q);
        case_of(name("%s/c%d/a%d", "gather.s16x2", i, i, 0, 0), &rs, &u, op, S, &q);
        case_of(name("%s/c%d/a%d", "gather.f16x4", i, i, 0, 0), &rh, &u, op, F, &q);
    }
    OK(cudaFreeArray(a));
    OK(cudaFreeArray(b));
    OK(cudaFreeArray(s));
    OK(cudaFreeArray(h));
}

static void strange(void)
{
    cudaArray_t one = array_new(F32, 1, 7, 0, 0, 0), two = array_new(U8, 4, 8, 4, 0, 0);
    cudaResourceDesc r1 = of_array(one), r2 = of_array(two);
    static const float odd[] = { NAN,   INFINITY, -INFINITY, 1e30f, -1e30f, 3e9f,  -3e9f, 2147483648.0f,
                                 1e-40f, -1e-40f, -0.0f,     16777216.0f, 8388607.5f, 70000.3f, -70000.3f, 0.99999994f,
                                 6.9999995f, 7.0000005f, -1e-8f, 3.4999998f, 65535.5f, 32767.5f, -32768.5f };

    for (int normal = 0; normal < 2; normal++) {
        for (int address = 0; address < 4; address++) {
            for (int linear = 0; linear < 2; linear++) {
                struct look k = { address, linear, normal }, k2 = { address, linear, normal, 1 };
                struct points p;
                p.n = 0;
                for (size_t i = 0; i < sizeof(odd) / sizeof(odd[0]); i++) {
                    add(&p, odd[i], odd[(i * 7 + 3) % (sizeof(odd) / sizeof(odd[0]))], 0, 0);
                }
                case_of(name("%s/n%d/a%d/l%d", "odd.1d", normal, address, linear, 0), &r1, &k, T1D, F, &p);
                case_of(name("%s/n%d/a%d/l%d", "odd.2d", normal, address, linear, 0), &r2, &k2, T2D, F, &p);
            }
        }
    }
    /* Exactly on a border between texels, and an ulp beside it. */
    for (int linear = 0; linear < 2; linear++) {
        for (int normal = 0; normal < 2; normal++) {
            struct look k = { cudaAddressModeClamp, linear, normal };
            struct points p;
            p.n = 0;
            for (int i = 0; i <= 14; i++) {
                float x = i / 2.0f * (normal ? 1 / 7.0f : 1);
                add(&p, x, 0, 0, 0);
                add(&p, nextafterf(x, -100), 0, 0, 0);
                add(&p, nextafterf(x, 100), 0, 0, 0);
            }
            case_of(name("%s/l%d/n%d", "ulp.1d", linear, normal, 0, 0), &r1, &k, T1D, F, &p);
        }
    }
    OK(cudaFreeArray(one));
    OK(cudaFreeArray(two));
}

/* ---- queries ---- */

#define TXQ(WHAT, N) asm volatile("txq." WHAT ".b32 %0, [%1];" : "=r"(out[N]) : "l"(t))
#define SUQ(WHAT, N) asm volatile("suq." WHAT ".b32 %0, [%1];" : "=r"(out[N]) : "l"(s))

__global__ void query_texture(cudaTextureObject_t t, unsigned *out)
{
    unsigned levels;

    TXQ("width", 0);
    TXQ("height", 1);
    TXQ("depth", 2);
    asm volatile("txq.level.width.b32 %0, [%1], 1;" : "=r"(levels) : "l"(t));
    out[8] = levels;
    asm volatile("txq.level.height.b32 %0, [%1], 1;" : "=r"(levels) : "l"(t));
    out[9] = levels;
}

__global__ void query_surface(cudaSurfaceObject_t s, unsigned *out)
{
    SUQ("width", 0);
    SUQ("height", 1);
    SUQ("depth", 2);
}

static void print_words(const char *what, const unsigned *words, int n)
{
    unsigned host[64];

    OK(cudaDeviceSynchronize());
    OK(cudaMemcpy(host, words, n * sizeof(unsigned), cudaMemcpyDeviceToHost));
    printf("%s ", what);
    for (int i = 0; i < n; i++) {
        printf("%s%x", i ? "," : "", host[i]);
    }
    printf("\n");
    fflush(stdout);
}

static void queries(void)
{
    static const struct {
        const char *name;
        enum kind kind;
        int channels, w, h, d;
        unsigned flags;
    } q[] = {
        { "1d.u8x1", U8, 1, 33, 0, 0, 0 },
        { "2d.f32x4", F32, 4, 17, 9, 0, 0 },
        { "3d.s16x2", S16, 2, 5, 6, 7, 0 },
        { "a1d.u32x1", U32, 1, 12, 0, 3, cudaArrayLayered },
        { "a2d.f16x4", F16, 4, 8, 9, 5, cudaArrayLayered },
        { "cube.s8x4", S8, 4, 8, 8, 6, cudaArrayCubemap },
        { "acube.s32x1", S32, 1, 8, 8, 18, cudaArrayCubemap | cudaArrayLayered },
    };

    for (size_t i = 0; i < sizeof(q) / sizeof(q[0]); i++) {
        cudaArray_t a = array_new(q[i].kind, q[i].channels, q[i].w, q[i].h, q[i].d,
                                  q[i].flags | cudaArraySurfaceLoadStore);
        cudaResourceDesc r = of_array(a);
        struct look k = { cudaAddressModeClamp, 0, q[i].flags & cudaArrayCubemap ? 1 : (int)i & 1 };
        cudaTextureObject_t t = texture(&r, &k, q[i].name);
        cudaSurfaceObject_t s;

        if (t) {
            OK(cudaMemset(out, 0xee, 64));
            query_texture<<<1, 1>>>(t, (unsigned *)out);
            print_words(name("txq.%s", q[i].name, 0, 0, 0, 0), (unsigned *)out, 10);
        }
        OK(cudaCreateSurfaceObject(&s, &r));
        OK(cudaMemset(out, 0xee, 64));
        query_surface<<<1, 1>>>(s, (unsigned *)out);
        print_words(name("suq.%s", q[i].name, 0, 0, 0, 0), (unsigned *)out, 7);
        OK(cudaDestroySurfaceObject(s));
        OK(cudaFreeArray(a));
    }
}

/* ---- surfaces ---- */


#define SULD(G, AT, ...)                                                                           \
    switch (size) {                                                                                \
    case 1:                                                                                        \
        asm volatile("suld.b." G ".b8." MODE " %0, " AT : "=h"(h) : "l"(s), __VA_ARGS__);          \
        v.x = h;                                                                                   \
        break;                                                                                     \
    case 2:                                                                                        \
        asm volatile("suld.b." G ".b16." MODE " %0, " AT : "=h"(h) : "l"(s), __VA_ARGS__);         \
        v.x = h;                                                                                   \
        break;                                                                                     \
    default:                                                                                       \
        asm volatile("suld.b." G ".b32." MODE " %0, " AT : "=r"(v.x) : "l"(s), __VA_ARGS__);       \
        break;                                                                                     \
    }
#define SULDV(G, AT2, AT4, ...)                                                                    \
    if (size == 8) {                                                                               \
        asm volatile("suld.b." G ".v2.b32." MODE " {%0,%1}, " AT2                                  \
                     : "=r"(v.x), "=r"(v.y)                                                        \
                     : "l"(s), __VA_ARGS__);                                                       \
    } else {                                                                                       \
        asm volatile("suld.b." G ".v4.b32." MODE " {%0,%1,%2,%3}, " AT4                            \
                     : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)                                  \
                     : "l"(s), __VA_ARGS__);                                                       \
    }
#define SUST(G, AT, ...)                                                                           \
    switch (size) {                                                                                \
    case 1:                                                                                        \
        asm volatile("sust.b." G ".b8." MODE " " AT ", %1;" ::"l"(s), "h"((short)value), __VA_ARGS__); \
        break;                                                                                     \
    case 2:                                                                                        \
        asm volatile("sust.b." G ".b16." MODE " " AT ", %1;" ::"l"(s), "h"((short)value), __VA_ARGS__); \
        break;                                                                                     \
    default:                                                                                       \
        asm volatile("sust.b." G ".b32." MODE " " AT ", %1;" ::"l"(s), "r"(value), __VA_ARGS__);   \
        break;                                                                                     \
    }

/* Geometries: 1 to 3; 4: a1d; 5: a2d. @size: bytes of one access. x in bytes. */
#define SURFACE(SUFFIX)                                                                            \
    __global__ void load_##SUFFIX(cudaSurfaceObject_t s, int geometry, int size, const int4 *at,   \
                                  int n, uint4 *out)                                               \
    {                                                                                              \
        int i = blockIdx.x * blockDim.x + threadIdx.x;                                             \
        if (i >= n) {                                                                              \
            return;                                                                                \
        }                                                                                          \
        int4 a = at[i];                                                                            \
        uint4 v = make_uint4(0, 0, 0, 0);                                                          \
        unsigned short h = 0;                                                                      \
        if (size > 4) {                                                                            \
            if (geometry == 1) {                                                                   \
                SULDV("1d", "[%2, {%3}];", "[%4, {%5}];", "r"(a.x))                                \
            } else {                                                                               \
                SULDV("2d", "[%2, {%3,%4}];", "[%4, {%5,%6}];", "r"(a.x), "r"(a.y))                \
            }                                                                                      \
        } else if (geometry == 1) {                                                                \
            SULD("1d", "[%1, {%2}];", "r"(a.x))                                                    \
        } else if (geometry == 2) {                                                                \
            SULD("2d", "[%1, {%2,%3}];", "r"(a.x), "r"(a.y))                                       \
        } else if (geometry == 3) {                                                                \
            SULD("3d", "[%1, {%2,%3,%4,%4}];", "r"(a.x), "r"(a.y), "r"(a.z))                       \
        } else if (geometry == 4) {                                                                \
            SULD("a1d", "[%1, {%2,%3}];", "r"(a.w), "r"(a.x))                                      \
        } else {                                                                                   \
            SULD("a2d", "[%1, {%2,%3,%4,%4}];", "r"(a.w), "r"(a.x), "r"(a.y))                      \
        }                                                                                          \
        out[i] = v;                                                                                \
    }                                                                                              \
    __global__ void store_##SUFFIX(cudaSurfaceObject_t s, int geometry, int size, const int4 *at,  \
                                   int n)                                                          \
    {                                                                                              \
        for (int i = 0; i < n; i++) {                                                              \
            int4 a = at[i];                                                                        \
            unsigned value = 0x81c3a5f0u + i * 0x01030507u;                                        \
            if (geometry == 1) {                                                                   \
                SUST("1d", "[%0, {%2}]", "r"(a.x))                                                 \
            } else if (geometry == 2) {                                                            \
                SUST("2d", "[%0, {%2,%3}]", "r"(a.x), "r"(a.y))                                    \
            } else if (geometry == 3) {                                                            \
                SUST("3d", "[%0, {%2,%3,%4,%4}]", "r"(a.x), "r"(a.y), "r"(a.z))                    \
            } else if (geometry == 4) {                                                            \
                SUST("a1d", "[%0, {%2,%3}]", "r"(a.w), "r"(a.x))                                   \
            } else {                                                                               \
                SUST("a2d", "[%0, {%2,%3,%4,%4}]", "r"(a.w), "r"(a.x), "r"(a.y))                   \
            }                                                                                      \
        }                                                                                          \
    }

#define MODE "clamp"
SURFACE(clamp)
#undef MODE
#define MODE "zero"
SURFACE(zero)
#undef MODE
#define MODE "trap"
SURFACE(trap)

/* sust.p converts what it stores; sured combines. */
__global__ void store_formatted(cudaSurfaceObject_t s, int floats)
{
    for (int i = 0; i < 8; i++) {
        float f = (i - 3) * 0.3f;
        int v = (i - 3) * 50;
        unsigned a = floats ? __float_as_uint(f) : (unsigned)v, b = floats ? __float_as_uint(f * 100) : v * 200,
                 c = floats ? __float_as_uint(0.5f) : 77u, d = floats ? __float_as_uint(1.0f) : 0xffffffffu;
        asm volatile("sust.p.2d.v4.b32.trap [%0, {%1, %2}], {%3, %4, %5, %6};" ::"l"(s), "r"(i), "r"(1),
                     "r"(a), "r"(b), "r"(c), "r"(d));
    }
}

__global__ void reduce(cudaSurfaceObject_t s, int where)
{
    int x = threadIdx.x % 4 * 4, y = where;
    unsigned v = threadIdx.x * 0x11111u + 5;

    asm volatile("sured.b.add.2d.u32.clamp [%0, {%1, %2}], %3;" ::"l"(s), "r"(x), "r"(y), "r"(v));
    asm volatile("sured.b.min.2d.u32.clamp [%0, {%1, %2}], %3;" ::"l"(s), "r"(x + 16), "r"(y), "r"(v));
    asm volatile("sured.b.max.2d.s32.zero [%0, {%1, %2}], %3;" ::"l"(s), "r"(x + 32), "r"(y), "r"(v - 90000));
    asm volatile("sured.b.and.2d.b32.clamp [%0, {%1, %2}], %3;" ::"l"(s), "r"(x), "r"(y + 1), "r"(~v));
    asm volatile("sured.b.or.2d.b32.clamp [%0, {%1, %2}], %3;" ::"l"(s), "r"(x + 16), "r"(y + 1), "r"(v));
    asm volatile("sured.b.min.2d.s32.clamp [%0, {%1, %2}], %3;" ::"l"(s), "r"(x + 32), "r"(y + 1), "r"(v));
}

struct places {
    int n;
    int4 at[MAX_POINTS];
};

/* In, on the border, outside on each side; x in multiples of @size bytes. */
static struct places places_of(int w, int h, int d, int layers, int size)
{
    static const int xs[] = { 0, 1, 2, 5, 7, -1, -4, 8, 9, 40 };
    struct places p;

    p.n = 0;
    for (int i = 0; i < 60; i++) {
        int x = xs[i % 10], y = h ? (i / 10) * 2 % (h + 4) - 2 : 0, z = d ? (i * 7 / 3) % (d + 2) - 1 : 0;
        p.at[p.n++] = make_int4(i % 10 < 5 ? x % w * size : x * size, y, z, layers ? i % (layers + 2) - 1 : 0);
    }
    return p;
}

static void array_print(const char *what, cudaArray_t a, int row_bytes, int w, int h, int d)
{
    int rows = h ? h : 1, slices = d ? d : 1;
    unsigned char *data = (unsigned char *)calloc(slices * rows, row_bytes);
    cudaMemcpy3DParms c;

    memset(&c, 0, sizeof(c));
    c.srcArray = a;
    c.dstPtr = make_cudaPitchedPtr(data, row_bytes, w, rows);
    c.extent = make_cudaExtent(w, rows, slices);
    c.kind = cudaMemcpyDeviceToHost;
    OK(cudaMemcpy3D(&c));
    printf("%s ", what);
    for (int i = 0; i < row_bytes * rows * slices; i++) {
        printf("%02x", data[i]);
    }
    printf("\n");
    fflush(stdout);
    free(data);
}

static void surfaces(void)
{
    static const struct {
        const char *name;
        int geometry, channels;
        enum kind kind;
        int w, h, d;
        unsigned flags;
    } q[] = {
        { "1d.u8x1", 1, 1, U8, 20, 0, 0, 0 },
        { "1d.u8x4", 1, 4, U8, 9, 0, 0, 0 },
        { "1d.f32x4", 1, 4, F32, 9, 0, 0, 0 },
        { "2d.u8x1", 2, 1, U8, 20, 4, 0, 0 },
        { "2d.u16x1", 2, 1, U16, 9, 4, 0, 0 },
        { "2d.u32x1", 2, 1, U32, 9, 4, 0, 0 },
        { "2d.f32x2", 2, 2, F32, 9, 4, 0, 0 },
        { "2d.f32x4", 2, 4, F32, 9, 4, 0, 0 },
        { "3d.u32x1", 3, 1, U32, 9, 4, 3, 0 },
        { "a1d.u32x1", 4, 1, U32, 9, 0, 3, cudaArrayLayered },
        { "a2d.u32x1", 5, 1, U32, 9, 4, 3, cudaArrayLayered },
        { "cube.u32x1", 5, 1, U32, 8, 8, 6, cudaArrayCubemap },
    };

    for (size_t i = 0; i < sizeof(q) / sizeof(q[0]); i++) {
        int bytes = kind_bytes[q[i].kind] * q[i].channels, layered = q[i].geometry >= 4;

        for (int zero = 0; zero < 2; zero++) {
            cudaArray_t a = array_new(q[i].kind, q[i].channels, q[i].w, q[i].h, q[i].d,
                                      q[i].flags | cudaArraySurfaceLoadStore);
            cudaResourceDesc r = of_array(a);
            cudaSurfaceObject_t s;
            struct places p = places_of(q[i].w, q[i].h, layered ? 0 : q[i].d, layered ? q[i].d : 0, bytes);
            const char *mode = zero ? "zero" : "clamp";

            OK(cudaCreateSurfaceObject(&s, &r));
            OK(cudaMemcpy(at_device, p.at, p.n * sizeof(int4), cudaMemcpyHostToDevice));
            (zero ? load_zero : load_clamp)<<<2, 32>>>(s, q[i].geometry, bytes, (int4 *)at_device, p.n, out);
            OK(cudaDeviceSynchronize());
            OK(cudaMemcpy(results, out, p.n * sizeof(uint4), cudaMemcpyDeviceToHost));
            snprintf(text, sizeof(text), "suld.%s.%s", q[i].name, mode);
            print_results(text, p.n);
            if (bytes <= 4) {
                (zero ? store_zero : store_clamp)<<<1, 1>>>(s, q[i].geometry, bytes, (int4 *)at_device, p.n);
                OK(cudaDeviceSynchronize());
                snprintf(text, sizeof(text), "sust.%s.%s", q[i].name, mode);
                array_print(text, a, q[i].w * bytes, q[i].w, q[i].h, q[i].d);
            }
            OK(cudaDestroySurfaceObject(s));
            OK(cudaFreeArray(a));
        }
    }
    static const struct {
        enum kind kind;
        int channels;
    } f[] = { { U8, 4 }, { S8, 4 }, { U16, 2 }, { S16, 4 }, { F16, 4 }, { F32, 4 }, { U32, 1 } };
    for (size_t i = 0; i < sizeof(f) / sizeof(f[0]); i++) {
        for (int floats = 0; floats < 2; floats++) {
            cudaArray_t a = array_new(f[i].kind, f[i].channels, 8, 2, 0, cudaArraySurfaceLoadStore);
            cudaResourceDesc r = of_array(a);
            cudaSurfaceObject_t s;
            OK(cudaCreateSurfaceObject(&s, &r));
            store_formatted<<<1, 1>>>(s, floats);
            OK(cudaDeviceSynchronize());
            snprintf(text, sizeof(text), "sust.p.%sx%d/floats%d", kind_name[f[i].kind], f[i].channels, floats);
            array_print(text, a, 8 * f[i].channels * kind_bytes[f[i].kind], 8, 2, 0);
            OK(cudaDestroySurfaceObject(s));
            OK(cudaFreeArray(a));
        }
    }
    cudaArray_t a = array_new(U32, 1, 12, 4, 0, cudaArraySurfaceLoadStore);
    cudaResourceDesc r = of_array(a);
    cudaSurfaceObject_t s;
    OK(cudaCreateSurfaceObject(&s, &r));
    for (int i = -2; i < 5; i += 3) {
        reduce<<<1, 8>>>(s, i);
        OK(cudaDeviceSynchronize());
        snprintf(text, sizeof(text), "sured.2d/%d", i);
        array_print(text, a, 48, 12, 4, 0);
    }
    OK(cudaDestroySurfaceObject(s));
    OK(cudaFreeArray(a));
}

/* Last: a trap ends the context. */
static void traps(void)
{
    cudaArray_t a = array_new(U32, 1, 9, 4, 0, cudaArraySurfaceLoadStore);
    cudaResourceDesc r = of_array(a);
    cudaSurfaceObject_t s;
    struct places p;

    OK(cudaCreateSurfaceObject(&s, &r));
    p.n = 2;
    p.at[0] = make_int4(4, 1, 0, 0);
    p.at[1] = make_int4(32, 3, 0, 0);
    OK(cudaMemcpy(at_device, p.at, sizeof(p.at), cudaMemcpyHostToDevice));
    load_trap<<<1, 32>>>(s, 2, 4, (int4 *)at_device, p.n, out);
    OK(cudaDeviceSynchronize());
    OK(cudaMemcpy(results, out, p.n * sizeof(uint4), cudaMemcpyDeviceToHost));
    print_results("suld.trap.inside", p.n);
    p.at[1].x = 36;
    OK(cudaMemcpy(at_device, p.at, sizeof(p.at), cudaMemcpyHostToDevice));
    store_trap<<<1, 1>>>(s, 2, 4, (int4 *)at_device, p.n);
    printf("sust.trap.outside !%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}

int main(void)
{
    int driver;

    OK(cudaDriverGetVersion(&driver));
    cudaDeviceProp prop;
    OK(cudaGetDeviceProperties(&prop, 0));
    printf("driver %d %s cc %d.%d\n", driver, prop.name, prop.major, prop.minor);
    OK(cudaMalloc(&out, MAX_POINTS * sizeof(uint4)));
    OK(cudaMalloc(&at_device, MAX_POINTS * sizeof(float4)));
    OK(cudaMalloc(&grad_device, MAX_POINTS * sizeof(float4)));
    modes();
    formats();
    all_values();
    fractions();
    borders();
    memory();
    layers();
    cubes();
    gathers();
    strange();
    mipmaps();
    views();
    queries();
    surfaces();
    traps();
    return 0;
}
