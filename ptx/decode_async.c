/* SPDX-License-Identifier: MIT */
/* Asynchronous copies (PTX ISA 9.7.9.25) and hints to the caches (9.7.9.13 to 9.7.9.18).
 *
 * A copy may complete at any time up to the wait for it. Here it completes when it is issued, so a
 * program that forgets the wait gets the data all the same; commit and wait only say what they
 * order.
 */
#include "ptx/decode_priv.h"
#include <string.h>

struct copy {
    struct address to, from;
    unsigned size;
    bool cg; /* past the L1 */
};

static bool copy_mods(const struct ptx_inst *i, bool *cg, bool *hint)
{
    bool global = false, cache = false;

    *hint = *cg = false;
    for (unsigned k = 1; k < i->n_mods; k++) {
        switch ((enum ptx_mod)i->mod[k]) {
        case PTX_MOD_CG:
            *cg = true;
            cache = true;
            break;
        case PTX_MOD_CA:
            cache = true;
            break;
        case PTX_MOD_GLOBAL:
            global = true;
            break;
        case PTX_MOD_L2_CACHE_HINT:
            *hint = true;
            break;
        case PTX_MOD_L2_64B:
        case PTX_MOD_L2_128B:
        case PTX_MOD_L2_256B:
            break;
        default:
            return false;
        }
    }
    return global && cache && i->space == PTX_SPACE_SHARED && i->n_types == 0;
}

/* A load and a store, as the ones a program would write itself */
static void copy_emit(struct decoder *d, const struct copy *c)
{
    unsigned words = c->size / 4;
    uint32_t t[4];

    for (unsigned k = 0; k < words; k++) {
        t[k] = decode_temp(d, SLOT_W);
    }
    for (unsigned store = 0; store < 2; store++) {
        static const uint8_t bits[] = { 1, 5, 13, 29 }; /* d, b, c, e */
        const struct address *a = store ? &c->to : &c->from;
        struct ptx_uop *u = decode_emit(d, store ? PTX_UOP_ST_SHARED : PTX_UOP_LD_GLOBAL);
        uint32_t *const field[] = { &u->d, &u->b, &u->c, &u->e };

        for (unsigned k = 0; k < words; k++) {
            *field[k] = t[k];
        }
        u->a = a->slot;
        u->imm = a->imm;
        u->flags = a->a32 ? PTX_MEM_A32 : 0;
        u->vec = (uint8_t)words;
        u->size = 4;
        u->order = PTX_ORDER_ASYNC;
        u->sub = store ? 0 : c->cg ? PTX_HOW_PAST : PTX_HOW_CA;
        u->reads = (uint8_t)(2 | (store ? bits[words - 1] : 0));
        u->writes = store ? 0 : bits[words - 1];
    }
}

/* Fewer bytes than the size, zeros behind them: @bytes is a slot */
static void copy_emit_part(struct decoder *d, const struct copy *c, uint32_t bytes)
{
    uint32_t imm = decode_value(d, SLOT_L, (uint64_t)c->from.imm);
    struct ptx_uop *u = decode_emit(d, PTX_UOP_CP_ASYNC);

    u->d = c->to.slot;
    u->imm = c->to.imm;
    u->a = c->from.slot;
    u->b = bytes;
    u->c = imm;
    u->reads = 15;
    u->size = (uint8_t)c->size;
    u->flags = (uint8_t)((c->to.a32 ? PTX_MEM_A32 : 0) | (c->from.a32 ? PTX_CP_FROM_A32 : 0));
}

static bool operand_is_predicate(const struct decoder *d, const struct ptx_operand *o)
{
    return o->kind == PTX_OPERAND_REG && d->f->regs[o->reg].type == PTX_PRED;
}

/* The fourth operand is the number of bytes to read, or a predicate that asks for none. */
static uint32_t copy_bytes(struct decoder *d, const struct ptx_operand *o, unsigned size)
{
    uint32_t t, none, all, p;

    if (!operand_is_predicate(d, o)) {
        return decode_operand(d, o, 'w');
    }
    p = decode_operand(d, o, 'p');
    none = decode_value(d, SLOT_W, 0);
    all = decode_value(d, SLOT_W, size);
    t = decode_temp(d, SLOT_W);
    decode_emit4(d, PTX_UOP_SELP_B32, t, none, all, p);
    return t;
}

static bool decode_copy(struct decoder *d)
{
    const struct ptx_inst *i = d->inst;
    struct copy c;
    bool cg, hint;
    const struct ptx_operand *size = &i->operand[2];

    if (!copy_mods(i, &cg, &hint)) {
        return decode_unsupported(d);
    }
    if (!decode_operands(d, 3u + hint, 4u + hint)) {
        return true;
    }
    if (size->kind != PTX_OPERAND_IMM ||
        (size->imm != 16 && (cg || (size->imm != 4 && size->imm != 8)))) {
        return decode_fail(d, "line %u: `%s` copies %s bytes", i->pos.line, i->spelling,
                           cg ? "16" : "4, 8 or 16");
    }
    c.size = (unsigned)size->imm;
    c.cg = cg;
    if (!decode_address(d, &i->operand[0], PTX_SPACE_SHARED, &c.to) ||
        !decode_address(d, &i->operand[1], PTX_SPACE_GLOBAL, &c.from)) {
        return true;
    }
    if (i->n_operands == 4u + hint) {
        copy_emit_part(d, &c, copy_bytes(d, &i->operand[3], c.size));
    } else {
        copy_emit(d, &c);
    }
    return true;
}

/* cp.async.commit_group, wait_group N, wait_all */
static bool decode_group(struct decoder *d)
{
    const struct ptx_inst *i = d->inst;
    bool counted = i->mod[1] == PTX_MOD_WAIT_GROUP;
    struct ptx_uop *u;

    if (i->n_mods != 2 || i->n_types || i->space) {
        return decode_unsupported(d);
    }
    if (decode_operands(d, counted, counted)) {
        if (counted && i->operand[0].kind != PTX_OPERAND_IMM) {
            return decode_fail(d, "line %u: `%s` takes a literal", i->pos.line, i->spelling);
        }
        u = decode_emit(d, PTX_UOP_NOP);
        u->order = i->mod[1] == PTX_MOD_COMMIT_GROUP ? PTX_ORDER_COMMIT : PTX_ORDER_WAIT;
        u->imm = counted ? i->operand[0].imm : -1;
    }
    return true;
}

/* --- bulk copies (9.7.9.25.4), in a cluster of one block --- */

/* Which words a copy between global and shared memory has. Return: false: others, too */
static bool bulk_mods(const struct ptx_inst *i, bool *mbarrier, bool *hint)
{
    bool to_shared = i->space == PTX_SPACE_SHARED, from = false, group = false;

    *mbarrier = *hint = false;
    for (unsigned k = 2; k < i->n_mods; k++) {
        switch ((enum ptx_mod)i->mod[k]) {
        case PTX_MOD_SHARED_CLUSTER:
            break;
        case PTX_MOD_GLOBAL:
        case PTX_MOD_SHARED:
            from = true;
            break;
        case PTX_MOD_MBARRIER_COMPLETE_TX_BYTES:
            *mbarrier = true;
            break;
        case PTX_MOD_BULK_GROUP:
            group = true;
            break;
        case PTX_MOD_L2_CACHE_HINT:
            *hint = true;
            break;
        default:
            return false;
        }
    }
    return from && i->n_types == 0 && *mbarrier != group && *mbarrier == to_shared &&
           (to_shared || !ptx_inst_has(i, PTX_MOD_GLOBAL));
}

/* The address of an mbarrier, without an offset */
static uint32_t bulk_mbarrier(struct decoder *d, const struct ptx_operand *o, bool *a32)
{
    struct address a;
    uint32_t t;

    if (!decode_address(d, o, PTX_SPACE_SHARED, &a)) {
        return 0;
    }
    *a32 = a.a32;
    if (!a.imm) {
        return a.slot;
    }
    t = decode_temp(d, a.a32 ? SLOT_W : SLOT_L);
    decode_emit4(d, a.a32 ? PTX_UOP_ADD_B32 : PTX_UOP_ADD_B64, t, a.slot,
                 decode_value(d, a.a32 ? SLOT_W : SLOT_L, (uint64_t)a.imm), 0);
    return t;
}

static bool decode_bulk_copy(struct decoder *d)
{
    const struct ptx_inst *i = d->inst;
    bool mbarrier, hint, a32 = false, on_chip = ptx_inst_has(i, PTX_MOD_SHARED);
    struct address to, from;
    uint32_t object = 0, bytes, imm;
    struct ptx_uop *u;

    if (!bulk_mods(i, &mbarrier, &hint)) {
        return decode_unsupported(d);
    }
    if (!decode_operands(d, 3u + mbarrier + hint, 3u + mbarrier + hint) ||
        !decode_address(d, &i->operand[0], i->space, &to) ||
        !decode_address(d, &i->operand[1], on_chip ? PTX_SPACE_SHARED : PTX_SPACE_GLOBAL, &from)) {
        return true;
    }
    bytes = decode_operand(d, &i->operand[2], 'w');
    if (mbarrier) {
        object = bulk_mbarrier(d, &i->operand[3], &a32);
    }
    imm = decode_value(d, SLOT_L, (uint64_t)from.imm);
    u = decode_emit(d, PTX_UOP_CP_BULK);
    u->d = to.slot;
    u->imm = to.imm;
    u->a = from.slot;
    u->b = bytes;
    u->c = imm;
    u->e = object;
    u->reads = mbarrier ? 31 : 15;
    u->order = PTX_ORDER_ASYNC;
    u->flags = (uint8_t)((to.a32 ? PTX_MEM_A32 : 0) | (from.a32 ? PTX_CP_FROM_A32 : 0) |
                         (i->space == PTX_SPACE_SHARED ? PTX_BULK_TO_SHARED : 0) |
                         (on_chip ? PTX_BULK_FROM_SHARED : 0) | (mbarrier ? PTX_BULK_MBARRIER : 0) |
                         (a32 ? PTX_BULK_MBARRIER_A32 : 0));
    return true;
}

/* cp.async.bulk.commit_group, wait_group{.read} N */
static bool decode_bulk_group(struct decoder *d)
{
    const struct ptx_inst *i = d->inst;
    bool wait = i->mod[2] == PTX_MOD_WAIT_GROUP, read = i->n_mods == 4;
    struct ptx_uop *u;

    if (i->n_mods > 4 || (read && (!wait || i->mod[3] != PTX_MOD_READ)) || i->n_types || i->space) {
        return decode_unsupported(d);
    }
    if (decode_operands(d, wait, wait)) {
        if (wait && i->operand[0].kind != PTX_OPERAND_IMM) {
            return decode_fail(d, "line %u: `%s` takes a literal", i->pos.line, i->spelling);
        }
        u = decode_emit(d, PTX_UOP_NOP);
        u->order = wait ? PTX_ORDER_WAIT : PTX_ORDER_COMMIT;
        u->sub = read ? PTX_GROUP_BULK_READ : PTX_GROUP_BULK;
        u->imm = wait ? i->operand[0].imm : -1;
    }
    return true;
}

static bool decode_bulk(struct decoder *d)
{
    enum ptx_mod what = d->inst->n_mods > 2 ? (enum ptx_mod)d->inst->mod[2] : PTX_MOD_NONE;

    if (what == PTX_MOD_PREFETCH && !ptx_inst_has(d->inst, PTX_MOD_TENSOR)) {
        if (decode_operands(d, 2, 3)) { /* a hint */
            decode_emit(d, PTX_UOP_NOP);
        }
        return true;
    }
    return what == PTX_MOD_COMMIT_GROUP || what == PTX_MOD_WAIT_GROUP ? decode_bulk_group(d)
                                                                      : decode_bulk_copy(d);
}

/* st.async into another block of the cluster, whose mbarrier counts the bytes (9.7.9.12) */
static bool decode_st_async(struct decoder *d)
{
    const struct ptx_inst *i = d->inst;
    struct ptx_uop v = { 0 }, *u;
    struct address a;
    uint32_t object;
    bool a32 = false;

    for (unsigned k = 1; k < i->n_mods; k++) {
        if (i->mod[k] != PTX_MOD_WEAK && i->mod[k] != PTX_MOD_SHARED_CLUSTER &&
            i->mod[k] != PTX_MOD_MBARRIER_COMPLETE_TX_BYTES) {
            return decode_unsupported(d);
        }
    }
    if (i->n_types != 1 || !ptx_inst_has(i, PTX_MOD_MBARRIER_COMPLETE_TX_BYTES)) {
        return decode_unsupported(d);
    }
    if (!decode_operands(d, 3, 3) || !decode_address(d, &i->operand[0], PTX_SPACE_SHARED, &a) ||
        !decode_values(d, &i->operand[1], false, inst_type(i, 0), &v)) {
        return true;
    }
    object = bulk_mbarrier(d, &i->operand[2], &a32);
    u = decode_emit(d, PTX_UOP_ST_ASYNC);
    u->d = v.d;
    u->b = v.b;
    u->c = v.c;
    u->e = v.e;
    u->a = a.slot;
    u->imm = a.imm;
    u->target = object;
    u->reads = (uint8_t)(v.reads | 2 | 32);
    u->vec = v.vec;
    u->size = v.size;
    u->order = PTX_ORDER_ASYNC;
    u->flags = (uint8_t)(v.flags | (a.a32 ? PTX_MEM_A32 : 0) | (a32 ? PTX_STASYNC_A32 : 0));
    return true;
}

/* A policy is 64 opaque bits that only hints read. */
static bool decode_policy(struct decoder *d)
{
    if (inst_type(d->inst, 0) != PTX_B64 || !decode_operands(d, 1, 4)) {
        return d->failed || decode_unsupported(d);
    }
    decode_emit4(d, PTX_UOP_MOV_B64, decode_operand(d, &d->inst->operand[0], 'L'),
                 decode_value(d, SLOT_L, 0), 0, 0);
    return true;
}

bool decode_async(struct decoder *d)
{
    const struct ptx_inst *i = d->inst;

    switch (i->op) {
    case PTX_OP_CP:
        if (i->n_mods < 2 || i->mod[0] != PTX_MOD_ASYNC || i->mod[1] == PTX_MOD_MBARRIER) {
            return false;
        }
        if (i->mod[1] == PTX_MOD_BULK) {
            return decode_bulk(d);
        }
        return i->mod[1] == PTX_MOD_COMMIT_GROUP || i->mod[1] == PTX_MOD_WAIT_GROUP ||
                       i->mod[1] == PTX_MOD_WAIT_ALL
                   ? decode_group(d)
                   : decode_copy(d);
    case PTX_OP_ST:
        return i->n_mods && i->mod[0] == PTX_MOD_ASYNC && decode_st_async(d);
    case PTX_OP_CREATEPOLICY:
        return decode_policy(d);
    case PTX_OP_APPLYPRIORITY: /* a hint; and what discard leaves behind is open */
    case PTX_OP_DISCARD:
        if (decode_operands(d, 2, 2)) {
            decode_emit(d, PTX_UOP_NOP);
        }
        return true;
    default:
        return false;
    }
}
