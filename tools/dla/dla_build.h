/* SPDX-License-Identifier: MIT */
/* vtegra dla build: files into loadables. */
#ifndef TOOLS_DLA_BUILD_H
#define TOOLS_DLA_BUILD_H

#include "dlabuild/onnx/import.h"

/* The description in file @path as a loadable of @len bytes; free() it. NULL with @error. */
uint8_t *build_file(const char *path, size_t *len, GError **error);
/* The ONNX model in file @path; NULL with @error. */
struct onnx_model *build_model_open(const char *path, GError **error);

/**
 * struct build_args - what the command line gives
 * @output: the loadable, or @split: a folder for the steps
 * @calibrate: inputs, or @cache: a file of scales; for int8. @percentile: text
 */
struct build_args {
    char *output, *split, *config, **shapes, **constants;
    char **calibrate, *cache, *percentile;
};

/* The options of an import; FALSE with @error. build_options_clear() in both cases. */
gboolean build_options_read(const struct build_args *a, struct onnx_options *o, GError **error);
void build_options_clear(struct onnx_options *o);

#endif
