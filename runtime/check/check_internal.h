/* SPDX-License-Identifier: MIT */
/* Shared by the files that make up the live checker: check.c, told.c, rule.c, fault.c, hook.c. */
#ifndef RUNTIME_CHECK_CHECK_INTERNAL_H
#define RUNTIME_CHECK_CHECK_INTERNAL_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/types.h>

#include "runtime/check/hb.h"
#include "runtime/check/run.h"
#include "runtime/check/tracefile.h"

struct sites;

/**
 * struct check - one watched run
 * @lock: recursive: the fault handler may come in while its own thread is inside
 * @pid: of the process that opened it
 * @hb: the happens-before checker; NULL: off
 * @holds: region id -> struct hold, managed memory that is closed to the CPU
 */
struct check {
    pthread_mutex_t lock;
    struct soc_profile profile;
    struct run *run;
    struct tracefile *trace;
    struct sites *sites;
    struct hb *hb;
    char *report_path, *json_path;
    bool json_if_found, quiet, closed, hooks_expected;
    unsigned trace_classes;
    pid_t pid;
    GHashTable *holds;
    GHashTable *codes;      /* whose source files have been told */
    GHashTable *files;      /* "code number" -> path */
    GHashTable *grid_code;  /* grid id -> code */
    GHashTable *launches;   /* grid id -> struct source_place of its launch, owned by source.c */
    GHashTable *repeats;    /* findings made from records, so that a loop is one finding */
    GPtrArray *repeat_list; /* the same struct repeat, in order; owns them */
    struct hal *hal;
    check_resolve *resolve;
    void *resolve_opaque;
};

/* Between the two no hook is heard: the calling thread has a lock that hooks take, or is in one, and
 * a signal handler has come in between. */
extern _Thread_local volatile unsigned check_inside __attribute__((tls_model("initial-exec")));

static inline void check_enter(void)
{
    check_inside++;
    atomic_signal_fence(memory_order_seq_cst);
}

static inline void check_leave(void)
{
    atomic_signal_fence(memory_order_seq_cst);
    check_inside--;
}

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

/* A finding made from records: printed the first time, counted after that. */
struct repeat {
    const char *rule;
    uintptr_t pc;
    uint32_t region;
    uint64_t more; /* repetitions not yet in the run */
};
guint repeat_hash(gconstpointer key);
gboolean repeat_equal(gconstpointer a, gconstpointer b);

/* Why a managed region is closed. */
struct hold {
    uint32_t grid_id, stream;
};

/* Give a note to the trace file and to the run; clears it. Return: as run_note(). Lock held. */
bool check_take(struct check *c, struct note *n);

/* Take the note of a finding; print it if it is new. Lock held. */
void told_finding(struct check *c, struct note *n);
void told_barrier_split(struct check *c, const struct trace_record *t);

/* The note of a finding of hb.c. */
void hb_words(const struct run *r, const struct hb_finding *finding, struct note *n);

/* hb_found: makes a finding of what hb.c found; @check is the checker. */
void hb_tell(void *check, const struct hb_finding *finding);

/* Add where=, unless nothing is known of the place. */
void told_where(struct note *n, const struct check_caller *caller);

/* Print a finding that just happened: stderr. */
void live_finding(const struct check *c, const struct run_finding *f);

/* Where the current hooked access is in the program, for findings made from its records; thread
 * local. */
extern _Thread_local uintptr_t hook_pc;

/* Emit the @site notes: what each line of the program accessed. */
void sites_notes(struct check *c);
struct sites *sites_new(void);
void sites_free(struct sites *s);

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
