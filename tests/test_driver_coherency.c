/* SPDX-License-Identifier: MIT */
/* When caches are maintained and managed memory is closed to the CPU. The expected order of events
 * is written down from CUDA for Tegra, chapters 2 and 3, and the CUDA Programming Guide; the fake
 * board has no caches, it only notes what the driver asks for. */
#include <stdio.h>

#include "test_driver.h"

static CUfunction kernel;
static CUdeviceptr managed;
static unsigned id; /* of its region, as the log names it */

static void up(const char *soc, const char *os, unsigned attach)
{
    struct hal_mem mem;

    driver_up(soc, os);
    kernel = driver_kernel();
    OK(rt_mem_alloc_managed(&managed, 4096, attach));
    ck_assert(hal_mem_find((struct hal *)1, (void *)(uintptr_t)managed, &mem));
    id = mem.id;
    fake_log_clear();
}

/* Compares the log with @expected, in which # is the region's number. */
static void expect(const char *expected)
{
    char number[16];
    g_autofree char *text = NULL;
    g_auto(GStrv) parts = g_strsplit(expected, "#", -1);

    snprintf(number, sizeof(number), "%u", id);
    text = g_strjoinv(number, parts);
    ck_assert_str_eq(fake_log->str, text);
    fake_log_clear();
}

/* Note 3.1: "additional coherency and cache maintenance operations during the kernel launch,
 * synchronization"; 2.1: CPU maintenance only without I/O coherency, GPU maintenance always. */
START_TEST(launch_and_synchronise_without_io_coherency)
{
    up(_i ? "nano" : "tx2", "linux", CU_MEM_ATTACH_GLOBAL);
    OK(driver_launch(kernel, NULL, managed, 1));
    expect("cpu_clean #\nprotect # none\n");
    OK(rt_stream_synchronize(NULL));
    expect("l2_clean\nl2_invalidate\nlaunch 1\nl2_clean\ncpu_invalidate #\nprotect # write\n");
}
END_TEST

START_TEST(launch_and_synchronise_with_io_coherency)
{
    up(_i ? "xavier" : "orin", "linux", CU_MEM_ATTACH_GLOBAL);
    OK(driver_launch(kernel, NULL, managed, 1));
    expect("protect # none\n");
    OK(rt_stream_synchronize(NULL));
    expect("l2_clean\nl2_invalidate\nlaunch 1\nl2_clean\nprotect # write\n");
}
END_TEST

/* Thor: CPU accesses snoop the L2, and access is concurrent: nothing to do, nothing closed. */
START_TEST(launch_and_synchronise_with_two_way_coherency)
{
    up("thor", "linux", CU_MEM_ATTACH_GLOBAL);
    OK(driver_launch(kernel, NULL, managed, 1));
    OK(rt_stream_synchronize(NULL));
    expect("launch 1\n");
}
END_TEST

START_TEST(programs_without_managed_memory_pay_nothing)
{
    CUfunction f;
    CUdeviceptr p;

    driver_up("tx2", "linux");
    f = driver_kernel();
    OK(rt_mem_alloc(&p, 4096));
    fake_log_clear();
    OK(driver_launch(f, NULL, p, 1));
    OK(rt_ctx_synchronize(NULL));
    ck_assert_str_eq(fake_log->str, "launch 1\n");
}
END_TEST

START_TEST(a_second_launch_finds_the_memory_with_the_gpu)
{
    up("tx2", "linux", CU_MEM_ATTACH_GLOBAL);
    OK(driver_launch(kernel, NULL, managed, 1));
    fake_log_clear();
    OK(driver_launch(kernel, NULL, managed, 1));
    expect("");
    OK(rt_ctx_synchronize(NULL));
    expect("l2_clean\nl2_invalidate\nlaunch 1\nlaunch 2\nl2_clean\ncpu_invalidate #\n"
           "protect # write\n");
}
END_TEST

/* --- Table 2 ---------------------------------------------------------------------------------- */

START_TEST(table_2_global_to_host_prefetches_to_the_cpu)
{
    up("tx2", "linux", CU_MEM_ATTACH_GLOBAL);
    OK(driver_launch(kernel, NULL, managed, 1));
    fake_log_clear();
    OK(rt_stream_attach(NULL, managed, 0, CU_MEM_ATTACH_HOST)); /* behind the kernel */
    expect("");
    OK(rt_stream_synchronize(NULL));
    expect("l2_clean\nl2_invalidate\nlaunch 1\nmmu_invalidate\nl2_clean\ncpu_invalidate #\n"
           "protect # write\n");
    ck_assert_ptr_null(fake_gpu(0, managed, NULL)); /* the GPU has no way to it */
}
END_TEST

START_TEST(table_2_host_to_global_prefetches_to_the_gpu)
{
    up(_i ? "orin" : "tx2", "linux", CU_MEM_ATTACH_HOST);
    ck_assert_ptr_null(fake_gpu(0, managed, NULL));
    OK(rt_stream_attach(NULL, managed, 0, CU_MEM_ATTACH_GLOBAL));
    expect(_i ? "l2_clean\nl2_invalidate\n" : "cpu_clean #\nl2_clean\nl2_invalidate\n");
    ck_assert_ptr_nonnull(fake_gpu(0, managed, NULL));
    OK(driver_launch(kernel, NULL, managed, 1)); /* nothing is left to do */
    expect("protect # none\n");
}
END_TEST

START_TEST(table_2_host_to_single_prefetches_to_the_gpu)
{
    CUstream s;

    up("tx2", "linux", CU_MEM_ATTACH_HOST);
    OK(rt_stream_create(&s, 0, 0));
    fake_log_clear();
    OK(rt_stream_attach(s, managed, 0, CU_MEM_ATTACH_SINGLE));
    expect("cpu_clean #\nl2_clean\nl2_invalidate\n");
}
END_TEST

START_TEST(table_2_single_to_host_prefetches_to_the_cpu)
{
    CUstream s;

    up("tx2", "linux", CU_MEM_ATTACH_GLOBAL);
    OK(rt_stream_create(&s, 0, 0));
    OK(rt_stream_attach(s, managed, 0, CU_MEM_ATTACH_SINGLE));
    OK(driver_launch(kernel, s, managed, 1));
    OK(rt_stream_attach(s, managed, 0, CU_MEM_ATTACH_HOST));
    fake_log_clear();
    OK(rt_stream_synchronize(s));
    expect("l2_clean\nl2_invalidate\nlaunch 1\nmmu_invalidate\nl2_clean\ncpu_invalidate #\n"
           "protect # write\n");
}
END_TEST

START_TEST(table_2_between_global_and_single_nothing_is_prefetched)
{
    CUstream s;

    up("tx2", "linux", CU_MEM_ATTACH_GLOBAL);
    OK(rt_stream_create(&s, 0, 0));
    fake_log_clear();
    OK(rt_stream_attach(s, managed, 0, CU_MEM_ATTACH_SINGLE));
    OK(rt_stream_attach(s, managed, 0, CU_MEM_ATTACH_GLOBAL));
    expect("");
}
END_TEST

/* Note 3.3: on QNX the hint does not benefit; the bytes arrive all the same. */
START_TEST(on_qnx_launch_and_synchronise_do_what_the_hint_would)
{
    up("orin", "qnx", CU_MEM_ATTACH_HOST);
    OK(rt_stream_attach(NULL, managed, 0, CU_MEM_ATTACH_GLOBAL));
    expect("");
    OK(driver_launch(kernel, NULL, managed, 1));
    OK(rt_stream_attach(NULL, managed, 0, CU_MEM_ATTACH_HOST));
    fake_log_clear();
    OK(rt_stream_synchronize(NULL));
    expect("l2_clean\nl2_invalidate\nlaunch 1\nmmu_invalidate\nprotect # write\nl2_clean\n");
}
END_TEST

/* --- the CPU kept out ------------------------------------------------------------------------- */

static enum hal_prot prot(void)
{
    return fake_prot((void *)(uintptr_t)managed);
}

START_TEST(host_attached_memory_stays_open)
{
    up("orin", "linux", CU_MEM_ATTACH_HOST);
    OK(driver_launch(kernel, NULL, 0, 1));
    ck_assert_int_eq(prot(), HAL_PROT_WRITE);
    FAILS(rt_fill(managed, 0, 0, 1, 4, 1, NULL, RT_SYNC), INVALID_VALUE); /* numba#7180 */
}
END_TEST

START_TEST(single_attached_memory_is_closed_only_by_its_own_stream)
{
    CUstream a, b;

    up("orin", "linux", CU_MEM_ATTACH_GLOBAL);
    OK(rt_stream_create(&a, CU_STREAM_NON_BLOCKING, 0));
    OK(rt_stream_create(&b, CU_STREAM_NON_BLOCKING, 0));
    OK(rt_stream_attach(a, managed, 0, CU_MEM_ATTACH_SINGLE));
    OK(driver_launch(kernel, b, 0, 1));
    ck_assert_int_eq(prot(), HAL_PROT_WRITE);
    OK(driver_launch(kernel, a, managed, 1));
    ck_assert_int_eq(prot(), HAL_PROT_NONE);
    OK(rt_stream_synchronize(a));
    ck_assert_int_eq(prot(), HAL_PROT_WRITE);
    FAILS(rt_stream_attach(NULL, managed, 0, CU_MEM_ATTACH_SINGLE), INVALID_VALUE);
}
END_TEST

START_TEST(global_memory_is_closed_by_a_kernel_of_any_stream_until_that_one_is_waited_for)
{
    CUstream a, b;

    up("orin", "linux", CU_MEM_ATTACH_GLOBAL);
    OK(rt_stream_create(&a, CU_STREAM_NON_BLOCKING, 0));
    OK(rt_stream_create(&b, CU_STREAM_NON_BLOCKING, 0));
    OK(driver_launch(kernel, a, 0, 1));
    OK(driver_launch(kernel, b, 0, 1));
    OK(rt_stream_synchronize(a));
    ck_assert_int_eq(prot(), HAL_PROT_NONE);
    OK(rt_stream_synchronize(b));
    ck_assert_int_eq(prot(), HAL_PROT_WRITE);
}
END_TEST

/* Programming Guide: a synchronisation covers what the waited-for stream has itself waited for. */
START_TEST(a_wait_covers_what_the_stream_waited_for)
{
    CUstream a, b;
    CUevent e;

    up("orin", "linux", CU_MEM_ATTACH_GLOBAL);
    OK(rt_stream_create(&a, CU_STREAM_NON_BLOCKING, 0));
    OK(rt_stream_create(&b, CU_STREAM_NON_BLOCKING, 0));
    OK(rt_event_create(&e, 0));
    OK(driver_launch(kernel, a, 0, 1));
    OK(rt_event_record(e, a, 0));
    OK(rt_stream_wait_event(b, e, 0));
    OK(rt_stream_synchronize(b));
    ck_assert_int_eq(prot(), HAL_PROT_WRITE);
}
END_TEST

START_TEST(a_wait_covers_what_that_stream_had_waited_for_in_turn)
{
    CUstream s[3];
    CUevent e[2];

    up("orin", "linux", CU_MEM_ATTACH_GLOBAL);
    for (unsigned i = 0; i < 3; i++) {
        OK(rt_stream_create(&s[i], CU_STREAM_NON_BLOCKING, 0));
    }
    OK(driver_launch(kernel, s[0], 0, 1));
    for (unsigned i = 0; i < 2; i++) {
        OK(rt_event_create(&e[i], 0));
        OK(rt_event_record(e[i], s[i], 0));
        OK(rt_stream_wait_event(s[i + 1], e[i], 0));
    }
    OK(rt_stream_synchronize(s[2]));
    ck_assert_int_eq(prot(), HAL_PROT_WRITE);
}
END_TEST

START_TEST(a_successful_query_opens_as_a_wait_does)
{
    up("orin", "linux", CU_MEM_ATTACH_GLOBAL);
    OK(driver_launch(kernel, NULL, 0, 1));
    for (unsigned i = 0; rt_stream_query(NULL) == CUDA_ERROR_NOT_READY && i < 100; i++) {
        ck_assert_int_eq(prot(), HAL_PROT_NONE);
    }
    ck_assert_int_eq(prot(), HAL_PROT_WRITE);
}
END_TEST

START_TEST(memory_allocated_while_a_kernel_runs_is_closed_at_once)
{
    CUdeviceptr p;

    up("orin", "linux", CU_MEM_ATTACH_GLOBAL);
    OK(driver_launch(kernel, NULL, 0, 1));
    OK(rt_mem_alloc_managed(&p, 4096, CU_MEM_ATTACH_GLOBAL));
    ck_assert_int_eq(fake_prot((void *)(uintptr_t)p), HAL_PROT_NONE);
}
END_TEST

START_TEST(an_asynchronous_copy_closes_what_it_names_until_it_is_waited_for)
{
    CUdeviceptr other, device;

    up("orin", "linux", CU_MEM_ATTACH_GLOBAL);
    OK(rt_mem_alloc_managed(&other, 4096, CU_MEM_ATTACH_GLOBAL));
    OK(rt_mem_alloc(&device, 4096));
    OK(rt_copy(device, managed, 4096, RT_COPY_DTOD, NULL, RT_ASYNC));
    ck_assert_int_eq(prot(), HAL_PROT_NONE);
    ck_assert_int_eq(fake_prot((void *)(uintptr_t)other), HAL_PROT_WRITE);
    OK(rt_stream_synchronize(NULL));
    ck_assert_int_eq(prot(), HAL_PROT_WRITE);
}
END_TEST

static void write_managed(void *p)
{
    ck_assert_int_eq(fake_prot(p), HAL_PROT_WRITE);
    *(int *)p = 5;
}

/* CUDA Driver API, cuLaunchHostFunc: its start counts as a synchronisation, and work queued behind
 * it does not make the GPU active before it has run. */
START_TEST(a_host_function_may_touch_managed_memory_between_two_kernels)
{
    up("tx2", "linux", CU_MEM_ATTACH_GLOBAL);
    OK(driver_launch(kernel, NULL, managed, 1));
    OK(rt_stream_host_func(NULL, write_managed, (void *)(uintptr_t)managed));
    OK(driver_launch(kernel, NULL, managed, 1));
    OK(rt_stream_synchronize(NULL));
    ck_assert_int_eq(*(int *)(uintptr_t)managed, 5);
    /* What the function wrote is cleaned before the second kernel, and the L2 made to look again.
     */
    expect(
        "cpu_clean #\nprotect # none\nl2_clean\nl2_invalidate\nlaunch 1\nl2_clean\n"
        "cpu_invalidate #\nprotect # write\ncpu_clean #\nprotect # none\nl2_clean\nl2_invalidate\n"
        "launch 2\nl2_clean\ncpu_invalidate #\nprotect # write\n");
}
END_TEST

static int bad_access(const struct qmd *q, const uint8_t *params, struct chan_error *e)
{
    (void)q;
    (void)params;
    e->va = 0x10;
    return CHAN_ERROR_MMU;
}

/* Nothing the program computed is lost. */
START_TEST(after_a_fault_managed_memory_is_clean_and_open)
{
    up("tx2", "linux", CU_MEM_ATTACH_GLOBAL);
    fake_kernel_run = bad_access;
    OK(driver_launch(kernel, NULL, managed, 1));
    fake_log_clear();
    FAILS(rt_ctx_synchronize(NULL), ILLEGAL_ADDRESS);
    ck_assert_int_eq(prot(), HAL_PROT_WRITE);
    ck_assert_ptr_nonnull(strstr(fake_log->str, "launch 1\nl2_clean\n"));
    ck_assert_ptr_nonnull(strstr(fake_log->str, "cpu_invalidate"));
}
END_TEST

/* Note 3.3, 3.6. The code: field reports (cudf#1360, taichi#377). */
START_TEST(prefetch_and_advice_need_concurrent_managed_access)
{
    CUmemLocation device = { CU_MEM_LOCATION_TYPE_DEVICE, 0 };

    up(_i ? "thor" : "orin", "linux", CU_MEM_ATTACH_GLOBAL);
    ck_assert_int_eq(rt_mem_prefetch(managed, 4096, device, 0, NULL),
                     _i ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE);
    ck_assert_int_eq(rt_mem_advise(managed, 4096, CU_MEM_ADVISE_SET_PREFERRED_LOCATION, device),
                     _i ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE);
    FAILS(rt_mem_prefetch(managed, 8192, device, 0, NULL), INVALID_VALUE);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("driver_coherency");
    TCase *t = tcase_create("coherency");
    SRunner *runner;
    int failed;

    tcase_add_loop_test(t, launch_and_synchronise_without_io_coherency, 0, 2);
    tcase_add_loop_test(t, launch_and_synchronise_with_io_coherency, 0, 2);
    tcase_add_test(t, launch_and_synchronise_with_two_way_coherency);
    tcase_add_test(t, programs_without_managed_memory_pay_nothing);
    tcase_add_test(t, a_second_launch_finds_the_memory_with_the_gpu);
    tcase_add_test(t, table_2_global_to_host_prefetches_to_the_cpu);
    tcase_add_loop_test(t, table_2_host_to_global_prefetches_to_the_gpu, 0, 2);
    tcase_add_test(t, table_2_host_to_single_prefetches_to_the_gpu);
    tcase_add_test(t, table_2_single_to_host_prefetches_to_the_cpu);
    tcase_add_test(t, table_2_between_global_and_single_nothing_is_prefetched);
    tcase_add_test(t, on_qnx_launch_and_synchronise_do_what_the_hint_would);
    tcase_add_test(t, host_attached_memory_stays_open);
    tcase_add_test(t, single_attached_memory_is_closed_only_by_its_own_stream);
    tcase_add_test(t,
                   global_memory_is_closed_by_a_kernel_of_any_stream_until_that_one_is_waited_for);
    tcase_add_test(t, a_wait_covers_what_the_stream_waited_for);
    tcase_add_test(t, a_wait_covers_what_that_stream_had_waited_for_in_turn);
    tcase_add_test(t, a_successful_query_opens_as_a_wait_does);
    tcase_add_test(t, memory_allocated_while_a_kernel_runs_is_closed_at_once);
    tcase_add_test(t, an_asynchronous_copy_closes_what_it_names_until_it_is_waited_for);
    tcase_add_test(t, a_host_function_may_touch_managed_memory_between_two_kernels);
    tcase_add_test(t, after_a_fault_managed_memory_is_clean_and_open);
    tcase_add_loop_test(t, prefetch_and_advice_need_concurrent_managed_access, 0, 2);
    suite_add_tcase(suite, t);
    runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
