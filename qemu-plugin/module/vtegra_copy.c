// SPDX-License-Identifier: GPL-2.0-or-later
/* Example of a Linux driver for the board: copies one page with the iGPU's copy engine, and keeps
 * the caches right with the DMA API. On a device that is not coherent (no "dma-coherent" on its
 * path in the device tree) leaving out a call shows at once:
 *
 *   insmod vtegra_copy.ko          engine and CPU read what the other one wrote
 *   insmod vtegra_copy.ko skip=1   no dma_sync_single_for_device(): the engine reads old bytes
 *   insmod vtegra_copy.ko skip=2   no dma_sync_single_for_cpu(): the CPU reads old bytes
 *
 * The result is a line in the kernel's log. */
#include <linux/dma-mapping.h>
#include <linux/iopoll.h>
#include <linux/module.h>
#include <linux/pci.h>

#undef FIELD_GET /* bitfield.h has one, reg.h another; this file needs neither */
#include "model/regs/gmmu.h"
#include "model/regs/method.h"
#include "model/regs/regs.h"
#include "qemu-plugin/control.h"
#include "qemu-plugin/track.h"

enum { SKIP_NOTHING, SKIP_FOR_DEVICE, SKIP_FOR_CPU };

static unsigned int skip;
module_param(skip, uint, 0444);
MODULE_PARM_DESC(skip, "1: no dma_sync_single_for_device(), 2: no dma_sync_single_for_cpu()");

#define WORDS (PAGE_SIZE / 4)
#define SRC_VA 0x10000000u /* in the iGPU's address space */
#define DST_VA 0x10001000u
#define SYNCPT 2u
#define GPFIFO_ENTRIES 8u

/* What the engine reads and writes besides the data; a page each, in memory from
 * dma_alloc_coherent(): that needs no maintenance on any device. */
enum { PDE3, PDE2, PDE1, PDE0, PTE, GPFIFO, PUSH, USERD, ERROR, STRUCTURES };

struct copier {
    struct device *dev;
    void __iomem *window, *igpu, *host1x;
    u8 *structures;
    dma_addr_t structures_dma;
    u32 *src, *dst;
    dma_addr_t src_dma, dst_dma;
    u32 put, words, done; /* done: value of the syncpoint when all work given has run */
};

static void *vtegra_copy_structure(struct copier *c, unsigned int which)
{
    return c->structures + which * PAGE_SIZE;
}

static u64 structure_dma(const struct copier *c, unsigned int which)
{
    return c->structures_dma + which * PAGE_SIZE;
}

/* --- the channel (qemu-plugin/README.md, model/regs/) --- */

static void __iomem *unit_find(struct copier *c, u32 id)
{
    u32 units = min_t(u32, readl(c->window + CONTROL_UNITS), 16);

    for (u32 i = 0; i < units; i++) {
        void __iomem *row = c->window + CONTROL_UNIT + i * CONTROL_UNIT_BYTES;

        if (readl(row) == id) {
            return c->window + readl(row + 4);
        }
    }
    return NULL;
}

static void chan_write64(struct copier *c, u32 reg, u64 address)
{
    writel(lower_32_bits(address), c->igpu + IGPU_CHAN_BASE + reg);
    writel(upper_32_bits(address), c->igpu + IGPU_CHAN_BASE + reg + 4);
}

static void page_map(struct copier *c, u32 va, dma_addr_t bus)
{
    u64 *pde0 = vtegra_copy_structure(c, PDE0);

    ((u64 *)vtegra_copy_structure(c, PDE3))[0] = GMMU_PDE(structure_dma(c, PDE2));
    ((u64 *)vtegra_copy_structure(c, PDE2))[0] = GMMU_PDE(structure_dma(c, PDE1));
    ((u64 *)vtegra_copy_structure(c, PDE1))[0] = GMMU_PDE(structure_dma(c, PDE0));
    pde0[(va >> GMMU_PDE0_SHIFT) * 2 + 1] = GMMU_PDE(structure_dma(c, PTE));
    ((u64 *)vtegra_copy_structure(c, PTE))[va >> GMMU_PAGE_SHIFT & 0x1ff] =
        GMMU_PTE(bus) | GMMU_PTE_APERTURE_SYS_COHERENT | GMMU_PTE_VOL;
}

static void channel_open(struct copier *c)
{
    void __iomem *chan = c->igpu + IGPU_CHAN_BASE;

    page_map(c, SRC_VA, c->src_dma);
    page_map(c, DST_VA, c->dst_dma);
    chan_write64(c, CHAN_PDB_LO, structure_dma(c, PDE3));
    chan_write64(c, CHAN_GPFIFO_LO, structure_dma(c, GPFIFO));
    chan_write64(c, CHAN_USERD_LO, structure_dma(c, USERD));
    chan_write64(c, CHAN_ERROR_LO, structure_dma(c, ERROR));
    writel(GPFIFO_ENTRIES, chan + CHAN_GPFIFO_ENTRIES);
    writel(1, chan + CHAN_CTRL);
    c->done = readl(c->host1x + HOST1X_SYNCPT + SYNCPT * 4);
}

static void vtegra_copy_method(struct copier *c, unsigned int subchannel, unsigned int name,
                               u32 data)
{
    u32 *push = vtegra_copy_structure(c, PUSH);

    push[c->words++] = PB_HEADER(PB_INC, subchannel, name, 1);
    push[c->words++] = data;
}

/* One page from SRC_VA to DST_VA. Return: 0, -EIO if the channel died or did not end. */
static int engine_copy(struct copier *c)
{
    u32 *gpfifo = vtegra_copy_structure(c, GPFIFO), *userd = vtegra_copy_structure(c, USERD), value;
    u64 push = structure_dma(c, PUSH);

    c->words = 0;
    vtegra_copy_method(c, SUBCH_COPY, CE_OFFSET_IN_UPPER, 0);
    vtegra_copy_method(c, SUBCH_COPY, CE_OFFSET_IN_LOWER, SRC_VA);
    vtegra_copy_method(c, SUBCH_COPY, CE_OFFSET_OUT_UPPER, 0);
    vtegra_copy_method(c, SUBCH_COPY, CE_OFFSET_OUT_LOWER, DST_VA);
    vtegra_copy_method(c, SUBCH_COPY, CE_LINE_LENGTH_IN, PAGE_SIZE);
    vtegra_copy_method(c, SUBCH_COPY, CE_LAUNCH_DMA,
                       CE_LAUNCH_TRANSFER_NON_PIPELINED | CE_LAUNCH_SRC_PITCH |
                           CE_LAUNCH_DST_PITCH);
    vtegra_copy_method(c, 0, HOST_WFI, 0);
    vtegra_copy_method(c, 0, HOST_SYNCPOINTB, SYNCPT_INCR(SYNCPT));
    gpfifo[c->put * 2] = GP_ENTRY0(push);
    gpfifo[c->put * 2 + 1] = GP_ENTRY1(push, c->words);
    c->put = (c->put + 1) % GPFIFO_ENTRIES;
    userd[USERD_GP_PUT / 4] = c->put;
    c->done++;
    dma_wmb(); /* the doorbell comes after all of that */
    writel(0, c->igpu + IGPU_USERMODE_NOTIFY_CHANNEL_PENDING);
    if (readl_poll_timeout(c->host1x + HOST1X_SYNCPT + SYNCPT * 4, value,
                           (s32)(value - c->done) >= 0, 10, 1000000)) {
        dev_err(c->dev, "the copy did not end: channel error %u\n",
                *(u32 *)vtegra_copy_structure(c, ERROR));
        return -EIO;
    }
    return 0;
}

/* --- the lesson --- */

/* The state of these pages' lines is modelled from now on (README, "Caches: TRACK"). */
static int vtegra_copy_track(struct copier *c, dma_addr_t page, u32 what)
{
    writel(lower_32_bits(page), c->window + CONTROL_TRACK_LO);
    writel(upper_32_bits(page), c->window + CONTROL_TRACK_HI);
    writel(1, c->window + CONTROL_TRACK_PAGES);
    writel(what, c->window + CONTROL_TRACK_CTRL);
    return readl(c->window + CONTROL_TRACK_STATUS) == TRACK_OK ? 0 : -EIO;
}

/* Where the report finds this file's lines: it knows the function's place in elf=, we the other. */
void vtegra_anchor(void __iomem *window);
noinline void vtegra_anchor(void __iomem *window)
{
    u64 here = (uintptr_t)vtegra_anchor;

    writel(lower_32_bits(here), window + CONTROL_ANCHOR_LO);
    writel(upper_32_bits(here), window + CONTROL_ANCHOR_HI);
}

static noinline void pattern_write(u32 *page, u32 seed)
{
    for (unsigned int i = 0; i < WORDS; i++) {
        WRITE_ONCE(page[i], seed + i);
    }
}

/* Return: how many words are not as pattern_write() made them. */
static noinline unsigned int pattern_compare(const u32 *page, u32 seed)
{
    unsigned int wrong = 0;

    for (unsigned int i = 0; i < WORDS; i++) {
        wrong += READ_ONCE(page[i]) != seed + i;
    }
    return wrong;
}

static int lesson_run(struct copier *c)
{
    unsigned int wrong = 0;

    for (u32 round = 1; round <= 2; round++) {
        pattern_write(c->src, round << 16);
        if (skip != SKIP_FOR_DEVICE) {
            dma_sync_single_for_device(c->dev, c->src_dma, PAGE_SIZE, DMA_TO_DEVICE);
        }
        if (engine_copy(c)) {
            return -EIO;
        }
        if (skip != SKIP_FOR_CPU) {
            dma_sync_single_for_cpu(c->dev, c->dst_dma, PAGE_SIZE, DMA_FROM_DEVICE);
        }
        wrong += pattern_compare(c->dst, round << 16);
        dma_sync_single_for_device(c->dev, c->dst_dma, PAGE_SIZE, DMA_FROM_DEVICE);
    }
    dev_info(c->dev, "skip=%u: %u of %lu words wrong, %u findings\n", skip, wrong, 2 * WORDS,
             readl(c->window + CONTROL_FINDINGS));
    return wrong ? -EIO : 0;
}

/* --- life --- */

static int buffers_map(struct copier *c)
{
    c->src_dma = dma_map_single(c->dev, c->src, PAGE_SIZE, DMA_TO_DEVICE);
    if (dma_mapping_error(c->dev, c->src_dma)) {
        return -ENOMEM;
    }
    c->dst_dma = dma_map_single(c->dev, c->dst, PAGE_SIZE, DMA_FROM_DEVICE);
    if (dma_mapping_error(c->dev, c->dst_dma)) {
        dma_unmap_single(c->dev, c->src_dma, PAGE_SIZE, DMA_TO_DEVICE);
        return -ENOMEM;
    }
    return 0;
}

static void buffers_unmap(struct copier *c)
{
    dma_unmap_single(c->dev, c->dst_dma, PAGE_SIZE, DMA_FROM_DEVICE);
    dma_unmap_single(c->dev, c->src_dma, PAGE_SIZE, DMA_TO_DEVICE);
}

static int copier_run(struct copier *c)
{
    int status = buffers_map(c);

    if (status) {
        return status;
    }
    channel_open(c);
    vtegra_anchor(c->window);
    status = vtegra_copy_track(c, c->src_dma, TRACK_ADD);
    if (!status) {
        status = vtegra_copy_track(c, c->dst_dma, TRACK_ADD);
        if (!status) {
            status = lesson_run(c);
            vtegra_copy_track(c, c->dst_dma, TRACK_REMOVE); /* before the pages go elsewhere */
        }
        vtegra_copy_track(c, c->src_dma, TRACK_REMOVE);
    }
    writel(0, c->igpu + IGPU_CHAN_BASE + CHAN_CTRL);
    buffers_unmap(c);
    return status;
}

static int copier_probe(struct pci_dev *pci, const struct pci_device_id *id)
{
    struct copier *c = devm_kzalloc(&pci->dev, sizeof(*c), GFP_KERNEL);
    int status = pcim_enable_device(pci);

    if (!c || status) {
        return c ? status : -ENOMEM;
    }
    c->dev = &pci->dev;
    status = pcim_iomap_regions(pci, BIT(0), "vtegra_copy");
    if (!status) {
        status =
            dma_set_mask_and_coherent(c->dev, DMA_BIT_MASK(40)); /* what a GPFIFO entry holds */
    }
    if (status) {
        return status;
    }
    c->window = pcim_iomap_table(pci)[0];
    c->igpu = unit_find(c, 1);
    c->host1x = unit_find(c, 0);
    c->src = (u32 *)devm_get_free_pages(c->dev, GFP_KERNEL | __GFP_ZERO, 0);
    c->dst = (u32 *)devm_get_free_pages(c->dev, GFP_KERNEL | __GFP_ZERO, 0);
    c->structures =
        dmam_alloc_coherent(c->dev, STRUCTURES * PAGE_SIZE, &c->structures_dma, GFP_KERNEL);
    if (readl(c->window + CONTROL_ID) != CONTROL_MAGIC || !c->igpu || !c->host1x) {
        return -ENODEV;
    }
    if (!c->src || !c->dst || !c->structures) {
        return -ENOMEM;
    }
    pci_set_master(pci);
    status = copier_run(c);
    pci_clear_master(pci);
    return status;
}

static const struct pci_device_id copier_ids[] = { { PCI_DEVICE(0x1234, 0x7e57) }, {} };
MODULE_DEVICE_TABLE(pci, copier_ids);

static struct pci_driver copier_driver = {
    .name = "vtegra_copy",
    .id_table = copier_ids,
    .probe = copier_probe,
};
module_pci_driver(copier_driver);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("DMA API on the virtual Tegra: copies a page, and what happens without a call");
