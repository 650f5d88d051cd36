/* SPDX-License-Identifier: MIT */
/* Ranges: what a profiler would draw as bars (API calls, the application's own NVTX ranges). They
 * go into the trace file, between the records of what happened meanwhile, and change no report. */
#ifndef RUNTIME_CHECK_RANGE_H
#define RUNTIME_CHECK_RANGE_H

#include "runtime/check/check.h"

/**
 * struct check_range - one end of a range
 * @phase: "push" and "pop" nest a thread; "start" and "end" carry an @id; "mark" is a point
 * @domain: whose, "cudla" or the application's NVTX domain; @name: NULL at the second end
 * @thread: number of the calling thread, by first call
 */
struct check_range {
    const char *phase, *domain, *name;
    unsigned thread;
    uint64_t id;
};
void check_range(struct check *c, const struct check_range *range);

#endif
