/* SPDX-License-Identifier: MIT */
/* Shared by run.c and run_note.c. */
#ifndef RUNTIME_CHECK_RUN_INTERNAL_H
#define RUNTIME_CHECK_RUN_INTERNAL_H

#include "runtime/check/run.h"

/* The region, made if it was never heard of. */
struct run_region *run_region_get(struct run *r, uint32_t id);

#endif
