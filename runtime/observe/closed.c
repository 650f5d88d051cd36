/* SPDX-License-Identifier: MIT */
#include "runtime/observe/closed.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "runtime/observe/carry.h"
#include "runtime/observe/check_internal.h"
#include "runtime/observe/closed_internal.h"
#include "runtime/observe/forked.h"
#include "runtime/observe/objects.h"
#include "runtime/observe/sched_lookup.h"
#include "runtime/observe/unhooked.h"
#include "runtime/preload/preload.h"

#define SPINS 100u
#define KNOWN 1024u /* instructions */
#define FLAGS 256u
#define FLAG_BYTES 8u /* at most */

/* Accesses until all is open again: in a row by instructions that are known, and whichever they are
 * by; [1]: of CLOSED_SURE, where a loop may pass lines first that are in order. */
static const unsigned known_most[] = { 8, 512 }, looked_most[] = { 256, 4096 };

/* @all: sorted by address; @open: calls that need all of it open. @busy: of all here; held with all
 * signals blocked, by code that touches no memory of the program but at @alias. */
static struct {
    atomic_flag busy;
    struct closed **all;
    unsigned n, room, open; /* closed_open() */
    bool unseen;            /* closed_unseen() */
    uintptr_t known[KNOWN]; /* by their hash; the newest of those with one */
    const struct vtegra_preload *preload;
    struct check *check;
    atomic_uintptr_t moving, moving_end; /* closed_moving() */
    atomic_uintptr_t moved, moved_end;   /* around all that was */
    uintptr_t flags[FLAGS];              /* closed_flag(): the newest */
    unsigned next_flag;
} table = { .busy = ATOMIC_FLAG_INIT };

/* --- the table -------------------------------------------------------------------------------- */

/* This thread has it: calls that it makes meanwhile are ours, of memory that is given as it is. */
static _Thread_local bool held __attribute__((tls_model("initial-exec")));

void closed_busy_take(void)
{
    for (unsigned i = 0; atomic_flag_test_and_set_explicit(&table.busy, memory_order_acquire);
         i++) {
        if (i > SPINS) {
            sched_yield();
        }
    }
    held = true;
}

void closed_busy_leave(void)
{
    held = false;
    atomic_flag_clear_explicit(&table.busy, memory_order_release);
}

/* Outside of the handler: the handler of a signal that comes in may touch such a page. */
static void signals_block(sigset_t *before)
{
    sigset_t all;

    sigfillset(&all);
    table.preload->real_sigmask(SIG_SETMASK, &all, before);
    closed_busy_take();
}

static void signals_restore(const sigset_t *before)
{
    closed_busy_leave();
    table.preload->real_sigmask(SIG_SETMASK, before, NULL);
}

/* The first that ends behind @at. */
static unsigned index_of(uintptr_t at)
{
    unsigned lo = 0, hi = table.n;

    while (lo < hi) {
        unsigned mid = (lo + hi) / 2;

        if ((uintptr_t)table.all[mid]->mem.cpu + table.all[mid]->mem.size <= at) {
            lo = mid + 1;
        } else {
            hi = mid;
        }
    }
    return lo;
}

struct closed *closed_find(uintptr_t at)
{
    unsigned i = index_of(at);

    return i < table.n && (uintptr_t)table.all[i]->mem.cpu <= at ? table.all[i] : NULL;
}

/* --- pages ------------------------------------------------------------------------------------ */

void closed_protect(struct closed *w, size_t page, size_t n, uint8_t how)
{
    static const int prot[] = { PROT_READ | PROT_WRITE, PROT_READ, PROT_NONE };

    for (size_t i = page, run; i < page + n; i += run) {
        uint8_t most = MAX(how, w->own[i]);

        run = w->has_own ? 1 : n;
        if (mprotect((char *)w->mem.cpu + i * PAGE, run * PAGE, prot[most]) == 0) {
            memset(w->is + i, how, run);
        }
    }
}

static bool own_any(const struct closed *w, uintptr_t at, size_t len)
{
    for (size_t i = closed_page(w, at); w->has_own && i <= closed_page(w, at + len - 1); i++) {
        if (w->own[i] != CLOSED_OPEN) {
            return true;
        }
    }
    return false;
}

/* The program's call has set all of it. */
static void own_set(struct closed *w, uintptr_t at, uintptr_t end, uint8_t how)
{
    uintptr_t first = MAX(at, (uintptr_t)w->mem.cpu);

    end = MIN(end, (uintptr_t)w->mem.cpu + w->mem.size);
    w->has_own |= how != CLOSED_OPEN;
    for (size_t i = closed_page(w, first); first < end && i <= closed_page(w, end - 1); i++) {
        w->own[i] = how;
        if (w->is[i] > how) {
            closed_protect(w, i, 1, w->is[i]);
        }
    }
}

void closed_own(const void *at, size_t len, int protection)
{
    uint8_t how = !(protection & PROT_READ)    ? CLOSED_SHUT
                  : !(protection & PROT_WRITE) ? CLOSED_READABLE
                                               : CLOSED_OPEN;
    sigset_t before;

    if (!table.n || !len || held) {
        return;
    }
    signals_block(&before);
    for (unsigned i = 0; i < table.n; i++) {
        own_set(table.all[i], (uintptr_t)at, (uintptr_t)at + len, how);
    }
    signals_restore(&before);
}

bool closed_own_forbids(const void *at, bool write)
{
    struct closed *w;
    bool forbids;

    if (!table.n || held) {
        return false;
    }
    closed_busy_take();
    w = closed_find((uintptr_t)at);
    forbids = w && w->own[closed_page(w, (uintptr_t)at)] > (write ? CLOSED_OPEN : CLOSED_READABLE);
    closed_busy_leave();
    return forbids;
}

uint8_t closed_want(const struct closed *w, size_t page)
{
    return table.open || table.unseen         ? CLOSED_OPEN
           : w->want[page] > w->curious[page] ? w->want[page]
                                              : w->curious[page];
}

static bool closed_differs(const struct closed *w, size_t page)
{
    return w->is[page] != closed_want(w, page) && !w->steps[page];
}

/* Runs of pages at once. */
static void closed_apply(struct closed *w)
{
    for (size_t i = 0, n; i < w->pages; i += n) {
        n = 1;
        if (closed_differs(w, i)) {
            while (i + n < w->pages && closed_differs(w, i + n) &&
                   closed_want(w, i + n) == closed_want(w, i)) {
                n++;
            }
            closed_protect(w, i, n, closed_want(w, i));
        }
    }
}

static bool is_new(uintptr_t pc)
{
    uintptr_t *slot = &table.known[(pc ^ pc >> 12) % KNOWN];
    bool new = *slot != pc;

    *slot = pc;
    return new;
}

bool closed_curious_seen(struct closed *w, uintptr_t at, uintptr_t pc)
{
    size_t page = closed_page(w, at);
    bool sure = w->flags[page] & CLOSED_SURE, lines = w->flags[page] & CLOSED_LINES;

    w->known[sure] = is_new(pc) ? 0 : w->known[sure] + 1;
    if (w->known[sure] < known_most[sure] && ++w->looked[sure] < looked_most[sure]) {
        return false;
    }
    for (size_t i = 0; i < w->pages; i++) {
        if (lines ? i == page : !(w->flags[i] & CLOSED_SURE) == !sure) {
            w->curious[i] = CLOSED_OPEN;
        }
    }
    closed_apply(w);
    return lines;
}

void closed_touch(struct closed *w, uintptr_t at, uintptr_t pc)
{
    uint8_t *how = &w->touched[closed_page(w, at)];
    bool again = w->touch_pc == pc && w->touch_at == at;

    *how = again ? TOUCHED_POLLED : *how == TOUCHED_NOT ? TOUCHED_ONCE : *how;
    w->touch_pc = pc;
    w->touch_at = at;
}

bool closed_touched(const struct closed *w, size_t page)
{
    return w->touched[page] == TOUCHED_ONCE;
}

void closed_touched_forget(struct closed *w)
{
    memset(w->touched, TOUCHED_NOT, w->pages);
    w->touch_pc = w->touch_at = 0;
}

bool closed_stored(const struct closed *w)
{
    return w->stored;
}

void closed_stored_forget(struct closed *w)
{
    w->stored = false;
}

bool closed_is_flag(uintptr_t at, size_t len)
{
    for (unsigned i = 0; i < MIN(table.next_flag, FLAGS); i++) {
        if (table.flags[i] - at < len) {
            return len <= FLAG_BYTES;
        }
    }
    return false;
}

void closed_flag(uintptr_t at)
{
    sigset_t before;

    signals_block(&before);
    if (!closed_is_flag(at, 1)) {
        table.flags[table.next_flag++ % FLAGS] = at;
    }
    signals_restore(&before);
}

static void closed_flags_forget(const struct closed *w)
{
    for (unsigned i = 0; i < MIN(table.next_flag, FLAGS); i++) {
        if (closed_has(w, table.flags[i], 1)) {
            table.flags[i] = 0;
        }
    }
}

bool closed_any(void)
{
    return table.n != 0;
}

bool closed_wanted(const struct check *c)
{
    return c && c->hb && table.preload && !table.unseen && c->pid == getpid();
}

static void closed_insert(struct closed *w)
{
    unsigned at = index_of((uintptr_t)w->mem.cpu);

    memmove(table.all + at + 1, table.all + at, (table.n - at) * sizeof(struct closed *));
    table.all[at] = w;
    table.n++;
}

/* malloc() is not called with the signals blocked. */
static void room_make(void)
{
    unsigned room = table.room ? table.room * 2 : 64;
    struct closed **all, **old = table.all;
    sigset_t before;

    if (table.n < table.room) {
        return;
    }
    all = calloc(room, sizeof(struct closed *));
    if (!all) {
        return;
    }
    signals_block(&before);
    memcpy(all, old, table.n * sizeof(struct closed *));
    table.all = all;
    table.room = room;
    signals_restore(&before);
    free(old);
}

/* Registered memory is a copy in the child, which is open. Once that has been made (hal_mem_adopt()
 * has handlers of its own, from before this one). */
static void fork_child_closes(void)
{
    for (unsigned i = 0; i < table.n; i++) {
        struct closed *w = table.all[i];

        for (size_t page = 0; w->mem.registered && page < w->pages; page++) {
            if (w->is[page] != CLOSED_OPEN) {
                closed_protect(w, page, 1, w->is[page]);
            }
        }
    }
}

static void fork_follow(const struct hal_mem *mem)
{
    static bool follows;

    if (mem->registered && !follows) {
        follows = pthread_atfork(NULL, NULL, fork_child_closes) == 0;
    }
}

struct closed *closed_new(const struct hal_mem *mem, void *alias)
{
    size_t pages = mem->size / PAGE;
    struct closed *w;
    sigset_t before;

    room_make();
    if (table.n == table.room) {
        return NULL;
    }
    w = calloc(1, sizeof(*w) + 7 * pages);
    if (!w) {
        return NULL;
    }
    *w = (struct closed){ .mem = *mem, .alias = alias, .pages = pages };
    w->want = (uint8_t *)(w + 1);
    w->is = w->want + pages;
    w->steps = w->is + pages;
    w->curious = w->steps + pages;
    w->flags = w->curious + pages;
    w->touched = w->flags + pages;
    w->own = w->touched + pages;
    closed_near_add((uintptr_t)mem->cpu, mem->size);
    fork_follow(mem);
    signals_block(&before);
    closed_insert(w);
    signals_restore(&before);
    if (table.n == 1 && check_sched()) {
        check_sched()->closing();
    }
    if (check_sched() && check_sched()->waits_in(mem->cpu, mem->size)) {
        closed_free(w); /* who wakes that thread would do so at @alias: open, it stays as it is */
        return NULL;
    }
    return w;
}

void closed_set(struct closed *w, const uint8_t *want)
{
    sigset_t before;

    signals_block(&before);
    memcpy(w->want, want, w->pages);
    closed_apply(w);
    signals_restore(&before);
}

void closed_curious(struct closed *w, const uint8_t *how)
{
    sigset_t before;

    signals_block(&before);
    for (size_t i = 0; i < w->pages; i++) {
        w->flags[i] = how[i] & (CLOSED_SURE | CLOSED_LINES | CLOSED_PLAIN);
        w->curious[i] = how[i] & ~(CLOSED_SURE | CLOSED_LINES | CLOSED_PLAIN);
    }
    memset(w->known, 0, sizeof(w->known));
    memset(w->looked, 0, sizeof(w->looked));
    closed_apply(w);
    signals_restore(&before);
}

/* The end first, and last: in between nothing moves. */
void closed_moving(const void *at, size_t len)
{
    uintptr_t end = (uintptr_t)at + len;

    if (len && (!table.moved_end || (uintptr_t)at < table.moved)) {
        atomic_store(&table.moved, (uintptr_t)at);
    }
    if (end > table.moved_end) {
        atomic_store(&table.moved_end, end);
    }
    atomic_store(&table.moving_end, 0);
    atomic_store(&table.moving, (uintptr_t)at);
    atomic_store(&table.moving_end, end);
}

bool closed_is_moving(uintptr_t at)
{
    return at < atomic_load(&table.moving_end) && at >= atomic_load(&table.moving);
}

bool closed_has_moved(uintptr_t at)
{
    return at < atomic_load(&table.moved_end) && at >= atomic_load(&table.moved);
}

void closed_free(struct closed *w)
{
    sigset_t before;
    unsigned at;

    signals_block(&before);
    at = index_of((uintptr_t)w->mem.cpu);
    memmove(table.all + at, table.all + at + 1, (table.n - at - 1) * sizeof(struct closed *));
    table.n--;
    memset(w->own, CLOSED_OPEN, w->pages);
    closed_protect(w, 0, w->pages, CLOSED_OPEN);
    closed_flags_forget(w);
    signals_restore(&before);
    free(w);
}

/* Also where it is open: a call that blocks may find it closed when it ends. */
void *closed_for_call(void *at, size_t len)
{
    void *result = at;
    struct closed *w;
    sigset_t before;

    if (!table.n || !len || held || !closed_near((uintptr_t)at)) {
        return result;
    }
    signals_block(&before);
    w = closed_find((uintptr_t)at);
    if (w && forked_is_child()) {
        closed_child_opens(w, (uintptr_t)at, true, NULL);
    } else if (w && closed_has(w, (uintptr_t)at, len) && !own_any(w, (uintptr_t)at, len)) {
        result = closed_alias(w, (uintptr_t)at);
    }
    signals_restore(&before);
    return result;
}

void closed_open(bool on)
{
    sigset_t before;

    if ((!table.n && !table.open) || held) {
        return;
    }
    signals_block(&before);
    table.open += on ? 1u : table.open ? -1u : 0;
    for (unsigned i = 0; i < table.n && table.open < 2; i++) {
        closed_apply(table.all[i]);
    }
    signals_restore(&before);
}

void closed_unseen(const char *by)
{
    sigset_t before;

    if (table.unseen) {
        return;
    }
    signals_block(&before);
    table.unseen = true;
    for (unsigned i = 0; i < table.n; i++) {
        closed_apply(table.all[i]);
    }
    signals_restore(&before);
    check_unseen(table.check, by);
}

void closed_by_call(const void *at, size_t len, bool write, uintptr_t pc)
{
    struct closed *w;
    sigset_t before;
    bool shut;

    if (!table.n || !len || held) {
        return;
    }
    signals_block(&before);
    w = closed_find((uintptr_t)at);
    shut = w && closed_has(w, (uintptr_t)at, len) && closed_is_shut(w, (uintptr_t)at, len, write);
    if (shut && write) {
        w->stored = true;
    }
    signals_restore(&before);
    if (shut) {
        unhooked_call(table.check, at, len, write ? ACCESS_STORE : ACCESS_LOAD, pc);
    }
}

/* --- installing ------------------------------------------------------------------------------- */

static sigset_t fork_mask;

static void fork_before(void)
{
    sigset_t before;

    if (table.n) {
        forked_before();
    }
    signals_block(&before);
    fork_mask = before;
}

static void fork_after(void)
{
    sigset_t before = fork_mask;

    signals_restore(&before);
}

static void fork_child(void)
{
    fork_after();
    forked_child();
}

/* A sanitizer looks at faults, too. */
#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__)
#define CAN_CLOSE true
#else
#define CAN_CLOSE false
#endif

/* Valgrind translates the program: it knows neither single steps nor calls that the kernel passes
 * back. It preloads a library of this name. */
static bool is_translated(void)
{
    const char *preloaded = getenv("LD_PRELOAD");

    return preloaded && strstr(preloaded, "vgpreload_");
}

bool closed_install(struct check *c)
{
    const struct vtegra_preload *preload = preload_find();
    static bool forks;

    table.check = c;
    if (!CAN_CLOSE || !c || !c->hb || !preload || objects_hooked() || is_translated()) {
        table.preload = NULL;
        return false;
    }
    table.preload = preload;
    carry_open();
    forked_open();
    if (!forks) {
        forks = pthread_atfork(fork_before, fork_after, fork_child) == 0;
    }
    return true;
}
