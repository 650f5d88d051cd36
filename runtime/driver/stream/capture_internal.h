/* SPDX-License-Identifier: MIT */
#ifndef RUNTIME_DRIVER_STREAM_CAPTURE_INTERNAL_H
#define RUNTIME_DRIVER_STREAM_CAPTURE_INTERNAL_H

#include "runtime/driver/stream/capture.h"

struct capture;
struct work;

/* What makes nodes. @drop: the capture ends without a graph. */
struct capture_maker {
    CUresult (*work)(struct stream *stream, const struct work *work);
    CUresult (*alloc)(struct stream *stream, size_t bytes, CUdeviceptr *ptr);
    CUresult (*free)(struct stream *stream, CUdeviceptr ptr);
    void (*drop)(struct capture *capture);
};

/**
 * struct capture
 * @thread: that began it
 * @given: the graph is the application's (cuStreamBeginCaptureToGraph)
 * @streams: struct stream, the first is the one that it was begun in
 * @gone: CUgraphNode: where streams stood that joined it and were destroyed meanwhile
 */
struct capture {
    const struct capture_maker *maker;
    uint64_t id;
    CUstreamCaptureMode mode;
    const void *thread;
    CUgraph graph;
    bool given, spoilt;
    GPtrArray *streams;
    GArray *gone;
};

/* A stream in a capture. @deps, @edges: what its next node comes after: CUgraphNode,
 * CUgraphEdgeData. */
struct capture_stream {
    struct capture *capture;
    GArray *deps, *edges;
};

/* capture_state.c */
CUstreamCaptureMode capture_mode(CUstreamCaptureMode mode); /* of this thread. Return: before */
bool capture_is_own(const struct capture *capture);         /* begun by this thread? */
void capture_begin(struct capture *capture);                /* maker, mode and graph are set */
void capture_free(struct capture *capture);
void capture_join(struct capture *capture, struct stream *stream, const CUgraphNode *deps,
                  size_t n);
void capture_deps_add(struct stream *stream, CUgraphNode node);
/* A blocking stream of the legacy stream's context that captures. */
struct stream *capture_implicit(const struct stream *stream);

/* capture_work.c */
CUresult capture_make_work(struct stream *stream, const struct work *work);
CUresult capture_make_alloc(struct stream *stream, size_t bytes, CUdeviceptr *ptr);
CUresult capture_make_free(struct stream *stream, CUdeviceptr ptr);

#endif
