/* SPDX-License-Identifier: MIT */
/* herd's AArch64 format: name, Key=value lines, { registers and memory }, table, condition. */
#include <string.h>

#include "litmus/herd.h"
#include "litmus/parse_file.h"

/* --- name and notes --------------------------------------------------------------------------- */

char *herd_line_take(struct lex *l)
{
    const char *start = l->at;

    while (l->at < l->end && *l->at != '\n') {
        l->at++;
    }
    return g_strstrip(g_strndup(start, (gsize)(l->at - start)));
}

/* Up to "{": "text", and lines Key=value, which mean nothing here. */
bool herd_notes_read(struct lex *l, struct litmus_test *test)
{
    while (!lex_peek(l, '{')) {
        const char *at;
        char *line;
        bool good;

        if (l->at >= l->end || l->failed) {
            return lex_expected(l, "\"{\" and the registers");
        }
        if (*l->at == '"') {
            line = herd_line_take(l);
            g_free(test->doc);
            test->doc = g_strndup(line + 1, strcspn(line + 1, "\""));
            g_free(line);
            continue;
        }
        at = l->at;
        line = herd_line_take(l);
        good = g_ascii_isalpha(*at) && strchr(line, '=') != NULL;
        g_free(line);
        if (!good) {
            l->at = at;
            return lex_expected(l, "a text in \"\", a line Key=value, or \"{\" and the registers");
        }
    }
    return !l->failed;
}

/* --- { registers and memory } ----------------------------------------------------------------- */

/* int, uint8_t, ... before a name. Return: its bytes; 8 if there is none. */
static unsigned type_take(struct lex *l)
{
    static const struct {
        const char *name;
        unsigned size;
    } types[] = { { "int", 4 },      { "int8_t", 1 },   { "int16_t", 2 },
                  { "int32_t", 4 },  { "int64_t", 8 },  { "uint8_t", 1 },
                  { "uint16_t", 2 }, { "uint32_t", 4 }, { "uint64_t", 8 } };
    char word[LITMUS_NAME];

    for (size_t i = 0; i < G_N_ELEMENTS(types); i++) {
        if (lex_peek_word(l, types[i].name)) {
            lex_word(l, word, sizeof(word));
            return types[i].size;
        }
    }
    return 8;
}

/* A number, or a location for its address. */
static bool value_read(struct lex *l, struct litmus_test *test, uint64_t *value)
{
    bool negative = lex_take(l, '-');
    const char *at;
    char word[LITMUS_NAME];
    int loc;

    lex_space(l);
    at = l->at;
    if (lex_number(l, value)) {
        *value = negative ? 0 - *value : *value;
        return true;
    }
    if (l->failed || negative || !lex_word(l, word, sizeof(word))) {
        return lex_expected(l, "a number or a location");
    }
    if (lex_peek(l, '(') || lex_peek(l, ':') || strchr(word, '.')) {
        return lex_fail(l, at,
                        "expected a number or a location: page tables, tags, labels and "
                        "instructions as values are not read");
    }
    loc = herd_location(l, test, word, at);
    *value = loc < 0 ? 0 : herd_address(loc);
    return loc >= 0;
}

/* The value of a type: herd cuts it. */
static uint64_t value_cut(uint64_t value, unsigned size)
{
    return size == 8 ? value : value & ((UINT64_C(1) << size * 8) - 1);
}

/* Behind "0:" */
static bool register_init(struct herd_file *f, uint64_t thread, unsigned size, const char *at)
{
    bool wide;
    int reg;

    if (thread >= LITMUS_THREADS) {
        return lex_fail(f->l, at, "threads are 0 to %d", LITMUS_THREADS - 1);
    }
    reg = herd_register(f->l, &wide);
    if (reg < 0 || reg == HERD_ZR) {
        return lex_fail(f->l, at, "expected a register that can be written");
    }
    if (!lex_take(f->l, '=')) {
        return lex_peek(f->l, ';') || lex_expected(f->l, "\"=\" and a value, or \";\"");
    }
    if (!value_read(f->l, f->test, &f->thread[thread].init[reg])) {
        return false;
    }
    f->thread[thread].init[reg] = value_cut(f->thread[thread].init[reg], size);
    return true;
}

static bool memory_init(struct herd_file *f, unsigned size)
{
    struct lex *l = f->l;
    bool bracket = lex_take(l, '[');
    const char *at;
    char word[LITMUS_NAME];
    int loc;

    lex_space(l);
    at = l->at;
    if (!lex_word(l, word, sizeof(word))) {
        return lex_expected(l, "a register (0:X1=x), a location (x=1) or \"}\"");
    }
    if (word[0] == 'P' && g_ascii_isdigit(word[1]) && !word[2] && lex_take(l, ':')) {
        return register_init(f, (uint64_t)(word[1] - '0'), size, at);
    }
    if (lex_peek(l, '[') || lex_peek(l, '(')) {
        return lex_expected(l, "\"=\" or \";\": arrays, tags and page tables are not read");
    }
    if (strchr(word, '.') || strchr(word, '%')) {
        return lex_fail(l, at, "expected a location: a name of letters, digits and _");
    }
    loc = herd_location(l, f->test, word, at);
    if (loc < 0 || (bracket && !lex_need(l, ']', "after the location"))) {
        return false;
    }
    if (lex_take(l, '=') && !value_read(l, f->test, &f->test->loc[loc].init)) {
        return false;
    }
    f->test->loc[loc].init = value_cut(f->test->loc[loc].init, size);
    return true;
}

static bool init_read(struct herd_file *f)
{
    struct lex *l = f->l;

    if (!lex_need(l, '{', "and the registers")) {
        return false;
    }
    while (!lex_take(l, '}')) {
        const char *at;
        uint64_t thread;
        unsigned size;

        if (lex_take(l, ';')) {
            continue;
        }
        size = type_take(l);
        lex_space(l);
        at = l->at;
        if (lex_number(l, &thread)) {
            if (!lex_need(l, ':', "after the number of a thread") ||
                !register_init(f, thread, size, at)) {
                return false;
            }
        } else if (l->failed || !memory_init(f, size)) {
            return false;
        }
        if (!lex_peek(l, '}') && !lex_need(l, ';', "or \"}\" after a value")) {
            return false;
        }
    }
    return !l->failed;
}

/* --- table ------------------------------------------------------------------------------------ */

static bool header_read(struct herd_file *f)
{
    struct litmus_test *test = f->test;
    struct lex *l = f->l;

    do {
        struct litmus_thread *t = &test->thread[test->threads];
        char word[LITMUS_NAME], name[8];
        const char *at;

        lex_space(l);
        at = l->at;
        if (test->threads == LITMUS_THREADS) {
            return lex_fail(l, at, "more than %d threads: split the test", LITMUS_THREADS);
        }
        g_snprintf(name, sizeof(name), "P%u", test->threads);
        if (!lex_word(l, word, sizeof(word)) || strcmp(word, name) != 0) {
            return lex_fail(l, at, "expected the thread %s", name);
        }
        *t = (struct litmus_thread){ .agent = LITMUS_CPU, .number = test->threads, .job = -1 };
        t->line = lex_line(l, at);
        t->column = lex_column(l, at);
        g_strlcpy(t->name, name, sizeof(t->name));
        test->threads++;
    } while (lex_take(l, '|'));
    return lex_need(l, ';', "after the last thread");
}

/* "L0:" before an instruction, or alone. */
static bool label_read(struct lex *l, struct herd_thread *t)
{
    const char *at;
    char word[LITMUS_NAME];
    unsigned i = 0;

    lex_space(l);
    at = l->at;
    if (!lex_word(l, word, sizeof(word)) || !lex_take(l, ':')) {
        l->at = at;
        return false;
    }
    while (i < t->labels && strcmp(t->label[i].name, word) != 0) {
        i++;
    }
    if (i == HERD_LABELS) {
        return lex_fail(l, at, "more than %d labels: split the test", HERD_LABELS);
    }
    if (i < t->labels && t->label[i].place >= 0) {
        return lex_fail(l, at, "label %s is there already", word);
    }
    g_strlcpy(t->label[i].name, word, sizeof(t->label[i].name));
    t->labels = MAX(t->labels, i + 1);
    t->label[i].place = (int)t->n;
    return true;
}

static bool cell_read(struct herd_file *f, struct herd_thread *t)
{
    struct lex *l = f->l;

    while (label_read(l, t)) {
    }
    return !l->failed && (lex_peek(l, '|') || lex_peek(l, ';') || herd_insn_read(f, t));
}

static bool rows_read(struct herd_file *f)
{
    struct lex *l = f->l;

    while (!parse_condition_follows(l)) {
        lex_space(l);
        if (l->at >= l->end || lex_peek_word(l, "filter")) {
            return lex_expected(l, "a row of instructions or the condition (exists, ~exists or "
                                   "forall)");
        }
        for (unsigned t = 0; t < f->test->threads; t++) {
            if ((t > 0 && !lex_need(l, '|', "and the next thread's instruction")) ||
                !cell_read(f, &f->thread[t])) {
                return false;
            }
        }
        if (!lex_need(l, ';', "after the instruction of the last thread")) {
            return false;
        }
    }
    return true;
}

static bool labels_found(struct herd_file *f)
{
    for (unsigned t = 0; t < f->test->threads; t++) {
        for (unsigned i = 0; i < f->thread[t].labels; i++) {
            const struct herd_label *label = &f->thread[t].label[i];

            if (label->place < 0) {
                return lex_fail(f->l, label->used, "%s has no label %s", f->test->thread[t].name,
                                label->name);
            }
        }
    }
    return true;
}

/* --- ways ------------------------------------------------------------------------------------- */

/* A location has the bytes that are reached, 4 at least; 32 bytes are all. */
static bool locations_settle(struct herd_file *f)
{
    unsigned byte = 0;

    for (unsigned i = 0; i < f->test->locs; i++) {
        struct litmus_loc *loc = &f->test->loc[i];

        loc->size = f->used[i] > 4 || loc->init > UINT32_MAX ? 8 : 4;
        loc->byte = byte;
        byte += loc->size;
        if (byte > LITMUS_BYTES) {
            return lex_fail(f->l, NULL, "more than %d bytes of locations: split the test",
                            LITMUS_BYTES);
        }
    }
    return true;
}

/* @test with the operations of one way of each thread; @pick: which. */
static void way_fill(struct litmus_test *test, GArray *const *ways, const unsigned *pick)
{
    const struct herd_way *way[LITMUS_THREADS];

    for (unsigned t = 0; t < test->threads; t++) {
        way[t] = &g_array_index(ways[t], struct herd_way, pick[t]);
        test->thread[t] = way[t]->t;
    }
    for (unsigned i = 0; i < test->items; i++) {
        struct litmus_item *item = &test->item[i];

        if (item->kind == LITMUS_ITEM_EXPR) {
            item->index = way[item->thread]->final[item->number];
        }
    }
}

/* The next combination. */
static bool pick_next(unsigned *pick, GArray *const *ways, unsigned threads)
{
    for (unsigned t = 0; t < threads; t++) {
        if (++pick[t] < ways[t]->len) {
            return true;
        }
        pick[t] = 0;
    }
    return false;
}

static bool ways_join(struct herd_file *f, GArray *const *ways)
{
    struct litmus_test *test = f->test, *last = test;
    unsigned pick[LITMUS_THREADS] = { 0 };
    uint64_t n = 1;

    for (unsigned t = 0; t < test->threads; t++) {
        n *= ways[t]->len;
    }
    if (n == 0 || n > HERD_TEST_WAYS) {
        return lex_fail(f->l, NULL,
                        n ? "%" G_GUINT64_FORMAT
                            " ways through the branches, exclusives and loaded addresses of all "
                            "threads, %d at most: split the test"
                          : "no thread comes to its end: %" G_GUINT64_FORMAT
                            " ways (a loop runs %d times at most)",
                        n, n ? HERD_TEST_WAYS : HERD_BACKWARD);
    }
    test->ways = true;
    way_fill(test, ways, pick);
    while (pick_next(pick, ways, test->threads)) {
        struct litmus_test *way = g_memdup2(test, sizeof(*test));

        way->next = NULL;
        way_fill(way, ways, pick);
        last->next = way;
        last = way;
    }
    return true;
}

static bool ways_find(struct herd_file *f)
{
    GArray *ways[LITMUS_THREADS] = { NULL };
    bool ok = true;

    for (unsigned t = 0; t < f->test->threads; t++) {
        ways[t] = g_array_new(FALSE, FALSE, sizeof(struct herd_way));
        ok = ok && herd_ways(f, t, ways[t]);
    }
    ok = ok && locations_settle(f) && ways_join(f, ways);
    for (unsigned t = 0; t < f->test->threads; t++) {
        g_array_free(ways[t], TRUE);
    }
    return ok;
}

/* --- the whole -------------------------------------------------------------------------------- */

bool herd_end_read(struct lex *l)
{
    while (lex_take(l, ';')) {
    }
    lex_space(l);
    return !l->failed && (l->at >= l->end || lex_expected(l, "the end of the file"));
}

static bool parts_read(struct herd_file *f)
{
    struct lex *l = f->l;

    return herd_notes_read(l, f->test) && init_read(f) && header_read(f) && rows_read(f) &&
           labels_found(f) && parse_locations(l, f->test) && parse_condition(l, f->test) &&
           herd_end_read(l) && ways_find(f);
}

bool herd_file_read(struct lex *l, struct litmus_test *test)
{
    struct herd_file *f = g_new0(struct herd_file, 1);
    char word[LITMUS_NAME];
    bool ok;

    lex_word(l, word, sizeof(word));
    test->name = herd_line_take(l);
    f->l = l;
    f->test = test;
    l->herd = true;
    ok = *test->name ? parts_read(f) : lex_expected(l, "the name of the test");
    g_free(f);
    return ok;
}
