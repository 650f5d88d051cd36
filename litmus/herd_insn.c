/* SPDX-License-Identifier: MIT */
/* The instructions that are read. A row of a table a group; docs/litmus.md lists them. */
#include <string.h>

#include "litmus/herd.h"

static const char expected[] =
    "an instruction that is read (MOV, ADD, SUB, EOR, AND, ORR, BIC, LSL, LSR, SXTW, UXTW, CMP, "
    "TST, CSEL, CSET, B, B.cond, CBZ, CBNZ, LDR, LDUR, LDAR, LDAPR, LDXR, LDAXR, STR, STUR, STLR, "
    "STXR, STLXR, CAS, SWP, LDADD, LDSET, LDCLR, LDEOR, STADD, DMB, DSB, ISB, DC, IC, NOP)";

static bool herd_insn_comma(struct lex *l)
{
    return lex_need(l, ',', "and the next operand");
}

static bool reg_read(struct lex *l, struct herd_insn *insn, int *reg)
{
    bool wide = false;

    *reg = herd_register(l, &wide);
    insn->wide = wide;
    return *reg >= 0;
}

/* --- computing -------------------------------------------------------------------------------- */

/* rd, rn, operand */
static bool alu_read(struct lex *l, struct herd_insn *insn)
{
    return reg_read(l, insn, &insn->rd) && herd_insn_comma(l) && reg_read(l, insn, &insn->rn) &&
           herd_insn_comma(l) && herd_operand_read(l, &insn->operand);
}

/* MOV rd, operand: the operand and 0 */
static bool mov_read(struct lex *l, struct herd_insn *insn)
{
    insn->rn = HERD_ZR;
    return reg_read(l, insn, &insn->rd) && herd_insn_comma(l) &&
           herd_operand_read(l, &insn->operand);
}

/* SXTW X1,W0 */
static bool extend_read(struct lex *l, struct herd_insn *insn, enum litmus_expr_op extend)
{
    bool wide, ok = mov_read(l, insn);

    wide = insn->wide;
    insn->operand.extend = extend;
    return ok && (wide || extend == LITMUS_EXPR_UXTW ||
                  lex_fail(l, insn->from, "SXTW takes an X register and a W register"));
}

static bool compare_read(struct lex *l, struct herd_insn *insn)
{
    insn->rd = HERD_ZR;
    insn->flags = true;
    return reg_read(l, insn, &insn->rn) && herd_insn_comma(l) &&
           herd_operand_read(l, &insn->operand);
}

static bool condition_read(struct lex *l, struct herd_insn *insn, const char *word)
{
    static const char names[][3] = { "EQ", "NE", "CS", "HS", "CC", "LO", "MI", "PL",
                                     "HI", "LS", "GE", "LT", "GT", "LE", "AL" };

    for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
        if (g_ascii_strcasecmp(names[i], word) == 0) {
            g_strlcpy(insn->condition, names[i], sizeof(insn->condition));
            return true;
        }
    }
    return lex_fail(l, insn->from,
                    "\"%s\" is no condition: expected EQ, NE, CS, CC, MI, PL, HI, "
                    "LS, GE, LT, GT or LE",
                    word);
}

static bool condition_operand(struct lex *l, struct herd_insn *insn)
{
    char word[LITMUS_NAME] = "";

    if (!herd_insn_comma(l)) {
        return false;
    }
    lex_word(l, word, sizeof(word));
    return condition_read(l, insn, word);
}

/* CSEL rd,rn,rm,EQ; CSET rd,EQ: 1 or 0 */
static bool csel_read(struct lex *l, struct herd_insn *insn, bool set)
{
    insn->op = HERD_CSEL;
    insn->set = set;
    return reg_read(l, insn, &insn->rd) &&
           (set || (herd_insn_comma(l) && reg_read(l, insn, &insn->rn) && herd_insn_comma(l) &&
                    reg_read(l, insn, &insn->rm))) &&
           condition_operand(l, insn);
}

/* --- branches --------------------------------------------------------------------------------- */

static bool target_read(struct herd_file *f, struct herd_thread *t, struct herd_insn *insn)
{
    struct lex *l = f->l;
    const char *at;
    char word[LITMUS_NAME];
    unsigned i = 0;

    lex_space(l);
    at = l->at;
    if (!lex_word(l, word, sizeof(word))) {
        return lex_expected(l, "a label of this thread");
    }
    while (i < t->labels && strcmp(t->label[i].name, word) != 0) {
        i++;
    }
    if (i == HERD_LABELS) {
        return lex_fail(l, at, "more than %d labels: split the test", HERD_LABELS);
    }
    if (i == t->labels) {
        t->label[t->labels++].place = -1;
        g_strlcpy(t->label[i].name, word, sizeof(t->label[i].name));
    }
    t->label[i].used = t->label[i].used ? t->label[i].used : at;
    insn->target = (int)i;
    return true;
}

static bool branch_read(struct herd_file *f, struct herd_thread *t, struct herd_insn *insn,
                        enum herd_branch branch)
{
    insn->op = HERD_BRANCH;
    insn->branch = branch;
    if (branch >= HERD_IF_ZERO && !(reg_read(f->l, insn, &insn->rn) && herd_insn_comma(f->l))) {
        return false;
    }
    return target_read(f, t, insn);
}

/* --- memory ----------------------------------------------------------------------------------- */

/* @rest of a name: A, L, AL, then B or H. False: another instruction. */
static bool orders_take(struct herd_insn *insn, const char *rest)
{
    insn->acquire = *rest == 'A';
    rest += insn->acquire;
    insn->release = *rest == 'L';
    rest += insn->release;
    insn->size = *rest == 'B' ? 1 : *rest == 'H' ? 2 : 0;
    rest += insn->size != 0;
    return !*rest;
}

static void size_settle(struct herd_insn *insn)
{
    insn->size = insn->size ? insn->size : insn->wide ? 8 : 4;
}

static bool load_read(struct lex *l, struct herd_insn *insn, bool plain)
{
    bool ok = reg_read(l, insn, &insn->rd);

    insn->op = HERD_LOAD;
    size_settle(insn);
    return ok && herd_insn_comma(l) && herd_address_read(l, insn, plain);
}

/* An exclusive one has its status register first. */
static bool store_read(struct lex *l, struct herd_insn *insn, bool plain)
{
    bool ok = !insn->exclusive || (reg_read(l, insn, &insn->rs) && herd_insn_comma(l));

    ok = ok && reg_read(l, insn, &insn->rn);
    insn->op = HERD_STORE;
    size_settle(insn);
    return ok && herd_insn_comma(l) && herd_address_read(l, insn, plain);
}

static bool cas_read(struct lex *l, struct herd_insn *insn)
{
    bool ok = reg_read(l, insn, &insn->rs) && herd_insn_comma(l) && reg_read(l, insn, &insn->rn);

    insn->op = HERD_CAS;
    size_settle(insn);
    return ok && herd_insn_comma(l) && herd_address_read(l, insn, true);
}

/* LDADD rn,rd,[x]; STADD rn,[x] */
static bool amo_read(struct lex *l, struct herd_insn *insn, bool store)
{
    bool ok = reg_read(l, insn, &insn->rn);

    insn->op = HERD_AMO;
    insn->rd = HERD_ZR;
    ok = ok && (store || (herd_insn_comma(l) && reg_read(l, insn, &insn->rd)));
    size_settle(insn);
    return ok && herd_insn_comma(l) && herd_address_read(l, insn, true);
}

static const struct {
    const char *name;
    bool store, acquire, release, pc, exclusive, plain;
} accesses[] = {
    { "LDR", false, false, false, false, false, false },
    { "LDUR", false, false, false, false, false, false },
    { "LDAR", false, true, false, false, false, true },
    { "LDAPR", false, true, false, true, false, true },
    { "LDAPUR", false, true, false, true, false, false },
    { "LDXR", false, false, false, false, true, true },
    { "LDAXR", false, true, false, false, true, true },
    { "STR", true, false, false, false, false, false },
    { "STUR", true, false, false, false, false, false },
    { "STLR", true, false, true, false, false, true },
    { "STXR", true, false, false, false, true, true },
    { "STLXR", true, false, true, false, true, true },
};

/* LDR to STLXR, with B or H. */
static bool access_read(struct lex *l, struct herd_insn *insn, const char *word, bool *known)
{
    for (size_t i = 0; i < G_N_ELEMENTS(accesses); i++) {
        const char *rest = word + strlen(accesses[i].name);

        if (g_str_has_prefix(word, accesses[i].name) &&
            (!*rest || !strcmp(rest, "B") || !strcmp(rest, "H"))) {
            *known = true;
            insn->size = *rest == 'B' ? 1 : *rest == 'H' ? 2 : 0;
            insn->acquire = accesses[i].acquire;
            insn->release = accesses[i].release;
            insn->pc = accesses[i].pc;
            insn->exclusive = accesses[i].exclusive;
            return accesses[i].store ? store_read(l, insn, accesses[i].plain)
                                     : load_read(l, insn, accesses[i].plain);
        }
    }
    return false;
}

static const struct {
    const char *name;
    enum litmus_expr_op op;
} atomics[] = {
    { "SWP", LITMUS_EXPR_CONST }, { "LDADD", LITMUS_EXPR_ADD }, { "LDSET", LITMUS_EXPR_ORR },
    { "LDCLR", LITMUS_EXPR_BIC }, { "LDEOR", LITMUS_EXPR_EOR }, { "STADD", LITMUS_EXPR_ADD },
    { "STSET", LITMUS_EXPR_ORR }, { "STCLR", LITMUS_EXPR_BIC }, { "STEOR", LITMUS_EXPR_EOR },
};

static bool atomic_read(struct lex *l, struct herd_insn *insn, const char *word, bool *known)
{
    if (g_str_has_prefix(word, "CAS") && orders_take(insn, word + 3)) {
        *known = true;
        return cas_read(l, insn);
    }
    for (size_t i = 0; i < G_N_ELEMENTS(atomics); i++) {
        if (g_str_has_prefix(word, atomics[i].name) &&
            orders_take(insn, word + strlen(atomics[i].name))) {
            *known = true;
            insn->alu = atomics[i].op;
            return amo_read(l, insn, word[0] == 'S' && word[1] == 'T');
        }
    }
    return false;
}

/* --- barriers and maintenance ----------------------------------------------------------------- */

static bool barrier_read(struct lex *l, struct herd_insn *insn)
{
    static const char *const names[] = { "SY",    "ISH", "OSH",   "LD",   "ISHLD",
                                         "OSHLD", "ST",  "ISHST", "OSHST" };
    const char *at;
    char word[LITMUS_NAME];

    insn->op = HERD_BARRIER;
    lex_space(l);
    at = l->at;
    if (lex_word(l, word, sizeof(word))) {
        for (unsigned i = 0; i < G_N_ELEMENTS(names); i++) {
            if (g_ascii_strcasecmp(names[i], word) == 0) {
                insn->which = i / 3; /* enum litmus_dmb */
                return true;
            }
        }
    }
    l->at = at;
    return lex_expected(l, "SY, LD, ST, ISH, ISHLD, ISHST, OSH, OSHLD or OSHST");
}

/* IC IVAU,X1 moves no data: nothing that such a test can see. */
static bool maintenance_read(struct lex *l, struct herd_insn *insn, bool data)
{
    static const struct {
        const char *name;
        enum litmus_dc which;
        bool data;
    } names[] = { { "CVAC", LITMUS_CVAC, true },
                  { "CVAU", LITMUS_CVAC, true },
                  { "CIVAC", LITMUS_CIVAC, true },
                  { "IVAC", LITMUS_IVAC, true },
                  { "IVAU", LITMUS_CVAC, false } };
    const char *at;
    char word[LITMUS_NAME];

    insn->op = data ? HERD_DC : HERD_NOP;
    insn->operand = (struct herd_operand){ .imm = true };
    lex_space(l);
    at = l->at;
    if (lex_word(l, word, sizeof(word))) {
        for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
            if (names[i].data == data && g_ascii_strcasecmp(names[i].name, word) == 0) {
                insn->which = names[i].which;
                return herd_insn_comma(l) && reg_read(l, insn, &insn->base);
            }
        }
    }
    l->at = at;
    return lex_expected(l, data ? "CVAC, CVAU, CIVAC or IVAC" : "IVAU");
}

/* --- one instruction -------------------------------------------------------------------------- */

static const struct {
    const char *name;
    enum litmus_expr_op op;
    bool flags;
} alus[] = {
    { "ADD", LITMUS_EXPR_ADD, false }, { "ADDS", LITMUS_EXPR_ADD, true },
    { "SUB", LITMUS_EXPR_SUB, false }, { "SUBS", LITMUS_EXPR_SUB, true },
    { "AND", LITMUS_EXPR_AND, false }, { "ANDS", LITMUS_EXPR_AND, true },
    { "EOR", LITMUS_EXPR_EOR, false }, { "ORR", LITMUS_EXPR_ORR, false },
    { "BIC", LITMUS_EXPR_BIC, false }, { "LSL", LITMUS_EXPR_LSL, false },
    { "LSR", LITMUS_EXPR_LSR, false },
};

static bool compute_read(struct lex *l, struct herd_insn *insn, const char *word, bool *known)
{
    *known = true;
    insn->op = HERD_ALU;
    insn->alu = LITMUS_EXPR_ADD;
    if (strcmp(word, "MOV") == 0 || strcmp(word, "MOVZ") == 0) {
        return mov_read(l, insn);
    }
    if (strcmp(word, "SXTW") == 0 || strcmp(word, "UXTW") == 0) {
        return extend_read(l, insn, *word == 'S' ? LITMUS_EXPR_SXTW : LITMUS_EXPR_UXTW);
    }
    if (strcmp(word, "CMP") == 0 || strcmp(word, "TST") == 0) {
        insn->alu = *word == 'C' ? LITMUS_EXPR_SUB : LITMUS_EXPR_AND;
        return compare_read(l, insn);
    }
    if (strcmp(word, "CSEL") == 0 || strcmp(word, "CSET") == 0) {
        return csel_read(l, insn, word[3] == 'T');
    }
    for (size_t i = 0; i < G_N_ELEMENTS(alus); i++) {
        if (strcmp(alus[i].name, word) == 0) {
            insn->alu = alus[i].op;
            insn->flags = alus[i].flags;
            return alu_read(l, insn);
        }
    }
    *known = false;
    return false;
}

static bool control_read(struct herd_file *f, struct herd_thread *t, struct herd_insn *insn,
                         const char *word, bool *known)
{
    *known = true;
    if (strcmp(word, "B") == 0) {
        return branch_read(f, t, insn, HERD_ALWAYS);
    }
    if (g_str_has_prefix(word, "B.")) {
        return condition_read(f->l, insn, word + 2) && branch_read(f, t, insn, HERD_IF);
    }
    if (strcmp(word, "CBZ") == 0 || strcmp(word, "CBNZ") == 0) {
        return branch_read(f, t, insn, word[2] == 'Z' ? HERD_IF_ZERO : HERD_IF_NOT_ZERO);
    }
    if (strcmp(word, "DMB") == 0 || strcmp(word, "DSB") == 0) {
        insn->dsb = word[1] == 'S';
        return barrier_read(f->l, insn);
    }
    if (strcmp(word, "ISB") == 0 || strcmp(word, "NOP") == 0) {
        insn->op = *word == 'I' ? HERD_ISB : HERD_NOP;
        return true;
    }
    if (strcmp(word, "DC") == 0 || strcmp(word, "IC") == 0) {
        return maintenance_read(f->l, insn, *word == 'D');
    }
    *known = false;
    return false;
}

static bool any_read(struct herd_file *f, struct herd_thread *t, struct herd_insn *insn,
                     const char *word)
{
    bool known = false, ok = access_read(f->l, insn, word, &known);

    ok = known ? ok : atomic_read(f->l, insn, word, &known);
    ok = known ? ok : compute_read(f->l, insn, word, &known);
    ok = known ? ok : control_read(f, t, insn, word, &known);
    if (!known) {
        f->l->at = insn->from;
        return lex_expected(f->l, expected);
    }
    return ok;
}

bool herd_insn_read(struct herd_file *f, struct herd_thread *t)
{
    struct lex *l = f->l;
    struct herd_insn *insn = &t->insn[t->n];
    char word[LITMUS_NAME];

    lex_space(l);
    if (t->n == HERD_INSNS) {
        return lex_fail(l, NULL, "more than %d instructions in a thread: split the test",
                        HERD_INSNS);
    }
    *insn = (struct herd_insn){ .from = l->at };
    if (!lex_word(l, word, sizeof(word))) {
        return lex_expected(l, expected);
    }
    for (char *c = word; *c; c++) {
        *c = g_ascii_toupper(*c);
    }
    if (!any_read(f, t, insn, word)) {
        return false;
    }
    insn->to = l->at;
    t->n++;
    return true;
}
