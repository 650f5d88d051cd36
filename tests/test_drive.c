/* SPDX-License-Identifier: MIT */
/* Two GPUs on one board (profiles/drive-*.profile) through the driver core on the real model.
 * Expected: CUDA for Tegra, Table 1, third column, 2.2, 3.6 and 5.2.1; the order of devices from
 * the DriveWorks SDK reference, "Choosing the GPU for Execution"; what CUDA_VISIBLE_DEVICES leaves
 * from a machine with two GPUs (driver 580.159.04). */
#include <check.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "include/cudla.h"
#include "runtime/driver/core/core.h"
#include "runtime/driver/driver.h"
#include "runtime/driver/engines/dla/rt_dla.h"

static const char ptx[] = ".version 7.0\n.target sm_53\n.address_size 64\n"
                          /* Adds 1 twice, by two loads and two stores. */
                          ".visible .entry add2(.param .u64 at)\n{\n"
                          "  .reg .b64 %rd<2>; .reg .b32 %r<2>;\n"
                          "  ld.param.u64 %rd1, [at];\n"
                          "  ld.volatile.u32 %r1, [%rd1];\n  add.u32 %r1, %r1, 1;\n"
                          "  st.volatile.u32 [%rd1], %r1;\n"
                          "  ld.volatile.u32 %r1, [%rd1];\n  add.u32 %r1, %r1, 1;\n"
                          "  st.volatile.u32 [%rd1], %r1;\n  ret;\n}\n"
                          ".visible .entry twice(.param .u64 at)\n{\n"
                          "  .reg .b64 %rd<2>; .reg .b32 %r<2>;\n"
                          "  ld.param.u64 %rd1, [at];\n  ld.volatile.u32 %r1, [%rd1];\n"
                          "  add.u32 %r1, %r1, %r1;\n  st.volatile.u32 [%rd1], %r1;\n  ret;\n}\n";

#define OK(call) ck_assert_int_eq(call, CUDA_SUCCESS)
#define FAILS(call, code) ck_assert_int_eq(call, CUDA_ERROR_##code)

enum { DGPU, IGPU };

static const struct board {
    const char *soc;
    int cc[2];          /* of devices 0 and 1 */
    bool host_register; /* 2.1: from compute capability 7.2 of the SoC on */
    double link_mb_s;   /* PCI Express 2.0, four lanes; NVLink of Xavier (Hot Chips 2018) */
} boards[] = { { "drive-px2", { 61, 62 }, false, 1970 },
               { "drive-pegasus", { 75, 72 }, true, 20000 } };

static CUcontext context[2];
static CUfunction add2[2], twice[2];
static struct {
    uint32_t region; /* what follows counts only this region */
    uint64_t l2_asked[BUS_AGENT_COUNT], port_read[BUS_AGENT_COUNT];
} seen;

static void sink(void *opaque, const struct trace_record *r)
{
    (void)opaque;
    if (r->region != seen.region) {
        return;
    }
    if (r->event == TRACE_EVENT_SUM_READ) {
        seen.l2_asked[r->agent] += r->arg[2] + r->arg[3];
    } else if (r->event == TRACE_EVENT_SUM_PORT) {
        seen.port_read[r->agent] += r->arg[0];
    }
}

static void watch(CUdeviceptr ptr)
{
    struct hal_mem mem;

    memset(&seen, 0, sizeof(seen));
    ck_assert(hal_mem_find(core_hal(), (void *)(uintptr_t)ptr, &mem));
    seen.region = mem.id;
}

static void drive_start(const char *soc)
{
    setenv("VTEGRA_SOC", soc, 1);
    setenv("VTEGRA_REPORT", "/dev/null", 1);
    setenv("VTEGRA_HOST_MIB", "0", 1);
}

static void drive_up(const char *soc)
{
    drive_start(soc);
    OK(rt_init(0));
    for (int d = DGPU; d <= IGPU; d++) {
        CUmodule module;

        OK(rt_primary_retain(&context[d], d));
        OK(rt_ctx_set(context[d]));
        OK(rt_module_load(&module, ptx, 0, NULL, NULL));
        OK(rt_module_function(&add2[d], module, "add2"));
        OK(rt_module_function(&twice[d], module, "twice"));
    }
    hal_observe(core_hal(), TRACE_ALL & ~TRACE_ACCESS, sink, NULL);
}

static CUresult add2_run(int device, CUdeviceptr at)
{
    CUlaunchConfig one = {
        .gridDimX = 1, .gridDimY = 1, .gridDimZ = 1, .blockDimX = 1, .blockDimY = 1, .blockDimZ = 1
    };

    OK(rt_ctx_set(context[device]));
    OK(rt_launch(&one, add2[device], (void *[]){ &at }, NULL));
    return rt_ctx_synchronize(NULL);
}

static int attribute(int device, CUdevice_attribute which)
{
    int value = -1;

    OK(rt_device_attribute(&value, which, device));
    return value;
}

/* --- the devices --------------------------------------------------------------------------- */

START_TEST(the_discrete_gpu_is_device_0)
{
    const struct board *b = &boards[_i];
    CUuuid uuid[2];
    CUdevice device;
    int n, can;

    drive_up(b->soc);
    OK(rt_device_count(&n));
    ck_assert_int_eq(n, 2);
    for (int d = DGPU; d <= IGPU; d++) {
        OK(rt_device_get(&device, d));
        ck_assert_int_eq(attribute(d, CU_DEVICE_ATTRIBUTE_INTEGRATED), d == IGPU);
        ck_assert_int_eq(attribute(d, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) * 10 +
                             attribute(d, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR),
                         b->cc[d]);
        ck_assert_int_eq(attribute(d, CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY), d == IGPU);
        ck_assert_int_eq(attribute(d, CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS), 0);
        ck_assert_int_eq(attribute(d, CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS), 0);
        ck_assert_int_eq(attribute(d, CU_DEVICE_ATTRIBUTE_HOST_REGISTER_SUPPORTED),
                         b->host_register);
        OK(rt_device_can_access_peer(&can, d, 1 - d));
        ck_assert_int_eq(can, 0);
        OK(rt_device_uuid(&uuid[d], d));
    }
    ck_assert(memcmp(&uuid[0], &uuid[1], sizeof(uuid[0])) != 0);
    FAILS(rt_device_get(&device, 2), INVALID_DEVICE);
    FAILS(rt_device_can_access_peer(&can, 0, 2), INVALID_DEVICE);
}
END_TEST

/* Rows as measured; @first: the ordinal that the first visible one has without the variable, -1:
 * none is left. */
static const struct {
    const char *list;
    int n, first;
} lists[] = { { "", 0, -1 },      { "0,5,1", 1, DGPU },  { "0,0", 0, -1 }, { "5", 0, -1 },
              { "-1", 0, -1 },    { "1,-1,0", 1, IGPU }, { "x", 0, -1 },   { "0x1", 1, DGPU },
              { " 1", 1, IGPU },  { "1,,0", 1, IGPU },   { "1", 1, IGPU }, { "0", 1, DGPU },
              { "1,0", 2, IGPU }, { "0,1", 2, DGPU } };

/* The same with UUIDs, which cuDeviceGetUuid() gives; @code: of cuInit(). Rows as measured, but for
 * the one that begins both UUIDs: there two GPUs' first letters are the same. */
#define UUID_0 "GPU-76746567-7261-2d64-7269-76652d706566"
#define UUID_1 "GPU-76746567-7261-2d64-7269-76652d706567"
static const struct {
    const char *list;
    int code, n, first;
} uuids[] = {
    { UUID_0, 0, 1, DGPU },
    { UUID_1, 0, 1, IGPU },
    { UUID_1 "," UUID_0, 0, 2, IGPU },
    { UUID_1 "," UUID_1, CUDA_ERROR_INVALID_DEVICE, 0, -1 },
    { "1," UUID_0, 0, 1, IGPU },
    { UUID_1 ",0", 0, 1, IGPU },
    { "GPU-", CUDA_ERROR_NO_DEVICE, 0, -1 },
    { "GPU-7674", CUDA_ERROR_NO_DEVICE, 0, -1 },
    { "GPU", CUDA_ERROR_NO_DEVICE, 0, -1 },
    { "GPU-76746567-7261-2D64-7269-76652D706567", 0, 1, IGPU },
    { UUID_1 "x", 0, 1, IGPU },
    { UUID_1 " ,0", 0, 1, IGPU },
    { " " UUID_1, CUDA_ERROR_NO_DEVICE, 0, -1 },
    { UUID_1 ",GPU-zz," UUID_0, 0, 1, IGPU },
    { "MIG-x", CUDA_ERROR_NO_DEVICE, 0, -1 },
    { "0,GPU-", 0, 1, DGPU },
};

START_TEST(visible_devices_may_be_uuids)
{
    CUuuid uuid;
    int n;

    drive_start("drive-pegasus");
    setenv("CUDA_VISIBLE_DEVICES", uuids[_i].list, 1);
    ck_assert_int_eq(rt_init(0), uuids[_i].code);
    if (!uuids[_i].code) {
        OK(rt_device_count(&n));
        ck_assert_int_eq(n, uuids[_i].n);
        ck_assert_int_eq(attribute(0, CU_DEVICE_ATTRIBUTE_INTEGRATED), uuids[_i].first == IGPU);
        OK(rt_device_uuid(&uuid, 0));
        ck_assert_int_eq(uuid.bytes[15], uuids[_i].first == IGPU ? 0x67 : 0x66);
    }
}
END_TEST

START_TEST(visible_devices_choose_and_sort)
{
    int n;

    drive_start("drive-pegasus");
    setenv("CUDA_VISIBLE_DEVICES", lists[_i].list, 1);
    if (!lists[_i].n) {
        FAILS(rt_init(0), NO_DEVICE);
        return;
    }
    OK(rt_init(0));
    OK(rt_device_count(&n));
    ck_assert_int_eq(n, lists[_i].n);
    ck_assert_int_eq(attribute(0, CU_DEVICE_ATTRIBUTE_INTEGRATED), lists[_i].first == IGPU);
}
END_TEST

/* 2.2: the dGPU has memory of its own, which cudaMemGetInfo reports. */
START_TEST(each_has_memory_of_its_own)
{
    size_t before[2], after, total[2];
    CUdeviceptr p[2];

    drive_up(boards[_i].soc);
    for (int d = DGPU; d <= IGPU; d++) {
        OK(rt_ctx_set(context[d]));
        OK(rt_mem_info(&before[d], &total[d]));
    }
    ck_assert_uint_ne(total[DGPU], total[IGPU]);
    for (int d = DGPU; d <= IGPU; d++) {
        OK(rt_ctx_set(context[d]));
        OK(rt_mem_alloc(&p[d], 64 << 20));
        OK(rt_mem_info(&after, &total[d]));
        ck_assert_uint_le(after, before[d] - (64 << 20));
        OK(rt_ctx_set(context[1 - d]));
        OK(rt_mem_info(&after, &total[1 - d]));
        ck_assert_uint_ge(after + (1 << 20), before[1 - d]); /* page tables lie in the SoC's DRAM */
        OK(rt_ctx_set(context[d]));
        OK(rt_mem_free(p[d]));
    }
}
END_TEST

/* --- Table 1, the third column ------------------------------------------------------------- */

START_TEST(device_memory_is_cached_and_pinned_is_not)
{
    CUdeviceptr device;
    void *pinned;

    drive_up(boards[_i].soc);
    OK(rt_ctx_set(context[DGPU]));
    OK(rt_mem_alloc(&device, 4096));
    OK(rt_host_alloc(&pinned, 4096, 0));
    OK(rt_fill(device, 4096, 0, 4, 1024, 1, NULL, RT_SYNC));
    watch(device);
    OK(add2_run(DGPU, device));
    ck_assert_uint_eq(seen.l2_asked[BUS_AGENT_DGPU], 2);
    ck_assert_uint_eq(seen.l2_asked[BUS_AGENT_IGPU], 0);
    memset(pinned, 0, 4096);
    watch((uintptr_t)pinned);
    OK(add2_run(DGPU, (uintptr_t)pinned));
    ck_assert_uint_eq(seen.l2_asked[BUS_AGENT_DGPU], 0);
    ck_assert_uint_eq(seen.port_read[BUS_AGENT_DGPU], 2 * 32);
    OK(add2_run(IGPU, (uintptr_t)pinned)); /* one address for all */
    hal_cpu_access(core_hal(), pinned, 4, ACCESS_LOAD);
    ck_assert_uint_eq(*(uint32_t *)pinned, 4);
}
END_TEST

/* "unified: not supported"; 3.6 */
START_TEST(the_discrete_gpu_has_no_managed_memory)
{
    CUdeviceptr m;

    drive_up(boards[_i].soc);
    OK(rt_ctx_set(context[DGPU]));
    FAILS(rt_mem_alloc_managed(&m, 4096, CU_MEM_ATTACH_GLOBAL), NOT_SUPPORTED);
    OK(rt_ctx_set(context[IGPU]));
    OK(rt_mem_alloc_managed(&m, 4096, CU_MEM_ATTACH_GLOBAL));
    OK(add2_run(IGPU, m));
    ck_assert_uint_eq(*(volatile uint32_t *)(uintptr_t)m, 2);
    FAILS(add2_run(DGPU, m), ILLEGAL_ADDRESS);
}
END_TEST

START_TEST(registered_memory_is_uncached)
{
    static _Alignas(4096) uint32_t page[1024];

    drive_up(boards[_i].soc);
    OK(rt_ctx_set(context[DGPU]));
    if (!boards[_i].host_register) {
        FAILS(rt_host_register(page, sizeof(page), 0), NOT_SUPPORTED);
        return;
    }
    OK(rt_host_register(page, sizeof(page), 0));
    watch((uintptr_t)page);
    OK(add2_run(DGPU, (uintptr_t)page));
    ck_assert_uint_eq(seen.l2_asked[BUS_AGENT_DGPU], 0);
    ck_assert_uint_eq(seen.port_read[BUS_AGENT_DGPU], 2 * 32);
    ck_assert_uint_eq(page[0], 2);
}
END_TEST

/* --- Table 1, cell by cell ------------------------------------------------------------------- */

enum cell { NO_ACCESS, UNCACHED, CACHED };

/* @cpu: by board, what the mapping of the CPU is. */
static const struct {
    const char *kind;
    enum cell cpu[2], gpu[2]; /* gpu: of the discrete and the integrated one */
} cells[] = {
    { "device of the discrete GPU", { NO_ACCESS, NO_ACCESS }, { CACHED, NO_ACCESS } },
    { "device of the integrated GPU", { NO_ACCESS, NO_ACCESS }, { NO_ACCESS, CACHED } },
    { "pinned", { UNCACHED, CACHED }, { UNCACHED, UNCACHED } },
    { "unified", { CACHED, CACHED }, { NO_ACCESS, CACHED } },
    { "registered", { CACHED, CACHED }, { UNCACHED, UNCACHED } },
    { "pageable", { CACHED, CACHED }, { NO_ACCESS, NO_ACCESS } },
};
#define CELLS ((int)G_N_ELEMENTS(cells))

static CUdeviceptr cell_memory(int kind, bool host_register)
{
    static _Alignas(4096) uint32_t page[2][1024];
    CUdeviceptr p = 0;
    void *pinned;

    OK(rt_ctx_set(context[kind == 0 ? DGPU : IGPU]));
    switch (kind) {
    case 0:
    case 1:
        OK(rt_mem_alloc(&p, 4096));
        OK(rt_fill(p, 4096, 0, 4, 1024, 1, NULL, RT_SYNC));
        OK(rt_ctx_synchronize(NULL));
        return p;
    case 2:
        OK(rt_host_alloc(&pinned, 4096, 0));
        return (uintptr_t)pinned;
    case 3:
        OK(rt_mem_alloc_managed(&p, 4096, CU_MEM_ATTACH_GLOBAL));
        return p;
    case 4:
        if (!host_register) {
            FAILS(rt_host_register(page[0], sizeof(page[0]), 0), NOT_SUPPORTED);
            return 0;
        }
        OK(rt_host_register(page[0], sizeof(page[0]), 0));
        return (uintptr_t)page[0];
    default:
        return (uintptr_t)page[1];
    }
}

/* The kernel asks twice: a cached kind asks the L2, an uncached one goes past it each time. */
static enum cell cell_of(int gpu, CUdeviceptr at, bool ours)
{
    static const int sm[2] = { BUS_AGENT_DGPU, BUS_AGENT_IGPU };

    if (ours) {
        watch(at);
    }
    if (add2_run(gpu, at)) {
        return NO_ACCESS;
    }
    ck_assert_uint_eq(seen.l2_asked[sm[1 - gpu]], 0);
    return seen.l2_asked[sm[gpu]] == 2 ? CACHED : UNCACHED;
}

START_TEST(table_1_holds_cell_by_cell)
{
    int board = _i / CELLS / 2, gpu = _i / CELLS % 2, kind = _i % CELLS;
    const struct board *b = &boards[board];
    struct hal_mem mem;
    CUdeviceptr at;
    int ends[2];

    drive_up(b->soc);
    at = cell_memory(kind, b->host_register);
    if (!at) {
        return;
    }
    ck_assert_int_eq(pipe(ends), 0); /* the CPU's reach, without a signal */
    ck_assert_int_eq(write(ends[1], (void *)(uintptr_t)at, 4),
                     cells[kind].cpu[board] == NO_ACCESS ? -1 : 4);
    if (kind < 5) {
        ck_assert(hal_mem_find(core_hal(), (void *)(uintptr_t)at, &mem));
    }
    if (kind == 2) {
        ck_assert_int_eq(mem.cpu_cached, cells[kind].cpu[board] == CACHED);
    }
    ck_assert_msg(cell_of(gpu, at, kind < 5) == cells[kind].gpu[gpu], "%s: %s, GPU %d", b->soc,
                  cells[kind].kind, gpu);
}
END_TEST

START_TEST(pageable_memory_is_not_accessible)
{
    static uint32_t word;

    drive_up(boards[_i].soc);
    FAILS(add2_run(DGPU, (uintptr_t)&word), ILLEGAL_ADDRESS);
}
END_TEST

/* --- between the two ----------------------------------------------------------------------- */

/* 3.6: no peer to peer: a kernel does not reach the other one's memory, copies go through the
 * CPU's. */
START_TEST(copies_go_between_them_and_kernels_do_not)
{
    enum { N = 300000 };
    static uint32_t in[N], out[N];
    CUdeviceptr p[2];

    drive_up(boards[_i].soc);
    for (unsigned i = 0; i < N; i++) {
        in[i] = i * 2654435761u;
    }
    for (int d = DGPU; d <= IGPU; d++) {
        OK(rt_ctx_set(context[d]));
        OK(rt_mem_alloc(&p[d], sizeof(in)));
    }
    OK(rt_ctx_set(context[IGPU])); /* the memory is the other one's: unified addressing */
    OK(rt_copy(p[DGPU], (uintptr_t)in, sizeof(in), RT_COPY_HTOD, NULL, RT_SYNC));
    OK(rt_copy(p[IGPU], p[DGPU], sizeof(in), RT_COPY_PEER, NULL, RT_SYNC));
    OK(add2_run(IGPU, p[IGPU]));
    OK(rt_ctx_set(context[DGPU]));
    OK(rt_copy((uintptr_t)out, p[IGPU], sizeof(in), RT_COPY_DEFAULT, NULL, RT_SYNC));
    ck_assert_uint_eq(out[0], in[0] + 2);
    ck_assert_mem_eq(out + 1, in + 1, sizeof(in) - 4);
    OK(rt_copy(p[DGPU], p[IGPU], sizeof(in), RT_COPY_DEFAULT, NULL, RT_SYNC));
    OK(add2_run(DGPU, p[DGPU]));
    OK(rt_copy((uintptr_t)out, p[DGPU], sizeof(in), RT_COPY_DTOH, NULL, RT_SYNC));
    ck_assert_uint_eq(out[0], in[0] + 4);
    FAILS(add2_run(DGPU, p[IGPU]), ILLEGAL_ADDRESS);
    OK(rt_ctx_set(
        context[IGPU])); /* measured with two GPUs: the other one's context is lost, too */
    FAILS(rt_ctx_synchronize(NULL), ILLEGAL_ADDRESS);
}
END_TEST

/* cudaMemcpyPeerAsync: "asynchronous with respect to the host" (CUDA Runtime API). The data goes
 * over the link: its time is the link's, not that of either memory. */
START_TEST(an_asynchronous_copy_takes_the_links_time_and_none_of_the_cpu)
{
    const size_t bytes = 16 << 20;
    CUdeviceptr p[2];
    CUevent begin, end;
    CUstream s;
    float ms;

    drive_up(boards[_i].soc);
    for (int d = DGPU; d <= IGPU; d++) {
        OK(rt_ctx_set(context[d]));
        OK(rt_mem_alloc(&p[d], bytes));
        OK(rt_fill(p[d], bytes, 1, 4, bytes / 4, 1, NULL, RT_SYNC));
        OK(rt_ctx_synchronize(NULL));
    }
    for (int d = DGPU; d <= IGPU; d++) { /* in a stream of either, there and back */
        OK(rt_ctx_set(context[d]));
        OK(rt_stream_create(&s, CU_STREAM_NON_BLOCKING, 0));
        OK(rt_event_create(&begin, 0));
        OK(rt_event_create(&end, 0));
        for (int to = DGPU; to <= IGPU; to++) {
            OK(rt_event_record(begin, s, 0));
            OK(rt_copy(p[to], p[1 - to], bytes, RT_COPY_PEER, s, RT_ASYNC));
            OK(rt_event_record(end, s, 0));
            FAILS(rt_stream_query(s), NOT_READY);
            OK(rt_stream_synchronize(s));
            OK(rt_event_elapsed(&ms, begin, end));
            ck_assert_double_ge(ms, (double)bytes / boards[_i].link_mb_s / 1000);
            ck_assert_double_le(ms, (double)bytes / boards[_i].link_mb_s / 1000 * 1.1);
        }
    }
}
END_TEST

/* What a stream does before and behind such a copy is in its order, with the L2 of each GPU. */
START_TEST(an_asynchronous_copy_keeps_the_order_of_its_stream)
{
    uint32_t word[2] = { 0 };
    CUdeviceptr p[2];

    drive_up(boards[_i].soc);
    for (int d = DGPU; d <= IGPU; d++) {
        OK(rt_ctx_set(context[d]));
        OK(rt_mem_alloc(&p[d], 4096));
    }
    OK(rt_ctx_set(context[IGPU]));
    OK(rt_fill(p[IGPU], 0, 5, 4, 1024, 1, NULL, RT_ASYNC));
    OK(rt_copy(p[DGPU], p[IGPU], 4096, RT_COPY_PEER, NULL, RT_ASYNC));
    OK(rt_fill(p[IGPU], 0, 7, 4, 1024, 1, NULL, RT_ASYNC)); /* dirty in the L2 */
    OK(rt_copy(p[IGPU], p[DGPU], 2048, RT_COPY_PEER, NULL, RT_ASYNC));
    OK(rt_copy((uintptr_t)&word[0], p[IGPU], 4, RT_COPY_DTOH, NULL, RT_ASYNC));
    OK(rt_copy((uintptr_t)&word[1], p[IGPU] + 2048, 4, RT_COPY_DTOH, NULL, RT_ASYNC));
    OK(rt_ctx_synchronize(NULL));
    ck_assert_uint_eq(word[0], 5);
    ck_assert_uint_eq(word[1], 7);
}
END_TEST

START_TEST(a_stream_waits_for_an_event_of_the_other)
{
    CUlaunchConfig one = {
        .gridDimX = 1, .gridDimY = 1, .gridDimZ = 1, .blockDimX = 1, .blockDimY = 1, .blockDimZ = 1
    };
    CUdeviceptr at;
    CUevent event;
    void *pinned;

    drive_up(boards[_i].soc);
    OK(rt_ctx_set(context[DGPU]));
    OK(rt_host_alloc(&pinned, 4096, 0));
    memset(pinned, 0, 4096);
    at = (uintptr_t)pinned;
    OK(rt_event_create(&event, CU_EVENT_DISABLE_TIMING));
    OK(rt_launch(&one, add2[DGPU], (void *[]){ &at }, NULL));
    OK(rt_event_record(event, NULL, 0));
    OK(rt_ctx_set(context[IGPU]));
    OK(rt_stream_wait_event(NULL, event, 0));
    OK(rt_launch(&one, add2[IGPU], (void *[]){ &at }, NULL));
    OK(rt_ctx_synchronize(NULL));
    hal_cpu_access(core_hal(), pinned, 4, ACCESS_LOAD);
    ck_assert_uint_eq(*(uint32_t *)pinned, 4);
}
END_TEST

/* lazy: the newest work that is ready goes first, on whichever GPU: a wait that is missing between
 * the two shows. */
START_TEST(the_newest_work_of_both_goes_first)
{
    int older = _i % 2;
    CUlaunchConfig one = {
        .gridDimX = 1, .gridDimY = 1, .gridDimZ = 1, .blockDimX = 1, .blockDimY = 1, .blockDimZ = 1
    };
    CUdeviceptr at;
    void *pinned;

    drive_up(boards[_i / 2].soc);
    OK(rt_host_alloc(&pinned, 4096, 0));
    memset(pinned, 0, 4096);
    at = (uintptr_t)pinned;
    OK(rt_ctx_set(context[older]));
    OK(rt_launch(&one, add2[older], (void *[]){ &at }, NULL));
    OK(rt_ctx_set(context[1 - older]));
    OK(rt_launch(&one, twice[1 - older], (void *[]){ &at }, NULL));
    for (int d = DGPU; d <= IGPU; d++) {
        OK(rt_ctx_set(context[d]));
        OK(rt_ctx_synchronize(NULL));
    }
    hal_cpu_access(core_hal(), pinned, 4, ACCESS_LOAD);
    ck_assert_uint_eq(*(uint32_t *)pinned, 2); /* 0 * 2 + 2 */
}
END_TEST

/* cuDLA, "Device": CUDLA_CUDA_DLA handles belong to the SoC's GPU. (PX 2 has no DLA.) */
START_TEST(cudla_needs_the_integrated_gpu)
{
    cudlaDevHandle dev;

    drive_up("drive-pegasus");
    OK(rt_ctx_set(context[DGPU]));
    ck_assert_int_eq(rt_dla_create(0, &dev, CUDLA_CUDA_DLA), cudlaErrorUnsupportedOperation);
    OK(rt_ctx_set(context[IGPU]));
    ck_assert_int_eq(rt_dla_create(0, &dev, CUDLA_CUDA_DLA), cudlaSuccess);
    ck_assert_int_eq(rt_dla_destroy(dev), cudlaSuccess);
}
END_TEST

static Suite *drive_suite(void)
{
    Suite *suite = suite_create("drive");
    TCase *t = tcase_create("drive");
    int n = (int)G_N_ELEMENTS(boards);

    tcase_set_timeout(t, 60);
    tcase_add_loop_test(t, the_discrete_gpu_is_device_0, 0, n);
    tcase_add_loop_test(t, visible_devices_choose_and_sort, 0, (int)G_N_ELEMENTS(lists));
    tcase_add_loop_test(t, visible_devices_may_be_uuids, 0, (int)G_N_ELEMENTS(uuids));
    tcase_add_loop_test(t, each_has_memory_of_its_own, 0, n);
    tcase_add_loop_test(t, device_memory_is_cached_and_pinned_is_not, 0, n);
    tcase_add_loop_test(t, the_discrete_gpu_has_no_managed_memory, 0, n);
    tcase_add_loop_test(t, registered_memory_is_uncached, 0, n);
    tcase_add_loop_test(t, table_1_holds_cell_by_cell, 0, 2 * 2 * CELLS);
    tcase_add_loop_test(t, pageable_memory_is_not_accessible, 0, n);
    tcase_add_loop_test(t, copies_go_between_them_and_kernels_do_not, 0, n);
    tcase_add_loop_test(t, an_asynchronous_copy_takes_the_links_time_and_none_of_the_cpu, 0, n);
    tcase_add_loop_test(t, an_asynchronous_copy_keeps_the_order_of_its_stream, 0, n);
    tcase_add_loop_test(t, a_stream_waits_for_an_event_of_the_other, 0, n);
    tcase_add_loop_test(t, the_newest_work_of_both_goes_first, 0, 2 * n);
    tcase_add_test(t, cudla_needs_the_integrated_gpu);
    suite_add_tcase(suite, t);
    return suite;
}

int main(void)
{
    SRunner *runner = srunner_create(drive_suite());
    int failed;

    srunner_run_all(runner, CK_ENV);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
