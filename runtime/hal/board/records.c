/* SPDX-License-Identifier: MIT */
/* Records on their way to a program. While its own request is served it reads them; work of it that
 * another program's request runs makes records, too, whether it reads or not. So each program has
 * two limits: of records of others, and of its own. Beyond these, records are left out, and a gap
 * stands before what is left out and behind it, with their number: also where the program has read
 * meanwhile, and later records have room again. */
#include <poll.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include "runtime/hal/board/server.h"

#define OWN_MAX 262144u /* 20 MiB */
#define SLOW_MS 1000    /* a program that reads takes a packet sooner, unless it is stopped */

static struct board_record gap_of(const struct board_client *c)
{
    return (struct board_record){ .event = TRACE_EVENT_COUNT,
                                  .process = TRACE_PROCESSES,
                                  .arg = { c->lost_own, c->lost_foreign } };
}

/* A record is left out. The first gap has no number yet: the last one has. */
static void gap_begin(struct board_client *c, uint64_t *lost)
{
    if (!c->lost_own && !c->lost_foreign) {
        struct board_record gap = gap_of(c);

        g_array_append_val(c->records, gap);
    }
    ++*lost;
}

static void gap_end(struct board_client *c)
{
    struct board_record gap = gap_of(c);

    g_array_append_val(c->records, gap);
    c->lost_own = c->lost_foreign = 0;
}

void records_add_foreign(struct board_client *c, const struct board_record *record)
{
    if (c->foreign >= BOARD_FOREIGN_MAX) {
        gap_begin(c, &c->lost_foreign);
        return;
    }
    if (c->lost_foreign) {
        gap_end(c);
    }
    c->foreign++;
    g_array_append_vals(c->records, record, 1);
}

/* What orders programs is rare and never left out. */
void records_add_own(struct board_client *c, const struct board_record *record)
{
    unsigned class = trace_event_class[record->event];
    bool may_be_lost = class == TRACE_ACCESS || class == TRACE_CACHE;

    if (c->records->len >= OWN_MAX && may_be_lost) {
        gap_begin(c, &c->lost_own);
        return;
    }
    if (c->lost_own && may_be_lost) {
        gap_end(c);
    }
    g_array_append_vals(c->records, record, 1);
}

GArray *records_take(struct board_client *c)
{
    GArray *records = c->records;

    if (c->lost_own || c->lost_foreign) {
        gap_end(c);
    }
    c->foreign = 0;
    if (!records->len) {
        return NULL; /* the array stays where others may add to it */
    }
    c->records = g_array_new(FALSE, FALSE, sizeof(struct board_record));
    return records;
}

static void packet_of(const GArray *records, guint at, struct board_message *m,
                      struct iovec parts[2])
{
    *m = (struct board_message){ .type = BOARD_RECORDS,
                                 .count = MIN(records->len - at, BOARD_RECORDS_MAX) };
    parts[0] = (struct iovec){ m, sizeof(*m) };
    parts[1] = (struct iovec){ &g_array_index(records, struct board_record, at),
                               m->count * sizeof(struct board_record) };
}

/* With @sending. */
void records_send(struct board_client *c, GArray *records)
{
    for (guint at = 0; records && at < records->len; at += BOARD_RECORDS_MAX) {
        struct iovec parts[2];
        struct board_message m;

        packet_of(records, at, &m, parts);
        client_send(c, &m, parts[1].iov_base, parts[1].iov_len);
    }
    g_clear_pointer(&records, g_array_unref);
}

void records_flush(struct board_client *c)
{
    GArray *records;

    pthread_mutex_lock(&c->sending);
    pthread_mutex_lock(&c->board->records_lock);
    records = records_take(c);
    pthread_mutex_unlock(&c->board->records_lock);
    records_send(c, records);
    pthread_mutex_unlock(&c->sending);
}

/* Return: the socket has room for a packet, or gets it soon. */
static bool has_room(struct board_client *c)
{
    struct pollfd p = { .fd = c->fd, .events = POLLOUT };
    bool reads;

    pthread_mutex_lock(&c->board->lock);
    reads = c->asking && !c->closed && !c->slow;
    pthread_mutex_unlock(&c->board->lock);
    if (poll(&p, 1, reads ? SLOW_MS : 0) == 1) {
        c->slow = false;
        return true;
    }
    c->slow |= reads;
    return false;
}

/* With @sending: the packet from @at. Return: false: there is no room, or no whole packet. */
static bool packet_push(struct board_client *c, guint at)
{
    struct iovec parts[2];
    const struct msghdr message = { .msg_iov = parts, .msg_iovlen = 2 };
    struct board_message m;

    if (c->records->len - at < BOARD_RECORDS_MAX || !has_room(c)) {
        return false;
    }
    packet_of(c->records, at, &m, parts);
    return sendmsg(c->fd, &message, MSG_NOSIGNAL | MSG_DONTWAIT) > 0;
}

static void records_remove(struct board_client *c, guint n)
{
    for (guint i = 0; i < n; i++) {
        c->foreign -= g_array_index(c->records, struct board_record, i).process != 0 && c->foreign;
    }
    g_array_remove_range(c->records, 0, n);
}

void records_push(struct board_client *c)
{
    guint at = 0;

    if (is_alone(c->board)) {
        records_flush(c);
    } else if (pthread_mutex_trylock(&c->sending) == 0) {
        pthread_mutex_lock(&c->board->records_lock);
        while (packet_push(c, at)) {
            at += BOARD_RECORDS_MAX;
        }
        records_remove(c, at);
        pthread_mutex_unlock(&c->board->records_lock);
        pthread_mutex_unlock(&c->sending);
    }
}
