/* SPDX-License-Identifier: MIT */
/* Registers and instructions of herd's PTX format. */
#include <string.h>

#include "litmus/herd.h"
#include "litmus/parse_ops.h"

bool herd_ptx_reg_word(struct lex *l, unsigned *reg)
{
    const char *at;
    char word[LITMUS_NAME];

    lex_space(l);
    at = l->at;
    if (lex_word(l, word, sizeof(word)) && word[0] == 'r' && g_ascii_isdigit(word[1])) {
        *reg = (unsigned)g_ascii_strtoull(word + 1, NULL, 10);
        if (*reg < HERD_PTX_REGS && strlen(word) <= 3) {
            return true;
        }
    }
    l->at = at;
    return lex_expected(l, "a register (r0 to r31)");
}

/* A number, or a location for its address. */
bool herd_ptx_reg_value(struct lex *l, struct litmus_test *test, struct herd_ptx_reg *r)
{
    const char *at;
    char word[LITMUS_NAME];

    lex_space(l);
    at = l->at;
    *r = (struct herd_ptx_reg){ .loc = -1, .known = true };
    if (lex_number(l, &r->value)) {
        return true;
    }
    if (l->failed || !lex_word(l, word, sizeof(word))) {
        return lex_expected(l, "a number or a location");
    }
    r->loc = herd_location(l, test, word, at);
    return r->loc >= 0;
}

/* mov.s32 r0,1 */
static bool mov_read(struct lex *l, struct litmus_test *test)
{
    unsigned reg;

    return herd_ptx_reg_word(l, &reg) && lex_need(l, ',', "after the register") &&
           herd_ptx_reg_value(l, test, &l->ptx->reg[l->ptx->thread][reg]);
}

/* The parts of a word that change nothing here are taken out: .global, .ca; signed types are
 * unsigned ones. .cg: past the L1. */
static void word_settle(char *word, bool *cg)
{
    char **part = g_strsplit(word, ".", -1);
    size_t size = 48;

    *cg = false;
    *word = 0;
    for (unsigned i = 0; part[i]; i++) {
        char *p = part[i];

        *cg |= strcmp(p, "cg") == 0;
        if (!strcmp(p, "cg") || !strcmp(p, "ca") || !strcmp(p, "global")) {
            continue;
        }
        if (p[0] == 's' && g_ascii_isdigit(p[1])) {
            p[0] = 'u';
        }
        g_strlcat(word, i ? "." : "", size);
        g_strlcat(word, p, size);
    }
    g_strfreev(part);
}

bool herd_ptx_cell(struct lex *l, struct litmus_test *test, struct litmus_thread *t,
                   const char *start, char *word)
{
    unsigned first = t->n;
    bool cg;

    l->ptx->thread = t->number;
    if (g_str_has_prefix(word, "mov.")) {
        return mov_read(l, test);
    }
    word_settle(word, &cg);
    if (!parse_ptx_cell(l, test, t, start, word)) {
        return false;
    }
    for (unsigned i = first; cg && i < t->n; i++) {
        t->event[i].scope = MAX(t->event[i].scope, LITMUS_GPU);
    }
    return true;
}
