/* SPDX-License-Identifier: GPL-2.0-or-later */
/* For tests/qemu/smp.sh: four CPUs at once on tracked memory. Each counts in lines of its own and
 * cleans, or cleans and invalidates, everybody's, while the copy engine copies the page: no CPU may
 * lose a store by that. */
#include "qemu-plugin/baremetal/vtegra.h"

#define CPUS 4u
#define LINES 8u /* a CPU */
#ifndef COPIES
#define COPIES 200u
#endif
#ifndef COUNTS
#define COUNTS 200000u
#endif

static uint32_t (*counters)[LINES][LINE_BYTES / 4]; /* [cpu][line][word], two pages */
static volatile uint32_t next_cpu, done;

static void smp_count(unsigned cpu)
{
    for (uint32_t i = 1; i <= COUNTS; i++) {
        uint32_t *line = counters[cpu][i % LINES];
        const void *other = counters[(cpu + i) % CPUS][i / 3 % LINES];

        store32(line, load32(line) + 1);
        if (i % 3 == 0) {
            cache_clean(other, 4);
        } else if (i % 5 == 0) {
            cache_clean_invalidate(other, 4);
        }
    }
}

static void smp_secondary(void)
{
    smp_count(exclusive_add(&next_cpu, 1) + 1);
    exclusive_add(&done, 1);
}

int main(void)
{
    uint32_t *copy_to, wrong = 0;

    vtegra_open();
    channel_open();
    counters = pages_new(2);
    copy_to = pages_new(2);
    track(counters, 2);
    gpu_map((uintptr_t)counters, (uintptr_t)counters, 2, GPU_UNCACHED);
    gpu_map((uintptr_t)copy_to, (uintptr_t)copy_to, 2, GPU_UNCACHED);
    for (unsigned cpu = 1; cpu < CPUS; cpu++) {
        cpu_start(cpu, smp_secondary);
    }
    for (unsigned i = 0; i < COPIES; i++) {
        copy((uintptr_t)copy_to, (uintptr_t)counters, 2 * PAGE_BYTES);
        submit();
        finish();
    }
    smp_count(0);
    while (load32(&done) != CPUS - 1) {
    }
    cache_clean_invalidate(counters, 2 * PAGE_BYTES);
    for (unsigned cpu = 0; cpu < CPUS; cpu++) {
        uint32_t sum = 0;

        for (unsigned line = 0; line < LINES; line++) {
            sum += load32(counters[cpu][line]);
        }
        wrong += sum != COUNTS;
        print("CPU %u counted %u of %u\n", cpu, sum, COUNTS);
    }
    return wrong != 0;
}
