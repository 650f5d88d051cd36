/* SPDX-License-Identifier: MIT */
/* What the tests of the driver core share: a context on the fake board. Each test runs in a process
 * of its own (Check forks), so each brings the driver up anew. */
#ifndef TESTS_TEST_DRIVER_H
#define TESTS_TEST_DRIVER_H

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "fake_hal.h"
#include "runtime/driver/driver.h"

#define OK(call) ck_assert_int_eq((call), CUDA_SUCCESS)
#define FAILS(call, code) ck_assert_int_eq((call), CUDA_ERROR_##code)

static const char *const driver_ptx = ".version 8.0\n"
                                      ".target sm_75\n"
                                      ".address_size 64\n"
                                      ".visible .global .align 4 .u32 answer = 42;\n"
                                      ".visible .global .align 8 .u64 where = generic(answer);\n"
                                      ".visible .const .align 4 .u32 limit = 7;\n"
                                      ".visible .entry k(.param .u64 p, .param .u32 n)\n"
                                      "{\n"
                                      "    .reg .b64 %rd<2>;\n"
                                      "    ld.param.u64 %rd1, [p];\n"
                                      "    ret;\n"
                                      "}\n"
                                      ".visible .entry big(.param .align 8 .b8 s[4000])\n"
                                      "{\n"
                                      "    ret;\n"
                                      "}\n";

static inline CUcontext driver_up(const char *soc, const char *os)
{
    CUcontext context;

    setenv("VTEGRA_PROFILES", PROFILES_DIR, 1);
    setenv("VTEGRA_SOC", soc, 1);
    setenv("VTEGRA_OS", os, 1);
    setenv("VTEGRA_POLICY", "lazy", 1);
    setenv("VTEGRA_QUIET", "1", 1);
    OK(rt_init(0));
    OK(rt_ctx_create(&context, NULL, 0, 0));
    fake_log_clear();
    return context;
}

static inline CUfunction driver_kernel(void)
{
    CUmodule module;
    CUfunction f;

    OK(rt_module_load(&module, driver_ptx, 0, NULL, NULL));
    OK(rt_module_function(&f, module, "k"));
    fake_log_clear();
    return f;
}

static inline CUresult driver_launch(CUfunction f, CUstream stream, CUdeviceptr p, unsigned n)
{
    CUlaunchConfig config = { .gridDimX = 1,
                              .gridDimY = 1,
                              .gridDimZ = 1,
                              .blockDimX = 32,
                              .blockDimY = 1,
                              .blockDimZ = 1,
                              .hStream = stream };
    void *params[] = { &p, &n };

    return rt_launch(&config, f, params, NULL);
}

#endif
