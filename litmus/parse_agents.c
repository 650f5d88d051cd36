/* SPDX-License-Identifier: MIT */
/* The table: agents, and a row of their operations a line. */
#include <string.h>

#include "litmus/parse_file.h"

static const char *const agent_names[] = { "CPU", "iGPU", "CE", "DLA", "DMA", "dGPU", "dCE" };

static int agent_of(const char *word, unsigned *number)
{
    for (unsigned i = 0; i < G_N_ELEMENTS(agent_names); i++) {
        size_t n = strlen(agent_names[i]);

        if (strncmp(word, agent_names[i], n) == 0 && g_ascii_isdigit(word[n]) && !word[n + 1]) {
            *number = (unsigned)(word[n] - '0');
            return (int)i;
        }
    }
    return -1;
}

static bool runs_ptx(const struct litmus_thread *t)
{
    return t->agent == LITMUS_IGPU || t->agent == LITMUS_DGPU;
}

/* The SMs of both GPUs are places of one list, those of the discrete one from its end. */
static unsigned sm_place(const struct litmus_thread *t, unsigned sm)
{
    return t->agent == LITMUS_DGPU ? LITMUS_SMS - 1 - sm : sm;
}

/* Does the other GPU have an SM at this place? */
static bool sm_taken(const struct litmus_test *test, const struct litmus_thread *t)
{
    for (unsigned i = 0; i < test->threads; i++) {
        const struct litmus_thread *other = &test->thread[i];

        if (runs_ptx(other) && other->agent != t->agent && other->sm == t->sm) {
            return true;
        }
    }
    return false;
}

/* @sm1 after a GPU's thread; without, each has an SM of its own. */
static bool agent_sm(struct lex *l, struct litmus_test *test, struct litmus_thread *t)
{
    const char *at = l->at;
    unsigned own = 0;
    char word[LITMUS_NAME];

    for (unsigned i = 0; i < test->threads; i++) {
        const struct litmus_thread *other = &test->thread[i];

        own = other->agent == t->agent ? MAX(own, sm_place(t, other->sm) + 1) : own;
    }
    t->sm = own;
    if (lex_take(l, '@')) {
        lex_space(l);
        at = l->at;
        if (!lex_word(l, word, sizeof(word)) || !g_str_has_prefix(word, "sm") ||
            !g_ascii_isdigit(word[2])) {
            return lex_fail(l, at, "expected an SM (@sm0)");
        }
        t->sm = word[3] ? LITMUS_SMS : (unsigned)(word[2] - '0');
    }
    if (t->sm >= LITMUS_SMS) {
        return lex_fail(l, at, "SMs are sm0 to sm%d", LITMUS_SMS - 1);
    }
    t->sm = sm_place(t, t->sm);
    if (sm_taken(test, t)) {
        return lex_fail(l, at, "both GPUs together have %d SMs", LITMUS_SMS);
    }
    test->sms = MAX(test->sms, t->sm + 1);
    return true;
}

static bool agent_job(struct lex *l, struct litmus_test *test, struct litmus_thread *t)
{
    struct litmus_event *e;
    char word[LITMUS_NAME];

    t->job = -1;
    if (!lex_peek_word(l, "job")) {
        return true;
    }
    if (t->agent == LITMUS_CPU) {
        return lex_fail(l, NULL, "jobs run on engines, not on a CPU");
    }
    l->cell = l->at;
    lex_word(l, word, sizeof(word));
    if (!lex_need(l, '=', "after job")) {
        return false;
    }
    t->job = parse_litmus_name(l, test->job_name, l->job, &test->jobs, "the name of a job");
    e = t->job < 0 ? NULL : parse_event_add(l, t, LITMUS_START);
    if (!e) {
        return false;
    }
    e->job = t->job;
    g_snprintf(e->text, sizeof(e->text), "job %s starts", test->job_name[t->job]);
    return true;
}

static bool parse_agents_agent(struct lex *l, struct litmus_test *test)
{
    struct litmus_thread *t = &test->thread[test->threads];
    const char *at;
    char word[LITMUS_NAME];
    int kind;

    lex_space(l);
    at = l->at;
    if (test->threads == LITMUS_THREADS) {
        return lex_fail(l, at, "more than %d agents: split the test", LITMUS_THREADS);
    }
    kind = lex_word(l, word, sizeof(word)) ? agent_of(word, &t->number) : -1;
    if (kind < 0) {
        l->at = at;
        return lex_expected(l, "an agent with its number, 0 to 9 (CPU0, iGPU0, CE0, DLA0, DMA0, "
                               "dGPU0, dCE0)");
    }
    for (unsigned i = 0; i < test->threads; i++) {
        if (strcmp(test->thread[i].name, word) == 0) {
            return lex_fail(l, at, "%s is there already", word);
        }
    }
    t->agent = (enum litmus_agent)kind;
    t->line = lex_line(l, at);
    t->column = lex_column(l, at);
    g_strlcpy(t->name, word, sizeof(t->name));
    if ((runs_ptx(t) && !agent_sm(l, test, t)) || !agent_job(l, test, t)) {
        return false;
    }
    test->threads++;
    return true;
}

bool parse_header(struct lex *l, struct litmus_test *test)
{
    do {
        if (!parse_agents_agent(l, test)) {
            return false;
        }
    } while (lex_take(l, '|'));
    return lex_need(l, ';', "after the last agent");
}

bool parse_condition_follows(struct lex *l)
{
    return lex_peek(l, '~') || lex_peek_word(l, "exists") || lex_peek_word(l, "forall") ||
           lex_peek_word(l, "never") || lex_peek_word(l, "locations");
}

/* The file goes on with what stands behind the condition, or ends. */
static bool condition_missing(struct lex *l)
{
    lex_space(l);
    return l->at >= l->end || lex_peek_word(l, "expect") || lex_peek_word(l, "source") ||
           lex_peek_word(l, "teach");
}

bool parse_table(struct lex *l, struct litmus_test *test)
{
    while (!parse_condition_follows(l)) {
        if (condition_missing(l)) {
            return lex_expected(l, "a row of operations or the condition (exists, ~exists, never "
                                   "or forall)");
        }
        for (unsigned t = 0; t < test->threads; t++) {
            if (t > 0 && !lex_need(l, '|', "and the next agent's operation")) {
                return false;
            }
            if (!parse_cell(l, test, &test->thread[t])) {
                return false;
            }
        }
        if (!lex_need(l, ';', "after the operation of the last agent")) {
            return false;
        }
        if (l->failed) {
            return false;
        }
    }
    return true;
}
