/* SPDX-License-Identifier: MIT */
/* Asks a real GPU for the results of every form of mma that sm_80 to sm_87 have, over data that
 * show how its tensor cores align, cut and round.
 *
 *   nvcc -arch=sm_90 tests/golden/mma_oracle.cu -o mma_oracle
 *   ./mma_oracle OUT.bin
 *
 * OUT.bin: for each case the name's length (1 byte) and the form's name, the data set (1), words of
 * a lane in A, B, C (1 each; D has as many as C), then A, B, C, D: for each lane its words. */
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>

#define SETS 24

enum kind { F16, BF16, TF32, F64, S8, U8, S4, U4, B1, F32, S32 };

#define RUN_D4_A4_B2(text)                                                                      \
    asm volatile(text " {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%10,%11,%12,%13};"                 \
                 : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3])                               \
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "r"(c[0]), \
                   "r"(c[1]), "r"(c[2]), "r"(c[3]))
#define RUN_D4_A2_B1(text)                                          \
    asm volatile(text " {%0,%1,%2,%3},{%4,%5},{%6},{%7,%8,%9,%10};" \
                 : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3])   \
                 : "r"(a[0]), "r"(a[1]), "r"(b[0]), "r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(c[3]))
#define RUN_D2_A4_B2(text)                                                                      \
    asm volatile(text " {%0,%1},{%2,%3,%4,%5},{%6,%7},{%8,%9};"                                 \
                 : "=r"(d[0]), "=r"(d[1])                                                       \
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "r"(c[0]), \
                   "r"(c[1]))
#define RUN_D2_A2_B1(text)                             \
    asm volatile(text " {%0,%1},{%2,%3},{%4},{%5,%6};" \
                 : "=r"(d[0]), "=r"(d[1])              \
                 : "r"(a[0]), "r"(a[1]), "r"(b[0]), "r"(c[0]), "r"(c[1]))
#define RUN_D2_A1_B1(text)                          \
    asm volatile(text " {%0,%1},{%2},{%3},{%4,%5};" \
                 : "=r"(d[0]), "=r"(d[1])           \
                 : "r"(a[0]), "r"(b[0]), "r"(c[0]), "r"(c[1]))
/* registers of f32: the same bits */
#define RUN_F32_A4_B2(text)                                                             \
    float x0, x1, x2, x3;                                                               \
    asm volatile(text " {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%10,%11,%12,%13};"         \
                 : "=f"(x0), "=f"(x1), "=f"(x2), "=f"(x3)                               \
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]),    \
                   "f"(__uint_as_float(c[0])), "f"(__uint_as_float(c[1])),              \
                   "f"(__uint_as_float(c[2])), "f"(__uint_as_float(c[3])));             \
    d[0] = __float_as_uint(x0), d[1] = __float_as_uint(x1), d[2] = __float_as_uint(x2), \
    d[3] = __float_as_uint(x3)
#define RUN_F32_A2_B1(text)                                                             \
    float x0, x1, x2, x3;                                                               \
    asm volatile(text " {%0,%1,%2,%3},{%4,%5},{%6},{%7,%8,%9,%10};"                     \
                 : "=f"(x0), "=f"(x1), "=f"(x2), "=f"(x3)                               \
                 : "r"(a[0]), "r"(a[1]), "r"(b[0]), "f"(__uint_as_float(c[0])),         \
                   "f"(__uint_as_float(c[1])), "f"(__uint_as_float(c[2])),              \
                   "f"(__uint_as_float(c[3])));                                         \
    d[0] = __float_as_uint(x0), d[1] = __float_as_uint(x1), d[2] = __float_as_uint(x2), \
    d[3] = __float_as_uint(x3)
#define RUN_F64(text)                                                                     \
    double x0, x1;                                                                        \
    asm volatile(text " {%0,%1},{%2},{%3},{%4,%5};"                                       \
                 : "=d"(x0), "=d"(x1)                                                     \
                 : "d"(__hiloint2double(a[1], a[0])), "d"(__hiloint2double(b[1], b[0])),  \
                   "d"(__hiloint2double(c[1], c[0])), "d"(__hiloint2double(c[3], c[2]))); \
    d[0] = __double2loint(x0), d[1] = __double2hiint(x0), d[2] = __double2loint(x1),      \
    d[3] = __double2hiint(x1)

/* text after "mma.sync.aligned.", how to run it, kinds of A, B, C, words of A, B, C */
#define FORMS(X)                                                                      \
    X("m16n8k8.row.col.f32.f16.f16.f32", RUN_F32_A2_B1, F16, F16, F32, 2, 1, 4)       \
    X("m16n8k16.row.col.f32.f16.f16.f32", RUN_F32_A4_B2, F16, F16, F32, 4, 2, 4)      \
    X("m16n8k8.row.col.f16.f16.f16.f16", RUN_D2_A2_B1, F16, F16, F16, 2, 1, 2)        \
    X("m16n8k16.row.col.f16.f16.f16.f16", RUN_D2_A4_B2, F16, F16, F16, 4, 2, 2)       \
    X("m16n8k8.row.col.f32.bf16.bf16.f32", RUN_F32_A2_B1, BF16, BF16, F32, 2, 1, 4)   \
    X("m16n8k16.row.col.f32.bf16.bf16.f32", RUN_F32_A4_B2, BF16, BF16, F32, 4, 2, 4)  \
    X("m16n8k4.row.col.f32.tf32.tf32.f32", RUN_F32_A2_B1, TF32, TF32, F32, 2, 1, 4)   \
    X("m16n8k8.row.col.f32.tf32.tf32.f32", RUN_F32_A4_B2, TF32, TF32, F32, 4, 2, 4)   \
    X("m8n8k4.row.col.f64.f64.f64.f64", RUN_F64, F64, F64, F64, 2, 2, 4)              \
    X("m8n8k16.row.col.s32.s8.s8.s32", RUN_D2_A1_B1, S8, S8, S32, 1, 1, 2)            \
    X("m16n8k16.row.col.s32.u8.s8.s32", RUN_D4_A2_B1, U8, S8, S32, 2, 1, 4)           \
    X("m16n8k32.row.col.s32.s8.s8.s32", RUN_D4_A4_B2, S8, S8, S32, 4, 2, 4)           \
    X("m16n8k32.row.col.satfinite.s32.s8.u8.s32", RUN_D4_A4_B2, S8, U8, S32, 4, 2, 4) \
    X("m8n8k32.row.col.s32.s4.s4.s32", RUN_D2_A1_B1, S4, S4, S32, 1, 1, 2)            \
    X("m16n8k32.row.col.s32.u4.s4.s32", RUN_D4_A2_B1, U4, S4, S32, 2, 1, 4)           \
    X("m16n8k64.row.col.s32.s4.u4.s32", RUN_D4_A4_B2, S4, U4, S32, 4, 2, 4)           \
    X("m8n8k128.row.col.s32.b1.b1.s32.and.popc", RUN_D2_A1_B1, B1, B1, S32, 1, 1, 2)  \
    X("m16n8k128.row.col.s32.b1.b1.s32.xor.popc", RUN_D4_A2_B1, B1, B1, S32, 2, 1, 4) \
    X("m16n8k256.row.col.s32.b1.b1.s32.and.popc", RUN_D4_A4_B2, B1, B1, S32, 4, 2, 4)

struct form {
    const char *name;
    enum kind a, b, c;
    unsigned na, nb, nc;
};

static const struct form forms[] = {
#define X(text, run, a, b, c, na, nb, nc) { text, a, b, c, na, nb, nc },
    FORMS(X)
#undef X
};

/* A, B, C, D of 4 words a lane each */
template <int F> __global__ void run(uint32_t *words)
{
    uint32_t *a = words + threadIdx.x * 16, *b = a + 4, *c = a + 8, *d = a + 12;
    int n = 0;

#define X(text, how, ka, kb, kc, na, nb, nc) \
    if (F == n++) {                          \
        how("mma.sync.aligned." text);       \
        return;                              \
    }
    FORMS(X)
#undef X
}

typedef void (*kernel)(uint32_t *);

template <int F> struct table {
    static void fill(kernel *k)
    {
        k[F] = run<F>;
        table<F - 1>::fill(k);
    }
};
template <> struct table<-1> {
    static void fill(kernel *)
    {
    }
};

static uint64_t state;

static uint32_t next()
{
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    return (uint32_t)(state >> 32);
}

static uint32_t pick(uint32_t n)
{
    return next() % n;
}

/* A float of the data set, as sign, exponent and 23 bits of fraction:
 * 0 integers; 1 one exponent; 2 exponents over 8; 3 over 30; 4 great accumulators; 5 small ones; 6
 * zeros among great ones; 7 subnormal; 8 infinities and NaNs; 9 overflow; others: exponents over
 * set */
static double value(unsigned set, bool is_c, int low, int high)
{
    double f = 1.0 + (next() >> 9) * 0x1p-23, s = next() & 1 ? -1.0 : 1.0;
    int e;

    switch (set) {
    case 0:
        return (int)pick(33) - 16;
    case 1:
        e = 0;
        break;
    case 2:
        e = (int)pick(8) - 4;
        break;
    case 3:
        e = (int)pick(28) - 14;
        break;
    case 4:
        e = (int)pick(6) + (is_c ? 10 : -8);
        break;
    case 5:
        e = (int)pick(6) - (is_c ? 20 : 0);
        break;
    case 6:
        if (!is_c && pick(2)) {
            return s * 0.0;
        }
        e = is_c ? -(int)pick(30) : (int)pick(15);
        break;
    case 7:
        e = is_c ? low - (int)pick(8) : low - 2 + (int)pick(4);
        break;
    case 8:
        if (pick(12) == 0) {
            return pick(3) ? s * INFINITY : NAN;
        }
        e = (int)pick(8) - 4;
        break;
    case 9:
        e = is_c ? high - (int)pick(2) : high / 2 + (int)pick(3);
        break;
    default:
        e = (int)pick(set) - (int)set / 2;
    }
    return s * ldexp(f, e < -300 ? -300 : e > 300 ? 300 : e);
}

static uint32_t f32_of(double v)
{
    float f = (float)v;
    uint32_t w;

    memcpy(&w, &f, 4);
    return w;
}

/* cut, not rounded: any bits serve */
static uint32_t f16_of(double v)
{
    double a = fabs(v);
    uint32_t s = signbit(v) ? 0x8000 : 0;
    int e;

    if (v != v) {
        return 0x7e01;
    }
    if (a >= 65536.0) {
        return s | (a == INFINITY ? 0x7c00 : 0x7bff);
    }
    if (a < 0x1p-14) {
        return s | (uint32_t)(a * 0x1p24);
    }
    frexp(a, &e);
    return s | (uint32_t)(e + 14) << 10 | ((uint32_t)ldexp(a, 11 - e) & 0x3ff);
}

static void word_fill(uint32_t *w, unsigned n, enum kind k, unsigned set, bool is_c)
{
    for (unsigned i = 0; i < n; i++) {
        switch (k) {
        case F16:
            w[i] = f16_of(value(set, is_c, -14, 15)) | f16_of(value(set, is_c, -14, 15)) << 16;
            break;
        case BF16:
            w[i] = f32_of(value(set, is_c, -126, 127)) >> 16 |
                   (f32_of(value(set, is_c, -126, 127)) & 0xffff0000u);
            break;
        case TF32:
        case F32:
            w[i] = f32_of(value(set, is_c, -126, 127));
            break;
        case F64: {
            double v = value(set, is_c, -126, 127);

            memcpy(&w[i], &v, 8);
            i++;
            break;
        }
        case S32: /* set 1 to 3: near the borders of 32 bits */
            w[i] = set == 1   ? 0x7fffffffu - pick(2000)
                   : set == 2 ? 0x80000000u + pick(2000)
                   : set == 3 ? next()
                              : pick(2001) - 1000;
            break;
        default:
            w[i] = set == 4 ? 0x7f7f7f7fu : set == 5 ? 0x80808080u : next();
        }
    }
}

int main(int argc, char **argv)
{
    const unsigned n = sizeof(forms) / sizeof(forms[0]);
    kernel k[sizeof(forms) / sizeof(forms[0])];
    static uint32_t host[32 * 16];
    uint32_t *words;
    FILE *file = argc == 2 ? fopen(argv[1], "wb") : NULL;

    if (!file || cudaMalloc(&words, sizeof(host))) {
        return 1;
    }
    table<(int)(sizeof(forms) / sizeof(forms[0])) - 1>::fill(k);
    for (unsigned f = 0; f < n; f++) {
        for (unsigned set = 0; set < SETS; set++) {
            state = f * 1000 + set;
            memset(host, 0, sizeof(host));
            for (unsigned l = 0; l < 32; l++) {
                word_fill(host + l * 16, forms[f].na, forms[f].a, set, false);
                word_fill(host + l * 16 + 4, forms[f].nb, forms[f].b, set, false);
                word_fill(host + l * 16 + 8, forms[f].nc, forms[f].c, set, true);
            }
            cudaMemcpy(words, host, sizeof(host), cudaMemcpyHostToDevice);
            k[f]<<<1, 32>>>(words);
            if (cudaMemcpy(host, words, sizeof(host), cudaMemcpyDeviceToHost)) {
                fprintf(stderr, "FAILED %s\n", forms[f].name);
                return 1;
            }
            fputc((int)strlen(forms[f].name), file);
            fputs(forms[f].name, file);
            fputc((int)set, file);
            fputc((int)forms[f].na, file);
            fputc((int)forms[f].nb, file);
            fputc((int)forms[f].nc, file);
            for (unsigned x = 0; x < 4; x++) {
                unsigned count = x == 0 ? forms[f].na : x == 1 ? forms[f].nb : forms[f].nc;

                for (unsigned l = 0; l < 32; l++) {
                    fwrite(host + l * 16 + x * 4, 4, count, file);
                }
            }
        }
    }
    fprintf(stderr, "%u cases\n", n * SETS);
    return fclose(file) ? 1 : 0;
}
