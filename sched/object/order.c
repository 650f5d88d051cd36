/* SPDX-License-Identifier: MIT */
#include "sched/object/order.h"

#include <dlfcn.h>
#include <malloc.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unwind.h>

#include "sched/calls/front.h"
#include "sched/calls/heap.h"
#include "sched/turn/stuck.h"

#define STACKS_OF_A_PLACE 64u /* how often the unwinder is asked at one place, at first */
#define PLACES 256u
#define CACHED 256u
#define THREADS 1024u /* at a time */

struct held {
    struct graph_lock lock;
    unsigned depth;
    uintptr_t pc;
    bool stack_known;
    struct sched_stack at;
};

/**
 * struct order - what a thread holds
 * @beyond: locks that have no room in @held: no edges meanwhile
 * @within: see order_within()
 * @segment: of its life, see struct graph_edge
 * @place: where it locks, and how often it has; a stack is taken the first times only
 * @seen: edges that the graph has, as hashes
 */
struct order {
    unsigned n, beyond, within;
    uint32_t segment;
    struct held held[GRAPH_HELD];
    struct place {
        uintptr_t pc;
        unsigned count;
    } place[PLACES];
    uint64_t seen[CACHED];
    uintptr_t stack_low, stack_high, end; /* thread_local lies between the last two */
};

/* --- one at a time ---------------------------------------------------------------------------- */

static atomic_flag busy = ATOMIC_FLAG_INIT; /* guards the graph and the stacks */
static atomic_uint forgotten;               /* how often: what was seen may be new again */
static atomic_bool in_use;                  /* the graph has locks */
static bool frees_are_seen;
/* A signal handler that comes in between would wait for itself. */
static _Thread_local bool here __attribute__((tls_model("initial-exec")));

static void order_enter(void)
{
    here = true;
    while (atomic_flag_test_and_set_explicit(&busy, memory_order_acquire)) {
        REAL(sched_yield)();
    }
}

static void order_leave(void)
{
    atomic_flag_clear_explicit(&busy, memory_order_release);
    here = false;
}

/* "free" may be a function of the program; this name is ours. */
extern void free_seen(void *p) __attribute__((visibility("hidden")));

static __attribute__((constructor)) void order_begin(void)
{
    void (*ours)(void *) = free_seen;
    void *found = real_find_first("free"), *own;

    memcpy(&own, &ours, sizeof(own));
    frees_are_seen = found == own;
    pthread_atfork(order_enter, order_leave,
                   order_leave); /* no other thread is here in a child that is alone */
}

/* --- what lies where -------------------------------------------------------------------------- */

static struct order *stacks[THREADS];
static unsigned n_stacks;

static uintptr_t main_function, main_caller,
    main_low; /* frames of main() and of whoever calls it */

#define MAIN_STACK_MAX ((uintptr_t)64 << 20)

void order_main(uintptr_t function, const void *frame)
{
    main_function = function;
    main_caller = (uintptr_t)frame;
}

static _Unwind_Reason_Code look_for_main(struct _Unwind_Context *context, void *arg)
{
    (void)arg;
    if (_Unwind_GetRegionStart(context) != main_function) {
        return _URC_NO_REASON;
    }
    main_low = (uintptr_t)_Unwind_GetCFA(context); /* where the frame that it called begins */
    return _URC_END_OF_STACK;
}

/* Is @lock the only one that will ever be at this address, as far as we will hear? */
static bool is_certain(const void *lock)
{
    uintptr_t a = (uintptr_t)lock;
    struct dl_find_object object;

    if (_dl_find_object((void *)a, &object) == 0) {
        return true;
    }
    if (main_caller && a > main_caller - MAIN_STACK_MAX && a < main_caller + MAIN_STACK_MAX) {
        return main_low && a >= main_low;
    }
    for (unsigned i = 0; i < n_stacks; i++) {
        if (a >= stacks[i]->stack_low && a < stacks[i]->end) {
            return a >= stacks[i]->stack_high;
        }
    }
    return frees_are_seen;
}

/* --- threads ---------------------------------------------------------------------------------- */

static struct order *order_new(struct thread *self)
{
    struct order *o =
        mmap(NULL, sizeof(*o), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    self->order = o == MAP_FAILED ? NULL : o;
    return self->order;
}

/* The calling thread's, if this is the program's business. */
static struct order *order_of(uintptr_t pc)
{
    struct thread *self = turn_self;

    if (!self || self->inside || self->suppressed || here || front_is_ours(pc)) {
        return NULL;
    }
    if (!self->order && !order_new(self)) {
        return NULL;
    }
    return self->order->within ? NULL : self->order;
}

void order_within(bool begins)
{
    struct thread *self = turn_self;

    if (self && (self->order || order_new(self))) {
        self->order->within += begins ? 1u : -1u;
    }
}

void order_thread_create(struct thread *self, struct thread *created, const pthread_attr_t *attr)
{
    pthread_attr_t usual;

    if (!attr && pthread_attr_init(&usual) == 0) {
        pthread_attr_getstacksize(&usual, &created->stack_size);
        pthread_attr_destroy(&usual);
    } else if (attr) {
        pthread_attr_getstacksize(attr, &created->stack_size);
    }
    if (self->number == 0 && !main_low && main_function) {
        _Unwind_Backtrace(look_for_main, NULL);
    }
    order_enter();
    graph_event(self->number, created->number);
    order_leave();
    if (self->order) {
        self->order->segment++;
    }
}

void order_thread_enter(struct thread *self, const void *frame)
{
    struct order *o = order_new(self);

    if (!o) {
        return;
    }
    o->stack_high = (uintptr_t)frame;
    o->stack_low = o->stack_high - self->stack_size;
    o->end = (uintptr_t)pthread_self();
    o->end = o->end > o->stack_high ? o->end : o->stack_high;
    order_enter();
    if (n_stacks < THREADS) {
        stacks[n_stacks++] = o;
    } else {
        frees_are_seen = false; /* it may lie on the stack of this one */
    }
    order_leave();
}

void order_thread_leave(struct thread *self)
{
    struct order *o = self->order;

    if (!o) {
        return;
    }
    order_enter();
    if (o->end && atomic_load(&in_use)) {
        graph_forget((const void *)o->stack_high, o->end - o->stack_high);
    }
    for (unsigned i = 0; i < n_stacks; i++) {
        if (stacks[i] == o) {
            stacks[i] = stacks[--n_stacks];
        }
    }
    order_leave();
    self->order = NULL;
    munmap(o, sizeof(*o));
}

static void order_event(struct thread *self, uint64_t from, uint64_t to)
{
    order_enter();
    graph_event(from, to);
    order_leave();
    if (self->order) {
        self->order->segment++;
    }
}

void order_thread_joined(const struct thread *joined)
{
    if (turn_self && !here) {
        order_event(turn_self, joined->number, turn_self->number);
    }
}

void order_arrives(const void *object, uintptr_t pc)
{
    if (turn_threads() > 1 && order_of(pc)) {
        order_event(turn_self, turn_self->number, GRAPH_OBJECT(object));
    }
}

void order_goes_on(const void *object, uintptr_t pc)
{
    if (turn_threads() > 1 && order_of(pc)) {
        order_event(turn_self, GRAPH_OBJECT(object), turn_self->number);
    }
}

/* --- edges ------------------------------------------------------------------------------------ */

static struct place *place_of(struct order *o, uintptr_t pc)
{
    for (unsigned i = 0; i < 8; i++) {
        struct place *p = &o->place[((pc * UINT64_C(0x9e3779b97f4a7c15) >> 40) + i) % PLACES];

        if (p->pc == pc || !p->pc) {
            p->pc = pc;
            return p;
        }
    }
    return NULL;
}

/* What the unwinder calls is no order of the program's. */
static void stack_of(struct thread *self, struct held *h)
{
    if (!h->stack_known) {
        self->inside = true;
        h->at = stack_take(h->pc);
        self->inside = false;
        h->stack_known = true;
    }
}

static uint64_t order_mix(uint64_t h, uint64_t x)
{
    h = (h ^ x) * UINT64_C(0x9e3779b97f4a7c15);
    return h ^ h >> 32;
}

/* All that an edge is, but for the places that lie behind its pc. */
static bool was_seen(struct order *o, const struct held *taken)
{
    uint64_t h = order_mix(order_mix(o->segment + 1, atomic_load(&forgotten)), taken->pc), *seen;

    for (const struct held *i = o->held; i <= taken; i++) {
        h = order_mix(order_mix(h, (uint64_t)(uintptr_t)i->lock.address), i->pc + i->lock.read);
    }
    seen = &o->seen[h % CACHED];
    if (*seen == h) {
        return true;
    }
    *seen = h;
    return false;
}

/* @taken is the newest of @o->held. */
static void edges_add(struct thread *self, struct order *o, struct held *taken)
{
    struct graph_edge e = { .to = taken->lock,
                            .thread = self->number,
                            .segment = o->segment,
                            .created_at = &self->created_at };
    bool again = false;

    stack_of(self, taken);
    e.to_at = taken->at;
    for (const struct held *i = o->held; i < taken; i++) {
        e.held[e.n_held++] = i->lock;
    }
    order_enter();
    for (struct held *i = o->held; is_certain(taken->lock.address) && i < taken; i++) {
        struct place *p = place_of(o, i->pc);

        if (i->stack_known && is_certain(i->lock.address)) {
            e.from = i->lock;
            e.from_at = i->at;
            graph_add(&e);
            atomic_store(&in_use, true);
        } else if (!i->stack_known && p) { /* where it was taken shall be known the next time */
            p->count = 0;
            again = true;
        }
    }
    order_leave();
    if (again) {
        memset(o->seen, 0, sizeof(o->seen));
    }
}

void order_took(const void *lock, enum graph_kind kind, unsigned how, uintptr_t pc)
{
    struct order *o = order_of(pc);
    struct place *p;
    struct held *h;

    if (!o) {
        return;
    }
    for (h = o->held + o->n; h-- > o->held;) {
        if (h->lock.address == lock) {
            h->depth++;
            return;
        }
    }
    if (o->n == GRAPH_HELD) {
        o->beyond++;
        return;
    }
    h = &o->held[o->n++];
    h->lock = (struct graph_lock){ lock, kind, how & ORDER_READ };
    h->depth = 1;
    h->pc = pc;
    h->stack_known = false;
    if (turn_threads() < 2) {
        return;
    }
    p = place_of(o, pc);
    if (p && p->count < STACKS_OF_A_PLACE) {
        p->count++;
        stack_of(turn_self, h);
    }
    if (o->n > 1 && !(how & ORDER_TRIED) && !o->beyond && !was_seen(o, h)) {
        edges_add(turn_self, o, h);
    }
}

void order_let_go(const void *lock, uintptr_t pc)
{
    struct order *o = order_of(pc);

    if (!o) {
        return;
    }
    for (struct held *h = o->held + o->n; h-- > o->held;) {
        if (h->lock.address == lock) {
            if (--h->depth == 0) {
                o->n--;
                memmove(h, h + 1, (size_t)(o->held + o->n - h) * sizeof(*h));
            }
            return;
        }
    }
    if (o->beyond) {
        o->beyond--;
        return;
    }
    order_enter();
    graph_exclude(lock); /* another thread has locked it */
    atomic_store(&in_use, true);
    order_leave();
}

/* --- memory ----------------------------------------------------------------------------------- */

void order_forget(const void *start, size_t size)
{
    if (!atomic_load_explicit(&in_use, memory_order_relaxed) || here ||
        !graph_watches(start, size)) {
        return;
    }
    order_enter();
    if (graph_forget(start, size)) {
        atomic_fetch_add(&forgotten, 1);
    }
    order_leave();
}

void free_seen(void *p)
{
    int error = errno;

    heap_begin();
    if (p && atomic_load_explicit(&in_use, memory_order_relaxed)) {
        order_forget(p, malloc_usable_size(p));
        errno = error;
    }
    REAL(free)(p);
    heap_end();
}

SCHED_EXPORT void free(void *p) __attribute__((alias("free_seen")));

/* --- the end ---------------------------------------------------------------------------------- */

void order_report(void)
{
    static bool reported;
    const struct graph_ring *rings;
    struct thread *self = turn_self;
    bool outer = self && self->inside;
    unsigned n;

    if (reported || !turn_board || here) {
        return;
    }
    reported = true;
    if (self) {
        self->inside = true;
    }
    order_enter();
    n = graph_rings(&rings);
    order_leave();
    for (unsigned i = 0; i < n; i++) {
        stuck_order_report(&rings[i]);
    }
    if (graph_gave_up()) {
        stuck_order_given_up_report(n);
    }
    if (self) {
        self->inside = outer;
    }
}
