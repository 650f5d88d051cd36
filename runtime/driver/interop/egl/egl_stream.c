/* SPDX-License-Identifier: MIT */
#include "runtime/driver/interop/egl/egl_stream.h"

#include <string.h>

void egl_stream_init(struct egl_stream *s)
{
    *s = (struct egl_stream){ .base = EGL_STREAM_CREATED, .support_reuse = true };
}

bool egl_stream_sane(const struct egl_stream *s)
{
    bool is_base = s->base == EGL_STREAM_CREATED || s->base == EGL_STREAM_CONNECTING ||
                   s->base == EGL_STREAM_EMPTY || s->base == EGL_STREAM_DISCONNECTED;

    return is_base && s->fifo_length >= 0 && s->queue.len <= EGL_STREAM_FRAMES_MAX &&
           s->returned.len <= EGL_STREAM_FRAMES_MAX &&
           egl_stream_outstanding(s) <= EGL_STREAM_FRAMES_MAX;
}

/* --- lists: no longer than all frames that are with the stream ------------------------------- */

static void list_add(struct egl_stream_list *l, const struct egl_stream_slot *slot)
{
    l->slot[l->len++] = *slot;
}

static struct egl_stream_slot list_take(struct egl_stream_list *l)
{
    struct egl_stream_slot first = l->slot[0];

    memmove(&l->slot[0], &l->slot[1], --l->len * sizeof(l->slot[0]));
    return first;
}

static bool list_has(const struct egl_stream_list *l, uint64_t frame)
{
    for (unsigned i = 0; i < l->len; i++) {
        if (l->slot[i].frame == frame) {
            return true;
        }
    }
    return false;
}

/* --- states ----------------------------------------------------------------------------------- */

static bool egl_stream_connected(const struct egl_stream *s)
{
    return s->base == EGL_STREAM_EMPTY;
}

/* An old frame counts while it is held, too: 3.10.4.3, "the consumer has already retrieved the most
 * recently inserted image frame". */
enum egl_stream_state egl_stream_state(const struct egl_stream *s)
{
    if (!egl_stream_connected(s)) {
        return s->base;
    }
    if (s->queue.len) {
        return EGL_STREAM_NEW;
    }
    return s->support_reuse && (s->old.frame || (s->held.frame && s->fresh)) ? EGL_STREAM_OLD
                                                                             : EGL_STREAM_EMPTY;
}

/* --- attributes ------------------------------------------------------------------------------- */

enum access { UNKNOWN, READ_ONLY, READ_WRITE, INITIALISE };

static enum access access_of(int64_t attribute)
{
    switch (attribute) {
    case EGL_STREAM_STATE:
    case EGL_STREAM_PRODUCER_FRAME:
    case EGL_STREAM_CONSUMER_FRAME:
    case EGL_STREAM_TIME_NOW:
    case EGL_STREAM_TIME_CONSUMER:
    case EGL_STREAM_TIME_PRODUCER:
        return READ_ONLY;
    case EGL_STREAM_LATENCY:
    case EGL_STREAM_ACQUIRE_TIMEOUT:
        return READ_WRITE;
    case EGL_STREAM_FIFO_LENGTH:
    case EGL_STREAM_RESET:
    case EGL_STREAM_REUSE:
        return INITIALISE;
    default:
        return UNKNOWN;
    }
}

static enum egl_stream_result egl_stream_store(struct egl_stream *s, int64_t attribute,
                                               int64_t value)
{
    bool boolean = attribute == EGL_STREAM_RESET || attribute == EGL_STREAM_REUSE;
    int64_t least = attribute == EGL_STREAM_ACQUIRE_TIMEOUT ? INT32_MIN : 0;

    if (value < least || value > (boolean ? 1 : INT32_MAX)) {
        return EGL_STREAM_BAD_PARAMETER;
    }
    switch (attribute) {
    case EGL_STREAM_LATENCY:
        s->latency_us = (int32_t)value;
        break;
    case EGL_STREAM_ACQUIRE_TIMEOUT:
        s->acquire_timeout_us = (int32_t)value;
        break;
    case EGL_STREAM_FIFO_LENGTH:
        s->fifo_length = (int32_t)value;
        break;
    case EGL_STREAM_RESET:
        s->support_reset = value != 0;
        break;
    default:
        s->support_reuse = value != 0;
        break;
    }
    return EGL_STREAM_DONE;
}

enum egl_stream_result egl_stream_create_attribute(struct egl_stream *s, int64_t attribute,
                                                   int64_t value)
{
    enum access a = access_of(attribute);

    return a == UNKNOWN     ? EGL_STREAM_BAD_ATTRIBUTE
           : a == READ_ONLY ? EGL_STREAM_BAD_ACCESS
                            : egl_stream_store(s, attribute, value);
}

enum egl_stream_result egl_stream_set_attribute(struct egl_stream *s, int64_t attribute,
                                                int64_t value)
{
    enum access a = access_of(attribute);

    if (s->base == EGL_STREAM_DISCONNECTED) {
        return EGL_STREAM_BAD_STATE;
    }
    return a == UNKNOWN      ? EGL_STREAM_BAD_ATTRIBUTE
           : a != READ_WRITE ? EGL_STREAM_BAD_ACCESS
                             : egl_stream_store(s, attribute, value);
}

enum egl_stream_result egl_stream_query(const struct egl_stream *s, int64_t attribute,
                                        int32_t *value)
{
    switch (attribute) {
    case EGL_STREAM_STATE:
        *value = (int32_t)egl_stream_state(s);
        return EGL_STREAM_DONE;
    case EGL_STREAM_LATENCY:
        *value = s->latency_us;
        return EGL_STREAM_DONE;
    case EGL_STREAM_ACQUIRE_TIMEOUT:
        *value = s->acquire_timeout_us;
        return EGL_STREAM_DONE;
    case EGL_STREAM_FIFO_LENGTH:
        *value = s->fifo_length;
        return EGL_STREAM_DONE;
    case EGL_STREAM_RESET:
        *value = s->support_reset;
        return EGL_STREAM_DONE;
    case EGL_STREAM_REUSE:
        *value = s->support_reuse;
        return EGL_STREAM_DONE;
    default:
        return EGL_STREAM_BAD_ATTRIBUTE;
    }
}

/* 3.10.4.4: "when CREATED, CONNECTING or EMPTY then this value is 0"; measured after a reset, too.
 */
enum egl_stream_result egl_stream_query_u64(const struct egl_stream *s, int64_t attribute,
                                            uint64_t *value)
{
    if (attribute != EGL_STREAM_PRODUCER_FRAME && attribute != EGL_STREAM_CONSUMER_FRAME) {
        return EGL_STREAM_BAD_ATTRIBUTE;
    }
    *value = attribute == EGL_STREAM_CONSUMER_FRAME   ? s->consumer_frame
             : egl_stream_state(s) > EGL_STREAM_EMPTY ? s->producer_frame
                                                      : 0;
    return EGL_STREAM_DONE;
}

enum egl_stream_result egl_stream_query_time(const struct egl_stream *s, int64_t attribute,
                                             int64_t now_ns, uint64_t *value)
{
    switch (attribute) {
    case EGL_STREAM_TIME_NOW:
        *value = (uint64_t)now_ns;
        return EGL_STREAM_DONE;
    case EGL_STREAM_TIME_CONSUMER:
        *value = (uint64_t)s->consumer_ns;
        return EGL_STREAM_DONE;
    case EGL_STREAM_TIME_PRODUCER:
        *value = (uint64_t)s->producer_ns;
        return EGL_STREAM_DONE;
    default:
        return EGL_STREAM_BAD_ATTRIBUTE;
    }
}

/* --- connecting ------------------------------------------------------------------------------- */

enum egl_stream_result egl_stream_connect_consumer(struct egl_stream *s, bool resets)
{
    if (s->base != EGL_STREAM_CREATED) {
        return EGL_STREAM_BAD_STATE;
    }
    if (s->support_reset && !resets) {
        return EGL_STREAM_BAD_MATCH;
    }
    s->base = EGL_STREAM_CONNECTING;
    return EGL_STREAM_DONE;
}

enum egl_stream_result egl_stream_connect_producer(struct egl_stream *s)
{
    if (s->base != EGL_STREAM_CONNECTING) {
        return EGL_STREAM_BAD_STATE;
    }
    s->base = EGL_STREAM_EMPTY;
    return EGL_STREAM_DONE;
}

/* --- frames ----------------------------------------------------------------------------------- */

static void give_back(struct egl_stream *s, struct egl_stream_slot *slot)
{
    if (slot->frame) {
        list_add(&s->returned, slot);
        *slot = (struct egl_stream_slot){ 0 };
    }
}

static void give_back_queue(struct egl_stream *s)
{
    while (s->queue.len) {
        struct egl_stream_slot slot = list_take(&s->queue);

        list_add(&s->returned, &slot);
    }
}

void egl_stream_disconnect(struct egl_stream *s)
{
    s->base = EGL_STREAM_DISCONNECTED;
    s->old = (struct egl_stream_slot){ 0 };
    s->queue.len = s->returned.len = 0;
}

unsigned egl_stream_outstanding(const struct egl_stream *s)
{
    return s->queue.len + s->returned.len + (s->old.frame != 0) + (s->held.frame != 0);
}

bool egl_stream_has(const struct egl_stream *s, uint64_t frame)
{
    return s->old.frame == frame || s->held.frame == frame || list_has(&s->queue, frame) ||
           list_has(&s->returned, frame);
}

/* 3.10.5.1 of EGL_KHR_stream_fifo: the time minus the latency; FIFO, stream surfaces: plus it. */
static int64_t egl_stream_stamp(const struct egl_stream *s, int64_t now_ns)
{
    int64_t latency_ns = (int64_t)s->latency_us * 1000;

    return s->fifo_length ? now_ns + latency_ns : now_ns - latency_ns;
}

enum egl_stream_result egl_stream_may_insert(const struct egl_stream *s, uint64_t frame)
{
    if (!egl_stream_connected(s)) {
        return EGL_STREAM_BAD_STATE;
    }
    if (!frame || egl_stream_has(s, frame)) {
        return EGL_STREAM_BAD_FRAME;
    }
    if (egl_stream_outstanding(s) >= EGL_STREAM_FRAMES_MAX) {
        return EGL_STREAM_FULL;
    }
    return s->fifo_length && s->queue.len >= (unsigned)s->fifo_length ? EGL_STREAM_WAIT
                                                                      : EGL_STREAM_DONE;
}

enum egl_stream_result egl_stream_insert(struct egl_stream *s, uint64_t frame, int64_t now_ns)
{
    struct egl_stream_slot slot = { .frame = frame, .stamp_ns = egl_stream_stamp(s, now_ns) };
    enum egl_stream_result result = egl_stream_may_insert(s, frame);

    if (result != EGL_STREAM_DONE) {
        return result;
    }
    give_back(s, &s->old); /* nothing can acquire it again */
    if (!s->fifo_length && s->queue.len) {
        s->discarded += s->queue.len;
        give_back_queue(s);
    }
    slot.number = ++s->producer_frame;
    s->producer_ns = slot.stamp_ns;
    list_add(&s->queue, &slot);
    return EGL_STREAM_DONE;
}

enum egl_stream_result egl_stream_acquire(struct egl_stream *s, bool expired,
                                          struct egl_stream_slot *slot)
{
    if (!egl_stream_connected(s)) {
        return EGL_STREAM_BAD_STATE;
    }
    if (s->held.frame) {
        return EGL_STREAM_BAD_ACCESS;
    }
    if (s->queue.len) {
        s->held = list_take(&s->queue);
    } else if (!expired) {
        return EGL_STREAM_WAIT;
    } else if (s->old.frame) {
        s->held = s->old;
        s->old = (struct egl_stream_slot){ 0 };
    } else {
        return EGL_STREAM_TIMEOUT;
    }
    s->fresh = true;
    s->consumer_frame = s->held.number;
    s->consumer_ns = s->held.stamp_ns;
    *slot = s->held;
    return EGL_STREAM_DONE;
}

/* EGL_NV_stream_reset, 3.10.5.1: "placed back in the mailbox (if the mailbox is empty, supports
 * reuse of frames, and has not been reset) or discarded (otherwise)"; 3.10.5.2 says so of FIFOs. */
enum egl_stream_result egl_stream_release(struct egl_stream *s, uint64_t frame)
{
    if (!egl_stream_connected(s) && !s->held.frame) {
        return EGL_STREAM_BAD_STATE;
    }
    if (!frame || s->held.frame != frame) {
        return EGL_STREAM_BAD_FRAME;
    }
    if (!egl_stream_connected(s)) {
        s->held = (struct egl_stream_slot){ 0 };
    } else if (s->support_reuse && s->fresh && !s->queue.len) {
        s->old = s->held;
        s->held = (struct egl_stream_slot){ 0 };
    } else {
        give_back(s, &s->held);
    }
    return EGL_STREAM_DONE;
}

enum egl_stream_result egl_stream_return(struct egl_stream *s, bool expired, uint64_t *frame)
{
    if (!egl_stream_connected(s)) {
        return EGL_STREAM_BAD_STATE;
    }
    if (s->returned.len) {
        *frame = list_take(&s->returned).frame;
        return EGL_STREAM_DONE;
    }
    return expired ? EGL_STREAM_TIMEOUT : EGL_STREAM_WAIT;
}

bool egl_stream_pinned(const struct egl_stream *s)
{
    return s->old.frame && egl_stream_outstanding(s) == 1;
}

enum egl_stream_result egl_stream_reset(struct egl_stream *s)
{
    if (!egl_stream_connected(s)) {
        return EGL_STREAM_BAD_STATE;
    }
    if (!s->support_reset || s->apart) {
        return EGL_STREAM_BAD_ACCESS;
    }
    s->fresh = false;
    give_back(s, &s->old);
    give_back_queue(s);
    return EGL_STREAM_DONE;
}

/* --- other objects made of a stream ----------------------------------------------------------- */

enum egl_stream_result egl_stream_sync(struct egl_stream *s)
{
    if (s->base == EGL_STREAM_CREATED || s->base == EGL_STREAM_DISCONNECTED || s->has_sync) {
        return EGL_STREAM_BAD_ACCESS;
    }
    s->has_sync = true;
    return EGL_STREAM_DONE;
}

enum egl_stream_result egl_stream_fd(struct egl_stream *s)
{
    if (s->base != EGL_STREAM_CREATED || s->fd_taken || s->duplicate) {
        return EGL_STREAM_BAD_STATE;
    }
    s->fd_taken = true;
    return EGL_STREAM_DONE;
}

enum egl_stream_result egl_stream_from_fd(const struct egl_stream *s)
{
    return s->base == EGL_STREAM_CREATED || s->base == EGL_STREAM_CONNECTING ? EGL_STREAM_DONE
                                                                             : EGL_STREAM_BAD_STATE;
}
