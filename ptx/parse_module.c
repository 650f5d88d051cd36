/* SPDX-License-Identifier: MIT */
/* A module: its statements in order, PTX ISA 4.3 and 11.6, and what follows when the last one is
 * read. */
#include "ptx/parse.h"

#include <stdlib.h>
#include <string.h>

/* .alias new, old; 11.2.3: another name for a function that the module defines */
static void parse_alias(struct ptx_parser *p, const char *start)
{
    struct ptx_name name = parse_name(p, "the new name of a function");
    struct alias_use *use = PARSE_PUSH(p, alias_uses);
    struct ptx_symbol *s = symbols_find(p, SYMBOL_NAME, &name);
    struct ptx_item *item;

    if (s == NULL || s->kind != SYMBOL_FUNC || s->func->inst != NULL) {
        parse_fail(p, name.pos,
                   "'%.*s' cannot be an alias: expected a function that is declared "
                   "and has no body.",
                   PARSE_QUOTE(&name));
    }
    use->alias = s->func;
    parse_expect(p, ',', "after the first name of '.alias'");
    use->name = parse_name(p, "the name of a function");
    parse_expect(p, ';', "after '.alias'");
    item = parse_item_add(p, PTX_ITEM_ALIAS, &name);
    item->start = start;
    item->end = p->token_end;
}

static enum ptx_linkage parse_linkage(struct ptx_parser *p)
{
    enum ptx_linkage linkage;

    switch (parse_directive(p)) {
    case PTX_DIRECTIVE_VISIBLE:
        linkage = PTX_LINK_VISIBLE;
        break;
    case PTX_DIRECTIVE_WEAK:
        linkage = PTX_LINK_WEAK;
        break;
    case PTX_DIRECTIVE_EXTERN:
        linkage = PTX_LINK_EXTERN;
        break;
    case PTX_DIRECTIVE_COMMON:
        linkage = PTX_LINK_COMMON;
        break;
    default:
        return PTX_LINK_NONE;
    }
    parse_next(p);
    return linkage;
}

static void parse_declaration(struct ptx_parser *p)
{
    const char *start = p->token.text - 1;
    enum ptx_linkage linkage = parse_linkage(p);

    switch (parse_directive(p)) {
    case PTX_DIRECTIVE_ENTRY:
    case PTX_DIRECTIVE_FUNC:
        function_parse(p, linkage, start);
        return;
    case PTX_DIRECTIVE_CONST:
    case PTX_DIRECTIVE_SHARED:
    case PTX_DIRECTIVE_LOCAL: /* of old compilers: one copy a thread */
        if (linkage == PTX_LINK_COMMON) {
            parse_expected(p, ".global after .common");
        }
        variable_parse(p, linkage, start);
        return;
    case PTX_DIRECTIVE_GLOBAL:
        variable_parse(p, linkage, start);
        return;
    default:
        break;
    }
    parse_expected(p, linkage != PTX_LINK_NONE
                          ? ".entry, .func, .global, .const or .shared after a linkage directive"
                          : "a directive of module scope, such as .entry, .func or .global");
}

/* Registers of module scope are of compilers without an ABI. ptxas 13.0 refuses them, a driver
 * takes them (H200, 580.159.04). Each kernel has its own: from one to the next they carry nothing.
 * Its functions share them (module_regs_pass()). */
static void parse_module_reg(struct ptx_parser *p)
{
    *PARSE_PUSH(p, places) = (struct parse_place){ p->lexer, p->token };
    while (!parse_is(p, ';')) {
        if (p->token.kind == PTX_TOKEN_END) {
            parse_expected(p, "';' after registers");
        }
        parse_next(p);
    }
    parse_next(p);
}

static void parse_statement(struct ptx_parser *p)
{
    enum ptx_directive directive = parse_directive(p);
    const char *start = p->token.text - 1;
    struct ptx_name none = { 0 };
    struct ptx_item *item;

    switch (directive) {
    case PTX_DIRECTIVE_REG:
        parse_module_reg(p);
        return;
    case PTX_DIRECTIVE_VERSION:
        parse_next(p);
        directive_version(p);
        return;
    case PTX_DIRECTIVE_TARGET:
        parse_next(p);
        directive_target(p);
        return;
    case PTX_DIRECTIVE_ADDRESS_SIZE:
        parse_next(p);
        directive_address_size(p);
        return;
    case PTX_DIRECTIVE_FILE:
        parse_next(p);
        directive_file(p);
        return;
    case PTX_DIRECTIVE_SECTION:
        parse_next(p);
        directive_section(p);
        return;
    case PTX_DIRECTIVE_PRAGMA:
        parse_next(p);
        directive_pragma(p, false);
        item = parse_item_add(p, PTX_ITEM_PRAGMA, &none);
        item->start = start;
        item->end = p->token_end;
        return;
    case PTX_DIRECTIVE_ALIAS:
        parse_next(p);
        parse_alias(p, start);
        return;
    default:
        parse_declaration(p);
    }
}

static void parse_module(struct ptx_parser *p)
{
    parse_next(p);
    if (parse_directive(p) != PTX_DIRECTIVE_VERSION) {
        parse_expected(p, "'.version', the first directive of every PTX module");
    }
    parse_statement(p);
    if (parse_directive(p) != PTX_DIRECTIVE_TARGET) {
        parse_expected(p, "'.target', the second directive of every PTX module");
    }
    while (p->token.kind != PTX_TOKEN_END) {
        parse_statement(p);
    }
}

static uint32_t module_reg_index(struct ptx_parser *p, struct ptx_func *f,
                                 const struct module_reg *of)
{
    struct ptx_reg *regs;

    for (size_t i = 0; i < p->n_module_regs; i++) {
        const struct module_reg *r = &p->module_regs[i];

        if (r->func == f && strcmp(r->name, of->name) == 0) {
            return r->index;
        }
    }
    regs = ptx_arena_alloc(p->arena, (f->n_regs + 1) * sizeof(*regs));
    if (f->n_regs) {
        memcpy(regs, f->regs, f->n_regs * sizeof(*regs));
    }
    regs[f->n_regs] = (struct ptx_reg){ of->name, of->type };
    f->regs = regs;
    return f->n_regs++;
}

/* @list with @n more behind its @count */
static void *module_regs_behind(struct ptx_parser *p, const void *list, uint32_t count,
                                const void *more, uint32_t n, size_t size)
{
    char *all = ptx_arena_alloc(p->arena, (count + n) * size);

    if (count) {
        memcpy(all, list, count * size);
    }
    memcpy(all + count * size, more, n * size);
    return all;
}

/* Without an ABI nothing stands for a function that is not known. */
static void module_regs_call(struct ptx_parser *p, const struct ptx_inst *inst,
                             const struct ptx_operand *operands, uint32_t n)
{
    struct ptx_call *c = inst->call;

    if (!c->target || c->target->is_extern) {
        parse_fail(
            p, inst->pos,
            "A module with registers of its own has direct calls of its own functions only.");
    }
    c->args = module_regs_behind(p, c->args, c->n_args, operands, n, sizeof(*operands));
    c->rets = module_regs_behind(p, c->rets, c->n_rets, operands, n, sizeof(*operands));
    c->n_args += n;
    c->n_rets += n;
}

/* The registers @of of a module, as @f has them: parameters and results behind its own. */
static void module_regs_share(struct ptx_parser *p, struct ptx_func *f,
                              const struct module_reg *const *of, uint32_t n)
{
    struct ptx_operand *operands = ptx_arena_alloc(p->arena, n * sizeof(*operands));
    uint32_t calls = 0;
    struct ptx_var *vars = ptx_arena_alloc(p->arena, n * sizeof(*vars));
    struct ptx_var **list = ptx_arena_alloc(p->arena, n * sizeof(struct ptx_var *));

    for (uint32_t i = 0; i < f->n_inst; i++) {
        calls += f->inst[i].op == PTX_OP_CALL && f->inst[i].call;
    }
    if (f->is_entry && !calls) {
        return;
    }
    for (uint32_t i = 0; i < n; i++) {
        uint32_t index = module_reg_index(p, f, of[i]),
                 size = of[i]->type == PTX_PRED ? 4 : ptx_type_size(of[i]->type);

        operands[i] = (struct ptx_operand){ .kind = PTX_OPERAND_REG, .reg = (int32_t)index };
        vars[i] = (struct ptx_var){ .name = of[i]->name,
                                    .type = of[i]->type,
                                    .space = PTX_SPACE_REG,
                                    .size = size,
                                    .align = size,
                                    .offset = index,
                                    .pos = f->pos };
        list[i] = &vars[i];
    }
    if (!f->is_entry) {
        f->params = module_regs_behind(p, f->params, f->n_params, list, n, sizeof(*list));
        f->rets = module_regs_behind(p, f->rets, f->n_rets, list, n, sizeof(*list));
        f->n_params += n;
        f->n_rets += n;
    }
    for (uint32_t i = 0; calls && i < f->n_inst; i++) {
        if (f->inst[i].op == PTX_OP_CALL && f->inst[i].call) {
            module_regs_call(p, &f->inst[i], operands, n);
        }
    }
}

/* Each function has registers of its own here, so those of the module go into each call and come
 * back from it: there is no recursion without an ABI. */
static void module_regs_pass(struct ptx_parser *p)
{
    const struct module_reg **of =
        ptx_arena_alloc(p->scratch, (p->n_module_regs + 1) * sizeof(struct module_reg *));
    uint32_t n = 0;

    for (size_t i = 0; i < p->n_module_regs; i++) {
        uint32_t k = 0;

        while (k < n && strcmp(of[k]->name, p->module_regs[i].name) != 0) {
            k++;
        }
        of[k] = &p->module_regs[i];
        n += k == n;
    }
    for (size_t i = 0; n && i < p->n_funcs; i++) {
        if (!p->funcs[i]->is_extern) {
            module_regs_share(p, p->funcs[i], of, n);
        }
    }
}

static void parse_finish(struct ptx_parser *p)
{
    struct ptx_module *m = p->module;
    struct ptx_error error;

    resolve_names(p);
    module_regs_pass(p);
    m->funcs = ptx_arena_copy(p->arena, p->funcs, p->n_funcs * sizeof(*p->funcs));
    m->n_funcs = (uint32_t)p->n_funcs;
    m->vars = ptx_arena_copy(p->arena, p->vars, p->n_vars * sizeof(*p->vars));
    m->n_vars = (uint32_t)p->n_vars;
    m->files = ptx_arena_copy(p->arena, p->files, p->n_files * sizeof(*p->files));
    m->n_files = (uint32_t)p->n_files;
    ptx_module_index(m);
    source_lines(m);
    if (!layout_module(m, &error)) {
        parse_fail(p, error.pos, "%s", error.text);
    }
}

bool ptx_parser_run(struct ptx_parser *p, const char *text, size_t size, struct ptx_error *error)
{
    static const struct ptx_pos first = { 1, 1 };

    p->arena = ptx_arena_new();
    p->scratch = ptx_arena_new();
    p->error = error;
    p->module = ptx_arena_alloc(p->arena, sizeof(*p->module));
    p->module->arena = p->arena;
    p->module->address_size = 64; /* without the directive: that of the host, as ptxas has it */
    if (setjmp(p->failed) != 0) {
        ptx_arena_free(p->arena);
        p->module = NULL;
        return false;
    }
    if (size > PTX_TEXT_MAX) {
        parse_fail(p, first, "The text has %zu bytes; the limit is %zu.", size, PTX_TEXT_MAX);
    }
    ptx_lex_open(&p->lexer, text, size);
    p->words = ptx_words();
    symbols_open(p, (size_t)(p->lexer.end - p->lexer.start));
    parse_module(p);
    parse_finish(p);
    return true;
}

void ptx_parser_close(struct ptx_parser *p)
{
    ptx_arena_free(p->scratch);
    free(p->funcs);
    free(p->vars);
    free(p->files);
    free(p->places);
    free(p->module_regs);
    free(p->inst);
    free(p->regs);
    free(p->func_vars);
    free(p->label_uses);
    free(p->name_uses);
    free(p->reloc_uses);
    free(p->alias_uses);
    free(p->operands);
    free(p->names);
    free(p->relocs);
    free(p->bytes);
    free(p->items);
}

struct ptx_module *ptx_parse(const char *text, size_t size, struct ptx_error *error)
{
    struct ptx_parser p = { 0 };

    ptx_parser_run(&p, text, size, error);
    ptx_parser_close(&p);
    return p.module;
}
