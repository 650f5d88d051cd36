/* SPDX-License-Identifier: MIT */
/* Models in steps (vtegra dla build --split): the steps, one after the other, give what the float
 * reference gives for the whole model. */
#include <check.h>
#include <glib/gstdio.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dlabuild/onnx/reference.h"
#include "dlabuild/onnx/split.h"
#include "tests/dla/onnx_make.h"
#include "tests/suite.h"
#include "tools/dla/dla_build.h"
#include "tools/dla/dla_exec.h"
#include "tools/dla/dla_split.h"

static const int64_t shape[] = { 1, 4, 8, 8 };

static char *softmax(const char *x, int64_t axis)
{
    Onnx__Node *n = onnx_make_node("Softmax", x, NULL, NULL);

    onnx_make_integer(n, "axis", axis);
    return n->output[0];
}

static void all_on_the_dla(void)
{
    onnx_make_ends(onnx_make_one("Relu", onnx_make_conv("image", 4, 8, 3, 1, 1)), shape);
}

static void classifier(void)
{
    char *x = onnx_make_one("Relu", onnx_make_conv("image", 4, 8, 3, 1, 1));

    x = onnx_make_one("Flatten", onnx_make_one("GlobalAveragePool", x));
    onnx_make_ends(softmax(onnx_make_dense(x, 8, 5), 1), shape);
}

static void softmax_in_the_middle(void)
{
    char *x = softmax(onnx_make_conv("image", 4, 8, 3, 1, 1), 1);

    onnx_make_ends(onnx_make_conv(x, 8, 6, 1, 1, 1), shape);
}

/* Two branches meet in a product of computed tensors; a third one passes it. */
static void branches(void)
{
    char *a = onnx_make_conv("image", 4, 8, 3, 1, 1), *b = onnx_make_conv("image", 4, 8, 1, 1, 1);
    char *c = onnx_make_one("Relu", onnx_make_conv(a, 8, 8, 3, 1, 8));

    onnx_make_ends(
        onnx_make_conv(onnx_make_two("Add", onnx_make_two("MatMul", a, b), c), 8, 3, 1, 1, 1),
        shape);
}

/* What only moves numbers behind the rest stays with it. */
static void reshape_at_the_end(void)
{
    const int64_t to[] = { 1, 64, 8 };
    char *x = softmax(onnx_make_conv("image", 4, 8, 3, 1, 1), 1);

    onnx_make_ends(onnx_make_two("Reshape", x, onnx_make_integers(3, to)), shape);
}

/* Its shape comes from a Shape node, and its size from a Gather of that. */
static void shape_chain(void)
{
    const int64_t first = 0, last[] = { -1 };
    char *x = softmax(onnx_make_conv("image", 4, 8, 3, 1, 1), 1), *n;
    Onnx__Node *c;

    n = onnx_make_two("Gather", onnx_make_one("Shape", x), onnx_make_integers(1, &first));
    c = onnx_make_node("Concat", n, onnx_make_integers(1, last), NULL);
    onnx_make_integer(c, "axis", 0);
    x = onnx_make_two("Reshape", onnx_make_conv(x, 8, 2, 1, 1, 1), c->output[0]);
    onnx_make_ends(onnx_make_one("Relu", x), shape);
}

static char *quantised(const char *x, float scale)
{
    char *s = onnx_make_constant(0, NULL, 0, scale), *zero = onnx_make_int8(0, NULL);
    Onnx__Node *n;

    onnx_make_last()->int32_data[0] = 0;
    n = onnx_make_node("QuantizeLinear", x, s, zero);
    return onnx_make_node("DequantizeLinear", n->output[0], s, zero)->output[0];
}

static void int8_part(void)
{
    char *x = quantised(onnx_make_conv(quantised("image", 1.f / 127), 4, 8, 3, 1, 1), 3.f / 127);

    onnx_make_ends(softmax(x, 1), shape);
}

static const struct {
    const char *name;
    void (*make)(void);
    const char *steps; /* D: on the DLA, R: of the rest */
    unsigned refused;
    float part; /* of the largest number: fp16, or a step of int8 (e^(3/127)) */
} models[] = {
    { "all on the DLA", all_on_the_dla, "D", 0, 0.005f },
    { "classifier", classifier, "DR", 1, 0.005f },
    { "softmax in the middle", softmax_in_the_middle, "DRD", 1, 0.005f },
    { "branches", branches, "DRD", 1, 0.005f },
    { "reshape at the end", reshape_at_the_end, "DR", 1, 0.005f },
    { "shape chain", shape_chain, "DRD", 1, 0.005f },
    { "int8", int8_part, "DR", 1, 0.025f },
};

static struct onnx_model *model_of(void (*make)(void), const char *name)
{
    GError *error = NULL;
    size_t len;
    uint8_t *bytes = onnx_make_model(make, 7, &len);
    struct onnx_model *m = onnx_model_read(name, bytes, len, &error);

    g_free(bytes);
    ck_assert_msg(m != NULL, "%s", error ? error->message : "");
    return m;
}

static GHashTable *values_new(void)
{
    return g_hash_table_new_full(g_str_hash, g_str_equal, g_free, (GDestroyNotify)onnx_value_unref);
}

static struct onnx_value *int8_of(const struct onnx_value *v, double scale)
{
    struct onnx_value *q = onnx_value_new(ONNX_FLOAT, v->rank, v->dims);

    for (size_t i = 0; i < v->count; i++) {
        q->v[i] = (float)CLAMP(nearbyint((double)v->v[i] / scale), -128., 127.);
    }
    return q;
}

static void step_on_the_dla(const struct onnx_step *s, GHashTable *values)
{
    GError *error = NULL;
    struct dla_exec *e = dla_exec_open(g_memdup2(s->loadable, s->len), s->len, &error);

    ck_assert_msg(e != NULL, "%s", error ? error->message : "");
    for (guint i = 0; i < s->import->inputs->len; i++) {
        const struct onnx_end *end = s->import->inputs->pdata[i];
        const struct onnx_value *v = g_hash_table_lookup(values, end->name);

        ck_assert_msg(v != NULL, "\"%s\" is not there yet", end->name);
        if (end->scale > 0) {
            v = int8_of(v, end->scale);
        }
        ck_assert(dla_exec_put(e, i, v->v, v->count, &error));
        if (end->scale > 0) {
            onnx_value_unref((struct onnx_value *)v);
        }
    }
    ck_assert(dla_exec_run(e, &error));
    for (guint i = 0; i < s->import->outputs->len; i++) {
        const struct onnx_end *end = s->import->outputs->pdata[i];
        struct onnx_value *v = onnx_value_new(ONNX_FLOAT, end->rank, end->dims);

        ck_assert(dla_exec_get(e, i, v->v, v->count, &error));
        for (size_t k = 0; end->scale > 0 && k < v->count; k++) {
            v->v[k] *= (float)end->scale;
        }
        g_hash_table_insert(values, g_strdup(end->name), v);
    }
    dla_exec_close(e);
}

static void step_of_the_rest(const struct onnx_step *s, GHashTable *values)
{
    GHashTable *inputs = values_new(), *made;
    GError *error = NULL;
    struct onnx_model *m = onnx_model_read("rest", s->model, s->model_len, &error);

    ck_assert_msg(m != NULL, "%s", error ? error->message : "");
    for (guint i = 0; i < s->inputs->len; i++) {
        struct onnx_value *v = g_hash_table_lookup(values, s->inputs->pdata[i]);

        ck_assert_msg(v != NULL, "\"%s\" is not there yet", (char *)s->inputs->pdata[i]);
        g_hash_table_insert(inputs, g_strdup(s->inputs->pdata[i]), onnx_value_ref(v));
    }
    made = onnx_reference_run(m, inputs, &error);
    ck_assert_msg(made != NULL, "%s", error ? error->message : "");
    for (guint i = 0; i < s->outputs->len; i++) {
        g_hash_table_insert(values, g_strdup(s->outputs->pdata[i]),
                            onnx_value_ref(g_hash_table_lookup(made, s->outputs->pdata[i])));
    }
    g_hash_table_unref(made);
    g_hash_table_unref(inputs);
    onnx_model_free(m);
}

static struct onnx_value *image(void)
{
    struct onnx_value *v = onnx_value_new(ONNX_FLOAT, 4, shape);

    onnx_make_seed(4711);
    for (size_t i = 0; i < v->count; i++) {
        v->v[i] = (float)half_to_double(half_from_double((double)onnx_make_number()));
    }
    return v;
}

START_TEST(the_steps_give_what_the_model_gives)
{
    struct onnx_model *m = model_of(models[_i].make, models[_i].name);
    GHashTable *values = values_new(), *want;
    struct onnx_options options = { 0 };
    const struct onnx_value *a, *b;
    const char *output = m->graph->output[0]->name;
    GError *error = NULL;
    struct onnx_split *s = onnx_split(m, &options, &error);
    float largest = 0;

    ck_assert_msg(s != NULL, "%s", error ? error->message : "");
    ck_assert_uint_eq(s->steps->len, strlen(models[_i].steps));
    ck_assert_uint_eq(s->refused->len, models[_i].refused);
    g_hash_table_insert(values, g_strdup("image"), image());
    want = onnx_reference_run(m, values, &error);
    ck_assert_msg(want != NULL, "%s", error ? error->message : "");
    for (guint i = 0; i < s->steps->len; i++) {
        const struct onnx_step *step = s->steps->pdata[i];

        ck_assert_int_eq(step->import != NULL, models[_i].steps[i] == 'D');
        (step->import ? step_on_the_dla : step_of_the_rest)(step, values);
    }
    a = g_hash_table_lookup(want, output);
    b = g_hash_table_lookup(values, output);
    ck_assert_msg(b != NULL, "%s: no step gives the output", models[_i].name);
    ck_assert_uint_eq(a->count, b->count);
    ck_assert_uint_eq(a->rank, b->rank);
    for (size_t i = 0; i < a->count; i++) {
        largest = fmaxf(largest, fabsf(a->v[i]));
    }
    for (size_t i = 0; i < a->count; i++) {
        ck_assert_msg(fabsf(a->v[i] - b->v[i]) <= models[_i].part * largest, "%s [%zu]: %g, not %g",
                      models[_i].name, i, (double)b->v[i], (double)a->v[i]);
    }
    onnx_split_free(s);
    g_hash_table_unref(want);
    g_hash_table_unref(values);
    onnx_model_free(m);
}
END_TEST

/* An operator of another vendor, whose result has no shape that is known: nothing behind it can be
 * a part. */
static void foreign(void)
{
    char *x = onnx_make_conv("image", 4, 8, 3, 1, 1);
    Onnx__Node *n = onnx_make_node("Magic", x, NULL, NULL);

    n->domain = (char *)"com.example";
    onnx_make_ends(onnx_make_conv(n->output[0], 8, 6, 1, 1, 1), shape);
}

START_TEST(what_has_no_shape_is_the_rest)
{
    struct onnx_model *m = model_of(foreign, "foreign");
    struct onnx_options options = { 0 };
    GError *error = NULL;
    struct onnx_split *s = onnx_split(m, &options, &error);

    ck_assert_msg(s != NULL, "%s", error ? error->message : "");
    ck_assert_uint_eq(s->steps->len, 2);
    ck_assert_uint_eq(s->refused->len, 2);
    ck_assert_str_eq(((struct onnx_refusal *)s->refused->pdata[0])->op, "Magic");
    ck_assert_ptr_nonnull(
        strstr(((struct onnx_refusal *)s->refused->pdata[1])->why, "has no shape that is known"));
    onnx_split_free(s);
    onnx_model_free(m);
}
END_TEST

static void cycle(void)
{
    Onnx__Node *a = onnx_make_node("Add", "image", "later", NULL);
    Onnx__Node *b = onnx_make_node("Relu", a->output[0], NULL, NULL);

    b->output[0] = (char *)"later";
    onnx_make_ends("later", shape);
}

START_TEST(a_cycle_names_its_node)
{
    struct onnx_model *m = model_of(cycle, "cycle");
    struct onnx_options options = { 0 };
    GError *error = NULL;

    ck_assert_ptr_null(onnx_split(m, &options, &error));
    ck_assert_ptr_nonnull(strstr(error->message, "(Add): its input \"later\""));
    g_error_free(error);
    onnx_model_free(m);
}
END_TEST

/* A part of the DLA is there as the model that it was built from, too. */
START_TEST(the_folder_has_each_part_as_a_model)
{
    static char *const files[] = { (char *)"0.loadable", (char *)"0.onnx", (char *)"1.onnx",
                                   (char *)"split.json", (char *)"whole.onnx" };
    g_autofree char *folder = g_dir_make_tmp("vtegra-split-XXXXXX", NULL);
    g_autofree char *whole = g_build_filename(folder, files[4], NULL);
    g_autofree char *part = g_build_filename(folder, files[1], NULL);
    struct onnx_options options = { 0 };
    GError *error = NULL;
    size_t len;
    uint8_t *bytes = onnx_make_model(classifier, 7, &len);
    struct onnx_model *m;
    struct onnx_import *r;

    ck_assert(g_file_set_contents(whole, (char *)bytes, (gssize)len, NULL));
    ck_assert_msg(dla_split(whole, &options, folder, &error), "%s", error ? error->message : "");
    m = build_model_open(part, &error);
    ck_assert_msg(m != NULL, "%s", error ? error->message : "");
    r = onnx_import(m, &options, &error);
    ck_assert_msg(r != NULL, "%s", error ? error->message : "");
    ck_assert_uint_eq(m->graph->n_output, 1);
    onnx_import_free(r);
    onnx_model_free(m);
    g_free(bytes);
    for (size_t i = 0; i < G_N_ELEMENTS(files); i++) {
        g_autofree char *path = g_build_filename(folder, files[i], NULL);

        ck_assert_int_eq(g_remove(path), 0);
    }
    ck_assert_int_eq(g_rmdir(folder), 0);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("onnx_split");
    TCase *t = tcase_create("split");

    tcase_set_timeout(t, 60);
    tcase_add_loop_test(t, the_steps_give_what_the_model_gives, 0, (int)G_N_ELEMENTS(models));
    tcase_add_test(t, what_has_no_shape_is_the_rest);
    tcase_add_test(t, a_cycle_names_its_node);
    tcase_add_test(t, the_folder_has_each_part_as_a_model);
    suite_add_tcase(s, t);
    return suite_main(s);
}
