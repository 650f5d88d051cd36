/* SPDX-License-Identifier: MIT */
/* Which operands an instruction takes: PTX ISA 9.4 (types), 4.5 (constants), 9.7.9 (mov). */
#include "ptx/isa.h"

enum kind { KIND_BITS, KIND_INT, KIND_FLOAT, KIND_PRED };

static enum kind type_kind(enum ptx_type t)
{
    switch (t) {
    case PTX_PRED:
        return KIND_PRED;
    case PTX_F16:
    case PTX_BF16:
    case PTX_BF16X2:
    case PTX_TF32:
    case PTX_F32:
    case PTX_F64:
    case PTX_F32X2:
        return KIND_FLOAT;
    case PTX_U8:
    case PTX_U16:
    case PTX_U32:
    case PTX_U64:
    case PTX_S8:
    case PTX_S16:
    case PTX_S32:
    case PTX_S64:
    case PTX_F16X2: /* ptxas takes such a register for an integer of 32 bits */
    case PTX_U16X2:
    case PTX_S16X2:
        return KIND_INT;
    default:
        return KIND_BITS;
    }
}

bool isa_register_fits(enum ptx_type type, enum ptx_type reg, bool wider)
{
    enum kind want = type_kind(type), have = type_kind(reg);
    uint32_t bytes = ptx_type_size(type), room = ptx_type_size(reg);

    if (want == KIND_PRED || have == KIND_PRED) {
        return want == have;
    }
    if (wider ? room < bytes : room != bytes) {
        return false;
    }
    if (want == KIND_BITS || have == KIND_BITS) {
        return true;
    }
    return want == have && (want == KIND_INT || type == reg);
}

static bool constant_fits(enum ptx_type type, const struct ptx_operand *o, bool wider)
{
    enum kind want = type_kind(type);
    uint32_t bytes = ptx_type_size(type);

    if (o->kind == PTX_OPERAND_IMM) {
        return want != KIND_FLOAT && bytes <= 8;
    }
    if (want == KIND_BITS) { /* 0f.. has 32 bits, all others 64 */
        return wider || bytes == (o->kind == PTX_OPERAND_F32 ? 4u : 8u);
    }
    return want == KIND_FLOAT;
}

static bool is_constant(const struct ptx_operand *o)
{
    return o->kind == PTX_OPERAND_IMM || o->kind == PTX_OPERAND_F32 || o->kind == PTX_OPERAND_F64;
}

static bool typed_fits(const struct ptx_func *func, const struct ptx_operand *o, enum ptx_type type,
                       bool wider)
{
    if (o->kind == PTX_OPERAND_REG) {
        return isa_register_fits(type, func->regs[o->reg].type, wider);
    }
    return is_constant(o) && constant_fits(type, o, wider);
}

static bool vector_fits(const struct ptx_func *func, const struct ptx_inst *inst,
                        const struct ptx_operand *o)
{
    if (o->kind != PTX_OPERAND_VECTOR || o->count != inst->vec) {
        return false;
    }
    for (uint32_t i = 0; i < o->count; i++) {
        if (o->element[i].kind != PTX_OPERAND_SINK &&
            !typed_fits(func, &o->element[i], (enum ptx_type)inst->type[0], true)) {
            return false;
        }
    }
    return true;
}

static bool predicate_fits(const struct ptx_func *func, const struct ptx_operand *o)
{
    return o->kind == PTX_OPERAND_IMM ||
           (o->kind == PTX_OPERAND_REG && func->regs[o->reg].type == PTX_PRED);
}

static bool wide_fits(const struct ptx_func *func, const struct ptx_operand *o, enum ptx_type t)
{
    return typed_fits(func, o, ptx_type_size(t) == 2 ? PTX_U32 : PTX_U64, false);
}

/* Return: 0 if a register of 32 or 64 bits may have it. */
static uint32_t special_bytes(enum ptx_special s)
{
    switch (s) {
    case PTX_SPECIAL_CLOCK64:
    case PTX_SPECIAL_GLOBALTIMER:
    case PTX_SPECIAL_CURRENT_GRAPH_EXEC:
        return 8;
    case PTX_SPECIAL_GRIDID:
        return 0;
    default:
        return s >= PTX_SPECIAL_PM0_64 && s <= PTX_SPECIAL_PM7_64 ? 8 : 4;
    }
}

/* cvt between integers reads the low bits of a special register, too: PTX ISA 10.1 ("16-bit mov and
 * cvt"), and as ptxas takes it from any of them */
static bool cvt_source_fits(const struct ptx_func *func, const struct ptx_inst *inst,
                            const struct ptx_operand *o)
{
    const enum ptx_type to = (enum ptx_type)inst->type[0], from = (enum ptx_type)inst->type[1];
    uint32_t bytes;

    if (o->kind != PTX_OPERAND_SPECIAL) {
        return typed_fits(func, o, from, true);
    }
    bytes = special_bytes(o->special);
    return type_kind(to) == KIND_INT && type_kind(from) == KIND_INT &&
           ptx_type_size(from) <= (bytes ? bytes : 8);
}

/* The instruction's own types */
static bool letter_fits(const struct ptx_func *func, const struct ptx_inst *inst,
                        const struct ptx_operand *o, char letter)
{
    const enum ptx_type t = (enum ptx_type)inst->type[0];

    switch (letter) {
    case 'o':
        return o->kind == PTX_OPERAND_SINK || typed_fits(func, o, t, false);
    case 'D':
        return inst->vec > 1 ? vector_fits(func, inst, o) : typed_fits(func, o, t, true);
    case 'S':
        return cvt_source_fits(func, inst, o);
    case 'w':
        return wide_fits(func, o, t);
    default:
        return typed_fits(func, o, (enum ptx_type)inst->type[letter - '0'], false);
    }
}

bool isa_operand_fits(const struct ptx_func *func, const struct ptx_inst *inst,
                      const struct ptx_operand *o, char letter)
{
    switch (letter) {
    case 'p':
        return predicate_fits(func, o);
    case 'q':
        return o->kind == PTX_OPERAND_SINK || predicate_fits(func, o);
    case 'i':
        return typed_fits(func, o, PTX_U32, false);
    case 'h':
        return typed_fits(func, o, PTX_U16, false);
    case 'l':
        return typed_fits(func, o, PTX_U64, false);
    case 'f':
        return typed_fits(func, o, PTX_F32, false);
    case 'a': /* an element of an array is one, too: 6.4.2 */
        return o->kind == PTX_OPERAND_ADDRESS || o->kind == PTX_OPERAND_SYMBOL;
    case 'c':
        return is_constant(o);
    case '.':
        return true;
    case '_':
        return o->kind == PTX_OPERAND_SINK;
    default:
        return letter_fits(func, inst, o, letter);
    }
}

/* mov, 9.7.9.3 to 9.7.9.5 */

static bool special_fits(enum ptx_special s, enum ptx_type t)
{
    uint32_t bytes = ptx_type_size(t), want = special_bytes(s);

    if (s == PTX_SPECIAL_IS_EXPLICIT_CLUSTER || t == PTX_PRED) { /* a predicate, 10.18 */
        return s == PTX_SPECIAL_IS_EXPLICIT_CLUSTER && t == PTX_PRED;
    }
    return type_kind(t) != KIND_FLOAT &&
           (want == 0 ||
            (want == 8 ? bytes == 8 : bytes == 4 || (bytes == 2 && s <= PTX_SPECIAL_NCTAID_Z)));
}

/* {a, b} = c: elements of equal size that fill the scalar's bits */
static bool pack_fits(const struct ptx_func *func, const struct ptx_operand *v, enum ptx_type t)
{
    uint32_t bytes = v->count ? ptx_type_size(t) / v->count : 0;

    if (type_kind(t) != KIND_BITS || (v->count != 2 && v->count != 4) || bytes == 0) {
        return false;
    }
    for (uint32_t i = 0; i < v->count; i++) {
        const struct ptx_operand *e = &v->element[i];

        if (e->kind == PTX_OPERAND_REG && ptx_type_size(func->regs[e->reg].type) != bytes) {
            return false;
        }
    }
    return true;
}

static bool mov_source_fits(const struct ptx_func *func, const struct ptx_operand *o,
                            enum ptx_type t)
{
    if (o->kind == PTX_OPERAND_SPECIAL) {
        return special_fits(o->special, t);
    }
    if (o->kind == PTX_OPERAND_SYMBOL) {
        return type_kind(t) != KIND_FLOAT && t != PTX_PRED;
    }
    return (t == PTX_PRED && predicate_fits(func, o)) || typed_fits(func, o, t, false);
}

static bool mov_vector_fits(const struct ptx_func *func, const struct ptx_inst *inst)
{
    const struct ptx_operand *d = &inst->operand[0], *s = &inst->operand[1];
    const enum ptx_type t = (enum ptx_type)inst->type[0];

    if (d->kind != PTX_OPERAND_VECTOR || s->kind != PTX_OPERAND_VECTOR || d->count != inst->vec ||
        s->count != inst->vec) {
        return false;
    }
    for (uint32_t i = 0; i < d->count; i++) {
        const struct ptx_operand *e = &d->element[i];

        if ((e->kind != PTX_OPERAND_SINK && !typed_fits(func, e, t, false)) ||
            !mov_source_fits(func, &s->element[i], t)) {
            return false;
        }
    }
    return true;
}

bool isa_mov_fits(const struct ptx_func *func, const struct ptx_inst *inst)
{
    const struct ptx_operand *d = &inst->operand[0], *s = &inst->operand[1];
    const enum ptx_type t = (enum ptx_type)inst->type[0];

    if (inst->vec > 1) {
        return mov_vector_fits(func, inst);
    }
    if (d->kind == PTX_OPERAND_VECTOR || s->kind == PTX_OPERAND_VECTOR) {
        const struct ptx_operand *v = d->kind == PTX_OPERAND_VECTOR ? d : s, *x = v == d ? s : d;

        return pack_fits(func, v, t) && x->kind != PTX_OPERAND_VECTOR &&
               mov_source_fits(func, x, t);
    }
    return d->kind == PTX_OPERAND_REG && isa_register_fits(t, func->regs[d->reg].type, false) &&
           mov_source_fits(func, s, t);
}
