/* SPDX-License-Identifier: MIT */
/* What stands behind the table: condition, expectations, sources, text for the reader. */
#include <string.h>

#include "litmus/parse_file.h"

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

bool parse_locations(struct lex *l, struct litmus_test *test)
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

bool parse_condition(struct lex *l, struct litmus_test *test)
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

static int verdict_of(const char *word)
{
    for (int v = LITMUS_ALLOWED; v <= LITMUS_FAILS; v++) {
        if (strcmp(litmus_verdict_name((enum litmus_verdict)v), word) == 0) {
            return v;
        }
    }
    return -1;
}

static bool parse_tail_expectation(struct lex *l, struct litmus_test *test)
{
    struct litmus_expect *x = &test->expect[test->expects];
    bool exists = test->quantifier == LITMUS_EXISTS;
    const char *at, *soc;
    char word[LITMUS_NAME];
    int verdict;

    lex_space(l);
    soc = l->at;
    if (test->expects == LITMUS_SOCS) {
        return lex_fail(l, soc, "more than %d expectations: expected one for each SoC",
                        LITMUS_SOCS);
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
                            litmus_verdict_name(first->verdict), first->line, first->column);
        }
    }
    lex_space(l);
    at = l->at;
    verdict = lex_word(l, word, sizeof(word)) ? verdict_of(word) : -1;
    if (verdict < 0 || (verdict <= LITMUS_UNSEEN) != exists) {
        l->at = at;
        return lex_expected(l, exists ? "allowed, forbidden or unseen" : "holds or fails");
    }
    x->verdict = (enum litmus_verdict)verdict;
    test->expects++;
    return true;
}

/* The text for a reader is the rest of the file: a line of it that would be an expectation anywhere
 * else is not checked there. */
static bool parse_tail_teach(struct lex *l, struct litmus_test *test)
{
    for (const char *at = l->at; at < l->end; at++) {
        bool begins = at == l->at || at[-1] == '\n';

        if (begins && l->end - at > 7 &&
            (strncmp(at, "expect ", 7) == 0 || strncmp(at, "source ", 7) == 0)) {
            l->at = at;
            return lex_expected(l, "a sentence for the reader: expect and source stand before "
                                   "teach, whose text is the rest of the file");
        }
    }
    test->teach = g_strstrip(g_strndup(l->at, (gsize)(l->end - l->at)));
    l->at = l->end;
    return true;
}

bool parse_tail(struct lex *l, struct litmus_test *test)
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
                if (!parse_tail_expectation(l, test)) {
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
            if (!parse_tail_teach(l, test)) {
                return false;
            }
        } else {
            return lex_expected(l, "expect, source, teach or the end of the file");
        }
    }
}
