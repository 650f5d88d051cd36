/* SPDX-License-Identifier: MIT */
/* One board for several programs, spoken to packet by packet: each has its own, and what others
 * have exported to it; what one leaves comes back, and no wait hangs for it. */
#include <check.h>
#include <errno.h>
#include <glib.h>
#include <poll.h>
#include <pthread.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "contract/contract.h"
#include "model/regs/regs.h"
#include "profiles/profile.h"
#include "runtime/hal/board/board.h"

#define PAGE 4096u

struct program {
    int fd, server;
    pthread_t thread;
    struct board_welcome welcome;
    struct board_message reply;
};

static struct soc_profile *profile;
static struct board *board;
static struct program a, b, c;

static void *serve(void *opaque)
{
    struct program *p = opaque;
    struct board_hello hello;

    if (board_greet(board, p->server, &hello) > 0) {
        board_serve(board, p->server, &hello);
    }
    close(p->server);
    return NULL;
}

static void begin_as(struct program *p, enum hal_policy policy, uint32_t flags)
{
    struct board_hello hello = { .magic = BOARD_MAGIC,
                                 .version = BOARD_VERSION,
                                 .policy = policy,
                                 .flags = flags,
                                 .evict = EVICT_LRU,
                                 .profile_hash = board_profile_hash(profile),
                                 .contract_hash = contract_here.hash,
                                 .contract_time = contract_here.time };
    int pair[2], files[2];

    ck_assert_int_eq(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair), 0);
    *p = (struct program){ .fd = pair[0], .server = pair[1] };
    ck_assert_int_eq(pthread_create(&p->thread, NULL, serve, p), 0);
    ck_assert_int_eq(board_send(p->fd, &hello, sizeof(hello), NULL, 0), 0);
    ck_assert_int_eq(board_receive_files(p->fd, &p->welcome, sizeof(p->welcome), files),
                     sizeof(p->welcome));
    for (int i = 0; i < 2; i++) {
        if (files[i] >= 0) {
            close(files[i]);
        }
    }
}

static void begin(struct program *p, enum hal_policy policy)
{
    begin_as(p, policy, 0);
}

/* As when it is killed: the socket closes, and nothing is given back. */
static void die(struct program *p)
{
    close(p->fd);
    pthread_join(p->thread, NULL);
}

static void setup(void)
{
    profile = profile_load("orin", NULL);
    ck_assert_ptr_nonnull(profile);
    board = board_new(profile, NULL);
    begin(&a, HAL_POLICY_LAZY);
    begin(&b, HAL_POLICY_LAZY);
    ck_assert_int_eq(a.welcome.status, 0);
    ck_assert_int_eq(b.welcome.status, 0);
}

static void teardown(void)
{
    board_free(board);
    profile_free(profile);
}

/* Of the last request. */
static struct board_record *got;
static unsigned n_got;

static void records_keep(const unsigned char *packet)
{
    struct board_message m;

    memcpy(&m, packet, sizeof(m));
    if (m.count && (m.type == BOARD_REPLY || m.type == BOARD_RECORDS)) {
        got = g_renew(struct board_record, got, n_got + m.count);
        memcpy(got + n_got, packet + sizeof(m), m.count * sizeof(*got));
        n_got += m.count;
    }
}

static int64_t request(struct program *p, enum board_op op, uint64_t x, uint64_t y, uint64_t z,
                       uint64_t w)
{
    struct board_request r = { .op = op, .arg = { x, y, z, w } };
    unsigned char packet[BOARD_PACKET_MAX]; /* records and text may come before the reply */

    ck_assert_int_eq(board_send(p->fd, &r, sizeof(r), NULL, 0), 0);
    n_got = 0;
    do {
        ck_assert_int_ge(board_receive(p->fd, packet, sizeof(packet)), sizeof(p->reply));
        memcpy(&p->reply, packet, sizeof(p->reply));
        records_keep(packet);
    } while (p->reply.type != BOARD_REPLY);
    return p->reply.result;
}

static uint32_t claim(struct program *p, enum hal_claim what)
{
    ck_assert_int_eq(request(p, BOARD_CLAIM, what, 0, 0, 0), 0);
    return (uint32_t)p->reply.value[0];
}

static uint64_t window(uint32_t channel, uint32_t word)
{
    return IGPU_CHAN_BASE + channel * CHAN_WINDOW + word;
}

static int64_t increment(struct program *p, uint32_t syncpt)
{
    return request(p, BOARD_WRITE32, UNIT_HOST1X, HOST1X_SYNCPT_CPU_INCR + syncpt / 32 * 4,
                   UINT32_C(1) << syncpt % 32, 0);
}

static uint64_t value(struct program *p, uint32_t syncpt)
{
    ck_assert_int_eq(request(p, BOARD_READ32, UNIT_HOST1X, HOST1X_SYNCPT + syncpt * 4, 0, 0), 0);
    return p->reply.value[0];
}

struct counts {
    uint64_t programs, mems, bytes, channels, syncpts, passes;
};

static struct counts counts(struct program *p)
{
    struct counts n;

    ck_assert_int_eq(request(p, BOARD_COUNTS, 0, 0, 0, 0), 0);
    memcpy(&n, p->reply.value, sizeof(n));
    return n;
}

static void ends(void)
{
    die(&a);
    die(&b);
}

START_TEST(each_has_its_own_channels)
{
    uint32_t x = claim(&a, HAL_CLAIM_CHANNEL), y = claim(&b, HAL_CLAIM_CHANNEL);
    uint32_t context = claim(&b, HAL_CLAIM_CONTEXT);

    ck_assert_uint_ne(x, y);
    ck_assert_uint_ne(a.welcome.process, b.welcome.process);
    ck_assert_uint_eq(a.welcome.board, b.welcome.board);
    ck_assert_uint_ne(a.welcome.board, 0);
    ck_assert_int_eq(request(&a, BOARD_WRITE32, UNIT_IGPU, window(x, CHAN_PRIORITY), 3, 0), 0);
    ck_assert_int_eq(request(&b, BOARD_WRITE32, UNIT_IGPU, window(x, CHAN_PRIORITY), 5, 0), -EPERM);
    ck_assert_int_eq(request(&b, BOARD_READ32, UNIT_IGPU, window(x, CHAN_PRIORITY), 0, 0), -EPERM);
    ck_assert_int_eq(request(&a, BOARD_READ32, UNIT_IGPU, window(x, CHAN_PRIORITY), 0, 0), 0);
    ck_assert_uint_eq(a.reply.value[0], 3);
    /* its own channel in another's address space; another's doorbell; a channel of no program */
    ck_assert_int_eq(request(&a, BOARD_WRITE32, UNIT_IGPU, window(x, CHAN_CONTEXT), context, 0),
                     -EPERM);
    ck_assert_int_eq(
        request(&b, BOARD_WRITE32, UNIT_IGPU, IGPU_USERMODE_NOTIFY_CHANNEL_PENDING, x, 0), -EPERM);
    ck_assert_int_eq(request(&a, BOARD_WRITE32, UNIT_IGPU, window(300, CHAN_CTRL), 1, 0), -EPERM);
    ck_assert_int_eq(request(&b, BOARD_RELEASE, HAL_CLAIM_CHANNEL, x, 0, 0), -EINVAL);
    ends();
}
END_TEST

START_TEST(each_increments_its_own_syncpoints)
{
    uint32_t x = claim(&a, HAL_CLAIM_SYNCPT), y = claim(&b, HAL_CLAIM_SYNCPT);

    ck_assert_uint_ne(x, y);
    ck_assert_int_eq(increment(&b, x), -EPERM);
    ck_assert_int_eq(increment(&a, x), 0);
    ck_assert_uint_eq(value(&b, x), 1);
    ck_assert_int_eq(request(&a, BOARD_WRITE32, UNIT_HOST1X, HOST1X_SYNCPT + y * 4, 7, 0), -EPERM);
    ck_assert_uint_eq(value(&b, y), 0);
    ends();
}
END_TEST

/* The slot is the program's own kernel memory: payload, then the time before the increment. */
START_TEST(a_signal_writes_its_slot_and_increments)
{
    uint32_t x = claim(&a, HAL_CLAIM_SYNCPT), y = claim(&b, HAL_CLAIM_SYNCPT);
    uint64_t slot, cached;

    ck_assert_int_eq(request(&a, BOARD_ALLOC, HAL_MEM_KERNEL, PAGE, 0, 0), 0);
    slot = a.reply.value[0];
    ck_assert_int_eq(request(&a, BOARD_ALLOC, HAL_MEM_SHARED, PAGE, 0, 0), 0);
    cached = a.reply.value[0];
    ck_assert_int_eq(increment(&a, x), 0);
    /* payload 7 was seen when the syncpoint was 0, it is 1: the next is 9 */
    ck_assert_int_eq(request(&a, BOARD_SIGNAL, x, slot + PAGE - 16, 7, (uint32_t)-7), 0);
    ck_assert_uint_eq(a.reply.value[0], 9);
    ck_assert_uint_eq(value(&a, x), 2);
    ck_assert_int_eq(request(&a, BOARD_SIGNAL, y, slot, 0, 0), -EPERM);
    ck_assert_int_eq(request(&b, BOARD_SIGNAL, y, slot, 0, 0), -EINVAL); /* a's */
    ck_assert_int_eq(request(&a, BOARD_SIGNAL, x, slot + PAGE - 8, 0, 0), -EINVAL);
    ck_assert_int_eq(request(&a, BOARD_SIGNAL, x, slot + 4, 0, 0), -EINVAL);
    ck_assert_int_eq(request(&a, BOARD_SIGNAL, x, cached, 0, 0), -EINVAL);
    ck_assert_int_eq(request(&a, BOARD_SIGNAL, UINT32_MAX, slot, 0, 0), -EINVAL);
    ck_assert_uint_eq(value(&a, x), 2);
    ck_assert_uint_eq(value(&b, y), 0);
    ends();
}
END_TEST

START_TEST(an_engine_has_one_program)
{
    ck_assert_int_eq(request(&a, BOARD_CLAIM, HAL_CLAIM_UNIT, UNIT_DLA, 0, 0), 0);
    ck_assert_int_eq(request(&b, BOARD_CLAIM, HAL_CLAIM_UNIT, UNIT_DLA, 0, 0), -EBUSY);
    ck_assert_int_eq(request(&b, BOARD_WRITE32, UNIT_DLA, DLA_FALCON_IRQMSET, 1, 0), -EPERM);
    ck_assert_int_eq(request(&b, BOARD_IOMMU_SYNCPT, UNIT_DLA, 1, 0, 0), -EPERM);
    ck_assert_int_eq(request(&a, BOARD_IOMMU_SYNCPT, UNIT_DLA, 1, 0, 0), 0);
    ends();
}
END_TEST

START_TEST(memory_goes_to_another_once_and_stays_there)
{
    uint64_t id, cpu, bus, token[2], size;
    struct counts before = counts(&b);

    ck_assert_int_eq(request(&a, BOARD_VA_RESERVE, 2 * PAGE, 0, 0, 0), 0);
    cpu = a.reply.value[0];
    ck_assert_int_eq(request(&a, BOARD_ALLOC, HAL_MEM_SHARED, PAGE, 0, cpu), 0);
    size = a.reply.value[1];
    bus = a.reply.value[2];
    id = a.reply.value[3];
    /* not the other's: neither to free nor to export nor to touch */
    ck_assert_int_eq(request(&b, BOARD_FREE, id, 0, 0, 0), -EINVAL);
    ck_assert_int_eq(request(&b, BOARD_EXPORT, id, 0, HAL_RIGHT_READ, 0), -EINVAL);
    ck_assert_int_eq(request(&b, BOARD_ACCESS, cpu, 8, ACCESS_STORE, 0), 0);
    ck_assert_int_eq(request(&a, BOARD_LINE, cpu, 0, 0, 0), 1);
    ck_assert_uint_eq(a.reply.value[0] & 1, 0); /* the access had no effect */
    ck_assert_int_eq(request(&b, BOARD_LINE, cpu, 0, 0, 0), 0);

    ck_assert_int_eq(request(&a, BOARD_EXPORT, id, 0, HAL_RIGHT_READ, 4711), 0);
    memcpy(token, a.reply.value, sizeof(token));
    ck_assert_int_eq(request(&b, BOARD_IMPORT, token[0] ^ 1, token[1], 0, 0), -ENOENT);
    ck_assert_int_eq(request(&b, BOARD_IMPORT, 0, 0, 0, 0), -ENOENT);
    ck_assert_int_eq(request(&b, BOARD_IMPORT, token[0], token[1], HAL_RIGHT_WRITE, 0), -EACCES);
    ck_assert_int_eq(request(&b, BOARD_IMPORT, token[0], token[1], HAL_RIGHT_READ, 0), 0);
    ck_assert_uint_eq(b.reply.value[0], cpu);
    ck_assert_uint_eq(b.reply.value[1], size);
    ck_assert_uint_eq(b.reply.value[2], bus);
    ck_assert_uint_eq(b.reply.value[3], id);
    ck_assert_uint_eq(b.reply.value[6], 4711);
    ck_assert_int_eq(request(&b, BOARD_IMPORT, token[0], token[1], 0, 0), -ENOENT);

    /* the exporter gives it back: its addresses are no other program's while it is there */
    ck_assert_int_eq(request(&a, BOARD_FREE, id, 0, 0, 0), 0);
    ck_assert_int_eq(request(&a, BOARD_VA_RELEASE, cpu, 2 * PAGE, 0, 0), 0);
    ck_assert_int_eq(request(&a, BOARD_VA_RESERVE, 2 * PAGE, 0, cpu, 0), 0);
    ck_assert_uint_ne(a.reply.value[0], cpu);
    ck_assert_int_eq(request(&b, BOARD_LINE, cpu, 0, 0, 0), 1);
    die(&a);
    ck_assert_int_eq(request(&b, BOARD_LINE, cpu, 0, 0, 0), 1);
    ck_assert_uint_eq(counts(&b).mems, before.mems + 1);
    ck_assert_int_eq(request(&b, BOARD_FREE, id, 0, 0, 0), 0);
    ck_assert_uint_eq(counts(&b).mems, before.mems);
    die(&b);
}
END_TEST

START_TEST(what_is_exported_often_is_there_until_it_is_taken_back)
{
    uint64_t token[2], id;

    ck_assert_int_eq(request(&a, BOARD_ALLOC, HAL_MEM_DEVICE, PAGE, 0, 0), 0);
    id = a.reply.value[3];
    ck_assert_int_eq(request(&a, BOARD_EXPORT, id, 0, HAL_RIGHT_READ | BOARD_OFTEN, 0), 0);
    memcpy(token, a.reply.value, sizeof(token));
    ck_assert_int_eq(request(&b, BOARD_IMPORT, token[0], token[1], HAL_RIGHT_WRITE, 0), -EACCES);
    for (unsigned i = 0; i < 2; i++) {
        ck_assert_int_eq(request(&b, BOARD_IMPORT, token[0], token[1], HAL_RIGHT_READ, 0), 0);
        ck_assert_uint_eq(b.reply.value[3], id);
        ck_assert_uint_eq(b.reply.value[5] & BOARD_OFTEN, BOARD_OFTEN);
    }
    ck_assert_int_eq(request(&b, BOARD_UNEXPORT, token[0], token[1], 0, 0), -ENOENT);
    ck_assert_int_eq(request(&a, BOARD_UNEXPORT, token[0], token[1], 0, 0), 0);
    ck_assert_int_eq(request(&a, BOARD_UNEXPORT, token[0], token[1], 0, 0), -ENOENT);
    ck_assert_int_eq(request(&b, BOARD_IMPORT, token[0], token[1], 0, 0), -ENOENT);
    ck_assert_int_eq(request(&a, BOARD_FREE, id, 0, 0, 0), 0);
    ck_assert_int_eq(request(&b, BOARD_FREE, id, 0, 0, 0), 0);
    ck_assert_uint_eq(counts(&b).mems, 1);
    ck_assert_int_eq(request(&b, BOARD_FREE, id, 0, 0, 0), 0);
    ck_assert_uint_eq(counts(&b).mems, 0);
    ends();
}
END_TEST

START_TEST(what_was_not_imported_goes_with_its_exporter)
{
    uint64_t token[2];
    struct counts n;

    ck_assert_int_eq(request(&a, BOARD_ALLOC, HAL_MEM_SHARED, PAGE, 0, 0), 0);
    ck_assert_int_eq(request(&a, BOARD_EXPORT, a.reply.value[3], 0, HAL_RIGHT_WRITE, 0), 0);
    memcpy(token, a.reply.value, sizeof(token));
    ck_assert_uint_eq(counts(&b).passes, 1);
    die(&a);
    ck_assert_int_eq(request(&b, BOARD_IMPORT, token[0], token[1], 0, 0), -ENOENT);
    n = counts(&b);
    ck_assert_uint_eq(n.passes, 0);
    ck_assert_uint_eq(n.mems, 0);
    ck_assert_uint_eq(n.programs, 1);
    die(&b);
}
END_TEST

/* However long its end takes the board: who knows that it has ended finds nothing of it. */
START_TEST(what_a_program_exported_is_gone_when_it_has_ended)
{
    for (unsigned i = 0; i < 50; i++) {
        uint64_t token[2];

        begin(&c, HAL_POLICY_LAZY);
        ck_assert_int_eq(request(&c, BOARD_ALLOC, HAL_MEM_DEVICE, PAGE, 0, 0), 0);
        ck_assert_int_eq(
            request(&c, BOARD_EXPORT, c.reply.value[3], 0, HAL_RIGHT_READ | BOARD_OFTEN, 0), 0);
        memcpy(token, c.reply.value, sizeof(token));
        close(c.fd);
        ck_assert_int_eq(request(&b, BOARD_IMPORT, token[0], token[1], 0, 0), -ENOENT);
        pthread_join(c.thread, NULL);
    }
    die(&a);
    die(&b);
}
END_TEST

static uint32_t syncpt_pass(struct program *from, struct program *to, uint32_t rights)
{
    uint32_t id = claim(from, HAL_CLAIM_SYNCPT);

    ck_assert_int_eq(request(from, BOARD_EXPORT, 0, id, rights, 0), 0);
    ck_assert_int_eq(request(to, BOARD_IMPORT, from->reply.value[0], from->reply.value[1], 0, 0),
                     0);
    ck_assert_uint_eq(to->reply.value[5] >> 32, id);
    return id;
}

START_TEST(an_importer_may_do_what_the_exporter_lets_it)
{
    uint32_t waits = syncpt_pass(&a, &b, HAL_RIGHT_READ);
    uint32_t signals = syncpt_pass(&a, &b, HAL_RIGHT_READ | HAL_RIGHT_WRITE);

    ck_assert_int_eq(increment(&b, waits), -EPERM);
    ck_assert_int_eq(increment(&b, signals), 0);
    ck_assert_uint_eq(value(&a, signals), 1);
    /* and no more to a third */
    ck_assert_int_eq(request(&b, BOARD_EXPORT, 0, waits, HAL_RIGHT_WRITE, 0), -EINVAL);
    ck_assert_int_eq(request(&b, BOARD_EXPORT, 0, waits, HAL_RIGHT_READ, 0), 0);
    /* a syncpoint is free when both have given it back */
    ck_assert_int_eq(request(&a, BOARD_RELEASE, HAL_CLAIM_SYNCPT, signals, 0, 0), 0);
    ck_assert_uint_ne(claim(&a, HAL_CLAIM_SYNCPT), signals);
    ck_assert_int_eq(request(&b, BOARD_RELEASE, HAL_CLAIM_SYNCPT, signals, 0, 0), 0);
    ck_assert_int_eq(request(&b, BOARD_RELEASE, HAL_CLAIM_SYNCPT, signals, 0, 0), -EINVAL);
    ck_assert_uint_eq(claim(&a, HAL_CLAIM_SYNCPT), signals);
    ends();
}
END_TEST

struct waiting {
    struct program *program;
    uint32_t syncpt;
    int64_t result;
};

/* As the driver does: again while another program may act. */
static void *wait_for(void *opaque)
{
    struct waiting *w = opaque;

    do {
        w->result = request(w->program, BOARD_WAIT, w->syncpt, 1, 0, 0);
    } while (w->result == -EBUSY);
    return NULL;
}

START_TEST(a_wait_ends_with_the_others_signal_or_with_the_other)
{
    struct waiting w = { .program = &b };
    pthread_t thread;

    w.syncpt = syncpt_pass(&a, &b, HAL_RIGHT_READ);
    pthread_create(&thread, NULL, wait_for, &w);
    g_usleep(5000);
    if (_i == 0) {
        increment(&a, w.syncpt);
    } else {
        die(&a);
    }
    pthread_join(thread, NULL);
    ck_assert_int_eq(w.result, _i == 0 ? 0 : -EDEADLK); /* hal.h: those that could have ended */
    ck_assert_uint_eq(value(&b, w.syncpt), _i == 0);
    if (_i == 0) {
        die(&a);
        ck_assert_int_eq(request(&b, BOARD_WAIT, w.syncpt, 1, 0, 0), 0); /* it was signalled */
    }
    ck_assert_uint_eq(counts(&b).syncpts, 1);
    ck_assert_int_eq(request(&b, BOARD_RELEASE, HAL_CLAIM_SYNCPT, w.syncpt, 0, 0), 0);
    ck_assert_uint_eq(counts(&b).syncpts, 0);
    die(&b);
}
END_TEST

/* The owner of a sync object that others signal waits for these, as long as there is one. */
static void send_only(struct program *p, enum board_op op, uint64_t x, uint64_t y)
{
    struct board_request r = { .op = op, .arg = { x, y, 1 } };

    ck_assert_int_eq(board_send(p->fd, &r, sizeof(r), NULL, 0), 0);
}

static int64_t wait_result(struct program *p)
{
    ck_assert_int_eq(board_receive(p->fd, &p->reply, sizeof(p->reply)), sizeof(p->reply));
    return p->reply.result;
}

/* The signal's own reply comes after that of the wait which it ends: nothing has to wake for it. */
START_TEST(a_signal_answers_the_wait_before_its_program)
{
    uint32_t x = claim(&a, HAL_CLAIM_SYNCPT), other = claim(&a, HAL_CLAIM_SYNCPT);
    unsigned at_once = 0;

    for (uint32_t i = 1; i <= 100; i++) {
        int64_t result = -EBUSY;
        struct pollfd ready = { .fd = b.fd, .events = POLLIN };

        send_only(&b, BOARD_WAIT, x, i);
        g_usleep(100);
        ck_assert_int_eq(increment(&a, other), 0); /* ends nothing */
        ck_assert_int_eq(increment(&a, x), 0);
        at_once += poll(&ready, 1, 0) == 1;
        while ((result = wait_result(&b)) == -EBUSY) { /* the machine was busy for a millisecond */
            send_only(&b, BOARD_WAIT, x, i);
        }
        ck_assert_int_eq(result, 0);
    }
    ck_assert_uint_gt(at_once, 0);
    ends();
}
END_TEST

static uint64_t slot_of(struct program *p)
{
    ck_assert_int_eq(request(p, BOARD_ALLOC, HAL_MEM_KERNEL, PAGE, 0, 0), 0);
    return p->reply.value[0];
}

static void post(struct program *p, uint32_t syncpt, uint64_t slot, uint64_t payload)
{
    struct board_request r = { .op = BOARD_POST, .arg = { syncpt, slot, payload } };

    board_send(p->fd, &r, sizeof(r), NULL, 0); /* it may have been sent away */
}

static uint32_t posting(struct program *p, uint64_t *slot)
{
    uint32_t syncpt = claim(p, HAL_CLAIM_SYNCPT);

    *slot = slot_of(p);
    ck_assert_int_eq(request(p, BOARD_SIGNAL, syncpt, *slot, 0, 0), 0);
    return syncpt;
}

/* Whatever the second program has been told by the first: here that it asks after it. */
START_TEST(a_signal_without_a_reply_is_done_before_what_is_asked_next)
{
    uint64_t slot;
    uint32_t x = posting(&a, &slot);

    for (uint32_t i = 2; i <= 500; i++) {
        if (i % 8 == 0) { /* a thread that exits sends these at any time */
            send_only(&a, BOARD_INTERRUPT, 1, 0);
            send_only(&a, BOARD_INTERRUPT, 0, 0);
        }
        post(&a, x, slot, i - 1);
        ck_assert_uint_eq(value(i % 2 ? &a : &b, x), i);
        if (i % 2 == 0) {
            ck_assert_int_eq(request(&b, BOARD_WAIT, x, i, 1, 0), 0);
            ck_assert_uint_eq(value(&a, x), i); /* and no more */
        }
    }
    post(&a, x, slot, 500);
    die(&a);
    ck_assert_uint_eq(value(&b, x), 501);
    die(&b);
}
END_TEST

START_TEST(a_signal_without_a_reply_ends_a_wait)
{
    uint64_t slot;
    uint32_t x = posting(&a, &slot);

    for (uint32_t i = 2; i <= 60; i++) {
        int64_t result;

        send_only(&b, BOARD_WAIT, x, i);
        g_usleep(100);
        post(&a, x, slot, i - 1);
        while ((result = wait_result(&b)) == -EBUSY) {
            send_only(&b, BOARD_WAIT, x, i);
        }
        ck_assert_int_eq(result, 0);
    }
    ends();
}
END_TEST

static bool is_sent_away(struct program *p)
{
    struct pollfd gone = { .fd = p->fd, .events = POLLRDHUP };

    return poll(&gone, 1, 10000) == 1 && gone.revents & (POLLRDHUP | POLLHUP);
}

START_TEST(who_may_not_signal_without_a_reply_is_sent_away)
{
    uint32_t mine = claim(&b, HAL_CLAIM_SYNCPT), x;
    uint64_t slot, second;

    begin(&c, HAL_POLICY_LAZY);
    x = _i == 0 ? claim(&c, HAL_CLAIM_SYNCPT) : posting(&c, &slot);
    switch (_i) {
    case 0: /* none had a reply before */
        post(&c, x, slot_of(&c), 0);
        break;
    case 1: /* another program's syncpoint */
        post(&c, mine, slot, 1);
        break;
    case 2: /* another program's memory */
        second = slot_of(&b);
        post(&c, x, second, 1);
        break;
    case 3: /* none waits for its records */
        for (unsigned i = 0; i <= BOARD_POSTS_MAX; i++) {
            post(&c, x, slot, 1);
        }
        break;
    default: /* it is asked questions */
        die(&c);
        ends();
        begin_as(&a, HAL_POLICY_SEEDED, BOARD_TURNS);
        begin_as(&b, HAL_POLICY_SEEDED, BOARD_TURNS);
        begin_as(&c, HAL_POLICY_SEEDED, BOARD_TURNS);
        mine = claim(&b, HAL_CLAIM_SYNCPT);
        x = posting(&c, &slot);
        post(&c, x, slot, 1);
        break;
    }
    ck_assert(is_sent_away(&c));
    die(&c);
    ck_assert_uint_eq(value(&b, mine), 0);
    ends();
}
END_TEST

START_TEST(an_interrupt_ends_a_wait_for_another_program)
{
    uint32_t x = claim(&a, HAL_CLAIM_SYNCPT);
    int64_t result = -EBUSY;

    for (unsigned i = 0; i < 1000 && result == -EBUSY; i++) {
        send_only(&b, BOARD_WAIT, x, 1);
        send_only(&b, BOARD_INTERRUPT, 1, 0);
        result = wait_result(&b);
        send_only(&b, BOARD_INTERRUPT, 0, 0);
    }
    ck_assert_int_eq(result, -ECANCELED);
    ck_assert_int_eq(request(&b, BOARD_WAIT, x, 1, 1, 0), -EBUSY);
    ends();
}
END_TEST

START_TEST(a_wait_ends_with_the_last_importer_that_was_to_signal)
{
    struct waiting w = { .program = &a };
    pthread_t thread;

    w.syncpt = syncpt_pass(&a, &b, HAL_RIGHT_READ | HAL_RIGHT_WRITE);
    begin(&c, HAL_POLICY_LAZY);
    if (_i == 1) {
        ck_assert_int_eq(
            request(&a, BOARD_EXPORT, 0, w.syncpt, HAL_RIGHT_READ | HAL_RIGHT_WRITE, 0), 0);
        ck_assert_int_eq(request(&c, BOARD_IMPORT, a.reply.value[0], a.reply.value[1], 0, 0), 0);
    }
    pthread_create(&thread, NULL, wait_for, &w);
    g_usleep(5000);
    die(&b);
    if (_i == 1) {
        g_usleep(5000);
        ck_assert_int_eq(increment(&c, w.syncpt), 0);
    }
    pthread_join(thread, NULL);
    ck_assert_int_eq(w.result, _i == 1 ? 0 : -EDEADLK);
    die(&c);
    die(&a);
}
END_TEST

START_TEST(what_a_program_leaves_comes_back)
{
    struct counts before = counts(&b), after;

    for (unsigned i = 0; i < 20; i++) {
        begin(&c, HAL_POLICY_LAZY);
        ck_assert_int_eq(c.welcome.status, 0);
        claim(&c, HAL_CLAIM_CHANNEL);
        claim(&c, HAL_CLAIM_CONTEXT);
        syncpt_pass(&c, &b, HAL_RIGHT_READ | HAL_RIGHT_WRITE);
        ck_assert_int_eq(request(&b, BOARD_RELEASE, HAL_CLAIM_SYNCPT, b.reply.value[5] >> 32, 0, 0),
                         0);
        ck_assert_int_eq(request(&c, BOARD_ALLOC, HAL_MEM_PINNED, 3 * PAGE, 0, 0), 0);
        ck_assert_int_eq(request(&c, BOARD_VA_RESERVE, 8 * PAGE, 0, 0, 0), 0);
        ck_assert_int_eq(request(&c, BOARD_ALLOC, HAL_MEM_DEVICE, PAGE, 0, c.reply.value[0]), 0);
        die(&c);
    }
    after = counts(&b);
    ck_assert_mem_eq(&before, &after, sizeof(before));
    ends();
}
END_TEST

START_TEST(all_have_one_policy)
{
    begin(&c, HAL_POLICY_EAGER);
    ck_assert_int_eq(c.welcome.status, -EBUSY);
    ck_assert_ptr_nonnull(strstr(c.welcome.text, "--policy lazy, this one wants eager"));
    die(&c);
    begin(&c, HAL_POLICY_SEEDED);
    ck_assert_int_eq(c.welcome.status, -EBUSY);
    die(&c);
    ends();
    begin(&c, HAL_POLICY_EAGER); /* the board is a new one */
    ck_assert_int_eq(c.welcome.status, 0);
    die(&c);
}
END_TEST

/* One that takes turns waits in vain while it has the turn: the reply comes at once. What
 * has ended is gone for the next request of another. */
START_TEST(those_that_take_turns_share_a_seeded_board)
{
    uint32_t syncpt;

    ends();
    begin_as(&a, HAL_POLICY_SEEDED, BOARD_TURNS);
    begin_as(&b, HAL_POLICY_SEEDED, BOARD_TURNS);
    ck_assert_int_eq(a.welcome.status, 0);
    ck_assert_int_eq(b.welcome.status, 0);
    begin(&c, HAL_POLICY_SEEDED);
    ck_assert_int_eq(c.welcome.status, -EBUSY);
    die(&c);
    syncpt = claim(&a, HAL_CLAIM_SYNCPT);
    ck_assert_int_eq(request(&a, BOARD_WAIT, syncpt, 1, 0, 0), -EDEADLK);
    ck_assert_int_eq(increment(&a, syncpt), 0);
    ck_assert_int_eq(request(&a, BOARD_WAIT, syncpt, 1, 0, 0), 0);
    close(a.fd);
    ck_assert_uint_eq(counts(&b).programs, 1);
    pthread_join(a.thread, NULL);
    die(&b);
}
END_TEST

/* --- what programs learn of each other -------------------------------------------------------- */

#define RACES (TRACE_ACCESS | TRACE_WORK | TRACE_SYNC | TRACE_FOREIGN)

/* Its records until now, in got[]. */
static void ask(struct program *p)
{
    ck_assert_int_eq(request(p, BOARD_TIME, 0, 0, 0, 0), 0);
}

static void assert_record(unsigned i, const struct program *of, enum trace_event event)
{
    ck_assert_uint_gt(n_got, i);
    ck_assert_uint_eq(got[i].event, event);
    ck_assert_uint_eq(got[i].process, of ? of->welcome.process : 0);
}

START_TEST(an_observer_gets_what_orders_the_others)
{
    uint32_t x = claim(&a, HAL_CLAIM_SYNCPT);

    begin(&c, HAL_POLICY_LAZY);
    request(&b, BOARD_OBSERVE, RACES, true, 0, 0);
    request(&c, BOARD_OBSERVE, RACES & ~(unsigned)TRACE_FOREIGN, true, 0, 0);
    ck_assert_int_eq(increment(&a, x), 0);
    ck_assert_uint_eq(n_got, 0); /* a does not observe */
    ck_assert_uint_eq(a.reply.flags, BOARD_TELL);
    ck_assert_int_eq(request(&a, BOARD_NOTE, HAL_NOTE_RELEASE, 1, 0, 0), 0);
    ck_assert_int_eq(request(&a, BOARD_NOTE, HAL_NOTE_WAITED, x, 1, 0), 0);
    ask(&b);
    ck_assert_uint_eq(n_got, 2); /* its locks are its own */
    assert_record(0, &a, TRACE_EVENT_SYNCPT_INCR);
    ck_assert_uint_eq(got[0].arg[0], x);
    ck_assert_uint_eq(got[0].arg[1], 1);
    assert_record(1, &a, TRACE_EVENT_CPU_WAITED);
    ck_assert_uint_eq(b.reply.flags, 0); /* no other one looks for races */
    ask(&c);
    ck_assert_uint_eq(n_got, 0);
    ck_assert_uint_eq(c.reply.flags, BOARD_TELL);
    die(&c);
    ask(&b);
    ck_assert_uint_eq(n_got, 1);
    assert_record(0, &c, TRACE_EVENT_COUNT);
    die(&b);
    ask(&a);
    ck_assert_uint_eq(a.reply.flags, 0);
    die(&a);
}
END_TEST

START_TEST(an_observer_gets_accesses_to_what_it_holds)
{
    uint64_t cpu, bus, id, token[2];

    request(&a, BOARD_OBSERVE, RACES, true, 0, 0);
    request(&b, BOARD_OBSERVE, RACES, true, 0, 0);
    ck_assert_int_eq(request(&a, BOARD_ALLOC, HAL_MEM_SHARED, PAGE, 0, 0), 0);
    cpu = a.reply.value[0];
    bus = a.reply.value[2];
    id = a.reply.value[3];
    ck_assert_int_eq(request(&a, BOARD_ACCESS, cpu, 8, ACCESS_STORE, 0), 0);
    assert_record(0, NULL, TRACE_EVENT_CPU_STORE);
    ask(&b);
    ck_assert_uint_eq(n_got, 0);
    ck_assert_int_eq(request(&a, BOARD_EXPORT, id, 0, HAL_RIGHT_READ, 0), 0);
    memcpy(token, a.reply.value, sizeof(token));
    ck_assert_int_eq(request(&b, BOARD_IMPORT, token[0], token[1], 0, 0), 0);
    ck_assert_uint_eq(n_got, 1); /* where it is */
    ck_assert_uint_eq(got[0].event, TRACE_EVENT_REGION_ADD);
    ck_assert_uint_ne(got[0].process, 0);
    ck_assert_uint_eq(got[0].region, id);
    ck_assert_uint_eq(got[0].arg[0], bus);
    ck_assert_uint_eq(got[0].arg[1], PAGE);
    ck_assert_int_eq(request(&a, BOARD_ACCESS, cpu, 8, ACCESS_STORE, 0), 0);
    ask(&b);
    ck_assert_uint_eq(n_got, 1);
    assert_record(0, &a, TRACE_EVENT_CPU_STORE);
    ck_assert_uint_eq(got[0].region, id);
    ck_assert_uint_eq(got[0].arg[3], bus);
    ck_assert_int_eq(request(&b, BOARD_ACCESS, cpu, 8, ACCESS_LOAD, 0), 0);
    assert_record(0, NULL, TRACE_EVENT_CPU_LOAD);
    ask(&a);
    assert_record(0, &b, TRACE_EVENT_CPU_LOAD);
    ck_assert_int_eq(request(&b, BOARD_FREE, id, 0, 0, 0), 0);
    ck_assert_int_eq(request(&a, BOARD_ACCESS, cpu, 8, ACCESS_STORE, 0), 0);
    ask(&b);
    ck_assert_uint_eq(n_got, 0);
    ends();
}
END_TEST

/* A program that asks for nothing is no reason to keep records without an end. */
START_TEST(a_gap_is_told_at_both_of_its_ends)
{
    uint32_t x = claim(&a, HAL_CLAIM_SYNCPT);
    const unsigned more = 10;

    request(&b, BOARD_OBSERVE, RACES, true, 0, 0);
    for (unsigned i = 0; i < BOARD_FOREIGN_MAX + more; i++) {
        increment(&a, x);
    }
    ask(&b);
    ck_assert_uint_eq(n_got, BOARD_FOREIGN_MAX + 2);
    assert_record(BOARD_FOREIGN_MAX - 1, &a, TRACE_EVENT_SYNCPT_INCR);
    for (unsigned i = 0; i < 2; i++) {
        ck_assert_uint_eq(got[BOARD_FOREIGN_MAX + i].event, TRACE_EVENT_COUNT);
        ck_assert_uint_eq(got[BOARD_FOREIGN_MAX + i].process, TRACE_PROCESSES);
    }
    increment(&a, x);
    ask(&b);
    ck_assert_uint_eq(n_got, 1);
    ck_assert_uint_eq(got[0].arg[1], BOARD_FOREIGN_MAX + more + 1);
    ends();
}
END_TEST

/* The same numbers go wrong as of one program (test_board_server), and those of the other's. */
START_TEST(no_sequence_of_requests_reaches_the_others)
{
    GRand *rand = g_rand_new_with_seed((guint32)_i + 1);
    uint32_t channel = claim(&a, HAL_CLAIM_CHANNEL), syncpt = claim(&a, HAL_CLAIM_SYNCPT);
    uint64_t known[16] = { 0, 1, 2, PAGE, 8 * PAGE, UINT64_MAX, channel, syncpt, UNIT_IGPU };
    uint64_t id;

    ck_assert_int_eq(request(&a, BOARD_WRITE32, UNIT_IGPU, window(channel, CHAN_PRIORITY), 3, 0),
                     0);
    ck_assert_int_eq(request(&a, BOARD_ALLOC, HAL_MEM_SHARED, PAGE, 0, 0), 0);
    known[9] = a.reply.value[0];
    known[10] = 3 * PAGE;
    known[11] = id = a.reply.value[3];
    known[12] = window(channel, CHAN_PRIORITY);
    known[13] = HOST1X_SYNCPT + syncpt * 4;
    known[14] = HOST1X_SYNCPT_CPU_INCR;
    known[15] = UINT64_C(1) << syncpt;
    for (unsigned i = 0; i < 2000; i++) {
        enum board_op op = (enum board_op)g_rand_int_range(rand, 0, BOARD_OP_COUNT);
        uint64_t arg[4];

        for (unsigned k = 0; k < 4; k++) {
            arg[k] = known[g_rand_int_range(rand, 0, 16)];
        }
        request(&b, op, arg[0], arg[1], op == BOARD_WAIT ? 1 : arg[2], arg[3]);
    }
    ck_assert_int_eq(request(&a, BOARD_READ32, UNIT_IGPU, window(channel, CHAN_PRIORITY), 0, 0), 0);
    ck_assert_uint_eq(a.reply.value[0], 3);
    ck_assert_uint_eq(value(&a, syncpt), 0);
    ck_assert_int_eq(request(&a, BOARD_FREE, id, 0, 0, 0), 0);
    g_rand_free(rand);
    ends();
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("board_shared");
    TCase *tcase = tcase_create("board_shared");
    SRunner *runner = srunner_create(suite);
    int failed;

    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_set_timeout(tcase, 60);
    tcase_add_test(tcase, each_has_its_own_channels);
    tcase_add_test(tcase, each_increments_its_own_syncpoints);
    tcase_add_test(tcase, a_signal_writes_its_slot_and_increments);
    tcase_add_test(tcase, an_engine_has_one_program);
    tcase_add_test(tcase, memory_goes_to_another_once_and_stays_there);
    tcase_add_test(tcase, what_is_exported_often_is_there_until_it_is_taken_back);
    tcase_add_test(tcase, what_was_not_imported_goes_with_its_exporter);
    tcase_add_test(tcase, what_a_program_exported_is_gone_when_it_has_ended);
    tcase_add_test(tcase, an_importer_may_do_what_the_exporter_lets_it);
    tcase_add_loop_test(tcase, a_wait_ends_with_the_others_signal_or_with_the_other, 0, 2);
    tcase_add_test(tcase, a_signal_answers_the_wait_before_its_program);
    tcase_add_test(tcase, a_signal_without_a_reply_is_done_before_what_is_asked_next);
    tcase_add_test(tcase, a_signal_without_a_reply_ends_a_wait);
    tcase_add_loop_test(tcase, who_may_not_signal_without_a_reply_is_sent_away, 0, 5);
    tcase_add_test(tcase, an_interrupt_ends_a_wait_for_another_program);
    tcase_add_loop_test(tcase, a_wait_ends_with_the_last_importer_that_was_to_signal, 0, 2);
    tcase_add_test(tcase, what_a_program_leaves_comes_back);
    tcase_add_test(tcase, all_have_one_policy);
    tcase_add_test(tcase, those_that_take_turns_share_a_seeded_board);
    tcase_add_test(tcase, an_observer_gets_what_orders_the_others);
    tcase_add_test(tcase, an_observer_gets_accesses_to_what_it_holds);
    tcase_add_test(tcase, a_gap_is_told_at_both_of_its_ends);
    tcase_add_loop_test(tcase, no_sequence_of_requests_reaches_the_others, 0, 4);
    suite_add_tcase(suite, tcase);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
