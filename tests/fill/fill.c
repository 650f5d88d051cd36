/* SPDX-License-Identifier: MIT */
/* FILL: writes a 32-bit pattern over a range of memory. Registers: fill.def. */
#include <glib.h>
#include <string.h>

#include "model/engine.h"
#include "model/regs/reg.h"

enum {
#define REG(r, offset, reset, rw) FILL_##r = (offset),
#define FIELD(r, f, lsb, width) FILL_##r##_##f##_LSB = (lsb), FILL_##r##_##f##_WIDTH = (width),
#include "tests/fill/fill.def"
#undef REG
#undef FIELD
    FILL_BYTES = 0x1c
};

static const struct {
    uint32_t reset, rw;
} regs[] = {
#define REG(r, offset, reset, rw) [(offset) / 4] = { reset, rw },
#define FIELD(r, f, lsb, width)
#include "tests/fill/fill.def"
#undef REG
#undef FIELD
};

#define R(name) reg[FILL_##name / 4]

enum { STORE_BYTES = 4096 }; /* of one operation: others go in between */

/* @next, @end: what is still to be written; equal: nothing. @start_ns: not before */
struct fill {
    struct engine_board board;
    uint32_t reg[G_N_ELEMENTS(regs)];
    uint64_t next, end, start_ns;
};

static void irq_update(struct fill *f)
{
    irq_set(f->board.irq, FIELD_GET(FILL_CTRL_IRQ_EN, f->R(CTRL)) && f->R(STATUS));
}

/* --- work ------------------------------------------------------------------------------------ */

static void start(struct fill *f)
{
    f->next = (uint64_t)f->R(DST_HI) << 32 | f->R(DST_LO);
    f->end = f->next + f->R(LEN); /* DST < 2^48 and LEN < 2^24: no overflow */
    f->start_ns = f->board.trace->now_ns + f->R(DELAY_NS);
}

static void finish(struct fill *f, enum bus_status status)
{
    f->next = f->end;
    f->R(STATUS) |= FIELD_MASK(FILL_STATUS_DONE);
    if (status != BUS_OK) {
        f->R(STATUS) |= FIELD_MASK(FILL_STATUS_FAULT);
    }
    f->board.counts_flush(f->board.opaque);
    irq_update(f);
}

static unsigned fill_ready(void *engine, struct engine_ready *out, bool *happened)
{
    struct fill *f = engine;

    (void)happened;
    *out = (struct engine_ready){ 0, 0 };
    return f->next != f->end && (!f->R(DELAY_NS) || f->board.trace->now_ns >= f->start_ns);
}

static void fill_run(void *engine, uint32_t queue)
{
    struct fill *f = engine;
    uint32_t pattern[STORE_BYTES / 4];
    size_t n = MIN(f->end - f->next, sizeof(pattern));
    enum bus_status status;

    for (size_t i = 0; i < n / 4; i++) {
        pattern[i] = f->R(PATTERN);
    }
    f->board.trace->channel = f->board.first_queue + queue + 1;
    f->board.trace->now_ns = MAX(f->board.trace->now_ns, f->start_ns);
    status = bus_port_write(f->board.memory, f->next, pattern, n);
    f->board.elapse(f->board.opaque, 0, 0);
    f->next += n;
    if (status != BUS_OK || f->next == f->end) {
        finish(f, status);
    }
    f->board.trace->channel = 0;
}

static uint64_t fill_next_ns(const void *engine)
{
    const struct fill *f = engine;

    return f->next != f->end ? f->start_ns : 0;
}

/* --- the device ------------------------------------------------------------------------------ */

static void fill_reset(void *engine)
{
    struct fill *f = engine;

    for (size_t i = 0; i < G_N_ELEMENTS(regs); i++) {
        f->reg[i] = regs[i].reset;
    }
    f->next = f->end = 0;
    irq_update(f);
}

static uint32_t fill_read(void *engine, uint64_t offset)
{
    const struct fill *f = engine;

    return f->reg[offset / 4];
}

static void fill_write(void *engine, uint64_t offset, uint32_t val)
{
    struct fill *f = engine;
    uint32_t rw = regs[offset / 4].rw, *reg = &f->reg[offset / 4];

    *reg = (*reg & ~rw) | (val & rw);
    if (offset == FILL_STATUS) {
        *reg &= ~val;
    }
    if (offset == FILL_CTRL && FIELD_GET(FILL_CTRL_START, val) && f->next == f->end && f->R(LEN)) {
        start(f);
    }
    irq_update(f);
}

static const struct mmio_ops mmio = {
    .name = "fill",
    .size = FILL_BYTES,
    .reset = fill_reset,
    .read = fill_read,
    .write = fill_write,
};

static void *fill_new(const struct engine_board *board)
{
    struct fill *f = g_new0(struct fill, 1);

    f->board = *board;
    fill_reset(f);
    return f;
}

static void fill_free(void *engine)
{
    g_free(engine);
}

const struct engine_ops fill_engine_ops = {
    .mmio = &mmio,
    .new = fill_new,
    .free = fill_free,
    .ready = fill_ready,
    .run = fill_run,
    .next_ns = fill_next_ns,
};
