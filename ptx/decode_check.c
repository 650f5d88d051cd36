/* SPDX-License-Identifier: MIT */
/* Is an instruction PTX? As ptxas refuses it, with the words that a developer looks for. */
#include "ptx/decode_priv.h"
#include "ptx/isa.h"

#include <string.h>

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
        decode_fail(d, "line %u: `%s` requires %s%u%s or higher, not sm_%u%s (function %s)", line,
                    i->spelling, target_text(a.verdict), a.needs % 1000, a.needs >= 1000 ? "a" : "",
                    d->m->target_sm, d->m->target_suffix ? (char[]){ d->m->target_suffix, 0 } : "",
                    d->f->name);
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

/* The literals that an operand can be, 9.7.9.17, 9.7.9.18, 9.7.19.3 */
static const struct {
    enum ptx_op op;
    enum ptx_mod mod; /* NONE: without that of the row before */
    unsigned operand;
    int64_t least, most, multiple;
} literals[] = {
    { PTX_OP_APPLYPRIORITY, PTX_MOD_NONE, 1, 128, 128, 1 },
    { PTX_OP_DISCARD, PTX_MOD_NONE, 1, 128, 128, 1 },
    { PTX_OP_PMEVENT, PTX_MOD_MASK, 0, 0, 65535, 1 },
    { PTX_OP_PMEVENT, PTX_MOD_NONE, 0, 0, 15, 1 },
    { PTX_OP_SETMAXNREG, PTX_MOD_NONE, 0, 24, 256, 8 },
};

static bool check_literals(struct decoder *d)
{
    const struct ptx_inst *i = d->inst;

    for (size_t k = 0; k < G_N_ELEMENTS(literals); k++) {
        const struct ptx_operand *o = &i->operand[literals[k].operand];

        if (literals[k].op != i->op ||
            (literals[k].mod != PTX_MOD_NONE && !ptx_inst_has(i, literals[k].mod))) {
            continue;
        }
        if (o->imm < literals[k].least || o->imm > literals[k].most ||
            o->imm % literals[k].multiple) {
            decode_fail(d,
                        "line %u: operand %u of `%s` is %lld; it must be a multiple of %lld from "
                        "%lld to %lld "
                        "(function %s)",
                        i->pos.line, literals[k].operand, i->spelling, (long long)o->imm,
                        (long long)literals[k].multiple, (long long)literals[k].least,
                        (long long)literals[k].most, d->f->name);
            return false;
        }
        break;
    }
    return true;
}

/* createpolicy.fractional: more than 0 and at most 1, 9.7.9.19 */
static bool check_fraction(struct decoder *d)
{
    const struct ptx_inst *i = d->inst;

    for (unsigned k = 1; i->op == PTX_OP_CREATEPOLICY && k < i->n_operands; k++) {
        const struct ptx_operand *o = &i->operand[k];
        double value = 1;

        if (o->kind == PTX_OPERAND_F64) {
            memcpy(&value, &o->imm, sizeof(value));
        }
        if (!(value > 0 && value <= 1)) {
            decode_fail(d,
                        "line %u: the fraction of `%s` is %g; it must be above 0 and at most 1 "
                        "(function %s)",
                        i->pos.line, i->spelling, value, d->f->name);
            return false;
        }
    }
    return true;
}

/* A is by rows and B by columns but in m8n8k4 of f16: 9.7.14. fp8 is newer than mma itself. */
static bool check_mma(struct decoder *d)
{
    const struct ptx_inst *i = d->inst;
    uint16_t layout[2] = { PTX_MOD_ROW, PTX_MOD_COL };
    unsigned n = 0, version = 84;
    bool fp8 = false;

    if (i->op != PTX_OP_MMA) {
        return true;
    }
    for (unsigned k = 0; k < i->n_mods && n < 2; k++) {
        if (i->mod[k] == PTX_MOD_ROW || i->mod[k] == PTX_MOD_COL) {
            layout[n++] = i->mod[k];
        }
    }
    for (unsigned k = 0; k < i->n_types; k++) {
        fp8 |= i->type[k] == PTX_E4M3 || i->type[k] == PTX_E5M2;
    }
    if (fp8 && (i->type[0] == PTX_F16 || ptx_inst_has(i, PTX_MOD_M16N8K16))) {
        version = 87;
    }
    if (fp8 && (ptx_inst_has(i, PTX_MOD_SP) || ptx_inst_has(i, PTX_MOD_SP_ORDERED_METADATA)) &&
        i->n_operands == 6 && i->operand[5].imm != 0) {
        decode_fail(d, "line %u: the sparsity selector of `%s` is 0 (function %s)", i->pos.line,
                    i->spelling, d->f->name);
    } else if (ptx_inst_has(i, PTX_MOD_KIND_F8F6F4) &&
               (d->m->target_sm < 120 || !d->m->target_suffix)) {
        decode_fail(d, "line %u: `%s` requires .target sm_120a, not sm_%u (function %s)",
                    i->pos.line, i->spelling, d->m->target_sm, d->f->name);
    } else if ((layout[0] != PTX_MOD_ROW || layout[1] != PTX_MOD_COL) &&
               (i->n_types < 2 || i->type[1] != PTX_F16 || !ptx_inst_has(i, PTX_MOD_M8N8K4))) {
        decode_fail(d, "line %u: `%s` takes A by rows and B by columns: .row.col (function %s)",
                    i->pos.line, i->spelling, d->f->name);
    } else if (fp8 && d->m->target_sm < 89) {
        decode_fail(d, "line %u: `%s` requires .target sm_89 or higher, not sm_%u (function %s)",
                    i->pos.line, i->spelling, d->m->target_sm, d->f->name);
    } else if (fp8 && d->m->version < version) {
        decode_fail(d, "line %u: `%s` requires .version %u.%u or higher, not %u.%u (function %s)",
                    i->pos.line, i->spelling, version / 10, version % 10, d->m->version / 10,
                    d->m->version % 10, d->f->name);
    } else {
        return true;
    }
    return false;
}

/* cp.async.bulk into the block's own .shared::cta is newer than into a cluster's: 9.7.9.25.4 */
static bool check_bulk(struct decoder *d)
{
    const struct ptx_inst *i = d->inst;

    if (i->op == PTX_OP_CP && ptx_inst_has(i, PTX_MOD_BULK) &&
        ptx_inst_has(i, PTX_MOD_MBARRIER_COMPLETE_TX_BYTES) &&
        !ptx_inst_has(i, PTX_MOD_SHARED_CLUSTER) && d->m->version < 86) {
        decode_fail(d, "line %u: `%s` requires .version 8.6 or higher, not %u.%u (function %s)",
                    i->pos.line, i->spelling, d->m->version / 10, d->m->version % 10, d->f->name);
        return false;
    }
    return true;
}

/* Special registers that older targets and versions lack: chapter 10, "PTX ISA notes" */
static const struct {
    enum ptx_special first, last;
    uint32_t sm, version;
} specials[] = {
    { PTX_SPECIAL_CLUSTERID_X, PTX_SPECIAL_CLUSTER_NCTAID_Z, 90, 78 },
    { PTX_SPECIAL_IS_EXPLICIT_CLUSTER, PTX_SPECIAL_CLUSTER_NCTARANK, 90, 78 },
    { PTX_SPECIAL_AGGR_SMEM_SIZE, PTX_SPECIAL_AGGR_SMEM_SIZE, 90, 81 },
    { PTX_SPECIAL_TOTAL_SMEM_SIZE, PTX_SPECIAL_TOTAL_SMEM_SIZE, 20, 41 },
    { PTX_SPECIAL_DYNAMIC_SMEM_SIZE, PTX_SPECIAL_DYNAMIC_SMEM_SIZE, 20, 41 },
    { PTX_SPECIAL_CLOCK_HI, PTX_SPECIAL_CLOCK_HI, 20, 50 },
    { PTX_SPECIAL_CURRENT_GRAPH_EXEC, PTX_SPECIAL_CURRENT_GRAPH_EXEC, 50, 80 },
    { PTX_SPECIAL_GLOBALTIMER, PTX_SPECIAL_GLOBALTIMER_HI, 30, 31 },
    { PTX_SPECIAL_RESERVED_SMEM_OFFSET_BEGIN, PTX_SPECIAL_RESERVED_SMEM_OFFSET_1, 80, 76 },
    { PTX_SPECIAL_PM0_64, PTX_SPECIAL_PM7_64, 50, 40 },
};

static bool check_specials(struct decoder *d)
{
    const struct ptx_inst *i = d->inst;

    for (unsigned o = 0; o < i->n_operands; o++) {
        for (size_t k = 0; k < G_N_ELEMENTS(specials); k++) {
            enum ptx_special s = i->operand[o].special;

            if (i->operand[o].kind != PTX_OPERAND_SPECIAL || s < specials[k].first ||
                s > specials[k].last ||
                (d->m->target_sm >= specials[k].sm && d->m->version >= specials[k].version)) {
                continue;
            }
            decode_fail(d,
                        "line %u: the special register of `%s` requires .target sm_%u and .version "
                        "%u.%u or higher, not sm_%u and %u.%u (function %s)",
                        i->pos.line, i->spelling, specials[k].sm, specials[k].version / 10,
                        specials[k].version % 10, d->m->target_sm, d->m->version / 10,
                        d->m->version % 10, d->f->name);
            return false;
        }
    }
    return true;
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
    return check_sync(d) && check_barrier(d) && check_literals(d) && check_fraction(d) &&
           check_mma(d) && check_bulk(d) && check_specials(d);
}
