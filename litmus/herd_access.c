/* SPDX-License-Identifier: MIT */
/* Accesses on a way. What depends on what follows Arm ARM B2.3, Dependency definitions: an atomic
 * is a load and a store that nothing comes between (B2.2, single-copy atomicity). */
#include "litmus/expr.h"
#include "litmus/herd.h"

static void text_keep(struct litmus_event *e, const struct herd_insn *insn)
{
    size_t n = 0;

    for (const char *c = insn->from; c < insn->to && n < sizeof(e->text) - 16; c++) {
        if (!g_ascii_isspace(*c)) {
            e->text[n++] = *c;
        } else if (n && e->text[n - 1] != ' ') {
            e->text[n++] = ' ';
        }
    }
    e->text[n] = 0;
}

struct litmus_event *herd_event_add(struct herd_file *f, struct herd_path *p,
                                    const struct herd_insn *insn, enum litmus_op op)
{
    struct litmus_event *e;

    f->l->cell = insn->from;
    e = parse_event_add(f->l, &p->t, op);
    if (e) {
        e->ctrl = p->ctrl;
        e->pctrl = p->pctrl;
        text_keep(e, insn);
    }
    return e;
}

bool herd_event_place(struct herd_file *f, const struct herd_path *p, const struct herd_insn *insn,
                      struct litmus_event *e, struct herd_value address)
{
    uint64_t value, offset;
    unsigned size = insn->size ? insn->size : 1;

    expr_is_const(&p->t, address.expr, &value);
    offset = value & ((1u << HERD_LOC_SHIFT) - 1);
    if (value >> HERD_LOC_SHIFT < 1 || value >> HERD_LOC_SHIFT > f->test->locs) {
        return lex_fail(f->l, insn->from, "X%d holds no location here: expected %u:X%d=x; in { }",
                        insn->base, p->t.number, insn->base);
    }
    e->loc = (int)(value >> HERD_LOC_SHIFT) - 1;
    if (offset + size > 8 || offset % size) {
        return lex_fail(f->l, insn->from,
                        "%u bytes at offset %" G_GUINT64_FORMAT
                        " of %s: expected an aligned access within 8 bytes",
                        size, offset, f->test->loc[e->loc].name);
    }
    e->offset = (unsigned)offset;
    e->size = size;
    e->addr = address.deps;
    e->paddr = address.pick;
    f->used[e->loc] = MAX(f->used[e->loc], e->offset + size);
    return true;
}

/* The last store of the way to bytes of @e: what its address and data depend on reaches a load. */
static const struct litmus_event *local_store(const struct herd_path *p,
                                              const struct litmus_event *e)
{
    for (const struct litmus_event *s = e; s-- > p->t.event;) {
        if (s->op == LITMUS_STORE && s->loc == e->loc && s->offset < e->offset + e->size &&
            e->offset < s->offset + s->size) {
            return s;
        }
    }
    return NULL;
}

/* A load into a register of its own. @value: of that register */
static struct litmus_event *load_add(struct herd_file *f, struct herd_path *p,
                                     const struct herd_insn *insn, struct herd_value address,
                                     struct herd_value *value)
{
    struct litmus_event *e = herd_event_add(f, p, insn, LITMUS_LOAD);
    const struct litmus_event *store;

    if (!e || !herd_event_place(f, p, insn, e, address)) {
        return NULL;
    }
    if (p->t.regs == LITMUS_REGS) {
        lex_fail(f->l, insn->from, "%s loads more than %d times: split the test", p->t.name,
                 LITMUS_REGS);
        return NULL;
    }
    e->reg = (int)p->t.regs++;
    p->t.reg_number[e->reg] = (unsigned)e->reg;
    p->t.reg_size[e->reg] = e->size;
    e->acquire = insn->acquire;
    e->pc = e->lrcpc = insn->pc;
    store = local_store(p, e);
    *value = (struct herd_value){ expr_reg(&p->t, (unsigned)e->reg, e->size),
                                  1u << e->reg | address.deps, 1u << e->reg | address.pick };
    value->deps |= store ? store->addr | store->data : 0;
    value->pick |= store ? store->addr | store->data | store->paddr | store->pdata : 0;
    return e;
}

static struct litmus_event *store_add(struct herd_file *f, struct herd_path *p,
                                      const struct herd_insn *insn, struct herd_value address,
                                      struct herd_value value)
{
    struct litmus_event *e = herd_event_add(f, p, insn, LITMUS_STORE);

    if (!e || !herd_event_place(f, p, insn, e, address)) {
        return NULL;
    }
    e->expr = value.expr;
    e->data = value.deps;
    e->pdata = value.pick;
    e->release = insn->release;
    return e;
}

static bool load_step(struct herd_file *f, struct herd_path *p, const struct herd_insn *insn,
                      struct herd_value address)
{
    struct herd_value value;

    if (!load_add(f, p, insn, address, &value)) {
        return false;
    }
    p->exclusive = insn->exclusive ? (int)p->t.n - 1 : p->exclusive;
    herd_reg_set(p, insn->rd, insn->size == 8, value);
    return true;
}

/* STXR: done, or its status 1. On the status nothing depends: it may be known before the store. */
static bool exclusive_step(struct herd_file *f, struct herd_path *p, const struct herd_insn *insn,
                           struct herd_value address, unsigned choice)
{
    int load = p->exclusive;
    struct litmus_event *e;

    p->exclusive = -1;
    if (choice == 0) {
        e = load < 0 ? NULL
                     : store_add(f, p, insn, address, herd_reg(p, insn->rn, insn->size == 8));
        if (!e) {
            p->dead = !f->l->failed;
            return p->dead;
        }
        e->rmw = load;
        p->dead |= p->t.event[load].loc != e->loc || p->t.event[load].offset != e->offset ||
                   p->t.event[load].size != e->size;
    }
    herd_reg_set(p, insn->rs, false, herd_const(p, choice));
    return true;
}

static bool store_step(struct herd_file *f, struct herd_path *p, const struct herd_insn *insn,
                       struct herd_value address, unsigned choice)
{
    if (insn->exclusive) {
        return exclusive_step(f, p, insn, address, choice);
    }
    return store_add(f, p, insn, address, herd_reg(p, insn->rn, insn->size == 8)) != NULL;
}

/* --- atomics ---------------------------------------------------------------------------------- */

/* The load half. Without a destination it acquires nothing, and no DMB LD waits for it: Arm ARM
 * C6.2, LDADD: "if the destination register is not WZR or XZR" it has acquire semantics. */
static struct litmus_event *atomic_load(struct herd_file *f, struct herd_path *p,
                                        const struct herd_insn *insn, struct herd_value address,
                                        int destination, struct herd_value *old)
{
    struct litmus_event *e = load_add(f, p, insn, address, old);

    if (e) {
        e->lse = true;
        e->noret = destination == HERD_ZR;
        e->acquire = insn->acquire && !e->noret;
        g_strlcat(e->text, " (read)", sizeof(e->text));
    }
    return e;
}

/* The store half: with both orders nothing behind it comes before it. */
static struct litmus_event *atomic_store(struct herd_file *f, struct herd_path *p,
                                         const struct herd_insn *insn, struct herd_value address,
                                         struct herd_value value)
{
    int load = (int)p->t.n - 1;
    struct litmus_event *e = store_add(f, p, insn, address, value);

    if (e) {
        e->lse = true;
        e->rmw = load;
        e->acquire = insn->release && p->t.event[load].acquire;
        g_strlcat(e->text, " (write)", sizeof(e->text));
    }
    return e;
}

static bool amo_step(struct herd_file *f, struct herd_path *p, const struct herd_insn *insn,
                     struct herd_value address)
{
    struct herd_value operand = herd_reg(p, insn->rn, insn->size == 8), old;
    bool swap = insn->alu == LITMUS_EXPR_CONST;

    if (!atomic_load(f, p, insn, address, insn->rd, &old) ||
        !atomic_store(f, p, insn, address, swap ? operand : herd_op(p, insn->alu, old, operand))) {
        return false;
    }
    herd_reg_set(p, insn->rd, insn->size == 8, old);
    return true;
}

/* Equal: the store depends on the new value, and what was compared only chose it. The register that
 * was compared keeps its value or takes that of memory, which are equal: both are ways. Not equal:
 * a load. */
static bool cas_step(struct herd_file *f, struct herd_path *p, const struct herd_insn *insn,
                     struct herd_value address, unsigned choice)
{
    bool wide = insn->size == 8, equal = choice < 2;
    struct herd_value compare = herd_reg(p, insn->rs, wide), new = herd_reg(p, insn->rn, wide), old,
                      same;
    unsigned picks;

    if (insn->size < 4) {
        compare = herd_op(p, LITMUS_EXPR_AND, compare,
                          herd_const(p, (UINT64_C(1) << insn->size * 8) - 1));
    }
    if (!atomic_load(f, p, insn, address, insn->rs, &old)) {
        return false;
    }
    same = herd_op(p, LITMUS_EXPR_EQ, old, compare);
    if (!herd_assume(f, p, insn,
                     equal ? same : herd_op(p, LITMUS_EXPR_EQ, same, herd_const(p, 0)))) {
        return false;
    }
    picks = compare.pick | old.pick;
    new.pick |= picks;
    if (equal && !atomic_store(f, p, insn, address, new)) {
        return false;
    }
    compare.pick |= picks;
    herd_reg_set(p, insn->rs, wide, choice == 0 ? compare : old);
    return true;
}

bool herd_access(struct herd_file *f, struct herd_path *p, const struct herd_insn *insn,
                 struct herd_value address, unsigned choice)
{
    struct litmus_event *e;

    switch (insn->op) {
    case HERD_LOAD:
        return load_step(f, p, insn, address);
    case HERD_STORE:
        return store_step(f, p, insn, address, choice);
    case HERD_AMO:
        return amo_step(f, p, insn, address);
    case HERD_CAS:
        return cas_step(f, p, insn, address, choice);
    default:
        e = herd_event_add(f, p, insn, LITMUS_DC);
        if (e) {
            e->which = insn->which;
        }
        return e && herd_event_place(f, p, insn, e, address);
    }
}
