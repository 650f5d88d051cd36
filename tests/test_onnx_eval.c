/* SPDX-License-Identifier: MIT */
/* The float reference against the published operator models of ONNX (Debian: libonnx-testdata),
 * whose expected outputs come from the format's own reference. */
#include "dlabuild/onnx/eval.h"

#include <check.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "suite.h"

#define DATA "/usr/share/libonnx-testdata/data/node"

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

/* 1: right, 0: wrong, -1: not computed */
static int model(const char *name)
{
    g_autofree char *folder = g_build_filename(DATA, name, NULL),
                    *path = g_build_filename(folder, "model.onnx", NULL);
    struct onnx_call c = { 0 };
    struct onnx_model *m;
    gchar *bytes;
    gsize len;
    int right = -1;

    if (!g_file_get_contents(path, &bytes, &len, NULL)) {
        return -1;
    }
    m = onnx_model_read(path, (uint8_t *)bytes, len, NULL);
    g_free(bytes);
    if (m && m->graph->n_node == 1 && m->graph->n_output == 1) {
        unsigned at = 0;

        c.node = m->graph->node[0];
        c.opset = m->opset;
        c.ins = (unsigned)c.node->n_input;
        for (unsigned i = 0; i < c.ins; i++) {
            c.in[i] = *c.node->input[i] ? tensor(folder, "input", at++) : NULL;
        }
        if (onnx_eval(&c)) {
            struct onnx_value *want = tensor(folder, "output", 0);

            right = want ? want->count == c.out[0]->count && want->rank == c.out[0]->rank : -1;
            for (size_t i = 0; right == 1 && i < want->count; i++) {
                float d = fabsf(want->v[i] - c.out[0]->v[i]);

                right = d <= 1e-3f + 1e-3f * fabsf(want->v[i]) || want->v[i] == c.out[0]->v[i] ||
                        (isnan(want->v[i]) && isnan(c.out[0]->v[i]));
            }
            onnx_value_unref(want);
            if (right == 0) {
                printf("wrong: %s\n", name);
            }
        } else if (onnx_eval_known(c.node->op_type)) {
            printf("not computed: %s: %s\n", name, c.why);
        }
        for (unsigned i = 0; i < ONNX_MAX_ENDS; i++) {
            onnx_value_unref(c.out[i]);
            onnx_value_unref(c.in[i]);
        }
    }
    onnx_model_free(m);
    return right;
}

START_TEST(published_operators_give_the_published_outputs)
{
    GDir *dir = g_dir_open(DATA, 0, NULL);
    unsigned right = 0, wrong = 0;
    const char *name;

    while (dir && (name = g_dir_read_name(dir))) {
        /* bfloat16 lies in the files as uint16 */
        int r = strstr(name, "BFLOAT16") ? -1 : model(name);

        right += r == 1;
        wrong += r == 0;
    }
    if (dir) {
        g_dir_close(dir);
        printf("%u right, %u wrong\n", right, wrong);
        ck_assert_uint_eq(wrong, 0);
        ck_assert_uint_ge(right, 350);
    }
}
END_TEST

int main(void)
{
    Suite *s = suite_create("onnx_eval");
    TCase *t = tcase_create("published");

    tcase_set_timeout(t, 120);
    tcase_add_test(t, published_operators_give_the_published_outputs);
    suite_add_tcase(s, t);
    return suite_main(s);
}
