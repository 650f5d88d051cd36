/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From the address an engine puts on the bus to a page of the machine's RAM. */
#include "qemu-plugin/board.h"

struct page *page_at(uint64_t pa)
{
    uint64_t key = pa / PAGE;

    return g_hash_table_lookup(board.pages, &key);
}

struct page *page_new(uint64_t pa)
{
    struct page *page = g_new0(struct page, 1);

    page->pfn = pa / PAGE;
    g_hash_table_insert(board.pages, &page->pfn, page);
    return page;
}

void page_forget(struct page *page)
{
    g_hash_table_remove(board.pages, &page->pfn);
    g_free(page->store_pc);
    g_free(page->writer);
    g_free(page);
}

/* Untracked memory: CPU and engines see the same bytes, whatever the CPU's mapping. */
static void page_plain_add(uint64_t pa)
{
    struct page *page = page_new(pa);

    page->region = board.next_region++;
    soc_memory_add(board.soc, page->region, pa, PAGE, board.ram + (pa - board.ram_pa), NULL, false);
}

/* A function's own view of memory, behind the IOMMU. NULL with a reason if it has none now. */
static AddressSpace *dma_space(unsigned function, const char **why)
{
    PCIDevice *pci = function < FUNCTIONS ? board.function[function] : NULL;

    if (function == FUNCTION_PHYSICAL) {
        return &address_space_memory;
    }
    if (!pci) {
        *why = "no device is plugged in";
        return board.platform ? &address_space_memory : NULL;
    }
    *why = "bus mastering is off (PCI command register, bit 2)";
    return pci_default_read_config(pci, PCI_COMMAND, 2) & PCI_COMMAND_MASTER
               ? pci_device_iommu_address_space(pci)
               : NULL;
}

/* An IOMMU forgets old translations when software orders it, by a register write: as long as the
 * CPUs have been seen to write to no device but this one, what was translated holds. */
void dma_forget(void)
{
    if (!board.watching || (atomic_load_explicit(&board.iommu_touched, memory_order_acquire) &&
                            atomic_exchange(&board.iommu_touched, false))) {
        soc_dma_forget(board.soc);
    }
}

/* Bus address = physical address. */
static bool shared_find(uint64_t bus, uint64_t *pa, const char **why)
{
    *pa = bus - bus % PAGE;
    *why = "it is not in the machine's RAM";
    return *pa >= board.ram_pa && *pa - board.ram_pa < board.ram_bytes;
}

/* Through QEMU, and an IOMMU if there is one. */
static bool machine_find(unsigned function, uint64_t bus, bool write, uint64_t *pa,
                         const char **why)
{
    AddressSpace *space = dma_space(function, why);
    uint64_t len = PAGE;
    uint8_t *host;
    bool ram;

    /* Of what is no RAM, QEMU reads a page at once, perhaps of this very window. */
    board.mapping = true;
    host = space ? address_space_map(space, bus, &len, write, 0) : NULL;
    board.mapping = false;
    ram = host && board.ram && host >= board.ram && host + PAGE <= board.ram + board.ram_bytes;

    if (host) { /* on a fault QEMU hands out a bounce buffer; it must be given back unused */
        address_space_unmap(space, host, len, write, write && ram ? len : 0);
    }
    if (!ram) {
        *why = !space           ? *why
               : board.platform ? "there is no RAM"
                                : "the IOMMU refuses it, or it is no RAM";
        return false;
    }
    *pa = board.ram_pa + (uint64_t)(host - board.ram);
    return true;
}

bool dma_find(unsigned function, uint64_t bus, bool write, uint64_t *pa, const char **why)
{
    if (board.opt.ivshmem ? !shared_find(bus, pa, why)
                          : !machine_find(function, bus, write, pa, why)) {
        return false;
    }
    if (!page_at(*pa)) {
        page_plain_add(*pa);
    }
    return true;
}

bool dma_translate(void *opaque, enum unit_id engine, uint64_t bus, bool write, uint64_t *pa)
{
    unsigned function = function_of_unit(engine);
    const char *why;

    (void)opaque;
    if (!dma_find(function, bus, write, pa, &why)) {
        report_dma_refused(function, bus, write, why);
        return false;
    }
    if (write) {
        page_at(*pa)->gpu_written = true;
    }
    return true;
}
