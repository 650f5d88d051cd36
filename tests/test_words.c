/* SPDX-License-Identifier: MIT */
/* What the report says, in the words of the API that the program calls. Pairs of names: CUDA
 * Runtime API 13.0, enumeration cudaError, and CUDA Driver API, enumeration CUresult: equal
 * numbers. */
#include <check.h>
#include <glib.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/observe/words.h"

static const struct {
    const char *driver, *runtime;
} errors[] = {
    { "CUDA_ERROR_INVALID_VALUE", "cudaErrorInvalidValue" },                   /* 1 */
    { "CUDA_ERROR_OUT_OF_MEMORY", "cudaErrorMemoryAllocation" },               /* 2 */
    { "CUDA_ERROR_NO_BINARY_FOR_GPU", "cudaErrorNoKernelImageForDevice" },     /* 209 */
    { "CUDA_ERROR_INVALID_PTX", "cudaErrorInvalidPtx" },                       /* 218 */
    { "CUDA_ERROR_INVALID_HANDLE", "cudaErrorInvalidResourceHandle" },         /* 400 */
    { "CUDA_ERROR_ILLEGAL_ADDRESS", "cudaErrorIllegalAddress" },               /* 700 */
    { "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES", "cudaErrorLaunchOutOfResources" }, /* 701 */
    { "CUDA_ERROR_LAUNCH_TIMEOUT", "cudaErrorLaunchTimeout" },                 /* 702 */
    { "CUDA_ERROR_LAUNCH_FAILED", "cudaErrorLaunchFailure" },                  /* 719 */
    { "CUDA_ERROR_NOT_SUPPORTED", "cudaErrorNotSupported" },                   /* 801 */
};

static void becomes(const char *text, const char *api, const char *wanted)
{
    g_autofree char *got = words_of_api(text, api);

    ck_assert_str_eq(got, wanted);
}

START_TEST(errors_get_the_name_of_the_same_number)
{
    g_autofree char *text = g_strconcat("x: ", errors[_i].driver, ": y", NULL);
    g_autofree char *wanted = g_strconcat("x: ", errors[_i].runtime, ": y", NULL);

    becomes(text, "cudaMemcpy", wanted);
    becomes(text, "cuMemcpy", text);
    becomes(text, NULL, text);
}
END_TEST

START_TEST(functions_of_the_driver_become_the_call)
{
    becomes("cuMemFree of memory", "cudaFree", "cudaFree of memory");
    becomes("cuMemcpyHtoD of 8 bytes", "cudaMemcpy", "cudaMemcpy of 8 bytes");
    becomes("cuMemset of 8 bytes", "cudaMemset2D", "cudaMemset2D of 8 bytes");
    becomes("cuMemFree of memory", "cuMemFree", "cuMemFree of memory");
}
END_TEST

START_TEST(another_call_keeps_its_meaning)
{
    becomes("cuMemFree: call cuGraphicsUnregisterResource() first", "cudaFree",
            "cudaFree: call cudaGraphicsUnregisterResource() first");
    becomes("memory of cuMemCreate() stays", "cudaFree", "memory of cuMemCreate() stays");
    becomes("call cuGraphicsUnregisterResource() first", "cuMemFree",
            "call cuGraphicsUnregisterResource() first");
}
END_TEST

/* A kernel, a variable, a file may be called anything. */
START_TEST(other_words_stay)
{
    becomes("cuMine, cuMemFreeX, xcuMemFree, CUDA_ERROR_X: cub::sort", "cudaFree",
            "cuMine, cuMemFreeX, xcuMemFree, CUDA_ERROR_X: cub::sort");
    becomes("cuMem", "cudaFree", "cuMem"); /* begins like many */
    becomes("CUDA_ERROR_INVALID, CUDA_ERROR_INVALID_VALUES", "cudaFree",
            "CUDA_ERROR_INVALID, CUDA_ERROR_INVALID_VALUES");
    becomes("", "cudaFree", "");
    ck_assert_ptr_null(words_of_api(NULL, "cudaFree"));
}
END_TEST

/* CUDA's own functions go on with a capital letter. */
START_TEST(calls_of_the_runtime_are_known_by_name)
{
    ck_assert(words_is_runtime("cudaMemcpy"));
    ck_assert(!words_is_runtime("cuMemcpy"));
    ck_assert(!words_is_runtime("cudalgo"));
    ck_assert(!words_is_runtime("cuda"));
    ck_assert(!words_is_runtime(NULL));
}
END_TEST

START_TEST(a_function_of_the_program_is_none_of_the_api)
{
    ck_assert(words_is_function("cudaGraphCreate"));
    ck_assert(words_is_function("cudaMemcpy"));
    ck_assert(words_is_function("cuMemAlloc_v2"));
    ck_assert(words_is_function("cuLaunchKernel"));
    ck_assert(!words_is_function("cudaMyWrapper"));
    ck_assert(!words_is_function("cuMyWrapper"));
}
END_TEST

START_TEST(versions_are_not_part_of_a_name)
{
    static const char *const names[] = { "cuMemAlloc_v2",
                                         "cuLaunchKernel_ptsz",
                                         "cuMemcpyHtoDAsync_v2_ptsz",
                                         "cuMemAlloc",
                                         "cuInit",
                                         "cuMemcpy_ptds",
                                         "my_vx",
                                         "mine_a2",
                                         "_v2" };
    static const unsigned lengths[] = { 10, 14, 17, 10, 6, 8, 5, 7, 3 };

    for (unsigned i = 0; i < G_N_ELEMENTS(names); i++) {
        ck_assert_uint_eq(words_plain_length(names[i]), lengths[i]);
    }
}
END_TEST

START_TEST(a_buffer_keeps_the_call_that_allocated_it)
{
    becomes("cuLaunchKernel: the address lies 0 bytes into #12 (cuMemAlloc 4 B at app.cu:3)",
            "cudaLaunchKernel",
            "cudaLaunchKernel: the address lies 0 bytes into #12 (cuMemAlloc 4 B at app.cu:3)");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("words");
    TCase *tc = tcase_create("core");
    SRunner *runner = srunner_create(suite);
    int failed;

    tcase_add_loop_test(tc, errors_get_the_name_of_the_same_number, 0, G_N_ELEMENTS(errors));
    tcase_add_test(tc, functions_of_the_driver_become_the_call);
    tcase_add_test(tc, another_call_keeps_its_meaning);
    tcase_add_test(tc, other_words_stay);
    tcase_add_test(tc, calls_of_the_runtime_are_known_by_name);
    tcase_add_test(tc, versions_are_not_part_of_a_name);
    tcase_add_test(tc, a_function_of_the_program_is_none_of_the_api);
    tcase_add_test(tc, a_buffer_keeps_the_call_that_allocated_it);
    suite_add_tcase(suite, tc);
    srunner_run_all(runner, CK_ENV);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
