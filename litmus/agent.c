/* SPDX-License-Identifier: MIT */
/* Steps: an operation of a thread is performed, a queued store becomes visible further out, a line
 * comes or goes on its own.
 *
 * A CPU store is performed when all CPUs can see it (Armv8 is other-multi-copy atomic: Arm ARM
 * B2.3), so a thread's own later load is the only one that may see it earlier. An iGPU store
 * becomes visible in three stages, one a scope of PTX: to its SM, to the iGPU (L2), to the system.
 * The third differs from the second only where the iGPU does not keep the bytes in its L2.
 * Standing: inferred, the weakest machine with one L2 that keeps the promises of PTX ISA, Memory
 * Consistency Model.
 */
#include <string.h>

#include "litmus/machine.h"

static const struct litmus_event *event_of(const struct litmus_machine *m, unsigned code)
{
    return &m->test->thread[code / LITMUS_EVENTS].event[code % LITMUS_EVENTS];
}

static uint32_t thread_all(const struct litmus_thread *t)
{
    return (uint32_t)((UINT64_C(1) << t->n) - 1);
}

uint32_t machine_running(const struct litmus_machine *m, const struct litmus_state *s)
{
    uint32_t running = 0;

    for (unsigned t = 0; t < m->test->threads; t++) {
        running |= (uint32_t)(s->done[t] != thread_all(&m->test->thread[t])) << t;
    }
    return running;
}

static bool queue_has_thread(const uint8_t *queue, unsigned n, unsigned thread)
{
    for (unsigned i = 0; i < n; i++) {
        if (queue[i] / LITMUS_EVENTS == thread) {
            return true;
        }
    }
    return false;
}

/* Complete: every thread has ended and its stores have left the queues. */
static bool job_complete(const struct litmus_machine *m, const struct litmus_state *s, int job)
{
    if (!(s->submitted >> job & 1)) {
        return false;
    }
    for (unsigned t = 0; t < m->test->threads; t++) {
        const struct litmus_thread *thread = &m->test->thread[t];

        if (thread->job == job &&
            (s->done[t] != thread_all(thread) ||
             queue_has_thread(s->sm_queue[thread->sm], s->sm_n[thread->sm], t) ||
             queue_has_thread(s->gpu_queue, s->gpu_n, t))) {
            return false;
        }
    }
    return true;
}

static uint64_t size_mask(unsigned size)
{
    return size == 8 ? UINT64_MAX : (UINT64_C(1) << size * 8) - 1;
}

static bool src_known(const struct litmus_state *s, unsigned t, const struct litmus_event *e)
{
    return e->src < 0 || s->set[t] >> e->src & 1;
}

static uint64_t src_value(const struct litmus_state *s, unsigned t, const struct litmus_event *e)
{
    return (e->src < 0 ? e->value : s->reg[t][e->src]) & size_mask(e->size);
}

static void reg_set(struct litmus_state *s, unsigned t, const struct litmus_event *e,
                    uint64_t value)
{
    if (e->reg >= 0) {
        s->reg[t][e->reg] = value;
        s->set[t] |= (uint8_t)(1u << e->reg);
    }
}

static uint64_t rmw_apply(const struct litmus_state *s, unsigned t, const struct litmus_event *e,
                          uint64_t old)
{
    uint64_t operand = src_value(s, t, e);

    switch ((enum litmus_rmw)e->which) {
    case LITMUS_ADD:
        return (old + operand) & size_mask(e->size);
    case LITMUS_SWAP:
        return operand;
    case LITMUS_CAS:
        return old == (e->compare & size_mask(e->size)) ? operand : old;
    }
    return old;
}

/* --- faults: an agent that cannot reach the memory, or not now
 * ------------------------------------------ */

/* CUDA for Tegra, Table 1, 3.2 and 3.6; managed memory while the iGPU works: ARCHITECTURE,
 * section 2. */
static const char *event_fault(const struct litmus_machine *m, const struct litmus_state *s,
                               const struct litmus_thread *t, const struct litmus_event *e)
{
    enum litmus_kind kind;

    if (e->loc < 0) {
        return NULL;
    }
    kind = m->test->loc[e->loc].kind;
    if (t->agent == LITMUS_CPU) {
        if (kind == LITMUS_DEVICE) {
            return "device memory is not mapped for the CPU (Table 1)";
        }
        if (kind == LITMUS_MANAGED && s->active && !m->soc.concurrent_managed) {
            return "managed memory while the iGPU works on it (3.6)";
        }
        if (e->op == LITMUS_ATOMIC && !(m->view >> event_at(m, e) & 1)) {
            return "atomic on uncached memory (3.2)";
        }
        return NULL;
    }
    if (kind == LITMUS_PAGEABLE && !m->soc.pageable_on_gpu) {
        return "pageable memory is out of the engine's reach (Table 1)";
    }
    if (e->op == LITMUS_ATOMIC && e->scope == LITMUS_SYS && !m->soc.system_atomics) {
        return "system-scope atomic below cc 7.2 (3.6)";
    }
    return NULL;
}

/* --- iGPU: queues
 * ---------------------------------------------------------------------------------------- */

enum found { FOUND_NOTHING, FOUND_ALL, FOUND_PART };

/* The newest queued store to these bytes. */
static enum found queue_find(const struct litmus_machine *m, const struct litmus_state *s,
                             const uint8_t *queue, unsigned n, uint32_t mask, uint64_t *value)
{
    for (unsigned i = n; i-- > 0;) {
        const struct litmus_event *e = event_of(m, queue[i]);
        uint32_t have = event_mask(m, e);

        if ((have & mask) == mask) {
            unsigned shift = (unsigned)(__builtin_ctz(mask) - __builtin_ctz(have)) * 8;

            *value = src_value(s, queue[i] / LITMUS_EVENTS, e) >> shift &
                     size_mask((unsigned)__builtin_popcount(mask));
            return FOUND_ALL;
        }
        if (have & mask) {
            return FOUND_PART;
        }
    }
    return FOUND_NOTHING;
}

static void queue_remove(uint8_t *queue, uint8_t *n, unsigned place)
{
    memmove(queue + place, queue + place + 1, *n - place - 1u);
    queue[--*n] = 0;
}

/* An older store to the same bytes goes first. */
static bool queue_may_leave(const struct litmus_machine *m, const uint8_t *queue, unsigned place)
{
    uint32_t mask = event_mask(m, event_of(m, queue[place]));

    for (unsigned i = 0; i < place; i++) {
        if (event_mask(m, event_of(m, queue[i])) & mask) {
            return false;
        }
    }
    return true;
}

/* Memory that the iGPU does not keep to itself in its L2. */
static bool is_system(const struct litmus_machine *m, unsigned at)
{
    return !(m->cached >> at & 1) || m->snooped >> at & 1;
}

static bool queues_empty(const struct litmus_state *s, const struct litmus_thread *t,
                         enum litmus_scope scope)
{
    return (scope < LITMUS_GPU || s->sm_n[t->sm] == 0) && (scope < LITMUS_SYS || s->gpu_n == 0);
}

static bool gpu_ready(const struct litmus_machine *m, const struct litmus_state *s,
                      const struct litmus_thread *t, const struct litmus_event *e)
{
    uint32_t mask = event_mask(m, e);
    uint64_t value;
    enum found sm, gpu;

    switch (e->op) {
    case LITMUS_FENCE:
    case LITMUS_FENCE_REL:
        return queues_empty(s, t, e->scope);
    case LITMUS_SIGNAL:
        return queues_empty(s, t, LITMUS_SYS);
    case LITMUS_LOAD:
    case LITMUS_ATOMIC:
    case LITMUS_STORE:
        break;
    default:
        return true;
    }
    if (e->release && !queues_empty(s, t, e->scope)) {
        return false;
    }
    sm = queue_find(m, s, s->sm_queue[t->sm], s->sm_n[t->sm], mask, &value);
    gpu = queue_find(m, s, s->gpu_queue, s->gpu_n, mask, &value);
    switch (e->op) {
    case LITMUS_LOAD:
        return sm == FOUND_ALL || (sm == FOUND_NOTHING && gpu != FOUND_PART);
    case LITMUS_ATOMIC:
        return sm == FOUND_NOTHING && gpu == FOUND_NOTHING;
    default:
        return s->sm_n[t->sm] < LITMUS_QUEUE;
    }
}

/* Weak and CTA-scope loads may be answered by the SM's L1, which nobody keeps up to date: PTX ISA,
 * ld.ca ("may be stale"), and the profile's global_l1_cache. Pinned memory is uncached (Table 1).
 */
static uint64_t gpu_l1_load(const struct litmus_machine *m, struct litmus_state *s,
                            const struct litmus_thread *t, unsigned at, unsigned size,
                            const char **from)
{
    uint32_t sector = m->sector_mask[m->sector[at]], missing = sector & ~s->l1_valid[t->sm];

    *from = "L1 hit";
    if (bytes_mask(at, size) & missing) {
        bool hit = (s->l2_valid & sector) == sector;

        *from = m->snooped >> at & 1 ? "L1 filled through the port"
                : hit                ? "L1 filled, L2 hit"
                                     : "L1 filled, L2 filled";
        for (uint32_t todo = missing; todo; todo &= todo - 1) {
            unsigned i = (unsigned)__builtin_ctz(todo);

            s->l1[t->sm][i] = (uint8_t)cache_l2_load(m, s, i, 1);
        }
        s->l1_valid[t->sm] |= missing;
    }
    return bytes_get(s->l1[t->sm], at, size);
}

static uint64_t gpu_load(const struct litmus_machine *m, struct litmus_state *s,
                         const struct litmus_thread *t, const struct litmus_event *e,
                         const char **from)
{
    unsigned at = event_at(m, e);
    uint64_t value;

    *from = "store queue of the SM";
    if (queue_find(m, s, s->sm_queue[t->sm], s->sm_n[t->sm], event_mask(m, e), &value) ==
        FOUND_ALL) {
        return value;
    }
    *from = "store queue of the iGPU";
    if (queue_find(m, s, s->gpu_queue, s->gpu_n, event_mask(m, e), &value) == FOUND_ALL) {
        return value;
    }
    if (!(m->cached >> at & 1)) {
        *from = "uncached, through the port";
        return cache_port_load(m, s, at, e->size);
    }
    if (e->scope <= LITMUS_CTA && m->soc.l1) {
        return gpu_l1_load(m, s, t, at, e->size, from);
    }
    *from = m->snooped >> at & 1                                   ? "through the port"
            : (event_mask(m, e) & s->l2_valid) == event_mask(m, e) ? "L2 hit"
                                                                   : "L2 filled";
    return cache_l2_load(m, s, at, e->size);
}

static void l1_drop(struct litmus_state *s, unsigned sm, uint32_t mask)
{
    s->l1_valid[sm] &= ~mask;
    for (; mask; mask &= mask - 1) {
        s->l1[sm][__builtin_ctz(mask)] = 0;
    }
}

/* A store that has reached its place: L2, or through the port. */
static void gpu_store(const struct litmus_machine *m, struct litmus_state *s, unsigned at,
                      unsigned size, uint64_t value)
{
    uint8_t data[LITMUS_BYTES];

    if (m->cached >> at & 1) {
        cache_l2_store(m, s, at, size, value);
    } else {
        bytes_set(data, at, size, value);
        cache_port_store(m, s, data, bytes_mask(at, size));
    }
}

/* From the SM to the L2 (or to the iGPU's queue); the SM's L1 is written through. */
static void sm_drain(const struct litmus_machine *m, struct litmus_state *s, unsigned sm,
                     unsigned place)
{
    unsigned code = s->sm_queue[sm][place], thread = code / LITMUS_EVENTS;
    const struct litmus_event *e = event_of(m, code);
    unsigned at = event_at(m, e);
    uint64_t value = src_value(s, thread, e);

    queue_remove(s->sm_queue[sm], &s->sm_n[sm], place);
    for (unsigned i = 0; i < e->size; i++) {
        if (s->l1_valid[sm] >> (at + i) & 1) {
            s->l1[sm][at + i] = (uint8_t)(value >> 8 * i);
        }
    }
    if (is_system(m, at)) {
        s->gpu_queue[s->gpu_n++] = (uint8_t)code;
    } else {
        gpu_store(m, s, at, e->size, value);
    }
}

static void gpu_drain(const struct litmus_machine *m, struct litmus_state *s, unsigned place)
{
    unsigned code = s->gpu_queue[place];
    const struct litmus_event *e = event_of(m, code);
    uint64_t value = src_value(s, code / LITMUS_EVENTS, e);

    queue_remove(s->gpu_queue, &s->gpu_n, place);
    gpu_store(m, s, event_at(m, e), e->size, value);
}

/* At the L2, or at the port. Without native atomics the port keeps other engines out, but not the
 * CPU (hostNativeAtomicSupported = 0): the read is one step, the write the next. Inferred. */
static void gpu_atomic(const struct litmus_machine *m, struct litmus_state *s, unsigned thread,
                       const struct litmus_event *e)
{
    const struct litmus_thread *t = &m->test->thread[thread];
    unsigned at = event_at(m, e), code = (unsigned)(e - t->event);
    uint64_t old;

    if (s->busy) {
        gpu_store(m, s, at, e->size, rmw_apply(s, thread, e, s->reg[thread][e->reg]));
        s->busy = 0;
    } else {
        old = m->cached >> at & 1 ? cache_l2_load(m, s, at, e->size)
                                  : cache_port_load(m, s, at, e->size);
        reg_set(s, thread, e, old);
        if (is_system(m, at) && !m->soc.native_atomics) {
            s->busy = (uint8_t)(thread + 1);
            return;
        }
        gpu_store(m, s, at, e->size, rmw_apply(s, thread, e, old));
    }
    l1_drop(s, t->sm, m->sector_mask[m->sector[at]]);
    if (e->acquire && e->scope >= LITMUS_GPU) {
        l1_drop(s, t->sm, UINT32_MAX);
    }
    s->done[thread] |= 1u << code;
}

static const char *gpu_perform(const struct litmus_machine *m, struct litmus_state *s,
                               unsigned thread, unsigned code)
{
    const struct litmus_thread *t = &m->test->thread[thread];
    const struct litmus_event *e = &t->event[code];
    const char *from = NULL;

    switch (e->op) {
    case LITMUS_LOAD:
        reg_set(s, thread, e, gpu_load(m, s, t, e, &from));
        if (e->acquire && e->scope >= LITMUS_GPU) {
            l1_drop(s, t->sm, UINT32_MAX);
        }
        break;
    case LITMUS_STORE:
        s->sm_queue[t->sm][s->sm_n[t->sm]++] = (uint8_t)(thread * LITMUS_EVENTS + code);
        break;
    case LITMUS_ATOMIC:
        gpu_atomic(m, s, thread, e);
        return s->busy ? "read; the CPU can come in between" : NULL;
    case LITMUS_FENCE:
    case LITMUS_FENCE_ACQ:
        if (e->scope >= LITMUS_GPU) {
            l1_drop(s, t->sm, UINT32_MAX);
        }
        break;
    case LITMUS_START: /* a kernel begins with an empty L1 */
    case LITMUS_AWAIT:
        l1_drop(s, t->sm, UINT32_MAX);
        break;
    case LITMUS_SIGNAL:
        s->edges |= (uint8_t)(1u << e->job);
        break;
    default:
        break;
    }
    s->done[thread] |= 1u << code;
    return from;
}

/* --- CPU
 * ---------------------------------------------------------------------------------------------------
 */

/* The newest earlier store of the thread to these bytes that is not performed yet. */
static const struct litmus_event *cpu_pending(const struct litmus_machine *m,
                                              const struct litmus_state *s, unsigned thread,
                                              unsigned code)
{
    const struct litmus_thread *t = &m->test->thread[thread];

    for (unsigned i = code; i-- > 0;) {
        const struct litmus_event *e = &t->event[i];

        if ((e->op == LITMUS_STORE || e->op == LITMUS_ATOMIC) && !(s->done[thread] >> i & 1) &&
            event_mask(m, e) & event_mask(m, &t->event[code])) {
            return e;
        }
    }
    return NULL;
}

/* A load may take its bytes from an earlier store of its own that nobody else sees yet, if they are
 * all there and known. */
static bool cpu_load_ready(const struct litmus_machine *m, const struct litmus_state *s,
                           unsigned thread, unsigned code)
{
    uint32_t mask = event_mask(m, &m->test->thread[thread].event[code]);
    const struct litmus_event *e = cpu_pending(m, s, thread, code);

    return !e ||
           (e->op == LITMUS_STORE && (event_mask(m, e) & mask) == mask && src_known(s, thread, e));
}

static uint64_t cpu_load(const struct litmus_machine *m, struct litmus_state *s, unsigned thread,
                         unsigned code, const char **from)
{
    const struct litmus_event *e = &m->test->thread[thread].event[code];
    const struct litmus_event *store = cpu_pending(m, s, thread, code);
    unsigned at = event_at(m, e);

    if (store) {
        *from = "store buffer";
        return src_value(s, thread, store) >> (at - event_at(m, store)) * 8 & size_mask(e->size);
    }
    if (m->transparent) {
        *from = "memory";
    } else if (!(m->view >> at & 1)) {
        *from = "uncached, DRAM";
    } else {
        *from =
            s->cpu_valid >> m->cpu_line[at] & 1 ? "CPU cache hit" : "CPU cache filled from DRAM";
    }
    return cache_cpu_load(m, s, at, e->size);
}

static void managed_lines_maintain(const struct litmus_machine *m, struct litmus_state *s,
                                   enum litmus_dc what)
{
    for (unsigned line = 0; line < m->cpu_lines; line++) {
        if (m->cpu_mask[line] & m->managed && !m->soc.io_coherent) {
            cache_cpu_maintain(m, s, line, what);
        }
    }
}

/* The iGPU's L2 is the driver's business "when managed memory or interop memory is used" (2.1), and
 * nobody's where CPU accesses snoop it. */
static bool driver_keeps_l2(const struct litmus_machine *m)
{
    for (unsigned i = 0; i < m->test->locs; i++) {
        enum litmus_kind kind = m->test->loc[i].kind;

        if ((kind == LITMUS_MANAGED || kind == LITMUS_INTEROP) && !m->soc.cpu_snoops_l2) {
            return true;
        }
    }
    return false;
}

/* CUDA for Tegra 3.1: "coherency and cache maintenance operations during the kernel launch,
 * synchronization"; which ones: runtime/driver/coherency.c. */
static void driver_launch(const struct litmus_machine *m, struct litmus_state *s, int job)
{
    managed_lines_maintain(m, s, LITMUS_CVAC);
    if (driver_keeps_l2(m)) {
        cache_l2_clean(m, s);
        cache_l2_invalidate(m, s);
    }
    s->active |= (uint8_t)(1u << job);
    s->submitted |= (uint8_t)(1u << job);
}

static void driver_sync(const struct litmus_machine *m, struct litmus_state *s, int job)
{
    s->active &= (uint8_t) ~(1u << job);
    if (s->active == 0) {
        if (driver_keeps_l2(m)) {
            cache_l2_clean(m, s);
        }
        managed_lines_maintain(m, s, LITMUS_IVAC);
    }
}

static const char *cpu_perform(const struct litmus_machine *m, struct litmus_state *s,
                               unsigned thread, unsigned code)
{
    const struct litmus_event *e = &m->test->thread[thread].event[code];
    const char *from = NULL;
    unsigned at = e->loc < 0 ? 0 : event_at(m, e);
    uint64_t old;

    switch (e->op) {
    case LITMUS_LOAD:
        reg_set(s, thread, e, cpu_load(m, s, thread, code, &from));
        break;
    case LITMUS_STORE:
        cache_cpu_store(m, s, at, e->size, src_value(s, thread, e));
        break;
    case LITMUS_ATOMIC:
        old = cache_cpu_load(m, s, at, e->size);
        reg_set(s, thread, e, old);
        cache_cpu_store(m, s, at, e->size, rmw_apply(s, thread, e, old));
        break;
    case LITMUS_DC:
        if (m->view >> at & 1) {
            cache_cpu_maintain(m, s, m->cpu_line[at], (enum litmus_dc)e->which);
        }
        break;
    case LITMUS_L2_CLEAN:
        cache_l2_clean(m, s);
        break;
    case LITMUS_L2_FLUSH:
        cache_l2_clean(m, s);
        cache_l2_invalidate(m, s);
        break;
    case LITMUS_L2_INVALIDATE:
        cache_l2_invalidate(m, s);
        break;
    case LITMUS_DOORBELL:
    case LITMUS_SUBMIT:
        s->submitted |= (uint8_t)(1u << e->job);
        break;
    case LITMUS_LAUNCH:
        driver_launch(m, s, e->job);
        break;
    case LITMUS_SYNC:
        driver_sync(m, s, e->job);
        break;
    case LITMUS_SIGNAL:
        s->edges |= (uint8_t)(1u << e->job);
        break;
    default:
        break;
    }
    s->done[thread] |= 1u << code;
    return from;
}

/* --- copy engine (through the L2, as the iGPU), DLA and other engines (through the port)
 * -------------------- */

static const char *engine_perform(const struct litmus_machine *m, struct litmus_state *s,
                                  unsigned thread, unsigned code)
{
    const struct litmus_thread *t = &m->test->thread[thread];
    const struct litmus_event *e = &t->event[code];
    bool l2 = false;
    unsigned at = 0;
    uint8_t data[LITMUS_BYTES];

    if (e->loc >= 0) {
        at = event_at(m, e);
        l2 = t->agent == LITMUS_CE && m->cached >> at & 1;
    }
    s->done[thread] |= 1u << code;
    switch (e->op) {
    case LITMUS_LOAD:
        reg_set(s, thread, e,
                l2 ? cache_l2_load(m, s, at, e->size) : cache_port_load(m, s, at, e->size));
        return l2 ? "through the L2" : "through the port";
    case LITMUS_STORE:
        if (l2) {
            cache_l2_store(m, s, at, e->size, src_value(s, thread, e));
        } else {
            bytes_set(data, at, e->size, src_value(s, thread, e));
            cache_port_store(m, s, data, bytes_mask(at, e->size));
        }
        return l2 ? "into the L2" : "through the port";
    case LITMUS_SIGNAL:
        s->edges |= (uint8_t)(1u << e->job);
        return NULL;
    default:
        return NULL;
    }
}

/* --- steps
 * ---------------------------------------------------------------------------------------------------
 */

static bool event_ready(const struct litmus_machine *m, const struct litmus_state *s,
                        unsigned thread, unsigned code)
{
    const struct litmus_thread *t = &m->test->thread[thread];
    const struct litmus_event *e = &t->event[code];

    if (s->done[thread] >> code & 1 || m->before[thread][code] & ~s->done[thread]) {
        return false;
    }
    if (event_fault(m, s, t, e)) {
        return true;
    }
    switch (e->op) {
    case LITMUS_START:
        return s->submitted >> e->job & 1;
    case LITMUS_WAIT:
    case LITMUS_SYNC:
        return job_complete(m, s, e->job);
    case LITMUS_AWAIT:
        return s->edges >> e->job & 1;
    case LITMUS_STORE:
    case LITMUS_ATOMIC:
        if (!src_known(s, thread, e)) {
            return false;
        }
        break;
    case LITMUS_LOAD:
        if (t->agent == LITMUS_CPU && !cpu_load_ready(m, s, thread, code)) {
            return false;
        }
        break;
    default:
        break;
    }
    return t->agent != LITMUS_IGPU || gpu_ready(m, s, t, e);
}

/* In the middle of an atomic at the port only the CPU goes on. */
static bool event_goes_on(const struct litmus_machine *m, const struct litmus_state *s,
                          unsigned thread, unsigned code)
{
    const struct litmus_thread *t = &m->test->thread[thread];

    if (!s->busy || t->agent == LITMUS_CPU) {
        return event_ready(m, s, thread, code);
    }
    return s->busy == thread + 1u && t->event[code].op == LITMUS_ATOMIC &&
           !(s->done[thread] >> code & 1) && s->set[thread] >> t->event[code].reg & 1;
}

static uint32_t future_cpu_bytes(const struct litmus_machine *m, const struct litmus_state *s)
{
    uint32_t bytes = m->looked_cpu;

    for (unsigned t = 0; t < m->test->threads; t++) {
        const struct litmus_thread *thread = &m->test->thread[t];

        for (unsigned e = 0; e < thread->n && thread->agent == LITMUS_CPU; e++) {
            if (!(s->done[t] >> e & 1) && thread->event[e].loc >= 0) {
                bytes |= m->cpu_mask[m->cpu_line[event_at(m, &thread->event[e])]];
            }
        }
    }
    return bytes;
}

static bool line_protected(const struct litmus_machine *m, const struct litmus_state *s,
                           unsigned line)
{
    return m->cpu_mask[line] & m->managed && s->active && !m->soc.concurrent_managed;
}

static unsigned spontaneous(const struct litmus_machine *m, const struct litmus_state *s,
                            struct litmus_step *step, unsigned n)
{
    uint32_t future = m->reduce ? future_cpu_bytes(m, s) : UINT32_MAX;

    for (unsigned i = 0; i < m->cpu_lines && !m->transparent; i++) {
        bool valid = s->cpu_valid >> i & 1;

        if (valid) {
            step[n++] = (struct litmus_step){ LITMUS_STEP_CPU_EVICT, 0, (uint8_t)i };
        } else if (m->cpu_mask[i] & m->view & future && !line_protected(m, s, i)) {
            /* Arm ARM, Cache support: a cacheable location may be read speculatively at any time */
            step[n++] = (struct litmus_step){ LITMUS_STEP_CPU_FILL, 0, (uint8_t)i };
        }
    }
    for (unsigned i = 0; i < m->l2_lines && !s->busy; i++) {
        if (s->l2_valid & m->l2_mask[i]) {
            step[n++] = (struct litmus_step){ LITMUS_STEP_L2_EVICT, 0, (uint8_t)i };
        }
    }
    for (unsigned sm = 0; sm < m->test->sms && !s->busy; sm++) {
        for (unsigned i = 0; i < m->sectors; i++) {
            if (s->l1_valid[sm] & m->sector_mask[i]) {
                step[n++] = (struct litmus_step){ LITMUS_STEP_L1_EVICT, (uint8_t)sm, (uint8_t)i };
            }
        }
    }
    return n;
}

unsigned machine_steps(const struct litmus_machine *m, const struct litmus_state *s,
                       struct litmus_step step[LITMUS_STEPS], unsigned *program)
{
    unsigned n = 0;

    for (unsigned t = 0; t < m->test->threads; t++) {
        for (unsigned e = 0; e < m->test->thread[t].n; e++) {
            if (event_goes_on(m, s, t, e)) {
                step[n++] = (struct litmus_step){ LITMUS_STEP_EVENT, (uint8_t)t, (uint8_t)e };
            }
        }
    }
    for (unsigned sm = 0; sm < m->test->sms && !s->busy; sm++) {
        for (unsigned i = 0; i < s->sm_n[sm]; i++) {
            if (queue_may_leave(m, s->sm_queue[sm], i) && s->gpu_n < LITMUS_QUEUE) {
                step[n++] = (struct litmus_step){ LITMUS_STEP_SM_DRAIN, (uint8_t)sm, (uint8_t)i };
            }
        }
    }
    for (unsigned i = 0; i < s->gpu_n && !s->busy; i++) {
        if (queue_may_leave(m, s->gpu_queue, i)) {
            step[n++] = (struct litmus_step){ LITMUS_STEP_GPU_DRAIN, 0, (uint8_t)i };
        }
    }
    *program = n;
    return spontaneous(m, s, step, n);
}

static void event_perform(const struct litmus_machine *m, struct litmus_state *s, unsigned thread,
                          unsigned code, char **note)
{
    const struct litmus_thread *t = &m->test->thread[thread];
    const struct litmus_event *e = &t->event[code];
    const char *fault = event_fault(m, s, t, e), *from;

    if (fault) {
        s->fault |= (uint8_t)(1u << thread);
        s->done[thread] = thread_all(t);
        if (note) {
            *note = g_strdup_printf("fault: %s", fault);
        }
        return;
    }
    from = t->agent == LITMUS_CPU    ? cpu_perform(m, s, thread, code)
           : t->agent == LITMUS_IGPU ? gpu_perform(m, s, thread, code)
                                     : engine_perform(m, s, thread, code);
    if (note && (e->op == LITMUS_LOAD || e->op == LITMUS_ATOMIC)) {
        *note = g_strdup_printf("= %" G_GUINT64_FORMAT "%s%s", s->reg[thread][e->reg],
                                from ? ", " : "", from ? from : "");
    } else if (note && from) {
        *note = g_strdup(from);
    }
}

void machine_apply(const struct litmus_machine *m, struct litmus_state *s, struct litmus_step step,
                   char **note)
{
    if (note) {
        *note = NULL;
    }
    switch ((enum litmus_step_kind)step.kind) {
    case LITMUS_STEP_EVENT:
        event_perform(m, s, step.a, step.b, note);
        break;
    case LITMUS_STEP_SM_DRAIN:
        sm_drain(m, s, step.a, step.b);
        break;
    case LITMUS_STEP_GPU_DRAIN:
        gpu_drain(m, s, step.b);
        break;
    case LITMUS_STEP_CPU_EVICT:
        if (note && s->cpu_dirty >> step.b & 1) {
            *note = g_strdup("dirty: written back, the whole line");
        }
        cache_cpu_evict(m, s, step.b);
        break;
    case LITMUS_STEP_CPU_FILL:
        cache_cpu_fill(m, s, step.b);
        break;
    case LITMUS_STEP_L2_EVICT:
        if (note && s->l2_dirty & m->l2_mask[step.b]) {
            *note = g_strdup("dirty bytes written back");
        }
        cache_l2_evict(m, s, step.b);
        break;
    case LITMUS_STEP_L1_EVICT:
        l1_drop(s, step.a, m->sector_mask[step.b]);
        break;
    }
}
