/* SPDX-License-Identifier: MIT */
/* What happened last to each 64 bytes of the program's buffers: the way of a byte from a store to a
 * stale read. */
#ifndef CHECKER_LINE_LIFE_H
#define CHECKER_LINE_LIFE_H

#include <stdbool.h>

#include "trace/record.h"

struct line_life;

/* struct line_step - an access, or what a cache did. @track: who, a number of the caller's */
struct line_step {
    uint64_t time_ns, track;
    enum trace_event event;
};

#define LINE_LIFE_STEPS 16 /* the last of a line; older ones are forgotten */

struct line_life *line_life_new(void);
void line_life_free(struct line_life *l);

/* Of a line's record; others do nothing. */
void line_life_record(struct line_life *l, const struct trace_record *r, uint64_t track);

/* The steps of the line at @pa, oldest first. Return: how many. */
unsigned line_life_steps(const struct line_life *l, uint64_t pa, const struct line_step **steps);

/* The lines of a record: up to two of 64 bytes. Return: how many. */
unsigned line_life_lines(const struct trace_record *r, uint64_t line[2]);

bool line_life_is_store(enum trace_event event);
bool line_life_is_access(enum trace_event event);

#endif
