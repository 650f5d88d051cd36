/* SPDX-License-Identifier: MIT */
/* Lines that CPU hooks may go on accessing without a report each time.
 *
 * A lease lasts until anything could make another access to its line differ from the last one. That
 * is any call of this HAL but an access to a line of another set of the CPU's cache, so at most one
 * line of a set is leased: the youngest, whose age another hit does not change.
 */
#include "runtime/hal/inproc/inproc.h"

#define LINE 64u

static void lease_take_back(uintptr_t *lease)
{
    __atomic_store_n(lease, 0, __ATOMIC_RELAXED);
}

static void lease_report(struct hal *hal)
{
    if (hal->leases.tell) {
        hal->leases.tell(hal->leases.opaque);
    }
}

static void all_end(struct inproc_leases *l)
{
    while (l->n_sets > 0) {
        uintptr_t **of_set = &l->of_set[l->sets[--l->n_sets]];

        lease_take_back(*of_set);
        *of_set = NULL;
    }
}

/* A signal handler may come in anywhere: it is set before the lock is taken, and cleared after it
 * is given back. */
static _Thread_local volatile unsigned inside __attribute__((tls_model("initial-exec")));

bool inproc_inside(void)
{
    return inside > 0;
}

bool hal_busy(struct hal *hal)
{
    (void)hal;
    return inproc_inside();
}

void inproc_inside_begin(void)
{
    inside++;
    atomic_signal_fence(memory_order_seq_cst);
}

void inproc_inside_end(void)
{
    atomic_signal_fence(memory_order_seq_cst);
    inside--;
}

/* Writing the trace is a cancellation point: a thread that ended there would keep the lock. */
static _Thread_local int cancel_state __attribute__((tls_model("initial-exec")));

static _Thread_local uint32_t thread_number __attribute__((tls_model("initial-exec")));

void inproc_thread_set(uint32_t number)
{
    thread_number = number;
}

/* Whatever the board records until the lock is given back is the doing of this thread. */
static void lease_lock(struct hal *hal)
{
    inproc_inside_begin();
    pthread_mutex_lock(&hal->lock);
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel_state);
    soc_cpu_thread(hal->soc, thread_number);
}

void inproc_enter(struct hal *hal)
{
    lease_lock(hal);
    lease_report(hal);
    if (hal->leases.n_sets > 0) {
        soc_spare_end(hal->soc);
    }
    all_end(&hal->leases);
}

static unsigned set_of(const struct hal *hal, uint64_t bus)
{
    return soc_cpu_set(hal->soc, bus) % INPROC_LEASES;
}

void inproc_enter_access(struct hal *hal)
{
    lease_lock(hal);
    lease_report(hal);
}

void inproc_lease_lines_end(struct hal *hal, uint64_t bus, uint64_t len)
{
    for (uint64_t line = bus & ~(uint64_t)(LINE - 1); line < bus + len; line += LINE) {
        uintptr_t *lease = hal->leases.of_set[set_of(hal, line)];

        if (lease) {
            lease_take_back(lease);
        }
    }
}

void inproc_leave(struct hal *hal)
{
    int before = cancel_state;

    soc_rest(hal->soc);
    pthread_mutex_unlock(&hal->lock);
    inproc_inside_end();
    pthread_setcancelstate(before, NULL);
}

void hal_cpu_lease_holder(struct hal *hal, void (*report_hits)(void *opaque), void *opaque)
{
    inproc_enter(hal);
    hal->leases.tell = report_hits;
    hal->leases.opaque = opaque;
    inproc_leave(hal);
}

void hal_cpu_hits(struct hal *hal, const struct hal_hits *hits)
{
    soc_cpu_hits(hal->soc, &(struct soc_cpu_hits){ hits->bus, hits->loads, hits->stores,
                                                   hits->load_bytes, hits->store_bytes });
}

static void lease_give(struct hal *hal, uint64_t bus, uintptr_t line, unsigned what,
                       uintptr_t *lease)
{
    struct inproc_leases *l = &hal->leases;
    unsigned set = set_of(hal, bus);

    if (!l->of_set[set]) {
        l->sets[l->n_sets++] = (uint16_t)set;
    } else {
        lease_take_back(l->of_set[set]);
    }
    l->of_set[set] = lease;
    __atomic_store_n(lease, line | what, __ATOMIC_RELAXED);
}

void hal_cpu_lease(struct hal *hal, const void *cpu, uintptr_t *lease, const void **memory)
{
    uintptr_t line = (uintptr_t)cpu & ~(uintptr_t)(LINE - 1);
    struct inproc_mem *m = inproc_mem_at(hal, (void *)line);
    unsigned what = 0;
    const uint8_t *equal = NULL;

    lease_lock(hal);
    lease_take_back(lease);
    if (m && !hal_mem_is_device(m->mem.kind) && !m->closed) {
        uint64_t bus = m->mem.bus + (line - (uintptr_t)m->mem.cpu);
        unsigned repeats = soc_cpu_repeats(hal->soc, bus, &equal);

        what = (repeats & SOC_REPEATS_LOADS ? HAL_LEASE_LOAD : 0) |
               (repeats & SOC_REPEATS_STORES ? HAL_LEASE_STORE : 0);
        *memory = equal;
        if (what) {
            lease_give(hal, bus, line, what, lease);
        }
    }
    inproc_leave(hal);
}

void hal_cpu_lease_end(struct hal *hal)
{
    inproc_enter(hal);
    soc_counts_flush(hal->soc); /* perhaps nothing steps any more */
    inproc_leave(hal);
}
