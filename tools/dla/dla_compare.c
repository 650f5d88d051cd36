/* SPDX-License-Identifier: MIT */
#include "tools/dla/dla_compare.h"

#include <math.h>
#include <string.h>

#include "dlabuild/onnx/reference.h"
#include "tools/dla/dla_build.h"
#include "tools/dla/dla_net.h"

/**
 * struct dla_compare - a comparison
 * @inputs: name in the graph -> struct onnx_value
 * @names: layers in the order in which they ran; @layers: name -> struct onnx_value of its numbers
 */
struct dla_compare {
    struct onnx_model *m;
    struct onnx_import *r;
    GHashTable *inputs, *layers;
    GPtrArray *names;
};

void dla_compare_close(struct dla_compare *c)
{
    if (c) {
        g_hash_table_unref(c->inputs);
        g_hash_table_unref(c->layers);
        g_ptr_array_free(c->names, TRUE);
        onnx_import_free(c->r);
        onnx_model_free(c->m);
        g_free(c);
    }
}

static gboolean compare_fail(GError **error, const char *name, const char *why)
{
    g_set_error(error, DLA_TOOL_ERROR, 0, "--compare: \"%s\": %s", name, why);
    return FALSE;
}

/* A loadable computes one item; the reference computes the graph as it is. */
static gboolean ends_are_single(const struct dla_compare *c, GError **error)
{
    for (guint i = 0; i < c->r->inputs->len; i++) {
        const struct onnx_end *end = c->r->inputs->pdata[i];

        if (end->runs > 1) {
            return compare_fail(error, end->name, "a batch: give the shape of one item (--shape)");
        }
    }
    return TRUE;
}

struct dla_compare *dla_compare_open(const char *model, const struct onnx_options *options,
                                     GError **error)
{
    struct dla_compare *c = g_new0(struct dla_compare, 1);
    GHashTableIter iter;
    gpointer name, value;

    c->inputs =
        g_hash_table_new_full(g_str_hash, g_str_equal, g_free, (GDestroyNotify)onnx_value_unref);
    c->layers =
        g_hash_table_new_full(g_str_hash, g_str_equal, g_free, (GDestroyNotify)onnx_value_unref);
    c->names = g_ptr_array_new_with_free_func(g_free);
    c->m = build_model_open(model, error);
    c->r = c->m ? onnx_import(c->m, options, error) : NULL;
    if (!c->r || !ends_are_single(c, error)) {
        dla_compare_close(c);
        return NULL;
    }
    g_hash_table_iter_init(&iter, options->constants);
    while (g_hash_table_iter_next(&iter, &name, &value)) {
        g_hash_table_insert(c->inputs, g_strdup(name), onnx_value_ref(value));
    }
    return c;
}

/* Numbers as their values; @scale is int8's. NULL: too large. */
static struct onnx_value *value_of(const struct array *a, double scale, unsigned rank,
                                   const int64_t *dims)
{
    struct onnx_value *v = onnx_value_new(ONNX_FLOAT, rank, dims);

    for (size_t i = 0; v && i < v->count && i < array_count(a); i++) {
        v->v[i] =
            (float)(a->type == ARRAY_FP16 ? half_to_double(a->v[i]) : (double)a->v[i] * scale);
    }
    return v;
}

gboolean dla_compare_input(struct dla_compare *c, unsigned n, const struct array *a, double scale,
                           GError **error)
{
    const struct onnx_end *end = n < c->r->inputs->len ? c->r->inputs->pdata[n] : NULL;
    struct onnx_value *v;

    if (!end || array_count(a) != (size_t)end->cube[0] * end->cube[1] * end->cube[2] ||
        (a->type != ARRAY_FP16 && (a->type != ARRAY_INT8 || scale <= 0))) {
        return compare_fail(error, end ? end->name : "inputs",
                            "not as the model has it: the loadable is another one's");
    }
    v = value_of(a, scale, end->rank, end->dims);
    g_hash_table_insert(c->inputs, g_strdup(end->name), v);
    return TRUE;
}

void dla_compare_layer(struct dla_compare *c, const char *name, const struct array *a, double scale)
{
    const int64_t dims[] = { a->channels, a->height, a->width };
    struct onnx_value *v = name ? value_of(a, scale, 3, dims) : NULL;

    if (!v || (a->type == ARRAY_INT8 && scale <= 0)) {
        onnx_value_unref(v);
        return;
    }
    if (!g_hash_table_contains(c->layers, name)) {
        g_ptr_array_add(c->names, g_strdup(name));
    }
    g_hash_table_insert(c->layers, g_strdup(name), v);
}

struct difference {
    double cosine, largest, mean, scale;
};

static struct difference difference_of(const struct onnx_value *want, const struct onnx_value *got)
{
    struct difference d = { 0 };
    double a = 0, b = 0, ab = 0;

    for (size_t i = 0; i < want->count; i++) {
        double x = (double)want->v[i], y = (double)got->v[i], e = fabs(x - y);

        a += x * x;
        b += y * y;
        ab += x * y;
        d.mean += e / (double)want->count;
        d.largest = e > d.largest || isnan(e) ? e : d.largest;
        d.scale = fmax(d.scale, fabs(x));
    }
    d.cosine = a > 0 && b > 0 ? ab / sqrt(a) / sqrt(b) : a == b;
    return d;
}

static void line_print(FILE *out, const char *layer, const char *value, size_t count,
                       const struct difference *d)
{
    fprintf(out, "%-36.36s %9zu %9.6f %11.4g %8.3f %11.4g  %s\n", layer, count, d->cosine,
            d->largest, d->scale > 0 ? 100 * d->largest / d->scale : 0, d->mean, value);
}

gboolean dla_compare_print(struct dla_compare *c, FILE *out, GError **error)
{
    GHashTable *values = onnx_reference_run(c->m, c->inputs, error);
    unsigned lines = 0;

    if (!values) {
        return FALSE;
    }
    fprintf(out, "%-36s %9s %9s %11s %8s %11s  %s\n", "layer", "numbers", "cosine", "largest err",
            "% of max", "mean err", "value of the model");
    for (guint i = 0; i < c->names->len; i++) {
        const char *layer = c->names->pdata[i];
        const char *name = g_hash_table_lookup(c->r->layers, layer);
        const struct onnx_value *want = name ? g_hash_table_lookup(values, name) : NULL;
        const struct onnx_value *got = g_hash_table_lookup(c->layers, layer);

        if (want && want->count == got->count) {
            g_autofree char *valid = g_utf8_make_valid(name, -1);
            const struct difference d = difference_of(want, got);

            line_print(out, layer, valid, want->count, &d);
            lines++;
        }
    }
    g_hash_table_unref(values);
    return lines > 0 || compare_fail(error, c->m->path,
                                     "no layer of the loadable is one of this model's; it was "
                                     "built from another one, or with other options");
}
