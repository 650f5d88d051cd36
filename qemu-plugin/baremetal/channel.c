/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Channel 0 of the iGPU, driven as its kernel driver drives it: tables and rings in memory, a
 * doorbell. */
#include "model/regs/gmmu.h"
#include "qemu-plugin/baremetal/vtegra.h"

#define ENTRIES 64u
#define PUSH_WORDS 1024u /* a submission */
#define SYNCPT 1u
#define KERNEL_VA UINT64_C(0x7000000000) /* where launches keep code, descriptor and parameters */
#define KERNEL_PAGES 16u

static uint64_t *pdb;
static uint32_t *gpfifo, *push, words, put, launches;
static volatile uint32_t *userd;
static volatile struct chan_error *error;
static uint8_t *kernel;
static uint32_t fences;

static void igpu_write(uint32_t offset, uint32_t value)
{
    barrier();
    store32((void *)(vtegra_unit(UNIT_IGPU) + offset), value);
}

static void chan_write64(uint32_t reg, const volatile void *p)
{
    igpu_write(IGPU_CHAN_BASE + reg, (uint32_t)(uintptr_t)p);
    igpu_write(IGPU_CHAN_BASE + reg + 4, (uint32_t)((uintptr_t)p >> 32));
}

/* --- GMMU tables (model/regs/gmmu.h) --- */

static uint64_t *table_below(uint64_t *table, unsigned index, unsigned entry_words)
{
    uint64_t *pde = &table[index * entry_words + entry_words - 1];

    if (*pde == 0) {
        *pde = GMMU_PDE((uintptr_t)pages_new(1));
    }
    return (uint64_t *)(uintptr_t)GMMU_PDE_ADDRESS(*pde);
}

void gpu_map(uint64_t va, uint64_t bus, size_t pages, enum gpu_memory memory)
{
    uint64_t bits = memory == GPU_UNCACHED    ? GMMU_PTE_VOL
                    : memory == GPU_READ_ONLY ? GMMU_PTE_READ_ONLY
                                              : 0;

    for (size_t i = 0; i < pages; i++, va += PAGE_BYTES, bus += PAGE_BYTES) {
        uint64_t *t = table_below(pdb, va >> GMMU_PDE3_SHIFT & 3, 1);

        t = table_below(t, va >> GMMU_PDE2_SHIFT & 0x1ff, 1);
        t = table_below(t, va >> GMMU_PDE1_SHIFT & 0x1ff, 1);
        t = table_below(t, va >> GMMU_PDE0_SHIFT & 0xff, 2);
        t[va >> GMMU_PAGE_SHIFT & 0x1ff] = GMMU_PTE(bus) | GMMU_PTE_APERTURE_SYS_COHERENT | bits;
    }
    igpu_write(IGPU_MMU_INVALIDATE, 1);
}

/* --- submission --- */

void channel_open(void)
{
    pdb = pages_new(1);
    gpfifo = pages_new(1);
    userd = pages_new(1);
    error = pages_new(1);
    push = pages_new(ENTRIES * PUSH_WORDS * 4 / PAGE_BYTES);
    kernel = pages_new(KERNEL_PAGES);
    chan_write64(CHAN_PDB_LO, pdb);
    chan_write64(CHAN_GPFIFO_LO, gpfifo);
    chan_write64(CHAN_USERD_LO, userd);
    chan_write64(CHAN_ERROR_LO, error);
    igpu_write(IGPU_CHAN_BASE + CHAN_GPFIFO_ENTRIES, ENTRIES);
    igpu_write(IGPU_CHAN_BASE + CHAN_CTRL, 0); /* again after an error: what was queued is gone */
    igpu_write(IGPU_CHAN_BASE + CHAN_CTRL, 1);
    put = words = 0;
    fences = load32((void *)(vtegra_unit(UNIT_HOST1X) + HOST1X_SYNCPT + SYNCPT * 4));
    gpu_map(KERNEL_VA, (uintptr_t)kernel, KERNEL_PAGES, GPU_UNCACHED);
}

void method(unsigned subchannel, unsigned name, uint32_t data)
{
    uint32_t *p = push + put * PUSH_WORDS + words;

    if (words + 2 > PUSH_WORDS) {
        print("pushbuffer full\n");
        bare_exit(3);
    }
    p[0] = PB_HEADER(PB_INC, subchannel, name, 1);
    p[1] = data;
    words += 2;
}

void submit_prepare(void)
{
    uintptr_t segment = (uintptr_t)(push + put * PUSH_WORDS);

    method(0, HOST_WFI, 0);
    method(0, HOST_SYNCPOINTB, SYNCPT_INCR(SYNCPT));
    fences++;
    gpfifo[put * 2] = GP_ENTRY0(segment);
    gpfifo[put * 2 + 1] = GP_ENTRY1(segment, words);
    words = 0;
    put = (put + 1) % ENTRIES;
    userd[USERD_GP_PUT / 4] = put;
}

void submit(void)
{
    submit_prepare();
    igpu_write(IGPU_USERMODE_NOTIFY_CHANNEL_PENDING, 0);
}

bool finish(void)
{
    uintptr_t host1x = vtegra_unit(UNIT_HOST1X), igpu = vtegra_unit(UNIT_IGPU);

    while ((int32_t)(load32((void *)(host1x + HOST1X_SYNCPT + SYNCPT * 4)) - fences) < 0) {
        if (load32((void *)(igpu + IGPU_CHAN_BASE + CHAN_STATUS)) == CHAN_DEAD) {
            return false;
        }
    }
    return true;
}

struct chan_error channel_error(void)
{
    struct chan_error e;

    barrier();
    memcpy(&e, (const void *)(uintptr_t)error, sizeof(e));
    return e;
}

/* --- commands --- */

static void copy_method64(unsigned upper, uint64_t va)
{
    method(SUBCH_COPY, upper, (uint32_t)(va >> 32));
    method(SUBCH_COPY, upper + 4, (uint32_t)va);
}

void copy(uint64_t dst_va, uint64_t src_va, uint32_t bytes)
{
    copy_method64(CE_OFFSET_IN_UPPER, src_va);
    copy_method64(CE_OFFSET_OUT_UPPER, dst_va);
    method(SUBCH_COPY, CE_LINE_LENGTH_IN, bytes);
    method(SUBCH_COPY, CE_LAUNCH_DMA,
           CE_LAUNCH_TRANSFER_NON_PIPELINED | CE_LAUNCH_SRC_PITCH | CE_LAUNCH_DST_PITCH);
}

void fill32(uint64_t dst_va, uint32_t pattern, uint32_t count)
{
    copy_method64(CE_OFFSET_OUT_UPPER, dst_va);
    method(SUBCH_COPY, CE_SET_REMAP_CONST_A, pattern);
    method(SUBCH_COPY, CE_SET_REMAP_COMPONENTS,
           CE_REMAP_DST_X_CONST_A | CE_REMAP_COMPONENT_SIZE(4));
    method(SUBCH_COPY, CE_LINE_LENGTH_IN, count);
    method(SUBCH_COPY, CE_LAUNCH_DMA,
           CE_LAUNCH_TRANSFER_NON_PIPELINED | CE_LAUNCH_REMAP | CE_LAUNCH_SRC_PITCH |
               CE_LAUNCH_DST_PITCH);
}

void l2_clean(void)
{
    igpu_write(IGPU_FLUSH_L2_FLUSH_DIRTY, 1);
}

/* Memory for a launch: descriptor at 0, parameters at 4096, code from 8192 on. */
void launch(const char *ptx, const void *params, uint32_t param_bytes, uint32_t blocks,
            uint32_t threads)
{
    struct qmd *qmd = (struct qmd *)kernel;
    size_t code_bytes = strlen(ptx);

    if (code_bytes > (KERNEL_PAGES - 2) * PAGE_BYTES || param_bytes > PAGE_BYTES) {
        print("launch: code or parameters too long\n");
        bare_exit(3);
    }
    memset(qmd, 0, sizeof(*qmd));
    memcpy(kernel + PAGE_BYTES, params, param_bytes);
    memcpy(kernel + 2 * PAGE_BYTES, ptx, code_bytes);
    qmd->version = QMD_VERSION;
    qmd->code_va = KERNEL_VA + 2 * PAGE_BYTES;
    qmd->code_size = code_bytes;
    qmd->code_id = ++launches;
    qmd->param_va = KERNEL_VA + PAGE_BYTES;
    qmd->param_size = param_bytes;
    qmd->grid[0] = blocks;
    qmd->block[0] = threads;
    qmd->resident_blocks = 64;
    qmd->step_limit_hi = 1;
    qmd->grid[1] = qmd->grid[2] = qmd->block[1] = qmd->block[2] = 1;
    method(SUBCH_COMPUTE, COMPUTE_SEND_PCAS_A, (uint32_t)((uintptr_t)kernel >> 8));
    method(SUBCH_COMPUTE, COMPUTE_SEND_SIGNALING_PCAS_B, PCAS_B_SCHEDULE);
}
