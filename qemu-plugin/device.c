/* SPDX-License-Identifier: GPL-2.0-or-later */
/* -device vtegra: the window as a PCI function, interrupts as MSI-X, DMA behind its IOMMU. */
#include <string.h>

#include "qemu-plugin/board.h"
#include "qemu-plugin/calibrate.h"

enum {
    BAR_WINDOW = 0,
    BAR_MSIX = 4,
    BAR_64BIT = 4, /* PCI Local Bus 3.0, 6.2.5.1 */
    VECTORS = 16,
    PCI_VENDOR = 0x1234,
    PCI_DEVICE = 0x7e57,
    PCI_CLASS = 0x1200, /* processing accelerator */
};

static uint64_t window_read(void *opaque, uint64_t offset, unsigned size)
{
    (void)size;
    return board_read((uintptr_t)opaque + offset);
}

static void window_write(void *opaque, uint64_t offset, uint64_t value, unsigned size)
{
    (void)size;
    board_write((uintptr_t)opaque + offset, (uint32_t)value);
}

const struct memory_region_ops window_ops = {
    .read = window_read,
    .write = window_write,
    .endianness = ABI_LITTLE_ENDIAN,
    .valid = { .min = 4, .max = 8 },
    .impl = { .min = 4, .max = 4 },
};

static void device_irq(unsigned unit, bool level)
{
    if (level && board.pci) {
        msix_notify(board.pci, unit);
    }
}

static void device_realize(PCIDevice *pci, Error **errp)
{
    MemoryRegion *mr;

    if (board.pci || board.opt.platform) {
        error_setg_internal(errp, __FILE__, __LINE__, __func__,
                            board.opt.platform
                                ? "vtegra: platform=on and -device vtegra exclude each other"
                                : "vtegra: there is one SoC, so one -device vtegra");
        return;
    }
    if (msix_init_exclusive_bar(pci, VECTORS, BAR_MSIX, errp) != 0) {
        return;
    }
    for (unsigned i = 0; i < VECTORS; i++) {
        msix_vector_use(pci, i);
    }
    mr = g_malloc0(
        ABI_MEMORY_REGION_BYTES); /* stays: QEMU may look at it after the device has gone */
    memory_region_init_io(mr, (Object *)pci, &window_ops, NULL, "vtegra", WINDOW_BYTES);
    pci_register_bar(pci, BAR_WINDOW, BAR_64BIT, mr);
    board.pci = pci;
    board_irq = device_irq;
}

static void device_exit(PCIDevice *pci)
{
    if (board.pci == pci) {
        board_reset();
        board.pci = NULL;
        board_irq = NULL;
    }
    msix_uninit_exclusive_bar(pci);
}

static size_t vendor_at;

static void device_class_init(ObjectClass *class, void *data)
{
    char *c = (char *)class + vendor_at;
    void (*realize)(PCIDevice *, Error **) = device_realize;
    void (*leave)(PCIDevice *) = device_exit;
    const uint16_t id[] = { PCI_VENDOR, PCI_DEVICE }, class_id = PCI_CLASS;

    (void)data;
    memcpy(c - 32, &realize, sizeof(realize));
    memcpy(c - 24, &leave, sizeof(leave));
    memcpy(c, id, sizeof(id));
    c[4] = 1;
    memcpy(c + 6, &class_id, sizeof(class_id));
}

bool device_register(void)
{
    static const struct interface_info interfaces[] = { { "conventional-pci-device" }, { NULL } };
    static const struct type_info type = {
        .name = "vtegra",
        .parent = "pci-device",
        .class_init = device_class_init,
        .interfaces = interfaces,
    };

    vendor_at = calibrate_pci_class();
    if (vendor_at == 0) {
        return false;
    }
    type_register_static(&type);
    return true;
}
