/* SPDX-License-Identifier: MIT */
/* Shared by checker.c and the files whose findings it takes. */
#ifndef CHECKER_CHECKER_INTERNAL_H
#define CHECKER_CHECKER_INTERNAL_H

#include "checker/checker.h"

/* Of the program at @pc; NULL: not known. */
const char *checker_place(const struct checker *c, uint64_t pc);
const char *checker_launched(const struct checker *c, uint32_t grid_id); /* the same */

#endif
