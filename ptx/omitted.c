/* SPDX-License-Identifier: MIT */
/* Words that older PTX leaves out, and what they stand for: PTX ISA 9.7.3 to 9.7.5, the notes of
 * each instruction on rounding modifiers, subnormal numbers and older versions. */
#include <string.h>

#include "ptx/parse.h"

/* @before: the version from which on the word is required */
static const struct omitted {
    enum ptx_op op;
    enum ptx_type type;
    uint32_t before;
    enum ptx_mod word;
} omitted[] = {
    /* A GPU that has FMA takes it for mad, too. */
    { PTX_OP_MAD, PTX_F32, 32, PTX_MOD_RN },       { PTX_OP_MAD, PTX_F64, 14, PTX_MOD_RN },
    { PTX_OP_DIV, PTX_F32, 14, PTX_MOD_APPROX },   { PTX_OP_DIV, PTX_F64, 14, PTX_MOD_RN },
    { PTX_OP_SQRT, PTX_F32, 14, PTX_MOD_APPROX },  { PTX_OP_SQRT, PTX_F64, 14, PTX_MOD_RN },
    { PTX_OP_RSQRT, PTX_F64, 14, PTX_MOD_APPROX }, { PTX_OP_RCP, PTX_F32, 14, PTX_MOD_APPROX },
    { PTX_OP_RSQRT, PTX_F32, 14, PTX_MOD_APPROX }, { PTX_OP_SIN, PTX_F32, 14, PTX_MOD_APPROX },
    { PTX_OP_COS, PTX_F32, 14, PTX_MOD_APPROX },   { PTX_OP_LG2, PTX_F32, 14, PTX_MOD_APPROX },
    { PTX_OP_EX2, PTX_F32, 14, PTX_MOD_APPROX },
};

/* sm_1x has no subnormal numbers of 32 bits: these flush them. */
static const enum ptx_op flushing[] = {
    PTX_OP_ADD,  PTX_OP_SUB, PTX_OP_MUL, PTX_OP_MAD,   PTX_OP_DIV, PTX_OP_RCP,
    PTX_OP_SQRT, PTX_OP_ABS, PTX_OP_NEG, PTX_OP_MIN,   PTX_OP_MAX, PTX_OP_SIN,
    PTX_OP_COS,  PTX_OP_LG2, PTX_OP_EX2, PTX_OP_RSQRT,
};

static bool has_rounding(const struct ptx_inst *i)
{
    return ptx_inst_has(i, PTX_MOD_RN) || ptx_inst_has(i, PTX_MOD_RZ) ||
           ptx_inst_has(i, PTX_MOD_RM) || ptx_inst_has(i, PTX_MOD_RP) ||
           ptx_inst_has(i, PTX_MOD_APPROX) || ptx_inst_has(i, PTX_MOD_FULL);
}

/* .ftz stands behind a rounding and before .sat */
static void omitted_insert(struct ptx_inst *i, unsigned at, enum ptx_mod word)
{
    if (i->n_mods < PTX_MAX_MODS) {
        memmove(&i->mod[at + 1], &i->mod[at], (i->n_mods - at) * sizeof(i->mod[0]));
        i->mod[at] = (uint16_t)word;
        i->n_mods++;
        i->completed = true;
    }
}

void omitted_complete(const struct ptx_module *m, struct ptx_inst *i)
{
    const enum ptx_type type = (enum ptx_type)i->type[0];

    if (i->n_types != 1 || (m->version >= 32 && m->target_sm >= 20)) {
        return;
    }
    for (size_t k = 0; k < sizeof(omitted) / sizeof(omitted[0]); k++) {
        const struct omitted *o = &omitted[k];

        if (o->op == i->op && o->type == type && m->version < o->before && !has_rounding(i)) {
            omitted_insert(i, 0, o->word);
        }
    }
    for (size_t k = 0; k < sizeof(flushing) / sizeof(flushing[0]); k++) {
        if (m->target_sm < 20 && type == PTX_F32 && flushing[k] == i->op &&
            !ptx_inst_has(i, PTX_MOD_FTZ)) {
            omitted_insert(i, has_rounding(i), PTX_MOD_FTZ);
        }
    }
}
