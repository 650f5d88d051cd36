/* SPDX-License-Identifier: MIT */
#include "runtime/hal/inproc/progress.h"

#include <glib.h>
#include <stdio.h>
#include <unistd.h>

#include "model/soc.h"

#define LINE_CLEAR "\r\033[K"

void progress_init(struct progress *p)
{
    const char *quiet = g_getenv("VTEGRA_QUIET");

    *p = (struct progress){ .on = isatty(STDERR_FILENO) && g_strcmp0(quiet, "1") != 0 };
}

static char *line_clear(struct progress *p)
{
    bool shown = p->shown;

    p->shown = false;
    return shown ? g_strdup(LINE_CLEAR) : NULL;
}

/* The rest takes as long for each block as those did that are over. */
static char *left_text(uint64_t done, uint64_t all, uint64_t ms)
{
    uint64_t s = done ? (uint64_t)((double)ms / (double)done * (double)(all - done) / 1000) + 1 : 0;

    return !done     ? g_strdup("")
           : s < 120 ? g_strdup_printf(", about %" G_GUINT64_FORMAT " s left", s)
                     : g_strdup_printf(", about %" G_GUINT64_FORMAT " min left", (s + 30) / 60);
}

char *progress_text(struct progress *p, uint64_t kernel, uint64_t done, uint64_t all,
                    uint64_t now_ms)
{
    g_autofree char *left = NULL;

    if (kernel != p->kernel) {
        p->kernel = kernel;
        p->begin_ms = now_ms;
        p->next_ms = now_ms + PROGRESS_AFTER_MS;
        return line_clear(p);
    }
    if (!kernel || now_ms < p->next_ms) {
        return NULL;
    }
    p->next_ms = now_ms + PROGRESS_EACH_MS;
    p->shown = true;
    left = left_text(done, all, now_ms - p->begin_ms);
    return g_strdup_printf(LINE_CLEAR "vtegra: kernel: %" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT
                                      " blocks%s",
                           done, all, left);
}

void progress_look(struct progress *p, const struct soc *soc)
{
    uint64_t done = 0, all = 0, kernel;
    g_autofree char *text = NULL;

    if (!p->on) {
        return;
    }
    kernel = soc_kernel_blocks(soc, &done, &all);
    if (!kernel && !p->kernel) { /* most steps of short programs */
        return;
    }
    text = progress_text(p, kernel, done, all, (uint64_t)g_get_monotonic_time() / 1000);
    if (text) {
        fputs(text, stderr);
        fflush(stderr);
    }
}
