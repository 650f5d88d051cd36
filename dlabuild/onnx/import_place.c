/* SPDX-License-Identifier: MIT */
/* Values of the graph as tensors of the network: inputs, constants, and numbers that were moved. */
#include <string.h>

#include "dlabuild/onnx/import.h"

#define MAX_CUBE 8192

/* An input becomes one of the description with the cube it is first used with. */
static void input_place(struct import *im, struct value *v, const uint32_t *cube, int64_t runs)
{
    struct onnx_end *end = g_new0(struct onnx_end, 1);
    JsonObject *o = json_object_new();
    const int64_t shape[3] = { cube[0], cube[1], cube[2] };
    char *name = import_name(im);

    import_text(o, "name", name);
    import_ints(o, "shape", 3, shape);
    json_array_add_object_element(im->inputs, o);
    v->tensor = name;
    g_hash_table_insert(im->out->channels, g_strdup(name), GSIZE_TO_POINTER(cube[0]));
    v->runs = runs;
    memcpy(v->cube, cube, sizeof(v->cube));
    end->name = g_strdup(v->name);
    end->runs = runs;
    end->rank = v->rank;
    memcpy(end->dims, v->dims, sizeof(end->dims));
    memcpy(end->cube, cube, sizeof(end->cube));
    g_ptr_array_add(im->out->inputs, end);
    for (int i = 0; i < 3; i++) {
        if (cube[i] < 1 || cube[i] > MAX_CUBE) {
            import_refuse(im, "input \"%s\": NVIDIA's rule for DLA: dimensions of 1 to 8,192",
                          v->name);
            break;
        }
    }
}

static struct value *constant_place(struct import *im, struct value *v)
{
    JsonObject *layer = import_layer(im, "constant", NULL);
    uint32_t cube[3];
    int64_t runs, shape[3];
    struct value *made;

    import_cube(v->rank, v->dims, &runs, cube);
    if (runs != 1) {
        import_refuse(im, "a constant with a batch of %" G_GINT64_FORMAT, runs);
        return NULL;
    }
    for (int i = 0; i < 3; i++) {
        shape[i] = cube[i];
    }
    import_ints(layer, "shape", 3, shape);
    json_object_set_object_member(
        layer, "elements",
        import_data(im, g_memdup2(v->constant->v, v->constant->count * sizeof(float)),
                    v->constant->count));
    made = import_made(im, layer, cube, v->rank, v->dims, 1);
    made->layer = NULL;
    return made;
}

/* Numbers that were moved: channels in another order are picked out by a convolution; lines and
 * columns are copied. */
static struct value *moved_settle(struct import *im, struct value *v, const uint32_t *cube)
{
    struct value whole = *v, *x = &whole;
    const float *m = v->moved->v;
    size_t plane = (size_t)cube[1] * cube[2], old = (size_t)v->cube[1] * v->cube[2];
    int64_t *from;
    gboolean same = memcmp(cube, v->cube, sizeof(v->cube)) == 0, channels = old == plane;

    for (size_t i = 0; i < v->moved->count; i++) {
        same = same && (size_t)m[i] == i;
        channels = channels && (size_t)m[i] % old == i % plane &&
                   (size_t)m[i] / old == (size_t)m[i / plane * plane] / old;
    }
    if (same || !channels || cube[1] != v->cube[1]) {
        if (!same) {
            import_refuse(im, "its input is a transposition that an NVDLA cannot do: numbers move "
                              "between channels and lines");
        }
        return same ? v : NULL;
    }
    from = g_new(int64_t, cube[0] + 1);
    for (uint32_t c = 0; c < cube[0]; c++) {
        from[c] = (int64_t)m[c * plane] / (int64_t)old;
    }
    whole.moved = NULL;
    x = move_gather(im, x, AXIS_C, from, cube[0]);
    g_free(from);
    if (x) {
        x->rank = v->rank;
        memcpy(x->dims, v->dims, sizeof(x->dims));
    }
    return x;
}

struct value *import_settle(struct import *im, struct value *v)
{
    uint32_t cube[3];
    int64_t runs;

    if (!v || im->error) {
        return NULL;
    }
    if (v->constant) {
        return constant_place(im, v);
    }
    import_cube(v->rank, v->dims, &runs, cube);
    if (!v->tensor && !v->name) {
        import_refuse(im, "an output that it reads is not computed here");
        return NULL;
    }
    if (!v->tensor) {
        input_place(im, v, cube, runs);
    }
    if (v->moved) {
        return moved_settle(im, v, cube);
    }
    if (runs != v->runs || memcmp(cube, v->cube, sizeof(cube)) != 0) {
        char *to = onnx_shape_text(v->rank, v->dims);

        import_refuse(im,
                      "its input of %ux%ux%u is seen as %s: an NVDLA cannot reshape between "
                      "channels, lines and columns",
                      v->cube[0], v->cube[1], v->cube[2], to);
        g_free(to);
        return NULL;
    }
    return v;
}

struct value *import_tensor(struct import *im, unsigned i)
{
    struct value *v = import_in(im, i);

    if (!v) {
        import_refuse(im, "input %u is missing", i);
        return NULL;
    }
    return import_settle(im, v);
}
