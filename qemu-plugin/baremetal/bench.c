/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Times on the guest's clock, for bench/qemu.sh: a memory-bound loop outside and inside a tracked
 * range, register writes, copies. Without the device (no plugin) it measures the loop only. EDU:
 * base of QEMU's edu device, 0 if none. */
#include "qemu-plugin/baremetal/smmu.h"
#include "qemu-plugin/baremetal/vtegra.h"

#define WORDS (4096u * 8) /* 256 KiB of 64-bit words: more than a first-level cache */
#define ROUNDS 200u
#define IOVA 0x20000000u

static uint64_t bench_ns(uint64_t ticks)
{
    return ticks * 1000000000u / clock_hz();
}

static __attribute__((noinline)) uint64_t loads(const volatile uint64_t *p)
{
    uint64_t sum = 0;

    for (unsigned i = 0; i < WORDS; i += 4) {
        sum += p[i];
        sum += p[i + 1];
        sum += p[i + 2];
        sum += p[i + 3];
    }
    return sum;
}

static __attribute__((noinline)) uint64_t stores(volatile uint64_t *p)
{
    for (unsigned i = 0; i < WORDS; i += 4) {
        p[i] = i;
        p[i + 1] = i;
        p[i + 2] = i;
        p[i + 3] = i;
    }
    return 0;
}

static __attribute__((noinline)) uint64_t registers(volatile uint64_t *reg)
{
    for (unsigned i = 0; i < 1000; i++) {
        store32(reg, i);
    }
    return 0;
}

/* The shortest of many rounds: the host has other things to do as well. Return: ns. */
static uint64_t bench_shortest(uint64_t (*work)(volatile uint64_t *), volatile uint64_t *p)
{
    uint64_t best = UINT64_MAX;

    for (unsigned r = 0; r < ROUNDS; r++) {
        uint64_t t0 = clock_ticks(), t;

        work(p);
        t = clock_ticks() - t0;
        best = t < best ? t : best;
    }
    return bench_ns(best);
}

static uint64_t loads_of(volatile uint64_t *p)
{
    return loads(p);
}

static void loop_time(const char *what, uint64_t *p)
{
    stores(p);
    print("%s_load_ps %lu\n", what, bench_shortest(loads_of, p) * 1000 / WORDS);
    print("%s_store_ps %lu\n", what, bench_shortest(stores, p) * 1000 / WORDS);
}

static void register_time(const char *what, uintptr_t reg)
{
    print("%s_write_ns %lu\n", what, bench_shortest(registers, (volatile uint64_t *)reg) / 1000);
}

/* QEMU's edu: device 1234:11e8, BAR 0 of 1 MiB; 0x20 is its status register. */
static void edu_time(void)
{
    for (uint32_t device = 0; device < 32; device++) {
        uintptr_t config = 0x4010000000u + ((uintptr_t)device << 15);

        if (load32((void *)config) == 0x11e81234) {
            store32((void *)(config + 0x10), 0x20000000);
            store32((void *)(config + 4), 6);
            register_time("edu", 0x20000020);
        }
    }
}

static uint64_t copy_once(volatile uint64_t *p)
{
    copy((uintptr_t)p + 256 * PAGE_BYTES, (uintptr_t)p, 256 * PAGE_BYTES);
    submit();
    finish();
    return 0;
}

/* Once past the SMMU as it is after reset, then page by page through its tables. */
static void copy_time(void)
{
    uint64_t *p = pages_new(512);

    gpu_map((uintptr_t)p, (uintptr_t)p, 512, GPU_UNCACHED);
    print("copy_bypass_1mib_ns %lu\n", bench_shortest(copy_once, p));
    smmu_open(vtegra_stream_id(UNIT_IGPU));
    smmu_map_all();
    smmu_map(IOVA, p, 512, false);
    gpu_map(IOVA, IOVA, 512, GPU_UNCACHED);
    print("copy_1mib_ns %lu\n", bench_shortest(copy_once, (uint64_t *)(uintptr_t)IOVA));
    store32(p, 0x600d);
    copy_once((uint64_t *)(uintptr_t)IOVA);
    if (load32(p + 256 * PAGE_BYTES / 8) != 0x600d) {
        print("the copy did not arrive\n");
        bare_exit(3);
    }
}

int main(void)
{
    uint64_t *p = pages_new(WORDS * 8 / PAGE_BYTES), *q = pages_new(WORDS * 8 / PAGE_BYTES);

    loop_time("outside", p);
    edu_time();
    if (!vtegra_there()) {
        return 0;
    }
    vtegra_open();
    channel_open();
    track(q, WORDS * 8 / PAGE_BYTES);
    loop_time("tracked_elsewhere", p);
    loop_time("inside", q);
    register_time("vtegra", vtegra_unit(UNIT_IGPU) + IGPU_CHAN_BASE + CHAN_PRIORITY);
    copy_time();
    return 0;
}
