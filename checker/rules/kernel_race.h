/* SPDX-License-Identifier: MIT */
/* Races between threads of one kernel: the model's records become findings. */
#ifndef CHECKER_RULES_KERNEL_RACE_H
#define CHECKER_RULES_KERNEL_RACE_H

#include "trace/record.h"

struct checker;

/* @t: KERNEL_RACE; @who: the KERNEL_RACE_WHO before it */
void kernel_race(struct checker *c, const struct trace_record *t, const struct trace_record *who);

#endif
