/* SPDX-License-Identifier: MIT */
/* Words, numbers and marks of a litmus file, and errors with line and column. */
#ifndef LITMUS_LEX_H
#define LITMUS_LEX_H

#include "litmus/litmus.h"

/**
 * struct lex - a place in a text
 * @error: set by the first lex_fail(); every reader then gives up
 * @cell: where the operation that is being read begins
 * @value, @compare: where its operands are, NULL if it has none
 * @job, @edge: where each name came first
 * @ptx: a PTX file of herd: what its registers hold (herd.h); NULL in others
 * @herd: a file of herd: registers are of threads 0, 1, ..., locations may stand for addresses
 */
struct lex {
    const char *file, *text, *at, *end;
    GError **error;
    bool failed, herd;
    const char *cell, *value, *compare;
    const char *job[LITMUS_JOBS], *edge[LITMUS_JOBS];
    struct herd_ptx *ptx;
};

/* Skip white space and (* comments *). */
void lex_space(struct lex *l);

/* The next thing is @c: taken. */
bool lex_take(struct lex *l, char c);
bool lex_peek(struct lex *l, char c);

/* As lex_take(), but an error if it is not there. @for_what: "after the location" */
bool lex_need(struct lex *l, char c, const char *for_what);

/* [A-Za-z_%][A-Za-z0-9_.]*. Return: false, nothing taken, if there is none; and with an error if it
 * does not fit @size: cut names are the names of others. */
bool lex_word(struct lex *l, char *word, size_t size);
bool lex_peek_word(struct lex *l, const char *word);

/* Decimal or 0x; an error if it takes more than 64 bits. */
bool lex_number(struct lex *l, uint64_t *value);

/* "file:line:column: expected <expected>, found ..." Return: false. @at: where, NULL for here. */
bool lex_fail(struct lex *l, const char *at, const char *format, ...) G_GNUC_PRINTF(3, 4);
bool lex_expected(struct lex *l, const char *expected);

unsigned lex_line(const struct lex *l, const char *at);
unsigned lex_column(const struct lex *l, const char *at);

/* An error at @at unless @value fits @size bytes. */
bool lex_fits(struct lex *l, const char *at, uint64_t value, unsigned size);

/* parse_ops.c: one cell of the table. */
bool parse_cell(struct lex *l, struct litmus_test *test, struct litmus_thread *t);
/* The place of a job or edge by name; a new one is added, and @where it came. -1 with an error if
 * there are too many. */
int parse_litmus_name(struct lex *l, char names[LITMUS_JOBS][LITMUS_NAME],
                      const char *where[LITMUS_JOBS], unsigned *n, const char *what);
/* The operation that starts a job; NULL if there is none yet. */
const struct litmus_event *parse_job_start(const struct litmus_test *test, unsigned job);
int parse_location(struct lex *l, const struct litmus_test *test);
struct litmus_event *parse_event_add(struct lex *l, struct litmus_thread *t, enum litmus_op op);

/* parse_cond.c */
struct litmus_cond *parse_cond(struct lex *l, struct litmus_test *test, unsigned depth);
int parse_item(struct lex *l, struct litmus_test *test);
void cond_free(struct litmus_cond *c);

#endif
