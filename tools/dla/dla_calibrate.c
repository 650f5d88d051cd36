/* SPDX-License-Identifier: MIT */
#include "tools/dla/dla_calibrate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/dla/dla_exec.h"

#define BINS 4096u
#define SMALLEST 1e-6 /* a tensor of zeros has a scale, too */

/* What a tensor held: @bin[i] numbers of BINS parts of the largest one. */
struct range {
    double largest;
    uint64_t count, *bin;
};

static void range_free(gpointer data)
{
    g_free(((struct range *)data)->bin);
    g_free(data);
}

/**
 * struct calibration - runs
 * @ranges: tensor -> struct range; @count: the second pass, which counts
 * @tensors: those of the model's description
 */
struct calibration {
    GHashTable *tensors;
    GHashTable *ranges;
    gboolean count;
};

static void range_add(struct calibration *c, const char *name, const struct array *a)
{
    struct range *r = g_hash_table_lookup(c->ranges, name);

    if (!r) {
        r = g_new0(struct range, 1);
        r->bin = g_new0(uint64_t, BINS);
        g_hash_table_insert(c->ranges, g_strdup(name), r);
    }
    for (size_t i = 0; i < array_count(a); i++) {
        double v = fabs(half_to_double(a->v[i]));

        if (!isfinite(v)) {
            continue;
        }
        if (!c->count) {
            r->largest = fmax(r->largest, v);
        } else if (v > 0 && r->largest > 0) { /* zeros, of a ReLU, say nothing of the range */
            r->bin[MIN((unsigned)(v / r->largest * BINS), BINS - 1)]++;
            r->count++;
        }
    }
}

static void layer_seen(void *opaque, const char *name, const struct array *a)
{
    struct calibration *c = opaque;
    const char *dot = strrchr(name, '.');
    g_autofree char *whole = dot ? g_strndup(name, (gsize)(dot - name)) : g_strdup(name);

    /* "name.phases": an operation that the builder makes of the layer "name" */
    if (a->type == ARRAY_FP16) {
        range_add(c, g_hash_table_contains(c->tensors, name) ? name : whole, a);
    }
}

/* What @percentile of the numbers do not exceed. */
static double range_limit(const struct range *r, double percentile)
{
    uint64_t left = (uint64_t)ceil((double)r->count * percentile / 100);
    unsigned i = 0;

    for (; i < BINS - 1 && left > r->bin[i]; i++) {
        left -= r->bin[i];
    }
    return r->count ? fmax(r->largest * (i + 1) / BINS, SMALLEST) : fmax(r->largest, SMALLEST);
}

static gboolean files_run(struct dla_exec *e, struct calibration *c, const char *input,
                          char **files, GError **error)
{
    for (char **f = files; *f; f++) {
        struct array a;

        if (!dla_exec_load(e, 0, *f, &a, error)) {
            return FALSE;
        }
        range_add(c, input, &a);
        array_free(&a);
        if (!dla_exec_run(e, error)) {
            return FALSE;
        }
    }
    return TRUE;
}

static GHashTable *scales_new(void)
{
    return g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
}

static void scale_add(GHashTable *scales, const char *name, double scale)
{
    g_hash_table_insert(scales, g_strdup(name), g_memdup2(&scale, sizeof(scale)));
}

static const char *input_name(const struct onnx_import *r)
{
    JsonArray *in = json_object_get_array_member(json_node_get_object(r->description), "inputs");

    return json_array_get_length(in) == 1
               ? json_object_get_string_member(json_array_get_object_element(in, 0), "name")
               : NULL;
}

static gboolean dla_calibrate_fail(GError **error, const char *what, const char *why)
{
    g_set_error(error, DLA_TOOL_ERROR, 0, "%s: %s", what, why);
    return FALSE;
}

/* Two passes: the largest numbers, then how many are how large. */
static gboolean ranges_find(struct calibration *c, const struct onnx_import *r, const char *path,
                            char **files, GError **error)
{
    const char *input = input_name(r);
    struct dla_exec *e;
    uint8_t *bytes;
    size_t len;
    gboolean ok;

    if (!input) {
        return dla_calibrate_fail(error, path, "calibration is for models of one input");
    }
    bytes = build_description(r->description, path, r->data, &len, error);
    e = bytes ? dla_exec_open(g_memdup2(bytes, len), len, error) : NULL;
    free(bytes);
    if (!e) {
        return FALSE;
    }
    c->tensors = r->channels;
    dla_exec_watch(e, layer_seen, c);
    ok = files_run(e, c, input, files, error);
    c->count = TRUE;
    ok = ok && files_run(e, c, input, files, error);
    dla_exec_close(e);
    return ok;
}

GHashTable *dla_calibrate(const struct onnx_model *m, const struct onnx_options *options,
                          char **files, double percentile, GError **error)
{
    struct calibration c = { .ranges = g_hash_table_new_full(g_str_hash, g_str_equal, g_free,
                                                             range_free) };
    struct onnx_options same = *options;
    struct onnx_import *r;
    GHashTable *scales = NULL;
    GHashTableIter iter;
    gpointer name, range;

    same.layers_of_int8 = TRUE;
    r = onnx_import(m, &same, error);
    if (r && ranges_find(&c, r, m->path, files, error)) {
        scales = scales_new();
        g_hash_table_iter_init(&iter, c.ranges);
        while (g_hash_table_iter_next(&iter, &name, &range)) {
            scale_add(scales, name, range_limit(range, percentile) / 127);
        }
    }
    onnx_import_free(r);
    g_hash_table_unref(c.ranges);
    return scales;
}

/* --- a cache --- */
/* "name: 3c010a14" */
static gboolean cache_line(GHashTable *values, char *line)
{
    char *colon = strrchr(line, ':'), *end;
    union {
        uint32_t u;
        float f;
    } v;

    if (!colon) {
        return FALSE;
    }
    *colon = '\0';
    colon = g_strstrip(colon + 1);
    v.u = (uint32_t)g_ascii_strtoull(colon, &end, 16);
    if (strlen(colon) != 8 || *end || !isfinite(v.f) || v.f <= 0) {
        return FALSE;
    }
    scale_add(values, line, (double)v.f);
    return TRUE;
}

static GHashTable *cache_read(const char *file, GError **error)
{
    g_autofree gchar *text = NULL;
    g_auto(GStrv) lines = NULL;
    GHashTable *values;

    if (!g_file_get_contents(file, &text, NULL, error)) {
        return NULL;
    }
    lines = g_strsplit(text, "\n", -1);
    if (!lines[0] || !g_str_has_prefix(lines[0], "TRT-")) {
        dla_calibrate_fail(error, file,
                           "not a calibration cache: its first line begins with \"TRT-\"");
        return NULL;
    }
    values = scales_new();
    for (unsigned i = 1; lines[i]; i++) {
        if (*g_strstrip(lines[i]) && !cache_line(values, lines[i])) {
            g_set_error(error, DLA_TOOL_ERROR, 0,
                        "%s: line %u: a name, \": \" and the eight digits of a float above 0", file,
                        i + 1);
            g_hash_table_unref(values);
            return NULL;
        }
    }
    return values;
}

/* From names of the model to those of the loadable's tensors. */
GHashTable *dla_calibration_read(const struct onnx_model *m, const struct onnx_options *options,
                                 const char *file, GError **error)
{
    GHashTable *values = cache_read(file, error), *scales;
    struct onnx_options same = *options;
    struct onnx_import *r;
    GHashTableIter iter;
    gpointer layer, value;
    const double *s;

    same.layers_of_int8 = TRUE;
    r = values ? onnx_import(m, &same, error) : NULL;
    if (!r) {
        g_clear_pointer(&values, g_hash_table_unref);
        return NULL;
    }
    scales = scales_new();
    g_hash_table_iter_init(&iter, r->layers);
    while (g_hash_table_iter_next(&iter, &layer, &value)) {
        if ((s = g_hash_table_lookup(values, value))) {
            scale_add(scales, layer, *s);
        }
    }
    for (guint i = 0; i < r->inputs->len; i++) {
        JsonArray *in =
            json_object_get_array_member(json_node_get_object(r->description), "inputs");

        s = g_hash_table_lookup(values, ((struct onnx_end *)r->inputs->pdata[i])->name);
        if (s) {
            scale_add(scales,
                      json_object_get_string_member(json_array_get_object_element(in, i), "name"),
                      *s);
        }
    }
    onnx_import_free(r);
    g_hash_table_unref(values);
    return scales;
}
