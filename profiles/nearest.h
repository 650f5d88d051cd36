/* SPDX-License-Identifier: MIT */
#ifndef PROFILES_NEAREST_H
#define PROFILES_NEAREST_H

/**
 * nearest_word - the word that was probably meant
 * @word: what was typed
 * @words: candidates, ending with NULL
 *
 * Return: the candidate with the fewest single-letter edits, at most a third of its length (and at
 * most 63 letters long); NULL if none is that near. The first of equals wins.
 */
const char *nearest_word(const char *word, const char *const *words);

#endif
