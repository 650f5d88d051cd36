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

/* Units of work of a line beside its bytes. */
#define LINE_WORK 64u

/* The next bytes of the line: a copy's, up to a chunk's end. */
static enum bus_status copy_piece(struct bus_port *port, struct copy *c, size_t *n)
{
    uint64_t src = c->in + (uint64_t)c->line * c->pitch_in + c->done;
    uint64_t dst = c->out + (uint64_t)c->line * c->pitch_out + c->done;
    uint8_t chunk[CE_CHUNK];
    enum bus_status status;

    *n = MIN(c->len - c->done, CE_CHUNK - dst % CE_CHUNK);
    status = bus_port_read(port, src, chunk, *n);
    return status == BUS_OK ? bus_port_write(port, dst, chunk, *n) : status;
}

/* Each piece of a line but the last is a whole chunk, so it begins with a whole element. */
static enum bus_status fill_piece(struct bus_port *port, struct copy *c, size_t *n)
{
    uint8_t chunk[CE_CHUNK];

    *n = MIN(c->len - c->done, CE_CHUNK);
    memcpy(chunk, &c->pattern, c->element);
    for (size_t have = c->element; have < *n; have *= 2) {
        memcpy(chunk + have, chunk, MIN(have, *n - have));
    }
    return bus_port_write(port, c->out + (uint64_t)c->line * c->pitch_out + c->done, chunk, *n);
}

/* Only pattern fills (DST_X = CONST_A) of 1, 2 or 4 byte elements. */
static bool remap_size(uint32_t components, unsigned *size)
{
    *size = (components >> 16 & 3) + 1;
    return (components & 7) == CE_REMAP_DST_X_CONST_A && *size != 3;
}

/* As long as its bytes take at the engine's own rate, also where the L2 has them all. */
static uint64_t ce_cycles(const struct soc_profile *p, uint64_t bytes)
{
    uint64_t bytes_a_ms = MAX((uint64_t)p->memory.bandwidth_mb_s * p->timing.copy_permille, 1);

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

void ce_run(struct channel *ch)
{
    const struct igpu_board *b = &ch->igpu->board;
    struct copy *c = &ch->copy;
    uint64_t bytes = 0;
    size_t n;

    b->port->agent = b->agents.ce;
    while (c->line < c->lines && *b->work < ch->slice_end) {
        if (c->done < c->len) {
            enum bus_status status =
                c->element ? fill_piece(b->port, c, &n) : copy_piece(b->port, c, &n);

            if (status != BUS_OK) {
                channel_fail_port(ch, status); /* it is dead, with the reason */
                return;
            }
            c->done += n;
            bytes += n;
            *b->work += n;
        }
        if (c->done == c->len) {
            c->line++;
            c->done = 0;
            *b->work += LINE_WORK;
        }
    }
    c->running = c->line < c->lines;
    b->elapse(b->opaque, ce_cycles(b->profile, bytes), 0);
    if (!c->running) {
        *c->free_ns = b->trace->now_ns;
    }
}

static bool ce_launch(struct channel *ch, uint32_t launch)
{
    const struct igpu_board *b = &ch->igpu->board;
    bool fill = launch & CE_LAUNCH_REMAP;
    unsigned size = 1;
    struct copy *c = &ch->copy;
    uint64_t bytes;

    if (!(launch & CE_LAUNCH_SRC_PITCH) || !(launch & CE_LAUNCH_DST_PITCH) ||
        (fill && !remap_size(REG(ch, CE_SET_REMAP_COMPONENTS), &size))) {
        return false; /* block-linear layouts and component shuffles do not exist here */
    }
    *c = (struct copy){ .running = true,
                        .in = ce_va(ch, CE_OFFSET_IN_UPPER),
                        .out = ce_va(ch, CE_OFFSET_OUT_UPPER),
                        .len = (uint64_t)REG(ch, CE_LINE_LENGTH_IN) * size,
                        .pitch_in = REG(ch, CE_PITCH_IN),
                        .pitch_out = REG(ch, CE_PITCH_OUT),
                        .lines = launch & CE_LAUNCH_MULTI_LINE ? REG(ch, CE_LINE_COUNT) : 1,
                        .element = fill ? size : 0,
                        .pattern = REG(ch, CE_SET_REMAP_CONST_A),
                        .free_ns = ce_next(ch->igpu) };
    channel_begins(ch, QUEUE_CE, *c->free_ns, b->profile->timing.copy_ns);
    channel_queue(ch, QUEUE_CE, b->agents.ce, *c->free_ns);
    bytes = c->lines * c->len;
    trace_emit(b->trace, fill ? TRACE_EVENT_FILL : TRACE_EVENT_COPY, b->agents.ce, 0, ch->number,
               fill ? c->out : c->in, fill ? bytes : c->out, fill ? c->pattern : bytes);
    ce_run(ch);
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
