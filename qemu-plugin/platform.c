/* SPDX-License-Identifier: GPL-2.0-or-later */
/* platform=on: the window at fixed addresses of -M virt, interrupts straight to the GIC. For bare
 * metal. */
#include <inttypes.h>
#include <stdio.h>

#include "qemu-plugin/board.h"

enum { SPI_FIRST = 176 }; /* virt uses 0..79 and 112..175 */

static qemu_irq spi[UNIT_COUNT];

static void platform_irq(unsigned unit, bool level)
{
    if (spi[unit]) {
        qemu_set_irq(spi[unit], level);
    }
}

static bool platform_unit_map(uint64_t address, uint64_t offset, uint64_t bytes)
{
    MemoryRegion *mr = g_malloc0(ABI_MEMORY_REGION_BYTES);

    for (uint64_t at = 0; at < bytes; at += WINDOW_UNITS) {
        if (memory_region_present(get_system_memory(), address + at)) {
            fprintf(stderr,
                    "vtegra: platform=on needs 0x%" PRIx64 "..0x%" PRIx64
                    ", and this machine has something at "
                    "0x%" PRIx64 "; use -M virt without secure=on, or -device vtegra\n",
                    address, address + bytes - 1, address + at);
            return false;
        }
    }
    memory_region_init_io(mr, NULL, &window_ops, (void *)(uintptr_t)offset, "vtegra", bytes);
    memory_region_add_subregion_overlap(get_system_memory(), address, mr, 0);
    return true;
}

bool platform_map(void)
{
    static const char *const gic[] = { "arm-gicv3-common", "arm_gic_common" };
    Object *o = NULL;

    /* Two holes below RAM, and one behind the PCI configuration space for the rest. */
    if (!platform_unit_map(0x0f000000, 0, WINDOW_IGPU) ||
        !platform_unit_map(0x0b000000, WINDOW_IGPU, WINDOW_BIG) ||
        !platform_unit_map(UINT64_C(0x4022000000), WINDOW_IGPU + WINDOW_BIG,
                           WINDOW_BYTES - WINDOW_IGPU - WINDOW_BIG)) {
        return false;
    }
    for (unsigned i = 0; i < 2 && !o; i++) {
        o = object_resolve_path_type("", gic[i], NULL);
    }
    for (unsigned u = 0; o && u < UNIT_COUNT; u++) {
        spi[u] = qdev_get_gpio_in((DeviceState *)o, (int)(SPI_FIRST + u));
    }
    board.platform = true;
    board_irq = platform_irq;
    return true;
}
