/* SPDX-License-Identifier: MIT */
/* The ways through a thread. */
#include "litmus/expr.h"
#include "litmus/herd.h"

/* --- ways ------------------------------------------------------------------------------------- */

static bool way_end(struct herd_file *f, const struct herd_path *p, GArray *ways)
{
    struct herd_way way = { .t = p->t };

    if (ways->len == HERD_WAYS) {
        return lex_fail(f->l, f->thread[p->t.number].insn[0].from,
                        "%s has more than %d ways through its branches, atomics and loaded "
                        "addresses: make it shorter",
                        p->t.name, HERD_WAYS);
    }
    for (unsigned i = 0; i < HERD_ZR; i++) {
        way.final[i] = (uint8_t)p->reg[i].expr;
    }
    g_array_append_val(ways, way);
    return true;
}

/* Registers without a node had no room for one. */
static bool values_fit(struct herd_file *f, const struct herd_path *p, const struct herd_insn *insn)
{
    for (unsigned i = 0; i < HERD_ZR; i++) {
        if (p->reg[i].expr < 0) {
            return lex_fail(f->l, insn->from, "%s computes more than %d values", p->t.name,
                            LITMUS_EXPRS);
        }
    }
    return true;
}

static bool path_follow(struct herd_file *f, const struct herd_thread *t, struct herd_path *p,
                        GArray *ways);

/* Every choice but the first on a copy of the path. */
static bool path_fork(struct herd_file *f, const struct herd_thread *t, struct herd_path *p,
                      GArray *ways, const struct herd_insn *insn)
{
    unsigned n = herd_choices(f, p, insn);

    for (unsigned choice = 1; choice < n; choice++) {
        struct herd_path *copy = g_memdup2(p, sizeof(*p));
        bool ok = herd_step(f, copy, insn, choice) && values_fit(f, copy, insn) &&
                  (copy->dead || path_follow(f, t, copy, ways));

        g_free(copy);
        if (!ok) {
            return false;
        }
    }
    return herd_step(f, p, insn, 0) && values_fit(f, p, insn);
}

static bool path_follow(struct herd_file *f, const struct herd_thread *t, struct herd_path *p,
                        GArray *ways)
{
    while (p->pc < t->n && !p->dead) {
        const struct herd_insn *insn = &t->insn[p->pc++];

        if (!path_fork(f, t, p, ways, insn)) {
            return false;
        }
    }
    return p->dead || way_end(f, p, ways);
}

bool herd_ways(struct herd_file *f, unsigned n, GArray *ways)
{
    const struct herd_thread *t = &f->thread[n];
    struct herd_path *p = g_new0(struct herd_path, 1);
    bool ok;

    p->t = f->test->thread[n];
    p->exclusive = -1;
    for (unsigned i = 0; i < HERD_ZR; i++) {
        p->reg[i] = herd_const(p, t->init[i]);
    }
    p->flag_a = p->flag_b = herd_const(p, 0);
    ok = path_follow(f, t, p, ways);
    g_free(p);
    return ok;
}
