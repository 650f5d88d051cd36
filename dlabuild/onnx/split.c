/* SPDX-License-Identifier: MIT */
#include "dlabuild/onnx/split.h"

#include <stdlib.h>
#include <string.h>

#include "dlabuild/onnx/part.h"

/* Operators that move or keep numbers: not worth a task of their own. */
#define MOVING "Identity|Dropout|Cast|Reshape|Flatten|Squeeze|Unsqueeze|Transpose|" QUANTISING
/* Between them numbers are integers, which the importer takes for the tensor itself. */
#define QUANTISING "QuantizeLinear|DequantizeLinear"

/**
 * struct splitter - a model being split
 * @values: of onnx_shapes()
 * @names: of node i: what it reads (a set); @kept: theirs
 * @wanted: names that the model gives, or that nodes in other steps read
 * @maker: name -> number of the node that makes it, plus 1
 * @alive: its results are used; @folded: they are constants
 * @rest: it is not for the DLA; @why: a reason, or NULL
 * @level: which step: even ones are the DLA's
 * @built: key of a part -> struct onnx_step
 */
struct splitter {
    const struct onnx_model *m;
    struct onnx_options options;
    const Onnx__Node *refused;
    size_t n;
    GHashTable *values, *wanted, *maker, *built;
    GHashTable **names;
    GPtrArray *kept;
    gboolean *alive, *folded, *rest;
    char **why;
    unsigned *level;
};

static void step_free(gpointer data)
{
    struct onnx_step *s = data;

    onnx_import_free(s->import);
    free(s->loadable);
    g_free(s->model);
    g_ptr_array_free(s->inputs, TRUE);
    g_ptr_array_free(s->outputs, TRUE);
    g_free(s);
}

static void refusal_free(gpointer data)
{
    struct onnx_refusal *r = data;

    g_free(r->node);
    g_free(r->op);
    g_free(r->why);
    g_free(r);
}

void onnx_split_free(struct onnx_split *s)
{
    if (s) {
        g_ptr_array_free(s->steps, TRUE);
        g_ptr_array_free(s->refused, TRUE);
        g_free(s);
    }
}

/* --- what is known of the nodes --- */
static const struct onnx_known *known_of(const struct splitter *s, const char *name)
{
    return g_hash_table_lookup(s->values, name);
}

static gboolean is_constant(const struct splitter *s, const char *name)
{
    const struct onnx_known *k = known_of(s, name);

    return k && k->constant;
}

/* Floats of a known shape: what a DLA computes with. */
static gboolean is_float(const struct splitter *s, const char *name)
{
    const struct onnx_known *k = known_of(s, name);

    return k && k->known &&
           (k->type == ONNX_FLOAT || k->type == ONNX_FLOAT16 || k->type == ONNX_DOUBLE);
}

static void rest_mark(struct splitter *s, size_t i, const char *why)
{
    s->rest[i] = TRUE;
    if (!s->why[i] && why) {
        s->why[i] = g_strdup(why);
    }
}

/* What can be said of a node before it is tried. */
static void node_judge(struct splitter *s, size_t i)
{
    const Onnx__Node *n = s->m->graph->node[i];
    const char *beyond = import_operator_beyond(n, s->m->opset);

    if (beyond) {
        rest_mark(s, i, beyond);
        return;
    }
    for (size_t k = 0; k < n->n_input + n->n_output && desc_word_find(QUANTISING, n->op_type) < 0;
         k++) {
        const char *name = k < n->n_input ? n->input[k] : n->output[k - n->n_input];

        if (*name && !is_constant(s, name) && !is_float(s, name)) {
            g_autofree char *why = g_strdup_printf("\"%s\" %s", name,
                                                   known_of(s, name) && known_of(s, name)->known
                                                       ? "does not hold floats"
                                                       : "has no shape that is known");

            rest_mark(s, i, why);
            return;
        }
    }
}

static void nodes_alive(struct splitter *s)
{
    GHashTable *needed = g_hash_table_new(g_str_hash, g_str_equal);

    for (size_t i = 0; i < s->m->graph->n_output; i++) {
        if (s->m->graph->output[i]->name) {
            g_hash_table_add(needed, s->m->graph->output[i]->name);
        }
    }
    for (size_t i = s->n; i-- > 0;) {
        const Onnx__Node *n = s->m->graph->node[i];
        GHashTableIter iter;
        gpointer name;

        s->names[i] = g_hash_table_new(g_str_hash, g_str_equal);
        onnx_node_names(n, s->names[i], s->kept);
        for (size_t k = 0; k < n->n_output; k++) {
            s->alive[i] = s->alive[i] || g_hash_table_contains(needed, n->output[k]);
        }
        g_hash_table_iter_init(&iter, s->names[i]);
        while (s->alive[i] && g_hash_table_iter_next(&iter, &name, NULL)) {
            g_hash_table_add(needed, name);
        }
    }
    g_hash_table_unref(needed);
}

/* A constant that the model gives is made by a step, too. */
static void nodes_folded(struct splitter *s)
{
    GHashTable *given = g_hash_table_new(g_str_hash, g_str_equal);

    for (size_t i = 0; i < s->m->graph->n_output; i++) {
        if (s->m->graph->output[i]->name) {
            g_hash_table_add(given, s->m->graph->output[i]->name);
        }
    }
    for (size_t i = 0; i < s->n; i++) {
        const Onnx__Node *n = s->m->graph->node[i];
        gboolean gives = FALSE;

        s->folded[i] = TRUE;
        for (size_t k = 0; k < n->n_output; k++) {
            s->folded[i] = s->folded[i] && (!*n->output[k] || is_constant(s, n->output[k]));
            gives = gives || g_hash_table_contains(given, n->output[k]);
            if (*n->output[k]) {
                g_hash_table_insert(s->maker, n->output[k], GSIZE_TO_POINTER(i + 1));
            }
        }
        if (s->folded[i] && gives) {
            s->folded[i] = FALSE;
            rest_mark(s, i, NULL);
        }
    }
    g_hash_table_unref(given);
}

/* --- steps --- */
static gboolean in_a_step(const struct splitter *s, size_t i)
{
    return s->alive[i] && !s->folded[i];
}

/* Each node as early as what it reads allows. Return: how many levels there are. */
static unsigned levels_find(struct splitter *s)
{
    unsigned levels = 0;

    for (size_t i = 0; i < s->n; i++) {
        GHashTableIter iter;
        gpointer name;
        unsigned level = s->rest[i];

        if (!in_a_step(s, i)) {
            continue;
        }
        g_hash_table_iter_init(&iter, s->names[i]);
        while (g_hash_table_iter_next(&iter, &name, NULL)) {
            size_t from = GPOINTER_TO_SIZE(g_hash_table_lookup(s->maker, name));

            if (from && in_a_step(s, from - 1) && !is_constant(s, name)) {
                unsigned before = s->level[from - 1];

                level = MAX(level, before + ((before & 1) != (unsigned)s->rest[i]));
            }
        }
        s->level[i] = level;
        levels = MAX(levels, level + 1);
    }
    return levels;
}

/* Names that steps other than the one that makes them read, and those that the model gives. */
static void wanted_find(struct splitter *s)
{
    g_hash_table_remove_all(s->wanted);
    for (size_t i = 0; i < s->m->graph->n_output; i++) {
        if (s->m->graph->output[i]->name) {
            g_hash_table_add(s->wanted, s->m->graph->output[i]->name);
        }
    }
    for (size_t i = 0; i < s->n; i++) {
        GHashTableIter iter;
        gpointer name;

        if (!in_a_step(s, i)) {
            continue;
        }
        g_hash_table_iter_init(&iter, s->names[i]);
        while (g_hash_table_iter_next(&iter, &name, NULL)) {
            size_t from = GPOINTER_TO_SIZE(g_hash_table_lookup(s->maker, name));

            if (from && in_a_step(s, from - 1) && s->level[from - 1] != s->level[i]) {
                g_hash_table_add(s->wanted, name);
            }
        }
    }
}

static GPtrArray *names_copy(const GPtrArray *names)
{
    GPtrArray *copy = g_ptr_array_new_with_free_func(g_free);

    for (guint i = 0; i < names->len; i++) {
        g_ptr_array_add(copy, g_strdup(names->pdata[i]));
    }
    return copy;
}

/* The nodes and ends of a part as text. */
static char *part_key(const struct splitter *s, const gboolean *in, const struct onnx_part *p)
{
    GString *key = g_string_new(NULL);

    for (size_t i = 0; i < s->n; i++) {
        if (in[i]) {
            g_string_append_printf(key, "%zu ", i);
        }
    }
    for (guint i = 0; i < p->outputs->len; i++) {
        g_string_append_printf(key, "\n%s", (char *)p->outputs->pdata[i]);
    }
    return g_string_free(key, FALSE);
}

/* All nodes of a part, or the one that was refused, go to the rest. */
static void part_refuse(struct splitter *s, const gboolean *in, const char *why)
{
    gboolean found = FALSE;

    for (size_t i = 0; i < s->n; i++) {
        found = found || (in[i] && s->m->graph->node[i] == s->refused);
    }
    for (size_t i = 0; i < s->n; i++) {
        if (in[i] && (!found || s->m->graph->node[i] == s->refused)) {
            rest_mark(s, i, why);
        }
    }
}

/* The reason without the model's path and the node, which are named beside it. */
static const char *reason_of(const struct splitter *s, const char *message)
{
    g_autofree char *op = s->refused ? g_strdup_printf(" (%s): ", s->refused->op_type) : NULL;
    const char *at = op ? strstr(message, op) : NULL;

    if (at) {
        return at + strlen(op);
    }
    return g_str_has_prefix(message, s->m->path) ? message + strlen(s->m->path) + 2 : message;
}

/* Does a part compute anything? */
static gboolean part_computes(const struct splitter *s, const gboolean *in)
{
    for (size_t i = 0; i < s->n; i++) {
        if (in[i] && desc_word_find(MOVING, s->m->graph->node[i]->op_type) < 0) {
            return TRUE;
        }
    }
    return FALSE;
}

/* Builds the DLA's part of the nodes @in. FALSE: some of them are the rest's now. */
static gboolean part_build(struct splitter *s, const gboolean *in, const struct onnx_part *p)
{
    g_autofree char *key = part_key(s, in, p);
    struct onnx_step *step;
    GError *error = NULL;

    if (g_hash_table_contains(s->built, key)) {
        return TRUE;
    }
    s->refused = NULL;
    if (!part_computes(s, in)) {
        part_refuse(s, in, NULL);
        return FALSE;
    }
    step = g_new0(struct onnx_step, 1);
    step->inputs = names_copy(p->inputs);
    step->outputs = names_copy(p->outputs);
    step->import = onnx_import(&p->model, &s->options, &error);
    if (step->import) {
        s->refused = NULL;
        step->loadable = build_description(step->import->description, s->m->path,
                                           step->import->data, &step->len, &error);
    }
    if (!step->loadable) {
        part_refuse(s, in, reason_of(s, error->message));
        g_clear_error(&error);
        step_free(step);
        return FALSE;
    }
    step->model = onnx_part_pack(p, &step->model_len);
    g_hash_table_insert(s->built, g_steal_pointer(&key), step);
    return TRUE;
}

static struct onnx_part *part_at(struct splitter *s, unsigned level, gboolean *in)
{
    gboolean any = FALSE;

    for (size_t i = 0; i < s->n; i++) {
        in[i] = in_a_step(s, i) && s->level[i] == level;
        any = any || in[i];
    }
    return any ? onnx_part_new(s->m, s->values, in, s->wanted) : NULL;
}

/* Builds the DLA's parts. FALSE: a node went to the rest, so levels are others now. */
static gboolean parts_build(struct splitter *s, unsigned levels)
{
    g_autofree gboolean *in = g_new0(gboolean, s->n + 1);
    gboolean ok = TRUE;

    for (unsigned level = 0; ok && level < levels; level += 2) {
        struct onnx_part *p = part_at(s, level, in);

        ok = !p || part_build(s, in, p);
        onnx_part_free(p);
    }
    return ok;
}

static void steps_take(struct splitter *s, unsigned levels, struct onnx_split *out)
{
    g_autofree gboolean *in = g_new0(gboolean, s->n + 1);

    for (unsigned level = 0; level < levels; level++) {
        struct onnx_part *p = part_at(s, level, in);
        struct onnx_step *step;

        if (!p) {
            continue;
        }
        if (level & 1) {
            step = g_new0(struct onnx_step, 1);
            step->inputs = names_copy(p->inputs);
            step->outputs = names_copy(p->outputs);
            step->model = onnx_part_pack(p, &step->model_len);
        } else {
            g_autofree char *key = part_key(s, in, p);
            gpointer old, found = NULL;

            g_hash_table_steal_extended(s->built, key, &old, &found);
            g_free(old);
            step = found;
        }
        g_ptr_array_add(out->steps, step);
        onnx_part_free(p);
    }
    for (size_t i = 0; i < s->n; i++) {
        const Onnx__Node *n = s->m->graph->node[i];
        struct onnx_refusal *r;

        if (in_a_step(s, i) && s->rest[i] && s->why[i]) {
            r = g_new0(struct onnx_refusal, 1);
            r->node = g_utf8_make_valid(onnx_node_name(n), -1);
            r->op = g_utf8_make_valid(n->op_type, -1);
            r->why = g_utf8_make_valid(s->why[i], -1);
            g_ptr_array_add(out->refused, r);
        }
    }
}

static void splitter_free(struct splitter *s)
{
    for (size_t i = 0; i < s->n; i++) {
        g_free(s->why[i]);
        g_hash_table_unref(s->names[i]);
    }
    g_free(s->why);
    g_free(s->names);
    g_free(s->alive);
    g_free(s->folded);
    g_free(s->rest);
    g_free(s->level);
    g_hash_table_unref(s->wanted);
    g_hash_table_unref(s->maker);
    g_hash_table_unref(s->built);
    g_hash_table_unref(s->values);
    g_ptr_array_free(s->kept, TRUE);
}

struct onnx_split *onnx_split(const struct onnx_model *m, const struct onnx_options *options,
                              GError **error)
{
    struct splitter s = { .m = m, .options = *options, .n = m->graph->n_node };
    struct onnx_split *out;
    unsigned levels;

    s.values = onnx_shapes(m, options, error);
    if (!s.values) {
        g_prefix_error(error, "%s: ", m->path);
        return NULL;
    }
    s.options.refused = &s.refused;
    s.wanted = g_hash_table_new(g_str_hash, g_str_equal);
    s.maker = g_hash_table_new(g_str_hash, g_str_equal);
    s.built = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, step_free);
    s.names = g_new0(GHashTable *, s.n + 1);
    s.kept = g_ptr_array_new_with_free_func(g_free);
    s.alive = g_new0(gboolean, s.n + 1);
    s.folded = g_new0(gboolean, s.n + 1);
    s.rest = g_new0(gboolean, s.n + 1);
    s.why = g_new0(char *, s.n + 1);
    s.level = g_new0(unsigned, s.n + 1);
    nodes_alive(&s);
    nodes_folded(&s);
    for (size_t i = 0; i < s.n; i++) {
        if (in_a_step(&s, i) && !s.rest[i]) {
            node_judge(&s, i);
        }
    }
    do {
        levels = levels_find(&s);
        wanted_find(&s);
    } while (!parts_build(&s, levels));
    out = g_new0(struct onnx_split, 1);
    out->steps = g_ptr_array_new_with_free_func(step_free);
    out->refused = g_ptr_array_new_with_free_func(refusal_free);
    steps_take(&s, levels, out);
    splitter_free(&s);
    return out;
}
