/* SPDX-License-Identifier: MIT */
/* vtegra dla build --split: the steps of a model as files. */
#ifndef TOOLS_DLA_SPLIT_H
#define TOOLS_DLA_SPLIT_H

#include "dlabuild/onnx/import.h"

/* Writes the steps of the ONNX model in file @path to @folder, with split.json. FALSE with @error.
 */
gboolean dla_split(const char *path, const struct onnx_options *options, const char *folder,
                   GError **error);

#endif
