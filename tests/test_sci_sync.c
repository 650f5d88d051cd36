/* SPDX-License-Identifier: MIT */
/* Reconciliation of NvSciSync lists. Source: DRIVE OS API reference 6.0.10, "Reconciliation" of
 * each key. */
#include <string.h>

#include "tests/sci_lists.h"
#include "tests/suite.h"

static struct sci_list *signaler, *waiter, *out, *conflicts;
static char *why;

static void setup(void)
{
    signaler = sci_list_new(&sci_sync_schema);
    waiter = sci_list_new(&sci_sync_schema);
    out = conflicts = NULL;
    why = NULL;
}

static void teardown(void)
{
    sci_list_free(signaler);
    sci_list_free(waiter);
    if (out) {
        sci_list_free(out);
    }
    if (conflicts) {
        sci_list_free(conflicts);
    }
    g_free(why);
}

#define SYNC_PERM(p) PAIR(NvSciSyncAttrKey_RequiredPerm, uint64_t, NvSciSyncAccessPerm_##p)
#define SYNC_CPU PAIR(NvSciSyncAttrKey_NeedCpuAccess, bool, true)
#define PRIMITIVES(...) PAIR(NvSciSyncAttrKey_PrimitiveInfo, uint32_t, __VA_ARGS__)
#define P(name) NvSciSyncAttrValPrimitiveType_##name
#define OUT(key) sci_list_u64(out, key, 0, 77)

static NvSciError reconcile(size_t lists)
{
    const struct sci_list *input[] = { signaler, waiter };

    return sci_sync_reconcile(input, lists, &out, &conflicts, &why);
}

START_TEST(a_signaler_and_a_waiter_fit)
{
    MUST_SET(signaler, SYNC_PERM(SignalOnly), SYNC_CPU);
    MUST_SET(waiter, SYNC_PERM(WaitOnly), SYNC_CPU);
    ck_assert_uint_eq(reconcile(2), NvSciError_Success);
    ck_assert_uint_eq(OUT(NvSciSyncAttrKey_ActualPerm), NvSciSyncAccessPerm_WaitSignal);
    ck_assert_uint_eq(OUT(NvSciSyncAttrKey_PrimitiveInfo), P(Syncpoint));
    ck_assert_uint_eq(OUT(NvSciSyncAttrKey_MaxPrimitiveValue), UINT32_MAX);
    ck_assert_uint_eq(OUT(NvSciSyncAttrKey_NumTaskStatusSlots), 1024);
    ck_assert_uint_eq(OUT(NvSciSyncAttrKey_RequireDeterministicFences), false);
}
END_TEST

/* CUDA for Tegra 5.1.4: "For Deterministic semaphore, ... RequireDeterministicFences"; syncpoints
 * come first otherwise. Where a side knows no semaphore, the syncpoint stays. */
START_TEST(deterministic_fences_take_a_semaphore)
{
    MUST_SET(signaler, SYNC_PERM(SignalOnly),
             PRIMITIVES(P(Syncpoint), _i ? P(Syncpoint) : P(SysmemSemaphore)));
    MUST_SET(waiter, SYNC_PERM(WaitOnly), SYNC_CPU,
             PAIR(NvSciSyncAttrKey_RequireDeterministicFences, bool, true));
    ck_assert_uint_eq(reconcile(2), NvSciError_Success);
    ck_assert_uint_eq(OUT(NvSciSyncAttrKey_RequireDeterministicFences), true);
    ck_assert_uint_eq(OUT(NvSciSyncAttrKey_PrimitiveInfo), _i ? P(Syncpoint) : P(SysmemSemaphore));
}
END_TEST

static const struct {
    uint64_t first, second;
    NvSciError error;
} perms[] = {
    { NvSciSyncAccessPerm_SignalOnly, NvSciSyncAccessPerm_SignalOnly,
      NvSciError_UnsupportedConfig },
    { NvSciSyncAccessPerm_WaitOnly, NvSciSyncAccessPerm_WaitOnly, NvSciError_ReconciliationFailed },
    { NvSciSyncAccessPerm_WaitSignal, 0, NvSciError_ReconciliationFailed }, /* nobody only waits */
    { NvSciSyncAccessPerm_WaitSignal, NvSciSyncAccessPerm_WaitSignal,
      NvSciError_UnsupportedConfig },
    { NvSciSyncAccessPerm_WaitSignal, NvSciSyncAccessPerm_WaitOnly, NvSciError_Success },
};

START_TEST(one_signals_and_others_wait)
{
    MUST_SET(signaler, SYNC_CPU, PAIR(NvSciSyncAttrKey_RequiredPerm, uint64_t, perms[_i].first));
    if (perms[_i].second) {
        MUST_SET(waiter, SYNC_CPU, PAIR(NvSciSyncAttrKey_RequiredPerm, uint64_t, perms[_i].second));
    }
    ck_assert_uint_eq(reconcile(perms[_i].second ? 2 : 1), perms[_i].error);
    ck_assert((conflicts != NULL) == (perms[_i].error != NvSciError_Success));
    if (conflicts) {
        ck_assert_ptr_nonnull(sci_list_get(conflicts, NvSciSyncAttrKey_RequiredPerm));
    }
}
END_TEST

START_TEST(a_primitive_is_known_to_all)
{
    MUST_SET(signaler, SYNC_PERM(SignalOnly),
             PRIMITIVES(P(Syncpoint), P(SysmemSemaphorePayload64b)));
    MUST_SET(waiter, SYNC_PERM(WaitOnly),
             PRIMITIVES(P(SysmemSemaphorePayload64b), P(SysmemSemaphore)));
    ck_assert_uint_eq(reconcile(2), NvSciError_Success);
    ck_assert_uint_eq(OUT(NvSciSyncAttrKey_PrimitiveInfo), P(SysmemSemaphorePayload64b));
    ck_assert_uint_eq(OUT(NvSciSyncAttrKey_MaxPrimitiveValue), UINT64_MAX);
}
END_TEST

START_TEST(without_a_common_primitive_there_is_no_object)
{
    MUST_SET(signaler, SYNC_PERM(SignalOnly), PRIMITIVES(P(VidmemSemaphore)));
    MUST_SET(waiter, SYNC_PERM(WaitOnly), SYNC_CPU);
    ck_assert_uint_eq(reconcile(2), NvSciError_UnsupportedConfig);
    ck_assert_ptr_nonnull(strstr(why, "NvSciSyncAttrKey_PrimitiveInfo"));
}
END_TEST

START_TEST(timestamps_are_read_by_a_cpu)
{
    MUST_SET(signaler, SYNC_PERM(SignalOnly), PRIMITIVES(P(Syncpoint)));
    MUST_SET(waiter, SYNC_PERM(WaitOnly), PRIMITIVES(P(Syncpoint)),
             PAIR(NvSciSyncAttrKey_WaiterRequireTimestamps, bool, true));
    ck_assert_uint_eq(reconcile(2), NvSciError_ReconciliationFailed);
}
END_TEST

START_TEST(one_list_is_enough_for_deterministic_fences)
{
    MUST_SET(signaler, SYNC_PERM(SignalOnly), SYNC_CPU);
    MUST_SET(waiter, SYNC_PERM(WaitOnly), SYNC_CPU,
             PAIR(NvSciSyncAttrKey_RequireDeterministicFences, bool, true));
    ck_assert_uint_eq(reconcile(2), NvSciError_Success);
    ck_assert_uint_eq(OUT(NvSciSyncAttrKey_RequireDeterministicFences), true);
}
END_TEST

START_TEST(permission_is_mandatory)
{
    MUST_SET(signaler, SYNC_PERM(SignalOnly), SYNC_CPU);
    MUST_SET(waiter, SYNC_CPU);
    ck_assert_uint_eq(reconcile(2), NvSciError_BadParameter);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("sci_sync");
    TCase *t = tcase_create("reconcile");

    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_test(t, a_signaler_and_a_waiter_fit);
    tcase_add_loop_test(t, deterministic_fences_take_a_semaphore, 0, 2);
    tcase_add_loop_test(t, one_signals_and_others_wait, 0, G_N_ELEMENTS(perms));
    tcase_add_test(t, a_primitive_is_known_to_all);
    tcase_add_test(t, without_a_common_primitive_there_is_no_object);
    tcase_add_test(t, timestamps_are_read_by_a_cpu);
    tcase_add_test(t, one_list_is_enough_for_deterministic_fences);
    tcase_add_test(t, permission_is_mandatory);
    suite_add_tcase(s, t);
    return suite_main(s);
}
