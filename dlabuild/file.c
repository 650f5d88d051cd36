/* SPDX-License-Identifier: MIT */
/* From a description to a loadable: what belongs to the whole network. */
#include "dlabuild/build.h"

#include <stdio.h>

static void tensor_free(gpointer data)
{
    g_free(((struct tensor *)data)->name);
    g_free(data);
}

static void op_free(gpointer data)
{
    g_free(((struct build_op *)data)->name);
    g_free(data);
}

/* "0.12.0" and the size of a cube in descriptors of that version. */
static void version_read(struct build *b, const struct json_at *root)
{
    unsigned v[3] = { 0, 12, 0 };

    if (json_has(root, "blob_version")) {
        if (sscanf(json_text(b, root, "blob_version"), "%u.%u.%u", &v[0], &v[1], &v[2]) != 3 ||
            v[0] > 255 || v[1] > 255 || v[2] > 255) {
            build_fail(b, "blob_version", "three numbers: \"0.12.0\"");
        }
    }
    b->cube_bytes = desc_cube_bytes(v[0], v[1]);
    if (!b->cube_bytes) {
        build_fail(b, "blob_version", "0.10, 0.11 or 0.12: others have no published descriptors");
        b->cube_bytes = 32;
    }
    for (int i = 0; i < 3; i++) {
        b->version[i] = (uint8_t)v[i];
    }
}

static void config_read(struct build *b, const struct json_at *root)
{
    const char *name = json_has(root, "config") ? json_text(b, root, "config") : "nv_full";
    const struct dla_config *c;

    b->cfg = dla_config_find(name);
    if (!b->cfg) {
        GString *known = g_string_new(NULL);

        for (size_t i = 0; (c = dla_config_at(i)); i++) {
            g_string_append_printf(known, " %s", c->name);
        }
        build_fail(b, "config", "\"%s\" is none of:%s", name, known->str);
        g_string_free(known, TRUE);
        b->cfg = dla_config_at(0);
    }
    b->precision = (enum dla_precision)json_word(b, root, "precision", "int8|int16|fp16", DLA_INT8);
}

static void inputs_read(struct build *b, const struct json_at *root)
{
    JsonArray *a;

    if (json_has(root, "input") == json_has(root, "inputs")) {
        build_fail(b, "input", "exactly one of input { } and inputs [ ] is needed");
        return;
    }
    if (json_has(root, "input")) {
        struct json_at j = json_object(b, root, "input");

        build_input(b, &j);
        return;
    }
    a = json_array(b, root, "inputs", TRUE);
    for (guint i = 0; a && !b->error && i < json_array_get_length(a); i++) {
        struct json_at j = json_element(b, root, "inputs", a, i);

        build_input(b, &j);
    }
}

static void output_mark(struct build *b, const char *path, struct tensor *t, int index)
{
    if (!t || b->error) {
        return;
    }
    if (t->parent || t->is_constant) {
        struct json_at j = { .object = NULL };
        char *name = g_strconcat(t->name, ".out", NULL);

        g_strlcpy(j.path, path, sizeof(j.path));
        t = tensor_copy(b, &j, name, t);
        g_free(name);
    }
    if (t->made < 0 || t->output >= 0) {
        build_fail(b, path, "\"%s\" is %s", t->name,
                   t->made < 0 ? "an input, no layer makes it" : "named twice");
    }
    t->output = index;
}

static void outputs_read(struct build *b, const struct json_at *root)
{
    JsonArray *a = json_array(b, root, "outputs", FALSE);

    if (!a || json_array_get_length(a) == 0) {
        output_mark(b, "outputs", b->last, 0);
        return;
    }
    for (guint i = 0; !b->error && i < json_array_get_length(a); i++) {
        output_mark(b, "outputs", tensor_find(b, "outputs", json_text_at(b, root, "outputs", a, i)),
                    (int)i);
    }
}

/* What the layer has used is in the weights, rounded. */
static void data_free_used(struct build *b)
{
    for (guint i = 0; i < b->data_used->len; i++) {
        struct build_data *d = b->data->pdata[g_array_index(b->data_used, int64_t, i)];

        g_clear_pointer(&d->v, g_free);
        d->count = 0;
    }
    g_array_set_size(b->data_used, 0);
}

static void description_read(struct build *b, JsonNode *node)
{
    struct json_at root = { 0 };
    JsonArray *layers;

    if (!node || !JSON_NODE_HOLDS_OBJECT(node)) {
        build_fail(b, "", "an object { }");
        return;
    }
    root.object = json_node_get_object(node);
    json_keys(b, &root,
              "name|config|blob_version|precision|input|inputs|layers|outputs|scales|comment");
    b->scales = json_has(&root, "scales") ? json_object(b, &root, "scales").object : NULL;
    version_read(b, &root);
    config_read(b, &root);
    if (b->error) {
        return;
    }
    inputs_read(b, &root);
    layers = json_array(b, &root, "layers", TRUE);
    if (layers && json_array_get_length(layers) == 0) {
        build_fail(b, "layers", "at least one");
    }
    for (guint i = 0; layers && !b->error && i < json_array_get_length(layers); i++) {
        struct json_at j = json_element(b, &root, "layers", layers, i);

        if (!b->error) {
            build_layer(b, &j);
            data_free_used(b);
        }
    }
    if (!b->error) {
        outputs_read(b, &root);
    }
}

uint8_t *build_description(JsonNode *description, const char *name, GPtrArray *data, size_t *len,
                           GError **error)
{
    struct build b = { .data = data,
                       .data_used = g_array_new(FALSE, FALSE, sizeof(int64_t)),
                       .tensors = g_ptr_array_new_with_free_func(tensor_free),
                       .ops = g_ptr_array_new_with_free_func(op_free),
                       .constants = g_byte_array_new(),
                       .luts = g_byte_array_new(),
                       .folder = g_path_get_dirname(name) };
    uint8_t *out;

    description_read(&b, description);
    out = b.error ? NULL : build_finish(&b, len);
    g_prefix_error(&b.error, "%s: ", name);
    if (b.error) {
        g_propagate_error(error, b.error);
    }
    g_ptr_array_free(b.tensors, TRUE);
    g_ptr_array_free(b.ops, TRUE);
    g_array_free(b.data_used, TRUE);
    g_byte_array_unref(b.constants);
    g_byte_array_free(b.luts, TRUE);
    g_free(b.folder);
    return out;
}
