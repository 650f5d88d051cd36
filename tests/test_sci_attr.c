/* SPDX-License-Identifier: MIT */
/* Lists of attributes: what may be set, what is read back, and what a refused call leaves. Source:
 * DRIVE OS API reference 6.0.10, NvSciBufAttrListSetAttrs() and its neighbours. */
#include <string.h>

#include "tests/sci_lists.h"
#include "tests/suite.h"

static struct sci_list *list;

static void setup(void)
{
    list = sci_list_new(&sci_buf_schema);
}

static void teardown(void)
{
    sci_list_free(list);
}

static NvSciError get(uint32_t key, struct sci_pair *pair)
{
    *pair = (struct sci_pair){ .key = key, .value = &key, .len = 99 };
    return sci_list_get_pairs(list, 0, pair, 1);
}

START_TEST(a_value_is_read_back)
{
    struct sci_pair pair;

    MUST_SET(list, TYPES(NvSciBufType_RawBuffer), RAW_SIZE(4096), NEED_CPU(true));
    ck_assert_uint_eq(get(NvSciBufRawBufferAttrKey_Size, &pair), NvSciError_Success);
    ck_assert_uint_eq(pair.len, 8);
    ck_assert_uint_eq(*(const uint64_t *)pair.value, 4096);
}
END_TEST

START_TEST(a_key_that_is_not_set_has_no_value)
{
    struct sci_pair pair;

    ck_assert_uint_eq(get(NvSciBufRawBufferAttrKey_Size, &pair), NvSciError_Success);
    ck_assert_ptr_null(pair.value);
    ck_assert_uint_eq(pair.len, 0);
}
END_TEST

/* NVIDIA's sample cudaNvSci sets the size before the type, in one call. */
START_TEST(types_may_come_last_in_the_call)
{
    MUST_SET(list, RAW_SIZE(16), TYPES(NvSciBufType_RawBuffer));
}
END_TEST

START_TEST(a_typed_key_needs_its_type)
{
    ck_assert_uint_eq(SET(list, RAW_SIZE(16)), NvSciError_BadParameter);
    ck_assert_uint_eq(SET(list, TYPES(NvSciBufType_Image), RAW_SIZE(16)), NvSciError_BadParameter);
    MUST_SET(list, TYPES(NvSciBufType_RawBuffer));
    MUST_SET(list, RAW_SIZE(16));
}
END_TEST

START_TEST(a_key_is_set_once)
{
    MUST_SET(list, TYPES(NvSciBufType_RawBuffer), RAW_SIZE(16));
    ck_assert_uint_eq(SET(list, RAW_SIZE(16)), NvSciError_BadParameter);
    ck_assert_uint_eq(SET(list, NEED_CPU(true), NEED_CPU(true)), NvSciError_BadParameter);
}
END_TEST

START_TEST(a_refused_call_sets_nothing)
{
    struct sci_pair pair;

    ck_assert_uint_eq(SET(list, NEED_CPU(true), RAW_SIZE(16)), NvSciError_BadParameter);
    ck_assert_uint_eq(get(NvSciBufGeneralAttrKey_NeedCpuAccess, &pair), NvSciError_Success);
    ck_assert_uint_eq(pair.len, 0);
}
END_TEST

START_TEST(outputs_cannot_be_set)
{
    ck_assert_uint_eq(SET(list, PAIR(NvSciBufGeneralAttrKey_ActualPerm, uint32_t, 1)),
                      NvSciError_BadParameter);
    ck_assert_uint_eq(SET(list, PAIR(NvSciBufGeneralAttrKey_CpuNeedSwCacheCoherency, bool, true)),
                      NvSciError_BadParameter);
}
END_TEST

static const struct {
    struct sci_pair pair;
    bool good;
} values[] = {
    { { NvSciBufGeneralAttrKey_NeedCpuAccess, "\1", 1 }, true },
    { { NvSciBufGeneralAttrKey_NeedCpuAccess, "\2", 1 }, false },
    { { NvSciBufGeneralAttrKey_NeedCpuAccess, "\1\0\0\0", 4 }, false },
    { { NvSciBufGeneralAttrKey_NeedCpuAccess, "", 0 }, false },
    { { NvSciBufGeneralAttrKey_NeedCpuAccess, NULL, 1 }, false },
    { { NvSciBufGeneralAttrKey_RequiredPerm, "\1\0\0\0", 4 }, true },
    { { NvSciBufGeneralAttrKey_RequiredPerm, "\3\0\0\0", 4 }, true },
    { { NvSciBufGeneralAttrKey_RequiredPerm, "\2\0\0\0", 4 }, false }, /* no enumerator */
    { { NvSciBufGeneralAttrKey_RequiredPerm, "\5\0\0\0", 4 }, false },
    { { NvSciBufGeneralAttrKey_RequiredPerm, "\0\0\0\0", 4 }, false },
    { { NvSciBufGeneralAttrKey_Types, "\0\0\0\0", 4 }, false }, /* General is no type */
    { { NvSciBufGeneralAttrKey_Types, "\6\0\0\0", 4 }, false },
    { { NvSciBufGeneralAttrKey_Types, "\1\0\0", 3 }, false },
    { { NvSciBufGeneralAttrKey_GpuId, "0123456789abcdef", 16 }, true },
    { { NvSciBufGeneralAttrKey_GpuId, "0123456789abcdef", 15 }, false },
    { { NvSciBufGeneralAttrKey_EnableGpuCache, "0123456789abcdef\1", 17 }, true },
    { { NvSciBufGeneralAttrKey_EnableGpuCache, "0123456789abcdef\7", 17 }, false },
    { { NvSciBufGeneralAttrKey_PeerHwEngineArray, "\172\0\0\0\0\0\0\0", 8 }, true }, /* DLA */
    { { NvSciBufGeneralAttrKey_PeerHwEngineArray, "\0\0\0\0\0\0\0\0", 8 }, false },
    { { 0x50005, "\1\0\0\0", 4 }, false },
    { { 0, "\1\0\0\0", 4 }, false },
    { { UINT32_MAX, "\1\0\0\0", 4 }, false },
};

START_TEST(values_are_checked)
{
    ck_assert_uint_eq(sci_list_set(list, &values[_i].pair, 1),
                      values[_i].good ? NvSciError_Success : NvSciError_BadParameter);
}
END_TEST

START_TEST(alignments_are_powers_of_two)
{
    MUST_SET(list, TYPES(NvSciBufType_RawBuffer));
    ck_assert_uint_eq(SET(list, RAW_ALIGN(48)), NvSciError_BadParameter);
    MUST_SET(list, RAW_ALIGN(0)); /* the CUDA C++ Programming Guide's example: asks for nothing */
}
END_TEST

START_TEST(sizes_are_not_zero)
{
    MUST_SET(list, TYPES(NvSciBufType_RawBuffer));
    ck_assert_uint_eq(SET(list, RAW_SIZE(0)), NvSciError_BadParameter);
}
END_TEST

START_TEST(a_tensor_has_at_most_8_dimensions)
{
    MUST_SET(list, TYPES(NvSciBufType_Tensor));
    ck_assert_uint_eq(SET(list, PAIR(NvSciBufTensorAttrKey_NumDims, uint32_t, 9)),
                      NvSciError_BadParameter);
    ck_assert_uint_eq(
        SET(list, PAIR(NvSciBufTensorAttrKey_SizePerDim, uint64_t, 1, 1, 1, 1, 1, 1, 1, 1, 1)),
        NvSciError_BadParameter);
    MUST_SET(list, PAIR(NvSciBufTensorAttrKey_SizePerDim, uint64_t, 1, 1, 1, 1, 1, 1, 1, 1));
}
END_TEST

START_TEST(nothing_is_a_bad_parameter)
{
    struct sci_pair pair = NEED_CPU(true);

    ck_assert_uint_eq(sci_list_set(list, NULL, 1), NvSciError_BadParameter);
    ck_assert_uint_eq(sci_list_set(list, &pair, 0), NvSciError_BadParameter);
    ck_assert_uint_eq(sci_list_get_pairs(list, 0, NULL, 1), NvSciError_BadParameter);
    ck_assert_uint_eq(sci_list_get_pairs(list, 1, &pair, 1), NvSciError_BadParameter);
}
END_TEST

/* An unreconciled list has wishes, a reconciled one results. */
START_TEST(keys_of_the_other_direction_cannot_be_read)
{
    struct sci_list *out, *conflicts;
    struct sci_pair pair = { .key = NvSciBufGeneralAttrKey_RequiredPerm };
    char *why;

    ck_assert_uint_eq(get(NvSciBufGeneralAttrKey_ActualPerm, &pair), NvSciError_BadParameter);
    MUST_SET(list, TYPES(NvSciBufType_RawBuffer), RAW_SIZE(16));
    ck_assert_uint_eq(sci_buf_two(list, NULL, &out, &conflicts, &why), NvSciError_Success);
    pair.key = NvSciBufGeneralAttrKey_RequiredPerm;
    ck_assert_uint_eq(sci_list_get_pairs(out, 0, &pair, 1), NvSciError_BadParameter);
    pair.key = NvSciBufGeneralAttrKey_ActualPerm;
    ck_assert_uint_eq(sci_list_get_pairs(out, 0, &pair, 1), NvSciError_Success);
    ck_assert_uint_eq(SET(out, NEED_CPU(true)), NvSciError_BadParameter);
    sci_list_free(out);
}
END_TEST

START_TEST(appended_lists_keep_their_slots)
{
    struct sci_list *other = sci_list_new(&sci_buf_schema), *all;
    struct sci_pair pair = { .key = NvSciBufGeneralAttrKey_RequiredPerm };

    MUST_SET(list, PERM(Readonly));
    MUST_SET(other, PERM(ReadWrite));
    all = sci_list_append((const struct sci_list *const[]){ list, other }, 2);
    ck_assert_uint_eq(all->slots->len, 2);
    ck_assert_uint_eq(sci_list_get_pairs(all, 1, &pair, 1), NvSciError_Success);
    ck_assert_uint_eq(*(const uint32_t *)pair.value, NvSciBufAccessPerm_ReadWrite);
    ck_assert_uint_eq(SET(all, NEED_CPU(true)), NvSciError_BadParameter);
    sci_list_free(all);
    sci_list_free(other);
}
END_TEST

/* A clone can be written where the original could. */
START_TEST(a_clone_is_another_list)
{
    struct sci_list *clone;

    MUST_SET(list, TYPES(NvSciBufType_RawBuffer));
    clone = sci_list_clone(list);
    MUST_SET(clone, RAW_SIZE(16));
    ck_assert_ptr_null(sci_list_get(list, NvSciBufRawBufferAttrKey_Size));
    ck_assert_uint_eq(SET(clone, TYPES(NvSciBufType_RawBuffer)), NvSciError_BadParameter);
    sci_list_free(clone);
}
END_TEST

START_TEST(a_dump_names_keys_and_values)
{
    char *text;

    MUST_SET(list, TYPES(NvSciBufType_RawBuffer), RAW_SIZE(4096));
    text = sci_list_dump(list);
    ck_assert_ptr_nonnull(strstr(text, "NvSciBufRawBufferAttrKey_Size = 4096\n"));
    g_free(text);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("sci_attr");
    TCase *t = tcase_create("list");

    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_test(t, a_value_is_read_back);
    tcase_add_test(t, a_key_that_is_not_set_has_no_value);
    tcase_add_test(t, types_may_come_last_in_the_call);
    tcase_add_test(t, a_typed_key_needs_its_type);
    tcase_add_test(t, a_key_is_set_once);
    tcase_add_test(t, a_refused_call_sets_nothing);
    tcase_add_test(t, outputs_cannot_be_set);
    tcase_add_loop_test(t, values_are_checked, 0, G_N_ELEMENTS(values));
    tcase_add_test(t, alignments_are_powers_of_two);
    tcase_add_test(t, sizes_are_not_zero);
    tcase_add_test(t, a_tensor_has_at_most_8_dimensions);
    tcase_add_test(t, nothing_is_a_bad_parameter);
    tcase_add_test(t, keys_of_the_other_direction_cannot_be_read);
    tcase_add_test(t, appended_lists_keep_their_slots);
    tcase_add_test(t, a_clone_is_another_list);
    tcase_add_test(t, a_dump_names_keys_and_values);
    suite_add_tcase(s, t);
    return suite_main(s);
}
