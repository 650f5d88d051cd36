/* SPDX-License-Identifier: MIT */
/* C text of a function; see native_text.h. */
#include "model/igpu/native_text.h"

#include <string.h>

/* What becomes of a micro-op. */
enum way {
    WAY_INLINE, /* its handler's source, with registers in vectors */
    WAY_CALL,   /* the interpreter's handler, on the frame; it may ask to stop */
    WAY_BRANCH,
    WAY_LEAVE, /* the interpreter's, with all that follows from it */
};

enum slot_kind { SLOT_NONE, SLOT_MASK, SLOT_32, SLOT_64, SLOT_CLASH };

/* Places of an inlined micro-op's operands in a small frame of its own: d a b c e */
#define SMALL_STEP 256u
#define FIELDS 6u

/* Loads of a function that become vector code: each takes a compiler 20 ms, and more the more they
 * are. */
#define LOADS_MAX 64u

struct text {
    const struct ptx_code *code;
    GString *out;
    uint8_t *kind;   /* by slot offset / 4 */
    uint8_t *write;  /* the same: the function writes it */
    uint8_t *bits;   /* the same: what reads it may see which NaN it holds */
    uint8_t *leader; /* by micro-op: a jump may come here */
    uint8_t *entry;  /* bits */
    unsigned loads;  /* in vectors so far */
};

static uint32_t native_text_field(const struct ptx_uop *u, unsigned i)
{
    const uint32_t f[FIELDS] = { u->d, u->a, u->b, u->c, u->e, u->target };

    return f[i];
}

static bool is_field(const struct ptx_uop *u, unsigned i)
{
    return (u->reads | u->writes) >> i & 1;
}

static bool native_text_between(unsigned op, unsigned first, unsigned last)
{
    return op >= first && op <= last;
}

/* Rounding to nearest is what the host does anyway; the others are the interpreter's. */
static bool rounds_otherwise(const struct ptx_uop *u)
{
    static const uint16_t rounded[] = {
        PTX_UOP_ADD_F32_X,  PTX_UOP_SUB_F32_X,  PTX_UOP_MUL_F32_X, PTX_UOP_FMA_F32_X,
        PTX_UOP_ADD_F64_X,  PTX_UOP_SUB_F64_X,  PTX_UOP_MUL_F64_X, PTX_UOP_FMA_F64_X,
        PTX_UOP_DIV_F32_X,  PTX_UOP_DIV_F64_X,  PTX_UOP_RCP_F32_X, PTX_UOP_RCP_F64_X,
        PTX_UOP_SQRT_F32_X, PTX_UOP_SQRT_F64_X,
    };

    for (unsigned i = 0; i < G_N_ELEMENTS(rounded); i++) {
        if (u->op == rounded[i]) {
            return u->sub & PTX_FLOAT_ROUND;
        }
    }
    return false;
}

/* Arithmetic that is a function of its slots alone; its sources are in native_body.h. */
static bool is_plain(const struct ptx_uop *u)
{
    return native_text_between(u->op, PTX_UOP_ADD_B32, PTX_UOP_CVTA_TO_LOCAL) &&
           !rounds_otherwise(u) &&
           !native_text_between(u->op, PTX_UOP_MOV_CLOCK, PTX_UOP_MOV_TIMER64) &&
           !native_text_between(u->op, PTX_UOP_ADD_HALF, PTX_UOP_TANH_HALF) &&
           !native_text_between(u->op, PTX_UOP_CVT_WW, PTX_UOP_CVT_WIDEN);
}

static enum way way_of(const struct ptx_uop *u)
{
    if (u->op == PTX_UOP_BRA) {
        return WAY_BRANCH;
    }
    if (is_plain(u)) {
        return WAY_INLINE;
    }
    return native_text_between(u->op, PTX_UOP_ADD_B32, PTX_UOP_FENCE) ||
                   native_text_between(u->op, PTX_UOP_VOTE_ALL, PTX_UOP_REDUX_XOR)
               ? WAY_CALL
               : WAY_LEAVE;
}

/* Single-precision arithmetic of all lanes, as C has it: the same but for the NaN that PTX gives.
 * Return: NULL: it is something else. */
static const char *arithmetic_of(const struct ptx_uop *u)
{
    if (u->guard != PTX_SLOT_ALL || u->guard_xor) {
        return NULL;
    }
    switch (u->op) {
    case PTX_UOP_ADD_F32:
        return "A + B";
    case PTX_UOP_SUB_F32:
        return "A - B";
    case PTX_UOP_MUL_F32:
        return "A * B";
    case PTX_UOP_FMA_F32:
        return "__builtin_elementwise_fma(A, B, C)";
    case PTX_UOP_DIV_F32_X:
        return u->sub ? NULL : "A / B";
    case PTX_UOP_SQRT_F32_X:
        return u->sub ? NULL : "__builtin_elementwise_sqrt(A)";
    default:
        return NULL;
    }
}

/* --- slots --- */

static void slot_note(struct text *t, uint32_t offset, enum slot_kind kind)
{
    uint8_t *k = &t->kind[offset / 4];

    *k = *k == SLOT_NONE || *k == kind ? kind : SLOT_CLASH;
}

static enum slot_kind letter_kind(char letter)
{
    switch (g_ascii_toupper(letter)) {
    case 'P':
        return SLOT_MASK;
    case 'W':
    case 'F':
        return SLOT_32;
    default:
        return SLOT_64;
    }
}

/* Slots that inlined micro-ops use live in variables; those that only handlers use stay where they
 * are. Return: false if two uses disagree about a slot. */
static bool slots_find(struct text *t)
{
    for (uint32_t k = 0; k < t->code->n_uops; k++) {
        const struct ptx_uop *u = &t->code->uop[k];
        const char *letters = ptx_uop_operands((enum ptx_uop_op)u->op);

        if (u->guard != PTX_SLOT_ALL) {
            slot_note(t, u->guard, SLOT_MASK);
        }
        for (unsigned i = 0; i < FIELDS; i++) {
            if (!is_field(u, i)) {
                continue;
            }
            if (way_of(u) == WAY_INLINE) {
                slot_note(t, native_text_field(u, i), letter_kind(letters[i]));
            }
            t->write[native_text_field(u, i) / 4] |= u->writes >> i & 1;
        }
    }
    for (uint32_t i = 0; i < t->code->frame_bytes / 4; i++) {
        if (t->kind[i] == SLOT_CLASH) {
            return false;
        }
    }
    return true;
}

/* Arithmetic makes a NaN of any NaN, whoever does it. So a result that nothing else reads may hold
 * any, as the processor gives it. Micro-ops from CP_ASYNC on have operands outside their fields. */
static void bits_find(struct text *t)
{
    for (uint32_t k = 0; k < t->code->n_uops; k++) {
        const struct ptx_uop *u = &t->code->uop[k];

        if (u->op >= PTX_UOP_CP_ASYNC) {
            memset(t->bits, 1, t->code->frame_bytes / 4);
        }
        for (unsigned i = 0; i < FIELDS && !arithmetic_of(u); i++) {
            if (u->reads >> i & 1) {
                t->bits[native_text_field(u, i) / 4] = 1;
            }
        }
    }
}

static const struct ptx_const *slot_literal(const struct text *t, uint32_t offset)
{
    for (uint32_t i = 0; i < t->code->n_consts; i++) {
        if (t->code->consts[i].offset == offset) {
            return t->code->consts[i].kind == PTX_CONST_VALUE ? &t->code->consts[i] : NULL;
        }
    }
    return NULL;
}

static const char *const kind_type[] = {
    [SLOT_MASK] = "u32", [SLOT_32] = "v32", [SLOT_64] = "v64"
};
static const char *const kind_name[] = { [SLOT_MASK] = "p", [SLOT_32] = "r", [SLOT_64] = "q" };

static void slots_load(struct text *t)
{
    for (uint32_t i = 0; i < t->code->frame_bytes / 4; i++) {
        unsigned k = t->kind[i];
        const struct ptx_const *c = k ? slot_literal(t, i * 4) : NULL;

        if (k == SLOT_NONE || i * 4 == PTX_SLOT_ALL) {
            continue;
        }
        if (c && k != SLOT_MASK) {
            g_string_append_printf(
                t->out, "    %s %s%u = (%s){ 0 } + (%s)0x%" G_GINT64_MODIFIER "xu;\n", kind_type[k],
                kind_name[k], i * 4, kind_type[k], k == SLOT_32 ? "u32" : "u64",
                k == SLOT_32 ? (uint32_t)c->value : c->value);
        } else {
            g_string_append_printf(t->out, "    %s %s%u = *(%s *)(rf + %u);\n", kind_type[k],
                                   kind_name[k], i * 4, kind_type[k], i * 4);
        }
    }
}

static void slot_store(struct text *t, uint32_t offset)
{
    unsigned k = t->kind[offset / 4];

    if (k != SLOT_NONE && t->write[offset / 4]) {
        g_string_append_printf(t->out, "    *(%s *)(rf + %u) = %s%u;\n", kind_type[k], offset,
                               kind_name[k], offset);
    }
}

static void slot_load(struct text *t, uint32_t offset)
{
    unsigned k = t->kind[offset / 4];

    if (k != SLOT_NONE) {
        g_string_append_printf(t->out, "    %s%u = *(%s *)(rf + %u);\n", kind_name[k], offset,
                               kind_type[k], offset);
    }
}

static void slots_store(struct text *t)
{
    for (uint32_t i = 1; i < t->code->frame_bytes / 4; i++) {
        slot_store(t, i * 4);
    }
}

/* --- micro-ops --- */

static void mask_append(struct text *t, const struct ptx_uop *u)
{
    if (u->guard == PTX_SLOT_ALL) {
        g_string_append_printf(t->out, "    m = 0x%xu;\n", UINT32_MAX ^ u->guard_xor);
    } else {
        g_string_append_printf(t->out, "    m = p%u ^ 0x%xu;\n", u->guard, u->guard_xor);
    }
}

static void arithmetic_append(struct text *t, const struct ptx_uop *u, const char *expr)
{
    static const char *const name[] = { "", "A", "B", "C" };

    g_string_append(t->out, "    {\n");
    for (unsigned i = 1; i < G_N_ELEMENTS(name); i++) {
        if (u->reads >> i & 1) {
            g_string_append_printf(t->out, "    vf32 %s = (vf32)r%u;\n", name[i],
                                   native_text_field(u, i));
        }
    }
    g_string_append_printf(t->out, "    r%u = (v32)(%s);\n    }\n", u->d, expr);
}

static void inline_append(struct text *t, const struct ptx_uop *u)
{
    const char *expr = arithmetic_of(u);
    uint32_t at[FIELDS];

    if (expr && !t->bits[u->d / 4]) {
        arithmetic_append(t, u, expr);
        return;
    }
    g_string_append(t->out, "    {\n    SMALL;\n");
    for (unsigned i = 0; i < FIELDS; i++) {
        at[i] = is_field(u, i) ? i * SMALL_STEP : native_text_field(u, i);
        if (is_field(u, i)) {
            unsigned k = t->kind[native_text_field(u, i) / 4];

            g_string_append_printf(t->out, "    *(%s *)(f + %u) = %s%u;\n", kind_type[k], at[i],
                                   kind_name[k], native_text_field(u, i));
        }
    }
    g_string_append_printf(t->out,
                           "    sm_native_%s(w, &(const struct ptx_uop){ .sub = %u, .vec = %u, "
                           ".size = %u, .flags = %u, "
                           ".scope = %u, .d = %u, .a = %u, .b = %u, .c = %u, .e = %u, .target = "
                           "%u, .imm = %" G_GINT64_MODIFIER "dll }, f, m);\n",
                           ptx_uop_name((enum ptx_uop_op)u->op), u->sub, u->vec, u->size, u->flags,
                           u->scope, at[0], at[1], at[2], at[3], at[4], at[5], (gint64)u->imm);
    for (unsigned i = 0; i < FIELDS; i++) {
        if (u->writes >> i & 1) {
            unsigned k = t->kind[native_text_field(u, i) / 4];

            g_string_append_printf(t->out, "    %s%u = *(%s *)(f + %u);\n", kind_name[k],
                                   native_text_field(u, i), kind_type[k], at[i]);
        }
    }
    g_string_append(t->out, "    }\n");
}

/* A load of words whose registers are variables anyway */
static bool loads_vector(const struct text *t, const struct ptx_uop *u)
{
    return u->op == PTX_UOP_LD_GLOBAL_32 && t->loads < LOADS_MAX && t->kind[u->a / 4] == SLOT_64 &&
           t->kind[u->d / 4] == SLOT_32;
}

/* Return: the handler's call comes into a block, for what a vector load does not do */
static bool load_append(struct text *t, const struct ptx_uop *u, uint32_t k)
{
    if (!loads_vector(t, u)) {
        return false;
    }
    t->loads++;
    g_string_append_printf(t->out,
                           "    next = m == LANES_ALL ? native_load(w, code + %u, calls, q%u, "
                           "(u64)%" G_GINT64_MODIFIER "dll, %u, &r%u) : NULL;\n    if (!next) {\n",
                           k, u->a, (gint64)u->imm, u->scope | (unsigned)u->sub, u->d);
    return true;
}

static void call_append(struct text *t, const struct ptx_uop *u, uint32_t k)
{
    bool vector = load_append(t, u, k),
         whole = u->guard == PTX_SLOT_ALL &&
                 native_text_between(u->op, PTX_UOP_LD_GLOBAL, PTX_UOP_LD_PARAM);

    for (unsigned i = 0; i < FIELDS; i++) {
        if (whole ? u->reads >> i & 1
                  : is_field(u, i)) { /* a load without a guard writes all lanes */
            slot_store(t, native_text_field(u, i));
        }
    }
    g_string_append_printf(t->out, "    next = HANDLER_OF(%u)(w, code + %u, rf, m);\n", u->op, k);
    for (unsigned i = 0; i < FIELDS; i++) {
        if (u->writes >> i & 1) {
            slot_load(t, native_text_field(u, i));
        }
    }
    g_string_append(t->out, vector ? "    }\n" : "");
    g_string_append_printf(t->out, "    if (next != code + %u || next >= w->stop) goto out;\n",
                           k + 1);
}

/* All lanes or none; else the interpreter takes the warp apart. */
static void branch_append(struct text *t, const struct ptx_uop *u, uint32_t k)
{
    g_string_append_printf(t->out,
                           "    if (m == LANES_ALL) {\n"
                           "        next = warp_jump(w, code + %u, %u);\n"
                           "        if (next < w->stop) goto L%u;\n"
                           "        goto out;\n"
                           "    }\n"
                           "    if (m) { next = code + %u; goto out; }\n",
                           k, u->target, u->target, k);
}

static void uop_append(struct text *t, uint32_t k)
{
    const struct ptx_uop *u = &t->code->uop[k];
    enum way way = way_of(u);

    if (t->leader[k]) {
        g_string_append_printf(t->out, "L%u:;\n", k);
    }
    if (way == WAY_LEAVE) {
        g_string_append_printf(t->out, "    next = code + %u; goto out;\n", k);
        return;
    }
    mask_append(t, u);
    if (way == WAY_BRANCH) {
        branch_append(t, u, k);
        return;
    }
    g_string_append(t->out, u->guard == PTX_SLOT_ALL ? "" : "    if (m) {\n");
    if (way == WAY_CALL) {
        call_append(t, u, k);
    } else {
        inline_append(t, u);
    }
    g_string_append(t->out, u->guard == PTX_SLOT_ALL ? "" : "    }\n");
}

/* --- where it begins --- */

static void entry_set(struct text *t, struct native_text *n, uint32_t k)
{
    if (k < t->code->n_uops &&
        (way_of(&t->code->uop[k]) == WAY_INLINE ||
         native_text_between(t->code->uop[k].op, PTX_UOP_LD_GLOBAL, PTX_UOP_ATOM_SHARED))) {
        n->n_entries += !(n->entry[k / 8] >> k % 8 & 1);
        n->entry[k / 8] |= (uint8_t)(1u << k % 8);
        t->leader[k] = 1;
    }
}

/* The first micro-op, what jumps lead back to, and what follows the interpreter's part. */
static void entries_find(struct text *t, struct native_text *n)
{
    entry_set(t, n, 0);
    for (uint32_t k = 0; k < t->code->n_uops; k++) {
        const struct ptx_uop *u = &t->code->uop[k];

        if (u->op == PTX_UOP_BRA) {
            t->leader[u->target] = 1;
            entry_set(t, n, u->target);
            entry_set(t, n, k + 1);
        } else if (way_of(u) == WAY_LEAVE) {
            entry_set(t, n, k + 1);
        }
    }
}

static void function_append(struct text *t, uint32_t index, const struct native_text *n)
{
    g_string_append_printf(t->out, "NATIVE(native_%u)\n{\n    NATIVE_LOCALS;\n", index);
    slots_load(t);
    g_string_append(t->out, "    switch (u - code) {\n");
    for (uint32_t k = 0; k < t->code->n_uops; k++) {
        if (n->entry[k / 8] >> k % 8 & 1) {
            g_string_append_printf(t->out, "    case %u: goto L%u;\n", k, k);
        }
    }
    g_string_append(t->out, "    default: return u;\n    }\n");
    for (uint32_t k = 0; k < t->code->n_uops; k++) {
        uop_append(t, k);
    }
    g_string_append_printf(t->out, "    next = code + %u;\nout:\n", t->code->n_uops);
    slots_store(t);
    g_string_append(t->out, "    return next;\n}\n\n");
}

bool native_text_append(const struct ptx_code *code, uint32_t index, GString *out,
                        struct native_text *n)
{
    struct text t = { .code = code, .out = out };
    bool good;

    *n = (struct native_text){ 0 };
    if (code->n_uops == 0 || code->n_uops > NATIVE_UOPS_MAX) {
        return false;
    }
    t.kind = g_new0(uint8_t, code->frame_bytes / 4);
    t.write = g_new0(uint8_t, code->frame_bytes / 4);
    t.bits = g_new0(uint8_t, code->frame_bytes / 4);
    t.leader = g_new0(uint8_t, code->n_uops);
    n->entry = g_new0(uint8_t, code->n_uops / 8 + 1);
    good = slots_find(&t);
    if (good) {
        bits_find(&t);
        entries_find(&t, n);
        good = n->n_entries > 0;
    }
    if (good) {
        function_append(&t, index, n);
    } else {
        g_clear_pointer(&n->entry, g_free);
    }
    g_free(t.kind);
    g_free(t.write);
    g_free(t.bits);
    g_free(t.leader);
    return good;
}
