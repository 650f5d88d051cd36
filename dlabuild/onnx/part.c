/* SPDX-License-Identifier: MIT */
#include "dlabuild/onnx/part.h"

#include <string.h>

#define MAX_NESTING 16      /* of subgraphs; deeper ones are not looked into */
#define IR_WITHOUT_INPUTS 4 /* from this version on initialisers need not be inputs too */

static void *part_keep(struct onnx_part *p, size_t bytes)
{
    void *b = g_malloc0(bytes + 1);

    g_ptr_array_add(p->kept, b);
    return b;
}

/* --- names --- */
static void graph_names(const ProtobufCBinaryData *bytes, GHashTable *names, GPtrArray *kept,
                        int depth);

static void node_names(const Onnx__Node *n, GHashTable *names, GPtrArray *kept, int depth)
{
    for (size_t i = 0; i < n->n_input; i++) {
        if (*n->input[i] && depth == 0) {
            g_hash_table_add(names, n->input[i]);
        } else if (*n->input[i]) {
            char *copy = g_strdup(n->input[i]);

            g_ptr_array_add(kept, copy);
            g_hash_table_add(names, copy);
        }
    }
    for (size_t i = 0; i < n->n_attribute; i++) {
        if (n->attribute[i]->has_g && depth < MAX_NESTING) {
            graph_names(&n->attribute[i]->g, names, kept, depth + 1);
        }
    }
}

static void graph_names(const ProtobufCBinaryData *bytes, GHashTable *names, GPtrArray *kept,
                        int depth)
{
    Onnx__Graph *g = onnx__graph__unpack(NULL, bytes->len, bytes->data);

    for (size_t i = 0; g && i < g->n_node; i++) {
        node_names(g->node[i], names, kept, depth);
    }
    for (size_t i = 0; g && i < g->n_output; i++) { /* a body may give a value of outside */
        char *copy = g_strdup(g->output[i]->name ? g->output[i]->name : "");

        g_ptr_array_add(kept, copy);
        g_hash_table_add(names, copy);
    }
    if (g) {
        onnx__graph__free_unpacked(g, NULL);
    }
}

void onnx_node_names(const Onnx__Node *n, GHashTable *names, GPtrArray *kept)
{
    node_names(n, names, kept, 0);
}

/* --- tensors --- */
static unsigned number_bytes(enum onnx_type type)
{
    switch (type) {
    case ONNX_DOUBLE:
    case ONNX_INT64:
    case ONNX_UINT64:
        return 8;
    case ONNX_FLOAT:
    case ONNX_INT32:
    case ONNX_UINT32:
        return 4;
    case ONNX_FLOAT16:
    case ONNX_INT16:
    case ONNX_UINT16:
        return 2;
    default:
        return 1;
    }
}

/* The bits of a number of that type. Integers beyond 2^24 are those of the nearest float; the end
 * of a slice, INT64_MAX, stays what it is. */
static uint64_t number_bits(enum onnx_type type, float v)
{
    union {
        float f;
        uint32_t u;
    } f = { v };
    union {
        double d;
        uint64_t u;
    } d = { (double)v };

    switch (type) {
    case ONNX_FLOAT:
        return f.u;
    case ONNX_DOUBLE:
        return d.u;
    case ONNX_FLOAT16:
        return (uint64_t)half_from_double((double)v) & 0xffff;
    case ONNX_UINT64:
        return v >= 18446744073709551616.f ? UINT64_MAX : v > 0 ? (uint64_t)v : 0;
    default:
        return v >= 9223372036854775808.f    ? (uint64_t)INT64_MAX
               : v <= -9223372036854775808.f ? (uint64_t)INT64_MIN
                                             : (uint64_t)(int64_t)v;
    }
}

static Onnx__Tensor *part_tensor(struct onnx_part *p, const char *name, const struct onnx_value *v)
{
    Onnx__Tensor *t = part_keep(p, sizeof(*t));
    unsigned bytes = number_bytes(v->type);
    uint8_t *raw = part_keep(p, v->count * bytes);

    onnx__tensor__init(t);
    t->name = (char *)name;
    t->has_data_type = 1;
    t->data_type = (int32_t)v->type;
    t->n_dims = v->rank;
    t->dims = part_keep(p, sizeof(v->dims));
    memcpy(t->dims, v->dims, sizeof(v->dims));
    for (size_t i = 0; i < v->count; i++) {
        desc_put(raw + i * bytes, bytes, (int64_t)number_bits(v->type, v->v[i]));
    }
    t->has_raw_data = 1;
    t->raw_data = (ProtobufCBinaryData){ v->count * bytes, raw };
    return t;
}

static void tensor_add(struct onnx_part *p, const struct onnx_model *m, const char *name,
                       const struct onnx_value *v)
{
    for (size_t i = 0; i < m->graph->n_initializer; i++) {
        Onnx__Tensor *t = m->graph->initializer[i];

        if (t->name && strcmp(t->name, name) == 0 && t->data_location != 1) {
            g_ptr_array_add(p->tensors, t);
            return;
        }
    }
    g_ptr_array_add(p->tensors, part_tensor(p, name, v));
}

/* --- inputs and outputs --- */
static Onnx__ValueInfo *info_find(const struct onnx_model *m, const char *name)
{
    const struct {
        Onnx__ValueInfo **info;
        size_t n;
    } lists[] = { { m->graph->input, m->graph->n_input },
                  { m->graph->output, m->graph->n_output },
                  { m->graph->value_info, m->graph->n_value_info } };

    for (size_t k = 0; k < G_N_ELEMENTS(lists); k++) {
        for (size_t i = 0; i < lists[k].n; i++) {
            if (lists[k].info[i]->name && strcmp(lists[k].info[i]->name, name) == 0) {
                return lists[k].info[i];
            }
        }
    }
    return NULL;
}

static Onnx__ValueInfo *info_make(struct onnx_part *p, const struct onnx_model *m, const char *name,
                                  const struct onnx_known *k)
{
    Onnx__ValueInfo *info = k && k->known ? NULL : info_find(m, name);
    Onnx__Shape *shape;

    if (info) {
        return info;
    }
    info = part_keep(p, sizeof(*info));
    onnx__value_info__init(info);
    info->name = (char *)name;
    if (!k || !k->known) {
        return info;
    }
    info->type = part_keep(p, sizeof(*info->type));
    onnx__type__init(info->type);
    info->type->tensor_type = part_keep(p, sizeof(*info->type->tensor_type));
    onnx__tensor_type__init(info->type->tensor_type);
    info->type->tensor_type->has_elem_type = 1;
    info->type->tensor_type->elem_type = (int32_t)k->type;
    shape = info->type->tensor_type->shape = part_keep(p, sizeof(*shape));
    onnx__shape__init(shape);
    shape->dim = part_keep(p, ONNX_MAX_RANK * sizeof(*shape->dim));
    for (shape->n_dim = 0; shape->n_dim < k->rank; shape->n_dim++) {
        Onnx__Dim *d = shape->dim[shape->n_dim] = part_keep(p, sizeof(*d));

        onnx__dim__init(d);
        d->has_value = 1;
        d->value = k->dims[shape->n_dim];
    }
    return info;
}

/* What the part reads: a constant becomes a tensor of its own, all else an input. */
static void part_read(struct onnx_part *p, const struct onnx_model *m, GHashTable *values,
                      const char *name)
{
    const struct onnx_known *k = g_hash_table_lookup(values, name);

    if (!k) {
        return; /* a name inside of a subgraph */
    }
    if (k->constant) {
        tensor_add(p, m, name, k->constant);
    } else {
        g_ptr_array_add(p->inputs, (char *)name);
        g_ptr_array_add(p->input_infos, info_make(p, m, name, k));
    }
}

static void part_give(struct onnx_part *p, const struct onnx_model *m, GHashTable *values,
                      const Onnx__Node *n, GHashTable *wanted)
{
    for (size_t i = 0; i < n->n_output; i++) {
        char *name = n->output[i];

        if (*name && g_hash_table_contains(wanted, name)) {
            g_ptr_array_add(p->outputs, name);
            g_ptr_array_add(p->output_infos,
                            info_make(p, m, name, g_hash_table_lookup(values, name)));
        }
    }
}

/* In the order of the graph, so that a part has the same inputs in each run. */
static void part_fill(struct onnx_part *p, const struct onnx_model *m, GHashTable *values,
                      const gboolean *in, GHashTable *wanted)
{
    GHashTable *seen = g_hash_table_new(g_str_hash, g_str_equal);

    for (size_t i = 0; i < m->graph->n_node; i++) {
        Onnx__Node *n = m->graph->node[i];
        GHashTable *names;
        GList *sorted;

        if (!in[i]) {
            continue;
        }
        names = g_hash_table_new(g_str_hash, g_str_equal);
        onnx_node_names(n, names, p->kept);
        sorted = g_list_sort(g_hash_table_get_keys(names), (GCompareFunc)strcmp);
        for (GList *l = sorted; l; l = l->next) {
            if (g_hash_table_add(seen, l->data)) {
                part_read(p, m, values, l->data);
            }
        }
        g_list_free(sorted);
        g_hash_table_unref(names);
        for (size_t k = 0; k < n->n_output; k++) {
            g_hash_table_add(seen, n->output[k]);
        }
        part_give(p, m, values, n, wanted);
        g_ptr_array_add(p->nodes, n);
    }
    g_hash_table_unref(seen);
}

struct onnx_part *onnx_part_new(const struct onnx_model *m, GHashTable *values, const gboolean *in,
                                GHashTable *wanted)
{
    struct onnx_part *p = g_new0(struct onnx_part, 1);

    p->inputs = g_ptr_array_new();
    p->outputs = g_ptr_array_new();
    p->nodes = g_ptr_array_new();
    p->tensors = g_ptr_array_new();
    p->input_infos = g_ptr_array_new();
    p->output_infos = g_ptr_array_new();
    p->kept = g_ptr_array_new_with_free_func(g_free);
    part_fill(p, m, values, in, wanted);
    p->graph = *m->graph;
    p->graph.node = (Onnx__Node **)p->nodes->pdata;
    p->graph.n_node = p->nodes->len;
    p->graph.initializer = (Onnx__Tensor **)p->tensors->pdata;
    p->graph.n_initializer = p->tensors->len;
    p->graph.input = (Onnx__ValueInfo **)p->input_infos->pdata;
    p->graph.n_input = p->input_infos->len;
    p->graph.output = (Onnx__ValueInfo **)p->output_infos->pdata;
    p->graph.n_output = p->output_infos->len;
    p->graph.value_info = NULL;
    p->graph.n_value_info = 0;
    p->proto = *m->proto;
    p->proto.graph = &p->graph;
    p->proto.has_ir_version = 1;
    p->proto.ir_version = MAX(m->proto->ir_version, IR_WITHOUT_INPUTS);
    p->model = (struct onnx_model){
        .proto = &p->proto, .graph = &p->graph, .path = m->path, .opset = m->opset
    };
    return p;
}

void onnx_part_free(struct onnx_part *p)
{
    if (p) {
        g_ptr_array_free(p->inputs, TRUE);
        g_ptr_array_free(p->outputs, TRUE);
        g_ptr_array_free(p->nodes, TRUE);
        g_ptr_array_free(p->tensors, TRUE);
        g_ptr_array_free(p->input_infos, TRUE);
        g_ptr_array_free(p->output_infos, TRUE);
        g_ptr_array_free(p->kept, TRUE);
        g_free(p);
    }
}

uint8_t *onnx_part_pack(const struct onnx_part *p, size_t *len)
{
    uint8_t *bytes;

    *len = onnx__model__get_packed_size(&p->proto);
    bytes = g_malloc(*len + 1);
    onnx__model__pack(&p->proto, bytes);
    return bytes;
}
