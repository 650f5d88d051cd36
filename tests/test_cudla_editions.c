/* SPDX-License-Identifier: MIT */
/* What an edition of the note does not have, the board does not do; model/rules/features.def has
 * the sections. */
#include "tests/cudla_board.h"

static struct board b;

/* 10.2 has no chapter on cuDLA. */
START_TEST(the_oldest_edition_has_no_cudla)
{
    cudlaDevHandle dev = NULL;

    setenv("VTEGRA_SOC", "xavier", 1);
    setenv("VTEGRA_EDITION", "10.2", 1);
    board_listen();
    CU(cuInit(0));
    GIVES(cudlaCreateDevice(0, &dev, CUDLA_CUDA_DLA), UnsupportedOperation);
    SAID("edition 10.2 of CUDA for Tegra has no cuDLA");
    ck_assert_ptr_null(dev);
}
END_TEST

/* 5.1.4 of 11.4 and 13.4 describes these flags, that of 11.8 (cuDLA 1.0.0) does not. */
static const struct {
    const char *edition;
    cudlaStatus answer;
} flags_by_edition[] = {
    { "11.4", cudlaSuccess },
    { "11.8", cudlaErrorUnsupportedOperation },
    { "", cudlaSuccess }, /* JetPack 5 has the cuDLA of 11.4, whatever CUDA upgrade it runs */
};

START_TEST(flags_of_a_submission_are_those_of_the_edition)
{
    cudlaStatus answer = flags_by_edition[_i].answer;
    struct tensor from, to;
    struct one_task t;
    cudlaModule diagnostics;
    cudlaDevHandle other;

    setenv("VTEGRA_EDITION", flags_by_edition[_i].edition, 1);
    board_open_on(&b, "xavier", &board_net);
    from = tensor_of(&b, RIG_BYTES, 0);
    to = tensor_of(&b, RIG_BYTES, 0);
    task_of(&t, b.module, from.dla, to.dla);
    ck_assert_int_eq(cudlaSubmitTask(b.dev, &t.task, 1, b.stream, CUDLA_SUBMIT_NOOP), answer);
    ck_assert_int_eq(cudlaSubmitTask(b.dev, &t.task, 1, b.stream, CUDLA_SUBMIT_SKIP_LOCK_ACQUIRE),
                     answer);
    OK(cudlaCreateDevice(0, &other, CUDLA_CUDA_DLA));
    ck_assert_int_eq(cudlaModuleLoadFromMemory(other, NULL, 0, &diagnostics,
                                               CUDLA_MODULE_ENABLE_FAULT_DIAGNOSTICS),
                     answer);
    OK(cudlaSubmitTask(b.dev, &t.task, 1, b.stream, 0));
    CU(cuStreamSynchronize(b.stream));
}
END_TEST

/* 3.6: since CUDA 11.5; 11.4 names EGLStream and NvSci alone. The board's answer, not the run's. */
static const struct {
    const char *soc, *edition;
    int descriptors, events;
} sharing[] = {
    { "xavier", "11.4", 0, 0 }, { "xavier", "11.8", 1, 1 }, { "orin", "11.8", 1, 1 },
    { "orin", "13.4", 1, 1 },   { "thor", "13.4", 1, 1 },
};

START_TEST(what_processes_may_share_is_the_editions)
{
    CUmemAllocationProp prop = { .type = CU_MEM_ALLOCATION_TYPE_PINNED,
                                 .requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR,
                                 .location = { .type = CU_MEM_LOCATION_TYPE_DEVICE } };
    CUmemGenericAllocationHandle memory;
    CUcontext context;
    size_t size;
    int value = -1, fd = -1;

    setenv("VTEGRA_SOC", sharing[_i].soc, 1);
    setenv("VTEGRA_EDITION", sharing[_i].edition, 1);
    board_listen();
    CU(cuInit(0));
    CU(cuDevicePrimaryCtxRetain(&context, 0));
    CU(cuCtxSetCurrent(context));
    CU(cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED,
                            0));
    ck_assert_int_eq(value, sharing[_i].descriptors);
    CU(cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_IPC_EVENT_SUPPORTED, 0));
    ck_assert_int_eq(value, sharing[_i].events);
    CU(cuMemGetAllocationGranularity(&size, &prop, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
    CU(cuMemCreate(&memory, size, &prop, 0));
    ck_assert_int_eq(
        cuMemExportToShareableHandle(&fd, memory, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0),
        sharing[_i].descriptors ? CUDA_SUCCESS : CUDA_ERROR_NOT_SUPPORTED);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("cudla_editions");
    TCase *c = tcase_create("cudla_editions");
    SRunner *r = srunner_create(s);
    int failed;

    tcase_set_timeout(c, 60);
    tcase_add_test(c, the_oldest_edition_has_no_cudla);
    tcase_add_loop_test(c, flags_of_a_submission_are_those_of_the_edition, 0, 3);
    tcase_add_loop_test(c, what_processes_may_share_is_the_editions, 0, 5);
    suite_add_tcase(s, c);
    srunner_run_all(r, CK_NORMAL);
    failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed != 0;
}
