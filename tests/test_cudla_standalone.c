/* SPDX-License-Identifier: MIT */
/* cuDLA's standalone mode on the board in this process; the handles of NvSci are a fake's. */
#include <errno.h>

#include "runtime/driver/memory/rt_external.h"
#include "tests/cudla_board.h"

static struct rt_sci_buf bufs[3];
static struct rt_sci_sync syncs[3];
struct fake_fence {
    const struct rt_sci_sync *object; /* NULL: cleared */
    uint64_t value;
};

static bool fake_buf(const void *handle, const uint8_t uuid[16], struct rt_sci_buf *out)
{
    bool known = handle == &bufs[0] || handle == &bufs[1] || handle == &bufs[2];

    (void)uuid;
    if (known) {
        *out = *(const struct rt_sci_buf *)handle;
    }
    return known;
}

static bool fake_sync(const void *handle, struct rt_sci_sync *out)
{
    for (unsigned i = 0; i < 3; i++) {
        if (handle == &syncs[i]) {
            *out = syncs[i];
            return true;
        }
    }
    return false;
}

static bool fake_fence_set(const void *handle, uint64_t value, void *fence)
{
    *(struct fake_fence *)fence = (struct fake_fence){ handle, value };
    return true;
}

static bool fake_fence_get(const void *fence, struct rt_sci_fence *out)
{
    const struct fake_fence *f = fence;

    out->cleared = !f->object;
    out->sync = f->object ? f->object->sync : NULL;
    out->value = f->value;
    return true;
}

static uint32_t listed[4];
static bool listed_signal;

static int fake_list(void *list, bool signal, bool wait, const uint32_t *primitives, unsigned count,
                     const uint8_t uuid[16])
{
    (void)wait;
    ck_assert_ptr_null(uuid);
    listed_signal = signal;
    memcpy(listed, primitives, count * sizeof(*primitives));
    return list == &listed ? 0 : -EBADF;
}

static struct {
    cudlaDevHandle dev;
    cudlaModule module;
    uint8_t *loadable;
    size_t len;
    uint64_t *in, *out, *sync[3];
    const uint64_t *inputs[1];
    uint64_t *outputs[1];
} b;

static void up(const char *soc)
{
    static const struct rt_sci_ops ops = { fake_buf,       fake_sync, fake_fence_set,
                                           fake_fence_get, fake_list, NULL };
    static const enum rt_sync_kind kinds[] = { RT_SYNC_SYNCPT, RT_SYNC_SYNCPT, RT_SYNC_SEMAPHORE };

    setenv("VTEGRA_PROFILES", PROFILES_DIR, 1);
    setenv("VTEGRA_SOC", soc, 1);
    setenv("VTEGRA_EDITION", "11.4", 0); /* with cuDLA 1.2.1 */
    setenv("VTEGRA_POLICY", "lazy", 1);
    setenv("VTEGRA_REPORT", "/dev/null", 1);
    rt_sci_provide(&ops);
    for (unsigned i = 0; i < 3; i++) {
        CU(rt_shared_new(RIG_BYTES, 1, true, "NvSciBufObjAlloc", &bufs[i].memory));
        bufs[i].size = RIG_BYTES;
        bufs[i].writable = true;
    }
    for (unsigned i = 0; i < 3; i++) {
        CU(rt_sync_new(kinds[i], &syncs[i].sync));
        syncs[i].may_wait = syncs[i].may_signal = true;
    }
    OK(cudlaCreateDevice(0, &b.dev, CUDLA_STANDALONE));
}

static void load(void)
{
    cudlaExternalMemoryHandleDesc d = { &bufs[0], RIG_BYTES };
    cudlaExternalSemaphoreHandleDesc s;

    b.loadable = rig_loadable(&board_net, &b.len);
    OK(cudlaModuleLoadFromMemory(b.dev, b.loadable, b.len, &b.module, 0));
    OK(cudlaImportExternalMemory(b.dev, &d, &b.in, 0));
    d.extBufObject = &bufs[1];
    OK(cudlaImportExternalMemory(b.dev, &d, &b.out, 0));
    for (unsigned i = 0; i < 3; i++) {
        s.extSyncObject = &syncs[i];
        OK(cudlaImportExternalSemaphore(b.dev, &s, &b.sync[i], 0));
    }
    b.inputs[0] = b.in;
    b.outputs[0] = b.out;
}

static cudlaTask task(const cudlaWaitEvents *wait, cudlaSignalEvents *signal)
{
    return (cudlaTask){ .moduleHandle = b.module,
                        .outputTensor = b.outputs,
                        .numOutputTensors = 1,
                        .numInputTensors = 1,
                        .inputTensor = b.inputs,
                        .waitEvents = wait,
                        .signalEvents = signal };
}

static void input_fill(int8_t first)
{
    int8_t *in = rt_shared_cpu(bufs[0].memory);

    for (unsigned i = 0; i < RIG_BYTES; i++) {
        in[i] = (int8_t)(first + (int)i);
    }
}

static bool output_is(int8_t first)
{
    const int8_t *out = rt_shared_cpu(bufs[1].memory);

    for (unsigned i = 0; i < RIG_BYTES; i++) {
        if (out[i] != rig_expect(&board_net, (int8_t)(first + (int)i))) {
            return false;
        }
    }
    return true;
}

/* Note 5.1.4: the listing. The input's fence, the task, the output's fence. */
START_TEST(a_task_runs_between_its_fences)
{
    struct fake_fence before = { &syncs[0], 1 }, after = { 0 };
    CudlaFence pre[] = { { &before, CUDLA_NVSCISYNC_FENCE } };
    CudlaFence eof[] = { { &after, CUDLA_NVSCISYNC_FENCE } };
    cudlaWaitEvents wait = { pre, 1 };
    cudlaSignalEvents signal;
    cudlaTask t = task(&wait, &signal);

    up("xavier");
    load();
    signal = (cudlaSignalEvents){ (uint64_t *const *)&b.sync[1], eof, 1 };
    t = task(&wait, &signal);
    ck_assert_uint_eq(rt_sync_next(syncs[0].sync), 1);
    OK(cudlaSubmitTask(b.dev, &t, 1, NULL, 0));
    ck_assert_ptr_eq(after.object, &syncs[1]);
    ck_assert_uint_eq(after.value, 1);
    ck_assert_int_eq(rt_sync_wait(syncs[1].sync, 1, 1000), -ETIMEDOUT); /* waits for the input */
    input_fill(-60);
    CU(rt_sync_signal(syncs[0].sync));
    ck_assert_int_eq(rt_sync_wait(syncs[1].sync, 1, -1), 0);
    ck_assert(output_is(-60));
    OK(cudlaGetLastError(b.dev));
    OK(cudlaDestroyDevice(b.dev));
}
END_TEST

static const char *const time_editions[] = { "11.4", "11.8", "" };

/* "a snapshot of DLA clock just before start of task & after task completion". */
START_TEST(sof_and_eof_fences_have_their_times)
{
    struct fake_fence sof = { 0 }, eof = { 0 };
    CudlaFence fences[] = { { &sof, CUDLA_NVSCISYNC_FENCE_SOF }, { &eof, CUDLA_NVSCISYNC_FENCE } };
    uint64_t *objects[2], begin, end;
    cudlaSignalEvents signal = { objects, fences, 2 };
    cudlaTask t;

    up("xavier");
    load();
    objects[0] = b.sync[2];
    objects[1] = b.sync[1];
    t = task(NULL, &signal);
    OK(cudlaSubmitTask(b.dev, &t, 1, NULL, 0));
    ck_assert_uint_eq(rt_sync_time_us(syncs[1].sync, 1), 0);
    ck_assert_int_eq(rt_sync_wait(syncs[1].sync, eof.value, -1), 0);
    ck_assert_uint_eq(rt_sync_value(syncs[2].sync), sof.value);
    begin = rt_sync_time_us(syncs[2].sync, sof.value);
    end = rt_sync_time_us(syncs[1].sync, eof.value);
    ck_assert_uint_ne(begin, 0);
    ck_assert_uint_ge(end, begin);
}
END_TEST

/* 5.1.4 of 11.4 has them, that of 11.8 does not. */
START_TEST(time_stamps_are_those_of_the_edition)
{
    bool there = strcmp(time_editions[_i], "11.8") != 0;
    cudlaExternalSemaphoreHandleDesc d = { &syncs[0] };
    uint64_t *sync;

    setenv("VTEGRA_EDITION", time_editions[_i], 1);
    up("xavier");
    syncs[0].timestamps = true;
    ck_assert_int_eq(cudlaImportExternalSemaphore(b.dev, &d, &sync, 0),
                     there ? cudlaSuccess : cudlaErrorUnsupportedOperation);
    syncs[1].timestamps = true; /* another signaler's */
    syncs[1].may_signal = false;
    d.extSyncObject = &syncs[1];
    OK(cudlaImportExternalSemaphore(b.dev, &d, &sync, 0));
    d.extSyncObject = &syncs[2];
    OK(cudlaImportExternalSemaphore(b.dev, &d, &sync, 0));
}
END_TEST

/* "each signal operation will increment the fence value by '1'"; tasks in order; NOOP. */
START_TEST(tasks_run_in_order_and_a_noop_signals)
{
    struct fake_fence after[3] = { { 0 } };
    CudlaFence eof = { &after[0], CUDLA_NVSCISYNC_FENCE };
    uint64_t *objects[1];
    cudlaSignalEvents signal = { objects, &eof, 1 };
    cudlaTask t;

    up("xavier");
    load();
    objects[0] = b.sync[2];
    t = task(NULL, &signal);
    input_fill(5);
    for (unsigned i = 0; i < 3; i++) {
        eof.fence = &after[i];
        OK(cudlaSubmitTask(b.dev, &t, 1, NULL, i == 0 ? CUDLA_SUBMIT_NOOP : 0));
        ck_assert_uint_eq(after[i].value, i + 1);
    }
    ck_assert_int_eq(rt_sync_wait(syncs[2].sync, 1, -1), 0);
    ck_assert_int_eq(*(int8_t *)rt_shared_cpu(bufs[1].memory), 0);
    ck_assert_int_eq(rt_sync_wait(syncs[2].sync, 3, -1), 0);
    ck_assert(output_is(5));
}
END_TEST

/* cuDLA API: "set wait/signal events for next submit"; the last call counts. */
START_TEST(events_alone_are_the_next_submissions)
{
    struct fake_fence before = { &syncs[0], 1 }, after = { 0 };
    CudlaFence pre = { &before, CUDLA_NVSCISYNC_FENCE }, eof = { &after, CUDLA_NVSCISYNC_FENCE };
    uint64_t *objects[1];
    cudlaWaitEvents wait = { &pre, 1 };
    cudlaSignalEvents signal = { objects, &eof, 1 };
    cudlaTask alone[2] = { { .waitEvents = &wait, .signalEvents = &signal } }, t;

    up("xavier");
    load();
    objects[0] = b.sync[1];
    t = task(NULL, NULL);
    GIVES(cudlaSubmitTask(b.dev, alone, 2, NULL, 0), InvalidParam);
    GIVES(cudlaSubmitTask(b.dev, alone, 1, NULL, CUDLA_SUBMIT_DIAGNOSTICS_TASK),
          UnsupportedOperation);
    OK(cudlaSubmitTask(b.dev, alone, 1, NULL, 0));
    OK(cudlaSubmitTask(b.dev, alone, 1, NULL, 0));
    ck_assert_ptr_null(after.object);
    input_fill(1);
    OK(cudlaSubmitTask(b.dev, &t, 1, NULL, 0));
    ck_assert_uint_eq(after.value, 1);
    ck_assert_int_eq(rt_sync_wait(syncs[1].sync, 1, 1000), -ETIMEDOUT);
    CU(rt_sync_signal(syncs[0].sync));
    ck_assert_int_eq(rt_sync_wait(syncs[1].sync, 1, -1), 0);
    ck_assert(output_is(1));
}
END_TEST

START_TEST(what_a_submission_cannot_be)
{
    struct fake_fence f = { &syncs[0], 1 };
    CudlaFence pre[2] = { { &f, CUDLA_NVSCISYNC_FENCE }, { &f, CUDLA_NVSCISYNC_FENCE } };
    CudlaFence eof[2] = { { &f, CUDLA_NVSCISYNC_FENCE }, { &f, CUDLA_NVSCISYNC_FENCE } };
    uint64_t *objects[2];
    cudlaWaitEvents wait = { pre, 2 };
    cudlaSignalEvents signal = { objects, eof, 2 };
    cudlaTask t;

    up("xavier");
    load();
    t = task(NULL, NULL);
    GIVES(cudlaSubmitTask(b.dev, &t, 1, &f, 0), InvalidParam); /* a stream */
    t.inputTensor = NULL;
    GIVES(cudlaSubmitTask(b.dev, &t, 1, NULL, 0), UnsupportedOperation);
    t = task(&wait, NULL);
    GIVES(cudlaSubmitTask(b.dev, &t, 1, NULL, 0), UnsupportedOperation); /* twice the same */
    wait.numEvents = 1;
    pre[0].type = (cudlaFenceType)9;
    GIVES(cudlaSubmitTask(b.dev, &t, 1, NULL, 0), UnsupportedOperation);
    t = task(NULL, &signal);
    objects[0] = b.sync[0];
    objects[1] = b.sync[1];
    GIVES(cudlaSubmitTask(b.dev, &t, 1, NULL, 0), UnsupportedOperation); /* two syncpoints */
    objects[1] = b.in;
    GIVES(cudlaSubmitTask(b.dev, &t, 1, NULL, 0), InvalidAddress);
    ck_assert_uint_eq(rt_sync_target(syncs[0].sync), 0); /* no effect */
}
END_TEST

/* 5.4, edition of cuDLA 1.0.0 (11.8): one signal event a task. */
START_TEST(an_older_cudla_signals_one_event)
{
    struct fake_fence f[2] = { { 0 } };
    CudlaFence eof[2] = { { &f[0], CUDLA_NVSCISYNC_FENCE }, { &f[1], CUDLA_NVSCISYNC_FENCE } };
    uint64_t *objects[2];
    cudlaSignalEvents signal = { objects, eof, 2 };
    cudlaTask t;

    setenv("VTEGRA_EDITION", "11.8", 1);
    up("xavier");
    load();
    objects[0] = b.sync[0];
    objects[1] = b.sync[2];
    t = task(NULL, &signal);
    GIVES(cudlaSubmitTask(b.dev, &t, 1, NULL, 0), UnsupportedOperation);
    signal.numEvents = 1;
    OK(cudlaSubmitTask(b.dev, &t, 1, NULL, 0));
}
END_TEST

/* 5.1.5: "wait for the fence and then query cudlaGetLastError()". */
START_TEST(a_fence_is_reached_after_an_error_and_says_nothing_of_it)
{
    struct fake_fence after = { 0 };
    CudlaFence eof = { &after, CUDLA_NVSCISYNC_FENCE };
    uint64_t *objects[1];
    cudlaSignalEvents signal = { objects, &eof, 1 };
    cudlaTask t;

    setenv("VTEGRA_DLA_HANG", "1", 1);
    up("xavier");
    load();
    objects[0] = b.sync[1];
    t = task(NULL, &signal);
    OK(cudlaSubmitTask(b.dev, &t, 1, NULL, 0));
    OK(cudlaGetLastError(b.dev));
    ck_assert_int_eq(rt_sync_wait(syncs[1].sync, 1, -1), 0);
    GIVES(cudlaGetLastError(b.dev), DlaErrEngineTimeout);
    GIVES(cudlaSubmitTask(b.dev, &t, 1, NULL, 0), DlaErrEngineTimeout);
    OK(cudlaDestroyDevice(b.dev));
}
END_TEST

/* NVIDIA's cuDLALayerwiseStatsStandalone imports the buffer of its statistics with the flag. */
START_TEST(imports_take_the_flags_of_registrations)
{
    cudlaExternalMemoryHandleDesc d = { &bufs[2], RIG_BYTES };
    cudlaExternalSemaphoreHandleDesc s = { &syncs[0] };
    struct fake_fence after = { 0 };
    CudlaFence eof[] = { { &after, CUDLA_NVSCISYNC_FENCE } };
    cudlaSignalEvents signal = { (uint64_t *const *)&b.sync[1], eof, 1 };
    uint64_t *outputs[2], *at;
    cudlaModuleAttribute n;
    cudlaTask t;

    up("orin");
    load();
    OK(cudlaModuleGetAttributes(b.module, CUDLA_NUM_OUTPUT_TASK_STATISTICS, &n));
    ck_assert_uint_eq(n.numOutputTensors, 1);
    GIVES(cudlaImportExternalMemory(b.dev, &d, &at, 4), InvalidParam);
    OK(cudlaImportExternalMemory(b.dev, &d, &at, CUDLA_TASK_STATISTICS));
    GIVES(cudlaImportExternalSemaphore(b.dev, &s, &outputs[0], CUDLA_READ_ONLY_PERM), InvalidParam);
    outputs[0] = b.out;
    outputs[1] = at;
    t = task(NULL, &signal);
    t.outputTensor = outputs;
    t.numOutputTensors = 2;
    input_fill(3);
    OK(cudlaSubmitTask(b.dev, &t, 1, NULL, 0));
    ck_assert_int_eq(rt_sync_wait(syncs[1].sync, 1, -1), 0);
    ck_assert(output_is(3));
    ck_assert_int_ne(*(const uint64_t *)rt_shared_cpu(bufs[2].memory), 0);
    OK(cudlaMemUnregister(b.dev, at));
    OK(cudlaImportExternalMemory(b.dev, &d, &at, CUDLA_READ_ONLY_PERM));
}
END_TEST

START_TEST(imports_are_of_standalone_handles_and_of_nvsci)
{
    cudlaExternalMemoryHandleDesc d = { &bufs[0], RIG_BYTES + 1 };
    cudlaExternalSemaphoreHandleDesc s = { &d };
    cudlaDevHandle hybrid;
    uint64_t *at;

    up("orin");
    GIVES(cudlaImportExternalMemory(b.dev, &d, &at, 0), InvalidParam);
    d.size = RIG_BYTES;
    GIVES(cudlaImportExternalMemory(b.dev, &d, NULL, 0), InvalidParam);
    GIVES(cudlaImportExternalMemory(b.dev, NULL, &at, 0), InvalidParam);
    GIVES(cudlaImportExternalMemory(NULL, &d, &at, 0), InvalidDevice);
    OK(cudlaImportExternalMemory(b.dev, &d, &at, 0));
    GIVES(cudlaImportExternalMemory(b.dev, &d, &at, 0), MemoryRegistered);
    OK(cudlaMemUnregister(b.dev, at));
    d.extBufObject = &d;
    GIVES(cudlaImportExternalMemory(b.dev, &d, &at, 0), NvSci);
    GIVES(cudlaImportExternalSemaphore(b.dev, &s, &at, 0), NvSci);
    s.extSyncObject = &syncs[0];
    OK(cudlaImportExternalSemaphore(b.dev, &s, &at, 0));
    OK(cudlaMemUnregister(b.dev, at));
    GIVES(cudlaMemRegister(b.dev, (uint64_t *)&d, 64, &at, 0), UnsupportedOperation);
    OK(cudlaCreateDevice(0, &hybrid, CUDLA_CUDA_DLA));
    GIVES(cudlaImportExternalMemory(hybrid, &d, &at, 0), UnsupportedOperation);
    GIVES(cudlaImportExternalSemaphore(hybrid, &s, &at, 0), UnsupportedOperation);
}
END_TEST

/* "By default, cuDLA prioritizes sync point primitive over deterministic semaphore primitive". */
START_TEST(lists_get_syncpoints_first)
{
    up("xavier");
    OK(cudlaGetNvSciSyncAttributes((uint64_t *)&listed, CUDLA_NVSCISYNC_ATTR_SIGNAL));
    ck_assert(listed_signal);
    ck_assert_uint_eq(listed[0], 1);
    ck_assert_uint_eq(listed[1], 2);
    GIVES(cudlaGetNvSciSyncAttributes((uint64_t *)&listed, 0), InvalidParam);
    GIVES(cudlaGetNvSciSyncAttributes((uint64_t *)&listed, 4), InvalidParam);
    GIVES(cudlaGetNvSciSyncAttributes(NULL, 1), InvalidParam);
    GIVES(cudlaGetNvSciSyncAttributes((uint64_t *)&b, 1), InvalidParam);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("cudla_standalone");
    TCase *t = tcase_create("standalone");
    SRunner *runner;
    int failed;

    tcase_add_test(t, a_task_runs_between_its_fences);
    tcase_add_test(t, sof_and_eof_fences_have_their_times);
    tcase_add_loop_test(t, time_stamps_are_those_of_the_edition, 0, 3);
    tcase_add_test(t, tasks_run_in_order_and_a_noop_signals);
    tcase_add_test(t, events_alone_are_the_next_submissions);
    tcase_add_test(t, what_a_submission_cannot_be);
    tcase_add_test(t, an_older_cudla_signals_one_event);
    tcase_add_test(t, a_fence_is_reached_after_an_error_and_says_nothing_of_it);
    tcase_add_test(t, imports_take_the_flags_of_registrations);
    tcase_add_test(t, imports_are_of_standalone_handles_and_of_nvsci);
    tcase_add_test(t, lists_get_syncpoints_first);
    tcase_set_timeout(t, 60);
    suite_add_tcase(suite, t);
    runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
