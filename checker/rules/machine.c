/* SPDX-License-Identifier: MIT */
#include "checker/rules/machine.h"

#include "checker/rules/engine_fault.h"

#include <inttypes.h>
#include <string.h>

#define FINDINGS_MAX 1000u
#define NOWHERE UINT64_MAX

/**
 * struct spot - a finding, and the addresses that it concerns; NOWHERE: none
 */
struct spot {
    struct run_finding *finding;
    uint64_t first, last;
};

/**
 * struct machine - what was found so far
 * @spots: struct spot, as the run's findings; @by_key: the same by what makes two of them the same
 * @not_kept: findings beyond FINDINGS_MAX
 */
struct machine {
    struct machine_host host;
    struct checker *checker;
    GPtrArray *spots;
    GHashTable *by_key;
    unsigned not_kept;
};

struct machine *machine_new(const struct machine_host *host)
{
    struct machine *m = g_new0(struct machine, 1);

    m->host = *host;
    m->checker = checker_new(NULL, false);
    m->spots = g_ptr_array_new_with_free_func(g_free);
    m->by_key = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    return m;
}

void machine_free(struct machine *m)
{
    g_hash_table_destroy(m->by_key);
    g_ptr_array_free(m->spots, TRUE);
    checker_free(m->checker);
    g_free(m);
}

/* --- findings --------------------------------------------------------------------------------- */

static void spot_seen(struct spot *s, uint64_t at)
{
    s->first = MIN(s->first, at);
    s->last = MAX(s->last, at);
    s->finding->count++;
}

/* Takes @key and @where. @what: NULL: the rule's. */
static void finding_add(struct machine *m, enum check_rule_id rule, char *key, uint64_t at,
                        const char *what, char *where)
{
    struct checker_finding f = checker_finding_of(rule);
    const GPtrArray *findings = checker_run(m->checker)->findings;
    struct spot *s = g_hash_table_lookup(m->by_key, key);

    if (s) {
        spot_seen(s, at);
        g_free(key);
    } else if (m->spots->len >= FINDINGS_MAX) {
        m->not_kept++;
        g_free(key);
    } else {
        f.text = what ? what : f.text;
        f.where = where;
        f.pair = key;
        checker_finding(m->checker, &f);
        s = g_new(struct spot, 1);
        *s = (struct spot){ findings->pdata[findings->len - 1], at, at };
        g_ptr_array_add(m->spots, s);
        g_hash_table_insert(m->by_key, key, s);
    }
    g_free(where);
}

/* g_free(). */
static char *machine_place(const struct machine *m, uint64_t pc)
{
    g_autofree char *line = pc ? m->host.line(pc) : NULL;

    if (pc == 0) {
        return g_strdup(
            "an unknown place (found by comparison: a helper of QEMU, or another device)");
    }
    return line ? g_strdup_printf("pc 0x%" PRIx64 " %s", pc, line)
                : g_strdup_printf("pc 0x%" PRIx64, pc);
}

static const char *agent_name(uint32_t agent)
{
    static const char *const names[BUS_AGENT_COUNT] = {
#define AGENT(NAME, name, words) [BUS_AGENT_##NAME] = words,
#define ENGINE(NAME, name, words, ...) [BUS_AGENT_##NAME] = words,
#include "model/engines.h"
        [BUS_AGENT_DRIVER] = "the driver",
    };

    return agent < BUS_AGENT_COUNT ? names[agent] : "an engine";
}

/* --- records ---------------------------------------------------------------------------------- */

static void dma_read_stale(struct machine *m, const struct trace_record *t)
{
    uint64_t pc = m->host.store_pc(t->arg[0]);
    g_autofree char *at = machine_place(m, pc), *what = NULL;

    what = g_strdup_printf("%s read memory older than what the CPU had stored there",
                           agent_name(t->agent));
    finding_add(m, CHECK_RULE_DMA_READ_STALE, g_strdup_printf("read %u %" PRIx64, t->agent, pc),
                t->arg[0], what, g_strdup_printf("stored at %s", at));
}

static void cpu_load_stale(struct machine *m, const struct trace_record *t, uint64_t pc)
{
    g_autofree char *at = machine_place(m, pc), *what = NULL;

    what = g_strdup_printf("the CPU loaded a line from its cache that %s had changed in memory",
                           agent_name(m->host.writer(t->arg[0])));
    finding_add(m, CHECK_RULE_CPU_LOAD_STALE, g_strdup_printf("load %" PRIx64, pc), t->arg[0], what,
                g_strdup_printf("loaded at %s", at));
}

static void line_overwritten(struct machine *m, const struct trace_record *t, uint64_t by_pc)
{
    uint64_t pc = m->host.store_pc(t->arg[0]);
    g_autofree char *what = NULL, *at = machine_place(m, pc),
                    *by = by_pc ? machine_place(m, by_pc) : NULL;

    what = g_strdup_printf("a write-back of a whole CPU line put old bytes over %" PRIu64
                           " that an engine had written (false sharing)",
                           t->arg[1]);
    finding_add(m, CHECK_RULE_LINE_OVERWRITTEN,
                g_strdup_printf("over %" PRIx64 " %" PRIx64, pc, by_pc), t->arg[0], what,
                g_strdup_printf("line made dirty at %s, written back %s%s", at,
                                by ? "at " : "by an eviction", by ? by : ""));
}

static void dirty_dropped(struct machine *m, const struct trace_record *t, uint64_t by_pc)
{
    uint64_t pc = m->host.store_pc(t->arg[0]);
    g_autofree char *at = machine_place(m, pc), *by = machine_place(m, by_pc);

    finding_add(m, CHECK_RULE_DIRTY_DROPPED,
                g_strdup_printf("drop %" PRIx64 " %" PRIx64, pc, by_pc), t->arg[0], NULL,
                g_strdup_printf("stored at %s, dropped at %s", at, by));
}

static void cpu_uncached(struct machine *m, const struct trace_record *t, uint64_t pc)
{
    bool atomic = t->event == TRACE_EVENT_CPU_UNCACHED_ATOMIC;
    g_autofree char *at = machine_place(m, pc);

    finding_add(m, atomic ? CHECK_RULE_ATOMIC_NOT_CACHEABLE : CHECK_RULE_MISMATCHED_ATTRIBUTES,
                g_strdup_printf(atomic ? "atomic %" PRIx64 : "mismatch %" PRIx64, pc), t->arg[0],
                NULL, g_strdup_printf("at %s", at));
}

static void engine_fault(struct machine *m, const struct trace_record *t)
{
    char line[256];
    uint64_t at = t->event == TRACE_EVENT_MMU_FAULT    ? t->arg[1]
                  : t->event == TRACE_EVENT_GRID_FAULT ? t->arg[3]
                                                       : NOWHERE;

    trace_format(t, line, sizeof(line));
    finding_add(
        m, CHECK_RULE_ENGINE_STOPPED,
        g_strdup_printf("fault %d %" PRIu64 " %" PRIx64, (int)t->event, t->arg[0], t->arg[1]), at,
        NULL, g_strdup_printf("record: %s", line));
}

static void register_unknown(struct machine *m, const struct trace_record *t)
{
    finding_add(m, CHECK_RULE_REGISTER_UNKNOWN, g_strdup_printf("mmio %" PRIx64, t->arg[0]),
                t->arg[0], NULL,
                g_strdup_printf("offset 0x%" PRIx64 " in its unit, %s", t->arg[0],
                                t->arg[1] ? "write" : "read"));
}

/* The chip's own SMMU, whoever programs it. */
static void engine_refused(struct machine *m, const struct trace_record *t)
{
    g_autofree char *what = engine_fault_text(t);

    finding_add(m, CHECK_RULE_ENGINE_SMMU_FAULT, g_strdup_printf("smmu %s", what), NOWHERE, what,
                NULL);
}

void machine_record(struct machine *m, const struct trace_record *t, uint64_t pc)
{
    switch (t->event) {
    case TRACE_EVENT_PORT_READ_STALE:
        dma_read_stale(m, t);
        break;
    case TRACE_EVENT_CPU_STALE:
        cpu_load_stale(m, t, pc);
        break;
    case TRACE_EVENT_CPU_OVERWRITE:
        line_overwritten(m, t, pc);
        break;
    case TRACE_EVENT_CPU_DROP:
        if (t->arg[1]) {
            dirty_dropped(m, t, pc);
        }
        break;
    case TRACE_EVENT_CPU_MISMATCH:
    case TRACE_EVENT_CPU_UNCACHED_ATOMIC:
        cpu_uncached(m, t, pc);
        break;
    case TRACE_EVENT_CHANNEL_ERROR:
    case TRACE_EVENT_MMU_FAULT:
    case TRACE_EVENT_GRID_FAULT:
        engine_fault(m, t);
        break;
    case TRACE_EVENT_SMMU_FAULT:
    case TRACE_EVENT_SMMU_GLOBAL_FAULT:
        engine_refused(m, t);
        break;
    case TRACE_EVENT_MMIO_UNKNOWN:
        register_unknown(m, t);
        break;
    default:
        break;
    }
}

/* --- what no record shows --------------------------------------------------------------------- */

void machine_l2_newer(struct machine *m, uint64_t pc, uint64_t pa)
{
    g_autofree char *at = machine_place(m, pc);

    finding_add(m, CHECK_RULE_L2_NEWER, g_strdup_printf("l2 %" PRIx64, pc), pa, NULL,
                g_strdup_printf("loaded at %s", at));
}

void machine_set_way(struct machine *m, uint64_t pc, const char *what)
{
    g_autofree char *at = machine_place(m, pc);

    finding_add(m, CHECK_RULE_SET_WAY, g_strdup_printf("dc %" PRIx64, pc), pc, what,
                g_strdup_printf("at %s", at));
}

void machine_no_dsb(struct machine *m, uint64_t pc)
{
    g_autofree char *at = machine_place(m, pc);

    finding_add(m, CHECK_RULE_DSB_MISSING, g_strdup_printf("dsb %" PRIx64, pc), pc, NULL,
                g_strdup_printf("dc at %s", at));
}

void machine_window_access(struct machine *m, uint64_t pc, uint64_t offset, unsigned bytes,
                           bool store)
{
    g_autofree char *at = machine_place(m, pc), *what = NULL;

    what = g_strdup_printf("a %s of %u bytes to a register of 32 bits", store ? "store" : "load",
                           bytes);
    finding_add(m, CHECK_RULE_REGISTER_WIDTH, g_strdup_printf("width %" PRIx64, pc), offset, what,
                g_strdup_printf("at %s; the address above is the offset in the window", at));
}

void machine_dma_refused(struct machine *m, unsigned function, uint64_t bus, bool write,
                         const char *stream, const char *why)
{
    finding_add(m, CHECK_RULE_DMA_REFUSED, g_strdup_printf("dma %u %s %d", function, why, write),
                bus,
                write ? "an engine's write was refused on its way to memory"
                      : "an engine's read was refused on its way to memory",
                g_strdup_printf("bus address 0x%" PRIx64 "%s: %s", bus, stream, why));
}

/* --- the report ------------------------------------------------------------------------------- */

unsigned machine_findings(const struct machine *m)
{
    return m->spots->len;
}

static void print_address(GString *out, const struct spot *s)
{
    uint64_t count = s->finding->count;

    if (s->first == NOWHERE) {
        if (count > 1) {
            g_string_append_printf(out, "   %" PRIu64 " times\n", count);
        }
        return;
    }
    g_string_append_printf(out, "   address  0x%" PRIx64, s->first);
    if (s->first != s->last) {
        g_string_append_printf(out, " .. 0x%" PRIx64, s->last);
    }
    if (count > 1) {
        g_string_append_printf(out, ", %" PRIu64 " times", count);
    }
    g_string_append_c(out, '\n');
}

static void print_finding(GString *out, guint i, const struct spot *s)
{
    const struct run_finding *f = s->finding;

    g_string_append_printf(out, "%u. %s\n", i + 1, f->text);
    print_address(out, s);
    g_string_append_printf(out, "   where    %s\n   to do    %s\n   rule     %s [%s]\n", f->where,
                           f->todo, f->section, run_standing_name[f->standing]);
}

char *machine_text(const struct machine *m, const char *soc, bool always)
{
    GString *out = g_string_new(NULL);
    guint n = m->spots->len;

    if (n || always) {
        g_string_append_printf(out, "vtegra: %u finding%s on %s\n", n, n == 1 ? "" : "s", soc);
    }
    for (guint i = 0; i < n; i++) {
        print_finding(out, i, m->spots->pdata[i]);
    }
    if (m->not_kept) {
        g_string_append_printf(out, "and %u more that were not kept\n", m->not_kept);
    }
    return g_string_free(out, FALSE);
}
