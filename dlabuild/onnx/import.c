/* SPDX-License-Identifier: MIT */
#include "dlabuild/onnx/import.h"

#include <string.h>

#include "dlabuild/onnx/quantise.h"

#define MAX_CUBE 8192

gboolean import_refuse(struct import *im, const char *format, ...)
{
    va_list args;
    char *text, *whole, *valid;

    if (im->error) {
        return FALSE;
    }
    va_start(args, format);
    text = g_strdup_vprintf(format, args);
    va_end(args);
    whole = im->node ? g_strdup_printf("node \"%s\" (%s): %s", onnx_node_name(im->node),
                                       im->node->op_type, text)
                     : g_strdup(text);
    valid = g_utf8_make_valid(whole, -1);
    im->error = g_error_new_literal(DLA_BUILD_ERROR, 0, valid);
    if (im->options->refused) {
        *im->options->refused = im->node;
    }
    g_free(valid);
    g_free(whole);
    g_free(text);
    return FALSE;
}

/* --- values --- */
static void value_free(gpointer data)
{
    struct value *v = data;

    onnx_value_unref(v->constant);
    onnx_value_unref(v->moved);
    g_free(v->tensor);
    g_free(v);
}

void import_cube(unsigned rank, const int64_t *d, int64_t *runs, uint32_t *cube)
{
    *runs = rank > 1 ? d[0] : 1;
    cube[0] = (uint32_t)(rank == 0 ? 1 : rank == 1 ? d[0] : d[1]);
    cube[1] = (uint32_t)(rank == 4 ? d[2] : 1);
    cube[2] = (uint32_t)(rank < 3 ? 1 : d[rank - 1]);
    for (unsigned i = 2; rank > 4 && i + 1 < rank; i++) {
        cube[1] *= (uint32_t)d[i];
    }
}

size_t import_count(const struct value *v)
{
    return (size_t)v->cube[0] * v->cube[1] * v->cube[2];
}

static void uses_count(struct import *im, GHashTable *uses)
{
    for (size_t i = 0; i < im->m->graph->n_node; i++) {
        const Onnx__Node *n = im->m->graph->node[i];

        for (size_t k = 0; k < n->n_input; k++) {
            g_hash_table_insert(
                uses, n->input[k],
                GUINT_TO_POINTER(1 + GPOINTER_TO_UINT(g_hash_table_lookup(uses, n->input[k]))));
        }
    }
    for (size_t i = 0; i < im->m->graph->n_output; i++) {
        char *name = im->m->graph->output[i]->name;

        if (name) {
            g_hash_table_insert(
                uses, name,
                GUINT_TO_POINTER(1 + GPOINTER_TO_UINT(g_hash_table_lookup(uses, name))));
        }
    }
}

struct value *import_in(struct import *im, unsigned i)
{
    if (i >= im->node->n_input || !*im->node->input[i]) {
        return NULL;
    }
    return import_find(im, im->node->input[i]);
}

struct onnx_value *import_constant(struct import *im, unsigned i)
{
    struct value *v = import_in(im, i);

    if (v && !v->constant) {
        import_refuse(im, "its input \"%s\" is computed: a DLA takes a constant there",
                      im->node->input[i]);
        return NULL;
    }
    return v ? v->constant : NULL;
}

void import_set(struct import *im, unsigned i, struct value *v)
{
    if (v && i < im->node->n_output && *im->node->output[i]) {
        struct value *old = g_hash_table_lookup(im->values, im->node->output[i]);

        v->uses = old ? old->uses : v->uses;
        g_hash_table_insert(im->values, im->node->output[i], v);
        if (v->tensor && !v->moved) { /* a later node may be a further step of the layer */
            g_hash_table_insert(im->out->layers, g_strdup(v->tensor),
                                g_strdup(im->node->output[i]));
        }
    }
}

/* --- layers --- */
/* A name that the description takes: of the node's output. */
char *import_name(struct import *im)
{
    const char *from = im->node && im->node->n_output ? im->node->output[0] : "t";
    char *name = g_strdup_printf("%.44s_%u", from, im->names++);

    for (char *p = name; *p; p++) {
        if (!g_ascii_isalnum(*p) && !strchr("._-", *p)) {
            *p = '_';
        }
    }
    return name;
}

void import_text(JsonObject *o, const char *key, const char *text)
{
    json_object_set_string_member(o, key, text);
}

JsonObject *import_layer(struct import *im, const char *type, const struct value *in)
{
    JsonObject *o = json_object_new();
    char *name = import_name(im);

    import_text(o, "name", name);
    import_text(o, "type", type);
    if (in) {
        import_text(o, "input", in->tensor);
    }
    json_array_add_object_element(im->layers, o);
    g_free(name);
    return o;
}

struct value *import_made(struct import *im, JsonObject *layer, const uint32_t *cube, unsigned rank,
                          const int64_t *dims, int64_t runs)
{
    struct value *v = import_value_new(im);

    v->tensor = g_strdup(json_object_get_string_member(layer, "name"));
    g_hash_table_insert(im->out->channels, g_strdup(v->tensor), GSIZE_TO_POINTER(cube[0]));
    v->layer = layer;
    v->order = json_array_get_length(im->layers);
    v->rank = rank;
    if (rank) {
        memcpy(v->dims, dims, rank * sizeof(*dims));
    }
    memcpy(v->cube, cube, sizeof(v->cube));
    v->runs = runs;
    v->uses = 1;
    for (int i = 0; i < 3; i++) {
        if (cube[i] < 1 || cube[i] > MAX_CUBE) {
            import_refuse(im,
                          "a tensor of %u x %u x %u: NVIDIA's rule for DLA: dimensions of 1 to "
                          "8,192",
                          cube[0], cube[1], cube[2]);
            break;
        }
    }
    return v;
}

struct value *import_like(struct import *im, JsonObject *layer, const struct value *like)
{
    return import_made(im, layer, like->cube, like->rank, like->dims, like->runs);
}

static void data_free(gpointer data)
{
    struct build_data *d = data;

    g_free(d->v);
    g_free(d);
}

JsonObject *import_data(struct import *im, float *v, size_t count)
{
    struct build_data *d = g_new(struct build_data, 1);
    JsonObject *o = json_object_new();

    *d = (struct build_data){ v, count };
    json_object_set_int_member(o, "data", im->out->data->len);
    g_ptr_array_add(im->out->data, d);
    return o;
}

JsonObject *import_fill(struct import *im, float v, size_t count)
{
    float *all = g_new(float, count + 1);

    for (size_t i = 0; i < count; i++) {
        all[i] = v;
    }
    return import_data(im, all, count);
}

struct build_data *import_data_of(struct import *im, JsonObject *o, const char *key)
{
    JsonObject *d = json_object_has_member(o, key) ? json_object_get_object_member(o, key) : NULL;

    return d ? im->out->data->pdata[json_object_get_int_member(d, "data")] : NULL;
}

void import_weight_scale(struct import *im, JsonObject *layer, unsigned i)
{
    const struct onnx_value *s =
        i < im->node->n_input ? g_hash_table_lookup(im->weight_scales, im->node->input[i]) : NULL;

    if (s && im->quantised) {
        json_object_set_object_member(
            layer, "weight_scale",
            import_data(im, g_memdup2(s->v, (s->count + 1) * sizeof(float)), s->count));
    }
}

void import_ints(JsonObject *o, const char *key, unsigned n, const int64_t *v)
{
    JsonArray *a = json_array_new();

    for (unsigned i = 0; i < n; i++) {
        json_array_add_int_element(a, v[i]);
    }
    json_object_set_array_member(o, key, a);
}

/* --- the graph --- */
/* A dimension: as given, or 1 for a batch that the model leaves open. */
static gboolean input_dims(struct import *im, const Onnx__ValueInfo *info, struct value *v)
{
    const Onnx__TensorType *t = info->type ? info->type->tensor_type : NULL;
    const struct onnx_value *given =
        im->options->shapes ? g_hash_table_lookup(im->options->shapes, info->name) : NULL;
    size_t count;

    if (given) {
        v->rank = given->rank;
        memcpy(v->dims, given->dims, sizeof(v->dims));
        return TRUE;
    }
    if (!t || !t->shape || t->shape->n_dim > ONNX_MAX_RANK) {
        return import_refuse(im, "input \"%s\": no shape: give it with --shape %s=1x3x224x224",
                             info->name, info->name);
    }
    if (t->elem_type != ONNX_FLOAT && t->elem_type != ONNX_FLOAT16 && t->elem_type != ONNX_DOUBLE) {
        return import_refuse(im,
                             "input \"%s\": data type %d: NVIDIA's rule for DLA: floating-point "
                             "(FP16), or INT8 by quantisation",
                             info->name, t->elem_type);
    }
    v->rank = (unsigned)t->shape->n_dim;
    for (unsigned i = 0; i < v->rank; i++) {
        const Onnx__Dim *d = t->shape->dim[i];

        if (!d->has_value && i > 0) {
            return import_refuse(im,
                                 "input \"%s\": dimension %u is open (\"%s\"): NVIDIA's rule for "
                                 "DLA: no dynamic shapes; give it with --shape",
                                 info->name, i, d->param ? d->param : "");
        }
        v->dims[i] = d->has_value ? d->value : 1;
    }
    if (!onnx_count(v->rank, v->dims, &count) || count == 0) {
        return import_refuse(im, "input \"%s\": a shape without numbers, or too many", info->name);
    }
    return TRUE;
}

static gboolean inputs_read(struct import *im, GHashTable *uses)
{
    for (size_t i = 0; i < im->m->graph->n_input && !im->error; i++) {
        const Onnx__ValueInfo *info = im->m->graph->input[i];
        struct onnx_value *given = im->options->constants && info->name
                                       ? g_hash_table_lookup(im->options->constants, info->name)
                                       : NULL;
        struct value *v;

        if (!info->name || import_find(im, info->name)) {
            continue; /* old files list initialisers too */
        }
        if (given) {
            v = import_value_of(im, onnx_value_ref(given));
        } else {
            v = import_value_new(im);
            v->name = info->name;
            v->uses = GPOINTER_TO_UINT(g_hash_table_lookup(uses, info->name));
            if (GPOINTER_TO_UINT(g_hash_table_lookup(uses, info->name)) &&
                !input_dims(im, info, v)) {
                return FALSE;
            }
        }
        g_hash_table_insert(im->values, info->name, v);
    }
    return !im->error;
}

/* Nodes whose results are used for an output, from the last to the first. */
static gboolean *nodes_alive(const struct onnx_model *m)
{
    GHashTable *needed = g_hash_table_new(g_str_hash, g_str_equal);
    gboolean *alive = g_new0(gboolean, m->graph->n_node + 1);

    for (size_t i = 0; i < m->graph->n_output; i++) {
        if (m->graph->output[i]->name) {
            g_hash_table_add(needed, m->graph->output[i]->name);
        }
    }
    for (size_t i = m->graph->n_node; i-- > 0;) {
        const Onnx__Node *n = m->graph->node[i];

        for (size_t k = 0; k < n->n_output; k++) {
            alive[i] = alive[i] || g_hash_table_contains(needed, n->output[k]);
        }
        for (size_t k = 0; alive[i] && k < n->n_input; k++) {
            g_hash_table_add(needed, n->input[k]);
        }
    }
    g_hash_table_unref(needed);
    return alive;
}

static void end_free(gpointer data)
{
    g_free(((struct onnx_end *)data)->name);
    g_free(data);
}

static void output_add(struct import *im, JsonArray *names, const char *name)
{
    struct value *v = name ? import_find(im, name) : NULL;
    struct onnx_end *end;

    if (!v || v->constant) {
        import_refuse(im, "output \"%s\" %s", name ? name : "",
                      v ? "is a constant" : "is made by no node");
        return;
    }
    if (!v->tensor || v->moved || !v->layer) { /* an input as it is, or a part */
        struct value *x = v->moved || !v->tensor ? import_settle(im, v) : v;

        v = x ? point_copy(im, x) : NULL;
    }
    if (!v || im->error) {
        return;
    }
    for (guint i = 0; i < json_array_get_length(names); i++) {
        if (strcmp(json_array_get_string_element(names, i), v->tensor) == 0) {
            v = point_copy(im, v);
            break;
        }
    }
    json_array_add_string_element(names, v->tensor);
    end = g_new0(struct onnx_end, 1);
    end->name = g_strdup(name);
    end->runs = v->runs;
    end->rank = v->rank;
    memcpy(end->dims, v->dims, sizeof(end->dims));
    memcpy(end->cube, v->cube, sizeof(end->cube));
    g_ptr_array_add(im->out->outputs, end);
}

/* Between its nodes, and not only at constants. */
static gboolean is_quantised(const struct onnx_model *m)
{
    for (size_t i = 0; i < m->graph->n_node; i++) {
        if (strcmp(m->graph->node[i]->op_type, "QuantizeLinear") == 0) {
            return TRUE;
        }
    }
    return FALSE;
}

/* Scales from outside: those of the tensors that there are. */
static void scales_take(struct import *im)
{
    GHashTableIter iter;
    gpointer name, scale;

    if (is_quantised(im->m)) {
        import_refuse(im, "the model is quantised already: it has scales of its own");
        return;
    }
    g_hash_table_iter_init(&iter, im->options->scales);
    while (g_hash_table_iter_next(&iter, &name, &scale)) {
        onnx_scale_set(im->out, name, *(double *)scale);
    }
}

/* The loadable computes in int8; its ends get their scales. */
static void int8_make(struct import *im, JsonArray *outputs)
{
    if (im->options->scales) {
        scales_take(im);
    }
    if (im->error || !im->quantised || !quantise_description(im->out, &im->error)) {
        return;
    }
    for (guint i = 0; i < im->out->inputs->len; i++) {
        const char *name =
            json_object_get_string_member(json_array_get_object_element(im->inputs, i), "name");
        const double *s = g_hash_table_lookup(im->out->scales, name);

        ((struct onnx_end *)im->out->inputs->pdata[i])->scale = s ? *s : 0;
    }
    for (guint i = 0; i < im->out->outputs->len; i++) {
        const double *s =
            g_hash_table_lookup(im->out->scales, json_array_get_string_element(outputs, i));

        ((struct onnx_end *)im->out->outputs->pdata[i])->scale = s ? *s : 0;
    }
}

static void description_make(struct import *im)
{
    JsonObject *root = json_object_new();
    JsonArray *outputs = json_array_new();

    im->node = NULL;
    for (size_t i = 0; i < im->m->graph->n_output && !im->error; i++) {
        output_add(im, outputs, im->m->graph->output[i]->name);
    }
    import_text(root, "config", im->cfg->name);
    import_text(root, "precision", "fp16");
    json_object_set_array_member(root, "inputs", im->inputs);
    json_object_set_array_member(root, "layers", im->layers);
    json_object_set_array_member(root, "outputs", outputs);
    im->out->description = json_node_init_object(json_node_alloc(), root);
    if (!im->error) {
        int8_make(im, outputs);
    }
    json_object_unref(root);
}

static void graph_import(struct import *im)
{
    GHashTable *uses = g_hash_table_new(g_str_hash, g_str_equal);
    gboolean *alive = nodes_alive(im->m);

    uses_count(im, uses);
    if (import_initializers_read(im) && inputs_read(im, uses)) {
        for (size_t i = 0; i < im->m->graph->n_node && !im->error; i++) {
            im->node = im->m->graph->node[i];
            for (size_t k = 0; alive[i] && k < im->node->n_output; k++) {
                struct value *v = import_value_new(im); /* keeps the count until the node is done */

                v->uses = GPOINTER_TO_UINT(g_hash_table_lookup(uses, im->node->output[k]));
                if (*im->node->output[k] && import_find(im, im->node->output[k])) {
                    import_refuse(im, "its output \"%s\" is made twice", im->node->output[k]);
                }
                if (import_inputs_known(im)) {
                    g_hash_table_insert(im->values, im->node->output[k], v);
                }
            }
            if (alive[i] && !im->error) {
                import_node(im);
                import_initializers_drop(im);
            }
        }
    }
    g_free(alive);
    g_hash_table_unref(uses);
    description_make(im);
}

struct onnx_import *onnx_import(const struct onnx_model *m, const struct onnx_options *options,
                                GError **error)
{
    struct import im = { .m = m,
                         .options = options,
                         .cfg = dla_config_find(options->config ? options->config : "nv_full"),
                         .folder = g_path_get_dirname(m->path),
                         .values = g_hash_table_new(g_str_hash, g_str_equal),
                         .packed = g_hash_table_new(g_str_hash, g_str_equal),
                         .all = g_ptr_array_new_with_free_func(value_free),
                         .layers = json_array_new(),
                         .inputs = json_array_new(),
                         .out = g_new0(struct onnx_import, 1) };

    im.out->data = g_ptr_array_new_with_free_func(data_free);
    im.out->inputs = g_ptr_array_new_with_free_func(end_free);
    im.out->outputs = g_ptr_array_new_with_free_func(end_free);
    im.out->layers = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
    im.out->scales = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
    im.out->channels = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    im.weight_scales =
        g_hash_table_new_full(g_str_hash, g_str_equal, NULL, (GDestroyNotify)onnx_value_unref);
    im.quantised = is_quantised(m) || options->scales;
    if (!im.cfg) {
        import_refuse(&im, "there is no configuration \"%s\"", options->config);
        im.cfg = dla_config_at(0);
    } else if (!im.cfg->fp16 && !im.quantised) {
        import_refuse(&im, "%s has no fp16: a float model needs nv_full", im.cfg->name);
    }
    graph_import(&im);
    g_hash_table_unref(im.values);
    g_hash_table_unref(im.packed);
    g_hash_table_unref(im.weight_scales);
    g_ptr_array_free(im.all, TRUE);
    g_free(im.folder);
    if (im.error) {
        g_prefix_error(&im.error, "%s: ", m->path);
        g_propagate_error(error, im.error);
        onnx_import_free(im.out);
        return NULL;
    }
    return im.out;
}

void onnx_import_free(struct onnx_import *r)
{
    if (r) {
        if (r->description) {
            json_node_unref(r->description);
        }
        g_ptr_array_free(r->data, TRUE);
        g_ptr_array_free(r->inputs, TRUE);
        g_ptr_array_free(r->outputs, TRUE);
        g_hash_table_unref(r->layers);
        g_hash_table_unref(r->scales);
        g_hash_table_unref(r->channels);
        g_free(r);
    }
}
