/* SPDX-License-Identifier: MIT */
#include "checker/rules/record_rule.h"

#include <string.h>

#include "checker/checker.h"
#include "checker/checker_internal.h"
#include "checker/rules/engine_fault.h"
#include "checker/rules/kernel_fault.h"
#include "checker/rules/kernel_race.h"

/* A finding that was made: reported the first time, counted after that. */
struct repeat {
    enum check_rule_id rule;
    uint64_t pc;
    uint32_t region;
    uint64_t more; /* repetitions not yet in the run */
};

/**
 * struct record_rules - what was found so far
 * @repeats: struct repeat; @list: the same in order; owns them
 */
struct record_rules {
    struct checker *checker;
    GHashTable *repeats;
    GPtrArray *list;
    struct trace_record who; /* the last KERNEL_RACE_WHO */
};

static guint repeat_hash(gconstpointer key)
{
    const struct repeat *r = key;

    return (guint)(r->pc * 31 + r->region) ^ (guint)r->rule << 16;
}

static gboolean repeat_equal(gconstpointer a, gconstpointer b)
{
    const struct repeat *x = a, *y = b;

    return x->pc == y->pc && x->region == y->region && x->rule == y->rule;
}

struct record_rules *record_rules_new(struct checker *c)
{
    struct record_rules *s = g_new(struct record_rules, 1);

    *s = (struct record_rules){
        .checker = c,
        .repeats = g_hash_table_new(repeat_hash, repeat_equal),
        .list = g_ptr_array_new_with_free_func(g_free),
    };
    return s;
}

void record_rules_free(struct record_rules *s)
{
    if (s) {
        g_hash_table_destroy(s->repeats);
        g_ptr_array_free(s->list, TRUE);
        g_free(s);
    }
}

/* CHECK_RULE_COUNT: none. */
static enum check_rule_id rule_of(const struct trace_record *record)
{
    switch (record->event) {
    case TRACE_EVENT_CPU_UNCACHED_ATOMIC:
        return CHECK_RULE_UNCACHED_ATOMIC;
    case TRACE_EVENT_CPU_STALE:
        return CHECK_RULE_STALE_CPU_READ;
    case TRACE_EVENT_LOST_BYTES:
        return CHECK_RULE_LOST_BYTES;
    case TRACE_EVENT_CPU_INVALIDATE:
        return record->arg[3] ? CHECK_RULE_LOST_BYTES : CHECK_RULE_COUNT;
    default:
        return CHECK_RULE_COUNT;
    }
}

/* g_free(). */
static char *barrier_text(const char *at, const char *other)
{
    return at && other && strcmp(at, other) != 0
               ? g_strdup_printf(
                     "Parts of a warp reached __syncthreads() in different places, here and "
                     "at %s: the branch between them diverges.",
                     other)
               : g_strdup(check_rules[CHECK_RULE_BARRIER_DIVERGENT].text);
}

static void barrier_split(struct checker *c, const struct trace_record *t)
{
    uint32_t grid_id = (uint32_t)t->arg[1];
    g_autofree char *at = run_kernel_line(checker_run(c), grid_id, t->arg[2]);
    g_autofree char *other = run_kernel_line(checker_run(c), grid_id, t->arg[3]);
    g_autofree char *text = barrier_text(at, other);
    struct checker_finding f = checker_finding_of(CHECK_RULE_BARRIER_DIVERGENT);

    f.text = text;
    f.where = at;
    f.grid_id = grid_id;
    checker_finding(c, &f);
}

/* A load from a cache that stores of the same kernel do not reach */
static void kernel_stale(struct checker *c, const struct trace_record *t, enum check_rule_id rule)
{
    uint32_t grid_id = (uint32_t)t->arg[1];
    g_autofree char *at = run_kernel_line(checker_run(c), grid_id, t->arg[2]);
    const struct run_region *region = run_region_at(checker_run(c), t->arg[3]);
    struct checker_finding f = checker_finding_of(rule);

    f.where = at;
    f.grid_id = grid_id;
    f.region = region ? region->id : 0;
    checker_finding(c, &f);
}

/* An access that no buffer has, and that went on */
static void kernel_beside(struct checker *c, const struct trace_record *t)
{
    const struct run *r = checker_run(c);
    uint32_t grid_id = (uint32_t)t->arg[1];
    const struct run_region *region = kernel_fault_nearest(r, t->arg[3]);
    g_autofree char *at = run_kernel_line(r, grid_id, t->arg[2]);
    g_autofree char *said = kernel_beside_text(r, t->arg[3], t->arg[4]);
    /* The SM gives no places where nothing observes accesses: --check off, and no trace. */
    g_autofree char *text = t->arg[2] ? g_steal_pointer(&said)
                                      : g_strconcat(said, " `--check on` gives the line.", NULL);
    struct checker_finding f = checker_finding_of(CHECK_RULE_KERNEL_BESIDE);

    f.text = text;
    f.where = at;
    f.grid_id = grid_id;
    f.region = region ? region->id : 0;
    checker_finding(c, &f);
}

static void engine_refused(struct checker *c, const struct trace_record *t)
{
    g_autofree char *text = engine_fault_text(t);
    struct checker_finding f = checker_finding_of(CHECK_RULE_ENGINE_SMMU_FAULT);

    f.text = f.pair = text;
    checker_finding(c, &f);
}

/* Return: false if it was there before. */
static bool is_first(struct record_rules *s, enum check_rule_id rule, uint64_t pc, uint32_t region)
{
    struct repeat key = { .rule = rule, .pc = pc, .region = region };
    struct repeat *known = g_hash_table_lookup(s->repeats, &key);

    if (known) {
        known->more++;
        return false;
    }
    known = g_memdup2(&key, sizeof(key));
    g_hash_table_add(s->repeats, known);
    g_ptr_array_add(s->list, known);
    return true;
}

void record_rules_take(struct record_rules *s, const struct trace_record *t, uint64_t pc)
{
    enum check_rule_id rule = rule_of(t);
    struct checker_finding f;

    if (t->event == TRACE_EVENT_BARRIER_SPLIT) {
        barrier_split(s->checker, t);
    }
    if (t->event == TRACE_EVENT_TEX_STALE) {
        kernel_stale(s->checker, t, CHECK_RULE_TEXTURE_STALE);
    }
    if (t->event == TRACE_EVENT_L1_STALE) {
        kernel_stale(s->checker, t, CHECK_RULE_L1_STALE);
    }
    if (t->event == TRACE_EVENT_GPU_BESIDE) {
        kernel_beside(s->checker, t);
    }
    if (t->event == TRACE_EVENT_KERNEL_RACE_WHO) {
        s->who = *t;
    }
    if (t->event == TRACE_EVENT_KERNEL_RACE) {
        kernel_race(s->checker, t, &s->who);
    }
    if (engine_fault_unexplained(t)) {
        engine_refused(s->checker, t);
    }
    if (rule == CHECK_RULE_COUNT || (rule == CHECK_RULE_STALE_CPU_READ &&
                                     checker_hb(s->checker))) { /* knows whose bytes, and why */
        return;
    }
    if (is_first(s, rule, pc, t->region)) {
        f = checker_finding_of(rule);
        f.where = checker_place(s->checker, pc);
        f.region = t->region;
        checker_finding(s->checker, &f);
    }
}

void record_rules_repeats(struct record_rules *s)
{
    for (guint i = 0; i < s->list->len; i++) {
        const struct repeat *repeat = s->list->pdata[i];
        struct note n;

        if (repeat->more == 0) {
            continue;
        }
        note_init(&n, "finding");
        note_str(&n, "rule", check_rules[repeat->rule].name);
        note_str(&n, "where", checker_place(s->checker, repeat->pc));
        note_u64(&n, "region", repeat->region);
        note_u64(&n, "count", repeat->more);
        checker_note(s->checker, &n);
    }
}
