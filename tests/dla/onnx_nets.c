/* SPDX-License-Identifier: MIT */
/* Whole networks as exporters write them, constructed here with weights of a seed: built, run on
 * the DLA, and compared with the float reference: within 0.5 % of the largest value, and the same
 * largest output. With ONNX_NETS=FOLDER the models are written there (seeds of fuzz_onnx). */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dlabuild/half.h"
#include "dlabuild/onnx/import.h"
#include "dlabuild/onnx/reference.h"
#include "model/dla/fp.h"
#include "tests/dla/limits.h"
#include "tests/dla/onnx_make.h"
#include "tests/suite.h"
#include "tools/dla/dla_exec.h"

/* --- the networks --- */
static void residual(void)
{
    static const int64_t shape[] = { 1, 3, 32, 32 };
    char *x = onnx_make_one("Relu", onnx_make_norm(onnx_make_conv("image", 3, 16, 3, 1, 1), 16)),
         *y;

    for (int i = 0; i < 2; i++) {
        y = onnx_make_one("Relu", onnx_make_norm(onnx_make_conv(x, 16, 16, 3, 1, 1), 16));
        x = onnx_make_one(
            "Relu",
            onnx_make_two("Add", onnx_make_norm(onnx_make_conv(y, 16, 16, 3, 1, 1), 16), x));
    }
    y = onnx_make_one("Relu", onnx_make_norm(onnx_make_conv(x, 16, 40, 3, 2, 1), 40));
    x = onnx_make_one("Relu",
                      onnx_make_two("Add", onnx_make_norm(onnx_make_conv(y, 40, 40, 3, 1, 1), 40),
                                    onnx_make_norm(onnx_make_conv(x, 16, 40, 1, 2, 1), 40)));
    onnx_make_ends(
        onnx_make_dense(onnx_make_one("Flatten", onnx_make_one("GlobalAveragePool", x)), 40, 10),
        shape);
}

static void mobile(void)
{
    static const int64_t shape[] = { 1, 3, 48, 48 };
    char *x = onnx_make_relu6(onnx_make_norm(onnx_make_conv("image", 3, 16, 3, 2, 1), 16)), *y = x;

    for (int i = 0; i < 3; i++) {
        y = onnx_make_relu6(onnx_make_norm(onnx_make_conv(x, 16, 64, 1, 1, 1), 64));
        y = onnx_make_relu6(onnx_make_norm(onnx_make_conv(y, 64, 64, 3, 1, 64), 64));
        x = onnx_make_two("Add", onnx_make_norm(onnx_make_conv(y, 64, 16, 1, 1, 1), 16), x);
    }
    onnx_make_ends(
        onnx_make_dense(onnx_make_one("Flatten", onnx_make_one("GlobalAveragePool",
                                                               onnx_make_relu6(onnx_make_conv(
                                                                   x, 16, 96, 1, 1, 1)))),
                        96, 20),
        shape);
}

static void squeeze_excite(void)
{
    static const int64_t shape[] = { 1, 3, 28, 28 };
    char *x = onnx_make_one("HardSwish",
                            onnx_make_norm(onnx_make_conv("image", 3, 24, 3, 2, 1), 24)),
         *s;

    s = onnx_make_one("Relu",
                      onnx_make_conv(onnx_make_one("GlobalAveragePool", x), 24, 8, 1, 1, 1));
    s = onnx_make_one("HardSigmoid", onnx_make_conv(s, 8, 24, 1, 1, 1));
    x = onnx_make_two("Mul", x, s);
    x = onnx_make_two("Mul", x,
                      onnx_make_one("Sigmoid", onnx_make_conv(onnx_make_one("GlobalAveragePool", x),
                                                              24, 24, 1, 1, 1)));
    onnx_make_ends(onnx_make_conv(x, 24, 12, 1, 1, 1), shape);
}

static void yolo(void)
{
    static const int64_t shape[] = { 1, 3, 64, 64 };
    char *a = onnx_make_one("LeakyRelu", onnx_make_conv("image", 3, 12, 3, 2, 1)), *b, *c;

    a = onnx_make_one("LeakyRelu", onnx_make_conv(a, 12, 20, 3, 2, 1));
    b = onnx_make_two("Mul", a, onnx_make_one("Sigmoid", a)); /* SiLU */
    b = onnx_make_one("LeakyRelu", onnx_make_conv(b, 20, 24, 3, 2, 1));
    c = onnx_make_concat(onnx_make_pool("MaxPool", b, 5, 1, 2),
                         onnx_make_concat(onnx_make_pool("MaxPool", b, 9, 1, 4), b));
    c = onnx_make_upsample(onnx_make_one("LeakyRelu", onnx_make_conv(c, 72, 20, 1, 1, 1)));
    onnx_make_ends(
        onnx_make_one("Sigmoid", onnx_make_conv(onnx_make_concat(c, a), 40, 27, 1, 1, 1)), shape);
}

static void u_net(void)
{
    static const int64_t shape[] = { 1, 1, 40, 40 };
    const int64_t w[] = { 24, 12, 3, 3 };
    char *a = onnx_make_one("Relu", onnx_make_conv("image", 1, 12, 3, 1, 1));
    char *b = onnx_make_one("Relu",
                            onnx_make_conv(onnx_make_pool("MaxPool", a, 2, 2, 0), 12, 24, 3, 1, 1));
    Onnx__Node *up = onnx_make_node("ConvTranspose", b, onnx_make_constant(4, w, 0.15f, 0),
                                    onnx_make_constant(1, w + 1, 0.1f, 0));

    onnx_make_ints(up, "strides", 2, 2, 2);
    onnx_make_ints(up, "pads", 4, 1, 1);
    onnx_make_ints(up, "output_padding", 2, 1, 1);
    onnx_make_ends(
        onnx_make_one("Elu", onnx_make_conv(onnx_make_concat(up->output[0], a), 24, 2, 3, 1, 1)),
        shape);
}

static void shuffle(void)
{
    static const int64_t shape[] = { 1, 4, 16, 16 }, cut[] = { 1, 2, 24, 16, 16 },
                         back[] = { 1, 48, 16, 16 };
    char *x = onnx_make_one("Relu", onnx_make_conv("image", 4, 48, 1, 1, 2));
    Onnx__Node *t = onnx_make_node(
        "Transpose", onnx_make_two("Reshape", x, onnx_make_integers(5, cut)), NULL, NULL);
    Onnx__Attribute *a = onnx_make_attribute(t, "perm");
    static const int64_t perm[] = { 0, 2, 1, 3, 4 };

    a->ints = (int64_t *)perm; /* read only, while it is packed */
    a->n_ints = 5;
    x = onnx_make_two("Reshape", t->output[0], onnx_make_integers(4, back));
    x = onnx_make_conv(x, 48, 48, 3, 2, 48);
    onnx_make_ends(onnx_make_pool("AveragePool", onnx_make_conv(x, 48, 20, 1, 1, 4), 3, 2, 1),
                   shape);
}

/* Weights that several nodes use, also by a second name. */
static void shared(void)
{
    static const int64_t shape[] = { 1, 32, 12, 12 }, size[] = { 32, 32, 3, 3 };
    char *w = onnx_make_constant(4, size, 0.08f, 0), *again = onnx_make_one("Identity", w);
    const char *const use[] = { w, again, w, again }, *x = "image";

    for (size_t i = 0; i < G_N_ELEMENTS(use); i++) {
        Onnx__Node *n = onnx_make_node("Conv", x, use[i], NULL);

        onnx_make_ints(n, "pads", 4, 1, 1);
        x = onnx_make_one("Relu", n->output[0]);
    }
    onnx_make_ends(x, shape);
}

static const struct {
    const char *name;
    void (*make)(void);
} networks[] = {
    { "residual", residual }, { "mobile", mobile }, { "squeeze_excite", squeeze_excite },
    { "yolo", yolo },         { "u_net", u_net },   { "shuffle", shuffle },
    { "shared", shared }
};

static struct onnx_value *image(const struct onnx_import *r)
{
    const struct onnx_end *end = r->inputs->pdata[0];
    struct onnx_value *v = onnx_value_new(ONNX_FLOAT, end->rank, end->dims);

    onnx_make_seed(4711);
    for (size_t i = 0; i < v->count; i++) {
        v->v[i] = (float)half_to_double(half_from_double((double)onnx_make_number()));
    }
    return v;
}

static void compare(const char *name, const struct onnx_value *want, const float *got)
{
    float largest = 0, worst = 0;
    size_t top_want = 0, top_got = 0;

    for (size_t i = 0; i < want->count; i++) {
        largest = fmaxf(largest, fabsf(want->v[i]));
        worst = fmaxf(worst, fabsf(want->v[i] - got[i]));
        top_want = want->v[i] > want->v[top_want] ? i : top_want;
        top_got = got[i] > got[top_got] ? i : top_got;
    }
    printf("%s: %zu numbers, largest %g, error %.3f %%\n", name, want->count, (double)largest,
           100. * (double)(worst / largest));
    ck_assert_msg(worst <= 0.005f * largest, "%s: off by %g of %g", name, (double)worst,
                  (double)largest);
    ck_assert_msg(top_want == top_got || want->v[top_want] - want->v[top_got] < 0.005f * largest,
                  "%s: another largest output", name);
}

START_TEST(a_network_is_right_within_half_a_percent)
{
    const char *name = networks[_i].name, *folder = getenv("ONNX_NETS");
    struct onnx_options options = { 0 };
    GHashTable *inputs =
        g_hash_table_new_full(g_str_hash, g_str_equal, NULL, (GDestroyNotify)onnx_value_unref);
    GHashTable *values;
    GError *error = NULL;
    size_t len;
    uint8_t *bytes = onnx_make_model(networks[_i].make, (uint64_t)_i + 1, &len), *loadable;
    struct onnx_model *m = onnx_model_read(name, bytes, len, &error);
    struct onnx_import *r;
    struct onnx_value *v, *want;
    struct dla_exec *e;
    float *got;
    char *why;

    if (folder) {
        g_autofree char *path = g_strdup_printf("%s/%s.onnx", folder, name);

        g_file_set_contents(path, (char *)bytes, (gssize)len, NULL);
    }
    g_free(bytes);
    ck_assert_msg(m != NULL, "%s", error ? error->message : "");
    r = onnx_import(m, &options, &error);
    ck_assert_msg(r != NULL, "%s", error ? error->message : "");
    loadable = build_description(r->description, name, r->data, &len, &error);
    ck_assert_msg(loadable != NULL, "%s", error ? error->message : "");
    why = limits_of_loadable(loadable, len);
    ck_assert_msg(!why, "%s: %s", name, why);
    v = image(r);
    g_hash_table_insert(inputs, (char *)"image", v);
    values = onnx_reference_run(m, inputs, &error);
    ck_assert_msg(values != NULL, "%s", error ? error->message : "");
    want = g_hash_table_lookup(values, m->graph->output[0]->name);
    e = dla_exec_open(g_memdup2(loadable, len), len, &error);
    ck_assert_msg(e != NULL, "%s", error ? error->message : "");
    got = g_new0(float, want->count + 1);
    ck_assert(dla_exec_put(e, 0, v->v, v->count, &error) && dla_exec_run(e, &error));
    ck_assert(dla_exec_get(e, 0, got, want->count, &error));
    compare(name, want, got);
    g_free(got);
    free(loadable);
    dla_exec_close(e);
    g_hash_table_unref(values);
    g_hash_table_unref(inputs);
    onnx_import_free(r);
    onnx_model_free(m);
}
END_TEST

/* Weights in a file of their own, and what is wrong with it. */
static const struct outside {
    const char *location, *offset, *length, *why;
} outside[] = {
    { "w.data", "0", "64", NULL },
    { "w.data", NULL, NULL, NULL },
    { "w.data", "64", "64", NULL },
    { "w.data", "65", "64", "has 128 bytes, not the 64 from 65 on" },
    { "w.data", "18446744073709551615", "64", "has 128 bytes, not the 64 from" },
    { "w.data", "0", "60", "its shape needs 64 bytes, it has 60" },
    { "gone.data", "0", "64", "Failed to open" },
    { "../w.data", "0", "64", "outside of the model's folder" },
    { "/etc/passwd", "0", "64", "outside of the model's folder" },
    { "", "0", "64", "outside of the model's folder" },
    { "link.data", "0", "64", "is a link out of the model's folder" },
};
static const struct outside *outside_now;

static void weights_outside(void)
{
    static const int64_t shape[] = { 1, 4, 8, 8 }, size[] = { 4, 4, 1, 1 };
    static Onnx__Entry entry[3], *const entries[] = { &entry[0], &entry[1], &entry[2] };
    const char *const value[] = { outside_now->location, outside_now->offset, outside_now->length };
    static const char *const key[] = { "location", "offset", "length" };
    char *w = onnx_make_constant(4, size, 1, 0);
    Onnx__Tensor *t = onnx_make_last();

    t->n_float_data = 0;
    t->has_data_location = 1;
    t->data_location = 1;
    t->external_data = (Onnx__Entry **)entries;
    t->n_external_data = outside_now->offset ? 3 : 1;
    for (int i = 0; i < 3; i++) {
        onnx__entry__init(&entry[i]);
        entry[i].key = (char *)key[i];
        entry[i].value = (char *)value[i];
    }
    onnx_make_ends(onnx_make_two("Conv", "image", w), shape);
}

START_TEST(weights_outside_lie_in_the_folder)
{
    g_autofree char *folder = g_dir_make_tmp("onnx-XXXXXX", NULL);
    g_autofree char *data = g_build_filename(folder, "w.data", NULL);
    g_autofree char *link = g_build_filename(folder, "link.data", NULL);
    g_autofree char *path = g_build_filename(folder, "net.onnx", NULL);
    struct onnx_options options = { 0 };
    GError *error = NULL;
    size_t len;
    uint8_t *bytes;
    struct onnx_model *m;
    struct onnx_import *r;

    outside_now = &outside[_i];
    bytes = onnx_make_model(weights_outside, 1, &len);
    m = onnx_model_read(path, bytes, len, &error);
    ck_assert_msg(m != NULL, "%s", error ? error->message : "");
    ck_assert(g_file_set_contents(data, (char[128]){ 0 }, 128, NULL));
    ck_assert_int_eq(symlink("/etc/hostname", link), 0);
    r = onnx_import(m, &options, &error);
    ck_assert_msg(!r == !!outside_now->why, "%s", error ? error->message : "no error");
    ck_assert_msg(
        r || (strstr(error->message, outside_now->why) && strstr(error->message, "tensor \"c0\"")),
        "%s", r ? "" : error->message);
    g_clear_error(&error);
    onnx_import_free(r);
    onnx_model_free(m);
    g_free(bytes);
    ck_assert(unlink(link) == 0 && unlink(data) == 0 && rmdir(folder) == 0);
}
END_TEST

START_TEST(options_are_for_inputs_that_there_are)
{
    static const int64_t shape[] = { 1, 3, 32, 32 };
    static const struct {
        const char *name;
        unsigned rank;
        const char *why;
    } cases[] = { { "image", 4, NULL },
                  { "imgae", 4, "--shape imgae: the model has no such input; it has \"image\"" },
                  { "image", 3, "--shape image: 3 dimensions; in the model the input has 4" } };
    size_t len;
    uint8_t *bytes = onnx_make_model(residual, 1, &len);
    struct onnx_model *m = onnx_model_read("net", bytes, len, NULL);

    ck_assert(m != NULL);
    g_free(bytes);
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        struct onnx_options o = {
            .shapes = g_hash_table_new_full(g_str_hash, g_str_equal, NULL,
                                            (GDestroyNotify)onnx_value_unref),
            .constants = g_hash_table_new(g_str_hash, g_str_equal),
        };
        GError *error = NULL;

        g_hash_table_insert(o.shapes, (char *)cases[i].name,
                            onnx_value_new(ONNX_FLOAT, cases[i].rank, shape));
        ck_assert(onnx_options_check(m, &o, &error) == !cases[i].why);
        ck_assert_msg(!cases[i].why || strstr(error->message, cases[i].why), "%s",
                      error ? error->message : "");
        g_clear_error(&error);
        g_hash_table_unref(o.shapes);
        g_hash_table_unref(o.constants);
    }
    onnx_model_free(m);
}
END_TEST

/* Against the model's own conversion, which is written in another way: each half and what lies
 * between it and the next. */
START_TEST(a_number_becomes_the_nearest_half)
{
    for (uint32_t h = 0; h < 0x7c00; h++) {
        double low = half_to_double((int32_t)h);
        double step = (h < 0x7bff ? half_to_double((int32_t)h + 1) : 65536) - low;

        for (int i = 0; i < 16; i++) {
            union {
                float f;
                uint32_t u;
            } v = { .f =
                        (float)(low + step * i / 16 + (i == 8 ? (h & 2 ? step : -step) / 64 : 0)) };

            ck_assert_uint_eq((uint32_t)half_from_double((double)v.f), fp32_to_fp16(v.u));
            ck_assert_uint_eq((uint32_t)half_from_double(-(double)v.f),
                              fp32_to_fp16(v.u | 1u << 31));
        }
        ck_assert_uint_eq((uint32_t)half_from_double(low + step / 2),
                          h == 0x7bff ? h : h + (h & 1)); /* a tie */
    }
    ck_assert_uint_eq((uint32_t)half_from_double(1e30), 0x7bff);
    ck_assert_uint_eq((uint32_t)half_from_double((double)NAN), 0x7e00);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("onnx_nets");
    TCase *t = tcase_create("fp16");

    tcase_set_timeout(t, 120);
    tcase_add_loop_test(t, a_network_is_right_within_half_a_percent, 0,
                        (int)G_N_ELEMENTS(networks));
    tcase_add_loop_test(t, weights_outside_lie_in_the_folder, 0, (int)G_N_ELEMENTS(outside));
    tcase_add_test(t, options_are_for_inputs_that_there_are);
    tcase_add_test(t, a_number_becomes_the_nearest_half);
    suite_add_tcase(s, t);
    return suite_main(s);
}
