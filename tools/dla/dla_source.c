/* SPDX-License-Identifier: MIT */
/* What loadables are built from, read from files. */
#include "tools/dla/dla_build.h"

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
