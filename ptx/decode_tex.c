/* SPDX-License-Identifier: MIT */
/* tex, tld4, txq, suld, sust, sured, suq on texture and surface objects: PTX ISA 9.7.10, 9.7.11.
 *
 * The object is in a register, or bound to a .texref or .surfref of the module. Refused by name:
 * samplers apart from textures (a driver refuses modules with a .samplerref, with
 * CUDA_ERROR_NOT_FOUND, and has no call that makes a sampler: measured, 580.159.04), offsets and
 * depth comparison,
 * multi-sampled geometries, and of the queries all but extents: on a real driver a kernel that asks
 * for another one of an object does not load (measured, 580.159.04).
 */
#include "ptx/decode_priv.h"

struct slots {
    uint32_t slot[20];
    unsigned n, n_reads;
};

static void slots_put(struct ptx_uop *u, const struct slots *s, unsigned from)
{
    for (unsigned i = 0; i < 6 && from + i < s->n; i++) {
        if (i == 5) {
            u->target = s->slot[from + i];
        } else {
            decode_set_field(u, i, s->slot[from + i]);
        }
        if (from + i < s->n_reads) {
            u->reads |= (uint8_t)(1u << i);
        } else {
            u->writes |= (uint8_t)(1u << i);
        }
    }
}

/* As of matrices: what one micro-op has no fields for lies in NOPs behind it. */
static void slots_emit(struct decoder *d, const struct ptx_uop *head, const struct slots *s)
{
    struct ptx_uop *u = decode_emit(d, (enum ptx_uop_op)head->op);

    u->sub = head->sub;
    u->vec = head->vec;
    u->size = head->size;
    u->flags = head->flags;
    u->scope = head->scope;
    u->imm = head->imm;
    slots_put(u, s, 0);
    for (unsigned from = 6; from < s->n; from += 6) {
        slots_put(decode_emit(d, PTX_UOP_NOP), s, from);
    }
}

struct words {
    int geometry, mode, channel, clamp, query, atomic;
    bool byte, formatted, level;
};

static const struct {
    uint16_t mod;
    uint8_t value;
} geometries[] = { { PTX_MOD_1D, PTX_TEX_1D },      { PTX_MOD_2D, PTX_TEX_2D },
                   { PTX_MOD_3D, PTX_TEX_3D },      { PTX_MOD_A1D, PTX_TEX_A1D },
                   { PTX_MOD_A2D, PTX_TEX_A2D },    { PTX_MOD_CUBE, PTX_TEX_CUBE },
                   { PTX_MOD_ACUBE, PTX_TEX_ACUBE } };

static bool word_atomic(struct words *w, enum ptx_mod m, enum ptx_type t)
{
    bool s = type_is_signed(t);

    w->atomic = m == PTX_MOD_ADD   ? PTX_ATOM_ADD
                : m == PTX_MOD_MIN ? (s ? PTX_ATOM_MIN_S : PTX_ATOM_MIN_U)
                : m == PTX_MOD_MAX ? (s ? PTX_ATOM_MAX_S : PTX_ATOM_MAX_U)
                : m == PTX_MOD_AND ? PTX_ATOM_AND
                : m == PTX_MOD_OR  ? PTX_ATOM_OR
                                   : -1;
    return w->atomic >= 0;
}

static bool word_take(struct words *w, enum ptx_mod m, enum ptx_type t)
{
    for (size_t i = 0; i < G_N_ELEMENTS(geometries); i++) {
        if (geometries[i].mod == m) {
            w->geometry = geometries[i].value;
            return true;
        }
    }
    switch (m) {
    case PTX_MOD_BASE:
        return true;
    case PTX_MOD_LEVEL:
        w->mode = PTX_TEX_LEVEL;
        w->level = true;
        return true;
    case PTX_MOD_GRAD:
        w->mode = PTX_TEX_GRAD;
        return true;
    case PTX_MOD_R:
        w->channel = 0;
        return true;
    case PTX_MOD_G:
        w->channel = 1;
        return true;
    case PTX_MOD_B: /* tld4: blue; suld, sust, sured: bytes */
        w->channel = 2;
        w->byte = true;
        return true;
    case PTX_MOD_A:
        w->channel = 3;
        return true;
    case PTX_MOD_P:
        w->formatted = true;
        return true;
    case PTX_MOD_TRAP:
        w->clamp = PTX_TEX_TRAP;
        return true;
    case PTX_MOD_CLAMP:
        w->clamp = PTX_TEX_CLAMP;
        return true;
    case PTX_MOD_ZERO:
        w->clamp = PTX_TEX_ZERO;
        return true;
    case PTX_MOD_WIDTH:
    case PTX_MOD_HEIGHT:
    case PTX_MOD_DEPTH:
        w->query = (int)(m - PTX_MOD_WIDTH);
        return true;
    case PTX_MOD_CA:
    case PTX_MOD_CG:
    case PTX_MOD_CS:
    case PTX_MOD_CV:
    case PTX_MOD_WB:
    case PTX_MOD_WT:
        return true;
    default:
        return word_atomic(w, m, t);
    }
}

static bool words_take(const struct decoder *d, struct words *w)
{
    *w = (struct words){ .geometry = -1, .channel = -1, .query = -1, .atomic = -1 };
    for (unsigned i = 0; i < d->inst->n_mods; i++) {
        if (!word_take(w, (enum ptx_mod)d->inst->mod[i], inst_type(d->inst, 0))) {
            return false;
        }
    }
    return true;
}

/* A launch gives references of the module; a driver refuses those that are parameters (measured,
 * 580.159.04). */
static bool reference_add(struct decoder *d, const struct ptx_operand *o, struct ptx_uop *u,
                          struct slots *s)
{
    const bool texture =
        d->inst->op == PTX_OP_TEX || d->inst->op == PTX_OP_TLD4 || d->inst->op == PTX_OP_TXQ;

    if (o->var->type != (texture ? PTX_TEXREF : PTX_SURFREF) || o->var->size != 8) {
        decode_fail(d, "line %u: `%s` needs a %s or a 64-bit register, not %s", d->inst->pos.line,
                    d->inst->spelling, texture ? ".texref" : ".surfref", o->var->name);
        return false;
    }
    if (o->var->space == PTX_SPACE_PARAM) {
        decode_lack(d,
                    "line %u: `%s` fetches through the parameter %s; a driver has references of "
                    "modules only (function %s)",
                    d->inst->pos.line, d->inst->spelling, o->var->name, d->f->name);
        return false;
    }
    u->flags |= PTX_TEX_REF;
    s->slot[s->n++] = decode_symbol(d, o, SLOT_L);
    return !d->failed;
}

/* [object, ...: the object is a 64-bit register, or a reference's. */
static bool handle_add(struct decoder *d, const struct ptx_operand *o, struct ptx_uop *u,
                       struct slots *s)
{
    struct ptx_operand r = { .kind = PTX_OPERAND_REG, .reg = o->reg };

    if (o->var && ptx_type_is_ref(o->var->type)) {
        return reference_add(d, o, u, s);
    }
    if (o->kind != PTX_OPERAND_ADDRESS || o->reg < 0 || o->imm || decode_reg_size(d, &r) != 8) {
        decode_fail(d, "line %u: `%s` needs a texture or surface object in a 64-bit register",
                    d->inst->pos.line, d->inst->spelling);
        return false;
    }
    s->slot[s->n++] = decode_operand(d, &r, 'l');
    return !d->failed;
}

/* The first @keep elements of a vector (or a scalar that stands for one of one). */
static bool vector_add(struct decoder *d, const struct ptx_operand *o, unsigned keep,
                       const char *letters, struct slots *s)
{
    struct ptx_operand scalar = *o;
    const struct ptx_operand *e = &scalar;
    unsigned n = 1;

    if (o->kind == PTX_OPERAND_VECTOR) {
        e = o->element;
        n = o->count;
    } else if (o->kind == PTX_OPERAND_ADDRESS) { /* within the brackets */
        scalar.kind = o->reg >= 0 ? PTX_OPERAND_REG : PTX_OPERAND_IMM;
    }
    if (o->kind == PTX_OPERAND_VECTOR && n == 3) {
        decode_fail(d, "line %u: `%s` has 3 coordinates in braces; a vector has 1, 2 or 4",
                    d->inst->pos.line, d->inst->spelling);
        return false;
    }
    if (n < keep || n > 4) {
        decode_fail(d, "line %u: `%s` needs %u coordinates, not %u", d->inst->pos.line,
                    d->inst->spelling, keep, n);
        return false;
    }
    for (unsigned i = 0; i < keep; i++) {
        s->slot[s->n++] = decode_operand(d, &e[i], letters[i]);
    }
    return !d->failed;
}

static const uint8_t geometry_coords[] = { 1, 2, 3, 2, 3, 3, 4 };
static const uint8_t geometry_dims[] = { 1, 2, 3, 1, 2, 3, 3 };

static bool coords_add(struct decoder *d, const struct ptx_operand *o, const struct words *w,
                       bool integer, struct slots *s)
{
    bool layered =
        w->geometry == PTX_TEX_A1D || w->geometry == PTX_TEX_A2D || w->geometry == PTX_TEX_ACUBE;
    bool cube = w->geometry == PTX_TEX_CUBE || w->geometry == PTX_TEX_ACUBE;
    char c = integer ? 'w' : 'f', letters[4] = { layered ? 'w' : c, c, c, c };

    if (cube && integer) {
        decode_fail(d, "line %u: `%s` takes coordinates of .f32", d->inst->pos.line,
                    d->inst->spelling);
        return false;
    }
    return vector_add(d, o, geometry_coords[w->geometry], letters, s);
}

/* Results, behind all reads. */
static bool values_add(struct decoder *d, const struct ptx_operand *o, unsigned n, char letter,
                       struct slots *s)
{
    const char letters[4] = { letter, letter, letter, letter };

    if (o->kind == PTX_OPERAND_VECTOR && o->count != n) {
        return !decode_unsupported(d);
    }
    return vector_add(d, o, n, letters, s);
}

static bool decode_tex_fetch(struct decoder *d, const struct words *w, bool gather)
{
    const struct ptx_inst *i = d->inst;
    enum ptx_type t = inst_type(i, 0), c = inst_type(i, 1);
    unsigned vec = i->vec > 1 ? i->vec : 1, extra = 0;
    struct slots s = { .n = 0 };
    struct ptx_uop u = { .op = PTX_UOP_TEX,
                         .sub = (uint8_t)w->geometry,
                         .scope = (uint8_t)(gather ? PTX_TEX_GATHER : w->mode),
                         .vec = (uint8_t)vec,
                         .size = (uint8_t)(w->channel < 0 ? 0 : w->channel),
                         .flags = (uint8_t)((c == PTX_S32 ? PTX_TEX_INTEGER : 0) |
                                            (t == PTX_F16X2 ? PTX_TEX_HALVES : 0)) };
    static const char floats[] = "ffff";

    if (w->geometry < 0 || i->n_types != 2 || (c != PTX_S32 && c != PTX_F32) ||
        (t != PTX_F32 && t != PTX_U32 && t != PTX_S32 && t != PTX_F16X2) ||
        vec != (t == PTX_F16X2 ? 2u : 4u) || gather != (w->channel >= 0) ||
        (gather && (c != PTX_F32 || w->geometry == PTX_TEX_1D || w->geometry == PTX_TEX_A1D ||
                    w->geometry == PTX_TEX_3D))) {
        return decode_unsupported(d);
    }
    if (!gather) {
        extra = w->mode == PTX_TEX_LEVEL ? 1 : w->mode == PTX_TEX_GRAD ? 2 : 0;
    }
    if (i->n_operands != 3 + extra) { /* d|p, offsets, depth comparison, samplers */
        return decode_unsupported(d);
    }
    if (d->m->own_samplers) {
        return decode_fail(d, "line %u: .target texmode_independent has a sampler in `%s`, too",
                           i->pos.line, i->spelling);
    }
    if (!handle_add(d, &i->operand[1], &u, &s) ||
        !coords_add(d, &i->operand[2], w, c == PTX_S32, &s)) {
        return true;
    }
    for (unsigned k = 0; k < extra; k++) {
        if (!vector_add(d, &i->operand[3 + k], extra == 1 ? 1 : geometry_dims[w->geometry], floats,
                        &s)) {
            return true;
        }
    }
    s.n_reads = s.n;
    if (values_add(d, &i->operand[0], vec, 'W', &s)) {
        slots_emit(d, &u, &s);
    }
    return true;
}

static bool decode_query(struct decoder *d, const struct words *w)
{
    const struct ptx_inst *i = d->inst;
    struct slots s = { .n = 0 };
    struct ptx_uop u = { .op = PTX_UOP_TXQ, .sub = (uint8_t)w->query };

    if (w->query < 0 || inst_type(i, 0) != PTX_B32 || i->n_operands != 2u + w->level) {
        return decode_unsupported(d);
    }
    if (!handle_add(d, &i->operand[1], &u, &s)) {
        return true;
    }
    s.slot[s.n++] = w->level ? decode_operand(d, &i->operand[2], 'w') : decode_value(d, SLOT_W, 0);
    s.n_reads = s.n;
    s.slot[s.n++] = decode_operand(d, &i->operand[0], 'W');
    slots_emit(d, &u, &s);
    return true;
}

static bool decode_surface(struct decoder *d, const struct words *w, enum ptx_uop_op op)
{
    const struct ptx_inst *i = d->inst;
    enum ptx_type t = inst_type(i, 0);
    unsigned vec = i->vec > 1 ? i->vec : 1, bytes = ptx_type_size(t);
    bool load = op == PTX_UOP_SULD, wide = bytes == 8;
    struct slots s = { .n = 0 };
    struct ptx_uop u = { .op = (uint16_t)op,
                         .sub = (uint8_t)w->geometry,
                         .scope = (uint8_t)w->clamp,
                         .vec = (uint8_t)vec,
                         .size = (uint8_t)bytes,
                         .imm = w->atomic,
                         .flags = (uint8_t)((wide ? PTX_TEX_WIDE : 0) |
                                            (w->formatted ? PTX_TEX_FORMATTED : 0)) };
    unsigned at = load ? 1 : 0; /* the object */

    if (w->geometry < 0 || w->geometry >= PTX_TEX_CUBE || i->n_types != 1 || !bytes ||
        bytes * vec > 16 || w->byte == w->formatted || (load && w->formatted) ||
        (w->formatted && bytes != 4) || (op == PTX_UOP_SURED) != (w->atomic >= 0) ||
        (op == PTX_UOP_SURED && (vec > 1 || bytes < 4)) || i->n_operands != 3) {
        return decode_unsupported(d);
    }
    if (!handle_add(d, &i->operand[at], &u, &s) ||
        !coords_add(d, &i->operand[at + 1], w, true, &s)) {
        return true;
    }
    if (load) {
        s.n_reads = s.n;
    }
    if (!values_add(d, &i->operand[load ? 0 : 2], vec,
                    load   ? (wide ? 'L' : 'W')
                    : wide ? 'l'
                           : 'w',
                    &s)) {
        return true;
    }
    if (!load) {
        s.n_reads = s.n;
    }
    slots_emit(d, &u, &s);
    return true;
}

bool decode_texture(struct decoder *d)
{
    struct words w;
    enum ptx_op op = d->inst->op;

    if (op != PTX_OP_TEX && op != PTX_OP_TLD4 && op != PTX_OP_TXQ && op != PTX_OP_SUQ &&
        op != PTX_OP_SULD && op != PTX_OP_SUST && op != PTX_OP_SURED) {
        return false;
    }
    if (!words_take(d, &w)) {
        return decode_unsupported(d);
    }
    switch (op) {
    case PTX_OP_TEX:
    case PTX_OP_TLD4:
        return decode_tex_fetch(d, &w, op == PTX_OP_TLD4);
    case PTX_OP_TXQ:
    case PTX_OP_SUQ:
        return decode_query(d, &w);
    default:
        return decode_surface(d, &w,
                              op == PTX_OP_SULD   ? PTX_UOP_SULD
                              : op == PTX_OP_SUST ? PTX_UOP_SUST
                                                  : PTX_UOP_SURED);
    }
}
