/* SPDX-License-Identifier: MIT */
/* Task descriptors: small networks built by hand, in order, damaged, and looping. Layouts are
 * written out from nvdla/sw dla_interface.h. */
#include "model/dla/desc.h"
#include "tests/dla/rig.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Addresses of the task: 0 network, 1 operations, 2 surfaces, 3 graph, 4 tables, 5.. buffers A B C.
 */
enum { NET, OPS, SURF, GRAPH, LUTS, A, B, C, COUNT };
#define IOVA(i) (UINT64_C(0x100000) * ((i) + 1))

static struct rig rig;
static uint8_t net[40], ops[4][116], surf[4][644], graph[4][36];
static uint64_t address[COUNT], size[COUNT];
static struct dla_task task;
static struct dla_stats stats;
static struct dla_task_error error;
static char text[256], order[64];

static void put16(uint8_t *b, int v)
{
    b[0] = (uint8_t)v;
    b[1] = (uint8_t)(v >> 8);
}

static void put32(uint8_t *b, uint32_t v)
{
    put16(b, (int)(v & 0xffff));
    put16(b + 2, (int)(v >> 16));
}

static void note(void *opaque, unsigned index, enum dla_op_type type)
{
    size_t n = strlen(order);

    (void)opaque;
    snprintf(order + n, sizeof(order) - n, "%u:%d ", index, (int)type);
}

/* An empty network of @count operations. */
static void setup(void)
{
    rig_init(&rig);
    memset(net, 0, sizeof(net));
    memset(ops, 0, sizeof(ops));
    memset(surf, 0, sizeof(surf));
    memset(graph, 0, sizeof(graph));
    memset(&stats, 0, sizeof(stats));
    order[0] = '\0';
    put16(net, OPS);
    put16(net + 2, SURF);
    put16(net + 4, GRAPH);
    put16(net + 6, LUTS);
    for (int i = 0; i < 6; i++) {
        put16(net + 16 + 2 * i, -1);
    }
    put16(net + 28, 1); /* regions of interest */
    for (int i = 0; i < 4; i++) {
        for (int k = 0; k < 7; k++) {
            put16(graph[i] + 8 + 4 * k, -1);
        }
    }
    for (int i = 0; i < COUNT; i++) {
        address[i] = IOVA(i);
        size[i] = 0;
    }
    for (int i = A; i < COUNT; i++) {
        rig_map(&rig, IOVA(i), 0x1000);
    }
    task = (struct dla_task){ address, size, COUNT, 32, note, NULL };
}

static void teardown(void)
{
    rig_free(&rig);
}

/* BDMA operation @i: 32 bytes from buffer @from to buffer @to. */
static void bdma(int i, int from, int to)
{
    graph[i][3] = DLA_OP_BDMA;
    put16(ops[i], 1);
    put16(surf[i] + 2, 1);
    put16(surf[i] + 4, from);
    put16(surf[i] + 6, to);
    put32(surf[i] + 8, 32);
    put32(surf[i] + 12, 1);
    put32(surf[i] + 24, 1);
}

static void cube(uint8_t *b, int buffer, uint32_t offset, int channels)
{
    put16(b + 2, buffer);
    if (task.cube_bytes == 32) {
        put32(b + 4, offset);
        b += 4;
    }
    put16(b + 8, 1);
    put16(b + 10, 1);
    put16(b + 12, channels);
    put32(b + 16, 32);
    put32(b + 20, 32);
    put32(b + 24, 32);
}

/* RUBIK operation @i: contracts one pixel of 32 int8 channels: a copy. */
static void rubik(int i, int from, uint32_t offset, int to)
{
    graph[i][3] = DLA_OP_RUBIK;
    ops[i][2] = ops[i][3] = 1;
    cube(surf[i], from, offset, 32);
    cube(surf[i] + task.cube_bytes, to, 0, 32);
}

static void head(enum dla_op_type type, int op)
{
    put16(net + 16 + 2 * (int)type, op);
}

/* @op tells @to when @event happens. */
static void tells(int op, int slot, int to, int event)
{
    put16(graph[op] + 8 + 4 * slot, to);
    graph[op][8 + 4 * slot + 2] = (uint8_t)event;
}

static enum dla_status run(int count)
{
    enum dla_status status;

    put16(net + 30, count);
    rig_put(&rig, IOVA(NET), net, sizeof(net));
    rig_put(&rig, IOVA(OPS), ops, sizeof(ops));
    rig_put(&rig, IOVA(SURF), surf, sizeof(surf));
    rig_put(&rig, IOVA(GRAPH), graph, sizeof(graph));
    status = dla_task_run(dla_config_find("nv_full"), &rig.port, &task, &stats, &error);
    dla_task_error_format(&error, text, sizeof(text));
    return status;
}

START_TEST(operations_wait_for_their_dependencies)
{
    char out[32];

    rig_put(&rig, IOVA(A), "from A, through B, to C........", 32);
    bdma(0, B, C);
    rubik(1, A, 0, B);
    head(DLA_OP_BDMA, 0);
    head(DLA_OP_RUBIK, 1);
    graph[0][4] = 1;
    tells(1, DLA_OP_BDMA, 0, 1); /* when completed */
    ck_assert_msg(run(2) == DLA_OK, "%s", text);
    ck_assert_str_eq(order, "1:5 0:0 ");
    rig_get(&rig, IOVA(C), out, 32);
    ck_assert_str_eq(out, "from A, through B, to C........");
}
END_TEST

START_TEST(a_chain_of_one_kind_needs_no_more_than_two_groups)
{
    for (int i = 0; i < 4; i++) {
        bdma(i, A, B);
        put32(surf[i] + 8, 8);
    }
    head(DLA_OP_BDMA, 2);
    tells(2, DLA_OP_BDMA, 0, 1);
    tells(0, DLA_OP_BDMA, 3, 1);
    tells(3, DLA_OP_BDMA, 1, 1);
    graph[0][4] = graph[3][4] = graph[1][4] = 1;
    ck_assert_msg(run(4) == DLA_OK, "%s", text);
    ck_assert_str_eq(order, "2:0 0:0 3:0 1:0 ");
}
END_TEST

START_TEST(version_12_cubes_have_an_offset)
{
    char out[32];

    rig_put(&rig, IOVA(A) + 64, "at the offset, not at the start", 32);
    rubik(0, A, 64, B);
    head(DLA_OP_RUBIK, 0);
    ck_assert_msg(run(1) == DLA_OK, "%s", text);
    rig_get(&rig, IOVA(B), out, 32);
    ck_assert_str_eq(out, "at the offset, not at the start");
}
END_TEST

START_TEST(older_cubes_have_28_bytes)
{
    char out[32];

    task.cube_bytes = 28;
    rig_put(&rig, IOVA(A), "twenty-eight bytes each........", 32);
    rubik(0, A, 0, B);
    head(DLA_OP_RUBIK, 0);
    ck_assert_msg(run(1) == DLA_OK, "%s", text);
    rig_get(&rig, IOVA(B), out, 32);
    ck_assert_str_eq(out, "twenty-eight bytes each........");
}
END_TEST

START_TEST(versions)
{
    ck_assert_uint_eq(dla_cube_bytes(0, 10), 28);
    ck_assert_uint_eq(dla_cube_bytes(0, 11), 28);
    ck_assert_uint_eq(dla_cube_bytes(0, 12), 32);
    ck_assert_uint_eq(dla_cube_bytes(0, 9), 0);
    ck_assert_uint_eq(dla_cube_bytes(1, 3), 0); /* not DLA 1 */
    task.cube_bytes = 0;
    ck_assert_int_eq(run(0), DLA_UNSUPPORTED);
    ck_assert_str_eq(text, "network_desc[0].version = 0: descriptors of blob version 0.10, 0.11 or "
                           "0.12 (DLA 1)");
}
END_TEST

START_TEST(a_loop_of_dependencies_is_named)
{
    bdma(0, A, B);
    rubik(1, A, 0, B);
    head(DLA_OP_BDMA, 0);
    head(DLA_OP_RUBIK, 1);
    graph[0][4] = graph[1][4] = 1;
    tells(0, DLA_OP_RUBIK, 1, 1);
    tells(1, DLA_OP_BDMA, 0, 1);
    ck_assert_int_eq(run(2), DLA_INVALID);
    ck_assert_str_eq(text,
                     "dependency_graph[0].dependency_count = 1: nothing is left that could run "
                     "before it");
}
END_TEST

START_TEST(a_chain_that_loops_is_named)
{
    bdma(0, A, B);
    head(DLA_OP_BDMA, 0);
    tells(0, DLA_OP_BDMA, 0, 5);
    ck_assert_int_eq(run(1), DLA_INVALID);
    ck_assert_str_eq(text, "dependency_graph[0].consumers = 0: a chain has no loop");
}
END_TEST

START_TEST(an_operation_nobody_reaches_is_named)
{
    bdma(0, A, B);
    bdma(1, A, B);
    head(DLA_OP_BDMA, 0);
    ck_assert_int_eq(run(2), DLA_INVALID);
    ck_assert_str_eq(text,
                     "dependency_graph[1].dependency_count = 0: the operation is never reached "
                     "from op_head");
}
END_TEST

START_TEST(an_event_that_nobody_counts_is_named)
{
    bdma(0, A, B);
    bdma(1, A, B);
    head(DLA_OP_BDMA, 0);
    tells(0, DLA_OP_BDMA, 1, 1);
    ck_assert_int_eq(run(2), DLA_INVALID);
    ck_assert_ptr_nonnull(strstr(text, "dependency_graph[0].consumers = 1"));
}
END_TEST

START_TEST(an_entry_beyond_its_blob_is_refused)
{
    bdma(0, A, B);
    head(DLA_OP_BDMA, 0);
    size[OPS] = 115;
    ck_assert_int_eq(run(1), DLA_INVALID);
    ck_assert_str_eq(text, "operation_list[0].size = 115: the blob holds every entry that is used");
}
END_TEST

START_TEST(a_buffer_that_is_not_mapped_is_named)
{
    bdma(0, A, B);
    head(DLA_OP_BDMA, 0);
    address[B] = 0xdead0000;
    ck_assert_int_eq(run(1), DLA_FAULT);
    ck_assert_str_eq(
        text,
        "operation_list[0]: the DLA cannot write 0xdead0000, 32 bytes: no such access is mapped");
}
END_TEST

START_TEST(an_address_index_out_of_range_is_named)
{
    bdma(0, A, 77);
    head(DLA_OP_BDMA, 0);
    ck_assert_int_eq(run(1), DLA_INVALID);
    ck_assert_str_eq(text, "surface_list[0].destination_address = 77: an address of the task");
}
END_TEST

START_TEST(a_setting_of_an_operation_is_named)
{
    rubik(0, A, 0, B);
    ops[0][0] = 9;
    head(DLA_OP_RUBIK, 0);
    ck_assert_int_eq(run(1), DLA_INVALID);
    ck_assert_str_eq(text, "operation_list[0]: RUBIK.mode = 9: 0..2, precision 0..2");
}
END_TEST

int main(void)
{
    Suite *s = suite_create("dla_desc");
    TCase *t = tcase_create("descriptors");
    SRunner *r = srunner_create(s);
    int failed;

    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_test(t, operations_wait_for_their_dependencies);
    tcase_add_test(t, a_chain_of_one_kind_needs_no_more_than_two_groups);
    tcase_add_test(t, version_12_cubes_have_an_offset);
    tcase_add_test(t, older_cubes_have_28_bytes);
    tcase_add_test(t, versions);
    tcase_add_test(t, a_loop_of_dependencies_is_named);
    tcase_add_test(t, a_chain_that_loops_is_named);
    tcase_add_test(t, an_operation_nobody_reaches_is_named);
    tcase_add_test(t, an_event_that_nobody_counts_is_named);
    tcase_add_test(t, an_entry_beyond_its_blob_is_refused);
    tcase_add_test(t, a_buffer_that_is_not_mapped_is_named);
    tcase_add_test(t, an_address_index_out_of_range_is_named);
    tcase_add_test(t, a_setting_of_an_operation_is_named);
    suite_add_tcase(s, t);
    srunner_run_all(r, CK_NORMAL);
    failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed != 0;
}
