/* SPDX-License-Identifier: MIT */
/* The parts of the timeline: tracks (timeline.c), API calls and ranges (timeline_note.c), arrows
 * (timeline_flow.c). */
#ifndef CHECKER_TIMELINE_INTERNAL_H
#define CHECKER_TIMELINE_INTERNAL_H

#include <glib.h>
#include <stdbool.h>

#include "checker/run/line_life.h"
#include "checker/timeline/timeline.h"
#include "model/values.h"
#include "trace/lines.h"

/* Tracks' numbers. */
enum timeline_track {
    TRACK_RUN = 1,
    TRACK_CPU_CACHE,
    TRACK_L2,
    TRACK_PORT,
    TRACK_CPU_DIRTY,
    TRACK_L2_DIRTY,
    TRACK_PORT_READ,
    TRACK_PORT_WRITTEN,
    TRACK_ENGINES = 0x40,      /* + enum bus_agent: work of no channel */
    TRACK_THREADS = 0x100000,  /* + number of the CPU's thread */
    TRACK_CHANNELS = 0x200000, /* + channel + 1 */
    TRACK_RANGES = 0x300000,   /* + thread that pushes and pops */
    TRACK_QUEUES = 0x400000,   /* timeline_queue.c */
    TRACK_SPANS = 0x40000000,  /* + number of a range with an id, by beginning */
};

/**
 * struct timeline - a run being drawn
 * @tracks: those that were described
 * @regions: id -> struct area; @kernels: grid id -> struct label; @spans: "domain id" -> track
 * @streams: channel + 1 -> what is drawn there
 * @found: findings that were drawn, by what makes two the same
 * @last: the newest record, which is not in @lives yet: a finding is about it and what came before
 * @queues: by resource, timeline_queue.c
 * @calls: number of a CPU thread -> struct call, the call that it is in
 * @cpu_ns: where the CPU is
 */
struct timeline {
    struct perfetto *perfetto;
    struct lines *lines;
    struct line_life *lives;
    GHashTable *tracks, *regions, *kernels, *spans, *streams, *found, *calls, *queues;
    struct trace_record last;
    bool has_last;
    uint64_t cpu_ns;
    uint64_t read_bytes, written_bytes, flows, n_spans;
    int64_t shown[4]; /* the counters' last values */
};

/* struct call - an API call that has not ended */
struct call {
    uint64_t from_ns, to_ns;
    char *name, *where;
};

/* struct area - a buffer. @noted: the program's, not the driver's */
struct area {
    uint64_t pa, len;
    bool noted;
    char *where;
};

/* The track of a record's agent; described when it is used first. */
uint64_t timeline_track_of(struct timeline *t, const struct trace_record *r);
uint64_t timeline_thread(struct timeline *t, uint32_t thread);
/* Return: true if the track has not been described yet; it counts as described now. */
bool timeline_track_new(struct timeline *t, uint64_t track);

/* The API call that the thread is in ends: it does something else. */
void timeline_call_end(struct timeline *t, uint32_t thread);
/* The run ends: all calls do. */
void timeline_calls_end(struct timeline *t);
void timeline_call_free(gpointer call);
void timeline_call(struct timeline *t, const struct note *n);
void timeline_range(struct timeline *t, const struct note *n);
void timeline_kernel(struct timeline *t, const struct note *n);
void timeline_finding(struct timeline *t, const struct note *n);

/**
 * struct queue_span - work that had a resource, or waited for it
 * @instance: of the agent's engines
 */
struct queue_span {
    enum queue_resource resource;
    uint32_t agent;
    uint64_t instance, from_ns, to_ns;
    const char *name;
};

void timeline_queue_busy(struct timeline *t, const struct queue_span *s);
void timeline_queue_wait(struct timeline *t, const struct queue_span *s);
void timeline_queue_free(gpointer queue);

/* The counters, where they have changed. */
void timeline_counters(struct timeline *t, uint64_t time_ns);

#endif
