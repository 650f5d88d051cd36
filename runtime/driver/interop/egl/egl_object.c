/* SPDX-License-Identifier: MIT */
/* EGLStreams as objects: what eglCreateStreamKHR() and the other calls of EGL_KHR_stream make of
 * the state machine. They may come before CUDA is initialised, so the lock is taken by itself. */
#include "runtime/driver/interop/egl/egl_internal.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>

#include "runtime/driver/array/array.h"
#include "runtime/driver/core/handle.h"
#include "runtime/driver/core/report.h"
#include "runtime/driver/core/turns.h"
#include "runtime/driver/device/rt_init.h"
#include "runtime/driver/interop/egl/egl_share.h"

#define EGL_NONE_ATTRIBUTE 0x3038

struct egl_object *egl_object_find(const void *display, const void *handle)
{
    struct egl_object *o = handle_find(HANDLE_EGL_STREAM, handle);

    return o && (!display || o->display == display) ? o : NULL;
}

struct egl_frame *egl_frame_find(const struct egl_object *o, uint64_t id)
{
    for (guint i = 0; i < o->frames->len; i++) {
        struct egl_frame *f = g_ptr_array_index(o->frames, i);

        if (f->id == id) {
            return f;
        }
    }
    return NULL;
}

void egl_frame_drop(struct egl_object *o, struct egl_frame *f)
{
    egl_far_put(f->far);
    egl_point_clear(&f->presented);
    egl_point_clear(&f->released);
    if (f->resource) {
        graphics_free(f->resource);
    }
    if (!g_ptr_array_remove(o->frames, f)) {
        g_ptr_array_remove(o->spare, f);
    }
    if (f->copy) {
        egl_pass_frame_end(f);
    }
    if (f->array) { /* may let the lock go */
        array_discard(f->array);
    }
    g_free(f->pixels);
    g_free(f);
}

static void spare_drop(struct egl_object *o)
{
    while (o->spare->len) {
        egl_frame_drop(o, g_ptr_array_index(o->spare, 0));
    }
}

/* The producer's frames go with it, but for the one that the consumer holds, which goes with that.
 * A surface's are in memory of the consumer's context. */
static struct egl_frame *frame_left(const struct egl_object *o, bool producer, uint64_t held)
{
    bool alone = !o->producer && !o->gl_producer;

    for (guint i = 0; i < o->frames->len; i++) {
        struct egl_frame *f = g_ptr_array_index(o->frames, i);

        if (producer ? f->id != held : alone || f->of_gl) {
            return f;
        }
    }
    return NULL;
}

void egl_object_left(struct egl_object *o, bool producer)
{
    struct egl_frame *f;
    uint64_t held;

    egl_state_take(o);
    egl_stream_disconnect(&o->s);
    held = o->share && producer && !o->consumer && !o->gl_consumer ? 0 /* another process's */
                                                                   : o->s.held.frame;
    if (!producer) {
        o->s.held = (struct egl_stream_slot){ 0 };
    }
    egl_state_give(o);
    for (guint i = 0; i < o->frames->len; i++) {
        egl_frame_owner(g_ptr_array_index(o->frames, i), FRAME_PRODUCER, 0);
    }
    spare_drop(o);
    while ((f = frame_left(o, producer, held)) != NULL) {
        egl_frame_drop(o, f);
    }
    for (guint i = 0; !producer && i < o->frames->len; i++) {
        f = g_ptr_array_index(o->frames, i);
        if (f->resource) {
            graphics_free(f->resource);
            f->resource = NULL;
        }
    }
}

CUresult egl_frame_insert(struct egl_object *o, struct egl_frame *f)
{
    uint64_t discarded = o->s.discarded;
    CUresult error;

    egl_state_take(o);
    error = egl_stream_may_insert(&o->s, f->id) ? CUDA_ERROR_UNKNOWN : egl_pass_put(o, f);
    if (!error) {
        egl_stream_insert(&o->s, f->id, egl_now_ns());
    }
    egl_state_give(o);
    if (error) { /* another thread or process has been faster */
        egl_frame_drop(o, f);
        return error;
    }
    egl_frame_owner(f, FRAME_STREAM, o->s.producer_frame);
    if (o->s.discarded != discarded && !o->discarded && core_is_up()) {
        o->discarded = true;
        report_finding(&check_rules[CHECK_RULE_EGL_FRAME_DISCARDED], f->region[0], 0, 0, NULL,
                       "frame %" G_GUINT64_FORMAT " replaces one in the stream's mailbox that the "
                       "consumer has never seen",
                       o->s.producer_frame);
    }
    egl_sync_signal(o);
    return CUDA_SUCCESS;
}

static void egl_object_end(void *object)
{
    struct egl_object *o = object;

    spare_drop(o);
    while (o->frames->len) {
        egl_frame_drop(o, g_ptr_array_index(o->frames, 0));
    }
    g_ptr_array_unref(o->frames);
    g_ptr_array_unref(o->spare);
    g_ptr_array_unref(o->far);
    egl_share_free(o);
}

static const struct object_kind egl_stream_kind = { .name = "EGLStream",
                                                    .type = HANDLE_EGL_STREAM,
                                                    .end = egl_object_end };

void egl_object_hold(struct egl_object *o)
{
    object_ref(&o->base);
}

void egl_object_release(struct egl_object *o)
{
    object_unref(&o->base);
}

/* The board's clock while there is one: runs repeat. */
int64_t egl_now_ns(void)
{
    return core_is_up() ? (int64_t)hal_time_ns(core_hal()) : 0;
}

const char *egl_state_name(const struct egl_object *o)
{
    static const char *const names[] = {
        "CREATED",     "CONNECTING", "EMPTY", "NEW_FRAME_AVAILABLE", "OLD_FRAME_AVAILABLE",
        "DISCONNECTED"
    };

    return names[egl_stream_state(&o->s) - EGL_STREAM_CREATED];
}

static struct egl_object *object_make(const void *display)
{
    struct egl_object *o = object_new(&egl_stream_kind, sizeof(*o), NULL);

    o->display = display;
    o->frames = g_ptr_array_new();
    o->spare = g_ptr_array_new();
    o->far = g_ptr_array_new_with_free_func(egl_far_free);
    egl_stream_init(&o->s);
    return o;
}

/* As object_room(), which has a code of CUDA */
static enum egl_stream_result egl_object_room(void)
{
    return handle_count() < HANDLES_MAX ? EGL_STREAM_DONE : EGL_STREAM_BAD_ALLOC;
}

enum egl_stream_result rt_egl_stream_create(const void *display, const int64_t *attributes,
                                            void **stream)
{
    struct egl_object *o = object_make(display);
    enum egl_stream_result result = EGL_STREAM_DONE;

    for (const int64_t *a = attributes; a && *a != EGL_NONE_ATTRIBUTE && !result; a += 2) {
        result = egl_stream_create_attribute(&o->s, a[0], a[1]);
    }
    egl_lock();
    result = result ? result : egl_object_room();
    if (result) {
        egl_object_release(o);
    } else {
        *stream = object_open(&o->base);
    }
    egl_unlock();
    return result;
}

/* The first handle must not come before the board. */
static bool board_up(void)
{
    static bool warned;

    if (core_life() == CORE_FORKED &&
        !warned) { /* without a board there is no report that could say it */
        warned = true;
        fputs("vtegra: this process is a child of fork(), and its parent had used CUDA or an "
              "EGLStream before: it has no board. Call fork() first, or exec() in the child\n",
              stderr);
    }
    return rt_init(0) == CUDA_SUCCESS;
}

enum egl_stream_result rt_egl_stream_from_fd(const void *display, int fd, void **stream)
{
    struct egl_object *o = object_make(display);
    enum egl_stream_result result = board_up() ? EGL_STREAM_DONE : EGL_STREAM_BAD_ALLOC;

    egl_lock();
    result = result ? result : egl_object_room();
    result = result ? result : egl_share_open(o, fd);
    if (result) {
        egl_object_release(o);
    } else {
        *stream = object_open(&o->base);
    }
    egl_unlock();
    return result;
}

bool rt_egl_stream_exists(const void *display, const void *stream)
{
    bool exists;

    egl_lock();
    exists = egl_object_find(display, stream) != NULL;
    egl_unlock();
    return exists;
}

/* The stream of a handle to which no end has connected is the other handle's alone from now on. */
static bool is_disconnected_with(const struct egl_object *o)
{
    return !o->share || o->producer || o->consumer || o->gl_producer || o->gl_consumer;
}

/* 3.10.6: the handle is invalid at once; the ends are disconnected. */
enum egl_stream_result rt_egl_stream_destroy(const void *display, void *stream)
{
    struct egl_object *o;

    egl_lock();
    o = egl_object_find(display, stream);
    if (o) {
        object_close(&o->base);
        egl_state_take(o);
        if (is_disconnected_with(o)) {
            egl_stream_disconnect(&o->s);
        }
        egl_state_give(o);
        egl_object_release(o);
    }
    egl_unlock();
    return o ? EGL_STREAM_DONE : EGL_STREAM_BAD_FRAME;
}

/* A call on a stream that exists, under the lock. */
#define ON_STREAM(call)                                        \
    do {                                                       \
        enum egl_stream_result result_ = EGL_STREAM_BAD_FRAME; \
        struct egl_object *o;                                  \
                                                               \
        egl_lock();                                            \
        o = egl_object_find(display, stream);                  \
        if (o) {                                               \
            egl_state_take(o);                                 \
            result_ = call;                                    \
            egl_state_give(o);                                 \
        }                                                      \
        egl_unlock();                                          \
        return result_;                                        \
    } while (0)

enum egl_stream_result rt_egl_stream_attribute(const void *display, void *stream, int64_t attribute,
                                               int64_t value)
{
    ON_STREAM(egl_stream_set_attribute(&o->s, attribute, value));
}

enum egl_stream_result rt_egl_stream_query(const void *display, void *stream, int64_t attribute,
                                           int32_t *value)
{
    ON_STREAM(egl_stream_query(&o->s, attribute, value));
}

enum egl_stream_result rt_egl_stream_query_u64(const void *display, void *stream, int64_t attribute,
                                               uint64_t *value)
{
    ON_STREAM(egl_stream_query_u64(&o->s, attribute, value));
}

enum egl_stream_result rt_egl_stream_query_time(const void *display, void *stream,
                                                int64_t attribute, uint64_t *value)
{
    ON_STREAM(egl_stream_query_time(&o->s, attribute, egl_now_ns(), value));
}

enum egl_stream_result rt_egl_stream_reset(const void *display, void *stream)
{
    ON_STREAM(egl_stream_reset(&o->s));
}

static enum egl_stream_result fd_make(struct egl_object *o, int *fd)
{
    enum egl_stream_result result = egl_stream_fd(&o->s);

    if (result) {
        return result;
    }
    *fd = egl_share_new(o);
    if (*fd == -ENOTSUP && core_is_up()) {
        report_error(CUDA_ERROR_NOT_SUPPORTED, "eglGetStreamFileDescriptorKHR",
                     "EGL_KHR_stream_cross_process_fd",
                     "other processes have boards of their own: give all processes one board "
                     "(vtegra run --shared, or --board SOCKET for each)");
    }
    return *fd < 0 ? EGL_STREAM_BAD_ALLOC : EGL_STREAM_DONE;
}

enum egl_stream_result rt_egl_stream_fd(const void *display, void *stream, int *fd)
{
    if (!board_up()) {
        return EGL_STREAM_BAD_ALLOC;
    }
    ON_STREAM(fd_make(o, fd));
}
