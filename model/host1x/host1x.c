/* SPDX-License-Identifier: MIT */
#include "model/host1x/host1x.h"

#include <glib.h>

#include "model/regs/regs.h"

struct host1x {
    struct trace *trace;
    struct irq *irq;
    unsigned count;
    struct syncpt {
        uint32_t value, threshold;
        bool enabled, pending;
        uint64_t *ns; /* of the increment to value v at v % HOST1X_REMEMBERED; NULL: none yet */
        uint32_t first; /* the oldest value that @ns knows */
    } * syncpt;
};

static void host1x_update_irq(struct host1x *h)
{
    bool level = false;

    for (unsigned i = 0; i < h->count && !level; i++) {
        level = h->syncpt[i].pending;
    }
    if (h->irq) {
        irq_set(h->irq, level);
    }
}

static void syncpt_check(struct host1x *h, unsigned id)
{
    struct syncpt *s = &h->syncpt[id];

    if (s->enabled && !s->pending && host1x_reached(h, id, s->threshold)) {
        s->pending = true;
        host1x_update_irq(h);
    }
}

unsigned host1x_count(const struct host1x *h)
{
    return h->count;
}

uint32_t host1x_value(const struct host1x *h, unsigned id)
{
    return id < h->count ? h->syncpt[id].value : 0;
}

bool host1x_reached(const struct host1x *h, unsigned id, uint32_t threshold)
{
    return id < h->count && (int32_t)(h->syncpt[id].value - threshold) >= 0;
}

static void time_remember(struct host1x *h, struct syncpt *s)
{
    if (!s->ns) {
        s->ns = g_new0(uint64_t, HOST1X_REMEMBERED);
        s->first = s->value;
    }
    s->ns[s->value % HOST1X_REMEMBERED] = h->trace->now_ns;
    if (s->value - s->first >= HOST1X_REMEMBERED) {
        s->first = s->value - HOST1X_REMEMBERED + 1;
    }
}

uint64_t host1x_reached_ns(const struct host1x *h, unsigned id, uint32_t threshold)
{
    const struct syncpt *s = id < h->count ? &h->syncpt[id] : NULL;

    if (!s || !s->ns || !host1x_reached(h, id, threshold)) {
        return 0;
    }
    if ((int32_t)(threshold - s->first) < 0) {
        threshold = s->first;
    }
    return s->ns[threshold % HOST1X_REMEMBERED];
}

void host1x_incr(struct host1x *h, unsigned id, enum bus_agent agent)
{
    if (id >= h->count) {
        return;
    }
    h->syncpt[id].value++;
    time_remember(h, &h->syncpt[id]);
    trace_emit(h->trace, TRACE_EVENT_SYNCPT_INCR, agent, 0, id, h->syncpt[id].value, 0, 0);
    syncpt_check(h, id);
}

/* Which array a register belongs to, and its word there. Return: false if none. */
static bool in_array(uint64_t offset, unsigned first, unsigned words, unsigned *word)
{
    if (offset < first || offset >= first + (uint64_t)words * 4) {
        return false;
    }
    *word = (unsigned)(offset - first) / 4;
    return true;
}

static unsigned bit_words(const struct host1x *h)
{
    return (h->count + 31) / 32;
}

static void host1x_reset(void *dev)
{
    struct host1x *h = dev;

    for (unsigned i = 0; i < h->count; i++) {
        g_free(h->syncpt[i].ns);
        h->syncpt[i] = (struct syncpt){ 0 };
    }
    host1x_update_irq(h);
}

static uint32_t bits_read(const struct host1x *h, unsigned word, bool pending)
{
    uint32_t bits = 0;

    for (unsigned i = 0; i < 32 && word * 32 + i < h->count; i++) {
        const struct syncpt *s = &h->syncpt[word * 32 + i];

        bits |= (uint32_t)(pending ? s->pending : s->enabled) << i;
    }
    return bits;
}

static uint32_t host1x_read(void *dev, uint64_t offset)
{
    struct host1x *h = dev;
    unsigned i;

    if (in_array(offset, HOST1X_SYNCPT, h->count, &i)) {
        uint64_t ns = host1x_reached_ns(h, i, h->syncpt[i].value);

        h->trace->now_ns = MAX(h->trace->now_ns, ns); /* who has seen it comes after it */
        return h->syncpt[i].value;
    }
    if (in_array(offset, HOST1X_SYNCPT_INT_THRESH, h->count, &i)) {
        return h->syncpt[i].threshold;
    }
    if (in_array(offset, HOST1X_SYNCPT_THRESH_CPU0_INT_STATUS, bit_words(h), &i)) {
        return bits_read(h, i, true);
    }
    if (in_array(offset, HOST1X_SYNCPT_THRESH_INT_ENABLE_CPU0, bit_words(h), &i)) {
        return bits_read(h, i, false);
    }
    trace_emit(h->trace, TRACE_EVENT_MMIO_UNKNOWN, BUS_AGENT_CPU, 0, offset, 0, 0, 0);
    return 0;
}

static void bits_write(struct host1x *h, uint64_t first, unsigned word, uint32_t val)
{
    for (unsigned i = 0; i < 32 && word * 32 + i < h->count; i++) {
        struct syncpt *s = &h->syncpt[word * 32 + i];

        if (!(val >> i & 1)) {
            continue;
        }
        if (first == HOST1X_SYNCPT_CPU_INCR) {
            host1x_incr(h, word * 32 + i, BUS_AGENT_CPU);
        } else if (first == HOST1X_SYNCPT_THRESH_CPU0_INT_STATUS) {
            s->pending = false;
            host1x_update_irq(h);
        } else {
            s->enabled = first == HOST1X_SYNCPT_THRESH_INT_ENABLE_CPU0;
            syncpt_check(h, word * 32 + i);
        }
    }
}

static void host1x_write(void *dev, uint64_t offset, uint32_t val)
{
    static const unsigned bits[] = { HOST1X_SYNCPT_CPU_INCR, HOST1X_SYNCPT_THRESH_CPU0_INT_STATUS,
                                     HOST1X_SYNCPT_THRESH_INT_ENABLE_CPU0,
                                     HOST1X_SYNCPT_THRESH_INT_DISABLE };
    struct host1x *h = dev;
    unsigned i;

    for (unsigned a = 0; a < G_N_ELEMENTS(bits); a++) {
        if (in_array(offset, bits[a], bit_words(h), &i)) {
            bits_write(h, bits[a], i, val);
            return;
        }
    }
    if (in_array(offset, HOST1X_SYNCPT, h->count, &i)) {
        h->syncpt[i].value = val;
        g_clear_pointer(&h->syncpt[i].ns, g_free); /* what it was is over */
        syncpt_check(h, i);
    } else if (in_array(offset, HOST1X_SYNCPT_INT_THRESH, h->count, &i)) {
        h->syncpt[i].threshold = val;
        syncpt_check(h, i);
    } else {
        trace_emit(h->trace, TRACE_EVENT_MMIO_UNKNOWN, BUS_AGENT_CPU, 0, offset, 1, val, 0);
    }
}

const struct mmio_ops host1x_ops = {
    .name = "host1x",
    .size = 0x10000,
    .reset = host1x_reset,
    .read = host1x_read,
    .write = host1x_write,
};

struct host1x *host1x_new(unsigned syncpts, struct trace *trace, struct irq *irq)
{
    struct host1x *h = g_new0(struct host1x, 1);

    h->trace = trace;
    h->irq = irq;
    h->count = syncpts;
    h->syncpt = g_new0(struct syncpt, syncpts);
    return h;
}

void host1x_free(struct host1x *h)
{
    if (h) {
        host1x_reset(h);
        g_free(h->syncpt);
        g_free(h);
    }
}
