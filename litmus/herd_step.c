/* SPDX-License-Identifier: MIT */
/* What an instruction that is no access does on a way, and in how many ways it can go on. */
#include <string.h>

#include "litmus/expr.h"
#include "litmus/herd.h"

/* --- operands --------------------------------------------------------------------------------- */

/* The second operand: a number, or a register extended and shifted. */
static struct herd_value operand_value(struct herd_path *p, const struct herd_operand *o, bool wide)
{
    struct herd_value v;

    if (o->imm) {
        v = herd_const(p, wide ? o->value : (uint32_t)o->value);
    } else {
        v = herd_reg(p, o->reg, o->wide);
    }
    if (o->extend != LITMUS_EXPR_CONST) {
        v = herd_op(p, o->extend, v, herd_const(p, 0));
    }
    return o->shift ? herd_op(p, o->right ? LITMUS_EXPR_LSR : LITMUS_EXPR_LSL, v,
                              herd_const(p, o->shift))
                    : v;
}

static struct herd_value herd_step_narrow(struct herd_path *p, struct herd_value v, bool wide)
{
    return wide ? v : herd_op(p, LITMUS_EXPR_UXTW, v, herd_const(p, 0));
}

/* --- computing and conditions ----------------------------------------------------------------- */

static void alu_step(struct herd_path *p, const struct herd_insn *insn)
{
    struct herd_value a = herd_reg(p, insn->rn, insn->wide);
    struct herd_value b = operand_value(p, &insn->operand, insn->wide);
    struct herd_value result = herd_step_narrow(p, herd_op(p, insn->alu, a, b), insn->wide);

    if (insn->flags) {
        bool compare = insn->alu == LITMUS_EXPR_SUB;

        p->flag_a = compare ? a : result;
        p->flag_b = compare ? herd_step_narrow(p, b, insn->wide) : herd_const(p, 0);
        p->flag_wide = insn->wide;
    }
    herd_reg_set(p, insn->rd, insn->wide, result);
}

static struct herd_value value_not(struct herd_path *p, struct herd_value v)
{
    return herd_op(p, LITMUS_EXPR_EQ, v, herd_const(p, 0));
}

/* a < b by sign: as 64-bit numbers. */
static struct herd_value herd_step_less(struct herd_path *p, struct herd_value a,
                                        struct herd_value b)
{
    if (!p->flag_wide) {
        a = herd_op(p, LITMUS_EXPR_SXTW, a, herd_const(p, 0));
        b = herd_op(p, LITMUS_EXPR_SXTW, b, herd_const(p, 0));
    }
    return herd_op(p, LITMUS_EXPR_LT, a, b);
}

/* Arm ARM C1.2.4, condition codes, of flags that a comparison of a with b left. */
static struct herd_value condition_value(struct herd_path *p, const char *condition)
{
    struct herd_value a = p->flag_a, b = p->flag_b;

    if (!strcmp(condition, "EQ") || !strcmp(condition, "NE")) {
        struct herd_value eq = herd_op(p, LITMUS_EXPR_EQ, a, b);

        return condition[0] == 'E' ? eq : value_not(p, eq);
    }
    if (!strcmp(condition, "CC") || !strcmp(condition, "LO")) {
        return herd_op(p, LITMUS_EXPR_LO, a, b);
    }
    if (!strcmp(condition, "CS") || !strcmp(condition, "HS")) {
        return value_not(p, herd_op(p, LITMUS_EXPR_LO, a, b));
    }
    if (!strcmp(condition, "HI") || !strcmp(condition, "LS")) {
        struct herd_value hi = herd_op(p, LITMUS_EXPR_LO, b, a);

        return condition[0] == 'H' ? hi : value_not(p, hi);
    }
    if (!strcmp(condition, "MI") || !strcmp(condition, "PL")) {
        struct herd_value mi =
            herd_step_less(p, herd_step_narrow(p, herd_op(p, LITMUS_EXPR_SUB, a, b), p->flag_wide),
                           herd_const(p, 0));

        return condition[0] == 'M' ? mi : value_not(p, mi);
    }
    if (!strcmp(condition, "LT") || !strcmp(condition, "GE")) {
        struct herd_value lt = herd_step_less(p, a, b);

        return condition[0] == 'L' ? lt : value_not(p, lt);
    }
    if (!strcmp(condition, "GT") || !strcmp(condition, "LE")) {
        struct herd_value gt = herd_step_less(p, b, a);

        return condition[0] == 'G' ? gt : value_not(p, gt);
    }
    return herd_const(p, 1);
}

/* Not 0: the branch is taken, or CSEL takes its first register. */
static struct herd_value choice_value(struct herd_path *p, const struct herd_insn *insn)
{
    struct herd_value zero;

    if (insn->op == HERD_CSEL || insn->branch == HERD_IF) {
        return condition_value(p, insn->condition);
    }
    if (insn->branch == HERD_ALWAYS) {
        return herd_const(p, 1);
    }
    zero = value_not(p, herd_reg(p, insn->rn, insn->wide));
    return insn->branch == HERD_IF_ZERO ? zero : value_not(p, zero);
}

/* What is known before the run leaves one choice. @taken: which */
static bool choice_taken(struct herd_file *f, struct herd_path *p, const struct herd_insn *insn,
                         struct herd_value v, unsigned choice, bool *taken)
{
    uint64_t value;

    if (v.expr >= 0 && expr_is_const(&p->t, v.expr, &value)) {
        *taken = value != 0;
        return true;
    }
    *taken = choice == 0;
    return herd_assume(f, p, insn, *taken ? v : value_not(p, v));
}

/* Only the register that is taken is read; the flags choose it. */
static bool csel_step(struct herd_file *f, struct herd_path *p, const struct herd_insn *insn,
                      unsigned choice)
{
    struct herd_value v = choice_value(p, insn), from;
    bool first;

    if (!choice_taken(f, p, insn, v, choice, &first)) {
        return false;
    }
    from = insn->set ? herd_const(p, first) : herd_reg(p, first ? insn->rn : insn->rm, insn->wide);
    from.pick |= v.pick;
    herd_reg_set(p, insn->rd, insn->wide, from);
    return true;
}

static bool branch_step(struct herd_file *f, struct herd_path *p, const struct herd_insn *insn,
                        const struct herd_thread *t, unsigned choice)
{
    struct herd_value v = choice_value(p, insn);
    unsigned target = (unsigned)t->label[insn->target].place;
    bool taken;

    if (!choice_taken(f, p, insn, v, choice, &taken)) {
        return false;
    }
    p->ctrl |= v.deps;
    p->pctrl |= v.pick;
    if (taken) {
        p->backward += target < p->pc;
        p->dead |= p->backward > HERD_BACKWARD;
        p->pc = target;
    }
    return true;
}

/* --- addresses -------------------------------------------------------------------------------- */

static bool has_address(const struct herd_insn *insn)
{
    return insn->op >= HERD_LOAD && insn->op != HERD_BARRIER && insn->op != HERD_ISB;
}

static struct herd_value address_value(struct herd_path *p, const struct herd_insn *insn)
{
    struct herd_value base = herd_reg(p, insn->base, true);

    return insn->mode == HERD_POST
               ? base
               : herd_op(p, LITMUS_EXPR_ADD, base, operand_value(p, &insn->operand, true));
}

/* [X1,#4]! and [X1],#4 */
static void base_update(struct herd_path *p, const struct herd_insn *insn)
{
    if (insn->mode != HERD_OFFSET) {
        herd_reg_set(p, insn->base, true,
                     herd_op(p, LITMUS_EXPR_ADD, herd_reg(p, insn->base, true),
                             operand_value(p, &insn->operand, true)));
    }
}

/* How many ways of its own an instruction has, addresses apart. */
static unsigned herd_step_kinds(struct herd_path *p, const struct herd_insn *insn)
{
    uint64_t value;
    struct herd_value v;

    switch (insn->op) {
    case HERD_CSEL:
    case HERD_BRANCH:
        v = choice_value(p, insn);
        return v.expr < 0 || expr_is_const(&p->t, v.expr, &value) ? 1 : 2;
    case HERD_CAS:
        return 3; /* equal, its register from either side; not equal */
    case HERD_STORE:
        return insn->exclusive ? 2 : 1;
    default:
        return 1;
    }
}

/* An address that is loaded can be that of each location. */
static unsigned herd_step_addresses(const struct herd_file *f, struct herd_path *p,
                                    const struct herd_insn *insn)
{
    uint64_t value;
    struct herd_value v;

    if (!has_address(insn)) {
        return 1;
    }
    v = address_value(p, insn);
    return v.expr < 0 || expr_is_const(&p->t, v.expr, &value) ? 1 : MAX(f->test->locs, 1);
}

unsigned herd_choices(const struct herd_file *f, struct herd_path *p, const struct herd_insn *insn)
{
    return herd_step_kinds(p, insn) * herd_step_addresses(f, p, insn);
}

static bool access_step(struct herd_file *f, struct herd_path *p, const struct herd_insn *insn,
                        unsigned choice)
{
    unsigned n = herd_step_kinds(p, insn);
    struct herd_value v = address_value(p, insn), known = v;
    uint64_t value;

    if (v.expr >= 0 && !expr_is_const(&p->t, v.expr, &value)) {
        known.expr = expr_const(&p->t, herd_address((int)(choice / n)));
        if (!herd_assume(f, p, insn, herd_op(p, LITMUS_EXPR_EQ, v, known))) {
            return false;
        }
    }
    base_update(p, insn);
    return known.expr < 0 || herd_access(f, p, insn, known, choice % n);
}

/* --- one instruction -------------------------------------------------------------------------- */

bool herd_step(struct herd_file *f, struct herd_path *p, const struct herd_insn *insn,
               unsigned choice)
{
    struct litmus_event *e;

    switch (insn->op) {
    case HERD_NOP:
        return true;
    case HERD_ALU:
        alu_step(p, insn);
        return true;
    case HERD_CSEL:
        return csel_step(f, p, insn, choice);
    case HERD_BRANCH:
        return branch_step(f, p, insn, &f->thread[p->t.number], choice);
    case HERD_BARRIER:
    case HERD_ISB:
        e = herd_event_add(f, p, insn, insn->op == HERD_ISB ? LITMUS_ISB : LITMUS_DMB);
        if (e) {
            e->which = insn->which;
            e->dsb = insn->dsb;
        }
        return e != NULL;
    default:
        return access_step(f, p, insn, choice);
    }
}
