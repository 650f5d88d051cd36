/* SPDX-License-Identifier: MIT */
#include "tools/dla/dla_layout.h"

#include <string.h>

#include "dlabuild/half.h"

/* Tensor descriptors: DATA_TYPE of loadable.fbs. */
enum { TENSOR_HALF = 2, TENSOR_INT16 = 3, TENSOR_INT8 = 4 };

static gboolean dla_layout_fail(GError **error, const char *name, const char *what)
{
    g_set_error(error, DLA_TOOL_ERROR, 0, "%s: %s", name, what);
    return FALSE;
}

int layout_dst(enum desc_op op)
{
    return op == DESC_OP_SDP || op == DESC_OP_CONV ? 4 : op == DESC_OP_BDMA ? -1 : 1;
}

/* Precision of cube @i of an operation. */
static int64_t cube_precision(const uint8_t *d, enum desc_op op, unsigned i)
{
    switch (op) {
    case DESC_OP_CONV:
        return DESC_GETU(d, CONV, in_precision);
    case DESC_OP_SDP:
        return i == 4 ? DESC_GETU(d, SDP, dst_precision) : DESC_GETU(d, SDP, src_precision);
    case DESC_OP_PDP:
        return DESC_GETU(d, PDP, precision);
    case DESC_OP_CDP:
        return i ? DESC_GETU(d, CDP, out_precision) : DESC_GETU(d, CDP, in_precision);
    case DESC_OP_RUBIK:
        return DESC_GETU(d, RUBIK, precision);
    default:
        return -1;
    }
}

/* Sides of RUBIK that are planes, not atoms. */
static gboolean is_planar(const uint8_t *d, enum desc_op op, unsigned i)
{
    return op == DESC_OP_RUBIK && DESC_GETU(d, RUBIK, mode) == (i ? 1 : 2);
}

gboolean layout_of_cube(struct layout *l, const struct dla_net *net, unsigned op, unsigned i,
                        unsigned atom)
{
    enum desc_op type = dla_net_op(net, op);
    const uint8_t *d = dla_net_operation(net, op);
    int64_t precision = cube_precision(d, type, i);
    gboolean image =
        type == DESC_OP_CONV && i == 3 && DESC_GETU(d, CONV, data_format) != DESC_FEATURE;
    struct desc_cube c;

    if (type == DESC_OP_BDMA || precision < 0 || precision > 2 || is_planar(d, type, i)) {
        return FALSE;
    }
    desc_cube_get(dla_net_surface(net, op), i, net->cube_bytes, &c);
    if (c.type == 2 || c.address < 0) {
        return FALSE;
    }
    *l = (struct layout){
        .iova = net->address[c.address] + c.offset,
        .type = image ? ARRAY_UINT8 : (enum array_type)precision,
        .channels = c.channels,
        .height = c.height,
        .width = c.width,
        .line_stride = c.line_stride,
        .surf_stride = c.surf_stride,
        .bytes = c.size,
        .pixel_format = image ? (int)DESC_GETU(d, CONV, data_format) : DESC_FEATURE,
        .atom = atom,
    };
    return TRUE;
}

static gboolean of_tensor(struct layout *l, const struct dla_net_file *f, size_t index,
                          const struct loadable_tensor *t, unsigned atom)
{
    gboolean image = t->category == 0 && t->pixel_format < DESC_FEATURE;

    if (t->c < 1 || t->h < 1 || t->w < 1 || (t->type < TENSOR_HALF || t->type > TENSOR_INT8)) {
        return FALSE;
    }
    *l = (struct layout){
        .iova = f->iova[index] + t->offset,
        .type = image                     ? ARRAY_UINT8
                : t->type == TENSOR_INT8  ? ARRAY_INT8
                : t->type == TENSOR_INT16 ? ARRAY_INT16
                                          : ARRAY_FP16,
        .channels = (uint32_t)t->c,
        .height = (uint32_t)t->h,
        .width = (uint32_t)t->w,
        .line_stride = t->stride[1],
        .surf_stride = t->stride[2],
        .bytes = (uint32_t)t->size,
        .pixel_format = image ? t->pixel_format : DESC_FEATURE,
        .atom = atom,
    };
    g_snprintf(l->name, sizeof(l->name), "%.*s", (int)MIN(t->name.len, 80), t->name.at);
    return TRUE;
}

/* The first cube of any operation that lies in the memory; for an output one that is written. */
static gboolean of_operations(struct layout *l, const struct dla_net_file *f, size_t index,
                              const struct dla_net *net, unsigned atom)
{
    gboolean output = (f->l->memory[index].flags & LOADABLE_OUTPUT) != 0;
    uint64_t first = f->iova[index], end = first + f->l->memory[index].size;

    for (unsigned op = 0; op < net->operations; op++) {
        enum desc_op type = dla_net_op(net, op);

        for (unsigned i = 0; desc_surface_name(type, i); i++) {
            gboolean dst = (int)i == layout_dst(type);

            if (dst == output && !(type == DESC_OP_CONV && i < 3) &&
                layout_of_cube(l, net, op, i, atom) && l->iova >= first && l->iova < end) {
                return TRUE;
            }
        }
    }
    return FALSE;
}

gboolean layout_of_memory(struct layout *l, const struct dla_net_file *f, size_t index,
                          const struct dla_net *nets, unsigned count, unsigned atom, GError **error)
{
    const struct loadable_memory *m = &f->l->memory[index];
    char name[32];

    for (size_t i = 0; i < f->l->tensors; i++) {
        const struct loadable_tensor *t = &f->l->tensor[i];

        if (t->memory_id == m->id && of_tensor(l, f, index, t, atom)) {
            return TRUE;
        }
    }
    g_snprintf(name, sizeof(name), "memory %u", m->id);
    for (unsigned i = 0; i < count; i++) {
        if (of_operations(l, f, index, &nets[i], atom)) {
            g_strlcpy(l->name, name, sizeof(l->name));
            return TRUE;
        }
    }
    return dla_layout_fail(error, name,
                           "no tensor descriptor and no operation says how it is laid out");
}

/* Where a number lies, NULL if not in memory. Images: components in memory order of the format. */
static uint8_t *dla_layout_place(const struct layout *l, const struct dla_net_file *f, uint32_t c,
                                 uint32_t y, uint32_t x)
{
    static const uint8_t order[4][4] = {
        { 0, 1, 2, 3 }, { 2, 1, 0, 3 }, { 1, 2, 3, 0 }, { 3, 2, 1, 0 }
    };
    unsigned size = array_type_bytes(l->type), per;
    uint64_t iova = l->iova + (uint64_t)y * l->line_stride;

    if (l->pixel_format != DESC_FEATURE) {
        unsigned kind = l->pixel_format >= 26 ? l->pixel_format == 26 ? 1u : 2u
                                              : (unsigned)(l->pixel_format - 12) % 4;

        iova += l->channels == 1 ? x : (uint64_t)x * 4 + order[kind][c & 3];
        return dla_net_bytes(f, iova, 1);
    }
    per = l->atom / size;
    iova +=
        (uint64_t)(c / per) * l->surf_stride + (uint64_t)x * l->atom + (uint64_t)(c % per) * size;
    return dla_net_bytes(f, iova, size);
}

static gboolean format_known(const struct layout *l)
{
    int p = l->pixel_format;

    return p == DESC_FEATURE || (p == 0 && l->channels == 1) ||
           (((p >= 12 && p <= 19) || p == 26 || p == 27) && l->channels == 4);
}

gboolean layout_get(const struct layout *l, const struct dla_net_file *f, struct array *a,
                    GError **error)
{
    const char *name = *l->name ? l->name : "cube";
    size_t i = 0;

    *a = (struct array){
        .type = l->type, .channels = l->channels, .height = l->height, .width = l->width
    };
    if (!format_known(l) || array_count(a) == 0 || array_count(a) > (1u << 28)) {
        return dla_layout_fail(error, name, "a layout that is not known here");
    }
    if (!dla_layout_place(l, f, a->channels - 1, a->height - 1, a->width - 1)) {
        return dla_layout_fail(error, name, "its strides lead out of its memory");
    }
    a->v = g_new0(int32_t, array_count(a) + 1);
    for (uint32_t c = 0; c < a->channels; c++) {
        for (uint32_t y = 0; y < a->height; y++) {
            for (uint32_t x = 0; x < a->width; x++) {
                const uint8_t *b = dla_layout_place(l, f, c, y, x);

                if (!b) {
                    array_free(a);
                    return dla_layout_fail(error, name, "its strides lead out of its memory");
                }
                a->v[i++] = (int32_t)desc_get(b, array_type_bytes(l->type), l->type < ARRAY_FP16);
            }
        }
    }
    return TRUE;
}

/* Channel @c of a pixel: grey for one channel, else R, G, B and an opaque A. */
static int32_t picture_pixel(const struct array *a, const struct layout *l, uint32_t c, size_t at)
{
    size_t plane = (size_t)a->height * a->width;

    if (l->channels == 1 && a->channels == 3) { /* luma of BT.601 in 1/256 */
        return (77 * a->v[at] + 150 * a->v[plane + at] + 29 * a->v[2 * plane + at] + 128) >> 8;
    }
    return a->channels == 1 && c < 3 ? a->v[at] : c < a->channels ? a->v[c * plane + at] : 255;
}

/* A number of the file as one of the tensor. */
static gboolean number_convert(const struct layout *l, const struct array *a, int32_t v,
                               int32_t *out)
{
    if (a->picture && l->type == ARRAY_INT8) {
        *out = v - 128;
    } else if (a->picture && l->type == ARRAY_FP16) {
        *out = half_from_double(v);
    } else {
        *out = v;
        return l->type == a->type || (l->type == ARRAY_INT8 && v >= -128 && v <= 127) ||
               (l->type == ARRAY_UINT8 && v >= 0 && v <= 255) ||
               (l->type == ARRAY_INT16 && a->type != ARRAY_FP16);
    }
    return TRUE;
}

static gboolean sizes_match(const struct layout *l, const struct array *a, const char *path,
                            GError **error)
{
    if (a->height == l->height && a->width == l->width &&
        (a->channels == l->channels || (a->picture && l->channels <= 4))) {
        return TRUE;
    }
    g_set_error(error, DLA_TOOL_ERROR, 0,
                "%s: %u channels, %u lines, %u columns; \"%s\" takes %u, %u, %u (nothing is scaled "
                "here)",
                path, a->channels, a->height, a->width, l->name, l->channels, l->height, l->width);
    return FALSE;
}

gboolean layout_put(const struct layout *l, const struct dla_net_file *f, const struct array *a,
                    const char *path, GError **error)
{
    size_t plane = (size_t)a->height * a->width;

    if (!sizes_match(l, a, path, error)) {
        return FALSE;
    }
    if (!format_known(l)) {
        return dla_layout_fail(error, l->name, "a pixel format that is not known here");
    }
    if ((l->type == ARRAY_FP16) != (a->type == ARRAY_FP16) && !a->picture) {
        return dla_layout_fail(error, path, "fp16 is neither made from integers nor taken as such");
    }
    for (uint32_t c = 0; c < l->channels; c++) {
        for (size_t i = 0; i < plane; i++) {
            uint8_t *b =
                dla_layout_place(l, f, c, (uint32_t)(i / a->width), (uint32_t)(i % a->width));
            int32_t v = a->picture ? picture_pixel(a, l, c, i) : a->v[c * plane + i];

            if (!b) {
                return dla_layout_fail(error, l->name, "its strides lead out of its memory");
            }
            if (!number_convert(l, a, v, &v)) {
                g_set_error(error, DLA_TOOL_ERROR, 0, "%s: %d is no %s, which \"%s\" takes", path,
                            v, array_type_name(l->type), l->name);
                return FALSE;
            }
            desc_put(b, array_type_bytes(l->type), v);
        }
    }
    return TRUE;
}
