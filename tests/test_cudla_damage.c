/* SPDX-License-Identifier: MIT */
/* Loadables with a flipped bit that load all the same: they run or fail as a task, write nothing
 * outside their output, and leave a board that works. */
#include "tests/cudla_board.h"

static struct board b;

/* A page of known bytes on both sides of the output's page, in the same allocation: the SMMU knows
 * pages, so that far a wrong network can reach, here as on a board. */
enum { PAGE = 4096 };

static void guards_are_whole(CUdeviceptr memory, const char *what, size_t at)
{
    uint8_t bytes[3 * PAGE];

    CU(cuMemcpyDtoH(bytes, memory, sizeof(bytes)));
    for (unsigned i = 0; i < sizeof(bytes); i++) {
        if (i < PAGE || i >= 2 * PAGE) {
            ck_assert_msg(bytes[i] == 0x77, "%s at byte %zu: wrote byte %u outside of the output",
                          what, at, i);
        }
    }
}

/* Everything anew: a failed task takes its context with it. Return: what the task ended with. */
static CUresult run(const uint8_t *loadable, size_t len, CUdeviceptr *guarded)
{
    CUresult end = CUDA_ERROR_INVALID_IMAGE;
    struct one_task t;
    CUdeviceptr from;
    uint64_t *in, *out;

    CU(cuDevicePrimaryCtxRetain(&b.context, 0));
    CU(cuCtxSetCurrent(b.context));
    CU(cuStreamCreate(&b.stream, CU_STREAM_NON_BLOCKING));
    OK(cudlaCreateDevice(0, &b.dev, CUDLA_CUDA_DLA));
    CU(cuMemAlloc(guarded, 3 * PAGE));
    CU(cuMemsetD8(*guarded, 0x77, 3 * PAGE));
    CU(cuCtxSynchronize());
    if (cudlaModuleLoadFromMemory(b.dev, loadable, len, &b.module, 0) == cudlaSuccess) {
        CU(cuMemAlloc(&from, RIG_BYTES));
        OK(cudlaMemRegister(b.dev, (uint64_t *)(uintptr_t)from, RIG_BYTES, &in, 0));
        OK(cudlaMemRegister(b.dev, (uint64_t *)(uintptr_t)(*guarded + PAGE), RIG_BYTES, &out, 0));
        task_of(&t, b.module, in, out);
        if (cudlaSubmitTask(b.dev, &t.task, 1, b.stream, 0) == cudlaSuccess) {
            end = cuStreamSynchronize(b.stream);
        }
    }
    return end;
}

static void drop(CUdeviceptr guarded, CUresult end)
{
    if (end == CUDA_SUCCESS || end == CUDA_ERROR_INVALID_IMAGE) {
        guards_are_whole(guarded, "a task", 0);
    } else {
        ck_assert_int_eq(end, CUDA_ERROR_EXTERNAL_DEVICE);
        ck_assert_int_ne(cudlaGetLastError(b.dev), cudlaSuccess);
    }
    cudlaDestroyDevice(b.dev);
    CU(cuDevicePrimaryCtxReset(0));
}

START_TEST(a_damaged_network_ends_as_a_failed_task_at_worst)
{
    unsigned failed = 0, ran = 0;
    CUdeviceptr guarded;
    CUresult end;

    board_open(&b);
    OK(cudlaDestroyDevice(b.dev));
    CU(cuDevicePrimaryCtxReset(0));
    for (size_t i = (size_t)_i; i < b.len; i += 29) {
        uint8_t bit = (uint8_t)(1u << (i / 29 + (unsigned)_i) % 8);

        b.loadable[i] ^= bit;
        end = run(b.loadable, b.len, &guarded);
        failed += end == CUDA_ERROR_EXTERNAL_DEVICE;
        ran += end == CUDA_SUCCESS;
        drop(guarded, end);
        b.loadable[i] ^= bit;
    }
    ck_assert_uint_gt(failed, 0); /* or the test has tested nothing */
    ck_assert_uint_gt(ran, 0);
    end = run(b.loadable, b.len, &guarded);
    ck_assert_int_eq(end, CUDA_SUCCESS);
    drop(guarded, end);
}
END_TEST

static uint8_t *surfaces(void)
{
    board_open(&b);
    OK(cudlaDestroyDevice(b.dev));
    CU(cuDevicePrimaryCtxReset(0));
    return board_surfaces(&b);
}

/* As vtegra dla inspect says it, and before anything runs. The fifth cube is the output. */
START_TEST(a_wrong_address_is_found_when_the_module_is_loaded)
{
    CUdeviceptr guarded;
    uint8_t *at = surfaces();

    at[4 * 32 + 2] = 99;
    ck_assert_int_eq(run(b.loadable, b.len, &guarded), CUDA_ERROR_INVALID_IMAGE);
}
END_TEST

/* 256 MiB behind its buffer: no tensor is that much too small. */
START_TEST(a_wild_address_is_the_loadables_fault)
{
    CUdeviceptr guarded;
    uint8_t *at = surfaces();

    at[4 * 32 + 7] = 0x10;
    ck_assert_int_eq(run(b.loadable, b.len, &guarded), CUDA_ERROR_EXTERNAL_DEVICE);
    SAID("far from everything that is registered with this handle");
    SAID("look at the loadable, which names addresses that it has not: vtegra dla inspect FILE");
}
END_TEST

START_TEST(a_file_that_was_not_read_is_said)
{
    cudlaModule module;

    board_open(&b);
    OK(cudlaModuleUnload(b.module, 0));
    GIVES(cudlaModuleLoadFromMemory(b.dev, b.loadable, 0, &module, 0), InvalidParam);
    GIVES(cudlaModuleLoadFromMemory(b.dev, b.loadable, b.len / 2, &module, 0), Umd);
}
END_TEST

/* What the firmware did not like is said with blob, index and field. */
START_TEST(the_error_names_blob_index_and_field)
{
    CUdeviceptr guarded;
    uint8_t *at = surfaces();

    at[12] = 0; /* a cube of no width */
    ck_assert_int_eq(run(b.loadable, b.len, &guarded), CUDA_ERROR_EXTERNAL_DEVICE);
    SAID("operation_list[0]: SDP.width = 0");
    GIVES(cudlaGetLastError(b.dev), DlaErrInvalidInput);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("cudla_damage");
    TCase *t = tcase_create("flipped bits");
    SRunner *r = srunner_create(s);
    int failed;

    tcase_set_timeout(t, 200);
    tcase_add_loop_test(t, a_damaged_network_ends_as_a_failed_task_at_worst, 0, 2);
    tcase_add_test(t, a_wrong_address_is_found_when_the_module_is_loaded);
    tcase_add_test(t, a_wild_address_is_the_loadables_fault);
    tcase_add_test(t, a_file_that_was_not_read_is_said);
    tcase_add_test(t, the_error_names_blob_index_and_field);
    suite_add_tcase(s, t);
    srunner_run_all(r, CK_NORMAL);
    failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed != 0;
}
