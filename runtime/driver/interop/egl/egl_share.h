/* SPDX-License-Identifier: MIT */
/* Inside the driver core: an EGLStream of two processes of one board
 * (EGL_KHR_stream_cross_process_fd).
 *
 * One page of memory has the state machine and a record of each frame; each process has a handle
 * (struct egl_object) with its copy of the state, and calls egl_state_take() before it uses that.
 * Frames stay where they are: the producer's process exports memory and syncpoints (hal_export()),
 * the consumer's maps them. What is written there is checked before it is used.
 *
 * egl_share.c: the page, its lock, the descriptor, and who is there still; egl_offer.c: what it
 * lists; egl_pass.c: frames, and what is imported. */
#ifndef RUNTIME_DRIVER_INTEROP_EGL_EGL_SHARE_H
#define RUNTIME_DRIVER_INTEROP_EGL_EGL_SHARE_H

#include <pthread.h>

#include "runtime/driver/interop/egl/egl_internal.h"

#define SHARE_MEMS (EGL_STREAM_FRAMES_MAX * MAX_PLANES)
#define SHARE_SYNCPTS (2 * EGL_STREAM_FRAMES_MAX)
/* Memory that can go to another process. */
#define SHARE_KINDS                                                       \
    (1u << HAL_MEM_DEVICE | 1u << HAL_MEM_PINNED | 1u << HAL_MEM_SHARED | \
     1u << HAL_MEM_SHARED_UNCACHED | 1u << HAL_MEM_VIDMEM)

/**
 * struct share_pass - an allocation, or a CUDA stream's syncpoint, for the other process
 * @serial: of the page, never used again; 0: there is none
 * @id: struct hal_mem's, or the syncpoint; @token: of hal_export()
 */
struct share_pass {
    uint32_t serial, id;
    uint64_t token[2];
};

/* @index, @serial: of the page's @mem; @offset: of the plane in it; @gpu_uncached: as the producer
 * has it, an NvSciBuf's list says so; @array: of array frames. */
struct share_plane {
    uint32_t index, serial;
    uint64_t offset, pitch; /* @pitch: of an array */
    bool gpu_uncached;
    CUDA_ARRAY3D_DESCRIPTOR array;
};

/* @id 0: none. Handles and addresses of @desc are the producer's. */
struct share_frame {
    uint64_t id;
    CUeglFrame desc;
    struct share_plane plane[MAX_PLANES];
    struct fence presented, released;
};

/**
 * struct share_page
 * @lock: robust; all below it is used with it
 * @process: of the board, by handle; 0: there is no second handle yet
 * @side: the handle (1: the first one, 2) that consumer [0] and producer [1] have connected to; 0:
 * none
 * @gpu: enum unit_id, of the ends as @side; 0: not known
 * @serial: the newest
 * @width: as CUDA's producer gave it when it connected; 0: it gave none
 */
struct share_page {
    uint64_t magic, board;
    pthread_mutex_t lock;
    struct egl_stream s;
    uint32_t process[2], side[2], gpu[2], serial;
    int32_t width;
    struct share_frame frame[EGL_STREAM_FRAMES_MAX];
    struct share_pass mem[SHARE_MEMS], syncpt[2][SHARE_SYNCPTS]; /* syncpt by end */
};

/* What a process has of the other one's: @va: of the mapping, 0: none. */
struct share_mem {
    uint32_t serial;
    uint64_t va;
};

/**
 * struct egl_share - a handle's part
 * @number: of the handle, 1 or 2
 * @alive: a socket that hangs up when the other handle is gone, with its process
 * @locked: the page's lock is held; @mem, @syncpt: imported, by the page's index
 */
struct egl_share {
    struct share_page *page;
    uint32_t number;
    int alive;
    bool locked;
    struct share_mem mem[SHARE_MEMS];
    struct share_pass syncpt[SHARE_SYNCPTS];
};

/* egl_share.c. A descriptor of @o, or -ENOTSUP: this board serves one process; another -errno. */
int egl_share_new(struct egl_object *o);
/* @fd: any number. BAD_ATTRIBUTE: no descriptor of a stream, or used before; BAD_ALLOC: of another
 * board. */
enum egl_stream_result egl_share_open(struct egl_object *o, int fd);
void egl_share_free(struct egl_object *o);
/* Both ends are this process's: handles, addresses and syncpoints mean the same to them. */
static inline bool egl_share_is_mine(const struct egl_object *o)
{
    const struct share_page *page = o->share->page;

    return page->process[0] == page->process[1] ||
           (page->side[1] && page->side[0] == page->side[1]);
}

/* egl_offer.c, between egl_state_take() and egl_state_give(). NULL: there is none; @id 0 of a
 * record: one that is free. */
struct share_pass *share_entry_find(struct share_pass *all, size_t n, uint32_t id);
void share_entry_end(struct share_pass *entry);
struct share_frame *share_record_find(struct share_page *page, uint64_t id);
/* The other process may wait for @id from now on. */
CUresult share_syncpt_offer(struct egl_object *o, bool producer, uint32_t id);
/* The producer: @f is about to be inserted. */
CUresult egl_pass_put(struct egl_object *o, struct egl_frame *f);

/* egl_pass.c, the same. The producer: a frame has come back: what its next work waits for. */
void egl_pass_returned(struct egl_object *o, struct egl_frame *f);
/* The consumer: frame @id, for @context; NULL: it cannot be had. It is released at @released. */
struct egl_frame *egl_pass_get(struct egl_object *o, uint64_t id, struct context *context);
CUresult egl_pass_released(struct egl_object *o, uint64_t id, struct fence released);
/* An end leaves, its frames are gone. */
void egl_pass_leave(struct egl_object *o, bool producer, struct context *context);

/* The producer's allocation is about to go. By itself. */
void egl_pass_region_gone(struct egl_object *o, const struct region *region);
/* A consumer's copy of the producer's record goes. */
void egl_pass_frame_end(struct egl_frame *f);
/* What was imported is not needed any more: it goes when the work that may use it is done. */
void egl_pass_reap(void);
/* The region at @va goes like that. */
void egl_pass_leave_memory(struct context *context, uint64_t va);
void egl_pass_context_gone(const struct context *context);

#endif
