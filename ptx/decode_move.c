/* SPDX-License-Identifier: MIT */
/* mov, cvt, cvta, isspacep: PTX ISA 9.7.9. */
#include "ptx/decode_priv.h"

/* mov between a scalar and a vector: elements of equal size, low one first */
static bool decode_pack(struct decoder *d, enum ptx_type t)
{
    const struct ptx_operand *dst = &d->inst->operand[0], *src = &d->inst->operand[1];
    bool pack = src->kind == PTX_OPERAND_VECTOR;
    const struct ptx_operand *v = pack ? src : dst;
    uint32_t size = ptx_type_size(t), scalar, s[4] = { 0 };
    struct ptx_uop *u;

    if ((v->count != 2 && v->count != 4) || size % v->count || size > 8) {
        return decode_unsupported(d);
    }
    scalar = decode_operand(d, pack ? dst : src,
                            pack ? (size == 8 ? 'L' : 'W') : (size == 8 ? 'l' : 'w'));
    for (uint32_t i = 0; i < v->count; i++) {
        s[i] = decode_operand(d, &v->element[i], pack ? 'w' : 'W');
    }
    u = decode_emit(d, pack ? (size == 8 ? PTX_UOP_PACK_B64 : PTX_UOP_PACK_B32)
                            : (size == 8 ? PTX_UOP_UNPACK_B64 : PTX_UOP_UNPACK_B32));
    u->d = scalar;
    u->a = s[0];
    u->b = s[1];
    u->c = s[2];
    u->e = s[3];
    u->size = (uint8_t)(size / v->count);
    u->vec = (uint8_t)v->count;
    if (v->count == 2) { /* c and e name no slot */
        u->reads &= (uint8_t)~0x18u;
        u->writes &= (uint8_t)~0x18u;
    }
    return true;
}

static uint32_t cvt_step(struct decoder *d, enum ptx_uop_op op, uint32_t from, enum slot_class cls)
{
    uint32_t t = decode_temp(d, cls);

    decode_emit4(d, op, t, from, 0, 0);
    return t;
}

/* mov.v4.u32 {a, b, c, d}, %tid: all are read before the first is written. */
static bool decode_mov_vector(struct decoder *d, enum ptx_type t)
{
    const struct ptx_operand *to = &d->inst->operand[0], *from = &d->inst->operand[1];
    const bool wide = ptx_type_size(t) == 8;
    const enum ptx_uop_op op = wide ? PTX_UOP_MOV_B64 : PTX_UOP_MOV_B32;
    uint32_t s[4];

    for (uint32_t i = 0; i < to->count; i++) {
        s[i] = cvt_step(d, op, decode_operand(d, &from->element[i], wide ? 'l' : 'w'),
                        wide ? SLOT_L : SLOT_W);
    }
    for (uint32_t i = 0; i < to->count; i++) {
        if (to->element[i].kind != PTX_OPERAND_SINK) {
            decode_emit4(d, op, decode_operand(d, &to->element[i], wide ? 'L' : 'W'), s[i], 0, 0);
        }
    }
    return true;
}

/* Half @n of one side of mov.b128: of a register, or {low, high} */
static uint32_t mov_half(struct decoder *d, const struct ptx_operand *o, unsigned n, char letter)
{
    return o->kind == PTX_OPERAND_VECTOR ? decode_operand(d, &o->element[n], letter)
                                         : decode_half_register(d, o, n);
}

static void decode_mov_b128(struct decoder *d)
{
    const struct ptx_operand *to = &d->inst->operand[0], *from = &d->inst->operand[1];
    uint32_t s[2];

    for (unsigned n = 0; n < 2; n++) {
        s[n] = cvt_step(d, PTX_UOP_MOV_B64, mov_half(d, from, n, 'l'), SLOT_L);
    }
    for (unsigned n = 0; n < 2; n++) {
        decode_emit4(d, PTX_UOP_MOV_B64, mov_half(d, to, n, 'L'), s[n], 0, 0);
    }
}

bool decode_mov(struct decoder *d)
{
    enum ptx_type t = inst_type(d->inst, 0);

    if (d->inst->op != PTX_OP_MOV || d->inst->n_types != 1 || d->inst->n_mods != 0) {
        return false;
    }
    if (!decode_operands(d, 2, 2)) {
        return true;
    }
    if (d->inst->vec > 1) {
        return decode_mov_vector(d, t);
    }
    if (t == PTX_B128) {
        decode_mov_b128(d);
        return true;
    }
    if (ptx_type_size(t) > 8 || t == PTX_PRED) {
        return false;
    }
    return decode_pack(d, t);
}

/* cvt */

struct cvt {
    enum ptx_type to, from;
    unsigned flags; /* PTX_FLOAT_, PTX_CVT_INT */
    bool rounded, sat;
};

static bool cvt_mod(struct cvt *c, enum ptx_mod m)
{
    switch (m) {
    case PTX_MOD_RN:
    case PTX_MOD_RZ:
    case PTX_MOD_RM:
    case PTX_MOD_RP:
        c->flags |= m == PTX_MOD_RN   ? PTX_FLOAT_RN
                    : m == PTX_MOD_RZ ? PTX_FLOAT_RZ
                    : m == PTX_MOD_RM ? PTX_FLOAT_RM
                                      : PTX_FLOAT_RP;
        c->rounded = true;
        return true;
    case PTX_MOD_RNI:
    case PTX_MOD_RZI:
    case PTX_MOD_RMI:
    case PTX_MOD_RPI:
        c->flags |= PTX_CVT_INT | (m == PTX_MOD_RNI   ? PTX_FLOAT_RN
                                   : m == PTX_MOD_RZI ? PTX_FLOAT_RZ
                                   : m == PTX_MOD_RMI ? PTX_FLOAT_RM
                                                      : PTX_FLOAT_RP);
        c->rounded = true;
        return true;
    case PTX_MOD_FTZ:
        c->flags |= PTX_FLOAT_FTZ;
        return true;
    case PTX_MOD_SAT:
        c->flags |= PTX_FLOAT_SAT;
        c->sat = true;
        return true;
    case PTX_MOD_RELU:
        c->flags |= PTX_FLOAT_RELU;
        return true;
    default:
        return false;
    }
}

static enum ptx_uop_op extend_op(enum ptx_type t)
{
    switch (ptx_type_size(t)) {
    case 1:
        return type_is_signed(t) ? PTX_UOP_SEXT8_B32 : PTX_UOP_ZEXT8_B32;
    case 2:
        return type_is_signed(t) ? PTX_UOP_SEXT16_B32 : PTX_UOP_ZEXT16_B32;
    default:
        return PTX_UOP_MOV_B32;
    }
}

/* Source operand in the class of its type: a wider register is narrowed first (9.7.9.21). */
static uint32_t cvt_source(struct decoder *d, const struct cvt *c)
{
    const struct ptx_operand *o = &d->inst->operand[1];
    uint32_t s;

    if (ptx_type_size(c->from) < 8 && decode_reg_size(d, o) == 8) {
        s = decode_operand(d, o, 'l');
        return cvt_step(d, PTX_UOP_TRUNC_B32, s, SLOT_W);
    }
    return decode_operand(d, o, type_letter(c->from));
}

/* Where the last micro-op of a conversion to c->to writes; a wider register is extended after. */
static uint32_t cvt_target(struct decoder *d, const struct cvt *c, uint32_t *extend_to)
{
    const struct ptx_operand *o = &d->inst->operand[0];

    *extend_to = SLOT_NONE;
    if (ptx_type_size(c->to) == 8) {
        return decode_operand(d, o, 'L');
    }
    if (decode_reg_size(d, o) == 8) {
        *extend_to = decode_operand(d, o, 'L');
        return decode_temp(d, SLOT_W);
    }
    return decode_operand(d, o, 'W');
}

/* Integer to integer without saturation: at most narrow, extend. */
static void cvt_int(struct decoder *d, const struct cvt *c, uint32_t to, uint32_t from)
{
    uint32_t to_size = ptx_type_size(c->to), from_size = ptx_type_size(c->from);

    if (from_size < 4 && (to_size > from_size || (to_size == 8))) {
        if (to_size < 8) {
            decode_emit4(d, extend_op(c->from), to, from, 0, 0);
            if (to_size < 4 && type_is_signed(c->to) != type_is_signed(c->from)) {
                decode_emit4(d, extend_op(c->to), to, to, 0, 0);
            }
            return;
        }
        from = cvt_step(d, extend_op(c->from), from, SLOT_W);
        from_size = 4;
    }
    if (to_size == 8) {
        decode_emit4(d,
                     from_size == 8            ? PTX_UOP_MOV_B64
                     : type_is_signed(c->from) ? PTX_UOP_SEXT32_B64
                                               : PTX_UOP_ZEXT32_B64,
                     to, from, 0, 0);
        return;
    }
    if (from_size == 8) {
        if (to_size == 4) {
            decode_emit4(d, PTX_UOP_TRUNC_B32, to, from, 0, 0);
            return;
        }
        from = cvt_step(d, PTX_UOP_TRUNC_B32, from, SLOT_W);
    }
    decode_emit4(d, extend_op(c->to), to, from, 0, 0);
}

/* The hot conversions have micro-ops of their own. */
static enum ptx_uop_op cvt_fast(const struct cvt *c)
{
    bool rn = c->rounded && c->flags == PTX_FLOAT_RN;
    bool rzi = c->flags == (PTX_CVT_INT | PTX_FLOAT_RZ);

    if (c->to == PTX_F32 && rn) {
        return c->from == PTX_S32   ? PTX_UOP_CVT_RN_F32_S32
               : c->from == PTX_U32 ? PTX_UOP_CVT_RN_F32_U32
               : c->from == PTX_F64 ? PTX_UOP_CVT_RN_F32_F64
                                    : PTX_UOP_COUNT;
    }
    if (c->from == PTX_F32 && rzi && (c->to == PTX_S32 || c->to == PTX_U32)) {
        return c->to == PTX_S32 ? PTX_UOP_CVT_RZI_S32_F32 : PTX_UOP_CVT_RZI_U32_F32;
    }
    if (c->to == PTX_F64 && c->flags == 0) {
        return c->from == PTX_F32   ? PTX_UOP_CVT_F64_F32
               : c->from == PTX_S32 ? PTX_UOP_CVT_F64_S32
               : c->from == PTX_U32 ? PTX_UOP_CVT_F64_U32
                                    : PTX_UOP_COUNT;
    }
    return PTX_UOP_COUNT;
}

/* Which modifiers a pair of types takes, 9.7.9.21: integer rounding when a float becomes integral,
 * float rounding when bits may get lost. */
static bool cvt_valid(const struct cvt *c)
{
    bool to_float = type_is_float(c->to), from_float = type_is_float(c->from);
    bool integral = c->flags & PTX_CVT_INT;

    if (c->to == PTX_PRED || c->from == PTX_PRED || ptx_type_size(c->to) > 8 ||
        ptx_type_size(c->from) > 8) {
        return false;
    }
    if (!to_float && !from_float) {
        return !c->rounded && !(c->flags & ~PTX_FLOAT_SAT);
    }
    if (!to_float) {
        return c->rounded && integral;
    }
    if (!from_float) {
        return c->rounded && !integral;
    }
    return true;
}

static bool cvt_type_plain(enum ptx_type t)
{
    return (t >= PTX_U8 && t <= PTX_S64) || t == PTX_F16 || t == PTX_BF16 || t == PTX_F32 ||
           t == PTX_F64;
}

static enum ptx_uop_op cvt_general(const struct cvt *c)
{
    bool to = ptx_type_size(c->to) == 8, from = ptx_type_size(c->from) == 8;

    return to ? (from ? PTX_UOP_CVT_LL : PTX_UOP_CVT_LW) : (from ? PTX_UOP_CVT_WL : PTX_UOP_CVT_WW);
}

static void cvt_one(struct decoder *d, const struct cvt *c)
{
    uint32_t extend, from = cvt_source(d, c), to = cvt_target(d, c, &extend);
    enum ptx_uop_op fast = cvt_fast(c);

    if (!type_is_float(c->to) && !type_is_float(c->from) && !c->sat) {
        cvt_int(d, c, to, from);
    } else if (fast != PTX_UOP_COUNT) {
        decode_emit4(d, fast, to, from, 0, 0);
    } else {
        struct ptx_uop *u = decode_emit4(d, cvt_general(c), to, from, 0, 0);

        u->size = (uint8_t)c->to;
        u->vec = (uint8_t)c->from;
        u->sub = (uint8_t)c->flags;
    }
    if (extend != SLOT_NONE) {
        decode_emit4(d, type_is_signed(c->to) ? PTX_UOP_SEXT32_B64 : PTX_UOP_ZEXT32_B64, extend, to,
                     0, 0);
    }
}

/* cvt.rn.f16x2.f32 d, a, b: two results in one register */
static bool cvt_pack2(struct decoder *d, const struct cvt *c)
{
    uint32_t s[3];
    struct ptx_uop *u;

    if (c->from != PTX_F32 || !c->rounded || (c->flags & (PTX_CVT_INT | PTX_FLOAT_FTZ)) ||
        !decode_operands(d, 3, 3)) {
        return d->failed || decode_unsupported(d);
    }
    s[0] = decode_operand(d, &d->inst->operand[0], 'W');
    s[1] = decode_operand(d, &d->inst->operand[1], 'f');
    s[2] = decode_operand(d, &d->inst->operand[2], 'f');
    u = decode_emit4(d, PTX_UOP_CVT_PACK2, s[0], s[1], s[2], 0);
    u->size = c->to == PTX_F16X2 ? PTX_F16 : PTX_BF16;
    u->sub = (uint8_t)c->flags;
    return true;
}

/* Two elements in a register, of 8 bits and less */
static bool cvt_is_small(enum ptx_type t)
{
    return t == PTX_E4M3X2 || t == PTX_E5M2X2 || t == PTX_E2M1X2 || t == PTX_E2M3X2 ||
           t == PTX_E3M2X2 || t == PTX_UE8M0X2;
}

static unsigned cvt_small_words(const struct ptx_inst *i)
{
    return (ptx_inst_has(i, PTX_MOD_RZ)    ? PTX_FLOAT_RZ
            : ptx_inst_has(i, PTX_MOD_RP)  ? PTX_FLOAT_RP
            : ptx_inst_has(i, PTX_MOD_RNA) ? PTX_FLOAT_RNA
                                           : PTX_FLOAT_RN) |
           (ptx_inst_has(i, PTX_MOD_RELU) ? PTX_FLOAT_RELU : 0) |
           (ptx_inst_has(i, PTX_MOD_SATFINITE) ? PTX_FLOAT_SAT : 0);
}

static bool cvt_small(struct decoder *d, enum ptx_type to, enum ptx_type from)
{
    const struct ptx_inst *i = d->inst;
    const bool widen = cvt_is_small(from), two = i->n_operands == 3;
    uint32_t s[3];
    struct ptx_uop *u;

    if (!cvt_is_small(to) && !widen && to != PTX_TF32 && !ptx_inst_has(i, PTX_MOD_SATFINITE)) {
        return false;
    }
    if (ptx_inst_has(i, PTX_MOD_RS) || i->n_operands > 3 ||
        (to == PTX_TF32 && i->n_mods == 1 && i->mod[0] == PTX_MOD_RNA)) {
        return false;
    }
    s[0] = decode_operand(d, &i->operand[0], 'W');
    s[1] = decode_operand(d, &i->operand[1], 'w');
    s[2] = two ? decode_operand(d, &i->operand[2], 'w') : 0;
    u = decode_emit4(d, widen ? PTX_UOP_CVT_WIDEN : PTX_UOP_CVT_SMALL, s[0], s[1], s[2], 0);
    u->size = (uint8_t)(to == PTX_F16X2 && !widen    ? PTX_F16
                        : to == PTX_BF16X2 && !widen ? PTX_BF16
                                                     : to);
    u->vec = (uint8_t)from;
    u->sub = (uint8_t)cvt_small_words(i);
    u->imm = !two && from == PTX_F32;
    if (!two && !widen) {
        u->reads &= (uint8_t)~4u;
    }
    return true;
}

bool decode_cvt(struct decoder *d)
{
    struct cvt c = { .to = inst_type(d->inst, 0), .from = inst_type(d->inst, 1) };

    if (d->inst->op != PTX_OP_CVT || d->inst->n_types != 2) {
        return false;
    }
    if (cvt_small(d, c.to, c.from)) {
        return true;
    }
    for (unsigned i = 0; i < d->inst->n_mods; i++) {
        if (!cvt_mod(&c, (enum ptx_mod)d->inst->mod[i])) {
            return decode_unsupported(d);
        }
    }
    if (c.to == PTX_F16X2 || c.to == PTX_BF16X2) {
        return cvt_pack2(d, &c);
    }
    if (!cvt_valid(&c) || !cvt_type_plain(c.to) || !cvt_type_plain(c.from)) {
        return decode_unsupported(d);
    }
    if (decode_operands(d, 2, 2)) {
        cvt_one(d, &c);
    }
    return true;
}

/* cvta, isspacep. Global and constant addresses are generic ones as they are. */

static enum ptx_uop_op cvta_op(const struct decoder *d)
{
    bool to = d->inst->to;

    switch (d->inst->space) {
    case PTX_SPACE_GLOBAL:
    case PTX_SPACE_CONST:
        return PTX_UOP_MOV_B64;
    case PTX_SPACE_SHARED:
        return to ? PTX_UOP_CVTA_TO_SHARED : PTX_UOP_CVTA_SHARED;
    case PTX_SPACE_LOCAL:
        return to ? PTX_UOP_CVTA_TO_LOCAL : PTX_UOP_CVTA_LOCAL;
    case PTX_SPACE_PARAM: /* a function's parameters lie in its local frame */
        return to ? PTX_UOP_COUNT : d->f->is_entry ? PTX_UOP_CVTA_PARAM : PTX_UOP_CVTA_LOCAL;
    default:
        return PTX_UOP_COUNT;
    }
}

static bool decode_isspacep(struct decoder *d)
{
    const bool cluster = ptx_inst_has(d->inst, PTX_MOD_SHARED_CLUSTER);
    struct ptx_uop *u;
    uint32_t p, a;

    if (d->inst->n_mods != cluster || d->inst->space == PTX_SPACE_NONE ||
        !decode_operands(d, 2, 2)) {
        return d->failed;
    }
    p = decode_operand(d, &d->inst->operand[0], 'P');
    if (decode_reg_size(d, &d->inst->operand[1]) ==
        4) { /* an address of 32 bits, as ptxas takes it */
        a = cvt_step(d, PTX_UOP_ZEXT32_B64, decode_operand(d, &d->inst->operand[1], 'w'), SLOT_L);
    } else {
        a = decode_operand(d, &d->inst->operand[1], 'l');
    }
    u = decode_emit4(d, PTX_UOP_ISSPACEP, p, a, 0, 0);
    u->sub = (uint8_t)d->inst->space;
    u->flags = cluster ? PTX_CLUSTER_ANY : 0;
    return true;
}

bool decode_cvta(struct decoder *d)
{
    enum ptx_uop_op op;
    uint32_t to, from;

    if (d->inst->op == PTX_OP_ISSPACEP) {
        return decode_isspacep(d);
    }
    if (d->inst->op != PTX_OP_CVTA) {
        return false;
    }
    op = cvta_op(d);
    if (op == PTX_UOP_COUNT || inst_type(d->inst, 0) != PTX_U64 ||
        d->inst->n_mods != ptx_inst_has(d->inst, PTX_MOD_SHARED_CLUSTER)) {
        return decode_unsupported(d);
    }
    if (decode_operands(d, 2, 2)) {
        to = decode_operand(d, &d->inst->operand[0], 'L');
        from = decode_operand(d, &d->inst->operand[1], 'l');
        decode_emit4(d, op, to, from, 0, 0);
    }
    return true;
}
