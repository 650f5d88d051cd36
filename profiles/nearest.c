/* SPDX-License-Identifier: MIT */
#include "profiles/nearest.h"

#include <glib.h>
#include <limits.h>
#include <string.h>

enum { LONGEST = 63 };

/* Optimal string alignment: insert, delete, replace, or swap two neighbours. Lengths are at most
 * LONGEST, so a full table is small. */
static unsigned nearest_edits(const char *a, size_t a_len, const char *b, size_t b_len)
{
    unsigned table[LONGEST + 1][LONGEST + 1];

    for (size_t i = 0; i <= a_len; i++) {
        table[i][0] = (unsigned)i;
    }
    for (size_t j = 0; j <= b_len; j++) {
        table[0][j] = (unsigned)j;
    }
    for (size_t i = 1; i <= a_len; i++) {
        for (size_t j = 1; j <= b_len; j++) {
            unsigned best = table[i - 1][j - 1] + (a[i - 1] != b[j - 1]);

            best = MIN(best, MIN(table[i - 1][j], table[i][j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
                best = MIN(best, table[i - 2][j - 2] + 1);
            }
            table[i][j] = best;
        }
    }
    return table[a_len][b_len];
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
        n = nearest_edits(word, len, *words, word_len);
        if (n < best_edits && n <= MAX(word_len / 3, 1)) {
            best = *words;
            best_edits = n;
        }
    }
    return best;
}
