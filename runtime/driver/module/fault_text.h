/* SPDX-License-Identifier: MIT */
#ifndef RUNTIME_DRIVER_MODULE_FAULT_TEXT_H
#define RUNTIME_DRIVER_MODULE_FAULT_TEXT_H

#include "runtime/driver/core/core.h"
#include "runtime/driver/memory/memory.h"

#define FAULT_LOST " The context is lost: every later call returns the same error."

/* What to do, where the kind of the fault says it; NULL: an address is for the report to explain.
 * @r: that of the address, may be NULL */
const char *fault_todo(const struct chan_error *e, const struct region *r);
/* Do lanes of a warp wait for others, which @method and @data of it name? */
bool fault_lanes(const struct chan_error *e);
/* The rule of mbarrier that is broken, or what lanes wait at, in words; NULL: another reason */
const char *fault_mbarrier_rule(const struct chan_error *e);

struct context;
struct region;

/* What memory of another context or GPU @va lies in, which a kernel of @context does not reach;
 * NULL: in none. @rule: that forbids it; NULL: none of its own */
const char *fault_elsewhere(const struct context *context, const struct region *region, uint64_t va,
                            const struct check_rule **rule);
/* Where such a rule forbids it: the rule. */
void fault_elsewhere_report(const struct context *context, const struct chan_error *e,
                            struct check_fault *fault);
/* Where the address is reserved and nothing is to be reached there. */
void fault_reserved_report(const struct chan_error *e, struct check_fault *fault);

#endif
