/* SPDX-License-Identifier: MIT */
/* Works that are kept and submitted later: what stream capture and graphs stand on. On a fake
 * board.
 */
#include <signal.h>

#include "runtime/driver/core/core.h"
#include "runtime/driver/core/work.h"
#include "runtime/driver/device/context.h"
#include "suite.h"
#include "test_driver.h"

static int order[16];
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

struct params {
    uint64_t p;
    uint32_t n;
};

static struct work kernel(CUfunction f, const struct params *params)
{
    return (struct work){
        .kind = &work_kernel,
        .data = params,
        .data_bytes = sizeof(params->p) + sizeof(params->n),
        .kernel = { .function = f, .grid = { 1, 1, 1 }, .block = { 1, 1, 1 } },
    };
}

static CUresult submit(CUstream stream, const struct work *work)
{
    struct context *c;
    struct stream *s;

    OK(core_enter_context(&c));
    OK(stream_resolve(c, stream, &s));
    return core_leave(stream_submit(s, work));
}

static CUfunction up(void)
{
    driver_up("orin", "linux");
    fake_kernel_run = write_order;
    return driver_kernel();
}

START_TEST(a_work_that_is_kept_runs_as_often_as_it_is_submitted)
{
    struct params params = { 0, 1 };
    struct work work = kernel(up(), &params), copy = work;
    void *kept = g_memdup2(work.data, work.data_bytes);

    copy.data = kept;
    params.n = 2;
    memset(&work, 0, sizeof(work));
    OK(submit(NULL, &copy));
    OK(submit(NULL, &copy));
    OK(rt_ctx_synchronize(NULL));
    ck_assert_uint_eq(n_order, 2);
    ck_assert_int_eq(order[0] * 10 + order[1], 11);
    g_free(kept);
}
END_TEST

/* The fake board runs the channel with the lowest number first: only the dependency makes the
 * launch in the older stream the later one. */
START_TEST(a_work_waits_for_what_it_comes_after)
{
    struct params params[] = { { 0, 1 }, { 0, 2 } };
    CUfunction f = up();
    struct work first = kernel(f, &params[0]), second = kernel(f, &params[1]);
    struct work_after after;
    struct context *c;
    struct stream *s;
    CUstream older, younger;

    OK(rt_stream_create(&older, CU_STREAM_NON_BLOCKING, 0));
    OK(rt_stream_create(&younger, CU_STREAM_NON_BLOCKING, 0));
    OK(submit(younger, &first));
    OK(core_enter_context(&c));
    OK(stream_resolve(c, younger, &s));
    after = (struct work_after){ stream_fence(s), NULL };
    clock_merge(&after.known, stream_known(s));
    OK(core_leave(CUDA_SUCCESS));
    second.after = &after;
    second.n_after = 1;
    OK(submit(older, &second));
    g_clear_pointer(&after.known, g_array_unref);
    OK(rt_ctx_synchronize(NULL));
    ck_assert_uint_eq(n_order, 2);
    ck_assert_int_eq(order[0] * 10 + order[1], 12);
}
END_TEST

START_TEST(a_work_whose_objects_are_gone_is_refused)
{
    struct params params = { 0, 1 };
    struct work work;
    CUdeviceptr ptr;
    CUmodule module;
    CUfunction f;
    CUevent event;

    up();
    OK(rt_module_load(&module, driver_ptx, 0, NULL, NULL));
    OK(rt_module_function(&f, module, "k"));
    OK(rt_module_unload(module));
    work = kernel(f, &params);
    FAILS(submit(NULL, &work), INVALID_HANDLE);
    OK(rt_event_create(&event, 0));
    OK(rt_event_destroy(event));
    FAILS(submit(NULL, &(struct work){ .kind = &work_event_record, .event = event }),
          INVALID_HANDLE);
    FAILS(submit(NULL, &(struct work){ .kind = &work_event_wait, .event = event }), INVALID_HANDLE);
    OK(rt_mem_alloc_managed(&ptr, 16, CU_MEM_ATTACH_GLOBAL));
    FAILS(submit(NULL, &(struct work){ .kind = &work_attach, .attach = { ptr, 0, 1 } }),
          INVALID_HANDLE); /* the address belongs to another allocation now */
    OK(rt_mem_free(ptr));
    FAILS(submit(NULL, &(struct work){ .kind = &work_free, .address = ptr }), INVALID_HANDLE);
    FAILS(submit(NULL, &(struct work){ .kind = &work_alloc, .address = ptr }), INVALID_HANDLE);
    ck_assert_uint_eq(n_order, 0);
}
END_TEST

/* Whatever enters a stream is a work: a submission beside stream_submit() is a defect of ours. */
START_TEST(a_submission_is_part_of_a_work)
{
    struct context *c;
    struct push *p;

    up();
    OK(core_enter_context(&c));
    stream_begin(stream_legacy(c), &p);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("driver_work");
    TCase *c = tcase_create("works");

    suite_add_tcase(suite, c);
    tcase_add_test(c, a_work_that_is_kept_runs_as_often_as_it_is_submitted);
    tcase_add_test(c, a_work_waits_for_what_it_comes_after);
    tcase_add_test(c, a_work_whose_objects_are_gone_is_refused);
    tcase_add_test_raise_signal(c, a_submission_is_part_of_a_work, SIGABRT);
    return suite_main(suite);
}
