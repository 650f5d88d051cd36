/* SPDX-License-Identifier: MIT */
/* Shared by the files that make up the live checker: check.c, api_notes.c, fault.c, hook.c. */
#ifndef RUNTIME_OBSERVE_CHECK_INTERNAL_H
#define RUNTIME_OBSERVE_CHECK_INTERNAL_H

#include <pthread.h>
#include <stdio.h>
#include <sys/types.h>

#include "checker/checker.h"
#include "runtime/observe/check.h"
#include "runtime/observe/inside.h"
#include "trace/tracefile.h"

struct sites;

/**
 * struct check - one watched run
 * @lock: recursive: the fault handler may come in while its own thread is inside
 * @pid: of the process that opened it
 * @run, @hb: the checker's
 * @holds: region id -> struct hold, managed memory that is closed to the CPU
 * @spare: for the board; @in_burst: it has the lock until all is reported (changes under the
 * board's lock)
 */
struct check {
    pthread_mutex_t lock;
    struct soc_profile profile;
    struct checker *checker;
    struct run *run;
    struct tracefile *trace, *perfetto;
    struct timeline *timeline; /* NULL: nothing is drawn */
    struct sites *sites;
    struct hb *hb;
    char *report_path, *json_path, *form_path[REPORT_FORMATS];
    bool json_if_found, quiet, check_off, closed, hooks_expected, foreign;
    int error_exitcode, unchecked_exitcode, status;
    const char *signal;
    uint64_t spin_ns, sleep_ns;
    /* that the CPU waited; under the driver's lock */ /* that kills the program */
    unsigned trace_classes;
    enum check_races races;
    pid_t pid;
    GHashTable *holds;
    struct trace_spare spare;
    bool in_burst;
    GHashTable *codes;    /* whose source files have been reported */
    struct ids *launches; /* grid id -> struct source_place of its launch, owned by source.c */
    struct hal *hal;
    check_resolve *resolve;
    void *resolve_opaque;
};

enum { CHECK_LAUNCHES_KEPT = 16384 }; /* the newest, whose places findings can name */

static inline void check_lock(struct check *c)
{
    check_enter();
    pthread_mutex_lock(&c->lock);
}

static inline void check_unlock(struct check *c)
{
    pthread_mutex_unlock(&c->lock);
    check_leave();
}

/* Why a managed region is closed. @grid_id: 0: a copy or a fill */
struct hold {
    uint32_t grid_id, stream;
};

/* Add where=, unless nothing is known of the place. */
void api_notes_where(struct note *n, const struct check_caller *caller);

/* The preloaded library of `vtegra run`; NULL if it is not there. */
struct vtegra_preload;
const struct vtegra_preload *preload_find(void);

/* Told to the hooks: registered memory lies outside the arena. */
void hook_range_add(const struct hal_mem *mem);
void hook_range_remove(uint32_t region);

/* @n records of accesses that were not sent; the last of them at @time_ns. */
void check_untold_records(struct check *c, uint64_t n, uint64_t time_ns);

/* Look for objects with hooks, now and when they are loaded. */
void hooks_look(void);
/* Tell the report that there are any. Lock held. */
void hooks_note(struct check *c);
/* The same at the end, and which code they are in. */
void hooks_end(struct check *c);

#endif
