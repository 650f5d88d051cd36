// SPDX-License-Identifier: MIT
// cuda_fp16.h and cuda_bf16.h: every operation on many operands, as a checksum an operation; with HOST also that the host's
// functions give what the device's do.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstdio>
#include <cstring>

#ifdef HOST
#define EITHER __host__ __device__
#else
#define EITHER __device__ // these are for the device alone in NVIDIA's headers
#endif
#define CASES 3000
#define OPS 16
#define MATHS 15
#define CONVERSIONS 8

template <class T> __host__ __device__ unsigned short raw(T t)
{
    unsigned short s;

    memcpy(&s, &t, 2);
    return s;
}

template <class T> __host__ __device__ T made(unsigned short s)
{
    T t;

    memcpy((void *)&t, &s, 2);
    return t;
}

// In the range of int.
__host__ __device__ float small(float f)
{
    return f - f == 0 && f < 2e9f && f > -2e9f ? f : 7;
}

template <class T> struct conversions;

#define CONVERSIONS_OF(type, word)                                              \
    template <> struct conversions<type> {                                      \
        static EITHER void from(float f, unsigned short *o)                     \
        {                                                                       \
            float s = small(f);                                                 \
            o[0] = raw(__float2##word(f));                                      \
            o[1] = raw(__float2##word##_rz(f));                                 \
            o[2] = raw(__float2##word##_rd(f));                                 \
            o[3] = raw(__float2##word##_ru(f));                                 \
            o[4] = f != f ? 0 : raw(__double2##word((double)f * 1.0000001));    \
            o[5] = raw(__ll2##word##_rn((long long)s));                         \
            o[6] = raw(__ull2##word##_rn((unsigned long long)(s < 0 ? -s : s)));\
            o[7] = raw(__int2##word##_rz((int)s));                              \
        }                                                                       \
        static EITHER void to(type h, unsigned short *o)                        \
        {                                                                       \
            o[0] = (unsigned short)__##word##2int_rn(h);                        \
            o[1] = (unsigned short)__##word##2int_rz(h);                        \
            o[2] = (unsigned short)__##word##2short_rn(h);                      \
            o[3] = (unsigned short)__##word##2ushort_rd(h);                     \
            o[4] = (unsigned short)(__##word##2ull_ru(h) >> 5);                 \
            o[5] = (unsigned short)__##word##2uint_rn(h);                       \
            o[6] = (unsigned short)(__##word##2ll_rz(h) >> 3);                  \
            o[7] = (unsigned short)__##word##2char_rz(h);                       \
        }                                                                       \
    };
CONVERSIONS_OF(__half, half)
CONVERSIONS_OF(__nv_bfloat16, bfloat16)

template <class T> __host__ __device__ void operations(T a, T b, T c, unsigned short *o)
{
    int n = 0;

    o[n++] = raw(__hadd(a, b));
    o[n++] = raw(__hsub(a, b));
    o[n++] = raw(__hmul(a, b));
    o[n++] = raw(__hdiv(a, b));
    o[n++] = raw(__hfma(a, b, c));
    o[n++] = raw(__hfma_sat(a, b, c));
    o[n++] = raw(__hadd_sat(a, b));
    o[n++] = raw(__hmul_sat(a, b));
    o[n++] = __heq(a, b) | __hne(a, b) << 1 | __hlt(a, b) << 2 | __hle(a, b) << 3 | __hgt(a, b) << 4 | __hge(a, b) << 5 |
             __hequ(a, b) << 6 | __hneu(a, b) << 7 | __hltu(a, b) << 8 | __hgeu(a, b) << 9;
    o[n++] = __hisnan(a) | (__hisinf(b) + 1) << 2;
    o[n++] = raw(__hmin(a, b));
    o[n++] = raw(__hmax(a, b));
    o[n++] = raw(__hmin_nan(a, b));
    o[n++] = raw(__hmax_nan(a, b));
    o[n++] = raw(__hneg(a));
    o[n++] = raw(__habs(a));
}

template <class T> __device__ void mathematics(T a, unsigned short *o)
{
    int n = 0;

    o[n++] = raw(hsqrt(a));
    o[n++] = raw(hrsqrt(a));
    o[n++] = raw(hrcp(a));
    o[n++] = raw(hexp(a));
    o[n++] = raw(hexp2(a));
    o[n++] = raw(hexp10(a));
    o[n++] = raw(hlog(a));
    o[n++] = raw(hlog2(a));
    o[n++] = raw(hlog10(a));
    o[n++] = raw(hsin(a));
    o[n++] = raw(hcos(a));
    o[n++] = raw(hceil(a));
    o[n++] = raw(hfloor(a));
    o[n++] = raw(htrunc(a));
    o[n++] = raw(hrint(a));
}

__host__ __device__ unsigned int random(unsigned int &s)
{
    s = s * 1664525u + 1013904223u;
    return s >> 16;
}

// Any bits; one in seven is a number at the edge of some range.
__host__ __device__ unsigned short pick(unsigned int &s)
{
    const unsigned short edges[] = { 0,      0x8000, 1,      0x8001, 0x03ff, 0x0400, 0x7bff, 0xfbff, 0x7c00, 0xfc00,
                                     0x7e00, 0x3c00, 0xbc00, 0x7f7f, 0x7f80, 0xff80, 0x7fc0, 0x3f80, 0x0080 };
    unsigned int r = random(s);

    return r % 7 == 0 ? edges[(r >> 4) % 19] : (unsigned short)random(s);
}

template <class T> __host__ __device__ float any_float(unsigned int &s, int i)
{
    unsigned int w = random(s) << 16;
    float f;

    w |= random(s);
    memcpy(&f, &w, 4);
    return i % 3 ? (float)made<T>(pick(s)) * (1.f + (random(s) & 0xfff) / 4096.f / 1024.f) : f;
}

template <class T> __global__ void all(unsigned short *o)
{
    for (int i = threadIdx.x; i < CASES; i += blockDim.x) {
        unsigned int s = i * 2654435761u + 1;
        T a = made<T>(pick(s)), b = made<T>(pick(s)), c = made<T>(pick(s));
        unsigned short *row = o + i * (OPS + MATHS + 2 * CONVERSIONS);

        operations(a, b, c, row);
        conversions<T>::to(a, row + OPS);
        conversions<T>::from(any_float<T>(s, i), row + OPS + CONVERSIONS);
        mathematics(a, row + OPS + 2 * CONVERSIONS);
    }
}

template <class T> int show(const char *name)
{
    const int columns = OPS + MATHS + 2 * CONVERSIONS;
    unsigned short *o;
    int different = 0;

    cudaMallocManaged(&o, CASES * columns * 2);
    all<T><<<1, 64>>>(o);
    printf("%s: %s\n", name, cudaGetErrorName(cudaDeviceSynchronize()));
    for (int c = 0; c < columns; c++) {
        unsigned int sum = 2166136261u;

        for (int i = 0; i < CASES; i++) {
            sum = (sum ^ o[i * columns + c]) * 16777619u;
        }
        printf("%s %d: %08x\n", name, c, sum);
    }
#ifdef HOST
    for (int i = 0; i < CASES; i++) {
        unsigned int s = i * 2654435761u + 1;
        T a = made<T>(pick(s)), b = made<T>(pick(s)), c = made<T>(pick(s));
        unsigned short row[columns];

        operations(a, b, c, row);
        conversions<T>::to(a, row + OPS);
        conversions<T>::from(any_float<T>(s, i), row + OPS + CONVERSIONS);
        for (int k = 0; k < OPS + 2 * CONVERSIONS; k++) {
            if (row[k] != o[i * columns + k] && different++ < 5) {
                fprintf(stderr, "%s %d of %04x %04x %04x: host %04x, device %04x\n", name, k, raw(a), raw(b), raw(c), row[k],
                        o[i * columns + k]);
            }
        }
    }
#endif
    return different;
}

int main()
{
    int different = show<__half>("half");

    different += show<__nv_bfloat16>("bfloat16");
    return different != 0;
}
