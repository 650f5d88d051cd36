/* SPDX-License-Identifier: MIT */
/* No entry point crashes when every argument is zero: before cuInit, after it, and with a context.
 */
#include <check.h>
#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Before cuda.h, which renames some. */
static const char *const symbols[] = {
#define SYMBOL(name, since) #name,
#include "runtime/api/cuda/cuda.def"
};

#include <cuda.h>

typedef int all_zero(long, long, long, long, long, long, long, long, long, long, long, long);

#define N_SYMBOLS (sizeof(symbols) / sizeof(symbols[0]))

enum { NOTHING, INITIALISED, CONTEXT };

static void calls_make(int state, int progress)
{
    CUcontext context;

    if (state >= INITIALISED && cuInit(0) != CUDA_SUCCESS) {
        _exit(2);
    }
    for (size_t i = 0; i < N_SYMBOLS; i++) {
        if (write(progress, &i, sizeof(i)) != sizeof(i)) {
            _exit(3);
        }
        if (state == CONTEXT && (cuDevicePrimaryCtxRetain(&context, 0) != CUDA_SUCCESS ||
                                 cuCtxSetCurrent(context) != CUDA_SUCCESS)) {
            _exit(4);
        }
        if (state == NOTHING && strcmp(symbols[i], "cuInit") == 0) {
            continue;
        }
        void *address = dlsym(RTLD_DEFAULT, symbols[i]);
        all_zero *call;
        memcpy(&call, &address, sizeof(call));
        if (!call) {
            _exit(5);
        }
        call(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
    }
    _exit(0);
}

START_TEST(no_entry_point_crashes_on_zeros)
{
    int progress[2], status = 0;
    size_t last = 0, n;

    ck_assert_int_eq(pipe(progress), 0);
    pid_t pid = fork();
    if (pid == 0) {
        ck_assert_ptr_nonnull(freopen("/dev/null", "w", stderr)); /* every stub says its name */
        calls_make(_i, progress[1]);
    }
    close(progress[1]);
    while (read(progress[0], &n, sizeof(n)) == sizeof(n)) {
        last = n;
    }
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 0, "%s: status 0x%x", symbols[last],
                  (unsigned)status);
    ck_assert_uint_eq(last, N_SYMBOLS - 1);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("cuda_api_null");
    TCase *tc = tcase_create("null");

    tcase_set_timeout(tc, 120);
    tcase_add_loop_test(tc, no_entry_point_crashes_on_zeros, NOTHING, CONTEXT + 1);
    suite_add_tcase(suite, tc);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
