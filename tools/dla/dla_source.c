/* SPDX-License-Identifier: MIT */
/* What loadables are built from, read from files. */
#include "tools/dla/dla_build.h"

#include <string.h>

#include "tools/dla/dla_net.h"
#include "tools/json_text.h"

uint8_t *build_file(const char *path, size_t *len, GError **error)
{
    JsonParser *parser = json_parser_new_immutable();
    uint8_t *out = NULL;

    if (json_text_load_file(parser, path, error)) {
        out = build_description(json_parser_get_root(parser), path, NULL, len, error);
    }
    g_object_unref(parser);
    return out;
}

struct onnx_model *build_model_open(const char *path, GError **error)
{
    struct onnx_model *m;
    gchar *bytes;
    gsize len;

    if (!g_file_get_contents(path, &bytes, &len, error)) {
        return NULL;
    }
    m = onnx_model_read(path, (uint8_t *)bytes, len, error);
    g_free(bytes);
    return m;
}

static gboolean build_file_fail(GError **error, const char *what, const char *why)
{
    g_set_error(error, DLA_TOOL_ERROR, 0, "%s: %s", what, why);
    return FALSE;
}

/* "name=1x3x224x224" */
static gboolean shape_add(GHashTable *shapes, const char *text, GError **error)
{
    const char *equals = strrchr(text, '=');
    g_auto(GStrv) parts = equals ? g_strsplit(equals + 1, "x", -1) : NULL;
    int64_t dims[ONNX_MAX_RANK];
    unsigned rank = 0;
    struct onnx_value *v;

    for (; parts && parts[rank] && rank < ONNX_MAX_RANK; rank++) {
        guint64 d;

        if (!g_ascii_string_to_unsigned(parts[rank], 10, 1, ONNX_MAX_COUNT, &d, NULL)) {
            break;
        }
        dims[rank] = (int64_t)d;
    }
    v = parts && rank && !parts[rank] ? onnx_value_new(ONNX_FLOAT, rank, dims) : NULL;
    if (!v) {
        return build_file_fail(error, text, "--shape is NAME=1x3x224x224");
    }
    g_hash_table_insert(shapes, g_strndup(text, (gsize)(equals - text)), v);
    return TRUE;
}

/* "name=file.pb" */
static gboolean constant_add(GHashTable *constants, const char *text, GError **error)
{
    const char *equals = strchr(text, '=');
    struct onnx_value *v;
    gchar *bytes;
    gsize len;

    if (!equals) {
        return build_file_fail(error, text, "--constant is NAME=FILE.pb");
    }
    if (!g_file_get_contents(equals + 1, &bytes, &len, error)) {
        return FALSE;
    }
    v = onnx_tensor_read(equals + 1, (uint8_t *)bytes, len, error);
    g_free(bytes);
    if (v) {
        g_hash_table_insert(constants, g_strndup(text, (gsize)(equals - text)), v);
    }
    return v != NULL;
}

static GHashTable *values_new(void)
{
    return g_hash_table_new_full(g_str_hash, g_str_equal, g_free, (GDestroyNotify)onnx_value_unref);
}

gboolean build_options_read(const struct build_args *a, struct onnx_options *o, GError **error)
{
    gboolean ok = TRUE;

    *o = (struct onnx_options){ .config = a->config,
                                .shapes = values_new(),
                                .constants = values_new() };
    for (char **s = a->shapes; ok && s && *s; s++) {
        ok = shape_add(o->shapes, *s, error);
    }
    for (char **c = a->constants; ok && c && *c; c++) {
        ok = constant_add(o->constants, *c, error);
    }
    return ok;
}

void build_options_clear(struct onnx_options *o)
{
    g_clear_pointer(&o->scales, g_hash_table_unref);
    g_hash_table_unref(o->shapes);
    g_hash_table_unref(o->constants);
}
