/* SPDX-License-Identifier: MIT */
/* Convolutions, fully connected layers and deconvolutions. */
#include <string.h>

#include "dlabuild/build.h"
#include "model/dla/buffer.h"

#define MAX_KERNEL_BYTES (1u << 18) /* D_WEIGHT_SIZE_0 */
#define MAX_WEIGHTS (UINT64_C(1) << 28)

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

/* Shares of the convolution buffer: the input's lines, and for weights what is left but for the
 * bank that holds the mask of compressed ones. */
static void conv_banks(const struct build *b, uint8_t *d, const struct tensor *in,
                       gboolean compress)
{
    uint64_t banks = b->cfg->cbuf_banks - (compress ? 1 : 0);
    gboolean image = in->pixel_format != DESC_FEATURE;
    uint64_t line =
        dla_cbuf_line(b->cfg, in->width, in->channels, precision_bytes(in->precision), image);
    uint64_t data = dla_cbuf_banks(b->cfg, line * in->height);

    data = CLAMP(data, 1, banks - 1);
    DESC_PUT(d, CONV, data_bank, data);
    DESC_PUT(d, CONV, weight_bank, banks - data);
    DESC_PUT(d, CONV, entry_per_slice, line);
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
    conv_banks(b, op->desc, in, s->compress);
    if (s->winograd.on) {
        conv_winograd(b, op, in, &s->winograd);
    }
    desc_cube_put(op->surface, 0, b->cube_bytes, &size);
    conv_weights(b, j, op, s, in->precision);
    op_cube_tensor(b, op, 3, in, FALSE);
    op_cube_flying(b, op, 4, out);
}

gboolean conv_sizes_ok(struct build *b, const struct json_at *j, const struct tensor *in,
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

/* The weights of a layer, [kernel][channel of the group][y][x]. */
static void conv_data(struct build *b, const struct json_at *j, struct weights *s,
                      enum dla_precision p)
{
    s->groups = (uint32_t)json_int_or(b, j, "groups", 1, BUILD_MAX_SIZE, 1);
    if (s->channels % s->groups || s->kernels % s->groups) {
        build_fail(b, j->path,
                   "%u groups: the input's %u channels and the %u kernels must be multiples",
                   s->groups, s->channels, s->kernels);
        s->groups = 1;
    }
    s->w = json_data(b, j, "weights",
                     (size_t)s->kernels * (s->channels / s->groups) * s->height * s->width, p);
}

/* Channels that the kernels from @k on need, in whole atoms. */
static void part_channels(const struct build *b, const struct weights *s, enum dla_precision p,
                          uint32_t k, uint32_t kernels, uint32_t *first, uint32_t *end)
{
    uint32_t atom = atom_channels(b, p), some = s->all_channels / s->groups,
             per = s->all_kernels / s->groups;

    *first = k / per * some;
    *end = ((k + kernels - 1) / per + 1) * some;
    for (uint32_t i = k; s->select && i < MIN(k + kernels, s->all_kernels); i++) {
        *first = i == k ? s->select[i] : MIN(*first, s->select[i]);
        *end = i == k ? s->select[i] + 1 : MAX(*end, s->select[i] + 1);
    }
    *first = *first / atom * atom;
    *end = MIN((*end + atom - 1) / atom * atom, s->all_channels);
}

/* Kernels of one operation from @k on: as many groups of the hardware as look at the same channels;
 * zeros for channels of other groups are not stored. */
static uint32_t part_kernels(const struct build *b, const struct weights *s, enum dla_precision p,
                             uint32_t k)
{
    uint32_t run = p == DLA_INT8 ? b->cfg->kernels_int8 : b->cfg->kernels_16, n = run, first, end;
    uint32_t left = s->all_kernels - k;

    if (s->image || s->winograd.on || (s->groups == 1 && !s->select)) {
        return left;
    }
    part_channels(b, s, p, k, MIN(n, left), &first, &end);
    while (n < left) {
        uint32_t f, e;

        part_channels(b, s, p, k, MIN(n + run, left), &f, &e);
        if (f != first || e != end) {
            break;
        }
        n += run;
    }
    return MIN(n, left);
}

/* Lines of the output that one operation makes: what of the input fits into the convolution buffer
 * beside a group of kernels. 0: not even one. */
static uint32_t part_lines(const struct build *b, const struct tensor *in, const struct window *w,
                           const struct weights *s, enum dla_precision p, uint32_t channels,
                           uint32_t kernels)
{
    unsigned bytes = precision_bytes(p);
    uint32_t group = MIN(kernels, p == DLA_INT8 ? b->cfg->kernels_int8 : b->cfg->kernels_16);
    uint64_t kernel = (uint64_t)(s->winograd.on ? 16 : w->size[0] * w->size[1]) * channels * bytes;
    uint64_t line = dla_cbuf_line(b->cfg, in->width, channels, bytes, s->image);
    uint64_t weights = dla_cbuf_weight_banks(b->cfg, kernel * group) + (s->compress ? 1 : 0);
    uint64_t lines, reach = (uint64_t)((w->size[0] - 1) * w->dilation[0] + 1);

    if (weights >= b->cfg->cbuf_banks) {
        return 0;
    }
    lines = (b->cfg->cbuf_banks - weights) * b->cfg->cbuf_depth / line;
    if (lines >= in->height) {
        return BUILD_MAX_SIZE * 64;
    }
    return lines < reach ? 0 : (uint32_t)((lines - reach) / (uint64_t)w->stride[0] + 1);
}

/* The window of output lines @y .. @y + @lines: which lines of the input, and what of the pads. */
static struct window part_window(const struct window *w, const struct tensor *in, uint32_t y,
                                 uint32_t lines, uint32_t *first, uint32_t *count)
{
    struct window part = *w;
    int64_t reach = (w->size[0] - 1) * w->dilation[0] + 1;
    int64_t from = (int64_t)y * w->stride[0] - w->pad[0];
    int64_t end = ((int64_t)y + lines - 1) * w->stride[0] - w->pad[0] + reach;

    part.pad[0] = MAX(0, -from);
    part.pad[1] = MAX(0, end - (int64_t)in->height);
    *first = (uint32_t)MAX(0, from);
    *count = (uint32_t)(MIN(end, (int64_t)in->height) - *first);
    return part;
}

/* One operation with its SDP. */
static void conv_part(struct conv_layer *l, struct point_part *at, uint32_t kernels, uint32_t lines)
{
    struct weights s = *l->s;
    uint32_t first, end, line, count, channels;
    struct window w = part_window(l->w, l->in, at->line, lines, &line, &count);
    struct tensor shape = *l->shape, *in;
    struct build_op *sdp;

    part_channels(l->b, &s, l->in->precision, at->channel, kernels, &first, &end);
    channels = s.image ? l->in->channels : end - first;
    in = tensor_part(l->b, l->in, s.image ? 0 : first, channels, line, count);
    s.first_kernel = at->channel;
    s.kernels = kernels;
    s.first_channel = s.image ? 0 : first;
    s.channels = channels;
    shape.channels = kernels;
    shape.height = lines;
    conv_op(l->b, l->j, l->name, in, &shape, &w, &s);
    sdp = point_op(l->b, l->j, l->name, &shape, TRUE, at, &l->precision);
    DESC_PUT(sdp->desc, SDP, conv_mode, s.winograd.on);
    if (kernels != l->shape->channels || lines != l->shape->height) {
        sdp->part =
            (struct build_part){ at->channel, at->line, l->shape->channels, l->shape->height };
    }
    if (!l->out) {
        l->out = tensor_new(l->b, l->j->path, l->name, l->shape->channels, l->shape->height,
                            l->shape->width, l->precision);
    }
    op_cube_tensor(l->b, sdp, 4, tensor_part(l->b, l->out, at->channel, kernels, at->line, lines),
                   TRUE);
    l->b->groups++;
}

struct tensor *conv_parts(struct conv_layer *l)
{
    enum dla_precision p = l->in->precision;
    uint32_t n;

    l->s->all_kernels = l->s->kernels;
    l->s->all_channels = l->in->channels;
    for (uint32_t k = 0; k < l->s->all_kernels && !l->b->error; k += n) {
        uint32_t first, end, lines;

        n = part_kernels(l->b, l->s, p, k);
        part_channels(l->b, l->s, p, k, n, &first, &end);
        lines =
            part_lines(l->b, l->in, l->w, l->s, p, l->s->image ? l->in->channels : end - first, n);
        if (lines == 0 || (lines < l->shape->height && l->s->winograd.on)) {
            build_fail(l->b, l->j->path,
                       "the window's lines of the input and a group of kernels do not fit into the "
                       "convolution buffer of %s (%u banks of %u bytes), and no split along the "
                       "height helps",
                       l->b->cfg->name, l->b->cfg->cbuf_banks,
                       l->b->cfg->cbuf_width * l->b->cfg->cbuf_depth);
            break;
        }
        for (uint32_t y = 0; y < l->shape->height && !l->b->error; y += lines) {
            struct point_part at = { .channel = k,
                                     .line = y,
                                     .operands = l->operands,
                                     .lines = l->shape->height,
                                     .run = l->run };

            conv_part(l, &at, n, MIN(lines, l->shape->height - y));
        }
    }
    return l->out;
}

void layer_conv(struct build *b, const struct json_at *j, const char *name, gboolean full)
{
    struct tensor *in = layer_input(b, j), shape;
    uint64_t kernels = (uint64_t)json_int(b, j, "kernels", 1, BUILD_MAX_SIZE);
    struct weights s;
    struct window w;
    struct conv_layer l = { .b = b,
                            .j = j,
                            .name = name,
                            .in = in,
                            .shape = &shape,
                            .w = &w,
                            .s = &s,
                            .operands = (uint32_t)kernels,
                            .run = (uint32_t)kernels };

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
                          .image = in->pixel_format != DESC_FEATURE,
                          .compress = json_flag(b, j, "compress") };
    winograd_read(b, j, &s.winograd);
    if (s.winograd.on) {
        winograd_check(b, j, in, &w, &shape);
    }
    if (b->error) {
        return;
    }
    conv_data(b, j, &s, in->precision);
    conv_parts(&l);
    g_free((void *)s.w);
}

struct tensor *conv_select(struct build *b, const struct json_at *j, const char *name,
                           struct tensor *in, const uint32_t *channels, uint32_t count)
{
    struct tensor shape = {
        .channels = count, .height = in->height, .width = in->width, .precision = in->precision
    };
    struct window w = { { 1, 1 }, { 1, 1 }, { 1, 1 }, { 0 } };
    struct weights s = { .kernels = count,
                         .channels = in->channels,
                         .groups = 1,
                         .height = 1,
                         .width = 1,
                         .select = channels,
                         .one = in->precision == DLA_FP16 ? 0x3c00 : 1 };
    struct json_at none = { .object = NULL };
    struct conv_layer l = { .b = b,
                            .j = &none,
                            .name = name,
                            .in = in,
                            .shape = &shape,
                            .w = &w,
                            .s = &s,
                            .operands = count,
                            .run = count };

    g_strlcpy(none.path, j->path, sizeof(none.path));
    return conv_parts(&l);
}
