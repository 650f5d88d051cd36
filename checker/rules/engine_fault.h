/* SPDX-License-Identifier: MIT */
/* An access of an engine that its SMMU has refused, in words: for each engine of model/engines.def.
 */
#ifndef CHECKER_RULES_ENGINE_FAULT_H
#define CHECKER_RULES_ENGINE_FAULT_H

#include "trace/record.h"

/* Is it such a record, and does no driver of ours explain it (EXPLAINED in model/engines.def)? */
bool engine_fault_unexplained(const struct trace_record *t);
/* @t: SMMU_FAULT or SMMU_GLOBAL_FAULT. g_free() it. */
char *engine_fault_text(const struct trace_record *t);

#endif
