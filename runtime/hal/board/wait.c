/* SPDX-License-Identifier: MIT */
/* Waits of programs that share a board.
 *
 * A wait for which the board must advance is the worker's. One for which another program has to act
 * is parked: it needs no thread. The program that acts looks for it before its own reply, and
 * replies in its name where it has ended; so the one that waits wakes once, in its own process. */
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <time.h>

#include "runtime/hal/board/server.h"
#include "runtime/hal/share.h"

/* --- waiting ---------------------------------------------------------------------------------- */

/* Until another program has done something. Return: false: none has. */
static bool others_sleep(struct board_client *c)
{
    struct board *b = c->board;
    struct timespec until;
    uint64_t generation;
    bool acted;

    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += WAIT_MS * 1000000;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    pthread_mutex_lock(&b->lock);
    generation = b->generation;
    turn_end(b);
    while (b->generation == generation && !c->interrupted && !c->closed &&
           pthread_cond_clockwait(&b->acted, &b->lock, CLOCK_MONOTONIC, &until) == 0) {
    }
    acted = b->generation != generation;
    pthread_mutex_unlock(&b->lock);
    turn_take(b, c);
    return acted;
}

/* No program that is left will raise it. A sync object has one signaler: a program that has passed
 * the right to signal on does not signal itself. */
static bool syncpt_orphan(const struct board *b, uint32_t id)
{
    const struct board_syncpt *s = &b->syncpt[id];

    if (!s->gone && (!s->signaler_gone || s->passes)) {
        return false;
    }
    for (guint i = 0; i < b->clients->len; i++) {
        const struct board_client *c = b->clients->pdata[i];

        if (c->number == s->owner ? !s->signaler_gone : may_signal(c, id)) {
            return false;
        }
    }
    return true;
}

/* The program waits for a signal of one that has ended: itself, or one of its channels. */
static bool wait_hopeless(struct board_client *c, uint32_t syncpt)
{
    struct board *b = c->board;
    bool orphan = b->any_left && syncpt_orphan(b, syncpt);

    for (uint32_t i = 0; b->any_left && i < CHANS_ALL && !orphan; i++) {
        uint32_t window = IGPU_CHAN_BASE + i % CHAN_COUNT * CHAN_WINDOW;
        uint32_t id =
            b->channel[i] == c->number
                ? hal_read32(b->hal, i < CHAN_COUNT ? UNIT_IGPU : UNIT_DGPU, window + CHAN_WAIT)
                : 0;

        orphan = id && id < b->profile->host1x.syncpts && syncpt_orphan(b, id);
    }
    return orphan;
}

/* Interrupts that another program has to service. */
static uint64_t irqs_of_others(const struct board_client *c)
{
    const struct board *b = c->board;
    uint64_t others = 0;
    bool any = false;

    for (unsigned i = 0; i < UNIT_COUNT; i++) {
        any |= is_engine(i) && b->unit[i] == c->number;
    }
    for (unsigned i = UNIT_IGPU + 1; i < UNIT_COUNT; i++) {
        if (unit_is_gpu((enum unit_id)i)) {
            continue;
        }
        others |= (uint64_t)(is_engine(i) ? b->unit[i] != c->number : !any) << i;
    }
    return others;
}

/* As hal_wait(), until another program wants the turn. */
static int wait_turn(struct board_client *c, uint32_t syncpt, uint32_t threshold, uint64_t steps)
{
    struct board *b = c->board;
    int r;

    pthread_mutex_lock(&b->lock);
    b->waits = true;
    interrupt_update(b);
    pthread_mutex_unlock(&b->lock);
    r = hal_wait_but(b->hal, syncpt, threshold, steps, is_alone(b) ? 0 : irqs_of_others(c));
    pthread_mutex_lock(&b->lock);
    b->waits = false;
    interrupt_update(b);
    pthread_mutex_unlock(&b->lock);
    return r;
}

static bool is_interrupted(struct board_client *c)
{
    bool yes;

    pthread_mutex_lock(&c->board->lock);
    yes = c->interrupted || c->closed;
    pthread_mutex_unlock(&c->board->lock);
    return yes;
}

static bool gpu_faulted(const struct board *b)
{
    bool any = false;

    for (enum unit_id gpu = UNIT_IGPU; gpu != UNIT_COUNT; gpu = gpu_behind(b, gpu)) {
        any |= hal_read32(b->hal, gpu, IGPU_INTR) & FIELD_MASK(IGPU_INTR_CHANNEL_ERROR);
    }
    return any;
}

/* What a wait that has ended means where the board has several programs. 1: wait on. */
static int wait_ended(struct board_client *c, uint32_t syncpt, int r)
{
    struct board *b = c->board;

    switch (r) {
    case -EIO:
        if (!gpu_faulted(b)) {
            return r; /* an engine of its own */
        }
        faults_collect(b);
        return c->faults->len ? r : 1;
    case -ECANCELED:
        if (is_interrupted(c)) {
            return r;
        }
        turn_give(b, false);
        turn_take(b, c);
        return 1;
    case -EDEADLK:
    case -EAGAIN:
        if (wait_hopeless(c, syncpt)) {
            return -EDEADLK;
        }
        if (takes_turns(b)) { /* the others cannot act before it gives the turn on */
            return r;
        }
        return others_sleep(c) ? 1 : is_interrupted(c) ? -ECANCELED : -EBUSY;
    default:
        return r;
    }
}

int64_t client_wait(struct board_client *c, uint32_t syncpt, uint32_t threshold, uint64_t steps)
{
    int r = 1;

    while (r > 0) {
        if (!is_alone(c->board)) {
            faults_collect(c->board);
        }
        if (c->faults->len) {
            return -EIO;
        }
        r = wait_turn(c, syncpt, threshold, steps);
        if (!is_alone(c->board) || (r == -ECANCELED && !is_interrupted(c))) {
            r = wait_ended(c, syncpt, r);
        }
    }
    return r;
}

/* --- parked ----------------------------------------------------------------------------------- */

enum { PARKS = 1, RUNS = 2 };

/* One look. Return: the wait's result; PARKS: another program has to act; RUNS: the board may
 * advance, or another program wants the turn: the worker waits. */
static int wait_look(struct board_client *c, const struct board_request *r)
{
    uint32_t syncpt = (uint32_t)r->arg[0];
    int result;

    faults_collect(c->board);
    if (c->faults->len) {
        return -EIO;
    }
    result = wait_turn(c, syncpt, (uint32_t)r->arg[1], 1);
    switch (result) {
    case -EDEADLK:
    case -EAGAIN:
        return wait_hopeless(c, syncpt) ? -EDEADLK : is_interrupted(c) ? -ECANCELED : PARKS;
    case -EIO:
    case -ECANCELED:
    case -ETIMEDOUT:
        return RUNS;
    default:
        return result;
    }
}

bool wait_begin(struct board_client *c, const struct board_request *r, struct board_message *reply)
{
    struct board *b = c->board;
    int look = RUNS;

    turn_take(b, c);
    posts_serve(b, c);
    thread_report(b, r->thread);
    c->wait = *r;
    if (r->arg[0] >= b->profile->host1x.syncpts || r->arg[1] > UINT32_MAX) {
        look = -EINVAL;
    } else if (!is_alone(b)) {
        look = wait_is_over(c, r->arg) ? 0 : wait_look(c, r);
        c->wait.arg[3] = false; /* once */
    }
    pthread_mutex_lock(&b->lock);
    c->parked = look == PARKS;
    c->wait_ns = reply->time_ns = hal_time_ns(b->hal);
    pthread_mutex_unlock(&b->lock);
    turn_give(b, false);
    if (look == RUNS) {
        worker_give(c, &c->wait);
    }
    reply->result = look;
    return look <= 0;
}

/* Return: it was parked until now: the caller replies. */
static bool wait_unpark(struct board_client *c)
{
    bool was;

    pthread_mutex_lock(&c->board->lock);
    was = c->parked;
    c->parked = false;
    pthread_mutex_unlock(&c->board->lock);
    return was;
}

void wait_end(struct board_client *c, int64_t result)
{
    struct board_message reply = { .type = BOARD_REPLY, .result = result, .time_ns = c->wait_ns };

    if (wait_unpark(c)) {
        reply_send(c, &reply);
    }
}

bool wait_is_parked(struct board_client *c, bool *acted)
{
    bool parked;

    pthread_mutex_lock(&c->board->lock);
    parked = c->parked;
    *acted = c->looked;
    c->looked = false;
    pthread_mutex_unlock(&c->board->lock);
    return parked;
}

/* Never blocks: it is another program's thread, and it has the turn. */
static bool reply_at_once(struct board_client *c, int64_t result)
{
    struct board_message reply = { .type = BOARD_REPLY,
                                   .result = result,
                                   .time_ns = hal_time_ns(c->board->hal) };
    struct iovec parts[2] = { { &reply, sizeof(reply) } };
    const struct msghdr message = { .msg_iov = parts, .msg_iovlen = 2 };
    bool sent = false;

    if (pthread_mutex_trylock(&c->sending)) {
        return false;
    }
    pthread_mutex_lock(&c->board->records_lock);
    if (c->records->len <= BOARD_RECORDS_MAX && !c->lost_own && !c->lost_foreign) {
        reply.flags = c->watched ? BOARD_TELL : 0;
        reply.count = c->records->len;
        parts[1] = (struct iovec){ c->records->data, reply.count * sizeof(struct board_record) };
        sent = sendmsg(c->fd, &message, MSG_NOSIGNAL | MSG_DONTWAIT) > 0;
    }
    if (sent) {
        g_array_set_size(c->records, 0);
        c->foreign = c->unanswered = 0;
    }
    pthread_mutex_unlock(&c->board->records_lock);
    if (sent) {
        asking_set(c, false);
    }
    pthread_mutex_unlock(&c->sending);
    return sent;
}

/* As if @c itself had the turn: records and interrupts are its. */
static int look_for(struct board_client *c)
{
    struct board *b = c->board;
    struct board_client *active = b->active;
    int look;

    b->active = c;
    thread_report(b, c->wait.thread);
    look = wait_look(c, &c->wait);
    b->active = active;
    return look;
}

static void parked_look(struct board_client *c)
{
    int look = look_for(c);

    if (look == PARKS || !wait_unpark(c)) {
        return;
    }
    if (look == RUNS || !reply_at_once(c, look)) {
        worker_give(c, &c->wait);
    }
}

void waits_look(struct board *b, const struct board_client *by)
{
    for (guint i = 0; i < b->clients->len; i++) {
        struct board_client *c = b->clients->pdata[i];
        bool parked;

        pthread_mutex_lock(&b->lock);
        parked = c->parked && !c->closed && c != by;
        c->looked |= parked;
        pthread_mutex_unlock(&b->lock);
        if (parked) {
            parked_look(c);
        }
    }
}
