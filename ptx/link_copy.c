/* SPDX-License-Identifier: MIT */
/* Statements on their way from an input of the linker to its output: the text as it is, but for the
 * names of renamed symbols and the numbers of source files. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "ptx/link.h"

void link_write(struct linker *l, const char *text, size_t length)
{
    while (l->cap_out - l->n_out < length + 1) {
        l->out = ptx_grow(l->out, l->cap_out, &l->cap_out, 1);
    }
    memcpy(l->out + l->n_out, text, length);
    l->n_out += length;
    l->out[l->n_out] = 0;
}

void link_print(struct linker *l, const char *format, ...)
{
    char text[200];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    link_write(l, text, strlen(text));
}

/**
 * struct link_copy - one statement on its way out
 * @done: up to here it is written
 * @is_code: a function, where a name that begins a statement is an opcode and no symbol
 * @starts: the next token begins a statement
 */
struct link_copy {
    struct linker *linker;
    size_t text;
    struct ptx_lexer lexer;
    struct ptx_token token;
    const char *done;
    bool is_code, in_body, starts, guard;
};

static struct ptx_name link_token_name(const struct ptx_token *token)
{
    return (struct ptx_name){ token->text, token->length, token->hash, token->pos };
}

static bool link_is_label(const struct link_copy *c)
{
    struct ptx_lexer lexer = c->lexer;
    struct ptx_token token;

    ptx_lex_next(&lexer, &token);
    return token.kind == PTX_TOKEN_SIGN && token.value == ':';
}

static bool link_copy_name(struct link_copy *c)
{
    struct ptx_name name = link_token_name(&c->token);
    const struct link_symbol *s = link_find(c->linker, c->text + 1, &name);

    if (s != NULL && c->is_code && c->starts && !c->guard && !link_is_label(c)) {
        s = NULL; /* an opcode that is spelled like a function */
    }
    if (s != NULL && s->definition == NULL && !link_may_stay_open(s)) {
        const struct ptx_pos pos = s->declaration->name.pos;

        if (ptx_is_device_launch(name.text, name.length)) {
            return link_fail(c->linker, pos,
                             "'%.*s' of text %zu launches a kernel from a kernel (dynamic "
                             "parallelism), which vtegra does not have: launch it from the CPU.",
                             PARSE_QUOTE(&name), s->declaration_text + 1);
        }
        return link_fail(c->linker, pos,
                         "'%.*s' is declared in line %u of text %zu and used "
                         "there, but none of the %zu texts defines it.",
                         PARSE_QUOTE(&name), pos.line, s->declaration_text + 1, c->linker->n_texts);
    }
    if (s != NULL && s->rename != NULL) {
        link_write(c->linker, s->rename, strlen(s->rename));
    } else {
        link_write(c->linker, c->token.text, c->token.length);
    }
    c->starts = c->guard; /* behind the guard comes the opcode */
    c->guard = false;
    return true;
}

static void link_copy_sign(struct link_copy *c)
{
    uint64_t sign = c->token.value;

    link_write(c->linker, c->token.text, c->token.length);
    if (sign == '@') {
        c->guard = true;
    } else if (sign == '{' && !c->in_body) {
        c->in_body = c->starts = true;
    } else if (sign == ';' || sign == '}' || sign == ':') {
        c->starts = true;
    } else if (sign != '{' && !(sign == '!' && c->guard)) {
        c->starts = false; /* a '{' opens a scope where a statement could start, else a vector */
    }
}

static void link_copy_next(struct link_copy *c)
{
    c->done = c->lexer.at;
    ptx_lex_next(&c->lexer, &c->token);
}

static bool link_is_word(const struct link_copy *c, enum ptx_token_kind kind, const char *word)
{
    return c->token.kind == kind && c->token.length == strlen(word) &&
           memcmp(c->token.text, word, c->token.length) == 0;
}

static bool link_is_sign(const struct link_copy *c, uint64_t sign)
{
    return c->token.kind == PTX_TOKEN_SIGN && c->token.value == sign;
}

/* .loc counts the files of its own text. Its notes on inlining (function_name label [+ n],
 * inlined_at file line column) point into debug sections, which a linked text does not have. */
static void link_copy_loc(struct link_copy *c)
{
    uint64_t file;

    link_copy_next(c);
    file = c->token.value + c->linker->texts[c->text].first_file;
    link_copy_next(c);
    link_print(c->linker, ".loc %" PRIu64 " %" PRIu64, file, c->token.value);
    link_copy_next(c);
    link_print(c->linker, " %" PRIu64, c->token.value);
    link_copy_next(c);
    while (link_is_sign(c, ',')) {
        link_copy_next(c);
        if (link_is_word(c, PTX_TOKEN_NAME, "inlined_at")) {
            link_copy_next(c);
            link_copy_next(c);
        }
        link_copy_next(c);
        link_copy_next(c);
        if (link_is_sign(c, '+')) {
            link_copy_next(c);
            link_copy_next(c);
        }
    }
    c->starts = true;
}

/* .file index "name" [, timestamp, size]: all of them stand at the top already. */
static void link_skip_file(struct link_copy *c)
{
    for (int i = 0; i < 3; i++) {
        link_copy_next(c);
    }
    while (link_is_sign(c, ',')) {
        link_copy_next(c);
        link_copy_next(c);
    }
    c->starts = true;
}

static const char *link_token_start(const struct link_copy *c)
{
    return c->token.text - (c->token.kind == PTX_TOKEN_DOT || c->token.kind == PTX_TOKEN_STRING);
}

/* One token, or a whole .loc or .file; @token is the next one then. */
static bool link_copy_token(struct link_copy *c)
{
    const char *start = link_token_start(c);

    link_write(c->linker, c->done, (size_t)(start - c->done));
    if (link_is_word(c, PTX_TOKEN_DOT, "loc")) {
        link_copy_loc(c);
        return true;
    }
    if (link_is_word(c, PTX_TOKEN_DOT, "file")) {
        link_skip_file(c);
        return true;
    }
    if (c->token.kind == PTX_TOKEN_NAME) {
        if (!link_copy_name(c)) {
            return false;
        }
    } else if (c->token.kind == PTX_TOKEN_SIGN) {
        link_copy_sign(c);
    } else {
        link_write(c->linker, start, (size_t)(c->lexer.at - start));
        c->starts = c->starts && c->token.kind != PTX_TOKEN_DOT;
    }
    link_copy_next(c);
    return true;
}

/* Tokens from @start to @end, what stands between them as it is. */
bool link_copy(struct linker *l, size_t text, bool is_code, const char *start, const char *end)
{
    struct link_copy c = { .linker = l, .text = text, .is_code = is_code, .done = start };

    ptx_lex_open(&c.lexer, start, (size_t)(end - start));
    ptx_lex_next(&c.lexer, &c.token);
    while (c.token.kind != PTX_TOKEN_END) {
        if (!link_copy_token(&c)) {
            return false;
        }
    }
    link_write(l, c.done, (size_t)(end - c.done));
    return true;
}
