/* SPDX-License-Identifier: MIT */
#include "viewer/page.h"

#include "checker/print/json_writer.h"
#include "litmus/machine.h"
#include "profiles/profile.h"

void *PAGE_EXPORT(page_room)(size_t bytes)
{
    return g_resize(NULL, bytes);
}

void PAGE_EXPORT(page_drop)(void *p)
{
    free(p);
}

static void put_text(struct json_writer *w, const char *key, const char *value)
{
    json_writer_key(w, key);
    json_writer_text(w, value);
}

static void put_int(struct json_writer *w, const char *key, uint64_t value)
{
    json_writer_key(w, key);
    json_writer_int(w, (int64_t)value);
}

static void put_bool(struct json_writer *w, const char *key, bool value)
{
    json_writer_key(w, key);
    json_writer_bool(w, value);
}

static void page_litmus_begin(struct json_writer *w, const char *key, char bracket)
{
    json_writer_key(w, key);
    json_writer_begin(w, bracket);
}

/* As hexadecimal digits: a number a line would be most of the answer. */
static void put_bytes(struct json_writer *w, const char *key, const uint8_t *bytes, unsigned n)
{
    static const char digits[] = "0123456789abcdef";
    char text[2 * LITMUS_BYTES + 1] = "";

    for (unsigned i = 0; i < n; i++) {
        text[2 * i] = digits[bytes[i] >> 4];
        text[2 * i + 1] = digits[bytes[i] & 15];
    }
    put_text(w, key, text);
}

G_STATIC_ASSERT(LITMUS_QUEUE <= LITMUS_BYTES);

static void put_registers(struct json_writer *w, const struct litmus_test *test,
                          const struct litmus_state *s)
{
    page_litmus_begin(w, "registers", '[');
    for (unsigned t = 0; t < test->threads; t++) {
        const struct litmus_thread *thread = &test->thread[t];

        json_writer_begin(w, '[');
        for (unsigned r = 0; r < thread->regs; r++) {
            if (s->set[t] >> r & 1) {
                g_autofree char *text =
                    g_strdup_printf("%s%u=%" PRIu64, thread->agent == LITMUS_CPU ? "W" : "r",
                                    thread->reg_number[r], s->reg[t][r]);

                json_writer_text(w, text);
            }
        }
        json_writer_end(w, ']');
    }
    json_writer_end(w, ']');
}

static void put_state(struct json_writer *w, const struct litmus_machine *m,
                      const struct litmus_state *s)
{
    page_litmus_begin(w, "state", '{');
    put_bytes(w, "dram", s->dram, m->bytes);
    put_bytes(w, "view", s->view, m->bytes);
    put_bytes(w, "l2", s->l2[0], m->bytes);
    put_int(w, "l2_valid", s->l2_valid[0]);
    put_int(w, "l2_dirty", s->l2_dirty[0]);
    put_int(w, "cpu_valid", s->cpu_valid);
    put_int(w, "cpu_dirty", s->cpu_dirty);
    page_litmus_begin(w, "sm", '[');
    for (unsigned i = 0; i < m->test->sms; i++) {
        json_writer_begin(w, '{');
        put_bytes(w, "l1", s->l1[i], m->bytes);
        put_int(w, "l1_valid", s->l1_valid[i]);
        put_bytes(w, "queue", s->sm_queue[i], s->sm_n[i]);
        json_writer_end(w, '}');
    }
    json_writer_end(w, ']');
    put_bytes(w, "gpu_queue", s->gpu_queue[0], s->gpu_n[0]);
    put_int(w, "fault", s->fault);
    /* The driver has closed managed memory to the CPUs (CUDA for Tegra 3.6). */
    put_bool(w, "closed", s->active && m->managed && !m->soc.concurrent_managed);
    page_litmus_begin(w, "done", '[');
    for (unsigned t = 0; t < m->test->threads; t++) {
        json_writer_int(w, s->done[t]);
    }
    json_writer_end(w, ']');
    put_registers(w, m->test, s);
    json_writer_end(w, '}');
}

static const char *op_word(enum litmus_op op)
{
    return op == LITMUS_LOAD     ? "load"
           : op == LITMUS_STORE  ? "store"
           : op == LITMUS_ATOMIC ? "atomic"
                                 : NULL;
}

/* The access that a step performs or passes on. @s: before it. Return: thread * LITMUS_EVENTS +
 * event; -1: none */
static int step_access(const struct litmus_state *s, struct litmus_step step)
{
    switch ((enum litmus_step_kind)step.kind) {
    case LITMUS_STEP_EVENT:
        return step.a * LITMUS_EVENTS + step.b;
    case LITMUS_STEP_SM_DRAIN:
        return s->sm_queue[step.a][step.b];
    case LITMUS_STEP_GPU_DRAIN:
        return s->gpu_queue[step.a][step.b];
    default:
        return -1;
    }
}

static const char *step_kind(struct litmus_step step)
{
    static const char *const kinds[] = {
        [LITMUS_STEP_EVENT] = "event",         [LITMUS_STEP_SM_DRAIN] = "sm drain",
        [LITMUS_STEP_GPU_DRAIN] = "gpu drain", [LITMUS_STEP_CPU_EVICT] = "cpu evict",
        [LITMUS_STEP_CPU_FILL] = "cpu fill",   [LITMUS_STEP_L2_EVICT] = "l2 evict",
        [LITMUS_STEP_L1_EVICT] = "l1 evict",
    };

    return kinds[step.kind];
}

static const struct litmus_event *event_of(const struct litmus_machine *m, int code)
{
    return code < 0 ? NULL : &m->test->thread[code / LITMUS_EVENTS].event[code % LITMUS_EVENTS];
}

/* The cache that drops dirty lines in this step without writing them back. Only DC IVAC, the
 * driver's invalidate (CUDA for Tegra 3.1, below cc 7.2) and an invalidate of the L2 do. */
static const char *step_drops(const struct litmus_machine *m, const struct litmus_event *e)
{
    if ((e->op == LITMUS_DC && e->which == LITMUS_IVAC) ||
        (e->op == LITMUS_SYNC && !m->soc.io_coherent)) {
        return "cpu";
    }
    return e->op == LITMUS_L2_INVALIDATE ? "l2" : NULL;
}

/* An atomic at the port is two steps. @before, @after: the states of this one */
static const char *step_op(const struct litmus_event *e, const struct litmus_state *before,
                           const struct litmus_state *after)
{
    if (e->op == LITMUS_ATOMIC && before->busy != after->busy) {
        return after->busy ? "atomic read" : "atomic write";
    }
    return op_word(e->op);
}

/**
 * struct page_step - what the page shows of a step
 * @text, @note: as in the witness; @kind: NULL: the beginning, or a barrier
 * @code: of step_access(), or the barrier's; @before: the state, NULL: the beginning
 */
struct page_step {
    const char *text, *note, *kind;
    int code;
    const struct litmus_state *before;
};

/* What the step's arrows need besides the two states. */
static void put_access(struct json_writer *w, const struct litmus_machine *m,
                       const struct page_step *step, const struct litmus_state *s)
{
    const struct litmus_event *e = event_of(m, step->code);
    bool event = g_strcmp0(step->kind, "event") == 0;

    put_text(w, "kind", step->kind);
    json_writer_key(w, "thread");
    json_writer_int(w, event ? step->code / LITMUS_EVENTS : -1);
    json_writer_key(w, "agent"); /* whose operation it is, also where a queue passes it on */
    json_writer_int(w, e ? step->code / LITMUS_EVENTS : -1);
    json_writer_key(w, "event");
    json_writer_int(w, e ? step->code % LITMUS_EVENTS : -1);
    json_writer_key(w, "loc");
    json_writer_int(w, e ? e->loc : -1);
    put_text(w, "op", e ? step_op(e, step->before, s) : NULL);
    put_text(w, "drops", e && event ? step_drops(m, e) : NULL);
}

static void put_step(struct json_writer *w, const struct litmus_machine *m,
                     const struct page_step *step, const struct litmus_state *s)
{
    json_writer_begin(w, '{');
    put_text(w, "step", step->text);
    put_text(w, "note", step->note);
    put_access(w, m, step, s);
    put_state(w, m, s);
    json_writer_end(w, '}');
}

/* Barriers are no steps of the machine: each is shown where it is over, as in the witness. */
static void put_barriers(struct json_writer *w, const struct litmus_machine *m,
                         const struct litmus_state *s, unsigned thread, unsigned next,
                         uint32_t *shown)
{
    uint32_t over = order_barriers_over(&m->test->thread[thread], next) & ~*shown;

    for (*shown |= over; over; over &= over - 1) {
        unsigned event = (unsigned)__builtin_ctz(over);
        g_autofree char *text = order_barrier_text(&m->test->thread[thread], event);

        put_step(w, m,
                 &(struct page_step){ .text = text, .code = (int)(thread * LITMUS_EVENTS + event) },
                 s);
    }
}

/* The steps of a witness once more, on a machine that forgets nothing, so that lines stay drawn. */
static void put_path(struct json_writer *w, const struct litmus_machine *m,
                     const struct litmus_outcome *o)
{
    uint32_t shown[LITMUS_THREADS] = { 0 };
    struct litmus_state s, before;

    machine_init(m, &s);
    page_litmus_begin(w, "path", '[');
    put_step(w, m, &(struct page_step){ .text = "the beginning", .code = -1 }, &s);
    for (guint i = 0; i < o->steps->len; i++) {
        struct litmus_step step = g_array_index(o->steps, struct litmus_step, i);
        g_autofree char *text = machine_step_text(m, &s, step), *note = NULL;

        if (step.kind == LITMUS_STEP_EVENT) {
            put_barriers(w, m, &s, step.a, step.b, &shown[step.a]);
        }
        before = s;
        machine_apply(m, &s, step, &note);
        put_step(
            w, m,
            &(struct page_step){ text, note, step_kind(step), step_access(&before, step), &before },
            &s);
    }
    for (unsigned t = 0; t < m->test->threads; t++) {
        if (!((s.fault | machine_running(m, &s)) >> t & 1)) {
            put_barriers(w, m, &s, t, m->test->thread[t].n, &shown[t]);
        }
    }
    json_writer_end(w, ']');
}

static void put_values(struct json_writer *w, const struct litmus_test *test,
                       const struct litmus_outcome *o)
{
    page_litmus_begin(w, "values", '{');
    for (unsigned i = 0; i < test->items; i++) {
        g_autofree char *name = litmus_item_text(test, i);

        json_writer_key(w, name);
        if (o->known >> i & 1) {
            json_writer_int(w, (int64_t)o->value[i]);
        } else {
            json_writer_text(w, NULL);
        }
    }
    json_writer_end(w, '}');
}

static void put_threads_of(struct json_writer *w, const char *key, const struct litmus_test *test,
                           uint32_t mask)
{
    page_litmus_begin(w, key, '[');
    for (unsigned t = 0; t < test->threads; t++) {
        if (mask >> t & 1) {
            json_writer_text(w, test->thread[t].name);
        }
    }
    json_writer_end(w, ']');
}

static void put_outcome(struct json_writer *w, const struct litmus_machine *m,
                        const struct litmus_outcome *o)
{
    g_autofree char *text = litmus_outcome_text(m->test, o);

    json_writer_begin(w, '{');
    put_text(w, "text", text);
    put_values(w, m->test, o);
    put_threads_of(w, "fault", m->test, o->fault);
    put_threads_of(w, "never_end", m->test, o->blocked);
    put_int(w, "final_states", o->states);
    put_bool(w, "matches", o->matches);
    page_litmus_begin(w, "witness", '[');
    for (guint i = 0; i < o->witness->len; i++) {
        json_writer_text(w, o->witness->pdata[i]);
    }
    json_writer_end(w, ']');
    put_path(w, m, o);
    json_writer_end(w, '}');
}

static void put_locations(struct json_writer *w, const struct litmus_test *test)
{
    static const char *const kinds[] = { "device", "pinned", "managed", "pageable", "interop" };

    page_litmus_begin(w, "locations", '[');
    for (unsigned i = 0; i < test->locs; i++) {
        const struct litmus_loc *loc = &test->loc[i];

        json_writer_begin(w, '{');
        put_text(w, "name", loc->name);
        put_text(w, "kind", kinds[loc->kind]);
        put_int(w, "byte", loc->byte);
        put_int(w, "size", loc->size);
        put_int(w, "line", loc->line);
        put_int(w, "offset", loc->offset);
        put_int(w, "init", loc->init);
        json_writer_end(w, '}');
    }
    json_writer_end(w, ']');
}

/* What of an operation an answer to a lesson keeps: not order, scope or dependency. Return: NULL
 * for what it may leave out, a barrier or maintenance; g_free() */
static char *memory_text(const struct litmus_test *test, const struct litmus_thread *t,
                         const struct litmus_event *e)
{
    switch (e->op) {
    case LITMUS_LOAD:
    case LITMUS_STORE:
    case LITMUS_ATOMIC:
        return g_strdup_printf("%s %s+%u,%u r%d s%d %" PRIu64 " %" PRIu64 " %u", op_word(e->op),
                               test->loc[e->loc].name, e->offset, e->size,
                               e->reg < 0 ? -1 : (int)t->reg_number[e->reg],
                               e->src < 0 ? -1 : (int)t->reg_number[e->src], e->value, e->compare,
                               e->op == LITMUS_ATOMIC ? e->which : 0);
    case LITMUS_DOORBELL:
    case LITMUS_SUBMIT:
    case LITMUS_LAUNCH:
        return g_strdup_printf("start %s as %d", test->job_name[e->job], e->op);
    default:
        return NULL;
    }
}

static void put_events(struct json_writer *w, const struct litmus_test *test,
                       const struct litmus_thread *t)
{
    page_litmus_begin(w, "events", '[');
    for (unsigned e = 0; e < t->n; e++) {
        json_writer_text(w, t->event[e].text);
    }
    json_writer_end(w, ']');
    page_litmus_begin(w, "ops", '[');
    for (unsigned e = 0; e < t->n; e++) {
        json_writer_text(w, op_word(t->event[e].op));
    }
    json_writer_end(w, ']');
    page_litmus_begin(w, "memory", '[');
    for (unsigned e = 0; e < t->n; e++) {
        g_autofree char *text = memory_text(test, t, &t->event[e]);

        json_writer_text(w, text);
    }
    json_writer_end(w, ']');
}

static void put_threads(struct json_writer *w, const struct litmus_test *test)
{
    page_litmus_begin(w, "threads", '[');
    for (unsigned t = 0; t < test->threads; t++) {
        const struct litmus_thread *thread = &test->thread[t];

        json_writer_begin(w, '{');
        put_text(w, "name", thread->name);
        put_bool(w, "cpu", thread->agent == LITMUS_CPU);
        put_bool(w, "igpu", thread->agent == LITMUS_IGPU);
        put_int(w, "sm", thread->sm);
        put_text(w, "job", thread->job < 0 ? NULL : test->job_name[thread->job]);
        put_events(w, test, thread);
        json_writer_end(w, '}');
    }
    json_writer_end(w, ']');
}

static void put_machine(struct json_writer *w, const struct litmus_machine *m)
{
    put_bytes(w, "cpu_line", m->cpu_line, m->bytes);
    put_bytes(w, "l2_line", m->l2_line, m->bytes);
    put_bool(w, "io_coherent", m->soc.io_coherent);
    put_int(w, "view", m->view);
    put_int(w, "cached", m->cached[0]);
    put_int(w, "snooped", m->snooped);
    put_int(w, "events_of_thread", LITMUS_EVENTS);
    put_locations(w, m->test);
    put_threads(w, m->test);
}

/* As `vtegra litmus` says it: the file's word where it expects what was found. */
static const char *verdict_word(const struct litmus_test *test, const struct litmus_result *r,
                                const char *soc, const char **expected)
{
    *expected = NULL;
    for (unsigned i = 0; i < test->expects; i++) {
        if (strcmp(test->expect[i].soc, soc) == 0) {
            *expected = litmus_verdict_name(test->expect[i].verdict);
            if (r->exhausted && litmus_verdict_meets(r->verdict, test->expect[i].verdict)) {
                return *expected;
            }
        }
    }
    return r->exhausted ? litmus_verdict_name(r->verdict) : NULL;
}

static void put_result(struct json_writer *w, const struct litmus_machine *m,
                       const struct litmus_result *r, const char *soc)
{
    const struct litmus_test *test = m->test;
    const char *expected, *verdict = verdict_word(test, r, soc, &expected);

    put_text(w, "test", test->name);
    put_text(w, "doc", test->doc);
    put_text(w, "teach", test->teach);
    put_text(w, "condition", test->cond_text);
    put_text(w, "verdict", verdict);
    put_text(w, "expected", expected);
    put_bool(w, "exhausted", r->exhausted);
    put_int(w, "states", r->states);
    put_int(w, "steps", r->steps);
    put_machine(w, m);
    page_litmus_begin(w, "outcomes", '[');
    for (guint i = 0; i < r->outcomes->len; i++) {
        put_outcome(w, m, &g_array_index(r->outcomes, struct litmus_outcome, i));
    }
    json_writer_end(w, ']');
}

char *PAGE_EXPORT(page_litmus)(const char *text, const char *profile, const char *soc, int reduce,
                               unsigned limit)
{
    struct litmus_options options = { reduce, limit };
    GError *error = NULL;
    struct litmus_test *test = litmus_parse(text, strlen(text), "test", &error);
    struct soc_profile *p = test ? profile_parse(profile, strlen(profile), soc, &error) : NULL;
    struct litmus_machine *m = p ? litmus_machine_new(test, p, false, &error) : NULL;
    struct litmus_result *r = m ? litmus_explore(test, p, &options, &error) : NULL;
    struct json_writer w;

    json_writer_open(&w);
    w.compact = true;
    json_writer_begin(&w, '{');
    if (r) {
        put_result(&w, m, r, soc);
    } else {
        put_text(&w, "error", error->message);
        put_bool(&w, "absent", test && p);
        g_error_free(error);
    }
    json_writer_end(&w, '}');
    litmus_result_free(r);
    g_free(m);
    profile_free(p);
    litmus_free(test);
    return json_writer_close(&w);
}
