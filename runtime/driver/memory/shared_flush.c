/* SPDX-License-Identifier: MIT */
/* Buffers that the CPU has to flush (CpuNeedSwCacheCoherency): an engine reads DRAM past the CPU's
 * caches. Isochronous ones, as displays, are not on this board to read old bytes; Xavier's VIC is.
 *
 * The CPU hands a buffer over when it signals. Which one is not known: lines that are dirty then
 * and that are not flushed until the next signal, or until the buffer is freed, were forgotten. */
#include "runtime/driver/memory/external_internal.h"

#include "runtime/driver/core/core.h"
#include "runtime/driver/core/report.h"

#define LINE 64u

static GPtrArray *watched; /* struct rt_shared */

void shared_flush_watch(struct rt_shared *s)
{
    watched = watched ? watched : g_ptr_array_new();
    if (s->mem.cpu_cached && !g_ptr_array_find(watched, s, NULL)) {
        g_ptr_array_add(watched, s);
    }
}

/* Of the page at @at: lines of [first, end). */
static uint64_t lines_between(uint64_t at, uint64_t first, uint64_t end)
{
    unsigned from = first > at ? (unsigned)((first - at) / LINE) : 0;
    unsigned to = (unsigned)((MIN(end - at, HAL_PAGE) + LINE - 1) / LINE);

    return UINT64_MAX << from & UINT64_MAX >> (64 - to);
}

struct unflushed shared_lines_dirty(const struct rt_shared *s, uint64_t first, uint64_t end)
{
    struct unflushed u = { 0 };

    for (uint64_t at = first & ~(uint64_t)(HAL_PAGE - 1); at < end; at += HAL_PAGE) {
        uint64_t dirty = hal_dirty_lines(core_hal(), (const uint8_t *)s->mem.cpu + at,
                                         lines_between(at, first, end));

        for (; dirty; dirty &= dirty - 1) {
            uint64_t line = at + (unsigned)__builtin_ctzll(dirty) * LINE;

            u.first = u.lines ? u.first : line;
            u.end = MIN(line + LINE, s->bytes);
            u.lines++;
        }
    }
    return u;
}

static void report_unflushed(struct rt_shared *s)
{
    const struct check_rule *rule = &check_rules[CHECK_RULE_SCI_FLUSH];
    struct check_finding finding = check_finding_of(CHECK_RULE_SCI_FLUSH);
    g_autofree char *text = g_strdup_printf(
        "%s: %" G_GUINT64_FORMAT " dirty lines in bytes %" G_GUINT64_FORMAT " to %" G_GUINT64_FORMAT
        " of %zu",
        rule->text, s->unflushed.lines, s->unflushed.first, s->unflushed.end - 1, s->bytes);

    finding.text = text;
    finding.region = s->mem.id;
    finding.address = (uintptr_t)s->mem.cpu + s->unflushed.first;
    finding.caller = s->unflushed.caller;
    s->unflushed.lines = 0;
    if (!core_lost()) {
        check_finding(core_check(), &finding);
    }
}

void shared_flush_signalled(void)
{
    for (guint i = 0; watched && i < watched->len; i++) {
        struct rt_shared *s = watched->pdata[i];

        if (s->unflushed.lines) {
            report_unflushed(s);
        }
        s->unflushed = shared_lines_dirty(s, 0, s->bytes);
        s->unflushed.caller = report_caller();
    }
}

void shared_flush_done(struct rt_shared *s)
{
    if (s->unflushed.lines) {
        struct check_caller caller = s->unflushed.caller;

        s->unflushed = shared_lines_dirty(s, s->unflushed.first, s->unflushed.end);
        s->unflushed.caller = caller;
    }
}

void shared_flush_freed(struct rt_shared *s)
{
    if (watched && g_ptr_array_remove(watched, s) && s->unflushed.lines) {
        report_unflushed(s);
    }
}
