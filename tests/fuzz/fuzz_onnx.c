/* SPDX-License-Identifier: MIT */
/* Any bytes as an ONNX model: refused with a reason, or a loadable that opens and keeps the limits
 * of the chip; split, steps or a reason. */
#include "dlabuild/onnx/split.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void split(const struct onnx_model *m)
{
    struct onnx_options options = { 0 };
    GError *error = NULL;
    struct onnx_split *s = m ? onnx_split(m, &options, &error) : NULL;

    if (m && !s == !error) {
        abort();
    }
    onnx_split_free(s);
    g_clear_error(&error);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct onnx_options options = { 0 };
    GError *error = NULL;
    struct onnx_model *m = onnx_model_read("/nowhere/model.onnx", data, size, &error);
    struct onnx_import *r = m ? onnx_import(m, &options, &error) : NULL;
    uint8_t *bytes = NULL;
    size_t len = 0;

    if (r) {
        bytes = build_description(r->description, "model", r->data, &len, &error);
        onnx_import_free(r);
    }
    if (!bytes == !error) { /* exactly one of a loadable and a reason */
        abort();
    }
    free(bytes);
    g_clear_error(&error);
    split(m);
    onnx_model_free(m);
    return 0;
}
