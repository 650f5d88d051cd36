/* SPDX-License-Identifier: MIT */
/* SIGSEGV and SIGBUS: the CPU touched memory that the board does not let it touch.
 *
 * The handler may be entered on a small alternate stack of the application's, and DWARF needs room,
 * so it looks from a stack of ours (signal_stack.h), and the report is written on another. It uses
 * malloc: the signal is synchronous, raised by the application's own access to memory that is not
 * the heap.
 */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include "runtime/observe/caller.h"
#include "runtime/observe/check_internal.h"
#include "runtime/observe/closed.h"
#include "runtime/observe/machine.h"
#include "runtime/observe/signal_stack.h"
#include "runtime/observe/source.h"
#include "runtime/preload/preload.h"

#define STACK_BYTES (1024u * 1024u)

static struct {
    struct check *check;
    const struct vtegra_preload *preload; /* NULL: not under `vtegra run` */
    struct sigaction before[2];           /* then: the actions that were there */
    pthread_mutex_t lock;                 /* of stack */
    void *stack;
} fault = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* --- what happened ---------------------------------------------------------------------------- */

struct touch {
    struct check *check;
    bool ours;  /* in a region of ours; else only the report is due */
    bool freed; /* in one that was: mem.id says which */
    bool lost;  /* not the application's access: the board missed a page that it unmapped */
    bool dies;  /* the signal has no handler */
    bool write;
    const char *signal; /* that is due */
    struct hal_mem mem;
    uint64_t address;
    struct check_caller caller;
    ucontext_t back;
};

/* What the rule's row does not say: it depends on the direction. */
static const char *touch_text(enum check_rule_id rule, bool write)
{
    switch (rule) {
    case CHECK_RULE_DEVICE_TOUCH:
        return write ? "CPU write to device memory, which is never mapped for the CPU."
                     : "CPU read of device memory, which is never mapped for the CPU.";
    case CHECK_RULE_FREED_TOUCH:
        return write ? "CPU write to memory that was freed before."
                     : "CPU read of memory that was freed before.";
    case CHECK_RULE_UNMAPPED_IN_USE:
        return write
                   ? "An engine wrote to memory that the program has unmapped: its bytes are lost."
                   : "An engine read memory that the program has unmapped: it found zeros.";
    default:
        return write ? "CPU write to memory that is closed to the CPU."
                     : "CPU read of memory that is closed to the CPU.";
    }
}

/* "kernel scale (stream 1, launched at app.cu:30)", g_free() */
static char *hold_text(const struct check *c, const struct hold *hold)
{
    const struct run_kernel *kernel = run_grid_kernel(c->run, hold->grid_id);
    const struct source_place *place = ids_get(c->launches, hold->grid_id);
    const char *where = place && *place->text ? place->text : NULL;
    g_autofree char *stream = run_stream_text(hold->stream);

    if (!hold->grid_id) {
        return g_strdup_printf("a copy or fill (%s)", stream);
    }
    return g_strdup_printf("kernel %s (%s%s%s)", kernel ? kernel->name : "?", stream,
                           where ? ", launched at " : "", where ? where : "");
}

/* g_free(). */
static char *managed_text(const struct touch *t, const struct hold *hold)
{
    g_autofree char *work = hold_text(t->check, hold);

    return g_strdup_printf(
        "CPU %s managed memory while the GPU may use it: %s has not been synchronised, and this "
        "SoC has no concurrent managed access.",
        t->write ? "write to" : "read of", work);
}

static enum check_rule_id touch_rule(const struct touch *t, const struct hold *hold)
{
    if (t->lost) {
        return CHECK_RULE_UNMAPPED_IN_USE;
    }
    if (t->freed) {
        return CHECK_RULE_FREED_TOUCH;
    }
    if (hal_mem_is_device(t->mem.kind)) {
        return CHECK_RULE_DEVICE_TOUCH;
    }
    return t->mem.kind == HAL_MEM_MANAGED && hold ? CHECK_RULE_MANAGED_ACTIVE_TOUCH
                                                  : CHECK_RULE_FORBIDDEN_TOUCH;
}

static void touch_finding(struct touch *t)
{
    const struct hold *hold = g_hash_table_lookup(t->check->holds, GUINT_TO_POINTER(t->mem.id));
    enum check_rule_id rule = touch_rule(t, hold);
    struct check_finding f = check_finding_of(rule);
    g_autofree char *text = rule == CHECK_RULE_MANAGED_ACTIVE_TOUCH ? managed_text(t, hold) : NULL;

    f.text = text ? text : touch_text(rule, t->write);
    f.grid_id = rule == CHECK_RULE_MANAGED_ACTIVE_TOUCH ? hold->grid_id
                : rule == CHECK_RULE_UNMAPPED_IN_USE    ? run_grid_open(t->check->run)
                                                        : 0;
    f.region = t->mem.id;
    f.address = t->address;
    f.caller = t->caller;
    check_finding(t->check, &f);
}

/* --- on our own stack ------------------------------------------------------------------------- */

static struct touch *current;

static void touch_main(void)
{
    struct touch *t = current;

    check_lock(t->check);
    if (t->ours || t->freed || t->lost) {
        touch_finding(t);
    }
    check_unlock(t->check);
    if (t->dies) {
        check_accesses_end(t->check);
        check_ends(t->check, 0, t->signal);
        check_close(t->check);
    }
    setcontext(&t->back);
}

static void touch_report(struct touch *t)
{
    ucontext_t own;

    pthread_mutex_lock(&fault.lock);
    current = t;
    getcontext(&own);
    own.uc_stack.ss_sp = fault.stack;
    own.uc_stack.ss_size = STACK_BYTES;
    own.uc_link = NULL;
    makecontext(&own, touch_main, 0);
    swapcontext(&t->back, &own);
    pthread_mutex_unlock(&fault.lock);
}

/* --- to whom it goes -------------------------------------------------------------------------- */

static void application_action(int sig, struct sigaction *out)
{
    if (fault.preload) {
        fault.preload->action(sig, out);
    } else {
        *out = fault.before[sig == SIGBUS];
    }
}

static bool is_function(const struct sigaction *act)
{
    return act->sa_flags & SA_SIGINFO || (act->sa_handler != SIG_DFL && act->sa_handler != SIG_IGN);
}

/* It may touch memory that is closed, and make system calls by instructions of its own. */
static void mask_open(sigset_t *mask)
{
    static const int ours[] = { SIGSEGV, SIGBUS, SIGTRAP, SIGSYS };

    for (size_t i = 0; closed_any() && i < sizeof(ours) / sizeof(ours[0]); i++) {
        sigdelset(mask, ours[i]);
    }
}

/* The mask that the kernel would have set for the application's own handler. */
static void handler_mask(int sig, const struct sigaction *act, const ucontext_t *context)
{
    sigset_t mask;

    sigorset(&mask, &context->uc_sigmask, &act->sa_mask);
    if (!(act->sa_flags & SA_NODEFER)) {
        sigaddset(&mask, sig);
    }
    mask_open(&mask);
    if (fault.preload) {
        fault.preload->real_sigmask(SIG_SETMASK, &mask, NULL);
    } else {
        pthread_sigmask(SIG_SETMASK, &mask, NULL);
    }
}

static void set_default(int sig)
{
    struct sigaction act = { .sa_flags = 0 };

    act.sa_handler = SIG_DFL;
    sigemptyset(&act.sa_mask);
    if (fault.preload) {
        fault.preload->real_sigaction(sig, &act, NULL);
    } else {
        sigaction(sig, &act, NULL);
    }
}

static void call_application(int sig, const struct sigaction *act, siginfo_t *info, void *context)
{
    if (act->sa_flags & (int)SA_RESETHAND) {
        if (fault.preload) {
            fault.preload->reset(sig);
        } else {
            fault.before[sig == SIGBUS].sa_flags = 0;
            fault.before[sig == SIGBUS].sa_handler = SIG_DFL;
        }
    }
    handler_mask(sig, act, context);
    if (act->sa_flags & SA_SIGINFO) {
        act->sa_sigaction(sig, info, context);
    } else {
        act->sa_handler(sig);
    }
}

/* Die by @sig. Returning repeats the access, which then kills with the right registers in the core;
 * another signal than the one that came must be sent. */
static void fault_die(int sig, int came, const siginfo_t *info)
{
    siginfo_t copy = *info;
    sigset_t set;

    set_default(sig);
    if (sig == came && info->si_code > 0 && sig != SIGTRAP) {
        return;
    }
    sigemptyset(&set);
    sigaddset(&set, sig);
    if (fault.preload) {
        fault.preload->real_sigmask(SIG_UNBLOCK, &set, NULL);
    } else {
        pthread_sigmask(SIG_UNBLOCK, &set, NULL);
    }
    copy.si_signo = sig;
    if (syscall(SYS_rt_tgsigqueueinfo, getpid(), gettid(), sig, &copy) != 0) {
        raise(sig);
    }
}

static int board_signal(const struct touch *t, int came)
{
    if (!t->ours) {
        return came;
    }
    if (t->mem.kind == HAL_MEM_MANAGED &&
        strcmp(t->check->profile.rules.managed_touch_signal, "SIGBUS") == 0) {
        return SIGBUS;
    }
    return SIGSEGV;
}

/**
 * struct arrival - a signal
 * @due: the one that the program is to have; 0: none
 * @dies: it kills
 */
struct arrival {
    int came, due;
    bool dies;
    siginfo_t *info;
    ucontext_t *context;
    struct sigaction act;
};

static const char *signal_name(int sig)
{
    return sig == SIGBUS ? "SIGBUS" : sig == SIGTRAP ? "SIGTRAP" : "SIGSEGV";
}

static void arrival_due(struct arrival *a, struct touch *t)
{
    bool forced = a->info->si_code > 0; /* raised by an access: cannot be ignored or blocked */
    int sig = board_signal(t, a->came);

    closed_step_cancel(a->context);
    application_action(sig, &a->act);
    t->dies = !is_function(&a->act) && (forced || a->act.sa_handler == SIG_DFL);
    if (forced && fault.preload && fault.preload->blocked(sig)) {
        t->dies = true;
    }
    t->signal = signal_name(sig);
    if (t->ours || t->freed || t->dies) {
        touch_report(t);
    }
    a->due = sig;
    a->dies = t->dies;
}

/* On the program's stack: its handler may look where it runs, or never return. */
static void fault_deliver(const struct arrival *a)
{
    siginfo_t shown = *a->info;

    if (a->dies) {
        fault_die(a->due, a->came, a->info);
    } else if (is_function(&a->act)) {
        shown.si_signo = a->due;
        shown.si_code = a->due == a->came ? a->info->si_code : BUS_ADRERR;
        call_application(a->due, &a->act, &shown, a->context);
    }
}

/* Registered memory is the application's own, also after. A checker at work elsewhere is not waited
 * for: then the access dies unexplained. */
static bool freed_at(struct touch *t)
{
    const struct run_region *region;

    if (pthread_mutex_trylock(&t->check->lock) != 0) {
        return false;
    }
    region = run_region_at(t->check->run, t->address);
    t->freed = region && region->freed && region->kind != RUN_REGISTERED;
    t->mem.id = t->freed ? region->id : 0;
    pthread_mutex_unlock(&t->check->lock);
    return t->freed;
}

/* Return: the program has no part in it. */
static bool is_closed_access(const struct arrival *a)
{
    return a->came == SIGTRAP ? closed_stepped(a->context)
                              : a->came == SIGSEGV && a->info->si_code == SEGV_ACCERR &&
                                    closed_fault(fault.check, a->info->si_addr,
                                                 machine_was_store(a->context), a->context);
}

static void touch_look(struct arrival *a, struct touch *t)
{
    t->address = (uint64_t)(uintptr_t)a->info->si_addr;
    t->write = machine_was_store(a->context);
    t->ours = !closed_own_forbids(a->info->si_addr, t->write) &&
              hal_mem_find(t->check->hal, a->info->si_addr, &t->mem);
    if (t->ours || freed_at(t)) {
        t->caller = caller_from_signal(machine_pc(a->context));
    }
}

static void arrival_look(void *opaque)
{
    struct arrival *a = opaque;
    struct check *c = fault.check;
    struct touch t = { .check = c };
    bool access = a->info->si_code > 0 && a->came != SIGTRAP;

    if (is_closed_access(a)) {
        return;
    }
    if (access) {
        touch_look(a, &t);
    }
    if (access && hal_mem_lost(c->hal, a->info->si_addr)) {
        t.lost = true;
        t.ours = false;
        t.caller = (struct check_caller){ 0 }; /* that would be the board's code */
        touch_report(&t);
    } else if (!t.ours || !c->resolve ||
               !c->resolve(c->resolve_opaque, &t.mem, a->info->si_addr, t.write)) {
        arrival_due(a, &t);
    }
}

static void fault_handler(int sig, siginfo_t *info, void *opaque)
{
    struct arrival a = { .came = sig, .info = info, .context = opaque };
    int saved = errno;

    signal_stack_call(arrival_look, &a);
    if (a.due) {
        fault_deliver(&a);
    }
    errno = saved;
}

/* --- installing ------------------------------------------------------------------------------- */

void check_memory_files(void (*figures)(struct memory_figures *out))
{
    const struct vtegra_preload *preload = preload_find();

    if (preload) {
        preload->memory(figures);
    }
}

static void fault_claim(int sig)
{
    struct sigaction act = { .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER };

    if (fault.preload) {
        fault.preload->claim(sig, fault_handler);
        return;
    }
    act.sa_sigaction = fault_handler;
    sigfillset(&act.sa_mask);
    sigdelset(&act.sa_mask, SIGSEGV);
    sigdelset(&act.sa_mask, SIGBUS);
    sigaction(sig, &act, &fault.before[sig == SIGBUS]);
}

static int report_now(int status)
{
    check_accesses_end(fault.check);
    check_ends(fault.check, status, NULL);
    check_close(fault.check);
    return check_exit_status(fault.check, status);
}

void check_fault_install(struct check *c, struct hal *hal, check_resolve *resolve, void *opaque)
{
    bool first = !fault.check;

    if (!c) {
        return;
    }
    c->hal = hal;
    c->resolve = resolve;
    c->resolve_opaque = opaque;
    fault.check = c;
    if (!first) {
        return;
    }
    fault.stack =
        mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    g_assert(fault.stack != MAP_FAILED); /* the host has no memory: as g_malloc() */
    fault.preload = preload_find();
    if (fault.preload) {
        fault.preload->at_exit(report_now);
    }
    fault_claim(SIGSEGV);
    fault_claim(SIGBUS);
    if (closed_install(c)) {
        fault_claim(SIGTRAP);
    }
}
