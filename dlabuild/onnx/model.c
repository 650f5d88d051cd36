/* SPDX-License-Identifier: MIT */
#include "dlabuild/onnx/model.h"

#include <string.h>

#include "dlabuild/build.h"

#define MAX_NODES 65536u
/* Versions of the standard operators that we know the rules of (opset 6 changed broadcasting...).
 */
#define OPSET_MIN 1
#define OPSET_MAX 24

static gboolean model_fail(GError **error, const char *format, ...) G_GNUC_PRINTF(2, 3);

static gboolean model_fail(GError **error, const char *format, ...)
{
    va_list args;
    char *text, *valid;

    va_start(args, format);
    text = g_strdup_vprintf(format, args);
    va_end(args);
    valid = g_utf8_make_valid(text, -1);
    g_set_error_literal(error, DLA_BUILD_ERROR, 0, valid);
    g_free(valid);
    g_free(text);
    return FALSE;
}

const char *onnx_node_name(const Onnx__Node *n)
{
    return n->name && *n->name ? n->name : n->n_output ? n->output[0] : "?";
}

static gboolean opset_find(struct onnx_model *m, GError **error)
{
    m->opset = 0;
    for (size_t i = 0; i < m->proto->n_opset_import; i++) {
        const Onnx__Opset *o = m->proto->opset_import[i];

        if (!o->domain || !*o->domain || strcmp(o->domain, "ai.onnx") == 0) {
            m->opset = o->version;
        }
    }
    if (m->proto->n_opset_import == 0) { /* files of ir_version 1 and 2 */
        m->opset = 1;
    }
    if (m->opset < OPSET_MIN || m->opset > OPSET_MAX) {
        return model_fail(error, "opset %" G_GINT64_FORMAT ": known are %d to %d", m->opset,
                          OPSET_MIN, OPSET_MAX);
    }
    return TRUE;
}

static gboolean node_check(const Onnx__Node *n, size_t i, GError **error)
{
    if (!n->op_type || n->n_output == 0) {
        return model_fail(error, "node[%zu] \"%s\": has no %s", i, n->name ? n->name : "",
                          n->op_type ? "output" : "operator");
    }
    return TRUE;
}

struct onnx_model *onnx_model_read(const char *path, const uint8_t *bytes, size_t len,
                                   GError **error)
{
    struct onnx_model *m = g_new0(struct onnx_model, 1);
    gboolean ok;

    m->path = g_strdup(path);
    m->proto = onnx__model__unpack(NULL, len, bytes);
    if (!m->proto || !m->proto->graph || m->proto->graph->n_node == 0) {
        model_fail(error, "%s: not an ONNX model, or a damaged one: %s", path,
                   !m->proto          ? "its protobuf does not parse"
                   : !m->proto->graph ? "it has no graph"
                                      : "its graph has no node");
        onnx_model_free(m);
        return NULL;
    }
    m->graph = m->proto->graph;
    ok = opset_find(m, error);
    if (ok && m->graph->n_node > MAX_NODES) {
        ok = model_fail(error, "%zu nodes: at most %u", m->graph->n_node, MAX_NODES);
    }
    for (size_t i = 0; ok && i < m->graph->n_node; i++) {
        ok = node_check(m->graph->node[i], i, error);
    }
    if (!ok) {
        g_prefix_error(error, "%s: ", path);
        onnx_model_free(m);
        return NULL;
    }
    return m;
}

void onnx_model_free(struct onnx_model *m)
{
    if (m) {
        if (m->proto) {
            onnx__model__free_unpacked(m->proto, NULL);
        }
        g_free(m->path);
        g_free(m);
    }
}

/* --- attributes --- */
const Onnx__Attribute *onnx_attribute(const Onnx__Node *n, const char *name)
{
    for (size_t i = 0; i < n->n_attribute; i++) {
        if (n->attribute[i]->name && strcmp(n->attribute[i]->name, name) == 0) {
            return n->attribute[i];
        }
    }
    return NULL;
}

int64_t onnx_int(const Onnx__Node *n, const char *name, int64_t otherwise)
{
    const Onnx__Attribute *a = onnx_attribute(n, name);

    return a && a->has_i ? a->i : otherwise;
}

float onnx_float(const Onnx__Node *n, const char *name, float otherwise)
{
    const Onnx__Attribute *a = onnx_attribute(n, name);

    return a && a->has_f ? a->f : otherwise;
}

char *onnx_text(const Onnx__Node *n, const char *name)
{
    const Onnx__Attribute *a = onnx_attribute(n, name);

    return a && a->has_s ? g_strndup((const char *)a->s.data, a->s.len) : NULL;
}

gboolean onnx_text_is(const Onnx__Node *n, const char *name, const char *text)
{
    const Onnx__Attribute *a = onnx_attribute(n, name);

    return a && a->has_s && a->s.len == strlen(text) && memcmp(a->s.data, text, a->s.len) == 0;
}

const int64_t *onnx_ints(const Onnx__Node *n, const char *name, size_t *count)
{
    const Onnx__Attribute *a = onnx_attribute(n, name);

    *count = a ? a->n_ints : 0;
    return a && a->n_ints ? a->ints : NULL;
}

/* --- tensors --- */
static unsigned type_bytes(int type)
{
    static const uint8_t bytes[] = {
        [ONNX_FLOAT] = 4,   [ONNX_UINT8] = 1,  [ONNX_INT8] = 1,   [ONNX_UINT16] = 2,
        [ONNX_INT16] = 2,   [ONNX_INT32] = 4,  [ONNX_INT64] = 8,  [ONNX_BOOL] = 1,
        [ONNX_FLOAT16] = 2, [ONNX_DOUBLE] = 8, [ONNX_UINT32] = 4, [ONNX_UINT64] = 8
    };

    return type > 0 && type < (int)G_N_ELEMENTS(bytes) ? bytes[type] : 0;
}

/* A little-endian number of the file. */
static float raw_number(const uint8_t *b, enum onnx_type type)
{
    union {
        uint32_t u;
        float f;
    } f;
    union {
        uint64_t u;
        double d;
    } d;
    unsigned n = type_bytes((int)type);
    int64_t v = desc_get(b, n, TRUE);

    switch (type) {
    case ONNX_FLOAT:
        f.u = (uint32_t)v;
        return f.f;
    case ONNX_DOUBLE:
        d.u = (uint64_t)v;
        return (float)d.d;
    case ONNX_FLOAT16:
        return (float)half_to_double((int32_t)(v & 0xffff));
    case ONNX_UINT8:
    case ONNX_UINT16:
    case ONNX_UINT32:
        return (float)((uint64_t)v & ((UINT64_C(1) << 8 * n) - 1));
    case ONNX_UINT64:
        return (float)(uint64_t)v;
    default:
        return (float)v;
    }
}

static gboolean from_raw(struct onnx_value *v, const uint8_t *bytes, size_t len, const char *name,
                         GError **error)
{
    unsigned n = type_bytes((int)v->type);

    if (len != v->count * n) {
        return model_fail(error, "tensor \"%s\": its shape needs %zu bytes, it has %zu", name,
                          v->count * n, len);
    }
    if (v->type == ONNX_FLOAT && G_BYTE_ORDER == G_LITTLE_ENDIAN) {
        if (len) {
            memcpy(v->v, bytes, len);
        }
        return TRUE;
    }
    for (size_t i = 0; i < v->count; i++) {
        v->v[i] = raw_number(bytes + i * n, v->type);
    }
    return TRUE;
}

/* Numbers in a list of their own. int32_data also holds the smaller types and fp16's bits. */
static gboolean from_list(struct onnx_value *v, const Onnx__Tensor *t, const char *name,
                          GError **error)
{
    size_t n = t->n_float_data    ? t->n_float_data
               : t->n_int32_data  ? t->n_int32_data
               : t->n_int64_data  ? t->n_int64_data
               : t->n_double_data ? t->n_double_data
                                  : t->n_uint64_data;

    if (n != v->count) {
        return model_fail(error, "tensor \"%s\": its shape needs %zu numbers, it has %zu", name,
                          v->count, n);
    }
    for (size_t i = 0; i < n; i++) {
        v->v[i] = t->n_float_data ? t->float_data[i]
                  : t->n_int32_data && v->type == ONNX_FLOAT16
                      ? (float)half_to_double(t->int32_data[i] & 0xffff)
                  : t->n_int32_data  ? (float)t->int32_data[i]
                  : t->n_int64_data  ? (float)t->int64_data[i]
                  : t->n_double_data ? (float)t->double_data[i]
                                     : (float)t->uint64_data[i];
    }
    return TRUE;
}

/* A plain name below the model's folder: no "..", nothing absolute. */
static gboolean location_is_inside(const char *location)
{
    char **parts = g_strsplit(location, "/", -1);
    gboolean ok = *location && !g_path_is_absolute(location) && !strchr(location, '\\');

    for (char **p = parts; *p; p++) {
        ok = ok && strcmp(*p, "..") != 0;
    }
    g_strfreev(parts);
    return ok;
}

static gboolean from_external(struct onnx_value *v, const Onnx__Tensor *t, const char *folder,
                              const char *name, GError **error)
{
    const char *location = "";
    guint64 offset = 0, length = 0;
    char *path, *real_path, *real_folder;
    GMappedFile *file = NULL; /* all weights of a model may lie in one file */
    gsize len;
    gboolean ok;

    for (size_t i = 0; i < t->n_external_data; i++) {
        const Onnx__Entry *e = t->external_data[i];

        if (e->key && e->value) {
            location = strcmp(e->key, "location") == 0 ? e->value : location;
            offset = strcmp(e->key, "offset") == 0 ? g_ascii_strtoull(e->value, NULL, 10) : offset;
            length = strcmp(e->key, "length") == 0 ? g_ascii_strtoull(e->value, NULL, 10) : length;
        }
    }
    if (!folder || !location_is_inside(location)) {
        return model_fail(error,
                          "tensor \"%s\": external data \"%s\" lies outside of the model's folder",
                          name, location);
    }
    path = g_build_filename(folder, location, NULL);
    real_path = realpath(path, NULL);
    real_folder = realpath(folder, NULL);
    ok = real_path && real_folder && g_str_has_prefix(real_path, real_folder) &&
         (real_path[strlen(real_folder)] == '/' || strcmp(real_folder, "/") == 0);
    if (real_path && !ok) {
        model_fail(error, "tensor \"%s\": external data \"%s\" is a link out of the model's folder",
                   name, location);
    } else if (!(file = g_mapped_file_new(path, FALSE, error))) {
        g_prefix_error(error, "tensor \"%s\": ", name);
        ok = FALSE;
    } else {
        len = g_mapped_file_get_length(file);
        length = length ? length : (guint64)v->count * type_bytes((int)v->type);
        ok = ok && offset <= len && length <= len - offset;
        ok = ok ? from_raw(v, (const uint8_t *)g_mapped_file_get_contents(file) + offset,
                           (size_t)length, name, error)
                : model_fail(error,
                             "tensor \"%s\": \"%s\" has %zu bytes, not the %" G_GUINT64_FORMAT
                             " from %" G_GUINT64_FORMAT " on",
                             name, location, (size_t)len, length, offset);
    }
    if (file) {
        g_mapped_file_unref(file);
    }
    g_free(path);
    free(real_path);
    free(real_folder);
    return ok;
}

struct onnx_value *onnx_tensor_value(const Onnx__Tensor *t, const char *folder, GError **error)
{
    const char *name = t->name ? t->name : "";
    struct onnx_value *v = NULL;
    gboolean ok;

    if (!type_bytes(t->data_type)) {
        model_fail(error, "tensor \"%s\": data type %d is not one of numbers", name, t->data_type);
    } else if (!(v = onnx_value_new((enum onnx_type)t->data_type, (unsigned)t->n_dims, t->dims))) {
        model_fail(error,
                   "tensor \"%s\": rank above %u, negative dimension, or more than 2^28 numbers",
                   name, ONNX_MAX_RANK);
    } else {
        ok = t->data_location == 1 ? from_external(v, t, folder, name, error)
             : t->has_raw_data     ? from_raw(v, t->raw_data.data, t->raw_data.len, name, error)
                                   : from_list(v, t, name, error);
        if (!ok) {
            onnx_value_unref(v);
            v = NULL;
        }
    }
    return v;
}

struct onnx_value *onnx_tensor_read(const char *path, const uint8_t *bytes, size_t len,
                                    GError **error)
{
    Onnx__Tensor *t = onnx__tensor__unpack(NULL, len, bytes);
    struct onnx_value *v = t ? onnx_tensor_value(t, NULL, error) : NULL;

    if (!t) {
        model_fail(error, "not a tensor's protobuf");
    } else {
        onnx__tensor__free_unpacked(t, NULL);
    }
    if (!v) {
        g_prefix_error(error, "%s: ", path);
    }
    return v;
}

gboolean onnx_model_constants(const struct onnx_model *m,
                              void (*take)(gpointer data, const char *name, struct onnx_value *v),
                              gpointer data, GError **error)
{
    g_autofree char *folder = g_path_get_dirname(m->path);

    for (size_t i = 0; i < m->graph->n_initializer; i++) {
        const Onnx__Tensor *t = m->graph->initializer[i];
        struct onnx_value *v = onnx_tensor_value(t, folder, error);

        if (!v) {
            return FALSE;
        }
        take(data, t->name ? t->name : "", v);
    }
    return TRUE;
}
