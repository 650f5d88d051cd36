/* SPDX-License-Identifier: MIT */
/* A board for programs in other processes: their requests are calls of hal.h on the in-process
 * board. A program may be wrong or hostile: nothing it sends may break this process, or reach
 * beyond what it owns. */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "contract/contract.h"
#include "runtime/hal/board/server.h"
#include "runtime/hal/share.h"

/* --- talking ---------------------------------------------------------------------------------- */

void client_close(struct board_client *c, const char *wrong)
{
    pthread_mutex_lock(&c->board->lock);
    if (!c->closed && wrong) {
        g_strlcpy(c->wrong, wrong, sizeof(c->wrong));
    }
    c->closed = true;
    interrupt_update(c->board); /* a wait ends */
    pthread_cond_broadcast(&c->board->changed);
    pthread_mutex_unlock(&c->board->lock);
}

static void client_interrupt(struct board_client *c, bool on)
{
    pthread_mutex_lock(&c->board->lock);
    c->interrupted = on;
    interrupt_update(c->board);
    pthread_cond_broadcast(&c->board->changed);
    pthread_mutex_unlock(&c->board->lock);
}

/* The client's packets: an interrupt at once, a request for the worker. */
static void *reader(void *opaque)
{
    struct board_client *c = opaque;

    for (;;) {
        struct board_request request;
        int64_t n = board_receive(c->fd, &request, sizeof(request));
        bool twice;

        if (n != sizeof(request)) {
            char text[96];

            g_snprintf(text, sizeof(text),
                       n == -EMSGSIZE ? "a packet longer than a request"
                                      : "a packet of %lld bytes instead of %zu",
                       (long long)n, sizeof(request));
            client_close(c, n == -ECONNRESET ? NULL : text);
            return NULL;
        }
        if (request.op == BOARD_INTERRUPT) {
            client_interrupt(c, request.arg[0] != 0);
            continue;
        }
        pthread_mutex_lock(&c->board->lock);
        twice = c->full;
        c->slot = request;
        c->full = true;
        pthread_cond_broadcast(&c->board->changed);
        pthread_mutex_unlock(&c->board->lock);
        if (twice) {
            client_close(c, "a request before the reply to the last");
            return NULL;
        }
    }
}

/* The next request. false: there will be none. */
static bool request_take(struct board_client *c, struct board_request *request)
{
    bool got;

    pthread_mutex_lock(&c->board->lock);
    while (!c->full && !c->closed) {
        pthread_cond_wait(&c->board->changed, &c->board->lock);
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

/* Only the worker sends: the client reads nothing between its requests. */
void records_flush(struct board_client *c)
{
    GArray *records;

    pthread_mutex_lock(&c->board->records_lock);
    records = c->records;
    c->records = records->len ? g_array_new(FALSE, FALSE, sizeof(struct board_record)) : records;
    pthread_mutex_unlock(&c->board->records_lock);
    for (guint at = 0; at < records->len; at += BOARD_RECORDS_MAX) {
        struct board_message m = { .type = BOARD_RECORDS,
                                   .count = MIN(records->len - at, BOARD_RECORDS_MAX) };

        client_send(c, &m, &g_array_index(records, struct board_record, at),
                    m.count * sizeof(struct board_record));
    }
    if (records->len) {
        g_array_unref(records);
    }
}

/* A question in the middle of a request. false: there is no answer. */
static bool ask(struct board_client *c, const struct board_message *m, const void *more,
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

    if (!ask(((struct board *)opaque)->active, &m, agent, m.count * sizeof(*agent), &answer)) {
        return -1;
    }
    return answer < m.count ? (int)answer : -1;
}

uint64_t board_draw(void *opaque, enum cache_kind cache)
{
    struct board_message m = { .type = BOARD_ASK_DRAW, .result = cache };
    uint64_t answer;

    return ask(((struct board *)opaque)->active, &m, NULL, 0, &answer) ? answer : 0;
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

/* Who comes after another finds the board as after power-up, as if that one had never been. */
static void ends_wait(struct board *b, const struct board_client *self)
{
    for (unsigned ms = 0; ms < ENDS_MS && any_ends(b, self); ms++) {
        g_usleep(1000);
    }
}

/* Each reply comes after the records that the request has made. */
static void request_serve(struct board_client *c, const struct board_request *request)
{
    struct board_message reply = { .type = BOARD_REPLY };

    if (takes_turns(c->board)) { /* what has ended is gone for the program that has the turn */
        ends_wait(c->board, c);
    }
    turn_take(c->board, c);
    if (request->thread != c->thread) {
        hal_note(c->board->hal, HAL_NOTE_THREAD, request->thread, 0);
        c->thread = request->thread;
    }
    reply.result = request_do(c, request, reply.value);
    turn_give(c->board, !is_look(request->op));
    records_flush(c);
    client_send(c, &reply, NULL, 0);
}

static void requests_serve(struct board_client *c)
{
    struct board_request request;

    while (request_take(c, &request)) {
        if (request.op >= BOARD_OP_COUNT) {
            client_close(c, request.op == BOARD_ANSWER ? "an answer without a question"
                                                       : "a request that does not exist");
            return;
        }
        request_serve(c, &request);
    }
}

/* --- coming and going ------------------------------------------------------------------------- */

static void G_GNUC_PRINTF(3, 4) refuse(int fd, int status, const char *format, ...)
{
    struct board_welcome welcome = { .magic = BOARD_MAGIC,
                                     .version = BOARD_VERSION,
                                     .status = status };
    va_list args;

    va_start(args, format);
    g_vsnprintf(welcome.text, sizeof(welcome.text), format, args);
    va_end(args);
    board_send(fd, &welcome, sizeof(welcome), NULL, 0);
    fprintf(stderr, "vtegra board: a client was refused: %s\n", welcome.text);
}

/* Is the client's runtime built from the same sources? */
static bool contract_check(int fd, const struct board_hello *hello)
{
    static const struct contract_side program = { "the program's runtime",
                                                  "build it anew (for aarch64: scripts/guest.sh)" };
    static const struct contract_side board = { "this board", "build it anew" };
    const struct contract other = { hello->contract_hash, hello->contract_time };
    g_autofree char *refusal = contract_refusal(&other, &program, &contract_here, &board);

    if (refusal) {
        refuse(fd, -EPROTO, "%s", refusal);
    }
    return !refusal;
}

static bool hello_take(int fd, const struct soc_profile *profile, struct board_hello *hello)
{
    int64_t n = board_receive(fd, hello, sizeof(*hello));
    bool greets = n >= (int64_t)(2 * sizeof(uint32_t)) || n == -EMSGSIZE; /* magic and version */

    if (!greets || hello->magic != BOARD_MAGIC) {
        refuse(fd, -EPROTO, "no greeting");
    } else if (hello->version != BOARD_VERSION) {
        refuse(fd, -EPROTO,
               "its protocol is version %u, this board's is %u: programs and board must be of the "
               "same vtegra, and the %s is older",
               hello->version, BOARD_VERSION,
               hello->version < BOARD_VERSION ? "program's runtime" : "board");
    } else if (n != sizeof(*hello)) {
        refuse(fd, -EPROTO, "no greeting");
    } else if (!(hello->flags & BOARD_PROBE) && !contract_check(fd, hello)) {
        return false;
    } else if (!(hello->flags & BOARD_PROBE) &&
               hello->profile_hash != board_profile_hash(profile)) {
        refuse(
            fd, -EINVAL,
            "this board is %s, the program wants %.*s: VTEGRA_SOC, or vtegra board --soc, and the "
            "same profile for both",
            profile->soc.name, (int)strnlen(hello->soc, sizeof(hello->soc)), hello->soc);
    } else if (hello->policy > HAL_POLICY_SEEDED || hello->evict > EVICT_SEEDED) {
        refuse(fd, -EINVAL, "policy %u, eviction %u: there are none", hello->policy, hello->evict);
    } else {
        return true;
    }
    return false;
}

/* The others' board, if it is one that this program can have. */
static bool may_share(struct board *b, int fd, const struct board_hello *hello)
{
    static const char *const policies[] = { "eager", "lazy", "seeded" };
    struct board_hello first;
    bool any;

    pthread_mutex_lock(&b->lock);
    any = b->clients->len > 0;
    first = b->settings;
    pthread_mutex_unlock(&b->lock);
    if (any && !(first.flags & hello->flags & BOARD_TURNS) &&
        (first.policy == HAL_POLICY_SEEDED || hello->policy == HAL_POLICY_SEEDED ||
         ((first.flags | hello->flags) & (BOARD_CHOOSE | BOARD_DRAW)))) {
        refuse(fd, -EBUSY,
               "another program uses it: under --policy seeded those of one `vtegra run --shared` "
               "share a board, under lazy and eager all do");
    } else if (any && (first.policy != hello->policy || first.evict != hello->evict ||
                       first.seed != hello->seed)) {
        refuse(
            fd, -EBUSY,
            "another program uses it with --policy %s, this one wants %s: all that share a board "
            "have one --policy, --evict and --seed",
            policies[first.policy], policies[hello->policy]);
    } else {
        return true;
    }
    return false;
}

static bool welcome_send(struct board_client *c)
{
    struct board *b = c->board;
    struct board_welcome welcome = { .magic = BOARD_MAGIC, .version = BOARD_VERSION };
    struct hal_shared shared;

    hal_share(b->hal, &shared);
    welcome.flags = b->host ? BOARD_SAME_PROCESS : 0;
    welcome.arena_base = b->arena_base;
    welcome.arena_bytes = b->arena_bytes;
    welcome.dram_base = shared.base;
    welcome.dram_bytes = shared.bytes;
    welcome.board = b->host ? 0 : b->id;
    welcome.process = c->number;
    return board_send_files(c->fd, &welcome, sizeof(welcome), shared.files) == 0;
}

static bool client_begin(struct board_client *c, const struct board_hello *hello)
{
    struct board *b = c->board;
    bool ok = false;
    int err;

    ends_wait(b, c);
    if (!may_share(b, c->fd, hello)) {
        return false;
    }
    turn_take(b, c);
    ok = may_share(b, c->fd, hello); /* another one may have come meanwhile */
    err = ok ? client_join(b, c, hello) : 0;
    if (err) {
        refuse(c->fd, -ENOMEM, "the board does not come up: %s", g_strerror(-err));
    } else if (ok && !welcome_send(c)) {
        client_leave(c);
        err = -EPIPE;
    }
    turn_give(b, false);
    return ok && !err;
}

static void client_end(struct board_client *c)
{
    turn_take(c->board, c);
    client_leave(c);
    turn_give(c->board, true);
    if (*c->wrong) {
        fprintf(stderr, "vtegra board: a client was sent away: %s\n", c->wrong);
    }
}

int board_serve(struct board *board, int fd, const struct board_hello *hello)
{
    struct timeval patience = { .tv_sec = 0 };
    struct board_client c = { .board = board, .fd = fd };
    pthread_t thread;

    if (!client_begin(&c, hello)) {
        return -EPROTO;
    }
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
    if (pthread_create(&thread, NULL, reader, &c) == 0) {
        requests_serve(&c);
        shutdown(fd, SHUT_RDWR); /* the reader ends */
        pthread_join(thread, NULL);
    }
    client_end(&c);
    return *c.wrong ? -EPROTO : 0;
}

static void counts_text(struct board *b, char *text, size_t size)
{
    uint64_t n[BOARD_VALUES] = { 0 };

    turn_take(b, NULL);
    if (b->hal) {
        board_counts(b, n);
    }
    turn_give(b, false);
    g_snprintf(text, size,
               "%" G_GUINT64_FORMAT " programs, %" G_GUINT64_FORMAT
               " memories of %" G_GUINT64_FORMAT " bytes, %" G_GUINT64_FORMAT
               " channels, %" G_GUINT64_FORMAT " syncpoints, %" G_GUINT64_FORMAT
               " exports that were not imported",
               n[0], n[1], n[2], n[3], n[4], n[5]);
}

int board_greet(struct board *board, int fd, struct board_hello *hello)
{
    struct timeval patience = { .tv_sec = 10 };
    struct board_welcome welcome = { .magic = BOARD_MAGIC,
                                     .version = BOARD_VERSION,
                                     .flags = board->host ? BOARD_SAME_PROCESS : 0 };

    *hello = (struct board_hello){ 0 };
    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience)); /* of the greeting */
    if (!hello_take(fd, board->profile, hello)) {
        return -EPROTO;
    }
    if (!(hello->flags & BOARD_PROBE)) {
        return 1;
    }
    if (hello->flags & BOARD_COUNT) {
        counts_text(board, welcome.text, sizeof(welcome.text));
    }
    board_send(fd, &welcome, sizeof(welcome), NULL, 0);
    return 0;
}

struct board *board_new(const struct soc_profile *profile, struct board_host *host)
{
    struct board *b = g_new0(struct board, 1);

    b->profile = profile;
    b->host = host;
    b->clients = g_ptr_array_new();
    pthread_mutex_init(&b->records_lock, NULL);
    pthread_mutex_init(&b->lock, NULL);
    pthread_cond_init(&b->changed, NULL);
    return b;
}

unsigned board_programs(struct board *b)
{
    unsigned n;

    pthread_mutex_lock(&b->lock);
    n = b->clients->len;
    pthread_mutex_unlock(&b->lock);
    return n;
}

void board_free(struct board *b)
{
    g_ptr_array_unref(b->clients);
    pthread_cond_destroy(&b->changed);
    pthread_mutex_destroy(&b->lock);
    pthread_mutex_destroy(&b->records_lock);
    g_free(b);
}
