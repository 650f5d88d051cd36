/* SPDX-License-Identifier: MIT */
/* What vtegra dla says about a loadable whose lists contradict each other: which one, where, why.
 */
#include "loadable/writer.h"
#include "tools/dla/dla_net.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

/* A network of one SDP in one memory: descriptors, and 64 bytes for its cubes. Tests change it. */
enum { NETWORK = 0, OPERATIONS = 40, SURFACES = 156, GRAPH = 800, CUBES = 836, SIZE = 900 };

static uint8_t image[SIZE];
static struct loadable_blob blob;
static struct loadable_memory memory[2];
static struct loadable_address address[5];
static struct loadable_task task;
static struct loadable_text contents;
static uint64_t offset;

static void setup(void)
{
    static const uint16_t ids[] = { 0, 1, 2, 3, 4 };
    static const uint64_t at[] = { NETWORK, OPERATIONS, SURFACES, GRAPH, CUBES };
    static const uint64_t size[] = { 40, 116, 644, 36, 64 };
    uint8_t *n = image + NETWORK;

    memset(image, 0, sizeof(image));
    DESC_PUT(n, NETWORK, operation_list, 1);
    DESC_PUT(n, NETWORK, surface_list, 2);
    DESC_PUT(n, NETWORK, dependency_graph, 3);
    DESC_PUT(n, NETWORK, lut_list, -1);
    DESC_PUT(n, NETWORK, num_operations, 1);
    DESC_PUT(image + GRAPH, COMMON, op_type, DESC_OP_SDP);
    offset = 0;
    contents = (struct loadable_text){ "all", 3 };
    blob = (struct loadable_blob){
        .name = contents, .size = SIZE, .version = { 0, 12, 0 }, .data = { image, SIZE }
    };
    memory[0] = (struct loadable_memory){ .id = 0,
                                          .flags = LOADABLE_ALLOC | LOADABLE_SET,
                                          .size = SIZE,
                                          .offsets = { (uint8_t *)&offset, 1 } };
    for (int i = 0; i < 5; i++) {
        address[i] = (struct loadable_address){ ids[i], 0, at[i], size[i] };
    }
    task = (struct loadable_task){ .interface = LOADABLE_DLA1,
                                   .addresses = { (const uint8_t *)ids, 5 } };
}

static struct dla_net_file *opened(GError **error)
{
    const struct loadable_text *names[] = { &contents, NULL };
    struct loadable l = { .task = &task,
                          .tasks = 1,
                          .memory = memory,
                          .memories = 1,
                          .address = address,
                          .addresses = 5,
                          .blob = &blob,
                          .blobs = 1 };
    size_t len;
    uint8_t *bytes = loadable_write(&l, names, &len);
    struct dla_net_file *f = dla_net_from_bytes("net", g_memdup2(bytes, len), len, error);

    free(bytes);
    return f;
}

/* What is said about it; "" if nothing. */
static const char *said(void)
{
    static char text[400];
    GError *error = NULL;
    struct dla_net_file *f = opened(&error);
    struct dla_net net;

    if (f) {
        dla_net_init(&net, f, 0, &error);
        dla_net_free(&net);
    }
    dla_net_close(f);
    g_snprintf(text, sizeof(text), "%s", error ? error->message : "");
    g_clear_error(&error);
    return text;
}

static void says(const char *expect)
{
    const char *text = said();

    ck_assert_msg(strstr(text, expect) != NULL, "\"%s\" does not contain \"%s\"", text, expect);
}

START_TEST(the_network_is_accepted)
{
    ck_assert_str_eq(said(), "");
}
END_TEST

START_TEST(dla_2_is_refused_by_version)
{
    blob.version = (struct loadable_version){ 1, 4, 0 };
    says("blob version 1.4.0: descriptors of DLA 1 have 0.10, 0.11 or 0.12");
}
END_TEST

START_TEST(blobs_lie_in_their_memory)
{
    offset = 1;
    says("memory_list[0].offsets[0] = 1: the blob's 900 bytes must end within the memory's 900");
    offset = UINT64_MAX - 3;
    says("memory_list[0].offsets[0] = 18446744073709551612");
    offset = 0;
    blob.name = (struct loadable_text){ "al", 2 };
    says("memory_list[0].contents[0]: no blob is called \"all\"");
}
END_TEST

/* kmd/port/linux/nvdla_gem.c of nvdla/sw rounds a memory up to pages of 4096 bytes; nvdla/sw's
 * MNIST (NN_L0_0_fbuf) has a bias of 40 bytes, of which the DLA reads 64. */
START_TEST(the_dla_reads_whole_pages_and_writes_bytes)
{
    struct dla_net_file *f = opened(NULL);
    uint64_t at = f->iova[0];

    ck_assert_ptr_null(dla_net_bytes(f, at + SIZE - 40, 64));
    ck_assert_ptr_nonnull(dla_net_bytes(f, at + SIZE - 40, 40));
    ck_assert_ptr_nonnull(dla_net_pages(f, at + SIZE - 40, 64));
    ck_assert_uint_eq(dla_net_pages(f, at + 4095, 1)[0], 0);
    ck_assert_ptr_null(dla_net_pages(f, at + 4095, 2));
    ck_assert_ptr_null(dla_net_pages(f, at - 1, 1));
    dla_net_close(f);
}
END_TEST

START_TEST(memories_have_a_limit)
{
    memory[0].size = UINT64_MAX;
    says("memory_list[0].size = 18446744073709551615: at most 1 GiB in all");
}
END_TEST

START_TEST(addresses_lie_in_a_memory)
{
    address[2].memory_id = 5;
    says("task_list[0].address_list[2] = 2: its memory is not in memory_list");
    address[2] = address[1];
    says("task_list[0].address_list[2] = 2: no such id in address_list");
    setup();
    address[1].offset = 901;
    says("address_list[1].offset = 901: beyond its memory of 900 bytes");
}
END_TEST

/* fillTaskAddressList() of nvdla/sw (umd/core/src/runtime/Runtime.cpp) passes handle and offset, so
 * some loadables leave the size 0. */
START_TEST(an_address_without_a_size_reaches_to_the_end_of_its_memory)
{
    for (int i = 0; i < 5; i++) {
        address[i].size = 0;
    }
    ck_assert_str_eq(said(), "");
    DESC_PUT(image, NETWORK, num_operations, 2);
    says("surface_list[1]: the blob ends after 744 bytes, 2 entries need 1288");
}
END_TEST

START_TEST(lists_hold_what_the_network_counts)
{
    DESC_PUT(image, NETWORK, num_operations, 2);
    says("operation_list[1]: the blob ends after 116 bytes, 2 entries need 232");
    DESC_PUT(image, NETWORK, num_operations, 4097);
    says("network_desc.num_operations = 4097: at most 4096");
    DESC_PUT(image, NETWORK, num_operations, 1);
    DESC_PUT(image, NETWORK, num_luts, 1);
    says("network_desc.lut_list = -1: an index into the task's 5 addresses");
    DESC_PUT(image, NETWORK, lut_list, 1);
    says("lut_list[0]: the blob ends after 116 bytes, 1 entries need 700");
    DESC_PUT(image, NETWORK, num_luts, 0);
    address[0].size = 39;
    says("network_desc: 39 bytes, needs 40");
}
END_TEST

START_TEST(operations_are_checked_field_by_field)
{
    struct desc_cube c = { .type = 3 };

    desc_cube_put(image + SURFACES, 4, 32, &c);
    says("surface_list[0].dst.type = 3: 0 DRAM, 1 CVSRAM or 2 on the fly");
    c = (struct desc_cube){ .address = 5 };
    desc_cube_put(image + SURFACES, 4, 32, &c);
    says("surface_list[0].dst.address = 5: one of the task's 5 addresses, or -1");
    setup();
    DESC_PUT(image + GRAPH, COMMON, pdp_index, 1);
    says("dependency_graph[0].pdp_index = 1: one of 1 operations, or -1");
    DESC_PUT(image + GRAPH, COMMON, op_type, 6);
    says("dependency_graph[0].op_type = 6: 0 to 5");
    DESC_PUT(image + GRAPH, COMMON, op_type, DESC_OP_BDMA);
    DESC_PUT(image + GRAPH, COMMON, pdp_index, 0);
    DESC_PUT(image + OPERATIONS, BDMA, num_transfers, 21);
    says("operation_list[0].num_transfers = 21: at most 20");
}
END_TEST

int main(void)
{
    Suite *s = suite_create("dla_net");
    TCase *t = tcase_create("lists");
    SRunner *r = srunner_create(s);
    int failed;

    tcase_add_checked_fixture(t, setup, NULL);
    tcase_add_test(t, the_network_is_accepted);
    tcase_add_test(t, dla_2_is_refused_by_version);
    tcase_add_test(t, blobs_lie_in_their_memory);
    tcase_add_test(t, the_dla_reads_whole_pages_and_writes_bytes);
    tcase_add_test(t, memories_have_a_limit);
    tcase_add_test(t, addresses_lie_in_a_memory);
    tcase_add_test(t, an_address_without_a_size_reaches_to_the_end_of_its_memory);
    tcase_add_test(t, lists_hold_what_the_network_counts);
    tcase_add_test(t, operations_are_checked_field_by_field);
    suite_add_tcase(s, t);
    srunner_run_all(r, CK_NORMAL);
    failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed != 0;
}
