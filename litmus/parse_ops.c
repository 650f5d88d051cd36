/* SPDX-License-Identifier: MIT */
/* Operations, written as each agent's own people write them: A64 for the CPU, PTX for the iGPU. */
#include <string.h>

#include "litmus/lex.h"

#define HIDDEN_REGISTER 1000 /* of operations that give their old value to nobody */

struct litmus_event *parse_event_add(struct lex *l, struct litmus_thread *t, enum litmus_op op)
{
    struct litmus_event *e;

    if (t->n == LITMUS_EVENTS) {
        lex_fail(l, NULL, "%s has more than %d operations", t->name, LITMUS_EVENTS);
        return NULL;
    }
    e = &t->event[t->n++];
    *e = (struct litmus_event){ .op = op, .loc = -1, .reg = -1, .src = -1, .job = -1 };
    e->line = lex_line(l, l->at);
    return e;
}

int parse_name(struct lex *l, char names[LITMUS_JOBS][16], unsigned *n, const char *what)
{
    char word[16];
    unsigned i = 0;

    if (!lex_word(l, word, sizeof(word))) {
        lex_expected(l, what);
        return -1;
    }
    while (i < *n && strcmp(names[i], word) != 0) {
        i++;
    }
    if (i == LITMUS_JOBS) {
        lex_fail(l, NULL, "more than %d names of this kind", LITMUS_JOBS);
        return -1;
    }
    if (i == *n) {
        g_strlcpy(names[(*n)++], word, 16);
    }
    return (int)i;
}

/* --- registers
 * ---------------------------------------------------------------------------------------- */

/* W3, X3 on a CPU; r3, %r3 elsewhere. */
static bool reg_number(const struct litmus_thread *t, const char *word, unsigned *number,
                       unsigned *size)
{
    char c = word[0] == '%' ? word[1] : word[0];
    const char *digits = word + 1 + (word[0] == '%');
    bool cpu = t->agent == LITMUS_CPU;

    if (!(cpu ? strchr("WwXx", c) : strchr("r", c)) || !c || !g_ascii_isdigit(*digits) ||
        strlen(digits) > 2 || (digits[1] && !g_ascii_isdigit(digits[1]))) {
        return false;
    }
    *number = (unsigned)g_ascii_strtoull(digits, NULL, 10);
    *size = cpu ? ((c | 32) == 'w' ? 4 : 8) : 0;
    return true;
}

static int reg_find(const struct litmus_thread *t, unsigned number)
{
    for (unsigned i = 0; i < t->regs; i++) {
        if (t->reg_number[i] == number) {
            return (int)i;
        }
    }
    return -1;
}

static int reg_new(struct lex *l, struct litmus_thread *t, unsigned number)
{
    if (reg_find(t, number) >= 0) {
        lex_fail(l, NULL, "a register is loaded once a thread: take another one");
        return -1;
    }
    if (t->regs == LITMUS_REGS) {
        lex_fail(l, NULL, "%s uses more than %d registers", t->name, LITMUS_REGS);
        return -1;
    }
    t->reg_number[t->regs] = number;
    return (int)t->regs++;
}

static const char *reg_example(const struct litmus_thread *t)
{
    return t->agent == LITMUS_CPU ? "a register (W0, X1)" : "a register (r0)";
}

static bool reg_target(struct lex *l, struct litmus_thread *t, struct litmus_event *e,
                       unsigned *size)
{
    const char *at;
    char word[16];
    unsigned number, wide = 0;

    lex_space(l);
    at = l->at;
    if (!lex_word(l, word, sizeof(word)) || !reg_number(t, word, &number, &wide)) {
        l->at = at;
        return lex_expected(l, reg_example(t));
    }
    e->reg = reg_new(l, t, number);
    *size = *size ? *size : wide;
    return e->reg >= 0;
}

/* A register that has a value already. */
static int reg_source(struct lex *l, const struct litmus_thread *t, unsigned *size)
{
    const char *at;
    char word[16];
    unsigned number, wide = 0;
    int reg;

    lex_space(l);
    at = l->at;
    if (!lex_word(l, word, sizeof(word)) || !reg_number(t, word, &number, &wide)) {
        l->at = at;
        lex_expected(l, reg_example(t));
        return -1;
    }
    reg = reg_find(t, number);
    if (reg < 0) {
        lex_fail(l, at, "%s has no value yet: load it first", word);
    }
    *size = *size ? *size : wide;
    return reg;
}

/* --- operands
 * ------------------------------------------------------------------------------------------ */

int parse_location(struct lex *l, const struct litmus_test *test)
{
    const char *at;
    char word[16];

    lex_space(l);
    at = l->at;
    if (!lex_word(l, word, sizeof(word))) {
        lex_expected(l, "the name of a location");
        return -1;
    }
    for (unsigned i = 0; i < test->locs; i++) {
        if (strcmp(test->loc[i].name, word) == 0) {
            return (int)i;
        }
    }
    lex_fail(l, at, "no location \"%s\" in { }", word);
    return -1;
}

/* [x] or [x+2]; @size 0: all of it from there on. */
static bool address(struct lex *l, const struct litmus_test *test, struct litmus_event *e,
                    unsigned size)
{
    const struct litmus_loc *loc;
    uint64_t offset = 0;
    const char *at;

    if (!lex_need(l, '[', "before a location")) {
        return false;
    }
    lex_space(l);
    at = l->at;
    e->loc = parse_location(l, test);
    if (e->loc < 0) {
        return false;
    }
    loc = &test->loc[e->loc];
    if (lex_take(l, '+') && !lex_number(l, &offset)) {
        return lex_expected(l, "a number of bytes");
    }
    if (offset >= loc->size || (size && (offset + size > loc->size || offset % size))) {
        return lex_fail(l, at, "%u bytes at offset %u leave %s (%u bytes), or are not aligned",
                        size ? size : 1, (unsigned)MIN(offset, 255), loc->name, loc->size);
    }
    e->offset = (unsigned)offset;
    e->size = size ? size : loc->size - e->offset;
    return lex_need(l, ']', "after the location");
}

/* #1 (CPU), 1 (others), or a register. */
static bool operand(struct lex *l, const struct litmus_thread *t, struct litmus_event *e,
                    unsigned *size)
{
    uint64_t value;
    bool hash = lex_take(l, '#');

    if (lex_number(l, &value)) {
        e->value = value;
        return true;
    }
    if (hash) {
        return lex_expected(l, "a number");
    }
    lex_space(l);
    if (l->at >= l->end || !(g_ascii_isalpha(*l->at) || *l->at == '%')) {
        return lex_expected(l, t->agent == LITMUS_CPU ? "a value (#1) or a register (W0)"
                                                      : "a value (1) or a register (r0)");
    }
    e->src = reg_source(l, t, size);
    e->data |= e->src < 0 ? 0 : 1u << e->src;
    return e->src >= 0;
}

static bool dependencies(struct lex *l, const struct litmus_thread *t, struct litmus_event *e)
{
    while (lex_peek_word(l, "addr") || lex_peek_word(l, "data") || lex_peek_word(l, "ctrl")) {
        unsigned size = 0;
        char word[8];
        int reg;

        lex_word(l, word, sizeof(word));
        if (!lex_need(l, '(', "and the register depended on")) {
            return false;
        }
        reg = reg_source(l, t, &size);
        if (reg < 0 || !lex_need(l, ')', "after the register")) {
            return false;
        }
        *(word[0] == 'a' ? &e->addr : word[0] == 'd' ? &e->data : &e->ctrl) |= 1u << reg;
    }
    return true;
}

/* --- CPU: A64
 * ------------------------------------------------------------------------------------------- */

/* LDADDAL -> LDADD, acquire, release. */
static bool strip_order(char *word, const char *root, struct litmus_event *e)
{
    const char *rest = word + strlen(root);

    if (!g_str_has_prefix(word, root) ||
        !(!*rest || !strcmp(rest, "A") || !strcmp(rest, "L") || !strcmp(rest, "AL"))) {
        return false;
    }
    e->acquire = *rest == 'A';
    e->release = *rest && strchr(rest, 'L');
    return true;
}

/* The last letter of LDRB, STLRH: 1 or 2 bytes; taken off. */
static unsigned strip_size(char *word)
{
    size_t n = strlen(word);
    unsigned size = n > 3 && word[n - 1] == 'B' ? 1 : n > 3 && word[n - 1] == 'H' ? 2 : 0;

    if (size) {
        word[n - 1] = 0;
    }
    return size;
}

static bool cpu_load(struct lex *l, const struct litmus_test *test, struct litmus_thread *t,
                     const char *word, unsigned size)
{
    struct litmus_event *e = parse_event_add(l, t, LITMUS_LOAD);

    if (!e) {
        return false;
    }
    e->acquire = word[2] == 'A';
    e->pc = strcmp(word, "LDAPR") == 0;
    return reg_target(l, t, e, &size) && lex_need(l, ',', "after the register") &&
           address(l, test, e, size) && dependencies(l, t, e);
}

static bool cpu_store(struct lex *l, const struct litmus_test *test, struct litmus_thread *t,
                      const char *word, unsigned size)
{
    struct litmus_event *e = parse_event_add(l, t, LITMUS_STORE);

    if (!e) {
        return false;
    }
    e->release = strcmp(word, "STLR") == 0;
    return operand(l, t, e, &size) && lex_need(l, ',', "after the value") &&
           address(l, test, e, size) && dependencies(l, t, e);
}

/* LDADD #1,W0,[x]; SWP #1,W0,[x]; CAS #0,#1,W0,[x] (compare, new value, register for the old one)
 */
static bool cpu_atomic(struct lex *l, const struct litmus_test *test, struct litmus_thread *t,
                       const struct litmus_event *kind)
{
    struct litmus_event *e = parse_event_add(l, t, LITMUS_ATOMIC);
    unsigned size = 0;

    if (!e) {
        return false;
    }
    e->acquire = kind->acquire;
    e->release = kind->release;
    e->which = kind->which;
    if (e->which == LITMUS_CAS &&
        !((lex_take(l, '#') || true) && lex_number(l, &e->compare) && lex_take(l, ','))) {
        return lex_expected(l, "the value compared with (#0) and \",\"");
    }
    return operand(l, t, e, &size) && lex_need(l, ',', "after the value") &&
           reg_target(l, t, e, &size) && lex_need(l, ',', "after the register") &&
           address(l, test, e, size) && dependencies(l, t, e);
}

static bool cpu_barrier(struct lex *l, struct litmus_thread *t)
{
    static const struct {
        const char *name;
        enum litmus_dmb which;
    } options[] = {
        { "SY", LITMUS_DMB_SY }, { "ISH", LITMUS_DMB_SY },   { "OSH", LITMUS_DMB_SY },
        { "LD", LITMUS_DMB_LD }, { "ISHLD", LITMUS_DMB_LD }, { "OSHLD", LITMUS_DMB_LD },
        { "ST", LITMUS_DMB_ST }, { "ISHST", LITMUS_DMB_ST }, { "OSHST", LITMUS_DMB_ST },
    };
    struct litmus_event *e = parse_event_add(l, t, LITMUS_DMB);
    const char *at;
    char word[16];

    if (!e) {
        return false;
    }
    lex_space(l);
    at = l->at;
    if (lex_word(l, word, sizeof(word))) {
        for (size_t i = 0; i < G_N_ELEMENTS(options); i++) {
            if (g_ascii_strcasecmp(options[i].name, word) == 0) {
                e->which = options[i].which;
                return true;
            }
        }
    }
    l->at = at;
    return lex_expected(l, "SY, LD, ST, ISH, ISHLD, ISHST, OSH, OSHLD or OSHST");
}

static bool cpu_dc(struct lex *l, const struct litmus_test *test, struct litmus_thread *t)
{
    static const char *const names[] = { "CVAC", "CIVAC", "IVAC" };
    struct litmus_event *e = parse_event_add(l, t, LITMUS_DC);
    const char *at;
    char word[16];

    if (!e) {
        return false;
    }
    lex_space(l);
    at = l->at;
    if (lex_word(l, word, sizeof(word))) {
        for (unsigned i = 0; i < G_N_ELEMENTS(names); i++) {
            if (g_ascii_strcasecmp(names[i], word) == 0) {
                e->which = i;
                return lex_need(l, ',', "after the operation") && address(l, test, e, 0);
            }
        }
    }
    l->at = at;
    return lex_expected(l, "CVAC, CIVAC or IVAC");
}

static bool l2_operation(struct lex *l, struct litmus_thread *t)
{
    static const char *const names[] = { "clean", "invalidate", "flush" };
    const char *at;
    char word[16];

    lex_space(l);
    at = l->at;
    if (lex_word(l, word, sizeof(word))) {
        for (unsigned i = 0; i < G_N_ELEMENTS(names); i++) {
            if (strcmp(names[i], word) == 0) {
                return parse_event_add(l, t, (enum litmus_op)(LITMUS_L2_CLEAN + i));
            }
        }
    }
    l->at = at;
    return lex_expected(l, "clean, invalidate or flush (clean, then invalidate)");
}

/* submit K, launch K, wait K, sync K, doorbell K; for any agent: signal S, await S */
static bool edge(struct lex *l, struct litmus_test *test, struct litmus_thread *t, const char *word,
                 bool *known)
{
    static const struct {
        const char *name;
        enum litmus_op op;
        bool any;
    } edges[] = {
        { "submit", LITMUS_SUBMIT, false },     { "launch", LITMUS_LAUNCH, false },
        { "wait", LITMUS_WAIT, false },         { "sync", LITMUS_SYNC, false },
        { "doorbell", LITMUS_DOORBELL, false }, { "signal", LITMUS_SIGNAL, true },
        { "await", LITMUS_AWAIT, true },
    };

    for (size_t i = 0; i < G_N_ELEMENTS(edges); i++) {
        if (strcmp(edges[i].name, word) == 0 && (edges[i].any || t->agent == LITMUS_CPU)) {
            struct litmus_event *e = parse_event_add(l, t, edges[i].op);

            *known = true;
            if (!e) {
                return false;
            }
            e->job = edges[i].any
                         ? parse_name(l, test->edge_name, &test->edges, "the name of an edge")
                         : parse_name(l, test->job_name, &test->jobs, "the name of a job");
            return e->job >= 0;
        }
    }
    *known = false;
    return false;
}

static bool cpu_cell(struct lex *l, struct litmus_test *test, struct litmus_thread *t,
                     const char *start, char *word)
{
    static const char *const loads[] = { "LDR", "LDAR", "LDAPR" };
    static const char *const stores[] = { "STR", "STLR" };
    static const char *const atomics[] = { "LDADD", "SWP", "CAS" };
    struct litmus_event kind = { 0 };
    bool known, ok = edge(l, test, t, word, &known);
    char upper[16];
    unsigned size;

    if (known) {
        return ok;
    }
    if (strcmp(word, "l2") == 0) {
        return l2_operation(l, t);
    }
    for (size_t i = 0; i <= strlen(word); i++) {
        upper[i] = g_ascii_toupper(word[i]);
    }
    if (strcmp(upper, "DMB") == 0 || strcmp(upper, "DSB") == 0) {
        return cpu_barrier(l, t);
    }
    if (strcmp(upper, "ISB") == 0) {
        return parse_event_add(l, t, LITMUS_ISB);
    }
    if (strcmp(upper, "DC") == 0) {
        return cpu_dc(l, test, t);
    }
    for (unsigned i = 0; i < G_N_ELEMENTS(atomics); i++) {
        kind.which = i;
        if (strip_order(upper, atomics[i], &kind)) {
            return cpu_atomic(l, test, t, &kind);
        }
    }
    size = strip_size(upper);
    for (size_t i = 0; i < G_N_ELEMENTS(loads); i++) {
        if (strcmp(upper, loads[i]) == 0) {
            return cpu_load(l, test, t, upper, size);
        }
    }
    for (size_t i = 0; i < G_N_ELEMENTS(stores); i++) {
        if (strcmp(upper, stores[i]) == 0) {
            return cpu_store(l, test, t, upper, size);
        }
    }
    l->at = start;
    return lex_expected(
        l, "an operation of a CPU (LDR, LDAR, LDAPR, STR, STLR, LDADD, SWP, CAS, DMB, DSB, "
           "ISB, DC, l2, submit, launch, wait, sync, doorbell, signal, await)");
}

/* --- iGPU: PTX
 * ------------------------------------------------------------------------------------------- */

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
    return p->parts == 1 ||
           lex_fail(l, at, "unknown qualifier \".%s\" of %s", p->part[1], p->part[0]);
}

static bool ptx_load(struct lex *l, const struct litmus_test *test, struct litmus_thread *t,
                     const char *at, struct ptx *p)
{
    struct litmus_event *e = parse_event_add(l, t, LITMUS_LOAD);
    unsigned size = ptx_size(p);

    return e && ptx_order(l, at, p, e) && ptx_left(l, at, p) && reg_target(l, t, e, &size) &&
           lex_need(l, ',', "after the register") && address(l, test, e, size) &&
           dependencies(l, t, e);
}

static bool ptx_store(struct lex *l, const struct litmus_test *test, struct litmus_thread *t,
                      const char *at, struct ptx *p)
{
    struct litmus_event *e = parse_event_add(l, t, LITMUS_STORE);
    unsigned size = ptx_size(p);

    return e && ptx_order(l, at, p, e) && ptx_left(l, at, p) && address(l, test, e, size) &&
           lex_need(l, ',', "after the location") && operand(l, t, e, &size) &&
           dependencies(l, t, e);
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
    if (strcmp(p->part[0], "red") == 0) {
        e->reg = reg_new(l, t, HIDDEN_REGISTER + t->regs);
    } else if (!reg_target(l, t, e, &size) || !lex_need(l, ',', "after the register")) {
        return false;
    }
    if (e->reg < 0 || !address(l, test, e, size) || !lex_need(l, ',', "after the location")) {
        return false;
    }
    if (e->which == LITMUS_CAS && !(lex_number(l, &e->compare) && lex_take(l, ','))) {
        return lex_expected(l, "the value compared with and \",\"");
    }
    return operand(l, t, e, &size) && dependencies(l, t, e);
}

static bool fence_add(struct lex *l, struct litmus_thread *t, bool sc, enum litmus_scope scope)
{
    static const enum litmus_op halves[] = { LITMUS_FENCE_ACQ, LITMUS_FENCE_REL };
    struct litmus_event *e;

    if (sc) {
        e = parse_event_add(l, t, LITMUS_FENCE);
        if (e) {
            e->scope = scope;
        }
        return e;
    }
    for (unsigned i = 0; i < 2; i++) {
        e = parse_event_add(l, t, halves[i]);
        if (!e) {
            return false;
        }
        e->scope = scope;
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
    return fence_add(l, t, membar || order == 2, (enum litmus_scope)scope);
}

/* CUDA C++ Programming Guide, Memory Fence Functions: sequentially consistent. */
static bool cuda_fence(struct lex *l, struct litmus_thread *t, const char *word)
{
    enum litmus_scope scope = strcmp(word, "__threadfence_block") == 0    ? LITMUS_CTA
                              : strcmp(word, "__threadfence_system") == 0 ? LITMUS_SYS
                                                                          : LITMUS_GPU;

    return lex_need(l, '(', "after the name") && lex_need(l, ')', "after \"(\"") &&
           fence_add(l, t, true, scope);
}

static bool gpu_cell(struct lex *l, struct litmus_test *test, struct litmus_thread *t,
                     const char *start, const char *word)
{
    bool known, ok = edge(l, test, t, word, &known);
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

/* --- copy engine, DLA, other engines
 * --------------------------------------------------------------------- */

/* copy [y],[x]: a read, then a write of the same bytes. */
static bool engine_copy(struct lex *l, const struct litmus_test *test, struct litmus_thread *t)
{
    struct litmus_event dst = { .loc = -1 }, *e;

    if (!address(l, test, &dst, 0) || !lex_need(l, ',', "after the destination")) {
        return false;
    }
    e = parse_event_add(l, t, LITMUS_LOAD);
    if (!e || !address(l, test, e, dst.size)) {
        return false;
    }
    e->reg = reg_new(l, t, HIDDEN_REGISTER + t->regs);
    if (e->reg < 0) {
        return false;
    }
    dst.src = e->reg;
    e = parse_event_add(l, t, LITMUS_STORE);
    if (e) {
        e->loc = dst.loc;
        e->offset = dst.offset;
        e->size = dst.size;
        e->src = dst.src;
    }
    return e;
}

static bool engine_cell(struct lex *l, struct litmus_test *test, struct litmus_thread *t,
                        const char *start, const char *word)
{
    bool known, ok = edge(l, test, t, word, &known);
    struct litmus_event *e;
    unsigned size = 0;

    if (known) {
        return ok;
    }
    if (strcmp(word, "copy") == 0) {
        return engine_copy(l, test, t);
    }
    if (strcmp(word, "read") == 0) {
        e = parse_event_add(l, t, LITMUS_LOAD);
        return e && reg_target(l, t, e, &size) && lex_need(l, ',', "after the register") &&
               address(l, test, e, 0);
    }
    if (strcmp(word, "write") == 0) {
        e = parse_event_add(l, t, LITMUS_STORE);
        return e && address(l, test, e, 0) && lex_need(l, ',', "after the location") &&
               operand(l, t, e, &size);
    }
    l->at = start;
    return lex_expected(l, "an operation of an engine (read, write, copy, signal, await)");
}

/* What the file says, on one line. */
static void text_keep(struct litmus_event *e, const char *from, const char *to)
{
    size_t n = 0;

    while (to > from && g_ascii_isspace(to[-1])) {
        to--;
    }
    for (; from < to && n < sizeof(e->text) - 1; from++) {
        if (!g_ascii_isspace(*from)) {
            e->text[n++] = *from;
        } else if (n && e->text[n - 1] != ' ') {
            e->text[n++] = ' ';
        }
    }
    e->text[n] = 0;
}

bool parse_cell(struct lex *l, struct litmus_test *test, struct litmus_thread *t)
{
    unsigned first = t->n;
    const char *start;
    char word[48];
    bool ok;

    lex_space(l);
    start = l->at;
    if (!lex_word(l, word, t->agent == LITMUS_CPU ? 16 : sizeof(word))) {
        return lex_peek(l, '|') || lex_peek(l, ';') ||
               lex_expected(l, "an operation, \"|\" or \";\"");
    }
    ok = t->agent == LITMUS_CPU    ? cpu_cell(l, test, t, start, word)
         : t->agent == LITMUS_IGPU ? gpu_cell(l, test, t, start, word)
                                   : engine_cell(l, test, t, start, word);
    for (unsigned i = first; ok && i < t->n; i++) {
        text_keep(&t->event[i], start, l->at);
        if (t->n - first == 2) {
            const char *half = t->event[i].op == LITMUS_FENCE_ACQ   ? " (acquire)"
                               : t->event[i].op == LITMUS_FENCE_REL ? " (release)"
                               : i == first                         ? " (read)"
                                                                    : " (write)";

            g_strlcat(t->event[i].text, half, sizeof(t->event[i].text));
        }
    }
    return ok;
}
