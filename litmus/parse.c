/* SPDX-License-Identifier: MIT */
/* The file: name, memory, table of agents, condition, expectations, text for the reader. */
#include <string.h>

#include "litmus/lex.h"

/* Rest of the line, without white space at its ends; g_free() it. */
static char *rest_of_line(struct lex *l)
{
    const char *start = l->at, *eol = start;

    while (eol < l->end && *eol != '\n') {
        eol++;
    }
    l->at = eol;
    return g_strstrip(g_strndup(start, (gsize)(eol - start)));
}

/* The name of a test has marks in it: MP+dmb.sy+addr. g_free() it. */
static char *name_take(struct lex *l)
{
    const char *start;

    lex_space(l);
    start = l->at;
    while (l->at < l->end && g_ascii_isgraph(*l->at) && *l->at != '{' && *l->at != '"') {
        l->at++;
    }
    return g_strndup(start, (gsize)(l->at - start));
}

/* --- { memory } ------------------------------------------------------------------------------- */

static const char *const kind_names[] = { "device", "pinned", "managed", "pageable", "interop" };
static const char *const type_names[] = { "u8", "u16", "u32", "u64" };

static int word_index(const char *word, const char *const *names, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        if (strcmp(names[i], word) == 0) {
            return (int)i;
        }
    }
    return -1;
}

static bool location(struct lex *l, struct litmus_test *test, enum litmus_kind kind)
{
    struct litmus_loc *loc = &test->loc[test->locs];
    const char *at;
    char word[LITMUS_NAME];
    int type;

    lex_space(l);
    at = l->at;
    if (test->locs == LITMUS_LOCS) {
        return lex_fail(l, at, "more than %d locations", LITMUS_LOCS);
    }
    if (!lex_word(l, word, sizeof(word))) {
        return lex_expected(l, "the name of a location");
    }
    type = word_index(word, type_names, G_N_ELEMENTS(type_names));
    if (type >= 0) {
        lex_space(l);
        at = l->at;
        if (!lex_word(l, word, sizeof(word))) {
            return lex_expected(l, "the name of a location");
        }
    }
    if (strchr(word, '.') || strchr(word, '%')) {
        return lex_fail(l, at, "a name is made of letters, digits and _");
    }
    for (unsigned i = 0; i < test->locs; i++) {
        if (strcmp(test->loc[i].name, word) == 0) {
            return lex_fail(l, at, "%s is there already", word);
        }
    }
    *loc = (struct litmus_loc){ .kind = kind,
                                .size = type < 0 ? 4 : 1u << type,
                                .line = test->lines++ };
    g_strlcpy(loc->name, word, sizeof(loc->name));
    if (test->locs) {
        loc->byte = test->loc[test->locs - 1].byte + test->loc[test->locs - 1].size;
    }
    if (loc->byte + loc->size > LITMUS_BYTES) {
        return lex_fail(l, at, "more than %d bytes of locations", LITMUS_BYTES);
    }
    if (lex_take(l, '=')) {
        lex_space(l);
        at = l->at;
        if (!lex_number(l, &loc->init)) {
            return lex_expected(l, "a number");
        }
        if (!lex_fits(l, at, loc->init, loc->size)) {
            return false;
        }
    }
    test->locs++;
    return true;
}

/* same sector | line | l2 x y ...: one sector of 32 bytes; one CPU line of 64 bytes but two
 * sectors; one L2 line of 128 bytes but two CPU lines. */
static bool placement(struct lex *l, struct litmus_test *test)
{
    static const char *const places[] = { "sector", "line", "l2" };
    static const unsigned stride[] = { 8, 32, 64 };
    int place, first = -1;
    unsigned n = 0, taken = 0;
    const char *at;
    char word[LITMUS_NAME];

    lex_space(l);
    at = l->at;
    place = lex_word(l, word, sizeof(word)) ? word_index(word, places, G_N_ELEMENTS(places)) : -1;
    if (place < 0) {
        l->at = at;
        return lex_expected(l, "sector, line or l2");
    }
    while (!lex_peek(l, ';')) {
        const char *name = l->at;
        int i = parse_location(l, test);
        unsigned limit = (unsigned)place == 0 ? 32 : (unsigned)place == 1 ? 64 : 128;

        if (i < 0) {
            return false;
        }
        if (taken >> i & 1) {
            return lex_fail(l, name, "%s is named twice", test->loc[i].name);
        }
        taken |= 1u << i;
        first = first < 0 ? i : first;
        if (test->loc[i].kind != test->loc[first].kind) {
            return lex_fail(l, NULL, "%s and %s are of two kinds: no allocation holds both",
                            test->loc[first].name, test->loc[i].name);
        }
        if (n * stride[place] >= limit) {
            return lex_fail(l, NULL, "no room for %s in one %s", test->loc[i].name, word);
        }
        test->loc[i].line = test->loc[first].line;
        test->loc[i].offset = n++ * stride[place];
    }
    return n >= 2 || lex_expected(l, "two locations or more");
}

static bool memory(struct lex *l, struct litmus_test *test)
{
    if (!lex_need(l, '{', "and the memory")) {
        return false;
    }
    while (!lex_take(l, '}')) {
        const char *at;
        char word[LITMUS_NAME];
        int kind;

        lex_space(l);
        at = l->at;
        if (!lex_word(l, word, sizeof(word))) {
            return lex_expected(
                l, "a kind of memory (device, pinned, managed, pageable, interop), same, or \"}\"");
        }
        kind = word_index(word, kind_names, G_N_ELEMENTS(kind_names));
        if (kind < 0 && strcmp(word, "same") != 0) {
            l->at = at;
            return lex_expected(
                l, "a kind of memory (device, pinned, managed, pageable, interop), same, or \"}\"");
        }
        if (kind < 0 ? !placement(l, test) : !location(l, test, (enum litmus_kind)kind)) {
            return false;
        }
        if (!lex_need(l, ';', "after a location")) {
            return false;
        }
    }
    return true;
}

/* --- table of agents -------------------------------------------------------------------------- */

static const char *const agent_names[] = { "CPU", "iGPU", "CE", "DLA", "DMA" };

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

/* @sm1 after an iGPU thread; without, each has an SM of its own. */
static bool agent_sm(struct lex *l, struct litmus_test *test, struct litmus_thread *t)
{
    const char *at = l->at;
    unsigned own = 0;
    char word[LITMUS_NAME];

    for (unsigned i = 0; i < test->threads; i++) {
        own = test->thread[i].agent == LITMUS_IGPU ? MAX(own, test->thread[i].sm + 1) : own;
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

static bool agent(struct lex *l, struct litmus_test *test)
{
    struct litmus_thread *t = &test->thread[test->threads];
    const char *at;
    char word[LITMUS_NAME];
    int kind;

    lex_space(l);
    at = l->at;
    if (test->threads == LITMUS_THREADS) {
        return lex_fail(l, at, "more than %d agents", LITMUS_THREADS);
    }
    kind = lex_word(l, word, sizeof(word)) ? agent_of(word, &t->number) : -1;
    if (kind < 0) {
        l->at = at;
        return lex_expected(l, "an agent with its number, 0 to 9 (CPU0, iGPU0, CE0, DLA0, DMA0)");
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
    if ((t->agent == LITMUS_IGPU && !agent_sm(l, test, t)) || !agent_job(l, test, t)) {
        return false;
    }
    test->threads++;
    return true;
}

static bool header(struct lex *l, struct litmus_test *test)
{
    do {
        if (!agent(l, test)) {
            return false;
        }
    } while (lex_take(l, '|'));
    return lex_need(l, ';', "after the last agent");
}

static bool condition_follows(struct lex *l)
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

static bool table(struct lex *l, struct litmus_test *test)
{
    while (!condition_follows(l)) {
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

/* --- condition and expectations --------------------------------------------------------------- */

static bool locations(struct lex *l, struct litmus_test *test)
{
    char word[LITMUS_NAME];

    if (!lex_peek_word(l, "locations")) {
        return true;
    }
    lex_word(l, word, sizeof(word));
    if (!lex_need(l, '[', "after locations")) {
        return false;
    }
    while (!lex_take(l, ']')) {
        if (parse_item(l, test) < 0 || !lex_need(l, ';', "after an item")) {
            return false;
        }
    }
    return true;
}

static bool condition(struct lex *l, struct litmus_test *test)
{
    const char *start;
    char word[LITMUS_NAME];
    bool negated;

    lex_space(l);
    start = l->at;
    negated = lex_take(l, '~');
    if (!lex_word(l, word, sizeof(word)) || (negated && strcmp(word, "exists") != 0)) {
        l->at = start;
        return lex_expected(l, "exists, ~exists, never or forall");
    }
    if (strcmp(word, "exists") == 0) {
        test->quantifier = negated ? LITMUS_NOT_EXISTS : LITMUS_EXISTS;
    } else if (strcmp(word, "never") == 0) {
        test->quantifier = LITMUS_NOT_EXISTS;
    } else if (strcmp(word, "forall") == 0) {
        test->quantifier = LITMUS_FORALL;
    } else {
        l->at = start;
        return lex_expected(l, "exists, ~exists, never or forall");
    }
    test->cond = parse_cond(l, test, 0);
    if (!test->cond) {
        return false;
    }
    test->cond_text = g_strstrip(g_strndup(start, (gsize)(l->at - start)));
    g_strdelimit(test->cond_text, "\n", ' ');
    return true;
}

static const char *const verdict_names[] = { "allowed", "forbidden", "unseen", "holds", "fails" };

const char *litmus_verdict_name(enum litmus_verdict v)
{
    return verdict_names[v];
}

bool litmus_verdict_meets(enum litmus_verdict found, enum litmus_verdict expected)
{
    return found == (expected == LITMUS_FORBIDDEN ? LITMUS_UNSEEN : expected);
}

static bool expectation(struct lex *l, struct litmus_test *test)
{
    struct litmus_expect *x = &test->expect[test->expects];
    bool exists = test->quantifier == LITMUS_EXISTS;
    const char *at, *soc;
    char word[LITMUS_NAME];
    int verdict;

    lex_space(l);
    soc = l->at;
    if (test->expects == LITMUS_SOCS) {
        return lex_fail(l, soc, "more than %d expectations", LITMUS_SOCS);
    }
    while (l->at < l->end && (g_ascii_isalnum(*l->at) || *l->at == '-')) { /* xavier-nx */
        l->at++;
    }
    if (l->at == soc || (gsize)(l->at - soc) >= sizeof(x->soc)) {
        l->at = soc;
        return lex_expected(l, "a SoC (tx2, orin, thor)");
    }
    memcpy(x->soc, soc, (gsize)(l->at - soc));
    x->line = lex_line(l, soc);
    x->column = lex_column(l, soc);
    for (unsigned i = 0; i < test->expects; i++) {
        const struct litmus_expect *first = &test->expect[i];

        if (strcmp(first->soc, x->soc) == 0) {
            return lex_fail(l, soc, "%s is expected to be %s already, at %u:%u", x->soc,
                            verdict_names[first->verdict], first->line, first->column);
        }
    }
    lex_space(l);
    at = l->at;
    verdict = lex_word(l, word, sizeof(word))
                  ? word_index(word, verdict_names, G_N_ELEMENTS(verdict_names))
                  : -1;
    if (verdict < 0 || (verdict <= LITMUS_UNSEEN) != exists) {
        l->at = at;
        return lex_expected(l, exists ? "allowed, forbidden or unseen" : "holds or fails");
    }
    x->verdict = (enum litmus_verdict)verdict;
    test->expects++;
    return true;
}

static bool tail(struct lex *l, struct litmus_test *test)
{
    char word[LITMUS_NAME];

    for (;;) {
        lex_space(l);
        if (l->failed || l->at >= l->end) {
            return !l->failed;
        }
        if (lex_peek_word(l, "expect")) {
            lex_word(l, word, sizeof(word));
            do {
                if (!expectation(l, test)) {
                    return false;
                }
            } while (lex_take(l, ','));
        } else if (lex_peek_word(l, "source")) {
            char *line, *old = test->source;

            lex_word(l, word, sizeof(word));
            line = rest_of_line(l);
            test->source = old ? g_strconcat(old, "\n", line, NULL) : g_strdup(line);
            g_free(line);
            g_free(old);
        } else if (lex_peek_word(l, "teach")) {
            lex_word(l, word, sizeof(word));
            test->teach = g_strstrip(g_strndup(l->at, (gsize)(l->end - l->at)));
            l->at = l->end;
        } else {
            return lex_expected(l, "expect, source, teach or the end of the file");
        }
    }
}

/* --- what only the whole can tell ------------------------------------------------------------- */

/* That it is not started twice, parse_edge() has seen. */
static bool jobs_start(struct lex *l, const struct litmus_test *test)
{
    for (unsigned job = 0; job < test->jobs; job++) {
        if (parse_job_start(test, job) == NULL) {
            return lex_fail(l, l->job[job],
                            "nothing starts job %s: expected a submit, launch or doorbell",
                            test->job_name[job]);
        }
    }
    return true;
}

static bool edges_signalled(struct lex *l, const struct litmus_test *test)
{
    for (unsigned edge = 0; edge < test->edges; edge++) {
        bool found = false;

        for (unsigned t = 0; t < test->threads; t++) {
            for (unsigned e = 0; e < test->thread[t].n; e++) {
                const struct litmus_event *event = &test->thread[t].event[e];

                found |= event->op == LITMUS_SIGNAL && event->job == (int)edge;
            }
        }
        if (!found) {
            return lex_fail(l, l->edge[edge], "nothing signals %s", test->edge_name[edge]);
        }
    }
    return true;
}

/* The queues of an SM and of the iGPU hold LITMUS_QUEUE stores. */
static bool stores_fit(struct lex *l, const struct litmus_test *test)
{
    unsigned stores = 0;

    for (unsigned t = 0; t < test->threads; t++) {
        for (unsigned e = 0; e < test->thread[t].n && test->thread[t].agent == LITMUS_IGPU; e++) {
            stores += test->thread[t].event[e].op == LITMUS_STORE;
        }
    }
    return stores <= 16 || lex_fail(l, NULL, "more than 16 stores by the iGPU");
}

static bool file(struct lex *l, struct litmus_test *test)
{
    char word[LITMUS_NAME];

    lex_space(l);
    if (!lex_peek_word(l, "tegra")) {
        return lex_expected(l, "\"tegra\" and the name of the test");
    }
    lex_word(l, word, sizeof(word));
    test->name = name_take(l);
    if (!*test->name) {
        return lex_expected(l, "the name of the test");
    }
    if (lex_take(l, '"')) {
        const char *close = memchr(l->at, '"', (gsize)(l->end - l->at));

        if (!close) {
            return lex_fail(l, NULL, "this text has no end; expected '\"'");
        }
        test->doc = g_strndup(l->at, (gsize)(close - l->at));
        l->at = close + 1;
    }
    return memory(l, test) && header(l, test) && table(l, test) && locations(l, test) &&
           condition(l, test) && tail(l, test) && jobs_start(l, test) && edges_signalled(l, test) &&
           stores_fit(l, test);
}

struct litmus_test *litmus_parse(const char *text, gsize len, const char *name, GError **error)
{
    struct litmus_test *test = g_new0(struct litmus_test, 1);
    struct lex l = { .file = name, .text = text, .at = text, .end = text + len, .error = error };

    if (len >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) { /* a byte order mark: no character */
        l.text = l.at = text + 3;
    }
    test->file = g_strdup(name);
    if (!file(&l, test) || l.failed) {
        litmus_free(test);
        return NULL;
    }
    return test;
}

void litmus_free(struct litmus_test *test)
{
    if (test) {
        g_free(test->file);
        g_free(test->name);
        g_free(test->doc);
        g_free(test->source);
        g_free(test->teach);
        g_free(test->cond_text);
        cond_free(test->cond);
        g_free(test);
    }
}

/* --- names for results ------------------------------------------------------------------------ */

char *litmus_item_text(const struct litmus_test *test, unsigned n)
{
    const struct litmus_item *item = &test->item[n];
    const struct litmus_thread *t = &test->thread[item->thread];
    const char *loc = test->loc[item->index].name;

    switch (item->kind) {
    case LITMUS_ITEM_REG:
        return g_strdup_printf("%s:%s%u", t->name, t->agent == LITMUS_CPU ? "W" : "r",
                               t->reg_number[item->index]);
    case LITMUS_ITEM_MEM:
        return g_strdup(loc);
    case LITMUS_ITEM_CPU:
        return g_strdup_printf("cpu.%s", loc);
    case LITMUS_ITEM_IGPU:
        return g_strdup_printf("igpu.%s", loc);
    case LITMUS_ITEM_DRAM:
        return g_strdup_printf("dram.%s", loc);
    case LITMUS_ITEM_FAULT:
    case LITMUS_ITEM_BLOCKED:
        break;
    }
    return g_strdup_printf("%s(%s)", item->kind == LITMUS_ITEM_FAULT ? "fault" : "blocked",
                           t->name);
}

char *litmus_outcome_text(const struct litmus_test *test, const struct litmus_outcome *o)
{
    GString *text = g_string_new(NULL);

    for (unsigned i = 0; i < test->items; i++) {
        char *name;

        if (test->item[i].kind >= LITMUS_ITEM_FAULT) {
            continue; /* said below */
        }
        name = litmus_item_text(test, i);
        g_string_append_printf(text, "%s%s=", text->len ? " " : "", name);
        if (o->known >> i & 1) {
            g_string_append_printf(text, "%" G_GUINT64_FORMAT, o->value[i]);
        } else {
            g_string_append_c(text, '-');
        }
        g_free(name);
    }
    for (unsigned t = 0; t < test->threads; t++) {
        if (o->fault >> t & 1) {
            g_string_append_printf(text, "%s%s faults", text->len ? " " : "", test->thread[t].name);
        }
        if (o->blocked >> t & 1) {
            g_string_append_printf(text, "%s%s never ends", text->len ? " " : "",
                                   test->thread[t].name);
        }
    }
    return g_string_free(text, FALSE);
}
