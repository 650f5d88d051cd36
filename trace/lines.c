/* SPDX-License-Identifier: MIT */
#include "trace/lines.h"

#include <glib.h>

/* @cpu: number of the line -> enum lines_cpu; @l2: number of the line -> struct lines_l2 */
struct lines {
    GHashTable *cpu, *l2;
    unsigned cpu_dirty, l2_dirty;
};

struct lines *lines_new(void)
{
    struct lines *l = g_new0(struct lines, 1);

    l->cpu = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
    l->l2 = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, g_free);
    return l;
}

void lines_free(struct lines *l)
{
    if (l) {
        g_hash_table_destroy(l->cpu);
        g_hash_table_destroy(l->l2);
        g_free(l);
    }
}

static gint64 line_of(uint64_t pa, unsigned bytes)
{
    return (gint64)(pa / bytes);
}

enum lines_cpu lines_cpu(const struct lines *l, uint64_t pa)
{
    gint64 line = line_of(pa, LINES_CPU_BYTES);

    return (enum lines_cpu)GPOINTER_TO_UINT(g_hash_table_lookup(l->cpu, &line));
}

static void cpu_set(struct lines *l, uint64_t pa, enum lines_cpu now)
{
    gint64 line = line_of(pa, LINES_CPU_BYTES);
    enum lines_cpu before = lines_cpu(l, pa);

    l->cpu_dirty += (unsigned)(now == LINES_DIRTY) - (unsigned)(before == LINES_DIRTY);
    if (now == LINES_ABSENT) {
        g_hash_table_remove(l->cpu, &line);
    } else if (now != before) {
        g_hash_table_insert(l->cpu, g_memdup2(&line, sizeof(line)), GUINT_TO_POINTER(now));
    }
}

static struct lines_l2 *l2_at(const struct lines *l, uint64_t pa)
{
    gint64 line = line_of(pa, LINES_L2_BYTES);

    return g_hash_table_lookup(l->l2, &line);
}

struct lines_l2 lines_l2(const struct lines *l, uint64_t pa)
{
    const struct lines_l2 *line = l2_at(l, pa);

    return line ? *line : (struct lines_l2){ 0 };
}

static struct lines_l2 *l2_get(struct lines *l, uint64_t pa)
{
    gint64 line = line_of(pa, LINES_L2_BYTES);
    struct lines_l2 *have = l2_at(l, pa);

    if (!have) {
        have = g_new0(struct lines_l2, 1);
        g_hash_table_insert(l->l2, g_memdup2(&line, sizeof(line)), have);
    }
    return have;
}

static bool is_dirty(const struct lines_l2 *line)
{
    return line->dirty_low || line->dirty_high;
}

static void l2_store(struct lines *l, uint64_t pa, uint64_t low, uint64_t high)
{
    struct lines_l2 *line = l2_get(l, pa);
    bool before = is_dirty(line);

    line->valid_low |= low;
    line->valid_high |= high;
    line->dirty_low |= low;
    line->dirty_high |= high;
    l->l2_dirty += (unsigned)is_dirty(line) - (unsigned)before;
}

static void l2_clean(struct lines *l, uint64_t pa, uint64_t low, uint64_t high)
{
    struct lines_l2 *line = l2_at(l, pa);

    if (line) {
        bool before = is_dirty(line);

        line->dirty_low &= ~low;
        line->dirty_high &= ~high;
        l->l2_dirty -= (unsigned)before - (unsigned)is_dirty(line);
    }
}

static void l2_fill(struct lines *l, uint64_t pa, uint64_t sectors)
{
    struct lines_l2 *line = l2_get(l, pa);

    for (unsigned i = 0; i < 4; i++) {
        uint64_t *half = i < 2 ? &line->valid_low : &line->valid_high;

        if (sectors >> i & 1) {
            *half |= UINT64_C(0xffffffff) << (i % 2 * 32);
        }
    }
}

static void l2_drop(struct lines *l, uint64_t pa)
{
    gint64 line = line_of(pa, LINES_L2_BYTES);
    struct lines_l2 *have = l2_at(l, pa);

    if (have) {
        l->l2_dirty -= is_dirty(have);
        g_hash_table_remove(l->l2, &line);
    }
}

/* GPU_ATOMIC names an address and a size instead of bytes of the line. */
static void l2_atomic(struct lines *l, uint64_t pa, uint64_t size)
{
    unsigned at = pa % LINES_L2_BYTES;
    uint64_t mask = size < 64 ? (UINT64_C(1) << size) - 1 : UINT64_MAX;

    l2_store(l, pa, at < 64 ? mask << at : 0, at < 64 ? 0 : mask << (at - 64));
}

static void cpu_record(struct lines *l, const struct trace_record *r)
{
    switch (r->event) {
    case TRACE_EVENT_CPU_FILL:
    case TRACE_EVENT_CPU_WRITEBACK:
        cpu_set(l, r->arg[0], LINES_CLEAN);
        break;
    case TRACE_EVENT_CPU_STORE:
    case TRACE_EVENT_CPU_ATOMIC:
        if (lines_cpu(l, r->arg[3])) {
            cpu_set(l, r->arg[3], LINES_DIRTY);
        }
        break;
    case TRACE_EVENT_CPU_FOUND:
        cpu_set(l, r->arg[0], LINES_DIRTY);
        break;
    case TRACE_EVENT_CPU_EVICT:
    case TRACE_EVENT_CPU_DROP:
        cpu_set(l, r->arg[0], LINES_ABSENT);
        break;
    case TRACE_EVENT_CPU_SNOOP:
        if (r->arg[1]) { /* a write takes the line away */
            cpu_set(l, r->arg[0], LINES_ABSENT);
        }
        break;
    default:
        break;
    }
}

static void l2_record(struct lines *l, const struct trace_record *r)
{
    switch (r->event) {
    case TRACE_EVENT_GPU_STORE:
    case TRACE_EVENT_DLA_STORE:
        if (r->arg[4]) {
            l2_store(l, r->arg[5], r->arg[1], r->arg[2]);
        }
        break;
    case TRACE_EVENT_GPU_ATOMIC:
        if (r->arg[4]) {
            l2_atomic(l, r->arg[5], r->arg[1]);
        }
        break;
    case TRACE_EVENT_L2_FILL:
        l2_fill(l, r->arg[0], r->arg[1]);
        break;
    case TRACE_EVENT_L2_WRITEBACK:
        l2_clean(l, r->arg[0], r->arg[1], r->arg[2]);
        break;
    case TRACE_EVENT_L2_EVICT:
        l2_drop(l, r->arg[0]);
        break;
    case TRACE_EVENT_L2_INVALIDATE:
        g_hash_table_remove_all(l->l2);
        l->l2_dirty = 0;
        break;
    default:
        break;
    }
}

void lines_record(struct lines *l, const struct trace_record *r)
{
    cpu_record(l, r);
    l2_record(l, r);
}

unsigned lines_cpu_dirty(const struct lines *l)
{
    return l->cpu_dirty;
}

unsigned lines_l2_dirty(const struct lines *l)
{
    return l->l2_dirty;
}
