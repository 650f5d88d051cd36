/* SPDX-License-Identifier: MIT */
/* What other kinds of memory, and other ways from engine to engine, would cost the run: its counts
 * as model/rules/charge.h and charge_engines.h take them. */
#ifndef CHECKER_MEMORY_KINDS_H
#define CHECKER_MEMORY_KINDS_H

#include "checker/run/run.h"
#include "model/rules/charge.h"
#include "model/rules/charge_engines.h"

/** struct memory_kind - of a buffer that kernels used; @launches: of the kernel that used it most
 */
struct memory_kind {
    const struct run_region *region;
    uint64_t launches;
    struct charge_answer answer;
};

/** struct memory_way - of a buffer of NvSci, or one that the DLA or the VIC used, too; ns a frame
 */
struct memory_way {
    const struct run_region *region;
    struct charge_shared shared;
    double ns[CHARGE_WAYS];
};

/** struct memory_kinds - @kinds, @ways: of these, in order of the buffers' numbers; none where the
 * board is not known, or has no memory that CPU and GPU share */
struct memory_kinds {
    GArray *kinds, *ways;
};

struct memory_kinds *memory_kinds_new(const struct run *r);
void memory_kinds_free(struct memory_kinds *m);

#endif
