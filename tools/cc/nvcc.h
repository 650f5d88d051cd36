/* SPDX-License-Identifier: MIT */
/* nvcc's options on the command line of vtegra cc: nvcc.def says what each becomes. */
#ifndef TOOLS_CC_NVCC_H
#define TOOLS_CC_NVCC_H

#include <glib.h>

/**
 * nvcc_option - is the word at argv[at] an option that nvcc.def has?
 * @words: gets the words that stand for it; they may be nvcc's, clang's or our own
 * @notes: gets a sentence if the option has no effect, once for each option
 * @error: what is wrong and what to do; g_free() it
 *
 * Return: how many words of @argv it and its value are; 0 if it is none of the table's
 */
int nvcc_option(char **argv, int at, int argc, GPtrArray *words, GPtrArray *notes, char **error);

#endif
