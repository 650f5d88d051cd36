/* SPDX-License-Identifier: MIT */
/* Barriers and warp-wide operations: PTX ISA 9.7.13, and shfl from 9.7.9. */
#include "ptx/decode_priv.h"

/* Modifiers without .cta and .aligned, which change no result */
struct sync_mods {
    enum ptx_mod mod[4];
    unsigned n;
};

static struct sync_mods sync_mods(const struct ptx_inst *inst)
{
    struct sync_mods m = { .n = 0 };

    for (unsigned i = 0; i < inst->n_mods; i++) {
        enum ptx_mod mod = (enum ptx_mod)inst->mod[i];

        if (mod == PTX_MOD_CTA || mod == PTX_MOD_ALIGNED) {
            continue;
        }
        if (m.n == G_N_ELEMENTS(m.mod)) {
            m.n = 0; /* nothing has so many */
            return m;
        }
        m.mod[m.n++] = mod;
    }
    return m;
}

static bool decode_bar_warp(struct decoder *d)
{
    if (decode_operands(d, 1, 1)) {
        uint32_t mask = decode_operand(d, &d->inst->operand[0], 'w');

        decode_emit4(d, PTX_UOP_BAR_WARP_SYNC, mask, 0, 0, 0);
    }
    return true;
}

/* bar is barrier.cta.aligned. */
static bool bar_aligned(const struct ptx_inst *inst)
{
    bool aligned = inst->op == PTX_OP_BAR;

    for (unsigned i = 0; i < inst->n_mods; i++) {
        aligned |= inst->mod[i] == PTX_MOD_ALIGNED;
    }
    return aligned;
}

/* Barrier number and thread count; no count means the whole block. */
static void bar_operands(struct decoder *d, const struct ptx_operand *id,
                         const struct ptx_operand *count, uint32_t *slots, uint8_t *flags)
{
    slots[0] = decode_operand(d, id, 'w');
    slots[1] = count ? decode_operand(d, count, 'w') : decode_value(d, SLOT_W, 0);
    *flags = (uint8_t)((count ? 0 : PTX_BAR_ALL) | (bar_aligned(d->inst) ? PTX_BAR_ALIGNED : 0));
}

static bool decode_bar_plain(struct decoder *d, bool arrive)
{
    const struct ptx_inst *i = d->inst;
    uint32_t s[2];
    uint8_t flags;

    if (decode_operands(d, arrive ? 2 : 1, 2)) {
        bar_operands(d, &i->operand[0], i->n_operands == 2 ? &i->operand[1] : NULL, s, &flags);
        decode_emit4(d, arrive ? PTX_UOP_BAR_ARRIVE : PTX_UOP_BAR_SYNC, s[0], s[1], 0, 0)->flags =
            flags;
    }
    return true;
}

static bool decode_bar_red(struct decoder *d, enum ptx_mod how)
{
    const struct ptx_inst *i = d->inst;
    bool popc = how == PTX_MOD_POPC;
    uint32_t s[2], to, p;
    uint8_t flags;
    struct ptx_uop *u;

    if (!decode_operands(d, 3, 4)) {
        return true;
    }
    if (!popc && how != PTX_MOD_AND && how != PTX_MOD_OR) {
        return decode_unsupported(d);
    }
    to = decode_operand(d, &i->operand[0], popc ? 'W' : 'P');
    bar_operands(d, &i->operand[1], i->n_operands == 4 ? &i->operand[2] : NULL, s, &flags);
    p = decode_operand(d, &i->operand[i->n_operands - 1], 'p');
    u = decode_emit4(d, popc ? PTX_UOP_BAR_RED_POPC : PTX_UOP_BAR_RED_PRED, to, s[0], s[1], p);
    u->flags = flags;
    u->sub = how == PTX_MOD_OR;
    return true;
}

/* Is the instruction behind this one the barrier.cluster.wait of it? */
static bool wait_follows(const struct decoder *d)
{
    const struct ptx_inst *next = d->inst + 1;

    return next < d->f->inst + d->f->n_inst && next->op == PTX_OP_BARRIER && next->guard < 0 &&
           ptx_inst_has(next, PTX_MOD_CLUSTER) && ptx_inst_has(next, PTX_MOD_WAIT);
}

/* barrier.cluster (9.7.13.3): an arrival releases unless it is .relaxed, a wait acquires. */
static bool decode_bar_cluster(struct decoder *d, bool arrive)
{
    struct ptx_uop *u;

    if (!decode_operands(d, 0, 0)) {
        return true;
    }
    if (arrive) {
        u = decode_emit4(d, PTX_UOP_BAR_ARRIVE, decode_value(d, SLOT_W, PTX_BAR_OF_CLUSTER),
                         decode_value(d, SLOT_W, 0), 0, 0);
        u->flags = wait_follows(d) ? 0 : PTX_BAR_SPLIT;
        u->order = ptx_inst_has(d->inst, PTX_MOD_RELAXED) ? PTX_ORDER_RELAXED : 0;
    } else {
        u = decode_emit(d, PTX_UOP_CLUSTER_WAIT);
    }
    u->flags |=
        (uint8_t)(PTX_BAR_ALL | PTX_BAR_CLUSTER | (bar_aligned(d->inst) ? PTX_BAR_ALIGNED : 0));
    return true;
}

/* mapa: the same place in another block of the cluster (9.7.9.23); getctarank: whose place it is
 * (9.7.9.24) */
static bool decode_cluster_address(struct decoder *d, bool map)
{
    const struct ptx_inst *i = d->inst;
    const struct ptx_operand *from = &i->operand[1];
    const bool narrow = inst_type(i, 0) == PTX_U32, shared = i->space == PTX_SPACE_SHARED;
    const enum slot_class cls = narrow ? SLOT_W : SLOT_L;
    uint32_t to, a, rank = 0;
    struct ptx_uop *u;

    if ((i->space != PTX_SPACE_NONE && !shared) || i->n_types != 1 ||
        !decode_operands(d, 2u + map, 2u + map)) {
        return d->failed || decode_unsupported(d);
    }
    to = decode_operand(d, &i->operand[0], map && !narrow ? 'L' : 'W');
    a = from->kind == PTX_OPERAND_SYMBOL ? decode_name(d, from, i->space, cls)
                                         : decode_operand(d, from, narrow ? 'w' : 'l');
    rank = map ? decode_operand(d, &i->operand[2], 'w') : 0;
    u = decode_emit4(d, map ? PTX_UOP_MAPA : PTX_UOP_GETCTARANK, to, a, rank, 0);
    u->reads = map ? 2 | 4 : 2;
    u->writes = 1;
    u->flags = (uint8_t)((shared ? PTX_CLUSTER_SHARED : 0) | (narrow ? PTX_CLUSTER_A32 : 0));
    return true;
}

static bool decode_bar(struct decoder *d)
{
    struct sync_mods m = sync_mods(d->inst);

    if (m.n >= 2 && m.mod[0] == PTX_MOD_CLUSTER &&
        (m.mod[1] == PTX_MOD_ARRIVE || m.mod[1] == PTX_MOD_WAIT)) {
        return decode_bar_cluster(d, m.mod[1] == PTX_MOD_ARRIVE);
    }
    if (m.n == 2 && m.mod[0] == PTX_MOD_WARP && m.mod[1] == PTX_MOD_SYNC) {
        return decode_bar_warp(d);
    }
    if (m.n == 1 && (m.mod[0] == PTX_MOD_SYNC || m.mod[0] == PTX_MOD_ARRIVE)) {
        return decode_bar_plain(d, m.mod[0] == PTX_MOD_ARRIVE);
    }
    if (m.n == 2 && m.mod[0] == PTX_MOD_RED) {
        return decode_bar_red(d, m.mod[1]);
    }
    return decode_unsupported(d);
}

/* vote: with .sync the last operand is the membermask; the older form takes whoever is here. */
static bool decode_vote(struct decoder *d)
{
    const struct ptx_inst *i = d->inst;
    struct sync_mods m = sync_mods(i);
    bool last = m.n == 2 && m.mod[1] == PTX_MOD_SYNC; /* vote.ballot.sync, as CUB writes it */
    bool sync = last || (m.n == 2 && m.mod[0] == PTX_MOD_SYNC);
    enum ptx_mod how = m.n ? m.mod[last ? 0 : m.n - 1] : PTX_MOD_NONE;
    enum ptx_uop_op op = how == PTX_MOD_ALL      ? PTX_UOP_VOTE_ALL
                         : how == PTX_MOD_ANY    ? PTX_UOP_VOTE_ANY
                         : how == PTX_MOD_UNI    ? PTX_UOP_VOTE_UNI
                         : how == PTX_MOD_BALLOT ? PTX_UOP_VOTE_BALLOT
                                                 : PTX_UOP_COUNT;
    uint32_t to, p, mask;

    if (op == PTX_UOP_COUNT || m.n != 1u + sync) {
        return decode_unsupported(d);
    }
    if (!decode_operands(d, 2 + sync, 2 + sync)) {
        return true;
    }
    to = decode_operand(d, &i->operand[0], op == PTX_UOP_VOTE_BALLOT ? 'W' : 'P');
    p = decode_operand(d, &i->operand[1], 'p');
    mask = sync ? decode_operand(d, &i->operand[2], 'w') : decode_value(d, SLOT_W, UINT32_MAX);
    decode_emit4(d, op, to, p, mask, 0)->flags = sync ? 0 : PTX_SYNC_ACTIVE;
    return true;
}

static bool decode_shfl(struct decoder *d)
{
    const struct ptx_inst *i = d->inst;
    struct sync_mods m = sync_mods(i);
    bool sync = m.n == 2 && m.mod[0] == PTX_MOD_SYNC, pred;
    enum ptx_mod how = m.n ? m.mod[m.n - 1] : PTX_MOD_NONE;
    enum ptx_uop_op op = how == PTX_MOD_UP     ? PTX_UOP_SHFL_UP
                         : how == PTX_MOD_DOWN ? PTX_UOP_SHFL_DOWN
                         : how == PTX_MOD_BFLY ? PTX_UOP_SHFL_BFLY
                         : how == PTX_MOD_IDX  ? PTX_UOP_SHFL_IDX
                                               : PTX_UOP_COUNT;
    uint32_t s[5], p = 0;
    struct ptx_uop *u;

    if (op == PTX_UOP_COUNT || m.n != 1u + sync || inst_type(i, 0) != PTX_B32) {
        return decode_unsupported(d);
    }
    if (!decode_operands(d, 4 + sync, 5 + sync)) {
        return true;
    }
    pred = i->n_operands == 5u + sync;
    s[0] = decode_operand(d, &i->operand[0], 'W');
    p = pred ? decode_operand(d, &i->operand[1], 'P') : 0;
    for (unsigned k = 1; k < 4u + sync; k++) {
        s[k] = decode_operand(d, &i->operand[k + pred], 'w');
    }
    if (!sync) {
        s[4] = decode_value(d, SLOT_W, UINT32_MAX);
    }
    u = decode_emit4(d, op, s[0], s[1], s[2], s[3]);
    u->e = s[4];
    u->target = p;
    u->flags = (uint8_t)((sync ? 0 : PTX_SYNC_ACTIVE) | (pred ? PTX_SHFL_PRED : 0));
    u->writes |= pred ? 32 : 0;
    return true;
}

/* match.all writes a predicate too, when asked */
static bool decode_match(struct decoder *d)
{
    const struct ptx_inst *i = d->inst;
    enum ptx_type t = inst_type(i, 0);
    struct sync_mods m = sync_mods(i);
    uint32_t to, p, a, mask;
    bool pred;

    if (m.n != 2 || m.mod[0] != PTX_MOD_ALL || m.mod[1] != PTX_MOD_SYNC ||
        (t != PTX_B32 && t != PTX_B64)) {
        return decode_unsupported(d);
    }
    if (!decode_operands(d, 3, 4)) {
        return true;
    }
    pred = i->n_operands == 4;
    to = decode_operand(d, &i->operand[0], 'W');
    p = pred ? decode_operand(d, &i->operand[1], 'P') : decode_sink(d, SLOT_P);
    a = decode_operand(d, &i->operand[1 + pred], t == PTX_B64 ? 'l' : 'w');
    mask = decode_operand(d, &i->operand[2 + pred], 'w');
    decode_emit4(d, t == PTX_B64 ? PTX_UOP_MATCH_ALL_B64 : PTX_UOP_MATCH_ALL_B32, to, a, mask, p);
    return true;
}

static bool decode_elect(struct decoder *d)
{
    uint32_t to, p, mask;

    if (d->inst->n_mods != 1 || d->inst->mod[0] != PTX_MOD_SYNC || !decode_operands(d, 3, 3)) {
        return d->failed || decode_unsupported(d);
    }
    to = decode_operand(d, &d->inst->operand[0], 'W');
    p = decode_operand(d, &d->inst->operand[1], 'P');
    mask = decode_operand(d, &d->inst->operand[2], 'w');
    decode_emit4(d, PTX_UOP_ELECT, to, mask, p, 0);
    return true;
}

bool decode_sync(struct decoder *d)
{
    switch (d->inst->op) {
    case PTX_OP_BAR:
    case PTX_OP_BARRIER:
        return decode_bar(d);
    case PTX_OP_VOTE:
        return decode_vote(d);
    case PTX_OP_SHFL:
        return decode_shfl(d);
    case PTX_OP_MATCH:
        return decode_match(d);
    case PTX_OP_ELECT:
        return decode_elect(d);
    case PTX_OP_MAPA:
    case PTX_OP_GETCTARANK:
        return decode_cluster_address(d, d->inst->op == PTX_OP_MAPA);
    default:
        return false;
    }
}
