/* SPDX-License-Identifier: MIT */
#include "runtime/driver/core/board_agent.h"

#include "model/regs/dla_task.h"
#include "runtime/driver/core/core.h"
#include "runtime/driver/core/notifier.h"
#include "runtime/driver/core/turns.h"
#include "runtime/driver/stream/stream.h"

#include <stdatomic.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "runtime/observe/closed.h"
#include "runtime/observe/sched_lookup.h"
#include "runtime/observe/signal_stack.h"

#define QUEUES_MAX (2u * DLA_TASK_QUEUES)

/* Agents by the numbers of the HAL, and as the scheduler has them. */
static int config_choose(void *opaque, const uint32_t *ready, unsigned n)
{
    uint32_t agent[CHAN_COUNT + QUEUES_MAX];

    (void)opaque;
    n = MIN(n, CHAN_COUNT + QUEUES_MAX);
    for (unsigned i = 0; i < n; i++) {
        agent[i] = ready[i] < QUEUE_FIRST ? DECIDE_CHANNEL + ready[i]
                                          : DECIDE_QUEUE + (ready[i] - QUEUE_FIRST);
        if (sched_channel_is_first(ready[i])) { /* nothing is left to decide */
            return (int)i;
        }
    }
    return check_sched()->choose(agent, n);
}

static uint64_t config_draw(void *opaque, enum cache_kind cache)
{
    (void)opaque;
    return check_sched()->evict(cache == CACHE_L2 ? DECIDE_L2 : DECIDE_CPU_CACHE);
}

void sched_configure(struct hal_config *config)
{
    if (config->policy == HAL_POLICY_SEEDED && sched_active()) {
        config->choose = config_choose;
        config->draw = config_draw;
    }
}

/* --- what the scheduler asks of the board ----------------------------------------------------- */

#define MOMENTS 1000u /* of 50 us */

/* Somebody inside the core that waits has let the lock go; only what a signal handler has
 * interrupted can hold it. Or, where threads run freely, another thread that is at work there: as
 * the driver's own, every few milliseconds. A step that is left out for its sake would be left out
 * by chance, so that one is waited for. */
static bool lock_soon(void)
{
    const struct timespec moment = { .tv_nsec = 50000 };

    for (unsigned i = 0; i < MOMENTS; i++) {
        if (core_lock_try()) {
            return true;
        }
        if (sched_active()) {
            return false;
        }
        nanosleep(&moment, NULL);
    }
    return false;
}

static enum sched_progress board_step(void)
{
    enum sched_progress p;

    if (!core_is_up() || !lock_soon()) {
        return SCHED_STANDS;
    }
    p = hal_poll(core_hal(), true) ? SCHED_WENT : SCHED_STANDS;
    notify_signal();
    if (p == SCHED_STANDS) { /* a fault may be why: callbacks have to hear of it */
        notify_service();
    }
    if (!sched_active() && notify_pump()) {
        p = SCHED_CALLED;
    }
    core_unlock();
    return p;
}

static uint64_t board_time_ns(void)
{
    return hal_time_ns(core_hal());
}

static void board_advance(uint64_t ns)
{
    hal_time_advance(core_hal(), ns);
}

static struct check_caller caller_of(const struct sched_stack *where)
{
    struct check_caller caller = { .pc = { 0 } };

    _Static_assert(sizeof(caller.pc) == sizeof(where->pc), "as many frames");
    if (where) {
        memcpy(caller.pc, where->pc, sizeof(caller.pc));
    }
    return caller;
}

static char *board_place(const struct sched_stack *where)
{
    struct check_caller caller = caller_of(where);

    return check_place(core_check(), &caller);
}

static char *board_streams(void)
{
    char *text = hal_dump(core_hal());
    char *channels = strchr(text, '\n'); /* behind the line with the name and the time */
    g_autofree char *list = g_strdup(channels ? g_strstrip(channels) : "");

    g_free(text);
    return *list ? g_strdelimit(g_steal_pointer(&list), "\n", ',') : NULL;
}

static void board_finding(const char *rule, const char *text, const char *todo,
                          const struct sched_stack *where)
{
    if (core_lost()) { /* threads may wait for what it would have done */
        return;
    }
    check_finding(core_check(), &(struct check_finding){
                                    .rule = rule,
                                    .severity = CHECK_ERROR,
                                    .standing = CHECK_INFERRED,
                                    .section = "POSIX threads; vtegra's scheduler",
                                    .text = text,
                                    .todo = todo,
                                    .caller = caller_of(where),
                                });
}

static void board_warning(const char *rule, const char *section, const char *text, const char *todo,
                          const struct sched_stack *where)
{
    check_finding(core_check(), &(struct check_finding){
                                    .rule = rule,
                                    .severity = CHECK_WARNING,
                                    .standing = CHECK_DOCUMENTED,
                                    .section = section,
                                    .text = text,
                                    .todo = todo,
                                    .caller = caller_of(where),
                                });
}

static void board_note(enum sched_note what, uint64_t a)
{
    static const enum hal_note notes[] = {
        [SCHED_NOTE_THREAD] = HAL_NOTE_THREAD,
        [SCHED_NOTE_RELEASE] = HAL_NOTE_RELEASE,
        [SCHED_NOTE_ACQUIRE] = HAL_NOTE_ACQUIRE,
        [SCHED_NOTE_GONE] = HAL_NOTE_RELEASE,
    };

    if (what == SCHED_NOTE_ENDED) {
        hal_note(core_hal(), HAL_NOTE_RELEASE, 0, a + 1);
        return;
    }
    hal_note(core_hal(), notes[what], a, what == SCHED_NOTE_GONE);
}

static void board_flag(const void *address, bool release)
{
    check_flag(address, release);
}

static void board_waits(void)
{
    hostop_attend();
}

static void board_woke(void)
{
    hostop_finish();
}

static void board_unsure(uint32_t thread, uintptr_t pc)
{
    g_autofree char *why = g_strdup_printf(
        "thread %" G_GUINT32_FORMAT " has looped here for long while the board had work to do",
        thread);

    sched_host_timed(why, pc);
}

/* It is too late to give back what the hook has locked: the board may be half changed. */
static void board_left(void)
{
    static const char text[] =
        "vtegra: a signal handler has left a CUDA call or a hook of --track by longjmp(): the "
        "board stays locked. "
        "Let the handler return, or block its signal (pthread_sigmask()) where the program "
        "accesses atomics and the board's memory\n";
    static atomic_flag told = ATOMIC_FLAG_INIT;
    ssize_t n;

    if (check_hooked() && !atomic_flag_test_and_set(&told)) {
        n = write(STDERR_FILENO, text, sizeof(text) - 1); /* a handler may not print */
        (void)n;
    }
}

extern const char __start_calls_of_application[], __stop_calls_of_application[]; /* hostop.c */

void sched_board_up(void)
{
    static const struct sched_board board = {
        .step = board_step,
        .time_ns = board_time_ns,
        .advance = board_advance,
        .place = board_place,
        .streams = board_streams,
        .finding = board_finding,
        .warning = board_warning,
        .note = board_note,
        .flag = board_flag,
        .calls = __start_calls_of_application,
        .calls_end = __stop_calls_of_application,
        .waits = board_waits,
        .woke = board_woke,
        .unsure = board_unsure,
        .left = board_left,
        .mapped = closed_for_call,
        .touched = closed_by_call,
        .opened = closed_open,
        .unseen = closed_unseen,
        .own = closed_own,
        .on_stack = signal_stack_call,
    };

    if (check_sched()) {
        check_sched()->attach(&board);
    }
}

void sched_board_down(void)
{
    if (check_sched()) {
        check_sched()->attach(NULL);
    }
}
