/* SPDX-License-Identifier: MIT */
/* In place of the importer where protobuf-c is missing: no model can be read, and says so. */
#include "dlabuild/onnx/reference.h"
#include "dlabuild/onnx/split.h"

static void *onnx_unavailable(const char *path, GError **error)
{
    g_set_error(error, DLA_BUILD_ERROR, 0,
                "%s: ONNX models cannot be read: this vtegra was built without protobuf-c (Debian: "
                "libprotobuf-c-dev and protobuf-c-compiler)",
                path);
    return NULL;
}

struct onnx_model *onnx_model_read(const char *path, const uint8_t *bytes, size_t len,
                                   GError **error)
{
    (void)bytes;
    (void)len;
    return onnx_unavailable(path, error);
}

struct onnx_value *onnx_tensor_read(const char *path, const uint8_t *bytes, size_t len,
                                    GError **error)
{
    (void)bytes;
    (void)len;
    return onnx_unavailable(path, error);
}

/* Nothing below is reached: there is no model. */
struct onnx_import *onnx_import(const struct onnx_model *m, const struct onnx_options *options,
                                GError **error)
{
    (void)options;
    return onnx_unavailable(m->path, error);
}

gboolean onnx_options_check(const struct onnx_model *m, const struct onnx_options *o,
                            GError **error)
{
    (void)o;
    return onnx_unavailable(m->path, error) != NULL;
}

GHashTable *onnx_reference_run(const struct onnx_model *m, GHashTable *inputs, GError **error)
{
    (void)inputs;
    return onnx_unavailable(m->path, error);
}

struct onnx_split *onnx_split(const struct onnx_model *m, const struct onnx_options *options,
                              GError **error)
{
    (void)options;
    return onnx_unavailable(m->path, error);
}

void onnx_model_free(struct onnx_model *m)
{
    (void)m;
}

void onnx_import_free(struct onnx_import *r)
{
    (void)r;
}

void onnx_split_free(struct onnx_split *s)
{
    (void)s;
}
