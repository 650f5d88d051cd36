/* SPDX-License-Identifier: MIT */
/* Variables in the shared memory of kernels, by name. */
#ifndef CHECKER_RUN_VARIABLES_H
#define CHECKER_RUN_VARIABLES_H

#include "checker/run/run.h"

/* "variable": one of a kernel. Return: as run_note() */
bool variables_note(struct run *r, const struct note *n);

/**
 * variables_find - the variable at a byte of a block's shared memory
 * @offset: becomes that in the variable
 *
 * Return: its name as in the source; NULL: not known. g_free()
 */
char *variables_find(const struct run *r, uint32_t grid_id, uint64_t *offset);

#endif
