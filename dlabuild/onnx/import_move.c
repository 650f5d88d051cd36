/* SPDX-License-Identifier: MIT */
/* Operators that move numbers: most move none on a DLA, the rest are parts and copies. */
#include <string.h>

#include "dlabuild/onnx/import.h"

#define MAX_COPIES 1024

int move_axis(unsigned rank, int64_t axis)
{
    axis = axis < 0 ? axis + rank : axis;
    if (rank == 1) {
        return axis == 0 ? AXIS_C : -1;
    }
    if (axis == 1) {
        return AXIS_C;
    }
    if (axis < 1 || axis >= rank || (rank > 4 && axis + 1 < rank)) {
        return -1;
    }
    return axis + 1 == rank ? AXIS_W : AXIS_H;
}

static void set_axis(struct value *v, int axis, uint32_t size)
{
    unsigned dim = v->rank == 1 ? 0 : axis == AXIS_C ? 1 : axis == AXIS_W ? v->rank - 1 : 2;

    v->cube[axis] = size;
    if (dim < v->rank) {
        v->dims[dim] = size;
    }
}

static const char *const axis_name[] = { "channels", "lines", "columns" };

struct value *move_slice(struct import *im, struct value *x, const int64_t *first,
                         const int64_t *shape)
{
    JsonObject *l = import_layer(im, "slice", x);
    struct value *y;

    import_ints(l, "first", 3, first);
    import_ints(l, "shape", 3, shape);
    y = import_like(im, l, x);
    y->layer = NULL;
    for (int i = 0; i < 3; i++) {
        set_axis(y, i, (uint32_t)shape[i]);
    }
    return y;
}

struct value *move_concat(struct import *im, struct value *const *parts, unsigned n, int axis)
{
    JsonObject *l = import_layer(im, "concat", NULL);
    JsonArray *a = json_array_new();
    struct value *y = import_like(im, l, parts[0]);
    uint64_t size = 0;

    for (unsigned i = 0; i < n; i++) {
        json_array_add_string_element(a, parts[i]->tensor);
        size += parts[i]->cube[axis];
        y->runs = MAX(y->runs, parts[i]->runs);
    }
    json_object_set_array_member(l, "inputs", a);
    import_text(l, "axis", axis_name[axis]);
    if (size > 8192) {
        import_refuse(im, "NVIDIA's rule for DLA: dimensions of 1 to 8,192");
        return NULL;
    }
    set_axis(y, axis, (uint32_t)size);
    return y;
}

static struct value *gather_channels(struct import *im, struct value *x, const int64_t *from,
                                     uint32_t count)
{
    JsonObject *l = import_layer(im, "select", x);
    struct value *y;

    import_ints(l, "channels", count, from);
    y = import_like(im, l, x);
    y->layer = NULL;
    set_axis(y, AXIS_C, count);
    return y;
}

/* Runs of neighbours are copied to their new place. */
struct value *move_gather(struct import *im, struct value *x, int axis, const int64_t *from,
                          uint32_t count)
{
    GPtrArray *parts;
    struct value *y;

    if (axis == AXIS_C) {
        return gather_channels(im, x, from, count);
    }
    parts = g_ptr_array_new();
    for (uint32_t i = 0, n; i < count && !im->error; i += n) {
        int64_t first[3] = { 0 }, shape[3] = { x->cube[0], x->cube[1], x->cube[2] };

        for (n = 1; i + n < count && from[i + n] == from[i] + n; n++) {
        }
        first[axis] = from[i];
        shape[axis] = n;
        g_ptr_array_add(parts, move_slice(im, x, first, shape));
        if (parts->len > MAX_COPIES) {
            import_refuse(im, "lines or columns in an order that takes more than %d copies",
                          MAX_COPIES);
        }
    }
    y = parts->len == 1 ? parts->pdata[0]
                        : move_concat(im, (struct value *const *)parts->pdata, parts->len, axis);
    g_ptr_array_free(parts, TRUE);
    return im->error ? NULL : y;
}

/* One channel becomes all: a convolution by 1 x 1 with ones. Lines and columns are copied. */
struct value *move_expand(struct import *im, struct value *x, const uint32_t *cube)
{
    int64_t *zeros = g_new0(int64_t, 8193);
    struct value *y = x;

    for (int axis = 0; axis < 3 && y && !im->error; axis++) {
        if (y->cube[axis] == 1 && cube[axis] > 1 && cube[axis] <= 8192) {
            y = move_gather(im, y, axis, zeros, cube[axis]);
        }
    }
    g_free(zeros);
    if (y && memcmp(y->cube, cube, sizeof(y->cube)) != 0) {
        import_refuse(im, "%ux%ux%u cannot be repeated to %ux%ux%u", x->cube[0], x->cube[1],
                      x->cube[2], cube[0], cube[1], cube[2]);
        y = NULL;
    }
    return y;
}

/* --- nothing moves --- */
static struct value *view_of(struct import *im, struct value *x)
{
    struct value *y = g_memdup2(x, sizeof(*x));

    y->tensor = g_strdup(x->tensor);
    y->moved = NULL;
    g_ptr_array_add(im->all, y);
    return y;
}

gboolean import_alias(struct import *im)
{
    struct value *x = import_in(im, 0), *y;
    int64_t to = onnx_int(im->node, "to", ONNX_FLOAT);

    struct value *training = *im->node->op_type == 'D' ? import_in(im, 2) : NULL;

    if (im->node->n_output > 1 && *im->node->output[1]) {
        return import_refuse(im, "a second output (mask)");
    }
    if (training && (!training->constant || training->constant->v[0] != 0)) {
        return import_refuse(im, "in training mode: a DLA infers only");
    }
    if (*im->node->op_type == 'C' && to != ONNX_FLOAT && to != ONNX_FLOAT16 && to != ONNX_DOUBLE) {
        return import_refuse(im, "NVIDIA's rule for DLA: FP16 or INT8; this is data type %d",
                             (int)to);
    }
    if (!x->tensor && !(x = import_settle(im, x))) {
        return FALSE;
    }
    y = view_of(im, x);
    y->moved = x->moved ? onnx_value_ref(x->moved) : NULL;
    import_set(im, 0, y);
    y->uses += x->uses - 1;
    return TRUE;
}

/* The scale in which int8 holds what @type with @zero as its zero point does: an NVDLA's zero is 0,
 * so the side that is farther from it counts (NVIDIA's rule: symmetric quantisation). */
static double symmetric_scale(enum onnx_type type, double scale, double zero)
{
    double low = type == ONNX_INT8 ? -128 : 0, high = type == ONNX_INT8 ? 127 : 255;

    if ((type == ONNX_INT8 && zero == 0) || (type == ONNX_UINT8 && zero == 128)) {
        return scale;
    }
    return MAX(zero - low, high - zero) * scale / 127;
}

/* Between nodes both are the same tensor, whose scale is known then. */
gboolean import_quantise(struct import *im)
{
    struct value *x = import_in(im, 0), *y;
    struct onnx_value *scale = import_constant(im, 1), *zero = import_constant(im, 2);
    enum onnx_type type =
        zero ? zero->type : (enum onnx_type)onnx_int(im->node, "output_dtype", ONNX_UINT8);

    if (im->error || !x || x->constant || !scale || scale->count != 1 || !(scale->v[0] > 0) ||
        (zero && zero->count != 1)) {
        return import_refuse(im, "NVIDIA's rule for DLA: one scale, above 0, for a tensor");
    }
    if (type != ONNX_INT8 && type != ONNX_UINT8) {
        return import_refuse(im, "data type %d: an NVDLA has int8", (int)type);
    }
    if (!x->tensor && !(x = import_settle(im, x))) {
        return FALSE;
    }
    y = view_of(im, x);
    y->moved = x->moved ? onnx_value_ref(x->moved) : NULL;
    import_set(im, 0, y);
    y->uses += x->uses - 1;
    if (*im->node->op_type == 'Q') {
        onnx_scale_set(im->out, y->tensor,
                       symmetric_scale(type, (double)scale->v[0], zero ? (double)zero->v[0] : 0));
    }
    return TRUE;
}

/* Where the numbers of an item lie, as a tensor: the operator itself moves them. */
static struct onnx_value *places_of(const struct value *x)
{
    int64_t dims[ONNX_MAX_RANK];
    struct onnx_value *v;

    memcpy(dims, x->dims, sizeof(dims));
    if (x->runs > 1) {
        dims[0] = 1;
    }
    v = onnx_value_new(ONNX_FLOAT, x->rank, dims);
    for (size_t i = 0; v && i < v->count; i++) {
        v->v[i] = x->moved ? x->moved->v[i] : (float)i;
    }
    return v;
}

static void result_set(struct import *im, struct value *x, const struct onnx_value *places)
{
    struct value *y = view_of(im, x);
    gboolean identity = TRUE;

    for (size_t i = 0; i < places->count; i++) {
        identity = identity && (size_t)places->v[i] == i;
    }
    y->rank = places->rank;
    memcpy(y->dims, places->dims, sizeof(y->dims));
    if (x->runs > 1 && y->rank && y->dims[0] == 1) {
        y->dims[0] = x->runs;
    }
    y->moved = identity ? NULL : onnx_value_ref((struct onnx_value *)places);
    import_set(im, 0, y);
    y->uses += x->uses - 1;
}

/* Of a batch: the shape that the whole gets; numbers stay where they are. */
static gboolean move_batch(struct import *im, struct value *x)
{
    struct onnx_value *whole = onnx_value_new(ONNX_FLOAT, x->rank, x->dims);
    struct onnx_call *c = im->call;
    struct value *y;

    c->in[0] = whole;
    if (!whole || !onnx_eval(c)) {
        onnx_value_unref(whole);
        return import_refuse(im, "%s", c->why);
    }
    y = view_of(im, x);
    y->rank = c->out[0]->rank;
    memcpy(y->dims, c->out[0]->dims, sizeof(y->dims));
    onnx_value_unref(c->out[0]);
    onnx_value_unref(whole);
    c->out[0] = NULL;
    import_set(im, 0, y);
    y->uses += x->uses - 1;
    return TRUE;
}

gboolean import_move(struct import *im)
{
    struct value *x = import_in(im, 0);
    struct onnx_call *c = im->call;
    gboolean transpose = *im->node->op_type == 'T';
    struct onnx_value *places;
    gboolean ok;

    for (unsigned i = 1; i < im->node->n_input; i++) {
        import_constant(im, i);
    }
    if (im->error) {
        return FALSE;
    }
    /* An input that nothing else reads gets the cube of what it is seen as. */
    if (!transpose && !x->tensor && x->name && x->uses <= 1) {
        return move_batch(im, x);
    }
    if (!x->tensor && !(x = import_settle(im, x))) {
        return FALSE;
    }
    if (x->runs > 1 && !transpose) {
        return move_batch(im, x);
    }
    if (x->runs > 1) {
        size_t n;
        const int64_t *perm = onnx_ints(im->node, "perm", &n);

        if (!perm || perm[0] != 0) {
            return import_refuse(im, "a transposition of the batch");
        }
    }
    places = places_of(x);
    c->in[0] = places;
    ok = places && onnx_eval(c);
    onnx_value_unref(places);
    if (!ok) {
        return import_refuse(im, "%s", c->why);
    }
    result_set(im, x, c->out[0]);
    onnx_value_unref(c->out[0]);
    c->out[0] = NULL;
    return TRUE;
}

/* --- parts --- */
gboolean import_concat(struct import *im)
{
    unsigned n = (unsigned)im->node->n_input;
    struct value **v = g_new0(struct value *, n + 1), *y;
    int axis = -1;

    for (unsigned i = 0; i < n && !im->error; i++) {
        v[i] = import_tensor(im, i);
    }
    if (!im->error && n) {
        axis = move_axis(v[0]->rank, onnx_int(im->node, "axis", 1));
        if (axis < 0) {
            import_refuse(im, "a concatenation along the batch: NVIDIA's rule for DLA: along the "
                              "channels only");
        }
    }
    if (!im->error && n) {
        y = n == 1 ? point_copy(im, v[0]) : move_concat(im, v, n, axis);
        import_set(im, 0, y);
    }
    g_free(v);
    return !im->error;
}

static gboolean axis_or_refuse(struct import *im, const struct value *x, int64_t axis, int *out)
{
    *out = move_axis(x->rank, axis);
    return *out >= 0 || import_refuse(im, "along the batch");
}

gboolean import_split(struct import *im)
{
    struct value *x = import_tensor(im, 0);
    struct onnx_value *places;
    int64_t at = 0;
    int axis;

    if (!x || !axis_or_refuse(im, x, onnx_int(im->node, "axis", 0), &axis)) {
        return FALSE;
    }
    import_constant(im, 1);
    places = places_of(x);
    im->call->in[0] = places;
    if (im->error || !onnx_eval(im->call)) {
        onnx_value_unref(places);
        return import_refuse(im, "%s", im->call->why);
    }
    for (unsigned i = 0; i < im->node->n_output && i < ONNX_MAX_ENDS; i++) {
        struct onnx_value *part = im->call->out[i];
        int64_t first[3] = { 0 }, shape[3] = { x->cube[0], x->cube[1], x->cube[2] };
        unsigned dim = x->rank == 1 ? 0 : axis == AXIS_C ? 1 : axis == AXIS_W ? x->rank - 1 : 2;

        first[axis] = at;
        shape[axis] = part->dims[dim];
        at += shape[axis];
        if (shape[axis] > 0) {
            import_set(im, i, move_slice(im, x, first, shape));
        }
        onnx_value_unref(part);
        im->call->out[i] = NULL;
    }
    onnx_value_unref(places);
    return !im->error;
}

/* What a slice or gather along each axis of the cube picks: found by moving the axis' numbers. */
static struct value *move_pick(struct import *im, struct value *x)
{
    struct onnx_value *places = places_of(x), *got;
    struct value *y = x;
    int64_t step[3] = { (int64_t)x->cube[1] * x->cube[2], x->cube[2], 1 };
    uint32_t cube[3];
    int64_t runs;

    im->call->in[0] = places;
    if (!places || !onnx_eval(im->call)) {
        onnx_value_unref(places);
        import_refuse(im, "%s", im->call->why);
        return NULL;
    }
    onnx_value_unref(places);
    got = im->call->out[0];
    im->call->out[0] = NULL;
    import_cube(got->rank, got->dims, &runs, cube);
    if (got->count == 0 || got->rank != x->rank || runs != 1) {
        import_refuse(im, got->count ? "another rank" : "nothing is left");
        onnx_value_unref(got);
        return NULL;
    }
    for (int axis = 0; axis < 3 && y; axis++) {
        int64_t *from = g_new(int64_t, cube[axis] + 1), stride = 1;
        gboolean all = cube[axis] == x->cube[axis];

        for (int i = axis + 1; i < 3; i++) {
            stride *= cube[i];
        }
        for (uint32_t i = 0; i < cube[axis]; i++) {
            from[i] = (int64_t)got->v[(int64_t)i * stride] / step[axis] % x->cube[axis];
            all = all && from[i] == i;
        }
        y = all ? y : move_gather(im, y, axis, from, cube[axis]);
        g_free(from);
    }
    onnx_value_unref(got);
    return y == x ? point_copy(im, x) : y;
}

static gboolean pick_node(struct import *im)
{
    struct value *x = import_tensor(im, 0), *y;

    for (unsigned i = 1; i < im->node->n_input; i++) {
        import_constant(im, i);
    }
    if (!x || im->error) {
        return FALSE;
    }
    y = move_pick(im, x);
    import_set(im, 0, y);
    return y != NULL;
}

gboolean import_slice(struct import *im)
{
    return pick_node(im);
}

gboolean import_gather(struct import *im)
{
    struct value *x = import_in(im, 0);
    int axis;

    if (!x || !axis_or_refuse(im, x, onnx_int(im->node, "axis", 0), &axis)) {
        return FALSE;
    }
    return pick_node(im);
}

/* --- pads --- */
static struct value *pad_constant(struct import *im, struct value *x, int axis, int64_t before,
                                  int64_t after, float value)
{
    struct value *parts[3];
    unsigned n = 0;

    for (int i = 0; i < 2; i++) {
        int64_t size = i ? after : before, shape[3] = { x->cube[0], x->cube[1], x->cube[2] };

        if (i == 1) {
            parts[n++] = x;
        }
        if (size > 0) {
            JsonObject *l = import_layer(im, "constant", NULL);

            shape[axis] = size;
            import_ints(l, "shape", 3, shape);
            json_object_set_object_member(
                l, "elements", import_fill(im, value, (size_t)(shape[0] * shape[1] * shape[2])));
            parts[n] = import_like(im, l, x);
            parts[n]->layer = NULL;
            set_axis(parts[n++], axis, (uint32_t)size);
        }
    }
    return n == 1 ? x : move_concat(im, parts, n, axis);
}

gboolean import_pad(struct import *im)
{
    struct value *x = import_tensor(im, 0), *y;
    struct onnx_value *pads = import_constant(im, 1), *fill = import_constant(im, 2);
    gboolean constant =
        !onnx_attribute(im->node, "mode") || onnx_text_is(im->node, "mode", "constant");
    size_t n;
    const int64_t *attribute = onnx_ints(im->node, "pads", &n);
    float value = fill && fill->count ? fill->v[0] : onnx_float(im->node, "value", 0);

    if (!x || im->error) {
        return FALSE;
    }
    n = pads ? pads->count : n;
    if (n != 2 * x->rank) {
        return import_refuse(im, "two pads for each dimension");
    }
    if (!constant) {
        return pick_node(im);
    }
    y = x;
    for (unsigned i = 0; i < x->rank && y; i++) {
        int64_t before = pads ? (int64_t)pads->v[i] : attribute[i];
        int64_t after = pads ? (int64_t)pads->v[i + x->rank] : attribute[i + x->rank];
        int axis = move_axis(x->rank, i);

        if (before == 0 && after == 0) {
            continue;
        }
        if (axis < 0 || MAX(before, after) > 8192) {
            return import_refuse(im, "pads of the batch, or of more than 8,192");
        }
        if (before < 0 || after < 0) {
            int64_t first[3] = { 0 }, shape[3] = { y->cube[0], y->cube[1], y->cube[2] };

            first[axis] = MAX(0, -before);
            shape[axis] -= MAX(0, -before) + MAX(0, -after);
            if (shape[axis] < 1) {
                return import_refuse(im, "nothing is left");
            }
            y = move_slice(im, y, first, shape);
        }
        y = pad_constant(im, y, axis, MAX(0, before), MAX(0, after), value);
    }
    y = y == x ? point_copy(im, x) : y;
    import_set(im, 0, y);
    return !im->error;
}

gboolean import_depth_to_space(struct import *im)
{
    struct value *x = import_tensor(im, 0), *y;
    int64_t b = onnx_int(im->node, "blocksize", 0);
    gboolean crd = onnx_text_is(im->node, "mode", "CRD");
    int64_t factor[2] = { b, b }, dims[4];
    uint32_t outs, cube[3];
    JsonObject *l;
    float *w;

    if (!x || x->rank != 4 || b < 1 || b > 32 || x->cube[0] % (b * b)) {
        return import_refuse(im, "channels are no multiple of the block");
    }
    /* A deconvolution of size and stride b whose weights are ones at the channel of the phase. */
    outs = x->cube[0] / (uint32_t)(b * b);
    w = g_new0(float, (size_t)outs * x->cube[0] * (size_t)(b * b) + 1);
    for (uint32_t o = 0; o < outs; o++) {
        for (int64_t p = 0; p < b * b; p++) {
            int64_t c = crd ? o * b * b + p : p * outs + o;

            w[((size_t)o * x->cube[0] + (size_t)c) * (size_t)(b * b) + (size_t)p] = 1;
        }
    }
    l = import_layer(im, "deconv", x);
    json_object_set_int_member(l, "kernels", outs);
    import_ints(l, "size", 2, factor);
    import_ints(l, "stride", 2, factor);
    json_object_set_object_member(l, "weights",
                                  import_data(im, w, (size_t)outs * x->cube[0] * (size_t)(b * b)));
    cube[0] = outs;
    cube[1] = x->cube[1] * (uint32_t)b;
    cube[2] = x->cube[2] * (uint32_t)b;
    dims[0] = x->dims[0];
    for (int i = 0; i < 3; i++) {
        dims[i + 1] = cube[i];
    }
    y = import_made(im, l, cube, 4, dims, x->runs);
    import_set(im, 0, y);
    return !im->error;
}
