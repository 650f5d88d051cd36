/* SPDX-License-Identifier: MIT */
/* After the CPU's wait, too, an access is of interest where the L2 holds a line: a load finds old
 * bytes where the line is dirty, and after a store the line is old. So it is where pinned memory is
 * not cached, for its atomics; and where the program maintains the CPU's caches and an engine does
 * not look into these: stores that such an engine will not see, loads of lines under which it has
 * written. */
#include "runtime/driver/memory/pending_internal.h"

#include <string.h>

#include "runtime/driver/core/core.h"

#define LINE_BYTES 128u    /* of the L2 */
#define LINES_LOOKED 4096u /* at most, after a wait */
#define CPU_LINE_BYTES 64u
#define REARMED_MOST 64u

/* What the L2 holds of a page; @step: lines from one that is looked at to the next. */
static uint8_t page_held(const struct pending *p, size_t page, unsigned step)
{
    const char *at = (const char *)p->mem.cpu + page * HAL_PAGE;
    uint8_t how = CLOSED_OPEN;

    for (unsigned i = 0; i < HAL_PAGE / LINE_BYTES && how != CLOSED_SHUT; i += step) {
        struct hal_line line;

        if (hal_line_state(core_hal(), at + (size_t)i * LINE_BYTES, &line) && line.l2_valid) {
            how = line.l2_dirty_bytes ? CLOSED_SHUT : CLOSED_READABLE;
        }
    }
    return how;
}

/* Closed until the function begins; then only where another thread has touched it meanwhile. A
 * kernel never begins: it may be running. */
void pending_look_curious(struct pending *p)
{
    g_autofree uint8_t *how = g_memdup2(p->curious, p->pages);
    bool queued = false;

    for (guint i = 0; i < p->functions->len; i++) {
        queued |= !g_array_index(p->functions, struct function, i).begun;
    }
    for (size_t i = 0; i < p->pages && p->functions->len; i++) {
        if (queued || closed_touched(p->closed, i)) {
            how[i] = (how[i] & (CLOSED_SURE | CLOSED_LINES)) | CLOSED_SHUT | CLOSED_PLAIN;
        }
    }
    closed_curious(p->closed, how);
}

/* Lines whose bytes an engine has changed under the CPU. */
static bool page_is_old(const struct pending *p, size_t page)
{
    const char *at = (const char *)p->mem.cpu + page * HAL_PAGE;
    struct hal_line line = { 0 };

    for (unsigned k = 0; k < HAL_PAGE / CPU_LINE_BYTES && !line.cpu_old; k++) {
        hal_line_state(core_hal(), at + (size_t)k * CPU_LINE_BYTES, &line);
    }
    return line.cpu_old;
}

/* Which lines of the pages the CPU's caches get, and where they become dirty. */
static void cached_arm(struct pending *p, size_t first, size_t n)
{
    for (size_t i = first; i < first + n && p->rearmed < REARMED_MOST; i++) {
        if (p->cached[i]) {
            p->curious[i] = MAX(p->curious[i], CLOSED_SHUT | CLOSED_LINES);
        }
    }
}

void pending_look_cached(struct pending *p, size_t first, size_t n, bool dropped)
{
    for (size_t i = first; i < first + n; i++) {
        if (dropped || !(p->curious[i] & CLOSED_SURE)) {
            p->curious[i] = CLOSED_OPEN;
        }
    }
    cached_arm(p, first, n);
    pending_look_curious(p);
}

static void uncached_look(struct pending *p)
{
    if (p->rearmed < REARMED_MOST) {
        p->rearmed++;
        memset(p->curious, CLOSED_SHUT, p->pages);
        pending_look_curious(p);
    }
}

void pending_look_new(struct pending *p)
{
    if (pending_is_uncached(p)) {
        uncached_look(p);
    }
}

/* @step: as of page_held(). */
static uint8_t page_look(const struct pending *p, size_t page, unsigned step)
{
    uint8_t how = p->curious[page];

    if (p->past) {
        how = page_is_old(p, page) ? CLOSED_SHUT | CLOSED_SURE : CLOSED_OPEN;
    }
    if (p->held && !(how & CLOSED_SURE)) {
        how = page_held(p, page, step);
    }
    return how;
}

static void pages_look(struct pending *p)
{
    size_t lines = p->pages * (HAL_PAGE / LINE_BYTES);
    size_t step = MIN(1 + lines / LINES_LOOKED, HAL_PAGE / LINE_BYTES);

    for (size_t i = 0; i < p->pages; i++) {
        p->curious[i] = page_look(p, i, (unsigned)step);
    }
    p->held = p->past = false;
    if (p->is_cached) {
        cached_arm(p, 0, p->pages);
        p->rearmed += p->rearmed < REARMED_MOST;
    }
    pending_look_curious(p);
}

void pending_look_waited(struct pending *p)
{
    bool is_armed = p->is_cached && p->rearmed < REARMED_MOST;

    if (pending_is_uncached(p)) {
        uncached_look(p);
    } else if (!p->uses->len && (p->past || p->held || is_armed)) {
        pages_look(p);
    }
}
