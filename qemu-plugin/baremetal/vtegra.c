/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finding the device: fixed addresses with platform=on, else the PCI function behind the bridge of
 * -M virt; with ivshmem=FILE that function is QEMU's ivshmem-plain. */
#include "qemu-plugin/baremetal/vtegra.h"

#define PLATFORM_LOW 0x0f000000u
#define PLATFORM_IGPU 0x0b000000u
#define PLATFORM_HIGH 0x4020000000u
#define WINDOW_IGPU 0x1000000u
#define ECAM 0x4010000000u
#define PCI_WINDOW 0x10000000u
#define PCI_MSIX 0x14000000u
#define PCI_ENGINE(function) (0x14100000u + ((function)-1) * 0x100000u) /* below: its MSI-X */
#define PCI_FUNCTIONS 8u
#define PCI_END PCI_ENGINE(PCI_FUNCTIONS)
#define PCI_ID 0x7e571234u
#define PCI_ID_ENGINE 0x7e581234u
#define PCI_ID_IVSHMEM 0x11101af4u

static uintptr_t low, bridge, units[UNIT_COUNT];
static uint32_t unit_bytes[UNIT_COUNT];
static uint32_t stream;
static bool pci, ivshmem;

/* An engine's function: registers and interrupts out of the way, bus master on. */
static void engine_function_try(uint32_t id, uint32_t function)
{
    uintptr_t config = ECAM + ((uintptr_t)id << 12);

    if (load32((void *)config) == PCI_ID_ENGINE) {
        store32((void *)(config + 0x10), PCI_ENGINE(function));
        store32((void *)(config + 0x14), 0);
        store32((void *)(config + 0x20), PCI_ENGINE(function) + 0x80000);
        store32((void *)(config + 4), 6);
    }
}

/* Its BAR 2, 64 bits, is the window; BAR 0 has registers of its own. */
static void ivshmem_open(uintptr_t config)
{
    store32((void *)(config + 0x10), PCI_MSIX);
    store32((void *)(config + 0x18), PCI_WINDOW);
    store32((void *)(config + 0x1c), 0);
    store32((void *)(config + 4), 2); /* memory */
    low = PCI_WINDOW;
    ivshmem = true;
}

static bool function_try(uint32_t id)
{
    uintptr_t config = ECAM + ((uintptr_t)id << 12);

    if (load32((void *)config) == PCI_ID_IVSHMEM) {
        ivshmem_open(config);
        return true;
    }
    if (load32((void *)config) != PCI_ID) {
        return false;
    }
    store32((void *)(config + 0x10), PCI_WINDOW); /* BAR 0, 64 bits */
    store32((void *)(config + 0x14), 0);
    store32((void *)(config + 0x20), PCI_MSIX); /* BAR 4 */
    store32((void *)(config + 4), 6);           /* memory, bus master */
    stream = id;
    low = PCI_WINDOW;
    for (uint32_t f = 1; f < PCI_FUNCTIONS; f++) {
        engine_function_try(id + f, f);
    }
    return true;
}

/* Bus 1 and the device's addresses are behind this bridge (PCI-to-PCI Bridge 1.2, 3.2). */
static void bridge_open(uintptr_t config)
{
    store32((void *)(config + 0x18), 0x00010100);
    store32((void *)(config + 0x20), ((PCI_END - 1) & 0xfff00000) | PCI_WINDOW >> 16);
    store32((void *)(config + 4), 6);
    bridge = config;
}

/* On bus 0, or behind the first root port there. */
static bool pci_find(void)
{
    for (uint32_t device = 0; device < 32; device++) {
        uintptr_t config = ECAM + ((uintptr_t)device << 15);

        if (function_try(device << 3)) {
            return true;
        }
        if (load32((void *)config) != UINT32_MAX && load32((void *)(config + 8)) >> 16 == 0x0604) {
            bridge_open(config);
            return function_try(1 << 8); /* all of this device's slot */
        }
    }
    return false;
}

uintptr_t vtegra_bridge(void)
{
    return bridge;
}

/* Nothing behind an address is a fault on Arm; the PCI bus says all ones, and the program asks it
 * first. */
bool vtegra_there(void)
{
    pci = pci || pci_find();
    return pci;
}

void vtegra_open(void)
{
    pci = pci || pci_find();
    if (!pci) {
        low = PLATFORM_LOW;
    }
    if (control_get(CONTROL_ID) != CONTROL_MAGIC) {
        print("no vtegra: start QEMU with -plugin vtegra-qemu.so,platform=on, or with -device "
              "vtegra (or, without QEMU's internals, with ivshmem=: qemu-plugin/README.md)\n");
        bare_exit(3);
    }
    for (uint32_t i = 0; i < control_get(CONTROL_UNITS); i++) {
        uint32_t row = CONTROL_UNIT + i * CONTROL_UNIT_BYTES, id = control_get(row);
        uint32_t offset = control_get(row + 4);

        if (id < UNIT_COUNT) {
            unit_bytes[id] = control_get(row + 8);
            units[id] = pci || offset < WINDOW_IGPU ? low + offset
                        : offset < 2 * WINDOW_IGPU  ? PLATFORM_IGPU + (offset - WINDOW_IGPU)
                                                    : PLATFORM_HIGH + offset;
        }
    }
}

bool vtegra_is_pci(void)
{
    return pci && !ivshmem;
}

uint32_t vtegra_function(unsigned unit)
{
    control_set(CONTROL_UNIT_SELECT, unit);
    return control_get(CONTROL_UNIT_FUNCTION);
}

uint32_t vtegra_stream_id(unsigned unit)
{
    if (!vtegra_is_pci()) {
        print(
            "this program needs an IOMMU before the engines (-M virt,iommu=smmuv3 -device vtegra), "
            "and with %s there is none\n",
            ivshmem ? "ivshmem=" : "platform=on");
        bare_exit(2);
    }
    return stream + vtegra_function(unit);
}

void vtegra_bus_master(unsigned unit, bool on)
{
    barrier();
    store32((void *)(ECAM + ((uintptr_t)vtegra_stream_id(unit) << 12) + 4), on ? 6 : 2);
}

uintptr_t vtegra_unit(unsigned unit)
{
    return unit < UNIT_COUNT ? units[unit] : 0;
}

uint32_t vtegra_unit_bytes(unsigned unit)
{
    return unit < UNIT_COUNT ? unit_bytes[unit] : 0;
}

void vtegra_forget(void)
{
    pci = false;
}

uint32_t control_get(uint32_t reg)
{
    return load32((void *)(low + reg));
}

void control_set(uint32_t reg, uint32_t value)
{
    barrier();
    store32((void *)(low + reg), value);
}

bool io_coherent(void)
{
    return control_get(CONTROL_FEATURES) & 1;
}

uint32_t track_try(uint64_t bus, size_t count)
{
    control_set(CONTROL_TRACK_LO, (uint32_t)bus);
    control_set(CONTROL_TRACK_HI, (uint32_t)(bus >> 32));
    control_set(CONTROL_TRACK_PAGES, (uint32_t)count);
    control_set(CONTROL_TRACK_CTRL, TRACK_ADD);
    return control_get(CONTROL_TRACK_STATUS);
}

void track(void *pages, size_t count)
{
    uint32_t status = track_try((uintptr_t)pages, count);

    if (status == TRACK_OFF) {
        print("this program needs the CPU's caches, and this board does not see them (cpu=off, or "
              "ivshmem= with a QEMU before 9.0)\n");
        bare_exit(2);
    }
    if (status != TRACK_OK) {
        print("track: refused with status %u\n", status);
        bare_exit(3);
    }
}

static void line_select(const void *p)
{
    control_set(CONTROL_LINE_LO, (uint32_t)(uintptr_t)p);
    control_set(CONTROL_LINE_HI, (uint32_t)((uintptr_t)p >> 32));
}

uint32_t line_state(const void *p)
{
    line_select(p);
    return control_get(CONTROL_LINE_STATE);
}

void line_evict(const void *p)
{
    line_select(p);
    control_set(CONTROL_LINE_EVICT, 1);
}
