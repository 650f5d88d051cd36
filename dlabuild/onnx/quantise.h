/* SPDX-License-Identifier: MIT */
/* A description in floats becomes one in int8, by the scales of its tensors. */
#ifndef DLABUILD_ONNX_QUANTISE_H
#define DLABUILD_ONNX_QUANTISE_H

#include "dlabuild/onnx/import.h"

/**
 * quantise_description - int8 in place of fp16
 * @out: its description, data and @scales, to which those that follow from others are added
 *
 * A number q of a tensor stands for q * scale (symmetric: the hardware's zero is 0). Weights have a
 * scale for each kernel: that of the model, or the largest weight's.
 *
 * Return: FALSE with @error, which names the layer and the value of the model.
 */
gboolean quantise_description(struct onnx_import *out, GError **error);

#endif
