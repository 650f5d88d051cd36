/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which PCI function is whose, and as what its DMA appears at the IOMMU. */
#include "qemu-plugin/board.h"

unsigned function_of_unit(enum unit_id unit)
{
    int engine = unit_engine(unit);
    unsigned own = engine >= 0 ? FUNCTION_ENGINE + (unsigned)engine : FUNCTION_MAIN;

    return own < FUNCTIONS && board.functions >> own & 1 ? own : FUNCTION_MAIN;
}

int function_devfn(PCIDevice *pci)
{
    return (int)object_property_get_int((Object *)pci, "addr", NULL);
}

uint32_t function_stream_id(unsigned function)
{
    PCIDevice *pci = function < FUNCTIONS ? board.function[function] : NULL;

    return pci ? (uint32_t)(pci_bus_num(qdev_get_parent_bus(pci)) << 8 | function_devfn(pci)) : 0;
}
