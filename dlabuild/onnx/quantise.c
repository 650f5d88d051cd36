/* SPDX-License-Identifier: MIT */
/* Arithmetic of an int8 layer: the sums of products v count in s_in * s_weight of their kernel. One
 * stage, (v + offset) * scale >> shift, brings all kernels to one unit, fine enough that what
 * follows (an operand, bounds, a table) loses nothing; the output converter rounds to the scale of
 * the result. */
#include "dlabuild/onnx/quantise.h"

#include <math.h>
#include <string.h>

#include "dlabuild/functions.h"

#define FINE 7       /* bits of the unit below the result's, or below an operand's */
#define MUL_FINE 12  /* and below the result of a product, before it */
#define MAX_SHIFT 31 /* right shifts that are used */
#define MAX_OPERAND 32767.
#define TABLE_RANGE 12 /* log2 of the numbers that a table takes */
#define TABLE_OUT 12   /* fraction bits of what it gives */

/**
 * struct layer - the layer under way
 * @name: of what it makes; @in: scale of its input; @out: of its result
 * @a, @b: a value is a * v + b, for each of @n channels
 * @unit: what one of the numbers behind the stages counts
 */
struct layer {
    struct onnx_import *r;
    JsonObject *o;
    const char *name;
    double in, out, unit;
    double *a, *b;
    size_t n;
    GError *error;
};

static gboolean layer_fail(struct layer *l, const char *why)
{
    const char *value = g_hash_table_lookup(l->r->layers, l->name);
    g_autofree char *text =
        g_strdup_printf("layer \"%s\" (value \"%s\"): %s", l->name, value ? value : "?", why);
    g_autofree char *valid = g_utf8_make_valid(text, -1);

    if (!l->error) {
        l->error = g_error_new_literal(DLA_BUILD_ERROR, 0, valid);
    }
    return FALSE;
}

/* --- scales --- */
static double scale_of(const struct onnx_import *r, const char *tensor)
{
    const double *s = g_hash_table_lookup(r->scales, tensor);

    return s ? *s : 0;
}

void onnx_scale_set(struct onnx_import *r, const char *tensor, double scale)
{
    g_hash_table_insert(r->scales, g_strdup(tensor), g_memdup2(&scale, sizeof(scale)));
}

static const char *text_of(JsonObject *o, const char *key)
{
    return json_object_has_member(o, key) ? json_object_get_string_member(o, key) : "";
}

/* --- data --- */
static struct build_data *data_of(const struct onnx_import *r, JsonObject *o, const char *key)
{
    JsonObject *d = json_object_has_member(o, key) ? json_object_get_object_member(o, key) : NULL;

    return d ? r->data->pdata[json_object_get_int_member(d, "data")] : NULL;
}

static JsonObject *data_new(struct onnx_import *r, const double *v, size_t n)
{
    struct build_data *d = g_new(struct build_data, 1);
    JsonObject *o = json_object_new();

    d->count = n;
    d->v = g_new(float, n + 1);
    for (size_t i = 0; i < n; i++) {
        d->v[i] = (float)v[i];
    }
    json_object_set_int_member(o, "data", r->data->len);
    g_ptr_array_add(r->data, d);
    return o;
}

static double largest_of(const float *v, size_t n)
{
    double m = 0;

    for (size_t i = 0; i < n; i++) {
        m = fmax(m, fabs((double)v[i]));
    }
    return m;
}

/* --- weights --- */
/* Numbers in place of values; @a gets the scale of each kernel. */
static gboolean weights_quantise(struct layer *l)
{
    struct build_data *w = data_of(l->r, l->o, "weights"), *s = data_of(l->r, l->o, "weight_scale");
    size_t per;

    l->n = (size_t)json_object_get_int_member(l->o, "kernels");
    if (!w || !l->n || w->count % l->n || (s && s->count != 1 && s->count != l->n)) {
        return layer_fail(l, "weights and scales do not fit");
    }
    per = w->count / l->n;
    l->a = g_new(double, l->n + 1);
    for (size_t k = 0; k < l->n; k++) {
        double largest = largest_of(w->v + k * per, per);
        double scale = s ? (double)s->v[s->count == 1 ? 0 : k] : largest > 0 ? largest / 127 : 1;

        for (size_t i = 0; i < per; i++) {
            w->v[k * per + i] =
                (float)CLAMP(nearbyint((double)w->v[k * per + i] / scale), -128., 127.);
        }
        l->a[k] = l->in * scale;
    }
    json_object_remove_member(l->o, "weight_scale");
    return TRUE;
}

/* --- affine steps --- */
static void bias_take(struct layer *l)
{
    const struct build_data *b = data_of(l->r, l->o, "bias");

    for (size_t k = 0; b && k < l->n; k++) {
        l->b[k] += (double)b->v[k];
    }
    json_object_remove_member(l->o, "bias");
}

static void norm_take(struct layer *l)
{
    JsonObject *o = json_object_has_member(l->o, "batch_norm")
                        ? json_object_get_object_member(l->o, "batch_norm")
                        : NULL;
    const struct build_data *offset = o ? data_of(l->r, o, "offset") : NULL,
                            *scale = o ? data_of(l->r, o, "scale") : NULL;

    for (size_t k = 0; scale && offset && k < l->n; k++) {
        l->b[k] = (l->b[k] + (double)offset->v[k]) * (double)scale->v[k];
        l->a[k] *= (double)scale->v[k];
    }
    json_object_remove_member(l->o, "batch_norm");
}

/* Constants of the channels that add or multiply are affine, too. */
static void channels_take(struct layer *l)
{
    JsonObject *e = json_object_has_member(l->o, "eltwise")
                        ? json_object_get_object_member(l->o, "eltwise")
                        : NULL;
    const struct build_data *c = e ? data_of(l->r, e, "channels") : NULL;
    gboolean add = e && strcmp(text_of(e, "op"), "add") == 0,
             mul = e && strcmp(text_of(e, "op"), "mul") == 0;

    if (!c || (!add && !mul)) {
        return;
    }
    for (size_t k = 0; k < l->n; k++) {
        l->a[k] *= mul ? (double)c->v[k] : 1;
        l->b[k] = mul ? l->b[k] * (double)c->v[k] : l->b[k] + (double)c->v[k];
    }
    json_object_remove_member(l->o, "eltwise");
}

/* The stage that brings a * v + b to @unit. */
static gboolean affine_put(struct layer *l)
{
    g_autofree double *offset = g_new0(double, l->n + 1), *scale = g_new0(double, l->n + 1);
    double largest = 0, far = 0;
    JsonObject *o = json_object_new();
    int shift = 0, left = 0;

    for (size_t k = 0; k < l->n; k++) {
        if (l->a[k] == 0 && l->b[k] != 0) {
            json_object_unref(o);
            return layer_fail(l, "a scale of 0 with an offset: not in int8");
        }
        offset[k] = l->a[k] != 0 ? l->b[k] / l->a[k] : 0;
        scale[k] = l->a[k] / l->unit;
        largest = fmax(largest, fabs(scale[k]));
        far = fmax(far, fabs(offset[k]));
    }
    while (shift < MAX_SHIFT && largest * ldexp(1, shift + 1) <= MAX_OPERAND) {
        shift++;
    }
    while (far / ldexp(1, left) > MAX_OPERAND) {
        left++;
    }
    if (largest > MAX_OPERAND || left > 15) {
        json_object_unref(o);
        return layer_fail(l, "its scales differ by more than int8's 16-bit operands hold");
    }
    for (size_t k = 0; k < l->n; k++) {
        offset[k] = ldexp(offset[k], -left);
        scale[k] = ldexp(scale[k], shift);
    }
    json_object_set_object_member(o, "offset", data_new(l->r, offset, l->n));
    json_object_set_object_member(o, "scale", data_new(l->r, scale, l->n));
    json_object_set_int_member(o, "shift", shift);
    json_object_set_int_member(o, "offset_shift", left);
    json_object_set_object_member(l->o, "batch_norm", o);
    return TRUE;
}

/* --- operands --- */
/* A constant for each number, as int8 with a scale of its own. */
static double elements_quantise(struct layer *l, JsonObject *e)
{
    struct build_data *d = data_of(l->r, e, "elements");
    double scale = fmax(largest_of(d->v, d->count), 1e-30) / 127;

    for (size_t i = 0; i < d->count; i++) {
        d->v[i] = (float)nearbyint((double)d->v[i] / scale);
    }
    return scale;
}

/* Bounds of channels as numbers of the unit. */
static void bounds_quantise(struct layer *l, struct build_data *c)
{
    for (size_t i = 0; i < c->count; i++) {
        c->v[i] = (float)CLAMP(nearbyint((double)c->v[i] / l->unit), -MAX_OPERAND, MAX_OPERAND);
    }
}

static gboolean eltwise_put(struct layer *l)
{
    JsonObject *e = json_object_has_member(l->o, "eltwise")
                        ? json_object_get_object_member(l->o, "eltwise")
                        : NULL;
    struct build_data *c = e ? data_of(l->r, e, "channels") : NULL;
    gboolean mul = e && strcmp(text_of(e, "op"), "mul") == 0;
    double scale;
    int left = FINE;

    l->unit = ldexp(l->out, -FINE);
    if (!e) {
        return affine_put(l);
    }
    if (c) {
        bounds_quantise(l, c);
        return affine_put(l);
    }
    scale = json_object_has_member(e, "elements") ? elements_quantise(l, e)
                                                  : scale_of(l->r, text_of(e, "input"));
    if (scale <= 0) {
        return layer_fail(l, "its second operand has no scale");
    }
    if (mul) {
        l->unit = ldexp(l->out, -MUL_FINE);
        json_object_set_int_member(e, "shift", FINE);
    } else {
        left += (int)CLAMP(ceil(log2(scale / l->out)), 0., 8.);
        l->unit = ldexp(scale, -left);
        json_object_set_int_member(e, "shift", left);
    }
    if (!affine_put(l)) {
        return FALSE;
    }
    l->unit = mul ? ldexp(l->unit * scale, FINE) : l->unit;
    return TRUE;
}

/* --- activations --- */
static gboolean bound_put(struct layer *l, JsonObject *a, const char *key)
{
    double v;

    if (!json_object_has_member(a, key)) {
        return TRUE;
    }
    v = json_object_get_double_member(a, key) / l->unit;
    if (fabs(v) > MAX_OPERAND && fabs(v) * l->unit < 127 * l->out) {
        return layer_fail(l, "a bound that 16 bits of its unit do not hold");
    }
    json_object_set_double_member(a, key, CLAMP(nearbyint(v), -MAX_OPERAND, MAX_OPERAND));
    return TRUE;
}

static gboolean slope_put(struct layer *l, JsonObject *a)
{
    struct build_data *d = data_of(l->r, a, "slope");
    double largest = largest_of(d->v, d->count);
    int shift = 14;

    while (shift > 0 && largest * ldexp(1, shift) > MAX_OPERAND) {
        shift--;
    }
    for (size_t i = 0; i < d->count; i++) {
        d->v[i] = (float)ldexp((double)d->v[i], shift);
    }
    json_object_set_int_member(a, "shift", shift);
    return TRUE;
}

/* Before a table numbers count in powers of two. */
static gboolean table_unit(struct layer *l)
{
    JsonObject *a = json_object_get_object_member(l->o, "activation");
    const struct build_function *f = build_function_find(text_of(a, "function"));
    int range = (int)json_object_get_int_member(a, "range"), in = TABLE_RANGE - range;

    if (json_object_has_member(l->o, "eltwise") || !f || f->positive || in < 0 || range < -4) {
        return layer_fail(l, "this function is not built in int8");
    }
    l->unit = ldexp(1, -in);
    json_object_set_int_member(a, "range", TABLE_RANGE);
    json_object_set_int_member(a, "input_frac", in);
    json_object_set_int_member(a, "output_frac", TABLE_OUT);
    if (!affine_put(l)) {
        return FALSE;
    }
    l->unit = ldexp(1, -TABLE_OUT);
    return TRUE;
}

static gboolean steps_put(struct layer *l)
{
    JsonNode *n = json_object_get_member(l->o, "activation");
    JsonObject *a = n && JSON_NODE_HOLDS_OBJECT(n) ? json_node_get_object(n) : NULL;
    const char *type = a ? text_of(a, "type") : "";

    if (strcmp(type, "table") == 0) {
        return table_unit(l);
    }
    if (!eltwise_put(l)) {
        return FALSE;
    }
    if (strcmp(type, "clip") == 0) {
        return bound_put(l, a, "min") && bound_put(l, a, "max");
    }
    return strcmp(type, "prelu") == 0 ? slope_put(l, a) : TRUE;
}

/* unit / out as scale >> shift of the output converter. */
static gboolean output_put(struct layer *l)
{
    JsonObject *o = json_object_new();
    double ratio = l->unit / l->out;
    int shift = 0;

    while (shift < MAX_SHIFT && ratio * ldexp(1, shift + 1) <= MAX_OPERAND) {
        shift++;
    }
    json_object_set_int_member(o, "scale", (int64_t)nearbyint(ldexp(ratio, shift)));
    json_object_set_int_member(o, "shift", shift);
    json_object_set_object_member(l->o, "output", o);
    return ratio <= MAX_OPERAND || layer_fail(l, "its scales are too far apart");
}

/* --- layers --- */
static gboolean is_copy(JsonObject *o)
{
    return !json_object_has_member(o, "bias") && !json_object_has_member(o, "batch_norm") &&
           !json_object_has_member(o, "eltwise");
}

/* A layer of the SDP, or with one behind it. @channels: of a pointwise layer's input. */
static gboolean steps_quantise(struct layer *l, gboolean weights, size_t channels)
{
    l->out = scale_of(l->r, l->name);
    if (json_object_has_member(l->o, "keep_scale") || (!weights && l->out <= 0 && is_copy(l->o))) {
        json_object_remove_member(l->o, "keep_scale");
        l->out = l->in;
        onnx_scale_set(l->r, l->name, l->in);
    }
    if (l->out <= 0) {
        return layer_fail(l, "no scale: there is no QuantizeLinear behind it");
    }
    if (weights && !weights_quantise(l)) {
        return FALSE;
    }
    if (!weights) {
        l->n = channels;
        l->a = g_new(double, l->n + 1);
        for (size_t k = 0; k < l->n; k++) {
            l->a[k] = l->in;
        }
    }
    l->b = g_new0(double, l->n + 1);
    bias_take(l);
    norm_take(l);
    channels_take(l);
    return steps_put(l) && output_put(l);
}

static gboolean constant_quantise(struct layer *l)
{
    onnx_scale_set(l->r, l->name, elements_quantise(l, l->o));
    return TRUE;
}

/* The layer's numbers keep the scale of its input. */
static gboolean scale_keep(struct layer *l)
{
    JsonArray *outputs = json_object_has_member(l->o, "outputs")
                             ? json_object_get_array_member(l->o, "outputs")
                             : NULL;

    onnx_scale_set(l->r, l->name, l->in);
    for (guint i = 0; outputs && i < json_array_get_length(outputs); i++) {
        onnx_scale_set(l->r, json_array_get_string_element(outputs, i), l->in);
    }
    return TRUE;
}

/* A copy of the tensor @from in the scale @scale, as a layer before the one under way. */
static char *copy_in_scale(struct layer *l, JsonArray *to, const char *from, size_t channels,
                           double scale, unsigned i)
{
    char *name = g_strdup_printf("%.40s_s%u", l->name, i);
    struct layer copy = { .r = l->r, .o = json_object_new(), .name = name };

    json_object_set_string_member(copy.o, "name", name);
    json_object_set_string_member(copy.o, "type", "pointwise");
    json_object_set_string_member(copy.o, "input", from);
    onnx_scale_set(l->r, name, scale);
    copy.in = scale_of(l->r, from);
    json_array_add_object_element(to, copy.o);
    if (!steps_quantise(&copy, FALSE, channels)) {
        l->error = copy.error;
    }
    g_free(copy.a);
    g_free(copy.b);
    return name;
}

/* Parts of one tensor have one scale: the model's, or the coarsest of the parts. */
static gboolean concat_quantise(struct layer *l, JsonArray *to, GHashTable *channels)
{
    JsonArray *in = json_object_get_array_member(l->o, "inputs"), *out = json_array_new();
    double scale = scale_of(l->r, l->name);

    for (guint i = 0; scale <= 0 && i < json_array_get_length(in); i++) {
        l->out = fmax(l->out, scale_of(l->r, json_array_get_string_element(in, i)));
    }
    scale = scale > 0 ? scale : l->out;
    for (guint i = 0; i < json_array_get_length(in); i++) {
        const char *name = json_array_get_string_element(in, i);
        double s = scale_of(l->r, name);

        if (s <= 0) {
            json_array_unref(out);
            return layer_fail(l, "a part has no scale");
        }
        if (fabs(s / scale - 1) < 1e-4) {
            json_array_add_string_element(out, name);
        } else {
            g_autofree char *copy = copy_in_scale(
                l, to, name, GPOINTER_TO_SIZE(g_hash_table_lookup(channels, name)), scale, i);

            json_array_add_string_element(out, copy);
        }
    }
    json_object_set_array_member(l->o, "inputs", out);
    onnx_scale_set(l->r, l->name, scale);
    return !l->error;
}

static gboolean layer_quantise(struct layer *l, JsonArray *to, GHashTable *channels)
{
    const char *type = text_of(l->o, "type"), *input = text_of(l->o, "input");
    size_t n = GPOINTER_TO_SIZE(g_hash_table_lookup(channels, input));

    l->name = text_of(l->o, "name");
    l->in = scale_of(l->r, input);
    if (strcmp(type, "concat") == 0) {
        return concat_quantise(l, to, channels);
    }
    if (strcmp(type, "constant") == 0) {
        return constant_quantise(l);
    }
    if (l->in <= 0) {
        return layer_fail(l, "its input has no scale: there is no QuantizeLinear behind it");
    }
    if (desc_word_find("conv|fully_connected|deconv", type) >= 0) {
        return steps_quantise(l, TRUE, 0);
    }
    if (strcmp(type, "pointwise") == 0) {
        return steps_quantise(l, FALSE, n);
    }
    if (desc_word_find("pool|slice|split|select|upsample", type) >= 0) {
        return scale_keep(l);
    }
    return layer_fail(l, "this layer is not built in int8");
}

/* What a number of each tensor stands for goes with the file, in the order of the names. */
static void scales_write(struct onnx_import *out, JsonObject *root)
{
    GList *names = g_list_sort(g_hash_table_get_keys(out->scales), (GCompareFunc)strcmp);
    JsonObject *scales = json_object_new();

    for (GList *l = names; l; l = l->next) {
        json_object_set_double_member(scales, l->data, scale_of(out, l->data));
    }
    json_object_set_object_member(root, "scales", scales);
    g_list_free(names);
}

gboolean quantise_description(struct onnx_import *out, GError **error)
{
    JsonObject *root = json_node_get_object(out->description);
    JsonArray *layers = json_object_get_array_member(root, "layers"), *to = json_array_new();
    gboolean ok = TRUE;

    for (guint i = 0; ok && i < json_array_get_length(layers); i++) {
        struct layer l = { .r = out, .o = json_array_get_object_element(layers, i) };

        ok = layer_quantise(&l, to, out->channels);
        json_array_add_object_element(to, json_object_ref(l.o));
        g_free(l.a);
        g_free(l.b);
        if (l.error) {
            g_propagate_error(error, l.error);
        }
    }
    json_object_set_array_member(root, "layers", to);
    json_object_set_string_member(root, "precision", "int8");
    scales_write(out, root);
    return ok;
}
