/* SPDX-License-Identifier: GPL-2.0-or-later */
/* For tests/qemu/shared.sh: registers and engines do the same whichever way the window reaches the
 * guest. Needs no interrupt, no IOMMU and no cache of the CPU. WIDTHS: also what is no access of 32
 * bits; with ivshmem= that is no fault, but does nothing. */
#include "qemu-plugin/baremetal/vtegra.h"

#define DOORBELLS 5000u
#define LOOKS 1000000u

static unsigned failed;

static void engines_expect(const char *what, uint32_t got, uint32_t right)
{
    if (got != right) {
        print("FAILED: %s: 0x%x, not 0x%x\n", what, got, right);
        failed++;
    }
}

/* A store acts at once, though the word it goes to is the same each time: bit 0 adds one. */
static void stores_act(void)
{
    uintptr_t host1x = vtegra_unit(UNIT_HOST1X), value = host1x + HOST1X_SYNCPT + 5 * 4;
    uint32_t before = load32((void *)value), wrong = 0;

    for (uint32_t i = 1; i <= DOORBELLS; i++) {
        store32((void *)(host1x + HOST1X_SYNCPT_CPU_INCR), 1u << 5);
        wrong += load32((void *)value) != before + i;
    }
    engines_expect("syncpoint after each increment", wrong, 0);
}

/* What was stored to a register that only acts is no value of it; what it has not is 0. */
static void loads_are_registers(void)
{
    uintptr_t host1x = vtegra_unit(UNIT_HOST1X);

    control_set(CONTROL_ID, 7);
    engines_expect("CONTROL_ID", control_get(CONTROL_ID), CONTROL_MAGIC);
    store32((void *)(host1x + HOST1X_SYNCPT_CPU_INCR), 1u << 6);
    engines_expect("SYNCPT_CPU_INCR", load32((void *)(host1x + HOST1X_SYNCPT_CPU_INCR)), 0);
}

/* 64 bits are two registers, low first (qemu-plugin/README.md), also as one of a pair. */
static void wide_stores(void)
{
    uintptr_t chan = vtegra_unit(UNIT_IGPU) + IGPU_CHAN_BASE + 9 * CHAN_WINDOW;
    uint64_t pdb = UINT64_C(0x1248765000), ring = UINT64_C(0x3355557000);

    __asm__ volatile("str %0, [%1]" ::"r"(pdb), "r"(chan + CHAN_PDB_LO) : "memory");
    engines_expect("CHAN_PDB_LO", load32((void *)(chan + CHAN_PDB_LO)), 0x48765000);
    engines_expect("CHAN_PDB_HI", load32((void *)(chan + CHAN_PDB_HI)), 0x12);
    __asm__ volatile("stp %w0, %w1, [%2]" ::"r"((uint32_t)ring), "r"((uint32_t)(ring >> 32)),
                     "r"(chan + CHAN_GPFIFO_LO)
                     : "memory");
    engines_expect("CHAN_GPFIFO_LO", load32((void *)(chan + CHAN_GPFIFO_LO)), 0x55557000);
    engines_expect("CHAN_GPFIFO_HI", load32((void *)(chan + CHAN_GPFIFO_HI)), 0x33);
}

#if WIDTHS
static void other_widths(void)
{
    uintptr_t chan = vtegra_unit(UNIT_IGPU) + IGPU_CHAN_BASE + 9 * CHAN_WINDOW;
    uint64_t both;

    __asm__ volatile("strh %w0, [%1]" ::"r"(0x7777), "r"(chan + CHAN_PDB_LO) : "memory");
    engines_expect("CHAN_PDB_LO after a halfword", load32((void *)(chan + CHAN_PDB_LO)),
                   0x48765000);
    __asm__ volatile("ldr %0, [%1]" : "=r"(both) : "r"(chan + CHAN_PDB_LO) : "memory");
    engines_expect("CHAN_PDB_LO of 64 bits", (uint32_t)both, 0x48765000);
}
#endif

/* Copies and fills; each doorbell is the same store of 0. */
static void engines_copies(void)
{
    uint32_t *src = pages_new(2), *dst = pages_new(2), wrong = 0;

    gpu_map((uintptr_t)src, (uintptr_t)src, 2, GPU_UNCACHED);
    gpu_map((uintptr_t)dst, (uintptr_t)dst, 2, GPU_UNCACHED);
    for (uint32_t i = 0; i < 200; i++) {
        src[1] = i ^ 0x5a5a5a5a;
        copy((uintptr_t)dst, (uintptr_t)src, 4096 + 64);
        fill32((uintptr_t)(dst + 1200), i, 16);
        submit();
        wrong += !finish() || dst[1] != (i ^ 0x5a5a5a5a) || dst[1199] != 0 || dst[1215] != i;
    }
    engines_expect("copies and fills", wrong, 0);
}

/* The channel does @op with @payload on a new word that is 0. Return: the word. */
static volatile uint32_t *semaphore_submit(uint32_t op, uint32_t payload)
{
    volatile uint32_t *semaphore = pages_new(1);

    gpu_map((uintptr_t)semaphore, (uintptr_t)semaphore, 1, GPU_UNCACHED);
    method(0, HOST_SEM_ADDR_LO, (uint32_t)(uintptr_t)semaphore);
    method(0, HOST_SEM_ADDR_HI, 0);
    method(0, HOST_SEM_PAYLOAD_LO, payload);
    method(0, HOST_SEM_EXECUTE, op);
    submit();
    return semaphore;
}

/* The engine writes a word in memory, and no register is read meanwhile. */
static void memory_is_polled(void)
{
    volatile uint32_t *semaphore = semaphore_submit(SEM_OP_RELEASE, 0x600d);
    uint32_t looks = 0;

    while (*semaphore != 0x600d && looks < LOOKS) {
        looks++;
    }
    engines_expect("semaphore in memory", *semaphore, 0x600d);
    engines_expect("syncpoint behind it", finish(), true);
}

/* The other way: the channel waits for a word that the CPU stores later. */
static void memory_is_waited_for(void)
{
    volatile uint32_t *semaphore = semaphore_submit(SEM_OP_ACQUIRE, 3);
    uintptr_t status = vtegra_unit(UNIT_IGPU) + IGPU_CHAN_BASE + CHAN_STATUS;
    uint32_t looks = 0;

    engines_expect("the channel waits", load32((void *)status), CHAN_WAITING);
    *semaphore = 3;
    while (load32((void *)status) != CHAN_IDLE && looks < LOOKS) {
        looks++;
    }
    engines_expect("the channel goes on", load32((void *)status), CHAN_IDLE);
}

/* A bus address where nothing is. */
static void engines_fault(void)
{
    struct chan_error error;

    gpu_map(0x10000000, 0x3000000000, 1, GPU_UNCACHED);
    copy(0x10000000, 0x10000000, 64);
    submit();
    engines_expect("a copy from nowhere", finish(), false);
    error = channel_error();
    engines_expect("its error", error.kind, CHAN_ERROR_BUS);
    channel_open();
    engines_copies();
}

int main(void)
{
    vtegra_open();
    stores_act();
    loads_are_registers();
    wide_stores();
#if WIDTHS
    other_widths();
#endif
    channel_open();
    engines_copies();
    memory_is_polled();
    engines_fault();
    control_set(CONTROL_MARK, 1); /* what was so far took no time of a clock */
    memory_is_waited_for();
    print("engines: %s\n", failed ? "wrong" : "right");
    return failed != 0;
}
