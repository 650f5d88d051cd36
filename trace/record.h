/* SPDX-License-Identifier: MIT */
/* Records: the one way anything that happened in the model is reported to the outside.
 *
 * Report, checker and trace files are all made from these and from nothing else. A record holds no
 * host address and no host time.
 */
#ifndef TRACE_RECORD_H
#define TRACE_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum trace_class {
    TRACE_ACCESS = 1 << 0,
    TRACE_CACHE = 1 << 1,
    TRACE_MAINT = 1 << 2,
    TRACE_WORK = 1 << 3,
    TRACE_SUM = 1 << 4,
    TRACE_FAULT = 1 << 5,
    TRACE_MEMORY = 1 << 6,
    TRACE_SYNC = 1 << 7,
    TRACE_ALL = (1 << 8) - 1,
    /* No class: records of other programs that share the board come, too (@process). */
    TRACE_FOREIGN = 1 << 8,
};

enum trace_event {
#define EVENT(name, class, args) TRACE_EVENT_##name,
#include "trace/record.def"
#undef EVENT
    TRACE_EVENT_COUNT
};

#define TRACE_ARGS 6

/**
 * struct trace_record - one thing that happened
 * @time_ns: virtual time of the agent; agents overlap, so records are in the order in which things
 * happened and their times are not ascending
 * @agent: enum bus_agent
 * @region: id given to soc_memory_add(), 0 if it concerns no memory region
 * @channel: number of the iGPU channel whose command caused it, plus one; of a DLA's task
 *           its queue's number (model/values.h), plus one; 0 = none (the CPU did)
 * @thread: number of the CPU thread that did it, 0 = the first or unknown; of engines' records it
 * means nothing
 * @process: 0: the program that observes; else the number of another one on its board. Only with
 *           TRACE_FOREIGN, and only what orders accesses, and accesses to memory that the observer
 *           holds as well. Its REGION_ADD: memory that the observer imports. Its
 *           TRACE_EVENT_COUNT: it has ended; of TRACE_PROCESSES: records are left out here,
 *           @arg[0] of the observer and @arg[1] of others (0, 0: how many comes later)
 * @arg: in the order of the event's line in record.def. The last one of CPU_LOAD, CPU_STORE and
 * CPU_ATOMIC has no name and is in no text: the address behind the instruction in the program, if
 * whoever passes the record on knows it (QEMU), else 0
 */
struct trace_record {
    enum trace_event event;
    uint32_t agent, region, channel;
    uint64_t time_ns;
    uint64_t arg[TRACE_ARGS];
    uint32_t thread, process;
};
#define TRACE_PROCESSES UINT32_MAX

typedef void trace_sink(void *opaque, const struct trace_record *record);

/**
 * struct trace_counts - events of class CACHE of one region that are counted instead of sent
 * @snoops: CPU_SNOOP of reads, always; the others unless @followed: L2_FILL, L2_EVICT, and
 * L2_WRITEBACK not at all
 */
struct trace_counts {
    uint64_t fills, evicts, snoops;
    bool followed;
};

/**
 * struct trace_spare - an observer that can do without records which have nothing new for it
 * @begin: engines are about to run; @rest: all that there was has been sent or counted, the newest
 * at @time_ns. Between the two, and from a record on to @rest, the observer may keep a lock. If
 * @access is NULL, so are all below: every record is sent
 * @news: grows whenever the observer learns something by other ways than records: answers given
 * before are void
 * @counts: where to count what caches do with lines of a region; NULL: send it. Holds until a
 * record of another class than ACCESS, CACHE and SUM
 * @access: a sink for GPU_LOAD and GPU_STORE alone, the most frequent records by far
 * @run: an engine's plain access to @lines whole lines, the record says the first. true: taken as
 * if there had been a record for each. false: send them, nothing was taken
 * @again: after such a record, or GPU_ATOMIC: bytes of the line whose access again, same kind,
 * place and channel, changes nothing; of atomics: as long as no plain access comes between
 *
 * What the observer makes of a run with these is what it makes of the records.
 */
struct trace_spare {
    const uint32_t *news;
    void (*begin)(void *opaque);
    void (*rest)(void *opaque, uint64_t time_ns);
    struct trace_counts *(*counts)(void *opaque, uint32_t region);
    trace_sink *access;
    bool (*run)(void *opaque, const struct trace_record *first, unsigned lines);
    void (*again)(void *opaque, const struct trace_record *record, uint64_t bytes[2]);
};

struct trace_newest;

/**
 * struct trace - where the units of one SoC send their records
 * @mask: classes with an observer; a unit tests it before it builds a record
 * @now_ns: virtual time of whoever acts: the CPU, and while a channel or an engine runs, its own
 * (model/soc)
 * @channel: what records carry as their channel, kept by the iGPU and the DLAs
 * @thread: the CPU thread that acts now, kept by the SoC
 * @spare: NULL: every record is sent; @newest: what was sent of lines, spare.c
 * @generation: of answers to @spare's counts; @news: the observer's, when they were given
 * @sent: something was, or was spared, since @spare's rest; @spared_ns: time of the newest one
 * spared
 */
struct trace {
    unsigned mask;
    uint64_t now_ns;
    uint32_t channel, thread;
    trace_sink *sink;
    void *opaque;
    const struct trace_spare *spare;
    struct trace_newest *newest;
    uint32_t generation, news;
    bool sent;
    uint64_t spared_ns;
};

extern const unsigned trace_event_class[TRACE_EVENT_COUNT];

/* What orders a program's work among that of others on its board: submissions, and what waits for
 * what. An observer of TRACE_FOREIGN gets these of all of them. */
bool trace_orders_programs(enum trace_event event);

/* trace_emit - send a record if its class is wanted; unused arguments are 0 */
void trace_emit(struct trace *t, enum trace_event event, uint32_t agent, uint32_t region,
                uint64_t a, uint64_t b, uint64_t c, uint64_t d);

/* trace_emit_more - the same for events of more arguments, or with all of them in an array */
void trace_emit_more(struct trace *t, enum trace_event event, uint32_t agent, uint32_t region,
                     const uint64_t arg[TRACE_ARGS]);

static inline bool trace_wants(const struct trace *t, unsigned class_mask)
{
    return t->mask & class_mask;
}

/* --- sparing, spare.c --- */

/* @spare: not owned, NULL: no longer. After the sink is set; a sink without it sees every record.
 */
void trace_spare_set(struct trace *t, const struct trace_spare *spare);
/* Engines are about to run; all is sent for now. */
void trace_spare_begin(struct trace *t);
void trace_spare_rest(struct trace *t);
/* Everything that was sent may have changed its meaning. */
void trace_spare_end(struct trace *t);
/* A record goes out: what it makes worthless. */
void trace_spare_sent(struct trace *t, const struct trace_record *r);

/* Something happened now that has no record. */
static inline void trace_spared(struct trace *t)
{
    t->sent = true;
    t->spared_ns = t->spared_ns > t->now_ns ? t->spared_ns : t->now_ns;
}

/* As @spare's counts, remembered by the caller: @asked: the generation of @counts. */
static inline struct trace_counts *trace_spare_counts(struct trace *t, uint32_t region,
                                                      uint32_t *asked, struct trace_counts **counts)
{
    if (*asked != t->generation) {
        *asked = t->generation;
        *counts = t->spare && t->spare->counts ? t->spare->counts(t->opaque, region) : NULL;
    }
    return *counts;
}

/**
 * trace_access_spared - an engine's access to bytes of one line of 128
 * @record: GPU_LOAD or GPU_STORE, but for time and channel; @place: in the source
 * Return: true: a plain one with nothing new, no record is due.
 */
bool trace_access_spared(struct trace *t, const struct trace_record *record, uint64_t place);
/* Send it. */
void trace_access(struct trace *t, struct trace_record *record, uint64_t place);
/* The same for a GPU_ATOMIC */
bool trace_atomic_spared(struct trace *t, const struct trace_record *record, uint64_t place);
void trace_atomic(struct trace *t, struct trace_record *record, uint64_t place);
/* Whole lines, as @spare's run. */
bool trace_run_spared(struct trace *t, struct trace_record *first, unsigned lines);

/**
 * trace_format - the text line of a record: "time agent EVENT [region=N] [by=N] [thread=N]
 * name=value ...", no newline; by = the channel plus one Return: as snprintf.
 */
int trace_format(const struct trace_record *r, char *buf, size_t size);

/* trace_parse - read such a line back. Return: false if it is not one. */
bool trace_parse(const char *line, struct trace_record *r);

const char *trace_event_name(enum trace_event e);
const char *trace_agent_name(uint32_t agent);

#endif
