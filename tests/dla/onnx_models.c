/* SPDX-License-Identifier: MIT */
/* Published operator models of ONNX (Debian: libonnx-testdata) through the importer and the DLA:
 * those made of operators that a DLA could have are built, run, and compared within fp16's
 * tolerance. Usage: onnx_models DATA_FOLDER [NAME...]   exit status 77: no data; prints a line for
 * each model */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "dlabuild/onnx/import.h"
#include "tests/dla/limits.h"
#include "tools/dla/dla_exec.h"

/* Operators that a DLA's units could compute. */
#define OPS                                                                                    \
    "Conv|Gemm|MatMul|BatchNormalization|Relu|LeakyRelu|PRelu|Clip|Sigmoid|Tanh|MaxPool|"      \
    "AveragePool|GlobalAveragePool|GlobalMaxPool|Add|Sub|Mul|Div|Max|Min|Sum|Mean|Neg|Concat|" \
    "Flatten|Reshape|Dropout|Identity|LRN|ConvTranspose|Upsample|Resize|Softmax|HardSigmoid|"  \
    "HardSwish|Pad|Elu|Selu|Constant|Unsqueeze|Squeeze"

/* Inputs that are parameters, by operator: bit i for input i. */
static const struct {
    const char *ops;
    unsigned mask;
} parameters[] = {
    { "Conv|ConvTranspose|Gemm|Clip|Dropout", 6 },
    { "MatMul|PRelu|Reshape|Upsample|Unsqueeze|Squeeze", 2 },
    { "BatchNormalization", 30 },
    { "Pad|Resize", 14 },
};

enum result { PASS, WRONG, REFUSED, OTHER, RESULTS };
static const char *const result_name[] = { "PASS", "WRONG", "REFUSED", "OTHER TYPE" };

static struct onnx_value *tensor(const char *folder, const char *kind, unsigned i)
{
    g_autofree char *path = g_strdup_printf("%s/test_data_set_0/%s_%u.pb", folder, kind, i);
    struct onnx_value *v;
    gchar *bytes;
    gsize len;

    if (!g_file_get_contents(path, &bytes, &len, NULL)) {
        return NULL;
    }
    v = onnx_tensor_read(path, (uint8_t *)bytes, len, NULL);
    g_free(bytes);
    return v;
}

static gboolean is_parameter(const struct onnx_model *m, const char *name)
{
    for (size_t n = 0; n < m->graph->n_node; n++) {
        const Onnx__Node *node = m->graph->node[n];

        for (size_t i = 0; i < node->n_input; i++) {
            for (size_t k = 0; k < G_N_ELEMENTS(parameters) && strcmp(node->input[i], name) == 0;
                 k++) {
                if (desc_word_find(parameters[k].ops, node->op_type) >= 0 &&
                    parameters[k].mask >> i & 1) {
                    return TRUE;
                }
            }
        }
    }
    return FALSE;
}

/* Floats that fp16 holds. */
static gboolean float_type(const struct onnx_value *v)
{
    gboolean ok = v && v->count &&
                  (v->type == ONNX_FLOAT || v->type == ONNX_FLOAT16 || v->type == ONNX_DOUBLE);

    for (size_t i = 0; ok && i < v->count; i++) {
        ok = fabsf(v->v[i]) <= 65504;
    }
    return ok;
}

/* Every output within 2e-3 of its number and of the largest one. */
static enum result compare(const struct onnx_value *want, const float *got, char *text, size_t size)
{
    float largest = 1e-6f, worst = 0;

    for (size_t i = 0; i < want->count; i++) {
        largest = fmaxf(largest, fabsf(want->v[i]));
    }
    for (size_t i = 0; i < want->count; i++) {
        float e = fabsf(want->v[i] - got[i]) / (2e-3f * (fabsf(want->v[i]) + largest));

        if (!(e <= worst)) {
            worst = e;
            snprintf(text, size, "[%zu] is %g, expected %g", i, (double)got[i], (double)want->v[i]);
        }
    }
    if (worst <= 1) {
        *text = '\0';
    }
    return worst <= 1 ? PASS : WRONG;
}

static enum result run(const struct onnx_import *im, GHashTable *inputs, struct onnx_value **want,
                       char *text, size_t size)
{
    GError *error = NULL;
    size_t len;
    gchar *bytes = (gchar *)build_description(im->description, "model", im->data, &len, &error);
    struct dla_exec *e = bytes ? dla_exec_open(g_memdup2(bytes, len), len, &error) : NULL;
    g_autofree char *why = bytes ? limits_of_loadable(bytes, len) : NULL;
    enum result result = !e ? REFUSED : why ? WRONG : PASS;

    free(bytes);
    if (why) {
        g_snprintf(text, size, "%s", why);
    }
    for (guint o = 0; e && o < im->outputs->len && result == PASS; o++) {
        const struct onnx_end *out = im->outputs->pdata[o];
        size_t n = (size_t)out->cube[0] * out->cube[1] * out->cube[2];
        float *got = g_new0(float, (size_t)out->runs *n + 1);

        for (int64_t r = 0; r < out->runs && !error; r++) {
            for (guint i = 0; i < im->inputs->len && !error; i++) {
                const struct onnx_end *in = im->inputs->pdata[i];
                const struct onnx_value *v = g_hash_table_lookup(inputs, in->name);
                size_t some = (size_t)in->cube[0] * in->cube[1] * in->cube[2];

                dla_exec_put(e, i, v->v + (in->runs > 1 ? (size_t)r * some : 0), some, &error);
            }
            if (!error && dla_exec_run(e, &error)) {
                dla_exec_get(e, o, got + (size_t)r * n, n, &error);
            }
        }
        if (!error && (!want[o] || want[o]->count != (size_t)out->runs * n)) {
            snprintf(text, size, "%zu numbers, not %zu", (size_t)out->runs * n,
                     want[o] ? want[o]->count : 0);
            result = WRONG;
        } else if (!error) {
            result = compare(want[o], got, text, size);
        }
        g_free(got);
        result = error ? WRONG : result;
    }
    if (error) {
        g_strlcpy(text, error->message, size);
        g_error_free(error);
    }
    if (e) {
        dla_exec_close(e);
    }
    return result;
}

static enum result model_run(const struct onnx_model *m, const char *folder, char *text,
                             size_t size)
{
    GHashTable *constants =
        g_hash_table_new_full(g_str_hash, g_str_equal, NULL, (GDestroyNotify)onnx_value_unref);
    GHashTable *inputs =
        g_hash_table_new_full(g_str_hash, g_str_equal, NULL, (GDestroyNotify)onnx_value_unref);
    struct onnx_options options = { .constants = constants };
    struct onnx_value *want[ONNX_MAX_ENDS] = { 0 };
    enum result result = OTHER;
    gboolean floats = TRUE;
    unsigned at = 0;

    for (size_t i = 0; i < m->graph->n_input; i++) {
        const char *name = m->graph->input[i]->name;
        gboolean initial = FALSE;
        struct onnx_value *v;

        for (size_t k = 0; k < m->graph->n_initializer; k++) {
            initial = initial || strcmp(m->graph->initializer[k]->name, name) == 0;
        }
        v = initial ? NULL : tensor(folder, "input", at++);
        if (v && is_parameter(m, name)) {
            g_hash_table_insert(constants, (char *)name, v);
        } else if (!initial) {
            floats = floats && float_type(v);
            if (v) {
                g_hash_table_insert(inputs, (char *)name, v);
            }
        }
    }
    for (size_t i = 0; i < m->graph->n_output && i < ONNX_MAX_ENDS; i++) {
        want[i] = tensor(folder, "output", (unsigned)i);
        floats = floats && float_type(want[i]);
    }
    if (floats) {
        GError *error = NULL;
        struct onnx_import *im = onnx_import(m, &options, &error);

        result = im ? run(im, inputs, want, text, size) : REFUSED;
        if (error) {
            const char *what = strstr(error->message, ".onnx: ");

            g_strlcpy(text, what ? what + 7 : error->message, size);
            g_error_free(error);
        }
        onnx_import_free(im);
    }
    for (unsigned i = 0; i < ONNX_MAX_ENDS; i++) {
        onnx_value_unref(want[i]);
    }
    g_hash_table_unref(constants);
    g_hash_table_unref(inputs);
    return result;
}

static gboolean in_scope(const struct onnx_model *m)
{
    for (size_t i = 0; i < m->graph->n_node; i++) {
        if (desc_word_find(OPS, m->graph->node[i]->op_type) < 0) {
            return FALSE;
        }
    }
    return TRUE;
}

static void model(const char *data, const char *name, unsigned *counts)
{
    g_autofree char *folder = g_build_filename(data, name, NULL),
                    *path = g_build_filename(folder, "model.onnx", NULL);
    struct onnx_model *m;
    char text[256] = "";
    gchar *bytes;
    gsize len;

    if (!g_file_get_contents(path, &bytes, &len, NULL)) {
        return;
    }
    m = onnx_model_read(path, (uint8_t *)bytes, len, NULL);
    g_free(bytes);
    if (m && in_scope(m)) {
        enum result r = model_run(m, folder, text, sizeof(text));

        counts[r]++;
        printf("%-10s %-50s %s\n", result_name[r], name, text);
        fflush(stdout);
    }
    onnx_model_free(m);
}

static int by_name(gconstpointer a, gconstpointer b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void folder_run(const char *data, const char *sub, unsigned *counts)
{
    g_autofree char *folder = g_build_filename(data, sub, NULL);
    GDir *dir = g_dir_open(folder, 0, NULL);
    GPtrArray *names = g_ptr_array_new_with_free_func(g_free);
    const char *name;

    while (dir && (name = g_dir_read_name(dir))) {
        g_ptr_array_add(names, g_strdup(name));
    }
    g_ptr_array_sort(names, by_name);
    for (guint i = 0; i < names->len; i++) {
        model(folder, names->pdata[i], counts);
    }
    g_ptr_array_free(names, TRUE);
    if (dir) {
        g_dir_close(dir);
    }
}

int main(int argc, char **argv)
{
    static const char *const subs[] = { "node", "pytorch-converted", "pytorch-operator", "simple" };
    unsigned counts[RESULTS] = { 0 }, least = 226;

    if (argc < 2 || !g_file_test(argv[1], G_FILE_TEST_IS_DIR)) {
        printf("skipped: no models (Debian: libonnx-testdata)\n");
        return 77;
    }
    for (int i = 2; i < argc; i++) {
        model(argv[1], argv[i], counts);
    }
    for (size_t i = 0; i < G_N_ELEMENTS(subs) && argc == 2; i++) {
        folder_run(argv[1], subs[i], counts);
    }
    printf("%u pass, %u wrong, %u refused, %u of other data types\n", counts[PASS], counts[WRONG],
           counts[REFUSED], counts[OTHER]);
    return argc == 2 && (counts[WRONG] || counts[PASS] < least);
}
