/* SPDX-License-Identifier: MIT */
/* More streams than the hardware has channels and syncpoints, on a fake board.
 *
 * The streams of a board share work queues (CUDA C++ Programming Guide,
 * CUDA_DEVICE_MAX_CONNECTIONS): no document limits their number. Nano has 192 syncpoints, the iGPU
 * 512 channels. With a sanitizer, which makes each step ten times as long, a few more than that. */
#include "runtime/driver/core/core.h"
#include "test_driver.h"
#include "tests/suite.h"

#ifdef __SANITIZE_ADDRESS__
#define STREAMS 600u
#else
#define STREAMS 1200u
#endif

static CUstream many[STREAMS];
static CUdeviceptr words; /* one for each stream */
static unsigned back[STREAMS];

static const char *const socs[] = { "nano", "orin" };

static void up(const char *soc)
{
    driver_up(soc, "linux");
    for (unsigned i = 0; i < STREAMS; i++) {
        OK(rt_stream_create(&many[i], CU_STREAM_NON_BLOCKING, 0));
    }
    OK(rt_mem_alloc(&words, sizeof(back)));
}

static void fill(unsigned i, CUstream stream, unsigned value)
{
    OK(rt_fill(words + 4 * (uint64_t)i, 0, value, 4, 1, 1, stream, RT_ASYNC));
}

static void read_back(void)
{
    OK(rt_ctx_synchronize(NULL));
    OK(rt_copy((uintptr_t)back, words, sizeof(back), RT_COPY_DTOH, NULL, RT_SYNC));
}

START_TEST(each_does_its_work_in_order)
{
    up(socs[_i]);
    for (unsigned round = 1; round <= 3; round++) {
        for (unsigned i = 0; i < STREAMS; i++) {
            fill(i, many[i], i * round);
        }
    }
    read_back();
    for (unsigned i = 0; i < STREAMS; i++) {
        ck_assert_uint_eq(back[i], i * 3);
    }
}
END_TEST

START_TEST(each_can_be_waited_for)
{
    up(socs[_i]);
    for (unsigned i = 0; i < STREAMS; i++) {
        fill(i, many[i], i + 7);
        ck_assert_int_eq(rt_stream_query(many[i]), CUDA_ERROR_NOT_READY);
    }
    for (unsigned i = STREAMS; i > 0; i--) {
        OK(rt_stream_synchronize(many[i - 1]));
        OK(rt_stream_query(many[i - 1]));
    }
    read_back();
    for (unsigned i = 0; i < STREAMS; i++) {
        ck_assert_uint_eq(back[i], i + 7);
    }
}
END_TEST

/* All fill one word, each after the one before. */
START_TEST(events_order_them)
{
    CUevent e;

    up(socs[_i]);
    OK(rt_event_create(&e, 0));
    for (unsigned i = 0; i < STREAMS; i++) {
        OK(rt_stream_wait_event(many[i], e, 0));
        fill(0, many[i], i);
        OK(rt_event_record(e, many[i], 0));
    }
    read_back();
    ck_assert_uint_eq(back[0], STREAMS - 1);
}
END_TEST

static unsigned called;

static void function(void *data)
{
    ck_assert_uint_eq(*(unsigned *)data, called++);
}

START_TEST(each_calls_its_host_function)
{
    static unsigned number[STREAMS];

    up(socs[_i]);
    for (unsigned i = 0; i < STREAMS; i++) {
        number[i] = i;
        OK(rt_stream_host_func(many[i], function, &number[i]));
        OK(rt_stream_synchronize(many[i]));
        fill(i, many[i], i);
    }
    ck_assert_uint_eq(called, STREAMS);
    read_back();
    ck_assert_uint_eq(back[STREAMS - 1], STREAMS - 1);
}
END_TEST

/* The first cannot run before the last has: it must not be waited for. */
START_TEST(one_may_wait_for_the_last)
{
    up(socs[_i]);
    OK(rt_stream_wait_value(many[0], words, 5, 32, CU_STREAM_WAIT_VALUE_EQ));
    fill(1, many[0], 9);
    for (unsigned i = 2; i < STREAMS; i++) {
        fill(i, many[i], i);
    }
    OK(rt_stream_write_value(many[STREAMS - 1], words, 5, 32, 0));
    OK(rt_stream_synchronize(many[0]));
    read_back();
    ck_assert_uint_eq(back[0], 5);
    ck_assert_uint_eq(back[1], 9);
    ck_assert_uint_eq(back[STREAMS - 1], STREAMS - 1);
}
END_TEST

START_TEST(they_are_destroyed_with_or_without_hardware)
{
    up(socs[_i]);
    for (unsigned i = 0; i < STREAMS; i++) {
        fill(i, many[i], i + 1);
    }
    for (unsigned i = 0; i < STREAMS; i++) {
        OK(rt_stream_destroy(many[i]));
    }
    read_back();
    for (unsigned i = 0; i < STREAMS; i++) {
        ck_assert_uint_eq(back[i], i + 1);
    }
    ck_assert_uint_eq(fake_channels_enabled(), 2); /* the context's own */
}
END_TEST

/* In the order in which they were made: each leaves the front of its context's list. */
START_TEST(many_events_are_destroyed_one_by_one_or_with_their_context)
{
    const unsigned n = 100000;
    g_autofree CUevent *events = g_new(CUevent, n);
    CUcontext c;

    driver_up(socs[_i], "linux");
    OK(rt_ctx_create(&c, NULL, 0, 0));
    for (unsigned i = 0; i < n; i++) {
        OK(rt_event_create(&events[i], 0));
    }
    for (unsigned i = 0; i < n / 2; i++) {
        OK(rt_event_destroy(events[i]));
    }
    OK(rt_ctx_destroy(c));
    ck_assert_int_eq(rt_event_query(events[n - 1]), CUDA_ERROR_INVALID_HANDLE);
}
END_TEST

/* @many[0] has lost its hardware; its managed memory is open to the CPU because its work was waited
 * for. */
START_TEST(managed_memory_opens_when_its_stream_was_waited_for)
{
    CUdeviceptr p;

    up(socs[_i]);
    OK(rt_mem_alloc_managed(&p, 4096, CU_MEM_ATTACH_GLOBAL));
    OK(rt_fill(p, 0, 1, 4, 1, 1, many[0], RT_ASYNC));
    ck_assert_int_eq(fake_prot((void *)(uintptr_t)p), HAL_PROT_NONE);
    for (unsigned i = 1; i < STREAMS; i++) {
        fill(i, many[i], i);
    }
    OK(rt_ctx_synchronize(NULL));
    ck_assert_int_eq(fake_prot((void *)(uintptr_t)p), HAL_PROT_WRITE);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("driver_many");
    TCase *t = tcase_create("many");

    tcase_set_timeout(t, 60);
    tcase_add_loop_test(t, each_does_its_work_in_order, 0, 2);
    tcase_add_loop_test(t, each_can_be_waited_for, 0, 2);
    tcase_add_loop_test(t, events_order_them, 0, 2);
    tcase_add_loop_test(t, each_calls_its_host_function, 0, 2);
    tcase_add_loop_test(t, one_may_wait_for_the_last, 0, 2);
    tcase_add_loop_test(t, they_are_destroyed_with_or_without_hardware, 0, 2);
    tcase_add_loop_test(t, managed_memory_opens_when_its_stream_was_waited_for, 0, 2);
    tcase_add_loop_test(t, many_events_are_destroyed_one_by_one_or_with_their_context, 0, 2);
    suite_add_tcase(s, t);
    return suite_main(s);
}
