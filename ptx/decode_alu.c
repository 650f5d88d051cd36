/* SPDX-License-Identifier: MIT */
/* Arithmetic with many spellings: floating point (PTX ISA 9.7.3 to 9.7.5), comparison (9.7.6),
 * extended-precision integers (9.7.2), lop3 (9.7.8). */
#include "ptx/decode_priv.h"

/* Floating-point modifiers into PTX_FLOAT_ flags; false if there is one outside @allowed. */
#define ALLOW_APPROX 0x100u
#define ALLOW_FULL 0x200u

static unsigned float_mod(enum ptx_mod m)
{
    switch (m) {
    case PTX_MOD_RN:
        return PTX_FLOAT_RN;
    case PTX_MOD_RZ:
        return PTX_FLOAT_RZ;
    case PTX_MOD_RM:
        return PTX_FLOAT_RM;
    case PTX_MOD_RP:
        return PTX_FLOAT_RP;
    case PTX_MOD_FTZ:
        return PTX_FLOAT_FTZ;
    case PTX_MOD_SAT:
        return PTX_FLOAT_SAT;
    case PTX_MOD_RELU:
        return PTX_FLOAT_RELU;
    case PTX_MOD_NAN_RESULT:
        return PTX_FLOAT_NAN;
    case PTX_MOD_OOB:
        return PTX_FLOAT_OOB;
    case PTX_MOD_APPROX:
        return ALLOW_APPROX;
    case PTX_MOD_FULL:
        return ALLOW_FULL;
    default:
        return UINT_MAX;
    }
}

static bool float_flags(const struct ptx_inst *inst, unsigned allowed, unsigned *flags)
{
    *flags = 0;
    for (unsigned i = 0; i < inst->n_mods; i++) {
        enum ptx_mod m = (enum ptx_mod)inst->mod[i];
        unsigned f;

        if (m == PTX_MOD_XORSIGN && i + 1 < inst->n_mods && inst->mod[i + 1] == PTX_MOD_ABS) {
            f = PTX_FLOAT_XORSIGN;
            i++;
        } else {
            f = float_mod(m);
        }
        if (f == UINT_MAX || (f & ~allowed)) {
            return false;
        }
        *flags |= f;
    }
    return true;
}

static void emit_float(struct decoder *d, enum ptx_uop_op op, unsigned flags, uint8_t size)
{
    const char *letters = ptx_uop_operands(op);
    unsigned n = 0;
    uint32_t slot[4] = { 0 };
    struct ptx_uop *u;

    while (letters[n]) {
        n++;
    }
    if (!decode_operands(d, n, n)) {
        return;
    }
    for (unsigned i = 0; i < n; i++) {
        slot[i] = decode_operand(d, &d->inst->operand[i], letters[i]);
    }
    u = decode_emit4(d, op, slot[0], slot[1], slot[2], slot[3]);
    u->sub = (uint8_t)flags;
    u->size = size;
}

struct float_row {
    enum ptx_op root;
    enum ptx_type type;
    enum ptx_uop_op op;
    unsigned allowed, required;
};

#define ROUND PTX_FLOAT_ROUND
#define FTZ PTX_FLOAT_FTZ
#define SAT PTX_FLOAT_SAT
#define MINMAX (PTX_FLOAT_FTZ | PTX_FLOAT_NAN | PTX_FLOAT_XORSIGN)

/* First row whose root and type fit and whose modifiers are allowed. */
static const struct float_row float_rows[] = {
    { PTX_OP_ADD, PTX_F32, PTX_UOP_ADD_F32_X, ROUND | FTZ | SAT, 0 },
    { PTX_OP_SUB, PTX_F32, PTX_UOP_SUB_F32_X, ROUND | FTZ | SAT, 0 },
    { PTX_OP_MUL, PTX_F32, PTX_UOP_MUL_F32_X, ROUND | FTZ | SAT, 0 },
    { PTX_OP_FMA, PTX_F32, PTX_UOP_FMA_F32_X, ROUND | FTZ | SAT, 0 },
    { PTX_OP_MAD, PTX_F32, PTX_UOP_FMA_F32_X, ROUND | FTZ | SAT, 0 },
    { PTX_OP_ADD, PTX_F64, PTX_UOP_ADD_F64_X, ROUND, 0 },
    { PTX_OP_SUB, PTX_F64, PTX_UOP_SUB_F64_X, ROUND, 0 },
    { PTX_OP_MUL, PTX_F64, PTX_UOP_MUL_F64_X, ROUND, 0 },
    { PTX_OP_FMA, PTX_F64, PTX_UOP_FMA_F64_X, ROUND, 0 },
    { PTX_OP_MAD, PTX_F64, PTX_UOP_FMA_F64_X, ROUND, 0 },
    { PTX_OP_DIV, PTX_F32, PTX_UOP_DIV_F32_X, ROUND | FTZ, 0 },
    { PTX_OP_DIV, PTX_F32, PTX_UOP_DIV_APPROX_F32, FTZ | ALLOW_APPROX, ALLOW_APPROX },
    { PTX_OP_DIV, PTX_F32, PTX_UOP_DIV_FULL_F32, FTZ | ALLOW_FULL, ALLOW_FULL },
    { PTX_OP_DIV, PTX_F64, PTX_UOP_DIV_F64_X, ROUND, 0 },
    { PTX_OP_RCP, PTX_F32, PTX_UOP_RCP_F32_X, ROUND | FTZ, 0 },
    { PTX_OP_RCP, PTX_F32, PTX_UOP_RCP_APPROX_F32, FTZ | ALLOW_APPROX, ALLOW_APPROX },
    { PTX_OP_RCP, PTX_F64, PTX_UOP_RCP_F64_X, ROUND, 0 },
    { PTX_OP_RCP, PTX_F64, PTX_UOP_RCP_APPROX_F64, FTZ | ALLOW_APPROX, FTZ | ALLOW_APPROX },
    { PTX_OP_SQRT, PTX_F32, PTX_UOP_SQRT_F32_X, ROUND | FTZ, 0 },
    { PTX_OP_SQRT, PTX_F32, PTX_UOP_SQRT_APPROX_F32, FTZ | ALLOW_APPROX, ALLOW_APPROX },
    { PTX_OP_SQRT, PTX_F64, PTX_UOP_SQRT_F64_X, ROUND, 0 },
    { PTX_OP_RSQRT, PTX_F32, PTX_UOP_RSQRT_APPROX_F32, FTZ | ALLOW_APPROX, ALLOW_APPROX },
    { PTX_OP_RSQRT, PTX_F64, PTX_UOP_RSQRT_APPROX_F64, FTZ | ALLOW_APPROX, ALLOW_APPROX },
    { PTX_OP_SIN, PTX_F32, PTX_UOP_SIN_APPROX_F32, FTZ | ALLOW_APPROX, ALLOW_APPROX },
    { PTX_OP_COS, PTX_F32, PTX_UOP_COS_APPROX_F32, FTZ | ALLOW_APPROX, ALLOW_APPROX },
    { PTX_OP_LG2, PTX_F32, PTX_UOP_LG2_APPROX_F32, FTZ | ALLOW_APPROX, ALLOW_APPROX },
    { PTX_OP_EX2, PTX_F32, PTX_UOP_EX2_APPROX_F32, FTZ | ALLOW_APPROX, ALLOW_APPROX },
    { PTX_OP_TANH, PTX_F32, PTX_UOP_TANH_APPROX_F32, ALLOW_APPROX, ALLOW_APPROX },
    { PTX_OP_ABS, PTX_F32, PTX_UOP_ABS_F32, FTZ, 0 },
    { PTX_OP_NEG, PTX_F32, PTX_UOP_NEG_F32, FTZ, 0 },
    { PTX_OP_MIN, PTX_F32, PTX_UOP_MIN_F32, MINMAX, 0 },
    { PTX_OP_MAX, PTX_F32, PTX_UOP_MAX_F32, MINMAX, 0 },
};

#undef ROUND
#undef FTZ
#undef SAT
#undef MINMAX

static const struct {
    enum ptx_op root;
    enum ptx_uop_op op;
    unsigned allowed;
} half_rows[] = {
    { PTX_OP_ADD, PTX_UOP_ADD_HALF, PTX_FLOAT_FTZ | PTX_FLOAT_SAT },
    { PTX_OP_SUB, PTX_UOP_SUB_HALF, PTX_FLOAT_FTZ | PTX_FLOAT_SAT },
    { PTX_OP_MUL, PTX_UOP_MUL_HALF, PTX_FLOAT_FTZ | PTX_FLOAT_SAT },
    { PTX_OP_FMA, PTX_UOP_FMA_HALF,
      PTX_FLOAT_FTZ | PTX_FLOAT_SAT | PTX_FLOAT_RELU | PTX_FLOAT_OOB },
    { PTX_OP_NEG, PTX_UOP_NEG_HALF, PTX_FLOAT_FTZ },
    { PTX_OP_ABS, PTX_UOP_ABS_HALF, PTX_FLOAT_FTZ },
    { PTX_OP_MIN, PTX_UOP_MIN_HALF, PTX_FLOAT_FTZ | PTX_FLOAT_NAN | PTX_FLOAT_XORSIGN },
    { PTX_OP_MAX, PTX_UOP_MAX_HALF, PTX_FLOAT_FTZ | PTX_FLOAT_NAN | PTX_FLOAT_XORSIGN },
    { PTX_OP_EX2, PTX_UOP_EX2_HALF, PTX_FLOAT_FTZ | ALLOW_APPROX },
    { PTX_OP_TANH, PTX_UOP_TANH_HALF, ALLOW_APPROX },
};

static bool decode_half(struct decoder *d, enum ptx_type type)
{
    unsigned flags;

    for (size_t i = 0; i < G_N_ELEMENTS(half_rows); i++) {
        if (half_rows[i].root == d->inst->op && d->inst->n_types == 1 &&
            float_flags(d->inst, half_rows[i].allowed, &flags)) {
            emit_float(d, half_rows[i].op, flags & 0xff, (uint8_t)type_half(type));
            return true;
        }
    }
    return false;
}

static bool decode_testp(struct decoder *d)
{
    static const enum ptx_mod mods[] = { PTX_MOD_FINITE,     PTX_MOD_INFINITE, PTX_MOD_NUMBER,
                                         PTX_MOD_NOTANUMBER, PTX_MOD_NORMAL,   PTX_MOD_SUBNORMAL };
    enum ptx_type t = inst_type(d->inst, 0);

    for (unsigned i = 0; i < G_N_ELEMENTS(mods); i++) {
        if (d->inst->n_mods == 1 && d->inst->mod[0] == mods[i] && (t == PTX_F32 || t == PTX_F64)) {
            emit_float(d, t == PTX_F32 ? PTX_UOP_TESTP_F32 : PTX_UOP_TESTP_F64, i, 0);
            return true;
        }
    }
    return false;
}

bool decode_float(struct decoder *d)
{
    enum ptx_type type = inst_type(d->inst, 0);
    unsigned flags;

    if (d->inst->op == PTX_OP_TESTP) {
        return decode_testp(d);
    }
    if (type_is_half(type)) {
        return decode_half(d, type);
    }
    for (size_t i = 0; i < G_N_ELEMENTS(float_rows); i++) {
        const struct float_row *r = &float_rows[i];

        if (r->root == d->inst->op && r->type == type && d->inst->n_types == 1 &&
            float_flags(d->inst, r->allowed, &flags) && (flags & r->required) == r->required) {
            emit_float(d, r->op, flags & 0xff, 0);
            return true;
        }
    }
    return false;
}

/* setp and set, 9.7.6: compare, then combine with a predicate if there is one */

static const enum ptx_mod cmp_mods[] = {
    PTX_MOD_EQ,  PTX_MOD_NE,  PTX_MOD_LT,  PTX_MOD_LE,  PTX_MOD_GT,  PTX_MOD_GE,  PTX_MOD_EQU,
    PTX_MOD_NEU, PTX_MOD_LTU, PTX_MOD_LEU, PTX_MOD_GTU, PTX_MOD_GEU, PTX_MOD_NUM, PTX_MOD_NAN,
};

struct compare {
    enum ptx_cmp cmp;
    enum ptx_mod combine; /* NONE, AND, OR, XOR */
    bool ftz;
};

static bool compare_mods(const struct ptx_inst *inst, struct compare *c)
{
    bool found = false;

    *c = (struct compare){ 0 };
    for (unsigned i = 0; i < inst->n_mods; i++) {
        enum ptx_mod m = (enum ptx_mod)inst->mod[i];

        if (i == 0) {
            m = m == PTX_MOD_LO   ? PTX_MOD_LT
                : m == PTX_MOD_LS ? PTX_MOD_LE
                : m == PTX_MOD_HI ? PTX_MOD_GT
                : m == PTX_MOD_HS ? PTX_MOD_GE
                                  : m;
            for (unsigned k = 0; k < G_N_ELEMENTS(cmp_mods); k++) {
                if (cmp_mods[k] == m) {
                    c->cmp = (enum ptx_cmp)k;
                    found = true;
                }
            }
        } else if (m == PTX_MOD_AND || m == PTX_MOD_OR || m == PTX_MOD_XOR) {
            c->combine = m;
        } else if (m == PTX_MOD_FTZ) {
            c->ftz = true;
        } else {
            return false;
        }
    }
    return found;
}

/* The first micro-op of a run in the order of enum ptx_cmp; PTX_UOP_COUNT: no such comparison */
static enum ptx_uop_op compare_op(enum ptx_type t, enum ptx_cmp cmp)
{
    bool order = cmp > PTX_CMP_NE;
    unsigned rank = (unsigned)cmp - PTX_CMP_LT;

    if (t == PTX_F32 || t == PTX_F64) {
        return (enum ptx_uop_op)((t == PTX_F32 ? PTX_UOP_SETP_EQ_F32 : PTX_UOP_SETP_EQ_F64) + cmp);
    }
    if (cmp > PTX_CMP_GE) {
        return PTX_UOP_COUNT;
    }
    switch (t) {
    case PTX_B16:
    case PTX_U16:
        return order && t == PTX_B16 ? PTX_UOP_COUNT
               : order               ? (enum ptx_uop_op)(PTX_UOP_SETP_LT_U16 + rank)
                                     : (enum ptx_uop_op)(PTX_UOP_SETP_EQ_B16 + cmp);
    case PTX_S16:
        return (enum ptx_uop_op)(order ? PTX_UOP_SETP_LT_S16 + rank : PTX_UOP_SETP_EQ_B16 + cmp);
    case PTX_B32:
    case PTX_U32:
        return order && t == PTX_B32 ? PTX_UOP_COUNT
               : order               ? (enum ptx_uop_op)(PTX_UOP_SETP_LT_U32 + rank)
                                     : (enum ptx_uop_op)(PTX_UOP_SETP_EQ_B32 + cmp);
    case PTX_S32:
        return (enum ptx_uop_op)(order ? PTX_UOP_SETP_LT_S32 + rank : PTX_UOP_SETP_EQ_B32 + cmp);
    case PTX_B64:
    case PTX_U64:
        return order && t == PTX_B64 ? PTX_UOP_COUNT
               : order               ? (enum ptx_uop_op)(PTX_UOP_SETP_LT_U64 + rank)
                                     : (enum ptx_uop_op)(PTX_UOP_SETP_EQ_B64 + cmp);
    case PTX_S64:
        return (enum ptx_uop_op)(order ? PTX_UOP_SETP_LT_S64 + rank : PTX_UOP_SETP_EQ_B64 + cmp);
    default:
        return PTX_UOP_COUNT;
    }
}

/* One comparison into @p (and @q, f16x2's upper half). */
static bool compare_emit(struct decoder *d, const struct compare *c, enum ptx_type t, uint32_t p,
                         uint32_t q, const struct ptx_operand *o)
{
    char letter = type_letter(t);
    enum ptx_uop_op op;
    uint32_t a, b;
    struct ptx_uop *u;

    if (type_is_half(t)) {
        op = PTX_UOP_SETP_HALF;
    } else if (c->ftz) {
        op = t == PTX_F32 ? PTX_UOP_SETP_FTZ_F32 : PTX_UOP_COUNT;
    } else {
        op = compare_op(t, c->cmp);
    }
    if (op == PTX_UOP_COUNT) {
        return decode_unsupported(d);
    }
    a = decode_operand(d, &o[0], letter);
    b = decode_operand(d, &o[1], letter);
    u = decode_emit4(d, op, p, a, b, op == PTX_UOP_SETP_HALF ? q : 0);
    u->sub = (uint8_t)((unsigned)c->cmp | (c->ftz && type_is_half(t) ? 0x80u : 0u));
    u->size = type_is_half(t) ? (uint8_t)type_half(t) : 0;
    return true;
}

static void combine_emit(struct decoder *d, enum ptx_mod how, uint32_t to, uint32_t p, uint32_t c)
{
    decode_emit4(d,
                 how == PTX_MOD_AND  ? PTX_UOP_AND_PRED
                 : how == PTX_MOD_OR ? PTX_UOP_OR_PRED
                                     : PTX_UOP_XOR_PRED,
                 to, p, c, 0);
}

/* p[|q] = compare(a, b) [op c]. The guard may be p or q itself, so both are written last, and the
 * second only after the first if the first is not the guard. */
static bool decode_setp_inst(struct decoder *d)
{
    const struct ptx_inst *inst = d->inst;
    enum ptx_type t = inst_type(inst, 0);
    struct compare c;
    bool x2 = t == PTX_F16X2 || t == PTX_BF16X2, two;
    uint32_t n_extra, p, q, tp, tq, pc = 0;
    const struct ptx_operand *o;

    if (!compare_mods(inst, &c) || inst->n_types != 1) {
        return false;
    }
    n_extra = c.combine != PTX_MOD_NONE;
    if (!decode_operands(d, 3 + n_extra, 4 + n_extra)) {
        return true;
    }
    two = inst->n_operands == 4 + n_extra;
    o = &inst->operand[1 + two];
    p = decode_operand(d, &inst->operand[0], 'P');
    q = two ? decode_operand(d, &inst->operand[1], 'P') : decode_sink(d, SLOT_P);
    if (!two && !n_extra && !x2) {
        return compare_emit(d, &c, t, p, q, o);
    }
    tp = decode_temp(d, SLOT_P);
    tq = decode_temp(d, SLOT_P);
    if (n_extra) {
        pc = decode_operand(d, &inst->operand[inst->n_operands - 1], 'p');
    }
    compare_emit(d, &c, t, tp, tq, o);
    if (!x2) {
        decode_emit4(d, PTX_UOP_NOT_PRED, tq, tp, 0, 0);
    }
    if (n_extra) {
        combine_emit(d, c.combine, tp, tp, pc);
        combine_emit(d, c.combine, tq, tq, pc);
    }
    if (p == d->guard) {
        decode_emit4(d, PTX_UOP_MOV_PRED, q, tq, 0, 0);
        decode_emit4(d, PTX_UOP_MOV_PRED, p, tp, 0, 0);
    } else {
        decode_emit4(d, PTX_UOP_MOV_PRED, p, tp, 0, 0);
        decode_emit4(d, PTX_UOP_MOV_PRED, q, tq, 0, 0);
    }
    return true;
}

/* set: the same, then all ones or 1.0 for true, of the destination's type; 0 if there is no such */
static uint32_t set_true(enum ptx_type to, bool x2)
{
    switch (to) {
    case PTX_F32:
        return x2 ? 0 : 0x3f800000u;
    case PTX_U32:
    case PTX_S32:
        return x2 ? 0xffffu : UINT32_MAX;
    case PTX_U16:
    case PTX_S16:
        return x2 ? 0 : 0xffffu;
    case PTX_F16:
    case PTX_BF16:
        return x2 ? 0 : to == PTX_F16 ? 0x3c00u : 0x3f80u;
    case PTX_F16X2:
    case PTX_BF16X2:
        return !x2 ? 0 : to == PTX_F16X2 ? 0x3c00u : 0x3f80u;
    default:
        return 0;
    }
}

static bool decode_set_inst(struct decoder *d)
{
    const struct ptx_inst *inst = d->inst;
    enum ptx_type to = inst_type(inst, 0), from = inst_type(inst, 1);
    bool x2 = from == PTX_F16X2 || from == PTX_BF16X2;
    uint32_t yes = set_true(to, x2), tp, tq, n_extra, dst, pc, low, high;
    struct compare c;

    if (!compare_mods(inst, &c) || inst->n_types != 2 || !yes) {
        return false;
    }
    n_extra = c.combine != PTX_MOD_NONE;
    if (!decode_operands(d, 3 + n_extra, 3 + n_extra)) {
        return true;
    }
    dst = decode_operand(d, &inst->operand[0], 'W');
    tp = decode_temp(d, SLOT_P);
    tq = decode_temp(d, SLOT_P);
    pc = n_extra ? decode_operand(d, &inst->operand[3], 'p') : 0;
    compare_emit(d, &c, from, tp, tq, &inst->operand[1]);
    if (n_extra) {
        combine_emit(d, c.combine, tp, tp, pc);
    }
    low = x2 ? decode_temp(d, SLOT_W) : dst;
    decode_emit4(d, PTX_UOP_SELP_B32, low, decode_value(d, SLOT_W, yes), decode_value(d, SLOT_W, 0),
                 tp);
    if (x2) {
        if (n_extra) {
            combine_emit(d, c.combine, tq, tq, pc);
        }
        high = decode_temp(d, SLOT_W);
        decode_emit4(d, PTX_UOP_SELP_B32, high, decode_value(d, SLOT_W, (uint64_t)yes << 16),
                     decode_value(d, SLOT_W, 0), tq);
        decode_emit4(d, PTX_UOP_OR_B32, dst, low, high, 0);
    }
    return true;
}

bool decode_setp(struct decoder *d)
{
    switch (d->inst->op) {
    case PTX_OP_SETP:
        return decode_setp_inst(d);
    case PTX_OP_SET:
        return decode_set_inst(d);
    default:
        return false;
    }
}

/* 9.7.2: the carry flag. d = a + b + (carry in), .cc writes the carry out. mad.cc is a multiply
 * and then the add, which is what its definition says. */

#define CARRY_IN 1u
#define CARRY_OUT 2u

static bool carry_type(enum ptx_type t)
{
    return t == PTX_U32 || t == PTX_S32 || t == PTX_U64 || t == PTX_S64;
}

static void emit_carry(struct decoder *d, bool sub, bool wide, uint32_t to, uint32_t a, uint32_t b,
                       unsigned how)
{
    enum ptx_uop_op op = sub ? (wide ? PTX_UOP_SUBC_B64 : PTX_UOP_SUBC_B32)
                             : (wide ? PTX_UOP_ADDC_B64 : PTX_UOP_ADDC_B32);
    struct ptx_uop *u = decode_emit4(d, op, to, a, b, SLOT_ID_CARRY);

    u->sub = (uint8_t)how;
    u->reads |= how & CARRY_IN ? 8 : 0;
    u->writes = how & CARRY_OUT ? u->writes : u->writes & (uint8_t)~8u;
}

static bool decode_carry(struct decoder *d, bool sub, unsigned how)
{
    enum ptx_type t = inst_type(d->inst, 0);
    bool wide = ptx_type_size(t) == 8;
    char letter = wide ? 'l' : 'w';
    uint32_t s[3];

    if (d->inst->n_types != 1 || !carry_type(t) || !decode_operands(d, 3, 3)) {
        return d->failed;
    }
    s[0] = decode_operand(d, &d->inst->operand[0], wide ? 'L' : 'W');
    s[1] = decode_operand(d, &d->inst->operand[1], letter);
    s[2] = decode_operand(d, &d->inst->operand[2], letter);
    emit_carry(d, sub, wide, s[0], s[1], s[2], how);
    return true;
}

static bool decode_mad_carry(struct decoder *d, bool hi, unsigned how)
{
    enum ptx_type t = inst_type(d->inst, 0);
    bool wide = ptx_type_size(t) == 8, is_signed = type_is_signed(t);
    char letter = wide ? 'l' : 'w';
    uint32_t s[4], product;
    enum ptx_uop_op mul;

    if (d->inst->n_types != 1 || !carry_type(t) || !decode_operands(d, 4, 4)) {
        return d->failed;
    }
    s[0] = decode_operand(d, &d->inst->operand[0], wide ? 'L' : 'W');
    for (unsigned i = 1; i < 4; i++) {
        s[i] = decode_operand(d, &d->inst->operand[i], letter);
    }
    product = decode_temp(d, wide ? SLOT_L : SLOT_W);
    mul = !hi         ? (wide ? PTX_UOP_MUL_LO_B64 : PTX_UOP_MUL_LO_B32)
          : is_signed ? (wide ? PTX_UOP_MUL_HI_S64 : PTX_UOP_MUL_HI_S32)
                      : (wide ? PTX_UOP_MUL_HI_U64 : PTX_UOP_MUL_HI_U32);
    decode_emit4(d, mul, product, s[1], s[2], 0);
    emit_carry(d, false, wide, s[0], product, s[3], how);
    return true;
}

/* The shapes are {lo,hi}? and cc?, in this order. */
static bool decode_extended(struct decoder *d)
{
    const struct ptx_inst *i = d->inst;
    bool cc = i->n_mods > 0 && i->mod[i->n_mods - 1] == PTX_MOD_CC;
    unsigned rest = i->n_mods - cc;
    unsigned out = cc ? CARRY_OUT : 0;
    bool half = rest == 1 && (i->mod[0] == PTX_MOD_LO || i->mod[0] == PTX_MOD_HI);

    switch (i->op) {
    case PTX_OP_ADD:
    case PTX_OP_SUB:
        return cc && rest == 0 && decode_carry(d, i->op == PTX_OP_SUB, out);
    case PTX_OP_ADDC:
    case PTX_OP_SUBC:
        return rest == 0 && decode_carry(d, i->op == PTX_OP_SUBC, out | CARRY_IN);
    case PTX_OP_MAD:
        return cc && half && decode_mad_carry(d, i->mod[0] == PTX_MOD_HI, out);
    case PTX_OP_MADC:
        return half && decode_mad_carry(d, i->mod[0] == PTX_MOD_HI, out | CARRY_IN);
    default:
        return false;
    }
}

/* lop3.BoolOp: p = (d != 0) BoolOp q; 9.7.8.6 */
static bool decode_lop3_bool(struct decoder *d)
{
    const struct ptx_inst *i = d->inst;
    const bool sink = i->operand[0].kind == PTX_OPERAND_SINK;
    uint32_t q = decode_operand(d, &i->operand[6], 'p'), t = decode_temp(d, SLOT_W), s[3];
    uint32_t p = decode_temp(d, SLOT_P);

    for (unsigned k = 0; k < 3; k++) {
        s[k] = decode_operand(d, &i->operand[2 + k], 'w');
    }
    decode_emit4(d, PTX_UOP_LOP3_B32, t, s[0], s[1], s[2])->sub = (uint8_t)i->operand[5].imm;
    decode_emit4(d, PTX_UOP_SETP_NE_B32, p, t, decode_value(d, SLOT_W, 0), 0);
    combine_emit(d, (enum ptx_mod)i->mod[0], p, p, q);
    if (!sink) {
        decode_emit4(d, PTX_UOP_MOV_B32, decode_operand(d, &i->operand[0], 'W'), t, 0, 0);
    }
    decode_emit4(d, PTX_UOP_MOV_PRED, decode_operand(d, &i->operand[1], 'P'), p, 0, 0);
    return true;
}

static bool decode_lop3(struct decoder *d)
{
    const struct ptx_inst *i = d->inst;
    uint32_t s[4];

    if (i->n_mods == 1) {
        return decode_lop3_bool(d);
    }

    if (i->n_mods != 0 || inst_type(i, 0) != PTX_B32 || !decode_operands(d, 5, 5)) {
        return d->failed;
    }
    if (i->operand[4].kind != PTX_OPERAND_IMM) {
        return decode_fail(d, "line %u: lop3 needs a literal of 0 to 255", i->pos.line);
    }
    s[0] = decode_operand(d, &i->operand[0], 'W');
    for (unsigned k = 1; k < 4; k++) {
        s[k] = decode_operand(d, &i->operand[k], 'w');
    }
    decode_emit4(d, PTX_UOP_LOP3_B32, s[0], s[1], s[2], s[3])->sub = (uint8_t)i->operand[4].imm;
    return true;
}

bool decode_integer(struct decoder *d)
{
    return d->inst->op == PTX_OP_LOP3 ? decode_lop3(d) : decode_extended(d);
}
