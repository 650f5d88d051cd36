/* SPDX-License-Identifier: MIT */
/* See chase.h. A register may hold an address that was loaded, or what was computed of one. */
#include "runtime/driver/module/chase.h"

#include <glib.h>

static bool is_wide(enum ptx_type type)
{
    return type == PTX_U64 || type == PTX_S64 || type == PTX_B64 || type == PTX_B128;
}

/* The parameters' pointers are known at the launch. Local memory has what this thread put there. */
static bool chase_loads(const struct ptx_inst *i)
{
    bool loads = i->op == PTX_OP_LD || i->op == PTX_OP_LDU || i->op == PTX_OP_ATOM;

    return loads && i->space != PTX_SPACE_PARAM && i->space != PTX_SPACE_LOCAL && i->n_types &&
           is_wide((enum ptx_type)i->type[i->n_types - 1]);
}

static bool operand_has(const struct ptx_operand *o, const uint8_t *loaded)
{
    for (uint32_t k = 0; o->kind == PTX_OPERAND_VECTOR && k < o->count; k++) {
        if (operand_has(&o->element[k], loaded)) {
            return true;
        }
    }
    return (o->kind == PTX_OPERAND_REG || o->kind == PTX_OPERAND_ADDRESS) && o->reg >= 0 &&
           loaded[o->reg];
}

/* Return: it was not marked. */
static bool operand_mark(const struct ptx_operand *o, uint8_t *loaded)
{
    bool news = false;

    for (uint32_t k = 0; o->kind == PTX_OPERAND_VECTOR && k < o->count; k++) {
        news |= operand_mark(&o->element[k], loaded);
    }
    if (o->kind == PTX_OPERAND_REG && o->reg >= 0) {
        news = !loaded[o->reg];
        loaded[o->reg] = 1;
    }
    return news;
}

/* What comes back out of local memory may have been an address. */
static bool chase_computes(const struct ptx_inst *i, const uint8_t *loaded)
{
    if (i->op == PTX_OP_LD) {
        return i->space == PTX_SPACE_LOCAL && i->n_types &&
               is_wide((enum ptx_type)i->type[i->n_types - 1]);
    }
    for (unsigned k = 1; k < i->n_operands; k++) {
        if (i->operand[k].kind != PTX_OPERAND_ADDRESS && operand_has(&i->operand[k], loaded)) {
            return true;
        }
    }
    return false;
}

static bool chase_uses(const struct ptx_inst *i, const uint8_t *loaded)
{
    for (unsigned k = 0; k < i->n_operands; k++) {
        if (i->operand[k].kind == PTX_OPERAND_ADDRESS && operand_has(&i->operand[k], loaded)) {
            return true;
        }
    }
    return false;
}

static bool func_loads(const struct ptx_func *f)
{
    for (uint32_t n = 0; n < f->n_inst; n++) {
        if (chase_loads(&f->inst[n])) {
            return true;
        }
    }
    return false;
}

static bool func_calls(const struct ptx_func *f)
{
    for (uint32_t n = 0; n < f->n_inst; n++) {
        const struct ptx_call *call = f->inst[n].call;

        if (call && (!call->target || !call->target->is_extern)) {
            return true;
        }
    }
    return false;
}

static bool func_uses(const struct ptx_func *f)
{
    g_autofree uint8_t *loaded = g_malloc0(f->n_regs + 1);
    bool news = true;

    while (news) {
        news = false;
        for (uint32_t n = 0; n < f->n_inst; n++) {
            const struct ptx_inst *i = &f->inst[n];

            if (i->n_operands && (chase_loads(i) || chase_computes(i, loaded))) {
                news |= operand_mark(&i->operand[0], loaded);
            }
        }
    }
    for (uint32_t n = 0; n < f->n_inst; n++) {
        if (chase_uses(&f->inst[n], loaded)) {
            return true;
        }
    }
    return false;
}

bool chase_may(const struct ptx_module *m, const struct ptx_func *f)
{
    if (!func_calls(f)) {
        return func_loads(f) && func_uses(f);
    }
    for (uint32_t n = 0; n < m->n_funcs; n++) {
        if (func_loads(m->funcs[n])) {
            return true;
        }
    }
    return false;
}
