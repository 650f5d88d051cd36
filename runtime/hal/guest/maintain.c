/* SPDX-License-Identifier: MIT */
/* The CPU's caches, by the CPU's own instructions: Arm ARM D7.5.9. Linux lets a program use DC CVAC
 * and DC CIVAC (SCTLR_EL1.UCI), never DC IVAC. */
#include "runtime/hal/guest/guest.h"

#define LINE_MIN 16u /* of CTR_EL0.DminLine: four words at least */

/* Bytes of the smallest data cache line of any core: CTR_EL0.DminLine, log2 of words. */
static size_t line_bytes(void)
{
#ifdef __aarch64__
    uint64_t ctr;

    __asm__("mrs %0, ctr_el0" : "=r"(ctr));
    return MAX((size_t)4 << (ctr >> 16 & 15), LINE_MIN);
#else
    return LINE_MIN;
#endif
}

static void maintain_barrier(void)
{
#ifdef __aarch64__
    __asm__ volatile("dsb sy" ::: "memory");
#endif
}

static void line_clean(const uint8_t *at)
{
#ifdef __aarch64__
    __asm__ volatile("dc cvac, %0" ::"r"(at) : "memory");
#else
    (void)at;
#endif
}

static void line_clean_invalidate(const uint8_t *at)
{
#ifdef __aarch64__
    __asm__ volatile("dc civac, %0" ::"r"(at) : "memory");
#else
    (void)at;
#endif
}

/* @what for each line of [cpu, cpu + len) in memory of ours, through its alias: the application's
 * own mapping may be closed now. Return: lines. */
static int64_t for_lines(struct hal *hal, const void *cpu, size_t len,
                         void (*what)(const uint8_t *))
{
    size_t step = line_bytes();
    uintptr_t at = (uintptr_t)cpu & ~(uintptr_t)(step - 1), end = (uintptr_t)cpu + len;
    int64_t lines = 0;

    maintain_barrier();
    while (at < end) {
        const struct guest_mem *m = table_at(&hal->table, (void *)at);
        uintptr_t base, stop;

        if (!m) {
            at = (at / HAL_PAGE + 1) * HAL_PAGE;
            continue;
        }
        base = (uintptr_t)m->mem.cpu;
        stop = MIN(end, base + m->mem.size);
        for (; at < stop; at += step, lines++) {
            what(m->alias + (at - base));
        }
    }
    maintain_barrier();
    records_fetch(hal);
    return lines;
}

int64_t hal_cpu_clean(struct hal *hal, const void *cpu, size_t len)
{
    return for_lines(hal, cpu, len, line_clean);
}

int64_t hal_cpu_clean_invalidate(struct hal *hal, const void *cpu, size_t len)
{
    return for_lines(hal, cpu, len, line_clean_invalidate);
}

/* A line that is clean is dropped as DC IVAC would; one that is dirty is written back, where DC
 * IVAC, which only a kernel may use, would lose its bytes. */
int64_t hal_cpu_invalidate(struct hal *hal, const void *cpu, size_t len)
{
    return for_lines(hal, cpu, len, line_clean_invalidate);
}
