/* SPDX-License-Identifier: MIT */
/* vtegra dla build: files into loadables. */
#ifndef TOOLS_DLA_BUILD_H
#define TOOLS_DLA_BUILD_H

#include "dlabuild/onnx/import.h"

/* The description in file @path as a loadable of @len bytes; free() it. NULL with @error. */
uint8_t *build_file(const char *path, size_t *len, GError **error);
/* The ONNX model in file @path; NULL with @error. */
struct onnx_model *build_model_open(const char *path, GError **error);

#endif
