/* SPDX-License-Identifier: MIT */
/* How many registers a kernel needs where no machine code says it (fatbin_registers()). PTX has as
 * many as it likes, ptxas decides; without it: the most that live at one place, from first
 * definition to last use, extended over loops. Inferred: a board shows other figures, near these
 * for plain kernels. */
#include "runtime/driver/module/module_internal.h"

#define REGISTERS_MAX 255u /* a thread (CUDA Programming Guide, technical specifications) */
#define REGISTERS_OWN 8u   /* what ptxas keeps for addresses of parameters, the stack, constants */

struct range {
    uint32_t first, last; /* instructions; first > last: never named */
};

static void note(struct range *ranges, uint32_t n, int32_t reg, uint32_t at)
{
    if (reg >= 0 && (uint32_t)reg < n) {
        ranges[reg].first = MIN(ranges[reg].first, at);
        ranges[reg].last = MAX(ranges[reg].last, at);
    }
}

static void note_operand(struct range *ranges, uint32_t n, const struct ptx_operand *o, uint32_t at)
{
    switch (o->kind) {
    case PTX_OPERAND_REG:
    case PTX_OPERAND_ADDRESS:
        note(ranges, n, o->reg, at);
        break;
    case PTX_OPERAND_VECTOR:
        for (uint32_t i = 0; i < o->count; i++) {
            note_operand(ranges, n, &o->element[i], at);
        }
        break;
    default:
        break;
    }
}

static void note_inst(const struct ptx_func *func, struct range *ranges, uint32_t at)
{
    const struct ptx_inst *inst = &func->inst[at];

    note(ranges, func->n_regs, inst->guard, at);
    for (unsigned i = 0; i < inst->n_operands; i++) {
        note_operand(ranges, func->n_regs, &inst->operand[i], at);
    }
    for (uint32_t i = 0; inst->call && i < inst->call->n_args; i++) {
        note_operand(ranges, func->n_regs, &inst->call->args[i], at);
    }
    for (uint32_t i = 0; inst->call && i < inst->call->n_rets; i++) {
        note_operand(ranges, func->n_regs, &inst->call->rets[i], at);
    }
}

/* What lives when a loop is entered and is used in it lives until the loop's end. */
static void extend_over_loops(const struct ptx_func *func, struct range *ranges)
{
    for (uint32_t at = 0; at < func->n_inst; at++) {
        const struct ptx_operand *target = &func->inst[at].operand[0];

        if (!func->inst[at].n_operands || target->kind != PTX_OPERAND_LABEL || target->label > at) {
            continue;
        }
        for (uint32_t r = 0; r < func->n_regs; r++) {
            if (ranges[r].first < target->label && ranges[r].last >= target->label &&
                ranges[r].last < at) {
                ranges[r].last = at;
            }
        }
    }
}

static unsigned registers_words(const struct ptx_reg *reg)
{
    return reg->type == PTX_PRED ? 0 : (ptx_type_size(reg->type) + 3) / 4;
}

unsigned registers_estimate(const struct ptx_func *func)
{
    g_autofree struct range *ranges = g_new(struct range, func->n_regs + 1);
    g_autofree int32_t *change = g_new0(int32_t, func->n_inst + 2);
    int32_t live = 0, most = 0;
    unsigned limit = func->maxnreg ? func->maxnreg : REGISTERS_MAX;

    for (uint32_t r = 0; r < func->n_regs; r++) {
        ranges[r] = (struct range){ UINT32_MAX, 0 };
    }
    for (uint32_t at = 0; at < func->n_inst; at++) {
        note_inst(func, ranges, at);
    }
    extend_over_loops(func, ranges);
    for (uint32_t r = 0; r < func->n_regs; r++) {
        if (ranges[r].first <= ranges[r].last) {
            change[ranges[r].first] += (int32_t)registers_words(&func->regs[r]);
            change[ranges[r].last + 1] -= (int32_t)registers_words(&func->regs[r]);
        }
    }
    for (uint32_t at = 0; at <= func->n_inst; at++) {
        live += change[at];
        most = MAX(most, live);
    }
    return MIN(((unsigned)most + REGISTERS_OWN + 1) & ~1u, MIN(limit, REGISTERS_MAX));
}
