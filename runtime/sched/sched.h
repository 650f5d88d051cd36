/* SPDX-License-Identifier: MIT */
/* The scheduler's door for the runtime: application threads take turns under the policy "seeded".
 *
 * The scheduler lives in libvtegra-preload.so, before the C library, because it stands in front of
 * pthread_*, blocking calls and clocks. The runtime finds vtegra_sched() with dlsym() and gives it
 * the board, whose engines are agents like threads. Under the other policies threads run freely,
 * and only the order that locks, threads and signals make is told (note).
 *
 * Only the C library below it.
 */
#ifndef RUNTIME_SCHED_SCHED_H
#define RUNTIME_SCHED_SCHED_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/sched/decide.h"
#include "runtime/track/track.h"

/* What ends a run that cannot go on: a deadlock or a livelock of application threads. */
#define SCHED_EXIT_STUCK 122

enum sched_note { SCHED_NOTE_THREAD, SCHED_NOTE_RELEASE, SCHED_NOTE_ACQUIRE };

enum sched_progress {
    SCHED_STANDS, /* nothing can go on */
    SCHED_WENT,
    SCHED_CALLED, /* a host function of the program has run */
};

/* Where a call of the program was made: return addresses, innermost first, 0 behind the last. More
 * than one, because a lock is taken in a header of the C++ library, say. */
#define SCHED_FRAMES 10
struct sched_stack {
    uintptr_t pc[SCHED_FRAMES];
};

/**
 * struct sched_board - the runtime's side; every callback runs on the thread that has the turn
 * @step: let the engines go on by one piece of work, whichever choose() takes. Calls choose() once
 * at most. Where threads run freely host functions that are due run, too
 * @time_ns, @advance: virtual time
 * @place: "app.c:12", the line that the developer wrote; free() it, NULL if unknown
 * @streams: what the board's channels wait for, a sentence; free() it, NULL if nothing
 * @finding: a deadlock or livelock for the report; @where: of the thread it is best told at, NULL
 * unknown
 * @warning: the same for what has not happened, but can; @section: whose rule it is
 * @note: see enum hal_note; runs on any thread
 * @flag: the calling thread has released or acquired a flag of the program's, at which hooks see
 * atomics, too
 * @calls, @calls_end: code of ours that calls functions which the program gave us
 * @waits, @woke: the calling thread will now wait in the C library, where threads run freely, and
 * has
 * @unsure: the board went on for a thread that loops at @pc when the host's time said so, once a
 * run
 * @left: the calling thread is about to longjmp(), perhaps out of a signal handler; runs there
 */
struct sched_board {
    enum sched_progress (*step)(void);
    uint64_t (*time_ns)(void);
    void (*advance)(uint64_t ns);
    char *(*place)(const struct sched_stack *where);
    char *(*streams)(void);
    void (*finding)(const char *rule, const char *text, const char *todo,
                    const struct sched_stack *where);
    void (*warning)(const char *rule, const char *section, const char *text, const char *todo,
                    const struct sched_stack *where);
    void (*note)(enum sched_note what, uint64_t a);
    void (*flag)(const void *address, bool release);
    const char *calls, *calls_end;
    void (*waits)(void);
    void (*woke)(void);
    void (*unsure)(uint32_t thread, uintptr_t pc);
    void (*left)(void);
};

/* Where a thread is when it asks. */
enum sched_point {
    SCHED_CALL,  /* enters a call of the API */
    SCHED_LOAD,  /* is about to load from shared memory: @address */
    SCHED_STORE, /* or to store there */
    SCHED_LOOK,  /* has loaded a flag in memory of its own, which a loop may do; no switch point */
    SCHED_QUERY, /* asked, and was told "not yet" */
    SCHED_WORK,  /* has given the board something to do; no switch point, locks may be held */
};

/**
 * struct vtegra_sched - the scheduler's side
 * @active: do threads take turns?
 * @attach: the board is up; NULL: it is down
 * @choose: which of @n engines goes on, for step(). Return: an index; -1: none, it is a thread's
 * turn
 * @evict: see decide_evict()
 * @point: a switch point
 * @wait: this thread waits until @ready says so; others and the board go on meanwhile. The caller
 *        holds no lock. @ready runs on any thread. Return: false if that will never be: nothing
 * else can go on. @what: words for a report; NULL: the thread only serves others, and is not
 *        counted among those that cannot go on. @firm: nothing is left to try: if that will never
 *        be it is a deadlock, and the end of the program
 * @thread: number of the calling thread, from 0 on by creation
 * @watch: by what point() knows loops that only wait, for accesses that are counted without it;
 * NULL: it does not look for them in the calling thread
 * @hush: true: locks that the calling thread takes are none of the program's from now on, even in
 *        libraries that are not ours: a report is made, with locks held that others wait for.
 *        Return: what it was before
 * @application: true: the calling thread runs a host function of the program's, perhaps through
 *        libcudart
 * @orders: tell the board in which orders locks were taken that may end in a deadlock; it is the
 *        end of the run, and the board is still up
 * @report_lost: the JSON report could not be written, errno
 * @busy: has a signal handler of the program's come into malloc() or its kind, or into what the
 *        scheduler locks, on the calling thread? It may take neither memory nor a lock then
 * @who_waits: what each thread waits for in the C library, a sentence; free() it, NULL if none does
 */
struct vtegra_sched {
    unsigned version;
    bool (*active)(void);
    void (*attach)(const struct sched_board *board);
    int (*choose)(const uint32_t *agent, unsigned n);
    uint64_t (*evict)(enum decide_cache cache);
    void (*point)(enum sched_point what, const volatile void *address, uintptr_t pc);
    bool (*wait)(bool (*ready)(void *arg), void *arg, const char *what, bool firm, uintptr_t pc);
    uint32_t (*thread)(void);
    struct vtegra_track_watch *(*watch)(void);
    bool (*hush)(bool on);
    void (*application)(bool in);
    void (*orders)(void);
    char *(*who_waits)(void);
    void (*report_lost)(int error);
    bool (*busy)(void);
};

#define VTEGRA_SCHED_VERSION 9

typedef const struct vtegra_sched *vtegra_sched_fn(void);
vtegra_sched_fn vtegra_sched;

#endif
