/* SPDX-License-Identifier: MIT */
/* .entry and .func with what stands in their bodies, PTX ISA 11.2 to 11.5. */
#include <string.h>

#include "ptx/parse.h"

static void function_statement(struct ptx_parser *p);

/* Up to three counts, missing ones 1: .maxntid 16, 16 */
static void function_counts(struct ptx_parser *p, uint32_t count[3])
{
    unsigned n = 0;

    parse_next(p);
    count[0] = count[1] = count[2] = 1;
    do {
        if (n == 3) {
            parse_fail(p, p->token.pos, "Found a fourth dimension; expected at most three.");
        }
        count[n++] = (uint32_t)constant_parse_count(p, "a number of threads", UINT32_MAX);
    } while (parse_accept(p, ','));
}

static uint32_t function_count(struct ptx_parser *p)
{
    parse_next(p);
    return (uint32_t)constant_parse_count(p, "a count after this directive", UINT32_MAX);
}

/* 11.7: directives of clusters */
static void function_cluster(struct ptx_parser *p, unsigned what)
{
    if (p->module->target_sm < 90 || p->module->version < 78) {
        parse_fail(p, p->token.pos,
                   "This directive of clusters requires .target sm_90 and .version 7.8 or higher, "
                   "not sm_%u and %u.%u (PTX ISA 11.7).",
                   p->module->target_sm, p->module->version / 10, p->module->version % 10);
    }
    p->said |= what;
}

/* What excludes each other, and what needs another, in the directives of a function: ptxas 13.0 */
static void function_directives_check(struct ptx_parser *p, const struct ptx_func *func)
{
    const unsigned blocks = PARSE_REQNTID | PARSE_REQNCTAPERCLUSTER;

    if ((p->said & PARSE_MAXNTID) && (p->said & PARSE_REQNTID)) {
        parse_fail(p, func->pos, ".maxntid and .reqntid exclude each other (PTX ISA 11.4).");
    }
    if ((p->said & PARSE_MAXCLUSTERRANK) && (p->said & PARSE_REQNCTAPERCLUSTER)) {
        parse_fail(p, func->pos,
                   ".reqnctapercluster and .maxclusterrank exclude each other (PTX ISA 11.7).");
    }
    if ((p->said & PARSE_BLOCKSARECLUSTERS) && (p->said & blocks) != blocks) {
        parse_fail(p, func->pos,
                   ".blocksareclusters requires .reqntid and .reqnctapercluster (PTX ISA 11.7.4).");
    }
    if (((p->said & PARSE_MAXNTID) && !func->maxntid[0]) ||
        ((p->said & PARSE_REQNTID) && !func->reqntid[0])) {
        parse_fail(p, func->pos, "A block has at least one thread (PTX ISA 11.4).");
    }
}

/* Performance directives between header and body, 11.4 and 11.7. Return: false if there is none. */
static bool function_directive(struct ptx_parser *p, struct ptx_func *func)
{
    switch (parse_directive(p)) {
    case PTX_DIRECTIVE_MAXNTID:
        p->said |= PARSE_MAXNTID;
        function_counts(p, func->maxntid);
        return true;
    case PTX_DIRECTIVE_REQNTID:
        p->said |= PARSE_REQNTID;
        function_counts(p, func->reqntid);
        return true;
    case PTX_DIRECTIVE_MINNCTAPERSM:
        func->minnctapersm = function_count(p);
        return true;
    case PTX_DIRECTIVE_MAXNREG:
        func->maxnreg = function_count(p);
        return true;
    case PTX_DIRECTIVE_REQNCTAPERCLUSTER:
        function_cluster(p, PARSE_REQNCTAPERCLUSTER);
        function_counts(p, func->cluster);
        return true;
    case PTX_DIRECTIVE_MAXNCTAPERSM: /* deprecated name of .minnctapersm */
        if (p->module->version >= 21) {
            parse_fail(p, p->token.pos,
                       ".maxnctapersm is gone from .version 2.1 on; write "
                       ".minnctapersm (PTX ISA 11.4.5).");
        }
        func->minnctapersm = function_count(p);
        return true;
    case PTX_DIRECTIVE_MAXCLUSTERRANK:
        function_cluster(p, PARSE_MAXCLUSTERRANK);
        func->maxclusterrank = function_count(p);
        return true;
    case PTX_DIRECTIVE_ABI_PRESERVE:
    case PTX_DIRECTIVE_ABI_PRESERVE_CONTROL:
        function_count(p);
        return true;
    case PTX_DIRECTIVE_NORETURN:
        func->noreturn = true;
        parse_next(p);
        return true;
    case PTX_DIRECTIVE_EXPLICITCLUSTER:
        function_cluster(p, 0);
        func->explicit_cluster = true;
        parse_next(p);
        return true;
    case PTX_DIRECTIVE_BLOCKSARECLUSTERS:
        function_cluster(p, PARSE_BLOCKSARECLUSTERS);
        parse_next(p);
        return true;
    case PTX_DIRECTIVE_PRAGMA:
        if (!func->is_entry) {
            parse_fail(p, p->token.pos,
                       "Only a kernel has a .pragma before its body (PTX ISA 11.7).");
        }
        parse_next(p);
        directive_pragma(p, false);
        return true;
    default:
        return false;
    }
}

/* The function of this name, new unless it was declared before. */
static struct ptx_func *function_declare(struct ptx_parser *p, const struct ptx_name *name,
                                         bool is_entry)
{
    struct ptx_symbol *s = symbols_find(p, SYMBOL_NAME, name);
    struct ptx_func *func;

    if (s != NULL && s->depth == 0 && s->kind == SYMBOL_FUNC && s->func->is_entry == is_entry) {
        return s->func;
    }
    s = symbols_add(p, SYMBOL_NAME, SYMBOL_FUNC, name);
    func = ptx_arena_alloc(p->arena, sizeof(*func));
    func->name = ptx_arena_text(p->arena, name->text, name->length);
    func->is_entry = is_entry;
    func->is_extern = true; /* until a body comes */
    func->pos = name->pos;
    func->index = (uint32_t)p->n_funcs;
    *PARSE_PUSH(p, funcs) = func;
    s->func = func;
    return func;
}

/* As ptxas 13.0 has it ("Multiple return parameters require .register state space"). */
static void function_results_check(struct ptx_parser *p, struct ptx_var **rets, uint32_t n)
{
    for (uint32_t i = 0; n > 1 && i < n; i++) {
        if (rets[i]->space == PTX_SPACE_PARAM) {
            parse_fail(
                p, rets[i]->pos,
                "Found %u results, one of them in .param memory; several results must all be "
                "registers (.reg).",
                n);
        }
    }
}

/* name: .callprototype (.param .b32 _) _ (.param .b64 _) .noreturn; 11.3.3. The arguments of the
 * call say the same again, so only the syntax is checked. */
static void function_prototype(struct ptx_parser *p)
{
    struct ptx_func unused = { 0 };
    struct ptx_var **params;
    uint32_t n;

    if (parse_accept(p, '(')) {
        variable_parse_param_list(p, &params, &n, false);
        function_results_check(p, params, n);
    }
    parse_name(p, "'_' in a call prototype");
    if (parse_accept(p, '(')) {
        variable_parse_param_list(p, &params, &n, false);
    }
    while (function_directive(p, &unused)) {
    }
    parse_expect(p, ';', "after a call prototype");
}

/* name: .branchtargets L1, L2; 11.3.1 */
static void function_branch_targets(struct ptx_parser *p, struct ptx_symbol *s)
{
    struct label_use *use;
    size_t n = 0;

    do {
        struct ptx_name label = parse_name(p, "a label");

        p->operands = ptx_grow(p->operands, n, &p->cap_operands, sizeof(*p->operands));
        operand_label(p, &p->operands[n++], &label);
    } while (parse_accept(p, ','));
    parse_expect(p, ';', "or ',' after a branch target");
    s->targets = ptx_arena_copy(p->arena, p->operands, n * sizeof(*p->operands));
    s->count = (uint32_t)n;
    use = PARSE_PUSH(p, label_uses);
    *use = (struct label_use){ p->symbols.depth, 0, s->targets, s->count };
}

static void function_call_targets(struct ptx_parser *p)
{
    do {
        parse_name(p, "the name of a function");
    } while (parse_accept(p, ','));
    parse_expect(p, ';', "or ',' after a call target");
}

static void function_label(struct ptx_parser *p, const struct ptx_name *name)
{
    struct ptx_symbol *s = symbols_add(p, SYMBOL_LABEL, SYMBOL_TARGET, name);

    s->index = (uint32_t)p->n_inst;
    switch (parse_directive(p)) {
    case PTX_DIRECTIVE_CALLPROTOTYPE:
        s->kind = SYMBOL_PROTOTYPE;
        parse_next(p);
        function_prototype(p);
        break;
    case PTX_DIRECTIVE_CALLTARGETS:
        s->kind = SYMBOL_PROTOTYPE;
        parse_next(p);
        function_call_targets(p);
        break;
    case PTX_DIRECTIVE_BRANCHTARGETS:
        s->kind = SYMBOL_TARGETS;
        parse_next(p);
        function_branch_targets(p, s);
        break;
    default:
        break;
    }
}

static bool function_loc_note(struct ptx_parser *p, const char *word)
{
    const struct ptx_token *t = &p->token;

    if (t->kind != PTX_TOKEN_NAME || t->length != strlen(word) ||
        memcmp(t->text, word, t->length)) {
        return false;
    }
    parse_next(p);
    return true;
}

/* .loc file line column [, function_name label [+ n], inlined_at file line column], 11.5.4 */
static void function_loc(struct ptx_parser *p)
{
    static const char *const inlined_at = "a file, a line and a column";

    p->source_file = (uint32_t)constant_parse_count(p, "the index of a file", PARSE_MAX_FILES);
    p->source_line = (uint32_t)constant_parse_count(p, "a source line", UINT32_MAX);
    constant_parse_count(p, "a source column", UINT32_MAX);
    p->at_file = p->at_line = 0;
    while (parse_accept(p, ',')) {
        if (function_loc_note(p, "function_name")) {
            parse_name(p, "a label after 'function_name'");
            if (parse_is(p, '+')) {
                constant_parse_int(p, "an offset");
            }
        } else if (function_loc_note(p, "inlined_at")) {
            p->at_file = (uint32_t)constant_parse_count(p, inlined_at, PARSE_MAX_FILES);
            p->at_line = (uint32_t)constant_parse_count(p, inlined_at, UINT32_MAX);
            constant_parse_count(p, inlined_at, UINT32_MAX);
        } else {
            parse_expected(p, "'function_name' or 'inlined_at'");
        }
    }
}

static void function_body_directive(struct ptx_parser *p)
{
    switch (parse_directive(p)) {
    case PTX_DIRECTIVE_REG:
        variable_parse_reg(p);
        return;
    case PTX_DIRECTIVE_LOCAL:
    case PTX_DIRECTIVE_SHARED:
    case PTX_DIRECTIVE_PARAM:
    case PTX_DIRECTIVE_GLOBAL:
    case PTX_DIRECTIVE_CONST:
        variable_parse(p, PTX_LINK_NONE, p->token.text);
        return;
    case PTX_DIRECTIVE_EXTERN: /* .extern .shared in a body, as some inline assembly has it */
        parse_next(p);
        if (parse_directive(p) != PTX_DIRECTIVE_SHARED) {
            parse_expected(p, ".shared after .extern in a function");
        }
        variable_parse(p, PTX_LINK_EXTERN, p->token.text);
        return;
    case PTX_DIRECTIVE_LOC:
        parse_next(p);
        function_loc(p);
        return;
    case PTX_DIRECTIVE_FILE:
        parse_next(p);
        directive_file(p);
        return;
    case PTX_DIRECTIVE_PRAGMA:
        parse_next(p);
        directive_pragma(p, true);
        return;
    default:
        parse_fail(p, p->token.pos,
                   "'.%.*s' is no directive of a function body; expected .reg, "
                   ".local, .shared, .param, .loc or .pragma.",
                   PARSE_QUOTE(&p->token));
    }
}

static void function_guarded(struct ptx_parser *p)
{
    bool negated = parse_accept(p, '!');
    struct ptx_name name = parse_name(p, "a predicate register after '@'");
    struct ptx_symbol *s = symbols_lookup(p, &name);
    struct ptx_name opcode;

    if (s == NULL) {
        parse_fail(p, name.pos, "The predicate '%.*s' is not declared.", PARSE_QUOTE(&name));
    }
    if (s->kind != SYMBOL_REG || s->type != PTX_PRED) {
        parse_fail(p, name.pos, "'%.*s' is no .pred register; '@' expects one.",
                   PARSE_QUOTE(&name));
    }
    opcode = parse_name(p, "an instruction after its predicate");
    instruction_parse(p, &opcode, (int32_t)s->index, negated);
}

/* Statements up to and with '}'; the '{' is read. Iterative, so that nesting costs no stack. */
static void function_block(struct ptx_parser *p)
{
    unsigned outer = p->symbols.depth;

    for (;;) {
        if (parse_accept(p, '{')) {
            symbols_push(p);
        } else if (parse_is(p, '}')) {
            resolve_labels(p);
            if (p->symbols.depth == outer) {
                return; /* the caller closes its scope and reads on */
            }
            symbols_pop(p);
            parse_next(p);
        } else {
            function_statement(p);
        }
    }
}

static void function_statement(struct ptx_parser *p)
{
    struct ptx_name name;

    if (parse_accept(p, '@')) {
        function_guarded(p);
        return;
    }
    if (p->token.kind == PTX_TOKEN_DOT) {
        function_body_directive(p);
        return;
    }
    name = parse_name(p, "an instruction, a label, a directive or '}'");
    if (parse_accept(p, ':')) {
        function_label(p, &name);
    } else {
        instruction_parse(p, &name, -1, false);
    }
}

static void function_finish_body(struct ptx_parser *p)
{
    struct ptx_func *func = p->func;

    func->inst = ptx_arena_copy(p->arena, p->inst, p->n_inst * sizeof(*p->inst));
    func->n_inst = (uint32_t)p->n_inst;
    func->regs = ptx_arena_copy(p->arena, p->regs, p->n_regs * sizeof(*p->regs));
    func->n_regs = (uint32_t)p->n_regs;
    func->vars = ptx_arena_copy(p->arena, p->func_vars, p->n_func_vars * sizeof(*p->func_vars));
    func->n_vars = (uint32_t)p->n_func_vars;
    func->is_extern = false;
}

/* (ret) name (params) */
static void function_signature(struct ptx_parser *p, struct ptx_func *head, bool is_entry,
                               struct ptx_name *name)
{
    p->func = head; /* for messages, until the name is known */
    head->name = "?";
    head->is_entry = is_entry;
    if (!is_entry && parse_directive(p) == PTX_DIRECTIVE_ATTRIBUTE) {
        parse_next(p);
        parse_expect(p, '(', "after '.attribute'");
        variable_unified_check(p); /* functions have no other attribute */
    }
    if (!is_entry && parse_accept(p, '(')) {
        variable_parse_param_list(p, &head->rets, &head->n_rets, true);
        function_results_check(p, head->rets, head->n_rets);
    }
    *name = parse_name(p, is_entry ? "the name of an entry" : "the name of a function");
    if (parse_accept(p, '(')) {
        variable_parse_param_list(p, &head->params, &head->n_params, true);
    }
    for (uint32_t i = 0; is_entry && i < head->n_params; i++) {
        if (head->params[i]->space == PTX_SPACE_REG) {
            parse_fail(p, head->params[i]->pos, "The parameter '%s' of an entry must be in .param.",
                       head->params[i]->name);
        }
    }
    p->said = 0;
    head->pos = name->pos;
    while (function_directive(p, head)) {
    }
    function_directives_check(p, head);
}

/* What a declaration or a definition says, put into the one ptx_func of its name. */
static void function_adopt(struct ptx_func *func, const struct ptx_func *head,
                           enum ptx_linkage linkage, const struct ptx_name *name)
{
    func->rets = head->rets;
    func->n_rets = head->n_rets;
    func->params = head->params;
    func->n_params = head->n_params;
    func->noreturn |= head->noreturn;
    func->linkage = linkage;
    func->pos = name->pos;
    memcpy(func->maxntid, head->maxntid, sizeof(func->maxntid));
    memcpy(func->reqntid, head->reqntid, sizeof(func->reqntid));
    memcpy(func->cluster, head->cluster, sizeof(func->cluster));
    func->maxclusterrank = head->maxclusterrank;
    func->explicit_cluster = head->explicit_cluster;
    func->minnctapersm = head->minnctapersm;
    func->maxnreg = head->maxnreg;
}

/* The name belongs to the module, but its parameters, which may come first, to the function. */
static struct ptx_func *function_enter(struct ptx_parser *p, const struct ptx_name *name,
                                       bool is_entry)
{
    unsigned depth = p->symbols.depth;
    struct ptx_func *func;

    p->symbols.depth = 0;
    func = function_declare(p, name, is_entry);
    p->symbols.depth = depth;
    return func;
}

static void function_item(struct ptx_parser *p, const struct ptx_name *name,
                          enum ptx_linkage linkage, const char *start, const char *rest)
{
    struct ptx_item *item = parse_item_add(p, PTX_ITEM_FUNC, name);

    item->linkage = linkage;
    item->start = start;
    item->rest = rest;
    item->defined = parse_is(p, '{');
    item->head_end = p->token.text;
}

/* What .reg in module scope declares (parse_module.c). */
static void function_module_regs(struct ptx_parser *p)
{
    const struct parse_place here = { p->lexer, p->token };

    for (size_t i = 0; i < p->n_places; i++) {
        p->lexer = p->places[i].lexer;
        p->token = p->places[i].token;
        variable_parse_reg(p);
    }
    p->lexer = here.lexer;
    p->token = here.token;
}

/* Those that the function has, at the end of their scope. */
static void function_module_regs_end(struct ptx_parser *p, struct ptx_func *func)
{
    for (const struct ptx_symbol *s = p->symbols.scope[p->symbols.depth]; s; s = s->scope_next) {
        bool is_reg =
            s->class == SYMBOL_NAME && (s->kind == SYMBOL_REG || s->kind == SYMBOL_VECTOR);

        for (uint32_t i = s->index; is_reg && !func->is_extern && i < s->index + s->count; i++) {
            *PARSE_PUSH(p, module_regs) = (struct module_reg){
                .func = func,
                .name = func->regs[i].name,
                .index = i,
                .type = func->regs[i].type,
            };
        }
    }
}

void function_parse(struct ptx_parser *p, enum ptx_linkage linkage, const char *start)
{
    bool is_entry = parse_directive(p) == PTX_DIRECTIVE_ENTRY;
    const char *rest = p->token.text - 1;
    struct ptx_func head = { 0 }, *func;
    struct ptx_name name;
    bool open;

    p->n_inst = p->n_regs = p->n_func_vars = 0;
    p->source_file = p->source_line = p->at_file = p->at_line = 0;
    parse_next(p);
    if (p->n_places) {
        symbols_push(p);
        function_module_regs(p);
    }
    symbols_push(p);
    function_signature(p, &head, is_entry, &name);
    func = function_enter(p, &name, is_entry);
    p->func = func;
    function_item(p, &name, linkage, start, rest);
    /* ptxas takes a prototype without ';', as nvopencc wrote them */
    open = !is_entry && (p->token.kind == PTX_TOKEN_DOT || p->token.kind == PTX_TOKEN_END);
    if (!func->is_extern && linkage == PTX_LINK_EXTERN) {
        parse_fail(p, name.pos, "Function '%s' is defined in line %u, and .extern here.",
                   func->name, func->pos.line);
    }
    if (open || parse_is(p, ';')) {
        if (func->is_extern) {
            function_adopt(func, &head, linkage, &name);
        }
    } else if (parse_is(p, '{')) {
        if (!func->is_extern) {
            parse_fail(p, name.pos, "Function '%s' is defined twice; the first is in line %u.",
                       func->name, func->pos.line);
        }
        if (func->linkage == PTX_LINK_EXTERN && linkage != PTX_LINK_EXTERN) {
            parse_fail(p, name.pos, "Function '%s' is .extern in line %u, and defined here.",
                       func->name, func->pos.line);
        }
        function_adopt(func, &head, linkage, &name);
        parse_next(p);
        function_block(p);
        function_finish_body(p);
    } else {
        parse_expected(p, "'{' or ';' after the head of a function");
    }
    symbols_pop(p);
    if (p->n_places) {
        resolve_labels(p);
        function_module_regs_end(p, func);
        symbols_pop(p);
    }
    p->func = NULL;
    if (!open) {
        parse_next(p); /* '}' or ';' */
    }
    p->items[p->n_items - 1].end = p->token_end;
}
