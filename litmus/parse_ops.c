/* SPDX-License-Identifier: MIT */
/* Operations, written as each agent's own people write them: A64 for the CPU (parse_cpu.c), PTX for
 * the iGPU (parse_ptx.c). Here: registers, locations, edges and the other engines. */
#include <string.h>

#include "litmus/herd.h"
#include "litmus/parse_ops.h"

struct litmus_event *parse_event_add(struct lex *l, struct litmus_thread *t, enum litmus_op op)
{
    struct litmus_event *e;

    if (t->n == LITMUS_EVENTS) {
        lex_fail(l, l->cell, "%s has more than %d operations: split the test", t->name,
                 LITMUS_EVENTS);
        return NULL;
    }
    e = &t->event[t->n++];
    *e = (struct litmus_event){
        .op = op, .loc = -1, .reg = -1, .src = -1, .expr = -1, .rmw = -1, .job = -1
    };
    e->line = lex_line(l, l->cell);
    e->column = lex_column(l, l->cell);
    return e;
}

int parse_litmus_name(struct lex *l, char names[LITMUS_JOBS][LITMUS_NAME],
                      const char *where[LITMUS_JOBS], unsigned *n, const char *what)
{
    const char *at;
    char word[LITMUS_NAME];
    unsigned i = 0;

    lex_space(l);
    at = l->at;
    if (!lex_word(l, word, sizeof(word))) {
        lex_expected(l, what);
        return -1;
    }
    while (i < *n && strcmp(names[i], word) != 0) {
        i++;
    }
    if (i == LITMUS_JOBS) {
        lex_fail(l, at, "more than %d jobs, or edges: split the test", LITMUS_JOBS);
        return -1;
    }
    if (i == *n) {
        g_strlcpy(names[i], word, LITMUS_NAME);
        where[i] = at;
        ++*n;
    }
    return (int)i;
}

/* --- registers -------------------------------------------------------------------------------- */

/* W3, X3 on a CPU; r3, %r3 elsewhere. */
static bool reg_number(const struct litmus_thread *t, const char *word, unsigned *number,
                       unsigned *size)
{
    const char *name = word[0] == '%' ? word + 1 : word, *digits = name + 1;
    char c = *name;
    bool cpu = t->agent == LITMUS_CPU;

    if (!(cpu ? strchr("WwXx", c) : strchr("r", c)) || !c || !g_ascii_isdigit(*digits) ||
        strlen(digits) > 2 || (digits[1] && !g_ascii_isdigit(digits[1]))) {
        return false;
    }
    *number = (unsigned)g_ascii_strtoull(digits, NULL, 10);
    *size = cpu ? ((c | 32) == 'w' ? 4 : 8) : 0;
    return !cpu || *number <= 30; /* 31 is WZR, XZR or SP: Arm ARM C1.2.5 */
}

static int reg_find(const struct litmus_thread *t, unsigned number)
{
    for (unsigned i = 0; i < t->regs; i++) {
        if (t->reg_number[i] == number) {
            return (int)i;
        }
    }
    return -1;
}

int parse_reg_new(struct lex *l, struct litmus_thread *t, unsigned number, const char *at)
{
    if (reg_find(t, number) >= 0) {
        lex_fail(l, at, "a register is loaded once a thread: take another one");
        return -1;
    }
    if (t->regs == LITMUS_REGS) {
        lex_fail(l, at, "%s uses more than %d registers: split the test", t->name, LITMUS_REGS);
        return -1;
    }
    t->reg_number[t->regs] = number;
    return (int)t->regs++;
}

static const char *reg_example(const struct litmus_thread *t)
{
    return t->agent == LITMUS_CPU ? "a register (W0 to W30, X0 to X30)" : "a register (r0)";
}

/* What a register of a PTX file of herd holds; NULL in other files, and for other words. */
static struct herd_ptx_reg *ptx_reg(struct lex *l, const char *word)
{
    unsigned reg = HERD_PTX_REGS;

    if (l->ptx && word[0] == 'r' && g_ascii_isdigit(word[1])) {
        reg = (unsigned)MIN(g_ascii_strtoull(word + 1, NULL, 10), HERD_PTX_REGS);
    }
    return reg < HERD_PTX_REGS ? &l->ptx->reg[l->ptx->thread][reg] : NULL;
}

/* A register of such a file that holds a number: taken as that. */
static bool ptx_number(struct lex *l, uint64_t *value)
{
    const char *at = l->at;
    char word[LITMUS_NAME];
    const struct herd_ptx_reg *r;

    if (!l->ptx || !lex_word(l, word, sizeof(word))) {
        return false;
    }
    r = ptx_reg(l, word);
    if (r && r->known && r->loc < 0) {
        *value = r->value;
        return true;
    }
    l->at = at;
    return false;
}

bool parse_reg_target(struct lex *l, struct litmus_thread *t, struct litmus_event *e,
                      unsigned *size)
{
    const char *at;
    char word[LITMUS_NAME];
    unsigned number, wide = 0;

    lex_space(l);
    at = l->at;
    if (!lex_word(l, word, sizeof(word)) || !reg_number(t, word, &number, &wide)) {
        l->at = at;
        return lex_expected(l, reg_example(t));
    }
    if (ptx_reg(l, word)) {
        *ptx_reg(l, word) = (struct herd_ptx_reg){ .loc = -1 };
    }
    e->reg = parse_reg_new(l, t, number, at);
    *size = *size ? *size : wide;
    return e->reg >= 0;
}

/* A register that has a value already. */
static int reg_source(struct lex *l, const struct litmus_thread *t, unsigned *size)
{
    const char *at;
    char word[LITMUS_NAME];
    unsigned number, wide = 0;
    int reg;

    lex_space(l);
    at = l->at;
    if (!lex_word(l, word, sizeof(word)) || !reg_number(t, word, &number, &wide)) {
        l->at = at;
        lex_expected(l, reg_example(t));
        return -1;
    }
    reg = reg_find(t, number);
    if (reg < 0) {
        lex_fail(l, at, "%s has no value yet: load it first", word);
    }
    *size = *size ? *size : wide;
    return reg;
}

/* --- operands --------------------------------------------------------------------------------- */

int parse_location(struct lex *l, const struct litmus_test *test)
{
    const char *at;
    char word[LITMUS_NAME];

    lex_space(l);
    at = l->at;
    if (!lex_word(l, word, sizeof(word))) {
        lex_expected(l, "the name of a location");
        return -1;
    }
    if (ptx_reg(l, word) && ptx_reg(l, word)->loc >= 0) {
        return ptx_reg(l, word)->loc;
    }
    for (unsigned i = 0; i < test->locs; i++) {
        if (strcmp(test->loc[i].name, word) == 0) {
            return (int)i;
        }
    }
    lex_fail(l, at, "no location \"%s\" in { }: expected a location that is declared there", word);
    return -1;
}

/* [x] or [x+2]; @size 0: all of it from there on. */
bool parse_address(struct lex *l, const struct litmus_test *test, struct litmus_event *e,
                   unsigned size)
{
    const struct litmus_loc *loc;
    uint64_t offset = 0;
    const char *at;

    if (!lex_need(l, '[', "before a location")) {
        return false;
    }
    lex_space(l);
    at = l->at;
    e->loc = parse_location(l, test);
    if (e->loc < 0) {
        return false;
    }
    loc = &test->loc[e->loc];
    if (lex_take(l, '+') && !lex_number(l, &offset)) {
        return lex_expected(l, "a number of bytes");
    }
    if (offset >= loc->size || (size && (offset + size > loc->size || offset % size))) {
        return lex_fail(
            l, at,
            "%u bytes at offset %" G_GUINT64_FORMAT
            " leave %s (%u bytes), or are not aligned: expected an aligned access inside it",
            size ? size : 1, offset, loc->name, loc->size);
    }
    e->offset = (unsigned)offset;
    e->size = size ? size : loc->size - e->offset;
    return lex_need(l, ']', "after the location");
}

/* #1 (CPU), 1 (others), or a register. */
bool parse_operand(struct lex *l, const struct litmus_thread *t, struct litmus_event *e,
                   unsigned *size)
{
    uint64_t value;
    bool hash = lex_take(l, '#');
    const char *at;

    lex_space(l);
    at = l->at;
    if (lex_number(l, &value) || ptx_number(l, &value)) {
        l->value = at;
        e->value = value;
        return true;
    }
    if (hash) {
        return lex_expected(l, "a number");
    }
    lex_space(l);
    if (l->at >= l->end || !(g_ascii_isalpha(*l->at) || *l->at == '%')) {
        return lex_expected(l, t->agent == LITMUS_CPU ? "a value (#1) or a register (W0)"
                                                      : "a value (1) or a register (r0)");
    }
    e->src = reg_source(l, t, size);
    e->data |= e->src < 0 ? 0 : 1u << e->src;
    return e->src >= 0;
}

bool parse_compare(struct lex *l, struct litmus_event *e)
{
    lex_space(l);
    l->compare = l->at;
    return lex_number(l, &e->compare) && lex_take(l, ',');
}

bool parse_dependencies(struct lex *l, const struct litmus_thread *t, struct litmus_event *e)
{
    while (lex_peek_word(l, "addr") || lex_peek_word(l, "data") || lex_peek_word(l, "ctrl")) {
        unsigned size = 0;
        char word[LITMUS_NAME];
        int reg;

        lex_word(l, word, sizeof(word));
        if (!lex_need(l, '(', "and the register depended on")) {
            return false;
        }
        reg = reg_source(l, t, &size);
        if (reg < 0 || !lex_need(l, ')', "after the register")) {
            return false;
        }
        *(word[0] == 'a' ? &e->addr : word[0] == 'd' ? &e->data : &e->ctrl) |= 1u << reg;
    }
    return true;
}

/* --- edges between agents --------------------------------------------------------------------- */

static bool starts_job(const struct litmus_event *e)
{
    return e->op >= LITMUS_DOORBELL && e->op <= LITMUS_LAUNCH;
}

const struct litmus_event *parse_job_start(const struct litmus_test *test, unsigned job)
{
    for (unsigned t = 0; t < test->threads; t++) {
        for (unsigned i = 0; i < test->thread[t].n; i++) {
            const struct litmus_event *e = &test->thread[t].event[i];

            if (starts_job(e) && e->job == (int)job) {
                return e;
            }
        }
    }
    return NULL;
}

/* The job of an operation: one that an agent has, and that no other agent starts. -1 after an
 * error.
 */
static int job_named(struct lex *l, struct litmus_test *test, const struct litmus_event *e)
{
    unsigned known = test->jobs;
    const struct litmus_event *first;
    const char *at;
    int job;

    lex_space(l);
    at = l->at;
    job = parse_litmus_name(l, test->job_name, l->job, &test->jobs, "the name of a job");
    if (job < 0) {
        return -1;
    }
    if ((unsigned)job == known) {
        lex_fail(l, at, "no agent of the table has job=%s", test->job_name[job]);
        return -1;
    }
    first = starts_job(e) ? parse_job_start(test, (unsigned)job) : NULL;
    if (first) {
        lex_fail(l, at, "job %s is started already, at %u:%u", test->job_name[job], first->line,
                 first->column);
        return -1;
    }
    return job;
}

/* submit K, launch K, wait K, sync K, doorbell K; for any agent: signal S, await S */
bool parse_edge(struct lex *l, struct litmus_test *test, struct litmus_thread *t, const char *word,
                bool *known)
{
    static const struct {
        const char *name;
        enum litmus_op op;
        bool any;
    } edges[] = {
        { "submit", LITMUS_SUBMIT, false },     { "launch", LITMUS_LAUNCH, false },
        { "wait", LITMUS_WAIT, false },         { "sync", LITMUS_SYNC, false },
        { "doorbell", LITMUS_DOORBELL, false }, { "signal", LITMUS_SIGNAL, true },
        { "await", LITMUS_AWAIT, true },
    };

    for (size_t i = 0; i < G_N_ELEMENTS(edges); i++) {
        if (strcmp(edges[i].name, word) == 0 && (edges[i].any || t->agent == LITMUS_CPU)) {
            struct litmus_event *e = parse_event_add(l, t, edges[i].op);

            *known = true;
            if (!e) {
                return false;
            }
            e->job = edges[i].any ? parse_litmus_name(l, test->edge_name, l->edge, &test->edges,
                                                      "the name of an edge")
                                  : job_named(l, test, e);
            return e->job >= 0;
        }
    }
    *known = false;
    return false;
}

/* --- copy engine, DLA, other engines ---------------------------------------------------------- */

/* copy [y],[x]: a read, then a write of the same bytes. */
static bool engine_copy(struct lex *l, const struct litmus_test *test, struct litmus_thread *t)
{
    struct litmus_event dst = { .loc = -1 }, *e;

    if (!parse_address(l, test, &dst, 0) || !lex_need(l, ',', "after the destination")) {
        return false;
    }
    e = parse_event_add(l, t, LITMUS_LOAD);
    if (!e || !parse_address(l, test, e, dst.size)) {
        return false;
    }
    e->reg = parse_reg_new(l, t, HIDDEN_REGISTER + t->regs, l->cell);
    if (e->reg < 0) {
        return false;
    }
    dst.src = e->reg;
    e = parse_event_add(l, t, LITMUS_STORE);
    if (e) {
        e->loc = dst.loc;
        e->offset = dst.offset;
        e->size = dst.size;
        e->src = dst.src;
    }
    return e;
}

static bool engine_cell(struct lex *l, struct litmus_test *test, struct litmus_thread *t,
                        const char *start, const char *word)
{
    bool known, ok = parse_edge(l, test, t, word, &known);
    struct litmus_event *e;
    unsigned size = 0;

    if (known) {
        return ok;
    }
    if (strcmp(word, "copy") == 0) {
        return engine_copy(l, test, t);
    }
    if (strcmp(word, "read") == 0) {
        e = parse_event_add(l, t, LITMUS_LOAD);
        return e && parse_reg_target(l, t, e, &size) && lex_need(l, ',', "after the register") &&
               parse_address(l, test, e, 0);
    }
    if (strcmp(word, "write") == 0) {
        e = parse_event_add(l, t, LITMUS_STORE);
        return e && parse_address(l, test, e, 0) && lex_need(l, ',', "after the location") &&
               parse_operand(l, t, e, &size);
    }
    l->at = start;
    return lex_expected(l, "an operation of an engine (read, write, copy, signal, await)");
}

/* What the file says, on one line. */
static void text_keep(struct litmus_event *e, const char *from, const char *to)
{
    size_t n = 0;

    while (to > from && g_ascii_isspace(to[-1])) {
        to--;
    }
    for (; from < to && n < sizeof(e->text) - 1; from++) {
        if (!g_ascii_isspace(*from)) {
            e->text[n++] = *from;
        } else if (n && e->text[n - 1] != ' ') {
            e->text[n++] = ' ';
        }
    }
    e->text[n] = 0;
}

/* Numbers fit the bytes that they are stored to or compared with; a register has the bytes that
 * are loaded into it. */
static bool operands_fit(struct lex *l, struct litmus_thread *t, unsigned first)
{
    for (unsigned i = first; i < t->n; i++) {
        const struct litmus_event *e = &t->event[i];

        if (e->reg >= 0) {
            t->reg_size[e->reg] = e->size;
        }
        if ((l->value && !lex_fits(l, l->value, e->value, e->size)) ||
            (l->compare && !lex_fits(l, l->compare, e->compare, e->size))) {
            return false;
        }
    }
    return true;
}

bool parse_cell(struct lex *l, struct litmus_test *test, struct litmus_thread *t)
{
    unsigned first = t->n;
    const char *start;
    char word[48];
    bool ok;

    lex_space(l);
    start = l->cell = l->at;
    l->value = l->compare = NULL;
    if (!lex_word(l, word, t->agent == LITMUS_CPU ? LITMUS_NAME : sizeof(word))) {
        return lex_peek(l, '|') || lex_peek(l, ';') ||
               lex_expected(l, "an operation, \"|\" or \";\"");
    }
    ok = t->agent == LITMUS_CPU ? parse_cpu_cell(l, test, t, start, word)
         : l->ptx               ? herd_ptx_cell(l, test, t, start, word)
         : t->agent == LITMUS_IGPU || t->agent == LITMUS_DGPU
             ? parse_ptx_cell(l, test, t, start, word)
             : engine_cell(l, test, t, start, word);
    ok = ok && operands_fit(l, t, first);
    for (unsigned i = first; ok && i < t->n; i++) {
        text_keep(&t->event[i], start, l->at);
        if (t->n - first == 2) {
            const char *half = t->event[i].op == LITMUS_FENCE_ACQ   ? " (acquire)"
                               : t->event[i].op == LITMUS_FENCE_REL ? " (release)"
                               : i == first                         ? " (read)"
                                                                    : " (write)";

            g_strlcat(t->event[i].text, half, sizeof(t->event[i].text));
        }
    }
    return ok;
}
