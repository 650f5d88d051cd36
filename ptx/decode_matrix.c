/* SPDX-License-Identifier: MIT */
/* wmma, mma, ldmatrix, stmatrix, movmatrix: PTX ISA 9.7.14. Lacking: f8 and block-scaled matrices.
 */
#include "ptx/decode_priv.h"
#include <string.h>

struct shape {
    uint16_t m, n, k;
};

/* A row of the tables of 9.7.14.1: elements, shape, which of wmma and mma has it. */
enum { WMMA = 1, MMA = 2, SPARSE = 4 };

static const struct {
    enum ptx_elem elem;
    struct shape shape;
    uint8_t who;
} forms[] = {
    { PTX_ELEM_F16, { 16, 16, 16 }, WMMA },
    { PTX_ELEM_F16, { 8, 32, 16 }, WMMA },
    { PTX_ELEM_F16, { 32, 8, 16 }, WMMA },
    { PTX_ELEM_BF16, { 16, 16, 16 }, WMMA },
    { PTX_ELEM_BF16, { 8, 32, 16 }, WMMA },
    { PTX_ELEM_BF16, { 32, 8, 16 }, WMMA },
    { PTX_ELEM_TF32, { 16, 16, 8 }, WMMA },
    { PTX_ELEM_F64, { 8, 8, 4 }, WMMA | MMA },
    { PTX_ELEM_S8, { 16, 16, 16 }, WMMA },
    { PTX_ELEM_S8, { 8, 32, 16 }, WMMA },
    { PTX_ELEM_S8, { 32, 8, 16 }, WMMA },
    { PTX_ELEM_S4, { 8, 8, 32 }, WMMA | MMA },
    { PTX_ELEM_B1, { 8, 8, 128 }, WMMA | MMA },
    { PTX_ELEM_F16, { 16, 8, 8 }, MMA },
    { PTX_ELEM_F16, { 16, 8, 16 }, MMA | SPARSE },
    { PTX_ELEM_BF16, { 16, 8, 8 }, MMA },
    { PTX_ELEM_BF16, { 16, 8, 16 }, MMA | SPARSE },
    { PTX_ELEM_TF32, { 16, 8, 4 }, MMA },
    { PTX_ELEM_TF32, { 16, 8, 8 }, MMA | SPARSE },
    { PTX_ELEM_S8, { 8, 8, 16 }, MMA },
    { PTX_ELEM_S8, { 16, 8, 16 }, MMA },
    { PTX_ELEM_S8, { 16, 8, 32 }, MMA | SPARSE },
    { PTX_ELEM_S4, { 16, 8, 32 }, MMA },
    { PTX_ELEM_S4, { 16, 8, 64 }, MMA | SPARSE },
    { PTX_ELEM_B1, { 16, 8, 128 }, MMA },
    { PTX_ELEM_B1, { 16, 8, 256 }, MMA },
    { PTX_ELEM_F64, { 16, 8, 4 }, MMA },
    { PTX_ELEM_F64, { 16, 8, 8 }, MMA },
    { PTX_ELEM_F64, { 16, 8, 16 }, MMA },
    { PTX_ELEM_F16, { 8, 8, 4 }, MMA },
    { PTX_ELEM_F16, { 16, 8, 32 }, SPARSE },
    { PTX_ELEM_BF16, { 16, 8, 32 }, SPARSE },
    { PTX_ELEM_TF32, { 16, 8, 16 }, SPARSE },
    { PTX_ELEM_S8, { 16, 8, 64 }, SPARSE },
    { PTX_ELEM_S4, { 16, 8, 128 }, SPARSE },
};

static const struct {
    enum ptx_mod mod;
    struct shape shape;
} shapes[] = {
    { PTX_MOD_M16N16K16, { 16, 16, 16 } }, { PTX_MOD_M8N32K16, { 8, 32, 16 } },
    { PTX_MOD_M32N8K16, { 32, 8, 16 } },   { PTX_MOD_M16N16K8, { 16, 16, 8 } },
    { PTX_MOD_M8N8K4, { 8, 8, 4 } },       { PTX_MOD_M8N8K16, { 8, 8, 16 } },
    { PTX_MOD_M8N8K32, { 8, 8, 32 } },     { PTX_MOD_M8N8K128, { 8, 8, 128 } },
    { PTX_MOD_M16N8K4, { 16, 8, 4 } },     { PTX_MOD_M16N8K8, { 16, 8, 8 } },
    { PTX_MOD_M16N8K16, { 16, 8, 16 } },   { PTX_MOD_M16N8K32, { 16, 8, 32 } },
    { PTX_MOD_M16N8K64, { 16, 8, 64 } },   { PTX_MOD_M16N8K128, { 16, 8, 128 } },
    { PTX_MOD_M16N8K256, { 16, 8, 256 } },
};

unsigned ptx_elem_bits(enum ptx_elem e)
{
    static const uint8_t bits[] = { 16, 16, 32, 64, 8, 8, 4, 4, 1, 32, 32, 0 };

    return bits[e];
}

unsigned ptx_matrix_regs(enum ptx_matrix_part p, enum ptx_elem e, int64_t shape)
{
    unsigned m = PTX_MATRIX_M(shape), n = PTX_MATRIX_N(shape), k = PTX_MATRIX_K(shape);
    unsigned elems = p == PTX_MATRIX_A ? m * k : p == PTX_MATRIX_B ? k * n : m * n;

    return elems * ptx_elem_bits(e) / 32 / (e == PTX_ELEM_F64 ? 64 : 32);
}

static enum ptx_elem type_elem(enum ptx_type t)
{
    switch (t) {
    case PTX_F16:
        return PTX_ELEM_F16;
    case PTX_BF16:
        return PTX_ELEM_BF16;
    case PTX_TF32:
        return PTX_ELEM_TF32;
    case PTX_F64:
        return PTX_ELEM_F64;
    case PTX_S8:
        return PTX_ELEM_S8;
    case PTX_U8:
        return PTX_ELEM_U8;
    case PTX_S4:
        return PTX_ELEM_S4;
    case PTX_U4:
        return PTX_ELEM_U4;
    case PTX_B1:
        return PTX_ELEM_B1;
    case PTX_F32:
        return PTX_ELEM_F32;
    case PTX_S32:
        return PTX_ELEM_S32;
    default:
        return PTX_ELEM_NONE;
    }
}

/* s8 and u8 (s4 and u4) share their shapes. */
static enum ptx_elem elem_family(enum ptx_elem e)
{
    return e == PTX_ELEM_U8 ? PTX_ELEM_S8 : e == PTX_ELEM_U4 ? PTX_ELEM_S4 : e;
}

static bool has_form(enum ptx_elem e, int64_t shape, unsigned who)
{
    for (size_t i = 0; i < G_N_ELEMENTS(forms); i++) {
        const struct shape *s = &forms[i].shape;

        if (forms[i].elem == elem_family(e) && PTX_MATRIX_SHAPE(s->m, s->n, s->k) == shape &&
            (forms[i].who & who)) {
            return true;
        }
    }
    return false;
}

/* The words of an instruction, sorted. */
struct words {
    int64_t shape;
    unsigned layouts, rounding;
    bool col[2], sat, xor, and, popc, sync, aligned, load, store, mma, sparse;
    int part;
};

static bool word_take(struct words *w, enum ptx_mod m)
{
    switch (m) {
    case PTX_MOD_SYNC:
        return w->sync = true;
    case PTX_MOD_ALIGNED:
        return w->aligned = true;
    case PTX_MOD_LOAD:
        return w->load = true;
    case PTX_MOD_STORE:
        return w->store = true;
    case PTX_MOD_MMA:
        return w->mma = true;
    case PTX_MOD_SP: /* metadata in any order; what is not in order gives anything (9.7.14.6) */
    case PTX_MOD_SP_ORDERED_METADATA:
        return w->sparse = true;
    case PTX_MOD_SATFINITE:
        return w->sat = true;
    case PTX_MOD_XOR:
        return w->xor = true;
    case PTX_MOD_AND:
        return w->and = true;
    case PTX_MOD_POPC:
        return w->popc = true;
    case PTX_MOD_A:
    case PTX_MOD_B:
    case PTX_MOD_C:
    case PTX_MOD_D:
        w->part = m == PTX_MOD_A   ? PTX_MATRIX_A
                  : m == PTX_MOD_B ? PTX_MATRIX_B
                  : m == PTX_MOD_C ? PTX_MATRIX_C
                                   : PTX_MATRIX_D;
        return true;
    case PTX_MOD_ROW:
    case PTX_MOD_COL:
        if (w->layouts < 2) {
            w->col[w->layouts++] = m == PTX_MOD_COL;
            return true;
        }
        return false;
    case PTX_MOD_RN:
    case PTX_MOD_RZ:
    case PTX_MOD_RM:
    case PTX_MOD_RP:
        w->rounding = m == PTX_MOD_RN   ? PTX_FLOAT_RN
                      : m == PTX_MOD_RZ ? PTX_FLOAT_RZ
                      : m == PTX_MOD_RM ? PTX_FLOAT_RM
                                        : PTX_FLOAT_RP;
        return true;
    default:
        break;
    }
    for (size_t i = 0; i < G_N_ELEMENTS(shapes); i++) {
        if (shapes[i].mod == m && !w->shape) {
            const struct shape *s = &shapes[i].shape;

            w->shape = PTX_MATRIX_SHAPE(s->m, s->n, s->k);
            return true;
        }
    }
    return false;
}

static bool words_take(const struct ptx_inst *i, struct words *w)
{
    *w = (struct words){ .part = -1 };
    for (unsigned k = 0; k < i->n_mods; k++) {
        if (!word_take(w, (enum ptx_mod)i->mod[k])) {
            return false;
        }
    }
    return w->sync && w->aligned;
}

/* Slots in the fields of a micro-op and of NOPs behind it */
struct slots {
    uint32_t slot[64];
    unsigned n, n_reads;
};

static bool slots_add(struct decoder *d, struct slots *s, const struct ptx_operand *o, unsigned n,
                      unsigned keep, char letter)
{
    const struct ptx_operand *e = o->kind == PTX_OPERAND_VECTOR ? o->element : o;
    unsigned have = o->kind == PTX_OPERAND_VECTOR ? o->count : 1;

    if (have != n) {
        decode_fail(d, "line %u: `%s` needs a fragment of %u registers, not %u", d->inst->pos.line,
                    d->inst->spelling, n, have);
        return false;
    }
    for (unsigned i = 0; i < keep; i++) {
        s->slot[s->n++] = decode_operand(d, &e[i], letter);
    }
    if (g_ascii_islower(letter)) {
        s->n_reads = s->n;
    }
    return !d->failed;
}

static void slots_put(struct ptx_uop *u, const struct slots *s, unsigned from)
{
    uint32_t *const field[] = { &u->d, &u->a, &u->b, &u->c, &u->e, &u->target };

    for (unsigned i = 0; i < 6 && from + i < s->n; i++) {
        *field[i] = s->slot[from + i];
        if (from + i < s->n_reads) {
            u->reads |= (uint8_t)(1u << i);
        } else {
            u->writes |= (uint8_t)(1u << i);
        }
    }
}

/* Reads come before writes, so that a register which is both lives up to its read. */
static void slots_emit(struct decoder *d, struct ptx_uop head, const struct slots *s)
{
    struct ptx_uop *u = decode_emit(d, (enum ptx_uop_op)head.op);

    u->sub = head.sub;
    u->vec = head.vec;
    u->size = head.size;
    u->flags = head.flags;
    u->scope = head.scope;
    u->imm = head.imm;
    slots_put(u, s, 0);
    for (unsigned from = 6; from < s->n; from += 6) {
        slots_put(decode_emit(d, PTX_UOP_NOP), s, from);
    }
}

static char elem_letter(enum ptx_elem e)
{
    return e == PTX_ELEM_F64 ? 'g' : e == PTX_ELEM_F32 ? 'f' : 'w';
}

/* wmma fragments of f16 A and B are 8 registers in every shape; those beyond the matrix repeat it.
 */
static unsigned wmma_regs(unsigned part, enum ptx_elem e, int64_t shape)
{
    return part <= PTX_MATRIX_B && e == PTX_ELEM_F16
               ? 8
               : ptx_matrix_regs((enum ptx_matrix_part)part, e, shape);
}

static bool decode_matrix_accumulates(enum ptx_elem a, enum ptx_elem d)
{
    return a == PTX_ELEM_F16    ? d == PTX_ELEM_F16 || d == PTX_ELEM_F32
           : a == PTX_ELEM_F64  ? d == PTX_ELEM_F64
           : a <= PTX_ELEM_TF32 ? d == PTX_ELEM_F32
                                : d == PTX_ELEM_S32;
}

/* Types are d a b c; wmma of f16 names only d and c. */
static bool mma_types(const struct ptx_inst *i, enum ptx_elem t[4])
{
    if (i->n_types == 2) {
        t[0] = type_elem(inst_type(i, 0));
        t[1] = t[2] = PTX_ELEM_F16;
        t[3] = type_elem(inst_type(i, 1));
    } else {
        for (unsigned k = 0; k < 4; k++) {
            t[k] = type_elem(inst_type(i, k));
        }
    }
    return (i->n_types == 4 || (i->n_types == 2 && i->op == PTX_OP_WMMA)) &&
           t[1] != PTX_ELEM_NONE && t[2] != PTX_ELEM_NONE &&
           elem_family(t[1]) == elem_family(t[2]) && decode_matrix_accumulates(t[1], t[0]) &&
           decode_matrix_accumulates(t[1], t[3]);
}

/* m8n8k4 of f16 is four products, each by 8 lanes: 9.7.14.5.1. It has either layout of A and B, and
 * C and D of two types. */
static bool is_quads(const struct ptx_inst *i, const struct words *w, const enum ptx_elem t[4])
{
    return i->op == PTX_OP_MMA && t[1] == PTX_ELEM_F16 && w->shape == PTX_MATRIX_SHAPE(8, 8, 4);
}

/* Registers of operand @o of an mma */
static unsigned mma_regs(unsigned o, unsigned part, enum ptx_elem e, int64_t shape, bool quads)
{
    return !quads              ? ptx_matrix_regs((enum ptx_matrix_part)part, e, shape)
           : o == 1 || o == 2  ? 2
           : e == PTX_ELEM_F16 ? 4
                               : 8;
}

/* How many lanes of four may give a row's metadata: 9.7.14.6.1 to 9.7.14.6.5. Half the columns of A
 * are there, four bits say which of each 8 bytes (of integers 4). */
static unsigned sparse_selectors(enum ptx_elem e, int64_t shape)
{
    unsigned chunk = e <= PTX_ELEM_TF32 ? 64 : 32;
    unsigned bits = PTX_MATRIX_K(shape) * ptx_elem_bits(e) / chunk * 4; /* of a row */

    return 64 / bits;
}

/* mma.sp d, a, b, c, metadata, selector */
static bool decode_mma_sparse(struct decoder *d, const struct words *w, const enum ptx_elem t[4])
{
    const struct ptx_inst *i = d->inst;
    const struct ptx_operand *selector = &i->operand[5];
    const unsigned half = ptx_matrix_regs(PTX_MATRIX_A, t[1], w->shape) / 2,
                   sum = ptx_matrix_regs(PTX_MATRIX_C, t[0], w->shape);
    const char letter = elem_letter(t[0]);
    struct slots s = { .n = 0 };
    struct ptx_uop u = { .op = PTX_UOP_MATRIX_MMA_SP, .imm = w->shape };

    if (!has_form(t[1], w->shape, SPARSE) || w->layouts != 2 || w->col[0] || !w->col[1] || w->xor ||
        w->and || w->popc || w->rounding || t[0] != t[3] || (w->sat && t[0] != PTX_ELEM_S32)) {
        return decode_unsupported(d);
    }
    if (!decode_operands(d, 6, 6)) {
        return true;
    }
    /* ptxas and a driver take 2 and 3, too, for m16n8k32 of 16 bits (bit 1 says nothing: inferred)
     */
    if (selector->kind != PTX_OPERAND_IMM ||
        (uint64_t)selector->imm >= (t[1] < PTX_ELEM_TF32 ? 4u : sparse_selectors(t[1], w->shape))) {
        return decode_fail(d, "line %u: the sparsity selector of `%s` is a constant below %u",
                           i->pos.line, i->spelling, sparse_selectors(t[1], w->shape));
    }
    if (!slots_add(d, &s, &i->operand[1], half, half, 'w') ||
        !slots_add(d, &s, &i->operand[2], ptx_matrix_regs(PTX_MATRIX_B, t[2], w->shape),
                   ptx_matrix_regs(PTX_MATRIX_B, t[2], w->shape), 'w') ||
        !slots_add(d, &s, &i->operand[3], sum, sum, letter) ||
        !slots_add(d, &s, &i->operand[4], 1, 1, 'w') ||
        !slots_add(d, &s, &i->operand[0], sum, sum, (char)g_ascii_toupper(letter))) {
        return true;
    }
    u.size = (uint8_t)t[1];
    u.vec = (uint8_t)t[2];
    u.sub = (uint8_t)(t[0] | t[3] << 4);
    u.flags = w->sat ? PTX_MATRIX_SAT : 0;
    u.scope = (uint8_t)selector->imm;
    slots_emit(d, u, &s);
    return true;
}

static bool decode_mma(struct decoder *d, const struct words *w)
{
    const struct ptx_inst *i = d->inst;
    bool wmma = i->op == PTX_OP_WMMA, quads;
    enum ptx_elem t[4];
    struct slots s = { .n = 0 };
    struct ptx_uop u = { .op = PTX_UOP_MATRIX_MMA, .imm = w->shape };
    unsigned part[4] = { PTX_MATRIX_D, PTX_MATRIX_A, PTX_MATRIX_B, PTX_MATRIX_C };

    if (!mma_types(i, t)) {
        return decode_unsupported(d);
    }
    if (w->sparse) {
        return wmma ? decode_unsupported(d) : decode_mma_sparse(d, w, t);
    }
    quads = is_quads(i, w, t);
    if (!has_form(t[1], w->shape, wmma ? WMMA : MMA) || w->layouts != 2 ||
        (t[1] == PTX_ELEM_B1 ? w->xor == w->and || !w->popc : w->xor || w->and || w->popc) ||
        (!wmma && !quads && (w->col[0] || !w->col[1])) ||
        (w->sat && t[0] != PTX_ELEM_S32 && !wmma) || w->rounding ||
        (!wmma && !quads && t[0] != t[3])) {
        return decode_unsupported(d);
    }
    if (w->sat && t[0] != PTX_ELEM_S32) { /* 9.7.14.4.5: of f16 deprecated, infinities to maximum */
        return decode_unsupported(d);
    }
    if (t[0] == PTX_ELEM_F64 && PTX_MATRIX_M(w->shape) == 16 && d->m->target_sm < 90) {
        return decode_fail(
            d, "line %u: `%s` requires .target sm_90 or higher, not sm_%u (function %s)",
            i->pos.line, i->spelling, d->m->target_sm, d->f->name);
    }
    if (!decode_operands(d, 4, 4)) {
        return true;
    }
    for (unsigned k = 1; k <= 4; k++) {
        unsigned o = k % 4;
        char letter = elem_letter(t[o]);
        unsigned keep = mma_regs(o, part[o], t[o], w->shape, quads);

        if (!slots_add(d, &s, &i->operand[o], wmma ? wmma_regs(part[o], t[o], w->shape) : keep,
                       keep, o ? letter : (char)g_ascii_toupper(letter))) {
            return true;
        }
    }
    u.size = (uint8_t)t[1];
    u.vec = (uint8_t)t[2];
    u.sub = (uint8_t)(t[0] | t[3] << 4);
    u.flags = (uint8_t)((w->sat ? PTX_MATRIX_SAT : 0) | (w->xor ? PTX_MATRIX_XOR : 0));
    u.scope = quads ? (uint8_t)(w->col[0] | w->col[1] << 1) : 0;
    slots_emit(d, u, &s);
    return true;
}

/* The address of a tile: a register and a literal, or a symbol */
static bool tile_address(struct decoder *d, const struct ptx_operand *o, struct slots *s,
                         uint8_t *flags)
{
    bool shared = d->inst->space == PTX_SPACE_SHARED, a32 = shared;

    if (o->kind == PTX_OPERAND_ADDRESS && o->reg >= 0) {
        struct ptx_operand r = { .kind = PTX_OPERAND_REG, .reg = o->reg };

        a32 = decode_reg_size(d, &r) < 8;
        s->slot[s->n] = decode_operand(d, &r, a32 ? 'w' : 'l');
        if (o->imm) {
            uint32_t sum = decode_temp(d, a32 ? SLOT_W : SLOT_L);
            uint32_t by = decode_value(d, a32 ? SLOT_W : SLOT_L, (uint64_t)o->imm);

            decode_emit4(d, a32 ? PTX_UOP_ADD_B32 : PTX_UOP_ADD_B64, sum, s->slot[s->n], by, 0);
            s->slot[s->n] = sum;
        }
    } else if (o->kind == PTX_OPERAND_ADDRESS || o->kind == PTX_OPERAND_SYMBOL) {
        s->slot[s->n] = decode_name(d, o, d->inst->space, a32 ? SLOT_W : SLOT_L);
    } else {
        decode_fail(d, "line %u: an address in brackets is expected", d->inst->pos.line);
    }
    s->n_reads = ++s->n;
    *flags |= (uint8_t)((shared ? PTX_MATRIX_SHARED : 0) | (a32 ? PTX_MATRIX_A32 : 0));
    return !d->failed;
}

static bool decode_wmma_move(struct decoder *d, const struct words *w)
{
    const struct ptx_inst *i = d->inst;
    enum ptx_elem e = type_elem(inst_type(i, 0));
    struct slots s = { .n = 0 };
    struct ptx_uop u = { .op = w->load ? PTX_UOP_MATRIX_LOAD : PTX_UOP_MATRIX_STORE };
    const struct ptx_operand *address = &i->operand[w->load ? 1 : 0];
    char letter = elem_letter(e);
    unsigned n, form = 0;

    if (i->n_types != 1 || e == PTX_ELEM_NONE || w->layouts != 1 || w->part < 0 ||
        w->load == (w->part == PTX_MATRIX_D) || i->space == PTX_SPACE_LOCAL) {
        return decode_unsupported(d);
    }
    for (size_t k = 0; k < G_N_ELEMENTS(forms); k++) {
        const struct shape *f = &forms[k].shape;

        form |= (forms[k].who & WMMA) && PTX_MATRIX_SHAPE(f->m, f->n, f->k) == w->shape &&
                (w->part >= PTX_MATRIX_C ? decode_matrix_accumulates(forms[k].elem, e)
                                         : forms[k].elem == elem_family(e));
    }
    if (!form || (ptx_elem_bits(e) < 8 && w->col[0] != (w->part == PTX_MATRIX_B))) {
        return decode_unsupported(d);
    }
    if (!decode_operands(d, 2, 3) || !tile_address(d, address, &s, &u.flags)) {
        return true;
    }
    s.slot[s.n++] =
        i->n_operands == 3 ? decode_operand(d, &i->operand[2], 'w') : decode_value(d, SLOT_W, 0);
    s.n_reads = s.n;
    n = wmma_regs((unsigned)w->part, e, w->shape);
    if (!slots_add(d, &s, &i->operand[w->load ? 0 : 1], n, n,
                   w->load ? (char)g_ascii_toupper(letter) : letter)) {
        return true;
    }
    u.flags |=
        (uint8_t)((w->col[0] ? PTX_MATRIX_COL : 0) | (i->n_operands == 3 ? PTX_MATRIX_STRIDE : 0));
    u.size = (uint8_t)e;
    u.vec = (uint8_t)n;
    u.scope = (uint8_t)w->part;
    u.imm = w->shape;
    slots_emit(d, u, &s);
    return true;
}

static bool decode_wmma(struct decoder *d)
{
    struct words w;

    if (!words_take(d->inst, &w) || w.load + w.store + w.mma != 1 || !w.shape) {
        return decode_unsupported(d);
    }
    return w.mma ? decode_mma(d, &w) : decode_wmma_move(d, &w);
}

/* ldmatrix.sync.aligned.m8n8.xN{.trans}{.shared}.b16 d, [p]; stmatrix has its operands the other
 * way round. */
static bool decode_ldmatrix(struct decoder *d, bool store)
{
    const struct ptx_inst *i = d->inst;
    struct slots s = { .n = 0 };
    struct ptx_uop u = { .op = store ? PTX_UOP_STMATRIX : PTX_UOP_LDMATRIX };
    unsigned good = 0;

    for (unsigned k = 0; k < i->n_mods; k++) {
        enum ptx_mod m = (enum ptx_mod)i->mod[k];

        u.vec = m == PTX_MOD_X1 ? 1 : m == PTX_MOD_X2 ? 2 : m == PTX_MOD_X4 ? 4 : u.vec;
        u.sub = m == PTX_MOD_TRANS ? 1 : u.sub;
        good += m == PTX_MOD_SYNC || m == PTX_MOD_ALIGNED || m == PTX_MOD_M8N8;
    }
    if (good != 3 || !u.vec || i->n_mods != 4u + u.sub || i->n_types != 1 ||
        inst_type(i, 0) != PTX_B16 ||
        (i->space != PTX_SPACE_SHARED && i->space != PTX_SPACE_NONE)) {
        return decode_unsupported(d);
    }
    if (!decode_operands(d, 2, 2) || !tile_address(d, &i->operand[!store], &s, &u.flags) ||
        !slots_add(d, &s, &i->operand[store], u.vec, u.vec, store ? 'w' : 'W')) {
        return true;
    }
    slots_emit(d, u, &s);
    return true;
}

static bool decode_movmatrix(struct decoder *d)
{
    static const uint16_t words[] = { PTX_MOD_SYNC, PTX_MOD_ALIGNED, PTX_MOD_M8N8, PTX_MOD_TRANS };
    const struct ptx_inst *i = d->inst;

    if (i->n_mods != G_N_ELEMENTS(words) || memcmp(i->mod, words, sizeof(words)) != 0 ||
        i->n_types != 1 || inst_type(i, 0) != PTX_B16) {
        return decode_unsupported(d);
    }
    if (decode_operands(d, 2, 2)) {
        uint32_t to = decode_operand(d, &i->operand[0], 'W');

        decode_emit4(d, PTX_UOP_MOVMATRIX, to, decode_operand(d, &i->operand[1], 'w'), 0, 0);
    }
    return true;
}

bool decode_matrix(struct decoder *d)
{
    struct words w;

    switch (d->inst->op) {
    case PTX_OP_WMMA:
        return decode_wmma(d);
    case PTX_OP_MMA:
        return words_take(d->inst, &w) && w.shape && !w.load && !w.store && !w.mma
                   ? decode_mma(d, &w)
                   : decode_unsupported(d);
    case PTX_OP_LDMATRIX:
        return decode_ldmatrix(d, false);
    case PTX_OP_STMATRIX:
        return decode_ldmatrix(d, true);
    case PTX_OP_MOVMATRIX:
        return decode_movmatrix(d);
    default:
        return false;
    }
}
