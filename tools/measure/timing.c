/* SPDX-License-Identifier: MIT */
/* Latencies, by loads each of which has the address of the next, in an order that no prefetcher
 * guesses. */
#include <stdlib.h>
#include <time.h>

#include "tools/measure/measure.h"

#define LAUNCHES 200
#define TRIES 5
#define BLOCKS_A_SM 2048
#define STEPS_MAX 100000u

/* .cg: cached in L2 alone. The clock is read behind the last load. */
static const char ptx[] =
    ".version 7.0\n"
    ".target sm_53\n"
    ".address_size 64\n"
    ".visible .entry empty()\n"
    "{\n"
    "    ret;\n"
    "}\n"
    ".visible .entry walk(.param .u64 start, .param .u32 steps, .param .u64 out)\n"
    "{\n"
    "    .reg .pred %p<2>;\n"
    "    .reg .b32 %r<3>;\n"
    "    .reg .b64 %d<8>;\n"
    "    ld.param.u64 %d1, [start];\n"
    "    ld.param.u32 %r1, [steps];\n"
    "    ld.param.u64 %d2, [out];\n"
    "    mov.u64 %d3, %clock64;\n"
    "again:\n"
    "    ld.global.cg.u64 %d1, [%d1];\n"
    "    sub.u32 %r1, %r1, 1;\n"
    "    setp.ne.u32 %p1, %r1, 0;\n"
    "    @%p1 bra again;\n"
    "    st.global.u64 [%d2+8], %d1;\n"
    "    mov.u64 %d4, %clock64;\n"
    "    sub.u64 %d5, %d4, %d3;\n"
    "    st.global.u64 [%d2], %d5;\n"
    "    ret;\n"
    "}\n"
    /* Each thread reads 16 bytes of each stretch of the grid's; a sum that none has keeps the
       loads. */
    ".visible .entry read(.param .u64 from, .param .u64 bytes, .param .u64 out)\n"
    "{\n"
    "    .reg .pred %p<3>;\n"
    "    .reg .b32 %r<12>;\n"
    "    .reg .b64 %d<10>;\n"
    "    ld.param.u64 %d1, [from];\n"
    "    ld.param.u64 %d2, [bytes];\n"
    "    ld.param.u64 %d3, [out];\n"
    "    mov.u32 %r1, %ctaid.x;\n"
    "    mov.u32 %r2, %ntid.x;\n"
    "    mov.u32 %r3, %tid.x;\n"
    "    mad.lo.u32 %r4, %r1, %r2, %r3;\n"
    "    mul.wide.u32 %d4, %r4, 16;\n"
    "    mov.u32 %r5, %nctaid.x;\n"
    "    mul.lo.u32 %r5, %r5, %r2;\n"
    "    mul.wide.u32 %d5, %r5, 16;\n"
    "    mov.u32 %r6, 0;\n"
    "again:\n"
    "    setp.ge.u64 %p1, %d4, %d2;\n"
    "    @%p1 bra done;\n"
    "    add.u64 %d6, %d1, %d4;\n"
    "    ld.global.v4.u32 {%r7, %r8, %r9, %r10}, [%d6];\n"
    "    xor.b32 %r7, %r7, %r8;\n"
    "    xor.b32 %r9, %r9, %r10;\n"
    "    xor.b32 %r7, %r7, %r9;\n"
    "    xor.b32 %r6, %r6, %r7;\n"
    "    add.u64 %d4, %d4, %d5;\n"
    "    bra again;\n"
    "done:\n"
    "    setp.ne.u32 %p2, %r6, 0x5a5a1234;\n"
    "    @%p2 bra end;\n"
    "    st.global.u32 [%d3], %r6;\n"
    "end:\n"
    "    ret;\n"
    "}\n";

CUfunction measure_function(const char *name)
{
    CUmodule module;
    CUfunction f = NULL;

    return drv.cuModuleLoadData(&module, ptx) == CUDA_SUCCESS &&
                   drv.cuModuleGetFunction(&f, module, name) == CUDA_SUCCESS
               ? f
               : NULL;
}

/* Sattolo's: one cycle through all lines. @base: what the first line's address will be. */
static void timing_chain(uint64_t *memory, size_t lines, size_t line, uint64_t base)
{
    size_t words = line / sizeof(*memory);
    uint64_t state = 1;
    size_t *order = malloc(lines * sizeof(*order));

    if (!order) {
        abort();
    }
    for (size_t i = 0; i < lines; i++) {
        order[i] = i;
    }
    for (size_t i = lines - 1; i > 0; i--) {
        size_t j, t = order[i];

        state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        j = (size_t)((state >> 33) % i);
        order[i] = order[j];
        order[j] = t;
    }
    for (size_t i = 0; i < lines; i++) {
        memory[order[i] * words] = base + order[(i + 1) % lines] * line;
    }
    free(order);
}

uint64_t measure_launch(void)
{
    CUfunction empty = measure_function("empty");
    CUevent from, to;
    float best = 0;

    if (!empty || drv.cuEventCreate(&from, 0) != CUDA_SUCCESS ||
        drv.cuEventCreate(&to, 0) != CUDA_SUCCESS) {
        return 0;
    }
    for (int try = 0; try < TRIES; try++) {
        float ms = 0;

        drv.cuEventRecord(from, NULL);
        for (int i = 0; i < LAUNCHES; i++) {
            drv.cuLaunchKernel(empty, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL);
        }
        drv.cuEventRecord(to, NULL);
        if (drv.cuEventSynchronize(to) != CUDA_SUCCESS ||
            drv.cuEventElapsedTime(&ms, from, to) != CUDA_SUCCESS) {
            return 0;
        }
        best = try == 0 || ms < best ? ms : best;
    }
    return (uint64_t)(best * 1e6 / LAUNCHES + 0.5);
}

/* The least of a few launches of empty blocks, ms; 0 on failure. */
static float timing_blocks(CUfunction empty, unsigned blocks, CUevent from, CUevent to)
{
    float best = 0;

    for (int try = 0; try < TRIES; try++) {
        float ms = 0;

        drv.cuEventRecord(from, NULL);
        drv.cuLaunchKernel(empty, blocks, 1, 1, 32, 1, 1, 0, NULL, NULL, NULL);
        drv.cuEventRecord(to, NULL);
        if (drv.cuEventSynchronize(to) != CUDA_SUCCESS ||
            drv.cuEventElapsedTime(&ms, from, to) != CUDA_SUCCESS) {
            return 0;
        }
        best = try == 0 || ms < best ? ms : best;
    }
    return best;
}

uint64_t measure_blocks(void)
{
    CUfunction empty = measure_function("empty");
    CUevent from, to;
    int sms = 0, khz = 0;
    float more, less;

    drv.cuDeviceGetAttribute(&sms, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 0);
    drv.cuDeviceGetAttribute(&khz, CU_DEVICE_ATTRIBUTE_CLOCK_RATE, 0);
    if (!empty || drv.cuEventCreate(&from, 0) != CUDA_SUCCESS ||
        drv.cuEventCreate(&to, 0) != CUDA_SUCCESS) {
        return 0;
    }
    more = timing_blocks(empty, (unsigned)sms * 3 * BLOCKS_A_SM, from, to);
    less = timing_blocks(empty, (unsigned)sms * BLOCKS_A_SM, from, to);
    return more > less ? (uint64_t)((more - less) * (float)khz / (2 * BLOCKS_A_SM) + 0.5F) : 0;
}

/* Return: cycles, 0 on failure. @at moves to where the loads have ended. */
static uint64_t timing_walk(CUfunction f, CUdeviceptr *at, CUdeviceptr out, unsigned steps)
{
    uint64_t found[2] = { 0 };
    void *arguments[] = { at, &steps, &out };

    if (drv.cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, NULL, arguments, NULL) != CUDA_SUCCESS ||
        drv.cuMemcpyDtoH(found, out, sizeof(found)) != CUDA_SUCCESS) {
        return 0;
    }
    *at = found[1];
    return found[0];
}

/* Cached: the same lines each time, once before to fill. Else each try has lines of its own. */
static uint64_t walk_best(CUfunction f, CUdeviceptr memory, CUdeviceptr out, unsigned steps,
                          bool cached)
{
    CUdeviceptr at = memory;
    uint64_t best = 0;

    for (int try = cached ? -1 : 0; try < TRIES; try++) {
        uint64_t cycles = timing_walk(f, &at, out, steps);

        best = try <= 0 || cycles < best ? cycles : best;
        at = cached ? memory : at;
    }
    return best / steps;
}

uint64_t measure_gpu_latency(size_t bytes, size_t line, bool cached)
{
    size_t lines = bytes / line;
    unsigned steps = lines / TRIES < STEPS_MAX ? (unsigned)(lines / TRIES) : STEPS_MAX;
    uint64_t *host = calloc(lines, line), cycles = 0;
    CUdeviceptr memory = 0, out = 0;
    CUfunction f = measure_function("walk");

    if (host && f && drv.cuMemAlloc(&memory, bytes) == CUDA_SUCCESS &&
        drv.cuMemAlloc(&out, 2 * sizeof(uint64_t)) == CUDA_SUCCESS) {
        timing_chain(host, lines, line, memory);
        drv.cuMemcpyHtoD(memory, host, lines * line);
        cycles = walk_best(f, memory, out, steps, cached);
    }
    drv.cuMemFree(out);
    drv.cuMemFree(memory);
    free(host);
    return cycles;
}

static uint64_t now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static uint64_t cpu_walk(const uint64_t *memory, size_t steps)
{
    const volatile uint64_t *at = memory;
    uint64_t from = now_ns();

    for (size_t i = 0; i < steps; i++) {
        at = (const volatile uint64_t *)(uintptr_t)*at;
    }
    return now_ns() - from;
}

uint64_t measure_cpu_latency(size_t bytes, size_t line, bool pinned)
{
    size_t lines = bytes / line, steps = lines < STEPS_MAX ? STEPS_MAX : lines;
    void *memory = NULL;
    uint64_t best = 0;

    if (pinned ? drv.cuMemHostAlloc(&memory, bytes, 0) != CUDA_SUCCESS
               : !(memory = aligned_alloc(4096, bytes))) {
        return 0;
    }
    timing_chain(memory, lines, line, (uintptr_t)memory);
    for (int try = 0; try < TRIES; try++) {
        uint64_t ns = cpu_walk(memory, steps);

        best = try == 0 || ns < best ? ns : best;
    }
    if (pinned) {
        drv.cuMemFreeHost(memory);
    } else {
        free(memory);
    }
    return best * 1000 / steps;
}
