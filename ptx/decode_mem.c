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
    case PTX_MOD_CLUSTER: /* a cluster is one block here; gpu covers it */
    case PTX_MOD_GPU:
    case PTX_MOD_GL:
        a->scope = PTX_SCOPE_GPU;
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

/* Value slots of ld and st: registers at least as wide as the type, all of one class */
static bool decode_values(struct decoder *d, const struct ptx_operand *o, bool write,
                          enum ptx_type t, struct ptx_uop *u)
{
    uint32_t *const field[] = { &u->d, &u->b, &u->c, &u->e };
    static const uint8_t bit[] = { 1, 4, 8, 16 };
    unsigned n = d->inst->vec > 1 ? d->inst->vec : 1;
    const struct ptx_operand *e = n > 1 ? o->element : o;
    bool wide = ptx_type_size(t) == 8;
    char letter;

    if ((n > 1 && (o->kind != PTX_OPERAND_VECTOR || o->count != n)) || n > 4) {
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

static bool decode_ld_st(struct decoder *d, bool load)
{
    const struct ptx_inst *i = d->inst;
    enum ptx_type t = inst_type(i, 0);
    struct access acc;
    struct address a;
    struct ptx_uop v = { 0 }, *u;
    enum ptx_uop_op op;

    if (i->n_types != 1 || !type_is_memory(t) || !access_mods(d, &acc)) {
        return decode_unsupported(d);
    }
    if (!decode_operands(d, 2 + acc.extra, 2 + acc.extra) ||
        !decode_address(d, &i->operand[load ? 1 : 0], i->space, &a) ||
        !decode_values(d, &i->operand[load ? 0 : 1], load, t, &v)) {
        return true;
    }
    op = load ? ld_op(d, &a) : st_op(d, &a);
    if (op == PTX_UOP_COUNT) {
        return i->space == PTX_SPACE_PARAM
                   ? decode_fail(d, "line %u: a kernel cannot write to its parameters (function %s)",
                                 i->pos.line, d->f->name)
                   : decode_unsupported(d);
    }
    u = decode_emit(d, op);
    u->d = v.d;
    u->b = v.b;
    u->c = v.c;
    u->e = v.e;
    u->a = a.slot;
    u->imm = a.imm;
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

/* atom and red: operation and type must be a pair of table 9.7.13.5 */
static int atom_code(enum ptx_mod m, enum ptx_type t)
{
    bool i32 = t == PTX_U32 || t == PTX_S32, i64 = t == PTX_U64 || t == PTX_S64;
    bool b = t == PTX_B32 || t == PTX_B64;

    switch (m) {
    case PTX_MOD_ADD:
        return t == PTX_F32     ? PTX_ATOM_ADD_F32
               : t == PTX_F64   ? PTX_ATOM_ADD_F64
               : t == PTX_F16X2 ? PTX_ATOM_ADD_F16X2
               : t == PTX_F16   ? PTX_ATOM_ADD_F16
               : i32 || i64     ? PTX_ATOM_ADD
                                : -1;
    case PTX_MOD_MIN:
        return !(i32 || i64) ? -1 : type_is_signed(t) ? PTX_ATOM_MIN_S : PTX_ATOM_MIN_U;
    case PTX_MOD_MAX:
        return !(i32 || i64) ? -1 : type_is_signed(t) ? PTX_ATOM_MAX_S : PTX_ATOM_MAX_U;
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
        return b ? PTX_ATOM_EXCH : -1;
    case PTX_MOD_CAS:
        return b || t == PTX_B16 ? PTX_ATOM_CAS : -1;
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
        } else if (m == PTX_MOD_NOFTZ ? t != PTX_F16X2 && t != PTX_F16 : (c == -1 || !access_mod(acc, m))) {
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

static bool decode_atom(struct decoder *d, bool red)
{
    const struct ptx_inst *i = d->inst;
    enum ptx_type t = inst_type(i, 0);
    struct access acc;
    struct address a;
    int code;
    bool wide = ptx_type_size(t) == 8;
    char letter = t == PTX_F32 ? 'f' : t == PTX_F64 ? 'g' : wide ? 'l' : 'w';
    uint32_t dst = 0, b, c = 0, n;
    enum ptx_uop_op op = atom_op(i->space);
    struct ptx_uop *u;

    if (i->vec > 1 || i->n_types != 1 || op == PTX_UOP_COUNT || !atom_mods(d, &acc, &code)) {
        return decode_unsupported(d);
    }
    n = 2 + !red + (code == PTX_ATOM_CAS) + acc.extra;
    if (!decode_operands(d, n, n) || !atom_address(d, &i->operand[red ? 0 : 1], &a)) {
        return true;
    }
    if (!red) {
        red = i->operand[0].kind == PTX_OPERAND_SINK;
        dst = red ? 0 : decode_operand(d, &i->operand[0], (char)g_ascii_toupper(letter));
        b = decode_operand(d, &i->operand[2], letter);
        c = code == PTX_ATOM_CAS ? decode_operand(d, &i->operand[3], letter) : 0;
    } else {
        b = decode_operand(d, &i->operand[1], letter);
    }
    u = decode_emit4(d, op, dst, a.slot, b, c);
    u->imm = a.imm;
    u->sub = (uint8_t)code;
    u->size = (uint8_t)ptx_type_size(t);
    u->scope = acc.scope;
    u->order = acc.order;
    u->flags =
        (uint8_t)((wide ? PTX_MEM_WIDE : 0) | (a.a32 ? PTX_MEM_A32 : 0) | (red ? PTX_MEM_RED : 0));
    u->reads = (uint8_t)(2 | 4 | (code == PTX_ATOM_CAS ? 8 : 0));
    u->writes = red ? 0 : 1;
    return true;
}

static bool decode_fence(struct decoder *d)
{
    struct access acc;
    struct ptx_uop *u;
    bool proxy = d->inst->n_mods > 0 && d->inst->mod[0] == PTX_MOD_PROXY;

    if (proxy && d->inst->n_mods == 2 && d->inst->mod[1] == PTX_MOD_ALIAS) {
        decode_emit(d, PTX_UOP_FENCE); /* one view of memory: aliases agree */
        return true;
    }
    if (proxy || d->inst->n_operands || !access_mods(d, &acc) || acc.extra) {
        return decode_unsupported(d);
    }
    u = decode_emit(d, PTX_UOP_FENCE);
    u->scope = acc.scope;
    u->order = acc.order ? acc.order : PTX_ORDER_ACQUIRE | PTX_ORDER_RELEASE; /* 9.7.13.4 */
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
        return decode_ld_st(d, false);
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
