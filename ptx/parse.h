/* SPDX-License-Identifier: MIT */
/* What the files of the parser share. One pass over the tokens; the first error jumps out of it, so
 * that no step has to be written for a state in which an earlier one failed. Everything lives in
 * two arenas: the module's, and one for the duration of the parse. */
#ifndef PTX_PARSE_H
#define PTX_PARSE_H

#include <setjmp.h>

#include "ptx/arena.h"
#include "ptx/lex.h"
#include "ptx/words.h"

#define PARSE_MAX_NESTING 64                 /* scopes, parentheses, braces of an initialiser */
#define PARSE_MAX_REGS (1u << 20)            /* of one function */
#define PARSE_MAX_BYTES (UINT64_C(1) << 40)  /* of one variable or segment: sums cannot overflow */
#define PARSE_MAX_INIT (UINT64_C(256) << 20) /* initialised bytes of one module */
#define PARSE_MAX_ALIGN 65536u
#define PARSE_MAX_VECTOR 256u /* operands in one { }: tcgen05.ld has 128 */
#define PARSE_MAX_FILES 65536u

struct ptx_name {
    const char *text;
    uint32_t length, hash;
    struct ptx_pos pos;
};

/* Labels have their own name space, and so have `%r<10>` declarations, kept under `%r`. */
enum symbol_class { SYMBOL_NAME, SYMBOL_RANGE, SYMBOL_LABEL };

enum symbol_kind {
    SYMBOL_REG,       /* @index */
    SYMBOL_VECTOR,    /* @index: the first of @count components */
    SYMBOL_RANGE_OF,  /* @type, @count; @index: components of each, 1 if they are no vectors */
    SYMBOL_VAR,       /* @var */
    SYMBOL_FUNC,      /* @func */
    SYMBOL_TARGET,    /* label: @index of the instruction */
    SYMBOL_TARGETS,   /* .branchtargets: @targets, @count */
    SYMBOL_PROTOTYPE, /* .callprototype, .calltargets */
};

struct ptx_symbol {
    struct ptx_symbol *bucket_next, *scope_next;
    struct ptx_name name;
    uint8_t class, kind, depth, type;
    uint32_t index, count;
    union {
        struct ptx_var *var;
        struct ptx_func *func;
        struct ptx_operand *targets;
    };
};

struct symbol_table {
    struct ptx_symbol **bucket;
    unsigned bits;
    struct ptx_symbol *scope[PARSE_MAX_NESTING]; /* what each open scope declared */
    unsigned depth;                              /* 0 is the module */
    uint64_t ranges;                             /* bit d: scope d has a range */
    struct ptx_symbol *free;                     /* for the next function */
};

/* A branch target, or a list of them, that its scope's end will look up. */
struct label_use {
    uint32_t depth, inst;
    struct ptx_operand *targets; /* of .branchtargets, else NULL */
    uint32_t count;
};

/* An instruction with a name that nothing had declared yet. */
struct name_use {
    struct ptx_func *func;
    uint32_t inst;
};

struct reloc_use {
    struct ptx_reloc *reloc;
    struct ptx_name name;
};

struct alias_use {
    struct ptx_func *alias;
    struct ptx_name name;
};

/* One statement at module scope, for the linker. */
enum ptx_item_kind { PTX_ITEM_FUNC, PTX_ITEM_VAR, PTX_ITEM_ALIAS, PTX_ITEM_PRAGMA };

struct ptx_item {
    enum ptx_item_kind kind;
    struct ptx_name name;
    enum ptx_linkage linkage;
    bool defined, several; /* @several: one statement declares more than one variable */
    const char *start, *head_end, *end; /* @head_end: where the body or the initialiser starts */
    const char *rest;                   /* behind the linkage directive */
    size_t next;                        /* the linker: index + 1 of the next one of this name */
    const struct ptx_var *var;
};

/* A register of module scope as a function has it. */
struct module_reg {
    struct ptx_func *func;
    const char *name;
    uint32_t index;
    enum ptx_type type;
};

/* A token, to be read again from there. */
struct parse_place {
    struct ptx_lexer lexer;
    struct ptx_token token;
};

/* Directives of the function being read, for those that exclude or need each other. */
enum {
    PARSE_MAXNTID = 1,
    PARSE_REQNTID = 2,
    PARSE_REQNCTAPERCLUSTER = 4,
    PARSE_MAXCLUSTERRANK = 8,
    PARSE_BLOCKSARECLUSTERS = 16,
};

struct ptx_parser {
    struct ptx_lexer lexer;
    struct ptx_token token;
    const char *token_end; /* of the token before @token */
    const struct ptx_words *words;
    struct ptx_arena *arena, *scratch;
    struct ptx_module *module;
    struct ptx_error *error;
    jmp_buf failed;

    struct symbol_table symbols;
    struct ptx_func **funcs;
    struct ptx_var **vars;
    size_t n_funcs, cap_funcs, n_vars, cap_vars;
    const char **files;
    size_t n_files, cap_files;
    uint64_t init_bytes;
    unsigned nesting;           /* of expressions and initialisers */
    unsigned list;              /* elements of vectors and addresses: no register + constant */
    struct parse_place *places; /* where .reg stands in module scope */
    size_t n_places, cap_places;
    struct module_reg *module_regs;
    size_t n_module_regs, cap_module_regs;
    bool has_version, has_target;
    unsigned said; /* PARSE_ */

    /* the function being read; the arrays serve one function after the other */
    struct ptx_func *func;
    struct ptx_inst *inst;
    struct ptx_reg *regs;
    struct ptx_var **func_vars;
    size_t n_inst, cap_inst, n_regs, cap_regs, n_func_vars, cap_func_vars;
    uint32_t source_file, source_line, at_file, at_line;
    bool inst_has_label, inst_has_name; /* of the instruction being read */

    struct label_use *label_uses;
    struct name_use *name_uses;
    struct reloc_use *reloc_uses;
    struct alias_use *alias_uses;
    size_t n_label_uses, cap_label_uses, n_name_uses, cap_name_uses;
    size_t n_reloc_uses, cap_reloc_uses, n_alias_uses, cap_alias_uses;

    struct ptx_operand *operands; /* a list being read: call arguments, vector elements */
    struct ptx_name *names;
    struct ptx_reloc *relocs;
    unsigned char *bytes;
    size_t cap_operands, cap_names, n_relocs, cap_relocs, cap_bytes;

    struct ptx_item *items;
    size_t n_items, cap_items;
};

#define PARSE_PUSH(p, array)                                                                    \
    ((p)->array = ptx_grow((p)->array, (p)->n_##array, &(p)->cap_##array, sizeof(*(p)->array)), \
     &(p)->array[(p)->n_##array++])

/* parse.c: tokens and errors. Every file of the grammar calls these; they call none of them. */
_Noreturn void parse_fail(struct ptx_parser *p, struct ptx_pos pos, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
_Noreturn void parse_expected(struct ptx_parser *p, const char *what);
void parse_next(struct ptx_parser *p);
bool parse_is(const struct ptx_parser *p, uint64_t sign);
bool parse_accept(struct ptx_parser *p, uint64_t sign);
void parse_expect(struct ptx_parser *p, uint64_t sign, const char *where);
struct ptx_name parse_name(struct ptx_parser *p, const char *what);
const struct ptx_word *parse_word(const struct ptx_parser *p);
enum ptx_directive parse_directive(const struct ptx_parser *p);
void parse_nest(struct ptx_parser *p);
void parse_unnest(struct ptx_parser *p);
struct ptx_item *parse_item_add(struct ptx_parser *p, enum ptx_item_kind kind,
                                const struct ptx_name *name);

/* "%.*s" arguments of a name in a message: long ones are cut */
#define PARSE_QUOTE(name) (int)((name)->length < 60 ? (name)->length : 60), (name)->text
bool ptx_name_equal(const struct ptx_name *a, const struct ptx_name *b);

/* symbol.c */
void symbols_open(struct ptx_parser *p, size_t text_size);
void symbols_push(struct ptx_parser *p);
void symbols_pop(struct ptx_parser *p);
struct ptx_symbol *symbols_find(const struct ptx_parser *p, enum symbol_class class,
                                const struct ptx_name *name);
/* fails on a name that the same scope (or @depth) has already */
struct ptx_symbol *symbols_add(struct ptx_parser *p, enum symbol_class class, enum symbol_kind kind,
                               const struct ptx_name *name);
/* a register, range or vector, variable or function; NULL if nothing declares the name */
struct ptx_symbol *symbols_lookup(struct ptx_parser *p, const struct ptx_name *name);
uint32_t symbols_regs_new(struct ptx_parser *p, const struct ptx_name *name, uint32_t count,
                          enum ptx_type type);
uint32_t symbols_reg_new(struct ptx_parser *p, const struct ptx_name *name, const char *suffix,
                         enum ptx_type type);

/* constant.c: PTX ISA 4.5, 4.6 */
enum constant_kind { CONSTANT_INT, CONSTANT_F32, CONSTANT_F64 };
struct constant {
    enum constant_kind kind;
    bool is_unsigned;
    uint64_t bits;
};
bool constant_starts(const struct ptx_parser *p);
struct constant constant_parse(struct ptx_parser *p);
int64_t constant_parse_int(struct ptx_parser *p, const char *what);
uint64_t constant_parse_count(struct ptx_parser *p, const char *what, uint64_t max);

/* directive.c: what follows the word; the caller has read that */
void directive_version(struct ptx_parser *p);
void directive_target(struct ptx_parser *p);
void directive_address_size(struct ptx_parser *p);
void directive_file(struct ptx_parser *p);
void directive_pragma(struct ptx_parser *p, bool statement); /* else of a module or an entry */
void directive_section(struct ptx_parser *p);

/* variable.c */
struct ptx_var *variable_parse_param(struct ptx_parser *p);
void variable_parse_param_list(struct ptx_parser *p, struct ptx_var ***list, uint32_t *count,
                               bool declare);
void variable_unified_check(struct ptx_parser *p); /* always fails */
void variable_parse(struct ptx_parser *p, enum ptx_linkage linkage, const char *start);
void variable_parse_reg(struct ptx_parser *p);

/* initialiser.c */
struct initialiser_shape {
    uint64_t *dims; /* outermost first; dims[0] is 0 for x[] and set by the initialiser */
    unsigned n_dims;
};
void initialiser_parse(struct ptx_parser *p, struct ptx_var *var, struct initialiser_shape *shape);

/* function.c */
void function_parse(struct ptx_parser *p, enum ptx_linkage linkage, const char *start);

/* instruction.c, operand.c */
void instruction_parse(struct ptx_parser *p, const struct ptx_name *opcode, int32_t guard,
                       bool guard_negated);
void operand_parse(struct ptx_parser *p, struct ptx_operand *out);
uint32_t operand_parse_address(struct ptx_parser *p, struct ptx_operand *out, uint32_t max);
uint32_t operand_parse_list(struct ptx_parser *p, uint64_t close, const char *where,
                            struct ptx_operand **list);
void operand_label(struct ptx_parser *p, struct ptx_operand *out, const struct ptx_name *name);

/* resolve.c */
void resolve_labels(struct ptx_parser *p);
void resolve_names(struct ptx_parser *p);
void resolve_call_check(struct ptx_parser *p, const struct ptx_inst *inst);

/* parse_module.c */
/**
 * ptx_parser_run - parse @text into @p->module
 * @p: zeroed; released with ptx_parser_close() in either case, which leaves the module alone
 *
 * Return: false with @error if the text is wrong; the module is gone then.
 */
bool ptx_parser_run(struct ptx_parser *p, const char *text, size_t size, struct ptx_error *error);
void ptx_parser_close(struct ptx_parser *p);

/* source.c */
void source_lines(struct ptx_module *m);

/* module.c: makes ptx_func_find() and ptx_var_find() work */
void ptx_module_index(struct ptx_module *m);

/* layout.c, shared.c; false with a message and a place if a segment grows too large */
bool layout_module(struct ptx_module *m, struct ptx_error *error);
bool layout_shared(struct ptx_module *m, struct ptx_error *error);
bool layout_fail(struct ptx_error *error, struct ptx_pos pos, const char *segment,
                 const char *name);
uint64_t layout_round(uint64_t offset, uint32_t align);

/* A name that waits for its declaration sits where the elements of a vector would: no operand is
 * both, and a field of its own would make every operand of every program larger. */
static inline void operand_wait(struct ptx_operand *operand, const struct ptx_name *name)
{
    operand->element = (struct ptx_operand *)(void *)name;
}

static inline const struct ptx_name *operand_waits_for(const struct ptx_operand *operand)
{
    return operand->kind == PTX_OPERAND_VECTOR
               ? NULL
               : (const struct ptx_name *)(const void *)operand->element;
}

#endif
