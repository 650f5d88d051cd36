/* SPDX-License-Identifier: MIT */
#include "ptx/lex.h"

#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Not <ctype.h>: what a letter is must not depend on the application's locale. */
static bool lex_is_digit(int c)
{
    return c >= '0' && c <= '9';
}

static bool lex_is_letter(int c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* PTX ISA 4.4: followsym is [a-zA-Z0-9_$]. */
static bool lex_is_follow(int c)
{
    return lex_is_letter(c) || lex_is_digit(c) || c == '_' || c == '$';
}

static int lex_digit_value(int c)
{
    if (lex_is_digit(c)) {
        return c - '0';
    }
    if (c >= 'a' && c <= 'f') {
        return c - 'a' + 10;
    }
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : 99;
}

static int lex_peek(const struct ptx_lexer *lexer, size_t ahead)
{
    return (size_t)(lexer->end - lexer->at) > ahead ? (unsigned char)lexer->at[ahead] : -1;
}

static void lex_newline(struct ptx_lexer *lexer)
{
    lexer->at++;
    lexer->line++;
    lexer->line_start = lexer->at;
}

static void lex_skip_line(struct ptx_lexer *lexer)
{
    const char *newline = memchr(lexer->at, '\n', (size_t)(lexer->end - lexer->at));

    lexer->at = newline != NULL ? newline : lexer->end;
}

static bool lex_skip_comment(struct ptx_lexer *lexer)
{
    for (lexer->at += 2; lexer->at < lexer->end;) {
        if (*lexer->at == '*' && lex_peek(lexer, 1) == '/') {
            lexer->at += 2;
            return true;
        }
        if (*lexer->at == '\n') {
            lex_newline(lexer);
        } else {
            lexer->at++;
        }
    }
    return false;
}

/* Also skips the # lines a C preprocessor leaves (PTX ISA 4.1): they stand first on their line. */
static bool lex_skip_space(struct ptx_lexer *lexer, struct ptx_pos *comment)
{
    while (lexer->at < lexer->end) {
        char c = *lexer->at;

        if (c == '\n') {
            lex_newline(lexer);
        } else if (c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f') {
            lexer->at++;
        } else if (c == '/' && lex_peek(lexer, 1) == '/') {
            lex_skip_line(lexer);
        } else if (c == '#' && lexer->at == lexer->line_start) {
            lex_skip_line(lexer);
        } else if (c == '/' && lex_peek(lexer, 1) == '*') {
            comment->line = lexer->line;
            comment->column = (uint32_t)(lexer->at - lexer->line_start) + 1;
            if (!lex_skip_comment(lexer)) {
                return false;
            }
        } else {
            break;
        }
    }
    return true;
}

static void lex_bad(struct ptx_token *token, enum ptx_lex_fault fault)
{
    token->kind = PTX_TOKEN_BAD;
    token->value = fault;
}

/* From the first character (already checked) to the last followsym. */
static void lex_name(struct ptx_lexer *lexer, struct ptx_token *token)
{
    uint32_t hash = 0;

    token->kind = PTX_TOKEN_NAME;
    do {
        hash = ptx_hash_step(hash, *lexer->at++);
    } while (lexer->at < lexer->end && lex_is_follow((unsigned char)*lexer->at));
    token->hash = hash;
}

/* A dotted word goes on over "::", as in .L2::cache_hint. */
static void lex_dot(struct ptx_lexer *lexer, struct ptx_token *token)
{
    uint32_t hash = 0;

    token->kind = PTX_TOKEN_DOT;
    token->text = ++lexer->at;
    for (;;) {
        if (lex_is_follow(lex_peek(lexer, 0))) {
            hash = ptx_hash_step(hash, *lexer->at++);
        } else if (lex_peek(lexer, 0) == ':' && lex_peek(lexer, 1) == ':' &&
                   lex_is_follow(lex_peek(lexer, 2))) {
            hash = ptx_hash_step(ptx_hash_step(hash, ':'), ':');
            lexer->at += 2;
        } else {
            break;
        }
    }
    token->hash = hash;
}

/* 0f and 0d constants, PTX ISA 4.5.2: exactly 8 or 16 hexadecimal digits. */
static void lex_float_bits(struct ptx_lexer *lexer, struct ptx_token *token, unsigned digits)
{
    unsigned n = 0;

    token->kind = digits == 8 ? PTX_TOKEN_F32 : PTX_TOKEN_F64;
    for (lexer->at += 2; lex_digit_value(lex_peek(lexer, 0)) < 16; lexer->at++, n++) {
        token->value = token->value << 4 | (unsigned)lex_digit_value(*lexer->at);
    }
    if (n != digits) {
        lex_bad(token, PTX_LEX_NUMBER);
    }
}

/* Decimal to double in the C locale, whatever the application has set. */
static bool lex_strtod(const char *text, size_t length, uint64_t *bits)
{
    char copy[128];
    locale_t c_locale;
    double value;

    if (length >= sizeof(copy)) {
        return false;
    }
    memcpy(copy, text, length);
    copy[length] = 0;
    c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (c_locale == (locale_t)0) {
        return false;
    }
    value = strtod_l(copy, NULL, c_locale);
    freelocale(c_locale);
    memcpy(bits, &value, sizeof(*bits));
    return isfinite(value);
}

static void lex_digits(struct ptx_lexer *lexer)
{
    while (lex_is_digit(lex_peek(lexer, 0))) {
        lexer->at++;
    }
}

static void lex_decimal_float(struct ptx_lexer *lexer, struct ptx_token *token)
{
    const char *start = lexer->at;
    int c;

    token->kind = PTX_TOKEN_F64;
    lex_digits(lexer);
    if (lex_peek(lexer, 0) == '.') {
        lexer->at++;
        lex_digits(lexer);
    }
    c = lex_peek(lexer, 0);
    if (c == 'e' || c == 'E') {
        c = lex_peek(lexer, 1);
        lexer->at += c == '+' || c == '-' ? 2 : 1;
        if (!lex_is_digit(lex_peek(lexer, 0))) {
            lex_bad(token, PTX_LEX_NUMBER);
            return;
        }
        lex_digits(lexer);
    }
    if (!lex_strtod(start, (size_t)(lexer->at - start), &token->value)) {
        lex_bad(token, PTX_LEX_RANGE);
    }
}

/* True if what starts with a digit is a decimal floating-point constant: 1.5, 1., 1e9. */
static bool lex_is_float(const struct ptx_lexer *lexer)
{
    size_t n = 0;
    int c;

    while (lex_is_digit(lex_peek(lexer, n))) {
        n++;
    }
    c = lex_peek(lexer, n);
    return c == '.' || c == 'e' || c == 'E';
}

/* Integer constants, PTX ISA 4.5.1: hexadecimal, octal, binary, decimal, all with an optional U. */
static void lex_integer(struct ptx_lexer *lexer, struct ptx_token *token)
{
    int second = lex_peek(lexer, 1);
    unsigned base = 10;
    const char *first;
    bool overflow = false;

    token->kind = PTX_TOKEN_INT;
    if (*lexer->at == '0') {
        base = second == 'x' || second == 'X' ? 16 : second == 'b' || second == 'B' ? 2 : 8;
        lexer->at += base == 8 ? 0 : 2;
    }
    for (first = lexer->at; lex_digit_value(lex_peek(lexer, 0)) < (int)base; lexer->at++) {
        unsigned digit = (unsigned)lex_digit_value(*lexer->at);

        overflow |= token->value > (UINT64_MAX - digit) / base;
        token->value = token->value * base + digit;
    }
    if (lexer->at == first) {
        lex_bad(token, PTX_LEX_NUMBER);
        return;
    }
    if (lex_peek(lexer, 0) == 'U') {
        token->is_unsigned = true;
        lexer->at++;
    }
    /* 4.5.1: a constant that needs the top bit is unsigned. */
    token->is_unsigned |= token->value > INT64_MAX;
    if (overflow) {
        lex_bad(token, PTX_LEX_RANGE);
    }
}

static void lex_number(struct ptx_lexer *lexer, struct ptx_token *token)
{
    int second = lex_peek(lexer, 1);

    if (*lexer->at == '0' && (second == 'f' || second == 'F')) {
        lex_float_bits(lexer, token, 8);
    } else if (*lexer->at == '0' && (second == 'd' || second == 'D')) {
        lex_float_bits(lexer, token, 16);
    } else if (*lexer->at == '.' || lex_is_float(lexer)) {
        lex_decimal_float(lexer, token);
    } else {
        lex_integer(lexer, token);
    }
    if (lex_is_follow(lex_peek(lexer, 0))) { /* 12ab: take the whole word into the message */
        while (lex_is_follow(lex_peek(lexer, 0))) {
            lexer->at++;
        }
        lex_bad(token, PTX_LEX_NUMBER);
    }
}

static void lex_string(struct ptx_lexer *lexer, struct ptx_token *token)
{
    token->kind = PTX_TOKEN_STRING;
    token->text = ++lexer->at;
    for (; lex_peek(lexer, 0) != '"'; lexer->at++) {
        if (lexer->at >= lexer->end || *lexer->at == '\n') {
            lex_bad(token, PTX_LEX_STRING);
            return;
        }
        if (*lexer->at == '\\' && lex_peek(lexer, 1) != -1 && lex_peek(lexer, 1) != '\n') {
            lexer->at++;
        }
    }
    token->length = (uint32_t)(lexer->at - token->text);
    lexer->at++;
}

static void lex_sign(struct ptx_lexer *lexer, struct ptx_token *token)
{
    int c = (unsigned char)*lexer->at, second = lex_peek(lexer, 1);

    token->kind = PTX_TOKEN_SIGN;
    token->value = (uint64_t)c;
    if (((c == '<' || c == '>' || c == '&' || c == '|') && second == c) ||
        ((c == '<' || c == '>' || c == '=' || c == '!') && second == '=')) {
        token->value = PTX_SIGN2(c, second);
        lexer->at++;
    } else if (strchr(";,:[](){}<>+-*/%&|^~!?=@", c) == NULL) {
        lex_bad(token, PTX_LEX_CHARACTER);
    }
    lexer->at++;
}

void ptx_lex_open(struct ptx_lexer *lexer, const char *text, size_t size)
{
    const char *nul = size == 0 ? NULL : memchr(text, 0, size);

    *lexer = (struct ptx_lexer){ .start = text, .at = text, .line_start = text, .line = 1 };
    lexer->end = nul != NULL ? nul : text + size;
}

void ptx_lex_next(struct ptx_lexer *lexer, struct ptx_token *token)
{
    struct ptx_pos comment;
    int c;

    *token = (struct ptx_token){ 0 };
    if (!lex_skip_space(lexer, &comment)) {
        token->pos = comment;
        token->text = lexer->end;
        lex_bad(token, PTX_LEX_COMMENT);
        return;
    }
    token->pos.line = lexer->line;
    token->pos.column = (uint32_t)(lexer->at - lexer->line_start) + 1;
    token->text = lexer->at;
    if (lexer->at == lexer->end) {
        return;
    }
    c = (unsigned char)*lexer->at;
    if (lex_is_letter(c) || c == '_' || c == '$' ||
        (c == '%' && lex_is_follow(lex_peek(lexer, 1)))) {
        lex_name(lexer, token);
    } else if (lex_is_digit(c) || (c == '.' && lex_is_digit(lex_peek(lexer, 1)) &&
                                   (lexer->at == lexer->start || !lex_is_follow(lexer->at[-1])))) {
        lex_number(lexer, token);
    } else if (c == '.' && lex_is_follow(lex_peek(lexer, 1))) {
        lex_dot(lexer, token);
    } else if (c == '"') {
        lex_string(lexer, token);
        return;
    } else {
        lex_sign(lexer, token);
    }
    token->length = (uint32_t)(lexer->at - token->text);
}

bool ptx_lex_skip_block(struct ptx_lexer *lexer)
{
    struct ptx_pos comment;

    for (unsigned depth = 1; lex_skip_space(lexer, &comment) && lexer->at < lexer->end;) {
        char c = *lexer->at++;

        depth += c == '{';
        depth -= c == '}';
        if (depth == 0) {
            return true;
        }
    }
    return false;
}
