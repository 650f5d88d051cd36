/* SPDX-License-Identifier: MIT */
/* Sources: nvdla/hw spec/defs (sizes), nvdla/doc unit description and register manual (ranges of
 * fields), nvdla/sw kmd/firmware/include/dla_interface.h. */
#include "tests/dla/limits.h"

/**
 * struct limits - of a configuration
 * @atom: bytes of an atom in memory; @group8, @group16: kernels that run at a time
 * @banks, @entry, @entries: the convolution buffer: banks of @entries of @entry bytes
 * @full: has fp16 and int16, compressed weights, winograd, SDP's Y, CDP's fp16, RUBIK and BDMA
 */
struct limits {
    const char *name;
    uint32_t atom, group8, group16, banks, entry, entries;
    gboolean full;
};

static const struct limits known[] = {
    { "nv_full", 32, 32, 16, 16, 128, 256, TRUE },
    { "nv_small", 8, 8, 0, 32, 8, 512, FALSE },
};

/**
 * struct checked - an operation that is checked
 * @why: the first limit that it does not keep
 */
struct checked {
    const struct dla_net *net;
    const struct limits *limits;
    unsigned i;
    const uint8_t *d;
    struct desc_cube cube[5];
    char *why;
};

#define KEEP(c, condition, ...)                      \
    do {                                             \
        if (!(condition) && !(c)->why) {             \
            (c)->why = g_strdup_printf(__VA_ARGS__); \
        }                                            \
    } while (0)
/* Field @name of the descriptor lies in @low .. @high. */
#define RANGE(c, descriptor, name, low, high)                                                  \
    KEEP(c,                                                                                    \
         DESC_GETU((c)->d, descriptor, name) >= (low) &&                                       \
             DESC_GETU((c)->d, descriptor, name) <= (high),                                    \
         #name " is %" G_GINT64_FORMAT ", not in %d..%d", DESC_GETU((c)->d, descriptor, name), \
         (int)(low), (int)(high))
#define SAME(c, descriptor, name, value)                             \
    KEEP(c, DESC_GETU((c)->d, descriptor, name) == (int64_t)(value), \
         #name " is %" G_GINT64_FORMAT ", not %" G_GINT64_FORMAT,    \
         DESC_GETU((c)->d, descriptor, name), (int64_t)(value))

static uint64_t up(uint64_t a, uint64_t b)
{
    return (a + b - 1) / b;
}

static unsigned element(int64_t precision)
{
    return precision == 0 ? 1 : 2;
}

/* --- cubes --- */
/* Address and size lie in what the loadable allocates. */
static gboolean allocated(struct checked *c, const struct desc_cube *k, const char *name)
{
    gboolean there = k->address >= 0 && (unsigned)k->address < c->net->addresses;

    KEEP(c, there, "%s: address %d of %u", name, k->address, c->net->addresses);
    KEEP(c, k->type == 0, "%s: memory %d is not DRAM", name, k->type);
    if (there) {
        KEEP(c, k->size > 0 && k->size <= c->net->size[k->address],
             "%s: %u bytes, and %" G_GUINT64_FORMAT " are allocated", name, k->size,
             c->net->size[k->address]);
        KEEP(c, c->net->address[k->address] % c->limits->atom == 0, "%s: is not at an atom", name);
    }
    return there;
}

static void sizes(struct checked *c, const struct desc_cube *k, const char *name)
{
    KEEP(c, k->width >= 1 && k->width <= 8192, "%s: width %u", name, k->width);
    KEEP(c, k->height >= 1 && k->height <= 8192, "%s: height %u", name, k->height);
    KEEP(c, k->channels >= 1 && k->channels <= 8192, "%s: %u channels", name, k->channels);
}

/* A feature cube: atoms of a line side by side, lines and surfaces by their strides. @repeats: one
 * line may stand for all. */
static void feature(struct checked *c, unsigned n, const char *name, int64_t precision,
                    gboolean repeats)
{
    const struct desc_cube *k = &c->cube[n];
    uint64_t atom = c->limits->atom, line = k->width * atom, surface;
    uint64_t surfaces = up((uint64_t)k->channels * element(precision), atom);

    sizes(c, k, name);
    if (!allocated(c, k, name)) {
        return;
    }
    KEEP(c, k->line_stride % atom == 0 && k->surf_stride % atom == 0,
         "%s: strides %u, %u are no atoms", name, k->line_stride, k->surf_stride);
    KEEP(c, k->line_stride >= line || (repeats && k->line_stride == 0), "%s: line stride %u", name,
         k->line_stride);
    surface = (uint64_t)k->line_stride * (k->height - 1) + line;
    KEEP(c, surfaces == 1 || k->surf_stride >= surface, "%s: surface stride %u", name,
         k->surf_stride);
    KEEP(c, (surfaces - 1) * k->surf_stride + surface <= k->size, "%s: leaves its %u bytes", name,
         k->size);
}

/* --- CONV --- */
static void conv_input(struct checked *c, gboolean image)
{
    const struct desc_cube *src = &c->cube[3];

    if (!image) {
        feature(c, 3, "src", DESC_GETU(c->d, CONV, in_precision), FALSE);
        return;
    }
    sizes(c, src, "src");
    if (allocated(c, src, "src")) {
        KEEP(c,
             src->line_stride % 32 == 0 && src->line_stride >= (uint64_t)src->width * src->channels,
             "src: line stride %u", src->line_stride);
        KEEP(c,
             (uint64_t)src->line_stride * (src->height - 1) +
                     (uint64_t)src->width * src->channels <=
                 src->size,
             "src: leaves its %u bytes", src->size);
    }
}

/* Unit description, CBUF: an entry holds atoms of one pixel; what is left of all pixels is packed,
 * but three atoms take an entry each. */
static uint64_t conv_line_entries(const struct checked *c, gboolean image)
{
    const struct desc_cube *src = &c->cube[3];
    unsigned bytes = element(DESC_GETU(c->d, CONV, in_precision));
    uint64_t per = c->limits->entry / c->limits->atom, atoms;

    if (image) {
        return up((uint64_t)src->width * src->channels * bytes, c->limits->entry);
    }
    atoms = up((uint64_t)src->channels * bytes, c->limits->atom);
    return atoms / per * src->width +
           (atoms % per == 3 ? src->width : up(atoms % per * src->width, per));
}

static void conv_buffer(struct checked *c, gboolean image)
{
    int64_t data = DESC_GETU(c->d, CONV, data_bank), weight = DESC_GETU(c->d, CONV, weight_bank);
    gboolean packed = DESC_GETU(c->d, CONV, weight_format) == 1;
    uint64_t group = DESC_GETU(c->d, CONV, in_precision) ? c->limits->group16 : c->limits->group8;
    uint64_t bank = (uint64_t)c->limits->entry * c->limits->entries;
    uint64_t line = conv_line_entries(c, image), kernel = DESC_GETU(c->d, CONV, bytes_per_kernel);

    KEEP(c, data >= 1 && weight >= 1 && data + weight + packed <= c->limits->banks,
         "data_bank %d and weight_bank %d of %u banks", (int)data, (int)weight, c->limits->banks);
    SAME(c, CONV, entry_per_slice, line);
    KEEP(c, line * c->cube[3].height <= (uint64_t)data * c->limits->entries,
         "data_bank: the input takes more than %d banks", (int)data);
    KEEP(c, packed || kernel * MIN(group, c->cube[4].channels) <= (uint64_t)weight * bank,
         "weight_bank: a group of kernels takes more than %d banks", (int)weight);
}

/* Of a kernel, of the input with its pads, and of the result. */
static void conv_window(struct checked *c, gboolean image)
{
    gboolean winograd = DESC_GETU(c->d, CONV, conv_mode) == 1;
    int64_t kh = DESC_GETU(c->d, CONV, kernel_height_csc),
            kw = DESC_GETU(c->d, CONV, kernel_width_csc),
            kc = DESC_GETU(c->d, CONV, kernel_channel_csc), sx = DESC_GETU(c->d, CONV, stride_x),
            sy = DESC_GETU(c->d, CONV, stride_y), high, wide;
    const struct desc_cube *src = &c->cube[3], *dst = &c->cube[4];

    SAME(c, CONV, bytes_per_kernel, kw * kh * kc * element(DESC_GETU(c->d, CONV, in_precision)));
    RANGE(c, CONV, bytes_per_kernel, 1, 1 << 18);
    RANGE(c, CONV, kernel_width_csc, 1, 32);
    RANGE(c, CONV, kernel_height_csc, 1, 32);
    if (c->why) {
        return; /* no division by zero */
    }
    if (winograd) {
        KEEP(c, kw == 4 && kh == 4 && sx == 1 && sy == 1, "winograd: of 3 x 3 with stride 1");
        KEEP(c, kc % 16 == 0 && kc >= src->channels, "winograd: kernel_channel_csc is no atoms");
        high = wide = 3;
    } else {
        KEEP(c, image ? kw == 1 && kc % src->channels == 0 : kc == src->channels,
             "kernel_channel_csc is %d, the input has %u channels", (int)kc, src->channels);
        high = (kh - 1) * DESC_GETU(c->d, CONV, dilation_y) + 1;
        wide = image ? kc / src->channels : (kw - 1) * DESC_GETU(c->d, CONV, dilation_x) + 1;
    }
    high = src->height + DESC_GETU(c->d, CONV, pad_top) + DESC_GETU(c->d, CONV, pad_bottom) - high;
    wide = src->width + DESC_GETU(c->d, CONV, pad_left) + DESC_GETU(c->d, CONV, pad_right) - wide;
    KEEP(c, high >= 0 && wide >= 0, "the window is larger than the input");
    /* D_PAD: lines and columns beyond the last window are not of the hardware's */
    KEEP(c, high / sy + 1 >= dst->height && high / sy <= dst->height, "dst: height %u",
         dst->height);
    KEEP(c, wide / sx + 1 >= dst->width && wide / sx <= dst->width, "dst: width %u", dst->width);
}

/* What WGS says of the bytes of the groups of compressed kernels. */
static uint64_t groups_sum(const struct checked *c)
{
    const struct desc_cube *wgs = &c->cube[2];
    const uint8_t *at = dla_net_bytes(c->net->file, c->net->address[wgs->address], wgs->size);
    uint64_t sum = 0;

    for (uint32_t i = 0; at && i + 4 <= wgs->size; i += 4) {
        sum += (uint64_t)desc_get(at + i, 4, false);
    }
    return sum;
}

static void conv_weight(struct checked *c)
{
    gboolean packed = DESC_GETU(c->d, CONV, weight_format) == 1;
    const struct desc_cube *w = &c->cube[0];

    KEEP(c, w->size % 128 == 0, "weights: %u bytes, no multiple of 128", w->size);
    if (!packed || w->size > 0) { /* of zeros alone, none are left */
        allocated(c, w, "weights");
    }
    KEEP(c,
         packed || w->size >= (uint64_t)c->cube[4].channels *
                                  (uint64_t)DESC_GETU(c->d, CONV, bytes_per_kernel),
         "weights: %u bytes", w->size);
    if (packed) {
        allocated(c, &c->cube[1], "wmb");
        allocated(c, &c->cube[2], "wgs");
        KEEP(c, c->limits->full, "weight_format: no compressed weights here");
        KEEP(c, c->why || groups_sum(c) <= w->size, "weights: %u bytes, fewer than the groups have",
             w->size);
    }
}

static void conv(struct checked *c)
{
    gboolean image = DESC_GETU(c->d, CONV, data_format) != DESC_FEATURE;

    RANGE(c, CONV, conv_mode, 0, c->limits->full);
    RANGE(c, CONV, weight_format, 0, 1);
    RANGE(c, CONV, data_format, 0, DESC_FEATURE);
    RANGE(c, CONV, in_precision, 0, c->limits->full ? 2 : 0);
    SAME(c, CONV, out_precision, DESC_GETU(c->d, CONV, in_precision));
    RANGE(c, CONV, stride_x, 1, 8);
    RANGE(c, CONV, stride_y, 1, 8);
    RANGE(c, CONV, dilation_x, 1, 32);
    RANGE(c, CONV, dilation_y, 1, 32);
    RANGE(c, CONV, pad_left, 0, 31);
    RANGE(c, CONV, pad_right, 0, 31);
    RANGE(c, CONV, pad_top, 0, 31);
    RANGE(c, CONV, pad_bottom, 0, 31);
    RANGE(c, CONV, batch, 1, 1);
    RANGE(c, CONV, fetch_grain, 1, 4096);
    SAME(c, CONV, input_width_csc, c->cube[3].width);
    SAME(c, CONV, input_height_csc, c->cube[3].height);
    SAME(c, CONV, input_channel_csc, c->cube[3].channels);
    SAME(c, CONV, input_width_cmac, c->cube[4].width);
    SAME(c, CONV, input_height_cmac, c->cube[4].height);
    RANGE(c, CONV, release, 1, c->cube[3].height);
    RANGE(c, CONV, in_cvt_truncate, 0, 63);
    RANGE(c, CONV, out_cvt_truncate, 0, 31);
    sizes(c, &c->cube[4], "dst");
    KEEP(c, c->cube[4].type == 2, "dst: a convolution writes to the SDP");
    conv_input(c, image);
    conv_window(c, image);
    if (!c->why) {
        conv_buffer(c, image);
        conv_weight(c);
    }
}

/* --- SDP --- */
/* Stages X1, X2, Y, whose fields lie @stage * 32 bytes further. */
static void stage(struct checked *c, unsigned n)
{
    static const char *const name[] = { "x1", "x2", "y" };
    struct checked at = *c;
    const struct desc_cube *k = &c->cube[1 + n];

    at.d += (size_t)n * (DESC_AT_SDP_x2_enable - DESC_AT_SDP_x1_enable);
    RANGE(&at, SDP, x1_enable, 0, 1);
    RANGE(&at, SDP, x1_alu_type, 0, 3);
    RANGE(&at, SDP, x1_type, 0, 3);
    RANGE(&at, SDP, x1_mode, 0, 2);
    RANGE(&at, SDP, x1_act, 0, 3);
    RANGE(&at, SDP, x1_shift, 0, 63);
    RANGE(&at, SDP, x1_precision, 0, c->limits->full ? 2 : 1);
    if (DESC_GETU(at.d, SDP, x1_enable)) {
        KEEP(&at, n < 2 || c->limits->full, "y: this SDP has no stage Y");
        KEEP(&at, n < 2 || DESC_GETU(at.d, SDP, x1_act) != 2 || DESC_GET(c->d, SDP, lut_index) >= 0,
             "y: a table, and no lut_index");
        if (DESC_GETU(at.d, SDP, x1_type) && DESC_GETU(at.d, SDP, x1_mode) == 2) {
            feature(&at, 1 + n, name[n], DESC_GETU(at.d, SDP, x1_precision), TRUE);
        } else if (DESC_GETU(at.d, SDP, x1_type) && DESC_GETU(at.d, SDP, x1_mode) == 1) {
            allocated(&at, k, name[n]);
            KEEP(&at, k->size >= c->cube[4].channels, "%s: %u bytes", name[n], k->size);
        }
    }
    c->why = at.why;
}

static void luts(struct checked *c, int64_t index)
{
    KEEP(c, index >= -1 && index < (int64_t)c->net->luts, "lut_index %d of %u", (int)index,
         c->net->luts);
}

static void same_size(struct checked *c, unsigned a, unsigned b)
{
    KEEP(c,
         c->cube[a].width == c->cube[b].width && c->cube[a].height == c->cube[b].height &&
             c->cube[a].channels == c->cube[b].channels,
         "src and dst differ in size");
}

static void sdp(struct checked *c)
{
    int most = c->limits->full ? 2 : 0;

    RANGE(c, SDP, src_precision, 0, most);
    RANGE(c, SDP, dst_precision, 0, most);
    RANGE(c, SDP, conv_mode, 0, c->limits->full);
    RANGE(c, SDP, batch_num, 0, 1);
    RANGE(c, SDP, out_cvt_truncate, 0, 63);
    luts(c, DESC_GET(c->d, SDP, lut_index));
    if (c->cube[0].type == 2) {
        sizes(c, &c->cube[0], "src");
    } else {
        feature(c, 0, "src", DESC_GETU(c->d, SDP, src_precision), FALSE);
    }
    feature(c, 4, "dst", DESC_GETU(c->d, SDP, dst_precision), FALSE);
    same_size(c, 0, 4);
    for (unsigned n = 0; n < 3 && !c->why; n++) {
        stage(c, n);
    }
}

/* --- PDP --- */
/* Of @split parts: the first, those between, the last. */
static int64_t parts_sum(int64_t split, int64_t first, int64_t mid, int64_t last)
{
    return split == 1 ? first : first + (split - 2) * mid + last;
}

static void pdp_split(struct checked *c)
{
    int64_t split = DESC_GETU(c->d, PDP, split_num),
            high = DESC_GETU(c->d, PDP, pool_height_minus_1);
    int64_t overlap = (int64_t)up((uint64_t)high + 1, (uint64_t)DESC_GETU(c->d, PDP, stride_y));
    int64_t most = 7 * 1024 * 8 / (overlap * c->limits->atom * 14); /* nvdla/hw#249 */

    KEEP(c,
         parts_sum(split, DESC_GETU(c->d, PDP, partial_width_first),
                   DESC_GETU(c->d, PDP, partial_width_mid),
                   DESC_GETU(c->d, PDP, partial_width_last)) == c->cube[1].width,
         "partial_width: do not make the output");
    KEEP(c,
         parts_sum(split, DESC_GETU(c->d, PDP, partial_in_width_first),
                   DESC_GETU(c->d, PDP, partial_in_width_mid),
                   DESC_GETU(c->d, PDP, partial_in_width_last)) == c->cube[0].width,
         "partial_in_width: do not make the input");
    RANGE(c, PDP, partial_width_first, 1, most);
    if (split > 1) {
        RANGE(c, PDP, partial_width_last, 1, most);
    }
    if (split > 2) {
        RANGE(c, PDP, partial_width_mid, 1, most);
    }
}

static void pdp(struct checked *c)
{
    int64_t lines, columns;

    RANGE(c, PDP, split_num, 1, 256);
    RANGE(c, PDP, pool_mode, 0, 2);
    RANGE(c, PDP, pool_width_minus_1, 0, 7);
    RANGE(c, PDP, pool_height_minus_1, 0, 7);
    RANGE(c, PDP, stride_x, 1, 16);
    RANGE(c, PDP, stride_y, 1, 16);
    RANGE(c, PDP, pad_left, 0, 7);
    RANGE(c, PDP, pad_right, 0, 7);
    RANGE(c, PDP, pad_top, 0, 7);
    RANGE(c, PDP, pad_bottom, 0, 7);
    RANGE(c, PDP, precision, 0, c->limits->full ? 2 : 0);
    feature(c, 0, "src", DESC_GETU(c->d, PDP, precision), FALSE);
    feature(c, 1, "dst", DESC_GETU(c->d, PDP, precision), FALSE);
    KEEP(c, c->cube[0].channels == c->cube[1].channels, "src and dst differ in channels");
    if (c->why) {
        return;
    }
    lines = c->cube[0].height + DESC_GETU(c->d, PDP, pad_top) + DESC_GETU(c->d, PDP, pad_bottom) -
            DESC_GETU(c->d, PDP, pool_height_minus_1) - 1;
    columns = c->cube[0].width + DESC_GETU(c->d, PDP, pad_left) + DESC_GETU(c->d, PDP, pad_right) -
              DESC_GETU(c->d, PDP, pool_width_minus_1) - 1;
    KEEP(c, lines >= 0 && lines / DESC_GETU(c->d, PDP, stride_y) + 1 == c->cube[1].height,
         "dst: height %u", c->cube[1].height);
    KEEP(c, columns >= 0 && columns / DESC_GETU(c->d, PDP, stride_x) + 1 == c->cube[1].width,
         "dst: width %u", c->cube[1].width);
    pdp_split(c);
}

/* --- the others --- */
static void cdp(struct checked *c)
{
    int64_t size = DESC_GETU(c->d, CDP, local_size);

    RANGE(c, CDP, in_precision, 0, c->limits->full ? 2 : 0);
    SAME(c, CDP, out_precision, DESC_GETU(c->d, CDP, in_precision));
    KEEP(c, size == 3 || size == 5 || size == 7 || size == 9, "local_size %d", (int)size);
    luts(c, DESC_GET(c->d, CDP, lut_index));
    feature(c, 0, "src", DESC_GETU(c->d, CDP, in_precision), FALSE);
    feature(c, 1, "dst", DESC_GETU(c->d, CDP, in_precision), FALSE);
    same_size(c, 0, 1);
}

static void rubik(struct checked *c)
{
    int64_t sx = DESC_GETU(c->d, RUBIK, stride_x), sy = DESC_GETU(c->d, RUBIK, stride_y);
    int64_t precision = DESC_GETU(c->d, RUBIK, precision);
    uint64_t per = c->limits->atom / element(precision);

    KEEP(c, c->limits->full, "no RUBIK here");
    RANGE(c, RUBIK, mode, 0, 2);
    RANGE(c, RUBIK, precision, 0, 2);
    feature(c, 0, "src", precision, FALSE);
    feature(c, 1, "dst", precision, FALSE);
    if (DESC_GETU(c->d, RUBIK, mode) == 0) {
        RANGE(c, RUBIK, stride_x, 1, 32);
        RANGE(c, RUBIK, stride_y, 1, 32);
        KEEP(c,
             c->cube[1].width == c->cube[0].width * sx &&
                 c->cube[1].height == c->cube[0].height * sy,
             "dst: not the strides times the input");
        KEEP(c, c->cube[0].channels == up(c->cube[1].channels, per) * per * (uint64_t)(sx * sy),
             "src: %u channels, not those of dst in whole atoms times the strides",
             c->cube[0].channels);
    }
}

/* --- who waits for whom --- */
static void graph(struct checked *c)
{
    const uint8_t *common = dla_net_common(c->net, c->i);
    int64_t waits = 0;

    KEEP(c, DESC_GETU(common, COMMON, index) == c->i, "index is not its place");
    for (unsigned i = 0; i < c->net->operations; i++) {
        for (unsigned k = 0; k < DESC_OPS + 1u; k++) {
            const uint8_t *at =
                dla_net_common(c->net, i) + DESC_AT_COMMON_bdma_index + 4 * (size_t)k;
            int64_t to = desc_get(at, 2, true);

            waits += to == (int64_t)c->i;
            if (i == c->i && to != -1) {
                KEEP(c, to >= 0 && to < (int64_t)c->net->operations, "notifies operation %d",
                     (int)to);
                KEEP(c, at[2] >= 1 && at[2] <= 5, "event %u", at[2]);
                KEEP(c,
                     k == DESC_OPS || to < 0 || to >= (int64_t)c->net->operations ||
                         dla_net_op(c->net, (unsigned)to) == k,
                     "notifies an operation of another kind");
            }
        }
    }
    KEEP(c, DESC_GETU(common, COMMON, dependency_count) == waits,
         "dependency_count is %d, of %d notifications",
         (int)DESC_GETU(common, COMMON, dependency_count), (int)waits);
}

static void operation(struct checked *c)
{
    static const char *const name[] = { "BDMA", "CONV", "SDP", "PDP", "CDP", "RUBIK" };
    static void (*const check[])(struct checked *) = { NULL, conv, sdp, pdp, cdp, rubik };
    enum desc_op type = dla_net_op(c->net, c->i);
    char *why;

    for (unsigned n = 0; n < 5 && type != DESC_OP_BDMA && desc_surface_name(type, n); n++) {
        desc_cube_get(dla_net_surface(c->net, c->i), n, c->net->cube_bytes, &c->cube[n]);
    }
    graph(c);
    if (type < DESC_OPS && check[type] && !c->why) {
        check[type](c);
    }
    if (c->why) {
        why = g_strdup_printf("operation %u (%s): %s", c->i, type < DESC_OPS ? name[type] : "?",
                              c->why);
        g_free(c->why);
        c->why = why;
    }
}

char *limits_of_net(const struct dla_net *net)
{
    g_autofree char *config = dla_net_config(net->file);
    struct checked c = { .net = net };

    for (size_t i = 0; i < G_N_ELEMENTS(known); i++) {
        if (g_strcmp0(config ? config : "nv_full", known[i].name) == 0) {
            c.limits = &known[i];
        }
    }
    if (!c.limits) {
        return g_strdup_printf("no limits of %s are known", config);
    }
    for (c.i = 0; c.i < net->operations && !c.why; c.i++) {
        c.d = dla_net_operation(net, c.i);
        operation(&c);
    }
    return c.why;
}

char *limits_of_loadable(const void *bytes, size_t len)
{
    GError *error = NULL;
    struct dla_net_file *f = dla_net_from_bytes("loadable", g_memdup2(bytes, len), len, &error);
    char *why = f ? NULL : g_strdup(error->message);

    for (unsigned i = 0; f && !why && i < f->l->tasks; i++) {
        struct dla_net net;

        if (!dla_net_init(&net, f, i, &error)) {
            why = g_strdup(error->message);
        } else if (!net.cpu) {
            why = limits_of_net(&net);
        }
        dla_net_free(&net);
    }
    g_clear_error(&error);
    if (f) {
        dla_net_close(f);
    }
    return why;
}
