/* SPDX-License-Identifier: MIT */
/* Operands become slots: registers, literals, special registers, addresses of symbols. */
#include "ptx/decode_priv.h"
#include <string.h>

/* Micro-ops and slots */

void decode_set_field(struct ptx_uop *u, unsigned field, uint32_t slot)
{
    uint32_t *const f[] = { &u->d, &u->a, &u->b, &u->c, &u->e };

    *f[field] = slot;
}

/* Which fields are slots, from the letters of uop.def; "?" leaves it to the caller. */
static void uop_set_access(struct ptx_uop *u)
{
    const char *letters = ptx_uop_operands((enum ptx_uop_op)u->op);

    if (letters[0] == '?') {
        return;
    }
    for (unsigned i = 0; letters[i]; i++) {
        if (g_ascii_isupper(letters[i])) {
            u->writes |= (uint8_t)(1u << i);
        } else {
            u->reads |= (uint8_t)(1u << i);
        }
    }
}

struct ptx_uop *decode_emit(struct decoder *d, enum ptx_uop_op op)
{
    struct ptx_uop u = {
        .op = (uint16_t)op,
        .inst = (uint32_t)(d->inst - d->f->inst),
        .guard = d->guard,
        .guard_xor = d->guard_xor,
    };

    uop_set_access(&u);
    g_array_append_val(d->uops, u);
    return &g_array_index(d->uops, struct ptx_uop, d->uops->len - 1);
}

struct ptx_uop *decode_emit4(struct decoder *d, enum ptx_uop_op op, uint32_t s0, uint32_t s1,
                             uint32_t s2, uint32_t s3)
{
    struct ptx_uop *u = decode_emit(d, op);

    u->d = s0;
    u->a = s1;
    u->b = s2;
    u->c = s3;
    return u;
}

static uint32_t slot_new(struct decoder *d, enum slot_class cls)
{
    struct slot s = { .cls = (uint8_t)cls };

    g_array_append_val(d->slots, s);
    return d->slots->len - 1;
}

uint32_t decode_temp(struct decoder *d, enum slot_class cls)
{
    return slot_new(d, cls);
}

uint32_t decode_sink(struct decoder *d, enum slot_class cls)
{
    if (d->sink[cls] == SLOT_NONE) {
        d->sink[cls] = slot_new(d, cls);
    }
    return d->sink[cls];
}

guint decode_constant_hash(gconstpointer key)
{
    const struct slot *s = key;

    return (guint)(s->init.value * 0x9e3779b97f4a7c15u >> 32) ^ s->cls ^ s->init.kind * 31u ^
           s->init.special * 1031u;
}

gboolean decode_constant_equal(gconstpointer a, gconstpointer b)
{
    const struct slot *x = a, *y = b;

    return x->cls == y->cls && x->init.kind == y->init.kind && x->init.special == y->init.special &&
           x->init.value == y->init.value;
}

static uint32_t slot_constant(struct decoder *d, enum slot_class cls, enum ptx_const_kind kind,
                              enum ptx_special special, uint64_t value)
{
    struct slot key = { .cls = (uint8_t)cls, .constant = true };
    uint32_t id;

    key.init.kind = (uint8_t)kind;
    key.init.special = (uint16_t)special;
    key.init.wide = cls == SLOT_L;
    key.init.value = cls == SLOT_W && kind == PTX_CONST_VALUE ? (uint32_t)value : value;
    id = GPOINTER_TO_UINT(g_hash_table_lookup(d->constants, &key));
    if (!id) {
        g_array_append_val(d->slots, key);
        id = d->slots->len;
        g_hash_table_insert(d->constants, g_memdup2(&key, sizeof(key)), GUINT_TO_POINTER(id));
    }
    return id - 1;
}

uint32_t decode_value(struct decoder *d, enum slot_class cls, uint64_t value)
{
    return slot_constant(d, cls, PTX_CONST_VALUE, PTX_SPECIAL_NONE, value);
}

/* Operands */

static enum slot_class letter_class(char letter)
{
    switch (g_ascii_tolower(letter)) {
    case 'p':
        return SLOT_P;
    case 'l':
    case 'g':
        return SLOT_L;
    default:
        return SLOT_W;
    }
}

static enum slot_class type_class(enum ptx_type t)
{
    return t == PTX_PRED ? SLOT_P : ptx_type_size(t) == 8 ? SLOT_L : SLOT_W;
}

uint32_t decode_half_register(struct decoder *d, const struct ptx_operand *o, unsigned n)
{
    uint32_t *slot;

    if (o->kind != PTX_OPERAND_REG) {
        return decode_sink(d, SLOT_L);
    }
    slot = &d->reg_slot[(uint32_t)o->reg + n * d->f->n_regs];
    if (*slot == SLOT_NONE) {
        *slot = slot_new(d, SLOT_L);
    }
    return *slot;
}

uint32_t decode_reg_size(const struct decoder *d, const struct ptx_operand *o)
{
    return o->kind == PTX_OPERAND_REG ? ptx_type_size(d->f->regs[o->reg].type) : 0;
}

uint32_t decode_register(struct decoder *d, const struct ptx_operand *o, enum slot_class cls)
{
    const struct ptx_reg *r = &d->f->regs[o->reg];

    if (ptx_type_size(r->type) > 8 || type_class(r->type) != cls) {
        decode_fail(d, "line %u: register %s has type .%s, which does not fit `%s`",
                    d->inst->pos.line, r->name, ptx_type_name(r->type), d->inst->spelling);
        return 0;
    }
    if (d->reg_slot[o->reg] == SLOT_NONE) {
        d->reg_slot[o->reg] = slot_new(d, cls);
    }
    return d->reg_slot[o->reg];
}

/* The clocks change during a warp's life: each reading is a micro-op of its own. */
static uint32_t operand_clock(struct decoder *d, enum ptx_special s, enum slot_class cls)
{
    bool timer = s == PTX_SPECIAL_GLOBALTIMER || s == PTX_SPECIAL_GLOBALTIMER_LO ||
                 s == PTX_SPECIAL_GLOBALTIMER_HI;
    bool high = s == PTX_SPECIAL_CLOCK_HI || s == PTX_SPECIAL_GLOBALTIMER_HI;
    uint32_t t = decode_temp(d, cls);
    struct ptx_uop *u;

    if (cls == SLOT_L) {
        u = decode_emit4(d, timer ? PTX_UOP_MOV_TIMER64 : PTX_UOP_MOV_CLOCK64, t, 0, 0, 0);
    } else {
        u = decode_emit4(d, timer ? PTX_UOP_MOV_TIMER : PTX_UOP_MOV_CLOCK, t, 0, 0, 0);
        u->sub = high ? 32 : 0;
    }
    return t;
}

static uint32_t operand_special(struct decoder *d, enum ptx_special s, enum slot_class cls)
{
    switch (s) {
    case PTX_SPECIAL_CLOCK:
    case PTX_SPECIAL_CLOCK_HI:
    case PTX_SPECIAL_CLOCK64:
    case PTX_SPECIAL_GLOBALTIMER:
    case PTX_SPECIAL_GLOBALTIMER_LO:
    case PTX_SPECIAL_GLOBALTIMER_HI:
        return operand_clock(d, s, cls);
    default:
        return slot_constant(d, cls, PTX_CONST_SPECIAL, s, 0);
    }
}

static uint64_t float_bits(double v)
{
    float f = (float)v;
    uint32_t bits;

    memcpy(&bits, &f, sizeof(bits));
    return bits;
}

static uint64_t double_bits(double v)
{
    uint64_t bits;

    memcpy(&bits, &v, sizeof(bits));
    return bits;
}

static double bits_double(uint64_t bits)
{
    double v;

    memcpy(&v, &bits, sizeof(v));
    return v;
}

static double bits_float(uint64_t bits)
{
    uint32_t low = (uint32_t)bits;
    float v;

    memcpy(&v, &low, sizeof(v));
    return v;
}

/* A literal in the type that the instruction wants, PTX ISA 4.5. */
static uint64_t literal_bits(const struct ptx_operand *o, char letter)
{
    bool to_float = letter == 'f' || letter == 'g';

    switch (o->kind) {
    case PTX_OPERAND_F32:
        return letter == 'g' ? double_bits(bits_float((uint64_t)o->imm)) : (uint32_t)o->imm;
    case PTX_OPERAND_F64:
        return letter == 'f' || letter == 'w' ? float_bits(bits_double((uint64_t)o->imm))
                                              : (uint64_t)o->imm;
    default:
        if (to_float) {
            return letter == 'f' ? float_bits((double)o->imm) : double_bits((double)o->imm);
        }
        return (uint64_t)o->imm;
    }
}

static bool func_owns_param(const struct ptx_func *f, const struct ptx_var *v)
{
    for (uint32_t i = 0; i < f->n_params; i++) {
        if (f->params[i] == v) {
            return true;
        }
    }
    return false;
}

uint32_t decode_local_slot(struct decoder *d, uint64_t offset)
{
    return slot_constant(d, SLOT_L, PTX_CONST_LOCAL, PTX_SPECIAL_NONE, offset);
}

/* A .local variable of the module lies in the frame of the kernel that names it. One that functions
 * share would need a frame of the whole stack. */
static bool symbol_local_place(struct decoder *d, const struct ptx_var *v)
{
    uint32_t at;

    if (g_hash_table_contains(d->places, v)) {
        return true;
    }
    if (!d->f->is_entry) {
        return !decode_lack(d, "line %u: %s, a .local variable of the module in a function (%s)",
                            d->inst->pos.line, v->name, d->f->name);
    }
    at = decode_local_place(d, v->size, MAX(v->align, 1u));
    g_hash_table_insert(d->places, (gpointer)v, GUINT_TO_POINTER(at + 1));
    return true;
}

/* What a name stands for in its own space. Return: false after decode_fail() */
static bool symbol_place(struct decoder *d, const struct ptx_operand *o, enum ptx_const_kind *kind,
                         uint64_t *value)
{
    const struct ptx_var *v = o->var;
    bool outside = v && v->space == PTX_SPACE_SHARED && v->linkage == PTX_LINK_EXTERN;
    uint32_t place = v ? GPOINTER_TO_UINT(g_hash_table_lookup(d->places, v)) : 0;

    *kind = PTX_CONST_VALUE;
    *value = (uint64_t)o->imm + (o->func ? ptx_func_address(o->func) : 0);
    if (o->func && ptx_func_find(d->m, o->func->name)->is_extern) {
        return !decode_fail(d, "line %u: `%s` has no address: no module defines it",
                            d->inst->pos.line, o->func->name);
    }
    if (o->func || !v) {
        return true;
    }
    if (ptx_type_is_ref(v->type) && v->space == PTX_SPACE_GLOBAL) {
        *kind = PTX_CONST_REF;
        *value = v->ref;
        return true;
    }
    if (v->space == PTX_SPACE_LOCAL && !place) {
        if (!symbol_local_place(d, v)) {
            return false;
        }
        place = GPOINTER_TO_UINT(g_hash_table_lookup(d->places, v));
    }
    if (place) {
        *kind = PTX_CONST_LOCAL;
        *value += place - 1;
        return true;
    }
    if (outside && v->size == 0) {
        *kind = PTX_CONST_DYNAMIC_SHARED;
        return true;
    }
    *value += outside ? d->f->shared_bytes : v->offset;
    *kind = v->space == PTX_SPACE_GLOBAL                                        ? PTX_CONST_GLOBAL
            : v->space == PTX_SPACE_CONST                                       ? PTX_CONST_CONST
            : v->space == PTX_SPACE_SHARED && d->m->target_sm >= PTX_CLUSTER_SM ? PTX_CONST_SHARED
                                                                                : PTX_CONST_VALUE;
    if (*kind == PTX_CONST_VALUE && v->space != PTX_SPACE_SHARED &&
        !(v->space == PTX_SPACE_PARAM && d->f->is_entry && func_owns_param(d->f, v))) {
        return !decode_fail(d, "line %u: the address of %s cannot be taken here", d->inst->pos.line,
                            v->name);
    }
    return true;
}

uint32_t decode_symbol(struct decoder *d, const struct ptx_operand *o, enum slot_class cls)
{
    enum ptx_const_kind kind;
    uint64_t value;

    return symbol_place(d, o, &kind, &value) ? slot_constant(d, cls, kind, PTX_SPECIAL_NONE, value)
                                             : 0;
}

/* PTX ISA 9.7.9.8: without a state space the address is generic. A kernel's parameters and
 * constants have generic addresses, too, but ptxas 13 takes their names with .param and .const
 * alone. */
static bool name_fits(const struct ptx_var *v, enum ptx_space space)
{
    return space == PTX_SPACE_NONE ? v->space == PTX_SPACE_GLOBAL || v->space == PTX_SPACE_SHARED ||
                                         v->space == PTX_SPACE_LOCAL
                                   : v->space == space;
}

static enum ptx_const_kind kind_generic(enum ptx_const_kind kind, enum ptx_space space)
{
    return kind == PTX_CONST_DYNAMIC_SHARED ? PTX_CONST_GENERIC_DYNAMIC_SHARED
           : space == PTX_SPACE_SHARED      ? PTX_CONST_GENERIC_SHARED
           : space == PTX_SPACE_LOCAL       ? PTX_CONST_GENERIC_LOCAL
                                            : kind;
}

uint32_t decode_name(struct decoder *d, const struct ptx_operand *o, enum ptx_space space,
                     enum slot_class cls)
{
    enum ptx_const_kind kind;
    uint64_t value;

    if (o->var && !name_fits(o->var, space)) {
        decode_fail(d, "line %u: state space mismatch: %s is not in the space that `%s` accesses",
                    d->inst->pos.line, o->var->name, d->inst->spelling);
        return 0;
    }
    if (o->var && o->var->type >= PTX_TEXREF && d->inst->op != PTX_OP_CVTA) {
        decode_fail(d, "line %u: `%s` cannot access %s, which is a .%s", d->inst->pos.line,
                    d->inst->spelling, o->var->name, ptx_type_name(o->var->type));
        return 0;
    }
    if (!symbol_place(d, o, &kind, &value)) {
        return 0;
    }
    kind = o->var && space == PTX_SPACE_NONE ? kind_generic(kind, o->var->space) : kind;
    return slot_constant(d, cls, kind, PTX_SPECIAL_NONE, value);
}

/* !p as a source: its complement in a slot of its own */
static uint32_t operand_not(struct decoder *d, uint32_t slot)
{
    uint32_t t = decode_temp(d, SLOT_P);

    decode_emit4(d, PTX_UOP_NOT_PRED, t, slot, 0, 0);
    return t;
}

/* register + constant, which ptxas computes before the instruction */
static uint32_t operand_sum(struct decoder *d, const struct ptx_operand *o, uint32_t slot,
                            enum slot_class cls)
{
    enum ptx_type t = d->f->regs[o->reg].type;
    uint32_t to = decode_temp(d, cls);

    if (cls == SLOT_P || t == PTX_F16 || t == PTX_F32 || t == PTX_F64) {
        decode_lack(d, "line %u: `%s` with a sum of a register of type .%s (function %s)",
                    d->inst->pos.line, d->inst->spelling, ptx_type_name(t), d->f->name);
        return 0;
    }
    decode_emit4(d, cls == SLOT_L ? PTX_UOP_ADD_B64 : PTX_UOP_ADD_B32, to, slot,
                 decode_value(d, cls, (uint64_t)o->imm), 0);
    return to;
}

static uint32_t operand_source(struct decoder *d, const struct ptx_operand *o, char letter)
{
    enum slot_class cls = letter_class(letter);
    uint32_t slot;

    switch (o->kind) {
    case PTX_OPERAND_REG:
        slot = decode_register(d, o, cls);
        if (o->imm) {
            return operand_sum(d, o, slot, cls);
        }
        return o->negated && cls == SLOT_P ? operand_not(d, slot) : slot;
    case PTX_OPERAND_SPECIAL:
        return operand_special(d, o->special, cls);
    case PTX_OPERAND_IMM:
    case PTX_OPERAND_F32:
    case PTX_OPERAND_F64:
        if (cls == SLOT_P) {
            return decode_value(d, SLOT_P, (o->imm != 0) != o->negated ? UINT32_MAX : 0);
        }
        return decode_value(d, cls, literal_bits(o, letter));
    case PTX_OPERAND_SYMBOL:
        return decode_symbol(d, o, cls);
    default:
        break;
    }
    decode_fail(d, "line %u: an operand of this kind does not belong here", d->inst->pos.line);
    return 0;
}

uint32_t decode_operand(struct decoder *d, const struct ptx_operand *o, char letter)
{
    if (g_ascii_islower(letter)) {
        return operand_source(d, o, letter);
    }
    if (o->kind == PTX_OPERAND_SINK) {
        return decode_sink(d, letter_class(letter));
    }
    if (o->kind != PTX_OPERAND_REG) {
        decode_fail(d, "line %u: the destination must be a register", d->inst->pos.line);
        return 0;
    }
    return decode_register(d, o, letter_class(letter));
}

uint32_t decode_local_place(struct decoder *d, uint64_t size, uint32_t align)
{
    uint64_t a = MAX(align, 1u), at = (d->local_bytes + a - 1) / a * a;

    if (size > (1u << 24) || at + size > (1u << 24)) {
        decode_fail(d, "function %s needs more than 16 MiB of local memory", d->f->name);
        return 0;
    }
    d->local_bytes = at + size;
    return (uint32_t)at;
}
