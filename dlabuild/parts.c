/* SPDX-License-Identifier: MIT */
/* Tensors that are parts of others: concatenations, splits, slices; and those made of constants.
 * What can lie in its place is written there by the layer that makes it; the rest is copied. */
#include <string.h>

#include "dlabuild/build.h"

static char *name_free(const struct build *b, const char *name, const char *suffix)
{
    return g_strdup_printf("%s.%s%u", name, suffix, b->tensors->len);
}

void tensor_copy_to(struct build *b, const struct json_at *j, const char *name, struct tensor *from,
                    struct tensor *to)
{
    struct json_at none = { .object = NULL };
    enum dla_precision precision;
    struct build_op *op;

    g_strlcpy(none.path, j->path, sizeof(none.path));
    op = point_op(b, &none, name, from, FALSE, NULL, &precision);
    op_cube_tensor(b, op, 4, to, TRUE);
    b->groups++;
}

struct tensor *tensor_copy(struct build *b, const struct json_at *j, const char *name,
                           struct tensor *t)
{
    struct tensor *copy =
        tensor_new(b, j->path, name, t->channels, t->height, t->width, t->precision);

    tensor_copy_to(b, j, name, t, copy);
    return copy;
}

enum { AXIS_CHANNELS, AXIS_LINES, AXIS_COLUMNS };

static uint32_t *axis_of(struct tensor *t, int axis)
{
    return axis == AXIS_CHANNELS ? &t->channels : axis == AXIS_LINES ? &t->height : &t->width;
}

static uint32_t *axis_first(struct tensor *t, int axis)
{
    return axis == AXIS_CHANNELS ? &t->first_channel
           : axis == AXIS_LINES  ? &t->first_line
                                 : &t->first_column;
}

static uint32_t whole_atoms(const struct build *b, uint32_t channels, enum dla_precision p)
{
    uint32_t atom = atom_channels(b, p);

    return (channels + atom - 1) / atom * atom;
}

static gboolean part_fits(struct build *b, const struct json_at *j, struct tensor *whole,
                          struct tensor *part, int axis)
{
    for (int i = 0; i < 3; i++) {
        if (i != axis && *axis_of(whole, i) != *axis_of(part, i)) {
            build_fail(b, j->path, "\"%s\" has another size than the first input", part->name);
        }
    }
    if (part->precision != whole->precision) {
        build_fail(b, j->path, "\"%s\" has another precision than the first input", part->name);
    }
    if (*axis_of(part, axis) > BUILD_MAX_SIZE - *axis_of(whole, axis)) {
        build_fail(b, j->path, "at most 8192 %s",
                   axis == AXIS_CHANNELS ? "channels"
                   : axis == AXIS_LINES  ? "lines"
                                         : "columns");
    }
    return !b->error;
}

/* @part becomes the next part of @whole; what cannot lie there (an input, what is a part already)
 * is copied. */
static void concat_part(struct build *b, const struct json_at *j, struct tensor *whole,
                        struct tensor *part, int axis)
{
    if (!need_feature(b, j, part) || !part_fits(b, j, whole, part, axis)) {
        return;
    }
    if (part->parent || part->made < 0 || part->is_constant) {
        char *name = name_free(b, part->name, "copy");

        part = tensor_copy(b, j, name, part);
        g_free(name);
    }
    part->parent = whole;
    *axis_first(part, axis) = *axis_of(whole, axis);
    *axis_of(whole, axis) += *axis_of(part, axis);
    whole->made = whole->made < 0 ? part->made : MIN(whole->made, part->made);
    whole->used = MAX(whole->used, part->used);
}

/* Parts that do not begin at an atom go to the next one, and a convolution closes the gaps. */
static void concat_close(struct build *b, const struct json_at *j, const char *name,
                         struct tensor *padded, const uint32_t *real, guint n)
{
    uint32_t *list = g_new(uint32_t, padded->channels + 1), at = 0, count = 0;

    for (guint i = 0; i < n; i++) {
        for (uint32_t c = 0; c < real[i]; c++) {
            list[count++] = at + c;
        }
        at += whole_atoms(b, real[i], padded->precision);
    }
    conv_select(b, j, name, padded, list, count);
    g_free(list);
}

static gboolean concat_has_gaps(const struct build *b, struct tensor *const *parts, guint n)
{
    for (guint i = 0; i + 1 < n; i++) {
        if (parts[i]->channels % atom_channels(b, parts[i]->precision)) {
            return TRUE;
        }
    }
    return FALSE;
}

void layer_concat(struct build *b, const struct json_at *j, const char *name)
{
    JsonArray *a = json_array(b, j, "inputs", TRUE);
    int axis = json_word(b, j, "axis", "channels|lines|columns", AXIS_CHANNELS);
    guint n = a ? json_array_get_length(a) : 0;
    struct tensor **parts = g_new0(struct tensor *, n + 1), *whole;
    uint32_t *real = g_new0(uint32_t, n + 1);
    gboolean gaps = FALSE;
    char *made;

    for (guint i = 0; i < n && !b->error; i++) {
        parts[i] = tensor_find(b, j->path, json_text_at(b, j, "inputs", a, i));
    }
    if (n == 0) {
        build_fail(b, j->path, "inputs is empty");
    }
    if (!b->error) {
        gaps = axis == AXIS_CHANNELS && concat_has_gaps(b, parts, n);
        made = gaps ? name_free(b, name, "padded") : g_strdup(name);
        whole = tensor_new(b, j->path, made, parts[0]->channels, parts[0]->height, parts[0]->width,
                           parts[0]->precision);
        g_free(made);
        *axis_of(whole, axis) = 0;
        for (guint i = 0; i < n && !b->error; i++) {
            real[i] = parts[i]->channels;
            concat_part(b, j, whole, parts[i], axis);
            if (gaps && i + 1 < n) {
                whole->channels = whole_atoms(b, whole->channels, whole->precision);
            }
        }
        b->last = whole;
        if (gaps && !b->error) {
            concat_close(b, j, name, whole, real, n);
        }
    }
    g_free(parts);
    g_free(real);
}

/* Channels @first .. of @in as the tensor @name: a part where an atom begins, else picked out. */
static struct tensor *channels_take(struct build *b, const struct json_at *j, const char *name,
                                    struct tensor *in, uint32_t first, uint32_t channels)
{
    struct tensor *t;
    uint32_t *list;

    if (first % atom_channels(b, in->precision) == 0) {
        t = tensor_new(b, j->path, name, channels, in->height, in->width, in->precision);
        t->parent = in;
        t->first_channel = first;
        t->made = in->made;
        return t;
    }
    list = g_new(uint32_t, channels + 1);
    for (uint32_t i = 0; i < channels; i++) {
        list[i] = first + i;
    }
    t = conv_select(b, j, name, in, list, channels);
    g_free(list);
    return t;
}

void layer_split(struct build *b, const struct json_at *j)
{
    struct tensor *in = layer_input(b, j);
    JsonArray *names = json_array(b, j, "outputs", TRUE),
              *sizes = json_array(b, j, "channels", TRUE);
    guint n = names ? json_array_get_length(names) : 0;
    int64_t *channels = g_new0(int64_t, n + 1);
    uint32_t at = 0;

    if (sizes && json_array_get_length(sizes) != n) {
        build_fail(b, j->path, "as many channels as outputs");
    }
    if (!b->error && n > 0) {
        json_ints(b, j, "channels", n, 1, BUILD_MAX_SIZE, channels);
    }
    for (guint i = 0; i < n; i++) {
        at += (uint32_t)channels[i];
    }
    if (in && !b->error && at != in->channels) {
        build_fail(b, j->path, "the channels add up to %u, \"%s\" has %u", at, in->name,
                   in->channels);
    }
    at = 0;
    for (guint i = 0; i < n && need_feature(b, j, in); i++) {
        channels_take(b, j, json_text_at(b, j, "outputs", names, i), in, at, (uint32_t)channels[i]);
        at += (uint32_t)channels[i];
    }
    g_free(channels);
}

void layer_slice(struct build *b, const struct json_at *j, const char *name)
{
    struct tensor *in = layer_input(b, j), *t;
    int64_t first[3] = { 0 }, shape[3] = { 1, 1, 1 };
    char *made;

    json_ints(b, j, "first", 3, 0, BUILD_MAX_SIZE, first);
    if (!json_ints(b, j, "shape", 3, 1, BUILD_MAX_SIZE, shape)) {
        build_fail(b, j->path, "needs a shape: [channels, height, width]");
    }
    if (!need_feature(b, j, in)) {
        return;
    }
    if (first[0] + shape[0] > in->channels || first[1] + shape[1] > in->height ||
        first[2] + shape[2] > in->width) {
        build_fail(b, j->path, "reaches beyond \"%s\", which is %u x %u x %u", in->name,
                   in->channels, in->height, in->width);
        return;
    }
    if (first[0] % atom_channels(b, in->precision)) {
        made = name_free(b, name, "channels");
        in = channels_take(b, j, made, in, (uint32_t)first[0], (uint32_t)shape[0]);
        first[0] = 0;
        g_free(made);
    }
    if (!in || b->error) {
        return;
    }
    t = tensor_new(b, j->path, name, (uint32_t)shape[0], (uint32_t)shape[1], (uint32_t)shape[2],
                   in->precision);
    t->parent = in;
    t->first_channel = (uint32_t)first[0];
    t->first_line = (uint32_t)first[1];
    t->first_column = (uint32_t)first[2];
    t->made = in->made;
}

void layer_select(struct build *b, const struct json_at *j, const char *name)
{
    struct tensor *in = layer_input(b, j);
    JsonArray *a = json_array(b, j, "channels", TRUE);
    guint n = a ? json_array_get_length(a) : 0;
    int64_t *list;
    uint32_t *channels;

    if (n < 1 || n > BUILD_MAX_SIZE) {
        build_fail(b, j->path, "1 to 8192 channels");
    }
    if (!need_feature(b, j, in)) {
        return;
    }
    list = g_new0(int64_t, n + 1);
    channels = g_new0(uint32_t, n + 1);
    json_ints(b, j, "channels", n, 0, in->channels - 1, list);
    for (guint i = 0; i < n; i++) {
        channels[i] = (uint32_t)list[i];
    }
    if (!b->error) {
        conv_select(b, j, name, in, channels, n);
    }
    g_free(list);
    g_free(channels);
}

/* --- constants --- */
static uint64_t constant_place(struct build *b, const struct tensor *t, const int32_t *v)
{
    unsigned size = precision_bytes(t->precision);
    uint32_t per = atom_channels(b, t->precision), atoms = (t->channels + per - 1) / per;
    size_t plane = (size_t)t->height * t->width, len = atoms * plane * b->cfg->atom;
    uint8_t *bytes = g_malloc0(len + 1);
    uint64_t at;

    for (size_t i = 0; i < plane * t->channels; i++) {
        size_t c = i / plane, pixel = i % plane;

        desc_put(bytes + (c / per * plane + pixel) * b->cfg->atom + c % per * size, size, v[i]);
    }
    at = build_constant(b, bytes, len);
    g_free(bytes);
    return at;
}

struct tensor *tensor_constant(struct build *b, const struct json_at *j, const char *key,
                               const struct tensor *shape)
{
    struct tensor *t = g_memdup2(shape, sizeof(*shape));
    size_t n = (size_t)t->channels * t->height * t->width;
    int32_t *v = json_data(b, j, key, n, t->precision);

    t->name = g_strdup("a constant");
    t->pixel_format = DESC_FEATURE;
    t->made = t->used = t->input = t->output = -1;
    t->is_constant = TRUE;
    t->constant = constant_place(b, t, v);
    g_ptr_array_add(b->tensors, t);
    g_free(v);
    return t;
}

void layer_constant(struct build *b, const struct json_at *j, const char *name)
{
    int64_t shape[3] = { 1, 1, 1 };
    struct tensor *last = b->last, *t, size;

    if (!json_ints(b, j, "shape", 3, 1, BUILD_MAX_SIZE, shape)) {
        build_fail(b, j->path, "needs a shape: [channels, height, width]");
    }
    size = (struct tensor){ .channels = (uint32_t)shape[0],
                            .height = (uint32_t)shape[1],
                            .width = (uint32_t)shape[2],
                            .precision = (enum dla_precision)json_word(
                                b, j, "precision", "int8|int16|fp16", (int)b->precision) };
    t = tensor_new(b, j->path, name, size.channels, size.height, size.width, size.precision);
    if (!b->error) {
        t->constant = tensor_constant(b, j, "elements", &size)->constant;
        t->is_constant = TRUE;
    }
    b->last = last;
}
