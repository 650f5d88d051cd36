/* SPDX-License-Identifier: MIT */
#include "runtime/sched/spin.h"

#include <link.h>
#include <signal.h>
#include <sys/ucontext.h>
#include <time.h>
#include <unistd.h>

#include "runtime/sched/front.h"

#define PERIOD_NS 4000000 /* of CPU time */
#define SAME_ENOUGH 3u
#define STEPS_LOG_MAX 10u

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

/* The registers as one number; 0 where this machine's are not known. */
static uint64_t registers(const ucontext_t *context, uintptr_t *pc)
{
#ifdef __x86_64__
    uint64_t hash = 1;

    for (int i = 0; i <= REG_RIP; i++) { /* R8 .. RIP: all general ones */
        hash = (hash ^ (uint64_t)context->uc_mcontext.gregs[i]) * UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 29;
    }
    *pc = (uintptr_t)context->uc_mcontext.gregs[REG_RIP];
    return hash | 1;
#else
    (void)context;
    *pc = 0;
    return 0;
#endif
}

/* Return: how often in a row this has been seen to spin; 0: not yet. */
static unsigned spin_seen(struct thread *self, uint64_t hash)
{
    struct thread_spin *s = &self->spin;

    if (s->events != turn_events(self)) { /* it did something: all anew */
        *s = (struct thread_spin){ .events = turn_events(self) };
    }
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

/* Others go on: where threads run freely that is only the board, longer each time. */
static void let_others(struct thread *self, unsigned rounds)
{
    const struct sched_board *board = turn_board;

    if (turn_on) {
        turn_spin(self);
        self->spin.went = true;
        return;
    }
    self->inside = true;
    for (uint64_t n = UINT64_C(1) << (rounds < STEPS_LOG_MAX ? rounds : STEPS_LOG_MAX);
         board && n > 0 && board->step(); n--) {
    }
    self->inside = false;
}

static void on_tick(int sig, siginfo_t *info, void *context)
{
    struct thread *self = turn_self;
    int error = errno;
    uintptr_t pc;
    uint64_t hash;
    unsigned rounds;

    (void)sig;
    if (self) {
        atomic_fetch_add(&self->ticks, 1);
    }
    if (!self || self->inside || info->si_code != SI_TIMER || (!turn_on && !turn_board)) {
        return;
    }
    /* A tick that was pending when others had gone on comes before the loop has looked again. */
    if (turn_on && self->spin.went) {
        self->spin.went = false;
        return;
    }
    hash = registers(context, &pc);
    if (hash && is_program(pc)) {
        rounds = spin_seen(self, hash);
        if (rounds) {
            let_others(self, rounds);
        }
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

void spin_watch(struct thread *self)
{
    struct sigevent event = { .sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGURG };
    struct itimerspec period = { { 0, PERIOD_NS }, { 0, PERIOD_NS } };
    timer_t timer;

    if (self->spin_watched) {
        return;
    }
    self->spin_watched = true;
    event.sigev_notify_thread_id = gettid();
    if (claim() && timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &timer) == 0) {
        timer_settime(timer, 0, &period, NULL);
    }
}
