/* SPDX-License-Identifier: MIT */
/* Scales of int8 for a float model: from runs of it in fp16, or from a file. */
#ifndef TOOLS_DLA_CALIBRATE_H
#define TOOLS_DLA_CALIBRATE_H

#include "dlabuild/onnx/import.h"

/**
 * dla_calibrate - the scales of the tensors of a model's loadable
 * @files: the model's one input, as vtegra dla run reads it; a run for each
 * @percentile: of the absolute numbers of a tensor, 50 to 100: larger ones saturate
 *
 * Return: tensor -> double; g_hash_table_unref() it. NULL with @error.
 */
GHashTable *dla_calibrate(const struct onnx_model *m, const struct onnx_options *options,
                          char **files, double percentile, GError **error);
/**
 * dla_calibration_read - the scales in TensorRT's calibration cache
 *
 * A line of text, then for each value of the model its name, ": " and eight hexadecimal digits: a
 * float, the value of 1 in int8 (inferred from published caches; NVIDIA documents no format).
 */
GHashTable *dla_calibration_read(const struct onnx_model *m, const struct onnx_options *options,
                                 const char *file, GError **error);

#endif
