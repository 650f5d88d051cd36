/* SPDX-License-Identifier: MIT */
/* EGLStreams from CUDA to CUDA on a fake board: codes, waits on the GPU, maintenance of the L2,
 * findings. Codes marked "measured" are NVIDIA's driver's, 580.159; others its header's. */
#include "runtime/driver/core/core.h"
#include "runtime/driver/device/context.h"
#include "runtime/observe/check_internal.h"
#include "suite.h"
#include "test_driver.h"
#include "tests/emulated.h"

#define W 64u
#define H 16u

_Static_assert(sizeof(CUeglFrame) == 64, "as in NVIDIA's header");

static void *egl;
static CUeglStreamConnection producer, consumer;
static CUstream streams[2]; /* the producer's, the consumer's */
static CUeglFrame frames[3];
static int order[16];
static unsigned n_order;

static int write_order(const struct qmd *q, const uint8_t *params, struct chan_error *error)
{
    uint32_t n;

    (void)q;
    (void)error;
    memcpy(&n, params + 8, 4);
    order[n_order++] = (int)n;
    return 0;
}

static CUeglFrame pitch_frame(void)
{
    CUeglFrame f = { .width = W,
                     .height = H,
                     .pitch = W * 4,
                     .planeCount = 1,
                     .numChannels = 4,
                     .frameType = CU_EGL_FRAME_TYPE_PITCH,
                     .eglColorFormat = CU_EGL_COLOR_FORMAT_ARGB,
                     .cuFormat = CU_AD_FORMAT_UNSIGNED_INT8 };
    CUdeviceptr p;

    OK(rt_mem_alloc(&p, (size_t)W * H * 4));
    f.frame.pPitch[0] = (void *)(uintptr_t)p;
    return f;
}

static void board_up(const char *soc)
{
    driver_up(soc, "linux");
    for (unsigned i = 0; i < 2; i++) {
        OK(rt_stream_create(&streams[i], CU_STREAM_NON_BLOCKING, 0));
    }
    for (unsigned i = 0; i < 3; i++) {
        frames[i] = pitch_frame();
    }
}

static void stream_make(const int64_t *attributes)
{
    ck_assert_int_eq(rt_egl_stream_create(NULL, attributes, &egl), EGL_STREAM_DONE);
}

static void up(const int64_t *attributes)
{
    board_up("orin");
    stream_make(attributes);
    OK(rt_egl_consumer_connect(&consumer, egl, 0));
    OK(rt_egl_producer_connect(&producer, egl, W, H));
    fake_log_clear();
}

static CUresult present(unsigned i)
{
    return rt_egl_present(&producer, &frames[i], &streams[0]);
}

static CUresult collect(CUeglFrame *f)
{
    return rt_egl_return(&producer, f, &streams[0]);
}

static CUgraphicsResource acquire(void)
{
    CUgraphicsResource resource;

    OK(rt_egl_acquire(&consumer, &resource, &streams[1], 0));
    return resource;
}

static CUresult release(CUgraphicsResource resource)
{
    return rt_egl_release(&consumer, resource, &streams[1]);
}

static unsigned found(const char *rule)
{
    const GPtrArray *lists[] = { core_check()->run->findings, core_check()->run->noted_advice };
    unsigned n = 0;

    for (unsigned k = 0; k < 2; k++) {
        for (guint i = 0; i < lists[k]->len; i++) {
            n += strcmp(((const struct run_finding *)lists[k]->pdata[i])->rule, rule) == 0;
        }
    }
    return n;
}

static int32_t state(void)
{
    int32_t value;

    ck_assert_int_eq(rt_egl_stream_query(NULL, egl, EGL_STREAM_STATE, &value), EGL_STREAM_DONE);
    return value;
}

START_TEST(connecting_follows_the_state_machine)
{
    board_up("orin");
    stream_make(NULL);
    FAILS(rt_egl_consumer_connect(NULL, egl, 0), INVALID_VALUE);        /* measured */
    FAILS(rt_egl_consumer_connect(&consumer, NULL, 0), INVALID_HANDLE); /* measured */
    FAILS(rt_egl_producer_connect(&producer, egl, W, H), UNKNOWN);      /* measured */
    ck_assert_int_eq(state(), 0x3215);                                  /* measured */
    OK(rt_egl_consumer_connect(&consumer, egl, 1));
    ck_assert_int_eq(state(), 0x3216);
    FAILS(rt_egl_consumer_connect(&consumer, egl, 0), UNKNOWN); /* measured */
    OK(rt_egl_producer_connect(&producer, egl, W, H));
    ck_assert_int_eq(state(), 0x3217);
    FAILS(rt_egl_producer_connect(&producer, egl, W, H), UNKNOWN); /* measured */
    FAILS(rt_egl_present(&consumer, &frames[0], NULL), INVALID_HANDLE);
    OK(rt_egl_disconnect(&consumer, false));
    ck_assert_int_eq(state(), 0x321A);                          /* measured */
    FAILS(present(0), UNKNOWN);                                 /* measured */
    FAILS(rt_egl_disconnect(&consumer, false), INVALID_HANDLE); /* measured */
    OK(rt_egl_disconnect(&producer, true));
    ck_assert_int_eq(rt_egl_stream_destroy(NULL, egl), EGL_STREAM_DONE);
    ck_assert_int_eq(rt_egl_stream_destroy(NULL, egl), EGL_STREAM_BAD_FRAME);
    FAILS(rt_egl_consumer_connect(&consumer, egl, 0), INVALID_HANDLE);
}
END_TEST

START_TEST(frames_are_checked)
{
    CUeglFrame f;

    up(NULL);
    f = frames[0];
    f.planeCount = 4;
    FAILS(rt_egl_present(&producer, &f, NULL), INVALID_VALUE); /* measured */
    f = frames[0];
    f.numChannels = 9;
    FAILS(rt_egl_present(&producer, &f, NULL), INVALID_VALUE); /* measured */
    f = frames[0];
    f.frame.pPitch[0] = NULL;
    FAILS(rt_egl_present(&producer, &f, NULL), INVALID_HANDLE); /* measured */
    f = frames[0];
    f.frameType = CU_EGL_FRAME_TYPE_ARRAY; /* an address is no array */
    FAILS(rt_egl_present(&producer, &f, NULL), INVALID_HANDLE);
    f = frames[0];
    f.planeCount = 0;
    FAILS(rt_egl_present(&producer, &f, NULL), INVALID_VALUE); /* measured, as the next ones */
    f = frames[0];
    f.eglColorFormat = 999;
    FAILS(rt_egl_present(&producer, &f, NULL), INVALID_VALUE);
    f = frames[0];
    f.cuFormat = 77;
    FAILS(rt_egl_present(&producer, &f, NULL), UNKNOWN);
    FAILS(rt_egl_present(NULL, &f, NULL), INVALID_HANDLE);
    FAILS(rt_egl_acquire(&consumer, NULL, NULL, 0), INVALID_HANDLE);
    FAILS(rt_egl_return(&producer, NULL, NULL), INVALID_HANDLE);
    f = frames[0];
    f.width = W / 2;
    OK(rt_egl_present(&producer, &f, NULL)); /* measured */
    ck_assert_uint_eq(found("egl-frame-size"), 1);
    FAILS(present(0), UNKNOWN); /* measured: it is with the stream */
}
END_TEST

/* CUDA for Tegra 5.1.4, of kernels K1 and K2; the producer's channel is the older one, and would
 * run later where the fake board has the choice of streams. */
START_TEST(the_consumer_waits_on_the_gpu)
{
    CUgraphicsResource resource;
    CUfunction k;
    CUeglFrame f;
    void *flag;

    up(NULL);
    k = driver_kernel();
    fake_kernel_run = write_order;
    OK(rt_host_alloc(&flag, 4, 0));
    OK(rt_stream_wait_value(streams[0], (uintptr_t)flag, 1, 32, CU_STREAM_WAIT_VALUE_EQ));
    OK(driver_launch(k, streams[0], 0, 1));
    OK(present(0));
    resource = acquire(); /* does not block, though K1 has not run */
    OK(rt_graphics_frame(&f, resource, 0, 0));
    ck_assert_ptr_eq(f.frame.pPitch[0], frames[0].frame.pPitch[0]);
    ck_assert_uint_eq(f.pitch, W * 4);
    OK(driver_launch(k, streams[1], 0, 2));
    FAILS(rt_stream_query(streams[1]), NOT_READY);
    FAILS(rt_stream_query(streams[1]), NOT_READY);
    ck_assert_uint_eq(n_order, 0);
    *(int *)flag = 1;
    OK(rt_stream_synchronize(streams[1]));
    ck_assert_int_eq(order[0] * 10 + order[1], 12);
}
END_TEST

START_TEST(the_producer_waits_on_the_gpu_for_the_returned_frame)
{
    static const int64_t no_reuse[] = { EGL_STREAM_REUSE, 0, 0x3038 };
    CUgraphicsResource resource;
    CUfunction k;
    CUeglFrame f;
    void *flag;

    up(no_reuse);
    k = driver_kernel();
    fake_kernel_run = write_order;
    OK(rt_host_alloc(&flag, 4, 0));
    OK(present(0));
    resource = acquire();
    OK(rt_stream_wait_value(streams[1], (uintptr_t)flag, 1, 32, CU_STREAM_WAIT_VALUE_EQ));
    OK(driver_launch(k, streams[1], 0, 1));
    OK(release(resource));
    OK(collect(&f)); /* does not block, though the consumer's kernel has not run */
    ck_assert_ptr_eq(f.frame.pPitch[0], frames[0].frame.pPitch[0]);
    OK(driver_launch(k, streams[0], 0, 2));
    FAILS(rt_stream_query(streams[0]), NOT_READY);
    FAILS(rt_stream_query(streams[0]), NOT_READY);
    ck_assert_uint_eq(n_order, 0);
    *(int *)flag = 1;
    OK(rt_stream_synchronize(streams[0]));
    ck_assert_int_eq(order[0] * 10 + order[1], 12);
}
END_TEST

/* CUDA for Tegra 3.1: the driver manages the GPU's caches where interop memory is used. */
START_TEST(the_l2_is_maintained_where_a_frame_changes_hands)
{
    static const char *const socs[] = { "tx2", "orin", "thor" };
    static const char *const logs[] = { "l2_clean\nl2_clean\nl2_invalidate\nl2_clean\nl2_clean\n"
                                        "l2_invalidate\n",
                                        "l2_clean\nl2_clean\nl2_invalidate\nl2_clean\nl2_clean\n"
                                        "l2_invalidate\n",
                                        "" };
    static const int64_t no_reuse[] = { EGL_STREAM_REUSE, 0, 0x3038 };
    CUeglFrame f;

    board_up(socs[_i]);
    stream_make(no_reuse);
    OK(rt_egl_consumer_connect(&consumer, egl, 0));
    OK(rt_egl_producer_connect(&producer, egl, W, H));
    fake_log_clear();
    OK(present(0));
    OK(release(acquire()));
    OK(collect(&f));
    OK(rt_ctx_synchronize(NULL));
    ck_assert_str_eq(fake_log->str, logs[_i]);
}
END_TEST

/* Measured: what is released while another frame is pending comes back at once; the old frame when
 * a newer one is presented; a frame that was discarded and not collected is with the stream. */
START_TEST(a_newer_frame_sets_the_old_one_free)
{
    CUgraphicsResource resource;
    CUeglFrame f;

    up(NULL);
    OK(present(0));
    resource = acquire();
    OK(present(1));
    FAILS(collect(&f), LAUNCH_TIMEOUT);
    OK(release(resource));
    ck_assert_int_eq(state(), 0x3218);
    OK(collect(&f));
    ck_assert_ptr_eq(f.frame.pPitch[0], frames[0].frame.pPitch[0]);
    OK(release(acquire()));
    FAILS(collect(&f), LAUNCH_TIMEOUT);
    OK(present(0));
    OK(collect(&f));
    ck_assert_ptr_eq(f.frame.pPitch[0], frames[1].frame.pPitch[0]);
    OK(present(2));
    FAILS(present(0), UNKNOWN);
}
END_TEST

/* Measured. */
START_TEST(a_held_frame_outlives_its_producer)
{
    CUgraphicsResource resource;
    CUeglFrame f;

    up(NULL);
    OK(present(0));
    resource = acquire();
    OK(rt_egl_disconnect(&producer, true));
    OK(rt_graphics_frame(&f, resource, 0, 0));
    OK(release(resource));
    FAILS(rt_egl_acquire(&consumer, &resource, NULL, 0), UNKNOWN);
    OK(rt_egl_disconnect(&consumer, false));
}
END_TEST

/* Measured. */
START_TEST(nothing_comes_back_from_a_consumer_that_is_gone)
{
    CUeglFrame f;

    up(NULL);
    OK(present(0));
    acquire();
    OK(rt_egl_disconnect(&consumer, false));
    ck_assert_int_eq(state(), 0x321A);
    FAILS(collect(&f), UNKNOWN);
    OK(rt_egl_disconnect(&producer, true));
}
END_TEST

/* Measured. */
START_TEST(without_reuse_the_last_frame_comes_back)
{
    static const int64_t no_reuse[] = { EGL_STREAM_REUSE, 0, 0x3038 };
    CUgraphicsResource resource;
    CUeglFrame f;

    up(no_reuse);
    OK(present(0));
    resource = acquire();
    ck_assert_int_eq(state(), 0x3217);
    OK(release(resource));
    OK(collect(&f));
    FAILS(rt_egl_acquire(&consumer, &resource, NULL, 1000), LAUNCH_TIMEOUT);
}
END_TEST

/* Measured. */
START_TEST(a_destroyed_stream_can_only_be_left)
{
    CUgraphicsResource resource;

    up(NULL);
    ck_assert_int_eq(rt_egl_stream_destroy(NULL, egl), EGL_STREAM_DONE);
    FAILS(rt_egl_acquire(&consumer, &resource, NULL, 0), UNKNOWN);
    FAILS(present(0), UNKNOWN);
    OK(rt_egl_disconnect(&consumer, false));
    OK(rt_egl_disconnect(&producer, true));
}
END_TEST

START_TEST(frames_come_back_in_the_order_of_their_release)
{
    CUeglFrame f;

    up(NULL);
    FAILS(collect(&f), UNKNOWN); /* measured: no frame is with the stream */
    for (unsigned i = 0; i < 3; i++) {
        OK(present(i));
    }
    for (unsigned i = 0; i < 2; i++) { /* measured: mailbox, three presents */
        OK(collect(&f));
        ck_assert_ptr_eq(f.frame.pPitch[0], frames[i].frame.pPitch[0]);
    }
    FAILS(collect(&f), LAUNCH_TIMEOUT);
    ck_assert_uint_eq(found("egl-frame-discarded"), 1);
    ck_assert_uint_eq(found("egl-frame-pinned"), 0);
}
END_TEST

START_TEST(a_frame_is_held_once_and_acquired_again_when_it_is_old)
{
    CUgraphicsResource resource, other;
    CUeglFrame f;

    up(NULL);
    FAILS(rt_egl_acquire(&consumer, &resource, NULL, 1000), UNKNOWN); /* measured: EMPTY */
    OK(present(0));
    resource = acquire();
    FAILS(rt_egl_acquire(&consumer, &other, NULL, 0), UNKNOWN); /* measured: holding */
    OK(release(resource));
    FAILS(release(resource), UNKNOWN);         /* measured: twice */
    OK(rt_graphics_frame(&f, resource, 1, 1)); /* measured: still there, and whatever the index */
    ck_assert_int_eq(state(), 0x3219);
    resource = acquire(); /* measured: SUCCESS, state stays OLD */
    ck_assert_int_eq(state(), 0x3219);
    ck_assert_uint_eq(found("egl-frame-repeated"), 1);
    OK(release(resource));
    FAILS(collect(&f), LAUNCH_TIMEOUT);
    ck_assert_uint_eq(found("egl-frame-pinned"), 0);
    FAILS(collect(&f), LAUNCH_TIMEOUT);
    ck_assert_uint_eq(found("egl-frame-pinned"), 1);
}
END_TEST

/* A board waits for ever; here no other thread could take a frame out. */
START_TEST(a_full_fifo_does_not_hang_a_lone_thread)
{
    static const int64_t fifo[] = { EGL_STREAM_FIFO_LENGTH, 2, 0x3038 };

    if (emulator_lacks("task list without threads of its own")) {
        return;
    }
    up(fifo);
    OK(present(0));
    OK(present(1));
    FAILS(present(2), LAUNCH_TIMEOUT);
}
END_TEST

START_TEST(sixty_four_frames_can_be_outstanding)
{
    static const int64_t fifo[] = { EGL_STREAM_FIFO_LENGTH, 70, 0x3038 };
    CUeglFrame f;

    up(fifo);
    for (unsigned i = 0; i < 64; i++) {
        f = pitch_frame();
        OK(rt_egl_present(&producer, &f, &streams[0]));
    }
    FAILS(present(0), UNKNOWN); /* measured */
}
END_TEST

/* CUDA for Tegra 5.1.3. */
START_TEST(a_destroyed_context_disconnects_the_stream)
{
    CUcontext first, second;

    up(NULL);
    OK(rt_ctx_get(&first));
    OK(rt_egl_disconnect(&producer, true));
    rt_egl_stream_destroy(NULL, egl);
    stream_make(NULL);
    OK(rt_egl_consumer_connect(&consumer, egl, 0));
    OK(rt_ctx_create(&second, NULL, 0, 0));
    OK(rt_egl_producer_connect(&producer, egl, W, H));
    OK(rt_ctx_destroy(second));
    ck_assert_int_eq(state(), 0x321A);
    OK(rt_ctx_set(first));
    FAILS(rt_egl_present(&producer, &frames[0], NULL), INVALID_HANDLE);
    ck_assert_uint_eq(found("egl-context-gone"), 1);
}
END_TEST

/* A frame of another context's device memory is mapped for the consumer's, while it lives. */
START_TEST(a_consumer_in_another_context_reaches_the_frame)
{
    CUcontext first, second;
    CUgraphicsResource resource;
    CUdeviceptr at = 0;
    size_t bytes = 0;

    board_up("orin");
    stream_make(NULL);
    OK(rt_ctx_get(&first));
    OK(rt_ctx_create(&second, NULL, 0, 0));
    OK(rt_egl_consumer_connect(&consumer, egl, 0));
    OK(rt_ctx_set(first));
    OK(rt_egl_producer_connect(&producer, egl, W, H));
    OK(present(0));
    ck_assert_ptr_null(fake_gpu(1, (uintptr_t)frames[0].frame.pPitch[0], NULL));
    OK(rt_ctx_set(second));
    OK(rt_egl_acquire(&consumer, &resource, NULL, 0));
    OK(rt_graphics_pointer(&at, &bytes, resource));
    ck_assert_uint_eq(at, (uintptr_t)frames[0].frame.pPitch[0]);
    ck_assert_uint_eq(bytes, (size_t)W * H * 4);
    ck_assert_ptr_nonnull(fake_gpu(1, at, NULL));
    OK(rt_egl_release(&consumer, resource, NULL));
    OK(rt_egl_disconnect(&consumer, false));
    OK(rt_ctx_set(first));
    OK(rt_egl_disconnect(&producer, true));
    OK(rt_mem_free(at));
    ck_assert_ptr_null(fake_gpu(1, at, NULL));
}
END_TEST

START_TEST(arrays_are_frames)
{
    CUDA_ARRAY_DESCRIPTOR d = { W, H, CU_AD_FORMAT_UNSIGNED_INT8, 4 };
    CUgraphicsResource resource;
    CUeglFrame f = { .width = W,
                     .height = H,
                     .planeCount = 1,
                     .numChannels = 4,
                     .eglColorFormat = CU_EGL_COLOR_FORMAT_ARGB,
                     .cuFormat = CU_AD_FORMAT_UNSIGNED_INT8 };
    CUarray array;
    CUdeviceptr at;

    up(NULL);
    OK(rt_array_create_2d(&f.frame.pArray[0], &d));
    OK(rt_egl_present(&producer, &f, NULL));
    resource = acquire();
    OK(rt_graphics_array(&array, resource, 0, 0));
    ck_assert_ptr_eq(array, f.frame.pArray[0]);
    FAILS(rt_graphics_pointer(&at, NULL, resource), NOT_MAPPED_AS_POINTER);
    FAILS(rt_graphics_array(&array, resource, 1, 0), INVALID_VALUE);
}
END_TEST

START_TEST(a_presented_frame_that_is_freed_is_reported)
{
    up(NULL);
    OK(present(0));
    OK(rt_mem_free((uintptr_t)frames[0].frame.pPitch[0]));
    OK(rt_mem_free((uintptr_t)frames[1].frame.pPitch[0]));
    ck_assert_uint_eq(found("egl-frame-freed"), 1);
    OK(rt_egl_disconnect(&producer, true));
}
END_TEST

START_TEST(copies_into_frames_that_are_not_the_producers_are_reported)
{
    CUgraphicsResource resource;
    char bytes[W] = { 0 };

    up(NULL);
    OK(rt_copy((uintptr_t)frames[0].frame.pPitch[0], (uintptr_t)bytes, W, RT_COPY_HTOD, streams[0],
               RT_ASYNC));
    OK(present(0));
    resource = acquire();
    ck_assert_uint_eq(found("egl-frame-rewritten") + found("egl-frame-written"), 0);
    OK(rt_fill((uintptr_t)frames[0].frame.pPitch[0], 0, 1, 1, W, 1, streams[1], RT_ASYNC));
    ck_assert_uint_eq(found("egl-frame-written"), 1);
    OK(release(resource));
    OK(rt_fill((uintptr_t)frames[0].frame.pPitch[0], 0, 1, 1, W, 1, streams[0], RT_ASYNC));
    ck_assert_uint_eq(found("egl-frame-rewritten"), 1);
    OK(rt_fill((uintptr_t)frames[1].frame.pPitch[0], 0, 1, 1, W, 1, streams[0], RT_ASYNC));
    ck_assert_uint_eq(found("egl-frame-rewritten"), 1);
}
END_TEST

/* No handle and no memory is left over: the table of handles would be full long before. */
START_TEST(many_connections_leave_nothing_behind)
{
    CUgraphicsResource resource;

    board_up("orin");
    for (unsigned i = 0; i < 100000; i++) {
        stream_make(NULL);
        OK(rt_egl_consumer_connect(&consumer, egl, 0));
        OK(rt_egl_producer_connect(&producer, egl, W, H));
        if (i % 100 == 0) {
            OK(present(i / 100 % 3));
            OK(rt_egl_acquire(&consumer, &resource, NULL, 0));
        }
        OK(i % 2 ? rt_egl_disconnect(&consumer, false) : rt_egl_disconnect(&producer, true));
        ck_assert_int_eq(rt_egl_stream_destroy(NULL, egl), EGL_STREAM_DONE);
        OK(i % 2 ? rt_egl_disconnect(&producer, true) : rt_egl_disconnect(&consumer, false));
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("driver_egl");
    TCase *t = tcase_create("streams");

    tcase_add_test(t, connecting_follows_the_state_machine);
    tcase_add_test(t, frames_are_checked);
    tcase_add_test(t, the_consumer_waits_on_the_gpu);
    tcase_add_test(t, the_producer_waits_on_the_gpu_for_the_returned_frame);
    tcase_add_loop_test(t, the_l2_is_maintained_where_a_frame_changes_hands, 0, 3);
    tcase_add_test(t, a_newer_frame_sets_the_old_one_free);
    tcase_add_test(t, a_held_frame_outlives_its_producer);
    tcase_add_test(t, nothing_comes_back_from_a_consumer_that_is_gone);
    tcase_add_test(t, without_reuse_the_last_frame_comes_back);
    tcase_add_test(t, a_destroyed_stream_can_only_be_left);
    tcase_add_test(t, frames_come_back_in_the_order_of_their_release);
    tcase_add_test(t, a_frame_is_held_once_and_acquired_again_when_it_is_old);
    tcase_add_test(t, a_full_fifo_does_not_hang_a_lone_thread);
    tcase_add_test(t, sixty_four_frames_can_be_outstanding);
    tcase_add_test(t, a_destroyed_context_disconnects_the_stream);
    tcase_add_test(t, a_consumer_in_another_context_reaches_the_frame);
    tcase_add_test(t, arrays_are_frames);
    tcase_add_test(t, a_presented_frame_that_is_freed_is_reported);
    tcase_add_test(t, copies_into_frames_that_are_not_the_producers_are_reported);
    tcase_add_test(t, many_connections_leave_nothing_behind);
    suite_add_tcase(suite, t);
    return suite_main(suite);
}
