/* SPDX-License-Identifier: MIT */
/* Tasks of other engines, by the call that made them; and ranges: what a profiler would draw as
 * bars (API calls, the application's own NVTX ranges). Both go into the trace file, between the
 * records of what happened meanwhile; ranges change no report. */
#ifndef RUNTIME_OBSERVE_RANGE_H
#define RUNTIME_OBSERVE_RANGE_H

#include "runtime/observe/check.h"

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

/* A task for another engine than the iGPU is about to be submitted: what its accesses are called.
 * @api: constant text; @stream: the stream's ordinal */
void check_task(struct check *c, const char *api, uint32_t stream,
                const struct check_caller *caller);

/* The driver no longer maintains the L2 around another engine's work on device memory @region:
 * whose version is where is followed from now on. */
void check_shared(struct check *c, uint32_t region);

/* Syncpoints go to other processes, or come from them: what those signal may come after anything
 * that this one has done before. */
void check_foreign(struct check *c);
/* The program's number on a board that it shares: others' findings name it so. */
void check_process(struct check *c, uint32_t number);
/* Other programs may use the board, too. No note: this program's trace does not depend on it. */
void check_others(struct check *c);

#endif
