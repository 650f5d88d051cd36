/* SPDX-License-Identifier: MIT */
/* Whole networks as exporters write them, constructed here with weights of a seed: built, run on
 * the DLA, and compared with the float reference: within 0.5 % of the largest value, and the same
 * largest output. With ONNX_NETS=FOLDER the models are written there (seeds of fuzz_onnx). */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dlabuild/onnx/import.h"
#include "dlabuild/onnx/reference.h"
#include "tests/suite.h"
#include "tools/dla/dla_exec.h"

/* --- a model under construction --- */
static Onnx__Model model;
static Onnx__Graph graph;
static Onnx__Opset opset;
static Onnx__Opset *opsets[] = { &opset };
static GPtrArray *nodes, *tensors, *kept;
static uint64_t seed;
static unsigned names;

static void *keep(size_t n)
{
    void *p = g_malloc0(n);

    g_ptr_array_add(kept, p);
    return p;
}

static char *text(const char *format, ...)
{
    va_list args;
    char *s;

    va_start(args, format);
    s = g_strdup_vprintf(format, args);
    va_end(args);
    g_ptr_array_add(kept, s);
    return s;
}

static float number(void)
{
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (float)(seed >> 40) / (float)(1 << 24) * 2 - 1;
}

/* A constant of that shape: random numbers of about @scale around @middle. */
static char *constant(unsigned rank, const int64_t *dims, float scale, float middle)
{
    Onnx__Tensor *t = keep(sizeof(*t));
    size_t n = 1;

    onnx__tensor__init(t);
    for (unsigned i = 0; i < rank; i++) {
        n *= (size_t)dims[i];
    }
    t->dims = keep(rank * sizeof(*dims) + 1);
    memcpy(t->dims, dims, rank * sizeof(*dims));
    t->n_dims = rank;
    t->has_data_type = 1;
    t->data_type = ONNX_FLOAT;
    t->float_data = keep(n * sizeof(float) + 1);
    t->n_float_data = n;
    for (size_t i = 0; i < n; i++) {
        t->float_data[i] = middle + scale * number();
    }
    t->name = text("c%u", names++);
    g_ptr_array_add(tensors, t);
    return t->name;
}

static char *integers(size_t n, const int64_t *v)
{
    Onnx__Tensor *t = keep(sizeof(*t));

    onnx__tensor__init(t);
    t->dims = keep(sizeof(int64_t));
    t->dims[0] = (int64_t)n;
    t->n_dims = 1;
    t->has_data_type = 1;
    t->data_type = ONNX_INT64;
    t->int64_data = keep(n * sizeof(*v));
    memcpy(t->int64_data, v, n * sizeof(*v));
    t->n_int64_data = n;
    t->name = text("c%u", names++);
    g_ptr_array_add(tensors, t);
    return t->name;
}

/* A node with up to four inputs ("" or NULL: none). Return: its output. */
static Onnx__Node *node(const char *op, const char *a, const char *b, const char *c)
{
    const char *in[] = { a, b, c };
    Onnx__Node *n = keep(sizeof(*n));

    onnx__node__init(n);
    n->op_type = text("%s", op);
    n->input = keep(8 * sizeof(char *));
    for (int i = 0; i < 3 && in[i]; i++) {
        n->input[n->n_input++] = text("%s", in[i]);
    }
    n->output = keep(8 * sizeof(char *));
    n->output[n->n_output++] = text("%s_%u", op, names++);
    n->attribute = keep(8 * sizeof(Onnx__Attribute *));
    g_ptr_array_add(nodes, n);
    return n;
}

static Onnx__Attribute *attribute(Onnx__Node *n, const char *name)
{
    Onnx__Attribute *a = keep(sizeof(*a));

    onnx__attribute__init(a);
    a->name = text("%s", name);
    n->attribute[n->n_attribute++] = a;
    return a;
}

static void ints(Onnx__Node *n, const char *name, size_t count, int64_t v0, int64_t v1)
{
    Onnx__Attribute *a = attribute(n, name);

    a->ints = keep(count * sizeof(int64_t));
    a->n_ints = count;
    for (size_t i = 0; i < count; i++) {
        a->ints[i] = i % 2 ? v1 : v0;
    }
}

static void integer(Onnx__Node *n, const char *name, int64_t v)
{
    Onnx__Attribute *a = attribute(n, name);

    a->has_i = 1;
    a->i = v;
}

static char *conv(const char *x, int64_t in, int64_t out, int64_t size, int64_t stride,
                  int64_t groups)
{
    const int64_t w[] = { out, in / groups, size, size };
    float scale = 1.7f / sqrtf((float)(in / groups * size * size));
    Onnx__Node *n = node("Conv", x, constant(4, w, scale, 0), constant(1, w, 0.1f, 0));

    ints(n, "kernel_shape", 2, size, size);
    ints(n, "strides", 2, stride, stride);
    ints(n, "pads", 4, size / 2, size / 2);
    integer(n, "group", groups);
    return n->output[0];
}

static char *norm(const char *x, int64_t c)
{
    Onnx__Node *n =
        node("BatchNormalization", x, constant(1, &c, 0.2f, 1), constant(1, &c, 0.1f, 0));

    n->input[n->n_input++] = constant(1, &c, 0.1f, 0);
    n->input[n->n_input++] = constant(1, &c, 0.2f, 1);
    return n->output[0];
}

static char *one(const char *op, const char *x)
{
    return node(op, x, NULL, NULL)->output[0];
}

static char *two(const char *op, const char *a, const char *b)
{
    return node(op, a, b, NULL)->output[0];
}

static char *relu6(const char *x)
{
    const int64_t none = 0;

    return node("Clip", x, constant(0, &none, 0, 0), constant(0, &none, 0, 6))->output[0];
}

static char *pool(const char *op, const char *x, int64_t size, int64_t stride, int64_t pad)
{
    Onnx__Node *n = node(op, x, NULL, NULL);

    ints(n, "kernel_shape", 2, size, size);
    ints(n, "strides", 2, stride, stride);
    ints(n, "pads", 4, pad, pad);
    return n->output[0];
}

static char *concat(const char *a, const char *b)
{
    Onnx__Node *n = node("Concat", a, b, NULL);

    integer(n, "axis", 1);
    return n->output[0];
}

static char *upsample(const char *x)
{
    Onnx__Node *n = node("Resize", x, "", NULL);
    Onnx__Attribute *a;
    Onnx__Tensor *t;
    const int64_t four = 4;

    n->input[n->n_input++] = constant(1, &four, 0, 1);
    t = tensors->pdata[tensors->len - 1];
    t->float_data[2] = t->float_data[3] = 2;
    a = attribute(n, "coordinate_transformation_mode");
    a->has_s = 1;
    a->s = (ProtobufCBinaryData){ 10, (uint8_t *)text("asymmetric") };
    a = attribute(n, "nearest_mode");
    a->has_s = 1;
    a->s = (ProtobufCBinaryData){ 5, (uint8_t *)text("floor") };
    return n->output[0];
}

static char *dense(const char *x, int64_t in, int64_t out)
{
    const int64_t w[] = { out, in };
    Onnx__Node *n =
        node("Gemm", x, constant(2, w, 1.7f / sqrtf((float)in), 0), constant(1, w, 0.1f, 0));

    integer(n, "transB", 1);
    return n->output[0];
}

static void ends(const char *output, const int64_t *shape)
{
    Onnx__ValueInfo *in = keep(sizeof(*in)), *out = keep(sizeof(*out));
    Onnx__Type *type = keep(sizeof(*type));
    Onnx__TensorType *tensor = keep(sizeof(*tensor));
    Onnx__Shape *s = keep(sizeof(*s));

    onnx__value_info__init(in);
    onnx__value_info__init(out);
    onnx__type__init(type);
    onnx__tensor_type__init(tensor);
    onnx__shape__init(s);
    s->dim = keep(4 * sizeof(Onnx__Dim *));
    for (s->n_dim = 0; s->n_dim < 4; s->n_dim++) {
        Onnx__Dim *d = keep(sizeof(*d));

        onnx__dim__init(d);
        d->has_value = 1;
        d->value = shape[s->n_dim];
        s->dim[s->n_dim] = d;
    }
    tensor->has_elem_type = 1;
    tensor->elem_type = ONNX_FLOAT;
    tensor->shape = s;
    type->tensor_type = tensor;
    in->name = text("image");
    in->type = type;
    out->name = text("%s", output);
    graph.input = keep(sizeof(in));
    graph.output = keep(sizeof(out));
    graph.input[0] = in;
    graph.output[0] = out;
    graph.n_input = graph.n_output = 1;
}

/* --- the networks --- */
static void residual(void)
{
    static const int64_t shape[] = { 1, 3, 32, 32 };
    char *x = one("Relu", norm(conv("image", 3, 16, 3, 1, 1), 16)), *y;

    for (int i = 0; i < 2; i++) {
        y = one("Relu", norm(conv(x, 16, 16, 3, 1, 1), 16));
        x = one("Relu", two("Add", norm(conv(y, 16, 16, 3, 1, 1), 16), x));
    }
    y = one("Relu", norm(conv(x, 16, 40, 3, 2, 1), 40));
    x = one("Relu",
            two("Add", norm(conv(y, 40, 40, 3, 1, 1), 40), norm(conv(x, 16, 40, 1, 2, 1), 40)));
    ends(dense(one("Flatten", one("GlobalAveragePool", x)), 40, 10), shape);
}

static void mobile(void)
{
    static const int64_t shape[] = { 1, 3, 48, 48 };
    char *x = relu6(norm(conv("image", 3, 16, 3, 2, 1), 16)), *y = x;

    for (int i = 0; i < 3; i++) {
        y = relu6(norm(conv(x, 16, 64, 1, 1, 1), 64));
        y = relu6(norm(conv(y, 64, 64, 3, 1, 64), 64));
        x = two("Add", norm(conv(y, 64, 16, 1, 1, 1), 16), x);
    }
    ends(dense(one("Flatten", one("GlobalAveragePool", relu6(conv(x, 16, 96, 1, 1, 1)))), 96, 20),
         shape);
}

static void squeeze_excite(void)
{
    static const int64_t shape[] = { 1, 3, 28, 28 };
    char *x = one("HardSwish", norm(conv("image", 3, 24, 3, 2, 1), 24)), *s;

    s = one("Relu", conv(one("GlobalAveragePool", x), 24, 8, 1, 1, 1));
    s = one("HardSigmoid", conv(s, 8, 24, 1, 1, 1));
    x = two("Mul", x, s);
    x = two("Mul", x, one("Sigmoid", conv(one("GlobalAveragePool", x), 24, 24, 1, 1, 1)));
    ends(conv(x, 24, 12, 1, 1, 1), shape);
}

static void yolo(void)
{
    static const int64_t shape[] = { 1, 3, 64, 64 };
    char *a = one("LeakyRelu", conv("image", 3, 12, 3, 2, 1)), *b, *c;

    a = one("LeakyRelu", conv(a, 12, 20, 3, 2, 1));
    b = two("Mul", a, one("Sigmoid", a)); /* SiLU */
    b = one("LeakyRelu", conv(b, 20, 24, 3, 2, 1));
    c = concat(pool("MaxPool", b, 5, 1, 2), concat(pool("MaxPool", b, 9, 1, 4), b));
    c = upsample(one("LeakyRelu", conv(c, 72, 20, 1, 1, 1)));
    ends(one("Sigmoid", conv(concat(c, a), 40, 27, 1, 1, 1)), shape);
}

static void u_net(void)
{
    static const int64_t shape[] = { 1, 1, 40, 40 };
    const int64_t w[] = { 24, 12, 3, 3 };
    char *a = one("Relu", conv("image", 1, 12, 3, 1, 1));
    char *b = one("Relu", conv(pool("MaxPool", a, 2, 2, 0), 12, 24, 3, 1, 1));
    Onnx__Node *up =
        node("ConvTranspose", b, constant(4, w, 0.15f, 0), constant(1, w + 1, 0.1f, 0));

    ints(up, "strides", 2, 2, 2);
    ints(up, "pads", 4, 1, 1);
    ints(up, "output_padding", 2, 1, 1);
    ends(one("Elu", conv(concat(up->output[0], a), 24, 2, 3, 1, 1)), shape);
}

static void shuffle(void)
{
    static const int64_t shape[] = { 1, 4, 16, 16 }, cut[] = { 1, 2, 24, 16, 16 },
                         back[] = { 1, 48, 16, 16 };
    char *x = one("Relu", conv("image", 4, 48, 1, 1, 2));
    Onnx__Node *t = node("Transpose", two("Reshape", x, integers(5, cut)), NULL, NULL);
    Onnx__Attribute *a = attribute(t, "perm");
    static const int64_t perm[] = { 0, 2, 1, 3, 4 };

    a->ints = keep(sizeof(perm));
    memcpy(a->ints, perm, sizeof(perm));
    a->n_ints = 5;
    x = two("Reshape", t->output[0], integers(4, back));
    x = conv(x, 48, 48, 3, 2, 48);
    ends(pool("AveragePool", conv(x, 48, 20, 1, 1, 4), 3, 2, 1), shape);
}

static const struct {
    const char *name;
    void (*make)(void);
} networks[] = {
    { "residual", residual }, { "mobile", mobile }, { "squeeze_excite", squeeze_excite },
    { "yolo", yolo },         { "u_net", u_net },   { "shuffle", shuffle }
};

/* The model's bytes. */
static uint8_t *network_bytes(unsigned i, size_t *len)
{
    uint8_t *bytes;

    nodes = g_ptr_array_new();
    tensors = g_ptr_array_new();
    kept = g_ptr_array_new_with_free_func(g_free);
    names = 0;
    seed = i + 1;
    onnx__model__init(&model);
    onnx__graph__init(&graph);
    onnx__opset__init(&opset);
    networks[i].make();
    graph.node = (Onnx__Node **)nodes->pdata;
    graph.n_node = nodes->len;
    graph.initializer = (Onnx__Tensor **)tensors->pdata;
    graph.n_initializer = tensors->len;
    model.graph = &graph;
    opset.has_version = 1;
    opset.version = 14;
    model.opset_import = opsets;
    model.n_opset_import = 1;
    *len = onnx__model__get_packed_size(&model);
    bytes = g_malloc(*len + 1);
    onnx__model__pack(&model, bytes);
    g_ptr_array_free(nodes, TRUE);
    g_ptr_array_free(tensors, TRUE);
    g_ptr_array_free(kept, TRUE);
    return bytes;
}

static struct onnx_value *image(const struct onnx_import *r)
{
    const struct onnx_end *end = r->inputs->pdata[0];
    struct onnx_value *v = onnx_value_new(ONNX_FLOAT, end->rank, end->dims);

    seed = 4711;
    for (size_t i = 0; i < v->count; i++) {
        v->v[i] = (float)half_to_double(half_from_double((double)number()));
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
    uint8_t *bytes = network_bytes((unsigned)_i, &len), *loadable;
    struct onnx_model *m = onnx_model_read(name, bytes, len, &error);
    struct onnx_import *r;
    struct onnx_value *v, *want;
    struct dla_exec *e;
    float *got;

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

int main(void)
{
    Suite *s = suite_create("onnx_nets");
    TCase *t = tcase_create("fp16");

    tcase_set_timeout(t, 120);
    tcase_add_loop_test(t, a_network_is_right_within_half_a_percent, 0,
                        (int)G_N_ELEMENTS(networks));
    suite_add_tcase(s, t);
    return suite_main(s);
}
