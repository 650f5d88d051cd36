/* SPDX-License-Identifier: MIT */
/* { memory }: locations, and which share a sector or line. */
#include <string.h>

#include "litmus/parse_file.h"

static const char *const kind_names[] = { "device",  "pinned",       "managed", "pageable",
                                          "interop", "interop_dgpu", "vidmem" };
static const char *const type_names[] = { "u8", "u16", "u32", "u64" };

static bool parse_memory_location(struct lex *l, struct litmus_test *test, enum litmus_kind kind)
{
    struct litmus_loc *loc = &test->loc[test->locs];
    const char *at;
    char word[LITMUS_NAME];
    int type;

    lex_space(l);
    at = l->at;
    if (test->locs == LITMUS_LOCS) {
        return lex_fail(l, at, "more than %d locations: split the test", LITMUS_LOCS);
    }
    if (!lex_word(l, word, sizeof(word))) {
        return lex_expected(l, "the name of a location");
    }
    type = parse_word_index(word, type_names, G_N_ELEMENTS(type_names));
    if (type >= 0) {
        lex_space(l);
        at = l->at;
        if (!lex_word(l, word, sizeof(word))) {
            return lex_expected(l, "the name of a location");
        }
    }
    if (strchr(word, '.') || strchr(word, '%')) {
        return lex_fail(l, at, "a name is made of letters, digits and _");
    }
    for (unsigned i = 0; i < test->locs; i++) {
        if (strcmp(test->loc[i].name, word) == 0) {
            return lex_fail(l, at, "%s is there already", word);
        }
    }
    *loc = (struct litmus_loc){ .kind = kind,
                                .size = type < 0 ? 4 : 1u << type,
                                .line = test->lines++ };
    g_strlcpy(loc->name, word, sizeof(loc->name));
    if (test->locs) {
        loc->byte = test->loc[test->locs - 1].byte + test->loc[test->locs - 1].size;
    }
    if (loc->byte + loc->size > LITMUS_BYTES) {
        return lex_fail(l, at, "more than %d bytes of locations: split the test", LITMUS_BYTES);
    }
    if (lex_take(l, '=')) {
        lex_space(l);
        at = l->at;
        if (!lex_number(l, &loc->init)) {
            return lex_expected(l, "a number");
        }
        if (!lex_fits(l, at, loc->init, loc->size)) {
            return false;
        }
    }
    test->locs++;
    return true;
}

/* same sector | line | l2 x y ...: one sector of 32 bytes; one CPU line of 64 bytes but two
 * sectors; one L2 line of 128 bytes but two CPU lines. */
static bool parse_memory_placement(struct lex *l, struct litmus_test *test)
{
    static const char *const places[] = { "sector", "line", "l2" };
    static const unsigned stride[] = { 8, 32, 64 };
    int place, first = -1;
    unsigned n = 0, taken = 0;
    const char *at;
    char word[LITMUS_NAME];

    lex_space(l);
    at = l->at;
    place =
        lex_word(l, word, sizeof(word)) ? parse_word_index(word, places, G_N_ELEMENTS(places)) : -1;
    if (place < 0) {
        l->at = at;
        return lex_expected(l, "sector, line or l2");
    }
    while (!lex_peek(l, ';')) {
        const char *name = l->at;
        int i = parse_location(l, test);
        unsigned limit = (unsigned)place == 0 ? 32 : (unsigned)place == 1 ? 64 : 128;

        if (i < 0) {
            return false;
        }
        if (taken >> i & 1) {
            return lex_fail(l, name, "%s is named twice", test->loc[i].name);
        }
        taken |= 1u << i;
        first = first < 0 ? i : first;
        if (test->loc[i].kind != test->loc[first].kind) {
            return lex_fail(l, NULL, "%s and %s are of two kinds: no allocation holds both",
                            test->loc[first].name, test->loc[i].name);
        }
        if (n * stride[place] >= limit) {
            return lex_fail(l, NULL, "no room for %s in one %s", test->loc[i].name, word);
        }
        test->loc[i].line = test->loc[first].line;
        test->loc[i].offset = n++ * stride[place];
    }
    return n >= 2 || lex_expected(l, "two locations or more");
}

bool parse_memory(struct lex *l, struct litmus_test *test)
{
    if (!lex_need(l, '{', "and the memory")) {
        return false;
    }
    while (!lex_take(l, '}')) {
        const char *at;
        char word[LITMUS_NAME];
        int kind;

        lex_space(l);
        at = l->at;
        if (!lex_word(l, word, sizeof(word))) {
            return lex_expected(
                l, "a kind of memory (device, pinned, managed, pageable, interop), same, or \"}\"");
        }
        kind = parse_word_index(word, kind_names, G_N_ELEMENTS(kind_names));
        if (kind < 0 && strcmp(word, "same") != 0) {
            l->at = at;
            return lex_expected(
                l, "a kind of memory (device, pinned, managed, pageable, interop), same, or \"}\"");
        }
        if (kind < 0 ? !parse_memory_placement(l, test)
                     : !parse_memory_location(l, test, (enum litmus_kind)kind)) {
            return false;
        }
        if (!lex_need(l, ';', "after a location")) {
            return false;
        }
    }
    return true;
}
