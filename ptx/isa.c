/* SPDX-License-Identifier: MIT */
/* The forms of isa.def, read once, and the search for the one that an instruction is. */
#include "ptx/isa.h"

#include <glib.h>
#include <stdatomic.h>
#include <string.h>

#define FORM_GROUPS 10
#define FORM_WORDS 16
#define FORM_TYPES 5

struct group {
    bool optional, any;
    uint8_t n;
    uint16_t mod[FORM_WORDS];
};

struct form {
    struct group group[FORM_GROUPS];
    uint64_t type[FORM_TYPES];
    uint8_t n_groups, n_types, spaces, vectors, op;
    bool any_type, any_space;
    uint16_t sm, version;
    const char *operands;
};

static const struct form_text {
    enum ptx_op op;
    const char *spaces, *mods, *types, *operands;
    uint16_t sm, version;
} texts[] = {
#define PTX_ISA(op, spaces, mods, types, operands, sm, version) \
    { PTX_OP_##op, spaces, mods, types, operands, sm, version },
#include "ptx/isa.def"
#undef PTX_ISA
};

/* @first: of each opcode; forms of one opcode follow each other */
struct isa {
    struct form form[G_N_ELEMENTS(texts)];
    uint16_t first[PTX_OP_COUNT + 1];
};

_Static_assert(PTX_TYPE_COUNT <= 64, "the types of a form are a mask");

static uint16_t mod_find(const char *word, size_t length)
{
    for (unsigned m = 1; m < PTX_MOD_COUNT; m++) {
        const char *name = ptx_mod_name((enum ptx_mod)m);

        if (strlen(name) == length && memcmp(name, word, length) == 0) {
            return (uint16_t)m;
        }
    }
    g_error("isa.def: %.*s is no modifier", (int)length, word);
}

static uint64_t type_find(const char *word, size_t length)
{
    for (unsigned t = 1; t < PTX_TYPE_COUNT; t++) {
        const char *name = ptx_type_name((enum ptx_type)t);

        if (strlen(name) == length && memcmp(name, word, length) == 0) {
            return UINT64_C(1) << t;
        }
    }
    g_error("isa.def: %.*s is no type", (int)length, word);
}

static void group_read(struct group *g, const char *text, size_t length)
{
    const char *end = text + length;

    g->any = *text == '*';
    g->optional = *text == '?';
    for (text += g->any || g->optional; text < end;) {
        size_t n = strcspn(text, "| ");

        g_assert(g->n < FORM_WORDS);
        g->mod[g->n++] = mod_find(text, n);
        text += n + 1;
    }
}

static void form_read_mods(struct form *f, const char *text)
{
    while (*text) {
        size_t n = strcspn(text, " ");

        if (n) {
            g_assert(f->n_groups < FORM_GROUPS);
            group_read(&f->group[f->n_groups++], text, n);
        }
        text += n + (text[n] == ' ');
    }
}

static void form_read_types(struct form *f, const char *text)
{
    f->any_type = *text == '*';
    while (*text && !f->any_type) {
        size_t n = strcspn(text, "| ");

        f->type[f->n_types] |= type_find(text, n);
        f->n_types = (uint8_t)(f->n_types + (text[n] != '|'));
        text += n + (text[n] != 0);
    }
}

static void form_read_spaces(struct form *f, const char *text)
{
    static const char letters[] = "n?cglps"; /* in the order of enum ptx_space */

    f->any_space = *text == '*';
    f->vectors = strchr(text, 'V') == NULL;
    for (; *text && !f->any_space; text++) {
        if (*text == 'V') {
            continue;
        }
        if (g_ascii_isdigit(*text)) {
            f->vectors |= (uint8_t)(1u << (*text - '1'));
        } else {
            f->spaces |= (uint8_t)(1u << (strchr(letters, *text) - letters));
        }
    }
}

static struct isa *isa_new(void)
{
    struct isa *isa = g_new0(struct isa, 1);

    for (size_t i = 0; i < G_N_ELEMENTS(texts); i++) {
        isa->first[texts[i].op + 1]++;
    }
    for (unsigned op = 0; op < PTX_OP_COUNT; op++) {
        isa->first[op + 1] = (uint16_t)(isa->first[op + 1] + isa->first[op]);
    }
    for (size_t i = 0; i < G_N_ELEMENTS(texts); i++) { /* rows of one opcode may lie apart */
        struct form *f = &isa->form[isa->first[texts[i].op]];

        while (f->operands) {
            f++;
        }
        f->operands = texts[i].operands;
        f->sm = texts[i].sm;
        f->version = texts[i].version;
        form_read_mods(f, texts[i].mods);
        form_read_types(f, texts[i].types);
        form_read_spaces(f, texts[i].spaces);
    }
    return isa;
}

/* As ptx_words(): the first of several threads wins. */
static const struct isa *isa_get(void)
{
    static struct isa *_Atomic shared;
    struct isa *isa = atomic_load(&shared), *expected = NULL;

    if (!isa) {
        isa = isa_new();
        if (!atomic_compare_exchange_strong(&shared, &expected, isa)) {
            g_free(isa);
            isa = expected;
        }
    }
    return isa;
}

static bool group_has(const struct group *g, uint16_t mod)
{
    for (unsigned i = 0; i < g->n; i++) {
        if (g->mod[i] == mod) {
            return true;
        }
    }
    return false;
}

/* Each modifier takes the first group that has it and is free. */
static bool form_takes_mods(const struct form *f, const struct ptx_inst *inst)
{
    uint32_t used = 0;
    bool any = false;

    for (unsigned g = 0; g < f->n_groups; g++) {
        any |= f->group[g].any;
    }
    for (unsigned i = 0; i < inst->n_mods; i++) {
        unsigned g = 0;

        while (g < f->n_groups && ((used >> g & 1) || !group_has(&f->group[g], inst->mod[i]))) {
            g++;
        }
        if (g == f->n_groups && !any) {
            return false;
        }
        used |= g < f->n_groups ? 1u << g : 0;
    }
    for (unsigned g = 0; g < f->n_groups; g++) {
        if (!(used >> g & 1) && !f->group[g].optional && !f->group[g].any) {
            return false;
        }
    }
    return true;
}

static bool form_takes_types(const struct form *f, const struct ptx_inst *inst)
{
    if (f->any_type) {
        return true;
    }
    if (inst->n_types != f->n_types) {
        return false;
    }
    for (unsigned i = 0; i < f->n_types; i++) {
        if (!(f->type[i] >> inst->type[i] & 1)) {
            return false;
        }
    }
    return true;
}

/* An optional operand is there if enough are left for the ones that must be. */
static unsigned operands_needed(const char *letters)
{
    unsigned n = 0;

    for (; *letters && *letters != '*'; letters++) {
        if (*letters == '?') {
            letters++;
        } else {
            n++;
        }
    }
    return n;
}

/* Optional ones, too */
static unsigned operands_all(const char *letters)
{
    unsigned n = 0;

    for (; *letters && *letters != '*'; letters++) {
        n += *letters != '?';
    }
    return n;
}

static bool form_takes_count(const struct form *f, const struct ptx_inst *inst)
{
    return strchr(f->operands, '*') || (inst->n_operands >= operands_needed(f->operands) &&
                                        inst->n_operands <= operands_all(f->operands));
}

static bool form_takes_operands(const struct form *f, const struct ptx_func *func,
                                const struct ptx_inst *inst)
{
    const char *letter = f->operands;
    unsigned i = 0;

    for (; *letter && *letter != '*'; letter++) {
        if (*letter == '?') {
            letter++;
            if (inst->n_operands - i <= operands_needed(letter + 1)) {
                continue;
            }
        }
        if (i == inst->n_operands || !isa_operand_fits(func, inst, &inst->operand[i++], *letter)) {
            return false;
        }
    }
    return *letter == '*' || i == inst->n_operands;
}

/* ANY_A(), ONE_A(), A_ALONE(): isa.def */
static bool target_lacks(const struct form *f, const struct ptx_module *m)
{
    const unsigned sm = f->sm % 1000u, kind = f->sm / 1000u;

    return m->target_sm < sm || (kind > 0 && !m->target_suffix) ||
           (kind >= 2 && m->target_sm / 10 != sm / 10) || (kind == 3 && m->target_suffix != 'a');
}

static enum isa_verdict form_verdict(const struct form *f, const struct ptx_module *m,
                                     const struct ptx_func *func, const struct ptx_inst *inst)
{
    unsigned bits = ptx_type_size((enum ptx_type)inst->type[0]) * 8u * inst->vec;

    if (!form_takes_types(f, inst) || !form_takes_mods(f, inst)) {
        return ISA_WORDS;
    }
    if (!f->any_space && !(f->spaces >> inst->space & 1)) {
        return ISA_SPACE;
    }
    if (!f->any_space && (!(f->vectors >> (inst->vec - 1) & 1) ||
                          (bits > 128 && f->sm < 100 && inst->vec > 1 &&
                           (inst->op == PTX_OP_LD || inst->op == PTX_OP_ST ||
                            inst->op == PTX_OP_SULD || inst->op == PTX_OP_SUST)))) {
        return ISA_VECTOR;
    }
    if (!form_takes_count(f, inst)) {
        return ISA_COUNT;
    }
    if (!form_takes_operands(f, func, inst) ||
        (inst->op == PTX_OP_MOV && !isa_mov_fits(func, inst))) {
        return ISA_OPERANDS;
    }
    return target_lacks(f, m)        ? ISA_OLD_TARGET
           : m->version < f->version ? ISA_OLD_VERSION
                                     : ISA_VALID;
}

/* A minus belongs to vmad's registers alone, and what is added to a register to a source. */
static bool registers_fit(const struct ptx_func *func, const struct ptx_inst *inst)
{
    const struct ptx_operand *first = &inst->operand[0];

    for (unsigned i = 0; i < inst->n_operands; i++) {
        const struct ptx_operand *o = &inst->operand[i];

        if (o->kind == PTX_OPERAND_REG && o->negated && func->regs[o->reg].type != PTX_PRED &&
            (inst->op != PTX_OP_VMAD || i == 0)) {
            return false;
        }
    }
    return inst->n_operands < 2 || first->kind != PTX_OPERAND_REG || first->imm == 0 ||
           inst->op == PTX_OP_BAR || inst->op == PTX_OP_BARRIER;
}

struct isa_answer isa_check(const struct ptx_module *m, const struct ptx_func *func,
                            const struct ptx_inst *inst)
{
    const struct isa *isa = isa_get();
    struct isa_answer best = { ISA_WORDS, UINT32_MAX, 0 };

    if (!registers_fit(func, inst)) {
        return (struct isa_answer){ .verdict = ISA_OPERANDS };
    }
    if (isa_cvt_is_plain(inst)) {
        return isa_cvt(m, func, inst);
    }
    for (unsigned i = isa->first[inst->op]; i < isa->first[inst->op + 1]; i++) {
        const struct form *f = &isa->form[i];
        enum isa_verdict found = form_verdict(f, m, func, inst);
        enum isa_verdict v = found == ISA_OLD_VERSION && inst->completed ? ISA_VALID : found;
        uint32_t needs = v == ISA_COUNT        ? operands_needed(f->operands)
                         : v == ISA_OLD_TARGET ? f->sm
                                               : f->version;
        uint32_t most = v == ISA_COUNT ? operands_all(f->operands) : 0;

        if (v < best.verdict) {
            best = (struct isa_answer){ v, needs, most };
        } else if (v == best.verdict) {
            best.needs = MIN(best.needs, needs);
            best.most = MAX(best.most, most);
        }
        if (v == ISA_VALID) {
            break;
        }
    }
    return best;
}
