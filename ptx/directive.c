/* SPDX-License-Identifier: MIT */
/* Directives that declare nothing, PTX ISA 11.1 and 11.5: the module's version and target, source
 * files, pragmas. */
#include "ptx/parse.h"

#include <string.h>

/* .version major.minor, 11.1.1. The lexer sees a floating-point constant. */
void directive_version(struct ptx_parser *p)
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
static bool target_sm(struct ptx_parser *p, const struct ptx_name *name)
{
    uint32_t sm = 0, at = 3;

    if (name->length < 4 || name->length > 7 || memcmp(name->text, "sm_", 3) != 0) {
        return false;
    }
    for (; at < name->length && name->text[at] >= '0' && name->text[at] <= '9'; at++) {
        sm = sm * 10 + (uint32_t)(name->text[at] - '0');
    }
    p->module->target_suffix = 0;
    if (at + 1 == name->length && (name->text[at] == 'a' || name->text[at] == 'f')) {
        p->module->target_suffix = name->text[at++];
    }
    p->module->target_sm = sm;
    p->has_target = true;
    return at == name->length;
}

/* .target, 11.1.2 */
void directive_target(struct ptx_parser *p)
{
    static const char *const options[] = { "texmode_unified", "texmode_independent", "debug",
                                           "map_f64_to_f32" };

    do {
        struct ptx_name name = parse_name(p, "a target such as sm_87 after '.target'");
        bool known = target_sm(p, &name);

        for (size_t i = 0; !known && i < sizeof(options) / sizeof(options[0]); i++) {
            known = strlen(options[i]) == name.length &&
                    memcmp(options[i], name.text, name.length) == 0;
            p->module->debug |= known && strcmp(options[i], "debug") == 0;
            p->module->own_samplers |= known && strcmp(options[i], "texmode_independent") == 0;
        }
        if (!known) {
            parse_fail(p, name.pos,
                       "Unknown target '%.*s'; expected sm_ and a number, such as "
                       "sm_87.",
                       PARSE_QUOTE(&name));
        }
    } while (parse_accept(p, ','));
}

void directive_address_size(struct ptx_parser *p)
{
    if (p->token.kind != PTX_TOKEN_INT || (p->token.value != 32 && p->token.value != 64)) {
        parse_expected(p, "32 or 64 after '.address_size'");
    }
    if (p->token.value == 32) {
        parse_fail(p, p->token.pos,
                   ".address_size 32 is not supported by drivers of CUDA 12 and later (PTX ISA "
                   "11.1.3).");
    }
    if (p->module->version < 23) {
        parse_fail(p, p->token.pos,
                   ".address_size requires .version 2.3 or higher (PTX ISA 11.1.3).");
    }
    p->module->address_size = (uint32_t)p->token.value;
    parse_next(p);
}

/* .file index "name" [, timestamp, size], 11.5.3 */
void directive_file(struct ptx_parser *p)
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

/* 12: what a statement may say; @version: the first that has it */
static const struct {
    const char *word;
    uint16_t version;
} statement_pragmas[] = { { "used_bytes_mask", 83 },
                          { "enable_smem_spilling", 87 },
                          { "frequency", 90 } };

static bool directive_pragma_begins(const struct ptx_token *t, const char *word)
{
    size_t n = strlen(word);

    return t->length >= n && memcmp(t->text, word, n) == 0 && (t->length == n || t->text[n] == ' ');
}

/* One that is not known is ignored in functions, and an error of a module (ptxas 13.0, a driver of
 * an H200, 580.159.04). */
static void directive_pragma_check(struct ptx_parser *p, bool statement)
{
    const struct ptx_token *t = &p->token;

    for (size_t i = 0; i < sizeof(statement_pragmas) / sizeof(*statement_pragmas); i++) {
        if (!directive_pragma_begins(t, statement_pragmas[i].word)) {
            continue;
        }
        if (!statement) {
            parse_fail(p, t->pos, "Pragma '%.*s' is for statements of a function (PTX ISA 12).",
                       PARSE_QUOTE(t));
        }
        if (p->module->version < statement_pragmas[i].version) {
            parse_fail(p, t->pos, "Pragma '%.*s' needs .version %u.%u or higher (PTX ISA 12).",
                       PARSE_QUOTE(t), statement_pragmas[i].version / 10u,
                       statement_pragmas[i].version % 10u);
        }
    }
    if (!p->func && !(t->length == 8 && memcmp(t->text, "nounroll", 8) == 0)) {
        parse_fail(p, t->pos, "Pragma '%.*s' is none of a module; there, \"nounroll\" is.",
                   PARSE_QUOTE(t));
    }
}

void directive_pragma(struct ptx_parser *p, bool statement)
{
    do {
        if (p->token.kind != PTX_TOKEN_STRING) {
            parse_expected(p, "a string after '.pragma'");
        }
        directive_pragma_check(p, statement);
        parse_next(p);
    } while (parse_accept(p, ','));
    parse_expect(p, ';', "after '.pragma'");
}

/* .section .debug_str { ... }, 11.5.2: for a debugger, nothing in it runs. */
void directive_section(struct ptx_parser *p)
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
