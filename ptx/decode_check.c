/* SPDX-License-Identifier: MIT */
/* Is an instruction PTX? As ptxas refuses it, with the words that a developer looks for. */
#include "ptx/decode_priv.h"
#include "ptx/isa.h"

static const char *target_text(enum isa_verdict v)
{
    return v == ISA_OLD_TARGET ? ".target sm_" : ".version ";
}

static void check_fail(struct decoder *d, struct isa_answer a)
{
    const struct ptx_inst *i = d->inst;
    const uint32_t line = i->pos.line;

    switch (a.verdict) {
    case ISA_OLD_TARGET:
        decode_fail(d, "line %u: `%s` requires %s%u or higher, not sm_%u (function %s)", line,
                    i->spelling, target_text(a.verdict), a.needs, d->m->target_sm, d->f->name);
        break;
    case ISA_OLD_VERSION:
        decode_fail(d, "line %u: `%s` requires %s%u.%u or higher, not %u.%u (function %s)", line,
                    i->spelling, target_text(a.verdict), a.needs / 10, a.needs % 10,
                    d->m->version / 10, d->m->version % 10, d->f->name);
        break;
    case ISA_OPERANDS:
        decode_fail(d, "line %u: the operands do not fit `%s` in number or type (function %s)",
                    line, i->spelling, d->f->name);
        break;
    case ISA_COUNT:
        decode_operands(d, a.needs, a.most);
        break;
    case ISA_VECTOR:
        decode_fail(d, "line %u: `%s` has no vector of this size (function %s)", line, i->spelling,
                    d->f->name);
        break;
    case ISA_SPACE:
        decode_fail(d, "line %u: `%s` does not exist for this state space (function %s)", line,
                    i->spelling, d->f->name);
        break;
    default:
        decode_fail(d,
                    "line %u: `%s` is no instruction of PTX: a modifier or type is missing or "
                    "does not belong there (function %s)",
                    line, i->spelling, d->f->name);
    }
}

/* vote and shfl without .sync are gone from sm_70 on: 9.7.9.5, 9.7.13.10 */
static bool check_sync(struct decoder *d)
{
    const struct ptx_inst *i = d->inst;

    if ((i->op == PTX_OP_VOTE || i->op == PTX_OP_SHFL) && d->m->target_sm >= 70 &&
        d->m->version >= 64 && !ptx_inst_has(i, PTX_MOD_SYNC)) {
        decode_fail(d,
                    "line %u: `%s` without .sync is not supported from .target sm_70 and .version "
                    "6.4 on (function %s)",
                    i->pos.line, i->spelling, d->f->name);
        return false;
    }
    return true;
}

/* Literals of bar: 16 barriers, whole warps (9.7.13.1) */
static bool check_barrier(struct decoder *d)
{
    const struct ptx_inst *i = d->inst;
    bool red = ptx_inst_has(i, PTX_MOD_RED);
    const struct ptx_operand *id = &i->operand[red], *count = &i->operand[red + 1];

    if ((i->op != PTX_OP_BAR && i->op != PTX_OP_BARRIER) || ptx_inst_has(i, PTX_MOD_WARP) ||
        i->n_operands == 0) {
        return true;
    }
    if (id->kind == PTX_OPERAND_IMM && (id->imm < 0 || id->imm > 15)) {
        decode_fail(d, "line %u: `%s` has barriers 0 to 15 (function %s)", i->pos.line, i->spelling,
                    d->f->name);
    } else if (i->n_operands > 1u + 2u * red && count->kind == PTX_OPERAND_IMM &&
               count->imm % 32 != 0) {
        decode_fail(d, "line %u: `%s` takes a multiple of 32 threads (function %s)", i->pos.line,
                    i->spelling, d->f->name);
    } else {
        return true;
    }
    return false;
}

/* What a .target lacks of synchronisation and clusters, "Target ISA notes" of 9.7.13: words of
 * which the forms of isa.def say "any". */

/* @mod: NONE is the instruction itself; @op: NONE is every instruction with @mod */
static const struct {
    enum ptx_op op;
    enum ptx_mod mod;
    uint32_t sm;
} needs[] = {
    { PTX_OP_MBARRIER, PTX_MOD_NONE, 80 },       { PTX_OP_MBARRIER, PTX_MOD_TRY_WAIT, 90 },
    { PTX_OP_MBARRIER, PTX_MOD_EXPECT_TX, 90 },  { PTX_OP_MBARRIER, PTX_MOD_COMPLETE_TX, 90 },
    { PTX_OP_MBARRIER, PTX_MOD_RELAXED, 90 },    { PTX_OP_ELECT, PTX_MOD_NONE, 90 },
    { PTX_OP_MAPA, PTX_MOD_NONE, 90 },           { PTX_OP_GETCTARANK, PTX_MOD_NONE, 90 },
    { PTX_OP_GRIDDEPCONTROL, PTX_MOD_NONE, 90 }, { PTX_OP_NONE, PTX_MOD_CLUSTER, 90 },
    { PTX_OP_NONE, PTX_MOD_SHARED_CLUSTER, 90 },
};

bool decode_target(struct decoder *d)
{
    const struct ptx_inst *i = d->inst;

    for (size_t k = 0; k < G_N_ELEMENTS(needs); k++) {
        if (d->m->target_sm < needs[k].sm && (needs[k].op == PTX_OP_NONE || needs[k].op == i->op) &&
            (needs[k].mod == PTX_MOD_NONE || ptx_inst_has(i, needs[k].mod))) {
            decode_fail(d,
                        "line %u: `%s` requires .target sm_%u or higher, not sm_%u (function %s)",
                        i->pos.line, i->spelling, needs[k].sm, d->m->target_sm, d->f->name);
            return false;
        }
    }
    return true;
}

bool decode_check(struct decoder *d)
{
    struct isa_answer a = isa_check(d->m, d->f, d->inst);

    if (a.verdict != ISA_VALID) {
        check_fail(d, a);
        return false;
    }
    return check_sync(d) && check_barrier(d);
}
