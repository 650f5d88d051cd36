/* SPDX-License-Identifier: MIT */
/* The note's advice, where the numbers of this run support it. */
#ifndef CHECKER_ADVICE_H
#define CHECKER_ADVICE_H

#include "checker/run/run.h"

/* Return: struct run_finding of severity CHECK_ADVICE, in a fixed order; g_ptr_array_free(., TRUE).
 */
GPtrArray *advice_make(const struct run *r);

#endif
