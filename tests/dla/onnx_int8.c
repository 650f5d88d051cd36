/* SPDX-License-Identifier: MIT */
/* Quantised models (QuantizeLinear, DequantizeLinear) as int8 loadables, against the same model in
 * floats, which rounds where the model says so: as near as a few steps of the output's scale. With
 * ONNX_NETS=FOLDER the models are written there (seeds of fuzz_onnx). */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dlabuild/onnx/import.h"
#include "dlabuild/onnx/reference.h"
#include "tests/dla/limits.h"
#include "tests/dla/onnx_make.h"
#include "tests/suite.h"
#include "tools/dla/dla_exec.h"

#define POINTS 64

/* Places that are quantised: the first pass finds their largest numbers, the second uses them. */
static double largest[POINTS];
static char *place[POINTS];
static unsigned points;
static gboolean measuring, unsigned_bytes;

static char *zero_point(int type, int32_t v)
{
    const int64_t none = 0;
    char *name = onnx_make_int8(0, &none);
    Onnx__Tensor *t = onnx_make_last();

    t->data_type = type;
    t->int32_data[0] = v;
    return name;
}

static char *quantised(const char *x)
{
    unsigned i = points++;
    Onnx__Node *n;
    char *scale, *zero;

    ck_assert_uint_lt(i, POINTS);
    if (measuring) {
        n = onnx_make_node("Identity", x, NULL, NULL);
        place[i] = g_strdup(n->output[0]);
        return n->output[0];
    }
    scale = onnx_make_constant(0, NULL, 0, (float)(largest[i] / 127));
    zero = unsigned_bytes ? zero_point(ONNX_UINT8, 128) : zero_point(ONNX_INT8, 0);
    n = onnx_make_node("QuantizeLinear", x, scale, zero);
    return onnx_make_node("DequantizeLinear", n->output[0], scale, zero)->output[0];
}

/* int8 weights with a scale for each kernel. */
static char *weights(unsigned rank, const int64_t *dims)
{
    size_t per = 1;
    Onnx__Node *n;

    for (unsigned i = 1; i < rank; i++) {
        per *= (size_t)dims[i];
    }
    n = onnx_make_node(
        "DequantizeLinear", onnx_make_int8(rank, dims),
        onnx_make_constant(1, dims, 0.3f / 90 / sqrtf((float)per), 1.7f / 90 / sqrtf((float)per)),
        NULL);
    onnx_make_integer(n, "axis", 0);
    return n->output[0];
}

static char *conv(const char *x, int64_t in, int64_t out, int64_t size, int64_t stride,
                  int64_t groups)
{
    const int64_t w[] = { out, in / groups, size, size };
    Onnx__Node *n = onnx_make_node("Conv", x, weights(4, w), onnx_make_constant(1, w, 0.2f, 0));

    onnx_make_ints(n, "kernel_shape", 2, size, size);
    onnx_make_ints(n, "strides", 2, stride, stride);
    onnx_make_ints(n, "pads", 4, size / 2, size / 2);
    onnx_make_integer(n, "group", groups);
    return n->output[0];
}

static char *dense(const char *x, int64_t in, int64_t out)
{
    const int64_t w[] = { out, in };
    Onnx__Node *n = onnx_make_node("Gemm", x, weights(2, w), onnx_make_constant(1, w, 0.1f, 0));

    onnx_make_integer(n, "transB", 1);
    return n->output[0];
}

static char *relu(const char *x)
{
    return onnx_make_one("Relu", x);
}

static void residual(void)
{
    static const int64_t shape[] = { 1, 3, 24, 24 };
    char *x = quantised(relu(conv(quantised("image"), 3, 16, 3, 2, 1))), *y;

    for (int i = 0; i < 2; i++) {
        y = quantised(relu(conv(x, 16, 16, 3, 1, 1)));
        x = quantised(relu(onnx_make_two("Add", quantised(conv(y, 16, 16, 3, 1, 1)), x)));
    }
    x = quantised(onnx_make_one("GlobalAveragePool", onnx_make_pool("MaxPool", x, 2, 2, 0)));
    onnx_make_ends(quantised(dense(onnx_make_one("Flatten", x), 16, 10)), shape);
}

/* Depthwise, ReLU6, a residual without an activation. */
static void mobile(void)
{
    static const int64_t shape[] = { 1, 3, 16, 16 };
    char *x = quantised(onnx_make_relu6(conv(quantised("image"), 3, 16, 3, 1, 1))), *y;

    y = quantised(onnx_make_relu6(conv(x, 16, 32, 1, 1, 1)));
    y = quantised(onnx_make_relu6(conv(y, 32, 32, 3, 1, 32)));
    x = quantised(onnx_make_two("Add", quantised(conv(y, 32, 16, 1, 1, 1)), x));
    onnx_make_ends(quantised(conv(x, 16, 12, 1, 1, 1)), shape);
}

/* Parts of different scales together; a leaky ReLU; a sigmoid at the end. */
static void yolo(void)
{
    static const int64_t shape[] = { 1, 3, 16, 16 };
    char *a = quantised(onnx_make_one("LeakyRelu", conv(quantised("image"), 3, 32, 3, 1, 1)));
    char *b = quantised(relu(conv(a, 32, 32, 3, 2, 1)));

    b = onnx_make_upsample(quantised(conv(b, 32, 32, 1, 1, 1)));
    onnx_make_ends(
        quantised(onnx_make_one(
            "Sigmoid", quantised(conv(quantised(onnx_make_concat(b, a)), 64, 8, 1, 1, 1)))),
        shape);
}

/* A factor for each channel, computed from the tensor itself. */
static void squeeze_excite(void)
{
    static const int64_t shape[] = { 1, 3, 8, 8 };
    char *x = quantised(relu(conv(quantised("image"), 3, 24, 3, 1, 1))), *s;

    s = quantised(relu(conv(quantised(onnx_make_one("GlobalAveragePool", x)), 24, 8, 1, 1, 1)));
    s = quantised(onnx_make_one("Sigmoid", quantised(conv(s, 8, 24, 1, 1, 1))));
    x = quantised(onnx_make_two("Mul", x, s));
    onnx_make_ends(quantised(conv(x, 24, 12, 1, 1, 1)), shape);
}

static const struct {
    const char *name;
    void (*make)(void);
    gboolean bytes; /* uint8 with a zero point of 128 */
} networks[] = {
    { "residual", residual, FALSE },
    { "residual of uint8", residual, TRUE },
    { "mobile", mobile, FALSE },
    { "yolo", yolo, FALSE },
    { "squeeze_excite", squeeze_excite, FALSE },
};

static struct onnx_model *model_of(unsigned i, gboolean measure)
{
    GError *error = NULL;
    struct onnx_model *m;
    uint8_t *bytes;
    size_t len;

    points = 0;
    measuring = measure;
    unsigned_bytes = networks[i].bytes;
    bytes = onnx_make_model(networks[i].make, i + 1, &len);
    m = onnx_model_read(networks[i].name, bytes, len, &error);
    ck_assert_msg(m != NULL, "%s", error ? error->message : "");
    if (getenv("ONNX_NETS") && !measure) {
        g_autofree char *path = g_strdup_printf("%s/int8_%u.onnx", getenv("ONNX_NETS"), i);

        g_file_set_contents(path, (char *)bytes, (gssize)len, NULL);
    }
    g_free(bytes);
    return m;
}

static GHashTable *reference(const struct onnx_model *m, struct onnx_value *image)
{
    GHashTable *inputs = g_hash_table_new(g_str_hash, g_str_equal), *values;
    GError *error = NULL;

    g_hash_table_insert(inputs, (char *)"image", image);
    values = onnx_reference_run(m, inputs, &error);
    ck_assert_msg(values != NULL, "%s", error ? error->message : "");
    g_hash_table_unref(inputs);
    return values;
}

static struct onnx_value *image_of(const struct onnx_model *m)
{
    const Onnx__Shape *s = m->graph->input[0]->type->tensor_type->shape;
    int64_t dims[4];
    struct onnx_value *v;

    for (int i = 0; i < 4; i++) {
        dims[i] = s->dim[i]->value;
    }
    v = onnx_value_new(ONNX_FLOAT, 4, dims);
    onnx_make_seed(4711);
    for (size_t i = 0; i < v->count; i++) {
        v->v[i] = onnx_make_number();
    }
    return v;
}

/* The largest number of each place that is quantised. */
static void measure(unsigned i)
{
    struct onnx_model *m = model_of(i, TRUE);
    struct onnx_value *image = image_of(m);
    GHashTable *values = reference(m, image);

    for (unsigned p = 0; p < points; p++) {
        const struct onnx_value *v = g_hash_table_lookup(values, place[p]);

        largest[p] = 1e-3;
        for (size_t k = 0; k < v->count; k++) {
            largest[p] = fmax(largest[p], fabs((double)v->v[k]));
        }
        g_free(place[p]);
    }
    g_hash_table_unref(values);
    onnx_value_unref(image);
    onnx_model_free(m);
}

static void compare(const char *name, const struct onnx_value *want, const float *got, double scale)
{
    double a = 0, b = 0, ab = 0, worst = 0;
    size_t top_want = 0, top_got = 0;

    for (size_t i = 0; i < want->count; i++) {
        double x = (double)want->v[i], y = (double)got[i] * scale;

        a += x * x;
        b += y * y;
        ab += x * y;
        worst = fmax(worst, fabs(x - y) / scale);
        top_want = want->v[i] > want->v[top_want] ? i : top_want;
        top_got = got[i] > got[top_got] ? i : top_got;
    }
    printf("%s: %zu numbers, cosine %.5f, largest error %.2f steps, largest output: %s\n", name,
           want->count, ab / sqrt(a * b), worst,
           top_want == top_got ? "the same" : "another of the same rounded value");
    ck_assert_msg(ab / sqrt(a * b) >= 0.999, "%s: cosine %g", name, ab / sqrt(a * b));
    ck_assert_msg(worst <= 5, "%s: %g steps", name, worst);
    ck_assert_msg(top_want == top_got || got[top_want] == got[top_got] ||
                      (double)(want->v[top_want] - want->v[top_got]) <= 1.01 * scale,
                  "%s: another largest output", name);
}

START_TEST(a_quantised_network_runs_in_int8)
{
    struct onnx_options options = { 0 };
    GError *error = NULL;
    struct onnx_model *m;
    struct onnx_import *r;
    struct onnx_value *image, *want, *in;
    const struct onnx_end *from, *to;
    GHashTable *values;
    struct dla_exec *e;
    char *why;
    uint8_t *bytes;
    float *got;
    size_t len;

    measure((unsigned)_i);
    m = model_of((unsigned)_i, FALSE);
    r = onnx_import(m, &options, &error);
    ck_assert_msg(r != NULL, "%s", error ? error->message : "");
    bytes = build_description(r->description, networks[_i].name, r->data, &len, &error);
    ck_assert_msg(bytes != NULL, "%s", error ? error->message : "");
    why = limits_of_loadable(bytes, len);
    ck_assert_msg(!why, "%s", why);
    image = image_of(m);
    values = reference(m, image);
    want = g_hash_table_lookup(values, m->graph->output[0]->name);
    from = r->inputs->pdata[0];
    to = r->outputs->pdata[0];
    ck_assert(fabs(from->scale * 127 / largest[0] - 1) < 1e-5 && to->scale > 0);
    in = onnx_value_new(ONNX_FLOAT, image->rank, image->dims);
    for (size_t i = 0; i < in->count; i++) {
        in->v[i] = (float)CLAMP(nearbyint((double)image->v[i] / from->scale), -128., 127.);
    }
    e = dla_exec_open(g_memdup2(bytes, len), len, &error);
    ck_assert_msg(e != NULL, "%s", error ? error->message : "");
    got = g_new0(float, want->count + 1);
    ck_assert(dla_exec_put(e, 0, in->v, in->count, &error) && dla_exec_run(e, &error) &&
              dla_exec_get(e, 0, got, want->count, &error));
    compare(networks[_i].name, want, got, to->scale);
    g_free(got);
    free(bytes);
    dla_exec_close(e);
    onnx_value_unref(in);
    onnx_value_unref(image);
    g_hash_table_unref(values);
    onnx_import_free(r);
    onnx_model_free(m);
}
END_TEST

/* Its second convolution has no scale behind it. */
static void half_quantised(void)
{
    static const int64_t shape[] = { 1, 3, 8, 8 };

    onnx_make_ends(conv(quantised(conv(quantised("image"), 3, 8, 3, 1, 1)), 8, 4, 1, 1, 1), shape);
}

/* Every tensor has a scale; a local response normalisation is between two. */
static void with_lrn(void)
{
    static const int64_t shape[] = { 1, 3, 8, 8 };
    Onnx__Node *n =
        onnx_make_node("LRN", quantised(conv(quantised("image"), 3, 8, 3, 1, 1)), NULL, NULL);

    onnx_make_integer(n, "size", 5);
    onnx_make_ends(quantised(n->output[0]), shape);
}

static const struct {
    void (*make)(void);
    const char *why;
} refusals[] = {
    { half_quantised, "there is no QuantizeLinear behind it" },
    { with_lrn, "this layer is not built in int8" },
};

START_TEST(what_is_not_built_in_int8_is_named)
{
    struct onnx_options options = { 0 };
    GError *error = NULL;
    struct onnx_model *m;
    uint8_t *bytes;
    size_t len;

    points = 0;
    measuring = unsigned_bytes = FALSE;
    for (unsigned i = 0; i < POINTS; i++) {
        largest[i] = 1;
    }
    bytes = onnx_make_model(refusals[_i].make, 1, &len);
    m = onnx_model_read("half", bytes, len, &error);
    ck_assert_ptr_null(onnx_import(m, &options, &error));
    ck_assert_msg(strstr(error->message, refusals[_i].why) != NULL, "%s", error->message);
    ck_assert_ptr_nonnull(strstr(error->message, m->graph->output[0]->name));
    g_error_free(error);
    g_free(bytes);
    onnx_model_free(m);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("onnx_int8");
    TCase *t = tcase_create("int8");

    tcase_set_timeout(t, 60);
    tcase_add_loop_test(t, a_quantised_network_runs_in_int8, 0, (int)G_N_ELEMENTS(networks));
    tcase_add_loop_test(t, what_is_not_built_in_int8_is_named, 0, (int)G_N_ELEMENTS(refusals));
    suite_add_tcase(s, t);
    return suite_main(s);
}
