/* SPDX-License-Identifier: MIT */
#include "tools/dla/dla_split.h"

#include <glib/gstdio.h>
#include <stdio.h>
#include <string.h>

#include "dlabuild/onnx/split.h"
#include "tools/dla/dla_build.h"
#include "tools/dla/dla_net.h"
#include "tools/save.h"

/* A name of the graph as JSON takes it. */
static void string_add(JsonBuilder *b, const char *key, const char *text)
{
    g_autofree char *valid = g_utf8_make_valid(text, -1);

    json_builder_set_member_name(b, key);
    json_builder_add_string_value(b, valid);
}

/* An input or output of a loadable: the shape that the graph has, and the items of the batch, one
 * for each run of the loadable. */
static void end_add(JsonBuilder *b, const struct onnx_end *end)
{
    json_builder_begin_object(b);
    string_add(b, "name", end->name);
    json_builder_set_member_name(b, "shape");
    json_builder_begin_array(b);
    for (unsigned i = 0; i < end->rank; i++) {
        json_builder_add_int_value(b, end->dims[i]);
    }
    json_builder_end_array(b);
    json_builder_set_member_name(b, "runs");
    json_builder_add_int_value(b, end->runs);
    if (end->scale > 0) { /* int8 */
        json_builder_set_member_name(b, "scale");
        json_builder_add_double_value(b, end->scale);
    }
    json_builder_end_object(b);
}

static void ends_add(JsonBuilder *b, const char *key, const GPtrArray *names, const GPtrArray *ends)
{
    json_builder_set_member_name(b, key);
    json_builder_begin_array(b);
    for (guint i = 0; ends && i < ends->len; i++) {
        end_add(b, ends->pdata[i]);
    }
    for (guint i = 0; !ends && i < names->len; i++) {
        g_autofree char *valid = g_utf8_make_valid(names->pdata[i], -1);

        json_builder_begin_object(b);
        string_add(b, "name", valid);
        json_builder_end_object(b);
    }
    json_builder_end_array(b);
}

static char *model_file(guint i)
{
    return g_strdup_printf("%u.onnx", i);
}

static char *step_file(const struct onnx_step *s, guint i)
{
    return s->import ? g_strdup_printf("%u.loadable", i) : model_file(i);
}

static void step_add(JsonBuilder *b, const struct onnx_step *s, guint i)
{
    g_autofree char *file = step_file(s, i);

    json_builder_begin_object(b);
    string_add(b, "file", file);
    string_add(b, "on", s->import ? "dla" : "rest");
    if (s->import) {
        g_autofree char *model = model_file(i);

        string_add(b, "model", model);
    }
    ends_add(b, "inputs", s->inputs, s->import ? s->import->inputs : NULL);
    ends_add(b, "outputs", s->outputs, s->import ? s->import->outputs : NULL);
    json_builder_end_object(b);
}

static void refusal_add(JsonBuilder *b, const struct onnx_refusal *r)
{
    json_builder_begin_object(b);
    string_add(b, "node", r->node);
    string_add(b, "operator", r->op);
    string_add(b, "reason", r->why);
    json_builder_end_object(b);
}

static char *split_text(const struct onnx_split *s, const char *path)
{
    g_autofree char *name = g_path_get_basename(path);
    JsonBuilder *b = json_builder_new();
    JsonNode *root;
    char *text;

    json_builder_begin_object(b);
    string_add(b, "model", name);
    json_builder_set_member_name(b, "steps");
    json_builder_begin_array(b);
    for (guint i = 0; i < s->steps->len; i++) {
        step_add(b, s->steps->pdata[i], i);
    }
    json_builder_end_array(b);
    json_builder_set_member_name(b, "refused");
    json_builder_begin_array(b);
    for (guint i = 0; i < s->refused->len; i++) {
        refusal_add(b, s->refused->pdata[i]);
    }
    json_builder_end_array(b);
    json_builder_end_object(b);
    root = json_builder_get_root(b);
    text = json_to_string(root, TRUE);
    json_node_unref(root);
    g_object_unref(b);
    return text;
}

static gboolean file_write(const char *folder, const char *name, const void *bytes, size_t len,
                           GError **error)
{
    g_autofree char *path = g_build_filename(folder, name, NULL);

    return save(path, bytes, len, error);
}

/* A step; one of the DLA also as the model that it was built from, for vtegra dla run --compare. */
static gboolean step_write(const struct onnx_step *s, guint i, const char *folder, GError **error)
{
    g_autofree char *model = model_file(i);
    g_autofree char *file = step_file(s, i);

    return file_write(folder, model, s->model, s->model_len, error) &&
           (!s->import || file_write(folder, file, s->loadable, s->len, error));
}

static gboolean split_write(const struct onnx_split *s, const char *path, const char *folder,
                            GError **error)
{
    g_autofree char *text = split_text(s, path);
    g_autofree char *whole = g_strconcat(text, "\n", NULL);

    if (g_mkdir_with_parents(folder, 0777) != 0) {
        g_set_error(error, DLA_TOOL_ERROR, 0, "%s: cannot make this folder", folder);
        return FALSE;
    }
    for (guint i = 0; i < s->steps->len; i++) {
        if (!step_write(s->steps->pdata[i], i, folder, error)) {
            return FALSE;
        }
    }
    return file_write(folder, "split.json", whole, strlen(whole), error);
}

/* What went where, and why. */
static void split_say(const struct onnx_split *s)
{
    guint parts = 0;

    for (guint i = 0; i < s->steps->len; i++) {
        parts += ((struct onnx_step *)s->steps->pdata[i])->import != NULL;
    }
    fprintf(stderr, "%u step%s, %u of them on the DLA\n", s->steps->len,
            s->steps->len == 1 ? "" : "s", parts);
    for (guint i = 0; i < s->refused->len; i++) {
        const struct onnx_refusal *r = s->refused->pdata[i];

        fprintf(stderr, "not on the DLA: node \"%s\" (%s): %s\n", r->node, r->op, r->why);
    }
}

gboolean dla_split(const char *path, const struct onnx_options *options, const char *folder,
                   GError **error)
{
    struct onnx_model *m = build_model_open(path, error);
    struct onnx_split *s =
        m && onnx_options_check(m, options, error) ? onnx_split(m, options, error) : NULL;
    gboolean ok = s && split_write(s, path, folder, error);

    if (ok) {
        split_say(s);
    }
    onnx_split_free(s);
    onnx_model_free(m);
    return ok;
}
