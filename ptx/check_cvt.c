/* SPDX-License-Identifier: MIT */
/* Which conversions between plain numbers there are, PTX ISA 9.7.9.21: a rounding where bits may
 * get lost and nowhere else, saturation where values may not fit. The other conversions (packed,
 * of 8 bits and less) are rows of isa.def. */
#include "ptx/isa.h"

struct words {
    bool integral, rounded, ftz, sat, relu, satfinite, other;
};

static struct words words_of(const struct ptx_inst *inst)
{
    struct words w = { 0 };

    for (unsigned i = 0; i < inst->n_mods; i++) {
        switch (inst->mod[i]) {
        case PTX_MOD_RN:
        case PTX_MOD_RZ:
        case PTX_MOD_RM:
        case PTX_MOD_RP:
            w.other |= w.rounded || w.integral;
            w.rounded = true;
            break;
        case PTX_MOD_RNI:
        case PTX_MOD_RZI:
        case PTX_MOD_RMI:
        case PTX_MOD_RPI:
            w.other |= w.rounded || w.integral;
            w.integral = true;
            break;
        case PTX_MOD_FTZ:
            w.ftz = true;
            break;
        case PTX_MOD_SAT:
            w.sat = true;
            break;
        case PTX_MOD_RELU:
            w.relu = true;
            break;
        case PTX_MOD_SATFINITE:
            w.satfinite = true;
            break;
        default:
            w.other = true;
        }
    }
    return w;
}

static bool is_half(enum ptx_type t)
{
    return t == PTX_F16 || t == PTX_BF16;
}

static bool is_float(enum ptx_type t)
{
    return is_half(t) || t == PTX_F32 || t == PTX_F64;
}

static bool is_signed(enum ptx_type t)
{
    return t >= PTX_S8 && t <= PTX_S64;
}

static bool is_plain(enum ptx_type t)
{
    return (t >= PTX_U8 && t <= PTX_S64) || is_float(t);
}

/* Does @to have all values of @from? */
static bool holds_all(enum ptx_type to, enum ptx_type from)
{
    uint32_t a = ptx_type_size(to), b = ptx_type_size(from);

    return is_signed(to) == is_signed(from) ? a >= b : is_signed(to) && a > b;
}

static bool words_fit_floats(struct words w, enum ptx_type to, enum ptx_type from)
{
    uint32_t a = ptx_type_size(to), b = ptx_type_size(from);

    if (w.relu && !(is_half(to) && from == PTX_F32 && w.rounded)) {
        return false;
    }
    if (w.satfinite && !is_half(to)) {
        return false;
    }
    if (from == PTX_BF16 ? a > b || to != from : a == b && to != from) {
        return !w.integral; /* a rounding may be written where bf16 has fewer bits, or not */
    }
    return a < b ? w.rounded : a == b ? !w.rounded : !w.rounded && !w.integral;
}

static bool words_fit(struct words w, enum ptx_type to, enum ptx_type from)
{
    /* bf16 has no .sat and no integers of 8 bits (ptxas) */
    if ((to == PTX_BF16 || from == PTX_BF16) &&
        (w.sat || (!is_float(to) && ptx_type_size(to) == 1) ||
         (!is_float(from) && ptx_type_size(from) == 1))) {
        return false;
    }
    if (w.other || (w.ftz && to != PTX_F32 && from != PTX_F32)) {
        return false;
    }
    if (is_float(to) && is_float(from)) {
        return words_fit_floats(w, to, from);
    }
    if (w.relu || w.satfinite) {
        return false;
    }
    if (is_float(to)) {
        return w.rounded;
    }
    return is_float(from) ? w.integral
                          : !w.rounded && !w.integral && !w.ftz && !(w.sat && holds_all(to, from));
}

/* bf16 with what it needs: 9.7.9.21, "Target ISA notes" */
static void check_cvt_needs(enum ptx_type to, enum ptx_type from, uint32_t *sm, uint32_t *version)
{
    bool bf16 = to == PTX_BF16 || from == PTX_BF16, f16 = to == PTX_F16 || from == PTX_F16;
    bool narrow = to == PTX_BF16 && from == PTX_F32, widen = to == PTX_F32 && from == PTX_BF16;

    *sm = bf16 && narrow ? 80 : bf16 && !widen ? 90 : bf16 ? 80 : f16 ? 53 : 0;
    *version = bf16 && narrow ? 70 : bf16 && !widen ? 78 : bf16 ? 71 : f16 ? 42 : 0;
}

struct isa_answer isa_cvt(const struct ptx_module *m, const struct ptx_func *func,
                          const struct ptx_inst *inst)
{
    enum ptx_type to = (enum ptx_type)inst->type[0], from = (enum ptx_type)inst->type[1];
    uint32_t sm, version;

    if (inst->space != PTX_SPACE_NONE || !words_fit(words_of(inst), to, from)) {
        return (struct isa_answer){ .verdict = ISA_WORDS };
    }
    if (inst->vec > 1) {
        return (struct isa_answer){ .verdict = ISA_VECTOR };
    }
    if (inst->n_operands != 2) {
        return (struct isa_answer){ .verdict = ISA_COUNT, .needs = 2, .most = 2 };
    }
    if (!isa_operand_fits(func, inst, &inst->operand[0], 'D') ||
        !isa_operand_fits(func, inst, &inst->operand[1], 'S')) {
        return (struct isa_answer){ .verdict = ISA_OPERANDS };
    }
    check_cvt_needs(to, from, &sm, &version);
    return m->target_sm < sm ? (struct isa_answer){ .verdict = ISA_OLD_TARGET, .needs = sm }
           : m->version < version
               ? (struct isa_answer){ .verdict = ISA_OLD_VERSION, .needs = version }
               : (struct isa_answer){ .verdict = ISA_VALID };
}

bool isa_cvt_is_plain(const struct ptx_inst *inst)
{
    return inst->op == PTX_OP_CVT && inst->n_types == 2 && is_plain((enum ptx_type)inst->type[0]) &&
           is_plain((enum ptx_type)inst->type[1]) && !ptx_inst_has(inst, PTX_MOD_PACK);
}
