/* SPDX-License-Identifier: MIT */
/* Order of streams, events, host functions, contexts, errors: on a fake board. */
#include "runtime/driver/core/core.h"
#include "runtime/driver/device/context.h"
#include "runtime/observe/check_internal.h"
#include "test_driver.h"
#include "tests/emulated.h"

static int order[4096];
static unsigned n_order;

/* The second parameter says which launch it is. */
static int write_order(const struct qmd *q, const uint8_t *params, struct chan_error *error)
{
    uint32_t n;

    (void)q;
    (void)error;
    memcpy(&n, params + 8, 4);
    order[n_order++] = (int)n;
    return 0;
}

static CUfunction up(void)
{
    driver_up("orin", "linux");
    fake_kernel_run = write_order;
    return driver_kernel();
}

/* The fake board runs the channel with the lowest number first; the streams are made so that only a
 * wait puts the launches into the order that CUDA promises. */
START_TEST(the_legacy_stream_waits_for_blocking_streams_and_they_for_it)
{
    CUfunction f = up();
    CUstream s;

    OK(rt_stream_create(&s, CU_STREAM_DEFAULT, 0));
    OK(driver_launch(f, s, 0, 1));
    OK(driver_launch(f, NULL, 0, 2)); /* an older channel: would run first */
    OK(driver_launch(f, s, 0, 3));
    OK(rt_ctx_synchronize(NULL));
    ck_assert_uint_eq(n_order, 3);
    ck_assert_int_eq(order[0] * 100 + order[1] * 10 + order[2], 123);
}
END_TEST

START_TEST(blocking_streams_wait_for_the_legacy_stream)
{
    CUfunction f = up();
    CUstream s;
    void *flag;

    OK(rt_host_alloc(&flag, 4, 0));
    OK(rt_stream_create(&s, CU_STREAM_DEFAULT, 0));
    OK(rt_stream_wait_value(NULL, (uintptr_t)flag, 1, 32, CU_STREAM_WAIT_VALUE_EQ));
    OK(driver_launch(f, NULL, 0, 1));
    OK(driver_launch(f, s, 0, 2));
    for (unsigned i = 0; i < 10; i++) {
        FAILS(rt_stream_query(s), NOT_READY);
    }
    ck_assert_uint_eq(n_order, 0);
    *(int *)flag = 1;
    OK(rt_stream_synchronize(s));
    ck_assert_int_eq(order[0] * 10 + order[1], 12);
}
END_TEST

START_TEST(non_blocking_streams_stand_apart)
{
    CUfunction f = up();
    CUstream s;

    OK(rt_stream_create(&s, CU_STREAM_NON_BLOCKING, 0));
    OK(driver_launch(f, s, 0, 1));
    OK(driver_launch(f, NULL, 0, 2));
    OK(rt_ctx_synchronize(NULL));
    ck_assert_int_eq(order[0] * 10 + order[1], 21);
}
END_TEST

START_TEST(an_event_orders_two_streams)
{
    CUfunction f = up();
    CUstream a, b;
    CUevent e;

    OK(rt_stream_create(&a, CU_STREAM_NON_BLOCKING, 0));
    OK(rt_stream_create(&b, CU_STREAM_NON_BLOCKING, 0));
    OK(rt_event_create(&e, CU_EVENT_DISABLE_TIMING));
    OK(driver_launch(f, b, 0, 1));
    OK(rt_event_record(e, b, 0));
    OK(rt_stream_wait_event(a, e, 0));
    OK(driver_launch(f, a, 0, 2));
    OK(rt_stream_synchronize(a));
    ck_assert_int_eq(order[0] * 10 + order[1], 12);
}
END_TEST

/* CUDA Driver API, cuCtxRecordEvent: all activities of the context; cuCtxWaitEvent: all future work
 * of the context waits; both: an event of another context is no handle. */
START_TEST(an_event_of_a_context_is_behind_all_its_streams)
{
    CUfunction f = up();
    CUstream s;
    CUevent e;

    OK(rt_stream_create(&s, CU_STREAM_NON_BLOCKING, 0));
    OK(rt_event_create(&e, CU_EVENT_DISABLE_TIMING));
    OK(driver_launch(f, s, 0, 1));
    OK(rt_ctx_record_event(NULL, e));
    FAILS(rt_event_query(e), NOT_READY);
    OK(rt_event_synchronize(e));
    ck_assert_uint_eq(n_order, 1);
}
END_TEST

START_TEST(a_context_waits_for_an_event_on_all_its_streams)
{
    CUfunction f = up();
    CUstream a, b;
    CUevent e;

    OK(rt_stream_create(&a, CU_STREAM_NON_BLOCKING, 0));
    OK(rt_stream_create(&b, CU_STREAM_NON_BLOCKING, 0));
    OK(rt_event_create(&e, CU_EVENT_DISABLE_TIMING));
    OK(driver_launch(f, b, 0, 1));
    OK(rt_event_record(e, b, 0));
    OK(rt_ctx_wait_event(NULL, e));
    OK(driver_launch(f, a, 0, 2));
    OK(driver_launch(f, NULL, 0, 3));
    OK(rt_ctx_synchronize(NULL));
    ck_assert_uint_eq(n_order, 3);
    ck_assert_int_eq(order[0], 1);
}
END_TEST

START_TEST(an_event_of_another_context_is_none)
{
    CUcontext first, second;
    CUevent e;

    up();
    OK(rt_ctx_get(&first));
    OK(rt_event_create(&e, CU_EVENT_DISABLE_TIMING));
    OK(rt_ctx_create(&second, NULL, 0, 0));
    FAILS(rt_ctx_record_event(second, e), INVALID_HANDLE);
    OK(rt_ctx_record_event(first, e));
}
END_TEST

/* The time stamp of an event that is gone is not the next one's before it was written. */
START_TEST(the_time_of_an_event_is_its_own)
{
    CUfunction f = up();
    CUevent gone, from, to;
    float before, after;
    CUstream a, b;
    void *flag;

    OK(rt_host_alloc(&flag, 4, 0));
    OK(rt_stream_create(&a, CU_STREAM_NON_BLOCKING, 0));
    OK(rt_stream_create(&b, CU_STREAM_NON_BLOCKING, 0));
    OK(rt_event_create(&gone, 0));
    OK(rt_event_create(&from, 0));
    OK(rt_event_create(&to, 0));
    OK(rt_stream_wait_value(a, (uintptr_t)flag, 1, 32, CU_STREAM_WAIT_VALUE_EQ));
    OK(rt_event_record(gone, a, 0));
    OK(rt_event_destroy(gone));
    OK(rt_event_record(from, b, 0));
    OK(driver_launch(f, b, 0, 1));
    OK(rt_event_record(to, b, 0));
    OK(rt_stream_synchronize(b));
    OK(rt_event_elapsed(&before, from, to));
    *(int *)flag = 1;
    OK(rt_stream_synchronize(a));
    OK(rt_event_elapsed(&after, from, to));
    ck_assert_float_eq(before, after);
}
END_TEST

START_TEST(events_answer_before_and_after)
{
    CUfunction f = up();
    CUevent a, b, never;
    float ms = -1;

    OK(rt_event_create(&a, 0));
    OK(rt_event_create(&b, 0));
    OK(rt_event_create(&never, 0));
    OK(rt_event_query(never));
    OK(rt_event_record(a, NULL, 0));
    OK(driver_launch(f, NULL, 0, 1));
    OK(rt_event_record(b, NULL, 0));
    FAILS(rt_event_elapsed(&ms, a, b), NOT_READY);
    FAILS(rt_event_query(b), NOT_READY);
    OK(rt_event_synchronize(b));
    OK(rt_event_query(b));
    OK(rt_event_elapsed(&ms, a, b));
    ck_assert_float_gt(ms, 0);
    FAILS(rt_event_elapsed(&ms, a, never), INVALID_HANDLE);
    OK(rt_event_destroy(a));
    FAILS(rt_event_query(a), INVALID_HANDLE);
}
END_TEST

/* A program that only asks, and never waits, gets there. */
START_TEST(queries_make_progress)
{
    CUfunction f = up();
    unsigned n = 0;

    OK(driver_launch(f, NULL, 0, 1));
    while (rt_stream_query(NULL) == CUDA_ERROR_NOT_READY) {
        ck_assert_uint_lt(++n, 100);
    }
    ck_assert_uint_eq(n_order, 1);
}
END_TEST

START_TEST(more_work_than_a_ring_holds)
{
    CUfunction f = up();

    for (unsigned i = 0; i < 3000;
         i++) { /* 512 entries; a descriptor each fills the other ring sooner */
        OK(driver_launch(f, NULL, 0, i));
    }
    OK(rt_ctx_synchronize(NULL));
    ck_assert_uint_eq(n_order, 3000);
    for (int i = 0; i < 3000; i++) {
        ck_assert_int_eq(order[i], i);
    }
}
END_TEST

static int big_order(const struct qmd *q, const uint8_t *params, struct chan_error *error)
{
    (void)error;
    ck_assert_uint_eq(q->param_size, 4000);
    memcpy(&order[n_order++], params + 3996, 4);
    return 0;
}

START_TEST(parameters_live_until_their_kernel_has_run)
{
    CUmodule m;
    CUfunction f;
    CUlaunchConfig c = {
        .gridDimX = 1, .gridDimY = 1, .gridDimZ = 1, .blockDimX = 1, .blockDimY = 1, .blockDimZ = 1
    };
    int s[1000];
    void *params[] = { s };

    driver_up("orin", "linux");
    OK(rt_module_load(&m, driver_ptx, 0, NULL, NULL));
    OK(rt_module_function(&f, m, "big"));
    fake_kernel_run = big_order;
    for (int i = 0; i < 200; i++) { /* 800 kB of parameters */
        s[999] = i;
        OK(rt_launch(&c, f, params, NULL));
        s[999] = -1;
    }
    OK(rt_ctx_synchronize(NULL));
    ck_assert_uint_eq(n_order, 200);
    for (int i = 0; i < 200; i++) {
        ck_assert_int_eq(order[i], i);
    }
}
END_TEST

START_TEST(streams_come_back)
{
    CUstream s;

    driver_up("orin", "linux");
    for (unsigned i = 0; i < 2000; i++) {
        OK(rt_stream_create(&s, 0, 0));
        OK(rt_stream_destroy(s));
    }
    FAILS(rt_stream_destroy(s), INVALID_HANDLE);
    OK(rt_stream_create(&s, 0, 0));
    ck_assert_uint_eq(fake_channels_enabled(), 3);
}
END_TEST

/* --- host functions --------------------------------------------------------------------------- */

static int called;

static void call(void *data)
{
    called = called * 10 + *(int *)data;
    FAILS(rt_ctx_synchronize(NULL), NOT_PERMITTED);
}

static CUresult callback_status;

static void callback(CUstream stream, CUresult status, void *data)
{
    (void)stream;
    callback_status = status;
    call(data);
}

START_TEST(host_functions_run_in_stream_order)
{
    CUfunction f = up();
    int one = 1, two = 2;

    OK(rt_stream_host_func(NULL, call, &one));
    OK(driver_launch(f, NULL, 0, 7));
    OK(rt_stream_callback(NULL, callback, &two, 0));
    ck_assert_int_eq(called, 0); /* lazily: not before somebody waits */
    OK(rt_stream_synchronize(NULL));
    ck_assert_int_eq(called, 12);
    ck_assert_int_eq(order[0], 7);
    ck_assert_int_eq(callback_status, CUDA_SUCCESS);
}
END_TEST

START_TEST(functions_of_two_streams_run_as_they_were_queued)
{
    int one = 1, two = 2, three = 3;
    CUstream a, b;

    up();
    OK(rt_stream_create(&a, CU_STREAM_NON_BLOCKING, 0));
    OK(rt_stream_create(&b, CU_STREAM_NON_BLOCKING, 0));
    OK(rt_stream_host_func(b, call, &one));
    OK(rt_stream_host_func(a, call, &two));
    OK(rt_stream_host_func(b, call, &three));
    OK(rt_ctx_synchronize(NULL));
    ck_assert_int_eq(called, 123);
}
END_TEST

/* --- errors ----------------------------------------------------------------------------------- */

static int misaligned(const struct qmd *q, const uint8_t *params, struct chan_error *e)
{
    (void)q;
    (void)params;
    e->va = 3;
    return CHAN_ERROR_MISALIGNED;
}

START_TEST(a_fault_sticks_to_its_context_and_to_no_other)
{
    CUfunction f = up();
    CUcontext bad, good;
    CUdeviceptr p;
    int one = 1;

    OK(rt_ctx_get(&bad));
    fake_kernel_run = misaligned;
    OK(driver_launch(f, NULL, 0, 1));
    OK(rt_stream_callback(NULL, callback, &one, 0));
    OK(rt_stream_host_func(NULL, call, &one));
    FAILS(rt_ctx_synchronize(NULL), MISALIGNED_ADDRESS);
    FAILS(rt_mem_alloc(&p, 4), MISALIGNED_ADDRESS);
    FAILS(driver_launch(f, NULL, 0, 1), MISALIGNED_ADDRESS);
    OK(rt_ctx_create(&good, NULL, 0, 0));
    OK(rt_mem_alloc(&p, 4));
    OK(rt_fill(p, 0, 1, 1, 4, 1, NULL, RT_SYNC));
    OK(rt_ctx_synchronize(NULL));
    ck_assert_int_eq(callback_status, CUDA_ERROR_MISALIGNED_ADDRESS); /* the older form is told */
    ck_assert_int_eq(called, 1);                                      /* the newer is dropped */
    OK(rt_ctx_destroy(bad));
    OK(rt_ctx_synchronize(NULL));
}
END_TEST

static int fault_kind;

static int fail_so(const struct qmd *q, const uint8_t *params, struct chan_error *e)
{
    (void)q;
    (void)params;
    (void)e;
    return fault_kind;
}

/* CUDA Driver API, CUresult; a trap and shared memory out of range: as NVIDIA's driver answers. */
START_TEST(codes_of_faults)
{
    static const struct {
        int kind;
        CUresult code;
    } rows[] = {
        { CHAN_ERROR_MMU, 700 },        { CHAN_ERROR_SHARED_RANGE, 700 },
        { CHAN_ERROR_MISALIGNED, 716 }, { CHAN_ERROR_INSTRUCTION, 715 },
        { CHAN_ERROR_ASSERT, 710 },     { CHAN_ERROR_STACK, 714 },
        { CHAN_ERROR_TIMEOUT, 702 },    { CHAN_ERROR_TRAP, 719 },
    };
    CUfunction f = up();

    fault_kind = rows[_i].kind;
    fake_kernel_run = fail_so;
    OK(driver_launch(f, NULL, 0, 1));
    ck_assert_int_eq(rt_ctx_synchronize(NULL), rows[_i].code);
}
END_TEST

/* A stream waits for a value that nobody writes, and the only thread waits for the stream. */
START_TEST(a_deadlock_is_told_and_ends)
{
    void *pinned;

    if (emulator_lacks("task list without threads of its own")) {
        return;
    }
    up();
    OK(rt_host_alloc(&pinned, 4, 0));
    OK(rt_stream_wait_value(NULL, (uintptr_t)pinned, 1, 32, CU_STREAM_WAIT_VALUE_EQ));
    FAILS(rt_ctx_synchronize(NULL), LAUNCH_TIMEOUT);
}
END_TEST

START_TEST(values_in_memory_order_streams)
{
    CUfunction f = up();
    CUdeviceptr p;
    CUstream a, b;

    OK(rt_stream_create(&a, CU_STREAM_NON_BLOCKING, 0));
    OK(rt_stream_create(&b, CU_STREAM_NON_BLOCKING, 0));
    OK(rt_mem_alloc(&p, 8));
    OK(rt_stream_wait_value(a, p, 5, 64, CU_STREAM_WAIT_VALUE_GEQ));
    OK(driver_launch(f, a, 0, 2));
    OK(driver_launch(f, b, 0, 1));
    OK(rt_stream_write_value(b, p, 5, 64, 0));
    OK(rt_stream_synchronize(a));
    ck_assert_int_eq(order[0] * 10 + order[1], 12);
    FAILS(rt_stream_wait_value(a, p + 1, 5, 32, 0), INVALID_VALUE);
    FAILS(rt_stream_wait_value(a, 64, 5, 32, 0), INVALID_VALUE);
}
END_TEST

/* Measured, H200, 580.159.04. */
static const struct {
    const char *target, *text;
    CUresult code;
} refused[] = {
    { "sm_53", ".visible .entry k;\n", CUDA_ERROR_INVALID_PTX }, /* a prototype that stays one */
    { "sm_53", ".func f();\n.visible .entry k(){ ret; }\n", CUDA_ERROR_INVALID_PTX },
    { "sm_53", ".extern .func f();\n.visible .entry k(){ ret; }\n", CUDA_SUCCESS },
    { "sm_53", ".pragma \"foo\";\n.visible .entry k(){ ret; }\n", CUDA_ERROR_INVALID_PTX },
    { "sm_53", ".visible .entry k(){ .pragma \"foo\"; ret; }\n", CUDA_SUCCESS },
    { "sm_53, texmode_independent", ".global .samplerref s;\n.visible .entry k(){ ret; }\n",
      CUDA_ERROR_NOT_FOUND },
    { "sm_53, texmode_independent", ".global .texref t;\n.visible .entry k(){ ret; }\n",
      CUDA_SUCCESS },
};

START_TEST(modules_load_as_a_driver_loads_them)
{
    g_autofree char *text = g_strdup_printf(".version 8.0\n.target %s\n.address_size 64\n%s",
                                            refused[_i].target, refused[_i].text);
    CUmodule module;
    CUfunction f;

    driver_up("orin", "linux");
    ck_assert_int_eq(rt_module_load(&module, text, 0, NULL, NULL), refused[_i].code);
    if (refused[_i].code == CUDA_SUCCESS) {
        OK(rt_module_function(&f, module, "k"));
    }
}
END_TEST

START_TEST(stale_and_foreign_handles_are_refused)
{
    int local;
    CUfunction f = up();
    CUcontext c;
    CUstream s;
    CUevent e;

    OK(rt_stream_create(&s, 0, 0));
    OK(rt_event_create(&e, 0));
    FAILS(rt_stream_synchronize((CUstream)&local), INVALID_HANDLE);
    FAILS(rt_stream_synchronize((CUstream)e), INVALID_HANDLE);
    FAILS(rt_event_query((CUevent)f), INVALID_HANDLE);
    FAILS(driver_launch((CUfunction)s, NULL, 0, 1), INVALID_HANDLE);
    OK(rt_ctx_get(&c));
    OK(rt_ctx_destroy(c));
    FAILS(rt_stream_synchronize(s), INVALID_CONTEXT);
    OK(rt_ctx_create(&c, NULL, 0, 0));
    FAILS(rt_stream_synchronize(s), INVALID_HANDLE);
    FAILS(driver_launch(f, NULL, 0, 1), INVALID_HANDLE);
}
END_TEST

START_TEST(launches_beyond_the_limits_are_refused)
{
    CUfunction f = up();
    CUlaunchConfig c = { .gridDimX = 1,
                         .gridDimY = 1,
                         .gridDimZ = 1,
                         .blockDimX = 1025,
                         .blockDimY = 1,
                         .blockDimZ = 1 };
    void *params[] = { &c, &c };

    FAILS(rt_launch(&c, f, params, NULL), INVALID_VALUE);
    c.blockDimX = 1;
    c.gridDimY = 65536; /* Programming Guide: 65535 */
    FAILS(rt_launch(&c, f, params, NULL), INVALID_VALUE);
    c.gridDimY = 1;
    c.sharedMemBytes = (48 << 10) + 1; /* 48 KiB without opting in */
    FAILS(rt_launch(&c, f, params, NULL), INVALID_VALUE);
    OK(rt_function_set_attribute(f, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 100 << 10));
    OK(rt_launch(&c, f, params, NULL));
    c.sharedMemBytes = 0;
    c.blockDimX = 0;
    FAILS(rt_launch(&c, f, params, NULL), INVALID_VALUE);
}
END_TEST

/* More often than this the board is not asked by what follows. */
#define ASKS_MAX 64

static unsigned failures;

/* The first error is the loss of the board, and the same error is all there is from then on. */
static bool went(CUresult result)
{
    failures += result != CUDA_SUCCESS;
    ck_assert_int_eq(result, failures ? CUDA_ERROR_DEVICE_UNAVAILABLE : CUDA_SUCCESS);
    return result == CUDA_SUCCESS;
}

/* A sanitizer makes each step ten times as long: there every third number. */
#ifdef __SANITIZE_ADDRESS__
#define EVERY 3
#else
#define EVERY 1
#endif

/* Lost after any number of accesses: in a call, at a doorbell, in a wait, between two calls. */
START_TEST(a_board_that_is_lost_is_one_error_and_no_wrong_data)
{
    static const char data[64] = "what goes in comes out";
    CUdeviceptr device, managed;
    CUfunction f = up();
    CUcontext again;
    char back[64] = "";
    int one = 1;

    fake_lost_after = _i * EVERY;
    went(rt_mem_alloc(&device, sizeof(data)));
    if (went(rt_mem_alloc_managed(&managed, 4096, CU_MEM_ATTACH_GLOBAL))) {
        *(volatile int *)(uintptr_t)managed = 1;
        went(rt_copy(device, (uintptr_t)data, sizeof(data), RT_COPY_HTOD, NULL, RT_SYNC));
        went(driver_launch(f, NULL, managed, 1));
        went(rt_stream_callback(NULL, callback, &one, 0));
        if (went(rt_copy((uintptr_t)back, device, sizeof(back), RT_COPY_DTOH, NULL, RT_SYNC))) {
            ck_assert_str_eq(back, data);
        }
        went(rt_ctx_synchronize(NULL));
        *(volatile int *)(uintptr_t)managed = 2; /* open to the CPU, however it ended */
    }
    ck_assert(failures || fake_lost_after > 0);
    if (called && callback_status != CUDA_ERROR_DEVICE_UNAVAILABLE) {
        ck_assert_int_eq(callback_status, CUDA_SUCCESS);
        ck_assert_uint_eq(n_order, 1);
    }
    if (failures) {
        FAILS(rt_ctx_synchronize(NULL), DEVICE_UNAVAILABLE);
        FAILS(driver_launch(f, NULL, 0, 1), DEVICE_UNAVAILABLE);
        FAILS(rt_mem_alloc(&device, 64), DEVICE_UNAVAILABLE);
        FAILS(rt_ctx_create(&again, NULL, 0, 0), DEVICE_UNAVAILABLE);
        FAILS(rt_init(0), DEVICE_UNAVAILABLE);
    }
    ck_assert_msg(failures || _i * EVERY > 20, "so few accesses do all this?");
    ck_assert_msg(!failures || _i * EVERY < ASKS_MAX - 1,
                  "the board is asked more often: raise ASKS_MAX");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("driver_stream");
    TCase *t = tcase_create("stream");
    SRunner *runner;
    int failed;

    tcase_add_test(t, the_legacy_stream_waits_for_blocking_streams_and_they_for_it);
    tcase_add_test(t, blocking_streams_wait_for_the_legacy_stream);
    tcase_add_test(t, non_blocking_streams_stand_apart);
    tcase_add_test(t, an_event_orders_two_streams);
    tcase_add_test(t, events_answer_before_and_after);
    tcase_add_test(t, queries_make_progress);
    tcase_add_test(t, more_work_than_a_ring_holds);
    tcase_add_test(t, parameters_live_until_their_kernel_has_run);
    tcase_add_test(t, streams_come_back);
    tcase_add_test(t, host_functions_run_in_stream_order);
    tcase_add_test(t, functions_of_two_streams_run_as_they_were_queued);
    tcase_add_test(t, an_event_of_a_context_is_behind_all_its_streams);
    tcase_add_test(t, a_context_waits_for_an_event_on_all_its_streams);
    tcase_add_test(t, an_event_of_another_context_is_none);
    tcase_add_test(t, the_time_of_an_event_is_its_own);
    tcase_add_test(t, a_fault_sticks_to_its_context_and_to_no_other);
    tcase_add_loop_test(t, codes_of_faults, 0, 8);
    tcase_add_test(t, a_deadlock_is_told_and_ends);
    tcase_add_test(t, values_in_memory_order_streams);
    tcase_add_loop_test(t, modules_load_as_a_driver_loads_them, 0, (int)G_N_ELEMENTS(refused));
    tcase_add_test(t, stale_and_foreign_handles_are_refused);
    tcase_add_test(t, launches_beyond_the_limits_are_refused);
    tcase_add_loop_test(t, a_board_that_is_lost_is_one_error_and_no_wrong_data, 1,
                        (ASKS_MAX - 1) / EVERY + 1);
    tcase_set_timeout(t, 60);
    suite_add_tcase(suite, t);
    runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
