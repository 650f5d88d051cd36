/* SPDX-License-Identifier: MIT */
/* For the files of this room alone: what a stream is, and those of a context. */
#ifndef RUNTIME_DRIVER_STREAM_STREAM_INTERNAL_H
#define RUNTIME_DRIVER_STREAM_STREAM_INTERNAL_H

#include "runtime/driver/core/object.h"
#include "runtime/driver/device/context.h"
#include "runtime/driver/stream/stream.h"

#define GRAPH_LANES_MAX 32u /* of a context; nodes beyond share one, and so get an order */

/**
 * struct stream
 * @ordinal, @known: as stream.h has them
 */
struct stream {
    struct object base;
    struct channel *channel;
    uint32_t ordinal;
    unsigned flags;
    int priority;
    bool is_default;
    GArray *known;      /* struct fence */
    unsigned not_ready; /* queries in a row that said so */
    CUsynchronizationPolicy sync_policy;
    CUlaunchMemSyncDomain mem_domain;
    CUlaunchMemSyncDomainMap mem_domain_map;
    CUaccessPolicyWindow window;
    struct capture_stream *capture; /* capture.c; NULL: what it is given runs */
    uint32_t engine_at; /* interop.c: where the stream was behind its last task of another engine */
    bool engine_pending; /* whose results the L2 may hold older bytes of */
};

/**
 * struct context_streams - those of a context
 * @service: the driver's own copies
 * @of_thread: thread number -> default stream of a thread
 * @all: in the order in which they were made
 * @lanes: of graphs; NULL until used
 */
struct context_streams {
    struct stream *legacy, *service;
    GHashTable *of_thread;
    struct object_list all; /* struct stream */
    uint32_t last_ordinal;
    struct stream *lanes[GRAPH_LANES_MAX];
};

/* stream.c: in reports and traces */
void stream_number(struct stream *stream, uint32_t ordinal);

/* stream_end.c */
extern const struct object_kind stream_kind;
void stream_end_init(void);

static inline struct context_streams *streams_of(const struct context *context)
{
    return context_part(context, CONTEXT_STREAMS);
}

#endif
