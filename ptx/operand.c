/* SPDX-License-Identifier: MIT */
/* Operands of instructions, PTX ISA chapter 6. */
#include <string.h>

#include "ptx/parse.h"

static void operand_constant(struct ptx_parser *p, struct ptx_operand *out)
{
    struct constant value = constant_parse(p);

    out->kind = value.kind == CONSTANT_INT   ? PTX_OPERAND_IMM
                : value.kind == CONSTANT_F32 ? PTX_OPERAND_F32
                                             : PTX_OPERAND_F64;
    out->imm = (int64_t)value.bits;
}

/* .x .y .z .w, or .r .g .b .a: 6.4.3. Return: 0..3, -1 if no dotted word follows @name. */
static int operand_component(struct ptx_parser *p, const struct ptx_name *name)
{
    static const char letters[] = "xyzwrgba";
    const char *at = NULL;

    if (p->token.kind != PTX_TOKEN_DOT) {
        return -1;
    }
    if (p->token.length != 1 || (at = strchr(letters, *p->token.text)) == NULL) {
        parse_fail(p, p->token.pos, "'.%.*s' is no component of '%.*s'; expected .x, .y, .z or .w.",
                   PARSE_QUOTE(&p->token), PARSE_QUOTE(name));
    }
    return (int)(at - letters) & 3;
}

static void operand_reg(struct ptx_operand *out, uint32_t index)
{
    out->kind = PTX_OPERAND_REG;
    out->reg = (int32_t)index;
}

/* .b0 to .b7654, .h0 to .h32 behind a register: which parts a video instruction takes, 9.7.18 */
static void operand_part(struct ptx_parser *p, struct ptx_operand *out)
{
    const struct ptx_token *t = &p->token;
    bool byte = t->length > 0 && t->text[0] == 'b';
    uint32_t digits = 0;

    if (t->kind != PTX_TOKEN_DOT || t->length < 2 || t->length > 5 ||
        (!byte && t->text[0] != 'h')) {
        return;
    }
    for (uint32_t i = 1; i < t->length; i++) {
        if (t->text[i] < '0' || t->text[i] > (byte ? '7' : '3')) {
            return;
        }
        digits = digits << 4 | (uint32_t)(t->text[i] - '0');
    }
    out->count = digits | (byte ? PTX_PART_BYTE : PTX_PART_HALF) | (t->length - 1) << 20;
    parse_next(p);
}

static void operand_vector_reg(struct ptx_parser *p, const struct ptx_symbol *s,
                               struct ptx_operand *out)
{
    int component = operand_component(p, &s->name);

    if (component >= (int)s->count) {
        parse_fail(p, p->token.pos, "'%.*s' has %u components, .x and .y.", PARSE_QUOTE(&s->name),
                   s->count);
    }
    if (component >= 0) {
        operand_reg(out, s->index + (uint32_t)component);
        parse_next(p);
        return;
    }
    out->kind = PTX_OPERAND_VECTOR;
    out->count = s->count;
    out->element = ptx_arena_alloc(p->arena, s->count * sizeof(*out->element));
    for (uint32_t i = 0; i < s->count; i++) {
        out->element[i].reg = -1;
        operand_reg(&out->element[i], s->index + i);
    }
}

static enum ptx_special operand_special_find(const struct ptx_parser *p,
                                             const struct ptx_name *name, const char *suffix)
{
    char text[40];
    size_t length = name->length + strlen(suffix);
    const struct ptx_word *word;

    if (length >= sizeof(text)) {
        return PTX_SPECIAL_NONE;
    }
    memcpy(text, name->text, name->length);
    memcpy(text + name->length, suffix, strlen(suffix));
    word = ptx_words_find(p->words, text, length, ptx_hash(name->hash, suffix, strlen(suffix)));
    return word != NULL ? (enum ptx_special)word->special : PTX_SPECIAL_NONE;
}

static void operand_special_component(struct ptx_parser *p, const struct ptx_name *name,
                                      int component, struct ptx_operand *out)
{
    static const char *const suffix[] = { ".x", ".y", ".z" };

    out->reg = -1;
    if (component == 3) { /* chapter 10: the fourth element is unused and reads as zero */
        out->kind = PTX_OPERAND_IMM;
        return;
    }
    out->kind = PTX_OPERAND_SPECIAL;
    out->special = operand_special_find(p, name, suffix[component]);
}

/* %laneid, %tid.x, or %tid as a vector. Return: false if no special register has this name. */
static bool operand_special(struct ptx_parser *p, const struct ptx_name *name,
                            struct ptx_operand *out)
{
    int component;

    out->special = operand_special_find(p, name, "");
    if (out->special != PTX_SPECIAL_NONE) {
        out->kind = PTX_OPERAND_SPECIAL;
        return true;
    }
    if (operand_special_find(p, name, ".x") == PTX_SPECIAL_NONE) {
        return false;
    }
    component = operand_component(p, name);
    if (component >= 0) {
        operand_special_component(p, name, component, out);
        parse_next(p);
        return true;
    }
    out->kind = PTX_OPERAND_VECTOR;
    out->count = 4;
    out->element = ptx_arena_alloc(p->arena, 4 * sizeof(*out->element));
    for (int i = 0; i < 4; i++) {
        operand_special_component(p, name, i, &out->element[i]);
    }
    return true;
}

static struct ptx_name *operand_keep_name(struct ptx_parser *p, const struct ptx_name *name)
{
    return ptx_arena_copy(p->scratch, name, sizeof(*name));
}

void operand_label(struct ptx_parser *p, struct ptx_operand *out, const struct ptx_name *name)
{
    *out = (struct ptx_operand){ .kind = PTX_OPERAND_LABEL, .reg = -1 };
    operand_wait(out, operand_keep_name(p, name));
}

/* symbol, symbol + 8, symbol[2]: 6.4.1, 6.4.2 */
static void operand_offset(struct ptx_parser *p, struct ptx_operand *out)
{
    if (parse_is(p, '+') || parse_is(p, '-')) {
        out->imm = constant_parse_int(p, "a constant to add to an address");
    } else if (out->var != NULL && parse_accept(p, '[')) {
        out->imm = (int64_t)((uint64_t)constant_parse_int(p, "an array index") *
                             ptx_type_size(out->var->type));
        parse_expect(p, ']', "after an array index");
    }
}

static void operand_symbol(const struct ptx_symbol *s, struct ptx_operand *out)
{
    out->kind = PTX_OPERAND_SYMBOL;
    if (s->kind == SYMBOL_FUNC) {
        out->func = s->func;
    } else {
        out->var = s->var;
    }
}

/* A name that is no constant: register, special register, variable, function. */
static void operand_named(struct ptx_parser *p, struct ptx_operand *out)
{
    struct ptx_name name = parse_name(p, "an operand");
    struct ptx_symbol *s;

    if (name.length == 1 && *name.text == '_') {
        out->kind = PTX_OPERAND_SINK;
        return;
    }
    s = symbols_lookup(p, &name);
    if (s != NULL && s->kind == SYMBOL_REG) {
        operand_reg(out, s->index);
        operand_part(p, out);
    } else if (s != NULL && s->kind == SYMBOL_VECTOR) {
        operand_vector_reg(p, s, out);
    } else if (s != NULL) {
        operand_symbol(s, out);
    } else if (*name.text == '%') {
        if (!operand_special(p, &name, out)) {
            parse_fail(p, name.pos,
                       "The register '%.*s' is not declared, and no special register "
                       "has this name.",
                       PARSE_QUOTE(&name));
        }
    } else { /* a variable or function that is declared further down */
        out->kind = PTX_OPERAND_SYMBOL;
        operand_wait(out, operand_keep_name(p, &name));
        p->inst_has_name = true;
    }
}

/* {a, b, c, d}; the '{' is read. */
static void operand_vector(struct ptx_parser *p, struct ptx_operand *out)
{
    struct ptx_pos pos = p->token.pos;

    out->kind = PTX_OPERAND_VECTOR;
    out->count = operand_parse_list(p, '}', "or ',' in a vector", &out->element);
    if (out->count > PARSE_MAX_VECTOR) {
        parse_fail(p, pos, "This vector has %u elements; the limit is %u.", out->count,
                   PARSE_MAX_VECTOR);
    }
}

/* -r of vmad (9.7.18.4); before anything but a register the sign belongs to a constant. */
static bool operand_minus(struct ptx_parser *p, struct ptx_operand *out)
{
    struct ptx_token sign = p->token;
    struct ptx_lexer back = p->lexer;

    if (!parse_is(p, '-')) {
        return false;
    }
    parse_next(p);
    if (p->token.kind == PTX_TOKEN_NAME) {
        struct ptx_name name = { 0 };
        struct ptx_token token = p->token;
        struct ptx_lexer here = p->lexer;
        const struct ptx_symbol *s;

        name = parse_name(p, "an operand");
        s = symbols_lookup(p, &name);
        p->token = token;
        p->lexer = here;
        if (s != NULL && s->kind == SYMBOL_REG) {
            operand_named(p, out);
            out->negated = true;
            return true;
        }
    }
    p->token = sign;
    p->lexer = back;
    return false;
}

/* An operand that is neither a vector nor an address. */
static void operand_scalar(struct ptx_parser *p, struct ptx_operand *out)
{
    *out = (struct ptx_operand){ .reg = -1 };
    if (parse_is(p, '!')) {
        struct ptx_token sign = p->token;
        struct ptx_lexer back = p->lexer;

        parse_next(p);
        if (p->token.kind == PTX_TOKEN_NAME) {
            operand_named(p, out);
            out->negated = true;
            return;
        }
        p->token = sign; /* !0: a constant expression */
        p->lexer = back;
    }
    if (operand_minus(p, out)) {
        return;
    }
    if (constant_starts(p)) {
        operand_constant(p, out);
        return;
    }
    if (p->token.kind != PTX_TOKEN_NAME) {
        parse_expected(p, "an operand: a register, a constant, a name, '[' or '{'");
    }
    operand_named(p, out);
    if (out->kind == PTX_OPERAND_SYMBOL) {
        operand_offset(p, out);
    } else if (out->kind == PTX_OPERAND_REG && p->list == 0 && parse_is(p, '+')) { /* as ptxas */
        out->imm = constant_parse_int(p, "a constant to add to a register");
    }
}

/* Elements up to @close, which is read; the opening one was. */
uint32_t operand_parse_list(struct ptx_parser *p, uint64_t close, const char *where,
                            struct ptx_operand **list)
{
    uint32_t n = 0;

    p->list++;
    if (!parse_is(p, close)) {
        do {
            p->operands = ptx_grow(p->operands, n, &p->cap_operands, sizeof(*p->operands));
            operand_scalar(p, &p->operands[n++]);
        } while (parse_accept(p, ','));
    }
    p->list--;
    parse_expect(p, close, where);
    *list = ptx_arena_copy(p->arena, p->operands, n * sizeof(*p->operands));
    return n;
}

/* One part of a memory operand: reg + n, symbol + n, n, or a vector of coordinates. */
static void operand_address_part(struct ptx_parser *p, struct ptx_operand *out)
{
    if (parse_accept(p, '{')) {
        *out = (struct ptx_operand){ .reg = -1 };
        operand_vector(p, out);
        return;
    }
    p->list++; /* the offset is an address's */
    operand_scalar(p, out);
    p->list--;
    switch (out->kind) {
    case PTX_OPERAND_REG:
        if (parse_is(p, '+') || parse_is(p, '-')) {
            out->imm = constant_parse_int(p, "a constant to add to an address");
        }
        break;
    case PTX_OPERAND_SYMBOL:
    case PTX_OPERAND_IMM:
        break;
    case PTX_OPERAND_VECTOR: /* coordinates in a vector register */
        return;
    default:
        parse_expected(p,
                       "an address: a register, a name or an integer, with an offset or without");
    }
    out->kind = PTX_OPERAND_ADDRESS;
}

/* [a], [a, {x, y}], [a, b, {x}]; the '[' is read. Return: operands written, at most @max. */
uint32_t operand_parse_address(struct ptx_parser *p, struct ptx_operand *out, uint32_t max)
{
    uint32_t n = 0;

    do {
        if (n == max) {
            parse_fail(p, p->token.pos, "Too many operands: an instruction has at most %d.",
                       PTX_MAX_OPERANDS);
        }
        operand_address_part(p, &out[n++]);
    } while (parse_accept(p, ','));
    parse_expect(p, ']', "after an address");
    return n;
}

void operand_parse(struct ptx_parser *p, struct ptx_operand *out)
{
    if (parse_accept(p, '{')) {
        *out = (struct ptx_operand){ .reg = -1 };
        operand_vector(p, out);
        return;
    }
    operand_scalar(p, out);
}
