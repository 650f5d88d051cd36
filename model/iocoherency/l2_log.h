/* SPDX-License-Identifier: MIT */
/* In which order lines of the L2 became dirty: that is the order in which a clean writes them back.
 *
 * A line that becomes dirty gets the next number and a place at the end. One that leaves only loses its
 * number: its neighbours in the order, lines the host's cache has long forgotten, are not touched.
 */
#ifndef MODEL_IOCOHERENCY_L2_LOG_H
#define MODEL_IOCOHERENCY_L2_LOG_H

#include <stdbool.h>
#include <stdint.h>

struct l2_line;

struct l2_log_entry {
    uint64_t number;
    struct l2_line *line;
};

/**
 * struct l2_log
 * @entry: counts only while the line still has the number
 * @lines: how many entries count
 */
struct l2_log {
    struct l2_log_entry *entry;
    uint32_t n, capacity, lines;
    uint64_t last_number;
};

void l2_log_free(struct l2_log *log);
void l2_log_make_room(struct l2_log *log);

/* Return: the line's number from now on. The log has room. */
static inline uint64_t l2_log_append(struct l2_log *log, struct l2_line *line)
{
    log->entry[log->n++] = (struct l2_log_entry){ ++log->last_number, line };
    log->lines++;
    return log->last_number;
}

static inline bool l2_log_has_room(const struct l2_log *log)
{
    return log->n < log->capacity;
}

/* A line has lost its number. */
static inline void l2_log_removed(struct l2_log *log)
{
    if (--log->lines == 0) {
        log->n = 0;
    }
}

#endif
