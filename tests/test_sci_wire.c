/* SPDX-License-Identifier: MIT */
/* Lists as bytes: what is written is read; every change of the bytes is refused; a list finds its
 * way back. */
#include <string.h>

#include "runtime/api/nvsci/attr/wire.h"
#include "tests/sci_lists.h"
#include "tests/suite.h"

static struct sci_list *list;
static GByteArray *bytes;

static void setup(void)
{
    list = sci_list_new(&sci_buf_schema);
    MUST_SET(list, TYPES(NvSciBufType_RawBuffer), RAW_SIZE(4096), NEED_CPU(true), PERM(ReadWrite));
    bytes = sci_wire_write(list);
}

static void teardown(void)
{
    sci_list_free(list);
    g_byte_array_unref(bytes);
}

START_TEST(a_list_is_read_back)
{
    struct sci_list *read = sci_wire_read(&sci_buf_schema, false, bytes->data, bytes->len, 7);

    ck_assert_ptr_nonnull(read);
    ck_assert_uint_eq(sci_list_u64(read, NvSciBufRawBufferAttrKey_Size, 0, 0), 4096);
    ck_assert_uint_eq(g_array_index(sci_list_slot(read, 0)->path, uint64_t, 0), 7);
    ck_assert_uint_eq(SET(read, RAW_ALIGN(8)), NvSciError_BadParameter); /* not to be written */
    sci_list_free(read);
}
END_TEST

START_TEST(the_same_list_gives_the_same_bytes)
{
    GByteArray *again = sci_wire_write(list);

    ck_assert_uint_eq(again->len, bytes->len);
    ck_assert_mem_eq(again->data, bytes->data, bytes->len);
    g_byte_array_unref(again);
}
END_TEST

START_TEST(every_shorter_text_is_refused)
{
    for (guint n = 0; n < bytes->len; n++) {
        ck_assert_ptr_null(sci_wire_read(&sci_buf_schema, false, bytes->data, n, 7));
    }
}
END_TEST

START_TEST(every_changed_byte_is_refused)
{
    for (guint i = 0; i < bytes->len; i++) {
        bytes->data[i] ^= 0x40;
        ck_assert_ptr_null(sci_wire_read(&sci_buf_schema, false, bytes->data, bytes->len, 7));
        bytes->data[i] ^= 0x40;
    }
}
END_TEST

START_TEST(a_list_is_of_its_library_and_kind)
{
    ck_assert_ptr_null(sci_wire_read(&sci_sync_schema, false, bytes->data, bytes->len, 7));
    ck_assert_ptr_null(sci_wire_read(&sci_buf_schema, true, bytes->data, bytes->len, 7));
    ck_assert_ptr_null(sci_wire_read(&sci_buf_schema, false, NULL, 0, 7));
}
END_TEST

/* As a hostile peer writes it, with a good checksum. */
static struct sci_list *read_with_crc(void)
{
    uint32_t crc = sci_wire_crc(bytes->data + 16, bytes->len - 16);

    memcpy(bytes->data + 12, &crc, sizeof(crc));
    return sci_wire_read(&sci_buf_schema, false, bytes->data, bytes->len, 7);
}

START_TEST(values_of_a_good_checksum_are_checked_as_all)
{
    static const uint32_t wrong[] = { 0, 2, 77, UINT32_MAX };
    unsigned seen = 0;

    for (guint at = 16; at + 4 <= bytes->len; at++) {
        for (unsigned i = 0; i < G_N_ELEMENTS(wrong); i++) {
            uint8_t old[4];
            struct sci_list *read;

            memcpy(old, bytes->data + at, 4);
            memcpy(bytes->data + at, &wrong[i], 4);
            read = read_with_crc();
            if (read) { /* then it is a list like any other */
                char *text = sci_list_dump(read);

                g_free(text);
                sci_list_free(read);
            }
            seen += read == NULL;
            memcpy(bytes->data + at, old, 4);
        }
    }
    ck_assert_uint_gt(seen, 0);
    ck_assert_ptr_nonnull(list = (sci_list_free(list), read_with_crc()));
}
END_TEST

/* Process C asks, B passes it on, A reconciles: C gets what C asked for, B what B asked for. */
START_TEST(a_result_goes_back_the_way_its_inputs_came)
{
    struct sci_list *at_b = sci_wire_read(&sci_buf_schema, false, bytes->data, bytes->len, 0xc);
    struct sci_list *own = sci_list_new(&sci_buf_schema), *both, *at_a, *result, *conflicts, *back,
                    *home;
    GByteArray *wire;
    char *why;

    MUST_SET(own, PERM(Readonly));
    both = sci_list_append((const struct sci_list *const[]){ own, at_b }, 2);
    wire = sci_wire_write(both);
    at_a = sci_wire_read(&sci_buf_schema, false, wire->data, wire->len, 0xb);
    ck_assert_ptr_nonnull(at_a);
    ck_assert_uint_eq(sci_buf_two(at_a, NULL, &result, &conflicts, &why), NvSciError_Success);
    ck_assert_uint_eq(sci_list_u64(result, NvSciBufGeneralAttrKey_NeedCpuAccess, 0, 9),
                      false);                           /* A did not ask */
    ck_assert_ptr_null(sci_list_for_peer(result, 0xd)); /* nothing came that way */
    ck_assert_uint_eq(sci_list_peer_perm(result, 0xb), NvSciBufAccessPerm_ReadWrite);

    back = sci_list_for_peer(result, 0xb);
    g_byte_array_unref(wire);
    wire = sci_wire_write(back);
    sci_list_free(back);
    back = sci_wire_read(&sci_buf_schema, true, wire->data, wire->len, 0xa);
    ck_assert_ptr_nonnull(back);
    ck_assert_uint_eq(sci_list_u64(back, NvSciBufGeneralAttrKey_NeedCpuAccess, 0, 9),
                      false); /* B's */
    home = sci_list_for_peer(back, 0xc);
    ck_assert_ptr_nonnull(home);
    ck_assert_uint_eq(sci_list_u64(home, NvSciBufGeneralAttrKey_NeedCpuAccess, 0, 9),
                      true); /* C's */
    ck_assert_uint_eq(sci_list_u64(home, NvSciBufGeneralAttrKey_ActualPerm, 0, 9),
                      NvSciBufAccessPerm_ReadWrite);
    for (unsigned i = 0; i < 7; i++) {
        sci_list_free((struct sci_list *[]){ at_b, own, both, at_a, result, back, home }[i]);
    }
    g_byte_array_unref(wire);
}
END_TEST

/* CUDA waits, in the process behind 0xb; here the CPU signals. */
START_TEST(what_cuda_asked_for_travels)
{
    struct sci_list *cpu = sci_list_new(&sci_sync_schema), *gpu = sci_list_new(&sci_sync_schema);
    struct sci_list *at_a, *result, *conflicts = NULL, *back, *home;
    GByteArray *wire;
    const struct sci_peer *peer;
    char *why = NULL;

    MUST_SET(cpu, PAIR(NvSciSyncAttrKey_NeedCpuAccess, bool, true),
             PAIR(NvSciSyncAttrKey_RequiredPerm, uint64_t, NvSciSyncAccessPerm_SignalOnly));
    MUST_SET(gpu, PAIR(NvSciSyncAttrKey_RequiredPerm, uint64_t, NvSciSyncAccessPerm_WaitOnly),
             PAIR(NvSciSyncAttrKey_PrimitiveInfo, uint32_t, 1),
             PAIR(NvSciSyncAttrKey_GpuId, NvSciRmGpuId, { { 1 } }));
    wire = sci_wire_write(gpu);
    at_a = sci_wire_read(&sci_sync_schema, false, wire->data, wire->len, 0xb);
    g_byte_array_unref(wire);
    ck_assert_uint_eq(sci_sync_reconcile((const struct sci_list *const[]){ cpu, at_a }, 2, &result,
                                         &conflicts, &why),
                      NvSciError_Success);
    back = sci_list_for_peer(result, 0xb);
    wire = sci_wire_write(back);
    home = sci_wire_read(&sci_sync_schema, true, wire->data, wire->len, 0xa);
    ck_assert_ptr_nonnull(home);
    ck_assert_uint_eq(home->peers->len, 1);
    peer = home->peers->pdata[0];
    ck_assert(peer->gpu && !peer->need_cpu);
    ck_assert_uint_eq(peer->perm, NvSciSyncAccessPerm_WaitOnly);
    for (unsigned i = 0; i < 6; i++) {
        sci_list_free((struct sci_list *[]){ cpu, gpu, at_a, result, back, home }[i]);
    }
    g_byte_array_unref(wire);
}
END_TEST

START_TEST(a_path_has_an_end)
{
    struct sci_list *at = sci_list_clone(list);
    unsigned steps = 0;

    for (;;) {
        GByteArray *wire = sci_wire_write(at);
        struct sci_list *next = sci_wire_read(&sci_buf_schema, false, wire->data, wire->len, 1);

        g_byte_array_unref(wire);
        if (!next) {
            break;
        }
        sci_list_free(at);
        at = next;
        steps++;
    }
    ck_assert_uint_eq(steps, SCI_MAX_PATH);
    sci_list_free(at);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("sci_wire");
    TCase *t = tcase_create("wire");

    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_test(t, a_list_is_read_back);
    tcase_add_test(t, the_same_list_gives_the_same_bytes);
    tcase_add_test(t, every_shorter_text_is_refused);
    tcase_add_test(t, every_changed_byte_is_refused);
    tcase_add_test(t, a_list_is_of_its_library_and_kind);
    tcase_add_test(t, values_of_a_good_checksum_are_checked_as_all);
    tcase_add_test(t, a_result_goes_back_the_way_its_inputs_came);
    tcase_add_test(t, what_cuda_asked_for_travels);
    tcase_add_test(t, a_path_has_an_end);
    suite_add_tcase(s, t);
    return suite_main(s);
}
