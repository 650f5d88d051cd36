/* SPDX-License-Identifier: MIT */
/* vtegra dla build: the command. */
#include "tools/dla/dla_build.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/cmd.h"
#include "tools/dla/dla.h"
#include "tools/dla/dla_calibrate.h"
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

/* How numbers of an int8 loadable are made and read. */
static void scale_note(const GPtrArray *ends, const char *what)
{
    for (guint i = 0; i < ends->len; i++) {
        const struct onnx_end *end = ends->pdata[i];

        if (end->scale > 0) {
            fprintf(stderr, "%s \"%s\" is int8: a number stands for %.9g times itself\n", what,
                    end->name, end->scale);
        }
    }
}

/* Scales for int8, if they are asked for. */
static gboolean build_scales(const struct onnx_model *m, const struct build_args *a,
                             struct onnx_options *options, GError **error)
{
    double percentile = a->percentile ? g_ascii_strtod(a->percentile, NULL) : 100;

    if (!a->calibrate && !a->cache) {
        return TRUE;
    }
    if (!(percentile >= 50 && percentile <= 100)) {
        g_set_error(error, DLA_TOOL_ERROR, 0, "--percentile %s: 50 to 100", a->percentile);
        return FALSE;
    }
    options->scales = a->cache ? dla_calibration_read(m, options, a->cache, error)
                               : dla_calibrate(m, options, a->calibrate, percentile, error);
    return options->scales != NULL;
}

static uint8_t *build_onnx(const char *path, const struct build_args *a,
                           struct onnx_options *options, size_t *len, GError **error)
{
    struct onnx_model *m = build_model_open(path, error);
    struct onnx_import *r =
        m && onnx_options_check(m, options, error) && build_scales(m, a, options, error)
            ? onnx_import(m, options, error)
            : NULL;
    uint8_t *out = NULL;

    onnx_model_free(m);
    if (r) {
        out = build_description(r->description, path, r->data, len, error);
        if (out) {
            batch_note(r);
            scale_note(r->inputs, "input");
            scale_note(r->outputs, "output");
        }
        onnx_import_free(r);
    }
    return out;
}

static gboolean build_one(const char *path, gboolean onnx, const struct build_args *a,
                          struct onnx_options *options, GError **error)
{
    size_t len = 0;
    uint8_t *bytes;
    gboolean ok;

    if (a->split) {
        return dla_split(path, options, a->split, error);
    }
    bytes = onnx ? build_onnx(path, a, options, &len, error) : build_file(path, &len, error);
    ok = bytes && save(a->output, bytes, len, error);
    free(bytes);
    return ok;
}

static gboolean build_any(const char *path, const struct build_args *a, GError **error)
{
    gboolean onnx = g_str_has_suffix(path, ".onnx"), ok;
    struct onnx_options options;

    if (!onnx && (a->shapes || a->constants || a->config || a->split || a->calibrate || a->cache)) {
        g_set_error(error, DLA_TOOL_ERROR, 0,
                    "%s: --shape, --constant, --config, --split, --calibrate and "
                    "--calibration-cache are for .onnx models",
                    path);
        return FALSE;
    }
    ok = build_options_read(a, &options, error) && build_one(path, onnx, a, &options, error);
    if (!ok && !onnx && !g_str_has_suffix(path, ".json")) {
        g_prefix_error(error, "a file whose name does not end in .onnx is read as JSON; ");
    }
    build_options_clear(&options);
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
        { "calibrate", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &a.calibrate,
          "ONNX: int8; scales from a run on this input (give it for each of several)", "FILE" },
        { "percentile", 0, 0, G_OPTION_ARG_STRING, &a.percentile,
          "of --calibrate: numbers that do not saturate (default: 100)", "P" },
        { "calibration-cache", 0, 0, G_OPTION_ARG_FILENAME, &a.cache,
          "ONNX: int8; scales from TensorRT's calibration cache", "FILE" },
        { NULL, 0, 0, 0, NULL, NULL, NULL }
    };
    GError *error = NULL;
    int status = CMD_USAGE;

    if (!cmd_options(CMD, "MODEL.onnx|DESCRIPTION.json -o FILE", description, entries, FALSE, &argc,
                     &argv)) {
        return CMD_USAGE;
    }
    if ((a.calibrate && a.cache) || (a.percentile && !a.calibrate) ||
        (a.split && (a.calibrate || a.cache))) {
        cmd_error(CMD, "--calibrate [--percentile P], or --calibration-cache, or --split");
    } else if (argc != 2 || !a.output == !a.split) {
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
    g_free(a.cache);
    g_free(a.percentile);
    g_strfreev(a.calibrate);
    g_strfreev(a.shapes);
    g_strfreev(a.constants);
    return status;
}
