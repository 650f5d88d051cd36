/* SPDX-License-Identifier: MIT */
/* Steps of the single point data processor: behind the layer that makes their input when that has a
 * stage left and no other reader, else in a layer of their own. */
#include <math.h>
#include <string.h>

#include "dlabuild/functions.h"
#include "dlabuild/onnx/import.h"

/* Stages that the steps of a layer take. */
static unsigned steps_of(JsonObject *layer)
{
    return (unsigned)json_object_has_member(layer, "bias") +
           (unsigned)json_object_has_member(layer, "batch_norm") +
           (unsigned)json_object_has_member(layer, "eltwise");
}

static unsigned stages_of(const struct import *im)
{
    return im->cfg->sdp_ew ? 3 : 2;
}

/* May @x's layer take @steps stages more, of kind @key ("activation": at the end)? */
static gboolean layer_takes(const struct import *im, const struct value *x, const char *key,
                            unsigned steps)
{
    JsonObject *l = x->layer;
    const char *type = l ? json_object_get_string_member(l, "type") : "";
    gboolean activation = strcmp(key, "activation") == 0, deconv = strcmp(type, "deconv") == 0;

    if (desc_word_find("conv|fully_connected|pointwise|deconv", type) < 0 || x->uses != 1 ||
        x->moved || json_object_has_member(l, "activation") ||
        (deconv && strcmp(key, "eltwise") == 0)) {
        return FALSE;
    }
    if (!activation && (json_object_has_member(l, "eltwise") || json_object_has_member(l, key) ||
                        (strcmp(key, "bias") == 0 && json_object_has_member(l, "batch_norm")))) {
        return FALSE;
    }
    return steps_of(l) + steps <= stages_of(im);
}

/* The layer that takes a step, and what it makes then. */
static JsonObject *layer_for(struct import *im, struct value *x, const char *key, unsigned steps,
                             struct value **made)
{
    if (layer_takes(im, x, key, steps)) {
        *made = import_made(im, x->layer, x->cube, x->rank, x->dims, x->runs);
        (*made)->order = x->order;
        return x->layer;
    }
    *made = import_like(im, import_layer(im, "pointwise", x), x);
    return (*made)->layer;
}

struct value *point_copy(struct import *im, struct value *x)
{
    return import_like(im, import_layer(im, "pointwise", x), x);
}

static gboolean all_are(const float *v, size_t n, float what)
{
    for (size_t i = 0; i < n; i++) {
        if (v[i] != what) {
            return FALSE;
        }
    }
    return TRUE;
}

struct value *point_bias_of(struct import *im, struct value *x, float *bias)
{
    struct value *y;
    JsonObject *l;

    if (all_are(bias, x->cube[0], 0)) {
        g_free(bias);
        return x;
    }
    l = layer_for(im, x, "bias", 1, &y);
    json_object_set_object_member(l, "bias", import_data(im, bias, x->cube[0]));
    return y;
}

/* x * scale + offset, a number for each channel: (x + offset / scale) * scale unless that is lost
 * in fp16, where the offset is a bias of its own. */
struct value *point_scale(struct import *im, struct value *x, float *scale, float *offset)
{
    size_t n = x->cube[0];
    gboolean apart = FALSE;
    JsonObject *l, *o;
    struct value *y;
    float *first;

    if (all_are(scale, n, 1)) {
        g_free(scale);
        return point_bias_of(im, x, offset);
    }
    first = g_new0(float, n + 1);
    for (size_t i = 0; i < n; i++) {
        first[i] = scale[i] != 0 ? offset[i] / scale[i] : 0;
        apart = apart || (scale[i] == 0 && offset[i] != 0) || fabsf(first[i]) > 2000;
    }
    if (apart) {
        memset(first, 0, n * sizeof(*first));
    }
    l = layer_for(im, x, "batch_norm", 1, &y);
    o = json_object_new();
    json_object_set_object_member(o, "offset", import_data(im, first, n));
    json_object_set_object_member(o, "scale", import_data(im, scale, n));
    json_object_set_object_member(l, "batch_norm", o);
    if (!apart) {
        g_free(offset);
        return y;
    }
    return point_channels(im, y, "add", offset);
}

struct value *point_channels(struct import *im, struct value *x, const char *op, float *v)
{
    struct value *y;
    JsonObject *l = layer_for(im, x, "eltwise", 1, &y), *o = json_object_new();

    import_text(o, "op", op);
    json_object_set_object_member(o, "channels", import_data(im, v, x->cube[0]));
    json_object_set_object_member(l, "eltwise", o);
    return y;
}

struct value *point_elements(struct import *im, struct value *x, const char *op, float *v)
{
    struct value *y;
    JsonObject *l = layer_for(im, x, "eltwise", 1, &y), *o = json_object_new();

    if (strcmp(json_object_get_string_member(l, "type"), "deconv") == 0) {
        return NULL;
    }
    import_text(o, "op", op);
    json_object_set_object_member(o, "elements", import_data(im, v, import_count(x)));
    json_object_set_object_member(l, "eltwise", o);
    return y;
}

struct value *point_relu_of(struct import *im, struct value *x)
{
    struct value *y;
    /* The last stage of three, Y, has none. */
    JsonObject *l = layer_for(im, x, "activation", stages_of(im) == 3, &y);

    import_text(l, "activation", "relu");
    return y;
}

struct value *point_slope(struct import *im, struct value *x, float *slope)
{
    struct value *y;
    JsonObject *l = layer_for(im, x, "activation", 1, &y), *o = json_object_new();

    import_text(o, "type", "prelu");
    json_object_set_object_member(o, "slope", import_data(im, slope, x->cube[0]));
    json_object_set_object_member(l, "activation", o);
    return y;
}

struct value *point_bounds(struct import *im, struct value *x, float low, float high)
{
    gboolean has_low = low > -65504, has_high = high < 65504;
    gboolean bare = x->layer && steps_of(x->layer) == 0; /* a ReLU takes a stage then */
    unsigned steps = (unsigned)((low != 0 ? has_low : bare) + has_high);
    struct value *y;
    JsonObject *l, *o;

    if (!has_low && !has_high) {
        return x;
    }
    if (low == 0 && !has_high) {
        return point_relu_of(im, x);
    }
    l = layer_for(im, x, "activation", steps, &y);
    o = json_object_new();
    import_text(o, "type", "clip");
    if (has_low) {
        json_object_set_double_member(o, "min", (double)low);
    }
    if (has_high) {
        json_object_set_double_member(o, "max", (double)high);
    }
    json_object_set_object_member(l, "activation", o);
    return y;
}

struct value *point_table_of(struct import *im, struct value *x, const char *function,
                             const double *arg, int range)
{
    struct value *y;
    JsonObject *l = layer_for(im, x, "activation", 0, &y), *o = json_object_new();
    JsonArray *a = json_array_new();

    import_text(o, "type", "table");
    import_text(o, "function", function);
    for (unsigned i = 0; i < 2; i++) {
        json_array_add_double_element(a, arg ? arg[i] : 0);
    }
    json_object_set_array_member(o, "arg", a);
    json_object_set_int_member(o, "range", range);
    json_object_set_object_member(l, "activation", o);
    return y;
}

/* @a op @b: cubes of one size, or @b 1 x 1, or one line. */
struct value *point_two(struct import *im, struct value *a, struct value *b, const char *op)
{
    struct value *base = a, *other = b, *y;
    gboolean same = memcmp(a->cube, b->cube, sizeof(a->cube)) == 0;
    JsonObject *l, *o = json_object_new();

    if (same && b->order > a->order && layer_takes(im, b, "eltwise", 1)) {
        base = b;
        other = a;
    }
    if (base != other && base->layer && other->order < base->order &&
        layer_takes(im, base, "eltwise", 1) && base->tensor != other->tensor) {
        l = base->layer;
        y = import_made(im, l, base->cube, a->rank, a->dims, MAX(a->runs, b->runs));
        y->order = base->order;
    } else {
        l = import_layer(im, "pointwise", base);
        y = import_made(im, l, base->cube, a->rank, a->dims, MAX(a->runs, b->runs));
    }
    import_text(o, "op", op);
    import_text(o, "input", other->tensor);
    json_object_set_object_member(l, "eltwise", o);
    return y;
}

/* --- operators --- */
float *point_fill(size_t n, float v)
{
    float *all = g_new(float, n + 1);

    for (size_t i = 0; i < n; i++) {
        all[i] = v;
    }
    return all;
}

/* An input on its first use: the cube of its shape. A point operation takes any cube. */
struct value *import_any(struct import *im, struct value *v)
{
    return v && v->tensor && !v->constant ? v : import_settle(im, v);
}

/* y sees the numbers as x does. */
void import_keep_view(const struct value *x, struct value *y)
{
    if (y && x->moved) {
        y->moved = onnx_value_ref(x->moved);
    }
}

static struct value *unary_hard(struct import *im, struct value *x, const struct onnx_unary *u)
{
    struct value *y = point_scale(im, x, point_fill(x->cube[0], (float)u->arg[0]),
                                  point_fill(x->cube[0], (float)u->arg[1]));

    return point_bounds(im, y, 0, 1);
}

/* The number above the threshold: 0 or 1 from a steep line, times x. */
static struct value *unary_threshold(struct import *im, struct value *x, float alpha)
{
    size_t n = x->cube[0];
    struct value *y =
        point_channels(im, point_copy(im, x), "add", point_fill(n, nextafterf(-alpha, -1e9f)));

    y = point_scale(im, point_copy(im, y), point_fill(n, 30000), point_fill(n, 0));
    return point_two(im, point_bounds(im, y, 0, 1), x, "mul");
}

static struct value *unary_value(struct import *im, struct value *x, const struct onnx_unary *u)
{
    const char *op = u->name;
    size_t n = x->cube[0];
    struct value *y;

    if (strcmp(op, "Relu") == 0) {
        return point_relu_of(im, x);
    }
    if (strcmp(op, "LeakyRelu") == 0) {
        return point_slope(im, x, point_fill(n, (float)u->arg[0]));
    }
    if (strcmp(op, "Neg") == 0) {
        return point_scale(im, x, point_fill(n, -1), point_fill(n, 0));
    }
    if (strcmp(op, "HardSigmoid") == 0) {
        return unary_hard(im, x, u);
    }
    if (strcmp(op, "HardSwish") == 0) {
        x->uses++;
        return point_two(im, unary_hard(im, x, u), x, "mul");
    }
    if (strcmp(op, "Abs") == 0) {
        x->uses++;
        y = point_scale(im, x, point_fill(n, -1), point_fill(n, 0));
        return point_two(im, y, x, "max");
    }
    if (strcmp(op, "ThresholdedRelu") == 0) {
        return unary_threshold(im, x, (float)u->arg[0]);
    }
    if (desc_word_find("Floor|Ceil|Round|Sign", op) >= 0) {
        import_refuse(im, "an NVDLA has no rounding");
        return NULL;
    }
    return point_table_of(im, x, op, u->arg, 3);
}

gboolean import_unary(struct import *im)
{
    struct value *x = import_any(im, import_in(im, 0)), *y;
    struct onnx_unary u;

    if (!x || !onnx_unary_find(im->node, im->m->opset, &u)) {
        return FALSE;
    }
    y = unary_value(im, x, &u);
    import_keep_view(x, y);
    import_set(im, 0, y);
    return y != NULL;
}

gboolean import_clip(struct import *im)
{
    struct value *x = import_any(im, import_in(im, 0)), *y;
    struct onnx_value *low = import_constant(im, 1), *high = import_constant(im, 2);

    if (!x || im->error) {
        return FALSE;
    }
    y = point_bounds(im, x, low && low->count ? low->v[0] : onnx_float(im->node, "min", -INFINITY),
                     high && high->count ? high->v[0] : onnx_float(im->node, "max", INFINITY));
    if (y == x) {
        y = point_copy(im, x);
    }
    import_keep_view(x, y);
    import_set(im, 0, y);
    return TRUE;
}
