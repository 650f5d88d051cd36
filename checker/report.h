/* SPDX-License-Identifier: MIT */
/* What is reported of a run: one tree, which text.h and json.h print. */
#ifndef CHECKER_REPORT_H
#define CHECKER_REPORT_H

#include "checker/run/run.h"

struct memory_kinds;

/**
 * struct report - a run, and what follows from its numbers
 * @run: board, buffers, kernels, copies, failed calls and findings; not owned
 * @kinds: what other kinds of memory would cost
 * @advice: struct run_finding of severity CHECK_ADVICE, in a fixed order
 */
struct report {
    const struct run *run;
    GPtrArray *advice;
    struct memory_kinds *kinds;
};

/* The run must stay as it is until the report is freed. */
struct report *report_new(const struct run *run);
void report_free(struct report *report);

#endif
