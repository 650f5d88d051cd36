/* SPDX-License-Identifier: MIT */
/* How the SoC holds a DLA: its memory through bus ports, its registers as a device. */
#ifndef MODEL_DLA_DLA_BUS_H
#define MODEL_DLA_DLA_BUS_H

#include "model/bus.h"
#include "model/dla/regs.h"

/**
 * struct dla_bus - a port over the bus
 * @bus: by enum dla_ram: through the SMMU to DRAM, and to CVSRAM; NULL where there is no such
 * memory
 * @tick: as in struct dla_port_ops, may be NULL
 */
struct dla_bus {
    struct dla_port port;
    struct bus_port *bus[2];
    enum dla_status (*tick)(struct dla_bus *b, uint64_t work);
    void *opaque;
};

void dla_bus_init(struct dla_bus *b, struct bus_port *dram, struct bus_port *cvsram);

/* The register file as a device; @dev is a struct dla_regs. */
extern const struct mmio_ops dla_mmio_ops;

#endif
