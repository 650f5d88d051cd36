/* SPDX-License-Identifier: MIT */
/* What programs do wrong with cuDLA, and the same done right: the rules of note 5.1 and both
 * editions of the known issues (5.4). A right program must not be told anything. */
#include "tests/cudla_board.h"

#include <pthread.h>

static struct board b;
static struct tensor from, to;
static struct one_task t;
static int8_t in[RIG_BYTES], out[RIG_BYTES];

static void up_on(const char *soc)
{
    board_open_on(&b, soc, &board_net);
    from = tensor_of(&b, RIG_BYTES, 0);
    to = tensor_of(&b, RIG_BYTES, 0);
    task_of(&t, b.module, from.dla, to.dla);
}

static void up(void)
{
    up_on("orin");
}

static cudlaStatus submit(void)
{
    return cudlaSubmitTask(b.dev, &t.task, 1, b.stream, 0);
}

/* --- 49: a CUDA pointer that was never registered (5.1.3) ------------------------------------- */

START_TEST(a_pointer_that_was_not_registered_is_an_invalid_address)
{
    CUdeviceptr memory;

    up();
    CU(cuMemAlloc(&memory, RIG_BYTES));
    t.out[0] = (uint64_t *)(uintptr_t)memory;
    GIVES(submit(), InvalidAddress);
    SAID("never registered with this handle");
    SAID("cudlaMemRegister()");
    OK(cudlaMemRegister(b.dev, (uint64_t *)(uintptr_t)memory, RIG_BYTES, &t.out[0], 0));
    OK(submit());
    CU(cuStreamSynchronize(b.stream));
}
END_TEST

START_TEST(the_cuda_pointer_of_registered_memory_is_none_of_a_task)
{
    up();
    t.out[0] = (uint64_t *)(uintptr_t)to.gpu;
    GIVES(submit(), InvalidAddress);
    SAID("the task must name what cudlaMemRegister() returned");
}
END_TEST

START_TEST(a_registration_belongs_to_its_handle)
{
    cudlaDevHandle other;
    uint64_t *foreign;

    up();
    OK(cudlaCreateDevice(0, &other, CUDLA_CUDA_DLA));
    OK(cudlaMemRegister(other, (uint64_t *)(uintptr_t)to.gpu, RIG_BYTES, &foreign, 0));
    t.out[0] = foreign;
    GIVES(submit(), InvalidAddress);
    SAID("another handle");
}
END_TEST

START_TEST(an_address_that_is_nothing_is_named)
{
    up();
    t.in[0] = (const uint64_t *)(uintptr_t)0x1234;
    GIVES(submit(), InvalidAddress);
    SAID("0x1234, is nothing that cudlaMemRegister() returned");
    t.in[0] = NULL;
    GIVES(submit(), InvalidAddress);
}
END_TEST

/* --- the SMMU (5.1.3): wrong size, read-only, unregistered too early -------------------------- */

static void task_dies(void)
{
    ck_assert_int_eq(cuStreamSynchronize(b.stream), CUDA_ERROR_EXTERNAL_DEVICE);
    ck_assert_int_ne(cudlaGetLastError(b.dev), cudlaSuccess);
}

START_TEST(a_tensor_larger_than_its_registration_faults_in_the_smmu)
{
    uint64_t *small;

    board_open(&b);
    from = tensor_of(&b, RIG_BYTES, 0);
    CU(cuMemAlloc(&to.gpu, RIG_BYTES));
    OK(cudlaMemRegister(b.dev, (uint64_t *)(uintptr_t)to.gpu, 64, &small, 0));
    task_of(&t, b.module, from.dla, small);
    OK(submit());
    SAID("has 2048 bytes, registered are 64");
}
END_TEST

/* Two pages of tensor, one page registered: the second page has no entry. */
START_TEST(what_is_behind_a_registration_cannot_be_reached)
{
    CUdeviceptr memory;
    uint64_t *at;

    board_open(&b);
    from = tensor_of(&b, RIG_BYTES, 0);
    CU(cuMemAlloc(&memory, 8192));
    /* 1 KiB before the page's end: the tensor's second half lies behind it */
    OK(cudlaMemRegister(b.dev, (uint64_t *)(uintptr_t)(memory + 3072), 1024, &at, 0));
    task_of(&t, b.module, from.dla, at);
    OK(submit());
    task_dies();
    SAID("arm-smmu 12000000.iommu: Unhandled context fault: fsr=0x402, iova=0x");
    SAID("past the end of the nearest registration, 1024 bytes");
    SAID("register as many bytes as the tensor's descriptor says");
}
END_TEST

START_TEST(what_is_registered_read_only_cannot_be_written)
{
    struct tensor sealed;

    up_on("xavier");
    sealed = tensor_of(&b, RIG_BYTES, CUDLA_READ_ONLY_PERM);
    t.out[0] = sealed.dla;
    OK(submit());
    SAID("registered read-only");
    task_dies();
    /* FSR: PF, and FORMAT 2 (AArch64 tables), IHI 0062, 16.5 */
    SAID("Unhandled context fault: fsr=0x408, iova=0x");
    SAID("register what the DLA writes with CUDLA_READ_WRITE_PERM");
}
END_TEST

START_TEST(what_is_registered_read_only_can_be_read)
{
    struct tensor sealed;

    up();
    sealed = tensor_of(&b, RIG_BYTES, CUDLA_READ_ONLY_PERM);
    pattern(in, 1);
    CU(cuMemcpyHtoDAsync(sealed.gpu, in, RIG_BYTES, b.stream));
    t.in[0] = sealed.dla;
    OK(submit());
    CU(cuStreamSynchronize(b.stream));
    CU(cuMemcpyDtoH(out, to.gpu, RIG_BYTES));
    check_bytes(&board_net, in, out);
    SILENT();
}
END_TEST

START_TEST(unregistering_under_a_task_faults)
{
    up();
    OK(submit());
    OK(cudlaMemUnregister(b.dev, to.dla));
    SAID("still has tasks that have not run");
    task_dies();
    SAID("bytes into memory that was unregistered");
}
END_TEST

START_TEST(unregistering_after_the_task_is_right)
{
    up();
    OK(submit());
    CU(cuStreamSynchronize(b.stream));
    OK(cudlaMemUnregister(b.dev, to.dla));
    OK(cudlaMemUnregister(b.dev, from.dla));
    GIVES(cudlaMemUnregister(b.dev, from.dla), InvalidAddress);
    OK(cudlaGetLastError(b.dev));
}
END_TEST

START_TEST(freeing_registered_memory_is_told)
{
    up();
    CU(cuMemFree(to.gpu));
    SAID("freed while it is registered");
    GIVES(submit(), InvalidAddress);
    SAID("names memory that was freed");
}
END_TEST

/* --- 50: registered twice (5.4), the one error to go on after --------------------------------- */

START_TEST(registering_twice_is_an_error_that_changes_nothing)
{
    uint64_t *again;

    up();
    GIVES(cudlaMemRegister(b.dev, (uint64_t *)(uintptr_t)to.gpu, RIG_BYTES, &again, 0),
          MemoryRegistered);
    SAID("registered with this handle already");
    OK(submit());
    CU(cuStreamSynchronize(b.stream));
    OK(cudlaMemUnregister(b.dev, to.dla));
    OK(cudlaMemRegister(b.dev, (uint64_t *)(uintptr_t)to.gpu, RIG_BYTES, &again, 0));
}
END_TEST

/* --- 52: duplicate fences; and events in hybrid mode at all ----------------------------------- */

START_TEST(duplicate_fences_are_reported)
{
    CudlaFence fences[2] = { { &b, CUDLA_NVSCISYNC_FENCE }, { &b, CUDLA_NVSCISYNC_FENCE } };
    cudlaWaitEvents events = { fences, 2 };

    up();
    t.task.waitEvents = &events;
    GIVES(submit(), UnsupportedOperation);
    SAID("wait events 0 and 1 are the same fence");
    fences[1].fence = &t;
    GIVES(submit(), UnsupportedOperation);
    SAID("waitEvents is not NULL in hybrid mode");
    t.task.waitEvents = NULL;
    OK(submit());
}
END_TEST

START_TEST(more_than_one_signal_event_was_too_many_for_cudla_1_0)
{
    CudlaFence fences[2] = { { &b, CUDLA_NVSCISYNC_FENCE }, { &t, CUDLA_NVSCISYNC_FENCE } };
    uint64_t *objects[2] = { (uint64_t *)(void *)&b, (uint64_t *)(void *)&t };
    cudlaSignalEvents events = { objects, fences, 2 };

    up();
    t.task.signalEvents = &events;
    GIVES(submit(), UnsupportedOperation);
    SAID("known issue of cuDLA 1.0.0)");
    events.numEvents = 1;
    GIVES(submit(), UnsupportedOperation);
    SAID("signalEvents is not NULL in hybrid mode");
}
END_TEST

/* --- 53: destroyed with tasks in flight ------------------------------------------------------- */

START_TEST(destroying_a_handle_with_tasks_is_reported_and_survived)
{
    up();
    OK(submit());
    OK(cudlaDestroyDevice(b.dev));
    SAID("still has tasks that have not run; a board may crash here");
    CU(cuStreamSynchronize(b.stream));
    GIVES(cudlaGetLastError(b.dev), InvalidDevice);
    GIVES(cudlaModuleUnload(b.module, 0), InvalidModule);
}
END_TEST

START_TEST(destroying_a_handle_after_its_tasks_is_right)
{
    up();
    OK(submit());
    CU(cuStreamSynchronize(b.stream));
    OK(cudlaDestroyDevice(b.dev));
    SILENT();
}
END_TEST

START_TEST(unloading_a_module_with_tasks_is_told_and_survived)
{
    up();
    OK(submit());
    OK(cudlaModuleUnload(b.module, 0));
    SAID("tasks of this module that have not run");
    CU(cuStreamSynchronize(b.stream));
    OK(cudlaGetLastError(b.dev));
}
END_TEST

/* --- 54: the primary context reset first ------------------------------------------------------ */

START_TEST(resetting_the_primary_context_under_a_handle_is_reported)
{
    CUstream stream;
    CUcontext context;

    up();
    CU(cuDevicePrimaryCtxReset(0));
    SAID("the primary context is destroyed while 1 cuDLA handle uses it");
    CU(cuDevicePrimaryCtxRetain(&context, 0));
    CU(cuCtxSetCurrent(context));
    CU(cuStreamCreate(&stream, 0));
    b.stream = stream;
    GIVES(submit(), Cuda);
    OK(cudlaDestroyDevice(b.dev));
}
END_TEST

START_TEST(destroying_the_handle_before_the_reset_is_right)
{
    up();
    OK(cudlaDestroyDevice(b.dev));
    CU(cuDevicePrimaryCtxReset(0));
    SILENT();
}
END_TEST

/* --- 55: alignment ---------------------------------------------------------------------------- */

START_TEST(a_tensor_must_be_aligned_for_the_dla)
{
    CUdeviceptr memory;
    uint64_t *at;

    up();
    CU(cuMemAlloc(&memory, 8192));
    GIVES(cudlaMemRegister(b.dev, (uint64_t *)(uintptr_t)(memory + 16), RIG_BYTES, &at, 0),
          InvalidAddress);
    SAID("is no multiple of 32");
    OK(cudlaMemRegister(b.dev, (uint64_t *)(uintptr_t)(memory + 32), RIG_BYTES, &at, 0));
}
END_TEST

/* --- 56: what cuDLA does not support ---------------------------------------------------------- */

START_TEST(managed_memory_is_refused)
{
    CUdeviceptr managed;
    uint64_t *at;

    up();
    CU(cuMemAllocManaged(&managed, RIG_BYTES, CU_MEM_ATTACH_GLOBAL));
    GIVES(cudlaMemRegister(b.dev, (uint64_t *)(uintptr_t)managed, RIG_BYTES, &at, 0),
          InvalidAddress);
    SAID("known issue of cuDLA 1.0.0, 1.2.1)");
    SAID("cudaMallocManaged()");
}
END_TEST

START_TEST(block_linear_tensors_are_refused)
{
    struct rig_net net = board_net;
    cudlaModule module;
    uint8_t *bytes;
    size_t len;

    up();
    OK(cudlaModuleUnload(b.module, 0));
    net.pixel_mapping = CUDLA_PIXEL_MAPPING_BLOCK_LINEAR;
    bytes = rig_loadable(&net, &len);
    GIVES(cudlaModuleLoadFromMemory(b.dev, bytes, len, &module, 0), UnsupportedOperation);
    SAID("tensor data is block linear");
    free(bytes);
}
END_TEST

START_TEST(the_per_thread_default_stream_is_refused)
{
    up();
    GIVES(cudlaSubmitTask(b.dev, &t.task, 1, CU_STREAM_PER_THREAD, 0), UnsupportedOperation);
    SAID("cudaStreamPerThread");
    OK(submit());
}
END_TEST

/* A program built with per-thread default streams passes 0 and means its own. */
START_TEST(stream_0_of_a_program_with_per_thread_streams_is_refused)
{
    up();
    CU(cuMemsetD8Async(to.gpu, 1, RIG_BYTES, CU_STREAM_PER_THREAD));
    GIVES(cudlaSubmitTask(b.dev, &t.task, 1, NULL, 0), UnsupportedOperation);
    SAID("stream 0 of a program that uses per-thread default streams");
}
END_TEST

/* CNP would need cuDLA in device code, and libcudadevrt has no such function. */
START_TEST(a_stream_that_is_captured_is_refused)
{
    CUgraph graph;

    up();
    CU(cuStreamBeginCapture(b.stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    GIVES(submit(), UnsupportedOperation);
    SAID("the stream is being captured into a graph");
    ck_assert_int_eq(cuStreamEndCapture(b.stream, &graph), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    OK(submit());
    CU(cuStreamSynchronize(b.stream));
}
END_TEST

START_TEST(mapped_memory_is_refused)
{
    CUmemAllocationProp prop = { .type = CU_MEM_ALLOCATION_TYPE_PINNED,
                                 .location.type = CU_MEM_LOCATION_TYPE_DEVICE };
    CUmemAccessDesc access = { prop.location, CU_MEM_ACCESS_FLAGS_PROT_READWRITE };
    CUmemGenericAllocationHandle memory;
    CUdeviceptr p;
    size_t size;
    uint64_t *mapped;

    up();
    CU(cuMemGetAllocationGranularity(&size, &prop, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
    CU(cuMemAddressReserve(&p, size, 0, 0, 0));
    CU(cuMemCreate(&memory, size, &prop, 0));
    CU(cuMemMap(p, size, 0, memory, 0));
    CU(cuMemSetAccess(p, size, &access, 1));
    GIVES(cudlaMemRegister(b.dev, (const uint64_t *)(uintptr_t)p, 4096, &mapped, 0),
          InvalidAddress);
    SAID("memory of cuMemCreate() cannot be shared with the DLA");
    CU(cuMemUnmap(p, size));
    CU(cuMemRelease(memory));
    CU(cuMemAddressFree(p, size));
}
END_TEST

/* --- 57: the lock skipped, and another thread ------------------------------------------------- */

static void *submit_elsewhere(void *flags)
{
    CU(cuCtxSetCurrent(b.context));
    OK(cudlaSubmitTask(b.dev, &t.task, 1, b.stream, (uint32_t)(uintptr_t)flags));
    return NULL;
}

static void two_threads(uint32_t mine, uint32_t theirs)
{
    pthread_t thread;

    up();
    OK(cudlaSubmitTask(b.dev, &t.task, 1, b.stream, mine));
    ck_assert_int_eq(pthread_create(&thread, NULL, submit_elsewhere, (void *)(uintptr_t)theirs), 0);
    pthread_join(thread, NULL);
    CU(cuStreamSynchronize(b.stream));
}

START_TEST(skipping_the_lock_with_two_threads_is_reported)
{
    two_threads(_i & 1 ? CUDLA_SUBMIT_SKIP_LOCK_ACQUIRE : 0,
                _i & 2 ? CUDLA_SUBMIT_SKIP_LOCK_ACQUIRE : 0);
    SAID("skips the lock");
}
END_TEST

START_TEST(two_threads_with_the_lock_are_right)
{
    two_threads(0, 0);
    SILENT();
}
END_TEST

START_TEST(one_thread_may_skip_the_lock)
{
    up();
    for (unsigned i = 0; i < 3; i++) {
        OK(cudlaSubmitTask(b.dev, &t.task, 1, b.stream, CUDLA_SUBMIT_SKIP_LOCK_ACQUIRE));
    }
    CU(cuStreamSynchronize(b.stream));
    SILENT();
}
END_TEST

/* --- 58: the output read before the stream is waited for -------------------------------------- */

static int8_t pinned_output(int wait)
{
    int8_t *pinned;
    uint64_t *dla;

    up();
    CU(cuMemHostAlloc((void **)&pinned, RIG_BYTES, 0));
    memset(pinned, 0x55, RIG_BYTES);
    OK(cudlaMemRegister(b.dev, (uint64_t *)(void *)pinned, RIG_BYTES, &dla, 0));
    memset(in, 2, RIG_BYTES);
    CU(cuMemcpyHtoDAsync(from.gpu, in, RIG_BYTES, b.stream));
    t.out[0] = dla;
    OK(submit());
    if (wait) {
        CU(cuStreamSynchronize(b.stream));
    }
    return pinned[0];
}

START_TEST(an_output_read_too_early_is_old)
{
    ck_assert_int_eq(pinned_output(0), 0x55); /* lazy: the task has not run */
}
END_TEST

START_TEST(an_output_read_after_the_wait_is_new)
{
    ck_assert_int_eq(pinned_output(1), 3);
    SILENT();
}
END_TEST

/* --- 59: diagnostics -------------------------------------------------------------------------- */

START_TEST(diagnostics_need_their_module_and_their_output)
{
    up();
    GIVES(cudlaSubmitTask(b.dev, &t.task, 1, b.stream, CUDLA_SUBMIT_DIAGNOSTICS_TASK),
          UnsupportedOperation);
    OK(cudlaModuleUnload(b.module, 0));
    OK(cudlaModuleLoadFromMemory(b.dev, NULL, 0, &b.module, CUDLA_MODULE_ENABLE_FAULT_DIAGNOSTICS));
    task_of(&t, b.module, NULL, to.dla);
    t.task.inputTensor = NULL;
    t.task.numInputTensors = 0;
    GIVES(submit(), UnsupportedOperation); /* without its flag */
    t.task.outputTensor = NULL;
    t.task.numOutputTensors = 0;
    GIVES(cudlaSubmitTask(b.dev, &t.task, 1, b.stream, CUDLA_SUBMIT_DIAGNOSTICS_TASK),
          UnsupportedOperation); /* a task of events alone */
    SAID("outputTensor is NULL in hybrid mode");
}
END_TEST

START_TEST(tensors_must_be_given_in_hybrid_mode)
{
    up();
    t.task.inputTensor = NULL;
    GIVES(submit(), UnsupportedOperation);
    SAID("inputTensor is NULL in hybrid mode");
}
END_TEST

/* --- 60: an error that nobody asks about ------------------------------------------------------ */

static void fail_a_task(void)
{
    up();
    OK(submit());
    OK(cudlaMemUnregister(b.dev, to.dla));
    ck_assert_int_eq(cuStreamSynchronize(b.stream), CUDA_ERROR_EXTERNAL_DEVICE);
}

START_TEST(an_error_nobody_asked_about_is_told_at_the_next_call)
{
    uint64_t *at;

    fail_a_task();
    ck_assert_int_ne(submit(), cudlaSuccess);
    SAID("cudlaGetLastError() was not called for it");
    ck_assert_int_ne(cudlaMemRegister(b.dev, (uint64_t *)(uintptr_t)to.gpu, RIG_BYTES, &at, 0),
                     cudlaSuccess);
    ck_assert_int_ne(cudlaModuleUnload(b.module, 0), cudlaSuccess);
    ck_assert_int_eq(cuStreamSynchronize(b.stream), CUDA_ERROR_EXTERNAL_DEVICE); /* and stays */
    OK(cudlaDestroyDevice(b.dev));
}
END_TEST

START_TEST(an_error_that_was_asked_about_is_not_reported_again)
{
    fail_a_task();
    ck_assert_int_ne(cudlaGetLastError(b.dev), cudlaSuccess);
    ck_assert_int_ne(submit(), cudlaSuccess);
    ck_assert(!board_said("cudlaGetLastError() was not called"));
}
END_TEST

/* --- a task that hangs (5.4) ------------------------------------------------------------------ */

START_TEST(a_task_that_hangs_is_reported_and_ended)
{
    setenv("VTEGRA_DLA_HANG", "2", 1);
    up();
    OK(submit());
    CU(cuStreamSynchronize(b.stream));
    OK(submit());
    ck_assert_int_eq(cuStreamSynchronize(b.stream), CUDA_ERROR_EXTERNAL_DEVICE);
    SAID("does not end, and it has no time limit");
    GIVES(cudlaGetLastError(b.dev), DlaErrEngineTimeout);
    OK(cudlaDestroyDevice(b.dev));
}
END_TEST

START_TEST(a_time_limit_ends_a_task_that_hangs)
{
    setenv("VTEGRA_DLA_HANG", "1", 1);
    up();
    OK(cudlaSetTaskTimeoutInMs(b.dev, 20));
    OK(submit());
    ck_assert_int_eq(cuStreamSynchronize(b.stream), CUDA_ERROR_EXTERNAL_DEVICE);
    GIVES(cudlaGetLastError(b.dev), DlaErrEngineTimeout);
    SAID("the task ran longer than its timeout, 20000 us");
}
END_TEST

START_TEST(a_time_limit_leaves_a_task_that_ends_alone)
{
    up();
    OK(cudlaSetTaskTimeoutInMs(b.dev, 1000));
    OK(submit());
    CU(cuStreamSynchronize(b.stream));
    OK(cudlaGetLastError(b.dev));
    SILENT();
}
END_TEST

START_TEST(a_handle_whose_task_hangs_can_be_destroyed)
{
    setenv("VTEGRA_DLA_HANG", "1", 1);
    up();
    OK(submit());
    OK(cudlaDestroyDevice(b.dev));
}
END_TEST

static TCase *memory_case(void)
{
    TCase *c = tcase_create("memory");

    tcase_set_timeout(c, 60);
    tcase_add_test(c, a_pointer_that_was_not_registered_is_an_invalid_address);
    tcase_add_test(c, the_cuda_pointer_of_registered_memory_is_none_of_a_task);
    tcase_add_test(c, a_registration_belongs_to_its_handle);
    tcase_add_test(c, an_address_that_is_nothing_is_named);
    tcase_add_test(c, a_tensor_larger_than_its_registration_faults_in_the_smmu);
    tcase_add_test(c, what_is_behind_a_registration_cannot_be_reached);
    tcase_add_test(c, what_is_registered_read_only_cannot_be_written);
    tcase_add_test(c, what_is_registered_read_only_can_be_read);
    tcase_add_test(c, unregistering_under_a_task_faults);
    tcase_add_test(c, unregistering_after_the_task_is_right);
    tcase_add_test(c, freeing_registered_memory_is_told);
    tcase_add_test(c, registering_twice_is_an_error_that_changes_nothing);
    tcase_add_test(c, a_tensor_must_be_aligned_for_the_dla);
    return c;
}

static TCase *lifetime_case(void)
{
    TCase *c = tcase_create("lifetime");

    tcase_set_timeout(c, 60);
    tcase_add_test(c, destroying_a_handle_with_tasks_is_reported_and_survived);
    tcase_add_test(c, destroying_a_handle_after_its_tasks_is_right);
    tcase_add_test(c, unloading_a_module_with_tasks_is_told_and_survived);
    tcase_add_test(c, resetting_the_primary_context_under_a_handle_is_reported);
    tcase_add_test(c, destroying_the_handle_before_the_reset_is_right);
    return c;
}

static TCase *unsupported_case(void)
{
    TCase *c = tcase_create("unsupported");

    tcase_set_timeout(c, 60);
    tcase_add_test(c, managed_memory_is_refused);
    tcase_add_test(c, block_linear_tensors_are_refused);
    tcase_add_test(c, the_per_thread_default_stream_is_refused);
    tcase_add_test(c, stream_0_of_a_program_with_per_thread_streams_is_refused);
    tcase_add_test(c, a_stream_that_is_captured_is_refused);
    tcase_add_test(c, mapped_memory_is_refused);
    return c;
}

static TCase *submission_case(void)
{
    TCase *c = tcase_create("submission");

    tcase_set_timeout(c, 60);
    tcase_add_test(c, duplicate_fences_are_reported);
    tcase_add_test(c, more_than_one_signal_event_was_too_many_for_cudla_1_0);
    tcase_add_loop_test(c, skipping_the_lock_with_two_threads_is_reported, 1, 4);
    tcase_add_test(c, two_threads_with_the_lock_are_right);
    tcase_add_test(c, one_thread_may_skip_the_lock);
    tcase_add_test(c, an_output_read_too_early_is_old);
    tcase_add_test(c, an_output_read_after_the_wait_is_new);
    tcase_add_test(c, diagnostics_need_their_module_and_their_output);
    tcase_add_test(c, tensors_must_be_given_in_hybrid_mode);
    return c;
}

static TCase *errors_case(void)
{
    TCase *c = tcase_create("errors");

    tcase_set_timeout(c, 60);
    tcase_add_test(c, an_error_nobody_asked_about_is_told_at_the_next_call);
    tcase_add_test(c, an_error_that_was_asked_about_is_not_reported_again);
    tcase_add_test(c, a_task_that_hangs_is_reported_and_ended);
    tcase_add_test(c, a_time_limit_ends_a_task_that_hangs);
    tcase_add_test(c, a_time_limit_leaves_a_task_that_ends_alone);
    tcase_add_test(c, a_handle_whose_task_hangs_can_be_destroyed);
    return c;
}

int main(void)
{
    Suite *s = suite_create("cudla_misuse");
    SRunner *r = srunner_create(s);
    int failed;

    suite_add_tcase(s, memory_case());
    suite_add_tcase(s, lifetime_case());
    suite_add_tcase(s, unsupported_case());
    suite_add_tcase(s, submission_case());
    suite_add_tcase(s, errors_case());
    srunner_run_all(r, CK_NORMAL);
    failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed != 0;
}
