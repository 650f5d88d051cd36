/* SPDX-License-Identifier: MIT */
/* CMAC and CACC: the sums of products. Integer sums do not depend on their order here: a kernel has
 * at most 2^18 bytes, so nothing overflows before the one clip at the end. */
#include "model/dla/conv.h"

#include <string.h>

#if defined(__x86_64__) && defined(__GNUC__)
#define DLA_AVX2 1
#endif

/* Elements of int8 whose products an int32 surely holds: 2^16 * 2^14. */
#define DLA_CHUNK 65536u
#define DLA_LANES 4 /* kernels at once */

/* Written so that the compiler makes it multiply-add-pairs of 16-bit numbers. */
#define DLA_DOT_BODY                                                      \
    int32_t s0 = 0, s1 = 0, s2 = 0, s3 = 0;                               \
    const int16_t *w1 = w + stride, *w2 = w1 + stride, *w3 = w2 + stride; \
                                                                          \
    for (uint32_t i = 0; i < n; i++) {                                    \
        s0 += d[i] * w[i];                                                \
        s1 += d[i] * w1[i];                                               \
        s2 += d[i] * w2[i];                                               \
        s3 += d[i] * w3[i];                                               \
    }                                                                     \
    sum[0] += s0;                                                         \
    sum[1] += s1;                                                         \
    sum[2] += s2;                                                         \
    sum[3] += s3;

typedef void dla_dot(const int16_t *restrict d, const int16_t *restrict w, size_t stride,
                     uint32_t n, int64_t *restrict sum);

/* Four kernels, @stride elements apart, over @n <= DLA_CHUNK elements of int8 range. */
static void dla_dot_any(const int16_t *restrict d, const int16_t *restrict w, size_t stride,
                        uint32_t n, int64_t *restrict sum)
{
    DLA_DOT_BODY
}

#ifdef DLA_AVX2
__attribute__((target("avx2"))) static void dla_dot_avx2(const int16_t *restrict d,
                                                         const int16_t *restrict w, size_t stride,
                                                         uint32_t n, int64_t *restrict sum)
{
    DLA_DOT_BODY
}
#endif

static dla_dot *dla_dot_best(void)
{
#ifdef DLA_AVX2
    if (__builtin_cpu_supports("avx2")) {
        return dla_dot_avx2;
    }
#endif
    return dla_dot_any;
}

/* Any range of int16. */
static void dla_dot16(const int16_t *restrict d, const int16_t *restrict w, size_t stride,
                      uint32_t n, unsigned lanes, int64_t *restrict sum)
{
    for (unsigned k = 0; k < lanes; k++) {
        const int16_t *v = w + k * stride;
        int64_t s = 0;

        for (uint32_t i = 0; i < n; i++) {
            s += (int64_t)((int32_t)d[i] * v[i]);
        }
        sum[k] += s;
    }
}

/* One run of neighbouring elements for some kernels. */
static void dla_mac_run(const struct dla_conv *c, dla_dot *dot, const int16_t *d, const int16_t *w,
                        size_t stride, uint32_t n, unsigned lanes, int64_t *sum)
{
    if (c->op->precision == DLA_INT8 && lanes == DLA_LANES) {
        for (uint32_t i = 0; i < n; i += DLA_CHUNK) {
            dot(d + i, w + i, stride, dla_min(DLA_CHUNK, n - i), sum);
        }
    } else {
        dla_dot16(d, w, stride, n, lanes, sum);
    }
}

static void dla_mac_pixel(struct dla_conv *c, dla_dot *dot, const int16_t *d, uint32_t k,
                          unsigned lanes, int32_t *out)
{
    const struct dla_conv_op *op = c->op;
    size_t line = (size_t)c->kernel_width * c->channels, kernel = line * c->kernel_height;
    size_t below = (size_t)c->width * c->channels * op->dilation_y;
    const int16_t *w = c->weights + k * kernel;
    int64_t sum[DLA_LANES] = { 0 };

    for (uint32_t ky = 0; ky < c->kernel_height; ky++, d += below, w += line) {
        if (op->dilation_x == 1) {
            dla_mac_run(c, dot, d, w, kernel, (uint32_t)line, lanes, sum);
            continue;
        }
        for (uint32_t kx = 0; kx < c->kernel_width; kx++) {
            dla_mac_run(c, dot, d + (size_t)kx * op->dilation_x * c->channels,
                        w + (size_t)kx * c->channels, kernel, c->channels, lanes, sum);
        }
    }
    for (unsigned i = 0; i < lanes; i++) {
        out[i] = dla_conv_clip(c, sum[i]);
    }
}

void dla_conv_mac(struct dla_conv *c, uint32_t y, int32_t *out)
{
    const struct dla_conv_op *op = c->op;
    dla_dot *dot = dla_dot_best();

    for (uint32_t k = 0; k < op->kernels; k += DLA_LANES) {
        unsigned lanes = dla_min(DLA_LANES, op->kernels - k);

        for (uint32_t i = 0; i < c->band_count; i++) {
            const int16_t *d = c->data + (size_t)(y + i) * op->stride_y * c->width * c->channels;

            for (uint32_t x = 0; x < op->out_width; x++) {
                dla_mac_pixel(c, dot, d + (size_t)x * op->stride_x * c->channels, k, lanes,
                              out + ((size_t)i * op->out_width + x) * op->kernels + k);
            }
        }
    }
}

/* fp16: the exact sum, rounded once to fp32. The hardware's own order of additions is not
 * documented; precision.rst allows 2^(max_exp - 20) a product (inferred: nothing is closer than the
 * exact sum). */
static int32_t dla_mac_wide_pixel(struct dla_conv *c, const int64_t *d, uint32_t k)
{
    const struct dla_conv_op *op = c->op;
    size_t line = (size_t)c->kernel_width * c->channels;
    const int64_t *w = c->wide_weights + k * line * c->kernel_height;
    dla_wide sum = 0;

    for (uint32_t ky = 0; ky < c->kernel_height; ky++) {
        for (uint32_t kx = 0; kx < c->kernel_width; kx++, w += c->channels) {
            const int64_t *p =
                d + ((size_t)ky * op->dilation_y * c->width + kx * op->dilation_x) * c->channels;

            for (uint32_t ch = 0; ch < c->channels; ch++) {
                if (c->nan && (p[ch] == DLA_FIXED_NAN || w[ch] == DLA_FIXED_NAN)) {
                    return 0x7f800200; /* a quiet fp16 NaN, widened */
                }
                sum += (dla_wide)p[ch] * w[ch];
            }
        }
    }
    return (int32_t)fp32_from_fixed(sum);
}

void dla_conv_mac_wide(struct dla_conv *c, uint32_t y, int32_t *out)
{
    const struct dla_conv_op *op = c->op;
    const int64_t *d = c->wide_data + (size_t)y * op->stride_y * c->width * c->channels;

    for (uint32_t x = 0; x < op->out_width; x++) {
        for (uint32_t k = 0; k < op->kernels; k++) {
            out[(size_t)x * op->kernels + k] =
                dla_mac_wide_pixel(c, d + (size_t)x * op->stride_x * c->channels, k);
        }
    }
}
