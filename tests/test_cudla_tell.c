/* SPDX-License-Identifier: MIT */
/* What is said of a program's mistakes with cuDLA: which task, which line, which buffer, how many
 * bytes, which code the program saw; and what is said once only, or not at all. */
#include "tests/cudla_board.h"

#include <cuda_runtime_api.h>
#include <sys/wait.h>

static struct board b;
static struct tensor from, to, times;
static struct one_task t;

static void up_on(const char *soc)
{
    board_open_on(&b, soc, &board_net);
    from = tensor_of(&b, RIG_BYTES, 0);
    to = tensor_of(&b, RIG_BYTES, 0);
    times = tensor_of(&b, 16, CUDLA_TASK_STATISTICS);
    task_of(&t, b.module, from.dla, to.dla);
}

static void up(void)
{
    up_on("xavier");
}

#define SUBMIT_LINE "31" /* in the program, as the report names it */

static cudlaStatus submit(void)
{
    return cudlaSubmitTask(b.dev, &t.task, 1, b.stream, 0);
}

static void with_statistics(void)
{
    t.out[1] = times.dla;
    t.task.numOutputTensors = 2;
}

#define NOT_SAID(word) ck_assert_msg(!board_said(word), "said \"%s\": %.2000s", word, board_text())

static unsigned times_said(const char *word)
{
    unsigned n = 0;

    for (const char *at = board_text(); (at = strstr(at, word)); at++) {
        n++;
    }
    return n;
}

/* --- an output that is too small -------------------------------------------------------------- */

/* The tensor has 2048 bytes: 2048 - 64 = 1984 of them lie behind the allocation, in its page. */
START_TEST(an_overrun_past_the_allocation_is_an_error_of_its_own)
{
    up();
    to = tensor_of(&b, 64, 0);
    t.out[0] = to.dla;
    OK(submit());
    SAID("vtegra: error: cudlaSubmitTask: output tensor 0 (result) has 2048 bytes, and the DLA "
         "writes "
         "past the end of this buffer of 64 bytes by 1984:");
    SAID("rule cudla-overrun (inferred:");
    SAID("where tests/test_cudla_tell.c:" SUBMIT_LINE " in submit");
    SAID("allocate and register at least the size that the tensor's descriptor says");
    CU(cuStreamSynchronize(b.stream));
}
END_TEST

START_TEST(an_input_is_read_past_its_end)
{
    up();
    from = tensor_of(&b, 96, 0);
    t.in[0] = from.dla;
    OK(submit());
    SAID(
        "input tensor 0 (data) has 2048 bytes, and the DLA reads past the end of this buffer of 96 "
        "bytes by 1952:");
}
END_TEST

/* The allocation holds the tensor: too few registered bytes are a warning, as before. */
START_TEST(an_allocation_that_is_large_enough_is_no_overrun)
{
    CUdeviceptr memory;
    uint64_t *at;

    up();
    CU(cuMemAlloc(&memory, RIG_BYTES));
    OK(cudlaMemRegister(b.dev, (uint64_t *)(uintptr_t)memory, 64, &at, 0));
    t.out[0] = at;
    OK(submit());
    SAID("has 2048 bytes, registered are 64");
    NOT_SAID("past the end");
}
END_TEST

START_TEST(a_noop_writes_nothing_past_an_end)
{
    up();
    to = tensor_of(&b, 64, 0);
    t.out[0] = to.dla;
    OK(cudlaSubmitTask(b.dev, &t.task, 1, b.stream, CUDLA_SUBMIT_NOOP));
    NOT_SAID("past the end");
}
END_TEST

START_TEST(the_flag_for_statistics_is_for_statistics)
{
    struct tensor plain;

    up();
    with_statistics();
    OK(submit());
    SILENT();
    plain = tensor_of(&b, RIG_BYTES, CUDLA_TASK_STATISTICS);
    t.out[0] = plain.dla;
    OK(submit());
    SAID("output tensor 0 (result) is memory that was registered with CUDLA_TASK_STATISTICS");
    t.out[0] = to.dla;
    t.out[1] = from.dla;
    OK(submit());
    SAID("output tensor 1 (task_statistics) is memory that was registered without "
         "CUDLA_TASK_STATISTICS");
}
END_TEST

/* --- a task that fails ------------------------------------------------------------------------ */

static void third_task_fails(void)
{
    struct tensor sealed;

    up();
    with_statistics(); /* which are a task of their own to the firmware, not to the program */
    OK(submit());
    OK(submit());
    sealed = tensor_of(&b, RIG_BYTES, CUDLA_READ_ONLY_PERM);
    t.out[0] = sealed.dla;
    OK(submit());
    ck_assert_int_eq(cuStreamSynchronize(b.stream), CUDA_ERROR_EXTERNAL_DEVICE);
}

START_TEST(a_failed_task_has_the_programs_number_and_the_line_of_its_submission)
{
    third_task_fails();
    SAID("task 3 of cuDLA handle 0, submitted at tests/test_cudla_tell.c:" SUBMIT_LINE
         " in submit: the SMMU refused a "
         "store of the DLA");
    SAID("task 3 of cuDLA handle 0, submitted at tests/test_cudla_tell.c:" SUBMIT_LINE
         " in submit, failed on DLA 0:");
    SAID("CUDA calls give cudaErrorExternalDevice from now on, cudlaGetLastError() gives "
         "cudlaErrorDlaErrEngineTimeout");
    SAID("rule dla-task-failed (inferred:");
    NOT_SAID("not mapped");
    GIVES(cudlaGetLastError(b.dev), DlaErrEngineTimeout);
}
END_TEST

/* --- VTEGRA_DLA_HANG -------------------------------------------------------------------------- */

/* Tasks are counted as they are submitted; statistics and other handles of the DLA do not matter.
 */
START_TEST(the_task_that_hangs_is_counted_by_submissions)
{
    setenv("VTEGRA_DLA_HANG", "3", 1);
    up();
    with_statistics();
    OK(submit());
    OK(submit());
    CU(cuStreamSynchronize(b.stream));
    OK(cudlaGetLastError(b.dev));
    OK(submit());
    ck_assert_int_eq(cuStreamSynchronize(b.stream), CUDA_ERROR_EXTERNAL_DEVICE);
    SAID("task 3 of cuDLA handle 0, submitted at tests/test_cudla_tell.c:" SUBMIT_LINE
         " in submit, does not end");
    SAID("cudlaGetLastError() gives cudlaErrorDlaErrEngineTimeout");
}
END_TEST

START_TEST(a_value_that_is_no_number_is_said)
{
    static const char *const values[] = { "x", "-1", "1x", "99999999999999999999" };
    char said[100];

    setenv("VTEGRA_DLA_HANG", values[_i], 1);
    up();
    snprintf(said, sizeof(said), "VTEGRA_DLA_HANG=\"%s\" is no number of a task", values[_i]);
    SAID(said);
    OK(submit());
    CU(cuStreamSynchronize(b.stream));
}
END_TEST

START_TEST(no_value_and_0_let_nothing_hang)
{
    setenv("VTEGRA_DLA_HANG", _i ? "0" : "", 1);
    up();
    OK(submit());
    CU(cuStreamSynchronize(b.stream));
    SILENT();
}
END_TEST

/* --- after an error --------------------------------------------------------------------------- */

/* "any ... error returned by cuDLA APIs must be treated as a non-recoverable error" (5.4). */
START_TEST(going_on_after_an_error_is_reported_once)
{
    uint64_t *at;

    up();
    GIVES(cudlaMemRegister(b.dev, (uint64_t *)(uintptr_t)0x1234, 64, &at, 0), InvalidAddress);
    NOT_SAID("continues to use it");
    OK(submit());
    SAID("cudlaMemRegister has returned cudlaErrorInvalidAddress for this handle (number 0), and "
         "the "
         "program continues to use it");
    SAID("destroy the handle and create it again");
    OK(cudlaSubmitTask(b.dev, &t.task, 1, b.stream, 0)); /* another line */
    ck_assert_uint_eq(times_said("continues to use it"), 1);
}
END_TEST

/* "The exception to this rule is cudlaErrorMemoryRegistered". */
START_TEST(memory_that_is_registered_already_is_the_exception)
{
    uint64_t *at;

    up();
    GIVES(cudlaMemRegister(b.dev, (uint64_t *)(uintptr_t)to.gpu, RIG_BYTES, &at, 0),
          MemoryRegistered);
    OK(submit());
    NOT_SAID("continues to use it");
}
END_TEST

START_TEST(another_handle_may_go_on)
{
    cudlaDevHandle other;
    uint64_t *at;

    up();
    OK(cudlaCreateDevice(1, &other, CUDLA_CUDA_DLA));
    GIVES(cudlaMemRegister(other, (uint64_t *)(uintptr_t)0x1234, 64, &at, 0), InvalidAddress);
    OK(submit());
    NOT_SAID("continues to use it");
}
END_TEST

/* The tasks behind the one that failed will never run, and the program knows. */
START_TEST(nothing_is_in_flight_after_an_error_that_was_returned)
{
    setenv("VTEGRA_DLA_HANG", "1", 1);
    up();
    OK(cudlaSetTaskTimeoutInMs(b.dev, 20));
    for (unsigned i = 0; i < 3; i++) {
        OK(submit());
    }
    ck_assert_int_eq(cuStreamSynchronize(b.stream), CUDA_ERROR_EXTERNAL_DEVICE);
    GIVES(cudlaGetLastError(b.dev), DlaErrEngineTimeout);
    OK(cudlaDestroyDevice(b.dev));
    NOT_SAID("have not run");
}
END_TEST

/* --- cudlaMemUnregister() --------------------------------------------------------------------- */

START_TEST(what_cannot_be_unregistered_is_named_with_its_case)
{
    cudlaDevHandle other;

    up();
    OK(cudlaCreateDevice(0, &other, CUDLA_CUDA_DLA));
    GIVES(cudlaMemUnregister(other, to.dla), InvalidAddress);
    SAID("is a registration of another handle (number 0; this is 1)");
    GIVES(cudlaMemUnregister(b.dev, (uint64_t *)(uintptr_t)to.gpu), InvalidAddress);
    SAID("is the CUDA pointer; the memory is registered as 0x");
    OK(cudlaMemUnregister(b.dev, to.dla));
    GIVES(cudlaMemUnregister(b.dev, to.dla), InvalidAddress);
    SAID("was unregistered from this handle before");
    GIVES(cudlaMemUnregister(b.dev, (uint64_t *)(uintptr_t)to.gpu), InvalidAddress);
    SAID("is a CUDA pointer, of memory that is not registered with this handle");
    GIVES(cudlaMemUnregister(b.dev, (uint64_t *)0x40), InvalidAddress);
    SAID("0x40 is nothing that cudlaMemRegister() returned");
    SAID("unregister once, with the same handle, what cudlaMemRegister() returned");
}
END_TEST

START_TEST(memory_that_was_freed_is_called_so)
{
    uint64_t *at;

    up();
    OK(cudlaMemUnregister(b.dev, to.dla));
    CU(cuMemFree(to.gpu));
    GIVES(cudlaMemRegister(b.dev, (uint64_t *)(uintptr_t)to.gpu, RIG_BYTES, &at, 0),
          InvalidAddress);
}
END_TEST

/* --- the report's list of failed calls -------------------------------------------------------- */

static void calls_that_fail(void)
{
    cudlaModuleAttribute a = { .inputTensorDesc = NULL };
    uint64_t *at;

    GIVES(cudlaGetVersion(NULL), InvalidParam);
    GIVES(cudlaDeviceGetCount(NULL), InvalidParam);
    up();
    GIVES(cudlaModuleGetAttributes(b.module, CUDLA_NUM_INPUT_TENSORS, NULL), InvalidParam);
    GIVES(cudlaModuleGetAttributes(b.module, CUDLA_INPUT_TENSOR_DESCRIPTORS, &a), InvalidParam);
    GIVES(cudlaDeviceGetAttribute(b.dev, CUDLA_DEVICE_VERSION, NULL), InvalidParam);
    OK(cudlaModuleUnload(b.module, 0));
    GIVES(cudlaModuleLoadFromMemory(b.dev, b.loadable, 0, &b.module, 0), InvalidParam);
    GIVES(cudlaModuleLoadFromMemory(b.dev, b.loadable, 7, &b.module, 0), Umd);
    board_surfaces(&b)[4 * 32 + 2] = 99; /* the output's address */
    GIVES(cudlaModuleLoadFromMemory(b.dev, b.loadable, b.len, &b.module, 0), Umd);
    board_surfaces(&b)[4 * 32 + 2] = 5;
    OK(cudlaModuleLoadFromMemory(b.dev, b.loadable, b.len, &b.module, 0));
    t.task.moduleHandle = b.module;
    OK(cudlaMemUnregister(b.dev, to.dla));
    CU(cuMemFree(to.gpu));
    GIVES(cudlaMemRegister(b.dev, (uint64_t *)(uintptr_t)to.gpu, 64, &at, 0), InvalidAddress);
    to = tensor_of(&b, RIG_BYTES, CUDLA_READ_ONLY_PERM);
    t.out[0] = to.dla;
    OK(submit());
    ck_assert_int_eq(cudaStreamSynchronize(b.stream), cudaErrorExternalDevice);
    ck_assert_int_eq(cudaFree((void *)(uintptr_t)to.gpu), cudaErrorExternalDevice);
}

/* Blanks stand for line ends, as in board_text(). */
static char *report_of(void (*program)(void))
{
    static char text[1 << 16];
    char path[] = "/tmp/cudla_tell_XXXXXX", *to_ = text;
    int fd = mkstemp(path), status = 0;
    pid_t child;
    FILE *file;

    ck_assert_int_ge(fd, 0);
    child = fork();
    if (child == 0) {
        setenv("TEST_REPORT", path, 1);
        setenv("VTEGRA_REPORT", path, 1);
        setenv("VTEGRA_PROFILES", PROFILES_DIR, 1);
        program();
        exit(0);
    }
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_int_eq(status, 0);
    file = fopen(path, "r"); /* a new one of this name */
    ck_assert_ptr_nonnull(file);
    text[fread(text, 1, sizeof(text) - 1, file)] = 0;
    fclose(file);
    close(fd);
    unlink(path);
    for (const char *at = text; *at; at++) {
        char c = *at == '\n' ? ' ' : *at;

        if (c != ' ' || to_ == text || to_[-1] != ' ') {
            *to_++ = c;
        }
    }
    *to_ = 0;
    return text;
}

START_TEST(every_failed_call_is_in_the_list_with_its_line)
{
    static const char *const lines[] = {
        "cudlaGetVersion returned cudlaErrorInvalidParam: version is NULL (cuDLA API, "
        "cudlaGetVersion), 1 time, at tests/test_cudla_tell.c:",
        "cudlaDeviceGetCount returned cudlaErrorInvalidParam: pNumDevices is NULL",
        "cudlaModuleGetAttributes returned cudlaErrorInvalidParam: attribute is NULL",
        "cudlaModuleGetAttributes returned cudlaErrorInvalidParam: inputTensorDesc is NULL: it is "
        "to "
        "point to 1 descriptor",
        "cudlaDeviceGetAttribute returned cudlaErrorInvalidParam: pAttribute is NULL",
        "lies in memory that was freed (2048 bytes)",
        "cudlaModuleLoadFromMemory returned cudlaErrorInvalidParam: moduleSize is 0: has the file "
        "been "
        "read? (CUDA for Tegra 5.1.2)",
        "loadable.size = 7 bytes: a loadable has at least 8; was the file cut off?",
        "the loadable is damaged: surface_list[0].dst.address = 99: one of the task's 6 addresses, "
        "or "
        "-1",
        "cudaStreamSynchronize returned cudaErrorExternalDevice, 1 time, at "
        "tests/test_cudla_tell.c:",
        "cudaFree returned cudaErrorExternalDevice, 1 time, at tests/test_cudla_tell.c:",
    };
    const char *report = report_of(calls_that_fail);

    for (unsigned i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
        ck_assert_msg(strstr(report, lines[i]), "not in the report: %s\n%s", lines[i], report);
    }
}
END_TEST

static void no_dla(void)
{
    cudlaDevHandle dev;

    setenv("VTEGRA_SOC", "tx2", 1);
    GIVES(cudlaCreateDevice(0, &dev, CUDLA_CUDA_DLA), InvalidParam);
}

static void no_such_dla(void)
{
    cudlaDevHandle dev;

    setenv("VTEGRA_SOC", "xavier", 1);
    GIVES(cudlaCreateDevice(2, &dev, CUDLA_CUDA_DLA), InvalidParam);
}

/* The data sheets: Xavier and Orin modules have DLAs, but for Orin Nano. */
START_TEST(a_dla_that_is_not_there_names_boards_that_have_one)
{
    const char *report = report_of(no_dla);

    /* As other APIs that a SoC does not have: a warning, so that --fail-on warning sees it. */
    ck_assert_ptr_nonnull(strstr(report, "1. warning: there is no DLA 0: tx2 has 0 "));
    ck_assert_ptr_nonnull(strstr(report, "rule unsupported-api (inferred: cuDLA API"));
    ck_assert_ptr_nonnull(strstr(report,
                                 "run with --soc xavier, xavier-nx, orin or orin-nx, or put "
                                 "the network on the GPU"));
    ck_assert_ptr_nonnull(strstr(report, "Calls that this board does not support"));
    ck_assert_ptr_null(strstr(report, "Calls that returned an error"));
    ck_assert_ptr_nonnull(strstr(report_of(no_such_dla), "there is no DLA 2: xavier has 2; "
                                                         "cudlaDeviceGetCount() says how many"));
}
END_TEST

/* On a board with a DLA 2 the report says what `vtegra dla run --soc orin` says. */
static void runs_on_orin(void)
{
    up_on("orin");
    OK(submit());
    CU(cuStreamSynchronize(b.stream));
}

static void runs_on_xavier(void)
{
    up_on("xavier");
    OK(submit());
    CU(cuStreamSynchronize(b.stream));
}

START_TEST(a_dla_1_loadable_on_orin_has_a_note)
{
    const char *note = "has a DLA 2, whose descriptors are not published; this runs the loadable's "
                       "DLA 1 descriptors with the same numbers as Xavier's";

    ck_assert_ptr_nonnull(strstr(report_of(runs_on_orin), note));
    ck_assert_ptr_null(strstr(report_of(runs_on_xavier), note));
}
END_TEST

int main(void)
{
    Suite *s = suite_create("cudla_tell");
    TCase *c = tcase_create("tell");
    SRunner *r = srunner_create(s);
    int failed;

    tcase_set_timeout(c, 60);
    tcase_add_test(c, an_overrun_past_the_allocation_is_an_error_of_its_own);
    tcase_add_test(c, an_input_is_read_past_its_end);
    tcase_add_test(c, an_allocation_that_is_large_enough_is_no_overrun);
    tcase_add_test(c, a_noop_writes_nothing_past_an_end);
    tcase_add_test(c, the_flag_for_statistics_is_for_statistics);
    tcase_add_test(c, a_failed_task_has_the_programs_number_and_the_line_of_its_submission);
    tcase_add_test(c, the_task_that_hangs_is_counted_by_submissions);
    tcase_add_loop_test(c, a_value_that_is_no_number_is_said, 0, 4);
    tcase_add_loop_test(c, no_value_and_0_let_nothing_hang, 0, 2);
    tcase_add_test(c, going_on_after_an_error_is_reported_once);
    tcase_add_test(c, memory_that_is_registered_already_is_the_exception);
    tcase_add_test(c, another_handle_may_go_on);
    tcase_add_test(c, nothing_is_in_flight_after_an_error_that_was_returned);
    tcase_add_test(c, what_cannot_be_unregistered_is_named_with_its_case);
    tcase_add_test(c, memory_that_was_freed_is_called_so);
    tcase_add_test(c, every_failed_call_is_in_the_list_with_its_line);
    tcase_add_test(c, a_dla_that_is_not_there_names_boards_that_have_one);
    tcase_add_test(c, a_dla_1_loadable_on_orin_has_a_note);
    suite_add_tcase(s, c);
    srunner_run_all(r, CK_NORMAL);
    failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed != 0;
}
