/* SPDX-License-Identifier: MIT */
/* One turn for all processes of a run: `vtegra run --shared --policy seeded`.
 *
 * The processes of the run map one file, which has no name and which each inherits by its
 * descriptor. It says which process has the run's turn. The threads of that process take turns as
 * if it were alone (turn.c), all other processes sleep on a futex. Only the process with the turn
 * writes to the file, so nothing here needs a lock.
 *
 * Between two steps of its threads or of the board the seed decides whether another process is
 * next. A process in which no thread can run passes the turn on. It looks again when it gets the
 * turn back, which it does when another process has run meanwhile. When no process can run the
 * first of their time limits ends, or the run waits for the host, or a process reports a deadlock.
 *
 * A process keeps the turn while it executes another program and until it has ended, so what others
 * see of it (its pipes, its exit status) is complete. Those that wait find out that it has ended.
 */
#ifndef SCHED_ROUND_H
#define SCHED_ROUND_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* The environment variable with the descriptor's number, and the size of the file; `vtegra run`
 * makes it, all zero. */
#define ROUND_VARIABLE "VTEGRA_TURN"
#define ROUND_BYTES 32768u

/* The process takes part. */
extern bool round_on;

/* As the first thing of a process. Nothing without the variable; ends the process after a line on
 * stderr where the file is not there. Returns with the turn. */
void round_join(void);

/* What a process mixes into its seed; 0 for the first one of the run. */
uint64_t round_mix(void);

/* A thread of the process is about to run, or its board has run. @tid: 0, or the thread's. */
void round_runs(pid_t tid);

/* Perhaps another process goes first. @yields: it does if it can. Returns with the turn. */
void round_point(bool yields);

/* Why no thread of a process can run. */
enum round_why {
    ROUND_WORLD = 1,  /* the host may end a wait: a descriptor, a signal */
    ROUND_CHILD = 2,  /* a child may, which takes part */
    ROUND_BOARD = 4,  /* the board may, for another process; it is given up before a deadlock */
    ROUND_OTHERS = 8, /* another process may */
};

/* What a process that gets the turn is to do. */
enum round_what {
    ROUND_LOOK,     /* look whether a thread can run */
    ROUND_TIMER,    /* end the first of its time limits */
    ROUND_HOPELESS, /* give a wait for the board up */
    ROUND_STUCK,    /* report a deadlock */
};

/* No thread can run, for the reasons @why, before the time @until_ns. Returns with the turn. */
enum round_what round_stand(uint64_t until_ns, unsigned why);

/* The process blocks in the kernel, in a call that is not followed; and no longer. */
void round_leave(void);
void round_return(void);

/* The calling thread waits for the board's answer, which takes as long as the board's work. */
void round_served(bool waits);

/* How often a process of the run got on, see turn_progress(). */
void round_progress(void);
uint64_t round_progress_count(void);

/* The run's virtual time. @board_ns: that of the board, NULL: this process has none. */
uint64_t round_time_ns(const uint64_t *board_ns);
void round_time_add(uint64_t ns);

/**
 * round_child_new - a child is about to be made
 * round_child_is - it is the process @pid
 * round_child_none - there is none after all
 *
 * A child has its place in the run by the turn of its parent, not by when it first runs.
 */
void round_child_new(void);
void round_child_is(pid_t pid);
void round_child_none(void);
/* In a child of fork(): returns with the turn. false: it takes no part. */
bool round_child(void);
/* Does a child of this process take part? */
bool round_has_child(void);

/* Signal @sig was sent to @pid, as kill(2) has it: whom it ends has ended when this returns. */
void round_killed(pid_t pid, int sig);

#endif
