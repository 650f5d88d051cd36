/* SPDX-License-Identifier: MIT */
/* Convolutions, fully connected layers and deconvolutions. */
#include <string.h>

#include "tools/dla_build.h"

#define MAX_KERNEL_BYTES (1u << 18) /* D_WEIGHT_SIZE_0 */
#define MAX_WEIGHTS (UINT64_C(1) << 28)

/* Weights as the engine takes them in direct mode (format.rst, "Weight Format"): groups of kernels;
 * in a group, runs of atomic_c channels; in a run line by line, column by column, kernel by kernel.
 * @w: [kernel][channel][y][x]; of an image, a line of the kernel counts as channels: [x][channel]
 */
struct weights {
    const int32_t *w;
    uint32_t kernels, channels, height, width;
    gboolean image;
    struct winograd winograd;
};

static int32_t weight(const struct weights *s, uint32_t k, uint32_t c, uint32_t y, uint32_t x)
{
    if (s->image) {
        x = c / s->channels;
        c %= s->channels;
    }
    return s->w[(((size_t)k * s->channels + c) * s->height + y) * s->width + x];
}

static uint8_t *weights_pack(const struct build *b, const struct weights *s, enum dla_precision p,
                             size_t len)
{
    uint32_t group = p == DLA_INT8 ? b->cfg->kernels_int8 : b->cfg->kernels_16,
             cube = b->cfg->atomic_c;
    uint32_t columns = s->image ? 1 : s->width,
             channels = s->image ? s->channels * s->width : s->channels;
    unsigned size = precision_bytes(p);
    uint8_t *out = g_malloc0(len + 1), *at = out;

    for (uint32_t k0 = 0; k0 < s->kernels; k0 += group) {
        for (uint32_t c0 = 0; c0 < channels; c0 += cube) {
            for (uint32_t i = 0; i < s->height * columns; i++) {
                for (uint32_t k = k0; k < MIN(k0 + group, s->kernels); k++) {
                    for (uint32_t c = c0; c < MIN(c0 + cube, channels); c++, at += size) {
                        desc_put(at, size, weight(s, k, c, i / columns, i % columns));
                    }
                }
            }
        }
    }
    return out;
}

/* Weights without their zeros (format.rst, "Sparse Compression option"). Each surface ends at 128
 * bytes.
 * @mask: WMB, a bit an element; @sizes: WGS, the bytes left of each kernel group, 32 bits each */
struct sparse {
    GByteArray *weights, *mask, *sizes;
};

static void sparse_end(GByteArray *a)
{
    static const uint8_t zeros[128];

    g_byte_array_append(a, zeros, (guint)(-a->len & 127));
}

static struct sparse weights_compress(const struct build *b, const struct weights *s,
                                      enum dla_precision p, const uint8_t *bytes, size_t len)
{
    struct sparse out = { g_byte_array_new(), g_byte_array_new(), g_byte_array_new() };
    uint32_t group = p == DLA_INT8 ? b->cfg->kernels_int8 : b->cfg->kernels_16, left = 0;
    unsigned size = precision_bytes(p);
    size_t elements = len / size, a_group = elements / s->kernels * group;

    g_byte_array_set_size(out.mask, (guint)((elements + 7) / 8));
    memset(out.mask->data, 0, out.mask->len);
    for (size_t i = 0; i < elements; i++) {
        if (desc_get(bytes + i * size, size, false) != 0) {
            out.mask->data[i / 8] |= (uint8_t)(1u << i % 8);
            g_byte_array_append(out.weights, bytes + i * size, size);
            left += size;
        }
        if ((i + 1) % a_group == 0 || i + 1 == elements) {
            uint8_t word[4];

            desc_put(word, 4, left);
            g_byte_array_append(out.sizes, word, 4);
            left = 0;
        }
    }
    sparse_end(out.weights);
    sparse_end(out.mask);
    sparse_end(out.sizes);
    return out;
}

/* The weights as cube 0 of @op; compressed, with their mask and group sizes as cubes 1 and 2. */
static void conv_weights(struct build *b, const struct json_at *j, struct build_op *op,
                         const struct weights *s, enum dla_precision p)
{
    size_t len = (size_t)s->kernels * s->channels * s->height * s->width * precision_bytes(p);
    uint8_t *bytes = s->winograd.on
                         ? winograd_pack(b, s->w, s->kernels, s->channels, &s->winograd, p, &len)
                         : weights_pack(b, s, p, len);
    struct sparse c;

    if (!json_flag(b, j, "compress")) {
        op_cube_constant(b, op, 0, bytes, len);
        op_cube_flying(b, op, 1, NULL);
        op_cube_flying(b, op, 2, NULL);
        g_free(bytes);
        return;
    }
    if (!b->cfg->compression) {
        build_fail(b, j->path, "%s takes no compressed weights: nv_full does", b->cfg->name);
    }
    c = weights_compress(b, s, p, bytes, len);
    DESC_PUT(op->desc, CONV, weight_format, 1);
    op_cube_constant(b, op, 0, c.weights->data, c.weights->len);
    op_cube_constant(b, op, 1, c.mask->data, c.mask->len);
    op_cube_constant(b, op, 2, c.sizes->data, c.sizes->len);
    g_byte_array_free(c.weights, TRUE);
    g_byte_array_free(c.mask, TRUE);
    g_byte_array_free(c.sizes, TRUE);
    g_free(bytes);
}

static void conv_image(struct build *b, struct build_op *op, const struct tensor *in)
{
    uint8_t *d = op->desc;

    (void)b;
    DESC_PUT(d, CONV, data_format, in->pixel_format);
    DESC_PUT(d, CONV, in_cvt_enable, 1);
    DESC_PUT(d, CONV, in_cvt_scale, in->cvt_scale);
    DESC_PUT(d, CONV, in_cvt_truncate, in->cvt_shift);
    DESC_PUT(d, CONV, in_cvt_offset, in->cvt_offset);
    DESC_PUT(d, CONV, mean_format, in->use_mean);
    DESC_PUT(d, CONV, mean_ry, in->mean[0]);
    DESC_PUT(d, CONV, mean_gu, in->mean[1]);
    DESC_PUT(d, CONV, mean_bv, in->mean[2]);
    DESC_PUT(d, CONV, mean_ax, in->mean[3]);
}

/* Shares of the convolution buffer. The model does not look at them; the rule is ours (inferred):
 * weights take what one kernel group needs, data the rest. */
static void conv_banks(const struct build *b, uint8_t *d, const struct tensor *in,
                       uint64_t kernel_bytes)
{
    uint64_t bank = (uint64_t)b->cfg->cbuf_width * b->cfg->cbuf_depth;
    uint64_t weights = (kernel_bytes * b->cfg->kernels_int8 + bank - 1) / bank;
    uint64_t line = (uint64_t)in->width * in->channels * precision_bytes(in->precision);

    weights = CLAMP(weights, 1, b->cfg->cbuf_banks - 1);
    DESC_PUT(d, CONV, weight_bank, weights);
    DESC_PUT(d, CONV, data_bank, b->cfg->cbuf_banks - weights);
    DESC_PUT(d, CONV, entry_per_slice, (line + b->cfg->cbuf_width - 1) / b->cfg->cbuf_width);
    DESC_PUT(d, CONV, fetch_grain, 1);
    DESC_PUT(d, CONV, release, in->height);
}

static void conv_fields(struct build *b, struct build_op *op, const struct tensor *in,
                        const struct tensor *out, const struct window *w, int64_t pad_value)
{
    gboolean image = in->pixel_format != DESC_FEATURE;
    uint64_t kernel =
        (uint64_t)w->size[0] * w->size[1] * in->channels * precision_bytes(in->precision);
    uint8_t *d = op->desc;

    DESC_PUT(d, CONV, data_format, DESC_FEATURE);
    DESC_PUT(d, CONV, batch, 1);
    DESC_PUT(d, CONV, input_width_csc, in->width);
    DESC_PUT(d, CONV, input_height_csc, in->height);
    DESC_PUT(d, CONV, input_channel_csc, in->channels);
    DESC_PUT(d, CONV, kernel_width_csc, image ? 1 : w->size[1]);
    DESC_PUT(d, CONV, kernel_height_csc, w->size[0]);
    DESC_PUT(d, CONV, kernel_channel_csc, image ? w->size[1] * in->channels : in->channels);
    DESC_PUT(d, CONV, input_width_cmac, out->width);
    DESC_PUT(d, CONV, input_height_cmac, out->height);
    DESC_PUT(d, CONV, bytes_per_kernel, kernel);
    DESC_PUT(d, CONV, stride_y, w->stride[0]);
    DESC_PUT(d, CONV, stride_x, w->stride[1]);
    DESC_PUT(d, CONV, dilation_y, w->dilation[0]);
    DESC_PUT(d, CONV, dilation_x, w->dilation[1]);
    DESC_PUT(d, CONV, pad_top, w->pad[0]);
    DESC_PUT(d, CONV, pad_bottom, w->pad[1]);
    DESC_PUT(d, CONV, pad_left, w->pad[2]);
    DESC_PUT(d, CONV, pad_right, w->pad[3]);
    DESC_PUT(d, CONV, pad_val, pad_value);
    DESC_PUT(d, CONV, in_precision, in->precision);
    DESC_PUT(d, CONV, out_precision, in->precision);
    DESC_PUT(d, CONV, out_cvt_scale, 1);
    DESC_PUT(d, CONV, out_cvt_enable, 1);
    if (image) {
        conv_image(b, op, in);
    }
    conv_banks(b, d, in, kernel);
}

/* As the hardware sees it after the transformation. */
static void conv_winograd(const struct build *b, struct build_op *op, const struct tensor *in,
                          const struct winograd *w)
{
    uint32_t channels = winograd_channels(b, in->channels, in->precision);
    uint8_t *d = op->desc;

    DESC_PUT(d, CONV, conv_mode, 1);
    DESC_PUT(d, CONV, kernel_width_csc, 4);
    DESC_PUT(d, CONV, kernel_height_csc, 4);
    DESC_PUT(d, CONV, kernel_channel_csc, channels);
    DESC_PUT(d, CONV, bytes_per_kernel, 16 * channels * precision_bytes(in->precision));
    DESC_PUT(d, CONV, pra_truncate, w->data_shift);
}

static int64_t conv_pad_value(struct build *b, const struct json_at *j, enum dla_precision p)
{
    int64_t limit = p == DLA_INT8 ? 128 : 32768;
    int64_t v = json_int_or(b, j, "pad_value", -limit, limit - 1, 0);

    return p == DLA_FP16 ? half_from_double((double)v) : v;
}

/* The convolution of @in with @w; its cube on the fly has the shape of @out. */
static void conv_op(struct build *b, const struct json_at *j, const char *name, struct tensor *in,
                    const struct tensor *out, const struct window *w, const struct weights *s)
{
    int64_t pad_value = conv_pad_value(b, j, in->precision);
    struct build_op *op = op_new(b, DESC_OP_CONV, name);
    struct desc_cube size = { .width = s->width, .height = s->height, .channels = s->channels };

    conv_fields(b, op, in, out, w, pad_value);
    if (s->winograd.on) {
        conv_winograd(b, op, in, &s->winograd);
    }
    desc_cube_put(op->surface, 0, b->cube_bytes, &size);
    conv_weights(b, j, op, s, in->precision);
    op_cube_tensor(b, op, 3, in, FALSE);
    op_cube_flying(b, op, 4, out);
}

static gboolean conv_sizes_ok(struct build *b, const struct json_at *j, const struct tensor *in,
                              const struct window *w, uint64_t kernels)
{
    uint64_t kernel = (uint64_t)w->size[0] * w->size[1] * in->channels;
    gboolean image = in->pixel_format != DESC_FEATURE;

    if (kernel * precision_bytes(in->precision) > MAX_KERNEL_BYTES) {
        build_fail(b, j->path, "a kernel has at most 2^18 bytes, this one %" G_GUINT64_FORMAT,
                   kernel * precision_bytes(in->precision));
    } else if (kernel * kernels > MAX_WEIGHTS) {
        build_fail(b, j->path, "more than 2^28 weights");
    } else if (image && (w->dilation[0] != 1 || w->dilation[1] != 1)) {
        build_fail(b, j->path, "an image cannot be convolved with dilation (format.rst)");
    } else if (image && w->size[1] * in->channels > BUILD_MAX_SIZE) {
        build_fail(b, j->path, "a line of an image's kernel has at most 8192 numbers");
    }
    return !b->error;
}

/* The convolution of a DLA sees all channels: kernels of a group get zeros for those of the others.
 * [kernel][channel of the group][y][x] -> [kernel][channel][y][x] */
static int32_t *groups_spread(const int32_t *w, const struct weights *s, uint32_t groups)
{
    size_t window = (size_t)s->height * s->width;
    uint32_t some = s->channels / groups, kernels = s->kernels / groups;
    int32_t *v = g_new0(int32_t, (size_t)s->kernels * s->channels * window + 1);

    for (uint32_t k = 0; k < s->kernels; k++) {
        memcpy(v + ((size_t)k * s->channels + k / kernels * some) * window,
               w + (size_t)k * some * window, some * window * sizeof(*v));
    }
    return v;
}

/* The weights of a layer, [kernel][channel][y][x]. */
static int32_t *conv_data(struct build *b, const struct json_at *j, const struct weights *s,
                          enum dla_precision p)
{
    uint32_t groups = (uint32_t)json_int_or(b, j, "groups", 1, BUILD_MAX_SIZE, 1);
    int32_t *w, *all;

    if (s->channels % groups || s->kernels % groups) {
        build_fail(b, j->path,
                   "%u groups: the input's %u channels and the %u kernels must be multiples",
                   groups, s->channels, s->kernels);
        groups = 1;
    }
    w = json_data(b, j, "weights",
                  (size_t)s->kernels * (s->channels / groups) * s->height * s->width, p);
    if (groups == 1) {
        return w;
    }
    all = groups_spread(w, s, groups);
    g_free(w);
    return all;
}

void layer_conv(struct build *b, const struct json_at *j, const char *name, gboolean full)
{
    struct tensor *in = layer_input(b, j), shape;
    uint64_t kernels = (uint64_t)json_int(b, j, "kernels", 1, BUILD_MAX_SIZE);
    enum dla_precision precision;
    struct build_op *sdp;
    struct weights s;
    struct window w;

    window_read(b, j, &w, 32, 8, 31);
    if (in && full) { /* fully connected: one window, the whole input */
        if (in->height > 32 || in->width > 32) {
            build_fail(b, j->path,
                       "a fully connected layer takes at most 32 x 32, \"%s\" is %u x %u", in->name,
                       in->height, in->width);
        }
        w = (struct window){ { in->height, in->width }, { 1, 1 }, { 1, 1 }, { 0 } };
    }
    if (!in || b->error || !conv_sizes_ok(b, j, in, &w, kernels)) {
        return;
    }
    shape = (struct tensor){ .channels = (uint32_t)kernels,
                             .height = window_output(b, j, &w, 0, in->height),
                             .width = window_output(b, j, &w, 1, in->width),
                             .precision = in->precision };
    s = (struct weights){ .kernels = (uint32_t)kernels,
                          .channels = in->channels,
                          .height = (uint32_t)w.size[0],
                          .width = (uint32_t)w.size[1],
                          .image = in->pixel_format != DESC_FEATURE };
    winograd_read(b, j, &s.winograd);
    if (s.winograd.on) {
        winograd_check(b, j, in, &w, &shape);
    }
    if (b->error) {
        return;
    }
    s.w = conv_data(b, j, &s, in->precision);
    conv_op(b, j, name, in, &shape, &w, &s);
    g_free((void *)s.w);
    sdp = point_op(b, j, name, &shape, TRUE, &precision);
    DESC_PUT(sdp->desc, SDP, conv_mode, s.winograd.on);
    layer_output(b, j, sdp, 4, name, &shape, precision);
}

/* --- deconvolution: a convolution that makes stride x stride phases as channels, then RUBIK --- */
/* Kernel of phase (py, px) of output channel o: every stride-th weight, back to front.
 * @w: [output channel][input channel][y][x] */
static int32_t *deconv_weights(const int32_t *w, uint32_t outs, uint32_t run, uint32_t ins,
                               const struct window *k, uint32_t sy, uint32_t sx)
{
    size_t h = (size_t)k->size[0], wd = (size_t)k->size[1];
    int32_t *v = g_new0(int32_t, (size_t)run * sy * sx * ins * h * wd + 1);

    for (size_t phase = 0; phase < (size_t)sy * sx; phase++) {
        for (size_t i = 0; i < (size_t)outs * ins * h * wd; i++) {
            size_t x = i % wd, y = i / wd % h, c = i / wd / h % ins, o = i / wd / h / ins;
            size_t line = ((o * ins + c) * h + h - 1 - y) * sy + phase / sx;

            v[(((phase * run + o) * ins + c) * h + y) * wd + x] =
                w[(line * wd + wd - 1 - x) * sx + phase % sx];
        }
    }
    return v;
}

static void deconv_contract(struct build *b, const struct json_at *j, const char *name,
                            struct tensor *phases, uint32_t outs, uint32_t sy, uint32_t sx)
{
    struct build_op *op = op_new(b, DESC_OP_RUBIK, name);
    struct tensor shape = { .channels = outs,
                            .height = phases->height * sy,
                            .width = phases->width * sx };

    DESC_PUT(op->desc, RUBIK, mode, 0);
    DESC_PUT(op->desc, RUBIK, precision, phases->precision);
    DESC_PUT(op->desc, RUBIK, stride_x, sx);
    DESC_PUT(op->desc, RUBIK, stride_y, sy);
    op_cube_tensor(b, op, 0, phases, FALSE);
    layer_output(b, j, op, 1, name, &shape, phases->precision);
}

void layer_deconv(struct build *b, const struct json_at *j, const char *name)
{
    struct tensor *in = layer_input(b, j), shape, *phases;
    uint32_t outs = (uint32_t)json_int(b, j, "kernels", 1, BUILD_MAX_SIZE), run, sy, sx;
    enum dla_precision precision;
    struct build_op *sdp;
    struct weights s;
    struct window w;
    int32_t *all;
    char *made;

    window_read(b, j, &w, 32, 32, 0);
    if (!need_feature(b, j, in)) {
        return;
    }
    if (!b->cfg->rubik) {
        build_fail(b, j->path, "deconvolution needs RUBIK, which %s does not have", b->cfg->name);
    }
    if (w.size[0] % w.stride[0] || w.size[1] % w.stride[1]) {
        build_fail(b, j->path, "a deconvolution's size must be a multiple of its stride");
    }
    if (json_has(j, "bias") || json_has(j, "batch_norm") || json_has(j, "eltwise") ||
        json_has(j, "activation")) {
        build_fail(b, j->path,
                   "bias, batch_norm, eltwise and activation of a deconvolution go into a "
                   "layer of type \"pointwise\" behind it");
    }
    sy = (uint32_t)w.stride[0];
    sx = (uint32_t)w.stride[1];
    run = (outs + atom_channels(b, in->precision) - 1) / atom_channels(b, in->precision) *
          atom_channels(b, in->precision);
    if ((uint64_t)run * sy * sx > BUILD_MAX_SIZE) {
        build_fail(b, j->path, "kernels (in whole atoms) times both strides: at most 8192");
    }
    w = (struct window){ { w.size[0] / sy, w.size[1] / sx },
                         { 1, 1 },
                         { 1, 1 },
                         { w.size[0] / sy - 1, w.size[0] / sy - 1, w.size[1] / sx - 1,
                           w.size[1] / sx - 1 } };
    if (b->error || !conv_sizes_ok(b, j, in, &w, (uint64_t)run * sy * sx)) {
        return;
    }
    shape = (struct tensor){ .channels = run * sy * sx,
                             .height = window_output(b, j, &w, 0, in->height),
                             .width = window_output(b, j, &w, 1, in->width),
                             .precision = in->precision };
    s = (struct weights){ .kernels = shape.channels,
                          .channels = in->channels,
                          .height = (uint32_t)w.size[0],
                          .width = (uint32_t)w.size[1] };
    all = json_data(b, j, "weights", (size_t)outs * s.channels * s.height * sy * s.width * sx,
                    in->precision);
    s.w = deconv_weights(all, outs, run, s.channels, &w, sy, sx);
    conv_op(b, j, name, in, &shape, &w, &s);
    sdp = point_op(b, j, name, &shape, TRUE, &precision);
    made = g_strconcat(name, ".phases", NULL);
    phases = layer_output(b, j, sdp, 4, made, &shape, precision);
    deconv_contract(b, j, name, phases, outs, sy, sx);
    g_free(made);
    g_free((void *)s.w);
    g_free(all);
}
