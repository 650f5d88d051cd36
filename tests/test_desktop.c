/* SPDX-License-Identifier: MIT */
/* A discrete GPU (profiles/desktop.profile) through the driver core on the real model. Expected:
 * CUDA for Tegra, Table 1 and 3.3, the columns and notes on a dGPU; CUDA C++ Programming Guide,
 * unified memory; and the deviceQuery listing of a GeForce RTX 2080 Ti. */
#include <check.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "include/cudla.h"
#include "runtime/driver/core/core.h"
#include "runtime/driver/driver.h"
#include "runtime/driver/engines/dla/rt_dla.h"

#define VIDMEM UINT64_C(11554717696) /* the listing: "Total amount of global memory" */
#define GIB (UINT64_C(1) << 30)

static const char ptx[] = ".version 7.0\n.target sm_53\n.address_size 64\n"
                          /* Adds 1 twice, by two loads and two stores. */
                          ".visible .entry add2(.param .u64 at)\n{\n"
                          "  .reg .b64 %rd<2>; .reg .b32 %r<2>;\n"
                          "  ld.param.u64 %rd1, [at];\n"
                          "  ld.volatile.u32 %r1, [%rd1];\n  add.u32 %r1, %r1, 1;\n"
                          "  st.volatile.u32 [%rd1], %r1;\n"
                          "  ld.volatile.u32 %r1, [%rd1];\n  add.u32 %r1, %r1, 1;\n"
                          "  st.volatile.u32 [%rd1], %r1;\n  ret;\n}\n";

static CUfunction add2;
static struct {
    uint32_t region; /* what follows counts only this region */
    uint64_t l2_hits, l2_misses, port_read, snooped;
    unsigned l2_cleans, l2_invalidates;
} seen;

static void sink(void *opaque, const struct trace_record *r)
{
    (void)opaque;
    seen.l2_cleans += r->event == TRACE_EVENT_L2_CLEAN;
    seen.l2_invalidates += r->event == TRACE_EVENT_L2_INVALIDATE;
    if (r->region != seen.region) {
        return;
    }
    if (r->event == TRACE_EVENT_SUM_READ) {
        seen.l2_hits += r->arg[2];
        seen.l2_misses += r->arg[3];
    } else if (r->event == TRACE_EVENT_SUM_PORT) {
        seen.port_read += r->arg[0];
        seen.snooped += r->arg[2];
    }
}

static void watch(CUdeviceptr ptr)
{
    struct hal_mem mem;

    memset(&seen, 0, sizeof(seen));
    ck_assert(hal_mem_find(core_hal(), (void *)(uintptr_t)ptr, &mem));
    seen.region = mem.id;
}

#define OK(call) ck_assert_int_eq(call, CUDA_SUCCESS)
#define FAILS(call, code) ck_assert_int_eq(call, CUDA_ERROR_##code)

static void desktop_up(void)
{
    CUcontext context;
    CUmodule module;

    setenv("VTEGRA_SOC", "desktop", 1);
    setenv("VTEGRA_REPORT", "/dev/null", 1);
    setenv("VTEGRA_HOST_MIB", "0", 1);
    OK(rt_init(0));
    OK(rt_primary_retain(&context, 0));
    OK(rt_ctx_set(context));
    OK(rt_module_load(&module, ptx, 0, NULL, NULL));
    OK(rt_module_function(&add2, module, "add2"));
    hal_observe(core_hal(), TRACE_ALL & ~TRACE_ACCESS, sink, NULL);
}

static void add2_launch(CUdeviceptr at)
{
    CUlaunchConfig one = {
        .gridDimX = 1, .gridDimY = 1, .gridDimZ = 1, .blockDimX = 1, .blockDimY = 1, .blockDimZ = 1
    };

    OK(rt_launch(&one, add2, (void *[]){ &at }, NULL));
}

/* The CPU as the hooks see it. */
static void cpu_store(CUdeviceptr at, uint32_t value)
{
    hal_cpu_access(core_hal(), (void *)(uintptr_t)at, 4, ACCESS_STORE);
    *(volatile uint32_t *)(uintptr_t)at = value;
}

static uint32_t cpu_load(CUdeviceptr at)
{
    hal_cpu_access(core_hal(), (void *)(uintptr_t)at, 4, ACCESS_LOAD);
    return *(volatile uint32_t *)(uintptr_t)at;
}

/* --- the device ------------------------------------------------------------------------------- */

START_TEST(attributes_are_those_of_a_discrete_gpu)
{
    static const struct {
        CUdevice_attribute attribute;
        int value;
    } rows[] = {
        { CU_DEVICE_ATTRIBUTE_INTEGRATED, 0 },
        { CU_DEVICE_ATTRIBUTE_CAN_MAP_HOST_MEMORY, 1 },
        { CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING, 1 },
        { CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS, 1 },
        { CU_DEVICE_ATTRIBUTE_DIRECT_MANAGED_MEM_ACCESS_FROM_HOST, 0 },
        { CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS, 0 },
        { CU_DEVICE_ATTRIBUTE_HOST_NATIVE_ATOMIC_SUPPORTED, 0 },
        { CU_DEVICE_ATTRIBUTE_HOST_REGISTER_SUPPORTED, 1 },
    };
    int value;

    desktop_up();
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        OK(rt_device_attribute(&value, rows[i].attribute, 0));
        ck_assert_msg(value == rows[i].value, "attribute %d is %d", rows[i].attribute, value);
    }
}
END_TEST

/* 3.3: "On a dGPU cudaMemGetInfo reports VIDMEM." Pinned and managed memory take none of it. */
START_TEST(mem_get_info_reports_vidmem)
{
    size_t before, after, total, answered;
    CUdeviceptr device, managed;
    void *host;

    desktop_up();
    OK(rt_device_total_mem(&answered, 0));
    OK(rt_mem_info(&before, &total));
    ck_assert_uint_eq(answered, VIDMEM);
    ck_assert_uint_eq(total, VIDMEM);
    OK(rt_host_alloc(&host, GIB, 0));
    OK(rt_mem_alloc_managed(&managed, GIB, CU_MEM_ATTACH_GLOBAL));
    OK(rt_mem_info(&after, &total));
    ck_assert_uint_eq(after, before);
    OK(rt_mem_alloc(&device, GIB));
    OK(rt_mem_info(&after, &total));
    ck_assert_uint_eq(after, before - GIB);
    OK(rt_mem_free(device));
    OK(rt_mem_info(&after, &total));
    ck_assert_uint_eq(after, before);
}
END_TEST

START_TEST(vidmem_and_system_memory_end_apart)
{
    CUdeviceptr first, second;
    void *host;

    desktop_up();
    FAILS(rt_mem_alloc(&first, 12 * GIB), OUT_OF_MEMORY);
    OK(rt_host_alloc(&host, 12 * GIB, 0));
    OK(rt_mem_alloc(&first, 10 * GIB));
    FAILS(rt_mem_alloc(&second, GIB), OUT_OF_MEMORY);
    OK(rt_mem_free(first));
    OK(rt_mem_alloc(&second, 10 * GIB));
}
END_TEST

START_TEST(a_dgpu_has_no_cudla)
{
    cudlaDevHandle dev;

    desktop_up();
    ck_assert_int_eq(rt_dla_create(0, &dev, CUDLA_CUDA_DLA), cudlaErrorUnsupportedOperation);
}
END_TEST

/* --- Table 1, the column of the dGPU ---------------------------------------------------------- */

START_TEST(device_memory_is_cached_and_not_the_cpus)
{
    uint32_t value = 5;
    CUdeviceptr p;

    desktop_up();
    OK(rt_mem_alloc(&p, 4096));
    OK(rt_copy(p, (CUdeviceptr)(uintptr_t)&value, 4, RT_COPY_HTOD, NULL, RT_SYNC));
    add2_launch(p); /* fills the sector */
    OK(rt_ctx_synchronize(NULL));
    watch(p);
    add2_launch(p);
    OK(rt_ctx_synchronize(NULL));
    ck_assert_uint_eq(seen.l2_hits, 2);
    ck_assert_uint_eq(seen.port_read, 0);
    OK(rt_copy((CUdeviceptr)(uintptr_t)&value, p, 4, RT_COPY_DTOH, NULL, RT_SYNC));
    ck_assert_uint_eq(value, 9);
}
END_TEST

START_TEST(device_memory_faults_on_the_cpu)
{
    CUdeviceptr p;

    desktop_up();
    OK(rt_mem_alloc(&p, 4096));
    *(volatile char *)(uintptr_t)p = 1; /* raises SIGSEGV */
}
END_TEST

static CUdeviceptr system_memory(int kind)
{
    static char *pages;
    CUdeviceptr managed;
    void *pinned;

    switch (kind) {
    case 0:
        OK(rt_host_alloc(&pinned, 4096, 0));
        return (uintptr_t)pinned;
    case 1:
        pages = aligned_alloc(65536, 65536);
        memset(pages, 0, 65536);
        OK(rt_host_register(pages, 65536, 0));
        return (uintptr_t)pages;
    default:
        OK(rt_mem_alloc_managed(&managed, 4096, CU_MEM_ATTACH_GLOBAL));
        return managed;
    }
}

/* Pinned, registered, managed: over PCIe, past the L2; the CPU's dirty lines are seen, and no cache
 * maintenance is done for it. */
START_TEST(system_memory_is_uncached_and_coherent)
{
    CUdeviceptr p;

    desktop_up();
    p = system_memory(_i);
    watch(p);
    cpu_store(p, 40);
    add2_launch(p);
    OK(rt_ctx_synchronize(NULL));
    ck_assert_uint_eq(cpu_load(p), 42);
    ck_assert_uint_eq(seen.l2_hits + seen.l2_misses, 0);
    ck_assert_uint_eq(seen.port_read, 64);
    ck_assert_uint_gt(seen.snooped, 0);
    ck_assert_uint_eq(seen.l2_cleans + seen.l2_invalidates, 0);
}
END_TEST

/* concurrentManagedAccess is 1: the CPU may touch it while a kernel is active. */
START_TEST(managed_memory_stays_open_while_the_gpu_is_active)
{
    CUdeviceptr p;

    desktop_up();
    OK(rt_mem_alloc_managed(&p, 4096, CU_MEM_ATTACH_GLOBAL));
    add2_launch(p);
    *(volatile uint32_t *)(uintptr_t)(p + 64) = 4;
    OK(rt_ctx_synchronize(NULL));
    ck_assert_uint_eq(*(volatile uint32_t *)(uintptr_t)p, 2);
    ck_assert_uint_eq(*(volatile uint32_t *)(uintptr_t)(p + 64), 4);
}
END_TEST

START_TEST(pageable_memory_is_not_accessible)
{
    uint32_t *host = malloc(4096);

    desktop_up();
    add2_launch((uintptr_t)host);
    FAILS(rt_ctx_synchronize(NULL), ILLEGAL_ADDRESS);
    free(host);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("desktop");
    TCase *t = tcase_create("desktop");
    SRunner *runner;
    int failed;

    tcase_set_timeout(t, 60);
    tcase_add_test(t, attributes_are_those_of_a_discrete_gpu);
    tcase_add_test(t, mem_get_info_reports_vidmem);
    tcase_add_test(t, vidmem_and_system_memory_end_apart);
    tcase_add_test(t, a_dgpu_has_no_cudla);
    tcase_add_test(t, device_memory_is_cached_and_not_the_cpus);
    tcase_add_test_raise_signal(t, device_memory_faults_on_the_cpu, SIGSEGV);
    tcase_add_loop_test(t, system_memory_is_uncached_and_coherent, 0, 3);
    tcase_add_test(t, managed_memory_stays_open_while_the_gpu_is_active);
    tcase_add_test(t, pageable_memory_is_not_accessible);
    suite_add_tcase(suite, t);
    runner = srunner_create(suite);
    srunner_set_fork_status(runner, CK_FORK); /* a board per test */
    srunner_run_all(runner, CK_ENV);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
