/* SPDX-License-Identifier: MIT */
/* A signal may come at any instruction, and a report needs malloc and our locks. So the handler
 * only leaves a mark where a thread is inside the driver: that thread sees it at the end of its
 * call, or between two steps of the board. Where none is, the handler writes the report itself, if
 * it has interrupted the application's own code or a blocking system call: neither holds malloc's
 * locks. In the rest, a moment of some library, it comes again a little later. A second signal
 * kills at once. */
#include "runtime/driver/core/interrupt.h"

#include <errno.h>
#include <link.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include "runtime/driver/core/channel_internal.h"
#include "runtime/driver/core/core.h"
#include "runtime/driver/core/notifier.h"
#include "runtime/driver/core/turns.h"
#include "runtime/driver/module/fault.h"
#include "runtime/observe/machine.h"

#define RETRIES_MAX 200
#define RETRY_NS 20000000
#define REPORT_S 10 /* a report that hangs all the same is given up: killed */

/* abort() does not come back, so that there is no later for SIGABRT: now or never. */
static const struct {
    int number;
    const char *name;
} signals[] = { { SIGINT, "SIGINT" }, { SIGTERM, "SIGTERM" }, { SIGABRT, "SIGABRT" } };
static int timers[G_N_ELEMENTS(signals)] = { -1, -1, -1 }, watchdog = -1;
static atomic_int retries;

static size_t signal_index(int sig)
{
    size_t i = 0;

    while (i + 1 < G_N_ELEMENTS(signals) && signals[i].number != sig) {
        i++;
    }
    return i;
}

static void interrupt_die(int sig)
{
    struct sigaction act = { .sa_flags = 0 };
    sigset_t set;

    act.sa_handler = SIG_DFL;
    sigemptyset(&act.sa_mask);
    sigaction(sig, &act, NULL);
    sigemptyset(&set);
    sigaddset(&set, sig);
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
    raise(sig);
    _exit(128 + sig);
}

void interrupt_service(void)
{
    int sig = core_signal();

    if (!sig || !core_is_owner()) {
        return;
    }
    hal_interrupt(core_hal(), false);
    for (unsigned i = 0; i < channel_count(); i++) {
        fault_interrupted(channel_nth(i), signals[signal_index(sig)].name);
    }
    sched_orders_note();
    core_free_report();
    check_accesses_end(core_check());
    core_ends();
    check_ends(core_check(), 0, signals[signal_index(sig)].name);
    check_close(core_check());
    interrupt_die(sig);
}

/* raise() and kill() come back to code that called them. */
static bool sent_by_itself(const siginfo_t *info)
{
    return (info->si_code == SI_TKILL || info->si_code == SI_USER) && info->si_pid == getpid();
}

/* Has this thread been interrupted where it can hold no lock of malloc? */
static bool code_is_safe(const ucontext_t *context)
{
    uintptr_t pc = machine_pc(context);
    struct dl_find_object found;

    if (_dl_find_object((void *)pc, &found) != 0 || !found.dlfo_link_map) {
        return false;
    }
    if (!*found.dlfo_link_map->l_name) { /* the program itself */
        return true;
    }
    return machine_in_syscall(context, -EINTR);
}

static bool timer_start(int timer, const struct itimerspec *when)
{
    return timer >= 0 && syscall(SYS_timer_settime, timer, 0, when, NULL) == 0;
}

static void again_later(int sig)
{
    if (sig == SIGABRT || atomic_fetch_add(&retries, 1) >= RETRIES_MAX ||
        !timer_start(timers[signal_index(sig)],
                     &(struct itimerspec){ .it_value.tv_nsec = RETRY_NS })) {
        interrupt_die(sig);
    }
}

static void interrupt_handler(int sig, siginfo_t *info, void *context)
{
    int saved = errno;

    if (!core_is_owner() || !core_is_up() ||
        (core_signal() && info->si_code != SI_TIMER)) { /* asked twice: at once */
        interrupt_die(sig);
    }
    core_signal_set(sig);
    hal_interrupt(core_hal(), true);
    if (core_inside() == 0 && (sent_by_itself(info) || code_is_safe(context)) && core_lock_try()) {
        timer_start(watchdog, &(struct itimerspec){ .it_value.tv_sec = REPORT_S });
        interrupt_service();
    }
    again_later(sig);
    errno = saved;
}

static int timer_make(int sig)
{
    struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = sig };
    int timer;

    return syscall(SYS_timer_create, CLOCK_MONOTONIC, &event, &timer) == 0 ? timer : -1;
}

void interrupt_install(void)
{
    struct sigaction act = { .sa_flags = SA_SIGINFO | SA_RESTART }, before;

    act.sa_sigaction = interrupt_handler;
    sigemptyset(&act.sa_mask);
    notify_signal_add(interrupt_service);
    watchdog = timer_make(SIGKILL);
    for (size_t i = 0; i < G_N_ELEMENTS(signals); i++) {
        int sig = signals[i].number;

        if (sigaction(sig, NULL, &before) == 0 && !(before.sa_flags & SA_SIGINFO) &&
            before.sa_handler == SIG_DFL) {
            timers[i] = sig == SIGABRT ? -1 : timer_make(sig);
            sigaction(sig, &act, NULL);
        }
    }
}
