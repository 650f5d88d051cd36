/* SPDX-License-Identifier: MIT */
/* A run as a picture of time: records and notes, in order, to tracks of trace/perfetto.h.
 *
 * Tracks: CPU threads with API calls, streams with kernels and copies, DLA queues with tasks, the
 * application's and cuDLA's NVTX ranges, the resources (SMs, copy engines, DLAs, DRAM) with what
 * they were busy with and who waited for them, the caches, counters of dirty lines and of the
 * port's bytes. A finding is an event at its access, and the end of an arrow: from the store (of a
 * race: from the other access) through what the caches did with the line since.
 *
 * Times are virtual. Agents overlap and records have the order in which things happened; along an
 * arrow each time is at least 1 ns behind the one before, as the format takes an arrow's direction
 * from times. */
#ifndef CHECKER_TIMELINE_H
#define CHECKER_TIMELINE_H

#include "trace/note.h"
#include "trace/perfetto.h"
#include "trace/record.h"

struct timeline;

/* Arrows and the counters of dirty lines need the classes ACCESS and CACHE. */
#define TIMELINE_CLASSES TRACE_ALL

struct timeline *timeline_new(perfetto_write *write, void *opaque);
/* Writes what is still open. */
void timeline_free(struct timeline *t);

/* Each record before the findings that follow from it. */
void timeline_record(struct timeline *t, const struct trace_record *r);
void timeline_note(struct timeline *t, const struct note *n);

#endif
