/* SPDX-License-Identifier: MIT */
/* Children of fork() that was called while work was on its way. A child has no board, so what it
 * accesses is not checked; but its pages are closed as its parent's were, and what it finds closed
 * stands in the parent's report. */
#ifndef RUNTIME_OBSERVE_FORKED_H
#define RUNTIME_OBSERVE_FORKED_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/observe/check.h"

/* Once, in the parent. */
void forked_open(void);
/* In the parent, about to fork with pages closed; in the child. */
void forked_before(void);
void forked_child(void);
/* Is this process a child of the one with the board? */
bool forked_is_child(void);
/* In the child: at @where it has accessed @region, which work on its way touches. */
void forked_touched(uint32_t region, const struct check_caller *where);
/* In the parent, before the report. */
void forked_notes(struct check *c);

#endif
