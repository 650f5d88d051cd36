/* SPDX-License-Identifier: MIT */
/* EGLStream as a state machine: who may connect, insert, acquire, release and return when.
 *
 * A pure library: no EGL, no CUDA, no thread, no clock. A frame is a number that the producer
 * chooses; what it stands for, and what waits on the GPU for what, is up to the caller
 * (runtime/driver/egl.c). A call that has to block answers EGL_STREAM_WAIT, and the caller calls
 * again when something has changed, or with @expired when its time limit is over.
 *
 * Sources: EGL_KHR_stream 3.10 (states, mailbox, attributes), EGL_KHR_stream_fifo 3.10.5.2,
 * EGL_NV_stream_reset (reset, reuse), EGL_KHR_stream_consumer_gltexture 3.10.4.6 (time limit),
 * EGL_KHR_stream_cross_process_fd 3.10.1.1, EGL_NV_stream_sync. CUDA for Tegra 5.1.2: 64 frames.
 * Measured on NVIDIA's driver 580.159: order of returned frames, a frame that is presented twice,
 * a second acquire, the 65th frame. */
#ifndef RUNTIME_DRIVER_INTEROP_EGL_EGL_STREAM_H
#define RUNTIME_DRIVER_INTEROP_EGL_EGL_STREAM_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/driver/interop/egl/egl_values.h"

#define EGL_STREAM_FRAMES_MAX 64u

/* A frame on its way: @frame is the producer's, @number counts from 1 on. */
struct egl_stream_slot {
    uint64_t frame, number;
    int64_t stamp_ns;
};

/* The oldest first. */
struct egl_stream_list {
    unsigned len;
    struct egl_stream_slot slot[EGL_STREAM_FRAMES_MAX];
};

/**
 * struct egl_stream - read it as you like, change it through the functions below
 * @base: CREATED, CONNECTING, EMPTY (both ends are connected) or DISCONNECTED;
 *        egl_stream_state() distinguishes EMPTY, NEW and OLD
 * @queue: unconsumed frames, the oldest first
 * @old: the last consumed frame, kept for reuse; frame 0: none
 * @held: the consumer has it; frame 0: none. @fresh: no reset has come since it was acquired
 * @returned: for the producer to collect, in the order in which they came back
 * @discarded: frames that a newer one replaced before the consumer had seen them (mailbox)
 * @duplicate: of the handle: it was made from a file descriptor; @apart: of the handle: the
 * producer has connected to another one
 *
 * No pointers: two processes may have it in memory that they share.
 */
struct egl_stream {
    enum egl_stream_state base;
    int32_t latency_us, acquire_timeout_us, fifo_length;
    bool support_reset, support_reuse, duplicate, apart, fd_taken, has_sync, fresh;
    struct egl_stream_list queue, returned;
    struct egl_stream_slot old, held;
    uint64_t producer_frame, consumer_frame, discarded;
    int64_t producer_ns, consumer_ns;
};

void egl_stream_init(struct egl_stream *s);
/* Is it one that the functions below have made, as far as they rely on it? Another process may have
 * written to it. */
bool egl_stream_sane(const struct egl_stream *s);

enum egl_stream_state egl_stream_state(const struct egl_stream *s);

/* Attributes: at creation (read-only ones are BAD_ACCESS), later, and queries by type. @now_ns: the
 * answer of EGL_STREAM_TIME_NOW. */
enum egl_stream_result egl_stream_create_attribute(struct egl_stream *s, int64_t attribute,
                                                   int64_t value);
enum egl_stream_result egl_stream_set_attribute(struct egl_stream *s, int64_t attribute,
                                                int64_t value);
enum egl_stream_result egl_stream_query(const struct egl_stream *s, int64_t attribute,
                                        int32_t *value);
enum egl_stream_result egl_stream_query_u64(const struct egl_stream *s, int64_t attribute,
                                            uint64_t *value);
enum egl_stream_result egl_stream_query_time(const struct egl_stream *s, int64_t attribute,
                                             int64_t now_ns, uint64_t *value);

/* @resets: the consumer can be reset; if not, a stream with EGL_STREAM_RESET is BAD_MATCH. */
enum egl_stream_result egl_stream_connect_consumer(struct egl_stream *s, bool resets);
enum egl_stream_result egl_stream_connect_producer(struct egl_stream *s);
/* One end is gone. Measured: the producer can collect nothing any more; a frame that the consumer
 * holds can be released still. */
void egl_stream_disconnect(struct egl_stream *s);

/* The producer inserts @frame, which is not 0. WAIT: the FIFO is full. Mailbox: an unconsumed frame
 * is replaced. */
enum egl_stream_result egl_stream_insert(struct egl_stream *s, uint64_t frame, int64_t now_ns);
/* What egl_stream_insert() would answer; nothing changes. */
enum egl_stream_result egl_stream_may_insert(const struct egl_stream *s, uint64_t frame);
/* The next frame, or with @expired the old one again. BAD_ACCESS: one is held already. */
enum egl_stream_result egl_stream_acquire(struct egl_stream *s, bool expired,
                                          struct egl_stream_slot *slot);
enum egl_stream_result egl_stream_release(struct egl_stream *s, uint64_t frame);
/* The producer collects a frame. */
enum egl_stream_result egl_stream_return(struct egl_stream *s, bool expired, uint64_t *frame);
/* The only frame that the producer lacks is the one that reuse keeps. */
bool egl_stream_pinned(const struct egl_stream *s);
/* Frames that were inserted and not collected. */
unsigned egl_stream_outstanding(const struct egl_stream *s);
bool egl_stream_has(const struct egl_stream *s, uint64_t frame);

enum egl_stream_result egl_stream_reset(struct egl_stream *s);
enum egl_stream_result egl_stream_sync(struct egl_stream *s);
/* A file descriptor of the stream is made; a handle is made from one (@duplicate is set). */
enum egl_stream_result egl_stream_fd(struct egl_stream *s);
enum egl_stream_result egl_stream_from_fd(const struct egl_stream *s);

#endif
