/* SPDX-License-Identifier: MIT */
#include "dlabuild/onnx/shapes.h"

#include <string.h>

static void known_free(gpointer data)
{
    struct onnx_known *k = data;

    onnx_value_unref(k->constant);
    g_free(k);
}

static struct onnx_known *known_add(GHashTable *values, const char *name)
{
    struct onnx_known *k = g_new0(struct onnx_known, 1);

    g_hash_table_insert(values, g_strdup(name), k);
    return k;
}

static void known_shape(struct onnx_known *k, enum onnx_type type, unsigned rank,
                        const int64_t *dims)
{
    k->known = TRUE;
    k->type = type;
    k->rank = rank;
    if (rank) {
        memcpy(k->dims, dims, rank * sizeof(*dims));
    }
}

/* Takes @v over. */
static void known_constant(struct onnx_known *k, struct onnx_value *v)
{
    known_shape(k, v->type, v->rank, v->dims);
    k->constant = v;
}

/* A shape that the file states in full; an open batch is 1. */
static gboolean info_shape(struct onnx_known *k, const Onnx__ValueInfo *info)
{
    const Onnx__TensorType *t = info->type ? info->type->tensor_type : NULL;
    int64_t dims[ONNX_MAX_RANK];
    size_t count;

    if (!t || !t->shape || t->shape->n_dim > ONNX_MAX_RANK) {
        return FALSE;
    }
    for (size_t i = 0; i < t->shape->n_dim; i++) {
        const Onnx__Dim *d = t->shape->dim[i];

        if (!d->has_value && i > 0) {
            return FALSE;
        }
        dims[i] = d->has_value ? d->value : 1;
    }
    if (!onnx_count((unsigned)t->shape->n_dim, dims, &count)) {
        return FALSE;
    }
    known_shape(k, (enum onnx_type)t->elem_type, (unsigned)t->shape->n_dim, dims);
    return TRUE;
}

static void initializer_take(gpointer values, const char *name, struct onnx_value *v)
{
    known_constant(known_add(values, name), v);
}

static void inputs_add(const struct onnx_model *m, const struct onnx_options *options,
                       GHashTable *values)
{
    for (size_t i = 0; i < m->graph->n_input; i++) {
        const Onnx__ValueInfo *info = m->graph->input[i];
        struct onnx_value *constant, *shape;
        struct onnx_known *k;

        if (!info->name || g_hash_table_contains(values, info->name)) {
            continue;
        }
        constant = options->constants ? g_hash_table_lookup(options->constants, info->name) : NULL;
        shape = options->shapes ? g_hash_table_lookup(options->shapes, info->name) : NULL;
        k = known_add(values, info->name);
        if (constant) {
            known_constant(k, onnx_value_ref(constant));
        } else if (shape) {
            known_shape(k, ONNX_FLOAT, shape->rank, shape->dims);
        } else {
            info_shape(k, info);
        }
    }
}

/* Is an output's shape that of the shapes of the inputs alone? Integers that are computed may be a
 * shape themselves, and so may the second and later inputs of a resize. */
static gboolean shape_follows(const Onnx__Node *n, unsigned input, const struct onnx_known *k)
{
    gboolean integer = k->type != ONNX_FLOAT && k->type != ONNX_FLOAT16 && k->type != ONNX_DOUBLE;

    if (!k->known || desc_word_find("Range|ConstantOfShape", n->op_type) >= 0) {
        return FALSE;
    }
    return input == 0 || (!integer && desc_word_find("Resize|Upsample", n->op_type) < 0);
}

static gboolean is_shape(const Onnx__Node *n)
{
    return strcmp(n->op_type, "Shape") == 0 || strcmp(n->op_type, "Size") == 0;
}

/* Computes a node whose inputs are known. @constant: all are numbers. FALSE: it cannot be. */
static gboolean call_make(const struct onnx_model *m, const Onnx__Node *n, GHashTable *values,
                          struct onnx_call *c, gboolean *constant)
{
    *c = (struct onnx_call){ .node = n, .opset = m->opset };
    *constant = n->n_input > 0 || strcmp(n->op_type, "Constant") == 0;
    c->ins = (unsigned)MIN(n->n_input, ONNX_MAX_ENDS);
    for (unsigned i = 0; i < c->ins; i++) {
        const struct onnx_known *k = *n->input[i] ? g_hash_table_lookup(values, n->input[i]) : NULL;

        if (!k) {
            continue; /* left out */
        }
        if (k->constant) {
            c->in[i] = onnx_value_ref(k->constant);
        } else if (is_shape(n) ? !k->known : !shape_follows(n, i, k)) {
            return FALSE;
        } else {
            c->in[i] = onnx_value_new(k->type, k->rank, k->dims);
            *constant = is_shape(n);
        }
    }
    c->shapes_only = !*constant;
    return n->n_input <= ONNX_MAX_ENDS && n->n_output <= ONNX_MAX_ENDS;
}

static void node_add(const struct onnx_model *m, const Onnx__Node *n, GHashTable *values)
{
    struct onnx_call c;
    gboolean constant, ok = call_make(m, n, values, &c, &constant) && onnx_eval(&c);

    for (size_t i = 0; i < n->n_output; i++) {
        struct onnx_known *k = *n->output[i] ? known_add(values, n->output[i]) : NULL;

        if (k && ok && i < ONNX_MAX_ENDS && c.out[i]) {
            if (constant) {
                known_constant(k, onnx_value_ref(c.out[i]));
            } else {
                known_shape(k, c.out[i]->type, c.out[i]->rank, c.out[i]->dims);
            }
        }
    }
    for (unsigned i = 0; i < ONNX_MAX_ENDS; i++) {
        onnx_value_unref(c.in[i]);
        onnx_value_unref(c.out[i]);
    }
}

/* What the file states of values that no operator of ours gives. */
static void infos_add(const Onnx__Node *n, GHashTable *infos, GHashTable *values)
{
    for (size_t i = 0; i < n->n_output; i++) {
        struct onnx_known *k = g_hash_table_lookup(values, n->output[i]);
        const Onnx__ValueInfo *info = g_hash_table_lookup(infos, n->output[i]);

        if (k && !k->known && info) {
            info_shape(k, info);
        }
    }
}

static GHashTable *infos_of(const struct onnx_model *m)
{
    GHashTable *infos = g_hash_table_new(g_str_hash, g_str_equal);

    for (size_t i = 0; i < m->graph->n_value_info + m->graph->n_output; i++) {
        Onnx__ValueInfo *info = i < m->graph->n_value_info
                                    ? m->graph->value_info[i]
                                    : m->graph->output[i - m->graph->n_value_info];

        if (info->name) {
            g_hash_table_insert(infos, info->name, info);
        }
    }
    return infos;
}

static gboolean inputs_there(const Onnx__Node *n, GHashTable *values, GError **error)
{
    for (size_t i = 0; i < n->n_input + n->n_output; i++) {
        gboolean out = i >= n->n_input;
        const char *name = out ? n->output[i - n->n_input] : n->input[i];

        if (*name && g_hash_table_contains(values, name) == out) {
            g_autofree char *valid =
                g_strdup_printf("node \"%s\" (%s): its %s \"%s\" is made %s", onnx_node_name(n),
                                n->op_type, out ? "output" : "input", name,
                                out ? "twice"
                                    : "by no node before it (a cycle, or nodes that are not in "
                                      "order)");
            g_autofree char *utf8 = g_utf8_make_valid(valid, -1);

            g_set_error_literal(error, DLA_BUILD_ERROR, 0, utf8);
            return FALSE;
        }
    }
    return TRUE;
}

GHashTable *onnx_shapes(const struct onnx_model *m, const struct onnx_options *options,
                        GError **error)
{
    GHashTable *values = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, known_free);
    GHashTable *infos = infos_of(m);
    gboolean ok = onnx_model_constants(m, initializer_take, values, error);

    if (ok) {
        inputs_add(m, options, values);
    }
    for (size_t i = 0; ok && i < m->graph->n_node; i++) {
        ok = inputs_there(m->graph->node[i], values, error);
        if (ok) {
            node_add(m, m->graph->node[i], values);
            infos_add(m->graph->node[i], infos, values);
        }
    }
    g_hash_table_unref(infos);
    if (!ok) {
        g_hash_table_unref(values);
        values = NULL;
    }
    return values;
}
