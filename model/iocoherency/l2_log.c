/* SPDX-License-Identifier: MIT */
#include "model/iocoherency/l2_log.h"

#include <glib.h>

#include "model/iocoherency/l2_line.h"

#define ENTRIES_FIRST 1024u

void l2_log_free(struct l2_log *log)
{
    g_free(log->entry);
}

/* Entries that no longer count go. Where few have, there will soon be no room again: it becomes larger. */
void l2_log_make_room(struct l2_log *log)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < log->n; i++) {
        if (log->entry[i].line->number == log->entry[i].number) {
            log->entry[kept++] = log->entry[i];
        }
    }
    log->n = kept;
    if (kept >= log->capacity / 4) {
        log->capacity = MAX(ENTRIES_FIRST, log->capacity * 2);
        log->entry = g_renew(struct l2_log_entry, log->entry, log->capacity);
    }
}
