/* SPDX-License-Identifier: MIT */
/* Which streams capture, what is forbidden meanwhile, and events. What makes nodes of works is in
 * capture.c and capture_work.c: found through struct capture_maker, so that streams need no graphs.
 */
#include "runtime/driver/stream/capture_internal.h"

#include "runtime/driver/device/context.h"
#include "runtime/driver/stream/stream_internal.h"

static GPtrArray *captures; /* struct capture, under way */
static uint64_t last_id;
static _Thread_local char self; /* its address is the thread */
static _Thread_local CUstreamCaptureMode thread_mode = CU_STREAM_CAPTURE_MODE_GLOBAL;

static bool capture_state_none(void)
{
    return !captures || !captures->len;
}

static struct capture *capture_find(uint64_t id)
{
    for (guint i = 0; captures && i < captures->len; i++) {
        struct capture *c = g_ptr_array_index(captures, i);

        if (c->id == id) {
            return c;
        }
    }
    return NULL;
}

void capture_spoil(struct stream *s)
{
    if (s->capture) {
        s->capture->capture->spoilt = true;
    }
}

struct stream *capture_implicit(const struct stream *s)
{
    const struct context *c = s->base.context;

    if (capture_state_none() || s != stream_legacy(c)) {
        return NULL;
    }
    for (struct stream *other = object_first(&streams_of(c)->all); other;
         other = object_after(&other->base)) {
        if (other->capture && !(other->flags & CU_STREAM_NON_BLOCKING)) {
            return other;
        }
    }
    return NULL;
}

CUresult capture_touch(struct stream *s)
{
    struct stream *other = capture_implicit(s);

    if (other) {
        capture_spoil(other);
        return CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
    }
    return s->capture && s->capture->capture->spoilt ? CUDA_ERROR_STREAM_CAPTURE_INVALIDATED
                                                     : CUDA_SUCCESS;
}

/* CUDA Driver API, cuThreadExchangeStreamCaptureMode. */
static bool capture_state_forbids(const struct capture *c)
{
    bool own = capture_is_own(c);

    switch (thread_mode) {
    case CU_STREAM_CAPTURE_MODE_THREAD_LOCAL:
        return own && c->mode != CU_STREAM_CAPTURE_MODE_RELAXED;
    case CU_STREAM_CAPTURE_MODE_RELAXED:
        return false;
    default: /* measured: a number that is no mode is taken, and forbids as much */
        return own ? c->mode != CU_STREAM_CAPTURE_MODE_RELAXED
                   : c->mode == CU_STREAM_CAPTURE_MODE_GLOBAL;
    }
}

CUresult capture_unsafe(void)
{
    CUresult error = CUDA_SUCCESS;

    for (guint i = 0; captures && i < captures->len; i++) {
        struct capture *c = g_ptr_array_index(captures, i);

        if (capture_state_forbids(c)) {
            c->spoilt = true;
            error = CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
        }
    }
    return error;
}

CUresult capture_sync(struct stream *s)
{
    CUresult error = capture_touch(s);

    if (error || capture_state_none()) {
        return error;
    }
    if (s->capture) {
        capture_spoil(s);
        return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    }
    return capture_unsafe();
}

CUresult capture_elsewhere(struct stream *s)
{
    CUresult error = capture_touch(s);

    return error ? error : capture_unsafe();
}

CUresult capture_refuse(struct stream *s)
{
    CUresult error = capture_touch(s);

    if (error || !s->capture) {
        return error;
    }
    capture_spoil(s);
    return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
}

CUresult capture_sync_context(struct context *c)
{
    CUresult error = CUDA_SUCCESS;

    for (struct stream *s = capture_state_none() ? NULL : object_first(&streams_of(c)->all); s;
         s = object_after(&s->base)) {
        if (s->capture) {
            capture_spoil(s);
            error = CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
        }
    }
    return error ? error : capture_unsafe();
}

void capture_join(struct capture *c, struct stream *s, const CUgraphNode *deps, size_t n)
{
    s->capture = g_new0(struct capture_stream, 1);
    s->capture->capture = c;
    s->capture->deps = g_array_new(FALSE, FALSE, sizeof(CUgraphNode));
    s->capture->edges = g_array_new(FALSE, TRUE, sizeof(CUgraphEdgeData));
    for (size_t i = 0; i < n; i++) {
        capture_deps_add(s, deps[i]);
    }
    g_ptr_array_add(c->streams, s);
}

static void stream_release(struct stream *s)
{
    g_array_free(s->capture->deps, TRUE);
    g_array_free(s->capture->edges, TRUE);
    g_clear_pointer(&s->capture, g_free);
}

/* The stream is destroyed: a capture that was begun in it can have no end. One that joined may go
 * once the first stream has waited for it (NVIDIA's graphMemoryNodes sample does that). */
void capture_stream_gone(struct stream *s)
{
    struct capture *c = s->capture ? s->capture->capture : NULL;

    if (!c) {
        return;
    }
    if (g_ptr_array_index(c->streams, 0) == s) {
        c->maker->drop(c);
    } else {
        g_array_append_vals(c->gone, s->capture->deps->data, s->capture->deps->len);
        g_ptr_array_remove(c->streams, s);
        stream_release(s);
    }
}

void capture_begin(struct capture *c)
{
    if (!captures) {
        captures = g_ptr_array_new();
    }
    c->id = ++last_id;
    c->thread = &self;
    c->streams = g_ptr_array_new();
    c->gone = g_array_new(FALSE, FALSE, sizeof(CUgraphNode));
    g_ptr_array_add(captures, c);
}

void capture_free(struct capture *c)
{
    for (guint i = 0; i < c->streams->len; i++) {
        stream_release(g_ptr_array_index(c->streams, i));
    }
    g_ptr_array_remove(captures, c);
    g_ptr_array_free(c->streams, TRUE);
    g_array_free(c->gone, TRUE);
    g_free(c);
}

CUresult capture_work(struct stream *s, const struct work *w)
{
    return s->capture->capture->maker->work(s, w);
}

CUresult capture_alloc(struct stream *s, size_t bytes, CUdeviceptr *ptr)
{
    CUresult error = capture_touch(s);

    return error ? error : s->capture->capture->maker->alloc(s, bytes, ptr);
}

CUresult capture_free_memory(struct stream *s, CUdeviceptr ptr)
{
    CUresult error = capture_touch(s);

    return error ? error : s->capture->capture->maker->free(s, ptr);
}

CUstreamCaptureMode capture_mode(CUstreamCaptureMode mode)
{
    CUstreamCaptureMode before = thread_mode;

    thread_mode = mode;
    return before;
}

bool capture_is_own(const struct capture *c)
{
    return c->thread == &self;
}

/* --- events ------------------------------------------------------------------------------------
 */

/* An event that was recorded in a capture. */
struct mark {
    uint64_t capture;
    GArray *deps; /* CUgraphNode */
};

static GHashTable *marks; /* CUevent -> struct mark */

static void mark_free(void *opaque)
{
    struct mark *m = opaque;

    g_array_free(m->deps, TRUE);
    g_free(m);
}

static const struct mark *mark_of(CUevent event)
{
    return marks ? g_hash_table_lookup(marks, event) : NULL;
}

void capture_event_forget(CUevent event)
{
    if (marks) {
        g_hash_table_remove(marks, event);
    }
}

void capture_deps_add(struct stream *s, CUgraphNode node)
{
    for (guint i = 0; i < s->capture->deps->len; i++) {
        if (g_array_index(s->capture->deps, CUgraphNode, i) == node) {
            return;
        }
    }
    g_array_append_val(s->capture->deps, node);
}

static void mark_set(struct stream *s, CUevent event)
{
    struct mark *m = g_new0(struct mark, 1);

    if (!marks) {
        marks = g_hash_table_new_full(NULL, NULL, NULL, mark_free);
    }
    m->capture = s->capture->capture->id;
    m->deps = g_array_copy(s->capture->deps);
    g_hash_table_insert(marks, event, m);
}

/* @done: the caller has nothing more to do. */
CUresult capture_event_record(struct stream *s, CUevent event, unsigned flags, bool *done)
{
    CUresult error = capture_touch(s);

    *done = error != CUDA_SUCCESS;
    if (error) {
        return error;
    }
    if (!s->capture) {
        *done = flags != 0;
        capture_event_forget(event);
        return flags ? CUDA_ERROR_ILLEGAL_STATE : CUDA_SUCCESS; /* EXTERNAL: in a capture only */
    }
    if (!flags) {
        *done = true;
        mark_set(s, event);
    }
    return CUDA_SUCCESS; /* EXTERNAL: a node */
}

/* The stream comes after what the event stands for; one that does not capture begins to. */
static CUresult capture_state_follow(struct stream *s, const struct mark *m)
{
    struct capture *c = capture_find(m->capture);

    if (!c) { /* measured: the capture is over */
        return CUDA_ERROR_INVALID_VALUE;
    }
    if (c->spoilt) {
        return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
    }
    if (s->capture && s->capture->capture != c) {
        c->spoilt = true;
        capture_spoil(s);
        return CUDA_ERROR_STREAM_CAPTURE_MERGE;
    }
    if (s == stream_legacy(s->base.context)) {
        c->spoilt = true;
        return CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
    }
    if (!s->capture) {
        capture_join(c, s, (const CUgraphNode *)(const void *)m->deps->data, m->deps->len);
        return CUDA_SUCCESS;
    }
    for (guint i = 0; i < m->deps->len; i++) {
        capture_deps_add(s, g_array_index(m->deps, CUgraphNode, i));
    }
    return CUDA_SUCCESS;
}

CUresult capture_event_wait(struct stream *s, CUevent event, bool recorded, unsigned flags,
                            bool *done)
{
    const struct mark *m = mark_of(event);
    CUresult error = capture_touch(s);

    *done = true;
    if (error) {
        return error;
    }
    if (flags) { /* EXTERNAL: a node, and in a capture only */
        *done = !s->capture;
        return s->capture ? CUDA_SUCCESS : CUDA_ERROR_ILLEGAL_STATE;
    }
    if (m) {
        return capture_state_follow(s, m);
    }
    if (!s->capture) {
        *done = false;
        return CUDA_SUCCESS;
    }
    if (recorded) {
        capture_spoil(s);
        return CUDA_ERROR_STREAM_CAPTURE_ISOLATION;
    }
    return CUDA_SUCCESS;
}

CUresult capture_event_sync(CUevent event)
{
    const struct mark *m = mark_of(event);
    struct capture *c = m ? capture_find(m->capture) : NULL;

    if (c) {
        c->spoilt = true;
        return CUDA_ERROR_CAPTURED_EVENT;
    }
    return m ? CUDA_ERROR_INVALID_VALUE : capture_unsafe();
}

CUresult capture_event_times(CUevent event)
{
    const struct mark *m = mark_of(event);

    return !m                         ? CUDA_SUCCESS
           : capture_find(m->capture) ? CUDA_ERROR_CAPTURED_EVENT
                                      : CUDA_ERROR_INVALID_VALUE;
}
