/* SPDX-License-Identifier: MIT */
#include "ptx/words.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WORDS_BITS 11 /* 2048 slots for about 700 words: most are found at the first look */

struct ptx_words {
    struct ptx_word slot[1 << WORDS_BITS];
};

_Static_assert((int)PTX_OP_COUNT < 256, "ptx_word.op is a byte");
_Static_assert((int)PTX_SPECIAL_COUNT < 256, "ptx_word.special is a byte");

static struct ptx_word *words_slot(struct ptx_words *words, const char *text, size_t length,
                                   uint32_t hash)
{
    uint32_t at = ptx_hash_slot(hash, WORDS_BITS);
    struct ptx_word *slot = &words->slot[at];

    while (slot->spelling != NULL && (slot->hash != hash || slot->length != length ||
                                      memcmp(slot->spelling, text, length) != 0)) {
        at = (at + 1) & ((1 << WORDS_BITS) - 1);
        slot = &words->slot[at];
    }
    return slot;
}

static struct ptx_word *words_add(struct ptx_words *words, const char *spelling)
{
    size_t length = strlen(spelling);
    uint32_t hash = ptx_hash(0, spelling, length);
    struct ptx_word *slot = words_slot(words, spelling, length, hash);

    slot->spelling = spelling;
    slot->length = (uint16_t)length;
    slot->hash = hash;
    return slot;
}

static void words_add_spaces(struct ptx_words *words)
{
    words_add(words, "reg")->space = PTX_SPACE_REG;
    words_add(words, "const")->space = PTX_SPACE_CONST;
    words_add(words, "global")->space = PTX_SPACE_GLOBAL;
    words_add(words, "local")->space = PTX_SPACE_LOCAL;
    words_add(words, "param")->space = PTX_SPACE_PARAM;
    words_add(words, "param::entry")->space = PTX_SPACE_PARAM;
    words_add(words, "param::func")->space = PTX_SPACE_PARAM;
    words_add(words, "shared")->space = PTX_SPACE_SHARED;
    words_add(words, "shared::cta")->space = PTX_SPACE_SHARED;
    words_add(words, "shared::cluster")->space = PTX_SPACE_SHARED;
}

static struct ptx_words *words_new(void)
{
    struct ptx_words *words = calloc(1, sizeof(*words));

    if (words == NULL) {
        fprintf(stderr, "vtegra: out of memory: %zu bytes for the words of PTX\n", sizeof(*words));
        abort();
    }
#define PTX_OP(name, spelling) words_add(words, spelling)->op = PTX_OP_##name;
#include "ptx/op.def"
#undef PTX_OP
#define PTX_MOD(name, spelling) words_add(words, spelling)->mod = PTX_MOD_##name;
#include "ptx/modifier.def"
#undef PTX_MOD
#define PTX_SPECIAL(name, spelling) words_add(words, spelling)->special = PTX_SPECIAL_##name;
#include "ptx/special.def"
#undef PTX_SPECIAL
#define X(name, spelling, size) words_add(words, spelling)->type = PTX_##name;
    PTX_TYPES(X)
#undef X
#define X(name, spelling) words_add(words, spelling)->directive = PTX_DIRECTIVE_##name;
    PTX_DIRECTIVES(X)
#undef X
    words_add(words, "v2")->vector = 2;
    words_add(words, "v4")->vector = 4;
    words_add(words, "v8")->vector = 8;
    words_add_spaces(words);
    return words;
}

/* Two threads may both make the table; the first one's stays. No lock: a copy of the process that
 * is made meanwhile could not take it. */
const struct ptx_words *ptx_words(void)
{
    static struct ptx_words *_Atomic shared;
    struct ptx_words *words = atomic_load(&shared), *expected = NULL;

    if (words == NULL) {
        words = words_new();
        if (!atomic_compare_exchange_strong(&shared, &expected, words)) {
            free(words);
            words = expected;
        }
    }
    return words;
}

const struct ptx_word *ptx_words_find(const struct ptx_words *words, const char *text,
                                      size_t length, uint32_t hash)
{
    const struct ptx_word *slot = words_slot((struct ptx_words *)words, text, length, hash);

    return slot->spelling != NULL ? slot : NULL;
}

uint32_t ptx_type_size(enum ptx_type type)
{
    static const uint8_t size[] = {
#define X(name, spelling, bytes) [PTX_##name] = bytes,
        PTX_TYPES(X)
#undef X
    };

    return (unsigned)type < PTX_TYPE_COUNT ? size[type] : 0;
}

const char *ptx_type_name(enum ptx_type type)
{
    static const char *const name[] = { [PTX_TYPE_NONE] = "none",
#define X(id, spelling, bytes) [PTX_##id] = spelling,
                                        PTX_TYPES(X)
#undef X
    };

    return (unsigned)type < PTX_TYPE_COUNT ? name[type] : "?";
}

const char *ptx_op_name(enum ptx_op op)
{
    static const char *const name[] = {
        [PTX_OP_NONE] = "none",
#define PTX_OP(id, spelling) [PTX_OP_##id] = spelling,
#include "ptx/op.def"
#undef PTX_OP
    };

    return (unsigned)op < PTX_OP_COUNT ? name[op] : "?";
}

const char *ptx_mod_name(enum ptx_mod mod)
{
    static const char *const name[] = {
        [PTX_MOD_NONE] = "none",
#define PTX_MOD(id, spelling) [PTX_MOD_##id] = spelling,
#include "ptx/modifier.def"
#undef PTX_MOD
    };

    return (unsigned)mod < PTX_MOD_COUNT ? name[mod] : "?";
}

const char *ptx_space_name(enum ptx_space space)
{
    static const char *const name[] = {
        [PTX_SPACE_NONE] = "generic",  [PTX_SPACE_REG] = "reg",     [PTX_SPACE_CONST] = "const",
        [PTX_SPACE_GLOBAL] = "global", [PTX_SPACE_LOCAL] = "local", [PTX_SPACE_PARAM] = "param",
        [PTX_SPACE_SHARED] = "shared",
    };

    return (unsigned)space < sizeof(name) / sizeof(name[0]) ? name[space] : "?";
}

bool ptx_inst_has(const struct ptx_inst *inst, enum ptx_mod mod)
{
    for (unsigned i = 0; i < inst->n_mods; i++) {
        if (inst->mod[i] == mod) {
            return true;
        }
    }
    return false;
}
