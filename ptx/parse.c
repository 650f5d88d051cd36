/* SPDX-License-Identifier: MIT */
/* Tokens, errors and names: what every part of the grammar is made of, PTX ISA chapter 4. Nothing
 * here knows a part. */
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
