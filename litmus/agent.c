/* SPDX-License-Identifier: MIT */
/* Steps: an operation of a thread is performed, a queued store becomes visible further out, a line
 * comes or goes on its own. What an operation does: cpu.c, gpu.c, and here for the copy engine and
 * the others. */
#include "litmus/agent.h"

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
             queue_has_thread(s->gpu_queue[thread_gpu(thread)], s->gpu_n[thread_gpu(thread)], t))) {
            return false;
        }
    }
    return true;
}

bool event_src_known(const struct litmus_machine *m, const struct litmus_state *s, unsigned t,
                     const struct litmus_event *e)
{
    if (e->expr >= 0) {
        return expr_known(s, &m->test->thread[t], t, (unsigned)e->expr);
    }
    return e->src < 0 || s->set[t] >> e->src & 1;
}

uint64_t event_src_value(const struct litmus_machine *m, const struct litmus_state *s, unsigned t,
                         const struct litmus_event *e)
{
    uint64_t value = e->expr >= 0 ? expr_value(s, &m->test->thread[t], t, (unsigned)e->expr)
                     : e->src < 0 ? e->value
                                  : s->reg[t][e->src];

    return value & size_mask(e->size);
}

void event_reg_set(struct litmus_state *s, unsigned t, const struct litmus_event *e, uint64_t value)
{
    if (e->reg >= 0) {
        s->reg[t][e->reg] = value;
        s->set[t] |= (uint16_t)(1u << e->reg);
    }
}

uint64_t event_rmw_apply(const struct litmus_machine *m, const struct litmus_state *s, unsigned t,
                         const struct litmus_event *e, uint64_t old)
{
    uint64_t operand = event_src_value(m, s, t, e);

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

/* --- faults: an agent that cannot reach the memory, or not now -------------------------------- */

/* CUDA for Tegra, Table 1, 3.2 and 3.6; managed memory while the iGPU works: 3.1 and the
 * concurrentManagedAccess of the profile. */
static const char *event_fault(const struct litmus_machine *m, const struct litmus_state *s,
                               const struct litmus_thread *t, const struct litmus_event *e)
{
    enum litmus_kind kind;

    if (e->loc < 0) {
        return NULL;
    }
    kind = m->test->loc[e->loc].kind;
    if (t->agent == LITMUS_CPU) {
        if (m->closed_cpu >> event_at(m, e) & 1) {
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
    if (m->closed[thread_gpu(t)] >> event_at(m, e) & 1) {
        return kind == LITMUS_PAGEABLE  ? "pageable memory is out of the engine's reach (Table 1)"
               : kind == LITMUS_MANAGED ? "unified memory is not supported on a discrete GPU (3.6)"
               : kind == LITMUS_VIDMEM  ? "the discrete GPU's own memory: no peer access (3.6)"
                                        : "the integrated GPU's memory: no peer access (3.6)";
    }
    if (e->op == LITMUS_ATOMIC && e->scope == LITMUS_SYS &&
        !m->soc.gpu[thread_gpu(t)].system_atomics) {
        return "system-scope atomic below cc 7.2 (3.6)";
    }
    return NULL;
}

/* --- copy engines (through the L2, as their GPU), DLA and other engines (through the port) ---- */

static const char *engine_perform(const struct litmus_machine *m, struct litmus_state *s,
                                  unsigned thread, unsigned code)
{
    const struct litmus_thread *t = &m->test->thread[thread];
    const struct litmus_event *e = &t->event[code];
    enum litmus_gpu gpu = thread_gpu(t);
    bool l2 = false;
    unsigned at = 0;
    uint8_t data[LITMUS_BYTES];

    if (e->loc >= 0) {
        at = event_at(m, e);
        l2 = (t->agent == LITMUS_CE || t->agent == LITMUS_DCE) && m->cached[gpu] >> at & 1;
    }
    s->done[thread] |= 1u << code;
    switch (e->op) {
    case LITMUS_LOAD:
        event_reg_set(s, thread, e,
                      l2 ? cache_l2_load(m, s, gpu, at, e->size)
                         : cache_port_load(m, s, at, e->size));
        return l2 ? "through the L2" : "through the port";
    case LITMUS_STORE:
        if (l2) {
            cache_l2_store(m, s, gpu, at, e->size, event_src_value(m, s, thread, e));
        } else {
            bytes_set(data, at, e->size, event_src_value(m, s, thread, e));
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

/* --- steps ------------------------------------------------------------------------------------ */

/* Arm ARM B2.9: a store-exclusive succeeds only if its location was not written since the load. The
 * run that waits here ends nowhere: failing is a way of its own (herd_path.c). */
static bool exclusive_lost(const struct litmus_state *s, const struct litmus_thread *t,
                           unsigned thread, const struct litmus_event *e)
{
    return e->rmw >= 0 && s->lost[thread] >> t->event[e->rmw].reg & 1;
}

/* Another thread has performed a load of these bytes before an earlier one of them: until that is
 * performed no store may come between. One that takes its value from a store on its way does not
 * see it. */
static bool loads_swapped(const struct litmus_machine *m, const struct litmus_state *s,
                          unsigned thread, uint32_t mask)
{
    for (unsigned t = 0; t < m->test->threads && m->swaps; t++) {
        const struct litmus_thread *other = &m->test->thread[t];

        for (unsigned j = 0, early = 0; j < other->n && t != thread; j++) {
            bool load = other->event[j].op == LITMUS_LOAD && event_mask(m, &other->event[j]) & mask;

            if (load && s->done[t] >> j & 1 && early) {
                return true;
            }
            early |= load && !(s->done[t] >> j & 1) && !cpu_pending(m, s, t, j);
        }
    }
    return false;
}

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
        if (!event_src_known(m, s, thread, e) || exclusive_lost(s, t, thread, e) ||
            loads_swapped(m, s, thread, event_mask(m, e))) {
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
    return !thread_runs_ptx(t) || gpu_ready(m, s, t, e);
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

static unsigned agent_spontaneous(const struct litmus_machine *m, const struct litmus_state *s,
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
    for (unsigned gpu = 0; gpu < m->gpus && !s->busy; gpu++) {
        for (unsigned i = 0; i < m->l2_lines; i++) {
            if (s->l2_valid[gpu] & m->l2_mask[i]) {
                step[n++] = (struct litmus_step){ LITMUS_STEP_L2_EVICT, (uint8_t)gpu, (uint8_t)i };
            }
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
            if (gpu_queue_may_leave(m, s->sm_queue[sm], i) &&
                s->gpu_n[m->sm_gpu[sm]] < LITMUS_QUEUE) {
                step[n++] = (struct litmus_step){ LITMUS_STEP_SM_DRAIN, (uint8_t)sm, (uint8_t)i };
            }
        }
    }
    for (unsigned gpu = 0; gpu < m->gpus && !s->busy; gpu++) {
        for (unsigned i = 0; i < s->gpu_n[gpu]; i++) {
            if (gpu_queue_may_leave(m, s->gpu_queue[gpu], i)) {
                step[n++] = (struct litmus_step){ LITMUS_STEP_GPU_DRAIN, (uint8_t)gpu, (uint8_t)i };
            }
        }
    }
    *program = n;
    return agent_spontaneous(m, s, step, n);
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
    if (note && t->agent == LITMUS_CPU) {
        *note = cpu_call_text(m, s, e);
    }
    from = t->agent == LITMUS_CPU ? cpu_perform(m, s, thread, code)
           : thread_runs_ptx(t)   ? gpu_perform(m, s, thread, code)
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
        gpu_sm_drain(m, s, step.a, step.b);
        break;
    case LITMUS_STEP_GPU_DRAIN:
        gpu_drain(m, s, (enum litmus_gpu)step.a, step.b);
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
        if (note && s->l2_dirty[step.a] & m->l2_mask[step.b]) {
            *note = g_strdup("dirty bytes written back");
        }
        cache_l2_evict(m, s, (enum litmus_gpu)step.a, step.b);
        break;
    case LITMUS_STEP_L1_EVICT:
        gpu_l1_drop(s, step.a, m->sector_mask[step.b]);
        break;
    }
}
