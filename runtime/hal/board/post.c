/* SPDX-License-Identifier: MIT */
/* Signals that have no reply. The program that sends one does not wait until the board has done it,
 * and may at once let another program know by other means: what that one asks for then must find it
 * done. So only a thread that has the turn takes such a signal from its socket, and each request
 * takes those of all other programs first. */
#include <errno.h>
#include <sys/socket.h>

#include "runtime/hal/board/server.h"

/* Return: what rule it breaks; NULL: none. */
static const char *post_wrong(struct board_client *c)
{
    struct board *b = c->board;
    bool waits, many;

    pthread_mutex_lock(&b->lock);
    waits = c->parked || c->full || c->busy;
    pthread_mutex_unlock(&b->lock);
    pthread_mutex_lock(&b->records_lock);
    many = c->unanswered++ >= BOARD_POSTS_MAX;
    pthread_mutex_unlock(&b->records_lock);
    return waits  ? "a request before the reply to the last"
           : many ? "too many signals without a reply"
                  : NULL;
}

static void others_wake(struct board *b)
{
    pthread_mutex_lock(&b->lock);
    b->generation++;
    pthread_cond_broadcast(&b->acted);
    pthread_mutex_unlock(&b->lock);
}

/* As if the program itself had the turn: records are its. */
static void post_do(struct board_client *c, struct board_request *r)
{
    struct board *b = c->board;
    struct board_client *active = b->active;
    const char *wrong = post_wrong(c);
    uint64_t value[BOARD_VALUES];

    r->op = BOARD_SIGNAL;
    b->active = c;
    thread_report(b, r->thread);
    if (!wrong && request_do(c, r, value)) {
        wrong = "a signal that it may not make";
    }
    if (wrong) {
        client_close(c, wrong);
    } else {
        waits_look(b, c);
        others_wake(b);
    }
    b->active = active;
}

static void post_unless_closed(struct board_client *c, struct board_request *r)
{
    bool closed;

    pthread_mutex_lock(&c->board->lock);
    closed = c->closed;
    pthread_mutex_unlock(&c->board->lock);
    if (!closed) {
        post_do(c, r);
    }
}

/* One that waits for a reply sends no such signal, but an interrupt, which nothing may hold up. */
static bool has_a_request(struct board_client *c)
{
    bool yes;

    pthread_mutex_lock(&c->board->lock);
    yes = c->parked || c->busy;
    pthread_mutex_unlock(&c->board->lock);
    return yes;
}

/* What has no reply, so that more may be behind it. Behind a request there is nothing. */
static bool unanswered_is_next(const struct board_client *c, struct board_request *r)
{
    return recv(c->fd, r, sizeof(*r), MSG_PEEK | MSG_TRUNC | MSG_DONTWAIT) == sizeof(*r) &&
           (r->op == BOARD_POST || r->op == BOARD_INTERRUPT);
}

static void posts_take(struct board_client *c)
{
    struct board_request r;

    while (unanswered_is_next(c, &r)) {
        recv(c->fd, &r, sizeof(r), MSG_DONTWAIT);
        if (r.op == BOARD_POST) {
            post_unless_closed(c, &r);
        } else {
            client_interrupt(c, r.arg[0] != 0);
        }
    }
}

void posts_serve(struct board *b, const struct board_client *self)
{
    for (guint i = 0; i < b->clients->len; i++) {
        struct board_client *c = b->clients->pdata[i];

        if (c != self && c->posts && !has_a_request(c)) {
            posts_take(c);
        }
    }
}

static int64_t packet_length(ssize_t n)
{
    return n < 0                                       ? -errno
           : n == 0                                    ? -ECONNRESET
           : n > (ssize_t)sizeof(struct board_request) ? -EMSGSIZE
                                                       : n;
}

int64_t posts_receive(struct board_client *c, struct board_request *r)
{
    int64_t n;

    if (has_a_request(c)) {
        return board_receive(c->fd, r, sizeof(*r));
    }
    turn_take(c->board, c);
    do {
        n = packet_length(recv(c->fd, r, sizeof(*r), MSG_DONTWAIT | MSG_TRUNC));
    } while (n == sizeof(*r) && r->op == BOARD_POST && (post_unless_closed(c, r), true));
    turn_give(c->board, false);
    return n;
}
