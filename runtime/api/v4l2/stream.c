/* SPDX-License-Identifier: MIT */
/* libvtegra-camera.so: the camera as producer of an EGLStream (include/vtegra/camera.h).
 *
 * No thread delivers frames: they would come in another order in each run. A consumer's acquire
 * asks here first, and gets what the sensor has sent by the board's time: older frames are replaced
 * in the mailbox, and if there is none yet, the acquire waits for it.
 */
#include <errno.h>
#include <glib.h>
#include <stdlib.h>
#include <string.h>

#define VTEGRA_NO_EGL_HEADERS
#include "include/vtegra/camera.h"
#include "runtime/driver/engines/vi/rt_camera.h"
#include "runtime/driver/interop/egl/rt_egl.h"
#include "runtime/driver/memory/rt_memory.h"
#include "runtime/driver/stream/rt_stream.h"

#define EXPORT __attribute__((visibility("default")))
#define BUFFERS \
    4u /* one that the consumer has, one in the mailbox or kept for reuse, two for the sensor */
#define PITCH 256u
#define SIZE_MAX_SIDE 8192u

/* @with: where the buffer is */
struct stream_buffer {
    uint8_t *at;
    struct rt_camera_buffer *memory;
    uint64_t ticket;
    enum { WITH_NONE, WITH_SENSOR, WITH_STREAM } with;
    struct vi_capture_status status;
};

struct vtegraCamera_st {
    void *stream;
    CUeglStreamConnection producer;
    unsigned width, height, pitch;
    uint64_t period_ns, last_end_ns; /* @last_end_ns: 0: no frame yet */
    struct stream_buffer buffer[BUFFERS];
};

static struct vtegraCamera_st *connected; /* one camera, one stream */

/* --- buffers ---------------------------------------------------------------------------------- */

static size_t stream_bytes(const struct vtegraCamera_st *c)
{
    return (size_t)c->pitch * c->height * 3 / 2;
}

static void buffer_give(struct vtegraCamera_st *c, struct stream_buffer *b)
{
    struct rt_camera_shot shot = { .buffer = b->memory,
                                   .format = VI_T_Y8__V8U8_N420,
                                   .width = c->width,
                                   .height = c->height,
                                   .stride = { c->pitch, c->pitch } };

    shot.offset[1] = (uint64_t)c->pitch * c->height;
    b->with =
        rt_camera_queue(&shot, "vtegraCameraConnect", &b->ticket) == 0 ? WITH_SENSOR : WITH_NONE;
}

static struct stream_buffer *buffer_of(struct vtegraCamera_st *c, const void *plane)
{
    for (unsigned i = 0; i < BUFFERS; i++) {
        if (plane && c->buffer[i].at == plane) {
            return &c->buffer[i];
        }
    }
    return NULL;
}

/* The sensor writes these in the order of their tickets. */
static struct stream_buffer *buffer_next(struct vtegraCamera_st *c)
{
    struct stream_buffer *next = NULL;

    for (unsigned i = 0; i < BUFFERS; i++) {
        struct stream_buffer *b = &c->buffer[i];

        if (b->with == WITH_SENSOR && (!next || b->ticket < next->ticket)) {
            next = b;
        }
    }
    return next;
}

/* --- frames ----------------------------------------------------------------------------------- */

static CUeglFrame frame_of(const struct vtegraCamera_st *c, const struct stream_buffer *b)
{
    CUeglFrame f = { .width = c->width,
                     .height = c->height,
                     .depth = 0,
                     .pitch = c->pitch,
                     .planeCount = 2,
                     .numChannels = 1,
                     .frameType = CU_EGL_FRAME_TYPE_PITCH,
                     .eglColorFormat = CU_EGL_COLOR_FORMAT_YUV420_SEMIPLANAR,
                     .cuFormat = CU_AD_FORMAT_UNSIGNED_INT8 };

    f.frame.pPitch[0] = b->at;
    f.frame.pPitch[1] = b->at + (size_t)c->pitch * c->height;
    return f;
}

/* What the consumer has released, and what a newer frame replaced, goes to the sensor again, when
 * the GPU has read it. */
static void frames_return(struct vtegraCamera_st *c)
{
    CUeglFrame f;
    CUstream stream = NULL;
    struct stream_buffer *b;

    while (rt_egl_returnable(&c->producer) &&
           rt_egl_return(&c->producer, &f, &stream) == CUDA_SUCCESS) {
        b = buffer_of(c, f.frame.pPitch[0]);
        rt_stream_synchronize(stream);
        if (b) {
            buffer_give(c, b);
        }
    }
}

static int frame_present(struct vtegraCamera_st *c, struct stream_buffer *b, int64_t timeout_us)
{
    CUeglFrame f = frame_of(c, b);
    CUstream stream = NULL;
    int err = rt_camera_wait(b->ticket, timeout_us);

    if (err) {
        return err;
    }
    rt_camera_take(b->ticket, b->memory, &b->status);
    c->last_end_ns = b->status.eof_ns;
    if (b->status.status == VI_STATUS_SUCCESS &&
        rt_egl_present(&c->producer, &f, &stream) == CUDA_SUCCESS) {
        b->with = WITH_STREAM;
    } else {
        buffer_give(c, b); /* a frame with an error is shown to no consumer */
    }
    return 0;
}

/* Has the sensor sent the next frame in @us from now? The engine may have computed it before its
 * time. */
static bool frame_is_due(const struct vtegraCamera_st *c, uint64_t us)
{
    return c->last_end_ns && c->last_end_ns + c->period_ns <= rt_camera_time_ns() + us * 1000;
}

/* Of rt_egl_acquire(); no lock is held. */
static void stream_feed(void *stream, bool has_new, unsigned timeout_us)
{
    struct vtegraCamera_st *c = connected;
    int64_t limit = timeout_us == UINT32_MAX ? -1 : (int64_t)timeout_us;
    struct stream_buffer *b;

    if (!c || c->stream != stream) {
        return;
    }
    frames_return(c);
    while (frame_is_due(c, 0) && (b = buffer_next(c)) != NULL && frame_present(c, b, -1) == 0) {
        has_new = true;
        frames_return(c);
    }
    b = has_new ? NULL : buffer_next(c);
    if (b && (!c->last_end_ns || limit < 0 || frame_is_due(c, timeout_us))) {
        frame_present(c, b, limit);
    }
}

/* --- the calls -------------------------------------------------------------------------------- */

static void camera_end(struct vtegraCamera_st *c)
{
    rt_camera_stream(false);
    for (unsigned i = 0; i < BUFFERS; i++) {
        if (c->buffer[i].with == WITH_SENSOR) {
            rt_camera_wait(c->buffer[i].ticket, -1); /* the reset has ended it */
        }
        rt_camera_buffer_free(c->buffer[i].memory);
        if (c->buffer[i].at) {
            rt_mem_free((uintptr_t)c->buffer[i].at);
        }
    }
    g_free(c);
}

static CUresult camera_memory(struct vtegraCamera_st *c)
{
    CUresult error = CUDA_SUCCESS;

    for (unsigned i = 0; i < BUFFERS && !error; i++) {
        struct stream_buffer *b = &c->buffer[i];

        CUdeviceptr at = 0;

        error = rt_mem_alloc(&at, stream_bytes(c));
        b->at = (uint8_t *)(uintptr_t)at;
        if (!error && rt_camera_buffer_device(at, stream_bytes(c), &b->memory)) {
            error = CUDA_ERROR_OUT_OF_MEMORY;
        }
    }
    return error;
}

EXPORT CUresult vtegraCameraConnect(vtegraCamera *camera, EGLStreamKHR stream, unsigned width,
                                    unsigned height)
{
    struct rt_camera_info info;
    struct vtegraCamera_st *c;
    CUresult error;

    if (!camera || connected || !width || !height || (width | height) % 2 ||
        width > SIZE_MAX_SIDE || height > SIZE_MAX_SIDE) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    if (rt_camera_open(&info)) {
        return CUDA_ERROR_NO_DEVICE;
    }
    c = g_new0(struct vtegraCamera_st, 1);
    c->stream = stream;
    c->width = width;
    c->height = height;
    c->pitch = (width + PITCH - 1) & ~(PITCH - 1);
    c->period_ns = info.period_ns;
    error = camera_memory(c);
    error = error ? error : rt_egl_producer_connect(&c->producer, stream, (int)width, (int)height);
    if (error) {
        camera_end(c);
        return error;
    }
    for (unsigned i = 0; i < BUFFERS; i++) {
        buffer_give(c, &c->buffer[i]);
    }
    rt_camera_stream(true);
    connected = *camera = c;
    rt_egl_feeder_set(stream_feed);
    return CUDA_SUCCESS;
}

EXPORT CUresult vtegraCameraPost(vtegraCamera camera, unsigned timeout_us)
{
    int64_t limit = timeout_us == UINT32_MAX ? -1 : (int64_t)timeout_us;
    struct stream_buffer *b;
    int err;

    if (!camera || camera != connected) {
        return CUDA_ERROR_INVALID_HANDLE;
    }
    frames_return(camera);
    b = buffer_next(camera);
    err = b ? frame_present(camera, b, limit) : -ETIMEDOUT;
    return !err && b->with == WITH_STREAM ? CUDA_SUCCESS
           : err == -ETIMEDOUT            ? CUDA_ERROR_LAUNCH_TIMEOUT
                                          : CUDA_ERROR_UNKNOWN;
}

EXPORT CUresult vtegraCameraFrameGet(vtegraCamera camera, const void *plane,
                                     vtegraCameraFrame *frame)
{
    const struct stream_buffer *b = camera && camera == connected ? buffer_of(camera, plane) : NULL;

    if (!b || !frame || b->with != WITH_STREAM) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    *frame = (vtegraCameraFrame){ b->status.frame, b->status.sof_ns, b->status.eof_ns,
                                  rt_camera_time_ns() - b->status.eof_ns };
    return CUDA_SUCCESS;
}

EXPORT CUresult vtegraCameraDisconnect(vtegraCamera camera)
{
    CUresult error;

    if (!camera || camera != connected) {
        return CUDA_ERROR_INVALID_HANDLE;
    }
    connected = NULL;
    error = rt_egl_disconnect(&camera->producer, true);
    camera_end(camera);
    return error;
}
