/* SPDX-License-Identifier: MIT */
/* vtegra dla run --compare: known errors put into what a layer wrote come out of the table. */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/dla/onnx_make.h"
#include "tests/suite.h"
#include "tools/dla/dla_compare.h"

#define N 64

static const int64_t shape[] = { 1, 4, 4, 4 };

static void rectify(void)
{
    onnx_make_ends(onnx_make_one("Relu", "image"), shape);
}

/* The model in a file; its layer's name as the importer gives it. */
static char *model_file(char **layer)
{
    struct onnx_options options = { 0 };
    GError *error = NULL;
    size_t len;
    uint8_t *bytes = onnx_make_model(rectify, 1, &len);
    struct onnx_model *m = onnx_model_read("relu", bytes, len, &error);
    struct onnx_import *r = m ? onnx_import(m, &options, &error) : NULL;
    GHashTableIter iter;
    gpointer name;
    char *path = NULL;
    int fd = g_file_open_tmp("relu_XXXXXX.onnx", &path, NULL);

    ck_assert(fd >= 0 && close(fd) == 0 &&
              g_file_set_contents(path, (char *)bytes, (gssize)len, NULL));
    ck_assert_msg(r != NULL, "%s", error ? error->message : "");
    g_hash_table_iter_init(&iter, r->layers);
    ck_assert(g_hash_table_iter_next(&iter, &name, NULL));
    *layer = g_strdup(name);
    onnx_import_free(r);
    onnx_model_free(m);
    g_free(bytes);
    return path;
}

/* The table of a layer that wrote @got, where the model has max(x, 0) of @in. FALSE: refused. */
static gboolean table(const float *in, const float *got, double scale, const char *layer,
                      char *text, size_t size)
{
    g_autofree char *name = NULL;
    g_autofree char *path = model_file(&name);
    GHashTable *none = g_hash_table_new(g_str_hash, g_str_equal);
    struct onnx_options options = { .shapes = none, .constants = none };
    int32_t a[N], b[N];
    struct array input = { ARRAY_FP16, 4, 4, 4, a, FALSE },
                 output = { scale > 0 ? ARRAY_INT8 : ARRAY_FP16, 4, 4, 4, b, FALSE };
    GError *error = NULL;
    struct dla_compare *c = dla_compare_open(path, &options, &error);
    FILE *out = tmpfile();
    gboolean ok;

    remove(path);
    ck_assert_msg(c != NULL, "%s", error ? error->message : "");
    for (int i = 0; i < N; i++) {
        a[i] = half_from_double((double)in[i]);
        b[i] = scale > 0 ? (int32_t)got[i] : half_from_double((double)got[i]);
    }
    ck_assert(dla_compare_input(c, 0, &input, 0, &error));
    dla_compare_layer(c, layer ? layer : name, &output, scale);
    ok = dla_compare_print(c, out, &error);
    g_strlcpy(text, error ? error->message : "", size);
    g_clear_error(&error);
    if (ok) {
        rewind(out);
        ck_assert(fgets(text, (int)size, out) && fgets(text, (int)size, out));
    }
    fclose(out);
    dla_compare_close(c);
    g_hash_table_unref(none);
    return ok;
}

/* -8, -7.75 ... 7.75: 31 positive numbers, the largest 7.75. */
static void numbers(float *in, float *got)
{
    for (int i = 0; i < N; i++) {
        in[i] = (float)(i - N / 2) / 4;
        got[i] = in[i] > 0 ? in[i] : 0;
    }
}

START_TEST(an_exact_layer_has_no_error)
{
    float in[N], got[N], cosine, largest, percent, mean;
    char text[256], layer[64], value[64];
    unsigned n;

    numbers(in, got);
    ck_assert_msg(table(in, got, 0, NULL, text, sizeof(text)), "%s", text);
    ck_assert_int_eq(sscanf(text, "%63s %u %f %f %f %f %63s", layer, &n, &cosine, &largest,
                            &percent, &mean, value),
                     7);
    ck_assert_uint_eq(n, N);
    ck_assert(cosine == 1 && largest == 0 && percent == 0 && mean == 0);
}
END_TEST

/* 0.5 and -1.5 too much: the largest error is 1.5, 19.355 % of 7.75; the mean is 2 / 64. */
START_TEST(errors_are_those_that_were_made)
{
    float in[N], got[N], cosine, largest, percent, mean;
    double aa = 0, bb = 0, ab = 0;
    char text[256], layer[64], value[64];
    unsigned n;

    numbers(in, got);
    got[3] = 0.5f;
    got[60] -= 1.5f;
    for (int i = 0; i < N; i++) {
        double want = in[i] > 0 ? (double)in[i] : 0;

        aa += want * want;
        bb += (double)got[i] * (double)got[i];
        ab += want * (double)got[i];
    }
    ck_assert_msg(table(in, got, 0, NULL, text, sizeof(text)), "%s", text);
    ck_assert_int_eq(sscanf(text, "%63s %u %f %f %f %f %63s", layer, &n, &cosine, &largest,
                            &percent, &mean, value),
                     7);
    ck_assert_msg(fabs((double)cosine - ab / sqrt(aa * bb)) < 1e-6, "%g", (double)cosine);
    ck_assert(largest == 1.5f && fabsf(percent - 19.355f) < 0.001f && mean == 0.03125f);
}
END_TEST

/* 31 quarters: the numbers 1 to 31 of int8. */
START_TEST(numbers_of_int8_count_by_their_scale)
{
    float in[N], got[N], cosine, largest;
    char text[256], layer[64];
    unsigned n;

    numbers(in, got);
    for (int i = 0; i < N; i++) {
        got[i] *= 4;
    }
    ck_assert_msg(table(in, got, 0.25, NULL, text, sizeof(text)), "%s", text);
    ck_assert_int_eq(sscanf(text, "%63s %u %f %f", layer, &n, &cosine, &largest), 4);
    ck_assert(cosine == 1 && largest == 0);
}
END_TEST

START_TEST(a_loadable_of_another_model_is_refused)
{
    float in[N], got[N];
    char text[256];

    numbers(in, got);
    ck_assert(!table(in, got, 0, "another", text, sizeof(text)));
    ck_assert_ptr_nonnull(strstr(text, "no layer of the loadable is one of this model's"));
}
END_TEST

int main(void)
{
    Suite *s = suite_create("onnx_compare");
    TCase *t = tcase_create("compare");

    tcase_add_test(t, an_exact_layer_has_no_error);
    tcase_add_test(t, errors_are_those_that_were_made);
    tcase_add_test(t, numbers_of_int8_count_by_their_scale);
    tcase_add_test(t, a_loadable_of_another_model_is_refused);
    suite_add_tcase(s, t);
    return suite_main(s);
}
