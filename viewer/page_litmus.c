/* SPDX-License-Identifier: MIT */
#include "viewer/page.h"

#include "checker/json_writer.h"
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

static void begin(struct json_writer *w, const char *key, char bracket)
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
    begin(w, "registers", '[');
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
    begin(w, "state", '{');
    put_bytes(w, "dram", s->dram, m->bytes);
    put_bytes(w, "view", s->view, m->bytes);
    put_bytes(w, "l2", s->l2, m->bytes);
    put_int(w, "l2_valid", s->l2_valid);
    put_int(w, "l2_dirty", s->l2_dirty);
    put_int(w, "cpu_valid", s->cpu_valid);
    put_int(w, "cpu_dirty", s->cpu_dirty);
    begin(w, "sm", '[');
    for (unsigned i = 0; i < m->test->sms; i++) {
        json_writer_begin(w, '{');
        put_bytes(w, "l1", s->l1[i], m->bytes);
        put_int(w, "l1_valid", s->l1_valid[i]);
        put_bytes(w, "queue", s->sm_queue[i], s->sm_n[i]);
        json_writer_end(w, '}');
    }
    json_writer_end(w, ']');
    put_bytes(w, "gpu_queue", s->gpu_queue, s->gpu_n);
    put_int(w, "fault", s->fault);
    begin(w, "done", '[');
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
        return s->gpu_queue[step.b];
    default:
        return -1;
    }
}

/* What the step's arrow needs besides the two states. @code: of step_access() */
static void put_access(struct json_writer *w, const struct litmus_machine *m, int code, bool event)
{
    const struct litmus_event *e =
        code < 0 ? NULL : &m->test->thread[code / LITMUS_EVENTS].event[code % LITMUS_EVENTS];

    json_writer_key(w, "thread");
    json_writer_int(w, event ? code / LITMUS_EVENTS : -1);
    json_writer_key(w, "loc");
    json_writer_int(w, e ? e->loc : -1);
    put_text(w, "op", e ? op_word(e->op) : NULL);
}

static void put_step(struct json_writer *w, const struct litmus_machine *m,
                     const struct litmus_state *s, const char *step, const char *note, int code,
                     bool event)
{
    json_writer_begin(w, '{');
    put_text(w, "step", step);
    put_text(w, "note", note);
    put_access(w, m, code, event);
    put_state(w, m, s);
    json_writer_end(w, '}');
}

/* The steps of a witness once more, on a machine that forgets nothing, so that lines stay drawn. */
static void put_path(struct json_writer *w, const struct litmus_machine *m,
                     const struct litmus_outcome *o)
{
    struct litmus_state s;

    machine_init(m, &s);
    begin(w, "path", '[');
    put_step(w, m, &s, "the beginning", NULL, -1, false);
    for (guint i = 0; i < o->steps->len; i++) {
        struct litmus_step step = g_array_index(o->steps, struct litmus_step, i);
        g_autofree char *what = machine_step_text(m, &s, step), *note = NULL;
        int code = step_access(&s, step);

        machine_apply(m, &s, step, &note);
        put_step(w, m, &s, what, note, code, step.kind == LITMUS_STEP_EVENT);
    }
    json_writer_end(w, ']');
}

static void put_values(struct json_writer *w, const struct litmus_test *test,
                       const struct litmus_outcome *o)
{
    begin(w, "values", '{');
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
    begin(w, key, '[');
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
    begin(w, "witness", '[');
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

    begin(w, "locations", '[');
    for (unsigned i = 0; i < test->locs; i++) {
        const struct litmus_loc *loc = &test->loc[i];

        json_writer_begin(w, '{');
        put_text(w, "name", loc->name);
        put_text(w, "kind", kinds[loc->kind]);
        put_int(w, "byte", loc->byte);
        put_int(w, "size", loc->size);
        json_writer_end(w, '}');
    }
    json_writer_end(w, ']');
}

static void put_threads(struct json_writer *w, const struct litmus_test *test)
{
    begin(w, "threads", '[');
    for (unsigned t = 0; t < test->threads; t++) {
        const struct litmus_thread *thread = &test->thread[t];

        json_writer_begin(w, '{');
        put_text(w, "name", thread->name);
        put_bool(w, "cpu", thread->agent == LITMUS_CPU);
        put_int(w, "sm", thread->sm);
        begin(w, "events", '[');
        for (unsigned e = 0; e < thread->n; e++) {
            json_writer_text(w, thread->event[e].text);
        }
        json_writer_end(w, ']');
        begin(w, "ops", '[');
        for (unsigned e = 0; e < thread->n; e++) {
            json_writer_text(w, op_word(thread->event[e].op));
        }
        json_writer_end(w, ']');
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
    put_int(w, "cached", m->cached);
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
    begin(w, "outcomes", '[');
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
