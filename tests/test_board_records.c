/* SPDX-License-Identifier: MIT */
/* Records on their way to a program, on a board that is only a list of programs: how many are kept
 * for one that does not read, what stands for those that are left out, and that one that reads
 * gets them all, in order. */
#include <check.h>
#include <sys/socket.h>
#include <unistd.h>

#include "runtime/hal/board/server.h"
#include "tests/suite.h"

#define KEPT_MAX 300000u /* for one program: 24 MB */

static struct board board;
static struct board_client reader, other;
static int peer; /* the program's end of @reader's socket */

static void client_open(struct board_client *c, int fd)
{
    *c = (struct board_client){ .board = &board, .fd = fd };
    pthread_mutex_init(&c->sending, NULL);
    c->records = g_array_new(FALSE, FALSE, sizeof(struct board_record));
    g_ptr_array_add(board.clients, c);
}

static void setup(void)
{
    int pair[2];

    ck_assert_int_eq(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair), 0);
    peer = pair[1];
    pthread_mutex_init(&board.lock, NULL);
    pthread_mutex_init(&board.records_lock, NULL);
    board.clients = g_ptr_array_new();
    client_open(&reader, pair[0]);
    client_open(&other, -1);
}

static void teardown(void)
{
    g_array_unref(reader.records);
    g_array_unref(other.records);
    g_ptr_array_unref(board.clients);
    close(reader.fd);
    close(peer);
}

static void add(enum trace_event event, uint64_t number)
{
    struct board_record r = { .event = event, .arg = { number } };

    records_add_own(&reader, &r);
    if (reader.records->len % BOARD_RECORDS_MAX == 0) {
        records_push(&reader);
    }
}

static bool is_gap(const struct board_record *r)
{
    return r->event == TRACE_EVENT_COUNT && r->process == TRACE_PROCESSES;
}

/* Its work makes records in another program's request, and it asks for nothing. */
START_TEST(one_that_does_not_read_gets_the_number_of_what_is_left_out)
{
    const unsigned made = 1000000;
    struct board_record *all;
    GArray *records;
    uint64_t lost;
    guint len;

    for (unsigned i = 0; i < made; i++) {
        add(TRACE_EVENT_GPU_LOAD, i);
    }
    ck_assert_uint_le(reader.records->len, KEPT_MAX);
    add(TRACE_EVENT_SYNCPT_INCR, 7); /* what orders programs is kept */
    records = records_take(&reader);
    len = records->len;
    all = (struct board_record *)records->data;
    lost = all[len - 1].arg[0];
    ck_assert(is_gap(&all[len - 1]));
    ck_assert_uint_eq(all[len - 2].event, TRACE_EVENT_SYNCPT_INCR);
    ck_assert(is_gap(&all[len - 3]));
    ck_assert_uint_eq(all[len - 4].arg[0] + 1 + lost, made);
    ck_assert_uint_gt(lost, 0);
    g_array_unref(records);
    ck_assert_ptr_null(records_take(&reader)); /* once */
}
END_TEST

static void *read_all(void *opaque)
{
    static unsigned char packet[BOARD_PACKET_MAX];
    uint64_t *next = opaque;
    ssize_t n;

    while ((n = recv(peer, packet, sizeof(packet), 0)) > (ssize_t)sizeof(struct board_message)) {
        struct board_record *r = (void *)(packet + sizeof(struct board_message));

        for (; (unsigned char *)r < packet + n && r->arg[0] == *next; r++) {
            ++*next;
        }
    }
    return NULL;
}

/* However long another program's request runs its work. */
START_TEST(one_that_waits_for_a_reply_gets_all_meanwhile)
{
    const unsigned made = 600 * BOARD_RECORDS_MAX;
    uint64_t next = 0;
    pthread_t thread;

    reader.asking = true;
    ck_assert_int_eq(pthread_create(&thread, NULL, read_all, &next), 0);
    for (unsigned i = 0; i < made; i++) {
        add(TRACE_EVENT_GPU_STORE, i);
        ck_assert_uint_le(reader.records->len, BOARD_RECORDS_MAX);
    }
    shutdown(reader.fd, SHUT_WR);
    pthread_join(thread, NULL);
    ck_assert_uint_eq(next, made);
    ck_assert_uint_eq(reader.lost_own, 0);
}
END_TEST

/* Records of the other program, numbered, and gaps for those that are left out. */
static void numbers_follow(const struct board_record *r, guint n, uint64_t *next)
{
    for (guint i = 0; i < n; i++) {
        if (is_gap(&r[i])) {
            *next += r[i].arg[1];
        } else {
            ck_assert_uint_eq(r[i].arg[0], *next);
            ++*next;
        }
    }
}

static void packets_read(uint64_t *next)
{
    static unsigned char packet[BOARD_PACKET_MAX];
    const struct board_message *m = (const void *)packet;

    while (recv(peer, packet, sizeof(packet), MSG_DONTWAIT) > 0) {
        numbers_follow((const void *)(m + 1), m->count, next);
    }
}

/* A program that reads a little, and too slowly: what is left out in between may have ordered what
 * comes before it and behind it. */
START_TEST(a_gap_stands_wherever_records_are_left_out)
{
    struct board_record r = { .event = TRACE_EVENT_GPU_LOAD, .process = 2 };
    uint64_t next = 0;
    GArray *records;

    reader.asking = true;
    for (unsigned turn = 0; turn < 5; turn++) {
        for (unsigned i = 0; i < BOARD_FOREIGN_MAX; i++) {
            records_add_foreign(&reader, &r);
            r.arg[0]++;
        }
        reader.slow = false;
        records_push(&reader); /* as much as the socket takes */
        packets_read(&next);
    }
    records = records_take(&reader);
    numbers_follow((const void *)records->data, records->len, &next);
    ck_assert_uint_eq(next, r.arg[0]);
    g_array_unref(records);
}
END_TEST

enum { RECORDS = 50000 };

static _Atomic bool made_all;

/* The packets of @reader's program: records, or a reply with the records that come with it. The
 * last reply has result 1. Return: in *@opaque how many records there were, in their order. */
static void *replies_read(void *opaque)
{
    static unsigned char packet[BOARD_PACKET_MAX];
    const struct board_message *m = (const void *)packet;
    const struct board_record *r = (const void *)(m + 1);
    uint64_t *next = opaque;
    ssize_t n;

    do {
        n = recv(peer, packet, sizeof(packet), 0);
        for (uint32_t i = 0; n > 0 && i < m->count; i++) {
            *next += r[i].arg[0] == *next;
        }
    } while (n > 0 && m->result != 1);
    return NULL;
}

static void *records_make(void *opaque)
{
    struct board_record r = { .event = TRACE_EVENT_GPU_LOAD };

    for (r.arg[0] = 0; r.arg[0] < RECORDS; r.arg[0]++) {
        pthread_mutex_lock(&board.records_lock);
        records_add_own(&reader, &r);
        pthread_mutex_unlock(&board.records_lock);
        for (volatile unsigned i = 0; i < 1000; i++) { /* so that replies find none, too */
        }
    }
    made_all = true;
    return opaque;
}

/* Another program's request makes records at any time, also between the look that finds none and
 * the reply. */
START_TEST(each_record_comes_once_beside_replies)
{
    struct board_message reply = { .type = BOARD_REPLY };
    pthread_t reads, makes;
    uint64_t next = 0;

    ck_assert_int_eq(pthread_create(&reads, NULL, replies_read, &next), 0);
    ck_assert_int_eq(pthread_create(&makes, NULL, records_make, NULL), 0);
    while (!made_all) {
        reply = (struct board_message){ .type = BOARD_REPLY };
        reply_send(&reader, &reply);
    }
    pthread_join(makes, NULL);
    reply = (struct board_message){ .type = BOARD_REPLY, .result = 1 };
    reply_send(&reader, &reply);
    pthread_join(reads, NULL);
    ck_assert_uint_eq(next, RECORDS);
}
END_TEST

/* One that is stopped does not hold the others up for each packet. */
START_TEST(one_that_is_stopped_is_waited_for_once)
{
    reader.asking = true;
    for (unsigned i = 0; i < 100 * BOARD_RECORDS_MAX; i++) {
        add(TRACE_EVENT_GPU_LOAD, i);
    }
    ck_assert(reader.slow);
    ck_assert_uint_gt(reader.records->len, 0);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("board_records");
    TCase *t = tcase_create("records");

    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_test(t, one_that_does_not_read_gets_the_number_of_what_is_left_out);
    tcase_add_test(t, one_that_waits_for_a_reply_gets_all_meanwhile);
    tcase_add_test(t, a_gap_stands_wherever_records_are_left_out);
    tcase_add_test(t, each_record_comes_once_beside_replies);
    tcase_add_test(t, one_that_is_stopped_is_waited_for_once);
    tcase_set_timeout(t, 60);
    suite_add_tcase(s, t);
    return suite_main(s);
}
