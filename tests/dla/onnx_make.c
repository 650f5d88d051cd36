/* SPDX-License-Identifier: MIT */
#include "tests/dla/onnx_make.h"

#include <math.h>
#include <string.h>

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

float onnx_make_number(void)
{
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (float)(seed >> 40) / (float)(1 << 24) * 2 - 1;
}

char *onnx_make_constant(unsigned rank, const int64_t *dims, float scale, float middle)
{
    Onnx__Tensor *t = keep(sizeof(*t));
    size_t n = 1;

    onnx__tensor__init(t);
    for (unsigned i = 0; i < rank; i++) {
        n *= (size_t)dims[i];
    }
    t->dims = keep(rank * sizeof(*dims) + 1);
    if (rank) {
        memcpy(t->dims, dims, rank * sizeof(*dims));
    }
    t->n_dims = rank;
    t->has_data_type = 1;
    t->data_type = ONNX_FLOAT;
    t->float_data = keep(n * sizeof(float) + 1);
    t->n_float_data = n;
    for (size_t i = 0; i < n; i++) {
        t->float_data[i] = middle + scale * onnx_make_number();
    }
    t->name = text("c%u", names++);
    g_ptr_array_add(tensors, t);
    return t->name;
}

char *onnx_make_int8(unsigned rank, const int64_t *dims)
{
    char *name = onnx_make_constant(rank, dims, 127, 0);
    Onnx__Tensor *t = onnx_make_last();

    t->data_type = ONNX_INT8;
    t->int32_data = keep(t->n_float_data * sizeof(int32_t) + 1);
    t->n_int32_data = t->n_float_data;
    for (size_t i = 0; i < t->n_int32_data; i++) {
        t->int32_data[i] = (int32_t)t->float_data[i];
    }
    t->n_float_data = 0;
    return name;
}

char *onnx_make_integers(size_t n, const int64_t *v)
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

Onnx__Node *onnx_make_node(const char *op, const char *a, const char *b, const char *c)
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

Onnx__Attribute *onnx_make_attribute(Onnx__Node *n, const char *name)
{
    Onnx__Attribute *a = keep(sizeof(*a));

    onnx__attribute__init(a);
    a->name = text("%s", name);
    n->attribute[n->n_attribute++] = a;
    return a;
}

void onnx_make_ints(Onnx__Node *n, const char *name, size_t count, int64_t v0, int64_t v1)
{
    Onnx__Attribute *a = onnx_make_attribute(n, name);

    a->ints = keep(count * sizeof(int64_t));
    a->n_ints = count;
    for (size_t i = 0; i < count; i++) {
        a->ints[i] = i % 2 ? v1 : v0;
    }
}

void onnx_make_integer(Onnx__Node *n, const char *name, int64_t v)
{
    Onnx__Attribute *a = onnx_make_attribute(n, name);

    a->has_i = 1;
    a->i = v;
}

void onnx_make_seed(uint64_t s)
{
    seed = s;
}

Onnx__Tensor *onnx_make_last(void)
{
    return tensors->pdata[tensors->len - 1];
}

void onnx_make_text(Onnx__Node *n, const char *name, const char *v)
{
    Onnx__Attribute *a = onnx_make_attribute(n, name);

    a->has_s = 1;
    a->s = (ProtobufCBinaryData){ strlen(v), (uint8_t *)text("%s", v) };
}

char *onnx_make_conv(const char *x, int64_t in, int64_t out, int64_t size, int64_t stride,
                     int64_t groups)
{
    const int64_t w[] = { out, in / groups, size, size };
    float scale = 1.7f / sqrtf((float)(in / groups * size * size));
    Onnx__Node *n = onnx_make_node("Conv", x, onnx_make_constant(4, w, scale, 0),
                                   onnx_make_constant(1, w, 0.1f, 0));

    onnx_make_ints(n, "kernel_shape", 2, size, size);
    onnx_make_ints(n, "strides", 2, stride, stride);
    onnx_make_ints(n, "pads", 4, size / 2, size / 2);
    onnx_make_integer(n, "group", groups);
    return n->output[0];
}

char *onnx_make_norm(const char *x, int64_t c)
{
    Onnx__Node *n = onnx_make_node("BatchNormalization", x, onnx_make_constant(1, &c, 0.2f, 1),
                                   onnx_make_constant(1, &c, 0.1f, 0));

    n->input[n->n_input++] = onnx_make_constant(1, &c, 0.1f, 0);
    n->input[n->n_input++] = onnx_make_constant(1, &c, 0.2f, 1);
    return n->output[0];
}

char *onnx_make_one(const char *op, const char *x)
{
    return onnx_make_node(op, x, NULL, NULL)->output[0];
}

char *onnx_make_two(const char *op, const char *a, const char *b)
{
    return onnx_make_node(op, a, b, NULL)->output[0];
}

char *onnx_make_relu6(const char *x)
{
    const int64_t none = 0;

    return onnx_make_node("Clip", x, onnx_make_constant(0, &none, 0, 0),
                          onnx_make_constant(0, &none, 0, 6))
        ->output[0];
}

char *onnx_make_pool(const char *op, const char *x, int64_t size, int64_t stride, int64_t pad)
{
    Onnx__Node *n = onnx_make_node(op, x, NULL, NULL);

    onnx_make_ints(n, "kernel_shape", 2, size, size);
    onnx_make_ints(n, "strides", 2, stride, stride);
    onnx_make_ints(n, "pads", 4, pad, pad);
    return n->output[0];
}

char *onnx_make_concat(const char *a, const char *b)
{
    Onnx__Node *n = onnx_make_node("Concat", a, b, NULL);

    onnx_make_integer(n, "axis", 1);
    return n->output[0];
}

char *onnx_make_upsample(const char *x)
{
    Onnx__Node *n = onnx_make_node("Resize", x, "", NULL);
    const int64_t four = 4;

    n->input[n->n_input++] = onnx_make_constant(1, &four, 0, 1);
    onnx_make_last()->float_data[2] = onnx_make_last()->float_data[3] = 2;
    onnx_make_text(n, "coordinate_transformation_mode", "asymmetric");
    onnx_make_text(n, "nearest_mode", "floor");
    return n->output[0];
}

char *onnx_make_dense(const char *x, int64_t in, int64_t out)
{
    const int64_t w[] = { out, in };
    Onnx__Node *n = onnx_make_node("Gemm", x, onnx_make_constant(2, w, 1.7f / sqrtf((float)in), 0),
                                   onnx_make_constant(1, w, 0.1f, 0));

    onnx_make_integer(n, "transB", 1);
    return n->output[0];
}

void onnx_make_ends(const char *output, const int64_t *shape)
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

uint8_t *onnx_make_model(void (*make)(void), uint64_t s, size_t *len)
{
    uint8_t *bytes;

    nodes = g_ptr_array_new();
    tensors = g_ptr_array_new();
    kept = g_ptr_array_new_with_free_func(g_free);
    names = 0;
    seed = s;
    onnx__model__init(&model);
    onnx__graph__init(&graph);
    onnx__opset__init(&opset);
    make();
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
