/* SPDX-License-Identifier: MIT */
/* Table 1 and Table 2 of CUDA for Tegra, cell by cell, through the driver core on the real model.
 * Each cell is shown by an effect: a fault, a stale byte, a hit in the L2, a line in the CPU
 * caches, an operation that happens at a hint or does not. What is expected stands here as the note
 * has it.
 *
 * Table 1            CPU                                     iGPU
 *   device           not directly accessible                 cached
 *   pageable host    cached                                  not directly accessible
 *   pinned host      uncached below cc 7.2, else cached      uncached
 *   unified          cached                                  cached
 *
 * Table 2 (the second row from edition 000)
 *   Global/Single -> Host      prefetch to CPU
 *   Host -> Global/Single      prefetch to GPU
 *   Global -> Single           no prefetch to GPU
 *   Single -> Global           no prefetch to GPU
 */
#include <check.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/driver/core/core.h"
#include "runtime/driver/driver.h"

static const char ptx[] = ".version 7.0\n.target sm_53\n.address_size 64\n"
                          /* Reads the same word twice and stores the last value. */
                          ".visible .entry read2(.param .u64 src, .param .u64 dst)\n{\n"
                          "  .reg .b64 %rd<3>; .reg .b32 %r<2>;\n"
                          "  ld.param.u64 %rd1, [src];\n  ld.param.u64 %rd2, [dst];\n"
                          "  ld.volatile.u32 %r1, [%rd1];\n  ld.volatile.u32 %r1, [%rd1];\n"
                          "  st.u32 [%rd2], %r1;\n  ret;\n}\n"
                          ".visible .entry write(.param .u64 dst, .param .u32 value)\n{\n"
                          "  .reg .b64 %rd<2>; .reg .b32 %r<2>;\n"
                          "  ld.param.u64 %rd1, [dst];\n  ld.param.u32 %r1, [value];\n"
                          "  st.u32 [%rd1], %r1;\n  ret;\n}\n";

/* Boards below compute capability 7.2, not I/O coherent; and above it, I/O coherent. */
static const char *const old_boards[] = { "nano", "tx2" };
static const char *const new_boards[] = { "xavier-nx", "xavier", "orin-nano", "orin-nx", "orin" };

static CUfunction read2, write_word;
static CUdeviceptr scratch;
static struct {
    uint32_t region; /* what follows counts only this region, 0 = none yet */
    uint64_t l2_hits, l2_misses, port_read, port_written, snooped;
    unsigned cpu_fills, cpu_cleaned, cpu_invalidates, l2_cleans, l2_invalidates;
} seen;

static void sink(void *opaque, const struct trace_record *r)
{
    (void)opaque;
    seen.l2_cleans += r->event == TRACE_EVENT_L2_CLEAN;
    seen.l2_invalidates += r->event == TRACE_EVENT_L2_INVALIDATE;
    if (r->region != seen.region) {
        return;
    }
    switch (r->event) {
    case TRACE_EVENT_SUM_READ:
        seen.l2_hits += r->arg[2];
        seen.l2_misses += r->arg[3];
        break;
    case TRACE_EVENT_SUM_PORT:
        seen.port_read += r->arg[0];
        seen.port_written += r->arg[1];
        seen.snooped += r->arg[2];
        break;
    case TRACE_EVENT_CPU_FILL:
        seen.cpu_fills++;
        break;
    case TRACE_EVENT_CPU_CLEAN:
        seen.cpu_cleaned += (unsigned)r->arg[2];
        break;
    case TRACE_EVENT_CPU_INVALIDATE:
        seen.cpu_invalidates++;
        break;
    default:
        break;
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

static void board_open(const char *soc, const char *os)
{
    CUcontext context;
    CUmodule module;

    setenv("VTEGRA_SOC", soc, 1);
    setenv("VTEGRA_OS", os, 1);
    setenv("VTEGRA_REPORT", "/dev/null", 1);
    OK(rt_init(0));
    OK(rt_primary_retain(&context, 0));
    OK(rt_ctx_set(context));
    OK(rt_module_load(&module, ptx, 0, NULL, NULL));
    OK(rt_module_function(&read2, module, "read2"));
    OK(rt_module_function(&write_word, module, "write"));
    OK(rt_mem_alloc(&scratch, 4));
    hal_observe(core_hal(), TRACE_ALL & ~TRACE_ACCESS, sink, NULL);
}

static void launch_on(CUstream stream, CUfunction f, CUdeviceptr a, uint64_t b)
{
    CUlaunchConfig one = { .gridDimX = 1,
                           .gridDimY = 1,
                           .gridDimZ = 1,
                           .blockDimX = 1,
                           .blockDimY = 1,
                           .blockDimZ = 1,
                           .hStream = stream };

    OK(rt_launch(&one, f, (void *[]){ &a, &b }, NULL));
}

static CUresult gpu_read(CUdeviceptr from, uint32_t *value)
{
    CUresult r;

    launch_on(NULL, read2, from, scratch);
    r = rt_ctx_synchronize(NULL);
    return r ? r : rt_copy((CUdeviceptr)(uintptr_t)value, scratch, 4, RT_COPY_DTOH, NULL, RT_SYNC);
}

static void gpu_write(CUdeviceptr to, uint32_t value)
{
    launch_on(NULL, write_word, to, value);
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

static struct hal_line line_of(CUdeviceptr at)
{
    struct hal_line line;

    ck_assert(hal_line_state(core_hal(), (void *)(uintptr_t)at, &line));
    return line;
}

/* --- Table 1 ---------------------------------------------------------------------------------- */

START_TEST(t1_device_cpu_not_directly_accessible)
{
    CUdeviceptr p;

    board_open(_i % 2 ? "tx2" : "orin", "linux");
    OK(rt_mem_alloc(&p, 4096));
    if (_i < 2) {
        (void)*(volatile char *)(uintptr_t)p; /* raises SIGSEGV */
    } else {
        *(volatile char *)(uintptr_t)p = 1;
    }
}
END_TEST

static void device_igpu_cached(const char *soc)
{
    CUdeviceptr p;
    uint32_t value;

    board_open(soc, "linux");
    OK(rt_mem_alloc(&p, 4096));
    watch(p);
    OK(gpu_read(p, &value));
    ck_assert_uint_eq(seen.l2_misses, 1); /* the first of two loads of one sector */
    ck_assert_uint_eq(seen.l2_hits, 1);   /* the second */
    ck_assert_uint_eq(seen.port_read, 32);
    gpu_write(p, 7);
    OK(rt_ctx_synchronize(NULL));
    OK(gpu_read(p, &value));
    ck_assert_uint_eq(value, 7);
    ck_assert_uint_eq(seen.port_read, 32); /* it never left the L2 */
}

START_TEST(t1_device_igpu_cached_old)
{
    device_igpu_cached(old_boards[_i]);
}
END_TEST

START_TEST(t1_device_igpu_cached_new)
{
    device_igpu_cached(new_boards[_i]);
}
END_TEST

/* The model has no part in pageable memory on the CPU's side: it is the process's own, cached as
 * ever. */
START_TEST(t1_pageable_cpu_accessible_igpu_not)
{
    uint32_t *host = malloc(4096), value = 0;

    board_open(_i < 2 ? old_boards[_i] : new_boards[_i - 2], "linux");
    *host = 5;
    ck_assert_uint_eq(*host, 5);
    ck_assert_int_eq(gpu_read((CUdeviceptr)(uintptr_t)host, &value), CUDA_ERROR_ILLEGAL_ADDRESS);
    ck_assert_uint_eq(*host, 5);
    free(host);
}
END_TEST

START_TEST(t1_pinned_cpu_uncached_below_72)
{
    void *p;
    CUdeviceptr at;

    board_open(old_boards[_i], "linux");
    OK(rt_host_alloc(&p, 4096, 0));
    at = (CUdeviceptr)(uintptr_t)p;
    watch(at);
    cpu_store(at, 7);
    ck_assert_uint_eq(cpu_load(at), 7);
    ck_assert(!line_of(at).cpu_valid);
    ck_assert_uint_eq(seen.cpu_fills, 0); /* no line ever came in */
}
END_TEST

START_TEST(t1_pinned_cpu_cached_from_72)
{
    uint32_t value;
    CUdeviceptr at;
    void *p;

    board_open(new_boards[_i], "linux");
    OK(rt_host_alloc(&p, 4096, 0));
    at = (CUdeviceptr)(uintptr_t)p;
    watch(at);
    cpu_store(at, 7);
    ck_assert_uint_eq(seen.cpu_fills, 1);
    ck_assert(line_of(at).cpu_dirty);
    OK(gpu_read(at, &value)); /* I/O coherency (2.1): the dirty line answers, no maintenance */
    ck_assert_uint_eq(value, 7);
    ck_assert_uint_ge(seen.snooped, 1);
    ck_assert_uint_eq(seen.cpu_cleaned, 0);
    ck_assert(line_of(at).cpu_dirty);
}
END_TEST

static void pinned_igpu_uncached(const char *soc)
{
    uint32_t value;
    CUdeviceptr at;
    void *p;

    board_open(soc, "linux");
    OK(rt_host_alloc(&p, 4096, 0));
    at = (CUdeviceptr)(uintptr_t)p;
    watch(at);
    OK(gpu_read(at, &value));
    ck_assert_uint_eq(seen.l2_hits + seen.l2_misses, 0);
    ck_assert_uint_eq(seen.port_read, 64); /* both loads went out */
    ck_assert(!line_of(at).l2_valid);
    gpu_write(at, 9);
    OK(rt_ctx_synchronize(NULL));
    ck_assert_uint_eq(seen.port_written, 4);
    ck_assert_uint_eq(cpu_load(at), 9);
}

START_TEST(t1_pinned_igpu_uncached_old)
{
    pinned_igpu_uncached(old_boards[_i]);
}
END_TEST

START_TEST(t1_pinned_igpu_uncached_new)
{
    pinned_igpu_uncached(new_boards[_i]);
}
END_TEST

static void unified_both_cached(const char *soc)
{
    uint32_t value;
    CUdeviceptr p;

    board_open(soc, "linux");
    OK(rt_mem_alloc_managed(&p, 4096, CU_MEM_ATTACH_GLOBAL));
    watch(p);
    cpu_store(p, 7);
    ck_assert_uint_eq(seen.cpu_fills, 1); /* CPU: cached */
    ck_assert(line_of(p).cpu_dirty);
    OK(gpu_read(p, &value));
    ck_assert_uint_eq(value, 7);
    ck_assert_uint_eq(seen.l2_misses, 1); /* iGPU: cached */
    ck_assert_uint_eq(seen.l2_hits, 1);
    gpu_write(p, 8);
    OK(rt_ctx_synchronize(NULL));
    ck_assert_uint_eq(cpu_load(p), 8);
}

START_TEST(t1_unified_both_cached_old)
{
    unified_both_cached(old_boards[_i]);
}
END_TEST

START_TEST(t1_unified_both_cached_new)
{
    unified_both_cached(new_boards[_i]);
}
END_TEST

/* 13.4, 4.1: "registered" is as pinned without full coherency; with it (Thor) the L2 caches it,
 * where its NUMA node is the GPU's (3.2), and CPU reads see the L2. With IoMemory it never is
 * cached. */
static CUdeviceptr registered(const char *soc)
{
    void *p = aligned_alloc(65536, 65536);

    board_open(soc, "linux");
    memset(p, 0, 65536);
    OK(rt_host_register(p, 65536, 0));
    watch((CUdeviceptr)(uintptr_t)p);
    return (CUdeviceptr)(uintptr_t)p;
}

START_TEST(t1_registered_igpu_uncached_without_full_coherency)
{
    CUdeviceptr p = registered(new_boards[_i]);
    uint32_t value;

    OK(gpu_read(p, &value));
    ck_assert_uint_eq(seen.l2_hits + seen.l2_misses, 0);
    ck_assert_uint_eq(seen.port_read, 64);
    OK(rt_host_unregister((void *)(uintptr_t)p));
}
END_TEST

START_TEST(t1_registered_igpu_cached_on_thor)
{
    CUdeviceptr p = registered("thor");
    uint32_t value;

    cpu_store(p, 7);
    OK(gpu_read(p, &value));
    ck_assert_uint_eq(value, 7);
    ck_assert_uint_eq(seen.l2_cleans + seen.l2_invalidates, 0);
    gpu_write(p, 8);
    OK(rt_ctx_synchronize(NULL));
    ck_assert_uint_eq(cpu_load(p), 8);
    ck_assert_uint_eq(seen.l2_cleans + seen.l2_invalidates,
                      0); /* "neither CPU nor GPU maintenance" */
}
END_TEST

/* 13.4, 4.1: cMA=1: GPU-uncached, I/O coherent, "acts as pinned". */
START_TEST(t1_unified_igpu_uncached_on_thor)
{
    uint32_t value;
    CUdeviceptr p;

    board_open("thor", "linux");
    OK(rt_mem_alloc_managed(&p, 4096, CU_MEM_ATTACH_GLOBAL));
    watch(p);
    cpu_store(p, 7);
    OK(gpu_read(p, &value));
    ck_assert_uint_eq(value, 7);
    ck_assert_uint_eq(seen.l2_hits + seen.l2_misses, 0);
    ck_assert_uint_eq(seen.port_read, 64);
    ck_assert(!line_of(p).l2_valid);
}
END_TEST

/* 13.4, 4.1: concurrentManagedAccess is 1 under L4T only; without it managed memory is cached on
 * both sides, and the driver maintains the L2. */
START_TEST(t1_unified_both_cached_on_thor_under_qnx)
{
    uint32_t value;
    CUdeviceptr p;

    board_open("thor", "qnx");
    OK(rt_mem_alloc_managed(&p, 4096, CU_MEM_ATTACH_GLOBAL));
    watch(p);
    cpu_store(p, 7);
    OK(gpu_read(p, &value));
    ck_assert_uint_eq(value, 7);
    ck_assert_uint_eq(seen.l2_misses, 1);
    ck_assert_uint_eq(seen.l2_hits, 1);
    gpu_write(p, 8);
    OK(rt_ctx_synchronize(NULL));
    ck_assert_uint_ge(seen.l2_cleans, 1);
    ck_assert_uint_eq(cpu_load(p), 8);
}
END_TEST

/* 2.1: below 7.2 the CPU's bytes have to be cleaned for the iGPU; from 7.2 on they are snooped. */
START_TEST(io_coherency_removes_cpu_maintenance)
{
    bool coherent = _i >= 2;
    uint32_t value;
    CUdeviceptr p;

    board_open(coherent ? new_boards[_i - 2] : old_boards[_i], "linux");
    OK(rt_mem_alloc_managed(&p, 4096, CU_MEM_ATTACH_GLOBAL));
    watch(p);
    cpu_store(p, 7);
    OK(gpu_read(p, &value));
    ck_assert_uint_eq(value, 7);
    ck_assert_uint_eq(seen.cpu_cleaned, coherent ? 0 : 1);
    ck_assert_uint_eq(seen.cpu_invalidates > 0, !coherent);
    ck_assert_uint_eq(seen.snooped > 0, coherent);
    ck_assert_uint_ge(seen.l2_invalidates, 1); /* "still need to be performed": one way */
}
END_TEST

/* --- Table 2 ---------------------------------------------------------------------------------- */

struct hint {
    unsigned from, to;
};

/* A managed buffer in state @from, the iGPU having written it last and everybody having waited. */
static CUdeviceptr attached(const char *os, unsigned from, CUstream *stream)
{
    CUdeviceptr p;

    board_open("tx2", os);
    OK(rt_stream_create(stream, CU_STREAM_NON_BLOCKING, 0));
    OK(rt_mem_alloc_managed(
        &p, 4096, from == CU_MEM_ATTACH_HOST ? CU_MEM_ATTACH_HOST : CU_MEM_ATTACH_GLOBAL));
    if (from == CU_MEM_ATTACH_SINGLE) {
        OK(rt_stream_attach(*stream, p, 0, from));
        OK(rt_stream_synchronize(*stream));
    }
    return p;
}

static const struct hint to_cpu[] = { { CU_MEM_ATTACH_GLOBAL, CU_MEM_ATTACH_HOST },
                                      { CU_MEM_ATTACH_SINGLE, CU_MEM_ATTACH_HOST } };
static const struct hint to_gpu[] = { { CU_MEM_ATTACH_HOST, CU_MEM_ATTACH_GLOBAL },
                                      { CU_MEM_ATTACH_HOST, CU_MEM_ATTACH_SINGLE } };
static const struct hint no_move[] = { { CU_MEM_ATTACH_GLOBAL, CU_MEM_ATTACH_SINGLE },
                                       { CU_MEM_ATTACH_SINGLE, CU_MEM_ATTACH_GLOBAL } };

START_TEST(t2_global_or_single_to_host_prefetches_to_the_cpu)
{
    CUstream stream;
    CUdeviceptr p = attached("linux", to_cpu[_i].from, &stream);

    launch_on(stream, write_word, p, 7);
    watch(p);
    OK(rt_stream_attach(stream, p, 0, to_cpu[_i].to));
    OK(rt_stream_synchronize(stream));
    ck_assert_uint_eq(seen.cpu_invalidates,
                      1); /* once: the hint did it, the wait found nothing to do */
    ck_assert_uint_ge(seen.l2_cleans, 1);
    ck_assert_uint_eq(cpu_load(p), 7);
    OK(rt_ctx_synchronize(NULL));
    ck_assert_uint_eq(seen.cpu_invalidates, 1);
}
END_TEST

START_TEST(t2_host_to_global_or_single_prefetches_to_the_gpu)
{
    CUstream stream;
    CUdeviceptr p = attached("linux", to_gpu[_i].from, &stream);
    unsigned cleans;

    cpu_store(p, 7);
    watch(p);
    OK(rt_stream_attach(stream, p, 0, to_gpu[_i].to));
    OK(rt_stream_synchronize(stream));
    ck_assert_uint_eq(seen.cpu_cleaned, 1); /* at the hint, before any launch */
    ck_assert(!line_of(p).cpu_dirty);
    cleans = seen.cpu_cleaned;
    launch_on(stream, read2, p, scratch);
    OK(rt_stream_synchronize(stream));
    ck_assert_uint_eq(seen.cpu_cleaned, cleans); /* the launch has nothing left to do */
}
END_TEST

START_TEST(t2_between_global_and_single_there_is_no_prefetch)
{
    CUstream stream;
    CUdeviceptr p = attached("linux", no_move[_i].from, &stream);
    uint32_t value;

    cpu_store(p, 7);
    watch(p);
    OK(rt_stream_attach(stream, p, 0, no_move[_i].to));
    OK(rt_stream_synchronize(stream));
    ck_assert_uint_eq(seen.cpu_cleaned, 0);
    ck_assert(line_of(p).cpu_dirty); /* still with the CPU */
    launch_on(stream, read2, p, scratch);
    OK(rt_stream_synchronize(stream));
    ck_assert_uint_eq(seen.cpu_cleaned, 1); /* the launch does it */
    OK(rt_copy((CUdeviceptr)(uintptr_t)&value, scratch, 4, RT_COPY_DTOH, NULL, RT_SYNC));
    ck_assert_uint_eq(value, 7);
}
END_TEST

START_TEST(t2_on_qnx_hints_move_nothing)
{
    CUstream stream;
    CUdeviceptr p = attached("qnx", CU_MEM_ATTACH_HOST, &stream);

    cpu_store(p, 7);
    watch(p);
    OK(rt_stream_attach(stream, p, 0, CU_MEM_ATTACH_GLOBAL)); /* 3.3, note on QNX */
    OK(rt_stream_synchronize(stream));
    ck_assert_uint_eq(seen.cpu_cleaned, 0);
    ck_assert(line_of(p).cpu_dirty);
    launch_on(stream, read2, p, scratch);
    OK(rt_stream_synchronize(stream));
    ck_assert_uint_eq(seen.cpu_cleaned, 1);
}
END_TEST

/* --- managed memory and the CPU, ARCHITECTURE section 2 --------------------------------------- */

START_TEST(managed_memory_is_closed_while_the_gpu_is_active)
{
    CUdeviceptr p;

    board_open(_i % 2 ? "tx2" : "orin", "linux");
    OK(rt_mem_alloc_managed(&p, 4096, CU_MEM_ATTACH_GLOBAL));
    gpu_write(scratch, 1); /* another buffer: the kernel alone is enough */
    if (_i < 2) {
        (void)*(volatile char *)(uintptr_t)p;
    } else {
        *(volatile char *)(uintptr_t)p = 1;
    }
}
END_TEST

START_TEST(managed_memory_opens_at_the_synchronisation)
{
    CUdeviceptr p;

    board_open(_i ? "tx2" : "orin", "linux");
    OK(rt_mem_alloc_managed(&p, 4096, CU_MEM_ATTACH_GLOBAL));
    gpu_write(p, 3);
    OK(rt_ctx_synchronize(NULL));
    ck_assert_uint_eq(*(volatile uint32_t *)(uintptr_t)p, 3);
}
END_TEST

START_TEST(host_attached_memory_stays_open_and_the_gpu_has_no_access)
{
    CUdeviceptr p;
    uint32_t value;

    board_open(_i ? "tx2" : "orin", "linux");
    OK(rt_mem_alloc_managed(&p, 4096, CU_MEM_ATTACH_HOST));
    gpu_write(scratch, 1);
    *(volatile uint32_t *)(uintptr_t)p = 3;
    OK(rt_ctx_synchronize(NULL));
    ck_assert_int_eq(gpu_read(p, &value), CUDA_ERROR_ILLEGAL_ADDRESS);
}
END_TEST

START_TEST(single_attached_memory_is_open_while_another_stream_works)
{
    CUstream mine, other;
    CUdeviceptr p = attached("linux", CU_MEM_ATTACH_SINGLE, &mine);

    OK(rt_stream_create(&other, CU_STREAM_NON_BLOCKING, 0));
    launch_on(other, write_word, scratch, 1);
    *(volatile uint32_t *)(uintptr_t)p = 3;
    ck_assert_uint_eq(*(volatile uint32_t *)(uintptr_t)p, 3);
    OK(rt_ctx_synchronize(NULL));
}
END_TEST

START_TEST(thor_never_closes_managed_memory)
{
    CUdeviceptr p;

    board_open("thor", "linux");
    OK(rt_mem_alloc_managed(&p, 4096, CU_MEM_ATTACH_GLOBAL));
    gpu_write(p, 3);
    *(volatile uint32_t *)(uintptr_t)(p + 64) = 4; /* concurrentManagedAccess is 1 */
    OK(rt_ctx_synchronize(NULL));
    ck_assert_uint_eq(*(volatile uint32_t *)(uintptr_t)p, 3);
    ck_assert_uint_eq(*(volatile uint32_t *)(uintptr_t)(p + 64), 4);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("tables");
    TCase *t1 = tcase_create("Table 1"), *t2 = tcase_create("Table 2"),
          *m = tcase_create("managed");
    SRunner *runner;
    int failed;

    tcase_set_timeout(t1, 60);
    tcase_set_timeout(t2, 60);
    tcase_set_timeout(m, 60);
    tcase_add_loop_test_raise_signal(t1, t1_device_cpu_not_directly_accessible, SIGSEGV, 0, 4);
    tcase_add_loop_test(t1, t1_device_igpu_cached_old, 0, 2);
    tcase_add_loop_test(t1, t1_device_igpu_cached_new, 0, 5);
    tcase_add_loop_test(t1, t1_pageable_cpu_accessible_igpu_not, 0, 7);
    tcase_add_loop_test(t1, t1_pinned_cpu_uncached_below_72, 0, 2);
    tcase_add_loop_test(t1, t1_pinned_cpu_cached_from_72, 0, 5);
    tcase_add_loop_test(t1, t1_pinned_igpu_uncached_old, 0, 2);
    tcase_add_loop_test(t1, t1_pinned_igpu_uncached_new, 0, 5);
    tcase_add_loop_test(t1, t1_unified_both_cached_old, 0, 2);
    tcase_add_loop_test(t1, t1_unified_both_cached_new, 0, 5);
    tcase_add_loop_test(t1, t1_registered_igpu_uncached_without_full_coherency, 0, 5);
    tcase_add_test(t1, t1_registered_igpu_cached_on_thor);
    tcase_add_test(t1, t1_unified_igpu_uncached_on_thor);
    tcase_add_test(t1, t1_unified_both_cached_on_thor_under_qnx);
    tcase_add_loop_test(t1, io_coherency_removes_cpu_maintenance, 0, 7);
    tcase_add_loop_test(t2, t2_global_or_single_to_host_prefetches_to_the_cpu, 0, 2);
    tcase_add_loop_test(t2, t2_host_to_global_or_single_prefetches_to_the_gpu, 0, 2);
    tcase_add_loop_test(t2, t2_between_global_and_single_there_is_no_prefetch, 0, 2);
    tcase_add_test(t2, t2_on_qnx_hints_move_nothing);
    tcase_add_loop_test_raise_signal(m, managed_memory_is_closed_while_the_gpu_is_active, SIGSEGV,
                                     0, 4);
    tcase_add_loop_test(m, managed_memory_opens_at_the_synchronisation, 0, 2);
    tcase_add_loop_test(m, host_attached_memory_stays_open_and_the_gpu_has_no_access, 0, 2);
    tcase_add_test(m, single_attached_memory_is_open_while_another_stream_works);
    tcase_add_test(m, thor_never_closes_managed_memory);
    suite_add_tcase(suite, t1);
    suite_add_tcase(suite, t2);
    suite_add_tcase(suite, m);
    runner = srunner_create(suite);
    srunner_set_fork_status(runner, CK_FORK); /* a board per test */
    srunner_run_all(runner, CK_ENV);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
