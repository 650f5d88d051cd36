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

static void dirty_report(const struct rt_shared *s, const char *engine)
{
    for (unsigned i = 0; i < s->n_planes; i++) {
        const struct rt_plane *p = &s->plane[i];
        struct unflushed u = shared_lines_dirty(s, p->offset, p->offset + p->bytes);
        g_autofree char *todo = NULL;

        if (!u.lines) {
            continue;
        }
        todo = g_strdup_printf("call NvBufSurfaceSyncForDevice(surf, index, %u) behind the CPU's "
                               "stores and before this call",
                               i);
        report_finding(&check_rules[CHECK_RULE_SURFACE_NOT_FOR_DEVICE], s->mem.id, 0,
                       (uintptr_t)s->mem.cpu + u.first, todo,
                       "the buffer is given to %s, which does not look into the CPU's caches, "
                       "while these hold newer bytes of plane %u: %" G_GUINT64_FORMAT
                       " dirty lines, from line %" G_GUINT64_FORMAT " to %" G_GUINT64_FORMAT
                       " of the plane. It reads older bytes, and the lines are written back over "
                       "what it writes",
                       engine, i, u.lines, (u.first - p->offset) / LINE,
                       (u.end - 1 - p->offset) / LINE);
    }
}

bool planes_any(const struct rt_shared *s)
{
    return s && s->n_planes;
}

bool planes_used(const struct rt_shared *s, enum bus_agent agent, const char *engine)
{
    if (!planes_any(s) || rules_port_snoops(board_profile(), agent)) {
        return false;
    }
    /* Else it is seen when the engine reads them. */
    if (!check_exact(core_check()) && !pending_shared_stored(s)) {
        dirty_report(s, engine);
    }
    return true;
}
