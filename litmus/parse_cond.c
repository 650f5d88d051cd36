/* SPDX-License-Identifier: MIT */
/* Conditions: CPU1:W0=1 /\ ~(dram.x=0 \/ fault(CPU0)) */
#include <string.h>

#include "litmus/herd.h"

#define DEPTH_MAX 40

static struct litmus_cond *cond_new(enum litmus_cond_op op, struct litmus_cond *a,
                                    struct litmus_cond *b)
{
    struct litmus_cond *c = g_new0(struct litmus_cond, 1);

    c->op = op;
    c->a = a;
    c->b = b;
    return c;
}

void cond_free(struct litmus_cond *c)
{
    if (c) {
        cond_free(c->a);
        cond_free(c->b);
        g_free(c);
    }
}

static int item_add(struct lex *l, struct litmus_test *test, struct litmus_item item)
{
    for (unsigned i = 0; i < test->items; i++) {
        if (test->item[i].kind == item.kind && test->item[i].thread == item.thread &&
            test->item[i].index == item.index && test->item[i].number == item.number) {
            return (int)i;
        }
    }
    if (test->items == LITMUS_ITEMS) {
        lex_fail(l, NULL,
                 "the condition names more than %d registers and locations: split the test",
                 LITMUS_ITEMS);
        return -1;
    }
    test->item[test->items] = item;
    return (int)test->items++;
}

static int thread_find(const struct litmus_test *test, const char *name)
{
    for (unsigned t = 0; t < test->threads; t++) {
        if (strcmp(test->thread[t].name, name) == 0) {
            return (int)t;
        }
    }
    return -1;
}

/* Any register of herd's has a value in the end. */
static int herd_register_item(struct lex *l, struct litmus_test *test, unsigned thread)
{
    bool wide;
    int reg = herd_register(l, &wide);

    if (reg == HERD_ZR) {
        lex_fail(l, NULL, "expected a register X0 to X30");
        return -1;
    }
    return reg < 0 ? -1
                   : item_add(l, test,
                              (struct litmus_item){ LITMUS_ITEM_EXPR, thread, 0, (unsigned)reg });
}

/* After "CPU1" or "1": ":W0" */
static int register_item(struct lex *l, struct litmus_test *test, int thread, const char *at)
{
    const struct litmus_thread *t;
    const char *digits;
    unsigned number;
    char word[LITMUS_NAME];

    if (thread < 0 || (unsigned)thread >= test->threads) {
        lex_fail(l, at, "no such agent in the table");
        return -1;
    }
    t = &test->thread[thread];
    if (l->herd) {
        return herd_register_item(l, test, (unsigned)thread);
    }
    lex_space(l);
    at = l->at;
    if (!lex_word(l, word, sizeof(word))) {
        lex_expected(l, "a register");
        return -1;
    }
    digits = word + strcspn(word, "0123456789");
    number = (unsigned)g_ascii_strtoull(digits, NULL, 10);
    for (unsigned i = 0; *digits && i < t->regs; i++) {
        if (t->reg_number[i] == number) {
            return item_add(l, test,
                            (struct litmus_item){ LITMUS_ITEM_REG, (unsigned)thread, i, 0 });
        }
    }
    lex_fail(l, at, "%s never loads %s: expected a register that one of its operations loads",
             t->name, word);
    return -1;
}

static int thread_item(struct lex *l, struct litmus_test *test, enum litmus_item_kind kind)
{
    const char *at;
    char word[LITMUS_NAME];
    int thread;

    if (!lex_need(l, '(', "and an agent")) {
        return -1;
    }
    lex_space(l);
    at = l->at;
    thread = lex_word(l, word, sizeof(word)) ? thread_find(test, word) : -1;
    if (thread < 0) {
        lex_fail(l, at, "expected an agent of the table");
        return -1;
    }
    if (!lex_need(l, ')', "after the agent")) {
        return -1;
    }
    return item_add(l, test, (struct litmus_item){ kind, (unsigned)thread, 0, 0 });
}

/* x, cpu.x, igpu.x, dgpu.x, dram.x */
static int memory_item(struct lex *l, struct litmus_test *test, const char *word, const char *at)
{
    static const struct {
        const char *prefix;
        enum litmus_item_kind kind;
    } images[] = { { "cpu.", LITMUS_ITEM_CPU },
                   { "igpu.", LITMUS_ITEM_IGPU },
                   { "dgpu.", LITMUS_ITEM_DGPU },
                   { "dram.", LITMUS_ITEM_DRAM } };
    enum litmus_item_kind kind = LITMUS_ITEM_MEM;

    for (size_t i = 0; i < G_N_ELEMENTS(images); i++) {
        if (g_str_has_prefix(word, images[i].prefix)) {
            kind = images[i].kind;
            word += strlen(images[i].prefix);
            break;
        }
    }
    for (unsigned i = 0; i < test->locs; i++) {
        if (strcmp(test->loc[i].name, word) == 0) {
            return item_add(l, test, (struct litmus_item){ kind, 0, i, 0 });
        }
    }
    lex_fail(
        l, at,
        "expected a location, cpu.x, igpu.x, dgpu.x, dram.x, a register (CPU0:W0), fault(CPU0) "
        "or blocked(CPU0), found \"%s\"",
        word);
    return -1;
}

int parse_item(struct lex *l, struct litmus_test *test)
{
    bool bracket = lex_take(l, '[');
    const char *at;
    uint64_t number;
    char word[LITMUS_NAME + 8]; /* with igpu. */
    int item;

    lex_space(l);
    at = l->at;
    if (!bracket && lex_number(l, &number)) {
        return lex_need(l, ':', "after the number of an agent")
                   ? register_item(l, test, number < LITMUS_THREADS ? (int)number : -1, at)
                   : -1;
    }
    if (!lex_word(l, word, sizeof(word))) {
        lex_expected(l, "a register (CPU0:W0) or a location");
        return -1;
    }
    if (!bracket && lex_take(l, ':')) {
        return register_item(l, test, thread_find(test, word), at);
    }
    if (strcmp(word, "fault") == 0 && lex_peek(l, '(')) {
        return thread_item(l, test, LITMUS_ITEM_FAULT);
    }
    if (strcmp(word, "blocked") == 0 && lex_peek(l, '(')) {
        return thread_item(l, test, LITMUS_ITEM_BLOCKED);
    }
    item = memory_item(l, test, word, at);
    return item >= 0 && bracket && !lex_need(l, ']', "after the location") ? -1 : item;
}

static struct litmus_cond *cond_or(struct lex *l, struct litmus_test *test, unsigned depth);

static unsigned item_size(const struct litmus_test *test, const struct litmus_item *item)
{
    switch (item->kind) {
    case LITMUS_ITEM_REG:
        return test->thread[item->thread].reg_size[item->index];
    case LITMUS_ITEM_EXPR:
        return 8;
    default:
        return test->loc[item->index].size;
    }
}

/* "=1": a value that the register or location can have. */
static bool item_value(struct lex *l, const struct litmus_test *test, struct litmus_cond *c)
{
    const struct litmus_item *item = &test->item[c->item];
    const char *at;

    if (!lex_need(l, '=', "and a value")) {
        return false;
    }
    lex_space(l);
    at = l->at;
    if (l->herd && at < l->end && g_ascii_isalpha(*at)) {
        int loc = parse_location(l, test);

        c->value = loc < 0 ? 0 : herd_address(loc);
        return loc >= 0;
    }
    return (lex_number(l, &c->value) || lex_expected(l, "a number")) &&
           lex_fits(l, at, c->value, item_size(test, item));
}

/* herd's other word for ~ */
static bool not_take(struct lex *l)
{
    char word[LITMUS_NAME];

    return l->herd && lex_peek_word(l, "not") && lex_word(l, word, sizeof(word));
}

static struct litmus_cond *cond_atom(struct lex *l, struct litmus_test *test, unsigned depth)
{
    struct litmus_cond *c;
    int item;

    if (depth > DEPTH_MAX) {
        lex_fail(l, NULL, "more than %d levels of ( and ~: write fewer", DEPTH_MAX);
        return NULL;
    }
    if (lex_take(l, '~') || not_take(l)) {
        c = cond_atom(l, test, depth + 1);
        return c ? cond_new(LITMUS_COND_NOT, c, NULL) : NULL;
    }
    if (lex_take(l, '(')) {
        c = cond_or(l, test, depth + 1);
        if (c && !lex_need(l, ')', "after the condition")) {
            cond_free(c);
            return NULL;
        }
        return c;
    }
    if (lex_peek_word(l, "true")) {
        char word[LITMUS_NAME];

        lex_word(l, word, sizeof(word));
        return cond_new(LITMUS_COND_TRUE, NULL, NULL);
    }
    item = parse_item(l, test);
    if (item < 0) {
        return NULL;
    }
    c = cond_new(LITMUS_COND_EQ, NULL, NULL);
    c->item = (unsigned)item;
    c->value = 1; /* fault(CPU0) alone */
    if (test->item[item].kind < LITMUS_ITEM_FAULT && !item_value(l, test, c)) {
        cond_free(c);
        return NULL;
    }
    return c;
}

static bool parse_cond_connective(struct lex *l, char a, char b)
{
    lex_space(l);
    if (l->end - l->at < 2 || l->at[0] != a || l->at[1] != b) {
        return false;
    }
    l->at += 2;
    return true;
}

static struct litmus_cond *cond_and(struct lex *l, struct litmus_test *test, unsigned depth)
{
    struct litmus_cond *a = cond_atom(l, test, depth), *b;

    while (a && parse_cond_connective(l, '/', '\\')) {
        b = cond_atom(l, test, depth);
        if (!b) {
            cond_free(a);
            return NULL;
        }
        a = cond_new(LITMUS_COND_AND, a, b);
    }
    return a;
}

static struct litmus_cond *cond_or(struct lex *l, struct litmus_test *test, unsigned depth)
{
    struct litmus_cond *a = cond_and(l, test, depth), *b;

    while (a && parse_cond_connective(l, '\\', '/')) {
        b = cond_and(l, test, depth);
        if (!b) {
            cond_free(a);
            return NULL;
        }
        a = cond_new(LITMUS_COND_OR, a, b);
    }
    return a;
}

struct litmus_cond *parse_cond(struct lex *l, struct litmus_test *test, unsigned depth)
{
    return cond_or(l, test, depth);
}
