/* SPDX-License-Identifier: MIT */
/* Do the options of an import belong to the model? */
#include "dlabuild/onnx/import.h"

#include <string.h>

#define MAX_NAMES 16u

static void fail_no_input(const struct onnx_model *m, const char *option, const char *name,
                          GError **error)
{
    GString *names = g_string_new(NULL);
    char *valid;

    for (size_t i = 0; i < m->graph->n_input && i < MAX_NAMES; i++) {
        const char *in = m->graph->input[i]->name;

        g_string_append_printf(names, " \"%s\"", in ? in : "");
    }
    g_string_append(names, m->graph->n_input > MAX_NAMES ? " ..." : "");
    valid = g_utf8_make_valid(names->str, (gssize)names->len);
    g_set_error(error, DLA_BUILD_ERROR, 0, "%s: %s %s: the model has no such input; it has%s",
                m->path, option, name, *valid ? valid : " none");
    g_free(valid);
    g_string_free(names, TRUE);
}

/* @rank: 0: any */
static gboolean option_check(const struct onnx_model *m, const char *option, const char *name,
                             unsigned rank, GError **error)
{
    for (size_t i = 0; i < m->graph->n_input; i++) {
        const Onnx__ValueInfo *in = m->graph->input[i];
        const Onnx__TensorType *t = in->type ? in->type->tensor_type : NULL;

        if (!in->name || strcmp(in->name, name) != 0) {
            continue;
        }
        if (rank && t && t->shape && t->shape->n_dim != rank) {
            g_set_error(error, DLA_BUILD_ERROR, 0,
                        "%s: %s %s: %u dimensions; in the model the input has %zu", m->path, option,
                        name, rank, t->shape->n_dim);
            return FALSE;
        }
        return TRUE;
    }
    fail_no_input(m, option, name, error);
    return FALSE;
}

gboolean onnx_options_check(const struct onnx_model *m, const struct onnx_options *o,
                            GError **error)
{
    GHashTableIter iter;
    gpointer name, value;

    g_hash_table_iter_init(&iter, o->shapes);
    while (g_hash_table_iter_next(&iter, &name, &value)) {
        if (!option_check(m, "--shape", name, ((struct onnx_value *)value)->rank, error)) {
            return FALSE;
        }
    }
    g_hash_table_iter_init(&iter, o->constants);
    while (g_hash_table_iter_next(&iter, &name, &value)) {
        if (!option_check(m, "--constant", name, 0, error)) {
            return FALSE;
        }
    }
    return TRUE;
}
