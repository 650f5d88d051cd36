/* SPDX-License-Identifier: MIT */
/* A program that has loaded its libraries and stands before main(), and forks a copy of itself for
 * each run: what `vtegra explore` talks to over two pipes.
 *
 * The environment variable VTEGRA_FORKSERVER names them: "READ,WRITE", descriptor numbers. The
 * server answers the first byte with a hello; then a job is answered by a result, in order. End of
 * file ends it. Only the C library below it.
 */
#ifndef SCHED_FORKSERVER_H
#define SCHED_FORKSERVER_H

#include <stdint.h>

#include "sched/decide.h"

#define FORKSERVER_VERSION 2u
#define FORKSERVER_PATH 256
#define FORKSERVER_OUTPUT_MAX \
    (256u << 20) /* bytes that a run may print; more is too much to keep */

/* Why it cannot serve: threads or a board exist before main(). */
enum forkserver_state { FORKSERVER_READY, FORKSERVER_HAS_THREADS, FORKSERVER_HAS_BOARD };

struct forkserver_hello {
    uint32_t version, state;
};

/**
 * struct forkserver_job - one run
 * @strategy: enum decide_strategy; ignored where @schedule names a file
 * @timeout_ms: real time after which the run is killed, 0: never
 * @bare: the copy ends at once: what a run costs at least (bench)
 * @json, @output: where report and output go; @record: where the schedule goes; "": nowhere
 */
struct forkserver_job {
    uint64_t seed, length;
    uint32_t strategy, depth, bare, timeout_ms;
    char json[FORKSERVER_PATH], output[FORKSERVER_PATH];
    char schedule[FORKSERVER_PATH], record[FORKSERVER_PATH];
};

/**
 * struct forkserver_result
 * @status: as from waitpid(); @timed_out: it was killed
 * @report_error: errno of a report that could not be written, else 0
 * @counts: as far as the run came
 */
struct forkserver_result {
    int32_t status;
    uint32_t timed_out;
    int32_t report_error;
    struct decide_counts counts;
};

#endif
