/* SPDX-License-Identifier: MIT */
/* Loadables of the builder keep the limits of an NVDLA, and the checker (dla/limits.c) misses no
 * field that leaves them: each field of each operation is pushed beyond its limit, one at a time.
 */
#include <check.h>
#include <json-glib/json-glib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dla/limits.h"
#include "dlabuild/build.h"
#include "suite.h"

/* Sizes at which the builder has to split: along lines, kernels, and columns of a pool. */
#define LARGE                                                                             \
    "{ 'input': { 'name': 'x', 'shape': [64, 96, 320] }, 'layers': [ "                    \
    "{ 'name': 'a', 'type': 'conv', 'kernels': 96, 'size': 5, 'pad': 2, "                 \
    "  'weights': { 'seed': 1 }, 'output': { 'shift': 9 } },"                             \
    "{ 'name': 'b', 'type': 'pool', 'method': 'max', 'size': 3, 'stride': 1, 'pad': 1 }," \
    "{ 'name': 'c', 'type': 'conv', 'kernels': 96, 'size': 3, 'groups': 32, "             \
    "  'weights': { 'seed': 2 }, 'output': { 'shift': 9 } } ] }"
#define FLOATS                                                                                    \
    "{ 'precision': 'fp16', 'input': { 'name': 'x', 'shape': [4, 40, 64] }, 'layers': [ "         \
    "{ 'name': 'a', 'type': 'pool', 'method': 'average', 'size': 2, 'stride': 2 },"               \
    "{ 'name': 'b', 'type': 'upsample', 'factor': 2 }, { 'name': 'e', 'type': 'pool', 'method': " \
    "'max', "                                                                                     \
    "'size': 2, 'stride': 2 },"                                                                   \
    "{ 'name': 'c', 'type': 'lrn', 'size': 5, 'range': 4 },"                                      \
    "{ 'name': 'd', 'type': 'fully_connected', 'kernels': 24, 'compress': true, 'weights': { "    \
    "'seed': 1 } } ] }"

static const char *const networks[] = {
    NETWORKS "/int8.json",
    NETWORKS "/int16.json",
    NETWORKS "/fp16.json",
    NETWORKS "/groups.json",
    NETWORKS "/groups16.json",
    NETWORKS "/nv_small.json",
    NETWORKS "/winograd.json",
    SCENARIOS "/detector/network.json",
    SCENARIOS "/cudla_hybrid/network.json",
    LARGE,
    FLOATS,
};

static uint8_t *built(const char *network, size_t *len)
{
    g_autofree char *text = NULL;
    g_autofree char *folder = g_path_get_dirname(network);
    JsonParser *parser = json_parser_new();
    GError *error = NULL;
    uint8_t *bytes;

    if (*network == '/') {
        ck_assert(g_file_get_contents(network, &text, NULL, NULL));
    } else {
        text = g_strdelimit(g_strdup(network), "'", '"');
    }
    ck_assert(json_parser_load_from_data(parser, text, -1, NULL));
    bytes = build_description(json_parser_get_root(parser), folder, NULL, len, &error);
    ck_assert_msg(bytes != NULL, "%s: %s", network, error ? error->message : "");
    g_object_unref(parser);
    return bytes;
}

START_TEST(the_builder_keeps_the_limits)
{
    size_t len;
    uint8_t *bytes = built(networks[_i], &len);
    char *why = limits_of_loadable(bytes, len);

    ck_assert_msg(!why, "%s: %s", networks[_i], why);
    free(bytes);
}
END_TEST

/* A value beyond the limit of a field, wherever it is now. ONE_MORE: the field has one right value.
 */
enum { ONE_MORE = -1 };

static const struct {
    enum desc_op op;
    const char *field;
    int64_t value;
} beyond[] = {
    { DESC_OP_CONV, "conv_mode", 2 },
    { DESC_OP_CONV, "entry_per_slice", ONE_MORE },
    { DESC_OP_CONV, "data_format", 37 },
    { DESC_OP_CONV, "fetch_grain", 0 },
    { DESC_OP_CONV, "batch", 2 },
    { DESC_OP_CONV, "weight_format", 2 },
    { DESC_OP_CONV, "data_bank", 0 },
    { DESC_OP_CONV, "data_bank", 33 },
    { DESC_OP_CONV, "data_bank", ONE_MORE },
    { DESC_OP_CONV, "weight_bank", 0 },
    { DESC_OP_CONV, "weight_bank", 33 },
    { DESC_OP_CONV, "weight_bank", ONE_MORE },
    { DESC_OP_CONV, "release", 0 },
    { DESC_OP_CONV, "release", ONE_MORE },
    { DESC_OP_CONV, "input_width_csc", ONE_MORE },
    { DESC_OP_CONV, "input_height_csc", ONE_MORE },
    { DESC_OP_CONV, "input_channel_csc", ONE_MORE },
    { DESC_OP_CONV, "kernel_width_csc", 33 },
    { DESC_OP_CONV, "kernel_height_csc", 33 },
    { DESC_OP_CONV, "kernel_channel_csc", ONE_MORE },
    { DESC_OP_CONV, "input_width_cmac", ONE_MORE },
    { DESC_OP_CONV, "input_height_cmac", ONE_MORE },
    { DESC_OP_CONV, "bytes_per_kernel", ONE_MORE },
    { DESC_OP_CONV, "stride_x", 0 },
    { DESC_OP_CONV, "stride_x", 9 },
    { DESC_OP_CONV, "stride_y", 0 },
    { DESC_OP_CONV, "stride_y", 9 },
    { DESC_OP_CONV, "pad_left", 32 },
    { DESC_OP_CONV, "pad_right", 32 },
    { DESC_OP_CONV, "pad_top", 32 },
    { DESC_OP_CONV, "pad_bottom", 32 },
    { DESC_OP_CONV, "dilation_x", 0 },
    { DESC_OP_CONV, "dilation_x", 33 },
    { DESC_OP_CONV, "dilation_y", 0 },
    { DESC_OP_CONV, "dilation_y", 33 },
    { DESC_OP_CONV, "in_precision", 3 },
    { DESC_OP_CONV, "out_precision", 3 },
    { DESC_OP_CONV, "in_cvt_truncate", 64 },
    { DESC_OP_CONV, "out_cvt_truncate", 32 },
    { DESC_OP_SDP, "src_precision", 3 },
    { DESC_OP_SDP, "dst_precision", 3 },
    { DESC_OP_SDP, "lut_index", 1000 },
    { DESC_OP_SDP, "out_cvt_truncate", 64 },
    { DESC_OP_SDP, "conv_mode", 2 },
    { DESC_OP_SDP, "batch_num", 2 },
    { DESC_OP_SDP, "x1_enable", 2 },
    { DESC_OP_SDP, "x1_alu_type", 4 },
    { DESC_OP_SDP, "x1_type", 4 },
    { DESC_OP_SDP, "x1_mode", 3 },
    { DESC_OP_SDP, "x1_act", 4 },
    { DESC_OP_SDP, "x1_shift", 64 },
    { DESC_OP_SDP, "x1_precision", 3 },
    { DESC_OP_SDP, "x2_type", 4 },
    { DESC_OP_SDP, "x2_mode", 3 },
    { DESC_OP_SDP, "x2_shift", 64 },
    { DESC_OP_SDP, "y_type", 4 },
    { DESC_OP_SDP, "y_mode", 3 },
    { DESC_OP_SDP, "y_act", 4 },
    { DESC_OP_SDP, "y_precision", 3 },
    { DESC_OP_PDP, "partial_in_width_first", ONE_MORE },
    { DESC_OP_PDP, "partial_width_first", ONE_MORE },
    { DESC_OP_PDP, "partial_width_first", 1025 },
    { DESC_OP_PDP, "split_num", 0 },
    { DESC_OP_PDP, "pool_mode", 3 },
    { DESC_OP_PDP, "pool_width_minus_1", 8 },
    { DESC_OP_PDP, "pool_height_minus_1", 8 },
    { DESC_OP_PDP, "stride_x", 0 },
    { DESC_OP_PDP, "stride_x", 17 },
    { DESC_OP_PDP, "stride_y", 0 },
    { DESC_OP_PDP, "stride_y", 17 },
    { DESC_OP_PDP, "pad_left", 8 },
    { DESC_OP_PDP, "pad_right", 8 },
    { DESC_OP_PDP, "pad_top", 8 },
    { DESC_OP_PDP, "pad_bottom", 8 },
    { DESC_OP_PDP, "precision", 3 },
    { DESC_OP_CDP, "in_precision", 3 },
    { DESC_OP_CDP, "out_precision", 3 },
    { DESC_OP_CDP, "local_size", 4 },
    { DESC_OP_CDP, "local_size", 11 },
    { DESC_OP_CDP, "lut_index", 1000 },
    { DESC_OP_RUBIK, "mode", 3 },
    { DESC_OP_RUBIK, "precision", 3 },
    { DESC_OP_RUBIK, "stride_x", 0 },
    { DESC_OP_RUBIK, "stride_x", 33 },
    { DESC_OP_RUBIK, "stride_y", 0 },
    { DESC_OP_RUBIK, "stride_y", 33 },
};

/**
 * struct mutants - what the checker made of them
 * @net: with one field that is wrong at a time
 */
struct mutants {
    const char *network;
    struct dla_net *net;
    unsigned count, missed;
};

static void judge(struct mutants *m, unsigned i, const char *field, int64_t value)
{
    char *why = limits_of_net(m->net);

    m->count++;
    if (!why) {
        m->missed++;
        fprintf(stderr, "%.40s: operation %u: %s = %" G_GINT64_FORMAT " is not found\n", m->network,
                i, field, value);
    }
    g_free(why);
}

/* The bytes that dla_net hands out as constants are those of the file in memory. */
static void mutate(struct mutants *m, unsigned i, const uint8_t *at, unsigned bytes, int64_t value,
                   const char *field)
{
    uint8_t old[8], *to = (uint8_t *)(uintptr_t)at;
    int64_t was = desc_get(at, bytes, false);

    memcpy(old, at, bytes);
    desc_put(to, bytes, value == ONE_MORE ? was + 1 : value);
    if (memcmp(old, at, bytes) != 0) {
        judge(m, i, field, desc_get(at, bytes, false));
    }
    memcpy(to, old, bytes);
}

static void fields_mutate(struct mutants *m, unsigned i)
{
    enum desc_op op = dla_net_op(m->net, i);
    size_t count;
    const struct desc_field *field = desc_fields(desc_op_kind(op), &count);

    for (size_t k = 0; k < G_N_ELEMENTS(beyond); k++) {
        for (size_t f = 0; f < count && beyond[k].op == op; f++) {
            if (strcmp(field[f].name, beyond[k].field) == 0) {
                mutate(m, i, dla_net_operation(m->net, i) + field[f].offset, field[f].bytes,
                       beyond[k].value, beyond[k].field);
            }
        }
    }
}

/* Fields of a cube in memory: each beyond what is allocated, or beside the atoms. */
static void cube_mutate(struct mutants *m, unsigned i, unsigned n, const char *name)
{
    uint8_t *surface = (uint8_t *)(uintptr_t)dla_net_surface(m->net, i);
    gboolean image = dla_net_op(m->net, i) == DESC_OP_CONV &&
                     DESC_GETU(dla_net_operation(m->net, i), CONV, data_format) != DESC_FEATURE;
    struct desc_cube c;

    desc_cube_get(surface, n, m->net->cube_bytes, &c);
    for (int k = 0; k < 9; k++) {
        struct desc_cube bad = c;

        switch (k) {
        case 0:
            bad.address = (int)m->net->addresses;
            break;
        case 1:
            bad.address = -1;
            break;
        case 2:
            bad.size = (uint32_t)m->net->size[c.address] + 1;
            break;
        case 3:
            bad.size = 0;
            break;
        case 4:
            bad.type = 3;
            break;
        case 5:
            bad.width = 8193;
            break;
        case 6:
            bad.height = 8193;
            break;
        case 7:
            bad.line_stride++;
            break;
        default:
            bad.surf_stride++;
            break;
        }
        if (k > 4 && (c.surf_stride == 0 || (k == 8 && image))) {
            continue; /* weights, operands of a number for each channel; an image has no surfaces */
        }
        desc_cube_put(surface, n, m->net->cube_bytes, &bad);
        judge(m, i, name, k);
    }
    desc_cube_put(surface, n, m->net->cube_bytes, &c);
}

/* Weights of whole 64 bytes but not of 128, in a memory that has room for them. */
static void weights_mutate(struct mutants *m, unsigned i)
{
    uint8_t *surface = (uint8_t *)(uintptr_t)dla_net_surface(m->net, i);
    struct desc_cube c, bad;

    desc_cube_get(surface, 0, m->net->cube_bytes, &c);
    bad = c;
    bad.size += 64;
    m->net->size[c.address] += 64;
    desc_cube_put(surface, 0, m->net->cube_bytes, &bad);
    judge(m, i, "bytes of the weights", bad.size);
    desc_cube_put(surface, 0, m->net->cube_bytes, &c);
    m->net->size[c.address] -= 64;
}

static void cubes_mutate(struct mutants *m, unsigned i)
{
    enum desc_op op = dla_net_op(m->net, i);

    for (unsigned n = 0; n < 5 && desc_surface_name(op, n); n++) {
        struct desc_cube c;

        desc_cube_get(dla_net_surface(m->net, i), n, m->net->cube_bytes, &c);
        if (c.size > 0 && c.type == 0) {
            cube_mutate(m, i, n, desc_surface_name(op, n));
        }
    }
}

static void graph_mutate(struct mutants *m, unsigned i)
{
    const uint8_t *common = dla_net_common(m->net, i);

    mutate(m, i, common + DESC_AT_COMMON_index, 2, ONE_MORE, "index");
    mutate(m, i, common + DESC_AT_COMMON_dependency_count, 1, ONE_MORE, "dependency_count");
    for (unsigned k = 0; k < DESC_OPS + 1u; k++) {
        const uint8_t *at = common + DESC_AT_COMMON_bdma_index + 4 * (size_t)k;

        mutate(m, i, at, 2, m->net->operations, "notified operation");
        if (desc_get(at, 2, true) >= 0) {
            mutate(m, i, at + 2, 1, 6, "event");
        }
    }
}

START_TEST(no_field_beyond_a_limit_is_missed)
{
    struct mutants m = { .network = networks[_i] };
    GError *error = NULL;
    struct dla_net net;
    struct dla_net_file *f;
    size_t len;
    uint8_t *bytes = built(m.network, &len);

    f = dla_net_from_bytes("net", g_memdup2(bytes, len), len, &error);
    ck_assert(f && dla_net_init(&net, f, 0, &error));
    m.net = &net;
    for (unsigned i = 0; i < net.operations; i++) {
        fields_mutate(&m, i);
        cubes_mutate(&m, i);
        if (dla_net_op(&net, i) == DESC_OP_CONV) {
            weights_mutate(&m, i);
        }
        graph_mutate(&m, i);
    }
    printf("%.60s: %u operations, %u mutants, %u missed\n", m.network, net.operations, m.count,
           m.missed);
    ck_assert_uint_gt(m.count, 100);
    ck_assert_uint_eq(m.missed, 0);
    dla_net_free(&net);
    dla_net_close(f);
    free(bytes);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("dla_limits");
    TCase *t = tcase_create("limits");

    tcase_set_timeout(t, 120);
    tcase_add_loop_test(t, the_builder_keeps_the_limits, 0, (int)G_N_ELEMENTS(networks));
    tcase_add_loop_test(t, no_field_beyond_a_limit_is_missed, 0, (int)G_N_ELEMENTS(networks));
    suite_add_tcase(s, t);
    return suite_main(s);
}
