/* SPDX-License-Identifier: MIT */
/* SIGSEGV and SIGBUS: the CPU touched memory that the board does not let it touch.
 *
 * The handler may run on a small alternate stack of the application's, and DWARF needs room, so the
 * report is written on a stack of ours. It uses malloc: the signal is synchronous, raised by the
 * application's own access to memory that is not the heap.
 */
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include "runtime/check/caller.h"
#include "runtime/check/check_internal.h"
#include "runtime/check/machine.h"
#include "runtime/check/source.h"
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
    bool dies;  /* nobody catches the signal */
    bool write;
    struct hal_mem mem;
    uint64_t address;
    struct check_caller caller;
    ucontext_t back;
};

static void touch_device(struct touch *t, struct check_finding *f)
{
    f->rule = "device-touch";
    f->section = "CUDA for Tegra Table 1";
    f->text = t->write ? "CPU write to device memory, which is never mapped for the CPU."
                       : "CPU read of device memory, which is never mapped for the CPU.";
    f->todo =
        "Copy with cudaMemcpy(), or allocate memory that both sides reach: cudaMallocManaged() "
        "or cudaMallocHost().";
}

static void touch_managed(struct touch *t, const struct hold *hold, struct check_finding *f,
                          char **text)
{
    const struct run_kernel *kernel =
        g_hash_table_lookup(t->check->run->grids, GUINT_TO_POINTER(hold->grid_id));
    const struct source_place *place =
        g_hash_table_lookup(t->check->launches, GUINT_TO_POINTER(hold->grid_id));
    const char *where = place && *place->text ? place->text : NULL;

    f->rule = "managed-active-touch";
    f->section = "CUDA for Tegra 3.6; CUDA C++ Programming Guide, Unified Memory, Coherency and "
                 "Concurrency";
    f->grid_id = hold->grid_id;
    *text = g_strdup_printf(
        "CPU %s managed memory while the GPU may use it: kernel %s (stream %u%s%s) has not been "
        "synchronised, and this SoC has no concurrent managed access.",
        t->write ? "write to" : "read of", kernel ? kernel->name : "?", hold->stream,
        where ? ", launched at " : "", where ? where : "");
    f->text = *text;
    f->todo =
        "Wait before the access (cudaStreamSynchronize or cudaDeviceSynchronize). If the kernel "
        "does not need the buffer, attach it to the host (cudaMemAttachHost) or to the stream "
        "that does (cudaMemAttachSingle) before the launch.";
}

static void touch_freed(struct touch *t, struct check_finding *f)
{
    f->rule = "use-after-free";
    f->standing = CHECK_INFERRED;
    f->section = "CUDA Driver API, cuMemFree";
    f->text = t->write ? "CPU write to memory that was freed before."
                       : "CPU read of memory that was freed before.";
    f->todo = "Free the buffer after its last use.";
}

static void touch_other(struct touch *t, struct check_finding *f)
{
    f->rule = "forbidden-touch";
    f->standing = CHECK_INFERRED;
    f->section = "CUDA for Tegra Table 1";
    f->text = t->write ? "CPU write to memory that is closed to the CPU."
                       : "CPU read of memory that is closed to the CPU.";
    f->todo = "Use only addresses that an allocation call returned.";
}

static void touch_lost(struct touch *t, struct check_finding *f)
{
    f->rule = "unmapped-in-use";
    f->grid_id = run_grid_open(t->check->run);
    f->standing = CHECK_INFERRED;
    f->section = "CUDA Driver API, cuMemHostRegister and cuMemHostUnregister";
    f->text = t->write
                  ? "An engine wrote to memory that the program has unmapped: its bytes are lost."
                  : "An engine read memory that the program has unmapped: it found zeros.";
    f->todo =
        "Wait for the work that uses the memory and unregister it (cudaHostUnregister) before "
        "munmap() or free().";
}

static void touch_finding(struct touch *t)
{
    const struct hold *hold = g_hash_table_lookup(t->check->holds, GUINT_TO_POINTER(t->mem.id));
    struct check_finding f = {
        .severity = CHECK_ERROR,
        .standing = CHECK_DOCUMENTED,
        .region = t->mem.id,
        .address = t->address,
        .caller = t->caller,
    };
    char *text = NULL;

    if (t->lost) {
        touch_lost(t, &f);
    } else if (t->freed) {
        touch_freed(t, &f);
    } else if (t->mem.kind == HAL_MEM_DEVICE) {
        touch_device(t, &f);
    } else if (t->mem.kind == HAL_MEM_MANAGED && hold) {
        touch_managed(t, hold, &f, &text);
    } else {
        touch_other(t, &f);
    }
    check_finding(t->check, &f);
    g_free(text);
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

/* The mask that the kernel would have set for the application's own handler. */
static void handler_mask(int sig, const struct sigaction *act, const ucontext_t *context)
{
    sigset_t mask;

    sigorset(&mask, &context->uc_sigmask, &act->sa_mask);
    if (!(act->sa_flags & SA_NODEFER)) {
        sigaddset(&mask, sig);
    }
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
static void die(int sig, int came, const siginfo_t *info)
{
    siginfo_t copy = *info;
    sigset_t set;

    set_default(sig);
    if (sig == came && info->si_code > 0) {
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

static void deliver(struct touch *t, int came, siginfo_t *info, ucontext_t *context)
{
    int sig = board_signal(t, came);
    siginfo_t shown = *info;
    struct sigaction act;
    bool forced = info->si_code > 0; /* raised by an access: cannot be ignored or blocked */

    application_action(sig, &act);
    t->dies = !is_function(&act) && (forced || act.sa_handler == SIG_DFL);
    if (forced && fault.preload && fault.preload->blocked(sig)) {
        t->dies = true;
    }
    if (t->ours || t->freed || t->dies) {
        touch_report(t);
    }
    if (t->dies) {
        die(sig, came, info);
    } else if (is_function(&act)) {
        shown.si_signo = sig;
        shown.si_code = sig == came ? info->si_code : BUS_ADRERR;
        call_application(sig, &act, &shown, context);
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

static void fault_handler(int sig, siginfo_t *info, void *opaque)
{
    struct check *c = fault.check;
    ucontext_t *context = opaque;
    int saved = errno;
    struct touch t = { .check = c };

    if (info->si_code > 0) {
        t.ours = hal_mem_find(c->hal, info->si_addr, &t.mem);
        t.address = (uint64_t)(uintptr_t)info->si_addr;
        t.write = machine_was_store(context);
        if (t.ours || freed_at(&t)) {
            t.caller = caller_from_signal(machine_pc(context));
        }
    }
    if (info->si_code > 0 && hal_mem_lost(c->hal, info->si_addr)) {
        t.lost = true;
        t.ours = false;
        t.caller = (struct check_caller){ 0 }; /* that would be the board's code */
        touch_report(&t);
        errno = saved;
        return;
    }
    if (!t.ours || !c->resolve || !c->resolve(c->resolve_opaque, &t.mem, info->si_addr, t.write)) {
        deliver(&t, sig, info, context);
    }
    errno = saved;
}

/* --- installing ------------------------------------------------------------------------------- */

const struct vtegra_preload *preload_find(void)
{
    void *symbol = dlsym(RTLD_DEFAULT, "vtegra_preload");
    vtegra_preload_fn *get = NULL;
    const struct vtegra_preload *preload;

    memcpy(&get, &symbol, sizeof(get));
    preload = get ? get() : NULL;
    return preload && preload->version == VTEGRA_PRELOAD_VERSION ? preload : NULL;
}

static void claim(int sig)
{
    struct sigaction act = { .sa_flags = SA_SIGINFO | SA_ONSTACK };

    if (fault.preload) {
        fault.preload->claim(sig, fault_handler);
        return;
    }
    act.sa_sigaction = fault_handler;
    sigemptyset(&act.sa_mask);
    sigaction(sig, &act, &fault.before[sig == SIGBUS]);
}

static void report_now(void)
{
    check_close(fault.check);
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
    g_assert(fault.stack != MAP_FAILED);
    fault.preload = preload_find();
    if (fault.preload) {
        fault.preload->at_exit(report_now);
    }
    claim(SIGSEGV);
    claim(SIGBUS);
}
