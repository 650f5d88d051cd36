/* SPDX-License-Identifier: MIT */
/* vtegra dla run --compare: each layer against the ONNX model in floats. */
#ifndef TOOLS_DLA_COMPARE_H
#define TOOLS_DLA_COMPARE_H

#include <stdio.h>

#include "dlabuild/onnx/import.h"
#include "tools/dla/dla_array.h"

struct dla_compare;

/* The model that the loadable was built from, with the same options; NULL with @error. */
struct dla_compare *dla_compare_open(const char *model, const struct onnx_options *options,
                                     GError **error);
void dla_compare_close(struct dla_compare *c);
/* Input @n of the loadable, as it went in. @scale: what 1 of int8 stands for. */
gboolean dla_compare_input(struct dla_compare *c, unsigned n, const struct array *a, double scale,
                           GError **error);
/* What the layer @name wrote. A layer of several operations: the last one counts. */
void dla_compare_layer(struct dla_compare *c, const char *name, const struct array *a,
                       double scale);
/**
 * dla_compare_print - the table, a line for each layer whose result is a value of the model
 *
 * Return: FALSE with @error: the loadable is not this model's.
 */
gboolean dla_compare_print(struct dla_compare *c, FILE *out, GError **error);

#endif
