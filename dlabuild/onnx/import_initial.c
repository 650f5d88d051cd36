/* SPDX-License-Identifier: MIT */
/* Values, and initialisers: the constants that an ONNX file holds. Calls nothing else of the
 * importer. */
#include "dlabuild/onnx/import.h"

#include <string.h>

/* Numbers above which an initialiser is unpacked again for each node that uses it: all weights of a
 * network at once would lie in memory twice. */
#define MAX_KEPT 4096u

struct value *import_value_new(struct import *im)
{
    struct value *v = g_new0(struct value, 1);

    v->runs = 1;
    g_ptr_array_add(im->all, v);
    return v;
}

struct value *import_value_of(struct import *im, struct onnx_value *c)
{
    struct value *v = import_value_new(im);

    v->constant = c;
    v->rank = c->rank;
    memcpy(v->dims, c->dims, sizeof(v->dims));
    return v;
}

struct value *import_find(struct import *im, const char *name)
{
    struct value *v = g_hash_table_lookup(im->values, name);
    const Onnx__Tensor *t = v ? NULL : g_hash_table_lookup(im->packed, name);
    struct onnx_value *c = t && !im->error ? onnx_tensor_value(t, im->folder, &im->error) : NULL;

    if (c) {
        v = import_value_of(im, c);
        g_hash_table_insert(im->values, t->name, v);
    }
    return v;
}

void import_initializers_drop(struct import *im)
{
    for (size_t i = 0; i < im->node->n_input; i++) {
        struct value *v = g_hash_table_lookup(im->values, im->node->input[i]);
        gboolean drop = v && v->constant && v->constant->count > MAX_KEPT &&
                        g_hash_table_contains(im->packed, im->node->input[i]);

        for (size_t k = 0; drop && k < im->node->n_output; k++) {
            drop = g_hash_table_lookup(im->values, im->node->output[k]) != v;
        }
        if (drop) {
            g_hash_table_remove(im->values, im->node->input[i]);
            g_clear_pointer(&v->constant, onnx_value_unref);
        }
    }
}

gboolean import_initializers_read(struct import *im)
{
    for (size_t i = 0; i < im->m->graph->n_initializer && !im->error; i++) {
        const Onnx__Tensor *t = im->m->graph->initializer[i];
        struct onnx_value *v = t->name ? onnx_tensor_value(t, im->folder, &im->error) : NULL;

        if (!v) {
            continue;
        }
        g_hash_table_remove(im->values, t->name); /* the last one of a name counts */
        g_hash_table_insert(im->packed, t->name, im->m->graph->initializer[i]);
        if (v->count > MAX_KEPT) {
            onnx_value_unref(v);
        } else {
            g_hash_table_insert(im->values, t->name, import_value_of(im, v));
        }
    }
    return !im->error;
}
