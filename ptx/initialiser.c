/* SPDX-License-Identifier: MIT */
/* Initial values of variables, PTX ISA 5.4.4: constants, addresses, bytes of addresses. */
#include <stdlib.h>
#include <string.h>

#include "ptx/parse.h"

/**
 * struct initialiser - one being read
 * @size, @limit: bytes of an element; bytes the variable has room for, UINT64_MAX for x[]
 * @reach: bytes up to the last element that was given
 */
struct initialiser {
    struct ptx_parser *p;
    struct ptx_var *var;
    const struct initialiser_shape *shape;
    uint32_t size;
    uint64_t limit, reach;
};

static void initialiser_check_total(struct initialiser *in, uint64_t end)
{
    if (end > PARSE_MAX_INIT - in->p->init_bytes) {
        parse_fail(in->p, in->p->token.pos, "The initial values of this module exceed %llu bytes.",
                   (unsigned long long)PARSE_MAX_INIT);
    }
}

/* Room in the scratch image, whose bytes are zero until an element is stored. */
static void initialiser_reserve(struct initialiser *in, uint64_t end)
{
    struct ptx_parser *p = in->p;
    size_t old = p->cap_bytes;

    initialiser_check_total(in, end);
    while (p->cap_bytes < end) {
        p->bytes = ptx_grow(p->bytes, p->cap_bytes, &p->cap_bytes, 1);
    }
    if (p->cap_bytes != old) {
        memset(p->bytes + old, 0, p->cap_bytes - old);
    }
    in->reach = in->reach < end ? end : in->reach;
}

/* Integers are cut to the element, floating-point constants converted to it. */
static uint64_t initialiser_encode(struct initialiser *in, const struct constant *value,
                                   struct ptx_pos pos)
{
    enum ptx_type type = in->var->type;
    uint64_t bits = value->bits;
    uint32_t bits32;
    double d;
    float f;

    memcpy(&d, &value->bits, sizeof(d));
    if (value->kind == CONSTANT_INT && (type == PTX_F32 || type == PTX_F64)) {
        d = value->is_unsigned ? (double)bits : (double)(int64_t)bits;
    } else if (value->kind == CONSTANT_INT) {
        return bits;
    } else if (value->kind == CONSTANT_F32) {
        bits32 = (uint32_t)bits;
        memcpy(&f, &bits32, sizeof(f));
        d = (double)f;
    }
    if (type == PTX_F32) {
        if (value->kind == CONSTANT_F32) { /* a NaN keeps its payload */
            return bits;
        }
        f = (float)d;
        memcpy(&bits32, &f, sizeof(bits32));
        return bits32;
    }
    if (type != PTX_F64) {
        parse_fail(in->p, pos, "Variable '%s' has type .%s; expected an integer constant.",
                   in->var->name, ptx_type_name(type));
    }
    memcpy(&bits, &d, sizeof(bits));
    return bits;
}

static void initialiser_store(struct initialiser *in, uint64_t offset, uint64_t bits)
{
    initialiser_reserve(in, offset + in->size);
    for (uint32_t i = 0; i < in->size; i++) {
        in->p->bytes[offset + i] = i < 8 ? (unsigned char)(bits >> 8 * i) : 0;
    }
}

/* symbol [+ constant] */
static void initialiser_symbol(struct initialiser *in, struct ptx_reloc *reloc,
                               struct ptx_name *name)
{
    struct ptx_parser *p = in->p;

    *name = parse_name(p, "the name of a variable or a function");
    if (parse_is(p, '+') || parse_is(p, '-')) {
        reloc->addend += constant_parse_int(p, "a constant to add to the address");
    }
}

/* generic(symbol + constant) + constant, or symbol + constant */
static void initialiser_address(struct initialiser *in, struct ptx_reloc *reloc,
                                struct ptx_name *name)
{
    struct ptx_parser *p = in->p;

    if (p->token.kind == PTX_TOKEN_NAME && p->token.length == 7 &&
        memcmp(p->token.text, "generic", 7) == 0) {
        reloc->generic = true;
        parse_next(p);
        parse_expect(p, '(', "after 'generic'");
        initialiser_symbol(in, reloc, name);
        parse_expect(p, ')', "after the symbol of 'generic'");
        if (parse_is(p, '+') || parse_is(p, '-')) {
            reloc->addend += constant_parse_int(p, "a constant to add to the address");
        }
        return;
    }
    initialiser_symbol(in, reloc, name);
}

/* 0xFF00(symbol): which bytes of the address; they must be neighbours. */
static void initialiser_mask(struct initialiser *in, uint64_t mask, struct ptx_reloc *reloc,
                             struct ptx_pos pos)
{
    unsigned first = 0, n = 0;

    while (first < 8 && (mask >> 8 * first & 0xff) == 0) {
        first++;
    }
    while (first + n < 8 && (mask >> 8 * (first + n) & 0xff) == 0xff) {
        n++;
    }
    if (n == 0 || n > in->size || (first + n < 8 && mask >> 8 * (first + n) != 0)) {
        parse_fail(in->p, pos,
                   "The mask 0x%llx does not select bytes that fill an element of .%s; "
                   "expected a byte of 0xff such as 0xFF00 (PTX ISA 5.4.4).",
                   (unsigned long long)mask, ptx_type_name(in->var->type));
    }
    reloc->first_byte = (uint8_t)first;
    reloc->bytes = (uint8_t)n;
}

/* Eight masked bytes in a row are how compilers write one pointer in an array of bytes. */
static bool initialiser_joins(const struct ptx_reloc *last, const struct ptx_name *last_name,
                              const struct ptx_reloc *reloc, const struct ptx_name *name)
{
    return ptx_name_equal(last_name, name) && last->addend == reloc->addend &&
           last->generic == reloc->generic && last->bytes + reloc->bytes <= 8 &&
           last->offset + last->bytes == reloc->offset &&
           last->first_byte + last->bytes == reloc->first_byte;
}

static void initialiser_add_reloc(struct initialiser *in, struct ptx_reloc *reloc,
                                  const struct ptx_name *name)
{
    struct ptx_parser *p = in->p;
    size_t cap_names = p->cap_names;

    if (p->n_relocs > 0 &&
        initialiser_joins(&p->relocs[p->n_relocs - 1], &p->names[p->n_relocs - 1], reloc, name)) {
        p->relocs[p->n_relocs - 1].bytes += reloc->bytes;
        return;
    }
    p->names = ptx_grow(p->names, p->n_relocs, &cap_names, sizeof(*p->names));
    p->cap_names = cap_names;
    p->names[p->n_relocs] = *name;
    *PARSE_PUSH(p, relocs) = *reloc;
}

static void initialiser_pointer(struct initialiser *in, uint64_t offset, const uint64_t *mask,
                                struct ptx_pos pos)
{
    struct ptx_parser *p = in->p;
    struct ptx_reloc reloc = { .offset = offset };
    struct ptx_name name;

    reloc.bytes = (uint8_t)(p->module->address_size / 8);
    if (mask != NULL) {
        initialiser_mask(in, *mask, &reloc, pos);
        parse_expect(p, '(', "after a mask");
    } else if (in->size != reloc.bytes) {
        parse_fail(p, pos, "Variable '%s' has type .%s, which cannot hold an address of %u bits.",
                   in->var->name, ptx_type_name(in->var->type), p->module->address_size);
    }
    initialiser_address(in, &reloc, &name);
    if (mask != NULL) {
        parse_expect(p, ')', "after a masked address");
    }
    initialiser_store(in, offset, 0);
    initialiser_add_reloc(in, &reloc, &name);
}

static void initialiser_check_room(struct initialiser *in, uint64_t offset, uint64_t bytes)
{
    if (bytes > in->limit || offset > in->limit - bytes) {
        parse_fail(in->p, in->p->token.pos,
                   "Too many initial values for '%s', which has %llu "
                   "bytes.",
                   in->var->name, (unsigned long long)in->var->size);
    }
    initialiser_check_total(in, offset + bytes);
}

static void initialiser_element(struct initialiser *in, uint64_t offset)
{
    struct ptx_parser *p = in->p;
    struct ptx_pos pos = p->token.pos;
    struct constant value;

    initialiser_check_room(in, offset, in->size);
    if (p->token.kind == PTX_TOKEN_NAME && !constant_starts(p)) {
        initialiser_pointer(in, offset, NULL, pos);
        return;
    }
    if (!constant_starts(p)) {
        parse_expected(p, "a constant, an address or '{' in an initial value");
    }
    value = constant_parse(p);
    if (parse_is(p, '(') && value.kind == CONSTANT_INT) {
        initialiser_pointer(in, offset, &value.bits, pos);
        return;
    }
    initialiser_store(in, offset, initialiser_encode(in, &value, pos));
}

/* Bytes of one entry at nesting @level: the product of the dimensions inside it. */
static uint64_t initialiser_stride(const struct initialiser *in, unsigned level)
{
    uint64_t stride = in->size;

    for (unsigned i = level + 1; i < in->shape->n_dims; i++) {
        stride *= in->shape->dims[i]; /* variable_bytes() has bounded the product */
    }
    return stride;
}

/* { a, b, { c, d } }: a nested brace is one entry of this level, a bare constant one element.
 * Return: the end of what was given. */
static uint64_t initialiser_braces(struct initialiser *in, uint64_t start, unsigned level)
{
    struct ptx_parser *p = in->p;
    uint64_t offset = start, outer = in->limit;

    parse_nest(p);
    if (level >= in->shape->n_dims) {
        parse_fail(p, p->token.pos, "'%s' has fewer dimensions than this initial value has braces.",
                   in->var->name);
    }
    parse_next(p);
    if (level > 0) {
        in->limit = start + initialiser_stride(in, level - 1);
    }
    while (!parse_is(p, '}')) {
        if (parse_is(p, '{')) {
            initialiser_check_room(in, offset, initialiser_stride(in, level));
            initialiser_braces(in, offset, level + 1);
            offset += initialiser_stride(in, level);
        } else {
            initialiser_element(in, offset);
            offset += in->size;
        }
        if (!parse_accept(p, ',')) {
            break;
        }
    }
    in->limit = outer;
    parse_expect(p, '}', "or ',' in an initial value");
    parse_unnest(p);
    return offset;
}

/* Sampler options such as { addr_mode_0 = clamp_to_edge } are for texture instructions (5.3). */
static void initialiser_opaque(struct ptx_parser *p)
{
    struct ptx_pos pos = p->token.pos;

    if (!parse_is(p, '{')) {
        parse_expected(p, "'{'");
    }
    if (!ptx_lex_skip_block(&p->lexer)) {
        parse_fail(p, pos, "This '{' has no closing '}'.");
    }
    parse_next(p);
}

/* @end: behind the last entry, which gives x[] its first dimension. */
static void initialiser_take(struct initialiser *in, struct initialiser_shape *shape, uint64_t end)
{
    struct ptx_parser *p = in->p;
    struct ptx_var *var = in->var;
    uint64_t stride;

    if (in->limit == UINT64_MAX) {
        stride = initialiser_stride(in, 0);
        shape->dims[0] = stride == 0 ? 0 : (end + stride - 1) / stride;
        in->limit = shape->dims[0] * stride;
    }
    initialiser_check_total(in, in->limit);
    var->init = ptx_arena_alloc(p->arena, in->limit);
    if (in->reach != 0) {
        memcpy(var->init, p->bytes, in->reach);
        memset(p->bytes, 0, in->reach); /* as the next one expects it */
    }
    p->init_bytes += in->limit;
    var->n_relocs = (uint32_t)p->n_relocs;
    var->relocs = ptx_arena_copy(p->arena, p->relocs, p->n_relocs * sizeof(*p->relocs));
    for (size_t i = 0; i < p->n_relocs; i++) {
        *PARSE_PUSH(p, reloc_uses) = (struct reloc_use){ &var->relocs[i], p->names[i] };
    }
}

void initialiser_parse(struct ptx_parser *p, struct ptx_var *var, struct initialiser_shape *shape)
{
    struct initialiser in = { .p = p, .var = var, .shape = shape };
    bool open = shape->n_dims != 0 && shape->dims[0] == 0;
    uint64_t end;

    if (var->type >= PTX_TEXREF) {
        initialiser_opaque(p);
        return;
    }
    p->n_relocs = 0;
    in.size = ptx_type_size(var->type);
    in.limit = open ? UINT64_MAX : var->size;
    if (parse_is(p, '{')) {
        end = initialiser_braces(&in, 0, 0);
    } else {
        initialiser_element(&in, 0);
        end = in.size;
    }
    initialiser_take(&in, shape, end);
}
