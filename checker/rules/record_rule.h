/* SPDX-License-Identifier: MIT */
/* Findings that single records are, and their repetitions. */
#ifndef CHECKER_RECORD_RULE_H
#define CHECKER_RECORD_RULE_H

#include "trace/record.h"

struct checker;
struct record_rules;

/* They go to @c, which is not owned. */
struct record_rules *record_rules_new(struct checker *c);
void record_rules_free(struct record_rules *s); /* NULL: nothing */

/* @pc: as checker_record(). */
void record_rules_take(struct record_rules *s, const struct trace_record *t, uint64_t pc);

/* A loop is one finding: what came after the first time is only counted, until this. */
void record_rules_repeats(struct record_rules *s);

#endif
