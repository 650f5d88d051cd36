/* SPDX-License-Identifier: MIT */
#ifndef CHECKER_RUN_FORGOT_H
#define CHECKER_RUN_FORGOT_H

/* What a table with a limit no longer held, so that some mistakes would not have been found. */
enum run_forgot {
    RUN_FORGOT_ACCESSES, /* to a line that more accesses than the checker keeps were made to */
    RUN_FORGOT_WAITS,    /* for a point so long ago that they count as waits for a later one */
    RUN_FORGOT_WORK,     /* submitted and not waited for, when memory was freed */
    RUN_FORGOT_FRAMES,   /* kernels that ran so late that the frame's turns had gone */
    RUN_FORGOTS
};
extern const char *const run_forgot_name[RUN_FORGOTS]; /* of notes and JSON */

#endif
