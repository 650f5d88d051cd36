/* SPDX-License-Identifier: MIT */
/* ld, st, atom, red, prefetch, fences, stack: PTX ISA 9.7.9, 9.7.13, 9.7.17. */
#include "ptx/decode_priv.h"

struct access {
    uint8_t scope, order, how;
    bool nc;
    unsigned extra; /* operands that are hints only: L2::cache_hint */
};

/* Modifiers that order, scope or hint an access; hints do not change a result here. */
static bool access_mod(struct access *a, enum ptx_mod m)
{
    switch (m) {
    case PTX_MOD_VOLATILE: /* 9.7.9.8: as .relaxed with system scope */
    case PTX_MOD_MMIO:
    case PTX_MOD_SYS:
        a->scope = PTX_SCOPE_SYS;
        return true;
    case PTX_MOD_CTA:
        a->scope = PTX_SCOPE_CTA;
        return true;
    case PTX_MOD_CLUSTER: /* to the memory behind the SM as gpu, which covers it */
        a->order |= PTX_ORDER_CLUSTER;
        a->scope = PTX_SCOPE_GPU;
        return true;
    case PTX_MOD_GPU:
    case PTX_MOD_GL:
        a->scope = PTX_SCOPE_GPU;
        return true;
    case PTX_MOD_SHARED_CLUSTER: /* an address says itself of which block it is */
    case PTX_MOD_MBARRIER_INIT:  /* of fence: its release is that of all stores, too */
        return true;
    case PTX_MOD_ACQUIRE:
        a->order |= PTX_ORDER_ACQUIRE;
        return true;
    case PTX_MOD_RELEASE:
        a->order |= PTX_ORDER_RELEASE;
        return true;
    case PTX_MOD_ACQ_REL:
    case PTX_MOD_SC:
        a->order |= PTX_ORDER_ACQUIRE | PTX_ORDER_RELEASE;
        return true;
    case PTX_MOD_NC:
        a->nc = true;
        a->how |= PTX_HOW_CA;
        return true;
    case PTX_MOD_CA:
        a->how |= PTX_HOW_CA;
        return true;
    case PTX_MOD_CG: /* 9.7.9.1: cached at the global level alone; .cv: not at all */
    case PTX_MOD_CV:
    case PTX_MOD_L1_NO_ALLOCATE:
        a->how |= PTX_HOW_PAST;
        return true;
    case PTX_MOD_L2_CACHE_HINT:
        a->extra = 1;
        return true;
    case PTX_MOD_RELAXED:
    case PTX_MOD_WEAK:
    case PTX_MOD_CS:
    case PTX_MOD_LU:
    case PTX_MOD_WB:
    case PTX_MOD_WT:
    case PTX_MOD_L1_EVICT_NORMAL:
    case PTX_MOD_L1_EVICT_UNCHANGED:
    case PTX_MOD_L1_EVICT_FIRST:
    case PTX_MOD_L1_EVICT_LAST:
    case PTX_MOD_L2_EVICT_NORMAL:
    case PTX_MOD_L2_EVICT_FIRST:
    case PTX_MOD_L2_EVICT_LAST:
    case PTX_MOD_L2_64B:
    case PTX_MOD_L2_128B:
    case PTX_MOD_L2_256B:
        return true;
    default:
        return false;
    }
}

static bool address_is_local_param(const struct decoder *d, const struct ptx_operand *o)
{
    return o->var && o->var->space == PTX_SPACE_PARAM && g_hash_table_contains(d->places, o->var);
}

bool decode_address(struct decoder *d, const struct ptx_operand *o, enum ptx_space space,
                    struct address *a)
{
    *a = (struct address){ 0 };
    if (o->kind != PTX_OPERAND_ADDRESS && o->kind != PTX_OPERAND_SYMBOL) {
        decode_fail(d, "line %u: an address in brackets is expected", d->inst->pos.line);
        return false;
    }
    if (o->kind == PTX_OPERAND_ADDRESS && o->reg >= 0) {
        struct ptx_operand r = { .kind = PTX_OPERAND_REG, .reg = o->reg };

        a->a32 = decode_reg_size(d, &r) < 8;
        a->slot = decode_operand(d, &r, a->a32 ? 'w' : 'l');
        a->imm = o->imm;
        return !d->failed;
    }
    a->local = address_is_local_param(d, o);
    a->a32 = space == PTX_SPACE_SHARED;
    a->slot = decode_name(d, o, space, a->a32 ? SLOT_W : SLOT_L);
    return !d->failed;
}

bool decode_values(struct decoder *d, const struct ptx_operand *o, bool write, enum ptx_type t,
                   struct ptx_uop *u)
{
    uint32_t *const field[] = { &u->d, &u->b, &u->c, &u->e };
    static const uint8_t bit[] = { 1, 4, 8, 16 };
    unsigned n = o->kind == PTX_OPERAND_VECTOR ? o->count : 1;
    const struct ptx_operand *e = n > 1 ? o->element : o;
    bool wide = ptx_type_size(t) == 8;
    char letter;

    if (n > 4 || (n == 1 && d->inst->vec > 1)) {
        return !decode_unsupported(d);
    }
    for (unsigned i = 0; i < n; i++) {
        wide = wide || decode_reg_size(d, &e[i]) == 8;
    }
    letter = t == PTX_F32 ? 'f' : t == PTX_F64 ? 'g' : wide ? 'l' : 'w';
    if (wide && letter == 'f') {
        letter = 'l';
    }
    for (unsigned i = 0; i < n; i++) {
        *field[i] = decode_operand(d, &e[i], write ? (char)g_ascii_toupper(letter) : letter);
        if (write) {
            u->writes |= bit[i];
        } else {
            u->reads |= bit[i];
        }
    }
    u->flags |= wide ? PTX_MEM_WIDE : 0;
    u->vec = (uint8_t)n;
    u->size = (uint8_t)ptx_type_size(t);
    return !d->failed;
}

/* .b128 is a vector of two halves. */
static bool values_b128(struct decoder *d, const struct ptx_operand *o, bool write,
                        struct ptx_uop *u)
{
    u->d = decode_half_register(d, o, 0);
    u->b = decode_half_register(d, o, 1);
    u->writes = write ? 1 | 4 : 0;
    u->reads = write ? 0 : 1 | 4;
    u->flags |= PTX_MEM_WIDE;
    u->vec = 2;
    u->size = 8;
    return !d->failed;
}

static enum ptx_uop_op ld_op(const struct decoder *d, const struct address *a)
{
    switch (d->inst->space) {
    case PTX_SPACE_NONE:
        return PTX_UOP_LD_GENERIC;
    case PTX_SPACE_GLOBAL:
    case PTX_SPACE_CONST:
        return PTX_UOP_LD_GLOBAL;
    case PTX_SPACE_SHARED:
        return PTX_UOP_LD_SHARED;
    case PTX_SPACE_LOCAL:
        return PTX_UOP_LD_LOCAL;
    case PTX_SPACE_PARAM:
        return a->local || !d->f->is_entry ? PTX_UOP_LD_LOCAL : PTX_UOP_LD_PARAM;
    default:
        return PTX_UOP_COUNT;
    }
}

static enum ptx_uop_op st_op(const struct decoder *d, const struct address *a)
{
    switch (d->inst->space) {
    case PTX_SPACE_NONE:
        return PTX_UOP_ST_GENERIC;
    case PTX_SPACE_GLOBAL:
        return PTX_UOP_ST_GLOBAL;
    case PTX_SPACE_SHARED:
        return PTX_UOP_ST_SHARED;
    case PTX_SPACE_LOCAL:
        return PTX_UOP_ST_LOCAL;
    case PTX_SPACE_PARAM:
        return a->local || !d->f->is_entry ? PTX_UOP_ST_LOCAL : PTX_UOP_COUNT;
    default:
        return PTX_UOP_COUNT;
    }
}

static uint8_t access_how(const struct access *a)
{
    bool acquires = a->order & PTX_ORDER_ACQUIRE && a->scope >= PTX_SCOPE_GPU;

    return a->how | (acquires ? PTX_HOW_ACQUIRE : 0);
}

/* The shapes that programs spend their time in have micro-ops without run-time questions. */
static enum ptx_uop_op mem_special(const struct ptx_uop *u)
{
    bool plain = u->vec == 1 && !(u->flags & PTX_MEM_A32);

    switch (u->op) {
    case PTX_UOP_LD_GLOBAL:
        return plain && u->size == 4 && !(u->flags & PTX_MEM_WIDE) ? PTX_UOP_LD_GLOBAL_32
               : plain && u->size == 8                             ? PTX_UOP_LD_GLOBAL_64
                                                                   : PTX_UOP_LD_GLOBAL;
    case PTX_UOP_ST_GLOBAL:
        return plain && u->size == 4 && !(u->flags & PTX_MEM_WIDE) ? PTX_UOP_ST_GLOBAL_32
                                                                   : PTX_UOP_ST_GLOBAL;
    case PTX_UOP_LD_SHARED:
    case PTX_UOP_ST_SHARED:
        if (u->vec == 1 && u->size == 4 && !(u->flags & PTX_MEM_WIDE)) {
            return u->op == PTX_UOP_LD_SHARED ? PTX_UOP_LD_SHARED_32 : PTX_UOP_ST_SHARED_32;
        }
        return (enum ptx_uop_op)u->op;
    default:
        return (enum ptx_uop_op)u->op;
    }
}

static bool access_mods(struct decoder *d, struct access *a)
{
    *a = (struct access){ 0 };
    for (unsigned i = 0; i < d->inst->n_mods; i++) {
        if (!access_mod(a, (enum ptx_mod)d->inst->mod[i])) {
            return false;
        }
    }
    return true;
}

static bool type_is_memory(enum ptx_type t)
{
    return (t >= PTX_B8 && t <= PTX_B64) || (t >= PTX_U8 && t <= PTX_S64) || t == PTX_F32 ||
           t == PTX_F64 || t == PTX_F16 || t == PTX_BF16 || t == PTX_F16X2 || t == PTX_BF16X2;
}

/* @value: what is loaded or stored, at @offset from the address */
static bool decode_ld_st_part(struct decoder *d, bool load, const struct ptx_operand *value,
                              int64_t offset)
{
    const struct ptx_inst *i = d->inst;
    enum ptx_type t = inst_type(i, 0);
    struct access acc;
    struct address a;
    struct ptx_uop v = { 0 }, *u;
    enum ptx_uop_op op;

    if (i->n_types != 1 || !(type_is_memory(t) || t == PTX_B128) || !access_mods(d, &acc)) {
        return decode_unsupported(d);
    }
    if (!decode_operands(d, 2 + acc.extra, 2 + acc.extra) ||
        !decode_address(d, &i->operand[load ? 1 : 0], i->space, &a) ||
        !(t == PTX_B128 ? values_b128(d, value, load, &v) : decode_values(d, value, load, t, &v))) {
        return true;
    }
    op = load ? ld_op(d, &a) : st_op(d, &a);
    if (op == PTX_UOP_COUNT) {
        return i->space == PTX_SPACE_PARAM
                   ? decode_fail(d,
                                 "line %u: a kernel cannot write to its parameters (function %s)",
                                 i->pos.line, d->f->name)
                   : decode_unsupported(d);
    }
    u = decode_emit(d, op);
    u->d = v.d;
    u->b = v.b;
    u->c = v.c;
    u->e = v.e;
    u->a = a.slot;
    u->imm = a.imm + offset;
    u->reads = v.reads | 2;
    u->writes = v.writes;
    u->vec = v.vec;
    u->size = v.size;
    u->scope = acc.scope;
    u->order = acc.order;
    u->sub = load ? access_how(&acc) : 0;
    u->flags = (uint8_t)(v.flags | (a.a32 ? PTX_MEM_A32 : 0) |
                         (type_is_signed(t) ? PTX_MEM_SIGNED : 0) | (acc.nc ? PTX_MEM_NC : 0));
    u->op = (uint16_t)mem_special(u);
    return true;
}

/* .v8 in two halves; the address has 64 bits, and no register of 32 that is loaded is part of it.
 */
static bool decode_ld_st(struct decoder *d, bool load)
{
    const struct ptx_operand *value = &d->inst->operand[load ? 0 : 1];
    struct ptx_operand half = *value;

    if (d->inst->vec != 8 || d->inst->n_operands < 2 || value->kind != PTX_OPERAND_VECTOR ||
        value->count != 8) {
        return decode_ld_st_part(d, load, value, 0);
    }
    half.count = 4;
    decode_ld_st_part(d, load, &half, 0);
    half.element += 4;
    return decode_ld_st_part(d, load, &half, 16);
}

/* atom and red: operation and type must be a pair of table 9.7.13.5 */
static int atom_code(enum ptx_mod m, enum ptx_type t)
{
    bool i32 = t == PTX_U32 || t == PTX_S32, i64 = t == PTX_U64 || t == PTX_S64;
    bool b = t == PTX_B32 || t == PTX_B64;
    int half = type_is_half(t) ? PTX_ATOM_HALF + (int)type_half(t) : -1;

    switch (m) {
    case PTX_MOD_ADD:
        return t == PTX_F32     ? PTX_ATOM_ADD_F32
               : t == PTX_F64   ? PTX_ATOM_ADD_F64
               : t == PTX_F16X2 ? PTX_ATOM_ADD_F16X2
               : t == PTX_F16   ? PTX_ATOM_ADD_F16
               : i32 || i64     ? PTX_ATOM_ADD
                                : half;
    case PTX_MOD_MIN:
        return half >= 0           ? half + PTX_ATOM_HALF_MIN
               : !(i32 || i64)     ? -1
               : type_is_signed(t) ? PTX_ATOM_MIN_S
                                   : PTX_ATOM_MIN_U;
    case PTX_MOD_MAX:
        return half >= 0           ? half + PTX_ATOM_HALF_MAX
               : !(i32 || i64)     ? -1
               : type_is_signed(t) ? PTX_ATOM_MAX_S
                                   : PTX_ATOM_MAX_U;
    case PTX_MOD_INC:
        return t == PTX_U32 ? PTX_ATOM_INC : -1;
    case PTX_MOD_DEC:
        return t == PTX_U32 ? PTX_ATOM_DEC : -1;
    case PTX_MOD_AND:
        return b ? PTX_ATOM_AND : -1;
    case PTX_MOD_OR:
        return b ? PTX_ATOM_OR : -1;
    case PTX_MOD_XOR:
        return b ? PTX_ATOM_XOR : -1;
    case PTX_MOD_EXCH:
        return b || t == PTX_B128 ? PTX_ATOM_EXCH : -1;
    case PTX_MOD_CAS:
        return b || t == PTX_B16 || t == PTX_B128 ? PTX_ATOM_CAS : -1;
    default:
        return -2;
    }
}

static bool atom_mods(struct decoder *d, struct access *acc, int *code)
{
    enum ptx_type t = inst_type(d->inst, 0);

    *acc = (struct access){ .scope = PTX_SCOPE_GPU }; /* the default scope, 9.7.13.5 */
    *code = -1;
    for (unsigned i = 0; i < d->inst->n_mods; i++) {
        enum ptx_mod m = (enum ptx_mod)d->inst->mod[i];
        int c = atom_code(m, t);

        if (c >= 0) {
            *code = c;
        } else if (m == PTX_MOD_NOFTZ ? !type_is_half(t) : (c == -1 || !access_mod(acc, m))) {
            return false;
        }
    }
    return *code >= 0;
}

static enum ptx_uop_op atom_op(enum ptx_space s)
{
    return s == PTX_SPACE_NONE     ? PTX_UOP_ATOM_GENERIC
           : s == PTX_SPACE_GLOBAL ? PTX_UOP_ATOM_GLOBAL
           : s == PTX_SPACE_SHARED ? PTX_UOP_ATOM_SHARED
                                   : PTX_UOP_COUNT;
}

/* No atomic operation names a local variable. */
static bool atom_address(struct decoder *d, const struct ptx_operand *o, struct address *a)
{
    bool local = o->var && o->var->space == PTX_SPACE_LOCAL;

    return local ? !decode_fail(d, "line %u: state space mismatch: `%s` cannot access %s in .local",
                                d->inst->pos.line, d->inst->spelling, o->var->name)
                 : decode_address(d, o, d->inst->space, a);
}

/* The operands of one element */
struct atom {
    enum ptx_uop_op op;
    struct access acc;
    struct address a;
    int code;
    bool red;
};

static void atom_emit(struct decoder *d, const struct atom *t, const uint32_t s[3], int64_t offset)
{
    const enum ptx_type type = inst_type(d->inst, 0);
    struct ptx_uop *u = decode_emit4(d, t->op, s[0], t->a.slot, s[1], s[2]);

    u->imm = t->a.imm + offset;
    u->sub = (uint8_t)t->code;
    u->size = (uint8_t)ptx_type_size(type);
    u->scope = t->acc.scope;
    u->order = t->acc.order;
    u->flags = (uint8_t)((u->size >= 8 ? PTX_MEM_WIDE : 0) | (t->a.a32 ? PTX_MEM_A32 : 0) |
                         (t->red ? PTX_MEM_RED : 0));
    u->reads = (uint8_t)(2 | 4 | (t->code == PTX_ATOM_CAS ? 8 : 0));
    u->writes = t->red ? 0 : 1;
    u->vec = offset == 0 ? d->inst->vec : 1;
}

/* Elements one by one: the vector as a whole is not indivisible (9.7.13.5). */
static bool atom_vector(struct decoder *d, struct atom *t)
{
    const struct ptx_inst *i = d->inst;
    const struct ptx_operand *to = &i->operand[0], *from = &i->operand[i->op == PTX_OP_RED ? 1 : 2];
    const char letter = inst_type(i, 0) == PTX_F32 ? 'f' : 'w';
    uint32_t old[8] = { 0 };

    if (from->kind != PTX_OPERAND_VECTOR || from->count != i->vec || i->vec > 8 ||
        (!t->red && (to->kind != PTX_OPERAND_VECTOR || to->count != i->vec))) {
        return decode_fail(d, "line %u: `%s` needs vectors of %u elements (function %s)",
                           i->pos.line, i->spelling, i->vec, d->f->name);
    }
    for (unsigned k = 0; k < i->vec; k++) {
        const uint32_t s[3] = { old[k] = t->red ? 0 : decode_temp(d, SLOT_W),
                                decode_operand(d, &from->element[k], letter), 0 };

        atom_emit(d, t, s, (int64_t)k * ptx_type_size(inst_type(i, 0)));
    }
    for (unsigned k = 0; k < i->vec && !t->red; k++) {
        if (to->element[k].kind != PTX_OPERAND_SINK) {
            decode_emit4(d, PTX_UOP_MOV_B32, decode_operand(d, &to->element[k], 'W'), old[k], 0, 0);
        }
    }
    return true;
}

/* Lower halves in the micro-op, upper ones in the NOP behind it */
static bool atom_b128(struct decoder *d, const struct atom *t)
{
    const struct ptx_operand *o = d->inst->operand;
    const bool cas = t->code == PTX_ATOM_CAS;
    struct ptx_uop *u;
    uint32_t s[2][3];

    for (unsigned n = 0; n < 2; n++) {
        s[n][0] = t->red ? 0 : decode_half_register(d, &o[0], n);
        s[n][1] = decode_half_register(d, &o[2], n);
        s[n][2] = cas ? decode_half_register(d, &o[3], n) : 0;
    }
    atom_emit(d, t, s[0], 0);
    u = decode_emit4(d, PTX_UOP_NOP, s[1][0], 0, s[1][1], s[1][2]);
    u->reads = (uint8_t)(4 | (cas ? 8 : 0));
    u->writes = t->red ? 0 : 1;
    return true;
}

static bool decode_atom(struct decoder *d, bool red)
{
    const struct ptx_inst *i = d->inst;
    enum ptx_type t = inst_type(i, 0);
    struct atom x = { .op = atom_op(i->space), .red = red };
    char letter = t == PTX_F32 ? 'f' : t == PTX_F64 ? 'g' : ptx_type_size(t) == 8 ? 'l' : 'w';
    uint32_t s[3] = { 0 }, n;

    if (i->n_types != 1 || x.op == PTX_UOP_COUNT || !atom_mods(d, &x.acc, &x.code)) {
        return decode_unsupported(d);
    }
    n = 2 + !red + (x.code == PTX_ATOM_CAS) + x.acc.extra;
    if (!decode_operands(d, n, n) || !atom_address(d, &i->operand[red ? 0 : 1], &x.a)) {
        return true;
    }
    x.red = red || i->operand[0].kind == PTX_OPERAND_SINK;
    if (i->vec > 1) {
        return atom_vector(d, &x);
    }
    if (t == PTX_B128) {
        return atom_b128(d, &x);
    }
    s[0] = x.red ? 0 : decode_operand(d, &i->operand[0], (char)g_ascii_toupper(letter));
    s[1] = decode_operand(d, &i->operand[red ? 1 : 2], letter);
    s[2] = x.code == PTX_ATOM_CAS ? decode_operand(d, &i->operand[3], letter) : 0;
    atom_emit(d, &x, s, 0);
    return true;
}

#define BOTH (PTX_ORDER_ACQUIRE | PTX_ORDER_RELEASE)

static bool decode_fence(struct decoder *d)
{
    struct access acc;
    struct ptx_uop *u;
    bool proxy = d->inst->n_mods > 0 && d->inst->mod[0] == PTX_MOD_PROXY;
    bool cluster = ptx_inst_has(d->inst, PTX_MOD_SHARED_CLUSTER);

    if (proxy && d->inst->n_mods == 2u + cluster &&
        (d->inst->mod[1] == PTX_MOD_ALIAS || d->inst->mod[1] == PTX_MOD_ASYNC)) {
        decode_emit(d, PTX_UOP_FENCE); /* one view of memory: aliases and proxies agree */
        return true;
    }
    if (proxy || d->inst->n_operands || !access_mods(d, &acc) || acc.extra) {
        return decode_unsupported(d);
    }
    u = decode_emit(d, PTX_UOP_FENCE);
    u->scope = acc.scope;
    u->order = acc.order | (acc.order & BOTH ? 0 : BOTH); /* 9.7.13.4 */
    return true;
}

static bool decode_alloca(struct decoder *d)
{
    const struct ptx_inst *i = d->inst;
    uint32_t to, size;
    int64_t align = 8;

    if (inst_type(i, 0) != PTX_U64 || !decode_operands(d, 2, 3)) {
        return d->failed || decode_unsupported(d);
    }
    if (i->n_operands == 3) {
        align = i->operand[2].kind == PTX_OPERAND_IMM ? i->operand[2].imm : 0;
    }
    if (align < 1 || align > 4096 || (align & (align - 1))) {
        return decode_fail(d, "line %u: alloca needs an alignment that is a power of two",
                           i->pos.line);
    }
    to = decode_operand(d, &i->operand[0], 'L');
    size = decode_operand(d, &i->operand[1], 'l');
    decode_emit4(d, PTX_UOP_ALLOCA, to, size, 0, 0)->imm = align;
    return true;
}

static bool decode_stack(struct decoder *d)
{
    bool save = d->inst->op == PTX_OP_STACKSAVE;

    if (inst_type(d->inst, 0) != PTX_U64 || !decode_operands(d, 1, 1)) {
        return d->failed || decode_unsupported(d);
    }
    decode_emit4(d, save ? PTX_UOP_STACKSAVE : PTX_UOP_STACKRESTORE,
                 decode_operand(d, &d->inst->operand[0], save ? 'L' : 'l'), 0, 0, 0);
    return true;
}

bool decode_mem(struct decoder *d)
{
    switch (d->inst->op) {
    case PTX_OP_LD:
    case PTX_OP_LDU: /* 9.7.9.10: a load that may assume uniform addresses */
        return decode_ld_st(d, true);
    case PTX_OP_ST:
        return d->inst->n_mods && d->inst->mod[0] == PTX_MOD_ASYNC ? false : decode_ld_st(d, false);
    case PTX_OP_ATOM:
        return decode_atom(d, false);
    case PTX_OP_RED:
        return d->inst->n_mods && d->inst->mod[0] == PTX_MOD_ASYNC ? false : decode_atom(d, true);
    case PTX_OP_PREFETCH:
    case PTX_OP_PREFETCHU:
        decode_emit(d, PTX_UOP_PREFETCH);
        return true;
    case PTX_OP_MEMBAR:
    case PTX_OP_FENCE:
        return decode_fence(d);
    case PTX_OP_ALLOCA:
        return decode_alloca(d);
    case PTX_OP_STACKSAVE:
    case PTX_OP_STACKRESTORE:
        return decode_stack(d);
    default:
        return false;
    }
}
