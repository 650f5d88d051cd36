/* SPDX-License-Identifier: MIT */
/* Memory and sync objects that belong to no API: on a fake board. */
#include <errno.h>

#include "runtime/driver/memory/rt_external.h"
#include "test_driver.h"
#include "tests/emulated.h"

static void bring_up(const char *soc)
{
    driver_up(soc, "linux");
}

/* DRIVE OS API reference, NvSciBufObjGetCpuPtr: the pointer is there as long as the object. */
START_TEST(shared_memory_is_zero_mapped_and_aligned)
{
    static struct rt_shared *s;
    uint8_t *cpu;

    bring_up("orin");
    OK(rt_shared_new(5000, 4096, true, "NvSciBufObjAlloc", &s));
    cpu = rt_shared_cpu(s);
    ck_assert_uint_eq(rt_shared_size(s), 5000);
    ck_assert_uint_eq((uintptr_t)cpu % 4096, 0);
    ck_assert_uint_eq(cpu[4999], 0);
    cpu[4999] = 1;
    rt_shared_ref(s);
    rt_shared_unref(s);
    ck_assert_uint_eq(cpu[4999], 1);
    rt_shared_unref(s);
    rt_shared_unref(NULL);
}
END_TEST

START_TEST(bad_sizes_of_shared_memory_are_refused)
{
    static struct rt_shared *s = NULL;

    bring_up("orin");
    FAILS(rt_shared_new(0, 0, true, "NvSciBufObjAlloc", &s), INVALID_VALUE);
    FAILS(rt_shared_new(1, 3, true, "NvSciBufObjAlloc", &s), INVALID_VALUE);
    FAILS(rt_shared_new(1, 1, true, "NvSciBufObjAlloc", NULL), INVALID_VALUE);
    FAILS(rt_shared_new(SIZE_MAX, 1, true, "NvSciBufObjAlloc", &s), OUT_OF_MEMORY);
    FAILS(rt_shared_new(UINT64_C(1) << 40, 1, true, "NvSciBufObjAlloc", &s), OUT_OF_MEMORY);
    ck_assert_ptr_null(s);
}
END_TEST

/* NvSciBufObjFlushCpuCacheRange: cached memory only; a range that leaves the buffer is an error. */
START_TEST(a_flush_cleans_and_invalidates_what_the_cpu_caches)
{
    static struct rt_shared *cached, *uncached;

    bring_up("orin");
    OK(rt_shared_new(8192, 1, true, "NvSciBufObjAlloc", &cached));
    OK(rt_shared_new(8192, 1, false, "NvSciBufObjAlloc", &uncached));
    fake_log_clear();
    OK(rt_shared_flush(uncached, 0, 8192));
    OK(rt_shared_flush(cached, 100, 0));
    ck_assert_str_eq(fake_log->str, "");
    OK(rt_shared_flush(cached, 64, 128));
    ck_assert_ptr_nonnull(strstr(fake_log->str, "cpu_clean_invalidate"));
    FAILS(rt_shared_flush(cached, 8192, 1), INVALID_VALUE);
    FAILS(rt_shared_flush(cached, UINT64_MAX, 2), INVALID_VALUE);
    FAILS(rt_shared_flush(cached, 1, UINT64_MAX), INVALID_VALUE);
}
END_TEST

/* Deterministic fences: "each signal operation will increment the fence value by '1'" (note 5.1.4).
 */
START_TEST(each_signal_adds_one)
{
    static const enum rt_sync_kind kinds[] = { RT_SYNC_SYNCPT, RT_SYNC_SEMAPHORE,
                                               RT_SYNC_SEMAPHORE64 };
    static struct rt_sync *s;

    bring_up("orin");
    OK(rt_sync_new(kinds[_i], &s));
    ck_assert_int_eq(rt_sync_kind(s), kinds[_i]);
    ck_assert_uint_eq(rt_sync_value(s), 0);
    ck_assert_uint_eq(rt_sync_next(s), 1);
    ck_assert_uint_eq(rt_sync_value(s), 0);
    OK(rt_sync_signal(s));
    ck_assert_uint_eq(rt_sync_value(s), 1);
    ck_assert_int_eq(rt_sync_wait(s, 1, -1), 0);
    OK(rt_sync_signal(s)); /* that nobody has asked a fence for */
    ck_assert_uint_eq(rt_sync_target(s), 2);
    ck_assert_uint_eq(rt_sync_next(s), 3);
    rt_sync_unref(s);
}
END_TEST

START_TEST(two_objects_count_alone_and_a_new_one_begins_at_0)
{
    static struct rt_sync *a, *b;

    bring_up("orin");
    OK(rt_sync_new(RT_SYNC_SYNCPT, &a));
    OK(rt_sync_new(RT_SYNC_SYNCPT, &b));
    OK(rt_sync_signal(a));
    ck_assert_uint_eq(rt_sync_value(b), 0);
    rt_sync_unref(a);
    OK(rt_sync_new(RT_SYNC_SYNCPT, &a));
    ck_assert_uint_eq(rt_sync_value(a), 0);
    ck_assert_uint_eq(rt_sync_time_us(a, 0), 0);
}
END_TEST

/* NvSciSyncFenceWait: Timeout; a wait that nothing can end hangs on a board. */
START_TEST(waits_end_with_their_time_and_without_a_signaler)
{
    static struct rt_sync *s;

    if (emulator_lacks("task list without threads of its own")) {
        return;
    }
    bring_up("orin");
    OK(rt_sync_new(RT_SYNC_SEMAPHORE, &s));
    ck_assert_int_eq(rt_sync_wait(s, 1, 0), -ETIMEDOUT);
    ck_assert_int_eq(rt_sync_wait(s, 1, 1000), -ETIMEDOUT);
    ck_assert_int_eq(rt_sync_wait(s, 1, INT64_MAX), -ETIMEDOUT);
    ck_assert_int_eq(rt_sync_wait(s, 1, -1), -EDEADLK);
    ck_assert_int_eq(rt_sync_wait(s, UINT64_MAX, -1), -EDEADLK);
    OK(rt_sync_signal(s));
    ck_assert_int_eq(rt_sync_wait(s, 1, 0), 0);
}
END_TEST

/* One time stamp an object: a later signal writes over it (note 5.1.4, extracting). */
START_TEST(the_time_of_the_newest_signal_is_known)
{
    static struct rt_sync *s;

    bring_up("orin");
    OK(rt_sync_new(RT_SYNC_SEMAPHORE, &s));
    ck_assert_uint_eq(rt_sync_time_us(s, 1), 0);
    ck_assert_int_eq(rt_sync_wait(s, 1, 5000), -ETIMEDOUT); /* time passes */
    OK(rt_sync_signal(s));
    ck_assert_uint_ge(rt_sync_time_us(s, 1), 5000);
    OK(rt_sync_signal(s));
    ck_assert_uint_eq(rt_sync_time_us(s, 1), 0);
    ck_assert_uint_ne(rt_sync_time_us(s, 2), 0);
}
END_TEST

START_TEST(generations_of_objects_leave_nothing)
{
    static struct rt_sync *s;

    bring_up("nano"); /* the fewest syncpoints */
    for (unsigned i = 0; i < 2000; i++) {
        OK(rt_sync_new(RT_SYNC_SEMAPHORE64, &s));
        OK(rt_sync_signal(s));
        rt_sync_unref(s);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("driver_external");
    TCase *t = tcase_create("external");
    SRunner *runner;
    int failed;

    tcase_add_test(t, shared_memory_is_zero_mapped_and_aligned);
    tcase_add_test(t, bad_sizes_of_shared_memory_are_refused);
    tcase_add_test(t, a_flush_cleans_and_invalidates_what_the_cpu_caches);
    tcase_add_loop_test(t, each_signal_adds_one, 0, 3);
    tcase_add_test(t, two_objects_count_alone_and_a_new_one_begins_at_0);
    tcase_add_test(t, waits_end_with_their_time_and_without_a_signaler);
    tcase_add_test(t, the_time_of_the_newest_signal_is_known);
    tcase_add_test(t, generations_of_objects_leave_nothing);
    tcase_set_timeout(t, 60);
    suite_add_tcase(suite, t);
    runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
