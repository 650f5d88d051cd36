/* SPDX-License-Identifier: MIT */
/* Records that need not be sent, because who gets them has said so: the same-epoch rule of
 * FastTrack (Flanagan, Freund: "FastTrack: efficient and precise dynamic race detection", PLDI
 * 2009, 3.1) for lines of the L2.
 */
#include <glib.h>
#include <string.h>

#include "model/values.h"
#include "trace/record.h"

#define LINE 128u
#define NEWEST_LINES 4096u /* lines that engines come back to */

/**
 * struct trace_newest - the access that was sent last of a line, unless other records of the line
 * came since
 * @generation: 0: nothing is here; @bytes: whose access again changes nothing; none: not asked yet
 * @plain: of an atomic, as below
 */
struct newest {
    uint64_t line, place, bytes[2];
    uint32_t generation, channel, plain;
    uint16_t event, agent, scope;
};

/* @plain: grows with each plain access that is sent: it may begin a new epoch after an atomic;
 * @kept: the last generation that a line was kept in */
struct trace_newest {
    struct newest line[NEWEST_LINES];
    uint32_t generation, plain, kept;
};

static struct newest *newest_at(const struct trace *t, uint64_t pa)
{
    uint64_t n = pa / LINE;

    return &t->newest->line[(n ^ n / NEWEST_LINES) % NEWEST_LINES];
}

/* --- life --- */

void trace_spare_set(struct trace *t, const struct trace_spare *spare)
{
    t->spare = spare;
    t->generation++;
    t->sent = false;
    g_clear_pointer(&t->newest, g_free);
    if (spare && spare->access) {
        t->newest = g_new0(struct trace_newest, 1);
        t->newest->generation = 1;
        t->news = *spare->news;
    }
}

void trace_spare_end(struct trace *t)
{
    if (t->newest) {
        t->generation++;
        t->newest->generation++;
    }
}

void trace_spare_begin(struct trace *t)
{
    if (t->spare) {
        t->spare->begin(t->opaque);
        t->sent = true;
        if (t->newest && t->news != *t->spare->news) {
            t->news = *t->spare->news;
            trace_spare_end(t);
        }
    }
}

void trace_spare_rest(struct trace *t)
{
    if (t->sent && t->spare) {
        t->spare->rest(t->opaque, t->spared_ns);
    }
    t->sent = false;
    t->spared_ns = 0;
}

/* --- records --- */

static void line_drop(struct trace *t, uint64_t pa)
{
    struct newest *l = newest_at(t, pa);

    l->generation = l->line == pa / LINE ? 0 : l->generation;
}

/* What orders accesses, or may: atomics, accesses with a scope, any of the CPU's (a plain one may
 * be a flag). */
static bool spare_orders(const struct trace_record *r)
{
    return r->event == TRACE_EVENT_GPU_ATOMIC || r->agent == BUS_AGENT_CPU || r->arg[3] != 0;
}

void trace_spare_sent(struct trace *t, const struct trace_record *r)
{
    t->sent = true;
    if (!t->newest) {
        return;
    }
    switch (trace_event_class[r->event]) {
    case TRACE_ACCESS:
        if (r->event == TRACE_EVENT_GPU_AT) {
            break;
        } else if (spare_orders(r)) {
            t->newest->generation++;
        } else {
            line_drop(t, r->arg[5]);
        }
        break;
    case TRACE_CACHE:
        line_drop(t, r->arg[0]);
        break;
    case TRACE_SUM:
        break;
    default:
        trace_spare_end(t);
    }
}

/* --- accesses --- */

/* The same kind by the same channel at the same place of the program, and nothing else of the line
 * since. */
static bool newest_is(const struct trace *t, const struct newest *l, const struct trace_record *r,
                      uint64_t place)
{
    return l->generation == t->newest->generation && l->line == r->arg[5] / LINE &&
           l->event == r->event && l->channel == t->channel && l->agent == r->agent &&
           l->place == place && r->arg[3] == 0;
}

bool trace_access_spared(struct trace *t, const struct trace_record *record, uint64_t place)
{
    const struct newest *l;

    if (!t->newest) {
        return false;
    }
    l = newest_at(t, record->arg[5]);
    if (!newest_is(t, l, record, place) || record->arg[1] & ~l->bytes[0] ||
        record->arg[2] & ~l->bytes[1]) {
        return false;
    }
    trace_spared(t);
    return true;
}

/* A line that is accessed once need not be asked about. */
static void newest_keep(struct trace *t, struct newest *l, const struct trace_record *r,
                        uint64_t place, bool again)
{
    *l = (struct newest){ .line = r->arg[5] / LINE,
                          .place = place,
                          .generation = t->newest->generation,
                          .plain = t->newest->plain,
                          .scope = (uint16_t)r->arg[3],
                          .channel = t->channel,
                          .event = (uint16_t)r->event,
                          .agent = (uint16_t)r->agent };
    t->newest->kept = t->newest->generation;
    if (again) {
        t->spare->again(t->opaque, r, l->bytes);
    }
}

void trace_access(struct trace *t, struct trace_record *record, uint64_t place)
{
    struct newest *l = t->newest ? newest_at(t, record->arg[5]) : NULL;
    bool again = l && newest_is(t, l, record, place);

    record->channel = t->channel;
    record->time_ns = t->now_ns;
    if (!l) {
        t->sink(t->opaque, record);
        return;
    }
    t->spare->access(t->opaque, record);
    t->sent = true;
    t->newest->plain++;
    if (record->arg[3]) {
        t->newest->generation++;
    } else {
        newest_keep(t, l, record, place, again);
    }
}

/* --- atomics --- */

/* The same kind and scope by the same channel at the same place of the program, nothing else of the
 * line since, and no plain access at all. */
static bool atomic_is(const struct trace *t, const struct newest *l, const struct trace_record *r,
                      uint64_t place)
{
    return l->generation == t->newest->generation && l->plain == t->newest->plain &&
           l->line == r->arg[5] / LINE && l->event == r->event && l->channel == t->channel &&
           l->agent == r->agent && l->place == place && l->scope == r->arg[3];
}

bool trace_atomic_spared(struct trace *t, const struct trace_record *record, uint64_t place)
{
    uint64_t off = record->arg[5] % LINE, bytes = (UINT64_C(1) << record->arg[1]) - 1;
    const struct newest *l;

    if (!t->newest) {
        return false;
    }
    l = newest_at(t, record->arg[5]);
    if (!atomic_is(t, l, record, place) || (bytes << off % 64) & ~l->bytes[off / 64]) {
        return false;
    }
    trace_spared(t);
    return true;
}

void trace_atomic(struct trace *t, struct trace_record *record, uint64_t place)
{
    struct newest *l = t->newest ? newest_at(t, record->arg[5]) : NULL;
    bool again = l && atomic_is(t, l, record, place);

    record->channel = t->channel;
    record->time_ns = t->now_ns;
    trace_emit_more(t, record->event, record->agent, record->region, record->arg);
    if (l) {
        newest_keep(t, l, record, place, again);
    }
}

bool trace_run_spared(struct trace *t, struct trace_record *first, unsigned lines)
{
    first->channel = t->channel;
    first->time_ns = t->now_ns;
    if (!t->newest || !t->spare->run(t->opaque, first, lines)) {
        return false;
    }
    for (unsigned i = 0; i < lines && t->newest->kept == t->newest->generation; i++) {
        line_drop(t, first->arg[5] + i * LINE);
    }
    t->newest->plain++;
    trace_spared(t);
    return true;
}
