/* SPDX-License-Identifier: MIT */
/* Deterministic threads: what the rest of vtegra sees of sched/. README.md says what it does.
 *
 * sched/ is part of libvtegra-preload.so, which is loaded before the C library, because it stands
 * in front of pthread_*(), blocking calls and clocks. Under the policy "seeded" application threads
 * take turns. Under the other policies threads run freely, and sched/ only reports the
 * happens-before edges that locks, threads and signals make (sched_board.note).
 *
 * The runtime finds vtegra_sched() with dlsym() and attaches the board, whose engines are agents
 * like threads. Without a board the same library schedules plain programs.
 *
 * sched/ includes itself, runtime/track/track.h and the C library, nothing else.
 */
#ifndef SCHED_SCHED_H
#define SCHED_SCHED_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "runtime/track/track.h"
#include "sched/decide.h"

/* Exit status of a run that sched/ ends: a deadlock or a livelock of application threads. */
#define SCHED_EXIT_STUCK 122

enum sched_note {
    SCHED_NOTE_THREAD,
    SCHED_NOTE_RELEASE,
    SCHED_NOTE_ACQUIRE,
    SCHED_NOTE_GONE,
    SCHED_NOTE_ENDED
};

enum sched_progress {
    SCHED_STANDS, /* no engine can run */
    SCHED_WENT,   /* an engine ran */
    SCHED_CALLED, /* a host function of the program ran */
};

/* Call stack of a call of the program: return addresses, innermost first, 0 after the last.
 * Several, because the innermost may lie in a header of the C++ library. */
#define SCHED_FRAMES 10
struct sched_stack {
    uintptr_t pc[SCHED_FRAMES];
};

/**
 * struct sched_called - a function of the program that vtegra has called
 * @function, @data: it and its first argument; of a thread or main(): 0: not known
 * @made: where the program made the thread
 */
struct sched_called {
    uintptr_t function;
    void *data;
    struct sched_stack made;
};

/**
 * struct sched_board - callbacks of the runtime
 *
 * Unless stated otherwise a callback runs on the thread that has the turn. A text that it returns
 * is the caller's to free(), NULL means unknown or none.
 *
 * @step: run one piece of work of the engine that choose() picks; calls choose() at most once.
 * Where threads run freely it also runs host functions that are due
 * @time_ns, @advance: read and advance virtual time
 * @place: "app.c:12", the source line of a call
 * @streams: a sentence: what the board's channels wait for
 * @finding: report a deadlock or livelock; @where: the call to report it at, NULL unknown
 * @warning: report what can happen but has not; @section: the document that has the rule
 * @note: report a happens-before edge, or the end of an object or thread; runs on any thread
 * @flag: the calling thread has released or acquired the flag at @address, which compiler hooks may
 *        also see as an atomic access
 * @calls, @calls_end: code of vtegra that calls functions of the program (host functions)
 * @waits, @woke: the calling thread is about to block in the C library, where threads run freely;
 * it has returned from there
 * @unsure: the board ran because the host's clock said so, for a thread that loops at @pc: this run
 *          may differ from the next. Called once a run
 * @mapped: where a call of the program may access [@at, @at + @len): there, or at another mapping,
 *          because the memory may be closed to the CPU; any thread
 * @touched: such a call, at @pc, has written, or is about to read; any thread
 * @opened: the calling thread begins or ends a call whose memory is not known: all is open
 * meanwhile
 * @unseen: the program is about to have the kernel access its memory in ways that @mapped does not
 *          see, @by: "io_uring": all is open from now on
 * @own: the program has given [@at, @at + @len) a protection of its own, as of mprotect(): what may
 *       be closed there stays so
 * @on_stack: call @function with enough stack, for signal handlers
 * @left: the calling thread is about to longjmp(), perhaps out of a signal handler; runs on that
 * thread
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
    void *(*mapped)(void *at, size_t len);
    void (*touched)(const void *at, size_t len, bool write, uintptr_t pc);
    void (*opened)(bool on);
    void (*unseen)(const char *by);
    void (*own)(const void *at, size_t len, int protection);
    void (*on_stack)(void (*function)(void *data), void *data);
};

/* What the calling thread does at a point() of its code. */
enum sched_point {
    SCHED_CALL,  /* enters a call of the API */
    SCHED_LOAD,  /* is about to load from shared memory, @address */
    SCHED_STORE, /* is about to store to shared memory, @address */
    SCHED_LOOK,  /* has loaded a flag in memory of its own, perhaps in a loop; no switch point */
    SCHED_QUERY, /* has asked the board, and the answer was "not yet" */
    SCHED_WORK,  /* has given the board work; no switch point, locks may be held */
};

/**
 * struct vtegra_sched - functions of the scheduler; any thread may call them
 * @active: do threads take turns?
 * @attach: the board is up; NULL: it is down. The scheduler keeps the pointer
 * @choose: which of @n engines runs next, for sched_board.step. Return: an index of @agent; -1:
 * none, a thread is next
 * @evict, @order: see decide_evict(), decide_order()
 * @point: a switch point of the calling thread
 * @wait: block the calling thread until @ready says true; other threads and the board run
 * meanwhile. The caller holds no lock. @ready runs on any thread. @what: words for a report; NULL:
 * the thread only serves others, and a deadlock does not count it. @firm: if @ready can never
 *        become true, report a deadlock and end the process. Return: false if @ready can never
 * become true and @firm is not set
 * @thread: number of the calling thread, from 0 on by creation
 * @watch: state by which point() recognises loops that only wait, for accesses that hooks count
 *         without a call; NULL: the calling thread is not watched
 * @suppress: true: stop recording lock operations of the calling thread (used while our own
 * libraries print the report, with locks held that others wait for). Return: the previous value
 * @application: true: the calling thread runs a host function of the program, perhaps through
 *               libcudart
 * @orders: report lock orders that can deadlock; at the end of a run, with the board still up
 * @held: threads run freely, and the calling one waits at @where for the board, which waits for a
 *        host function: does the function wait, by itself or by way of other threads, for a mutex
 *        that the calling thread holds? Then report a deadlock and end the process. Else return
 * @threads: how many there have been so far
 * @who_waits: a sentence: what each thread waits for in the C library; free() it, NULL if none
 * waits
 * @report_lost: the JSON report could not be written, @error is errno
 * @closing: memory may be closed to the CPU from now on (sched_board.mapped): system calls that the
 *           program makes by instructions of its own are passed to it, too
 * @called: does the return address @pc lie where a function of the program is called? @out: the one
 *          that the calling thread began with
 * @waits_in: does a thread wait at a lock in [@at, @at + @len), since before calls for it went to
 *            another mapping (sched_board.mapped)?
 * @busy: is the calling thread in a signal handler that interrupted malloc() or the scheduler's own
 *        tables? It must neither allocate nor take a lock then
 */
struct vtegra_sched {
    unsigned version;
    bool (*active)(void);
    void (*attach)(const struct sched_board *board);
    int (*choose)(const uint32_t *agent, unsigned n);
    uint64_t (*evict)(enum decide_cache cache);
    uint32_t (*order)(void);
    void (*point)(enum sched_point what, const volatile void *address, uintptr_t pc);
    bool (*wait)(bool (*ready)(void *arg), void *arg, const char *what, bool firm, uintptr_t pc);
    uint32_t (*thread)(void);
    struct vtegra_track_watch *(*watch)(void);
    bool (*suppress)(bool on);
    void (*application)(bool in);
    void (*orders)(void);
    void (*held)(const struct sched_stack *where);
    unsigned (*threads)(void);
    char *(*who_waits)(void);
    void (*report_lost)(int error);
    void (*closing)(void);
    bool (*called)(uintptr_t pc, struct sched_called *out);
    bool (*waits_in)(const void *at, size_t len);
    bool (*busy)(void);
};

#define VTEGRA_SCHED_VERSION 14

typedef const struct vtegra_sched *vtegra_sched_fn(void);
vtegra_sched_fn vtegra_sched;

/* --- for runtime/preload, in the same library ------------------------------------------------- */

/* The program sets a handler for @sig: the scheduler stops using that signal. */
void sched_signal_release(int sig);

/* Remove from @mask, which is about to be blocked, the signals that the scheduler uses. */
void sched_signals_keep_open(sigset_t *mask);

/* The run is over: the recorded schedule is complete. Any number of times. */
void sched_finish(void);

/* --- threads that sleep, from /proc; asleep.c, which the driver links, too -------------------- */

/* Has the thread ended, though /proc still lists it? */
bool asleep_for_good(pid_t tid);

/* A number that changes whenever the thread has run; 0: it does not sleep now. */
uint64_t asleep_state(pid_t tid);

/* Does it sleep for a time only, so that it needs no other thread to resume? */
bool asleep_for_a_time(pid_t tid);

#endif
