/* SPDX-License-Identifier: MIT */
#include "checker/run/line_life.h"

#include <glib.h>
#include <string.h>

#define LINE 64

struct life {
    unsigned n, size;
    struct line_step *step;
};

struct line_life {
    GHashTable *by_line;
};

static void life_free(gpointer life)
{
    g_free(((struct life *)life)->step);
    g_free(life);
}

struct line_life *line_life_new(void)
{
    struct line_life *l = g_new(struct line_life, 1);

    l->by_line = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, life_free);
    return l;
}

void line_life_free(struct line_life *l)
{
    if (l) {
        g_hash_table_destroy(l->by_line);
        g_free(l);
    }
}

bool line_life_is_store(enum trace_event event)
{
    switch (event) {
    case TRACE_EVENT_CPU_STORE:
    case TRACE_EVENT_CPU_ATOMIC:
    case TRACE_EVENT_CPU_FOUND:
    case TRACE_EVENT_GPU_STORE:
    case TRACE_EVENT_GPU_ATOMIC:
    case TRACE_EVENT_DLA_STORE:
        return true;
    default:
        return false;
    }
}

bool line_life_is_access(enum trace_event event)
{
    return event == TRACE_EVENT_CPU_LOAD || event == TRACE_EVENT_GPU_LOAD ||
           event == TRACE_EVENT_DLA_LOAD || line_life_is_store(event);
}

/* Where the event's line has the physical address among its arguments. Return: -1: it is of no
 * line. */
static int pa_argument(enum trace_event event)
{
    switch (event) {
    case TRACE_EVENT_CPU_LOAD:
    case TRACE_EVENT_CPU_STORE:
    case TRACE_EVENT_CPU_ATOMIC:
        return 3;
    case TRACE_EVENT_GPU_LOAD:
    case TRACE_EVENT_GPU_STORE:
    case TRACE_EVENT_GPU_ATOMIC:
    case TRACE_EVENT_DLA_LOAD:
    case TRACE_EVENT_DLA_STORE:
        return 5;
    default:
        return trace_event_class[event] == TRACE_CACHE ? 0 : -1;
    }
}

unsigned line_life_lines(const struct trace_record *r, uint64_t line[2])
{
    int pa = pa_argument(r->event);
    unsigned n = 0;

    if (pa < 0) {
        return 0;
    }
    switch (r->event) {
    case TRACE_EVENT_GPU_LOAD:
    case TRACE_EVENT_GPU_STORE:
    case TRACE_EVENT_DLA_LOAD:
    case TRACE_EVENT_DLA_STORE:
    case TRACE_EVENT_L2_WRITEBACK: /* low and high: bytes of 128 */
        if (r->arg[1]) {
            line[n++] = r->arg[pa] / 128 * 2;
        }
        if (r->arg[2]) {
            line[n++] = r->arg[pa] / 128 * 2 + 1;
        }
        return n;
    case TRACE_EVENT_L2_FILL: /* sectors of 32 */
        if (r->arg[1] & 3) {
            line[n++] = r->arg[pa] / 128 * 2;
        }
        if (r->arg[1] & 12) {
            line[n++] = r->arg[pa] / 128 * 2 + 1;
        }
        return n;
    case TRACE_EVENT_L2_EVICT:
        line[0] = r->arg[pa] / 128 * 2;
        line[1] = line[0] + 1;
        return 2;
    default:
        line[0] = r->arg[pa] / LINE;
        return 1;
    }
}

static struct life *life_get(struct line_life *l, uint64_t line)
{
    struct life *life = g_hash_table_lookup(l->by_line, &line);

    if (!life) {
        life = g_new0(struct life, 1);
        g_hash_table_insert(l->by_line, g_memdup2(&line, sizeof(line)), life);
    }
    return life;
}

static void life_add(struct life *life, struct line_step step)
{
    struct line_step *last = life->n ? &life->step[life->n - 1] : NULL;

    if (last && last->event == step.event && last->track == step.track) {
        last->time_ns = step.time_ns; /* the same once more */
        return;
    }
    if (life->n == LINE_LIFE_STEPS) {
        memmove(life->step, life->step + 1, (LINE_LIFE_STEPS - 1) * sizeof(*life->step));
        life->n--;
    } else if (life->n == life->size) {
        life->size = life->size ? life->size * 2 : 2;
        life->step = g_renew(struct line_step, life->step, life->size);
    }
    life->step[life->n++] = step;
}

void line_life_record(struct line_life *l, const struct trace_record *r, uint64_t track)
{
    uint64_t line[2];
    unsigned n = line_life_lines(r, line);

    for (unsigned i = 0; i < n; i++) {
        life_add(life_get(l, line[i]), (struct line_step){ r->time_ns, track, r->event });
    }
}

unsigned line_life_steps(const struct line_life *l, uint64_t pa, const struct line_step **steps)
{
    uint64_t line = pa / LINE;
    const struct life *life = g_hash_table_lookup(l->by_line, &line);

    *steps = life ? life->step : NULL;
    return life ? life->n : 0;
}
