/* SPDX-License-Identifier: MIT */
/* What an application gives a stream: a struct work a call. stream_submit() is the only way in.
 *
 * A work is plain data. It names objects by handle and memory by address, and looks them up when it
 * runs: so it can be kept, and submitted later or more than once (stream capture, graphs). What has
 * no fixed length lies in @data; a copy of the struct and of @data is a copy of the work.
 *
 * The entry point (rt_*) checks what does not change: flags, dimensions, parameters. @run of the
 * kind checks what may: memory and handles. Then it writes the submissions (stream_begin, push.c,
 * stream_end), and notes what the checker and the managed memory have to know of them.
 */
#ifndef RUNTIME_DRIVER_CORE_WORK_H
#define RUNTIME_DRIVER_CORE_WORK_H

#include "include/cuda.h"
#include "runtime/driver/core/fence.h"
#include "runtime/driver/memory/copy.h"

struct context;
struct ptx_func;
struct stream;
struct work;

/* One a kind, in the file that runs it. @node: what a graph calls it. */
struct work_kind {
    CUgraphNodeType node;
    CUresult (*run)(struct stream *stream, const struct work *work);
};
#define WORK_NO_NODE ((CUgraphNodeType) - 1) /* no graph can have it */

extern const struct work_kind work_kernel;        /* launch.c */
extern const struct work_kind work_empty;         /* stream.c: waits, and no more */
extern const struct work_kind work_copy;          /* copy.c */
extern const struct work_kind work_fill;          /* copy.c */
extern const struct work_kind work_host;          /* hostop.c */
extern const struct work_kind work_event_record;  /* event.c */
extern const struct work_kind work_event_wait;    /* event.c */
extern const struct work_kind work_values;        /* stream_more.c */
extern const struct work_kind work_attach;        /* attach.c */
extern const struct work_kind work_alloc;         /* pool.c */
extern const struct work_kind work_free;          /* pool.c */
extern const struct work_kind work_signal;        /* external_work.c */
extern const struct work_kind work_external_wait; /* external_work.c */

/* A dependency beyond the order of the stream: @fence, and what is certain once it is reached
 * (struct stream, known; may be NULL). */
struct work_after {
    struct fence fence;
    GArray *known; /* struct fence */
};

/**
 * struct work
 * @after: waited for first, in a submission of its own
 * @data: kernel: the parameters, as the kernel's layout has them
 *        values: CUstreamBatchMemOpParams, one behind the other
 *        signal, external wait: parameters of each semaphore, then the handles
 * @copy, @fill: @sync RT_SYNC: the call may wait (rt_copy.h), which no capture allows
 * @copy.box: its regions are not set; @copy.ordered: of a graph: pageable memory is read when the
 *            stream has come there, for which the call waits
 * @host: one of @fn and @callback
 * @attach: the region with @serial that begins at @address
 * @address: alloc, free: of a region
 * @event: record, wait
 * @fence: take: of the other engine
 */
struct work {
    const struct work_kind *kind;
    const struct work_after *after;
    unsigned n_after;
    const void *data;
    size_t data_bytes;
    union {
        struct work_kernel {
            CUfunction function;
            uint32_t grid[3], block[3];
            uint32_t cluster[3]; /* all 0: none */
            unsigned dynamic;    /* bytes of shared memory */
            bool cooperative;
        } kernel;
        struct work_copy {
            const char *api; /* constant text */
            struct box box;
            enum copy_side src, dst;
            enum rt_when sync;
            bool ordered;
        } copy;
        struct work_fill {
            uint64_t dst;
            size_t pitch, width, height; /* width: elements */
            uint32_t value;
            unsigned element;
            enum rt_when sync;
        } fill;
        struct work_host {
            CUhostFn fn;
            CUstreamCallback callback;
            void *user;
        } host;
        struct work_attach {
            uint64_t address, serial;
            unsigned flags; /* CU_MEM_ATTACH_* */
        } attach;
        uint64_t address;
        CUevent event;
        struct fence fence;
    };
};

/* Checks what does not change, and makes a work of it; not submitted. @work->data of a launch is
 * the caller's to g_free(). */
CUresult launch_work(struct context *context, const CUlaunchConfig *config, CUfunction function,
                     void **params, void **extra, struct work *work);
const struct ptx_func *launch_function(const struct work *work); /* NULL: gone */
struct context *launch_context(const struct work *work);         /* of the kernel; NULL: gone */
CUresult copy_work_3d(const CUDA_MEMCPY3D *copy, struct work *work);
CUresult fill_work_2d(CUdeviceptr dst, size_t pitch, uint32_t value, unsigned element, size_t width,
                      size_t height, struct work *work);

/* Of @kind work_signal or work_external_wait; @work->data is the caller's to g_free(). */
#define EXTERNAL_SEMAPHORES_MAX 256u /* in one call: one submission has them all (inferred) */
CUresult external_work(const struct work_kind *kind, const CUexternalSemaphore *semaphores,
                       const void *params, unsigned n, struct work *work);
unsigned external_work_parts(const struct work *work, const CUexternalSemaphore **semaphores,
                             const void **params);

/* Is the memory there now? */
CUresult copy_work_check(const struct work *work);
CUresult fill_work_check(const struct work *work);

/**
 * stream_submit - a work enters a stream
 *
 * May wait: for room in the channel, and where the call that the work stands for does. The lock may
 * have been let go then. stream_fence() is behind the work afterwards.
 *
 * Return: CUDA_ERROR_INVALID_HANDLE if what the work names is gone; otherwise of the kind.
 */
CUresult stream_submit(struct stream *stream, const struct work *work);

#endif
