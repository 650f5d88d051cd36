/* SPDX-License-Identifier: MIT */
#include "model/dla/dla_bus.h"

static enum dla_status dla_bus_answer(struct dla_bus *b, enum dla_ram ram, enum bus_status status)
{
    b->refused = status == BUS_OK ? b->refused : b->bus[ram];
    return status == BUS_OK ? DLA_OK : DLA_FAULT;
}

static enum dla_status dla_bus_read(struct dla_port *port, enum dla_ram ram, uint64_t iova,
                                    void *dst, size_t len)
{
    struct dla_bus *b = (struct dla_bus *)port;

    return dla_bus_answer(b, ram,
                          b->bus[ram] ? bus_port_read(b->bus[ram], iova, dst, len) : BUS_DECERR);
}

static enum dla_status dla_bus_write(struct dla_port *port, enum dla_ram ram, uint64_t iova,
                                     const void *src, size_t len)
{
    struct dla_bus *b = (struct dla_bus *)port;

    return dla_bus_answer(b, ram,
                          b->bus[ram] ? bus_port_write(b->bus[ram], iova, src, len) : BUS_DECERR);
}

static enum dla_status dla_bus_tick(struct dla_port *port, uint64_t work)
{
    struct dla_bus *b = (struct dla_bus *)port;

    return b->tick ? b->tick(b, work) : DLA_OK;
}

static enum dla_status dla_bus_rest(struct dla_port *port, uint64_t work)
{
    struct dla_bus *b = (struct dla_bus *)port;

    return b->rest ? b->rest(b, work) : DLA_OK;
}

static const struct dla_port_ops dla_bus_ops = {
    .read = dla_bus_read, .write = dla_bus_write, .tick = dla_bus_tick, .rest = dla_bus_rest
};

void dla_bus_init(struct dla_bus *b, struct bus_port *dram, struct bus_port *cvsram)
{
    *b = (struct dla_bus){ .port = { .ops = &dla_bus_ops }, .bus = { dram, cvsram } };
}
