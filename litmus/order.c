/* SPDX-License-Identifier: MIT */
/* Which operations of one thread wait for which earlier ones. All of it is known before the test
 * runs: there are no branches, and an address never depends on a value.
 *
 * CPU: Arm ARM (DDI 0487), B2.3: dependency-ordered-before, barrier-ordered-before and coherence.
 * GPUs: PTX ISA, Memory Consistency Model: fences, acquire and release patterns, program order of
 * overlapping accesses. What neither orders may happen in either order.
 * Copy engine, DLA and other engines do one thing after the other (inferred: no document says
 * otherwise).
 */
#include "litmus/machine.h"

static bool is_read(const struct litmus_event *e)
{
    return e->op == LITMUS_LOAD || e->op == LITMUS_ATOMIC;
}

static bool is_write(const struct litmus_event *e)
{
    return e->op == LITMUS_STORE || e->op == LITMUS_ATOMIC || e->op == LITMUS_DOORBELL;
}

/* Driver calls and edges between agents: they end all that came before (DSB, ioctl). */
static bool is_call(const struct litmus_event *e)
{
    return e->op >= LITMUS_L2_CLEAN && e->op != LITMUS_DOORBELL;
}

static bool order_overlaps(const struct litmus_machine *m, const struct litmus_event *a,
                           const struct litmus_event *b)
{
    return (event_mask(m, a) & event_mask(m, b)) != 0;
}

/* j depends on a register that i writes. */
static bool order_depends(const struct litmus_event *i, const struct litmus_event *j)
{
    unsigned reg = i->reg < 0 ? 0 : 1u << i->reg;

    return is_read(i) &&
           reg & (j->addr | j->data | (is_write(j) ? j->ctrl | j->paddr | j->pdata | j->pctrl : 0));
}

/* --- CPU -------------------------------------------------------------------------------------- */

static bool same_cpu_line(const struct litmus_machine *m, const struct litmus_event *a,
                          const struct litmus_event *b)
{
    return a->loc >= 0 && b->loc >= 0 && m->cpu_line[event_at(m, a)] == m->cpu_line[event_at(m, b)];
}

/* Maintenance by address is ordered with accesses and maintenance of its line, else only by a full
 * DMB or DSB. Arm ARM, Cache support, "Ordering and completion of data and instruction cache
 * instructions".
 */
static bool dc_ordered(const struct litmus_machine *m, const struct litmus_event *i,
                       const struct litmus_event *j)
{
    return (i->op == LITMUS_DC || j->op == LITMUS_DC) && same_cpu_line(m, i, j);
}

/* The last store between i and j to bytes of j: the one that the load j may take its value from. -1
 * if there is none. */
static int local_store(const struct litmus_machine *m, const struct litmus_thread *t, int i,
                       unsigned j)
{
    for (int k = (int)j - 1; k > i; k--) {
        if (t->event[k].op == LITMUS_STORE && order_overlaps(m, &t->event[k], &t->event[j])) {
            return k;
        }
    }
    return -1;
}

/* A load may overtake an earlier store to its location: it takes the value from the store buffer
 * (agent.c), and with it overtakes the loads before that store. Loads of the same bytes may swap as
 * long as both read the same store, which loads_swapped() of agent.c sees to. Everything else to
 * one location stays in order: coherence, Arm ARM B2.3, "internal visibility". */
static bool cpu_coherent(const struct litmus_machine *m, const struct litmus_thread *t, unsigned i,
                         unsigned j)
{
    const struct litmus_event *a = &t->event[i], *b = &t->event[j];
    int store;

    if (!(is_read(a) || is_write(a)) || !(is_read(b) || is_write(b)) || !order_overlaps(m, a, b)) {
        return false;
    }
    if (b->op != LITMUS_LOAD || is_write(a)) {
        return !(a->op == LITMUS_STORE && b->op == LITMUS_LOAD);
    }
    store = local_store(m, t, (int)i, j);
    if (store < 0) {
        return !(m->swaps && a->op == LITMUS_LOAD && event_mask(m, a) == event_mask(m, b));
    }
    return (event_mask(m, &t->event[store]) & event_mask(m, b)) != event_mask(m, b);
}

/* The load j may take its value from a store on its way: then after what the store's address and
 * data depend on, and an acquire after the load half of an atomic. Arm ARM B2.3, dependency- and
 * atomic-ordered-before, "local read successor". */
static bool local_read_ordered(const struct litmus_machine *m, const struct litmus_thread *t,
                               unsigned i, unsigned j)
{
    const struct litmus_event *a = &t->event[i], *b = &t->event[j];
    int store = is_read(a) && b->op == LITMUS_LOAD ? local_store(m, t, (int)i, j) : -1;

    if (store < 0) {
        return false;
    }
    return order_depends(a, &(struct litmus_event){ .addr = t->event[store].addr,
                                                    .data = t->event[store].data }) ||
           (b->acquire && t->event[store].rmw == (int)i);
}

/* A barrier k stands between i and j. Arm ARM, DSB: "no instruction that appears in program order
 * after the DSB" is executed before it is complete, whatever its access types. */
static bool barrier_orders(const struct litmus_event *i, const struct litmus_event *k,
                           const struct litmus_event *j)
{
    if (k->op != LITMUS_DMB) {
        return false;
    }
    switch ((enum litmus_dmb)k->which) {
    case LITMUS_DMB_SY:
        return true;
    case LITMUS_DMB_LD:
        return is_read(i) && !i->noret && (k->dsb || is_read(j) || is_write(j));
    case LITMUS_DMB_ST:
        return is_write(i) && (k->dsb || is_write(j));
    }
    return false;
}

/* ctrl or addr, then ISB, then j: Arm ARM B2.3, dependency-ordered-before. */
static bool isb_orders(const struct litmus_thread *t, unsigned i, unsigned isb)
{
    unsigned reg = t->event[i].reg < 0 ? 0 : 1u << t->event[i].reg;

    for (unsigned k = i + 1; k <= isb; k++) {
        const struct litmus_event *e = &t->event[k];

        if (is_read(&t->event[i]) &&
            reg & (e->ctrl | e->pctrl | (k < isb ? e->addr | e->paddr : 0))) {
            return true;
        }
    }
    return false;
}

static bool between_orders(const struct litmus_thread *t, unsigned i, unsigned j)
{
    const struct litmus_event *a = &t->event[i], *b = &t->event[j];

    for (unsigned k = i + 1; k < j; k++) {
        const struct litmus_event *e = &t->event[k];

        if (barrier_orders(a, e, b) || (e->op == LITMUS_ISB && isb_orders(t, i, k))) {
            return true;
        }
        /* a store waits until every earlier address and branch is known */
        if (is_write(b) && a->reg >= 0 && is_read(a) &&
            (e->addr | e->ctrl | e->paddr | e->pctrl) >> a->reg & 1) {
            return true;
        }
    }
    return false;
}

/* An access that may fault: no later store is seen before it is known not to. */
static bool may_fault(const struct litmus_machine *m, const struct litmus_event *i)
{
    return !m->soc.concurrent_managed && event_mask(m, i) & m->managed;
}

static bool cpu_ordered(const struct litmus_machine *m, const struct litmus_thread *t, unsigned i,
                        unsigned j)
{
    const struct litmus_event *a = &t->event[i], *b = &t->event[j];

    return is_call(a) || is_call(b) || cpu_coherent(m, t, i, j) || local_read_ordered(m, t, i, j) ||
           dc_ordered(m, a, b) || order_depends(a, b) || between_orders(t, i, j) || a->acquire ||
           b->release || (a->release && b->acquire && !b->pc) ||
           (may_fault(m, a) && (is_write(b) || b->op == LITMUS_DC));
}

static bool is_barrier(const struct litmus_event *e)
{
    return e->op == LITMUS_DMB || e->op == LITMUS_ISB;
}

bool order_barrier_holds(const struct litmus_thread *t, unsigned k, unsigned j)
{
    const struct litmus_event *barrier = &t->event[k], *e = &t->event[j];

    if (t->agent != LITMUS_CPU || k >= j || !is_barrier(barrier) || is_barrier(e)) {
        return false;
    }
    if (barrier->op == LITMUS_ISB || is_call(e) || barrier->dsb ||
        barrier->which == LITMUS_DMB_SY) {
        return true;
    }
    return is_write(e) || (is_read(e) && barrier->which == LITMUS_DMB_LD);
}

uint32_t order_barriers_over(const struct litmus_thread *t, unsigned j)
{
    uint32_t over = 0;

    for (unsigned k = 0; k < MIN(j, t->n); k++) {
        bool is = j < t->n ? order_barrier_holds(t, k, j) : is_barrier(&t->event[k]);

        over |= (uint32_t)is << k;
    }
    return over;
}

char *order_barrier_text(const struct litmus_thread *t, unsigned k)
{
    static const char *const over[] = {
        [LITMUS_DMB_SY] = "all before it is done",
        [LITMUS_DMB_LD] = "earlier loads have their values",
        [LITMUS_DMB_ST] = "earlier stores are out",
    };
    const char *what = over[t->event[k].which];

    if (t->event[k].op == LITMUS_ISB) {
        bool any = false;

        for (unsigned i = 0; i < k; i++) {
            any |= isb_orders(t, i, k);
        }
        what = any ? "what branches and addresses before it depend on is loaded"
                   : "no branch or address before it: it orders nothing";
    }
    return g_strdup_printf("%-8s %-31s %s", t->name, t->event[k].text, what);
}

/* --- iGPU ------------------------------------------------------------------------------------- */

/* PTX ISA, fence.acq_rel: what came before is ordered before what follows, but for a store and a
 * later load. Its halves: ACQ waits for loads and everything waits for it; REL waits for everything
 * and stores wait for it. */
static bool fence_ordered(const struct litmus_event *i, const struct litmus_event *j)
{
    switch (i->op) {
    case LITMUS_FENCE:
    case LITMUS_FENCE_ACQ:
        return true;
    case LITMUS_FENCE_REL:
        return j->op != LITMUS_LOAD && j->op != LITMUS_FENCE_ACQ;
    default:
        break;
    }
    return j->op == LITMUS_FENCE || j->op == LITMUS_FENCE_REL ||
           (j->op == LITMUS_FENCE_ACQ && is_read(i));
}

static bool gpu_ordered(const struct litmus_machine *m, const struct litmus_event *i,
                        const struct litmus_event *j)
{
    return is_call(i) || is_call(j) || fence_ordered(i, j) || i->acquire || j->release ||
           order_overlaps(m, i, j) || order_depends(i, j);
}

/* -----------------------------------------------------------------------------------------------------
 */

static bool order_ordered(const struct litmus_machine *m, const struct litmus_thread *t, unsigned i,
                          unsigned j)
{
    switch (t->agent) {
    case LITMUS_CPU:
        return cpu_ordered(m, t, i, j);
    case LITMUS_IGPU:
    case LITMUS_DGPU:
        return gpu_ordered(m, &t->event[i], &t->event[j]);
    default:
        return true;
    }
}

/* --- pick dependencies ------------------------------------------------------------------------ */

/* @before of a thread, and of what comes before those. */
static void before_close(const uint32_t *before, unsigned n, uint32_t *closed)
{
    for (unsigned j = 0; j < n; j++) {
        closed[j] = before[j];
        for (unsigned i = 0; i < j; i++) {
            closed[j] |= closed[j] >> i & 1 ? closed[i] : 0;
        }
    }
}

static unsigned event_picks(const struct litmus_event *e)
{
    return e->paddr | e->pdata | e->pctrl;
}

/* A load whose value chose k (its address, its data, whether it comes at all) is before every store
 * that k is before: Arm ARM B2.3, pick-locally-ordered-before. A load takes the choices of the
 * store that it may read from. */
static unsigned picks_of(const struct litmus_machine *m, const struct litmus_thread *t, unsigned k)
{
    int store = t->event[k].op == LITMUS_LOAD ? local_store(m, t, -1, k) : -1;

    return event_picks(&t->event[k]) |
           (store < 0 ? 0 : t->event[store].paddr | t->event[store].pdata);
}

static void picks_order(struct litmus_machine *m, unsigned n)
{
    const struct litmus_thread *t = &m->test->thread[n];
    uint32_t closed[LITMUS_EVENTS];

    before_close(m->before[n], t->n, closed);
    for (unsigned j = 0; j < t->n; j++) {
        for (unsigned k = 0; k < j && is_write(&t->event[j]); k++) {
            unsigned picks = closed[j] >> k & 1 ? picks_of(m, t, k) : 0;

            for (unsigned i = 0; i < k; i++) {
                bool chose =
                    is_read(&t->event[i]) && t->event[i].reg >= 0 && picks >> t->event[i].reg & 1;

                m->before[n][j] |= (uint32_t)chose << i;
            }
        }
    }
}

/* Only stores of CPUs change what a CPU loads: no engine, and no maintenance that drops bytes. */
static bool stores_alone(const struct litmus_test *test)
{
    for (unsigned t = 0; t < test->threads; t++) {
        for (unsigned e = 0; e < test->thread[t].n; e++) {
            if (test->thread[t].agent != LITMUS_CPU || test->thread[t].event[e].op == LITMUS_DC ||
                is_call(&test->thread[t].event[e])) {
                return false;
            }
        }
    }
    return true;
}

void order_fill(struct litmus_machine *m)
{
    m->swaps = stores_alone(m->test);
    for (unsigned n = 0; n < m->test->threads; n++) {
        const struct litmus_thread *t = &m->test->thread[n];

        for (unsigned j = 0; j < t->n; j++) {
            for (unsigned i = 0; i < j; i++) {
                if (t->event[i].op != LITMUS_DMB && t->event[i].op != LITMUS_ISB &&
                    order_ordered(m, t, i, j)) {
                    m->before[n][j] |= 1u << i;
                }
            }
        }
        if (t->agent == LITMUS_CPU) {
            picks_order(m, n);
        }
    }
}
