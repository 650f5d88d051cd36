/* SPDX-License-Identifier: MIT */
/* Video instructions, PTX ISA 9.7.18, and cvt.pack: made of micro-ops that are there already. None
 * of them is hot: compilers write them for __v* intrinsics and old codecs. */
#include "ptx/decode_priv.h"

static bool is_signed(const struct ptx_inst *i, unsigned n)
{
    return inst_type(i, n) == PTX_S32;
}

uint32_t decode_step(struct decoder *d, enum ptx_uop_op op, enum slot_class cls, uint32_t a,
                     uint32_t b)
{
    uint32_t t = decode_temp(d, cls);

    decode_emit4(d, op, t, a, b, 0);
    return t;
}

uint32_t decode_word(struct decoder *d, uint64_t value)
{
    return decode_value(d, SLOT_W, value);
}

/* @bits bits of @from at @at, extended to 32 */
uint32_t decode_field(struct decoder *d, uint32_t from, unsigned at, unsigned bits, bool sign)
{
    uint32_t t = decode_temp(d, SLOT_W);

    if (bits == 32) {
        return from;
    }
    decode_emit4(d, sign ? PTX_UOP_BFE_S32 : PTX_UOP_BFE_U32, t, from, decode_word(d, at),
                 decode_word(d, bits));
    return t;
}

/* @value into @bits bits of @base at @at */
uint32_t decode_merge(struct decoder *d, uint32_t value, uint32_t base, unsigned at, unsigned bits)
{
    uint32_t t = decode_temp(d, SLOT_W);
    struct ptx_uop *u;

    u = decode_emit4(d, PTX_UOP_BFI_B32, t, value, base, decode_word(d, at));
    u->e = decode_word(d, bits);
    return t;
}

static unsigned part_bits(const struct ptx_operand *o)
{
    return !o->count ? 32 : o->count & PTX_PART_HALF ? 16 : 8;
}

/* Part @n of an operand, counted from its low end */
static unsigned part_digit(const struct ptx_operand *o, unsigned n)
{
    return o->count >> (4 * n) & 15;
}

/* Scalar: a source as a number of 64 bits, so that no sum or difference overflows */
static uint32_t scalar_source(struct decoder *d, const struct ptx_operand *o, bool sign)
{
    struct ptx_operand plain = *o;
    unsigned bits = part_bits(o);
    uint32_t w;

    plain.count = 0;
    plain.negated = false;
    w = decode_field(d, decode_operand(d, &plain, 'w'), part_digit(o, 0) * bits, bits, sign);
    return decode_step(d, sign ? PTX_UOP_SEXT32_B64 : PTX_UOP_ZEXT32_B64, SLOT_L, w, 0);
}

static uint32_t decode_video_saturate(struct decoder *d, uint32_t v, unsigned bits, bool sign)
{
    const int64_t low = sign ? -(INT64_C(1) << (bits - 1)) : 0;
    const int64_t high = (INT64_C(1) << (sign ? bits - 1 : bits)) - 1;

    v = decode_step(d, PTX_UOP_MAX_S64, SLOT_L, v, decode_value(d, SLOT_L, (uint64_t)low));
    return decode_step(d, PTX_UOP_MIN_S64, SLOT_L, v, decode_value(d, SLOT_L, (uint64_t)high));
}

/* The count of vshl and vshr: clamped to 32, or its low 5 bits (9.7.18.3) */
static uint32_t shift_count(struct decoder *d, uint32_t b)
{
    b = decode_step(d, PTX_UOP_TRUNC_B32, SLOT_W, b, 0);
    return ptx_inst_has(d->inst, PTX_MOD_WRAP)
               ? decode_step(d, PTX_UOP_AND_B32, SLOT_W, b, decode_word(d, 31))
               : decode_step(d, PTX_UOP_MIN_U32, SLOT_W, b, decode_word(d, 32));
}

/* In two steps, each saturated: 32 bits by 32 are more than a signed number of 64 bits holds. */
static uint32_t shift_left(struct decoder *d, uint32_t a, uint32_t b, unsigned bits, bool sign,
                           bool sat)
{
    uint32_t count = shift_count(d, b),
             first = decode_step(d, PTX_UOP_MIN_U32, SLOT_W, count, decode_word(d, 31));
    uint32_t rest = decode_step(d, PTX_UOP_SUB_B32, SLOT_W, count, first);

    a = decode_step(d, PTX_UOP_SHL_B64, SLOT_L, a, first);
    a = sat ? decode_video_saturate(d, a, bits, sign) : a;
    return decode_step(d, PTX_UOP_SHL_B64, SLOT_L, a, rest);
}

static const enum ptx_mod compares[] = { PTX_MOD_EQ, PTX_MOD_NE, PTX_MOD_LT,
                                         PTX_MOD_LE, PTX_MOD_GT, PTX_MOD_GE };

/* 1 or 0 */
static uint32_t decode_video_compare(struct decoder *d, uint32_t a, uint32_t b, bool wide)
{
    static const enum ptx_uop_op ops[2][6] = {
        { PTX_UOP_SETP_EQ_B32, PTX_UOP_SETP_NE_B32, PTX_UOP_SETP_LT_S32, PTX_UOP_SETP_LE_S32,
          PTX_UOP_SETP_GT_S32, PTX_UOP_SETP_GE_S32 },
        { PTX_UOP_SETP_EQ_B64, PTX_UOP_SETP_NE_B64, PTX_UOP_SETP_LT_S64, PTX_UOP_SETP_LE_S64,
          PTX_UOP_SETP_GT_S64, PTX_UOP_SETP_GE_S64 },
    };
    uint32_t p = decode_temp(d, SLOT_P), t = decode_temp(d, SLOT_W);

    for (unsigned i = 0; i < G_N_ELEMENTS(compares); i++) {
        if (ptx_inst_has(d->inst, compares[i])) {
            decode_emit4(d, ops[wide][i], p, a, b, 0);
        }
    }
    decode_emit4(d, PTX_UOP_SELP_B32, t, decode_word(d, 1), decode_word(d, 0), p);
    return t;
}

static uint32_t scalar_operation(struct decoder *d, uint32_t a, uint32_t b, unsigned bits,
                                 bool sign, bool sat)
{
    switch (d->inst->op) {
    case PTX_OP_VADD:
        return decode_step(d, PTX_UOP_ADD_B64, SLOT_L, a, b);
    case PTX_OP_VSUB:
        return decode_step(d, PTX_UOP_SUB_B64, SLOT_L, a, b);
    case PTX_OP_VABSDIFF:
        a = decode_step(d, PTX_UOP_SUB_B64, SLOT_L, a, b);
        return decode_step(d, PTX_UOP_ABS_S64, SLOT_L, a, 0);
    case PTX_OP_VMIN:
        return decode_step(d, PTX_UOP_MIN_S64, SLOT_L, a, b);
    case PTX_OP_VMAX:
        return decode_step(d, PTX_UOP_MAX_S64, SLOT_L, a, b);
    case PTX_OP_VSHL:
        return shift_left(d, a, b, bits, sign, sat);
    default:
        return decode_step(d, PTX_UOP_SHR_S64, SLOT_L, a, shift_count(d, b));
    }
}

/* The second operation, or the merge with c: optSecondaryOp and optMerge of 9.7.18.1 */
static uint32_t scalar_second(struct decoder *d, uint32_t v, bool sign)
{
    const struct ptx_inst *i = d->inst;
    const struct ptx_operand *dst = &i->operand[0];
    const unsigned bits = part_bits(dst);
    uint32_t c;

    if (i->n_operands < 4) {
        return v;
    }
    c = decode_operand(d, &i->operand[3], 'w');
    if (ptx_inst_has(i, PTX_MOD_ADD)) {
        return decode_step(d, PTX_UOP_ADD_B32, SLOT_W, v, c);
    }
    if (ptx_inst_has(i, PTX_MOD_MIN)) {
        return decode_step(d, sign ? PTX_UOP_MIN_S32 : PTX_UOP_MIN_U32, SLOT_W, v, c);
    }
    if (ptx_inst_has(i, PTX_MOD_MAX)) {
        return decode_step(d, sign ? PTX_UOP_MAX_S32 : PTX_UOP_MAX_U32, SLOT_W, v, c);
    }
    return decode_merge(d, v, c, part_digit(dst, 0) * bits, bits);
}

static void video_store(struct decoder *d, uint32_t v)
{
    struct ptx_operand dst = d->inst->operand[0];

    dst.count = 0;
    decode_emit4(d, PTX_UOP_MOV_B32, decode_operand(d, &dst, 'W'), v, 0, 0);
}

/* A part has one digit. The destination's needs a c to be merged with, and no second operation. */
static bool scalar_parts_good(struct decoder *d)
{
    const struct ptx_inst *i = d->inst;
    const bool second = ptx_inst_has(i, PTX_MOD_ADD) || ptx_inst_has(i, PTX_MOD_MIN) ||
                        ptx_inst_has(i, PTX_MOD_MAX);

    for (unsigned o = 0; o < i->n_operands; o++) {
        if (i->operand[o].kind == PTX_OPERAND_REG &&
            (PTX_PART_DIGITS(i->operand[o].count) > 1 ||
             (o == 0 && i->operand[o].count && (i->n_operands == 3 || second)))) {
            decode_fail(d, "line %u: the part of operand %u does not fit `%s` (function %s)",
                        i->pos.line, o, i->spelling, d->f->name);
            return false;
        }
    }
    return true;
}

static bool decode_scalar(struct decoder *d)
{
    const struct ptx_inst *i = d->inst;
    const bool set = i->op == PTX_OP_VSET, sign = !set && is_signed(i, 0);
    const bool sat = ptx_inst_has(i, PTX_MOD_SAT);
    const unsigned bits = part_bits(&i->operand[0]);
    uint32_t a, b, v;

    if (!decode_operands(d, 3, 4) || !scalar_parts_good(d)) {
        return true;
    }
    a = scalar_source(d, &i->operand[1], is_signed(i, set ? 0 : 1));
    b = scalar_source(d, &i->operand[2], is_signed(i, set ? 1 : 2));
    if (set) {
        v = decode_video_compare(d, a, b, true);
    } else {
        v = scalar_operation(d, a, b, bits, sign, sat);
        v = decode_step(d, PTX_UOP_TRUNC_B32, SLOT_W,
                        sat ? decode_video_saturate(d, v, bits, sign) : v, 0);
    }
    video_store(d, scalar_second(d, v, sign));
    return true;
}

/* A product of at most 2^62, so that its negative and the sum with c stay in 64 bits: whatever is
 * larger is saturated anyway, also behind a shift by 15. */
static uint32_t vmad_bound(struct decoder *d, uint32_t product)
{
    return decode_step(d, PTX_UOP_MIN_U64, SLOT_L, product,
                       decode_value(d, SLOT_L, UINT64_C(1) << 62));
}

/* vmad: (a * b) + c, one of the three perhaps negative, or + 1 (.po), then scaled: 9.7.18.4. A sign
 * makes the complement and adds 1, as the document has it, so c is the one that is complemented. */
static bool decode_vmad(struct decoder *d)
{
    const struct ptx_inst *i = d->inst;
    const bool minus = i->operand[1].negated != i->operand[2].negated;
    const bool minus_c = i->operand[3].negated;
    const bool sign = is_signed(i, 1) || is_signed(i, 2) || minus || minus_c;
    const bool sat = ptx_inst_has(i, PTX_MOD_SAT);
    const unsigned shift = ptx_inst_has(i, PTX_MOD_SHR7)    ? 7
                           : ptx_inst_has(i, PTX_MOD_SHR15) ? 15
                                                            : 0;
    struct ptx_operand third = i->operand[3];
    uint32_t v, c;

    if (!decode_operands(d, 4, 4)) {
        return true;
    }
    third.negated = false;
    v = decode_step(d, PTX_UOP_MUL_LO_B64, SLOT_L,
                    scalar_source(d, &i->operand[1], is_signed(i, 1)),
                    scalar_source(d, &i->operand[2], is_signed(i, 2)));
    if (minus) {
        v = sat && !is_signed(i, 1) && !is_signed(i, 2) ? vmad_bound(d, v) : v;
        v = decode_step(d, PTX_UOP_NEG_B64, SLOT_L, v, 0);
    }
    c = decode_operand(d, &third, 'w');
    c = decode_step(d, sign ? PTX_UOP_SEXT32_B64 : PTX_UOP_ZEXT32_B64, SLOT_L, c, 0);
    c = minus_c && !minus ? decode_step(d, PTX_UOP_NEG_B64, SLOT_L, c, 0) : c;
    v = decode_step(d, PTX_UOP_ADD_B64, SLOT_L, v, c);
    if (ptx_inst_has(i, PTX_MOD_PO)) {
        v = decode_step(d, PTX_UOP_ADD_B64, SLOT_L, v, decode_value(d, SLOT_L, 1));
    }
    if (shift) {
        v = decode_step(d, sign ? PTX_UOP_SHR_S64 : PTX_UOP_SHR_U64, SLOT_L, v,
                        decode_word(d, shift));
    }
    if (sat && sign) {
        v = decode_video_saturate(d, v, 32, true);
    } else if (sat) {
        v = decode_step(d, PTX_UOP_MIN_U64, SLOT_L, v, decode_value(d, SLOT_L, UINT32_MAX));
    }
    video_store(d, decode_step(d, PTX_UOP_TRUNC_B32, SLOT_W, v, 0));
    return true;
}

/* SIMD: lane @n of a source selects from the bytes (halves) of b and a, a the lower: 9.7.18.5 */
static uint32_t simd_source(struct decoder *d, unsigned which, unsigned n, unsigned bits, bool sign)
{
    const struct ptx_inst *i = d->inst;
    const unsigned lanes = 32 / bits;
    const struct ptx_operand *o = &i->operand[1 + which];
    const unsigned digit = o->count ? part_digit(o, n) : which * lanes + n;
    struct ptx_operand plain = i->operand[1 + digit / lanes % 2];

    plain.count = 0;
    return decode_field(d, decode_operand(d, &plain, 'w'), digit % lanes * bits, bits, sign);
}

/* The mean, rounded up where the sum is not negative: 9.7.18.5 */
static uint32_t decode_video_average(struct decoder *d, uint32_t a, uint32_t b)
{
    uint32_t sum = decode_step(d, PTX_UOP_ADD_B32, SLOT_W, a, b);
    uint32_t minus = decode_step(d, PTX_UOP_SHR_U32, SLOT_W, sum, decode_word(d, 31));
    uint32_t up = decode_step(d, PTX_UOP_XOR_B32, SLOT_W, minus, decode_word(d, 1));

    sum = decode_step(d, PTX_UOP_ADD_B32, SLOT_W, sum, up);
    return decode_step(d, PTX_UOP_SHR_S32, SLOT_W, sum, decode_word(d, 1));
}

static uint32_t simd_operation(struct decoder *d, uint32_t a, uint32_t b)
{
    switch (d->inst->op) {
    case PTX_OP_VADD2:
    case PTX_OP_VADD4:
        return decode_step(d, PTX_UOP_ADD_B32, SLOT_W, a, b);
    case PTX_OP_VSUB2:
    case PTX_OP_VSUB4:
        return decode_step(d, PTX_UOP_SUB_B32, SLOT_W, a, b);
    case PTX_OP_VAVRG2:
    case PTX_OP_VAVRG4:
        return decode_video_average(d, a, b);
    case PTX_OP_VABSDIFF2:
    case PTX_OP_VABSDIFF4:
        a = decode_step(d, PTX_UOP_SUB_B32, SLOT_W, a, b);
        return decode_step(d, PTX_UOP_ABS_S32, SLOT_W, a, 0);
    case PTX_OP_VMIN2:
    case PTX_OP_VMIN4:
        return decode_step(d, PTX_UOP_MIN_S32, SLOT_W, a, b);
    case PTX_OP_VMAX2:
    case PTX_OP_VMAX4:
        return decode_step(d, PTX_UOP_MAX_S32, SLOT_W, a, b);
    default:
        return decode_video_compare(d, a, b, false);
    }
}

static uint32_t decode_video_clamp(struct decoder *d, uint32_t v, unsigned bits, bool sign)
{
    const int32_t low = sign ? -(1 << (bits - 1)) : 0;
    const int32_t high = (1 << (sign ? bits - 1 : bits)) - 1;

    v = decode_step(d, PTX_UOP_MAX_S32, SLOT_W, v, decode_word(d, (uint32_t)low));
    return decode_step(d, PTX_UOP_MIN_S32, SLOT_W, v, decode_word(d, (uint32_t)high));
}

/* Is lane @n in the mask of the destination? */
static bool lane_wanted(const struct ptx_operand *dst, unsigned n)
{
    unsigned digits = PTX_PART_DIGITS(dst->count);

    for (unsigned k = 0; k < digits; k++) {
        if (part_digit(dst, k) == n) {
            return true;
        }
    }
    return dst->count == 0;
}

/* @lanes: of the result, which has no others */
static bool simd_mask_good(struct decoder *d, unsigned lanes)
{
    const struct ptx_operand *dst = &d->inst->operand[0];

    for (unsigned k = 0; dst->count && k < PTX_PART_DIGITS(dst->count); k++) {
        if (part_digit(dst, k) >= lanes) {
            decode_fail(d, "line %u: the result of `%s` has parts 0 to %u (function %s)",
                        d->inst->pos.line, d->inst->spelling, lanes - 1, d->f->name);
            return false;
        }
    }
    return true;
}

static bool decode_simd(struct decoder *d, unsigned bits)
{
    const struct ptx_inst *i = d->inst;
    const bool set = i->op == PTX_OP_VSET2 || i->op == PTX_OP_VSET4;
    const bool add = ptx_inst_has(i, PTX_MOD_ADD), sat = ptx_inst_has(i, PTX_MOD_SAT);
    uint32_t to;

    if (!decode_operands(d, 4, 4) || !simd_mask_good(d, 32 / bits)) {
        return true;
    }
    to = decode_operand(d, &i->operand[3], 'w');
    for (unsigned n = 0; n < 32 / bits && !d->failed; n++) {
        uint32_t a, b, v;

        if (!lane_wanted(&i->operand[0], n)) {
            continue;
        }
        a = simd_source(d, 0, n, bits, is_signed(i, set ? 0 : 1));
        b = simd_source(d, 1, n, bits, is_signed(i, set ? 1 : 2));
        v = simd_operation(d, a, b);
        v = sat ? decode_video_clamp(d, v, bits, is_signed(i, 0)) : v;
        to = add ? decode_step(d, PTX_UOP_ADD_B32, SLOT_W, to, v)
                 : decode_merge(d, v, to, n * bits, bits);
    }
    video_store(d, to);
    return true;
}

/* cvt.pack.sat: d = c shifted up, then a, then b, each saturated; 9.7.9.22 */
static bool decode_pack_sat(struct decoder *d)
{
    const struct ptx_inst *i = d->inst;
    const enum ptx_type t = inst_type(i, 0);
    const unsigned bits = t == PTX_U16 || t == PTX_S16 ? 16
                          : t == PTX_U8 || t == PTX_S8 ? 8
                          : t == PTX_U4 || t == PTX_S4 ? 4
                                                       : 2;
    const bool sign = t == PTX_S16 || t == PTX_S8 || t == PTX_S4 || t == PTX_S2;
    uint32_t a = decode_video_clamp(d, decode_operand(d, &i->operand[1], 'w'), bits, sign);
    uint32_t b = decode_video_clamp(d, decode_operand(d, &i->operand[2], 'w'), bits, sign),
             v = decode_word(d, 0);

    if (i->n_operands == 4) {
        v = decode_operand(d, &i->operand[3], 'w');
        v = decode_step(d, PTX_UOP_SHL_B32, SLOT_W, v, decode_word(d, 2 * bits));
    }
    v = decode_merge(d, a, v, bits, bits);
    video_store(d, decode_merge(d, b, v, 0, bits));
    return true;
}

bool decode_video(struct decoder *d)
{
    const enum ptx_op op = d->inst->op;

    if (op == PTX_OP_CVT && ptx_inst_has(d->inst, PTX_MOD_PACK)) {
        return decode_pack_sat(d);
    }
    if (op == PTX_OP_VMAD) {
        return decode_vmad(d);
    }
    return op >= PTX_OP_VADD && op <= PTX_OP_VSET     ? decode_scalar(d)
           : op >= PTX_OP_VADD2 && op <= PTX_OP_VSET2 ? decode_simd(d, 16)
           : op >= PTX_OP_VADD4 && op <= PTX_OP_VSET4 ? decode_simd(d, 8)
                                                      : false;
}
