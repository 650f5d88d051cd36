/* SPDX-License-Identifier: MIT */
/* A test laid out on a SoC, its first state, and what of a state can be forgotten. */
#include <stdarg.h>
#include <string.h>

#include "litmus/machine.h"
#include "model/rules/kinds.h"
#include "model/rules/port.h"

GQuark litmus_error_quark(void)
{
    return g_quark_from_static_string("vtegra-litmus");
}

static struct litmus_gpu_facts gpu_facts(const struct soc_profile *p, unsigned gpu)
{
    struct soc_profile its = soc_profile_gpu(p, gpu);

    return (struct litmus_gpu_facts){ .native_atomics = its.gpu.host_native_atomic_supported,
                                      .system_atomics = its.rules.system_atomics,
                                      .l1 = its.gpu.l1_loads == 2,
                                      .sms = its.gpu.sm_count,
                                      .sm = soc_profile_cc(&its) };
}

static void soc_take(struct litmus_soc *soc, const struct soc_profile *p)
{
    g_strlcpy(soc->name, p->soc.name, sizeof(soc->name));
    soc->discrete = soc_profile_discrete(p);
    soc->io_coherent = rules_port_snoops(p, BUS_AGENT_IGPU);
    soc->cpu_snoops_l2 = p->rules.cpu_snoops_l2;
    soc->driver_keeps_cpu_caches = rules_driver_keeps_cpu_caches(p);
    soc->driver_keeps_l2 = rules_driver_keeps_l2(p);
    soc->concurrent_managed = p->gpu.concurrent_managed_access;
    soc->dla = p->dla.cores > 0;
    soc->lse = p->cpu.lse;
    soc->lrcpc = p->cpu.lrcpc;
    soc->gpus = soc_profile_gpus(p);
    for (unsigned gpu = 0; gpu < soc->gpus; gpu++) {
        soc->gpu[gpu] = gpu_facts(p, gpu);
    }
}

/* CUDA for Tegra, Table 1: who reaches these bytes, and through which cache. */
static void kind_take(struct litmus_machine *m, const struct rules_facts facts[LITMUS_GPUS],
                      enum litmus_kind kind, uint32_t mask)
{
    static const enum rules_kind row[] = {
        [LITMUS_DEVICE] = RULES_DEVICE,        [LITMUS_PINNED] = RULES_PINNED,
        [LITMUS_MANAGED] = RULES_MANAGED,      [LITMUS_PAGEABLE] = RULES_PAGEABLE,
        [LITMUS_INTEROP] = RULES_INTEROP,      [LITMUS_VIDMEM] = RULES_DEVICE,
        [LITMUS_INTEROP_DGPU] = RULES_INTEROP,
    };
    enum rules_caching cpu = rules_caching(&facts[0], row[kind], RULES_CPU);

    m->view |= cpu == RULES_CACHED ? mask : 0;
    m->closed_cpu |= cpu == RULES_NO_ACCESS ? mask : 0;
    for (unsigned gpu = 0; gpu < LITMUS_GPUS; gpu++) {
        enum rules_caching caching =
            rules_caching(&facts[gpu], row[kind], gpu ? RULES_DGPU : RULES_IGPU);

        if (kind == (gpu ? LITMUS_DEVICE : LITMUS_VIDMEM)) { /* the other GPU's (3.6) */
            caching = RULES_NO_ACCESS;
        } else if (kind == LITMUS_INTEROP_DGPU) { /* EnableGpuCache of both */
            caching = RULES_CACHED;
        }
        m->cached[gpu] |= caching == RULES_CACHED ? mask : 0;
        m->closed[gpu] |= caching == RULES_NO_ACCESS ? mask : 0;
    }
}

/* The place of @key among those seen so far. */
static unsigned key_index(unsigned *keys, unsigned *n, unsigned key)
{
    unsigned i = 0;

    while (i < *n && keys[i] != key) {
        i++;
    }
    keys[i] = key;
    *n = MAX(*n, i + 1);
    return i;
}

static void state_layout(struct litmus_machine *m, const struct rules_facts facts[LITMUS_GPUS])
{
    unsigned cpu[LITMUS_LOCS] = { 0 }, l2[LITMUS_LOCS] = { 0 }, sector[LITMUS_LOCS] = { 0 };

    for (unsigned i = 0; i < m->test->locs; i++) {
        const struct litmus_loc *loc = &m->test->loc[i];
        uint32_t mask = bytes_mask(loc->byte, loc->size);
        unsigned c = key_index(cpu, &m->cpu_lines, loc->line * 2 + loc->offset / 64);
        unsigned l = key_index(l2, &m->l2_lines, loc->line);
        unsigned s = key_index(sector, &m->sectors, loc->line * 4 + loc->offset / 32);

        for (unsigned b = 0; b < loc->size; b++) {
            m->cpu_line[loc->byte + b] = (uint8_t)c;
            m->l2_line[loc->byte + b] = (uint8_t)l;
            m->sector[loc->byte + b] = (uint8_t)s;
        }
        m->cpu_mask[c] |= mask;
        m->l2_mask[l] |= mask;
        m->sector_mask[s] |= mask;
        kind_take(m, facts, loc->kind, mask);
        m->managed |= loc->kind == LITMUS_MANAGED ? mask : 0;
        m->bytes = MAX(m->bytes, loc->byte + loc->size);
    }
    m->snooped = m->soc.cpu_snoops_l2 ? m->cached[LITMUS_GPU_INTEGRATED] & m->view : 0;
}

/* Whose SM is whose, and has the test a second GPU at all? */
static void gpus_take(struct litmus_machine *m)
{
    m->gpus = 1;
    for (unsigned t = 0; t < m->test->threads; t++) {
        const struct litmus_thread *thread = &m->test->thread[t];

        if (thread_gpu(thread) == LITMUS_GPU_DISCRETE) {
            m->gpus = LITMUS_GPUS;
            m->sm_gpu[thread->sm] = LITMUS_GPU_DISCRETE; /* of a copy engine no SM is used */
        }
    }
    for (unsigned t = 0; t < m->test->threads; t++) {
        if (thread_runs_ptx(&m->test->thread[t])) {
            m->sm_gpu[m->test->thread[t].sm] = thread_gpu(&m->test->thread[t]);
        }
    }
}

static void looked_at(struct litmus_machine *m, bool *dram)
{
    for (unsigned i = 0; i < m->test->items; i++) {
        const struct litmus_item *item = &m->test->item[i];
        const struct litmus_loc *loc;
        uint32_t mask;

        if (item->kind < LITMUS_ITEM_MEM || item->kind > LITMUS_ITEM_DRAM) {
            continue;
        }
        loc = &m->test->loc[item->index];
        mask = bytes_mask(loc->byte, loc->size);
        *dram |= item->kind == LITMUS_ITEM_DRAM;
        if (item->kind == LITMUS_ITEM_IGPU ||
            (item->kind == LITMUS_ITEM_MEM && loc->kind == LITMUS_DEVICE)) {
            m->looked[LITMUS_GPU_INTEGRATED] |= mask;
        } else if (item->kind == LITMUS_ITEM_DGPU ||
                   (item->kind == LITMUS_ITEM_MEM && loc->kind == LITMUS_VIDMEM)) {
            m->looked[LITMUS_GPU_DISCRETE] |= mask;
        } else {
            m->looked_cpu |= mask;
        }
    }
}

/* Where engines snoop the CPU caches, a line's state cannot be seen from outside: a load, an
 * engine's read and an engine's write give the same whether it is dirty, clean or absent. Only DC
 * IVAC, which throws dirty bytes away, and a look at DRAM itself can. */
static bool cpu_caches_show(const struct litmus_machine *m, bool dram)
{
    for (unsigned t = 0; t < m->test->threads; t++) {
        const struct litmus_thread *thread = &m->test->thread[t];

        for (unsigned e = 0; e < thread->n; e++) {
            if (thread->event[e].op == LITMUS_DC && thread->event[e].which == LITMUS_IVAC) {
                return true;
            }
        }
    }
    return dram || !m->soc.io_coherent;
}

/* --- what the SoC does not have --------------------------------------------------------------- */

static bool state_absent(const struct litmus_machine *m, unsigned line, unsigned column,
                         GError **error, const char *format, ...) G_GNUC_PRINTF(5, 6);

/* Return: false, with "file:line:column: <SoC> has no ..." */
static bool state_absent(const struct litmus_machine *m, unsigned line, unsigned column,
                         GError **error, const char *format, ...)
{
    va_list args;
    char *what;

    va_start(args, format);
    what = g_strdup_vprintf(format, args);
    va_end(args);
    g_set_error(error, LITMUS_ERROR, LITMUS_ERROR_SOC, "%s:%u:%u: %s has %s", m->test->file, line,
                column, m->soc.name, what);
    g_free(what);
    return false;
}

/* The events' order, and the CPU's caches, are Arm's. */
static bool soc_is_tegra(const struct litmus_machine *m, GError **error)
{
    return !m->soc.discrete ||
           state_absent(m, 1, 1, error,
                        "an x86 CPU and a discrete GPU: litmus tests are of Tegras");
}

static bool soc_has_agent(const struct litmus_machine *m, const struct litmus_thread *t,
                          GError **error)
{
    if (t->agent == LITMUS_DLA && !m->soc.dla) {
        return state_absent(m, t->line, t->column, error, "no DLA (profile, dla.cores = 0)");
    }
    if (thread_gpu(t) >= m->soc.gpus) {
        return state_absent(m, t->line, t->column, error,
                            "no discrete GPU beside the integrated one (profile, [dgpu])");
    }
    if (t->agent == LITMUS_IGPU && t->sm >= m->soc.gpu[0].sms) {
        return state_absent(
            m, t->line, t->column, error,
            "%u SM%s (profile, gpu.sm_count), and %s stands on SM %u; threads on one SM: "
            "@sm0",
            m->soc.gpu[0].sms, m->soc.gpu[0].sms == 1 ? "" : "s", t->name, t->sm);
    }
    return true;
}

/* PTX ISA, Target ISA Notes of ld, st, atom, red, fence: orders and the scopes of ld and st take
 * sm_70, the scopes of atom and red sm_60. Arm ARM, A2: FEAT_LSE comes with Armv8.1, FEAT_LRCPC
 * with Armv8.3. */
static bool soc_has_operation(const struct litmus_machine *m, const struct litmus_thread *t,
                              const struct litmus_event *e, GError **error)
{
    unsigned sm = m->soc.gpu[thread_gpu(t)].sm;

    if (e->sm > sm) {
        return state_absent(m, e->line, e->column, error,
                            "%s of sm_%u: \"%s\" takes sm_%u (PTX ISA, Target ISA Notes)",
                            thread_gpu(t) ? "a dGPU" : "an iGPU", sm, e->text, e->sm);
    }
    if (e->lse && !m->soc.lse) {
        return state_absent(m, e->line, e->column, error,
                            "no Armv8.1 atomics (FEAT_LSE; profile, cpu.lse = 0): \"%s\"", e->text);
    }
    if (e->lrcpc && !m->soc.lrcpc) {
        return state_absent(m, e->line, e->column, error,
                            "no LDAPR (FEAT_LRCPC; profile, cpu.lrcpc = 0): \"%s\"", e->text);
    }
    return true;
}

static bool soc_has_all(const struct litmus_machine *m, GError **error)
{
    if (!soc_is_tegra(m, error)) {
        return false;
    }
    for (unsigned t = 0; t < m->test->threads; t++) {
        const struct litmus_thread *thread = &m->test->thread[t];

        if (!soc_has_agent(m, thread, error)) {
            return false;
        }
        for (unsigned e = 0; e < thread->n; e++) {
            if (!soc_has_operation(m, thread, &thread->event[e], error)) {
                return false;
            }
        }
    }
    return true;
}

struct litmus_machine *litmus_machine_new(const struct litmus_test *test,
                                          const struct soc_profile *soc, bool reduce,
                                          GError **error)
{
    struct litmus_machine *m = g_new0(struct litmus_machine, 1);
    struct rules_facts facts[LITMUS_GPUS];
    bool dram = false;

    m->test = test;
    m->reduce = reduce;
    soc_take(&m->soc, soc);
    if (!soc_has_all(m, error)) {
        g_free(m);
        return NULL;
    }
    for (unsigned gpu = 0; gpu < LITMUS_GPUS; gpu++) {
        struct soc_profile its = soc_profile_gpu(soc, gpu < m->soc.gpus ? gpu : 0);

        facts[gpu] = rules_facts_of(&its);
    }
    state_layout(m, facts);
    gpus_take(m);
    looked_at(m, &dram);
    m->transparent = reduce && !cpu_caches_show(m, dram);
    order_fill(m);
    return m;
}

void machine_init(const struct litmus_machine *m, struct litmus_state *s)
{
    memset(s, 0, sizeof(*s));
    for (unsigned i = 0; i < m->test->locs; i++) {
        const struct litmus_loc *loc = &m->test->loc[i];

        bytes_set(s->dram, loc->byte, loc->size, loc->init);
    }
    for (unsigned t = 0; t < m->test->threads; t++) {
        for (unsigned e = 0; e < m->test->thread[t].n; e++) {
            enum litmus_op op = m->test->thread[t].event[e].op;

            if (op == LITMUS_DMB || op == LITMUS_ISB) { /* order.c has them in m->before */
                s->done[t] |= 1u << e;
            }
        }
    }
}

/* --- reduction -------------------------------------------------------------------------------- */

/* Bytes that operations still to come can read out of each cache. A CPU store counts: it fills its
 * line, and a write-back carries the line's other bytes with it. */
static void state_future(const struct litmus_machine *m, const struct litmus_state *s,
                         uint32_t *cpu, uint32_t l2[LITMUS_GPUS], uint32_t l1[LITMUS_SMS])
{
    *cpu = m->looked_cpu;
    memcpy(l2, m->looked, sizeof(m->looked));
    for (unsigned t = 0; t < m->test->threads; t++) {
        const struct litmus_thread *thread = &m->test->thread[t];

        for (unsigned i = 0; i < thread->n; i++) {
            const struct litmus_event *e = &thread->event[i];

            if (s->done[t] >> i & 1 || e->loc < 0) {
                continue;
            }
            if (thread->agent == LITMUS_CPU) {
                *cpu |= m->cpu_mask[m->cpu_line[event_at(m, e)]];
            } else if (e->op != LITMUS_STORE) {
                l2[thread_gpu(thread)] |= m->sector_mask[m->sector[event_at(m, e)]];
                if (thread_runs_ptx(thread) && e->scope <= LITMUS_CTA) {
                    l1[thread->sm] |= m->sector_mask[m->sector[event_at(m, e)]];
                }
            }
        }
    }
}

static void image_keep(uint8_t *image, uint32_t *valid, uint32_t keep, unsigned bytes)
{
    if (!(*valid & ~keep)) {
        return;
    }
    *valid &= keep;
    for (unsigned i = 0; i < bytes; i++) {
        image[i] = *valid >> i & 1 ? image[i] : 0;
    }
}

void machine_reduce(const struct litmus_machine *m, struct litmus_state *s)
{
    uint32_t cpu, l2[LITMUS_GPUS], l1[LITMUS_SMS] = { 0 };

    state_future(m, s, &cpu, l2, l1);
    for (unsigned i = 0; i < m->cpu_lines; i++) {
        bool dirty = s->cpu_dirty >> i & 1;

        if (s->cpu_valid >> i & 1 && (m->transparent || (!dirty && !(cpu & m->cpu_mask[i])))) {
            cache_cpu_evict(m, s, i);
        }
    }
    for (unsigned gpu = 0; gpu < m->gpus; gpu++) {
        image_keep(s->l2[gpu], &s->l2_valid[gpu], l2[gpu] | s->l2_dirty[gpu], m->bytes);
    }
    for (unsigned sm = 0; sm < m->test->sms; sm++) {
        image_keep(s->l1[sm], &s->l1_valid[sm], l1[sm], m->bytes);
    }
}

/* --- text ------------------------------------------------------------------------------------- */

static char *bytes_text(const struct litmus_machine *m, uint32_t mask)
{
    GString *text = g_string_new(NULL);

    for (unsigned i = 0; i < m->test->locs; i++) {
        if (mask >> m->test->loc[i].byte & 1) {
            g_string_append_printf(text, "%s%s", text->len ? "," : "", m->test->loc[i].name);
        }
    }
    return g_string_free(text, FALSE);
}

static char *queued_text(const struct litmus_machine *m, unsigned code, const char *place,
                         const char *what)
{
    const struct litmus_thread *t = &m->test->thread[code / LITMUS_EVENTS];
    char *who = g_strdup_printf("(%s)", place);
    char *text = g_strdup_printf("%-8s %s of %s: %s", who, what, t->name,
                                 t->event[code % LITMUS_EVENTS].text);

    g_free(who);
    return text;
}

char *machine_step_text(const struct litmus_machine *m, const struct litmus_state *s,
                        struct litmus_step step)
{
    const struct litmus_thread *t = &m->test->thread[step.a];
    char *bytes = NULL, *text = NULL;

    switch ((enum litmus_step_kind)step.kind) {
    case LITMUS_STEP_EVENT:
        return g_strdup_printf("%-8s %s", t->name, t->event[step.b].text);
    case LITMUS_STEP_SM_DRAIN:
        return queued_text(m, s->sm_queue[step.a][step.b], "SM", "store leaves the SM");
    case LITMUS_STEP_GPU_DRAIN:
        return step.a ? queued_text(m, s->gpu_queue[1][step.b], "dGPU", "store leaves the dGPU")
                      : queued_text(m, s->gpu_queue[0][step.b], "iGPU", "store leaves the iGPU");
    case LITMUS_STEP_CPU_EVICT:
        bytes = bytes_text(m, m->cpu_mask[step.b]);
        text = g_strdup_printf("%-8s line of %s leaves", "(cache)", bytes);
        break;
    case LITMUS_STEP_CPU_FILL:
        bytes = bytes_text(m, m->cpu_mask[step.b]);
        text = g_strdup_printf("%-8s line of %s comes in, speculatively", "(cache)", bytes);
        break;
    case LITMUS_STEP_L2_EVICT:
        bytes = bytes_text(m, m->l2_mask[step.b]);
        text = g_strdup_printf("%-8s line of %s leaves", step.a ? "(dL2)" : "(L2)", bytes);
        break;
    case LITMUS_STEP_L1_EVICT:
        bytes = bytes_text(m, m->sector_mask[step.b]);
        text = m->sm_gpu[step.a]
                   ? g_strdup_printf("%-8s sector of %s leaves the dGPU's SM %u", "(L1)", bytes,
                                     LITMUS_SMS - 1u - step.a)
                   : g_strdup_printf("%-8s sector of %s leaves SM %u", "(L1)", bytes, step.a);
        break;
    }
    g_free(bytes);
    return text;
}
