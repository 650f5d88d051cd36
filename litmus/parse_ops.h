/* SPDX-License-Identifier: MIT */
/* What the readers of operations share. Each reads from the lexer into an event or a thread, and
 * returns false (a register: -1) after an error. */
#ifndef LITMUS_PARSE_OPS_H
#define LITMUS_PARSE_OPS_H

#include "litmus/lex.h"

#define HIDDEN_REGISTER 1000 /* of operations that discard their old value */

/* A register that gets its value here. @size: if 0, set to the register's own (W, X) */
bool parse_reg_target(struct lex *l, struct litmus_thread *t, struct litmus_event *e,
                      unsigned *size);
int parse_reg_new(struct lex *l, struct litmus_thread *t, unsigned number, const char *at);

/* [x] or [x+2]; @size 0: all of it from there on. */
bool parse_address(struct lex *l, const struct litmus_test *test, struct litmus_event *e,
                   unsigned size);

/* #1 (CPU), 1 (others), or a register that has a value. */
bool parse_operand(struct lex *l, const struct litmus_thread *t, struct litmus_event *e,
                   unsigned *size);

/* The number that a CAS compares with, and the comma behind it. */
bool parse_compare(struct lex *l, struct litmus_event *e);

/* addr(W0) data(W0) ctrl(W0), any number */
bool parse_dependencies(struct lex *l, const struct litmus_thread *t, struct litmus_event *e);

/* submit K, launch K, wait K, sync K, doorbell K; signal S, await S. @known: @word is one of them
 */
bool parse_edge(struct lex *l, struct litmus_test *test, struct litmus_thread *t, const char *word,
                bool *known);

/* One operation; @word has been read, from @start on. */
bool parse_cpu_cell(struct lex *l, struct litmus_test *test, struct litmus_thread *t,
                    const char *start, char *word);
bool parse_ptx_cell(struct lex *l, struct litmus_test *test, struct litmus_thread *t,
                    const char *start, const char *word);

#endif
