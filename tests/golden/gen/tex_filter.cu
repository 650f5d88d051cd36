/* SPDX-License-Identifier: MIT */
/* What a GPU's filter does, in each bit: weights of texels in volumes and between mipmap levels,
 * sRGB between texels, and border colours around the ties of each format. A line a case, `case
 * values...`; a value is what one fetch gives, in hex. The first line has the driver's version.
 * Made with
 *
 *     nvcc -arch=sm_90 -cudart static tests/golden/gen/tex_filter.cu -o tex_filter && ./tex_filter
 *
 * kept in tests/golden/tex_filter_h200_580.159.04.txt; the tests run this same program on the
 * virtual board.
 */
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#define OK(call)                                                             \
    do {                                                                     \
        cudaError_t e_ = (call);                                             \
        if (e_ != cudaSuccess) {                                             \
            printf("!%s %d %s\n", __FILE__, __LINE__, cudaGetErrorName(e_)); \
            exit(1);                                                         \
        }                                                                    \
    } while (0)

typedef std::vector<float4> floats;

static uint64_t state = 1;

static uint32_t next()
{
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    return (uint32_t)(state >> 32);
}

static uint32_t pick(uint32_t n)
{
    return next() % n;
}

/* The point: x, y, z and the level. */
template <int DIMS, bool LEVEL>
__global__ void fetch(cudaTextureObject_t t, const float4 *at, int n, float4 *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i >= n) {
        return;
    }
    float4 p = at[i];
    out[i] = DIMS == 1   ? (LEVEL ? tex1DLod<float4>(t, p.x, p.w) : tex1D<float4>(t, p.x))
             : DIMS == 2 ? (LEVEL ? tex2DLod<float4>(t, p.x, p.y, p.w) : tex2D<float4>(t, p.x, p.y))
                         : (LEVEL ? tex3DLod<float4>(t, p.x, p.y, p.z, p.w)
                                  : tex3D<float4>(t, p.x, p.y, p.z));
}

typedef void (*kernel)(cudaTextureObject_t, const float4 *, int, float4 *);

static floats run(kernel k, cudaTextureObject_t t, const floats &points)
{
    float4 *at, *out;
    int n = (int)points.size();
    floats got(n);

    OK(cudaMalloc(&at, n * sizeof(float4)));
    OK(cudaMalloc(&out, n * sizeof(float4)));
    OK(cudaMemcpy(at, points.data(), n * sizeof(float4), cudaMemcpyHostToDevice));
    k<<<(n + 63) / 64, 64>>>(t, at, n, out);
    OK(cudaMemcpy(got.data(), out, n * sizeof(float4), cudaMemcpyDeviceToHost));
    OK(cudaFree(at));
    OK(cudaFree(out));
    return got;
}

static void array_fill(cudaArray_t a, const void *from, int texel, int w, int h, int d)
{
    cudaMemcpy3DParms c = {};

    c.srcPtr = make_cudaPitchedPtr((void *)from, (size_t)w * texel, w, h ? h : 1);
    c.dstArray = a;
    c.extent = make_cudaExtent(w, h ? h : 1, d ? d : 1);
    c.kind = cudaMemcpyHostToDevice;
    OK(cudaMemcpy3D(&c));
}

static cudaArray_t array_of(cudaChannelFormatDesc f, const void *from, int texel, int w, int h,
                            int d)
{
    cudaArray_t a;

    OK(cudaMalloc3DArray(&a, &f, make_cudaExtent(w, h, d)));
    array_fill(a, from, texel, w, h, d);
    return a;
}

struct how {
    bool linear, fractions, srgb, border;
    float color[4];
};

static cudaTextureObject_t texture_of(cudaArray_t a, const how &h)
{
    cudaResourceDesc r = {};
    cudaTextureDesc d = {};
    cudaTextureObject_t t;

    r.resType = cudaResourceTypeArray;
    r.res.array.array = a;
    for (int i = 0; i < 3; i++) {
        d.addressMode[i] = h.border ? cudaAddressModeBorder : cudaAddressModeClamp;
    }
    d.filterMode = h.linear ? cudaFilterModeLinear : cudaFilterModePoint;
    d.readMode = h.fractions ? cudaReadModeNormalizedFloat : cudaReadModeElementType;
    d.sRGB = h.srgb;
    memcpy(d.borderColor, h.color, sizeof(h.color));
    OK(cudaCreateTextureObject(&t, &r, &d, NULL));
    return t;
}

/* Two levels, the first of @side texels each way and the second of half as many */
static cudaTextureObject_t levels_of(int dims, int side, const floats &near, const floats &far)
{
    cudaChannelFormatDesc f = cudaCreateChannelDesc<float4>();
    cudaMipmappedArray_t m;
    cudaArray_t a;
    cudaResourceDesc r = {};
    cudaTextureDesc d = {};
    cudaTextureObject_t t;
    int h = dims > 1 ? side : 0, z = dims > 2 ? side : 0;

    OK(cudaMallocMipmappedArray(&m, &f, make_cudaExtent(side, h, z), 2));
    OK(cudaGetMipmappedArrayLevel(&a, m, 0));
    array_fill(a, near.data(), sizeof(float4), side, h, z);
    OK(cudaGetMipmappedArrayLevel(&a, m, 1));
    array_fill(a, far.data(), sizeof(float4), side / 2, h / 2, z / 2);
    r.resType = cudaResourceTypeMipmappedArray;
    r.res.mipmap.mipmap = m;
    for (int i = 0; i < 3; i++) {
        d.addressMode[i] = cudaAddressModeClamp;
    }
    d.filterMode = d.mipmapFilterMode = cudaFilterModeLinear;
    d.normalizedCoords = 1;
    d.maxMipmapLevelClamp = 10;
    OK(cudaCreateTextureObject(&t, &r, &d, NULL));
    return t;
}

/* Channel @i is one, if there is such a channel. */
static float4 hot(int i)
{
    float4 v = {};

    if (i >= 0 && i < 4) {
        (&v.x)[i] = 1;
    }
    return v;
}

/* A grid of @side texels each way in which a texel and its neighbours have channels of their own;
 * those below @first and from @first + 4 on are dark. */
static floats pattern(int dims, int side, int first)
{
    floats v;

    for (int z = 0; z < (dims > 2 ? side : 1); z++) {
        for (int y = 0; y < (dims > 1 ? side : 1); y++) {
            for (int x = 0; x < side; x++) {
                v.push_back(hot(((x & 1) | (y & 1) << 1 | (z & 1) << 2) - first));
            }
        }
    }
    return v;
}

static void weights(const float4 &v)
{
    printf("%x,%x,%x,%x", (unsigned)lrintf(v.x * 256), (unsigned)lrintf(v.y * 256),
           (unsigned)lrintf(v.z * 256), (unsigned)lrintf(v.w * 256));
}

static void bits(const float4 &v)
{
    uint32_t b[4];

    memcpy(b, &v, sizeof(b));
    printf(" %x,%x,%x,%x", b[0], b[1], b[2], b[3]);
}

static void volumes()
{
    static const int at[] = {
        0, 1, 2, 17, 63, 64, 96, 127, 128, 129, 160, 191, 200, 250, 254, 255
    };
    const how h = { true };
    cudaChannelFormatDesc f = cudaCreateChannelDesc<float4>();
    cudaTextureObject_t near = texture_of(array_of(f, pattern(3, 2, 0).data(), 16, 2, 2, 2), h),
                        far = texture_of(array_of(f, pattern(3, 2, 4).data(), 16, 2, 2, 2), h);

    for (int a : at) {
        floats p;

        for (int b : at) {
            for (int c : at) {
                p.push_back({ .5f + a / 256.f, .5f + b / 256.f, .5f + c / 256.f, 0 });
            }
        }
        floats u = run(fetch<3, false>, near, p), v = run(fetch<3, false>, far, p);
        printf("volume/%d", a);
        for (size_t i = 0; i < p.size(); i++) {
            putchar(' ');
            weights(u[i]);
            putchar(',');
            weights(v[i]);
        }
        putchar('\n');
    }
}

static void between(int dims, kernel k)
{
    const int halves = dims > 2 ? 2 : 1, side = 4;
    floats dark(side * side * side);
    cudaTextureObject_t t[4];

    for (int i = 0; i < halves; i++) {
        t[i] = levels_of(dims, side, pattern(dims, side, 4 * i), dark);
        t[halves + i] = levels_of(dims, side, dark, pattern(dims, side / 2, 4 * i));
    }
    for (int line = 0; line < 24; line++) {
        floats p, got[4];
        float part = (line < 4 ? line * 64 : pick(257)) / 256.f;

        for (int i = 0; i < 80; i++) {
            float x = (256 + pick(513)) / 1024.f, y = (256 + pick(513)) / 1024.f,
                  z = (256 + pick(513)) / 1024.f;

            p.push_back({ x, y, z, part });
        }
        for (int i = 0; i < 2 * halves; i++) {
            got[i] = run(k, t[i], p);
        }
        printf("levels%dd/%d/%d", dims, line, (int)(part * 256));
        for (size_t i = 0; i < p.size(); i++) {
            for (int part = 0; part < 2 * halves; part++) {
                putchar(part ? ',' : ' ');
                weights(got[part][i]);
            }
        }
        putchar('\n');
    }
}

static void srgb()
{
    static uint8_t bytes[4096 * 4];
    const how h = { true, true, true };

    for (uint8_t &b : bytes) {
        b = (uint8_t)(next() >> 13);
    }
    cudaTextureObject_t row = texture_of(
                            array_of(cudaCreateChannelDesc<uchar4>(), bytes, 4, 4096, 0, 0), h),
                        plane = texture_of(
                            array_of(cudaCreateChannelDesc<uchar4>(), bytes, 4, 64, 64, 0), h);
    for (int line = 0; line < 40; line++) {
        floats p;

        for (int i = 0; i < 100; i++) {
            float x = .5f + pick(line & 1 ? 63 : 4095) + pick(256) / 256.f,
                  y = .5f + pick(63) + pick(256) / 256.f;

            p.push_back({ x, y, 0, 0 });
        }
        floats got = line & 1 ? run(fetch<2, false>, plane, p) : run(fetch<1, false>, row, p);
        printf("srgb%dd/%d", 1 + (line & 1), line);
        for (const float4 &v : got) {
            bits(v);
        }
        putchar('\n');
    }
}

/* Colours on both sides of the tie between two numbers of the format, from one unit in the last
 * place to a half */
static void borders()
{
    static const struct {
        const char *name;
        double one;
        bool sign, srgb;
        int bytes;
    } kinds[] = { { "u8", 255, false, false, 1 },
                  { "s8", 127, true, false, 1 },
                  { "u16", 65535, false, false, 2 },
                  { "s16", 32767, true, false, 2 },
                  { "srgb", 255, false, true, 1 } };
    static const uint8_t zero[64] = { 0 };

    for (const auto &k : kinds) {
        cudaChannelFormatDesc f = k.bytes == 2 ? (k.sign ? cudaCreateChannelDesc<short4>()
                                                         : cudaCreateChannelDesc<ushort4>())
                                  : k.sign     ? cudaCreateChannelDesc<char4>()
                                               : cudaCreateChannelDesc<uchar4>();
        cudaArray_t a = array_of(f, zero, 4 * k.bytes, 4, 0, 0);

        for (int line = 0; line < 24; line++) {
            int low = k.sign ? -(int)k.one : 0, n = low + (int)pick((uint32_t)(k.one - low));

            printf("border.%s/%d/%d", k.name, line, n);
            for (int i = 0; i < 14; i++) {
                how h = { false, true, k.srgb, true };

                for (int c = 0; c < 4; c++) {
                    int j = i * 4 + c;
                    double off = j < 48 ? ldexp(j & 1 ? 1 : -1, -(j / 2 + 1))
                                        : (pick(65536) - 32768.) / 65536 / 8;

                    h.color[c] = (float)((n + .5 + off) / k.one);
                }
                cudaTextureObject_t t = texture_of(a, h);
                bits(run(fetch<1, false>, t, { float4{ -3.5f, 0, 0, 0 } })[0]);
                OK(cudaDestroyTextureObject(t));
            }
            putchar('\n');
        }
    }
}

int main()
{
    int version = 0;
    cudaDeviceProp p;

    OK(cudaDriverGetVersion(&version));
    OK(cudaGetDeviceProperties(&p, 0));
    printf("driver %d %s cc %d.%d\n", version, p.name, p.major, p.minor);
    volumes();
    between(1, fetch<1, true>);
    between(2, fetch<2, true>);
    between(3, fetch<3, true>);
    srgb();
    borders();
    return 0;
}
