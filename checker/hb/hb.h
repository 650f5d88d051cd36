/* SPDX-License-Identifier: MIT */
/* The happens-before checker: races and stale bytes, found in records alone.
 *
 * Agents are CPU threads and iGPU channels (a stream each; its kernels, copies and semaphores carry
 * the channel). Each has a vector clock; what the API orders moves clocks about (hb_clock.c). Every
 * 64 bytes of a buffer have a state: who accessed which byte last, and which of the three places
 * (CPU cache, L2, DRAM) holds the newest version of it (hb_cell.c). Three findings follow:
 *
 * - race: two accesses to a byte, one of them a store, that nothing orders;
 * - use after free: an access that comes after a stream-ordered free of its buffer. Such a free is
 *   an access itself, of all bytes, and races with what is not ordered before it; so does a
 *   stream-ordered allocation with what is not ordered behind it;
 * - stale: the accesses are ordered, but the reader's place held an older version, or a cache wrote
 *   an old byte over a newer one.
 *
 * Byte exact where the accesses are (kernels, copies, CPU code built with hooks). CPU stores that
 * were only found by comparison (page mode) take no part in races: when they happened is not known.
 */
#ifndef CHECKER_HB_H
#define CHECKER_HB_H

#include "checker/run/run.h"

struct hb;

enum hb_rule {
    HB_RACE,
    HB_FREED,                /* an access to memory that its stream had freed before */
    HB_STALE_CLEAN_CPU,      /* the newest bytes are in the CPU's cache: they were not cleaned */
    HB_STALE_CLEAN_L2,       /* the newest bytes are in the L2: it was not cleaned */
    HB_STALE_INVALIDATE_CPU, /* memory is newer than the CPU's line */
    HB_STALE_INVALIDATE_L2,  /* memory or the CPU is newer than the L2's line */
    HB_STALE_LOST,           /* the newest bytes are nowhere any more */
    HB_LOST_CPU,             /* the CPU wrote a whole line back over newer bytes: false sharing */
    HB_LOST_L2,              /* the L2 wrote old dirty bytes back over newer ones */
    HB_RULES
};

#define HB_NO_STREAM UINT32_MAX

/* UPDATE: read-modify-write; FREE, ALLOC: stream-ordered, of all bytes of the buffer. */
enum hb_access { HB_READ, HB_WRITE, HB_UPDATE, HB_FREE, HB_ALLOC };

/**
 * struct hb_who - one side of a finding
 * @stream: HB_NO_STREAM: a task of cuDLA's standalone mode, which fences order
 * @cpu: a CPU thread, @number of it; else a channel, and @name says what ran on it
 * @pc: hook's return address, CPU only, 0 = unknown
 * @staged: a copy whose source is pageable memory
 * @process: 0: this one; else of another one that shares the board: nothing else is known of it
 * @flag: of a kernel that has seen a flag that was set while it ran: where it reads it, "" = not
 *        known; NULL: it has not
 * @name, @where: kernel or call, and where the program launched it; NULL = unknown
 * @at: line inside the kernel; NULL = unknown (built without -g and -lineinfo)
 */
struct hb_who {
    bool cpu, staged;
    enum hb_access access;
    uint32_t number, stream, grid_id, process;
    uintptr_t pc;
    const char *name, *where, *at, *flag;
};

/**
 * struct hb_finding - one pair of sites
 * @first: the store (or the earlier access), @second: the access at which it was noticed
 * @offset, @size: the bytes, in the region; of the first time
 * @count: 1, or what came after the first time (hb_repeats)
 * @waited: of a race, a thread of the CPU that is on neither side, @waiter, has waited for @first:
 *          what is missing is the way from that thread to this one
 * @event_where: of a race with an engine, where the event was recorded, in @event_stream, that the
 *               side that should have waited last waited for. NULL: it has waited for none, or for
 *               something else since
 * @first_late: that side is @first; of two streams whose work was submitted later
 * @sync_where: where the stream of the work signals a sync object of NvSci behind it; of
 *              HB_STALE_INVALIDATE_L2 where the reader's stream waited for one before it. NULL: it
 *              does not. @sync_skips: without maintenance of the L2
 * @function: of a race between two threads of the CPU, the one that calls host functions, is on one
 *            side; @function_where: where @function_api queued that one; NULL: not known
 * @frame_where: of a frame of an EGLStream, where the program got it before the CPU's access: by
 *               @frame_api, in @frame_stream; @frame_apart: it was given and passed on in other
 *               streams than the work's
 */
struct hb_finding {
    enum hb_rule rule;
    uint32_t region;
    uint64_t offset, size, count;
    struct hb_who first, second;
    bool waited, first_late, sync_skips, function, frame_apart;
    uint32_t waiter, event_stream, frame_stream, function_stream;
    const char *event_where, *sync_where, *frame_where, *frame_api;
    const char *function_where, *function_api;
};

typedef void hb_found(void *opaque, const struct hb_finding *finding);

/* @run gives the board's rules and the buffers; not owned. */
struct hb *hb_new(const struct run *run, hb_found *found, void *opaque);
void hb_free(struct hb *hb);

/* The classes of records it needs. */
#define HB_CLASSES \
    (TRACE_ACCESS | TRACE_CACHE | TRACE_MAINT | TRACE_WORK | TRACE_SYNC | TRACE_MEMORY)

/* @pc: where in the program a CPU access is, 0 = unknown. */
void hb_record(struct hb *hb, const struct trace_record *t, uintptr_t pc);
void hb_note(struct hb *hb, const struct note *n);
/* A record of another process, or about it: as record.h says. Between two of them nothing is
 * looked for, and no bytes are stale because of it. */
void hb_foreign(struct hb *hb, const struct trace_record *t);
/* The same for a record of class ACCESS. */
void hb_access_record(struct hb *hb, const struct trace_record *t, uintptr_t pc);

/* --- accesses without a record
 * -----------------------------------------------------------------------
 *
 * Most plain accesses of the CPU find nothing and take their line from one known state to another
 * known one: these need no record (the hooks' access logs, access_log.c).
 */

/* The object of a record CPU_RELEASE, made by the thread that queues a host function, and of the
 * CPU_ACQUIRE before its call. @number: from 1 on, below 2^48 */
#define HB_HOST_FUNCTION(number) (UINT64_C(1) << 48 | (number))
#define HB_IS_HOST_FUNCTION(object) ((object) >> 48 == 1)

/**
 * struct hb_thread - a thread of the CPU, with the clock it has now
 * @number: as in records; the rest is hb_thread_look()'s
 * @looked: its last record was a look at a flag, and what comes next needs one, too
 */
struct hb_thread {
    uint32_t number, clock;
    uint16_t agent;
    bool looked;
};

/* One line of memory: valid until anything but its accesses comes to the checker. */
struct hb_line {
    uint32_t *state;
    bool cached, track;
};

/* Grows when state numbers, or what steps make of them, change their meaning. */
const uint32_t *hb_changes(struct hb *hb);

/* After every record that the thread itself has caused. */
void hb_thread_look(struct hb *hb, struct hb_thread *thread);
/* Return: false: every access to the line at @pa must come as a record. */
bool hb_line_look(struct hb *hb, uint32_t region, uint64_t pa, struct hb_line *line);
/* Loads from, or stores to, @len bytes at @first of the line. Return: true if that was the same
 * step as one before, which found nothing; it is done. False: nothing was done, it takes a record.
 */
bool hb_again(struct hb *hb, const struct hb_thread *thread, const struct hb_line *line,
              unsigned first, unsigned len, bool store, uintptr_t pc);

/* --- accesses of engines without a record (struct trace_spare)
 * ------------------------------------ */

/* Are versions of the region's bytes followed? Else no record of class CACHE means anything here.
 */
bool hb_follows(const struct hb *hb, uint32_t region);
/* @lines lines of 128 bytes, whole, the record says the first. Return: false: nothing was done, it
 * takes records: one of them finds something, or what caches do in between has a meaning. */
bool hb_run(struct hb *hb, const struct trace_record *first, unsigned lines);
/* After a record of a plain access: bytes of its line with which a record as this one would change
 * nothing. */
void hb_again_bytes(struct hb *hb, const struct trace_record *t, uint64_t bytes[2]);

/* Report what was found again since its first report, in order of the first time. */
void hb_repeats(struct hb *hb);

/* What was not kept (run.h); counted since hb_new(). */
uint64_t hb_forgot(const struct hb *hb, enum run_forgot what);

/* For tests and bench: states in use. */
unsigned hb_states(const struct hb *hb);

#endif
