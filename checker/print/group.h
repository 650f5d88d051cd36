/* SPDX-License-Identifier: MIT */
/* Buffers that one line made, shown as one: a pool of frames, a layer each. */
#ifndef CHECKER_GROUP_H
#define CHECKER_GROUP_H

#include "checker/run/run.h"

/**
 * struct group - buffers of one kind from one line; or a single one
 * @sum: what all of them together saw, as if they were one buffer; @sum.number: of the first
 * @members: struct run_region, not owned
 * @same_size: of each, 0: they differ
 */
struct group {
    struct run_region sum;
    GPtrArray *members;
    uint64_t same_size;
};

/* Of the regions with a number, in order of their first members: struct group. g_ptr_array_unref()
 * it; the run must stay as it is until then. */
GPtrArray *groups_make(const struct run *r);

#endif
