/* SPDX-License-Identifier: MIT */
/* Float models in int8: scales from runs, and from TensorRT's calibration cache. */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dlabuild/onnx/reference.h"
#include "tests/dla/onnx_make.h"
#include "tests/suite.h"
#include "tools/dla/dla_calibrate.h"
#include "tools/dla/dla_exec.h"

#define N (3 * 16 * 16)

static const int64_t shape[] = { 1, 3, 16, 16 };
static char *first; /* the value behind the first convolution */

static void network(void)
{
    char *x = onnx_make_one("Relu", onnx_make_conv("image", 3, 24, 3, 1, 1)), *y;

    g_free(first);
    first = g_strdup(x);
    y = onnx_make_one("Relu", onnx_make_norm(onnx_make_conv(x, 24, 24, 3, 1, 1), 24));
    y = onnx_make_two("Add", onnx_make_conv(y, 24, 24, 1, 1, 1), x);
    x = onnx_make_pool("MaxPool", onnx_make_one("LeakyRelu", y), 2, 2, 0);
    onnx_make_ends(onnx_make_conv(x, 24, 12, 3, 1, 1), shape);
}

/* Layers that the builder adds, to move parts to atoms, leave the names of the others alone. */
static void u_net(void)
{
    const int64_t w[] = { 24, 12, 3, 3 };
    char *a = onnx_make_one("Relu", onnx_make_conv("image", 3, 12, 3, 1, 1));
    char *b = onnx_make_one("Relu",
                            onnx_make_conv(onnx_make_pool("MaxPool", a, 2, 2, 0), 12, 24, 3, 1, 1));
    Onnx__Node *up = onnx_make_node("ConvTranspose", b, onnx_make_constant(4, w, 0.15f, 0),
                                    onnx_make_constant(1, w + 1, 0.1f, 0));

    onnx_make_ints(up, "strides", 2, 2, 2);
    onnx_make_ints(up, "pads", 4, 1, 1);
    onnx_make_ints(up, "output_padding", 2, 1, 1);
    onnx_make_ends(onnx_make_conv(onnx_make_concat(up->output[0], a), 24, 2, 3, 1, 1), shape);
}

static struct onnx_model *model_of(void (*make)(void))
{
    GError *error = NULL;
    size_t len;
    uint8_t *bytes = onnx_make_model(make, 3, &len);
    struct onnx_model *m = onnx_model_read("model", bytes, len, &error);

    ck_assert_msg(m != NULL, "%s", error ? error->message : "");
    g_free(bytes);
    return m;
}

static char *file_of(const void *bytes, size_t len)
{
    char *path = NULL;
    int fd = g_file_open_tmp("calibrate_XXXXXX.raw", &path, NULL);

    ck_assert(fd >= 0 && write(fd, bytes, len) == (ssize_t)len && close(fd) == 0);
    return path;
}

static struct onnx_value *image(char **path)
{
    struct onnx_value *v = onnx_value_new(ONNX_FLOAT, 4, shape);
    uint8_t bytes[2 * N];

    onnx_make_seed(99);
    for (size_t i = 0; i < N; i++) {
        int32_t half = half_from_double((double)onnx_make_number());

        v->v[i] = (float)half_to_double(half);
        desc_put(bytes + 2 * i, 2, half);
    }
    *path = file_of(bytes, sizeof(bytes));
    return v;
}

/* The cosine of what the int8 loadable gives with what the model gives. */
static double cosine(const struct onnx_model *m, struct onnx_options *options,
                     const struct onnx_value *in)
{
    GHashTable *inputs = g_hash_table_new(g_str_hash, g_str_equal), *values;
    GError *error = NULL;
    struct onnx_import *r = onnx_import(m, options, &error);
    const struct onnx_value *want;
    const struct onnx_end *from, *to;
    double a = 0, b = 0, ab = 0;
    float q[N], *got;
    uint8_t *bytes;
    struct dla_exec *e;
    size_t len;

    ck_assert_msg(r != NULL, "%s", error ? error->message : "");
    from = r->inputs->pdata[0];
    to = r->outputs->pdata[0];
    ck_assert(from->scale > 0 && to->scale > 0);
    for (size_t i = 0; i < N; i++) {
        q[i] = (float)CLAMP(nearbyint((double)in->v[i] / from->scale), -128., 127.);
    }
    bytes = build_description(r->description, "model", r->data, &len, &error);
    ck_assert_msg(bytes != NULL, "%s", error ? error->message : "");
    g_hash_table_insert(inputs, (char *)"image", (gpointer)in);
    values = onnx_reference_run(m, inputs, &error);
    want = g_hash_table_lookup(values, m->graph->output[0]->name);
    e = dla_exec_open(g_memdup2(bytes, len), len, &error);
    got = g_new0(float, want->count + 1);
    ck_assert(dla_exec_put(e, 0, q, N, &error) && dla_exec_run(e, &error) &&
              dla_exec_get(e, 0, got, want->count, &error));
    for (size_t i = 0; i < want->count; i++) {
        a += (double)want->v[i] * (double)want->v[i];
        b += (double)got[i] * (double)got[i];
        ab += (double)want->v[i] * (double)got[i];
    }
    g_free(got);
    free(bytes);
    dla_exec_close(e);
    g_hash_table_unref(values);
    g_hash_table_unref(inputs);
    onnx_import_free(r);
    return ab / sqrt(a * b);
}

static const struct {
    void (*make)(void);
    double percentile;
} runs[] = { { network, 100 }, { network, 99.9 }, { u_net, 100 } };

START_TEST(a_calibrated_model_is_near_the_float_model)
{
    struct onnx_options options = { 0 };
    struct onnx_model *m = model_of(runs[_i].make);
    char *path, *files[2] = { NULL, NULL };
    struct onnx_value *in = image(&path);
    GError *error = NULL;
    double c;

    files[0] = path;
    options.scales = dla_calibrate(m, &options, files, runs[_i].percentile, &error);
    remove(path);
    ck_assert_msg(options.scales != NULL, "%s", error ? error->message : "");
    c = cosine(m, &options, in);
    printf("percentile %g: cosine %.5f\n", runs[_i].percentile, c);
    ck_assert_msg(c >= 0.99, "%g", c);
    g_hash_table_unref(options.scales);
    onnx_value_unref(in);
    onnx_model_free(m);
    g_free(path);
}
END_TEST

/* 0x3d800000 is 0.0625, 0x3e000000 is 0.125. */
START_TEST(a_cache_has_the_scales_of_values)
{
    struct onnx_options options = { 0 };
    struct onnx_model *m = model_of(network);
    g_autofree char *text = g_strdup_printf(
        "TRT-8501-EntropyCalibration2\nimage: 3d800000\n%s: 3e000000\nother: 3f800000\n", first);
    char *path = file_of(text, strlen(text));
    GError *error = NULL;
    GHashTable *scales = dla_calibration_read(m, &options, path, &error);
    struct onnx_import *r = onnx_import(m, &options, &error);
    GHashTableIter iter;
    gpointer layer, value;
    unsigned found = 0;

    remove(path);
    ck_assert_msg(scales != NULL, "%s", error ? error->message : "");
    ck_assert_uint_eq(g_hash_table_size(scales), 2);
    g_hash_table_iter_init(&iter, r->layers);
    while (g_hash_table_iter_next(&iter, &layer, &value)) {
        if (strcmp(value, first) == 0) {
            const double *s = g_hash_table_lookup(scales, layer);

            ck_assert(s && *s == 0.125);
            found++;
        }
    }
    ck_assert_uint_eq(found, 1);
    g_hash_table_unref(scales);
    onnx_import_free(r);
    onnx_model_free(m);
    g_free(path);
}
END_TEST

static const struct {
    const char *text, *why;
} bad[] = {
    { "image: 3d800000\n", "its first line begins with" },
    { "TRT-1\nimage: 3d80000\n", "line 2" },
    { "TRT-1\nimage\n", "line 2" },
    { "TRT-1\nimage: 3d800000\nx: 7f800000\n", "line 3" },
    { "TRT-1\nimage: bd800000\n", "line 2" },
    { "TRT-1\nimage: 3d80000g\n", "line 2" },
};

START_TEST(a_damaged_cache_names_its_line)
{
    struct onnx_options options = { 0 };
    struct onnx_model *m = model_of(network);
    char *path = file_of(bad[_i].text, strlen(bad[_i].text));
    GError *error = NULL;

    ck_assert_ptr_null(dla_calibration_read(m, &options, path, &error));
    ck_assert_msg(strstr(error->message, bad[_i].why) != NULL, "%s", error->message);
    remove(path);
    g_error_free(error);
    onnx_model_free(m);
    g_free(path);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("onnx_calibrate");
    TCase *t = tcase_create("calibrate");
    int failed;

    tcase_set_timeout(t, 60);
    tcase_add_loop_test(t, a_calibrated_model_is_near_the_float_model, 0, (int)G_N_ELEMENTS(runs));
    tcase_add_test(t, a_cache_has_the_scales_of_values);
    tcase_add_loop_test(t, a_damaged_cache_names_its_line, 0, (int)G_N_ELEMENTS(bad));
    suite_add_tcase(s, t);
    failed = suite_main(s);
    g_free(first);
    return failed;
}
