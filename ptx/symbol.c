/* SPDX-License-Identifier: MIT */
/* Names in scopes, PTX ISA 5.4 and 9.4: what an inner scope declares hides the outer name until its
 * closing brace. */
#include <string.h>

#include "ptx/parse.h"

static struct ptx_symbol **symbols_bucket(const struct ptx_parser *p, enum symbol_class class,
                                          uint32_t hash)
{
    return &p->symbols.bucket[ptx_hash_slot(hash + (uint32_t)class, p->symbols.bits)];
}

void symbols_open(struct ptx_parser *p, size_t text_size)
{
    unsigned bits = 8;

    while (bits < 20 && (size_t)64 << bits < text_size) { /* a new name every 64 bytes is much */
        bits++;
    }
    p->symbols.bits = bits;
    p->symbols.bucket = ptx_arena_alloc(p->scratch, sizeof(*p->symbols.bucket) << bits);
}

void symbols_push(struct ptx_parser *p)
{
    if (p->symbols.depth == PARSE_MAX_NESTING - 1) {
        parse_fail(p, p->token.pos, "This scope is nested deeper than %d levels.",
                   PARSE_MAX_NESTING - 1);
    }
    p->symbols.depth++;
}

void symbols_pop(struct ptx_parser *p)
{
    struct symbol_table *t = &p->symbols;
    struct ptx_symbol *next;

    for (struct ptx_symbol *s = t->scope[t->depth]; s != NULL; s = next) {
        struct ptx_symbol **link = symbols_bucket(p, s->class, s->name.hash);

        while (*link != s) {
            link = &(*link)->bucket_next;
        }
        *link = s->bucket_next;
        next = s->scope_next;
        s->scope_next = t->free;
        t->free = s;
    }
    t->scope[t->depth] = NULL;
    t->ranges &= ~(UINT64_C(1) << t->depth);
    t->depth--;
}

bool ptx_name_equal(const struct ptx_name *a, const struct ptx_name *b)
{
    return a->hash == b->hash && a->length == b->length && memcmp(a->text, b->text, a->length) == 0;
}

/* The newest one is the innermost: a scope that declares a name hides it from then on. */
struct ptx_symbol *symbols_find(const struct ptx_parser *p, enum symbol_class class,
                                const struct ptx_name *name)
{
    struct ptx_symbol *s = *symbols_bucket(p, class, name->hash);

    while (s != NULL && (s->class != class || !ptx_name_equal(&s->name, name))) {
        s = s->bucket_next;
    }
    return s;
}

static struct ptx_symbol *symbols_insert(struct ptx_parser *p, enum symbol_class class,
                                         const struct ptx_name *name, unsigned depth)
{
    struct symbol_table *t = &p->symbols;
    struct ptx_symbol *s = t->free, **bucket = symbols_bucket(p, class, name->hash);

    if (s != NULL) {
        t->free = s->scope_next;
        *s = (struct ptx_symbol){ 0 };
    } else {
        s = ptx_arena_alloc(p->scratch, sizeof(*s));
    }
    s->name = *name;
    s->class = (uint8_t)class;
    s->depth = (uint8_t)depth;
    s->bucket_next = *bucket;
    *bucket = s;
    s->scope_next = t->scope[depth];
    t->scope[depth] = s;
    return s;
}

struct ptx_symbol *symbols_add(struct ptx_parser *p, enum symbol_class class, enum symbol_kind kind,
                               const struct ptx_name *name)
{
    struct ptx_symbol *s = symbols_find(p, class, name);

    if (s != NULL && s->depth == p->symbols.depth) {
        parse_fail(p, name->pos, "'%.*s' is declared twice in this scope; the first is in line %u.",
                   PARSE_QUOTE(name), s->name.pos.line);
    }
    s = symbols_insert(p, class, name, p->symbols.depth);
    s->kind = (uint8_t)kind;
    if (class == SYMBOL_RANGE) {
        p->symbols.ranges |= UINT64_C(1) << p->symbols.depth;
    }
    return s;
}

uint32_t symbols_reg_new(struct ptx_parser *p, const struct ptx_name *name, const char *suffix,
                         enum ptx_type type)
{
    size_t extra = strlen(suffix);
    struct ptx_reg *reg;
    char *text;

    if (p->n_regs == PARSE_MAX_REGS) {
        parse_fail(p, name->pos, "Function '%s' names more than %u registers.", p->func->name,
                   PARSE_MAX_REGS);
    }
    text = ptx_arena_alloc(p->arena, name->length + extra + 1);
    memcpy(text, name->text, name->length);
    memcpy(text + name->length, suffix, extra);
    reg = PARSE_PUSH(p, regs);
    *reg = (struct ptx_reg){ .name = text, .type = type };
    return (uint32_t)p->n_regs - 1;
}

/* The components of a vector, or the one register. Return: the first */
uint32_t symbols_regs_new(struct ptx_parser *p, const struct ptx_name *name, uint32_t count,
                          enum ptx_type type)
{
    static const char *const suffix[] = { ".x", ".y", ".z", ".w" };
    const uint32_t first = symbols_reg_new(p, name, count > 1 ? suffix[0] : "", type);

    for (uint32_t i = 1; i < count; i++) {
        symbols_reg_new(p, name, suffix[i], type);
    }
    return first;
}

/* The innermost `prefix<n>` with n above @number. */
static struct ptx_symbol *symbols_find_above(const struct ptx_parser *p,
                                             const struct ptx_name *prefix, uint64_t number)
{
    struct ptx_symbol *s = *symbols_bucket(p, SYMBOL_RANGE, prefix->hash);

    while (s != NULL &&
           (s->class != SYMBOL_RANGE || number >= s->count || !ptx_name_equal(&s->name, prefix))) {
        s = s->bucket_next;
    }
    return s;
}

/* The declaration `%r<10>` that %r7 belongs to: the name up to some digit, the rest a plain number
 * below the bound. */
static struct ptx_symbol *symbols_find_range(const struct ptx_parser *p,
                                             const struct ptx_name *name)
{
    uint64_t number = 0, unit = 1;
    struct ptx_symbol *found = NULL;

    for (uint32_t at = name->length; at-- > 1 && unit <= UINT32_MAX;) {
        struct ptx_name prefix = { .text = name->text, .length = at };
        struct ptx_symbol *s;
        char digit = name->text[at];

        if (digit < '0' || digit > '9') {
            break;
        }
        number += (uint64_t)(digit - '0') * unit;
        unit *= 10;
        if (digit == '0' && at + 1 != name->length) {
            continue; /* %r07 is not %r7 */
        }
        prefix.hash = ptx_hash(0, prefix.text, at);
        s = symbols_find_above(p, &prefix, number);
        if (s != NULL && (found == NULL || s->depth > found->depth)) {
            found = s;
        }
    }
    return found;
}

/* True if a scope inside that of @s has a range, which might then hide it. */
static bool symbols_may_hide(const struct ptx_parser *p, const struct ptx_symbol *s)
{
    return s->depth < p->symbols.depth && p->symbols.ranges >> (s->depth + 1) != 0;
}

struct ptx_symbol *symbols_lookup(struct ptx_parser *p, const struct ptx_name *name)
{
    struct ptx_symbol *s = symbols_find(p, SYMBOL_NAME, name), *range;

    if (s != NULL && !symbols_may_hide(p, s)) {
        return s;
    }
    range = p->symbols.ranges != 0 ? symbols_find_range(p, name) : NULL;
    if (range == NULL || (s != NULL && s->depth >= range->depth)) {
        return s;
    }
    s = symbols_insert(p, SYMBOL_NAME, name, range->depth);
    s->kind = range->index > 1 ? SYMBOL_VECTOR : SYMBOL_REG;
    s->type = range->type;
    s->count = range->index;
    s->index = symbols_regs_new(p, name, range->index, range->type);
    return s;
}

/* nvcc 13's names (CDP2), those of libcudadevrt, and those of the older runtime (CUDA Programming
 * Guide, dynamic parallelism, "Device-side Launch from PTX"). */
bool ptx_is_device_launch(const char *name, size_t length)
{
    static const char *const known[] = { "__cudaCDP2", "__cuda_syscall_cnp", "cudaLaunchDevice",
                                         "cudaGetParameterBuffer" };

    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        size_t n = strlen(known[i]);

        if (length >= n && memcmp(name, known[i], n) == 0) {
            return true;
        }
    }
    return false;
}
