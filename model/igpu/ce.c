/* SPDX-License-Identifier: MIT */
/* Copy engine: lines of bytes from one address to another, and fills. Class C0B5, pitch layout. */
#include <string.h>

#include "model/igpu/channel.h"

#define CE_CHUNK 4096u
#define REG(ch, method) ((ch)->ce[(method) / 4])

static uint64_t ce_va(const struct channel *ch, unsigned upper)
{
    return (uint64_t)REG(ch, upper) << 32 | REG(ch, upper + 4);
}

static bool copy_line(struct channel *ch, uint64_t src, uint64_t dst, uint64_t len)
{
    struct bus_port *port = ch->igpu->board.port;
    uint8_t chunk[CE_CHUNK];

    while (len > 0) {
        size_t n = MIN(len, CE_CHUNK - dst % CE_CHUNK);
        enum bus_status status = bus_port_read(port, src, chunk, n);

        if (status == BUS_OK) {
            status = bus_port_write(port, dst, chunk, n);
        }
        if (status != BUS_OK) {
            channel_fail_port(ch, status);
            return false;
        }
        src += n;
        dst += n;
        len -= n;
    }
    return true;
}

static bool fill_line(struct channel *ch, uint64_t dst, uint64_t elements, unsigned size)
{
    struct bus_port *port = ch->igpu->board.port;
    uint32_t pattern = REG(ch, CE_SET_REMAP_CONST_A);
    uint8_t chunk[CE_CHUNK];
    uint64_t len = elements * size;

    for (unsigned i = 0; i < CE_CHUNK; i += size) {
        memcpy(chunk + i, &pattern, size);
    }
    while (len > 0) {
        /* The chunk holds the pattern from its start; a dst that is not a multiple keeps the phase. */
        size_t n = MIN(len, CE_CHUNK);
        enum bus_status status = bus_port_write(port, dst, chunk, n);

        if (status != BUS_OK) {
            channel_fail_port(ch, status);
            return false;
        }
        dst += n;
        len -= n;
    }
    return true;
}

/* Only pattern fills (DST_X = CONST_A) of 1, 2 or 4 byte elements. */
static bool remap_size(uint32_t components, unsigned *size)
{
    *size = (components >> 16 & 3) + 1;
    return (components & 7) == CE_REMAP_DST_X_CONST_A && *size != 3;
}

/* As long as its bytes take at the DRAM's nominal bandwidth, also where the L2 has them all (inferred). */
static uint64_t ce_cycles(const struct soc_profile *p, uint64_t bytes)
{
    uint64_t bytes_a_ms = (uint64_t)p->memory.bandwidth_mb_s * 1000;

    return (bytes * p->gpu.clock_khz + bytes_a_ms - 1) / bytes_a_ms;
}

/* The copy engine that is free first: a channel's copies go to whichever it is (inferred). */
static uint64_t *ce_next(struct igpu *g)
{
    unsigned n = CLAMP(g->board.profile->gpu.copy_engines, 1, CE_MAX), best = 0;

    for (unsigned i = 1; i < n; i++) {
        best = g->ce_free_ns[i] < g->ce_free_ns[best] ? i : best;
    }
    return &g->ce_free_ns[best];
}

static bool ce_launch(struct channel *ch, uint32_t launch)
{
    const struct igpu_board *b = &ch->igpu->board;
    uint64_t src = ce_va(ch, CE_OFFSET_IN_UPPER), dst = ce_va(ch, CE_OFFSET_OUT_UPPER);
    uint32_t lines = launch & CE_LAUNCH_MULTI_LINE ? REG(ch, CE_LINE_COUNT) : 1;
    uint32_t len = REG(ch, CE_LINE_LENGTH_IN);
    unsigned size = 1;
    bool remap = launch & CE_LAUNCH_REMAP;
    uint64_t bytes, *free_ns;

    if (!(launch & CE_LAUNCH_SRC_PITCH) || !(launch & CE_LAUNCH_DST_PITCH) ||
        (remap && !remap_size(REG(ch, CE_SET_REMAP_COMPONENTS), &size))) {
        return false; /* block-linear layouts and component shuffles do not exist here */
    }
    free_ns = ce_next(ch->igpu);
    b->trace->now_ns = MAX(b->trace->now_ns, *free_ns);
    b->port->agent = BUS_AGENT_CE;
    bytes = (uint64_t)lines * len * size;
    trace_emit(b->trace, remap ? TRACE_EVENT_FILL : TRACE_EVENT_COPY, BUS_AGENT_CE, 0, ch->number,
               remap ? dst : src, remap ? bytes : dst, remap ? REG(ch, CE_SET_REMAP_CONST_A) : bytes);
    for (uint32_t i = 0; i < lines; i++) {
        uint64_t from = src + (uint64_t)i * REG(ch, CE_PITCH_IN);
        uint64_t to = dst + (uint64_t)i * REG(ch, CE_PITCH_OUT);

        if (!(remap ? fill_line(ch, to, len, size) : copy_line(ch, from, to, len))) {
            return true; /* the channel is dead, with the reason */
        }
    }
    b->elapse(b->opaque, ce_cycles(b->profile, bytes));
    *free_ns = b->trace->now_ns;
    return true;
}

bool ce_method(struct channel *ch, uint32_t method, uint32_t data)
{
    switch (method) {
    case CE_OFFSET_IN_UPPER:
    case CE_OFFSET_IN_LOWER:
    case CE_OFFSET_OUT_UPPER:
    case CE_OFFSET_OUT_LOWER:
    case CE_PITCH_IN:
    case CE_PITCH_OUT:
    case CE_LINE_LENGTH_IN:
    case CE_LINE_COUNT:
    case CE_SET_REMAP_CONST_A:
    case CE_SET_REMAP_CONST_B:
    case CE_SET_REMAP_COMPONENTS:
        REG(ch, method) = data;
        return true;
    case CE_LAUNCH_DMA:
        return ce_launch(ch, data);
    default:
        return false;
    }
}
