/* SPDX-License-Identifier: MIT */
#include "model/iocoherency/l2_log.h"

#include <glib.h>

#include "model/iocoherency/l2_line.h"

#define ENTRIES_FIRST 1024u

void l2_log_free(struct l2_log *log)
{
    g_free(log->entry);
}

/* Empty entries go. Where few are, there will soon be no room again: it becomes larger. */
void l2_log_make_room(struct l2_log *log)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < log->n; i++) {
        struct l2_line *line = log->entry[i];

        if (line) {
            log->entry[kept++] = line;
            line->number = kept;
        }
    }
    log->n = kept;
    if (kept >= log->capacity / 8) {
        log->capacity = MAX(ENTRIES_FIRST, log->capacity * 2);
        log->entry = g_renew(struct l2_line *, log->entry, log->capacity);
    }
}
