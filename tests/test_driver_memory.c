/* SPDX-License-Identifier: MIT */
/* Memory, page tables, copies, modules: on a fake board. */
#include "runtime/driver/device/context.h"
#include "runtime/driver/core/core.h"
#include "runtime/driver/engines/dla/rt_dla.h"
#include "test_driver.h"
#include "tests/emulated.h"

#define PTE_VOL (1u << 3) /* not cached by the L2: gp100-mmu-format, NV_MMU_VER2_PTE */
#define PTE_READ_ONLY (1u << 6)

static uint64_t pte_of(uint64_t va)
{
    uint64_t pte = 0;

    fake_gpu(0, va, &pte);
    return pte;
}

/* CUDA for Tegra, Table 1, the column iGPU. */
START_TEST(table_1_device_and_unified_memory_are_cached_by_the_igpu_pinned_is_not)
{
    CUdeviceptr device, managed;
    void *pinned;

    driver_up(_i ? "orin" : "tx2", "linux");
    OK(rt_mem_alloc(&device, 1));
    OK(rt_mem_alloc_managed(&managed, 1, CU_MEM_ATTACH_GLOBAL));
    OK(rt_host_alloc(&pinned, 1, 0));
    ck_assert(pte_of(device) & 1);
    ck_assert(!(pte_of(device) & PTE_VOL));
    ck_assert(!(pte_of(managed) & PTE_VOL));
    ck_assert(pte_of((uintptr_t)pinned) & PTE_VOL);
}
END_TEST

START_TEST(gpu_and_cpu_use_one_address)
{
    void *pinned;

    driver_up("orin", "linux");
    OK(rt_host_alloc(&pinned, 8192, 0));
    ((char *)pinned)[5000] = 'x';
    ck_assert_int_eq(*fake_gpu(0, (uintptr_t)pinned + 5000, NULL), 'x');
}
END_TEST

START_TEST(behind_every_allocation_lies_an_unmapped_page)
{
    CUdeviceptr a, b;

    driver_up("orin", "linux");
    OK(rt_mem_alloc(&a, 4096));
    OK(rt_mem_alloc(&b, 4096));
    ck_assert_ptr_null(fake_gpu(0, a + 4096, NULL));
    ck_assert_ptr_null(fake_gpu(0, b + 4096, NULL));
}
END_TEST

START_TEST(freed_memory_is_unmapped_and_the_mmu_told)
{
    CUdeviceptr p;

    driver_up("orin", "linux");
    OK(rt_mem_alloc(&p, 4096));
    fake_log_clear();
    OK(rt_mem_free(p));
    ck_assert_ptr_null(fake_gpu(0, p, NULL));
    /* nvgpu: L2 clean and invalidate, then the tables, then the TLB */
    ck_assert_str_eq(fake_log->str, "l2_clean\nl2_invalidate\nmmu_invalidate\n");
    FAILS(rt_mem_free(p), INVALID_VALUE);
    FAILS(rt_mem_free(p + 4), INVALID_VALUE);
}
END_TEST

START_TEST(bad_sizes_and_flags_are_refused)
{
    CUdeviceptr p;
    void *h;

    driver_up("orin", "linux");
    FAILS(rt_mem_alloc(&p, 0), INVALID_VALUE);
    FAILS(rt_mem_alloc(NULL, 4), INVALID_VALUE);
    FAILS(rt_mem_alloc(&p, SIZE_MAX), OUT_OF_MEMORY);
    FAILS(rt_mem_alloc(&p, SIZE_MAX - 4094), OUT_OF_MEMORY);
    FAILS(rt_mem_alloc_managed(&p, 4, 0), INVALID_VALUE);
    FAILS(rt_mem_alloc_managed(&p, 4, CU_MEM_ATTACH_SINGLE), INVALID_VALUE);
    FAILS(rt_host_alloc(&h, 4, 0x80), INVALID_VALUE);
}
END_TEST

/* No room at any of the allocations that a context, a stream or a buffer makes. */
START_TEST(out_of_memory_leaves_everything_usable)
{
    CUcontext c;
    CUstream s;
    CUdeviceptr p;

    driver_up("orin", "linux");
    for (int n = 0; n < 12; n++) {
        CUresult r;

        fake_alloc_budget = n;
        r = rt_ctx_create(&c, NULL, 0, 0);
        ck_assert(r == CUDA_SUCCESS || r == CUDA_ERROR_OUT_OF_MEMORY);
        if (!r) {
            OK(rt_ctx_destroy(c));
        }
        fake_alloc_budget = n;
        r = rt_stream_create(&s, 0, 0);
        ck_assert(r == CUDA_SUCCESS || r == CUDA_ERROR_OUT_OF_MEMORY);
        fake_alloc_budget = n;
        r = rt_mem_alloc(&p, 1 << 20);
        ck_assert(r == CUDA_SUCCESS || r == CUDA_ERROR_OUT_OF_MEMORY);
    }
    fake_alloc_budget = -1;
    OK(rt_mem_alloc(&p, 4096));
    OK(rt_fill(p, 0, 1, 1, 4096, 1, NULL, RT_SYNC));
    OK(rt_ctx_synchronize(NULL));
}
END_TEST

/* CUDA for Tegra 2.1, 3.2, 3.6: I/O coherency from cc 7.2 on, never on QNX. */
START_TEST(host_register_needs_io_coherency_and_is_not_on_qnx)
{
    static const struct {
        const char *soc, *os;
        CUresult result;
    } rows[] = {
        { "nano", "linux", CUDA_ERROR_NOT_SUPPORTED }, { "tx2", "linux", CUDA_ERROR_NOT_SUPPORTED },
        { "xavier", "linux", CUDA_SUCCESS },           { "orin", "linux", CUDA_SUCCESS },
        { "orin", "qnx", CUDA_ERROR_NOT_SUPPORTED },
    };
    void *memory = aligned_alloc(4096, 8192);
    int supported;

    driver_up(rows[_i].soc, rows[_i].os);
    ck_assert_int_eq(rt_host_register(memory, 8192, 0), rows[_i].result);
    OK(rt_device_attribute(&supported, CU_DEVICE_ATTRIBUTE_HOST_REGISTER_SUPPORTED, 0));
    ck_assert_int_eq(supported, rows[_i].result == CUDA_SUCCESS);
    if (supported) {
        ck_assert(pte_of((uintptr_t)memory) & PTE_VOL);
        FAILS(rt_host_register(memory, 8192, 0), HOST_MEMORY_ALREADY_REGISTERED);
        OK(rt_host_unregister(memory));
        ck_assert_ptr_null(fake_gpu(0, (uintptr_t)memory, NULL));
        FAILS(rt_host_unregister(memory), HOST_MEMORY_NOT_REGISTERED);
    }
    free(memory);
}
END_TEST

/* --- copies ----------------------------------------------------------------------------------- */

static void pattern(uint8_t *bytes, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        bytes[i] = (uint8_t)(i * 7 + i / 251);
    }
}

START_TEST(pageable_memory_goes_there_and_back_through_staging)
{
    const size_t n = 3 * 1024 * 1024 + 17; /* more than the whole staging ring */
    uint8_t *a = g_malloc(n), *b = g_malloc0(n);
    CUdeviceptr p;

    driver_up("orin", "linux");
    pattern(a, n);
    OK(rt_mem_alloc(&p, n));
    OK(rt_copy(p, (uintptr_t)a, n, RT_COPY_HTOD, NULL, _i ? RT_ASYNC : RT_SYNC));
    OK(rt_copy((uintptr_t)b, p, n, RT_COPY_DTOH, NULL, _i ? RT_ASYNC : RT_SYNC));
    ck_assert_mem_eq(a, b, n);
    g_free(a);
    g_free(b);
}
END_TEST

/* API synchronization behavior: the source may be overwritten as soon as the call returns. */
START_TEST(a_pageable_source_is_read_before_the_call_returns)
{
    int value = 1, back = 0;
    CUdeviceptr p;

    driver_up("orin", "linux");
    OK(rt_mem_alloc(&p, 4));
    OK(rt_copy(p, (uintptr_t)&value, 4, RT_COPY_HTOD, NULL, RT_ASYNC));
    value = 2;
    OK(rt_copy((uintptr_t)&back, p, 4, RT_COPY_DTOH, NULL, RT_SYNC));
    ck_assert_int_eq(back, 1);
}
END_TEST

START_TEST(device_to_device_is_not_waited_for_but_pinned_is)
{
    CUdeviceptr a, b;
    void *pinned;

    driver_up("orin", "linux");
    OK(rt_mem_alloc(&a, 4));
    OK(rt_mem_alloc(&b, 4));
    OK(rt_host_alloc(&pinned, 4, 0));
    fake_log_clear();
    OK(rt_copy(a, b, 4, RT_COPY_DTOD, NULL, RT_SYNC));
    ck_assert_str_eq(fake_log->str, "");
    OK(rt_copy(a, (uintptr_t)pinned, 4, RT_COPY_HTOD, NULL, RT_ASYNC));
    ck_assert_str_eq(fake_log->str, "");
    OK(rt_copy(a, (uintptr_t)pinned, 4, RT_COPY_HTOD, NULL, RT_SYNC));
    ck_assert_str_eq(fake_log->str, "copy 4\ncopy 4\ncopy 4\n");
}
END_TEST

/* CU_POINTER_ATTRIBUTE_SYNC_MEMOPS: synchronous operations on the memory always synchronise. */
START_TEST(memory_with_sync_memops_is_waited_for_by_synchronous_calls)
{
    CUdeviceptr a, b;
    int value = 7, on = 1;

    driver_up("orin", "linux");
    OK(rt_mem_alloc(&a, 4));
    OK(rt_mem_alloc(&b, 4));
    fake_log_clear();
    OK(rt_copy(a, (uintptr_t)&value, 4, RT_COPY_HTOD, NULL, RT_SYNC));
    ck_assert_str_eq(fake_log->str, ""); /* staged; it may still be under way */
    OK(rt_ctx_synchronize(NULL));
    OK(rt_pointer_set_attribute(&on, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, a));
    fake_log_clear();
    OK(rt_copy(a, (uintptr_t)&value, 4, RT_COPY_HTOD, NULL, RT_SYNC));
    ck_assert_str_eq(fake_log->str, "copy 4\n");
    OK(rt_copy(b, a, 4, RT_COPY_DTOD, NULL, RT_SYNC));
    ck_assert_str_eq(fake_log->str, "copy 4\ncopy 4\n");
    OK(rt_fill(a, 0, 9, 4, 1, 1, NULL, RT_SYNC));
    ck_assert_str_eq(fake_log->str, "copy 4\ncopy 4\nfill 4\n");
    fake_log_clear();
    OK(rt_copy(a, (uintptr_t)&value, 4, RT_COPY_HTOD, NULL, RT_ASYNC));
    OK(rt_copy(b, a, 4, RT_COPY_DTOD, NULL, RT_ASYNC));
    OK(rt_fill(a, 0, 9, 4, 1, 1, NULL, RT_ASYNC));
    ck_assert_str_eq(fake_log->str, "");
}
END_TEST

START_TEST(fills_of_device_memory_are_not_waited_for_of_pinned_and_managed_they_are)
{
    CUdeviceptr device, managed;
    void *pinned;

    driver_up("thor", "linux"); /* no maintenance in the log */
    OK(rt_mem_alloc(&device, 64));
    OK(rt_mem_alloc_managed(&managed, 64, CU_MEM_ATTACH_GLOBAL));
    OK(rt_host_alloc(&pinned, 64, 0));
    fake_log_clear();
    OK(rt_fill(device, 0, 0x01020304, 4, 16, 1, NULL, RT_SYNC));
    ck_assert_str_eq(fake_log->str, "");
    OK(rt_fill((uintptr_t)pinned, 0, 0xabcd, 2, 32, 1, NULL, RT_SYNC));
    ck_assert_str_eq(fake_log->str, "fill 64\nfill 64\n");
    ck_assert_uint_eq(((uint16_t *)pinned)[31], 0xabcd);
    OK(rt_fill(managed, 0, 7, 1, 64, 1, NULL, RT_SYNC));
    ck_assert_uint_eq(*fake_gpu(0, managed + 63, NULL), 7);
    ck_assert_uint_eq(*fake_gpu(0, device + 1, NULL), 3); /* 0x01020304, little endian */
}
END_TEST

START_TEST(pitched_copies_move_only_the_box)
{
    uint8_t host[8 * 16], *gpu;
    CUdeviceptr p;
    CUDA_MEMCPY2D m = { .srcMemoryType = CU_MEMORYTYPE_HOST,
                        .srcHost = host,
                        .srcPitch = 16,
                        .srcXInBytes = 3,
                        .srcY = 2,
                        .dstMemoryType = CU_MEMORYTYPE_DEVICE,
                        .dstXInBytes = 1,
                        .dstY = 1,
                        .WidthInBytes = 5,
                        .Height = 4 };
    size_t pitch;

    driver_up("orin", "linux");
    pattern(host, sizeof(host));
    OK(rt_mem_alloc_pitch(&p, &pitch, 10, 6, 4));
    ck_assert_uint_ge(pitch, 10);
    m.dstDevice = p;
    m.dstPitch = pitch;
    OK(rt_copy_2d(&m, NULL, RT_SYNC));
    OK(rt_ctx_synchronize(NULL));
    gpu = fake_gpu(0, p, NULL);
    for (unsigned y = 0; y < 4; y++) {
        ck_assert_mem_eq(gpu + (y + 1) * pitch + 1, host + (y + 2) * 16 + 3, 5);
        ck_assert_uint_eq(gpu[(y + 1) * pitch], 0);
        ck_assert_uint_eq(gpu[(y + 1) * pitch + 6], 0);
    }
    m.WidthInBytes = 17;
    FAILS(rt_copy_2d(&m, NULL, RT_SYNC), INVALID_VALUE);
    m.WidthInBytes = 5;
    m.Height = 6; /* row 7 of 6 */
    FAILS(rt_copy_2d(&m, NULL, RT_SYNC), INVALID_VALUE);
    m.Height = SIZE_MAX;
    FAILS(rt_copy_2d(&m, NULL, RT_SYNC), INVALID_VALUE);
}
END_TEST

/* 512 * 2^55 is 0 in 64 bits. */
START_TEST(sizes_that_wrap_are_refused)
{
    CUdeviceptr p;
    CUDA_MEMCPY2D m = { .srcMemoryType = CU_MEMORYTYPE_DEVICE,
                        .srcPitch = 512,
                        .dstMemoryType = CU_MEMORYTYPE_DEVICE,
                        .dstPitch = 512,
                        .WidthInBytes = 16,
                        .Height = (UINT64_C(1) << 55) + 1 };

    driver_up("orin", "linux");
    OK(rt_mem_alloc(&p, 4096));
    m.srcDevice = p;
    m.dstDevice = p + 1024;
    FAILS(rt_copy_2d(&m, NULL, RT_SYNC), INVALID_VALUE);
    m.Height = 1;
    m.srcY = UINT64_C(1) << 55;
    FAILS(rt_copy_2d(&m, NULL, RT_SYNC), INVALID_VALUE);
    FAILS(rt_fill(p, 512, 0, 1, 16, (UINT64_C(1) << 55) + 1, NULL, RT_SYNC), INVALID_VALUE);
    FAILS(rt_fill(p, 0, 0, 4, (UINT64_C(1) << 62) + 1, 1, NULL, RT_SYNC), INVALID_VALUE);
}
END_TEST

START_TEST(addresses_that_are_nobodys_are_an_error_not_a_crash)
{
    char host[16];
    CUdeviceptr p;

    if (emulator_lacks("process_vm_readv()")) {
        return;
    }
    driver_up("orin", "linux");
    OK(rt_mem_alloc(&p, 4096));
    FAILS(rt_copy(p, 16, 8, RT_COPY_HTOD, NULL, RT_SYNC), INVALID_VALUE);
    FAILS(rt_copy(p, UINT64_MAX - 3, 8, RT_COPY_DEFAULT, NULL, RT_SYNC), INVALID_VALUE);
    FAILS(rt_copy(16, p, 8, RT_COPY_DTOH, NULL, RT_SYNC), INVALID_VALUE);
    FAILS(rt_copy((uintptr_t)host, (uintptr_t)host, 8, RT_COPY_DTOD, NULL, RT_SYNC), INVALID_VALUE);
    FAILS(rt_copy(p + 1, (uintptr_t)host, 4096, RT_COPY_HTOD, NULL, RT_SYNC), INVALID_VALUE);
    FAILS(rt_fill((uintptr_t)host, 0, 0, 1, 8, 1, NULL, RT_SYNC), INVALID_VALUE);
    FAILS(rt_fill(p + 1, 0, 0, 4, 8, 1, NULL, RT_SYNC), INVALID_VALUE);
    OK(rt_copy(0, 0, 0, RT_COPY_DTOD, NULL, RT_SYNC));
}
END_TEST

/* --- modules ---------------------------------------------------------------------------------- */

START_TEST(variables_get_their_initial_values_and_addresses)
{
    CUmodule m;
    CUdeviceptr answer, where, limit;
    size_t bytes;
    uint64_t value;

    driver_up("orin", "linux");
    OK(rt_module_load(&m, driver_ptx, 0, NULL, NULL));
    OK(rt_module_global(&answer, &bytes, m, "answer"));
    ck_assert_uint_eq(bytes, 4);
    ck_assert_uint_eq(*fake_gpu(0, answer, NULL), 42);
    OK(rt_module_global(&where, &bytes, m, "where"));
    memcpy(&value, fake_gpu(0, where, NULL), 8);
    ck_assert_uint_eq(value, answer);
    OK(rt_module_global(&limit, NULL, m, "limit"));
    ck_assert_uint_eq(*fake_gpu(0, limit, NULL), 7);
    FAILS(rt_module_global(&limit, NULL, m, "nobody"), NOT_FOUND);
    FAILS(rt_mem_free(answer), INVALID_VALUE);
    OK(rt_module_unload(m));
    ck_assert_ptr_null(fake_gpu(0, answer, NULL));
    FAILS(rt_module_global(&limit, NULL, m, "limit"), INVALID_HANDLE);
}
END_TEST

static int see_launch(const struct qmd *q, const uint8_t *params, struct chan_error *error)
{
    const char *code = (const char *)fake_gpu(0, q->code_va, NULL);
    uint64_t p;
    uint32_t n;

    (void)error;
    memcpy(&p, params, 8);
    memcpy(&n, params + 8, 4); /* PTX ISA 5.1.6: each at its own alignment */
    ck_assert_int_eq(strncmp(code, ".version", 8), 0);
    ck_assert_uint_eq(q->code_size, strlen(driver_ptx));
    ck_assert_uint_eq(q->param_size, 12);
    ck_assert_uint_eq(p, 0x1234);
    ck_assert_uint_eq(n, 99);
    ck_assert_uint_eq(q->block[0], 32);
    ck_assert_uint_ge(q->resident_blocks, 16);
    return 0;
}

static uint64_t launched_code;

static int note_code(const struct qmd *qmd, const uint8_t *params, struct chan_error *e)
{
    (void)params;
    (void)e;
    launched_code = qmd->code_va;
    return 0;
}

/* Bit 6 of a PTE: "read only" (open-gpu-doc, MMU format). Variables stay writable; the host writes
 * constants all the same. */
START_TEST(kernels_cannot_store_to_code_and_constants)
{
    CUdeviceptr limit, answer;
    size_t bytes;
    uint64_t pte;
    unsigned seen = 0;
    CUmodule module;
    CUfunction f;

    driver_up("tx2", "linux");
    OK(rt_module_load(&module, driver_ptx, 0, NULL, NULL));
    OK(rt_module_function(&f, module, "k"));
    fake_kernel_run = note_code;
    OK(driver_launch(f, NULL, 0, 0));
    OK(rt_ctx_synchronize(NULL));
    ck_assert_ptr_nonnull(fake_gpu(0, launched_code, &pte));
    ck_assert_uint_ne(pte & 0x40, 0);
    OK(rt_module_global(&limit, &bytes, module, "limit"));
    ck_assert_ptr_nonnull(fake_gpu(0, limit, &pte));
    ck_assert_uint_ne(pte & 0x40, 0);
    OK(rt_module_global(&answer, &bytes, module, "answer"));
    ck_assert_ptr_nonnull(fake_gpu(0, answer, &pte));
    ck_assert_uint_eq(pte & 0x40, 0);
    OK(rt_copy(limit, (uintptr_t) & (unsigned){ 99 }, 4, RT_COPY_HTOD, NULL, RT_SYNC));
    OK(rt_copy((uintptr_t)&seen, limit, 4, RT_COPY_DTOH, NULL, RT_SYNC));
    ck_assert_uint_eq(seen, 99);
    OK(rt_fill(limit, 0, 5, 4, 1, 1, NULL, RT_SYNC));
    OK(rt_copy((uintptr_t)&seen, limit, 4, RT_COPY_DTOH, NULL, RT_SYNC));
    ck_assert_uint_eq(seen, 5);
    FAILS(rt_copy(launched_code, (uintptr_t)&seen, 4, RT_COPY_HTOD, NULL, RT_SYNC), INVALID_VALUE);
}
END_TEST

START_TEST(a_launch_names_code_and_parameters_by_gpu_address)
{
    CUfunction f;

    driver_up("orin", "linux");
    f = driver_kernel();
    fake_kernel_run = see_launch;
    OK(driver_launch(f, NULL, 0x1234, 99));
    ck_assert_str_eq(fake_log->str, "");
    OK(rt_ctx_synchronize(NULL));
    ck_assert_str_eq(fake_log->str, "launch 1\n");
}
END_TEST

START_TEST(ptx_errors_have_their_line_in_the_log)
{
    char log[256] = "old";
    CUjit_option options[] = { CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES };
    void *values[] = { log, (void *)sizeof(log) };
    CUmodule m;

    driver_up("orin", "linux");
    FAILS(rt_module_load(&m,
                         ".version 8.0\n.target sm_75\n.address_size 64\n.visible .entry k()\n{\n"
                         "    frobnicate.u32 1;\n    ret;\n}\n",
                         2, options, values),
          INVALID_PTX);
    ck_assert_ptr_nonnull(strstr(log, "line 6"));
    ck_assert_ptr_nonnull(strstr(log, "frobnicate"));
    ck_assert_uint_eq((uintptr_t)values[1], strlen(log));
}
END_TEST

/* A board runs both kernels. Here the module loads, the logs name the one that does not run, and
 * its launch is refused by name: CUDA Driver API, CUDA_ERROR_NOT_SUPPORTED. */
START_TEST(a_kernel_with_an_instruction_that_is_lacking_does_not_keep_others_from_running)
{
    static const char text[] =
        ".version 8.0\n.target sm_75\n.address_size 64\n"
        ".visible .entry k(.param .u64 p, .param .u32 n)\n{\nret;\n}\n"
        ".visible .entry bad(.param .u64 p, .param .u32 n)\n{\n.reg .pred %p<2>;\n"
        ".reg .b64 %d<2>;\nistypep.texref %p0, %d0;\nret;\n}\n";
    char error[256] = "", info[256] = "";
    CUjit_option options[] = { CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES,
                               CU_JIT_INFO_LOG_BUFFER, CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES };
    void *values[] = { error, (void *)sizeof(error), info, (void *)sizeof(info) };
    CUfunction good, bad;
    CUmodule m;

    driver_up("orin", "linux");
    OK(rt_module_load(&m, text, 4, options, values));
    ck_assert_ptr_nonnull(strstr(error, "bad cannot be launched: PTX line 12: `istypep.texref`"));
    ck_assert_str_eq(error, info);
    OK(rt_module_function(&good, m, "k"));
    OK(rt_module_function(&bad, m, "bad"));
    OK(driver_launch(good, NULL, 0x1234, 99));
    FAILS(driver_launch(bad, NULL, 0x1234, 99), NOT_SUPPORTED);
    OK(rt_ctx_synchronize(NULL));
}
END_TEST

/* Driver 580.159.04: PTX text for a newer GPU than the board's, CUDA_ERROR_INVALID_PTX. */
START_TEST(ptx_text_for_a_newer_board_is_refused)
{
    static const char *const ptx[] = {
        ".version 9.0\n.target sm_87\n.address_size 64\n",
        ".version 9.0\n.target sm_110\n.address_size 64\n",
    };
    CUmodule m;

    driver_up("orin", "linux");
    OK(rt_module_load(&m, ptx[0], 0, NULL, NULL));
    FAILS(rt_module_load(&m, ptx[1], 0, NULL, NULL), INVALID_PTX);
}
END_TEST

/* PTX ISA 9.0, 11.1.2: a target with the suffix a has features of "the specified architecture
 * only", one with f runs on "the specified architecture and other architectures of its family";
 * sm_101 was renamed to sm_110 in PTX ISA 9.0. */
START_TEST(ptx_text_for_one_architecture_or_family_runs_there_alone)
{
    static const struct {
        const char *target;
        bool runs;
    } rows[] = {
        { "sm_90", true },   { "sm_90a", false },  { "sm_100", true },  { "sm_100a", false },
        { "sm_100f", false }, { "sm_103f", false }, { "sm_110", true },  { "sm_110a", true },
        { "sm_110f", true }, { "sm_101a", true },  { "sm_101f", true }, { "sm_120", false },
        { "sm_120a", false }, { "sm_120f", false },
    };
    CUmodule m;

    driver_up("thor", "linux");
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autofree char *text = g_strdup_printf(".version 9.0\n.target %s\n.address_size 64\n",
                                                rows[i].target);

        ck_assert_msg(rt_module_load(&m, text, 0, NULL, NULL) ==
                          (rows[i].runs ? CUDA_SUCCESS : CUDA_ERROR_INVALID_PTX),
                      "%s", rows[i].target);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("driver_memory");
    TCase *t = tcase_create("memory");
    SRunner *runner;
    int failed;

    tcase_add_loop_test(t, table_1_device_and_unified_memory_are_cached_by_the_igpu_pinned_is_not,
                        0, 2);
    tcase_add_test(t, ptx_text_for_a_newer_board_is_refused);
    tcase_add_test(t, ptx_text_for_one_architecture_or_family_runs_there_alone);
    tcase_add_test(t, gpu_and_cpu_use_one_address);
    tcase_add_test(t, behind_every_allocation_lies_an_unmapped_page);
    tcase_add_test(t, freed_memory_is_unmapped_and_the_mmu_told);
    tcase_add_test(t, bad_sizes_and_flags_are_refused);
    tcase_add_test(t, out_of_memory_leaves_everything_usable);
    tcase_add_loop_test(t, host_register_needs_io_coherency_and_is_not_on_qnx, 0, 5);
    tcase_add_loop_test(t, pageable_memory_goes_there_and_back_through_staging, 0, 2);
    tcase_add_test(t, a_pageable_source_is_read_before_the_call_returns);
    tcase_add_test(t, memory_with_sync_memops_is_waited_for_by_synchronous_calls);
    tcase_add_test(t, device_to_device_is_not_waited_for_but_pinned_is);
    tcase_add_test(t, fills_of_device_memory_are_not_waited_for_of_pinned_and_managed_they_are);
    tcase_add_test(t, pitched_copies_move_only_the_box);
    tcase_add_test(t, sizes_that_wrap_are_refused);
    tcase_add_test(t, addresses_that_are_nobodys_are_an_error_not_a_crash);
    tcase_add_test(t, variables_get_their_initial_values_and_addresses);
    tcase_add_test(t, a_launch_names_code_and_parameters_by_gpu_address);
    tcase_add_test(t, kernels_cannot_store_to_code_and_constants);
    tcase_add_test(t, ptx_errors_have_their_line_in_the_log);
    tcase_add_test(t, a_kernel_with_an_instruction_that_is_lacking_does_not_keep_others_from_running);
    tcase_set_timeout(t, 60);
    suite_add_tcase(suite, t);
    runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
