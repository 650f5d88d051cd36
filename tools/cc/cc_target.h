/* SPDX-License-Identifier: MIT */
/* Which GPUs vtegra cc makes PTX for. */
#ifndef TOOLS_CC_TARGET_H
#define TOOLS_CC_TARGET_H

#include "tools/cc/cc_args.h"

/**
 * cc_targets_choose - args->archs from --soc, --arch or the default, oldest first, none twice
 *
 * Return: FALSE after saying what is wrong.
 */
gboolean cc_targets_choose(struct cc_args *args);

/** cc_targets_flags - clang's options for the targets from index @first on */
void cc_targets_flags(GPtrArray *argv, const struct cc_args *args, guint first);

/** cc_assembles - is an object file made, not text (-S -E) or nothing (-fsyntax-only)? */
gboolean cc_assembles(const struct cc_args *args);

#endif
