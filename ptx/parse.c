/* SPDX-License-Identifier: MIT */
/* Tokens, errors and the directives at module scope, PTX ISA 4.3 and chapter 11. */
#include "ptx/parse.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void parse_fail(struct ptx_parser *p, struct ptx_pos pos, const char *format, ...)
{
    va_list args;

    if (p->error != NULL) {
        p->error->pos = pos;
        va_start(args, format);
        vsnprintf(p->error->text, sizeof(p->error->text), format, args);
        va_end(args);
        /* Names come from the text, whose bytes may be anything: one printable line is promised. */
        for (char *c = p->error->text; *c != 0; c++) {
            *c = (unsigned char)*c < 0x20 || (unsigned char)*c > 0x7e ? '?' : *c;
        }
    }
    longjmp(p->failed, 1);
}

static _Noreturn void parse_fail_lex(struct ptx_parser *p)
{
    const struct ptx_token *t = &p->token;

    switch ((enum ptx_lex_fault)t->value) {
    case PTX_LEX_NUMBER:
        parse_fail(p, t->pos,
                   "'%.*s' is not a constant: expected digits of its base, or exactly 8 "
                   "hexadecimal digits after 0f and 16 after 0d.",
                   PARSE_QUOTE(t));
    case PTX_LEX_RANGE:
        parse_fail(p, t->pos, "The constant '%.*s' does not fit into 64 bits.", PARSE_QUOTE(t));
    case PTX_LEX_STRING:
        parse_fail(p, t->pos, "This string has no closing '\"' in its line.");
    case PTX_LEX_COMMENT:
        parse_fail(p, t->pos, "This comment has no closing '*/'.");
    case PTX_LEX_CHARACTER:
        break;
    }
    parse_fail(p, t->pos, "The character 0x%02x starts no PTX token.", (unsigned char)*t->text);
}

void parse_expected(struct ptx_parser *p, const char *what)
{
    const struct ptx_token *t = &p->token;

    if (t->kind == PTX_TOKEN_END) {
        parse_fail(p, t->pos, "The text ends here; expected %s.", what);
    }
    parse_fail(p, t->pos, "Found '%s%.*s'; expected %s.", t->kind == PTX_TOKEN_DOT ? "." : "",
               PARSE_QUOTE(t), what);
}

void parse_next(struct ptx_parser *p)
{
    p->token_end = p->lexer.at;
    ptx_lex_next(&p->lexer, &p->token);
    if (p->token.kind == PTX_TOKEN_BAD) {
        parse_fail_lex(p);
    }
}

bool parse_is(const struct ptx_parser *p, uint64_t sign)
{
    return p->token.kind == PTX_TOKEN_SIGN && p->token.value == sign;
}

bool parse_accept(struct ptx_parser *p, uint64_t sign)
{
    if (!parse_is(p, sign)) {
        return false;
    }
    parse_next(p);
    return true;
}

void parse_expect(struct ptx_parser *p, uint64_t sign, const char *where)
{
    char what[120];

    if (!parse_accept(p, sign)) {
        snprintf(what, sizeof(what), "'%c' %s", (char)sign, where);
        parse_expected(p, what);
    }
}

struct ptx_name parse_name(struct ptx_parser *p, const char *what)
{
    const struct ptx_token *t = &p->token;
    struct ptx_name name = { t->text, t->length, t->hash, t->pos };

    if (t->kind != PTX_TOKEN_NAME) {
        parse_expected(p, what);
    }
    parse_next(p);
    return name;
}

const struct ptx_word *parse_word(const struct ptx_parser *p)
{
    static const struct ptx_word none;
    const struct ptx_word *word;

    word = ptx_words_find(p->words, p->token.text, p->token.length, p->token.hash);
    return word != NULL ? word : &none;
}

enum ptx_directive parse_directive(const struct ptx_parser *p)
{
    return p->token.kind == PTX_TOKEN_DOT ? (enum ptx_directive)parse_word(p)->directive
                                          : PTX_DIRECTIVE_NONE;
}

void parse_nest(struct ptx_parser *p)
{
    if (++p->nesting > PARSE_MAX_NESTING) {
        parse_fail(p, p->token.pos, "This is nested deeper than %d levels.", PARSE_MAX_NESTING);
    }
}

void parse_unnest(struct ptx_parser *p)
{
    p->nesting--;
}

struct ptx_item *parse_item_add(struct ptx_parser *p, enum ptx_item_kind kind,
                                const struct ptx_name *name)
{
    struct ptx_item *item = PARSE_PUSH(p, items);

    *item = (struct ptx_item){ .kind = kind, .name = *name };
    return item;
}

/* .version major.minor, 11.1.1. The lexer sees a floating-point constant. */
static void parse_version(struct ptx_parser *p)
{
    const char *c = p->token.text, *end = c + p->token.length;
    uint32_t major = 0, minor = 0;
    bool ok = p->token.kind == PTX_TOKEN_F64 && p->token.length <= 5;

    for (; ok && c < end && *c != '.'; c++) {
        ok = *c >= '0' && *c <= '9';
        major = major * 10 + (uint32_t)(*c - '0');
    }
    if (!ok || end - c != 2 || c[1] < '0' || c[1] > '9') {
        parse_expected(p, "a version such as 8.3 after '.version'");
    }
    minor = (uint32_t)(c[1] - '0');
    p->module->version = major * 10 + minor;
    p->has_version = true;
    parse_next(p);
}

/* sm_87, sm_110a; compute_87 in what some tools write. */
static bool parse_target_sm(struct ptx_parser *p, const struct ptx_name *name)
{
    uint32_t sm = 0, at = 3;

    if (name->length < 4 || name->length > 7 || memcmp(name->text, "sm_", 3) != 0) {
        return false;
    }
    for (; at < name->length && name->text[at] >= '0' && name->text[at] <= '9'; at++) {
        sm = sm * 10 + (uint32_t)(name->text[at] - '0');
    }
    p->target_suffix = 0;
    if (at + 1 == name->length && (name->text[at] == 'a' || name->text[at] == 'f')) {
        p->target_suffix = name->text[at++];
    }
    p->module->target_sm = sm;
    p->has_target = true;
    return at == name->length;
}

/* .target, 11.1.2 */
static void parse_target(struct ptx_parser *p)
{
    static const char *const options[] = { "texmode_unified", "texmode_independent", "debug",
                                           "map_f64_to_f32" };

    do {
        struct ptx_name name = parse_name(p, "a target such as sm_87 after '.target'");
        bool known = parse_target_sm(p, &name);

        for (size_t i = 0; !known && i < sizeof(options) / sizeof(options[0]); i++) {
            known = strlen(options[i]) == name.length &&
                    memcmp(options[i], name.text, name.length) == 0;
            p->module->debug |= known && strcmp(options[i], "debug") == 0;
        }
        if (!known) {
            parse_fail(p, name.pos,
                       "Unknown target '%.*s'; expected sm_ and a number, such as "
                       "sm_87.",
                       PARSE_QUOTE(&name));
        }
    } while (parse_accept(p, ','));
}

static void parse_address_size(struct ptx_parser *p)
{
    if (p->token.kind != PTX_TOKEN_INT || (p->token.value != 32 && p->token.value != 64)) {
        parse_expected(p, "32 or 64 after '.address_size'");
    }
    p->module->address_size = (uint32_t)p->token.value;
    parse_next(p);
}

/* .file index "name" [, timestamp, size], 11.5.3 */
void parse_file(struct ptx_parser *p)
{
    uint64_t index = constant_parse_count(p, "the index of a source file", PARSE_MAX_FILES);

    while (p->n_files <= index) {
        *PARSE_PUSH(p, files) = NULL;
    }
    if (p->token.kind != PTX_TOKEN_STRING) {
        parse_expected(p, "a file name in quotes");
    }
    p->files[index] = ptx_arena_text(p->arena, p->token.text, p->token.length);
    parse_next(p);
    while (parse_accept(p, ',')) {
        constant_parse_int(p, "a timestamp or a file size");
    }
}

void parse_pragma(struct ptx_parser *p)
{
    do {
        if (p->token.kind != PTX_TOKEN_STRING) {
            parse_expected(p, "a string after '.pragma'");
        }
        parse_next(p);
    } while (parse_accept(p, ','));
    parse_expect(p, ';', "after '.pragma'");
}

/* .section .debug_str { ... }, 11.5.2: for a debugger, nothing in it runs. */
static void parse_section(struct ptx_parser *p)
{
    struct ptx_pos pos = p->token.pos;

    if (p->token.kind != PTX_TOKEN_DOT && p->token.kind != PTX_TOKEN_NAME) {
        parse_expected(p, "the name of a section");
    }
    parse_next(p);
    if (!parse_is(p, '{')) {
        parse_expected(p, "'{' after the name of a section");
    }
    if (!ptx_lex_skip_block(&p->lexer)) {
        parse_fail(p, pos, "This section has no closing '}'.");
    }
    parse_next(p);
}

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
    case PTX_DIRECTIVE_GLOBAL:
    case PTX_DIRECTIVE_CONST:
    case PTX_DIRECTIVE_SHARED:
        variable_parse(p, linkage, start);
        return;
    default:
        break;
    }
    parse_expected(p, linkage != PTX_LINK_NONE
                          ? ".entry, .func, .global, .const or .shared after a linkage directive"
                          : "a directive of module scope, such as .entry, .func or .global");
}

static void parse_statement(struct ptx_parser *p)
{
    enum ptx_directive directive = parse_directive(p);
    const char *start = p->token.text - 1;
    struct ptx_name none = { 0 };
    struct ptx_item *item;

    switch (directive) {
    case PTX_DIRECTIVE_VERSION:
        parse_next(p);
        parse_version(p);
        return;
    case PTX_DIRECTIVE_TARGET:
        parse_next(p);
        parse_target(p);
        return;
    case PTX_DIRECTIVE_ADDRESS_SIZE:
        parse_next(p);
        parse_address_size(p);
        return;
    case PTX_DIRECTIVE_FILE:
        parse_next(p);
        parse_file(p);
        return;
    case PTX_DIRECTIVE_SECTION:
        parse_next(p);
        parse_section(p);
        return;
    case PTX_DIRECTIVE_PRAGMA:
        parse_next(p);
        parse_pragma(p);
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
    p->module->address_size = 32; /* 11.1.3: when the directive is missing */
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
