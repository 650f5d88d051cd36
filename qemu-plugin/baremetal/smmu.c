/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Source: Arm SMMUv3 architecture (IHI 0070), chapters 3 (structures), 4 (commands), 5 (STE, CD), 6
 * (registers). */
#include "qemu-plugin/baremetal/smmu.h"

#define SMMU 0x09050000u /* of -M virt,iommu=smmuv3 */

enum {
    CR0 = 0x20,
    CR0ACK = 0x24,
    CR1 = 0x28,
    STRTAB_BASE = 0x80,
    STRTAB_BASE_CFG = 0x88,
    CMDQ_BASE = 0x90,
    CMDQ_PROD = 0x98,
    CMDQ_CONS = 0x9c,
    EVENTQ_BASE = 0xa0,
    EVENTQ_PROD = 0x100a8, /* page 1 */
    EVENTQ_CONS = 0x100ac,
};
enum { CR0_SMMUEN = 1, CR0_EVENTQEN = 4, CR0_CMDQEN = 8 };
enum { CMD_CFGI_STE = 3, CMD_CFGI_ALL = 4, CMD_TLBI_NSNH_ALL = 0x30, CMD_SYNC = 0x46 };
#define QUEUE_LOG2 5u   /* entries */
#define STREAMS_LOG2 9u /* buses 0 and 1 */
#define CONTEXTS 4u

static uint64_t *streams, *commands, *events;
static uint64_t *level1; /* of the stream selected */
static uint32_t command_put, used;
static struct {
    uint32_t stream;
    uint64_t *level1;
} contexts[CONTEXTS];

static void smmu_write32(uint32_t reg, uint32_t v)
{
    barrier();
    store32((void *)(uintptr_t)(SMMU + reg), v);
}

static void smmu_write64(uint32_t reg, uint64_t v)
{
    barrier();
    *(volatile uint64_t *)(uintptr_t)(SMMU + reg) = v;
}

static void smmu_command(uint64_t word0, uint64_t word1)
{
    uint64_t *c = commands + (command_put & ((1u << QUEUE_LOG2) - 1)) * 2;

    c[0] = word0;
    c[1] = word1;
    command_put = (command_put + 1) & ((2u << QUEUE_LOG2) - 1); /* the top bit is the wrap */
    smmu_write32(CMDQ_PROD, command_put);
    while (load32((void *)(uintptr_t)(SMMU + CMDQ_CONS)) != command_put) {
    }
}

/* Each context has its own ASID, or the SMMU would take one's translations for the other's. */
static void stream_describe(uint32_t stream)
{
    uint64_t *context = pages_new(1);

    if (used == CONTEXTS) {
        print("smmu: only %u streams\n", CONTEXTS);
        bare_exit(3);
    }
    level1 = pages_new(1);
    contexts[used].stream = stream;
    contexts[used++].level1 = level1;
    /* STE: valid, stage 1 translates (Config 101); S1ContextPtr. */
    streams[stream * 8] = 1 | 5 << 1 | (uintptr_t)context;
    streams[stream * 8 + 1] =
        (uint64_t)1 << 2 | (uint64_t)1 << 4 | (uint64_t)3 << 6; /* S1CIR, S1COR, S1CSH */
    /* CD: T0SZ 25 (39 bits), 4 KiB, walks write-back inner shareable, EPD1, valid, 40-bit, AA64, R,
     * A, ASET */
    context[0] = UINT64_C(25) | 1 << 8 | 1 << 10 | 3 << 12 | 1 << 30 | UINT64_C(1) << 31 |
                 UINT64_C(2) << 32 | UINT64_C(1) << 41 | UINT64_C(1) << 45 | UINT64_C(1) << 46 |
                 UINT64_C(1) << 47 | (uint64_t)used << 48;
    context[1] = (uintptr_t)level1;
    context[3] = 0xff; /* MAIR */
}

static void configuration_reload(void)
{
    barrier();
    smmu_command(CMD_CFGI_ALL, 31);
    smmu_command(CMD_TLBI_NSNH_ALL, 0);
    smmu_command(CMD_SYNC, 0);
}

void smmu_stream_add(uint32_t stream)
{
    stream_describe(stream);
    configuration_reload();
}

void smmu_stream_select(uint32_t stream)
{
    for (uint32_t i = 0; i < used; i++) {
        if (contexts[i].stream == stream) {
            level1 = contexts[i].level1;
        }
    }
}

void smmu_open(uint32_t stream)
{
    streams = pages_new((64u << STREAMS_LOG2) / PAGE_BYTES);
    commands = pages_new(1);
    events = pages_new(1);
    stream_describe(stream);
    smmu_write64(STRTAB_BASE, (uintptr_t)streams);
    smmu_write32(STRTAB_BASE_CFG, STREAMS_LOG2);
    smmu_write64(CMDQ_BASE, (uintptr_t)commands | QUEUE_LOG2);
    smmu_write64(EVENTQ_BASE, (uintptr_t)events | QUEUE_LOG2);
    smmu_write32(CR0, CR0_CMDQEN | CR0_EVENTQEN);
    configuration_reload();
    smmu_write32(CR0, CR0_CMDQEN | CR0_EVENTQEN | CR0_SMMUEN);
}

static uint64_t *table_below(uint64_t *table, unsigned index)
{
    if (!(table[index] & 1)) {
        table[index] = (uintptr_t)pages_new(1) | 3;
    }
    return (uint64_t *)(uintptr_t)(table[index] & ~UINT64_C(0xfff));
}

static void smmu_flush(void)
{
    barrier();
    smmu_command(CMD_TLBI_NSNH_ALL, 0);
    smmu_command(CMD_SYNC, 0);
}

void smmu_map(uint64_t iova, const void *pages, size_t count, bool read_only)
{
    uint64_t pa = (uintptr_t)pages;

    for (size_t i = 0; i < count; i++, iova += PAGE_BYTES, pa += PAGE_BYTES) {
        uint64_t *t = table_below(table_below(level1, iova >> 30 & 0x1ff), iova >> 21 & 0x1ff);

        /* Page, accessed, inner shareable, EL0 may access (AP 01), read only (AP 11). */
        t[iova >> 12 & 0x1ff] = pa | 3 | 1 << 6 | (uint64_t)read_only << 7 | 3 << 8 | 1 << 10;
    }
    smmu_flush();
}

void smmu_unmap(uint64_t iova, size_t count)
{
    for (size_t i = 0; i < count; i++, iova += PAGE_BYTES) {
        table_below(table_below(level1, iova >> 30 & 0x1ff),
                    iova >> 21 & 0x1ff)[iova >> 12 & 0x1ff] = 0;
    }
    smmu_flush();
}

void smmu_map_all(void)
{
    level1[1] = UINT64_C(0x40000000) | 1 | 1 << 6 | 3 << 8 | 1 << 10; /* block of 1 GiB */
    smmu_flush();
}

bool smmu_event_next(struct smmu_event *event)
{
    uint32_t put = load32((void *)(uintptr_t)(SMMU + EVENTQ_PROD)) & ((2u << QUEUE_LOG2) - 1);
    uint32_t get = load32((void *)(uintptr_t)(SMMU + EVENTQ_CONS)) & ((2u << QUEUE_LOG2) - 1);
    const uint64_t *e = events + (get & ((1u << QUEUE_LOG2) - 1)) * 4;

    if (get == put) {
        return false;
    }
    event->type = e[0] & 0xff;
    event->stream = (uint32_t)(e[0] >> 32);
    event->address = e[2];
    smmu_write32(EVENTQ_CONS, (get + 1) & ((2u << QUEUE_LOG2) - 1));
    return true;
}
