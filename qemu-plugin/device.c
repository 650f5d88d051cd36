/* SPDX-License-Identifier: GPL-2.0-or-later */
/* -device vtegra: PCI Express functions, interrupts as MSI-X, DMA behind the machine's IOMMU.
 *
 * Function 0 shows the whole window and is the bus master of everything but the engines behind an SMMU. Each of those (the
 * first seven) is a function beside it: its registers again, and a stream ID of its own. Function 0 makes them,
 * unless it is plugged into a running machine: there QEMU wants function 0 last, so that they come
 * by hand before it (device_add vtegra-dla0,addr=0.1), or not at all. */
#include <string.h>

#include "qemu-plugin/board.h"
#include "qemu-plugin/calibrate.h"

enum {
    BAR_WINDOW = 0,
    BAR_MSIX = 4,
    BAR_64BIT = 4, /* PCI Local Bus 3.0, 6.2.5.1 */
    PCI_VENDOR = 0x1234,
    PCI_MAIN = 0x7e57,
    PCI_ENGINE = 0x7e58,
    PCI_CLASS = 0x1200,   /* processing accelerator */
    CAP_EXPRESS = 0x80,   /* where there is room behind MSI-X */
    CAP_ACS_FIRST = 0x100 /* extended capabilities begin here (PCI Express 5.0, 7.6) */
};

/* Of MSI-X; function 0: vector n = unit n; an engine's function has vector 0. */
enum { VECTORS_MAIN = UNIT_COUNT > 16 ? UNIT_COUNT : 16, VECTORS_ENGINE = 1 };

/* Which units have a function of their own, and the names of its type: "vtegra-dla0". */
static const struct row {
    const char *name;
    enum unit_id first, last;
} rows[] = {
#define ENGINE(NAME, name, ...) { #name, UNIT_##NAME, UNIT_##NAME##_LAST },
#include "model/engines.h"
};

static struct function {
    char type[32];
    enum unit_id unit;
} functions[FUNCTIONS] = { [FUNCTION_MAIN] = { .type = "vtegra" } };

static void functions_name(void)
{
    for (unsigned r = 0; r < G_N_ELEMENTS(rows); r++) {
        for (enum unit_id u = rows[r].first; u <= rows[r].last; u++) {
            unsigned number = FUNCTION_ENGINE + (unsigned)unit_engine(u);
            struct function *f = &functions[number % FUNCTIONS];

            if (number >= FUNCTIONS) {
                continue;
            }
            g_snprintf(f->type, sizeof(f->type), "vtegra-%s%u", rows[r].name,
                       (unsigned)(u - rows[r].first));
            f->unit = u;
        }
    }
}

static bool making_functions;

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

/* --- which function is whose --- */

static const struct unit *unit_of(unsigned function)
{
    return &board.unit[functions[function].unit];
}

static bool is_hotplugged(PCIDevice *pci)
{
    return object_property_get_bool((Object *)pci, "hotplugged", NULL);
}

static void device_irq(unsigned unit, bool level)
{
    unsigned own = function_of_unit((enum unit_id)unit);

    if (level && board.function[FUNCTION_MAIN]) {
        msix_notify(board.function[FUNCTION_MAIN], unit);
    }
    if (level && own != FUNCTION_MAIN && board.function[own]) {
        msix_notify(board.function[own], 0);
    }
}

/* --- bus master --- */

static bool is_master(PCIDevice *pci)
{
    return pci_default_read_config(pci, PCI_COMMAND, 2) & PCI_COMMAND_MASTER;
}

/* Who takes a device away switches its bus master off first, so that its pages can go elsewhere:
 * Linux when a driver lets go, and vfio-pci when a program ends, killed or not. */
static void config_write(PCIDevice *pci, uint32_t offset, uint32_t value, int len)
{
    bool was = is_master(pci);

    pci_default_write_config(pci, offset, value, len);
    for (unsigned f = 0; was && !is_master(pci) && f < FUNCTIONS; f++) {
        if (board.function[f] == pci) {
            board_lock();
            track_remove_function(f);
            soc_dma_forget(board.soc);
            board_unlock();
        }
    }
}

/* --- life of a function --- */

#define REFUSE(errp, text) error_setg_internal(errp, __FILE__, __LINE__, __func__, text)

/* May this function be here? */
static bool place_check(PCIDevice *pci, unsigned function, Error **errp)
{
    if (board.opt.platform) {
        REFUSE(errp, "vtegra: platform=on and -device vtegra exclude each other");
    } else if (board.function[function]) {
        REFUSE(errp, "vtegra: there is one SoC, so one -device vtegra");
    } else if (function != FUNCTION_MAIN && !making_functions && !is_hotplugged(pci)) {
        REFUSE(errp, "vtegra: the DLAs' functions come with -device vtegra");
    } else if (function != FUNCTION_MAIN && (function_devfn(pci) % 8 == 0 || !unit_of(function)->size)) {
        REFUSE(errp, "vtegra: that is no function 0, and only for a chip that has this DLA");
    } else if (!pci_bus_is_express(qdev_get_parent_bus(pci))) {
        REFUSE(errp, "vtegra: this is no PCI Express bus; use bus=pcie.0 or a pcie-root-port");
    } else {
        return true;
    }
    return false;
}

/* The registers, the interrupts, and what a multifunction endpoint says so that Linux gives each
 * function an IOMMU group of its own: it is PCI Express, and no function reaches another one
 * without passing the IOMMU (ACS with nothing to control; PCI Express 5.0, 6.12.1.2). */
static bool function_build(PCIDevice *pci, unsigned function, bool many, Error **errp)
{
    bool engine = function != FUNCTION_MAIN;
    unsigned short vectors = engine ? VECTORS_ENGINE : VECTORS_MAIN;
    uint64_t offset = engine ? unit_of(function)->offset : 0;
    uint64_t bytes = engine ? WINDOW_UNITS : WINDOW_BYTES;
    MemoryRegion *mr = g_malloc0(ABI_MEMORY_REGION_BYTES); /* stays: QEMU may look at it later */

    if (pcie_endpoint_cap_init(pci, CAP_EXPRESS) < 0) {
        REFUSE(errp, "vtegra: no room for the PCI Express capability");
        return false;
    }
    if (many) {
        pcie_acs_init(pci, CAP_ACS_FIRST);
    }
    if (msix_init_exclusive_bar(pci, vectors, BAR_MSIX, errp) != 0) {
        return false;
    }
    for (unsigned i = 0; i < vectors; i++) {
        msix_vector_use(pci, i);
    }
    while (engine && bytes < unit_of(function)->size) {
        bytes *= 2;
    }
    memory_region_init_io(mr, (Object *)pci, &window_ops, (void *)(uintptr_t)offset,
                          functions[function].type, bytes);
    pci_register_bar(pci, BAR_WINDOW, BAR_64BIT, mr);
    board.function[function] = pci;
    return true;
}

static void functions_remove(void)
{
    for (unsigned f = FUNCTION_ENGINE; f < FUNCTIONS; f++) {
        if (board.function[f]) {
            object_unparent((Object *)board.function[f]);
        }
    }
}

/* One function for each engine that the chip has, beside @pci. */
static bool functions_add(PCIDevice *pci, Error **errp)
{
    bool ok = true;

    making_functions = true;
    for (unsigned f = FUNCTION_ENGINE; ok && f < FUNCTIONS; f++) {
        if (unit_of(f)->size) {
            ok = pci_realize_and_unref(pci_new(function_devfn(pci) + (int)f, functions[f].type),
                                       qdev_get_parent_bus(pci), errp);
        }
    }
    making_functions = false;
    return ok;
}

static void main_realize(PCIDevice *pci, Error **errp)
{
    bool many = object_property_get_bool((Object *)pci, "multifunction", NULL);

    if (!place_check(pci, FUNCTION_MAIN, errp)) {
        return;
    }
    if (many && function_devfn(pci) % 8 != 0) {
        REFUSE(errp, "vtegra: it is function 0 of its slot; the DLAs' functions follow it");
        return;
    }
    if (!function_build(pci, FUNCTION_MAIN, many, errp)) {
        return;
    }
    if (many && !is_hotplugged(pci) && !functions_add(pci, errp)) {
        functions_remove();
        board.function[FUNCTION_MAIN] = NULL;
        msix_uninit_exclusive_bar(pci);
        return;
    }
    board.functions = 0;
    for (unsigned f = FUNCTION_ENGINE; many && f < FUNCTIONS; f++) {
        board.functions |= (unsigned)(board.function[f] != NULL) << f;
    }
    board_irq = device_irq;
}

static void main_exit(PCIDevice *pci)
{
    if (board.function[FUNCTION_MAIN] == pci) {
        board_reset();
        board.function[FUNCTION_MAIN] = NULL;
        board_irq = NULL;
    }
    msix_uninit_exclusive_bar(pci);
}

static void engine_realize(PCIDevice *pci, Error **errp)
{
    const char *type = object_get_typename((Object *)pci);

    for (unsigned f = FUNCTION_ENGINE; f < FUNCTIONS; f++) {
        if (strcmp(functions[f].type, type) == 0 && place_check(pci, f, errp)) {
            function_build(pci, f, true, errp);
        }
    }
}

/* What the engine still does is refused: it has no way to memory any more. */
static void engine_exit(PCIDevice *pci)
{
    for (unsigned f = FUNCTION_ENGINE; f < FUNCTIONS; f++) {
        if (board.function[f] == pci) {
            board.function[f] = NULL;
            board_lock();
            soc_dma_forget(board.soc);
            board_unlock();
        }
    }
    msix_uninit_exclusive_bar(pci);
}

/* --- types --- */

static size_t vendor_at;

/* Before the user's own properties are set: multifunction=off asks for one function for all. */
static void main_init(Object *object)
{
    object_property_set_bool(object, "multifunction", true, NULL);
}

static void device_class_init(ObjectClass *class, void *data)
{
    unsigned function = (unsigned)(uintptr_t)data;
    char *c = (char *)class + vendor_at;
    void (*realize)(PCIDevice *, Error **) = function == FUNCTION_MAIN ? main_realize : engine_realize;
    void (*leave)(PCIDevice *) = function == FUNCTION_MAIN ? main_exit : engine_exit;
    void (*write)(PCIDevice *, uint32_t, uint32_t, int) = config_write;
    const uint16_t id[] = { PCI_VENDOR, function == FUNCTION_MAIN ? PCI_MAIN : PCI_ENGINE }, class_id = PCI_CLASS;

    memcpy(c - 32, &realize, sizeof(realize));
    memcpy(c - 24, &leave, sizeof(leave));
    memcpy(c - 8, &write, sizeof(write));
    memcpy(c, id, sizeof(id));
    c[4] = 1;
    memcpy(c + 6, &class_id, sizeof(class_id));
}

bool device_register(void)
{
    static const struct interface_info interfaces[] = { { "pci-express-device" }, { NULL } };

    functions_name();
    vendor_at = calibrate_pci_class();
    if (vendor_at == 0) {
        return false;
    }
    for (uintptr_t f = 0; f < FUNCTIONS; f++) {
        const struct type_info type = {
            .name = functions[f].type,
            .parent = "pci-device",
            .instance_init = f == FUNCTION_MAIN ? main_init : NULL,
            .class_init = device_class_init,
            .class_data = (void *)f,
            .interfaces = interfaces,
        };

        type_register_static(&type);
    }
    return true;
}
