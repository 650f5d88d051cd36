/* SPDX-License-Identifier: MIT */
/* Declarations of registers, variables and parameters, PTX ISA 5.1 to 5.4. */
#include <string.h>

#include "ptx/parse.h"

#define VARIABLE_MAX_DIMS 16

static enum ptx_space variable_space(struct ptx_parser *p)
{
    enum ptx_space space = (enum ptx_space)parse_word(p)->space;

    parse_next(p);
    if (space == PTX_SPACE_CONST && parse_accept(p, '[')) { /* banks of old modules: 5.1.3 */
        constant_parse_count(p, "a constant bank", 10);
        parse_expect(p, ']', "after a constant bank");
    }
    return space;
}

static uint32_t variable_align(struct ptx_parser *p)
{
    struct ptx_pos pos;
    uint64_t align;

    parse_next(p);
    pos = p->token.pos;
    align = constant_parse_count(p, "an alignment", PARSE_MAX_ALIGN);
    if (align == 0 || (align & (align - 1)) != 0) {
        parse_fail(p, pos, "The alignment %llu is not a power of two (PTX ISA 5.4.5).",
                   (unsigned long long)align);
    }
    return (uint32_t)align;
}

/* ptxas 13.0 and a driver take an address that a UUID names only in what is linked apart (-c), and
 * nothing here could say what lies at it. */
void variable_unified_check(struct ptx_parser *p)
{
    if (p->module->version < 80 || p->module->target_sm < 90) {
        parse_fail(p, p->token.pos,
                   ".unified needs .version 8.0 and .target sm_90 or higher (PTX ISA 5.4.8).");
    }
    parse_fail(p, p->token.pos,
               ".unified needs separate compilation (ptxas --compile-only); leave it out.");
}

/* .attribute(.managed) and .attribute(.unified(a, b)), 5.4.8 */
static void variable_attribute(struct ptx_parser *p, struct ptx_var *var)
{
    parse_next(p);
    parse_expect(p, '(', "after '.attribute'");
    do {
        if (p->token.kind != PTX_TOKEN_DOT) {
            parse_expected(p, "an attribute such as .managed");
        }
        if (p->token.length == 7 && memcmp(p->token.text, "managed", 7) == 0) {
            var->managed = true;
            parse_next(p);
        } else if (p->token.length == 7 && memcmp(p->token.text, "unified", 7) == 0) {
            parse_next(p);
            parse_expect(p, '(', "after '.unified'");
            constant_parse_int(p, "the first half of a UUID");
            parse_expect(p, ',', "between the halves of a UUID");
            constant_parse_int(p, "the second half of a UUID");
            parse_expect(p, ')', "after '.unified'");
            variable_unified_check(p);
        } else {
            parse_fail(p, p->token.pos, "Unknown attribute '.%.*s'; expected .managed or .unified.",
                       PARSE_QUOTE(&p->token));
        }
    } while (parse_accept(p, ','));
    parse_expect(p, ')', "after '.attribute'");
}

/* .ptr [.space] [.align n] says what a parameter points at (11.2.1): nothing that changes it. */
static void variable_pointee(struct ptx_parser *p)
{
    parse_next(p);
    if (p->token.kind == PTX_TOKEN_DOT && parse_word(p)->space != 0) {
        parse_next(p);
    }
    if (parse_directive(p) == PTX_DIRECTIVE_ALIGN) {
        variable_align(p);
    }
}

/* [.align n] [.attribute(...)] [.v4] .type [.ptr ...], in any order as compilers write them.
 * Return: elements of the vector, 1 if it is none. */
static uint32_t variable_type(struct ptx_parser *p, struct ptx_var *var)
{
    uint32_t vector = 1;

    while (p->token.kind == PTX_TOKEN_DOT) {
        const struct ptx_word *word = parse_word(p);

        if (word->directive == PTX_DIRECTIVE_ALIGN) {
            var->align = variable_align(p);
        } else if (word->directive == PTX_DIRECTIVE_ATTRIBUTE) {
            variable_attribute(p, var);
        } else if (word->directive == PTX_DIRECTIVE_PTR) {
            variable_pointee(p);
        } else if (word->vector == 2 || word->vector == 4) {
            vector = word->vector;
            parse_next(p);
        } else if (word->type != 0 && var->type == PTX_TYPE_NONE) {
            var->type = (enum ptx_type)word->type;
            parse_next(p);
        } else {
            break;
        }
    }
    if (var->type == PTX_TYPE_NONE || (var->type >= PTX_U16X2 && var->type < PTX_TEXREF)) {
        parse_expected(p, "a type that a variable can have, such as .b32 or .f64");
    }
    if (vector > 1 && (ptx_type_size(var->type) * vector > 16 || var->type == PTX_PRED)) {
        parse_fail(p, p->token.pos,
                   "A vector has at most 128 bits and no predicates (PTX ISA "
                   "5.4.2).");
    }
    if (var->type == PTX_B128 && (p->module->version < 83 || p->module->target_sm < 70)) {
        parse_fail(p, p->token.pos,
                   ".b128 requires .version 8.3 and .target sm_70 or higher, not %u.%u and sm_%u.",
                   p->module->version / 10, p->module->version % 10, p->module->target_sm);
    }
    if (var->type == PTX_PRED && var->space != PTX_SPACE_REG) {
        parse_fail(p, p->token.pos,
                   "A predicate lives in a register: .pred is no type for .%s "
                   "(PTX ISA 5.2.1).",
                   ptx_space_name(var->space));
    }
    return vector;
}

/* [2][3] behind a name, or [] for a first dimension that is not said here. */
static void variable_dims(struct ptx_parser *p, struct initialiser_shape *shape)
{
    while (parse_accept(p, '[')) {
        struct ptx_pos pos = p->token.pos;
        uint64_t dim = 0;

        if (shape->n_dims == VARIABLE_MAX_DIMS) {
            parse_fail(p, pos, "This array has more than %d dimensions.", VARIABLE_MAX_DIMS);
        }
        if (!parse_is(p, ']')) {
            dim = constant_parse_count(p, "an array dimension", PARSE_MAX_BYTES);
        } else if (shape->n_dims != 0) {
            parse_fail(p, pos,
                       "Only the first dimension of an array may be left out "
                       "(PTX ISA 5.4.3).");
        }
        parse_expect(p, ']', "after an array dimension");
        shape->dims[shape->n_dims++] = dim;
    }
}

/* Bytes of everything but the first dimension if that one is open; fails past PARSE_MAX_BYTES. */
static uint64_t variable_bytes(struct ptx_parser *p, const struct ptx_var *var,
                               const struct initialiser_shape *shape)
{
    uint64_t bytes = ptx_type_size(var->type);

    for (unsigned i = 0; i < shape->n_dims; i++) {
        if (shape->dims[i] != 0 && bytes > PARSE_MAX_BYTES / shape->dims[i]) {
            parse_fail(p, var->pos, "Variable '%s' is larger than %llu bytes.", var->name,
                       (unsigned long long)PARSE_MAX_BYTES);
        }
        bytes *= shape->dims[i];
    }
    return bytes;
}

static struct ptx_var *variable_new(struct ptx_parser *p, const struct ptx_var *model,
                                    const struct ptx_name *name, uint32_t vector)
{
    struct ptx_var *var = ptx_arena_alloc(p->arena, sizeof(*var));

    *var = *model;
    var->name = ptx_arena_text(p->arena, name->text, name->length);
    var->pos = name->pos;
    if (var->align == 0) {
        var->align = ptx_type_size(var->type) * vector;
    }
    return var;
}

/* A vector is an innermost dimension, for the size and for the initialiser. */
static void variable_add_vector(struct initialiser_shape *shape, uint32_t vector)
{
    if (vector > 1) {
        shape->dims[shape->n_dims++] = vector;
    }
}

/* One of .param and .reg in a parameter list, 5.1.6 and 11.2.2. */
struct ptx_var *variable_parse_param(struct ptx_parser *p)
{
    uint64_t dims[VARIABLE_MAX_DIMS + 1];
    struct initialiser_shape shape = { .dims = dims };
    struct ptx_var model = { 0 }, *var;
    struct ptx_name name;
    uint32_t vector;
    bool open;

    if (parse_directive(p) != PTX_DIRECTIVE_PARAM && parse_directive(p) != PTX_DIRECTIVE_REG) {
        parse_expected(p, "a parameter: .param or .reg");
    }
    model.space = variable_space(p);
    vector = variable_type(p, &model);
    name = parse_name(p, "the name of a parameter");
    var = variable_new(p, &model, &name, vector);
    var->offset = var->space == PTX_SPACE_REG ? UINT64_MAX : 0;
    if (vector > 1 && var->space == PTX_SPACE_PARAM) {
        parse_fail(p, name.pos,
                   "The parameter '%s' is a vector; .param variables are none (ptxas).", var->name);
    }
    variable_dims(p, &shape);
    open = shape.n_dims != 0 && shape.dims[0] == 0; /* .param .b8 a[]: variable arguments, 7.2 */
    variable_add_vector(&shape, vector);
    var->size = open ? 0 : variable_bytes(p, var, &shape);
    if (vector > 1 && var->space == PTX_SPACE_REG) {
        parse_fail(p, name.pos, "The .reg parameter '%s' is a vector; expected a scalar.",
                   var->name);
    }
    return var;
}

static void variable_declare_param(struct ptx_parser *p, struct ptx_var *var,
                                   const struct ptx_name *name)
{
    struct ptx_symbol *s;

    if (name->length == 1 && *name->text == '_') {
        return;
    }
    if (var->space == PTX_SPACE_REG) {
        s = symbols_add(p, SYMBOL_NAME, SYMBOL_REG, name);
        s->type = (uint8_t)var->type;
        s->index = symbols_reg_new(p, name, "", var->type);
        var->offset = s->index;
        return;
    }
    s = symbols_add(p, SYMBOL_NAME, SYMBOL_VAR, name);
    s->var = var;
}

/* "(" is read. @declare: the names are for a body that follows. */
void variable_parse_param_list(struct ptx_parser *p, struct ptx_var ***list, uint32_t *count,
                               bool declare)
{
    size_t first = p->n_func_vars;

    if (!parse_is(p, ')')) {
        do {
            struct ptx_var *var = variable_parse_param(p);
            size_t length = strlen(var->name);

            *PARSE_PUSH(p, func_vars) = var;
            if (declare) {
                struct ptx_name name = { var->name, (uint32_t)length,
                                         ptx_hash(0, var->name, length), var->pos };

                variable_declare_param(p, var, &name);
            }
        } while (parse_accept(p, ','));
    }
    parse_expect(p, ')', "or ',' in a parameter list");
    *count = (uint32_t)(p->n_func_vars - first);
    *list = *count == 0 ? NULL
                        : ptx_arena_copy(p->arena, p->func_vars + first, *count * sizeof(**list));
    p->n_func_vars = first;
}

/* .reg .b32 a, %r<10>; and .reg .v4 .f32 v; 5.1.1, 5.4.2 */
void variable_parse_reg(struct ptx_parser *p)
{
    struct ptx_var model = { .space = PTX_SPACE_REG };
    uint32_t vector;

    parse_next(p);
    vector = variable_type(p, &model);
    do {
        struct ptx_name name = parse_name(p, "the name of a register");
        struct ptx_symbol *s;

        if (parse_accept(p, '<')) {
            s = symbols_add(p, SYMBOL_RANGE, SYMBOL_RANGE_OF, &name);
            s->count = (uint32_t)constant_parse_count(p, "a number of registers", INT32_MAX);
            parse_expect(p, '>', "after a number of registers");
            s->index = vector;
        } else {
            s = symbols_add(p, SYMBOL_NAME, vector > 1 ? SYMBOL_VECTOR : SYMBOL_REG, &name);
            s->count = vector;
            s->index = symbols_regs_new(p, &name, vector, model.type);
        }
        s->type = (uint8_t)model.type;
    } while (parse_accept(p, ','));
    parse_expect(p, ';', "or ',' after a register");
}

/* An `extern` declaration met by its definition is one variable (the linker's texts have both). */
static struct ptx_var *variable_merge(struct ptx_parser *p, struct ptx_var *var,
                                      const struct ptx_name *name)
{
    struct ptx_symbol *s = symbols_find(p, SYMBOL_NAME, name);
    struct ptx_var *old;

    if (s == NULL || s->depth != p->symbols.depth || s->kind != SYMBOL_VAR) {
        return NULL;
    }
    old = s->var;
    if (old->space != var->space ||
        (old->linkage != PTX_LINK_EXTERN && var->linkage != PTX_LINK_EXTERN)) {
        return NULL;
    }
    if (old->linkage == PTX_LINK_EXTERN &&
        (var->linkage != PTX_LINK_EXTERN || var->align > old->align)) {
        *old = *var;
    }
    return old;
}

static struct ptx_var *variable_declare(struct ptx_parser *p, struct ptx_var *var,
                                        const struct ptx_name *name)
{
    struct ptx_var *old = variable_merge(p, var, name);

    if (p->func != NULL && var->type >= PTX_TEXREF) {
        parse_fail(p, name->pos,
                   "The .%s variable '%s' must be at module scope or a parameter of a kernel (PTX "
                   "ISA 5.3).",
                   ptx_type_name(var->type), var->name);
    }
    if (old != NULL) {
        return old;
    }
    symbols_add(p, SYMBOL_NAME, SYMBOL_VAR, name)->var = var;
    if (p->func == NULL || var->space == PTX_SPACE_GLOBAL || var->space == PTX_SPACE_CONST) {
        *PARSE_PUSH(p, vars) = var;
    } else {
        *PARSE_PUSH(p, func_vars) = var;
    }
    return var;
}

static void variable_item(struct ptx_parser *p, const struct ptx_var *var,
                          const struct ptx_name *name, const char *start, const char *rest)
{
    struct ptx_item *item = parse_item_add(p, PTX_ITEM_VAR, name);

    item->linkage = var->linkage;
    item->defined = var->linkage != PTX_LINK_EXTERN;
    item->start = start;
    item->rest = rest;
    item->head_end = p->token_end;
    item->var = var;
}

/* One name of a declaration, with its dimensions and initialiser. */
static struct ptx_var *variable_parse_one(struct ptx_parser *p, const struct ptx_var *model,
                                          uint32_t vector, struct ptx_name *name)
{
    uint64_t dims[VARIABLE_MAX_DIMS + 1];
    struct initialiser_shape shape = { .dims = dims };
    struct ptx_var *given, *var;
    bool open;

    *name = parse_name(p, "the name of a variable");
    given = variable_new(p, model, name, vector);
    variable_dims(p, &shape);
    open = shape.n_dims != 0 && shape.dims[0] == 0;
    variable_add_vector(&shape, vector);
    given->size = open ? 0 : variable_bytes(p, given, &shape);
    /* Declared first: an initialiser may hold the variable's own address. */
    var = variable_declare(p, given, name);
    if (parse_is(p, '=')) {
        if ((var->space != PTX_SPACE_GLOBAL && var->space != PTX_SPACE_CONST) ||
            given->linkage == PTX_LINK_EXTERN) {
            parse_fail(p, p->token.pos,
                       "Variable '%s' cannot have an initial value: expected "
                       ".global or .const that is not .extern (PTX ISA 5.4.4).",
                       var->name);
        }
        parse_next(p);
        initialiser_parse(p, var, &shape);
        var->size = variable_bytes(p, var, &shape);
    } else if (open && given->linkage != PTX_LINK_EXTERN) {
        parse_fail(p, name->pos,
                   "Array '%s' has no size: expected a first dimension, an initial "
                   "value or .extern.",
                   var->name);
    }
    return var;
}

void variable_parse(struct ptx_parser *p, enum ptx_linkage linkage, const char *start)
{
    const char *rest = p->token.text - 1;
    struct ptx_var model = { .linkage = linkage }, *var;
    size_t first = p->n_items;
    struct ptx_name name;
    uint32_t vector;

    model.space = variable_space(p);
    vector = variable_type(p, &model);
    do {
        var = variable_parse_one(p, &model, vector, &name);
        if (p->func == NULL) {
            variable_item(p, var, &name, start, rest);
        }
    } while (parse_accept(p, ','));
    parse_expect(p, ';', "after a variable");
    for (size_t i = first; i < p->n_items; i++) {
        p->items[i].several = p->n_items - first > 1;
        p->items[i].end = p->token_end;
    }
}
