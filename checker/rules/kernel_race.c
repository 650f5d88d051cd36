/* SPDX-License-Identifier: MIT */
#include "checker/rules/kernel_race.h"

#include <inttypes.h>
#include <string.h>

#include "checker/checker.h"
#include "checker/run/variables.h"
#include "model/values.h"

/**
 * struct race - both records, taken apart
 * @at, @other: "app.cu:41", NULL: the kernel has no lines; later access first, as all pairs
 * @variable: in shared memory, @address: its byte; NULL: not known, of the block's shared memory
 */
struct race {
    char *at, *other, *variable;
    uint32_t kind[2], scope[2], thread[2];
    uint64_t block[2], address, times;
    uint32_t bytes;
    uint32_t owner;                                /* grid_race.owner */
    bool shared, same_value, loop, later_is_above; /* in the source */
    enum grid_race_relation relation;
    enum grid_race_missing missing;
};

static uint32_t what_bits(uint64_t what, unsigned from, unsigned n)
{
    return (uint32_t)(what >> from & ((UINT64_C(1) << n) - 1));
}

static struct race race_take(struct checker *c, const struct trace_record *t,
                             const struct trace_record *who)
{
    uint64_t what = t->arg[5];
    uint32_t grid_id = (uint32_t)t->arg[1];
    struct race r = {
        .at = run_kernel_line(checker_run(c), grid_id, t->arg[2]),
        .other = run_kernel_line(checker_run(c), grid_id, t->arg[3]),
        .kind = { what_bits(what, 0, 4), what_bits(what, KERNEL_RACE_OTHER, 4) },
        .scope = { what_bits(what, KERNEL_RACE_SCOPE, 4),
                   what_bits(what, KERNEL_RACE_OTHER + KERNEL_RACE_SCOPE, 4) },
        .thread = { (uint32_t)who->arg[1], (uint32_t)(who->arg[1] >> 32) },
        .block = { who->arg[2], who->arg[3] },
        .address = t->arg[4],
        .times = who->arg[4],
        .bytes = what_bits(what, KERNEL_RACE_BYTES, 32),
        .owner = what_bits(what, KERNEL_RACE_OWNER, 5),
        .later_is_above = t->arg[2] < t->arg[3],
        .shared = what_bits(what, KERNEL_RACE_SHARED, 1),
        .same_value = what_bits(what, KERNEL_RACE_SAME_VALUE, 1),
        .loop = what_bits(what, KERNEL_RACE_LOOP, 1),
        .relation = (enum grid_race_relation)what_bits(what, KERNEL_RACE_RELATION, 4),
        .missing = (enum grid_race_missing)what_bits(what, KERNEL_RACE_MISSING, 4),
    };

    if (r.shared) {
        r.variable = variables_find(checker_run(c), grid_id, &r.address);
    }
    return r;
}

static enum check_rule_id rule_of(const struct race *r)
{
    if (r->same_value) {
        return CHECK_RULE_KERNEL_RACE_SAME_VALUE;
    }
    switch (r->missing) {
    case GRID_RACE_MISSING_WAIT:
        return CHECK_RULE_KERNEL_RACE_ASYNC;
    case GRID_RACE_MISSING_SCOPE:
        return CHECK_RULE_KERNEL_RACE_SCOPE;
    case GRID_RACE_MISSING_FENCE:
    case GRID_RACE_MISSING_ACQUIRE:
        return CHECK_RULE_KERNEL_RACE_FENCE;
    case GRID_RACE_MISSING_BEGIN:
    case GRID_RACE_MISSING_END:
        return CHECK_RULE_KERNEL_RACE_LIFE;
    default:
        return r->relation == GRID_RACE_WARP      ? CHECK_RULE_KERNEL_RACE_WARP
               : r->relation == GRID_RACE_BLOCK   ? CHECK_RULE_KERNEL_RACE_BLOCK
               : r->relation == GRID_RACE_CLUSTER ? CHECK_RULE_KERNEL_RACE_CLUSTER
                                                  : CHECK_RULE_KERNEL_RACE_GRID;
    }
}

static const char *kind_text(const struct race *r, unsigned side)
{
    bool strong = r->scope[side] != BUS_SCOPE_NONE;

    switch (r->kind[side]) {
    case GRID_RACE_ATOMIC:
        return r->scope[side] == BUS_SCOPE_CTA             ? "an atomic operation of block scope"
               : r->scope[side] == GRID_RACE_SCOPE_CLUSTER ? "an atomic operation of cluster scope"
                                                           : "an atomic operation";
    case GRID_RACE_ASYNC:
        return "an asynchronous copy";
    case GRID_RACE_STORE:
        return strong ? "a volatile or atomic store" : "a store";
    default:
        return strong ? "a volatile or atomic load" : "a load";
    }
}

static void side_append(GString *s, const struct race *r, unsigned side)
{
    const char *at = side ? r->other : r->at;

    g_string_append_printf(s, "%s%s%s by thread %" PRIu32 " of block %" PRIu64, kind_text(r, side),
                           at ? " at " : "", at ? at : "", r->thread[side], r->block[side]);
}

static bool is_life(const struct race *r)
{
    return r->missing == GRID_RACE_MISSING_BEGIN || r->missing == GRID_RACE_MISSING_END;
}

static void memory_append(GString *s, const struct race *r)
{
    g_string_append_printf(s, " from byte %" PRIu64 " of ", r->address);
    g_string_append(s, r->variable ? r->variable
                       : r->owner  ? "shared memory"
                                   : "the block's shared memory");
    g_string_append(s, r->variable ? " in shared memory" : "");
    if (r->owner) {
        g_string_append_printf(s, " of the block of rank %" PRIu32 " of the cluster", r->owner - 1);
    }
}

/* An access, and the begin or the end of the block whose memory it is */
static void life_append(GString *s, const struct race *r)
{
    side_append(s, r, 0);
    g_string_append_printf(s, " to what begins");
    memory_append(s, r);
    g_string_append_printf(s, ", block %" PRIu64 "; nothing orders it %s.", r->block[1],
                           r->missing == GRID_RACE_MISSING_END ? "before the end of that block"
                                                               : "behind the begin of that block");
}

/* Where a buffer is, the finding says itself. g_free() */
static char *text_make(const struct race *r, enum check_rule_id rule)
{
    GString *s = g_string_new(check_rules[rule].text);

    g_string_append_c(s, ' ');
    g_string_append(s, "Here ");
    if (is_life(r)) {
        life_append(s, r);
        return g_string_free(s, FALSE);
    }
    side_append(s, r, 0);
    g_string_append(s, "; before it ");
    side_append(s, r, 1);
    g_string_append_printf(s, "; %" PRIu32 " byte%s", r->bytes, r->bytes == 1 ? "" : "s");
    if (r->shared) {
        memory_append(s, r);
    }
    g_string_append_printf(s, ". %" PRIu64 " such pair%s in this launch.", r->times,
                           r->times == 1 ? "" : "s");
    return g_string_free(s, FALSE);
}

static const char *line_or(const char *line, const char *otherwise)
{
    return line ? line : otherwise;
}

/* "between a.cu:5 and a.cu:9", in the order of the source */
static char *lines_between(const struct race *r)
{
    const char *first = r->later_is_above ? r->at : r->other;
    const char *second = r->later_is_above ? r->other : r->at;

    return !r->at || !r->other        ? g_strdup("between the two")
           : !strcmp(r->at, r->other) ? g_strdup_printf("between two turns of %s", r->at)
           : r->loop
               ? g_strdup_printf("behind %s, before %s of the loop's next turn", second, first)
               : g_strdup_printf("between %s and %s", first, second);
}

/* __threadfence() of the scope that holds both */
static const char *fence_name(const struct race *r)
{
    return r->relation == GRID_RACE_GRID || r->relation == GRID_RACE_CLUSTER
               ? "__threadfence()"
               : "__threadfence_block()";
}

/* What one thread published by a flag or counter, the other has read: which of the two fences? */
static char *fence_todo(const struct race *r)
{
    const char *at = line_or(r->at, "the later access");
    const char *other = line_or(r->other, "the earlier access");

    return r->missing == GRID_RACE_MISSING_ACQUIRE
               ? g_strdup_printf("Call %s before %s, behind the load or atomic operation that "
                                 "observes the flag or counter (or load it with "
                                 "memory_order_acquire). The other thread has its fence.",
                                 fence_name(r), at)
               : g_strdup_printf("Call %s behind %s, before the store or atomic operation that "
                                 "sets the flag or counter (or set it with "
                                 "memory_order_release). The other thread needs one before %s, "
                                 "behind the load that observes it.",
                                 fence_name(r), other, at);
}

static bool is_narrow(const struct race *r, unsigned side)
{
    return r->scope[side] == BUS_SCOPE_CTA || r->scope[side] == GRID_RACE_SCOPE_CLUSTER;
}

/* Which of the two leaves the other out, and what is the least that holds both? */
static char *scope_todo(const struct race *r)
{
    bool at = is_narrow(r, 0), other = is_narrow(r, 1);
    bool same = g_strcmp0(r->at, r->other) == 0;

    if ((!at && !other) || !r->at || !r->other) {
        return g_strdup("Give both a scope that holds both threads: of two blocks at least that of "
                        "the device (atomicAdd() instead of atomicAdd_block(), "
                        "cuda::thread_scope_device).");
    }
    if (r->scope[at ? 0 : 1] == GRID_RACE_SCOPE_CLUSTER) {
        return g_strdup_printf(
            "Give %s%s%s the scope of the device instead of the cluster's (.gpu, "
            "cuda::thread_scope_device).",
            at ? r->at : r->other, at && other && !same ? " and " : "",
            at && other && !same ? r->other : "");
    }
    return g_strdup_printf("Give %s%s%s the scope of the device instead of the block's: "
                           "atomicAdd() instead of atomicAdd_block(), cuda::thread_scope_device.",
                           at ? r->at : r->other, at && other && !same ? " and " : "",
                           at && other && !same ? r->other : "");
}

static char *wait_todo(const struct race *r)
{
    bool later = r->kind[0] == GRID_RACE_ASYNC;
    const char *copy = line_or(later ? r->at : r->other, "the copy");
    const char *use = line_or(later ? r->other : r->at, "the other access");
    bool own = r->block[0] == r->block[1] && r->thread[0] == r->thread[1];

    return g_strdup_printf("In the thread that copies at %s wait for the copy before %s "
                           "(__pipeline_wait_prior(), cp.async.wait_group; of a bulk copy its "
                           "mbarrier or cp.async.bulk.wait_group)%s.",
                           copy, use,
                           own                                ? ""
                           : r->relation == GRID_RACE_WARP    ? ", then call __syncwarp()"
                           : r->relation == GRID_RACE_BLOCK   ? ", then call __syncthreads()"
                           : r->relation == GRID_RACE_CLUSTER ? ", then call cluster.sync()"
                                                              : "");
}

static char *atomic_todo(const struct race *r, const char *lines)
{
    const char *weak = r->scope[0] == BUS_SCOPE_NONE ? r->at : r->other;

    return g_strdup_printf("Make the access at %s atomic, too (cuda::atomic_ref, or atomic "
                           "functions), or order the two: %s %s.",
                           line_or(weak, "the plain one"),
                           r->relation == GRID_RACE_GRID      ? "grid.sync() or the end of a kernel"
                           : r->relation == GRID_RACE_WARP    ? "__syncwarp()"
                           : r->relation == GRID_RACE_CLUSTER ? "cluster.sync()"
                                                              : "__syncthreads()",
                           lines);
}

static char *order_todo(const struct race *r, const char *lines)
{
    switch (r->relation) {
    case GRID_RACE_WARP:
        return g_strdup_printf("Call __syncwarp() %s, with both lanes in its mask.", lines);
    case GRID_RACE_BLOCK:
        return g_strdup_printf(
            "Call __syncthreads() %s, where each thread of the block reaches it.", lines);
    case GRID_RACE_CLUSTER:
        return g_strdup_printf("Call cluster.sync() (barrier.cluster) %s, where each thread of the "
                               "cluster reaches it.",
                               lines);
    default:
        return g_strdup_printf("Use an atomic operation, or a flag with __threadfence() on both "
                               "sides, grid.sync() of a cooperative launch, or two kernels, %s.",
                               lines);
    }
}

static char *life_todo(const struct race *r)
{
    const char *at = line_or(r->at, "the access");

    return r->missing == GRID_RACE_MISSING_END
               ? g_strdup_printf("Call cluster.sync() (barrier.cluster) behind %s, in each thread "
                                 "of the cluster before it ends.",
                                 at)
               : g_strdup_printf("Call cluster.sync() (barrier.cluster) before %s, in each thread "
                                 "of the cluster.",
                                 at);
}

/* g_free(); NULL: the rule's own */
static char *todo_make(const struct race *r, enum check_rule_id rule)
{
    g_autofree char *lines = lines_between(r);

    switch (rule) {
    case CHECK_RULE_KERNEL_RACE_SAME_VALUE:
        return NULL;
    case CHECK_RULE_KERNEL_RACE_FENCE:
        return fence_todo(r);
    case CHECK_RULE_KERNEL_RACE_SCOPE:
        return scope_todo(r);
    case CHECK_RULE_KERNEL_RACE_ASYNC:
        return wait_todo(r);
    case CHECK_RULE_KERNEL_RACE_LIFE:
        return life_todo(r);
    default:
        return r->missing == GRID_RACE_MISSING_ATOMIC ? atomic_todo(r, lines)
                                                      : order_todo(r, lines);
    }
}

/* Two launches may meet the two places in either order. */
static char *pair_make(const struct race *r, enum check_rule_id rule)
{
    return g_strdup_printf("%s|%s|%s", check_rules[rule].name,
                           line_or(r->later_is_above ? r->at : r->other, ""),
                           line_or(r->later_is_above ? r->other : r->at, ""));
}

void kernel_race(struct checker *c, const struct trace_record *t, const struct trace_record *who)
{
    struct race r = race_take(c, t, who);
    enum check_rule_id rule = rule_of(&r);
    struct checker_finding f = checker_finding_of(rule);
    const struct run_region *region = r.shared ? NULL : run_region_at(checker_run(c), r.address);
    g_autofree char *text = text_make(&r, rule), *todo = todo_make(&r, rule), *pair = NULL;

    pair = pair_make(&r, rule);
    f.text = text;
    f.todo = todo ? todo : f.todo;
    f.where = r.at;
    f.pair = r.at && r.other ? pair : NULL;
    f.grid_id = (uint32_t)t->arg[1];
    f.region = region ? region->id : 0;
    f.va = region ? r.address : 0;
    checker_finding(c, &f);
    g_free(r.at);
    g_free(r.other);
    g_free(r.variable);
}
