/* SPDX-License-Identifier: MIT */
#include "sched/turn/spin.h"

#include <link.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/ucontext.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "sched/calls/front.h"
#include "sched/turn/free.h"
#include "sched/turn/roster.h"

#define PERIOD_NS 4000000 /* of CPU time */
#define SAME_ENOUGH 3u
#define CLOCK_TICKS 125u   /* half a second of little else than looks at a clock: */
#define CLOCK_LOOKS 5000u  /* so many in a tick take a tenth of it, at least */
#define COUNTS_TICKS 2500u /* ten seconds of a loop in which few registers change */
#define COUNTS_MOST 2u

#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

/* Code of the program proper: not of the C library or ours, whose locks the thread may hold, nor of
 * what ours reads debug information and profiles with. */
static bool is_program(uintptr_t pc)
{
    static const char *const others[] = {
        "libc.so", "ld-linux", "libpthread", "libvtegra", "libcuda.",     "libcudart", "libcudla",
        "libdl",   "libglib",  "libgobject", "libgio",    "libjson-glib", "libdw",     "libelf",
        "libz.",   "liblzma",  "libbz2",     "libzstd",   "libasan",
    };
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

/**
 * struct state - what a thread works with; where that stays the same it changes nothing that it
 * could see without others
 * @word: general registers, all others in one, the top of the stack
 * @memory: in one: more of the stack and, where threads take turns, what registers point to. Where
 * they run freely that may be what others write meanwhile
 */
struct state {
    uintptr_t pc;
    uint64_t word[SPIN_WORDS], memory;
};
#define RED_ZONE 128u /* System V ABI, AMD64 supplement, 3.2.2: below the stack pointer */
#define STACK_PAGE 4096u

#ifdef __x86_64__

static uintptr_t pc_of(const ucontext_t *context)
{
    return (uintptr_t)context->uc_mcontext.gregs[REG_RIP];
}

enum { VECTORS = REG_RIP + 1, STACK };

static uint64_t spin_mix(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 29;
}

/* No further than the page of @sp, which is there. Whoever has called leaves words behind. */
__attribute__((no_sanitize("address"))) static void stack_words(uintptr_t sp, uint64_t *word,
                                                                unsigned n)
{
    const volatile uint64_t *at = (const volatile uint64_t *)((sp & ~UINT64_C(7)) - RED_ZONE);
    uintptr_t end = (sp | (STACK_PAGE - 1)) + 1;

    for (unsigned i = 0; i < n && (uintptr_t)(at + i) < end; i++) {
        word[i] = at[i];
    }
}

/* Intel 64 and IA-32 Architectures SDM, volume 1, 10.5.1 and 13.4: what XSAVE writes; Linux says in
 * bytes that are software's (struct _fpx_sw_bytes) how much there is. */
#define X87_BEGIN 32u
#define XMM_END 416u
#define SOFTWARE 464u
#define EXTENDED_BEGIN 576u
#define EXTENDED_MAGIC 0x46505853u
#define EXTENDED_MAX 16384u

static uint64_t mix_words(uint64_t hash, const void *from, size_t begin, size_t end)
{
    for (size_t at = begin; at + sizeof(uint64_t) <= end; at += sizeof(uint64_t)) {
        uint64_t word;

        memcpy(&word, (const char *)from + at, sizeof(word));
        hash = spin_mix(hash, word);
    }
    return hash;
}

/* Of x87, and of SSE, AVX and what came after them. */
static uint64_t vectors_hash(const struct _libc_fpstate *v)
{
    uint64_t hash = 0;
    uint32_t software[5];

    if (!v) {
        return 0;
    }
    hash = mix_words(hash, v, X87_BEGIN, XMM_END);
    memcpy(software, (const char *)v + SOFTWARE, sizeof(software));
    if (software[0] == EXTENDED_MAGIC && software[4] <= EXTENDED_MAX) {
        hash = mix_words(hash, v, EXTENDED_BEGIN, software[4]);
    }
    return hash;
}

/* What can be read at @at; nothing is fine, too. A system call, because a load may be a fault; by
 * the thread, as the process's first may have ended by pthread_exit(). */
static uint64_t mix_memory(struct thread *self, uint64_t hash, uintptr_t at, size_t n)
{
    struct iovec to = { self->spin_room->memory, n }, from[SPIN_MEMORY / STACK_PAGE + 2];
    unsigned pieces = 0;
    long got;

    for (size_t left = n; left > 0; pieces++) { /* each as a whole or not at all */
        size_t piece = STACK_PAGE - at % STACK_PAGE;

        piece = piece < left ? piece : left;
        from[pieces] = (struct iovec){ (void *)at, piece };
        at += piece;
        left -= piece;
    }
    got = REAL(syscall)(SYS_process_vm_readv, gettid(), &to, 1, from, pieces, 0);
    return got > 0 ? mix_words(hash, self->spin_room->memory, 0, (size_t)got) : hash;
}

/* A stack has words that were never written. They are compared here and used for nothing, which
 * valgrind's memcheck cannot know: MAKE_MEM_DEFINED, the sequence of valgrind.h, which does nothing
 * on a processor. */
static void state_known(struct state *s)
{
    uint64_t request[6] = { 0x4d430002, (uintptr_t)s, sizeof(*s) }, answer = 0;

    __asm__ volatile("rolq $3, %%rdi\n\trolq $13, %%rdi\n\trolq $61, %%rdi\n\trolq $51, %%rdi\n\t"
                     "xchgq %%rbx, %%rbx"
                     : "+d"(answer)
                     : "a"(request)
                     : "cc", "memory");
}

#define AROUND 64u /* a line, and one on each side */

static void state_of(struct thread *self, const ucontext_t *context, struct state *s)
{
    uintptr_t sp = (uintptr_t)context->uc_mcontext.gregs[REG_RSP];

    _Static_assert(STACK < SPIN_WORDS, "all of them, and some of the stack");
    memset(s, 0, sizeof(*s));
    s->pc = pc_of(context);
    for (int i = 0; i <= REG_RIP; i++) { /* R8 .. RIP */
        s->word[i] = (uint64_t)context->uc_mcontext.gregs[i];
    }
    s->word[VECTORS] = vectors_hash(context->uc_mcontext.fpregs);
    stack_words(sp, s->word + STACK, SPIN_WORDS - STACK);
    s->memory = mix_memory(self, 1, sp - RED_ZONE, SPIN_MEMORY);
    for (int i = 0; turn_on && i < REG_RIP; i++) {
        uintptr_t line = (uintptr_t)context->uc_mcontext.gregs[i] & ~(uintptr_t)(AROUND - 1);

        if (i != REG_RSP && line > STACK_PAGE) {
            s->memory = mix_memory(self, s->memory, line - AROUND, 3 * (size_t)AROUND);
        }
    }
    state_known(s);
}

static uint64_t state_hash(const struct state *s)
{
    uint64_t hash = s->memory;

    for (unsigned i = 0; i < SPIN_WORDS; i++) {
        hash = spin_mix(hash, s->word[i]);
    }
    return hash | 1;
}

/* Bit per word. Who changes vectors computes. */
static bool is_a_counter(uint64_t varied)
{
    return !(varied >> VECTORS & 1) && (unsigned)__builtin_popcountll(varied) <= COUNTS_MOST;
}

#else

/* What this machine works with is not known. */
static uintptr_t pc_of(const ucontext_t *context)
{
    (void)context;
    return 0;
}

static void state_of(struct thread *self, const ucontext_t *context, struct state *s)
{
    (void)self;
    s->pc = pc_of(context);
}

static uint64_t state_hash(const struct state *s)
{
    return s->pc;
}

static bool is_a_counter(uint64_t varied)
{
    return varied == 0;
}

#endif

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
static bool only_counts(struct thread_spin *s, struct spin_place *place, const struct state *now)
{
    unsigned i = 0;

    s->samples++;
    while (i < s->places && place[i].pc != now->pc) {
        i++;
    }
    if (i < s->places) {
        s->again++;
        for (unsigned n = 0; n < SPIN_WORDS; n++) {
            s->varied |= (uint64_t)(place[i].word[n] != now->word[n]) << n;
        }
    } else if (i < SPIN_PLACES) {
        place[i].pc = now->pc;
        memcpy(place[i].word, now->word, sizeof(now->word));
        s->places++;
    }
    return s->ticks >= COUNTS_TICKS && s->again >= s->samples / 2 && is_a_counter(s->varied);
}

static bool let_others(struct thread *self, unsigned rounds, void (*turn)(struct thread *self))
{
    bool any = true;

    if (turn_on) {
        turn(self);
    } else {
        any = free_go_on(self, rounds);
    }
    return any;
}

static void spin_look(struct thread *self, const ucontext_t *context)
{
    struct thread_spin *s = &self->spin;
    uintptr_t pc = pc_of(context);
    struct state now;
    unsigned rounds;

    if (s->events != turn_events(self)) {
        spin_begin(s, turn_events(self));
    }
    s->ticks++;
    s->clock_ticks = atomic_exchange(&s->clock_looks, 0) >= CLOCK_LOOKS ? s->clock_ticks + 1 : 0;
    atomic_store(&s->overdue, s->clock_ticks >= CLOCK_TICKS);
    if (!pc || !is_program(pc)) {
        return;
    }
    state_of(self, context, &now);
    rounds = spin_seen(self, state_hash(&now));
    if (rounds) {
        let_others(self, rounds, turn_spin);
    } else if (only_counts(s, self->spin_room->place, &now) &&
               let_others(self, ++s->rounds, turn_pass)) {
        free_unsure(self, pc);
    }
}

/* Ticks come in a row where the last one took long, or others went on in it: the thread is found
 * where it was, because it has not run since. */
static bool has_run(const struct thread *self)
{
    return real_ns(CLOCK_THREAD_CPUTIME_ID) - self->spin_looked_ns >= PERIOD_NS / 2;
}

static void on_tick(int sig, siginfo_t *info, void *context)
{
    struct thread *self = turn_self;
    int error = errno;

    (void)sig;
    if (self) {
        atomic_fetch_add(&self->ticks, 1);
    }
    if (self && self->spin_room && !self->inside && info->si_code == SI_TIMER &&
        (turn_on || turn_board) && has_run(self)) {
        spin_look(self, context);
        self->spin_looked_ns = real_ns(CLOCK_THREAD_CPUTIME_ID);
    }
    errno = error;
}

/* --- the signal ------------------------------------------------------------------------------- */

static atomic_int tick_signal;

/* Return: @sig is ours. */
static bool spin_take(int sig)
{
    struct sigaction before, ours = { .sa_flags = SA_SIGINFO | SA_RESTART };

    if (sigaction(sig, NULL, &before) != 0) {
        return false;
    }
    if (before.sa_flags & SA_SIGINFO) {
        return before.sa_sigaction == on_tick;
    }
    ours.sa_sigaction = on_tick;
    sigemptyset(&ours.sa_mask);
    return before.sa_handler == SIG_DFL && sigaction(sig, &ours, NULL) == 0;
}

/* SIGURG, which no program misses and debuggers pass on, or one that the program does not use: who
 * uses real-time signals takes the first ones. Return: not @but; 0: there is none. */
static int spin_claim(int but)
{
    int sig = atomic_load(&tick_signal);

    if (sig == 0) {
        sig = SIGURG;
        while (sig == but || !spin_take(sig)) {
            sig = sig == SIGURG ? SIGRTMAX : sig - 1;
            if (sig < SIGRTMIN) {
                return 0;
            }
        }
        atomic_store(&tick_signal, sig);
    }
    return sig;
}

int spin_signal(void)
{
    return atomic_load(&tick_signal);
}

/* --- timers ----------------------------------------------------------------------------------- */

static void timer_begin(struct thread *thread, int sig)
{
    struct sigevent event = { .sigev_notify = SIGEV_THREAD_ID, .sigev_signo = sig };
    struct itimerspec period = { { 0, PERIOD_NS }, { 0, PERIOD_NS } };
    clockid_t clock;

    event.sigev_notify_thread_id = thread->tid;
    if (sig != 0 && pthread_getcpuclockid(thread->handle, &clock) == 0 &&
        timer_create(clock, &event, &thread->spin_timer) == 0) {
        thread->spin_ticks = true;
        timer_settime(thread->spin_timer, 0, &period, NULL);
    }
}

/* Of the kernel's: the program may be in its own malloc() when a hook comes here. */
static void room_make(struct thread *thread)
{
    void *room = thread->spin_room;

    if (!room) {
        room = mmap(NULL, sizeof(struct spin_room), PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        thread->spin_room = room == MAP_FAILED ? NULL : room;
    }
}

/* Of another thread: where the board comes up after it was created. */
void spin_watch(struct thread *thread)
{
    if (thread->tid && !atomic_exchange(&thread->spin_watched, true)) {
        room_make(thread);
        timer_begin(thread, spin_claim(0));
    }
}

void spin_unwatch(struct thread *thread)
{
    if (thread->spin_ticks) {
        thread->spin_ticks = false;
        timer_delete(thread->spin_timer);
    }
}

static void spin_move(struct thread *thread)
{
    if (thread->spin_ticks) {
        spin_unwatch(thread);
        timer_begin(thread, atomic_load(&tick_signal));
    }
}

void spin_give_up(int sig)
{
    if (sig != 0 && atomic_compare_exchange_strong(&tick_signal, &sig, 0)) {
        spin_claim(sig);
        roster_each(spin_move);
    }
}
