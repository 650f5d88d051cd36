/* SPDX-License-Identifier: MIT */
/* The CPUs' threads, and what the CUDA driver does on their behalf.
 *
 * A store is performed when all CPUs can see it (Armv8 is other-multi-copy atomic: Arm ARM B2.3),
 * so a thread's own later load is the only one that may see it earlier.
 */
#include "litmus/agent.h"

/* The newest earlier store of the thread to these bytes that is not performed yet. */
const struct litmus_event *cpu_pending(const struct litmus_machine *m, const struct litmus_state *s,
                                       unsigned thread, unsigned code)
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

/* A load may take its bytes from an earlier store of its own that no other agent sees yet, if they
 * are all there and known. */
bool cpu_load_ready(const struct litmus_machine *m, const struct litmus_state *s, unsigned thread,
                    unsigned code)
{
    uint32_t mask = event_mask(m, &m->test->thread[thread].event[code]);
    const struct litmus_event *e = cpu_pending(m, s, thread, code);

    return !e || (e->op == LITMUS_STORE && (event_mask(m, e) & mask) == mask &&
                  event_src_known(m, s, thread, e));
}

static uint64_t cpu_load(const struct litmus_machine *m, struct litmus_state *s, unsigned thread,
                         unsigned code, const char **from)
{
    const struct litmus_event *e = &m->test->thread[thread].event[code];
    const struct litmus_event *store = cpu_pending(m, s, thread, code);
    unsigned at = event_at(m, e);

    if (store) {
        *from = "store buffer";
        return event_src_value(m, s, thread, store) >> (at - event_at(m, store)) * 8 &
               size_mask(e->size);
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
        if (m->cpu_mask[line] & m->managed && m->soc.driver_keeps_cpu_caches) {
            cache_cpu_maintain(m, s, line, what);
        }
    }
}

/* The iGPU's L2 is the driver's business "when managed memory or interop memory is used" (2.1), and
 * no CPU's where CPU accesses snoop it. That of a discrete GPU is where it caches interop memory:
 * NvSci's GpuSwNeedCacheCoherency (inferred for a launch). */
static bool driver_keeps_l2(const struct litmus_machine *m, enum litmus_gpu gpu)
{
    for (unsigned i = 0; i < m->test->locs; i++) {
        enum litmus_kind kind = m->test->loc[i].kind;
        bool shared =
            kind == LITMUS_INTEROP_DGPU ||
            (gpu == LITMUS_GPU_INTEGRATED && (kind == LITMUS_MANAGED || kind == LITMUS_INTEROP));

        if (shared && m->soc.driver_keeps_l2) {
            return true;
        }
    }
    return false;
}

/* A job runs on one GPU; one of other engines has the integrated GPU's maintenance. */
static enum litmus_gpu job_gpu(const struct litmus_machine *m, int job)
{
    for (unsigned t = 0; t < m->test->threads; t++) {
        const struct litmus_thread *thread = &m->test->thread[t];

        if (thread->job == job && thread_gpu(thread) == LITMUS_GPU_DISCRETE) {
            return LITMUS_GPU_DISCRETE;
        }
    }
    return LITMUS_GPU_INTEGRATED;
}

/* CUDA for Tegra 3.1: "coherency and cache maintenance operations during the kernel launch,
 * synchronization"; which ones: runtime/driver/memory/coherency.c. */
static void driver_launch(const struct litmus_machine *m, struct litmus_state *s, int job)
{
    enum litmus_gpu gpu = job_gpu(m, job);

    if (gpu == LITMUS_GPU_INTEGRATED) { /* the other one has no managed memory */
        managed_lines_maintain(m, s, LITMUS_CVAC);
        s->active |= (uint8_t)(1u << job);
    }
    if (driver_keeps_l2(m, gpu)) {
        cache_l2_clean(m, s, gpu);
        cache_l2_invalidate(s, gpu);
    }
    s->submitted |= (uint8_t)(1u << job);
}

static void driver_sync(const struct litmus_machine *m, struct litmus_state *s, int job)
{
    if (job_gpu(m, job) == LITMUS_GPU_DISCRETE) {
        if (driver_keeps_l2(m, LITMUS_GPU_DISCRETE)) {
            cache_l2_clean(m, s, LITMUS_GPU_DISCRETE);
        }
        return;
    }
    s->active &= (uint8_t)~(1u << job);
    if (s->active == 0) {
        if (driver_keeps_l2(m, LITMUS_GPU_INTEGRATED)) {
            cache_l2_clean(m, s, LITMUS_GPU_INTEGRATED);
        }
        managed_lines_maintain(m, s, LITMUS_IVAC);
    }
}

/* --- words for the witness -------------------------------------------------------------------- */

static void cpu_text_add(GString *text, bool so, const char *what)
{
    if (so) {
        g_string_append_printf(text, "%s%s", text->len ? ", " : "", what);
    }
}

static char *launch_text(const struct litmus_machine *m, int job)
{
    GString *text = g_string_new(NULL);
    enum litmus_gpu gpu = job_gpu(m, job);
    bool managed = m->managed && gpu == LITMUS_GPU_INTEGRATED;

    cpu_text_add(text, managed && m->soc.driver_keeps_cpu_caches,
                 "CPU lines of managed memory cleaned");
    cpu_text_add(text, driver_keeps_l2(m, gpu),
                 gpu ? "the dGPU's L2 cleaned and invalidated" : "L2 cleaned and invalidated");
    cpu_text_add(text, managed && !m->soc.concurrent_managed, "managed memory closed to CPUs");
    cpu_text_add(text, text->len == 0, "no maintenance");
    return g_string_free(text, FALSE);
}

static char *sync_text(const struct litmus_machine *m, const struct litmus_state *s, int job)
{
    GString *text = g_string_new(NULL);
    enum litmus_gpu gpu = job_gpu(m, job);
    bool managed = m->managed && gpu == LITMUS_GPU_INTEGRATED;

    if (gpu == LITMUS_GPU_INTEGRATED && s->active & ~(1u << job)) {
        cpu_text_add(text, true, "another job runs: no maintenance yet");
        return g_string_free(text, FALSE);
    }
    cpu_text_add(text, driver_keeps_l2(m, gpu), gpu ? "the dGPU's L2 cleaned" : "L2 cleaned");
    cpu_text_add(text, managed && m->soc.driver_keeps_cpu_caches,
                 "CPU lines of managed memory invalidated");
    cpu_text_add(text, managed && !m->soc.concurrent_managed, "managed memory open to CPUs");
    cpu_text_add(text, text->len == 0, "no maintenance");
    return g_string_free(text, FALSE);
}

/* Where the CPU caches are left out of the states nobody knows what is dirty. */
static char *dc_text(const struct litmus_machine *m, const struct litmus_state *s,
                     const struct litmus_event *e)
{
    unsigned at = event_at(m, e);

    if (!(m->view >> at & 1)) {
        return g_strdup("uncached: nothing to do");
    }
    if (m->transparent) {
        return NULL;
    }
    if (!(s->cpu_dirty >> m->cpu_line[at] & 1)) {
        return g_strdup("nothing dirty");
    }
    return g_strdup(e->which == LITMUS_IVAC ? "dirty bytes thrown away"
                                            : "dirty: written back, the whole line");
}

char *cpu_call_text(const struct litmus_machine *m, const struct litmus_state *s,
                    const struct litmus_event *e)
{
    switch (e->op) {
    case LITMUS_DC:
        return dc_text(m, s, e);
    case LITMUS_L2_CLEAN:
    case LITMUS_L2_FLUSH:
        return g_strdup(s->l2_dirty[e->which] ? "dirty bytes written back" : "nothing dirty");
    case LITMUS_L2_INVALIDATE:
        return g_strdup(s->l2_dirty[e->which] ? "dirty bytes thrown away" : "nothing dirty");
    case LITMUS_DOORBELL:
        return g_strdup("no barrier, no maintenance");
    case LITMUS_SUBMIT:
        return g_strdup("a barrier, no maintenance");
    case LITMUS_WAIT:
        return g_strdup("complete, no maintenance");
    case LITMUS_LAUNCH:
        return launch_text(m, e->job);
    case LITMUS_SYNC:
        return sync_text(m, s, e->job);
    default:
        return NULL;
    }
}

/* Other threads' exclusive loads of these bytes, done and without their stores, lose them. A load
 * that took its value from a store on its way has not lost it: that store comes later still. */
static void exclusives_lose(const struct litmus_machine *m, struct litmus_state *s, unsigned thread,
                            uint32_t mask)
{
    for (unsigned t = 0; t < m->test->threads; t++) {
        const struct litmus_thread *other = &m->test->thread[t];

        for (unsigned i = 0; i < other->n && t != thread; i++) {
            int load = other->event[i].rmw;

            if (load >= 0 && !(s->done[t] >> i & 1) && s->done[t] >> load & 1 &&
                event_mask(m, &other->event[load]) & mask &&
                !cpu_pending(m, s, t, (unsigned)load)) {
                s->lost[t] |= (uint16_t)(1u << other->event[load].reg);
            }
        }
    }
}

const char *cpu_perform(const struct litmus_machine *m, struct litmus_state *s, unsigned thread,
                        unsigned code)
{
    const struct litmus_event *e = &m->test->thread[thread].event[code];
    const char *from = NULL;
    unsigned at = e->loc < 0 ? 0 : event_at(m, e);
    uint64_t old;

    switch (e->op) {
    case LITMUS_LOAD:
        event_reg_set(s, thread, e, cpu_load(m, s, thread, code, &from));
        break;
    case LITMUS_STORE:
        cache_cpu_store(m, s, at, e->size, event_src_value(m, s, thread, e));
        exclusives_lose(m, s, thread, event_mask(m, e));
        break;
    case LITMUS_ATOMIC:
        old = cache_cpu_load(m, s, at, e->size);
        event_reg_set(s, thread, e, old);
        cache_cpu_store(m, s, at, e->size, event_rmw_apply(m, s, thread, e, old));
        break;
    case LITMUS_DC:
        if (m->view >> at & 1) {
            cache_cpu_maintain(m, s, m->cpu_line[at], (enum litmus_dc)e->which);
        }
        break;
    case LITMUS_L2_CLEAN:
        cache_l2_clean(m, s, (enum litmus_gpu)e->which);
        break;
    case LITMUS_L2_FLUSH:
        cache_l2_clean(m, s, (enum litmus_gpu)e->which);
        cache_l2_invalidate(s, (enum litmus_gpu)e->which);
        break;
    case LITMUS_L2_INVALIDATE:
        cache_l2_invalidate(s, (enum litmus_gpu)e->which);
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
