/* SPDX-License-Identifier: MIT */
/* Records and notes in, findings out. Who watches a program gives what it sees, and what only it
 * knows by struct checker_host; the reader of a trace file gives the file's lines. Both reports are
 * made from the same run, so they cannot differ. One thread at a time. */
#ifndef CHECKER_CHECKER_H
#define CHECKER_CHECKER_H

#include "checker/finding.h"
#include "checker/hb/hb.h"
#include "checker/rules/rules.h"
#include "checker/run/run.h"

/**
 * struct checker_host - what the side that watches the program knows; each call may be NULL
 * @place: "app.cu:41 in main" for a return address in the program; NULL or "": not known. The text
 *         stays valid until the checker is freed
 * @noted: a note was taken, as the line that a trace file has; before anything follows from it
 * @found: a finding that is no repetition, and no advice; as it happens
 * @launched: where a grid was launched, as @place
 */
struct checker_host {
    const char *(*place)(void *opaque, uint64_t pc);
    void (*noted)(void *opaque, const struct note *n);
    void (*found)(void *opaque, const struct run_finding *f);
    void *opaque;
    const char *(*launched)(void *opaque, uint32_t grid_id);
};

struct checker;

/* checker_new - of a run that is watched. @hb: look for races and stale bytes in each access. */
struct checker *checker_new(const struct checker_host *host, bool hb);

/* checker_new_replay - of a trace: what the live run found is in its notes. Accesses are compared
 * only if the live run did not. @host: may be NULL. */
struct checker *checker_new_replay(const struct checker_host *host);

void checker_free(struct checker *c);

/* What is known so far; owned by the checker, who alone changes it. */
struct run *checker_run(const struct checker *c);
struct hb *checker_hb(const struct checker *c); /* NULL: accesses are not compared */

/**
 * checker_record - a record
 * @pc: where in the program the CPU is, 0: not known
 * @happens: false: the access faults; it is counted, and compared with nothing
 */
void checker_record(struct checker *c, const struct trace_record *t, uint64_t pc, bool happens);

/* A record of another process on the same board (record.h): it orders, and races; no trace, count
 * or other rule knows it. */
void checker_foreign(struct checker *c, const struct trace_record *t);

/* A frame of an EGLStream changes hands (frame_rule.h): live runs only, the trace has the findings.
 */
struct frame_turn;
void checker_frame(struct checker *c, const struct frame_turn *turn);
/* The same of an EGLImage: OpenGL's side (image_rule.h). */
struct image_turn;
void checker_image(struct checker *c, const struct image_turn *turn);

/* @n records were not sent, which would have found nothing; the last of them at @time_ns. */
void checker_untold(struct checker *c, uint64_t n, uint64_t time_ns);

/* --- what need not be sent (struct trace_spare): only with hb --- */

/* checker_record() for a plain access of the iGPU or its copy engine: GPU_LOAD, GPU_STORE. */
void checker_access(struct checker *c, const struct trace_record *t);
/* Grows with every note. */
const uint32_t *checker_news(const struct checker *c);
/* Where to count what caches do with lines of a region; NULL: the region is not known. */
struct trace_counts *checker_counts(const struct checker *c, uint32_t region);

/* A note; it is cleared. Return: as run_note(). */
bool checker_note(struct checker *c, struct note *n);

/* Of @what so many were not kept: the report says what was not checked. */
void checker_forgot(struct checker *c, enum run_forgot what, uint64_t times);

/**
 * struct checker_finding - something that the watching side found
 * @where: "app.cu:41 in main", NULL or "": not known; the rest as in struct run_finding
 * @pair: what makes two of them the same, instead of their places; NULL: the places do
 * @grid_id, @region: 0: none; @va: in the region, 0: none
 */
struct checker_finding {
    const char *rule;
    enum check_severity severity;
    enum check_standing standing;
    const char *section, *text, *todo, *where, *pair;
    uint32_t grid_id, region;
    uint64_t va;
};
/* Of a row of rules.def; the rest is 0. */
struct checker_finding checker_finding_of(enum check_rule_id id);
void checker_finding(struct checker *c, const struct checker_finding *f);

/* The run is over. Repetitions that were only counted go into the run, as notes; then sums of what
 * a trace file does not have in full, and the end. @signal: that kills the program; NULL: it ends
 * with @status. */
void checker_repeats(struct checker *c);
void checker_end(struct checker *c, int status, const char *signal);

#endif
