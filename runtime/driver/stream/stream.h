/* SPDX-License-Identifier: MIT */
/* Streams, events, host functions, and waiting for them. */
#ifndef RUNTIME_DRIVER_STREAM_STREAM_H
#define RUNTIME_DRIVER_STREAM_STREAM_H

#include <glib.h>

#include "include/cuda.h"
#include "runtime/driver/core/channel.h"
#include "runtime/driver/core/fence.h"

struct stream;

/* stream_state.c */
CUstream stream_handle(const struct stream *stream);
struct context *stream_context(const struct stream *stream);
struct channel *stream_channel(const struct stream *stream);
uint32_t stream_ordinal(const struct stream *stream); /* 0: default, then order of creation; the
                                                         device from RUN_STREAM_DEVICE on */
/* What is certain once all submitted work has run: fences waited for on the way (fence.h). */
const GArray *stream_known(const struct stream *stream);
bool stream_captured(const struct stream *stream); /* what it is given does not run */
bool stream_blocks(const struct stream *stream);   /* no CU_STREAM_NON_BLOCKING */
/* Where it was behind its last task of another engine, and whether the L2 may hold older bytes than
 * that has written (engines/interop.c). */
uint32_t stream_engine_at(const struct stream *stream);
void stream_engine_set(struct stream *stream, uint32_t at);
void stream_engine_pending_set(struct stream *stream, bool pending);
/* Of a context: the legacy default stream, and the driver's own for its copies. NULL: not yet */
struct stream *stream_legacy(const struct context *context);
struct stream *stream_service(const struct context *context);
/* Has a thread a default stream of its own there? */
bool stream_per_thread(const struct context *context);

/* stream.c. A context: its part, both of its own streams, their end, that of its part. */
void streams_begin(struct context *context);
CUresult streams_make(struct context *context);
void streams_free_all(struct context *context);
void streams_end(struct context *context);
void stream_init(void);
/* core_enter_context(); for a stream that the program has made no context need be current
 * (measured). */
CUresult stream_enter(CUstream handle, struct context **context);
CUresult stream_resolve(struct context *context, CUstream handle, struct stream **out);
CUresult stream_new(struct context *context, unsigned flags, int priority, struct stream **out);
void stream_free(struct stream *stream);
struct fence stream_fence(const struct stream *stream);
/* push_begin() and the implicit order of default streams. Inside stream_submit() (work.h), or in
 * the driver's own stream (stream_service()). */
CUresult stream_begin(struct stream *stream, struct push **p);
struct fence stream_end(struct stream *stream, struct push *p);
void stream_join(struct stream *stream, struct push *p, struct fence fence, const GArray *known);
void stream_known_published(struct stream *stream); /* it knows what clock_publish() was given */
void stream_known_merge(struct stream *stream, const GArray *known); /* it waits for these */
/* What was submitted last is the application's wish; @grid_id: 0 if no kernel. */
void stream_launched(struct stream *stream, uint32_t grid_id, const struct check_caller *caller);
CUresult stream_wait(struct stream *stream); /* as the application's own synchronise */
CUresult context_wait(struct context *context);
GArray *context_fences(struct context *context); /* all it has submitted. g_array_unref() it. */
void sync_covered(
    struct context *context); /* fence_waited() says more: maintenance, printf, protection */
bool stream_idle(const struct stream *stream);

/* hostop.c, hostop_run.c */
typedef void hostop_fn(struct context *context, void *data, CUresult status);
void hostop_init(void);
CUresult hostop_push_internal(struct stream *stream, hostop_fn *fn, void *data);
bool hostop_pump(void);   /* runs what is due; true if something ran */
void hostop_attend(void); /* a thread is about to wait in the C library: see idle.c */
void hostop_finish(void); /* and has: perhaps for the function that runs, which goes on first */
void hostop_drop(struct channel *channel, CUresult status);

/* wait.c */
CUresult wait_fence(struct context *context, struct fence fence);
/* Without a context: @limit_us in virtual time, 0: asks only, -1: no limit. Return: 0, -ETIMEDOUT,
 * -EDEADLK (a finding says so), -EIO. */
int wait_limit(struct fence fence, int64_t limit_us);
/* Does wait_limit() read the syncpoint itself, so that its caller need not? */
bool wait_looks(int64_t limit_us);
void wait_poll(bool must_progress);
/* The board goes on towards @fence, as in a wait of the application. Return: false if it stands;
 * @*spins: because kernels only spin. */
bool wait_step(struct fence fence, bool *spins);
/* Until @ready says true, for @limit_us at most (UINT32_MAX: any time), for what other threads of
 * the application do. The lock is free meanwhile; @what: what for, in words. Return: false if not:
 * the time is over, or no other thread is there. */
bool wait_others(bool (*ready)(void *arg), void *arg, const char *what, uint32_t limit_us);
/* As wait_others(), for what another process does: @ready sees its end, too. */
bool wait_elsewhere(bool (*ready)(void *arg), void *arg, const char *what, uint32_t limit_us);

#endif
