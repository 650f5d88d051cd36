/* SPDX-License-Identifier: MIT */
/* Source: github nvdla/sw, umd/core/src/common/include/priv/emu/emu1/A/emu_interface.h
 * (descriptors, in two editions) and umd/core/src/runtime/Emulator.cpp (what is computed, in
 * float). fp16 is rounded to the nearest, ties away from zero (umd/external/include/half.h since
 * 74eb88c, 2018-04); an int8 result is cut off (saturate() of Type.h). The logarithm is ONNC's
 * (github ONNC/onnc 1.2.0, nvdla/sw.diff): an addition to the first edition. */
#include "tools/dla/dla_emu.h"

#include <math.h>
#include <string.h>

#include "dlabuild/half.h"

#define BUFFER_BYTES 256u

/* Where fields lie. The second edition (2019) has the scales and an offset in each cube, and
 * numbers the formats anew. The first computes fp16 alone. */
struct edition {
    const char *name;
    unsigned op_bytes, scales, power; /* scales 0: there are none */
    unsigned offset, size;            /* offset 0: there is none */
    unsigned formats;
    enum dla_emu_format format[4];
    unsigned ops; /* operations that are known */
};
static const struct edition editions[] = {
    { "the edition of 2019",
      24,
      4,
      12,
      2,
      6,
      4,
      { DLA_EMU_INT8, DLA_EMU_INT8_8, DLA_EMU_INT16, DLA_EMU_FP16 },
      DLA_EMU_SOFTMAX + 1 },
    { "the edition of 2017",
      16,
      0,
      1,
      0,
      2,
      3,
      { DLA_EMU_INT8, DLA_EMU_INT16, DLA_EMU_FP16 },
      DLA_EMU_LOG + 1 },
};

static gboolean emu_fail(const struct dla_net *net, unsigned i, GError **error, const char *format,
                         ...) G_GNUC_PRINTF(4, 5);

static gboolean emu_fail(const struct dla_net *net, unsigned i, GError **error, const char *format,
                         ...)
{
    va_list args;
    char *text;

    va_start(args, format);
    text = g_strdup_vprintf(format, args);
    va_end(args);
    g_set_error(error, DLA_TOOL_ERROR, 0, "task_list[%u] (EMU1), operation %u: %s", net->index, i,
                text);
    g_free(text);
    return FALSE;
}

const char *dla_emu_format_name(enum dla_emu_format format)
{
    static const char *const name[] = { "int8", "int8 of 8", "int16", "fp16" };

    return name[format];
}

static float float_get(const uint8_t *at)
{
    union {
        uint32_t u;
        float f;
    } v = { (uint32_t)desc_get(at, 4, false) };

    return v.f;
}

/* The bytes of a list that the network descriptor names. */
static const uint8_t *list_at(const struct dla_net *net, unsigned field, uint64_t *bytes)
{
    int64_t index = desc_get(net->desc + field, 2, true);

    if (index < 0 || index >= net->addresses) {
        return NULL;
    }
    *bytes = net->size[index];
    return dla_net_bytes(net->file, net->address[index], *bytes);
}

static gboolean cube_get(const struct dla_net *net, const struct edition *e, const uint8_t *at,
                         struct dla_emu_cube *c)
{
    int64_t index = desc_get(at, 2, true), format = desc_get(at + e->size + 4, 2, false);
    uint64_t offset = e->offset ? (uint64_t)desc_get(at + e->offset, 4, false) : 0;

    at += e->size + 6;
    if (index < 0 || index >= net->addresses || format >= e->formats) {
        return FALSE;
    }
    *c = (struct dla_emu_cube){ .iova = net->address[index] + offset,
                                .format = e->format[format],
                                .width = (uint32_t)desc_get(at, 2, false),
                                .height = (uint32_t)desc_get(at + 2, 2, false),
                                .channels = (uint32_t)desc_get(at + 4, 2, false),
                                .line_stride = (uint32_t)desc_get(at + 6, 4, false),
                                .surf_stride = (uint32_t)desc_get(at + 10, 4, false) };
    return c->width && c->height && c->channels;
}

/* Operation @i as @e lays it out; FALSE: the bytes do not say that. */
static gboolean emu_read(const struct dla_net *net, const struct edition *e, unsigned i,
                         struct dla_emu *out)
{
    uint64_t op_bytes, buffer_bytes;
    const uint8_t *op = list_at(net, 0, &op_bytes), *buffer = list_at(net, 2, &buffer_bytes);

    if (!op || !buffer || op_bytes < (uint64_t)net->cpu_operations * e->op_bytes ||
        buffer_bytes < (uint64_t)net->cpu_operations * 2 * BUFFER_BYTES) {
        return FALSE;
    }
    op += (size_t)i * e->op_bytes;
    buffer += (size_t)i * 2 * BUFFER_BYTES;
    *out = (struct dla_emu){ .op = (enum dla_emu_op) * op,
                             .in_scale = e->scales ? float_get(op + e->scales) : 1,
                             .out_scale = e->scales ? float_get(op + e->scales + 4) : 1 };
    if (out->op == DLA_EMU_POWER) {
        out->power = float_get(op + e->power);
        out->scale = float_get(op + e->power + 4);
        out->shift = float_get(op + e->power + 8);
    }
    return cube_get(net, e, buffer, &out->src) &&
           cube_get(net, e, buffer + BUFFER_BYTES, &out->dst);
}

/* nvdla/sw computes the first numbers of a softmax as they lie in memory: right for 1 x 1. */
static gboolean emu_check(const struct dla_net *net, const struct edition *edition, unsigned i,
                          const struct dla_emu *e, GError **error)
{
    gboolean first = edition->scales == 0;

    if (e->op >= edition->ops) {
        return emu_fail(net, i, error,
                        "type %d: 0 (power) and 1 (softmax) are nvdla/sw's, 2 (log) is ONNC's in "
                        "the edition of 2017; this is %s",
                        (int)e->op, edition->name);
    }
    if (e->src.format != e->dst.format || e->src.format == DLA_EMU_INT16 ||
        (first && e->src.format != DLA_EMU_FP16)) {
        return emu_fail(net, i, error, "formats %s and %s: %sfp16, both the same",
                        dla_emu_format_name(e->src.format), dla_emu_format_name(e->dst.format),
                        first ? "in the edition of 2017 " : "int8 or ");
    }
    if (e->op == DLA_EMU_SOFTMAX && (e->src.width != 1 || e->src.height != 1)) {
        return emu_fail(net, i, error, "a softmax of %u x %u: nvdla/sw computes 1 x 1 alone",
                        e->src.height, e->src.width);
    }
    return TRUE;
}

gboolean dla_emu_get(const struct dla_net *net, unsigned i, struct dla_emu *e, GError **error)
{
    for (size_t k = 0; k < G_N_ELEMENTS(editions); k++) {
        if (emu_read(net, &editions[k], i, e)) {
            return emu_check(net, &editions[k], i, e, error);
        }
    }
    return emu_fail(net, i, error, "its lists are too short, or name no address of the task");
}

/* --- numbers --- */
static uint8_t *number_at(const struct dla_net *net, const struct dla_emu_cube *c, uint32_t ch,
                          uint32_t y, uint32_t x)
{
    unsigned bytes = c->format == DLA_EMU_FP16 ? 2 : 1, atom = c->format == DLA_EMU_INT8_8 ? 8 : 32;
    uint32_t per = atom / bytes;

    return dla_net_bytes(net->file,
                         c->iova + (uint64_t)(ch / per) * c->surf_stride +
                             (uint64_t)y * c->line_stride + (uint64_t)x * atom +
                             (uint64_t)(ch % per) * bytes,
                         bytes);
}

static uint8_t *packed_at(const struct dla_net *net, const struct dla_emu_cube *c, uint32_t i)
{
    unsigned bytes = c->format == DLA_EMU_FP16 ? 2 : 1;

    return dla_net_bytes(net->file, c->iova + (uint64_t)i * bytes, bytes);
}

/* To the nearest, ties away from zero; what is too large becomes infinite. */
static int32_t half_away(float v)
{
    int32_t sign = signbit(v) ? 0x8000 : 0;
    float a = fabsf(v);
    int e;

    if (isnan(v)) {
        return 0x7e00;
    }
    if (a < 0x1p-14f) { /* denormal: steps of 2^-24 */
        return sign | (int32_t)roundf(a * 0x1p24f);
    }
    if (a >= 65520.f) {
        return sign | 0x7c00;
    }
    frexpf(a, &e); /* a = 0.5..1 * 2^e; a carry out of the ten bits raises the exponent */
    return sign | ((e + 13) * 1024 + (int32_t)roundf(ldexpf(a, 11 - e)));
}

static float value_get(const struct dla_emu_cube *c, const uint8_t *at, float scale)
{
    return c->format == DLA_EMU_FP16 ? (float)half_to_double((int32_t)desc_get(at, 2, false))
                                     : (float)desc_get(at, 1, true) * scale;
}

static void value_put(const struct dla_emu_cube *c, uint8_t *at, float v, float scale)
{
    if (c->format == DLA_EMU_FP16) {
        desc_put(at, 2, half_away(v));
    } else {
        v /= scale;
        desc_put(at, 1, isnan(v) ? 0 : v >= 127 ? 127 : v <= -128 ? -128 : (int)v);
    }
}

static float point_value(const struct dla_emu *e, float x)
{
    return e->op == DLA_EMU_LOG ? logf(x) : powf(e->shift + e->scale * x, e->power);
}

/* Power or log. */
static gboolean point_run(const struct dla_net *net, const struct dla_emu *e)
{
    for (uint32_t c = 0; c < e->src.channels; c++) {
        for (uint32_t y = 0; y < e->src.height; y++) {
            for (uint32_t x = 0; x < e->src.width; x++) {
                const uint8_t *from = number_at(net, &e->src, c, y, x);
                uint8_t *to = number_at(net, &e->dst, c, y, x);

                if (!from || !to) {
                    return FALSE;
                }
                value_put(&e->dst, to, point_value(e, value_get(&e->src, from, e->in_scale)),
                          e->out_scale);
            }
        }
    }
    return TRUE;
}

/* int8 goes through fp16 on both sides, as there. */
static gboolean softmax_run(const struct dla_net *net, const struct dla_emu *e)
{
    uint32_t n = e->src.channels;
    g_autofree float *v = g_new(float, n + 1);
    gboolean int8 = e->src.format != DLA_EMU_FP16;
    float max = -INFINITY, sum = 0;

    for (uint32_t i = 0; i < n; i++) {
        const uint8_t *at = packed_at(net, &e->src, i);

        if (!at) {
            return FALSE;
        }
        v[i] = value_get(&e->src, at, e->in_scale);
        v[i] = int8 ? (float)half_to_double(half_away(v[i])) : v[i];
        max = v[i] > max ? v[i] : max;
    }
    for (uint32_t i = 0; i < n; i++) {
        sum += expf(v[i] - max);
    }
    for (uint32_t i = 0; i < n; i++) {
        uint8_t *at = packed_at(net, &e->dst, i);
        float y = expf(v[i] - max) / sum;

        if (!at) {
            return FALSE;
        }
        value_put(&e->dst, at, int8 ? (float)half_to_double(half_away(y)) : y, e->out_scale);
    }
    return TRUE;
}

gboolean dla_emu_run(const struct dla_net *net, GError **error)
{
    for (unsigned i = 0; i < net->cpu_operations; i++) {
        struct dla_emu e;

        if (!dla_emu_get(net, i, &e, error)) {
            return FALSE;
        }
        if (!(e.op == DLA_EMU_SOFTMAX ? softmax_run : point_run)(net, &e)) {
            return emu_fail(net, i, error, "its cubes lead out of their memories");
        }
    }
    return TRUE;
}
