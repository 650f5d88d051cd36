/* SPDX-License-Identifier: MIT */
/* Threads of the GPUs.
 *
 * A store becomes visible in three stages, one a scope of PTX: to its SM, to its GPU (L2), to the
 * system. The third differs from the second only where the GPU does not keep the bytes in its L2.
 * Standing: inferred, the weakest machine with one L2 that keeps the promises of PTX ISA, Memory
 * Consistency Model.
 */
#include <string.h>

#include "litmus/agent.h"

enum found { FOUND_NOTHING, FOUND_ALL, FOUND_PART };

/* The newest queued store to these bytes. */
static enum found queue_find(const struct litmus_machine *m, const struct litmus_state *s,
                             const uint8_t *queue, unsigned n, uint32_t mask, uint64_t *value)
{
    for (unsigned i = n; i-- > 0;) {
        const struct litmus_event *e = event_by_code(m, queue[i]);
        uint32_t have = event_mask(m, e);

        if ((have & mask) == mask) {
            unsigned shift = (unsigned)(__builtin_ctz(mask) - __builtin_ctz(have)) * 8;

            *value = event_src_value(m, s, queue[i] / LITMUS_EVENTS, e) >> shift &
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
bool gpu_queue_may_leave(const struct litmus_machine *m, const uint8_t *queue, unsigned place)
{
    uint32_t mask = event_mask(m, event_by_code(m, queue[place]));

    for (unsigned i = 0; i < place; i++) {
        if (event_mask(m, event_by_code(m, queue[i])) & mask) {
            return false;
        }
    }
    return true;
}

/* Memory that the GPU does not keep to itself in its L2. */
static bool is_system(const struct litmus_machine *m, enum litmus_gpu gpu, unsigned at)
{
    return !(m->cached[gpu] >> at & 1) || l2_snooped(m, gpu, at);
}

static bool queues_empty(const struct litmus_state *s, const struct litmus_thread *t,
                         enum litmus_scope scope)
{
    return (scope < LITMUS_GPU || s->sm_n[t->sm] == 0) &&
           (scope < LITMUS_SYS || s->gpu_n[thread_gpu(t)] == 0);
}

bool gpu_ready(const struct litmus_machine *m, const struct litmus_state *s,
               const struct litmus_thread *t, const struct litmus_event *e)
{
    uint32_t mask = event_mask(m, e);
    uint64_t value;
    enum litmus_gpu own = thread_gpu(t);
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
    gpu = queue_find(m, s, s->gpu_queue[own], s->gpu_n[own], mask, &value);
    switch (e->op) {
    case LITMUS_LOAD:
        return sm == FOUND_ALL || (sm == FOUND_NOTHING && gpu != FOUND_PART);
    case LITMUS_ATOMIC:
        return sm == FOUND_NOTHING && gpu == FOUND_NOTHING;
    default:
        return s->sm_n[t->sm] < LITMUS_QUEUE;
    }
}

/* Weak and CTA-scope loads may be answered by the SM's L1, which is not kept coherent: PTX ISA,
 * ld.ca ("may be stale"), and the profile's l1_loads. Pinned memory is uncached (Table 1).
 */
static uint64_t gpu_l1_load(const struct litmus_machine *m, struct litmus_state *s,
                            const struct litmus_thread *t, unsigned at, unsigned size,
                            const char **from)
{
    uint32_t sector = m->sector_mask[m->sector[at]], missing = sector & ~s->l1_valid[t->sm];
    enum litmus_gpu gpu = thread_gpu(t);

    *from = "L1 hit";
    if (bytes_mask(at, size) & missing) {
        bool hit = (s->l2_valid[gpu] & sector) == sector;

        *from = l2_snooped(m, gpu, at) ? "L1 filled through the port"
                : hit                  ? "L1 filled, L2 hit"
                                       : "L1 filled, L2 filled";
        for (uint32_t todo = missing; todo; todo &= todo - 1) {
            unsigned i = (unsigned)__builtin_ctz(todo);

            s->l1[t->sm][i] = (uint8_t)cache_l2_load(m, s, gpu, i, 1);
        }
        s->l1_valid[t->sm] |= missing;
    }
    return bytes_get(s->l1[t->sm], at, size);
}

static uint64_t gpu_load(const struct litmus_machine *m, struct litmus_state *s,
                         const struct litmus_thread *t, const struct litmus_event *e,
                         const char **from)
{
    enum litmus_gpu gpu = thread_gpu(t);
    unsigned at = event_at(m, e);
    uint64_t value;

    *from = "store queue of the SM";
    if (queue_find(m, s, s->sm_queue[t->sm], s->sm_n[t->sm], event_mask(m, e), &value) ==
        FOUND_ALL) {
        return value;
    }
    *from = gpu ? "store queue of the dGPU" : "store queue of the iGPU";
    if (queue_find(m, s, s->gpu_queue[gpu], s->gpu_n[gpu], event_mask(m, e), &value) == FOUND_ALL) {
        return value;
    }
    if (!(m->cached[gpu] >> at & 1)) {
        *from = "uncached, through the port";
        return cache_port_load(m, s, at, e->size);
    }
    if (e->scope <= LITMUS_CTA && m->soc.gpu[gpu].l1) {
        return gpu_l1_load(m, s, t, at, e->size, from);
    }
    *from = l2_snooped(m, gpu, at)                                      ? "through the port"
            : (event_mask(m, e) & s->l2_valid[gpu]) == event_mask(m, e) ? "L2 hit"
                                                                        : "L2 filled";
    return cache_l2_load(m, s, gpu, at, e->size);
}

void gpu_l1_drop(struct litmus_state *s, unsigned sm, uint32_t mask)
{
    s->l1_valid[sm] &= ~mask;
    for (; mask; mask &= mask - 1) {
        s->l1[sm][__builtin_ctz(mask)] = 0;
    }
}

/* A store that has reached its place: L2, or through the port. */
static void gpu_store(const struct litmus_machine *m, struct litmus_state *s, enum litmus_gpu gpu,
                      unsigned at, unsigned size, uint64_t value)
{
    uint8_t data[LITMUS_BYTES];

    if (m->cached[gpu] >> at & 1) {
        cache_l2_store(m, s, gpu, at, size, value);
    } else {
        bytes_set(data, at, size, value);
        cache_port_store(m, s, data, bytes_mask(at, size));
    }
}

/* From the SM to the L2 (or to the GPU's queue); the SM's L1 is written through. */
void gpu_sm_drain(const struct litmus_machine *m, struct litmus_state *s, unsigned sm,
                  unsigned place)
{
    unsigned code = s->sm_queue[sm][place], thread = code / LITMUS_EVENTS;
    const struct litmus_event *e = event_by_code(m, code);
    enum litmus_gpu gpu = thread_gpu(&m->test->thread[thread]);
    unsigned at = event_at(m, e);
    uint64_t value = event_src_value(m, s, thread, e);

    queue_remove(s->sm_queue[sm], &s->sm_n[sm], place);
    for (unsigned i = 0; i < e->size; i++) {
        if (s->l1_valid[sm] >> (at + i) & 1) {
            s->l1[sm][at + i] = (uint8_t)(value >> 8 * i);
        }
    }
    if (is_system(m, gpu, at)) {
        s->gpu_queue[gpu][s->gpu_n[gpu]++] = (uint8_t)code;
    } else {
        gpu_store(m, s, gpu, at, e->size, value);
    }
}

void gpu_drain(const struct litmus_machine *m, struct litmus_state *s, enum litmus_gpu gpu,
               unsigned place)
{
    unsigned code = s->gpu_queue[gpu][place];
    const struct litmus_event *e = event_by_code(m, code);
    uint64_t value = event_src_value(m, s, code / LITMUS_EVENTS, e);

    queue_remove(s->gpu_queue[gpu], &s->gpu_n[gpu], place);
    gpu_store(m, s, gpu, event_at(m, e), e->size, value);
}

/* At the L2, or at the port. Without native atomics the port keeps other engines out, but not the
 * CPU (hostNativeAtomicSupported = 0): the read is one step, the write the next. Inferred. */
static void gpu_atomic(const struct litmus_machine *m, struct litmus_state *s, unsigned thread,
                       const struct litmus_event *e)
{
    const struct litmus_thread *t = &m->test->thread[thread];
    enum litmus_gpu gpu = thread_gpu(t);
    unsigned at = event_at(m, e), code = (unsigned)(e - t->event);
    uint64_t old;

    if (s->busy) {
        gpu_store(m, s, gpu, at, e->size, event_rmw_apply(m, s, thread, e, s->reg[thread][e->reg]));
        s->busy = 0;
    } else {
        old = m->cached[gpu] >> at & 1 ? cache_l2_load(m, s, gpu, at, e->size)
                                       : cache_port_load(m, s, at, e->size);
        event_reg_set(s, thread, e, old);
        if (is_system(m, gpu, at) && !m->soc.gpu[gpu].native_atomics) {
            s->busy = (uint8_t)(thread + 1);
            return;
        }
        gpu_store(m, s, gpu, at, e->size, event_rmw_apply(m, s, thread, e, old));
    }
    gpu_l1_drop(s, t->sm, m->sector_mask[m->sector[at]]);
    if (e->acquire && e->scope >= LITMUS_GPU) {
        gpu_l1_drop(s, t->sm, UINT32_MAX);
    }
    s->done[thread] |= 1u << code;
}

/* What a fence has waited for. */
static const char *const stores_seen[] = {
    [LITMUS_CTA] = "its stores are visible to the SM",
    [LITMUS_GPU] = "its stores are visible to its GPU",
    [LITMUS_SYS] = "its stores are visible to the system",
};

const char *gpu_perform(const struct litmus_machine *m, struct litmus_state *s, unsigned thread,
                        unsigned code)
{
    const struct litmus_thread *t = &m->test->thread[thread];
    const struct litmus_event *e = &t->event[code];
    const char *from = NULL;

    switch (e->op) {
    case LITMUS_LOAD:
        event_reg_set(s, thread, e, gpu_load(m, s, t, e, &from));
        if (e->acquire && e->scope >= LITMUS_GPU) {
            gpu_l1_drop(s, t->sm, UINT32_MAX);
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
            gpu_l1_drop(s, t->sm, UINT32_MAX);
        }
        from = e->op == LITMUS_FENCE    ? stores_seen[e->scope]
               : e->scope >= LITMUS_GPU ? "L1 emptied"
                                        : NULL;
        break;
    case LITMUS_FENCE_REL:
        from = stores_seen[e->scope];
        break;
    case LITMUS_START: /* a kernel begins with an empty L1 */
    case LITMUS_AWAIT:
        gpu_l1_drop(s, t->sm, UINT32_MAX);
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
