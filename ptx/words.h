/* SPDX-License-Identifier: MIT */
/* The words of PTX, found by hash: opcodes, modifiers, types, state spaces, directives, special
 * registers. One table, because one spelling may be several of them: .global is a state space, a
 * directive and (second in cp.async.ca.shared.global) a modifier. */
#ifndef PTX_WORDS_H
#define PTX_WORDS_H

#include "ptx/lex.h"

#define PTX_DIRECTIVES(X)                                                                         \
    X(VERSION, "version")                                                                         \
    X(TARGET, "target") X(ADDRESS_SIZE, "address_size") X(FILE, "file") X(LOC, "loc")             \
        X(SECTION, "section") X(PRAGMA, "pragma") X(ALIAS, "alias") X(EXTERN, "extern")           \
            X(VISIBLE, "visible") X(WEAK, "weak") X(COMMON, "common") X(ENTRY, "entry")           \
                X(FUNC, "func") X(ALIGN, "align") X(PTR, "ptr") X(ATTRIBUTE, "attribute")         \
                    X(REG, "reg") X(GLOBAL, "global") X(CONST, "const") X(SHARED, "shared")       \
                        X(LOCAL, "local") X(PARAM, "param") X(MAXNTID, "maxntid")                 \
                            X(REQNTID, "reqntid") X(MINNCTAPERSM, "minnctapersm") X(              \
                                MAXNCTAPERSM, "maxnctapersm") X(MAXNREG, "maxnreg")               \
                                X(NORETURN, "noreturn") X(REQNCTAPERCLUSTER, "reqnctapercluster") \
                                    X(MAXCLUSTERRANK, "maxclusterrank") X(EXPLICITCLUSTER,        \
                                                                          "explicitcluster")      \
                                        X(BLOCKSARECLUSTERS, "blocksareclusters")                 \
                                            X(ABI_PRESERVE, "abi_preserve")                       \
                                                X(ABI_PRESERVE_CONTROL, "abi_preserve_control")   \
                                                    X(CALLPROTOTYPE, "callprototype")             \
                                                        X(CALLTARGETS, "calltargets")             \
                                                            X(BRANCHTARGETS, "branchtargets")

enum ptx_directive {
    PTX_DIRECTIVE_NONE,
#define X(name, spelling) PTX_DIRECTIVE_##name,
    PTX_DIRECTIVES(X)
#undef X
};

/**
 * struct ptx_word - everything one spelling can mean, 0 where it means nothing
 * @vector: 2, 4 or 8 for v2, v4, v8
 */
struct ptx_word {
    const char *spelling;
    uint32_t hash;
    uint16_t length, mod;
    uint8_t op, type, space, special, directive, vector;
};

struct ptx_words;

/** ptx_words - the words of PTX: made by the first call, for all threads, and kept */
const struct ptx_words *ptx_words(void);

/** ptx_words_find - the word with this text and its ptx_hash(), NULL if PTX has none */
const struct ptx_word *ptx_words_find(const struct ptx_words *words, const char *text,
                                      size_t length, uint32_t hash);

const char *ptx_space_name(enum ptx_space space);

#endif
