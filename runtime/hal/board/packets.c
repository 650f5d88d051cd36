/* SPDX-License-Identifier: MIT */
/* A program's packets: the reader's thread and the worker's (server.h), and what they send. A
 * program may be wrong or hostile: nothing it sends may break this process. */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "runtime/hal/board/server.h"

/* --- talking ---------------------------------------------------------------------------------- */

void client_close(struct board_client *c, const char *wrong)
{
    pthread_mutex_lock(&c->board->lock);
    if (!c->closed && wrong) {
        g_strlcpy(c->wrong, wrong, sizeof(c->wrong));
    }
    c->closed = true;
    interrupt_update(c->board); /* a wait ends */
    pthread_cond_signal(&c->arrived);
    pthread_cond_broadcast(&c->board->acted);
    pthread_mutex_unlock(&c->board->lock);
}

void client_interrupt(struct board_client *c, bool on)
{
    pthread_mutex_lock(&c->board->lock);
    c->interrupted = on;
    interrupt_update(c->board);
    pthread_cond_broadcast(&c->board->acted);
    pthread_mutex_unlock(&c->board->lock);
    if (on) {
        wait_end(c, -ECANCELED);
    }
}

/* The next request. false: there will be none. */
static bool request_take(struct board_client *c, struct board_request *request)
{
    bool got;

    pthread_mutex_lock(&c->board->lock);
    while (!c->full && !c->closed) {
        pthread_cond_wait(&c->arrived, &c->board->lock);
    }
    got = !c->closed;
    *request = c->slot;
    c->full = false;
    pthread_mutex_unlock(&c->board->lock);
    return got;
}

void client_send(struct board_client *c, const struct board_message *m, const void *more,
                 size_t bytes)
{
    int err = board_send(c->fd, m, sizeof(*m), more, bytes);

    if (err) {
        client_close(c,
                     err == -EPIPE || err == -ECONNRESET ? NULL : "it does not take its messages");
    }
}

/* The last records come in the reply's own packet: the program wakes once. */
void reply_send(struct board_client *c, struct board_message *reply)
{
    GArray *records;

    pthread_mutex_lock(&c->sending);
    asking_set(c, false);
    pthread_mutex_lock(&c->board->records_lock);
    c->unanswered = 0;
    reply->flags = c->watched ? BOARD_TELL : 0;
    records = records_take(c);
    pthread_mutex_unlock(&c->board->records_lock);
    if (records && records->len <= BOARD_RECORDS_MAX) {
        reply->count = records->len;
        client_send(c, reply, records->data, records->len * sizeof(struct board_record));
        g_array_unref(records);
    } else {
        records_send(c, records);
        client_send(c, reply, NULL, 0);
    }
    pthread_mutex_unlock(&c->sending);
}

/* A question in the middle of a request. false: there is no answer. */
static bool packets_ask(struct board_client *c, const struct board_message *m, const void *more,
                        size_t bytes, uint64_t *answer)
{
    struct board_request request;

    records_flush(c);
    client_send(c, m, more, bytes);
    if (!request_take(c, &request)) {
        return false;
    }
    if (request.op != BOARD_ANSWER) {
        client_close(c, "a request instead of an answer");
        return false;
    }
    *answer = request.arg[0];
    return true;
}

int board_choose(void *opaque, const uint32_t *agent, unsigned n)
{
    struct board_message m = { .type = BOARD_ASK_CHOOSE, .count = MIN(n, BOARD_AGENTS_MAX) };
    uint64_t answer;

    if (!packets_ask(((struct board *)opaque)->active, &m, agent, m.count * sizeof(*agent),
                     &answer)) {
        return -1;
    }
    return answer < m.count ? (int)answer : -1;
}

uint64_t board_draw(void *opaque, enum cache_kind cache)
{
    struct board_message m = { .type = BOARD_ASK_DRAW, .result = cache };
    uint64_t answer;

    return packets_ask(((struct board *)opaque)->active, &m, NULL, 0, &answer) ? answer : 0;
}

/* --- requests --------------------------------------------------------------------------------- */

/* Those that end no wait of another program: they change nothing that it could wait for. */
static bool is_look(uint32_t op)
{
    return op == BOARD_READ32 || op == BOARD_TIME || op == BOARD_LINE || op == BOARD_DUMP ||
           op == BOARD_NOTE || op == BOARD_OBSERVE || op == BOARD_COUNTS || op == BOARD_WAIT;
}

/* A program but @self that has ended and whose end has not been served yet: however long that takes
 * on a busy machine. */
static bool any_ends(struct board *b, const struct board_client *self)
{
    bool any = false;

    pthread_mutex_lock(&b->lock);
    for (guint i = 0; i < b->clients->len; i++) {
        const struct board_client *c = b->clients->pdata[i];
        struct pollfd p = { .fd = c->fd, .events = POLLRDHUP };

        any |= c != self && (c->closed || (poll(&p, 1, 0) == 1 && p.revents));
    }
    any &= !self->closed;
    pthread_mutex_unlock(&b->lock);
    return any;
}

#define ENDS_MS 10000

void ends_wait(struct board *b, const struct board_client *self)
{
    for (unsigned ms = 0; ms < ENDS_MS && any_ends(b, self); ms++) {
        g_usleep(1000);
    }
}

/* hal_note() of the model's HAL keeps it for each thread of this process. */
void thread_report(struct board *b, uint32_t thread)
{
    static _Thread_local uint32_t told;

    if (thread != told) {
        hal_note(b->hal, HAL_NOTE_THREAD, thread, 0);
        told = thread;
    }
}

/* From here on the reader may serve the next one. */
static void worker_done(struct board_client *c)
{
    pthread_mutex_lock(&c->board->lock);
    c->busy = c->full;
    pthread_mutex_unlock(&c->board->lock);
}

/* Each reply comes after the records that the request has made. */
static void request_serve(struct board_client *c, const struct board_request *request)
{
    struct board_message reply = { .type = BOARD_REPLY };

    /* What has ended is gone: for the program that has the turn, and for one that asks for what
     * others have exported. */
    if (takes_turns(c->board) || request->op == BOARD_IMPORT) {
        ends_wait(c->board, c);
    }
    turn_take(c->board, c);
    posts_serve(c->board, c);
    thread_report(c->board, request->thread);
    reply.result = request_do(c, request, reply.value);
    reply.time_ns = hal_time_ns(c->board->hal);
    if (!is_look(request->op) || request->op == BOARD_WAIT) {
        waits_look(c->board, c);
    }
    turn_give(c->board, !is_look(request->op));
    worker_done(c);
    reply_send(c, &reply);
}

void client_worker(struct board_client *c)
{
    struct board_request request;

    while (request_take(c, &request)) {
        if (request.op >= BOARD_OP_COUNT) {
            client_close(c, request.op == BOARD_ANSWER ? "an answer without a question"
                            : request.op == BOARD_POST ? "a signal without a reply"
                                                       : "a request that does not exist");
            return;
        }
        request_serve(c, &request);
    }
}

/* --- packets ---------------------------------------------------------------------------------- */

void worker_give(struct board_client *c, const struct board_request *request)
{
    pthread_mutex_lock(&c->board->lock);
    c->slot = *request;
    c->full = c->busy = true;
    pthread_cond_signal(&c->arrived);
    pthread_mutex_unlock(&c->board->lock);
}

/* Requests that may run work of the board, or send much. */
static bool takes_long(const struct board *b, const struct board_request *r)
{
    return r->op >= BOARD_OP_COUNT || r->op == BOARD_POLL || r->op == BOARD_DUMP ||
           (r->op == BOARD_WRITE32 && r->arg[0] != UNIT_HOST1X &&
            b->settings.policy == HAL_POLICY_EAGER);
}

/* Where the program is asked questions the worker does all: the reader takes the answers. */
bool asks(const struct board *b)
{
    return b->host || b->settings.flags & (BOARD_CHOOSE | BOARD_DRAW | BOARD_TURNS);
}

/* Return: false: the program has broken the rules. */
static bool packet_do(struct board_client *c, const struct board_request *request)
{
    struct board_message reply = { .type = BOARD_REPLY };
    bool parked, busy, full;

    pthread_mutex_lock(&c->board->lock);
    c->asking = true;
    parked = c->parked;
    busy = c->busy;
    full = c->full;
    pthread_mutex_unlock(&c->board->lock);
    if (parked || full) {
        client_close(c, "a request before the reply to the last");
        return false;
    }
    if (busy || asks(c->board) || takes_long(c->board, request)) {
        worker_give(c, request);
    } else if (request->op != BOARD_WAIT) {
        request_serve(c, request);
    } else if (wait_begin(c, request, &reply)) {
        reply_send(c, &reply);
    }
    return true;
}

/* Until there is a packet; a wait ends when no other program has acted for a moment. */
static void packet_await(struct board_client *c)
{
    struct pollfd p = { .fd = c->fd, .events = POLLIN };
    bool acted;

    while (poll(&p, 1, wait_is_parked(c, &acted) ? WAIT_MS : -1) == 0) {
        if (wait_is_parked(c, &acted) && !acted) {
            wait_end(c, -EBUSY);
        }
    }
}

static int64_t packet_take(struct board_client *c, struct board_request *request)
{
    int64_t n;
    bool acted;

    do {
        if (c->posts || wait_is_parked(c, &acted)) {
            packet_await(c);
        }
        n = c->posts ? posts_receive(c, request) : board_receive(c->fd, request, sizeof(*request));
    } while (n == -EAGAIN || n == -EINTR);
    return n;
}

void *client_reader(void *opaque)
{
    struct board_client *c = opaque;
    struct board_request request;
    bool goes_on = true;

    while (goes_on) {
        int64_t n = packet_take(c, &request);

        if (n != sizeof(request)) {
            char text[96];

            g_snprintf(text, sizeof(text),
                       n == -EMSGSIZE ? "a packet longer than a request"
                                      : "a packet of %lld bytes instead of %zu",
                       (long long)n, sizeof(request));
            client_close(c, n == -ECONNRESET ? NULL : text);
            goes_on = false;
        } else if (request.op == BOARD_INTERRUPT) {
            client_interrupt(c, request.arg[0] != 0);
        } else {
            goes_on = packet_do(c, &request);
        }
    }
    return NULL;
}
