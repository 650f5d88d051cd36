/* SPDX-License-Identifier: MIT */
#include "runtime/sched/spin.h"

#include <link.h>
#include <signal.h>
#include <sys/ucontext.h>
#include <time.h>
#include <unistd.h>

#include "runtime/sched/free.h"
#include "runtime/sched/front.h"

#define PERIOD_NS 4000000 /* of CPU time */
#define SAME_ENOUGH 3u
#define CLOCK_TICKS 125u   /* half a second of little else than looks at a clock: */
#define CLOCK_LOOKS 5000u  /* so many in a tick take a tenth of it, at least */
#define COUNTS_TICKS 2500u /* ten seconds of a loop in which few registers change */
#define COUNTS_MOST 2u

#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

/* Code of the program proper: not of the C library or ours, whose locks the thread may hold. */
static bool is_program(uintptr_t pc)
{
    static const char *const others[] = { "libc.so",  "ld-linux",  "libpthread", "libvtegra",
                                          "libcuda.", "libcudart", "libcudla",   "libdl",
                                          "libglib",  "libasan" };
    struct dl_find_object found;
    const char *name, *slash;

    if (_dl_find_object((void *)pc, &found) != 0 || !found.dlfo_link_map) {
        return false;
    }
    slash = strrchr(found.dlfo_link_map->l_name, '/');
    name = slash ? slash + 1 : found.dlfo_link_map->l_name;
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        if (strncmp(name, others[i], strlen(others[i])) == 0) {
            return false;
        }
    }
    return true;
}

struct registers {
    uintptr_t pc; /* 0: this machine's are not known */
    uint64_t reg[SPIN_REGISTERS];
};

static struct registers registers(const ucontext_t *context)
{
    struct registers r = { 0 };

#ifdef __x86_64__
    _Static_assert(REG_RIP < SPIN_REGISTERS, "all general ones");
    for (int i = 0; i <= REG_RIP; i++) { /* R8 .. RIP */
        r.reg[i] = (uint64_t)context->uc_mcontext.gregs[i];
    }
    r.pc = (uintptr_t)context->uc_mcontext.gregs[REG_RIP];
#else
    (void)context;
#endif
    return r;
}

static uint64_t registers_hash(const struct registers *r)
{
    uint64_t hash = 1;

    for (unsigned i = 0; i < SPIN_REGISTERS; i++) {
        hash = (hash ^ r->reg[i]) * UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 29;
    }
    return hash | 1;
}

/* It did something: all anew. */
static void spin_begin(struct thread_spin *s, uint64_t events)
{
    memset(s, 0, sizeof(*s));
    s->events = events;
}

/* Return: how often in a row this has been seen to spin; 0: not yet. */
static unsigned spin_seen(struct thread *self, uint64_t hash)
{
    struct thread_spin *s = &self->spin;

    for (unsigned i = 0; i < SPIN_STATES; i++) {
        if (s->hash[i] == hash) {
            s->seen[i]++;
            if (s->seen[i] >= SAME_ENOUGH) {
                s->sure = true;
            }
            return s->sure ? ++s->rounds : 0;
        }
    }
    s->hash[s->next] = hash;
    s->seen[s->next++ % SPIN_STATES] = 1;
    s->next %= SPIN_STATES;
    return 0;
}

/* For long at a few places where little but a counter changes: a loop with a limit, or one that
 * counts its turns. It may also be a long loop of a computation, which has to end: no more is
 * known. */
static bool only_counts(struct thread_spin *s, const struct registers *r)
{
    unsigned i = 0;

    s->samples++;
    while (i < s->places && s->place[i].pc != r->pc) {
        i++;
    }
    if (i < s->places) {
        s->again++;
        for (unsigned n = 0; n < SPIN_REGISTERS; n++) {
            s->varied |= (uint32_t)(s->place[i].reg[n] != r->reg[n]) << n;
        }
    } else if (i < SPIN_PLACES) {
        s->place[i].pc = r->pc;
        memcpy(s->place[i].reg, r->reg, sizeof(r->reg));
        s->places++;
    }
    return s->ticks >= COUNTS_TICKS && s->again >= s->samples / 2 &&
           (unsigned)__builtin_popcount(s->varied) <= COUNTS_MOST;
}

static bool let_others(struct thread *self, unsigned rounds, void (*turn)(struct thread *self))
{
    bool any = true;

    if (turn_on) {
        turn(self);
    } else {
        any = free_go_on(self, rounds);
    }
    self->spin.went = true;
    return any;
}

static void look(struct thread *self, const ucontext_t *context)
{
    struct thread_spin *s = &self->spin;
    struct registers r = registers(context);
    unsigned rounds;

    if (s->events != turn_events(self)) {
        spin_begin(s, turn_events(self));
    }
    if (s->went) { /* pending when others went on: it comes before the loop has looked again */
        s->went = false;
        return;
    }
    s->ticks++;
    s->clock_ticks = atomic_exchange(&s->clock_looks, 0) >= CLOCK_LOOKS ? s->clock_ticks + 1 : 0;
    atomic_store(&s->overdue, s->clock_ticks >= CLOCK_TICKS);
    if (!r.pc || !is_program(r.pc)) {
        return;
    }
    rounds = spin_seen(self, registers_hash(&r));
    if (rounds) {
        let_others(self, rounds, turn_spin);
    } else if (only_counts(s, &r) && let_others(self, ++s->rounds, turn_pass)) {
        free_unsure(self, r.pc);
    }
}

static void on_tick(int sig, siginfo_t *info, void *context)
{
    struct thread *self = turn_self;
    int error = errno;

    (void)sig;
    if (self) {
        atomic_fetch_add(&self->ticks, 1);
    }
    if (self && !self->inside && info->si_code == SI_TIMER && (turn_on || turn_board)) {
        look(self, context);
    }
    errno = error;
}

/* Return: SIGURG is ours. */
static bool claim(void)
{
    struct sigaction before, ours = { .sa_flags = SA_SIGINFO | SA_RESTART };

    if (sigaction(SIGURG, NULL, &before) != 0) {
        return false;
    }
    if (before.sa_flags & SA_SIGINFO) {
        return before.sa_sigaction == on_tick;
    }
    ours.sa_sigaction = on_tick;
    sigemptyset(&ours.sa_mask);
    return before.sa_handler == SIG_DFL && sigaction(SIGURG, &ours, NULL) == 0;
}

/* Of another thread: where the board comes up after it was created. */
void spin_watch(struct thread *thread)
{
    struct sigevent event = { .sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGURG };
    struct itimerspec period = { { 0, PERIOD_NS }, { 0, PERIOD_NS } };
    clockid_t clock;
    timer_t timer;

    if (thread->spin_watched || !thread->tid) {
        return;
    }
    thread->spin_watched = true;
    event.sigev_notify_thread_id = thread->tid;
    if (claim() && pthread_getcpuclockid(thread->handle, &clock) == 0 &&
        timer_create(clock, &event, &timer) == 0) {
        timer_settime(timer, 0, &period, NULL);
    }
}
