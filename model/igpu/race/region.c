/* SPDX-License-Identifier: MIT */
/* See region.h. */
#include "model/igpu/race/region.h"

#include <glib.h>

static bool has_address(const struct ptx_inst *i)
{
    for (unsigned k = 0; k < i->n_operands; k++) {
        if (i->operand[k].kind == PTX_OPERAND_ADDRESS) {
            return true;
        }
    }
    return false;
}

static uint8_t atomic_of(const struct ptx_inst *i)
{
    uint32_t bytes = i->vec == 1 && i->n_types ? ptx_type_size(i->type[i->n_types - 1]) : 0;

    return bytes == 4 ? REGION_ATOMIC_32 : bytes == 8 ? REGION_ATOMIC_64 : REGION_ATOMIC;
}

/* What is not known to leave shared memory as it is counts as a store. */
static uint8_t access_of(const struct ptx_inst *i)
{
    if (!has_address(i) || (i->space != PTX_SPACE_SHARED && i->space != PTX_SPACE_NONE)) {
        return 0;
    }
    switch (i->op) {
    case PTX_OP_LD:
        return REGION_LOAD;
    case PTX_OP_ATOM:
    case PTX_OP_RED:
        return atomic_of(i);
    case PTX_OP_TEX: /* these access no shared memory */
    case PTX_OP_TLD4:
    case PTX_OP_SULD:
    case PTX_OP_SUST:
    case PTX_OP_SURED:
    case PTX_OP_PREFETCH:
        return 0;
    default:
        return REGION_STORE;
    }
}

static bool is_end(const struct ptx_inst *i)
{
    return i->guard < 0 && (i->op == PTX_OP_BAR || i->op == PTX_OP_BARRIER || i->op == PTX_OP_RET ||
                            i->op == PTX_OP_EXIT || i->op == PTX_OP_TRAP);
}

/* What is reached from @n on, by what is known of those behind it so far */
static uint8_t reach_of(const struct ptx_func *f, const uint8_t *reach, uint32_t n)
{
    const struct ptx_inst *i = &f->inst[n];
    uint8_t of = access_of(i);

    if (is_end(i)) {
        return of;
    }
    if (i->op != PTX_OP_BRA) {
        return of | reach[n + 1];
    }
    return of | reach[i->operand[0].label] | (i->guard >= 0 ? reach[n + 1] : 0);
}

static bool is_known(const struct ptx_func *f)
{
    for (uint32_t n = 0; n < f->n_inst; n++) {
        const struct ptx_inst *i = &f->inst[n];

        if (i->op == PTX_OP_BRX ||
            (i->op == PTX_OP_BRA && i->operand[0].kind != PTX_OPERAND_LABEL)) {
            return false;
        }
    }
    return true;
}

uint8_t *region_find(const struct ptx_func *f)
{
    uint8_t *reach;
    bool more = true;

    if (!is_known(f)) {
        return NULL;
    }
    reach = g_new0(uint8_t, f->n_inst + 1);
    while (more) { /* as often as loops lie in each other, and once more */
        more = false;
        for (uint32_t n = f->n_inst; n-- > 0;) {
            uint8_t now = reach_of(f, reach, n);

            more |= now != reach[n];
            reach[n] = now;
        }
    }
    return reach;
}
