/* SPDX-License-Identifier: MIT */
/* Compiled forms of a program's functions: what is asked for, and what has come. See native_text.h.
 *
 * A compiled function begins at some of its micro-ops: there a NATIVE takes the place of the
 * micro-op's number. Nothing else of the decoded code changes, so a function is interpreted or
 * compiled from one micro-op to the next, with the same registers, counts and records.
 */
#ifndef MODEL_IGPU_NATIVE_H
#define MODEL_IGPU_NATIVE_H

#include "model/igpu/sm.h"

static inline const struct native_code *native_code_of(const struct warp *w)
{
    const struct grid_program *p = w->grid->program;

    return &p->native.code[w->frame->code - p->program->code];
}

void native_set_free(struct native_set *set, uint32_t n_code);

#endif
