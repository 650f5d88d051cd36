/* SPDX-License-Identifier: MIT */
#include "dlabuild/onnx/reference.h"

#include "dlabuild/build.h"
#include "dlabuild/onnx/eval.h"

static void constant_take(gpointer values, const char *name, struct onnx_value *v)
{
    g_hash_table_insert(values, g_strdup(name), v);
}

static gboolean node_run(const struct onnx_model *m, const Onnx__Node *n, GHashTable *values,
                         GError **error)
{
    struct onnx_call c = { .node = n, .opset = m->opset };

    c.ins = (unsigned)MIN(n->n_input, ONNX_MAX_ENDS);
    for (unsigned i = 0; i < c.ins; i++) {
        c.in[i] = *n->input[i] ? g_hash_table_lookup(values, n->input[i]) : NULL;
    }
    if (!onnx_eval(&c)) {
        g_set_error(error, DLA_BUILD_ERROR, 0, "node \"%s\" (%s): %s", onnx_node_name(n),
                    n->op_type, c.why);
        return FALSE;
    }
    for (unsigned i = 0; i < ONNX_MAX_ENDS; i++) {
        if (c.out[i] && i < n->n_output) {
            g_hash_table_insert(values, g_strdup(n->output[i]), c.out[i]);
        } else {
            onnx_value_unref(c.out[i]);
        }
    }
    return TRUE;
}

GHashTable *onnx_reference_run(const struct onnx_model *m, GHashTable *inputs, GError **error)
{
    GHashTable *values =
        g_hash_table_new_full(g_str_hash, g_str_equal, g_free, (GDestroyNotify)onnx_value_unref);
    gboolean ok = onnx_model_constants(m, constant_take, values, error);
    GHashTableIter iter;
    gpointer name, value;

    g_hash_table_iter_init(&iter, inputs);
    while (g_hash_table_iter_next(&iter, &name, &value)) {
        g_hash_table_insert(values, g_strdup(name), onnx_value_ref(value));
    }
    for (size_t i = 0; ok && i < m->graph->n_node; i++) {
        ok = node_run(m, m->graph->node[i], values, error);
    }
    if (!ok) {
        g_hash_table_unref(values);
        values = NULL;
    }
    return values;
}
