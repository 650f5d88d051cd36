/* SPDX-License-Identifier: MIT */
/* A run that is told its notes and records as lines of a trace. */
#ifndef TESTS_RUN_RIG_H
#define TESTS_RUN_RIG_H

#include <check.h>

#include "checker/run/run.h"

static struct run *run;

static inline void setup(void)
{
    run = run_new();
}

static inline void teardown(void)
{
    run_free(run);
}

static inline void note(const char *line)
{
    struct note n;

    ck_assert_msg(note_parse(line, &n), "%s", line);
    run_note(run, &n);
    note_clear(&n);
}

static inline void record(const char *line)
{
    struct trace_record r;

    ck_assert_msg(trace_parse(line, &r), "%s", line);
    run_record(run, &r);
}

#endif
