/* SPDX-License-Identifier: MIT */
/* herd's PTX format: { registers and memory }, a table of threads, ScopeTree(...), where each
 * location is, a condition. The threads are the iGPU's, a CTA an SM, global memory device memory.
 */
#include <string.h>

#include "litmus/herd.h"
#include "litmus/parse_file.h"
#include "litmus/parse_ops.h"

/* --- { registers and memory } ----------------------------------------------------------------- */

/* ".reg" ".s32" */
static void declaration_skip(struct lex *l)
{
    char word[LITMUS_NAME];

    while (lex_take(l, '.')) {
        lex_word(l, word, sizeof(word));
    }
}

static bool reg_init(struct lex *l, struct litmus_test *test, uint64_t thread, const char *at)
{
    unsigned reg;

    if (thread >= LITMUS_THREADS) {
        return lex_fail(l, at, "threads are 0 to %d", LITMUS_THREADS - 1);
    }
    declaration_skip(l);
    if (!herd_ptx_reg_word(l, &reg)) {
        return false;
    }
    return !lex_take(l, '=') || herd_ptx_reg_value(l, test, &l->ptx->reg[thread][reg]);
}

static bool loc_init(struct lex *l, struct litmus_test *test)
{
    const char *at;
    char word[LITMUS_NAME];
    int loc;

    lex_space(l);
    at = l->at;
    if (!lex_word(l, word, sizeof(word))) {
        return lex_expected(l, "a register (0:.reg .s32 r0), a location (x=1) or \"}\"");
    }
    loc = herd_location(l, test, word, at);
    return loc >= 0 && (!lex_take(l, '=') || lex_number(l, &test->loc[loc].init) ||
                        lex_expected(l, "a number"));
}

static bool init_read(struct lex *l, struct litmus_test *test)
{
    if (!lex_need(l, '{', "and the registers")) {
        return false;
    }
    while (!lex_take(l, '}')) {
        const char *at;
        uint64_t thread;

        if (lex_take(l, ';')) {
            continue;
        }
        lex_space(l);
        at = l->at;
        if (lex_number(l, &thread) ? !lex_need(l, ':', "after the number of a thread") ||
                                         !reg_init(l, test, thread, at)
                                   : l->failed || !loc_init(l, test)) {
            return false;
        }
        if (!lex_peek(l, '}') && !lex_need(l, ';', "or \"}\" after a value")) {
            return false;
        }
    }
    return !l->failed;
}

/* --- table ------------------------------------------------------------------------------------ */

static bool header_read(struct lex *l, struct litmus_test *test)
{
    do {
        struct litmus_thread *t = &test->thread[test->threads];
        char word[LITMUS_NAME];
        const char *at;

        lex_space(l);
        at = l->at;
        if (test->threads == LITMUS_SMS) {
            return lex_fail(l, at, "more than %d threads: split the test", LITMUS_SMS);
        }
        if (!lex_word(l, word, sizeof(word)) || !strchr("TP", word[0]) ||
            word[1] != (char)('0' + test->threads) || word[2]) {
            return lex_fail(l, at, "expected the thread T%u", test->threads);
        }
        *t = (struct litmus_thread){ .agent = LITMUS_IGPU,
                                     .number = test->threads,
                                     .sm = test->threads,
                                     .job = -1,
                                     .line = lex_line(l, at),
                                     .column = lex_column(l, at) };
        g_strlcpy(t->name, word, sizeof(t->name));
        test->sms = ++test->threads;
    } while (lex_take(l, '|'));
    return lex_need(l, ';', "after the last thread");
}

static bool rows_read(struct lex *l, struct litmus_test *test)
{
    while (!parse_condition_follows(l) && !lex_peek_word(l, "ScopeTree") &&
           !lex_peek_word(l, "scopeTree")) {
        lex_space(l);
        if (l->at >= l->end) {
            return lex_expected(l, "a row of instructions, ScopeTree or the condition");
        }
        for (unsigned t = 0; t < test->threads; t++) {
            if ((t > 0 && !lex_need(l, '|', "and the next thread's instruction")) ||
                !parse_cell(l, test, &test->thread[t])) {
                return false;
            }
        }
        if (!lex_need(l, ';', "after the instruction of the last thread")) {
            return false;
        }
    }
    return true;
}

/* --- scopes and memory ------------------------------------------------------------------------ */

static bool thread_place(struct lex *l, struct litmus_test *test, const char *word, unsigned ctas)
{
    for (unsigned t = 0; t < test->threads; t++) {
        if (strcmp(test->thread[t].name, word) == 0) {
            test->thread[t].sm = ctas ? ctas - 1 : 0;
            return true;
        }
    }
    return lex_fail(l, NULL, "expected grid, cta, warp or a thread of the table before here");
}

/* ScopeTree(grid(cta(warp T0))(cta(warp T1))): a CTA is an SM. */
static bool scopes_read(struct lex *l, struct litmus_test *test)
{
    unsigned depth = 0, ctas = 0;
    char word[LITMUS_NAME];

    if (!lex_peek_word(l, "ScopeTree") && !lex_peek_word(l, "scopeTree")) {
        return true;
    }
    lex_word(l, word, sizeof(word));
    do {
        if (lex_take(l, '(')) {
            depth++;
        } else if (lex_take(l, ')')) {
            depth -= depth > 0;
        } else if (!lex_word(l, word, sizeof(word))) {
            return lex_expected(l, "\"(\", \")\", grid, cta, warp or a thread");
        } else if (strcmp(word, "cta") == 0) {
            ctas++;
        } else if (strcmp(word, "grid") != 0 && strcmp(word, "kernel") != 0 &&
                   strcmp(word, "device") != 0 && strcmp(word, "warp") != 0 &&
                   !thread_place(l, test, word, ctas)) {
            return false;
        }
    } while (depth > 0);
    return true;
}

/* x: global, y: global */
static bool places_read(struct lex *l, struct litmus_test *test)
{
    while (!parse_condition_follows(l) && l->at < l->end) {
        char word[LITMUS_NAME];

        if (parse_location(l, test) < 0 || !lex_need(l, ':', "and where it is")) {
            return false;
        }
        if (!lex_peek_word(l, "global")) {
            return lex_expected(l, "global: shared memory is not read");
        }
        lex_word(l, word, sizeof(word));
        lex_take(l, ',');
    }
    return !l->failed;
}

/* --- the whole -------------------------------------------------------------------------------- */

/* Global memory, one location behind the other. */
static void locations_settle(struct litmus_test *test)
{
    for (unsigned i = 0; i < test->locs; i++) {
        test->loc[i].kind = LITMUS_DEVICE;
        test->loc[i].byte = i * test->loc[i].size;
    }
}

bool herd_ptx_read(struct lex *l, struct litmus_test *test)
{
    struct herd_ptx ptx = { 0 };
    char word[LITMUS_NAME];
    bool ok;

    for (unsigned t = 0; t < LITMUS_THREADS; t++) {
        for (unsigned r = 0; r < HERD_PTX_REGS; r++) {
            ptx.reg[t][r].loc = -1;
        }
    }
    lex_word(l, word, sizeof(word));
    test->name = herd_line_take(l);
    l->ptx = &ptx;
    ok = *test->name ? herd_notes_read(l, test) && init_read(l, test) && header_read(l, test) &&
                           rows_read(l, test) && scopes_read(l, test) && places_read(l, test)
                     : lex_expected(l, "the name of the test");
    l->ptx = NULL;
    locations_settle(test);
    return ok && parse_locations(l, test) && parse_condition(l, test) && herd_end_read(l);
}
