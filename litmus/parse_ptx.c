/* SPDX-License-Identifier: MIT */
/* PTX of an iGPU column. */
#include <string.h>

#include "litmus/parse_ops.h"

struct ptx {
    char *part[8]; /* ld, relaxed, gpu, u32 */
    unsigned parts;
    char text[48];
};

static void ptx_split(struct ptx *p, const char *word)
{
    char *at = p->text;

    g_strlcpy(p->text, word, sizeof(p->text));
    p->parts = 0;
    while (at && p->parts < G_N_ELEMENTS(p->part)) {
        p->part[p->parts++] = at;
        at = strchr(at, '.');
        if (at) {
            *at++ = 0;
        }
    }
}

/* Takes the qualifier out if it is there. Return: its place in @names plus 1, or 0. */
static unsigned ptx_take(struct ptx *p, const char *const *names, unsigned n)
{
    for (unsigned i = 1; i < p->parts; i++) {
        for (unsigned k = 0; k < n; k++) {
            if (strcmp(p->part[i], names[k]) == 0) {
                memmove(&p->part[i], &p->part[i + 1], (p->parts - i - 1) * sizeof(p->part[0]));
                p->parts--;
                return k + 1;
            }
        }
    }
    return 0;
}

static const char *const ptx_scopes[] = { "cta", "gpu", "sys" };
static const char *const ptx_types[] = { "u8", "u16", "u32", "u64", "b8", "b16", "b32", "b64" };

static unsigned ptx_size(struct ptx *p)
{
    unsigned type = ptx_take(p, ptx_types, G_N_ELEMENTS(ptx_types));

    return type ? 1u << (type - 1) % 4 : 0;
}

/* ld and st: weak (default), relaxed.scope, acquire.scope or release.scope, volatile (as
 * relaxed.sys: PTX ISA, "Volatile operations"). */
static bool ptx_order(struct lex *l, const char *at, struct ptx *p, struct litmus_event *e)
{
    static const char *const orders[] = { "weak", "relaxed", "acquire", "release", "volatile" };
    unsigned order = ptx_take(p, orders, G_N_ELEMENTS(orders));
    unsigned scope = ptx_take(p, ptx_scopes, G_N_ELEMENTS(ptx_scopes));

    e->scope = (enum litmus_scope)scope;
    e->acquire = order == 3;
    e->release = order == 4;
    e->sm = order >= 2 && order <= 4 ? 70 : 0;
    if (order == 5) {
        e->scope = LITMUS_SYS;
    }
    if ((order >= 2 && order <= 4) != (scope != 0)) {
        return lex_fail(
            l, at,
            "expected .cta, .gpu or .sys with .relaxed, .acquire and .release, and only "
            "with them");
    }
    if ((e->acquire && e->op == LITMUS_STORE) || (e->release && e->op == LITMUS_LOAD)) {
        return lex_fail(l, at, "a load cannot release, a store cannot acquire");
    }
    return true;
}

static bool ptx_left(struct lex *l, const char *at, const struct ptx *p)
{
    for (unsigned i = 0; p->parts > 1 && i < G_N_ELEMENTS(ptx_scopes); i++) {
        if (strcmp(p->part[1], ptx_scopes[i]) == 0) {
            return lex_fail(l, at, "%s has two scopes", p->part[0]);
        }
    }
    return p->parts == 1 ||
           lex_fail(l, at,
                    "unknown qualifier \".%s\" of %s: expected an order, a scope and a type of PTX",
                    p->part[1], p->part[0]);
}

static bool ptx_load(struct lex *l, const struct litmus_test *test, struct litmus_thread *t,
                     const char *at, struct ptx *p)
{
    struct litmus_event *e = parse_event_add(l, t, LITMUS_LOAD);
    unsigned size = ptx_size(p);

    return e && ptx_order(l, at, p, e) && ptx_left(l, at, p) && parse_reg_target(l, t, e, &size) &&
           lex_need(l, ',', "after the register") && parse_address(l, test, e, size) &&
           parse_dependencies(l, t, e);
}

static bool ptx_store(struct lex *l, const struct litmus_test *test, struct litmus_thread *t,
                      const char *at, struct ptx *p)
{
    struct litmus_event *e = parse_event_add(l, t, LITMUS_STORE);
    unsigned size = ptx_size(p);

    return e && ptx_order(l, at, p, e) && ptx_left(l, at, p) && parse_address(l, test, e, size) &&
           lex_need(l, ',', "after the location") && parse_operand(l, t, e, &size) &&
           parse_dependencies(l, t, e);
}

/* atom[.order][.scope].op[.type] r0,[x],1 (cas: r0,[x],compare,new); red has no register. Default
 * relaxed and gpu: PTX ISA, atom. */
static bool ptx_atom(struct lex *l, const struct litmus_test *test, struct litmus_thread *t,
                     const char *at, struct ptx *p)
{
    static const char *const orders[] = { "relaxed", "acquire", "release", "acq_rel" };
    static const char *const ops[] = { "add", "exch", "cas" };
    struct litmus_event *e = parse_event_add(l, t, LITMUS_ATOMIC);
    unsigned order = ptx_take(p, orders, G_N_ELEMENTS(orders));
    unsigned scope = ptx_take(p, ptx_scopes, G_N_ELEMENTS(ptx_scopes));
    unsigned op = ptx_take(p, ops, G_N_ELEMENTS(ops)), size = ptx_size(p);

    if (!e || !ptx_left(l, at, p)) {
        return false;
    }
    if (!op) {
        return lex_fail(l, at, "expected .add, .exch or .cas");
    }
    e->which = op - 1;
    e->scope = scope ? (enum litmus_scope)scope : LITMUS_GPU;
    e->acquire = order == 2 || order == 4;
    e->release = order == 3 || order == 4;
    e->sm = order ? 70 : scope ? 60 : 0;
    if (strcmp(p->part[0], "red") == 0) {
        e->reg = parse_reg_new(l, t, HIDDEN_REGISTER + t->regs, at);
    } else if (!parse_reg_target(l, t, e, &size) || !lex_need(l, ',', "after the register")) {
        return false;
    }
    if (e->reg < 0 || !parse_address(l, test, e, size) || !lex_need(l, ',', "after the location")) {
        return false;
    }
    if (e->which == LITMUS_CAS && !parse_compare(l, e)) {
        return lex_expected(l, "the value compared with and \",\"");
    }
    return parse_operand(l, t, e, &size) && parse_dependencies(l, t, e);
}

/* @sm: the compute capability that it takes */
static bool fence_add(struct lex *l, struct litmus_thread *t, bool sc, enum litmus_scope scope,
                      unsigned sm)
{
    static const enum litmus_op halves[] = { LITMUS_FENCE_ACQ, LITMUS_FENCE_REL };
    struct litmus_event *e;

    if (sc) {
        e = parse_event_add(l, t, LITMUS_FENCE);
        if (e) {
            e->scope = scope;
            e->sm = sm;
        }
        return e;
    }
    for (unsigned i = 0; i < 2; i++) {
        e = parse_event_add(l, t, halves[i]);
        if (!e) {
            return false;
        }
        e->scope = scope;
        e->sm = sm;
    }
    return true;
}

/* fence[.sc|.acq_rel].scope; membar.{cta,gl,sys} are fence.sc of cta, gpu, sys (PTX ISA, membar).
 */
static bool ptx_fence(struct lex *l, struct litmus_thread *t, const char *at, struct ptx *p)
{
    static const char *const orders[] = { "acq_rel", "sc" };
    static const char *const levels[] = { "cta", "gl", "sys" };
    bool membar = strcmp(p->part[0], "membar") == 0;
    unsigned order = ptx_take(p, orders, membar ? 0 : 2);
    unsigned scope = ptx_take(p, membar ? levels : ptx_scopes, 3);

    if (!ptx_left(l, at, p)) {
        return false;
    }
    if (!scope) {
        return lex_fail(l, at, "expected a scope: %s",
                        membar ? ".cta, .gl or .sys" : ".cta, .gpu or .sys");
    }
    return fence_add(l, t, membar || order == 2, (enum litmus_scope)scope, membar ? 0 : 70);
}

/* CUDA C++ Programming Guide, Memory Fence Functions: sequentially consistent. */
static bool cuda_fence(struct lex *l, struct litmus_thread *t, const char *word)
{
    enum litmus_scope scope = strcmp(word, "__threadfence_block") == 0    ? LITMUS_CTA
                              : strcmp(word, "__threadfence_system") == 0 ? LITMUS_SYS
                                                                          : LITMUS_GPU;

    return lex_need(l, '(', "after the name") && lex_need(l, ')', "after \"(\"") &&
           fence_add(l, t, true, scope, 0);
}

bool parse_ptx_cell(struct lex *l, struct litmus_test *test, struct litmus_thread *t,
                    const char *start, const char *word)
{
    bool known, ok = parse_edge(l, test, t, word, &known);
    struct ptx p;

    if (known) {
        return ok;
    }
    ptx_split(&p, word);
    if (strcmp(p.part[0], "ld") == 0) {
        return ptx_load(l, test, t, start, &p);
    }
    if (strcmp(p.part[0], "st") == 0) {
        return ptx_store(l, test, t, start, &p);
    }
    if (strcmp(p.part[0], "atom") == 0 || strcmp(p.part[0], "red") == 0) {
        return ptx_atom(l, test, t, start, &p);
    }
    if (strcmp(p.part[0], "fence") == 0 || strcmp(p.part[0], "membar") == 0) {
        return ptx_fence(l, t, start, &p);
    }
    if (strcmp(word, "__threadfence") == 0 || strcmp(word, "__threadfence_block") == 0 ||
        strcmp(word, "__threadfence_system") == 0) {
        return cuda_fence(l, t, word);
    }
    l->at = start;
    return lex_expected(
        l, "an operation of the iGPU (ld, st, atom, red, fence, membar, __threadfence(), "
           "signal, await)");
}
