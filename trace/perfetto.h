/* SPDX-License-Identifier: MIT */
/* Perfetto's trace format: protobuf messages of tracks and of events on them, names interned.
 *
 * Field numbers and wire types are those of perfetto/protos/perfetto/trace (trace_packet.proto,
 * track_event/track_event.proto, track_descriptor.proto, interned_data.proto). Bytes leave through
 * a function of the caller's, a packet or more at a time; nothing is kept but names. */
#ifndef TRACE_PERFETTO_H
#define TRACE_PERFETTO_H

#include <stddef.h>
#include <stdint.h>

struct perfetto;

typedef void perfetto_write(void *opaque, const void *data, size_t len);

struct perfetto *perfetto_new(perfetto_write *write, void *opaque);
/* What is buffered is written. */
void perfetto_free(struct perfetto *p);
void perfetto_flush(struct perfetto *p);

enum perfetto_unit { PERFETTO_COUNT = 2, PERFETTO_BYTES = 3 };

/* Tracks: each has a number of the caller's choice, not 0. A track may be described again: the last
 * name counts. */
void perfetto_process(struct perfetto *p, uint64_t track, int32_t pid, const char *name);
void perfetto_thread(struct perfetto *p, uint64_t track, int32_t pid, int32_t tid,
                     const char *name);
void perfetto_track(struct perfetto *p, uint64_t track, uint64_t parent, const char *name);
void perfetto_counter(struct perfetto *p, uint64_t track, uint64_t parent, const char *name,
                      enum perfetto_unit unit);

enum perfetto_type {
    PERFETTO_BEGIN = 1,
    PERFETTO_END = 2,
    PERFETTO_INSTANT = 3,
    PERFETTO_VALUE = 4
};

/* A line of an event's details: @text, or @number where @text is NULL. */
struct perfetto_arg {
    const char *name, *text;
    uint64_t number;
};

/**
 * struct perfetto_event - one event
 * @category, @name: interned; NULL: none, as of an END
 * @flow, @flow_end: the arrow that begins or passes here, and the one that ends here; 0: none
 * @arg: @args of them; an argument without text and number is left out
 */
struct perfetto_event {
    enum perfetto_type type;
    uint64_t track, time_ns;
    const char *category, *name;
    int64_t value;
    uint64_t flow, flow_end;
    const struct perfetto_arg *arg;
    unsigned args;
};
void perfetto_event(struct perfetto *p, const struct perfetto_event *e);

#endif
