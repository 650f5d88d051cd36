/* SPDX-License-Identifier: MIT */
/* PTX text to tokens, PTX ISA chapter 4: comments, identifiers, dotted words, constants. */
#ifndef PTX_LEX_H
#define PTX_LEX_H

#include "ptx/ptx.h"

enum ptx_token_kind {
    PTX_TOKEN_END,
    PTX_TOKEN_NAME,   /* add, %r1, $L__BB0_2, _ */
    PTX_TOKEN_DOT,    /* .global, .L1::evict_last: the text without its first dot */
    PTX_TOKEN_INT,    /* @value, @is_unsigned */
    PTX_TOKEN_F32,    /* 0f3F800000: bits in @value */
    PTX_TOKEN_F64,    /* 0d3FF0000000000000 or 1.5e3: bits in @value */
    PTX_TOKEN_STRING, /* the text without its quotes */
    PTX_TOKEN_SIGN,   /* ; , [ << ...: the character, or both, first in the low byte, in @value */
    PTX_TOKEN_BAD,    /* no token starts here; @value is an enum ptx_lex_fault */
};

enum ptx_lex_fault {
    PTX_LEX_CHARACTER, /* no token starts with it */
    PTX_LEX_NUMBER,    /* digits that make no number of any kind */
    PTX_LEX_RANGE,     /* more than 64 bits */
    PTX_LEX_STRING,    /* the line ends first */
    PTX_LEX_COMMENT,   /* the text ends first */
};

#define PTX_SIGN2(a, b) ((uint64_t)(a) | (uint64_t)(b) << 8)

struct ptx_token {
    enum ptx_token_kind kind;
    bool is_unsigned;
    struct ptx_pos pos;
    const char *text; /* in the PTX text */
    uint32_t length;
    uint32_t hash; /* NAME, DOT: ptx_hash() of the text */
    uint64_t value;
};

struct ptx_lexer {
    const char *start, *at, *end, *line_start;
    uint32_t line;
};

/** ptx_lex_open - start at the first byte; @size may not exceed PTX_TEXT_MAX */
#define PTX_TEXT_MAX ((size_t)1 << 30)
void ptx_lex_open(struct ptx_lexer *lexer, const char *text, size_t size);
void ptx_lex_next(struct ptx_lexer *lexer, struct ptx_token *token);

/**
 * ptx_lex_skip_block - jump over the rest of a `{ ... }` whose brace was just read
 *
 * Debug sections are most of a -G module and hold nothing that runs.
 * Return: false if the text ends first.
 */
bool ptx_lex_skip_block(struct ptx_lexer *lexer);

/* FNV-1a: one step a character, so that the hash of "%tid" goes on to that of "%tid.x". */
static inline uint32_t ptx_hash_step(uint32_t hash, char c)
{
    return (hash ^ (unsigned char)c) * UINT32_C(16777619);
}

static inline uint32_t ptx_hash(uint32_t hash, const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        hash = ptx_hash_step(hash, text[i]);
    }
    return hash;
}

/* Spreads a hash over a table of 2^@bits slots. */
static inline uint32_t ptx_hash_slot(uint32_t hash, unsigned bits)
{
    return (hash * UINT32_C(2654435769)) >> (32 - bits);
}

#endif
