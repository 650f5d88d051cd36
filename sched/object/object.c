/* SPDX-License-Identifier: MIT */
#include "sched/object/object.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "sched/turn/turn.h"

/* Open addressing in memory of its own: malloc() itself may use locks. */
static struct {
    struct object *slot;
    uint64_t size, used; /* used: forgotten ones included */
    uint64_t last;
    atomic_flag busy;
} table = { .busy = ATOMIC_FLAG_INIT };

#define FORGOTTEN ((const void *)-1)

static uint64_t object_hash(const void *address)
{
    return (uint64_t)(uintptr_t)address * UINT64_C(0x9e3779b97f4a7c15) >> 20;
}

static struct object *slot_for(const void *address)
{
    uint64_t i = object_hash(address) & (table.size - 1);

    while (table.slot[i].address && table.slot[i].address != address) {
        i = (i + 1) & (table.size - 1);
    }
    return &table.slot[i];
}

static uint64_t object_living(void)
{
    uint64_t n = 0;

    for (uint64_t i = 0; i < table.size; i++) {
        n += table.slot[i].address && table.slot[i].address != FORGOTTEN;
    }
    return n;
}

/* A program may make and destroy mutexes all day: where most are forgotten the rest has room. */
static void object_grow(void)
{
    struct object *old = table.slot;
    uint64_t old_size = table.size;

    table.size = !old_size ? 1024 : object_living() * 4 > old_size ? old_size * 2 : old_size;
    table.slot = mmap(NULL, table.size * sizeof(*old), PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (table.slot == MAP_FAILED) {
        abort();
    }
    table.used = 0;
    for (uint64_t i = 0; i < old_size; i++) {
        if (old[i].address && old[i].address != FORGOTTEN) {
            *slot_for(old[i].address) = old[i];
            table.used++;
        }
    }
    if (old) {
        munmap(old, old_size * sizeof(*old));
    }
}

/* A signal handler that comes in between would wait for itself. */
static _Thread_local bool locked __attribute__((tls_model("initial-exec")));

static void object_lock(void)
{
    locked = true;
    while (atomic_flag_test_and_set_explicit(&table.busy, memory_order_acquire)) {
    }
}

static void object_unlock(void)
{
    atomic_flag_clear_explicit(&table.busy, memory_order_release);
    locked = false;
}

bool object_busy(void)
{
    return locked;
}

/* The table locked. */
static struct object *object_slot_at(const void *address, uintptr_t pc)
{
    struct object *o;

    if (table.used * 2 >= table.size) {
        object_grow();
    }
    o = slot_for(address);
    if (!o->address) {
        *o = (struct object){ .address = address, .first_pc = pc };
        table.used++;
    }
    return o;
}

struct object *object_at(const void *address, uintptr_t pc)
{
    struct object *o;

    object_lock();
    o = object_slot_at(address, pc);
    object_unlock();
    return o;
}

uint64_t object_number(const void *address, uintptr_t pc)
{
    struct object *o;
    uint64_t number;

    object_lock();
    o = object_slot_at(address, pc);
    if (!o->number) {
        o->number = ++table.last;
    }
    number = o->number;
    object_unlock();
    return number;
}

/* Return: the number that it had. */
static uint64_t object_slot_forget(const void *address)
{
    struct object *o = table.size ? slot_for(address) : NULL;
    uint64_t number = o ? o->number : 0;

    if (o && o->address) {
        *o = (struct object){ .address = FORGOTTEN };
    }
    return number;
}

void object_forget_late(const void *address)
{
    object_lock();
    object_slot_forget(address);
    object_unlock();
}

/* Which round of the barrier does this arrival belong to? While only the first round's threads
 * arrive, each arrives once a round, so arrival n is in round n / count. After a new thread joins
 * (mixed), threads may overtake each other before the C library's barrier, so each arrival is
 * ordered after every round: this may hide a race but never invents one. */
unsigned object_come(const void *barrier, bool counted, uintptr_t pc)
{
    uint32_t thread = turn_self ? turn_self->number : UINT32_MAX;
    uint64_t bit = thread < 64 ? UINT64_C(1) << thread : 0;
    unsigned rounds = 1;
    struct object *o;

    object_lock();
    o = object_slot_at(barrier, pc);
    if (counted && o->count) {
        uint64_t n = o->came++;

        o->members |= n < o->count ? bit : 0;
        o->mixed |= !(o->members & bit);
        rounds = o->mixed ? 3 : n / o->count % 2 ? 2 : 1;
    }
    object_unlock();
    return rounds;
}

struct object *object_by_number(uint64_t number)
{
    for (uint64_t i = 0; number && i < table.size; i++) {
        if (table.slot[i].number == number) {
            return &table.slot[i];
        }
    }
    return NULL;
}

void object_each_held(const struct thread *holder, void (*call)(const void *address))
{
    for (uint64_t i = 0; i < table.size; i++) {
        if (table.slot[i].holder == holder) {
            call(table.slot[i].address);
        }
    }
}

bool object_holds_any(const struct thread *holder)
{
    bool any = false;

    object_lock();
    for (uint64_t i = 0; i < table.size && !any; i++) {
        any = table.slot[i].holder == holder;
    }
    object_unlock();
    return any;
}

/* Return: the board to notify, NULL: none; its own locks are not the program's meanwhile. */
static const struct sched_board *object_report_begin(bool *outer)
{
    const struct sched_board *board = turn_board;
    struct thread *self = turn_self;

    if (!board || !self || self->suppressed || turn_threads() < 2 || locked) {
        return NULL;
    }
    *outer = self->inside;
    self->inside = true;
    if (!self->reported) {
        self->reported = true;
        board->note(SCHED_NOTE_THREAD, self->number);
    }
    return board;
}

/* @number: 0: that of the object at @address. */
static uint64_t object_report(const void *address, uint64_t number, enum sched_note what)
{
    bool outer;
    const struct sched_board *board = object_report_begin(&outer);

    if (!board) {
        return 0;
    }
    number = number ? number : object_number(address, 0);
    board->note(what, number);
    turn_self->inside = outer;
    return number;
}

uint64_t object_release(const void *address)
{
    return object_report(address, 0, SCHED_NOTE_RELEASE);
}

void object_acquire(const void *address)
{
    object_report(address, 0, SCHED_NOTE_ACQUIRE);
}

void object_acquire_number(uint64_t number)
{
    object_report(NULL, number, SCHED_NOTE_ACQUIRE);
}

static void object_gone(uint64_t number)
{
    if (number) {
        object_report(NULL, number, SCHED_NOTE_GONE);
    }
}

void object_thread_ended(const struct thread *t)
{
    object_report(NULL, t->number, SCHED_NOTE_ENDED);
}

void object_forget(const void *address)
{
    uint64_t number;

    object_lock();
    number = object_slot_forget(address);
    object_unlock();
    object_gone(number);
}

void object_made(const void *address, int clock, unsigned count, uintptr_t pc)
{
    struct object *o;
    uint64_t number;

    object_lock();
    number = object_slot_forget(address);
    o = object_slot_at(address, pc);
    o->clock = clock;
    o->count = count;
    object_unlock();
    if (!count) {
        object_gone(number);
    }
}

void object_flag(const void *address, bool release)
{
    bool outer;
    const struct sched_board *board = object_report_begin(&outer);

    if (board) {
        board->flag(address, release);
        turn_self->inside = outer;
    }
}
