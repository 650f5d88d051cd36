/* SPDX-License-Identifier: MIT */
/* What a kernel has done to a frame is known when it has run, which may be long after its launch.
 * So each turn of the frame has the number of the newest grid at that time, and a grid is judged by
 * the turn that it was launched in. Sums count by allocation: memory with more than one frame in it
 * is not judged. */
#include "checker/rules/frame_rule.h"

#include "checker/checker.h"
#include "checker/checker_internal.h"

#define TURNS_KEPT 256u

struct frame_memory {
    uint64_t frame;
    bool shared, cut; /* @cut: turns before those kept are gone */
    GArray *turns;    /* struct frame_turn, the newest last */
};

struct frame_rules {
    struct checker *checker;
    GHashTable *memory; /* region -> struct frame_memory */
};

static void memory_free(gpointer opaque)
{
    struct frame_memory *m = opaque;

    g_array_unref(m->turns);
    g_free(m);
}

struct frame_rules *frame_rules_new(struct checker *c)
{
    struct frame_rules *s = g_new(struct frame_rules, 1);

    s->checker = c;
    s->memory = g_hash_table_new_full(NULL, NULL, NULL, memory_free);
    return s;
}

void frame_rules_free(struct frame_rules *s)
{
    if (s) {
        g_hash_table_destroy(s->memory);
        g_free(s);
    }
}

void frame_rules_turn(struct frame_rules *s, const struct frame_turn *turn)
{
    gpointer key = GUINT_TO_POINTER(turn->region);
    struct frame_memory *m = g_hash_table_lookup(s->memory, key);

    if (!m) {
        m = g_new0(struct frame_memory, 1);
        m->frame = turn->frame;
        m->turns = g_array_new(FALSE, FALSE, sizeof(struct frame_turn));
        g_hash_table_insert(s->memory, key, m);
    }
    m->shared |= m->frame != turn->frame;
    if (m->turns->len == TURNS_KEPT) {
        g_array_remove_range(m->turns, 0, TURNS_KEPT / 2);
        m->cut = true;
    }
    g_array_append_val(m->turns, *turn);
}

static const struct frame_turn *turn_of(const struct frame_memory *m, uint32_t grid_id)
{
    for (guint i = m->turns->len; i > 0; i--) {
        const struct frame_turn *turn = &g_array_index(m->turns, struct frame_turn, i - 1);

        if ((int32_t)(grid_id - turn->grids) > 0) {
            return turn;
        }
    }
    return NULL;
}

/* CHECK_RULE_COUNT: nothing is wrong. In one stream for both ends, only the turn distinguishes
 * them.
 */
static enum check_rule_id rule_of(const struct frame_turn *turn, bool write, bool producers)
{
    switch (turn->owner) {
    case FRAME_STREAM:
        return write ? CHECK_RULE_EGL_FRAME_REWRITTEN : CHECK_RULE_COUNT;
    case FRAME_CONSUMER:
        return !write      ? CHECK_RULE_COUNT
               : producers ? CHECK_RULE_EGL_FRAME_REWRITTEN
                           : CHECK_RULE_EGL_FRAME_WRITTEN;
    case FRAME_RELEASED:
        return write && producers ? CHECK_RULE_EGL_FRAME_REWRITTEN : CHECK_RULE_EGL_FRAME_RELEASED;
    default:
        return CHECK_RULE_COUNT;
    }
}

static const char *const owner_words[] = { "", "which was presented and not returned",
                                           "which the consumer holds",
                                           "which the consumer has released" };

static void frame_rule_report(struct frame_rules *s, const struct frame_turn *turn,
                              enum check_rule_id rule, const struct run_kernel *kernel,
                              uint32_t grid_id, bool write)
{
    struct checker_finding f = checker_finding_of(rule);
    g_autofree char *text =
        g_strdup_printf("%s %s frame %" G_GUINT64_FORMAT " of a stream, %s", kernel->name,
                        write ? "writes to" : "reads", turn->number, owner_words[turn->owner]);

    f.text = text;
    f.where = checker_launched(s->checker, grid_id);
    f.grid_id = grid_id;
    f.region = turn->region;
    checker_finding(s->checker, &f);
}

/* A store of the CPU happens where the program is: the newest turn counts. */
static void frame_rule_cpu(struct frame_rules *s, const struct trace_record *t, uint64_t pc)
{
    const struct frame_memory *m = g_hash_table_lookup(s->memory, GUINT_TO_POINTER(t->region));
    const struct frame_turn *turn =
        m && !m->shared && m->turns->len
            ? &g_array_index(m->turns, struct frame_turn, m->turns->len - 1)
            : NULL;
    struct checker_finding f = checker_finding_of(CHECK_RULE_EGL_FRAME_REWRITTEN);
    g_autofree char *text = NULL;

    if (!turn || turn->owner == FRAME_PRODUCER || t->process) {
        return;
    }
    text = g_strdup_printf("the CPU writes to frame %" G_GUINT64_FORMAT " of a stream, %s",
                           turn->number, owner_words[turn->owner]);
    f.text = text;
    f.where = checker_place(s->checker, pc);
    f.region = turn->region;
    checker_finding(s->checker, &f);
}

void frame_rules_take(struct frame_rules *s, const struct trace_record *t, uint64_t pc)
{
    bool write = t->event == TRACE_EVENT_SUM_WRITE;
    const struct run *run = checker_run(s->checker);
    const struct frame_memory *m;
    const struct frame_turn *turn;
    const struct run_kernel *kernel;
    enum check_rule_id rule;
    uint32_t grid_id;

    if (t->event == TRACE_EVENT_CPU_STORE || t->event == TRACE_EVENT_CPU_ATOMIC) {
        frame_rule_cpu(s, t, pc);
        return;
    }
    if ((!write && t->event != TRACE_EVENT_SUM_READ) || !t->arg[0] || !t->channel) {
        return;
    }
    m = g_hash_table_lookup(s->memory, GUINT_TO_POINTER(t->region));
    grid_id = m && !m->shared ? run_grid_on(run, t->channel - 1) : 0;
    kernel = grid_id ? run_grid_kernel(run, grid_id) : NULL;
    turn = kernel ? turn_of(m, grid_id) : NULL;
    checker_forgot(s->checker, RUN_FORGOT_FRAMES, kernel && !turn && m->cut);
    rule = turn ? rule_of(turn, write, t->channel - 1 == turn->producer_channel) : CHECK_RULE_COUNT;
    if (rule != CHECK_RULE_COUNT) {
        frame_rule_report(s, turn, rule, kernel, grid_id, write);
    }
}
