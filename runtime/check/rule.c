/* SPDX-License-Identifier: MIT */
#include "runtime/check/rule.h"

#include <string.h>

guint repeat_hash(gconstpointer key)
{
    const struct repeat *r = key;

    return (guint)(r->pc * 31 + r->region) ^ g_str_hash(r->rule);
}

gboolean repeat_equal(gconstpointer a, gconstpointer b)
{
    const struct repeat *x = a, *y = b;

    return x->pc == y->pc && x->region == y->region && strcmp(x->rule, y->rule) == 0;
}

/* What the records of one event mean. */
struct record_rule {
    const char *rule, *section, *text, *todo;
    enum check_severity severity;
    enum check_standing standing;
};

static const struct record_rule uncached_atomic = {
    .rule = "uncached-atomic",
    .section = "CUDA for Tegra 3.2, GNU Atomic operations on pinned memory",
    .severity = CHECK_ERROR,
    .standing = CHECK_DOCUMENTED,
    .text = "Atomic operation of the CPU on pinned memory, which this SoC does not cache: such an "
            "operation is not supported on uncached memory.",
    .todo = "Keep the variable in unified memory (cudaMallocManaged) or in ordinary memory, or use "
            "plain loads and stores and synchronise with events.",
};

static const struct record_rule stale_read = {
    .rule = "stale-cpu-read",
    .section = "CUDA for Tegra 2.1, I/O Coherency",
    .severity = CHECK_WARNING,
    .standing = CHECK_DOCUMENTED,
    .text = "The CPU read a line of its cache that is older than memory: an engine has written the "
            "memory since, and nothing invalidated the line.",
    .todo = "Synchronise with the engine through the API before reading (cudaStreamSynchronize, an "
            "attach or a wait), so that the driver invalidates the CPU cache.",
};

static const struct record_rule lost_bytes = {
    .rule = "lost-bytes",
    .section = "CUDA for Tegra 2.1, I/O Coherency",
    .severity = CHECK_WARNING,
    .standing = CHECK_INFERRED,
    .text = "A cache invalidate threw away bytes that had not been written back.",
    .todo = "Clean the cache before invalidating it.",
};

static const struct record_rule *rule_of(const struct trace_record *record)
{
    switch (record->event) {
    case TRACE_EVENT_CPU_UNCACHED_ATOMIC:
        return &uncached_atomic;
    case TRACE_EVENT_CPU_STALE:
        return &stale_read;
    case TRACE_EVENT_LOST_BYTES:
        return &lost_bytes;
    case TRACE_EVENT_CPU_INVALIDATE:
        return record->arg[3] ? &lost_bytes : NULL;
    default:
        return NULL;
    }
}

static void rule_finding(struct check *c, const struct record_rule *rule, uintptr_t pc,
                         uint32_t region)
{
    struct check_finding f = {
        .rule = rule->rule,
        .severity = rule->severity,
        .standing = rule->standing,
        .section = rule->section,
        .text = rule->text,
        .todo = rule->todo,
        .region = region,
        .caller = { .pc = { pc } },
    };

    check_finding(c, &f);
}

void rule_record(struct check *c, const struct trace_record *record)
{
    const struct record_rule *rule = rule_of(record);
    struct repeat key, *known;

    if (record->event == TRACE_EVENT_BARRIER_SPLIT) {
        told_barrier_split(c, record);
    }
    if (!rule || (rule == &stale_read && c->hb)) { /* which knows whose bytes, and why */
        return;
    }
    key = (struct repeat){ .rule = rule->rule, .pc = hook_pc, .region = record->region };
    known = g_hash_table_lookup(c->repeats, &key);
    if (known) {
        known->more++;
        return;
    }
    known = g_memdup2(&key, sizeof(key));
    g_hash_table_add(c->repeats, known);
    g_ptr_array_add(c->repeat_list, known);
    rule_finding(c, rule, key.pc, key.region);
}

void rule_repeats_notes(struct check *c)
{
    for (guint i = 0; i < c->repeat_list->len; i++) {
        const struct repeat *repeat = c->repeat_list->pdata[i];
        struct check_caller caller = { .pc = { repeat->pc } };
        struct note n;

        if (repeat->more == 0) {
            continue;
        }
        note_init(&n, "finding");
        note_str(&n, "rule", repeat->rule);
        told_where(&n, &caller);
        note_u64(&n, "region", repeat->region);
        note_u64(&n, "count", repeat->more);
        check_take(c, &n);
    }
}
