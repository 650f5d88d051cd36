/* SPDX-License-Identifier: MIT */
/* For the files of this room alone: EGLStreams with their ends and frames. */
#ifndef RUNTIME_DRIVER_INTEROP_EGL_EGL_INTERNAL_H
#define RUNTIME_DRIVER_INTEROP_EGL_EGL_INTERNAL_H

#include <glib.h>

#include "checker/rules/frame_rule.h"
#include "runtime/driver/core/core.h"
#include "runtime/driver/core/fence.h"
#include "runtime/driver/core/object.h"
#include "runtime/driver/interop/egl/egl.h"
#include "runtime/driver/interop/egl/egl_stream.h"
#include "runtime/driver/interop/egl/rt_egl.h"
#include "runtime/driver/interop/egl/rt_egl_gl.h"

struct egl_far;
struct egl_share;
struct region;
struct stream;

/**
 * struct egl_point - where one end has got to in a CUDA stream: the other end waits for it there
 * @fence, @known: as struct stream has them (stream.h); no fence: the CPU did it, and it is done
 */
struct egl_point {
    struct fence fence;
    GArray *known; /* struct fence; may be NULL */
};

/**
 * struct egl_frame - a producer's frame, from its first present on until it is returned
 * @id: of the state machine: address or array of the first plane
 * @presented: by the producer; @released: by the consumer
 * @resource: of its first acquire; measured: it still answers after the release
 * @region: ids of the planes' allocations; 0: none
 * @copy: of a record of another handle's producer (egl_share.h); @serial: then of the planes'
 * memory
 * @lent: pending_lent() of its memory
 * @far: memory for the other GPU, where the ends are on two (egl_far.c): then @seen is what the
 * consumer has; @far_region: ids of the consumer's; @far_fence: what they are a copy of
 * @of_gl: a surface's: @pixels until they are in @array, which is ours: for a consumer of CUDA, or
 * for another process
 */
struct egl_frame {
    uint64_t id;
    CUeglFrame desc;
    struct egl_point presented, released;
    struct graphics *resource;
    uint32_t region[MAX_PLANES];
    uint32_t producer_stream, producer_channel; /* ordinal; index */
    bool copy, of_gl, lent;
    uint32_t serial[MAX_PLANES];
    struct egl_far *far[MAX_PLANES];
    CUeglFrame seen;
    uint32_t far_region[MAX_PLANES];
    struct fence far_fence;
    uint8_t *pixels;
    CUarray array;
};

/**
 * struct egl_object - an EGLStream, held by its handle (EGLStreamKHR), ends, sync and calls under
 * way
 * @base: its handle is NULL from eglDestroyStreamKHR on, while others still hold it
 * @share: NULL, or it is of two processes: then @s is as it was at the last egl_state_take()
 * @spare: frames of a surface that came back, for its next ones
 * @far: struct egl_far
 */
struct egl_object {
    struct object base;
    const void *display;
    struct egl_stream s;
    struct egl_share *share;
    struct egl_end *producer, *consumer; /* of CUDA; NULL: none */
    struct rt_egl_gl_end *gl_producer, *gl_consumer;
    struct rt_egl_stream_sync *sync;
    GPtrArray *frames, *spare; /* struct egl_frame */
    GPtrArray *far;
    bool discarded, copied; /* reported once */
};

/**
 * struct egl_end - CUDA as producer or consumer: a CUeglStreamConnection
 * @width, @height: as the producer gave them
 */
struct egl_end {
    struct object base;
    struct egl_object *object;
    bool producer;
    int width, height;
    bool repeated;     /* reported once */
    unsigned timeouts; /* of ReturnFrame in a row, while reuse keeps the last frame */
};

/**
 * struct rt_egl_gl_end - a texture or a surface
 * @base: has a context of its own in a stream of two processes: the program cannot destroy it
 * @width, @height: of the surface; @frames: that it has made
 */
struct rt_egl_gl_end {
    struct object base;
    struct egl_object *object;
    bool producer;
    unsigned width, height;
    uint64_t frames;
};

/* egl_stream_sync.c; @signaled: a frame has come */
struct rt_egl_stream_sync {
    struct egl_object *object;
    bool signaled;
};

/* egl_object.c */
struct egl_object *egl_object_find(const void *display, const void *handle);
void egl_object_hold(struct egl_object *o);
void egl_object_release(struct egl_object *o);
struct egl_frame *egl_frame_find(const struct egl_object *o, uint64_t id);
void egl_frame_drop(struct egl_object *o, struct egl_frame *f);
/* An end has gone: the stream is disconnected. */
void egl_object_left(struct egl_object *o, bool producer);
/* @f, which is in @o's list, goes to the consumer. Else it is dropped. */
CUresult egl_frame_insert(struct egl_object *o, struct egl_frame *f);
int64_t egl_now_ns(void);

/* egl_share.c: @o's state is the newest from take to give, and no other process changes it: short.
 * Without another process nothing happens here. */
void egl_state_take(struct egl_object *o);
void egl_state_give(struct egl_object *o);
void egl_state_look(struct egl_object *o); /* both */
/* Between the two: an end has connected to @o's handle. */
void egl_state_connected(struct egl_object *o, bool producer);
const char *egl_state_name(const struct egl_object *o);

/* egl_end.c: one call on @conn begins: the lock is held on success only. */
CUresult egl_end_enter(CUeglStreamConnection *conn, bool producer, struct egl_end **end);
/* A context of the end's GPU has to be current; @s, if not NULL, may stand for it (measured with
 * two GPUs). */
CUresult egl_end_current(const struct egl_end *end, const struct stream *s, const char *api);
void egl_ends_init(void); /* as a notifier; any number of times */
/* Why the state machine refused: a line in the report, and the code. */
CUresult egl_refuse(const char *api, enum egl_stream_result result, const struct egl_object *o);

/* egl_frame.c */
/* What can be presented: CUDA_SUCCESS, or the code. */
CUresult egl_frame_check(const CUeglFrame *frame);
uint64_t egl_frame_id(const CUeglFrame *frame);
/* This end's work in @s so far, written back for the other end. */
CUresult egl_point_make(struct stream *s, struct egl_point *point);
/* @s waits for the other end's, and reads memory anew. No wait of the CPU. */
CUresult egl_point_wait(struct stream *s, const struct egl_point *point);
void egl_point_clear(struct egl_point *point);
/* The other context's frames are mapped for @context, too. */
CUresult egl_frame_map(const struct egl_frame *f, struct context *context);
/* The call @api has given it to the program in @s. */
void egl_frame_given(const struct egl_frame *f, const char *api, const struct stream *s);
/* The program has passed it on by the call @api, in @s. */
void egl_frame_taken(const struct egl_frame *f, const char *api, const struct stream *s);
/* From the next launch on the frame belongs to ... */
void egl_frame_owner(struct egl_frame *f, enum frame_owner owner, uint64_t number);

/* egl_far.c */
/* Are the ends on two GPUs? Between egl_state_take() and egl_state_give(): one is on @c's, NULL: on
 * that of OpenGL. */
bool egl_far_apart(const struct egl_object *o);
void egl_far_connected(struct egl_object *o, bool producer, const struct context *c);
/* The frame has to be memory of the end's GPU (measured with two GPUs). */
CUresult egl_far_own(const struct egl_end *end, const CUeglFrame *frame, const char *api);
/* An array, or managed memory, would have to go from one GPU to the other. */
CUresult egl_far_check(const struct egl_object *o, const CUeglFrame *frame, const char *api);
/* The producer's copy in @s, into @far, which presented() gives to the frame; or put() back. */
CUresult egl_far_present(struct egl_object *o, const CUeglFrame *frame, struct stream *s,
                         struct egl_far *far[MAX_PLANES], const char *api);
void egl_far_presented(struct egl_frame *f, struct egl_far *far[MAX_PLANES]);
void egl_far_put(struct egl_far *far[MAX_PLANES]);
/* Where the consumer has the frame: place() finds the memory, and fetch() copies, behind the wait
 * for the producer. */
const CUeglFrame *egl_far_seen(const struct egl_frame *f);
CUresult egl_far_place(struct egl_object *o, struct egl_frame *f, struct context *c,
                       const char *api);
CUresult egl_far_fetch(struct egl_object *o, struct egl_frame *f, struct stream *s,
                       const char *api);
void egl_far_released(const struct egl_frame *f, const struct egl_point *point);
/* An end goes, with @of, its context; the stream goes. */
void egl_far_leave(struct egl_object *o, bool producer, struct context *of);
void egl_far_free(void *far);

/* egl_freed.c */
extern struct object_list egl_ends; /* struct egl_end */
void egl_frame_regions(const CUeglFrame *frame, struct region *regions[MAX_PLANES]);
void egl_freed_init(void); /* any number of times */

/* egl_gl.c: a surface's frame is put into an array of @context: from then on @presented says where,
 * and @pixels is NULL. */
CUresult egl_gl_upload(struct egl_frame *f, struct context *context);

/* egl_share.c: a frame is there. */
void egl_sync_signal(struct egl_object *o);

/* egl_image.c: an image's pixels of GL at some moment, into @pixels; false: it was none then, or
 * another. */
typedef bool egl_shot_fn(void *held, void *image, void *pixels, size_t bytes);
/* What GL had drawn by then reaches CUDA's copies in order of @s. */
CUresult egl_images_join(struct stream *s, egl_shot_fn *shot, void *held);
/* The same at once, for a CPU that has waited. */
void egl_images_meet(egl_shot_fn *shot, void *held);
/* egl_image_check.c: OpenGL waits for CUDA there. */
void egl_images_waited(const struct egl_point *point);
/* egl_image_give.c: what CUDA has written reaches GL's copies. */
void egl_images_give(void);

/* egl_image.c: the image of @g, if it is one's, is forgotten. Return: its array, to be destroyed.
 */
CUarray egl_image_unregister(const struct graphics *g);

#endif
