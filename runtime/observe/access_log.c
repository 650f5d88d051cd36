/* SPDX-License-Identifier: MIT */
/* What the hooks count by themselves: accesses to lines that the HAL has leased (hal_cpu_lease()),
 * and, with the checker on, only those that do not change the checker's state (hb_again()). Report,
 * findings and trace are those of a run that reports every access (tests/test_access_log.c), except
 * that a thread's totals are written when it ends.
 *
 * Each thread has an access log. The HAL asks for its contents, on whichever thread runs then.
 */
#include "runtime/observe/access_log.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/single_threaded.h>

#include "runtime/observe/sched_lookup.h"
#include "runtime/observe/sites.h"

#define LINE ((uintptr_t)64)

/* The checker's step: in this thread, with its clock, an access of a site to such a place of a
 * line. @key: 0: none. */
#define STEPS 1024u
struct step {
    uint32_t key, from, to;
};

/* Objects (the program, shared libraries) whose hooks may count in one thread; those of others
 * tell. */
#define HOMES 64u

/**
 * struct book - of one thread
 * @home: where the hooks of each object look for it; @none: what was there before
 * @sent: of each site's counts; @bus: a place in its region; @where: its place in the report
 * @site: indices of the sites in use
 * The rest is there with the checker only:
 * @line: of each line in the hooks'; @step: what the checker made of accesses; @changes: when they
 * were made
 * @last, @last_store: the access that came last
 */
struct book {
    struct vtegra_track_book hooks; /* first */
    struct {
        struct vtegra_track_book **home, *none;
    } home[HOMES];
    unsigned homes;
    bool taken;
    uint64_t sent[VTEGRA_TRACK_SITES][2], bus[VTEGRA_TRACK_SITES];
    struct site_count *where[VTEGRA_TRACK_SITES];
    uint8_t site[VTEGRA_TRACK_SITES];
    unsigned sites;
    struct hb_thread thread;
    struct hb_line line[VTEGRA_TRACK_LINES];
    struct step step[STEPS];
    uint32_t changes;
    unsigned last;
    bool last_store;
    struct book *next;
};

static struct {
    struct check *check;
    struct hal *hal;
    bool each;               /* nothing is leased */
    const uint32_t *changes; /* hb_changes() */
    pthread_once_t once;
    pthread_key_t of_thread;
    atomic_flag busy; /* guards the list, and who is in it */
    struct book *first;
} books = { .once = PTHREAD_ONCE_INIT, .busy = ATOMIC_FLAG_INIT };

static void access_logs_lock(void)
{
    check_enter();
    while (atomic_flag_test_and_set_explicit(&books.busy, memory_order_acquire)) {
    }
}

static void access_logs_unlock(void)
{
    atomic_flag_clear_explicit(&books.busy, memory_order_release);
    check_leave();
}

/* --- reporting -------------------------------------------------------------------------------- */

static uint32_t site_len(const struct vtegra_track_site *site)
{
    return (uint32_t)site->key;
}

static uint64_t region_key(uint32_t region)
{
    return (uint64_t)region << 32;
}

static uint64_t access_log_untold(const struct book *b, unsigned site, unsigned store)
{
    return __atomic_load_n(&b->hooks.site[site].count[store], __ATOMIC_RELAXED) -
           b->sent[site][store];
}

static void site_report(struct book *b, unsigned site, uint64_t loads, uint64_t stores)
{
    uint64_t len = site_len(&b->hooks.site[site]);

    b->sent[site][0] += loads;
    b->sent[site][1] += stores;
    site_count_add(b->where[site], loads, stores, (loads + stores) * len);
    if (books.hal) {
        hal_cpu_hits(books.hal,
                     &(struct hal_hits){ b->bus[site], loads, stores, loads * len, stores * len });
    }
}

/* The checker's records carry the time before their access. */
static void last_report(struct book *b, uint64_t accesses)
{
    check_untold_records(books.check, accesses, hal_time_ns(books.hal));
    site_report(b, b->last, !b->last_store, b->last_store);
}

static void access_log_report(struct book *b)
{
    bool records = b->hooks.access && books.hal;
    uint64_t accesses = 0;

    for (unsigned i = 0; i < b->sites; i++) {
        unsigned site = b->site[i];
        uint64_t loads = access_log_untold(b, site, 0), stores = access_log_untold(b, site, 1);

        accesses += loads + stores;
        if (records && site == b->last && loads + stores) {
            loads -= !b->last_store && loads;
            stores -= b->last_store && stores;
        }
        if (loads + stores) {
            site_report(b, site, loads, stores);
        }
    }
    if (records && accesses) {
        last_report(b, accesses);
    }
}

/* The HAL asks. */
static void access_logs_report(void *opaque)
{
    (void)opaque;
    access_logs_lock();
    for (struct book *b = books.first; b; b = b->next) {
        access_log_report(b);
    }
    access_logs_unlock();
}

/* --- a thread's book -------------------------------------------------------------------------- */

static void access_log_close(void *data)
{
    struct book *b = data;

    if (books.hal) {
        hal_cpu_lease_end(books.hal);
    }
    while (b->homes > 0) {
        b->homes--;
        *b->home[b->homes].home = b->home[b->homes].none;
    }
    access_logs_lock();
    b->taken = false;
    access_logs_unlock();
}

static void key_make(void)
{
    pthread_key_create(&books.of_thread, access_log_close);
}

/* Not of the program's heap: what that gives next should not depend on us. Books are never freed.
 */
static struct book *pages_take(void)
{
    void *at =
        mmap(NULL, sizeof(struct book), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    g_assert(at != MAP_FAILED); /* the host has no memory: as g_malloc() */
    return at;
}

static struct book *access_log_take(void)
{
    struct book *b;

    access_logs_lock();
    for (b = books.first; b && b->taken; b = b->next) {
    }
    if (b) {
        b->taken = true;
    }
    access_logs_unlock();
    if (!b) {
        b = pages_take();
        b->taken = true;
        access_logs_lock();
        b->next = books.first;
        books.first = b;
        access_logs_unlock();
    }
    return b;
}

static void access_log_access(struct vtegra_track_book *hooks, struct vtegra_track_line *line,
                              struct vtegra_track_site *site, uintptr_t address, unsigned what);

static struct book *access_log_open(void)
{
    const struct vtegra_sched *sched = check_sched();
    struct book *b = access_log_take();

    b->hooks.watch = sched ? sched->watch() : NULL;
    b->hooks.access = books.check->hb ? access_log_access : NULL;
    b->thread.number = sched ? sched->thread() : 0;
    pthread_setspecific(books.of_thread, b);
    return b;
}

/* NULL: this thread has none yet. */
static struct book *access_log_mine(void)
{
    return pthread_getspecific(books.of_thread);
}

/* The hooks of another object count in it, too. */
static void home_add(struct book *b, struct vtegra_track_book **home)
{
    if (*home != &b->hooks && b->homes < HOMES) {
        b->home[b->homes].home = home;
        b->home[b->homes++].none = *home;
        *home = &b->hooks;
    }
}

static void steps_forget(struct book *b)
{
    if (b->hooks.access) {
        memset(b->step, 0, sizeof(b->step));
    }
}

/* The site's former counts have been sent: its own thread, which alone counts, has just called the
 * HAL. */
static void site_open(struct book *b, uintptr_t pc, size_t len, const struct hal_mem *mem,
                      struct site_count *where)
{
    struct vtegra_track_site *site = vtegra_track_site_of(&b->hooks, pc);
    unsigned i = (unsigned)(site - b->hooks.site);

    if (site->pc == pc && site->key == (region_key(mem->id) | len)) {
        return;
    }
    access_logs_lock();
    if (!access_log_untold(b, i, 0) && !access_log_untold(b, i, 1)) {
        if (!site->pc) {
            b->site[b->sites++] = (uint8_t)i;
        }
        site->pc = pc;
        site->key = region_key(mem->id) | len;
        b->bus[i] = mem->bus;
        b->where[i] = where;
    }
    access_logs_unlock();
    steps_forget(b);
}

/* --- lines ------------------------------------------------------------------------------------ */

static struct step *step_of(struct book *b, uint32_t state, uint32_t key)
{
    return &b->step[(state * 0x9e3779b1u >> 8 ^ key) % STEPS];
}

/* Does the step, if the checker knows it. */
static bool step_again(struct book *b, const struct hb_line *line,
                       const struct vtegra_track_site *site, unsigned at, unsigned what)
{
    struct hb *hb = books.check->hb;
    uint32_t len = site_len(site);

    return (!(what & VTEGRA_TRACK_LOADS) ||
            hb_again(hb, &b->thread, line, at, len, false, site->pc)) &&
           (!(what & VTEGRA_TRACK_STORES) ||
            hb_again(hb, &b->thread, line, at, len, true, site->pc));
}

/* Return: false: it must be reported. If only the load of two was a known step, it is done twice:
 * no harm. */
static bool access_log_step(struct book *b, const struct vtegra_track_line *line,
                            const struct vtegra_track_site *site, uintptr_t address, unsigned what)
{
    uint32_t *state = line->state, from = *state;
    uint32_t at = address % LINE;
    uint32_t key = (uint32_t)(site - b->hooks.site) << 8 | at << 2 | what;
    struct step *step = step_of(b, from, key);

    if (step->key == key && step->from == from) {
        *state = step->to;
        return true;
    }
    if (!step_again(b, &b->line[line - b->hooks.line], site, at, what)) {
        return false;
    }
    *step = (struct step){ key, from, *state };
    return true;
}

/* The hooks' question; the line was leased when they looked. */
static void access_log_access(struct vtegra_track_book *hooks, struct vtegra_track_line *line,
                              struct vtegra_track_site *site, uintptr_t address, unsigned what)
{
    struct book *b = (struct book *)hooks;
    bool alone = __libc_single_threaded, done;

    if (check_inside) { /* a signal handler of the program's, in another hook */
        return;
    }
    check_inside = 1; /* for this is done most often: check_enter() would read it again */
    atomic_signal_fence(memory_order_seq_cst);
    if (!alone) {
        pthread_mutex_lock(&books.check->lock);
    }
    done = !b->thread.looked && b->changes == *books.changes &&
           __atomic_load_n(&line->line, __ATOMIC_RELAXED) != 0 &&
           access_log_step(b, line, site, address, what);
    if (!alone) {
        pthread_mutex_unlock(&books.check->lock);
    }
    atomic_signal_fence(memory_order_seq_cst);
    check_inside = 0;
    if (done && vtegra_track_count(hooks, site, address, what)) {
        b->last = (unsigned)(site - hooks->site);
        b->last_store = what & VTEGRA_TRACK_STORES;
        return;
    }
    hook_report(b->home[0].home, address, site_len(site), what, site->pc);
}

/* The checker locked. Steps of an older clock do not come again (the states that they begin with
 * have it): they only take room. */
static void thread_look(struct book *b)
{
    uint32_t clock = b->thread.clock;

    hb_thread_look(books.check->hb, &b->thread);
    if (b->thread.clock != clock || b->changes != *books.changes) {
        b->changes = *books.changes;
        steps_forget(b);
    }
}

/* What the checker has to know of the line. Return: false: it wants a record of each access. */
static bool line_watch(struct book *b, const struct hal_mem *mem, uintptr_t at,
                       struct hb_line *line)
{
    struct check *c = books.check;
    uint64_t bus = mem->bus + (at - (uintptr_t)mem->cpu);
    bool may = true;

    if (c->hb) {
        check_lock(c);
        thread_look(b);
        may = !g_hash_table_contains(c->holds, GUINT_TO_POINTER(mem->id)) &&
              hb_line_look(c->hb, mem->id, bus, line);
        check_unlock(c);
    }
    return may;
}

void access_log_note(struct vtegra_track_book **home, const struct hal_mem *mem, const void *cpu,
                     size_t len, uintptr_t pc, struct site_count *where)
{
    uintptr_t at = (uintptr_t)cpu;
    struct vtegra_track_line *line;
    struct book *b;

    if (books.each || !where || at % LINE + len > LINE) {
        access_log_flush();
        return;
    }
    b = access_log_mine();
    b = b ? b : access_log_open();
    home_add(b, home);
    line = vtegra_track_line_of(&b->hooks, at);
    __atomic_store_n(&line->line, 0, __ATOMIC_RELAXED); /* another line's, perhaps */
    site_open(b, pc, len, mem, where);
    if (line_watch(b, mem, at & ~(LINE - 1), &b->line[line - b->hooks.line])) {
        line->region = region_key(mem->id);
        line->state = b->line[line - b->hooks.line].state;
        hal_cpu_lease(books.hal, cpu, &line->line, &line->equal);
    }
}

void access_log_flush(void)
{
    struct book *b = books.each ? NULL : access_log_mine();

    if (b && b->hooks.access) {
        pthread_mutex_lock(&books.check->lock);
        thread_look(b);
        pthread_mutex_unlock(&books.check->lock);
    }
}

void access_logs_open(struct check *c, struct hal *hal)
{
    const struct vtegra_sched *sched = check_sched();
    const char *hooks = g_getenv("VTEGRA_HOOKS");

    pthread_once(&books.once, key_make);
    books.check = c;
    books.hal = hal;
    /* Where threads take turns each access is a switch point; and a trace of accesses has them all.
     */
    books.each = !c || c->timeline || g_strcmp0(hooks, "each") == 0 || (sched && sched->active()) ||
                 (c->trace_classes & TRACE_ACCESS);
    books.changes = c && c->hb ? hb_changes(c->hb) : NULL;
    if (!books.each) {
        hal_cpu_lease_holder(hal, access_logs_report, NULL);
    }
}

void access_logs_close(const struct check *c)
{
    if (books.check != c) {
        return;
    }
    books.hal = NULL;
    access_logs_report(NULL);
    books.each = true;
}
