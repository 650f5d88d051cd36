/* SPDX-License-Identifier: MIT */
/* SUMS: adds words, in several queues. Registers: sums.def. */
#include <glib.h>
#include <string.h>

#include "model/engine.h"

enum {
#define REG(r, offset) SUMS_##r = (offset),
#include "tests/sums/sums.def"
#undef REG
    QUEUES = 4,
    QUEUE_BYTES = 0x20,
    REGS = QUEUE_BYTES / 4,
    PIECE_WORDS = 1024
};

enum { DONE = 1, FAULT = 2 };

/* @order: of its start among all; 0: no job */
struct queue {
    uint32_t reg[REGS], sum;
    uint64_t next, left, order, start_ns;
};

struct sums {
    struct engine_board board;
    struct queue queue[QUEUES];
    uint64_t started;
};

static void irq_update(struct sums *s)
{
    bool level = false;

    for (unsigned i = 0; i < QUEUES; i++) {
        level |= s->queue[i].reg[SUMS_STATUS / 4] != 0;
    }
    irq_set(s->board.irq, level);
}

/* --- work ------------------------------------------------------------------------------------ */

static void start(struct sums *s, struct queue *q)
{
    q->next = q->reg[SUMS_SRC / 4];
    q->left = q->reg[SUMS_WORDS / 4];
    q->sum = 0;
    q->order = ++s->started;
    q->start_ns = s->board.trace->now_ns;
}

static void finish(struct sums *s, struct queue *q, enum bus_status status)
{
    if (status == BUS_OK) {
        status = bus_port_write(s->board.memory, q->reg[SUMS_DST / 4], &q->sum, sizeof(q->sum));
    }
    q->reg[SUMS_STATUS / 4] = status == BUS_OK ? DONE : DONE | FAULT;
    q->order = 0;
    s->board.counts_flush(s->board.opaque);
    irq_update(s);
}

static unsigned sums_ready(void *engine, struct engine_ready *out, bool *happened)
{
    const struct sums *s = engine;
    unsigned n = 0;

    (void)happened;
    for (unsigned i = 0; i < QUEUES; i++) {
        if (s->queue[i].order) {
            out[n++] = (struct engine_ready){ i, s->queue[i].order };
        }
    }
    return n;
}

static void sums_run(void *engine, uint32_t queue)
{
    struct sums *s = engine;
    struct queue *q = &s->queue[queue];
    uint32_t piece[PIECE_WORDS];
    size_t n = MIN(q->left, PIECE_WORDS);
    enum bus_status status;

    s->board.trace->channel = s->board.first_queue + queue + 1;
    s->board.trace->now_ns = MAX(s->board.trace->now_ns, q->start_ns);
    status = bus_port_read(s->board.memory, q->next, piece, n * sizeof(*piece));
    for (size_t i = 0; status == BUS_OK && i < n; i++) {
        q->sum += piece[i];
    }
    *s->board.work += n;
    q->next += n * sizeof(*piece);
    q->left -= n;
    if (status != BUS_OK || q->left == 0) {
        finish(s, q, status);
    }
    s->board.elapse(s->board.opaque, 0, 0);
    s->board.trace->channel = 0;
}

/* --- the device ------------------------------------------------------------------------------ */

static void sums_reset(void *engine)
{
    struct sums *s = engine;

    memset(s->queue, 0, sizeof(s->queue));
    irq_update(s);
}

static uint32_t sums_read(void *engine, uint64_t offset)
{
    const struct sums *s = engine;

    return s->queue[offset / QUEUE_BYTES].reg[offset % QUEUE_BYTES / 4];
}

static void sums_write(void *engine, uint64_t offset, uint32_t val)
{
    struct sums *s = engine;
    struct queue *q = &s->queue[offset / QUEUE_BYTES];

    switch (offset % QUEUE_BYTES) {
    case SUMS_STATUS:
        q->reg[SUMS_STATUS / 4] &= ~val;
        break;
    case SUMS_START:
        if (!q->order) {
            start(s, q);
        }
        break;
    case SUMS_SRC:
    case SUMS_WORDS:
    case SUMS_DST:
        q->reg[offset % QUEUE_BYTES / 4] = q->order ? q->reg[offset % QUEUE_BYTES / 4] : val;
        break;
    default:
        break;
    }
    irq_update(s);
}

static const struct mmio_ops mmio = {
    .name = "sums",
    .size = QUEUES * QUEUE_BYTES,
    .reset = sums_reset,
    .read = sums_read,
    .write = sums_write,
};

static void *sums_new(const struct engine_board *board)
{
    struct sums *s = g_new0(struct sums, 1);

    s->board = *board;
    sums_reset(s);
    return s;
}

const struct engine_ops sums_engine_ops = {
    .mmio = &mmio,
    .new = sums_new,
    .free = g_free,
    .ready = sums_ready,
    .run = sums_run,
};
