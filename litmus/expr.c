/* SPDX-License-Identifier: MIT */
#include "litmus/expr.h"

/* A64 without flags, Arm ARM C6; SXTW and UXTW take the low word of @a. */
static uint64_t op_value(enum litmus_expr_op op, uint64_t a, uint64_t b)
{
    switch (op) {
    case LITMUS_EXPR_ADD:
        return a + b;
    case LITMUS_EXPR_SUB:
        return a - b;
    case LITMUS_EXPR_AND:
        return a & b;
    case LITMUS_EXPR_ORR:
        return a | b;
    case LITMUS_EXPR_EOR:
        return a ^ b;
    case LITMUS_EXPR_BIC:
        return a & ~b;
    case LITMUS_EXPR_LSL:
        return b < 64 ? a << b : 0;
    case LITMUS_EXPR_LSR:
        return b < 64 ? a >> b : 0;
    case LITMUS_EXPR_SXTW:
        return (uint64_t)(int64_t)(int32_t)(uint32_t)a;
    case LITMUS_EXPR_UXTW:
        return (uint32_t)a;
    case LITMUS_EXPR_EQ:
        return a == b;
    case LITMUS_EXPR_LO:
        return a < b;
    case LITMUS_EXPR_LT:
        return (int64_t)a < (int64_t)b;
    case LITMUS_EXPR_CONST:
    case LITMUS_EXPR_REG:
        break;
    }
    return 0;
}

static int node_add(struct litmus_thread *t, struct litmus_expr node)
{
    for (unsigned i = 0; i < t->exprs; i++) {
        const struct litmus_expr *e = &t->expr[i];

        if (e->op == node.op && e->a == node.a && e->b == node.b && e->value == node.value) {
            return (int)i;
        }
    }
    if (t->exprs == LITMUS_EXPRS) {
        return -1;
    }
    t->expr[t->exprs] = node;
    return (int)t->exprs++;
}

int expr_const(struct litmus_thread *t, uint64_t value)
{
    return node_add(t, (struct litmus_expr){ .op = LITMUS_EXPR_CONST,
                                             .value = value,
                                             .narrow = value <= UINT32_MAX });
}

int expr_reg(struct litmus_thread *t, unsigned reg, unsigned size)
{
    return node_add(t, (struct litmus_expr){ .op = LITMUS_EXPR_REG,
                                             .a = (uint8_t)reg,
                                             .regs = (uint16_t)(1u << reg),
                                             .narrow = size <= 4 });
}

bool expr_is_const(const struct litmus_thread *t, int expr, uint64_t *value)
{
    const struct litmus_expr *e = &t->expr[expr];

    *value = e->value;
    return e->op == LITMUS_EXPR_CONST;
}

/* What an operation makes of operands that need no value: -1 if it takes the values. */
static int op_simple(struct litmus_thread *t, enum litmus_expr_op op, int a, int b)
{
    uint64_t x, y;
    bool known_a = expr_is_const(t, a, &x), known_b = expr_is_const(t, b, &y);

    if (known_a && known_b) {
        return expr_const(t, op_value(op, x, y));
    }
    if (a == b && (op == LITMUS_EXPR_EOR || op == LITMUS_EXPR_SUB || op == LITMUS_EXPR_BIC)) {
        return expr_const(t, 0);
    }
    if (a == b && op == LITMUS_EXPR_EQ) {
        return expr_const(t, 1);
    }
    if ((known_a && x == 0 && op == LITMUS_EXPR_AND) ||
        (known_b && y == 0 && op == LITMUS_EXPR_AND)) {
        return expr_const(t, 0);
    }
    if (known_b && y == 0 && (op == LITMUS_EXPR_ADD || op == LITMUS_EXPR_ORR)) {
        return a;
    }
    if (known_a && x == 0 && (op == LITMUS_EXPR_ADD || op == LITMUS_EXPR_ORR)) {
        return b;
    }
    return op == LITMUS_EXPR_UXTW && t->expr[a].narrow ? a : -1;
}

static bool op_narrow(enum litmus_expr_op op, bool a, bool b)
{
    switch (op) {
    case LITMUS_EXPR_UXTW:
    case LITMUS_EXPR_EQ:
    case LITMUS_EXPR_LO:
    case LITMUS_EXPR_LT:
        return true;
    case LITMUS_EXPR_AND:
        return a || b;
    case LITMUS_EXPR_ORR:
    case LITMUS_EXPR_EOR:
        return a && b;
    case LITMUS_EXPR_BIC:
    case LITMUS_EXPR_LSR:
        return a;
    default:
        return false;
    }
}

int expr_op(struct litmus_thread *t, enum litmus_expr_op op, int a, int b)
{
    int simple;

    if (a < 0 || b < 0) {
        return -1;
    }
    simple = op_simple(t, op, a, b);
    if (simple >= 0) {
        return simple;
    }
    return node_add(
        t, (struct litmus_expr){ .op = op,
                                 .a = (uint8_t)a,
                                 .b = (uint8_t)b,
                                 .regs = t->expr[a].regs | t->expr[b].regs,
                                 .narrow = op_narrow(op, t->expr[a].narrow, t->expr[b].narrow) });
}

bool expr_known(const struct litmus_state *s, const struct litmus_thread *t, unsigned thread,
                unsigned expr)
{
    return (t->expr[expr].regs & ~s->set[thread]) == 0;
}

/* Operands come before their operation: one pass, however often a node is used. */
uint64_t expr_value(const struct litmus_state *s, const struct litmus_thread *t, unsigned thread,
                    unsigned expr)
{
    uint64_t value[LITMUS_EXPRS];

    for (unsigned i = 0; i <= expr; i++) {
        const struct litmus_expr *e = &t->expr[i];

        value[i] = e->op == LITMUS_EXPR_CONST ? e->value
                   : e->op == LITMUS_EXPR_REG ? s->reg[thread][e->a]
                                              : op_value(e->op, value[e->a], value[e->b]);
    }
    return value[expr];
}
