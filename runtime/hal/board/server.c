/* SPDX-License-Identifier: MIT */
/* A board for programs in other processes: their requests are calls of hal.h on the in-process
 * board. A program may be wrong or hostile: nothing it sends may break this process, or reach
 * beyond what it owns. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "contract/contract.h"
#include "runtime/hal/board/server.h"
#include "runtime/hal/share.h"

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

/* May this user's programs have the board? Asked before a byte of the client's is read. Another
 * user can come as often as it likes: there is one line about it. */
static bool user_check(struct board *b, int fd)
{
    struct board_welcome welcome = { .magic = BOARD_MAGIC,
                                     .version = BOARD_VERSION,
                                     .status = -EACCES };
    uint32_t user = UINT32_MAX; /* no user's number */
    bool known = board_peer(fd, &user), served = known && user == geteuid();

    for (guint i = 0; known && b->users && i < b->users->len; i++) {
        served |= g_array_index(b->users, uint32_t, i) == user;
    }
    if (!served) {
        g_snprintf(welcome.text, sizeof(welcome.text),
                   "it is user %u's, the program is user %u's: vtegra board --allow %u serves both",
                   geteuid(), user, user);
        board_send(fd, &welcome, sizeof(welcome), NULL, 0);
        if (!atomic_exchange(&b->refused_user, true)) {
            fprintf(stderr, "vtegra board: a client was refused: %s\n", welcome.text);
        }
    }
    return served;
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

    if (n == -ECONNRESET) {
        return false; /* vtegra run looks whether there is a board */
    }
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
    if (c->board->hal) {
        waits_look(c->board, c);
    }
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

    pthread_cond_init(&c.arrived, NULL);
    pthread_mutex_init(&c.sending, NULL);
    if (!client_begin(&c, hello)) {
        pthread_cond_destroy(&c.arrived);
        pthread_mutex_destroy(&c.sending);
        return -EPROTO;
    }
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
    if (pthread_create(&thread, NULL, client_reader, &c) == 0) {
        client_worker(&c);
        shutdown(fd, SHUT_RDWR); /* the reader ends */
        pthread_join(thread, NULL);
    }
    client_end(&c);
    pthread_cond_destroy(&c.arrived);
    pthread_mutex_destroy(&c.sending);
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
    if (!user_check(board, fd) || !hello_take(fd, board->profile, hello)) {
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
    pthread_cond_init(&b->turn, NULL);
    pthread_cond_init(&b->acted, NULL);
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

void board_allow(struct board *b, uint32_t user)
{
    if (!b->users) {
        b->users = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    }
    g_array_append_val(b->users, user);
}

void board_free(struct board *b)
{
    g_clear_pointer(&b->users, g_array_unref);
    g_ptr_array_unref(b->clients);
    pthread_cond_destroy(&b->acted);
    pthread_cond_destroy(&b->turn);
    pthread_mutex_destroy(&b->lock);
    pthread_mutex_destroy(&b->records_lock);
    g_free(b);
}
