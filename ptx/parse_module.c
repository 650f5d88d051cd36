/* SPDX-License-Identifier: MIT */
/* A module: its statements in order, PTX ISA 4.3 and 11.6, and what follows when the last one is
 * read. */
#include "ptx/parse.h"

#include <stdlib.h>

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
 * takes them (H200, 580.159.04). Each entry has its own: there is nothing that they could carry. */
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
        directive_pragma(p);
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

static void parse_finish(struct ptx_parser *p)
{
    struct ptx_module *m = p->module;
    struct ptx_error error;

    resolve_names(p);
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
