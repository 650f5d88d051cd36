/* SPDX-License-Identifier: MIT */
/* The access that faulted: what it does, and how it is done. */
#include <sched.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include "runtime/observe/caller.h"
#include "runtime/observe/carry.h"
#include "runtime/observe/closed.h"
#include "runtime/observe/closed_internal.h"
#include "runtime/observe/forked.h"
#include "runtime/observe/machine.h"
#include "runtime/observe/unhooked.h"

#define STEP_PAGES 64u
#define TRAP_FLAG 0x100
#define RETRIES 16u

void closed_child_opens(struct closed *w, uintptr_t at, bool write,
                        const struct check_caller *where)
{
    struct check_caller call = { 0 };

    if (w->want[closed_page(w, at)] > (write ? CLOSED_OPEN : CLOSED_READABLE)) {
        call = where ? *where : check_caller_get();
        forked_touched(w->mem.id, &call);
    }
    closed_protect(w, 0, w->pages, CLOSED_OPEN);
}

#ifdef __x86_64__

/* Of a thread between fault and trap; @fault_*: its last fault at an open page. */
static _Thread_local struct {
    unsigned n, retries;
    uintptr_t fault_at;
    struct {
        uintptr_t page;
    } at[STEP_PAGES];
    sigset_t mask;
} step __attribute__((tls_model("initial-exec")));

/* --- one step at the program's own place ------------------------------------------------------ */

static void step_begin(ucontext_t *context)
{
    if (!step.n) {
        step.mask = context->uc_sigmask;
        sigfillset(&context->uc_sigmask);
        sigdelset(&context->uc_sigmask, SIGTRAP);
        sigdelset(&context->uc_sigmask, SIGSEGV);
        sigdelset(&context->uc_sigmask, SIGBUS);
    }
    context->uc_mcontext.gregs[REG_EFL] |= TRAP_FLAG;
}

/* @w: busy. */
static void step_open(struct closed *w, uintptr_t at, ucontext_t *context)
{
    size_t page = closed_page(w, at);

    step_begin(context);
    closed_protect(w, page, 1, CLOSED_OPEN);
    if (step.n < STEP_PAGES) {
        step.at[step.n++].page = (uintptr_t)w->mem.cpu + page * PAGE;
        w->steps[page]++;
    }
}

static void step_end(ucontext_t *context)
{
    closed_busy_take();
    for (unsigned i = 0; i < step.n; i++) {
        struct closed *w = closed_find(step.at[i].page);
        size_t page = w ? closed_page(w, step.at[i].page) : 0;

        if (w && w->steps[page] && --w->steps[page] == 0) {
            closed_protect(w, page, 1, closed_want(w, page));
        }
    }
    step.n = 0;
    closed_busy_leave();
    context->uc_mcontext.gregs[REG_EFL] &= ~(greg_t)TRAP_FLAG;
    context->uc_sigmask = step.mask;
}

bool closed_stepped(ucontext_t *context)
{
    bool ours = step.n != 0;

    if (ours) {
        step_end(context);
    }
    return ours;
}

void closed_step_cancel(ucontext_t *context)
{
    closed_stepped(context);
}

/* --- one access ------------------------------------------------------------------------------- */

/* A fault of this thread: what it has found out so far. */
struct fault {
    struct check *check;
    ucontext_t *context;
    uintptr_t at;
    bool write;
    struct carry carry;
};

enum interest { INTEREST_NONE, INTEREST_ACCESS, INTEREST_USED };

/* USED: work on its way may touch the page. Of memory that is not cached and has none only atomics
 * are of interest. */
static enum interest interest_in(uintptr_t at, enum access_kind kind)
{
    enum interest interest = INTEREST_ACCESS;
    struct closed *w;

    closed_busy_take();
    w = closed_find(at);
    if (w && w->want[closed_page(w, at)] != CLOSED_OPEN) {
        interest = INTEREST_USED;
    } else if (w && w->mem.kind == HAL_MEM_PINNED && !w->mem.cpu_cached && kind != ACCESS_ATOMIC &&
               !(w->flags[closed_page(w, at)] & CLOSED_PLAIN)) {
        interest = INTEREST_NONE;
    }
    closed_busy_leave();
    return interest;
}

static void closed_access_report(const struct fault *f, uintptr_t at, size_t len,
                                 enum access_kind kind)
{
    enum interest interest = interest_in(at, kind);
    bool flag;

    closed_busy_take();
    flag = closed_is_flag(at, len);
    closed_busy_leave();
    if (interest != INTEREST_NONE) {
        unhooked_access(f->check, (const void *)at, len, flag ? kind | ACCESS_SYNC : kind,
                        f->context, interest == INTEREST_USED);
    }
}

static void place_report(const struct fault *f, uintptr_t at, size_t len)
{
    const struct carry *c = &f->carry;

    if (c->atomic) {
        closed_access_report(f, at, len, ACCESS_ATOMIC);
        return;
    }
    if (c->load) {
        closed_access_report(f, at, len, ACCESS_LOAD);
    }
    if (c->store) {
        closed_access_report(f, at, len, ACCESS_STORE);
    }
}

/* What a mask lets through of [from, from + len). Where that is not known the byte that faulted, at
 * least. */
static void pieces_report(const struct fault *f, uintptr_t from, size_t len)
{
    struct carry_piece piece[CARRY_PIECES];
    unsigned n = carry_pieces(&f->carry, f->context, piece);

    for (unsigned i = 0; i < n; i++) {
        if (piece[i].at - from < len) {
            place_report(f, piece[i].at, piece[i].len);
        }
    }
    if (!n) {
        place_report(f, f->at, 1);
    }
}

static bool closed_access_one(const struct fault *f)
{
    const struct carry *c = &f->carry;
    struct closed *w;
    bool done;

    if (!c->exact) {
        pieces_report(f, c->at, c->len);
    } else {
        place_report(f, c->at, c->len);
    }
    closed_busy_take();
    w = closed_find(c->at);
    done = w && closed_has(w, c->at, c->len) && carry_one(c, f->context, closed_alias(w, c->at));
    closed_busy_leave();
    return done;
}

/* Bytes of @at that lie in one allocation and behind it, at most @len: all, if it is none. */
static size_t closed_access_extent(const struct closed *w, uintptr_t at, size_t len)
{
    size_t rest = w ? (uintptr_t)w->mem.cpu + w->mem.size - at : len;

    return rest < len ? rest : len;
}

static void pattern_store(char *to, size_t elements, unsigned width, uint64_t pattern)
{
    for (size_t i = 0; i < elements; i++) {
        memcpy(to + i * width, &pattern, width);
    }
}

static bool closed_access_fill(const struct fault *f)
{
    const struct carry *c = &f->carry;
    size_t elements = 0;
    struct closed *w;

    closed_busy_take();
    w = closed_find(c->at);
    elements = w && !w->has_own ? closed_access_extent(w, c->at, c->len) / c->width : 0;
    closed_busy_leave();
    if (!elements) {
        return false;
    }
    closed_access_report(f, c->at, elements * c->width, ACCESS_STORE);
    closed_busy_take();
    w = closed_find(c->at);
    if (w && closed_has(w, c->at, elements * c->width)) {
        pattern_store(closed_alias(w, c->at), elements, c->width, carry_pattern(f->context));
    } else {
        elements = 0;
    }
    closed_busy_leave();
    if (elements) {
        carry_done(c, f->context, elements);
    }
    return elements != 0;
}

/* One side is none of ours: the kernel copies, and says if it is not there. */
static bool copy_foreign(void *ours, uintptr_t theirs, size_t len, bool write)
{
    struct iovec local = { ours, len }, remote = { (void *)theirs, len };
    ssize_t n = write ? process_vm_writev(gettid(), &local, 1, &remote, 1, 0)
                      : process_vm_readv(gettid(), &local, 1, &remote, 1, 0);

    return n == (ssize_t)len;
}

/* Element by element, upwards, as the instruction does where the two overlap. */
static void copy_elements(char *to, const char *from, size_t len, unsigned width)
{
    if (to > from && to < from + len) {
        for (size_t i = 0; i < len; i += width) {
            memmove(to + i, from + i, width);
        }
    } else {
        memmove(to, from, len);
    }
}

static bool closed_access_copy(const struct carry *c, size_t len)
{
    struct closed *to = closed_find(c->at), *from = closed_find(c->from);
    bool there = (!to || closed_has(to, c->at, len)) && (!from || closed_has(from, c->from, len));

    if (!there || (!to && !from) || (to && to->has_own) || (from && from->has_own)) {
        return false;
    }
    if (to && from) {
        copy_elements(closed_alias(to, c->at), closed_alias(from, c->from), len, c->width);
        return true;
    }
    return to ? copy_foreign(closed_alias(to, c->at), c->from, len, false)
              : copy_foreign(closed_alias(from, c->from), c->at, len, true);
}

static bool closed_access_move(const struct fault *f)
{
    const struct carry *c = &f->carry;
    struct closed *to, *from;
    bool load, store, done;
    size_t len;

    closed_busy_take();
    to = closed_find(c->at);
    from = closed_find(c->from);
    len = closed_access_extent(from, c->from, closed_access_extent(to, c->at, c->len)) / c->width *
          c->width;
    load = from && len && closed_is_shut(from, c->from, len, false);
    store = to && len && closed_is_shut(to, c->at, len, true);
    closed_busy_leave();
    if (!load && !store) {
        return false;
    }
    if (load) {
        closed_access_report(f, c->from, len, ACCESS_LOAD);
    }
    if (store) {
        closed_access_report(f, c->at, len, ACCESS_STORE);
    }
    closed_busy_take();
    done = closed_access_copy(c, len);
    closed_busy_leave();
    if (done) {
        carry_done(c, f->context, len / c->width);
    }
    return done;
}

/* Is it what the decoder says, all in one allocation? */
static bool is_one(const struct fault *f)
{
    const struct carry *c = &f->carry;
    struct closed *w;
    bool inside;

    closed_busy_take();
    w = closed_find(c->at);
    inside = w && closed_has(w, c->at, c->len) && f->at - c->at < c->len;
    closed_busy_leave();
    return inside;
}

/* What a step does on the page that it opens; another page faults again. */
static void step_report(const struct fault *f)
{
    const struct carry *c = &f->carry;
    uintptr_t page = f->at & ~(PAGE - 1), end;

    if (c->form == CARRY_LANES || (c->form == CARRY_ONE && !c->exact)) {
        pieces_report(f, page, PAGE);
    } else if ((c->form == CARRY_STEP || c->form == CARRY_ONE) && f->at - c->at < c->len) {
        end = c->at + c->len < page + PAGE ? c->at + c->len : page + PAGE;
        place_report(f, f->at, end - f->at);
    } else {
        closed_access_report(f, f->at, 1, f->write ? ACCESS_STORE : ACCESS_LOAD);
    }
}

/* Reported already, where @reported. */
static bool closed_access_stepped(const struct fault *f, bool reported)
{
    struct closed *w;

    if (!reported) {
        step_report(f);
    }
    closed_busy_take();
    w = closed_find(f->at);
    if (w) {
        step_open(w, f->at, f->context);
    }
    closed_busy_leave();
    return true;
}

static bool access_do(struct fault *f)
{
    switch (f->carry.form) {
    case CARRY_ONE:
        return is_one(f) ? closed_access_one(f) || closed_access_stepped(f, true)
                         : closed_access_stepped(f, false);
    case CARRY_FILL:
        return closed_access_fill(f) || closed_access_stepped(f, false);
    case CARRY_MOVE:
        return closed_access_move(f) || closed_access_stepped(f, false);
    default:
        return closed_access_stepped(f, false);
    }
}

/* The page is open by now, because another thread has opened it just then, or has moved it. Or the
 * program has closed it itself: then the fault is its own. */
static bool closed_access_again(uintptr_t at)
{
    step.retries = step.fault_at == at ? step.retries + 1 : 0;
    step.fault_at = at;
    return step.retries < RETRIES;
}

/* After the access. */
static void curious_look(const struct fault *f, uintptr_t pc)
{
    bool loaded = false;
    struct closed *w;

    closed_busy_take();
    w = closed_find(f->at);
    if (w) {
        closed_touch(w, f->at, pc);
        w->stored |= f->write;
    }
    if (w && w->want[closed_page(w, f->at)] <= (f->write ? CLOSED_OPEN : CLOSED_READABLE)) {
        loaded = closed_curious_seen(w, f->at, pc) && !f->write;
    }
    closed_busy_leave();
    if (loaded) {
        closed_access_report(f, f->at & ~(PAGE - 1), PAGE, ACCESS_LOAD);
    }
}

bool closed_fault(struct check *c, void *address, bool write, ucontext_t *context)
{
    uintptr_t pc = machine_pc(context);
    struct fault f = { c, context, (uintptr_t)address, write, { 0 } };
    struct closed *w;
    bool shut;

    if (closed_is_moving(f.at)) {
        sched_yield();
        return true;
    }
    if (!closed_any()) {
        return closed_has_moved(f.at) && closed_access_again(f.at);
    }
    closed_busy_take();
    w = closed_find(f.at);
    shut = w && w->is[closed_page(w, f.at)] > (write ? CLOSED_OPEN : CLOSED_READABLE);
    if (shut && forked_is_child()) {
        struct check_caller where = caller_from_signal(pc);

        closed_child_opens(w, f.at, write, &where);
        closed_busy_leave();
        return true;
    }
    closed_busy_leave();
    if (closed_own_forbids(address, write)) {
        return false;
    }
    if (!w || !shut) {
        return (w || closed_has_moved(f.at)) && closed_access_again(f.at);
    }
    step.fault_at = 0;
    carry_look(context, &f.carry);
    shut = access_do(&f);
    curious_look(&f, pc);
    return shut;
}

#else

bool closed_stepped(ucontext_t *context)
{
    (void)context;
    return false;
}

void closed_step_cancel(ucontext_t *context)
{
    (void)context;
}

bool closed_fault(struct check *c, void *address, bool write, ucontext_t *context)
{
    (void)c;
    (void)address;
    (void)write;
    (void)context;
    return false;
}

#endif
