/* SPDX-License-Identifier: MIT */
/* vtegra dla build: the command. */
#include "tools/dla/dla_build.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/cmd.h"
#include "tools/dla/dla.h"
#include "tools/dla/dla_net.h"
#include "tools/dla/dla_split.h"
#include "tools/save.h"

#define CMD "dla build"

static const char description[] =
    "Makes a DLA 1 loadable from an ONNX model (computed in fp16), or from a JSON description of\n"
    "layers; docs/dla-onnx.md and docs/dla-build.md have the rules and examples. Data files that "
    "they\n"
    "name are relative to their folder. What an NVDLA cannot compute is refused with the node, "
    "its\n"
    "operator and the reason.\n"
    "\n"
    "Examples:\n"
    "  vtegra dla build model.onnx -o net.loadable && vtegra dla inspect net.loadable\n"
    "  vtegra dla build model.onnx --shape input=1x3x224x224 -o net.loadable\n"
    "  vtegra dla build model.onnx --split parts   # what a DLA cannot run stays ONNX";

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

/* One item of a batch is computed; which inputs and outputs have more. */
static void batch_note(const struct onnx_import *r)
{
    for (guint i = 0; i < r->inputs->len; i++) {
        const struct onnx_end *end = r->inputs->pdata[i];

        if (end->runs > 1) {
            fprintf(stderr,
                    "note: \"%s\" is a batch of %" G_GINT64_FORMAT
                    "; the loadable computes one item, run it as often\n",
                    end->name, end->runs);
        }
    }
}

static uint8_t *build_onnx(const char *path, const struct onnx_options *options, size_t *len,
                           GError **error)
{
    struct onnx_model *m = build_model_open(path, error);
    struct onnx_import *r = m ? onnx_import(m, options, error) : NULL;
    uint8_t *out = NULL;

    onnx_model_free(m);
    if (r) {
        out = build_description(r->description, path, r->data, len, error);
        if (out) {
            batch_note(r);
        }
        onnx_import_free(r);
    }
    return out;
}

/**
 * struct build_args - what the command line gives
 * @output: the loadable, or @split: a folder for the steps
 */
struct build_args {
    char *output, *split, *config, **shapes, **constants;
};

static gboolean build_one(const char *path, gboolean onnx, const struct build_args *a,
                          const struct onnx_options *options, GError **error)
{
    size_t len = 0;
    uint8_t *bytes;
    gboolean ok;

    if (a->split) {
        return dla_split(path, options, a->split, error);
    }
    bytes = onnx ? build_onnx(path, options, &len, error) : build_file(path, &len, error);
    ok = bytes && save(a->output, bytes, len, error);
    free(bytes);
    return ok;
}

static gboolean build_any(const char *path, const struct build_args *a, GError **error)
{
    struct onnx_options options = { a->config, values_new(), values_new(), NULL };
    gboolean onnx = g_str_has_suffix(path, ".onnx"), ok = TRUE;
    char **shapes = a->shapes, **constants = a->constants;

    for (char **s = shapes; ok && s && *s; s++) {
        ok = shape_add(options.shapes, *s, error);
    }
    for (char **c = constants; ok && c && *c; c++) {
        ok = constant_add(options.constants, *c, error);
    }
    if (ok && !onnx && (shapes || constants || a->config || a->split)) {
        ok = build_file_fail(error, path,
                             "--shape, --constant, --config and --split are for .onnx models");
    } else if (ok) {
        ok = build_one(path, onnx, a, &options, error);
        if (!ok && !onnx && !g_str_has_suffix(path, ".json")) {
            g_prefix_error(error, "a file whose name does not end in .onnx is read as JSON; ");
        }
    }
    g_hash_table_unref(options.shapes);
    g_hash_table_unref(options.constants);
    return ok;
}

int dla_build(int argc, char **argv)
{
    struct build_args a = { 0 };
    const GOptionEntry entries[] = {
        { "output", 'o', 0, G_OPTION_ARG_FILENAME, &a.output, "the loadable to write", "FILE" },
        { "split", 0, 0, G_OPTION_ARG_FILENAME, &a.split,
          "ONNX: write loadables of what a DLA can run, ONNX models of the rest, and split.json",
          "DIR" },
        { "shape", 0, 0, G_OPTION_ARG_STRING_ARRAY, &a.shapes,
          "ONNX: the shape of an input, where the model leaves it open", "NAME=1x3x224x224" },
        { "constant", 0, 0, G_OPTION_ARG_STRING_ARRAY, &a.constants,
          "ONNX: an input is a parameter; FILE holds a tensor's protobuf", "NAME=FILE" },
        { "config", 0, 0, G_OPTION_ARG_STRING, &a.config,
          "ONNX: the hardware configuration (default: nv_full)", "NAME" },
        { NULL, 0, 0, 0, NULL, NULL, NULL }
    };
    GError *error = NULL;
    int status = CMD_USAGE;

    if (!cmd_options(CMD, "MODEL.onnx|DESCRIPTION.json -o FILE", description, entries, FALSE, &argc,
                     &argv)) {
        return CMD_USAGE;
    }
    if (argc != 2 || !a.output == !a.split) {
        cmd_error(CMD, "one model or description and -o FILE (or --split DIR); see vtegra dla "
                       "build --help");
    } else if (!build_any(argv[1], &a, &error)) {
        cmd_error(CMD, "%s", error ? error->message : "?");
        g_clear_error(&error);
        status = CMD_FOUND;
    } else {
        status = CMD_OK;
    }
    g_free(a.output);
    g_free(a.split);
    g_free(a.config);
    g_strfreev(a.shapes);
    g_strfreev(a.constants);
    return status;
}
