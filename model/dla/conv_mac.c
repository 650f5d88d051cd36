/* SPDX-License-Identifier: MIT */
/* CMAC and CACC: the sums of products. Integer sums do not depend on their order here: a kernel has
 * at most 2^18 bytes, so nothing overflows before the one clip at the end. */
#include "model/dla/conv.h"

#include <stdlib.h>
#include <string.h>

/* Elements that lie side by side in data and kernel: a line of the kernel, or one position when
 * dilated. */
static uint32_t dla_run_length(const struct dla_conv *c)
{
    return c->op->dilation_x == 1 ? c->kernel_width * c->channels : c->channels;
}

static uint32_t dla_run_count(const struct dla_conv *c)
{
    return c->op->dilation_x == 1 ? 1 : c->kernel_width;
}

/* [block of kernels][line][run][pair][kernel][2], zeros where there is no kernel or element. */
enum dla_status dla_conv_pack_init(struct dla_conv *c)
{
    uint32_t pairs = (dla_run_length(c) + 1) / 2, runs = dla_run_count(c) * c->kernel_height;
    uint32_t blocks = (c->op->kernels + DLA_BLOCK_KERNELS - 1) / DLA_BLOCK_KERNELS;

    c->packed_pairs = pairs;
    c->packed_block = (size_t)runs * pairs * DLA_BLOCK_KERNELS * 2;
    /* Places without a kernel or element stay zero, if there are some. */
    c->packed =
        (c->op->kernels % DLA_BLOCK_KERNELS == 0 && dla_run_length(c) % 2 == 0
             ? dla_alloc_raw
             : dla_alloc)(c->port, "CONV", (uint64_t)c->packed_block * blocks, sizeof(*c->packed));
    return c->packed ? DLA_OK : DLA_UNSUPPORTED;
}

void dla_conv_pack(struct dla_conv *c, uint32_t k, uint32_t y, uint32_t first, uint32_t n,
                   const uint8_t *b)
{
    uint32_t len = dla_run_length(c), run = y * dla_run_count(c) + first / len, i = first % len;
    int16_t *to = c->packed + c->packed_block * (k / DLA_BLOCK_KERNELS) +
                  k % DLA_BLOCK_KERNELS * 2 + (size_t)run * c->packed_pairs * DLA_BLOCK_KERNELS * 2;
    uint32_t end = i + n;

    for (; i < end && i % 2; i++) {
        to[(size_t)(i / 2) * DLA_BLOCK_KERNELS * 2 + 1] = (int8_t)*b++;
    }
    for (; i + 2 <= end; i += 2, b += 2) {
        const int16_t pair[2] = { (int8_t)b[0], (int8_t)b[1] };

        memcpy(to + (size_t)(i / 2) * DLA_BLOCK_KERNELS * 2, pair, sizeof(pair));
    }
    if (i < end) {
        to[(size_t)(i / 2) * DLA_BLOCK_KERNELS * 2] = (int8_t)*b;
    }
}

void dla_conv_pack_block(struct dla_conv *c, uint32_t k, uint32_t y, uint32_t first, uint32_t n,
                         const uint8_t *b)
{
    uint32_t len = dla_run_length(c), done = 0;

    /* Pairs begin at even elements; a line of a kernel that is not dilated is one run. */
    while (first % 2 == 0 && first % len + 16 <= len && n - done >= 16) {
        uint32_t run = y * dla_run_count(c) + first / len;
        int16_t *to = c->packed + c->packed_block * (k / DLA_BLOCK_KERNELS) +
                      ((size_t)run * c->packed_pairs + first % len / 2) * DLA_BLOCK_KERNELS * 2;

        if (!dla_pack_16x16(b + done, n, to)) {
            break;
        }
        first += 16;
        done += 16;
    }
    for (uint32_t i = 0; done < n && i < DLA_BLOCK_KERNELS; i++) {
        dla_conv_pack(c, k + i, y, first, n - done, b + (size_t)i * n + done);
    }
}

/* Sums of a block that grow beyond an int32: products of int8 are at most 2^14. */
struct dla_block_sums {
    int32_t acc[DLA_BLOCK_PIXELS * DLA_BLOCK_KERNELS];
    int64_t sum[DLA_BLOCK_PIXELS * DLA_BLOCK_KERNELS];
    uint32_t pairs;
};

static void dla_block_flush(struct dla_block_sums *s)
{
    for (size_t i = 0; i < DLA_BLOCK_PIXELS * DLA_BLOCK_KERNELS; i++) {
        s->sum[i] += s->acc[i];
        s->acc[i] = 0;
    }
    s->pairs = 0;
}

/* Pairs whose sum an int32 surely holds: 2^15 of at most 2^15 each; 2^31 itself only when every
 * product is (-128)^2. */
#define DLA_BLOCK_PAIRS 32767u

/* A run, in such pieces. @at: its elements of each pixel */
static void dla_block_run(dla_mac_block *mac, struct dla_block_sums *s, const int16_t *const *at,
                          const int16_t *w, uint32_t pairs)
{
    const uint32_t most = DLA_BLOCK_PAIRS;
    const int16_t *d[DLA_BLOCK_PIXELS] = { at[0], at[1], at[2], at[3] };

    while (pairs) {
        uint32_t n = dla_min(pairs, most);

        if (s->pairs + n > most) {
            dla_block_flush(s);
        }
        mac(d, w, n, s->acc, DLA_BLOCK_KERNELS, true);
        s->pairs += n;
        for (unsigned p = 0; p < DLA_BLOCK_PIXELS; p++) {
            d[p] += 2 * (size_t)n;
        }
        w += 2 * (size_t)n * DLA_BLOCK_KERNELS;
        pairs -= n;
    }
}

/* dla_conv_clip() for int8, with the settings out of the loop. */
static void dla_clip_run(struct dla_conv *c, const int64_t *sum, uint32_t n, int32_t *out)
{
    unsigned truncate = c->op->clip_truncate;
    uint32_t saturated = 0;

    for (uint32_t i = 0; i < n; i++) {
        int64_t v = dla_shr(dla_sat(sum[i], 34), truncate, 60);

        saturated += v != dla_sat(v, 32);
        out[i] = (int32_t)dla_sat(v, 32);
    }
    c->stats->conv_saturated += saturated;
}

enum dla_status dla_conv_pixels_init(struct dla_conv *c)
{
    const struct dla_conv_op *op = c->op;
    size_t step = (size_t)op->stride_x * c->channels,
           line = (size_t)op->stride_y * c->width * c->channels, n = 0;

    c->pixel =
        dla_alloc_raw(c->port, "CONV", (uint64_t)c->band_lines * op->out_width, sizeof(*c->pixel));
    for (uint32_t y = 0; c->pixel && y < c->band_lines; y++) {
        for (uint32_t x = 0; x < op->out_width; x++) {
            c->pixel[n++] = y * line + x * step;
        }
    }
    return c->pixel ? DLA_OK : DLA_UNSUPPORTED;
}

/* From the end of a line of the kernel to the next one. */
static void dla_block_step(const int16_t **d, size_t step)
{
    for (unsigned p = 0; p < DLA_BLOCK_PIXELS; p++) {
        d[p] += step;
    }
}

/* Block @k0 of kernels at @n pixels from @d on. */
static void dla_mac_pixels(struct dla_conv *c, dla_mac_block *mac, const int16_t **d, uint32_t k0,
                           uint32_t n, int32_t *out)
{
    const struct dla_conv_op *op = c->op;
    uint32_t runs = dla_run_count(c);
    size_t run = 2 * (size_t)c->packed_pairs * DLA_BLOCK_KERNELS;
    size_t step = (size_t)op->dilation_x * c->channels,
           line = (size_t)c->width * c->channels * op->dilation_y - runs * step;
    const int16_t *w = c->packed + c->packed_block * (k0 / DLA_BLOCK_KERNELS);
    struct dla_block_sums s = { 0 };

    for (uint32_t ky = 0; ky < c->kernel_height; ky++) {
        for (uint32_t r = 0; r < runs; r++, w += run) {
            dla_block_run(mac, &s, d, w, c->packed_pairs);
            dla_block_step(d, step);
        }
        dla_block_step(d, line);
    }
    dla_block_flush(&s);
    for (uint32_t p = 0; p < n; p++) {
        dla_clip_run(c, s.sum + (size_t)p * DLA_BLOCK_KERNELS,
                     dla_min(DLA_BLOCK_KERNELS, op->kernels - k0),
                     out + (size_t)p * op->kernels + k0);
    }
}

/* As dla_mac_pixels() where an int32 holds every sum and nothing is cut off: there is no clip, and
 * a whole block goes straight to its place. */
static void dla_mac_pixels_short(struct dla_conv *c, dla_mac_block *mac, const int16_t **d,
                                 uint32_t k0, uint32_t n, int32_t *out)
{
    const struct dla_conv_op *op = c->op;
    uint32_t runs = dla_run_count(c), kernels = dla_min(DLA_BLOCK_KERNELS, op->kernels - k0);
    size_t run = 2 * (size_t)c->packed_pairs * DLA_BLOCK_KERNELS;
    size_t step = (size_t)op->dilation_x * c->channels,
           line = (size_t)c->width * c->channels * op->dilation_y - runs * step;
    const int16_t *w = c->packed + c->packed_block * (k0 / DLA_BLOCK_KERNELS);
    int32_t acc[DLA_BLOCK_PIXELS * DLA_BLOCK_KERNELS];
    bool whole = n == DLA_BLOCK_PIXELS && kernels == DLA_BLOCK_KERNELS, add = false;
    int32_t *to = whole ? out + k0 : acc;
    size_t stride = whole ? op->kernels : DLA_BLOCK_KERNELS;

    for (uint32_t ky = 0; ky < c->kernel_height; ky++) {
        for (uint32_t r = 0; r < runs; r++, w += run, add = true) {
            mac(d, w, c->packed_pairs, to, stride, add);
            dla_block_step(d, step);
        }
        dla_block_step(d, line);
    }
    for (uint32_t p = 0; !whole && p < n; p++) {
        memcpy(out + (size_t)p * op->kernels + k0, acc + (size_t)p * DLA_BLOCK_KERNELS,
               kernels * sizeof(*out));
    }
}

static enum dla_status dla_conv_mac8(struct dla_conv *c, uint32_t y, int32_t *out)
{
    const struct dla_conv_op *op = c->op;
    dla_mac_block *mac = dla_mac_block_at(0);
    uint64_t pairs = (uint64_t)c->packed_pairs * dla_run_count(c) * c->kernel_height;
    bool brief = pairs <= DLA_BLOCK_PAIRS && op->clip_truncate == 0;
    uint64_t work =
        1 + pairs * 2 * DLA_BLOCK_KERNELS * DLA_BLOCK_PIXELS / DLA_MACS_A_UNIT8; /* of a block */
    uint32_t pixels = c->band_count * op->out_width;
    enum dla_status status = DLA_OK;

    for (uint32_t k = 0; k < op->kernels; k += DLA_BLOCK_KERNELS) {
        for (uint32_t i = 0; status == DLA_OK && i < pixels; i += DLA_BLOCK_PIXELS) {
            const int16_t *d[DLA_BLOCK_PIXELS];
            size_t at[DLA_BLOCK_PIXELS];
            uint32_t n = dla_min(DLA_BLOCK_PIXELS, pixels - i);

            dla_conv_pixels(c, y, i, n, at);
            for (unsigned p = 0; p < DLA_BLOCK_PIXELS; p++) {
                d[p] = c->data + at[p];
            }
            (brief ? dla_mac_pixels_short : dla_mac_pixels)(c, mac, d, k, n,
                                                            out + (size_t)i * op->kernels);
            status = dla_rest(c->port, work);
        }
    }
    return status;
}

static int32_t dla_mac_pixel16(struct dla_conv *c, const int16_t *d, uint32_t k)
{
    const struct dla_conv_op *op = c->op;
    uint32_t n = dla_run_length(c), runs = dla_run_count(c);
    const int16_t *w = c->weights + (size_t)k * runs * c->kernel_height * n;
    int64_t sum = 0;

    for (uint32_t ky = 0; ky < c->kernel_height; ky++) {
        for (uint32_t r = 0; r < runs; r++, w += n) {
            const int16_t *e = d + (size_t)r * op->dilation_x * c->channels;

            for (uint32_t i = 0; i < n; i++) {
                sum += (int64_t)((int32_t)e[i] * w[i]);
            }
        }
        d += (size_t)c->width * c->channels * op->dilation_y;
    }
    return dla_conv_clip(c, sum);
}

/* Units of work of one element of the output, where products are computed one by one. */
static uint64_t dla_element_work(const struct dla_conv *c)
{
    return 1 + (uint64_t)c->kernel_width * c->kernel_height * c->channels / DLA_MACS_A_UNIT16;
}

enum dla_status dla_conv_mac(struct dla_conv *c, uint32_t y, int32_t *out)
{
    const struct dla_conv_op *op = c->op;
    uint64_t work = dla_element_work(c);
    enum dla_status status = DLA_OK;

    if (op->precision == DLA_INT8) {
        return dla_conv_mac8(c, y, out);
    }
    for (uint32_t i = 0; i < c->band_count; i++) {
        const int16_t *d = c->data + (size_t)(y + i) * op->stride_y * c->width * c->channels;

        for (uint32_t x = 0; x < op->out_width; x++) {
            for (uint32_t k = 0; status == DLA_OK && k < op->kernels; k++) {
                *out++ = dla_mac_pixel16(c, d + (size_t)x * op->stride_x * c->channels, k);
                status = dla_rest(c->port, work);
            }
        }
    }
    return status;
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

enum dla_status dla_conv_mac_wide(struct dla_conv *c, uint32_t y, int32_t *out)
{
    const struct dla_conv_op *op = c->op;
    const int64_t *d = c->wide_data + (size_t)y * op->stride_y * c->width * c->channels;
    uint64_t work = dla_element_work(c) * 4; /* 128 bits */
    enum dla_status status = DLA_OK;

    for (uint32_t x = 0; x < op->out_width; x++) {
        for (uint32_t k = 0; status == DLA_OK && k < op->kernels; k++) {
            out[(size_t)x * op->kernels + k] =
                dla_mac_wide_pixel(c, d + (size_t)x * op->stride_x * c->channels, k);
            status = dla_rest(c->port, work);
        }
    }
    return status;
}
