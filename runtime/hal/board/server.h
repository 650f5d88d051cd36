/* SPDX-License-Identifier: MIT */
/* Inside the server: one board, and the programs that have it.
 *
 * Files: server.c from the greeting to the end; packets.c a program's packets; records.c
 * records on their way to it; post.c signals that
 * have no reply; shared.c whose turn it is, records and errors by owner, what a program leaves;
 * wait.c waits; requests.c, requests_memory.c what requests do.
 *
 * A program has two threads. The reader takes its packets and does what ends soon, so that a
 * request is one wake-up of this process. The worker does what may take long, or asks the program a
 * question: then the reader still sees an interrupt, an answer and the end. Either takes the
 * board's turn for each request (turn_take()); everything here is used with the turn, but what
 * stands under a lock. A wait gives the turn up whenever another program wants it. */
#ifndef RUNTIME_HAL_BOARD_SERVER_H
#define RUNTIME_HAL_BOARD_SERVER_H

#include <glib.h>
#include <stdatomic.h>

#include "model/regs/regs.h"
#include "runtime/hal/board/board.h"

/**
 * struct board_client - a program
 * @number: 1, 2 ... on this board
 * @slot: the request that the reader has for the worker; @full: there is one
 * @busy: the worker has one whose reply is not on its way; @arrived: wakes the worker
 * @parked: @wait, since @wait_ns, waits for another program's act; @looked: one has acted since
 * @closed: the program is gone, or has broken the rules: then @wrong says which
 * @interrupted: hal_interrupt(); all these under the board's @lock
 * @posts: it may signal without a reply: its socket is read as post.c says. Written with the turn,
 *         before its first such signal
 * @unanswered: how many it has made since its last reply; under @records_lock
 * @holds: id of memory -> how often; @reserved: va -> bytes; @mapped: iova | unit -> bytes
 * @passes: how many it has on their way
 * @faults: uint32_t, its channels that have died and were not serviced, the oldest first
 * @records: struct board_record, on their way; under @records_lock
 * @foreign: how many of those are of other programs; @lost_own, @lost_foreign: how many were left
 * out since they were last sent; @watched: another program looks for races with it; all these under
 * @records_lock, too
 * @sending: who sends packets to it; taken before @records_lock
 * @asking: it waits for a reply, so it reads what is sent to it; under the board's @lock
 * @slow: it does not, it may be stopped; of whoever has @sending
 */
struct board_client {
    struct board *board;
    int fd;
    uint32_t number;
    uint64_t wait_ns;
    struct board_request slot, wait;
    bool full, busy, parked, looked, closed, interrupted;
    bool posts;
    unsigned unanswered;
    pthread_cond_t arrived;
    char wrong[128];
    GHashTable *holds, *reserved, *mapped;
    unsigned passes;
    GArray *faults, *records;
    bool observes;
    unsigned mask, foreign;
    uint64_t lost_own, lost_foreign;
    bool watched, asking, slow;
    pthread_mutex_t sending;
};

/* Memory, of all that hold it: programs, and passes on their way. */
struct board_mem {
    struct hal_mem mem;
    unsigned holds;
};

/**
 * struct board_syncpt
 * @owner: number of the program, 0: none; @gone: that has ended; @released: it has given it back
 * @signaler_gone: one has ended that had imported it to signal; the owner only waits, then
 * @users: number of a program that has imported it -> how often << 8 | HAL_RIGHT_*; NULL: none
 * @passes: on their way
 */
struct board_syncpt {
    uint32_t owner;
    bool gone, released, signaler_gone;
    GHashTable *users;
    unsigned passes;
};

/* What hal_export() has given: until a program has taken it, or (@often) it is taken back. */
struct board_pass {
    uint64_t token[2];
    uint32_t exporter, mem, syncpt, rights;
    bool often;
    uint64_t note[2];
};

/**
 * struct board
 * @lock: the clients' part above, the turn, @clients, @hal as a pointer
 * @serving, @next_ticket: whose turn it is, and the next number; @turn: wakes those who wait for it
 * @active: the program whose turn it is; @waits: it is in hal_wait()
 * @generation: grows with each request that may end a wait of another program; @acted: then
 * @settings: policy, eviction and seed, of the first program
 * @channel, @context, @unit: numbers of owners; of units that of one that has ended stays
 * @any_left: a program has ended that had syncpoints
 * @mems: id -> struct board_mem; @left: va -> bytes that were released while memory is there
 * @users: uint32_t, whose programs are served; NULL: the server's own user's alone;
 * @refused_user: one of another user has come
 * @passes: set of struct board_pass; @mask: what all observe together; @watched: one of several
 * observes the others (TRACE_FOREIGN)
 */
struct board {
    const struct soc_profile *profile;
    struct board_host *host;
    GArray *users;
    atomic_bool refused_user;
    pthread_mutex_t lock;
    pthread_cond_t turn, acted;
    uint64_t serving, next_ticket, generation;
    struct board_client *active;
    bool waits;
    GPtrArray *clients;
    uint32_t last_number;
    struct hal *hal;
    struct board_hello settings;
    uint64_t id, arena_base, arena_bytes;
    uint32_t channel[CHANS_ALL], context[CHANS_ALL], unit[UNIT_COUNT];
    struct board_syncpt *syncpt;
    bool any_left;
    GHashTable *mems, *left, *passes;
    unsigned mask;
    bool watched;
    pthread_mutex_t records_lock; /* with a host, accesses make records outside of requests */
};

/* A client programs engines, their SMMU is the server's. */
static inline bool is_engine(uint64_t unit)
{
    return unit < UNIT_COUNT && unit_engine((enum unit_id)unit) >= 0;
}

static inline bool is_served(uint64_t unit)
{
    return unit == UNIT_HOST1X || (unit < UNIT_COUNT && unit_is_gpu((enum unit_id)unit)) ||
           is_engine(unit);
}

/* Number of a GPU's first channel and context (hal_claim()). */
static inline uint32_t first_of(uint64_t gpu)
{
    return gpu == UNIT_DGPU ? CHAN_COUNT : 0;
}

/* The next GPU of the board behind @gpu, from UNIT_IGPU on; UNIT_COUNT: none. */
static inline enum unit_id gpu_behind(const struct board *b, enum unit_id gpu)
{
    return gpu == UNIT_IGPU && soc_profile_gpus(b->profile) > 1 ? UNIT_DGPU : UNIT_COUNT;
}

/* Its programs take turns: one at a time asks. */
static inline bool takes_turns(const struct board *b)
{
    return b->settings.flags & BOARD_TURNS;
}

static inline bool is_alone(const struct board *b)
{
    return b->clients->len == 1;
}

static inline void asking_set(struct board_client *c, bool asking)
{
    pthread_mutex_lock(&c->board->lock);
    c->asking = asking;
    pthread_mutex_unlock(&c->board->lock);
}

/* packets.c. Threads of a program, until it has gone: */
void *client_reader(void *client);
void client_worker(struct board_client *c);
/* Who comes after another finds the board as after power-up, as if that one had never been. */
void ends_wait(struct board *b, const struct board_client *self);
void client_close(struct board_client *c, const char *wrong);
void client_interrupt(struct board_client *c, bool on);
void client_send(struct board_client *c, const struct board_message *m, const void *more,
                 size_t bytes);
void reply_send(struct board_client *c, struct board_message *reply);
void worker_give(struct board_client *c, const struct board_request *request);
/* What the board records from here on is the doing of this thread of the program. */
void thread_report(struct board *b, uint32_t thread);
/* Is the program asked questions? */
bool asks(const struct board *b);
int board_choose(void *board, const uint32_t *agent, unsigned n);
uint64_t board_draw(void *board, enum cache_kind cache);

/* records.c. A record is on its way; under @records_lock: */
void records_add_own(struct board_client *c, const struct board_record *record);
void records_add_foreign(struct board_client *c, const struct board_record *record);
/* All that there are, NULL: none; under @records_lock. The caller's from here on. */
GArray *records_take(struct board_client *c);
/* Takes over what records_take() has returned; with @sending. */
void records_send(struct board_client *c, GArray *records);
void records_flush(struct board_client *c);
/* With the turn, of any program: those that it takes now. Waits a moment for one that reads. */
void records_push(struct board_client *c);

/* post.c; with the turn: the signals that other programs have sent before what @self asks for. */
void posts_serve(struct board *b, const struct board_client *self);
/* The reader's, without the turn: board_receive() of the first packet that is no such signal.
 * -EAGAIN: there is none yet. */
int64_t posts_receive(struct board_client *c, struct board_request *r);

/* shared.c */
void turn_take(struct board *b, struct board_client *c);
/* @acted: others that wait look again. */
void turn_give(struct board *b, bool acted);
void turn_end(struct board *b); /* with @lock */
/* hal_interrupt() for whoever has the turn; with @lock. */
void interrupt_update(struct board *b);
void board_observe(struct board_client *c, bool observes, unsigned mask);
/* Memory of other programs is this one's, too, from now on. */
void import_report(struct board_client *c, const struct hal_mem *mem);
void faults_collect(struct board *b);
/* The program becomes one of the board's, and is none any more; with the turn. Join: 0, or -errno
 * of hal_open(). */
int client_join(struct board *b, struct board_client *c, const struct board_hello *hello);
void client_leave(struct board_client *c);

/* A wait in which no other program acts ends after so long (-EBUSY): its program has other things
 * to see to, which its request holds up. */
#define WAIT_MS 1

/* wait.c. The worker's wait: */
int64_t client_wait(struct board_client *c, uint32_t syncpt, uint32_t threshold, uint64_t steps);
/* The reader's. false: it was parked or given to the worker, and the reply comes later. */
bool wait_begin(struct board_client *c, const struct board_request *r, struct board_message *reply);
/* Replies, if it is parked still. */
void wait_end(struct board_client *c, int64_t result);
/* @acted: another program has since it was last asked. */
bool wait_is_parked(struct board_client *c, bool *acted);
/* @by has acted, and has the turn: which parked waits have ended? */
void waits_look(struct board *b, const struct board_client *by);

/* requests.c, requests_memory.c: value in @value. Return: the reply's result. */
int64_t request_do(struct board_client *c, const struct board_request *r, uint64_t *value);
int64_t request_memory(struct board_client *c, const struct board_request *r, uint64_t *value);
bool client_holds(struct board_client *c, uint32_t id);
void memory_leave(struct board_client *c);
bool may_signal(const struct board_client *c, uint32_t syncpt);
/* The wait is hal_look_wait()'s, and its syncpoint is there. */
bool wait_is_over(struct board_client *c, const uint64_t *arg);
void claims_leave(struct board_client *c);
/* BOARD_COUNTS */
void board_counts(const struct board *b, uint64_t value[BOARD_VALUES]);
void syncpt_unpass(struct board *b, uint32_t id);
void syncpt_use(struct board_client *c, uint32_t id, uint32_t rights);
bool may_use(const struct board_client *c, uint32_t id, uint32_t rights);

#endif
