/* SPDX-License-Identifier: MIT */
/* Deconvolution and upsampling: what RUBIK contracts are stride x stride phases, one behind the
 * other as channels. Of a deconvolution a convolution makes them, for upsampling they are copies.
 */
#include <string.h>

#include "dlabuild/build.h"

#define MAX_CUT 64

/**
 * struct deconv - a deconvolution
 * @run: channels of a phase, in whole atoms
 * @k: kernel with its dilation and what makes it a multiple of the stride: @taps taps of phases
 */
struct deconv {
    uint32_t outs, ins, groups, run, sy, sx;
    int64_t k[2], taps[2], extra[2];
    struct window w;
};

/* Kernel of phase (py, px) of output channel o: every stride-th weight, back to front. Groups, the
 * gaps of dilation and the taps beyond the kernel are zeros.
 * @w: [output channel][input channel of the group][y][x] */
static int32_t *deconv_weights(const int32_t *w, const struct deconv *d)
{
    uint32_t some = d->ins / d->groups, per = d->outs / d->groups;
    size_t taps = (size_t)(d->taps[0] * d->taps[1]);
    size_t window = (size_t)(d->w.size[0] * d->w.size[1]);
    int32_t *v = g_new0(int32_t, (size_t)d->run * d->sy * d->sx * d->ins * taps + 1);

    for (size_t i = 0; i < (size_t)d->outs * some * window; i++) {
        size_t x = i % (size_t)d->w.size[1] * (size_t)d->w.dilation[1];
        size_t y = i % window / (size_t)d->w.size[1] * (size_t)d->w.dilation[0];
        size_t o = i / window / some, c = i / window % some + o / per * some;
        size_t phase = y % d->sy * d->sx + x % d->sx;
        size_t ty = (size_t)d->taps[0] - 1 - y / d->sy, tx = (size_t)d->taps[1] - 1 - x / d->sx;

        v[(((phase * d->run + o) * d->ins + c) * (size_t)d->taps[0] + ty) * (size_t)d->taps[1] +
          tx] = w[i];
    }
    return v;
}

static struct tensor *deconv_contract(struct build *b, const struct json_at *j, const char *name,
                                      struct tensor *phases, const struct deconv *d)
{
    struct build_op *op = op_new(b, DESC_OP_RUBIK, name);
    struct tensor shape = { .channels = d->outs,
                            .height = phases->height * d->sy,
                            .width = phases->width * d->sx };

    DESC_PUT(op->desc, RUBIK, mode, 0);
    DESC_PUT(op->desc, RUBIK, precision, phases->precision);
    DESC_PUT(op->desc, RUBIK, stride_x, d->sx);
    DESC_PUT(op->desc, RUBIK, stride_y, d->sy);
    op_cube_tensor(b, op, 0, phases, FALSE);
    return layer_output(b, j, op, 1, name, &shape, phases->precision);
}

/* Lines and columns that a pad cuts off are not shown: a part of what RUBIK made. */
static void deconv_crop(struct build *b, const struct json_at *j, const char *name,
                        struct tensor *whole, const struct deconv *d, uint32_t height,
                        uint32_t width)
{
    struct tensor *t =
        tensor_new(b, j->path, name, whole->channels, height, width, whole->precision);

    t->parent = whole;
    t->first_line = (uint32_t)d->w.pad[0];
    t->first_column = (uint32_t)d->w.pad[2];
    t->made = whole->made;
}

static void deconv_read(struct build *b, const struct json_at *j, const struct tensor *in,
                        struct deconv *d)
{
    uint32_t atom = atom_channels(b, in->precision);

    window_read(b, j, &d->w, 32, 32, MAX_CUT);
    d->ins = in->channels;
    d->outs = (uint32_t)json_int(b, j, "kernels", 1, BUILD_MAX_SIZE);
    d->groups = (uint32_t)json_int_or(b, j, "groups", 1, BUILD_MAX_SIZE, 1);
    d->extra[0] = d->extra[1] = 0;
    json_ints(b, j, "output_pad", 2, 0, 31, d->extra);
    d->sy = (uint32_t)d->w.stride[0];
    d->sx = (uint32_t)d->w.stride[1];
    d->run = (d->outs + atom - 1) / atom * atom;
    for (size_t i = 0; i < 2; i++) {
        d->k[i] = (d->w.size[i] - 1) * d->w.dilation[i] + 1 + d->extra[i];
        d->taps[i] = (d->k[i] + d->w.stride[i] - 1) / d->w.stride[i];
    }
    if (!b->cfg->rubik) {
        build_fail(b, j->path, "deconvolution needs RUBIK, which %s does not have", b->cfg->name);
    } else if (json_has(j, "eltwise")) {
        build_fail(b, j->path,
                   "eltwise of a deconvolution goes into a layer of type \"pointwise\" behind it");
    } else if (d->ins % d->groups || d->outs % d->groups) {
        build_fail(b, j->path, "%u groups: channels and kernels must be multiples", d->groups);
    } else if (MAX(d->taps[0], d->taps[1]) > 32) {
        build_fail(b, j->path, "a kernel of more than 32 taps a phase");
    } else if ((uint64_t)d->run * d->sy * d->sx > BUILD_MAX_SIZE) {
        build_fail(b, j->path, "kernels (in whole atoms) times both strides: at most 8192");
    }
}

/* The convolution that makes the phases. */
static struct tensor *deconv_phases(struct build *b, const struct json_at *j, const char *name,
                                    struct tensor *in, const struct deconv *d)
{
    struct window w = { { d->taps[0], d->taps[1] },
                        { 1, 1 },
                        { 1, 1 },
                        { d->taps[0] - 1, d->taps[0] - 1, d->taps[1] - 1, d->taps[1] - 1 } };
    struct tensor shape = { .channels = d->run * d->sy * d->sx,
                            .height = window_output(b, j, &w, 0, in->height),
                            .width = window_output(b, j, &w, 1, in->width),
                            .precision = in->precision };
    struct weights s = { .kernels = shape.channels,
                         .channels = in->channels,
                         .groups = 1,
                         .height = (uint32_t)w.size[0],
                         .width = (uint32_t)w.size[1],
                         .compress = json_flag(b, j, "compress") };
    struct conv_layer l = { .b = b,
                            .j = j,
                            .name = name,
                            .in = in,
                            .shape = &shape,
                            .w = &w,
                            .s = &s,
                            .operands = d->outs,
                            .run = d->run };
    size_t n = (size_t)d->outs * (d->ins / d->groups) * (size_t)(d->w.size[0] * d->w.size[1]);
    int32_t *all;

    if (!conv_sizes_ok(b, j, in, &w, s.kernels)) {
        return NULL;
    }
    all = json_data(b, j, "weights", n, in->precision);
    s.w = deconv_weights(all, d);
    g_free(all);
    conv_parts(&l);
    g_free((void *)s.w);
    return l.out;
}

void layer_deconv(struct build *b, const struct json_at *j, const char *name)
{
    struct tensor *in = layer_input(b, j), *phases, *whole;
    gboolean crop;
    struct deconv d;
    int64_t size[2];
    char *made;

    if (!need_feature(b, j, in)) {
        return;
    }
    deconv_read(b, j, in, &d);
    for (size_t i = 0; i < 2; i++) {
        size[i] = ((int64_t)(i ? in->width : in->height) - 1) * d.w.stride[i] + d.k[i] -
                  d.w.pad[2 * i] - d.w.pad[2 * i + 1];
        if (size[i] < 1) {
            build_fail(b, j->path, "pad leaves no output");
        }
    }
    if (b->error) {
        return;
    }
    made = g_strconcat(name, ".phases", NULL);
    phases = deconv_phases(b, j, made, in, &d);
    g_free(made);
    if (!phases || b->error) {
        return;
    }
    crop = phases->height * d.sy != size[0] || phases->width * d.sx != size[1];
    made = g_strconcat(name, crop ? ".whole" : "", NULL);
    whole = deconv_contract(b, j, made, phases, &d);
    if (crop && !b->error) {
        deconv_crop(b, j, name, whole, &d, (uint32_t)size[0], (uint32_t)size[1]);
    }
    g_free(made);
}

/* Nearest: each phase is the input. */
void layer_upsample(struct build *b, const struct json_at *j, const char *name)
{
    struct tensor *in = layer_input(b, j), *phases;
    int64_t factor[2] = { 1, 1 };
    struct deconv d;
    char *made;

    json_ints(b, j, "factor", 2, 1, 32, factor);
    if (!need_feature(b, j, in)) {
        return;
    }
    d = (struct deconv){ .outs = in->channels,
                         .sy = (uint32_t)factor[0],
                         .sx = (uint32_t)factor[1] };
    d.run = (d.outs + atom_channels(b, in->precision) - 1) / atom_channels(b, in->precision) *
            atom_channels(b, in->precision);
    if (!b->cfg->rubik || (uint64_t)d.run * d.sy * d.sx > BUILD_MAX_SIZE) {
        build_fail(b, j->path,
                   b->cfg->rubik ? "channels (in whole atoms) times both factors: at most 8192"
                                 : "upsampling needs RUBIK, which only nv_full has");
        return;
    }
    made = g_strconcat(name, ".phases", NULL);
    phases =
        tensor_new(b, j->path, made, d.run * d.sy * d.sx, in->height, in->width, in->precision);
    for (uint32_t i = 0; i < d.sy * d.sx && !b->error; i++) {
        tensor_copy_to(b, j, name, in,
                       tensor_part(b, phases, i * d.run, in->channels, 0, in->height));
    }
    if (!b->error) {
        deconv_contract(b, j, name, phases, &d);
    }
    g_free(made);
}
