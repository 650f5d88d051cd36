/* SPDX-License-Identifier: MIT */
/* The parts of a file in our own format, in their order; each returns false after an error. */
#ifndef LITMUS_PARSE_FILE_H
#define LITMUS_PARSE_FILE_H

#include "litmus/lex.h"

bool parse_memory(struct lex *l, struct litmus_test *test);
bool parse_header(struct lex *l, struct litmus_test *test);
bool parse_table(struct lex *l, struct litmus_test *test);
/* exists, forall, ... or locations is next. */
bool parse_condition_follows(struct lex *l);
bool parse_locations(struct lex *l, struct litmus_test *test);
bool parse_condition(struct lex *l, struct litmus_test *test);
bool parse_tail(struct lex *l, struct litmus_test *test);

/* The place of @word among @n names, -1 if it is none. */
int parse_word_index(const char *word, const char *const *names, unsigned n);

#endif
