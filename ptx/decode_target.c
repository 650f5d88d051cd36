/* SPDX-License-Identifier: MIT */
/* What a .target lacks, as ptxas 13.0 refuses it: "Target ISA notes" of each instruction, PTX
 * ISA 9.7. Instructions that every target since sm_50 has are no rows, and so far only those of
 * synchronisation and clusters are. */
#include "ptx/decode_priv.h"

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
