/* SPDX-License-Identifier: MIT */
/* Objects come and go many times, threads work at once: nothing runs out, results stay right. */
#include <check.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cuda.h>

#include "emulated.h"

static const char ptx[] = ".version 7.0\n"
                          ".target sm_53\n"
                          ".address_size 64\n"
                          ".visible .entry add(.param .u64 p, .param .u32 n)\n"
                          "{\n"
                          "    .reg .b32 %r<5>;\n"
                          "    .reg .b64 %d<4>;\n"
                          "    ld.param.u64 %d1, [p];\n"
                          "    ld.param.u32 %r1, [n];\n"
                          "    mov.u32 %r2, %tid.x;\n"
                          "    mul.wide.u32 %d2, %r2, 4;\n"
                          "    add.u64 %d3, %d1, %d2;\n"
                          "    ld.global.u32 %r3, [%d3];\n"
                          "    add.u32 %r4, %r3, %r1;\n"
                          "    st.global.u32 [%d3], %r4;\n"
                          "    ret;\n"
                          "}\n";

static void ok_(CUresult code, const char *call, int i)
{
    const char *name = "?";

    cuGetErrorName(code, &name);
    ck_assert_msg(code == CUDA_SUCCESS, "%s: %s (time %d)", call, name, i);
}
#define OK(call) ok_(call, #call, i)

static CUcontext context_make(void)
{
    CUcontext context;
    const int i = 0;

    OK(cuInit(0));
    OK(cuDevicePrimaryCtxRetain(&context, 0));
    OK(cuCtxSetCurrent(context));
    return context;
}

START_TEST(contexts_come_and_go)
{
    CUcontext context;
    CUdeviceptr p;

    context_make();
    for (int i = 0; i < 200; i++) {
        OK(cuCtxCreate(&context, NULL, 0, 0));
        OK(cuMemAlloc(&p, 10000));
        OK(cuMemsetD8(p, 1, 10000));
        OK(cuCtxDestroy(context));
    }
}
END_TEST

START_TEST(primary_context_is_made_anew)
{
    CUcontext context;

    for (int i = 0; i < 100; i++) {
        CUdeviceptr p;
        OK(cuInit(0));
        OK(cuDevicePrimaryCtxRetain(&context, 0));
        OK(cuCtxSetCurrent(context));
        OK(cuMemAlloc(&p, 10000));
        OK(cuMemsetD8(p, 1, 10000));
        OK(cuDevicePrimaryCtxRelease(0));
    }
}
END_TEST

START_TEST(streams_and_events_come_and_go)
{
    CUstream stream;
    CUevent event;

    context_make();
    for (int i = 0; i < 1000; i++) {
        OK(cuStreamCreate(&stream, i % 2 ? CU_STREAM_NON_BLOCKING : CU_STREAM_DEFAULT));
        OK(cuEventCreate(&event, 0));
        OK(cuEventRecord(event, stream));
        OK(cuStreamDestroy(stream)); /* before what is in it has run */
        OK(cuEventSynchronize(event));
        OK(cuEventDestroy(event));
    }
}
END_TEST

START_TEST(modules_come_and_go)
{
    CUdeviceptr p;
    CUmodule module;
    CUfunction f;
    unsigned n = 1, sum[32];
    void *params[] = { &p, &n };

    context_make();
    for (int i = 0; i < 1; i++) {
        OK(cuMemAlloc(&p, 4096));
        OK(cuMemsetD8(p, 0, 4096));
    }
    for (int i = 0; i < 200; i++) {
        OK(cuModuleLoadData(&module, ptx));
        OK(cuModuleGetFunction(&f, module, "add"));
        OK(cuLaunchKernel(f, 1, 1, 1, 32, 1, 1, 0, NULL, params, NULL));
        OK(cuModuleUnload(module)); /* waits for the kernel */
    }
    const int i = 200;
    OK(cuMemcpyDtoH(sum, p, sizeof(sum)));
    ck_assert_uint_eq(sum[0], 200);
    ck_assert_uint_eq(sum[31], 200);
}
END_TEST

START_TEST(allocations_of_all_kinds_come_and_go)
{
    CUdeviceptr d[50], m[50];
    void *h[50];

    context_make();
    for (int i = 0; i < 40; i++) {
        for (int k = 0; k < 50; k++) {
            OK(cuMemAlloc(&d[k], (size_t)(1 + 1000 * k * k)));
            OK(cuMemAllocManaged(&m[k], (size_t)(1 + 1000 * k), CU_MEM_ATTACH_GLOBAL));
            OK(cuMemHostAlloc(&h[k], (size_t)(1 + 1000 * k), 0));
            *(char *)h[k] = 1;
            *(char *)(uintptr_t)m[k] = 2;
        }
        for (int k = 49; k >= 0; k--) {
            OK(cuMemFree(d[(k * 7) % 50]));
            OK(cuMemFree(m[(k * 11) % 50]));
            OK(cuMemFreeHost(h[(k * 13) % 50]));
        }
    }
}
END_TEST

/* More launches than a ring holds commands, nobody waits in between. */
START_TEST(many_launches_fit_behind_each_other)
{
    CUdeviceptr p;
    CUmodule module;
    CUfunction f;
    unsigned n = 1, sum = 0;
    void *params[] = { &p, &n };
    int i = 0;

    context_make();
    OK(cuMemAlloc(&p, 4096));
    OK(cuMemsetD8(p, 0, 4096));
    OK(cuModuleLoadData(&module, ptx));
    OK(cuModuleGetFunction(&f, module, "add"));
    for (i = 0; i < 5000; i++) {
        OK(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, NULL, params, NULL));
    }
    OK(cuMemcpyDtoH(&sum, p, sizeof(sum)));
    ck_assert_uint_eq(sum, 5000);
}
END_TEST

#define THREADS 8
#define TIMES 50

struct worker {
    CUcontext context;
    CUfunction f;
    unsigned number, bad;
    const char *failed;
};

#define WORK(call)                    \
    do {                              \
        if ((call) != CUDA_SUCCESS) { \
            w->failed = #call;        \
            return NULL;              \
        }                             \
    } while (0)

static void *worker_run(void *data)
{
    struct worker *w = data;
    unsigned values[32];

    WORK(cuCtxSetCurrent(w->context));
    for (unsigned i = 0; i < TIMES; i++) {
        CUdeviceptr p;
        void *params[] = { &p, &w->number };
        WORK(cuMemAlloc(&p, sizeof(values)));
        for (unsigned k = 0; k < 32; k++) {
            values[k] = k + i;
        }
        WORK(cuMemcpyHtoDAsync(p, values, sizeof(values), CU_STREAM_PER_THREAD));
        WORK(cuLaunchKernel(w->f, 1, 1, 1, 32, 1, 1, 0, CU_STREAM_PER_THREAD, params, NULL));
        memset(values, 0, sizeof(values));
        WORK(cuMemcpyDtoHAsync(values, p, sizeof(values), CU_STREAM_PER_THREAD));
        WORK(cuStreamSynchronize(CU_STREAM_PER_THREAD));
        for (unsigned k = 0; k < 32; k++) {
            w->bad += values[k] != k + i + w->number;
        }
        WORK(cuMemFree(p));
    }
    return NULL;
}

START_TEST(threads_with_streams_of_their_own_do_not_disturb_each_other)
{
    struct worker workers[THREADS] = { 0 };
    pthread_t threads[THREADS];
    CUcontext context = context_make();
    CUmodule module;
    CUfunction f;
    const int i = 0;

    OK(cuModuleLoadData(&module, ptx));
    OK(cuModuleGetFunction(&f, module, "add"));
    for (unsigned t = 0; t < THREADS; t++) {
        workers[t] = (struct worker){ .context = context, .f = f, .number = 1000 * t };
        ck_assert_int_eq(pthread_create(&threads[t], NULL, worker_run, &workers[t]), 0);
    }
    for (unsigned t = 0; t < THREADS; t++) {
        ck_assert_int_eq(pthread_join(threads[t], NULL), 0);
        ck_assert_msg(!workers[t].failed, "thread %u: %s", t, workers[t].failed);
        ck_assert_uint_eq(workers[t].bad, 0);
    }
}
END_TEST

/* Physical memory is that of the profile, not of this machine. Nano's 4 GB: few page tables. */
START_TEST(memory_runs_out_with_an_error_and_comes_back)
{
    const size_t gib = (size_t)1 << 30;
    size_t free_before = 0, free_after = 0, total = 0;
    CUdeviceptr p[256];
    int i = 0, n = 0;

    if (emulator_lacks("/proc/self/statm of the program's own")) {
        return;
    }
    setenv("VTEGRA_SOC", "nano", 1);
    context_make();
    OK(cuMemGetInfo(&free_before, &total));
    while (n < 256) {
        CUresult rc = cuMemAlloc(&p[n], gib);
        if (rc == CUDA_ERROR_OUT_OF_MEMORY) {
            break;
        }
        OK(rc);
        n++;
    }
    ck_assert_int_eq(n, (int)(free_before / gib));
    for (i = 0; i < n; i++) {
        OK(cuMemFree(p[i]));
    }
    OK(cuMemGetInfo(&free_after, &total));
    /* Page tables stay: 8 bytes for each 4096 that were mapped. */
    ck_assert_uint_ge(free_after, free_before - free_before / 500 - (1 << 20));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("cuda_api_stress");
    TCase *tc = tcase_create("stress");

    tcase_set_timeout(tc, 120);
    tcase_add_test(tc, contexts_come_and_go);
    tcase_add_test(tc, primary_context_is_made_anew);
    tcase_add_test(tc, streams_and_events_come_and_go);
    tcase_add_test(tc, modules_come_and_go);
    tcase_add_test(tc, allocations_of_all_kinds_come_and_go);
    tcase_add_test(tc, many_launches_fit_behind_each_other);
    tcase_add_test(tc, threads_with_streams_of_their_own_do_not_disturb_each_other);
    tcase_add_test(tc, memory_runs_out_with_an_error_and_comes_back);
    suite_add_tcase(suite, tc);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
