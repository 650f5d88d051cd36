/* SPDX-License-Identifier: MIT */
/* EGLStreams: every call in every state, then modes, counters and limits. Expected values are those
 * of the extension texts (named at each table) and of NVIDIA's driver 580.159 where they are
 * silent: marked "measured". */
#include <check.h>
#include <glib.h>

#include "runtime/driver/interop/egl/egl_stream.h"
#include "suite.h"

enum { CREATED, CONNECTING, EMPTY, NEW, OLD, GONE, STATES };

static const enum egl_stream_state number[STATES] = {
    0x3215, 0x3216, 0x3217, 0x3218, 0x3219, 0x321A
};

static struct egl_stream s;

static uint64_t acquire(bool expired)
{
    struct egl_stream_slot slot;

    return egl_stream_acquire(&s, expired, &slot) == EGL_STREAM_DONE ? slot.frame : 0;
}

static uint64_t collect(void)
{
    uint64_t frame;

    return egl_stream_return(&s, true, &frame) == EGL_STREAM_DONE ? frame : 0;
}

static void insert(uint64_t frame)
{
    ck_assert_int_eq(egl_stream_insert(&s, frame, 0), EGL_STREAM_DONE);
}

static void release(uint64_t frame)
{
    ck_assert_int_eq(egl_stream_release(&s, frame), EGL_STREAM_DONE);
}

static void both_connected(void)
{
    ck_assert_int_eq(egl_stream_connect_consumer(&s, true), EGL_STREAM_DONE);
    ck_assert_int_eq(egl_stream_connect_producer(&s), EGL_STREAM_DONE);
}

/* A stream that can be reset, in mailbox mode, brought to @state by the transitions of 3.10.4.3. */
static void bring(int state)
{
    egl_stream_init(&s);
    ck_assert_int_eq(egl_stream_create_attribute(&s, 0x3334, 1), EGL_STREAM_DONE);
    if (state >= CONNECTING) {
        ck_assert_int_eq(egl_stream_connect_consumer(&s, true), EGL_STREAM_DONE);
    }
    if (state >= EMPTY) {
        ck_assert_int_eq(egl_stream_connect_producer(&s), EGL_STREAM_DONE);
    }
    if (state >= NEW) {
        insert(1);
    }
    if (state >= OLD) {
        ck_assert_uint_eq(acquire(false), 1);
        release(1);
    }
    if (state == GONE) {
        egl_stream_disconnect(&s);
    }
    ck_assert_int_eq(egl_stream_state(&s), number[state]);
}

static enum egl_stream_result call_consumer(void)
{
    return egl_stream_connect_consumer(&s, true);
}

static enum egl_stream_result call_producer(void)
{
    return egl_stream_connect_producer(&s);
}

static enum egl_stream_result call_insert(void)
{
    return egl_stream_insert(&s, 2, 0);
}

static enum egl_stream_result call_acquire(void)
{
    struct egl_stream_slot slot;

    return egl_stream_acquire(&s, false, &slot);
}

static enum egl_stream_result call_acquire_expired(void)
{
    struct egl_stream_slot slot;

    return egl_stream_acquire(&s, true, &slot);
}

static enum egl_stream_result call_release_unheld(void)
{
    return egl_stream_release(&s, 1);
}

static enum egl_stream_result call_reset(void)
{
    return egl_stream_reset(&s);
}

static enum egl_stream_result call_attribute(void)
{
    return egl_stream_set_attribute(&s, 0x3210, 7);
}

static enum egl_stream_result call_query(void)
{
    int32_t value;

    return egl_stream_query(&s, 0x3214, &value);
}

static enum egl_stream_result call_sync(void)
{
    return egl_stream_sync(&s);
}

static enum egl_stream_result call_fd(void)
{
    return egl_stream_fd(&s);
}

static enum egl_stream_result call_from_fd(void)
{
    return egl_stream_from_fd(&s);
}

static enum egl_stream_result call_disconnect(void)
{
    egl_stream_disconnect(&s);
    return EGL_STREAM_DONE;
}

#define OK EGL_STREAM_DONE
#define ST EGL_STREAM_BAD_STATE
#define AC EGL_STREAM_BAD_ACCESS
#define FR EGL_STREAM_BAD_FRAME
#define WT EGL_STREAM_WAIT
#define TO EGL_STREAM_TIMEOUT

/* A call's answer in each state, and the state afterwards. */
static const struct {
    const char *name;
    enum egl_stream_result (*call)(void);
    enum egl_stream_result answer[STATES];
    int after[STATES];
} calls[] = {
    /* EGL_KHR_stream 3.10.2: "not in state CREATED will fail" */
    { "connect consumer",
      call_consumer,
      { OK, ST, ST, ST, ST, ST },
      { CONNECTING, CONNECTING, EMPTY, NEW, OLD, GONE } },
    /* 3.10.3: "not in state CONNECTING will fail" */
    { "connect producer",
      call_producer,
      { ST, OK, ST, ST, ST, ST },
      { CREATED, EMPTY, EMPTY, NEW, OLD, GONE } },
    /* 3.10.3.1 of producer_eglsurface: EMPTY, NEW or OLD */
    { "insert",
      call_insert,
      { ST, ST, OK, OK, OK, ST },
      { CREATED, CONNECTING, NEW, NEW, NEW, GONE } },
    /* consumer_gltexture: blocks while EMPTY or OLD */
    { "acquire",
      call_acquire,
      { ST, ST, WT, OK, WT, ST },
      { CREATED, CONNECTING, EMPTY, OLD, OLD, GONE } },
    /* ... until the time limit: then OLD latches the same frame, EMPTY fails */
    { "acquire, expired",
      call_acquire_expired,
      { ST, ST, TO, OK, OK, ST },
      { CREATED, CONNECTING, EMPTY, OLD, OLD, GONE } },
    /* measured: an error; state_attrib: BAD_STATE outside EMPTY, NEW, OLD */
    { "release what is not held",
      call_release_unheld,
      { ST, ST, FR, FR, FR, ST },
      { CREATED, CONNECTING, EMPTY, NEW, OLD, GONE } },
    /* EGL_NV_stream_reset 3.10.5.x */
    { "reset",
      call_reset,
      { ST, ST, OK, OK, OK, ST },
      { CREATED, CONNECTING, EMPTY, EMPTY, EMPTY, GONE } },
    /* 3.10.4.1: BAD_STATE when DISCONNECTED */
    { "set an attribute",
      call_attribute,
      { OK, OK, OK, OK, OK, ST },
      { CREATED, CONNECTING, EMPTY, NEW, OLD, GONE } },
    /* 3.10.4.3: queries are valid in all states */
    { "query",
      call_query,
      { OK, OK, OK, OK, OK, OK },
      { CREATED, CONNECTING, EMPTY, NEW, OLD, GONE } },
    /* EGL_NV_stream_sync: BAD_ACCESS when CREATED or DISCONNECTED */
    { "sync",
      call_sync,
      { AC, OK, OK, OK, OK, AC },
      { CREATED, CONNECTING, EMPTY, NEW, OLD, GONE } },
    /* EGL_KHR_stream_cross_process_fd: CREATED; a handle from it: CREATED or CONNECTING */
    { "file descriptor",
      call_fd,
      { OK, ST, ST, ST, ST, ST },
      { CREATED, CONNECTING, EMPTY, NEW, OLD, GONE } },
    { "from a file descriptor",
      call_from_fd,
      { OK, OK, ST, ST, ST, ST },
      { CREATED, CONNECTING, EMPTY, NEW, OLD, GONE } },
    /* 3.10.4.3: from any state, final */
    { "disconnect",
      call_disconnect,
      { OK, OK, OK, OK, OK, OK },
      { GONE, GONE, GONE, GONE, GONE, GONE } },
};

START_TEST(every_call_in_every_state)
{
    for (int state = 0; state < STATES; state++) {
        enum egl_stream_result answer;

        bring(state);
        answer = calls[_i].call();
        ck_assert_msg(answer == calls[_i].answer[state], "%s in 0x%x: %d, not %d", calls[_i].name,
                      number[state], answer, calls[_i].answer[state]);
        ck_assert_msg(egl_stream_state(&s) == number[calls[_i].after[state]],
                      "%s in 0x%x: 0x%x, not 0x%x", calls[_i].name, number[state],
                      egl_stream_state(&s), number[calls[_i].after[state]]);
    }
}
END_TEST

/* Tables 3.10.4.4 of the four texts: ro, rw, io, and their defaults. */
static const struct {
    int64_t attribute, value;
    enum egl_stream_result create, set, query;
    int32_t initial;
} attributes[] = {
    { 0x3214, 0x3216, AC, AC, OK, 0x3215 },             /* STATE: ro */
    { 0x3212, 1, AC, AC, EGL_STREAM_BAD_ATTRIBUTE, 0 }, /* PRODUCER_FRAME: ro, u64 */
    { 0x3213, 1, AC, AC, EGL_STREAM_BAD_ATTRIBUTE, 0 }, /* CONSUMER_FRAME: ro, u64 */
    { 0x3210, 9, OK, OK, OK, 0 },                       /* LATENCY: rw */
    { 0x3210, -1, EGL_STREAM_BAD_PARAMETER, EGL_STREAM_BAD_PARAMETER, OK, 0 },
    { 0x321E, -1, OK, OK, OK, 0 },                       /* ACQUIRE_TIMEOUT: rw */
    { 0x31FC, 3, OK, AC, OK, 0 },                        /* FIFO_LENGTH: io */
    { 0x31FC, -1, EGL_STREAM_BAD_PARAMETER, AC, OK, 0 }, /* "a value less than 0" */
    { 0x3334, 1, OK, AC, OK, 0 },                        /* SUPPORT_RESET: io, FALSE */
    { 0x3335, 0, OK, AC, OK, 1 },                        /* SUPPORT_REUSE: io, TRUE */
    { 0x3335, 2, EGL_STREAM_BAD_PARAMETER, AC, OK, 1 },
    { 0x31FD, 1, AC, AC, EGL_STREAM_BAD_ATTRIBUTE, 0 }, /* TIME_NOW: ro, time */
    { 0x3211, 1, EGL_STREAM_BAD_ATTRIBUTE, EGL_STREAM_BAD_ATTRIBUTE, EGL_STREAM_BAD_ATTRIBUTE, 0 },
};

START_TEST(attributes_are_those_of_the_extensions)
{
    int32_t value = 0;

    egl_stream_init(&s);
    ck_assert_int_eq(egl_stream_query(&s, attributes[_i].attribute, &value), attributes[_i].query);
    ck_assert_int_eq(value, attributes[_i].initial);
    ck_assert_int_eq(
        egl_stream_create_attribute(&s, attributes[_i].attribute, attributes[_i].value),
        attributes[_i].create);
    if (attributes[_i].create == OK) {
        ck_assert_int_eq(egl_stream_query(&s, attributes[_i].attribute, &value), OK);
        ck_assert_int_eq(value, attributes[_i].value);
    }
    ck_assert_int_eq(egl_stream_set_attribute(&s, attributes[_i].attribute, attributes[_i].value),
                     attributes[_i].set);
}
END_TEST

/* Measured: three presents, then the producer gets frames 0 and 1, and no more. */
START_TEST(a_mailbox_keeps_the_newest_frame)
{
    egl_stream_init(&s);
    both_connected();
    insert(10);
    insert(11);
    insert(12);
    ck_assert_uint_eq(s.discarded, 2);
    ck_assert_uint_eq(collect(), 10);
    ck_assert_uint_eq(collect(), 11);
    ck_assert_uint_eq(collect(), 0);
    ck_assert_uint_eq(acquire(false), 12);
}
END_TEST

/* EGL_KHR_stream_fifo 3.10.5.2: nothing is discarded, the producer stalls. */
START_TEST(a_fifo_keeps_all_and_stalls_its_producer)
{
    egl_stream_init(&s);
    ck_assert_int_eq(egl_stream_create_attribute(&s, 0x31FC, 2), OK);
    both_connected();
    insert(1);
    insert(2);
    ck_assert_int_eq(egl_stream_insert(&s, 3, 0), WT);
    ck_assert_uint_eq(s.producer_frame, 2);
    ck_assert_uint_eq(acquire(false), 1);
    insert(3);
    release(1);
    ck_assert_uint_eq(collect(), 1);
    ck_assert_uint_eq(acquire(false), 2);
    release(2);
    ck_assert_uint_eq(acquire(false), 3);
    release(3);
    ck_assert_uint_eq(collect(), 2);
    ck_assert_uint_eq(collect(), 0); /* measured: the last one never, while reuse is on */
    ck_assert(egl_stream_pinned(&s));
    ck_assert_uint_eq(acquire(true), 3);
}
END_TEST

/* EGL_NV_stream_reset 3.10.4.x+1. */
START_TEST(without_reuse_the_last_frame_leaves)
{
    egl_stream_init(&s);
    ck_assert_int_eq(egl_stream_create_attribute(&s, 0x3335, 0), OK);
    both_connected();
    insert(1);
    ck_assert_uint_eq(acquire(false), 1);
    ck_assert_int_eq(egl_stream_state(&s), 0x3217);
    release(1);
    ck_assert_uint_eq(collect(), 1);
    ck_assert_int_eq(call_acquire_expired(), TO);
}
END_TEST

START_TEST(a_newer_frame_sets_the_old_one_free)
{
    egl_stream_init(&s);
    both_connected();
    insert(1);
    ck_assert_uint_eq(acquire(false), 1);
    release(1);
    ck_assert_uint_eq(collect(), 0);
    insert(2);
    ck_assert_uint_eq(collect(), 1);
}
END_TEST

/* "Frames currently held by the consumer ... will be discarded once released" */
START_TEST(a_reset_frees_the_held_frame_at_its_release)
{
    uint64_t count;

    bring(NEW);
    ck_assert_uint_eq(acquire(false), 1);
    insert(2);
    ck_assert_int_eq(egl_stream_reset(&s), OK);
    ck_assert_int_eq(egl_stream_state(&s), 0x3217);
    ck_assert_int_eq(egl_stream_query_u64(&s, 0x3212, &count), OK);
    ck_assert_uint_eq(count, 0); /* measured */
    ck_assert_uint_eq(collect(), 2);
    ck_assert_uint_eq(collect(), 0);
    release(1);
    ck_assert_int_eq(egl_stream_state(&s), 0x3217);
    ck_assert_uint_eq(collect(), 1);
    insert(3); /* "new frames inserted by the producer are processed normally" */
    ck_assert_uint_eq(acquire(false), 3);
    release(3);
    ck_assert_int_eq(egl_stream_state(&s), 0x3219);
}
END_TEST

START_TEST(a_reset_must_be_supported_and_by_the_consumer)
{
    egl_stream_init(&s);
    both_connected();
    ck_assert_int_eq(egl_stream_reset(&s), AC);
    bring(NEW);
    s.apart = true;
    ck_assert_int_eq(egl_stream_reset(&s), AC);
    bring(CREATED);
    ck_assert_int_eq(egl_stream_connect_consumer(&s, false), EGL_STREAM_BAD_MATCH);
    ck_assert_int_eq(egl_stream_state(&s), 0x3215);
}
END_TEST

/* Measured: a second acquire, a second release, a frame that is in the stream. */
START_TEST(frames_are_held_and_inserted_once)
{
    bring(NEW);
    ck_assert_int_eq(egl_stream_insert(&s, 1, 0), FR);
    ck_assert_int_eq(egl_stream_insert(&s, 0, 0), FR);
    ck_assert_uint_eq(acquire(false), 1);
    insert(2);
    ck_assert_int_eq(call_acquire(), AC);
    ck_assert_int_eq(egl_stream_release(&s, 2), FR);
    release(1);
    ck_assert_int_eq(egl_stream_release(&s, 1), FR);
    ck_assert_uint_eq(collect(), 1);
    insert(1);
}
END_TEST

/* CUDA for Tegra 5.1.2: no more than 64; measured in a FIFO of 70. */
START_TEST(the_65th_frame_is_refused)
{
    egl_stream_init(&s);
    ck_assert_int_eq(egl_stream_create_attribute(&s, 0x31FC, 70), OK);
    both_connected();
    for (uint64_t i = 1; i <= 64; i++) {
        insert(i);
    }
    ck_assert_int_eq(egl_stream_insert(&s, 65, 0), EGL_STREAM_FULL);
    ck_assert_uint_eq(acquire(false), 1);
    release(1);
    ck_assert_int_eq(egl_stream_insert(&s, 65, 0), EGL_STREAM_FULL);
    ck_assert_uint_eq(collect(), 1);
    insert(65);
}
END_TEST

/* 3.10.4.4, 3.10.4.5 and the time stamps of EGL_KHR_stream_fifo. */
START_TEST(counters_and_times)
{
    uint64_t value;

    egl_stream_init(&s);
    ck_assert_int_eq(egl_stream_create_attribute(&s, 0x3210, 5), OK);
    both_connected();
    ck_assert_int_eq(egl_stream_query_u64(&s, 0x3212, &value), OK);
    ck_assert_uint_eq(value, 0);
    ck_assert_int_eq(egl_stream_insert(&s, 1, 100000), OK);
    ck_assert_int_eq(egl_stream_insert(&s, 2, 200000), OK);
    ck_assert_uint_eq(acquire(false), 2);
    egl_stream_query_u64(&s, 0x3212, &value);
    ck_assert_uint_eq(value, 2);
    egl_stream_query_u64(&s, 0x3213, &value);
    ck_assert_uint_eq(value, 2);
    egl_stream_query_time(&s, 0x31FE, 300000, &value);
    ck_assert_uint_eq(value, 195000); /* "minus the value of EGL_CONSUMER_LATENCY_USEC_KHR" */
    egl_stream_query_time(&s, 0x31FD, 300000, &value);
    ck_assert_uint_eq(value, 300000);
    ck_assert_int_eq(egl_stream_query_u64(&s, 0x3214, &value), EGL_STREAM_BAD_ATTRIBUTE);
    ck_assert_int_eq(egl_stream_query_time(&s, 0x3214, 0, &value), EGL_STREAM_BAD_ATTRIBUTE);
}
END_TEST

START_TEST(one_sync_and_one_descriptor_a_stream)
{
    bring(CREATED);
    ck_assert_int_eq(egl_stream_fd(&s), OK);
    ck_assert_int_eq(egl_stream_fd(&s), ST);
    ck_assert_int_eq(egl_stream_connect_consumer(&s, true), OK);
    ck_assert_int_eq(egl_stream_sync(&s), OK);
    ck_assert_int_eq(egl_stream_sync(&s), AC);
    bring(CREATED);
    s.duplicate = true;
    ck_assert_int_eq(egl_stream_fd(&s), ST);
}
END_TEST

/* Another process may have written anything. */
START_TEST(a_state_that_cannot_be_is_not_used)
{
    bring(NEW);
    ck_assert(egl_stream_sane(&s));
    s.queue.len = 65;
    ck_assert(!egl_stream_sane(&s));
    bring(NEW);
    s.returned.len = 64; /* and one in the queue */
    ck_assert(!egl_stream_sane(&s));
    bring(NEW);
    s.queue.len = s.returned.len = UINT32_MAX / 2 + 1;
    ck_assert(!egl_stream_sane(&s));
    bring(OLD);
    s.base = EGL_STREAM_NEW;
    ck_assert(!egl_stream_sane(&s));
    bring(OLD);
    s.fifo_length = -1;
    ck_assert(!egl_stream_sane(&s));
    bring(GONE);
    ck_assert(egl_stream_sane(&s));
}
END_TEST

/* Measured. */
START_TEST(after_a_disconnect_only_a_held_frame_can_be_released)
{
    bring(NEW);
    ck_assert_uint_eq(acquire(false), 1);
    insert(2);
    egl_stream_disconnect(&s);
    ck_assert_uint_eq(collect(), 0);
    release(1);
    ck_assert_int_eq(egl_stream_release(&s, 1), ST);
    ck_assert_uint_eq(collect(), 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("egl_stream");
    TCase *t = tcase_create("states");

    tcase_add_loop_test(t, every_call_in_every_state, 0, G_N_ELEMENTS(calls));
    tcase_add_loop_test(t, attributes_are_those_of_the_extensions, 0, G_N_ELEMENTS(attributes));
    tcase_add_test(t, a_mailbox_keeps_the_newest_frame);
    tcase_add_test(t, a_fifo_keeps_all_and_stalls_its_producer);
    tcase_add_test(t, without_reuse_the_last_frame_leaves);
    tcase_add_test(t, a_newer_frame_sets_the_old_one_free);
    tcase_add_test(t, a_reset_frees_the_held_frame_at_its_release);
    tcase_add_test(t, a_reset_must_be_supported_and_by_the_consumer);
    tcase_add_test(t, frames_are_held_and_inserted_once);
    tcase_add_test(t, the_65th_frame_is_refused);
    tcase_add_test(t, counters_and_times);
    tcase_add_test(t, one_sync_and_one_descriptor_a_stream);
    tcase_add_test(t, a_state_that_cannot_be_is_not_used);
    tcase_add_test(t, after_a_disconnect_only_a_held_frame_can_be_released);
    suite_add_tcase(suite, t);
    return suite_main(suite);
}
