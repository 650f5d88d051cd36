/* SPDX-License-Identifier: MIT */
/* mbarrier, and cp.async.mbarrier.arrive: PTX ISA 9.7.13.15. */
#include "ptx/decode_priv.h"

/* The words of one; scope changes nothing where a warp's accesses happen in program order. */
struct mbarrier {
    enum ptx_mod verb;
    bool parity, no_complete, tx, relaxed;
};

static bool verb_is(enum ptx_mod m)
{
    return m == PTX_MOD_INIT || m == PTX_MOD_INVAL || m == PTX_MOD_ARRIVE ||
           m == PTX_MOD_ARRIVE_DROP || m == PTX_MOD_TEST_WAIT || m == PTX_MOD_TRY_WAIT ||
           m == PTX_MOD_EXPECT_TX || m == PTX_MOD_COMPLETE_TX;
}

static bool verb_is_wait(enum ptx_mod m)
{
    return m == PTX_MOD_TEST_WAIT || m == PTX_MOD_TRY_WAIT;
}

static bool verb_is_arrive(enum ptx_mod m)
{
    return m == PTX_MOD_ARRIVE || m == PTX_MOD_ARRIVE_DROP;
}

/* Which order a verb may name */
static bool order_fits(enum ptx_mod verb, enum ptx_mod order)
{
    return order == PTX_MOD_RELAXED   ? verb != PTX_MOD_INIT && verb != PTX_MOD_INVAL
           : order == PTX_MOD_ACQUIRE ? verb_is_wait(verb)
                                      : verb_is_arrive(verb);
}

static bool word_take(struct mbarrier *b, enum ptx_mod m)
{
    switch (m) {
    case PTX_MOD_RELAXED:
    case PTX_MOD_ACQUIRE:
    case PTX_MOD_RELEASE:
        b->relaxed = m == PTX_MOD_RELAXED;
        return order_fits(b->verb, m);
    case PTX_MOD_CTA:
    case PTX_MOD_CLUSTER:
    case PTX_MOD_SHARED_CLUSTER:
        return b->verb != PTX_MOD_INIT && b->verb != PTX_MOD_INVAL;
    case PTX_MOD_PARITY:
        b->parity = true;
        return verb_is_wait(b->verb);
    case PTX_MOD_NOCOMPLETE:
        b->no_complete = true;
        return verb_is_arrive(b->verb);
    case PTX_MOD_EXPECT_TX:
        b->tx = true;
        return verb_is_arrive(b->verb);
    default:
        return false;
    }
}

static bool words_take(const struct ptx_inst *i, struct mbarrier *b)
{
    *b = (struct mbarrier){ .verb = i->n_mods ? (enum ptx_mod)i->mod[0] : PTX_MOD_NONE };
    for (unsigned k = 1; k < i->n_mods; k++) {
        if (!word_take(b, (enum ptx_mod)i->mod[k])) {
            return false;
        }
    }
    return verb_is(b->verb) && i->n_types == 1 && inst_type(i, 0) == PTX_B64 && i->vec == 1 &&
           (i->space == PTX_SPACE_SHARED || i->space == PTX_SPACE_NONE) &&
           !(b->tx && b->no_complete);
}

/* @address: its operand. @reads, @writes: of the fields beside a */
static void mbarrier_emit(struct decoder *d, enum ptx_uop_op op, const struct ptx_operand *address,
                          struct ptx_uop fields)
{
    struct address a;
    struct ptx_uop *u;

    if (address->var && address->var->space != PTX_SPACE_SHARED) {
        decode_fail(d, "line %u: state space mismatch: `%s` needs an object in .shared, %s is not",
                    d->inst->pos.line, d->inst->spelling, address->var->name);
        return;
    }
    if (!decode_address(d, address, d->inst->space, &a)) {
        return;
    }
    u = decode_emit(d, op);
    u->d = fields.d;
    u->a = a.slot;
    u->b = fields.b;
    u->c = fields.c;
    u->imm = a.imm;
    u->sub = fields.sub;
    u->order = fields.order;
    u->reads = fields.reads | 2;
    u->writes = fields.writes;
    u->flags = (uint8_t)(fields.flags | (a.a32 ? PTX_MEM_A32 : 0) |
                         (d->inst->space == PTX_SPACE_SHARED ? PTX_MBARRIER_SHARED : 0));
}

/* init and the two of transactions: an address and 32 bits */
static void decode_pair(struct decoder *d, enum ptx_uop_op op, uint8_t sub)
{
    if (decode_operands(d, 2, 2)) {
        mbarrier_emit(d, op, &d->inst->operand[0],
                      (struct ptx_uop){ .b = decode_operand(d, &d->inst->operand[1], 'w'),
                                        .reads = 4,
                                        .sub = sub });
    }
}

/* A count with neither .noComplete nor sm_90 (9.7.13.15.13) */
static bool count_fits(struct decoder *d, const struct mbarrier *b)
{
    const struct ptx_inst *i = d->inst;

    if (i->n_operands == 3 && !b->no_complete && !b->tx && d->m->target_sm < 90) {
        decode_fail(d,
                    "line %u: `%s` with a count requires .noComplete, or .target sm_90 or higher "
                    "(function %s)",
                    i->pos.line, i->spelling, d->f->name);
    }
    return !d->failed;
}

/* state or _, [address], then a count (.noComplete: always) or, with .expect_tx, bytes */
static void decode_arrive(struct decoder *d, const struct mbarrier *b)
{
    const struct ptx_inst *i = d->inst;
    bool more = b->no_complete || b->tx;
    struct ptx_uop u = { .flags =
                             (uint8_t)((b->verb == PTX_MOD_ARRIVE_DROP ? PTX_MBARRIER_DROP : 0) |
                                       (b->no_complete ? PTX_MBARRIER_NO_COMPLETE : 0) |
                                       (b->tx ? PTX_MBARRIER_TX : 0)),
                         .order = b->relaxed ? PTX_ORDER_RELAXED : 0,
                         .reads = 4 };

    if (!decode_operands(d, 2u + more, 3) || !count_fits(d, b)) {
        return;
    }
    if (i->operand[0].kind != PTX_OPERAND_SINK) {
        if (ptx_inst_has(i, PTX_MOD_SHARED_CLUSTER)) { /* the state stays with the other block */
            decode_unsupported(d);
            return;
        }
        u.d = decode_operand(d, &i->operand[0], 'L');
        u.writes = 1;
        u.flags |= PTX_MBARRIER_STATE;
    }
    if (b->tx) {
        u.c = decode_operand(d, &i->operand[2], 'w');
        u.reads |= 8;
    }
    u.b = i->n_operands == 3 && !b->tx ? decode_operand(d, &i->operand[2], 'w')
                                       : decode_value(d, SLOT_W, 1);
    mbarrier_emit(d, PTX_UOP_MBARRIER_ARRIVE, &i->operand[1], u);
}

/* try_wait may name a time after which it gives up; here it gives up at once, which it may. */
static void decode_wait(struct decoder *d, const struct mbarrier *b)
{
    const struct ptx_inst *i = d->inst;

    if (decode_operands(d, 3, b->verb == PTX_MOD_TRY_WAIT ? 4 : 3)) {
        struct ptx_uop u = { .d = decode_operand(d, &i->operand[0], 'P'),
                             .b = decode_operand(d, &i->operand[2], b->parity ? 'w' : 'l'),
                             .reads = 4,
                             .writes = 1,
                             .order = b->relaxed ? PTX_ORDER_RELAXED : 0,
                             .flags = b->parity ? PTX_MBARRIER_PARITY : 0 };

        if (i->n_operands == 4) {
            decode_operand(d, &i->operand[3], 'w');
        }
        mbarrier_emit(d, PTX_UOP_MBARRIER_WAIT, &i->operand[1], u);
    }
}

static bool decode_words(struct decoder *d)
{
    struct mbarrier b;

    if (!words_take(d->inst, &b)) {
        return decode_unsupported(d);
    }
    switch (b.verb) {
    case PTX_MOD_INIT:
        decode_pair(d, PTX_UOP_MBARRIER_INIT, 0);
        break;
    case PTX_MOD_INVAL:
        if (decode_operands(d, 1, 1)) {
            mbarrier_emit(d, PTX_UOP_MBARRIER_INVAL, &d->inst->operand[0], (struct ptx_uop){ 0 });
        }
        break;
    case PTX_MOD_EXPECT_TX:
    case PTX_MOD_COMPLETE_TX:
        decode_pair(d, PTX_UOP_MBARRIER_TX, b.verb == PTX_MOD_COMPLETE_TX);
        break;
    case PTX_MOD_ARRIVE:
    case PTX_MOD_ARRIVE_DROP:
        decode_arrive(d, &b);
        break;
    default:
        decode_wait(d, &b);
    }
    return true;
}

/* cp.async.mbarrier.arrive: the thread's copies are done when it is issued (decode_async.c), so it
 * arrives at once. */
static bool decode_copies_arrive(struct decoder *d)
{
    const struct ptx_inst *i = d->inst;
    bool noinc = i->n_mods == 4 && i->mod[3] == PTX_MOD_NOINC;

    if (i->mod[2] != PTX_MOD_ARRIVE || i->n_mods != 3u + noinc || i->n_types != 1 ||
        inst_type(i, 0) != PTX_B64 ||
        (i->space != PTX_SPACE_SHARED && i->space != PTX_SPACE_NONE)) {
        return decode_unsupported(d);
    }
    if (decode_operands(d, 1, 1)) {
        mbarrier_emit(d, PTX_UOP_MBARRIER_ARRIVE, &i->operand[0],
                      (struct ptx_uop){ .b = decode_value(d, SLOT_W, 1),
                                        .reads = 4,
                                        .order = PTX_ORDER_ASYNC,
                                        .flags = noinc ? 0 : PTX_MBARRIER_INC });
    }
    return true;
}

bool decode_mbarrier(struct decoder *d)
{
    const struct ptx_inst *i = d->inst;

    if (i->op == PTX_OP_CP && i->n_mods > 2 && i->mod[1] == PTX_MOD_MBARRIER) {
        return decode_copies_arrive(d);
    }
    return i->op == PTX_OP_MBARRIER && decode_words(d);
}
