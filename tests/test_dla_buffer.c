/* SPDX-License-Identifier: MIT */
/* What fits into the buffers on the chip, and what the DLA does with a layer that does not.
 * Expected entries are counted by hand from nvdla/doc; the third network is that of a user of
 * NVIDIA/TensorRT (issue 3499) whose layer the compiler refuses. */
#include "dlabuild/build.h"
#include "model/dla/buffer.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "suite.h"
#include "tools/dla/dla_exec.h"

static const struct dla_config *config(const char *name)
{
    return dla_config_find(name);
}

START_TEST(entries_of_a_line)
{
    const struct dla_config *full = config("nv_full"), *small = config("nv_small");

    /* nv_full: 128 bytes hold four atoms of a pixel, 32 channels of int8 or 16 of fp16 each. */
    ck_assert_uint_eq(dla_cbuf_line(full, 700, 512, 1, false), 4 * 700);
    ck_assert_uint_eq(dla_cbuf_line(full, 8, 32, 1, false), 2);
    ck_assert_uint_eq(dla_cbuf_line(full, 8, 64, 1, false), 4);
    ck_assert_uint_eq(dla_cbuf_line(full, 8, 96, 1, false), 8); /* three: an entry a pixel */
    ck_assert_uint_eq(dla_cbuf_line(full, 8, 80, 2, false), 8 + 2);
    ck_assert_uint_eq(dla_cbuf_line(full, 224, 4, 1, true), 7);
    /* nv_small: an entry is an atom. The published CONV loadable: 128 entries, 8 lines, 2 banks. */
    ck_assert_uint_eq(dla_cbuf_line(small, 8, 128, 1, false), 128);
    ck_assert_uint_eq(dla_cbuf_banks(small, 128 * 8), 2);
}
END_TEST

START_TEST(columns_of_a_pool)
{
    ck_assert_uint_eq(dla_pool_columns(config("nv_full"), 2, 2), 128);
    ck_assert_uint_eq(dla_pool_columns(config("nv_small"), 2, 2), 512);
    ck_assert_uint_eq(dla_pool_columns(config("nv_full"), 3, 2), 64);
}
END_TEST

static uint8_t *build(const char *text, size_t *len, GError **error)
{
    JsonParser *parser = json_parser_new();
    uint8_t *out;

    ck_assert(json_parser_load_from_data(parser, text, -1, NULL));
    out = build_description(json_parser_get_root(parser), "net", NULL, len, error);
    g_object_unref(parser);
    return out;
}

/* Operations of @type in a description; @change: done to each of them before the network runs.
 * Return: how many; @ran: did the network run to its end, @why: if not. */
static unsigned operations(const char *text, enum desc_op type, void (*change)(uint8_t *op),
                           gboolean *ran, char **why)
{
    GError *error = NULL;
    size_t len;
    uint8_t *bytes = build(text, &len, &error);
    struct dla_net_file *f;
    struct dla_exec *e;
    struct dla_net net;
    unsigned count = 0;

    ck_assert_msg(bytes != NULL, "%s", error ? error->message : "");
    f = dla_net_from_bytes("net", g_memdup2(bytes, len), len, NULL);
    ck_assert(dla_net_init(&net, f, 0, NULL));
    for (unsigned i = 0; i < net.operations; i++) {
        if (dla_net_op(&net, i) == type) {
            const uint8_t *op = dla_net_operation(&net, i);

            count++;
            for (size_t at = 0; change && at + DESC_OPERATION_BYTES <= len; at++) {
                if (memcmp(bytes + at, op, DESC_OPERATION_BYTES) == 0) {
                    change(bytes + at);
                    break;
                }
            }
        }
    }
    dla_net_free(&net);
    dla_net_close(f);
    e = dla_exec_open(g_memdup2(bytes, len), len, NULL);
    *ran = dla_exec_run(e, &error);
    *why = error ? g_strdup(error->message) : NULL;
    g_clear_error(&error);
    dla_exec_close(e);
    free(bytes);
    return count;
}

START_TEST(a_layer_that_no_split_helps_is_refused)
{
    GError *error = NULL;
    size_t len;

    /* 2,800 entries a line, three lines for the window: 8,400 of 4,096 */
    ck_assert_ptr_null(build(
        "{ \"input\": { \"name\": \"in\", \"shape\": [512, 8, 700] }, \"layers\": [ { \"name\": "
        "\"out\", \"type\": \"conv\", \"kernels\": 16, \"size\": 3, \"pad\": 1, \"weights\": "
        "{\"seed\": 1} } ] }",
        &len, &error));
    ck_assert_ptr_nonnull(
        strstr(error->message, "do not fit into the convolution buffer of nv_full"));
    g_clear_error(&error);
}
END_TEST

#define LARGE                                                                                     \
    "{ \"input\": { \"name\": \"in\", \"shape\": [64, 112, 112] }, \"layers\": [ { \"name\": "    \
    "\"out\", "                                                                                   \
    "\"type\": \"conv\", \"kernels\": 16, \"size\": 3, \"pad\": 1, \"weights\": {\"seed\": 1} } " \
    "] }"

START_TEST(a_large_layer_is_split_along_its_height)
{
    gboolean ran;
    char *why;

    /* 56 entries a line: 73 of 112 lines lie in the buffer beside the kernels */
    ck_assert_uint_eq(operations(LARGE, DESC_OP_CONV, NULL, &ran, &why), 2);
    ck_assert_msg(ran, "%s", why);
}
END_TEST

static void fewer_banks(uint8_t *op)
{
    DESC_PUT(op, CONV, data_bank, 3);
}

START_TEST(a_convolution_whose_banks_are_too_few_hangs)
{
    gboolean ran;
    char *why;

    operations(LARGE, DESC_OP_CONV, fewer_banks, &ran, &why);
    ck_assert(!ran);
    ck_assert_msg(strstr(why, "data_bank") != NULL, "%s", why);
    ck_assert_ptr_nonnull(strstr(why, "the hardware hangs"));
    g_free(why);
}
END_TEST

#define COMPRESSED                                                                         \
    "{ \"input\": { \"name\": \"in\", \"shape\": [32, 8, 8] }, \"layers\": [ { \"name\": " \
    "\"out\", "                                                                            \
    "\"type\": \"conv\", \"kernels\": 16, \"size\": 3, \"pad\": 1, \"compress\": true, "   \
    "\"weights\": "                                                                        \
    "{\"seed\": 1} } ] }"

static void all_banks(uint8_t *op)
{
    DESC_PUT(op, CONV, weight_bank, 15); /* with the input's all 16 of nv_full */
}

/* nvdla/hw: the mask of compressed weights is read from the last bank. */
START_TEST(compressed_weights_leave_a_bank_for_their_mask)
{
    gboolean ran;
    char *why;

    ck_assert_uint_eq(operations(COMPRESSED, DESC_OP_CONV, NULL, &ran, &why), 1);
    ck_assert_msg(ran, "%s", why);
    operations(COMPRESSED, DESC_OP_CONV, all_banks, &ran, &why);
    ck_assert(!ran);
    ck_assert_ptr_nonnull(strstr(why, "the hardware hangs"));
    g_free(why);
}
END_TEST

#define WIDE                                                                                \
    "{ \"input\": { \"name\": \"in\", \"shape\": [8, 4, 600] }, \"layers\": [ { \"name\": " \
    "\"out\", "                                                                             \
    "\"type\": \"pool\", \"method\": \"max\", \"size\": 2, \"stride\": 2 } ] }"

static void whole_width(uint8_t *op)
{
    DESC_PUT(op, PDP, split_num, 1);
    DESC_PUT(op, PDP, partial_width_first, 300);
}

START_TEST(a_wide_pool_is_split_and_hangs_otherwise)
{
    gboolean ran;
    char *why;

    ck_assert_uint_eq(operations(WIDE, DESC_OP_PDP, NULL, &ran, &why), 1);
    ck_assert_msg(ran, "%s", why);
    operations(WIDE, DESC_OP_PDP, whole_width, &ran, &why);
    ck_assert(!ran);
    ck_assert_msg(strstr(why, "300") != NULL, "%s", why);
    g_free(why);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("dla_buffer");
    TCase *t = tcase_create("limits");

    tcase_add_test(t, entries_of_a_line);
    tcase_add_test(t, columns_of_a_pool);
    tcase_add_test(t, a_layer_that_no_split_helps_is_refused);
    tcase_add_test(t, a_large_layer_is_split_along_its_height);
    tcase_add_test(t, a_convolution_whose_banks_are_too_few_hangs);
    tcase_add_test(t, compressed_weights_leave_a_bank_for_their_mask);
    tcase_add_test(t, a_wide_pool_is_split_and_hangs_otherwise);
    tcase_set_timeout(t, 60);
    suite_add_tcase(s, t);
    return suite_main(s);
}
