/* SPDX-License-Identifier: MIT */
/* Values of registers on a way, and what they depend on. */
#include "litmus/expr.h"
#include "litmus/herd.h"

struct herd_value herd_const(struct herd_path *p, uint64_t value)
{
    return (struct herd_value){ expr_const(&p->t, value), 0, 0 };
}

struct herd_value herd_op(struct herd_path *p, enum litmus_expr_op op, struct herd_value a,
                          struct herd_value b)
{
    return (struct herd_value){ expr_op(&p->t, op, a.expr, b.expr), a.deps | b.deps,
                                a.pick | b.pick };
}

struct herd_value herd_reg(struct herd_path *p, int reg, bool wide)
{
    if (reg == HERD_ZR) {
        return herd_const(p, 0);
    }
    return wide ? p->reg[reg]
                : herd_op(p, LITMUS_EXPR_UXTW, p->reg[reg], (struct herd_value){ 0, 0, 0 });
}

void herd_reg_set(struct herd_path *p, int reg, bool wide, struct herd_value v)
{
    if (reg != HERD_ZR) {
        p->reg[reg] = v;
        p->reg[reg] = herd_reg(p, reg, wide);
    }
}

bool herd_assume(struct herd_file *f, struct herd_path *p, const struct herd_insn *insn,
                 struct herd_value v)
{
    uint64_t value;

    if (v.expr < 0) {
        return true; /* herd_ways() says so */
    }
    if (expr_is_const(&p->t, v.expr, &value)) {
        p->dead |= value == 0;
        return true;
    }
    if (p->t.assumes == LITMUS_ASSUMES) {
        return lex_fail(f->l, insn->from, "more than %d choices of loaded values in a thread",
                        LITMUS_ASSUMES);
    }
    p->t.assume[p->t.assumes++] = (uint8_t)v.expr;
    return true;
}
