/* SPDX-License-Identifier: MIT */
/* EGLStream, EGLImage and EGLSync: CUDA's side, for runtime/api/cuda, and EGL's, for
 * runtime/api/egl. Rules of the first: runtime/driver/driver.h. Functions of the second need no
 * rt_init() and answer a result of runtime/driver/interop/egl/egl_values.h. */
#ifndef RUNTIME_DRIVER_INTEROP_EGL_RT_EGL_H
#define RUNTIME_DRIVER_INTEROP_EGL_RT_EGL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define VTEGRA_NO_EGL_HEADERS
#include "include/cudaEGL.h"
#include "runtime/driver/interop/egl/egl_values.h"

/* --- CUDA's ends of a stream. @conn: where the handle is kept. Where NVIDIA's header documents no
 * code, that of its driver 580.159 is given: CUDA_ERROR_UNKNOWN for a call that the stream's state
 * does not allow. */
CUresult rt_egl_consumer_connect(CUeglStreamConnection *conn, void *stream, unsigned flags);
CUresult rt_egl_producer_connect(CUeglStreamConnection *conn, void *stream, int width, int height);
CUresult rt_egl_disconnect(CUeglStreamConnection *conn, bool producer);
/* Blocks for other threads of the application only while a FIFO is full. */
CUresult rt_egl_present(CUeglStreamConnection *conn, const CUeglFrame *frame,
                        const CUstream *stream);
/* CUDA_ERROR_LAUNCH_TIMEOUT: there is none to return. */
CUresult rt_egl_return(CUeglStreamConnection *conn, CUeglFrame *frame, const CUstream *stream);
CUresult rt_egl_acquire(CUeglStreamConnection *conn, CUgraphicsResource *resource,
                        const CUstream *stream, unsigned timeout_us);
CUresult rt_egl_release(CUeglStreamConnection *conn, CUgraphicsResource resource,
                        const CUstream *stream);

/* Would rt_egl_return() give a frame at once? */
bool rt_egl_returnable(CUeglStreamConnection *conn);
/* A producer that inserts frames when the consumer asks for one: called by rt_egl_acquire() before
 * anything else, without a lock.
 * @has_new: a new frame is in the stream already */
typedef void rt_egl_feeder(void *stream, bool has_new, unsigned timeout_us);
void rt_egl_feeder_set(rt_egl_feeder *feeder);

/* --- graphics resources: acquired frames and registered images */
CUresult rt_graphics_frame(CUeglFrame *frame, CUgraphicsResource resource, unsigned index,
                           unsigned level);
CUresult rt_graphics_pointer(CUdeviceptr *address, size_t *bytes, CUgraphicsResource resource);
CUresult rt_graphics_array(CUarray *array, CUgraphicsResource resource, unsigned index,
                           unsigned level);
CUresult rt_graphics_unregister(CUgraphicsResource resource);

/* --- EGLImages. The library of EGL gives their pixels: rows without gaps. */

/**
 * struct rt_egl_format - pixels of OpenGL as CUDA has them
 * @bytes: of a pixel
 */
struct rt_egl_format {
    unsigned bytes, channels;
    CUeglColorFormat order;
    CUarray_format channel;
};

/* An image: of @width x @height. */
struct rt_egl_shape {
    unsigned width, height;
    struct rt_egl_format format;
};

/**
 * struct rt_egl_images - calls of the library of EGL; false: there is no such image
 * @seen: pixels at the last point that counts for GL
 * @store: where @pixels and @base differ in @rows rows from @y on, GL's become @pixels; elsewhere
 *         they do not differ
 * @now: GL's pixels, if GL has drawn anything since @now was asked last, or @again; @call: the last
 * command of that kind
 * @drop: an image that rt_egl_image_destroyed() kept is not needed any more
 *
 * Called with the core's lock held.
 */
struct rt_egl_images {
    bool (*shape)(void *image, struct rt_egl_shape *shape);
    bool (*seen)(void *image, void *pixels);
    bool (*store)(void *image, const void *pixels, const void *base, unsigned y, unsigned rows);
    bool (*now)(void *image, bool again, void *pixels, const char **call);
    void (*drop)(void *image);
};
void rt_egl_images_set(const struct rt_egl_images *calls);
/* glFinish() has returned, and what @seen gives is new. */
void rt_egl_images_finished(void);
/* @flags: 0. The resource is an array. */
CUresult rt_egl_register_image(CUgraphicsResource *resource, void *image, unsigned flags);

/* OpenGL uses the image (@call: constant text): CUDA's work that the CPU has not waited for is a
 * mistake where either side writes. */
void rt_egl_image_used(void *image, const char *call, bool writes);
/* Is there such work at all? */
bool rt_egl_images_busy(void);
/* eglDestroyImage(). Return: CUDA has it registered: keep it until @drop. */
bool rt_egl_image_destroyed(void *image);

/* --- EGLSyncs. The library of EGL has the fence syncs, the driver core CUDA's events. */

struct rt_egl_point;

/* The library of EGL is there. */
void rt_egl_loaded(void);

/**
 * struct rt_egl_syncs - calls of the library of EGL
 * @hold: NULL: there is no such fence sync. Else what @shot and @drop take, also after the sync was
 * destroyed
 * @shot: an image's pixels when the sync was made, as in rt_egl_images; false: it was no image of
 * @bytes then
 * @destroyed: the program has destroyed the sync
 */
struct rt_egl_syncs {
    void *(*hold)(void *sync);
    bool (*shot)(void *held, void *image, void *pixels, size_t bytes);
    bool (*destroyed)(void *held);
    void (*drop)(void *held);
};
void rt_egl_syncs_set(const struct rt_egl_syncs *calls);

/* @flags: CU_EVENT_DEFAULT or CU_EVENT_BLOCKING_SYNC. Record and elapsed time:
 * CUDA_ERROR_NOT_SUPPORTED. */
CUresult rt_event_from_egl_sync(CUevent *event, void *sync, unsigned flags);

/* Where the event was recorded last. CUDA_ERROR_INVALID_HANDLE: no event; CUDA_ERROR_INVALID_VALUE:
 * never */
CUresult rt_egl_point_capture(void *event, struct rt_egl_point **point);
bool rt_egl_point_reached(struct rt_egl_point *point);
/* CUDA has got there, and what it wrote to images by then is GL's. */
CUresult rt_egl_point_join(struct rt_egl_point *point);
void rt_egl_point_free(struct rt_egl_point *point);

/* --- EGL's streams. @display: any token; a stream is found on its own display only. */

/* @attributes: pairs that EGL_NONE (0x3038) ends; NULL: none. */
enum egl_stream_result rt_egl_stream_create(const void *display, const int64_t *attributes,
                                            void **stream);
bool rt_egl_stream_exists(const void *display, const void *stream);
/* These answer EGL_STREAM_BAD_FRAME where there is no such stream. */
enum egl_stream_result rt_egl_stream_destroy(const void *display, void *stream);
enum egl_stream_result rt_egl_stream_attribute(const void *display, void *stream, int64_t attribute,
                                               int64_t value);
enum egl_stream_result rt_egl_stream_query(const void *display, void *stream, int64_t attribute,
                                           int32_t *value);
enum egl_stream_result rt_egl_stream_query_u64(const void *display, void *stream, int64_t attribute,
                                               uint64_t *value);
enum egl_stream_result rt_egl_stream_query_time(const void *display, void *stream,
                                                int64_t attribute, uint64_t *value);
enum egl_stream_result rt_egl_stream_reset(const void *display, void *stream);
/* A file descriptor for another process, which makes a stream of it: both have the same one. These
 * bring CUDA up. BAD_ALLOC: the processes do not share a board. */
enum egl_stream_result rt_egl_stream_fd(const void *display, void *stream, int *fd);
enum egl_stream_result rt_egl_stream_from_fd(const void *display, int fd, void **stream);

#endif
