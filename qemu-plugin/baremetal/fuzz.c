/* SPDX-License-Identifier: GPL-2.0-or-later */
/* For tests/qemu/bad.sh: a guest that does everything wrong, from a sequence of pseudo-random
 * numbers. QEMU's loader puts the seed at SEED_AT; without it, it is 1. The only demand: QEMU and
 * the device live on, and the guest gets the documented fault. With -device vtegra it needs SMMUv3.
 */
#include "qemu-plugin/baremetal/smmu.h"
#include "qemu-plugin/baremetal/vtegra.h"

#define SEED_AT 0x7fe00000u

static uint64_t state;

static uint64_t fuzz_random64(void)
{
    uint64_t z = state += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/* Values that hurt: addresses of RAM, of the device itself, of nothing; sizes; small numbers. */
static uint32_t fuzz_nasty(void)
{
    static const uint32_t values[] = { 0,          1,          2,          0xffffffff, 0x7fffffff,
                                       0x80000000, 0x40200000, 0x40458000, 0x10000000, 0x10010000,
                                       0x0f000000, 0x3fffffff, 0x1000,     0xfff,      0x00100000,
                                       0x7ffff000, 0x90000000 };

    switch (fuzz_random64() % 4) {
    case 0:
        return (uint32_t)fuzz_random64();
    case 1:
        return (uint32_t)(fuzz_random64() % 64);
    default:
        return values[fuzz_random64() % (sizeof(values) / sizeof(values[0]))];
    }
}

static void window_fuzz(uintptr_t base, uint32_t bytes, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        uintptr_t at = base + fuzz_random64() % (bytes / 4) * 4;

        if (fuzz_random64() % 4) {
            store32((void *)at, fuzz_nasty());
        } else {
            (void)load32((void *)at);
        }
    }
}

#ifndef REGISTERS_BYTES
#define REGISTERS_BYTES 0x100000
#endif

/* Every register once in its turn, and a look at it. Of the large windows the first part. */
static void every_register_fuzz(uintptr_t base, uint32_t bytes)
{
    for (uint32_t at = 0; at < bytes && at < REGISTERS_BYTES; at += 4) {
        store32((void *)(base + at), fuzz_nasty());
        (void)load32((void *)(base + at));
    }
}

/* The registers that do something, far more often than chance would find them. */
static void known_fuzz(unsigned n)
{
    uintptr_t igpu = vtegra_unit(UNIT_IGPU);

    for (unsigned i = 0; i < n; i++) {
        uint32_t channel = (uint32_t)(fuzz_random64() % 8);

        switch (fuzz_random64() % 8) {
        case 0:
            store32((void *)(igpu + IGPU_USERMODE_NOTIFY_CHANNEL_PENDING), channel);
            break;
        case 1:
            store32((void *)(igpu + (fuzz_random64() % 2 ? IGPU_INTR : IGPU_MMU_INVALIDATE)),
                    fuzz_nasty());
            break;
        case 2:
            control_set(CONTROL_TRACK_LO + (uint32_t)(fuzz_random64() % 5) * 4, fuzz_nasty());
            break;
        case 3:
            control_set(CONTROL_LINE_LO + (uint32_t)(fuzz_random64() % 4) * 4, fuzz_nasty());
            (void)control_get(CONTROL_LINE_STATE);
            break;
        default:
            store32(
                (void *)(igpu + IGPU_CHAN_BASE + channel * CHAN_WINDOW + fuzz_random64() % 13 * 4),
                fuzz_nasty());
        }
    }
}

/* Rings and pushbuffers full of noise, changed again after each doorbell. */
static void commands_fuzz(unsigned n)
{
    uint32_t *ring = pages_new(1), *push = pages_new(1), *userd = pages_new(1);
    uintptr_t chan = vtegra_unit(UNIT_IGPU) + IGPU_CHAN_BASE + CHAN_WINDOW;

    for (unsigned i = 0; i < n; i++) {
        for (unsigned w = 0; w < 64; w++) {
            uint32_t method = (uint32_t)(fuzz_random64() % 0x200) * 4,
                     sub = (uint32_t)(fuzz_random64() % 8);

            push[w] = w % 2 ? fuzz_nasty()
                            : PB_HEADER(fuzz_random64() % 8, fuzz_random64() % 2 ? sub : 4, method,
                                        fuzz_random64() % 4);
        }
        ring[0] = GP_ENTRY0((uintptr_t)push);
        ring[1] = GP_ENTRY1((uintptr_t)push, fuzz_random64() % 8 ? 64 : fuzz_nasty());
        store32((void *)(chan + CHAN_CTRL), 0);
        store32((void *)(chan + CHAN_GPFIFO_LO), (uint32_t)(uintptr_t)ring);
        store32((void *)(chan + CHAN_GPFIFO_HI), 0);
        store32((void *)(chan + CHAN_GPFIFO_ENTRIES), 4);
        store32((void *)(chan + CHAN_USERD_LO), (uint32_t)(uintptr_t)userd);
        store32((void *)(chan + CHAN_USERD_HI), 0);
        userd[USERD_GP_GET / 4] = 0;
        userd[USERD_GP_PUT / 4] = fuzz_random64() % 8 ? 1 : fuzz_nasty();
        store32((void *)(chan + CHAN_CTRL), 1);
        store32((void *)(vtegra_unit(UNIT_IGPU) + IGPU_USERMODE_NOTIFY_CHANNEL_PENDING), 1);
        push[fuzz_random64() % 64] = fuzz_nasty();
        ring[fuzz_random64() % 2] = fuzz_nasty();
    }
}

/* A message interrupt whose address is the device's own doorbell, and one that is not there. */
static void interrupts_fuzz(void)
{
    uintptr_t table = 0x14000000, igpu = vtegra_unit(UNIT_IGPU),
              config = 0x4010000000u + ((uintptr_t)vtegra_stream_id(UNIT_IGPU) << 12);
    uint32_t at = load32((void *)(config + 0x34)) & 0xfc;

    while (at && (load32((void *)(config + at)) & 0xff) != 0x11) {
        at = load32((void *)(config + at)) >> 8 & 0xfc;
    }
    for (unsigned vector = 0; vector < 4; vector++) {
        store32((void *)(table + vector * 16),
                (uint32_t)(igpu + IGPU_USERMODE_NOTIFY_CHANNEL_PENDING));
        store32((void *)(table + vector * 16 + 4), vector == 3 ? 0x7fff : 0);
        store32((void *)(table + vector * 16 + 8), 1);
        store32((void *)(table + vector * 16 + 12), 0);
    }
    if (at) {
        store32((void *)(config + at), load32((void *)(config + at)) | 0x80000000);
    }
    commands_fuzz(200);
}

/* Operations of NVDLA that are valid, in their largest sizes as often as not: sizes and repeats of
 * all units. */
static void nvdla_fuzz(uintptr_t base)
{
    static const struct {
        uint32_t first, end, enable;
    } units[] = { { 0x5014, 0x50f0, 0x5010 }, { 0x600c, 0x6070, 0x6008 },
                  { 0x700c, 0x7010, 0x7008 }, { 0x800c, 0x8010, 0x8008 },
                  { 0x900c, 0x9034, 0x9008 }, { 0xa008, 0xa090, 0xa008 },
                  { 0xb038, 0xb0d0, 0xb038 }, { 0xc008, 0xc040, 0xc008 },
                  { 0xd008, 0xd0b0, 0xd008 }, { 0xe008, 0xe030, 0xe008 },
                  { 0xf048, 0xf0c0, 0xf048 }, { 0x10008, 0x10050, 0x10008 } };

    for (unsigned u = 0; u < sizeof(units) / sizeof(units[0]); u++) {
        for (uint32_t at = units[u].first; at < units[u].end; at += 4) {
            if (at != units[u].enable) {
                store32((void *)(base + at), fuzz_random64() % 2 ? 0x1fff1fff : fuzz_nasty());
            }
        }
        store32((void *)(base + units[u].enable), 1);
    }
}

/* Commands for a DLA's firmware, tasks full of noise, and NVDLA's own registers. */
static void dla_fuzz(unsigned unit, unsigned n)
{
    uint32_t *task = pages_new(4);
    uintptr_t base = vtegra_unit(unit);

    for (unsigned i = 0; base && i < n; i++) {
        for (unsigned w = 0; w < 64; w++) {
            task[fuzz_random64() % 4096] = fuzz_nasty();
        }
        task[0] = fuzz_random64() % 2 ? task[0]
                                      : 2 | 0x44 << 8; /* often a version and engine that exist */
        store32((void *)(base + DLA_THI_METHOD_ID), (uint32_t)(fuzz_random64() % 0x400));
        store32((void *)(base + DLA_THI_METHOD_DATA),
                fuzz_random64() % 4 ? (uint32_t)((uintptr_t)task >> 8) : fuzz_nasty());
        task[fuzz_random64() % 4096] = fuzz_nasty();
        store32((void *)(base + DLA_NVDLA_BASE + fuzz_random64() % 0x4000 * 4), fuzz_nasty());
        store32((void *)(base + DLA_NVDLA_BASE + 0x4000 + fuzz_random64() % 32 * 4),
                fuzz_nasty()); /* BDMA */
        store32((void *)(base + DLA_NVDLA_BASE + 0x4000 + 0x34), 1);
        if (fuzz_random64() % 8 == 0) {
            store32((void *)(base + DLA_RESET), 1); /* what is under way may have no end */
            nvdla_fuzz(base + DLA_NVDLA_BASE);
        }
    }
}

/* Configuration space of all functions: BARs and MSI-X somewhere else, capabilities, bus master off
 * under way. It is as it was afterwards. */
static void config_fuzz(unsigned n)
{
    uintptr_t config = 0x4010000000u + ((uintptr_t)vtegra_stream_id(UNIT_HOST1X) << 12);
    uint32_t saved[3][64];

    for (unsigned i = 0; i < 3 * 64; i++) {
        saved[i / 64][i % 64] = load32((void *)(config + (i / 64 << 12) + i % 64 * 4));
    }
    for (unsigned i = 0; i < n; i++) {
        store32((void *)(config + (fuzz_random64() % 3 << 12) + fuzz_random64() % 1024 * 4),
                fuzz_nasty());
    }
    for (unsigned i = 0; i < 3 * 64; i++) {
        store32((void *)(config + (i / 64 << 12) + i % 64 * 4), saved[i / 64][i % 64]);
    }
}

#if RACE
static volatile uint32_t stop, changes;
static uint32_t *target;
static size_t target_words;

/* A second CPU changes the channel's tables, rings, commands and code while engines read them. */
static void fuzz_scribble(void)
{
    uint64_t z = 7;

    while (!stop) {
        z = z * UINT64_C(6364136223846793005) + 1442695040888963407u;
        target[(z >> 33) % target_words] ^= 1u << (z >> 28 & 31);
        changes = changes + 1;
    }
    for (;;) {
    }
}

#define CHANGES 2000u /* in each round until it dies, however busy the host is */
#define LOOKS 100000000u

static void await_changes(uint32_t since)
{
    for (unsigned i = 0; changes - since < CHANGES && i < LOOKS; i++) {
    }
}

static void fuzz_race(void)
{
    static const char ptx[] = ".version 7.0\n.target sm_72\n.address_size 64\n"
                              ".visible .entry k(.param .u64 p) {\n.reg .u64 %a;\n.reg .u32 %v;\n"
                              "ld.param.u64 %a, [p];\nld.global.u32 %v, [%a];\n"
                              "add.u32 %v, %v, 1;\nst.global.u32 [%a], %v;\nret;\n}\n";
    uint32_t *before = pages_new(1), *data;
    unsigned died = 0;

    channel_open();
    data = pages_new(2);
    gpu_map((uintptr_t)data, (uintptr_t)data, 2, GPU_CACHED);
    target = before;
    target_words = (size_t)((uint32_t *)pages_new(1) - before);
    cpu_start(1, fuzz_scribble);
    for (unsigned i = 0; i < 300; i++) {
        uint64_t param = (uintptr_t)data;
        uint32_t since = changes;
        unsigned looks = 0;

        copy((uintptr_t)data + PAGE_BYTES, (uintptr_t)data, 1024);
        launch(ptx, &param, sizeof(param), 1, 32);
        if (!died) {
            await_changes(since);
        }
        submit();
        while (looks < 100 && load32((void *)(vtegra_unit(UNIT_IGPU) + IGPU_CHAN_BASE +
                                              CHAN_STATUS)) != CHAN_DEAD) {
            looks++;
        }
        if (looks < 100) {
            channel_open(); /* outside of what is changed */
            gpu_map((uintptr_t)data, (uintptr_t)data, 2, GPU_CACHED);
            died++;
        }
    }
    stop = 1;
    print("the channel died %u times\n", died);
}
#endif

int main(void)
{
    state = load32((void *)(uintptr_t)SEED_AT);
    state = state ? state : 1;
    vtegra_open();
#if RACE
    fuzz_race();
    return control_get(CONTROL_ID) != CONTROL_MAGIC;
#endif
    every_register_fuzz(vtegra_unit(UNIT_HOST1X) - 0x10000, 0x1000);
    window_fuzz(vtegra_unit(UNIT_HOST1X) - 0x10000, 0x1000, 2000);
    for (unsigned unit = 0; unit < UNIT_COUNT; unit++) {
        if (vtegra_unit(unit)) {
            every_register_fuzz(vtegra_unit(unit), vtegra_unit_bytes(unit));
            window_fuzz(vtegra_unit(unit), vtegra_unit_bytes(unit), 10000);
        }
    }
    every_register_fuzz(vtegra_unit(UNIT_IGPU) + (IGPU_USERMODE_NOTIFY_CHANNEL_PENDING & ~0xfffu),
                        0x1000);
    every_register_fuzz(vtegra_unit(UNIT_IGPU) + (IGPU_INTR & ~0xffffu), 0x10000);
    every_register_fuzz(vtegra_unit(UNIT_IGPU) + IGPU_CHAN_BASE, CHAN_COUNT * CHAN_WINDOW);
    control_set(CONTROL_HOLD, 0);
    known_fuzz(20000);
    commands_fuzz(1000);
    dla_fuzz(UNIT_DLA0, 500);
    dla_fuzz(UNIT_DLA1, 100);
    if (vtegra_is_pci()) {
        interrupts_fuzz();
        config_fuzz(5000);
        smmu_open(vtegra_stream_id(UNIT_IGPU)); /* nothing mapped from here on */
    }
    commands_fuzz(100);
    known_fuzz(5000);
    dla_fuzz(UNIT_DLA, 100);
    print("alive, id 0x%x\n", control_get(CONTROL_ID));
    return control_get(CONTROL_ID) != CONTROL_MAGIC;
}
