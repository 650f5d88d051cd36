/* SPDX-License-Identifier: MIT */
/* A64 and the driver calls of a CPU column. */
#include <string.h>

#include "litmus/parse_ops.h"

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

/* A branch orders a load behind it only if an ISB stands between. So a load that states ctrl(W0)
 * behind an ISB names a branch before that ISB: where else would it matter? */
static void isb_take_ctrl(struct litmus_thread *t, const struct litmus_event *load)
{
    unsigned loaded = 0;

    for (unsigned i = (unsigned)(load - t->event); i-- > 0;) {
        loaded |= t->event[i].reg < 0 ? 0 : 1u << t->event[i].reg;
        if (t->event[i].op == LITMUS_ISB) {
            t->event[i].ctrl |= load->ctrl & ~loaded;
            return;
        }
    }
}

static bool cpu_load(struct lex *l, const struct litmus_test *test, struct litmus_thread *t,
                     const char *word, unsigned size)
{
    struct litmus_event *e = parse_event_add(l, t, LITMUS_LOAD);

    if (!e) {
        return false;
    }
    e->acquire = word[2] == 'A';
    e->pc = e->lrcpc = strcmp(word, "LDAPR") == 0;
    if (!parse_reg_target(l, t, e, &size) || !lex_need(l, ',', "after the register") ||
        !parse_address(l, test, e, size) || !parse_dependencies(l, t, e)) {
        return false;
    }
    isb_take_ctrl(t, e);
    return true;
}

static bool cpu_store(struct lex *l, const struct litmus_test *test, struct litmus_thread *t,
                      const char *word, unsigned size)
{
    struct litmus_event *e = parse_event_add(l, t, LITMUS_STORE);

    if (!e) {
        return false;
    }
    e->release = strcmp(word, "STLR") == 0;
    return parse_operand(l, t, e, &size) && lex_need(l, ',', "after the value") &&
           parse_address(l, test, e, size) && parse_dependencies(l, t, e);
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
    e->lse = true;
    if (e->which == LITMUS_CAS && !((lex_take(l, '#') || true) && parse_compare(l, e))) {
        return lex_expected(l, "the value compared with (#0) and \",\"");
    }
    return parse_operand(l, t, e, &size) && lex_need(l, ',', "after the value") &&
           parse_reg_target(l, t, e, &size) && lex_need(l, ',', "after the register") &&
           parse_address(l, test, e, size) && parse_dependencies(l, t, e);
}

static bool cpu_barrier(struct lex *l, struct litmus_thread *t, bool dsb)
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
    char word[LITMUS_NAME];

    if (!e) {
        return false;
    }
    lex_space(l);
    at = l->at;
    if (lex_word(l, word, sizeof(word))) {
        for (size_t i = 0; i < G_N_ELEMENTS(options); i++) {
            if (g_ascii_strcasecmp(options[i].name, word) == 0) {
                e->which = options[i].which;
                e->dsb = dsb;
                return true;
            }
        }
    }
    l->at = at;
    return lex_expected(l, "SY, LD, ST, ISH, ISHLD, ISHST, OSH, OSHLD or OSHST");
}

static bool cpu_isb(struct lex *l, struct litmus_thread *t)
{
    struct litmus_event *e = parse_event_add(l, t, LITMUS_ISB);

    return e && parse_dependencies(l, t, e);
}

static bool cpu_dc(struct lex *l, const struct litmus_test *test, struct litmus_thread *t)
{
    static const char *const names[] = { "CVAC", "CIVAC", "IVAC" };
    struct litmus_event *e = parse_event_add(l, t, LITMUS_DC);
    const char *at;
    char word[LITMUS_NAME];

    if (!e) {
        return false;
    }
    lex_space(l);
    at = l->at;
    if (lex_word(l, word, sizeof(word))) {
        for (unsigned i = 0; i < G_N_ELEMENTS(names); i++) {
            if (g_ascii_strcasecmp(names[i], word) == 0) {
                e->which = i;
                return lex_need(l, ',', "after the operation") && parse_address(l, test, e, 0);
            }
        }
    }
    l->at = at;
    return lex_expected(l, "CVAC, CIVAC or IVAC");
}

static bool l2_operation(struct lex *l, struct litmus_thread *t, enum litmus_gpu gpu)
{
    static const char *const names[] = { "clean", "invalidate", "flush" };
    struct litmus_event *e;
    const char *at;
    char word[LITMUS_NAME];

    lex_space(l);
    at = l->at;
    if (lex_word(l, word, sizeof(word))) {
        for (unsigned i = 0; i < G_N_ELEMENTS(names); i++) {
            if (strcmp(names[i], word) == 0) {
                e = parse_event_add(l, t, (enum litmus_op)(LITMUS_L2_CLEAN + i));
                if (e) {
                    e->which = gpu;
                }
                return e != NULL;
            }
        }
    }
    l->at = at;
    return lex_expected(l, "clean, invalidate or flush (clean, then invalidate)");
}

bool parse_cpu_cell(struct lex *l, struct litmus_test *test, struct litmus_thread *t,
                    const char *start, char *word)
{
    static const char *const loads[] = { "LDR", "LDAR", "LDAPR" };
    static const char *const stores[] = { "STR", "STLR" };
    static const char *const atomics[] = { "LDADD", "SWP", "CAS" };
    struct litmus_event kind = { 0 };
    bool known, ok = parse_edge(l, test, t, word, &known);
    char upper[LITMUS_NAME];
    unsigned size;

    if (known) {
        return ok;
    }
    if (strcmp(word, "l2") == 0 || strcmp(word, "dl2") == 0) {
        return l2_operation(l, t, word[0] == 'd' ? LITMUS_GPU_DISCRETE : LITMUS_GPU_INTEGRATED);
    }
    g_strlcpy(upper, word, sizeof(upper));
    for (char *c = upper; *c; c++) {
        *c = g_ascii_toupper(*c);
    }
    if (strcmp(upper, "DMB") == 0 || strcmp(upper, "DSB") == 0) {
        return cpu_barrier(l, t, upper[1] == 'S');
    }
    if (strcmp(upper, "ISB") == 0) {
        return cpu_isb(l, t);
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
           "ISB, DC, l2, dl2, submit, launch, wait, sync, doorbell, signal, await)");
}
