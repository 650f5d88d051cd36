/* SPDX-License-Identifier: MIT */
/* Findings that the checker makes itself, from records. Advice is in advice.h. */
#ifndef RUNTIME_CHECK_RULE_H
#define RUNTIME_CHECK_RULE_H

#include "runtime/check/check_internal.h"

/* Look at a record; lock held. */
void rule_record(struct check *c, const struct trace_record *record);

/* Put the counted repetitions into the run; lock held. */
void rule_repeats_notes(struct check *c);

#endif
