/* SPDX-License-Identifier: MIT */
/* Short ways to write lists of attributes in tests. */
#ifndef TESTS_SCI_LISTS_H
#define TESTS_SCI_LISTS_H

#include <check.h>

#include "runtime/api/nvsci/attr/list.h"
#include "runtime/api/nvsci/attr/reconcile.h"

/* Elements of any type, by a compound literal. */
#define PAIR(k, type, ...) \
    { .key = (k), .value = (type[]){ __VA_ARGS__ }, .len = sizeof((type[]){ __VA_ARGS__ }) }
#define SET(list, ...)                                     \
    sci_list_set(list, (struct sci_pair[]){ __VA_ARGS__ }, \
                 sizeof((struct sci_pair[]){ __VA_ARGS__ }) / sizeof(struct sci_pair))
#define MUST_SET(list, ...) ck_assert_uint_eq(SET(list, __VA_ARGS__), NvSciError_Success)

#define TYPES(...) PAIR(NvSciBufGeneralAttrKey_Types, uint32_t, __VA_ARGS__)
#define NEED_CPU(on) PAIR(NvSciBufGeneralAttrKey_NeedCpuAccess, bool, on)
#define PERM(p) PAIR(NvSciBufGeneralAttrKey_RequiredPerm, uint32_t, NvSciBufAccessPerm_##p)
#define RAW_SIZE(n) PAIR(NvSciBufRawBufferAttrKey_Size, uint64_t, n)
#define RAW_ALIGN(n) PAIR(NvSciBufRawBufferAttrKey_Align, uint64_t, n)

static const NvSciRmGpuId sci_igpu = { { 1, 2, 3 } }, sci_dgpu = { { 9, 9 } };
static const struct sci_chip sci_test_chip = {
    .gpu = { { { { 1, 2, 3 } }, true }, { { { 9, 9 } }, false } },
    .gpus = 2,
    .io_coherent = true,
    .past_caches = { NvSciBufHwEngName_PVA },
};

static inline NvSciError sci_buf_two(struct sci_list *a, struct sci_list *b, struct sci_list **out,
                                     struct sci_list **conflicts, char **why)
{
    const struct sci_list *input[] = { a, b };

    return sci_buf_reconcile(input, b ? 2 : 1, &sci_test_chip, out, conflicts, why);
}

#endif
