/* SPDX-License-Identifier: MIT */
/* Operands of A64: registers, numbers, extended registers, addresses. */
#include <string.h>

#include "litmus/herd.h"

int herd_register(struct lex *l, bool *wide)
{
    const char *at;
    char word[LITMUS_NAME];
    int number = -1;

    lex_space(l);
    at = l->at;
    if (lex_word(l, word, sizeof(word))) {
        char kind = g_ascii_toupper(word[0]);

        *wide = kind == 'X';
        if ((kind == 'W' || kind == 'X') && g_ascii_strcasecmp(word + 1, "ZR") == 0) {
            return HERD_ZR;
        }
        if ((kind == 'W' || kind == 'X') && g_ascii_isdigit(word[1]) && strlen(word) <= 3 &&
            (!word[2] || g_ascii_isdigit(word[2]))) {
            number = (int)g_ascii_strtoull(word + 1, NULL, 10);
        }
    }
    if (number < 0 || number > 30) {
        l->at = at;
        lex_expected(l, "a register (W0 to W30, X0 to X30, WZR, XZR)");
        return -1;
    }
    return number;
}

/* #1, #-1, 0x10 */
static bool herd_operand_immediate(struct lex *l, uint64_t *value)
{
    bool negative;

    lex_take(l, '#');
    negative = lex_take(l, '-');
    if (!lex_number(l, value)) {
        return lex_expected(l, "a number");
    }
    *value = negative ? 0 - *value : *value;
    return true;
}

static bool immediate_follows(struct lex *l)
{
    return lex_peek(l, '#') || lex_peek(l, '-') || (l->at < l->end && g_ascii_isdigit(*l->at));
}

/* ",SXTW" ",LSL #2" behind a register; nothing taken if there is neither. */
static bool herd_operand_extension(struct lex *l, struct herd_operand *o)
{
    static const struct {
        const char *name;
        enum litmus_expr_op extend;
        bool right;
    } names[] = { { "SXTW", LITMUS_EXPR_SXTW, false },  { "UXTW", LITMUS_EXPR_UXTW, false },
                  { "SXTX", LITMUS_EXPR_CONST, false }, { "UXTX", LITMUS_EXPR_CONST, false },
                  { "LSL", LITMUS_EXPR_CONST, false },  { "LSR", LITMUS_EXPR_CONST, true } };
    const char *at = l->at;
    char word[LITMUS_NAME];
    uint64_t shift = 0;

    if (!lex_take(l, ',')) {
        return true;
    }
    if (lex_word(l, word, sizeof(word))) {
        for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
            if (g_ascii_strcasecmp(names[i].name, word) == 0) {
                o->extend = names[i].extend;
                o->right = names[i].right;
                if (immediate_follows(l) && !herd_operand_immediate(l, &shift)) {
                    return false;
                }
                o->shift = (unsigned)MIN(shift, 64);
                return true;
            }
        }
    }
    l->at = at; /* the comma is another operand's */
    return !l->failed;
}

bool herd_operand_read(struct lex *l, struct herd_operand *o)
{
    *o = (struct herd_operand){ .extend = LITMUS_EXPR_CONST };
    if (immediate_follows(l)) {
        o->imm = true;
        return herd_operand_immediate(l, &o->value) && herd_operand_extension(l, o);
    }
    o->reg = herd_register(l, &o->wide);
    return o->reg >= 0 && herd_operand_extension(l, o);
}

bool herd_address_read(struct lex *l, struct herd_insn *insn, bool plain)
{
    bool wide;

    insn->operand = (struct herd_operand){ .imm = true };
    if (!lex_need(l, '[', "before an address")) {
        return false;
    }
    insn->base = herd_register(l, &wide);
    if (insn->base < 0) {
        return false;
    }
    if (!wide || insn->base == HERD_ZR) {
        return lex_fail(l, NULL, "an address is in an X register, X0 to X30");
    }
    if (!plain && lex_take(l, ',') && !herd_operand_read(l, &insn->operand)) {
        return false;
    }
    if (!lex_need(l, ']',
                  plain ? "after the register: this instruction takes [X1] alone"
                        : "after the address")) {
        return false;
    }
    if (plain) {
        return true;
    }
    if (lex_take(l, '!')) {
        insn->mode = HERD_PRE;
    } else if (lex_take(l, ',')) {
        insn->mode = HERD_POST;
        return herd_operand_read(l, &insn->operand);
    }
    return true;
}
