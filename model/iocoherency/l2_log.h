/* SPDX-License-Identifier: MIT */
/* In which order lines of the L2 became dirty: that is the order in which a clean writes them back.
 *
 * A line that becomes dirty gets a place at the end, and remembers which: l2_line.number. When it
 * leaves, its place is empty: its neighbours in the order, lines the host's cache has long
 * forgotten, are not touched.
 */
#ifndef MODEL_IOCOHERENCY_L2_LOG_H
#define MODEL_IOCOHERENCY_L2_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct l2_line;

/**
 * struct l2_log
 * @entry: NULL: the line has left
 * @lines: how many entries have a line
 */
struct l2_log {
    struct l2_line **entry;
    uint32_t n, capacity, lines;
};

void l2_log_free(struct l2_log *log);
void l2_log_make_room(struct l2_log *log);

/* Return: the line's number from now on, not 0. The log has room. */
static inline uint32_t l2_log_append(struct l2_log *log, struct l2_line *line)
{
    log->entry[log->n++] = line;
    log->lines++;
    return log->n;
}

static inline bool l2_log_has_room(const struct l2_log *log)
{
    return log->n < log->capacity;
}

/* The line with this number leaves. */
static inline void l2_log_remove(struct l2_log *log, uint64_t number)
{
    log->entry[number - 1] = NULL;
    if (--log->lines == 0) {
        log->n = 0;
    }
}

#endif
