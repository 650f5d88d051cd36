/* SPDX-License-Identifier: MIT */
/* The compiler hooks' other end: each access goes to the HAL, and is counted by line of the
 * program (sites.c). */
#include <stdatomic.h>
#include <string.h>
#include <sys/single_threaded.h>

#include "runtime/observe/access_log.h"
#include "runtime/observe/check_internal.h"
#include "runtime/observe/objects.h"
#include "runtime/observe/ranges.h"
#include "runtime/observe/sched_lookup.h"
#include "runtime/observe/sites.h"
#include "runtime/observe/user_frame.h"
#include "runtime/track/track.h"

#define FAST_TLS __attribute__((tls_model("initial-exec")))

/* The region this thread accessed last. */
static _Thread_local struct {
    struct hal_mem mem;
    unsigned generation;
} last FAST_TLS;

static struct {
    struct check *check;
    struct hal *hal;
    atomic_uint generation; /* changes when a region comes or goes */
    pthread_mutex_t lock;   /* of the rest */
    struct vtegra_track_client client;
    struct vtegra_track_ranges ranges;
    GHashTable *range_of; /* region -> where its registered range begins */
} hook = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* Finds out where @cpu is, too: last.mem. Return: NULL if the region or the table's place is none.
 */
static struct site_count *access_count(struct check *c, const void *cpu, size_t len,
                                       enum access_kind access, uintptr_t pc)
{
    unsigned generation = atomic_load_explicit(&hook.generation, memory_order_relaxed);
    struct site_count *s;

    if ((uintptr_t)cpu - (uintptr_t)last.mem.cpu >= last.mem.size ||
        last.generation != generation) {
        last.mem.size = 0;
        if (!hal_mem_find(hook.hal, cpu, &last.mem)) {
            return NULL;
        }
        last.generation = generation;
    }
    s = sites_find(c->sites, pc, last.mem.id);
    if (s) {
        site_count_access(s, access, len);
    }
    return s;
}

bool check_hooked(void)
{
    return check_inside || hal_busy(hook.hal);
}

/* Has a signal handler of the program's come into the board, the checker, a hook, malloc() or a
 * lock of the scheduler's? Then what it does is not heard: a hook would wait for what its own
 * thread holds. */
static bool hook_interrupts(void)
{
    const struct vtegra_sched *sched = check_sched();

    return check_hooked() || (sched && sched->busy());
}

static void hook_access(struct vtegra_track_book **book, const void *cpu, size_t len,
                        enum vtegra_track_access access, uintptr_t pc)
{
    const struct vtegra_sched *sched = check_sched();
    uintptr_t outer = hook_pc;
    struct site_count *where = NULL;
    bool many;

    if (hook_interrupts()) {
        return;
    }
    check_enter();
    pc = user_frame_pc(hook.check, pc, &many);
    check_leave();
    if (sched) { /* a switch point, before the access */
        sched->point((access & 3u) == VTEGRA_TRACK_LOAD ? SCHED_LOAD : SCHED_STORE, cpu, pc);
    }
    check_enter();
    hook_pc = pc;
    hal_cpu_access(hook.hal, cpu, len, (enum access_kind)access);
    if (hook.check) {
        where = access_count(hook.check, cpu, len,
                             (enum access_kind)(access & ~(unsigned)VTEGRA_TRACK_SYNC), pc);
    }
    if (!many && (access == VTEGRA_TRACK_LOAD || access == VTEGRA_TRACK_STORE)) {
        access_log_note(book, &last.mem, cpu, len, pc, where);
    } else {
        access_log_flush();
    }
    hook_pc = outer;
    check_leave();
}

void hook_report(struct vtegra_track_book **home, uintptr_t address, size_t len, unsigned what,
                 uintptr_t pc)
{
    if (what & VTEGRA_TRACK_LOADS) {
        hook_access(home, (const void *)address, len, VTEGRA_TRACK_LOAD, pc);
    }
    if (what & VTEGRA_TRACK_STORES) {
        hook_access(home, (const void *)address, len, VTEGRA_TRACK_STORE, pc);
    }
}

/* Atomics in private memory order threads, too: lock-free queues, std::shared_ptr, flags. */
static struct {
    pthread_mutex_t lock;
    GHashTable *number; /* address -> number, by first use: no address gets into a record */
} orders = { .lock = PTHREAD_MUTEX_INITIALIZER };
#define ORDER_OBJECT (UINT64_C(1) << 49)

static uint64_t order_object(const void *address)
{
    gpointer number;

    pthread_mutex_lock(&orders.lock);
    if (!orders.number) {
        orders.number = g_hash_table_new(NULL, NULL);
    }
    number = g_hash_table_lookup(orders.number, address);
    if (!number) {
        number = GUINT_TO_POINTER(g_hash_table_size(orders.number) + 1);
        g_hash_table_insert(orders.number, (gpointer)address, number);
    }
    pthread_mutex_unlock(&orders.lock);
    return ORDER_OBJECT | GPOINTER_TO_UINT(number);
}

/* A load of such a flag is no switch point, but a loop of them waits. */
static void hook_access_look(const void *address, enum vtegra_track_order order)
{
    if (order == VTEGRA_TRACK_ACQUIRE && check_sched()) {
        check_sched()->point(SCHED_LOOK, address, 0);
    }
}

static void hook_look(const void *address, enum vtegra_track_order order)
{
    if (!hook_interrupts()) {
        hook_access_look(address, order);
    }
}

static void hook_order(const void *address, enum vtegra_track_order order)
{
    if (hook_interrupts()) {
        return;
    }
    hook_access_look(address, order);
    if (!__libc_single_threaded && check_sched()) { /* which also gives the threads' numbers */
        check_enter();
        hal_note(hook.hal, order == VTEGRA_TRACK_RELEASE ? HAL_NOTE_RELEASE : HAL_NOTE_ACQUIRE,
                 order_object(address), 0);
        check_leave();
        /* No tail call: a lock inside would seem to be the program's (sched/ asks who
         * calls). */
        __asm__ volatile("");
    }
}

void check_flag(const void *address, bool release)
{
    if (hook.check && hook.check->hb && !hook_interrupts()) {
        check_enter();
        hal_note(hook.hal, release ? HAL_NOTE_RELEASE : HAL_NOTE_ACQUIRE, order_object(address), 0);
        check_leave();
    }
}

/* lock held */
static void client_notify(void)
{
    objects_attach(hook.client.arena.size ? &hook.client : NULL);
}

/* Called from dlopen() once the board is up, with the dynamic loader's lock held: never take a lock
 * here whose holder may itself call into the loader. */
static void object_more(struct vtegra_track_object *object)
{
    (void)object;
    pthread_mutex_lock(&hook.lock);
    if (hook.hal) {
        client_notify();
    }
    pthread_mutex_unlock(&hook.lock);
}

void hooks_look(void)
{
    objects_look(object_more);
}

/* Once: at the start, or for objects that came later at the end. Until then threads count as one
 * (hb.c), because it is unknown by which atomics they passed on what was done before. */
void hooks_note(struct check *c)
{
    struct note n;

    if (!c->run->hooks && hook.client.arena.size && objects_hooked()) {
        note_init(&n, "hooks");
        checker_note(c->checker, &n);
    }
}

void hooks_end(struct check *c)
{
    hooks_note(c);
    if (!c->run->machine_sees_cpu) {
        objects_notes(c);
    }
}

void check_hooks_install(struct check *c, struct hal *hal, uint64_t arena_base, uint64_t arena_size)
{
    hooks_look();
    pthread_mutex_lock(&hook.lock);
    hook.check = c;
    hook.hal = hal;
    hook.client.version = VTEGRA_TRACK_VERSION;
    hook.client.access = hook_access;
    hook.client.ranges = &hook.ranges;
    hook.client.order = c && c->hb ? hook_order : hook_look;
    hook.client.arena.base = arena_base;
    hook.client.arena.size = arena_size;
    access_logs_open(c, hal);
    client_notify();
    pthread_mutex_unlock(&hook.lock);
    if (c && arena_size) {
        check_lock(c);
        hooks_note(c);
        check_unlock(c);
    }
}

void hook_range_add(const struct hal_mem *mem)
{
    pthread_mutex_lock(&hook.lock);
    if (!hook.range_of) {
        hook.range_of = g_hash_table_new(NULL, NULL);
    }
    g_hash_table_insert(hook.range_of, GUINT_TO_POINTER(mem->id), mem->cpu);
    ranges_add(&hook.ranges, (uintptr_t)mem->cpu, mem->size);
    client_notify();
    atomic_fetch_add(&hook.generation, 1);
    pthread_mutex_unlock(&hook.lock);
}

void hook_range_remove(uint32_t region)
{
    gpointer id = GUINT_TO_POINTER(region), base;

    pthread_mutex_lock(&hook.lock);
    if (hook.range_of && g_hash_table_lookup_extended(hook.range_of, id, NULL, &base)) {
        ranges_remove(&hook.ranges, (uintptr_t)base);
        g_hash_table_remove(hook.range_of, id);
        client_notify();
    }
    atomic_fetch_add(&hook.generation, 1);
    pthread_mutex_unlock(&hook.lock);
}
