/* SPDX-License-Identifier: MIT */
/* The memory of a DLA through bus ports. */
#ifndef MODEL_DLA_DLA_BUS_H
#define MODEL_DLA_DLA_BUS_H

#include "model/bus.h"
#include "model/dla/dla.h"

/**
 * struct dla_bus - a port over the bus
 * @bus: by enum dla_ram: through the SMMU to DRAM, and to CVSRAM; NULL where there is no such
 * memory
 * @refused: the one whose fault is the last failure
 * @tick, @rest: as in struct dla_port_ops, may be NULL
 */
struct dla_bus {
    struct dla_port port;
    struct bus_port *bus[2], *refused;
    enum dla_status (*tick)(struct dla_bus *b, uint64_t work);
    enum dla_status (*rest)(struct dla_bus *b, uint64_t work);
    void *opaque;
};

void dla_bus_init(struct dla_bus *b, struct bus_port *dram, struct bus_port *cvsram);

#endif
