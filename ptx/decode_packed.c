/* SPDX-License-Identifier: MIT */
/* Arithmetic that is made of micro-ops that are there already: pairs of 16-bit integers and of .f32
 * in one register, .relu of integers, .f32 with a source of 16 bits, and the smallest or largest of
 * three. PTX ISA 9.7.1, 9.7.3, 9.7.5. */
#include "ptx/decode_priv.h"

static enum ptx_uop_op integer_op(enum ptx_op op, bool sign)
{
    switch (op) {
    case PTX_OP_ADD:
        return PTX_UOP_ADD_B32;
    case PTX_OP_MIN:
        return sign ? PTX_UOP_MIN_S32 : PTX_UOP_MIN_U32;
    default:
        return sign ? PTX_UOP_MAX_S32 : PTX_UOP_MAX_U32;
    }
}

static uint32_t decode_packed_relu(struct decoder *d, uint32_t v)
{
    return ptx_inst_has(d->inst, PTX_MOD_RELU)
               ? decode_step(d, PTX_UOP_MAX_S32, SLOT_W, v, decode_word(d, 0))
               : v;
}

/* add, min, max .u16x2 .s16x2 and min, max .relu.s32 */
static bool packed_integer(struct decoder *d, enum ptx_type t)
{
    const bool sign = t != PTX_U16X2;
    const enum ptx_uop_op op = integer_op(d->inst->op, sign);
    const unsigned bits = t == PTX_S32 ? 32 : 16;
    uint32_t a = decode_operand(d, &d->inst->operand[1], 'w'),
             b = decode_operand(d, &d->inst->operand[2], 'w'), v = decode_word(d, 0);

    for (unsigned at = 0; at < 32; at += bits) {
        uint32_t one =
            decode_packed_relu(d, decode_step(d, op, SLOT_W, decode_field(d, a, at, bits, sign),
                                              decode_field(d, b, at, bits, sign)));

        v = bits == 32 ? one : decode_merge(d, one, v, at, bits);
    }
    decode_emit4(d, PTX_UOP_MOV_B32, decode_operand(d, &d->inst->operand[0], 'W'), v, 0, 0);
    return true;
}

/* Rounding and the other words of ptx_uop.sub */
static uint8_t float_words(const struct ptx_inst *i)
{
    unsigned f = 0;

    f |= ptx_inst_has(i, PTX_MOD_RZ) ? PTX_FLOAT_RZ : 0;
    f |= ptx_inst_has(i, PTX_MOD_RM) ? PTX_FLOAT_RM : 0;
    f |= ptx_inst_has(i, PTX_MOD_RP) ? PTX_FLOAT_RP : 0;
    f |= ptx_inst_has(i, PTX_MOD_FTZ) ? PTX_FLOAT_FTZ : 0;
    f |= ptx_inst_has(i, PTX_MOD_SAT) ? PTX_FLOAT_SAT : 0;
    f |= ptx_inst_has(i, PTX_MOD_NAN_RESULT) ? PTX_FLOAT_NAN : 0;
    return (uint8_t)f;
}

static enum ptx_uop_op single_op(enum ptx_op op)
{
    switch (op) {
    case PTX_OP_ADD:
        return PTX_UOP_ADD_F32_X;
    case PTX_OP_SUB:
        return PTX_UOP_SUB_F32_X;
    case PTX_OP_MUL:
        return PTX_UOP_MUL_F32_X;
    case PTX_OP_FMA:
        return PTX_UOP_FMA_F32_X;
    case PTX_OP_MIN:
        return PTX_UOP_MIN_F32;
    default:
        return PTX_UOP_MAX_F32;
    }
}

static uint32_t decode_packed_single(struct decoder *d, const uint32_t s[3])
{
    const enum ptx_uop_op op = single_op(d->inst->op);
    uint32_t v = decode_temp(d, SLOT_W);

    decode_emit4(d, op, v, s[0], s[1], op == PTX_UOP_FMA_F32_X ? s[2] : 0)->sub =
        float_words(d->inst);
    return v;
}

/* One half of a .f32x2 */
static uint32_t pair_half(struct decoder *d, uint32_t pair, unsigned n)
{
    if (n) {
        pair = decode_step(d, PTX_UOP_SHR_U64, SLOT_L, pair, decode_word(d, 32));
    }
    return decode_step(d, PTX_UOP_TRUNC_B32, SLOT_W, pair, 0);
}

static bool packed_single(struct decoder *d)
{
    uint32_t source[3] = { 0 }, part[2];

    for (unsigned k = 1; k < d->inst->n_operands; k++) {
        source[k - 1] = decode_operand(d, &d->inst->operand[k], 'l');
    }
    for (unsigned n = 0; n < 2; n++) {
        uint32_t s[3] = { 0 };

        for (unsigned k = 0; k + 1 < d->inst->n_operands; k++) {
            s[k] = pair_half(d, source[k], n);
        }
        part[n] = decode_step(d, PTX_UOP_ZEXT32_B64, SLOT_L, decode_packed_single(d, s), 0);
    }
    part[1] = decode_step(d, PTX_UOP_SHL_B64, SLOT_L, part[1], decode_word(d, 32));
    decode_emit4(d, PTX_UOP_OR_B64, decode_operand(d, &d->inst->operand[0], 'L'), part[0], part[1],
                 0);
    return true;
}

/* add, sub, fma .f32.f16 .f32.bf16: the sources of 16 bits are exact as .f32. */
static bool mixed_single(struct decoder *d)
{
    const struct ptx_inst *i = d->inst;
    uint32_t s[3] = { 0 };

    for (unsigned k = 1; k < i->n_operands; k++) {
        const bool last = k + 1u == i->n_operands;

        s[k - 1] = decode_operand(d, &i->operand[k], last ? 'f' : 'w');
        if (!last) {
            struct ptx_uop *u;
            uint32_t t = decode_temp(d, SLOT_W);

            u = decode_emit4(d, PTX_UOP_CVT_WW, t, s[k - 1], 0, 0);
            u->size = PTX_F32;
            u->vec = (uint8_t)inst_type(i, 1);
            s[k - 1] = t;
        }
    }
    decode_emit4(d, PTX_UOP_MOV_F32, decode_operand(d, &i->operand[0], 'F'),
                 decode_packed_single(d, s), 0, 0);
    return true;
}

/* min, max of three .f32, with .abs of their magnitudes */
static bool single_of_three(struct decoder *d)
{
    const struct ptx_inst *i = d->inst;
    uint32_t s[3], pair[3] = { 0 };

    for (unsigned k = 0; k < 3; k++) {
        s[k] = decode_operand(d, &i->operand[k + 1], 'f');
        if (ptx_inst_has(i, PTX_MOD_ABS)) {
            s[k] = decode_step(d, PTX_UOP_ABS_F32, SLOT_W, s[k], 0);
        }
    }
    pair[0] = decode_packed_single(d, s);
    pair[1] = s[2];
    decode_emit4(d, PTX_UOP_MOV_F32, decode_operand(d, &i->operand[0], 'F'),
                 decode_packed_single(d, pair), 0, 0);
    return true;
}

bool decode_packed(struct decoder *d)
{
    const struct ptx_inst *i = d->inst;
    const enum ptx_type t = inst_type(i, 0), from = inst_type(i, 1);
    const bool least = i->op == PTX_OP_MIN || i->op == PTX_OP_MAX;
    const bool sum = i->op == PTX_OP_ADD || i->op == PTX_OP_SUB || i->op == PTX_OP_FMA;

    if ((least || i->op == PTX_OP_ADD) && (t == PTX_U16X2 || t == PTX_S16X2)) {
        return packed_integer(d, t);
    }
    if (least && t == PTX_S32 && ptx_inst_has(i, PTX_MOD_RELU)) {
        return packed_integer(d, t);
    }
    if (least && t == PTX_F32 && i->n_operands == 4) {
        return single_of_three(d);
    }
    if ((sum || i->op == PTX_OP_MUL) && t == PTX_F32X2) {
        return packed_single(d);
    }
    if (sum && t == PTX_F32 && (from == PTX_F16 || from == PTX_BF16)) {
        return mixed_single(d);
    }
    return false;
}
