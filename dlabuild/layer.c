/* SPDX-License-Identifier: MIT */
/* Layers into operations and tensors. */
#include <math.h>
#include <string.h>

#include "dlabuild/build.h"
#include "model/dla/buffer.h"

#define MAX_CONSTANTS (UINT64_C(1) << 29)

struct tensor *tensor_new(struct build *b, const char *path, const char *name, uint32_t channels,
                          uint32_t height, uint32_t width, enum dla_precision precision)
{
    struct tensor *t = g_new0(struct tensor, 1);

    for (guint i = 0; i < b->tensors->len; i++) {
        if (strcmp(((struct tensor *)b->tensors->pdata[i])->name, name) == 0) {
            build_fail(b, path, "there is already a tensor called \"%s\"", name);
        }
    }
    if ((precision == DLA_INT16 && !b->cfg->int16) || (precision == DLA_FP16 && !b->cfg->fp16)) {
        build_fail(b, path, "%s has no %s", b->cfg->name,
                   precision == DLA_INT16 ? "int16" : "fp16");
    }
    *t = (struct tensor){ .name = g_strdup(name),
                          .channels = channels,
                          .height = height,
                          .width = width,
                          .precision = precision,
                          .pixel_format = DESC_FEATURE,
                          .made = -1,
                          .used = -1,
                          .input = -1,
                          .output = -1 };
    g_ptr_array_add(b->tensors, t);
    b->last = t;
    return t;
}

struct tensor *tensor_part(struct build *b, struct tensor *t, uint32_t channel, uint32_t channels,
                           uint32_t line, uint32_t lines)
{
    struct tensor *part;

    if (channel == 0 && channels == t->channels && line == 0 && lines == t->height) {
        return t;
    }
    part = g_memdup2(t, sizeof(*t));
    part->name = g_strdup(t->name);
    part->parent = t;
    part->first_channel = channel;
    part->channels = channels;
    part->first_line = line;
    part->first_column = 0;
    part->height = lines;
    part->input = part->output = -1;
    g_ptr_array_add(b->tensors, part);
    return part;
}

struct tensor *tensor_find(struct build *b, const char *path, const char *name)
{
    for (guint i = 0; i < b->tensors->len; i++) {
        struct tensor *t = b->tensors->pdata[i];

        if (strcmp(t->name, name) == 0) {
            return t;
        }
    }
    build_fail(b, path, "no tensor is called \"%s\" at this point", name);
    return NULL;
}

/* --- operations --- */
struct build_op *op_new(struct build *b, enum desc_op type, const char *name)
{
    struct build_op *op = g_new0(struct build_op, 1);

    op->type = type;
    op->group = b->groups;
    op->name = g_strdup(name); /* a layer that the builder adds has none of its own */
    DESC_PUT(op->common, COMMON, op_type, type);
    g_ptr_array_add(b->ops, op);
    return op;
}

void op_cube_flying(struct build *b, struct build_op *op, unsigned i, const struct tensor *t)
{
    struct desc_cube c = { .type = 2, .address = -1 };

    if (t) {
        c.width = t->width;
        c.height = t->height;
        c.channels = t->channels;
    }
    desc_cube_put(op->surface, i, b->cube_bytes, &c);
}

static struct tensor *tensor_root(struct tensor *t)
{
    while (t->parent) {
        t = t->parent;
    }
    return t;
}

void op_cube_tensor(struct build *b, struct build_op *op, unsigned i, struct tensor *t,
                    gboolean write)
{
    struct tensor *root = tensor_root(t);

    (void)b;
    op->ref[op->refs++] = (struct cube_ref){ .cube = i, .tensor = t };
    if (write && (root->made < 0 || root->made > op->group)) {
        root->made = op->group;
    }
    root->used = MAX(root->used, op->group);
}

uint64_t build_constant(struct build *b, const void *bytes, size_t len)
{
    static const uint8_t zeros[256];
    guint at = b->constants->len;

    if (len > MAX_CONSTANTS || at + len > MAX_CONSTANTS) {
        build_fail(b, "", "weights of more than 512 MiB");
        len = 0;
    }
    g_byte_array_append(b->constants, bytes, (guint)len);
    g_byte_array_append(b->constants, zeros, (guint)(-len & 255)); /* each begins at a multiple */
    return at;
}

void op_cube_constant(struct build *b, struct build_op *op, unsigned i, const void *bytes,
                      size_t len)
{
    uint64_t at = build_constant(b, bytes, len);

    op->ref[op->refs++] =
        (struct cube_ref){ .cube = i, .constant = at, .bytes = (uint32_t)len, .is_constant = TRUE };
}

/* --- what layers share --- */
struct tensor *layer_input(struct build *b, const struct json_at *j)
{
    struct tensor *t =
        json_has(j, "input") ? tensor_find(b, j->path, json_text(b, j, "input")) : b->last;

    if (!t) {
        build_fail(b, j->path, "the network has no input");
    }
    return t;
}

gboolean need_feature(struct build *b, const struct json_at *j, const struct tensor *t)
{
    if (t && t->pixel_format != DESC_FEATURE) {
        build_fail(b, j->path, "\"%s\" is an image; only a convolution reads images", t->name);
    }
    return t && !b->error;
}

void window_read(struct build *b, const struct json_at *j, struct window *w, int max_size,
                 int max_stride, int max_pad)
{
    int64_t two[2];

    *w = (struct window){ { 1, 1 }, { 1, 1 }, { 1, 1 }, { 0 } };
    json_ints(b, j, "size", 2, 1, max_size, w->size);
    json_ints(b, j, "stride", 2, 1, max_stride, w->stride);
    json_ints(b, j, "dilation", 2, 1, 32, w->dilation);
    if (!json_has(j, "pad")) {
        return;
    }
    if (JSON_NODE_HOLDS_ARRAY(json_object_get_member(j->object, "pad")) &&
        json_array_get_length(json_array(b, j, "pad", TRUE)) == 2) {
        json_ints(b, j, "pad", 2, 0, max_pad, two);
        w->pad[0] = w->pad[1] = two[0];
        w->pad[2] = w->pad[3] = two[1];
    } else {
        json_ints(b, j, "pad", 4, 0, max_pad, w->pad);
    }
}

/* Height (0) or width (1) of the output. */
uint32_t window_output(struct build *b, const struct json_at *j, const struct window *w, int i,
                       uint32_t in)
{
    const int64_t *pad = w->pad + 2 * (size_t)i;
    int64_t padded = in + pad[0] + pad[1];
    int64_t reach = (w->size[i] - 1) * w->dilation[i] + 1;

    if (padded < reach) {
        build_fail(b, j->path,
                   "the window covers %" G_GINT64_FORMAT " %s, the padded input has "
                   "%" G_GINT64_FORMAT,
                   reach, i ? "columns" : "lines", padded);
        return 1;
    }
    return (uint32_t)((padded - reach) / w->stride[i] + 1);
}

/* The SDP's output becomes the tensor of the layer. */
struct tensor *layer_output(struct build *b, const struct json_at *j, struct build_op *op,
                            unsigned cube, const char *name, const struct tensor *shape,
                            enum dla_precision precision)
{
    struct tensor *t =
        tensor_new(b, j->path, name, shape->channels, shape->height, shape->width, precision);

    op_cube_tensor(b, op, cube, t, TRUE);
    b->groups++;
    return t;
}

/* --- the others --- */
static void layer_pointwise(struct build *b, const struct json_at *j, const char *name)
{
    struct tensor *in = layer_input(b, j);
    enum dla_precision precision;
    struct build_op *op;

    if (need_feature(b, j, in)) {
        op = point_op(b, j, name, in, FALSE, NULL, &precision);
        layer_output(b, j, op, 4, name, in, precision);
    }
}

/* Along the width, as the line buffer wants it. Columns of the input: up to the last that a part's
 * windows reach which no part before has read. */
static void pool_split(const struct build *b, uint8_t *d, const struct tensor *in,
                       const struct tensor *out, const struct window *w)
{
    uint32_t most = dla_pool_columns(b->cfg, (uint32_t)w->size[0], (uint32_t)w->stride[0]);
    uint32_t parts = (out->width + most - 1) / most, some = out->width, last = out->width;
    int64_t first_in = in->width, mid_in = in->width, last_in = in->width;

    if (parts > 1) {
        some = (out->width + parts - 1) / parts;
        parts = (out->width + some - 1) / some;
        last = out->width - (parts - 1) * some;
        first_in = (some - 1) * w->stride[1] + w->size[1] - w->pad[2];
        mid_in = some * w->stride[1];
        last_in = in->width - first_in - (parts - 2) * mid_in;
    }
    DESC_PUT(d, PDP, partial_in_width_first, first_in);
    DESC_PUT(d, PDP, partial_in_width_mid, mid_in);
    DESC_PUT(d, PDP, partial_in_width_last, MAX(last_in, 1));
    DESC_PUT(d, PDP, partial_width_first, some);
    DESC_PUT(d, PDP, partial_width_mid, some);
    DESC_PUT(d, PDP, partial_width_last, last);
    DESC_PUT(d, PDP, split_num, parts);
}

static void pool_fields(const struct build *b, struct build_op *op, const struct tensor *in,
                        const struct tensor *out, const struct window *w, int64_t pad_value)
{
    uint8_t *d = op->desc;

    pool_split(b, d, in, out, w);
    DESC_PUT(d, PDP, pool_height_minus_1, w->size[0] - 1);
    DESC_PUT(d, PDP, pool_width_minus_1, w->size[1] - 1);
    DESC_PUT(d, PDP, stride_y, w->stride[0]);
    DESC_PUT(d, PDP, stride_x, w->stride[1]);
    DESC_PUT(d, PDP, pad_top, w->pad[0]);
    DESC_PUT(d, PDP, pad_bottom, w->pad[1]);
    DESC_PUT(d, PDP, pad_left, w->pad[2]);
    DESC_PUT(d, PDP, pad_right, w->pad[3]);
    DESC_PUT(d, PDP, precision, in->precision);
    for (int i = 0; i < 7; i++) {
        desc_put(d + DESC_AT_PDP_padding_value_1 + 4 * (size_t)i, 4, (i + 1) * pad_value);
    }
}

static void layer_pool(struct build *b, const struct json_at *j, const char *name)
{
    struct tensor *in = layer_input(b, j), shape;
    int method = json_word(b, j, "method", "average|max|min", -1);
    int64_t pad_value = json_int_or(b, j, "pad_value", INT16_MIN, INT16_MAX, 0);
    struct build_op *op;
    struct window w;

    window_read(b, j, &w, 8, 16, 7);
    if (method < 0) {
        json_text(b, j, "method");
    }
    for (size_t i = 0; i < 2; i++) {
        if (MAX(w.pad[2 * i], w.pad[2 * i + 1]) >= w.size[i]) {
            build_fail(b, j->path, "padding must be smaller than the window");
        }
    }
    if (!need_feature(b, j, in)) {
        return;
    }
    if (in->precision == DLA_FP16 && pad_value) {
        build_fail(b, j->path, "pad_value is for integers");
    }
    shape = (struct tensor){ .channels = in->channels,
                             .height = window_output(b, j, &w, 0, in->height),
                             .width = window_output(b, j, &w, 1, in->width) };
    op = op_new(b, DESC_OP_PDP, name);
    DESC_PUT(op->desc, PDP, pool_mode, method);
    pool_fields(b, op, in, &shape, &w, pad_value);
    op_cube_tensor(b, op, 0, in, FALSE);
    layer_output(b, j, op, 1, name, &shape, in->precision);
}

/* arg: k, alpha / size, beta */
static double lrn_factor(double sum, const double *arg)
{
    return pow(arg[0] + arg[1] * sum, -arg[2]);
}

static void layer_lrn(struct build *b, const struct json_at *j, const char *name)
{
    struct tensor *in = layer_input(b, j);
    int64_t size = json_int_or(b, j, "size", 3, 9, 5);
    int frac = (int)json_int_or(b, j, "frac", 0, 15, 14);
    int in_frac = (int)json_int_or(b, j, "input_frac", 0, 16, 0), range;
    double arg[3] = { json_number_or(b, j, "k", 1),
                      json_number_or(b, j, "alpha", 1e-4) / (double)size,
                      json_number_or(b, j, "beta", 0.75) };
    struct build_op *op;
    int lut;

    if (size % 2 == 0) {
        build_fail(b, j->path, "size must be 3, 5, 7 or 9");
    }
    if (arg[0] <= 0 || arg[1] < 0) {
        build_fail(b, j->path, "k must be above 0, alpha not below");
    }
    if (!need_feature(b, j, in)) {
        return;
    }
    op = op_new(b, DESC_OP_CDP, name);
    /* Sums of squares lie below 9 * 2^14 < 2^18 (int8) and 9 * 2^30 < 2^34 (int16). */
    range = in->precision == DLA_INT8    ? 18
            : in->precision == DLA_INT16 ? 34
                                         : (int)json_int_or(b, j, "range", 0, 15, 10);
    if (in->precision == DLA_FP16) {
        in_frac = frac = 0;
    }
    lut = lut_add(b, lrn_factor, arg, in->precision, 0, range - 8, range - 12, 2 * in_frac, frac);
    DESC_PUT(op->desc, CDP, in_precision, in->precision);
    DESC_PUT(op->desc, CDP, out_precision, in->precision);
    DESC_PUT(op->desc, CDP, lut_index, lut);
    DESC_PUT(op->desc, CDP, local_size, size);
    DESC_PUT(op->desc, CDP, in_cvt_scale, 1);
    DESC_PUT(op->desc, CDP, in_cvt_enable, 1);
    DESC_PUT(op->desc, CDP, out_cvt_scale, 1);
    DESC_PUT(op->desc, CDP, out_cvt_truncate, frac);
    DESC_PUT(op->desc, CDP, out_cvt_enable, 1);
    op_cube_tensor(b, op, 0, in, FALSE);
    layer_output(b, j, op, 1, name, in, in->precision);
}

#define WINDOW_KEYS "size|stride|pad|pad_value"
static const struct {
    const char *type, *keys;
} layers[] = {
    { "conv", "name|type|input|kernels|weights|groups|compress|winograd|dilation|" WINDOW_KEYS
              "|" POINT_KEYS },
    { "fully_connected", "name|type|input|kernels|weights|groups|compress|" POINT_KEYS },
    { "deconv", "name|type|input|kernels|weights|groups|compress|size|stride|dilation|pad|output_"
                "pad|" POINT_KEYS },
    { "pointwise", "name|type|input|" POINT_KEYS },
    { "pool", "name|type|input|method|" WINDOW_KEYS },
    { "lrn", "name|type|input|size|k|alpha|beta|frac|input_frac|range" },
    { "concat", "name|type|inputs|axis" },
    { "split", "name|type|input|outputs|channels" },
    { "upsample", "name|type|input|factor" },
    { "slice", "name|type|input|first|shape" },
    { "select", "name|type|input|channels" },
    { "constant", "name|type|shape|precision|elements" },
};

void build_layer(struct build *b, const struct json_at *j)
{
    int type =
        json_word(b, j, "type",
                  "conv|fully_connected|deconv|pointwise|pool|lrn|concat|split|upsample|slice|"
                  "select|constant",
                  -1);
    const char *name = "";

    if (type < 0) {
        json_text(b, j, "type");
        return;
    }
    json_keys(b, j, layers[type].keys);
    if (type != 7) {
        name = json_text(b, j, "name");
    }
    if (!b->error && type != 7 && (!*name || strlen(name) > 64 || strpbrk(name, "/\n"))) {
        build_fail(b, j->path, "a name has 1 to 64 characters, no / and no line end");
    }
    if (b->error) {
        return;
    }
    switch (type) {
    case 0:
    case 1:
        layer_conv(b, j, name, type == 1);
        break;
    case 2:
        layer_deconv(b, j, name);
        break;
    case 3:
        layer_pointwise(b, j, name);
        break;
    case 4:
        layer_pool(b, j, name);
        break;
    case 5:
        layer_lrn(b, j, name);
        break;
    case 6:
        layer_concat(b, j, name);
        break;
    case 7:
        layer_split(b, j);
        break;
    case 8:
        layer_upsample(b, j, name);
        break;
    case 9:
        layer_slice(b, j, name);
        break;
    case 10:
        layer_select(b, j, name);
        break;
    default:
        layer_constant(b, j, name);
    }
}

static void input_image(struct build *b, const struct json_at *j, struct tensor *t)
{
    struct json_at c = json_object(b, j, "convert");
    int64_t mean[4] = { 0 };

    /* One plane of 8 bits a component: R8, and four components in any order. */
    if (t->pixel_format != 0 && (t->pixel_format < 12 || t->pixel_format > 19) &&
        t->pixel_format != 26 && t->pixel_format != 27) {
        build_fail(b, j->path,
                   "image formats of 8 bits in one plane only: R8, A8B8G8R8 and its kin");
    }
    if (t->channels != (t->pixel_format == 0 ? 1u : 4u)) {
        build_fail(b, j->path, "this format has %d channels", t->pixel_format == 0 ? 1 : 4);
    }
    if (json_has(j, "convert")) {
        json_keys(b, &c, "offset|scale|shift|mean");
    }
    t->cvt_offset = (int32_t)json_int_or(b, &c, "offset", INT16_MIN, INT16_MAX, 128);
    t->cvt_scale = (int32_t)json_int_or(b, &c, "scale", INT16_MIN, INT16_MAX, 1);
    t->cvt_shift = (int32_t)json_int_or(b, &c, "shift", 0, 63, 0);
    t->use_mean = json_ints(b, &c, "mean", 4, INT16_MIN, INT16_MAX, mean);
    for (int i = 0; i < 4; i++) {
        t->mean[i] = (int32_t)mean[i];
    }
}

/* [channels, height, width], or what other tools call N, C, H, W with N = 1. */
static void input_shape(struct build *b, const struct json_at *j, int64_t *shape)
{
    JsonNode *n = json_has(j, "shape") ? json_object_get_member(j->object, "shape") : NULL;
    int64_t four[4];

    if (!n) {
        build_fail(b, j->path, "needs a shape: [channels, height, width]");
    } else if (JSON_NODE_HOLDS_ARRAY(n) && json_array_get_length(json_node_get_array(n)) == 4) {
        json_ints(b, j, "shape", 4, 1, BUILD_MAX_SIZE, four);
        if (four[0] != 1) {
            build_fail(b, j->path,
                       "shape is a batch of %" G_GINT64_FORMAT
                       ": a task computes one input, run it "
                       "as often as there are (cudlaSubmitTask() takes several tasks in one call)",
                       four[0]);
        }
        memcpy(shape, four + 1, 3 * sizeof(*shape));
    } else {
        json_ints(b, j, "shape", 3, 1, BUILD_MAX_SIZE, shape);
    }
}

void build_input(struct build *b, const struct json_at *j)
{
    int64_t shape[3] = { 1, 1, 1 };
    struct tensor *t;
    int format, inputs = 0;

    json_keys(b, j, "name|shape|format|precision|convert");
    input_shape(b, j, shape);
    format = json_word(b, j, "format", PIXEL_FORMATS, DESC_FEATURE);
    t = tensor_new(
        b, j->path, json_text(b, j, "name"), (uint32_t)shape[0], (uint32_t)shape[1],
        (uint32_t)shape[2],
        (enum dla_precision)json_word(b, j, "precision", "int8|int16|fp16", (int)b->precision));
    t->pixel_format = format;
    for (guint i = 0; i + 1 < b->tensors->len; i++) {
        inputs += ((struct tensor *)b->tensors->pdata[i])->input >= 0;
    }
    t->input = inputs;
    if (format != DESC_FEATURE) {
        input_image(b, j, t);
    } else if (json_has(j, "convert")) {
        build_fail(b, j->path, "only images are converted");
    }
}
