/* SPDX-License-Identifier: MIT */
/* HIST: counts byte values. Registers: hist.def. */
#include <glib.h>
#include <string.h>

#include "model/engine.h"
#include "model/regs/reg.h"

enum {
#define REG(r, offset, rw) HIST_##r = (offset),
#define FIELD(r, f, lsb, width) HIST_##r##_##f##_LSB = (lsb), HIST_##r##_##f##_WIDTH = (width),
#include "tests/hist/hist.def"
#undef REG
#undef FIELD
    HIST_BYTES = 0x1c
};

static const uint32_t writable[] = {
#define REG(r, offset, rw) [(offset) / 4] = (rw),
#define FIELD(r, f, lsb, width)
#include "tests/hist/hist.def"
#undef REG
#undef FIELD
};

#define R(name) reg[HIST_##name / 4]

enum { PIECE_BYTES = 4096 };

/* @next, @left: what is still to be read; @src, @dst, @bytes: what START took */
struct hist {
    struct engine_board board;
    uint32_t reg[G_N_ELEMENTS(writable)], count[256];
    uint64_t src, dst, bytes, next, left, start_ns;
};

static bool busy(const struct hist *h)
{
    return FIELD_GET(HIST_STATUS_BUSY, h->R(STATUS));
}

/* --- work ------------------------------------------------------------------------------------ */

static void start(struct hist *h)
{
    h->src = h->next = (uint64_t)h->R(SRC_HI) << 32 | h->R(SRC_LO);
    h->dst = (uint64_t)h->R(DST_HI) << 32 | h->R(DST_LO);
    h->bytes = h->left = h->R(LEN);
    h->start_ns = h->board.trace->now_ns;
    memset(h->count, 0, sizeof(h->count));
    h->R(STATUS) = FIELD_MASK(HIST_STATUS_BUSY);
}

static void finish(struct hist *h, enum bus_status status)
{
    if (status == BUS_OK) {
        status = bus_port_write(h->board.memory, h->dst, h->count, sizeof(h->count));
    }
    h->R(STATUS) = status == BUS_OK ? FIELD_MASK(HIST_STATUS_DONE)
                                    : FIELD_MASK(HIST_STATUS_DONE) | FIELD_MASK(HIST_STATUS_FAULT);
    trace_emit(h->board.trace, TRACE_EVENT_HIST_DONE, h->board.agent, 0, h->src, h->bytes, h->dst,
               0);
    h->board.counts_flush(h->board.opaque);
    irq_set(h->board.irq, true);
}

static unsigned hist_ready(void *engine, struct engine_ready *out, bool *happened)
{
    (void)happened;
    *out = (struct engine_ready){ 0, 0 };
    return busy(engine);
}

/* A piece, so that other engines and the CPU come in between. */
static void hist_run(void *engine, uint32_t queue)
{
    struct hist *h = engine;
    uint8_t piece[PIECE_BYTES];
    size_t n = MIN(h->left, sizeof(piece));
    enum bus_status status;

    h->board.trace->channel = h->board.first_queue + queue + 1;
    h->board.trace->now_ns = MAX(h->board.trace->now_ns, h->start_ns);
    status = bus_port_read(h->board.memory, h->next, piece, n);
    for (size_t i = 0; status == BUS_OK && i < n; i++) {
        h->count[piece[i]]++;
    }
    *h->board.work += n;
    h->next += n;
    h->left -= n;
    if (status != BUS_OK || h->left == 0) {
        finish(h, status);
    }
    h->board.elapse(h->board.opaque, 0, 0);
    h->board.trace->channel = 0;
}

/* --- the device ------------------------------------------------------------------------------ */

static void hist_reset(void *engine)
{
    struct hist *h = engine;

    memset(h->reg, 0, sizeof(h->reg));
    irq_set(h->board.irq, false);
}

static uint32_t hist_read(void *engine, uint64_t offset)
{
    const struct hist *h = engine;

    return h->reg[offset / 4];
}

static void hist_write(void *engine, uint64_t offset, uint32_t val)
{
    struct hist *h = engine;

    h->reg[offset / 4] =
        (h->reg[offset / 4] & ~writable[offset / 4]) | (val & writable[offset / 4]);
    if (offset == HIST_STATUS && !busy(h)) {
        h->R(STATUS) &= ~val;
        irq_set(h->board.irq, h->R(STATUS) != 0);
    }
    if (offset == HIST_START && (val & 1) && !busy(h)) {
        start(h);
    }
}

static const struct mmio_ops mmio = {
    .name = "hist",
    .size = HIST_BYTES,
    .reset = hist_reset,
    .read = hist_read,
    .write = hist_write,
};

static void *hist_new(const struct engine_board *board)
{
    struct hist *h = g_new0(struct hist, 1);

    h->board = *board;
    hist_reset(h);
    return h;
}

const struct engine_ops hist_engine_ops = {
    .mmio = &mmio,
    .new = hist_new,
    .free = g_free,
    .ready = hist_ready,
    .run = hist_run,
};
