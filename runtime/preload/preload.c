/* SPDX-License-Identifier: MIT */
/* The C library's signal functions, with SIGSEGV, SIGBUS and SIGTRAP kept apart once the board
 * claims them.
 *
 * Before that, and for all other signals, calls pass through. A blocked SIGSEGV would kill the
 * process inside the kernel before anybody could say why, so those are never really blocked;
 * the mask that the application sees is kept per thread. Not followed: masks given to sigsuspend,
 * ppoll and the like, and masks restored by siglongjmp.
 */
#include "runtime/preload/preload.h"
#include "runtime/preload/files.h"
#include "sched/sched.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

enum { SEGV, BUS, TRAP, OURS };

static struct {
    _Atomic(vtegra_handler *) claimed;
    struct sigaction application;
} slots[OURS];

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Bit per slot: the application has blocked it on this thread. */
static _Thread_local unsigned blocked __attribute__((tls_model("initial-exec")));

static const int signals[OURS] = { [SEGV] = SIGSEGV, [BUS] = SIGBUS, [TRAP] = SIGTRAP };

static int slot_of(int sig)
{
    return sig == SIGSEGV ? SEGV : sig == SIGBUS ? BUS : sig == SIGTRAP ? TRAP : -1;
}

static bool is_claimed(int sig)
{
    int slot = slot_of(sig);

    return slot >= 0 && atomic_load(&slots[slot].claimed);
}

/* The next definition of a function: the C library's, or a sanitizer's in front of it. */
static void *preload_next(const char *name)
{
    return dlsym(RTLD_NEXT, name);
}

#define REAL(variable, name)                        \
    static __typeof__(&name) variable;              \
    if (!variable) {                                \
        void *symbol = preload_next(#name);         \
        memcpy(&variable, &symbol, sizeof(symbol)); \
    }

static int real_sigaction(int sig, const struct sigaction *act, struct sigaction *old)
{
    REAL(real, sigaction)
    return real(sig, act, old);
}

static int real_sigmask(int how, const sigset_t *set, sigset_t *old)
{
    REAL(real, pthread_sigmask)
    return real(how, set, old);
}

/* --- masks of handlers ------------------------------------------------------------------------ */

/* A handler that blocks one of these for its time would end the process where it touches memory
 * that is closed. What the program asked for, bit per signal in @kept_out, is what it is shown. */
static const int kept_open[] = { SIGSEGV, SIGBUS, SIGTRAP, SIGSYS };
static _Atomic(uint8_t) kept_out[NSIG];

static const struct sigaction *act_filter(int sig, const struct sigaction *act,
                                          struct sigaction *kernel, uint8_t *asked)
{
    if (!act || sig <= 0 || sig >= NSIG) {
        return act;
    }
    *kernel = *act;
    for (unsigned i = 0; i < sizeof(kept_open) / sizeof(kept_open[0]); i++) {
        *asked |= sigismember(&act->sa_mask, kept_open[i]) == 1 ? 1u << i : 0;
        sigdelset(&kernel->sa_mask, kept_open[i]);
    }
    return kernel;
}

static void act_show(struct sigaction *old, uint8_t asked)
{
    for (unsigned i = 0; old && i < sizeof(kept_open) / sizeof(kept_open[0]); i++) {
        if (asked & 1u << i) {
            sigaddset(&old->sa_mask, kept_open[i]);
        }
    }
}

static int filtered_sigaction(int sig, const struct sigaction *act, struct sigaction *old)
{
    bool one = sig > 0 && sig < NSIG;
    uint8_t asked = 0, before = one ? atomic_load(&kept_out[sig]) : 0;
    struct sigaction kernel;
    int result = real_sigaction(sig, act_filter(sig, act, &kernel, &asked), old);

    if (result == 0 && one) {
        act_show(old, before);
        if (act) {
            atomic_store(&kept_out[sig], asked);
        }
    }
    return result;
}

/* --- the two signals as the application sees them --------------------------------------------- */

static int set_claimed(int sig, const struct sigaction *act, struct sigaction *old)
{
    int slot = slot_of(sig);
    struct sigaction before;

    pthread_mutex_lock(&lock);
    before = slots[slot].application;
    if (act) {
        slots[slot].application = *act;
    }
    pthread_mutex_unlock(&lock);
    if (old) {
        *old = before;
    }
    return 0;
}

static sighandler_t set_handler(int sig, sighandler_t handler, int flags)
{
    struct sigaction act = { .sa_flags = flags }, old;

    act.sa_handler = handler;
    sigemptyset(&act.sa_mask);
    set_claimed(sig, &act, &old);
    return old.sa_handler;
}

EXPORT int sigaction(int sig, const struct sigaction *act, struct sigaction *old)
{
    if (act) {
        sched_signal_release(sig);
    }
    return is_claimed(sig) ? set_claimed(sig, act, old) : filtered_sigaction(sig, act, old);
}

EXPORT int __sigaction(int sig, const struct sigaction *act, struct sigaction *old);
EXPORT int __sigaction(int sig, const struct sigaction *act, struct sigaction *old)
{
    return sigaction(sig, act, old);
}

EXPORT sighandler_t signal(int sig, sighandler_t handler)
{
    REAL(real, signal)
    sched_signal_release(sig);
    return is_claimed(sig) ? set_handler(sig, handler, SA_RESTART) : real(sig, handler);
}

EXPORT sighandler_t bsd_signal(int sig, sighandler_t handler);
EXPORT sighandler_t bsd_signal(int sig, sighandler_t handler)
{
    return signal(sig, handler);
}

EXPORT sighandler_t sysv_signal(int sig, sighandler_t handler)
{
    REAL(real, sysv_signal)
    sched_signal_release(sig);
    return is_claimed(sig) ? set_handler(sig, handler, (int)SA_RESETHAND | SA_NODEFER)
                           : real(sig, handler);
}

EXPORT sighandler_t __sysv_signal(int sig, sighandler_t handler)
{
    return sysv_signal(sig, handler);
}

/* --- masks ------------------------------------------------------------------------------------ */

/* What the kernel may block, and what this thread then has blocked in the application's eyes. */
static const sigset_t *mask_filter(int how, const sigset_t *set, sigset_t *kernel, unsigned *now)
{
    if (!set) {
        return NULL;
    }
    *kernel = *set;
    if (how != SIG_UNBLOCK) {
        sched_signals_keep_open(kernel);
    }
    for (int i = 0; i < OURS; i++) {
        unsigned bit = 1u << i;
        bool member = sigismember(set, signals[i]) == 1;

        if (!atomic_load(&slots[i].claimed)) {
            continue;
        }
        if (how == SIG_SETMASK) {
            *now = member ? *now | bit : *now & ~bit;
        } else if (member) {
            *now = how == SIG_BLOCK ? *now | bit : *now & ~bit;
        }
        sigdelset(kernel, signals[i]);
        if (how == SIG_UNBLOCK && member) {
            sigaddset(kernel, signals[i]); /* blocked since before the claim */
        }
    }
    return kernel;
}

static void mask_show(sigset_t *old, unsigned bits)
{
    if (old && bits & 1u << SEGV) {
        sigaddset(old, SIGSEGV);
    }
    if (old && bits & 1u << BUS) {
        sigaddset(old, SIGBUS);
    }
    if (old && bits & 1u << TRAP) {
        sigaddset(old, SIGTRAP);
    }
}

EXPORT int pthread_sigmask(int how, const sigset_t *set, sigset_t *old)
{
    unsigned before = blocked, now = blocked;
    sigset_t kernel;
    int result = real_sigmask(how, mask_filter(how, set, &kernel, &now), old);

    if (result == 0) {
        blocked = now;
        mask_show(old, before);
    }
    return result;
}

EXPORT int sigprocmask(int how, const sigset_t *set, sigset_t *old)
{
    int result = pthread_sigmask(how, set, old);

    if (result != 0) {
        errno = result;
        return -1;
    }
    return 0;
}

/* --- leaving ---------------------------------------------------------------------------------- */

static struct {
    _Atomic(int (*)(int)) report;
    pid_t pid; /* a child of fork() has nothing to report */
} leaving;

/* A process that leaves without exit() skips atexit(): give the report its chance. */
EXPORT _Noreturn void _exit(int status)
{
    int (*report)(int) = atomic_load(&leaving.report);

    if (report && leaving.pid == getpid()) {
        status = report(status);
    }
    sched_finish();
    for (;;) {
        syscall(SYS_exit_group, status);
    }
}

EXPORT _Noreturn void _Exit(int status)
{
    _exit(status);
}

/* --- for the runtime -------------------------------------------------------------------------- */

/* Look the C library up before anybody forks: dlsym() takes locks. */
static __attribute__((constructor)) void preload_init(void)
{
    real_sigaction(SIGSEGV, NULL, &slots[SEGV].application);
    real_sigmask(SIG_BLOCK, NULL, &(sigset_t){ 0 });
}

static int preload_claim(int sig, vtegra_handler *handler)
{
    int slot = slot_of(sig);
    struct sigaction ours = { .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER };
    struct sigaction before;
    int result;

    if (slot < 0) {
        return -1;
    }
    if (!handler) {
        atomic_store(&slots[slot].claimed, NULL);
        return real_sigaction(sig, &slots[slot].application, NULL);
    }
    ours.sa_sigaction = handler;
    /* A handler of the program's that comes into ours could wait for what ours holds. */
    sigfillset(&ours.sa_mask);
    for (size_t i = 0; i < sizeof(kept_open) / sizeof(kept_open[0]); i++) {
        sigdelset(&ours.sa_mask, kept_open[i]);
    }
    result = real_sigaction(sig, &ours, &before);
    if (result == 0 && !atomic_load(&slots[slot].claimed)) {
        slots[slot].application = before;
        atomic_store(&slots[slot].claimed, handler);
    }
    return result;
}

static void preload_action(int sig, struct sigaction *out)
{
    if (is_claimed(sig)) {
        set_claimed(sig, NULL, out);
    } else {
        real_sigaction(sig, NULL, out);
    }
}

static void preload_reset(int sig)
{
    struct sigaction act = { .sa_flags = 0 };

    act.sa_handler = SIG_DFL;
    sigemptyset(&act.sa_mask);
    sigaction(sig, &act, NULL);
}

static bool preload_blocked(int sig)
{
    int slot = slot_of(sig);

    return slot >= 0 && (blocked & 1u << slot);
}

/* Objects with hooks may start before the runtime is loaded; this library is there before both.
 * They come one after the other: the C library's loader holds its lock. */
static struct {
    _Atomic(struct vtegra_track_object *) first;
    _Atomic(vtegra_track_enlist_fn *) listener;
} track;

EXPORT void vtegra_track_enlist(struct vtegra_track_object *object)
{
    vtegra_track_enlist_fn *listener;

    object->next = atomic_load(&track.first);
    atomic_store(&track.first, object);
    listener = atomic_load(&track.listener);
    if (listener) {
        listener(object);
    }
}

static const struct vtegra_track_object *preload_track(vtegra_track_enlist_fn *listener)
{
    atomic_store(&track.listener, listener);
    return atomic_load(&track.first);
}

static void preload_at_exit(int (*report)(int status))
{
    leaving.pid = getpid();
    atomic_store(&leaving.report, report);
}

EXPORT const struct vtegra_preload *vtegra_preload(void)
{
    static const struct vtegra_preload table = {
        .version = VTEGRA_PRELOAD_VERSION,
        .claim = preload_claim,
        .action = preload_action,
        .reset = preload_reset,
        .blocked = preload_blocked,
        .at_exit = preload_at_exit,
        .track = preload_track,
        .memory = files_of,
        .real_sigaction = real_sigaction,
        .real_sigmask = real_sigmask,
    };

    return &table;
}

/* gcc's ASan insists on being the first library of a process; a preloaded one is before it. The
 * program's own definition of this function is before ours. */
EXPORT const char *__asan_default_options(void);
EXPORT const char *__asan_default_options(void)
{
    return "verify_asan_link_order=0";
}
