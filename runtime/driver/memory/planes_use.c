/* SPDX-License-Identifier: MIT */
/* An engine is given a picture whose CPU caches the program maintains. Apart from planes.c, so that
 * those who submit work need no more than this. */
#include "runtime/driver/core/core.h"
#include "runtime/driver/core/report.h"
#include "runtime/driver/device/board.h"
#include "runtime/driver/memory/external_internal.h"
#include "runtime/driver/memory/pending.h"
#include "runtime/driver/memory/planes.h"

#define LINE 64u

static uint64_t dirty_lines(const struct rt_shared *s, const struct rt_plane *p, uint64_t *first,
                            uint64_t *last)
{
    uint64_t lines = 0;

    for (uint64_t at = 0; at < p->bytes; at += LINE) {
        struct hal_line line;

        if (hal_line_state(core_hal(), (const uint8_t *)s->mem.cpu + p->offset + at, &line) &&
            line.cpu_dirty) {
            *first = lines ? *first : at / LINE;
            *last = at / LINE;
            lines++;
        }
    }
    return lines;
}

static void dirty_report(const struct rt_shared *s, const char *engine)
{
    for (unsigned i = 0; i < s->n_planes; i++) {
        uint64_t first = 0, last = 0, lines = dirty_lines(s, &s->plane[i], &first, &last);
        g_autofree char *todo = NULL;

        if (!lines) {
            continue;
        }
        todo = g_strdup_printf("call NvBufSurfaceSyncForDevice(surf, index, %u) behind the CPU's "
                               "stores and before this call",
                               i);
        report_finding(&check_rules[CHECK_RULE_SURFACE_NOT_FOR_DEVICE], s->mem.id, 0,
                       (uintptr_t)s->mem.cpu + s->plane[i].offset + first * LINE, todo,
                       "the buffer is given to %s, which does not look into the CPU's caches, "
                       "while these hold newer bytes of plane %u: %" G_GUINT64_FORMAT
                       " dirty lines, from line %" G_GUINT64_FORMAT " to %" G_GUINT64_FORMAT
                       " of the plane. It reads older bytes, and the lines are written back over "
                       "what it writes",
                       engine, i, lines, first, last);
    }
}

bool planes_used(const struct rt_shared *s, enum bus_agent agent, const char *engine)
{
    if (!s || !s->n_planes || rules_port_snoops(board_profile(), agent)) {
        return false;
    }
    /* Else it is seen when the engine reads them. */
    if (!check_exact(core_check()) && !pending_shared_stored(s)) {
        dirty_report(s, engine);
    }
    return true;
}
