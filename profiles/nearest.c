/* SPDX-License-Identifier: MIT */
#include "profiles/nearest.h"

#include <glib.h>
#include <limits.h>
#include <string.h>

enum { LONGEST = 63 };

/* Levenshtein distance with one row; the lengths are at most LONGEST. */
static unsigned edits(const char *a, size_t a_len, const char *b, size_t b_len)
{
    unsigned row[LONGEST + 1];

    for (size_t j = 0; j <= b_len; j++) {
        row[j] = (unsigned)j;
    }
    for (size_t i = 1; i <= a_len; i++) {
        unsigned diagonal = row[0];

        row[0] = (unsigned)i;
        for (size_t j = 1; j <= b_len; j++) {
            unsigned replace = diagonal + (a[i - 1] != b[j - 1]);

            diagonal = row[j];
            row[j] = MIN(replace, MIN(row[j], row[j - 1]) + 1);
        }
    }
    return row[b_len];
}

const char *nearest_word(const char *word, const char *const *words)
{
    size_t len = strlen(word);
    const char *best = NULL;
    unsigned best_edits = UINT_MAX;

    if (len > LONGEST) {
        return NULL;
    }
    for (; *words; words++) {
        size_t word_len = strlen(*words);
        unsigned n;

        if (word_len > LONGEST) {
            continue;
        }
        n = edits(word, len, *words, word_len);
        if (n < best_edits && n <= MAX(word_len / 3, 1)) {
            best = *words;
            best_edits = n;
        }
    }
    return best;
}
