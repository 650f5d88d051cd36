/* SPDX-License-Identifier: MIT */
#include "model/bus.h"

#include <string.h>

static unsigned sectors_of(unsigned first, unsigned len)
{
    unsigned a = first / BUS_SECTOR, b = (first + len - 1) / BUS_SECTOR;

    return ((2u << b) - 1) & ~((1u << a) - 1);
}

enum bus_status bus_port_read(struct bus_port *port, uint64_t va, void *dst, size_t len)
{
    uint8_t *out = dst;

    while (len > 0) {
        unsigned first = va % BUS_LINE;
        unsigned n = (unsigned)(len < BUS_LINE - first ? len : BUS_LINE - first);
        size_t run = port->ops->read ? port->ops->read(port, va, out, len) : 0;
        const uint8_t *line;
        enum bus_status status;

        if (run > 0) {
            out += run;
            va += run;
            len -= run;
            continue;
        }
        if (port->observed) {
            port->bytes = bus_mask_range(first, n);
        }
        status = port->ops->load(port, va - first, sectors_of(first, n), BUS_HOW_PAST, &line);
        if (status != BUS_OK) {
            return status;
        }
        if (n == BUS_SECTOR) { /* a row of a small tile: no call */
            memcpy(out, line + first, BUS_SECTOR);
        } else {
            memcpy(out, line + first, n);
        }
        out += n;
        va += n;
        len -= n;
    }
    return BUS_OK;
}

enum bus_status bus_port_write(struct bus_port *port, uint64_t va, const void *src, size_t len)
{
    const uint8_t *in = src;

    while (len > 0) {
        unsigned first = va % BUS_LINE;
        unsigned n = (unsigned)(len < BUS_LINE - first ? len : BUS_LINE - first);
        size_t run = port->ops->write ? port->ops->write(port, va, in, len) : 0;
        struct bus_mask mask = bus_mask_range(first, n);
        uint8_t line[BUS_LINE];
        enum bus_status status;

        if (run > 0) {
            in += run;
            va += run;
            len -= run;
            continue;
        }
        memcpy(line + first, in, n);
        status = port->ops->store(port, va - first, line, &mask, BUS_SCOPE_NONE);
        if (status != BUS_OK) {
            return status;
        }
        in += n;
        va += n;
        len -= n;
    }
    return BUS_OK;
}
