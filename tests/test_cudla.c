/* SPDX-License-Identifier: MIT */
/* cuDLA in hybrid mode on the whole board: handles, memory, modules, tasks in streams. Misuse is
 * test_cudla_misuse.c. */
#include "tests/cudla_board.h"

static struct board b;
static int8_t in[RIG_BYTES], out[RIG_BYTES];

START_TEST(the_version_is_one_number)
{
    uint64_t version = 0;

    GIVES(cudlaGetVersion(NULL), InvalidParam);
    OK(cudlaGetVersion(&version));
    ck_assert_uint_eq(version, 1004000); /* 1000000 * major + 1000 * minor + patch */
}
END_TEST

START_TEST(a_board_has_the_dlas_of_its_chip)
{
    static const struct {
        const char *soc;
        unsigned count, version;
    } boards[] = { { "xavier", 2, 1 },  { "xavier-nx", 2, 1 }, { "orin", 2, 2 },
                   { "orin-nx", 2, 2 }, { "orin-nano", 0, 0 }, { "thor", 0, 0 },
                   { "tx2", 0, 0 },     { "nano", 0, 0 } };
    uint64_t count = 9;
    cudlaDevHandle dev;
    cudlaDevAttribute attribute;

    setenv("VTEGRA_PROFILES", PROFILES_DIR, 1);
    setenv("VTEGRA_SOC", boards[_i].soc, 1);
    GIVES(cudlaDeviceGetCount(NULL), InvalidParam);
    OK(cudlaDeviceGetCount(&count));
    ck_assert_uint_eq(count, boards[_i].count);
    GIVES(cudlaCreateDevice(count, &dev, CUDLA_CUDA_DLA), InvalidParam);
    if (count) {
        OK(cudlaCreateDevice(count - 1, &dev, CUDLA_CUDA_DLA));
        OK(cudlaDeviceGetAttribute(dev, CUDLA_DEVICE_VERSION, &attribute));
        ck_assert_uint_eq(attribute.deviceVersion, boards[_i].version);
        OK(cudlaDestroyDevice(dev));
    }
}
END_TEST

/* The shape of note 5.1.4: copy in, fill the output, task, copy out, all in one stream. */
static void run(const struct rig_net *net, CUstream stream, struct tensor *from, struct tensor *to)
{
    struct one_task t;

    CU(cuMemcpyHtoDAsync(from->gpu, in, RIG_BYTES, stream));
    CU(cuMemsetD8Async(to->gpu, 0x55, RIG_BYTES, stream));
    OK(cudlaSubmitTask(b.dev, task_of(&t, b.module, from->dla, to->dla), 1, stream, 0));
    memset(&t, 0, sizeof(t)); /* the task is the caller's again */
    CU(cuMemcpyDtoHAsync(out, to->gpu, RIG_BYTES, stream));
    CU(cuStreamSynchronize(stream));
    check_bytes(net, in, out);
}

START_TEST(a_task_sees_what_the_stream_did_and_the_stream_sees_the_task)
{
    static const char *const socs[] = { "xavier", "orin" };
    static const char *const policies[] = { "lazy", "eager", "seeded" };
    struct tensor from, to;

    setenv("TEST_POLICY", policies[_i % 3], 1);
    board_open_on(&b, socs[_i / 3], &board_net);
    from = tensor_of(&b, RIG_BYTES, 0);
    to = tensor_of(&b, RIG_BYTES, 0);
    for (unsigned i = 0; i < 5; i++) {
        pattern(in, i);
        run(&board_net, b.stream, &from, &to);
    }
    tensor_drop(&b, &from);
    tensor_drop(&b, &to);
    board_close(&b);
    SILENT();
}
END_TEST

/* The stream stands until the CPU writes a value; the DLA would be free all the while. */
START_TEST(a_task_waits_for_what_is_before_it_in_the_stream)
{
    uint64_t *from_dla, *to_dla;
    struct one_task t;
    int8_t *from, *to;
    uint32_t *flag;

    board_open(&b);
    CU(cuMemHostAlloc((void **)&flag, 4, 0));
    CU(cuMemHostAlloc((void **)&from, RIG_BYTES, 0));
    CU(cuMemHostAlloc((void **)&to, RIG_BYTES, 0));
    OK(cudlaMemRegister(b.dev, (uint64_t *)(void *)from, RIG_BYTES, &from_dla, 0));
    OK(cudlaMemRegister(b.dev, (uint64_t *)(void *)to, RIG_BYTES, &to_dla, 0));
    memset(to, 0x55, RIG_BYTES);
    CU(cuStreamWaitValue32(b.stream, (CUdeviceptr)(uintptr_t)flag, 1, CU_STREAM_WAIT_VALUE_EQ));
    OK(cudlaSubmitTask(b.dev, task_of(&t, b.module, from_dla, to_dla), 1, b.stream, 0));
    for (unsigned i = 0; i < 20; i++) {
        ck_assert_int_eq(cuStreamQuery(b.stream), CUDA_ERROR_NOT_READY);
    }
    ck_assert_int_eq(to[0], 0x55);
    pattern(from, 4);
    *flag = 1;
    CU(cuStreamSynchronize(b.stream));
    check_bytes(&board_net, from, to);
}
END_TEST

START_TEST(the_legacy_default_stream_takes_tasks)
{
    struct tensor from, to;

    board_open(&b);
    from = tensor_of(&b, RIG_BYTES, 0);
    to = tensor_of(&b, RIG_BYTES, 0);
    pattern(in, 1);
    run(&board_net, NULL, &from, &to);
}
END_TEST

/* Forty tasks are more than the queue of the firmware holds (32). */
START_TEST(a_queue_that_is_full_makes_the_program_wait)
{
    struct one_task t[40];
    cudlaTask tasks[40];
    struct tensor from, to;

    board_open(&b);
    from = tensor_of(&b, RIG_BYTES, 0);
    to = tensor_of(&b, RIG_BYTES, 0);
    for (unsigned i = 0; i < 40; i++) {
        tasks[i] = *task_of(&t[i], b.module, i ? to.dla : from.dla, to.dla);
    }
    memset(in, 1, sizeof(in));
    CU(cuMemcpyHtoDAsync(from.gpu, in, RIG_BYTES, b.stream));
    OK(cudlaSubmitTask(b.dev, tasks, 40, b.stream, 0));
    CU(cuMemcpyDtoHAsync(out, to.gpu, RIG_BYTES, b.stream));
    CU(cuStreamSynchronize(b.stream));
    ck_assert_int_eq(out[0], 127); /* 1, 2, 3, 5, 8 ... by 3/2 until it saturates */
    ck_assert_int_eq(out[RIG_BYTES - 1], 127);
}
END_TEST

START_TEST(the_tasks_of_a_call_run_in_their_order)
{
    struct one_task t[3];
    cudlaTask tasks[3];
    struct tensor a, c;

    board_open(&b);
    a = tensor_of(&b, RIG_BYTES, 0);
    c = tensor_of(&b, RIG_BYTES, 0);
    tasks[0] = *task_of(&t[0], b.module, a.dla, c.dla);
    tasks[1] = *task_of(&t[1], b.module, c.dla, a.dla);
    tasks[2] = *task_of(&t[2], b.module, a.dla, c.dla);
    pattern(in, 3);
    CU(cuMemcpyHtoDAsync(a.gpu, in, RIG_BYTES, b.stream));
    OK(cudlaSubmitTask(b.dev, tasks, 3, b.stream, 0));
    CU(cuStreamSynchronize(b.stream));
    CU(cuMemcpyDtoH(out, c.gpu, RIG_BYTES));
    check_bytes(&(struct rig_net){ .tasks = 3, .relu = 1, .scale = 3, .shift = 1 }, in, out);
}
END_TEST

START_TEST(a_module_may_have_several_tasks)
{
    const struct rig_net net = { .tasks = 3, .scale = 5, .shift = 2 };
    struct tensor from, to;

    board_open_on(&b, "orin", &net);
    from = tensor_of(&b, RIG_BYTES, 0);
    to = tensor_of(&b, RIG_BYTES, 0);
    pattern(in, 9);
    run(&net, b.stream, &from, &to);
}
END_TEST

START_TEST(both_descriptor_layouts_run)
{
    struct rig_net net = board_net;
    struct tensor from, to;

    net.minor = (unsigned)_i;
    board_open_on(&b, "xavier", &net);
    from = tensor_of(&b, RIG_BYTES, 0);
    to = tensor_of(&b, RIG_BYTES, 0);
    pattern(in, 2);
    run(&net, b.stream, &from, &to);
}
END_TEST

START_TEST(pinned_memory_can_be_a_tensor)
{
    struct one_task t;
    int8_t *from, *to;
    uint64_t *from_dla, *to_dla;

    board_open(&b);
    CU(cuMemHostAlloc((void **)&from, RIG_BYTES, 0));
    CU(cuMemHostAlloc((void **)&to, RIG_BYTES, 0));
    OK(cudlaMemRegister(b.dev, (uint64_t *)(void *)from, RIG_BYTES, &from_dla, 0));
    OK(cudlaMemRegister(b.dev, (uint64_t *)(void *)to, RIG_BYTES, &to_dla, 0));
    pattern(from, 5);
    OK(cudlaSubmitTask(b.dev, task_of(&t, b.module, from_dla, to_dla), 1, b.stream, 0));
    CU(cuStreamSynchronize(b.stream));
    check_bytes(&board_net, from, to);
}
END_TEST

/* A registration inside an allocation: its page offset is part of the address. */
START_TEST(a_part_of_an_allocation_can_be_registered)
{
    struct one_task t;
    CUdeviceptr memory;
    uint64_t *from, *to;

    board_open(&b);
    CU(cuMemAlloc(&memory, 3 * RIG_BYTES + 64));
    OK(cudlaMemRegister(b.dev, (uint64_t *)(uintptr_t)(memory + 32), RIG_BYTES, &from, 0));
    OK(cudlaMemRegister(b.dev, (uint64_t *)(uintptr_t)(memory + 32 + RIG_BYTES), RIG_BYTES, &to,
                        0));
    pattern(in, 7);
    CU(cuMemcpyHtoDAsync(memory + 32, in, RIG_BYTES, b.stream));
    OK(cudlaSubmitTask(b.dev, task_of(&t, b.module, from, to), 1, b.stream, 0));
    CU(cuStreamSynchronize(b.stream));
    CU(cuMemcpyDtoH(out, memory + 32 + RIG_BYTES, RIG_BYTES));
    check_bytes(&board_net, in, out);
}
END_TEST

START_TEST(a_noop_keeps_the_order_and_computes_nothing)
{
    struct one_task t;
    struct tensor from, to;

    board_open(&b);
    from = tensor_of(&b, RIG_BYTES, 0);
    to = tensor_of(&b, RIG_BYTES, 0);
    CU(cuMemsetD8Async(to.gpu, 0x55, RIG_BYTES, b.stream));
    OK(cudlaSubmitTask(b.dev, task_of(&t, b.module, from.dla, to.dla), 1, b.stream,
                       CUDLA_SUBMIT_NOOP));
    CU(cuMemcpyDtoHAsync(out, to.gpu, RIG_BYTES, b.stream));
    CU(cuStreamSynchronize(b.stream));
    ck_assert_int_eq(out[0], 0x55);
    ck_assert_int_eq(out[RIG_BYTES - 1], 0x55);
    OK(cudlaGetLastError(b.dev));
}
END_TEST

START_TEST(a_dla_has_sixteen_handles)
{
    cudlaDevHandle dev[17], other;

    board_open(&b); /* the first */
    for (unsigned i = 1; i < 16; i++) {
        OK(cudlaCreateDevice(0, &dev[i], CUDLA_CUDA_DLA));
    }
    GIVES(cudlaCreateDevice(0, &dev[16], CUDLA_CUDA_DLA), OutOfResources);
    OK(cudlaCreateDevice(1, &other, CUDLA_CUDA_DLA)); /* the other DLA has its own */
    OK(cudlaDestroyDevice(dev[7]));
    OK(cudlaCreateDevice(0, &dev[16], CUDLA_CUDA_DLA));
    GIVES(cudlaDestroyDevice(dev[7]), InvalidDevice);
}
END_TEST

START_TEST(handles_of_both_dlas_work_together)
{
    struct one_task t1, t2;
    struct tensor from, middle;
    cudlaDevHandle other;
    cudlaModule module;
    CUdeviceptr to;
    uint64_t *middle_other, *to_other;

    board_open(&b);
    OK(cudlaCreateDevice(1, &other, CUDLA_CUDA_DLA));
    OK(cudlaModuleLoadFromMemory(other, b.loadable, b.len, &module, 0));
    from = tensor_of(&b, RIG_BYTES, 0);
    middle = tensor_of(&b, RIG_BYTES, 0);
    CU(cuMemAlloc(&to, RIG_BYTES));
    OK(cudlaMemRegister(other, (uint64_t *)(uintptr_t)middle.gpu, RIG_BYTES, &middle_other, 0));
    OK(cudlaMemRegister(other, (uint64_t *)(uintptr_t)to, RIG_BYTES, &to_other, 0));
    pattern(in, 11);
    CU(cuMemcpyHtoDAsync(from.gpu, in, RIG_BYTES, b.stream));
    OK(cudlaSubmitTask(b.dev, task_of(&t1, b.module, from.dla, middle.dla), 1, b.stream, 0));
    OK(cudlaSubmitTask(other, task_of(&t2, module, middle_other, to_other), 1, b.stream, 0));
    CU(cuMemcpyDtoHAsync(out, to, RIG_BYTES, b.stream));
    CU(cuStreamSynchronize(b.stream));
    check_bytes(&(struct rig_net){ .tasks = 2, .relu = 1, .scale = 3, .shift = 1 }, in, out);
}
END_TEST

START_TEST(an_event_carries_the_task_to_another_stream)
{
    struct one_task t;
    struct tensor from, to;
    CUstream other;
    CUevent event;

    board_open(&b);
    CU(cuStreamCreate(&other, CU_STREAM_NON_BLOCKING));
    CU(cuEventCreate(&event, CU_EVENT_DISABLE_TIMING));
    from = tensor_of(&b, RIG_BYTES, 0);
    to = tensor_of(&b, RIG_BYTES, 0);
    pattern(in, 13);
    CU(cuMemcpyHtoDAsync(from.gpu, in, RIG_BYTES, b.stream));
    OK(cudlaSubmitTask(b.dev, task_of(&t, b.module, from.dla, to.dla), 1, b.stream, 0));
    CU(cuEventRecord(event, b.stream));
    CU(cuStreamWaitEvent(other, event, 0));
    CU(cuMemcpyDtoHAsync(out, to.gpu, RIG_BYTES, other));
    CU(cuStreamSynchronize(other));
    check_bytes(&board_net, in, out);
}
END_TEST

START_TEST(attributes_describe_the_tensors)
{
    cudlaModuleTensorDescriptor desc[1];
    cudlaModuleAttribute a;

    board_open(&b);
    OK(cudlaModuleGetAttributes(b.module, CUDLA_NUM_INPUT_TENSORS, &a));
    ck_assert_uint_eq(a.numInputTensors, 1);
    OK(cudlaModuleGetAttributes(b.module, CUDLA_NUM_OUTPUT_TENSORS, &a));
    ck_assert_uint_eq(a.numOutputTensors, 1);
    a.inputTensorDesc = desc;
    OK(cudlaModuleGetAttributes(b.module, CUDLA_INPUT_TENSOR_DESCRIPTORS, &a));
    ck_assert_str_eq(desc[0].name, "data");
    ck_assert_uint_eq(desc[0].size, RIG_BYTES);
    ck_assert_uint_eq(desc[0].n, 1);
    ck_assert_uint_eq(desc[0].c, 32);
    ck_assert_uint_eq(desc[0].h, 8);
    ck_assert_uint_eq(desc[0].w, 8);
    ck_assert_uint_eq(desc[0].dataFormat, CUDLA_DATA_FORMAT_NCxHWx);
    ck_assert_uint_eq(desc[0].dataType, CUDLA_DATA_TYPE_INT8);
    ck_assert_uint_eq(desc[0].dataCategory, CUDLA_DATA_CATEGORY_FEATURE);
    ck_assert_uint_eq(desc[0].pixelFormat, CUDLA_PIXEL_FORMAT_FEATURE);
    ck_assert_uint_eq(desc[0].pixelMapping, CUDLA_PIXEL_MAPPING_PITCH_LINEAR);
    ck_assert_uint_eq(desc[0].stride[0], 1);
    ck_assert_uint_eq(desc[0].stride[1], 256);
    ck_assert_uint_eq(desc[0].stride[2], 2048);
    a.outputTensorDesc = desc;
    OK(cudlaModuleGetAttributes(b.module, CUDLA_OUTPUT_TENSOR_DESCRIPTORS, &a));
    ck_assert_str_eq(desc[0].name, "result");
    a.inputTensorDesc = NULL;
    GIVES(cudlaModuleGetAttributes(b.module, CUDLA_INPUT_TENSOR_DESCRIPTORS, &a), InvalidParam);
    GIVES(cudlaModuleGetAttributes(b.module, CUDLA_NUM_INPUT_TENSORS, NULL), InvalidParam);
    GIVES(cudlaModuleGetAttributes(b.module, (cudlaModuleAttributeType)99, &a), InvalidAttribute);
    GIVES(cudlaModuleGetAttributes(NULL, CUDLA_NUM_INPUT_TENSORS, &a), InvalidModule);
}
END_TEST

START_TEST(a_handle_takes_one_module_at_a_time)
{
    cudlaModule second;

    board_open(&b);
    GIVES(cudlaModuleLoadFromMemory(b.dev, b.loadable, b.len, &second, 0), UnsupportedOperation);
    GIVES(cudlaModuleUnload(b.module, 1), InvalidParam);
    OK(cudlaModuleUnload(b.module, 0));
    GIVES(cudlaModuleUnload(b.module, 0), InvalidModule);
    OK(cudlaModuleLoadFromMemory(b.dev, b.loadable, b.len, &second, 0));
}
END_TEST

START_TEST(no_argument_crashes_the_library)
{
    cudlaModule module;
    cudlaDevAttribute attribute;
    struct one_task t;
    uint64_t *registered;
    struct tensor from, to;

    board_open(&b);
    from = tensor_of(&b, RIG_BYTES, 0);
    to = tensor_of(&b, RIG_BYTES, 0);
    GIVES(cudlaCreateDevice(0, NULL, 0), InvalidParam);
    GIVES(cudlaCreateDevice(0, &b.dev, 2), InvalidParam);
    GIVES(cudlaCreateDevice(2, &b.dev, 0), InvalidParam);
    GIVES(cudlaDestroyDevice(NULL), InvalidDevice);
    GIVES(cudlaDestroyDevice((cudlaDevHandle)b.module), InvalidDevice);
    GIVES(cudlaGetLastError((cudlaDevHandle)(void *)&b), InvalidDevice);
    GIVES(cudlaDeviceGetAttribute(b.dev, CUDLA_UNIFIED_ADDRESSING, NULL), InvalidParam);
    GIVES(cudlaDeviceGetAttribute(b.dev, (cudlaDevAttributeType)7, &attribute), InvalidAttribute);
    GIVES(cudlaModuleLoadFromMemory(b.dev, NULL, 5, &module, 0), InvalidParam);
    GIVES(cudlaModuleLoadFromMemory(b.dev, b.loadable, 0, &module, 0), InvalidParam);
    GIVES(cudlaModuleLoadFromMemory(b.dev, b.loadable, b.len, NULL, 0), InvalidParam);
    GIVES(cudlaModuleLoadFromMemory(b.dev, b.loadable, b.len, &module, 2), InvalidParam);
    GIVES(cudlaMemRegister(b.dev, NULL, 1, &registered, 0), InvalidParam);
    GIVES(cudlaMemRegister(b.dev, (uint64_t *)(uintptr_t)to.gpu, RIG_BYTES, NULL, 0), InvalidParam);
    GIVES(cudlaMemRegister(b.dev, (uint64_t *)(uintptr_t)to.gpu, RIG_BYTES, &registered, 8),
          InvalidParam);
    GIVES(cudlaMemRegister(b.dev, (uint64_t *)(uintptr_t)to.gpu, 0, &registered, 0),
          InvalidAddress);
    GIVES(cudlaMemRegister(b.dev, (uint64_t *)(uintptr_t)to.gpu, SIZE_MAX, &registered, 0),
          InvalidAddress);
    GIVES(cudlaMemRegister(b.dev, (uint64_t *)(void *)in, sizeof(in), &registered, 0),
          InvalidAddress);
    GIVES(cudlaMemUnregister(b.dev, NULL), InvalidAddress);
    GIVES(cudlaMemUnregister(b.dev, (uint64_t *)(uintptr_t)to.gpu), InvalidAddress);
    task_of(&t, b.module, from.dla, to.dla);
    GIVES(cudlaSubmitTask(b.dev, NULL, 1, b.stream, 0), InvalidParam);
    GIVES(cudlaSubmitTask(b.dev, &t.task, 0, b.stream, 0), InvalidParam);
    GIVES(cudlaSubmitTask(b.dev, &t.task, 1, b.stream, 8), InvalidParam);
    GIVES(cudlaSubmitTask(NULL, &t.task, 1, b.stream, 0), InvalidDevice);
    GIVES(cudlaSubmitTask(b.dev, &t.task, 1, (void *)&b, 0), Cuda);
    t.task.numInputTensors = 2;
    GIVES(cudlaSubmitTask(b.dev, &t.task, 1, b.stream, 0), InvalidParam);
    task_of(&t, NULL, from.dla, to.dla);
    GIVES(cudlaSubmitTask(b.dev, &t.task, 1, b.stream, 0), InvalidModule);
    GIVES(cudlaSetTaskTimeoutInMs(b.dev, 0), InvalidParam);
    GIVES(cudlaSetTaskTimeoutInMs(b.dev, 1000001), InvalidParam);
    OK(cudlaSetTaskTimeoutInMs(b.dev, 1000000));
}
END_TEST

/* Every prefix, and every byte with a bit flipped: an error or a module, never a crash. */
START_TEST(a_damaged_loadable_is_refused_and_the_handle_stays_usable)
{
    struct tensor from, to;
    cudlaModule module;
    unsigned loaded = 0;

    board_open(&b);
    OK(cudlaModuleUnload(b.module, 0));
    for (size_t n = 1; n < b.len; n += 7) {
        if (cudlaModuleLoadFromMemory(b.dev, b.loadable, n, &module, 0) == cudlaSuccess) {
            OK(cudlaModuleUnload(module, 0));
        }
    }
    for (size_t i = 0; i < b.len; i += 3) {
        b.loadable[i] ^= (uint8_t)(1u << i % 8);
        if (cudlaModuleLoadFromMemory(b.dev, b.loadable, b.len, &module, 0) == cudlaSuccess) {
            OK(cudlaModuleUnload(module, 0));
            loaded++;
        }
        b.loadable[i] ^= (uint8_t)(1u << i % 8);
    }
    ck_assert_uint_lt(loaded, b.len / 3);
    GIVES(cudlaModuleLoadFromMemory(b.dev, (const uint8_t *)"no loadable at all, but text", 28,
                                    &module, 0),
          Umd);
    OK(cudlaModuleLoadFromMemory(b.dev, b.loadable, b.len, &b.module, 0));
    from = tensor_of(&b, RIG_BYTES, 0);
    to = tensor_of(&b, RIG_BYTES, 0);
    pattern(in, 17);
    run(&board_net, b.stream, &from, &to);
}
END_TEST

START_TEST(versions_and_interfaces_that_do_not_run_are_refused_by_name)
{
    struct rig_net net = board_net;
    cudlaModule module;
    uint8_t *bytes;
    size_t len;

    board_open(&b);
    OK(cudlaModuleUnload(b.module, 0));
    net.minor = 14;
    bytes = rig_loadable(&net, &len);
    GIVES(cudlaModuleLoadFromMemory(b.dev, bytes, len, &module, 0), IncompatibleDlaSWVersion);
    free(bytes);
    net = board_net;
    net.interface = 2; /* the CPU's emulator */
    bytes = rig_loadable(&net, &len);
    GIVES(cudlaModuleLoadFromMemory(b.dev, bytes, len, &module, 0), UnsupportedOperation);
    free(bytes);
}
END_TEST

/* note 5.1.4, fault diagnostics: no input; the output is asked for and given. */
START_TEST(the_diagnostics_module_probes_the_dla)
{
    cudlaModuleTensorDescriptor desc;
    cudlaModuleAttribute a;
    struct one_task t;
    struct tensor to;

    board_open(&b);
    OK(cudlaModuleUnload(b.module, 0));
    GIVES(cudlaModuleLoadFromMemory(b.dev, b.loadable, b.len, &b.module,
                                    CUDLA_MODULE_ENABLE_FAULT_DIAGNOSTICS),
          InvalidParam);
    OK(cudlaModuleLoadFromMemory(b.dev, NULL, 0, &b.module, CUDLA_MODULE_ENABLE_FAULT_DIAGNOSTICS));
    OK(cudlaModuleGetAttributes(b.module, CUDLA_NUM_INPUT_TENSORS, &a));
    ck_assert_uint_eq(a.numInputTensors, 0);
    OK(cudlaModuleGetAttributes(b.module, CUDLA_NUM_OUTPUT_TENSORS, &a));
    ck_assert_uint_eq(a.numOutputTensors, 1);
    a.outputTensorDesc = &desc;
    OK(cudlaModuleGetAttributes(b.module, CUDLA_OUTPUT_TENSOR_DESCRIPTORS, &a));
    ck_assert_uint_eq(desc.size, RIG_BYTES);
    to = tensor_of(&b, desc.size, 0);
    task_of(&t, b.module, NULL, to.dla);
    t.task.inputTensor = NULL;
    t.task.numInputTensors = 0;
    OK(cudlaSubmitTask(b.dev, &t.task, 1, b.stream, CUDLA_SUBMIT_DIAGNOSTICS_TASK));
    CU(cuStreamSynchronize(b.stream));
    CU(cuMemcpyDtoH(out, to.gpu, RIG_BYTES));
    for (unsigned i = 0; i < RIG_BYTES; i++) {
        ck_assert_int_eq((uint8_t)out[i], (i * 7 + 3) % 256); /* the pattern of dla_diagnostics.c */
    }
}
END_TEST

START_TEST(task_statistics_are_one_more_output)
{
    cudlaModuleTensorDescriptor desc;
    cudlaModuleAttribute a;
    struct one_task t;
    struct tensor from, to, statistics;
    uint64_t times[2] = { 0, 0 };

    board_open(&b);
    from = tensor_of(&b, RIG_BYTES, 0);
    to = tensor_of(&b, RIG_BYTES, 0);
    OK(cudlaModuleGetAttributes(b.module, CUDLA_NUM_OUTPUT_TASK_STATISTICS, &a));
    ck_assert_uint_eq(a.numOutputTensors, 1);
    a.outputTensorDesc = &desc;
    OK(cudlaModuleGetAttributes(b.module, CUDLA_OUTPUT_TASK_STATISTICS_DESCRIPTORS, &a));
    ck_assert_uint_eq(desc.size, sizeof(times));
    statistics = tensor_of(&b, desc.size, CUDLA_TASK_STATISTICS);
    task_of(&t, b.module, from.dla, to.dla);
    t.out[1] = statistics.dla;
    t.task.numOutputTensors = 2;
    OK(cudlaSubmitTask(b.dev, &t.task, 1, b.stream, 0));
    CU(cuStreamSynchronize(b.stream));
    CU(cuMemcpyDtoH(times, statistics.gpu, sizeof(times)));
    ck_assert_uint_gt(times[0], 0);
    ck_assert_uint_gt(times[1], times[0]); /* it takes time */
}
END_TEST

START_TEST(without_the_driver_a_handle_is_none)
{
    GIVES(cudlaGetLastError((cudlaDevHandle)(void *)&b), InvalidDevice);
    GIVES(cudlaModuleUnload((cudlaModule)(void *)&b, 0), InvalidModule);
}
END_TEST

/* Cases have names of their own so that a mutant runs only those that should notice it. */
static TCase *arguments(void)
{
    TCase *t = tcase_create("arguments");

    tcase_add_test(t, the_version_is_one_number);
    tcase_add_loop_test(t, a_board_has_the_dlas_of_its_chip, 0, 8);
    tcase_add_test(t, a_dla_has_sixteen_handles);
    tcase_add_test(t, no_argument_crashes_the_library);
    tcase_add_test(t, without_the_driver_a_handle_is_none);
    return t;
}

static TCase *tasks(void)
{
    TCase *t = tcase_create("tasks");

    tcase_add_loop_test(t, a_task_sees_what_the_stream_did_and_the_stream_sees_the_task, 0, 6);
    tcase_add_test(t, a_task_waits_for_what_is_before_it_in_the_stream);
    tcase_add_test(t, the_legacy_default_stream_takes_tasks);
    tcase_add_test(t, a_queue_that_is_full_makes_the_program_wait);
    tcase_add_test(t, the_tasks_of_a_call_run_in_their_order);
    tcase_add_test(t, pinned_memory_can_be_a_tensor);
    tcase_add_test(t, a_part_of_an_allocation_can_be_registered);
    tcase_add_test(t, a_noop_keeps_the_order_and_computes_nothing);
    tcase_add_test(t, handles_of_both_dlas_work_together);
    tcase_add_test(t, an_event_carries_the_task_to_another_stream);
    tcase_add_test(t, task_statistics_are_one_more_output);
    return t;
}

static TCase *modules(void)
{
    TCase *t = tcase_create("modules");

    tcase_set_timeout(t, 60);
    tcase_add_test(t, a_module_may_have_several_tasks);
    tcase_add_loop_test(t, both_descriptor_layouts_run, 10, 13);
    tcase_add_test(t, attributes_describe_the_tensors);
    tcase_add_test(t, a_handle_takes_one_module_at_a_time);
    tcase_add_test(t, a_damaged_loadable_is_refused_and_the_handle_stays_usable);
    tcase_add_test(t, versions_and_interfaces_that_do_not_run_are_refused_by_name);
    tcase_add_test(t, the_diagnostics_module_probes_the_dla);
    return t;
}

int main(void)
{
    Suite *s = suite_create("cudla");
    SRunner *r = srunner_create(s);
    int failed;

    suite_add_tcase(s, arguments());
    suite_add_tcase(s, tasks());
    suite_add_tcase(s, modules());
    srunner_run_all(r, CK_NORMAL);
    failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed != 0;
}
